//! A reader of bash's grammar that keeps to bash's own way of reading: one
//! pass from the left, here-documents taken at the end of their line, every
//! expansion read where it stands. It never fails: what it cannot explain
//! becomes a [`Problem`], and it goes on after it. It knows no meaning of any
//! command.

mod command;
mod expansion;
mod here_document;
mod word;

use crate::limits::Budget;
use crate::syntax::{
    Aid, Entry, HereDocument, Joint, List, Pipeline, Problem, RedirectOperator, Script, Span,
};

/// Reads `text` as bash would.
pub fn read<'t>(text: &'t str, budget: &mut Budget) -> Script<'t> {
    let mut reader = Reader {
        text,
        pos: 0,
        end: text.len(),
        budget,
        pending: Vec::new(),
        here_documents: Vec::new(),
        problems: Vec::new(),
        aids: Vec::new(),
        in_document: false,
        extended_globs: text.contains("extglob"),
    };
    let list = reader.whole();
    reader.settle_here_documents();
    let Reader {
        here_documents,
        problems,
        aids,
        budget,
        ..
    } = reader;
    Script {
        list,
        here_documents,
        problems,
        aids,
        cut_short: budget.is_exhausted(),
    }
}

struct Reader<'t, 'b> {
    text: &'t str,
    pos: usize,
    /// Where the text being read ends: inside backquotes before its end.
    end: usize,
    budget: &'b mut Budget,
    /// Here-documents whose bodies begin after the next newline.
    pending: Vec<usize>,
    here_documents: Vec<HereDocument<'t>>,
    problems: Vec<Problem>,
    aids: Vec<Aid>,
    /// In the body of a here-document that is expanded.
    in_document: bool,
    /// The text speaks of `extglob`, so `!(…)` may be a pattern.
    extended_globs: bool,
}

/// Where a reader can go back to.
struct Mark {
    pos: usize,
    pending: usize,
    here_documents: usize,
    problems: usize,
    aids: usize,
}

/// A reserved word or token that ends a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Closer {
    Parenthesis,
    Brace,
    Then,
    Else,
    Elif,
    Fi,
    Do,
    Done,
    Esac,
    /// `;;`, `;&`, `;;&`
    Arm,
}

const RESERVED: &[&str] = &[
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "time", "until", "while", "{", "}",
];

