//! One agent: its directory, its grants, its approver, its tool calls.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub use crate::executor::Ended;
use crate::executor::{SessionExecutor, Shared};
use crate::gate::{Answer, Approver, Asking, Decision, Question, SessionGrants};
use crate::guest::GuestError;
use crate::guest::bindings::tool::bashgate::tool::executor::Command;
use crate::guest::bindings::tool::exports::bashgate::tool::tool::{Definition, Reply, Request};
use crate::host::Host;

/// How a session is opened.
pub struct SessionBuilder {
    host: Host,
    workdir: Option<PathBuf>,
    tools: Vec<String>,
    approver: Arc<dyn Approver>,
}

impl SessionBuilder {
    pub(crate) fn new(host: Host) -> Self {
        Self {
            host,
            workdir: None,
            tools: Vec::new(),
            approver: Arc::new(Nobody),
        }
    }

    /// Directory that calls start in. Default: the root.
    #[must_use]
    pub fn workdir(mut self, workdir: impl Into<PathBuf>) -> Self {
        self.workdir = Some(workdir.into());
        self
    }

    /// The agent's other tools, by name. Default: none, so that nothing is
    /// intercepted.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = String>) -> Self {
        self.tools = tools.into_iter().collect();
        self
    }

    /// Who answers questions. Default: nobody, so that what would be asked is
    /// denied.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = approver;
        self
    }

    /// Opens it.
    ///
    /// # Errors
    ///
    /// When the system has no randomness to name it with.
    pub fn open(self) -> std::io::Result<Session> {
        let places = &self.host.inner.places;
        let workdir = match self.workdir {
            Some(workdir) => places.cwd.join(workdir),
            None => places.root.clone(),
        };
        Ok(Session {
            shared: Arc::new(Shared {
                id: crate::unguessable::id()?,
                host: self.host,
                workdir,
                tools: self.tools,
                approver: self.approver,
                grants: SessionGrants::default(),
            }),
        })
    }
}

/// A session. Clones are the same session.
#[derive(Clone)]
pub struct Session {
    pub(crate) shared: Arc<Shared>,
}

/// A tool as the agent sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// What it is called by.
    pub name: String,
    /// For people.
    pub title: String,
    /// For the model.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
    /// JSON Schema of its structured answer.
    pub output_schema: Value,
}

/// What a tool call came to.
#[derive(Debug)]
pub struct Called {
    /// For the model.
    pub text: String,
    /// As the tool's output schema says.
    pub structured: Value,
    /// Whether the call failed as a call.
    pub is_error: bool,
    /// What the host itself saw, whatever the tool guest made of it.
    pub ended: Ended,
}

/// Why there is no answer to a call.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The tool guest crashed or ran into a limit.
    #[error(transparent)]
    Guest(#[from] GuestError),
    /// Its answer is none.
    #[error("the tool guest {guest} broke its contract: {what}")]
    Contract {
        /// Who.
        guest: String,
        /// What.
        what: String,
    },
    /// A script cannot be judged: its directory is not there, say.
    #[error("{0}")]
    Invalid(String),
}

impl Session {
    /// The tool definitions that this session offers to its agent.
    ///
    /// # Errors
    ///
    /// When the tool guest fails, or a schema of its is no JSON.
    pub async fn tools(&self) -> Result<Vec<Tool>, CallError> {
        let guest = &self.shared.host.inner.guests.tool;
        let executor = Arc::new(SessionExecutor::new(&self.shared, CancellationToken::new()));
        let definitions = guest.definitions(executor).await?;
        let tool = |definition: Definition| {
            let schema = |text: &str| {
                serde_json::from_str(text).map_err(|error| CallError::Contract {
                    guest: guest.label.to_string(),
                    what: format!("a schema of `{}` is no JSON: {error}", definition.name),
                })
            };
            Ok(Tool {
                input_schema: schema(&definition.input_schema)?,
                output_schema: schema(&definition.output_schema)?,
                name: definition.name,
                title: definition.title,
                description: definition.description,
            })
        };
        definitions.into_iter().map(tool).collect()
    }

    /// Calls a tool with raw arguments. Cancelling the token ends the whole
    /// tree that the call started; so does dropping the future.
    ///
    /// # Errors
    ///
    /// When the tool guest fails. All else is in the answer.
    pub async fn call(
        &self,
        tool: &str,
        arguments: &str,
        cancel: CancellationToken,
    ) -> Result<Called, CallError> {
        let guest = &self.shared.host.inner.guests.tool;
        let executor = Arc::new(SessionExecutor::new(&self.shared, cancel));
        let request = Request {
            name: tool.to_owned(),
            arguments: arguments.to_owned(),
        };
        let reply = guest.invoke(Arc::clone(&executor) as _, request).await?;
        let reply = reply.unwrap_or_else(|text| Reply {
            text,
            structured: String::from("{}"),
            is_error: true,
        });
        let structured = serde_json::from_str(&reply.structured);
        Ok(Called {
            structured: structured.map_err(|error| CallError::Contract {
                guest: guest.label.to_string(),
                what: format!("its structured answer is no JSON: {error}"),
            })?,
            text: reply.text,
            is_error: reply.is_error,
            ended: executor.ended(),
        })
    }

    /// What would be decided about a script, and why. Runs nothing.
    ///
    /// # Errors
    ///
    /// When the script cannot be judged: a NUL in it, a directory that is not
    /// there.
    pub async fn explain(
        &self,
        script: &str,
        workdir: Option<&str>,
    ) -> Result<Decision, CallError> {
        let executor = SessionExecutor::new(&self.shared, CancellationToken::new());
        let command = Command {
            script: script.to_owned(),
            description: String::new(),
            workdir: workdir.map(str::to_owned),
            timeout_ms: None,
            login: None,
            head: None,
            tail: None,
            escalation: None,
        };
        executor.explain(command).await.map_err(CallError::Invalid)
    }
}

/// Nobody is there: what would be asked is denied.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

impl Approver for Nobody {
    fn attended(&self) -> bool {
        false
    }

    fn name(&self) -> &str {
        "nobody"
    }

    fn ask(&self, _: Question) -> Asking<'_> {
        Box::pin(std::future::ready(Answer::No(None)))
    }
}
