//! What a bashgate guest in Rust depends on: the types of the contract, and
//! one export macro for each world.
//!
//! A policy guest implements [`policy::Guest`] and hands itself to
//! [`export_policy!`]; an analyzer and a tool guest do the same with theirs.
//! All types are ordinary Rust types, so the logic of a guest is tested
//! natively, without wasm.

#[doc(hidden)]
pub use bindings::{
    analyzer as analyzer_world, environment as environment_world, policy as policy_world,
    tool as tool_world,
};

/// Judges an execution.
pub mod policy {
    pub use crate::bindings::policy::bashgate::policy::types::*;
    pub use crate::bindings::policy::exports::bashgate::policy::policy::Guest;
    pub use crate::export_policy;

    /// No opinion, and nothing to say.
    #[must_use]
    pub fn abstain() -> Verdict {
        Verdict::Abstain(Abstention {
            findings: Vec::new(),
            offers: Vec::new(),
        })
    }
}

/// Adjusts the environment of a command before it is analyzed.
pub mod environment {
    pub use crate::bindings::environment::exports::bashgate::policy::environment::{
        Adjustment, Guest, Identity,
    };
    pub use crate::export_environment;
}

/// Turns a script into a plan.
pub mod analyzer {
    pub use crate::bindings::analyzer::bashgate::analyzer::workspace;
    pub use crate::bindings::analyzer::exports::bashgate::analyzer::analyzer::{Guest, Input};
    pub use crate::export_analyzer;
}

/// Defines the tools that the model sees.
pub mod tool {
    pub use crate::bindings::tool::bashgate::tool::{executor, log};
    pub use crate::bindings::tool::exports::bashgate::tool::tool::{
        Definition, Guest, Identity, Reply, Request,
    };
    pub use crate::export_tool;
}

pub use bindings::{
    analyzer::export_analyzer, environment::export_environment, policy::export_policy,
    tool::export_tool,
};

/// A guest lives for one call and allocates a great deal in it: a sixth of its
/// time with talc, a fifth with Rust's own allocator for this target.
#[cfg(all(target_family = "wasm", feature = "allocator"))]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

mod bindings {
    #![allow(missing_docs, clippy::all, unsafe_op_in_unsafe_fn)]

    pub mod policy {
        wit_bindgen::generate!({
            world: "bashgate:policy/policy-guest",
            path: "../../wit/policy",
            pub_export_macro: true,
            export_macro_name: "export_policy",
            default_bindings_module: "bashgate_guest::policy_world",
            additional_derives: [PartialEq],
            generate_all,
        });
    }

    pub mod environment {
        wit_bindgen::generate!({
            world: "bashgate:policy/environment-guest",
            path: "../../wit/policy",
            pub_export_macro: true,
            export_macro_name: "export_environment",
            default_bindings_module: "bashgate_guest::environment_world",
            with: { "bashgate:policy/types@0.1.0": super::policy::bashgate::policy::types },
        });
    }

    pub mod analyzer {
        wit_bindgen::generate!({
            world: "bashgate:analyzer/analyzer-guest",
            path: ["../../wit/policy", "../../wit/analyzer"],
            pub_export_macro: true,
            export_macro_name: "export_analyzer",
            default_bindings_module: "bashgate_guest::analyzer_world",
            with: { "bashgate:policy/types@0.1.0": super::policy::bashgate::policy::types },
        });
    }

    pub mod tool {
        wit_bindgen::generate!({
            world: "bashgate:tool/tool-guest",
            path: "../../wit/tool",
            pub_export_macro: true,
            export_macro_name: "export_tool",
            default_bindings_module: "bashgate_guest::tool_world",
            additional_derives: [PartialEq],
            generate_all,
        });
    }
}
