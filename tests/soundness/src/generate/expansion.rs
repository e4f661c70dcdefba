//! Expansions that run something or count: `$( )`, backticks, `$(( ))`,
//! `<( )`.

use super::{Generator, Production, Table, quoting};

const EXPANSIONS: &Table = &[
    (9, Generator::parameter),
    (5, Generator::substitution),
    (2, Generator::backticks),
    (3, Generator::arithmetic),
];

const SUBSTITUTIONS: &Table = &[
    (12, Generator::command_substitution),
    (2, Generator::substituted_subshell),
    (2, Generator::substituted_case),
    (2, Generator::substituted_comment),
    (1, Generator::file_substitution),
];

const ARITHMETIC: &Table = &[
    (4, Generator::arithmetic_plain),
    (3, Generator::arithmetic_substitution),
    (1, Generator::arithmetic_brackets),
    (2, Generator::arithmetic_shift),
];

impl Generator {
    /// An expansion that may stand anywhere in a word, in quotes too.
    pub(super) fn expansion(&mut self) {
        if self.may_nest() {
            self.one_of(EXPANSIONS);
        } else {
            self.parameter();
        }
    }

    /// `$( )` in one of its forms.
    pub(super) fn substitution(&mut self) {
        self.one_of(SUBSTITUTIONS);
    }

    fn command_substitution(&mut self) {
        self.used(Production::CommandSubstitution);
        let inner = self.apart(|generator| generator.list(2));
        let blank = self.random.one_of(&["", "", " ", "\n"]);
        self.push(&format!("$({blank}{inner}{blank})"));
    }

    /// `$((p1); p2)`, which begins like arithmetic.
    fn substituted_subshell(&mut self) {
        self.used(Production::CommandSubstitutionParenthesis);
        let inner = self.apart(|generator| {
            generator.push("(");
            generator.list(1);
            generator.push(")");
            let join = generator.random.one_of(&["; ", " | ", " && ", ";"]);
            generator.push(join);
            generator.simple();
        });
        let blank = self.random.one_of(&["", " "]);
        self.push(&format!("$({blank}{inner})"));
    }

    /// A parenthesis that closes nothing.
    fn substituted_case(&mut self) {
        self.used(Production::CommandSubstitutionCase);
        let inner = self.apart(|generator| {
            let start = generator.random.one_of(&[
                "case a in a) ",
                "case b in a) nope;; *) ",
                "case a in (a) ",
            ]);
            generator.push(start);
            generator.program();
            generator.close_case();
        });
        self.push(&format!("$({inner})"));
    }

    /// Quotes and parentheses that a comment hides.
    fn substituted_comment(&mut self) {
        self.used(Production::CommandSubstitutionComment);
        let inner = self.apart(|generator| {
            generator.program();
            generator.push(" ");
            generator.comment();
            if generator.random.chance(50) {
                generator.program();
            }
        });
        self.push(&format!("$({inner})"));
    }

    fn file_substitution(&mut self) {
        self.used(Production::FileSubstitution);
        let text = self.random.one_of(&[
            "$(<file.txt)",
            "$(< file.txt)",
            "$( <file.txt )",
            "`<file.txt`",
        ]);
        self.push(text);
    }

    fn backticks(&mut self) {
        // Each level doubles the backslashes of the ones within.
        if self.backticks >= 3 {
            return self.command_substitution();
        }
        self.used(Production::Backticks);
        if self.backticks > 0 {
            self.used(Production::BackticksNested);
        }
        self.backticks += 1;
        let nest = self.backticks == 1 && self.may_nest() && self.random.chance(40);
        let inner = self.apart(|generator| {
            if nest {
                generator.marked_echo();
                generator.push(" ");
                generator.backticks();
            } else {
                generator.list(2);
            }
        });
        self.backticks -= 1;
        let inner = quoting::escaped(&inner, &['\\', '`']);
        self.push(&format!("`{inner}`"));
    }

    /// An arithmetic expansion.
    pub(super) fn arithmetic(&mut self) {
        self.one_of(ARITHMETIC);
    }

    fn arithmetic_plain(&mut self) {
        self.used(Production::Arithmetic);
        let text = self.random.one_of(&[
            "$((1+2))",
            "$(( 1 ? 2 : 3 ))",
            "$(((1)+(2)))",
            "$((2#101 + 0x1f))",
            "$(( (1 < 2) && (3 > 2) ))",
            "$((1,2))",
            "$((  -1  ))",
            "$((\"1\" + 1))",
            "$((1\n+1))",
        ]);
        self.push(text);
    }

    fn arithmetic_substitution(&mut self) {
        if !self.may_doubt() {
            return self.arithmetic_plain();
        }
        self.used(Production::ArithmeticSubstitution);
        let inner = self.apart(|generator| {
            generator.program();
            generator.push("; echo 1");
        });
        let text = match self.random.below(5) {
            0 => format!("$((`{}`))", quoting::escaped(&inner, &['\\', '`'])),
            1 => format!("$(( 1 + $( {inner} ) ))"),
            2 => format!("$((${{#v0}} + $({inner})))"),
            3 => format!("$((${{v9:-$({inner})}}))"),
            _ => format!("$(($({inner})+1))"),
        };
        self.push(&text);
    }

    fn arithmetic_brackets(&mut self) {
        self.used(Production::ArithmeticBrackets);
        if self.may_doubt() {
            let inner = self.apart(|generator| {
                generator.program();
                generator.push("; echo 2");
            });
            self.push(&format!("$[ 1 + $({inner}) ]"));
        } else {
            self.push("$[1+2]");
        }
    }

    /// A shift, which begins like a here-document.
    fn arithmetic_shift(&mut self) {
        self.used(Production::ArithmeticShift);
        let text =
            self.random
                .one_of(&["$((1<<2))", "$((1 << 2))", "$(( 8 >> 1 ))", "$((1<<(1)))"]);
        self.push(text);
    }

    pub(super) fn process_in(&mut self) {
        self.process(Production::ProcessIn, "<(");
    }

    pub(super) fn process_out(&mut self) {
        self.process(Production::ProcessOut, ">(");
    }

    fn process(&mut self, production: Production, open: &str) {
        if !self.may_nest() {
            return self.push("file.txt");
        }
        self.used(production);
        let inner = self.apart(|generator| generator.list(2));
        self.push(&format!("{open}{inner})"));
    }

    /// `echo m1`
    pub(super) fn marked_echo(&mut self) {
        self.used(Production::BuiltinEcho);
        let marker = self.marker();
        self.push(&format!("echo {marker}"));
    }
}
