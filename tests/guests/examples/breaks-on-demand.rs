//! Behaves until a script names a way to break.
#![expect(clippy::panic, reason = "its way to misbehave")]

use bashgate_misbehaving::guest::policy::abstain;

bashgate_misbehaving::policy!("breaks-on-demand", |execution| {
    let script = execution.plan.script.as_str();
    if script.contains("trap-now") {
        panic!("as demanded");
    }
    if script.contains("fill-now") {
        let mut taken: Vec<Vec<u8>> = Vec::new();
        loop {
            taken.push(std::hint::black_box(vec![1; 1 << 20]));
        }
    }
    while script.contains("loop-now") {
        std::hint::spin_loop();
    }
    abstain()
});
