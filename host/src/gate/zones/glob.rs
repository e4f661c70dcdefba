//! Pathname expansion as bash does it without options. Knows no zone, no
//! variable, no brace and no tilde.
//!
//! Where bashes or locales differ, or the file system cannot be read to the
//! end, there is no answer rather than a likely one.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::FileType;

use super::walk;

/// Entries that one expansion reads, in all folders together.
const MAX_ENTRIES: usize = 16_384;

/// How long one expansion may take.
const MAX_TIME: Duration = Duration::from_millis(50);

/// The longest pattern, in bytes: as long as the kernel lets a path be.
const MAX_PATTERN: usize = 4096;

/// The paths that fit; none when that cannot be told.
pub(super) fn expand(workdir: &Path, pattern: &str, limit: usize) -> Option<Vec<String>> {
    if pattern.len() > MAX_PATTERN || pattern.contains('\0') {
        return None;
    }
    let mut search = Search {
        workdir,
        deadline: Instant::now() + MAX_TIME,
        entries: 0,
    };
    let mut found = vec![String::new()];
    // Slashes are kept as written until names have been put in, then one.
    let mut named = false;
    let mut segments = pattern.split('/').peekable();
    while let Some(text) = segments.next() {
        let last = segments.peek().is_none();
        let segment = Segment::parse(text)?;
        found = match segment.literal() {
            Some(text) => search.literal(found, &text, named, last)?,
            None => {
                named = true;
                search.matching(&found, &segment, last)?
            }
        };
    }
    if found.len() > limit {
        return None;
    }
    found.sort_unstable();
    Some(found)
}

struct Search<'a> {
    workdir: &'a Path,
    deadline: Instant,
    entries: usize,
}

impl Search<'_> {
    /// Appends a part without wildcards.
    fn literal(
        &self,
        found: Vec<String>,
        text: &str,
        named: bool,
        last: bool,
    ) -> Option<Vec<String>> {
        if text.is_empty() && named && !last {
            return Some(found);
        }
        let mut kept = Vec::with_capacity(found.len());
        for mut path in found {
            path.push_str(text);
            // What is between is looked at when it is entered.
            if last && !self.is_there(&path)? {
                continue;
            }
            if !last {
                path.push('/');
            }
            kept.push(path);
        }
        Some(kept)
    }

    /// Puts in the names that fit.
    fn matching(
        &mut self,
        found: &[String],
        segment: &Segment,
        last: bool,
    ) -> Option<Vec<String>> {
        let mut kept = Vec::new();
        for folder in found {
            for name in self.names(folder)? {
                if !segment.fits(&name)? {
                    continue;
                }
                let mut path = format!("{folder}{name}");
                if !last {
                    path.push('/');
                }
                kept.push(path);
            }
        }
        Some(kept)
    }

    /// The names in a folder; empty where it cannot be read.
    fn names(&mut self, folder: &str) -> Option<Vec<String>> {
        let walk = self.follow(folder)?;
        if walk.kind != Some(FileType::Directory) {
            return Some(Vec::new());
        }
        let Ok(entries) = std::fs::read_dir(&walk.path) else {
            return Some(Vec::new());
        };
        let mut names = Vec::new();
        for entry in entries {
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return None;
            }
            if self.entries.is_multiple_of(64) {
                self.in_time()?;
            }
            names.push(entry.ok()?.file_name().into_string().ok()?);
        }
        Some(names)
    }

    /// Whether a path exists, be it a link that leads nowhere; one that ends in
    /// a slash must be a folder.
    fn is_there(&self, path: &str) -> Option<bool> {
        let walk = self.follow(path)?;
        Some(if path.ends_with('/') {
            walk.kind == Some(FileType::Directory)
        } else {
            walk.kind.is_some() || walk.last_link.is_some()
        })
    }

    fn follow(&self, path: &str) -> Option<walk::Walk> {
        self.in_time()?;
        let walk = walk::follow(self.workdir, Path::new(path));
        (!walk.lost).then_some(walk)
    }

    fn in_time(&self) -> Option<()> {
        (Instant::now() < self.deadline).then_some(())
    }
}

/// What stands between two slashes.
struct Segment {
    tokens: Vec<Token>,
}

enum Token {
    Literal(char),
    One,
    Many,
    Set { negated: bool, members: Vec<Member> },
}

enum Member {
    Range(char, char),
    Class(Class),
}

