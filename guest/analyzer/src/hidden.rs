//! Characters that people do not see, or take for others: what a person
//! approves must be what runs.

use crate::output::{Output, kind};
use crate::syntax::Span;

/// One doubt for each run of hidden characters.
pub fn find(script: &str, out: &mut Output) {
    let mut run: Option<Span> = None;
    let mut letters = script.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|&(_, next)| next);
        if is_hidden(letter, next) {
            let span = Span::new(at, at + letter.len_utf8());
            run = Some(run.map_or(span, |run| run.to(span)));
        } else if let Some(span) = run.take() {
            say(script, span, out);
        }
    }
    if let Some(span) = run {
        say(script, span, out);
    }
}

fn say(script: &str, span: Span, out: &mut Output) {
    let named: Vec<String> = span
        .of(script)
        .chars()
        .take(4)
        .map(|letter| format!("U+{:04X}", u32::from(letter)))
        .collect();
    let note = format!(
        "characters that are not seen, or taken for others: {}",
        named.join(" ")
    );
    let place = bashgate_guest::policy::Span {
        start: span.start,
        end: span.end,
    };
    out.doubt(kind::HIDDEN_CHARACTERS, place, span.of(script), &note);
}

fn is_hidden(letter: char, next: Option<char>) -> bool {
    match letter {
        '\n' | '\t' => false,
        '\r' => next != Some('\n'),
        _ if letter.is_control() => true,
        // Blanks that bash takes for letters, and what has no width.
        '\u{a0}' | '\u{ad}' | '\u{61c}' | '\u{1680}' | '\u{3000}' | '\u{3164}' | '\u{feff}'
        | '\u{ffa0}' => true,
        '\u{600}'..='\u{605}' | '\u{115f}'..='\u{1160}' | '\u{180b}'..='\u{180e}' => true,
        '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_doubted_and_letters_are_not() {
        let cases = [
            ("to\u{200b}uch M", 1),
            ("echo \"\u{202e}\" ; touch M", 1),
            ("echo a\rtouch M", 1),
            ("echo a\r\n", 0),
            ("echo \u{1b}[2K", 1),
            ("ls\u{a0}-l", 1),
            ("echo a；touch M", 0),
            ("echo \"héllo – ünï 日本語 ✓ 🙂\"\t#\n", 0),
        ];
        for (script, wanted) in cases {
            let mut out = Output::default();
            find(script, &mut out);
            assert_eq!(out.doubts.len(), wanted, "{}", script.escape_unicode());
        }
    }
}
