//! The contract, as Rust types. Generated from `wit/`; nothing is written by
//! hand here.

#![allow(missing_docs, clippy::all)]

/// Types, and the world of a policy guest.
pub mod policy {
    wasmtime::component::bindgen!({
        world: "bashgate:policy/policy-guest",
        path: "../wit/policy",
        additional_derives: [PartialEq],
    });
}

/// The world of an analyzer guest.
pub mod analyzer {
    wasmtime::component::bindgen!({
        world: "bashgate:analyzer/analyzer-guest",
        path: ["../wit/policy", "../wit/analyzer"],
        with: { "bashgate:policy/types@0.1.0": super::policy::bashgate::policy::types },
    });
}

/// The world of a tool guest. It waits for minutes in `executor`, so the host
/// side of everything is asynchronous.
pub mod tool {
    wasmtime::component::bindgen!({
        world: "bashgate:tool/tool-guest",
        path: "../wit/tool",
        imports: { default: async | trappable },
        exports: { default: async },
    });
}
