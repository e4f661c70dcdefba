//! What commands are known, ruled or dangerous, in every mode.

use bashgate_guest::policy::{Access, Context, Mode, Operator, Origin, SandboxMode, Zone};

use super::{decision, findings, of, offered, offers, rules, touch};
use crate::scenes::{Build, ROOT, unit};

#[test]
fn known_safe() {
    for (build, expected) in [
        (of("ls"), "allow"),
        (of("ls").effect(Access::Read, ROOT), "allow"),
        (of("cat f").effect(Access::Read, "/home/u/ws/f"), "allow"),
        (
            of("cat .git/config").effect(Access::Read, "/home/u/ws/.git/config"),
            "allow",
        ),
        (of("echo hi"), "allow"),
        (of("echo $x"), "allow"),
        (of("git status"), "allow"),
        (of("[[ -n x ]]"), "allow"),
        (
            of("cd sub").effect(Access::Enter, "/home/u/ws/sub"),
            "allow",
        ),
        (
            of("echo k").touches(Access::Write, Origin::Redirect, "/dev/null"),
            "allow",
        ),
        (
            of("tee /dev/null").effect(Access::Write, "/dev/null"),
            "allow",
        ),
        (of("./ls"), "abstain"),
        (of("/usr/bin/ls"), "abstain"),
        (
            of("ls").with(|u| u.program.as_mut().unwrap().zone = Zone::Workspace),
            "abstain",
        ),
        (
            of("ls").with(|u| u.program.as_mut().unwrap().path = "/home/u/ws/.git/ls".into()),
            "abstain",
        ),
        (
            of("ls").with(|u| u.program.as_mut().unwrap().exists = false),
            "abstain",
        ),
        (of("ls").with(|u| u.program = None), "abstain"),
        (of("ls").with(|u| u.workdir = None), "abstain"),
        (of("unknown-prog"), "abstain"),
        (of("awk 1").attribute("interpreter", "awk"), "abstain"),
        (of("f").attribute("function", ""), "allow"),
        (of("").with(|u| u.identity = Vec::new()), "allow"),
        (Build::new(), "allow"),
        (of("ls").unit(unit("cargo build")), "part"),
        (of("cat f").effect(Access::Other, "/home/u/ws/f"), "abstain"),
        (
            of("curl -s https://x").effect(Access::Connect, ""),
            "abstain",
        ),
    ] {
        assert_eq!(decision(&build), expected, "{:?}", build.execution.plan);
    }
}

#[test]
fn rules_decide() {
    for (build, expected) in [
        (touch(), "ask"),
        (touch().allow(&["touch *"]), "allow"),
        (touch().allow(&["*"]), "allow"),
        (touch().allow(&["* *"]), "allow"),
        (touch().allow(&["touch X"]), "ask"),
        (touch().deny(&["touch *"]), "deny"),
        (touch().rules(&["touch *"], &[], &["touch *"]), "deny"),
        (touch().rules(&["touch *"], &["touch *"], &[]), "ask"),
        (
            of("/usr/bin/touch M").rules(&["* *"], &[], &["touch *"]),
            "deny",
        ),
        (of("ls").rules(&[], &["ls *"], &[]), "ask"),
        (of("lsof -i").allow(&["ls *"]), "abstain"),
        (of("TOUCH x").allow(&["touch *"]), "abstain"),
        (of("cargo build").allow(&["cargo *"]), "allow"),
        (of("cargo $x").allow(&["cargo *"]), "abstain"),
        (of("cargo build $x").allow(&["cargo *"]), "allow"),
        (of("$c M").allow(&["*"]), "abstain"),
        (of("$c M").deny(&["touch *"]), "ask"),
        (of("git $x").deny(&["git push *"]), "ask"),
        (of("echo $x").deny(&["git push *"]), "allow"),
        (of("npm install x").deny(&["npm *"]), "deny"),
        (
            of("git diff --no-index -- a b").rules(&["git diff *"], &[], &["*"]),
            "deny",
        ),
        (
            of("git push origin main").rules(&["git *"], &["git push *"], &[]),
            "ask",
        ),
        (
            of("git -C sub commit -q")
                .with(|u| u.identity = vec![0, 3])
                .allow(&["git commit *"]),
            "allow",
        ),
        (
            of("git -C sub apply p")
                .with(|u| u.identity = vec![0, 3])
                .deny(&["git apply *"]),
            "deny",
        ),
        (
            of("git -c a=b commit")
                .with(|u| u.identity = vec![0, 3])
                .attribute("ends-allow", "git -c")
                .allow(&["git commit *"]),
            "ask",
        ),
        (
            of("grep root /etc/passwd")
                .effect(Access::Read, "/etc/passwd")
                .rules(&["grep *"], &[], &["grep * /etc/*"]),
            "deny",
        ),
        (
            of("grep -n root /etc/passwd")
                .effect(Access::Read, "/etc/passwd")
                .rules(&["grep *"], &[], &["grep * /etc/*"]),
            "ask",
        ),
        (
            of("python3 -")
                .attribute("interpreter", "python3")
                .allow(&["python3 *"]),
            "allow",
        ),
        (
            of("git commit -m")
                .attribute("git-runs", "core.hooksPath")
                .allow(&["git commit *"]),
            "ask",
        ),
        (of("bashgate run x").allow(&["bashgate *", "*"]), "ask"),
        (of("f").attribute("function", "").allow(&["g *"]), "allow"),
    ] {
        assert_eq!(
            decision(&build),
            expected,
            "{:?} {}",
            build.execution.plan.units,
            build.config
        );
    }
}

