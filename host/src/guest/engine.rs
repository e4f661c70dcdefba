//! The two engines that guests run on, and the ticker that interrupts them.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use wasmtime::{
    Config, Enabled, Engine, EngineWeak, InstanceAllocationStrategy, PoolingAllocationConfig,
};

/// Time between two looks at a running guest's clocks.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// Bytes of a memory that stay mapped between two calls.
const KEPT: usize = 2 << 20;

/// Calls of policies and analyzers that run at the same time. More wait.
pub(crate) const CONCURRENT: usize = 32;

/// How long the host lives, and so what pays off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// One call: memory on demand, no snapshots are made.
    OneShot,
    /// Many calls: a pool of memories, snapshots made in the background.
    Long,
}

/// The engines of one host.
pub(crate) struct Engines {
    /// Analyzer and policies: short calls without a wait.
    pub(crate) policy: Engine,
    /// The tool guest: waits for minutes in the host.
    pub(crate) tool: Engine,
    /// False where the address space did not allow a pool.
    pub(crate) pooled: bool,
    ticker: Arc<Ticker>,
}

impl Engines {
    /// Makes both. `memory` is the largest memory in bytes that a policy's
    /// limits allow; `guests` is how many judging guests there are.
    ///
    /// # Errors
    ///
    /// When wasmtime refuses this machine.
    pub(crate) fn new(lifetime: Lifetime, memory: usize, guests: usize) -> wasmtime::Result<Self> {
        let (policy, pooled) = match lifetime {
            Lifetime::OneShot => (policy_engine()?, false),
            Lifetime::Long => match Engine::new(&pooled_config(memory, guests)) {
                Ok(engine) => (engine, true),
                Err(error) => {
                    tracing::warn!("no pool of guest memories, made on demand instead: {error:#}");
                    (policy_engine()?, false)
                }
            },
        };
        let tool = Engine::new(&base_config())?;
        let ticker = Ticker::start(vec![policy.weak(), tool.weak()])?;
        Ok(Self {
            policy,
            tool,
            pooled,
            ticker,
        })
    }

    /// Keeps the ticker going while a guest runs.
    pub(crate) fn running(&self) -> Running {
        self.ticker.enter();
        Running(Arc::clone(&self.ticker))
    }
}

impl Drop for Engines {
    fn drop(&mut self) {
        self.ticker.stop();
    }
}

/// An engine as policies and analyzers run on, with memory on demand.
pub(crate) fn policy_engine() -> wasmtime::Result<Engine> {
    Engine::new(&policy_config())
}

/// What both engines leave out: proposals that no guest needs.
fn base_config() -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        // Made with the instance, which is made ahead of its call.
        .table_lazy_init(false)
        .wasm_memory64(false)
        .wasm_relaxed_simd(false)
        .wasm_wide_arithmetic(false)
        .wasm_tail_call(false)
        .wasm_multi_memory(false)
        .wasm_custom_page_sizes(false);
    config
}

fn policy_config() -> Config {
    let mut config = base_config();
    config.concurrency_support(false);
    config
}

fn pooled_config(memory: usize, guests: usize) -> Config {
    // Beside those that run, each guest may hold one that waits for a call and
    // one whose call is over.
    let instances = u32::try_from(CONCURRENT + 2 * guests).unwrap_or(u32::MAX);
    // A component holds its own module and the adapters that tools add to it.
    let modules = instances.saturating_mul(4);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(instances)
        .total_core_instances(modules)
        .total_memories(instances.saturating_mul(2))
        .total_tables(modules)
        .total_stacks(instances)
        .max_memory_size(memory)
        // What a call wrote is put back, page by page, where the kernel can
        // tell which pages those are; pages that stay mapped cost no fault in
        // the next call. More than this is given back to the system.
        .pagemap_scan(Enabled::Auto)
        .linear_memory_keep_resident(KEPT)
        .table_keep_resident(KEPT);
    let mut config = policy_config();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    config
}

/// One thread for both engines. It sleeps while no guest runs.
struct Ticker {
    state: Mutex<TickerState>,
    changed: Condvar,
}

#[derive(Default)]
struct TickerState {
    running: usize,
    /// The ticker sleeps until it is told.
    waiting: bool,
    stopped: bool,
}

impl Ticker {
    fn start(engines: Vec<EngineWeak>) -> wasmtime::Result<Arc<Self>> {
        let ticker = Arc::new(Self {
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let own = Arc::clone(&ticker);
        thread::Builder::new()
            .name("bashgate-ticker".into())
            .spawn(move || {
                while own.wait() {
                    thread::sleep(TICK);
                    for engine in &engines {
                        if let Some(engine) = engine.upgrade() {
                            engine.increment_epoch();
                        }
                    }
                }
            })?;
        Ok(ticker)
    }

    /// Until a guest runs. False when the host is gone.
    fn wait(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting = true;
        let mut state = self
            .changed
            .wait_while(state, |state| state.running == 0 && !state.stopped)
            .unwrap_or_else(PoisonError::into_inner);
        state.waiting = false;
        !state.stopped
    }

    fn change(&self, change: impl FnOnce(&mut TickerState)) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state);
        // To notify costs a system call, heard or not.
        if state.waiting && (state.running > 0 || state.stopped) {
            self.changed.notify_one();
        }
    }

    fn enter(&self) {
        self.change(|state| state.running += 1);
    }

    fn leave(&self) {
        self.change(|state| state.running = state.running.saturating_sub(1));
    }

    fn stop(&self) {
        self.change(|state| state.stopped = true);
    }
}

/// A guest is running.
pub(crate) struct Running(Arc<Ticker>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.leave();
    }
}
