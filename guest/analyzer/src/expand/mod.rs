//! From the pieces of a word, each evaluated, to the words that a command
//! gets: braces, tildes, splitting, patterns. It evaluates nothing itself.

mod brace;
pub mod pattern;

use std::borrow::Cow;
use std::rc::Rc;

use crate::limits;

/// A piece of a word after its expansions are evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<'t> {
    /// Unquoted text as written: braces, tildes and patterns count.
    Active(Cow<'t, str>),
    /// Text that stands for itself.
    Fixed(Cow<'t, str>),
    /// One of these texts.
    Choice(Rc<[String]>),
    /// What only running can tell.
    Unknown {
        /// Digits, whatever they are.
        number: bool,
        /// It may become several words, or none.
        splits: bool,
    },
    /// A word ends, another begins (`"${a[@]}"`).
    Break,
}

/// A word as a command gets it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// Its text; `None` when only running can tell.
    pub value: Option<String>,
    /// What it begins with at least, when the value is unknown.
    pub prefix: String,
    /// All texts it may be, where they are few and the value is unknown.
    pub choices: Vec<String>,
    /// The pattern, when unquoted pattern characters are in it.
    pub pattern: Option<String>,
    /// Digits, whatever they are.
    pub number: bool,
    /// What follows the prefix is digits, whatever they are.
    pub tail_is_number: bool,
    /// It may become several words, or none.
    pub splits: bool,
}

impl Field {
    /// A word of known text.
    pub fn known(text: &str) -> Self {
        Self {
            value: Some(text.to_owned()),
            ..Self::default()
        }
    }

    /// Whether the word is certain not to be an option.
    pub fn is_no_option(&self) -> bool {
        match &self.value {
            Some(value) => !value.starts_with('-'),
            None if !self.choices.is_empty() => {
                self.choices.iter().all(|choice| !choice.starts_with('-'))
            }
            None => !self.prefix.is_empty() && !self.prefix.starts_with('-'),
        }
    }
}

/// Where `~` leads.
pub trait Tildes {
    /// The directory for the text between `~` and the first slash; `None` when
    /// only running can tell.
    fn tilde(&self, user: &str) -> Option<String>;
}

/// How a word is used, which says what is expanded in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// An argument: braces, tilde, splitting, patterns.
    Argument,
    /// The target of a redirect: one word.
    Target,
    /// The value of an assignment: tildes after `:` too, no splitting.
    Assigned,
    /// A pattern or text that is compared: nothing but tildes.
    Compared,
}

/// The words that the pieces of one word become.
pub fn fields(pieces: Vec<Piece<'_>>, usage: Use, tildes: &dyn Tildes) -> Vec<Field> {
    let braces = usage == Use::Argument
        && pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Active(text) if text.contains('{')));
    if !braces {
        return separate(&pieces, usage, tildes);
    }
    match brace::expand(&pieces) {
        Some(words) => words
            .into_iter()
            .flat_map(|word| separate(&word, usage, tildes))
            .collect(),
        // Too many to list.
        None => vec![Field {
            splits: true,
            ..Field::default()
        }],
    }
}

