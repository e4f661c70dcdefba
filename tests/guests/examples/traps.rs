//! Traps while it judges.
#![expect(clippy::panic, reason = "its way to misbehave")]

bashgate_misbehaving::policy!("traps", |_| panic!("this guest always traps"));
