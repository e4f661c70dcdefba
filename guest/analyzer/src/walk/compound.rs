//! Lists, pipelines and compound commands.

use std::rc::Rc;

use bashgate_guest::policy::{Context, Operator};

use super::redirect::Input;
use super::touched::Touched;
use super::word::one_of;
use super::{Place, Text, Walker};
use crate::expand::{Field, Use};
use crate::limits;
use crate::output::kind;
use crate::state::{State, Value};
use crate::syntax::{Command, Entry, Joint, Kind, List, PartKind, Pipeline, Span, TestItem, Word};

impl Walker<'_> {
    pub(crate) fn list(
        &mut self,
        text: &Text<'_>,
        list: &List<'_>,
        place: &Place,
        state: &mut State,
    ) {
        if !self.budget.descend() {
            return;
        }
        let mut operator = place.operator;
        for (index, entry) in list.entries.iter().enumerate() {
            if self.budget.is_exhausted() {
                break;
            }
            let place = Place {
                operator,
                background: place.background || entry.background,
                piped: place.piped.clone().filter(|_| index == 0),
                ..place.clone()
            };
            operator = if entry.background {
                Operator::Background
            } else {
                Operator::Sequence
            };
            if entry.background {
                // It runs in a shell of its own.
                self.apart(state, |walker, own| walker.entry(text, entry, &place, own));
            } else {
                self.entry(text, entry, &place, state);
            }
        }
        self.budget.ascend();
    }

    /// Walks a part in a shell of its own, whose changes and end do not last.
    pub(crate) fn apart(&mut self, state: &State, walk: impl FnOnce(&mut Self, &mut State)) {
        let dead = std::mem::replace(&mut self.dead, false);
        walk(self, &mut state.clone());
        self.dead = dead;
        self.failed = None;
    }

    /// Each pipeline runs only after success, or only after failure, of what
    /// stands before it.
    fn entry(&mut self, text: &Text<'_>, entry: &Entry<'_>, place: &Place, state: &mut State) {
        let (mut success, mut failure) = self.outcomes(text, &entry.first, place, state);
        for (joint, pipeline) in &entry.rest {
            let (entered, operator) = match joint {
                Joint::And => (&mut success, Operator::AndThen),
                Joint::Or => (&mut failure, Operator::OrElse),
            };
            let place = Place {
                operator,
                ..place.later()
            };
            self.dead = entered.is_none();
            if let Some(entered) = entered.take() {
                *state = entered;
            }
            let (succeeded, failed) = self.outcomes(text, pipeline, &place, state);
            success = either(success, succeeded);
            failure = either(failure, failed);
        }
        let after = either(success, failure);
        self.dead = after.is_none();
        if let Some(after) = after {
            *state = after;
        }
    }

    /// The shell after success and after failure; none where nothing follows.
    fn outcomes(
        &mut self,
        text: &Text<'_>,
        pipeline: &Pipeline<'_>,
        place: &Place,
        state: &mut State,
    ) -> (Option<State>, Option<State>) {
        self.failed = None;
        let dead = self.dead;
        self.pipeline(text, pipeline, place, state);
        let failed = self.failed.take();
        if dead {
            self.dead = true;
            return (None, None);
        }
        let success = (!self.dead).then(|| state.clone());
        let failure = failed.or_else(|| success.clone());
        if pipeline.negated {
            (failure, success)
        } else {
            (success, failure)
        }
    }

    fn pipeline(
        &mut self,
        text: &Text<'_>,
        pipeline: &Pipeline<'_>,
        place: &Place,
        state: &mut State,
    ) {
        let [stages @ .., last] = pipeline.stages.as_slice() else {
            return;
        };
        if stages.is_empty() {
            return self.command(text, last, place, state);
        }
        let mut printed: Option<Rc<str>> = place.piped.clone();
        let mut first = true;
        for stage in &pipeline.stages {
            let operator = if first {
                place.operator
            } else {
                Operator::Pipe
            };
            let place = Place {
                operator,
                piped: printed.take(),
                is_piped: place.is_piped || !first,
                ..place.clone()
            };
            printed = self.printed_by(text, stage, &place, state);
            self.apart(state, |walker, own| {
                walker.command(text, stage, &place, own);
            });
            first = false;
        }
    }

    pub(crate) fn command(
        &mut self,
        text: &Text<'_>,
        command: &Command<'_>,
        place: &Place,
        state: &mut State,
    ) {
        if !self.budget.descend() {
            return;
        }
        match &command.kind {
            Kind::Simple { assignments, words } => {
                self.simple(text, command, assignments, words, place, state)
            }
            Kind::Coproc { name, body } => {
                state.set(name.as_deref().unwrap_or("COPROC"), Value::Number);
                self.own_redirects(text, command, place, state);
                let place = Place {
                    background: true,
                    ..place.fed()
                };
                self.apart(state, |walker, own| walker.command(text, body, &place, own));
            }
            _ => {
                // The redirects are opened first, in the shell as it is.
                let input = self.own_redirects(text, command, place, state);
                self.compound(text, command, &input.feeds(place), state);
            }
        }
        self.budget.ascend();
    }

    /// Redirects of a compound command: a unit that carries them.
    fn own_redirects(
        &mut self,
        text: &Text<'_>,
        command: &Command<'_>,
        place: &Place,
        state: &mut State,
    ) -> Input {
        let (Some(first), Some(last)) = (command.redirects.first(), command.redirects.last())
        else {
            return Input::Inherited;
        };
        match self.unit(text, first.span.to(last.span), place, state) {
            Some(unit) => {
                let inner = Place {
                    parent: Some(unit),
                    ..place.within(place.context)
                };
                self.redirects(text, &command.redirects, unit, &inner, state)
            }
            None => Input::Unknown,
        }
    }

    fn compound(
        &mut self,
        text: &Text<'_>,
        command: &Command<'_>,
        place: &Place,
        state: &mut State,
    ) {
        match &command.kind {
            Kind::Subshell(list) => {
                let inner = Place {
                    operator: place.operator,
                    ..place.within(Context::Subshell)
                };
                self.apart(state, |walker, own| walker.list(text, list, &inner, own));
            }
            Kind::Group(list) => self.list(text, list, place, state),
            Kind::If {
                branches,
                otherwise,
            } => self.branches(text, branches, otherwise.as_ref(), place, state),
            Kind::While { condition, body } => {
                let mut touched = Touched::list(text.text, condition);
                touched.merge(Touched::list(text.text, body));
                state.disturb(&touched);
                self.list(text, condition, &place.within(Context::Conditional), state);
                self.round(text, body, place, state);
            }
            Kind::For { name, words, body } => {
                self.for_loop(text, name, words.as_deref(), body, place, state)
            }
            Kind::ArithmeticFor { header, body } => {
                if let Some(first) = header.first() {
                    self.expression(text, first, place, state);
                }
                let touched = header
                    .iter()
                    .fold(Touched::list(text.text, body), |touched, raw| {
                        touched.and_expression(text.text, raw)
                    });
                state.disturb(&touched);
                for raw in header.iter().skip(1) {
                    self.expression(text, raw, place, state);
                }
                self.round(text, body, place, state);
            }
            Kind::Case { subject, arms } => {
                self.visit(text, subject, place, state);
                let before = state.clone();
                let inner = place.within(Context::Conditional);
                for (patterns, body) in arms {
                    for pattern in patterns {
                        self.visit(text, pattern, place, state);
                    }
                    // `;&` goes on into the next, so each may follow another.
                    let mut own = state.clone();
                    let dead = self.dead;
                    self.list(text, body, &inner.later(), &mut own);
                    if !self.dead {
                        *state = state.clone().join(&own);
                    }
                    self.dead = dead;
                }
                self.failed = None;
                *state = state.clone().join(&before);
            }
            Kind::Function { name, body } => self.function(text, name, body, place, state),
            Kind::Arithmetic(raw) => {
                self.named_unit(text, command, "((", place, state);
                self.expression(text, raw, place, state);
            }
            Kind::Test(items) => {
                self.named_unit(text, command, "[[", place, state);
                self.test(text, items, place, state);
            }
            Kind::Simple { .. } | Kind::Coproc { .. } => {}
        }
    }

    /// The body of a loop, as in any of its rounds.
    fn round(&mut self, text: &Text<'_>, body: &List<'_>, place: &Place, state: &mut State) {
        let dead = self.dead;
        let mut own = state.clone();
        self.loops += 1;
        self.list(
            text,
            body,
            &place.within(Context::LoopBody).later(),
            &mut own,
        );
        self.loops -= 1;
        self.dead = dead;
        self.failed = None;
        *state = state.clone().join(&own);
    }

    /// The names that a pattern fits, where that can be told.
    fn found(&self, field: Field, state: &State) -> Vec<Field> {
        let (Some(pattern), [directory]) = (&field.pattern, state.directories.all()) else {
            return vec![field];
        };
        if state.globs_oddly {
            return vec![field];
        }
        match self.workspace.glob(directory, pattern, limits::GLOB_PATHS) {
            Some(paths) if !paths.is_empty() => {
                paths.iter().map(|path| Field::known(path)).collect()
            }
            _ => vec![field],
        }
    }

    fn branches(
        &mut self,
        text: &Text<'_>,
        branches: &[(List<'_>, List<'_>)],
        otherwise: Option<&List<'_>>,
        place: &Place,
        state: &mut State,
    ) {
        let inner = place.within(Context::Conditional);
        let mut after: Option<State> = None;
        for (index, (condition, body)) in branches.iter().enumerate() {
            let asks = if index == 0 {
                Place {
                    operator: place.operator,
                    ..inner.clone()
                }
            } else {
                inner.later()
            };
            self.list(text, condition, &asks, state);
            let dead = self.dead;
            let mut own = state.clone();
            self.list(text, body, &inner.later(), &mut own);
            after = either(after, (!self.dead).then_some(own));
            self.dead = dead;
        }
        if let Some(body) = otherwise {
            self.list(text, body, &inner.later(), state);
        }
        after = either(after, (!self.dead).then(|| state.clone()));
        self.failed = None;
        self.dead = after.is_none();
        if let Some(after) = after {
            *state = after;
        }
    }

    fn for_loop(
        &mut self,
        text: &Text<'_>,
        name: &str,
        words: Option<&[Word<'_>]>,
        body: &List<'_>,
        place: &Place,
        state: &mut State,
    ) {
        let value = match words {
            None => Value::Unknown,
            Some(words) => {
                let mut fields = Vec::new();
                for word in words {
                    fields.extend(self.word(text, word, Use::Argument, place, state));
                }
                let fields: Vec<Field> = fields
                    .into_iter()
                    .flat_map(|field| self.found(field, state))
                    .collect();
                one_of(&fields)
            }
        };
        let before = state.clone();
        let touched = Touched::list(text.text, body);
        state.disturb(&touched);
        let body_span = body
            .entries
            .first()
            .and_then(|entry| entry.first.stages.first())
            .map(|command| command.span);
        let taken = self.takes(text, name, value, body_span.unwrap_or_default(), state);
        if !touched.variables.contains_key(name) && !touched.everything {
            state.set(name, taken);
        } else {
            state.set(name, Value::Unknown);
        }
        self.variable_set(text, name, body_span, state);
        self.round(text, body, place, state);
        *state = state.clone().join(&before);
    }

    fn function(
        &mut self,
        text: &Text<'_>,
        name: &Word<'_>,
        body: &Command<'_>,
        place: &Place,
        state: &mut State,
    ) {
        let touched = Touched::command(text.text, body);
        match name.literal() {
            Some(literal) => {
                self.redefine(text, name.span, &literal, state);
                if literal == "command_not_found_handle" {
                    self.doubt(
                        kind::REDEFINED_PROGRAM,
                        text,
                        Span::new(0, text.text.len()),
                        "whatever is not found runs this function",
                    );
                }
                let functions = Rc::make_mut(&mut state.functions);
                functions.insert(Rc::from(literal.as_ref()), Rc::new(touched.clone()));
            }
            None => self.doubt(
                kind::REDEFINED_PROGRAM,
                text,
                name.span,
                "a function whose name only running can tell",
            ),
        }
        // The body runs whenever it is called, wherever the script then is and
        // whatever it has set by then.
        let mut own = state.clone();
        own.disturb(&touched);
        own.disturb(&self.whole);
        own.arguments = None;
        let outer = (self.dead, self.returns, self.loops);
        (self.dead, self.returns, self.loops) = (false, true, 0);
        let inner = place.within(Context::FunctionBody).fed();
        self.command(text, body, &inner, &mut own);
        (self.dead, self.returns, self.loops) = outer;
        self.failed = None;
        if own.ends_allow.is_some() {
            state.ends_allow = own.ends_allow;
        }
    }

    fn named_unit(
        &mut self,
        text: &Text<'_>,
        command: &Command<'_>,
        name: &str,
        place: &Place,
        state: &State,
    ) {
        if let Some(unit) = self.unit(text, command.span, place, state) {
            self.out.attribute(unit, "builtin", name);
            let start = command.span.start;
            let span = crate::syntax::Span {
                start,
                end: start + 2,
            };
            let word = bashgate_guest::policy::Word {
                span: text.span(span),
                text: name.to_owned(),
                value: Some(name.to_owned()),
            };
            if let Some(unit) = self.out.unit_mut(unit) {
                unit.words.push(word);
                unit.identity.push(0);
            }
        }
    }

    /// `[[ … ]]`: operands run what stands in them, and those of `-eq` and kin
    /// are evaluated.
    fn test(&mut self, text: &Text<'_>, items: &[TestItem<'_>], place: &Place, state: &mut State) {
        let numeric = |item: Option<&TestItem<'_>>| match item {
            Some(TestItem::Word(word)) => word.bare().is_some_and(|bare| {
                matches!(bare.as_ref(), "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge")
            }),
            _ => false,
        };
        for (index, item) in items.iter().enumerate() {
            let TestItem::Word(word) = item else { continue };
            let before = index.checked_sub(1).and_then(|before| items.get(before));
            let evaluated = numeric(items.get(index + 1)) || numeric(before);
            let value = self.value(text, word, place, state);
            // `-v NAME[…]` evaluates the subscript.
            let named = matches!(before, Some(TestItem::Word(option)) if option.bare().is_some_and(|bare| bare == "-v" || bare == "-R"));
            match value {
                Some(value) if evaluated || (named && value.contains('[')) => {
                    if crate::arithmetic::could_run(&value) {
                        self.doubt(
                            kind::EVALUATED_TEXT,
                            text,
                            word.span,
                            "the operand is evaluated as an expression",
                        );
                    }
                    self.evaluated(text, word.span, &value, state);
                }
                None if evaluated && !self.only_numbers(text, word, place, state) => {
                    self.doubt(
                        kind::EVALUATED_TEXT,
                        text,
                        word.span,
                        "the operand is evaluated as an expression",
                    );
                }
                None if named => self.doubt(
                    kind::EVALUATED_TEXT,
                    text,
                    word.span,
                    "the name is evaluated",
                ),
                _ => {}
            }
        }
    }

    fn only_numbers(
        &mut self,
        text: &Text<'_>,
        word: &Word<'_>,
        place: &Place,
        state: &mut State,
    ) -> bool {
        if let [part] = word.parts.as_slice()
            && let PartKind::Parameter(parameter) = &part.kind
            && self.settles_parameter(parameter, state)
        {
            return true;
        }
        // Evaluated once more for its shape alone; units were found before.
        let (units, effects, doubts) = (
            self.out.units.len(),
            self.out.effects.len(),
            self.out.doubts.len(),
        );
        let fields = self.word(text, word, Use::Assigned, place, state);
        self.out.units.truncate(units);
        self.out.effects.truncate(effects);
        self.out.doubts.truncate(doubts);
        fields
            .iter()
            .all(|field| field.number && field.prefix.is_empty())
    }
}

/// What holds after either; none is a way that nothing follows.
fn either(one: Option<State>, other: Option<State>) -> Option<State> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.join(&other)),
        (one, other) => one.or(other),
    }
}
