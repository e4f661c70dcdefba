//! The black-box tests: everything here goes through the built command, and
//! looks at files and processes rather than at our own report.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used
)]

mod command;
mod configuration;
mod corpus;
mod ending;
mod guests;
mod invariants;
mod library;
mod scene;
mod stand_ins;
mod terminal;
