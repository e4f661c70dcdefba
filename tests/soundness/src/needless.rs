//! Doubts where there is nothing to doubt, made small: what the analyzer would
//! have to learn so that ordinary syntax passes.

use std::process::{Command, Stdio};

use anyhow::Result;
use bashgate::guest::bindings::policy::bashgate::policy::types::Doubt;

use crate::generate::Script;
use crate::minimize::minimize;
use crate::planner::Planner;

/// A doubt of a script that holds nothing doubtful.
#[derive(Debug, Clone)]
pub struct Needless {
    /// The script's number under the seed.
    pub number: u64,
    /// The kind of the doubt.
    pub kind: String,
    /// Its note.
    pub note: String,
    /// The text that is in doubt.
    pub text: String,
    /// The script as small as it was made.
    pub small: Option<String>,
}

impl Needless {
    pub(crate) fn new(number: u64, doubt: &Doubt) -> Self {
        Self {
            number,
            kind: doubt.kind.clone(),
            note: doubt.note.clone(),
            text: doubt.text.clone(),
            small: None,
        }
    }

    /// Makes the script small as long as bash can read it and the doubt stays.
    pub(crate) fn shrink(&mut self, seed: u64, planner: &Planner) -> Result<()> {
        let script = Script::generate(seed, self.number);
        let small = minimize(&script, |tries| {
            let shows = |script: &Script| {
                let plan = planner.explain(&script.text())?.plan;
                let doubted = plan
                    .doubts
                    .iter()
                    .any(|doubt| doubt.kind == self.kind && doubt.note == self.note);
                Ok(doubted && is_read_by_bash(&plan.script)?)
            };
            tries.iter().map(shows).collect()
        })?;
        self.small = Some(small.text());
        Ok(())
    }
}

/// Whether bash finds no error of syntax. Nothing runs.
fn is_read_by_bash(script: &str) -> Result<bool> {
    let output = Command::new("/bin/bash")
        .args(["-n", "-O", "extglob", "-c", script])
        .stdin(Stdio::null())
        .output()?;
    Ok(output.status.success() && output.stderr.is_empty())
}
