//! Reads the words behind a program as getopt would: clusters of short
//! options, `--name=value`, prefixes of long names, `--`, operands between
//! options. It knows from the table which options take arguments, and not what
//! follows from them.

use crate::expand::Field;

use super::table::{Arity, Opt, Spec, Take};

/// Text of an argument or operand.
#[derive(Clone, Copy, Debug)]
pub enum Given<'f> {
    /// Part of a word.
    Part(&'f str),
    /// A whole word.
    Whole(&'f Field),
    /// What only running can tell.
    Unknown,
}

impl<'f> Given<'f> {
    /// Its text, where that is known.
    pub fn text(self) -> Option<&'f str> {
        match self {
            Self::Part(text) => Some(text),
            Self::Whole(field) => field.value.as_deref(),
            Self::Unknown => None,
        }
    }
}

/// One thing that the words say.
#[derive(Clone, Debug)]
pub enum Item<'f> {
    /// An option of the table.
    Option {
        /// The field with its name.
        field: usize,
        /// Which.
        opt: &'static Opt,
        /// Its argument, and the field with that.
        argument: Option<(usize, Given<'f>)>,
    },
    /// An option that the table does not hold; `-x` for each in a cluster.
    Other {
        /// The field.
        field: usize,
        /// With its dashes.
        name: String,
        /// The text behind `=`.
        value: Option<&'f str>,
    },
    /// No option.
    Operand(usize),
    /// An operand, or any option at all.
    Perhaps(usize),
}

impl Item<'_> {
    /// The name of the option.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Option { opt, .. } => Some(opt.name),
            Self::Other { name, .. } => Some(name),
            Self::Operand(_) | Self::Perhaps(_) => None,
        }
    }
}

/// Reads words from left to right.
pub struct Reader<'f> {
    fields: &'f [Field],
    /// Where options are looked up, in this order.
    specs: Vec<&'static Spec>,
    /// The next field.
    pub at: usize,
    /// `--` was read, or an operand where that ends options.
    ended: bool,
    stops: bool,
    single: bool,
    /// Rest of a cluster.
    pending: Vec<Item<'f>>,
}

