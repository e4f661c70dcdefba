//! Guests that misbehave: every way ends in `ask` that names the guest, in
//! time and within its memory, and never in an `allow`.

use std::time::{Duration, Instant};

use bashgate_tests::{Ended, TestHost, guests};
use serde_json::json;

use crate::scene::{arguments, digest, explain, host, plugin, verdict_of};

/// The default of `limits.wall_ms`, and what the host may take on top.
const DEADLINE: Duration = Duration::from_millis(250 + 200);

/// The default of `limits.memory_mib`, and what the host may take on top.
const MEMORY_MIB: f64 = 64.0 + 16.0;

/// Guests that break while they judge.
const BREAKING: &[&str] = &[
    "traps",
    "loops",
    "fills-memory",
    "recurses",
    "answers-too-long",
    "answers-hugely",
    "span-out-of-range",
    "span-backwards",
    "unit-out-of-range",
];

/// Guests that cannot be made ready to judge.
const UNREADY: &[&str] = &[
    "configure-refuses",
    "configure-traps",
    "configure-loops",
    "describe-traps",
    "no-world",
];

fn breaking(name: &str) -> TestHost {
    host().config(&plugin(name, "required = false\nmay_allow = true"))
}

#[test]
fn a_guest_that_breaks_while_it_judges_means_ask_and_is_named() {
    for name in BREAKING {
        let host = breaking(name);
        let ended = host.run(["explain", "--json", "ls"]);
        ended.assert_code(3);
        let explained = ended.json();
        assert_eq!(explained["decision"], "ask", "{name}");
        let verdict = verdict_of(&explained, name)
            .unwrap_or_else(|| panic!("{name} is not among the verdicts: {explained:#}"));
        assert_eq!(verdict["verdict"], "ask", "{name}: {verdict:#}");
        assert_eq!(verdict["version"], "9.9.9", "{name}");
        assert_eq!(verdict["digest"], digest(&guests::path(name)), "{name}");
        assert_ne!(
            verdict["findings"],
            json!([]),
            "{name} is not told why: {verdict:#}"
        );
    }
}

#[test]
fn a_refusal_names_the_guest_that_broke() {
    let name = "traps";
    let host = breaking(name);
    let ended = host.run(["run", "--no-input", "touch x"]);
    ended.assert_code(126);
    let digest = digest(&guests::path(name));
    for word in [name, "9.9.9", digest.get(..19).unwrap()] {
        assert!(
            ended.said().contains(word),
            "nothing about `{word}`: {}",
            ended.said()
        );
    }
    assert!(!host.at("x").exists());
}

#[test]
fn a_person_may_still_say_yes_and_the_next_call_works() {
    for name in BREAKING {
        let host = breaking(name);
        let ended = host.run(["call", "--yes", "bash", &arguments("echo one")]);
        ended.assert_code(0);
        assert_eq!(ended.stdout.trim_end(), "one", "{name}");
        let ended = host.run(["call", "--yes", "bash", &arguments("echo two")]);
        assert_eq!(ended.stdout.trim_end(), "two", "{name}");
    }
}

/// The better of a few, after one that fills the caches.
fn best(host: &TestHost) -> (Duration, Ended) {
    let start = || host.run(["explain", "--json", "ls"]);
    let _ = start();
    let runs = (0..4).map(|_| {
        let began = Instant::now();
        let ended = start();
        (began.elapsed(), ended)
    });
    runs.min_by_key(|(took, _)| *took).unwrap()
}

#[test]
fn a_guest_that_breaks_keeps_to_its_time_and_memory() {
    let (idle_time, idle) = best(&host());
    for name in BREAKING {
        let (time, ended) = best(&breaking(name));
        let over = time.saturating_sub(idle_time);
        assert!(
            over < DEADLINE,
            "{name} takes {over:?} on top of {idle_time:?}"
        );
        let grown = ended.peak_mib - idle.peak_mib;
        assert!(
            grown < MEMORY_MIB,
            "{name} takes {grown:.0} MiB on top of {:.0}",
            idle.peak_mib
        );
    }
}

#[test]
fn a_required_guest_that_is_not_ready_means_ask() {
    for name in UNREADY {
        let host = host().config(&plugin(name, "required = true"));
        let ended = host.run(["explain", "--json", "ls"]);
        ended.assert_code(3);
        assert!(
            ended.said().contains(name),
            "{name} is not named: {}",
            ended.said()
        );
        host.run(["run", "--no-input", "touch x"]).assert_code(126);
        assert!(!host.at("x").exists());
    }
}

