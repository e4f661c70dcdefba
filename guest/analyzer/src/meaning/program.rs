//! What the words behind a program of the table mean: its subcommand, its
//! options and operands, what it wraps.

use crate::expand::Field;
use crate::output::kind;

use super::path::Base;
use super::reader::{Given, Item, Reader};
use super::table::{self, Hook, Operands, Spec, Take};
use super::touching::{Toucher, words};
use super::{Facts, Meaning, Starts};

/// A command of a known program, as read.
pub struct Command<'f, 'k> {
    /// Its words.
    pub fields: &'f [Field],
    /// The program's name, without directory.
    pub name: &'f str,
    /// Program and subcommands, joined by blanks.
    pub key: String,
    /// What the table says of the innermost subcommand, then of the program.
    pub specs: Vec<&'static Spec>,
    /// Options before the subcommand.
    pub leading: Vec<Item<'f>>,
    /// All behind it.
    pub items: Vec<Item<'f>>,
    /// The first field behind the subcommand.
    pub from: usize,
    /// What may be asked.
    pub known: &'k dyn Facts,
}

/// What it means, by the table and what is special about the program.
pub fn program(fields: &[Field], name: &str, spec: &'static Spec, known: &dyn Facts) -> Meaning {
    let mut meaning = Meaning {
        known: true,
        identity: vec![0],
        ..Meaning::default()
    };
    let command = read(fields, name, spec, known, &mut meaning);
    let inner = command.inner();
    meaning.filter = spec.filter;
    meaning.interpreter = inner.interpreter && !only_asks(&command);
    if let Some(note) = inner.opaque {
        meaning.doubts.push((kind::OPAQUE_PROGRAM, note.to_owned()));
    }
    meaning.ends_allow = ends_allow(&command);
    super::hooks::apply(&command, &mut meaning);
    meaning
}

impl<'f> Command<'f, '_> {
    /// What the table says of the innermost subcommand.
    pub fn inner(&self) -> &'static Spec {
        self.specs.first().copied().unwrap_or(&EMPTY)
    }

    /// Options before and behind the subcommand, and operands.
    pub fn all(&self) -> impl Iterator<Item = &Item<'f>> {
        self.leading.iter().chain(&self.items)
    }

    /// Whether one of these options is there, before or behind.
    pub fn has(&self, names: &[&str]) -> bool {
        self.all()
            .any(|item| item.name().is_some_and(|name| names.contains(&name)))
    }

    /// The argument of the last of these options.
    pub fn argument(&self, names: &[&str]) -> Option<(usize, Given<'f>)> {
        self.all()
            .filter_map(|item| match item {
                Item::Option { opt, argument, .. } if names.contains(&opt.name) => *argument,
                _ => None,
            })
            .last()
    }

    /// A field as an argument.
    pub fn whole(&self, field: usize) -> Option<(usize, Given<'f>)> {
        Some((field, Given::Whole(self.fields.get(field)?)))
    }

    /// The operands behind the subcommand.
    pub fn operands(&self) -> Vec<usize> {
        words(&self.items)
    }

    /// The text of a field.
    pub fn text(&self, field: usize) -> Option<&'f str> {
        self.fields
            .get(field)
            .and_then(|field| field.value.as_deref())
    }

    /// What the operands are, with the options that are there.
    pub fn grammar(&self) -> Operands {
        let inner = self.inner();
        let fits = |names: &[&str]| {
            self.items
                .iter()
                .any(|item| item.name().is_some_and(|name| names.contains(&name)))
        };
        inner
            .when
            .iter()
            .find(|when| fits(when.options))
            .map_or(inner.operands, |when| when.operands)
    }

    /// Collects touches of this command.
    pub fn toucher<'m>(&'m self, meaning: &'m mut Meaning, base: Base) -> Toucher<'f, 'm> {
        Toucher {
            fields: self.fields,
            known: self.known,
            base,
            meaning,
        }
    }

    /// Adds what options and operands touch, by the table; gives the directory
    /// that its paths count from.
    pub fn touch(&self, meaning: &mut Meaning, operands: &Operands) -> Base {
        let items: Vec<_> = self.all().cloned().collect();
        let mut toucher = self.toucher(meaning, Base::Unit);
        toucher.perhaps(&self.items, &self.specs);
        toucher.items(&items, operands)
    }

    /// The same without operands: the words behind them are another command's.
    pub fn touch_options(&self, meaning: &mut Meaning) -> Base {
        let items: Vec<_> = self.all().cloned().collect();
        let mut toucher = self.toucher(meaning, Base::Unit);
        toucher.bases(&items);
        toucher.options(&items);
        toucher.base
    }
}

