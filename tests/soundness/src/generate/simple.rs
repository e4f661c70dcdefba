//! Simple commands: programs, builtins, assignments.

use super::{Generator, Production, Table, quoting};

/// Names in scripts that hold scalars.
pub(super) const SCALARS: [&str; 4] = ["v0", "v1", "v2", "v3"];

const SIMPLE: &Table = &[
    (40, Generator::program),
    (4, Generator::program_by_path),
    (2, Generator::non_ascii_program),
    (2, Generator::program_by_variable_path),
    (1, Generator::brace_program),
    (3, Generator::literal_variable_program),
    (6, Generator::external_cat),
    (20, Generator::builtin),
    (10, Generator::assigning),
    (5, Generator::function_call),
    (2, Generator::redirect_only),
];

const BUILTINS: &Table = &[
    (12, Generator::echo),
    (5, Generator::printf),
    (3, Generator::test),
    (3, Generator::bracket),
    (4, Generator::colon),
    (2, Generator::read),
    (2, Generator::declare),
    (2, Generator::export),
    (2, Generator::local),
    (2, Generator::let_),
    (2, Generator::set),
    (2, Generator::unset),
    (1, Generator::cd),
    (1, Generator::mapfile),
    (1, Generator::type_),
];

const ASSIGNMENTS: &Table = &[
    (6, Generator::assign),
    (2, Generator::assign_more),
    (3, Generator::assign_array),
    (2, Generator::assign_subscript),
    (1, Generator::assign_map),
];

impl Generator {
    /// A simple command.
    pub(super) fn simple(&mut self) {
        self.one_of(SIMPLE);
    }

    /// A program with all that may stand around its words.
    pub(super) fn program(&mut self) {
        self.used(Production::Program);
        let name = self.program_name();
        self.run(&name);
    }

    fn run(&mut self, name: &str) {
        self.before_program();
        self.spell(name);
        self.after_program();
    }

    /// Assignments and redirects that stand before a program.
    fn before_program(&mut self) {
        if self.random.chance(12) {
            self.used(Production::AssignmentPrefix);
            let name = self.scalar();
            self.push(&format!("{name}="));
            self.value();
            self.blank();
        }
        if self.random.chance(8) {
            self.used(Production::RedirectBefore);
            self.redirect();
            self.blank();
        }
    }

    /// Its arguments, with redirects between and after them.
    fn after_program(&mut self) {
        if self.random.chance(8) {
            self.blank();
            self.used(Production::RedirectBetween);
            self.redirect();
            self.blank();
            self.goes_on_with(Production::HereDocumentThenWords);
            self.argument();
        }
        self.arguments(3);
        self.redirects();
    }

    /// Redirects at the end of a command.
    pub(super) fn redirects(&mut self) {
        let mut chance = 18;
        while self.random.chance(chance) {
            self.used(Production::RedirectAfter);
            self.blank();
            self.redirect();
            chance = 25;
        }
    }

    /// Less than so many arguments, each after a blank.
    pub(super) fn arguments(&mut self, bound: usize) {
        for _ in 0..self.random.below(bound) {
            self.blank();
            self.argument();
        }
    }

    fn program_by_path(&mut self) {
        self.used(Production::ProgramByPath);
        // Files of the workspace and the home: see `run::place`.
        let name = self
            .random
            .one_of(&["w0", "w1", "w2", "w3", "w4", "w5", "h0", "h1"]);
        let path = match name {
            "w0" | "w1" | "w2" => format!("./{name}"),
            "h0" | "h1" => format!("~/{name}"),
            _ => format!("dir/{name}"),
        };
        self.mention(name);
        self.budget = self.budget.saturating_sub(1);
        if path.starts_with('~') {
            self.push(&path);
        } else {
            self.spell(&path);
        }
        self.after_program();
    }

    fn non_ascii_program(&mut self) {
        self.used(Production::NonAsciiProgram);
        let number = self.random.below(super::NON_ASCII_PROGRAMS);
        let name = format!("p\u{e9}{number}");
        self.mention(&name);
        self.budget = self.budget.saturating_sub(1);
        self.run(&name);
    }

