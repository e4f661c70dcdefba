//! What a campaign came to: counts, misses, and how both are shown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use bashgate::guest::bindings::policy::bashgate::policy::types::Plan;

use crate::generate::{Counts, Production, Script};
use crate::judge;
use crate::needless::Needless;
use crate::observe::Ran;
use crate::run::Outcome;

/// A script of which something ran unseen.
#[derive(Debug, Clone)]
pub struct Miss {
    /// Its number under the seed.
    pub number: u64,
    /// As it was made up.
    pub script: String,
    /// As small as it was made.
    pub small: String,
    /// What ran unseen.
    pub unseen: Vec<Ran>,
    /// The names of the units that the plan of the small one has.
    pub units: Vec<String>,
    /// The doubts that it has: kind and text.
    pub doubts: Vec<(String, String)>,
}

/// What a campaign came to.
#[derive(Debug, Default)]
pub struct Report {
    /// Scripts that ran.
    pub scripts: u64,
    /// Of these, whose plan has no doubt.
    pub without_doubt: u64,
    /// Of these, in which bash found an error of syntax.
    pub refused: u64,
    /// Of these, that had to be ended.
    pub timed_out: u64,
    /// Programs, builtins and functions that ran, each once a script.
    pub ran: u64,
    /// Scripts by kinds of doubt.
    pub doubts: BTreeMap<String, u64>,
    /// Doubts of scripts in which nothing is doubtful.
    pub needless: Vec<Needless>,
    /// How often each production was used.
    pub counts: Counts,
    /// For each production, in how many scripts it was used, and how many of
    /// these have a plan without a doubt.
    pub used_in: BTreeMap<Production, (u64, u64)>,
    /// What was missed.
    pub misses: Vec<Miss>,
    /// How long it took.
    pub took: Duration,
}

/// A script, what was seen of it, and what ran.
pub(crate) struct Compared {
    pub script: Script,
    pub plan: Plan,
    pub outcome: Outcome,
    pub unseen: Vec<Ran>,
}

impl Miss {
    pub(crate) fn describe(&mut self, plan: &Plan) {
        self.units = plan
            .units
            .iter()
            .map(|unit| judge::name(unit).unwrap_or("?").to_owned())
            .collect();
        self.doubts = plan
            .doubts
            .iter()
            .map(|doubt| (doubt.kind.clone(), doubt.text.clone()))
            .collect();
    }
}

impl Report {
    pub(crate) fn add(&mut self, number: u64, one: Compared) {
        self.scripts += 1;
        self.without_doubt += u64::from(one.plan.doubts.is_empty());
        self.refused += u64::from(one.outcome.refused);
        self.timed_out += u64::from(one.outcome.timed_out);
        self.ran += one.outcome.ran.len() as u64;
        self.counts.add(&one.script.counts);
        for (production, count) in one.script.counts.iter() {
            if count > 0 {
                let (scripts, clear) = self.used_in.entry(production).or_default();
                *scripts += 1;
                *clear += u64::from(one.plan.doubts.is_empty());
            }
        }
        let kinds: BTreeSet<&String> = one.plan.doubts.iter().map(|doubt| &doubt.kind).collect();
        for kind in kinds {
            *self.doubts.entry(kind.clone()).or_default() += 1;
        }
        if !one.script.doubtful && !one.outcome.refused {
            let doubts = one.plan.doubts.iter();
            self.needless
                .extend(doubts.map(|doubt| Needless::new(number, doubt)));
        }
        if one.unseen.is_empty() {
            return;
        }
        let text = one.script.text();
        let mut miss = Miss {
            number,
            small: text.clone(),
            script: text,
            unseen: one.unseen,
            units: Vec::new(),
            doubts: Vec::new(),
        };
        miss.describe(&one.plan);
        self.misses.push(miss);
    }

    /// One needless doubt of each kind and note, the shortest, with how many
    /// there are.
    fn kinds_of_needless(&self) -> Vec<(usize, &Needless)> {
        let mut kinds: BTreeMap<(&str, &str), (usize, &Needless)> = BTreeMap::new();
        for one in &self.needless {
            let kind = kinds.entry((&one.kind, &one.note)).or_insert((0, one));
            kind.0 += 1;
            if one.text.len() < kind.1.text.len() {
                kind.1 = one;
            }
        }
        kinds.into_values().collect()
    }

    /// The share of scripts whose plan has no doubt, from 0 to 1.
    #[must_use]
    pub fn share_without_doubt(&self) -> f64 {
        self.without_doubt as f64 / self.scripts.max(1) as f64
    }
}

fn write_script(f: &mut fmt::Formatter<'_>, script: &str) -> fmt::Result {
    for line in script.split('\n') {
        writeln!(f, "  | {}", line.escape_debug())?;
    }
    Ok(())
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MISS in script {}: ran unseen:", self.number)?;
        for ran in &self.unseen {
            write!(f, " {}", ran.name)?;
            if let Some(marker) = &ran.marker {
                write!(f, " {marker}")?;
            }
        }
        writeln!(f)?;
        write_script(f, &self.small)?;
        write!(f, "  units: {}", self.units.join(", "))?;
        for (kind, text) in &self.doubts {
            write!(f, "\n  doubt: {kind} {text:?}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "productions: times used, scripts, % of these without a doubt"
        )?;
        for (production, count) in self.counts.iter() {
            let (scripts, clear) = self.used_in.get(&production).copied().unwrap_or_default();
            let share = 100 * clear / scripts.max(1);
            writeln!(
                f,
                "{count:>9} {scripts:>8} {share:>4}  {}",
                production.name()
            )?;
        }
        writeln!(f, "scripts with a doubt, by kind:")?;
        for (kind, count) in &self.doubts {
            writeln!(f, "{count:>9}  {kind}")?;
        }
        writeln!(
            f,
            "doubts where nothing is doubtful, with the shortest text:"
        )?;
        for (count, one) in self.kinds_of_needless() {
            writeln!(
                f,
                "{count:>9}  {}: {}: {:?} in script {}",
                one.kind, one.note, one.text, one.number
            )?;
        }
        for one in &self.needless {
            if let Some(small) = &one.small {
                writeln!(f, "\n{}: {}, in script {}", one.kind, one.note, one.number)?;
                write_script(f, small)?;
            }
        }
        for miss in &self.misses {
            writeln!(f, "\n{miss}")?;
        }
        let seconds = self.took.as_secs_f64();
        writeln!(
            f,
            "\n{} scripts in {seconds:.0} s ({:.0} scripts/s); {} programs, builtins and \
             functions ran; bash refused {} scripts, {} were ended",
            self.scripts,
            self.scripts as f64 / seconds.max(0.001),
            self.ran,
            self.refused,
            self.timed_out,
        )?;
        write!(
            f,
            "{:.1} % without a doubt; {} misses",
            100.0 * self.share_without_doubt(),
            self.misses.len()
        )
    }
}
