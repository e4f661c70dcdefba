//! Guests that behave: beside the built-in ones and in their place, by
//! configuration alone. The strictest wins.

use std::time::Duration;

use serde_json::{Value, json};

use crate::scene::{arguments, explain, host, in_place_of, plugin, verdict_of};

/// A program that no guest knows, so that nobody but a plugin vouches for it.
const UNKNOWN: &str = "nosuchcommand_x";

#[test]
fn the_strictest_verdict_wins() {
    let allow = plugin("allow-all", "may_allow = true");
    let allow_uninvited = plugin("allow-all", "may_allow = false");
    let (ask, deny) = (plugin("ask-all", ""), plugin("deny-all", ""));
    let traps = plugin("traps", "");
    for (plugins, script, wanted) in [
        (vec![], "ls", "allow"),
        (vec![&ask], "ls", "ask"),
        (vec![&deny], "ls", "deny"),
        (vec![&ask, &deny], "ls", "deny"),
        (vec![&deny, &allow], "ls", "deny"),
        (vec![&allow, &ask], "ls", "ask"),
        (vec![&allow, &traps], "ls", "ask"),
        (vec![], UNKNOWN, "ask"),
        (vec![&allow_uninvited], UNKNOWN, "ask"),
        (vec![&allow], UNKNOWN, "allow"),
        (vec![&allow, &deny], UNKNOWN, "deny"),
    ] {
        let config: String = plugins.into_iter().map(String::as_str).collect();
        let explained = explain(&host().config(&config), script);
        assert_eq!(
            explained["decision"], wanted,
            "{script} with\n{config}{explained:#}"
        );
    }
}

#[test]
fn no_plugin_lifts_a_rule() {
    let config = format!(
        "[rules]\ndeny = [\"touch *\"]\n{}",
        plugin("allow-all", "may_allow = true")
    );
    let host = host().config(&config);
    host.run(["run", "--yes", "touch x"]).assert_code(126);
    assert!(!host.at("x").exists());
}

#[test]
fn no_guest_lifts_a_doubt() {
    let host = host().config(&in_place_of("approval", "allow-all"));
    assert_eq!(explain(&host, "touch x")["decision"], "allow");
    for script in ["eval \"$x\"", "$x", "ls \"unfinished"] {
        let explained = explain(&host, script);
        assert_eq!(explained["decision"], "ask", "{script}: {explained:#}");
    }
    host.run(["run", "--no-input", "touch x; eval \"$y\""])
        .assert_code(126);
    assert!(!host.at("x").exists());
}

#[test]
fn a_shadow_judges_without_effect() {
    let host = host().config(&plugin("deny-all", "shadow = true"));
    assert_eq!(explain(&host, "ls")["decision"], "allow");
    host.run(["run", "--no-input", "ls"]).assert_code(0);
}

#[test]
fn a_rewriting_is_judged_and_run() {
    let host = host().file("f", "").config(&plugin("rewrites", ""));
    let ended = host.run(["run", "--no-input", "ls"]);
    ended.assert_code(0);
    assert_eq!(ended.stdout.trim_end(), "rewritten");
    // What is asked about stays so, whatever a guest makes of it.
    host.run(["run", "--no-input", "touch x"]).assert_code(126);
    assert!(!host.at("x").exists());
    let denied = format!("[rules]\ndeny = [\"echo *\"]\n{}", plugin("rewrites", ""));
    let host = host.config(&denied);
    host.run(["run", "--yes", "ls"]).assert_code(126);
}

#[test]
fn a_second_rewriting_means_ask() {
    let host = host().config(&plugin("rewrites-again", ""));
    assert_eq!(explain(&host, "echo once")["decision"], "ask");
    host.run(["run", "--no-input", "echo once"])
        .assert_code(126);
    let two = format!("{}{}", plugin("rewrites", ""), plugin("rewrites-again", ""));
    let ended = host.config(&two).run(["run", "--no-input", "echo once"]);
    ended.assert_code(126);
}

#[test]
fn the_memory_of_a_guest_does_not_survive_a_call() {
    // A rewriting is judged again, so this guest is called twice in one run.
    let two = format!("{}{}", plugin("rewrites", ""), plugin("remembers", ""));
    let ended = host().config(&two).run(["run", "--no-input", "ls"]);
    ended.assert_code(0);
    assert_eq!(ended.stdout.trim_end(), "rewritten");
}

