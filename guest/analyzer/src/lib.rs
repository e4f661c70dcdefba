//! The analyzer guest: turns a script into a plan.
//!
//! Two readers of bash's grammar look at the script: an own one, from whose
//! [`syntax`] all meaning is read, and tree-sitter-bash, which must see the
//! same commands. [`walk`] follows what the shell would know, [`meaning`]
//! knows programs.

pub mod analysis;
pub mod arithmetic;
pub mod expand;
pub mod hidden;
pub mod limits;
pub mod meaning;
pub mod output;
pub mod parse;
pub mod state;
pub mod syntax;
pub mod walk;
pub mod workspace;

use bashgate_guest::analyzer::{Guest, Input, workspace as imported};
use bashgate_guest::policy::{Identity, Location, Plan};

/// The guest.
pub struct Analyzer;

impl Guest for Analyzer {
    fn describe() -> Identity {
        Identity {
            name: "analyzer".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            summary: "Turns a bash script into a plan".to_owned(),
        }
    }

    fn configure(config: String) -> Result<(), String> {
        check(&config)
    }

    fn analyze(input: Input) -> Plan {
        analysis::analyze(&input, &Host)
    }
}

/// There is nothing to configure yet, and nothing is passed over.
fn check(config: &str) -> Result<(), String> {
    let config: serde_json::Map<String, serde_json::Value> = serde_json::from_str(config)
        .map_err(|error| format!("analyzer: the configuration is no JSON object: {error}"))?;
    match config.keys().next() {
        None => Ok(()),
        Some(key) => Err(format!(
            "analyzer: \"{key}\" is no setting of the analyzer; it has none"
        )),
    }
}

/// The host's answers.
struct Host;

impl workspace::Workspace for Host {
    fn locate(&self, workdir: &str, path: &str) -> Location {
        imported::locate(workdir, path)
    }

    fn glob(&self, workdir: &str, pattern: &str, limit: u32) -> Option<Vec<String>> {
        imported::glob(workdir, pattern, limit)
    }

    fn which(&self, workdir: &str, program: &str) -> Option<Location> {
        imported::which(workdir, program)
    }

    fn variable(&self, name: &str) -> Option<String> {
        imported::variable(name)
    }

    fn read(&self, workdir: &str, path: &str) -> Option<String> {
        imported::read(workdir, path)
    }
}

#[cfg(target_arch = "wasm32")]
bashgate_guest::export_analyzer!(Analyzer);

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn an_unknown_setting_is_named() {
        assert_eq!(check("{}"), Ok(()));
        assert!(check(r#"{"depth": 3}"#).unwrap_err().contains("\"depth\""));
        assert!(check("[]").is_err());
    }
}
