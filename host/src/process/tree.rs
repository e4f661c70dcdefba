//! All processes of a call, and their end.
//!
//! A process belongs to a call when it is in the session of the call's shell,
//! descends from one that belongs, carries the call's mark in its environment,
//! or was found to belong before. So a child that left the group, the session
//! and its parent is found too, as long as it kept its environment.
//!
//! What this cannot see: a process that has left the session and its parents
//! *and* has shed the mark (`env -i setsid …`, then the shell ends), and
//! anything at all once the host itself was killed with violence. Both need a
//! supervisor: a small process between host and shell to which orphans fall
//! as children (a subreaper) and that dies with its host. It is not here yet;
//! when it is, its children are one more way to belong, and the rest stays.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use memchr::memmem;
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};
use tokio::time::Instant;

/// The environment variable with an unguessable value by which a call's
/// processes are known wherever they went.
pub const MARK: &str = "BASHGATE_CALL";

/// How long killed processes may take to go before they are given up: only
/// ones that hang in the kernel, or belong to another user, take longer.
pub(super) const STUCK: Duration = Duration::from_secs(2);

/// How long processes that were just about to end, when their shell ended,
/// are waited for before they count as left running.
const SETTLE: Duration = Duration::from_millis(25);

/// Pauses between two looks: first, and at most.
const PAUSE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

/// The most of a process's environment that is looked through. The kernel
/// lets arguments and environment together have 6 MiB.
const ENVIRONMENT_BYTES: u64 = 8 << 20;

/// What `left_running` shows: this many processes, this much of each.
const SHOWN: (usize, usize) = (5, 80);

/// The processes of one call.
#[derive(Debug)]
pub(super) struct Tree {
    leader: Pid,
    /// When the leader started, in the kernel's ticks; nobody in the tree is
    /// older.
    since: u64,
    /// The whole entry, `BASHGATE_CALL=…`.
    mark: Option<Vec<u8>>,
    /// Those that were found, with their start: a number alone may be given
    /// to another process.
    known: HashMap<i32, u64>,
}

/// A live process of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Member {
    pid: Pid,
    start: u64,
}

/// What one look through `/proc` found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The live ones; not those that only wait for their parent.
    pub members: Vec<Member>,
    /// A process was seen in the middle of loading a program: to which call
    /// it belongs can be told only in a moment.
    unsettled: bool,
}

impl Tree {
    /// The tree of `leader`, which leads its session and is not reaped yet.
    /// `mark` is the value of [`MARK`] in its environment.
    pub fn new(leader: Pid, mark: Option<&OsStr>) -> Self {
        let entry = |value: &OsStr| [MARK.as_bytes(), b"=", value.as_bytes()].concat();
        Tree {
            leader,
            since: Stat::of(leader.as_raw_nonzero().get()).map_or(u64::MAX, |stat| stat.start),
            // A mark that could be guessed, or is empty, would be a weapon.
            mark: mark.filter(|value| value.len() >= 32).map(entry),
            known: HashMap::new(),
        }
    }

    /// Kills the shell's own process group, which in a script is nearly all,
    /// and all of it at once. Valid while the leader is not reaped.
    pub fn kill_group(&self) {
        let _ = rustix::process::kill_process_group(self.leader, Signal::KILL);
    }

    /// Looks for the live members, and reaps those that fell to this process.
    pub fn look(&mut self) -> Found {
        let processes = all_processes();
        let own = rustix::process::getpid().as_raw_nonzero().get();
        let mut found = Found::default();
        let mut belongs = HashSet::new();
        let mut young = Vec::new();
        for process in &processes {
            if process.pid == own {
                continue;
            }
            let known = self.known.get(&process.pid) == Some(&process.start);
            if known || process.session == self.leader.as_raw_nonzero().get() {
                belongs.insert(process.pid);
            } else if process.start >= self.since {
                young.push(process);
            }
        }
        for process in young {
            match self.marked(process) {
                Marked::Yes => drop(belongs.insert(process.pid)),
                Marked::No => {}
                Marked::Unknown => found.unsettled = true,
            }
        }
        include_descendants(&processes, &mut belongs, own);
        self.known.clear();
        for process in processes
            .iter()
            .filter(|process| belongs.contains(&process.pid))
        {
            let Some(pid) = Pid::from_raw(process.pid) else {
                continue;
            };
            self.known.insert(process.pid, process.start);
            if process.is_alive() {
                found.members.push(Member {
                    pid,
                    start: process.start,
                });
            } else if process.parent == own && pid != self.leader {
                reap(pid);
            }
        }
        found
    }

