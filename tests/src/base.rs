//! Where the tests make their workspaces.
//!
//! Not in a temporary directory, because that is a zone of its own in every
//! decision; not in a git repository either, because some of what the tests
//! run would then act on that one.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Overrides the folder.
const VARIABLE: &str = "BASHGATE_TEST_DIR";

/// The folder that all workspaces of the tests lie in:
/// `$BASHGATE_TEST_DIR`, else `bashgate-cases` in the user's cache folder.
///
/// # Panics
///
/// When it lies in a temporary directory or in a git repository, or cannot be
/// made; says what to set.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = wanted();
        std::fs::create_dir_all(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}; set {VARIABLE}", folder.display()));
        let folder = folder.canonicalize().expect("a folder that was just made");
        if let Some(problem) = problem(&folder) {
            panic!(
                "{} {problem}; set {VARIABLE} to a folder that does not",
                folder.display()
            );
        }
        folder
    })
}

/// The compile cache that all tests share, so that each guest is compiled once.
pub fn cache() -> PathBuf {
    folder().join("cache")
}

fn wanted() -> PathBuf {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(folder) = variable(VARIABLE) {
        return PathBuf::from(folder);
    }
    let cache = variable("XDG_CACHE_HOME").map(PathBuf::from).or_else(|| {
        let home = variable("HOME")?;
        Some(PathBuf::from(home).join(".cache"))
    });
    cache
        .unwrap_or_else(|| panic!("neither {VARIABLE} nor HOME is set"))
        .join("bashgate-cases")
}

fn problem(folder: &Path) -> Option<&'static str> {
    let temporary = [
        std::env::temp_dir(),
        "/tmp".into(),
        "/var/tmp".into(),
        "/dev/shm".into(),
    ];
    if temporary.iter().any(|one| folder.starts_with(one)) {
        return Some("lies in a temporary directory");
    }
    folder
        .ancestors()
        .any(|above| above.join(".git").exists())
        .then_some("lies in a git repository")
}
