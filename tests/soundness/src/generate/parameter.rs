//! Parameter expansions.

use super::{Generator, Production, Table, quoting};

const PARAMETERS: &Table = &[
    (6, Generator::parameter_plain),
    (3, Generator::parameter_special),
    (5, Generator::parameter_default),
    (3, Generator::parameter_assign),
    (3, Generator::parameter_alternate),
    (1, Generator::parameter_error),
    (2, Generator::parameter_length),
    (3, Generator::parameter_prefix),
    (3, Generator::parameter_suffix),
    (3, Generator::parameter_replace),
    (2, Generator::parameter_case),
    (2, Generator::parameter_transform),
    (1, Generator::parameter_names),
    (1, Generator::parameter_keys),
    (3, Generator::parameter_substring),
    (3, Generator::parameter_subscript),
    (3, Generator::parameter_quoted_operand),
];

impl Generator {
    /// `$v0`, `${v0…}`
    pub(super) fn parameter(&mut self) {
        self.one_of(PARAMETERS);
    }

    fn parameter_plain(&mut self) {
        self.used(Production::Parameter);
        let name = self.scalar();
        let text = if self.random.chance(50) {
            format!("${name}")
        } else {
            format!("${{{name}}}")
        };
        self.push(&text);
    }

    fn parameter_special(&mut self) {
        self.used(Production::ParameterSpecial);
        let text = self.random.one_of(&[
            "$?", "$#", "$@", "$*", "$$", "$-", "$!", "$1", "${10}", "${#}", "${@}", "$0", "$_",
            "${?}", "${#@}", "${@:1}",
        ]);
        self.push(text);
    }

    fn operated(&mut self, production: Production, operators: &[&'static str]) {
        self.used(production);
        let name = self.scalar();
        let operator = self.random.one_of(operators);
        self.push(&format!("${{{name}{operator}"));
        self.operand();
        self.push("}");
    }

    fn parameter_default(&mut self) {
        self.operated(Production::ParameterDefault, &[":-", "-"]);
    }

    fn parameter_assign(&mut self) {
        self.operated(Production::ParameterAssign, &[":=", "="]);
    }

    fn parameter_alternate(&mut self) {
        self.operated(Production::ParameterAlternate, &[":+", "+"]);
    }

    fn parameter_error(&mut self) {
        self.used(Production::ParameterError);
        // Set always, so that the script goes on.
        let operator = self.random.one_of(&[":?", "?"]);
        self.push(&format!("${{PWD{operator}"));
        self.operand();
        self.push("}");
    }

    fn parameter_length(&mut self) {
        self.used(Production::ParameterLength);
        let text = self
            .random
            .one_of(&["${#v0}", "${#arr[@]}", "${#arr[*]}", "${#arr}", "${#1}"]);
        self.push(text);
    }

    fn parameter_prefix(&mut self) {
        self.operated(Production::ParameterPrefix, &["#", "##"]);
    }

    fn parameter_suffix(&mut self) {
        self.operated(Production::ParameterSuffix, &["%", "%%"]);
    }

    fn parameter_replace(&mut self) {
        self.used(Production::ParameterReplace);
        let name = self.scalar();
        let operator = self.random.one_of(&["/", "//", "/#", "/%"]);
        self.push(&format!("${{{name}{operator}"));
        self.operand();
        if self.random.chance(80) {
            self.push("/");
            self.operand();
        }
        self.push("}");
    }

    fn parameter_case(&mut self) {
        self.operated(Production::ParameterCase, &["^", "^^", ",", ",,"]);
    }

    fn parameter_transform(&mut self) {
        self.used(Production::ParameterTransform);
        let name = self.scalar();
        let operator = self.random.one_of(&["Q", "U", "L", "u", "E", "A", "a"]);
        self.push(&format!("${{{name}@{operator}}}"));
    }

    fn parameter_names(&mut self) {
        self.used(Production::ParameterNames);
        let text = self.random.one_of(&["${!v@}", "${!v*}"]);
        self.push(text);
    }

    fn parameter_keys(&mut self) {
        if self.tame {
            return self.parameter_plain();
        }
        self.used(Production::ParameterKeys);
        let text = self.random.one_of(&["${!arr[@]}", "${!arr[*]}"]);
        self.push(text);
    }

    fn parameter_substring(&mut self) {
        self.used(Production::ParameterSubstring);
        let name = self.scalar();
        self.push(&format!("${{{name}:"));
        if self.may_doubt() {
            self.counted();
        } else {
            let text = self
                .random
                .one_of(&["1", " -1", "0", "(1)", "1+1", "0:2", " -2:1", "1?1:0"]);
            self.push(text);
        }
        if self.doubtful && self.may_nest() && self.random.chance(20) {
            self.push(":");
            self.counted();
        }
        self.push("}");
    }

    /// A number that a program is run for.
    fn counted(&mut self) {
        let inner = self.apart(|generator| {
            generator.program();
            generator.push("; echo 0");
        });
        self.push(&format!("$({inner})"));
    }

    fn parameter_subscript(&mut self) {
        self.used(Production::ParameterSubscript);
        let number = self.random.one_of(&["0", "1+1", "@", "*", "-1", " 1 "]);
        let after = self.random.one_of(&["", "", ":-x", ":1:1", "/a/b", "^"]);
        if self.may_doubt() {
            self.push("${arr[");
            self.counted();
            self.push("]}");
        } else {
            self.push(&format!("${{arr[{number}]{after}}}"));
        }
    }

    /// Quotes within an operand mean one thing in quotes and another outside.
    fn parameter_quoted_operand(&mut self) {
        self.used(Production::ParameterQuotedOperand);
        let operator = self.random.one_of(&[":-", ":+", "#", "%", "/", "="]);
        let run = if self.may_nest() {
            self.apart(Self::program)
        } else {
            "echo x".to_owned()
        };
        let text = match self.random.below(7) {
            0 => format!("'$({run})'"),
            1 => format!("\"$({run})\""),
            2 => format!("'}}'$({run})"),
            3 => format!("\\}}$({run})"),
            4 => format!("\"}}\"`{}`", quoting::escaped(&run, &['\\', '`'])),
            5 => format!("a$'\\''$({run})"),
            _ => format!("'a\"b'$({run})"),
        };
        self.push(&format!("${{v8{operator}{text}}}"));
    }

    /// What stands after the operator.
    fn operand(&mut self) {
        match self.random.below(8) {
            0 => {}
            1 | 2 => {
                let text = self
                    .random
                    .one_of(&["x", "a b", "*.txt", "\\}", "/x", "[a-z]", "a#b", "{", "?"]);
                self.push(text);
            }
            3 => {
                let text = self
                    .random
                    .one_of(&["(", ")", ";", "|", "&", "<", "> x", "#"]);
                self.push(text);
            }
            _ => self.expansion(),
        }
    }
}
