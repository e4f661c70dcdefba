//! Whole plans against whole verdicts: the classes of the case corpus, built
//! by hand, so that each can be tried without an analyzer.

use bashgate_guest::policy::{
    Access, Context, Finding, Lifetime, Mode, Offer, Operator, Origin, PathScope, SandboxMode,
    Scope, Verdict,
};

use crate::scenes::{Build, ROOT, unit};

fn decision(build: &Build) -> &'static str {
    match build.verdict() {
        Verdict::Deny(_) => "deny",
        Verdict::Ask(_) => "ask",
        Verdict::Rewrite(_) => "rewrite",
        Verdict::Abstain(_) => "abstain",
        Verdict::Allow(allowance) if allowance.units.len() == build.execution.plan.units.len() => {
            "allow"
        }
        Verdict::Allow(_) => "part",
    }
}

fn findings(build: &Build) -> Vec<Finding> {
    match build.verdict() {
        Verdict::Deny(denial) => denial.findings,
        Verdict::Ask(question) => question.findings,
        Verdict::Rewrite(rewriting) => rewriting.findings,
        Verdict::Abstain(abstention) => abstention.findings,
        Verdict::Allow(allowance) => allowance.findings,
    }
}

fn offers(build: &Build) -> Vec<Offer> {
    match build.verdict() {
        Verdict::Ask(question) => question.offers,
        Verdict::Abstain(abstention) => abstention.offers,
        Verdict::Allow(allowance) => allowance.offers,
        Verdict::Deny(_) | Verdict::Rewrite(_) => Vec::new(),
    }
}

fn offered(build: &Build) -> Vec<String> {
    offers(build)
        .into_iter()
        .map(|offer| match offer.scope {
            Scope::Command(words) => words.join(" "),
            Scope::Path(scope) => format!("{:?} {}", scope.access, scope.path).to_lowercase(),
        })
        .collect()
}

fn rules(build: &Build) -> Vec<String> {
    findings(build)
        .into_iter()
        .map(|finding| finding.rule)
        .collect()
}

fn of(script: &str) -> Build {
    Build::of(script)
}

fn touch() -> Build {
    of("touch M").effect(Access::Write, "/home/u/ws/M")
}

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
            of("ls").with(|u| {
                u.program.as_mut().unwrap().zone = bashgate_guest::policy::Zone::Workspace
            }),
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
fn zones() {
    let all = &["*"];
    for (build, expected) in [
        (
            of("cat x").effect(Access::Read, "/etc/hostname").allow(all),
            "ask",
        ),
        (of("cat x").effect(Access::Read, "/tmp/x").allow(all), "ask"),
        (
            of("cp f x").effect(Access::Write, "/opt/x").allow(all),
            "ask",
        ),
        (of("cd x").effect(Access::Enter, "/opt").allow(all), "ask"),
        (
            of("unknown-prog-q x")
                .effect(Access::Other, "/opt/x")
                .allow(all),
            "ask",
        ),
        (of("cat x").effect(Access::Read, "").allow(all), "ask"),
        (of("curl x").effect(Access::Connect, "").allow(all), "allow"),
        (
            of("echo hi").touches(Access::Write, Origin::Redirect, "/home/u/ws/f"),
            "ask",
        ),
        (
            of("echo hi")
                .touches(Access::Write, Origin::Redirect, "/home/u/ws/f")
                .allow(all),
            "ask",
        ),
        (
            of("echo hi")
                .touches(Access::Write, Origin::Redirect, "/home/u/.ssh/k")
                .allow(all),
            "deny",
        ),
        (
            of("cp f g")
                .effect(Access::Read, "/home/u/ws/f")
                .effect(Access::Write, "/home/u/ws/g")
                .allow(&["cp *"]),
            "allow",
        ),
        (
            of("cp f g")
                .effect(Access::Write, "/home/u/ws/.git/hooks/x")
                .allow(all),
            "deny",
        ),
        (
            of("tee -a x").effect(Access::Write, "/home/u/.bashrc"),
            "deny",
        ),
        (
            of("cat x")
                .effect(Access::Read, "/home/u/.ssh/id_rsa")
                .allow(all),
            "ask",
        ),
        (
            of("cat x")
                .effect(Access::Read, "/home/u/ws/server.pem")
                .allow(all),
            "ask",
        ),
        (
            of("cat x")
                .effect(Access::Read, "/home/u/.bashrc")
                .allow(all),
            "ask",
        ),
        (
            of("rm -rf .")
                .effect(Access::Delete, ROOT)
                .allow(&["rm -rf *"]),
            "deny",
        ),
        (of("find . -delete").effect(Access::Delete, ROOT), "deny"),
        (
            of("find . -name x -delete").effect(Access::Delete, ROOT),
            "ask",
        ),
        (
            of("chmod 777 .").effect(Access::Write, ROOT).allow(all),
            "deny",
        ),
        (of("cp f .").effect(Access::Write, ROOT).allow(all), "allow"),
        (
            of("cp x/.git .").effect(Access::Write, ROOT).allow(all),
            "deny",
        ),
        (
            of("cp -r d .").effect(Access::Write, ROOT).allow(all),
            "ask",
        ),
        (of("cp $x .").effect(Access::Write, ROOT).allow(all), "ask"),
        (of("tar xf a").effect(Access::Write, ROOT).allow(all), "ask"),
        (of("ls .").effect(Access::Read, ROOT), "allow"),
        (
            of("ls").touches(Access::Execute, Origin::Program, "/usr/bin/ls"),
            "allow",
        ),
        (
            of("x")
                .touches(Access::Execute, Origin::Program, "/home/u/ws/.git/hooks/x")
                .allow(all),
            "deny",
        ),
    ] {
        assert_eq!(decision(&build), expected, "{:?}", build.execution.plan);
    }
}

