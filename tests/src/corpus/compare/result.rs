//! What `call --json` returned, and what it left behind, beside what a case
//! expects.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Problems;
use crate::corpus::case::{Expect, OneOrMany};
use crate::program::Ended;
use crate::{TestHost, processes};

/// `text`, `is_error` and `structured` of an answer.
pub(in crate::corpus) struct Answer {
    pub(in crate::corpus) fields: Value,
    pub(in crate::corpus) is_error: bool,
    /// Merged output, or standard output where the streams are apart.
    pub(in crate::corpus) output: Option<String>,
    stdout: Option<String>,
    stderr: Option<String>,
    text: String,
    /// A long text is not repeated in the structured part.
    view: String,
}

impl Answer {
    pub(in crate::corpus) fn new(answer: &Value) -> Self {
        let fields = answer.get("structured").unwrap_or(answer).clone();
        let text_at = |value: &Value| value.as_str().map(str::to_owned);
        let text = text_at(&answer["text"]).unwrap_or_default();
        let stdout = text_at(&fields["output"]["stdout"]);
        let output = text_at(&fields["output"]["text"]).or_else(|| stdout.clone());
        Self {
            is_error: answer["is_error"].as_bool().unwrap_or_default(),
            stderr: text_at(&fields["output"]["stderr"]),
            view: output.clone().unwrap_or_else(|| text.clone()),
            fields,
            output,
            stdout,
            text,
        }
    }
}

/// An error is expected, of the configuration or of the arguments.
pub(in crate::corpus) fn refusal(expect: &Expect, ended: &Ended, is_error: bool) -> Problems {
    let mut problems = Problems::default();
    let said = ended.said();
    let got = format!("{:?}, {said}", ended.code);
    let refused = ended.code == Some(125) || is_error;
    problems.need(refused, "exit", "an error (125)", got);
    for wanted in expect.error_has.iter().flatten() {
        let quoted = Value::from(wanted.as_str()).to_string();
        let inner = quoted.trim_start_matches('"').trim_end_matches('"');
        let there = said.contains(wanted.as_str()) || said.contains(inner);
        problems.need(there, "error with", wanted, &said);
    }
    problems
}

/// Compares a result.
pub(in crate::corpus) fn result(
    expect: &Expect,
    answer: &Answer,
    ended: &Ended,
    idle_mib: f64,
) -> Problems {
    let mut problems = Problems::default();
    ending(expect, answer, ended, &mut problems);
    texts(expect, answer, &mut problems);
    numbers(expect, answer, &mut problems);
    artifact(expect, answer, &mut problems);
    let shown = answer.view.len() as f64;
    let growth = ended.peak_mib - idle_mib;
    let ms = ended.took.as_secs_f64() * 1000.0;
    for (what, got, most) in [
        ("max_output_bytes", shown, expect.max_output_bytes),
        ("max_ms", ms, expect.max_ms),
        ("max_rss_growth_mib", growth, expect.max_rss_growth_mib),
    ] {
        let fits = most.is_none_or(|most| got <= most as f64);
        problems.need(fits, what, most, got.round());
    }
    let least = expect.min_ms.unwrap_or(0) as f64;
    problems.need(ms >= least, "min_ms", least, ms.round());
    problems
}

fn ending(expect: &Expect, answer: &Answer, ended: &Ended, problems: &mut Problems) {
    for (key, wanted) in [
        ("exit_code", &expect.exit_code),
        ("signal", &expect.signal),
        ("timed_out", &expect.timed_out),
        ("truncated", &expect.truncated),
    ] {
        let Some(wanted) = wanted else {
            continue;
        };
        let got = &answer.fields[key];
        let fits = wanted
            .as_array()
            .map_or(wanted == got, |several| several.contains(got));
        problems.need(fits, key, wanted, got);
    }
    // A timed-out call ends with a code of its own.
    if expect.timed_out == Some(Value::Bool(true)) {
        return;
    }
    let code = expect.exit_code.as_ref().and_then(Value::as_i64);
    let signal = expect.signal.as_ref().and_then(Value::as_str);
    for wanted in [code, signal.map(|name| 128 + number_of(name))]
        .into_iter()
        .flatten()
    {
        let got = ended.code.map(i64::from);
        problems.need(got == Some(wanted), "exit of the command", wanted, got);
    }
}

