//! What the user could adopt for a command: its own prefix by the arity table,
//! or its exact words. Never more than the same command with other operands.

use std::collections::BTreeMap;

use bashgate_guest::policy::{Lifetime, Offer, Scope, Unit};

use crate::fit::{self, Known};
use crate::pattern::{Pattern, escaped, rule_text};
use crate::scene::{attribute, base_name, known_words, plain_words};
use crate::tables::{self, LONGEST_KEY};

/// Longer commands are not offered: nobody reads such a rule.
const MOST_WORDS: usize = 32;
const MOST_BYTES: usize = 1024;

/// A command that the user could allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    words: Vec<String>,
    open: bool,
}

impl Proposal {
    /// As the answer of a question.
    pub fn offer(&self) -> Offer {
        let mut words: Vec<String> = self.words.iter().map(|word| escaped(word)).collect();
        if self.open {
            words.push("*".to_owned());
        }
        Offer {
            scope: Scope::Command(words),
            lifetime: Lifetime::Always,
        }
    }

    /// As a rule for the configuration, `["touch *"]`.
    pub fn setting(&self) -> String {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        format!("rules.allow = [{:?}]", rule_text(&words, self.open))
    }
}

/// What could be adopted for a unit whose program can be trusted; `exactly`
/// where its words hold evidence of danger, so that a rule must spell them.
pub fn proposal(unit: &Unit, arity: &BTreeMap<String, u8>, exactly: bool) -> Option<Proposal> {
    if attribute(unit, "interpreter").is_some() || attribute(unit, "wrapper").is_some() {
        return None;
    }
    let words = plain_words(unit).unwrap_or_else(|| known_words(unit));
    let program = match words.first()? {
        Known::Text(name) if !name.is_empty() && !name.contains('/') => *name,
        _ => return None,
    };
    let texts: Vec<&str> = words
        .iter()
        .map_while(|word| match word {
            Known::Text(text) => Some(*text),
            Known::One | Known::Any => None,
        })
        .collect();
    if is_never_offered(program, &texts) {
        return None;
    }
    let prefix = match exactly || tables::holds(tables::OFFERED_EXACTLY, program) {
        true => None,
        false => by_arity(&texts, arity),
    };
    [prefix, exact(unit)]
        .into_iter()
        .flatten()
        .find(|found| fits(found, unit))
}

/// Interpreters, shells, wrappers and runners, with a version or without.
fn is_never_offered(program: &str, texts: &[&str]) -> bool {
    let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let words: Vec<&str> = texts
        .iter()
        .copied()
        .filter(|text| !text.starts_with('-'))
        .collect();
    [program, plain, base_name(program)]
        .iter()
        .any(|name| tables::holds(tables::NEVER_OFFERED, name))
        || tables::longest(tables::NEVER_OFFERED, |name| name, &words).is_some()
}

/// Program and subcommand words, options left out.
fn by_arity(texts: &[&str], added: &BTreeMap<String, u8>) -> Option<Proposal> {
    let words: Vec<&str> = texts
        .iter()
        .copied()
        .filter(|text| !text.starts_with('-'))
        .collect();
    let count = usize::from(arity(&words, added)?);
    let named = words.get(..count)?;
    // What stands where a subcommand does but is none: a path, an assignment.
    let is_name = |word: &&str| {
        !word.is_empty()
            && word.len() <= 64
            && !word.contains(|c: char| c.is_whitespace() || "/=$*?".contains(c))
    };
    named.iter().all(is_name).then(|| Proposal {
        words: named.iter().map(|word| (*word).to_owned()).collect(),
        open: true,
    })
}

