//! Vouches for everything, in more words than an answer may have.

use bashgate_misbehaving::guest::policy::{Allowance, Finding, Verdict};

bashgate_misbehaving::policy!("answers-too-long", |execution| {
    Verdict::Allow(Allowance {
        units: (0..execution.plan.units.len() as u32).collect(),
        findings: vec![Finding {
            rule: "long".to_owned(),
            message: "x".repeat(300 * 1024),
            span: None,
        }],
        offers: Vec::new(),
    })
});
