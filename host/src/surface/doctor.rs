//! What works on this machine, and what to do about the rest.

use serde_json::{Value, json};

use super::cli::health;
use super::script::visible;
use crate::guest::Health;
use crate::host::{Host, HostError};

/// How one thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Well,
    Note,
    Broken,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Well => "ok",
            Self::Note => "note",
            Self::Broken => "broken",
        }
    }
}

struct Row {
    what: &'static str,
    state: State,
    said: String,
}

/// All that was looked at.
pub(crate) struct Report(Vec<Row>);

impl Report {
    pub(crate) fn is_well(&self) -> bool {
        self.0.iter().all(|row| row.state != State::Broken)
    }

    pub(crate) fn text(&self) -> String {
        let line = |row: &Row| {
            let (state, what) = (row.state.word(), row.what);
            format!("{state:<7}{what:<11}{}", visible(&row.said))
        };
        self.0.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn json(&self) -> Value {
        let row =
            |row: &Row| json!({ "what": row.what, "state": row.state.word(), "said": row.said });
        let checks: Vec<Value> = self.0.iter().map(row).collect();
        json!({ "well": self.is_well(), "checks": checks })
    }

    fn add(&mut self, what: &'static str, state: State, said: impl Into<String>) {
        let said = said.into();
        self.0.push(Row { what, state, said });
    }

    /// A part that should work, and why it does not.
    fn part(&mut self, what: &'static str, problem: Option<&str>, well: impl Into<String>) {
        match problem {
            None => self.add(what, State::Well, well),
            Some(problem) => self.add(what, State::Broken, problem),
        }
    }
}

pub(crate) fn examine(host: Result<Host, anyhow::Error>) -> Report {
    let mut report = Report(Vec::new());
    match host {
        Ok(host) => started(&mut report, &host),
        Err(error) => {
            let what = match error.downcast_ref::<HostError>() {
                Some(HostError::Config(_)) => "settings",
                Some(HostError::Load(_)) => "guests",
                Some(HostError::Shell(_)) => "shell",
                Some(HostError::Places(_)) | None => "start",
            };
            report.add(what, State::Broken, format!("{error:#}"));
        }
    }
    report
}

fn started(report: &mut Report, host: &Host) {
    let (places, settings) = (host.places(), host.settings());
    let shown = |path: &std::path::Path| path.display().to_string();
    report.add("workspace", State::Well, shown(&places.root));
    report.add(
        "settings",
        State::Well,
        format!("mode {}", settings.mode.word()),
    );
    report.add("shell", State::Well, shown(&settings.shell.program));
    for guest in host.plugins() {
        let said = format!("{}: {}", guest.label, health(&guest.health));
        let state = match (&guest.health, guest.required) {
            (Health::Good, _) => State::Well,
            (Health::Failing(_) | Health::Absent(_), false) => State::Note,
            (Health::Failing(_) | Health::Absent(_), true) => State::Broken,
        };
        report.add("guest", state, said);
    }
    report.part("cache", host.guests().cache_error(), shown(&places.cache));
    report.part("output", host.artifact_error(), shown(&places.data));
    let record = crate::folder::open_private(&places.state).err();
    report.part("record", record.as_deref(), shown(&places.state));
    let approvals = host.approvals().list();
    let problem = approvals.as_ref().err().map(ToString::to_string);
    let count = approvals.map_or(0, |grants| grants.len());
    report.part("approvals", problem.as_deref(), format!("{count} lasting"));
    sandbox(report, host);
}

fn sandbox(report: &mut Report, host: &Host) {
    if host.settings().sandbox.required {
        let said = "sandbox_required is set, so nothing runs: this build has none";
        report.add("sandbox", State::Broken, said);
    } else {
        let said = "none in this build: an approved command may do what the user may do";
        report.add("sandbox", State::Note, said);
    }
}
