//! One unit with all that is known of it: rules, dangers, effects, attributes.
//! Says what follows from them together; the weighing is for `judge`.

use bashgate_guest::policy::{Span, Unit};

use crate::danger::Evidence;
use crate::pattern::Pattern;
use crate::rules::Hit;
use crate::safe;
use crate::scene::{base_name, program_word};
use crate::zones::Impact;

/// All that is known of a unit before it is weighed.
pub struct Case<'a> {
    pub at: usize,
    pub unit: &'a Unit,
    pub denying: Vec<Hit<'a>>,
    pub asking: Vec<Hit<'a>>,
    pub allowing: Vec<&'a Pattern>,
    pub dangers: Vec<Evidence>,
    pub impacts: Vec<(Span, Impact)>,
    pub is_bashgate: bool,
    pub git_runs: Option<&'a str>,
    pub ends_allow: Option<&'a str>,
}

impl Case<'_> {
    /// Whether a rule spells the word that tells.
    pub fn is_spelled(&self, word: Option<&str>) -> bool {
        word.is_some_and(|word| self.allowing.iter().any(|rule| rule.spells(word)))
    }

    /// Dangers that no rule lifts.
    pub fn standing(&self) -> impl Iterator<Item = &Evidence> {
        self.dangers
            .iter()
            .filter(|danger| !self.is_spelled(danger.word.as_deref()))
    }

    pub fn is_allowed(&self) -> bool {
        !self.allowing.is_empty()
    }

    /// Something that no rule for commands and no look at its words settles.
    pub fn is_barred(&self) -> bool {
        self.ends_allow.is_some()
            || self.git_runs.is_some()
            || self.is_bashgate
            || !self.denying.is_empty()
            || !self.asking.is_empty()
    }

    pub fn is_harmless(&self) -> bool {
        self.impacts
            .iter()
            .all(|(_, impact)| *impact == Impact::Harmless)
    }

    /// Whether all that it touches is covered once a rule fits.
    pub fn is_coverable(&self) -> bool {
        self.impacts.iter().all(|(_, impact)| match impact {
            Impact::Harmless | Impact::Unknown | Impact::Write => true,
            Impact::Runs(word) => self.is_spelled(Some(word)),
            Impact::Soft(_) | Impact::Hard(..) | Impact::Deny(_) => false,
        })
    }
}

/// bashgate inside a script that bashgate judges, by name or by file.
pub fn is_bashgate(unit: &Unit) -> bool {
    let is = |path: &str| base_name(path) == "bashgate";
    program_word(unit).is_some_and(is) || unit.program.as_ref().is_some_and(|file| is(&file.path))
}

/// Words of the grammar that stand where a program does.
pub fn is_keyword(unit: &Unit) -> bool {
    unit.program.is_none()
        && matches!(
            program_word(unit),
            Some("[[" | "((" | "time" | "coproc" | "!")
        )
}

pub fn looks_harmless(unit: &Unit) -> bool {
    match is_keyword(unit) {
        true => matches!(program_word(unit), Some("[[" | "((")),
        false => safe::only_looks(unit),
    }
}
