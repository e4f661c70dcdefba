//! What commands mean, as data: in `*.txt` beside this file a line holds words,
//! a bar, and what is told of them.
//!
//! Words are separated by blanks; `'…'` holds blanks together, `$x` is a word
//! that only running can tell, `$*` one that may be several or none, `$#` some
//! digits, and an unquoted `*` makes a pattern.

mod git;

use std::fmt::Write as _;

use super::{Facts, Meaning, PathText, ShellChange, Starts, meaning, shell_script};
use crate::expand::Field;

/// A workspace of a few files.
struct Workspace;

const DIRECTORIES: &[&str] = &["sub", "../OUT", "src", "pkg"];
const FILES: &[(&str, &str)] = &[
    ("f", "x\n"),
    ("g", "x\n"),
    (
        "package.json",
        r#"{"scripts": {"build": "tsc -p .", "pretest": "lint", "test": "jest", "posttest": "clean", "x": "echo a"}}"#,
    ),
    ("pkg/package.json", r#"{"scripts": {"go": "make"}}"#),
];

impl Facts for Workspace {
    fn is_function(&self, _: &str) -> bool {
        false
    }

    fn read(&self, path: &str) -> Option<String> {
        FILES
            .iter()
            .find(|(name, _)| *name == path)
            .map(|(_, text)| (*text).to_owned())
    }

    fn exists(&self, path: &str) -> bool {
        let directory = path.trim_end_matches('.').trim_end_matches('/');
        DIRECTORIES.contains(&path)
            || DIRECTORIES.contains(&directory)
            || FILES.iter().any(|(name, _)| *name == path)
    }

    fn real(&self, _: &str) -> Option<String> {
        Some(String::from("/w"))
    }
}

/// The words of a line.
fn fields(text: &str) -> Vec<Field> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let mut word = String::new();
        let mut quoted = false;
        let mut pattern = false;
        let mut unknown = None;
        let mut end = rest.len();
        let mut letters = rest.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\'' => quoted = !quoted,
                ' ' if !quoted => {
                    end = at;
                    break;
                }
                '$' if !quoted => unknown = letters.next().map(|(_, kind)| kind),
                _ => {
                    pattern |= letter == '*' && !quoted;
                    word.push(letter);
                }
            }
        }
        let mut field = Field::known(&word);
        if let Some(kind) = unknown {
            field = Field {
                prefix: word,
                splits: kind == '*',
                ..Field::default()
            };
            field.number = kind == '#' && field.prefix.is_empty();
            field.tail_is_number = kind == '#';
        } else if pattern {
            field.pattern = Some(word);
        }
        found.push(field);
        rest = rest[end..].trim_start();
    }
    found
}