#[test]
fn another_approval_guest_takes_effect_by_configuration_alone() {
    let host = host().config(&in_place_of("approval", "deny-all"));
    let explained = explain(&host, "ls");
    assert_eq!(explained["decision"], "deny");
    assert!(
        explained.to_string().contains("says deny-all"),
        "{explained:#}"
    );
    host.run(["run", "--yes", "touch x"]).assert_code(126);
    assert!(!host.at("x").exists());
}

#[test]
fn another_tool_guest_takes_effect_by_configuration_alone() {
    let host = host().config(&in_place_of("tool", "other-tool"));
    let tools = host.run(["tools"]).json();
    let names: Vec<&Value> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["name"])
        .collect();
    assert_eq!(names, ["sh"]);
    let ended = host.run(["call", "--no-input", "sh", r#"{"cmd":"echo hi"}"#]);
    ended.assert_code(0);
    assert_eq!(ended.stdout.trim_end(), "sh: hi");
    let ended = host.run(["call", "--no-input", "sh", r#"{"cmd":"touch x"}"#]);
    ended.assert_code(126);
    assert!(ended.said().contains("sh refused"), "{ended:#?}");
    host.run(["call", "--yes", "bash", &arguments("touch x")])
        .assert_code(125);
    host.run(["call", "--yes", "sh", r#"{"cm":"touch x"}"#])
        .assert_code(125);
    assert!(!host.at("x").exists());
}

#[test]
fn a_tool_guest_sees_no_more_than_the_cut_text() {
    let most = 4096;
    let config = format!(
        "{}[output]\nmax_bytes = {most}\n",
        in_place_of("tool", "other-tool")
    );
    let host = host().config(&config);
    let ended = host.run(["call", "--yes", "sh", r#"{"cmd":"seq 1 200000"}"#]);
    ended.assert_code(0);
    // This guest gives back all that it was given.
    assert!(ended.stdout.contains("199999"), "{}", ended.stdout);
    let given = ended.stdout.len();
    assert!(given > most / 2 && given < most + 100, "{given}");
}

#[test]
fn a_tool_guest_that_never_answers_is_ended() {
    let host = host().config(&in_place_of("tool", "tool-loops"));
    let ended = host
        .bashgate(["call", "--yes", "bash", &arguments("touch x")])
        .limit(Duration::from_secs(20))
        .run();
    ended.assert_code(125);
    assert!(ended.said().contains("tool-loops"), "{}", ended.said());
}

#[test]
fn no_analyzer_no_allow() {
    for (analyzer, doubt) in [
        ("analyzer-traps", "analyzer-unavailable"),
        ("analyzer-other-script", "analyzer-unavailable"),
        ("analyzer-blank", "nothing-found"),
    ] {
        let config = format!(
            "{}{}",
            in_place_of("analyzer", analyzer),
            plugin("allow-all", "may_allow = true")
        );
        let host = host().config(&config);
        let explained = explain(&host, "ls");
        assert_eq!(explained["decision"], "ask", "{analyzer}: {explained:#}");
        let kinds: Vec<&Value> = explained["doubts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|doubt| &doubt["kind"])
            .collect();
        assert_eq!(kinds, [&json!(doubt)], "{analyzer}");
        host.run(["run", "--no-input", "touch x"]).assert_code(126);
        assert!(!host.at("x").exists());
    }
}

#[test]
fn a_deny_rule_holds_without_an_analyzer() {
    let config = format!(
        "[rules]\ndeny = [\"touch *\"]\n{}",
        in_place_of("analyzer", "analyzer-traps")
    );
    let host = host().config(&config);
    let explained = explain(&host, "touch x");
    assert_eq!(explained["decision"], "deny", "{explained:#}");
}

#[test]
fn a_finding_of_a_plugin_reaches_the_refusal() {
    let host = host().config(&plugin("ask-all", ""));
    let explained = explain(&host, "ls");
    let verdict = verdict_of(&explained, "ask-all").unwrap();
    assert_eq!(verdict["findings"][0]["message"], "says ask-all");
    let ended = host.run(["run", "--no-input", "ls"]);
    ended.assert_code(126);
    for word in ["ask-all", "says ask-all"] {
        assert!(ended.said().contains(word), "{}", ended.said());
    }
}
