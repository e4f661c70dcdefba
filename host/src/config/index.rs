//! Where each key and each text of one TOML document stands. Knows TOML, and no
//! key of bashgate.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

/// The lines of a text.
#[derive(Debug, Clone)]
pub(super) struct Lines(Vec<usize>);

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    /// The line of a byte, from 1.
    pub(super) fn at(&self, byte: usize) -> usize {
        self.0.partition_point(|newline| *newline < byte) + 1
    }
}

/// One key, or one element of a list.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// Dotted, with the position in each list: `plugin[0].limits.wall_ms`.
    pub(super) key: String,
    /// Of the key itself; of the value in a list.
    pub(super) at: Range<usize>,
    /// Of the value; of the header for a table that has one.
    value: Range<usize>,
    /// The value, where it is a text.
    text: Option<String>,
}

impl Entry {
    /// Whether a message quotes this text.
    pub(super) fn quoted_by(&self, message: &str) -> bool {
        self.text.as_deref().is_some_and(|text| {
            [
                format!("{text:?}"),
                format!("\"{text}\""),
                format!("`{text}`"),
            ]
            .iter()
            .any(|quoted| message.contains(quoted.as_str()))
        })
    }

    /// Whether a message holds this text as words of its own, without quotes.
    pub(super) fn stands_alone_in(&self, message: &str) -> bool {
        let Some(text) = self.text.as_deref().filter(|text| !text.is_empty()) else {
            return false;
        };
        message.match_indices(text).any(|(start, _)| {
            let (before, from) = message.split_at(start);
            let after = from.strip_prefix(text).unwrap_or_default();
            !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
        })
    }

    /// Whether the value is exactly that text.
    pub(super) fn is_text(&self, text: &str) -> bool {
        self.text.as_deref() == Some(text)
    }

    /// Whether this is that key, or lies below it; positions do not count.
    pub(super) fn belongs_to(&self, key: &str) -> bool {
        let own = without_position(&self.key);
        match own.strip_prefix(key) {
            Some(below) => below.is_empty() || below.starts_with('.'),
            None => false,
        }
    }

    /// The length of the text, in bytes.
    pub(super) fn length(&self) -> usize {
        self.text.as_ref().map_or(0, String::len)
    }
}

/// All keys and list elements of a document, in its order.
#[derive(Debug, Clone, Default)]
pub(super) struct Index(Vec<Entry>);

impl Index {
    pub(super) fn of(document: &DeTable<'_>) -> Self {
        let mut index = Self::default();
        index.table("", document);
        index.0.sort_by_key(|entry| entry.at.start);
        index
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter()
    }

    /// The last entry of exactly that key, whether or not it says positions.
    pub(super) fn find(&self, key: &str) -> Option<&Entry> {
        self.0
            .iter()
            .rfind(|entry| entry.key == key || without_position(&entry.key) == key)
    }

    /// The innermost entry that a part of the document belongs to.
    pub(super) fn around(&self, part: &Range<usize>) -> Option<&Entry> {
        let within = |range: &Range<usize>| range.start <= part.start && part.end <= range.end;
        self.0
            .iter()
            .filter(|entry| within(&entry.at) || within(&entry.value))
            .min_by_key(|entry| {
                let holder = if within(&entry.at) {
                    &entry.at
                } else {
                    &entry.value
                };
                // Of two as narrow, the one that is deeper.
                (holder.len(), std::cmp::Reverse(entry.key.len()))
            })
    }

    fn table(&mut self, prefix: &str, table: &DeTable<'_>) {
        for (name, value) in table {
            let name_text = quoted_if_needed(name.get_ref());
            let key = if prefix.is_empty() {
                name_text
            } else {
                format!("{prefix}.{name_text}")
            };
            self.value(key, name.span(), value.span(), value.get_ref());
        }
    }

    fn value(&mut self, key: String, at: Range<usize>, span: Range<usize>, value: &DeValue<'_>) {
        match value {
            DeValue::Table(table) => self.table(&key, table),
            DeValue::Array(elements) => {
                for (position, element) in elements.iter().enumerate() {
                    let key = format!("{key}[{position}]");
                    self.value(key, element.span(), element.span(), element.get_ref());
                }
            }
            DeValue::String(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_) => {}
        }
        self.0.push(Entry {
            key,
            at,
            value: span,
            text: value.as_str().map(str::to_owned),
        });
    }
}

/// One part of a dotted key, as TOML wants it.
pub(crate) fn quoted_if_needed(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.is_empty() && name.chars().all(bare) {
        name.to_owned()
    } else {
        format!("{name:?}")
    }
}

/// A key without the positions in lists: `rules.deny[1]` is `rules.deny`.
pub(super) fn without_position(key: &str) -> String {
    let mut bare = String::with_capacity(key.len());
    let mut rest = key;
    while let Some((before, after)) = rest.split_once('[') {
        bare.push_str(before);
        match after.split_once(']') {
            Some((position, after)) if position.bytes().all(|b| b.is_ascii_digit()) => {
                rest = after;
            }
            _ => {
                bare.push('[');
                rest = after;
            }
        }
    }
    bare.push_str(rest);
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_with_and_without_position() {
        let text = "a = 1\n[b]\nc = ['x', 'y']\n[[d]]\ne.f = 'z'\n[[d]]\n\"g h\" = { i = 2 }\n";
        let document = DeTable::parse(text).unwrap();
        let (index, lines) = (Index::of(document.get_ref()), Lines::of(text));
        for (key, line) in [
            ("a", 1),
            ("b", 2),
            ("b.c", 3),
            ("b.c[0]", 3),
            ("d[0]", 4),
            ("d", 6),
            ("d[0].e.f", 5),
            ("d.e.f", 5),
            ("d[1].\"g h\".i", 7),
        ] {
            let entry = index.find(key);
            assert_eq!(entry.map(|it| lines.at(it.at.start)), Some(line), "{key}");
        }
        assert!(index.find("c").is_none());
    }

    #[test]
    fn positions_are_dropped_and_other_brackets_kept() {
        for (key, bare) in [
            ("a", "a"),
            ("a[0].b[12]", "a.b"),
            ("a.\"[x]\"", "a.\"[x]\""),
            ("a[", "a["),
        ] {
            assert_eq!(without_position(key), bare);
        }
    }
}