#[test]
fn no_setting_lifts_what_is_told_in_words() {
    let mut build = of("touch x").effect(Access::Write, "/home/u/.ssh/x");
    build.execution.plan.effects[0]
        .location
        .as_mut()
        .unwrap()
        .rule = Some("bashgate's own folders".into());
    insta::assert_snapshot!(findings(&build)[0].message, @"`touch x` writes /home/u/.ssh/x: bashgate's own folders; no setting lifts that");
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
fn doubts_leave_only_once_or_no() {
    let build = touch().doubt("dynamic-program", "$c").allow(&["*"]);
    assert_eq!(decision(&build), "ask");
    let build = of("cargo build").doubt("evaluated-text", "eval $x");
    assert_eq!(decision(&build), "ask");
    assert!(offers(&build).is_empty());
    assert_eq!(decision(&Build::new().doubt("nothing-found", "x")), "ask");
}

#[test]
fn deny_rules_read_what_the_parsers_could_not() {
    for (kind, text, rule, expected) in [
        ("syntax-error", "if touch M", "touch *", "deny"),
        ("parsers-disagree", "$(/usr/bin/touch M", "touch *", "deny"),
        ("parsers-disagree", "git -C x push", "git push *", "deny"),
        ("parsers-disagree", "push git", "git push *", "ask"),
        ("syntax-error", "touchy", "touch *", "ask"),
        ("dynamic-program", "touch $x", "touch *", "ask"),
        ("syntax-error", "anything", "*", "deny"),
    ] {
        let build = Build::new().doubt(kind, text).deny(&[rule]);
        assert_eq!(decision(&build), expected, "{kind} {text} {rule}");
    }
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
fn offered_is_what_lacks() {
    for (build, expected) in [
        (touch(), vec!["touch *"]),
        (of("ls"), vec![]),
        (of("git push origin main"), vec!["git push *"]),
        (of("git push --force x"), vec!["git push --force x"]),
        (
            of("rm -rf x").effect(Access::Delete, "/home/u/ws/x"),
            vec!["rm -rf x"],
        ),
        (of("rm $x").effect(Access::Delete, ""), vec![]),
        (
            of("cat a").effect(Access::Read, "/opt/out/a"),
            vec!["read /opt/out"],
        ),
        (of("ls x").effect(Access::Read, "/etc"), vec!["read /etc"]),
        (
            of("ls x").effect(Access::Read, "/opt/out"),
            vec!["read /opt/out"],
        ),
        (
            of("cat a").effect(Access::Read, "/home/u/x"),
            vec!["read /home/u/x"],
        ),
        (
            of("cp a b").effect(Access::Write, "/opt/out/b"),
            vec!["cp *", "write /opt/out"],
        ),
        (
            of("cargo build").touches(Access::Write, Origin::Redirect, "/home/u/ws/log"),
            vec![],
        ),
        (of("cp a b").effect(Access::Write, "/home/u/.ssh/b"), vec![]),
        (of("cargo build").rules(&[], &["cargo *"], &[]), vec![]),
        (of("cargo build").attribute("ends-allow", "x"), vec![]),
        (
            of("bash -c x")
                .attribute("wrapper", "transparent")
                .inside("gh api x", Context::NestedScript),
            vec!["gh api *"],
        ),
        (
            of("cargo build").unit(unit("npm test")),
            vec!["cargo build *", "npm test *"],
        ),
        (of("./x.sh"), vec![]),
        (of("bashgate run x"), vec![]),
        (
            of("touch a*").effect(Access::Write, "/home/u/ws/a*"),
            vec!["touch *"],
        ),
        (
            of("frob ~ *").effect(Access::Write, "/home/u/ws/a"),
            vec!["frob \\~ \\*"],
        ),
    ] {
        assert_eq!(
            offered(&build),
            expected,
            "{:?}",
            build.execution.plan.units[0].text
        );
    }
    let lifetimes: Vec<Lifetime> = offers(&of("cp a b").effect(Access::Write, "/opt/out/b"))
        .iter()
        .map(|offer| offer.lifetime)
        .collect();
    assert_eq!(lifetimes, [Lifetime::Always, Lifetime::Session]);
}

#[test]
fn adopting_every_offer_lets_the_script_through() {
    for build in [
        touch(),
        of("git push --force origin main"),
        of("git -C sub push").with(|u| u.identity = vec![0, 3]),
        of("rm -rf x").effect(Access::Delete, "/home/u/ws/x"),
        of("cat a").effect(Access::Read, "/opt/out/a"),
        of("cat a").effect(Access::Read, "/top"),
        of("cp a b")
            .effect(Access::Read, "/tmp/a")
            .effect(Access::Write, "/opt/out/b"),
        of("cd x").effect(Access::Enter, "/opt/x"),
        of("rm a").effect(Access::Delete, "/opt/out/a"),
        of("frob ~/a * ? \\ it's").effect(Access::Other, "/opt/a"),
        of("nice make")
            .attribute("wrapper", "transparent")
            .inside("make", Context::Wrapped),
        of("bash -c x")
            .attribute("wrapper", "transparent")
            .inside("npm run build", Context::NestedScript)
            .unit(unit("ls")),
        of("sort --compress-program=./c f").touches(
            Access::Execute,
            Origin::OptionArgument,
            "/home/u/ws/c",
        ),
        of("cargo build")
            .unit(unit("cargo test $x"))
            .unit(unit("mkdir a"))
            .effect(Access::Write, "/home/u/ws/a"),
        of("git branch -D rel"),
        of("git stash drop"),
        of("mkfs.ext4 x"),
    ] {
        assert_ne!(decision(&build), "allow");
        let offers = offers(&build);
        assert!(!offers.is_empty(), "{:?}", build.execution.plan.units);
        let adopted = offers.into_iter().fold(build.clone(), Build::grant);
        assert_eq!(
            decision(&adopted),
            "allow",
            "{:?} {:?}",
            adopted.grants,
            findings(&adopted)
        );
    }
}

#[test]
fn grants_lift_no_more_than_they_say() {
    let command = |words: &[&str]| Offer {
        scope: Scope::Command(words.iter().map(|word| (*word).to_owned()).collect()),
        lifetime: Lifetime::Always,
    };
    let path = |path: &str, access| Offer {
        scope: Scope::Path(PathScope {
            path: path.into(),
            access,
        }),
        lifetime: Lifetime::Session,
    };
    for (build, expected) in [
        (touch().grant(command(&["touch", "*"])), "allow"),
        (touch().grant(command(&["touch", "X"])), "ask"),
        (touch().grant(command(&["*"])), "ask"),
        (touch().grant(command(&["t*", "*"])), "ask"),
        (
            touch().deny(&["touch *"]).grant(command(&["touch", "*"])),
            "deny",
        ),
        (
            touch()
                .rules(&[], &["touch *"], &[])
                .grant(command(&["touch", "*"])),
            "ask",
        ),
        (
            touch()
                .doubt("dynamic-target", "M")
                .grant(command(&["touch", "*"])),
            "ask",
        ),
        (
            of("touch x")
                .effect(Access::Write, "/opt/x")
                .grant(command(&["touch", "*"])),
            "ask",
        ),
        (
            of("touch x")
                .effect(Access::Write, "/home/u/.ssh/x")
                .grant(path("/home/u/.ssh", Access::Write)),
            "deny",
        ),
        (
            of("cat x")
                .effect(Access::Read, "/opt/x")
                .grant(path("/opt", Access::Read)),
            "allow",
        ),
        (
            of("cat x")
                .effect(Access::Read, "/opt/x")
                .grant(path("/opt", Access::Write)),
            "ask",
        ),
        (
            of("cat x")
                .effect(Access::Read, "/optional/x")
                .grant(path("/opt", Access::Read)),
            "ask",
        ),
        (
            of("echo")
                .touches(Access::Write, Origin::Redirect, "/opt/x")
                .grant(path("/opt", Access::Write)),
            "ask",
        ),
    ] {
        assert_eq!(
            decision(&build),
            expected,
            "{:?} {:?}",
            build.execution.plan,
            build.grants
        );
    }
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

#[test]
fn what_people_read() {
    let said: Vec<String> = [
        touch(),
        touch().deny(&["touch *"]),
        touch().rules(&[], &["touch *"], &[]),
        of("$c M")
            .deny(&["touch *"])
            .doubt("dynamic-program", "$c M"),
        of("echo k").touches(
            Access::Write,
            Origin::Redirect,
            "/home/u/.ssh/authorized_keys",
        ),
        of("rm -rf .").effect(Access::Delete, ROOT),
        of("tar xf a.tar").effect(Access::Write, ROOT),
        of("unknown-prog .git/x").effect(Access::Other, "/home/u/ws/.git/x"),
        of("cat /etc/hostname").effect(Access::Read, "/etc/hostname"),
        of("touch /tmp/x").effect(Access::Write, "/tmp/x"),
        of("cat x").effect(Access::Read, "/home/u/.ssh/id_rsa"),
        of("cat $x").effect(Access::Read, ""),
        of("echo hi").touches(Access::Write, Origin::Redirect, "/home/u/ws/f"),
        of("git push --force"),
        of("curl x").unit(unit("sh")).with(|u| {
            u.operator = Operator::Pipe;
            u.span.start = 30;
        }),
        of("sort --compress-program=./c f").touches(
            Access::Execute,
            Origin::OptionArgument,
            "/home/u/ws/c",
        ),
        of("sudo ls").attribute("ends-allow", "it runs as another user"),
        of("git status").attribute("git-runs", "core.fsmonitor"),
        of("bashgate run x"),
        of("frob 'a'"),
        of("./x.sh"),
        of("frob").with(|u| u.program = None),
        of("frob").with(|u| u.program = Some(crate::scenes::location("/home/u/ws/bin/frob"))),
        of("env").attribute("wrapper", "transparent"),
        of("ls").escalation(),
        of("ls").mode(Mode::OnRequest).escalation(),
    ]
    .iter()
    .map(|build| {
        let lines: Vec<String> = findings(build)
            .into_iter()
            .map(|finding| format!("  [{}] {}", finding.rule, finding.message))
            .collect();
        format!(
            "{} {}\n{}",
            decision(build),
            build.execution.plan.units[0].text,
            lines.join("\n")
        )
    })
    .collect();
    insta::assert_snapshot!(said.join("\n"));
}
