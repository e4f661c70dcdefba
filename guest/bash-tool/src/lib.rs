//! The `bash` tool as the model meets it: its definition, the check of its
//! arguments, and the words and fields of its result.
//!
//! It knows nothing of processes, and nothing of who may run what: a script
//! goes to the imported `executor`, which comes back with an outcome or a
//! refusal. What is published as the schema is what is enforced; both come
//! from the one table in [`parameters`].

use std::cell::Cell;

use bashgate_guest::tool::{Definition, Guest, Identity, Reply, Request};

pub mod arguments;
pub mod definition;
pub mod executor;
pub mod invocation;
pub mod parameters;
pub mod settings;
pub mod structured;
pub mod text;

use executor::Imported;
use settings::Settings;

thread_local! {
    /// Set once by `configure`; part of the memory that every call starts from.
    static SETTINGS: Cell<Settings> = const { Cell::new(Settings::DEFAULT) };
}

/// The guest: the `tool` interface over the host's executor.
pub struct BashTool;

impl Guest for BashTool {
    fn describe() -> Identity {
        Identity {
            name: "bash-tool".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            summary: "the `bash` tool: schema, arguments and result text".to_owned(),
        }
    }

    fn configure(config: String) -> Result<(), String> {
        let settings = Settings::parse(&config)?;
        SETTINGS.set(settings);
        Ok(())
    }

    fn definitions() -> Vec<Definition> {
        vec![definition::bash(&executor::Executor::abilities(&Imported))]
    }

    fn invoke(request: Request) -> Result<Reply, String> {
        invocation::invoke(&Imported, SETTINGS.get(), &request)
    }
}

#[cfg(target_arch = "wasm32")]
bashgate_guest::tool::export_tool!(BashTool);
