//! The escapes of `$'…'`.

use std::borrow::Cow;

/// What `$'text'` stands for; None where that is no text (bytes above 127
/// that are no UTF-8). Like bash it ends at a NUL.
pub fn decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('\\') {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(rest.get(..at)?.as_bytes());
        let escape = rest.get(at + 1..)?;
        let used = push_escape(escape, &mut bytes);
        rest = escape.get(used..)?;
    }
    bytes.extend_from_slice(rest.as_bytes());
    if let Some(end) = bytes.iter().position(|byte| *byte == 0) {
        bytes.truncate(end);
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

/// Adds what the escape after a backslash stands for; gives its length.
fn push_escape(escape: &str, bytes: &mut Vec<u8>) -> usize {
    let Some(first) = escape.chars().next() else {
        bytes.push(b'\\');
        return 0;
    };
    let simple = match first {
        'a' => 7,
        'b' => 8,
        'e' | 'E' => 27,
        'f' => 12,
        'n' => 10,
        'r' => 13,
        't' => 9,
        'v' => 11,
        '\\' | '\'' | '"' | '?' => u8::try_from(first).unwrap_or(b'\\'),
        '0'..='7' => return push_number(escape, 0, 8, 3, bytes),
        'x' => return push_number(escape, 1, 16, 2, bytes),
        'u' => return push_character(escape, 4, bytes),
        'U' => return push_character(escape, 8, bytes),
        'c' => return push_control(escape, bytes),
        _ => {
            bytes.push(b'\\');
            let mut buffer = [0; 4];
            bytes.extend_from_slice(first.encode_utf8(&mut buffer).as_bytes());
            return first.len_utf8();
        }
    };
    bytes.push(simple);
    1
}

fn digits(text: &str, radix: u32, most: usize) -> (&str, u32) {
    let length = text
        .chars()
        .take(most)
        .take_while(|digit| digit.is_digit(radix))
        .count();
    let digits = text.get(..length).unwrap_or_default();
    (digits, u32::from_str_radix(digits, radix).unwrap_or(0))
}

fn push_number(escape: &str, skip: usize, radix: u32, most: usize, bytes: &mut Vec<u8>) -> usize {
    let (text, number) = digits(escape.get(skip..).unwrap_or_default(), radix, most);
    if text.is_empty() {
        bytes.extend_from_slice(b"\\x");
        return skip;
    }
    bytes.push((number & 0xff) as u8);
    skip + text.len()
}

fn push_character(escape: &str, most: usize, bytes: &mut Vec<u8>) -> usize {
    let (text, number) = digits(escape.get(1..).unwrap_or_default(), 16, most);
    match char::from_u32(number) {
        Some(character) if !text.is_empty() => {
            let mut buffer = [0; 4];
            bytes.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
        }
        // No text at all: the caller says so.
        _ => bytes.push(0xff),
    }
    1 + text.len()
}

fn push_control(escape: &str, bytes: &mut Vec<u8>) -> usize {
    match escape.as_bytes().get(1).copied() {
        Some(byte) if byte.is_ascii() => {
            bytes.push(byte.to_ascii_uppercase() & 0x1f);
            2
        }
        _ => {
            bytes.push(0xff);
            1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn decodes_as_bash_does() {
        let cases = [
            ("plain", Some("plain")),
            ("tou\\x63h", Some("touch")),
            ("\\u0074ouch", Some("touch")),
            ("\\164", Some("t")),
            ("a\\tb\\n", Some("a\tb\n")),
            ("\\x2e\\x2e/OUT", Some("../OUT")),
            ("it\\'s", Some("it's")),
            ("a\\0b", Some("a")),
            ("\\q", Some("\\q")),
            ("\\xff", None),
            ("\\xc3\\xa9", Some("é")),
        ];
        for (text, wanted) in cases {
            assert_eq!(decode(text).as_deref(), wanted, "{text}");
        }
    }
}
