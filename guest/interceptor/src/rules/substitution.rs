//! Reads `s/old/new/` and `s/old/new/g` where both sides are literal text.

use crate::replacement::Exchange;

/// Whose substitution it is: they differ in what is special.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    Basic,
    Extended,
    Perl,
}

impl Syntax {
    /// What is no literal text on the left, unless escaped.
    fn special(self) -> &'static str {
        match self {
            Self::Basic => ".*[]^$",
            Self::Extended => "+?(){}|.*[]^$",
            Self::Perl => "+?(){}|.*[]^$@",
        }
    }

    /// What is no literal text on the right, unless escaped.
    fn inserted(self) -> &'static str {
        match self {
            Self::Basic | Self::Extended => "&",
            Self::Perl => "$@",
        }
    }
}

/// The exchange that a script is, if it is nothing else.
pub fn read(script: &str, syntax: Syntax) -> Option<Exchange> {
    let script = script.trim().trim_end_matches(';');
    let rest = script.strip_prefix('s')?;
    let delimiter = rest.chars().next()?;
    let plain = delimiter.is_ascii_punctuation() && !matches!(delimiter, '\\' | '\'' | '?');
    // In Perl brackets come in pairs and `#` may be a comment.
    if !plain || (syntax == Syntax::Perl && "({[<#".contains(delimiter)) {
        return None;
    }
    let rest = rest.get(delimiter.len_utf8()..)?;
    let (old, rest) = part(rest, delimiter)?;
    let (new, flags) = part(rest, delimiter)?;
    let replace_all = match flags {
        "" => false,
        "g" => true,
        _ => return None,
    };
    let old_text = unescaped(old, delimiter, syntax.special(), syntax)?;
    if old_text.is_empty() || old_text.contains('\n') {
        return None;
    }
    Some(Exchange {
        old_text,
        new_text: unescaped(new, delimiter, syntax.inserted(), syntax)?,
        replace_all,
    })
}

/// The text up to the delimiter, and what follows it.
fn part(text: &str, delimiter: char) -> Option<(&str, &str)> {
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        if character == '\\' {
            characters.next()?;
        } else if character == delimiter {
            return Some((text.get(..at)?, text.get(at + delimiter.len_utf8()..)?));
        }
    }
    None
}

/// The literal text of a part; None where it is more than text.
fn unescaped(part: &str, delimiter: char, special: &str, syntax: Syntax) -> Option<String> {
    let mut text = String::with_capacity(part.len());
    let mut characters = part.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next()? {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                // What an escaped special delimiter means differs by program.
                escaped if escaped == delimiter && special.contains(escaped) => return None,
                // An escape makes these operators in basic expressions.
                '+' | '?' | '(' | ')' | '{' | '}' | '|' if syntax == Syntax::Basic => return None,
                escaped if escaped.is_ascii_punctuation() && !"<>`'".contains(escaped) => {
                    text.push(escaped);
                }
                _ => return None,
            },
            other if special.contains(other) => return None,
            other => text.push(other),
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_exchanges_are_read() {
        let cases = [
            ("s/a/b/", Syntax::Basic, "a", "b", false),
            ("s/a/b/g;", Syntax::Basic, "a", "b", true),
            ("s|/usr|/opt|g", Syntax::Basic, "/usr", "/opt", true),
            (r"s/a\/b/c\/d/", Syntax::Basic, "a/b", "c/d", false),
            (r"s/1\.2/1.3/", Syntax::Basic, "1.2", "1.3", false),
            ("s/f(x)/g(x)/", Syntax::Basic, "f(x)", "g(x)", false),
            (r"s/f\(x\)/&&/", Syntax::Perl, "f(x)", "&&", false),
            (r"s/a/\&b\n/", Syntax::Extended, "a", "&b\n", false),
            ("s/a//", Syntax::Basic, "a", "", false),
        ];
        for (script, syntax, old, new, all) in cases {
            let exchange = read(script, syntax).unwrap_or_else(|| panic!("{script}"));
            assert_eq!(
                (
                    exchange.old_text.as_str(),
                    exchange.new_text.as_str(),
                    exchange.replace_all
                ),
                (old, new, all),
                "{script}"
            );
        }
    }

    #[test]
    fn anything_more_is_not() {
        for script in [
            "s/a.b/c/",
            "s/^a/b/",
            "s/a/&b/",
            r"s/\(a\)/\1/",
            "s/a/b/i",
            "s/a/b/2",
            "1s/a/b/",
            "s/a/b/;s/c/d/",
            "/a/d",
            "s/a/b",
            "s//b/",
            "s",
            "",
            r"s/a\nb/c/",
            r"s.a\.b.c.",
        ] {
            assert_eq!(read(script, Syntax::Basic), None, "{script}");
        }
        for script in ["s/f(x)/y/", "s/a+/b/", r"s/\w/b/"] {
            assert_eq!(read(script, Syntax::Extended), None, "{script}");
        }
        for script in ["s/a/$b/", "s/a/b@c/", "s{a}{b}", "s/a/b/e"] {
            assert_eq!(read(script, Syntax::Perl), None, "{script}");
        }
    }
}
