//! Whether a pattern fits the words of a command, where some words are only
//! known when the script runs. Does not know what follows from it.

use crate::pattern::{Pattern, PatternWord};

/// A word as the plan knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known<'a> {
    Text(&'a str),
    /// Exactly one word, but not which.
    One,
    /// Any number of words, none included.
    Any,
}

/// How a pattern fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    No,
    /// Only running the script can tell.
    Maybe,
    Yes,
}

/// Whether the pattern fits, for a rule that forbids: an unknown word may be
/// anything. `program` says whether a first word fits.
pub fn forbids(
    pattern: &Pattern,
    words: &[Known<'_>],
    home: &str,
    program: impl Fn(&PatternWord, &str) -> bool,
) -> Fit {
    // Row by row from the last pattern word: `row[w]` is the fit of the rest
    // of the pattern on `words[w..]`.
    let mut row = end_row(pattern.open, words);
    for (index, word) in pattern.words.iter().enumerate().rev() {
        let mut above = vec![Fit::No; words.len() + 1];
        for at in (0..words.len()).rev() {
            let next = get(&row, at + 1);
            let fit = match words.get(at) {
                Some(Known::Text(text)) => {
                    let fits = match index {
                        0 => program(word, text),
                        _ => word.fits(text, home),
                    };
                    if fits { next } else { Fit::No }
                }
                Some(Known::One) if word.is_star() => next,
                Some(Known::One) => next.min(Fit::Maybe),
                // Nothing, this one word, or this one and more.
                Some(Known::Any) => get(&above, at + 1)
                    .max(next)
                    .max(get(&row, at))
                    .min(Fit::Maybe),
                None => Fit::No,
            };
            if let Some(cell) = above.get_mut(at) {
                *cell = fit;
            }
        }
        row = above;
    }
    get(&row, 0)
}

fn end_row(open: bool, words: &[Known<'_>]) -> Vec<Fit> {
    let mut row = vec![if open { Fit::Yes } else { Fit::No }; words.len() + 1];
    if open {
        return row;
    }
    let mut fit = Fit::Yes;
    for at in (0..=words.len()).rev() {
        if let Some(word) = words.get(at) {
            fit = match word {
                Known::Any => fit.min(Fit::Maybe),
                Known::Text(_) | Known::One => Fit::No,
            };
        }
        if let Some(cell) = row.get_mut(at) {
            *cell = fit;
        }
    }
    row
}

fn get(row: &[Fit], at: usize) -> Fit {
    row.get(at).copied().unwrap_or(Fit::No)
}

/// Whether the pattern fits, for a rule that allows: an unknown word is covered
/// by a `*` alone, and one that may be several only by a last `*`.
pub fn allows(pattern: &Pattern, words: &[Known<'_>], home: &str) -> bool {
    if words.len() < pattern.words.len() || (!pattern.open && words.len() > pattern.words.len()) {
        return false;
    }
    pattern
        .words
        .iter()
        .zip(words)
        .all(|(word, known)| match known {
            Known::Text(text) => word.fits(text, home),
            Known::One => word.is_star(),
            Known::Any => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(text: &str) -> Vec<Known<'_>> {
        text.split_whitespace()
            .map(|word| match word {
                "$one" => Known::One,
                "$any" => Known::Any,
                text => Known::Text(text),
            })
            .collect()
    }

    #[test]
    fn forbidding() {
        use Fit::{Maybe, No, Yes};
        for (pattern, words, expected) in [
            ("touch *", "touch", Yes),
            ("touch *", "touch M", Yes),
            ("touch *", "touch $any", Yes),
            ("touch *", "touchy M", No),
            ("touch *", "$any M", Maybe),
            ("touch *", "$one M", Maybe),
            ("touch", "touch $any", Maybe),
            ("touch", "touch $one", No),
            ("git push *", "git $any", Maybe),
            ("git push *", "git $any pull", Maybe),
            ("git push *", "echo $any", No),
            ("grep * /etc/*", "grep root /etc/passwd", Yes),
            ("grep * /etc/*", "grep -n root /etc/passwd", No),
            ("grep * /etc/*", "grep $one /etc/passwd", Yes),
            ("grep * /etc/*", "grep $any /etc/passwd", Maybe),
            ("grep * /etc/*", "grep x $one", Maybe),
            ("*", "anything at all", Yes),
            ("*", "$any", Yes),
            ("* *", "ls", Yes),
            ("* x", "ls x", Yes),
            ("* x", "ls y", No),
            ("rm -rf /*", "rm -rf /nonexistent", Yes),
        ] {
            let read = Pattern::parse(pattern).unwrap();
            let fit = forbids(&read, &known(words), "/h", |word, text| {
                word.fits(text, "/h")
            });
            assert_eq!(fit, expected, "{pattern} on {words}");
        }
    }

    #[test]
    fn allowing() {
        for (pattern, words, expected) in [
            ("touch run build", "touch run build", true),
            ("touch run build", "touch run build --x", false),
            ("touch run build *", "touch run build -- --watch", true),
            ("touch run b*", "touch run build2", true),
            ("touch run build?", "touch run build", false),
            ("touch * origin", "touch a origin", true),
            ("touch * origin", "touch -c a origin", false),
            ("touch * origin", "touch $one origin", true),
            ("touch * origin", "touch $any origin", false),
            ("touch *", "touch $any x", true),
            ("touch x", "touch $one", false),
            ("touch x*", "touch $one", false),
        ] {
            let read = Pattern::parse(pattern).unwrap();
            assert_eq!(
                allows(&read, &known(words), "/h"),
                expected,
                "{pattern} on {words}"
            );
        }
    }
}
