//! Asks the library, in this process, for the plan of a script.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use bashgate::config::Environment;
use bashgate::gate::Decision;
use bashgate::{Host, Session};

/// How long guests may take to be ready.
const READY: Duration = Duration::from_secs(120);

/// What a planner starts from.
#[derive(Debug, Clone)]
pub struct Scene<'a> {
    /// The workspace.
    pub root: &'a Path,
    /// The user's home.
    pub home: &'a Path,
    /// PATH.
    pub path: &'a str,
    /// Takes the host's own files.
    pub own: &'a Path,
    /// Takes compiled guests.
    pub cache: &'a Path,
    /// Settings, as `key=value`.
    pub set: &'a [String],
}

/// A host with one session, and what its work runs on.
pub struct Planner {
    runtime: tokio::runtime::Runtime,
    session: Session,
    // Keeps what the session stands on.
    _host: Host,
}

impl Planner {
    /// Starts a host and waits until its guests start from snapshots.
    ///
    /// # Errors
    ///
    /// When the host does not start.
    pub fn start(scene: &Scene<'_>) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .context("no runtime")?;
        let host = runtime.block_on(async {
            let mut builder = Host::builder()
                .root(scene.root)
                .current_dir(scene.root)
                .environment(environment(scene))
                .set("shell.snapshot=\"off\"")
                .set("audit=\"off\"");
            for setting in scene.set {
                builder = builder.set(setting.as_str());
            }
            builder.start().await
        })?;
        let began = Instant::now();
        while !host.guests().is_warm() {
            if began.elapsed() > READY {
                bail!("the guests were not ready after {READY:?}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let session = host.session().open().context("no session")?;
        Ok(Self {
            runtime,
            session,
            _host: host,
        })
    }

    /// What would be decided about a script.
    ///
    /// # Errors
    ///
    /// When it cannot be judged at all.
    pub fn explain(&self, script: &str) -> Result<Decision> {
        Ok(self.runtime.block_on(self.session.explain(script, None))?)
    }
}

/// The environment that is analyzed: what scripts run with, and the host's
/// own folders.
fn environment(scene: &Scene<'_>) -> Environment {
    let mut environment: Environment = crate::run::environment(scene.path, scene.home)
        .into_iter()
        .map(|(name, value)| (name.into(), value))
        .collect();
    for (name, folder) in [
        ("XDG_CONFIG_HOME", scene.own.join("config")),
        ("XDG_DATA_HOME", scene.own.join("data")),
        ("XDG_STATE_HOME", scene.own.join("state")),
        ("XDG_CACHE_HOME", scene.cache.to_owned()),
    ] {
        environment.insert(name.into(), folder.into());
    }
    environment
}
