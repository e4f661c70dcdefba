//! Git: directories it is sent to, configuration that names programs, verbs
//! that run what they are given.

mod config;
mod repository;
mod runs;

use bashgate_guest::policy::{Access, Origin};

use crate::output::kind;

use super::hooks::connect;
use super::path::{Base, child};
use super::program::{Command, words_from};
use super::reader::{Given, Item};
use super::wrapper::joined;
use super::{Meaning, PathText};

/// `git`.
pub fn git(command: &Command<'_, '_>, meaning: &mut Meaning) {
    let verb = meaning.identity.get(1).copied();
    let base = command.touch(meaning, &command.grammar());
    connect(command, meaning);
    let Some(at) = verb else { return };
    let verb = command.text(at);
    meaning.git_runs = runs::runs(command, verb, &base);
    match verb {
        Some("config") => configure(command, &base, meaning),
        Some("clean") => clean(command, at, &base, meaning),
        Some("bisect") if sub(command) == Some("run") && command.from < command.fields.len() => {
            meaning.starts = words_from(command.from);
            meaning.touches.retain(|touch| touch.field < command.from);
        }
        Some("submodule") if sub(command) == Some("foreach") => {
            let from = command.operands().first().copied();
            if let Some(from) = from {
                meaning.starts = joined(command, from);
                meaning.touches.retain(|touch| touch.field < from);
                meaning.doubts.push((
                    kind::UNKNOWN_WORKDIR,
                    "it runs in the directory of each submodule".to_owned(),
                ));
            }
        }
        Some("difftool" | "mergetool") => {
            let mut toucher = command.toucher(meaning, Base::Unit);
            toucher.push(at, None, Access::Execute, Origin::Program);
        }
        _ => {}
    }
}

/// The word behind the verb, where that is a subcommand.
fn sub<'k>(command: &'k Command<'_, '_>) -> Option<&'k str> {
    command.key.split(' ').nth(2)
}

/// `git clean` without paths cleans the directory.
fn clean(command: &Command<'_, '_>, at: usize, base: &Base, meaning: &mut Meaning) {
    if command.operands().is_empty() && !command.has(&["-n", "--dry-run"]) {
        let mut toucher = command.toucher(meaning, base.clone());
        toucher.push(
            at,
            Some(PathText::Known("./*".to_owned())),
            Access::Delete,
            Origin::Program,
        );
    }
}

/// `git config`: reading is nothing; a key that names a program is like
/// writing the file.
fn configure(command: &Command<'_, '_>, base: &Base, meaning: &mut Meaning) {
    let mut operands = command.operands();
    let mut file = None;
    let mut reads = false;
    let mut edits = false;
    let mut changes = false;
    let mut section = false;
    let mut unsure = false;
    for item in &command.items {
        match item {
            Item::Other { field, name, value } => match name.as_str() {
                "-f" | "--file" => {
                    file = Some((*field, value.map(Given::Part)));
                }
                _ if name.starts_with("--get") || matches!(name.as_str(), "--list" | "-l") => {
                    reads = true
                }
                "-e" | "--edit" => edits = true,
                "--rename-section" | "--remove-section" => (changes, section) = (true, true),
                "--add" | "--unset" | "--unset-all" | "--replace-all" => changes = true,
                // Names of values, given as the next word.
                "--type" | "--default" | "--blob" | "--comment" | "--value" | "--url"
                    if value.is_none() =>
                {
                    operands.retain(|operand| *operand != field + 1);
                }
                _ => {}
            },
            Item::Perhaps(_) => unsure = true,
            Item::Option { .. } | Item::Operand(_) => {}
        }
    }
    if let Some((field, None)) = file {
        operands.retain(|operand| *operand != field + 1);
        file = match command.whole(field + 1) {
            Some((field, given)) => Some((field, Some(given))),
            None => Some((field, None)),
        };
    }
    // `git config get NAME`, as newer versions have it.
    match operands.first().and_then(|field| command.text(*field)) {
        Some("get" | "list") => reads = true,
        Some("set" | "unset") => {
            changes = true;
            operands.remove(0);
        }
        Some("rename-section" | "remove-section") => {
            (changes, section) = (true, true);
            operands.remove(0);
        }
        Some("edit") => edits = true,
        _ => {}
    }
    let writes = edits || changes || (!reads && operands.len() > 1);
    let mut toucher = command.toucher(meaning, base.clone());
    if let Some((field, given)) = file {
        let access = if writes { Access::Write } else { Access::Read };
        match given {
            Some(given) => toucher.path(field, given, access, Origin::OptionArgument),
            None => toucher.push(field, None, access, Origin::OptionArgument),
        }
    }
    if !writes {
        if unsure {
            toucher.push(0, None, Access::Write, Origin::OptionArgument);
        }
        return;
    }
    let keys: &[usize] = if section {
        &operands
    } else {
        operands.get(..1).unwrap_or_default()
    };
    let names_a_program = |field: &usize| match command.text(*field) {
        Some(key) if section => config::names_a_program(&format!("{key}.")),
        Some(key) => config::names_a_program(key),
        None => false,
    };
    let shown = keys.first().copied().unwrap_or(0);
    if edits || keys.iter().any(names_a_program) {
        let path = PathText::Known(child(".git", "config"));
        toucher.push(shown, Some(path), Access::Write, Origin::Operand);
    } else if unsure || keys.is_empty() || keys.iter().any(|field| command.text(*field).is_none()) {
        toucher.push(shown, None, Access::Write, Origin::Operand);
    }
}
