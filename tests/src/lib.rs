//! What the black-box tests share: guests that misbehave, a host to test with
//! a place of its own, a terminal to run it on, and the corpus runner.
//!
//! It knows the built command and nothing of how it is made. It fails as tests
//! fail: by a panic that says what was expected.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

pub mod base;
pub mod corpus;
pub mod guests;
pub mod host;
pub mod processes;
pub mod program;
pub mod terminal;

pub use host::TestHost;
pub use program::{Ended, Program};
pub use terminal::Terminal;
