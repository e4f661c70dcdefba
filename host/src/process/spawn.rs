//! Starting one process with `posix_spawn`, and waiting for it by descriptor.
//!
//! Not `std::process`: with a session of its own to make, that forks, which
//! for a host with gigabytes mapped costs more than the command itself;
//! `posix_spawn` shares the memory until the new program is there. What a
//! process is for, and what it started, is not known here.

use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe::Receiver;

use super::tree::Tree;

/// The descriptor at which a script that is too long for an argument waits.
pub(super) const SCRIPT: RawFd = 3;

/// A program and what it is given.
#[derive(Debug)]
pub struct Invocation {
    /// Its absolute path; it is also the child's `argv[0]`.
    pub program: PathBuf,
    /// The arguments after `argv[0]`.
    pub arguments: Vec<OsString>,
    /// A file that the child finds open at descriptor 3.
    pub script: Option<OwnedFd>,
}

/// Why a process was not started. Nothing of it runs.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// A NUL ends a C string: the child would get another text than the one
    /// that was judged.
    #[error("{what} holds a NUL byte, which no process can be given; remove it")]
    Nul {
        /// The part that holds it.
        what: String,
    },
    /// No memory file for a long script.
    #[error("the script is too long for an argument, and no memory file could be made for it: {0}")]
    Script(#[source] io::Error),
    /// No pipe, or no null device, for its input and output.
    #[error(
        "no pipe could be made for the output of the command: {0}; the host may have too many files open"
    )]
    Pipe(#[source] io::Error),
    /// The system refused.
    #[error("{} could not be started: {source}{}", program.display(), hint(source))]
    Start {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It started, but could not be watched, and was ended.
    #[error(
        "the command was ended at once, as it could not be watched: {0}; bashgate needs Linux 5.4 or newer and a free descriptor"
    )]
    Watch(#[source] io::Error),
}

/// What to do about the refusals that a user can do something about.
fn hint(source: &io::Error) -> &'static str {
    match source.raw_os_error() {
        Some(libc::E2BIG) => {
            "; its environment and arguments are too long together, pass fewer variables"
        }
        Some(libc::EAGAIN) => "; this user has as many processes as it may have",
        _ => "",
    }
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal.
    Killed(i32),
}

/// What a process is started with, its invocation apart.
pub(super) struct Setting {
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// The directory it starts in; an `O_PATH` descriptor will do.
    pub workdir: OwnedFd,
    /// Its standard output.
    pub stdout: OwnedFd,
    /// Its standard error; none: the same as its standard output.
    pub stderr: Option<OwnedFd>,
}

/// A process that leads a session of its own. It is not reaped before
/// [`Child::reap`]: while it is at least a zombie, its number, which is that
/// of its group and session too, belongs to nobody else.
///
/// Dropped before that, its whole tree is killed, and it is reaped by a thread.
#[derive(Debug)]
pub(super) struct Child {
    leader: Arc<Leader>,
    tree: Arc<Mutex<Tree>>,
    reaped: bool,
}

#[derive(Debug)]
struct Leader {
    pid: Pid,
    descriptor: OwnedFd,
}

impl AsRawFd for Leader {
    fn as_raw_fd(&self) -> RawFd {
        self.descriptor.as_raw_fd()
    }
}

impl Child {
    /// Starts `invocation`: in a new session without a terminal, stdin the
    /// null device, every signal at its default and none blocked, no
    /// descriptor but 0, 1, 2 and its script. Returns when the program is
    /// loaded, so it may block: call it off the runtime's threads.
    pub fn start(invocation: &Invocation, setting: Setting) -> Result<Self, SpawnError> {
        let pid = posix_spawn(invocation, &setting)?;
        let mark = setting
            .environment
            .iter()
            .find(|(name, _)| name == super::tree::MARK);
        let tree = Tree::new(pid, mark.map(|(_, value)| value.as_os_str()));
        match rustix::process::pidfd_open(pid, PidfdFlags::empty()) {
            Ok(descriptor) => Ok(Child {
                leader: Arc::new(Leader { pid, descriptor }),
                tree: Arc::new(Mutex::new(tree)),
                reaped: false,
            }),
            Err(error) => {
                tree.kill_group();
                // This thread may block, and a killed process ends soon.
                let _ = rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED);
                Err(SpawnError::Watch(error.into()))
            }
        }
    }

    /// Resolves when the process has ended. It is not reaped by that.
    pub async fn ended(&self) -> io::Result<()> {
        // SAFETY: the watch shares the leader, which owns the descriptor and
        // never gives it away or exchanges it.
        let watch = unsafe {
            AsyncFd::register_with_interest(Arc::clone(&self.leader), Interest::READABLE)
        }?;
        watch.readable().await.map(drop)
    }

    /// How it ended, when it has, and when nobody else took the answer.
    pub fn ending(&self) -> Option<Ending> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.wait(options).ok().flatten()
    }

    /// All that it started.
    pub fn tree(&self) -> Arc<Mutex<Tree>> {
        Arc::clone(&self.tree)
    }

    /// Takes the zombie away once its tree is gone. One that has not ended
    /// yet is left to the thread that dropping starts.
    pub fn reap(mut self) {
        let reaped = self.wait(WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
        // Without a child the host lets the kernel reap (SIGCHLD ignored).
        self.reaped = matches!(reaped, Ok(Some(_)) | Err(Errno::CHILD));
    }

    fn wait(&self, options: WaitIdOptions) -> Result<Option<Ending>, Errno> {
        let id = WaitId::PidFd(self.leader.descriptor.as_fd());
        let status = loop {
            match rustix::process::waitid(id.clone(), options) {
                Err(Errno::INTR) => {}
                other => break other?,
            }
        };
        Ok(status.and_then(
            |status| match (status.exit_status(), status.terminating_signal()) {
                (Some(code), _) => Some(Ending::Exited(code)),
                (None, Some(signal)) => Some(Ending::Killed(signal)),
                (None, None) => None,
            },
        ))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.reaped {
            return;
        }
        // At once, as the thread may come too late when the host is ending.
        let _ = rustix::process::kill_process_group(self.leader.pid, rustix::process::Signal::KILL);
        let (leader, tree) = (Arc::clone(&self.leader), Arc::clone(&self.tree));
        // Looking through /proc and waiting may block, a runtime thread must
        // not. Without a thread the group is dead all the same.
        let _ = std::thread::Builder::new()
            .name("bashgate-reaper".to_owned())
            .spawn(move || {
                tree.lock().unwrap_or_else(PoisonError::into_inner).kill();
                let id = WaitId::PidFd(leader.descriptor.as_fd());
                while let Err(Errno::INTR) =
                    rustix::process::waitid(id.clone(), WaitIdOptions::EXITED)
                {}
            });
    }
}

