//! Words: arguments, and what they are made of.

use super::{Generator, Production, Table};

const ARGUMENTS: &Table = &[
    (22, Generator::plain_word),
    (9, Generator::double_quoted),
    (4, Generator::quoted_code),
    (14, Generator::expansion),
    (4, Generator::joined),
    (3, Generator::option_word),
    (2, Generator::process_in),
    (1, Generator::process_out),
    (5, Generator::patterned),
    (2, Generator::keyword),
    (1, Generator::tilde),
    (1, Generator::non_ascii_word),
    (1, Generator::odd_character),
    (1, Generator::over_lines),
];

const VALUES: &Table = &[
    (22, Generator::plain_word),
    (9, Generator::double_quoted),
    (4, Generator::quoted_code),
    (14, Generator::expansion),
    (4, Generator::joined),
    (1, Generator::non_ascii_word),
    (1, Generator::over_lines),
];

const PATTERNS: &Table = &[
    (4, Generator::glob),
    (2, Generator::glob_bracket),
    (4, Generator::brace_list),
    (2, Generator::brace_range),
    (2, Generator::brace_nested),
];

impl Generator {
    /// A word that is an argument.
    pub(super) fn argument(&mut self) {
        self.one_of(ARGUMENTS);
    }

    /// A word without process substitution or pattern, as after `=`.
    pub(super) fn argument_of_value(&mut self) {
        self.one_of(VALUES);
    }

    fn plain_word(&mut self) {
        let word = self.random.one_of(&[
            "a",
            "file.txt",
            "some-word",
            "1",
            "x/y",
            "AbC",
            "10",
            "word_2",
        ]);
        self.spell(word);
    }

    fn option_word(&mut self) {
        let word = self
            .random
            .one_of(&["-x", "--long", "--key=value", "-", "--", "-n5", "+x"]);
        self.push(word);
    }

    fn double_quoted(&mut self) {
        self.used(Production::QuoteDouble);
        self.push("\"");
        self.in_quotes(|generator| {
            for _ in 0..=generator.random.below(2) {
                let text = generator.random.one_of(&[
                    "", "text ", "it's ", "# ", "a;b|c&d ", "\\\" ", "\\$no ", "( ", " > ", "\\\\",
                ]);
                generator.push(text);
                if generator.random.chance(60) {
                    generator.expansion();
                }
            }
        });
        self.push("\"");
    }

    /// Text that only looks like code.
    fn quoted_code(&mut self) {
        self.used(Production::QuotedCode);
        let text = self.random.one_of(&[
            "'$(nope)'",
            "'`nope`'",
            "\"\\$(nope)\"",
            "\"\\`nope\\`\"",
            "\\$\\(nope\\)",
            "'nope; nope'",
            "\"nope && nope\"",
            "'a'\\''b $(nope)'",
            "$'it\\'s $(nope)'",
            "'<(nope)'",
            "\"<(nope)\"",
            "'\"'",
            "\"'\"",
            "\\;nope",
            "a\\ nope",
            "'#'",
            "a#b",
            "'${v0:-$(nope)}'",
        ]);
        self.push(text);
    }

    /// Pieces without a blank between them.
    fn joined(&mut self) {
        self.used(Production::QuoteMixed);
        for _ in 0..2 {
            match self.random.below(4) {
                0 => self.spell("a"),
                1 => self.double_quoted(),
                2 => self.quoted_code(),
                _ => self.expansion(),
            }
        }
    }

    fn patterned(&mut self) {
        self.one_of(PATTERNS);
    }

    fn glob(&mut self) {
        self.used(Production::Glob);
        let text =
            self.random
                .one_of(&["*", "*.txt", "d*", "?ib.sh", "dir/*", "\"\"*", "*\".txt\""]);
        self.push(text);
    }

    fn glob_bracket(&mut self) {
        self.used(Production::GlobBracket);
        let text = self.random.one_of(&[
            "[a-z]*",
            "[!a]*",
            "[[:alpha:]]*",
            "[]]*",
            "[a\\]]*",
            "[^x]*",
        ]);
        self.push(text);
    }

    fn brace_list(&mut self) {
        self.used(Production::BraceList);
        let text = self.random.one_of(&[
            "{a,b}",
            "x{a,b}y",
            "{a,'b c'}",
            "{a,\"$v0\"}",
            "{,x}",
            "{a}",
            "{ ,}",
        ]);
        self.push(text);
    }

    fn brace_range(&mut self) {
        self.used(Production::BraceRange);
        let text = self.random.one_of(&[
            "{1..3}",
            "{a..c}",
            "{03..1}",
            "{1..9..4}",
            "{1..}",
            "x{1..2}",
        ]);
        self.push(text);
    }

    fn brace_nested(&mut self) {
        self.used(Production::BraceNested);
        if self.may_nest() && self.random.chance(50) {
            self.push("{a,b$(");
            let inner = self.apart(Self::program);
            self.push(&inner);
            self.push(")}");
        } else {
            let text = self
                .random
                .one_of(&["{a,{b,c}d}", "{{1..2},x}", "{a,b}{c,d}"]);
            self.push(text);
        }
    }

    fn keyword(&mut self) {
        self.used(Production::KeywordAsWord);
        let word = self.random.one_of(&[
            "if", "then", "done", "fi", "in", "do", "esac", "{", "}", "!", "time", "case", "[[",
            "]]", "function", "coproc", "select",
        ]);
        self.push(word);
    }

    fn tilde(&mut self) {
        self.used(Production::Tilde);
        let word =
            self.random
                .one_of(&["~", "~/x", "~+", "~-", "~root", "a~b", "\"~\"", "~nobody/x"]);
        self.push(word);
    }

    fn non_ascii_word(&mut self) {
        self.used(Production::NonAsciiWord);
        let word = self.random.one_of(&[
            "na\u{ef}ve",
            "\u{4e2d}\u{6587}",
            "\u{1f980}",
            "'\u{e9} \u{df}'",
            "\u{301}x",
        ]);
        self.push(word);
    }

    /// Characters that are blank elsewhere, and are not for bash.
    fn odd_character(&mut self) {
        if !self.doubtful && self.random.chance(70) {
            return self.plain_word();
        }
        self.used(Production::OddCharacter);
        let word = self
            .random
            .one_of(&["a\u{b}b", "a\u{c}b", "a\rb", "\u{c}", "a\u{1}b"]);
        self.push(word);
    }

    fn over_lines(&mut self) {
        self.used(Production::QuoteMultiline);
        let text = self.random.one_of(&[
            "'two\nlines'",
            "\"two\nlines\"",
            "$'two\nlines'",
            "\"# no\ncomment\"",
            "'nope\nnope\n'",
        ]);
        self.push(text);
    }
}
