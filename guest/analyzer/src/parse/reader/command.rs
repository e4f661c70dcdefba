//! Commands: simple ones with their assignments and redirects, and every kind
//! of compound command.

use std::borrow::Cow;

use super::word::Place;
use super::{Closer, RESERVED, Reader, ends_word, is_name, is_name_start};
use crate::syntax::{
    Aid, Assignment, Command, Descriptor, Element, Kind, List, Part, PartKind, Raw, Redirect,
    RedirectOperator, Span, TestItem, Word,
};

/// Builtins whose arguments may be assignments of arrays.
const DECLARES: &[&str] = &[
    "declare", "typeset", "local", "export", "readonly", "eval", "alias",
];

impl<'t> Reader<'t, '_> {
    /// A command, if one begins here.
    pub(super) fn command(&mut self) -> Option<Command<'t>> {
        self.skip_blanks();
        if self.at_end() || !self.budget.step() || !self.budget.descend() {
            return None;
        }
        let start = self.pos;
        let command = match self.compound() {
            Some(kind) => {
                let redirects = self.trailing_redirects();
                Some(Command {
                    span: self.span_from(start),
                    kind,
                    redirects,
                })
            }
            None => self.simple(),
        };
        self.budget.ascend();
        command
    }

    fn compound(&mut self) -> Option<Kind<'t>> {
        if self.peek() == b'(' {
            return Some(self.parenthesis());
        }
        let word = self.reserved()?;
        let start = self.pos;
        let kind = match word {
            "{" => {
                self.pos += 1;
                let list = self.list();
                self.expect(start, Closer::Brace, "this brace is never closed");
                Kind::Group(list)
            }
            "if" => self.conditional(start),
            "while" | "until" => {
                self.pos += word.len();
                let condition = self.list();
                let body = self.do_group(start);
                Kind::While { condition, body }
            }
            "for" | "select" => self.for_loop(start, word),
            "case" => self.case(start),
            "function" => self.function(start),
            "coproc" => self.coproc(),
            "[[" => self.test(start),
            _ => return None,
        };
        Some(kind)
    }

    /// Takes the closer that must stand here.
    fn expect(&mut self, start: usize, wanted: Closer, note: &'static str) {
        if self.closer() == Some(wanted) {
            self.pos += match wanted {
                Closer::Parenthesis | Closer::Brace => 1,
                Closer::Arm => 2,
                _ => self.reserved().map_or(1, str::len),
            };
        } else {
            self.problem(start, note);
        }
    }

    /// `((…))`, or a subshell.
    fn parenthesis(&mut self) -> Kind<'t> {
        let start = self.pos;
        let double = self.ahead(1) == b'(';
        let documents = self.documents_read();
        if double {
            let mark = self.mark();
            self.pos += 2;
            if let Some(raw) = self.arithmetic_in_parentheses() {
                return Kind::Arithmetic(raw);
            }
            self.back_to(&mark);
            self.aids.push(Aid::Insert(self.here() + 1, " "));
        }
        self.pos += 1;
        let list = self.list();
        self.expect(
            start,
            Closer::Parenthesis,
            "this parenthesis is never closed",
        );
        if double {
            self.documents_behind_parentheses(start, documents);
        }
        Kind::Subshell(list)
    }

    fn conditional(&mut self, start: usize) -> Kind<'t> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        self.pos += "if".len();
        loop {
            let condition = self.list();
            self.expect(start, Closer::Then, "this `if` has no `then`");
            branches.push((condition, self.list()));
            match self.closer() {
                Some(Closer::Elif) => self.pos += "elif".len(),
                Some(Closer::Else) => {
                    self.pos += "else".len();
                    otherwise = Some(self.list());
                    break;
                }
                _ => break,
            }
        }
        self.expect(start, Closer::Fi, "this `if` has no `fi`");
        Kind::If {
            branches,
            otherwise,
        }
    }

    fn do_group(&mut self, start: usize) -> List<'t> {
        self.expect(start, Closer::Do, "this loop has no `do`");
        let body = self.list();
        self.expect(start, Closer::Done, "this loop has no `done`");
        body
    }

    /// The body of a `for`: `do … done`, or braces.
    fn loop_body(&mut self, start: usize) -> List<'t> {
        self.skip_blanks();
        if self.peek() == b';' && self.closer().is_none() {
            self.pos += 1;
        }
        self.skip_lines();
        let open = self.pos;
        if !self.take_reserved("{") {
            return self.do_group(start);
        }
        self.aids.push(Aid::Blank(self.span_from(open)));
        self.aids.push(Aid::Insert(self.here(), "do "));
        let body = self.list();
        let close = self.pos;
        self.expect(start, Closer::Brace, "this brace is never closed");
        self.aids.push(Aid::Blank(self.span_from(close)));
        self.aids.push(Aid::Insert(self.here(), " done"));
        body
    }

    fn for_loop(&mut self, start: usize, word: &str) -> Kind<'t> {
        self.pos += word.len();
        self.skip_blanks();
        if self.starts_with("((") {
            self.pos += 2;
            let header = self.arithmetic_header();
            let body = self.loop_body(start);
            return Kind::ArithmeticFor { header, body };
        }
        let name = self
            .word(Place::Argument)
            .and_then(|name| name.bare().map(Cow::into_owned));
        if name.is_none() {
            self.problem(start, "this loop has no variable");
        }
        self.skip_lines();
        let mut words = None;
        let start_of_list = self.pos;
        if self.take_reserved("in") {
            let in_word = self.span_from(start_of_list);
            let mut list = Vec::new();
            loop {
                self.skip_blanks_and_comment();
                match self.word(Place::Argument) {
                    Some(word) => list.push(word),
                    None => break,
                }
            }
            if list.is_empty() {
                self.aids.push(Aid::Blank(in_word));
            }
            words = Some(list);
        } else if self.reserved() == Some("do") {
            self.end_without_separator();
        }
        let body = self.loop_body(start);
        Kind::For {
            name: Cow::Owned(name.unwrap_or_default()),
            words,
            body,
        }
    }

    fn case(&mut self, start: usize) -> Kind<'t> {
        self.pos += "case".len();
        self.skip_blanks();
        let subject = self.word(Place::Argument).unwrap_or_default();
        self.skip_lines();
        if !self.take_reserved("in") {
            self.problem(start, "this `case` has no `in`");
        }
        let mut arms = Vec::new();
        loop {
            self.skip_lines();
            if self.at_end() || self.closer() == Some(Closer::Esac) {
                break;
            }
            let before = self.pos;
            let patterns = self.patterns();
            let body = self.list();
            arms.push((patterns, body));
            if self.closer() == Some(Closer::Arm) {
                self.pos += 2;
                if self.peek() == b'&' {
                    self.pos += 1;
                }
            } else if self.closer() != Some(Closer::Esac) || self.pos == before {
                break;
            }
        }
        self.expect(start, Closer::Esac, "this `case` has no `esac`");
        Kind::Case { subject, arms }
    }

    fn patterns(&mut self) -> Vec<Word<'t>> {
        let start = self.pos;
        if self.peek() == b'(' {
            self.pos += 1;
        }
        let mut patterns = Vec::new();
        loop {
            self.skip_blanks();
            match self.word(Place::Pattern) {
                Some(pattern) => patterns.push(pattern),
                None => self.problem(start, "a pattern is missing here"),
            }
            self.skip_blanks();
            match self.peek() {
                b'|' => self.pos += 1,
                b')' => {
                    self.pos += 1;
                    break;
                }
                _ => {
                    self.problem(start, "this pattern has no `)`");
                    break;
                }
            }
        }
        patterns
    }

    fn function(&mut self, start: usize) -> Kind<'t> {
        self.pos += "function".len();
        self.skip_blanks();
        let name = self.word(Place::Argument).unwrap_or_default();
        self.skip_blanks();
        if self.peek() == b'(' {
            let open = self.pos;
            self.pos += 1;
            self.skip_blanks();
            if self.peek() == b')' {
                self.pos += 1;
            } else {
                // `function f (list)`: the body is a subshell.
                self.pos = open;
            }
        }
        self.function_body(start, name)
    }

    fn function_body(&mut self, start: usize, name: Word<'t>) -> Kind<'t> {
        self.aids.push(Aid::Blank(self.span_from(start)));
        self.skip_lines();
        let body = self.command();
        let simple = body
            .as_ref()
            .is_none_or(|body| matches!(body.kind, Kind::Simple { .. }));
        if simple {
            self.problem(start, "the body of this function is no compound command");
        }
        let body = body.unwrap_or_else(|| self.nothing());
        Kind::Function {
            name,
            body: Box::new(body),
        }
    }

    fn nothing(&self) -> Command<'t> {
        let kind = Kind::Simple {
            assignments: Vec::new(),
            words: Vec::new(),
        };
        Command {
            span: self.span_from(self.pos),
            kind,
            redirects: Vec::new(),
        }
    }

    fn coproc(&mut self) -> Kind<'t> {
        let start = self.pos;
        self.pos += "coproc".len();
        self.skip_blanks();
        // A name is one only before a compound command.
        let mark = self.mark();
        let mut name = None;
        if self.reserved().is_none() && is_name_start(self.peek()) {
            let word = self.word(Place::Argument);
            self.skip_blanks();
            let compound = self.peek() == b'('
                || self
                    .reserved()
                    .is_some_and(|word| !matches!(word, "!" | "time" | "in" | "]]"));
            match word.as_ref().and_then(Word::bare) {
                Some(word) if compound && self.closer().is_none() => {
                    name = Some(Cow::Owned(word.into_owned()));
                }
                _ => self.back_to(&mark),
            }
        }
        self.aids.push(Aid::Blank(self.span_from(start)));
        let body = self.command().unwrap_or_else(|| self.nothing());
        Kind::Coproc {
            name,
            body: Box::new(body),
        }
    }

    fn test(&mut self, start: usize) -> Kind<'t> {
        self.pos += 2;
        let mut items = Vec::new();
        let mut place = Place::Test;
        loop {
            self.skip_lines();
            let at = self.pos;
            if self.at_end() {
                self.problem(start, "this `[[` has no `]]`");
                break;
            }
            if self.take_reserved("]]") {
                break;
            }
            if let Some(word) = self.word(place) {
                place = match word.bare().as_deref() {
                    Some("=~") => Place::Regex,
                    _ => Place::Test,
                };
                items.push(TestItem::Word(word));
                continue;
            }
            place = Place::Test;
            match (self.peek(), self.ahead(1)) {
                (b'&', b'&') | (b'|', b'|') => self.pos += 2,
                (b'(' | b')' | b'<' | b'>', _) => self.pos += 1,
                _ => {
                    self.problem(start, "this `[[` has no `]]`");
                    break;
                }
            }
            items.push(TestItem::Operator(self.span_from(at)));
        }
        Kind::Test(items)
    }

    fn trailing_redirects(&mut self) -> Vec<Redirect<'t>> {
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect() {
                Some(redirect) => redirects.push(redirect),
                None => return redirects,
            }
        }
    }

    fn simple(&mut self) -> Option<Command<'t>> {
        let start = self.pos;
        let (mut assignments, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        let mut end = start;
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect() {
                redirects.push(redirect);
            } else if words.is_empty()
                && let Some(assignment) = self.assignment()
            {
                assignments.push(assignment);
            } else if self.peek() == b'#' {
                break;
            } else if self.peek() == b'(' && !words.is_empty() {
                let first = assignments.is_empty() && redirects.is_empty() && words.len() == 1;
                if first && self.empty_parentheses() {
                    let name = words.pop().unwrap_or_default();
                    let kind = self.function_body(start, name);
                    let redirects = Vec::new();
                    return Some(Command {
                        span: self.span_from(start),
                        kind,
                        redirects,
                    });
                }
                let at = self.pos;
                self.pos += 1;
                self.problem(at, "a parenthesis cannot stand here");
            } else if let Some(word) = self.argument(&words) {
                words.push(word);
            } else {
                break;
            }
            end = self.pos;
        }
        if end == start {
            return None;
        }
        self.pos = end;
        self.check_first_word(start, words.first());
        let kind = Kind::Simple { assignments, words };
        Some(Command {
            span: Span::new(start, end),
            kind,
            redirects,
        })
    }

    /// A reserved word that only a joined line makes one is not read as one
    /// here; bash would.
    fn check_first_word(&mut self, start: usize, word: Option<&Word<'t>>) {
        if let Some(word) = word
            && word.span.end as usize - word.span.start as usize
                != word.bare().map_or(0, |text| text.len())
            && word
                .bare()
                .is_some_and(|word| RESERVED.contains(&word.as_ref()))
        {
            self.problem(start, "a reserved word is written over two lines");
        }
    }

    fn empty_parentheses(&mut self) -> bool {
        let open = self.pos;
        self.pos += 1;
        self.skip_blanks();
        let empty = self.peek() == b')';
        self.pos = if empty { self.pos + 1 } else { open };
        empty
    }

    /// A word, or an assignment of an array that a declaring builtin takes.
    fn argument(&mut self, words: &[Word<'t>]) -> Option<Word<'t>> {
        let declares = words
            .first()
            .and_then(Word::bare)
            .is_some_and(|first| DECLARES.contains(&first.as_ref()));
        if declares && is_name_start(self.peek()) {
            let start = self.pos;
            let mark = self.mark();
            while is_name(self.peek()) {
                self.pos += 1;
            }
            if self.peek() == b'+' {
                self.pos += 1;
            }
            if self.starts_with("=(") {
                self.pos += 1;
                let name = Part {
                    span: self.span_from(start),
                    quoted: false,
                    kind: PartKind::Literal(Cow::Borrowed(self.slice(start, self.pos))),
                };
                let array = self.array();
                return Some(Word {
                    span: self.span_from(start),
                    parts: vec![name, array],
                });
            }
            self.back_to(&mark);
        }
        self.word(Place::Argument)
    }

    /// `name=value`, if one begins here.
    fn assignment(&mut self) -> Option<Assignment<'t>> {
        if !is_name_start(self.peek()) {
            return None;
        }
        let start = self.pos;
        let mark = self.mark();
        let name = self.name();
        let subscript = if self.peek() == b'[' {
            self.pos += 1;
            let subscript = self.subscript();
            if subscript.is_none() {
                self.back_to(&mark);
                return None;
            }
            subscript
        } else {
            None
        };
        self.skip_continuations();
        let append = self.peek() == b'+' && self.second_byte() == b'=';
        if append {
            self.take_two();
        } else if self.peek() == b'=' {
            self.pos += 1;
        } else {
            self.back_to(&mark);
            return None;
        }
        let value_start = self.pos;
        let value = if self.peek() == b'(' && subscript.is_none() {
            let array = self.array();
            Word {
                span: self.span_from(value_start),
                parts: vec![array],
            }
        } else {
            self.word(Place::Argument).unwrap_or_else(|| Word {
                span: self.span_from(value_start),
                parts: Vec::new(),
            })
        };
        Some(Assignment {
            span: self.span_from(start),
            name,
            subscript,
            append,
            value,
        })
    }

    /// A name, continued lines joined.
    fn name(&mut self) -> Cow<'t, str> {
        let start = self.pos;
        let mut joined = String::new();
        let mut from = start;
        loop {
            while is_name(self.peek()) {
                self.pos += 1;
            }
            if self.peek() != b'\\' || self.ahead(1) != b'\n' {
                break;
            }
            joined.push_str(self.slice(from, self.pos));
            self.skip_continuations();
            from = self.pos;
        }
        if from == start {
            return Cow::Borrowed(self.slice(start, self.pos));
        }
        joined.push_str(self.slice(from, self.pos));
        Cow::Owned(joined)
    }

    /// `(…)` as an array's value.
    fn array(&mut self) -> Part<'t> {
        let start = self.pos;
        self.pos += 1;
        let mut elements = Vec::new();
        loop {
            self.skip_lines();
            if self.peek() == b')' {
                self.pos += 1;
                break;
            }
            let subscript = self.element_subscript();
            match self.word(Place::Argument) {
                Some(value) => elements.push(Element { subscript, value }),
                None if subscript.is_some() => {
                    elements.push(Element {
                        subscript,
                        value: Word::default(),
                    });
                }
                None => {
                    self.problem(start, "this array is never closed");
                    break;
                }
            }
        }
        let kind = PartKind::Array(elements);
        Part {
            span: self.span_from(start),
            quoted: false,
            kind,
        }
    }

    /// `[subscript]=` before an element.
    fn element_subscript(&mut self) -> Option<Raw<'t>> {
        if self.peek() != b'[' {
            return None;
        }
        let mark = self.mark();
        self.pos += 1;
        let subscript = self.subscript();
        if self.starts_with("+=") {
            self.pos += 2;
            return subscript;
        }
        if subscript.is_some() && self.peek() == b'=' {
            self.pos += 1;
            return subscript;
        }
        self.back_to(&mark);
        None
    }

    /// A redirect, if one begins here.
    fn redirect(&mut self) -> Option<Redirect<'t>> {
        let start = self.pos;
        let descriptor = self.descriptor();
        let Some((operator, length)) = self.redirect_operator() else {
            self.pos = start;
            return None;
        };
        let strip_tabs = self.starts_with("<<-");
        self.pos += length;
        self.skip_blanks();
        let Some(target) = self.word(Place::Argument) else {
            self.problem(start, "this redirect has no target");
            let target = Word {
                span: self.span_from(self.pos),
                parts: Vec::new(),
            };
            let span = self.span_from(start);
            return Some(Redirect {
                span,
                descriptor,
                operator,
                target,
                here_document: None,
            });
        };
        let here_document = (operator == RedirectOperator::HereDocument)
            .then(|| self.delimiter(&target, strip_tabs));
        let span = self.span_from(start);
        Some(Redirect {
            span,
            descriptor,
            operator,
            target,
            here_document,
        })
    }

    fn delimiter(&mut self, target: &Word<'t>, strip_tabs: bool) -> usize {
        let literal = target.literal().map(Cow::into_owned);
        if literal.is_none() {
            self.problem(
                target.span.start as usize,
                "this delimiter is no literal text",
            );
        }
        let quoted = target.parts.iter().any(|part| part.quoted);
        self.expect_here_document(literal.unwrap_or_default(), quoted, strip_tabs)
    }

    /// `2` or `{fd}` right before a redirect's operator.
    fn descriptor(&mut self) -> Descriptor<'t> {
        let start = self.pos;
        if self.peek().is_ascii_digit() {
            while self.peek().is_ascii_digit() {
                self.pos += 1;
            }
            if matches!(self.peek(), b'<' | b'>')
                && let Ok(number) = self.slice(start, self.pos).parse()
            {
                return Descriptor::Number(number);
            }
        } else if self.peek() == b'{' {
            self.pos += 1;
            let name = self.pos;
            while !ends_word(self.peek()) && self.peek() != b'}' {
                self.advance();
            }
            let close = self.pos;
            self.pos += 1;
            let text = self.slice(name, close);
            if matches!(self.peek(), b'<' | b'>') && text.bytes().next().is_some_and(is_name_start)
            {
                return Descriptor::Variable(Cow::Borrowed(text));
            }
        }
        self.pos = start;
        Descriptor::None
    }
}
