//! The command: runs a campaign and prints what it came to.
#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use bashgate_soundness::campaign::{Campaign, Limit};
use bashgate_soundness::generate::{Production, Script};
use bashgate_soundness::place::Room;
use bashgate_soundness::report::Miss;
use bashgate_soundness::run::{self, Observe};
use clap::{Parser, Subcommand};

/// Scripts that run when nothing else is said.
const SCRIPTS: u64 = 2000;

/// Makes up bash scripts, runs them for real in a temporary folder, and
/// compares what ran with the plan. Ends with 1 when something ran unseen.
#[derive(Parser)]
#[command(name = "bashgate-soundness", version)]
struct Arguments {
    /// Stop after so many scripts (2000 when neither this nor --seconds is given)
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    scripts: Option<u64>,
    /// Stop after so many seconds
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
    /// Decides which scripts are made up
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Begin with the script of this number
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    /// How to see what runs
    #[arg(long, value_enum, default_value_t = Observe::Strace)]
    observe: Observe,
    /// Write each miss into a file of this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Report misses as they were made up
    #[arg(long)]
    no_minimize: bool,
    /// Make so many scripts with a needless doubt small, and report them
    #[arg(long, value_name = "N", default_value_t = 0)]
    doubts: usize,
    /// A setting of the host, as with `bashgate --set`
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print the names of all productions and end
    #[arg(long)]
    list_productions: bool,
    /// Print the script of this number and end
    #[arg(long, value_name = "N")]
    show: Option<u64>,
    #[command(subcommand)]
    inner: Option<Inner>,
}

#[derive(Subcommand)]
enum Inner {
    /// What a campaign starts itself.
    #[command(hide = true)]
    Drive {
        folder: PathBuf,
        programs: PathBuf,
        count: usize,
    },
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    if let Some(Inner::Drive {
        folder,
        programs,
        count,
    }) = arguments.inner
    {
        run::drive(&Room::at(folder, programs), count)?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.list_productions {
        for production in Production::ALL {
            println!("{}", production.name());
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(number) = arguments.show {
        print!("{}", Script::generate(arguments.seed, number).text());
        return Ok(ExitCode::SUCCESS);
    }
    campaign(&arguments)
}

fn campaign(arguments: &Arguments) -> Result<ExitCode> {
    let limit = match arguments.seconds {
        Some(seconds) => Limit::Time(Duration::from_secs(seconds)),
        None => Limit::Scripts(arguments.scripts.unwrap_or(SCRIPTS)),
    };
    let report = Campaign {
        seed: arguments.seed,
        first: arguments.first,
        limit,
        observe: arguments.observe,
        driver: std::env::current_exe().context("this program is nowhere")?,
        set: arguments.set.clone(),
        minimize: !arguments.no_minimize,
        doubts: arguments.doubts,
    }
    .run()?;
    println!("{report}");
    if let Some(folder) = &arguments.keep {
        keep(folder, arguments.seed, &report.misses)?;
    }
    Ok(if report.misses.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

fn keep(folder: &Path, seed: u64, misses: &[Miss]) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    for miss in misses {
        let name = format!("{seed}-{}", miss.number);
        std::fs::write(folder.join(format!("{name}.sh")), &miss.script)?;
        std::fs::write(folder.join(format!("{name}.small.sh")), &miss.small)?;
        std::fs::write(folder.join(format!("{name}.txt")), miss.to_string())?;
    }
    Ok(())
}