/// Whether an unquoted byte ends a word.
fn ends_word(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' | 0
    )
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl<'t> Reader<'t, '_> {
    /// The byte at `offset` from here; 0 at the end, or when a limit was met.
    fn ahead(&self, offset: usize) -> u8 {
        let at = self.pos + offset;
        if at >= self.end || self.budget.is_exhausted() {
            return 0;
        }
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn peek(&self) -> u8 {
        self.ahead(0)
    }

    fn at_end(&self) -> bool {
        self.pos >= self.end || self.budget.is_exhausted()
    }

    fn starts_with(&self, token: &str) -> bool {
        !self.budget.is_exhausted()
            && self
                .text
                .get(self.pos..self.end)
                .is_some_and(|rest| rest.starts_with(token))
    }

    /// Steps over one character.
    fn advance(&mut self) {
        let width = self
            .text
            .get(self.pos..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8);
        self.pos += width;
    }

    fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end.max(start)).unwrap_or_default()
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(start, self.pos.min(self.text.len()))
    }

    fn problem(&mut self, start: usize, note: &'static str) {
        // A limit that was met is its own problem, and explains all others.
        if self.budget.is_exhausted() || self.problems.len() >= 100 {
            return;
        }
        let mut end = self.pos.max(start + 1).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        self.problems.push(Problem {
            span: Span::new(start.min(end), end),
            note,
        });
    }

    fn mark(&self) -> Mark {
        Mark {
            pos: self.pos,
            pending: self.pending.len(),
            here_documents: self.here_documents.len(),
            problems: self.problems.len(),
            aids: self.aids.len(),
        }
    }

    fn back_to(&mut self, mark: &Mark) {
        self.pos = mark.pos;
        self.pending.truncate(mark.pending);
        self.here_documents.truncate(mark.here_documents);
        self.problems.truncate(mark.problems);
        self.aids.truncate(mark.aids);
    }

    /// `\` before a newline joins two lines, everywhere but in single quotes.
    fn skip_continuations(&mut self) {
        while self.peek() == b'\\' && self.ahead(1) == b'\n' {
            self.pos += 2;
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            self.skip_continuations();
            match self.peek() {
                b' ' | b'\t' => self.pos += 1,
                _ => break,
            }
        }
    }

    /// Blanks and a comment, up to the end of the line.
    fn skip_blanks_and_comment(&mut self) {
        self.skip_blanks();
        if self.peek() == b'#' {
            let start = self.pos;
            while !self.at_end() && self.peek() != b'\n' {
                self.advance();
            }
            // There lines are joined before anything is read.
            if self.in_document && self.slice(start, self.pos).ends_with('\\') {
                self.problem(start, "the next line is a part of this comment");
            }
        }
    }

    /// Blanks, comments and newlines; here-documents are read on the way.
    fn skip_lines(&mut self) {
        loop {
            self.skip_blanks_and_comment();
            if self.peek() != b'\n' {
                break;
            }
            self.newline();
        }
    }

    /// Steps over a newline, and the bodies of here-documents after it.
    fn newline(&mut self) {
        self.pos += 1;
        if !self.pending.is_empty() {
            self.read_here_documents();
        }
    }

    /// The reserved word that stands here as a token of its own.
    fn reserved(&self) -> Option<&'static str> {
        if self.budget.is_exhausted() {
            return None;
        }
        let rest = self.text.get(self.pos..self.end)?;
        let length = rest
            .bytes()
            .take(9)
            .take_while(|byte| !ends_word(*byte))
            .count();
        let token = rest.get(..length)?;
        RESERVED.iter().copied().find(|word| *word == token)
    }

    fn take_reserved(&mut self, word: &str) -> bool {
        let found = self.reserved() == Some(word);
        if found {
            self.pos += word.len();
        }
        found
    }

    fn closer(&self) -> Option<Closer> {
        match self.peek() {
            b')' => return Some(Closer::Parenthesis),
            b';' if matches!(self.ahead(1), b';' | b'&') => return Some(Closer::Arm),
            _ => {}
        }
        match self.reserved()? {
            "}" => Some(Closer::Brace),
            "then" => Some(Closer::Then),
            "else" => Some(Closer::Else),
            "elif" => Some(Closer::Elif),
            "fi" => Some(Closer::Fi),
            "do" => Some(Closer::Do),
            "done" => Some(Closer::Done),
            "esac" => Some(Closer::Esac),
            _ => None,
        }
    }

    /// All of the text: after what should not stand there it goes on.
    fn whole(&mut self) -> List<'t> {
        let mut whole = self.list();
        while !self.at_end() {
            let start = self.pos;
            match self.closer() {
                Some(Closer::Arm) => self.pos += 2,
                Some(Closer::Parenthesis | Closer::Brace) => self.pos += 1,
                Some(_) => self.pos += self.reserved().map_or(1, str::len),
                None => self.advance(),
            }
            self.problem(start, "nothing is open that this could end");
            whole.entries.append(&mut self.list().entries);
        }
        whole
    }

    /// Statements up to a closer or the end of the text.
    fn list(&mut self) -> List<'t> {
        let mut list = List::default();
        if !self.budget.descend() {
            return list;
        }
        loop {
            self.skip_lines();
            if self.at_end() || self.closer().is_some() {
                break;
            }
            let start = self.pos;
            if let Some(entry) = self.entry() {
                list.entries.push(entry);
            }
            self.separator(start, &mut list);
        }
        self.budget.ascend();
        list
    }

    /// What stands between two statements.
    fn separator(&mut self, start: usize, list: &mut List<'t>) {
        self.skip_blanks_and_comment();
        let at = self.pos;
        match self.peek() {
            b'\n' => {}
            0 if self.at_end() => {}
            b';' if matches!(self.ahead(1), b';' | b'&') => {}
            separator @ (b';' | b'&') => {
                self.pos += 1;
                self.skip_continuations();
                let empty = at == start;
                if empty || (separator == b'&' && self.peek() == b'&') {
                    self.problem(at, "a command is missing before this");
                }
                if separator == b'&'
                    && let Some(last) = list.entries.last_mut()
                {
                    last.background = true;
                }
            }
            _ if self.closer().is_some() => self.end_without_separator(),
            _ => {
                if self.pos == start {
                    self.advance();
                }
                self.problem(at, "a command cannot go on like this");
            }
        }
    }

    /// A reserved word stands here that needs no `;` before it.
    fn end_without_separator(&mut self) {
        if self.reserved().is_some() {
            self.aids.push(Aid::Insert(self.here(), ";"));
        }
    }

    fn here(&self) -> u32 {
        u32::try_from(self.pos).unwrap_or(u32::MAX)
    }

    fn entry(&mut self) -> Option<Entry<'t>> {
        let mut entry = Entry {
            first: self.pipeline()?,
            rest: Vec::new(),
            background: false,
        };
        loop {
            self.skip_blanks();
            let start = self.pos;
            let joint = match (self.peek(), self.second_byte()) {
                (b'&', b'&') => Joint::And,
                (b'|', b'|') => Joint::Or,
                _ => break,
            };
            self.take_two();
            self.skip_lines();
            match self.pipeline() {
                Some(pipeline) => entry.rest.push((joint, pipeline)),
                None => {
                    self.problem(start, "a command is missing after this");
                    break;
                }
            }
        }
        Some(entry)
    }

    /// The byte after this one, continuations passed over.
    fn second_byte(&self) -> u8 {
        let mut offset = 1;
        while self.ahead(offset) == b'\\' && self.ahead(offset + 1) == b'\n' {
            offset += 2;
        }
        self.ahead(offset)
    }

    /// Steps over a token of two bytes, continuations between them included.
    fn take_two(&mut self) {
        self.pos += 1;
        self.skip_continuations();
        self.pos += 1;
    }

    fn pipeline(&mut self) -> Option<Pipeline<'t>> {
        let (prefixed, negated) = self.pipeline_prefix();
        let start = self.pos;
        let Some(first) = self.command() else {
            // `time` and `!` may stand alone.
            if !prefixed {
                self.problem(start, "a command is missing here");
            }
            return None;
        };
        let mut stages = vec![first];
        loop {
            self.skip_blanks();
            if self.peek() != b'|' || self.second_byte() == b'|' {
                break;
            }
            let bar = self.pos;
            self.pos += 1;
            self.skip_continuations();
            if self.peek() == b'&' {
                self.pos += 1;
            }
            self.skip_lines();
            match self.command() {
                Some(stage) => stages.push(stage),
                None => {
                    self.problem(bar, "a command is missing after this");
                    break;
                }
            }
        }
        Some(Pipeline { stages, negated })
    }

    /// `!` and `time`, with its options: whether any stands here, and whether
    /// they negate.
    fn pipeline_prefix(&mut self) -> (bool, bool) {
        let (mut any, mut negated) = (false, false);
        loop {
            self.skip_blanks();
            let start = self.pos;
            if self.reserved() == Some("!") && !(self.extended_globs && self.ahead(1) == b'(') {
                self.pos += 1;
                negated = !negated;
            } else if self.take_reserved("time") {
                for option in ["-p", "--"] {
                    self.skip_blanks();
                    let length = option.len();
                    if self.starts_with(option) && ends_word(self.ahead(length)) {
                        self.pos += length;
                    }
                }
            } else {
                return (any, negated);
            }
            self.aids.push(Aid::Blank(self.span_from(start)));
            any = true;
        }
    }

    /// The redirect operator that stands here, and its length.
    fn redirect_operator(&self) -> Option<(RedirectOperator, usize)> {
        use RedirectOperator as Op;
        let operators: &[(&str, Op)] = match self.peek() {
            b'<' if self.ahead(1) == b'(' => return None,
            b'<' => &[
                ("<<<", Op::HereString),
                ("<<-", Op::HereDocument),
                ("<<", Op::HereDocument),
                ("<&", Op::DuplicateInput),
                ("<>", Op::InputOutput),
                ("<", Op::Input),
            ],
            b'>' if self.ahead(1) == b'(' => return None,
            b'>' => &[
                (">>", Op::Append),
                (">&", Op::DuplicateOutput),
                (">|", Op::Clobber),
                (">", Op::Output),
            ],
            b'&' => &[("&>>", Op::AppendBoth), ("&>", Op::Both)],
            _ => return None,
        };
        operators
            .iter()
            .find(|(token, _)| self.starts_with(token))
            .map(|(token, operator)| (*operator, token.len()))
    }
}
