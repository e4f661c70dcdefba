//! Evidence of danger in what a command says. It is asked about, never denied:
//! no ban is hard-wired. Does not know rules; it names the word that a rule
//! must spell to lift it.

use bashgate_guest::policy::{Context, Operator, Unit};

use crate::fit::Known;
use crate::safe::{is_letter, long_option};
use crate::scene::{Scene, base_name, known_words, plain_words, program_word};
use crate::tables::{self, Danger};

/// One piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// What the command does, after "it".
    pub reason: &'static str,
    /// The word that tells. A rule that spells it lifts the evidence; without
    /// one nothing does.
    pub word: Option<String>,
}

/// What is dangerous about a unit.
pub fn evidence(scene: &Scene<'_>, at: usize) -> Vec<Evidence> {
    let Some(unit) = scene.unit(at) else {
        return Vec::new();
    };
    let Some(program) = program_word(unit).map(base_name) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    named(unit, program, &mut found);
    for words in [Some(known_words(unit)), plain_words(unit)]
        .into_iter()
        .flatten()
    {
        if let Some(danger) = told(&words, program)
            && !found.contains(&danger)
        {
            found.push(danger);
        }
    }
    if runs_a_download(scene, at, program) {
        found.push(Evidence {
            reason: "runs what it fetches from the network",
            word: None,
        });
    }
    found
}

fn named(unit: &Unit, program: &str, found: &mut Vec<Evidence>) {
    for danger in tables::NAMED_DANGERS {
        if danger.names.contains(&program) || danger.prefixes.iter().any(|p| program.starts_with(p))
        {
            found.push(Evidence {
                reason: danger.reason,
                word: program_word(unit).map(str::to_owned),
            });
        }
    }
}

/// The evidence of the longest row that the words begin with.
fn told(words: &[Known<'_>], program: &str) -> Option<Evidence> {
    let names: Vec<&str> = words
        .iter()
        .take(tables::LONGEST_KEY)
        .enumerate()
        .map_while(|(at, word)| match word {
            Known::Text(_) if at == 0 => Some(program),
            Known::Text(text) => Some(*text),
            Known::One | Known::Any => None,
        })
        .collect();
    let (danger, length) = tables::longest(tables::DANGERS, |danger| danger.key, &names)?;
    if danger.options.is_empty() && danger.operands.is_empty() {
        return Some(Evidence {
            reason: danger.reason,
            word: names.get(length - 1).map(|word| (*word).to_owned()),
        });
    }
    let word = telling(danger, words.get(length..)?)?;
    Some(Evidence {
        reason: danger.reason,
        word: Some(word.to_owned()),
    })
}

fn telling<'w>(danger: &Danger, words: &[Known<'w>]) -> Option<&'w str> {
    let mut options = true;
    for word in words {
        let Known::Text(text) = *word else {
            continue;
        };
        if options && text == "--" {
            options = false;
        } else if options && text.len() > 1 && text.starts_with('-') {
            if is_option(danger, text) {
                return Some(text);
            }
        } else if danger
            .operands
            .iter()
            .any(|operand| fits_text(operand, text))
        {
            return Some(text);
        }
    }
    None
}

fn is_option(danger: &Danger, text: &str) -> bool {
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    match () {
        () if danger.dashed => danger.options.contains(&name),
        () if text.starts_with("--") => long_option(danger.options, name),
        () => text
            .chars()
            .skip(1)
            .any(|c| danger.options.iter().any(|option| is_letter(option, c))),
    }
}

fn fits_text(operand: &str, text: &str) -> bool {
    match operand.strip_suffix('*') {
        Some(start) => text.starts_with(start),
        None => operand == text,
    }
}

/// `curl … | sh`, `bash <(curl …)`, `eval "$(curl …)"`.
fn runs_a_download(scene: &Scene<'_>, at: usize, program: &str) -> bool {
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !tables::holds(tables::RUNNERS_OF_TEXT, program)
        && !tables::holds(tables::RUNNERS_OF_TEXT, name)
    {
        return false;
    }
    inside(scene, at) || before(scene, at)
}

/// A downloader in a substitution of this unit.
fn inside(scene: &Scene<'_>, at: usize) -> bool {
    scene.children(at).any(|child| {
        scene.unit(child).is_some_and(|unit| {
            matches!(
                unit.context,
                Context::CommandSubstitution | Context::ProcessSubstitution
            ) && is_downloader(scene, child)
        })
    })
}

