//! What may be adopted, and what an adopted grant covers.

use bashgate_guest::policy::{Access, Context, Lifetime, Offer, Origin, PathScope, Scope};

use super::{decision, findings, of, offered, offers, touch};
use crate::scenes::{Build, unit};

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
