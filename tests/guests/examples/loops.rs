//! Never comes back.

bashgate_misbehaving::policy!("loops", |_| {
    loop {
        std::hint::spin_loop();
    }
});
