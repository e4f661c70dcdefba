//! Has `echo rewritten` run in place of any other script.

use bashgate_misbehaving::{
    finding,
    guest::policy::{Rewriting, Verdict, abstain},
};

const SCRIPT: &str = "echo rewritten";

bashgate_misbehaving::policy!("rewrites", |execution| {
    if execution.plan.script == SCRIPT {
        return abstain();
    }
    Verdict::Rewrite(Rewriting {
        script: SCRIPT.to_owned(),
        head: None,
        tail: None,
        findings: vec![finding("rewrites", None)],
    })
});
