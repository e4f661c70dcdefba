//! Text searches: `grep`, `rg`, `ag` and `ack` over one file or folder.
//! Counts, names of files and surrounding lines are more than the search tool
//! is asked for, so options for those leave the command alone.

use super::expression::{escaped, extended, portable};
use crate::command::{Command, literal};
use crate::options::{Arguments, Known};
use crate::replacement::Replacement;

/// How a program reads its pattern when no option says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Basic,
    Extended,
    Fixed,
}

/// What a program does when it is given no path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nowhere {
    /// It reads standard input, unless `-r` is set.
    Input,
    /// It searches the directory.
    Directory,
}

const GREP: Known = Known {
    flags: "EFGPHhIinRrswxTy",
    values: "e",
    long_flags: &[
        "basic-regexp",
        "color",
        "colour",
        "dereference-recursive",
        "extended-regexp",
        "fixed-strings",
        "ignore-case",
        "initial-tab",
        "line-number",
        "line-regexp",
        "no-filename",
        "no-messages",
        "perl-regexp",
        "recursive",
        "text",
        "with-filename",
        "word-regexp",
    ],
    long_values: &["include", "regexp"],
    ..Known::NONE
};

const RIPGREP: Known = Known {
    flags: "FHINPSUinpsuwx.",
    values: "egj",
    long_flags: &[
        "fixed-strings",
        "follow",
        "heading",
        "hidden",
        "ignore-case",
        "line-number",
        "line-regexp",
        "no-filename",
        "no-heading",
        "no-ignore",
        "no-line-number",
        "pcre2",
        "pretty",
        "smart-case",
        "trim",
        "with-filename",
        "word-regexp",
        "case-sensitive",
    ],
    long_values: &["color", "colors", "glob", "regexp", "sort", "threads"],
    ..Known::NONE
};

const ACK: Known = Known {
    flags: "HQhinrRsSw",
    long_flags: &[
        "column",
        "group",
        "heading",
        "hidden",
        "ignore-case",
        "literal",
        "nocolor",
        "noheading",
        "nogroup",
        "numbers",
        "smart-case",
        "word-regexp",
    ],
    ..Known::NONE
};

const SEARCHES: &[(&str, &Known, Syntax, Nowhere)] = &[
    ("grep", &GREP, Syntax::Basic, Nowhere::Input),
    ("egrep", &GREP, Syntax::Extended, Nowhere::Input),
    ("fgrep", &GREP, Syntax::Fixed, Nowhere::Input),
    ("rgrep", &GREP, Syntax::Basic, Nowhere::Directory),
    ("rg", &RIPGREP, Syntax::Extended, Nowhere::Directory),
    ("ag", &ACK, Syntax::Extended, Nowhere::Directory),
    ("ack", &ACK, Syntax::Extended, Nowhere::Directory),
    ("ack-grep", &ACK, Syntax::Extended, Nowhere::Directory),
];

const RECURSIVE: &[&str] = &["r", "R", "recursive", "dereference-recursive"];

/// `grep` for the one pattern in the one path.
pub fn replace(command: &Command<'_>) -> Option<Replacement> {
    if !command.prints() {
        return None;
    }
    let program = command.program()?;
    let &(_, known, syntax, nowhere) = SEARCHES.iter().find(|(name, ..)| *name == program)?;
    let arguments = command.read(known)?;
    let mut patterns = arguments.values(&["e", "regexp"]);
    let (pattern, paths) = match (patterns.next(), &arguments.operands[..]) {
        (Some(pattern), paths) => (pattern, paths),
        (None, [pattern, paths @ ..]) => (literal(pattern)?, paths),
        (None, []) => return None,
    };
    let path = match paths {
        &[path] => Some(path),
        [] if nowhere == Nowhere::Directory || arguments.has(RECURSIVE) => None,
        _ => return None,
    };
    if patterns.next().is_some() || pattern.is_empty() || pattern.contains('\n') {
        return None;
    }
    let mut globs = arguments.values(&["g", "glob", "include"]);
    let glob = globs.next();
    if globs.next().is_some() || glob.is_some_and(|glob| glob.starts_with('!')) {
        return None;
    }
    Some(Replacement::Grep {
        pattern: pattern_for_tool(pattern, syntax, program, &arguments)?,
        path: command.searched(path)?,
        glob: glob.map(str::to_owned),
    })
}

fn pattern_for_tool(
    pattern: &str,
    usual: Syntax,
    program: &str,
    arguments: &Arguments<'_>,
) -> Option<String> {
    let has = |names: &[&str]| arguments.has(names);
    let is_ack = matches!(program, "ag" | "ack" | "ack-grep");
    let syntax = if has(&["F", "fixed-strings", "Q", "literal"]) {
        Syntax::Fixed
    } else if has(&["E", "extended-regexp", "P", "perl-regexp", "pcre2"]) {
        Syntax::Extended
    } else if has(&["G", "basic-regexp"]) {
        Syntax::Basic
    } else {
        usual
    };
    let mut pattern = match syntax {
        Syntax::Fixed => escaped(pattern),
        Syntax::Basic => extended(pattern)?,
        Syntax::Extended => portable(pattern)?,
    };
    if has(&["x", "line-regexp"]) {
        pattern = format!("^(?:{pattern})$");
    } else if has(&["w", "word-regexp"]) {
        pattern = format!(r"\b(?:{pattern})\b");
    }
    let smart = has(&["S", "smart-case"]) || program == "ag";
    let lower = !pattern.chars().any(char::is_uppercase);
    // `-y` is an old name of `-i`; in `ack` it is nothing.
    if has(&["i", "ignore-case"]) || (!is_ack && has(&["y"])) || (smart && lower) {
        pattern.insert_str(0, "(?i)");
    }
    Some(pattern)
}
