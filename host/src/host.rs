//! The host: settings, guests and stores that all sessions share.

use std::path::PathBuf;
use std::sync::Arc;

use crate::approvals::Approvals;
use crate::config::{Config, ConfigError, Environment, Places, PlacesError};
use crate::executor::{Environments, Login};
use crate::gate::zones::Zones;
use crate::gate::{Gate, Record};
use crate::guest::{Fault, Guests, Lifetime, Listed, LoadError, LoadPlan, PluginPlan, SlotPlan};
use crate::output::{ArtifactStore, artifact};
use crate::process::shell::{Shell, ShellError};
use crate::session::SessionBuilder;
use crate::settings::{Component, Settings, Slot};

/// Why a host cannot start. Nothing ran.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The workspace, home or the like cannot be found.
    #[error(transparent)]
    Places(#[from] PlacesError),
    /// A configuration file is wrong, or a guest refuses what it says.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A guest cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// `shell.program` is no bash.
    #[error("shell.program: {0}")]
    Shell(#[from] ShellError),
}

/// How a host is started. Every method has a default, so that
/// `Host::builder().start()` works.
#[derive(Debug, Clone)]
pub struct HostBuilder {
    root: Option<PathBuf>,
    config: Option<PathBuf>,
    set: Vec<String>,
    environment: Option<Environment>,
    cwd: Option<PathBuf>,
    lifetime: Lifetime,
    login_early: bool,
}

impl Default for HostBuilder {
    fn default() -> Self {
        Self {
            root: None,
            config: None,
            set: Vec::new(),
            environment: None,
            cwd: None,
            lifetime: Lifetime::Long,
            login_early: true,
        }
    }
}

impl HostBuilder {
    /// The workspace. Default: the git top level, else the current directory.
    #[must_use]
    pub fn root(mut self, root: impl Into<PathBuf>) -> Self {
        self.root = Some(root.into());
        self
    }

    /// A configuration file, read after the user's and the project's.
    #[must_use]
    pub fn config(mut self, file: impl Into<PathBuf>) -> Self {
        self.config = Some(file.into());
        self
    }

    /// A setting as `key=value`, stronger than all files.
    #[must_use]
    pub fn set(mut self, setting: impl Into<String>) -> Self {
        self.set.push(setting.into());
        self
    }

    /// The environment to start from. Default: this process's.
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = Some(environment);
        self
    }

    /// The directory that relative paths start from. Default: this process's.
    #[must_use]
    pub fn current_dir(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// How long the host lives. Default: [`Lifetime::Long`].
    #[must_use]
    pub fn lifetime(mut self, lifetime: Lifetime) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// Whether the login shell's environment is taken while the guests load,
    /// so that the first command does not wait for it. Default: yes.
    #[must_use]
    pub fn login_early(mut self, early: bool) -> Self {
        self.login_early = early;
        self
    }

    /// Reads the configuration and loads the guests.
    ///
    /// # Errors
    ///
    /// A fault of the configuration, or a guest that cannot be loaded.
    pub async fn start(self) -> Result<Host, HostError> {
        let environment = self
            .environment
            .unwrap_or_else(|| std::env::vars_os().collect());
        let cwd = match self.cwd {
            Some(cwd) => cwd,
            None => std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
        };
        let places = Places::find(&environment, &cwd, self.root.as_deref())?;
        let config = Config::load(&places, self.config.as_deref(), &self.set)?;
        let settings = Settings::resolve(&config, &places, &environment)?;
        let shell = Shell::new(&settings.shell.program)?;
        let login = Arc::new(Login::new(&settings, &places, &environment));
        if self.login_early {
            let login = Arc::clone(&login);
            tokio::spawn(async move {
                login.variables().await;
            });
        }
        let guests = Guests::load(load_plan(&settings, &places, self.lifetime))
            .await
            .map_err(|error| place_in_config(error, &config))?;
        for absent in &guests.absent {
            tracing::warn!("plugin {} is missing: {}", absent.name, absent.reason);
        }
        let guests = Arc::new(guests);
        if self.lifetime == Lifetime::Long {
            warm(Arc::clone(&guests), places.cache.join("code"));
        }
        let folder = places.data.join("tool-output");
        let artifacts = ArtifactStore::open(&folder).map_err(|error| error.to_string());
        if let Ok(store) = &artifacts {
            sweep(store.clone());
        }
        let folder = artifacts.as_ref().ok().map(|_| folder);
        let inner = Inner {
            zones: Arc::new(Zones::new(&places, &settings.protected, folder.as_deref())),
            gate: Gate::new(Arc::clone(&guests)),
            record: Record::new(settings.audit, &places.state),
            approvals: Approvals::at(&places.config),
            environments: Environments::new(environment, settings.environment.clone(), login),
            artifacts,
            settings,
            guests,
            places,
            shell,
        };
        Ok(Host {
            inner: Arc::new(inner),
        })
    }
}

/// A started host. Clones share everything.
#[derive(Clone)]
pub struct Host {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) places: Places,
    pub(crate) settings: Settings,
    pub(crate) guests: Arc<Guests>,
    pub(crate) gate: Gate,
    pub(crate) zones: Arc<Zones>,
    pub(crate) record: Record,
    pub(crate) approvals: Approvals,
    pub(crate) shell: Shell,
    pub(crate) environments: Environments,
    /// Or why there is none.
    pub(crate) artifacts: Result<ArtifactStore, String>,
}

