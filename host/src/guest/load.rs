//! From the configuration to guests that are ready: reads, checks, compiles
//! or finds compiled, starts each once. What cannot be loaded is said by name.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use super::built_in::{self, BuiltIn};
use super::cache::Cache;
use super::engine::{Engines, Lifetime};
use super::limits::Limits;
use super::source::{Source, SourceError, WorldKind, check, digest_text};
use super::sync::{Analyzer, Guest, Policy, Tally, UNNAMED, World, starting};
use super::{GuestError, Label, ToolGuest, snapshot};

/// What a guest of the house may take. A plan of a long script is large, and
/// the analyzer's own limits say `too-complex` well before these.
const BUILT_IN: Limits = Limits {
    evaluate: Duration::from_secs(1),
    wall: Duration::from_secs(3),
    memory: 128 << 20,
    answer: 16 << 20,
};

/// A component's file and its pinned digest.
pub type File = (PathBuf, Option<[u8; 32]>);

/// One of the four guests that every host has.
#[derive(Debug, Clone, Default)]
pub struct SlotPlan {
    /// Another component in place of the built-in one.
    pub file: Option<File>,
    /// JSON for `configure`.
    pub config: String,
}

/// A policy beside the built-in ones.
#[derive(Debug, Clone)]
pub struct PluginPlan {
    /// Its name in the configuration.
    pub name: String,
    /// The component.
    pub file: File,
    /// Without it every command is asked.
    pub required: bool,
    /// It may vouch for units.
    pub may_allow: bool,
    /// It judges along without effect.
    pub shadow: bool,
    /// JSON for `configure`.
    pub config: String,
    /// What a call may cost.
    pub limits: Limits,
}

/// What to load.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Makes the plan of a script.
    pub analyzer: SlotPlan,
    /// Points to better tools.
    pub interceptor: SlotPlan,
    /// Decides.
    pub approval: SlotPlan,
    /// Defines the tools.
    pub tool: SlotPlan,
    /// Policies beside them.
    pub plugins: Vec<PluginPlan>,
    /// Folder of compiled guests; none: compile at each start.
    pub cache: Option<PathBuf>,
    /// How long the host lives.
    pub lifetime: Lifetime,
}

/// Why a host cannot start.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// wasmtime does not run here.
    #[error("no WebAssembly engine on this machine: {0}")]
    Engine(String),
    /// A component that the configuration names is none.
    #[error("guests.{slot}: {source}")]
    Source {
        /// The guest's place.
        slot: &'static str,
        /// Why.
        source: SourceError,
    },
    /// A guest does not start, or refuses its configuration.
    #[error("guests.{slot}: {source}")]
    Guest {
        /// The guest's place.
        slot: &'static str,
        /// Why.
        source: Box<GuestError>,
    },
}

/// A policy and what the user lets it do.
pub(crate) struct Judge {
    pub(crate) guest: Guest<Policy>,
    pub(crate) origin: Origin,
    pub(crate) role: Role,
}

/// What the user lets a policy do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Role {
    pub(crate) required: bool,
    pub(crate) may_allow: bool,
    pub(crate) shadow: bool,
}

impl Role {
    fn interceptor() -> Self {
        Self {
            required: true,
            may_allow: false,
            shadow: false,
        }
    }

    fn approval() -> Self {
        Self {
            may_allow: true,
            ..Self::interceptor()
        }
    }

    fn plugin(plan: &PluginPlan) -> Self {
        Self {
            required: plan.required,
            may_allow: plan.may_allow,
            shadow: plan.shadow,
        }
    }
}

/// A plugin that is not there.
#[derive(Debug, Clone)]
pub(crate) struct Absent {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) required: bool,
    pub(crate) reason: String,
}

/// Where a guest comes from, and what it imports.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    pub(crate) source: String,
    pub(crate) built_in: bool,
    pub(crate) world: &'static str,
    pub(crate) imports: Vec<String>,
}

/// How a guest is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// It has answered whenever it was asked.
    Good,
    /// This many of its calls failed.
    Failing(u64),
    /// It could not be loaded, for this reason.
    Absent(String),
}

/// A row of `plugin list`.
#[derive(Debug, Clone)]
pub struct Listed {
    /// Who.
    pub label: Label,
    /// `built-in`, or the file.
    pub source: String,
    /// Its world's name.
    pub world: &'static str,
    /// What it imports.
    pub imports: Vec<String>,
    /// Whether every command is asked without it.
    pub required: bool,
    /// How it is.
    pub health: Health,
    /// Calls so far.
    pub calls: u64,
    /// Microseconds, on average.
    pub mean_us: u64,
    /// Microseconds, of the longest.
    pub worst_us: u64,
}