static EMPTY: Spec = Spec {
    options: &[],
    operands: Operands {
        head: &[],
        rest: Some(Take::Guess),
        tail: &[],
    },
    when: &[],
    depth: 1,
    deeper: &[],
    stops: false,
    single: false,
    strict: false,
    wraps: None,
    connect: false,
    filter: false,
    interpreter: false,
    opaque: None,
    ends: &[],
    hook: Hook::None,
};

fn read<'f, 'k>(
    fields: &'f [Field],
    name: &'f str,
    spec: &'static Spec,
    known: &'k dyn Facts,
    meaning: &mut Meaning,
) -> Command<'f, 'k> {
    let mut command = Command {
        fields,
        name,
        key: name.to_owned(),
        specs: vec![spec],
        leading: Vec::new(),
        items: Vec::new(),
        from: 1,
        known,
    };
    let mut depth = usize::from(spec.depth);
    while meaning.identity.len() < depth {
        let (options, operand) = Reader::new(fields, command.from, &command.specs).leading();
        let Some((field, word)) = operand.and_then(|field| Some((field, command.text(field)?)))
        else {
            break;
        };
        command.leading.extend(options);
        command.from = field + 1;
        // `cargo +nightly build`
        if word.starts_with('+') && name == "cargo" {
            continue;
        }
        meaning.identity.push(field);
        command.key = format!("{} {word}", command.key);
        if meaning.identity.len() == 2 && spec.deeper.contains(&word) {
            depth = 3;
        }
        if let Some(found) = table::find(&command.key) {
            command.specs = if spec.strict {
                vec![found]
            } else {
                vec![found, spec]
            };
            depth = depth.min(usize::from(found.depth).max(meaning.identity.len()));
            if spec.deeper.contains(&word) && meaning.identity.len() == 2 {
                depth = 3;
            }
        } else if spec.strict {
            command.specs = vec![&EMPTY];
        }
    }
    let mut reader = Reader::new(fields, command.from, &command.specs);
    if command.inner().wraps.is_some() {
        let (options, operand) = reader.leading();
        command.items = options;
        command.from = operand.unwrap_or(fields.len());
    } else {
        command.items = reader.by_ref().collect();
    }
    command
}

/// Whether all it is asked is its version or help.
fn only_asks(command: &Command<'_, '_>) -> bool {
    let asks = |name: &str| {
        matches!(
            name,
            "--version" | "-version" | "-V" | "-v" | "--help" | "-h"
        )
    };
    let mut items = command.all().peekable();
    items.peek().is_some() && items.all(|item| item.name().is_some_and(asks))
}

fn ends_allow(command: &Command<'_, '_>) -> Option<String> {
    let outer = table::find(command.name)?;
    if [outer, command.inner()]
        .iter()
        .any(|spec| spec.ends == ["*"])
    {
        return Some(format!(
            "`{}` changes who runs what it starts, or where",
            command.name
        ));
    }
    // Behind a subcommand the same letters may mean something else.
    let behind = if outer.strict && command.key != command.name {
        &[]
    } else {
        command.items.as_slice()
    };
    let items = command.leading.iter().chain(behind);
    let name = items
        .filter_map(Item::name)
        .find(|name| outer.ends.contains(name));
    let strange = command
        .leading
        .iter()
        .find(|item| matches!(item, Item::Other { .. }))
        .and_then(Item::name);
    if let (None, Some(name)) = (name, strange) {
        // It may take the next word, which is then no subcommand.
        return Some(format!("`{} {name}` is not known here", command.name));
    }
    let name = name?;
    Some(format!(
        "`{} {name}` changes its configuration, or what it runs",
        command.name
    ))
}

/// The wrapped command, behind so many operands.
pub fn wrapped(command: &Command<'_, '_>, meaning: &mut Meaning, operands: u8) -> Option<usize> {
    command.touch_options(meaning);
    let from = command.from + usize::from(operands);
    let before = command
        .fields
        .get(1..from.min(command.fields.len()))
        .unwrap_or_default();
    if before.iter().any(|field| field.splits) {
        let note = format!(
            "only running tells which word behind `{}` is the program",
            command.name
        );
        meaning.doubts.push((kind::DYNAMIC_PROGRAM, note));
    }
    // It may take the next word for its argument.
    if let Some(Item::Other { name, .. }) = command
        .items
        .iter()
        .find(|item| matches!(item, Item::Other { .. }))
    {
        let note = format!(
            "`{}` has no option `{name}` that is known here, so it is not certain what it runs",
            command.name
        );
        meaning.doubts.push((kind::OPAQUE_PROGRAM, note));
    }
    (from < command.fields.len()).then_some(from)
}

/// Starts the words from one on, and nothing else about it.
pub fn words_from(from: usize) -> Starts {
    Starts::Words {
        from,
        assignments: Vec::new(),
        workdir: None,
        opaque: false,
        ends_allow: None,
        appends_unknown: false,
    }
}
