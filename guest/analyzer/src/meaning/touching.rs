//! From options and operands, as read, to the paths that they touch.

use bashgate_guest::policy::{Access, Origin};

use crate::expand::Field;

use super::path::{Base, Place, child, like_a_path, path_text, place};
use super::reader::{Given, Item};
use super::table::{Operands, Spec, Take};
use super::{Facts, Meaning, PathText, Touch};

/// Touches among which the same one is looked for.
const RECENT: usize = 16;

/// Collects touches.
pub struct Toucher<'f, 'm> {
    /// The command's words.
    pub fields: &'f [Field],
    /// What may be asked.
    pub known: &'m dyn Facts,
    /// Where relative paths count from now.
    pub base: Base,
    /// Where they go.
    pub meaning: &'m mut Meaning,
}

impl<'f> Toucher<'f, '_> {
    /// All that the items touch, by what the specs say, the innermost first.
    pub fn items(&mut self, items: &[Item<'f>], operands: &Operands) -> Base {
        self.bases(items);
        self.options(items);
        self.operands(&words(items), operands);
        self.base.clone()
    }

    /// Goes to the directories that options name.
    pub fn bases(&mut self, items: &[Item<'f>]) {
        for item in items {
            if let Item::Option {
                opt,
                argument: Some((_, given)),
                ..
            } = item
                && opt.take == Take::Base
            {
                self.base.enter(*given);
            }
        }
    }

    /// What the options touch.
    pub fn options(&mut self, items: &[Item<'f>]) {
        for item in items {
            match item {
                Item::Option {
                    field,
                    opt,
                    argument,
                } => match argument {
                    Some((field, given)) => {
                        self.take(*field, *given, opt.take, Origin::OptionArgument)
                    }
                    None => self.flag(*field, opt.take),
                },
                Item::Other { .. } => self.other(item),
                Item::Operand(_) | Item::Perhaps(_) => {}
            }
        }
    }

    /// What an option that is not known may touch. Letters behind one dash are
    /// rather a cluster than a name.
    pub fn other(&mut self, item: &Item<'f>) {
        if let Item::Other {
            field,
            name,
            value: Some(value),
        } = item
            && (name.len() > 2 || like_a_path(value).is_some())
        {
            self.guess(*field, Given::Part(value));
        }
    }

    /// A word that may be any option of these may do the worst of them.
    pub fn perhaps(&mut self, items: &[Item<'f>], specs: &[&'static Spec]) {
        let Some(field) = items.iter().find_map(|item| match item {
            Item::Perhaps(field) => Some(*field),
            _ => None,
        }) else {
            return;
        };
        let options = specs
            .iter()
            .flat_map(|spec| spec.options.iter().map(|opt| opt.take));
        let operands = specs
            .iter()
            .flat_map(|spec| spec.when.iter().filter_map(|when| when.operands.rest));
        if let Some(access) = options
            .chain(operands)
            .filter_map(access)
            .max_by_key(|access| weight(*access))
        {
            self.push(field, None, access, Origin::OptionArgument);
        }
    }

    /// What the operands touch, by position. One that may become several words
    /// or none leaves the position of others open; they get all that is
    /// possible.
    pub fn operands(&mut self, operands: &[usize], grammar: &Operands) {
        let words = || {
            operands
                .iter()
                .filter_map(|field| Some((*field, self.fields.get(*field)?)))
        };
        // How many words an operand is at least, and whether it may be more.
        let counts: Vec<(usize, bool)> = words()
            .map(|(_, word)| {
                (
                    usize::from(!word.splits),
                    word.splits || word.pattern.is_some(),
                )
            })
            .collect();
        // The last operand that may be more: all before it are somewhere.
        let last_open = counts.iter().rposition(|(_, open)| *open);
        let reach = grammar.head.len() + grammar.tail.len() + 2;
        let (mut before, mut open_before) = (0, false);
        let mut after: usize = counts.iter().map(|(least, _)| least).sum();
        let mut found: Vec<(usize, Take)> = Vec::new();
        for (index, ((field, _), (least, open))) in words().zip(&counts).enumerate() {
            after -= least;
            let open_after = last_open.is_some_and(|last| last > index);
            let range = |least: usize, others: bool| {
                least..=if others || *open {
                    least + reach
                } else {
                    least
                }
            };
            for first in range(before, open_before) {
                for last in range(after, open_after) {
                    let one = (field, position(grammar, first, last));
                    let mut known = found.iter().rev().take_while(|(other, _)| *other == field);
                    if !known.any(|other| *other == one) {
                        found.push(one);
                    }
                }
            }
            before += least;
            open_before |= open;
        }
        for (field, take) in found {
            if let Some(word) = self.fields.get(field) {
                self.take(field, Given::Whole(word), take, Origin::Operand);
            }
        }
    }

    /// What an option does by being there.
    fn flag(&mut self, field: usize, take: Take) {
        match take {
            Take::Text | Take::Code | Take::Base | Take::At | Take::Guess => {}
            take => {
                if let Some(access) = access(take) {
                    self.push(field, None, access, Origin::OptionArgument);
                }
            }
        }
    }

    /// What an argument or operand of that kind touches.
    pub fn take(&mut self, field: usize, given: Given<'_>, take: Take, origin: Origin) {
        match take {
            Take::Text => {}
            Take::Code => self.meaning.interpreter = true,
            Take::Read
                if given
                    .text()
                    .is_some_and(|text| text.starts_with('@') && !self.known.exists(text)) =>
            {
                self.path(field, given, Access::Read, origin);
                // A file of options, for compilers and their kin.
                let file = given
                    .text()
                    .and_then(|text| text.strip_prefix('@'))
                    .unwrap_or_default();
                self.path(field, Given::Part(file), Access::Read, origin);
            }
            Take::Read | Take::Write | Take::Delete | Take::Enter | Take::Other => {
                if let Some(access) = access(take) {
                    self.path(field, given, access, origin);
                }
            }
            Take::Base => {
                // All that were given so far, joined.
                let base = std::mem::take(&mut self.base);
                match &base {
                    Base::At(path) => self.push(
                        field,
                        Some(PathText::Known(path.clone())),
                        Access::Enter,
                        origin,
                    ),
                    _ => self.path(field, given, Access::Enter, origin),
                }
                self.base = base;
            }
            Take::Into => self.inside(field, given, Access::Write, origin),
            Take::Clear => self.inside(field, given, Access::Delete, origin),
            Take::Run => self.run(field, given, origin),
            Take::Connect => self.push(field, None, Access::Connect, origin),
            Take::Guess => self.guess(field, given),
            Take::Volume => self.volume(field, given, origin),
            Take::At => self.at(field, given, origin),
            Take::Paths => match given.text() {
                Some(text) => {
                    for path in text.split(':').filter(|path| !path.is_empty()) {
                        self.path(field, Given::Part(path), Access::Read, origin);
                    }
                }
                None => self.push(field, None, Access::Read, origin),
            },
            Take::Named => match given.text().and_then(|text| text.split_once('=')) {
                Some((_, path)) => self.path(field, Given::Part(path), Access::Read, origin),
                None => self.path(field, given, Access::Read, origin),
            },
            Take::Repository => self.repository(field, given, origin),
            Take::RemoteRead => self.remote(field, given, Access::Read, origin),
            Take::RemoteWrite => self.remote(field, given, Access::Write, origin),
        }
    }

    /// A path, unless it stands for standard input or output.
    pub fn path(&mut self, field: usize, given: Given<'_>, access: Access, origin: Origin) {
        match given.text() {
            Some("") => {}
            Some("-") if matches!(access, Access::Read | Access::Write | Access::Other) => {}
            _ => self.push(field, path_text(given), access, origin),
        }
    }

    /// Adds a touch as it is.
    pub fn push(&mut self, field: usize, path: Option<PathText>, access: Access, origin: Origin) {
        let relative = match &path {
            Some(PathText::Known(text) | PathText::Pattern(text) | PathText::Within(text)) => {
                !text.starts_with('/')
            }
            Some(PathText::OneOf(texts)) => !texts.iter().all(|text| text.starts_with('/')),
            None => false,
        };
        let (path, base) = match (&self.base, relative) {
            (Base::At(base), true) => (path, Some(base.clone())),
            (Base::Unknown, true) => (None, None),
            _ => (path, None),
        };
        let connects = access == Access::Connect && path.is_none();
        if connects
            && self
                .meaning
                .touches
                .iter()
                .rev()
                .take(RECENT)
                .any(|touch| touch.access == Access::Connect)
        {
            return;
        }
        let touch = Touch {
            field,
            path,
            access,
            origin,
            base,
        };
        if !self
            .meaning
            .touches
            .iter()
            .rev()
            .take(RECENT)
            .any(|known| *known == touch)
        {
            self.meaning.touches.push(touch);
        }
    }

    fn run(&mut self, field: usize, given: Given<'_>, origin: Origin) {
        let file = given.text().filter(|text| {
            text.contains('/')
                && !text
                    .contains(|c: char| c.is_whitespace() || "|&;<>()$`\\\"'*?[]{}=!#~".contains(c))
        });
        self.push(
            field,
            file.map(|text| PathText::Known(text.to_owned())),
            Access::Execute,
            origin,
        );
    }

    /// Text of unknown use: a path, where it looks like one.
    pub fn guess(&mut self, field: usize, given: Given<'_>) {
        match given {
            Given::Whole(word) if word.pattern.is_some() => {
                self.push(field, path_text(given), Access::Other, Origin::Inferred);
            }
            Given::Whole(Field { value: None, .. }) | Given::Unknown => {
                self.push(field, path_text(given), Access::Other, Origin::Inferred);
            }
            _ => {
                let Some(text) = given.text() else { return };
                // `name=PATH`, `@PATH`
                let value = text
                    .split_once('=')
                    .map(|(_, value)| value)
                    .filter(|value| like_a_path(value).is_some());
                let text = value.or(text.strip_prefix('@')).unwrap_or(text);
                let path = like_a_path(text)
                    .or(Some(text).filter(|text| !text.is_empty() && self.known.exists(text)));
                if let Some(path) = path {
                    self.push(
                        field,
                        Some(PathText::Known(path.to_owned())),
                        Access::Other,
                        Origin::Inferred,
                    );
                }
            }
        }
    }

    fn volume(&mut self, field: usize, given: Given<'_>, origin: Origin) {
        let Some(text) = given.text() else {
            return self.push(field, None, Access::Write, origin);
        };
        let mounted = text.split(',').find_map(|part| {
            part.strip_prefix("source=")
                .or_else(|| part.strip_prefix("src="))
                .or_else(|| part.strip_prefix("dst-from="))
        });
        let host = mounted
            .or_else(|| text.split(':').next())
            .unwrap_or_default();
        if like_a_path(host).is_some() {
            self.push(
                field,
                Some(PathText::Known(host.to_owned())),
                Access::Write,
                origin,
            );
        }
    }

    fn at(&mut self, field: usize, given: Given<'_>, origin: Origin) {
        let Some(text) = given.text() else {
            return self.push(field, None, Access::Read, origin);
        };
        if text.contains("%output{") {
            self.push(field, None, Access::Write, origin);
        }
        let value = text.split_once('=').map_or(text, |(name, value)| {
            if name.starts_with(['@', '<']) {
                text
            } else {
                value
            }
        });
        let file = value
            .strip_prefix('@')
            .or_else(|| value.strip_prefix('<'))
            .or_else(|| {
                text.split_once('@')
                    .map(|(_, path)| path)
                    .filter(|_| !text.contains('=') && !text.contains([' ', ':']))
            });
        if let Some(path) = file.map(|path| path.split(';').next().unwrap_or(path)) {
            self.path(field, Given::Part(path), Access::Read, origin);
        }
    }

    /// A repository: by URL, by path, or by a name of the configuration.
    fn repository(&mut self, field: usize, given: Given<'_>, origin: Origin) {
        match given.text() {
            Some(text) if text.contains("::") => self.push(field, None, Access::Execute, origin),
            Some(text) if place(text).is_some() => self.remote(field, given, Access::Read, origin),
            Some(text) if text.contains('/') || text.starts_with(['.', '~']) => {
                self.push(
                    field,
                    Some(PathText::Known(text.to_owned())),
                    Access::Other,
                    origin,
                );
            }
            Some(_) => {}
            None => self.push(field, None, Access::Connect, origin),
        }
    }

    /// `HOST:PATH`, a URL, or a path.
    fn remote(&mut self, field: usize, given: Given<'_>, access: Access, origin: Origin) {
        match given.text().and_then(place) {
            Some(Place::File(path)) => self.path(field, Given::Part(path), access, origin),
            Some(Place::Network) => self.push(field, None, Access::Connect, origin),
            None if access == Access::Write => self.inside(field, given, access, origin),
            None => self.path(field, given, access, origin),
        }
    }

    /// Files in a directory, or the file itself where it is none. What lies
    /// there already is not touched as a whole, so the directory is not.
    pub fn inside(&mut self, field: usize, given: Given<'_>, access: Access, origin: Origin) {
        match given.text() {
            Some(text) if self.is_directory(text) => {
                self.push(
                    field,
                    Some(PathText::Known(child(text, "*"))),
                    access,
                    origin,
                );
            }
            _ => self.path(field, given, access, origin),
        }
    }

    /// Whether a path is a directory, as far as can be told.
    pub fn is_directory(&self, text: &str) -> bool {
        let dots = text.split('/').all(|part| matches!(part, "" | "." | ".."));
        !text.is_empty() && (dots || text.ends_with('/') || self.known.exists(&child(text, ".")))
    }
}

/// The operands among items.
pub fn words(items: &[Item<'_>]) -> Vec<usize> {
    let mut found = Vec::new();
    for item in items {
        if let Item::Operand(field) | Item::Perhaps(field) = item
            && found.last() != Some(field)
        {
            found.push(*field);
        }
    }
    found
}

/// What stands so far from the first and from the last operand.
fn position(grammar: &Operands, first: usize, last: usize) -> Take {
    let Operands { head, rest, tail } = grammar;
    if let Some(take) = head.get(first) {
        return *take;
    }
    if let Some(take) = tail.len().checked_sub(last + 1).and_then(|at| tail.get(at)) {
        return *take;
    }
    rest.or(head.last().copied()).unwrap_or(Take::Guess)
}

/// How a path of that kind is touched.
fn access(take: Take) -> Option<Access> {
    Some(match take {
        Take::Text | Take::Code | Take::Guess => return None,
        Take::Read | Take::At | Take::Paths | Take::Named | Take::RemoteRead => Access::Read,
        Take::Write | Take::Into | Take::Volume | Take::RemoteWrite => Access::Write,
        Take::Delete | Take::Clear => Access::Delete,
        Take::Enter | Take::Base => Access::Enter,
        Take::Run => Access::Execute,
        Take::Other | Take::Repository => Access::Other,
        Take::Connect => Access::Connect,
    })
}

fn weight(access: Access) -> u8 {
    match access {
        Access::Execute => 6,
        Access::Delete => 5,
        Access::Write => 4,
        Access::Connect => 3,
        Access::Other => 2,
        Access::Enter => 1,
        Access::Read => 0,
    }
}