/// A meaning in one line.
fn told(meaning: &Meaning) -> String {
    let mut parts: Vec<String> = Vec::new();
    for touch in &meaning.touches {
        let path = match &touch.path {
            Some(PathText::Known(path)) => path.clone(),
            Some(PathText::Pattern(path)) => format!("glob {path}"),
            Some(PathText::OneOf(paths)) => paths.join("|"),
            Some(PathText::Within(path)) => format!("in {path}"),
            None => "?".to_owned(),
        };
        let access = format!("{:?}", touch.access);
        let access = access.rsplit("::").next().unwrap().to_lowercase();
        let base = touch
            .base
            .as_ref()
            .map(|base| format!(" from {base}"))
            .unwrap_or_default();
        parts.push(format!("{access} {path}{base}"));
    }
    match &meaning.starts {
        Starts::Nothing => {}
        Starts::Words {
            from,
            assignments,
            workdir,
            opaque,
            ends_allow,
            appends_unknown,
        } => {
            let mut text = format!("runs {from}");
            for (name, value) in assignments {
                write!(text, " {name}={}", value.as_deref().unwrap_or("?")).unwrap();
            }
            if let Some(workdir) = workdir {
                write!(text, " in {}", workdir.as_deref().unwrap_or("?")).unwrap();
            }
            text += if *opaque { " opaque" } else { "" };
            text += if ends_allow.is_some() { " ended" } else { "" };
            text += if *appends_unknown { " more" } else { "" };
            parts.push(text);
        }
        Starts::Commands { ranges, .. } => {
            let ranges: Vec<_> = ranges
                .iter()
                .map(|(from, to)| format!("{from}-{to}"))
                .collect();
            parts.push(format!("runs {}", ranges.join(" ")));
        }
        Starts::Script {
            text,
            arguments,
            own_shell,
            workdir,
            ..
        } => {
            let kind = if *own_shell { "script" } else { "evaluates" };
            let arguments = if arguments.is_empty() {
                String::new()
            } else {
                format!(" {arguments:?}")
            };
            let workdir = workdir
                .as_ref()
                .map(|dir| format!(" in {dir}"))
                .unwrap_or_default();
            parts.push(format!(
                "{kind} <{}>{arguments}{workdir}",
                text.replace('\n', "\\n")
            ));
        }
        Starts::File {
            path, own_shell, ..
        } => {
            parts.push(format!(
                "{} file {path}",
                if *own_shell { "runs" } else { "sources" }
            ));
        }
        Starts::StandardInput => parts.push("runs stdin".to_owned()),
        Starts::Unreadable { .. } => parts.push("unreadable".to_owned()),
    }
    parts.extend(
        meaning
            .doubts
            .iter()
            .map(|(kind, _)| format!("doubt {kind}")),
    );
    if meaning.ends_allow.is_some() {
        parts.push("ends allow".to_owned());
    }
    if meaning.interpreter {
        parts.push("interpreter".to_owned());
    }
    if let Some(key) = &meaning.git_runs {
        parts.push(format!("git runs {key}"));
    }
    if let Some(shell) = &meaning.shell {
        parts.push(changed(shell));
    }
    parts.join("; ")
}

fn changed(shell: &ShellChange) -> String {
    match shell {
        ShellChange::Assign { names } => {
            let names: Vec<_> = names
                .iter()
                .map(|(name, field, kind)| {
                    let field = field.map(|field| format!("@{field}")).unwrap_or_default();
                    format!("{}{field}:{kind:?}", name.as_deref().unwrap_or("?"))
                })
                .collect();
            format!("sets {}", names.join(" "))
        }
        other => format!("{other:?}"),
    }
}

