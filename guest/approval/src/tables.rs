//! The data of `data/*.toml` as static tables, and how to find a row. Holds no
//! judgement: what a row means is for `safe`, `danger` and `offer`.

/// What operands a safe form may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    Any,
    None,
    /// Each begins with `+`.
    Plus,
}

/// A command that only looks, and the words that end that.
#[derive(Debug)]
pub struct Form {
    /// Program and subcommand words, joined by blanks.
    pub key: &'static str,
    /// Options that end safety.
    pub ends: &'static [&'static str],
    /// Operands that end safety.
    pub denied: &'static [&'static str],
    /// At least one of these options must stand there.
    pub requires: &'static [&'static str],
    /// Options that make any operands fine.
    pub listing: &'static [&'static str],
    /// Options whose argument may be the next word.
    pub valued: &'static [&'static str],
    /// Short options whose argument sits in the same word.
    pub attached: &'static [&'static str],
    /// Options are whole words, never clusters.
    pub dashed: bool,
    pub operands: Operands,
}

/// Options before a subcommand that change neither configuration nor program.
#[derive(Debug)]
pub struct Globals {
    pub program: &'static str,
    pub flags: &'static [&'static str],
    pub valued: &'static [&'static str],
}

/// Evidence of danger in a command's words.
#[derive(Debug)]
pub struct Danger {
    pub key: &'static str,
    pub options: &'static [&'static str],
    pub operands: &'static [&'static str],
    pub dashed: bool,
    pub reason: &'static str,
}

/// Programs whose name is the evidence.
#[derive(Debug)]
pub struct NamedDanger {
    pub names: &'static [&'static str],
    pub prefixes: &'static [&'static str],
    pub reason: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

/// The most words that a key of any table has.
pub const LONGEST_KEY: usize = 4;

/// The row with the longest key that begins `words`, and the key's length.
pub fn longest<'t, T>(
    table: &'t [T],
    key: impl Fn(&T) -> &str,
    words: &[&str],
) -> Option<(&'t T, usize)> {
    let mut joined = words.get(..words.len().min(LONGEST_KEY))?.join(" ");
    let mut length = words.len().min(LONGEST_KEY);
    while length > 0 {
        if let Ok(at) = table.binary_search_by(|row| key(row).cmp(joined.as_str())) {
            return table.get(at).map(|row| (row, length));
        }
        length -= 1;
        joined = words.get(..length)?.join(" ");
    }
    None
}

/// Whether a sorted list of names holds this one.
pub fn holds(names: &[&str], name: &str) -> bool {
    names.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arity_table_is_as_large_as_promised_and_sane() {
        assert!(ARITY.len() >= 150, "{}", ARITY.len());
        for (key, count) in ARITY {
            let words = key.split(' ').count();
            assert!(
                words <= usize::from(*count),
                "{key}: {count} is less than its words"
            );
            assert!(!holds(NEVER_OFFERED, key), "{key} is offered and is not");
            assert!(
                !holds(OFFERED_EXACTLY, key),
                "{key} has an arity and is exact"
            );
        }
    }

    #[test]
    fn the_longest_key_wins() {
        let found =
            longest(ARITY, |row| row.0, &["npm", "run", "build"]).map(|(row, n)| (row.1, n));
        assert_eq!(found, Some((3, 2)));
        let found = longest(ARITY, |row| row.0, &["nosuch"]);
        assert!(found.is_none());
    }
}
