//! Bytes to text that a model or a person may read: valid UTF-8 across
//! chunks, what a terminal would have left of lines that were rewritten,
//! control sequences removed, NUL made visible.
//!
//! What it holds is bounded, whatever comes: rewriting reaches back over the
//! last [`LINE`] bytes of a line, and of a control sequence nothing is kept.

/// Bytes of an unfinished line that can still be rewritten. A progress bar is
/// as wide as a terminal; a longer line is no progress bar.
pub const LINE: usize = 8 * 1024;

/// Numbers in a control sequence beyond this one do not matter to it.
const PARAMETER: u32 = 9999;

/// Where in a control sequence the text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sequence {
    /// In none.
    None,
    /// After ESC.
    Escape,
    /// After ESC and an intermediate character: one more ends it.
    Intermediate,
    /// After ESC `[`, with its first number.
    Control(u32),
    /// In a string that ESC `\` (or BEL) ends.
    String,
    /// In such a string, after ESC.
    StringEscape,
}

/// Turns bytes to text, chunk by chunk.
#[derive(Debug)]
pub struct Cleaner {
    /// Bytes of a character that is not complete.
    partial: Vec<u8>,
    sequence: Sequence,
    /// The unfinished line, up to where rewriting can reach.
    line: String,
    /// The same as cells, once something was rewritten in it, with the cursor.
    cells: Option<(Vec<char>, usize)>,
    /// A carriage return that may belong to a line feed.
    returned: bool,
}

impl Default for Cleaner {
    fn default() -> Self {
        Self {
            partial: Vec::new(),
            sequence: Sequence::None,
            line: String::new(),
            cells: None,
            returned: false,
        }
    }
}

impl Cleaner {
    /// Takes the next bytes; adds the text that is final to `text`.
    pub fn push(&mut self, bytes: &[u8], text: &mut String) {
        if self.partial.is_empty() {
            self.decode(bytes, text);
        } else {
            let mut joined = std::mem::take(&mut self.partial);
            joined.extend_from_slice(bytes);
            self.decode(&joined, text);
        }
    }

    /// The end: what was held back becomes final.
    pub fn finish(mut self, text: &mut String) {
        if !self.partial.is_empty() {
            self.partial.clear();
            self.letter(char::REPLACEMENT_CHARACTER, text);
        }
        self.flush(text);
    }

    fn decode(&mut self, bytes: &[u8], text: &mut String) {
        let mut left = bytes.len();
        for chunk in bytes.utf8_chunks() {
            self.read(chunk.valid(), text);
            let invalid = chunk.invalid();
            left -= chunk.valid().len() + invalid.len();
            if invalid.is_empty() {
                continue;
            }
            let unfinished =
                std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
            if left == 0 && unfinished {
                self.partial.extend_from_slice(invalid);
            } else {
                self.letter(char::REPLACEMENT_CHARACTER, text);
            }
        }
    }

    fn read(&mut self, mut input: &str, text: &mut String) {
        while !input.is_empty() {
            if self.is_plain() {
                // Most text is plain: whole runs of it at once. 0xC2 begins the
                // control characters above ASCII.
                let special = |&byte: &u8| byte < b' ' || byte == 0x7f || byte == 0xc2;
                let end = input.as_bytes().iter().position(special);
                let (run, rest) = input.split_at(end.unwrap_or(input.len()));
                self.line.push_str(run);
                self.limit(text);
                input = rest;
            }
            let mut letters = input.chars();
            if let Some(letter) = letters.next() {
                self.letter(letter, text);
                input = letters.as_str();
            }
        }
    }

    fn is_plain(&self) -> bool {
        self.sequence == Sequence::None && self.cells.is_none() && !self.returned
    }

    fn letter(&mut self, letter: char, text: &mut String) {
        match self.sequence {
            Sequence::None => self.outside(letter, text),
            Sequence::Escape => self.after_escape(letter, text),
            Sequence::Intermediate => self.sequence = Sequence::None,
            Sequence::Control(number) => self.in_control(letter, number, text),
            Sequence::String => match letter {
                '\u{1b}' => self.sequence = Sequence::StringEscape,
                '\u{7}' | '\u{18}' | '\u{1a}' => self.sequence = Sequence::None,
                _ => {}
            },
            Sequence::StringEscape => match letter {
                '\\' => self.sequence = Sequence::None,
                '\u{1b}' => {}
                _ => self.after_escape(letter, text),
            },
        }
    }

    fn outside(&mut self, letter: char, text: &mut String) {
        if letter == '\n' {
            self.returned = false;
            self.flush(text);
            text.push('\n');
            return;
        }
        if letter == '\r' {
            self.returned = true;
            return;
        }
        if self.returned && letter != '\u{1b}' {
            self.returned = false;
            self.move_to(|_| 0);
        }
        match letter {
            '\u{1b}' => self.sequence = Sequence::Escape,
            '\u{8}' => self.move_to(|cursor| cursor.saturating_sub(1)),
            '\0' => self.put('␀', text),
            '\t' => self.put('\t', text),
            _ if letter.is_control() => {}
            _ => self.put(letter, text),
        }
    }

    fn after_escape(&mut self, letter: char, text: &mut String) {
        self.sequence = match letter {
            '[' => Sequence::Control(0),
            ']' | 'P' | 'X' | '^' | '_' => Sequence::String,
            ' '..='/' => Sequence::Intermediate,
            '\u{1b}' => Sequence::Escape,
            _ if letter.is_control() => {
                self.sequence = Sequence::None;
                self.outside(letter, text);
                return;
            }
            _ => Sequence::None,
        };
    }