impl Segment {
    /// None where bash's reading is not known here.
    fn parse(text: &str) -> Option<Self> {
        let characters: Vec<char> = text.chars().collect();
        let mut tokens = Vec::with_capacity(characters.len());
        let mut rest = characters.as_slice();
        while let Some((&first, after)) = rest.split_first() {
            rest = after;
            tokens.push(match first {
                '*' => {
                    if matches!(tokens.last(), Some(Token::Many)) {
                        continue;
                    }
                    Token::Many
                }
                '?' => Token::One,
                '[' => match set(after)? {
                    Some((set, after)) => {
                        rest = after;
                        set
                    }
                    // Never closed: it stands for itself.
                    None => Token::Literal('['),
                },
                '\\' => match after.split_first() {
                    Some((&quoted, after)) => {
                        rest = after;
                        Token::Literal(quoted)
                    }
                    None => Token::Literal('\\'),
                },
                other => Token::Literal(other),
            });
        }
        Some(Self { tokens })
    }

    /// Its text, where it has no wildcard.
    fn literal(&self) -> Option<String> {
        self.tokens
            .iter()
            .map(|token| match token {
                Token::Literal(character) => Some(*character),
                Token::One | Token::Many | Token::Set { .. } => None,
            })
            .collect()
    }

    /// Whether a name fits; none where that depends on the locale or on the
    /// version of bash.
    fn fits(&self, name: &str) -> Option<bool> {
        let dotted = matches!(self.tokens.first(), Some(Token::Literal('.')));
        if name.starts_with('.') && !dotted {
            return Some(false);
        }
        // Until 5.2 these two were among the names that a pattern fits.
        if dotted && [".", ".."].iter().any(|name| self.walks(&text(name))) {
            return None;
        }
        let fits = self.walks(&text(name));
        // A shell without UTF-8 takes each byte for a character.
        let bytewise = || self.walks_bytes(name);
        (name.is_ascii() || fits == bytewise()).then_some(fits)
    }

    fn walks_bytes(&self, name: &str) -> bool {
        let bytes = |character: char| {
            let mut buffer = [0; 4];
            character
                .encode_utf8(&mut buffer)
                .bytes()
                .map(|byte| Token::Literal(char::from(byte)))
                .collect::<Vec<_>>()
        };
        let tokens = self.tokens.iter().flat_map(|token| match token {
            Token::Literal(character) => bytes(*character),
            Token::One => vec![Token::One],
            Token::Many => vec![Token::Many],
            Token::Set { negated, members } => vec![Token::Set {
                negated: *negated,
                members: members.iter().map(Member::bytewise).collect(),
            }],
        });
        let segment = Self {
            tokens: tokens.collect(),
        };
        segment.walks(&name.bytes().map(char::from).collect::<Vec<_>>())
    }

    /// Goes back to the last `*` alone, so the time is at most the product of
    /// both lengths.
    fn walks(&self, name: &[char]) -> bool {
        let (mut token, mut at) = (0, 0);
        let mut star: Option<(usize, usize)> = None;
        loop {
            match (self.tokens.get(token), name.get(at)) {
                (None, None) => return true,
                (Some(Token::Many), _) => {
                    token += 1;
                    star = Some((token, at));
                }
                (Some(one), Some(&character)) if one.takes(character) => {
                    token += 1;
                    at += 1;
                }
                _ => match star {
                    Some((after, from)) if from < name.len() => {
                        star = Some((after, from + 1));
                        (token, at) = (after, from + 1);
                    }
                    _ => return false,
                },
            }
        }
    }
}

fn text(name: &str) -> Vec<char> {
    name.chars().collect()
}

impl Token {
    fn takes(&self, character: char) -> bool {
        match self {
            Self::Literal(literal) => *literal == character,
            Self::One | Self::Many => true,
            Self::Set { negated, members } => {
                members.iter().any(|member| member.has(character)) != *negated
            }
        }
    }
}

impl Member {
    fn has(&self, character: char) -> bool {
        match self {
            Self::Range(from, to) => (from..=to).contains(&&character),
            Self::Class(class) => class.has(character),
        }
    }

    /// For names taken byte by byte, whose bytes are no letters there.
    fn bytewise(&self) -> Self {
        match self {
            Self::Range(from, to) => Self::Range(*from, *to),
            Self::Class(class) => Self::Class(Class {
                ascii_only: true,
                ..*class
            }),
        }
    }
}

/// A class by name, such as `[:digit:]`.
#[derive(Clone, Copy)]
struct Class {
    name: ClassName,
    ascii_only: bool,
}

