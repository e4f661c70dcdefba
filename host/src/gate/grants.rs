//! What was adopted earlier and still holds: the session's grants and the
//! lasting ones. Whether one fits a command is for the guest that offered it.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::zones::Located;
use super::{Offered, World};
use crate::approvals::{self, Approvals, ApprovalsError, Now, Program};
use crate::guest::Guests;
use crate::guest::bindings::policy::bashgate::policy::types::{
    Access, Grant, Lifetime, PathScope, Scope,
};

/// A grant, and the guest that honours it.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) guest: String,
    pub(crate) grant: Grant,
}

/// Grants of one session, and the way to the lasting ones.
#[derive(Debug, Default)]
pub(crate) struct SessionGrants {
    kept: Mutex<Vec<approvals::Grant>>,
}

/// What grants are bound to.
pub(crate) struct Bound<'a> {
    pub(crate) guests: &'a Guests,
    pub(crate) root: &'a Path,
    pub(crate) workdir: &'a str,
    pub(crate) world: &'a World,
    pub(crate) lasting: &'a Approvals,
}

impl SessionGrants {
    /// Grants that hold now. A file of lasting ones that cannot be trusted
    /// gives none, with a warning.
    pub(crate) fn holding(&self, bound: &Bound<'_>) -> Vec<Held> {
        let session = self
            .kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let lasting = bound.lasting.list().unwrap_or_else(|error| {
            tracing::warn!("lasting approvals are passed over: {error}");
            Arc::default()
        });
        let all = session.iter().chain(lasting.iter());
        all.filter_map(|grant| bound.hold(grant)).collect()
    }

    /// Keeps what a person took with the answer. What may only last a session
    /// lasts a session.
    ///
    /// # Errors
    ///
    /// When a lasting one cannot be written: it then holds for the session.
    pub(crate) fn adopt(
        &self,
        taken: &[Offered],
        always: bool,
        bound: &Bound<'_>,
    ) -> Result<(), ApprovalsError> {
        let mut result = Ok(());
        for offered in taken {
            let Some(grant) = bound.grant(offered)? else {
                continue;
            };
            let lasting = always && offered.lifetime == Lifetime::Always;
            let written = if lasting {
                bound.lasting.add(&grant)
            } else {
                Ok(())
            };
            if !lasting || written.is_err() {
                let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push(grant);
            }
            result = result.and(written);
        }
        result
    }
}

impl Bound<'_> {
    fn hold(&self, grant: &approvals::Grant) -> Option<Held> {
        let judge = self.judge(&grant.guest.name)?;
        let program = self.program(grant.program_name()).ok()?;
        let now = Now {
            root: self.root,
            guest: &judge,
            program: program.as_ref(),
        };
        if let Err(void) = grant.valid(&now) {
            tracing::info!("approval {} does not hold: {void}", grant.id);
            return None;
        }
        Some(Held {
            guest: judge.name,
            grant: Grant {
                id: grant.id.clone(),
                scope: to_contract(&grant.scope),
            },
        })
    }

    fn grant(&self, offered: &Offered) -> Result<Option<approvals::Grant>, ApprovalsError> {
        let Some(judge) = self.judge(&offered.guest) else {
            return Ok(None);
        };
        let scope = from_contract(&offered.scope);
        let name = match &scope {
            approvals::Scope::Command(words) => words.first().map(String::as_str),
            approvals::Scope::Path { .. } => None,
        };
        let Ok(program) = self.program(name) else {
            tracing::warn!("not kept: the program it would be bound to cannot be read");
            return Ok(None);
        };
        approvals::Grant::new(scope, judge, self.root, program).map(Some)
    }

    /// The guest as grants name it: a built-in one by the version of its
    /// rules, a third party's by its digest.
    fn judge(&self, name: &str) -> Option<approvals::Judge> {
        let mut judges = self.guests.judges.iter();
        let judge = judges.find(|judge| judge.guest.label.name == name)?;
        let label = &judge.guest.label;
        let rules = if judge.origin.built_in {
            &label.version
        } else {
            &label.digest
        };
        Some(approvals::Judge {
            name: label.name.clone(),
            rules: rules.clone(),
        })
    }

    /// What a name runs now; none where it runs nothing.
    ///
    /// # Errors
    ///
    /// When there is a program that cannot be looked at: nothing can be bound
    /// to it.
    fn program(&self, name: Option<&str>) -> std::io::Result<Option<Program>> {
        let located = name.and_then(|name| self.world.program(self.workdir, name));
        let look = |located: Located| Program::look(&located.path, self.root);
        located.map(look).transpose()
    }
}

pub(crate) fn to_contract(scope: &approvals::Scope) -> Scope {
    match scope {
        approvals::Scope::Command(words) => Scope::Command(words.clone()),
        approvals::Scope::Path { path, access } => Scope::Path(PathScope {
            path: path.clone(),
            access: match access {
                approvals::Access::Read => Access::Read,
                approvals::Access::Write => Access::Write,
                approvals::Access::Delete => Access::Delete,
                approvals::Access::Execute => Access::Execute,
                approvals::Access::Enter => Access::Enter,
                approvals::Access::Connect => Access::Connect,
                approvals::Access::Other => Access::Other,
            },
        }),
    }
}

fn from_contract(scope: &Scope) -> approvals::Scope {
    match scope {
        Scope::Command(words) => approvals::Scope::Command(words.clone()),
        Scope::Path(scope) => approvals::Scope::Path {
            path: scope.path.clone(),
            access: match scope.access {
                Access::Read => approvals::Access::Read,
                Access::Write => approvals::Access::Write,
                Access::Delete => approvals::Access::Delete,
                Access::Execute => approvals::Access::Execute,
                Access::Enter => approvals::Access::Enter,
                Access::Connect => approvals::Access::Connect,
                Access::Other => approvals::Access::Other,
            },
        },
    }
}