/// A downloader at an earlier stage of the pipeline. Stages are siblings, or
/// stand below a wrapper that is one.
fn before(scene: &Scene<'_>, at: usize) -> bool {
    let mut stage = stage_of(scene, at);
    for _ in 0..MOST_STAGES {
        let Some(unit) = scene.unit(stage) else {
            return false;
        };
        if unit.operator != Operator::Pipe {
            return false;
        }
        let Some(earlier) = earlier_sibling(scene, stage) else {
            return false;
        };
        if is_downloader(scene, earlier) {
            return true;
        }
        stage = earlier;
    }
    false
}

const MOST_STAGES: usize = 32;

fn stage_of(scene: &Scene<'_>, at: usize) -> usize {
    let mut stage = at;
    for _ in 0..MOST_STAGES {
        match scene.unit(stage) {
            Some(unit)
                if matches!(unit.context, Context::Wrapped) && unit.operator == Operator::None =>
            {
                match unit.parent {
                    Some(parent) => stage = parent as usize,
                    None => break,
                }
            }
            _ => break,
        }
    }
    stage
}

/// The unit before this one under the same parent, by where it stands; looked
/// for among its neighbours in the plan.
fn earlier_sibling(scene: &Scene<'_>, at: usize) -> Option<usize> {
    let unit = scene.unit(at)?;
    let place = |other: usize| scene.unit(other).map(|o| (o.span.start, other));
    (at.saturating_sub(NEIGHBOURS)..(at + NEIGHBOURS).min(scene.units().len()))
        .filter(|other| scene.unit(*other).is_some_and(|o| o.parent == unit.parent))
        .filter(|other| place(*other) < place(at))
        .max_by_key(|other| place(*other))
}

/// How far apart in the plan two stages of a pipeline may be.
const NEIGHBOURS: usize = 128;

fn is_downloader(scene: &Scene<'_>, at: usize) -> bool {
    let is = |at: usize| {
        scene
            .unit(at)
            .and_then(program_word)
            .is_some_and(|name| tables::holds(tables::DOWNLOADERS, base_name(name)))
    };
    is(at) || scene.wrapped(at).any(is)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::{Build, unit};

    fn words(script: &str) -> Vec<String> {
        let execution = Build::new().unit(unit(script)).execution();
        evidence(&Scene::new(&execution), 0)
            .into_iter()
            .map(|found| found.word.unwrap_or_default())
            .collect()
    }

    #[test]
    fn what_tells() {
        for (script, word) in [
            ("rm -rf x", Some("-rf")),
            ("rm x --force", Some("--force")),
            ("rm x", None),
            ("rm -- -rf", None),
            ("/bin/rm -r x", Some("-r")),
            ("git push --force", Some("--force")),
            ("git push origin +main", Some("+main")),
            ("git push origin main", None),
            ("git reset --hard", Some("--hard")),
            ("git reset x", None),
            ("git clean -fdx", Some("-fdx")),
            ("git stash drop", Some("drop")),
            ("git stash", None),
            ("dd if=x of=/dev/sda", Some("of=/dev/sda")),
            ("dd if=x of=y", None),
            ("mkfs.ext4 /dev/sda", Some("mkfs.ext4")),
            ("chmod -R 777 .", Some("-R")),
            ("chmod 777 f", None),
            ("kill -9 1", Some("1")),
            ("kill 12", None),
            ("shutdown now", Some("shutdown")),
            ("kubectl delete pod x", Some("delete")),
            ("terraform apply -auto-approve", Some("-auto-approve")),
            ("echo rm -rf", None),
        ] {
            let expected: Vec<String> = word.into_iter().map(str::to_owned).collect();
            assert_eq!(words(script), expected, "{script}");
        }
    }

    #[test]
    fn downloads_that_run() {
        let mut sh = unit("sh");
        sh.operator = Operator::Pipe;
        sh.span.start = 20;
        let execution = Build::new()
            .unit(unit("curl -s https://x"))
            .unit(sh)
            .execution();
        let found = evidence(&Scene::new(&execution), 1);
        assert!(found.iter().any(|e| e.word.is_none()), "{found:?}");

        let mut curl = unit("curl -s https://x");
        curl.parent = Some(0);
        curl.context = Context::ProcessSubstitution;
        let execution = Build::new()
            .unit(unit("bash /dev/fd/63"))
            .unit(curl)
            .execution();
        assert_eq!(evidence(&Scene::new(&execution), 0).len(), 1);
    }
}
