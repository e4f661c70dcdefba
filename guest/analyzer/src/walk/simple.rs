//! A simple command: its assignments, its words, its redirects, and then what
//! they mean.

use std::rc::Rc;

use bashgate_guest::policy::{Assignment as PlanAssignment, Word as PlanWord};

use super::redirect::runs_nothing;
use super::{Place, Text, Walker};
use crate::expand::{Field, Use, is_name};
use crate::limits;
use crate::meaning::variable::{Harm, assigned, run_later};
use crate::output::kind;
use crate::state::{State, Value};
use crate::syntax::{Aid, Assignment, Command, PartKind, Span, Word};

/// The fields of a command, each with the word it comes from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    pub(crate) fields: Vec<Field>,
    pub(crate) spans: Vec<Span>,
}

impl Words {
    pub(crate) fn span(&self, index: usize) -> Span {
        self.spans.get(index).copied().unwrap_or_default()
    }

    pub(crate) fn from(&self, start: usize, end: usize) -> Self {
        Self {
            fields: self.fields.get(start..end).unwrap_or_default().to_vec(),
            spans: self.spans.get(start..end).unwrap_or_default().to_vec(),
        }
    }
}

/// Builtins whose arguments bash takes for assignments where they are written
/// as such: neither split nor matched with files. Only by their plain names.
const DECLARES: &[&str] = &["declare", "export", "local", "readonly", "typeset"];

/// Whether a word is written as `NAME=…` or `NAME+=…`.
fn is_assignment(written: &str) -> bool {
    let name = written.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| is_name(name.strip_suffix('+').unwrap_or(name)))
}

