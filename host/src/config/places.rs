//! The folders of one start: workspace, home, bashgate's own. Reads only the
//! environment that it is given.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};

/// Names and values, as a process gets them.
pub type Environment = BTreeMap<OsString, OsString>;

/// Temporary directories beside `$TMPDIR`.
const TEMPORARY: &[&str] = &["/tmp", "/var/tmp", "/dev/shm"];

/// As many links as Linux follows in one path.
const MOST_LINKS: usize = 40;

/// Where things are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The workspace, links resolved.
    pub root: PathBuf,
    /// The home directory.
    pub home: PathBuf,
    /// The directory that relative paths start from, links resolved.
    pub cwd: PathBuf,
    /// `$XDG_CONFIG_HOME/bashgate`: configuration, lasting approvals.
    pub config: PathBuf,
    /// `$XDG_CACHE_HOME/bashgate`: compiled guests.
    pub cache: PathBuf,
    /// `$XDG_DATA_HOME/bashgate`: output too long to be shown.
    pub data: PathBuf,
    /// `$XDG_STATE_HOME/bashgate`: records.
    pub state: PathBuf,
    /// Temporary directories, links not resolved.
    pub temporary: Vec<PathBuf>,
}

/// Why the folders cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum PlacesError {
    /// `HOME` is missing or relative.
    #[error("HOME is {problem}; set it to your home directory")]
    Home {
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A directory that is not there, or is none.
    #[error("the {what} {path} {problem}; name a directory that exists", path = .path.display())]
    Directory {
        /// What it is for.
        what: &'static str,
        /// The directory.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

impl Places {
    /// Takes the folders from an environment. `cwd` is absolute; `root` absolute
    /// or relative to it, default what [`discover_root`] finds. Of the bases
    /// that XDG names, a relative one counts as not set.
    ///
    /// # Errors
    ///
    /// No usable `HOME`, or a directory that cannot be entered.
    pub fn find(
        environment: &Environment,
        cwd: &Path,
        root: Option<&Path>,
    ) -> Result<Self, PlacesError> {
        let home = match environment.get(OsStr::new("HOME")).map(Path::new) {
            None => return Err(PlacesError::Home { problem: "not set" }),
            Some(home) if !home.is_absolute() => {
                let problem = "not an absolute path";
                return Err(PlacesError::Home { problem });
            }
            Some(home) => home.to_path_buf(),
        };
        let absolute = |name: &str| {
            let value = environment.get(OsStr::new(name)).map(PathBuf::from);
            value.filter(|path| path.is_absolute())
        };
        let own = |name: &str, default: &str| {
            let base = absolute(name).unwrap_or_else(|| home.join(default));
            base.join("bashgate")
        };
        let cwd = real_directory("current directory", cwd)?;
        let root = match root {
            Some(root) => real_directory("workspace", &cwd.join(root))?,
            None => discover_root(&cwd),
        };
        let mut temporary: Vec<PathBuf> = TEMPORARY.iter().map(PathBuf::from).collect();
        if let Some(folder) = absolute("TMPDIR")
            && !is_too_wide(&folder, &home)
            && !temporary.contains(&folder)
        {
            temporary.push(folder);
        }
        Ok(Self {
            config: own("XDG_CONFIG_HOME", ".config"),
            cache: own("XDG_CACHE_HOME", ".cache"),
            data: own("XDG_DATA_HOME", ".local/share"),
            state: own("XDG_STATE_HOME", ".local/state"),
            root,
            home,
            cwd,
            temporary,
        })
    }

    /// The user's configuration file.
    #[must_use]
    pub fn user_config(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The configuration file that comes with the project.
    #[must_use]
    pub fn project_config(&self) -> PathBuf {
        self.root.join(".bashgate/config.toml")
    }

    /// Whether who may write below the root decides what an absolute path leads
    /// to: it lies there, or a link on the way does.
    #[must_use]
    pub fn is_below_root(&self, path: &Path) -> bool {
        if lexically_normal(path).starts_with(&self.root) {
            return true;
        }
        let mut links = 0;
        let mut left: Vec<OsString> = names_last_first(path);
        let mut at = PathBuf::from("/");
        while let Some(name) = left.pop() {
            if name == ".." {
                at.pop();
                continue;
            }
            at.push(name);
            if at.starts_with(&self.root) {
                return true;
            }
            let Ok(target) = std::fs::read_link(&at) else {
                continue;
            };
            links += 1;
            if links > MOST_LINKS {
                // Nothing can be loaded from there, and nothing is known of it.
                return true;
            }
            at.pop();
            if target.is_absolute() {
                at = PathBuf::from("/");
            }
            left.extend(names_last_first(&target));
        }
        false
    }
}

/// The git top level that a directory lies in, else the directory itself.
#[must_use]
pub fn discover_root(from: &Path) -> PathBuf {
    let is_top_level = |folder: &&Path| {
        let git = folder.join(".git");
        git.is_file() || git.join("HEAD").exists()
    };
    let top_level = from.ancestors().find(is_top_level);
    top_level.unwrap_or(from).to_path_buf()
}

/// A path without `.` and `..`, by its text alone.
pub(crate) fn lexically_normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                normal.push(component);
            }
        }
    }
    normal
}

fn names_last_first(path: &Path) -> Vec<OsString> {
    let names = path
        .components()
        .rev()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
        });
    names.collect()
}

/// A temporary directory that holds all there is, or the home, is none.
fn is_too_wide(folder: &Path, home: &Path) -> bool {
    let folder = lexically_normal(folder);
    folder.parent().is_none() || lexically_normal(home).starts_with(&folder)
}

fn real_directory(what: &'static str, path: &Path) -> Result<PathBuf, PlacesError> {
    let error = |problem: String| PlacesError::Directory {
        what,
        path: path.to_path_buf(),
        problem,
    };
    let real = path.canonicalize().map_err(|source| {
        error(match source.kind() {
            io::ErrorKind::NotFound => "is not there".to_owned(),
            _ => format!("cannot be entered: {source}"),
        })
    })?;
    if real.is_dir() {
        Ok(real)
    } else {
        Err(error("is not a directory".to_owned()))
    }
}
