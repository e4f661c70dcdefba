//! The result as fields: for programs that read results, and for the models
//! whose hosts pass them on.

use serde_json::{Map, Value, json};

use crate::executor::{
    Artifact, Captured, Channel, Denial, Direction, Limit, Outcome, Receipt, Truncation,
};
use crate::text;

/// Output longer than this (in bytes) is in the result's text alone: many
/// hosts send both to the model, which would then read it twice.
pub const REPEATED_AT_MOST: usize = 8 * 1024;

/// The fields of a result that ran.
#[must_use]
pub fn of_outcome(outcome: &Outcome) -> Value {
    let channels = &outcome.output;
    let truncation = channels
        .iter()
        .find_map(|one| one.truncation.as_ref().map(|cut| (one, cut)));
    let artifact = channels.iter().find_map(|one| one.artifact.as_ref());
    let sum = |of: fn(&Captured) -> u64| channels.iter().map(of).fold(0, u64::saturating_add);
    json!({
        "exit_code": outcome.ending.exit_code,
        "signal": outcome.ending.signal,
        "timed_out": outcome.ending.timed_out,
        "cancelled": outcome.ending.cancelled,
        "duration_ms": outcome.duration_ms,
        "output": output(channels),
        "truncated": truncation.is_some(),
        "truncation": truncation.map(|(channel, cut)| of_truncation(channel, cut)),
        "total_bytes": sum(|one| one.total_bytes),
        "total_lines": sum(|one| one.total_lines),
        "artifact": artifact.map(of_artifact),
        "job_id": null,
        "left_running": outcome.left_running,
        "receipt": of_receipt(&outcome.receipt),
    })
}

/// The fields of a refusal by the gate.
#[must_use]
pub fn of_denial(denial: &Denial) -> Value {
    let suggestion = denial.suggested_tool.as_ref().map(|tool| {
        let arguments = denial.suggested_arguments.as_deref().map(|text| {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
        });
        json!({ "tool": tool, "arguments": arguments })
    });
    json!({
        "denied": {
            "message": denial.message,
            "findings": denial.findings,
            "suggestion": suggestion,
        }
    })
}

fn output(channels: &[Captured]) -> Value {
    let texts: Vec<(&str, String)> = channels
        .iter()
        .map(|one| (key(one.channel), text::of_channel(one)))
        .collect();
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    if bytes > REPEATED_AT_MOST {
        return json!({});
    }
    let fields: Map<String, Value> = texts
        .into_iter()
        .map(|(key, text)| (key.to_owned(), Value::String(text)))
        .collect();
    Value::Object(fields)
}

fn key(channel: Channel) -> &'static str {
    match channel {
        Channel::Merged => "text",
        Channel::Stdout => "stdout",
        Channel::Stderr => "stderr",
    }
}

fn of_truncation(channel: &Captured, cut: &Truncation) -> Value {
    let lines = cut.shown.iter().fold(0_u64, |sum, range| {
        sum.saturating_add((range.last.saturating_add(1)).saturating_sub(range.first))
    });
    let shown: Vec<Value> = cut
        .shown
        .iter()
        .map(|range| json!({ "first": range.first, "last": range.last }))
        .collect();
    json!({
        "direction": match cut.direction {
            Direction::Head => "head",
            Direction::Tail => "tail",
            Direction::Both => "both",
        },
        "truncated_by": match cut.truncated_by {
            Limit::Lines => "lines",
            Limit::Bytes => "bytes",
        },
        "output_lines": lines,
        "output_bytes": channel.head.len().saturating_add(channel.tail.len()),
        "shown": shown,
    })
}

fn of_artifact(artifact: &Artifact) -> Value {
    json!({
        "id": artifact.id,
        "path": artifact.path,
        "bytes": artifact.bytes,
        "complete": artifact.complete,
    })
}

fn of_receipt(receipt: &Receipt) -> Value {
    json!({
        "workdir": receipt.workdir,
        "timeout_ms": receipt.timeout_ms,
        "timeout_limited": receipt.timeout_limited,
        "sandbox": receipt.sandbox,
        "network": receipt.network,
        "not_enforced": receipt.not_enforced,
        "withheld_variables": receipt.withheld_variables,
        "decided_by": receipt.decided_by,
    })
}

/// The JSON Schema of all that this module makes.
#[must_use]
pub fn schema() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    let flag = json!({ "type": "boolean" });
    let count = json!({ "type": "integer", "minimum": 0 });
    let or_null = |kind: &str| json!({ "type": [kind, "null"] });
    let range = object(&[("first", &count), ("last", &count)]);
    let truncation = nullable(object(&[
        ("direction", &json!({ "enum": ["head", "tail", "both"] })),
        ("truncated_by", &json!({ "enum": ["lines", "bytes"] })),
        ("output_lines", &count),
        ("output_bytes", &count),
        (
            "shown",
            &json!({
                "description": "Ranges of lines of the whole output, from 1, both ends included.",
                "type": "array",
                "items": range,
            }),
        ),
    ]));
    let artifact = nullable(object(&[
        ("id", &text),
        ("path", &text),
        ("bytes", &count),
        ("complete", &flag),
    ]));
    let receipt = object(&[
        ("workdir", &text),
        ("timeout_ms", &or_null("integer")),
        ("timeout_limited", &flag),
        ("sandbox", &text),
        ("network", &flag),
        ("not_enforced", &texts),
        ("withheld_variables", &texts),
        ("decided_by", &text),
    ]);
    let suggestion = nullable(object(&[("tool", &text), ("arguments", &json!({}))]));
    let denied = object(&[
        ("message", &text),
        ("findings", &texts),
        ("suggestion", &suggestion),
    ]);
    let output = json!({
        "description": "What was printed: `text`, or `stdout` and `stderr`. Without either, it is \
                        long and in the result's text alone.",
        "type": "object",
        "properties": { "text": text, "stdout": text, "stderr": text },
    });
    let exit_code = json!({
        "description": "Null when a signal ended the shell.",
        "type": ["integer", "null"],
    });
    let ran = object(&[
        ("exit_code", &exit_code),
        ("signal", &or_null("string")),
        ("timed_out", &flag),
        ("cancelled", &flag),
        ("duration_ms", &count),
        ("output", &output),
        ("truncated", &flag),
        ("truncation", &truncation),
        ("total_bytes", &count),
        ("total_lines", &count),
        ("artifact", &artifact),
        ("job_id", &or_null("string")),
        ("left_running", &or_null("string")),
        ("receipt", &receipt),
    ]);
    either(ran, "denied", denied)
}

/// An object all of whose fields are always there.
fn object(fields: &[(&str, &Value)]) -> Value {
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> = fields
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), (*schema).clone()))
        .collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

fn nullable(mut schema: Value) -> Value {
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("type".to_owned(), json!(["object", "null"]));
    }
    schema
}

/// Either all the fields of `ran`, or the one called `name`.
fn either(mut ran: Value, name: &str, other: Value) -> Value {
    if let Some(fields) = ran.as_object_mut() {
        let required = fields.remove("required").unwrap_or_default();
        if let Some(properties) = fields.get_mut("properties").and_then(Value::as_object_mut) {
            properties.insert(name.to_owned(), other);
        }
        fields.insert(
            "anyOf".to_owned(),
            json!([{ "required": required }, { "required": [name] }]),
        );
    }
    ran
}

#[cfg(test)]
mod tests;
