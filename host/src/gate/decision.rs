//! What the gate answers: the plan, every guest's verdict, and the strictest
//! of them.

use crate::guest::bindings::policy::bashgate::policy::types::{
    Denial, Finding, Offer, Plan, Question, Rewriting, Span, Suggestion, Verdict as Answered,
};
use crate::guest::{GuestError, Label};

use super::World;

/// The answer. The greater is the stricter, so that the strictest of several
/// is their `max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ruling {
    /// It may run.
    Allow,
    /// A person decides.
    Ask,
    /// It may not run.
    Deny,
}

impl Ruling {
    /// As in `explain --json`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// What one policy answered, or how it failed.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// Its answer.
    Answered(Answered),
    /// It did not answer: counts as `ask`.
    Failed(GuestError),
}

/// One policy's part of a decision.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Who.
    pub label: Label,
    /// What.
    pub verdict: Verdict,
    /// Recorded, without effect.
    pub shadow: bool,
    /// Its allowances count.
    pub may_allow: bool,
}

impl Judged {
    /// As in `explain --json`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match &self.verdict {
            Verdict::Failed(_) => "ask",
            Verdict::Answered(Answered::Abstain(_)) => "abstain",
            Verdict::Answered(Answered::Allow(_)) => "allow",
            Verdict::Answered(Answered::Ask(_)) => "ask",
            Verdict::Answered(Answered::Deny(_)) => "deny",
            Verdict::Answered(Answered::Rewrite(_)) => "rewrite",
        }
    }

    /// Why.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        match &self.verdict {
            Verdict::Failed(_) => &[],
            Verdict::Answered(Answered::Abstain(abstention)) => &abstention.findings,
            Verdict::Answered(Answered::Allow(allowance)) => &allowance.findings,
            Verdict::Answered(Answered::Ask(Question { findings, .. })) => findings,
            Verdict::Answered(Answered::Deny(Denial { findings, .. })) => findings,
            Verdict::Answered(Answered::Rewrite(Rewriting { findings, .. })) => findings,
        }
    }

    /// What the user could adopt.
    #[must_use]
    pub fn offers(&self) -> &[Offer] {
        match &self.verdict {
            Verdict::Answered(Answered::Abstain(abstention)) => &abstention.offers,
            Verdict::Answered(Answered::Allow(allowance)) => &allowance.offers,
            Verdict::Answered(Answered::Ask(question)) => &question.offers,
            Verdict::Failed(_) | Verdict::Answered(Answered::Deny(_) | Answered::Rewrite(_)) => &[],
        }
    }

    /// A tool that does it better.
    #[must_use]
    pub fn suggestion(&self) -> Option<&Suggestion> {
        match &self.verdict {
            Verdict::Answered(Answered::Deny(denial)) => denial.suggestion.as_ref(),
            _ => None,
        }
    }

    /// What it makes of the answer.
    pub(super) fn ruling(&self) -> Ruling {
        match &self.verdict {
            _ if self.shadow => Ruling::Allow,
            Verdict::Failed(_) | Verdict::Answered(Answered::Ask(_)) => Ruling::Ask,
            Verdict::Answered(Answered::Deny(_)) => Ruling::Deny,
            Verdict::Answered(Answered::Allow(_) | Answered::Abstain(_) | Answered::Rewrite(_)) => {
                Ruling::Allow
            }
        }
    }

    /// Its rewriting, when it has effect.
    pub(super) fn rewriting(&self) -> Option<&Rewriting> {
        match &self.verdict {
            Verdict::Answered(Answered::Rewrite(rewriting)) if !self.shadow => Some(rewriting),
            _ => None,
        }
    }
}

/// The gate's decision about one script.
#[derive(Debug, Clone)]
pub struct Decision {
    /// The answer.
    pub ruling: Ruling,
    /// What was judged, and what would run.
    pub plan: Plan,
    /// Every policy's part.
    pub judged: Vec<Judged>,
    /// The gate's own reasons: doubts that nobody may pass over, guests that
    /// are missing, the mode.
    pub findings: Vec<Finding>,
    /// Lines of the result to keep, from a rewriting.
    pub head: Option<u32>,
    /// As `head`, from the end.
    pub tail: Option<u32>,
    /// What the decision rests on.
    pub(crate) world: Option<World>,
}

impl Decision {
    /// The rewriting that takes effect: the one that guests with effect agree
    /// on, when nobody denies.
    pub(super) fn rewriting(&self) -> Option<Rewriting> {
        if self.ruling == Ruling::Deny {
            return None;
        }
        let mut found = self.judged.iter().filter_map(Judged::rewriting);
        let first = found.next()?;
        found.all(|other| other == first).then(|| first.clone())
    }

    /// This decision is about what `rewriting` made of an earlier script.
    pub(super) fn rewritten(&mut self, rewriting: &Rewriting, earlier: Self) {
        self.head = rewriting.head;
        self.tail = rewriting.tail;
        if self
            .judged
            .iter()
            .any(|judged| judged.rewriting().is_some())
        {
            let why = "a guest rewrites the script a second time";
            self.raise(Ruling::Ask, own("rewrite", why));
        }
        // What others said of the script as it was still counts.
        let strictest = earlier.judged.iter().map(Judged::ruling).max();
        if let Some(strictest) = strictest.filter(|&strictest| strictest > self.ruling) {
            let why = "a guest said so of the script as the agent wrote it";
            self.raise(strictest, own("rewrite", why));
        }
        self.findings
            .extend(rewriting.findings.iter().map(|finding| Finding {
                // Its span is of the script as it was.
                span: None,
                ..finding.clone()
            }));
    }

    pub(super) fn raise(&mut self, ruling: Ruling, why: Finding) {
        self.ruling = self.ruling.max(ruling);
        self.findings.push(why);
    }

    /// All findings with the guest that has them; the gate's own come first.
    pub fn reasons(&self) -> impl Iterator<Item = (Option<&Judged>, &Finding)> {
        let own = self.findings.iter().map(|finding| (None, finding));
        let theirs = self.judged.iter().flat_map(|judged| {
            judged
                .findings()
                .iter()
                .map(move |finding| (Some(judged), finding))
        });
        own.chain(theirs)
    }

    /// The filter whose exit code stands for the whole script, if any.
    pub(crate) fn last_stage(&self) -> Option<&str> {
        self.plan
            .units
            .iter()
            .rev()
            .flat_map(|unit| &unit.attributes)
            .find(|(name, _)| name == "filter")
            .map(|(_, filter)| filter.as_str())
    }
}

/// A finding of the gate itself.
pub(super) fn own(rule: &str, message: impl Into<String>) -> Finding {
    Finding {
        rule: rule.to_owned(),
        message: message.into(),
        span: None,
    }
}

/// The part of the script that a span names; nothing if it names none.
pub(super) fn excerpt<'a>(script: &'a str, span: &Span) -> &'a str {
    script
        .get(span.start as usize..span.end as usize)
        .unwrap_or_default()
}
