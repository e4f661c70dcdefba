//! Guests that answer at once: the analyzer and the policies.
//!
//! Every call gets an instance that no other call has used. It starts from
//! the memory that the guest had after `configure`, or, while that snapshot
//! is not there, runs `configure` itself.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use wasmtime::component::{Component, HasSelf, InstancePre, Linker};
use wasmtime::{Engine, Store};

use super::bindings::analyzer::bashgate::analyzer::workspace;
use super::bindings::analyzer::{AnalyzerGuest, AnalyzerGuestPre};
use super::bindings::policy::bashgate::policy::types::{self, Identity, Location, Zone};
use super::bindings::policy::{PolicyGuest, PolicyGuestPre};
use super::engine::Engines;
use super::limits::{Exceeded, Limits, Meter};
use super::source::WorldKind;
use super::{Fault, GuestError, Label};

/// What `configure` may take, whatever the limits of a call: it compiles
/// regular expressions and runs once for each configuration.
const CONFIGURE: Limits = Limits {
    evaluate: Duration::from_secs(2),
    wall: Duration::from_secs(10),
    memory: usize::MAX,
    answer: 64 << 10,
};

/// The name of a guest that is called as it calls itself.
pub(crate) const UNNAMED: &str = "";

/// What an analyzer may ask of the host while it works.
pub(crate) trait Workspace: Send {
    /// Where a path leads.
    fn locate(&mut self, workdir: &str, path: &str) -> Location;
    /// Paths that fit a glob.
    fn glob(&mut self, workdir: &str, pattern: &str, limit: u32) -> Option<Vec<String>>;
    /// The file that a program's name runs.
    fn which(&mut self, workdir: &str, program: &str) -> Option<Location>;
    /// A variable of the child's environment.
    fn variable(&mut self, name: &str) -> Option<String>;
    /// Text of a regular file under the root.
    fn read(&mut self, workdir: &str, path: &str) -> Option<String>;
}

/// A store's contents.
pub(crate) struct State {
    meter: Meter,
    workspace: Option<Box<dyn Workspace>>,
}

/// Outside an analysis there is no workspace, and nothing is known of it.
impl workspace::Host for State {
    fn locate(&mut self, workdir: String, path: String) -> Location {
        match &mut self.workspace {
            Some(workspace) => workspace.locate(&workdir, &path),
            None => Location {
                path,
                zone: Zone::Outside,
                exists: false,
                rule: None,
            },
        }
    }

    fn glob(&mut self, workdir: String, pattern: String, limit: u32) -> Option<Vec<String>> {
        self.workspace.as_mut()?.glob(&workdir, &pattern, limit)
    }

    fn which(&mut self, workdir: String, program: String) -> Option<Location> {
        self.workspace.as_mut()?.which(&workdir, &program)
    }

    fn variable(&mut self, name: String) -> Option<String> {
        self.workspace.as_mut()?.variable(&name)
    }

    fn read(&mut self, workdir: String, path: String) -> Option<String> {
        self.workspace.as_mut()?.read(&workdir, &path)
    }
}

impl types::Host for State {}

/// A store with its limits armed.
pub(crate) fn store(engine: &Engine, limits: Limits) -> Store<State> {
    let state = State {
        meter: Meter::new(limits),
        workspace: None,
    };
    let mut store = Store::new(engine, state);
    store.limiter(|state| &mut state.meter);
    store.epoch_deadline_callback(|mut context| context.data_mut().meter.tick());
    store.set_epoch_deadline(1);
    store.set_hostcall_fuel(limits.answer);
    store
}

/// A world whose calls do not wait.
pub(crate) trait World: Sized + Send + Sync + 'static {
    /// Checked and linked; starts many instances.
    type Pre: Clone + Send + Sync;
    /// One instance.
    type Instance: Send;
    const KIND: WorldKind;

    fn link(linker: &mut Linker<State>) -> wasmtime::Result<()>;
    fn pre(pre: InstancePre<State>) -> wasmtime::Result<Self::Pre>;
    fn start(pre: &Self::Pre, store: &mut Store<State>) -> wasmtime::Result<Self::Instance>;
    fn describe(instance: &Self::Instance, store: &mut Store<State>) -> wasmtime::Result<Identity>;
    fn configure(
        instance: &Self::Instance,
        store: &mut Store<State>,
        config: &str,
    ) -> wasmtime::Result<Result<(), String>>;
}

