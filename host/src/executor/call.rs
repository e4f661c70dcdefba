//! What all calls of a session share, and what the host sees of one.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::gate::{Approver, Asker, Bound, SessionGrants, World};
use crate::guest::bindings::policy::bashgate::policy::types;
use crate::host::Host;
use crate::settings::{Mode, SandboxMode};

/// What all calls of a session share.
pub(crate) struct Shared {
    pub(crate) id: String,
    pub(crate) host: Host,
    pub(crate) workdir: PathBuf,
    pub(crate) tools: Vec<String>,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) grants: SessionGrants,
}

impl Shared {
    /// What grants are bound to, seen from a directory.
    pub(super) fn bound<'a>(&'a self, world: &'a World, workdir: &'a str) -> Bound<'a> {
        let inner = &self.host.inner;
        Bound {
            guests: &inner.guests,
            root: &inner.places.root,
            workdir,
            world,
            lasting: &inner.approvals,
        }
    }

    pub(crate) fn asker(&self) -> Asker {
        let inner = &self.host.inner;
        let settings = &inner.settings;
        let absent = inner.guests.absent.iter();
        let missing = absent.filter(|absent| absent.required);
        Asker {
            session: types::Session {
                id: self.id.clone(),
                mode: match settings.mode {
                    Mode::Never => types::Mode::Never,
                    Mode::OnRequest => types::Mode::OnRequest,
                    Mode::UnlessTrusted => types::Mode::UnlessTrusted,
                },
                attended: self.approver.attended(),
                tools: self.tools.clone(),
                attributes: Vec::new(),
            },
            root: inner.places.root.to_string_lossy().into_owned(),
            home: inner.places.home.to_string_lossy().into_owned(),
            sandbox: types::Sandbox {
                mode: match settings.sandbox.mode {
                    SandboxMode::ReadOnly => types::SandboxMode::ReadOnly,
                    SandboxMode::WorkspaceWrite => types::SandboxMode::WorkspaceWrite,
                    SandboxMode::FullAccess => types::SandboxMode::FullAccess,
                },
                enforcing: false,
                network: true,
                backend: String::from("none"),
            },
            missing: missing
                .map(|absent| (absent.name.clone(), absent.reason.clone()))
                .collect(),
        }
    }
}

/// What the host saw of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// Nothing was run: the arguments did not fit, or the tool guest decided
    /// not to.
    NotRun,
    /// The gate refused.
    Denied,
    /// The host could not run it.
    Failed(String),
    /// The shell ended so.
    Ran {
        /// None when a signal ended it.
        exit_code: Option<i32>,
        /// The number of that signal.
        signal: Option<i32>,
        /// The timeout ended it.
        timed_out: bool,
        /// It was cancelled.
        cancelled: bool,
    },
}

/// Keeps what the host saw of a call.
#[derive(Debug, Default)]
pub(crate) struct Witness(Mutex<Option<Ended>>);

impl Witness {
    pub(crate) fn saw(&self, ended: Ended) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
    }

    pub(crate) fn ended(&self) -> Ended {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.clone().unwrap_or(Ended::NotRun)
    }
}
