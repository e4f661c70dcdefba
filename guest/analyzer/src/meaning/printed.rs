//! Text that `echo` and `printf` print, where their words tell it.

use crate::expand::Field;

/// What the command prints, when it is `echo` or `printf` with literal words.
pub fn printed(fields: &[Field]) -> Option<String> {
    let words: Vec<&str> = fields
        .iter()
        .map(|field| field.value.as_deref().filter(|_| field.pattern.is_none()))
        .collect::<Option<_>>()?;
    match words.split_first()? {
        (&"echo", words) => echo(words),
        (&"printf", words) => printf(words),
        _ => None,
    }
}

fn echo(mut words: &[&str]) -> Option<String> {
    let (mut newline, mut escapes) = (true, false);
    while let Some((first, rest)) = words.split_first() {
        let letters = first
            .strip_prefix('-')
            .filter(|letters| !letters.is_empty());
        if !letters.is_some_and(|letters| {
            letters
                .chars()
                .all(|letter| matches!(letter, 'n' | 'e' | 'E'))
        }) {
            break;
        }
        for letter in first.chars() {
            match letter {
                'n' => newline = false,
                'e' => escapes = true,
                'E' => escapes = false,
                _ => {}
            }
        }
        words = rest;
    }
    let text = words.join(" ");
    let text = if escapes { unescape(&text)? } else { text };
    Some(if newline { text + "\n" } else { text })
}

fn printf(words: &[&str]) -> Option<String> {
    let words = match words.split_first()? {
        (&"--", rest) => rest,
        (first, _) if first.starts_with('-') => return None,
        _ => words,
    };
    let (format, words) = words.split_first()?;
    let format = unescape(format)?;
    let mut words = words.iter();
    let mut text = String::new();
    loop {
        let before = words.len();
        let mut rest = format.as_str();
        while let Some((plain, directive)) = rest.split_once('%') {
            text.push_str(plain);
            let letter = directive.chars().next()?;
            match letter {
                '%' => text.push('%'),
                's' => text.push_str(words.next().copied().unwrap_or_default()),
                'b' => text.push_str(&unescape(words.next().copied().unwrap_or_default())?),
                _ => return None,
            }
            rest = directive.get(letter.len_utf8()..)?;
        }
        text.push_str(rest);
        // The format is used again for further words.
        if words.len() == 0 || words.len() == before {
            return Some(text);
        }
        if text.len() > crate::limits::WORD_BYTES {
            return None;
        }
    }
}

/// Backslash escapes that mean the same to both; `None` for the others.
fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        out.push(match letters.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '\\' => '\\',
            _ => return None,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::printed;
    use crate::expand::Field;

    #[test]
    fn tells_what_is_printed() {
        let cases: &[(&[&str], Option<&str>)] = &[
            (&["echo", "touch M"], Some("touch M\n")),
            (&["echo", "-n", "a", "b"], Some("a b")),
            (&["echo", "-e", "a\\nb"], Some("a\nb\n")),
            (&["echo", "a\\nb"], Some("a\\nb\n")),
            (&["echo", "-e", "a\\x41"], None),
            (&["echo", "--", "a"], Some("-- a\n")),
            (&["printf", "touch M\\n"], Some("touch M\n")),
            (&["printf", "%s\\n", "a", "b"], Some("a\nb\n")),
            (&["printf", "x %s y %%", "a"], Some("x a y %")),
            (&["printf", "%d", "1"], None),
            (&["printf", "-v", "x", "y"], None),
            (&["cat", "f"], None),
        ];
        for (words, wanted) in cases {
            let fields: Vec<Field> = words.iter().map(|word| Field::known(word)).collect();
            assert_eq!(printed(&fields).as_deref(), *wanted, "{words:?}");
        }
    }
}
