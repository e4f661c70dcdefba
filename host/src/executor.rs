//! The WIT `executor`: gate first, then process. The one place that starts
//! something, and only what the gate has let through.

mod call;
mod denied;
mod environment;
mod freeze;
mod login;
mod outcome;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::gate::{
    Answer, Decision, Matter, Offered, Question, Ruling, Undecided, World, json as as_json,
};
use crate::guest::bindings::tool::bashgate::tool::executor::{
    Abilities, Command, Outcome, Refusal,
};
use crate::guest::{Executor, Run};
use crate::process::{self, tree::MARK};
pub use call::Ended;
pub(crate) use call::Shared;
use call::Witness;
use denied::Why;
pub(crate) use environment::Environments;
use freeze::{Freeze, Frozen};
pub(crate) use login::Login;

/// Times that a decision is made anew because what it rests on has changed.
/// What changes that often is not left alone.
const ROUNDS: usize = 3;

/// Runs the scripts of one tool call.
pub(crate) struct SessionExecutor {
    shared: Arc<Shared>,
    cancel: CancellationToken,
    witness: Witness,
}

/// The gate let it through, and so.
struct Passed {
    decision: Arc<Decision>,
    /// Who decided, for the receipt.
    by: String,
    /// A person saw the script.
    person: bool,
}

impl SessionExecutor {
    pub(crate) fn new(shared: &Arc<Shared>, cancel: CancellationToken) -> Self {
        Self {
            shared: Arc::clone(shared),
            cancel,
            witness: Witness::default(),
        }
    }

    /// What the host saw of the call.
    pub(crate) fn ended(&self) -> Ended {
        self.witness.ended()
    }

    /// Decides, without asking and without running.
    pub(crate) async fn explain(&self, command: Command) -> Result<Decision, String> {
        let decided = async {
            let freeze = freeze::freeze(&self.shared, command).await?;
            self.decide(freeze).await
        };
        let (decision, _) = decided.await.map_err(|refusal| words(&refusal))?;
        Ok(decision)
    }

    async fn execute(&self, command: Command) -> Result<Outcome, Refusal> {
        let freeze = freeze::freeze(&self.shared, command).await?;
        if self.shared.host.inner.settings.sandbox.required {
            return Err(Refusal::Unavailable(
                "sandbox_required is set and this build has no sandbox; nothing was run".into(),
            ));
        }
        let (passed, frozen) = self.pass(freeze).await?;
        let decided = as_json::decision(&passed.decision);
        let fields = json!({ "decision": decided, "by": passed.by });
        self.record(&frozen, "start", fields).await?;
        let request = freeze::request(&self.shared, &frozen, &passed, self.cancel.clone()).await?;
        let finished = process::run(request)
            .await
            .map_err(|error| Refusal::Unavailable(format!("the shell did not start: {error}")))?;
        self.witness.saw(outcome::ended(&finished));
        self.record(&frozen, "end", outcome::facts(&finished))
            .await?;
        Ok(outcome::outcome(&self.shared, &frozen, &passed, finished))
    }

    /// Until the gate lets it through and what that rests on still holds.
    async fn pass(&self, mut freeze: Freeze) -> Result<(Passed, Frozen), Refusal> {
        for _ in 0..ROUNDS {
            let (decision, frozen) = self.decide(freeze).await?;
            let decision = Arc::new(decision);
            let passed = match decision.ruling {
                Ruling::Deny => return Err(self.deny(&frozen, &decision, &Why::Ruled).await),
                Ruling::Allow => Passed {
                    by: String::from("the rules"),
                    person: false,
                    decision,
                },
                Ruling::Ask => self.ask(&frozen, decision).await?,
            };
            match self.changed(&passed.decision, &frozen).await {
                None => return Ok((passed, frozen)),
                Some(what) => tracing::info!("judged again: {what} has changed since"),
            }
            freeze = Box::new(move || Ok(frozen));
        }
        Err(Refusal::Unavailable(format!(
            "what the decision rests on changed {ROUNDS} times while it was made; nothing was run"
        )))
    }

    async fn decide(&self, freeze: Freeze) -> Result<(Decision, Frozen), Refusal> {
        let shared = Arc::clone(&self.shared);
        let prepare = move || {
            let frozen = freeze()?;
            let world = World::new(
                Arc::clone(&shared.host.inner.zones),
                Arc::clone(&frozen.environment.known),
                (MARK, frozen.id.clone()),
            );
            let bound = shared.bound(&world, &frozen.workdir.path);
            let matter = Matter {
                case: frozen.case(),
                asker: shared.asker(),
                grants: shared.grants.holding(&bound),
                world,
            };
            Ok((matter, frozen))
        };
        let decided = self.shared.host.inner.gate.decide(prepare).await;
        decided.map_err(|undecided| match undecided {
            Undecided::NotPrepared(refusal) => refusal,
            Undecided::Broken(why) => {
                Refusal::Unavailable(format!("no decision, so nothing was run: {why}"))
            }
        })
    }