/// All guests of a host.
pub struct Guests {
    pub(crate) analyzer: Guest<Analyzer>,
    /// Interceptor, approval, then the plugins in the order of configuration.
    pub(crate) judges: Vec<Judge>,
    pub(crate) absent: Vec<Absent>,
    pub(crate) tool: ToolGuest,
    analyzer_origin: Origin,
    tool_origin: Origin,
    engines: Arc<Engines>,
    /// What snapshots are made from, in the background.
    pending: Mutex<Vec<Pending>>,
    no_cache: Option<String>,
}

struct Pending {
    /// Position among the judges; none for the analyzer.
    judge: Option<usize>,
    source: Source,
    config: String,
    limits: Limits,
}

impl Guests {
    /// Loads all guests, side by side.
    ///
    /// # Errors
    ///
    /// When one of the four cannot be loaded. A plugin that cannot is kept as
    /// absent.
    pub async fn load(plan: Plan) -> Result<Self, LoadError> {
        let memories = plan.plugins.iter().map(|plugin| plugin.limits.memory);
        let memory = memories.fold(BUILT_IN.memory, usize::max);
        let engines = Engines::new(plan.lifetime, memory, plan.plugins.len() + 3)
            .map_err(|error| LoadError::Engine(format!("{error:#}")))?;
        let (cache, no_cache) = open_cache(plan.cache.as_deref());
        let loader = Arc::new(Loader {
            engines: Arc::new(engines),
            cache,
        });
        let tool = {
            let (loader, plan) = (Arc::clone(&loader), plan.tool.clone());
            tokio::spawn(async move { loader.tool(&plan).await })
        };
        let own = Arc::clone(&loader);
        let policies = tokio::task::spawn_blocking(move || own.policies(&plan)).await;
        let joined = |error: tokio::task::JoinError| LoadError::Engine(error.to_string());
        let policies = policies.map_err(joined)??;
        let (tool, tool_origin) = tool.await.map_err(joined)??;
        Ok(Self {
            analyzer: policies.analyzer.0,
            analyzer_origin: policies.analyzer.1,
            judges: policies.judges,
            absent: policies.absent,
            tool,
            tool_origin,
            engines: Arc::clone(&loader.engines),
            pending: Mutex::new(policies.pending),
            no_cache,
        })
    }

    /// Makes the snapshots that are not cached. Takes seconds for large
    /// guests; call it on a thread of its own.
    pub(crate) fn warm(&self, cache: Option<&Path>) {
        let (cache, _) = open_cache(cache);
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        for pending in std::mem::take(&mut *pending) {
            if let Err(error) = self.snapshot(&pending, cache.as_ref()) {
                tracing::warn!("no snapshot of {}: {error:#}", pending.source.origin());
            }
        }
    }

    fn snapshot(&self, pending: &Pending, cache: Option<&Cache>) -> wasmtime::Result<()> {
        let judge = pending.judge.map(|index| self.judges.get(index));
        let world = if judge.is_some() {
            WorldKind::Policy
        } else {
            WorldKind::Analyzer
        };
        let digest = snapshot_digest(&pending.source, &pending.config);
        let engine = &self.engines.policy;
        let _running = self.engines.running();
        let component = Cache::component(cache, engine, &digest, || {
            let (bytes, limits) = (pending.source.bytes(), starting(pending.limits));
            snapshot::take(engine, world, &bytes, &pending.config, limits).map(Cow::Owned)
        })?;
        match judge {
            None => self.analyzer.adopt(&component),
            Some(Some(judge)) => judge.guest.adopt(&component),
            Some(None) => Ok(()),
        }
    }

    /// Makes the next decision quick, after one that is made.
    pub(crate) fn restock(&self) {
        self.analyzer.restock();
        for judge in &self.judges {
            judge.guest.restock();
        }
    }

    /// A row for each guest.
    #[must_use]
    pub fn list(&self) -> Vec<Listed> {
        let analyzer = &self.analyzer;
        let mut rows = vec![row(
            &analyzer.label,
            &self.analyzer_origin,
            true,
            &analyzer.tally,
        )];
        for judge in &self.judges {
            let (guest, required) = (&judge.guest, judge.role.required);
            rows.push(row(&guest.label, &judge.origin, required, &guest.tally));
        }
        rows.push(row(
            &self.tool.label,
            &self.tool_origin,
            true,
            &self.tool.tally,
        ));
        rows.extend(self.absent.iter().map(absent_row));
        rows
    }

