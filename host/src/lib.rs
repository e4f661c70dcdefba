//! bashgate: the gate in front of an agent's `bash` tool.
//!
//! A native host runs commands; sandboxed WebAssembly guests say what the
//! tool looks like, which commands have a better tool, and which may run.
//!
//! ```text
//! agent -> surface -> session -> tool guest -> executor -> gate -> process -> output
//! ```
//!
//! A [`Host`] holds settings and guests; a [`Session`] is one agent; an
//! [`Approver`](gate::Approver) stands for the person who answers.

pub mod approvals;
pub mod config;
mod executor;
mod folder;
pub mod gate;
pub mod guest;
mod host;
pub mod output;
pub mod process;
mod session;
pub mod settings;
pub mod surface;
mod unguessable;

pub use host::{Host, HostBuilder, HostError};
pub use session::{CallError, Called, Ended, Nobody, Session, SessionBuilder, Tool};
