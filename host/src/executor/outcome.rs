//! What a run came to, in the words of the contract.

use serde_json::{Value, json};

use super::freeze::{Frozen, millis};
use super::{Ended, Passed, Shared};
use crate::guest::bindings::tool::bashgate::tool::executor::{
    Artifact, Captured, Channel, Direction, Ending, Limit, LineRange, Outcome, Receipt, Truncation,
};
use crate::output;
use crate::process::{Finished, Output, signal};
use crate::settings::SandboxMode;

/// What the host saw.
pub(super) fn ended(finished: &Finished) -> Ended {
    Ended::Ran {
        exit_code: finished.exit_code,
        signal: finished.signal.as_deref().and_then(signal::number),
        timed_out: finished.timed_out,
        cancelled: finished.cancelled,
    }
}

/// For the record.
pub(super) fn facts(finished: &Finished) -> Value {
    let bytes = match &finished.output {
        Output::Merged(captured) => captured.total_bytes,
        Output::Separate { stdout, stderr } => stdout.total_bytes + stderr.total_bytes,
    };
    json!({
        "exit_code": finished.exit_code,
        "signal": finished.signal,
        "timed_out": finished.timed_out,
        "cancelled": finished.cancelled,
        "duration_ms": duration_ms(finished),
        "left_running": finished.left_running,
        "bytes": bytes,
    })
}

fn duration_ms(finished: &Finished) -> u64 {
    u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX)
}

/// For the tool guest.
pub(super) fn outcome(
    shared: &Shared,
    frozen: &Frozen,
    passed: &Passed,
    finished: Finished,
) -> Outcome {
    let hides = finished.exit_code == Some(0);
    let last_stage = passed.decision.last_stage().filter(|_| hides);
    Outcome {
        duration_ms: duration_ms(&finished),
        ending: Ending {
            exit_code: finished.exit_code,
            signal: finished.signal,
            timed_out: finished.timed_out,
            cancelled: finished.cancelled,
        },
        output: match finished.output {
            Output::Merged(captured) => vec![channel(Channel::Merged, captured)],
            Output::Separate { stdout, stderr } => {
                vec![
                    channel(Channel::Stdout, stdout),
                    channel(Channel::Stderr, stderr),
                ]
            }
        },
        receipt: receipt(shared, frozen, passed),
        exit_of_last_stage: last_stage.map(str::to_owned),
        left_running: finished.left_running,
    }
}

/// Says only what was so: this build enforces no sandbox.
fn receipt(shared: &Shared, frozen: &Frozen, passed: &Passed) -> Receipt {
    let mode = shared.host.inner.settings.sandbox.mode;
    let not_enforced = match mode {
        SandboxMode::FullAccess => Vec::new(),
        SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite => {
            vec![format!(
                "sandbox = \"{}\": this build has no sandbox",
                mode.word()
            )]
        }
    };
    Receipt {
        workdir: frozen.workdir.path.clone(),
        timeout_ms: Some(millis(frozen.timeout)),
        timeout_limited: frozen.timeout_limited,
        sandbox: String::from("none"),
        network: true,
        not_enforced,
        withheld_variables: frozen.environment.frozen.withheld.clone(),
        decided_by: passed.by.clone(),
    }
}

fn channel(channel: Channel, captured: output::Captured) -> Captured {
    Captured {
        channel,
        head: captured.head,
        tail: captured.tail,
        truncation: captured.truncation.map(truncation),
        total_bytes: captured.total_bytes,
        total_lines: captured.total_lines,
        artifact: captured.artifact.map(|artifact| Artifact {
            id: artifact.id,
            path: artifact.path.to_string_lossy().into_owned(),
            bytes: artifact.bytes,
            complete: artifact.complete,
        }),
        artifact_error: captured.artifact_error,
    }
}

fn truncation(truncation: output::Truncation) -> Truncation {
    let range = |range: output::LineRange| LineRange {
        first: range.first,
        last: range.last,
    };
    Truncation {
        direction: match truncation.direction {
            output::Keep::Both => Direction::Both,
            output::Keep::Head => Direction::Head,
            output::Keep::Tail => Direction::Tail,
        },
        truncated_by: match truncation.truncated_by {
            output::Limit::Lines => Limit::Lines,
            output::Limit::Bytes => Limit::Bytes,
        },
        omitted_lines: truncation.omitted_lines,
        omitted_bytes: truncation.omitted_bytes,
        shown: truncation.shown.into_iter().map(range).collect(),
    }
}
