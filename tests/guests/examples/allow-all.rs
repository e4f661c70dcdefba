//! Vouches for every unit.

use bashgate_misbehaving::guest::policy::{Allowance, Verdict};

bashgate_misbehaving::policy!("allow-all", |execution| {
    Verdict::Allow(Allowance {
        units: (0..execution.plan.units.len() as u32).collect(),
        findings: Vec::new(),
        offers: Vec::new(),
    })
});
