//! Programs that the table does not hold: whatever looks like a path may be
//! one, used nobody knows how.

use crate::expand::Field;

use super::path::Base;
use super::reader::{Given, Item, Reader};
use super::touching::Toucher;
use super::{Facts, Meaning};

/// What such a command may touch.
pub fn unknown(fields: &[Field], known: &dyn Facts) -> Meaning {
    let mut meaning = Meaning {
        identity: vec![0],
        ..Meaning::default()
    };
    let mut toucher = Toucher {
        fields,
        known,
        base: Base::Unit,
        meaning: &mut meaning,
    };
    for item in Reader::new(fields, 1, &[]) {
        match item {
            Item::Other { .. } => toucher.other(&item),
            Item::Operand(field) | Item::Perhaps(field) => {
                if let Some(word) = fields.get(field) {
                    toucher.guess(field, Given::Whole(word));
                }
            }
            Item::Option { .. } => {}
        }
    }
    meaning
}
