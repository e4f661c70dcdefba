//! The command on a terminal: what a person sees, and types.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, ioctl_tiocsctty, setsid};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::program::{Program, ends_within};

/// How long a person waits for something to appear.
const PATIENCE: Duration = Duration::from_secs(20);

/// A start of the command whose standard streams are a terminal of its own,
/// 120 columns wide.
pub struct Terminal {
    master: File,
    child: Child,
    raw: Vec<u8>,
    /// How much of the plain text was already waited for.
    read: usize,
}

impl Terminal {
    /// Starts the program on a new terminal.
    ///
    /// # Panics
    ///
    /// When there is no terminal to be had or the program does not start.
    #[must_use]
    pub fn start(program: &Program) -> Self {
        let (master, slave) = pair();
        let mut command = program.command();
        command
            .stdin(clone(&slave))
            .stdout(clone(&slave))
            .stderr(Stdio::from(slave));
        // SAFETY: between fork and exec only two system calls are made, on
        // descriptor 0, which is open there; neither allocates or locks.
        unsafe {
            command.pre_exec(|| {
                setsid()?;
                ioctl_tiocsctty(rustix::stdio::stdin())?;
                Ok(())
            });
        }
        let child = command.spawn().expect("the command starts on a terminal");
        // The command holds the slave's descriptors; the end shows only once
        // nobody else does.
        drop(command);
        Self {
            master: File::from(master),
            child,
            raw: Vec::new(),
            read: 0,
        }
    }

    /// Waits until `text` shows behind all that was waited for before.
    ///
    /// # Panics
    ///
    /// When it does not show in time, with all that did.
    #[track_caller]
    pub fn wait_for(&mut self, text: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            let shown = self.text();
            let rest = shown.get(self.read..).unwrap_or_default();
            if let Some(at) = rest.find(text) {
                self.read += at + text.len();
                return;
            }
            assert!(
                self.fill(end),
                "`{text}` does not show behind byte {}; what shows:\n{shown}",
                self.read
            );
        }
    }

    /// Types.
    ///
    /// # Panics
    ///
    /// When the terminal is gone.
    pub fn send(&mut self, keys: &str) {
        self.master
            .write_all(keys.as_bytes())
            .expect("a terminal takes what is typed");
    }

    /// Waits for the end; the exit code and all that showed, without control
    /// sequences.
    ///
    /// # Panics
    ///
    /// When it does not end in time, with all that showed.
    #[track_caller]
    pub fn end(mut self) -> (Option<i32>, String) {
        let end = Instant::now() + PATIENCE;
        while self.fill(end) {}
        let shown = self.text();
        let left = end.saturating_duration_since(Instant::now());
        assert!(
            ends_within(Pid::from_child(&self.child), left),
            "it does not end; what shows:\n{shown}"
        );
        let status = self.child.wait().expect("a child can be waited for");
        (status.code(), shown)
    }

    /// All that showed so far, without control sequences.
    #[must_use]
    pub fn text(&self) -> String {
        plain(&String::from_utf8_lossy(&self.raw))
    }

    /// Reads what comes next; false at the end of it, or of time.
    fn fill(&mut self, end: Instant) -> bool {
        let left = end.saturating_duration_since(Instant::now());
        let timeout = Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        };
        let mut watched = [PollFd::new(&self.master, PollFlags::IN)];
        if !matches!(poll(&mut watched, Some(&timeout)), Ok(1..)) {
            return false;
        }
        let mut chunk = [0; 4096];
        // When the last holder of the other side is gone, this is an error.
        let Ok(count) = self.master.read(&mut chunk) else {
            return false;
        };
        self.raw
            .extend_from_slice(chunk.get(..count).unwrap_or_default());
        count > 0
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Both fail on a child that has ended, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn pair() -> (OwnedFd, OwnedFd) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)
        .expect("a new terminal");
    grantpt(&master).expect("a terminal of one's own");
    unlockpt(&master).expect("a terminal that opens");
    let name = ptsname(&master, Vec::new()).expect("a terminal has a name");
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let slave = rustix::fs::open(name.as_c_str(), flags, Mode::empty()).expect("its other side");
    let size = Winsize {
        ws_row: 40,
        ws_col: 120,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&slave, size).expect("a terminal has a size");
    (master, slave)
}

fn clone(slave: &OwnedFd) -> Stdio {
    Stdio::from(slave.try_clone().expect("a descriptor can be cloned"))
}

/// The text without control sequences and carriage returns.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => match characters.next() {
                Some('[') => {
                    // Parameters end at the first letter or the like.
                    while characters
                        .next()
                        .is_some_and(|next| !('@'..='~').contains(&next))
                    {}
                }
                Some(']') => {
                    while let Some(next) = characters.next() {
                        if next == '\u{7}' {
                            break;
                        }
                        if next == '\u{1b}' {
                            characters.next_if_eq(&'\\');
                            break;
                        }
                    }
                }
                _ => {}
            },
            '\r' => {}
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{Terminal, plain};
    use crate::program::Program;

    #[test]
    fn control_sequences_are_dropped() {
        let text = "a\u{1b}[1;31mb\u{1b}[0m\r\n\u{1b}]0;t\u{7}c\u{1b}]8;;\u{1b}\\d";
        assert_eq!(plain(text), "ab\ncd");
    }

    #[test]
    fn a_person_reads_and_types() {
        let path = [("PATH".into(), std::env::var_os("PATH").unwrap())];
        let script =
            "test -t 0 && test -t 1 && read -p 'name? ' x && echo \"hi $x\" >/dev/tty; exit 3";
        let program = Program::new("/bin/bash".as_ref(), "/".as_ref(), &path).args(["-c", script]);
        let mut terminal = Terminal::start(&program);
        terminal.wait_for("name? ");
        terminal.send("you\n");
        terminal.wait_for("hi you");
        let (code, shown) = terminal.end();
        assert_eq!(code, Some(3), "{shown}");
    }
}
