//! One execution with its indices: which units a unit wraps, what it touches,
//! and what ends an allow. Orders what the plan says; decides nothing.

use bashgate_guest::policy::{Access, Context, Effect, Execution, Location, Unit, Word, Zone};

use crate::fit::Known;

/// How deep wrappers and nested scripts are followed; deeper is never allowed.
const DEEPEST: usize = 256;

/// A plan with its indices.
pub struct Scene<'a> {
    pub execution: &'a Execution,
    /// Direct children, by unit.
    children: Vec<Vec<usize>>,
    /// Effects, by unit.
    effects: Vec<Vec<&'a Effect>>,
    /// Effects that name no unit of the plan.
    pub strays: Vec<&'a Effect>,
    depth: Vec<usize>,
    /// Why no rule or grant may allow the unit.
    ends_allow: Vec<Option<&'a str>>,
}

impl<'a> Scene<'a> {
    pub fn new(execution: &'a Execution) -> Self {
        let units = &execution.plan.units;
        let mut children = vec![Vec::new(); units.len()];
        for (at, unit) in units.iter().enumerate() {
            if let Some(list) = unit.parent.and_then(|p| children.get_mut(p as usize)) {
                list.push(at);
            }
        }
        let mut effects = vec![Vec::new(); units.len()];
        let mut strays = Vec::new();
        for effect in &execution.plan.effects {
            match effects.get_mut(effect.unit as usize) {
                Some(list) => list.push(effect),
                None => strays.push(effect),
            }
        }
        let mut scene = Self {
            execution,
            children,
            effects,
            strays,
            depth: Vec::with_capacity(units.len()),
            ends_allow: Vec::with_capacity(units.len()),
        };
        for at in 0..units.len() {
            let (depth, ends) = scene.look_up(at);
            scene.depth.push(depth);
            scene.ends_allow.push(ends);
        }
        scene
    }

    /// Depth of a unit, and the reason against allowing it that it carries or
    /// inherits from what wraps it.
    fn look_up(&self, at: usize) -> (usize, Option<&'a str>) {
        let mut ends = None;
        let mut wrapped = true;
        let mut here = self.unit(at);
        for depth in 0..DEEPEST {
            let Some(unit) = here else {
                return (depth, ends);
            };
            if wrapped && ends.is_none() {
                ends = attribute(unit, "ends-allow");
            }
            wrapped &= matches!(unit.context, Context::Wrapped | Context::NestedScript);
            here = unit.parent.and_then(|parent| self.unit(parent as usize));
        }
        (DEEPEST, Some("it is nested too deeply"))
    }

    pub fn units(&self) -> &'a [Unit] {
        &self.execution.plan.units
    }

    pub fn unit(&self, at: usize) -> Option<&'a Unit> {
        self.units().get(at)
    }

    /// What a unit touches.
    pub fn effects(&self, at: usize) -> &[&'a Effect] {
        self.effects.get(at).map_or(&[], Vec::as_slice)
    }

    /// The units that this one starts as a wrapper or as a nested script.
    pub fn wrapped(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        self.children(at).filter(|child| {
            self.unit(*child)
                .is_some_and(|u| matches!(u.context, Context::Wrapped | Context::NestedScript))
        })
    }

    pub fn children(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        self.children.get(at).into_iter().flatten().copied()
    }

    /// Why no rule or grant may allow it.
    pub fn ends_allow(&self, at: usize) -> Option<&'a str> {
        self.ends_allow.get(at).copied().flatten()
    }

    /// Indices, the most deeply nested first.
    pub fn innermost_first(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.units().len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(self.depth.get(*at).copied().unwrap_or(0)));
        order
    }

    /// Whether an absolute path is the root of the workspace or lies in it.
    pub fn in_root(&self, path: &str) -> bool {
        below(path, &self.execution.root)
    }
}

/// Whether a path is this directory or lies below it, by component.
pub fn below(path: &str, directory: &str) -> bool {
    let directory = directory.trim_end_matches('/');
    match path.strip_prefix(directory) {
        Some(rest) => rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

/// The last component of a path.
pub fn base_name(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path)
}

/// The value of an attribute of a unit.
pub fn attribute<'a>(unit: &'a Unit, name: &str) -> Option<&'a str> {
    unit.attributes
        .iter()
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.as_str())
}

/// The program's name as bash will see it.
pub fn program_word(unit: &Unit) -> Option<&str> {
    unit.words.first().and_then(|word| word.value.as_deref())
}

/// Whether the program is a builtin, or a file that no command of the agent
/// could have put there: a bare name found outside the workspace.
pub fn is_trusted_program(scene: &Scene<'_>, unit: &Unit) -> bool {
    let Some(name) = program_word(unit) else {
        return false;
    };
    if attribute(unit, "function").is_some() {
        return false;
    }
    if attribute(unit, "builtin").is_some() {
        return true;
    }
    !name.contains('/')
        && unit.program.as_ref().is_some_and(|file: &Location| {
            file.exists
                && matches!(file.zone, Zone::Outside | Zone::Protected)
                && !scene.in_root(&file.path)
        })
}

/// The words of a unit as far as they are known, raw.
pub fn known_words(unit: &Unit) -> Vec<Known<'_>> {
    unit.words.iter().map(known).collect()
}

/// The words with the options before the subcommand passed over; none when the
/// plan's identity says nothing more than the raw words.
pub fn plain_words(unit: &Unit) -> Option<Vec<Known<'_>>> {
    let last = *unit.identity.last()? as usize;
    if last < unit.identity.len() || last >= unit.words.len() {
        return None;
    }
    let named = unit
        .identity
        .iter()
        .filter_map(|at| unit.words.get(*at as usize));
    let rest = unit.words.get(last + 1..)?;
    Some(named.chain(rest).map(known).collect())
}

/// The words before the subcommand that `plain_words` passes over.
pub fn passed_over(unit: &Unit) -> Vec<&Word> {
    let last = unit.identity.last().map_or(0, |at| *at as usize);
    unit.words
        .iter()
        .take(last)
        .enumerate()
        .filter(|(at, _)| !unit.identity.iter().any(|named| *named as usize == *at))
        .map(|(_, word)| word)
        .collect()
}

fn known(word: &Word) -> Known<'_> {
    match word.value.as_deref() {
        Some(text) => Known::Text(text),
        // Within double quotes all is one word, but for lists.
        None if is_quoted(&word.text) => Known::One,
        None => Known::Any,
    }
}

fn is_quoted(text: &str) -> bool {
    let inner = text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    inner.is_some_and(|inner| !inner.contains(['"', '@']))
}

/// What an access does, as a verb.
pub fn verb(access: Access) -> &'static str {
    match access {
        Access::Read => "reads",
        Access::Write => "writes",
        Access::Delete => "deletes",
        Access::Execute => "runs",
        Access::Enter => "enters",
        Access::Connect => "connects to",
        Access::Other => "may use",
    }
}
