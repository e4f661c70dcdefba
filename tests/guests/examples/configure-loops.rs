//! Never comes back from `configure`.

bashgate_misbehaving::unready_policy!(
    describe: || bashgate_misbehaving::identity("configure-loops"),
    configure: |_| loop {
        std::hint::spin_loop();
    }
);
