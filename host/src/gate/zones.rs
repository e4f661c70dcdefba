//! The host's side of the contract's `workspace`: where a path leads, and which
//! zone that is. Knows no command.
//!
//! A path is followed as the kernel would, link by link, as far as it exists;
//! what does not exist is appended, and `..` goes up from where the links led.
//! What it cannot follow (a link of another process below `/proc`, a folder that
//! may not be searched, too many links) is `outside`, whatever its text says.
//!
//! A hard link cannot be seen: a file outside that has a second name inside is
//! taken for one inside. Only a sandbox, or another file system for the
//! workspace, holds that.

mod file;
mod glob;
mod guard;
mod walk;

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use rustix::fs::FileType;

use crate::config::Places;
use crate::settings::Protected;
use guard::Guards;
pub use walk::Kinds;
use walk::Walk;

/// What a path is to the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Zone {
    /// `/dev/null`, the standard streams.
    Harmless,
    /// Fits `protected_paths`.
    Protected,
    /// Output that this session saved.
    Artifact,
    /// Below the root.
    Workspace,
    /// Below a temporary directory.
    Temporary,
    /// Elsewhere.
    Outside,
}

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Absolute, symbolic links resolved. Where a path *is* a link that lies in
    /// a less trusted zone than its target, the place of the link.
    pub path: PathBuf,
    /// The first zone that fits.
    pub zone: Zone,
    /// Whether something is there.
    pub exists: bool,
    /// For a protected path the pattern that fits; for a path with a protected
    /// one below it `contains <that path>`.
    pub rule: Option<String>,
}

/// The zones of a session.
///
/// Made once for each [`Settings`](crate::settings::Settings) and session: the
/// protected paths are resolved then, which takes some microseconds for each.
/// Nothing else is remembered between calls.
#[derive(Debug)]
pub struct Zones {
    root: PathBuf,
    artifacts: Option<PathBuf>,
    temporary: Vec<PathBuf>,
    guards: Guards,
}

impl Zones {
    /// `artifacts` is the folder of this session's saved output.
    pub fn new(places: &Places, protected: &[Protected], artifacts: Option<&Path>) -> Self {
        let real = |path: &Path| walk::follow(&mut Kinds::default(), Path::new("/"), path).path;
        let root = real(&places.root);
        let home = real(&places.home);
        let mut temporary: Vec<PathBuf> = places.temporary.iter().map(|path| real(path)).collect();
        // One that a link turns into all there is, or that holds the user's own
        // files, is no temporary directory.
        temporary.retain(|path| path.parent().is_some() && !home.starts_with(path));
        Self {
            guards: Guards::new(&root, protected),
            root,
            artifacts: artifacts.map(real),
            temporary,
        }
    }

    /// Where a path leads. `workdir` is absolute; `path` absolute or relative
    /// to it, with neither `~` nor wildcards.
    pub fn locate(&self, kinds: &mut Kinds, workdir: &Path, path: &OsStr) -> Located {
        let path = Path::new(path);
        if let Some(stream) = standard_stream(path) {
            return Located {
                path: stream,
                zone: Zone::Harmless,
                exists: true,
                rule: None,
            };
        }
        self.classify(walk::follow(kinds, workdir, path))
    }

    /// The file that a program's name runs: with a slash in it the path itself,
    /// without one the first executable file on `path_variable`. Its empty and
    /// relative elements are passed over.
    pub fn which(
        &self,
        kinds: &mut Kinds,
        workdir: &Path,
        program: &OsStr,
        path_variable: &OsStr,
    ) -> Option<Located> {
        let found = file::which(workdir, program, path_variable)?;
        // What runs is what the link leads to, wherever the link lies.
        Some(self.classify(Walk {
            last_link: None,
            ..walk::follow(kinds, workdir, &found)
        }))
    }

