use serde_json::{Value, json};

use super::{Arguments, read};
use crate::definition;
use crate::executor::{Abilities, Command, Escalation};

const PLAIN: Abilities = Abilities {
    escalation: false,
    default_timeout_ms: 120_000,
    max_timeout_ms: 3_600_000,
};
const SANDBOXED: Abilities = Abilities {
    escalation: true,
    ..PLAIN
};

fn plain() -> Command {
    Command {
        script: "ls".to_owned(),
        description: "Lists files".to_owned(),
        workdir: None,
        timeout_ms: None,
        login: None,
        head: None,
        tail: None,
        escalation: None,
    }
}

fn escalated(justification: &str, prefix: &[&str]) -> Command {
    Command {
        escalation: Some(Escalation {
            justification: justification.to_owned(),
            prefix: prefix.iter().map(|word| (*word).to_owned()).collect(),
        }),
        ..plain()
    }
}

/// `command` and `description` beside the given fields.
fn with(fields: Value) -> Value {
    let mut all = json!({ "command": "ls", "description": "Lists files" });
    if let (Some(all), Value::Object(fields)) = (all.as_object_mut(), fields) {
        all.extend(fields);
    }
    all
}

#[test]
fn what_fits_becomes_a_command() {
    let workdir = |path: &str| Command {
        workdir: Some(path.to_owned()),
        ..plain()
    };
    let timeout = |ms| Command {
        timeout_ms: Some(ms),
        ..plain()
    };
    let login = |flag| Command {
        login: Some(flag),
        ..plain()
    };
    let script = |text: &str| Command {
        script: text.to_owned(),
        ..plain()
    };
    let undescribed = Command {
        description: String::new(),
        ..plain()
    };
    let limited = Command {
        head: Some(3),
        tail: Some(2),
        ..plain()
    };
    let rows = [
        (json!({}), plain()),
        (json!({ "command": "" }), script("")),
        (json!({ "description": "" }), undescribed),
        (json!({ "command": "a\u{0}b" }), script("a\0b")),
        (json!({ "command": "a\r\nb" }), script("a\r\nb")),
        (json!({ "workdir": "sub" }), workdir("sub")),
        (json!({ "workdir": " " }), workdir(" ")),
        (json!({ "workdir": "" }), plain()),
        (json!({ "workdir": null }), plain()),
        (json!({ "timeout_ms": 5000 }), timeout(5000)),
        (json!({ "timeout_ms": 5000.0 }), timeout(5000)),
        (json!({ "timeout_ms": 0 }), plain()),
        (json!({ "timeout_ms": 0.0 }), plain()),
        (json!({ "timeout_ms": -0.0 }), plain()),
        (json!({ "timeout_ms": null }), plain()),
        (
            json!({ "timeout_ms": 99_999_999_999_u64 }),
            timeout(u32::MAX),
        ),
        (json!({ "timeout_ms": 1e300 }), timeout(u32::MAX)),
        (json!({ "login": false }), login(false)),
        (json!({ "login": true }), login(true)),
        (json!({ "login": null }), plain()),
        (json!({ "head": 3, "tail": 2.0 }), limited),
        (json!({ "head": 0, "tail": null }), plain()),
    ];
    for (fields, wanted) in rows {
        let wanted = Arguments {
            command: wanted,
            ignored: Vec::new(),
        };
        assert_eq!(
            read(&PLAIN, &with(fields.clone()).to_string()),
            Ok(wanted),
            "{fields}"
        );
    }
}

