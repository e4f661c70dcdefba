//! Runs a batch of scripts for real and says what ran.
//!
//! One `strace` watches one driver, this very program once more, which runs
//! the scripts one after the other, each in a session of its own: so a batch
//! pays for one start of `strace`, and nothing of one script is left when the
//! next one begins.

mod drive;
mod processes;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::observe::{self, Ran};
use crate::place::Room;

pub use drive::drive;

/// How it is observed what runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Observe {
    /// Starts of programs by `strace`, builtins and functions by the shell.
    Strace,
    /// By the shell alone: misses what other programs start.
    Xtrace,
}

/// What came of one script.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// What ran.
    pub ran: BTreeSet<Ran>,
    /// It had to be ended.
    pub timed_out: bool,
    /// Bash found an error of syntax in it.
    pub refused: bool,
}

/// The environment of scripts, but for what makes the shell trace.
#[must_use]
pub fn environment(path: impl Into<OsString>, home: &Path) -> Vec<(&'static str, OsString)> {
    vec![
        ("PATH", path.into()),
        ("HOME", home.into()),
        ("LANG", "C.UTF-8".into()),
        ("FUNCNEST", "50".into()),
    ]
}

/// Runs batches in a room.
pub struct Runner {
    room: Room,
    driver: PathBuf,
    observe: Observe,
}

impl Runner {
    /// `driver` is a program that calls [`drive`] with the arguments `drive
    /// FOLDER PROGRAMS COUNT`.
    #[must_use]
    pub fn new(room: Room, driver: PathBuf, observe: Observe) -> Self {
        Self {
            room,
            driver,
            observe,
        }
    }

    /// Runs the scripts one after the other; an outcome for each.
    ///
    /// # Errors
    ///
    /// When the driver or `strace` fails.
    pub fn run(&self, scripts: &[String]) -> Result<Vec<Outcome>> {
        for (number, script) in scripts.iter().enumerate() {
            fs::write(self.room.script(number), script)?;
        }
        self.drive(scripts.len())?;
        let mut started = match self.observe {
            Observe::Strace => observe::started(&text(&self.room.log())?),
            Observe::Xtrace => Default::default(),
        };
        let endings = text(&self.room.endings())?;
        let timed_out: Vec<bool> = endings.lines().map(|line| line == "ended").collect();
        ensure!(
            timed_out.len() == scripts.len(),
            "the driver ran {} of {} scripts",
            timed_out.len(),
            scripts.len()
        );
        timed_out
            .into_iter()
            .enumerate()
            .map(|(number, timed_out)| {
                let mut ran = observe::traced(&text(&self.room.trace(number))?);
                if self.observe == Observe::Strace {
                    let started = started.remove(&number).with_context(|| {
                        format!("strace saw nothing of script {number}, not even its shell")
                    })?;
                    ran.extend(started);
                }
                let errors = text(&self.room.errors(number))?;
                Ok(Outcome {
                    ran,
                    timed_out,
                    refused: ["syntax error", "unexpected EOF"]
                        .iter()
                        .any(|sign| errors.contains(sign)),
                })
            })
            .collect()
    }

    fn drive(&self, count: usize) -> Result<()> {
        let mut command = match self.observe {
            Observe::Strace => {
                let mut command = strace(&self.room.log());
                command.arg(&self.driver);
                command
            }
            Observe::Xtrace => Command::new(&self.driver),
        };
        let status = command
            .arg("drive")
            .args([self.room.folder(), self.room.programs()])
            .arg(count.to_string())
            .stdin(Stdio::null())
            .status()
            .context("the driver does not start")?;
        ensure!(status.success(), "the driver ended with {status}");
        Ok(())
    }
}

fn strace(log: &Path) -> Command {
    let mut command = Command::new("strace");
    command
        .args([
            "-f",
            "--seccomp-bpf",
            "-qq",
            "-s",
            "16",
            "-e",
            "signal=none",
        ])
        .args(["-e", "trace=execve,execveat", "-o"])
        .arg(log)
        .arg("--");
    command
}

/// Whether `strace` is there and may watch.
///
/// # Errors
///
/// Says what is missing, and what to do.
pub fn probe(log: &Path) -> Result<()> {
    const FIX: &str = "install it (`apt-get install strace`) and allow ptrace, or take \
                       `--observe xtrace`, which misses what programs start";
    let output = strace(log)
        .arg("/bin/true")
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("strace cannot be run: {FIX}"))?;
    let seen = fs::read_to_string(log).unwrap_or_default();
    if !output.status.success() || !seen.contains("execve(\"/bin/true\"") {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("strace cannot watch a program ({}): {FIX}", said.trim());
    }
    Ok(())
}

fn text(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("{} is not there", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
