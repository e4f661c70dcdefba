//! What only a person may settle.

use super::{decision, of, offers, touch};
use crate::scenes::Build;

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