/// The world of policies.
pub(crate) struct Policy;

impl World for Policy {
    type Pre = PolicyGuestPre<State>;
    type Instance = PolicyGuest;
    const KIND: WorldKind = WorldKind::Policy;

    fn link(_: &mut Linker<State>) -> wasmtime::Result<()> {
        Ok(())
    }

    fn pre(pre: InstancePre<State>) -> wasmtime::Result<Self::Pre> {
        PolicyGuestPre::new(pre)
    }

    fn start(pre: &Self::Pre, store: &mut Store<State>) -> wasmtime::Result<Self::Instance> {
        pre.instantiate(store)
    }

    fn describe(instance: &Self::Instance, store: &mut Store<State>) -> wasmtime::Result<Identity> {
        instance.bashgate_policy_policy().call_describe(store)
    }

    fn configure(
        instance: &Self::Instance,
        store: &mut Store<State>,
        config: &str,
    ) -> wasmtime::Result<Result<(), String>> {
        instance
            .bashgate_policy_policy()
            .call_configure(store, config)
    }
}

/// The world of analyzers.
pub(crate) struct Analyzer;

impl World for Analyzer {
    type Pre = AnalyzerGuestPre<State>;
    type Instance = AnalyzerGuest;
    const KIND: WorldKind = WorldKind::Analyzer;

    fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
        workspace::add_to_linker::<_, HasSelf<State>>(linker, |state| state)
    }

    fn pre(pre: InstancePre<State>) -> wasmtime::Result<Self::Pre> {
        AnalyzerGuestPre::new(pre)
    }

    fn start(pre: &Self::Pre, store: &mut Store<State>) -> wasmtime::Result<Self::Instance> {
        pre.instantiate(store)
    }

    fn describe(instance: &Self::Instance, store: &mut Store<State>) -> wasmtime::Result<Identity> {
        instance.bashgate_analyzer_analyzer().call_describe(store)
    }

    fn configure(
        instance: &Self::Instance,
        store: &mut Store<State>,
        config: &str,
    ) -> wasmtime::Result<Result<(), String>> {
        instance
            .bashgate_analyzer_analyzer()
            .call_configure(store, config)
    }
}

/// How a guest has fared.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    calls: AtomicU64,
    failed: AtomicU64,
    total_us: AtomicU64,
    worst_us: AtomicU64,
    instances: AtomicU64,
}

impl Tally {
    pub(crate) fn note(&self, took: Duration, failed: bool) {
        let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.failed.fetch_add(u64::from(failed), Ordering::Relaxed);
        self.total_us.fetch_add(us, Ordering::Relaxed);
        self.worst_us.fetch_max(us, Ordering::Relaxed);
    }

    pub(crate) fn started(&self) {
        self.instances.fetch_add(1, Ordering::Relaxed);
    }

    /// Calls, those that failed, microseconds a call, and of the longest.
    pub(crate) fn read(&self) -> [u64; 4] {
        let calls = self.calls.load(Ordering::Relaxed);
        let total = self.total_us.load(Ordering::Relaxed);
        [
            calls,
            self.failed.load(Ordering::Relaxed),
            total.checked_div(calls).unwrap_or(0),
            self.worst_us.load(Ordering::Relaxed),
        ]
    }

    pub(crate) fn instances(&self) -> u64 {
        self.instances.load(Ordering::Relaxed)
    }
}

/// A loaded guest of world `W`.
pub(crate) struct Guest<W: World> {
    pub(crate) label: Label,
    pub(crate) tally: Tally,
    limits: Limits,
    engines: Arc<Engines>,
    config: String,
    plain: W::Pre,
    snapshot: OnceLock<W::Pre>,
    /// Ready for a call, and used by none yet.
    prepared: Mutex<Option<(Store<State>, W::Instance)>>,
    /// Of a call that is over.
    spent: Mutex<Option<Store<State>>>,
    world: PhantomData<W>,
}

