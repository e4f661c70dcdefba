//! What one call of a guest may cost, and the meter that holds it to that.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use wasmtime::{ResourceLimiter, UpdateDeadline};

/// Elements over all tables of a guest. wasmtime's pooling allocator allows
/// 20,000 in a table; a JavaScript engine needs some thousands.
const TABLE_ELEMENTS: usize = 100_000;

/// What one call of a guest may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Processor time. Default 50 ms.
    pub evaluate: Duration,
    /// Time on the clock, waiting for a processor included. Default 250 ms.
    pub wall: Duration,
    /// Bytes over all memories of the guest. Default 64 MiB.
    pub memory: usize,
    /// Bytes that an answer may take in the host. Default 256 KiB.
    pub answer: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            evaluate: Duration::from_millis(50),
            wall: Duration::from_millis(250),
            memory: 64 << 20,
            answer: 256 << 10,
        }
    }
}

/// Which limit a guest ran into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exceeded {
    Processor,
    Wall,
    Memory,
}

/// Watches one call. Lives in the guest's store.
#[derive(Debug)]
pub(crate) struct Meter {
    limits: Limits,
    memory: usize,
    tables: usize,
    started: Option<(Instant, Duration)>,
    exceeded: Option<Exceeded>,
}

impl Meter {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            memory: 0,
            tables: 0,
            started: None,
            exceeded: None,
        }
    }

    /// Starts the clocks. The call must stay on this thread.
    pub(crate) fn start(&mut self) {
        self.started = Some((Instant::now(), processor_time()));
    }

    /// Starts the clocks anew, with the limits of a call.
    pub(crate) fn rearm(&mut self, limits: Limits) {
        self.limits = limits;
        self.start();
    }

    /// At each tick of the epoch: go on, or trap.
    pub(crate) fn tick(&mut self) -> wasmtime::Result<UpdateDeadline> {
        let Some((clock, processor)) = self.started else {
            return Ok(UpdateDeadline::Continue(1));
        };
        if processor_time().saturating_sub(processor) > self.limits.evaluate {
            self.exceeded = Some(Exceeded::Processor);
        } else if clock.elapsed() > self.limits.wall {
            self.exceeded = Some(Exceeded::Wall);
        } else {
            return Ok(UpdateDeadline::Continue(1));
        }
        Err(wasmtime::Error::msg("out of time"))
    }

    pub(crate) fn exceeded(&self) -> Option<Exceeded> {
        self.exceeded
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let sum = self.memory.saturating_add(desired.saturating_sub(current));
        if sum > self.limits.memory {
            self.exceeded = Some(Exceeded::Memory);
            return Ok(false);
        }
        self.memory = sum;
        Ok(true)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let sum = self.tables.saturating_add(desired.saturating_sub(current));
        if sum > TABLE_ELEMENTS {
            self.exceeded = Some(Exceeded::Memory);
            return Ok(false);
        }
        self.tables = sum;
        Ok(true)
    }
}

/// Processor time that this thread has used.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or(0),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}
