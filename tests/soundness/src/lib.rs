//! The soundness fuzz: scripts are made up, explained, and run for real; every
//! program, builtin and function that ran must be a unit of the plan, or stand
//! where the plan has a doubt.
//!
//! ```text
//! generate -> planner -> run (a shell under strace) -> observe -> judge -> minimize
//! ```
//!
//! `campaign` joins the steps on all cores and counts. Nothing here knows how
//! the analyzer reads a script: bash says what ran, the plan says what was
//! seen, and only these two are compared.

pub mod campaign;
pub mod generate;
pub mod judge;
pub mod minimize;
pub mod needless;
pub mod observe;
pub mod place;
pub mod planner;
mod random;
pub mod report;
pub mod run;
