//! What each sub-command does.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::arguments::{ApprovalsCommand, Arguments, Command, Common, PluginCommand};
use super::{code, complain, say};
use crate::approvals::{Grant, Scope};
use crate::gate::{Approver, Ruling, json as as_json};
use crate::guest::{self, Health, Lifetime, Listed};
use crate::host::Host;
use crate::process::tree::MARK;
use crate::session::{Called, Ended, Nobody, Session, Tool};
use crate::surface::terminal::{Terminal, Yes};
use crate::surface::{doctor, explain, table};

/// More than any script or argument that bash could be given.
const INPUT: u64 = 64 << 20;

pub(super) async fn run(arguments: Arguments) -> Result<u8> {
    let common = arguments.common;
    refuse_inside(&common, &arguments.command)?;
    match arguments.command {
        Command::Run { script } => {
            let arguments = json!({ "command": script, "description": "Run one script by hand" });
            call(&common, "bash", &arguments.to_string(), true).await
        }
        Command::Call { tool, arguments } => call(&common, &tool, &given(arguments)?, false).await,
        Command::Explain { script } => explain_script(&common, &given(script)?).await,
        Command::Tools => tools(&common).await,
        Command::Plugin(PluginCommand::List) => plugin_list(&common).await,
        Command::Plugin(PluginCommand::Check { file }) => plugin_check(&common, &file),
        Command::Approvals(command) => approvals(&common, command).await,
        Command::Doctor => doctor_report(&common).await,
    }
}

/// A script must not answer its own questions: under a gate nobody says yes,
/// and approvals stay as they are.
fn refuse_inside(common: &Common, command: &Command) -> Result<()> {
    if std::env::var_os(MARK).is_none() {
        return Ok(());
    }
    if common.yes {
        bail!("--yes is refused inside a script that bashgate runs: the person outside answers");
    }
    if let Command::Approvals(ApprovalsCommand::Revoke { .. } | ApprovalsCommand::Clear) = command {
        bail!("approvals are not changed inside a script that bashgate runs");
    }
    Ok(())
}

/// The argument, or standard input for `-`.
fn given(argument: String) -> Result<String> {
    if argument != "-" {
        return Ok(argument);
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .take(INPUT + 1)
        .read_to_end(&mut bytes)
        .context("standard input")?;
    if bytes.len() as u64 > INPUT {
        bail!("standard input is longer than {} MiB", INPUT >> 20);
    }
    String::from_utf8(bytes).context("standard input is not UTF-8")
}

/// `runs`: a script will be judged, and needs the environment of the user's
/// login shell.
async fn host(common: &Common, runs: bool) -> Result<Host> {
    let mut builder = Host::builder()
        .lifetime(Lifetime::OneShot)
        .login_early(runs);
    if let Some(root) = &common.root {
        builder = builder.root(root);
    }
    if let Some(config) = &common.config {
        builder = builder.config(config);
    }
    for setting in &common.set {
        builder = builder.set(setting);
    }
    Ok(builder.start().await?)
}

fn session(host: &Host, common: &Common, approver: Arc<dyn Approver>) -> Result<Session> {
    let tools = common.agent_tools.iter().cloned();
    let mut builder = host.session().tools(tools).approver(approver);
    if let Some(workdir) = &common.workdir {
        builder = builder.workdir(workdir);
    }
    builder.open().context("the system has no randomness")
}

fn approver(common: &Common) -> Arc<dyn Approver> {
    if common.yes {
        return Arc::new(Yes);
    }
    match Terminal::open().filter(|_| !common.no_input) {
        Some(terminal) => Arc::new(terminal),
        None => Arc::new(Nobody),
    }
}

async fn call(common: &Common, tool: &str, arguments: &str, by_hand: bool) -> Result<u8> {
    let cancel = CancellationToken::new();
    cancel_on_signal(&cancel)?;
    let host = host(common, true).await?;
    let session = session(&host, common, approver(common))?;
    let called = session.call(tool, arguments, cancel).await?;
    let ran = matches!(called.ended, Ended::Ran { .. });
    if common.json {
        let answer = json!({
            "text": called.text,
            "is_error": called.is_error,
            "structured": called.structured,
        });
        say(&answer.to_string())?;
    } else if by_hand && called.is_error && !ran {
        complain(&called.text);
    } else {
        say(&called.text)?;
    }
    Ok(exit_code(&called))
}

/// Ctrl-C and a polite kill end the whole tree of the call.
fn cancel_on_signal(cancel: &CancellationToken) -> Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
    ];
    for kind in kinds {
        let mut received = signal(kind).context("signals")?;
        let cancel = cancel.clone();
        tokio::spawn(async move {
            if received.recv().await.is_some() {
                cancel.cancel();
            }
        });
    }
    Ok(())
}

