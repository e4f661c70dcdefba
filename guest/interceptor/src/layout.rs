//! Where the outermost units stand: in a pipeline, in a condition, in a
//! compound whose output is collected, before an `&&`.
//!
//! The plan says what runs; how it is joined is written between the units. So
//! this reads only the gaps between their spans, word by word. It is no
//! parser: what it cannot place is left alone by the rules.

use std::ops::Range;

use bashgate_guest::policy::{Context, Operator, Plan, RedirectKind, Unit};

use crate::command::program;

/// Compounds nested deeper are not placed.
const MAX_DEPTH: usize = 64;
/// After `||`, these only report or ignore a failure.
const HARMLESS_ALTERNATIVES: &[&str] = &["true", ":", "echo", "printf"];

/// How a unit's output and exit status are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    /// Another command's output is piped into it, or into a compound around it.
    pub fed: bool,
    /// Its output, or that of a compound around it, is piped or redirected.
    pub collected: bool,
    /// It stands in the condition of `if`, `while`, `until`, or after `!`.
    pub condition: bool,
    /// What runs next depends on its exit status.
    pub decides: bool,
    /// It, or a compound around it, runs in the background.
    pub background: bool,
}

/// The places of a plan's outermost units.
pub struct Layout {
    places: Vec<Option<Place>>,
}

impl Layout {
    /// Reads the gaps of the plan's script, once.
    pub fn of(plan: &Plan) -> Self {
        let mut reader = Reader {
            plan,
            layout: Self {
                places: vec![None; plan.units.len()],
            },
            placed: Vec::new(),
            frames: Vec::new(),
            last: 0..0,
            alternative: None,
            here_documents: Vec::new(),
            after_compound: false,
            piped: false,
            negated: false,
        };
        reader.read();
        reader.layout
    }

    /// Where the unit of this index stands; None if it is not an outermost
    /// one, or could not be placed.
    pub fn place(&self, index: usize) -> Option<Place> {
        self.places.get(index).copied().flatten()
    }
}

#[derive(Clone, Copy)]
enum Region {
    Unit(usize),
    Redirect,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Parentheses,
    Case,
    Other,
}

/// An open compound.
struct Frame {
    kind: Kind,
    /// Its first unit, as an index of `placed`.
    first: usize,
    fed: bool,
    /// A compound around it stands in a condition.
    inherited: bool,
    /// Its own condition is being read.
    condition: bool,
    negated: bool,
}

struct Reader<'a> {
    plan: &'a Plan,
    layout: Layout,
    /// Units in the order of the text.
    placed: Vec<usize>,
    frames: Vec<Frame>,
    /// What the next connector joins, as a range of `placed`.
    last: Range<usize>,
    /// What stands before an `||` whose right side is still to come.
    alternative: Option<Range<usize>>,
    /// Ends of the here-documents that start after this line.
    here_documents: Vec<String>,
    after_compound: bool,
    piped: bool,
    negated: bool,
}