impl<W: World> Guest<W> {
    /// Starts the guest once: who it is, and whether it takes `config`.
    ///
    /// # Errors
    ///
    /// When it fails to link, crashes, or refuses its configuration.
    pub(crate) fn new(
        engines: Arc<Engines>,
        component: &Component,
        mut label: Label,
        config: String,
        limits: Limits,
        snapshot: Option<&Component>,
    ) -> Result<Self, GuestError> {
        let plain = linked::<W>(&engines.policy, component).map_err(|error| GuestError {
            label: label.clone(),
            fault: Fault::Contract(format!("{error:#}")),
        })?;
        let ready = snapshot.and_then(|component| linked::<W>(&engines.policy, component).ok());
        let running = engines.running();
        let mut store = store(&engines.policy, starting(limits));
        let pre = ready.as_ref().unwrap_or(&plain);
        let started = first_call(&mut store, pre, |store, pre| {
            let instance = W::start(pre, store)?;
            let identity = W::describe(&instance, store)?;
            Ok((instance, identity))
        });
        let (instance, identity) = match started {
            Ok(started) => started,
            Err(error) => {
                let fault = fault(&store, starting(limits), &error);
                return Err(GuestError { label, fault });
            }
        };
        label.version = short(identity.version, 64);
        if label.name == UNNAMED {
            label.name = short(identity.name, 64);
        }
        let guest = Self {
            label,
            tally: Tally::default(),
            limits,
            engines: Arc::clone(&engines),
            config,
            plain,
            snapshot: ready.map_or_else(OnceLock::new, OnceLock::from),
            prepared: Mutex::new(None),
            spent: Mutex::new(None),
            world: PhantomData,
        };
        guest.tally.started();
        if !guest.is_snapshot() {
            guest.configure(&instance, &mut store)?;
            store.set_hostcall_fuel(limits.answer);
            *guest
                .prepared
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = Some((store, instance));
        }
        drop(running);
        Ok(guest)
    }

    /// From now on, calls start from this snapshot.
    pub(crate) fn adopt(&self, snapshot: &Component) -> wasmtime::Result<()> {
        let pre = linked::<W>(&self.engines.policy, snapshot)?;
        // A second snapshot of the same configuration would be the same.
        let _ = self.snapshot.set(pre);
        *self.prepared.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }

    /// Whether calls start from a snapshot.
    pub(crate) fn is_snapshot(&self) -> bool {
        self.snapshot.get().is_some()
    }

    /// One call, in an instance of its own.
    ///
    /// # Errors
    ///
    /// When the guest crashes or runs into a limit.
    pub(crate) fn call<R>(
        &self,
        workspace: Option<Box<dyn Workspace>>,
        call: impl FnOnce(&W::Instance, &mut Store<State>) -> wasmtime::Result<R>,
    ) -> Result<R, GuestError> {
        let began = Instant::now();
        let running = self.engines.running();
        let result = self.call_fresh(workspace, call);
        drop(running);
        self.tally.note(began.elapsed(), result.is_err());
        result
    }

    fn call_fresh<R>(
        &self,
        workspace: Option<Box<dyn Workspace>>,
        call: impl FnOnce(&W::Instance, &mut Store<State>) -> wasmtime::Result<R>,
    ) -> Result<R, GuestError> {
        let (mut store, instance) = self.start()?;
        store.data_mut().workspace = workspace;
        store.data_mut().meter.rearm(self.limits);
        let result =
            call(&instance, &mut store).map_err(|error| self.error(&store, self.limits, &error));
        // What the call was told of the world ends with it.
        store.data_mut().workspace = None;
        if self.engines.pooled {
            *self.spent.lock().unwrap_or_else(PoisonError::into_inner) = Some(store);
        }
        result
    }

