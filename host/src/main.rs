//! The command `bashgate`.

use std::process::ExitCode;

fn main() -> ExitCode {
    bashgate::surface::cli::main()
}