/// From what the host saw; the tool guest cannot change it.
fn exit_code(called: &Called) -> u8 {
    match &called.ended {
        Ended::Denied => code::DENIED,
        Ended::Failed(_) => code::FAILED,
        Ended::NotRun if called.is_error => code::FAILED,
        Ended::NotRun => 0,
        Ended::Ran {
            timed_out: true, ..
        } => code::TIMED_OUT,
        Ended::Ran {
            exit_code: Some(code),
            ..
        } => u8::try_from(*code).unwrap_or(code::FAILED),
        Ended::Ran {
            signal: Some(number),
            ..
        } => u8::try_from(128 + number).unwrap_or(code::FAILED),
        Ended::Ran { .. } => code::FAILED,
    }
}

async fn explain_script(common: &Common, script: &str) -> Result<u8> {
    let host = host(common, true).await?;
    let session = session(&host, common, approver(common))?;
    let decision = session.explain(script, None).await?;
    if common.json {
        say(&as_json::decision(&decision).to_string())?;
    } else {
        say(&explain::text(&decision))?;
    }
    Ok(match decision.ruling {
        Ruling::Allow => 0,
        Ruling::Ask => code::ASK,
        Ruling::Deny => code::DENY,
    })
}

async fn tools(common: &Common) -> Result<u8> {
    let host = host(common, false).await?;
    let session = session(&host, common, Arc::new(Nobody))?;
    let tool = |tool: Tool| {
        json!({
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": tool.input_schema,
            "outputSchema": tool.output_schema,
        })
    };
    let tools: Vec<Value> = session.tools().await?.into_iter().map(tool).collect();
    say(&serde_json::to_string_pretty(&tools)?)?;
    Ok(0)
}

async fn plugin_list(common: &Common) -> Result<u8> {
    let host = host(common, false).await?;
    let rows = host.plugins();
    if common.json {
        let rows: Vec<Value> = rows.iter().map(plugin).collect();
        say(&Value::from(rows).to_string())?;
    } else {
        say(&table::plugins(&rows))?;
    }
    Ok(0)
}

fn plugin(row: &Listed) -> Value {
    json!({
        "name": row.label.name,
        "version": row.label.version,
        "digest": row.label.digest,
        "source": row.source,
        "world": row.world,
        "imports": row.imports,
        "grants": [],
        "required": row.required,
        "health": health(&row.health),
        "calls": row.calls,
        "mean_us": row.mean_us,
        "worst_us": row.worst_us,
    })
}

pub(crate) fn health(health: &Health) -> String {
    match health {
        Health::Good => "good".into(),
        Health::Failing(calls) => format!("{calls} failed"),
        Health::Absent(reason) => format!("absent: {reason}"),
    }
}

fn plugin_check(common: &Common, file: &Path) -> Result<u8> {
    let checked = guest::check_file(file)?;
    let fits = checked.problems.is_empty();
    if common.json {
        let answer = json!({
            "fits": fits,
            "world": checked.world.map(guest::WorldKind::name),
            "imports": checked.imports,
            "digest": checked.digest,
            "bytes": checked.bytes,
            "problems": checked.problems,
        });
        say(&answer.to_string())?;
    } else {
        say(&table::checked(file, &checked))?;
    }
    Ok(if fits { 0 } else { code::UNFIT })
}

async fn approvals(common: &Common, command: ApprovalsCommand) -> Result<u8> {
    let host = host(common, false).await?;
    let store = host.approvals();
    match command {
        ApprovalsCommand::List if common.json => {
            let rows: Vec<Value> = store.list()?.iter().map(approval).collect();
            say(&Value::from(rows).to_string())?;
        }
        ApprovalsCommand::List => say(&table::approvals(&store.list()?))?,
        ApprovalsCommand::Revoke { id } => match store.revoke(&id)? {
            Some(_) => say(&format!("revoked {id}"))?,
            None => bail!("there is no approval {id}; `bashgate approvals list` shows them"),
        },
        ApprovalsCommand::Clear => say(&format!("revoked {}", store.clear()?))?,
    }
    Ok(0)
}

fn approval(grant: &Grant) -> Value {
    let mut value = json!({
        "id": grant.id,
        "guest": grant.guest.name,
        "rules": grant.guest.rules,
        "given": grant.given,
        "root": grant.root,
        "program": grant.program.as_ref().map(|program| &program.path),
    });
    if let Some(fields) = value.as_object_mut() {
        match &grant.scope {
            Scope::Command(words) => {
                fields.insert("pattern".into(), json!(words));
            }
            Scope::Path { path, access } => {
                fields.insert("path".into(), json!(path));
                fields.insert("access".into(), json!(access));
            }
        }
    }
    value
}

async fn doctor_report(common: &Common) -> Result<u8> {
    let report = doctor::examine(host(common, false).await);
    if common.json {
        say(&report.json().to_string())?;
    } else {
        say(&report.text())?;
    }
    Ok(if report.is_well() { 0 } else { code::UNFIT })
}
