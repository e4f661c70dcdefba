//! WebAssembly guests: engines, loading, limits, and the calls themselves.
//!
//! Owns everything about wasm. Knows no policy: what a guest answers is
//! checked for form here and weighed in `gate`.

pub mod bindings;
mod built_in;
mod cache;
mod engine;
mod limits;
mod load;
mod snapshot;
mod source;
mod sync;
mod tool;

use std::fmt;

pub(crate) use engine::CONCURRENT;
pub use engine::Lifetime;
pub use limits::Limits;
pub(crate) use load::Judge;
pub use load::{Guests, Health, Listed, LoadError, Plan as LoadPlan, PluginPlan, SlotPlan};
pub use source::{Checked, SourceError, WorldKind, check_file};
pub(crate) use sync::{Analyzer, Guest, Workspace};
pub(crate) use tool::{Executor, Run, ToolGuest};

/// Which guest, exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// What the guest calls itself, or what the configuration calls a plugin.
    pub name: String,
    /// The guest's own version.
    pub version: String,
    /// Of the component's bytes, as `sha256:…`.
    pub digest: String,
}

impl fmt::Display for Label {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Twelve digits tell any two guests of an installation apart.
        let short = self.digest.get(..19).unwrap_or(&self.digest);
        write!(formatter, "{} {} ({short})", self.name, self.version)
    }
}

/// A guest did not do its part.
#[derive(Debug, Clone, thiserror::Error)]
#[error("guest {label} {fault}")]
pub struct GuestError {
    /// Who.
    pub label: Label,
    /// What.
    pub fault: Fault,
}

/// What a guest can do wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It crashed.
    #[error("crashed: {0}")]
    Trapped(String),
    /// It used more processor time than it may, in milliseconds.
    #[error("took more than {0} ms of processor time (limits.evaluate_ms)")]
    Processor(u128),
    /// It took longer than it may, in milliseconds.
    #[error("took more than {0} ms (limits.wall_ms)")]
    Wall(u128),
    /// It wanted more memory than it may have, in MiB.
    #[error("wanted more than {0} MiB of memory (limits.memory_mib)")]
    Memory(usize),
    /// Its answer is longer than it may be, in KiB.
    #[error("answered more than {0} KiB (limits.answer_kib)")]
    Answer(usize),
    /// Its answer makes no sense.
    #[error("broke its contract: {0}")]
    Contract(String),
    /// It refused its configuration.
    #[error("refuses its configuration: {0}")]
    Configuration(String),
}
