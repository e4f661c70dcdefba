//! Builds the guests of the tests and tells the library where they are.
#![allow(clippy::expect_used, clippy::print_stdout)]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use bashgate_guest_build::{Request, build};

/// What the guests are made from, below the workspace.
const INPUTS: [&str; 5] = [
    "tests/guests",
    "guest/sdk",
    "wit",
    "guest/build",
    "Cargo.lock",
];

fn main() {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let workspace = here.parent().expect("the workspace is above").to_owned();
    for input in INPUTS {
        println!(
            "cargo::rerun-if-changed={}",
            workspace.join(input).display()
        );
    }
    let request = Request {
        workspace,
        packages: Vec::new(),
        example_packages: vec!["bashgate-misbehaving".to_owned()],
    };
    let built = build(&request).unwrap_or_else(|error| {
        println!("cargo::error={error}");
        std::process::exit(1)
    });
    let mut table = "&[\n".to_owned();
    for (name, path) in built {
        writeln!(table, "    ({name:?}, {path:?}),").expect("a string takes all");
    }
    table.push_str("]\n");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets it");
    std::fs::write(Path::new(&out).join("guests.in"), table).expect("OUT_DIR is writable");
}
