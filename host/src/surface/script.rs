//! A script as people see it: every line prefixed, hidden characters made
//! visible, and under each part what is said of it.

use std::fmt::Write;

use crate::guest::bindings::policy::bashgate::policy::types::Span;

/// Before every line of a script, so that no text of an agent passes for a
/// line of ours.
const BAR: &str = "  | ";

/// Something said of a part of the script.
pub(crate) struct Note {
    pub(crate) span: Option<Span>,
    pub(crate) text: String,
}

/// The script with its notes. What speaks of no part comes last.
pub(crate) fn marked(script: &str, notes: &[Note]) -> String {
    let mut text = String::new();
    let mut start = 0;
    for line in script.split('\n') {
        // Writing to a string does not fail, here and below.
        let _ = writeln!(text, "{BAR}{}", visible(line));
        let end = start + line.len();
        for note in notes {
            if let Some(span) = note.span.filter(|span| within(*span, start, end)) {
                let from = (span.start as usize).saturating_sub(start);
                let to = (span.end as usize).min(end).saturating_sub(start);
                let margin = " ".repeat(BAR.len());
                let _ = writeln!(text, "{margin}{}", marks(line, from, to));
                let _ = writeln!(text, "{}", indented(&note.text));
            }
        }
        start = end + 1;
    }
    for note in notes.iter().filter(|note| note.span.is_none()) {
        let _ = writeln!(text, "{}", indented(&note.text));
    }
    text
}

fn within(span: Span, start: usize, end: usize) -> bool {
    let at = span.start as usize;
    at >= start && at <= end
}

fn marks(line: &str, from: usize, to: usize) -> String {
    let width = |part: Option<&str>| part.map_or(0, |part| visible(part).chars().count());
    let before = width(line.get(..from));
    let under = width(line.get(from..to)).max(1);
    format!("{}{}", " ".repeat(before), "^".repeat(under))
}

/// What guests say comes line by line behind a mark of ours.
fn indented(text: &str) -> String {
    let mut lines = text.split('\n').map(visible);
    let first = lines.next().unwrap_or_default();
    lines.fold(format!("    - {first}"), |mut all, line| {
        let _ = write!(all, "\n      {line}");
        all
    })
}

/// One line of text of an agent, a guest or a command, with nothing in it
/// that a terminal or a reader could take for something else.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter == '\t' {
            shown.push_str("    ");
        } else if is_hidden(letter) {
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(letter));
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Controls, and what Unicode calls formatting: marks of direction, joiners,
/// blanks without width, tags.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{ad}'
                | '\u{600}'..='\u{605}'
                | '\u{61c}'
                | '\u{6dd}'
                | '\u{115f}'..='\u{1160}'
                | '\u{180b}'..='\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(start: u32, end: u32, text: &str) -> Note {
        Note {
            span: Some(Span { start, end }),
            text: text.into(),
        }
    }

    #[test]
    fn notes_stand_under_what_they_speak_of() {
        let of_all = Note {
            span: None,
            text: "of all".into(),
        };
        let notes = [
            note(3, 8, "approval: writes\nRun this instead"),
            note(9, 12, "second line"),
            of_all,
        ];
        let wanted = "  | rm build\n       ^^^^^\n    - approval: writes\n      Run this instead\n  | git push\n    ^^^\n    - second line\n    - of all\n";
        assert_eq!(marked("rm build\ngit push", &notes), wanted);
    }

    #[test]
    fn nothing_stays_hidden() {
        let shown = visible("a\u{202e}b\u{1b}[2Kc\rd\u{200b}é日");
        assert_eq!(shown, "a\\u{202e}b\\u{1b}[2Kc\\u{d}d\\u{200b}é日");
    }

    #[test]
    fn marks_count_what_is_shown() {
        let shown = marked("\u{1b}x", &[note(1, 2, "x")]);
        assert_eq!(shown, "  | \\u{1b}x\n          ^\n    - x\n");
    }
}
