//! A refusal in words: who, which rule, and which setting would allow it.

use crate::gate::{Decision, Judged, Verdict};
use crate::guest::bindings::policy::bashgate::policy::types::{Finding, Verdict as Answered};
use crate::guest::bindings::tool::bashgate::tool::executor::Denial;

/// Why a script did not run.
pub(super) enum Why {
    /// The guests or the mode say so.
    Ruled,
    /// A person would have to decide, and nobody is there.
    Unattended,
    /// A person said no.
    Refused { who: String, reason: Option<String> },
    /// Nobody answered in time.
    NoAnswer,
    /// The call was cancelled while somebody was asked.
    Cancelled,
}

pub(super) fn denial(decision: &Decision, why: &Why) -> Denial {
    let findings = reasons(decision);
    let suggestion = decision
        .judged
        .iter()
        .filter(|judged| !judged.shadow)
        .find_map(Judged::suggestion);
    Denial {
        message: message(why, &findings),
        suggested_tool: suggestion.map(|suggestion| suggestion.tool.clone()),
        suggested_arguments: suggestion.map(|suggestion| suggestion.arguments.clone()),
        findings,
    }
}

fn message(why: &Why, findings: &[String]) -> String {
    let (first, show) = match why {
        Why::Ruled => (String::from("Denied."), true),
        Why::Unattended => (
            String::from(
                "Denied: a person would have to decide, and nobody is there to answer \
                 (--no-input, or no terminal); --yes answers for them, and so do the settings \
                 named here.",
            ),
            true,
        ),
        Why::Refused {
            who,
            reason: Some(reason),
        } => (format!("Denied by {who}: {reason}"), false),
        Why::Refused { who, reason: None } => (format!("Denied by {who}."), false),
        Why::NoAnswer => {
            let text = "Denied: nobody answered in time (approval.wait_ms).";
            (text.to_owned(), true)
        }
        Why::Cancelled => {
            let text = "[cancelled] while a person was asked; nothing was run.";
            (text.to_owned(), false)
        }
    };
    let mut text = first;
    for finding in findings.iter().filter(|_| show) {
        text.push_str("\n- ");
        text.push_str(finding);
    }
    text
}

/// What speaks for the ruling: of a denial only what denies. The gate's own
/// lines that only sum up what a guest says better are left out.
fn reasons(decision: &Decision) -> Vec<String> {
    let denied = decision.judged.iter().any(denies);
    let mut reasons: Vec<String> = decision
        .judged
        .iter()
        .filter(|judged| !judged.shadow && (!denied || denies(judged)))
        .flat_map(|judged| {
            let who = format!("guest {}", judged.label);
            judged
                .findings()
                .iter()
                .map(move |finding| line(&who, finding))
        })
        .collect();
    let said = !reasons.is_empty();
    let sums_up = |rule: &str| matches!(rule, "verdict" | "unvouched" | "doubt");
    let own = decision.findings.iter();
    let own = own.filter(|finding| !(said && sums_up(&finding.rule)));
    reasons.extend(own.map(|finding| line("gate", finding)));
    reasons
}

fn line(who: &str, finding: &Finding) -> String {
    format!("{who}: {}: {}", finding.rule, finding.message)
}

fn denies(judged: &Judged) -> bool {
    !judged.shadow && matches!(judged.verdict, Verdict::Answered(Answered::Deny(_)))
}
