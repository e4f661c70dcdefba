//! File viewers: `cat`, `head`, `sed -n '3,9p'` and kin show one file, or
//! some lines of it.

use crate::command::{Command, literal};
use crate::options::{Arguments, Known};
use crate::replacement::Replacement;

/// Lines that `head` shows when it is not told.
const HEAD_LINES: u64 = 10;

/// Lines from `offset` (1-based) on, at most `limit`.
#[derive(Clone, Copy, Default)]
struct Lines {
    offset: Option<u64>,
    limit: Option<u64>,
}

/// How the lines that a viewer shows are read from its arguments.
type Select = fn(&Arguments<'_>) -> Option<Lines>;

const VIEWERS: &[(&[&str], Known, Select)] = &[
    (
        &["cat"],
        Known {
            flags: "bnsu",
            long_flags: &["number", "number-nonblank", "squeeze-blank"],
            ..Known::NONE
        },
        whole,
    ),
    (
        &["head"],
        Known {
            flags: "qv0123456789",
            values: "n",
            long_flags: &["quiet", "silent", "verbose"],
            long_values: &["lines"],
            ..Known::NONE
        },
        head,
    ),
    (
        &["tail"],
        Known {
            flags: "qv",
            values: "n",
            long_flags: &["quiet", "silent", "verbose"],
            long_values: &["lines"],
            ..Known::NONE
        },
        tail,
    ),
    (
        &["less", "more"],
        Known {
            flags: "NRSFXEeinMmQqcdfpsul85",
            ..Known::NONE
        },
        whole,
    ),
    (
        &["bat", "batcat"],
        Known {
            flags: "npPfS",
            values: "lr",
            long_flags: &["number", "plain", "no-pager", "force-colorization"],
            long_values: &[
                "color",
                "decorations",
                "language",
                "line-range",
                "paging",
                "style",
                "theme",
                "wrap",
            ],
            ..Known::NONE
        },
        bat,
    ),
    (
        &["nl"],
        Known {
            flags: "p",
            values: "bswvlniSh",
            long_values: &[
                "body-numbering",
                "number-separator",
                "number-width",
                "number-format",
            ],
            ..Known::NONE
        },
        whole,
    ),
];

/// `sed` that prints only what it is told to.
const QUIET_SED: Known = Known {
    flags: "nErsu",
    values: "e",
    long_flags: &[
        "quiet",
        "silent",
        "regexp-extended",
        "separate",
        "unbuffered",
        "posix",
    ],
    long_values: &["expression"],
    ..Known::NONE
};

/// `read` of the one file that is shown.
pub fn replace(command: &Command<'_>) -> Option<Replacement> {
    if !command.prints() {
        return None;
    }
    let program = command.program()?;
    let (word, lines) = if matches!(program, "sed" | "gsed") {
        sed(command)?
    } else {
        let (_, known, select) = VIEWERS
            .iter()
            .find(|(names, ..)| names.contains(&program))?;
        let arguments = command.read(known)?;
        (arguments.one()?, select(&arguments)?)
    };
    let Lines { offset, limit } = lines;
    Some(Replacement::Read {
        path: command.path(word)?,
        offset,
        limit,
    })
}

fn whole(_: &Arguments<'_>) -> Option<Lines> {
    Some(Lines::default())
}

fn head(arguments: &Arguments<'_>) -> Option<Lines> {
    let count = match (arguments.value(&["n", "lines"]), arguments.digits()) {
        (Some(count), None) => positive(count)?,
        (None, Some(count)) => positive(&count)?,
        (None, None) => HEAD_LINES,
        (Some(_), Some(_)) => return None,
    };
    Some(Lines {
        offset: None,
        limit: Some(count),
    })
}

/// Only `+N` counts from the start; the file's length is not known here.
fn tail(arguments: &Arguments<'_>) -> Option<Lines> {
    let count = arguments.value(&["n", "lines"])?.strip_prefix('+')?;
    Some(Lines {
        offset: Some(positive(count)?),
        limit: None,
    })
}

fn bat(arguments: &Arguments<'_>) -> Option<Lines> {
    let names = ["r", "line-range"];
    if arguments.values(&names).count() > 1 {
        return None;
    }
    let Some(range) = arguments.value(&names) else {
        return Some(Lines::default());
    };
    match range.split_once(':') {
        None => between(range, range),
        Some(("", end)) => between("1", end),
        Some((start, "")) => Some(Lines {
            offset: Some(positive(start)?),
            limit: None,
        }),
        Some((start, end)) => between(start, end),
    }
}

fn sed<'a>(command: &Command<'a>) -> Option<(&'a bashgate_guest::policy::Word, Lines)> {
    let arguments = command.read(&QUIET_SED)?;
    if !arguments.has(&["n", "quiet", "silent"]) {
        return None;
    }
    let mut scripts = arguments.values(&["e", "expression"]);
    let (script, word) = match (scripts.next(), &arguments.operands[..]) {
        (Some(script), &[word]) => (script, word),
        (None, &[script, word]) => (literal(script)?, word),
        _ => return None,
    };
    scripts.next().is_none().then_some((word, printed(script)?))
}

/// The lines that `A,Bp` prints.
fn printed(script: &str) -> Option<Lines> {
    let address = script
        .trim()
        .trim_end_matches(';')
        .strip_suffix('p')?
        .trim_end();
    match address.split_once(',') {
        None => between(address, address),
        Some((start, "$")) => Some(Lines {
            offset: Some(positive(start)?),
            limit: None,
        }),
        Some((start, end)) => match end.strip_prefix('+') {
            Some(more) => Some(Lines {
                offset: Some(positive(start)?),
                limit: Some(positive(more)?.checked_add(1)?),
            }),
            None => between(start, end),
        },
    }
}

fn between(start: &str, end: &str) -> Option<Lines> {
    let (start, end) = (positive(start)?, positive(end)?);
    Some(Lines {
        offset: Some(start),
        limit: Some(end.checked_sub(start)?.checked_add(1)?),
    })
}

fn positive(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits
        .then(|| text.parse().ok())?
        .filter(|&number| number > 0)
}
