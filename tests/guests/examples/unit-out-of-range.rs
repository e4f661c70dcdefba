//! Vouches for a unit that the plan does not have.

use bashgate_misbehaving::guest::policy::{Allowance, Verdict};

bashgate_misbehaving::policy!("unit-out-of-range", |execution| {
    Verdict::Allow(Allowance {
        units: vec![execution.plan.units.len() as u32 + 1000],
        findings: Vec::new(),
        offers: Vec::new(),
    })
});
