//! What effects mean.

use bashgate_guest::policy::{Access, Origin};

use super::{decision, findings, of};
use crate::scenes::ROOT;

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
            of("./x")
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
