//! The guest's part of the configuration, as written and as resolved.

use regex_lite::{Regex, RegexBuilder};
use serde::Deserialize;

/// No pattern that a person writes compiles to more; one that does costs
/// memory in every snapshot.
const PATTERN_SIZE_LIMIT: usize = 1 << 20;

/// As resolved: patterns compiled.
#[derive(Debug)]
pub struct Settings {
    /// False: the guest has nothing to say.
    pub enabled: bool,
    /// Whether a last `head` or `tail` becomes a limit of the result.
    pub normalize: bool,
    /// The operator's own rules, in their order.
    pub rules: Vec<Rule>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            normalize: false,
            rules: Vec::new(),
        }
    }
}

/// One rule of the operator.
#[derive(Debug)]
pub struct Rule {
    /// As written, for messages.
    pub written: String,
    /// What the unit's text must fit.
    pub pattern: Regex,
    /// The tool that does it better.
    pub tool: String,
    /// The operator's words, may be empty.
    pub message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    enabled: bool,
    normalize: bool,
    rule: Vec<WrittenRule>,
}

impl Default for Written {
    fn default() -> Self {
        Self {
            enabled: true,
            normalize: false,
            rule: Vec::new(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    pattern: String,
    tool: String,
    #[serde(default)]
    message: String,
}

impl Settings {
    /// Reads the JSON that the host hands over; a blank text is the default.
    ///
    /// # Errors
    /// A sentence that quotes the key or the pattern which is wrong.
    pub fn parse(config: &str) -> Result<Self, String> {
        let written: Written = match config.trim() {
            "" | "null" => Written::default(),
            text => serde_json::from_str(text).map_err(|error| format!("interceptor: {error}"))?,
        };
        let rules = written
            .rule
            .into_iter()
            .map(Rule::compile)
            .collect::<Result<_, _>>()?;
        Ok(Self {
            enabled: written.enabled,
            normalize: written.normalize,
            rules,
        })
    }
}

impl Rule {
    fn compile(written: WrittenRule) -> Result<Self, String> {
        let wrong =
            |why: &dyn std::fmt::Display| format!("interceptor.rule: {:?}: {why}", written.pattern);
        if written.pattern.is_empty() {
            return Err(wrong(&"an empty pattern fits every command"));
        }
        if written.tool.trim().is_empty() {
            return Err(wrong(&"`tool` names no tool"));
        }
        let pattern = RegexBuilder::new(&written.pattern)
            .size_limit(PATTERN_SIZE_LIMIT)
            .build()
            .map_err(|error| wrong(&error))?;
        Ok(Self {
            pattern,
            written: written.pattern,
            tool: written.tool,
            message: written.message,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_has_its_default() {
        for config in ["", "null", "{}", r#"{"rule":[]}"#] {
            let settings = Settings::parse(config).unwrap();
            assert!(settings.enabled && !settings.normalize && settings.rules.is_empty());
        }
        let settings = Settings::parse(
            r#"{"enabled":false,"normalize":true,"rule":[{"pattern":"^curl","tool":"fetch"}]}"#,
        )
        .unwrap();
        assert!(!settings.enabled && settings.normalize);
        assert_eq!(settings.rules[0].tool, "fetch");
        assert_eq!(settings.rules[0].message, "");
    }

    #[test]
    fn errors_quote_the_key_or_the_pattern() {
        let cases = [
            (
                r#"{"rule":[{"pattern":"(","tool":"x"}]}"#,
                r#"interceptor.rule: "(": "#,
            ),
            (
                r#"{"rule":[{"pattern":"","tool":"x"}]}"#,
                r#"interceptor.rule: "": "#,
            ),
            (
                r#"{"rule":[{"pattern":"a","tool":" "}]}"#,
                r#"interceptor.rule: "a": `tool`"#,
            ),
            (
                r#"{"rule":[{"pattern":"a{9999}{9999}","tool":"x"}]}"#,
                r#""a{9999}{9999}""#,
            ),
            (r#"{"rule":[{"patern":"a","tool":"x"}]}"#, "`patern`"),
            (r#"{"enable":true}"#, "`enable`"),
            (r#"{"enabled":"yes"}"#, "boolean"),
            ("[", "interceptor: "),
        ];
        for (config, expected) in cases {
            let error = Settings::parse(config).unwrap_err();
            assert!(error.contains(expected), "{config}: {error}");
        }
    }
}
