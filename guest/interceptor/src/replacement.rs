//! The call of another tool that stands in for a command, with its arguments
//! ready. Knows the tools' names and argument names, and no command.

use serde::Serialize;

/// A ready call. Serializes to the arguments, what is not set left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Replacement {
    /// Shows a file, or `limit` lines of it from line `offset` (1-based) on.
    Read {
        path: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        offset: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        limit: Option<u64>,
    },
    /// Searches text for a regular expression.
    Grep {
        pattern: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        glob: Option<String>,
    },
    /// Finds files by a glob.
    Find {
        pattern: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// Changes a file; without an exchange only the file is known.
    Edit {
        path: String,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        exchange: Option<Exchange>,
    },
    /// Writes a file, or adds to its end.
    Write {
        path: String,
        content: String,
        #[serde(skip_serializing_if = "is_false")]
        append: bool,
    },
    /// Runs the whole script as a job.
    Job {
        command: String,
        description: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        workdir: Option<String>,
        run_in_background: bool,
    },
    /// Gets what a URL names.
    Fetch { url: String },
}

/// One literal text for another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Exchange {
    pub old_text: String,
    pub new_text: String,
    #[serde(skip_serializing_if = "is_false")]
    pub replace_all: bool,
}

/// By reference, as serde calls it.
fn is_false(value: &bool) -> bool {
    !value
}

impl Replacement {
    /// The names under which a session may have the tool, best first.
    fn names(&self) -> &'static [&'static str] {
        match self {
            Self::Read { .. } => &["read"],
            Self::Grep { .. } => &["grep"],
            Self::Find { .. } => &["find", "glob"],
            Self::Edit { .. } => &["edit"],
            Self::Write { .. } => &["write"],
            Self::Job { .. } => &["bash"],
            Self::Fetch { .. } => &["fetch"],
        }
    }

    /// The tool of this session that takes the call. A job is started with the
    /// tool it was found in, so what matters is that it can be followed.
    pub fn tool(&self, tools: &[String]) -> Option<&'static str> {
        let has = |name: &str| tools.iter().any(|tool| tool == name);
        match self {
            Self::Job { .. } => has("bash_output").then_some("bash"),
            _ => self.names().iter().copied().find(|name| has(name)),
        }
    }

    /// Whether the call is one of `tool`.
    pub fn is_for(&self, tool: &str) -> bool {
        self.names().contains(&tool)
    }

    /// The arguments, as JSON.
    pub fn arguments(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_keep_their_order_and_leave_out_what_is_not_set() {
        let exchange = |replace_all| Exchange {
            old_text: "a".into(),
            new_text: "b".into(),
            replace_all,
        };
        let cases = [
            (
                Replacement::Read {
                    path: "f".into(),
                    offset: Some(3),
                    limit: None,
                },
                r#"{"path":"f","offset":3}"#,
            ),
            (
                Replacement::Edit {
                    path: "f".into(),
                    exchange: Some(exchange(true)),
                },
                r#"{"path":"f","old_text":"a","new_text":"b","replace_all":true}"#,
            ),
            (
                Replacement::Edit {
                    path: "f".into(),
                    exchange: Some(exchange(false)),
                },
                r#"{"path":"f","old_text":"a","new_text":"b"}"#,
            ),
            (
                Replacement::Edit {
                    path: "f".into(),
                    exchange: None,
                },
                r#"{"path":"f"}"#,
            ),
            (
                Replacement::Write {
                    path: "f".into(),
                    content: "x\n".into(),
                    append: true,
                },
                r#"{"path":"f","content":"x\n","append":true}"#,
            ),
        ];
        for (replacement, expected) in cases {
            assert_eq!(replacement.arguments().as_deref(), Some(expected));
        }
    }
}
