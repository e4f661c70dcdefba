use super::{ignored, of_denial, of_outcome, one_line};
use crate::executor::{
    Artifact, Captured, Channel, Denial, Direction, Ending, Limit, LineRange, Outcome, Receipt,
    Truncation,
};

pub fn printed(channel: Channel, text: &str) -> Captured {
    Captured {
        channel,
        head: text.to_owned(),
        tail: String::new(),
        truncation: None,
        total_bytes: text.len() as u64,
        total_lines: text.lines().count() as u64,
        artifact: None,
        artifact_error: None,
    }
}

pub fn cut(direction: Direction, head: &str, tail: &str) -> Captured {
    Captured {
        head: head.to_owned(),
        tail: tail.to_owned(),
        truncation: Some(Truncation {
            direction,
            truncated_by: Limit::Lines,
            omitted_lines: 97,
            omitted_bytes: 900,
            shown: vec![
                LineRange { first: 1, last: 2 },
                LineRange {
                    first: 100,
                    last: 100,
                },
            ],
        }),
        total_bytes: 1000,
        total_lines: 100,
        artifact: Some(Artifact {
            id: "f00d".to_owned(),
            path: "/data/f00d".to_owned(),
            bytes: 1000,
            complete: true,
        }),
        ..printed(Channel::Merged, "")
    }
}

pub fn outcome(output: Vec<Captured>) -> Outcome {
    Outcome {
        ending: Ending {
            exit_code: Some(0),
            signal: None,
            timed_out: false,
            cancelled: false,
        },
        output,
        duration_ms: 12,
        receipt: Receipt {
            workdir: "/w".to_owned(),
            timeout_ms: Some(500),
            timeout_limited: false,
            sandbox: "none".to_owned(),
            network: true,
            not_enforced: Vec::new(),
            withheld_variables: Vec::new(),
            decided_by: "rules".to_owned(),
        },
        exit_of_last_stage: None,
        left_running: None,
    }
}

fn ended(change: fn(&mut Outcome)) -> Outcome {
    let mut outcome = outcome(vec![printed(Channel::Merged, "out\n")]);
    change(&mut outcome);
    outcome
}

#[test]
fn one_line_for_each_thing_worth_saying() {
    const TIMED_OUT: &str = "out\n[timed out after 500 ms; output may be incomplete; raise \
                             timeout_ms (at most 9000) or use run_in_background]";
    let rows: Vec<(Outcome, String)> =
        vec![
        (ended(|_| {}), "out\n".to_owned()),
        (ended(|o| o.output.clear()), "(no output)".to_owned()),
        (ended(|o| o.output[0].head = "\n".to_owned()), "\n".to_owned()),
        (
            ended(|o| {
                o.output[0].head.clear();
                o.ending.exit_code = Some(1);
            }),
            "(no output)\n[exit code: 1]".to_owned(),
        ),
        (
            ended(|o| {
                o.output[0].head = "no newline".to_owned();
                o.ending.exit_code = Some(-1);
            }),
            "no newline\n[exit code: -1]".to_owned(),
        ),
        (ended(|o| o.ending.timed_out = true), TIMED_OUT.to_owned()),
        (
            ended(|o| {
                o.ending.timed_out = true;
                o.ending.exit_code = Some(7);
            }),
            format!("{TIMED_OUT}\n[exit code: 7]"),
        ),
        (
            ended(|o| {
                o.ending.timed_out = true;
                o.ending.exit_code = None;
                o.ending.signal = Some("SIGTERM".to_owned());
            }),
            format!("{TIMED_OUT}\n[killed by signal: SIGTERM]"),
        ),
        (
            ended(|o| {
                o.ending.cancelled = true;
                o.ending.exit_code = None;
                o.ending.signal = Some("SIGKILL".to_owned());
            }),
            "out\n[cancelled]\n[killed by signal: SIGKILL]".to_owned(),
        ),
        (
            ended(|o| o.ending.exit_code = None),
            "out\n[no exit status]".to_owned(),
        ),
        (
            ended(|o| o.exit_of_last_stage = Some("tail".to_owned())),
            "out\n[exit code 0 is that of the last stage: tail]".to_owned(),
        ),
        (
            ended(|o| {
                o.exit_of_last_stage = Some("grep".to_owned());
                o.ending.exit_code = Some(1);
            }),
            "out\n[exit code: 1]".to_owned(),
        ),
        (
            ended(|o| o.left_running = Some("sleep 9\n[exit code: 0]".to_owned())),
            "out\n[left running, ended with this call: sleep 9\\n[exit code: 0]]".to_owned(),
        ),
        (
            ended(|o| o.receipt.timeout_limited = true),
            "out\n[timeout limited to 500 ms]".to_owned(),
        ),
        (
            ended(|o| {
                o.ending.exit_code = Some(2);
                o.left_running = Some("sleep 9".to_owned());
                o.receipt.timeout_limited = true;
                o.output = vec![cut(Direction::Both, "a\nb\n", "z\n")];
            }),
            "a\nb\n[… 97 lines left out …]\nz\n[exit code: 2]\n[output truncated: kept first 2 \
             and last 1 of 100 lines (1000 bytes); full output: artifact://f00d (/data/f00d); use \
             grep or read on it]\n[left running, ended with this call: sleep 9]\n[timeout limited \
             to 500 ms]"
                .to_owned(),
        ),
    ];
    for (outcome, wanted) in rows {
        assert_eq!(of_outcome(&outcome, 9000), wanted);
    }
}