    /// Ends what the last call left and prepares an instance for the next one:
    /// what a call would else pay for before its answer. Only where memories
    /// lie in a pool; a host of one call has no next one.
    pub(crate) fn restock(&self) {
        if !self.engines.pooled {
            return;
        }
        drop(
            self.spent
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        let is_prepared = || {
            let prepared = self.prepared.lock();
            prepared.unwrap_or_else(PoisonError::into_inner).is_some()
        };
        if is_prepared() {
            return;
        }
        let running = self.engines.running();
        // Where it fails, the next call fails the same way and says so.
        let prepared = self.fresh().ok();
        drop(running);
        *self.prepared.lock().unwrap_or_else(PoisonError::into_inner) = prepared;
    }

    fn start(&self) -> Result<(Store<State>, W::Instance), GuestError> {
        let prepared = self
            .prepared
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        prepared.map_or_else(|| self.fresh(), Ok)
    }

    fn fresh(&self) -> Result<(Store<State>, W::Instance), GuestError> {
        let (pre, limits) = match self.snapshot.get() {
            Some(snapshot) => (snapshot, self.limits),
            None => (&self.plain, starting(self.limits)),
        };
        let mut store = store(&self.engines.policy, limits);
        self.tally.started();
        let instance = first_call(&mut store, pre, |store, pre| W::start(pre, store))
            .map_err(|error| self.error(&store, limits, &error))?;
        if !self.is_snapshot() {
            self.configure(&instance, &mut store)?;
            store.set_hostcall_fuel(self.limits.answer);
        }
        Ok((store, instance))
    }

    fn configure(
        &self,
        instance: &W::Instance,
        store: &mut Store<State>,
    ) -> Result<(), GuestError> {
        match W::configure(instance, store, &self.config) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(reason)) => Err(GuestError {
                label: self.label.clone(),
                fault: Fault::Configuration(short(reason, 2000)),
            }),
            Err(error) => Err(self.error(store, starting(self.limits), &error)),
        }
    }

    fn error(&self, store: &Store<State>, limits: Limits, error: &wasmtime::Error) -> GuestError {
        GuestError {
            label: self.label.clone(),
            fault: fault(store, limits, error),
        }
    }
}

fn linked<W: World>(engine: &Engine, component: &Component) -> wasmtime::Result<W::Pre> {
    let mut linker = Linker::new(engine);
    W::link(&mut linker)?;
    W::pre(linker.instantiate_pre(component)?)
}

/// Limits while a guest starts and is configured: its own memory, more time.
pub(crate) fn starting(limits: Limits) -> Limits {
    Limits {
        memory: limits.memory,
        ..CONFIGURE
    }
}

fn first_call<P, R>(
    store: &mut Store<State>,
    pre: &P,
    call: impl FnOnce(&mut Store<State>, &P) -> wasmtime::Result<R>,
) -> wasmtime::Result<R> {
    store.data_mut().meter.start();
    call(store, pre)
}

fn fault(store: &Store<State>, limits: Limits, error: &wasmtime::Error) -> Fault {
    match store.data().meter.exceeded() {
        Some(Exceeded::Processor) => Fault::Processor(limits.evaluate.as_millis()),
        Some(Exceeded::Wall) => Fault::Wall(limits.wall.as_millis()),
        Some(Exceeded::Memory) => Fault::Memory(limits.memory >> 20),
        None if is_answer_too_long(error) => Fault::Answer(limits.answer >> 10),
        None => Fault::Trapped(crash(error)),
    }
}

/// wasmtime has no type for this error; its text is checked by a test.
pub(crate) fn is_answer_too_long(error: &wasmtime::Error) -> bool {
    error
        .chain()
        .any(|cause| cause.to_string().contains("fuel allocated for hostcalls"))
}

/// The cause alone: a backtrace helps nobody who reads a verdict.
pub(crate) fn crash(error: &wasmtime::Error) -> String {
    match error.downcast_ref::<wasmtime::Trap>() {
        Some(trap) => trap.to_string(),
        None => short(format!("{:#}", error.root_cause()), 500),
    }
}

/// At most `most` bytes of what a guest says, on one line of text.
pub(crate) fn short(text: String, most: usize) -> String {
    let clean: String = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    if clean.len() <= most {
        return clean;
    }
    let end = clean.floor_char_boundary(most);
    format!("{}…", &clean[..end])
}
