//! How broad an offer is.

/// Whether every command that `pattern` matches is matched by `offer` too.
pub(super) fn covers(offer: &[&str], pattern: &[&str]) -> bool {
    let (head, open_offer) = open(offer);
    let (wanted, open_pattern) = open(pattern);
    if !open_offer && (open_pattern || head.len() != wanted.len()) {
        return false;
    }
    head.len() <= wanted.len()
        && head
            .iter()
            .zip(wanted)
            .all(|(glob, word)| glob == word || fits(glob, word))
}

/// The words, and whether any further ones may follow.
fn open<'a, 'b>(words: &'a [&'b str]) -> (&'a [&'b str], bool) {
    match words.split_last() {
        Some((&"*", first)) => (first, true),
        _ => (words, false),
    }
}

/// Whether a word fits a glob of `*` and `?`.
fn fits(glob: &str, word: &str) -> bool {
    let mut characters = glob.chars();
    match characters.next() {
        None => word.is_empty(),
        Some('*') => {
            let rest = characters.as_str();
            let ends = word.char_indices().map(|(at, _)| at).chain([word.len()]);
            ends.into_iter()
                .any(|at| word.get(at..).is_some_and(|word| fits(rest, word)))
        }
        Some(wanted) => {
            let mut word = word.chars();
            word.next()
                .is_some_and(|got| wanted == '?' || wanted == got)
                && fits(characters.as_str(), word.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn broad_and_narrow() {
        for (offer, pattern, wanted) in [
            ("git push *", "git push *", true),
            ("git *", "git push *", true),
            ("*", "git push *", true),
            ("git push", "git push *", false),
            ("git push *", "git *", false),
            ("git push", "git push", true),
            ("git push *", "git push", true),
            ("git p* *", "git push a", true),
            ("git p?sh", "git push", true),
            ("git p?h", "git push", false),
            ("git pull *", "git push *", false),
        ] {
            let words = |text: &'static str| text.split(' ').collect::<Vec<_>>();
            assert_eq!(
                covers(&words(offer), &words(pattern)),
                wanted,
                "{offer} / {pattern}"
            );
        }
    }
}
