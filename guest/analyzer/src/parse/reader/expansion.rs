//! Expansions: parameters, command substitutions, arithmetic, `$'…'`.

use std::borrow::Cow;

use super::{Closer, Reader, is_name, is_name_start};
use crate::parse::ansi_c;
use crate::syntax::{
    Aid, List, Operation, Parameter, Part, PartKind, Raw, Substitution, Trim, Word,
};

/// What ends an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// `))`
    Parentheses,
    /// `]`
    Bracket,
    /// `;` or `))`
    Semicolon,
    /// `:` or `}`
    Colon,
}

impl<'t> Reader<'t, '_> {
    /// What `$` or a backquote begins; a lone `$` is text.
    pub(super) fn expansion(&mut self, quoted: bool, parts: &mut Vec<Part<'t>>) {
        let (start, inner_aids) = (self.pos, self.aids.len());
        if !self.budget.step() || !self.budget.descend() {
            return;
        }
        let kind = if self.peek() == b'`' {
            Some(self.backquoted(quoted))
        } else {
            self.dollar(quoted, parts)
        };
        self.budget.ascend();
        if let Some(kind) = kind {
            self.aid(start, inner_aids, &kind);
            parts.push(Part {
                span: self.span_from(start),
                quoted,
                kind,
            });
        }
    }

    /// An expansion in which nothing can run, by its bytes alone, whatever its
    /// grammar. What lies in it and is of that kind too does not count.
    fn aid(&mut self, start: usize, inner: usize, kind: &PartKind<'t>) {
        let signs: &[&str] = match kind {
            PartKind::Parameter(_) => &["$(", "`", "<(", ">(", ";", "&", "\n"],
            PartKind::Arithmetic(_) => &["$(", "`"],
            _ => return,
        };
        let mut rest = start + 2;
        let mut runs = false;
        for aid in self.aids.get(inner..).unwrap_or_default() {
            if let Aid::Letters(span) = aid {
                let between = self.slice(rest, span.start as usize);
                runs |= signs.iter().any(|sign| between.contains(sign));
                rest = rest.max(span.end as usize);
            }
        }
        let last = self.slice(rest, self.pos);
        runs |= signs.iter().any(|sign| last.contains(sign));
        if !runs && self.pos > start + 3 {
            self.aids.push(Aid::Letters(self.span_from(start)));
        }
    }

    fn dollar(&mut self, quoted: bool, parts: &mut Vec<Part<'t>>) -> Option<PartKind<'t>> {
        let start = self.pos;
        self.pos += 1;
        self.skip_continuations();
        match self.peek() {
            b'(' => Some(self.parenthesized(start)),
            b'{' => Some(self.braced(start, quoted)),
            b'[' => {
                self.pos += 1;
                let raw = self.arithmetic(Until::Bracket);
                if !self.take(b']') {
                    self.problem(start, "this expression is never closed");
                }
                Some(PartKind::Arithmetic(raw))
            }
            b'\'' if !quoted => {
                self.ansi_c_quoted(start, parts);
                None
            }
            b'"' if !quoted => {
                self.pos += 1;
                self.double_quoted(start, parts);
                None
            }
            byte if is_name_start(byte) => {
                let name = self.simple_name(start);
                Some(plain(name))
            }
            byte if byte.is_ascii_digit() || (byte != 0 && b"@*#?-$!".contains(&byte)) => {
                self.pos += 1;
                Some(plain(self.slice(self.pos - 1, self.pos)))
            }
            _ => {
                self.flush(parts, start, quoted);
                None
            }
        }
    }

    fn simple_name(&mut self, start: usize) -> &'t str {
        let from = self.pos;
        while is_name(self.peek()) {
            self.pos += 1;
        }
        let name = self.slice(from, self.pos);
        if self.starts_with("\\\n") && is_name(self.ahead(2)) {
            self.problem(start, "a variable's name is written over two lines");
        }
        name
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte && byte != 0;
        if found {
            self.pos += 1;
        }
        found
    }

    fn ansi_c_quoted(&mut self, start: usize, parts: &mut Vec<Part<'t>>) {
        self.pos += 1;
        let from = self.pos;
        while !self.at_end() && self.peek() != b'\'' {
            if self.peek() == b'\\' {
                self.pos += 1;
            }
            self.advance();
        }
        self.pos = self.pos.min(self.end);
        let text = ansi_c::decode(self.slice(from, self.pos));
        if !self.take(b'\'') {
            self.problem(start, "this quote is never closed");
        }
        let text = text.unwrap_or_else(|| {
            self.problem(start, "this stands for bytes that are no text");
            Cow::Borrowed("")
        });
        parts.push(Part {
            span: self.span_from(start),
            quoted: true,
            kind: PartKind::Literal(text),
        });
    }

    /// After `$`: `((…))`, or a command substitution.
    fn parenthesized(&mut self, start: usize) -> PartKind<'t> {
        if self.second_byte() == b'(' {
            let mark = self.mark();
            self.take_two();
            if let Some(raw) = self.arithmetic_in_parentheses() {
                return PartKind::Arithmetic(raw);
            }
            self.back_to(&mark);
            self.aids.push(Aid::Insert(self.here() + 1, " "));
            self.pos += 1;
            let documents = self.documents_read();
            let list = self.nested_list(start, "this substitution is never closed");
            self.documents_behind_parentheses(start, documents);
            return PartKind::Command(Substitution::Parsed(list));
        }
        self.pos += 1;
        let list = self.nested_list(start, "this substitution is never closed");
        PartKind::Command(Substitution::Parsed(list))
    }

    /// Here-documents whose lines were met; those that wait for the end of this
    /// line not.
    pub(super) fn documents_read(&self) -> usize {
        self.here_documents.len().saturating_sub(self.pending.len())
    }

    /// Where `((` is no arithmetic, bash finds that out late, and may have taken
    /// the lines of a here-document for something else.
    pub(super) fn documents_behind_parentheses(&mut self, start: usize, before: usize) {
        if self.here_documents.len() > before {
            self.problem(start, "a here-document behind `((`, which bash may misread");
        }
    }

    /// Statements up to a closing parenthesis. Here-documents of the text
    /// around begin after it, its own inside.
    pub(super) fn nested_list(&mut self, start: usize, note: &'static str) -> List<'t> {
        let outer = std::mem::take(&mut self.pending);
        let list = self.list();
        self.settle_here_documents();
        self.pending = outer;
        if !self.take(b')') {
            self.problem(start, note);
        }
        list
    }

    fn backquoted(&mut self, quoted: bool) -> PartKind<'t> {
        let start = self.pos;
        self.pos += 1;
        let from = self.pos;
        let mut escaped = false;
        while !self.at_end() && self.peek() != b'`' {
            if self.peek() == b'\\' {
                escaped = true;
                self.pos += 1;
            }
            if !self.at_end() {
                self.advance();
            }
        }
        let close = self.pos.min(self.end);
        let closed = self.peek() == b'`';
        if !closed {
            self.problem(start, "this substitution is never closed");
        }
        let substitution = if escaped {
            Substitution::Text(unescape(self.slice(from, close), quoted))
        } else {
            let outer_end = std::mem::replace(&mut self.end, close);
            let outer = std::mem::take(&mut self.pending);
            self.pos = from;
            let list = self.whole();
            self.settle_here_documents();
            self.pending = outer;
            self.end = outer_end;
            Substitution::Parsed(list)
        };
        self.pos = close + usize::from(closed);
        PartKind::Command(substitution)
    }

    /// After `$`: `{…}`.
    fn braced(&mut self, start: usize, quoted: bool) -> PartKind<'t> {
        self.pos += 1;
        if matches!(self.peek(), b' ' | b'\t' | b'\n' | b'|') {
            return self.function_substitution(start);
        }
        let length = self.peek() == b'#' && self.is_length();
        let ends_name =
            |byte: u8| matches!(byte, b'}' | b':' | b'-' | b'=' | b'?' | b'+' | b'%' | b'/');
        let indirect = self.peek() == b'!' && !ends_name(self.ahead(1));
        if length || indirect {
            self.pos += 1;
        }
        let name = self.parameter_name();
        let subscript = if self.peek() == b'[' {
            self.pos += 1;
            let subscript = self.subscript();
            if subscript.is_none() {
                self.problem(start, "this subscript is never closed");
            }
            subscript
        } else {
            None
        };
        let operation = self.operation(start, quoted, indirect);
        if !self.take(b'}') {
            self.problem(start, "this expansion is never closed");
        }
        PartKind::Parameter(Box::new(Parameter {
            name: Cow::Borrowed(name),
            indirect,
            length,
            subscript,
            operation,
        }))
    }

    /// `${ …; }` runs its commands in newer versions of bash.
    fn function_substitution(&mut self, start: usize) -> PartKind<'t> {
        self.pos += usize::from(self.peek() == b'|');
        let outer = std::mem::take(&mut self.pending);
        let list = self.list();
        self.settle_here_documents();
        self.pending = outer;
        if self.closer() == Some(Closer::Brace) {
            self.pos += 1;
        } else {
            self.problem(start, "this substitution is never closed");
        }
        PartKind::Command(Substitution::Parsed(list))
    }

    /// Whether `#` here asks for a length, and is no parameter itself.
    fn is_length(&self) -> bool {
        let next = self.ahead(1);
        is_name(next)
            || (matches!(next, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
                && self.ahead(2) == b'}')
    }

    fn parameter_name(&mut self) -> &'t str {
        let from = self.pos;
        let first = self.peek();
        if is_name_start(first) {
            while is_name(self.peek()) {
                self.pos += 1;
            }
        } else if first.is_ascii_digit() {
            while self.peek().is_ascii_digit() {
                self.pos += 1;
            }
        } else if first != 0 && b"@*#?-$!".contains(&first) {
            self.pos += 1;
        }
        self.slice(from, self.pos)
    }

    fn operation(&mut self, start: usize, quoted: bool, indirect: bool) -> Operation<'t> {
        match self.peek() {
            b'}' => Operation::None,
            first @ (b':' | b'-' | b'=' | b'?' | b'+') => {
                let colon = first == b':';
                let kind = if colon { self.ahead(1) } else { first };
                if colon && !matches!(kind, b'-' | b'=' | b'?' | b'+') {
                    return self.substring();
                }
                self.pos += 1 + usize::from(colon);
                Operation::Default {
                    kind,
                    colon,
                    word: self.braced_word(start, quoted, !quoted),
                }
            }
            byte @ (b'#' | b'%') => {
                self.pos += 1;
                let longest = self.take(byte);
                let kind = match (byte, longest) {
                    (b'#', false) => Trim::ShortestPrefix,
                    (b'#', true) => Trim::LongestPrefix,
                    (_, false) => Trim::ShortestSuffix,
                    (_, true) => Trim::LongestSuffix,
                };
                Operation::Trim {
                    kind,
                    pattern: self.braced_word(start, quoted, true),
                }
            }
            b'/' | b'^' | b',' | b'~' => {
                self.pos += 1;
                Operation::Replace(self.braced_word(start, quoted, true))
            }
            b'@' | b'*' if indirect && self.ahead(1) == b'}' => {
                self.pos += 1;
                Operation::Names
            }
            b'@' => {
                let operator = self.ahead(1);
                self.pos += 2;
                Operation::Transform(operator)
            }
            _ => {
                self.problem(start, "this expansion is not understood");
                Operation::Replace(self.braced_word(start, quoted, true))
            }
        }
    }

    fn substring(&mut self) -> Operation<'t> {
        let mut raws = Vec::new();
        while self.take(b':') {
            raws.push(self.arithmetic(Until::Colon));
        }
        Operation::Substring(raws)
    }

    /// The word in `${x:-word}`, up to its brace.
    fn braced_word(&mut self, start: usize, quoted: bool, single_quotes: bool) -> Word<'t> {
        let begin = self.pos;
        let mut parts = Vec::new();
        let mut from = begin;
        loop {
            let at = self.pos;
            match self.peek() {
                0 if self.at_end() => {
                    self.problem(start, "this expansion is never closed");
                    break;
                }
                b'}' => break,
                b'\'' if single_quotes => {
                    self.flush(&mut parts, from, quoted);
                    self.single_quoted(&mut parts);
                    from = self.pos;
                }
                b'"' => {
                    self.flush(&mut parts, from, quoted);
                    self.pos += 1;
                    self.double_quoted(at, &mut parts);
                    from = self.pos;
                }
                b'\\' => {
                    self.flush(&mut parts, from, quoted);
                    self.escape(&mut parts);
                    from = self.pos;
                }
                b'$' | b'`' => {
                    self.flush(&mut parts, from, quoted);
                    self.expansion(quoted, &mut parts);
                    from = self.pos;
                }
                b'<' | b'>' if !quoted && self.ahead(1) == b'(' => {
                    self.flush(&mut parts, from, quoted);
                    self.pos += 2;
                    let list = self.nested_list(at, "this substitution is never closed");
                    parts.push(Part {
                        span: self.span_from(at),
                        quoted,
                        kind: PartKind::Process(list),
                    });
                    from = self.pos;
                }
                _ => self.advance(),
            }
        }
        self.flush(&mut parts, from, quoted);
        Word {
            span: self.span_from(begin),
            parts,
        }
    }

    /// The rest of `((…))`; None, and anywhere, where it is none.
    pub(super) fn arithmetic_in_parentheses(&mut self) -> Option<Raw<'t>> {
        let raw = self.arithmetic(Until::Parentheses);
        let closed = self.peek() == b')' && self.second_byte() == b')';
        if closed {
            self.take_two();
        }
        closed.then_some(raw)
    }

    /// The rest of `for ((a; b; c))`.
    pub(super) fn arithmetic_header(&mut self) -> Vec<Raw<'t>> {
        let start = self.pos;
        let mut header = Vec::new();
        loop {
            header.push(self.arithmetic(Until::Semicolon));
            if self.take(b';') {
                continue;
            }
            if self.peek() == b')' && self.second_byte() == b')' {
                self.take_two();
            } else {
                self.problem(start, "this expression is never closed");
            }
            return header;
        }
    }

    /// The rest of `[subscript]`; None where it is never closed.
    pub(super) fn subscript(&mut self) -> Option<Raw<'t>> {
        let raw = self.arithmetic(Until::Bracket);
        self.take(b']').then_some(raw)
    }

    /// Text of an expression, up to what ends it.
    fn arithmetic(&mut self, until: Until) -> Raw<'t> {
        let start = self.pos;
        let mut parts = Vec::new();
        if !self.budget.step() {
            return Raw {
                span: self.span_from(start),
                parts,
            };
        }
        let (mut from, mut open, mut questions) = (start, 0_u32, 0_u32);
        while !self.at_end() {
            let byte = self.peek();
            let ends = match (until, byte) {
                (Until::Parentheses | Until::Semicolon, b')') | (Until::Bracket, b']') => open == 0,
                (Until::Semicolon, b';') => open == 0,
                (Until::Colon, b'}') => true,
                (Until::Colon, b':') => open == 0 && questions == 0,
                _ => false,
            };
            if ends {
                break;
            }
            match byte {
                b'(' => open += u32::from(until != Until::Bracket),
                b')' => open = open.saturating_sub(u32::from(until != Until::Bracket)),
                b'[' if until == Until::Bracket => open += 1,
                b']' if until == Until::Bracket => open = open.saturating_sub(1),
                b'?' => questions += 1,
                b':' => questions = questions.saturating_sub(1),
                _ => {}
            }
            match byte {
                b'$' | b'`' => {
                    self.flush(&mut parts, from, true);
                    self.expansion(true, &mut parts);
                    from = self.pos;
                }
                b'\\' => from = self.escape_in_quotes(from, b"$`\"\\", &mut parts),
                b'\'' if until == Until::Bracket => {
                    self.flush(&mut parts, from, true);
                    self.quoted_in_expression(&mut parts);
                    from = self.pos;
                }
                b'"' => {
                    self.flush(&mut parts, from, true);
                    self.pos += 1;
                    from = self.pos;
                }
                _ => self.advance(),
            }
        }
        self.flush(&mut parts, from, true);
        Raw {
            span: self.span_from(start),
            parts,
        }
    }

    /// A single-quoted key in a subscript. Bash may expand it once more.
    fn quoted_in_expression(&mut self, parts: &mut Vec<Part<'t>>) {
        let start = self.pos;
        self.single_quoted(parts);
        let text = self.slice(start, self.pos);
        if text.contains(['$', '`']) {
            self.problem(start, "quoted text in a subscript may be expanded again");
        }
    }
}

fn plain(name: &str) -> PartKind<'_> {
    PartKind::Parameter(Box::new(Parameter {
        name: Cow::Borrowed(name),
        indirect: false,
        length: false,
        subscript: None,
        operation: Operation::None,
    }))
}

/// The text between backquotes as the shell reads it.
fn unescape(text: &str, quoted: bool) -> String {
    let mut result = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let escapes = |next: &char| matches!(next, '`' | '\\' | '$') || (quoted && *next == '"');
        match characters.peek() {
            Some(next) if character == '\\' && escapes(next) => {
                result.extend(characters.next());
            }
            _ => result.push(character),
        }
    }
    result
}
