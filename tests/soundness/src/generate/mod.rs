//! Makes up small bash scripts: every construct of the grammar, nested, oddly
//! quoted, over programs that do nothing.
//!
//! Each program of a script has a name that stands for one place in it, and so
//! has each builtin by its first argument: what ran can be told from where it
//! was written. Nothing here knows how a script is read, run or judged; a text
//! that bash refuses is as good as any, since bash is who decides.

mod command;
mod compound;
mod condition;
mod doubtful;
mod expansion;
mod function;
mod here_document;
mod nested;
mod parameter;
mod production;
mod quoting;
mod redirect;
mod simple;
mod word;
mod wrapper;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::random::Random;
use here_document::HereDocument;
pub use production::{Counts, Production};

/// Names of the programs that scripts run: `p0`…, and some beyond ASCII.
pub const PROGRAMS: usize = 100;
/// How many programs `pé0`… there are.
pub const NON_ASCII_PROGRAMS: usize = 10;
/// Constructs within constructs.
const DEPTH: usize = 5;

/// A script made up of items, each of whole lines.
#[derive(Debug, Clone)]
pub struct Script {
    items: Vec<String>,
    /// Where each name was written.
    mentions: BTreeMap<String, BTreeSet<usize>>,
    /// What it was made of.
    pub counts: Counts,
    /// Whether it holds what only running tells.
    pub doubtful: bool,
}

impl Script {
    /// The script of that number under a seed.
    #[must_use]
    pub fn generate(seed: u64, number: u64) -> Self {
        Generator::new(Random::new(seed, number)).script()
    }

    /// A text as one item, in which every name may stand.
    #[must_use]
    pub fn of_text(text: String) -> Self {
        Self {
            items: vec![text],
            mentions: BTreeMap::new(),
            counts: Counts::default(),
            doubtful: false,
        }
    }

    /// Items, each with the names that were written in it.
    #[cfg(test)]
    pub(crate) fn of_items(items: &[(&str, &[&str])]) -> Self {
        let mut script = Self::of_text(String::new());
        script.items = items.iter().map(|(text, _)| (*text).to_owned()).collect();
        for (item, (_, names)) in items.iter().enumerate() {
            for name in *names {
                let places = script.mentions.entry((*name).to_owned());
                places.or_default().insert(item);
            }
        }
        script
    }

    /// The text that bash is given.
    #[must_use]
    pub fn text(&self) -> String {
        self.items.concat()
    }

    /// How many items it has.
    #[must_use]
    pub fn items(&self) -> usize {
        self.items.len()
    }

    /// The same with one item left empty.
    #[must_use]
    pub fn without(&self, item: usize) -> Self {
        let mut less = self.clone();
        if let Some(text) = less.items.get_mut(item) {
            text.clear();
        }
        less
    }

    /// The ranges of the text in which a name was written, after `reading`
    /// every item: all of it for a name that was not written as such.
    pub fn places(&self, name: &str, reading: impl Fn(&str) -> String) -> Vec<Range<usize>> {
        let mut at = 0;
        let ranges: Vec<Range<usize>> = self
            .items
            .iter()
            .map(|item| {
                let start = at;
                at += reading(item).len();
                start..at
            })
            .collect();
        match self.mentions.get(name) {
            Some(items) => items
                .iter()
                .filter_map(|item| ranges.get(*item).cloned())
                .collect(),
            None => std::iter::once(0..at).collect(),
        }
    }
}

/// Writes one alternative.
type Write = fn(&mut Generator);
/// Alternatives with their weights.
type Table = [(usize, Write)];

struct Generator {
    random: Random,
    counts: Counts,
    mentions: BTreeMap<String, BTreeSet<usize>>,
    /// Whether it may hold what only running tells.
    doubtful: bool,
    /// Whether what people seldom write is left out.
    tame: bool,
    /// The item that is being written.
    item: usize,
    text: String,
    /// Here-documents whose bodies come after this line.
    here: Vec<HereDocument>,
    /// Inside double quotes or the body of a here-document.
    quoted: bool,
    /// Texts of their own around this.
    texts: usize,
    /// Levels of backticks.
    backticks: usize,
    depth: usize,
    /// Commands that may still be written.
    budget: usize,
    programs: Vec<String>,
    functions: Vec<String>,
    named: usize,
}

impl Generator {
    fn new(random: Random) -> Self {
        let mut generator = Self {
            random,
            counts: Counts::default(),
            mentions: BTreeMap::new(),
            doubtful: false,
            tame: true,
            item: 0,
            text: String::new(),
            here: Vec::new(),
            quoted: false,
            texts: 0,
            backticks: 0,
            depth: 0,
            budget: 0,
            programs: (0..PROGRAMS).map(|number| format!("p{number}")).collect(),
            functions: Vec::new(),
            named: 0,
        };
        match generator.random.below(100) {
            0..64 => {}
            64..82 => generator.tame = false,
            _ => generator.doubtful = true,
        }
        generator
    }

