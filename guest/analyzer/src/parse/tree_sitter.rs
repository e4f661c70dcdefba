//! The second reading: tree-sitter-bash must see no command where the own
//! reader sees none, and must be able to read the text at all.
//!
//! Its grammar has known gaps: lines that go on after a here-document's
//! operator, words after a redirect. Where the first reading differs, it gets
//! the text once more with here-documents and redirects blanked out as the own
//! reader found them; agreement on that settles it. A difference that stays is
//! a doubt.

use tree_sitter::{Node, Parser, Tree, TreeCursor};

use crate::syntax::Span;

/// Where the two differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The place.
    pub span: Span,
    /// What, in words.
    pub note: &'static str,
}

/// What the own reader found, for the comparison.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Where commands begin.
    pub starts: Vec<u32>,
    /// Places that hold text read on its own (backquotes, `bash -c '…'`).
    pub held: Vec<Span>,
    /// Redirects and here-documents without an expansion that runs something.
    pub lifted: Vec<Span>,
}

/// Reads `script` and compares.
pub fn compare(script: &str, found: &Found) -> Vec<Difference> {
    let mut parser = Parser::new();
    if parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .is_err()
    {
        let span = Span::new(0, script.len());
        return vec![Difference {
            span,
            note: "the second parser cannot be started",
        }];
    }
    let first = differences(&mut parser, script.to_owned(), found);
    if first.is_empty() || found.lifted.is_empty() {
        return first;
    }
    let lifted = blanked(script, &found.lifted);
    differences(&mut parser, lifted, found)
}

fn differences(parser: &mut Parser, mut script: String, found: &Found) -> Vec<Difference> {
    let length = script.len();
    // Where a text ends in the middle of a line, the grammar goes back to
    // readings that it has given up, at ten times the time. Behind a backslash
    // the newline would mean something.
    if !script.ends_with(['\n', '\\']) {
        script.push('\n');
    }
    let Some(tree) = parser.parse(&script, None) else {
        let span = Span::new(0, length);
        return vec![Difference {
            span,
            note: "the second parser gave up",
        }];
    };
    let name = tree.language().id_for_node_kind("command_name", true);
    let mut differences = Vec::new();
    let mut starts = found.starts.clone();
    starts.sort_unstable();
    let known = |at: u32| starts.binary_search(&at).is_ok();
    let held = |at: u32| {
        found
            .held
            .iter()
            .any(|span| span.start <= at && at < span.end)
    };
    let within = |at: usize| at.min(length);
    visit(&tree, |node| {
        let span = Span::new(within(node.start_byte()), within(node.end_byte()));
        if node.is_error() || node.is_missing() {
            if !held(span.start) {
                differences.push(Difference {
                    span,
                    note: "the second parser cannot read this",
                });
            }
        } else if node.kind_id() == name && !known(span.start) && !held(span.start) {
            differences.push(Difference {
                span,
                note: "one parser sees a command here, the other none",
            });
        }
        differences.len() < 16
    });
    differences
}

/// Visits all nodes, depth first and without recursion, until told to stop.
fn visit(tree: &Tree, mut see: impl FnMut(Node<'_>) -> bool) {
    let mut cursor: TreeCursor<'_> = tree.walk();
    loop {
        if !see(cursor.node()) {
            return;
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The text with some spans blank, and every other byte where it was.
fn blanked(script: &str, spans: &[Span]) -> String {
    let mut text: String = String::with_capacity(script.len());
    let mut spans = spans.to_vec();
    spans.sort_unstable();
    let mut spans = spans.into_iter().peekable();
    for (at, letter) in script.char_indices() {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        while spans.next_if(|span| span.end <= at).is_some() {}
        let blank = spans.peek().is_some_and(|span| span.start <= at);
        if blank && letter != '\n' {
            text.extend(std::iter::repeat_n(' ', letter.len_utf8()));
        } else {
            text.push(letter);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_only_one_sees_is_a_difference() {
        let found = |starts: &[u32]| Found {
            starts: starts.to_vec(),
            ..Found::default()
        };
        assert_eq!(compare("ls; rm x", &found(&[0, 4])), []);
        let differences = compare("ls; rm x", &found(&[0]));
        assert_eq!(differences.len(), 1);
        assert_eq!(differences[0].span, Span::new(4, 6));
        let open = compare("ls 'open", &found(&[0]));
        assert!(!open.is_empty());
        assert!(open.iter().all(|difference| difference.span.end <= 8));
    }

    #[test]
    fn known_gaps_are_settled_by_a_second_look() {
        let script = "cat <<'E'; touch M\nhi there\nE\n";
        let lifted = vec![Span::new(4, 9), Span::new(19, 30)];
        let found = Found {
            starts: vec![0, 11],
            lifted,
            ..Found::default()
        };
        assert_eq!(compare(script, &found), []);
    }
}