#[test]
fn escalation_is_read_where_there_is_a_sandbox() {
    let ask = "require_escalated";
    let rows = [
        (json!({ "sandbox_permissions": null }), plain()),
        (json!({ "sandbox_permissions": "" }), plain()),
        (json!({ "sandbox_permissions": "use_default" }), plain()),
        (
            json!({ "justification": "why", "prefix_rule": ["ls"] }),
            plain(),
        ),
        (json!({ "sandbox_permissions": ask }), escalated("", &[])),
        (
            json!({ "sandbox_permissions": ask, "justification": "why", "prefix_rule": ["npm", "ci"] }),
            escalated("why", &["npm", "ci"]),
        ),
        (
            json!({ "sandbox_permissions": ask, "prefix_rule": [] }),
            escalated("", &[]),
        ),
        (
            json!({ "sandbox_permissions": ask, "justification": null }),
            escalated("", &[]),
        ),
    ];
    for (fields, wanted) in rows {
        let wanted = Arguments {
            command: wanted,
            ignored: Vec::new(),
        };
        assert_eq!(
            read(&SANDBOXED, &with(fields.clone()).to_string()),
            Ok(wanted),
            "{fields}"
        );
    }
}

#[test]
fn what_does_not_fit_is_named() {
    const COUNT: &str = "must be a whole number, 0 or more, not";
    let rows = [
        (
            json!({}),
            "`command` is missing; `description` is missing".to_owned(),
        ),
        (
            json!({ "command": "ls" }),
            "`description` is missing".to_owned(),
        ),
        (
            json!({ "command": null, "description": "x" }),
            "`command` is missing".to_owned(),
        ),
        (
            with(json!({ "command": 5 })),
            "`command` must be a text, not 5".to_owned(),
        ),
        (
            with(json!({ "command": ["ls"] })),
            "`command` must be a text, not [\"ls\"]".to_owned(),
        ),
        (
            with(json!({ "description": {} })),
            "`description` must be a text, not {}".to_owned(),
        ),
        (
            with(json!({ "workdir": 1 })),
            "`workdir` must be a text, not 1".to_owned(),
        ),
        (
            with(json!({ "timeout_ms": -1 })),
            format!("`timeout_ms` {COUNT} -1"),
        ),
        (
            with(json!({ "timeout_ms": 1.5 })),
            format!("`timeout_ms` {COUNT} 1.5"),
        ),
        (
            with(json!({ "timeout_ms": "5" })),
            format!("`timeout_ms` {COUNT} \"5\""),
        ),
        (
            with(json!({ "timeout_ms": true })),
            format!("`timeout_ms` {COUNT} true"),
        ),
        (
            with(json!({ "login": "no" })),
            "`login` must be true or false, not \"no\"".to_owned(),
        ),
        (
            with(json!({ "login": 0 })),
            "`login` must be true or false, not 0".to_owned(),
        ),
        (with(json!({ "head": -3 })), format!("`head` {COUNT} -3")),
        (with(json!({ "tail": [] })), format!("`tail` {COUNT} []")),
        (
            with(json!({ "sandbox_permissions": "all" })),
            "`sandbox_permissions` must be `use_default` or `require_escalated`, not \"all\""
                .to_owned(),
        ),
        (
            with(json!({ "prefix_rule": "npm" })),
            "`prefix_rule` must be a list of texts, not \"npm\"".to_owned(),
        ),
        (
            with(json!({ "prefix_rule": ["a", 1] })),
            "`prefix_rule` must be a list of texts, not [\"a\",1]".to_owned(),
        ),
        (
            with(json!({ "login": 1, "timeout_ms": -1 })),
            format!("`timeout_ms` {COUNT} -1; `login` must be true or false, not 1"),
        ),
    ];
    for (arguments, problems) in rows {
        let wanted = format!("the arguments do not fit: {problems}; nothing ran");
        assert_eq!(read(&SANDBOXED, &arguments.to_string()), Err(wanted));
    }
}

#[test]
fn what_is_no_object_is_refused() {
    for json in ["[\"ls\"]", "\"ls\"", "null", "5"] {
        let error = read(&PLAIN, json).unwrap_err();
        assert!(error.contains("must be an object"), "{json}: {error}");
    }
    let deep = "[".repeat(100_000);
    for json in ["", "{", "{} {}", "{\"command\": ls}", deep.as_str()] {
        let error = read(&PLAIN, json).unwrap_err();
        assert!(error.contains("not valid JSON"), "{error}");
    }
}