/// Words at their breaks; what is empty and unquoted is none.
fn separate(pieces: &[Piece<'_>], usage: Use, tildes: &dyn Tildes) -> Vec<Field> {
    pieces
        .split(|piece| *piece == Piece::Break)
        .filter_map(|word| field(word, usage, tildes))
        .collect()
}

/// Text under construction: known so far, then perhaps no more.
struct Build {
    texts: Vec<String>,
    prefix: Option<String>,
    pattern: String,
    is_pattern: bool,
    unknown: bool,
    only_numbers: bool,
    unknown_numbers: bool,
    splits: bool,
}

impl Build {
    fn push(&mut self, text: &str) {
        if self
            .texts
            .iter()
            .any(|known| known.len() + text.len() > limits::WORD_BYTES)
        {
            self.forget(false, false);
        }
        if self.unknown {
            self.unknown_numbers &= text.bytes().all(|byte| byte.is_ascii_digit());
            return;
        }
        for known in &mut self.texts {
            known.push_str(text);
        }
    }

    /// From here on only running can tell.
    fn forget(&mut self, number: bool, splits: bool) {
        if self.prefix.is_none() {
            let prefix = match self.texts.as_slice() {
                [one] => one.clone(),
                _ => String::new(),
            };
            self.prefix = Some(prefix);
        }
        self.unknown = true;
        self.only_numbers &= number;
        self.unknown_numbers &= number;
        self.splits |= splits;
    }

    fn choose(&mut self, choices: &[String]) {
        if self.prefix.is_none()
            && let [one] = self.texts.as_slice()
        {
            self.prefix = Some(one.clone());
        }
        if self.texts.len() * choices.len() > 64 {
            self.forget(false, false);
        } else if !self.unknown {
            self.texts = self
                .texts
                .iter()
                .flat_map(|known| choices.iter().map(move |choice| format!("{known}{choice}")))
                .collect();
        }
    }
}

fn field(pieces: &[Piece<'_>], usage: Use, tildes: &dyn Tildes) -> Option<Field> {
    if pieces.is_empty() {
        return None;
    }
    let mut build = Build {
        texts: vec![String::new()],
        prefix: None,
        pattern: String::new(),
        is_pattern: false,
        unknown: false,
        only_numbers: true,
        unknown_numbers: true,
        splits: false,
    };
    let mut exists = usage != Use::Argument;
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Active(text) => {
                exists |= !text.is_empty();
                let last = index + 1 == pieces.len();
                active(
                    text,
                    Written {
                        first: index == 0,
                        last,
                    },
                    usage,
                    tildes,
                    &mut build,
                );
            }
            Piece::Fixed(text) => {
                exists = true;
                build.push(text);
                build.only_numbers &= text.bytes().all(|byte| byte.is_ascii_digit());
                pattern::push_escaped(text, &mut build.pattern);
            }
            Piece::Choice(choices) => {
                exists = true;
                let digits = |choice: &String| choice.bytes().all(|byte| byte.is_ascii_digit());
                build.only_numbers &= choices.iter().all(digits);
                build.choose(choices);
            }
            Piece::Unknown { number, splits } => {
                exists = true;
                build.forget(*number, *splits && usage == Use::Argument);
            }
            Piece::Break => {}
        }
    }
    exists.then(|| finish(build))
}

fn finish(mut build: Build) -> Field {
    let one = build.texts.len() == 1;
    let known = !build.unknown;
    let number = build.only_numbers && (!known || !one);
    let value = if known && one {
        build.texts.pop()
    } else {
        None
    };
    let choices = if known && !one {
        std::mem::take(&mut build.texts)
    } else {
        Vec::new()
    };
    let prefix = if value.is_some() {
        String::new()
    } else {
        build.prefix.unwrap_or_default()
    };
    let pattern = (build.is_pattern && value.is_some()).then_some(build.pattern);
    let tail_is_number = build.unknown && build.unknown_numbers;
    Field {
        value,
        prefix,
        choices,
        pattern,
        number,
        tail_is_number,
        splits: build.splits,
    }
}

/// Where unquoted text stands in its word.
#[derive(Clone, Copy)]
struct Written {
    first: bool,
    last: bool,
}

/// Adds unquoted text, its tildes expanded.
fn active(text: &str, place: Written, usage: Use, tildes: &dyn Tildes, build: &mut Build) {
    let mut rest = text;
    let mut may_be_tilde = place.first;
    // `name=~/x` is expanded among arguments too.
    if place.first
        && usage == Use::Argument
        && let Some((name, value)) = text.split_once('=')
        && value.starts_with('~')
        && is_name(name)
    {
        build.push(name);
        build.push("=");
        build.only_numbers = false;
        pattern::push_escaped(name, &mut build.pattern);
        build.pattern.push('=');
        rest = value;
    }
    // A declaring builtin's argument is written `name=value`, too.
    if place.first
        && usage == Use::Assigned
        && let Some((name, value)) = text.split_once('=')
        && value.starts_with('~')
        && is_name(name.strip_suffix('+').unwrap_or(name))
    {
        build.push(name);
        build.push("=");
        build.only_numbers = false;
        rest = value;
    }
    loop {
        if may_be_tilde && rest.starts_with('~') {
            rest = tilde(rest, place.last, tildes, usage, build);
        }
        let colon = if usage == Use::Assigned {
            rest.find(":~").map(|at| at + 1)
        } else {
            None
        };
        let (now, later) = rest
            .split_at_checked(colon.unwrap_or(rest.len()))
            .unwrap_or((rest, ""));
        build.push(now);
        build.only_numbers &= now.bytes().all(|byte| byte.is_ascii_digit());
        if usage != Use::Assigned && usage != Use::Compared {
            build.is_pattern |= pattern::is_pattern(now);
        }
        build.pattern.push_str(now);
        if later.is_empty() {
            return;
        }
        rest = later;
        may_be_tilde = true;
    }
}

