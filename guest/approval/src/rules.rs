//! Which of the user's rules and grants fit a unit. Does not weigh them.

use bashgate_guest::policy::{Doubt, Grant, Scope, Unit};

use crate::fit::{self, Fit, Known};
use crate::pattern::{Pattern, PatternWord};
use crate::scene::{Scene, base_name, is_trusted_program, known_words, plain_words};
use crate::settings::Settings;
use crate::tables;

/// Doubts about text of which nothing, or not all, was read: a deny rule then
/// looks at the text itself.
const UNREAD: [&str; 5] = [
    "analyzer-unavailable",
    "nothing-found",
    "parsers-disagree",
    "syntax-error",
    "too-complex",
];

/// Rules and grants of one evaluation.
pub struct Rules<'a> {
    settings: &'a Settings,
    granted: Vec<Pattern>,
    home: &'a str,
}

/// A rule that forbids or asks, and how sure it is that it fits.
pub struct Hit<'a> {
    pub rule: &'a Pattern,
    pub fit: Fit,
}

impl<'a> Rules<'a> {
    pub fn new(settings: &'a Settings, grants: &[Grant], home: &'a str) -> Self {
        let granted = grants
            .iter()
            .filter_map(|grant| match &grant.scope {
                Scope::Command(words) => Some(Pattern::of_words(words)),
                Scope::Path(_) => None,
            })
            // A grant that names no program covers nothing.
            .filter(|pattern| pattern.program().is_some())
            .collect();
        Self {
            settings,
            granted,
            home,
        }
    }

    pub fn denying(&self, unit: &Unit) -> Vec<Hit<'a>> {
        self.hits(&self.settings.deny, unit)
    }

    pub fn asking(&self, unit: &Unit) -> Vec<Hit<'a>> {
        self.hits(&self.settings.ask, unit)
    }

    fn hits(&self, rules: &'a [Pattern], unit: &Unit) -> Vec<Hit<'a>> {
        if rules.is_empty() {
            return Vec::new();
        }
        let forms: Vec<Vec<Known<'_>>> = forms(unit).collect();
        let program = |word: &PatternWord, text: &str| self.names_program(word, text, unit);
        rules
            .iter()
            .filter_map(|rule| {
                let fit = forms
                    .iter()
                    .map(|words| fit::forbids(rule, words, self.home, program))
                    .max()
                    .unwrap_or(Fit::No);
                (fit != Fit::No).then_some(Hit { rule, fit })
            })
            .collect()
    }

    /// A rule that forbids also fits a path to its program, links followed.
    fn names_program(&self, word: &PatternWord, text: &str, unit: &Unit) -> bool {
        word.fits(text, self.home)
            || (text.contains('/')
                && (word.fits(base_name(text), self.home)
                    || unit
                        .program
                        .as_ref()
                        .is_some_and(|file| word.fits(base_name(&file.path), self.home))))
    }

    /// The rules and grants that cover a unit: its program is what its bare
    /// name says, and the words that make it this command are known.
    pub fn allowing(&self, scene: &Scene<'_>, unit: &Unit) -> Vec<&Pattern> {
        let rules = || self.settings.allow.iter().chain(&self.granted);
        if rules().next().is_none() || !is_trusted_program(scene, unit) || !is_named(unit) {
            return Vec::new();
        }
        let forms: Vec<Vec<Known<'_>>> = forms(unit).collect();
        rules()
            .filter(|rule| {
                forms
                    .iter()
                    .any(|words| fit::allows(rule, words, self.home))
            })
            .collect()
    }

    /// A deny rule whose leading words stand, in their order, in text that the
    /// parsers could not make out.
    pub fn denying_text(&self, doubt: &Doubt) -> Option<&'a Pattern> {
        if !UNREAD.contains(&doubt.kind.as_str()) {
            return None;
        }
        let words: Vec<&str> = doubt
            .text
            .split(|c: char| c.is_whitespace() || ";&|()<>{}\"'`$=\\".contains(c))
            .filter(|word| !word.is_empty())
            .collect();
        self.settings.deny.iter().find(|rule| {
            let mut rest = words.iter();
            rule.leading().iter().enumerate().all(|(at, literal)| {
                rest.any(|word| word == literal || (at == 0 && base_name(word) == literal))
            })
        })
    }
}

fn forms(unit: &Unit) -> impl Iterator<Item = Vec<Known<'_>>> {
    [Some(known_words(unit)), plain_words(unit)]
        .into_iter()
        .flatten()
}

/// Whether program and subcommand are known.
fn is_named(unit: &Unit) -> bool {
    let value = |at: usize| unit.words.get(at).and_then(|word| word.value.as_deref());
    let Some(program) = value(0) else {
        return false;
    };
    let last = unit
        .identity
        .iter()
        .map(|at| *at as usize)
        .max()
        .unwrap_or(0);
    if (0..=last).any(|at| value(at).is_none()) {
        return false;
    }
    // `git $x`: the plan cannot say that a subcommand stands there.
    let has_subcommands =
        tables::longest(tables::ARITY, |row| row.0, &[program]).is_some_and(|(row, _)| row.1 > 1);
    !(has_subcommands && last == 0 && unit.words.len() > 1 && value(1).is_none())
}
