//! An analyzer that traps.
#![expect(clippy::panic, reason = "its way to misbehave")]

bashgate_misbehaving::analyzer!("analyzer-traps", |_| panic!("no plan today"));
