//! Patterns of one program in the words of another: basic regular expressions
//! as extended ones, fixed text as an expression, expressions over file names
//! as globs. What cannot be said the same is not said.

/// What means something in the expressions of the search tool.
const SPECIAL: &str = "\\.+*?()|[]{}^$";

/// An expression that fits exactly this text.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if SPECIAL.contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// A basic regular expression of `grep` as an extended one; None for what has
/// no counterpart, such as back-references.
pub fn extended(basic: &str) -> Option<String> {
    let mut out = String::with_capacity(basic.len());
    let mut characters = basic.chars().peekable();
    // Where `*` and `^` stand for what they do at the start of an expression.
    let mut start = true;
    while let Some(character) = characters.next() {
        let was_start = std::mem::replace(&mut start, false);
        match character {
            '\\' => match characters.next()? {
                open @ ('(' | '|') => {
                    out.push(open);
                    start = true;
                }
                operator @ (')' | '{' | '}' | '+' | '?') => out.push(operator),
                escaped => push_escape(&mut out, escaped)?,
            },
            '[' => push_bracket(&mut out, &mut characters)?,
            '(' | ')' | '{' | '}' | '|' | '+' | '?' => {
                out.push('\\');
                out.push(character);
            }
            '*' if was_start => out.push_str("\\*"),
            '^' if was_start => {
                out.push('^');
                start = true;
            }
            '^' => out.push_str("\\^"),
            '$' if !ends(&mut characters.clone()) => out.push_str("\\$"),
            other => out.push(other),
        }
    }
    Some(out)
}

/// An extended regular expression as the search tool reads it.
pub fn portable(extended: &str) -> Option<String> {
    let mut out = String::with_capacity(extended.len());
    let mut characters = extended.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => push_escape(&mut out, characters.next()?)?,
            '[' => push_bracket(&mut out, &mut characters)?,
            '{' if !characters.peek().is_some_and(char::is_ascii_digit) => out.push_str("\\{"),
            // Groups that look around or capture by other rules.
            '(' if characters.peek() == Some(&'?') => {
                let mut ahead = characters.clone();
                ahead.next();
                if ahead.next() != Some(':') {
                    return None;
                }
                out.push('(');
            }
            other => out.push(other),
        }
    }
    Some(out)
}

/// Whether a `$` before these characters ends the expression.
fn ends(rest: &mut (impl Iterator<Item = char> + Clone)) -> bool {
    match rest.next() {
        None => true,
        Some('\\') => matches!(rest.next(), Some(')' | '|')),
        Some(_) => false,
    }
}

fn push_escape(out: &mut String, escaped: char) -> Option<()> {
    match escaped {
        '<' | '>' => out.push_str("\\b"),
        'b' | 'B' | 'w' | 'W' | 's' | 'S' | 'd' | 'D' | 't' | 'n' => {
            out.push('\\');
            out.push(escaped);
        }
        special if SPECIAL.contains(special) => {
            out.push('\\');
            out.push(special);
        }
        other if other.is_alphanumeric() || other.is_control() => return None,
        other => out.push(other),
    }
    Some(())
}

/// Copies a bracket expression; a backslash in it is one.
fn push_bracket(
    out: &mut String,
    characters: &mut std::iter::Peekable<std::str::Chars<'_>>,
) -> Option<()> {
    out.push('[');
    if characters.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    if characters.next_if_eq(&']').is_some() {
        out.push_str("\\]");
    }
    loop {
        match characters.next()? {
            ']' => {
                out.push(']');
                return Some(());
            }
            '\\' => out.push_str("\\\\"),
            '[' => match characters.peek() {
                Some(':') => {
                    out.push('[');
                    loop {
                        let character = characters.next()?;
                        out.push(character);
                        if character == ']' {
                            break;
                        }
                    }
                }
                Some('.' | '=') => return None,
                _ => out.push_str("\\["),
            },
            // Set operations in some engines.
            operator @ ('&' | '~') => {
                out.push('\\');
                out.push(operator);
            }
            other => out.push(other),
        }
    }
}

/// A glob that fits the names an expression is found in: plain text, `.*`,
/// and anchors; None for more.
pub fn name_glob(expression: &str) -> Option<String> {
    let (anchored, rest) = match expression.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, expression),
    };
    let mut glob = String::new();
    if !anchored {
        glob.push('*');
    }
    let mut characters = rest.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '$' if characters.peek().is_none() => return Some(glob),
            '.' => {
                characters.next_if_eq(&'*')?;
                push_star(&mut glob);
            }
            '\\' => push_plain(
                &mut glob,
                characters.next().filter(|c| !c.is_alphanumeric())?,
            )?,
            special if SPECIAL.contains(special) => return None,
            plain => push_plain(&mut glob, plain)?,
        }
    }
    push_star(&mut glob);
    Some(glob)
}

fn push_star(glob: &mut String) {
    if !glob.ends_with('*') {
        glob.push('*');
    }
}

/// Adds what means itself in a glob and may stand in a name.
fn push_plain(glob: &mut String, plain: char) -> Option<()> {
    (!"*?[]{}\\/!".contains(plain) && !plain.is_control()).then(|| glob.push(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_becomes_extended() {
        let cases = [
            ("plain", Some("plain")),
            ("a.b*", Some("a.b*")),
            ("f(x)", Some("f\\(x\\)")),
            (r"\(a\|b\)\+", Some("(a|b)+")),
            ("a{2}", Some("a\\{2\\}")),
            (r"a\{2,3\}", Some("a{2,3}")),
            ("*a", Some("\\*a")),
            (r"^*a\|^b$", Some("^\\*a|^b$")),
            ("a^b$c", Some("a\\^b\\$c")),
            (r"\<word\>", Some(r"\bword\b")),
            (r"[\.[:alpha:]&]x", Some(r"[\\.[:alpha:]\&]x")),
            ("[]a]", Some("[\\]a]")),
            ("[^]a[]", Some("[^\\]a\\[]")),
            (r"a\/b", Some("a/b")),
            (r"\(a\)\1", None),
            ("[[.a.]]", None),
            ("[a", None),
            ("a\\", None),
        ];
        for (basic, expected) in cases {
            assert_eq!(extended(basic).as_deref(), expected, "{basic}");
        }
    }

    #[test]
    fn extended_becomes_portable() {
        let cases = [
            ("a|b+", Some("a|b+")),
            ("x{2}", Some("x{2}")),
            ("fn main() {", Some("fn main() \\{")),
            ("(?:a)", Some("(?:a)")),
            ("(?=a)", None),
            (r"(a)\1", None),
            (r"\bfoo\(", Some(r"\bfoo\(")),
        ];
        for (extended, expected) in cases {
            assert_eq!(portable(extended).as_deref(), expected, "{extended}");
        }
        assert_eq!(escaped("a.b[0]"), "a\\.b\\[0\\]");
    }

    #[test]
    fn plain_names_become_globs() {
        let cases = [
            ("main", Some("*main*")),
            ("^main", Some("main*")),
            (r"\.rs$", Some("*.rs")),
            (r"^a.*b$", Some("a*b")),
            (".*x", Some("*x*")),
            ("", Some("*")),
            ("a.b", None),
            ("(a|b)", None),
            (r"\d", None),
            ("a/b", None),
        ];
        for (expression, expected) in cases {
            assert_eq!(name_glob(expression).as_deref(), expected, "{expression}");
        }
    }
}
