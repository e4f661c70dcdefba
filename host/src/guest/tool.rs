//! The tool guest: what the model sees. It waits in `executor` while a script
//! runs, so its calls are asynchronous and only its own time counts.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime::{ResourceLimiter, Store, UpdateDeadline};

use super::bindings::tool::bashgate::tool::executor::{self, Abilities, Command, Outcome, Refusal};
use super::bindings::tool::bashgate::tool::log;
use super::bindings::tool::exports::bashgate::tool::tool::{Definition, Identity, Reply, Request};
use super::bindings::tool::{ToolGuest as Instance, ToolGuestPre};
use super::engine::{Engines, Running, TICK};
use super::limits::{Exceeded, Limits, Meter};
use super::sync::{Tally, UNNAMED, crash, is_answer_too_long, short};
use super::{Fault, GuestError, Label};

/// Tool calls that run at the same time in one host. More wait.
const CONCURRENT: usize = 256;

/// What a tool guest may take of its own, waiting in the host not counted.
/// Text and structured result hold the output, at most some 100 KiB.
const LIMITS: Limits = Limits {
    evaluate: Duration::from_secs(2),
    wall: Duration::from_secs(2),
    memory: 64 << 20,
    answer: 8 << 20,
};

/// A log line for the operator; the rest is cut.
const LOG_BYTES: usize = 2000;

/// A run that is under way.
pub(crate) type Run<'a> = Pin<Box<dyn Future<Output = Result<Outcome, Refusal>> + Send + 'a>>;

/// What the WIT `executor` is for the session that calls the tool.
pub(crate) trait Executor: Send + Sync {
    /// What this host can do.
    fn abilities(&self) -> Abilities;
    /// Runs a script, if the gate lets it through.
    fn run(&self, command: Command) -> Run<'_>;
}

/// A loaded tool guest.
pub(crate) struct ToolGuest {
    pub(crate) label: Label,
    pub(crate) tally: Tally,
    engines: Arc<Engines>,
    pre: ToolGuestPre<State>,
    config: String,
    queue: tokio::sync::Semaphore,
}

impl ToolGuest {
    /// Starts the guest once: who it is, and whether it takes `config`.
    ///
    /// # Errors
    ///
    /// When it fails to link, crashes, or refuses its configuration.
    pub(crate) async fn new(
        engines: Arc<Engines>,
        component: &Component,
        label: Label,
        config: String,
    ) -> Result<Self, GuestError> {
        let pre = linked(&engines, component).map_err(|error| GuestError {
            label: label.clone(),
            fault: Fault::Contract(format!("{error:#}")),
        })?;
        let mut guest = Self {
            label,
            tally: Tally::default(),
            engines,
            pre,
            config,
            queue: tokio::sync::Semaphore::new(CONCURRENT),
        };
        let identity: Identity = guest
            .call(Arc::new(Nobody), async |instance, store| {
                instance.bashgate_tool_tool().call_describe(store).await
            })
            .await?;
        guest.tally = Tally::default();
        guest.label.version = short(identity.version, 64);
        if guest.label.name == UNNAMED {
            guest.label.name = short(identity.name, 64);
        }
        Ok(guest)
    }

    /// The tools that it defines for a host with these abilities.
    ///
    /// # Errors
    ///
    /// When the guest fails.
    pub(crate) async fn definitions(
        &self,
        host: Arc<dyn Executor>,
    ) -> Result<Vec<Definition>, GuestError> {
        self.call(host, async |instance, store| {
            instance.bashgate_tool_tool().call_definitions(store).await
        })
        .await
    }

    /// One tool call. The inner error is the guest's, in words for the model.
    ///
    /// # Errors
    ///
    /// When the guest fails.
    pub(crate) async fn invoke(
        &self,
        host: Arc<dyn Executor>,
        request: Request,
    ) -> Result<Result<Reply, String>, GuestError> {
        self.call(host, async move |instance, store| {
            instance
                .bashgate_tool_tool()
                .call_invoke(store, &request)
                .await
        })
        .await
    }

    async fn call<R>(
        &self,
        host: Arc<dyn Executor>,
        call: impl AsyncFnOnce(&Instance, &mut Store<State>) -> wasmtime::Result<R>,
    ) -> Result<R, GuestError> {
        // The semaphore is never closed, so a place always comes.
        let _place = self.queue.acquire().await;
        let mut store = self.store(host);
        let result = self.run(&mut store, call).await;
        let state = store.data();
        self.tally.note(TICK * state.ticks, result.is_err());
        result.map_err(|failure| GuestError {
            label: self.label.clone(),
            fault: failure.fault(state),
        })
    }

