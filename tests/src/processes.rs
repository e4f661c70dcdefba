//! What the system says about processes, for tests that must not take the
//! host's word.

use std::time::{Duration, Instant};

/// Waits until some process runs whose command line begins with `pattern`, or
/// until none has it anywhere in its command line any more; whether that came
/// about in time. (A shell has the commands of its script in its command line
/// before it starts them.)
#[must_use]
pub fn wait_until(there: bool, pattern: &str, limit: Duration) -> bool {
    let end = Instant::now() + limit;
    let begins = |line: &String| {
        let command = line.split_once(' ').map_or("", |(_, command)| command);
        command.starts_with(pattern)
    };
    let reached = || {
        let found = with(pattern);
        if there {
            found.iter().any(begins)
        } else {
            found.is_empty()
        }
    };
    while !reached() {
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}

/// The processes whose command line has `pattern` in it, as `pid command`.
#[must_use]
pub fn with(pattern: &str) -> Vec<String> {
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == own || !name.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let Ok(line) = std::fs::read(entry.path().join("cmdline")) else {
            continue;
        };
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(pattern) {
            found.push(format!("{name} {}", line.trim()));
        }
    }
    found
}
