//! The command line: options, sub-commands, exit codes.

mod arguments;
mod commands;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;
pub(crate) use commands::health;

/// Exit codes of the command itself; a script's own pass through.
pub(crate) mod code {
    /// Usage, configuration or infrastructure.
    pub(crate) const FAILED: u8 = 125;
    /// The gate refused.
    pub(crate) const DENIED: u8 = 126;
    /// The timeout ended it.
    pub(crate) const TIMED_OUT: u8 = 124;
    /// `explain`: a person would be asked.
    pub(crate) const ASK: u8 = 3;
    /// `explain`: it would be denied.
    pub(crate) const DENY: u8 = 4;
    /// `plugin check`, `doctor`: something does not fit.
    pub(crate) const UNFIT: u8 = 1;
}

/// Runs the command with this process's arguments.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let asked_for = !error.use_stderr();
            // Nobody is left to tell if even this cannot be printed.
            let _ = error.print();
            let code = if asked_for { 0 } else { code::FAILED };
            return ExitCode::from(code);
        }
    };
    log(arguments.verbose);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let ended = match runtime {
        Ok(runtime) => {
            let ended = runtime.block_on(commands::run(arguments));
            // A thread that hangs in a file system or at a prompt is left.
            runtime.shutdown_background();
            ended
        }
        Err(error) => Err(error.into()),
    };
    match ended {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            complain(&format!("bashgate: {error:#}"));
            ExitCode::from(code::FAILED)
        }
    }
}

/// A line to the operator.
pub(crate) fn complain(line: &str) {
    // Standard error is the last place to complain to.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Text to standard output, which carries results and nothing else. Whoever
/// closes it early has read enough.
pub(crate) fn say(text: &str) -> std::io::Result<()> {
    let line_end = if text.ends_with('\n') { "" } else { "\n" };
    let mut stdout = std::io::stdout().lock();
    let written = write!(stdout, "{text}{line_end}").and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

fn log(verbose: u8) {
    use tracing_subscriber::filter::LevelFilter;
    let level = match verbose {
        0 => LevelFilter::WARN,
        1 => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    // Only bashgate's own: wasmtime's lines help nobody here.
    let filter = tracing_subscriber::EnvFilter::new(format!("bashgate={level}"));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .without_time()
        .with_target(false)
        .with_ansi(false)
        .finish();
    // A second subscriber is set only by an embedder, whose own it then is.
    let _ = tracing::subscriber::set_global_default(subscriber);
}
