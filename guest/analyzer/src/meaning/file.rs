//! Programs that copy, link and test files, where the table is not enough:
//! destinations that are directories, links that hand over what they lead to.

use bashgate_guest::policy::{Access, Origin};

use crate::expand::Field;

use super::path::{Base, child};
use super::program::Command;
use super::reader::Given;
use super::table::Operands;
use super::touching::Toucher;
use super::{Meaning, PathText};

/// `cp`, `mv`, `install`.
pub fn copy(command: &Command<'_, '_>, meaning: &mut Meaning) {
    let grammar = command.grammar();
    // `install -d` makes directories; there is no destination.
    if grammar.tail.is_empty() {
        command.touch(meaning, &grammar);
        return;
    }
    let operands = command.operands();
    let target = command.argument(&["-t", "--target-directory"]);
    let (sources, destination) = match (target, operands.split_last()) {
        (Some(target), _) => (operands.as_slice(), Some(target)),
        (None, Some((last, sources))) if !sources.is_empty() || is_several(command, *last) => {
            (sources, command.whole(*last))
        }
        (None, _) => (operands.as_slice(), None),
    };
    let only_sources = Operands {
        tail: &[],
        ..grammar
    };
    let unclear = operands
        .iter()
        .any(|field| command.fields.get(*field).is_some_and(|field| field.splits));
    command.touch(
        meaning,
        if target.is_some() {
            &only_sources
        } else if unclear {
            &grammar
        } else {
            &NONE
        },
    );
    let links = command.has(&["-l", "-s", "--link", "--symbolic-link"]);
    let mut toucher = command.toucher(meaning, Base::Unit);
    if target.is_none() && !unclear {
        let all =
            if destination.is_some_and(|(last, _)| target.is_none() && is_several(command, last)) {
                &operands
            } else {
                &sources.to_vec()
            };
        toucher.operands(all, &only_sources);
    }
    if links {
        toucher.operands(sources, &WRITTEN);
    }
    if let Some(destination) = destination {
        let must_be_directory = target.is_some() || sources.len() > 1;
        arrive(
            &mut toucher,
            sources,
            destination,
            must_be_directory && !command.has(&["-T", "--no-target-directory"]),
        );
    }
}

const NONE: Operands = Operands {
    head: &[],
    rest: Some(super::table::Take::Text),
    tail: &[],
};
const WRITTEN: Operands = Operands {
    head: &[],
    rest: Some(super::table::Take::Write),
    tail: &[],
};

/// Whether a word may become several.
fn is_several(command: &Command<'_, '_>, field: usize) -> bool {
    command
        .fields
        .get(field)
        .is_some_and(|field| field.splits || field.pattern.is_some())
}

