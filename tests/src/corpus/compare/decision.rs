//! What `explain --json` says, beside what a case expects.

use serde_json::Value;

use super::Problems;
use super::offer::covers;
use crate::corpus::case::{EffectPattern, Expect, OneOrMany};

/// At the end of wanted words: any further ones.
const ANY_MORE: &str = "…";

/// Compares a decision.
pub(in crate::corpus) fn decision(
    expect: &Expect,
    script: &str,
    answer: &Value,
    problems: &mut Problems,
) {
    if let Some(wanted) = &expect.decision {
        let got = answer["decision"].as_str().unwrap_or_default();
        let fits = wanted.as_slice().iter().any(|one| one == got);
        problems.need(fits, "decision", wanted, &answer["decision"]);
    }
    let wanted = script.replace("\r\n", "\n");
    let same = answer["script"] == wanted;
    problems.need(same, "script", &wanted, &answer["script"]);
    units(expect, answer, problems);
    effects(expect, answer, problems);
    doubts(expect, answer, problems);
    offers(expect, answer, problems);
    suggestions(expect, answer, problems);
    reasons(expect, answer, problems);
}

fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn units(expect: &Expect, answer: &Value, problems: &mut Problems) {
    let units = units_of(answer);
    let among = |wanted: &[Value]| units.iter().any(|words| words_match(words, wanted));
    for wanted in &expect.units {
        problems.need(among(wanted), "units", wanted, &units);
    }
    for wanted in &expect.no_units {
        problems.need(!among(wanted), "none of the units", wanted, &units);
    }
}

fn units_of(answer: &Value) -> Vec<&[Value]> {
    list(answer, "units")
        .iter()
        .map(|unit| list(unit, "words"))
        .collect()
}

fn words_match(words: &[Value], wanted: &[Value]) -> bool {
    match wanted.split_last() {
        Some((last, first)) if last == ANY_MORE => words.starts_with(first),
        _ => words == wanted,
    }
}

fn effects(expect: &Expect, answer: &Value, problems: &mut Problems) {
    let effects = list(answer, "effects");
    let among = |wanted| effects.iter().any(|effect| effect_matches(effect, wanted));
    for wanted in &expect.effects {
        problems.need(among(wanted), "effects", wanted, effects);
    }
    for wanted in &expect.no_effects {
        problems.need(!among(wanted), "none of the effects", wanted, effects);
    }
}

fn effect_matches(effect: &Value, wanted: &EffectPattern) -> bool {
    let path = effect["path"].as_str().unwrap_or_default();
    let fits = |key: &str, wanted: &Option<OneOrMany<String>>| {
        wanted
            .as_ref()
            .is_none_or(|wanted| wanted.as_slice().iter().any(|one| effect[key] == **one))
    };
    path.ends_with(&wanted.path_ends)
        && fits("access", &wanted.access)
        && fits("zone", &wanted.zone)
}

fn doubts(expect: &Expect, answer: &Value, problems: &mut Problems) {
    let kinds: Vec<&Value> = list(answer, "doubts")
        .iter()
        .map(|doubt| &doubt["kind"])
        .collect();
    for wanted in &expect.doubts {
        let there = kinds.iter().any(|kind| *kind == wanted);
        problems.need(there, "doubt", wanted, &kinds);
    }
    let any = !expect.doubt || !kinds.is_empty();
    problems.need(any, "doubts", "at least one", &kinds);
}

fn offers(expect: &Expect, answer: &Value, problems: &mut Problems) {
    let verdicts = list(answer, "verdicts").iter();
    let commands: Vec<(&[Value], bool)> = verdicts
        .flat_map(|verdict| list(verdict, "offers"))
        .filter(|offer| offer["pattern"].is_array())
        .map(|offer| (list(offer, "pattern"), offer["lifetime"] == "always"))
        .collect();
    let patterns: Vec<Vec<&str>> = commands
        .iter()
        .map(|(pattern, _)| pattern.iter().filter_map(Value::as_str).collect())
        .collect();
    for wanted in &expect.no_offers {
        let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
        let mut broad = patterns.clone();
        broad.retain(|pattern| covers(pattern, &wanted));
        problems.need(broad.is_empty(), "no offer as broad as", &wanted, &broad);
    }
    if let Some(wanted) = &expect.offers_any {
        let fits = patterns
            .iter()
            .any(|pattern| wanted.iter().any(|one| one == pattern));
        problems.need(fits, "one of the offers", wanted, &patterns);
    }
    if expect.no_always_offers {
        let units = units_of(answer);
        let lasting = commands.iter().filter(|(_, always)| *always);
        let lasting: Vec<&[Value]> = lasting.map(|(pattern, _)| *pattern).collect();
        let exact = lasting.iter().all(|pattern| units.contains(pattern));
        problems.need(
            exact,
            "no lasting offer beyond exact words",
            &units,
            &lasting,
        );
    }
}

fn suggestions(expect: &Expect, answer: &Value, problems: &mut Problems) {
    let tools: Vec<&str> = list(answer, "verdicts")
        .iter()
        .filter_map(|verdict| verdict["suggestion"]["tool"].as_str())
        .collect();
    if let Some(wanted) = &expect.suggestion {
        let fits = tools
            .iter()
            .any(|tool| wanted.tool.as_slice().iter().any(|one| one == tool));
        problems.need(fits, "suggested tool", &wanted.tool, &tools);
    }
    let none = !expect.no_suggestion || tools.is_empty();
    problems.need(none, "suggested tool", Value::Null, &tools);
}

fn reasons(expect: &Expect, answer: &Value, problems: &mut Problems) {
    let verdicts = list(answer, "verdicts").iter();
    let findings = verdicts.flat_map(|verdict| list(verdict, "findings"));
    let reasons: Vec<&str> = list(answer, "doubts")
        .iter()
        .chain(findings)
        .flat_map(|item| ["rule", "message", "text", "note"].map(|key| item[key].as_str()))
        .flatten()
        .collect();
    for wanted in &expect.reason_has {
        let said = reasons
            .iter()
            .any(|reason| reason.contains(wanted.as_str()));
        problems.need(said, "reason with", wanted, &reasons);
    }
}
