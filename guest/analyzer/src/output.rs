//! The plan under construction. It knows the contract's limits and nothing of
//! the shell.

use bashgate_guest::policy::{Access, Doubt, Effect, Location, Origin, Plan, Span, Unit};

use crate::limits;

/// Kinds of doubt, by the names that the contract gives them.
pub mod kind {
    /// The text does not fit the grammar.
    pub const SYNTAX_ERROR: &str = "syntax-error";
    /// Two parsers read the text differently.
    pub const PARSERS_DISAGREE: &str = "parsers-disagree";
    /// Only running tells which program.
    pub const DYNAMIC_PROGRAM: &str = "dynamic-program";
    /// Only running tells which file a redirect opens.
    pub const DYNAMIC_TARGET: &str = "dynamic-target";
    /// A name no longer runs what it usually runs.
    pub const REDEFINED_PROGRAM: &str = "redefined-program";
    /// Text that only running can tell is evaluated.
    pub const EVALUATED_TEXT: &str = "evaluated-text";
    /// A program runs others out of sight.
    pub const OPAQUE_PROGRAM: &str = "opaque-program";
    /// The directory cannot be followed.
    pub const UNKNOWN_WORKDIR: &str = "unknown-workdir";
    /// Characters that people do not see.
    pub const HIDDEN_CHARACTERS: &str = "hidden-characters";
    /// Text that the plan cannot hold.
    pub const UNREPRESENTABLE: &str = "unrepresentable";
    /// A limit was met.
    pub const TOO_COMPLEX: &str = "too-complex";
    /// Not blank, and yet nothing in it.
    pub const NOTHING_FOUND: &str = "nothing-found";
}

/// Doubts in one plan; more say nothing new.
const DOUBTS: usize = 1_000;

/// Units, effects and doubts found so far.
#[derive(Debug, Default)]
pub struct Output {
    /// Units, in order.
    pub units: Vec<Unit>,
    /// Effects, in order.
    pub effects: Vec<Effect>,
    /// Doubts, in order.
    pub doubts: Vec<Doubt>,
    /// Something did not fit.
    pub overflowed: bool,
}

impl Output {
    /// Adds a unit; gives its index, or `None` when there are too many.
    pub fn unit(&mut self, unit: Unit) -> Option<u32> {
        if self.units.len() >= limits::UNITS {
            self.overflowed = true;
            return None;
        }
        let index = u32::try_from(self.units.len()).ok()?;
        self.units.push(unit);
        Some(index)
    }

    /// A unit by its index.
    pub fn unit_mut(&mut self, index: u32) -> Option<&mut Unit> {
        self.units.get_mut(index as usize)
    }

    /// Says something about a unit, once for each name.
    pub fn attribute(&mut self, unit: u32, name: &str, value: &str) {
        if let Some(unit) = self.unit_mut(unit)
            && !unit.attributes.iter().any(|(known, _)| known == name)
        {
            unit.attributes.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Says something about a unit, whatever was said before by that name.
    pub fn set_attribute(&mut self, unit: u32, name: &str, value: &str) {
        if let Some(unit) = self.unit_mut(unit) {
            unit.attributes.retain(|(known, _)| known != name);
            unit.attributes.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Whether something was said about a unit.
    pub fn has_attribute(&self, unit: u32, name: &str) -> bool {
        self.units
            .get(unit as usize)
            .is_some_and(|unit| unit.attributes.iter().any(|(known, _)| known == name))
    }

    /// Adds an effect.
    pub fn effect(
        &mut self,
        unit: u32,
        (span, text): (Span, &str),
        access: Access,
        origin: Origin,
        location: Option<Location>,
    ) {
        if self.effects.len() >= limits::EFFECTS {
            self.overflowed = true;
            return;
        }
        let path = location.as_ref().map(|new| &new.path);
        let same = |effect: &Effect| {
            effect.unit == unit
                && effect.access == access
                && effect.text == text
                && effect.location.as_ref().map(|known| &known.path) == path
        };
        if self.effects.iter().rev().take(8).any(same) {
            return;
        }
        self.effects.push(Effect {
            unit,
            span,
            text: text.to_owned(),
            access,
            origin,
            location,
        });
    }

    /// Adds a doubt, the same one once for each place.
    pub fn doubt(&mut self, kind: &str, span: Span, text: &str, note: &str) {
        let same = |doubt: &Doubt| doubt.kind == kind && doubt.span == span && doubt.note == note;
        if self.doubts.len() >= DOUBTS || self.doubts.iter().rev().take(8).any(same) {
            return;
        }
        let doubt = Doubt {
            kind: kind.to_owned(),
            span,
            text: text.to_owned(),
            note: note.to_owned(),
        };
        self.doubts.push(doubt);
    }

    /// The plan of `script`.
    pub fn plan(self, script: String) -> Plan {
        Plan {
            script,
            units: self.units,
            effects: self.effects,
            doubts: self.doubts,
        }
    }
}
