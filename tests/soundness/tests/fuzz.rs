//! Half a minute of the fuzz with a fixed seed; for longer ones there is the
//! command.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

use std::path::PathBuf;

use bashgate_soundness::campaign::{Campaign, Limit};
use bashgate_soundness::place::Place;
use bashgate_soundness::run::{Observe, probe};

const SCRIPTS: u64 = 1500;
const SEED: u64 = 20_261;
/// The share of scripts that must have a plan without a doubt: 0.60 of 50,000,
/// less what a sample of this size may miss it by (three times its deviation).
const WITHOUT_DOUBT: f64 = 0.60 - 3.0 * 0.0127;

#[test]
fn nothing_runs_unseen() {
    let report = Campaign {
        seed: SEED,
        first: 0,
        limit: Limit::Scripts(SCRIPTS),
        observe: observe(),
        driver: PathBuf::from(env!("CARGO_BIN_EXE_bashgate-soundness")),
        set: Vec::new(),
        minimize: true,
        doubts: 0,
    }
    .run()
    .unwrap();
    println!("{report}");
    assert!(report.misses.is_empty(), "{report}");
    assert!(report.share_without_doubt() >= WITHOUT_DOUBT, "{report}");
    assert!(
        report.timed_out * 50 < report.scripts,
        "too much is ended before it has run: {report}"
    );
}

/// `strace` where it is allowed; else what the shell itself says, which is
/// better than nothing.
fn observe() -> Observe {
    let place = Place::make().unwrap();
    match probe(&place.programs().join("../log")) {
        Ok(()) => Observe::Strace,
        Err(error) => {
            println!("only the shell is observed: {error:#}");
            Observe::Xtrace
        }
    }
}
