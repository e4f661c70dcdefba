//! From syntax to units, effects and doubts: every simple command at any
//! depth, with what the shell would know when it runs.

mod compound;
mod meant;
mod nested;
mod redirect;
mod simple;
pub mod touched;
mod word;

use std::collections::BTreeSet;
use std::rc::Rc;

use bashgate_guest::policy::{Context, Operator, Span as PlanSpan, Unit};

use crate::limits::{self, Budget};
use crate::output::{Output, kind};
use crate::state::State;
use crate::syntax::{Aid, HereDocument, Span};
use crate::workspace::Workspace;
use touched::Touched;

/// What stays the same through a whole analysis.
pub struct Walker<'w> {
    pub(crate) workspace: &'w dyn Workspace,
    pub(crate) out: Output,
    pub(crate) budget: Budget,
    pub(crate) home: String,
    /// Names that the shell's start, or the script, redefines.
    pub(crate) redefined: BTreeSet<Rc<str>>,
    pub(crate) nested: u32,
    /// What any part of the script may change: what a function finds that is
    /// called later.
    pub(crate) whole: Touched,
    /// The shell after the command just walked, had it failed, where that
    /// makes a difference.
    pub(crate) failed: Option<State>,
    /// Nothing follows the command just walked: it ended the shell.
    pub(crate) dead: bool,
    /// In a function or a sourced file, which `return` ends.
    pub(crate) returns: bool,
    /// Loops around, which `break` ends.
    pub(crate) loops: u32,
    /// For the comparison with the second parser.
    pub(crate) held: Vec<Span>,
    pub(crate) aids: Vec<Aid>,
    pub(crate) kept: Vec<u32>,
}

/// The text that is walked: the plan's own, or one within it.
#[derive(Clone, Copy)]
pub(crate) struct Text<'t> {
    pub(crate) text: &'t str,
    pub(crate) here_documents: &'t [HereDocument<'t>],
    /// The place in the plan's script that stands for all of this text, when
    /// it is not a part of it byte by byte.
    pub(crate) held_at: Option<PlanSpan>,
}

impl Text<'_> {
    pub(crate) fn span(&self, span: Span) -> PlanSpan {
        self.held_at.unwrap_or(PlanSpan {
            start: span.start,
            end: span.end,
        })
    }
}

/// Where a command stands.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) parent: Option<u32>,
    pub(crate) context: Context,
    pub(crate) operator: Operator,
    pub(crate) background: bool,
    /// Why no rule may allow what is here.
    pub(crate) ends_allow: Option<Rc<str>>,
    /// Text that the stage before prints, when that is literal.
    pub(crate) piped: Option<Rc<str>>,
    /// It is fed by a pipe.
    pub(crate) is_piped: bool,
}

impl Place {
    pub(crate) fn top() -> Self {
        Self {
            parent: None,
            context: Context::TopLevel,
            operator: Operator::None,
            background: false,
            ends_allow: None,
            piped: None,
            is_piped: false,
        }
    }

    /// The same, in another context. Inside a substitution or a function it
    /// stays that: it says more than what it is nested in there.
    pub(crate) fn within(&self, context: Context) -> Self {
        let outer = self.context;
        let stays = matches!(
            outer,
            Context::CommandSubstitution
                | Context::ProcessSubstitution
                | Context::FunctionBody
                | Context::TrapBody
                | Context::NestedScript
        ) && matches!(
            context,
            Context::Subshell | Context::Conditional | Context::LoopBody
        );
        Self {
            context: if stays { outer } else { context },
            operator: Operator::None,
            ..self.clone()
        }
    }

    /// Where standard input may have been read from before.
    pub(crate) fn later(&self) -> Self {
        Self {
            piped: None,
            ..self.clone()
        }
    }

    /// Where standard input is whatever only running can tell.
    pub(crate) fn fed(&self) -> Self {
        Self {
            piped: None,
            is_piped: true,
            ..self.clone()
        }
    }
}

impl<'w> Walker<'w> {
    pub(crate) fn new(workspace: &'w dyn Workspace, home: &str, redefined: &[String]) -> Self {
        Self {
            workspace,
            out: Output::default(),
            budget: Budget::default(),
            home: home.to_owned(),
            redefined: redefined
                .iter()
                .map(|name| Rc::from(name.as_str()))
                .collect(),
            nested: 0,
            whole: Touched::default(),
            failed: None,
            dead: false,
            returns: false,
            loops: 0,
            held: Vec::new(),
            aids: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// A unit without anything in it yet; its index, or none when there are
    /// too many.
    pub(crate) fn unit(
        &mut self,
        text: &Text<'_>,
        span: Span,
        place: &Place,
        state: &State,
    ) -> Option<u32> {
        let shown = span.of(text.text).trim_end();
        let span = Span {
            start: span.start,
            end: span.start + u32::try_from(shown.len()).unwrap_or(0),
        };
        let index = self.out.unit(Unit {
            span: text.span(span),
            text: shown.to_owned(),
            parent: place.parent,
            context: place.context,
            operator: place.operator,
            assignments: Vec::new(),
            words: Vec::new(),
            identity: Vec::new(),
            program: None,
            redirects: Vec::new(),
            background: place.background,
            workdir: (state.directories.all().len() == 1)
                .then(|| state.directories.first().map(str::to_owned))
                .flatten(),
            attributes: Vec::new(),
        });
        if let (Some(index), Some(why)) = (
            index,
            place.ends_allow.as_ref().or(state.ends_allow.as_ref()),
        ) {
            self.out.attribute(index, "ends-allow", why);
        }
        index
    }

    pub(crate) fn doubt(&mut self, kind: &str, text: &Text<'_>, span: Span, note: &str) {
        self.out
            .doubt(kind, text.span(span), span.of(text.text), note);
    }

    /// Reads and walks a text that another holds.
    pub(crate) fn text(&mut self, held: &str, held_at: PlanSpan, place: &Place, state: &mut State) {
        if self.nested >= limits::NESTED_SCRIPTS {
            self.out.doubt(
                kind::TOO_COMPLEX,
                held_at,
                held,
                "scripts within scripts, too deep to follow",
            );
            return;
        }
        if !self.budget.descend() {
            return;
        }
        self.nested += 1;
        self.held.push(Span {
            start: held_at.start,
            end: held_at.end,
        });
        let script = crate::parse::read(held, &mut self.budget);
        let text = Text {
            text: held,
            here_documents: &script.here_documents,
            held_at: Some(held_at),
        };
        for problem in &script.problems {
            self.doubt(kind::SYNTAX_ERROR, &text, problem.span, problem.note);
        }
        let outer = self.whole.clone();
        self.whole.merge(Touched::list(held, &script.list));
        self.list(&text, &script.list, place, state);
        self.whole = outer;
        self.nested -= 1;
        self.budget.ascend();
    }
}
