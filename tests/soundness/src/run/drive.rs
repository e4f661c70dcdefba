//! The driver: runs the scripts of a batch, each in a fresh workspace, and
//! leaves no process behind.

use std::ffi::CString;
use std::fmt::Write;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::ptr;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Resource, Rlimit};

use super::processes::{self, Ended};
use crate::observe::MARK;
use crate::place::Room;

/// How long a script and all that it started may take.
const LIMIT: Duration = Duration::from_secs(2);
/// The descriptor that bash traces to; scripts leave it alone.
const TRACE: RawFd = 9;
/// What a script may use.
const LIMITS: [(Resource, u64); 5] = [
    (Resource::Cpu, 2),
    (Resource::Fsize, 1 << 20),
    (Resource::Core, 0),
    (Resource::Nproc, 4096),
    (Resource::Nofile, 256),
];

/// Runs so many scripts of a room and writes how each ended.
///
/// # Errors
///
/// When one cannot be started, or a process cannot be ended.
pub fn drive(room: &Room, count: usize) -> Result<()> {
    processes::adopt()?;
    let mut endings = String::new();
    for number in 0..count {
        room.refresh()
            .context("the workspace cannot be made anew")?;
        let script = fs::read_to_string(room.script(number))?;
        start(room, number, &script).with_context(|| format!("script {number}"))?;
        let ending = match processes::wait_for_all(LIMIT)? {
            Ended::Themselves => "done",
            Ended::Killed => "ended",
        };
        let _ = writeln!(endings, "{ending}");
    }
    room.refresh()?;
    fs::write(room.endings(), endings)?;
    Ok(())
}

fn start(room: &Room, number: usize, script: &str) -> Result<()> {
    let trace = File::create(room.trace(number))?;
    let mark = CString::new(format!("{MARK}{number}"))?;
    let mut command = Command::new("/bin/bash");
    command
        .arg0("bash")
        .args(["-c", script])
        .current_dir(room.workspace())
        .env_clear()
        .envs(super::environment(room.programs(), &room.home()))
        .env("SHELLOPTS", "xtrace")
        .env("BASH_XTRACEFD", TRACE.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(room.errors(number))?);
    let trace_fd = trace.as_raw_fd();
    // SAFETY: between fork and exec only system calls are made, on values that
    // were there before: no allocation, no lock.
    unsafe {
        command.pre_exec(move || {
            prepare(trace_fd)?;
            let arguments = [mark.as_ptr(), ptr::null()];
            // Fails, since there is no such file, and leaves its mark in the
            // log of starts.
            libc::execve(mark.as_ptr(), arguments.as_ptr(), [ptr::null()].as_ptr());
            Ok(())
        });
    }
    // Waited for with all that it starts.
    drop(command.spawn().context("bash does not start")?);
    Ok(())
}

/// In the child: a session, limits, and the trace's descriptor.
fn prepare(trace: RawFd) -> io::Result<()> {
    rustix::process::setsid()?;
    for (resource, most) in LIMITS {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        rustix::process::setrlimit(resource, limit)?;
    }
    // SAFETY: `trace` is open in the parent, and so in this copy of it;
    // descriptors above the standard ones are nobody's here.
    let copied = unsafe {
        if trace == TRACE {
            libc::fcntl(trace, libc::F_SETFD, 0)
        } else {
            libc::dup2(trace, TRACE)
        }
    };
    if copied < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