/// Runs a file of cases.
fn check(name: &str, cases: &str) {
    let mut wrong = String::new();
    let mut count = 0;
    for line in cases
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
    {
        let (words, wanted) = line
            .rsplit_once(" | ")
            .map_or((line.trim_end_matches(" |"), ""), |(words, wanted)| {
                (words, wanted.trim())
            });
        let found = told(&meaning(&fields(words), &Workspace));
        count += 1;
        if found != wanted {
            writeln!(wrong, "{words}\n  wanted {wanted}\n  found  {found}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{name}:\n{wrong}");
    assert!(count > 10, "{name}: {count}");
}

#[test]
fn files() {
    check("files", include_str!("files.txt"));
}

#[test]
fn text_and_archives() {
    check("text", include_str!("text.txt"));
}

#[test]
fn network_and_clouds() {
    check("network", include_str!("network.txt"));
}

#[test]
fn builds() {
    check("build", include_str!("build.txt"));
}

#[test]
fn wrappers_and_shells() {
    check("wrapper", include_str!("wrapper.txt"));
}

#[test]
fn builtins() {
    check("builtin", include_str!("builtin.txt"));
}

#[test]
fn subcommands_are_identity() {
    let cases: &[(&str, &[usize])] = &[
        ("git -C sub push -f", &[0, 3]),
        ("git stash list", &[0, 1, 2]),
        ("git push origin", &[0, 1]),
        ("git --no-pager log x", &[0, 2]),
        ("git -c a=b commit", &[0, 3]),
        ("git", &[0]),
        ("git $x", &[0]),
        ("cargo +nightly build", &[0, 2]),
        ("cargo nextest run -p x", &[0, 1, 2]),
        ("npm run build", &[0, 1, 2]),
        ("npm install x", &[0, 1]),
        ("docker compose up -d", &[0, 1, 2]),
        ("docker compose -f x up", &[0, 1, 4]),
        ("docker run x", &[0, 1]),
        ("gh pr view 5", &[0, 1, 2]),
        ("gh api /rate_limit", &[0, 1]),
        ("kubectl get pods", &[0, 1]),
        ("kubectl config view", &[0, 1, 2]),
        ("aws s3 cp a b", &[0, 1, 2]),
        ("go mod tidy", &[0, 1, 2]),
        ("go test ./...", &[0, 1]),
        ("ls sub", &[0]),
        ("systemctl status x", &[0, 1]),
    ];
    for (words, wanted) in cases {
        assert_eq!(
            meaning(&fields(words), &Workspace).identity,
            *wanted,
            "{words}"
        );
    }
}

#[test]
fn who_is_known() {
    for (words, known, builtin) in [
        ("ls", true, false),
        ("/usr/bin/touch M", true, false),
        ("./ls", false, false),
        ("cd", true, true),
        ("/bin/echo x", true, false),
        ("unknown-prog-q", false, false),
        ("python3.12 x", true, false),
        ("gcc-13 x", true, false),
        ("ls2", false, false),
        ("$x y", false, false),
    ] {
        let found = meaning(&fields(words), &Workspace);
        assert_eq!((found.known, found.builtin), (known, builtin), "{words}");
    }
}

#[test]
fn no_words_lead_out_of_the_command() {
    let tails = [
        "",
        "--",
        "-",
        "$x",
        "$*",
        "-$x",
        "--output",
        "-o",
        "-C",
        "-c",
        "-n -n -n",
        "--x=$x y",
        "-xzvf",
        "é=ü -é",
        "-I{} {} +",
        "run",
        "run x --",
        "config -f",
        "-exec",
        "-S",
        "$# -t",
        "a b c $* d *.e",
        "--name=",
        "-t",
        "' ' ''",
        "set",
    ];
    for (key, _) in super::table::PROGRAMS {
        for tail in tails {
            let fields = fields(&format!("{key} {tail}"));
            let found = meaning(&fields, &Workspace);
            let inside = |at: &usize| *at < fields.len();
            assert!(
                found.touches.iter().all(|touch| inside(&touch.field)),
                "{key} {tail}"
            );
            assert!(found.identity.iter().all(inside), "{key} {tail}");
            match found.starts {
                Starts::Words { from, .. } => assert!(inside(&from), "{key} {tail}"),
                Starts::Commands { ranges, .. } => {
                    assert!(
                        ranges
                            .iter()
                            .all(|(from, to)| from < to && *to <= fields.len()),
                        "{key} {tail}"
                    );
                }
                Starts::Script {
                    fields, arguments, ..
                } => {
                    assert!(fields.iter().chain(&arguments).all(inside), "{key} {tail}");
                }
                Starts::File { field, .. } => assert!(inside(&field), "{key} {tail}"),
                Starts::Nothing | Starts::StandardInput | Starts::Unreadable { .. } => {}
            }
        }
    }
}

#[test]
fn first_lines_of_shell_scripts() {
    for line in [
        "#!/bin/sh",
        "#! /bin/bash -eu",
        "#!/usr/bin/env bash",
        "#!/usr/bin/env -S bash -e",
        "#!/bin/dash",
    ] {
        assert!(shell_script(line), "{line}");
    }
    for line in [
        "",
        "echo x",
        "#!/usr/bin/env python3",
        "#!/usr/bin/perl",
        "# sh",
        "#!",
    ] {
        assert!(!shell_script(line), "{line}");
    }
}
