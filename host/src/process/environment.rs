//! The one environment of a call, built once, the same for analysis and child.
//!
//! Little is inherited: the core names and those that the user passes. What
//! lies above them is said by someone: login shell, session, guests, the
//! user's `environment.set`, and what keeps an unattended command from waiting
//! for a person. It does not know which command will run.

mod hardening;
mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use super::tree::MARK;

/// Variables by name.
pub type Vars = BTreeMap<OsString, OsString>;

/// The PATH of a call that would have none.
const DEFAULT_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// What an environment is built from, the host's own apart. By default:
/// nobody is there, git is disarmed, nothing is set, passed or withheld.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Names, or patterns with `*` and `?`, that the host's environment and
    /// the login shell's may pass on although they look like secrets. Names
    /// that load code never pass.
    pub pass: Vec<String>,
    /// Names or patterns that are withheld from what host, login shell,
    /// session and guests say; stronger than `pass`.
    pub withhold: Vec<String>,
    /// `environment.set`: what the user wants to be there.
    pub set: BTreeMap<String, String>,
    /// What the user's login shell exports.
    pub login: Vars,
    /// What the embedder of this session set.
    pub session: Vars,
    /// What environment guests say, in their order.
    pub adjustments: Vec<Adjustment>,
    /// Who sits before the command.
    pub audience: Audience,
    /// Keeps git from starting programs that a repository names; see
    /// [`build`] for what that does not reach.
    pub git_disarmed: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            pass: Vec::new(),
            withhold: Vec::new(),
            set: BTreeMap::new(),
            login: Vars::new(),
            session: Vars::new(),
            adjustments: Vec::new(),
            audience: Audience::Nobody,
            git_disarmed: true,
        }
    }
}

/// One guest's wishes. A guest may not set names that load code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Adjustment {
    /// Names and their values; the last of one name counts.
    pub set: Vec<(String, String)>,
    /// Names or patterns to take out of what lies below.
    pub withhold: Vec<String>,
}

/// Who can answer a command's questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Audience {
    /// Nobody: pagers, editors and prompts are off.
    Nobody,
    /// A person at a terminal of this kind.
    Person {
        /// The value of TERM.
        term: String,
    },
}

/// An environment that does not change any more.
#[derive(Clone, PartialEq, Eq)]
pub struct Frozen {
    /// All variables, by name, without the [`MARK`] of a call.
    pub vars: Vec<(OsString, OsString)>,
    /// The names, never the values, that were there and were held back since
    /// they look like secrets, load code, are no names, or were to be withheld.
    pub withheld: Vec<String>,
}

impl Frozen {
    /// The variables of one call, with its mark.
    #[must_use]
    pub fn marked(&self, call: &str) -> Vec<(OsString, OsString)> {
        let mut variables = Vec::with_capacity(self.vars.len() + 1);
        variables.extend_from_slice(&self.vars);
        variables.push((MARK.into(), call.into()));
        variables
    }
}

/// Without values: they have no place in a log.
impl fmt::Debug for Frozen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.vars.iter().map(|(name, _)| name).collect();
        f.debug_struct("Frozen")
            .field("names", &names)
            .field("withheld", &self.withheld)
            .finish()
    }
}

/// Builds the environment of a call from the `host`'s own. From weak to
/// strong: core names and passed ones of the host, login shell, session,
/// guests, `set`, hardening (which gives way to `set`, askpass and prompts
/// excepted), and what disarms git.
///
/// Disarming holds for all that git reads from keys with fixed names, and for
/// pagers. External diff has no value that means none, and names chosen by
/// the repository (filters, textconv, diff and merge drivers, aliases) cannot
/// be enumerated here: a command that may use one needs a person's answer.
pub fn build(host: impl IntoIterator<Item = (OsString, OsString)>, policy: &Policy) -> Frozen {
    let mut builder = Builder {
        policy,
        vars: Vars::new(),
        withheld: BTreeSet::new(),
    };
    for (name, value) in host {
        let wanted = names::is_core(&name) || names::fits_any(&policy.pass, &name);
        builder.inherit(name, value, wanted);
    }
    for (name, value) in &policy.login {
        builder.inherit(name.clone(), value.clone(), true);
    }
    for (name, value) in &policy.session {
        if !names::fits_any(&policy.withhold, name) {
            builder.insert(name.clone(), value.clone());
        } else {
            builder.withhold(name);
        }
    }
    for adjustment in &policy.adjustments {
        builder.adjust(adjustment);
    }
    for (name, value) in &policy.set {
        builder.insert(name.into(), value.into());
    }
    builder.harden();
    builder.finish()
}

struct Builder<'a> {
    policy: &'a Policy,
    vars: Vars,
    withheld: BTreeSet<String>,
}

impl Builder<'_> {
    /// Takes a variable that nobody in this call named, if it may be taken.
    fn inherit(&mut self, name: OsString, value: OsString, wanted: bool) {
        let secret = names::looks_secret(&name) && !names::fits_any(&self.policy.pass, &name);
        if secret || names::loads_code(&name) || names::fits_any(&self.policy.withhold, &name) {
            self.withhold(&name);
        } else if wanted {
            self.insert(name, value);
        }
    }

    fn adjust(&mut self, adjustment: &Adjustment) {
        let fits = |name: &OsStr| names::fits_any(&adjustment.withhold, name);
        let gone: Vec<OsString> = self
            .vars
            .keys()
            .filter(|name| fits(name))
            .cloned()
            .collect();
        for name in gone {
            self.vars.remove(&name);
            self.withhold(&name);
        }
        for (name, value) in &adjustment.set {
            let name = OsStr::new(name);
            if names::loads_code(name) || names::fits_any(&self.policy.withhold, name) {
                self.withhold(name);
            } else {
                self.insert(name.to_owned(), value.into());
            }
        }
    }

    /// What cannot be a variable must not break the command, nor smuggle one
    /// in. The mark is nobody's to set.
    fn insert(&mut self, name: OsString, value: OsString) {
        let impossible = !names::is_possible(&name) || value.as_bytes().contains(&0);
        if impossible || name == MARK {
            self.withhold(&name);
        } else {
            self.vars.insert(name, value);
        }
    }

    fn withhold(&mut self, name: &OsStr) {
        self.withheld.insert(name.to_string_lossy().into_owned());
    }

    fn harden(&mut self) {
        let policy = self.policy;
        for (name, value, strength) in hardening::variables(&policy.audience) {
            let theirs = policy.set.contains_key(name);
            if strength == hardening::Strength::Firm || !theirs {
                self.vars.insert(name.into(), value.into());
            }
        }
        if policy.git_disarmed {
            hardening::disarm_git(&mut self.vars);
        }
    }

    fn finish(mut self) -> Frozen {
        let path = self
            .vars
            .remove(OsStr::new("PATH"))
            .and_then(|path| absolute_elements(&path));
        self.vars
            .insert("PATH".into(), path.unwrap_or_else(|| DEFAULT_PATH.into()));
        Frozen {
            vars: self.vars.into_iter().collect(),
            withheld: self.withheld.into_iter().collect(),
        }
    }
}

/// PATH without the elements that mean "wherever the command happens to be":
/// empty and relative ones. `None` when nothing is left.
fn absolute_elements(path: &OsStr) -> Option<OsString> {
    let elements = path.as_bytes().split(|byte| *byte == b':');
    let absolute: Vec<&[u8]> = elements
        .filter(|element| element.starts_with(b"/"))
        .collect();
    (!absolute.is_empty()).then(|| OsString::from_vec(absolute.join(&b':')))
}

#[cfg(test)]
mod tests;
