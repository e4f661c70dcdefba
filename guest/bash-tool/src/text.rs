//! The result as text: the output, then one line for each thing worth saying.
//!
//! Lines of ours stand in brackets. What goes into them from outside (names of
//! processes, paths, keys) is kept to one line, so that nothing there can pass
//! for a line of ours.

use crate::executor::{Captured, Channel, Denial, Direction, Outcome, Truncation};

const NO_OUTPUT: &str = "(no output)";

/// Unknown keys that are named one by one; a call with more is no accident,
/// and its result is not the place for them.
const IGNORED_AT_MOST: usize = 8;

/// The longest text from outside in a line of ours, in characters: as long as
/// a path may be.
const OUTSIDE_AT_MOST: usize = 4096;

/// The longest name of the agent's own in a line of ours, in characters.
const NAME_AT_MOST: usize = 100;

/// The text of a result that ran.
#[must_use]
pub fn of_outcome(outcome: &Outcome, max_timeout_ms: u32) -> String {
    let mut text = output(&outcome.output);
    append(&mut text, &lines(outcome, max_timeout_ms));
    text
}

/// The text of a refusal by the gate: its message, and what the message does
/// not already hold.
#[must_use]
pub fn of_denial(denial: &Denial) -> String {
    let mut text = denial.message.clone();
    for finding in &denial.findings {
        if !text.contains(finding.as_str()) {
            append(&mut text, std::slice::from_ref(finding));
        }
    }
    if let Some(tool) = &denial.suggested_tool {
        let arguments = denial.suggested_arguments.as_deref().unwrap_or("{}");
        if !(text.contains(tool.as_str()) && text.contains(arguments)) {
            append(
                &mut text,
                &[format!("Use the tool `{tool}` with {arguments}")],
            );
        }
    }
    text
}

/// The lines that say which keys of the arguments nobody looked at.
#[must_use]
pub fn ignored(keys: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = keys
        .iter()
        .take(IGNORED_AT_MOST)
        .map(|key| format!("[ignored argument: {}]", plain(key, NAME_AT_MOST)))
        .collect();
    let more = keys.len().saturating_sub(IGNORED_AT_MOST);
    if more > 0 {
        lines.push(format!("[ignored arguments: {more} more]"));
    }
    lines
}

/// Adds lines, each on a line of its own.
pub fn append(text: &mut String, lines: &[String]) {
    for line in lines {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(line);
    }
}

/// What was kept of one channel; where something was left out between start
/// and end, a line says how much, so that they do not read as one.
#[must_use]
pub fn of_channel(channel: &Captured) -> String {
    let mut text = channel.head.clone();
    if let Some(cut) = &channel.truncation
        && !channel.head.is_empty()
        && !channel.tail.is_empty()
    {
        append(&mut text, &[gap(cut)]);
        text.push('\n');
    }
    text.push_str(&channel.tail);
    text
}

/// A text from outside as part of a line of ours.
#[must_use]
pub fn one_line(text: &str) -> String {
    plain(text, OUTSIDE_AT_MOST)
}

fn plain(text: &str, at_most: usize) -> String {
    let mut line = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == at_most {
            line.push('…');
            break;
        }
        if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

fn output(channels: &[Captured]) -> String {
    let mut text = String::new();
    for channel in channels {
        let printed = of_channel(channel);
        if printed.is_empty() {
            continue;
        }
        if channel.channel == Channel::Stderr {
            append(&mut text, &["[stderr]\n".to_owned()]);
        }
        text.push_str(&printed);
    }
    if text.is_empty() {
        text.push_str(NO_OUTPUT);
    }
    text
}

fn lines(outcome: &Outcome, max_timeout_ms: u32) -> Vec<String> {
    let mut lines = ending(outcome, max_timeout_ms);
    lines.extend(outcome.output.iter().filter_map(truncated));
    if let Some(processes) = &outcome.left_running {
        lines.push(format!(
            "[left running, ended with this call: {}]",
            one_line(processes)
        ));
    }
    if outcome.receipt.timeout_limited
        && let Some(limit) = outcome.receipt.timeout_ms
    {
        lines.push(format!("[timeout limited to {limit} ms]"));
    }
    lines
}

fn ending(outcome: &Outcome, max_timeout_ms: u32) -> Vec<String> {
    let ending = &outcome.ending;
    let mut lines = Vec::new();
    if ending.timed_out {
        let after = outcome
            .receipt
            .timeout_ms
            .map_or(outcome.duration_ms, u64::from);
        lines.push(format!(
            "[timed out after {after} ms; output may be incomplete; raise timeout_ms (at most \
             {max_timeout_ms}) or use run_in_background]"
        ));
    }
    if ending.cancelled {
        lines.push("[cancelled]".to_owned());
    }
    if let Some(signal) = &ending.signal {
        lines.push(format!("[killed by signal: {}]", one_line(signal)));
    }
    match (ending.exit_code, &outcome.exit_of_last_stage) {
        (Some(0), Some(filter)) => lines.push(format!(
            "[exit code 0 is that of the last stage: {}]",
            one_line(filter)
        )),
        (Some(0), None) => {}
        (Some(code), _) => lines.push(format!("[exit code: {code}]")),
        (None, _) if ending.signal.is_none() => lines.push("[no exit status]".to_owned()),
        (None, _) => {}
    }
    lines
}

fn truncated(channel: &Captured) -> Option<String> {
    let cut = channel.truncation.as_ref()?;
    let name = match channel.channel {
        Channel::Merged => "",
        Channel::Stdout => "stdout, ",
        Channel::Stderr => "stderr, ",
    };
    let clipped = if cut.omitted_lines == 0 {
        ", over-long lines clipped"
    } else {
        ""
    };
    Some(format!(
        "[output truncated: {name}kept {} of {} lines ({} bytes){clipped}; {}]",
        kept(channel, cut.direction),
        channel.total_lines,
        channel.total_bytes,
        whereabouts(channel),
    ))
}

fn kept(channel: &Captured, direction: Direction) -> String {
    let first = format!("first {}", count_lines(&channel.head));
    let last = format!("last {}", count_lines(&channel.tail));
    match direction {
        Direction::Head => first,
        Direction::Tail => last,
        Direction::Both if channel.tail.is_empty() => first,
        Direction::Both => format!("{first} and {last}"),
    }
}

/// Where the rest is.
fn whereabouts(channel: &Captured) -> String {
    match (&channel.artifact, &channel.artifact_error) {
        (Some(artifact), _) => {
            let what = if artifact.complete {
                "full output".to_owned()
            } else {
                format!("its first {} bytes", artifact.bytes)
            };
            format!(
                "{what}: artifact://{} ({}); use grep or read on it",
                one_line(&artifact.id),
                one_line(&artifact.path)
            )
        }
        (None, Some(why)) => format!("the full output could not be saved: {}", one_line(why)),
        (None, None) => "the full output was not saved".to_owned(),
    }
}

fn gap(cut: &Truncation) -> String {
    if cut.omitted_lines > 0 {
        format!("[… {} lines left out …]", cut.omitted_lines)
    } else {
        format!("[… {} bytes left out …]", cut.omitted_bytes)
    }
}

fn count_lines(text: &str) -> usize {
    text.lines().count()
}

#[cfg(test)]
pub(crate) mod tests;