    fn in_control(&mut self, letter: char, number: u32, text: &mut String) {
        match letter {
            '0'..='9' => {
                let digit = letter.to_digit(10).unwrap_or(0);
                let number = number.saturating_mul(10).saturating_add(digit);
                self.sequence = Sequence::Control(number.min(PARAMETER));
            }
            ' '..='?' => {}
            '@'..='~' => {
                self.sequence = Sequence::None;
                if letter == 'K' {
                    self.erase(number);
                }
            }
            '\u{1b}' => self.sequence = Sequence::Escape,
            '\u{18}' | '\u{1a}' => self.sequence = Sequence::None,
            // A control character inside a sequence acts, and the sequence
            // goes on; a line feed is where people would see it end.
            '\n' => {
                self.sequence = Sequence::None;
                self.outside(letter, text);
            }
            _ if letter.is_control() => {}
            _ => self.sequence = Sequence::None,
        }
    }

    /// Erases in the line: to its end, from its start, or all of it.
    fn erase(&mut self, part: u32) {
        if self.returned {
            self.returned = false;
            self.move_to(|_| 0);
        }
        let (cells, cursor) = self.as_cells();
        match part {
            0 => cells.truncate(*cursor),
            1 => cells
                .iter_mut()
                .take(*cursor + 1)
                .for_each(|cell| *cell = ' '),
            _ => {
                cells.clear();
                cells.resize(*cursor, ' ');
            }
        }
    }

    fn move_to(&mut self, to: impl Fn(usize) -> usize) {
        let (_, cursor) = self.as_cells();
        *cursor = to(*cursor);
    }

    fn as_cells(&mut self) -> &mut (Vec<char>, usize) {
        let line = &mut self.line;
        self.cells.get_or_insert_with(|| {
            let cells: Vec<char> = line.chars().collect();
            line.clear();
            let cursor = cells.len();
            (cells, cursor)
        })
    }

    fn put(&mut self, letter: char, text: &mut String) {
        match &mut self.cells {
            None => {
                self.line.push(letter);
                self.limit(text);
            }
            Some((cells, cursor)) => {
                match cells.get_mut(*cursor) {
                    Some(cell) => *cell = letter,
                    None => cells.push(letter),
                }
                *cursor += 1;
                if cells.len() > LINE && *cursor == cells.len() {
                    self.flush(text);
                }
            }
        }
    }

    fn limit(&mut self, text: &mut String) {
        if self.line.len() > LINE {
            self.flush(text);
        }
    }

    fn flush(&mut self, text: &mut String) {
        text.push_str(&self.line);
        self.line.clear();
        if let Some((cells, _)) = self.cells.take() {
            text.extend(cells);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn clean(chunks: &[&[u8]]) -> String {
        let (mut cleaner, mut text) = (Cleaner::default(), String::new());
        for chunk in chunks {
            cleaner.push(chunk, &mut text);
        }
        cleaner.finish(&mut text);
        text
    }

    #[test]
    fn what_a_person_would_have_seen() {
        let cases: &[(&[u8], &str)] = &[
            (b"plain\n", "plain\n"),
            ("héllo 日本\n".as_bytes(), "héllo 日本\n"),
            (b"a\xff\xfeb\n", "a\u{fffd}\u{fffd}b\n"),
            (b"cut \xe2\x82", "cut \u{fffd}"),
            (b"a\0b", "a␀b"),
            (b"one\r\ntwo\r\n", "one\ntwo\n"),
            (b" 10%\r 20%\r100%\n", "100%\n"),
            (b"abcdef\rxy\n", "xycdef\n"),
            (b"abcdef\r\x1b[Kxy\n", "xy\n"),
            (b"abc\x1b[2K\rxy\n", "xy \n"),
            (b"abd\x08c\n", "abc\n"),
            (b"\x1b[?25l\x1b[31mred\x1b[0m\x1b]0;title\x07\n", "red\n"),
            (b"\x1bP1$r0m\x1b\\x\x1b(B\n", "x\n"),
            (b"bell\x07 del\x7f tab\tend\n", "bell del tab\tend\n"),
            (
                "c1 \u{85}\u{9b} nbsp\u{a0}é\n".as_bytes(),
                "c1  nbsp\u{a0}é\n",
            ),
            (b"open \x1b]0;never closed\n", "open "),
            (b"\x1b[3\nline\n", "\nline\n"),
            (b"last\r", "last"),
        ];
        for (bytes, wanted) in cases {
            assert_eq!(clean(&[bytes]), *wanted, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn an_endless_line_is_not_held() {
        let (mut cleaner, mut text) = (Cleaner::default(), String::new());
        for _ in 0..64 {
            cleaner.push(&[b'x'; 4096], &mut text);
        }
        assert!(cleaner.line.len() <= LINE);
        assert!(text.len() >= 64 * 4096 - LINE);
    }

    proptest! {
        #[test]
        fn chunks_make_no_difference(
            pieces in proptest::collection::vec(
                prop_oneof![
                    Just(b"\x1b[3".to_vec()), Just(b"1m".to_vec()), Just(b"\x1b]0;t".to_vec()),
                    Just(b"\x07".to_vec()), Just(b"\r".to_vec()), Just(b"\n".to_vec()),
                    Just(b"\x1b[K".to_vec()), Just("é".as_bytes().to_vec()), Just(b"\x08".to_vec()),
                    proptest::collection::vec(any::<u8>(), 0..8), Just(b"text".to_vec()),
                ],
                0..40,
            ),
            size in 1_usize..7,
        ) {
            let bytes: Vec<u8> = pieces.concat();
            let whole = clean(&[&bytes]);
            let chunks: Vec<&[u8]> = bytes.chunks(size).collect();
            prop_assert_eq!(&clean(&chunks), &whole);
            prop_assert!(!whole.chars().any(|letter| letter.is_control() && letter != '\n' && letter != '\t'));
        }
    }
}
