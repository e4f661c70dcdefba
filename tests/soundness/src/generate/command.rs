//! Lists and pipelines: how commands are joined.

use super::{Generator, Production, Table};

const COMMANDS: &Table = &[
    (52, Generator::simple),
    (30, Generator::compound),
    (8, Generator::wrapped),
    (7, Generator::nested),
    (3, Generator::coprocess),
];

impl Generator {
    /// Up to so many statements, the last one open-ended.
    pub(super) fn list(&mut self, most: usize) {
        let count = 1 + self.random.below(most);
        for left in (0..count).rev() {
            self.statement();
            if left == 0 || self.budget == 0 {
                break;
            }
            self.separator();
        }
    }

    /// Statements that a keyword may follow.
    pub(super) fn body(&mut self) {
        self.blank_or_line();
        self.list(2);
        self.separator();
    }

    fn blank_or_line(&mut self) {
        if self.random.chance(15) {
            self.newline();
        } else {
            self.blank();
        }
    }

    /// What ends a statement before the next one or a keyword.
    fn separator(&mut self) {
        match self.random.below(20) {
            0..=9 => {
                self.used(Production::Semicolon);
                self.goes_on_with(Production::HereDocumentThenSemicolon);
                let text = self.random.one_of(&["; ", "; ", ";", " ; "]);
                self.push(text);
            }
            10..=15 => {
                self.used(Production::Newline);
                let before = self.random.one_of(&["", "", ";", " "]);
                self.push(before);
                self.newline();
                let blank = self.random.one_of(&["", "  ", "\t", "\n"]);
                self.push(blank);
            }
            16 | 17 => {
                self.used(Production::Background);
                self.goes_on_with(Production::HereDocumentThenBackground);
                let text = self.random.one_of(&[" & ", " &", "& "]);
                self.push(text);
            }
            _ => {
                self.used(Production::Comment);
                self.push(" ");
                self.comment();
            }
        }
    }

    /// A comment to the end of the line, and the line's end.
    pub(super) fn comment(&mut self) {
        let text = self.random.one_of(&[
            "# plain",
            "# it's",
            "# \"open",
            "# $(nope",
            "# `nope",
            "# ) } done fi",
            "#",
            "# <<E",
            "# goes on \\",
            "# \u{e9}\u{4e2d}",
            "#! \\\"'",
        ]);
        self.push(text);
        self.newline();
    }

    /// An and-or list.
    fn statement(&mut self) {
        self.pipeline();
        let mut more = 0;
        while self.budget > 0 && more < 2 && self.random.chance(22) {
            more += 1;
            self.goes_on_with(Production::HereDocumentThenLogic);
            let (production, text) = if self.random.chance(60) {
                (
                    Production::AndThen,
                    self.random.one_of(&[" && ", "&&", " &&", "&& "]),
                )
            } else {
                (
                    Production::OrElse,
                    self.random.one_of(&[" || ", "||", " ||", "|| "]),
                )
            };
            self.used(production);
            self.push(text);
            self.operator_then_newline();
            self.pipeline();
        }
    }

    fn operator_then_newline(&mut self) {
        if self.random.chance(12) {
            self.used(Production::OperatorThenNewline);
            if self.random.chance(20) {
                self.used(Production::Comment);
                self.push(" ");
                self.comment();
            } else {
                self.newline();
            }
        }
    }

    fn pipeline(&mut self) {
        if self.random.chance(if self.tame { 1 } else { 6 }) {
            if self.random.chance(60) {
                self.used(Production::Time);
                self.push("time ");
            } else {
                self.used(Production::TimePosix);
                self.push("time -p ");
            }
        }
        if self.random.chance(6) {
            self.used(Production::Negation);
            self.push("! ");
        }
        self.command();
        let mut more = 0;
        while self.budget > 0 && more < 3 && self.random.chance(18) {
            more += 1;
            self.goes_on_with(Production::HereDocumentThenPipe);
            let (production, text) = if self.random.chance(80) {
                (
                    Production::Pipe,
                    self.random.one_of(&[" | ", "|", " |", "| "]),
                )
            } else {
                (
                    Production::PipeBoth,
                    self.random.one_of(&[" |& ", "|&", " |&", "|& "]),
                )
            };
            self.used(production);
            self.push(text);
            self.operator_then_newline();
            self.command();
        }
    }

    /// A command of any kind.
    pub(super) fn command(&mut self) {
        if self.may_nest() {
            self.one_of(COMMANDS);
        } else {
            self.simple();
        }
    }

    fn coprocess(&mut self) {
        if self.tame && self.random.chance(80) {
            return self.compound();
        }
        // The first word of a simple coprocess is no name. Within `$( )` bash 5.2
        // takes it for one: it prints the substitution with a name put in, and
        // in some places reads that text again.
        if self.texts == 0 && self.random.chance(80) {
            self.used(Production::Coprocess);
            self.push("coproc ");
            self.push_program();
            self.arguments(2);
        } else {
            self.used(Production::CoprocessNamed);
            let number = self.number();
            self.push(&format!("coproc C{number} "));
            self.compound_without_input();
        }
    }
}
