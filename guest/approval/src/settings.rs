//! The configuration of this guest, as written and as resolved. Knows the JSON
//! it comes as, nothing of commands.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::pattern::Pattern;
use crate::tables::LONGEST_KEY;

/// As written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    rules: WrittenRules,
    bash_arity: BTreeMap<String, u8>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WrittenRules {
    allow: Vec<String>,
    ask: Vec<String>,
    deny: Vec<String>,
}

/// As resolved. The default has no rules and the built-in arity.
#[derive(Debug, Default, Clone)]
pub struct Settings {
    pub allow: Vec<Pattern>,
    pub ask: Vec<Pattern>,
    pub deny: Vec<Pattern>,
    /// What the user adds to the arity table: keys with single blanks.
    pub arity: BTreeMap<String, u8>,
}

/// The most words that an arity may count.
const MOST_WORDS: u8 = 8;

impl Settings {
    /// Reads the JSON that `configure` is given; blank text is the default.
    ///
    /// # Errors
    ///
    /// Quotes the key and the pattern that cannot be used, and says what to
    /// write instead.
    pub fn read(json: &str) -> Result<Self, String> {
        let written: Written = match json.trim() {
            "" | "null" => Written::default(),
            json => serde_json::from_str(json).map_err(|e| e.to_string())?,
        };
        let mut arity = BTreeMap::new();
        for (key, count) in written.bash_arity {
            let (key, count) = counted(&key, count)?;
            arity.insert(key, count);
        }
        Ok(Self {
            allow: rules("rules.allow", written.rules.allow)?,
            ask: rules("rules.ask", written.rules.ask)?,
            deny: rules("rules.deny", written.rules.deny)?,
            arity,
        })
    }
}

fn rules(key: &str, texts: Vec<String>) -> Result<Vec<Pattern>, String> {
    texts
        .into_iter()
        .map(|text| Pattern::parse(&text).map_err(|why| format!("{key}: \"{text}\": {why}")))
        .collect()
}

fn counted(key: &str, count: u8) -> Result<(String, u8), String> {
    let words: Vec<&str> = key.split_whitespace().collect();
    if words.is_empty() || words.len() > LONGEST_KEY {
        return Err(format!(
            "bash_arity: \"{key}\": a key is one to {LONGEST_KEY} words: a program and its subcommands"
        ));
    }
    if usize::from(count) < words.len() || count > MOST_WORDS {
        return Err(format!(
            "bash_arity: \"{key}\": {count} is out of range; a key of {} words counts {} to {MOST_WORDS}",
            words.len(),
            words.len(),
        ));
    }
    Ok((words.join(" "), count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_the_default() {
        for text in ["", "{}", "null", r#"{"rules":{}}"#] {
            let read = Settings::read(text).unwrap();
            assert!(read.allow.is_empty() && read.arity.is_empty(), "{text}");
        }
    }

    #[test]
    fn errors_quote_key_and_pattern() {
        let lines: Vec<String> = [
            r#"{"rules":{"deny":["git:* push"]}}"#,
            r#"{"rules":{"allow":["ls", ""]}}"#,
            r#"{"rules":{"ask":[5]}}"#,
            r#"{"rules":{"denied":["rm *"]}}"#,
            r#"{"bash_arity":{"npm run":1}}"#,
            r#"{"bash_arity":{"":1}}"#,
            "[",
        ]
        .iter()
        .map(|text| Settings::read(text).unwrap_err())
        .collect();
        insta::assert_snapshot!(lines.join("\n"), @r##"
    rules.deny: "git:* push": `:*` is another tool's way to say "any further words"; write "git * push"
    rules.allow: "": it is empty; write the words of a command, such as "git push *"
    invalid type: integer `5`, expected a string at line 1 column 18
    unknown field `denied`, expected one of `allow`, `ask`, `deny` at line 1 column 18
    bash_arity: "npm run": 1 is out of range; a key of 2 words counts 2 to 8
    bash_arity: "": a key is one to 4 words: a program and its subcommands
    EOF while parsing a list at line 1 column 1
    "##);
    }
}