fn posix_spawn(invocation: &Invocation, setting: &Setting) -> Result<Pid, SpawnError> {
    let failed = |source| SpawnError::Start {
        program: invocation.program.clone(),
        source,
    };
    let program = c_string(invocation.program.as_os_str(), || {
        "the path of the shell".to_owned()
    })?;
    let mut arguments = vec![program.clone()];
    for argument in &invocation.arguments {
        arguments.push(c_string(argument, || "the script".to_owned())?);
    }
    let mut environment = Vec::with_capacity(setting.environment.len());
    for (name, value) in &setting.environment {
        let entry = [name.as_bytes(), b"=", value.as_bytes()].concat();
        let what = || {
            format!(
                "the environment variable {}",
                name.to_string_lossy().escape_debug()
            )
        };
        environment.push(c_string(OsStr::from_bytes(&entry), what)?);
    }
    let attributes = Attributes::of_a_session().map_err(failed)?;
    let actions = Actions::new(invocation, setting).map_err(failed)?;
    let argv = pointers(&arguments);
    let envp = pointers(&environment);
    let mut pid: libc::pid_t = 0;
    // SAFETY: `program` and all strings behind `argv` and `envp` are C strings
    // that live until after the call, both lists end with a null pointer, and
    // actions and attributes were initialized by their `init` functions.
    let code = unsafe {
        libc::posix_spawn(
            &mut pid,
            program.as_ptr(),
            actions.inner.as_ptr(),
            attributes.0.as_ptr(),
            argv.as_ptr(),
            envp.as_ptr(),
        )
    };
    check(code).map_err(failed)?;
    Pid::from_raw(pid).ok_or_else(|| failed(io::Error::other("the system gave no process number")))
}

fn c_string(text: &OsStr, what: impl FnOnce() -> String) -> Result<CString, SpawnError> {
    CString::new(text.as_bytes()).map_err(|_| SpawnError::Nul { what: what() })
}

/// The list that C wants: a pointer to each string, then a null pointer.
fn pointers(strings: &[CString]) -> Vec<*mut libc::c_char> {
    strings
        .iter()
        .map(|string| string.as_ptr().cast_mut())
        .chain([ptr::null_mut()])
        .collect()
}

/// `posix_spawn` and its kin answer with the error itself, not with `errno`.
fn check(code: libc::c_int) -> io::Result<()> {
    if code == 0 {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(code))
    }
}

/// Boxed, since C may keep a pointer into it.
struct Attributes(Box<MaybeUninit<libc::posix_spawnattr_t>>);

impl Attributes {
    fn of_a_session() -> io::Result<Self> {
        let mut attributes = Box::new(MaybeUninit::uninit());
        // SAFETY: `init` fills the memory that the pointer leads to.
        check(unsafe { libc::posix_spawnattr_init(attributes.as_mut_ptr()) })?;
        let mut this = Attributes(attributes);
        let mut none = MaybeUninit::uninit();
        let mut all = MaybeUninit::<libc::sigset_t>::uninit();
        let flags = libc::POSIX_SPAWN_SETSID
            | libc::POSIX_SPAWN_SETSIGMASK as libc::c_short
            | libc::POSIX_SPAWN_SETSIGDEF as libc::c_short;
        // SAFETY: both sets are filled before they are read, and the
        // attributes were initialized above. A set is plain bits; `sigfillset`
        // would leave out the two that the C library keeps to itself, which a
        // host may have been started with ignored.
        unsafe {
            libc::sigemptyset(none.as_mut_ptr());
            all.as_mut_ptr().write_bytes(0xff, 1);
            let attributes = this.0.as_mut_ptr();
            check(libc::posix_spawnattr_setsigmask(attributes, none.as_ptr()))?;
            check(libc::posix_spawnattr_setsigdefault(
                attributes,
                all.as_ptr(),
            ))?;
            check(libc::posix_spawnattr_setflags(attributes, flags))?;
        }
        Ok(this)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialized when this was made, destroyed only here.
        unsafe { libc::posix_spawnattr_destroy(self.0.as_mut_ptr()) };
    }
}

