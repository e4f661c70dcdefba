//! `sed`: its script may read, write and run. The script is read far enough to
//! know; what cannot be read counts as running something.

use bashgate_guest::policy::{Access, Origin};

use super::Meaning;
use super::path::Base;
use super::program::Command;
use super::reader::{Given, Item};
use super::table::{Operands, Take};

/// The script is the first operand.
const SCRIPT: &[Take] = &[Take::Text];

/// `sed`.
pub fn sed(command: &Command<'_, '_>, meaning: &mut Meaning) {
    let given = command.has(&["-e", "--expression", "-f", "--file"]);
    let in_place = command.has(&["-i", "--in-place"]);
    let files = if in_place { Take::Write } else { Take::Read };
    let grammar = Operands {
        head: if given { &[] } else { SCRIPT },
        rest: Some(files),
        tail: &[],
    };
    command.touch(meaning, &grammar);
    meaning.interpreter |= command.has(&["-f", "--file"]);
    let mut scripts: Vec<(usize, Option<&str>)> = command
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Option {
                opt,
                argument: Some((field, given)),
                ..
            } if matches!(opt.name, "-e" | "--expression") => Some((*field, given.text())),
            _ => None,
        })
        .collect();
    if !given && let Some(first) = command.operands().first() {
        scripts.push((*first, command.text(*first)));
    }
    let mut toucher = command.toucher(meaning, Base::Unit);
    // It may be `-i`.
    if let Some(field) = command.items.iter().find_map(|item| {
        if let Item::Perhaps(field) = item {
            Some(*field)
        } else {
            None
        }
    }) {
        toucher.push(field, None, Access::Write, Origin::OptionArgument);
    }
    for (field, script) in scripts {
        for (access, path) in script.map_or_else(|| vec![(Access::Execute, None)], effects) {
            match path {
                Some(path) => {
                    toucher.path(field, Given::Part(path), access, Origin::OptionArgument)
                }
                None => toucher.push(field, None, access, Origin::OptionArgument),
            }
        }
    }
}

/// What a script touches.
fn effects(script: &str) -> Vec<(Access, Option<&str>)> {
    let mut scan = Scan {
        text: script,
        at: 0,
        found: Vec::new(),
    };
    if scan.commands().is_none() {
        scan.found.push((Access::Execute, None));
    }
    scan.found
}

struct Scan<'s> {
    text: &'s str,
    at: usize,
    found: Vec<(Access, Option<&'s str>)>,
}

impl<'s> Scan<'s> {
    fn peek(&self) -> Option<char> {
        self.text
            .get(self.at..)
            .and_then(|rest| rest.chars().next())
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn skip(&mut self, fits: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&fits) {
            self.next();
        }
    }

