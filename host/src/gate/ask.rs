//! The question to a person, and who may answer it.

use std::pin::Pin;
use std::sync::Arc;

use super::Decision;
use crate::guest::bindings::policy::bashgate::policy::types::{Lifetime, Scope};

/// An answer that is on its way.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

/// Whom the gate asks.
pub trait Approver: Send + Sync {
    /// False when nobody can answer: then nothing is asked, and what would be
    /// asked is denied at once.
    fn attended(&self) -> bool;

    /// Who answers, for the record: `a person at the terminal`, `--yes`.
    fn name(&self) -> &str;

    /// Asks. No guest waits meanwhile.
    fn ask(&self, question: Question) -> Asking<'_>;
}

/// What a person is asked.
#[derive(Debug, Clone)]
pub struct Question {
    /// What would run, and why it is asked about.
    pub decision: Arc<Decision>,
    /// The agent's own words.
    pub description: String,
    /// Where it would run.
    pub workdir: String,
    /// Rules that may be adopted, each by itself.
    pub offers: Vec<Offered>,
}

/// A rule that a person may adopt with the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Offered {
    /// Who offers it, and honours it later.
    pub guest: String,
    /// What it would cover.
    pub scope: Scope,
    /// The longest time that it may be kept.
    pub lifetime: Lifetime,
}

/// What a person says.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// This once.
    Once,
    /// And these offers for the session.
    Session(Vec<Offered>),
    /// And these offers from now on; those that may only last a session last
    /// a session.
    Always(Vec<Offered>),
    /// No; the reason goes to the model.
    No(Option<String>),
}

impl Question {
    pub(crate) fn new(decision: Arc<Decision>, description: &str, workdir: &str) -> Self {
        let mut offers: Vec<Offered> = Vec::new();
        for judged in decision.judged.iter().filter(|judged| !judged.shadow) {
            for offer in judged.offers() {
                let offered = Offered {
                    guest: judged.label.name.clone(),
                    scope: offer.scope.clone(),
                    lifetime: offer.lifetime,
                };
                if !offers.contains(&offered) {
                    offers.push(offered);
                }
            }
        }
        Self {
            decision,
            description: description.to_owned(),
            workdir: workdir.to_owned(),
            offers,
        }
    }
}
