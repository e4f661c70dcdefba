//! The file of lasting approvals: read with suspicion, written whole or not at
//! all. Knows not whether a grant still holds.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, CWD, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::{Access, Grant, Judge, Program, Scope};

const NAME: &str = "approvals.toml";

const HEADER: &str = "\
# What you approved for good. `bashgate approvals list` shows it,
# `bashgate approvals revoke ID` ends one.

";

/// The longest file that is read or written, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// How long a change waits for another one.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// How often it looks.
const LOCK_POLL: Duration = Duration::from_millis(5);

/// Why lasting approvals cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalsError {
    /// The file cannot be read.
    #[error("{}: {source}; no lasting approval is in force", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file cannot be changed; what it said before still holds.
    #[error("{} cannot be changed: {source}; make its folder one that you may write", path.display())]
    Unchanged {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another than the user may have written the file.
    #[error("{}: {problem}; no lasting approval is in force; {fix}", path.display())]
    Unsafe {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
        /// What helps.
        fix: String,
    },
    /// The file is not understood.
    #[error("{}: {problem}; no lasting approval is in force; repair it, or remove the file", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is not understood, on one line.
        problem: String,
    },
    /// Somebody else has been changing the approvals for too long.
    #[error("{}: another bashgate has been changing it for 5 s; try again when it is done", .0.display())]
    Locked(PathBuf),
    /// There would be too many.
    #[error("{} would be over 1 MiB; `bashgate approvals revoke` ends old ones", .0.display())]
    Full(PathBuf),
    /// This one cannot be written in a text file.
    #[error("this approval cannot be kept: {0}")]
    Unwritable(String),
    /// No id can be made.
    #[error("the system gives no random bytes for an approval's id: {0}")]
    Random(getrandom::Error),
}

/// The lasting approvals of a user, in `approvals.toml` in a folder.
///
/// What was read is kept until the file is another one, has another length or
/// other times.
#[derive(Debug)]
pub struct Approvals {
    folder: PathBuf,
    cache: Mutex<Option<(Stamp, Arc<Vec<Grant>>)>>,
}

/// Whether a file is still the one that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    mode: u32,
    owner: u32,
}

