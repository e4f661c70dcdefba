//! Runs cases against a binary, several at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::case::{Case, Effect};
use super::compare::{Answer, Problems, aftermath, brief, decision, refusal, result};
use super::{Kind, toml};
use crate::program::{Ended, LIMIT};
use crate::{Program, TestHost};

/// A case that did not pass.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Its id.
    pub id: String,
    /// What was expected and what came.
    pub problems: Vec<String>,
}

/// Runs the cases on two to four threads; answers those that fail, in order.
#[must_use]
pub fn run(binary: &Path, cases: &[Case]) -> Vec<Failure> {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let runner = Runner {
        binary,
        idle_mib: OnceLock::new(),
    };
    // The first start compiles the guests; no case is to be charged for it.
    runner.idle_mib();
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..cores.clamp(2, 4) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(number) else {
                        break;
                    };
                    let problems = runner.check(case);
                    if !problems.is_empty() {
                        let id = case.id.clone();
                        let failure = Failure { id, problems };
                        failures.lock().unwrap().push((number, failure));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort_by_key(|(number, _)| *number);
    failures.into_iter().map(|(_, failure)| failure).collect()
}

struct Runner<'a> {
    binary: &'a Path,
    idle_mib: OnceLock<f64>,
}

impl Runner<'_> {
    /// An odd answer fails its case, never the runner.
    fn check(&self, case: &Case) -> Vec<String> {
        let checked = catch_unwind(AssertUnwindSafe(|| match case.kind() {
            Kind::Decide => self.check_decide(case),
            Kind::Run => self.check_run(case),
        }));
        checked.unwrap_or_else(|_| vec!["not comparable; the panic is above".to_owned()])
    }

    fn place(&self, case: &Case) -> TestHost {
        let setup = &case.setup;
        let mut host = TestHost::new(self.binary).config(&toml::file(&case.config));
        if setup.env_clear {
            host = host.env_clear();
        }
        if setup.outside {
            host = host.outside();
        }
        for name in &setup.dirs {
            host = host.dir(name);
        }
        for (name, text) in &setup.files {
            host = host.file(name, text);
        }
        for (name, text) in &setup.executables {
            host = host.executable(name, text);
        }
        for (name, target) in &setup.links {
            host = host.link(name, target);
        }
        for (name, value) in &setup.host_env {
            host = host.env(name, value);
        }
        if setup.git {
            host = host.git();
        }
        if let Some(script) = &setup.shell {
            host = host.shell(script);
        }
        host
    }

    fn start(case: &Case, host: &TestHost, command: &[&str], last: &[&str]) -> Program {
        let mut program = host
            .bashgate(command)
            .args(["--json", "--root"])
            .args([host.ws()]);
        if let Some(tools) = &case.tools {
            program = program.args(["--agent-tools", &tools.join(",")]);
        }
        program.args(last)
    }

    fn call(
        case: &Case,
        host: &TestHost,
        arguments: &Value,
        answer: &str,
        limit: Duration,
    ) -> Ended {
        let tool = case.tool.as_deref().unwrap_or("bash");
        Self::start(case, host, &["call", tool, "-", answer], &[])
            .stdin(arguments.to_string())
            .limit(limit)
            .run()
    }

    fn check_decide(&self, case: &Case) -> Vec<String> {
        let script = case.script.clone().unwrap_or_default();
        let host = self.place(case);
        let workdir = case.workdir.iter();
        let last: Vec<&str> = workdir
            .flat_map(|path| ["--workdir", path.as_str()])
            .chain(["-"])
            .collect();
        let ended = Self::start(case, &host, &["explain"], &last)
            .stdin(script.clone())
            .run();
        if case.expect.error_has.is_some() && !ended.stuck {
            return refusal(&case.expect, &ended, false).into_vec();
        }
        let mut problems = Problems::default();
        match answer(&ended) {
            Ok(answer) => decision(&case.expect, &script, &answer, &mut problems),
            Err(why) => problems.push(why),
        }
        problems.need(
            !host.at("M").exists(),
            "explain",
            "nothing runs",
            "M was made",
        );
        let mut problems = problems.into_vec();
        for effect in case.runs.as_slice() {
            let found = self.check_effect(case, &script, effect).into_iter();
            problems.extend(found.map(|problem| format!("with {}: {problem}", effect.with)));
        }
        problems
    }

    /// Runs the script: what may not run leaves no trace, what may run runs
    /// unchanged.
    fn check_effect(&self, case: &Case, script: &str, effect: &Effect) -> Vec<String> {
        let mut arguments = json!({ "command": script, "description": "case" });
        if let Some(workdir) = &case.workdir {
            arguments["workdir"] = json!(workdir);
        }
        let host = self.place(case);
        let ended = Self::call(case, &host, &arguments, &effect.with, LIMIT);
        let mut problems = Problems::default();
        for name in &effect.creates {
            // A process substitution may end after the shell.
            let there = exists_within(&host.at(name), Duration::from_secs(1));
            problems.need(there, name, "a file", format!("none; {}", ended.said()));
        }
        for name in &effect.absent {
            let there = exists_within(&host.at(name), Duration::from_millis(100));
            problems.need(!there, name, "no such file", "a file");
        }
        match answer(&ended) {
            Ok(fields) => {
                if let Some(wanted) = &effect.stdout {
                    let output = Answer::new(&fields).output;
                    problems.need(output.as_ref() == Some(wanted), "output", wanted, &fields);
                }
            }
            Err(why) => problems.push(why),
        }
        problems.into_vec()
    }

    fn check_run(&self, case: &Case) -> Vec<String> {
        let mut arguments = case.arguments.clone().unwrap_or_default();
        if !case.command_parts.is_empty() {
            let parts = case.command_parts.iter();
            let command: String = parts.map(|(text, times)| text.repeat(*times)).collect();
            arguments["command"] = json!(command);
        }
        let wants_memory = case.expect.max_rss_growth_mib.is_some();
        let idle_mib = if wants_memory { self.idle_mib() } else { 0.0 };
        for turn in 1..=case.repeat {
            let problems = self.check_turn(case, &arguments, idle_mib);
            if !problems.is_empty() {
                let label = |problem| match turn {
                    1 => problem,
                    _ => format!("turn {turn}: {problem}"),
                };
                return problems.into_iter().map(label).collect();
            }
        }
        Vec::new()
    }

    fn check_turn(&self, case: &Case, arguments: &Value, idle_mib: f64) -> Vec<String> {
        let expect = &case.expect;
        let host = self.place(case);
        let limit = LIMIT + Duration::from_millis(expect.max_ms.unwrap_or(0));
        let ended = Self::call(case, &host, arguments, "--yes", limit);
        let fields = answer(&ended);
        let seen = Answer::new(fields.as_ref().unwrap_or(&Value::Null));
        let refused = expect.error_has.is_some() && !ended.stuck && ended.code.is_some();
        let mut problems = match &fields {
            _ if refused => refusal(expect, &ended, seen.is_error),
            Ok(_) => result(expect, &seen, &ended, idle_mib),
            Err(why) => Problems::of(why.clone()),
        };
        aftermath(expect, &host, &ended, &mut problems);
        let mut problems = problems.into_vec();
        if !problems.is_empty() && !seen.fields["denied"].is_null() {
            problems.push(format!("denied: {}", brief(&seen.fields["denied"])));
        }
        problems
    }

    /// Peak memory of a call that does nothing, once the caches are warm.
    fn idle_mib(&self) -> f64 {
        *self.idle_mib.get_or_init(|| {
            let call = || {
                let host = TestHost::new(self.binary);
                host.bashgate(["call", "bash", "-", "--yes", "--json"])
                    .stdin(r#"{"command":"true","description":"idle"}"#)
                    .run()
                    .peak_mib
            };
            call();
            call()
        })
    }
}

/// The JSON object on standard output, or why there is none.
fn answer(ended: &Ended) -> Result<Value, String> {
    if ended.stuck {
        return Err(format!("no end after {} ms", ended.took.as_millis()));
    }
    let Some(code) = ended.code else {
        return Err("killed by a signal".to_owned());
    };
    serde_json::from_str(&ended.stdout)
        .ok()
        .filter(Value::is_object)
        .ok_or_else(|| format!("no JSON object (exit {code}): {}", brief(ended.said())))
}

fn exists_within(path: &Path, limit: Duration) -> bool {
    let end = Instant::now() + limit;
    while !path.exists() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    path.exists()
}
