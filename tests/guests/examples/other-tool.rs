//! A tool guest with a schema of its own: `sh`, with one argument `cmd`.

use bashgate_guest::tool::executor::{self, Command, Refusal};
use bashgate_guest::tool::{Definition, Guest, Identity, Reply, Request};

const SCHEMA: &str =
    r#"{"type":"object","properties":{"cmd":{"type":"string"}},"required":["cmd"]}"#;

/// The guest.
pub struct OtherTool;

impl Guest for OtherTool {
    fn describe() -> Identity {
        Identity {
            name: "other-tool".to_owned(),
            version: "9.9.9".to_owned(),
            summary: "a guest of the tests".to_owned(),
        }
    }

    fn configure(_: String) -> Result<(), String> {
        Ok(())
    }

    fn definitions() -> Vec<Definition> {
        vec![Definition {
            name: "sh".to_owned(),
            title: "Shell".to_owned(),
            description: "Runs a line.".to_owned(),
            input_schema: SCHEMA.to_owned(),
            output_schema: r#"{"type":"object"}"#.to_owned(),
        }]
    }

    fn invoke(request: Request) -> Result<Reply, String> {
        if request.name != "sh" {
            return Err(format!("no tool {}", request.name));
        }
        let script = argument(&request.arguments).ok_or("`cmd` is missing")?;
        let command = Command {
            script,
            description: "a line".to_owned(),
            workdir: None,
            timeout_ms: None,
            login: None,
            head: None,
            tail: None,
            escalation: None,
        };
        match executor::run(&command) {
            Ok(outcome) => {
                let printed = outcome.output.iter();
                let printed: String = printed.map(|all| all.head.clone() + &all.tail).collect();
                Ok(Reply {
                    text: format!("sh: {printed}"),
                    structured: "{}".to_owned(),
                    is_error: outcome.ending.exit_code != Some(0),
                })
            }
            Err(Refusal::Denied(denial)) => Ok(Reply {
                text: format!("sh refused: {}", denial.message),
                structured: "{}".to_owned(),
                is_error: true,
            }),
            Err(_) => Err("sh could not".to_owned()),
        }
    }
}

/// The text of `cmd`, as far as the tests need JSON: without escapes.
fn argument(json: &str) -> Option<String> {
    let (_, rest) = json.split_once("\"cmd\"")?;
    let (_, rest) = rest.split_once('"')?;
    let (text, _) = rest.split_once('"')?;
    Some(text.to_owned())
}

#[cfg(target_arch = "wasm32")]
bashgate_guest::tool::export_tool!(OtherTool);
