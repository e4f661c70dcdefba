//! Calls itself by a name that is long and moves the cursor.

bashgate_misbehaving::unready_policy!(
    describe: || bashgate_misbehaving::identity(&"\u{1b}[2J\nshouts".repeat(1000)),
    configure: |_| Ok(())
);
