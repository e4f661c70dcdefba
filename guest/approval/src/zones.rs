//! What an effect means: where it leads, and whether the configuration or an
//! answer of the user lets it. Knows no rules for commands.

use bashgate_guest::policy::{
    Access, Effect, Lifetime, Location, Offer, Origin, PathScope, Scope, Unit, Zone,
};

use crate::findings::clipped;
use crate::protected::{around_protected, is_secret, protection, secret};
use crate::scene::{Scene, base_name, below, program_word, verb};

/// What follows from one effect.
#[derive(Debug, PartialEq)]
pub enum Impact {
    /// A command that only looks may have it.
    Harmless,
    /// No command with it is known to be safe; a rule covers it.
    Unknown,
    /// Writes or deletes a file of the workspace that the command's words name:
    /// asked about unless a rule or grant covers the command.
    Write,
    /// Runs another program: asked about unless a rule spells the word.
    Runs(String),
    /// Asked about; an enforcing sandbox may stand in for the answer.
    Soft(Reason),
    /// Asked about in every mode.
    Hard(Reason, Option<Offer>),
    Deny(Reason),
}

/// A finding without its place.
#[derive(Debug, PartialEq)]
pub struct Reason {
    pub rule: String,
    pub message: String,
}

pub fn reason(rule: &str, message: String) -> Reason {
    Reason {
        rule: rule.to_owned(),
        message,
    }
}

/// Paths that the user's grants open, for the whole of an evaluation.
pub struct Zones<'a> {
    pub scene: &'a Scene<'a>,
    pub scopes: Vec<&'a PathScope>,
}

