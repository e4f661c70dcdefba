//! The environments of calls: built once for a host, with and without what the
//! login shell exports, and the same for analysis and child.

use std::sync::Arc;

use tokio::sync::OnceCell;

use super::Login;
use crate::config::Environment;
use crate::gate::Variables;
use crate::process::environment::{Frozen, Policy, Vars, build};
use crate::settings;

/// What the calls of a host get.
pub(crate) struct Environments {
    host: Environment,
    settings: settings::Variables,
    login: Arc<Login>,
    plain: OnceCell<Arc<Prepared>>,
    with_login: OnceCell<Arc<Prepared>>,
}

/// An environment, as the child gets it and as the analyzer may know it.
pub(crate) struct Prepared {
    pub(crate) frozen: Frozen,
    pub(crate) known: Arc<Variables>,
}

impl Environments {
    pub(crate) fn new(host: Environment, settings: settings::Variables, login: Arc<Login>) -> Self {
        Self {
            host,
            settings,
            login,
            plain: OnceCell::new(),
            with_login: OnceCell::new(),
        }
    }

    /// For commands that nobody watches. The first call with `login` waits
    /// for the login shell.
    pub(crate) async fn unattended(&self, login: bool) -> Arc<Prepared> {
        let kept = if login { &self.with_login } else { &self.plain };
        let make = || async {
            let frozen = self.build(login, true).await;
            Arc::new(Prepared {
                known: Arc::new(Variables::new(&frozen.vars)),
                frozen,
            })
        };
        Arc::clone(kept.get_or_init(make).await)
    }

    /// For a command that a person let run: with the user's own git
    /// configuration.
    pub(crate) async fn seen_by_a_person(&self, login: bool) -> Frozen {
        self.build(login, false).await
    }

    async fn build(&self, login: bool, git_disarmed: bool) -> Frozen {
        let policy = Policy {
            pass: self.settings.pass.clone(),
            withhold: self.settings.withhold.clone(),
            set: self.settings.set.clone(),
            login: if login {
                self.login.variables().await.clone()
            } else {
                Vars::new()
            },
            git_disarmed,
            ..Policy::default()
        };
        let variables = self.host.iter();
        build(
            variables.map(|(name, value)| (name.clone(), value.clone())),
            &policy,
        )
    }
}
