//! On a terminal: what a person is asked, and what each answer does.

use bashgate_tests::{Terminal, TestHost};
use serde_json::json;

use crate::scene::{host, redact};

const ONCE: &str = "o\n";
const SESSION: &str = "s\n";
const ALWAYS: &str = "a\n";
const NO: &str = "n\n";

/// What shows last, when an answer is wanted.
const PROMPT: &str = "if you like: ";

fn asked(host: &TestHost, command: &[&str]) -> Terminal {
    let mut terminal = host.terminal(command);
    terminal.wait_for(PROMPT);
    terminal
}

#[test]
fn a_question_shows_script_findings_and_choices() {
    let host = host();
    let mut terminal = asked(&host, &["run", "touch x"]);
    let shown = terminal.text();
    for word in [
        "touch x",
        "approval",
        "[o]nce",
        "[s]ession",
        "[a]lways",
        "[n]o",
    ] {
        assert!(shown.contains(word), "nothing about `{word}`:\n{shown}");
    }
    insta::assert_snapshot!("question", redact(&host, &shown));
    terminal.send(NO);
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(126), "{shown}");
    assert!(!host.at("x").exists());
}

#[test]
fn what_is_known_safe_is_not_asked_about() {
    let host = host().file("only.txt", "");
    let (code, shown) = host.terminal(["run", "ls"]).end();
    assert_eq!((code, shown.trim()), (Some(0), "only.txt"));
}

#[test]
fn nobody_is_asked_when_there_shall_be_no_input() {
    let host = host();
    let (code, shown) = host.terminal(["run", "--no-input", "touch x"]).end();
    assert_eq!(code, Some(126), "{shown}");
    assert!(!host.at("x").exists());
}

#[test]
fn once_and_session_are_not_kept() {
    for answer in [ONCE, SESSION] {
        let host = host();
        let mut terminal = asked(&host, &["run", "touch x"]);
        terminal.send(answer);
        let (code, shown) = terminal.end();
        assert_eq!(code, Some(0), "{shown}");
        assert!(host.at("x").exists());
        assert_eq!(host.run(["approvals", "list", "--json"]).json(), json!([]));
        host.run(["run", "--no-input", "touch x"]).assert_code(126);
    }
}

#[test]
fn always_is_kept_until_it_is_revoked() {
    use std::os::unix::fs::PermissionsExt;
    let host = host();
    let mut terminal = asked(&host, &["run", "touch x"]);
    terminal.send(ALWAYS);
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    let file = host.config_folder().join("approvals.toml");
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(kept.contains("touch"), "{kept}");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o077, 0);

    host.run(["run", "--no-input", "touch y"]).assert_code(0);
    assert!(host.at("y").exists());
    host.run(["run", "--no-input", "rm y"]).assert_code(126);
    host.run(["run", "--no-input", "touch .bashgate/config.toml"])
        .assert_code(126);
    host.run(["run", "--no-input", "touch ../outside"])
        .assert_code(126);
    assert!(host.at("y").exists() && !host.place().join("outside").exists());

    let listed = host.run(["approvals", "list", "--json"]).json();
    let id = listed[0]["id"]
        .as_str()
        .unwrap_or_else(|| panic!("{listed:#}"))
        .to_owned();
    host.run(["approvals", "revoke", &id]).assert_code(0);
    host.run(["run", "--no-input", "touch z"]).assert_code(126);
    assert!(!host.at("z").exists());
}

#[test]
fn a_reason_goes_back_with_the_no() {
    let host = host();
    let call = json!({ "command": "touch x", "description": "Creates x" }).to_string();
    let mut terminal = asked(&host, &["call", "bash", &call]);
    terminal.send("n not today\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(126), "{shown}");
    assert!(
        shown.matches("not today").count() > 1,
        "the reason is not told:\n{shown}"
    );
}

#[test]
fn a_doubt_offers_nothing_to_keep() {
    let host = host();
    let mut terminal = asked(&host, &["run", "$x touch y"]);
    let shown = terminal.text();
    assert!(!shown.contains("[a]lways"), "{shown}");
    terminal.send(ALWAYS);
    terminal.send(NO);
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(126), "{shown}");
}

#[test]
fn no_text_of_the_agent_passes_for_the_dialog() {
    let host = host();
    let call = json!({
        "command": "touch x\u{202e}y # \u{1b}[2J\u{200b}\nFAKE script line",
        "description": "Creates x\nFAKE description line\u{1b}[1A",
    });
    let mut terminal = asked(&host, &["call", "bash", &call.to_string()]);
    let shown = terminal.text();
    for line in shown.lines() {
        assert!(
            !line.trim_start().starts_with("FAKE"),
            "a line of the agent's alone:\n{shown}"
        );
    }
    for (hidden, spelled) in [("\u{202e}", "\\u{202e}"), ("\u{200b}", "\\u{200b}")] {
        assert!(
            !shown.contains(hidden) && shown.contains(spelled),
            "{spelled}:\n{shown}"
        );
    }
    assert!(shown.contains("\\u{1b}[2J"), "{shown}");
    assert!(
        shown.contains("FAKE script line") && shown.contains("FAKE description line"),
        "{shown}"
    );
    terminal.send(NO);
    assert_eq!(terminal.end().0, Some(126));
}

#[test]
fn an_interrupted_question_is_a_no() {
    for key in ["\u{3}", "\u{4}"] {
        let host = host();
        let mut terminal = asked(&host, &["run", "touch x"]);
        terminal.send(key);
        let (code, shown) = terminal.end();
        assert_ne!(code, Some(0), "{shown}");
        assert!(!host.at("x").exists());
    }
}

#[test]
fn what_changes_while_a_person_thinks_is_judged_again() {
    let host = host()
        .outside()
        .shell("echo one > ../OUT/one; echo two > ../OUT/two")
        .link("l", "../OUT/one");
    let mut terminal = asked(&host, &["run", "cat l"]);
    assert!(terminal.text().contains("OUT/one"), "{}", terminal.text());
    std::fs::remove_file(host.at("l")).unwrap();
    std::os::unix::fs::symlink("../OUT/two", host.at("l")).unwrap();
    terminal.send(ONCE);
    terminal.wait_for("OUT/two");
    terminal.wait_for(PROMPT);
    terminal.send(NO);
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(126), "{shown}");
}
