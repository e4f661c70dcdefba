//! `tar`, `unzip`: archives that are read or written, by what the first word
//! asks for, and files that come out of them.

use bashgate_guest::policy::{Access, Origin};

use super::path::Base;
use super::program::Command;
use super::reader::{Given, Item, Reader};
use super::table::Arity;
use super::touching::words;
use super::{Meaning, PathText};

/// What is asked of `tar`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// The archive is written, from files.
    Create,
    /// Files are written, from the archive.
    Extract,
    /// Both are read.
    List,
}

/// `tar`, also in the old style: `tar cf x.tar y`.
pub fn tar(command: &Command<'_, '_>, meaning: &mut Meaning) {
    let old = command
        .fields
        .get(1)
        .and_then(|field| field.value.as_deref())
        .filter(|text| {
            !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric())
        });
    let Some(letters) = old else {
        return read(command, &command.items, meaning);
    };
    // Each letter takes its argument from the words behind, in order.
    let mut given = Vec::new();
    let mut next = 2;
    for letter in letters.chars() {
        let name = format!("-{letter}");
        let takes = command
            .inner()
            .option(&name)
            .is_some_and(|opt| opt.arity == Arity::One);
        given.push((name, takes.then_some(next)));
        next += usize::from(takes);
    }
    let mut items = Vec::new();
    for (name, argument) in &given {
        let argument = argument.and_then(|at| Some((at, Given::Whole(command.fields.get(at)?))));
        match command.inner().option(name) {
            Some(opt) => items.push(Item::Option {
                field: 1,
                opt,
                argument,
            }),
            None => items.push(Item::Other {
                field: 1,
                name: name.clone(),
                value: None,
            }),
        }
    }
    items.extend(Reader::new(command.fields, next, &command.specs));
    read(command, &items, meaning);
}

fn read(command: &Command<'_, '_>, items: &[Item<'_>], meaning: &mut Meaning) {
    let has = |names: &[&str]| {
        items
            .iter()
            .any(|item| item.name().is_some_and(|name| names.contains(&name)))
    };
    let mode = if has(&["-x", "--extract", "--get"]) {
        Mode::Extract
    } else if has(&[
        "-c",
        "-r",
        "-u",
        "-A",
        "--create",
        "--append",
        "--update",
        "--catenate",
        "--concatenate",
        "--delete",
    ]) {
        Mode::Create
    } else {
        Mode::List
    };
    let mut toucher = command.toucher(meaning, Base::Unit);
    toucher.perhaps(items, &command.specs);
    toucher.options(
        &items
            .iter()
            .filter(|item| !matches!(item.name(), Some("-C" | "--directory")))
            .cloned()
            .collect::<Vec<_>>(),
    );
    if has(&["--remove-files", "--recursive-unlink"]) {
        toucher.push(0, None, Access::Delete, Origin::OptionArgument);
    }
    let mut went = false;
    for item in items {
        let (field, given) = match item {
            Item::Option {
                opt,
                argument: Some((field, given)),
                ..
            } => match opt.name {
                "-C" | "--directory" => {
                    went = true;
                    toucher.base.enter(*given);
                    if mode == Mode::Extract {
                        let base = std::mem::take(&mut toucher.base);
                        match &base {
                            Base::At(path) => toucher.inside(
                                *field,
                                Given::Part(path),
                                Access::Write,
                                Origin::OptionArgument,
                            ),
                            _ => toucher.push(*field, None, Access::Write, Origin::OptionArgument),
                        }
                        toucher.base = base;
                    }
                    continue;
                }
                "--one-top-level" => {
                    toucher.inside(*field, *given, Access::Write, Origin::OptionArgument);
                    continue;
                }
                // The archive counts from where tar starts.
                "-f" | "--file" if mode == Mode::Create => (*field, (*given, Access::Write)),
                "-f" | "--file" => (*field, (*given, Access::Read)),
                _ => continue,
            },
            Item::Operand(field) | Item::Perhaps(field) if mode == Mode::Create => {
                if let Some(word) = command.fields.get(*field) {
                    toucher.path(*field, Given::Whole(word), Access::Read, Origin::Operand);
                }
                continue;
            }
            _ => continue,
        };
        let base = std::mem::take(&mut toucher.base);
        // `HOST:FILE` is reached through a remote shell.
        match given.0.text() {
            Some(text)
                if text
                    .split('/')
                    .next()
                    .is_some_and(|first| first.contains(':'))
                    && !has(&["--force-local"]) =>
            {
                toucher.push(field, None, Access::Connect, Origin::OptionArgument);
            }
            _ => toucher.path(field, given.0, given.1, Origin::OptionArgument),
        }
        toucher.base = base;
    }
    if mode == Mode::Extract && !went && !has(&["-O", "--to-stdout", "--one-top-level"]) {
        toucher.push(
            0,
            Some(PathText::Known("./*".to_owned())),
            Access::Write,
            Origin::Program,
        );
    }
}

/// `unzip`: into a directory, or into this one.
pub fn unzip(command: &Command<'_, '_>, meaning: &mut Meaning) {
    command.touch(meaning, &command.grammar());
    let only_looks = command.has(&["-l", "-t", "-p", "-c", "-z", "-v", "-Z", "-d"]);
    if !only_looks && !words(&command.items).is_empty() {
        let mut toucher = command.toucher(meaning, Base::Unit);
        toucher.push(
            0,
            Some(PathText::Known("./*".to_owned())),
            Access::Write,
            Origin::Program,
        );
    }
}
