//! Compares what bashgate answered with what a case expects; starts no process
//! of its own.

mod decision;
mod offer;
mod result;

use serde::Serialize;
use serde_json::Value;

pub(super) use decision::decision;
pub(super) use result::{Answer, aftermath, refusal, result};

/// How much of a value a problem shows, in characters.
const SHOWN: usize = 300;

/// What does not fit, in sentences.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<String>);

impl Problems {
    pub(super) fn of(problem: String) -> Self {
        Self(vec![problem])
    }

    pub(super) fn push(&mut self, problem: String) {
        self.0.push(problem);
    }

    pub(super) fn need(
        &mut self,
        ok: bool,
        what: &str,
        wanted: impl Serialize,
        got: impl Serialize,
    ) {
        if !ok {
            let (wanted, got) = (brief(wanted), brief(got));
            self.0.push(format!("{what}: expected {wanted}, got {got}"));
        }
    }

    pub(super) fn into_vec(self) -> Vec<String> {
        self.0
    }
}

/// A value for people: a text as it is, else its JSON; what a terminal would
/// act on is spelled out, what is long is cut.
pub(super) fn brief(value: impl Serialize) -> String {
    let text = match serde_json::to_value(value).unwrap_or_default() {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == SHOWN {
            return format!("{shown}… ({} characters)", text.chars().count());
        }
        match character {
            '\0'..='\u{1f}' | '\u{7f}' | '\u{200b}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                shown.extend(character.escape_default());
            }
            plain => shown.push(plain),
        }
    }
    shown
}
