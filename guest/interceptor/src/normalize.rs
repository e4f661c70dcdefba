//! A last stage that only limits lines becomes a limit of the result, so that
//! the exit code is that of the command and the rest is not lost. Decided by
//! the plan; the script's text only has to agree.

use bashgate_guest::policy::{
    Context, Execution, Finding, Operator, Plan, RedirectKind, Rewriting, Unit,
};

use crate::command::{literal, program};
use crate::message;

/// Lines of the result that are kept.
#[derive(Debug, PartialEq, Eq)]
enum Limit {
    Head(u32),
    Tail(u32),
}

/// The script without its last stage, and the limit in place of it. None
/// unless it is one pipeline of plain stages, and nothing else.
pub fn rewriting(execution: &Execution) -> Option<Rewriting> {
    let plan = &execution.plan;
    if execution.background || !plan.doubts.is_empty() {
        return None;
    }
    let stages = stages(plan)?;
    let [earlier @ .., before, last] = &stages[..] else {
        return None;
    };
    let limit = limit(last)?;
    if matches!(program(before), Some("head" | "tail")) {
        return None;
    }
    let script = plan.script.as_str();
    let first = earlier.first().unwrap_or(before);
    let start = first.span.start as usize;
    let end = end(before);
    if !is_blank(script.get(..start)?) || !is_blank(script.get(last.span.end as usize..)?) {
        return None;
    }
    for pair in stages.windows(2) {
        let [left, right] = pair else { return None };
        let joint = script.get(self::end(left)..right.span.start as usize)?;
        if joint.trim() != "|" {
            return None;
        }
    }
    let kept = script.get(start..end)?;
    // A span that ends in a blank may end in an escaped one.
    if kept.is_empty() || kept.ends_with(char::is_whitespace) && !kept.ends_with("\\ ") {
        return None;
    }
    let (head, tail) = match limit {
        Limit::Head(lines) => (Some(lines), None),
        Limit::Tail(lines) => (None, Some(lines)),
    };
    Some(Rewriting {
        script: kept.to_owned(),
        head,
        tail,
        findings: vec![Finding {
            rule: "interceptor.normalize".to_owned(),
            message: message::normalized(last.text.trim()),
            span: Some(last.span),
        }],
    })
}

/// The stages, if the plan is one pipeline at the top and what its stages
/// wrap or substitute.
fn stages(plan: &Plan) -> Option<Vec<&Unit>> {
    let mut stages: Vec<&Unit> = Vec::new();
    for unit in &plan.units {
        if unit.background {
            return None;
        }
        if unit.parent.is_some() {
            continue;
        }
        let joined = match stages.is_empty() {
            true => unit.operator == Operator::None,
            false => unit.operator == Operator::Pipe,
        };
        let plain = unit.context == Context::TopLevel
            && !unit.words.is_empty()
            && !unit.redirects.iter().any(|redirect| {
                matches!(
                    redirect.kind,
                    RedirectKind::HereDocument | RedirectKind::HereString
                )
            });
        if !joined || !plain {
            return None;
        }
        stages.push(unit);
    }
    stages.sort_by_key(|unit| unit.span.start);
    Some(stages)
}

