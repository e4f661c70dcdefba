//! What the system says about processes, for tests that must not take the
//! host's word.

use std::time::{Duration, Instant};

/// Waits until some process, or none any more, has `pattern` in its command
/// line; whether that came about in time.
#[must_use]
pub fn wait_until(there: bool, pattern: &str, limit: Duration) -> bool {
    let end = Instant::now() + limit;
    while with(pattern).is_empty() == there {
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
