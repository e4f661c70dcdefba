//! What the host's source must not hold. The lines looked at are those of
//! code: comments and tests are left out.

use std::fs;
use std::path::{Path, PathBuf};

/// A line of code of the host.
struct Line {
    /// Below `host/src`, with `/`.
    file: String,
    number: usize,
    text: String,
}

impl Line {
    fn is_in(&self, room: &str) -> bool {
        self.file == format!("{room}.rs") || self.file.starts_with(&format!("{room}/"))
    }

    fn place(&self) -> String {
        format!(
            "host/src/{}:{}: {}",
            self.file,
            self.number,
            self.text.trim()
        )
    }
}

fn workspace() -> PathBuf {
    let corpus = bashgate_tests::corpus::folder();
    corpus.ancestors().nth(2).unwrap().to_owned()
}

fn host_lines() -> Vec<Line> {
    let root = workspace().join("host/src");
    let mut lines = Vec::new();
    for path in files(&root) {
        let file = path
            .strip_prefix(&root)
            .unwrap()
            .to_string_lossy()
            .into_owned();
        if file.ends_with("tests.rs") || file.contains("tests/") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        // Tests inside a file stand at its end.
        let code = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            if !line.trim_start().starts_with("//") {
                lines.push(Line {
                    file: file.clone(),
                    number: number + 1,
                    text: line.to_owned(),
                });
            }
        }
    }
    assert!(lines.len() > 1000, "the host's source is not where it was");
    lines
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[track_caller]
fn assert_none(what: &str, is_one: impl Fn(&Line) -> bool) {
    let found: Vec<String> = host_lines()
        .iter()
        .filter(|line| is_one(line))
        .map(Line::place)
        .collect();
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

#[test]
fn only_process_starts_a_process() {
    const STARTS: [&str; 9] = [
        "Command::new",
        "posix_spawn",
        "execve",
        "execvp",
        "fexecve",
        "libc::fork",
        "vfork",
        "libc::clone",
        "libc::system",
    ];
    assert_none("only process/ starts a process", |line| {
        !line.is_in("process") && STARTS.iter().any(|start| line.text.contains(start))
    });
}

#[test]
fn only_the_executor_has_processes_started() {
    // Its types others may name; what starts something they may not call.
    const STARTS: [&str; 4] = [
        "process::run",
        "process::spawn",
        "process::login::login_environment",
        "login_environment(",
    ];
    assert_none("only executor.rs calls what starts a process", |line| {
        !line.is_in("process")
            && !line.is_in("executor")
            && STARTS.iter().any(|start| line.text.contains(start))
    });
}

#[test]
fn arrows_point_down() {
    for (room, never) in [
        (
            "output",
            &["guest", "gate", "process", "executor", "session", "surface"][..],
        ),
        (
            "process",
            &["guest", "gate", "executor", "session", "surface"],
        ),
        (
            "guest",
            &["gate", "process", "executor", "session", "surface"],
        ),
        ("gate", &["process", "executor", "session", "surface"]),
        ("executor", &["session", "surface"]),
        ("session", &["surface"]),
    ] {
        assert_none(&format!("{room} knows no {}", never.join(", ")), |line| {
            line.is_in(room)
                && never.iter().any(|other| {
                    let used = format!("crate::{other}");
                    line.text.match_indices(&used).any(|(at, _)| {
                        // `crate::guest` and not `crate::guests`.
                        let rest = line.text.get(at + used.len()..).unwrap_or_default();
                        !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_')
                    })
                })
        });
    }
}

#[test]
fn the_host_knows_no_command() {
    // The environment's hardening gives variables their values, programs among
    // them; it knows nothing of what those do.
    const PROGRAMS: [&str; 27] = [
        "git", "rm", "mv", "cp", "sudo", "env", "xargs", "find", "grep", "rg", "sed", "awk", "npm",
        "cargo", "curl", "docker", "ssh", "touch", "chmod", "python3", "node", "make", "timeout",
        "nice", "eval", "push", "kubectl",
    ];
    assert_none("the host names no command", |line| {
        !line.is_in("process/environment")
            && PROGRAMS
                .iter()
                .any(|program| line.text.contains(&format!("\"{program}\"")))
    });
}

#[test]
fn the_host_has_no_parser_and_no_schema() {
    let manifest = fs::read_to_string(workspace().join("host/Cargo.toml")).unwrap();
    let dependencies = manifest.split("[dev-dependencies]").next().unwrap();
    for parser in ["tree-sitter", "brush", "shlex", "regex", "conch", "yash"] {
        let named = dependencies.lines().any(|line| line.starts_with(parser));
        assert!(!named, "the host depends on {parser}");
    }
    const SCHEMA: [&str; 3] = ["\"properties\"", "\"arity\"", "sandbox_permissions"];
    assert_none("the host holds no tool schema and no arity", |line| {
        SCHEMA.iter().any(|part| line.text.contains(part))
    });
}

#[test]
fn a_policy_world_imports_nothing() {
    let wit = fs::read_to_string(workspace().join("wit/policy/policy.wit")).unwrap();
    let world = wit
        .lines()
        .find(|line| line.starts_with("world policy-guest"))
        .unwrap();
    assert!(
        world.contains("export policy") && !world.contains("import"),
        "{world}"
    );
}

#[test]
fn only_a_surface_prints() {
    assert_none("only surface/ prints", |line| {
        let prints = ["println!", "print!(", "stdout()", "stderr()"];
        !line.is_in("surface")
            && line.file != "main.rs"
            && prints.iter().any(|print| line.text.contains(print))
    });
}

#[test]
fn every_unsafe_block_gives_its_argument() {
    // Clippy holds the same for blocks; this also holds it for tests' support.
    for folder in ["host/src", "tests/src", "tests/guests/examples"] {
        for path in files(&workspace().join(folder)) {
            let text = fs::read_to_string(&path).unwrap();
            let lines: Vec<&str> = text.lines().collect();
            for (number, line) in lines.iter().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                if !code.contains("unsafe {") {
                    continue;
                }
                let before = lines
                    .get(number.saturating_sub(8)..=number)
                    .unwrap_or_default();
                let argued = before.iter().any(|line| line.contains("SAFETY:"));
                assert!(
                    argued,
                    "{}:{} has no SAFETY argument",
                    path.display(),
                    number + 1
                );
            }
        }
    }
}