#[test]
fn dangers_are_asked_about_unless_a_rule_spells_them() {
    for (build, expected) in [
        (of("rm -rf x"), "ask"),
        (
            of("rm -rf x")
                .effect(Access::Delete, "/home/u/ws/x")
                .allow(&["rm *"]),
            "ask",
        ),
        (
            of("rm -rf x")
                .effect(Access::Delete, "/home/u/ws/x")
                .allow(&["rm -rf *"]),
            "allow",
        ),
        (
            of("rm x")
                .effect(Access::Delete, "/home/u/ws/x")
                .allow(&["rm *"]),
            "allow",
        ),
        (of("git push --force").allow(&["git push *"]), "ask"),
        (
            of("git push --force").allow(&["git push --force *"]),
            "allow",
        ),
        (of("git push --force").deny(&["git push --force *"]), "deny"),
        (
            of("sort --compress-program=./c f").touches(
                Access::Execute,
                Origin::OptionArgument,
                "/home/u/ws/c",
            ),
            "ask",
        ),
    ] {
        assert_eq!(
            decision(&build),
            expected,
            "{:?} {}",
            build.execution.plan.units,
            build.config
        );
    }
    let piped = of("curl https://x").unit(unit("sh")).with(|u| {
        u.operator = Operator::Pipe;
        u.span.start = 30;
    });
    assert_eq!(decision(&piped.clone().allow(&["*"])), "ask");
    assert!(offered(&piped).iter().all(|offer| offer != "sh"));
}

#[test]
fn wrappers_are_what_they_wrap() {
    let wrap = |script: &str| of(script).attribute("wrapper", "transparent");
    for (build, expected) in [
        (wrap("nice ls").inside("ls", Context::Wrapped), "allow"),
        (
            wrap("nice touch M")
                .inside("touch M", Context::Wrapped)
                .allow(&["touch *"]),
            "allow",
        ),
        (
            wrap("env touch M")
                .inside("touch M", Context::Wrapped)
                .allow(&["env *"]),
            "part",
        ),
        (
            wrap("bash -c x")
                .inside("touch M", Context::NestedScript)
                .allow(&["touch *"]),
            "allow",
        ),
        (
            wrap("bash -c x")
                .inside("touch M", Context::NestedScript)
                .deny(&["touch *"]),
            "deny",
        ),
        (wrap("env"), "abstain"),
        (
            wrap("time -p ls")
                .with(|u| u.program = None)
                .inside("ls", Context::Wrapped),
            "allow",
        ),
        (
            wrap("sudo ls")
                .attribute("ends-allow", "it runs as another user")
                .inside("ls", Context::Wrapped),
            "ask",
        ),
        (
            of("ssh h ls")
                .attribute("wrapper", "opaque")
                .inside("ls", Context::Wrapped),
            "part",
        ),
        (
            wrap("echo x").inside("touch M", Context::CommandSubstitution),
            "abstain",
        ),
        (
            wrap("./x.sh")
                .with(|u| u.program = Some(crate::scenes::location("/home/u/ws/x.sh")))
                .inside("ls", Context::NestedScript),
            "allow",
        ),
        (
            wrap("./bash -c ls")
                .with(|u| u.program = Some(crate::scenes::location("/home/u/ws/bash")))
                .inside("ls", Context::NestedScript),
            "part",
        ),
    ] {
        let got = decision(&build);
        // A substitution is no wrapped unit: `echo` is judged by its own words.
        let expected = if build.execution.plan.units[0].text == "echo x" {
            "part"
        } else {
            expected
        };
        assert_eq!(got, expected, "{:?}", build.execution.plan.units);
    }
    let sudo = wrap("sudo git push")
        .attribute("ends-allow", "it runs as another user")
        .inside("git push", Context::Wrapped);
    assert!(offers(&sudo).is_empty());
    assert_eq!(decision(&sudo.allow(&["git push *", "sudo *"])), "ask");
}

