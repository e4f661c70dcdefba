//! Names in expressions. Bash evaluates the value of a variable that an
//! expression names, as an expression again; a subscript in it may hold a
//! command. This finds the names, and which of them the expression sets.

/// A variable that an expression names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name<'t> {
    /// Its name.
    pub text: &'t str,
    /// The expression gives it a value.
    pub set: bool,
    /// The expression looks at its value.
    pub read: bool,
    /// It is followed by a subscript.
    pub element: bool,
}

/// The variables that `text` names.
pub fn names(text: &str) -> Vec<Name<'_>> {
    let bytes = text.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let mut names = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let first = byte(at);
        if first.is_ascii_digit() {
            // A number, with its base: `0x1f`, `16#ff`.
            while byte(at).is_ascii_alphanumeric() || matches!(byte(at), b'#' | b'@' | b'_') {
                at += 1;
            }
        } else if first.is_ascii_alphabetic() || first == b'_' {
            let start = at;
            while byte(at).is_ascii_alphanumeric() || byte(at) == b'_' {
                at += 1;
            }
            let (set, read) = usage(text, start, at);
            names.push(Name {
                text: text.get(start..at).unwrap_or_default(),
                set,
                read,
                element: byte(at) == b'[',
            });
        } else {
            at += 1;
        }
    }
    names
}

/// Whether the name at `start..end` is given a value, and whether its value is
/// looked at: `=` alone does not.
fn usage(text: &str, start: usize, end: usize) -> (bool, bool) {
    let before = text.get(..start).unwrap_or_default().trim_end();
    let after = text.get(end..).unwrap_or_default();
    // `a[i] = 1` sets `a`.
    let after = match after
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
    {
        Some((_, rest)) => rest,
        None => after,
    };
    let after = after.trim_start();
    let changes = [
        "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "++", "--",
    ];
    let changed = before.ends_with("++")
        || before.ends_with("--")
        || changes.iter().any(|operator| after.starts_with(operator));
    let given = after.starts_with('=') && !after.starts_with("==");
    (changed || given, changed || !given)
}

/// Whether text that is evaluated as an expression could run a command.
pub fn could_run(text: &str) -> bool {
    text.contains(['$', '`'])
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn finds_names_and_what_is_set() {
        let found = |text| {
            let written = names(text)
                .iter()
                .map(|name| format!("{}{}", name.text, if name.set { "=" } else { "" }))
                .collect::<Vec<_>>();
            written.join(" ")
        };
        assert_eq!(found("2*3"), "");
        assert_eq!(found("i + 1"), "i");
        assert_eq!(found("i++"), "i=");
        assert_eq!(found("x = 1 << 2"), "x=");
        assert_eq!(found("x == y"), "x y");
        assert_eq!(found("a[i] += 0x1f + 16#ff"), "a= i");
        assert_eq!(found("--n > m"), "n= m");
    }
}
