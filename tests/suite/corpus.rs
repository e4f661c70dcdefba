//! The corpora, and the list of what does not pass yet.
//!
//! `BASHGATE_CASES="A01 C05"` runs a selection; `BASHGATE_BLESS=1` rewrites
//! the list from what fails.

use std::path::Path;

use bashgate_tests::corpus::{Kind, cases, not_yet, run};

use crate::scene::BASHGATE;

#[test]
fn decide() {
    check(Kind::Decide);
}

#[test]
fn run_and_look() {
    check(Kind::Run);
}

fn check(kind: Kind) {
    let mut cases = cases(kind);
    if let Ok(selection) = std::env::var("BASHGATE_CASES") {
        let names: Vec<&str> = selection.split_whitespace().collect();
        cases.retain(|case| names.iter().any(|name| case.selected_by(name)));
    }
    let failures = run(Path::new(BASHGATE), &cases);
    println!(
        "{kind:?}: {} passed, {} failed",
        cases.len() - failures.len(),
        failures.len()
    );
    if std::env::var_os("BASHGATE_BLESS").is_some() {
        not_yet::bless(&cases, &failures);
    }
    let differences = not_yet::differences(&cases, &failures);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn the_list_names_cases_only() {
    let known: Vec<String> = [Kind::Decide, Kind::Run]
        .into_iter()
        .flat_map(cases)
        .map(|case| case.id)
        .collect();
    let unknown: Vec<String> = not_yet::listed()
        .into_iter()
        .filter(|id| !known.contains(id))
        .collect();
    assert_eq!(unknown, [""; 0], "not-yet.txt names what is no case");
}

#[test]
fn the_list_only_shrinks() {
    let now = not_yet::listed();
    let mut newer = ("the working tree".to_owned(), now);
    for revision in ["HEAD", "HEAD~1"] {
        let Some(older) = not_yet::listed_at(revision) else {
            return;
        };
        let added: Vec<&String> = newer.1.difference(&older).collect();
        assert!(
            added.is_empty(),
            "not-yet.txt of {} has more than that of {revision}: {added:?}",
            newer.0
        );
        newer = (revision.to_owned(), older);
    }
}
