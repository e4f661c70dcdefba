//! A campaign: scripts by the thousand on all cores, counted and reported.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use bashgate::guest::bindings::policy::bashgate::policy::types::Plan;

use crate::generate::{Counts, Script};
use crate::judge;
use crate::minimize::minimize;
use crate::observe::Ran;
use crate::place::{Place, Room};
use crate::planner::{Planner, Scene};
use crate::run::{self, Observe, Outcome, Runner};

/// Scripts that one driver runs.
const BATCH: u64 = 64;
/// Misses that are made small: each takes a few hundred runs.
const MINIMIZED: usize = 40;

/// When a campaign ends.
#[derive(Debug, Clone, Copy)]
pub enum Limit {
    /// After so many scripts.
    Scripts(u64),
    /// After so long.
    Time(Duration),
}

/// What is to be done.
#[derive(Debug, Clone)]
pub struct Campaign {
    /// Decides every script.
    pub seed: u64,
    /// The number of the first script.
    pub first: u64,
    /// When it ends.
    pub limit: Limit,
    /// How it is observed what ran.
    pub observe: Observe,
    /// The program that runs the scripts: see [`Runner::new`].
    pub driver: PathBuf,
    /// Settings of the host, as `key=value`.
    pub set: Vec<String>,
    /// Whether misses are made small.
    pub minimize: bool,
}

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
    /// How often each production was used.
    pub counts: Counts,
    /// What was missed.
    pub misses: Vec<Miss>,
    /// How long it took.
    pub took: Duration,
}

impl Campaign {
    /// Runs it.
    ///
    /// # Errors
    ///
    /// When scripts cannot be explained, run or observed.
    pub fn run(&self) -> Result<Report> {
        let place = Place::make()?;
        let workers = std::thread::available_parallelism().map_or(2, usize::from);
        let mut all = Vec::new();
        for number in 0..workers {
            // One after the other: the first compiles the guests for the rest.
            all.push(Worker::start(self, &place, number)?);
        }
        if self.observe == Observe::Strace {
            run::probe(&all[0].room.log())?;
        }
        let began = Instant::now();
        let state = State {
            next: AtomicU64::new(0),
            began,
            report: Mutex::default(),
        };
        let ends: Vec<Result<()>> = std::thread::scope(|scope| {
            let running: Vec<_> = all
                .iter()
                .map(|worker| scope.spawn(|| worker.work(self, &state)))
                .collect();
            running
                .into_iter()
                .map(|worker| worker.join().map_err(|_| anyhow!("a worker panicked"))?)
                .collect()
        });
        ends.into_iter().collect::<Result<()>>()?;
        let mut report = state
            .report
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        report.took = began.elapsed();
        report.misses.sort_by_key(|miss| miss.number);
        for miss in report.misses.iter_mut().take(MINIMIZED) {
            if self.minimize {
                all[0].shrink(self, miss)?;
            }
        }
        Ok(report)
    }

    /// The scripts that a worker takes next; none at the end.
    fn batch(&self, state: &State) -> std::ops::Range<u64> {
        let start = state.next.fetch_add(BATCH, Ordering::Relaxed);
        let end = match self.limit {
            Limit::Scripts(count) => count.min(start + BATCH),
            Limit::Time(limit) if state.began.elapsed() >= limit => start,
            Limit::Time(_) => start + BATCH,
        };
        self.first + start..self.first + end.max(start)
    }
}

struct State {
    next: AtomicU64,
    began: Instant,
    report: Mutex<Report>,
}

struct Worker {
    room: Room,
    planner: Planner,
    runner: Runner,
}

/// A script, what was seen of it, and what ran.
struct Compared {
    script: Script,
    plan: Plan,
    outcome: Outcome,
    unseen: Vec<Ran>,
}

impl Worker {
    fn start(campaign: &Campaign, place: &Place, number: usize) -> Result<Self> {
        let room = place.room(number)?;
        let path = place.programs().to_string_lossy().into_owned();
        let planner = Planner::start(&Scene {
            root: &room.workspace(),
            home: &room.home(),
            path: &path,
            own: &room.folder().join("own"),
            cache: &place.cache(),
            set: &campaign.set,
        })?;
        let runner = Runner::new(room.clone(), campaign.driver.clone(), campaign.observe);
        Ok(Self {
            room,
            planner,
            runner,
        })
    }

    fn work(&self, campaign: &Campaign, state: &State) -> Result<()> {
        loop {
            let numbers = campaign.batch(state);
            if numbers.is_empty() {
                return Ok(());
            }
            let scripts = numbers
                .clone()
                .map(|number| Script::generate(campaign.seed, number))
                .collect();
            let compared = self.compare(scripts)?;
            let mut report = state.report.lock().unwrap_or_else(PoisonError::into_inner);
            for (number, one) in numbers.zip(compared) {
                report.add(number, one);
            }
        }
    }

    /// Explains and runs scripts. They are all explained first: until one runs
    /// the workspace is as each of them finds it.
    fn compare(&self, scripts: Vec<Script>) -> Result<Vec<Compared>> {
        let plans = scripts
            .iter()
            .map(|script| {
                let text = script.text();
                let decision = self.planner.explain(&text);
                Ok(decision
                    .with_context(|| format!("not explained: {text:?}"))?
                    .plan)
            })
            .collect::<Result<Vec<Plan>>>()?;
        // What runs is what was judged.
        let texts: Vec<String> = plans.iter().map(|plan| plan.script.clone()).collect();
        let outcomes = self.runner.run(&texts)?;
        let compared = scripts.into_iter().zip(plans).zip(outcomes);
        Ok(compared
            .map(|((script, plan), outcome)| Compared {
                unseen: judge::unseen(&script, &plan, &outcome.ran),
                script,
                plan,
                outcome,
            })
            .collect())
    }

    /// Makes the script of a miss small.
    fn shrink(&self, campaign: &Campaign, miss: &mut Miss) -> Result<()> {
        let script = Script::generate(campaign.seed, miss.number);
        let names: BTreeSet<Ran> = miss.unseen.iter().cloned().collect();
        let small = minimize(&script, |tries| {
            let compared = self.compare(tries.to_vec())?;
            Ok(compared
                .iter()
                .map(|one| one.unseen.iter().any(|ran| names.contains(ran)))
                .collect())
        })?;
        let compared = self.compare(vec![small])?;
        if let Some(one) = compared.first() {
            miss.small = one.script.text();
            miss.describe(&one.plan);
        }
        Ok(())
    }
}

impl Miss {
    fn describe(&mut self, plan: &Plan) {
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
    fn add(&mut self, number: u64, one: Compared) {
        self.scripts += 1;
        self.without_doubt += u64::from(one.plan.doubts.is_empty());
        self.refused += u64::from(one.outcome.refused);
        self.timed_out += u64::from(one.outcome.timed_out);
        self.ran += one.outcome.ran.len() as u64;
        self.counts.add(&one.script.counts);
        let kinds: BTreeSet<&String> = one.plan.doubts.iter().map(|doubt| &doubt.kind).collect();
        for kind in kinds {
            *self.doubts.entry(kind.clone()).or_default() += 1;
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

    /// The share of scripts whose plan has no doubt, from 0 to 1.
    #[must_use]
    pub fn share_without_doubt(&self) -> f64 {
        self.without_doubt as f64 / self.scripts.max(1) as f64
    }
}