#[derive(Clone, Copy)]
enum ClassName {
    Alnum,
    Alpha,
    Ascii,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Word,
    Xdigit,
}

impl Class {
    fn named(name: &str) -> Option<Self> {
        let name = match name {
            "alnum" => ClassName::Alnum,
            "alpha" => ClassName::Alpha,
            "ascii" => ClassName::Ascii,
            "blank" => ClassName::Blank,
            "cntrl" => ClassName::Cntrl,
            "digit" => ClassName::Digit,
            "graph" => ClassName::Graph,
            "lower" => ClassName::Lower,
            "print" => ClassName::Print,
            "punct" => ClassName::Punct,
            "space" => ClassName::Space,
            "upper" => ClassName::Upper,
            "word" => ClassName::Word,
            "xdigit" => ClassName::Xdigit,
            _ => return None,
        };
        Some(Self {
            name,
            ascii_only: false,
        })
    }

    fn has(self, character: char) -> bool {
        let wide = !character.is_ascii();
        if wide && self.ascii_only {
            return false;
        }
        match self.name {
            ClassName::Alnum => character.is_alphanumeric(),
            ClassName::Alpha => character.is_alphabetic(),
            ClassName::Ascii => !wide,
            ClassName::Blank => character == ' ' || character == '\t',
            ClassName::Cntrl => character.is_control(),
            ClassName::Digit => character.is_ascii_digit(),
            // What is beyond ASCII is a question of the locale's tables; a
            // byte is never one of these, so the two readings differ.
            ClassName::Graph => wide || character.is_ascii_graphic(),
            ClassName::Lower => character.is_lowercase(),
            ClassName::Print => wide || character.is_ascii_graphic() || character == ' ',
            ClassName::Punct => wide || character.is_ascii_punctuation(),
            ClassName::Space => character.is_whitespace() || character == '\u{b}',
            ClassName::Upper => character.is_uppercase(),
            ClassName::Word => character.is_alphanumeric() || character == '_',
            ClassName::Xdigit => character.is_ascii_hexdigit(),
        }
    }
}

/// Reads a bracket expression after its `[`. The outer none: of a kind that is
/// not known here; the inner one: it is never closed.
#[expect(clippy::type_complexity, reason = "one caller takes it apart at once")]
fn set(text: &[char]) -> Option<Option<(Token, &[char])>> {
    let (negated, mut rest) = match text.split_first() {
        Some(('!' | '^', after)) => (true, after),
        _ => (false, text),
    };
    let mut members = Vec::new();
    let mut first = true;
    loop {
        let Some((&character, after)) = rest.split_first() else {
            return Some(None);
        };
        match (character, after.first()) {
            (']', _) if !first => {
                return Some(Some((Token::Set { negated, members }, after)));
            }
            ('[', Some('.' | '=')) => return None,
            ('[', Some(':')) => {
                let (class, after) = class(after)?;
                members.push(Member::Class(class));
                rest = after;
            }
            _ => {
                let Some((from, after)) = quoted(rest) else {
                    return Some(None);
                };
                let (to, after) = match after.split_first() {
                    Some(('-', end)) if !matches!(end.first(), Some(']') | None) => {
                        // A range to a class, or to a collating element.
                        if matches!(end, ['[', '.' | '=' | ':', ..]) {
                            return None;
                        }
                        let Some(range) = quoted(end) else {
                            return Some(None);
                        };
                        range
                    }
                    _ => (from, after),
                };
                // The order of other characters is the locale's; bashes differ
                // over a range that goes backwards.
                if !from.is_ascii() || !to.is_ascii() || from > to {
                    return None;
                }
                members.push(Member::Range(from, to));
                rest = after;
            }
        }
        first = false;
    }
}

/// Reads `:name:]` after its `[`.
fn class(text: &[char]) -> Option<(Class, &[char])> {
    let text = text.strip_prefix(&[':'])?;
    let end = text.windows(2).position(|pair| pair == [':', ']'])?;
    let (name, rest) = text.split_at_checked(end)?;
    let name: String = name.iter().collect();
    Some((Class::named(&name)?, rest.get(2..)?))
}

/// One character, or the one that a backslash quotes.
fn quoted(text: &[char]) -> Option<(char, &[char])> {
    match text.split_first()? {
        ('\\', after) => after.split_first().map(|(&quoted, after)| (quoted, after)),
        (&plain, after) => Some((plain, after)),
    }
}
