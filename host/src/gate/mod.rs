//! The gate: no script runs before it has let that exact script through.
//!
//! In order: the caller freezes environment and directory; [`analyze`] asks
//! for the plan; [`judge`] asks every policy; [`weigh`] lets the strictest
//! win; a person is asked where that is the answer; [`look`] makes sure that
//! what the decision rests on is still so. Knows no process and no command.

mod analyze;
mod ask;
mod decision;
mod grants;
pub(crate) mod json;
mod judge;
mod look;
mod record;
mod weigh;
pub mod zones;

use std::sync::Arc;
use std::time::Duration;

use crate::guest::Guests;
use crate::guest::bindings::policy::bashgate::policy::types;
pub use ask::{Answer, Approver, Asking, Offered, Question};
pub use decision::{Decision, Judged, Ruling, Verdict};
pub(crate) use grants::{Bound, Held, SessionGrants, to_contract};
pub(crate) use look::{Variables, World};
pub(crate) use record::Record;

/// Longer decisions are broken off: a file system hangs, or guests add up.
const LONGEST: Duration = Duration::from_secs(15);

/// What is to be decided.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// What bash would run.
    pub(crate) script: String,
    /// The agent's words. They decide nothing.
    pub(crate) description: String,
    /// Real path of the directory that it would start in.
    pub(crate) workdir: String,
    /// Milliseconds.
    pub(crate) timeout_ms: Option<u32>,
    pub(crate) escalation: Option<types::Escalation>,
}

/// Who asks, as the policies see it.
#[derive(Debug, Clone)]
pub(crate) struct Asker {
    pub(crate) session: types::Session,
    pub(crate) root: String,
    pub(crate) home: String,
    pub(crate) sandbox: types::Sandbox,
    /// Required plugins that are not there, with the reason.
    pub(crate) missing: Vec<(String, String)>,
}

/// All that a decision is made from.
pub(crate) struct Matter {
    pub(crate) case: Case,
    pub(crate) asker: Asker,
    pub(crate) world: World,
    /// What was adopted earlier and still holds.
    pub(crate) grants: Vec<Held>,
}

/// Why there is no decision. Nothing may run.
pub(crate) enum Undecided<E> {
    /// There is nothing to decide about.
    NotPrepared(E),
    /// In words.
    Broken(&'static str),
}

/// Decides cases with one set of guests.
pub(crate) struct Gate {
    guests: Arc<Guests>,
    /// Decisions at the same time; each holds a thread.
    places: Arc<tokio::sync::Semaphore>,
}

impl Gate {
    pub(crate) fn new(guests: Arc<Guests>) -> Self {
        Self {
            guests,
            places: Arc::new(tokio::sync::Semaphore::new(crate::guest::CONCURRENT)),
        }
    }

    /// Analyzes and judges, off the asynchronous threads. `prepare` reads
    /// files, so it runs there too; what it returns beside the matter is given
    /// back with the decision.
    ///
    /// # Errors
    ///
    /// What `prepare` says, or that no decision could be made. What can be
    /// judged, but by no guest, is a decision: ask.
    pub(crate) async fn decide<T, E>(
        &self,
        prepare: impl FnOnce() -> Result<(Matter, T), E> + Send + 'static,
    ) -> Result<(Decision, T), Undecided<E>>
    where
        T: Send + 'static,
        E: Send + 'static,
    {
        let places = Arc::clone(&self.places);
        let guests = Arc::clone(&self.guests);
        let work = async {
            // Never closed, so a place always comes. It goes with the thread,
            // so that threads which hang are counted.
            let place = places.acquire_owned().await;
            let (answer, decided) = tokio::sync::oneshot::channel();
            tokio::task::spawn_blocking(move || {
                let decided = prepare().map(|(matter, kept)| (decide(&guests, matter), kept));
                // Nobody may wait any more.
                let _ = answer.send(decided);
                guests.restock();
                drop(place);
            });
            decided.await
        };
        match tokio::time::timeout(LONGEST, work).await {
            Ok(Ok(decided)) => decided.map_err(Undecided::NotPrepared),
            Ok(Err(_)) => Err(Undecided::Broken("it was broken off by a fault")),
            Err(_) => Err(Undecided::Broken(
                "none within 15 s; a file system may hang",
            )),
        }
    }
}

/// Analyzes, judges and weighs; a script is rewritten once.
fn decide(guests: &Guests, mut matter: Matter) -> Decision {
    let first = decide_once(guests, &matter);
    let Some(rewriting) = first.rewriting() else {
        return first;
    };
    matter.case.script.clone_from(&rewriting.script);
    let mut second = decide_once(guests, &matter);
    second.rewritten(&rewriting, first);
    second
}

fn decide_once(guests: &Guests, matter: &Matter) -> Decision {
    let Matter {
        case,
        asker,
        world,
        grants,
    } = matter;
    let analysis = analyze::analyze(&guests.analyzer, case, asker, world);
    let execution = judge::execution(analysis.plan, case, asker);
    let judged = judge::all(guests, &execution, &asker.session, grants);
    weigh::weigh(
        execution.plan,
        judged,
        analysis.findings,
        asker,
        world.clone(),
    )
}
