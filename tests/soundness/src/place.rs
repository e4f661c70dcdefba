//! Where scripts run: a temporary folder with all that they may find, and
//! nothing else on PATH.
//!
//! The names in here are those that `generate` writes.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::generate::{NON_ASCII_PROGRAMS, PROGRAMS};

/// Real programs that scripts may run: none of them deletes, connects or
/// changes anything but the files that a script names.
const TOOLS: [&str; 14] = [
    "bash", "cat", "cp", "dash", "env", "find", "flock", "nice", "nohup", "setsid", "sh", "stdbuf",
    "timeout", "xargs",
];
/// Builtins that are programs too.
const BOTH: [&str; 5] = ["echo", "printf", "test", "tee", "true"];
/// Programs that the files of the workspace run.
const QUOTED: [&str; 4] = ["q0", "q1", "q2", "q3"];

/// The folder of a whole campaign. It is removed with this.
pub struct Place {
    folder: TempDir,
}

impl Place {
    /// Makes it in the system's temporary folder.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn make() -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("bashgate-soundness-")
            .tempdir()
            .context("no temporary folder")?;
        let place = Self { folder };
        place
            .fill()
            .with_context(|| format!("{} cannot be filled", place.folder.path().display()))?;
        Ok(place)
    }

    fn fill(&self) -> io::Result<()> {
        let bin = self.programs();
        fs::create_dir_all(&bin)?;
        let (yes, no) = (found("true")?, found("false")?);
        for number in 0..PROGRAMS {
            // Some fail, so that both ways of a condition are taken.
            let program = if number % 10 >= 8 { &no } else { &yes };
            symlink(program, bin.join(format!("p{number}")))?;
        }
        for number in 0..NON_ASCII_PROGRAMS {
            symlink(&yes, bin.join(format!("p\u{e9}{number}")))?;
        }
        for name in QUOTED {
            symlink(&yes, bin.join(name))?;
        }
        for name in TOOLS.into_iter().chain(BOTH) {
            // A machine may lack one: what would run it then runs nothing.
            if let Ok(program) = found(name) {
                symlink(program, bin.join(name))?;
            }
        }
        Ok(())
    }

    /// The only folder on PATH.
    #[must_use]
    pub fn programs(&self) -> PathBuf {
        self.folder.path().join("bin")
    }

    /// What hosts keep between runs of one campaign.
    #[must_use]
    pub fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    /// The folder of one worker.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn room(&self, worker: usize) -> Result<Room> {
        let room = Room {
            folder: self.folder.path().join(format!("worker-{worker}")),
            programs: self.programs(),
        };
        room.make()
            .with_context(|| format!("{} cannot be filled", room.folder.display()))?;
        Ok(room)
    }
}

/// Where one worker runs scripts, one after the other.
#[derive(Debug, Clone)]
pub struct Room {
    folder: PathBuf,
    programs: PathBuf,
}

impl Room {
    /// The room as its driver, another process, finds it.
    #[must_use]
    pub fn at(folder: PathBuf, programs: PathBuf) -> Self {
        Self { folder, programs }
    }

    fn make(&self) -> io::Result<()> {
        for name in ["scripts", "traces", "errors"] {
            fs::create_dir_all(self.folder.join(name))?;
        }
        self.refresh()
    }

    /// The folder itself.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The only folder on PATH.
    #[must_use]
    pub fn programs(&self) -> &Path {
        &self.programs
    }

    /// Where a script starts.
    #[must_use]
    pub fn workspace(&self) -> PathBuf {
        self.folder.join("ws")
    }

    /// The home of scripts.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// The text of a script of the batch.
    #[must_use]
    pub fn script(&self, number: usize) -> PathBuf {
        self.folder.join("scripts").join(number.to_string())
    }

    /// What the shell traced of it.
    #[must_use]
    pub fn trace(&self, number: usize) -> PathBuf {
        self.folder.join("traces").join(number.to_string())
    }

    /// What it wrote to standard error.
    #[must_use]
    pub fn errors(&self, number: usize) -> PathBuf {
        self.folder.join("errors").join(number.to_string())
    }

    /// The log of program starts.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.folder.join("log")
    }

    /// How the scripts of the batch ended.
    #[must_use]
    pub fn endings(&self) -> PathBuf {
        self.folder.join("endings")
    }

    /// Makes workspace and home as they were before any script ran.
    ///
    /// # Errors
    ///
    /// When something in them cannot be replaced.
    pub fn refresh(&self) -> io::Result<()> {
        let (workspace, home) = (self.workspace(), self.home());
        for folder in [&workspace, &home] {
            match fs::remove_dir_all(folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        fs::create_dir_all(workspace.join("dir"))?;
        fs::create_dir_all(workspace.join("bin"))?;
        fs::create_dir_all(&home)?;
        let program = self.programs.join("p0");
        for name in ["w0", "w1", "w2", "dir/w3", "dir/w4", "dir/w5", "bin/cat0"] {
            symlink(&program, workspace.join(name))?;
        }
        for name in ["h0", "h1"] {
            symlink(&program, home.join(name))?;
        }
        fs::write(workspace.join("file.txt"), "one two\nthree\n")?;
        fs::write(workspace.join("lines.txt"), "a\nb\n")?;
        fs::write(workspace.join("lib.sh"), "q0 lib\n: \"$(q1)\"\n")?;
        let script = workspace.join("x.sh");
        fs::write(&script, "#!/bin/bash\nif q2; then q3 \"$1\"; fi\n")?;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755))
    }
}

/// The system's own program of that name.
fn found(name: &str) -> io::Result<PathBuf> {
    ["/usr/bin", "/bin", "/usr/local/bin"]
        .iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.is_file())
        .ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::NotFound,
                format!("there is no program `{name}`"),
            )
        })
}
