use serde_json::{Value, json};

use super::{REPEATED_AT_MOST, of_denial, of_outcome, schema};
use crate::executor::{Channel, Denial, Direction};
use crate::text::tests::{cut, outcome, printed};

/// That each field of an answer is in the schema, and each required one in the
/// answer; one of the `anyOf` alternatives suffices.
fn assert_fits(schema: &Value, value: &Value, at: &str) {
    if let (Some(properties), Some(fields)) = (schema["properties"].as_object(), value.as_object())
    {
        for (name, field) in fields {
            let schema = properties
                .get(name)
                .unwrap_or_else(|| panic!("{at}.{name} is not in the schema"));
            assert_fits(schema, field, &format!("{at}.{name}"));
        }
        let holds = |required: &Value| {
            let names = required.as_array().cloned().unwrap_or_default();
            names
                .iter()
                .all(|name| fields.contains_key(name.as_str().unwrap()))
        };
        assert!(holds(&schema["required"]), "{at}: {value}");
        if let Some(ways) = schema["anyOf"].as_array() {
            assert!(
                ways.iter().any(|way| holds(&way["required"])),
                "{at}: {value}"
            );
        }
    }
    if let Some(kind) = schema.get("type") {
        let of = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let kinds = kind
            .as_array()
            .cloned()
            .unwrap_or_else(|| vec![kind.clone()]);
        assert!(kinds.contains(&json!(of)), "{at} is {of}, wanted {kind}");
    }
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        for value in values {
            assert_fits(items, value, &format!("{at}[]"));
        }
    }
}

#[test]
fn a_plain_result() {
    let got = of_outcome(&outcome(vec![printed(Channel::Merged, "hi\n")]));
    assert_eq!(
        got,
        json!({
            "exit_code": 0, "signal": null, "timed_out": false, "cancelled": false,
            "duration_ms": 12, "output": { "text": "hi\n" }, "truncated": false,
            "truncation": null, "total_bytes": 3, "total_lines": 1, "artifact": null,
            "job_id": null, "left_running": null,
            "receipt": {
                "workdir": "/w", "timeout_ms": 500, "timeout_limited": false, "sandbox": "none",
                "network": true, "not_enforced": [], "withheld_variables": [],
                "decided_by": "rules",
            },
        })
    );
    assert_fits(&schema(), &got, "");
}

#[test]
fn a_cut_result() {
    let mut ended = outcome(vec![cut(Direction::Both, "a\nb\n", "z\n")]);
    ended.ending.exit_code = None;
    ended.ending.signal = Some("SIGKILL".to_owned());
    ended.left_running = Some("sleep 9".to_owned());
    let got = of_outcome(&ended);
    for (field, wanted) in [
        ("exit_code", json!(null)),
        ("signal", json!("SIGKILL")),
        ("left_running", json!("sleep 9")),
        (
            "output",
            json!({ "text": "a\nb\n[… 97 lines left out …]\nz\n" }),
        ),
        ("truncated", json!(true)),
        (
            "truncation",
            json!({
                "direction": "both", "truncated_by": "lines", "output_lines": 3,
                "output_bytes": 6,
                "shown": [{ "first": 1, "last": 2 }, { "first": 100, "last": 100 }],
            }),
        ),
        ("total_bytes", json!(1000)),
        ("total_lines", json!(100)),
        (
            "artifact",
            json!({ "id": "f00d", "path": "/data/f00d", "bytes": 1000, "complete": true }),
        ),
    ] {
        assert_eq!(got[field], wanted, "{field}");
    }
    assert_fits(&schema(), &got, "");
}

#[test]
fn streams_apart() {
    let got = of_outcome(&outcome(vec![
        printed(Channel::Stdout, "o\n"),
        printed(Channel::Stderr, "err\n"),
    ]));
    assert_eq!(got["output"], json!({ "stdout": "o\n", "stderr": "err\n" }));
    assert_eq!(
        (&got["total_bytes"], &got["total_lines"]),
        (&json!(6), &json!(2))
    );
    assert_fits(&schema(), &got, "");
}

#[test]
fn a_long_text_is_not_repeated() {
    for (bytes, repeated) in [(REPEATED_AT_MOST, true), (REPEATED_AT_MOST + 1, false)] {
        let got = of_outcome(&outcome(vec![printed(Channel::Merged, &"x".repeat(bytes))]));
        assert_eq!(got["output"].get("text").is_some(), repeated, "{bytes}");
        assert_eq!(got["total_bytes"], json!(bytes));
        assert_fits(&schema(), &got, "");
    }
}

#[test]
fn a_refusal() {
    let denial = |tool: Option<&str>, arguments: Option<&str>| Denial {
        message: "m".to_owned(),
        findings: vec!["f".to_owned()],
        suggested_tool: tool.map(str::to_owned),
        suggested_arguments: arguments.map(str::to_owned),
    };
    for (denial, suggestion) in [
        (denial(None, None), json!(null)),
        (
            denial(Some("read"), Some(r#"{"path":"f"}"#)),
            json!({ "tool": "read", "arguments": { "path": "f" } }),
        ),
        (
            denial(Some("read"), Some("no json")),
            json!({ "tool": "read", "arguments": "no json" }),
        ),
        (
            denial(Some("read"), None),
            json!({ "tool": "read", "arguments": null }),
        ),
    ] {
        let got = of_denial(&denial);
        let denied = json!({ "message": "m", "findings": ["f"], "suggestion": suggestion });
        assert_eq!(got, json!({ "denied": denied }));
        assert_fits(&schema(), &got, "");
    }
}
