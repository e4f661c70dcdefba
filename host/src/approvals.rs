//! What the user approved for longer than once: its shape, when it still holds,
//! and the file that lasting ones are kept in.
//!
//! Knows no script and no rule: whether a command fits a grant is for the guest
//! to say that offered it. A grant of a session is the same value; the session
//! keeps it in memory.

mod file;
mod time;

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use file::{Approvals, ApprovalsError};

/// Letters in an id: 47 bits that nobody guesses.
const ID_LETTERS: usize = 10;

/// The longest program that is looked at, in bytes.
const MAX_PROGRAM: u64 = 512 * 1024 * 1024;

/// What a grant covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Words, as in a rule: a last `*` stands for any further words.
    Command(Vec<String>),
    /// A directory and all below it.
    Path {
        /// Absolute, links resolved.
        path: String,
        /// What may be done there.
        access: Access,
    },
}

/// What is done with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Its content or its entries are read.
    Read,
    /// It is made or changed.
    Write,
    /// It is removed.
    Delete,
    /// It is run.
    Execute,
    /// It becomes a command's directory.
    Enter,
    /// It is connected to, as a socket is.
    Connect,
    /// Anything else.
    Other,
}

/// The guest that offered a grant, and the rules that it judged by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judge {
    /// The guest's name.
    pub name: String,
    /// The version of its rules: the guest's own, or a third party's digest.
    pub rules: String,
}

/// The file that a command's name ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Absolute, links resolved.
    pub path: PathBuf,
    /// SHA-256 of its content in hexadecimal digits; only for a program under
    /// the root, where the agent may write.
    pub sha256: Option<String>,
}

impl Program {
    /// Looks at the program at `path`, which is resolved. Reads it whole when
    /// it lies under `root`.
    ///
    /// # Errors
    ///
    /// A program under the root that cannot be read, is no regular file or is
    /// over 512 MiB.
    pub fn look(path: &Path, root: &Path) -> io::Result<Self> {
        let sha256 = if path.starts_with(root) {
            Some(digest(path)?)
        } else {
            None
        };
        Ok(Self {
            path: path.to_owned(),
            sha256,
        })
    }
}

/// SHA-256 of a regular file. Waits for no writer.
fn digest(path: &Path) -> io::Result<String> {
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut hash = Sha256::new();
    let read = io::copy(&mut file.take(MAX_PROGRAM + 1), &mut hash)?;
    if read > MAX_PROGRAM {
        return Err(io::Error::other("too long to be looked at"));
    }
    Ok(format!("{:x}", hash.finalize()))
}

/// Something that the user approved for longer than once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Ten letters that cannot be guessed.
    pub id: String,
    /// What it covers.
    pub scope: Scope,
    /// Who offered it.
    pub guest: Judge,
    /// When it was given: RFC 3339 in UTC, to the second.
    pub given: String,
    /// The workspace it was given in; it holds in no other.
    pub root: PathBuf,
    /// The program that a command's first word ran then; none where it ran
    /// none, and for a path.
    pub program: Option<Program>,
}

impl Grant {
    /// A grant given now.
    ///
    /// # Errors
    ///
    /// [`ApprovalsError::Random`] when the system gives no random bytes.
    pub fn new(
        scope: Scope,
        guest: Judge,
        root: &Path,
        program: Option<Program>,
    ) -> Result<Self, ApprovalsError> {
        Ok(Self {
            id: new_id()?,
            scope,
            guest,
            given: time::rfc3339(std::time::SystemTime::now()),
            root: root.to_owned(),
            program,
        })
    }

    /// The first word of a command; none for a path.
    pub fn program_name(&self) -> Option<&str> {
        match &self.scope {
            Scope::Command(words) => words.first().map(String::as_str),
            Scope::Path { .. } => None,
        }
    }

    /// Whether it still holds.
    ///
    /// # Errors
    ///
    /// [`Void`]: the first thing that is no longer as it was.
    pub fn valid(&self, now: &Now<'_>) -> Result<(), Void> {
        if self.root != now.root {
            return Err(Void::Elsewhere(self.root.clone()));
        }
        let changed = |now: &str| Void::GuestChanged {
            name: self.guest.name.clone(),
            then: self.guest.rules.clone(),
            now: now.to_owned(),
        };
        if self.guest.name != now.guest.name {
            return Err(changed(&now.guest.name));
        }
        if self.guest.rules != now.guest.rules {
            return Err(changed(&now.guest.rules));
        }
        match &self.scope {
            Scope::Command(_) => self.same_program(now.program),
            Scope::Path { .. } => Ok(()),
        }
    }

    fn same_program(&self, now: Option<&Program>) -> Result<(), Void> {
        let then = self.program.as_ref();
        let path = |program: Option<&Program>| program.map(|program| program.path.clone());
        match (then, now) {
            (None, None) => Ok(()),
            (Some(then), Some(now)) if then == now => Ok(()),
            (Some(then), Some(now)) if then.path == now.path => {
                Err(Void::ProgramChanged(now.path.clone()))
            }
            // One that was missing and is there now was not approved either.
            _ => Err(Void::ProgramMoved {
                then: path(then),
                now: path(now),
            }),
        }
    }
}

/// What a grant is held against.
#[derive(Debug, Clone, Copy)]
pub struct Now<'a> {
    /// The session's root.
    pub root: &'a Path,
    /// The guest that would use the grant.
    pub guest: &'a Judge,
    /// What the command's first word runs; passed over for a path.
    pub program: Option<&'a Program>,
}

/// Why a grant no longer holds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Void {
    /// It was given in this workspace.
    #[error("given in another workspace, {}", .0.display())]
    Elsewhere(PathBuf),
    /// The guest that offered it is another, or judges by other rules.
    #[error("the guest {name} has changed since: {then} then, {now} now")]
    GuestChanged {
        /// The guest that offered it.
        name: String,
        /// The version of its rules.
        then: String,
        /// The version of the rules now, or the name of the other guest.
        now: String,
    },
    /// The command's name runs another file.
    #[error("the program has moved since: {} then, {} now", Shown(.then), Shown(.now))]
    ProgramMoved {
        /// The file that it ran.
        then: Option<PathBuf>,
        /// The file that it runs.
        now: Option<PathBuf>,
    },
    /// The file is the same by name, but not by content.
    #[error("the content of {} has changed since", .0.display())]
    ProgramChanged(PathBuf),
}

struct Shown<'a>(&'a Option<PathBuf>);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(path) => path.display().fmt(f),
            None => f.write_str("none"),
        }
    }
}

fn new_id() -> Result<String, ApprovalsError> {
    let mut id = String::with_capacity(ID_LETTERS);
    let mut bytes = [0; 2 * ID_LETTERS];
    while id.len() < ID_LETTERS {
        getrandom::fill(&mut bytes).map_err(ApprovalsError::Random)?;
        // What is beyond the last whole alphabet would favour its first letters.
        let fair = bytes.iter().filter(|&&byte| byte < 26 * 9);
        let letters = fair.map(|byte| char::from(b'a' + byte % 26));
        id.extend(letters.take(ID_LETTERS - id.len()));
    }
    Ok(id)
}

#[cfg(test)]
mod tests;