impl Reader<'_> {
    fn read(&mut self) {
        let mut at = 0;
        for (start, end, region) in regions(self.plan) {
            if start < at {
                continue;
            }
            let Some(gap) = self.plan.script.get(at..start) else {
                return;
            };
            if self.gap(gap).is_none() {
                return;
            }
            match region {
                Region::Unit(index) => self.unit(index),
                Region::Redirect if self.after_compound => {
                    self.mark(self.last.clone(), |place| place.collected = true);
                }
                Region::Redirect => {}
            }
            at = end;
        }
        if let Some(gap) = self.plan.script.get(at..) {
            // A compound that is never closed ends with the text.
            let _ = self.gap(gap);
        }
    }

    fn unit(&mut self, index: usize) {
        let Some(unit) = self.plan.units.get(index) else {
            return;
        };
        if unit.operator == Operator::Pipe && !self.piped && !self.frames.iter().any(|f| f.fed) {
            self.pipe();
        }
        if let Some(before) = self.alternative.take()
            && !program(unit).is_some_and(|name| HARMLESS_ALTERNATIVES.contains(&name))
        {
            self.mark(before, |place| place.decides = true);
        }
        let frame = self.frames.last();
        let place = Place {
            fed: self.piped || frame.is_some_and(|frame| frame.fed),
            condition: self.negated
                || frame.is_some_and(|frame| frame.condition || frame.inherited),
            background: unit.background,
            ..Place::default()
        };
        if let Some(slot) = self.layout.places.get_mut(index) {
            *slot = Some(place);
        }
        self.last = self.placed.len()..self.placed.len() + 1;
        self.placed.push(index);
        self.here_documents
            .extend(open_here_documents(unit, &self.plan.script));
        self.piped = false;
        self.after_compound = false;
    }

    fn mark(&mut self, range: Range<usize>, change: impl Fn(&mut Place)) {
        for &index in self.placed.get(range).unwrap_or_default() {
            if let Some(Some(place)) = self.layout.places.get_mut(index) {
                change(place);
            }
        }
    }

    /// Reads text between two units; None when it is nested too deep.
    fn gap(&mut self, text: &str) -> Option<()> {
        let bytes = text.as_bytes();
        let mut word = 0..0;
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let next = bytes.get(at + 1).copied();
            let length = match (byte, next) {
                (b' ' | b'\t' | b'\r', _) => 1,
                (b'\n', _) => {
                    self.word(text.get(word.clone()).unwrap_or_default())?;
                    word = at + 1..at + 1;
                    self.end_of_list(false);
                    1 + self.skip_here_documents(text.get(at + 1..).unwrap_or_default())
                }
                (b'#', _) if word.is_empty() => line(text.get(at..).unwrap_or_default()).len(),
                (b'\'' | b'"' | b'`' | b'\\', _) => {
                    let quoted = skip_quoted(bytes, at);
                    word = if word.is_empty() { at } else { word.start }..quoted;
                    at = quoted;
                    continue;
                }
                (b'$' | b'<' | b'>' | b'=', Some(b'(')) => {
                    let closed = skip_parentheses(bytes, at + 1);
                    word = if word.is_empty() { at } else { word.start }..closed;
                    at = closed;
                    continue;
                }
                (b'(' | b')' | b'|' | b'&' | b';' | b'<' | b'>', _) => {
                    self.word(text.get(word.clone()).unwrap_or_default())?;
                    word = at..at;
                    self.operator(bytes, at)?
                }
                _ => {
                    word = if word.is_empty() { at } else { word.start }..at + 1;
                    at += 1;
                    continue;
                }
            };
            let ended = text.get(word.clone()).unwrap_or_default();
            if ended == "[[" {
                let rest = text.get(at..).unwrap_or_default();
                at += rest.find("]]").map_or(rest.len(), |found| found + 2);
                word = at..at;
                continue;
            }
            self.word(ended)?;
            at += length.max(1);
            word = at..at;
        }
        self.word(text.get(word).unwrap_or_default())
    }

    /// Takes an operator and answers its length.
    fn operator(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        let next = bytes.get(at + 1).copied();
        let length = match (bytes.get(at)?, next) {
            (b'(', _) => {
                self.open(Kind::Parentheses, false)?;
                1
            }
            (b')', _) => {
                if self
                    .frames
                    .last()
                    .is_some_and(|frame| frame.kind == Kind::Parentheses)
                {
                    self.close();
                }
                1
            }
            (b'|', Some(b'|')) => {
                self.alternative = Some(self.last.clone());
                self.joined();
                2
            }
            (b'|', Some(b'&')) => {
                self.pipe();
                2
            }
            (b'|', _) => {
                self.pipe();
                1
            }
            (b'&', Some(b'&')) => {
                self.mark(self.last.clone(), |place| place.decides = true);
                self.joined();
                2
            }
            (b'&', Some(b'>')) | (b'<' | b'>', _) => {
                if self.after_compound {
                    self.mark(self.last.clone(), |place| place.collected = true);
                }
                bytes
                    .get(at..)?
                    .iter()
                    .take_while(|byte| matches!(byte, b'<' | b'>' | b'&' | b'|'))
                    .count()
            }
            (b'&', _) => {
                self.mark(self.last.clone(), |place| place.background = true);
                self.end_of_list(true);
                1
            }
            _ => {
                self.end_of_list(true);
                1
            }
        };
        Some(length)
    }

    /// Takes a word that stands between the units.
    fn word(&mut self, word: &str) -> Option<()> {
        match word {
            "if" | "while" | "until" => self.open(Kind::Other, true)?,
            "for" | "select" | "{" => self.open(Kind::Other, false)?,
            "case" => self.open(Kind::Case, false)?,
            "elif" => self.condition(true),
            "then" | "else" | "do" => self.condition(false),
            "fi" | "done" | "esac" | "}" => self.close(),
            "!" => self.negated = true,
            _ => {}
        }
        Some(())
    }

    fn open(&mut self, kind: Kind, condition: bool) -> Option<()> {
        if self.frames.len() >= MAX_DEPTH {
            return None;
        }
        if let Some(before) = self.alternative.take() {
            self.mark(before, |place| place.decides = true);
        }
        let outer = self.frames.last();
        self.frames.push(Frame {
            kind,
            first: self.placed.len(),
            fed: self.piped || outer.is_some_and(|frame| frame.fed),
            inherited: self.negated
                || outer.is_some_and(|frame| frame.condition || frame.inherited),
            condition,
            negated: self.negated,
        });
        self.piped = false;
        self.negated = false;
        self.after_compound = false;
        Some(())
    }

    fn close(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.last = frame.first..self.placed.len();
            self.negated = frame.negated;
            self.piped = false;
            self.after_compound = true;
        }
    }

    fn condition(&mut self, condition: bool) {
        if let Some(frame) = self.frames.last_mut() {
            frame.condition = condition;
        }
    }

    fn pipe(&mut self) {
        self.mark(self.last.clone(), |place| place.collected = true);
        self.piped = true;
        self.after_compound = false;
    }

    fn joined(&mut self) {
        self.negated = false;
        self.piped = false;
        self.after_compound = false;
    }

    /// A pipe may go on after a line's end, not after `;` or `&`.
    fn end_of_list(&mut self, certain: bool) {
        self.negated = false;
        self.after_compound = false;
        if certain {
            self.piped = false;
        }
    }

    /// Bytes of the here-documents that start here.
    fn skip_here_documents(&mut self, text: &str) -> usize {
        let mut at = 0;
        for end in std::mem::take(&mut self.here_documents) {
            while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
                let line = line(rest);
                at += (line.len() + 1).min(rest.len());
                if line.trim_start_matches('\t') == end {
                    break;
                }
            }
        }
        at
    }
}