/// What the child does between its start and the new program.
struct Actions {
    inner: Box<MaybeUninit<libc::posix_spawn_file_actions_t>>,
    /// Keeps copies of descriptors open that would lie in the way.
    moved: Vec<OwnedFd>,
}

impl Actions {
    fn new(invocation: &Invocation, setting: &Setting) -> io::Result<Self> {
        let mut inner = Box::new(MaybeUninit::uninit());
        // SAFETY: `init` fills the memory that the pointer leads to.
        check(unsafe { libc::posix_spawn_file_actions_init(inner.as_mut_ptr()) })?;
        let mut this = Actions {
            inner,
            moved: Vec::new(),
        };
        let workdir = this.out_of_the_way(&setting.workdir)?;
        let stdout = this.out_of_the_way(&setting.stdout)?;
        let stderr = match &setting.stderr {
            Some(stderr) => this.out_of_the_way(stderr)?,
            None => stdout,
        };
        let script = match &invocation.script {
            Some(script) => Some(this.out_of_the_way(script)?),
            None => None,
        };
        this.change_directory(workdir)?;
        this.open_null(libc::STDIN_FILENO)?;
        this.duplicate(stdout, libc::STDOUT_FILENO)?;
        this.duplicate(stderr, libc::STDERR_FILENO)?;
        if let Some(script) = script {
            this.duplicate(script, SCRIPT)?;
        }
        this.close_from(if script.is_some() { SCRIPT + 1 } else { SCRIPT })?;
        Ok(this)
    }

    /// A descriptor with that file that no action before its own overwrites.
    fn out_of_the_way(&mut self, file: &OwnedFd) -> io::Result<RawFd> {
        if file.as_raw_fd() > SCRIPT {
            return Ok(file.as_raw_fd());
        }
        let moved = rustix::io::fcntl_dupfd_cloexec(file, SCRIPT + 1)?;
        let number = moved.as_raw_fd();
        self.moved.push(moved);
        Ok(number)
    }

    fn change_directory(&mut self, directory: RawFd) -> io::Result<()> {
        // SAFETY: initialized in `new`; the descriptor is only a number here.
        check(unsafe {
            libc::posix_spawn_file_actions_addfchdir_np(self.inner.as_mut_ptr(), directory)
        })
    }

    fn open_null(&mut self, at: RawFd) -> io::Result<()> {
        let path = c"/dev/null".as_ptr();
        // SAFETY: initialized in `new`; the path is a C string, and is copied.
        check(unsafe {
            libc::posix_spawn_file_actions_addopen(
                self.inner.as_mut_ptr(),
                at,
                path,
                libc::O_RDONLY,
                0,
            )
        })
    }

    fn duplicate(&mut self, from: RawFd, to: RawFd) -> io::Result<()> {
        // SAFETY: initialized in `new`; the descriptors are only numbers here.
        check(unsafe { libc::posix_spawn_file_actions_adddup2(self.inner.as_mut_ptr(), from, to) })
    }

    /// All of ours are close-on-exec; those of the program that embeds us may
    /// not be, and must not reach a command.
    #[cfg(target_env = "gnu")]
    fn close_from(&mut self, first: RawFd) -> io::Result<()> {
        // SAFETY: initialized in `new`; the descriptor is only a number here.
        check(unsafe {
            libc::posix_spawn_file_actions_addclosefrom_np(self.inner.as_mut_ptr(), first)
        })
    }

    /// Other C libraries have no such action.
    #[cfg(not(target_env = "gnu"))]
    fn close_from(&mut self, _first: RawFd) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: initialized when this was made, destroyed only here.
        unsafe { libc::posix_spawn_file_actions_destroy(self.inner.as_mut_ptr()) };
    }
}

/// A pipe whose reading end belongs to the runtime.
pub(super) fn pipe() -> Result<(Receiver, OwnedFd), SpawnError> {
    let made = || -> io::Result<(Receiver, OwnedFd)> {
        let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        // Fewer, larger reads; the system may refuse, nothing depends on it.
        let _ = rustix::pipe::fcntl_setpipe_size(&reader, PIPE_BYTES);
        Ok((Receiver::from_owned_fd(reader)?, writer))
    };
    made().map_err(SpawnError::Pipe)
}

/// Four times the usual size of a pipe.
const PIPE_BYTES: usize = 256 * 1024;

/// Opens a directory for [`Setting::workdir`], without the right to read it.
pub(super) fn directory(path: &Path) -> io::Result<OwnedFd> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}