impl<'f> Reader<'f> {
    /// Reads from a field on.
    pub fn new(fields: &'f [Field], at: usize, specs: &[&'static Spec]) -> Self {
        let innermost = specs.first();
        Self {
            fields,
            specs: specs.to_vec(),
            at,
            ended: false,
            stops: innermost.is_some_and(|spec| spec.stops),
            single: innermost.is_some_and(|spec| spec.single),
            pending: Vec::new(),
        }
    }

    /// Options only, up to the first operand; gives them and its field.
    pub fn leading(self) -> (Vec<Item<'f>>, Option<usize>) {
        let mut items = Vec::new();
        for item in self {
            match item {
                Item::Operand(field) | Item::Perhaps(field) => return (items, Some(field)),
                option => items.push(option),
            }
        }
        (items, None)
    }

    fn lookup(&self, name: &str) -> Option<&'static Opt> {
        self.specs.iter().find_map(|spec| spec.option(name))
    }

    /// A long option by what may be the beginning of its name. One that
    /// touches something is preferred: a wrong guess then costs a question.
    fn lookup_long(&self, name: &str) -> Option<&'static Opt> {
        if let Some(opt) = self.lookup(name) {
            return Some(opt);
        }
        if self.single {
            // Both `-name` and `--name` are taken there.
            return match name.strip_prefix("--") {
                Some(_) => self.lookup(name.strip_prefix('-')?),
                None => self.lookup(&format!("-{name}")),
            };
        }
        if name.len() <= 2 {
            return None;
        }
        let fits: Vec<_> = self
            .specs
            .iter()
            .flat_map(|spec| spec.longer(name))
            .collect();
        let touching = fits.iter().find(|opt| opt.take != Take::Text).copied();
        touching.or(if let [only] = fits.as_slice() {
            Some(*only)
        } else {
            None
        })
    }

    fn word(&mut self, field: &'f Field) {
        let at = self.at;
        self.at += 1;
        let (text, whole) = match &field.value {
            Some(value) => (value.as_str(), true),
            None => (field.prefix.as_str(), false),
        };
        if self.ended {
            return self.pending.push(Item::Operand(at));
        }
        if !whole && (field.is_no_option() || field.number) {
            return self.operand(at);
        }
        match text {
            "--" if whole => self.ended = true,
            "" | "-" if !whole => self.pending.push(Item::Perhaps(at)),
            "" | "-" => self.operand(at),
            _ if !text.starts_with('-') => self.operand(at),
            _ if text.starts_with("--") || self.single => self.long(at, text, whole),
            _ => self.short(at, text, whole),
        }
        // It may become several words, each of which may be anything.
        if field.splits && !matches!(self.pending.last(), Some(Item::Perhaps(_))) {
            self.pending.push(Item::Perhaps(at));
        }
    }

    fn operand(&mut self, at: usize) {
        self.ended |= self.stops;
        self.pending.push(Item::Operand(at));
    }

    fn long(&mut self, field: usize, text: &'f str, whole: bool) {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (
                name,
                Some(if whole {
                    Given::Part(value)
                } else {
                    Given::Unknown
                }),
            ),
            None if whole => (text, None),
            None => return self.pending.push(Item::Perhaps(field)),
        };
        match self.lookup_long(name) {
            Some(opt) => self.option(field, opt, value),
            // `-Idir`, among options that are words.
            None if self.single && !text.starts_with("--") => self.short(field, text, whole),
            None => {
                let value = value.and_then(Given::text);
                self.pending.push(Item::Other {
                    field,
                    name: name.to_owned(),
                    value,
                });
            }
        }
    }

    fn short(&mut self, field: usize, text: &'f str, whole: bool) {
        // A longer name with one dash, among options that are letters.
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        if !self.single && name.len() > 2 && self.lookup(name).is_some() {
            return self.long(field, text, whole);
        }
        for (index, letter) in text.char_indices().skip(1) {
            let name = format!("-{letter}");
            let after = text.get(index + letter.len_utf8()..).unwrap_or_default();
            let Some(opt) = self.lookup(&name) else {
                if self.single {
                    let value = text.split_once('=').map(|(_, value)| value);
                    return self.pending.push(Item::Other {
                        field,
                        name: text.to_owned(),
                        value,
                    });
                }
                let value = (index == 1 && !after.is_empty())
                    .then(|| after.strip_prefix('=').unwrap_or(after));
                self.pending.push(Item::Other { field, name, value });
                continue;
            };
            if opt.arity == Arity::Flag {
                self.pending.push(Item::Option {
                    field,
                    opt,
                    argument: None,
                });
                if self.single {
                    return;
                }
                continue;
            }
            let attached = match (after.is_empty(), whole) {
                (true, true) => None,
                (_, true) => Some(Given::Part(after)),
                (_, false) => Some(Given::Unknown),
            };
            return self.option(field, opt, attached);
        }
        if !whole {
            self.pending.push(Item::Perhaps(field));
        }
    }

    fn option(&mut self, field: usize, opt: &'static Opt, attached: Option<Given<'f>>) {
        let argument = match (opt.arity, attached) {
            (Arity::Flag | Arity::Attached, attached) => attached.map(|given| (field, given)),
            (Arity::One, Some(given)) => Some((field, given)),
            (Arity::One, None) => self.take(),
            (Arity::Two, _) => {
                self.at += 1;
                self.take()
            }
        };
        self.pending.push(Item::Option {
            field,
            opt,
            argument,
        });
    }

    fn take(&mut self) -> Option<(usize, Given<'f>)> {
        let field = self.fields.get(self.at)?;
        let taken = (self.at, Given::Whole(field));
        self.at += 1;
        Some(taken)
    }
}

impl<'f> Iterator for Reader<'f> {
    type Item = Item<'f>;

    fn next(&mut self) -> Option<Item<'f>> {
        while self.pending.is_empty() {
            let field = self.fields.get(self.at)?;
            self.word(field);
        }
        Some(self.pending.remove(0))
    }
}