#[test]
fn streams_apart() {
    let rows = [
        (["o\n", "e\n"], "o\n[stderr]\ne\n"),
        (["o", "e"], "o\n[stderr]\ne"),
        (["o\n", ""], "o\n"),
        (["", "e\n"], "[stderr]\ne\n"),
        (["", ""], "(no output)"),
    ];
    for ([stdout, stderr], wanted) in rows {
        let channels = vec![
            printed(Channel::Stdout, stdout),
            printed(Channel::Stderr, stderr),
        ];
        assert_eq!(of_outcome(&outcome(channels), 1), wanted);
    }
    let mut stderr = cut(Direction::Tail, "", "z\n");
    stderr.channel = Channel::Stderr;
    assert_eq!(
        of_outcome(&outcome(vec![printed(Channel::Stdout, "o\n"), stderr]), 1),
        "o\n[stderr]\nz\n[output truncated: stderr, kept last 1 of 100 lines (1000 bytes); full \
         output: artifact://f00d (/data/f00d); use grep or read on it]"
    );
}

#[test]
fn what_was_left_out_is_told() {
    const FULL: &str = "full output: artifact://f00d (/data/f00d); use grep or read on it]";
    let with = |mut captured: Captured, change: fn(&mut Captured)| {
        change(&mut captured);
        captured
    };
    let clipped = |captured: &mut Captured| {
        if let Some(cut) = &mut captured.truncation {
            cut.omitted_lines = 0;
        }
        captured.total_lines = 1;
    };
    let rows = [
        (
            cut(Direction::Head, "a\nb\n", ""),
            format!("a\nb\n[output truncated: kept first 2 of 100 lines (1000 bytes); {FULL}"),
        ),
        (
            cut(Direction::Tail, "", "y\nz\n"),
            format!("y\nz\n[output truncated: kept last 2 of 100 lines (1000 bytes); {FULL}"),
        ),
        (
            with(cut(Direction::Both, "xx", "yy\n"), clipped),
            format!(
                "xx\n[… 900 bytes left out …]\nyy\n[output truncated: kept first 1 and last 1 of 1 \
                 lines (1000 bytes), over-long lines clipped; {FULL}"
            ),
        ),
        (
            with(cut(Direction::Both, "xx…\n", ""), clipped),
            format!(
                "xx…\n[output truncated: kept first 1 of 1 lines (1000 bytes), over-long lines \
                 clipped; {FULL}"
            ),
        ),
        (
            with(cut(Direction::Head, "a\n", ""), |captured| {
                if let Some(artifact) = &mut captured.artifact {
                    artifact.complete = false;
                    artifact.bytes = 600;
                }
            }),
            "a\n[output truncated: kept first 1 of 100 lines (1000 bytes); its first 600 bytes: \
             artifact://f00d (/data/f00d); use grep or read on it]"
                .to_owned(),
        ),
        (
            with(cut(Direction::Head, "a\n", ""), |captured| {
                captured.artifact = None;
                captured.artifact_error = Some("disk full\n".to_owned());
            }),
            "a\n[output truncated: kept first 1 of 100 lines (1000 bytes); the full output could \
             not be saved: disk full\\n]"
                .to_owned(),
        ),
        (
            with(cut(Direction::Head, "a\n", ""), |captured| {
                captured.artifact = None;
            }),
            "a\n[output truncated: kept first 1 of 100 lines (1000 bytes); the full output was \
             not saved]"
                .to_owned(),
        ),
    ];
    for (captured, wanted) in rows {
        assert_eq!(of_outcome(&outcome(vec![captured]), 1), wanted);
    }
}

#[test]
fn refusals_say_each_thing_once() {
    let denial = |message: &str, findings: &[&str], suggestion: Option<(&str, &str)>| Denial {
        message: message.to_owned(),
        findings: findings
            .iter()
            .map(|finding| (*finding).to_owned())
            .collect(),
        suggested_tool: suggestion.map(|(tool, _)| tool.to_owned()),
        suggested_arguments: suggestion.map(|(_, arguments)| arguments.to_owned()),
    };
    let read = Some(("read", "{\"path\":\"f\"}"));
    let rows = [
        (
            denial("denied by approval", &[], None),
            "denied by approval",
        ),
        (
            denial("denied by approval: rule x", &["rule x", "rule y"], None),
            "denied by approval: rule x\nrule y",
        ),
        (
            denial("Blocked: cat f", &[], read),
            "Blocked: cat f\nUse the tool `read` with {\"path\":\"f\"}",
        ),
        (
            denial("Blocked: cat f; use read {\"path\":\"f\"}", &[], read),
            "Blocked: cat f; use read {\"path\":\"f\"}",
        ),
    ];
    for (denial, wanted) in rows {
        assert_eq!(of_denial(&denial), wanted);
    }
}

#[test]
fn ignored_keys_stay_on_their_line_and_few() {
    let names = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        ignored(&names(&["context"])),
        ["[ignored argument: context]"]
    );
    assert_eq!(
        ignored(&names(&["a]\n[b"])),
        ["[ignored argument: a]\\n[b]"]
    );
    let many: Vec<String> = (0..20).map(|number| format!("k{number}")).collect();
    let lines = ignored(&many);
    assert_eq!(lines.len(), 9);
    assert_eq!(lines[8], "[ignored arguments: 12 more]");
    assert!(ignored(&["é".repeat(300)])[0].chars().count() < 130);
}

#[test]
fn texts_from_outside_are_kept_plain() {
    assert_eq!(
        one_line("a\u{1b}[31mb\u{2028}\u{85}c"),
        "a\\u{1b}[31mb\\u{2028}\\u{85}c"
    );
    assert_eq!(one_line(&"é".repeat(5000)).chars().count(), 4097);
}
