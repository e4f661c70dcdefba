//! The configuration as it is written: every key, nothing resolved. Whoever
//! reads these files knows the whole format.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use super::choice::{Audit, Backend, EscKey, Keep, Mode, SandboxMode, Slot, Snapshot, Streams};

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Written {
    pub(crate) mode: Option<Mode>,
    pub(crate) sandbox: Option<SandboxMode>,
    pub(crate) sandbox_network: Option<bool>,
    pub(crate) sandbox_required: Option<bool>,
    pub(crate) sandbox_backends: Option<Vec<Backend>>,
    pub(crate) protected_paths: Option<Vec<String>>,
    pub(crate) audit: Option<Audit>,
    pub(crate) rules: Rules,
    pub(crate) bash_arity: BTreeMap<String, u32>,
    pub(crate) approval: Approval,
    pub(crate) timeout: Timeout,
    pub(crate) output: Output,
    pub(crate) environment: Variables,
    pub(crate) shell: Shell,
    pub(crate) terminal: Terminal,
    pub(crate) tool: Tool,
    pub(crate) interceptor: Interceptor,
    pub(crate) guests: Guests,
    pub(crate) plugin: Vec<Plugin>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Rules {
    pub(crate) allow: Vec<String>,
    pub(crate) ask: Vec<String>,
    pub(crate) deny: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Approval {
    pub(crate) wait_ms: Option<u64>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Timeout {
    pub(crate) default_ms: Option<u64>,
    pub(crate) min_ms: Option<u64>,
    pub(crate) max_ms: Option<u64>,
    pub(crate) grace_ms: Option<u64>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Output {
    pub(crate) max_lines: Option<u64>,
    pub(crate) max_bytes: Option<u64>,
    pub(crate) keep: Option<Keep>,
    pub(crate) streams: Option<Streams>,
    pub(crate) spill_max_bytes: Option<u64>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Variables {
    pub(crate) pass: Option<Vec<String>>,
    pub(crate) withhold: Option<Vec<String>>,
    pub(crate) set: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Shell {
    pub(crate) program: Option<PathBuf>,
    pub(crate) login: Option<bool>,
    pub(crate) snapshot: Option<Snapshot>,
    pub(crate) prefix: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Terminal {
    pub(crate) enabled: Option<bool>,
    pub(crate) esc: Option<EscKey>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Tool {
    pub(crate) nonzero_exit_is_error: Option<bool>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Interceptor {
    pub(crate) enabled: Option<bool>,
    pub(crate) normalize: Option<bool>,
    pub(crate) rule: Vec<InterceptorRule>,
}

/// One `[[interceptor.rule]]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterceptorRule {
    /// A regular expression over the text of one command.
    pub pattern: String,
    /// The better tool.
    pub tool: String,
    /// What the agent is told.
    pub message: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Guests {
    analyzer: Option<Component>,
    interceptor: Option<Component>,
    approval: Option<Component>,
    tool: Option<Component>,
}

impl Guests {
    pub(crate) fn get(&self, slot: Slot) -> Option<&Component> {
        match slot {
            Slot::Analyzer => self.analyzer.as_ref(),
            Slot::Interceptor => self.interceptor.as_ref(),
            Slot::Approval => self.approval.as_ref(),
            Slot::Tool => self.tool.as_ref(),
        }
    }

    fn get_mut(&mut self, slot: Slot) -> &mut Option<Component> {
        match slot {
            Slot::Analyzer => &mut self.analyzer,
            Slot::Interceptor => &mut self.interceptor,
            Slot::Approval => &mut self.approval,
            Slot::Tool => &mut self.tool,
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Component {
    pub(crate) component: PathBuf,
    pub(crate) sha256: Option<String>,
    /// Which source names it.
    #[serde(skip)]
    pub(crate) origin: Origin,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plugin {
    pub(crate) name: String,
    pub(crate) component: PathBuf,
    pub(crate) sha256: Option<String>,
    #[serde(default)]
    pub(crate) required: bool,
    #[serde(default)]
    pub(crate) may_allow: bool,
    #[serde(default)]
    pub(crate) shadow: bool,
    #[serde(default)]
    pub(crate) config: toml::Table,
    #[serde(default)]
    pub(crate) limits: Limits,
    #[serde(default)]
    pub(crate) grants: Grants,
    /// Which source names it, and where in that source's list.
    #[serde(skip)]
    pub(crate) origin: Origin,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Limits {
    pub(crate) evaluate_ms: Option<u64>,
    pub(crate) wall_ms: Option<u64>,
    pub(crate) memory_mib: Option<u64>,
    pub(crate) answer_kib: Option<u64>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Grants {
    pub(crate) preopen: BTreeMap<String, String>,
    pub(crate) environment: Vec<String>,
}

impl Grants {
    pub(crate) fn is_empty(&self) -> bool {
        self.preopen.is_empty() && self.environment.is_empty()
    }
}

/// Where a table of a merged configuration comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The position of the source among those read.
    pub(crate) source: usize,
    /// The position in that source's own list; 0 for a table of its own.
    pub(crate) position: usize,
}

impl Written {
    /// Says of every component which source it is from, before a merge forgets it.
    pub(super) fn settle(&mut self, source: usize) {
        for &slot in Slot::ALL {
            if let Some(component) = self.guests.get_mut(slot) {
                component.origin = Origin {
                    source,
                    position: 0,
                };
            }
        }
        for (position, plugin) in self.plugin.iter_mut().enumerate() {
            plugin.origin = Origin { source, position };
        }
    }

    /// Puts a later source over this one: it wins key by key, and lists of
    /// rules, interceptor rules and plugins add up.
    pub(super) fn overlay(&mut self, later: Self) {
        let Self {
            mode,
            sandbox,
            sandbox_network,
            sandbox_required,
            sandbox_backends,
            protected_paths,
            audit,
            rules,
            bash_arity,
            approval,
            timeout,
            output,
            environment,
            shell,
            terminal,
            tool,
            interceptor,
            mut guests,
            plugin,
        } = later;
        replace(&mut self.mode, mode);
        replace(&mut self.sandbox, sandbox);
        replace(&mut self.sandbox_network, sandbox_network);
        replace(&mut self.sandbox_required, sandbox_required);
        replace(&mut self.sandbox_backends, sandbox_backends);
        replace(&mut self.protected_paths, protected_paths);
        replace(&mut self.audit, audit);
        self.rules.extend(rules);
        self.bash_arity.extend(bash_arity);
        replace(&mut self.approval.wait_ms, approval.wait_ms);
        self.timeout.overlay(timeout);
        self.output.overlay(output);
        self.environment.overlay(environment);
        self.shell.overlay(shell);
        replace(&mut self.terminal.enabled, terminal.enabled);
        replace(&mut self.terminal.esc, terminal.esc);
        let nonzero = tool.nonzero_exit_is_error;
        replace(&mut self.tool.nonzero_exit_is_error, nonzero);
        self.interceptor.overlay(interceptor);
        for &slot in Slot::ALL {
            replace(self.guests.get_mut(slot), guests.get_mut(slot).take());
        }
        self.plugin.extend(plugin);
    }
}

impl Rules {
    pub(super) fn extend(&mut self, later: Self) {
        self.allow.extend(later.allow);
        self.ask.extend(later.ask);
        self.deny.extend(later.deny);
    }
}

impl Timeout {
    fn overlay(&mut self, later: Self) {
        replace(&mut self.default_ms, later.default_ms);
        replace(&mut self.min_ms, later.min_ms);
        replace(&mut self.max_ms, later.max_ms);
        replace(&mut self.grace_ms, later.grace_ms);
    }
}

impl Output {
    fn overlay(&mut self, later: Self) {
        replace(&mut self.max_lines, later.max_lines);
        replace(&mut self.max_bytes, later.max_bytes);
        replace(&mut self.keep, later.keep);
        replace(&mut self.streams, later.streams);
        replace(&mut self.spill_max_bytes, later.spill_max_bytes);
    }
}

impl Variables {
    fn overlay(&mut self, later: Self) {
        replace(&mut self.pass, later.pass);
        replace(&mut self.withhold, later.withhold);
        self.set.extend(later.set);
    }
}

impl Shell {
    fn overlay(&mut self, later: Self) {
        replace(&mut self.program, later.program);
        replace(&mut self.login, later.login);
        replace(&mut self.snapshot, later.snapshot);
        replace(&mut self.prefix, later.prefix);
    }
}

impl Interceptor {
    fn overlay(&mut self, later: Self) {
        replace(&mut self.enabled, later.enabled);
        replace(&mut self.normalize, later.normalize);
        self.rule.extend(later.rule);
    }
}

fn replace<T>(earlier: &mut Option<T>, later: Option<T>) {
    if later.is_some() {
        *earlier = later;
    }
}
