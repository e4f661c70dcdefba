//! The invariants of the architecture, each held by a test: first those that
//! the running command shows, then, in [`source`], those that its source does.

mod source;

use serde_json::{Value, json};

use crate::scene::{arguments, explain, host};

#[test]
fn guests_import_exactly_what_their_world_names() {
    let listed = host().run(["plugin", "list", "--json"]).json();
    let imports = |name: &str| -> Vec<String> {
        let all = listed.as_array().unwrap();
        let one = all.iter().find(|one| one["name"] == name).unwrap();
        let imports = one["imports"].as_array().unwrap().iter();
        let mut names: Vec<String> = imports
            .map(|import| import.as_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(imports("analyzer"), ["bashgate:analyzer/workspace@0.1.0"]);
    assert_eq!(imports("interceptor"), [""; 0]);
    assert_eq!(imports("approval"), [""; 0]);
    assert_eq!(
        imports("bash-tool"),
        ["bashgate:tool/executor@0.1.0", "bashgate:tool/log@0.1.0"]
    );
}

#[test]
fn the_bytes_that_were_judged_are_the_bytes_that_run() {
    // The script prints what the shell was given.
    let show = "tr '\\0' '\\n' </proc/$$/cmdline";
    for rest in [
        "",
        " # 'quoted' \"$x\" `y`",
        "; : \u{200b}\u{202e}ü€🙂",
        "\n\n\t: end\n\n",
        "; :\r\n:",
    ] {
        let script = format!("{show}{rest}");
        let host = host();
        let judged = explain(&host, &script)["script"]
            .as_str()
            .unwrap()
            .to_owned();
        let ended = host.run(["call", "--json", "--yes", "bash", &arguments(&script)]);
        let answer = ended.json();
        let ran = answer["structured"]["output"]["text"]
            .as_str()
            .unwrap_or_default();
        let wanted = judged.replace('\u{202e}', "");
        let ran_plain = ran.replace('\u{202e}', "");
        assert!(
            ran_plain.contains(&wanted),
            "judged {judged:?}, ran {ran:?}"
        );
    }
}

#[test]
fn a_blank_script_runs_and_a_doubt_is_never_allowed_silently() {
    let host = host();
    for (script, decision) in [
        ("", "allow"),
        ("  \n\t\n", "allow"),
        ("# only words", "allow"),
        ("$x", "ask"),
        ("eval \"$x\"", "ask"),
        ("echo \"unfinished", "ask"),
        (")", "ask"),
    ] {
        let explained = explain(&host, script);
        assert_eq!(explained["decision"], decision, "{script:?}: {explained:#}");
        let doubts = explained["doubts"].as_array().unwrap();
        assert_eq!(
            doubts.is_empty(),
            decision == "allow",
            "{script:?}: {explained:#}"
        );
    }
}

#[test]
fn a_receipt_claims_no_more_than_what_held() {
    for mode in ["read-only", "workspace-write", "full-access"] {
        let host = host().config(&format!("sandbox = {mode:?}\n"));
        let ended = host.run([
            "call",
            "--json",
            "--yes",
            "bash",
            &arguments("touch ../outside x"),
        ]);
        let receipt = &ended.json()["structured"]["receipt"];
        let wrote_outside = host.place().join("outside").exists();
        let wrote_inside = host.at("x").exists();
        let broken = match mode {
            "read-only" => wrote_outside || wrote_inside,
            "workspace-write" => wrote_outside,
            _ => false,
        };
        let claimed = receipt["sandbox"]
            .as_str()
            .is_some_and(|sandbox| sandbox.contains(mode))
            && receipt["not_enforced"] == json!([]);
        assert!(
            !(broken && claimed),
            "{mode} was claimed and not held: {receipt:#}"
        );
    }
    let required = host().config("sandbox = \"read-only\"\nsandbox_required = true\n");
    let ended = required.run(["run", "--yes", "touch x"]);
    assert!(
        ended.code != Some(0) && !required.at("x").exists(),
        "{ended:#?}"
    );
}

#[test]
fn a_receipt_lists_what_was_withheld() {
    let host = host().env("ACME_TOKEN", "t-0001").env("LD_PRELOAD", "");
    let ended = host.run(["call", "--json", "--yes", "bash", &arguments("env")]);
    let answer = ended.json();
    let withheld = answer["structured"]["receipt"]["withheld_variables"]
        .as_array()
        .unwrap();
    for name in ["ACME_TOKEN", "LD_PRELOAD"] {
        assert!(
            withheld.contains(&json!(name)),
            "{name} is not listed: {answer:#}"
        );
    }
    assert!(!ended.stdout.contains("t-0001"));
}

#[test]
fn explaining_twice_gives_the_same_answer() {
    let host = host().git().file("a", "").link("l", "/etc/passwd");
    for script in [
        "ls",
        "cat l a",
        "git push -f; rm -rf .",
        "for x in a b; do $x; done | tee out",
    ] {
        let once = explain(&host, script);
        assert_eq!(once, explain(&host, script), "{script}");
        let verdicts: Vec<&Value> = once["verdicts"].as_array().unwrap().iter().collect();
        assert!(!verdicts.is_empty(), "{script}: nobody judged");
    }
}

#[test]
fn nothing_of_a_call_is_left_running() {
    let host = host();
    let script = "setsid sleep 61.3001 & sleep 61.3002 & (sleep 61.3003 &) ; echo started";
    let ended = host.run(["call", "--yes", "bash", &arguments(script)]);
    ended.assert_code(0);
    assert!(ended.stdout.contains("started"));
    assert!(
        ended
            .stdout
            .contains("[left running, ended with this call: "),
        "{}",
        ended.stdout
    );
    let left = bashgate_tests::processes::with("61.300");
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn hostile_scripts_get_an_answer() {
    let deep = 20_000;
    for (what, script) in [
        (
            "substitutions",
            format!("echo {}true{}", "$(".repeat(deep), ")".repeat(deep)),
        ),
        ("commands", "echo a;".repeat(100_000)),
        (
            "groups",
            format!("{}true{}", "{ ".repeat(deep), "; }".repeat(deep)),
        ),
        ("open quotes", "\"$(".repeat(deep)),
        ("words", format!("echo {}", "a ".repeat(200_000))),
        ("here-documents", "cat <<E\n".repeat(5_000)),
        ("pipes", format!("true{}", " | true".repeat(deep))),
    ] {
        let host = host();
        let ended = host
            .bashgate(["explain", "--json", "-"])
            .stdin(script.as_str())
            .run();
        assert!(
            matches!(ended.code, Some(0 | 3)),
            "{what}: {:?} {}",
            ended.code,
            ended.stderr
        );
        let explained = ended.json();
        let doubts = explained["doubts"].as_array().unwrap();
        let answered = !doubts.is_empty() || explained["decision"] == "allow";
        assert!(answered, "{what}: neither allowed nor doubted");
        let unavailable = doubts
            .iter()
            .any(|doubt| doubt["kind"] == "analyzer-unavailable");
        assert!(
            !unavailable,
            "{what}: the analyzer broke instead of saying too complex"
        );
    }
}
