//! A campaign: scripts by the thousand on all cores, counted and reported.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use bashgate::guest::bindings::policy::bashgate::policy::types::Plan;

use crate::generate::Script;
use crate::judge;
use crate::minimize::minimize;
use crate::observe::Ran;
use crate::place::{Place, Room};
use crate::planner::{Planner, Scene};
use crate::report::{Compared, Miss, Report};
use crate::run::{self, Observe, Runner};

/// Scripts that one driver runs.
const BATCH: u64 = 64;
/// Misses that are made small: each takes a few hundred runs.
const MINIMIZED: usize = 25;

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
    /// How many scripts with a needless doubt are made small.
    pub doubts: usize,
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
        report.needless.sort_by_key(|one| one.number);
        for one in report.needless.iter_mut().take(self.doubts) {
            one.shrink(self.seed, &all[0].planner)?;
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