#[test]
fn unknown_keys_are_ignored_and_told() {
    let rows = [
        (PLAIN, json!({ "context": "x" }), vec!["context"]),
        (PLAIN, json!({ "b": 1, "a": null }), vec!["a", "b"]),
        (
            PLAIN,
            json!({ "run_in_background": null, "pty": true }),
            vec!["pty", "run_in_background"],
        ),
        (
            PLAIN,
            json!({ "sandbox_permissions": 7 }),
            vec!["sandbox_permissions"],
        ),
        (PLAIN, json!({ "Command": "rm" }), vec!["Command"]),
    ];
    for (abilities, fields, wanted) in rows {
        let mut read = read(&abilities, &with(fields.clone()).to_string()).unwrap();
        read.ignored.sort();
        assert_eq!(read.ignored, wanted, "{fields}");
        assert_eq!(read.command, plain(), "{fields}");
    }
}

/// The part of JSON Schema that the published schema uses.
fn fits(schema: &Value, value: &Value) -> bool {
    let kind_fits = |kind: &Value| match kind.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("integer") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        other => panic!("no such type: {other:?}"),
    };
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.clone(),
        one => vec![one.clone()],
    };
    let of_fields = |fields: &serde_json::Map<String, Value>| {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        required
            .iter()
            .all(|name| fields.contains_key(name.as_str().unwrap()))
            && fields.iter().all(|(name, field)| {
                schema["properties"]
                    .get(name)
                    .is_none_or(|schema| fits(schema, field))
            })
    };
    kinds.iter().any(kind_fits)
        && schema["enum"]
            .as_array()
            .is_none_or(|allowed| allowed.contains(value))
        && match (schema["minimum"].as_f64(), value.as_f64()) {
            (Some(least), Some(number)) => number >= least,
            _ => true,
        }
        && value.as_object().is_none_or(of_fields)
        && match (schema.get("items"), value.as_array()) {
            (Some(items), Some(values)) => values.iter().all(|value| fits(items, value)),
            _ => true,
        }
}

#[test]
fn the_published_schema_is_the_enforced_schema() {
    let schema: Value = serde_json::from_str(&definition::bash(&SANDBOXED).input_schema).unwrap();
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    let values = [
        json!(null),
        json!(""),
        json!("x"),
        json!("use_default"),
        json!("require_escalated"),
        json!(0),
        json!(-1),
        json!(7),
        json!(7.0),
        json!(7.5),
        json!(1e300),
        json!(-1e300),
        json!(true),
        json!(false),
        json!([]),
        json!(["a"]),
        json!(["a", null]),
        json!({}),
    ];
    for name in names {
        let mut missing = with(json!({}));
        missing.as_object_mut().unwrap().remove(name.as_str());
        let rows = values
            .iter()
            .map(|value| with(json!({ name.as_str(): value })));
        for arguments in rows.chain([missing]) {
            let taken = read(&SANDBOXED, &arguments.to_string());
            assert_eq!(
                fits(&schema, &arguments),
                taken.is_ok(),
                "{arguments}: {taken:?}"
            );
        }
    }
    assert!(fits(&schema, &with(json!({ "unknown": [] }))));
}

#[test]
fn every_parameter_of_the_table_reaches_the_command() {
    let set = json!({
        "command": "s", "description": "d", "workdir": "w", "timeout_ms": 1, "login": false,
        "head": 2, "tail": 3, "sandbox_permissions": "require_escalated", "justification": "j",
        "prefix_rule": ["p"],
    });
    let schema: Value = serde_json::from_str(&definition::bash(&SANDBOXED).input_schema).unwrap();
    let names = |value: &Value| {
        let mut names: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        names.sort();
        names
    };
    assert_eq!(names(&set), names(&schema["properties"]));
    let whole = read(&SANDBOXED, &set.to_string()).unwrap().command;
    for name in names(&set) {
        let mut less = set.clone();
        if schema["required"]
            .as_array()
            .unwrap()
            .contains(&json!(name))
        {
            less[&name] = json!("");
        } else {
            less.as_object_mut().unwrap().remove(&name);
        }
        let command = read(&SANDBOXED, &less.to_string()).unwrap().command;
        assert_ne!(command, whole, "`{name}` changes nothing");
    }
}