impl Approvals {
    /// Those in this folder. Touches nothing yet.
    pub fn at(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            cache: Mutex::new(None),
        }
    }

    /// The file, which need not exist.
    pub fn path(&self) -> PathBuf {
        self.folder.join(NAME)
    }

    /// All of them, in the order they were given; those too that no longer
    /// hold. No file: none.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is not the user's own, or is not
    /// understood. Then no lasting approval may be taken as given.
    pub fn list(&self) -> Result<Arc<Vec<Grant>>, ApprovalsError> {
        let path = self.path();
        let stat = match std::fs::symlink_metadata(&path) {
            Ok(metadata) => Stamp::of(&metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.remember(None);
                return Ok(Arc::default());
            }
            Err(source) => return Err(ApprovalsError::Io { path, source }),
        };
        if let Some((stamp, grants)) = &*self.cache()
            && *stamp == stat
        {
            return Ok(Arc::clone(grants));
        }
        self.remember(None);
        let Some((stamp, text)) = read(&path)? else {
            return Ok(Arc::default());
        };
        let grants = Arc::new(parse(&path, &text)?);
        self.remember(Some((stamp, Arc::clone(&grants))));
        Ok(grants)
    }

    /// Keeps one. The same scope again, from the same guest in the same root,
    /// takes the place of the older.
    ///
    /// # Errors
    ///
    /// When the file cannot be read (see [`list`](Self::list)) or written, or
    /// the grant cannot be put in words.
    pub fn add(&self, grant: &Grant) -> Result<(), ApprovalsError> {
        self.change(|grants| {
            grants.retain(|kept| {
                kept.scope != grant.scope
                    || kept.root != grant.root
                    || kept.guest.name != grant.guest.name
            });
            grants.push(grant.clone());
        })
    }

    /// Ends one; none where no grant has this id.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written.
    pub fn revoke(&self, id: &str) -> Result<Option<Grant>, ApprovalsError> {
        if !self.list()?.iter().any(|grant| grant.id == id) {
            return Ok(None);
        }
        self.change(|grants| {
            let at = grants.iter().position(|grant| grant.id == id)?;
            Some(grants.remove(at))
        })
    }

    /// Ends all, and says how many there were.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written.
    pub fn clear(&self) -> Result<usize, ApprovalsError> {
        if self.list()?.is_empty() {
            return Ok(0);
        }
        self.change(|grants| std::mem::take(grants).len())
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, Option<(Stamp, Arc<Vec<Grant>>)>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, read: Option<(Stamp, Arc<Vec<Grant>>)>) {
        *self.cache() = read;
    }

    /// Reads, changes and writes while no other process does.
    fn change<T>(&self, change: impl FnOnce(&mut Vec<Grant>) -> T) -> Result<T, ApprovalsError> {
        let _lock = self.lock()?;
        let path = self.path();
        let mut grants = match read(&path)? {
            Some((_, text)) => parse(&path, &text)?,
            None => Vec::new(),
        };
        let result = change(&mut grants);
        let text = written(&grants)?;
        if text.len() as u64 > MAX_BYTES {
            return Err(ApprovalsError::Full(path));
        }
        self.replace(&text)
            .map_err(|source| ApprovalsError::Unchanged { path, source })?;
        self.remember(None);
        Ok(result)
    }

    /// The folder, made when needed and locked until the file is closed. The
    /// lock is on the folder, as the file itself is replaced.
    fn lock(&self) -> Result<File, ApprovalsError> {
        let failed = |source| ApprovalsError::Unchanged {
            path: self.path(),
            source,
        };
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.folder)
            .map_err(failed)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(&self.folder, flags, Mode::empty())
            .map_err(|error| failed(error.into()))?;
        let deadline = Instant::now() + LOCK_WAIT;
        loop {
            match rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(File::from(folder)),
                Err(Errno::WOULDBLOCK | Errno::INTR) if Instant::now() < deadline => {
                    std::thread::sleep(LOCK_POLL);
                }
                Err(Errno::WOULDBLOCK | Errno::INTR) => {
                    return Err(ApprovalsError::Locked(self.path()));
                }
                Err(error) => return Err(failed(error.into())),
            }
        }
    }

    /// Puts a new file in the place of the old one.
    fn replace(&self, text: &str) -> io::Result<()> {
        let new = self.folder.join(format!(".{NAME}.new"));
        // Under the lock it can only be left from a process that died.
        match rustix::fs::unlinkat(CWD, &new, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::open(&new, flags, Mode::RUSR | Mode::WUSR)?);
        let done = file
            .write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .and_then(|()| std::fs::rename(&new, self.path()));
        if done.is_err() {
            // The first failure is the one to tell.
            let _ = std::fs::remove_file(&new);
        }
        done
    }
}

impl Stamp {
    fn of(metadata: &std::fs::Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            mode: metadata.mode(),
            owner: metadata.uid(),
        }
    }
}

/// The text of the file, if there is one that only the user may have written.
fn read(path: &Path) -> Result<Option<(Stamp, String)>, ApprovalsError> {
    let failed = |source| ApprovalsError::Io {
        path: path.to_owned(),
        source,
    };
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) => return Ok(None),
        Err(Errno::LOOP) => {
            return Err(refused(
                path,
                "it is a symbolic link",
                "put the file itself there",
            ));
        }
        Err(error) => return Err(failed(error.into())),
    };
    let metadata = file.metadata().map_err(failed)?;
    own(path, &metadata)?;
    let too_long = || refused(path, "it is over 1 MiB", "move it away, or shorten it");
    if metadata.len() > MAX_BYTES {
        return Err(too_long());
    }
    let mut text = Vec::new();
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut text)
        .map_err(failed)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(too_long());
    }
    let text = String::from_utf8(text).map_err(|error| broken(path, &error))?;
    Ok(Some((Stamp::of(&metadata), text)))
}

/// Refuses what another may have written.
fn own(path: &Path, metadata: &std::fs::Metadata) -> Result<(), ApprovalsError> {
    let user = rustix::process::geteuid().as_raw();
    let shown = path.display();
    if !metadata.is_file() {
        return Err(refused(
            path,
            "it is not a regular file",
            "move it away; a new one is made when needed",
        ));
    }
    if metadata.uid() != user {
        let problem = format!("it belongs to user {}, not to you ({user})", metadata.uid());
        return Err(refused(
            path,
            &problem,
            "look at what it says, then make it yours",
        ));
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(refused(
            path,
            "others may write it",
            &format!("look at what it says, then `chmod 600 '{shown}'`"),
        ));
    }
    Ok(())
}