    fn line(&mut self) -> &'s str {
        let from = self.at;
        self.skip(|c| c != '\n');
        self.text.get(from..self.at).unwrap_or_default()
    }

    /// The whole script; `None` when it cannot be read.
    fn commands(&mut self) -> Option<()> {
        loop {
            self.skip(|c| c.is_whitespace() || c == ';' || c == '}');
            if self.peek().is_none() {
                return Some(());
            }
            self.address()?;
            self.command()?;
        }
    }

    fn address(&mut self) -> Option<()> {
        loop {
            match self.peek() {
                Some('/') => {
                    self.next();
                    self.pattern('/')?;
                    self.skip(|c| matches!(c, 'I' | 'M'));
                }
                Some('\\') => {
                    self.next();
                    let delimiter = self.next()?;
                    self.pattern(delimiter)?;
                    self.skip(|c| matches!(c, 'I' | 'M'));
                }
                Some('0'..='9' | '$' | ',' | '~' | '+' | '!' | ' ' | '\t') => {
                    self.next();
                }
                Some(_) => return Some(()),
                None => return None,
            }
        }
    }

    /// An expression up to the delimiter, which does not count in brackets.
    fn pattern(&mut self, delimiter: char) -> Option<()> {
        loop {
            match self.next()? {
                '\\' => {
                    self.next()?;
                }
                found if found == delimiter => return Some(()),
                '[' => self.bracket()?,
                _ => {}
            }
        }
    }

    fn bracket(&mut self) -> Option<()> {
        if self.peek() == Some('^') {
            self.next();
        }
        if self.peek() == Some(']') {
            self.next();
        }
        loop {
            match (self.next()?, self.peek()) {
                (']', _) => return Some(()),
                // Whether that ends the brackets depends on the version.
                ('\\', Some(']')) => return None,
                ('[', Some(class @ (':' | '.' | '='))) => {
                    self.next();
                    while !(self.next()? == class && self.peek() == Some(']')) {}
                    self.next();
                }
                _ => {}
            }
        }
    }

    /// Plain text up to the delimiter.
    fn delimited(&mut self, delimiter: char) -> Option<()> {
        loop {
            match self.next()? {
                '\\' => {
                    self.next()?;
                }
                found if found == delimiter => return Some(()),
                _ => {}
            }
        }
    }

    fn command(&mut self) -> Option<()> {
        match self.next()? {
            '{' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z'
            | 'F' => {}
            '#' => {
                self.line();
            }
            's' => self.substitute()?,
            'y' => {
                let delimiter = self.next()?;
                self.delimited(delimiter)?;
                self.delimited(delimiter)?;
            }
            'a' | 'i' | 'c' => self.text_lines(),
            'b' | 't' | 'T' | ':' | 'v' => self.skip(|c| c != ';' && c != '\n' && c != '}'),
            'q' | 'Q' | 'l' | 'L' => self.skip(|c| c.is_ascii_digit() || c == ' '),
            'r' | 'R' => {
                let path = self.line().trim_start();
                self.found.push((Access::Read, Some(path)));
            }
            'w' | 'W' => {
                let path = self.line().trim_start();
                self.found.push((Access::Write, Some(path)));
            }
            'e' => {
                self.line();
                self.found.push((Access::Execute, None));
            }
            _ => return None,
        }
        Some(())
    }

    fn substitute(&mut self) -> Option<()> {
        let delimiter = self.next()?;
        self.pattern(delimiter)?;
        self.delimited(delimiter)?;
        loop {
            match self.peek() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                    self.next();
                }
                Some('e') => {
                    self.next();
                    self.found.push((Access::Execute, None));
                }
                Some('w') => {
                    self.next();
                    let path = self.line().trim_start();
                    self.found.push((Access::Write, Some(path)));
                }
                Some(';' | '\n' | '}' | '#' | ' ' | '\t') | None => return Some(()),
                Some(_) => return None,
            }
        }
    }

    /// Text to the end of the line, and of each that a backslash joins to it.
    fn text_lines(&mut self) {
        while self.line().ends_with('\\') {
            self.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use bashgate_guest::policy::Access;

    use super::effects;

    #[test]
    fn finds_what_scripts_touch() {
        let nothing: &[&str] = &[
            "s/a/b/",
            "s/a/b/gI",
            "1,3p",
            "/x/d;s|a|b|2",
            "$!N;P;D",
            "y/abc/def/",
            "/a/,/b/{s/x/y/;p}",
            "a\\\ntext w f",
            "i text",
            ":a;N;$!ba;s/\\n/ /g",
            "s/[/]/x/",
            "5q",
            "# w f",
            "s/w f/e/",
            "\\,x,d",
            "s/a\\/w/b/",
            "1~2d",
            "",
        ];
        for script in nothing {
            assert_eq!(effects(script), [], "{script}");
        }
        let some = [
            ("w f", vec![(Access::Write, Some("f"))]),
            ("s/a/b/w f", vec![(Access::Write, Some("f"))]),
            ("s/a/b/gw f", vec![(Access::Write, Some("f"))]),
            (
                "/x/r /etc/passwd",
                vec![(Access::Read, Some("/etc/passwd"))],
            ),
            ("1e touch M", vec![(Access::Execute, None)]),
            ("s/x/touch M/e", vec![(Access::Execute, None)]),
            ("p;W g", vec![(Access::Write, Some("g"))]),
            ("s/a/b/q", vec![(Access::Execute, None)]),
            ("s/a", vec![(Access::Execute, None)]),
            ("?", vec![(Access::Execute, None)]),
        ];
        for (script, wanted) in some {
            assert_eq!(effects(script), wanted, "{script}");
        }
    }
}
