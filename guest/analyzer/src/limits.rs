//! How much of a script is looked at before it counts as too complex. The
//! figures hold the analysis of a hostile script well under a second, and its
//! recursion within the stack that a guest has.

/// Bytes of one script. Above this nothing is parsed.
pub const SCRIPT_BYTES: usize = 256 * 1024;
/// Constructs within constructs, and scripts within scripts, together.
pub const DEPTH: u32 = 60;
/// Words, expansions and commands read in one analysis. Text that has to be
/// read twice counts twice, so no input can make reading exponential.
pub const STEPS: u32 = 60_000;
/// Simple commands in one plan.
pub const UNITS: usize = 5_000;
/// Words of one command after braces are expanded.
pub const WORDS: usize = 2_000;
/// Bytes of one word's value.
pub const WORD_BYTES: usize = 64 * 1024;
/// Scripts within scripts (`bash -c`, `eval`, files that are run).
pub const NESTED_SCRIPTS: u32 = 8;
/// Paths that one glob may stand for.
pub const GLOB_PATHS: u32 = 200;
/// Effects in one plan.
pub const EFFECTS: usize = 20_000;

/// What is left of [`STEPS`] and [`DEPTH`] in one analysis.
#[derive(Debug)]
pub struct Budget {
    steps: u32,
    depth: u32,
    exhausted: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            steps: STEPS,
            depth: 0,
            exhausted: false,
        }
    }
}

impl Budget {
    /// Takes a step; false once there are none left.
    pub fn step(&mut self) -> bool {
        match self.steps.checked_sub(1) {
            Some(left) if !self.exhausted => self.steps = left,
            _ => self.exhausted = true,
        }
        !self.exhausted
    }

    /// Goes one level deeper; false when that is too deep. Each success is
    /// followed by one [`Budget::ascend`].
    pub fn descend(&mut self) -> bool {
        if self.depth >= DEPTH {
            self.exhausted = true;
        }
        if !self.exhausted {
            self.depth += 1;
        }
        !self.exhausted
    }

    /// Comes back from a level.
    pub fn ascend(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Nothing more may be looked at.
    pub fn exhaust(&mut self) {
        self.exhausted = true;
    }

    /// Whether a limit was met.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }
}