    /// Why compiled guests are not kept on disk, if they are not.
    #[must_use]
    pub fn cache_error(&self) -> Option<&str> {
        self.no_cache.as_deref()
    }

    /// Instances of judging guests that were started so far.
    #[must_use]
    pub fn instances(&self) -> u64 {
        let judges: u64 = self
            .judges
            .iter()
            .map(|judge| judge.guest.tally.instances())
            .sum();
        judges + self.analyzer.tally.instances()
    }

    /// Whether all judging guests start from snapshots, and from a pool.
    #[must_use]
    pub fn is_warm(&self) -> bool {
        self.engines.pooled
            && self.analyzer.is_snapshot()
            && self.judges.iter().all(|judge| judge.guest.is_snapshot())
    }
}

fn open_cache(path: Option<&Path>) -> (Option<Cache>, Option<String>) {
    match path.map(Cache::open) {
        None => (None, None),
        Some(Ok(cache)) => (Some(cache), None),
        Some(Err(error)) => {
            tracing::warn!("{error}");
            (None, Some(error.to_string()))
        }
    }
}

fn row(label: &Label, origin: &Origin, required: bool, tally: &Tally) -> Listed {
    let [calls, failed, mean_us, worst_us] = tally.read();
    Listed {
        label: label.clone(),
        source: origin.source.clone(),
        world: origin.world,
        imports: origin.imports.clone(),
        required,
        health: if failed == 0 {
            Health::Good
        } else {
            Health::Failing(failed)
        },
        calls,
        mean_us,
        worst_us,
    }
}

fn absent_row(absent: &Absent) -> Listed {
    Listed {
        label: Label {
            name: absent.name.clone(),
            version: String::new(),
            digest: String::new(),
        },
        source: absent.path.display().to_string(),
        world: WorldKind::Policy.name(),
        imports: Vec::new(),
        required: absent.required,
        health: Health::Absent(absent.reason.clone()),
        calls: 0,
        mean_us: 0,
        worst_us: 0,
    }
}

/// Names the snapshot of a guest with a configuration. The host's version is
/// in it, since another one may snapshot otherwise.
fn snapshot_digest(source: &Source, config: &str) -> String {
    let mut sum = Sha256::new();
    for part in [source.digest.as_str(), config, env!("CARGO_PKG_VERSION")] {
        sum.update(part.as_bytes());
        sum.update([0]);
    }
    digest_text(&sum.finalize())
}

/// All but the tool guest.
struct Policies {
    analyzer: (Guest<Analyzer>, Origin),
    judges: Vec<Judge>,
    absent: Vec<Absent>,
    pending: Vec<Pending>,
}

impl Policies {
    fn add(&mut self, loaded: Loaded<Policy>, role: Role) {
        let index = self.judges.len();
        self.pending.extend(loaded.pending.map(|pending| Pending {
            judge: Some(index),
            ..pending
        }));
        self.judges.push(Judge {
            guest: loaded.guest,
            origin: loaded.origin,
            role,
        });
    }
}

struct Loader {
    engines: Arc<Engines>,
    cache: Option<Cache>,
}

/// A guest that is ready, and how to snapshot it if that is not done.
struct Loaded<W: World> {
    guest: Guest<W>,
    origin: Origin,
    pending: Option<Pending>,
}

impl Loader {
    /// The analyzer on one thread, the policies on another: two processors
    /// halve what a one-shot command waits for.
    fn policies(&self, plan: &Plan) -> Result<Policies, LoadError> {
        std::thread::scope(|scope| {
            let analyzer = scope
                .spawn(|| self.slot::<Analyzer>("analyzer", &plan.analyzer, built_in::ANALYZER));
            let interceptor =
                self.slot::<Policy>("interceptor", &plan.interceptor, built_in::INTERCEPTOR)?;
            let approval = self.slot::<Policy>("approval", &plan.approval, built_in::APPROVAL)?;
            let analyzer = analyzer
                .join()
                .map_err(|_| LoadError::Engine("loading the analyzer panicked".into()))??;
            let mut policies = Policies {
                analyzer: (analyzer.guest, analyzer.origin),
                judges: Vec::new(),
                absent: Vec::new(),
                pending: analyzer.pending.into_iter().collect(),
            };
            policies.add(interceptor, Role::interceptor());
            policies.add(approval, Role::approval());
            for plugin in &plan.plugins {
                match self.plugin(plugin) {
                    Ok(loaded) => policies.add(loaded, Role::plugin(plugin)),
                    Err(reason) => policies.absent.push(Absent {
                        name: plugin.name.clone(),
                        path: plugin.file.0.clone(),
                        required: plugin.required,
                        reason,
                    }),
                }
            }
            Ok(policies)
        })
    }

