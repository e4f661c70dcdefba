//! Compound commands.

use super::{Generator, Production, Table};

const COMPOUNDS: &Table = &[
    (6, Generator::group),
    (6, Generator::subshell),
    (7, Generator::if_),
    (3, Generator::while_),
    (2, Generator::until),
    (3, Generator::while_read),
    (8, Generator::for_),
    (6, Generator::case),
    (2, Generator::select),
    (8, Generator::function),
    (8, Generator::condition),
];

const BODIES: &Table = &[
    (3, Generator::if_),
    (2, Generator::while_),
    (3, Generator::for_),
    (3, Generator::case),
    (2, Generator::condition),
];

impl Generator {
    /// A compound command with its redirects.
    pub(super) fn compound(&mut self) {
        self.depth += 1;
        self.one_of(COMPOUNDS);
        self.depth -= 1;
        if self.random.chance(8) {
            self.used(Production::CompoundRedirect);
            self.blank();
            self.redirect();
        }
    }

    /// One that can be a coprocess: it waits for no input.
    pub(super) fn compound_without_input(&mut self) {
        self.push("{ ");
        self.push_program();
        self.push("; }");
    }

    /// One that can be a function's body.
    pub(super) fn compound_body(&mut self) {
        self.one_of(BODIES);
    }

    pub(super) fn group(&mut self) {
        self.used(Production::Group);
        self.push("{");
        self.body();
        self.push("}");
    }

    pub(super) fn subshell(&mut self) {
        self.used(Production::Subshell);
        let open = self.random.one_of(&["(", "( "]);
        self.push(open);
        self.list(2);
        if !self.here.is_empty() && self.random.chance(50) {
            self.newline();
        }
        let close = self.random.one_of(&[")", " )"]);
        self.push(close);
    }

    fn if_(&mut self) {
        self.used(Production::If);
        self.push("if");
        self.body();
        self.push("then");
        self.body();
        if self.random.chance(25) {
            self.used(Production::Elif);
            self.push("elif");
            self.body();
            self.push("then");
            self.body();
        }
        if self.random.chance(40) {
            self.used(Production::Else);
            self.push("else");
            self.body();
        }
        self.push("fi");
    }

    /// A loop's body, which leaves the loop.
    fn leaving(&mut self) {
        self.push("do");
        self.body();
        let leave = self.random.one_of(&["break", "break 1", "break; nope"]);
        self.push(leave);
        self.end_of_loop();
    }

    /// A loop's body in a loop that ends by itself.
    fn ending(&mut self) {
        self.push("do");
        self.body();
        if self.random.chance(20) {
            self.used(Production::LoopControl);
            let leave =
                self.random
                    .one_of(&["continue", "break", "false && continue", "continue 1"]);
            self.push(leave);
            self.end_of_loop();
        } else {
            self.push("done");
        }
    }

    fn end_of_loop(&mut self) {
        if self.random.chance(30) {
            self.newline();
        } else {
            self.push("; ");
        }
        self.push("done");
    }

    fn while_(&mut self) {
        self.used(Production::While);
        self.push("while");
        self.body();
        self.leaving();
    }

    fn until(&mut self) {
        self.used(Production::Until);
        self.push("until");
        if self.random.chance(60) {
            self.push(" ! ");
            self.push_program();
            self.push("; ");
        } else {
            self.body();
        }
        self.leaving();
    }

    fn while_read(&mut self) {
        self.used(Production::WhileRead);
        let head = self.random.one_of(&[
            "while read -r line; ",
            "while IFS= read -r a b; ",
            "while read line\n",
        ]);
        if head.ends_with('\n') {
            self.push(head.trim_end());
            self.newline();
        } else {
            self.push(head);
        }
        self.ending();
        self.blank();
        match self.random.below(4) {
            0 => self.push("< file.txt"),
            1 => self.here_string(),
            2 => {
                self.push("< ");
                self.process_in();
            }
            _ => {
                self.used(Production::CompoundHereDocument);
                self.here_document();
            }
        }
    }

