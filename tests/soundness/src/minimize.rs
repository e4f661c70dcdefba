//! Makes a script that shows a miss small: whole items go first, then pieces
//! of the text, as long as the same name still runs unseen.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::generate::Script;

/// Scripts that one step may try.
const BATCH: usize = 48;
/// How long one search may take: a script that lost its `break` runs until it
/// is ended.
const LIMIT: Duration = Duration::from_secs(20);

/// The smallest script found. `still` says of each script whether it shows the
/// miss.
///
/// # Errors
///
/// When `still` fails.
pub fn minimize(
    script: &Script,
    mut still: impl FnMut(&[Script]) -> Result<Vec<bool>>,
) -> Result<Script> {
    let end = Instant::now() + LIMIT;
    let mut smallest = script.clone();
    for item in 0..script.items() {
        let less = smallest.without(item);
        if still(std::slice::from_ref(&less))? == [true] {
            smallest = less;
        }
    }
    let whole = Script::of_text(smallest.text());
    if still(std::slice::from_ref(&whole))? != [true] {
        return Ok(smallest);
    }
    let mut tokens = tokens(&whole.text());
    let mut size = tokens.len() / 2;
    while size > 0 && Instant::now() < end {
        let starts: Vec<usize> = (0..tokens.len()).step_by(size).collect();
        let mut found = None;
        for batch in starts.chunks(BATCH) {
            let tries: Vec<Script> = batch
                .iter()
                .map(|start| Script::of_text(without(&tokens, *start, size).concat()))
                .collect();
            let shows = still(&tries)?;
            found = batch
                .iter()
                .zip(shows)
                .find_map(|(start, shows)| shows.then_some(*start));
            if found.is_some() || Instant::now() > end {
                break;
            }
        }
        match found {
            Some(start) => tokens = without(&tokens, start, size),
            None => size /= 2,
        }
        size = size.min(tokens.len());
    }
    Ok(Script::of_text(tokens.concat()))
}

fn without(tokens: &[String], start: usize, count: usize) -> Vec<String> {
    let end = (start + count).min(tokens.len());
    [&tokens[..start], &tokens[end..]].concat()
}

/// Names and paths, runs of blanks, and single other characters. A path is
/// never cut: what is left of `./file` must not become `/file`.
fn tokens(text: &str) -> Vec<String> {
    let kind = |character: char| match character {
        ' ' | '\t' => Some(false),
        other if other.is_alphanumeric() || "/.~_-".contains(other) => Some(true),
        _ => None,
    };
    let mut tokens: Vec<String> = Vec::new();
    let mut before = None;
    for character in text.chars() {
        let now = kind(character);
        match tokens.last_mut() {
            Some(last) if now.is_some() && now == before => last.push(character),
            _ => tokens.push(character.into()),
        }
        before = now;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::minimize;
    use crate::generate::Script;

    #[test]
    fn what_shows_the_miss_is_left() {
        let script = Script::of_text("p1 a; p2 \"$(p3 x)\" | p4\n".to_owned());
        let small = minimize(&script, |tries| {
            Ok(tries
                .iter()
                .map(|one| one.text().contains("$(p3"))
                .collect())
        });
        assert_eq!(small.unwrap().text(), "$(p3");
    }
}
