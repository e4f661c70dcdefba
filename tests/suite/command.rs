//! The command line: what each sub-command prints, where, and how it ends.

use std::time::Duration;

use bashgate_tests::guests;
use serde_json::{Value, json};

use crate::scene::{BASHGATE, arguments, explain, host, redact};

#[test]
fn what_is_known_safe_runs_unasked() {
    let host = host().file("a.txt", "").file("b.txt", "");
    let ended = host.run(["run", "--no-input", "ls"]);
    ended.assert_code(0);
    assert_eq!(ended.stdout.trim_end(), "a.txt\nb.txt");
}

#[test]
fn what_is_not_known_safe_needs_a_person() {
    let host = host();
    let ended = host.run(["run", "--no-input", "touch x"]);
    ended.assert_code(126);
    assert!(!host.at("x").exists());
    let said = ended.said();
    for word in ["approval", "rules", "allow"] {
        assert!(said.contains(word), "nothing about `{word}`: {said}");
    }
    insta::assert_snapshot!("denied_because_nobody_is_there", redact(&host, &said));

    host.run(["run", "--yes", "touch x"]).assert_code(0);
    assert!(host.at("x").exists());
}

#[test]
fn without_a_terminal_nobody_is_there() {
    let host = host();
    host.run(["run", "touch x"]).assert_code(126);
    host.run(["call", "bash", &arguments("touch x")])
        .assert_code(126);
    assert!(!host.at("x").exists());
}

#[test]
fn yes_does_not_lift_a_deny() {
    let host = host().config("[rules]\ndeny = [\"touch *\"]\n");
    for command in [
        vec!["run", "--yes", "touch x"],
        vec!["call", "--yes", "bash", &arguments("touch x")],
    ] {
        let ended = host.run(command);
        ended.assert_code(126);
        assert!(
            ended.said().contains("touch *"),
            "the rule is not named: {}",
            ended.said()
        );
    }
    assert!(!host.at("x").exists());
}

#[test]
fn exit_codes_are_those_of_the_script() {
    let fast = [
        "--set",
        "timeout.min_ms=100",
        "--set",
        "timeout.default_ms=300",
    ];
    for (script, more, code) in [
        ("true", &[][..], 0),
        ("exit 7", &[], 7),
        ("false", &[], 1),
        ("exit 126", &[], 126),
        ("kill -9 $$", &[], 137),
        ("kill -TERM $$", &[], 143),
        ("sleep 61.2001", &fast, 124),
    ] {
        let host = host();
        let run = host
            .bashgate(["run", "--yes"])
            .args(more)
            .args([script])
            .run();
        assert_eq!(run.code, Some(code), "run {script}: {run:#?}");
        let call = host
            .bashgate(["call", "--yes"])
            .args(more)
            .args(["bash", &arguments(script)])
            .run();
        assert_eq!(call.code, Some(code), "call {script}: {call:#?}");
    }
    assert_eq!(bashgate_tests::processes::with("61.2001"), [""; 0]);
}

#[test]
fn a_call_prints_text_or_json() {
    let host = host();
    let text = host.run(["call", "bash", &arguments("echo hi")]);
    text.assert_code(0);
    assert_eq!(text.stdout.trim_end(), "hi");

    let from_stdin = host
        .bashgate(["call", "bash", "-", "--json"])
        .stdin(arguments("echo hi; exit 3"))
        .run();
    from_stdin.assert_code(3);
    let answer = from_stdin.json();
    assert_eq!(keys(&answer), ["is_error", "structured", "text"]);
    assert_eq!(answer["text"], "hi\n[exit code: 3]");
    assert_eq!(answer["is_error"], false);
    assert_eq!(answer["structured"]["output"]["text"], "hi\n");
    assert_eq!(answer["structured"]["exit_code"], 3);
    assert_eq!(
        answer["structured"]["receipt"]["workdir"],
        host.ws().display().to_string()
    );
}

#[test]
fn a_refused_call_says_so_in_every_form() {
    let host = host();
    let ended = host.run([
        "call",
        "--json",
        "--no-input",
        "bash",
        &arguments("touch x"),
    ]);
    ended.assert_code(126);
    let answer = ended.json();
    assert_eq!(answer["is_error"], true);
    let denied = &answer["structured"]["denied"];
    let message = denied["message"].as_str().unwrap_or_default();
    assert!(message.contains("approval"), "{answer:#}");
    assert!(
        denied["findings"]
            .as_array()
            .is_some_and(|all| !all.is_empty()),
        "{answer:#}"
    );
    assert!(
        answer["text"]
            .as_str()
            .is_some_and(|text| text.contains(message)),
        "{answer:#}"
    );
    assert!(!host.at("x").exists());
}

