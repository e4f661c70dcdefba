//! Gives every policy the same plan, and checks the form of its answer.

use serde_json::{Map, Value};

use crate::guest::bindings::policy::bashgate::policy::types::{
    Execution, Finding, Grant, Offer, Plan, Scope, Session, Verdict as Answered,
};
use crate::guest::{Fault, GuestError, Guests, Judge};

use super::analyze::bad_span;
use super::decision::{Judged, Verdict};
use super::{Asker, Case, Held};

/// Longer text in an answer serves nobody who has to read it.
const TEXT: usize = 16 << 10;
/// More findings, offers or words of an offer than a person can weigh.
const ITEMS: usize = 4096;

pub(super) fn execution(plan: Plan, case: &Case, asker: &Asker) -> Execution {
    Execution {
        plan,
        description: case.description.clone(),
        workdir: case.workdir.clone(),
        root: asker.root.clone(),
        home: asker.home.clone(),
        timeout_ms: case.timeout_ms,
        terminal: false,
        background: false,
        sandbox: asker.sandbox.clone(),
        escalation: case.escalation.clone(),
        typed_into: None,
        attributes: Vec::new(),
    }
}

/// Every policy's verdict.
pub(super) fn all(
    guests: &Guests,
    execution: &Execution,
    session: &Session,
    grants: &[Held],
) -> Vec<Judged> {
    let judged = |judge: &Judge| Judged {
        label: judge.guest.label.clone(),
        verdict: one(judge, execution, session, grants),
        shadow: judge.role.shadow,
        may_allow: judge.role.may_allow,
    };
    guests.judges.iter().map(judged).collect()
}

fn one(judge: &Judge, execution: &Execution, session: &Session, grants: &[Held]) -> Verdict {
    let own: Vec<Grant> = grants
        .iter()
        .filter(|held| held.guest == judge.guest.label.name)
        .map(|held| held.grant.clone())
        .collect();
    let answer = judge.guest.call(None, |guest, store| {
        guest
            .bashgate_policy_policy()
            .call_evaluate(store, execution, session, &own)
    });
    match answer {
        Err(error) => Verdict::Failed(error),
        Ok(answer) => match broken(&answer, &execution.plan) {
            None => Verdict::Answered(answer),
            Some(what) => Verdict::Failed(GuestError {
                label: judge.guest.label.clone(),
                fault: Fault::Contract(what),
            }),
        },
    }
}

/// What is wrong with the form of an answer, if anything.
fn broken(answer: &Answered, plan: &Plan) -> Option<String> {
    let listed = |findings: &[Finding], offers: &[Offer]| {
        bad_findings(findings, plan).or_else(|| bad_offers(offers))
    };
    match answer {
        Answered::Abstain(abstention) => listed(&abstention.findings, &abstention.offers),
        Answered::Allow(allowance) => allowance
            .units
            .iter()
            .find(|&&unit| unit as usize >= plan.units.len())
            .map(|unit| format!("it vouches for unit {unit}, which is not there"))
            .or_else(|| listed(&allowance.findings, &allowance.offers)),
        Answered::Ask(question) => listed(&question.findings, &question.offers),
        Answered::Deny(denial) => bad_findings(&denial.findings, plan).or_else(|| {
            let arguments = &denial.suggestion.as_ref()?.arguments;
            let error = serde_json::from_str::<Map<String, Value>>(arguments).err()?;
            Some(format!(
                "the arguments that it suggests are no JSON object: {error}"
            ))
        }),
        Answered::Rewrite(rewriting) => bad_findings(&rewriting.findings, plan).or_else(|| {
            let nul = rewriting.script.contains('\0');
            nul.then(|| "the script that it wants run holds a NUL".to_owned())
        }),
    }
}

fn bad_findings(findings: &[Finding], plan: &Plan) -> Option<String> {
    if findings.len() > ITEMS {
        return Some(format!("it has {} findings", findings.len()));
    }
    findings.iter().find_map(|finding| {
        if finding.rule.len().max(finding.message.len()) > TEXT {
            return Some("a finding is longer than 16 KiB".to_owned());
        }
        bad_span(finding.span.as_ref()?, &plan.script)
    })
}

fn bad_offers(offers: &[Offer]) -> Option<String> {
    if offers.len() > ITEMS {
        return Some(format!("it has {} offers", offers.len()));
    }
    let too_long =
        |words: &[String]| words.len() > ITEMS || words.iter().any(|word| word.len() > TEXT);
    offers.iter().find_map(|offer| match &offer.scope {
        Scope::Command(words) if words.is_empty() => {
            Some("it offers a rule without words".to_owned())
        }
        Scope::Command(words) if too_long(words) => {
            Some("it offers a rule that is too long".to_owned())
        }
        Scope::Path(scope) if !scope.path.starts_with('/') => {
            Some("it offers a path that is not absolute".to_owned())
        }
        Scope::Command(_) | Scope::Path(_) => None,
    })
}
