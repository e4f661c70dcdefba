//! Rewrites whatever it sees, its own rewriting too.

use bashgate_misbehaving::{
    finding,
    guest::policy::{Rewriting, Verdict},
};

bashgate_misbehaving::policy!("rewrites-again", |execution| {
    Verdict::Rewrite(Rewriting {
        script: format!("{} again", execution.plan.script),
        head: None,
        tail: None,
        findings: vec![finding("rewrites-again", None)],
    })
});
