//! The options and sub-commands of `bashgate`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// The gate in front of an agent's bash tool: WebAssembly guests judge what an
/// agent wants to run, a native executor runs it.
#[derive(Debug, Parser)]
#[command(name = "bashgate", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
    /// Say more on standard error; twice for everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

const EXAMPLES: &str = "\
Examples:
  bashgate run 'git status'            one gated run
  bashgate explain 'rm -rf build'      what would be decided, and why
  echo '{\"command\":\"ls\",\"description\":\"List files\"}' | bashgate call bash -

Exit codes of run and call: the script's own (128 + n when a signal ended it);
124 timed out, 125 usage, configuration or infrastructure, 126 denied.
Of explain: 0 allow, 3 ask, 4 deny, 125.";

/// Options that every sub-command takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    /// The workspace [default: the git top level, else the current directory]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Where scripts start [default: the workspace]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) workdir: Option<String>,
    /// A configuration file, read after the user's and the project's
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// A setting, stronger than all files: --set mode=never
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// The agent's other tools, for interception: read,grep,find,edit,write,fetch
    #[arg(long, global = true, value_name = "A,B", value_delimiter = ',')]
    pub(crate) agent_tools: Vec<String>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Answer every question with yes, as a person would
    #[arg(long, global = true, conflicts_with = "no_input")]
    pub(crate) yes: bool,
    /// Nobody is there: what would be asked is denied
    #[arg(long, global = true)]
    pub(crate) no_input: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run one script through the gate, as an agent's call
    Run {
        /// The script
        #[arg(allow_hyphen_values = true)]
        script: String,
    },
    /// Call one tool with raw arguments, through the gate
    Call {
        /// The tool, as `bashgate tools` names it
        tool: String,
        /// Its arguments as JSON; `-` reads them from standard input
        arguments: String,
    },
    /// Say what would be decided about a script, and why; run nothing
    Explain {
        /// The script; `-` reads it from standard input
        #[arg(allow_hyphen_values = true)]
        script: String,
    },
    /// Print the tool definitions as JSON
    Tools,
    /// Guests: what is loaded, and whether a component fits
    #[command(subcommand)]
    Plugin(PluginCommand),
    /// Lasting approvals
    #[command(subcommand)]
    Approvals(ApprovalsCommand),
    /// Say what works on this machine, and what to do about the rest
    Doctor,
}

/// Of `bashgate plugin`.
#[derive(Debug, Subcommand)]
pub(crate) enum PluginCommand {
    /// List all guests: version, digest, source, imports, health
    List,
    /// Say whether a component can be a guest
    Check {
        /// The component
        file: PathBuf,
    },
}

/// Of `bashgate approvals`.
#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// List them
    List,
    /// End one
    Revoke {
        /// Its id, as `approvals list` shows it
        id: String,
    },
    /// End all
    Clear,
}