    fn for_(&mut self) {
        match self.random.below(10) {
            0 => {
                self.used(Production::ForPositional);
                let head = self
                    .random
                    .one_of(&["for x; ", "for x in \"$@\"; ", "for x "]);
                self.push(head);
                self.ending();
            }
            1 if !self.tame => {
                self.used(Production::ForBraces);
                self.push("for x in a b; ");
                self.group();
            }
            2 | 3 => {
                self.used(Production::ForArithmetic);
                self.counting_head();
                let join = self.random.one_of(&["; ", " ", ";"]);
                self.push(join);
                self.ending();
            }
            4 => {
                self.used(Production::ForArithmeticBraces);
                self.counting_head();
                self.push(" ");
                self.group();
            }
            _ => {
                self.used(Production::ForIn);
                self.push("for x in");
                for _ in 0..1 + self.random.below(3) {
                    self.blank();
                    self.argument();
                }
                self.for_separator();
                self.ending();
            }
        }
    }

    fn for_separator(&mut self) {
        if self.random.chance(30) {
            self.newline();
        } else {
            let text = self.random.one_of(&["; ", ";", " ;\n"]);
            if text.ends_with('\n') {
                self.push(" ;");
                self.newline();
            } else {
                self.push(text);
            }
        }
    }

    fn counting_head(&mut self) {
        if self.may_doubt() {
            let inner = self.apart(|generator| {
                generator.program();
                generator.push("; echo 0");
            });
            self.push(&format!("for ((i=$({inner}); i<2; i++))"));
        } else {
            let head = self.random.one_of(&[
                "for ((i=0; i<2; i++))",
                "for (( i = 0 ; i < 1 ; i += 1 ))",
                "for ((i=0,j=1;i<j;i++))",
            ]);
            self.push(head);
        }
    }

    fn case(&mut self) {
        self.used(Production::Case);
        self.push("case ");
        match self.random.below(4) {
            0 => self.push("$v0"),
            1 => self.double_quoted_word(),
            _ => self.spell("a"),
        }
        let join = self.random.one_of(&[" in ", " in\n", "\nin "]);
        if join.contains('\n') && !self.here.is_empty() {
            self.push(" in");
            self.newline();
        } else {
            self.push(join);
        }
        if self.random.chance(if self.tame { 30 } else { 60 }) {
            self.pattern();
            self.clause();
        }
        self.case_parenthesis();
        let pattern = self.random.one_of(&["*", "?*|*", "a|*"]);
        self.push(pattern);
        self.push(")");
        self.last_clause();
    }

    fn pattern(&mut self) {
        self.case_parenthesis();
        let pattern = self.random.one_of(&[
            "a", "b", "[a-c]", "'a b'", "a | b", "\"a\"", "?", "a*", "''",
        ]);
        self.push(pattern);
        if self.may_nest() && self.is_odd(50) {
            self.used(Production::CasePatternSubstitution);
            self.push("|");
            self.substitution();
        }
        self.push(")");
    }

    fn case_parenthesis(&mut self) {
        if self.random.chance(35) {
            self.used(Production::CaseParenthesis);
            self.push("(");
        }
    }

    fn clause(&mut self) {
        self.blank();
        self.list(2);
        self.blank();
        match self.random.below(if self.tame { 5 } else { 2 }) {
            0 => {
                self.used(Production::CaseFallThrough);
                self.push(";&");
            }
            1 if !self.tame => {
                self.used(Production::CaseTestNext);
                self.push(";;&");
            }
            _ => self.push(";;"),
        }
        if self.random.chance(40) {
            self.newline();
        } else {
            self.push(" ");
        }
    }

    fn last_clause(&mut self) {
        self.blank();
        self.list(2);
        self.close_case();
    }

    /// The end of the last clause, and of the `case`.
    pub(super) fn close_case(&mut self) {
        if self.random.chance(25) {
            self.used(Production::CaseOpenEnd);
            if self.random.chance(50) {
                self.newline();
            } else {
                self.push("; ");
            }
        } else {
            let end = self.random.one_of(&[" ;; ", ";;", ";; ", " ;;\n"]);
            self.push(end.trim_end_matches('\n'));
            if end.ends_with('\n') {
                self.newline();
            }
            if !self.text.ends_with(['\n', ' ']) {
                self.push(" ");
            }
        }
        self.push("esac");
    }

    fn double_quoted_word(&mut self) {
        self.push("\"");
        self.in_quotes(Self::expansion);
        self.push("\"");
    }

    fn select(&mut self) {
        self.used(Production::Select);
        self.push("select x in a b; ");
        self.leaving();
        self.push(" <<< 1");
    }
}
