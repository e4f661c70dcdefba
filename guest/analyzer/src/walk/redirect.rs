//! Redirects: what they open, and the text that they bring.

use bashgate_guest::policy::{
    Access, Origin, Redirect as PlanRedirect, RedirectKind, Word as PlanWord,
};

use super::{Place, Text, Walker};
use crate::expand::{Field, Use};
use crate::output::kind;
use crate::state::State;
use crate::syntax::{
    Aid, Descriptor, HereDocument, Part, PartKind, Redirect, RedirectOperator, Span,
};

/// What comes in on standard input, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Input {
    /// Whatever it was before.
    #[default]
    Inherited,
    /// This text.
    Text(String),
    /// Only running can tell.
    Unknown,
    /// Nothing: `/dev/null`.
    Empty,
}

impl Input {
    /// Where a compound command with this input stands.
    pub(crate) fn feeds(&self, place: &Place) -> Place {
        match self {
            Self::Inherited => place.clone(),
            Self::Text(text) => Place {
                piped: Some(std::rc::Rc::from(text.as_str())),
                is_piped: true,
                ..place.clone()
            },
            Self::Empty => Place {
                piped: Some(std::rc::Rc::from("")),
                is_piped: true,
                ..place.clone()
            },
            Self::Unknown => place.fed(),
        }
    }
}

impl Walker<'_> {
    /// Adds redirects to a unit; answers what standard input then is.
    pub(crate) fn redirects(
        &mut self,
        text: &Text<'_>,
        redirects: &[Redirect<'_>],
        unit: u32,
        place: &Place,
        state: &mut State,
    ) -> Input {
        let mut input = Input::Inherited;
        for redirect in redirects {
            let (descriptor, standard) = match redirect.descriptor {
                Descriptor::Number(number) => (Some(number), number == 0),
                Descriptor::None => (None, true),
                Descriptor::Variable(_) => (None, false),
            };
            let brought = self.redirect(text, redirect, descriptor, unit, place, state);
            let reads = matches!(
                redirect.operator,
                RedirectOperator::Input
                    | RedirectOperator::InputOutput
                    | RedirectOperator::DuplicateInput
                    | RedirectOperator::HereDocument
                    | RedirectOperator::HereString
            );
            if reads && standard {
                input = brought;
            }
        }
        input
    }

    fn redirect(
        &mut self,
        text: &Text<'_>,
        redirect: &Redirect<'_>,
        descriptor: Option<u32>,
        unit: u32,
        place: &Place,
        state: &mut State,
    ) -> Input {
        let (body, brought) = match (redirect.operator, redirect.here_document) {
            (RedirectOperator::HereDocument, Some(index)) => {
                self.here_document(text, index, place, state)
            }
            (RedirectOperator::HereString, _) => {
                let value = self.value(text, &redirect.target, place, state);
                let brought = value
                    .as_ref()
                    .map_or(Input::Unknown, |value| Input::Text(format!("{value}\n")));
                (
                    value.or_else(|| Some(redirect.target.span.of(text.text).to_owned())),
                    brought,
                )
            }
            _ => (None, Input::Unknown),
        };
        let here = matches!(
            redirect.operator,
            RedirectOperator::HereDocument | RedirectOperator::HereString
        );
        if text.held_at.is_none() {
            self.lift_redirect(text, redirect);
        }
        let fields = if here {
            Vec::new()
        } else {
            self.word(text, &redirect.target, Use::Target, place, state)
        };
        let field = match fields.as_slice() {
            [field] => field.clone(),
            [] if here => Field::known(redirect.target.span.of(text.text)),
            _ => Field::default(),
        };
        let what = kind_of(redirect, &field);
        let planned = PlanRedirect {
            span: text.span(redirect.span),
            fd: descriptor,
            kind: what,
            target: PlanWord {
                span: text.span(redirect.target.span),
                text: redirect.target.span.of(text.text).to_owned(),
                value: field.value.clone(),
            },
            body,
        };
        if let Some(unit) = self.out.unit_mut(unit) {
            unit.redirects.push(planned);
        }
        if here || matches!(what, RedirectKind::Duplicate | RedirectKind::Close) {
            return brought;
        }
        self.opened(text, redirect, &field, unit, place, state)
    }

    fn opened(
        &mut self,
        text: &Text<'_>,
        redirect: &Redirect<'_>,
        field: &Field,
        unit: u32,
        place: &Place,
        state: &State,
    ) -> Input {
        let accesses: &[Access] = match redirect.operator {
            RedirectOperator::Input => &[Access::Read],
            RedirectOperator::InputOutput => &[Access::Read, Access::Write],
            _ => &[Access::Write],
        };
        let process = redirect
            .target
            .parts
            .iter()
            .any(|part| matches!(part.kind, crate::syntax::PartKind::Process(_)));
        if process {
            return Input::Unknown;
        }
        let known = crate::walk::meant::path_of(field);
        if known.is_none() {
            self.doubt(
                kind::DYNAMIC_TARGET,
                text,
                redirect.target.span,
                "only running can tell which file this opens",
            );
        }
        let shown = redirect.target.span.of(text.text);
        let spot = (text.span(redirect.target.span), shown);
        for &access in accesses {
            self.touch(
                unit,
                spot,
                known.as_ref(),
                access,
                Origin::Redirect,
                None,
                state,
            );
        }
        let _ = place;
        if field.value.as_deref() == Some("/dev/null") {
            Input::Empty
        } else {
            Input::Unknown
        }
    }

    fn here_document(
        &mut self,
        text: &Text<'_>,
        index: usize,
        place: &Place,
        state: &mut State,
    ) -> (Option<String>, Input) {
        let Some(document) = text.here_documents.get(index) else {
            return (None, Input::Unknown);
        };
        if text.held_at.is_none() {
            self.lift_here_document(text, document);
        }
        let spans_tabs = |part: &Part<'_>| {
            !matches!(part.kind, PartKind::Literal(_)) && part.span.of(text.text).contains("\n\t")
        };
        if document.strip_tabs && document.parts.iter().any(spans_tabs) {
            self.doubt(
                kind::EVALUATED_TEXT,
                text,
                document.lines,
                "tabs are removed from the lines of this substitution before bash reads it",
            );
        }
        let written = document.body.of(text.text);
        let written = if document.strip_tabs {
            written
                .split_inclusive('\n')
                .map(|line| line.trim_start_matches('\t'))
                .collect()
        } else {
            written.to_owned()
        };
        if document.quoted {
            return (Some(written.clone()), Input::Text(written));
        }
        let pieces = self.pieces(text, &document.parts, place, state);
        let mut known = String::new();
        for piece in &pieces {
            match piece {
                crate::expand::Piece::Active(part) | crate::expand::Piece::Fixed(part) => {
                    known.push_str(part)
                }
                _ => return (Some(written), Input::Unknown),
            }
        }
        (Some(known.clone()), Input::Text(known))
    }
}

