//! Compares what ran with the plan.
//!
//! What ran is *seen* when a unit of the plan has its name, by the last part
//! of the path, and where a marker tells one use of a builtin or function from
//! another, a unit of that name with this marker, or with a word that only
//! running tells.
//!
//! What is not seen must be *covered* by a doubt. Any doubt of the script
//! would be too little to ask: one needless doubt would excuse all the rest of
//! it. So the doubt must touch an item, a few whole lines, in which the name
//! was written. Nearer cannot be asked: what `$c` runs is written where `c` is
//! set. A name that was not written as such, because pieces of text made it,
//! may be covered from anywhere.

use std::collections::BTreeSet;
use std::ops::Range;

use bashgate::guest::bindings::policy::bashgate::policy::types::{Context, Plan, Unit};

use crate::generate::Script;
use crate::observe::{Ran, base_name};

/// What ran unseen.
#[must_use]
pub fn unseen(script: &Script, plan: &Plan, ran: &BTreeSet<Ran>) -> Vec<Ran> {
    ran.iter()
        .filter(|one| !is_seen(plan, one) && !is_covered(script, plan, one))
        .cloned()
        .collect()
}

fn is_seen(plan: &Plan, ran: &Ran) -> bool {
    ran.name == "sh" && gives_text_to_a_shell(plan) || has_unit(plan, ran)
}

/// Whether a program of the plan (`flock -c`, `watch`) starts a shell by itself
/// to run a text that the plan read: the text is what counts, whatever shell
/// that program takes.
fn gives_text_to_a_shell(plan: &Plan) -> bool {
    plan.units.iter().any(|unit| {
        let starter = unit
            .parent
            .and_then(|parent| plan.units.get(parent as usize));
        matches!(unit.context, Context::NestedScript)
            && starter.and_then(name).is_some_and(|name| name == "flock")
    })
}

fn has_unit(plan: &Plan, ran: &Ran) -> bool {
    plan.units
        .iter()
        .filter(|unit| name(unit) == Some(ran.name.as_str()))
        .any(|unit| match &ran.marker {
            None => true,
            Some(marker) => unit
                .words
                .iter()
                .any(|word| word.value.as_ref().is_none_or(|value| value == marker)),
        })
}

/// The name of a unit's program, where it is known.
#[must_use]
pub fn name(unit: &Unit) -> Option<&str> {
    unit.words.first()?.value.as_deref().map(base_name)
}

fn is_covered(script: &Script, plan: &Plan, ran: &Ran) -> bool {
    let written = ran.marker.as_ref().unwrap_or(&ran.name);
    let places = script.places(written, |item| item.replace("\r\n", "\n"));
    plan.doubts.iter().any(|doubt| {
        let span = doubt.span.start as usize..doubt.span.end as usize;
        places.iter().any(|place| touches(place, &span))
    })
}

/// Whether the ranges share something; an empty one, when it lies in the
/// other.
fn touches(place: &Range<usize>, span: &Range<usize>) -> bool {
    span.start < place.end && place.start < span.end
        || span.is_empty() && place.start <= span.start && span.start <= place.end
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use bashgate::guest::bindings::policy::bashgate::policy::types::{
        Context, Doubt, Operator, Plan, Span, Unit, Word,
    };

    use super::unseen;
    use crate::generate::Script;
    use crate::observe::Ran;

    fn unit(words: &[Option<&str>]) -> Unit {
        let span = Span { start: 0, end: 0 };
        Unit {
            span,
            text: String::new(),
            parent: None,
            context: Context::TopLevel,
            operator: Operator::None,
            assignments: Vec::new(),
            words: words
                .iter()
                .map(|value| Word {
                    span,
                    text: String::new(),
                    value: value.map(str::to_owned),
                })
                .collect(),
            identity: Vec::new(),
            program: None,
            redirects: Vec::new(),
            background: false,
            workdir: None,
            attributes: Vec::new(),
        }
    }

    fn names_unseen(
        units: Vec<Unit>,
        doubt: Option<Span>,
        ran: &[(&str, Option<&str>)],
    ) -> Vec<String> {
        let script = Script::of_items(&[("p1\n", &["p1"]), ("p2; echo m3\n", &["p2", "m3"])]);
        let doubts = doubt.into_iter().map(|span| Doubt {
            kind: "dynamic-program".to_owned(),
            span,
            text: String::new(),
            note: String::new(),
        });
        let plan = Plan {
            script: script.text(),
            units,
            effects: Vec::new(),
            doubts: doubts.collect(),
        };
        let ran: BTreeSet<Ran> = ran
            .iter()
            .map(|(name, marker)| Ran {
                name: (*name).to_owned(),
                marker: marker.map(str::to_owned),
            })
            .collect();
        unseen(&script, &plan, &ran)
            .into_iter()
            .map(|ran| ran.name)
            .collect()
    }

    #[test]
    fn a_unit_of_the_name_is_enough_for_a_program() {
        let units = vec![unit(&[Some("./bin/p1"), Some("x")])];
        let ran = [("p1", None), ("p2", None)];
        assert_eq!(names_unseen(units, None, &ran), ["p2"]);
    }

    #[test]
    fn a_builtin_needs_a_unit_with_its_marker() {
        let ran = [("echo", Some("m3"))];
        let other = vec![unit(&[Some("echo"), Some("m4")])];
        assert_eq!(names_unseen(other, None, &ran), ["echo"]);
        let dynamic = vec![unit(&[Some("echo"), None])];
        assert_eq!(names_unseen(dynamic, None, &ran), [""; 0]);
    }

    #[test]
    fn a_doubt_covers_its_own_lines_only() {
        let ran = [("p1", None), ("p2", None)];
        let second = Span { start: 4, end: 5 };
        assert_eq!(names_unseen(Vec::new(), Some(second), &ran), ["p1"]);
        let all = Span { start: 0, end: 16 };
        assert_eq!(names_unseen(Vec::new(), Some(all), &ran), [""; 0]);
    }
}
