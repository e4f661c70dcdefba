//! Denies every script but the first that this memory has seen.

use std::sync::atomic::{AtomicU32, Ordering};

use bashgate_misbehaving::{
    finding,
    guest::policy::{Denial, Verdict, abstain},
};

static SEEN: AtomicU32 = AtomicU32::new(0);

bashgate_misbehaving::policy!("remembers", |_| {
    if SEEN.fetch_add(1, Ordering::Relaxed) == 0 {
        return abstain();
    }
    Verdict::Deny(Denial {
        findings: vec![finding("remembers", None)],
        suggestion: None,
    })
});
