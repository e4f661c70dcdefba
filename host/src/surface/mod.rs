//! Ways in. They translate and show; they decide nothing.

pub mod cli;
mod doctor;
mod explain;
mod script;
mod table;
mod terminal;