/// The end of a stage with its redirects.
fn end(unit: &Unit) -> usize {
    let redirects = unit.redirects.iter().map(|redirect| redirect.span.end);
    redirects.fold(unit.span.end, u32::max) as usize
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// The limit that a stage is, if it is nothing else.
fn limit(stage: &Unit) -> Option<Limit> {
    if !stage.redirects.is_empty() || !stage.assignments.is_empty() {
        return None;
    }
    let mut words = Vec::with_capacity(3);
    for word in stage.words.iter().take(4) {
        words.push(literal(word)?);
    }
    let (program, number) = match words[..] {
        [program, "-n", number] => (program, number),
        [program, short] => {
            let number = short
                .strip_prefix("-n")
                .or_else(|| short.strip_prefix("--lines="))
                .or_else(|| short.strip_prefix('-'))?;
            (program, number)
        }
        _ => return None,
    };
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let lines = number.parse().ok().filter(|&lines: &u32| lines > 0)?;
    match program {
        "head" => Some(Limit::Head(lines)),
        "tail" => Some(Limit::Tail(lines)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::Builder;

    fn rewritten(script: &str, stages: &[&str]) -> Option<(String, Option<u32>, Option<u32>)> {
        let execution = Builder::new(script).stages(stages).execution();
        rewriting(&execution).map(|rewriting| (rewriting.script, rewriting.head, rewriting.tail))
    }

    #[test]
    fn a_last_filter_becomes_a_limit() {
        let check = |stages: &[&str], script: &str, kept: &str, limit: Limit| {
            let (head, tail) = match limit {
                Limit::Head(lines) => (Some(lines), None),
                Limit::Tail(lines) => (None, Some(lines)),
            };
            assert_eq!(
                rewritten(script, stages),
                Some((kept.to_owned(), head, tail)),
                "{script}"
            );
        };
        let seq = "seq 1 5";
        check(
            &[seq, "head -n2"],
            "seq 1 5 | head -n2",
            seq,
            Limit::Head(2),
        );
        check(
            &[seq, "head -n 2"],
            "seq 1 5 | head -n 2",
            seq,
            Limit::Head(2),
        );
        check(&[seq, "tail -3"], "seq 1 5|tail -3", seq, Limit::Tail(3));
        let echo = "echo \"x  y\"";
        check(
            &[echo, "tail -n 1"],
            "  echo \"x  y\" |\n tail -n 1 \n",
            echo,
            Limit::Tail(1),
        );
        let stages = ["make 2>&1", "grep a", "head -20"];
        let script = "make 2>&1 | grep a  |  head -20";
        check(&stages, script, "make 2>&1 | grep a", Limit::Head(20));
        // What looks like a blank at the end is escaped, so it is a word's.
        check(
            &["echo a\\ ", "head -n 1"],
            "echo a\\  | head -n 1",
            "echo a\\ ",
            Limit::Head(1),
        );
    }

    #[test]
    fn anything_else_stays_as_it_is() {
        let cases: &[(&str, &[&str])] = &[
            ("head -n 5", &["head -n 5"]),
            ("ls | head", &["ls", "head"]),
            ("ls | head -n 0", &["ls", "head -n 0"]),
            ("ls | head -n -1", &["ls", "head -n -1"]),
            ("ls | tail -n +2", &["ls", "tail -n +2"]),
            ("ls | head -c 5", &["ls", "head -c 5"]),
            ("ls | head -n 5 f", &["ls", "head -n 5 f"]),
            ("ls | head -n $n", &["ls", "head -n $n"]),
            ("ls | head -n 99999999999", &["ls", "head -n 99999999999"]),
            ("ls | head -n 5 > f", &["ls", "head -n 5 > f"]),
            ("ls | wc -l", &["ls", "wc -l"]),
            (
                "ls | head -n 5 | tail -n 1",
                &["ls", "head -n 5", "tail -n 1"],
            ),
            ("ls |& head -n 5", &["ls", "head -n 5"]),
            ("ls | head -n 5 # all", &["ls", "head -n 5"]),
            ("ls | # all\nhead -n 5", &["ls", "head -n 5"]),
            ("ls | head -n 5; true", &["ls", "head -n 5"]),
            ("! ls | head -n 5", &["ls", "head -n 5"]),
            ("(ls | head -n 5)", &["ls", "head -n 5"]),
            ("(ls) | head -n 5", &["ls", "head -n 5"]),
            ("X=1; ls | head -n 5", &["ls", "head -n 5"]),
        ];
        for (script, stages) in cases {
            assert_eq!(rewritten(script, stages), None, "{script}");
        }
        let base = || Builder::new("ls | head -n 5").stages(&["ls", "head -n 5"]);
        assert!(rewriting(&base().execution()).is_some());
        let changed = [
            base().doubt("dynamic-target").execution(),
            base().with(|unit| unit.background = true).execution(),
            base()
                .with(|unit| unit.context = Context::Subshell)
                .execution(),
            base()
                .with(|unit| unit.operator = Operator::Sequence)
                .execution(),
        ];
        for execution in changed {
            assert_eq!(rewriting(&execution), None);
        }
    }
}
