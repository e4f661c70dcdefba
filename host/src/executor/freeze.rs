//! What a call is made of, fixed before it is analyzed: script, directory,
//! time, environment. Analysis and child see the same.

use std::num::NonZeroU64;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use rustix::io::Errno;
use tokio_util::sync::CancellationToken;

use super::environment::Prepared;
use super::{Passed, Shared};
use crate::gate::Case;
use crate::guest::bindings::policy::bashgate::policy::types;
use crate::guest::bindings::tool::bashgate::tool::executor::{Command, Escalation, Refusal};
use crate::host::Inner;
use crate::output::{self, SinkOptions, Spill};
use crate::process::{Request, Streams};
use crate::settings;
use crate::unguessable;

/// A call, frozen.
pub(crate) struct Frozen {
    pub(crate) id: String,
    pub(crate) script: String,
    pub(crate) description: String,
    pub(crate) workdir: Workdir,
    pub(crate) timeout: Duration,
    /// The wish did not fit the limits.
    pub(crate) timeout_limited: bool,
    pub(crate) environment: Arc<Prepared>,
    pub(crate) head: Option<u32>,
    pub(crate) tail: Option<u32>,
    login: bool,
    escalation: Option<Escalation>,
}

/// A directory, held by its descriptor.
#[derive(Debug, Clone)]
pub(crate) struct Workdir {
    pub(crate) path: String,
    descriptor: Arc<OwnedFd>,
}

impl Frozen {
    pub(crate) fn case(&self) -> Case {
        let escalation = self.escalation.as_ref();
        Case {
            script: self.script.clone(),
            description: self.description.clone(),
            workdir: self.workdir.path.clone(),
            timeout_ms: Some(millis(self.timeout)),
            escalation: escalation.map(|escalation| types::Escalation {
                justification: escalation.justification.clone(),
                prefix: escalation.prefix.clone(),
            }),
        }
    }
}

impl Workdir {
    fn open(path: &Path) -> Result<Self, Refusal> {
        let shown = || path.display().to_string();
        open_directory(path).map_err(|error| match error {
            Errno::NOENT => Refusal::WorkdirMissing(shown()),
            Errno::NOTDIR => Refusal::WorkdirNotADirectory(shown()),
            error => Refusal::Invalid(format!("the working directory {}: {error}", shown())),
        })
    }

    /// Whether its path still leads to the same directory.
    pub(crate) fn stands(&self) -> bool {
        real_path(&self.descriptor).is_ok_and(|path| path.to_str() == Some(self.path.as_str()))
    }
}

/// The last step of freezing: opens the directory, so it may wait.
pub(crate) type Freeze = Box<dyn FnOnce() -> Result<Frozen, Refusal> + Send>;

/// Fixes everything about a call but the directory.
pub(crate) async fn freeze(shared: &Shared, command: Command) -> Result<Freeze, Refusal> {
    let inner = &shared.host.inner;
    let script = script(&command.script, &inner.settings.shell.prefix)?;
    let directory = directory(shared, command.workdir.as_deref())?;
    let (timeout, timeout_limited) = timeout(&inner.settings.timeout, command.timeout_ms);
    let id = unguessable::id()
        .map_err(|error| Refusal::Unavailable(format!("the system has no randomness: {error}")))?;
    let login = command.login.unwrap_or(true);
    let environment = inner.environments.unattended(login).await;
    Ok(Box::new(move || {
        Ok(Frozen {
            id,
            script,
            description: command.description,
            workdir: Workdir::open(&directory)?,
            timeout,
            timeout_limited,
            environment,
            head: command.head,
            tail: command.tail,
            login,
            escalation: command.escalation,
        })
    }))
}

