//! Pathname expansion as bash does it without options. Knows no zone, no
//! variable, no brace and no tilde.
//!
//! Where bashes or locales differ, or the file system cannot be read to the
//! end, there is no answer rather than a likely one.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::FileType;

use super::walk::{self, Kinds};

/// Entries that one expansion reads, in all folders together.
const MAX_ENTRIES: usize = 16_384;

/// How long one expansion may take.
const MAX_TIME: Duration = Duration::from_millis(50);

/// The longest pattern, in bytes: as long as the kernel lets a path be.
const MAX_PATTERN: usize = 4096;

/// The paths that fit; none when that cannot be told.
pub(super) fn expand(workdir: &Path, pattern: &str, limit: usize) -> Option<Vec<String>> {
    expand_until(Instant::now() + MAX_TIME, workdir, pattern, limit)
}

/// [`expand`], given up at `deadline`.
pub(super) fn expand_until(
    deadline: Instant,
    workdir: &Path,
    pattern: &str,
    limit: usize,
) -> Option<Vec<String>> {
    if pattern.len() > MAX_PATTERN || pattern.contains('\0') {
        return None;
    }
    let mut search = Search {
        workdir,
        deadline,
        entries: 0,
    };
    let mut found = vec![String::new()];
    // Slashes are kept as written until names have been put in, then one.
    let mut named = false;
    let mut segments = pattern.split('/').peekable();
    while let Some(text) = segments.next() {
        let last = segments.peek().is_none();
        let segment = Segment::parse(if last { text } else { unquoted_end(text) })?;
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

/// A backslash before a slash quotes nothing.
fn unquoted_end(text: &str) -> &str {
    let backslashes = text.len() - text.trim_end_matches('\\').len();
    match text.strip_suffix('\\') {
        Some(rest) if backslashes % 2 == 1 => rest,
        _ => text,
    }
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
    fn matching(&mut self, found: &[String], segment: &Segment, last: bool) -> Option<Vec<String>> {
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
        let walk = walk::follow(&mut Kinds::default(), self.workdir, Path::new(path));
        (!walk.lost).then_some(walk)
    }

    fn in_time(&self) -> Option<()> {
        (Instant::now() < self.deadline).then_some(())
    }
}

/// What stands between two slashes.
struct Segment {
    /// For a shell that knows UTF-8.
    text: Pattern,
    /// For one that takes each byte for a character.
    bytes: Pattern,
}

struct Pattern(Vec<Token>);

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
        Some(Self {
            text: Pattern::parse(&characters(text))?,
            bytes: Pattern::parse(&bytes(text))?,
        })
    }

    /// Its text, where it has no wildcard.
    fn literal(&self) -> Option<String> {
        let tokens = self.text.0.iter();
        tokens
            .map(|token| match token {
                Token::Literal(character) => Some(*character),
                Token::One | Token::Many | Token::Set { .. } => None,
            })
            .collect()
    }

    /// Whether a name fits; none where that depends on the locale or on the
    /// version of bash.
    fn fits(&self, name: &str) -> Option<bool> {
        let dotted = matches!(self.text.0.first(), Some(Token::Literal('.')));
        if name.starts_with('.') && !dotted {
            return Some(false);
        }
        // Until 5.2 these two were among the names that a pattern fits.
        if dotted && (self.text.fits(&['.']) || self.text.fits(&['.', '.'])) {
            return None;
        }
        let fits = self.text.fits(&characters(name));
        let certain =
            name.is_ascii() || !self.text.has_class() && fits == self.bytes.fits(&bytes(name));
        certain.then_some(fits)
    }
}

fn characters(text: &str) -> Vec<char> {
    text.chars().collect()
}

fn bytes(text: &str) -> Vec<char> {
    text.bytes().map(char::from).collect()
}

impl Pattern {
    fn parse(text: &[char]) -> Option<Self> {
        let mut tokens = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some((&first, after)) = rest.split_first() {
            rest = after;
            tokens.push(match first {
                '*' => Token::Many,
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
        Some(Self(tokens))
    }

    /// What a class holds beyond ASCII is a question of the locale's tables.
    fn has_class(&self) -> bool {
        self.0.iter().any(|token| match token {
            Token::Set { members, .. } => members
                .iter()
                .any(|member| matches!(member, Member::Class(_))),
            Token::Literal(_) | Token::One | Token::Many => false,
        })
    }

    /// Goes back to the last `*` alone, so the time is at most the product of
    /// both lengths.
    fn fits(&self, name: &[char]) -> bool {
        let (mut token, mut at) = (0, 0);
        let mut star: Option<(usize, usize)> = None;
        loop {
            match (self.0.get(token), name.get(at)) {
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
            Self::Range(from, to) => (*from..=*to).contains(&character),
            Self::Class(holds) => holds(character),
        }
    }
}

/// Whether an ASCII character is of a class.
type Class = fn(char) -> bool;

/// The class of this name, as in `[:digit:]`.
fn class_named(name: &str) -> Option<Class> {
    Some(match name {
        "alnum" => |c| c.is_ascii_alphanumeric(),
        "alpha" => |c| c.is_ascii_alphabetic(),
        "ascii" => |c| c.is_ascii(),
        "blank" => |c| c == ' ' || c == '\t',
        "cntrl" => |c| c.is_ascii_control(),
        "digit" => |c| c.is_ascii_digit(),
        "graph" => |c| c.is_ascii_graphic(),
        "lower" => |c| c.is_ascii_lowercase(),
        "print" => |c| c.is_ascii_graphic() || c == ' ',
        "punct" => |c| c.is_ascii_punctuation(),
        "space" => |c| matches!(c, ' ' | '\t'..='\r'),
        "upper" => |c| c.is_ascii_uppercase(),
        "word" => |c| c.is_ascii_alphanumeric() || c == '_',
        "xdigit" => |c| c.is_ascii_hexdigit(),
        _ => return None,
    })
}

/// Reads a bracket expression after its `[`. The outer none: of a kind that is
/// not known here; the inner one: it is never closed.
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
    Some((class_named(&name)?, rest.get(2..)?))
}

/// One character, or the one that a backslash quotes.
fn quoted(text: &[char]) -> Option<(char, &[char])> {
    match text.split_first()? {
        ('\\', after) => after.split_first().map(|(&quoted, after)| (quoted, after)),
        (&plain, after) => Some((plain, after)),
    }
}
