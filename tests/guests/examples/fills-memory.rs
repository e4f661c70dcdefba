//! Takes all the memory that it can get, and touches it.

bashgate_misbehaving::policy!("fills-memory", |_| {
    let mut taken: Vec<Vec<u8>> = Vec::new();
    loop {
        taken.push(std::hint::black_box(vec![1; 1 << 20]));
    }
});