    /// The paths that a wildcard pattern fits, as bash would put them in its
    /// place: `*`, `?` and `[…]`, a leading dot only where it is written, no
    /// `globstar`, sorted. A backslash takes the meaning from the next
    /// character. Nothing fits: an empty list.
    ///
    /// `None` where that cannot be told: more than `limit` paths, too many
    /// entries to read, a name that is no UTF-8, a pattern of a kind that is
    /// not known here.
    pub fn glob(&self, workdir: &Path, pattern: &str, limit: usize) -> Option<Vec<String>> {
        glob::expand(workdir, pattern, limit)
    }

    /// The text of a regular file under the root, at most 64 KiB of UTF-8.
    /// Never waits and follows no link that came after it was resolved.
    pub fn read(&self, kinds: &mut Kinds, workdir: &Path, path: &OsStr) -> Option<String> {
        let walk = walk::follow(kinds, workdir, Path::new(path));
        let may = !walk.lost
            && walk.kind == Some(FileType::RegularFile)
            && walk::lies_in(&walk.path, &self.root);
        if may { file::read(&walk.path) } else { None }
    }

    fn classify(&self, walk: Walk) -> Located {
        let exists = walk.kind.is_some();
        // What is reached through a protected link is protected, wherever the
        // link leads.
        let through = walk
            .links
            .iter()
            .find_map(|link| self.guards.covering(link, None));
        let artifacts = self.artifacts.as_deref();
        if let Some(pattern) = through.or_else(|| self.guards.covering(&walk.path, artifacts)) {
            let rule = Some(pattern.to_owned());
            return Located {
                path: walk.path,
                zone: Zone::Protected,
                exists,
                rule,
            };
        }
        let zone = if walk.lost {
            Zone::Outside
        } else {
            self.zone_of(&walk.path)
        };
        let rule = (walk.kind == Some(FileType::Directory))
            .then(|| self.guards.inside(&walk.path))
            .flatten()
            .map(|inner| format!("contains {}", inner.display()));
        match walk.last_link.map(|link| (self.zone_of(&link), link)) {
            Some((of_link, link)) if distrust(of_link) > distrust(zone) => Located {
                path: link,
                zone: of_link,
                exists: true,
                rule,
            },
            _ => Located {
                path: walk.path,
                zone,
                exists,
                rule,
            },
        }
    }

    /// The zone of a resolved path that is not protected.
    fn zone_of(&self, path: &Path) -> Zone {
        if standard_stream(path).is_some() {
            Zone::Harmless
        } else if self
            .artifacts
            .as_deref()
            .is_some_and(|folder| walk::lies_in(path, folder))
        {
            Zone::Artifact
        } else if walk::lies_in(path, &self.root) {
            Zone::Workspace
        } else if self
            .temporary
            .iter()
            .any(|folder| walk::lies_in(path, folder))
        {
            Zone::Temporary
        } else {
            Zone::Outside
        }
    }
}

/// How far a zone is from being the session's own.
fn distrust(zone: Zone) -> u8 {
    match zone {
        Zone::Harmless => 0,
        Zone::Workspace => 1,
        Zone::Artifact => 2,
        Zone::Temporary => 3,
        Zone::Outside => 4,
        Zone::Protected => 5,
    }
}

/// The standard streams and the null device, by their names alone: `/dev/fd/3`
/// resolved by this process would be a file of this process.
fn standard_stream(path: &Path) -> Option<PathBuf> {
    let mut components = path.components();
    let absolute = components.next() == Some(Component::RootDir)
        && components.next() == Some(Component::Normal(OsStr::new("dev")));
    let Some(Component::Normal(name)) = components.next().filter(|_| absolute) else {
        return None;
    };
    let fits = match (name.to_str()?, components.next(), components.next()) {
        ("null" | "stdin" | "stdout" | "stderr", None, None) => true,
        ("fd", Some(Component::Normal(number)), None) => {
            let digits = number.as_encoded_bytes();
            !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    };
    // By components, so that `/dev//null` is itself.
    fits.then(|| path.components().collect())
}

#[cfg(test)]
mod tests;