/// What is written at a destination: the file itself, or in a directory one
/// of each source's name.
fn arrive(
    toucher: &mut Toucher<'_, '_>,
    sources: &[usize],
    (destination, given): (usize, Given<'_>),
    directory: bool,
) {
    let pattern = matches!(given, Given::Whole(word) if word.pattern.is_some());
    let text = match given.text() {
        Some(text) if !pattern && (directory || toucher.is_directory(text)) => text,
        _ => return toucher.path(destination, given, Access::Write, Origin::Operand),
    };
    for source in sources {
        let name = toucher.fields.get(*source).and_then(last_part);
        // Of hidden names one may be a protected one.
        let path = match name {
            Some(name)
                if toucher
                    .fields
                    .get(*source)
                    .is_some_and(|field| field.pattern.is_some()) =>
            {
                (!name.starts_with(['.', '['])).then(|| child(text, name))
            }
            Some(name) => Some(child(text, name)),
            None => Some(child(text, "*")),
        };
        toucher.push(
            destination,
            path.map(PathText::Known),
            Access::Write,
            Origin::Operand,
        );
    }
    if sources.is_empty() {
        toucher.inside(destination, given, Access::Write, Origin::Operand);
    }
}

/// The name that a source keeps; none where its content goes there (`x/.`).
fn last_part(field: &Field) -> Option<&str> {
    let text = field.value.as_deref()?.trim_end_matches('/');
    let name = text.rsplit('/').next()?;
    (!matches!(name, "" | "." | "..")).then_some(name)
}

/// `ln`, `link`. What a link leads to can be written through it from then on.
pub fn link(command: &Command<'_, '_>, meaning: &mut Meaning) {
    command.touch(meaning, &NONE);
    let operands = command.operands();
    let symbolic = command.has(&["-s", "--symbolic"]) && !command.has(&["-r", "--relative"]);
    let target = command.argument(&["-t", "--target-directory"]);
    let (sources, destination) = match (target, operands.split_last()) {
        (Some(target), _) => (operands.as_slice(), Some(target)),
        (None, Some((last, sources))) if !sources.is_empty() => (sources, command.whole(*last)),
        (None, _) => (operands.as_slice(), None),
    };
    let mut toucher = command.toucher(meaning, Base::Unit);
    match destination {
        Some(destination) => arrive(
            &mut toucher,
            sources,
            destination,
            target.is_some() || sources.len() > 1,
        ),
        None => {
            for source in sources {
                let name = toucher.fields.get(*source).and_then(last_part);
                let path = name.map(|name| PathText::Known(child(".", name)));
                toucher.push(*source, path, Access::Write, Origin::Operand);
            }
        }
    }
    if symbolic {
        toucher.base = link_base(&toucher, destination, target.is_some() || sources.len() > 1);
    }
    toucher.operands(sources, &WRITTEN);
}

/// The directory that a symbolic link lies in.
fn link_base(
    toucher: &Toucher<'_, '_>,
    destination: Option<(usize, Given<'_>)>,
    directory: bool,
) -> Base {
    let Some((_, given)) = destination else {
        return Base::Unit;
    };
    match given.text() {
        Some(text) if directory || toucher.is_directory(text) => Base::At(text.to_owned()),
        Some(text) => match text.rsplit_once('/') {
            Some(("", _)) => Base::At("/".to_owned()),
            Some((parent, _)) => Base::At(parent.to_owned()),
            None => Base::Unit,
        },
        None => Base::Unknown,
    }
}

/// `dd`: operands are settings.
pub fn dd(command: &Command<'_, '_>, meaning: &mut Meaning) {
    let mut toucher = command.toucher(meaning, Base::Unit);
    for (at, field) in command.fields.iter().enumerate().skip(1) {
        let (text, known) = match &field.value {
            Some(value) => (value.as_str(), true),
            None => (field.prefix.as_str(), false),
        };
        let access = if text.starts_with("of=") {
            Access::Write
        } else if text.starts_with("if=") {
            Access::Read
        } else if known || "of=".len() <= text.len() {
            continue;
        } else {
            // It may be either.
            toucher.push(at, None, Access::Write, Origin::Operand);
            continue;
        };
        let given = if known {
            Given::Part(text.get(3..).unwrap_or_default())
        } else {
            Given::Unknown
        };
        toucher.path(at, given, access, Origin::Operand);
    }
}

/// `test`, `[`: whether files are there, and of what kind.
pub fn test(command: &Command<'_, '_>, meaning: &mut Meaning) {
    let text = |at: usize| command.text(at).unwrap_or_default();
    let mut toucher = command.toucher(meaning, Base::Unit);
    for at in 1..command.fields.len() {
        let is_file = matches!(
            text(at),
            "-b" | "-c"
                | "-d"
                | "-e"
                | "-f"
                | "-g"
                | "-h"
                | "-k"
                | "-L"
                | "-O"
                | "-G"
                | "-N"
                | "-p"
                | "-r"
                | "-s"
                | "-S"
                | "-u"
                | "-w"
                | "-x"
        ) || (text(at) == "-a" && at == 1);
        let compares = matches!(text(at), "-nt" | "-ot" | "-ef");
        let mut look = |at: usize| {
            // A test of what only running can tell gives away one bit.
            if let Some(path) = command
                .fields
                .get(at)
                .and_then(|field| field.value.as_deref())
            {
                toucher.path(at, Given::Part(path), Access::Read, Origin::Operand);
            }
        };
        if is_file && text(at + 1) != "]" {
            look(at + 1);
        }
        if compares {
            look(at - 1);
            look(at + 1);
        }
    }
}
