//! The only room that starts a process: its environment, its start, its tree,
//! its end. It knows no guest, no plan and no verdict; what may run was
//! settled before anything here is called.

pub mod environment;
pub mod login;
pub mod run;
pub mod shell;
pub mod signal;
pub mod spawn;
pub mod tree;

pub use run::{Finished, Output, Request, Streams, run};
pub use shell::Shell;
pub use spawn::{Invocation, SpawnError};
