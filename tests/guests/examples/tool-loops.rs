//! A tool guest that never comes back from a call.

use bashgate_guest::tool::{Definition, Guest, Identity, Reply, Request};

/// The guest.
pub struct ToolLoops;

impl Guest for ToolLoops {
    fn describe() -> Identity {
        Identity {
            name: "tool-loops".to_owned(),
            version: "9.9.9".to_owned(),
            summary: "a guest of the tests".to_owned(),
        }
    }

    fn configure(_: String) -> Result<(), String> {
        Ok(())
    }

    fn definitions() -> Vec<Definition> {
        vec![Definition {
            name: "bash".to_owned(),
            title: String::new(),
            description: String::new(),
            input_schema: r#"{"type":"object"}"#.to_owned(),
            output_schema: r#"{"type":"object"}"#.to_owned(),
        }]
    }

    fn invoke(_: Request) -> Result<Reply, String> {
        loop {
            std::hint::spin_loop();
        }
    }
}

#[cfg(target_arch = "wasm32")]
bashgate_guest::tool::export_tool!(ToolLoops);
