//! Whether a command's words say that it only looks. What it reads and writes
//! is not known here; see `zones`.

use bashgate_guest::policy::Unit;

use crate::fit::Known;
use crate::scene::{attribute, known_words, passed_over, plain_words};
use crate::streams;
use crate::tables::{self, Form, Globals, Operands};

/// Whether the words are those of a command that only looks. The caller has
/// made sure that the program is what its name says.
pub fn only_looks(unit: &Unit) -> bool {
    let raw = known_words(unit);
    if attribute(unit, "builtin").is_some() {
        return fits_a_form(tables::BUILTINS, &raw);
    }
    if is_version_query(&raw) || streams::only_prints(&raw) {
        return true;
    }
    match plain_words(unit) {
        Some(plain) => are_harmless_globals(unit) && fits_a_form(tables::PROGRAMS, &plain),
        None => fits_a_form(tables::PROGRAMS, &raw),
    }
}

fn is_version_query(words: &[Known<'_>]) -> bool {
    matches!(words, [Known::Text(name), Known::Text("--version")] if tables::holds(tables::VERSIONS, name))
}

fn fits_a_form(table: &[Form], words: &[Known<'_>]) -> bool {
    let names: Vec<&str> = words
        .iter()
        .take(tables::LONGEST_KEY)
        .map_while(|word| match word {
            Known::Text(text) => Some(*text),
            Known::One | Known::Any => None,
        })
        .collect();
    let Some((form, length)) = tables::longest(table, |form| form.key, &names) else {
        return false;
    };
    words
        .get(length..)
        .is_some_and(|rest| Check::new(form).all(rest))
}

/// Options that may stand before a subcommand and change nothing of it.
fn are_harmless_globals(unit: &Unit) -> bool {
    let name = unit.words.first().and_then(|word| word.value.as_deref());
    let Some(globals) = tables::GLOBALS
        .iter()
        .find(|row: &&Globals| Some(row.program) == name)
    else {
        return false;
    };
    let mut words = passed_over(unit).into_iter();
    while let Some(word) = words.next() {
        match word.value.as_deref() {
            Some(text) if globals.flags.contains(&text) => {}
            Some(text) if globals.valued.contains(&text) => {
                if words.next().is_none() {
                    return false;
                }
            }
            _ => return false,
        }
    }
    true
}

/// One pass over the words after a form's key.
struct Check<'f> {
    form: &'f Form,
    required: bool,
    listing: bool,
    operands: bool,
}

/// What one option says.
enum Said {
    Fine,
    TakesNext,
    Ends,
}

impl<'f> Check<'f> {
    fn new(form: &'f Form) -> Self {
        Self {
            form,
            required: form.requires.is_empty(),
            listing: false,
            operands: false,
        }
    }

    fn all(mut self, words: &[Known<'_>]) -> bool {
        let mut words = words.iter();
        let mut options = true;
        while let Some(word) = words.next() {
            let Known::Text(text) = word else {
                // It may be an option that ends safety.
                if self.is_strict() {
                    return false;
                }
                continue;
            };
            if options && *text == "--" {
                options = false;
            } else if options && text.len() > 1 && text.starts_with('-') {
                match self.option(text) {
                    Said::Fine => {}
                    Said::Ends => return false,
                    // The next word is its argument, whatever it is.
                    Said::TakesNext => match words.next() {
                        Some(Known::Any) if self.is_strict() => return false,
                        _ => {}
                    },
                }
            } else if !self.operand(text) {
                return false;
            }
        }
        self.required && (!self.operands || self.listing)
    }

    fn is_strict(&self) -> bool {
        !self.form.ends.is_empty()
            || !self.form.denied.is_empty()
            || !self.form.requires.is_empty()
            || self.form.operands != Operands::Any
    }

    fn option(&mut self, text: &str) -> Said {
        self.required |= self.form.requires.contains(&text);
        self.listing |= self.form.listing.contains(&text);
        if self.form.dashed {
            return match self.form.ends.contains(&text) {
                true => Said::Ends,
                false => Said::Fine,
            };
        }
        if text.starts_with("--") {
            let name = text.split_once('=').map_or(text, |(name, _)| name);
            // An option that is known whole is no shortening of another.
            let whole = self.form.requires.contains(&name) || self.form.listing.contains(&name);
            return match () {
                () if self.form.ends.contains(&name) => Said::Ends,
                () if !whole && long_option(self.form.ends, name) => Said::Ends,
                () if name.len() == text.len() && self.form.valued.contains(&name) => {
                    Said::TakesNext
                }
                () => Said::Fine,
            };
        }
        self.cluster(text)
    }

    /// `-abc`: each letter is an option until one takes the rest.
    fn cluster(&self, text: &str) -> Said {
        let mut letters = text.chars().skip(1);
        while let Some(letter) = letters.next() {
            let is = |list: &[&str]| list.iter().any(|option| is_letter(option, letter));
            if is(self.form.ends) {
                return Said::Ends;
            }
            if is(self.form.valued) {
                return match letters.next() {
                    Some(_) => Said::Fine,
                    None => Said::TakesNext,
                };
            }
            if is(self.form.attached) {
                return Said::Fine;
            }
        }
        Said::Fine
    }

    fn operand(&mut self, text: &str) -> bool {
        if self.form.denied.contains(&text) {
            return false;
        }
        match self.form.operands {
            Operands::Any => true,
            // Fine only if a listing option stands there too.
            Operands::None => {
                self.operands = true;
                !self.form.listing.is_empty()
            }
            Operands::Plus => text.starts_with('+'),
        }
    }
}

/// Whether an option of the table is this letter alone.
pub fn is_letter(option: &str, letter: char) -> bool {
    let mut chars = option.chars();
    chars.next() == Some('-')
        && chars.next() == Some(letter)
        && chars.next().is_none()
        && letter != '-'
}

/// Whether a long option is one of these, or may be taken for one by prefix.
pub fn long_option(list: &[&str], name: &str) -> bool {
    name.len() > 2
        && list
            .iter()
            .any(|option| option.starts_with("--") && option.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::unit;

    #[test]
    fn what_only_looks() {
        for (script, safe) in [
            ("ls -la $x", true),
            ("cat f", true),
            ("touch M", false),
            ("sort f", true),
            ("sort -k2 -t, f", true),
            ("sort -o M f", false),
            ("sort -ruoM f", false),
            ("sort --outp=M f", false),
            ("sort $x", false),
            ("sort --compress-program=./c f", false),
            ("date +%s", true),
            ("date -d tomorrow +%F", true),
            ("date -Iseconds", true),
            ("date -s 12:00", false),
            ("date 01010000", false),
            ("hostname", true),
            ("hostname evil", false),
            ("find . -name x -newer y", true),
            ("find . -delete", false),
            ("rg --pre ./c x", false),
            ("rg -e --pre x", true),
            ("python3 --version", true),
            ("python3 --version x", false),
            ("cargo --version", false),
            ("git status --short", true),
            ("git log -p -1", true),
            ("git diff --no-index -- a b", true),
            ("git diff --output=M", false),
            ("git diff $x", false),
            ("git show --outp M", false),
            ("git branch", true),
            ("git branch -a -vv", true),
            ("git branch --list 'x'", true),
            ("git branch rel", false),
            ("git branch -D rel", false),
            ("git branch --list -D rel", false),
            ("git tag", true),
            ("git tag -l v1", true),
            ("git tag v1", false),
            ("git stash", false),
            ("git stash list", true),
            ("git stash pop", false),
            ("git remote -v", true),
            ("git remote add a b", false),
            ("git remote get-url origin", true),
            ("git config --get user.name", true),
            ("git config user.name x", false),
            ("git config user.name", false),
            ("git config --list", true),
            ("git reflog", true),
            ("git reflog expire", false),
            ("git grep -Oless x", false),
            ("git push", false),
            ("git", false),
            ("npm ls", false),
        ] {
            assert_eq!(only_looks(&unit(script)), safe, "{script}");
        }
    }

    #[test]
    fn options_before_the_subcommand() {
        for (words, identity, safe) in [
            (vec!["git", "-C", "sub", "status"], vec![0, 3], true),
            (vec!["git", "--no-pager", "log"], vec![0, 2], true),
            (vec!["git", "-c", "a=b", "log"], vec![0, 3], false),
            (vec!["git", "--git-dir", "x", "log"], vec![0, 3], false),
            (vec!["docker", "-H", "x", "version"], vec![0, 3], false),
        ] {
            let mut made = unit(&words.join(" "));
            made.identity = identity;
            assert_eq!(only_looks(&made), safe, "{words:?}");
        }
    }

    #[test]
    fn builtins() {
        for (script, safe) in [
            ("echo $x", true),
            ("command -v git", true),
            ("command git push", false),
            ("exec", true),
            ("exec touch M", false),
            ("set -euo pipefail", true),
            ("shopt -s nullglob", true),
            ("shopt -s expand_aliases", false),
            ("eval x", false),
            ("kill 1", false),
            ("alias a=b", false),
        ] {
            let mut made = unit(script);
            made.attributes.push(("builtin".into(), String::new()));
            assert_eq!(only_looks(&made), safe, "{script}");
        }
    }
}
