//! `env`: variables, a directory, text that it splits into words itself.

use crate::expand::is_name;

use super::path::Base;
use super::program::Command;
use super::reader::Item;
use super::variable::{Harm, assigned, run_later};
use super::{Meaning, Starts};

/// `env`: assignments, then the command.
pub fn env(command: &Command<'_, '_>, meaning: &mut Meaning) {
    if split_string(command, meaning) {
        return;
    }
    let base = command.touch_options(meaning);
    let mut from = command.from;
    let mut assignments: Vec<(String, Option<String>)> = Vec::new();
    let mut ends = None;
    // A single dash empties the environment, as `-i` does.
    while let Some(field) = command.fields.get(from) {
        let text = field.value.as_deref().unwrap_or(&field.prefix);
        if text == "-" && field.value.is_some() {
            from += 1;
            continue;
        }
        let Some((name, value)) = text.split_once('=') else {
            break;
        };
        let value = field.value.is_some().then(|| value.to_owned());
        ends = ends.or_else(|| harm(name));
        assignments.push((name.to_owned(), value));
        from += 1;
    }
    // Without PATH the system's own directories are searched.
    let lone = command
        .fields
        .get(command.from)
        .is_some_and(|field| field.value.as_deref() == Some("-"));
    if lone || command.has(&["-i", "--ignore-environment"]) {
        ends = ends.or_else(|| Some("`env -i` changes where programs are searched".to_owned()));
    }
    for name in unset(command) {
        ends = ends.or_else(|| harm(&name));
        // What is removed, no shell runs.
        let empty = run_later(&name, None).map(|_| String::new());
        assignments.push((name, empty));
    }
    if from >= command.fields.len() {
        return;
    }
    let workdir = match base {
        Base::Unit => None,
        Base::At(path) => Some(Some(path)),
        Base::Unknown => Some(None),
    };
    meaning.ends_allow = meaning.ends_allow.take().or(ends.clone());
    meaning.starts = Starts::Words {
        from,
        assignments,
        workdir,
        opaque: false,
        ends_allow: ends,
        appends_unknown: false,
    };
}

fn harm(name: &str) -> Option<String> {
    if !is_name(name) {
        return None;
    }
    match assigned(name) {
        Harm::EndsAllow(why) => Some(format!("`{name}` {why}")),
        Harm::None => None,
    }
}

/// Names that `env -u` removes.
fn unset(command: &Command<'_, '_>) -> Vec<String> {
    let names = command.items.iter().filter_map(|item| match item {
        Item::Option {
            opt,
            argument: Some((_, given)),
            ..
        } if matches!(opt.name, "-u" | "--unset") => {
            Some(given.text().unwrap_or_default().to_owned())
        }
        _ => None,
    });
    names.collect()
}

/// `env -S TEXT WORDS…`: the text is split into words, in front of the others.
fn split_string(command: &Command<'_, '_>, meaning: &mut Meaning) -> bool {
    let mut found = None;
    for (at, field) in command
        .fields
        .iter()
        .enumerate()
        .take(command.from + 1)
        .skip(1)
    {
        let Some(text) = field.value.as_deref() else {
            continue;
        };
        let long = text
            .split_once('=')
            .filter(|(name, _)| name.len() > 3 && "--split-string".starts_with(name));
        let short = text
            .strip_prefix('-')
            .filter(|rest| !rest.starts_with('-'))
            .and_then(|rest| rest.split_once('S'));
        let cluster = short.filter(|(before, _)| {
            before
                .chars()
                .all(|letter| matches!(letter, 'i' | '0' | 'v'))
        });
        let next = |rest: &str| {
            if rest.is_empty() {
                (at + 1, command.text(at + 1).map(str::to_owned))
            } else {
                (at, Some(rest.to_owned()))
            }
        };
        found = match (long, cluster) {
            (Some((_, value)), _) => Some((at, Some(value.to_owned()))),
            (_, Some((_, rest))) => Some(next(rest)),
            _ if text.len() > 3 && "--split-string".starts_with(text) => Some(next("")),
            _ => None,
        };
        if found.is_some() {
            break;
        }
        if !text.starts_with('-') && !text.contains('=') {
            return false;
        }
    }
    let Some((at, text)) = found else {
        return false;
    };
    let rest: Option<Vec<String>> = command
        .fields
        .get(at + 1..)
        .unwrap_or_default()
        .iter()
        .map(|field| field.value.as_deref().map(quoted))
        .collect();
    // Escapes and variables are `env`'s own; only plain text means the same to
    // a shell.
    let plain = text.filter(|text| {
        !text.contains([
            '\\', '$', '`', '"', '\'', '|', '&', ';', '<', '>', '(', ')', '*', '?', '[', '{', '~',
            '#', '!', '\n',
        ])
    });
    meaning.starts = match (plain, rest) {
        (Some(text), Some(rest)) => Starts::Script {
            text: format!("env {text} {}", rest.join(" "))
                .trim_end()
                .to_owned(),
            fields: vec![at],
            arguments: Vec::new(),
            own_shell: true,
            ends_allow: None,
            workdir: None,
        },
        _ => Starts::Unreadable {
            note: "`env -S` splits text that cannot be read here".to_owned(),
        },
    };
    true
}

/// A text as one word of a script.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
