//! Denies every script; may stand in for the approval guest.

use bashgate_misbehaving::{
    finding,
    guest::policy::{Denial, Verdict},
};

bashgate_misbehaving::policy!("deny-all", |_| {
    Verdict::Deny(Denial {
        findings: vec![finding("deny-all", None)],
        suggestion: None,
    })
});
