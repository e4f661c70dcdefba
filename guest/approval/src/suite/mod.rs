//! Whole plans against whole verdicts: the classes of the case corpus, built
//! by hand, so that each can be tried without an analyzer.

mod doubts;
mod messages;
mod offers;
mod paths;
mod units;

use bashgate_guest::policy::{Access, Finding, Offer, Scope, Verdict};

use crate::scenes::Build;

fn decision(build: &Build) -> &'static str {
    match build.verdict() {
        Verdict::Deny(_) => "deny",
        Verdict::Ask(_) => "ask",
        Verdict::Rewrite(_) => "rewrite",
        Verdict::Abstain(_) => "abstain",
        Verdict::Allow(allowance) if allowance.units.len() == build.execution.plan.units.len() => {
            "allow"
        }
        Verdict::Allow(_) => "part",
    }
}

fn findings(build: &Build) -> Vec<Finding> {
    match build.verdict() {
        Verdict::Deny(denial) => denial.findings,
        Verdict::Ask(question) => question.findings,
        Verdict::Rewrite(rewriting) => rewriting.findings,
        Verdict::Abstain(abstention) => abstention.findings,
        Verdict::Allow(allowance) => allowance.findings,
    }
}

fn offers(build: &Build) -> Vec<Offer> {
    match build.verdict() {
        Verdict::Ask(question) => question.offers,
        Verdict::Abstain(abstention) => abstention.offers,
        Verdict::Allow(allowance) => allowance.offers,
        Verdict::Deny(_) | Verdict::Rewrite(_) => Vec::new(),
    }
}

fn offered(build: &Build) -> Vec<String> {
    offers(build)
        .into_iter()
        .map(|offer| match offer.scope {
            Scope::Command(words) => words.join(" "),
            Scope::Path(scope) => {
                let access = format!("{:?}", scope.access);
                let access = access.rsplit(':').next().unwrap_or_default().to_lowercase();
                format!("{access} {}", scope.path)
            }
        })
        .collect()
}

fn rules(build: &Build) -> Vec<String> {
    findings(build)
        .into_iter()
        .map(|finding| finding.rule)
        .collect()
}

fn of(script: &str) -> Build {
    Build::of(script)
}

fn touch() -> Build {
    of("touch M").effect(Access::Write, "/home/u/ws/M")
}
