//! One case as written. Unknown keys are errors, so that a slip in a line of
//! data cannot switch off what it expects.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::Kind;

/// A line of a corpus.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name: `A01`, a part of it `A01.2`, a variant of it `A01.v1`.
    pub id: String,
    /// The public report it comes from.
    pub source: String,
    /// What it shows.
    pub about: String,
    /// What stands in the workspace before.
    #[serde(default)]
    pub setup: Setup,
    /// The configuration, as JSON.
    #[serde(default)]
    pub config: Map<String, Value>,
    /// What is right.
    pub expect: Expect,
    /// Of a decide case: the script.
    pub script: Option<String>,
    /// Of a decide case: where it would run.
    pub workdir: Option<String>,
    /// Of a decide case: the agent's other tools.
    pub tools: Option<Vec<String>>,
    /// Of a decide case: what running it does.
    #[serde(default)]
    pub runs: OneOrMany<Effect>,
    /// Of a run case: the tool; default: `bash`.
    pub tool: Option<String>,
    /// Of a run case: what the tool is given.
    pub arguments: Option<Value>,
    /// Of a run case: a long `command`, as texts and how often.
    #[serde(default)]
    pub command_parts: Vec<(String, usize)>,
    /// Of a run case: how often; default: once.
    #[serde(default = "once")]
    pub repeat: usize,
}

/// What stands in the workspace, and in the environment, before.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Setup {
    /// Files by path, with their text.
    pub files: BTreeMap<String, String>,
    /// The same, executable.
    pub executables: BTreeMap<String, String>,
    /// Folders.
    pub dirs: Vec<String>,
    /// Symbolic links and where they lead.
    pub links: BTreeMap<String, String>,
    /// Whether there is a sibling `OUT`.
    pub outside: bool,
    /// Whether it is a git repository with one commit of all that.
    pub git: bool,
    /// Runs in the workspace last.
    pub shell: Option<String>,
    /// Variables of the program's own environment.
    pub host_env: BTreeMap<String, String>,
    /// Whether the program sees nothing but HOME, XDG and `host_env`.
    pub env_clear: bool,
}

/// What running the script of a decide case does.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// `--yes` or `--no-input`.
    pub with: String,
    /// Files that are there after it.
    #[serde(default)]
    pub creates: Vec<String>,
    /// Files that are not.
    #[serde(default)]
    pub absent: Vec<String>,
    /// The exact output.
    pub stdout: Option<String>,
}

/// What is right. The first part is about decisions, the second about results;
/// `error_has` about both. A value where several would do is a list.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs, reason = "the corpora's README describes each key")]
pub struct Expect {
    pub decision: Option<OneOrMany<String>>,
    pub units: Vec<Vec<Value>>,
    pub no_units: Vec<Vec<Value>>,
    pub effects: Vec<EffectPattern>,
    pub no_effects: Vec<EffectPattern>,
    pub doubts: Vec<String>,
    pub doubt: bool,
    pub no_offers: Vec<Vec<String>>,
    pub offers_any: Option<Vec<Vec<String>>>,
    pub no_always_offers: bool,
    pub suggestion: Option<SuggestionPattern>,
    pub no_suggestion: bool,
    pub reason_has: Vec<String>,

    pub error_has: Option<Vec<String>>,

    #[serde(deserialize_with = "present")]
    pub exit_code: Option<Value>,
    #[serde(deserialize_with = "present")]
    pub signal: Option<Value>,
    #[serde(deserialize_with = "present")]
    pub timed_out: Option<Value>,
    #[serde(deserialize_with = "present")]
    pub truncated: Option<Value>,
    pub is_error: Option<bool>,
    pub output: Option<String>,
    pub stdout: Option<String>,
    pub stderr: Option<String>,
    pub total_bytes: Option<OneOrMany<u64>>,
    pub total_lines: Option<OneOrMany<u64>>,
    pub artifact_bytes: Option<OneOrMany<u64>>,
    pub output_has: Vec<String>,
    pub output_lacks: Vec<String>,
    pub text_has: Vec<String>,
    pub text_lacks: Vec<String>,
    pub max_output_bytes: Option<u64>,
    pub max_ms: Option<u64>,
    pub min_ms: Option<u64>,
    pub max_rss_growth_mib: Option<u64>,
    pub absent: Vec<String>,
    pub steady: Vec<String>,
    pub gone: Option<Gone>,
}

/// An effect, as far as it is told; all that is told must fit.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EffectPattern {
    /// Read, write, ….
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<OneOrMany<String>>,
    /// Workspace, outside, ….
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<OneOrMany<String>>,
    /// How its path ends.
    #[serde(default)]
    pub path_ends: String,
}

/// The tool that is suggested: one of these.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuggestionPattern {
    /// Its name.
    pub tool: OneOrMany<String>,
}

/// Processes that must not be there one second after the answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gone {
    /// Part of their command line.
    pub pattern_in_cmdline: String,
}

/// A value, or a list of them.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub enum OneOrMany<T> {
    /// A list.
    Many(Vec<T>),
    /// A value alone.
    One(T),
}

impl<T> OneOrMany<T> {
    /// The values.
    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::Many(many) => many,
            Self::One(one) => std::slice::from_ref(one),
        }
    }
}

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl Case {
    /// Which of the two kinds it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        if self.script.is_some() {
            Kind::Decide
        } else {
            Kind::Run
        }
    }

    /// Whether `name` selects it: `A01` also selects `A01.2` and `A01.v1`.
    #[must_use]
    pub fn selected_by(&self, name: &str) -> bool {
        self.id
            .strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

/// The cases of one file.
///
/// # Panics
///
/// When it cannot be read or a line is no case.
#[must_use]
pub fn read(file: &Path) -> Vec<Case> {
    let text =
        std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty());
    lines
        .map(|(number, line)| {
            serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("{}:{}: {error}", file.display(), number + 1))
        })
        .collect()
}

fn once() -> usize {
    1
}

/// Keeps a null that is written apart from nothing written.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