fn refused(path: &Path, problem: &str, fix: &str) -> ApprovalsError {
    ApprovalsError::Unsafe {
        path: path.to_owned(),
        problem: problem.to_owned(),
        fix: fix.to_owned(),
    }
}

fn broken(path: &Path, problem: &dyn std::fmt::Display) -> ApprovalsError {
    ApprovalsError::Broken {
        path: path.to_owned(),
        problem: problem.to_string(),
    }
}

/// The file as written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    grant: Vec<Entry>,
}

/// A grant as written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    command: Option<Vec<String>>,
    path: Option<String>,
    access: Option<Access>,
    guest: String,
    rules: String,
    given: String,
    root: PathBuf,
    program: Option<PathBuf>,
    program_sha256: Option<String>,
}

fn parse(path: &Path, text: &str) -> Result<Vec<Grant>, ApprovalsError> {
    let document: Document = toml::from_str(text).map_err(|error| {
        let line = error.span().and_then(|span| {
            let before = text.as_bytes().get(..span.start)?;
            Some(1 + before.iter().filter(|&&byte| byte == b'\n').count())
        });
        let message = error.message().replace('\n', ", ");
        match line {
            Some(line) => broken(path, &format_args!("line {line}: {message}")),
            None => broken(path, &message),
        }
    })?;
    let grants = document.grant.into_iter().enumerate();
    grants
        .map(|(index, entry)| {
            entry.grant().map_err(|problem| {
                broken(
                    path,
                    &format_args!("[[grant]] number {}: {problem}", index + 1),
                )
            })
        })
        .collect()
}

fn written(grants: &[Grant]) -> Result<String, ApprovalsError> {
    // What could not be read again would end all the others.
    for grant in grants {
        Entry::of(grant)
            .grant()
            .map_err(|problem| ApprovalsError::Unwritable(problem.to_owned()))?;
    }
    let document = Document {
        grant: grants.iter().map(Entry::of).collect(),
    };
    let body = toml::to_string(&document)
        .map_err(|error| ApprovalsError::Unwritable(error.to_string()))?;
    Ok(format!("{HEADER}{body}"))
}

impl Entry {
    fn of(grant: &Grant) -> Self {
        let (command, path, access) = match &grant.scope {
            Scope::Command(words) => (Some(words.clone()), None, None),
            Scope::Path { path, access } => (None, Some(path.clone()), Some(*access)),
        };
        let program = grant.program.as_ref();
        Self {
            id: grant.id.clone(),
            command,
            path,
            access,
            guest: grant.guest.name.clone(),
            rules: grant.guest.rules.clone(),
            given: grant.given.clone(),
            root: grant.root.clone(),
            program: program.map(|program| program.path.clone()),
            program_sha256: program.and_then(|program| program.sha256.clone()),
        }
    }

    /// Nothing is guessed: what a person changed by hand must still be whole.
    fn grant(self) -> Result<Grant, &'static str> {
        let scope = match (self.command, self.path, self.access) {
            (Some(words), None, None) if words.first().is_some_and(|word| !word.is_empty()) => {
                Scope::Command(words)
            }
            (Some(_), None, None) => return Err("`command` names no program"),
            (None, Some(path), Some(access)) if path.starts_with('/') => {
                Scope::Path { path, access }
            }
            (None, Some(_), Some(_)) => return Err("`path` is not absolute"),
            _ => return Err("it needs either `command`, or `path` and `access`"),
        };
        let program = match (self.program, self.program_sha256) {
            (Some(path), sha256) => Some(Program { path, sha256 }),
            (None, None) => None,
            (None, Some(_)) => return Err("`program_sha256` without `program`"),
        };
        if self.id.is_empty() {
            return Err("`id` is empty");
        }
        Ok(Grant {
            id: self.id,
            scope,
            guest: Judge {
                name: self.guest,
                rules: self.rules,
            },
            given: self.given,
            root: self.root,
            program,
        })
    }
}
