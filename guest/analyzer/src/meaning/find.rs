//! `find`: start paths, then an expression whose words may run, write and
//! delete.

use bashgate_guest::policy::{Access, Origin};

use crate::expand::Field;
use crate::output::kind;

use super::path::{Base, child};
use super::program::Command;
use super::reader::Given;
use super::touching::Toucher;
use super::{Meaning, PathText, Starts};

/// Words of the expression with one argument that is no file.
const TEXT: &[&str] = &[
    "-amin",
    "-atime",
    "-cmin",
    "-context",
    "-ctime",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-regextype",
    "-size",
    "-type",
    "-uid",
    "-used",
    "-user",
    "-wholename",
    "-xtype",
];
/// Tests that choose by name.
const NAMES: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-regex",
    "-iregex",
    "-wholename",
    "-iwholename",
];

/// `find`.
pub fn find(command: &Command<'_, '_>, meaning: &mut Meaning) {
    let starts = starts(command.fields);
    let mut toucher = command.toucher(meaning, Base::Unit);
    for at in starts.clone() {
        if let Some(word) = command.fields.get(at) {
            toucher.path(at, Given::Whole(word), Access::Read, Origin::Operand);
        }
    }
    if starts.is_empty() {
        toucher.push(
            0,
            Some(PathText::Known(".".to_owned())),
            Access::Read,
            Origin::Program,
        );
    }
    let mut expression = Expression {
        at: starts.end,
        deletes: None,
        filtered: false,
        either: false,
        ranges: Vec::new(),
    };
    let mut elsewhere = false;
    while let Some(word) = command.fields.get(expression.at) {
        elsewhere |= expression.word(word, &mut toucher);
    }
    expression.delete(starts, &mut toucher);
    if elsewhere {
        let note = "`-execdir` runs it in directories that only running can tell".to_owned();
        meaning.doubts.push((kind::UNKNOWN_WORKDIR, note));
    }
    if !expression.ranges.is_empty() {
        meaning.starts = Starts::Commands {
            ranges: expression.ranges,
            appends_unknown: true,
        };
    }
}

/// The fields that are start paths.
fn starts(fields: &[Field]) -> std::ops::Range<usize> {
    let mut first = 1;
    while let Some(text) = fields.get(first).and_then(|field| field.value.as_deref()) {
        match text {
            "-H" | "-L" | "-P" | "--" => first += 1,
            "-D" => first += 2,
            _ if text.starts_with("-O") => first += 1,
            _ => break,
        }
    }
    let begins = |field: &Field| match &field.value {
        Some(text) => text.starts_with('-') || matches!(text.as_str(), "(" | ")" | "!" | ","),
        None => false,
    };
    let length = fields
        .iter()
        .skip(first)
        .take_while(|field| !begins(field))
        .count();
    first..first + length
}

struct Expression {
    at: usize,
    deletes: Option<usize>,
    filtered: bool,
    either: bool,
    ranges: Vec<(usize, usize)>,
}

impl Expression {
    /// Reads one word and its arguments; true when it runs a command in
    /// another directory.
    fn word(&mut self, word: &Field, toucher: &mut Toucher<'_, '_>) -> bool {
        let at = self.at;
        self.at += 1;
        let Some(text) = word.value.as_deref() else {
            // It may be any of them.
            if !word.is_no_option() {
                toucher.push(at, None, Access::Execute, Origin::OptionArgument);
            }
            return false;
        };
        let argument = toucher.fields.get(at + 1);
        match text {
            "-delete" => self.deletes = Some(at),
            "-o" | "-or" | "," => self.either = true,
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                self.command(toucher);
                return text.ends_with("dir");
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                if let Some(file) = argument {
                    toucher.path(
                        at + 1,
                        Given::Whole(file),
                        Access::Write,
                        Origin::OptionArgument,
                    );
                }
                self.at += if text == "-fprintf" { 2 } else { 1 };
            }
            "-files0-from" | "-samefile" | "-anewer" | "-cnewer" => self.file(toucher),
            _ if text.starts_with("-newer") => {
                if text.ends_with('t') {
                    self.at += 1
                } else {
                    self.file(toucher)
                }
            }
            _ if TEXT.contains(&text) => {
                let all = argument
                    .and_then(|field| field.value.as_deref())
                    .is_none_or(|name| name.trim_matches('*').is_empty());
                self.filtered |= NAMES.contains(&text) && !all;
                self.at += 1;
            }
            _ => {}
        }
        // An argument that may be several words may hold anything.
        if argument.is_some_and(|field| field.splits) && self.at == at + 2 {
            toucher.push(at + 1, None, Access::Execute, Origin::OptionArgument);
        }
        false
    }

    fn file(&mut self, toucher: &mut Toucher<'_, '_>) {
        if let Some(file) = toucher.fields.get(self.at) {
            toucher.path(
                self.at,
                Given::Whole(file),
                Access::Read,
                Origin::OptionArgument,
            );
        }
        self.at += 1;
    }

    /// The command up to `;`, or `+` behind `{}`.
    fn command(&mut self, toucher: &Toucher<'_, '_>) {
        let from = self.at;
        while let Some(field) = toucher.fields.get(self.at) {
            let before = self.at.checked_sub(1).and_then(|at| toucher.fields.get(at));
            let ends = match field.value.as_deref() {
                Some(";") => true,
                Some("+") => before.is_some_and(|field| field.value.as_deref() == Some("{}")),
                _ => false,
            };
            if ends {
                break;
            }
            self.at += 1;
        }
        if from < self.at {
            self.ranges.push((from, self.at));
        }
        self.at += 1;
    }

    /// What `-delete` deletes: the start paths; chosen by name, what lies in
    /// them.
    fn delete(&self, starts: std::ops::Range<usize>, toucher: &mut Toucher<'_, '_>) {
        let Some(field) = self.deletes else { return };
        let chosen = self.filtered && !self.either;
        if starts.is_empty() {
            let path = if chosen { "./*" } else { "." };
            return toucher.push(
                field,
                Some(PathText::Known(path.to_owned())),
                Access::Delete,
                Origin::Operand,
            );
        }
        for at in starts {
            match toucher.fields.get(at) {
                Some(Field {
                    value: Some(text),
                    pattern: None,
                    ..
                }) if chosen => {
                    toucher.push(
                        at,
                        Some(PathText::Known(child(text, "*"))),
                        Access::Delete,
                        Origin::Operand,
                    );
                }
                Some(word) => toucher.path(at, Given::Whole(word), Access::Delete, Origin::Operand),
                None => {}
            }
        }
    }
}