/// What the process needs to start. A person who saw the script gets the
/// user's own git configuration; nobody else does.
pub(super) async fn request(
    shared: &Shared,
    frozen: &Frozen,
    passed: &Passed,
    cancel: CancellationToken,
) -> Result<Request, Refusal> {
    let inner = &shared.host.inner;
    let unavailable =
        |what: String| Refusal::Unavailable(format!("the shell did not start: {what}"));
    let environment = if passed.person {
        let environment = inner.environments.seen_by_a_person(frozen.login).await;
        environment.marked(&frozen.id)
    } else {
        frozen.environment.frozen.marked(&frozen.id)
    };
    let descriptor = frozen.workdir.descriptor.try_clone();
    let invocation = inner.shell.script(&passed.decision.plan.script);
    let sink = sink(inner, frozen, passed);
    Ok(Request {
        invocation: invocation.map_err(|error| unavailable(error.to_string()))?,
        environment,
        workdir: descriptor.map_err(|error| unavailable(error.to_string()))?,
        timeout: Some(frozen.timeout),
        grace: inner.settings.timeout.grace,
        cancel,
        streams: match inner.settings.output.streams {
            settings::Streams::Merged => Streams::Merged(sink),
            settings::Streams::Separate => Streams::Separate {
                stdout: sink.clone(),
                stderr: sink,
            },
        },
    })
}

/// A NUL cannot reach bash, and line ends are made bash's, once, before
/// anything looks at the script.
fn script(text: &str, prefix: &str) -> Result<String, Refusal> {
    if text.contains('\0') {
        return Err(Refusal::Invalid(
            "`command` holds a NUL character, which no shell can be given; remove it".into(),
        ));
    }
    let text = text.replace("\r\n", "\n");
    Ok(if prefix.is_empty() {
        text
    } else {
        format!("{prefix} {text}")
    })
}

fn directory(shared: &Shared, wish: Option<&str>) -> Result<PathBuf, Refusal> {
    let inner = &shared.host.inner;
    let path = match wish {
        None | Some("") => shared.workdir.clone(),
        Some("~") => inner.places.home.clone(),
        Some(wish) => match wish.strip_prefix("~/") {
            Some(rest) => inner.places.home.join(rest),
            None => shared.workdir.join(wish),
        },
    };
    if path.as_os_str().as_bytes().contains(&0) {
        return Err(Refusal::Invalid(
            "`workdir` holds a NUL character; remove it".into(),
        ));
    }
    Ok(path)
}

fn open_directory(path: &Path) -> Result<Workdir, Errno> {
    let descriptor = open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    if FileType::from_raw_mode(fstat(&descriptor)?.st_mode) != FileType::Directory {
        return Err(Errno::NOTDIR);
    }
    let path = real_path(&descriptor)?;
    // The contract speaks UTF-8; a directory that does not is not analyzed.
    let path = path.to_str().ok_or(Errno::ILSEQ)?.to_owned();
    Ok(Workdir {
        path,
        descriptor: Arc::new(descriptor),
    })
}

/// Where a descriptor's directory lies now, with links resolved.
fn real_path(descriptor: &OwnedFd) -> Result<PathBuf, Errno> {
    let link = format!("/proc/self/fd/{}", descriptor.as_raw_fd());
    std::fs::read_link(link).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

fn timeout(limits: &settings::Timeout, wish: Option<u32>) -> (Duration, bool) {
    let Some(wish) = wish.filter(|&wish| wish > 0) else {
        return (limits.default, false);
    };
    let wish = Duration::from_millis(u64::from(wish));
    let kept = wish.clamp(limits.min, limits.max);
    (kept, kept != wish)
}

pub(crate) fn millis(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}

fn sink(inner: &Inner, frozen: &Frozen, passed: &Passed) -> SinkOptions {
    let output = &inner.settings.output;
    // What the call asks for is stronger than a rewriting.
    let lines = |own: Option<u32>, rewritten: Option<u32>| {
        let lines = own.filter(|&lines| lines > 0).or(rewritten)?;
        NonZeroU64::new(u64::from(lines))
    };
    SinkOptions {
        limits: output::Limits {
            max_lines: output.max_lines as u64,
            max_bytes: output.max_bytes,
            keep: match output.keep {
                settings::Keep::Both => output::Keep::Both,
                settings::Keep::Head => output::Keep::Head,
                settings::Keep::Tail => output::Keep::Tail,
            },
        },
        head: lines(frozen.head, passed.decision.head),
        tail: lines(frozen.tail, passed.decision.tail),
        spill: Some(Spill {
            store: inner.artifacts.clone(),
            max_bytes: output.spill_max_bytes,
        }),
    }
}
