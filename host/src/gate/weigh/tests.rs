use std::sync::Arc;

use super::*;
use crate::gate::decision::Judged;
use crate::gate::zones::Zones;
use crate::guest::bindings::policy::bashgate::policy::types::{
    Abstention, Allowance, Context, Denial, Doubt, Operator, Question, Rewriting, Sandbox,
    SandboxMode, Session, Span, Unit,
};
use crate::guest::{Fault, GuestError, Label};

fn plan(units: usize, doubts: usize) -> Plan {
    let span = Span { start: 0, end: 0 };
    Plan {
        script: "x".into(),
        units: (0..units)
            .map(|index| Unit {
                span,
                text: format!("unit {index}"),
                parent: None,
                context: Context::TopLevel,
                operator: Operator::None,
                assignments: Vec::new(),
                words: Vec::new(),
                identity: Vec::new(),
                program: None,
                redirects: Vec::new(),
                background: false,
                workdir: None,
                attributes: Vec::new(),
            })
            .collect(),
        effects: Vec::new(),
        doubts: (0..doubts)
            .map(|_| Doubt {
                kind: "syntax-error".into(),
                span,
                text: String::new(),
                note: String::new(),
            })
            .collect(),
    }
}

fn label() -> Label {
    Label {
        name: "guest".into(),
        version: "1".into(),
        digest: "sha256:0".into(),
    }
}

fn judged(verdict: Answered) -> Judged {
    Judged {
        label: label(),
        verdict: Verdict::Answered(verdict),
        shadow: false,
        may_allow: true,
    }
}

fn failed() -> Judged {
    Judged {
        verdict: Verdict::Failed(GuestError {
            label: label(),
            fault: Fault::Trapped("unreachable".into()),
        }),
        ..judged(abstain())
    }
}

fn allow(units: &[u32]) -> Answered {
    Answered::Allow(Allowance {
        units: units.to_vec(),
        findings: Vec::new(),
        offers: Vec::new(),
    })
}

fn ask() -> Answered {
    Answered::Ask(Question {
        findings: Vec::new(),
        offers: Vec::new(),
    })
}

fn deny() -> Answered {
    Answered::Deny(Denial {
        findings: Vec::new(),
        suggestion: None,
    })
}

fn rewrite(script: &str) -> Answered {
    Answered::Rewrite(Rewriting {
        script: script.into(),
        head: None,
        tail: None,
        findings: Vec::new(),
    })
}

fn abstain() -> Answered {
    Answered::Abstain(Abstention {
        findings: Vec::new(),
        offers: Vec::new(),
    })
}

fn asker(mode: Mode, enforcing: bool) -> Asker {
    Asker {
        session: Session {
            id: String::new(),
            mode,
            attended: true,
            tools: Vec::new(),
            attributes: Vec::new(),
        },
        root: "/ws".into(),
        home: "/home".into(),
        sandbox: Sandbox {
            mode: SandboxMode::WorkspaceWrite,
            enforcing,
            network: false,
            backend: String::new(),
        },
        missing: Vec::new(),
    }
}

fn ruling_of(plan: Plan, judged: Vec<Judged>, asker: &Asker) -> Ruling {
    let root = std::path::Path::new("/");
    let environment = [("HOME".into(), "/".into())].into();
    let places = crate::config::Places::find(&environment, root, Some(root)).unwrap();
    let world = World::new(
        Arc::new(Zones::new(&places, &[], None)),
        Arc::default(),
        ("MARK", String::new()),
    );
    weigh(plan, judged, Vec::new(), asker, world).ruling
}

fn ruling(units: usize, doubts: usize, verdicts: Vec<Answered>) -> Ruling {
    let judged = verdicts.into_iter().map(judged).collect();
    let asker = asker(Mode::UnlessTrusted, false);
    ruling_of(plan(units, doubts), judged, &asker)
}

