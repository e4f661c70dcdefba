//! The seam to the host: what this guest asks of it, so that all else is
//! tested without one.

pub use bashgate_guest::tool::executor::{
    Abilities, Artifact, Captured, Channel, Command, Denial, Direction, Ending, Escalation, Limit,
    LineRange, Outcome, Receipt, Refusal, Truncation,
};
pub use bashgate_guest::tool::log::Level;

/// What the tool needs of its host.
pub trait Executor {
    /// What the host can do.
    fn abilities(&self) -> Abilities;

    /// Runs one script; comes back when it has ended or was refused.
    ///
    /// # Errors
    ///
    /// The host's refusal: nothing ran.
    fn run(&self, command: &Command) -> Result<Outcome, Refusal>;

    /// Writes a line for the operator.
    fn log(&self, level: Level, message: &str);
}

/// The host itself, through the imports of the world.
pub struct Imported;

impl Executor for Imported {
    fn abilities(&self) -> Abilities {
        bashgate_guest::tool::executor::host_abilities()
    }

    fn run(&self, command: &Command) -> Result<Outcome, Refusal> {
        bashgate_guest::tool::executor::run(command)
    }

    fn log(&self, level: Level, message: &str) {
        bashgate_guest::tool::log::write(level, message);
    }
}
