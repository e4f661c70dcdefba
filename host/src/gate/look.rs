//! What a decision rests on, and a second look at it before the start.
//!
//! All that an analyzer learns of the world it learns through a [`World`],
//! which remembers each question with its answer. Asking them again tells
//! whether the decision still stands. What changes after that, only a sandbox
//! can hold.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use super::zones::{Kinds, Located, Zone as Kind, Zones};
use crate::guest::Workspace;
use crate::guest::bindings::policy::bashgate::policy::types::{Location, Zone};

/// Questions that one analysis may ask; each costs system calls. Beyond it
/// nothing more is known: paths are `outside`, files unreadable.
const QUESTIONS: usize = 20_000;

/// The environment that a child gets, as an analyzer may know it.
#[derive(Default)]
pub(crate) struct Variables {
    /// Those that are text.
    known: BTreeMap<String, String>,
    path: OsString,
}

impl Variables {
    pub(crate) fn new(variables: &[(OsString, OsString)]) -> Self {
        let text = |value: &OsString| value.to_str().map(str::to_owned);
        let known = variables
            .iter()
            .filter_map(|(name, value)| Some((text(name)?, text(value)?)));
        let path = variables.iter().find(|(name, _)| name == "PATH");
        Self {
            known: known.collect(),
            path: path.map(|(_, value)| value.clone()).unwrap_or_default(),
        }
    }
}

/// The world as one call sees it: frozen environment, zones, and all that was
/// asked of them.
#[derive(Clone)]
pub(crate) struct World {
    zones: Arc<Zones>,
    variables: Arc<Variables>,
    /// Name and value of the variable that is each call's own.
    own: (&'static str, String),
    memory: Arc<Mutex<Memory>>,
}

/// What one analysis asked, and learned.
#[derive(Default)]
struct Memory {
    seen: BTreeMap<Look, Seen>,
    kinds: Kinds,
}

impl fmt::Debug for World {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("World").finish_non_exhaustive()
    }
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    Locate {
        workdir: String,
        path: String,
    },
    Glob {
        workdir: String,
        pattern: String,
        limit: u32,
    },
    Which {
        workdir: String,
        program: String,
    },
    Read {
        workdir: String,
        path: String,
    },
}

/// Its answer, as far as a change of it matters.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Seen {
    Located(Located),
    Paths(Option<Vec<String>>),
    /// A program: its place, and which file lies there.
    Program(Option<(Located, Identity)>),
    /// A file's text, by its digest.
    Text(Option<[u8; 32]>),
}

/// Which file, and whether it was written to: device, inode, size, and time
/// of change in nanoseconds.
type Identity = Option<(u64, u64, u64, i128)>;

