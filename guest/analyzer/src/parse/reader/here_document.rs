//! Here-documents: their delimiters, and their bodies at the end of the line.

use std::borrow::Cow;

use super::Reader;
use crate::syntax::{HereDocument, Part, PartKind, Span};

impl<'t> Reader<'t, '_> {
    /// Remembers a here-document whose operator was just read, and gives its
    /// index.
    pub(super) fn expect_here_document(
        &mut self,
        delimiter: String,
        quoted: bool,
        strip_tabs: bool,
    ) -> usize {
        let index = self.here_documents.len();
        self.here_documents.push(HereDocument {
            delimiter,
            quoted,
            strip_tabs,
            body: Span::default(),
            lines: Span::default(),
            parts: Vec::new(),
            read: false,
        });
        self.pending.push(index);
        index
    }

    /// Reads the bodies that begin here.
    pub(super) fn read_here_documents(&mut self) {
        for index in std::mem::take(&mut self.pending) {
            let Some(document) = self.here_documents.get(index) else {
                continue;
            };
            let (quoted, strip_tabs) = (document.quoted, document.strip_tabs);
            let delimiter = document.delimiter.clone();
            let start = self.pos;
            let (end, after, found) = self.find_delimiter(&delimiter, strip_tabs, quoted);
            if !found {
                self.pos = after;
                self.problem(start, "a here-document is ended by the end of the text");
            }
            let parts = if quoted {
                self.quoted_body(start, end)
            } else {
                let outer = std::mem::replace(&mut self.in_document, true);
                let parts = self.body(start, end);
                self.in_document = outer;
                parts
            };
            self.pos = after;
            if let Some(document) = self.here_documents.get_mut(index) {
                document.body = Span::new(start, end);
                document.lines = Span::new(start, after);
                document.parts = parts;
                document.read = true;
            }
        }
    }

    /// Here-documents that a substitution or the text leaves open.
    pub(super) fn settle_here_documents(&mut self) {
        if !self.pending.is_empty() {
            self.pending.clear();
            let at = self.pos.saturating_sub(1);
            self.problem(at, "a here-document is ended by the end of the text");
        }
    }

    /// End of the body, end of the delimiter's line, and whether it was found.
    fn find_delimiter(
        &self,
        delimiter: &str,
        strip_tabs: bool,
        quoted: bool,
    ) -> (usize, usize, bool) {
        let mut line_start = self.pos;
        let mut continued = false;
        while line_start < self.end {
            let rest = self.slice(line_start, self.end);
            let length = rest.find('\n').unwrap_or(rest.len());
            let line = rest.get(..length).unwrap_or_default();
            let after = (line_start + length + 1).min(self.end);
            let compared = if strip_tabs {
                line.trim_start_matches('\t')
            } else {
                line
            };
            if !continued && compared == delimiter {
                return (line_start, after, true);
            }
            // In an unquoted body `\` before a newline joins the next line.
            let backslashes = line.bytes().rev().take_while(|byte| *byte == b'\\').count();
            continued = !quoted && backslashes % 2 == 1;
            line_start = after;
        }
        (self.end, self.end, false)
    }

    fn quoted_body(&self, start: usize, end: usize) -> Vec<Part<'t>> {
        let kind = PartKind::Literal(Cow::Borrowed(self.slice(start, end)));
        vec![Part {
            span: Span::new(start, end),
            quoted: true,
            kind,
        }]
    }
}
