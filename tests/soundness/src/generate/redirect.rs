//! Redirects of every kind.

use super::{Generator, Production, Table};

const REDIRECTS: &Table = &[
    (6, Generator::redirect_out),
    (3, Generator::redirect_append),
    (2, Generator::redirect_clobber),
    (4, Generator::redirect_in),
    (1, Generator::redirect_in_out),
    (2, Generator::redirect_both),
    (1, Generator::redirect_both_old),
    (1, Generator::redirect_both_append),
    (6, Generator::redirect_duplicate),
    (2, Generator::redirect_close),
    (1, Generator::redirect_move),
    (2, Generator::redirect_named),
    (9, Generator::here_document),
    (5, Generator::here_string),
];

impl Generator {
    /// One redirect.
    pub(super) fn redirect(&mut self) {
        self.one_of(REDIRECTS);
    }

    fn out(&mut self, production: Production, operator: &str) {
        self.used(production);
        if self.random.chance(20) {
            let fd = self.random.one_of(&["1", "2", "3", "05"]);
            self.push(fd);
        }
        self.push(operator);
        if self.random.chance(40) {
            self.push(" ");
        }
        self.written_file();
    }

    /// A file that scripts write.
    fn written_file(&mut self) {
        match self.random.below(6) {
            0 | 1 => self.push("/dev/null"),
            2 => self.spell("dir/out"),
            _ => {
                let number = self.random.below(4);
                self.spell(&format!("out{number}"));
            }
        }
    }

    fn redirect_out(&mut self) {
        self.out(Production::RedirectOut, ">");
    }

    fn redirect_append(&mut self) {
        self.out(Production::RedirectAppend, ">>");
    }

    fn redirect_clobber(&mut self) {
        self.out(Production::RedirectClobber, ">|");
    }

    fn redirect_in(&mut self) {
        self.used(Production::RedirectIn);
        let text = self.random.one_of(&[
            "<file.txt",
            "< file.txt",
            "0<file.txt",
            "</dev/null",
            "<'lines.txt'",
        ]);
        self.push(text);
    }

    fn redirect_in_out(&mut self) {
        self.used(Production::RedirectInOut);
        let text = self.random.one_of(&["<>out0", "3<> out1", "0<>/dev/null"]);
        self.push(text);
    }

    fn redirect_both(&mut self) {
        self.used(Production::RedirectBoth);
        self.push("&>");
        self.written_file();
    }

    fn redirect_both_old(&mut self) {
        self.used(Production::RedirectBothOld);
        let text = self.random.one_of(&[">& ", ">&"]);
        self.push(text);
        self.push("out2");
    }

    fn redirect_both_append(&mut self) {
        self.used(Production::RedirectBothAppend);
        self.push("&>> ");
        self.written_file();
    }

    fn redirect_duplicate(&mut self) {
        self.used(Production::RedirectDuplicate);
        let text = self
            .random
            .one_of(&["2>&1", ">&2", "3>&1", "0<&0", "<&0", "1>& 2", "2>&1"]);
        self.push(text);
    }

    fn redirect_close(&mut self) {
        self.used(Production::RedirectClose);
        let text = self.random.one_of(&["3>&-", "<&-", "4<&-", "3>& -"]);
        self.push(text);
    }

    fn redirect_move(&mut self) {
        self.used(Production::RedirectMove);
        let text = self.random.one_of(&["4>&2-", "3<&0-"]);
        self.push(text);
    }

    fn redirect_named(&mut self) {
        self.used(Production::RedirectNamed);
        let number = self.number();
        let text = self.random.one_of(&[
            "{fd#}>out3",
            "{fd#}>&1",
            "{fd#}<file.txt",
            "{fd#}>>/dev/null",
        ]);
        self.push(&text.replace('#', &number.to_string()));
    }

    /// Redirects without a command.
    pub(super) fn redirect_only(&mut self) {
        self.used(Production::RedirectOnly);
        self.budget = self.budget.saturating_sub(1);
        self.redirect();
        if self.random.chance(20) {
            self.blank();
            self.redirect();
        }
    }

    pub(super) fn here_string(&mut self) {
        self.used(Production::HereString);
        let operator = self.random.one_of(&["<<<", "<<< "]);
        self.push(operator);
        if self.may_nest() && self.random.chance(40) {
            self.used(Production::HereStringSubstitution);
            self.push("\"");
            self.in_quotes(Self::substitution);
            self.push("\"");
        } else if self.random.chance(30) {
            self.expansion();
        } else {
            self.spell("text");
        }
    }
}
