//! One start of the command: with what, and how it ended.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, setsid};
use serde_json::Value;

/// How long a start may take unless a test says otherwise.
pub const LIMIT: Duration = Duration::from_secs(60);

/// A start of the command, before it happens.
#[derive(Clone, Debug)]
pub struct Program {
    binary: PathBuf,
    arguments: Vec<OsString>,
    directory: PathBuf,
    environment: Vec<(OsString, OsString)>,
    stdin: Vec<u8>,
    limit: Duration,
}

/// One finished start.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// Standard output; bytes that are no UTF-8 are replaced.
    pub stdout: String,
    /// Standard error, likewise.
    pub stderr: String,
    /// From start to end.
    pub took: Duration,
    /// When it ended.
    pub at: Instant,
    /// The most memory that was resident, in MiB.
    pub peak_mib: f64,
    /// It did not end within its limit and was killed.
    pub stuck: bool,
}

impl Program {
    /// A start of `binary` in `directory`, with this environment and no other.
    #[must_use]
    pub fn new(binary: &Path, directory: &Path, environment: &[(OsString, OsString)]) -> Self {
        Self {
            binary: binary.to_owned(),
            arguments: Vec::new(),
            directory: directory.to_owned(),
            environment: environment.to_vec(),
            stdin: Vec::new(),
            limit: LIMIT,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        let arguments = arguments.into_iter();
        self.arguments
            .extend(arguments.map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Gives it standard input; default: empty.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment
            .push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// Starts in another directory; default: the workspace.
    #[must_use]
    pub fn directory(mut self, directory: &Path) -> Self {
        directory.clone_into(&mut self.directory);
        self
    }

    /// Kills it after this long; default: [`LIMIT`].
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// The same start for the standard library, without standard streams.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .args(&self.arguments)
            .current_dir(&self.directory)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Starts it without input or output and comes back at once.
    ///
    /// # Panics
    ///
    /// When it cannot be started.
    #[must_use]
    pub fn spawn(&self) -> Child {
        let mut command = self.command();
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        in_session_of_its_own(&mut command);
        self.started(&mut command)
    }

    /// Runs it to its end. Output goes to files, so that nobody who holds them
    /// can delay the end.
    ///
    /// # Panics
    ///
    /// When it cannot be started.
    #[must_use]
    #[expect(
        clippy::zombie_processes,
        reason = "`reap` waits, for the child's use of memory"
    )]
    pub fn run(&self) -> Ended {
        let mut given = tempfile::tempfile().expect("a temporary file");
        given.write_all(&self.stdin).expect("room for the input");
        given.rewind().expect("a file can be rewound");
        let mut out = tempfile::tempfile().expect("a temporary file");
        let mut err = tempfile::tempfile().expect("a temporary file");
        let mut command = self.command();
        command
            .stdin(given)
            .stdout(Stdio::from(out.try_clone().expect("a file can be cloned")))
            .stderr(Stdio::from(err.try_clone().expect("a file can be cloned")));
        in_session_of_its_own(&mut command);
        let began = Instant::now();
        let child = self.started(&mut command);
        let pid = Pid::from_child(&child);
        let stuck = !ends_within(pid, self.limit);
        if stuck {
            // It may have ended in between; then there is nothing to kill.
            let _ = kill_process_group(pid, Signal::KILL);
        }
        let (code, peak_mib) = reap(pid);
        Ended {
            code,
            stdout: text(&mut out),
            stderr: text(&mut err),
            took: began.elapsed(),
            at: Instant::now(),
            peak_mib,
            stuck,
        }
    }

    fn started(&self, command: &mut Command) -> Child {
        command
            .spawn()
            .unwrap_or_else(|error| panic!("{} does not start: {error}", self.binary.display()))
    }
}

impl Ended {
    /// All that was printed, on both streams.
    #[must_use]
    pub fn said(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    /// The JSON on standard output.
    ///
    /// # Panics
    ///
    /// When it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("standard output is no JSON ({error}): {self:#?}"))
    }

    /// Requires an exit code.
    ///
    /// # Panics
    ///
    /// When it ended otherwise.
    #[track_caller]
    pub fn assert_code(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }
}

/// Without a terminal: questions must not reach the person who runs the tests.
fn in_session_of_its_own(command: &mut Command) {
    // SAFETY: between fork and exec one system call is made, which neither
    // allocates nor locks.
    unsafe {
        command.pre_exec(|| Ok(setsid().map(drop)?));
    }
}

/// Whether the process ends within the limit.
pub(crate) fn ends_within(pid: Pid, limit: Duration) -> bool {
    let handle = pidfd_open(pid, PidfdFlags::empty()).expect("a handle on a child");
    let end = Instant::now() + limit;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let timeout = Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        };
        match poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&timeout)) {
            Ok(0) => return false,
            Ok(_) => return true,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => panic!("poll: {error}"),
        }
    }
}

/// Waits for a child's end; its exit code, and its peak memory in MiB.
fn reap(pid: Pid) -> (Option<i32>, f64) {
    let number = pid.as_raw_nonzero().get();
    let mut status = 0;
    // SAFETY: `rusage` is a plain C structure, for which all zeros are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to locals that outlive the call; the child is
    // ours and not reaped yet.
    let reaped = unsafe { libc::wait4(number, &raw mut status, 0, &raw mut usage) };
    assert_eq!(reaped, number, "wait4: {}", std::io::Error::last_os_error());
    let code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
    (code, usage.ru_maxrss as f64 / 1024.0)
}

fn text(file: &mut File) -> String {
    let mut bytes = Vec::new();
    file.rewind().expect("a file can be rewound");
    file.read_to_end(&mut bytes).expect("a file can be read");
    String::from_utf8_lossy(&bytes).into_owned()
}