impl World {
    /// `variables` is the environment that the child gets, but for `own`: a
    /// name and this call's value of it.
    pub(crate) fn new(
        zones: Arc<Zones>,
        variables: Arc<Variables>,
        own: (&'static str, String),
    ) -> Self {
        Self {
            zones,
            variables,
            own,
            memory: Arc::default(),
        }
    }

    /// Where a directory lies; not part of what is looked at again.
    pub(crate) fn place(&self, path: &str) -> Location {
        let kinds = &mut Kinds::default();
        location(self.zones.locate(kinds, Path::new("/"), OsStr::new(path)))
    }

    /// The program that `name` runs, for a grant.
    pub(crate) fn program(&self, workdir: &str, name: &str) -> Option<Located> {
        self.which(&mut Kinds::default(), workdir, name)
    }

    fn which(&self, kinds: &mut Kinds, workdir: &str, name: &str) -> Option<Located> {
        let (workdir, name) = (Path::new(workdir), OsStr::new(name));
        self.zones.which(kinds, workdir, name, &self.variables.path)
    }

    /// What has changed since the decision, in words; none if it stands.
    pub(crate) fn changed(&self) -> Option<String> {
        // With eyes of their own: not what the analysis remembers.
        let mut kinds = Kinds::default();
        self.memory()
            .seen
            .iter()
            .find(|(look, before)| self.look(&mut kinds, look) != **before)
            .map(|(look, _)| look.to_string())
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(&self, kinds: &mut Kinds, look: &Look) -> Seen {
        match look {
            Look::Locate { workdir, path } => {
                let (workdir, path) = (Path::new(workdir), OsStr::new(path));
                Seen::Located(self.zones.locate(kinds, workdir, path))
            }
            Look::Glob {
                workdir,
                pattern,
                limit,
            } => {
                let limit = usize::try_from(*limit).unwrap_or(usize::MAX).min(QUESTIONS);
                Seen::Paths(self.zones.glob(Path::new(workdir), pattern, limit))
            }
            Look::Which { workdir, program } => {
                let found = self.which(kinds, workdir, program);
                Seen::Program(found.map(|located| {
                    let identity = identity(&located.path);
                    (located, identity)
                }))
            }
            Look::Read { workdir, path } => {
                let text = self.text(kinds, workdir, path);
                Seen::Text(digest(text.as_deref()))
            }
        }
    }

    fn text(&self, kinds: &mut Kinds, workdir: &str, path: &str) -> Option<String> {
        self.zones.read(kinds, Path::new(workdir), OsStr::new(path))
    }

    /// The answer to a question: the one it got before, or a new one. None
    /// when there were too many.
    fn ask(&self, look: Look) -> Option<Seen> {
        let memory = &mut *self.memory();
        if let Some(seen) = memory.seen.get(&look) {
            return Some(seen.clone());
        }
        if memory.seen.len() >= QUESTIONS {
            return None;
        }
        let seen = self.look(&mut memory.kinds, &look);
        memory.seen.insert(look, seen.clone());
        Some(seen)
    }
}

impl Workspace for World {
    fn locate(&mut self, workdir: &str, path: &str) -> Location {
        let look = Look::Locate {
            workdir: workdir.to_owned(),
            path: path.to_owned(),
        };
        match self.ask(look) {
            Some(Seen::Located(located)) => location(located),
            _ => Location {
                path: path.to_owned(),
                zone: Zone::Outside,
                // What is not there would be nothing to worry about.
                exists: true,
                rule: None,
            },
        }
    }

    fn glob(&mut self, workdir: &str, pattern: &str, limit: u32) -> Option<Vec<String>> {
        let look = Look::Glob {
            workdir: workdir.to_owned(),
            pattern: pattern.to_owned(),
            limit,
        };
        match self.ask(look) {
            Some(Seen::Paths(paths)) => paths,
            _ => None,
        }
    }

    fn which(&mut self, workdir: &str, program: &str) -> Option<Location> {
        let look = Look::Which {
            workdir: workdir.to_owned(),
            program: program.to_owned(),
        };
        match self.ask(look) {
            Some(Seen::Program(Some((located, _)))) => Some(location(located)),
            _ => None,
        }
    }

    fn variable(&mut self, name: &str) -> Option<String> {
        let (own, value) = &self.own;
        if name == *own {
            return Some(value.clone());
        }
        self.variables.known.get(name).cloned()
    }

    fn read(&mut self, workdir: &str, path: &str) -> Option<String> {
        let look = Look::Read {
            workdir: workdir.to_owned(),
            path: path.to_owned(),
        };
        let memory = &mut *self.memory();
        // The text itself is not kept, so it is read each time.
        let text = self.text(&mut memory.kinds, workdir, path);
        let seen = Seen::Text(digest(text.as_deref()));
        match memory.seen.get(&look) {
            Some(before) => text.filter(|_| *before == seen),
            None if memory.seen.len() >= QUESTIONS => None,
            None => {
                memory.seen.insert(look, seen);
                text
            }
        }
    }
}

impl fmt::Display for Look {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Locate { path, .. } => write!(formatter, "where {path} leads"),
            Self::Glob { pattern, .. } => write!(formatter, "what {pattern} fits"),
            Self::Which { program, .. } => write!(formatter, "the program {program}"),
            Self::Read { path, .. } => write!(formatter, "the file {path}"),
        }
    }
}

fn digest(text: Option<&str>) -> Option<[u8; 32]> {
    text.map(|text| Sha256::digest(text).into())
}

fn identity(path: &Path) -> Identity {
    let metadata = std::fs::metadata(path).ok()?;
    let changed = i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec());
    Some((metadata.dev(), metadata.ino(), metadata.size(), changed))
}

/// As the contract writes it. A path that is no UTF-8 keeps its zone; its
/// text is for people.
fn location(located: Located) -> Location {
    Location {
        path: located.path.to_string_lossy().into_owned(),
        zone: match located.zone {
            Kind::Harmless => Zone::Harmless,
            Kind::Protected => Zone::Protected,
            Kind::Artifact => Zone::Artifact,
            Kind::Workspace => Zone::Workspace,
            Kind::Temporary => Zone::Temporary,
            Kind::Outside => Zone::Outside,
        },
        exists: located.exists,
        rule: located.rule,
    }
}