#[test]
fn a_guest_that_is_not_required_may_be_absent_and_is_told() {
    for name in UNREADY {
        let host = host().config(&plugin(name, "required = false"));
        let ended = host.run(["explain", "--json", "ls"]);
        ended.assert_code(0);
        assert!(
            ended.stderr.contains(name),
            "no warning about {name}: {}",
            ended.stderr
        );
        let listed = host.run(["plugin", "list"]);
        assert!(
            listed.said().contains(name),
            "{name} is not listed: {}",
            listed.said()
        );
    }
}

#[test]
fn a_component_file_that_is_missing_or_nonsense_means_ask() {
    for (name, bytes) in [
        ("empty", Some(&b""[..])),
        ("text", Some(b"not wasm")),
        ("missing", None),
    ] {
        let mut host = host();
        let file = host.place().join(format!("{name}.wasm"));
        if let Some(bytes) = bytes {
            std::fs::write(&file, bytes).unwrap();
        }
        host = host.config(&format!(
            "[[plugin]]\nname = {name:?}\ncomponent = {file:?}\nrequired = true\n"
        ));
        let ended = host.run(["explain", "--json", "ls"]);
        ended.assert_code(3);
        assert!(
            ended.said().contains(name),
            "{name} is not named: {}",
            ended.said()
        );
    }
}

#[test]
fn a_pin_holds() {
    let right = digest(&guests::path("allow-all"));
    let wrong = "0".repeat(64);
    let hex = right.trim_start_matches("sha256:");
    for (pin, wanted) in [(hex, "allow"), (wrong.as_str(), "ask")] {
        let pinned = plugin("allow-all", &format!("sha256 = {pin:?}\nrequired = true"));
        assert_eq!(
            explain(&host().config(&pinned), "ls")["decision"],
            wanted,
            "{pin}"
        );
    }
}

#[test]
fn a_plugin_under_the_root_needs_a_pin() {
    let host = host();
    std::fs::copy(guests::path("allow-all"), host.at("p.wasm")).unwrap();
    let table = format!(
        "[[plugin]]\nname = \"p\"\ncomponent = {:?}\nmay_allow = true\n",
        host.at("p.wasm")
    );
    let unpinned = host.config(&table);
    let ended = unpinned.run(["run", "--no-input", "nosuchcommand_x"]);
    assert!(matches!(ended.code, Some(125 | 126)), "{ended:#?}");
    assert!(ended.said().contains("sha256"), "{}", ended.said());
}

#[test]
fn a_name_of_a_guest_cannot_move_the_cursor() {
    let host = host().config(&plugin("describe-shouts", ""));
    for command in [
        &["plugin", "list"][..],
        &["explain", "touch x"],
        &["doctor"],
    ] {
        let ended = host.run(command);
        assert!(
            !ended.said().contains('\u{1b}'),
            "{command:?}: {:?}",
            ended.said()
        );
        assert!(
            ended.said().len() < 64 * 1024,
            "{command:?} says {} bytes",
            ended.said().len()
        );
    }
}

#[test]
fn a_guest_of_another_contract_is_told_apart() {
    let host = host();
    let bytes = std::fs::read(guests::path("other-tool")).unwrap();
    let newer = replace(&bytes, b"executor@0.1.0", b"executor@0.2.0");
    let file = host.at("newer.wasm");
    std::fs::write(&file, newer).unwrap();
    let ended = host
        .bashgate(["plugin", "check", "--json"])
        .args([&file])
        .run();
    ended.assert_code(1);
    let problems = ended.json()["problems"].to_string();
    for word in ["executor", "0.2.0", "0.1"] {
        assert!(
            problems.contains(word),
            "nothing about `{word}`: {problems}"
        );
    }
}

/// Replaces all of one text by another of the same length.
fn replace(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut replaced = bytes.to_vec();
    let places: Vec<usize> = bytes
        .windows(old.len())
        .enumerate()
        .filter(|(_, window)| *window == old)
        .map(|(at, _)| at)
        .collect();
    assert!(!places.is_empty());
    for at in places {
        replaced[at..at + new.len()].copy_from_slice(new);
    }
    replaced
}
