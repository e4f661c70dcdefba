//! A case's configuration as TOML: a line for each key, tables written inline.

use serde_json::{Map, Value};

/// The configuration file of a case.
pub(super) fn file(config: &Map<String, Value>) -> String {
    config
        .iter()
        .map(|(name, item)| format!("{} = {}\n", key(name), value(item)))
        .collect()
}

fn value(item: &Value) -> String {
    match item {
        Value::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, item)| format!("{} = {}", key(name), value(item)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(value).collect();
            format!("[{}]", items.join(", "))
        }
        plain => plain.to_string(),
    }
}

fn key(name: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !name.is_empty() && name.bytes().all(bare) {
        name.to_owned()
    } else {
        Value::from(name).to_string()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn tables_are_inline() {
        let config = json!({
            "mode": "never", "rules": { "deny": ["a \"b\""] }, "bash_arity": { "npm run": 3 },
        });
        assert_eq!(
            super::file(config.as_object().unwrap()),
            "bash_arity = {\"npm run\" = 3}\nmode = \"never\"\nrules = {deny = [\"a \\\"b\\\"\"]}\n"
        );
    }
}
