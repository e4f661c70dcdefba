//! What is wrong with the configuration, in one line: where, which key, what,
//! and the fix.

use std::fmt;
use std::path::PathBuf;

/// Where something of the configuration is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, or `--set KEY`.
    pub source: PathBuf,
    /// The line, from 1. None where the file as a whole is meant, or the
    /// command line.
    pub line: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}, line {line}", self.source.display()),
            None => write!(f, "{}", self.source.display()),
        }
    }
}

/// A configuration that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    place: Option<Place>,
    key: Option<String>,
    problem: String,
    fix: Option<String>,
}

impl ConfigError {
    /// What is wrong, without a place yet.
    pub(crate) fn new(problem: impl Into<String>) -> Self {
        Self {
            place: None,
            key: None,
            problem: problem.into(),
            fix: None,
        }
    }

    /// Where.
    pub(crate) fn at(mut self, place: Option<Place>) -> Self {
        self.place = place;
        self
    }

    /// Which key.
    pub(crate) fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into()).filter(|key| !key.is_empty());
        self
    }

    /// What to do about it.
    pub(crate) fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// Where it is written, if that is known.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        if let Some(key) = &self.key {
            write!(f, "{key}: ")?;
        }
        f.write_str(&self.problem)?;
        match &self.fix {
            Some(fix) => write!(f, "; {fix}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ConfigError {}