    fn marked(&self, process: &Stat) -> Marked {
        let Some(mark) = self.mark.as_deref().filter(|_| process.is_alive()) else {
            return Marked::No;
        };
        let mut environment = Vec::new();
        let read = File::open(format!("/proc/{}/environ", process.pid))
            .and_then(|file| file.take(ENVIRONMENT_BYTES).read_to_end(&mut environment));
        match read {
            // Another user's, or gone: not ours as far as anyone can tell.
            Err(_) => Marked::No,
            Ok(0) if process.is_kernel_thread() => Marked::No,
            Ok(0) => Marked::Unknown,
            Ok(_) if holds_entry(&environment, mark) => Marked::Yes,
            Ok(_) => Marked::No,
        }
    }

    /// Looks, then sends `signal` to all that was found.
    fn strike(&mut self, signal: Signal) -> Found {
        let found = self.look();
        // The group at once: nobody in it can fork away in between. Also when
        // nobody was found: /proc may be out of reach.
        let _ = rustix::process::kill_process_group(self.leader, signal);
        let group: HashSet<i32> = found
            .members
            .iter()
            .map(|member| member.pid)
            .filter(|pid| {
                rustix::process::getpgid(Some(*pid)).is_ok_and(|group| group == self.leader)
            })
            .map(|pid| pid.as_raw_nonzero().get())
            .collect();
        for member in &found.members {
            if !group.contains(&member.pid.as_raw_nonzero().get()) {
                send(*member, signal);
            }
            if signal != Signal::KILL {
                // A stopped one would sleep through its end.
                send(*member, Signal::CONT);
            }
        }
        found
    }

    /// Kills all of it, for at most [`STUCK`]. Blocks.
    pub fn kill(&mut self) {
        let deadline = std::time::Instant::now() + STUCK;
        let mut pause = PAUSE.0;
        let mut empty = 0;
        while empty < 2 && std::time::Instant::now() < deadline {
            let found = self.strike(Signal::KILL);
            empty = if found.members.is_empty() {
                empty + 1
            } else {
                0
            };
            std::thread::sleep(pause);
            pause = (pause * 2).min(PAUSE.1);
        }
    }
}

enum Marked {
    Yes,
    No,
    Unknown,
}

/// Whether `entry` is one of the NUL-separated entries.
fn holds_entry(environment: &[u8], entry: &[u8]) -> bool {
    memmem::find_iter(environment, entry).any(|at| {
        let starts = at == 0 || environment.get(at - 1) == Some(&0);
        starts
            && environment
                .get(at + entry.len())
                .is_none_or(|byte| *byte == 0)
    })
}

fn include_descendants(processes: &[Stat], belongs: &mut HashSet<i32>, own: i32) {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for process in processes {
        children
            .entry(process.parent)
            .or_default()
            .push(process.pid);
    }
    let mut waiting: Vec<i32> = belongs.iter().copied().collect();
    while let Some(parent) = waiting.pop() {
        for child in children.get(&parent).into_iter().flatten() {
            if *child != own && belongs.insert(*child) {
                waiting.push(*child);
            }
        }
    }
}

/// Takes away a zombie that became our child when its parent died: so it is
/// where the host is the first process of a container.
fn reap(pid: Pid) {
    let _ = rustix::process::waitid(
        WaitId::Pid(pid),
        WaitIdOptions::EXITED | WaitIdOptions::NOHANG,
    );
}

/// Sends by descriptor, after a look whether it is still the same process.
fn send(member: Member, signal: Signal) {
    let Ok(descriptor) = rustix::process::pidfd_open(member.pid, PidfdFlags::empty()) else {
        return;
    };
    let now = Stat::of(member.pid.as_raw_nonzero().get());
    if now.is_some_and(|now| now.start == member.start) {
        let _ = rustix::process::pidfd_send_signal(descriptor.as_fd(), signal);
    }
}

/// A tree that several hands may need: the call that runs, and whoever cleans
/// up when it is dropped.
pub(super) type Shared = Arc<Mutex<Tree>>;

/// Ends the tree: SIGTERM, up to `grace` to go by itself, then SIGKILL and
/// new looks until none is left. What neither goes nor can be killed within
/// two seconds is returned.
pub(super) async fn end(tree: &Shared, grace: Duration) -> Vec<Member> {
    let mut left = off_runtime(tree, |tree| tree.strike(Signal::TERM))
        .await
        .members;
    let deadline = Instant::now() + grace;
    let mut pause = PAUSE.0;
    while !left.is_empty() && Instant::now() < deadline {
        tokio::time::sleep_until((Instant::now() + pause).min(deadline)).await;
        pause = (pause * 2).min(PAUSE.1);
        left = off_runtime(tree, Tree::look).await.members;
    }
    let settled = Instant::now() + SETTLE;
    let deadline = Instant::now() + STUCK;
    let mut pause = PAUSE.0;
    let mut struck = false;
    loop {
        let found = off_runtime(tree, |tree| tree.strike(Signal::KILL)).await;
        let now = Instant::now();
        // A stranger without any environment stays unsettled for ever.
        let none = found.members.is_empty() && (!found.unsettled || now >= settled);
        // One look may miss a process that is being born; a second may not.
        if (none && !struck) || now >= deadline {
            return found.members;
        }
        struck = !found.members.is_empty();
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(PAUSE.1);
    }
}