impl Zones<'_> {
    /// What follows from an effect of this unit.
    pub fn impact(&self, unit: Option<&Unit>, effect: &Effect) -> Impact {
        let name = unit.map_or_else(|| clipped(&effect.text), |u| clipped(&u.text));
        match &effect.location {
            None => self.nowhere(unit, effect, &name),
            Some(location) => self.somewhere(unit, effect, location, &name),
        }
    }

    fn nowhere(&self, unit: Option<&Unit>, effect: &Effect, name: &str) -> Impact {
        match effect.access {
            Access::Connect => Impact::Unknown,
            Access::Execute => self.runs(unit, effect),
            access => Impact::Soft(reason(
                "unknown path",
                format!(
                    "`{name}` {} `{}`, and only running it can tell where that leads; write the path out",
                    verb(access),
                    clipped(&effect.text)
                ),
            )),
        }
    }

    fn runs(&self, unit: Option<&Unit>, effect: &Effect) -> Impact {
        match effect.origin {
            // Judged as the unit's own program.
            Origin::Program => Impact::Harmless,
            Origin::Inferred => Impact::Unknown,
            Origin::Operand | Origin::OptionArgument | Origin::Redirect => {
                match self.is_unit_of_its_own(unit, effect) {
                    true => Impact::Harmless,
                    false => Impact::Runs(telling_word(unit, effect)),
                }
            }
        }
    }

    /// Whether a unit of the plan stands for what the effect runs.
    fn is_unit_of_its_own(&self, unit: Option<&Unit>, effect: &Effect) -> bool {
        let Some(at) = unit.and_then(|_| usize::try_from(effect.unit).ok()) else {
            return false;
        };
        self.scene.wrapped(at).any(|child| {
            self.scene.unit(child).is_some_and(|child| {
                // Spans of nested scripts are coarse, so the name must agree too.
                child.span.start <= effect.span.start
                    && effect.span.end <= child.span.end
                    && program_word(child)
                        .is_some_and(|name| effect.text.split_whitespace().next() == Some(name))
            })
        })
    }

    fn somewhere(
        &self,
        unit: Option<&Unit>,
        effect: &Effect,
        location: &Location,
        name: &str,
    ) -> Impact {
        // Running what the PATH names changes nothing of it.
        let by_name = effect.access == Access::Execute
            && effect.origin == Origin::Program
            && unit
                .and_then(program_word)
                .is_some_and(|name| !name.contains('/'));
        if by_name {
            return Impact::Harmless;
        }
        if location.zone == Zone::Protected {
            return self.protected(unit, effect, location, name);
        }
        if location.zone == Zone::Harmless {
            return Impact::Harmless;
        }
        if let Some(inner) = location
            .rule
            .as_deref()
            .and_then(|rule| rule.strip_prefix("contains "))
            && let Some(impact) = around_protected(unit, effect, location, inner, name)
        {
            return impact;
        }
        if effect.access == Access::Execute {
            let runs = self.runs(unit, effect);
            if effect.origin == Origin::Program || runs != Impact::Unknown {
                return runs;
            }
        }
        if effect.access == Access::Read && is_secret(&location.path) {
            return Impact::Hard(secret(name, &location.path), None);
        }
        match location.zone {
            Zone::Temporary | Zone::Outside if !self.is_granted(effect.access, &location.path) => {
                self.elsewhere(unit, effect, location, name)
            }
            Zone::Artifact if matches!(effect.access, Access::Write | Access::Delete) => {
                Impact::Hard(
                    reason(
                        "zone artifact",
                        format!(
                            "`{name}` {} {}, output that this session saved",
                            verb(effect.access),
                            location.path
                        ),
                    ),
                    None,
                )
            }
            _ => inside(effect, location, name),
        }
    }

    fn protected(
        &self,
        unit: Option<&Unit>,
        effect: &Effect,
        location: &Location,
        name: &str,
    ) -> Impact {
        match effect.access {
            Access::Write | Access::Delete | Access::Execute => Impact::Deny(protection(
                effect.access,
                &location.path,
                location.rule.as_deref().unwrap_or_default(),
                name,
            )),
            Access::Read if is_secret(&location.path) => {
                Impact::Hard(secret(name, &location.path), None)
            }
            Access::Read | Access::Enter if self.scene.in_root(&location.path) => Impact::Harmless,
            Access::Read | Access::Enter if self.is_granted(effect.access, &location.path) => {
                Impact::Harmless
            }
            Access::Read | Access::Enter => self.elsewhere(unit, effect, location, name),
            Access::Connect | Access::Other => Impact::Hard(
                reason(
                    "protected_paths",
                    format!(
                        "`{name}` {} {}, protected by protected_paths \"{}\", and what it does with it is not known",
                        verb(effect.access),
                        location.path,
                        location.rule.as_deref().unwrap_or_default()
                    ),
                ),
                None,
            ),
        }
    }

    fn elsewhere(
        &self,
        unit: Option<&Unit>,
        effect: &Effect,
        location: &Location,
        name: &str,
    ) -> Impact {
        let (zone, place) = match location.zone {
            Zone::Temporary => ("zone temporary", "in a temporary directory"),
            _ => ("zone outside", "outside the workspace"),
        };
        let offer = self.offer(unit, effect, location);
        let way = match offer {
            Some(_) => "; its directory may be granted for this session",
            None => "",
        };
        Impact::Hard(
            reason(
                zone,
                format!(
                    "`{name}` {} {}, {place}{way}",
                    verb(effect.access),
                    location.path
                ),
            ),
            offer,
        )
    }

    fn is_granted(&self, access: Access, path: &str) -> bool {
        self.scopes
            .iter()
            .any(|scope| scope.access == access && below(path, &scope.path))
    }

    /// The directory that the user could open for this session.
    fn offer(&self, unit: Option<&Unit>, effect: &Effect, location: &Location) -> Option<Offer> {
        let offered = effect.origin != Origin::Redirect
            || matches!(effect.access, Access::Read | Access::Enter);
        let accesses = [
            Access::Read,
            Access::Write,
            Access::Delete,
            Access::Enter,
            Access::Other,
        ];
        if !offered || !accesses.contains(&effect.access) {
            return None;
        }
        Some(Offer {
            scope: Scope::Path(PathScope {
                path: self.directory(unit, effect, &location.path),
                access: effect.access,
            }),
            lifetime: Lifetime::Session,
        })
    }

    /// The directory of a path; the path itself where it is one, or where its
    /// directory would open far more: the top, a home, what holds the root.
    fn directory(&self, unit: Option<&Unit>, effect: &Effect, path: &str) -> String {
        let whole = || match path.trim_end_matches('/') {
            "" => "/".to_owned(),
            path => path.to_owned(),
        };
        let is_directory = effect.access == Access::Enter
            || effect.text.ends_with('/')
            || effect.text.ends_with('.')
            || unit
                .and_then(program_word)
                .is_some_and(|p| TAKES_DIRECTORIES.contains(&base_name(p)));
        let Some((parent, _)) = path.trim_end_matches('/').rsplit_once('/') else {
            return whole();
        };
        let execution = self.scene.execution;
        let too_wide = parent.matches('/').count() < 1
            || below(&execution.root, parent)
            || below(&execution.home, parent);
        match is_directory || too_wide {
            true => whole(),
            false => parent.to_owned(),
        }
    }
}

/// Programs whose operands are directories as a rule.
const TAKES_DIRECTORIES: &[&str] = &[
    "ls", "dir", "find", "tree", "du", "rg", "fd", "ag", "mkdir", "rmdir", "git", "pushd", "cd",
];

fn inside(effect: &Effect, location: &Location, name: &str) -> Impact {
    match effect.access {
        Access::Read | Access::Enter => Impact::Harmless,
        Access::Write | Access::Delete if effect.origin == Origin::Redirect => {
            Impact::Soft(reason(
                "redirect",
                format!(
                    "`{name}` writes {} through a redirect; rules and grants cover the files that a command's words name, \
                     so this is asked each time",
                    location.path
                ),
            ))
        }
        Access::Write | Access::Delete => Impact::Write,
        Access::Connect | Access::Execute | Access::Other => Impact::Unknown,
    }
}

/// The word a rule must spell: the argument that holds what runs, or what runs.
fn telling_word(unit: Option<&Unit>, effect: &Effect) -> String {
    let mut holding = unit
        .iter()
        .flat_map(|unit| unit.words.iter().skip(1))
        .filter_map(|word| word.value.as_deref())
        .filter(|value| !effect.text.is_empty() && value.contains(&effect.text));
    holding.next().unwrap_or(&effect.text).to_owned()
}