    async fn run<R>(
        &self,
        store: &mut Store<State>,
        call: impl AsyncFnOnce(&Instance, &mut Store<State>) -> wasmtime::Result<R>,
    ) -> Result<R, Failure> {
        let instance = self.pre.instantiate_async(&mut *store).await?;
        self.tally.started();
        instance
            .bashgate_tool_tool()
            .call_configure(&mut *store, &self.config)
            .await?
            .map_err(Failure::Refused)?;
        Ok(call(&instance, store).await?)
    }

    fn store(&self, host: Arc<dyn Executor>) -> Store<State> {
        let state = State {
            host,
            guest: self.label.name.clone(),
            meter: Meter::new(LIMITS),
            ticks: 0,
            running: Some(self.engines.running()),
            engines: Arc::clone(&self.engines),
        };
        let mut store = Store::new(&self.engines.tool, state);
        store.limiter(|state| &mut state.meter as &mut dyn ResourceLimiter);
        store.epoch_deadline_callback(|mut context| context.data_mut().tick());
        store.set_epoch_deadline(1);
        store.set_hostcall_fuel(LIMITS.answer);
        store
    }
}

enum Failure {
    Wasm(wasmtime::Error),
    Refused(String),
}

impl From<wasmtime::Error> for Failure {
    fn from(error: wasmtime::Error) -> Self {
        Self::Wasm(error)
    }
}

impl Failure {
    fn fault(self, state: &State) -> Fault {
        match self {
            Self::Refused(reason) => Fault::Configuration(short(reason, LOG_BYTES)),
            Self::Wasm(_) if state.meter.exceeded() == Some(Exceeded::Memory) => {
                Fault::Memory(LIMITS.memory >> 20)
            }
            Self::Wasm(_) if state.ticks > most_ticks() => {
                Fault::Processor(LIMITS.evaluate.as_millis())
            }
            Self::Wasm(error) if is_answer_too_long(&error) => Fault::Answer(LIMITS.answer >> 10),
            Self::Wasm(error) => Fault::Trapped(crash(&error)),
        }
    }
}

fn linked(engines: &Engines, component: &Component) -> wasmtime::Result<ToolGuestPre<State>> {
    let mut linker = Linker::new(&engines.tool);
    executor::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
    log::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
    ToolGuestPre::new(linker.instantiate_pre(component)?)
}

fn most_ticks() -> u32 {
    u32::try_from(LIMITS.evaluate.as_millis() / TICK.as_millis()).unwrap_or(u32::MAX)
}

/// A store's contents.
pub(crate) struct State {
    host: Arc<dyn Executor>,
    guest: String,
    meter: Meter,
    /// Ticks that passed while the guest itself ran.
    ticks: u32,
    running: Option<Running>,
    engines: Arc<Engines>,
}

impl State {
    fn tick(&mut self) -> wasmtime::Result<UpdateDeadline> {
        self.ticks += 1;
        if self.ticks > most_ticks() {
            return Err(wasmtime::Error::msg("out of time"));
        }
        // Others on this thread get their turn.
        Ok(UpdateDeadline::Yield(1))
    }
}

impl executor::Host for State {
    async fn host_abilities(&mut self) -> wasmtime::Result<Abilities> {
        Ok(self.host.abilities())
    }

    async fn run(&mut self, command: Command) -> wasmtime::Result<Result<Outcome, Refusal>> {
        // Minutes may pass; nothing needs to tick for this guest meanwhile.
        self.running = None;
        let outcome = self.host.run(command).await;
        self.running = Some(self.engines.running());
        Ok(outcome)
    }
}

impl log::Host for State {
    async fn write(&mut self, level: log::Level, message: String) -> wasmtime::Result<()> {
        let message = short(message, LOG_BYTES);
        let guest = &self.guest;
        match level {
            log::Level::Debug => tracing::debug!(guest, "{message}"),
            log::Level::Info => tracing::info!(guest, "{message}"),
            log::Level::Warn => tracing::warn!(guest, "{message}"),
            log::Level::Error => tracing::error!(guest, "{message}"),
        }
        Ok(())
    }
}

/// Stands for the session while a guest is only asked who it is.
struct Nobody;

impl Executor for Nobody {
    fn abilities(&self) -> Abilities {
        Abilities {
            escalation: false,
            default_timeout_ms: 0,
            max_timeout_ms: 0,
        }
    }

    fn run(&self, _: Command) -> Run<'_> {
        Box::pin(std::future::ready(Err(Refusal::Unavailable(
            "nothing runs while a guest is loaded".into(),
        ))))
    }
}
