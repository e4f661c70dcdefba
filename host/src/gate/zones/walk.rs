//! Follows a path as the kernel would, link by link, without opening anything.
//! Knows no zone and no protected path.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;
use rustix::io::Errno;

/// As many links as the kernel follows in one path.
const MAX_LINKS: usize = 40;

/// No path of the kernel is longer, in bytes. Whoever gives a longer one, or
/// one that grows beyond it, is not followed.
const MAX_PATH: usize = 4096;

/// Steps in one walk, links included. Ends what many long links could cost.
const MAX_STEPS: usize = 4096;

/// Paths that [`Kinds`] remembers; more are asked for again.
const MAX_KINDS: usize = 4096;

/// What lies at paths, as it was when first seen: whoever looks with the same
/// one sees one state of things, and asks the system once for each folder.
#[derive(Debug, Default)]
pub struct Kinds(HashMap<PathBuf, Option<FileType>>);

impl Kinds {
    fn of(&mut self, path: &Path) -> Result<Option<FileType>, Errno> {
        if let Some(kind) = self.0.get(path) {
            return Ok(*kind);
        }
        let kind = kind_of(path)?;
        if self.0.len() < MAX_KINDS {
            self.0.insert(path.to_owned(), kind);
        }
        Ok(kind)
    }
}

/// Where a path led.
#[derive(Debug)]
pub(super) struct Walk {
    /// Absolute, without links, `.` and `..`; where nothing exists, as written.
    pub(super) path: PathBuf,
    /// What is there; none where nothing is.
    pub(super) kind: Option<FileType>,
    /// The links that were passed, each in its own real folder.
    pub(super) links: Vec<PathBuf>,
    /// Where the path itself is a link: that link.
    pub(super) last_link: Option<PathBuf>,
    /// It could not be followed to its end; the rest of `path` is only text.
    pub(super) lost: bool,
}

/// Follows `path`, which is absolute or relative to the absolute `workdir`.
pub(super) fn follow(kinds: &mut Kinds, workdir: &Path, path: &Path) -> Walk {
    let mut walker = Walker {
        kinds,
        workdir,
        steps: 0,
        walk: Walk {
            path: PathBuf::with_capacity(256),
            kind: Some(FileType::Directory),
            links: Vec::new(),
            last_link: None,
            lost: false,
        },
    };
    walker.walk.path.push("/");
    if !path.is_absolute() {
        walker.go(workdir.as_os_str().as_bytes());
        // The directory that a process stands in is no link.
        walker.walk.last_link = None;
    }
    walker.go(path.as_os_str().as_bytes());
    let Walker {
        kinds, mut walk, ..
    } = walker;
    if walk.lost {
        walk.kind = kinds.of(&walk.path).ok().flatten();
    }
    walk
}

struct Walker<'a> {
    kinds: &'a mut Kinds,
    workdir: &'a Path,
    steps: usize,
    walk: Walk,
}

impl Walker<'_> {
    /// Goes on from where the walk stands.
    fn go(&mut self, text: &[u8]) {
        if text.len() > MAX_PATH {
            self.walk.lost = true;
        }
        // Taken from the front. A link puts its target before what is left.
        let mut rest = text.to_vec();
        let mut at = 0;
        while let Some((name, after)) = component(&rest, at) {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                self.walk.lost = true;
            }
            let last = component(&rest, after).is_none();
            let target = match name {
                b"." => None,
                b".." => {
                    self.up();
                    None
                }
                name => self.down(OsStr::from_bytes(name), last),
            };
            match target {
                Some(mut target) => {
                    target.push(b'/');
                    target.extend_from_slice(rest.get(after..).unwrap_or_default());
                    if target.len() > 2 * MAX_PATH {
                        self.walk.lost = true;
                    }
                    rest = target;
                    at = 0;
                }
                None => at = after,
            }
        }
    }

    fn up(&mut self) {
        self.walk.path.pop();
        if !self.walk.lost {
            // Up from what does not exist something may exist again.
            self.walk.kind = self.kinds.of(&self.walk.path).ok().flatten();
        }
    }

    /// Takes one component. The text to go on with, where it is a link.
    fn down(&mut self, name: &OsStr, last: bool) -> Option<Vec<u8>> {
        let walk = &mut self.walk;
        walk.path.push(name);
        if walk.lost || walk.kind.is_none() {
            return None;
        }
        if walk.path.as_os_str().as_bytes().starts_with(b"/proc/") {
            return self.process_link();
        }
        match self.kinds.of(&walk.path) {
            Ok(Some(FileType::Symlink)) => self.link(last),
            Ok(kind) => {
                walk.kind = kind;
                None
            }
            Err(_) => {
                walk.lost = true;
                None
            }
        }
    }

    /// The walk stands on a link: back to its folder, and on with its target.
    fn link(&mut self, last: bool) -> Option<Vec<u8>> {
        let walk = &mut self.walk;
        if walk.links.len() >= MAX_LINKS {
            walk.lost = true;
            return None;
        }
        let Ok(target) = rustix::fs::readlink(walk.path.as_path(), Vec::new()) else {
            walk.lost = true;
            return None;
        };
        if last {
            walk.last_link.get_or_insert_with(|| walk.path.clone());
        }
        walk.links.push(walk.path.clone());
        let target = target.into_bytes();
        walk.path.pop();
        if target.first() == Some(&b'/') {
            walk.path.push("/");
        }
        walk.kind = Some(FileType::Directory);
        Some(target)
    }

    /// Below `/proc` the links speak of whoever looks, and this process is not
    /// the one that will: only the child's directory and root are known.
    fn process_link(&mut self) -> Option<Vec<u8>> {
        let walk = &mut self.walk;
        let target = match walk.path.as_os_str().as_bytes() {
            // Nothing is known yet.
            b"/proc/self" => return None,
            b"/proc/self/cwd" => self.workdir.as_os_str().as_bytes().to_vec(),
            b"/proc/self/root" => b"/".to_vec(),
            _ => {
                walk.lost = true;
                return None;
            }
        };
        // It counts as a link: a directory may be named by way of itself.
        if walk.links.len() >= MAX_LINKS {
            walk.lost = true;
            return None;
        }
        walk.links.push(walk.path.clone());
        walk.path.push("/");
        walk.kind = Some(FileType::Directory);
        Some(target)
    }
}

/// Whether a path is a folder or lies below it. Both are as [`Walk::path`] is;
/// then their bytes say the same as their components, much faster.
pub(super) fn lies_in(path: &Path, folder: &Path) -> bool {
    let path = path.as_os_str().as_bytes();
    let rest = path.strip_prefix(folder.as_os_str().as_bytes());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/") || folder.parent().is_none())
}

/// The component that begins at or after `at`, and where it ends.
fn component(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = text.get(at..)?;
    let start = rest.iter().position(|&byte| byte != b'/')?;
    let rest = rest.get(start..)?;
    let length = rest
        .iter()
        .position(|&byte| byte == b'/')
        .unwrap_or(rest.len());
    Some((rest.get(..length)?, at + start + length))
}

/// What a path is, links not followed; none where nothing is.
pub(super) fn kind_of(path: &Path) -> Result<Option<FileType>, Errno> {
    match rustix::fs::lstat(path) {
        Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(error) => Err(error),
    }
}
