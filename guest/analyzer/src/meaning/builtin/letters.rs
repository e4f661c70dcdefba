//! Options of builtins: letters behind one dash, up to the first operand.

use crate::expand::Field;

use crate::meaning::reader::Given;

/// Options as read.
#[derive(Debug, Default)]
pub struct Letters<'f> {
    /// Each with its argument and the field of that.
    given: Vec<(char, Option<(usize, Given<'f>)>)>,
    /// The first operand.
    pub next: usize,
    /// A word may be any option.
    pub unknown: bool,
}

/// Reads options; `takes` are those with an argument.
pub fn read<'f>(fields: &'f [Field], takes: &str) -> Letters<'f> {
    let mut read = Letters {
        next: 1,
        ..Letters::default()
    };
    while let Some(field) = fields.get(read.next) {
        let Some(text) = field.value.as_deref() else {
            read.unknown = !field.is_no_option() && !field.number;
            return read;
        };
        if text == "--" {
            read.next += 1;
            return read;
        }
        let plus = text.starts_with('+')
            && text.len() > 1
            && text.bytes().skip(1).all(|byte| byte.is_ascii_alphabetic());
        if !(text.starts_with('-') && text.len() > 1 || plus) {
            return read;
        }
        read.next += 1;
        for (at, letter) in text.char_indices().skip(1) {
            let rest = text.get(at + letter.len_utf8()..).unwrap_or_default();
            if !takes.contains(letter) {
                read.given.push((if plus { '+' } else { letter }, None));
                continue;
            }
            let argument = match rest {
                "" => {
                    read.next += 1;
                    fields
                        .get(read.next - 1)
                        .map(|field| (read.next - 1, Given::Whole(field)))
                }
                rest => Some((read.next - 1, Given::Part(rest))),
            };
            read.given.push((letter, argument));
            break;
        }
    }
    read
}

impl<'f> Letters<'f> {
    /// Whether the option is there.
    pub fn has(&self, letter: char) -> bool {
        self.given.iter().any(|(given, _)| *given == letter)
    }

    /// The argument of the option.
    pub fn argument(&self, letter: char) -> Option<(usize, Given<'f>)> {
        self.given
            .iter()
            .rev()
            .find(|(given, _)| *given == letter)
            .and_then(|(_, argument)| *argument)
    }

    /// The fields behind the options.
    pub fn operands(&self, fields: &[Field]) -> Vec<usize> {
        (self.next..fields.len()).collect()
    }
}