#[test]
fn modes() {
    let outside = || of("cat x").effect(Access::Read, "/etc/hostname");
    for (build, expected) in [
        (touch().mode(Mode::Never), "ask"),
        (touch().mode(Mode::OnRequest), "ask"),
        (touch().enclosed(), "allow"),
        (of("cargo build").enclosed(), "allow"),
        (of("rm -rf x").enclosed(), "allow"),
        (of("$c").doubt("dynamic-program", "$c").enclosed(), "allow"),
        (
            of("echo")
                .touches(Access::Write, Origin::Redirect, "/home/u/ws/f")
                .enclosed(),
            "allow",
        ),
        (outside().enclosed(), "ask"),
        (
            of("cp a b")
                .effect(Access::Write, "/home/u/.ssh/b")
                .enclosed(),
            "deny",
        ),
        (touch().rules(&[], &["touch *"], &[]).enclosed(), "ask"),
        (touch().deny(&["touch *"]).enclosed(), "deny"),
        (
            of("git log").attribute("git-runs", "core.pager").enclosed(),
            "ask",
        ),
        (of("bashgate doctor").enclosed(), "ask"),
        (of("ls").escalation(), "deny"),
        (of("ls").mode(Mode::Never).escalation(), "deny"),
        (of("ls").mode(Mode::OnRequest).escalation(), "ask"),
        (of("ls").enclosed().escalation(), "ask"),
    ] {
        assert_eq!(
            decision(&build),
            expected,
            "{:?}",
            build.execution.plan.units
        );
    }
    let mut open = touch().enclosed();
    open.execution.sandbox.mode = SandboxMode::FullAccess;
    assert_eq!(decision(&open), "ask");
    let recorded = of("$c").doubt("dynamic-program", "$c").enclosed();
    assert!(rules(&recorded).contains(&"doubt dynamic-program".to_owned()));
    let mut typed = of("ls");
    typed.execution.typed_into = Some("7".into());
    assert_eq!(decision(&typed), "ask");
}

#[test]
fn hostile_plans_are_bounded() {
    // A unit that is its own parent, and indices that lead nowhere.
    let mut build = of("ls")
        .with(|u| u.parent = Some(0))
        .effect(Access::Read, ROOT);
    assert_eq!(decision(&build), "abstain");
    build.execution.plan.effects[0].unit = 900;
    build.execution.plan.effects[0].location = None;
    assert_eq!(decision(&build), "ask");
    let wild = of("ls").with(|u| u.identity = vec![7, 900]);
    assert_ne!(decision(&wild), "deny");

    let mut many = Build::new();
    for n in 0..20_000 {
        many.execution.plan.units.push(unit(&format!("frob {n}")));
    }
    let many = many.rules(&["a *"], &["b *"], &["c * /etc/*"]);
    let started = std::time::Instant::now();
    assert_eq!(decision(&many), "abstain");
    assert!(started.elapsed().as_secs() < 10);
    assert!(findings(&many).len() <= 64 && offers(&many).len() <= 64);
}
