//! What the topics share: the host to test, plugins for it, and what of a text
//! may differ from machine to machine.

use std::fmt::Write;
use std::path::Path;

use bashgate_tests::{TestHost, guests};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The built command.
pub const BASHGATE: &str = env!("CARGO_BIN_EXE_bashgate");

/// The built command in a fresh place.
pub fn host() -> TestHost {
    TestHost::new(BASHGATE)
}

/// The configuration of a plugin that is one of the tests' guests, named as
/// it; `more` are further keys of its table.
pub fn plugin(name: &str, more: &str) -> String {
    format!(
        "[[plugin]]\nname = {name:?}\ncomponent = {:?}\n{more}\n",
        guests::path(name)
    )
}

/// The configuration that puts one of the tests' guests in the place of a
/// built-in one.
pub fn in_place_of(slot: &str, name: &str) -> String {
    format!(
        "[guests]\n{slot} = {{ component = {:?} }}\n",
        guests::path(name)
    )
}

/// The digest of a file as bashgate writes it.
pub fn digest(file: &Path) -> String {
    let bytes = std::fs::read(file).unwrap();
    Sha256::digest(bytes)
        .iter()
        .fold("sha256:".to_owned(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// What is decided about a script, and why.
#[track_caller]
pub fn explain(host: &TestHost, script: &str) -> Value {
    host.run(["explain", "--json", script]).json()
}

/// The guest's verdict in what `explain` or a denial says.
pub fn verdict_of<'a>(explained: &'a Value, guest: &str) -> Option<&'a Value> {
    explained["verdicts"]
        .as_array()?
        .iter()
        .find(|verdict| verdict["guest"] == guest)
}

/// Arguments of `bash`, as JSON.
pub fn arguments(command: &str) -> String {
    serde_json::json!({ "command": command, "description": "Does what the test needs" }).to_string()
}

/// The text without what differs from run to run: the place of the test,
/// digests, times.
pub fn redact(host: &TestHost, text: &str) -> String {
    let text = text.replace(&host.place().display().to_string(), "[place]");
    let text = text.replace("sha256:", "\u{1}");
    let mut parts = text.split('\u{1}');
    let mut redacted = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        redacted.push_str("[digest]");
        redacted.push_str(part.trim_start_matches(|character: char| character.is_ascii_hexdigit()));
    }
    redacted
        .lines()
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n")
}
