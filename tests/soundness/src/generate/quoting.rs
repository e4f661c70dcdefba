//! Quoting: ways to write a text so that it is one word, or part of one.

use super::{Generator, Production};

/// `'text'`
pub(super) fn single(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// `"text"`, with nothing in it expanded.
pub(super) fn double(text: &str) -> String {
    format!("\"{}\"", escaped(text, &['\\', '"', '$', '`']))
}

/// `$'text'`
pub(super) fn ansi_c(text: &str) -> String {
    let mut quoted = String::from("$'");
    for character in text.chars() {
        match character {
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\'' | '\\' => quoted.extend(['\\', character]),
            other => quoted.push(other),
        }
    }
    quoted.push('\'');
    quoted
}

/// A backslash before each of these characters.
pub(super) fn escaped(text: &str, before: &[char]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if before.contains(&character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

impl Generator {
    /// Writes a word whose value is `value`: mostly plainly, else oddly. The
    /// value holds nothing that would have to be quoted.
    pub(super) fn spell(&mut self, value: &str) {
        let plain = if self.tame { 85 } else { 70 };
        if self.quoted || self.random.chance(plain) {
            return self.push(value);
        }
        match self.random.below(17) {
            0..=2 => self.quote_single(value),
            3..=5 => self.quote_double(value),
            6..=8 => self.quote_backslash(value),
            9 | 10 => self.quote_ansi_c(value),
            11 => self.quote_locale(value),
            12 | 13 => self.quote_mixed(value),
            14 => self.quote_empty(value),
            _ => self.continuation_in_word(value),
        }
    }

    fn quote_single(&mut self, value: &str) {
        self.used(Production::QuoteSingle);
        self.push(&single(value));
    }

    fn quote_double(&mut self, value: &str) {
        self.used(Production::QuoteDouble);
        self.push(&double(value));
    }

    fn quote_backslash(&mut self, value: &str) {
        self.used(Production::QuoteBackslash);
        for character in value.chars() {
            if self.random.chance(50) {
                self.push("\\");
            }
            self.text.push(character);
        }
    }

    fn quote_ansi_c(&mut self, value: &str) {
        self.used(Production::QuoteAnsiC);
        self.push("$'");
        for character in value.chars() {
            let code = u32::from(character);
            let written = match self.random.below(5) {
                0 if character.is_ascii() => format!("\\x{code:02x}"),
                1 if character.is_ascii() => format!("\\{code:03o}"),
                2 => format!("\\u{code:04X}"),
                3 => format!("\\U{code:08x}"),
                _ => character.to_string(),
            };
            self.push(&written);
        }
        self.push("'");
    }

    fn quote_locale(&mut self, value: &str) {
        self.used(Production::QuoteLocale);
        self.push("$");
        self.push(&double(value));
    }

    fn quote_mixed(&mut self, value: &str) {
        self.used(Production::QuoteMixed);
        let mut rest = value;
        while !rest.is_empty() {
            let most = rest.chars().count();
            let count = 1 + self.random.below(most);
            let end = rest.char_indices().nth(count).map_or(rest.len(), |at| at.0);
            let (piece, after) = rest.split_at(end);
            let piece = match self.random.below(4) {
                0 => single(piece),
                1 => double(piece),
                2 => ansi_c(piece),
                _ => piece.to_owned(),
            };
            self.push(&piece);
            rest = after;
        }
    }

    fn quote_empty(&mut self, value: &str) {
        self.used(Production::QuoteEmpty);
        let empty = self.random.one_of(&["''", "\"\"", "$''"]);
        let at = value
            .char_indices()
            .nth(self.random.below(value.chars().count()))
            .map_or(0, |at| at.0);
        let (before, after) = value.split_at(at);
        self.push(&format!("{before}{empty}{after}"));
    }

    fn continuation_in_word(&mut self, value: &str) {
        self.used(Production::ContinuationInWord);
        let at = value
            .char_indices()
            .nth(self.random.below(value.chars().count()))
            .map_or(0, |at| at.0);
        let (before, after) = value.split_at(at);
        self.push(&format!("{before}\\\n{after}"));
    }

    /// A blank between words.
    pub(super) fn blank(&mut self) {
        let blank = match self.random.below(if self.tame { 48 } else { 24 }) {
            0 => {
                self.used(Production::OddBlanks);
                self.random.one_of(&["\t", "  ", " \t ", "   "])
            }
            1 => {
                self.used(Production::ContinuationBetween);
                if self.tame {
                    " \\\n  "
                } else {
                    self.random.one_of(&[" \\\n", "\\\n ", " \\\n  "])
                }
            }
            _ => " ",
        };
        self.push(blank);
    }
}