/// What is not read: the outermost units and all their redirects, in order.
fn regions(plan: &Plan) -> Vec<(usize, usize, Region)> {
    let mut regions = Vec::new();
    for (index, unit) in plan.units.iter().enumerate() {
        let inside = matches!(
            unit.context,
            Context::CommandSubstitution | Context::ProcessSubstitution
        );
        if unit.parent.is_some() || inside {
            continue;
        }
        if !unit.words.is_empty() {
            regions.push((
                unit.span.start as usize,
                unit.span.end as usize,
                Region::Unit(index),
            ));
        }
        for redirect in &unit.redirects {
            let (start, end) = (redirect.span.start as usize, redirect.span.end as usize);
            regions.push((start, end.max(start), Region::Redirect));
        }
    }
    // A unit before its own redirects, should both start at one place.
    regions.sort_by_key(|&(start, end, region)| {
        (
            start,
            matches!(region, Region::Redirect),
            std::cmp::Reverse(end),
        )
    });
    regions
}

/// Ends of the unit's here-documents whose text lies after the unit's span.
fn open_here_documents<'a>(unit: &'a Unit, script: &'a str) -> impl Iterator<Item = String> + 'a {
    unit.redirects
        .iter()
        .filter(|redirect| redirect.kind == RedirectKind::HereDocument)
        .map(|redirect| {
            let end = redirect.target.value.clone();
            let end = end.unwrap_or_else(|| redirect.target.text.replace(['\'', '"', '\\'], ""));
            let to = unit.span.end.max(redirect.span.end) as usize;
            let within = script
                .get(redirect.span.start as usize..to)
                .unwrap_or_default();
            (end, within)
        })
        .filter(|(end, within)| {
            !within
                .lines()
                .skip(1)
                .any(|line| line.trim_start_matches('\t') == end)
        })
        .map(|(end, _)| end)
}

/// The text up to the line's end.
fn line(text: &str) -> &str {
    text.split('\n').next().unwrap_or_default()
}

/// The end of what is quoted at `at`.
fn skip_quoted(bytes: &[u8], at: usize) -> usize {
    let Some(&quote) = bytes.get(at) else {
        return bytes.len();
    };
    let mut end = at + 1;
    if quote == b'\\' {
        return (end + 1).min(bytes.len());
    }
    while let Some(&byte) = bytes.get(end) {
        end += 1;
        if byte == quote {
            return end;
        }
        if byte == b'\\' && quote != b'\'' {
            end += 1;
        }
    }
    bytes.len()
}

/// The end of the parentheses that open at `at`.
fn skip_parentheses(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0_usize;
    let mut end = at;
    while let Some(&byte) = bytes.get(end) {
        match byte {
            b'\'' | b'"' | b'\\' => {
                end = skip_quoted(bytes, end);
                continue;
            }
            b'(' => depth += 1,
            b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return end + 1;
                }
            }
            _ => {}
        }
        end += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests;
