//! One unit of the plan, as the rules see it: its program, literal words, the
//! paths they name and where its output goes. Knows no program's meaning.

use bashgate_guest::policy::{Execution, Redirect, RedirectKind, Unit, Word};

use crate::options::{Arguments, Known, read};

/// Paths below these are no files that a tool reads or writes.
const DEVICES: &[&str] = &["/dev", "/proc", "/sys"];

/// A unit whose directory is known.
#[derive(Clone, Copy)]
pub struct Command<'a> {
    pub unit: &'a Unit,
    pub execution: &'a Execution,
    directory: &'a str,
}

impl<'a> Command<'a> {
    /// None where the directory, or what the name runs, is not known.
    pub fn new(unit: &'a Unit, execution: &'a Execution) -> Option<Self> {
        if attribute(unit, "function").is_some() {
            return None;
        }
        Some(Self {
            unit,
            execution,
            directory: unit.workdir.as_deref()?,
        })
    }

    /// The program's name without its directory.
    pub fn program(&self) -> Option<&'a str> {
        program(self.unit)
    }

    /// The words after the program.
    pub fn arguments(&self) -> &'a [Word] {
        self.unit.words.get(1..).unwrap_or_default()
    }

    /// The words after the program, told apart; see [`read`].
    pub fn read(&self, known: &Known) -> Option<Arguments<'a>> {
        read(self.arguments(), known)
    }

    /// Whether all it prints is seen, and nothing is fed to it.
    pub fn prints(&self) -> bool {
        self.unit.redirects.iter().all(is_about_errors)
    }

    /// The one redirect of its output to a file, if the others matter not.
    pub fn output(&self) -> Option<&'a Redirect> {
        let mut others = self
            .unit
            .redirects
            .iter()
            .filter(|redirect| !is_about_errors(redirect) && !is_text(redirect));
        let output = others.next()?;
        let to_file = matches!(
            output.kind,
            RedirectKind::Output | RedirectKind::Append | RedirectKind::Clobber
        );
        (others.next().is_none() && to_file && matches!(output.fd, None | Some(1)))
            .then_some(output)
    }

    /// The one here-document or here-string, if it is all that it is fed.
    pub fn fed_text(&self) -> Option<&'a Redirect> {
        let mut texts = self
            .unit
            .redirects
            .iter()
            .filter(|redirect| is_text(redirect));
        let text = texts.next()?;
        (texts.next().is_none() && matches!(text.fd, None | Some(0))).then_some(text)
    }

    /// The path that a tool at the root needs for this word: as written when
    /// the unit's directory is the root, absolute otherwise. None for what is
    /// not literal, a pattern, standard input, or no ordinary file.
    pub fn path(&self, word: &Word) -> Option<String> {
        let value = literal(word)?;
        if value.is_empty() || value == "-" || value.contains('\0') {
            return None;
        }
        let absolute = self.absolute(value);
        if is_device(&absolute) {
            return None;
        }
        Some(if self.at_root() {
            value.to_owned()
        } else {
            absolute
        })
    }

    /// As [`Self::path`], for what a tool searches: None inside is the root.
    pub fn searched(&self, word: Option<&Word>) -> Option<Option<String>> {
        match word {
            Some(word) if self.at_root() && matches!(literal(word), Some("." | "./")) => Some(None),
            Some(word) => self.path(word).map(Some),
            None if self.at_root() => Some(None),
            None => (!is_device(self.directory)).then(|| Some(self.directory.to_owned())),
        }
    }

    fn at_root(&self) -> bool {
        self.directory.trim_end_matches('/') == self.execution.root.trim_end_matches('/')
    }

    fn absolute(&self, value: &str) -> String {
        if value.starts_with('/') {
            return value.to_owned();
        }
        let mut rest = value;
        while let Some(shorter) = rest.strip_prefix("./") {
            rest = shorter.trim_start_matches('/');
        }
        let directory = self.directory.trim_end_matches('/');
        match rest {
            "" | "." if directory.is_empty() => "/".to_owned(),
            "" | "." => directory.to_owned(),
            rest => format!("{directory}/{rest}"),
        }
    }
}

/// The program's name without its directory.
pub fn program(unit: &Unit) -> Option<&str> {
    literal(unit.words.first()?)?.rsplit('/').next()
}

/// The value of an attribute of the unit.
pub fn attribute<'a>(unit: &'a Unit, name: &str) -> Option<&'a str> {
    unit.attributes
        .iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value.as_str())
}

/// What bash will see, if that is exactly one word known before running.
pub fn literal(word: &Word) -> Option<&str> {
    let value = word.value.as_deref()?;
    (!is_pattern(&word.text)).then_some(value)
}

/// Whether bash may make other words of it: a glob or a brace expansion.
fn is_pattern(text: &str) -> bool {
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (None | Some('"'), '\\') => {
                characters.next();
            }
            (None, '\'' | '"') => quote = Some(character),
            (None, '*' | '?' | '[' | '{') => return true,
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
    }
    false
}

/// `2>&1`, `2>&-`, `2>/dev/null`: standard output stays where it was.
fn is_about_errors(redirect: &Redirect) -> bool {
    match redirect.kind {
        RedirectKind::Duplicate | RedirectKind::Close => redirect.fd == Some(2),
        RedirectKind::Output | RedirectKind::Append | RedirectKind::Clobber => {
            redirect.fd == Some(2) && redirect.target.value.as_deref() == Some("/dev/null")
        }
        RedirectKind::Input
        | RedirectKind::InputOutput
        | RedirectKind::HereDocument
        | RedirectKind::HereString => false,
    }
}

fn is_text(redirect: &Redirect) -> bool {
    matches!(
        redirect.kind,
        RedirectKind::HereDocument | RedirectKind::HereString
    )
}

/// Whether an absolute path leads below a device folder, `..` followed as
/// text: a wrong guess only leaves a command alone.
fn is_device(absolute: &str) -> bool {
    let mut parts: Vec<&str> = Vec::new();
    for part in absolute.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.first().is_some_and(|first| {
        DEVICES
            .iter()
            .any(|device| device.strip_prefix('/') == Some(first))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_quoted_is_a_pattern() {
        for text in [
            "*.rs",
            "a?",
            "[ab]",
            "{a,b}",
            "'a'*",
            "\"a\"{b,c}",
            "a'b'*'c'",
        ] {
            assert!(is_pattern(text), "{text}");
        }
        for text in ["a", "'*'", "\"?\"", "\\*", "\"\\\"*\""] {
            assert!(!is_pattern(text), "{text}");
        }
    }

    #[test]
    fn device_folders_are_known_by_any_spelling() {
        for path in ["/dev/null", "//dev//null", "/a/../proc/1", "/./sys"] {
            assert!(is_device(path), "{path}");
        }
        for path in ["/", "/device", "/a/dev/null"] {
            assert!(!is_device(path), "{path}");
        }
    }
}