    fn slot<W: World>(
        &self,
        slot: &'static str,
        plan: &SlotPlan,
        built_in: BuiltIn,
    ) -> Result<Loaded<W>, LoadError> {
        let unfit = |source| LoadError::Source { slot, source };
        let source = source(plan, built_in).map_err(unfit)?;
        let component = self
            .component(&self.engines.policy, &source, W::KIND)
            .map_err(unfit)?;
        self.start(source, &component, None, &plan.config, BUILT_IN)
            .map_err(|source| LoadError::Guest {
                slot,
                source: Box::new(source),
            })
    }

    fn plugin(&self, plan: &PluginPlan) -> Result<Loaded<Policy>, String> {
        let (path, pin) = &plan.file;
        let source = Source::file(path, pin.as_ref()).map_err(|error| error.to_string())?;
        let component = self
            .component(&self.engines.policy, &source, WorldKind::Policy)
            .map_err(|error| error.to_string())?;
        self.start(
            source,
            &component,
            Some(&plan.name),
            &plan.config,
            plan.limits,
        )
        .map_err(|error| error.to_string())
    }

    async fn tool(&self, plan: &SlotPlan) -> Result<(ToolGuest, Origin), LoadError> {
        let slot = "tool";
        let unfit = |source| LoadError::Source { slot, source };
        let source = source(plan, built_in::BASH_TOOL).map_err(unfit)?;
        let engine = &self.engines.tool;
        let component = self
            .component(engine, &source, WorldKind::Tool)
            .map_err(unfit)?;
        let origin = origin(engine, &source, &component, WorldKind::Tool);
        let (engines, label) = (Arc::clone(&self.engines), label(&source, None));
        let guest = ToolGuest::new(engines, &component, label, plan.config.clone())
            .await
            .map_err(|source| LoadError::Guest {
                slot,
                source: Box::new(source),
            })?;
        Ok((guest, origin))
    }

    /// The compiled component, if it fits its world.
    fn component(
        &self,
        engine: &Engine,
        source: &Source,
        world: WorldKind,
    ) -> Result<Component, SourceError> {
        let unfit = |problems: Vec<String>| SourceError::Unfit {
            origin: source.origin(),
            problems,
        };
        if let Some(problem) = source.malformed() {
            return Err(unfit(vec![problem]));
        }
        let bytes = || Ok(source.bytes());
        let component = Cache::component(self.cache.as_ref(), engine, &source.digest, bytes)
            .map_err(|error| unfit(vec![format!("it does not compile: {error:#}")]))?;
        let fit = check(engine, &component, Some(world));
        if fit.problems.is_empty() {
            Ok(component)
        } else {
            Err(unfit(fit.problems))
        }
    }

    fn start<W: World>(
        &self,
        source: Source,
        component: &Component,
        name: Option<&str>,
        config: &str,
        limits: Limits,
    ) -> Result<Loaded<W>, GuestError> {
        let engine = &self.engines.policy;
        let digest = snapshot_digest(&source, config);
        let snapshot = self
            .cache
            .as_ref()
            .and_then(|cache| cache.existing(engine, &digest));
        let guest = Guest::new(
            Arc::clone(&self.engines),
            component,
            label(&source, name),
            config.to_owned(),
            limits,
            snapshot.as_ref(),
        )?;
        Ok(Loaded {
            guest,
            origin: origin(engine, &source, component, W::KIND),
            pending: snapshot.is_none().then(|| Pending {
                judge: None,
                source,
                config: config.to_owned(),
                limits,
            }),
        })
    }
}

fn source(plan: &SlotPlan, built_in: BuiltIn) -> Result<Source, SourceError> {
    match &plan.file {
        Some((path, pin)) => Source::file(path, pin.as_ref()),
        None => Ok(Source::built_in(built_in)),
    }
}

fn label(source: &Source, name: Option<&str>) -> Label {
    Label {
        name: name.unwrap_or(UNNAMED).to_owned(),
        version: String::from("?"),
        digest: source.digest.clone(),
    }
}

fn origin(engine: &Engine, source: &Source, component: &Component, world: WorldKind) -> Origin {
    Origin {
        source: source.origin(),
        built_in: source.path.is_none(),
        world: world.name(),
        imports: check(engine, component, Some(world)).imports,
    }
}
