//! Refuses every configuration.

bashgate_misbehaving::unready_policy!(
    describe: || bashgate_misbehaving::identity("configure-refuses"),
    configure: |_| Err("there is no configuration that this guest likes".to_owned())
);
