//! Where a repository keeps its configuration: above a directory, behind a
//! `.git` that is a file, in the directory itself. It reads files through
//! [`Facts`] and judges nothing.

use crate::meaning::Facts;
use crate::meaning::path::child;

use super::config::{self, Entry};

/// Directories above that are searched; deeper ones are not known.
const LEVELS: usize = 128;
/// Submodules that are looked into.
const SUBMODULES: usize = 100;

/// A repository that was found.
pub struct Repository {
    top: String,
    texts: Vec<String>,
}

/// What lies around a directory.
pub enum Found {
    /// A repository.
    Here(Repository),
    /// None.
    Nothing,
    /// One whose configuration cannot be read.
    Unreadable,
}

/// The repository that a directory is in.
pub fn around(directory: &str, known: &dyn Facts) -> Found {
    match at(directory, known) {
        Found::Nothing => above(directory, known),
        found => found,
    }
}

/// The repository that lies nearest above a directory.
fn above(directory: &str, known: &dyn Facts) -> Found {
    let Some(real) = known.real(directory) else {
        return Found::Unreadable;
    };
    let mut here = real.as_str();
    for _ in 0..LEVELS {
        here = match here.rsplit_once('/') {
            Some(("", "")) | None => return Found::Nothing,
            Some(("", _)) => "/",
            Some((parent, _)) => parent,
        };
        match at(here, known) {
            Found::Nothing => {}
            found => return found,
        }
    }
    Found::Unreadable
}

/// The repository of exactly this directory.
fn at(here: &str, known: &dyn Facts) -> Found {
    let dot_git = child(here, ".git");
    if known.exists(&dot_git) {
        return if known.exists(&child(&dot_git, "config")) {
            read(here, &dot_git, known)
        } else {
            linked(here, &dot_git, known)
        };
    }
    // The directory is a repository itself.
    if known.exists(&child(here, "HEAD")) && known.exists(&child(here, "objects")) {
        return read(here, here, known);
    }
    Found::Nothing
}

fn read(top: &str, directory: &str, known: &dyn Facts) -> Found {
    let Some(text) = known.read(&child(directory, "config")) else {
        return Found::Unreadable;
    };
    let mut texts = vec![text];
    let worktree = child(directory, "config.worktree");
    if known.exists(&worktree) {
        match known.read(&worktree) {
            Some(text) => texts.push(text),
            None => return Found::Unreadable,
        }
    }
    Found::Here(Repository {
        top: top.to_owned(),
        texts,
    })
}

/// `.git` is a file that names another directory: a worktree or a submodule.
fn linked(here: &str, dot_git: &str, known: &dyn Facts) -> Found {
    let text = known.read(dot_git);
    let Some(target) = text
        .as_deref()
        .and_then(|text| text.trim().strip_prefix("gitdir:"))
    else {
        return Found::Unreadable;
    };
    let from = |base: &str, path: &str| {
        if path.starts_with('/') {
            path.to_owned()
        } else {
            child(base, path)
        }
    };
    let target = from(here, target.trim());
    let common = match known.read(&child(&target, "commondir")) {
        Some(common) => from(&target, common.trim()),
        None => target.clone(),
    };
    match (
        read(here, &common, known),
        known.read(&child(&target, "config.worktree")),
    ) {
        (Found::Here(mut repository), Some(own)) if common != target => {
            repository.texts.push(own);
            Found::Here(repository)
        }
        (found, _) => found,
    }
}

impl Repository {
    /// All that its configuration says.
    pub fn entries(&self) -> Vec<Entry> {
        self.texts
            .iter()
            .flat_map(|text| config::entries(text))
            .collect()
    }

    /// Its submodules that are checked out, by path.
    pub fn submodules(&self, known: &dyn Facts) -> Vec<(String, Found)> {
        let list = child(&self.top, ".gitmodules");
        if !known.exists(&list) {
            return Vec::new();
        }
        let Some(text) = known.read(&list) else {
            return vec![(".gitmodules".to_owned(), Found::Unreadable)];
        };
        let paths = config::entries(&text)
            .into_iter()
            .filter(|entry| entry.section == "submodule" && entry.name == "path");
        let here = |entry: Entry| {
            let directory = child(&self.top, &entry.value);
            let checked_out = known.exists(&child(&directory, ".git"));
            checked_out.then(|| (entry.value, at(&directory, known)))
        };
        paths.take(SUBMODULES).filter_map(here).collect()
    }
}
