//! The processes below the driver: all of them, whatever session they moved
//! to, are its to wait for and to end.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::mem;
use std::ptr;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use rustix::process::{Pid, Signal, WaitOptions};

/// How long killed processes may take to be gone.
const GRACE: Duration = Duration::from_secs(10);

/// How all processes came to their end.
pub(super) enum Ended {
    /// In time.
    Themselves,
    /// By the driver.
    Killed,
}

/// From now on processes that lose their parent become children of this one.
pub(super) fn adopt() -> Result<()> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    // SAFETY: a signal set is plain data that these calls fill; blocking a
    // signal that is only waited for with `sigtimedwait` changes nothing else.
    unsafe {
        let set = child_signal();
        if libc::sigprocmask(libc::SIG_BLOCK, &raw const set, ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error().into());
        }
    }
    Ok(())
}

/// Waits until there is no child left; after `limit` ends them all.
pub(super) fn wait_for_all(limit: Duration) -> Result<Ended> {
    let deadline = Instant::now() + limit;
    if reap_until(deadline)? {
        return Ok(Ended::Themselves);
    }
    let deadline = Instant::now() + GRACE;
    while Instant::now() < deadline {
        for process in descendants() {
            // One that is gone already needs no signal.
            let _ = rustix::process::kill_process(process, Signal::KILL);
        }
        if reap_until(Instant::now() + Duration::from_millis(20))? {
            return Ok(Ended::Killed);
        }
    }
    bail!("some processes of a script do not end");
}

/// Whether the last child ended before the deadline.
fn reap_until(deadline: Instant) -> Result<bool> {
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Ok(false);
                }
                wait_for_child_signal(left);
            }
            Err(rustix::io::Errno::CHILD) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
    }
}

fn wait_for_child_signal(limit: Duration) {
    // SAFETY: set and time are valid for the call; the signal's details are
    // not asked for.
    unsafe {
        let set = child_signal();
        let time = libc::timespec {
            tv_sec: libc::time_t::try_from(limit.as_secs()).unwrap_or(1),
            tv_nsec: libc::c_long::from(limit.subsec_nanos() as i32),
        };
        libc::sigtimedwait(&raw const set, ptr::null_mut(), &raw const time);
    }
}

fn child_signal() -> libc::sigset_t {
    // SAFETY: `sigemptyset` makes a valid set of what is only room for one.
    unsafe {
        let mut set: libc::sigset_t = mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        set
    }
}

/// All processes that have this one as a forefather.
fn descendants() -> Vec<Pid> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(process) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        if let Some(parent) = parent_of(process) {
            children.entry(parent).or_default().push(process);
        }
    }
    let mut found = Vec::new();
    let mut waiting = vec![rustix::process::getpid().as_raw_nonzero().get()];
    while let Some(process) = waiting.pop() {
        for child in children.remove(&process).unwrap_or_default() {
            found.extend(Pid::from_raw(child));
            waiting.push(child);
        }
    }
    found
}

fn parent_of(process: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before may hold blanks and parentheses.
    let (_, after) = stat.rsplit_once(')')?;
    after.split_ascii_whitespace().nth(1)?.parse().ok()
}