/// The numbers of the signals that cases name.
fn number_of(signal: &str) -> i64 {
    i64::from(match signal {
        "SIGHUP" => libc::SIGHUP,
        "SIGINT" => libc::SIGINT,
        "SIGQUIT" => libc::SIGQUIT,
        "SIGABRT" => libc::SIGABRT,
        "SIGKILL" => libc::SIGKILL,
        "SIGSEGV" => libc::SIGSEGV,
        "SIGPIPE" => libc::SIGPIPE,
        "SIGTERM" => libc::SIGTERM,
        other => panic!("the runner does not know the signal {other}"),
    })
}

fn texts(expect: &Expect, answer: &Answer, problems: &mut Problems) {
    for (what, wanted, got) in [
        ("output", &expect.output, &answer.output),
        ("stdout", &expect.stdout, &answer.stdout),
        ("stderr", &expect.stderr, &answer.stderr),
    ] {
        problems.need(wanted.is_none() || wanted == got, what, wanted, got);
    }
    if let Some(wanted) = expect.is_error {
        let got = answer.is_error;
        problems.need(wanted == got, "is_error", wanted, got);
    }
    for (what, has, lacks, text) in [
        (
            "output",
            &expect.output_has,
            &expect.output_lacks,
            &answer.view,
        ),
        ("text", &expect.text_has, &expect.text_lacks, &answer.text),
    ] {
        for wanted in has {
            let there = text.contains(wanted.as_str());
            problems.need(there, &format!("{what} with"), wanted, text);
        }
        for wanted in lacks {
            let there = text.contains(wanted.as_str());
            problems.need(!there, &format!("{what} without"), wanted, text);
        }
    }
}

fn numbers(expect: &Expect, answer: &Answer, problems: &mut Problems) {
    let within = |wanted: &OneOrMany<u64>, got: u64| {
        let ends = (wanted.as_slice().first(), wanted.as_slice().last());
        matches!(ends, (Some(least), Some(most)) if (*least..=*most).contains(&got))
    };
    let fields = &answer.fields;
    for (what, wanted, got) in [
        ("total_bytes", &expect.total_bytes, &fields["total_bytes"]),
        ("total_lines", &expect.total_lines, &fields["total_lines"]),
        (
            "artifact_bytes",
            &expect.artifact_bytes,
            &fields["artifact"]["bytes"],
        ),
    ] {
        if let Some(wanted) = wanted {
            let fits = within(wanted, got.as_u64().unwrap_or(0));
            problems.need(fits, what, wanted, got);
        }
    }
}

/// The file itself, not only what is said of it.
fn artifact(expect: &Expect, answer: &Answer, problems: &mut Problems) {
    let artifact = &answer.fields["artifact"];
    let (Some(_), Some(path)) = (&expect.artifact_bytes, artifact["path"].as_str()) else {
        return;
    };
    match Path::new(path).metadata() {
        Ok(file) => {
            let bytes = &artifact["bytes"];
            let same = *bytes == file.len();
            problems.need(same, "artifact file size", bytes, file.len());
            let mode = format!("{:o}", file.permissions().mode() & 0o777);
            problems.need(mode == "600", "artifact file mode", "600", &mode);
        }
        Err(error) => problems.push(format!("artifact file: {path}: {error}")),
    }
}

/// What must hold one second after the answer.
pub(in crate::corpus) fn aftermath(
    expect: &Expect,
    host: &TestHost,
    ended: &Ended,
    problems: &mut Problems,
) {
    for name in &expect.absent {
        problems.need(!host.at(name).exists(), name, "no such file", "a file");
    }
    if expect.gone.is_some() || !expect.steady.is_empty() {
        let due = ended.at + Duration::from_secs(1);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    if let Some(gone) = &expect.gone {
        let left = processes::with(&gone.pattern_in_cmdline);
        problems.need(left.is_empty(), "processes", "none left", &left);
    }
    let files: Vec<PathBuf> = expect
        .steady
        .iter()
        .map(|name| host.at(name))
        .filter(|path| path.exists())
        .collect();
    let sizes = || -> Vec<Option<u64>> {
        files
            .iter()
            .map(|path| path.metadata().ok().map(|file| file.len()))
            .collect()
    };
    if !files.is_empty() {
        let before = sizes();
        std::thread::sleep(Duration::from_secs(1));
        problems.need(
            before == sizes(),
            "files",
            "no longer written",
            &expect.steady,
        );
    }
}
