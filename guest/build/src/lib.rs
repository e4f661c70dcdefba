//! Compiles guests of this repository to WebAssembly components.
//!
//! Owns: finding a toolchain, the one cargo call that compiles all guests, and
//! the step from core module to component. Knows nothing of what a guest does.

mod toolchain;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use toolchain::Missing;
use toolchain::Toolchain;

/// The target of every guest: without an operating system, so that a guest's
/// imports are its WIT world's and no others.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// What to build.
#[derive(Debug, Clone)]
pub struct Request {
    /// Folder of the workspace's `Cargo.toml`.
    pub workspace: PathBuf,
    /// Names of packages whose library is a guest.
    pub packages: Vec<String>,
    /// Names of packages whose examples are guests.
    pub example_packages: Vec<String>,
}

/// Why guests could not be built.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No toolchain can do it; says the one command that brings it.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// Cargo ended with an error; it has printed why.
    #[error("cargo could not compile the guests: {0}")]
    Cargo(String),
    /// The compiled module does not fit its WIT world.
    #[error("{name} does not become a component: {reason}")]
    Component {
        /// The module's name.
        name: String,
        /// What `wit-component` said.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
}

/// Compiles all guests of `request` in one cargo call and makes components of
/// them. Answers each guest's component file by its name, in kebab-case.
///
/// # Errors
///
/// When the toolchain is missing, a guest does not compile, or its module does
/// not fit a world.
pub fn build(request: &Request) -> Result<BTreeMap<String, PathBuf>, Error> {
    let toolchain = Toolchain::find(&request.workspace)?;
    let target_dir = target_dir(&request.workspace).join("guest");
    let modules = compile(request, &toolchain, &target_dir)?;
    let folder = target_dir.join("components");
    std::fs::create_dir_all(&folder).map_err(|source| Error::File {
        path: folder.clone(),
        source,
    })?;
    let mut components = BTreeMap::new();
    for (name, module) in modules {
        let path = folder.join(format!("{name}.wasm"));
        encode(&name, &module, &path)?;
        components.insert(name, path);
    }
    Ok(components)
}

/// Folders and files that a built guest depends on, for
/// `cargo::rerun-if-changed`.
#[must_use]
pub fn inputs(workspace: &Path) -> Vec<PathBuf> {
    [
        "Cargo.toml",
        "Cargo.lock",
        "wit",
        "guest/sdk",
        "guest/analyzer",
        "guest/interceptor",
        "guest/approval",
        "guest/bash-tool",
        "guest/build",
    ]
    .iter()
    .map(|name| workspace.join(name))
    .collect()
}

fn target_dir(workspace: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| workspace.join("target"), |folder| workspace.join(folder))
}

/// One cargo call for all; answers each module's file by the guest's name.
fn compile(
    request: &Request,
    toolchain: &Toolchain,
    target_dir: &Path,
) -> Result<BTreeMap<String, PathBuf>, Error> {
    let mut modules = BTreeMap::new();
    for (packages, kind, flag) in [
        (&request.packages, "cdylib", "--lib"),
        (&request.example_packages, "example", "--examples"),
    ] {
        if packages.is_empty() {
            continue;
        }
        let mut cargo = toolchain.cargo();
        cargo
            .current_dir(&request.workspace)
            .args(["build", "--profile", "guest", "--target", TARGET])
            .args([flag, "--message-format=json-render-diagnostics"])
            .arg("--target-dir")
            .arg(target_dir);
        for package in packages {
            cargo.args(["--package", package]);
        }
        let messages = run(&mut cargo)?;
        modules.extend(artifacts(&messages, kind));
    }
    Ok(modules)
}

fn run(cargo: &mut Command) -> Result<String, Error> {
    let output = cargo
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| Error::Cargo(error.to_string()))?;
    if !output.status.success() {
        return Err(Error::Cargo(output.status.to_string()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The modules that cargo's messages name. A guest is named as its package,
/// without the project's prefix, or as its example.
fn artifacts(messages: &str, kind: &str) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    for line in messages.lines() {
        let Ok(message) = serde_json::from_str::<serde_json::Value>(line) else {
            continue;
        };
        let target = &message["target"];
        let is_guest = message["reason"] == "compiler-artifact"
            && target["kind"]
                .as_array()
                .is_some_and(|kinds| kinds.iter().any(|entry| entry == kind));
        let files = message["filenames"].as_array();
        if let (true, Some(name), Some(files)) = (is_guest, target["name"].as_str(), files) {
            let name = name.replace('_', "-");
            let name = name.strip_prefix("bashgate-").unwrap_or(&name).to_owned();
            let module = files
                .iter()
                .filter_map(|file| file.as_str())
                .find(|file| file.ends_with(".wasm"));
            if let Some(module) = module {
                found.insert(name, PathBuf::from(module));
            }
        }
    }
    found
}

/// Writes the component of `module`, and leaves the file alone when nothing
/// changed, so that its digest and time stay. A module that embeds no world
/// is copied as it is: a test needs one.
fn encode(name: &str, module: &Path, path: &Path) -> Result<(), Error> {
    let file_error = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::File { path, source }
    };
    let bytes = std::fs::read(module).map_err(file_error(module))?;
    let component = if has_world(&bytes) {
        wit_component::ComponentEncoder::default()
            .validate(true)
            .module(&bytes)
            .and_then(|encoder| encoder.encode())
            .map_err(|error| Error::Component {
                name: name.to_owned(),
                reason: format!("{error:#}"),
            })?
    } else {
        bytes
    };
    if std::fs::read(path).is_ok_and(|old| old == component) {
        return Ok(());
    }
    let partial = path.with_extension(format!("{}.partial", std::process::id()));
    std::fs::write(&partial, component).map_err(file_error(&partial))?;
    std::fs::rename(&partial, path).map_err(file_error(path))
}

fn has_world(module: &[u8]) -> bool {
    let marker = b"component-type:";
    module.windows(marker.len()).any(|window| window == marker)
}
