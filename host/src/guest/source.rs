//! A component's bytes, where they come from, and whether they fit a world.

use std::borrow::Cow;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::ComponentItem;

use super::built_in::BuiltIn;

/// Larger than any guest; JavaScript and Python guests take 12 to 18 MB.
const MAX_BYTES: u64 = 256 << 20;

/// The version of the contract that this host speaks.
const CONTRACT: &str = "0.1";

/// A world that a guest may target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorldKind {
    /// Judges.
    Policy,
    /// Turns a script into a plan.
    Analyzer,
    /// Defines the tools.
    Tool,
    /// Adjusts the environment.
    Environment,
}

impl WorldKind {
    const ALL: [Self; 4] = [Self::Policy, Self::Analyzer, Self::Tool, Self::Environment];

    /// The world's name in the contract.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Policy => "policy-guest",
            Self::Analyzer => "analyzer-guest",
            Self::Tool => "tool-guest",
            Self::Environment => "environment-guest",
        }
    }

    /// The interface that it exports, without version.
    pub(crate) fn export(self) -> &'static str {
        match self {
            Self::Policy => "bashgate:policy/policy",
            Self::Analyzer => "bashgate:analyzer/analyzer",
            Self::Tool => "bashgate:tool/tool",
            Self::Environment => "bashgate:policy/environment",
        }
    }

    /// What it may import, without version.
    fn imports(self) -> &'static [&'static str] {
        match self {
            Self::Policy | Self::Environment => &[],
            Self::Analyzer => &["bashgate:analyzer/workspace"],
            Self::Tool => &["bashgate:tool/executor", "bashgate:tool/log"],
        }
    }
}

/// A component's bytes.
#[derive(Clone)]
pub(crate) struct Source {
    /// None for a guest that travels in the host.
    pub(crate) path: Option<PathBuf>,
    /// `sha256:…` of the bytes.
    pub(crate) digest: String,
    bytes: Cow<'static, [u8]>,
}

/// Why a file is no guest.
#[derive(Debug, Clone, thiserror::Error)]
pub enum SourceError {
    /// It is not there, or may not be read.
    #[error("{}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// It is not the file that the configuration pins.
    #[error("{}: its digest is {found}, the configuration pins {pinned}", path.display())]
    Pin {
        /// The file.
        path: PathBuf,
        /// Its digest.
        found: String,
        /// The digest in the configuration.
        pinned: String,
    },
    /// It does not fit, for these reasons.
    #[error("{origin}: {}", problems.join("; "))]
    Unfit {
        /// The file, or `built-in`.
        origin: String,
        /// Sentences.
        problems: Vec<String>,
    },
}

impl Source {
    pub(crate) fn built_in(guest: BuiltIn) -> Self {
        Self {
            path: None,
            digest: guest.digest.to_owned(),
            bytes: Cow::Borrowed(guest.bytes),
        }
    }

    /// Reads a component's file once; what is judged later are these bytes.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is too large, or is not the pinned one.
    pub(crate) fn file(path: &Path, pin: Option<&[u8; 32]>) -> Result<Self, SourceError> {
        let unreadable = |reason: String| SourceError::Unreadable {
            path: path.to_owned(),
            reason,
        };
        // Looked at before it is opened: to open a pipe would wait for a writer.
        let metadata = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
        if !metadata.is_file() {
            return Err(unreadable("it is not a regular file".into()));
        }
        let file = std::fs::File::open(path).map_err(|error| unreadable(error.to_string()))?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(error.to_string()))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(unreadable(format!(
                "it is larger than {} MiB",
                MAX_BYTES >> 20
            )));
        }
        let sum: [u8; 32] = Sha256::digest(&bytes).into();
        if let Some(pinned) = pin.filter(|pinned| **pinned != sum) {
            return Err(SourceError::Pin {
                path: path.to_owned(),
                found: digest_text(&sum),
                pinned: digest_text(pinned),
            });
        }
        Ok(Self {
            path: Some(path.to_owned()),
            digest: digest_text(&sum),
            bytes: Cow::Owned(bytes),
        })
    }

    /// The file's path, or `built-in`.
    pub(crate) fn origin(&self) -> String {
        self.path
            .as_ref()
            .map_or_else(|| "built-in".to_owned(), |path| path.display().to_string())
    }

    pub(crate) fn bytes(&self) -> Cow<'static, [u8]> {
        self.bytes.clone()
    }

    /// What is wrong with the bytes before anything is compiled.
    pub(crate) fn malformed(&self) -> Option<String> {
        let bytes = &self.bytes;
        if bytes.is_empty() {
            return Some("the file is empty".into());
        }
        if !bytes.starts_with(b"\0asm") {
            let native = bytes.starts_with(b"\x7fELF");
            let what = if native {
                "a native program"
            } else {
                "no WebAssembly"
            };
            return Some(format!(
                "this is {what}; a guest is a WebAssembly component"
            ));
        }
        match bytes.get(4..8) {
            Some([0x0d, 0, 1, 0]) => None,
            Some([1, 0, 0, 0]) => Some(
                "this is a core module, not a component; make it one with `wasm-tools component new`"
                    .into(),
            ),
            _ => Some("this is a WebAssembly file of another version".into()),
        }
    }
}

