//! Whole answers, from plans.

use bashgate_guest::policy::{Context, Execution, Operator};

use super::*;
use crate::plans::{Builder, ROOT, TOOLS, session};

/// The suggested tool and its arguments.
fn suggested(settings: &Settings, execution: &Execution, tools: &[&str]) -> Option<String> {
    match judge(settings, execution, &session(tools)) {
        Verdict::Deny(denial) => {
            let suggestion = denial.suggestion.unwrap();
            Some(format!("{} {}", suggestion.tool, suggestion.arguments))
        }
        _ => None,
    }
}

fn built_in(builder: Builder) -> Option<String> {
    suggested(&Settings::default(), &builder.execution(), TOOLS)
}

fn with_rule(rule: &str) -> Settings {
    Settings::parse(&format!(r#"{{"rule":[{rule}]}}"#)).unwrap()
}

const CURL: &str = r#"{"pattern":"^\\s*curl\\b","tool":"fetch","message":"Use the fetch tool."}"#;

#[test]
fn messages_say_what_why_and_the_fix() {
    let message = |text: &str, tools: &[&str], settings: &Settings| match judge(
        settings,
        &Builder::one(text).execution(),
        &session(tools),
    ) {
        Verdict::Deny(denial) => {
            let finding = denial.findings.into_iter().next().unwrap();
            format!("{}: {}", finding.rule, finding.message)
        }
        verdict => panic!("{verdict:?}"),
    };
    let plain = Settings::default();
    insta::assert_snapshot!(message("cat f", TOOLS, &plain), @r#"interceptor.file-viewer: Blocked: `cat f`. There is a tool that shows files. Call `read` instead: {"path":"f"}"#);
    insta::assert_snapshot!(message("sed -i s/a/b/ f", TOOLS, &plain), @r#"interceptor.in-place-edit: Blocked: `sed -i s/a/b/ f`. There is a tool that changes files and shows what it changed. Call `edit` instead: {"path":"f","old_text":"a","new_text":"b"}"#);
    insta::assert_snapshot!(message("sed -i '/x/d' f", TOOLS, &plain), @r#"interceptor.in-place-edit: Blocked: `sed -i '/x/d' f`. There is a tool that changes files and shows what it changed. Call `edit` instead: {"path":"f"}"#);
    insta::assert_snapshot!(message("echo hi > f", TOOLS, &plain), @r#"interceptor.redirect-write: Blocked: `echo hi > f`. There is a tool that writes files. Call `write` instead: {"path":"f","content":"hi\n"}"#);
    insta::assert_snapshot!(message("grep -rn 'f(x)' src", TOOLS, &plain), @r#"interceptor.text-search: Blocked: `grep -rn 'f(x)' src`. There is a tool that searches text. Call `grep` instead: {"pattern":"f\\(x\\)","path":"src"}"#);
    insta::assert_snapshot!(message("find . -name '*.rs'", &["glob"], &plain), @r#"interceptor.file-finder: Blocked: `find . -name '*.rs'`. There is a tool that finds files. Call `glob` instead: {"pattern":"**/*.rs"}"#);
    insta::assert_snapshot!(message("npm run dev", TOOLS, &plain), @r#"interceptor.foreground-server: Blocked: `npm run dev`. It runs until it is stopped, so run it as a job. Call `bash` instead: {"command":"npm run dev","description":"Do the thing","run_in_background":true}"#);
    insta::assert_snapshot!(message("curl https://example.org", &["fetch"], &with_rule(CURL)), @r#"interceptor.rule "^\\s*curl\\b": Blocked: `curl https://example.org`. Use the fetch tool. Call `fetch` instead: {"url":"https://example.org"}"#);
    insta::assert_snapshot!(message("curl -K list", &["fetch"], &with_rule(CURL)), @r#"interceptor.rule "^\\s*curl\\b": Blocked: `curl -K list`. Use the fetch tool. Call `fetch` instead."#);
}

#[test]
fn only_tools_of_the_session_are_suggested() {
    let tool = |text: &str, tools: &[&str]| {
        suggested(&Settings::default(), &Builder::one(text).execution(), tools)
            .map(|call| call.split(' ').next().unwrap().to_owned())
    };
    assert_eq!(tool("echo hi > f", &["read"]), None);
    assert_eq!(tool("cat f", &[]), None);
    assert_eq!(tool("find . -name x", &["glob"]).as_deref(), Some("glob"));
    assert_eq!(
        tool("find . -name x", &["glob", "find"]).as_deref(),
        Some("find")
    );
    assert_eq!(tool("npm run dev", &["bash"]), None);
    assert_eq!(
        tool("npm run dev", &["bash_output"]).as_deref(),
        Some("bash")
    );
}

#[test]
fn each_command_is_judged_by_itself() {
    let read = Some(r#"read {"path":"f"}"#.to_owned());
    assert_eq!(
        built_in(Builder::new("make && cat f").unit("make").unit("cat f")),
        read
    );
    assert_eq!(built_in(Builder::new("(cat f)").unit("cat f")), read);
    let both = Builder::new("cat f; cat g")
        .unit("cat f")
        .unit("cat g")
        .execution();
    match judge(&Settings::default(), &both, &session(TOOLS)) {
        Verdict::Deny(denial) => assert_eq!(denial.findings.len(), 2),
        verdict => panic!("{verdict:?}"),
    }
    // A condition's body is plain, wherever the analyzer says it stands.
    let body = Builder::new("if make; then cat f; fi")
        .unit("make")
        .unit("cat f");
    assert_eq!(
        built_in(body.with(|unit| unit.context = Context::Conditional)),
        read
    );
}

#[test]
fn what_is_not_shown_to_the_agent_is_left_alone() {
    let alone = [
        Builder::new("ls | head -n 3").stages(&["ls", "head -n 3"]),
        Builder::new("cat f | head -n 3").stages(&["cat f", "head -n 3"]),
        Builder::new("cat f | while read x; do y; done").unit("cat f"),
        Builder::new("(cat f; ls) | sort")
            .unit("cat f")
            .unit("ls")
            .unit("sort"),
        Builder::new("{ echo a; } > f").unit("echo a"),
        Builder::new("exec > log; cat f")
            .unit("exec > log")
            .unit("cat f"),
        Builder::new("cat f &")
            .unit("cat f")
            .with(|unit| unit.background = true),
        Builder::new("if grep x f; then ls; fi")
            .unit("grep x f")
            .unit("ls"),
        Builder::new("! cat f").unit("cat f"),
        Builder::new("grep x f && ls").unit("grep x f").unit("ls"),
        Builder::new("grep x f || exit 1")
            .unit("grep x f")
            .unit("exit 1"),
        Builder::new("cat f")
            .unit("cat f")
            .with(|unit| unit.workdir = None),
        Builder::new("cat f")
            .unit("cat f")
            .doubt("parsers-disagree"),
        Builder::new("cat f").unit("cat f").with(|unit| {
            unit.attributes.push(("function".into(), String::new()));
        }),
    ];
    for builder in alone {
        let execution = builder.execution();
        let call = suggested(&Settings::default(), &execution, TOOLS);
        assert_eq!(call, None, "{}", execution.plan.script);
    }
    for script in ["grep x f || true", "grep x f || echo none"] {
        let (_, other) = script.split_once("|| ").unwrap();
        let builder = Builder::new(script).unit("grep x f").unit(other);
        assert!(built_in(builder).is_some(), "{script}");
    }
}

#[test]
fn contexts_decide() {
    for context in [
        Context::CommandSubstitution,
        Context::ProcessSubstitution,
        Context::LoopBody,
        Context::FunctionBody,
        Context::TrapBody,
        Context::Other,
    ] {
        let builder = Builder::new("cat f")
            .unit("cat f")
            .with(|unit| unit.context = context);
        assert_eq!(built_in(builder), None, "{context:?}");
    }
    // The text of a commit is data, and what makes it no command to replace.
    let script = "git commit -m \"$(cat <<'EOF'\nfix: don't (really)\nEOF\n)\"";
    let commit = Builder::new(script)
        .unit("git commit")
        .unit("cat <<'EOF'")
        .here_document("<<'EOF'", "EOF", "fix: don't (really)\n")
        .inside(0, Context::CommandSubstitution);
    assert_eq!(built_in(commit), None);
}

#[test]
fn plain_wrappers_are_looked_through() {
    let wrapped = |script: &str, inner: &str, context| {
        let builder = Builder::new(script).unit(script).wrapper().unit(inner);
        built_in(builder.inside(0, context))
    };
    let read = Some(r#"read {"path":"f"}"#.to_owned());
    for script in [
        "env A=1 cat f",
        "command cat f",
        "nice cat f",
        "timeout 5 cat f",
    ] {
        assert_eq!(wrapped(script, "cat f", Context::Wrapped), read, "{script}");
    }
    for script in [
        "sudo cat f",
        "xargs cat f",
        "ssh host cat f",
        "env cat f > g",
    ] {
        assert_eq!(wrapped(script, "cat f", Context::Wrapped), None, "{script}");
    }
    assert_eq!(
        wrapped("bash -c 'cat f'", "cat f", Context::NestedScript),
        read
    );
    assert_eq!(wrapped("bash cat f", "cat f", Context::NestedScript), None);
    assert_eq!(
        wrapped("timeout 5 npm run dev", "npm run dev", Context::Wrapped),
        None
    );
    assert!(wrapped("env npm run dev", "npm run dev", Context::Wrapped).is_some());
    // Several commands in one text need each other.
    let two = Builder::new("bash -c 'cat f; cat g'")
        .unit("bash -c 'cat f; cat g'")
        .wrapper()
        .unit("cat f")
        .inside(0, Context::NestedScript)
        .unit("cat g")
        .inside(0, Context::NestedScript);
    assert_eq!(built_in(two), None);
}

#[test]
fn a_unit_without_a_way_up_is_left_alone() {
    for parent in [0, 7, u32::MAX] {
        let builder = Builder::new("env cat f").unit("cat f").wrapper();
        assert_eq!(built_in(builder.inside(parent, Context::Wrapped)), None);
    }
}

#[test]
fn paths_are_those_that_a_tool_at_the_root_needs() {
    let path = |text: &str, workdir: &str| {
        built_in(Builder::one(text).with(|unit| unit.workdir = Some(workdir.to_owned())))
    };
    let cases = [
        ("cat f", ROOT, r#"{"path":"f"}"#),
        ("cat ./f", "/w/", r#"{"path":"./f"}"#),
        ("cat /etc/hosts", ROOT, r#"{"path":"/etc/hosts"}"#),
        ("cat f", "/w/sub", r#"{"path":"/w/sub/f"}"#),
        ("cat ./f", "/w/sub/", r#"{"path":"/w/sub/f"}"#),
        ("cat ../f", "/w/sub", r#"{"path":"/w/sub/../f"}"#),
        ("cat f", "/", r#"{"path":"/f"}"#),
    ];
    for (text, workdir, expected) in cases {
        assert_eq!(
            path(text, workdir),
            Some(format!("read {expected}")),
            "{text} in {workdir}"
        );
    }
    assert_eq!(path("cat null", "/dev"), None);
    let search = path("rg foo", "/w/sub");
    assert_eq!(
        search.as_deref(),
        Some(r#"grep {"pattern":"foo","path":"/w/sub"}"#)
    );
    let search = path("rg foo .", "/w/sub");
    assert_eq!(
        search.as_deref(),
        Some(r#"grep {"pattern":"foo","path":"/w/sub"}"#)
    );
}

#[test]
fn a_job_is_ready_with_all_that_its_call_needs() {
    let script = "cd web && npm run dev | tee log";
    let builder = || {
        Builder::new(script)
            .unit("cd web")
            .unit("npm run dev")
            .unit("tee log")
    };
    let mut execution = builder()
        .with(|unit| unit.operator = Operator::Pipe)
        .execution();
    execution.workdir = "/w/app".into();
    execution.description = String::new();
    let call = suggested(&Settings::default(), &execution, TOOLS);
    insta::assert_snapshot!(call.unwrap(), @r#"bash {"command":"cd web && npm run dev | tee log","description":"Run npm as a background job","workdir":"/w/app","run_in_background":true}"#);
    execution.background = true;
    assert_eq!(suggested(&Settings::default(), &execution, TOOLS), None);
    let detached = Builder::new("vite &")
        .unit("vite")
        .with(|unit| unit.background = true);
    assert_eq!(built_in(detached), None);
}

#[test]
fn rules_of_the_operator_come_first() {
    let settings = with_rule(CURL);
    let call = |builder: Builder, tools: &[&str]| suggested(&settings, &builder.execution(), tools);
    let url = Some(r#"fetch {"url":"https://example.org"}"#.to_owned());
    assert_eq!(
        call(Builder::one("curl https://example.org"), &["fetch"]),
        url
    );
    assert_eq!(call(Builder::one("curl https://example.org"), &[]), None);
    let two = Builder::one("curl https://a.example https://b.example");
    assert_eq!(call(two, &["fetch"]).as_deref(), Some("fetch {}"));
    let script = "curl https://example.org | jq .";
    let piped = Builder::new(script).stages(&["curl https://example.org", "jq ."]);
    assert_eq!(call(piped, &["fetch"]), url);
    let fed = Builder::new("ls | curl -d @- x").stages(&["ls", "curl -d @- x"]);
    assert_eq!(call(fed, &["fetch"]), None);
    // The arguments of the built-in rule for the same tool, where one fits.
    let cat = with_rule(r#"{"pattern":"^cat","tool":"read"}"#);
    let execution = Builder::one("cat f").execution();
    assert_eq!(
        suggested(&cat, &execution, TOOLS).as_deref(),
        Some(r#"read {"path":"f"}"#)
    );
    let execution = Builder::one("cat f g").execution();
    assert_eq!(
        suggested(&cat, &execution, TOOLS).as_deref(),
        Some("read {}")
    );
}

#[test]
fn switched_off_and_typed_text() {
    let off = Settings::parse(r#"{"enabled":false,"normalize":true}"#).unwrap();
    let mut execution = Builder::one("cat f").execution();
    assert_eq!(judge(&off, &execution, &session(TOOLS)), abstain());
    execution.typed_into = Some("job".into());
    assert_eq!(
        judge(&Settings::default(), &execution, &session(TOOLS)),
        abstain()
    );
}

#[test]
fn normalizing_is_off_by_default_and_a_denial_wins() {
    let on = Settings::parse(r#"{"normalize":true}"#).unwrap();
    let execution = Builder::new("ls | head -n 3")
        .stages(&["ls", "head -n 3"])
        .execution();
    assert_eq!(
        judge(&Settings::default(), &execution, &session(TOOLS)),
        abstain()
    );
    match judge(&on, &execution, &session(TOOLS)) {
        Verdict::Rewrite(rewriting) => assert_eq!(rewriting.head, Some(3)),
        verdict => panic!("{verdict:?}"),
    }
    let server = Builder::new("vite | head -n 3")
        .stages(&["vite", "head -n 3"])
        .execution();
    assert!(matches!(
        judge(&on, &server, &session(TOOLS)),
        Verdict::Deny(_)
    ));
}

#[test]
fn answers_stay_small() {
    let many = "cat f\n".repeat(100);
    let builder = (0..100).fold(Builder::new(&many), |builder, _| builder.unit("cat f"));
    match judge(&Settings::default(), &builder.execution(), &session(TOOLS)) {
        Verdict::Deny(denial) => assert_eq!(denial.findings.len(), MAX_FINDINGS),
        verdict => panic!("{verdict:?}"),
    }
    let large = format!("echo {} > f", "x".repeat(MAX_ARGUMENT_BYTES));
    assert_eq!(built_in(Builder::one(&large)), None);
}

#[test]
fn large_plans_take_time_in_proportion() {
    let script = "(true) && (ls || ls)\n".repeat(20_000);
    let mut builder = Builder::new(&script);
    for _ in 0..20_000 {
        builder = builder.unit("true").unit("ls").unit("ls");
    }
    let execution = builder.execution();
    let start = std::time::Instant::now();
    assert_eq!(
        judge(&Settings::default(), &execution, &session(TOOLS)),
        abstain()
    );
    // A tenth of it on a machine at rest; squared it would be minutes.
    assert!(start.elapsed().as_secs() < 5);
}
