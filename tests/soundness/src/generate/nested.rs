//! Scripts within scripts: text and files that a shell is given.

use super::{Generator, Production, Table, quoting};

const NESTED: &Table = &[
    (3, Generator::eval_literal),
    (2, Generator::eval_words),
    (2, Generator::trap_exit),
    (1, Generator::trap_debug),
    (2, Generator::source_file),
    (1, Generator::source_substitution),
    (4, Generator::bash_text),
    (2, Generator::sh_text),
    (2, Generator::bash_file),
    (2, Generator::bash_here_document),
    (2, Generator::bash_here_string),
    (2, Generator::pipe_to_shell),
];

impl Generator {
    /// One of these.
    pub(super) fn nested(&mut self) {
        self.one_of(NESTED);
    }

    /// A script as one word, in any quotes that expand nothing.
    pub(super) fn script_word(&mut self) {
        let text = self.apart(|generator| generator.list(2));
        self.literal_word(&text);
    }

    /// A text as one word.
    pub(super) fn literal_word(&mut self, text: &str) {
        let quoted = match self.random.below(5) {
            0 => quoting::double(text),
            1 => quoting::ansi_c(text),
            _ => quoting::single(text),
        };
        self.push(&quoted);
    }

    fn bash(&mut self) {
        self.mention("bash");
        self.push("bash");
    }

    fn eval_literal(&mut self) {
        self.used(Production::EvalLiteral);
        self.push("eval ");
        self.script_word();
    }

    fn eval_words(&mut self) {
        self.used(Production::EvalWords);
        let (first, second) = (self.program_name(), self.program_name());
        let text = self.random.one_of(&[
            "eval @ one",
            "eval '@;' \"%\"",
            "eval @ '&&' %",
            "eval -- \"@\" \\| %",
            "eval \"@ 'a b'\"; %",
            "eval eval '@ | %'",
        ]);
        self.push(&text.replace('@', &first).replace('%', &second));
    }

    fn trap_exit(&mut self) {
        self.used(Production::TrapExit);
        self.push("trap ");
        self.script_word();
        let signal = self
            .random
            .one_of(&[" EXIT", " 0", " EXIT INT", " exit", " SIGINT EXIT"]);
        self.push(signal);
    }

    fn trap_debug(&mut self) {
        self.used(Production::TrapDebug);
        self.push("(trap ");
        let name = self.program_name();
        self.literal_word(&format!("{name} x"));
        let signal = self.random.one_of(&[" DEBUG", " ERR", " RETURN DEBUG"]);
        self.push(signal);
        self.push("; ");
        self.push_program();
        self.push("; false)");
    }

    fn source_file(&mut self) {
        self.used(Production::SourceFile);
        // Its programs: see `run::place`.
        self.mention("q0");
        self.mention("q1");
        let text = self.random.one_of(&[
            "source ./lib.sh",
            ". ./lib.sh",
            ". './lib.sh' one",
            "source dir/../lib.sh",
        ]);
        self.push(text);
    }

    fn source_substitution(&mut self) {
        if self.tame && self.random.chance(70) {
            return self.source_file();
        }
        self.used(Production::SourceSubstitution);
        let name = self.program_name();
        self.mention("echo");
        self.mention("cat");
        let text = self.random.one_of(&[
            "source <(echo '@ x')",
            ". <(echo @)",
            "source /dev/stdin <<< '@ x'",
            "source <(cat <<'S'\n@ x\nS\n)",
        ]);
        self.push(&text.replace('@', &name));
    }

    fn bash_text(&mut self) {
        self.used(Production::BashText);
        self.bash();
        let options = self.random.one_of(&[
            " -c ",
            " -c ",
            " -ec ",
            " -o pipefail -c ",
            " +e -c ",
            " -c -- ",
            " --norc -c ",
        ]);
        self.push(options);
        self.script_word();
        if self.random.chance(30) {
            self.push(" name one");
        }
    }

    fn sh_text(&mut self) {
        self.used(Production::ShText);
        self.mention("sh");
        self.push("sh -c ");
        let text = self.apart(|generator| {
            let (first, second) = (generator.program_name(), generator.program_name());
            let shape = generator.random.one_of(&[
                "@ && %",
                "if @; then %; fi",
                "x=$(@); % \"$x\"",
                "@ | %",
                "for i in 1 2; do @; done; %",
                "@ <<X\n$(%)\nX\n",
                "case a in a) @;; esac; %",
                "{ @; %; } >out0 2>&1",
                "@ \"`%`\"",
                "f() { @; }; f; %",
            ]);
            generator.push(&shape.replace('@', &first).replace('%', &second));
        });
        self.literal_word(&text);
    }

    fn bash_file(&mut self) {
        self.used(Production::BashFile);
        for name in ["q2", "q3", "bash", "sh", "x.sh", "dash"] {
            self.mention(name);
        }
        let text = self.random.one_of(&[
            "bash x.sh",
            "bash ./x.sh one",
            "sh x.sh",
            "./x.sh",
            "bash -e x.sh",
            "bash <x.sh",
        ]);
        self.push(text);
    }

    fn bash_here_document(&mut self) {
        self.used(Production::BashHereDocument);
        self.bash();
        let options = self
            .random
            .one_of(&[" ", " -s ", " -s one ", " -e ", " - "]);
        self.push(options);
        let body = self.apart(|generator| {
            generator.list(2);
            generator.newline();
        });
        self.here_document_of(body, true);
    }

    fn bash_here_string(&mut self) {
        self.used(Production::BashHereString);
        self.bash();
        self.push(" <<< ");
        self.script_word();
    }

    fn pipe_to_shell(&mut self) {
        self.used(Production::PipeToShell);
        let name = self.program_name();
        self.mention("bash");
        self.mention("sh");
        self.mention("cat");
        let text = self.random.one_of(&[
            "echo @ | bash",
            "echo '@ x' | sh",
            "printf '@ %s\\n' one two | bash",
            "echo @ | bash -s one",
            "cat <<'P' | bash\n@ x\nP\n",
            "printf '%s\\n' '@' | cat | sh",
            "echo '@; @' |& bash -e",
            "cat <<< '@ x' | bash -",
        ]);
        self.push(&text.replace('@', &name));
    }
}
