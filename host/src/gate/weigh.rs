//! The strictest wins.

use std::collections::BTreeSet;

use crate::guest::bindings::policy::bashgate::policy::types::{
    Finding, Mode, Plan, Verdict as Answered,
};

use super::decision::{Decision, Judged, Ruling, Verdict, own};
use super::{Asker, World};

/// Joins all verdicts. No guest can weaken another's: each can only raise the
/// answer, and `allow` needs every unit vouched for by a guest that may.
pub(super) fn weigh(
    plan: Plan,
    judged: Vec<Judged>,
    findings: Vec<Finding>,
    asker: &Asker,
    world: World,
) -> Decision {
    let mut decision = Decision {
        ruling: Ruling::Allow,
        plan,
        judged,
        findings: Vec::new(),
        head: None,
        tail: None,
        world: Some(world),
    };
    for finding in findings {
        decision.raise(Ruling::Ask, finding);
    }
    for (ruling, why) in said(&decision.judged) {
        decision.raise(ruling, why);
    }
    for why in unavailable(asker) {
        decision.raise(Ruling::Ask, why);
    }
    doubts(&mut decision, asker);
    unvouched(&mut decision);
    if decision.ruling == Ruling::Ask && asker.session.mode == Mode::Never {
        let why = "the mode is `never`: what is not allowed is denied; `mode = \"unless-trusted\"` would ask";
        decision.raise(Ruling::Deny, own("mode", why));
    }
    decision
}

/// What each guest with effect makes of the answer.
fn said(judged: &[Judged]) -> Vec<(Ruling, Finding)> {
    let mut said = Vec::new();
    for judged in judged {
        let guest = &judged.label;
        match (judged.ruling(), &judged.verdict) {
            (Ruling::Allow, _) => {}
            (ruling, Verdict::Failed(error)) => {
                said.push((ruling, own("guest-failed", error.to_string())));
            }
            (Ruling::Ask, _) => said.push((Ruling::Ask, own("verdict", format!("{guest} asks")))),
            (Ruling::Deny, _) => {
                said.push((Ruling::Deny, own("verdict", format!("{guest} denies"))));
            }
        }
    }
    let rewritings: Vec<_> = judged.iter().filter_map(Judged::rewriting).collect();
    if rewritings
        .iter()
        .any(|rewriting| Some(rewriting) != rewritings.first())
    {
        let why = "two guests rewrite the script differently";
        said.push((Ruling::Ask, own("rewrite", why)));
    }
    said
}

/// Required plugins that are not there.
fn unavailable(asker: &Asker) -> Vec<Finding> {
    let missing = asker.missing.iter();
    missing
        .map(|(name, reason)| {
            let message = format!(
                "the required plugin {name} is missing, so every command is asked: {reason}"
            );
            own("plugin-missing", message)
        })
        .collect()
}

/// A doubt is never passed over silently; only an enforcing sandbox in the
/// mode `on-request` may stand in for a person.
fn doubts(decision: &mut Decision, asker: &Asker) {
    let held = asker.session.mode == Mode::OnRequest && asker.sandbox.enforcing;
    let doubts = decision.plan.doubts.iter();
    let kinds: BTreeSet<&str> = doubts.map(|doubt| doubt.kind.as_str()).collect();
    if kinds.is_empty() || held {
        return;
    }
    let kinds = kinds.into_iter().collect::<Vec<_>>().join(", ");
    let why = own("doubt", format!("the plan is in doubt: {kinds}"));
    decision.raise(Ruling::Ask, why);
}

fn unvouched(decision: &mut Decision) {
    let mut vouched = vec![false; decision.plan.units.len()];
    let counting = |judged: &&Judged| judged.may_allow && !judged.shadow;
    for judged in decision.judged.iter().filter(counting) {
        if let Verdict::Answered(Answered::Allow(allowance)) = &judged.verdict {
            for &unit in &allowance.units {
                if let Some(vouched) = vouched.get_mut(unit as usize) {
                    *vouched = true;
                }
            }
        }
    }
    let units = decision.plan.units.iter().zip(vouched);
    let open: Vec<&str> = units
        .filter(|(_, vouched)| !vouched)
        .map(|(unit, _)| unit.text.as_str())
        .collect();
    if let Some(first) = open.first() {
        let more = match open.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let why = format!("nobody vouches for `{}`{more}", brief(first));
        decision.raise(Ruling::Ask, own("unvouched", why));
    }
}

fn brief(text: &str) -> String {
    let visible = |letter: char| if letter.is_control() { ' ' } else { letter };
    let line: String = text.chars().take(80).map(visible).collect();
    if line.len() < text.len() {
        format!("{line}…")
    } else {
        line
    }
}

#[cfg(test)]
mod tests;
