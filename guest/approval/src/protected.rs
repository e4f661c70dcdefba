//! Protected paths, what holds them, and keys and credentials: which changes
//! they bar, and how that is said. Knows no zones.

use bashgate_guest::policy::{Access, Effect, Location, Unit};

use crate::scene::{base_name, program_word, verb};
use crate::zones::{Impact, Reason, reason};

/// A change to a directory that holds something protected. None: like any
/// other.
pub fn around_protected(
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
pub fn is_secret(path: &str) -> bool {
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
    ((in_ssh || is_key) && !is_public) || is_file || in_store
}

pub fn secret(name: &str, path: &str) -> Reason {
    reason(
        "credentials",
        format!(
            "`{name}` reads {path}, which looks like a key or credentials; this is asked each time"
        ),
    )
}

/// Why a protected path is not touched. A rule in words is no pattern of the
/// configuration, so no setting lifts it.
pub fn protection(access: Access, path: &str, rule: &str, name: &str) -> Reason {
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
