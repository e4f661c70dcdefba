//! Finds what compiles Rust and C for wasm32: the running toolchain if it has
//! the target, else Debian's own compiler with the standard library's source.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::TARGET;

/// Something that guests are built with is not installed.
#[derive(Debug, thiserror::Error)]
#[error("{what} is missing: guests cannot be built; run `sh guest/build/setup.sh`")]
pub struct Missing {
    /// What was looked for.
    pub what: &'static str,
}

/// Variables that an outer cargo or rustup sets and an inner one must not see.
const OUTER: &[&str] = &[
    "CARGO",
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_MAKEFLAGS",
    "MAKEFLAGS",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOC",
    "RUSTDOCFLAGS",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
    "TARGET",
    "HOST",
];

/// Newest first; the plain name is what other systems have.
const CLANGS: &[&str] = &[
    "clang", "clang-22", "clang-21", "clang-20", "clang-19", "clang-18", "clang-17", "clang-16",
    "clang-15", "clang-14",
];

pub(crate) struct Toolchain {
    rust: Rust,
    clang: String,
    ar: String,
    flags: CFlags,
    workspace: PathBuf,
}

enum Rust {
    /// A compiler with the target's standard library.
    WithTarget { cargo: PathBuf, rustc: PathBuf },
    /// Debian's: the standard library is built from its source.
    FromSource { cargo: PathBuf, rustc: PathBuf },
}

struct CFlags {
    headers: PathBuf,
    ctype: PathBuf,
}

impl Toolchain {
    pub(crate) fn find(workspace: &Path) -> Result<Self, Missing> {
        let rust = Rust::find()?;
        let clang = std::env::var("CC_wasm32_unknown_unknown")
            .ok()
            .into_iter()
            .chain(CLANGS.iter().map(|&name| name.to_owned()))
            .find(|name| knows_wasm(name))
            .ok_or(Missing {
                what: "a clang that knows wasm32",
            })?;
        let suffix = clang.strip_prefix("clang").unwrap_or_default();
        let ar = std::env::var("AR_wasm32_unknown_unknown")
            .ok()
            .into_iter()
            .chain([format!("llvm-ar{suffix}"), "llvm-ar".to_owned()])
            .chain(CLANGS.iter().map(|name| name.replace("clang", "llvm-ar")))
            .find(|name| starts(name, &["--version"]))
            .ok_or(Missing { what: "llvm-ar" })?;
        let flags = CFlags::find(workspace, &rust)?;
        Ok(Self {
            rust,
            clang,
            ar,
            flags,
            workspace: workspace.to_owned(),
        })
    }

    /// A cargo call without a sub-command, in an environment of its own.
    pub(crate) fn cargo(&self) -> Command {
        let mut command = self.rust.cargo();
        let CFlags { headers, ctype } = &self.flags;
        command
            .env("CC_wasm32_unknown_unknown", &self.clang)
            .env("AR_wasm32_unknown_unknown", &self.ar)
            .env(
                "CFLAGS_wasm32_unknown_unknown",
                format!("-I{} -include {}", headers.display(), ctype.display()),
            )
            .env("CARGO_ENCODED_RUSTFLAGS", self.remapped().join("\u{1f}"));
        command
    }

    /// A guest's bytes, and so its digest, must not depend on where it was
    /// built: paths in panic messages are cut.
    fn remapped(&self) -> Vec<String> {
        let cargo_home = std::env::var_os("CARGO_HOME")
            .map(PathBuf::from)
            .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
        let mut flags = vec![format!(
            "--remap-path-prefix={}=bashgate",
            self.workspace.display()
        )];
        if let Some(home) = cargo_home {
            flags.push(format!("--remap-path-prefix={}=cargo", home.display()));
        }
        flags
    }
}

impl Rust {
    fn find() -> Result<Self, Missing> {
        let outer = |name: &str, plain: &str| {
            std::env::var_os(name).map_or_else(|| PathBuf::from(plain), PathBuf::from)
        };
        let rustc = outer("RUSTC", "rustc");
        if sysroot(&rustc).is_some_and(|root| root.join("lib/rustlib").join(TARGET).is_dir()) {
            let cargo = outer("CARGO", "cargo");
            return Ok(Self::WithTarget { cargo, rustc });
        }
        let debian = PathBuf::from("/usr/bin/rustc");
        let source = sysroot(&debian).map(|root| root.join("lib/rustlib/src/rust/library/std"));
        if source.is_some_and(|folder| folder.is_dir()) {
            let cargo = PathBuf::from("/usr/bin/cargo");
            return Ok(Self::FromSource {
                cargo,
                rustc: debian,
            });
        }
        Err(Missing {
            what: "the Rust target wasm32-unknown-unknown",
        })
    }

    fn cargo(&self) -> Command {
        let (cargo, rustc) = match self {
            Self::WithTarget { cargo, rustc } | Self::FromSource { cargo, rustc } => (cargo, rustc),
        };
        let mut command = Command::new(cargo);
        for name in OUTER {
            command.env_remove(name);
        }
        command.env("RUSTC", rustc);
        if let Self::FromSource { .. } = self {
            command
                .env("RUSTC_BOOTSTRAP", "1")
                .arg("-Zbuild-std=std,panic_abort");
        }
        command
    }
}

impl CFlags {
    /// tree-sitter's C needs a few headers that wasm32 does not come with; the
    /// crate `tree-sitter-language` carries them.
    fn find(workspace: &Path, rust: &Rust) -> Result<Self, Missing> {
        let missing = Missing {
            what: "the crate tree-sitter-language (is Cargo.lock complete?)",
        };
        let output = rust
            .cargo()
            .current_dir(workspace)
            .args([
                "metadata",
                "--format-version=1",
                "--filter-platform",
                TARGET,
            ])
            .stderr(Stdio::inherit())
            .output();
        let packages = output
            .ok()
            .and_then(|output| serde_json::from_slice::<serde_json::Value>(&output.stdout).ok());
        let manifest = packages.as_ref().and_then(|metadata| {
            metadata["packages"]
                .as_array()?
                .iter()
                .find(|package| package["name"] == "tree-sitter-language")?["manifest_path"]
                .as_str()
        });
        let folder = manifest.and_then(|path| Path::new(path).parent());
        match folder {
            Some(folder) => Ok(Self {
                headers: folder.join("wasm/include"),
                ctype: workspace.join("guest/build/include/ctype.h"),
            }),
            None => Err(missing),
        }
    }
}

fn sysroot(rustc: &Path) -> Option<PathBuf> {
    let output = Command::new(rustc)
        .args(["--print", "sysroot"])
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| PathBuf::from(text.trim()))
}

fn knows_wasm(clang: &str) -> bool {
    starts(
        clang,
        &[
            "--target=wasm32-unknown-unknown",
            "-fsyntax-only",
            "-x",
            "c",
            "/dev/null",
        ],
    )
}

fn starts(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
