//! Asks the analyzer for the plan, and checks that it is one.

use crate::guest::bindings::analyzer::exports::bashgate::analyzer::analyzer::Input;
use crate::guest::bindings::policy::bashgate::policy::types::{
    Access, Doubt, Effect, Finding, Origin, Plan, Span, Zone,
};
use crate::guest::{Analyzer, Fault, Guest, GuestError};

use super::decision::own;
use super::{Asker, Case, World};

/// The plan, and what the gate has to say of it.
pub(super) struct Analysis {
    pub(super) plan: Plan,
    pub(super) findings: Vec<Finding>,
}

pub(super) fn analyze(
    analyzer: &Guest<Analyzer>,
    case: &Case,
    asker: &Asker,
    world: &World,
) -> Analysis {
    let input = Input {
        script: case.script.clone(),
        workdir: case.workdir.clone(),
        home: asker.home.clone(),
        redefined: Vec::new(),
    };
    let answer = analyzer.call(Some(Box::new(world.clone())), |guest, store| {
        guest
            .bashgate_analyzer_analyzer()
            .call_analyze(store, &input)
    });
    let checked = answer.and_then(|plan| match broken(&plan, &case.script) {
        None => Ok(plan),
        Some(what) => Err(GuestError {
            label: analyzer.label.clone(),
            fault: Fault::Contract(what),
        }),
    });
    let mut analysis = match checked {
        Ok(plan) => Analysis {
            plan,
            findings: Vec::new(),
        },
        Err(error) => unavailable(&case.script, &error),
    };
    let plan = &mut analysis.plan;
    if runs_something(&case.script) && plan.units.is_empty() && plan.doubts.is_empty() {
        let note = "the script is not blank, but nothing was found in it";
        plan.doubts.push(doubt("nothing-found", &case.script, note));
    }
    enter(plan, case, world);
    analysis
}

/// Whether there is a line that is neither blank nor a comment.
fn runs_something(script: &str) -> bool {
    script
        .lines()
        .map(str::trim)
        .any(|line| !line.is_empty() && !line.starts_with('#'))
}

fn unavailable(script: &str, error: &GuestError) -> Analysis {
    Analysis {
        plan: Plan {
            script: script.to_owned(),
            units: Vec::new(),
            effects: Vec::new(),
            doubts: vec![doubt("analyzer-unavailable", script, &error.to_string())],
        },
        findings: vec![own("analyzer-unavailable", error.to_string())],
    }
}

fn doubt(kind: &str, script: &str, note: &str) -> Doubt {
    Doubt {
        kind: kind.to_owned(),
        span: Span {
            start: 0,
            end: u32::try_from(script.len()).unwrap_or(u32::MAX),
        },
        text: script.to_owned(),
        note: note.to_owned(),
    }
}

/// To start outside the workspace is to enter that directory.
fn enter(plan: &mut Plan, case: &Case, world: &World) {
    let location = world.place(&case.workdir);
    if plan.units.is_empty() || matches!(location.zone, Zone::Workspace) {
        return;
    }
    plan.effects.push(Effect {
        unit: 0,
        span: Span { start: 0, end: 0 },
        text: case.workdir.clone(),
        access: Access::Enter,
        origin: Origin::Inferred,
        location: Some(location),
    });
}

/// What is wrong with a plan, if anything: it must speak of this very script,
/// and every index and span in it must hold.
fn broken(plan: &Plan, script: &str) -> Option<String> {
    if plan.script != script {
        return Some("its plan is of another script".into());
    }
    let units = plan.units.len();
    for (index, unit) in plan.units.iter().enumerate() {
        let words = unit.words.iter().map(|word| &word.span);
        let redirects = unit.redirects.iter().map(|redirect| &redirect.span);
        let mut spans = words.chain(redirects).chain([&unit.span]);
        if let Some(problem) = spans.find_map(|span| bad_span(span, script)) {
            return Some(format!("unit {index}: {problem}"));
        }
        let is_unit = |parent: u32| (parent as usize) < units && parent as usize != index;
        if unit.parent.is_some_and(|parent| !is_unit(parent)) {
            return Some(format!("unit {index} has a parent that is no unit"));
        }
        let words = unit.words.len();
        if unit.identity.iter().any(|&word| word as usize >= words) {
            return Some(format!(
                "unit {index} is named by a word that it does not have"
            ));
        }
    }
    let effect = plan.effects.iter().find_map(|effect| {
        if effect.unit as usize >= units {
            return Some(format!(
                "an effect is of unit {}, which is not there",
                effect.unit
            ));
        }
        bad_span(&effect.span, script)
    });
    let mut doubts = plan.doubts.iter();
    effect.or_else(|| doubts.find_map(|doubt| bad_span(&doubt.span, script)))
}

/// Why a span names no part of `script`.
pub(super) fn bad_span(span: &Span, script: &str) -> Option<String> {
    let Span { start, end } = *span;
    script
        .get(start as usize..end as usize)
        .is_none()
        .then(|| format!("span {start}..{end} is no part of the script"))
}