    fn script(mut self) -> Script {
        let count = 1 + self.random.below(if self.tame { 3 } else { 4 });
        let mut items = Vec::with_capacity(count);
        // One statement of a doubtful script is doubtful, so that the rest is
        // still held to the plan.
        let doubtful_item = self.doubtful.then(|| self.random.below(count));
        for item in 0..count {
            self.item = item;
            self.doubtful = doubtful_item == Some(item);
            let most = if self.tame { 5 } else { 8 };
            self.budget = 1 + self.random.below(most / count + 2);
            self.write_item();
            let last = item + 1 == count;
            items.push(self.finish_item(last));
        }
        Script {
            items,
            mentions: self.mentions,
            counts: self.counts,
            doubtful: doubtful_item.is_some(),
        }
    }

    fn write_item(&mut self) {
        if self.random.chance(4) {
            self.used(Production::CommentLine);
            self.comment();
        }
        if !self.tame && self.random.chance(10) {
            self.extended_glob();
        }
        if self.doubtful {
            self.doubtful_statement();
            self.newline();
        }
        if !self.doubtful || self.random.chance(30) {
            self.list(2);
        }
    }

    fn finish_item(&mut self, last: bool) -> String {
        if self.random.chance(5) {
            self.push(" ");
            self.used(Production::Comment);
            self.comment();
        } else if !last || !self.here.is_empty() || self.random.chance(80) {
            self.newline();
        }
        let text = std::mem::take(&mut self.text);
        if self.random.chance(3) && text.contains('\n') {
            self.used(Production::CarriageReturns);
            return text.replace('\n', "\r\n");
        }
        text
    }

    fn used(&mut self, production: Production) {
        self.counts.used(production);
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// One of a table's alternatives, by weight.
    fn one_of(&mut self, table: &Table) {
        let total = table.iter().map(|(weight, _)| weight).sum();
        let mut chosen = self.random.below(total);
        for (weight, write) in table {
            if chosen < *weight {
                return write(self);
            }
            chosen -= weight;
        }
    }

    /// What is written by `write` as a text of its own, as inside `$( )`: with
    /// its here-documents, outside all quotes.
    fn apart(&mut self, write: impl FnOnce(&mut Self)) -> String {
        let outer = std::mem::take(&mut self.text);
        let outer_here = std::mem::take(&mut self.here);
        let outer_quoted = std::mem::replace(&mut self.quoted, false);
        self.depth += 1;
        self.texts += 1;
        write(self);
        if !self.here.is_empty() {
            self.used(Production::HereDocumentNested);
            self.newline();
        }
        self.texts -= 1;
        self.depth -= 1;
        self.quoted = outer_quoted;
        self.here = outer_here;
        std::mem::replace(&mut self.text, outer)
    }

    /// What is written by `write` between double quotes, or in a body.
    fn in_quotes(&mut self, write: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.quoted, true);
        write(self);
        self.quoted = outer;
    }

    /// Whether there is room for something within this.
    fn may_nest(&self) -> bool {
        self.depth < DEPTH && self.budget > 0
    }

    /// Whether to write what people seldom write.
    fn is_odd(&mut self, percent: usize) -> bool {
        !self.tame && self.random.chance(percent)
    }

    /// Whether to write what is doubtful by itself, though only a little: what
    /// a command prints, read as a number.
    fn may_doubt(&mut self) -> bool {
        self.may_nest() && (self.doubtful || self.random.chance(12))
    }

    /// Remembers that a name stands in this item.
    fn mention(&mut self, name: &str) {
        self.mentions
            .entry(name.to_owned())
            .or_default()
            .insert(self.item);
    }

    /// The name of a program that nothing else in the script runs.
    fn program_name(&mut self) -> String {
        let at = self.random.below(self.programs.len());
        let name = if self.programs.is_empty() {
            "p0".to_owned()
        } else {
            self.programs.swap_remove(at)
        };
        self.budget = self.budget.saturating_sub(1);
        self.mention(&name);
        name
    }

    /// An argument that nothing else in the script has, for a builtin.
    fn marker(&mut self) -> String {
        self.named += 1;
        self.budget = self.budget.saturating_sub(1);
        let marker = format!("m{}", self.named);
        self.mention(&marker);
        marker
    }

    /// A number that nothing else was numbered with.
    fn number(&mut self) -> usize {
        self.named += 1;
        self.named
    }

    /// A program by name, as it may stand within other text.
    fn push_program(&mut self) {
        let name = self.program_name();
        self.push(&name);
    }
}

#[cfg(test)]
mod tests {
    use super::{Counts, Script};

    #[test]
    fn a_seed_decides() {
        for number in 0..50 {
            let texts = [(); 2].map(|()| Script::generate(7, number).text());
            assert_eq!(texts[0], texts[1]);
        }
    }

    #[test]
    fn every_production_is_used_often() {
        let scripts = 10_000;
        let mut counts = Counts::default();
        for number in 0..scripts {
            counts.add(&Script::generate(1, number).counts);
        }
        // 200 times in 50,000 scripts.
        let least = scripts / 250;
        let rare: Vec<_> = counts
            .iter()
            .filter(|(_, count)| *count < least)
            .map(|(production, count)| (production.name(), count))
            .collect();
        assert_eq!(rare, []);
    }
}
