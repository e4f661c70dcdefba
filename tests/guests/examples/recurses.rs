//! Uses up its stack.

use bashgate_misbehaving::guest::policy::abstain;

#[expect(unconditional_recursion, reason = "its way to misbehave")]
fn deeper(depth: &mut [u64; 64]) -> u64 {
    let mut next = std::hint::black_box([depth[0] + 1; 64]);
    deeper(&mut next) + depth[1]
}

bashgate_misbehaving::policy!("recurses", |_| {
    std::hint::black_box(deeper(&mut [0; 64]));
    abstain()
});
