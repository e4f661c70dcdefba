//! The configuration as written: which files are read, in which order, and
//! where in them each thing stands. What it comes to is for
//! [`settings`](crate::settings); what a rule or a pattern means is for guests.
//!
//! Read are the user's file, the project's (which may only tighten), the one
//! given with `--config`, and what `--set` says. A later one wins key by key;
//! rules, interceptor rules and plugins add up.

mod choice;
mod error;
mod index;
mod load;
mod places;
mod written;

use std::path::{Path, PathBuf};

pub use choice::{Audit, Backend, EscKey, Keep, Mode, SandboxMode, Slot, Snapshot, Streams};
pub use error::{ConfigError, Place};
pub(crate) use index::quoted_if_needed;
pub(crate) use places::lexically_normal;
pub use places::{Environment, Places, PlacesError, discover_root};
pub use written::InterceptorRule;
pub(crate) use written::{Limits, Origin, Plugin, Written};

use index::{Entry, Index, Lines, without_position};

/// All sources put together.
#[derive(Debug, Clone)]
pub struct Config {
    written: Written,
    /// What the project adds to `protected_paths`; nothing takes it away.
    also_protected: Vec<String>,
    sources: Vec<Source>,
}

/// One file, or one `--set`.
#[derive(Debug, Clone)]
struct Source {
    /// The file, or `--set KEY`.
    name: PathBuf,
    is_file: bool,
    /// What its relative paths start from.
    base: PathBuf,
    lines: Lines,
    index: Index,
}

impl Source {
    fn place(&self, entry: &Entry) -> Place {
        self.place_at(entry.at.start)
    }

    fn place_at(&self, byte: usize) -> Place {
        Place {
            source: self.name.clone(),
            line: self.is_file.then(|| self.lines.at(byte)),
        }
    }
}

impl Config {
    /// Reads all sources. `given` is the file of `--config`, `assignments` what
    /// follows each `--set`; relative paths start from the current directory of
    /// `places`.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong: a file that cannot be read or is over
    /// 1 MiB, an unknown key, a value that does not fit, a project file that
    /// loosens. A missing file is none, except the given one.
    pub fn load(
        places: &Places,
        given: Option<&Path>,
        assignments: &[String],
    ) -> Result<Self, ConfigError> {
        load::load(places, given, assignments)
    }

    /// The files that were read, in their order.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let files = self.sources.iter().filter(|source| source.is_file);
        files.map(|source| source.name.as_path())
    }

    /// Where the value of a key is written, by the source that wins. Positions
    /// in lists may be left out (`rules.deny`); then the last is meant.
    #[must_use]
    pub fn place(&self, key: &str) -> Option<Place> {
        let mut latest_first = self.sources.iter().rev();
        latest_first.find_map(|source| source.index.find(key).map(|entry| source.place(entry)))
    }

    /// Where the value stands that a guest complains about: the longest text
    /// that the message quotes. A message that begins with a key (`rules.deny: `)
    /// speaks of texts below it, and of the key itself where it quotes none.
    #[must_use]
    pub fn locate(&self, message: &str) -> Option<Place> {
        let (source, entry) = self.found_in(message)?;
        Some(source.place(entry))
    }

    /// A guest's complaint as an error of the configuration.
    #[must_use]
    pub fn blame(&self, message: &str) -> ConfigError {
        let error = ConfigError::new(message.trim().replace(['\n', '\r'], " "));
        match self.found_in(message) {
            None => error,
            Some((source, entry)) => {
                let error = error.at(Some(source.place(entry)));
                let key = without_position(&entry.key);
                if self.key_of(message).is_some() || message.starts_with(&key) {
                    error
                } else {
                    error.key(key)
                }
            }
        }
    }

    pub(crate) fn written(&self) -> &Written {
        &self.written
    }

    /// What the project adds to `protected_paths`.
    pub(crate) fn also_protected(&self) -> &[String] {
        &self.also_protected
    }

    /// The folder that a source's relative paths start from.
    pub(crate) fn base(&self, origin: Origin) -> Option<&Path> {
        let source = self.sources.get(origin.source)?;
        Some(source.base.as_path())
    }

    /// Where a key of one source stands; the deepest part of it that is written.
    pub(crate) fn place_in(&self, origin: Origin, key: &str) -> Option<Place> {
        let source = self.sources.get(origin.source)?;
        let mut key = key;
        loop {
            if let Some(entry) = source.index.find(key) {
                return Some(source.place(entry));
            }
            (key, _) = key.rsplit_once('.')?;
        }
    }

    /// Where an element of a list stands.
    pub(crate) fn place_of_text(&self, key: &str, text: &str) -> Option<Place> {
        let mut all = self.entries();
        let found = all.find(|(_, entry)| entry.is_text(text) && entry.belongs_to(key));
        let place = found.map(|(source, entry)| source.place(entry));
        place.or_else(|| self.place(key))
    }

    fn entries(&self) -> impl Iterator<Item = (&Source, &Entry)> {
        self.sources.iter().flat_map(|source| {
            let entries = source.index.entries();
            entries.map(move |entry| (source, entry))
        })
    }

    /// The key that a message begins with.
    fn key_of<'m>(&self, message: &'m str) -> Option<&'m str> {
        let (key, _) = message.split_once(':')?;
        let known = self.entries().any(|(_, entry)| entry.belongs_to(key));
        known.then_some(key)
    }

    fn found_in(&self, message: &str) -> Option<(&Source, &Entry)> {
        let Some(key) = self.key_of(message) else {
            let entries = self.entries();
            let quoted = entries.filter(|(_, it)| it.length() > 0 && it.quoted_by(message));
            return quoted.max_by_key(|(_, entry)| entry.length());
        };
        let below = || self.entries().filter(|(_, it)| it.belongs_to(key));
        let quoted = below().filter(|(_, it)| it.quoted_by(message));
        let bare = || below().filter(|(_, it)| it.stands_alone_in(message));
        quoted
            .max_by_key(|(_, entry)| entry.length())
            .or_else(|| bare().max_by_key(|(_, entry)| entry.length()))
            .or_else(|| below().last())
    }
}

#[cfg(test)]
mod tests;