/// Expands a tilde at the start of `text`; gives what follows it.
fn tilde<'a>(
    text: &'a str,
    last: bool,
    tildes: &dyn Tildes,
    usage: Use,
    build: &mut Build,
) -> &'a str {
    let ends = |character: char| character == '/' || (usage == Use::Assigned && character == ':');
    let end = text.find(ends);
    // A quote or an expansion right behind makes it no tilde.
    let Some(end) = end.or(last.then_some(text.len())) else {
        return text;
    };
    let (user, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    match tildes.tilde(user.strip_prefix('~').unwrap_or(user)) {
        Some(directory) => {
            build.push(&directory);
            pattern::push_escaped(&directory, &mut build.pattern);
        }
        None => build.forget(false, false),
    }
    build.only_numbers = false;
    rest
}

/// Whether a text may name a variable.
pub fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::{Field, Piece, Tildes, Use, fields};

    struct Home;

    impl Tildes for Home {
        fn tilde(&self, user: &str) -> Option<String> {
            user.is_empty().then(|| "/home/me".to_owned())
        }
    }

    fn values(pieces: Vec<Piece<'_>>, usage: Use) -> Vec<Option<String>> {
        fields(pieces, usage, &Home)
            .into_iter()
            .map(|field| field.value)
            .collect()
    }

    fn active(text: &str) -> Piece<'_> {
        Piece::Active(Cow::Borrowed(text))
    }

    fn fixed(text: &str) -> Piece<'_> {
        Piece::Fixed(Cow::Borrowed(text))
    }

    fn some(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| Some((*text).to_owned())).collect()
    }

    #[test]
    fn expands_as_bash_does() {
        let unknown = Piece::Unknown {
            number: false,
            splits: true,
        };
        let cases = [
            (vec![active("to"), fixed("uch")], some(&["touch"])),
            (vec![active("{a,b}c")], some(&["ac", "bc"])),
            (vec![active("x{1..3}")], some(&["x1", "x2", "x3"])),
            (vec![active("{a,{b,c}d}")], some(&["a", "bd", "cd"])),
            (vec![active("{a}")], some(&["{a}"])),
            (vec![active("{}")], some(&["{}"])),
            (vec![active("{touch,}")], some(&["touch"])),
            (vec![fixed("{a,b}")], some(&["{a,b}"])),
            (
                vec![active("../{x,y"), active("}")],
                some(&["../x", "../y"]),
            ),
            (vec![active(".{.,}/OUT/a")], some(&["../OUT/a", "./OUT/a"])),
            (vec![active("~/x")], some(&["/home/me/x"])),
            (vec![active("~"), fixed("/x")], some(&["~/x"])),
            (vec![active("a~")], some(&["a~"])),
            (vec![active("P=~/x")], some(&["P=/home/me/x"])),
            (vec![active("a"), unknown], vec![None]),
            (vec![active("")], vec![]),
            (vec![fixed("")], some(&[""])),
            (
                vec![fixed("a"), Piece::Break, fixed("b")],
                some(&["a", "b"]),
            ),
        ];
        for (pieces, wanted) in cases {
            assert_eq!(values(pieces.clone(), Use::Argument), wanted, "{pieces:?}");
        }
        assert_eq!(
            values(vec![active("~/a:~/b")], Use::Assigned),
            some(&["/home/me/a:/home/me/b"])
        );
    }

    #[test]
    fn unquoted_pattern_characters_make_a_pattern() {
        let pattern = |pieces| {
            fields(pieces, Use::Argument, &Home)
                .pop()
                .and_then(|field: Field| field.pattern)
        };
        assert_eq!(pattern(vec![active("*.rs")]).as_deref(), Some("*.rs"));
        assert_eq!(
            pattern(vec![fixed("*"), active("?")]).as_deref(),
            Some("\\*?")
        );
        assert_eq!(pattern(vec![fixed("*")]), None);
        assert_eq!(pattern(vec![active("a[0]")]).as_deref(), Some("a[0]"));
        assert_eq!(pattern(vec![active("a[")]), None);
    }
}