impl Host {
    /// How to start one.
    #[must_use]
    pub fn builder() -> HostBuilder {
        HostBuilder::default()
    }

    /// A session for one agent.
    #[must_use]
    pub fn session(&self) -> SessionBuilder {
        SessionBuilder::new(self.clone())
    }

    /// A row for each guest.
    #[must_use]
    pub fn plugins(&self) -> Vec<Listed> {
        self.inner.guests.list()
    }

    /// The guests themselves.
    #[must_use]
    pub fn guests(&self) -> &Guests {
        &self.inner.guests
    }

    /// The settings as resolved.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    /// The workspace and the folders of bashgate.
    #[must_use]
    pub fn places(&self) -> &Places {
        &self.inner.places
    }

    /// Lasting approvals.
    #[must_use]
    pub fn approvals(&self) -> &Approvals {
        &self.inner.approvals
    }

    /// Why output that is too long cannot be kept whole, if it cannot.
    #[must_use]
    pub fn artifact_error(&self) -> Option<&str> {
        self.inner.artifacts.as_ref().err().map(String::as_str)
    }
}

/// Makes missing snapshots on a thread of its own, when nothing else wants to
/// run.
fn warm(guests: Arc<Guests>, cache: PathBuf) {
    let work = move || {
        // Without the lower priority it only disturbs a little more.
        let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), 19);
        guests.warm(Some(&cache));
    };
    let thread = std::thread::Builder::new().name("bashgate-snapshots".into());
    if let Err(error) = thread.spawn(work) {
        tracing::warn!("guests start without snapshots: {error}");
    }
}

/// Old output goes, off the asynchronous threads.
fn sweep(store: ArtifactStore) {
    tokio::task::spawn_blocking(move || {
        if let Err(error) = store.sweep(artifact::KEPT) {
            tracing::warn!("old output is not removed: {error}");
        }
    });
}

fn load_plan(settings: &Settings, places: &Places, lifetime: Lifetime) -> LoadPlan {
    let file = |component: &Component| {
        let pin = component.pin.map(|pin| pin.0);
        (component.path.clone(), pin)
    };
    let slot = |slot: Slot| SlotPlan {
        file: settings.component(slot).map(file),
        config: settings.guest_config(slot).to_string(),
    };
    let plugins = settings.plugins.iter().map(|plugin| PluginPlan {
        name: plugin.name.clone(),
        file: file(&plugin.component),
        required: plugin.required,
        may_allow: plugin.may_allow,
        shadow: plugin.shadow,
        config: plugin.config.to_string(),
        limits: plugin.limits,
    });
    LoadPlan {
        analyzer: slot(Slot::Analyzer),
        interceptor: slot(Slot::Interceptor),
        approval: slot(Slot::Approval),
        tool: slot(Slot::Tool),
        plugins: plugins.collect(),
        cache: Some(places.cache.join("code")),
        lifetime,
    }
}

/// A guest that refuses its configuration quotes it; the place of that is
/// what the user needs.
fn place_in_config(error: LoadError, config: &Config) -> HostError {
    if let LoadError::Guest { source, .. } = &error
        && let Fault::Configuration(message) = &source.fault
        && config.locate(message).is_some()
    {
        return HostError::Config(config.blame(message));
    }
    HostError::Load(error)
}
