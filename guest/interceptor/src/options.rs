//! Tells a command's options from its operands, by a table of those options
//! that the ready arguments can do without or express. Anything else ends the
//! reading, and the command is left alone.

use bashgate_guest::policy::Word;

use crate::command::literal;

/// The options of one program that are understood.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// Letters without a value.
    pub flags: &'static str,
    /// Letters with a value, in the same word or the next.
    pub values: &'static str,
    /// Letters whose value, if any, is the rest of the word.
    pub attached: &'static str,
    /// Long names without a value, or with an optional one after `=`.
    pub long_flags: &'static [&'static str],
    /// Long names with a value, after `=` or in the next word.
    pub long_values: &'static [&'static str],
}

impl Known {
    /// No option at all.
    pub const NONE: Self = Self {
        flags: "",
        values: "",
        attached: "",
        long_flags: &[],
        long_values: &[],
    };
}

/// A command's words after the program, told apart.
#[derive(Debug, Default)]
pub struct Arguments<'a> {
    /// Name without dashes, and value.
    options: Vec<(&'a str, Option<&'a str>)>,
    /// The rest, in order.
    pub operands: Vec<&'a Word>,
}

impl<'a> Arguments<'a> {
    /// Whether one of these options is set.
    pub fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(name))
    }

    /// The value of the last of these options.
    pub fn value(&self, names: &[&str]) -> Option<&'a str> {
        self.values(names).last()
    }

    /// The values of these options.
    pub fn values(&self, names: &[&str]) -> impl Iterator<Item = &'a str> {
        self.options
            .iter()
            .filter(move |(name, _)| names.contains(name))
            .filter_map(|&(_, value)| value)
    }

    /// The number that options like `-20` spell.
    pub fn digits(&self) -> Option<String> {
        let is_digit = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
        let digits = self
            .options
            .iter()
            .map(|&(name, _)| name)
            .filter(|name| is_digit(name));
        let number: String = digits.collect();
        (!number.is_empty()).then_some(number)
    }

    /// The only operand.
    pub fn one(&self) -> Option<&'a Word> {
        match self.operands[..] {
            [word] => Some(word),
            _ => None,
        }
    }
}

/// Reads `words`; None where an option is not in the table or a word that may
/// be one is not literal.
pub fn read<'a>(words: &'a [Word], known: &Known) -> Option<Arguments<'a>> {
    let mut read = Arguments::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        // What only running can tell may be an option.
        let text = word.value.as_deref()?;
        if text == "--" {
            read.operands.extend(words.by_ref());
        } else if let Some(long) = text.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            if known.long_flags.contains(&name) {
                read.options.push((name, value));
            } else if known.long_values.contains(&name) {
                let value = match value {
                    Some(value) => value,
                    None => literal(words.next()?)?,
                };
                read.options.push((name, Some(value)));
            } else {
                return None;
            }
        } else if text.len() > 1 && text.starts_with('-') {
            cluster(text.get(1..)?, known, &mut read, &mut words)?;
        } else {
            read.operands.push(word);
        }
    }
    Some(read)
}

/// Reads a word of short options.
fn cluster<'a>(
    letters: &'a str,
    known: &Known,
    read: &mut Arguments<'a>,
    words: &mut std::slice::Iter<'a, Word>,
) -> Option<()> {
    for (at, letter) in letters.char_indices() {
        let after = at + letter.len_utf8();
        let name = letters.get(at..after)?;
        let rest = letters.get(after..)?;
        if known.flags.contains(letter) {
            read.options.push((name, None));
        } else if known.values.contains(letter) {
            let value = match rest {
                "" => literal(words.next()?)?,
                rest => rest,
            };
            read.options.push((name, Some(value)));
            return Some(());
        } else if known.attached.contains(letter) {
            read.options.push((name, Some(rest)));
            return Some(());
        } else {
            return None;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::words;

    const KNOWN: Known = Known {
        flags: "nv",
        values: "e",
        attached: "i",
        long_flags: &["quiet", "color"],
        long_values: &["file"],
    };

    #[test]
    fn options_and_operands_are_told_apart() {
        let words = words("-nv -e x -ey -i.bak a --color=auto --file=f --file g -- -z");
        let read = read(&words, &KNOWN).unwrap();
        assert!(read.has(&["n"]) && read.has(&["v"]) && read.has(&["color"]) && !read.has(&["q"]));
        assert_eq!(read.values(&["e"]).collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(read.value(&["i"]), Some(".bak"));
        assert_eq!(read.value(&["file"]), Some("g"));
        let operands: Vec<_> = read
            .operands
            .iter()
            .map(|word| word.text.as_str())
            .collect();
        assert_eq!(operands, ["a", "-z"]);
    }

    #[test]
    fn what_is_not_in_the_table_ends_the_reading() {
        for text in [
            "-x", "-nx", "--loud", "-e", "--file", "-é", "$x", "a $x", "-e *",
        ] {
            assert!(read(&words(text), &KNOWN).is_none(), "{text}");
        }
    }
}
