//! The second reading: tree-sitter-bash must see no command where the own
//! reader sees none, and must be able to read the text at all.
//!
//! Its grammar has known gaps: lines that go on after a here-document's
//! operator, words after a redirect, `time`, `coproc`, `!` before a compound
//! command, functions whose body is a loop. Where the first reading differs, it
//! gets the text once more with all these out of the way, as the own reader
//! found them; agreement on that settles it. A difference that stays is a doubt.

use tree_sitter::{Node, Parser, Tree, TreeCursor};

use crate::syntax::{Aid, Span};

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
    /// Ways around what this grammar has gaps for.
    pub aids: Vec<Aid>,
    /// Where expansions begin whose surroundings the aids take away: they look
    /// like commands then.
    pub kept: Vec<u32>,
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
    let plain = Form {
        text: script.to_owned(),
        inserted: Vec::new(),
    };
    let first = differences(&mut parser, plain, script.len(), found);
    if first.is_empty() || found.aids.is_empty() {
        return first;
    }
    let aided = Form::aided(script, &found.aids);
    let mut found = found.clone();
    found.starts.append(&mut found.kept);
    differences(&mut parser, aided, script.len(), &found)
}

fn differences(
    parser: &mut Parser,
    mut form: Form,
    length: usize,
    found: &Found,
) -> Vec<Difference> {
    // Where a text ends in the middle of a line, the grammar goes back to
    // readings that it has given up, at ten times the time. Behind a backslash
    // the newline would mean something.
    if !form.text.ends_with(['\n', '\\']) {
        form.text.push('\n');
    }
    let Some(tree) = parser.parse(&form.text, None) else {
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
    // The end of the last line may not be the script's own.
    let within = |at: usize| form.in_script(at).min(length);
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

/// A form of the script, and the way back to it.
struct Form {
    text: String,
    /// Places in the text of what the script does not have, in order.
    inserted: Vec<usize>,
}

impl Form {
    fn aided(script: &str, aids: &[Aid]) -> Self {
        let mut spans: Vec<(Span, char)> = Vec::new();
        let mut inserts: Vec<(u32, &str)> = Vec::new();
        for aid in aids {
            match *aid {
                Aid::Blank(span) => spans.push((span, ' ')),
                Aid::Letters(span) => spans.push((span, 'x')),
                Aid::Insert(at, said) => inserts.push((at, said)),
            }
        }
        // Of two at one place the longer is the outer one, and counts; letters
        // before blanks.
        spans.sort_unstable_by_key(|&(span, fill)| (span.start, u32::MAX - span.end, fill == ' '));
        inserts.sort_unstable();
        inserts.dedup();
        let (mut spans, mut inserts) =
            (spans.into_iter().peekable(), inserts.into_iter().peekable());
        let mut form = Self {
            text: String::with_capacity(script.len()),
            inserted: Vec::new(),
        };
        for (at, letter) in script.char_indices() {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            while spans.next_if(|(span, _)| span.end <= at).is_some() {}
            let fill = spans.peek().filter(|(span, _)| span.start <= at);
            while let Some((_, extra)) = inserts.next_if(|(place, _)| *place <= at) {
                if fill.is_none() {
                    let at = form.text.len();
                    form.inserted.extend(at..at + extra.len());
                    form.text.push_str(extra);
                }
            }
            match fill {
                Some((_, fill)) if letter != '\n' || *fill != ' ' => {
                    form.text
                        .extend(std::iter::repeat_n(*fill, letter.len_utf8()));
                }
                _ => form.text.push(letter),
            }
        }
        for (_, extra) in inserts {
            form.inserted
                .extend(form.text.len()..form.text.len() + extra.len());
            form.text.push_str(extra);
        }
        form
    }

    /// The place in the script of a place in this text.
    fn in_script(&self, at: usize) -> usize {
        at - self.inserted.partition_point(|place| *place < at)
    }
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
        let found = |aids: &[Span]| Found {
            starts: vec![0, 11],
            aids: aids.iter().copied().map(Aid::Blank).collect(),
            ..Found::default()
        };
        assert!(!compare(script, &found(&[])).is_empty());
        let aids = [Span::new(4, 9), Span::new(19, 30)];
        assert_eq!(compare(script, &found(&aids)), []);
    }

    #[test]
    fn what_is_inserted_moves_no_place() {
        let script = "((a); b)";
        let aids = vec![Aid::Insert(1, " "), Aid::Insert(3, ";")];
        let form = Form::aided(script, &aids);
        assert_eq!(form.text, "( (a;); b)");
        let letters = form
            .text
            .char_indices()
            .filter(|(_, letter)| letter.is_alphabetic());
        let places: Vec<usize> = letters.map(|(at, _)| form.in_script(at)).collect();
        assert_eq!(places, [2, 6]);
    }
}