pub(crate) fn digest_text(sum: &[u8]) -> String {
    use fmt::Write as _;
    sum.iter().fold(String::from("sha256:"), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// How a component and a world fit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fit {
    /// The world that its exports belong to.
    pub(crate) world: Option<WorldKind>,
    /// What it wants of the host: imports that hold more than types.
    pub(crate) imports: Vec<String>,
    /// Why it cannot be a guest. Sentences; none if it can.
    pub(crate) problems: Vec<String>,
}

/// What `plugin check` says of a file.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The world that its exports belong to.
    pub world: Option<WorldKind>,
    /// What it wants of the host: imports that hold more than types.
    pub imports: Vec<String>,
    /// `sha256:…` of the file.
    pub digest: String,
    /// Its size.
    pub bytes: u64,
    /// Why it cannot be a guest. Sentences; none if it can.
    pub problems: Vec<String>,
}

/// Whether a file can be a guest of any world. Runs nothing of it.
///
/// # Errors
///
/// When the file cannot be read, or no engine starts.
pub fn check_file(path: &Path) -> Result<Checked, SourceError> {
    let source = Source::file(path, None)?;
    let unreadable = |error: wasmtime::Error| SourceError::Unreadable {
        path: path.to_owned(),
        reason: format!("no WebAssembly engine: {error:#}"),
    };
    let engine = super::engine::policy_engine().map_err(unreadable)?;
    let unfit = |problem: String| Fit {
        problems: vec![problem],
        ..Fit::default()
    };
    let fit = match source.malformed() {
        Some(problem) => unfit(problem),
        None => match Component::from_binary(&engine, &source.bytes) {
            Ok(component) => check(&engine, &component, None),
            Err(error) => unfit(format!("it does not compile: {error:#}")),
        },
    };
    Ok(Checked {
        world: fit.world,
        imports: fit.imports,
        digest: source.digest.clone(),
        bytes: source.bytes.len() as u64,
        problems: fit.problems,
    })
}

/// Whether `component` fits `wanted`, or, without it, any world.
pub(crate) fn check(engine: &Engine, component: &Component, wanted: Option<WorldKind>) -> Fit {
    let shape = component.component_type();
    let exports: Vec<&str> = shape.exports(engine).map(|(name, _)| name).collect();
    let imports: Vec<String> = shape
        .imports(engine)
        .filter(|(_, import)| !only_types(engine, &import.ty))
        .map(|(name, _)| name.to_owned())
        .collect();
    let exported = |world: &WorldKind| exports.iter().any(|name| interface(name) == world.export());
    let found = WorldKind::ALL.into_iter().find(exported);
    let mut problems = Vec::new();
    let world = match wanted {
        Some(wanted) if exported(&wanted) => Some(wanted),
        _ => found,
    };
    match (world, wanted) {
        (None, _) => problems.push(format!(
            "it exports none of bashgate's interfaces, but {}",
            listed(&exports)
        )),
        (Some(world), Some(wanted)) if world != wanted => problems.push(format!(
            "it is of the world `{}`; wanted here is `{}`",
            world.name(),
            wanted.name()
        )),
        (Some(world), _) => {
            problems.extend(wrong_version(&exports, world.export()));
            for import in &imports {
                problems.extend(unwanted_import(world, import));
            }
        }
    }
    Fit {
        world,
        imports,
        problems,
    }
}

fn only_types(engine: &Engine, item: &ComponentItem) -> bool {
    match item {
        ComponentItem::Type(_) => true,
        ComponentItem::ComponentInstance(instance) => instance
            .exports(engine)
            .all(|(_, export)| matches!(export.ty, ComponentItem::Type(_))),
        _ => false,
    }
}

fn interface(name: &str) -> &str {
    name.split_once('@').map_or(name, |(name, _)| name)
}

fn version(name: &str) -> &str {
    name.split_once('@').map_or("", |(_, version)| version)
}

/// In a 0.x contract the second number is the track; within it versions fit.
fn same_track(version: &str) -> bool {
    version
        .strip_prefix(CONTRACT)
        .is_some_and(|rest| rest.starts_with('.') && !rest.contains('-'))
}

fn wrong_version(exports: &[&str], wanted: &str) -> Option<String> {
    let found = exports.iter().find(|name| interface(name) == wanted)?;
    let version = version(found);
    (!same_track(version)).then(|| {
        format!("it speaks version {version} of {wanted}; this bashgate speaks {CONTRACT}.x")
    })
}

fn unwanted_import(world: WorldKind, import: &str) -> Option<String> {
    if world.imports().contains(&interface(import)) {
        let version = version(import);
        return (!same_track(version)).then(|| {
            format!("it imports version {version} of {import}; this bashgate has {CONTRACT}.x")
        });
    }
    let hint = if import.starts_with("wasi:") {
        "build it without WASI, for wasm32-unknown-unknown: this bashgate grants none"
    } else if world.imports().is_empty() {
        "a guest of this world imports nothing"
    } else {
        "this world has no such interface"
    };
    Some(format!("it imports {import}; {hint}"))
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        "nothing".to_owned()
    } else {
        names.join(", ")
    }
}