/// The user's entry or the table's, whichever has the longer key.
fn arity(words: &[&str], added: &BTreeMap<String, u8>) -> Option<u8> {
    let built_in = tables::longest(tables::ARITY, |row| row.0, words);
    let own = (1..=words.len().min(LONGEST_KEY)).rev().find_map(|n| {
        added
            .get(&words.get(..n)?.join(" "))
            .map(|count| (*count, n))
    });
    match (own, built_in) {
        (Some((count, n)), Some((row, m))) => Some(if n >= m { count } else { row.1 }),
        (Some((count, _)), None) => Some(count),
        (None, Some((row, _))) => Some(row.1),
        (None, None) => None,
    }
}

fn exact(unit: &Unit) -> Option<Proposal> {
    let words: Option<Vec<String>> = unit.words.iter().map(|word| word.value.clone()).collect();
    let words = words?;
    let bytes: usize = words.iter().map(String::len).sum();
    let shown = words.iter().all(|word| !word.chars().any(char::is_control));
    (words.len() <= MOST_WORDS && bytes <= MOST_BYTES && shown)
        .then_some(Proposal { words, open: false })
}

/// An offer that would not let the command through is no offer.
fn fits(proposal: &Proposal, unit: &Unit) -> bool {
    let Scope::Command(words) = proposal.offer().scope else {
        return false;
    };
    let pattern = Pattern::of_words(&words);
    [Some(known_words(unit)), plain_words(unit)]
        .into_iter()
        .flatten()
        .any(|known| fit::allows(&pattern, &known, ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::unit;

    fn offered(script: &str, added: &[(&str, u8)]) -> String {
        let added = added
            .iter()
            .map(|(key, n)| ((*key).to_owned(), *n))
            .collect();
        match proposal(&unit(script), &added, false).map(|found| found.offer().scope) {
            Some(Scope::Command(words)) => words.join(" "),
            _ => "-".to_owned(),
        }
    }

    #[test]
    fn offers() {
        for (script, expected) in [
            ("git push origin main", "git push *"),
            ("git remote add a b", "git remote add *"),
            ("git", "git"),
            ("git --version", "git --version"),
            ("npm run build -- --watch", "npm run build *"),
            ("npm run --silent build", "npm run --silent build"),
            ("npm", "npm"),
            ("npm exec x", "-"),
            ("npx x", "-"),
            ("cargo test -p x", "cargo test *"),
            ("cargo run", "-"),
            ("touch M", "touch *"),
            ("touch $x", "touch *"),
            ("rm x", "rm x"),
            ("rm $x", "-"),
            ("make", "make"),
            ("make test", "make test"),
            ("python3 -c x", "-"),
            ("python3.11 x.py", "-"),
            ("node x.js", "-"),
            ("sudo ls", "-"),
            ("unknown-prog a b", "unknown-prog a b"),
            ("unknown-prog *", "unknown-prog \\*"),
            ("unknown-prog $x", "-"),
            ("./x.sh", "-"),
            ("docker compose up -d", "docker compose up *"),
            ("docker compose -f x.yml up", "docker compose -f x.yml up"),
            ("gh pr create --title x", "gh pr create *"),
            ("go test ./...", "go test *"),
            ("go run x.go", "-"),
            ("bashgate run x", "-"),
            ("kubectl get pods", "kubectl get *"),
        ] {
            assert_eq!(offered(script, &[]), expected, "{script}");
        }
    }

    #[test]
    fn the_user_adds_to_the_table() {
        assert_eq!(offered("mytool db up now", &[("mytool", 2)]), "mytool db *");
        assert_eq!(
            offered("mytool db up now", &[("mytool", 2), ("mytool db", 3)]),
            "mytool db up *"
        );
        assert_eq!(
            offered("git push origin", &[("git push", 3)]),
            "git push origin *"
        );
        assert_eq!(offered("python3 x.py", &[("python3", 1)]), "-");
    }

    #[test]
    fn options_before_the_subcommand_are_left_out() {
        let mut made = unit("git -C sub push origin");
        made.identity = vec![0, 3];
        let found = proposal(&made, &BTreeMap::new(), false).unwrap();
        assert_eq!(found.setting(), "rules.allow = [\"git push *\"]");
    }
}