impl Walker<'_> {
    /// The second parser may get the text without this redirect. What its
    /// target runs stays, as words that stand for themselves.
    fn lift_redirect(&mut self, text: &Text<'_>, redirect: &Redirect<'_>) {
        let target = redirect.target.span;
        if redirect.target.parts.iter().any(|part| runs(text, part)) {
            self.aids.push(Aid::Blank(Span {
                end: target.start,
                ..redirect.span
            }));
            self.kept.push(target.start);
        } else {
            self.aids.push(Aid::Blank(redirect.span));
        }
    }

    /// Without its redirects such a command would be nothing, and a grammar
    /// miss something there.
    pub(crate) fn aid_lone_redirects(&mut self, text: &Text<'_>, span: Span) {
        if runs_nothing(span.of(text.text)) {
            self.aids.push(Aid::Letters(span));
            self.kept.push(span.start);
        }
    }

    /// The same for the lines of a here-document.
    fn lift_here_document(&mut self, text: &Text<'_>, document: &HereDocument<'_>) {
        let mut lines = document.lines;
        for part in document.parts.iter().filter(|part| runs(text, part)) {
            self.aids.push(Aid::Blank(Span {
                end: part.span.start,
                ..lines
            }));
            self.kept.push(part.span.start);
            lines.start = part.span.end;
        }
        self.aids.push(Aid::Blank(lines));
    }
}

/// Whether a part may run something.
fn runs(text: &Text<'_>, part: &Part<'_>) -> bool {
    !matches!(part.kind, PartKind::Literal(_)) && !runs_nothing(part.span.of(text.text))
}

/// Whether nothing can run in a text, by its bytes alone.
pub(crate) fn runs_nothing(written: &str) -> bool {
    !["$(", "`", "<(", ">("]
        .iter()
        .any(|sign| written.contains(sign))
}

fn kind_of(redirect: &Redirect<'_>, target: &Field) -> RedirectKind {
    let descriptor = |target: &Field| {
        target.value.as_deref().is_some_and(|value| {
            let digits = value.strip_suffix('-').unwrap_or(value);
            value == "-" || (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
        }) || target.number
    };
    match redirect.operator {
        RedirectOperator::Input => RedirectKind::Input,
        RedirectOperator::Output | RedirectOperator::Both => RedirectKind::Output,
        RedirectOperator::Append | RedirectOperator::AppendBoth => RedirectKind::Append,
        RedirectOperator::Clobber => RedirectKind::Clobber,
        RedirectOperator::InputOutput => RedirectKind::InputOutput,
        RedirectOperator::HereDocument => RedirectKind::HereDocument,
        RedirectOperator::HereString => RedirectKind::HereString,
        RedirectOperator::DuplicateInput | RedirectOperator::DuplicateOutput => match target
            .value
            .as_deref()
        {
            Some("-") => RedirectKind::Close,
            _ if descriptor(target) || redirect.operator == RedirectOperator::DuplicateInput => {
                RedirectKind::Duplicate
            }
            _ => RedirectKind::Output,
        },
    }
}
