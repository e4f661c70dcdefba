//! A host to test: the built command in a place of its own.
//!
//! The place is a fresh workspace `ws`; `OUT`, `home` and `xdg` are its
//! siblings. Nothing of the person who runs the tests is visible in it but
//! PATH, and nothing outlives the test but the shared compile cache.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::base;
use crate::program::{Ended, Program};
use crate::terminal::Terminal;

/// The command in a place of its own. Each method that fills the place does so
/// at once.
pub struct TestHost {
    binary: PathBuf,
    place: TempDir,
    setup_environment: Vec<(OsString, OsString)>,
    environment: Vec<(OsString, OsString)>,
    config: Option<PathBuf>,
}

impl TestHost {
    /// A place for `binary` with an empty workspace, no configuration, and an
    /// environment with PATH, LANG, TERM, USER, LOGNAME and SHELL.
    ///
    /// # Panics
    ///
    /// When the place cannot be made, here as in the methods below.
    #[must_use]
    pub fn new(binary: impl AsRef<Path>) -> Self {
        let place = tempfile::Builder::new()
            .prefix("case-")
            .tempdir_in(base::folder())
            .expect("a folder for the case");
        for name in ["ws", "home", "xdg/config", "xdg/data", "xdg/state"] {
            std::fs::create_dir_all(place.path().join(name)).expect("a folder of the case");
        }
        let mut host = Self {
            binary: binary.as_ref().to_owned(),
            place,
            setup_environment: Vec::new(),
            environment: Vec::new(),
            config: None,
        };
        let own = host.own_environment();
        host.setup_environment = usual_environment().chain(own).collect();
        host.environment.clone_from(&host.setup_environment);
        host
    }

    fn own_environment(&self) -> Vec<(OsString, OsString)> {
        let path = self.place.path();
        vec![
            ("HOME".into(), path.join("home").into()),
            ("XDG_CONFIG_HOME".into(), path.join("xdg/config").into()),
            ("XDG_DATA_HOME".into(), path.join("xdg/data").into()),
            ("XDG_STATE_HOME".into(), path.join("xdg/state").into()),
            ("XDG_CACHE_HOME".into(), base::cache().into()),
        ]
    }

    /// The workspace.
    #[must_use]
    pub fn ws(&self) -> PathBuf {
        self.place.path().join("ws")
    }

    /// A path in the workspace.
    #[must_use]
    pub fn at(&self, name: &str) -> PathBuf {
        self.ws().join(name)
    }

    /// The folder that holds the workspace and its siblings.
    #[must_use]
    pub fn place(&self) -> &Path {
        self.place.path()
    }

    /// The environment of the command.
    #[must_use]
    pub fn environment(&self) -> &[(OsString, OsString)] {
        &self.environment
    }

    /// The file that each start names with `--config`.
    #[must_use]
    pub fn config_file(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// The user's configuration folder of bashgate.
    #[must_use]
    pub fn config_folder(&self) -> PathBuf {
        self.place.path().join("xdg/config/bashgate")
    }

    /// Writes a file, and the folders above it, into the workspace.
    #[must_use]
    pub fn file(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        write(&self.at(name), text.as_ref(), 0o644);
        self
    }

    /// The same, and makes it executable.
    #[must_use]
    pub fn executable(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        write(&self.at(name), text.as_ref(), 0o755);
        self
    }

    /// Makes a folder in the workspace.
    #[must_use]
    pub fn dir(self, name: &str) -> Self {
        std::fs::create_dir_all(self.at(name)).expect("a folder in the workspace");
        self
    }

    /// Makes a symbolic link in the workspace.
    #[must_use]
    pub fn link(self, name: &str, target: &str) -> Self {
        symlink(target, self.at(name)).expect("a link in the workspace");
        self
    }

    /// Makes the workspace's sibling `OUT`.
    #[must_use]
    pub fn outside(self) -> Self {
        std::fs::create_dir_all(self.place.path().join("OUT")).expect("a folder outside");
        self
    }

    /// Makes the workspace a git repository with all that is there committed.
    #[must_use]
    pub fn git(self) -> Self {
        self.shell(
            "git init -q && git symbolic-ref HEAD refs/heads/main && git config user.name case && \
             git config user.email case@example.org && git add -A && \
             git commit -q --allow-empty -m one",
        )
    }

    /// Runs a script in the workspace, without bashgate.
    #[must_use]
    pub fn shell(self, script: &str) -> Self {
        let status = Command::new("bash")
            .args(["-c", script])
            .current_dir(self.ws())
            .env_clear()
            .envs(self.setup_environment.iter().cloned())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .expect("bash starts");
        assert!(
            status.success(),
            "the set-up `{script}` ended with {status}"
        );
        self
    }

    /// Sets a variable of the command's own environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment
            .push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// Leaves HOME and XDG alone in the command's environment.
    #[must_use]
    pub fn env_clear(mut self) -> Self {
        self.environment = self.own_environment();
        self
    }

    /// Writes the file that each start names with `--config`.
    #[must_use]
    pub fn config(mut self, toml: &str) -> Self {
        let path = self.place.path().join("config.toml");
        write(&path, toml.as_bytes(), 0o644);
        self.config = Some(path);
        self
    }

    /// Writes the user's own configuration file.
    #[must_use]
    pub fn user_config(self, toml: &str) -> Self {
        let path = self.config_folder().join("config.toml");
        write(&path, toml.as_bytes(), 0o644);
        self
    }

    /// Writes the project's configuration file.
    #[must_use]
    pub fn project_config(self, toml: &str) -> Self {
        self.file(".bashgate/config.toml", toml)
    }

    /// A start of the command in the workspace, with `--config` behind the
    /// sub-command where there is one.
    #[must_use]
    pub fn bashgate<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Program {
        let arguments = arguments.into_iter();
        let mut all: Vec<OsString> = arguments
            .map(|argument| argument.as_ref().to_owned())
            .collect();
        if let Some(config) = &self.config {
            let at = all.len().min(1);
            all.splice(at..at, ["--config".into(), config.clone().into()]);
        }
        Program::new(&self.binary, &self.ws(), &self.environment).args(all)
    }

    /// Runs the command to its end.
    #[must_use]
    pub fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Ended {
        self.bashgate(arguments).run()
    }

    /// Starts the command on a terminal.
    #[must_use]
    pub fn terminal<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Terminal {
        Terminal::start(&self.bashgate(arguments))
    }
}

fn usual_environment() -> impl Iterator<Item = (OsString, OsString)> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let fixed = [
        ("LANG", "C.UTF-8"),
        ("TERM", "xterm"),
        ("USER", "case"),
        ("LOGNAME", "case"),
        ("SHELL", "/bin/bash"),
    ];
    let fixed = fixed
        .into_iter()
        .map(|(name, value)| (name.into(), value.into()));
    std::iter::once(("PATH".into(), path)).chain(fixed)
}

fn write(path: &Path, bytes: &[u8], mode: u32) {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).expect("a folder for the file");
    }
    std::fs::write(path, bytes).expect("a file of the case");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("its mode");
}
