//! In-place editing: `sed -i`, `perl -pi`, `awk -i inplace` on one file. Where
//! one literal text is exchanged for another the whole call is ready, else
//! only its path.

use bashgate_guest::policy::Word;

use super::substitution::{self, Syntax};
use crate::command::{Command, literal};
use crate::options::{Arguments, Known};
use crate::replacement::{Exchange, Replacement};

const SED: Known = Known {
    flags: "nErsuz",
    values: "efl",
    attached: "i",
    long_flags: &[
        "in-place",
        "null-data",
        "posix",
        "quiet",
        "regexp-extended",
        "separate",
        "silent",
        "unbuffered",
    ],
    long_values: &["expression", "file", "line-length"],
};

const PERL: Known = Known {
    flags: "pnwWsStTuUXacf",
    values: "eEMmIFC",
    attached: "il0",
    ..Known::NONE
};

const AWK: Known = Known {
    values: "ivFfe",
    long_values: &["assign", "field-separator", "file", "include", "source"],
    ..Known::NONE
};

/// `edit` of the one file.
pub fn replace(command: &Command<'_>) -> Option<Replacement> {
    if !command.prints() {
        return None;
    }
    let (file, exchange) = match command.program()? {
        "sed" | "gsed" => sed(&command.read(&SED)?)?,
        "perl" => perl(&command.read(&PERL)?)?,
        "awk" | "gawk" => awk(&command.read(&AWK)?)?,
        _ => return None,
    };
    Some(Replacement::Edit {
        path: command.path(file)?,
        exchange,
    })
}

type Edit<'a> = (&'a Word, Option<Exchange>);

fn sed<'a>(arguments: &Arguments<'a>) -> Option<Edit<'a>> {
    if !arguments.has(&["i", "in-place"]) {
        return None;
    }
    let scripts: Vec<_> = arguments.values(&["e", "expression"]).collect();
    let from_file = arguments.has(&["f", "file"]);
    let given = !scripts.is_empty() || from_file;
    let (script, file) = match arguments.operands[..] {
        [script, file] if !given => (Some(literal(script)?), file),
        [file] if given => (one(&scripts).filter(|_| !from_file), file),
        _ => return None,
    };
    let syntax = match arguments.has(&["E", "r", "regexp-extended"]) {
        true => Syntax::Extended,
        false => Syntax::Basic,
    };
    // Without its usual printing, or by NUL, a substitution is something else.
    let plain = !arguments.has(&["n", "quiet", "silent", "z", "null-data"]);
    let exchange = script
        .filter(|_| plain)
        .and_then(|script| substitution::read(script, syntax));
    Some((file, exchange))
}

fn perl<'a>(arguments: &Arguments<'a>) -> Option<Edit<'a>> {
    let scripts: Vec<_> = arguments.values(&["e", "E"]).collect();
    if !arguments.has(&["i"]) || scripts.is_empty() {
        return None;
    }
    let plain = arguments.has(&["p"]) && !arguments.has(&["n", "a", "F", "l", "0", "M", "m"]);
    let exchange = one(&scripts)
        .filter(|_| plain)
        .and_then(|script| substitution::read(script, Syntax::Perl));
    Some((arguments.one()?, exchange))
}

fn awk<'a>(arguments: &Arguments<'a>) -> Option<Edit<'a>> {
    let mut included = arguments.values(&["i", "include"]);
    if !included.any(|name| name == "inplace") {
        return None;
    }
    let given = arguments.has(&["f", "file", "e", "source"]);
    match arguments.operands[..] {
        [_, file] if !given => Some((file, None)),
        [file] if given => Some((file, None)),
        _ => None,
    }
}

fn one<'a>(scripts: &[&'a str]) -> Option<&'a str> {
    match scripts {
        [script] => Some(script),
        _ => None,
    }
}