    fn program_by_variable_path(&mut self) {
        self.used(Production::AbsolutePath);
        let name = self.random.one_of(&["w0", "w1", "w2"]);
        self.mention(name);
        self.budget = self.budget.saturating_sub(1);
        let text = self
            .random
            .one_of(&["\"$PWD\"/#", "$PWD/#", "\"${PWD}/#\"", "$PWD/dir/../#"]);
        self.push(&text.replace('#', name));
        self.after_program();
    }

    fn brace_program(&mut self) {
        if self.tame && self.random.chance(70) {
            return self.program();
        }
        self.used(Production::BraceProgram);
        let name = self.program_name();
        let text = self
            .random
            .one_of(&["{#,one}", "{#,{a,b}}", "#{,}", "{'#',x\\ y}"]);
        self.push(&text.replace('#', &name));
        self.after_program();
    }

    fn literal_variable_program(&mut self) {
        self.used(Production::LiteralVariableProgram);
        let number = self.number();
        let name = self.program_name();
        self.push(&format!("c{number}="));
        self.spell(&name);
        let text = self
            .random
            .one_of(&["; $c#", "\n$c#", " && \"$c#\"", "; ${c#}", "; \"${c#}\""]);
        self.push(&text.replace('#', &number.to_string()));
        self.after_program();
    }

    fn external_cat(&mut self) {
        self.used(Production::ExternalCat);
        self.mention("cat");
        self.budget = self.budget.saturating_sub(1);
        self.run("cat");
    }

    fn builtin(&mut self) {
        self.one_of(BUILTINS);
    }

    /// A builtin with an argument that tells it from all others.
    fn marked(&mut self, production: Production, name: &str) {
        self.used(production);
        self.before_program();
        self.spell(name);
        self.blank();
        let marker = self.marker();
        self.spell(&marker);
    }

    fn echo(&mut self) {
        self.marked(Production::BuiltinEcho, "echo");
        self.after_program();
    }

    fn printf(&mut self) {
        self.marked(Production::BuiltinPrintf, "printf");
        self.after_program();
    }

    fn test(&mut self) {
        self.marked(Production::BuiltinTest, "test");
        let text = self
            .random
            .one_of(&[" = ", " != ", " -nt ", " '<' ", " -a ", " -o "]);
        self.push(text);
        self.argument();
    }

    fn bracket(&mut self) {
        self.marked(Production::BuiltinBracket, "[");
        let text = self.random.one_of(&[" = ", " != ", " == ", " -ef "]);
        self.push(text);
        self.argument();
        self.push(" ]");
    }

    fn colon(&mut self) {
        self.marked(Production::BuiltinColon, ":");
        self.after_program();
    }

    fn read(&mut self) {
        self.used(Production::BuiltinRead);
        let options = self
            .random
            .one_of(&["read ", "read -r ", "IFS= read -r ", "read -rd '' "]);
        self.push(options);
        let name = self.scalar();
        self.push(name);
        self.push(" ");
        self.here_string();
    }

    fn declare(&mut self) {
        self.used(Production::BuiltinDeclare);
        let words = self.random.one_of(&[
            "declare",
            "declare -r",
            "declare -x",
            "typeset -l",
            "declare -g",
            "readonly",
        ]);
        let number = self.number();
        self.push(&format!("{words} d{number}="));
        self.value();
    }

    fn export(&mut self) {
        self.used(Production::BuiltinExport);
        let name = self.scalar();
        self.push(&format!("export {name}="));
        self.value();
    }

    fn local(&mut self) {
        self.used(Production::BuiltinLocal);
        let number = self.number();
        self.push(&format!("lf{number}() {{ local a=1 b="));
        self.value();
        self.push("; ");
        self.push_program();
        self.push(&format!("; }}; lf{number}"));
    }

    fn let_(&mut self) {
        self.used(Production::BuiltinLet);
        let text =
            self.random
                .one_of(&["let n=1+2", "let 'n = 1 << 2'", "let \"n+=1\"", "let n++"]);
        self.push(text);
    }

