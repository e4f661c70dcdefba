//! Answers with a gigabyte that it does not have: a thousand texts that all
//! lie at the same place. Only a limit on what the host copies out stops it.

use bashgate_misbehaving::guest::policy::{Denial, Finding, Verdict};

const LENGTH: usize = 1 << 20;

bashgate_misbehaving::policy!("answers-hugely", |_| {
    let text = String::leak("x".repeat(LENGTH)).as_mut_ptr();
    let findings = (0..1024).map(|_| Finding {
        rule: String::new(),
        // SAFETY: `text` is a leaked allocation of this length and capacity.
        // That the strings share it is the attack: they are lowered to pointer
        // and length, never written to, and the guest's memory is gone with
        // this call, before anything would free them.
        message: unsafe { String::from_raw_parts(text, LENGTH, LENGTH) },
        span: None,
    });
    Verdict::Deny(Denial {
        findings: findings.collect(),
        suggestion: None,
    })
});
