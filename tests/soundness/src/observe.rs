//! What ran, from two logs: starts of programs, which `strace` writes, and
//! commands of a shell, which bash writes with `xtrace` on a descriptor of its
//! own.
//!
//! The first is what the system saw; the second knows builtins and functions
//! too, but not what other programs start.

use std::collections::{BTreeSet, HashMap};

/// The path that is never there: before each script it is tried once, so that
/// the log says where one begins.
pub const MARK: &str = "/bashgate-soundness/";

/// Something that ran.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ran {
    /// The last part of its path, or the name of a builtin or function.
    pub name: String,
    /// The argument that tells this place in the script from all others.
    pub marker: Option<String>,
}

/// The programs that each script of a batch started, by its number.
#[must_use]
pub fn started(log: &str) -> HashMap<usize, BTreeSet<Ran>> {
    let mut reading = Starts::default();
    for line in log.lines() {
        reading.line(line);
    }
    reading.found
}

#[derive(Default)]
struct Starts {
    found: HashMap<usize, BTreeSet<Ran>>,
    /// The script that runs.
    script: Option<usize>,
    /// The process whose next start is that of the script's own shell.
    shell: Option<String>,
    /// Starts that another process's line interrupts, by process.
    open: HashMap<String, String>,
}

impl Starts {
    fn line(&mut self, line: &str) {
        let Some((process, rest)) = line.split_once(' ') else {
            return;
        };
        let rest = rest.trim_start();
        if rest.starts_with("<... exec") {
            if let Some(path) = self.open.remove(process) {
                self.start(process, &path, rest);
            }
        } else if let Some(path) = started_path(rest) {
            if rest.ends_with("<unfinished ...>") {
                self.open.insert(process.to_owned(), path);
            } else {
                self.start(process, &path, rest);
            }
        }
    }

    fn start(&mut self, process: &str, path: &str, result: &str) {
        if let Some(number) = path.strip_prefix(MARK) {
            self.script = number.parse().ok();
            self.shell = Some(process.to_owned());
            return;
        }
        // Of a file that is no program bash runs the text itself.
        let ran = result.ends_with("= 0") || result.contains("= -1 ENOEXEC");
        let Some(script) = self.script.filter(|_| ran) else {
            return;
        };
        let found = self.found.entry(script).or_default();
        if self.shell.as_deref() == Some(process) {
            self.shell = None;
            return;
        }
        found.insert(Ran {
            name: base_name(path).to_owned(),
            marker: None,
        });
    }
}

