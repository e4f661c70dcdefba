//! The configuration: what is wrong is named with its line, and nothing runs;
//! what is right takes effect.

use bashgate_tests::TestHost;

use crate::scene::{arguments, explain, host};

#[track_caller]
fn assert_refused(host: &TestHost, said: &[&str]) {
    let ended = host.run(["run", "--yes", "touch M"]);
    ended.assert_code(125);
    assert_eq!(ended.stdout, "");
    for word in said {
        assert!(
            ended.stderr.contains(word),
            "nothing about `{word}`: {}",
            ended.stderr
        );
    }
    assert!(!host.at("M").exists());
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    for (config, said) in [
        ("mode = \"never\"\nnonsense = 1\n", &["nonsense", "2"][..]),
        ("[timeout]\n\ndefault_m = 1\n", &["default_m", "3"]),
        ("\n\nmode = \"sometimes\"\n", &["sometimes", "3"]),
        ("[timeout]\ndefault_ms = \"x\"\n", &["default_ms", "2"]),
        ("[timeout]\ndefault_ms = -1\n", &["default_ms", "2"]),
        ("[rules\n", &["1"]),
        (
            "[rules]\nallow = [\"ls *\"]\ndeny = [\"git:*\"]\n",
            &["git:*", "3"],
        ),
        (
            "[rules]\nallow = [\"Bash(git push:*)\"]\n",
            &["Bash(git push:*)", "2"],
        ),
        ("[rules]\nask = [\"\"]\n", &["ask", "2"]),
        ("[rules]\nask = [\"echo 'x\"]\n", &["echo 'x", "2"]),
        (
            "[[interceptor.rule]]\npattern = '(['\ntool = \"read\"\nmessage = \"m\"\n",
            &["([", "2"],
        ),
        ("[[plugin]]\nname = \"p\"\n", &["component"]),
        ("[shell]\nprogram = \"/usr/bin/fish\"\n", &["fish"]),
    ] {
        assert_refused(&host().config(config), said);
        assert_refused(&host().user_config(config), said);
    }
}

#[test]
fn a_configuration_that_is_named_must_be_there() {
    let host = host();
    let ended = host.run(["run", "--yes", "--config", "nope.toml", "touch M"]);
    ended.assert_code(125);
    assert!(ended.stderr.contains("nope.toml"), "{}", ended.stderr);
    assert!(!host.at("M").exists());
}

#[test]
fn the_project_may_tighten_and_not_loosen() {
    for (config, said) in [
        ("[rules]\nallow = [\"touch *\"]\n", "allow"),
        ("protected_paths = []\n[rules]\nallow = [\"*\"]\n", "allow"),
        ("[timeout]\nmax_ms = 999999999\n", "timeout"),
        ("[environment]\npass = [\"X\"]\n", "environment"),
        ("[shell]\nprefix = \"touch M;\"\n", "shell"),
        (
            "[[plugin]]\nname = \"p\"\ncomponent = \"p.wasm\"\nmay_allow = true\n",
            "plugin",
        ),
    ] {
        assert_refused(
            &host().project_config(config),
            &[said, ".bashgate/config.toml"],
        );
    }
    let tightened = host().project_config("[rules]\ndeny = [\"ls *\"]\n");
    assert_eq!(explain(&tightened, "ls")["decision"], "deny");
    let tightened = host().project_config("mode = \"never\"\n");
    assert_eq!(explain(&tightened, "touch x")["decision"], "deny");
}

#[test]
fn settings_are_taken_from_the_command_line() {
    let host = host();
    let ended = host.run(["run", "--yes", "--set", "mode=never", "touch x"]);
    ended.assert_code(126);
    assert!(!host.at("x").exists());
    for set in ["nonsense=1", "mode", "mode=sometimes"] {
        let ended = host.run(["run", "--yes", "--set", set, "touch x"]);
        ended.assert_code(125);
        assert!(!host.at("x").exists(), "{set}");
    }
}

#[test]
fn rules_allow_ask_and_deny() {
    let rules = "[rules]\nallow = [\"touch *\"]\nask = [\"ls *\"]\ndeny = [\"touch no*\"]\n";
    let host = host().config(rules);
    host.run(["run", "--no-input", "touch yes"]).assert_code(0);
    host.run(["run", "--no-input", "touch no"]).assert_code(126);
    host.run(["run", "--no-input", "ls"]).assert_code(126);
    host.run(["run", "--no-input", "touch yes2; touch no2"])
        .assert_code(126);
    assert!(host.at("yes").exists());
    for name in ["no", "yes2", "no2"] {
        assert!(!host.at(name).exists(), "{name}");
    }
}

#[test]
fn a_non_zero_exit_is_an_error_where_the_operator_says_so() {
    for (config, wanted) in [
        ("", false),
        ("[tool]\nnonzero_exit_is_error = true\n", true),
    ] {
        let ended =
            host()
                .config(config)
                .run(["call", "--json", "--yes", "bash", &arguments("exit 3")]);
        ended.assert_code(3);
        assert_eq!(ended.json()["is_error"], wanted, "{config}");
    }
}

#[test]
fn protected_paths_are_denied_and_the_setting_named() {
    let host = host().git();
    let ended = host.run(["run", "--yes", "touch .git/hooks/pre-commit"]);
    ended.assert_code(126);
    assert!(ended.said().contains("protected_paths"), "{}", ended.said());
    assert!(!host.at(".git/hooks/pre-commit").exists());
    let open = host.config("protected_paths = []\n");
    open.run(["run", "--yes", "touch .git/hooks/pre-commit"])
        .assert_code(0);
}
