//! The configuration as resolved: every value with its default, in bounds, and
//! absolute. Reads no file of the configuration and knows no rule's meaning.

mod guests;
mod protected;
mod resolve;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

pub use crate::config::{
    Audit, Backend, EscKey, InterceptorRule, Keep, Mode, SandboxMode, Slot, Snapshot, Streams,
};
pub use crate::guest::Limits;
pub use guests::{Component, Pin, Plugin};
pub use protected::{Guarded, Protected};

use crate::config::{Config, ConfigError, Environment, Places};

/// All settings of a host.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// When a person is asked. Default `unless-trusted`.
    pub mode: Mode,
    /// What a command may reach.
    pub sandbox: Sandbox,
    /// What no command may write, rename or delete.
    pub protected: Vec<Protected>,
    /// Whether a command may run that cannot be recorded. Default `required`.
    pub audit: Audit,
    /// Lists of words that decide about a command. Default none.
    pub rules: Rules,
    /// How many words name a command, beside the built-in table. Default none.
    pub bash_arity: BTreeMap<String, u32>,
    /// How long a question waits until it counts as no. Default 10 minutes; none
    /// for no limit.
    pub approval_wait: Option<Duration>,
    /// How long a command may run.
    pub timeout: Timeout,
    /// How much of the output is kept.
    pub output: Output,
    /// The variables of a command.
    pub environment: Variables,
    /// What runs a script.
    pub shell: Shell,
    /// Whether a command may have a terminal.
    pub terminal: Terminal,
    /// Whether a non-zero exit is an error of the tool. Default no.
    pub nonzero_exit_is_error: bool,
    /// What points to better tools.
    pub interceptor: Interceptor,
    /// What stands in the place of built-in guests. Default nothing.
    pub guests: BTreeMap<Slot, Component>,
    /// Policies beside the built-in ones, in their order. Default none.
    pub plugins: Vec<Plugin>,
}

/// What a command may reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// Default `full-access`.
    pub mode: SandboxMode,
    /// Whether there is a network inside. Default no.
    pub network: bool,
    /// Whether nothing runs without an enforcing sandbox. Default no.
    pub required: bool,
    /// What may hold it, the first that can. Default all, native first.
    pub backends: Vec<Backend>,
}

/// Lists of words, as they are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// Vouched for.
    pub allow: Vec<String>,
    /// Asked about.
    pub ask: Vec<String>,
    /// Refused.
    pub deny: Vec<String>,
}

/// How long a command may run. Always `min <= default <= max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeout {
    /// Where a call says nothing. Default 120 s.
    pub default: Duration,
    /// The least that a call may say. Default 1 s.
    pub min: Duration,
    /// The most that a call may say. Default 1 hour.
    pub max: Duration,
    /// From SIGTERM to SIGKILL. Default 500 ms.
    pub grace: Duration,
}

/// How much of the output is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Output {
    /// Lines of a result. Default 2,000.
    pub max_lines: usize,
    /// Bytes of a result. Default 50 KiB.
    pub max_bytes: usize,
    /// Which part. Default both ends.
    pub keep: Keep,
    /// Default merged.
    pub streams: Streams,
    /// Bytes of an artifact. Default 1 GiB.
    pub spill_max_bytes: u64,
}

/// The variables of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables {
    /// Names of the host's that come through. Default none.
    pub pass: Vec<String>,
    /// Names that never do; stronger than `pass`. Default none.
    pub withhold: Vec<String>,
    /// Names and values that are set. Default none.
    pub set: BTreeMap<String, String>,
}

/// What runs a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shell {
    /// A bash, absolute. Default `/bin/bash`, or where this system has it.
    pub program: PathBuf,
    /// Whether the login shell's environment is taken over. Default yes.
    pub login: bool,
    /// How much of it. Default its environment.
    pub snapshot: Snapshot,
    /// What goes before each script. Default nothing.
    pub prefix: String,
}

/// Whether a command may have a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terminal {
    /// Default yes; `BASHGATE_NO_PTY=1` in the environment wins.
    pub enabled: bool,
    /// Default kill.
    pub esc: EscKey,
}

/// What points to better tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interceptor {
    /// Default yes.
    pub enabled: bool,
    /// Whether a last `| head` or `| tail` becomes a limit. Default no.
    pub normalize: bool,
    /// Beside the built-in rules. Default none.
    pub rules: Vec<InterceptorRule>,
}

impl Settings {
    /// Resolves what is written. `environment` is that of the host.
    ///
    /// # Errors
    ///
    /// A value that is out of bounds or cannot be what it stands for, with its
    /// file, line and key.
    pub fn resolve(
        config: &Config,
        places: &Places,
        environment: &Environment,
    ) -> Result<Self, ConfigError> {
        resolve::resolve(config, places, environment)
    }

    /// What stands in the place of a built-in guest, if anything does.
    #[must_use]
    pub fn component(&self, slot: Slot) -> Option<&Component> {
        self.guests.get(&slot)
    }

    /// What a guest in that place is configured with. Says nothing about the
    /// session, its root or its home.
    #[must_use]
    pub fn guest_config(&self, slot: Slot) -> serde_json::Value {
        guests::config(self, slot)
    }
}

#[cfg(test)]
mod tests;
