//! bashgate beside a bare spawn of `bash -c true`, in turns, as ratios: the
//! speed of the machine drops out.

#![allow(missing_docs, clippy::expect_used, clippy::print_stdout)]

mod common;

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bashgate::Session;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// Pairs a round, and rounds.
const PAIRS: usize = 60;
const ROUNDS: usize = 5;

fn main() {
    // `cargo test --benches` only wants to see that it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let runtime = Runtime::new().expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let warm = runtime.block_on(common::warm_session(folder.path()));
    let (host, session) = warm.expect("a warm host");
    let mut medians = Vec::new();
    for (name, script) in common::scripts() {
        let before = host.guests().instances();
        let decide = || decide(&runtime, &session, &script);
        medians.push(compare(&format!("decision: {name}"), decide));
        let instances = host.guests().instances() - before;
        println!("  {instances} instances for {} decisions", PAIRS * ROUNDS);
    }
    let times = medians[3].as_secs_f64() / medians[1].as_secs_f64();
    println!("9 KB against 100 bytes: {times:.1} times the time");
    compare("`true` through call", || call_true(&runtime, &session));
    let one_shot = one_shot(folder.path().to_owned());
    one_shot();
    compare("one-shot `bashgate run true`, warm cache", one_shot);
}

/// Median time of `work`, and its ratio to a bare spawn: the median of rounds,
/// with the spread.
fn compare(name: &str, work: impl Fn()) -> Duration {
    let mut ratios = Vec::new();
    let mut all = Vec::new();
    for _ in 0..ROUNDS {
        let (mut own, mut bare) = (Vec::new(), Vec::new());
        for _ in 0..PAIRS {
            own.push(timed(&work));
            bare.push(timed(&bare_spawn));
        }
        ratios.push(median(&mut own).as_secs_f64() / median(&mut bare).as_secs_f64());
        all.append(&mut own);
    }
    ratios.sort_by(f64::total_cmp);
    let own = median(&mut all);
    let (least, middle, most) = (ratios[0], ratios[ROUNDS / 2], ratios[ROUNDS - 1]);
    println!("{name}: {own:.1?}, {middle:.3} of a bare spawn ({least:.3} to {most:.3})");
    own
}

fn timed(work: &impl Fn()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn bare_spawn() {
    let status = Command::new("bash")
        .args(["-c", "true"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status();
    assert!(status.expect("bash starts").success());
}

fn decide(runtime: &Runtime, session: &Session, script: &str) {
    let decision = runtime.block_on(session.explain(script, None));
    decision.expect("a decision");
}

fn call_true(runtime: &Runtime, session: &Session) {
    let arguments = r#"{"command":"true","description":"Do nothing"}"#;
    let call = session.call("bash", arguments, CancellationToken::new());
    let called = runtime.block_on(call).expect("a call");
    assert!(!called.is_error, "true runs without a question");
}

fn one_shot(folder: PathBuf) -> impl Fn() {
    move || {
        let places = ["CONFIG", "CACHE", "DATA", "STATE"];
        let places = places.map(|name| (format!("XDG_{name}_HOME"), folder.join(name)));
        let status = Command::new(env!("CARGO_BIN_EXE_bashgate"))
            .args(["run", "true", "--root"])
            .arg(folder.join("ws"))
            .env("HOME", &folder)
            .envs(places)
            .stdout(Stdio::null())
            .status()
            .expect("bashgate starts");
        assert!(status.success(), "true runs without a question");
    }
}
