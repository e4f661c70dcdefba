//! A decision as a person reads it: the ruling, the script with what is said
//! of each part, then units, effects, and every guest's verdict.

use std::fmt::Write;

use super::script::{Note, marked, visible};
use crate::gate::{Decision, Ruling, Verdict, json};
use crate::guest::bindings::policy::bashgate::policy::types::{Scope, Unit};

pub(crate) fn text(decision: &Decision) -> String {
    let mut text = format!("{}\n\n", ruling(decision.ruling));
    text.push_str(&marked(&decision.plan.script, &notes(decision)));
    units(&mut text, &decision.plan.units);
    effects(&mut text, decision);
    verdicts(&mut text, decision);
    text
}

fn ruling(ruling: Ruling) -> &'static str {
    match ruling {
        Ruling::Allow => "allow: it would run without a question",
        Ruling::Ask => "ask: a person would decide",
        Ruling::Deny => "deny: it would not run",
    }
}

/// All findings and doubts, each at its part of the script. The gate's own
/// lines that only sum up what guests say are left out.
pub(crate) fn notes(decision: &Decision) -> Vec<Note> {
    let doubts = decision.plan.doubts.iter().map(|doubt| Note {
        span: Some(doubt.span),
        text: format!("doubt {}: {}", doubt.kind, doubt.note),
    });
    let sums_up = |rule: &str| matches!(rule, "verdict" | "doubt");
    let findings = decision.reasons().filter_map(|(judged, finding)| {
        let who = match judged {
            Some(judged) => judged.label.name.as_str(),
            None if sums_up(&finding.rule) => return None,
            None => "gate",
        };
        Some(Note {
            span: finding.span,
            text: format!("{who}: {}: {}", finding.rule, finding.message),
        })
    });
    doubts.chain(findings).collect()
}

fn units(text: &mut String, units: &[Unit]) {
    if units.is_empty() {
        return;
    }
    text.push_str("\ncommands\n");
    for unit in units {
        let depth = "  ".repeat(depth(unit, units));
        let words = unit.words.iter();
        let words: Vec<String> = words
            .map(|word| {
                word.value
                    .as_deref()
                    .map_or_else(|| "<?>".to_owned(), quoted)
            })
            .collect();
        let shown = if words.is_empty() {
            visible(&unit.text)
        } else {
            words.join(" ")
        };
        // Writing to a string does not fail, here and below.
        let _ = writeln!(text, "  {depth}{shown}  ({})", json::context(unit.context));
    }
}

/// How many units are around one. A plan's parents are checked to be units,
/// not to be a tree, so the count is bounded.
fn depth(unit: &Unit, units: &[Unit]) -> usize {
    let up = |unit: &Unit| unit.parent.and_then(|parent| units.get(parent as usize));
    std::iter::successors(up(unit), |unit| up(unit))
        .take(16)
        .count()
}

/// A word as a person would type it.
fn quoted(word: &str) -> String {
    quoted_unless(word, |letter| "-_./=:,@%+".contains(letter))
}

fn quoted_unless(word: &str, plain: impl Fn(char) -> bool) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || plain(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", visible(word).replace('\'', "'\\''"))
    }
}

fn effects(text: &mut String, decision: &Decision) {
    if decision.plan.effects.is_empty() {
        return;
    }
    text.push_str("\ntouches\n");
    for effect in &decision.plan.effects {
        let access = json::access(effect.access);
        let _ = match &effect.location {
            Some(location) => {
                let (path, zone) = (visible(&location.path), json::zone(location.zone));
                writeln!(text, "  {access:<8}{path}  ({zone})")
            }
            None => writeln!(text, "  {access:<8}{}", visible(&effect.text)),
        };
    }
}

fn verdicts(text: &mut String, decision: &Decision) {
    text.push_str("\nverdicts\n");
    for judged in &decision.judged {
        let shadow = if judged.shadow {
            "  (shadow: without effect)"
        } else {
            ""
        };
        let label = visible(&judged.label.to_string());
        let _ = writeln!(text, "  {:<8}{label}{shadow}", judged.name());
        if let Verdict::Failed(error) = &judged.verdict {
            let _ = writeln!(text, "          {}", visible(&error.fault.to_string()));
        }
        for offer in judged.offers() {
            let _ = writeln!(text, "          offers: {}", scope(&offer.scope));
        }
        if let Some(suggestion) = judged.suggestion() {
            let (tool, arguments) = (visible(&suggestion.tool), visible(&suggestion.arguments));
            let _ = writeln!(text, "          suggests: {tool} {arguments}");
        }
    }
}

/// What an offer or an approval covers. In a pattern the wildcards stand for
/// themselves.
pub(crate) fn scope(scope: &Scope) -> String {
    match scope {
        Scope::Command(words) => {
            let word =
                |word: &String| quoted_unless(word, |letter| "*?-_./=:,@%+".contains(letter));
            words.iter().map(word).collect::<Vec<_>>().join(" ")
        }
        Scope::Path(scope) => {
            format!(
                "{} below {}",
                json::access(scope.access),
                visible(&scope.path)
            )
        }
    }
}
