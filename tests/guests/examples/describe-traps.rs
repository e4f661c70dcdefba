//! Traps when it is asked who it is.
#![expect(clippy::panic, reason = "its way to misbehave")]

bashgate_misbehaving::unready_policy!(
    describe: || panic!("this guest does not say who it is"),
    configure: |_| Ok(())
);
