//! `not-yet.txt`: the ids of the cases that do not pass yet, one a line. It
//! may only shrink.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use super::runner::Failure;
use super::{Case, folder};

const FILE: &str = "not-yet.txt";

/// The list as it stands in the working tree; no file is an empty list.
#[must_use]
pub fn listed() -> BTreeSet<String> {
    ids(&std::fs::read_to_string(path()).unwrap_or_default())
}

/// The list as it stood at a revision; none where there is no git, no such
/// revision, or no such file in it.
#[must_use]
pub fn listed_at(revision: &str) -> Option<BTreeSet<String>> {
    let shown = Command::new("git")
        .arg("-C")
        .arg(folder())
        .args(["show", &format!("{revision}:./{FILE}")])
        .output()
        .ok()?;
    shown
        .status
        .success()
        .then(|| ids(&String::from_utf8_lossy(&shown.stdout)))
}

/// What is wrong between the failures of a run over `cases` and the list: a
/// failure that is not listed, an id that passes although it is listed.
#[must_use]
pub fn differences(cases: &[Case], failures: &[Failure]) -> Vec<String> {
    let listed = listed();
    let failed: BTreeSet<&str> = failures.iter().map(|failure| failure.id.as_str()).collect();
    let unlisted = failures
        .iter()
        .filter(|failure| !listed.contains(&failure.id))
        .map(|failure| format!("FAIL {}: {}", failure.id, failure.problems.join("; ")));
    let passing = cases
        .iter()
        .filter(|case| listed.contains(&case.id) && !failed.contains(case.id.as_str()))
        .map(|case| format!("{} passes: take it off tests/corpus/{FILE}", case.id));
    unlisted.chain(passing).collect()
}

/// Rewrites the list: of `cases`, those that failed and no others.
///
/// # Panics
///
/// When the file cannot be written.
pub fn bless(cases: &[Case], failures: &[Failure]) {
    // The two corpora are run side by side and share the file.
    static WRITING: Mutex<()> = Mutex::new(());
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut list = listed();
    for case in cases {
        list.remove(&case.id);
    }
    list.extend(failures.iter().map(|failure| failure.id.clone()));
    let text: String = list.iter().map(|id| format!("{id}\n")).collect();
    std::fs::write(path(), text).expect("the list can be written");
}

fn path() -> PathBuf {
    folder().join(FILE)
}

fn ids(text: &str) -> BTreeSet<String> {
    text.lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|id| !id.is_empty())
        .map(str::to_owned)
        .collect()
}
