//! One analysis, from a script to its plan.

use bashgate_guest::analyzer::Input;
use bashgate_guest::policy::Plan;

use crate::output::kind;
use crate::parse;
use crate::parse::tree_sitter::{Found, compare};
use crate::state::State;
use crate::syntax::Span;
use crate::walk::touched::Touched;
use crate::walk::{Place, Text, Walker};
use crate::workspace::Workspace;
use crate::{hidden, limits};

/// The plan of a script. Never fails: what cannot be understood is a doubt.
pub fn analyze(input: &Input, workspace: &dyn Workspace) -> Plan {
    let script = input.script.as_str();
    let mut walker = Walker::new(workspace, &input.home, &input.redefined);
    let whole = Span::new(0, script.len());
    let all = Text {
        text: script,
        here_documents: &[],
        held_at: None,
    };
    if script.len() > limits::SCRIPT_BYTES {
        walker.doubt(
            kind::TOO_COMPLEX,
            &all,
            whole,
            "the script is too long to be judged",
        );
        return walker.out.plan(input.script.clone());
    }
    hidden::find(script, &mut walker.out);
    let parsed = parse::read(script, &mut walker.budget);
    let text = Text {
        here_documents: &parsed.here_documents,
        ..all
    };
    for problem in &parsed.problems {
        walker.doubt(kind::SYNTAX_ERROR, &text, problem.span, problem.note);
    }
    walker.whole = Touched::list(script, &parsed.list);
    walker.list(
        &text,
        &parsed.list,
        &Place::top(),
        &mut State::new(&input.workdir),
    );
    walker.aids.extend(&parsed.aids);
    second_reading(script, &mut walker);
    filters(&parsed, &mut walker);
    if walker.budget.is_exhausted() || walker.out.overflowed {
        walker.doubt(
            kind::TOO_COMPLEX,
            &text,
            whole,
            "the script is too complex to be judged",
        );
    }
    let nothing = walker.out.units.is_empty()
        && walker.out.doubts.is_empty()
        && parsed.list.entries.is_empty();
    if nothing && !parse::is_blank(script) {
        walker.doubt(
            kind::NOTHING_FOUND,
            &text,
            whole,
            "the script is not blank, but nothing was found in it",
        );
    }
    walker.out.plan(input.script.clone())
}

/// What the other parser says of the same text.
fn second_reading(script: &str, walker: &mut Walker<'_>) {
    // What is too complex is in doubt already.
    if walker.budget.is_exhausted() || walker.out.overflowed {
        return;
    }
    let starts = walker
        .out
        .units
        .iter()
        .filter_map(|unit| unit.words.first())
        .map(|word| word.span.start);
    let found = Found {
        starts: starts.collect(),
        held: std::mem::take(&mut walker.held),
        aids: std::mem::take(&mut walker.aids),
        kept: std::mem::take(&mut walker.kept),
    };
    let text = Text {
        text: script,
        here_documents: &[],
        held_at: None,
    };
    for difference in compare(script, &found) {
        walker.doubt(
            kind::PARSERS_DISAGREE,
            &text,
            difference.span,
            difference.note,
        );
    }
}

/// Only the last stage of the script's last pipeline hides exit codes.
fn filters(parsed: &crate::syntax::Script<'_>, walker: &mut Walker<'_>) {
    let last = parsed.list.entries.last().filter(|entry| !entry.background);
    let last = last.map(|entry| {
        entry
            .rest
            .last()
            .map_or(&entry.first, |(_, pipeline)| pipeline)
    });
    let stage = last
        .filter(|pipeline| pipeline.stages.len() > 1)
        .and_then(|pipeline| pipeline.stages.last());
    let span = stage.map(|stage| stage.span);
    for unit in &mut walker.out.units {
        let is_last =
            span.is_some_and(|span| unit.parent.is_none() && unit.span.start == span.start);
        if !is_last {
            unit.attributes.retain(|(name, _)| name != "filter");
        }
    }
}