    async fn ask(&self, frozen: &Frozen, decision: Arc<Decision>) -> Result<Passed, Refusal> {
        let approver = &self.shared.approver;
        if !approver.attended() {
            return Err(self.deny(frozen, &decision, &Why::Unattended).await);
        }
        let workdir = &frozen.workdir.path;
        let question = Question::new(Arc::clone(&decision), &frozen.description, workdir);
        let limit = self.shared.host.inner.settings.approval_wait;
        let answer = tokio::select! {
            answer = waited(limit, approver.ask(question)) => answer,
            () = self.cancel.cancelled() => {
                return Err(self.deny(frozen, &decision, &Why::Cancelled).await);
            }
        };
        let (taken, always) = match answer {
            None => return Err(self.deny(frozen, &decision, &Why::NoAnswer).await),
            Some(Answer::No(reason)) => {
                let who = approver.name().to_owned();
                let why = Why::Refused { who, reason };
                return Err(self.deny(frozen, &decision, &why).await);
            }
            Some(Answer::Once) => (Vec::new(), false),
            Some(Answer::Session(taken)) => (taken, false),
            Some(Answer::Always(taken)) => (taken, true),
        };
        self.adopt(&decision, frozen, taken, always).await;
        Ok(Passed {
            by: approver.name().to_owned(),
            person: true,
            decision,
        })
    }

    /// Keeps the grants off the asynchronous threads: files are written.
    async fn adopt(
        &self,
        decision: &Arc<Decision>,
        frozen: &Frozen,
        taken: Vec<Offered>,
        always: bool,
    ) {
        let (shared, decision) = (Arc::clone(&self.shared), Arc::clone(decision));
        let workdir = frozen.workdir.path.clone();
        let work = move || {
            let Some(world) = decision.world.as_ref().filter(|_| !taken.is_empty()) else {
                return;
            };
            let bound = shared.bound(world, &workdir);
            if let Err(error) = shared.grants.adopt(&taken, always, &bound) {
                tracing::warn!("the approval holds for this session only: {error}");
            }
        };
        if tokio::task::spawn_blocking(work).await.is_err() {
            tracing::warn!("the approval was not kept");
        }
    }

    /// What has changed since the decision, if anything.
    async fn changed(&self, decision: &Arc<Decision>, frozen: &Frozen) -> Option<String> {
        let (decision, workdir) = (Arc::clone(decision), frozen.workdir.clone());
        let look = move || {
            if !workdir.stands() {
                return Some("the working directory".to_owned());
            }
            decision.world.as_ref()?.changed()
        };
        tokio::task::spawn_blocking(look)
            .await
            .unwrap_or_else(|_| Some("the last look failed".into()))
    }

    async fn deny(&self, frozen: &Frozen, decision: &Decision, why: &Why) -> Refusal {
        self.witness.saw(Ended::Denied);
        let denial = denied::denial(decision, why);
        let decided = as_json::decision(decision);
        let fields = json!({ "decision": decided, "message": denial.message });
        match self.record(frozen, "denied", fields).await {
            Ok(()) => Refusal::Denied(denial),
            Err(refusal) => refusal,
        }
    }

    async fn record(
        &self,
        frozen: &Frozen,
        event: &'static str,
        mut fields: Value,
    ) -> Result<(), Refusal> {
        if let Some(fields) = fields.as_object_mut() {
            fields.insert("session".into(), json!(self.shared.id));
            fields.insert("workdir".into(), json!(frozen.workdir.path));
            fields.insert("description".into(), json!(frozen.description));
        }
        let (host, call) = (self.shared.host.clone(), frozen.id.clone());
        let write = move || host.inner.record.write(&call, event, fields);
        match tokio::task::spawn_blocking(write).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(Refusal::Unavailable(error.to_string())),
            Err(_) => Err(Refusal::Unavailable(
                "no record, no run: the record was not written".into(),
            )),
        }
    }
}

impl Executor for SessionExecutor {
    fn abilities(&self) -> Abilities {
        let timeout = &self.shared.host.inner.settings.timeout;
        Abilities {
            escalation: false,
            default_timeout_ms: freeze::millis(timeout.default),
            max_timeout_ms: freeze::millis(timeout.max),
        }
    }

    fn run(&self, command: Command) -> Run<'_> {
        Box::pin(async move {
            let result = self.execute(command).await;
            match &result {
                Ok(_) | Err(Refusal::Denied(_)) => {}
                Err(refusal) => self.witness.saw(Ended::Failed(words(refusal))),
            }
            result
        })
    }
}

async fn waited(limit: Option<Duration>, asking: impl Future<Output = Answer>) -> Option<Answer> {
    match limit {
        None => Some(asking.await),
        Some(limit) => tokio::time::timeout(limit, asking).await.ok(),
    }
}

fn words(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Denied(denial) => denial.message.clone(),
        Refusal::Invalid(what) | Refusal::Unavailable(what) => what.clone(),
        Refusal::WorkdirMissing(path) => format!("the working directory does not exist: {path}"),
        Refusal::WorkdirNotADirectory(path) => {
            format!("the working directory is not a directory: {path}")
        }
    }
}