impl Walker<'_> {
    pub(crate) fn simple(
        &mut self,
        text: &Text<'_>,
        command: &Command<'_>,
        assignments: &[Assignment<'_>],
        words: &[Word<'_>],
        place: &Place,
        state: &mut State,
    ) {
        let Some(unit) = self.unit(text, command.span, place, state) else {
            return;
        };
        // Bash expands the words first, then redirects, then assignments.
        let inner = Place {
            parent: Some(unit),
            ..place.within(place.context)
        };
        if let Some(program) = words.first().filter(|_| text.held_at.is_none()) {
            let written = program.span.of(text.text);
            if written.starts_with('{') && runs_nothing(written) {
                // The second parser takes braces here for a group.
                self.aids.push(Aid::Letters(program.span));
            }
        }
        let mut found = Words::default();
        let declares = words.first().is_some_and(|program| {
            let name = program.span.of(text.text);
            DECLARES.contains(&name) && !state.functions.contains_key(name)
        });
        for word in words {
            let assigns = declares && is_assignment(word.span.of(text.text));
            for mut field in self.word(text, word, Use::Argument, &inner, state) {
                if assigns {
                    // Bash expands it as it does an assignment before a command.
                    field.splits = false;
                    field.pattern = None;
                }
                if found.fields.len() >= limits::WORDS {
                    self.out.overflowed = true;
                    break;
                }
                found.fields.push(field);
                found.spans.push(word.span);
            }
        }
        if words.is_empty() && assignments.is_empty() && text.held_at.is_none() {
            self.aid_lone_redirects(text, command.span);
        }
        let input = self.redirects(text, &command.redirects, unit, &inner, state);
        let alone = found.fields.is_empty();
        for assignment in assignments {
            self.assignment(text, assignment, unit, alone, &inner, state);
        }
        if words.is_empty() || alone {
            if !words.is_empty() {
                self.doubt(
                    kind::DYNAMIC_PROGRAM,
                    text,
                    command.span,
                    "only running can tell whether this runs a program",
                );
            }
            return;
        }
        let harm = assignments
            .iter()
            .find_map(|assignment| match assigned(&assignment.name) {
                Harm::EndsAllow(why) => Some(why),
                Harm::None => None,
            });
        if let Some(why) = harm {
            self.out.attribute(unit, "ends-allow", why);
        }
        let place = Place {
            ends_allow: place.ends_allow.clone().or(harm.map(Rc::from)),
            ..place.clone()
        };
        self.words(text, &found, unit, &input, &place, state);
    }

    fn assignment(
        &mut self,
        text: &Text<'_>,
        assignment: &Assignment<'_>,
        unit: u32,
        alone: bool,
        place: &Place,
        state: &mut State,
    ) {
        if let Some(subscript) = &assignment.subscript {
            if state.variable(&assignment.name) == Some(Value::Map) {
                self.pieces(text, &subscript.parts, place, state);
            } else {
                self.expression(text, subscript, place, state);
            }
        }
        let array = assignment
            .value
            .parts
            .iter()
            .any(|part| matches!(part.kind, PartKind::Array(_)));
        let fields = self.word(text, &assignment.value, Use::Assigned, place, state);
        let (value, number) = match fields.as_slice() {
            [] => (Some(String::new()), false),
            [field] => (
                field.value.clone().filter(|_| !array),
                field.number && field.prefix.is_empty(),
            ),
            _ => (None, false),
        };
        let planned = PlanAssignment {
            name: assignment.name.to_string(),
            value: PlanWord {
                span: text.span(assignment.value.span),
                text: assignment.value.span.of(text.text).to_owned(),
                value: value.clone(),
            },
        };
        if let Some(unit) = self.out.unit_mut(unit) {
            unit.assignments.push(planned);
        }
        if let Harm::EndsAllow(why) = assigned(&assignment.name) {
            self.out.attribute(unit, "ends-allow", why);
        }
        if !alone {
            let value = value.filter(|_| !assignment.append && !array);
            self.run_later(text, &assignment.name, value.as_deref(), assignment.span);
            return;
        }
        let known = match value {
            _ if assignment.append || assignment.subscript.is_some() || array => Value::Unknown,
            Some(value) => Value::known(&value),
            None if number => Value::Number,
            None => match fields.as_slice() {
                [field] if !field.choices.is_empty() => {
                    Value::OneOf(Rc::from(field.choices.clone()))
                }
                _ => Value::Unknown,
            },
        };
        let known = self.takes(text, &assignment.name, known, assignment.span, state);
        let keeps_map = state.variable(&assignment.name) == Some(Value::Map);
        state.set(&assignment.name, if keeps_map { Value::Map } else { known });
        self.variable_set(text, &assignment.name, Some(assignment.span), state);
    }

    /// What bash makes of a value as a variable takes it: evaluates it where
    /// that was declared a number, and for some names runs it later. What is
    /// known of the variable after it.
    pub(crate) fn takes(
        &mut self,
        text: &Text<'_>,
        name: &str,
        value: Value,
        span: Span,
        state: &mut State,
    ) -> Value {
        match &value {
            Value::Known(value) => self.run_later(text, name, Some(value), span),
            Value::OneOf(values) => {
                for value in values.iter() {
                    self.run_later(text, name, Some(value), span);
                }
            }
            Value::Number => {}
            Value::List(_) | Value::Map | Value::Unknown => self.run_later(text, name, None, span),
        }
        if !state.integers.contains(name) {
            return value;
        }
        match &value {
            Value::Known(value) => self.evaluated(text, span, value, state),
            known if known.is_number() => {}
            _ => self.doubt(
                kind::EVALUATED_TEXT,
                text,
                span,
                "the value is evaluated as an expression",
            ),
        }
        Value::Number
    }

    /// A doubt where bash runs what this variable holds.
    pub(crate) fn run_later(
        &mut self,
        text: &Text<'_>,
        name: &str,
        value: Option<&str>,
        span: Span,
    ) {
        if let Some(note) = run_later(name, value) {
            self.doubt(kind::EVALUATED_TEXT, text, span, note);
        }
    }

    /// What setting a variable means for all that comes after.
    pub(crate) fn variable_set(
        &mut self,
        text: &Text<'_>,
        name: &str,
        span: Option<Span>,
        state: &mut State,
    ) {
        if let Harm::EndsAllow(why) = assigned(name) {
            state.ends_allow.get_or_insert_with(|| Rc::from(why));
        }
        match name {
            "IFS" => state.splits_oddly = true,
            "BASH_ALIASES" | "BASH_CMDS" => {
                let span = span.unwrap_or_default();
                self.doubt(
                    kind::REDEFINED_PROGRAM,
                    text,
                    span,
                    "this redefines what a name runs",
                );
            }
            _ => {}
        }
    }

    /// Gives a unit its words, and says what they mean.
    pub(crate) fn words(
        &mut self,
        text: &Text<'_>,
        words: &Words,
        unit: u32,
        input: &super::redirect::Input,
        place: &Place,
        state: &mut State,
    ) {
        let planned: Vec<PlanWord> = words
            .fields
            .iter()
            .zip(&words.spans)
            .map(|(field, span)| PlanWord {
                span: text.span(*span),
                text: span.of(text.text).to_owned(),
                value: field.value.clone().filter(|_| !field.splits),
            })
            .collect();
        if let Some(unit) = self.out.unit_mut(unit) {
            unit.words = planned;
        }
        self.meant(text, words, unit, input, place, state);
    }
}