#[test]
fn a_better_tool_is_suggested_where_the_agent_has_it() {
    let host = host().file("f", "x\n");
    let with = [
        "call",
        "--json",
        "--no-input",
        "--agent-tools",
        "read,grep",
        "bash",
    ];
    let ended = host.bashgate(with).args([arguments("cat f")]).run();
    ended.assert_code(126);
    let denied = ended.json()["structured"]["denied"].clone();
    assert!(
        denied["message"]
            .as_str()
            .is_some_and(|text| text.contains("Blocked: ")),
        "{denied:#}"
    );
    assert_eq!(denied["suggestion"]["tool"], "read", "{denied:#}");
    assert!(denied["suggestion"]["arguments"].is_object(), "{denied:#}");

    let without = host.run(["call", "--no-input", "bash", &arguments("cat f")]);
    without.assert_code(0);
    assert_eq!(without.stdout.trim_end(), "x");
}

#[test]
fn calls_that_do_not_fit_run_nothing() {
    let nul = json!({ "command": "touch M\0", "description": "d" }).to_string();
    let negative =
        json!({ "command": "touch M", "description": "d", "timeout_ms": -1 }).to_string();
    let missing =
        json!({ "command": "touch M", "description": "d", "workdir": "nope" }).to_string();
    let file = json!({ "command": "touch M", "description": "d", "workdir": "f" }).to_string();
    for (tool, given, said) in [
        ("nosuchtool", arguments("touch M").as_str(), "nosuchtool"),
        ("bash", r#"{"description":"d"}"#, "command"),
        ("bash", r#"{"command":"touch M"}"#, "description"),
        ("bash", r#"["touch M"]"#, "object"),
        ("bash", r#"{"command": touch M}"#, "JSON"),
        ("bash", "", "JSON"),
        ("bash", negative.as_str(), "timeout_ms"),
        ("bash", missing.as_str(), "nope"),
        ("bash", file.as_str(), "director"),
        ("bash", nul.as_str(), "NUL"),
    ] {
        let host = host().file("f", "");
        let ended = host
            .bashgate(["call", "--yes", tool, "-"])
            .stdin(given)
            .run();
        ended.assert_code(125);
        assert!(
            ended.said().contains(said),
            "{given}: nothing about `{said}`: {}",
            ended.said()
        );
        assert!(!host.at("M").exists() && !host.at("nope").exists());
    }
}

#[test]
fn usage_errors_end_with_125() {
    for command in [
        &["nosuchcommand"][..],
        &["run"],
        &["run", "--nosuchoption", "touch M"],
        &["run", "--yes", "--workdir", "nope", "touch M"],
        &["run", "--yes", "--root", "nope", "touch M"],
        &["run", "--yes", "touch M", "too", "many"],
        &["explain", "--workdir", "nope", "touch M"],
        &["call", "bash"],
        &["plugin", "nosuchverb"],
        &["approvals", "revoke", "nosuchid"],
    ] {
        let host = host();
        let ended = host.run(command);
        assert_eq!(ended.code, Some(125), "{command:?}: {ended:#?}");
        assert_eq!(ended.stdout, "", "{command:?}");
        assert!(!ended.stderr.is_empty(), "{command:?} says nothing");
        assert!(!host.at("M").exists(), "{command:?}");
    }
}

#[test]
fn help_and_version_end_well() {
    for option in ["--help", "--version"] {
        let ended = host().run([option]);
        ended.assert_code(0);
        assert!(ended.stdout.contains("bashgate"), "{ended:#?}");
    }
}

#[test]
fn explain_says_what_would_be_decided() {
    let host = host().config("[rules]\ndeny = [\"rm *\"]\n");
    for (script, decision, code) in [
        ("ls", "allow", 0),
        ("touch x", "ask", 3),
        ("rm x", "deny", 4),
        ("", "allow", 0),
    ] {
        let ended = host.run(["explain", "--json", script]);
        ended.assert_code(code);
        assert_eq!(ended.json()["decision"], decision, "{script}");
        let given = host
            .bashgate(["explain", "--json", "-"])
            .stdin(script)
            .run();
        assert_eq!(
            given.stdout, ended.stdout,
            "{script}: given on standard input"
        );
    }
    assert!(!host.at("x").exists());
}

#[test]
fn explain_lists_every_unit_and_effect() {
    let host = host().git();
    let script = "cd /tmp && echo \"$(touch M)\" > out; git push --force";
    let explained = explain(&host, script);
    for key in [
        "decision", "doubts", "effects", "script", "units", "verdicts",
    ] {
        assert!(explained.get(key).is_some(), "no `{key}` in {explained:#}");
    }
    assert_eq!(explained["decision"], "ask");
    assert_eq!(explained["script"], script);
    let units = explained["units"].as_array().unwrap();
    let words: Vec<&Value> = units.iter().map(|unit| &unit["words"]).collect();
    for wanted in [
        json!(["cd", "/tmp"]),
        json!(["echo", null]),
        json!(["touch", "M"]),
        json!(["git", "push", "--force"]),
    ] {
        assert!(words.contains(&&wanted), "no unit {wanted}: {explained:#}");
    }
    let touch = units
        .iter()
        .find(|unit| unit["words"] == json!(["touch", "M"]))
        .unwrap();
    assert_eq!(touch["context"], "command-substitution");
    assert_eq!(touch["workdir"], "/tmp");
    for unit in units {
        for key in ["text", "words", "context", "workdir"] {
            assert!(unit.get(key).is_some(), "no `{key}` in {unit}");
        }
    }
    let out = explained["effects"]
        .as_array()
        .unwrap()
        .iter()
        .find(|effect| effect["access"] == "write" && effect["path"] == "/tmp/out");
    assert!(
        out.is_some_and(|effect| effect["zone"] != "workspace"),
        "{explained:#}"
    );
    assert!(!std::path::Path::new("/tmp/M").exists() && !host.at("M").exists());

    let shown = host.run(["explain", script]);
    shown.assert_code(3);
    insta::assert_snapshot!("explain", redact(&host, &shown.stdout));
}

#[test]
fn verdicts_name_guest_version_and_digest() {
    let explained = explain(&host(), "touch x");
    for verdict in explained["verdicts"].as_array().unwrap() {
        let text = |key: &str| verdict[key].as_str().unwrap_or_default().to_owned();
        assert!(
            !text("guest").is_empty() && !text("version").is_empty(),
            "{verdict}"
        );
        assert!(
            text("digest").starts_with("sha256:") && text("digest").len() == 71,
            "{verdict}"
        );
    }
}

#[test]
fn tools_are_listed_with_their_schema() {
    let ended = host().run(["tools"]);
    ended.assert_code(0);
    let tools = ended.json();
    let names: Vec<&Value> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["name"])
        .collect();
    assert_eq!(names, ["bash"]);
    assert!(ended.stdout.contains("\"command\"") && ended.stdout.contains("\"timeout_ms\""));
}

#[test]
fn plugins_are_listed() {
    let host = host();
    let ended = host.run(["plugin", "list", "--json"]);
    ended.assert_code(0);
    let listed = ended.json();
    let all = listed.as_array().unwrap();
    let mut names: Vec<&str> = all.iter().filter_map(|one| one["name"].as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["analyzer", "approval", "bash-tool", "interceptor"]);
    for one in all {
        for key in [
            "name", "version", "digest", "source", "world", "imports", "grants", "required",
            "health", "calls", "mean_us", "worst_us",
        ] {
            assert!(one.get(key).is_some(), "no `{key}` in {one}");
        }
        assert_eq!(one["source"], "built-in");
    }
    let shown = host.run(["plugin", "list"]);
    for name in names {
        assert!(shown.stdout.contains(name), "{}", shown.stdout);
    }
}

#[test]
fn a_file_is_checked_before_it_is_used() {
    let host = host()
        .file("empty", "")
        .file("text", "not wasm\n")
        .file("core", b"\0asm\x01\0\0\0");
    let check = |file: &std::path::Path| {
        let ended = host
            .bashgate(["plugin", "check", "--json"])
            .args([file])
            .run();
        (ended.code, ended.json())
    };
    for name in ["deny-all", "traps", "loops"] {
        let (code, answer) = check(&guests::path(name));
        assert_eq!(
            (code, &answer["fits"]),
            (Some(0), &json!(true)),
            "{name}: {answer:#}"
        );
        assert_eq!(
            keys(&answer),
            ["bytes", "digest", "fits", "imports", "problems", "world"]
        );
        assert_eq!(answer["digest"], crate::scene::digest(&guests::path(name)));
        assert_eq!(answer["imports"], json!([]));
    }
    let files = ["empty", "text", "core"].map(|name| host.at(name));
    for file in files.into_iter().chain([guests::path("no-world")]) {
        let (code, answer) = check(&file);
        assert_eq!(
            (code, &answer["fits"]),
            (Some(1), &json!(false)),
            "{file:?}: {answer:#}"
        );
        assert!(
            answer["problems"][0]
                .as_str()
                .is_some_and(|why| !why.is_empty()),
            "{answer:#}"
        );
    }
    host.run(["plugin", "check", "missing"]).assert_code(125);
}

#[test]
fn approvals_and_doctor_answer() {
    let host = host();
    let listed = host.run(["approvals", "list", "--json"]);
    listed.assert_code(0);
    assert_eq!(listed.json(), json!([]));
    host.run(["approvals", "list"]).assert_code(0);
    host.run(["approvals", "clear"]).assert_code(0);
    let doctor = host.run(["doctor"]);
    doctor.assert_code(0);
    for word in ["analyzer", "approval", "bash"] {
        assert!(
            doctor.stdout.contains(word),
            "nothing about `{word}`: {}",
            doctor.stdout
        );
    }
}

#[test]
fn standard_output_carries_the_result_alone() {
    // A plugin that is missing, and `-vv`, make the host say much elsewhere.
    let missing = "[[plugin]]\nname = \"gone\"\ncomponent = \"gone.wasm\"\nrequired = false\n";
    let (quiet, noisy) = (host(), host().config(missing));
    let call = ["call", "--json", "bash", &arguments("echo hi")];
    let plain = quiet.run(call);
    let traced = noisy
        .bashgate(call)
        .args(["-vv"])
        .env("RUST_LOG", "trace")
        .run();
    assert!(traced.stderr.contains("gone"), "{traced:#?}");
    let same_everywhere = |mut answer: Value| {
        answer["structured"]["duration_ms"] = Value::Null;
        answer["structured"]["receipt"]["workdir"] = Value::Null;
        answer
    };
    assert_eq!(
        same_everywhere(plain.json()),
        same_everywhere(traced.json())
    );
    let run = noisy.run(["run", "-vv", "echo hi"]);
    assert_eq!(run.stdout.trim_end(), "hi");
}

#[test]
fn a_directory_is_taken_from_the_command_line() {
    let host = host().dir("sub");
    let ended = host.run(["run", "--workdir", "sub", "pwd"]);
    ended.assert_code(0);
    assert_eq!(
        ended.stdout.trim_end(),
        host.at("sub").display().to_string()
    );
    let elsewhere = host
        .bashgate(["run", "--root"])
        .args([host.ws()])
        .args(["pwd"]);
    let ended = elsewhere.directory(&host.at("sub")).run();
    ended.assert_code(0);
}

#[test]
fn a_gate_within_a_gate_takes_no_answer() {
    let host = host();
    let inner = format!("{BASHGATE} run --yes 'touch x'");
    let explained = explain(&host, &inner);
    assert_ne!(explained["decision"], "allow", "{explained:#}");
    let ended = host
        .bashgate(["run", "--yes", &inner])
        .limit(Duration::from_secs(30))
        .run();
    assert_ne!(ended.code, Some(0), "{ended:#?}");
    assert!(!host.at("x").exists());
}

#[test]
fn output_over_the_limit_is_in_a_private_file() {
    use std::os::unix::fs::PermissionsExt;
    let host = host();
    let ended = host.run(["call", "--json", "--yes", "bash", &arguments("seq 1 9000")]);
    ended.assert_code(0);
    let answer = ended.json();
    let path = answer["structured"]["artifact"]["path"]
        .as_str()
        .unwrap()
        .to_owned();
    let all: String = (1..=9000).map(|number| format!("{number}\n")).collect();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), all);
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let file = std::path::Path::new(&path);
    assert_eq!((mode(file), mode(file.parent().unwrap())), (0o600, 0o700));
    assert!(
        file.starts_with(host.place().join("xdg/data/bashgate/tool-output")),
        "{path}"
    );
    let text = answer["text"].as_str().unwrap();
    assert!(
        text.starts_with("1\n2\n") && text.contains("\n9000\n"),
        "{text}"
    );
    assert_eq!(answer["structured"]["total_lines"], 9000);
}

#[test]
fn head_and_tail_count_lines_of_the_whole() {
    let host = host();
    for (limits, wanted) in [
        (json!({ "head": 2 }), "1\n2\n"),
        (json!({ "tail": 2 }), "8999\n9000\n"),
        (json!({ "head": 5000, "tail": 2 }), "4999\n5000\n"),
    ] {
        let mut given = json!({ "command": "seq 1 9000", "description": "Counts" });
        given
            .as_object_mut()
            .unwrap()
            .extend(limits.as_object().unwrap().clone());
        let ended = host.run(["call", "--json", "--yes", "bash", &given.to_string()]);
        ended.assert_code(0);
        assert_eq!(
            ended.json()["structured"]["output"]["text"],
            wanted,
            "{limits}"
        );
    }
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    keys
}
