//! `cargo run -p bashgate-guest-build -- PACKAGE…`: compiles packages of this
//! workspace to components and prints where they are.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use bashgate_guest_build::{Request, build};

fn main() -> ExitCode {
    let packages: Vec<String> = std::env::args().skip(1).collect();
    let answer = if packages.is_empty() {
        Err(String::from(
            "which packages? For example: bashgate-analyzer",
        ))
    } else {
        // Where cargo was called, it also found the workspace.
        let workspace = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        let request = Request {
            workspace,
            packages,
            example_packages: Vec::new(),
        };
        build(&request).map_err(|error| error.to_string())
    };
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    match answer {
        Ok(components) => {
            for (name, path) in components {
                // A closed pipe wants no more of it.
                let _ = writeln!(out, "{name}\t{}", path.display());
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(err, "bashgate-guest-build: {error}");
            ExitCode::FAILURE
        }
    }
}