/// Those that still run although their shell has ended. Ones that are just
/// ending are given a moment.
pub(super) async fn survivors(tree: &Shared) -> Vec<Member> {
    let deadline = Instant::now() + SETTLE;
    let mut pause = PAUSE.0;
    loop {
        let found = off_runtime(tree, Tree::look).await;
        let settled = found.members.is_empty() && !found.unsettled;
        if settled || Instant::now() >= deadline {
            return found.members;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(PAUSE.1);
    }
}

/// Reading `/proc` may wait for a lock of the process that is looked at.
async fn off_runtime(tree: &Shared, work: fn(&mut Tree) -> Found) -> Found {
    let shared = Arc::clone(tree);
    let looking = tokio::task::spawn_blocking(move || {
        work(&mut shared.lock().unwrap_or_else(PoisonError::into_inner))
    });
    match tokio::time::timeout(STUCK, looking).await {
        Ok(Ok(found)) => found,
        Ok(Err(_)) | Err(_) => Found {
            members: Vec::new(),
            unsettled: true,
        },
    }
}

/// Numbers and command lines for people: `sleep 60 (pid 4711), …`, short,
/// without control characters. Reads `/proc`.
pub(super) async fn describe(members: Vec<Member>) -> String {
    let text = tokio::task::spawn_blocking(move || description(&members));
    text.await
        .unwrap_or_else(|_| "processes that could not be listed".to_owned())
}

fn description(members: &[Member]) -> String {
    let mut text = String::new();
    for member in members.iter().take(SHOWN.0) {
        let separator = if text.is_empty() { "" } else { ", " };
        let pid = member.pid.as_raw_nonzero();
        let _ = write!(text, "{separator}{} (pid {pid})", command_line(pid.get()));
    }
    if let Some(more) = members.len().checked_sub(SHOWN.0).filter(|more| *more > 0) {
        let _ = write!(text, ", and {more} more");
    }
    text
}

fn command_line(pid: i32) -> String {
    let start = |name: &str| -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(format!("/proc/{pid}/{name}"))?
            .take(1024)
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let mut bytes = start("cmdline").unwrap_or_default();
    if bytes.is_empty() {
        bytes = start("comm").unwrap_or_default();
    }
    let words = String::from_utf8_lossy(&bytes).replace(['\0', '\n'], " ");
    let whole: String = words.trim().chars().map(visible).collect();
    match whole.char_indices().nth(SHOWN.1) {
        Some((at, _)) => format!("{}…", whole.get(..at).unwrap_or_default()),
        None if whole.is_empty() => "a process".to_owned(),
        None => whole,
    }
}

/// No text of a command may pass for something else: no controls, nothing
/// that reorders or hides, no brackets like those around our own notes.
fn visible(character: char) -> char {
    match character {
        '[' => '(',
        ']' => ')',
        ' '..='~' => character,
        c if c.is_alphanumeric() => c,
        _ => '?',
    }
}

/// The fields of `/proc/<pid>/stat` that matter here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stat {
    pid: i32,
    state: u8,
    parent: i32,
    session: i32,
    flags: u64,
    threads: i64,
    start: u64,
}

impl Stat {
    fn of(pid: i32) -> Option<Self> {
        let mut text = [0; 1024];
        let mut file = File::open(format!("/proc/{pid}/stat")).ok()?;
        let length = file.read(&mut text).ok()?;
        Self::parse(pid, text.get(..length)?)
    }

    /// The name in parentheses is the process's own choice and may hold
    /// anything, so fields are counted from the last parenthesis.
    fn parse(pid: i32, text: &[u8]) -> Option<Self> {
        let after = memchr::memrchr(b')', text)?;
        let rest = str::from_utf8(text.get(after + 1..)?).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().take(20).collect();
        // proc(5) numbers them from 1; the state is field 3.
        let field = |number: usize| fields.get(number - 3).copied();
        Some(Stat {
            pid,
            state: *field(3)?.as_bytes().first()?,
            parent: field(4)?.parse().ok()?,
            session: field(6)?.parse().ok()?,
            flags: field(9)?.parse().ok()?,
            threads: field(20)?.parse().ok()?,
            start: field(22)?.parse().ok()?,
        })
    }

    /// A zombie first thread with other threads is alive.
    fn is_alive(&self) -> bool {
        !matches!(self.state, b'Z' | b'X' | b'x') || self.threads > 1
    }

    fn is_kernel_thread(&self) -> bool {
        const PF_KTHREAD: u64 = 0x0020_0000;
        self.flags & PF_KTHREAD != 0
    }
}

fn all_processes() -> Vec<Stat> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(Stat::of)
        .collect()
}

#[cfg(test)]
mod tests;
