//! `[[ ]]` and `(( ))`.

use super::{Generator, Production, Table};

const CONDITIONS: &Table = &[
    (5, Generator::double_bracket),
    (2, Generator::double_bracket_logic),
    (3, Generator::double_bracket_pattern),
    (2, Generator::double_bracket_regex),
    (2, Generator::double_bracket_arithmetic),
    (4, Generator::double_parenthesis),
    (1, Generator::double_parenthesis_command),
];

impl Generator {
    /// One of these, as a command.
    pub(super) fn condition(&mut self) {
        self.one_of(CONDITIONS);
    }

    fn double_bracket(&mut self) {
        self.used(Production::DoubleBracket);
        self.push("[[ ");
        self.operand_of_test();
        self.push(" ]]");
    }

    fn operand_of_test(&mut self) {
        let operator = self.random.one_of(&["-n ", "-z ", "-e ", "! -d ", ""]);
        self.push(operator);
        self.condition_word();
    }

    fn condition_word(&mut self) {
        if self.random.chance(40) {
            self.push("\"");
            self.in_quotes(Self::expansion);
            self.push("\"");
        } else {
            self.expansion();
        }
    }

    fn double_bracket_logic(&mut self) {
        self.used(Production::DoubleBracketLogic);
        self.push("[[ ");
        let open = self.random.one_of(&["( ", "! ", "(", ""]);
        self.push(open);
        self.operand_of_test();
        if open.starts_with('(') {
            self.push(" )");
        }
        let join = self.random.one_of(&[" && ", " || ", "\n&& ", " ||\n"]);
        self.push(join);
        self.operand_of_test();
        self.push(" ]]");
    }

    fn double_bracket_pattern(&mut self) {
        self.used(Production::DoubleBracketPattern);
        self.push("[[ ");
        self.condition_word();
        let operator = self.random.one_of(&[" == ", " = ", " != ", " < ", " > "]);
        self.push(operator);
        let pattern = self
            .random
            .one_of(&["a*", "@(a|b)*", "*(x)", "\"a b\"", "[!a]*", "$v0*", "a\\ b"]);
        self.push(pattern);
        if operator.contains('=') && self.may_nest() && self.random.chance(40) {
            self.substitution();
        }
        self.push(" ]]");
    }

    fn double_bracket_regex(&mut self) {
        self.used(Production::DoubleBracketRegex);
        self.push("[[ ");
        self.condition_word();
        self.push(" =~ ");
        let pattern = self.random.one_of(&[
            "^a+$",
            "(a|b)+",
            "^[a-z]+[0-9]?$",
            "a|b",
            "$v0",
            "\\.txt$",
            "[[:space:]]",
            "(a (b))",
            "\"a b\"",
            "a{1,2}",
        ]);
        self.push(pattern);
        if self.may_nest() && self.random.chance(30) {
            self.substitution();
        }
        self.push(" ]]");
    }

    fn double_bracket_arithmetic(&mut self) {
        self.used(Production::DoubleBracketArithmetic);
        self.push("[[ ");
        self.arithmetic();
        let operator = self.random.one_of(&[" -eq ", " -lt ", " -ge ", " -ne "]);
        self.push(operator);
        self.push("1 ]]");
    }

    fn double_parenthesis(&mut self) {
        self.used(Production::DoubleParenthesis);
        if self.may_doubt() {
            let inner = self.apart(|generator| {
                generator.program();
                generator.push("; echo 1");
            });
            let shape = self.random.one_of(&[
                "(( $(#) ))",
                "((1+$(#)))",
                "(( n = $(#) ))",
                "(( \"$(#)\" ))",
            ]);
            let (before, after) = shape.split_once('#').unwrap_or(("((", "))"));
            self.push(&format!("{before}{inner}{after}"));
        } else {
            let text = self.random.one_of(&[
                "((1))",
                "(( 1 + 1 ))",
                "((n=1))",
                "(( 1 << 2 ))",
                "((1 > 0 && 2 < 3))",
                "(( (1) ))",
            ]);
            self.push(text);
        }
    }

    /// `((p1); p2)`, which begins like arithmetic and is two subshells.
    fn double_parenthesis_command(&mut self) {
        if self.tame && self.random.chance(70) {
            return self.double_parenthesis();
        }
        self.used(Production::DoubleParenthesisCommand);
        self.push("((");
        self.push_program();
        self.push(")");
        let join = self.random.one_of(&["; ", " && ", " | ", "\n"]);
        if join == "\n" {
            self.newline();
        } else {
            self.push(join);
        }
        self.push_program();
        self.push(")");
    }
}
