//! The table of the tool's parameters: what each is called, what fits it, and
//! what the model reads about it. The published schema and the check of the
//! arguments are two views of it, so they cannot drift apart.

use serde_json::{Value, json};

use crate::executor::Abilities;

/// Asks to leave the sandbox.
pub const REQUIRE_ESCALATED: &str = "require_escalated";

/// One parameter of the tool.
pub struct Parameter {
    /// Its key in the arguments.
    pub name: &'static str,
    /// What fits it.
    pub kind: Kind,
    /// Whether a call without it is an error.
    pub required: bool,
    /// What the model reads.
    pub description: String,
}

/// What fits a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any text; `""` means the default of an optional one.
    Text,
    /// A whole number from 0, `5000.0` included; 0 means the default. What is
    /// too large for 32 bits is taken as the largest: whoever applies it has a
    /// limit far below.
    Count,
    /// True or false.
    Flag,
    /// One of these texts; `""` means the default.
    Choice(&'static [&'static str]),
    /// A list of texts; an empty one means the default.
    Words,
}

/// An argument that fits, with its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// Of [`Kind::Text`] and [`Kind::Choice`].
    Text(String),
    /// Of [`Kind::Count`].
    Count(u32),
    /// Of [`Kind::Flag`].
    Flag(bool),
    /// Of [`Kind::Words`].
    Words(Vec<String>),
}

/// The parameters that a host with these abilities can honour.
#[must_use]
pub fn parameters(abilities: &Abilities) -> Vec<Parameter> {
    let required = |name, kind, description: &str| Parameter {
        name,
        kind,
        required: true,
        description: description.to_owned(),
    };
    let optional = |name, kind, description: &str| Parameter {
        name,
        kind,
        required: false,
        description: description.to_owned(),
    };
    let mut all = vec![
        required("command", Kind::Text, "The bash script to run."),
        required(
            "description",
            Kind::Text,
            "What the command does, in 5 to 10 words in the active voice, for the person who may be \
             asked. Examples: \"Shows which files differ from HEAD\"; \"Builds the release binary \
             and runs its tests\".",
        ),
        optional(
            "workdir",
            Kind::Text,
            "Directory to run in, absolute or relative to the session's; use it instead of `cd`. \
             Default: the session's directory.",
        ),
        optional(
            "timeout_ms",
            Kind::Count,
            &format!(
                "Milliseconds after which the command is ended. Default {}, at most {}.",
                abilities.default_timeout_ms, abilities.max_timeout_ms
            ),
        ),
        optional(
            "login",
            Kind::Flag,
            "Whether to use the environment of the user's login shell. Default: true.",
        ),
        optional(
            "head",
            Kind::Count,
            "Return only the first so many lines of the whole output.",
        ),
        optional(
            "tail",
            Kind::Count,
            "Return only the last so many lines of the whole output (of what `head` keeps).",
        ),
    ];
    if abilities.escalation {
        all.extend([
            optional(
                "sandbox_permissions",
                Kind::Choice(&["use_default", REQUIRE_ESCALATED]),
                "`require_escalated` asks to run outside the sandbox; only after the sandbox has \
                 refused the command. Default: `use_default`.",
            ),
            optional(
                "justification",
                Kind::Text,
                "With `require_escalated`: one sentence for the person who decides.",
            ),
            optional(
                "prefix_rule",
                Kind::Words,
                "With `require_escalated`: the first words of the command, to be allowed again \
                 later, such as [\"npm\", \"install\"].",
            ),
        ]);
    }
    all
}

impl Parameter {
    /// This parameter's part of the JSON Schema.
    #[must_use]
    pub fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({ "type": "string" }),
            Kind::Count => json!({ "type": "integer", "minimum": 0 }),
            Kind::Flag => json!({ "type": "boolean" }),
            Kind::Choice(names) => {
                let mut allowed: Vec<Value> = names.iter().map(|name| json!(name)).collect();
                allowed.extend([json!(""), Value::Null]);
                json!({ "type": "string", "enum": allowed })
            }
            Kind::Words => json!({ "type": "array", "items": { "type": "string" } }),
        };
        if let Some(fields) = schema.as_object_mut() {
            if !self.required {
                // Clients send null for what they leave out.
                let plain = fields.remove("type").unwrap_or_default();
                fields.insert("type".to_owned(), json!([plain, "null"]));
            }
            fields.insert("description".to_owned(), json!(self.description));
        }
        schema
    }

    /// What a value means for this parameter: none for null and for the ways
    /// to say "the default".
    ///
    /// # Errors
    ///
    /// A sentence that names the parameter, what fits, and what was given.
    pub fn read(&self, value: &Value) -> Result<Option<Given>, String> {
        if value.is_null() {
            return Ok(None);
        }
        let given = match self.kind {
            Kind::Text => value.as_str().map(|text| Given::Text(text.to_owned())),
            Kind::Count => count(value).map(Given::Count),
            Kind::Flag => value.as_bool().map(Given::Flag),
            Kind::Choice(names) => value
                .as_str()
                .filter(|text| text.is_empty() || names.contains(text))
                .map(|text| Given::Text(text.to_owned())),
            Kind::Words => words(value).map(Given::Words),
        };
        let Some(given) = given else {
            return Err(format!(
                "`{}` must be {}, not {}",
                self.name,
                self.kind.wanted(),
                brief(value)
            ));
        };
        Ok(Some(given).filter(|given| self.required || !given.is_default()))
    }
}

impl Kind {
    /// What fits, in words that follow "must be".
    fn wanted(self) -> String {
        match self {
            Kind::Text => "a text".to_owned(),
            Kind::Count => "a whole number, 0 or more".to_owned(),
            Kind::Flag => "true or false".to_owned(),
            Kind::Choice(names) => {
                let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                quoted.join(" or ")
            }
            Kind::Words => "a list of texts".to_owned(),
        }
    }
}

impl Given {
    /// Whether this says no more than leaving the argument out.
    fn is_default(&self) -> bool {
        match self {
            Given::Text(text) => text.is_empty(),
            Given::Count(count) => *count == 0,
            Given::Flag(_) => false,
            Given::Words(words) => words.is_empty(),
        }
    }
}

fn count(value: &Value) -> Option<u32> {
    if let Some(whole) = value.as_u64() {
        return Some(u32::try_from(whole).unwrap_or(u32::MAX));
    }
    let number = value.as_f64()?;
    // The cast saturates, which is what `Kind::Count` promises.
    (number >= 0.0 && number.fract() == 0.0).then_some(number as u32)
}

fn words(value: &Value) -> Option<Vec<String>> {
    let items = value.as_array()?;
    items
        .iter()
        .map(|item| item.as_str().map(str::to_owned))
        .collect()
}

/// A value as an error shows it: its JSON, cut where it is long.
fn brief(value: &Value) -> String {
    const SHOWN: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
