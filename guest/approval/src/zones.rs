//! What an effect means: where it leads, and whether the configuration or an
//! answer of the user lets it. Knows no rules for commands.

use bashgate_guest::policy::{
    Access, Effect, Lifetime, Location, Offer, Origin, PathScope, Scope, Unit, Zone,
};

use crate::findings::clipped;
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

fn reason(rule: &str, message: String) -> Reason {
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
                child.span.start <= effect.span.start && effect.span.end <= child.span.end
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

/// The word a rule must spell: the option and its argument, as one word or as
/// the one that names the program.
fn telling_word(unit: Option<&Unit>, effect: &Effect) -> String {
    let holds = |unit: &Unit| {
        unit.words
            .iter()
            .find(|w| w.span.start <= effect.span.start && effect.span.end <= w.span.end)
            .and_then(|w| w.value.clone())
    };
    unit.and_then(holds).unwrap_or_else(|| effect.text.clone())
}

/// A change to a directory that holds something protected. None: like any
/// other.
fn around_protected(
    unit: Option<&Unit>,
    effect: &Effect,
    location: &Location,
    inner: &str,
    name: &str,
) -> Option<Impact> {
    let program = unit.and_then(program_word).map_or("", base_name);
    let denied = |access| Impact::Deny(holding(access, &location.path, inner, name));
    let whole_tree = || {
        Impact::Hard(
            reason(
                "protected_paths",
                format!(
                    "`{name}` may change anything below {}, which holds {inner}, protected by protected_paths; \
                     name the files it should change",
                    location.path
                ),
            ),
            None,
        )
    };
    match effect.access {
        Access::Delete if program == "git" || is_filtered_find(unit, program) => Some(whole_tree()),
        Access::Delete => Some(denied(Access::Delete)),
        Access::Write if CHANGES_ITSELF.contains(&program) => Some(denied(Access::Write)),
        Access::Write if !is_single_file(unit, program) => Some(whole_tree()),
        Access::Write => match names_protected(unit, inner) {
            Some(true) => Some(denied(Access::Write)),
            Some(false) => None,
            None => Some(whole_tree()),
        },
        Access::Read | Access::Enter | Access::Execute | Access::Connect | Access::Other => None,
    }
}

/// Programs that change what they name itself: its mode, owner, attributes.
const CHANGES_ITSELF: &[&str] = &[
    "chmod", "chown", "chgrp", "chattr", "setfacl", "chcon", "setfattr", "mount",
];

/// Programs that put single files where they are told.
const SINGLE_FILES: &[&str] = &["cp", "mv", "ln", "install", "mkdir", "touch", "tee"];

fn is_single_file(unit: Option<&Unit>, program: &str) -> bool {
    let Some(unit) = unit else {
        return false;
    };
    // `mv` of a tree moves it whole under its own name, which is looked at.
    SINGLE_FILES.contains(&program)
        && !unit
            .words
            .iter()
            .skip(1)
            .any(|word| match word.value.as_deref() {
                Some(text) if program == "cp" => is_recursive(text),
                Some(_) => false,
                None => true,
            })
}

fn is_recursive(text: &str) -> bool {
    match text.strip_prefix("--") {
        Some(name) => name.starts_with("rec") || name.starts_with("arc") || name.starts_with("par"),
        None => text.starts_with('-') && text.contains(['r', 'R', 'a', 'd']),
    }
}

/// Whether a word's last component is a protected name. None: not known.
fn names_protected(unit: Option<&Unit>, inner: &str) -> Option<bool> {
    const NAMES: &[&str] = &[
        ".git",
        ".agents",
        ".codex",
        ".bashgate",
        ".ssh",
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".bash_logout",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        ".zlogin",
        ".kshrc",
        ".inputrc",
    ];
    let mut found = false;
    for word in unit?.words.iter().skip(1) {
        let value = word.value.as_deref()?;
        let last = base_name(value.rsplit('=').next().unwrap_or(value));
        found |= last == base_name(inner)
            || NAMES.contains(&last)
            || inner
                .split('/')
                .any(|part| !part.is_empty() && part == last && part.starts_with('.'));
    }
    Some(found)
}

fn is_filtered_find(unit: Option<&Unit>, program: &str) -> bool {
    const FILTERS: &[&str] = &[
        "-name",
        "-iname",
        "-path",
        "-ipath",
        "-wholename",
        "-iwholename",
        "-regex",
        "-iregex",
        "-lname",
        "-ilname",
    ];
    program == "find"
        && unit.is_some_and(|unit| {
            unit.words.iter().any(|word| {
                word.value
                    .as_deref()
                    .is_some_and(|text| FILTERS.contains(&text))
            })
        })
}

/// Keys and credentials, wherever they lie.
fn is_secret(path: &str) -> bool {
    let name = base_name(path);
    let lower = name.to_ascii_lowercase();
    let is_public = lower.ends_with(".pub");
    let in_ssh = path.contains("/.ssh/") || path.ends_with("/.ssh");
    let is_key = [
        ".pem",
        ".key",
        ".p12",
        ".pfx",
        ".kdbx",
        ".keystore",
        ".jks",
        ".ppk",
    ]
    .iter()
    .any(|end| lower.ends_with(end))
        || ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss"]
            .iter()
            .any(|start| lower.starts_with(start));
    let is_file = [
        ".netrc",
        "_netrc",
        ".pgpass",
        ".my.cnf",
        ".git-credentials",
        ".npmrc",
        ".pypirc",
        ".htpasswd",
        "credentials",
        "credentials.toml",
        "credentials.json",
        "application_default_credentials.json",
        ".dockercfg",
        "kubeconfig",
        "secring.gpg",
        "shadow",
        "gshadow",
    ]
    .contains(&lower.as_str());
    let in_store = [
        "/.aws/",
        "/.gnupg/",
        "/.kube/config",
        "/.docker/config.json",
        "/.azure/",
        "/gcloud/",
    ]
    .iter()
    .any(|part| path.contains(part))
        || path.ends_with("/.gnupg")
        || path.ends_with("/.aws");
    (in_ssh && !is_public) || (is_key && !is_public) || is_file || in_store
}

fn secret(name: &str, path: &str) -> Reason {
    reason(
        "credentials",
        format!(
            "`{name}` reads {path}, which looks like a key or credentials; this is asked each time"
        ),
    )
}

/// Why a protected path is not touched. A rule in words is no pattern of the
/// configuration, so no setting lifts it.
fn protection(access: Access, path: &str, rule: &str, name: &str) -> Reason {
    let message = match rule.contains(char::is_whitespace) && !rule.contains('/') {
        true => format!(
            "`{name}` {} {path}: {rule}; no setting lifts that",
            verb(access)
        ),
        false => format!(
            "`{name}` {} {path}, protected by protected_paths \"{rule}\"; take it out of protected_paths to allow this",
            verb(access)
        ),
    };
    reason("protected_paths", message)
}

fn holding(access: Access, path: &str, inner: &str, name: &str) -> Reason {
    reason(
        "protected_paths",
        format!(
            "`{name}` {} {path}, which holds {inner}, protected by protected_paths; \
             name what should change, or take that path out of protected_paths",
            match access {
                Access::Write => "changes",
                access => verb(access),
            }
        ),
    )
}
