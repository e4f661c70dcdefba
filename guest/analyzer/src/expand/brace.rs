//! Brace expansion: `{a,b}` and `{1..5}`.

use std::borrow::Cow;

use super::Piece;
use crate::limits;

/// Opening braces in one word that are looked at.
const GROUPS: usize = 100;

/// A character of a word, or a piece that has none.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Symbol<'t> {
    Active(char),
    Fixed(char),
    Other(Piece<'t>),
}

/// The words that a word's braces make; `None` when they are too many.
pub fn expand<'t>(pieces: &[Piece<'t>]) -> Option<Vec<Vec<Piece<'t>>>> {
    let mut symbols = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Active(text) => symbols.extend(text.chars().map(Symbol::Active)),
            // What is quoted and empty still makes a word.
            Piece::Fixed(text) if text.is_empty() => symbols.push(Symbol::Other(piece.clone())),
            Piece::Fixed(text) => symbols.extend(text.chars().map(Symbol::Fixed)),
            other => symbols.push(Symbol::Other(other.clone())),
        }
    }
    let opened = symbols
        .iter()
        .filter(|symbol| **symbol == Symbol::Active('{'))
        .count();
    if symbols.len() > limits::WORD_BYTES || opened > GROUPS {
        return None;
    }
    let mut room = limits::WORDS;
    let words = words(&symbols, &mut room, 0)?;
    Some(words.into_iter().map(collect).collect())
}

/// Back to pieces.
fn collect(symbols: Vec<Symbol<'_>>) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece> = Vec::new();
    for symbol in symbols {
        match (symbol, pieces.last_mut()) {
            (Symbol::Active(character), Some(Piece::Active(text)))
            | (Symbol::Fixed(character), Some(Piece::Fixed(text))) => text.to_mut().push(character),
            (Symbol::Active(character), _) => {
                pieces.push(Piece::Active(Cow::Owned(character.into())))
            }
            (Symbol::Fixed(character), _) => {
                pieces.push(Piece::Fixed(Cow::Owned(character.into())))
            }
            (Symbol::Other(piece), _) => pieces.push(piece),
        }
    }
    pieces
}

fn words<'t>(symbols: &[Symbol<'t>], room: &mut usize, depth: u32) -> Option<Vec<Vec<Symbol<'t>>>> {
    if depth > 20 {
        return None;
    }
    let Some((open, close, items)) = first_group(symbols, room, depth)? else {
        return Some(vec![symbols.to_vec()]);
    };
    let before = symbols.get(..open).unwrap_or_default();
    let after = words(
        symbols.get(close + 1..).unwrap_or_default(),
        room,
        depth + 1,
    )?;
    let mut results = Vec::new();
    for item in &items {
        for rest in &after {
            *room = room.checked_sub(1)?;
            results.push([before, item.as_slice(), rest.as_slice()].concat());
        }
    }
    Some(results)
}

type Group<'t> = (usize, usize, Vec<Vec<Symbol<'t>>>);

/// The first braces that expand: where they are, and what they stand for.
fn first_group<'t>(
    symbols: &[Symbol<'t>],
    room: &mut usize,
    depth: u32,
) -> Option<Option<Group<'t>>> {
    for (open, symbol) in symbols.iter().enumerate() {
        if *symbol != Symbol::Active('{') {
            continue;
        }
        let Some((close, commas)) = matching(symbols, open) else {
            continue;
        };
        let inner = symbols.get(open + 1..close).unwrap_or_default();
        if commas.is_empty() {
            if let Some(items) = sequence(inner, room)? {
                return Some(Some((open, close, items)));
            }
            continue;
        }
        let mut items = Vec::new();
        let mut from = open + 1;
        for end in commas.into_iter().chain([close]) {
            let item = symbols.get(from..end).unwrap_or_default();
            items.append(&mut words(item, room, depth + 1)?);
            from = end + 1;
        }
        return Some(Some((open, close, items)));
    }
    Some(None)
}

/// The brace that closes the one at `open`, and the commas directly inside.
fn matching(symbols: &[Symbol<'_>], open: usize) -> Option<(usize, Vec<usize>)> {
    let mut level = 0_u32;
    let mut commas = Vec::new();
    for (at, symbol) in symbols.iter().enumerate().skip(open + 1) {
        match symbol {
            Symbol::Active('{') => level += 1,
            Symbol::Active('}') if level == 0 => return Some((at, commas)),
            Symbol::Active('}') => level -= 1,
            Symbol::Active(',') if level == 0 => commas.push(at),
            _ => {}
        }
    }
    None
}

/// `1..5`, `a..e`, `1..9..2`.
fn sequence<'t>(inner: &[Symbol<'t>], room: &mut usize) -> Option<Option<Vec<Vec<Symbol<'t>>>>> {
    let text: Option<String> = inner
        .iter()
        .map(|symbol| match symbol {
            Symbol::Active(character) => Some(*character),
            _ => None,
        })
        .collect();
    let Some(text) = text else { return Some(None) };
    let mut bounds = text.split("..");
    let (Some(first), Some(last), step, None) =
        (bounds.next(), bounds.next(), bounds.next(), bounds.next())
    else {
        return Some(None);
    };
    let step = match step.map(str::parse::<i64>) {
        None => 1,
        Some(Ok(step)) => step.checked_abs().unwrap_or(i64::MAX).max(1),
        Some(Err(_)) => return Some(None),
    };
    if let (Ok(from), Ok(to)) = (first.parse::<i64>(), last.parse::<i64>()) {
        let padded = |text: &str| {
            let digits = text.trim_start_matches('-');
            digits.starts_with('0') && digits.len() > 1
        };
        let width = if padded(first) || padded(last) {
            first.len().max(last.len())
        } else {
            0
        };
        return numbers(from, to, step, width, room).map(Some);
    }
    let letter = |text: &str| match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
        _ => None,
    };
    let (Some(from), Some(to)) = (letter(first), letter(last)) else {
        return Some(None);
    };
    let items = steps(from, to, step, room)?
        .into_iter()
        .map(|code| {
            u8::try_from(code).map_or(Vec::new(), |byte| vec![Symbol::Fixed(char::from(byte))])
        })
        .collect();
    Some(Some(items))
}

fn numbers<'t>(
    from: i64,
    to: i64,
    step: i64,
    width: usize,
    room: &mut usize,
) -> Option<Vec<Vec<Symbol<'t>>>> {
    let items = steps(from, to, step, room)?;
    let written = |number: i64| {
        format!("{number:0width$}")
            .chars()
            .map(Symbol::Fixed)
            .collect()
    };
    Some(items.into_iter().map(written).collect())
}

fn steps(from: i64, to: i64, step: i64, room: &mut usize) -> Option<Vec<i64>> {
    let mut items = Vec::new();
    let mut now = from;
    while (from <= to && now <= to) || (from > to && now >= to) {
        *room = room.checked_sub(1)?;
        items.push(now);
        let next = if from <= to {
            now.checked_add(step)
        } else {
            now.checked_sub(step)
        };
        match next {
            Some(next) => now = next,
            None => break,
        }
    }
    Some(items)
}
