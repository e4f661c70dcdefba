//! Shells: `bash -c TEXT`, `sh FILE`, `sh` with its script on standard input.

use bashgate_guest::policy::{Access, Origin};

use crate::expand::Field;

use super::path::Base;
use super::program::Command;
use super::reader::Given;
use super::{Meaning, Starts};

/// Long options without an argument.
const LONG: &[&str] = &[
    "--debugger",
    "--dump-po-strings",
    "--dump-strings",
    "--help",
    "--login",
    "--no-rcs",
    "--noediting",
    "--noprofile",
    "--norc",
    "--posix",
    "--pretty-print",
    "--restricted",
    "--verbose",
    "--version",
];
/// Letters without an argument.
const LETTERS: &str = "abefhikmnlprstuvxBCDEHPTcs";

/// What the options of a shell ask for.
#[derive(Default)]
struct Asked {
    /// `-c`.
    text: bool,
    /// `-s`.
    input: bool,
    /// `-n`: it reads and does not run.
    only_reads: bool,
    /// A file that is evaluated before.
    file: Option<usize>,
    /// It reads the user's own start-up files.
    start_up: bool,
    /// Only running tells an option.
    unknown: bool,
    /// The first word that is no option.
    next: usize,
}

/// A shell.
pub fn shell(command: &Command<'_, '_>, meaning: &mut Meaning) {
    let asked = asked(command.fields);
    let fields = command.fields;
    if let Some(file) = asked.file {
        let mut toucher = command.toucher(meaning, Base::Unit);
        if let Some(word) = fields.get(file) {
            toucher.path(
                file,
                Given::Whole(word),
                Access::Execute,
                Origin::OptionArgument,
            );
        }
    }
    if asked.start_up {
        meaning.ends_allow = Some(format!(
            "`{}` then runs the user's start-up files",
            command.name
        ));
    }
    if asked.unknown {
        meaning.starts = Starts::Unreadable {
            note: format!("only running tells an option of `{}`", command.name),
        };
        return;
    }
    let rest: Vec<usize> = (asked.next + 1..fields.len()).collect();
    meaning.starts = match fields.get(asked.next) {
        _ if asked.only_reads => Starts::Nothing,
        None if asked.text => Starts::Nothing,
        Some(Field {
            value: Some(text), ..
        }) if asked.text => Starts::Script {
            text: text.clone(),
            fields: vec![asked.next],
            arguments: rest,
            own_shell: true,
            ends_allow: None,
            workdir: None,
        },
        Some(_) if asked.text => Starts::Unreadable {
            note: "only running tells the text that it evaluates".to_owned(),
        },
        None => Starts::StandardInput,
        Some(_) if asked.input => Starts::StandardInput,
        Some(Field {
            value: Some(path),
            pattern: None,
            ..
        }) => {
            if matches!(
                path.as_str(),
                "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "-"
            ) {
                Starts::StandardInput
            } else {
                Starts::File {
                    field: asked.next,
                    path: path.clone(),
                    arguments: rest,
                    own_shell: true,
                }
            }
        }
        Some(_) => Starts::Unreadable {
            note: "only running tells the file that it runs".to_owned(),
        },
    };
    let asks_only = fields.len() == 2 && matches!(command.text(1), Some("--version" | "--help"));
    if asks_only {
        meaning.starts = Starts::Nothing;
    }
    if asked.only_reads
        && let Some(word) = fields.get(asked.next).filter(|_| !asked.text)
    {
        let mut toucher = command.toucher(meaning, Base::Unit);
        toucher.path(
            asked.next,
            Given::Whole(word),
            Access::Read,
            Origin::Operand,
        );
    }
}

fn asked(fields: &[Field]) -> Asked {
    let mut asked = Asked {
        next: 1,
        ..Asked::default()
    };
    while let Some(field) = fields.get(asked.next) {
        let Some(text) = field.value.as_deref() else {
            asked.unknown = !field.is_no_option() || field.splits;
            return asked;
        };
        match text {
            "--" | "-" => {
                asked.next += 1;
                return asked;
            }
            "--rcfile" | "--init-file" => {
                asked.file = Some(asked.next + 1);
                asked.next += 2;
            }
            "--login" => asked.next += 1,
            _ if text.starts_with("--") => {
                // Of others it is not known whether they take the next word.
                asked.unknown |= !LONG.contains(&text);
                asked.next += 1;
            }
            _ if text.len() > 1 && text.starts_with(['-', '+']) => {
                asked.letters(text);
                asked.next += 1;
            }
            _ => return asked,
        }
    }
    asked
}

impl Asked {
    fn letters(&mut self, text: &str) {
        let on = text.starts_with('-');
        for letter in text.chars().skip(1) {
            match letter {
                'c' if on => self.text = true,
                's' if on => self.input = true,
                'n' => self.only_reads = on,
                'i' if on => self.start_up = true,
                // The name of an option follows.
                'o' | 'O' => self.next += 1,
                _ if LETTERS.contains(letter) => {}
                _ => self.unknown = true,
            }
        }
    }
}
