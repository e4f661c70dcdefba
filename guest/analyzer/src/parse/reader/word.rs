//! Words: literal text, quotes, and where a word ends in which place.

use std::borrow::Cow;

use super::{Reader, ends_word};
use crate::syntax::{Aid, Part, PartKind, Span, Word};

/// Where a word stands, which says where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// An argument, a target, an array's element.
    Argument,
    /// Before the `)` of a `case` arm.
    Pattern,
    /// Between `[[` and `]]`.
    Test,
    /// After `=~`: parentheses and bars belong to it.
    Regex,
}

impl<'t> Reader<'t, '_> {
    /// A word, if one begins here.
    pub(super) fn word(&mut self, place: Place) -> Option<Word<'t>> {
        if !self.budget.step() {
            return None;
        }
        let start = self.pos;
        let mut parts = Vec::with_capacity(1);
        let mut from = start;
        while !self.word_ends(place) {
            let byte = self.peek();
            if !interrupts(byte) {
                self.advance();
                continue;
            }
            self.flush(&mut parts, from, false);
            self.piece(byte, place, &mut parts);
            from = self.pos;
        }
        self.flush(&mut parts, from, false);
        (self.pos > start).then(|| Word {
            span: self.span_from(start),
            parts,
        })
    }

    /// Literal text from `from` to here becomes a part.
    pub(super) fn flush(&self, parts: &mut Vec<Part<'t>>, from: usize, quoted: bool) {
        let end = self.pos.min(self.end);
        if end > from {
            let kind = PartKind::Literal(Cow::Borrowed(self.slice(from, end)));
            parts.push(Part {
                span: Span::new(from, end),
                quoted,
                kind,
            });
        }
    }

    fn word_ends(&self, place: Place) -> bool {
        let byte = self.peek();
        if !ends_word(byte) {
            return false;
        }
        match byte {
            b'<' | b'>' => self.ahead(1) != b'(',
            b'(' => !self.opens_group(place),
            b'|' | b')' if place == Place::Regex => false,
            _ => true,
        }
    }

    /// Whether the parenthesis here belongs to a pattern or an expression.
    fn opens_group(&self, place: Place) -> bool {
        let before = self
            .pos
            .checked_sub(1)
            .and_then(|at| self.text.as_bytes().get(at))
            .copied();
        let after_operator = matches!(before, Some(b'@' | b'?' | b'*' | b'+' | b'!'));
        match place {
            Place::Regex => true,
            Place::Test => after_operator,
            Place::Argument | Place::Pattern => after_operator && self.extended_globs,
        }
    }

    fn piece(&mut self, byte: u8, place: Place, parts: &mut Vec<Part<'t>>) {
        let start = self.pos;
        match byte {
            b'\\' => self.escape(parts),
            b'\'' => self.single_quoted(parts),
            b'"' => {
                self.pos += 1;
                self.double_quoted(start, parts);
            }
            b'<' | b'>' => {
                self.pos += 2;
                let list = self.nested_list(start, "this substitution is never closed");
                let kind = PartKind::Process(list);
                parts.push(Part {
                    span: self.span_from(start),
                    quoted: false,
                    kind,
                });
            }
            b'(' => self.group(place, parts),
            _ => self.expansion(false, parts),
        }
    }

    /// A parenthesis inside a pattern or a regular expression, with all it
    /// holds.
    fn group(&mut self, place: Place, parts: &mut Vec<Part<'t>>) {
        let start = self.pos;
        if !self.budget.descend() {
            return;
        }
        self.pos += 1;
        let mut from = start;
        loop {
            let byte = self.peek();
            match byte {
                0 => {
                    self.problem(start, "this parenthesis is never closed");
                    break;
                }
                b')' => {
                    self.pos += 1;
                    break;
                }
                b'\\' | b'\'' | b'"' | b'$' | b'`' | b'(' => {
                    self.flush(parts, from, false);
                    self.piece(byte, place, parts);
                    from = self.pos;
                }
                _ => self.advance(),
            }
        }
        self.flush(parts, from, false);
        self.budget.ascend();
        // With the sign before it, where it is a pattern.
        let start = if place == Place::Regex {
            start
        } else {
            start - 1
        };
        let written = self.slice(start, self.pos);
        let signs = ["$(", "`", "<(", ">(", ";", "&", "\n"];
        if !signs.iter().any(|sign| written.contains(sign)) {
            self.aids.push(Aid::Letters(self.span_from(start)));
        }
    }

    /// `\x`, or a line's continuation, outside quotes.
    pub(super) fn escape(&mut self, parts: &mut Vec<Part<'t>>) {
        let start = self.pos;
        self.pos += 1;
        if self.peek() == b'\n' {
            self.pos += 1;
            return;
        }
        let from = self.pos;
        if self.at_end() {
            // A last `\` stands for itself.
            self.flush(parts, start, true);
            return;
        }
        self.advance();
        let kind = PartKind::Literal(Cow::Borrowed(self.slice(from, self.pos)));
        parts.push(Part {
            span: self.span_from(start),
            quoted: true,
            kind,
        });
    }

    pub(super) fn single_quoted(&mut self, parts: &mut Vec<Part<'t>>) {
        let start = self.pos;
        self.pos += 1;
        let rest = self.slice(self.pos, self.end);
        let length = rest.find('\'');
        let from = self.pos;
        self.pos += length.unwrap_or(rest.len());
        let kind = PartKind::Literal(Cow::Borrowed(self.slice(from, self.pos)));
        if length.is_some() {
            self.pos += 1;
        } else {
            self.problem(start, "this quote is never closed");
        }
        parts.push(Part {
            span: self.span_from(start),
            quoted: true,
            kind,
        });
    }

    /// The rest of a double-quoted string that began at `start`.
    pub(super) fn double_quoted(&mut self, start: usize, parts: &mut Vec<Part<'t>>) {
        let before = parts.len();
        let mut from = self.pos;
        loop {
            match self.peek() {
                0 if self.at_end() => {
                    self.flush(parts, from, true);
                    self.problem(start, "this quote is never closed");
                    return;
                }
                b'"' => {
                    self.flush(parts, from, true);
                    self.pos += 1;
                    break;
                }
                b'\\' => from = self.escape_in_quotes(from, b"$`\"\\", parts),
                b'$' | b'`' => {
                    self.flush(parts, from, true);
                    self.expansion(true, parts);
                    from = self.pos;
                }
                _ => self.advance(),
            }
        }
        if parts.len() == before {
            let kind = PartKind::Literal(Cow::Borrowed(""));
            parts.push(Part {
                span: self.span_from(start),
                quoted: true,
                kind,
            });
        }
    }

    /// `\` where only some bytes can be escaped; gives where literal text goes
    /// on.
    pub(super) fn escape_in_quotes(
        &mut self,
        from: usize,
        escapable: &[u8],
        parts: &mut Vec<Part<'t>>,
    ) -> usize {
        let next = self.ahead(1);
        if next == b'\n' || (next != 0 && escapable.contains(&next)) {
            self.flush(parts, from, true);
            self.pos += 2;
            return if next == b'\n' {
                self.pos
            } else {
                self.pos - 1
            };
        }
        self.pos += 1;
        if !self.at_end() {
            self.advance();
        }
        from
    }

    /// The body of an unquoted here-document.
    pub(super) fn body(&mut self, start: usize, end: usize) -> Vec<Part<'t>> {
        let outer = std::mem::replace(&mut self.end, end);
        let pending = std::mem::take(&mut self.pending);
        self.pos = start;
        let mut parts = Vec::new();
        let mut from = start;
        while !self.at_end() {
            match self.peek() {
                b'\\' => from = self.escape_in_quotes(from, b"$`\\", &mut parts),
                b'$' | b'`' => {
                    self.flush(&mut parts, from, true);
                    self.expansion(true, &mut parts);
                    from = self.pos;
                }
                _ => self.advance(),
            }
        }
        self.flush(&mut parts, from, true);
        self.settle_here_documents();
        self.pending = pending;
        self.end = outer;
        parts
    }
}

/// Whether a byte begins something other than literal text.
fn interrupts(byte: u8) -> bool {
    matches!(
        byte,
        b'\\' | b'\'' | b'"' | b'$' | b'`' | b'<' | b'>' | b'('
    )
}
