//! What a command printed: from raw bytes to text that a model or a person may
//! read, cut to its limits, with the whole of it in a file where it is too
//! much.
//!
//! This room knows bytes, text, limits and one folder. It knows no process, no
//! guest, no configuration file and nothing of the gate.
//!
//! - [`text`]: bytes to text: UTF-8, carriage returns, control sequences;
//! - [`cut`]: the lines that are kept of a text over its limits;
//! - [`artifact`]: the folder where full outputs lie;
//! - [`sink`]: all of it together, fed by the process.

pub mod artifact;
pub mod cut;
pub mod sink;
mod spill;
pub mod text;

pub use artifact::{Artifact, ArtifactError, ArtifactStore};
pub use cut::{Keep, Limit, Limits, LineRange, Truncation};
pub use sink::{Captured, Sink, SinkOptions, Spill};