#[test]
fn every_unit_needs_somebody_who_vouches() {
    assert_eq!(ruling(0, 0, vec![abstain()]), Ruling::Allow);
    assert_eq!(ruling(1, 0, vec![abstain()]), Ruling::Ask);
    assert_eq!(ruling(1, 0, vec![allow(&[0])]), Ruling::Allow);
    assert_eq!(ruling(2, 0, vec![allow(&[0])]), Ruling::Ask);
    assert_eq!(ruling(2, 0, vec![allow(&[0]), allow(&[1])]), Ruling::Allow);
    assert_eq!(ruling(1, 0, vec![allow(&[1])]), Ruling::Ask);
}

#[test]
fn no_guest_weakens_another_in_any_order() {
    let pairs = [
        (allow(&[0]), ask(), Ruling::Ask),
        (allow(&[0]), deny(), Ruling::Deny),
        (ask(), deny(), Ruling::Deny),
        (allow(&[0]), abstain(), Ruling::Allow),
        (rewrite("y"), ask(), Ruling::Ask),
        (rewrite("y"), rewrite("z"), Ruling::Ask),
    ];
    for (one, other, wanted) in pairs {
        let forth = vec![one.clone(), other.clone(), allow(&[0])];
        assert_eq!(ruling(1, 0, forth), wanted);
        assert_eq!(ruling(1, 0, vec![allow(&[0]), other, one]), wanted);
    }
}

#[test]
fn a_guest_that_fails_asks() {
    let asker = asker(Mode::UnlessTrusted, false);
    let judged = vec![judged(allow(&[0])), failed()];
    assert_eq!(ruling_of(plan(1, 0), judged, &asker), Ruling::Ask);
}

#[test]
fn a_doubt_is_never_passed_over_but_by_an_enforcing_sandbox() {
    for (mode, enforcing, wanted) in [
        (Mode::UnlessTrusted, false, Ruling::Ask),
        (Mode::UnlessTrusted, true, Ruling::Ask),
        (Mode::OnRequest, false, Ruling::Ask),
        (Mode::OnRequest, true, Ruling::Allow),
        (Mode::Never, true, Ruling::Deny),
    ] {
        let judged = vec![judged(allow(&[0]))];
        let ruling = ruling_of(plan(1, 1), judged, &asker(mode, enforcing));
        assert_eq!(ruling, wanted, "{mode:?} {enforcing}");
    }
}

#[test]
fn the_mode_never_denies_what_would_be_asked() {
    let asker = asker(Mode::Never, false);
    let asked = ruling_of(plan(1, 0), vec![judged(ask())], &asker);
    assert_eq!(asked, Ruling::Deny);
    let allowed = ruling_of(plan(1, 0), vec![judged(allow(&[0]))], &asker);
    assert_eq!(allowed, Ruling::Allow);
}

#[test]
fn a_shadow_has_no_effect() {
    let shadow = |verdict| Judged {
        shadow: true,
        ..judged(verdict)
    };
    let asker = asker(Mode::UnlessTrusted, false);
    let denied = vec![judged(allow(&[0])), shadow(deny())];
    assert_eq!(ruling_of(plan(1, 0), denied, &asker), Ruling::Allow);
    let allowed = vec![shadow(allow(&[0]))];
    assert_eq!(ruling_of(plan(1, 0), allowed, &asker), Ruling::Ask);
}

#[test]
fn a_guest_that_may_not_allow_vouches_for_nothing() {
    let only_judges = Judged {
        may_allow: false,
        ..judged(allow(&[0]))
    };
    let asker = asker(Mode::UnlessTrusted, false);
    assert_eq!(
        ruling_of(plan(1, 0), vec![only_judges], &asker),
        Ruling::Ask
    );
}

#[test]
fn a_missing_plugin_that_is_required_asks() {
    let asker = Asker {
        missing: vec![("gone".into(), "no such file".into())],
        ..asker(Mode::UnlessTrusted, false)
    };
    let judged = vec![judged(allow(&[0]))];
    assert_eq!(ruling_of(plan(1, 0), judged, &asker), Ruling::Ask);
}
