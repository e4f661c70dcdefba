//! The environment that the user's login shell would have: taken once for a
//! host, in the background; when it cannot be had, said once and gone without.

use std::ffi::OsStr;
use std::path::PathBuf;

use rustix::fs::{Access, access};
use tokio::sync::OnceCell;

use crate::config::{Environment, Places};
use crate::process::environment::{self, Policy, Vars};
use crate::process::login::{LOGIN_LIMIT, login_environment};
use crate::settings::{Settings, Snapshot};

pub(crate) struct Login {
    shell: PathBuf,
    home: PathBuf,
    base: Vars,
    off: bool,
    taken: OnceCell<Vars>,
}

impl Login {
    pub(crate) fn new(settings: &Settings, places: &Places, host: &Environment) -> Self {
        let policy = Policy {
            pass: settings.environment.pass.clone(),
            withhold: settings.environment.withhold.clone(),
            git_disarmed: false,
            ..Policy::default()
        };
        let variables = host
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()));
        let base = environment::build(variables, &policy).vars;
        Self {
            shell: shell(settings, host),
            home: places.home.clone(),
            base: base.into_iter().collect(),
            off: !settings.shell.login || settings.shell.snapshot == Snapshot::Off,
            taken: OnceCell::new(),
        }
    }

    pub(crate) async fn variables(&self) -> &Vars {
        self.taken.get_or_init(|| self.take()).await
    }

    async fn take(&self) -> Vars {
        if self.off {
            return Vars::new();
        }
        login_environment(&self.shell, &self.home, &self.base, LOGIN_LIMIT)
            .await
            .unwrap_or_else(|error| {
                tracing::warn!("commands run without the login shell's environment: {error}");
                Vars::new()
            })
    }
}

/// The user's own shell where it can be run, else bash.
fn shell(settings: &Settings, host: &Environment) -> PathBuf {
    let usable = |path: &PathBuf| path.is_absolute() && access(path, Access::EXEC_OK).is_ok();
    host.get(OsStr::new("SHELL"))
        .map(PathBuf::from)
        .filter(usable)
        .unwrap_or_else(|| settings.shell.program.clone())
}
