//! The corpora: cases as lines of data, and the runner over them.
//!
//! `decide` cases are what `explain --json` says, `run` cases what
//! `call … --json` returns. The list of ids that do not pass yet is
//! [`not_yet`]'s.

pub mod case;
mod compare;
pub mod not_yet;
mod runner;
mod toml;

use std::path::{Path, PathBuf};

pub use case::Case;
pub use runner::{Failure, run};

/// The two kinds of cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A script, and what is decided about it.
    Decide,
    /// Arguments of a tool, and what comes back.
    Run,
}

/// The folder of the corpora.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// All cases of a kind, from all files `*.jsonl` of the folder, by file name.
///
/// # Panics
///
/// When a file cannot be read, a line is no case, or an id stands twice.
#[must_use]
pub fn cases(kind: Kind) -> Vec<Case> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("the folder of the corpora")
        .map(|entry| entry.expect("a file of the corpora").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "jsonl")
        })
        .collect();
    files.sort();
    let mut cases: Vec<Case> = files.iter().flat_map(|file| case::read(file)).collect();
    let mut ids: Vec<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    ids.sort_unstable();
    if let Some(pair) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
        panic!("the id {} stands twice in the corpora", pair[0]);
    }
    cases.retain(|case| case.kind() == kind);
    cases
}

#[cfg(test)]
mod tests {
    use super::{Kind, cases};

    #[test]
    fn the_corpora_can_be_read() {
        assert!(cases(Kind::Decide).len() >= 392);
        assert!(cases(Kind::Run).len() >= 97);
    }
}
