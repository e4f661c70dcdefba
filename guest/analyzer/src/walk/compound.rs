//! Lists, pipelines and compound commands.

use std::rc::Rc;

use bashgate_guest::policy::{Context, Operator};

use super::touched::Touched;
use super::word::one_of;
use super::{Place, Text, Walker};
use crate::expand::Use;
use crate::output::kind;
use crate::state::{State, Value};
use crate::syntax::{Command, Entry, Joint, Kind, List, Pipeline, TestItem, Word};

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
        for (index, entry) in list.entries.iter().enumerate() {
            if self.budget.is_exhausted() {
                break;
            }
            let operator = match (
                index,
                index
                    .checked_sub(1)
                    .and_then(|before| list.entries.get(before)),
            ) {
                (0, _) | (_, None) => place.operator,
                (_, Some(before)) if before.background => Operator::Background,
                _ => Operator::Sequence,
            };
            let place = Place {
                operator,
                background: place.background || entry.background,
                ..place.clone()
            };
            let place = if index == 0 {
                place
            } else {
                Place {
                    piped: None,
                    ..place
                }
            };
            if entry.background {
                // It runs in a shell of its own.
                let mut own = state.clone();
                self.entry(text, entry, &place, &mut own);
            } else {
                self.entry(text, entry, &place, state);
            }
        }
        self.budget.ascend();
    }

    fn entry(&mut self, text: &Text<'_>, entry: &Entry<'_>, place: &Place, state: &mut State) {
        self.pipeline(text, &entry.first, place, state);
        for (joint, pipeline) in &entry.rest {
            let operator = match joint {
                Joint::And => Operator::AndThen,
                Joint::Or => Operator::OrElse,
            };
            let place = Place {
                operator,
                piped: None,
                ..place.clone()
            };
            // What came before decides whether this runs; after `&&` it ran.
            let skipped = state.clone();
            self.pipeline(text, pipeline, &place, state);
            if *joint == Joint::Or || entry.rest.len() > 1 {
                *state = state.clone().join(&skipped);
            }
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
            let mut own = state.clone();
            printed = self.printed_by(text, stage, &place, &own);
            self.command(text, stage, &place, &mut own);
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
            Kind::Coproc { body, .. } => {
                self.own_redirects(text, command, place, state);
                let place = Place {
                    background: true,
                    ..place.clone()
                };
                self.command(text, body, &place, &mut state.clone());
            }
            _ => {
                // The redirects are opened first, in the shell as it is.
                self.own_redirects(text, command, place, state);
                self.compound(text, command, place, state);
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
    ) {
        let (Some(first), Some(last)) = (command.redirects.first(), command.redirects.last())
        else {
            return;
        };
        if let Some(unit) = self.unit(text, first.span.to(last.span), place, state) {
            self.redirects(text, &command.redirects, unit, place, state);
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
            Kind::Subshell(list) => self.list(
                text,
                list,
                &Place {
                    operator: place.operator,
                    ..place.within(Context::Subshell)
                },
                &mut state.clone(),
            ),
            Kind::Group(list) => self.list(text, list, place, state),
            Kind::If {
                branches,
                otherwise,
            } => self.branches(text, branches, otherwise.as_ref(), place, state),
            Kind::While { condition, body } => {
                let mut touched = Touched::list(text.text, condition);
                let inner = Touched::list(text.text, body);
                merge(&mut touched, inner);
                state.disturb(&touched);
                self.list(text, condition, &place.within(Context::Conditional), state);
                let mut own = state.clone();
                self.list(text, body, &place.within(Context::LoopBody), &mut own);
                *state = state.clone().join(&own);
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
                let mut own = state.clone();
                self.list(text, body, &place.within(Context::LoopBody), &mut own);
                *state = state.clone().join(&own);
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
                    self.list(text, body, &inner, &mut own);
                    *state = state.clone().join(&own);
                }
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

    fn branches(
        &mut self,
        text: &Text<'_>,
        branches: &[(List<'_>, List<'_>)],
        otherwise: Option<&List<'_>>,
        place: &Place,
        state: &mut State,
    ) {
        let inner = place.within(Context::Conditional);
        let mut ends: Vec<State> = Vec::new();
        for (condition, body) in branches {
            self.list(text, condition, &inner, state);
            let mut own = state.clone();
            self.list(text, body, &inner, &mut own);
            ends.push(own);
        }
        if let Some(body) = otherwise {
            self.list(text, body, &inner, state);
        }
        for end in &ends {
            *state = state.clone().join(end);
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
                one_of(&fields)
            }
        };
        let before = state.clone();
        let touched = Touched::list(text.text, body);
        state.disturb(&touched);
        if !touched.variables.contains_key(name) && !touched.everything {
            state.set(name, value);
        } else {
            state.set(name, Value::Unknown);
        }
        self.variable_set(
            text,
            name,
            body.entries
                .first()
                .and_then(|entry| entry.first.stages.first())
                .map(|command| command.span),
            state,
        );
        self.list(text, body, &place.within(Context::LoopBody), state);
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
        // The body runs whenever it is called: with what may be then.
        let mut own = state.clone();
        own.disturb(&touched);
        own.arguments = None;
        own.directories = crate::state::Directories::Unknown;
        if !touched.directory && state.directories.all().len() == 1 && !place_calls_elsewhere(state)
        {
            own.directories = state.directories.clone();
        }
        self.command(text, body, &place.within(Context::FunctionBody), &mut own);
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

/// Whether the script has been in more than one directory: then a function may
/// be called from another than it is defined in.
fn place_calls_elsewhere(state: &State) -> bool {
    state.previous.is_some()
}

fn merge(touched: &mut Touched, other: Touched) {
    touched.everything |= other.everything;
    touched.directory |= other.directory;
    for (name, number) in other.variables {
        let entry = touched.variables.entry(name).or_insert(number);
        *entry &= number;
    }
}
