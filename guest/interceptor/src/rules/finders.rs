//! File finders: `find` with one name or one type, `fd` and `locate`.

use bashgate_guest::policy::Word;

use super::expression::{escaped, name_glob};
use crate::command::{Command, literal};
use crate::options::Known;
use crate::replacement::Replacement;

const FD: Known = Known {
    flags: "aHIuLFgis",
    values: "cet",
    long_flags: &[
        "absolute-path",
        "case-sensitive",
        "fixed-strings",
        "follow",
        "glob",
        "hidden",
        "ignore-case",
        "no-ignore",
        "unrestricted",
    ],
    long_values: &["color", "extension", "type"],
    ..Known::NONE
};

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Any,
    File,
    Directory,
}

impl Kind {
    fn named(name: &str) -> Option<Self> {
        match name {
            "f" | "file" => Some(Self::File),
            "d" | "dir" | "directory" => Some(Self::Directory),
            _ => None,
        }
    }

    /// A glob for such a name at any depth.
    fn anywhere(self, name: &str) -> String {
        match self {
            Self::Any | Self::File => format!("**/{name}"),
            Self::Directory => format!("**/{name}/"),
        }
    }
}

/// `find` or `glob` for the one name.
pub fn replace(command: &Command<'_>) -> Option<Replacement> {
    if !command.prints() {
        return None;
    }
    match command.program()? {
        "find" => find(command),
        "fd" | "fdfind" => fd(command),
        "locate" | "plocate" | "mlocate" => locate(command),
        _ => None,
    }
}

fn find(command: &Command<'_>) -> Option<Replacement> {
    let words = command.arguments();
    let is_test = |word: &Word| {
        word.value
            .as_deref()
            .is_none_or(|text| text.starts_with(['-', '(', '!']))
    };
    let tests = words.iter().position(is_test)?;
    let (places, tests) = words.split_at_checked(tests)?;
    let place = match places {
        [] => None,
        [place] => Some(place),
        _ => return None,
    };
    let (mut name, mut kind) = (None, None);
    for test in tests.chunks(2) {
        let [test, value] = test else { return None };
        let value = literal(value)?;
        match literal(test)? {
            "-name" if name.is_none() => name = Some(value),
            "-type" if kind.is_none() => kind = Some(Kind::named(value)?),
            _ => return None,
        }
    }
    let name = name.unwrap_or("*");
    // Braces are text to `find`, and no name holds a slash.
    if name.is_empty() || name.contains(['/', '{', '}', '\\']) || name.contains("**") {
        return None;
    }
    Some(Replacement::Find {
        pattern: kind.unwrap_or(Kind::Any).anywhere(name),
        path: command.searched(place)?,
    })
}

fn fd(command: &Command<'_>) -> Option<Replacement> {
    let arguments = command.read(&FD)?;
    let (pattern, place) = match arguments.operands[..] {
        [] => ("", None),
        [pattern] => (literal(pattern)?, None),
        [pattern, place] => (literal(pattern)?, Some(place)),
        _ => return None,
    };
    if arguments.operands.is_empty() && !arguments.has(&["e", "extension", "t", "type"]) {
        return None;
    }
    let mut name = if arguments.has(&["g", "glob"]) {
        pattern.to_owned()
    } else if arguments.has(&["F", "fixed-strings"]) {
        name_glob(&escaped(pattern))?
    } else {
        name_glob(pattern)?
    };
    if name.is_empty() || name.contains('/') {
        return None;
    }
    let mut extensions = arguments.values(&["e", "extension"]);
    if let Some(extension) = extensions.next() {
        let plain = |character: char| character.is_alphanumeric() || "._-".contains(character);
        let extension = extension.trim_start_matches('.');
        if extension.is_empty() || !extension.chars().all(plain) || !name.ends_with('*') {
            return None;
        }
        name = format!("{name}.{extension}");
    }
    let mut kinds = arguments.values(&["t", "type"]);
    let kind = match kinds.next() {
        Some(kind) => Kind::named(kind)?,
        None => Kind::Any,
    };
    if extensions.next().is_some() || kinds.next().is_some() {
        return None;
    }
    Some(Replacement::Find {
        pattern: kind.anywhere(&name),
        path: command.searched(place)?,
    })
}

/// The whole disk by a part of the path; only a plain name means the same.
fn locate(command: &Command<'_>) -> Option<Replacement> {
    let arguments = command.read(&Known {
        flags: "eq",
        ..Known::NONE
    })?;
    let name = literal(arguments.one()?)?;
    Some(Replacement::Find {
        pattern: Kind::Any.anywhere(&name_glob(&escaped(name))?),
        path: Some("/".to_owned()),
    })
}