/// The path in `execve("path", …` or `execveat(fd, "path", …`.
fn started_path(call: &str) -> Option<String> {
    if !call.starts_with("execve") {
        return None;
    }
    let start = call.find('"')? + 1;
    let mut bytes = Vec::new();
    let mut rest = call.get(start..)?.bytes().peekable();
    loop {
        match rest.next()? {
            b'"' => break,
            b'\\' => match rest.next()? {
                digit @ b'0'..=b'7' => {
                    let mut value = u32::from(digit - b'0');
                    for _ in 0..2 {
                        let Some(digit) = rest.next_if(|byte| (b'0'..=b'7').contains(byte)) else {
                            break;
                        };
                        value = value * 8 + u32::from(digit - b'0');
                    }
                    bytes.push(u8::try_from(value).unwrap_or(b'?'));
                }
                b'n' => bytes.push(b'\n'),
                b't' => bytes.push(b'\t'),
                b'r' => bytes.push(b'\r'),
                b'v' => bytes.push(0x0b),
                b'f' => bytes.push(0x0c),
                other => bytes.push(other),
            },
            other => bytes.push(other),
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The commands in a trace of bash whose prompt is the standard one, `+ `.
#[must_use]
pub fn traced(trace: &str) -> BTreeSet<Ran> {
    trace.lines().filter_map(traced_command).collect()
}

fn traced_command(line: &str) -> Option<Ran> {
    let words = line.strip_prefix('+')?.trim_start_matches('+');
    let words = words.strip_prefix(' ')?;
    let first = words.split(' ').next().unwrap_or_default();
    // What bash traces beside simple commands; an assignment runs nothing.
    if matches!(first, "[[" | "((" | "for" | "case" | "select") || is_assignment(first) {
        return None;
    }
    let mut words = Words(words);
    let name = words.next()?;
    let marker = words.next().filter(|word| is_marker(word));
    Some(Ran {
        name: base_name(&name).to_owned(),
        marker,
    })
}

fn is_assignment(word: &str) -> bool {
    let name = word
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(word.len());
    let (name, rest) = word.split_at(name);
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && (rest.starts_with('=') || rest.starts_with("+=") || rest.starts_with('['))
}

fn is_marker(word: &str) -> bool {
    word.strip_prefix('m')
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// The last part of a path.
#[must_use]
pub fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The words of a trace, as bash quotes them there.
struct Words<'a>(&'a str);

impl Iterator for Words<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        self.0 = self.0.trim_start_matches(' ');
        if self.0.is_empty() {
            return None;
        }
        let mut word = String::new();
        let mut rest = self.0.char_indices();
        while let Some((at, character)) = rest.next() {
            match character {
                ' ' => {
                    self.0 = self.0.get(at..).unwrap_or_default();
                    return Some(word);
                }
                '\'' => word.extend(rest.by_ref().map(|(_, c)| c).take_while(|c| *c != '\'')),
                '$' if self.0.get(at + 1..)?.starts_with('\'') => {
                    rest.next();
                    while let Some((_, character)) = rest.next() {
                        match character {
                            '\'' => break,
                            // What is written so is in no name of ours.
                            '\\' => word.push(rest.next()?.1),
                            other => word.push(other),
                        }
                    }
                }
                '\\' => word.push(rest.next()?.1),
                other => word.push(other),
            }
        }
        self.0 = "";
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::{Ran, started, traced};

    fn ran(name: &str, marker: Option<&str>) -> Ran {
        Ran {
            name: name.to_owned(),
            marker: marker.map(str::to_owned),
        }
    }

    #[test]
    fn starts_belong_to_the_script_that_runs() {
        let log = r#"7 execve("/bin/driver", ["driver"], 0x7 /* 3 vars */) = 0
8 execve("/bashgate-soundness/0", [""], 0x7 /* 0 vars */) = -1 ENOENT (No such file or directory)
8 execve("/bin/bash", ["bash", "-c", "p1|p2"...], 0x7 /* 3 vars */) = 0
9 execve("/x/p1", ["p1"], 0x7 /* 3 vars */ <unfinished ...>
10 execve("/x/p\303\2511", ["p"...], 0x7 /* 3 vars */) = 0
9 <... execve resumed>)             = 0
11 execve("/x/none", ["none"], 0x7 /* 3 vars */) = -1 ENOENT (No such file or directory)
11 execve("./text", ["./text"], 0x7 /* 3 vars */) = -1 ENOEXEC (Exec format error)
12 execve("/bashgate-soundness/1", [""], 0x7 /* 0 vars */) = -1 ENOENT (No such file or directory)
12 execve("/bin/bash", ["bash", "-c", "p1|p2"...], 0x7 /* 3 vars */) = 0
12 execve("/bin/p3", ["p3"], 0x7 /* 3 vars */) = 0
"#;
        let found = started(log);
        let of = |script| found[&script].iter().cloned().collect::<Vec<_>>();
        assert_eq!(
            of(0),
            [ran("p1", None), ran("p\u{e9}1", None), ran("text", None)]
        );
        assert_eq!(of(1), [ran("p3", None)]);
    }

    #[test]
    fn a_trace_says_names_and_markers() {
        let trace = "+ echo m1 a\n++ ./x/p2 'm2'\n+ x=1\n+ arr[0]='a b'\n+ [[ -n x ]]\n\
                     + '[' m3 = '' ']'\n+ for x in a\n+ $'a\\nb' m4\nnothing\n+ f1 m5\n";
        let found: Vec<Ran> = traced(trace).into_iter().collect();
        assert_eq!(
            found,
            [
                ran("[", Some("m3")),
                ran("anb", Some("m4")),
                ran("echo", Some("m1")),
                ran("f1", Some("m5")),
                ran("p2", Some("m2")),
            ]
        );
    }
}
