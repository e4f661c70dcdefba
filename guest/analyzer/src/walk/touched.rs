//! What a piece of code may change in the shell that runs it, read off its
//! syntax: for loops, functions and branches, whose course is unknown.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::arithmetic::names;
use crate::syntax::{Command, Kind, List, Part, PartKind, Raw, Word};

/// What may change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Anything: code that is evaluated.
    pub everything: bool,
    /// The directory.
    pub directory: bool,
    /// Variables; true for those that only ever get whole numbers.
    pub variables: BTreeMap<Rc<str>, bool>,
    /// Programs that are called by name: each may be a function.
    pub calls: BTreeSet<Rc<str>>,
}

impl Touched {
    /// By a list.
    pub fn list(text: &str, list: &List<'_>) -> Self {
        let mut touched = Self::default();
        touched.add_list(text, list);
        touched
    }

    /// By a command.
    pub fn command(text: &str, command: &Command<'_>) -> Self {
        let mut touched = Self::default();
        touched.add(text, command);
        touched
    }

    /// This, and what other code may change.
    pub(crate) fn merge(&mut self, other: Self) {
        self.everything |= other.everything;
        self.directory |= other.directory;
        for (name, number) in other.variables {
            let entry = self.variables.entry(name).or_insert(number);
            *entry &= number;
        }
        self.calls.extend(other.calls);
    }

    /// This, and what the expression of a loop sets.
    pub fn and_expression(mut self, text: &str, raw: &Raw<'_>) -> Self {
        self.expression(raw.span.of(text));
        self
    }

    fn set(&mut self, name: &str, number: bool) {
        let entry = self.variables.entry(Rc::from(name)).or_insert(number);
        *entry &= number;
    }

    fn expression(&mut self, text: &str) {
        for name in names(text).iter().filter(|name| name.set) {
            self.set(name.text, true);
        }
    }

    fn add_list(&mut self, text: &str, list: &List<'_>) {
        for entry in &list.entries {
            let pipelines = std::iter::once(&entry.first)
                .chain(entry.rest.iter().map(|(_, pipeline)| pipeline));
            for pipeline in pipelines {
                // Stages run in subshells; `lastpipe` would change that.
                for command in &pipeline.stages {
                    self.add(text, command);
                }
            }
        }
    }

    fn add(&mut self, text: &str, command: &Command<'_>) {
        match &command.kind {
            Kind::Simple { assignments, words } => {
                for assignment in assignments {
                    let number = matches!(
                        assignment.value.parts.as_slice(),
                        [Part {
                            kind: PartKind::Arithmetic(_),
                            ..
                        }]
                    ) || assignment
                        .value
                        .literal()
                        .is_some_and(|value| crate::state::is_whole_number(&value));
                    self.set(&assignment.name, number && !assignment.append);
                    self.word(text, &assignment.value);
                }
                words.iter().for_each(|word| self.word(text, word));
                self.program(words);
            }
            // A subshell keeps its changes to itself.
            Kind::Subshell(_) => {}
            Kind::Group(list) => self.add_list(text, list),
            Kind::If {
                branches,
                otherwise,
            } => {
                for (condition, body) in branches {
                    self.add_list(text, condition);
                    self.add_list(text, body);
                }
                if let Some(body) = otherwise {
                    self.add_list(text, body);
                }
            }
            Kind::While { condition, body } => {
                self.add_list(text, condition);
                self.add_list(text, body);
            }
            Kind::For { name, body, .. } => {
                self.set(name, false);
                self.add_list(text, body);
            }
            Kind::ArithmeticFor { header, body } => {
                header
                    .iter()
                    .for_each(|raw| self.expression(raw.span.of(text)));
                self.add_list(text, body);
            }
            Kind::Case { arms, .. } => arms.iter().for_each(|(_, body)| self.add_list(text, body)),
            Kind::Function { body, .. } => self.add(text, body),
            Kind::Arithmetic(raw) => self.expression(raw.span.of(text)),
            Kind::Test(_) | Kind::Coproc { .. } => {}
        }
    }

    fn word(&mut self, text: &str, word: &Word<'_>) {
        for part in &word.parts {
            match &part.kind {
                PartKind::Arithmetic(raw) => self.expression(raw.span.of(text)),
                PartKind::Parameter(parameter) => {
                    if let crate::syntax::Operation::Default { kind: b'=', .. } =
                        parameter.operation
                    {
                        self.set(&parameter.name, false);
                    }
                }
                _ => {}
            }
        }
    }

    fn program(&mut self, words: &[Word<'_>]) {
        let Some(program) = words.first() else { return };
        match program.literal().as_deref() {
            Some("cd" | "pushd" | "popd") => self.directory = true,
            Some(
                "eval" | "source" | "." | "trap" | "unset" | "read" | "mapfile" | "readarray"
                | "declare" | "typeset" | "local" | "export" | "readonly" | "printf" | "getopts"
                | "let" | "builtin" | "command" | "shopt" | "set" | "alias",
            ) => {
                self.builtin(words);
            }
            // Only running tells: it may be any of them, or a function.
            None => {
                self.everything = true;
                self.directory = true;
            }
            Some(name) => {
                self.calls.insert(Rc::from(name));
            }
        }
    }

    fn builtin(&mut self, words: &[Word<'_>]) {
        let program = words
            .first()
            .and_then(|word| word.literal())
            .unwrap_or_default();
        match program.as_ref() {
            "printf"
                if !words
                    .iter()
                    .any(|word| word.literal().is_some_and(|word| word.starts_with("-v"))) => {}
            "export" | "declare" | "typeset" | "local" | "readonly" | "read" | "getopts"
            | "unset" => {
                for word in words.iter().skip(1) {
                    match word.parts.first().map(|part| &part.kind) {
                        Some(PartKind::Literal(text)) => {
                            let name = text.split(['=', '[', '+']).next().unwrap_or_default();
                            if crate::expand::is_name(name) {
                                self.set(name, false);
                            }
                        }
                        _ => self.everything = true,
                    }
                }
            }
            "let" => {
                for word in words.iter().skip(1) {
                    match word.literal() {
                        Some(text) => self.expression(&text),
                        None => self.everything = true,
                    }
                }
            }
            "mapfile" | "readarray" => match words.last().and_then(Word::literal) {
                Some(name) if words.len() > 1 && crate::expand::is_name(&name) => {
                    self.set(&name, false)
                }
                _ => self.everything = true,
            },
            "builtin" | "command" => {
                let is_option = |word: &&Word<'_>| {
                    word.literal()
                        .is_some_and(|word| matches!(word.as_ref(), "--" | "-p" | "-v" | "-V"))
                };
                let options = words.iter().skip(1).take_while(is_option).count();
                self.program(words.get(1 + options..).unwrap_or_default());
            }
            "shopt" | "set" | "alias" => self.everything = true,
            // Its action is walked where it stands.
            "trap" if words.get(1).is_some_and(|word| word.literal().is_some()) => {}
            _ => {
                self.everything = true;
                self.directory = true;
            }
        }
    }
}
