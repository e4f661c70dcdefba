//! Places of one unit in small scripts.

use super::*;
use crate::plans::Builder;

/// The place of `cat f` in a script that holds it once.
fn place(script: &str) -> Place {
    let mut builder = Builder::new(script).unit("cat f");
    for other in ["other", "true"] {
        if script.contains(other) {
            builder = builder.unit(other);
        }
    }
    Layout::of(&builder.plan()).place(0).unwrap()
}

fn check(scripts: &[&str], expected: impl Fn(&mut Place)) {
    let mut place_expected = Place::default();
    expected(&mut place_expected);
    for script in scripts {
        assert_eq!(place(script), place_expected, "{script}");
    }
}

#[test]
fn plain_units_are_plain() {
    check(
        &[
            "cat f",
            "  cat f # | x",
            "other; cat f",
            "other && cat f",
            "(other); cat f",
            "cat f || true",
            "if other; then cat f; fi",
            "! other; cat f",
            "{ cat f; }",
            "[[ a | b && c ]]; cat f",
            "for x in $(a | b) \"| (\" '|'; do other; done; cat f",
            "case x in a) other ;; esac; cat f",
            "other | (true)\ncat f",
        ],
        |_| {},
    );
}

#[test]
fn pipes_are_seen_from_both_ends() {
    check(
        &["cat f | other", "cat f |& other", "cat f |\n other"],
        |p| p.collected = true,
    );
    check(
        &[
            "other | cat f",
            "other |\ncat f",
            "other | { true; cat f; }",
        ],
        |p| p.fed = true,
    );
    check(&["other | cat f | true"], |p| {
        p.fed = true;
        p.collected = true;
    });
}

#[test]
fn compounds_that_are_piped_or_redirected_collect() {
    check(
        &[
            "(cat f; other) | true",
            "{ cat f; } > out",
            "{ cat f; } 2>&1",
            "if other; then cat f; fi | true",
            "((cat f); other) >> out",
            "while other; do cat f; done &> out",
        ],
        |p| p.collected = true,
    );
    check(&["(cat f) &", "{ cat f; } &"], |p| p.background = true);
}

#[test]
fn conditions_are_seen() {
    check(
        &[
            "if cat f; then other; fi",
            "while cat f\ndo other; done",
            "until (cat f); do other; done",
            "! cat f",
            "! { cat f; }",
            "if other; then true; elif cat f; then :; fi",
        ],
        |p| p.condition = true,
    );
    check(
        &[
            "cat f && other",
            "cat f || other",
            "(cat f) && other",
            "cat f || { true; }",
        ],
        |p| p.decides = true,
    );
}

#[test]
fn text_of_here_documents_is_no_script() {
    let script = "other <<-EOF\n\t| ( if {\n\tEOF\ncat f";
    let builder = Builder::new(script)
        .unit("other")
        .here_document("<<-EOF", "EOF", "| ( if {\n")
        .unit("cat f");
    assert_eq!(Layout::of(&builder.plan()).place(1), Some(Place::default()));
}

#[test]
fn what_is_nested_too_deep_is_not_placed() {
    let script = format!("{}cat f{}", "(".repeat(100), ")".repeat(100));
    let plan = Builder::new(&script).unit("cat f").plan();
    assert_eq!(Layout::of(&plan).place(0), None);
}