    fn set(&mut self) {
        self.used(Production::BuiltinSet);
        let text = self
            .random
            .one_of(&["set --", "set -- a b", "set -f; set --"]);
        self.push(text);
        self.blank();
        self.argument();
    }

    fn unset(&mut self) {
        self.used(Production::BuiltinUnset);
        let name = self.scalar();
        let flag = self.random.one_of(&["", "-v "]);
        self.push(&format!("unset {flag}{name}"));
    }

    fn cd(&mut self) {
        self.used(Production::BuiltinCd);
        let text = self
            .random
            .one_of(&["cd dir", "cd .", "cd ./dir/..", "cd dir && ./w3"]);
        if text.ends_with("w3") {
            self.mention("w3");
        }
        self.push(text);
    }

    fn mapfile(&mut self) {
        self.used(Production::BuiltinMapfile);
        let text = self
            .random
            .one_of(&["mapfile -t lines ", "readarray lines ", "mapfile -n 1 "]);
        self.push(text);
        self.here_string();
    }

    /// A pattern whose syntax only an earlier line turns on.
    pub(super) fn extended_glob(&mut self) {
        self.used(Production::ExtendedGlob);
        self.push("shopt -s extglob");
        self.newline();
        let pattern =
            self.random
                .one_of(&["@(a|b)", "!(x)", "*(a|$v0)", "?(file).txt", "+(')'|\\()"]);
        self.push(&format!(": {pattern}"));
        self.newline();
    }

    fn type_(&mut self) {
        self.used(Production::BuiltinType);
        let text = self
            .random
            .one_of(&["type cat", "command -v cat", "type -t p"]);
        self.push(text);
    }

    /// One of the variables that scripts use.
    pub(super) fn scalar(&mut self) -> &'static str {
        self.random.one_of(&SCALARS)
    }

    fn assigning(&mut self) {
        self.one_of(ASSIGNMENTS);
    }

    fn assign(&mut self) {
        self.used(Production::Assignment);
        let name = self.scalar();
        self.push(&format!("{name}="));
        self.value();
    }

    fn assign_more(&mut self) {
        self.used(Production::AssignmentAppend);
        let name = self.scalar();
        self.push(&format!("{name}+="));
        self.value();
    }

    fn assign_array(&mut self) {
        self.used(Production::AssignmentArray);
        let start = self.random.one_of(&["arr=(", "arr+=(", "arr=( "]);
        self.push(start);
        self.value();
        for _ in 0..self.random.below(3) {
            if self.random.chance(20) {
                self.push(" # it's\n");
            } else {
                self.blank();
            }
            if self.random.chance(20) {
                self.push("[3]=");
            }
            self.argument();
        }
        self.push(")");
    }

    fn assign_subscript(&mut self) {
        self.used(Production::AssignmentSubscript);
        self.push("arr[");
        if self.random.chance(60) {
            let index = self
                .random
                .one_of(&["0", "1+1", "n", "n + 1", "${#arr[@]}"]);
            self.push(index);
        } else {
            self.arithmetic();
        }
        let operator = self.random.one_of(&["]=", "]+="]);
        self.push(operator);
        self.value();
    }

    fn assign_map(&mut self) {
        if self.tame {
            return self.assign();
        }
        self.used(Production::AssignmentMap);
        let number = self.number();
        self.push(&format!("declare -A map{number}=([a]="));
        self.value();
        self.push(" ['b c']=");
        self.value();
        self.push(")");
        if self.random.chance(30) {
            self.push(&format!("; map{number}[x]="));
            self.value();
        }
    }

    /// What stands after the `=` of an assignment.
    fn value(&mut self) {
        match self.random.below(10) {
            0 => {}
            1..=3 => self.spell("value"),
            4 => {
                let number = self.random.below(9);
                self.push(&number.to_string());
            }
            5 => {
                let text = quoting::single("a b");
                self.push(&text);
            }
            _ => self.argument_of_value(),
        }
    }
}
