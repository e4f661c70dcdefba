//! Traps while it is configured.
#![expect(clippy::panic, reason = "its way to misbehave")]

bashgate_misbehaving::unready_policy!(
    describe: || bashgate_misbehaving::identity("configure-traps"),
    configure: |_| panic!("this guest traps while it is configured")
);
