//! Compiles the four built-in guests of this very source and embeds them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bashgate_guest_build::{Request, build, inputs};
use sha2::{Digest, Sha256};

const GUESTS: [&str; 4] = ["analyzer", "interceptor", "approval", "bash-tool"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let host = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let workspace = host.parent().ok_or("the host has no workspace around it")?;
    for input in inputs(workspace) {
        println!("cargo::rerun-if-changed={}", input.display());
    }
    let components = build(&Request {
        workspace: workspace.to_owned(),
        packages: GUESTS
            .iter()
            .map(|name| format!("bashgate-{name}"))
            .collect(),
        example_packages: Vec::new(),
    })?;
    let mut source = String::new();
    for name in GUESTS {
        let path = components
            .get(name)
            .ok_or_else(|| format!("no guest {name} was built"))?;
        write!(source, "{}", constant(name, path)?)?;
    }
    let out = PathBuf::from(std::env::var("OUT_DIR")?).join("guests.rs");
    std::fs::write(out, source)?;
    Ok(())
}

/// The bytes and the digest of one guest, as a constant.
fn constant(name: &str, path: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let digest = Sha256::digest(std::fs::read(path)?);
    let hex = digest.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    Ok(format!(
        "pub(crate) const {}: BuiltIn = BuiltIn {{ bytes: include_bytes!({path:?}), digest: \"sha256:{hex}\" }};\n",
        name.replace('-', "_").to_uppercase(),
    ))
}
