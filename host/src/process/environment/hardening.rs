//! Variables that keep a command from waiting for a person who is not there,
//! and git from starting what its repository names.

use std::ffi::{OsStr, OsString};

use super::{Audience, Vars};

/// Whether `environment.set` may say something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strength {
    /// It may.
    Yields,
    /// It may not: nobody answers a question for a password.
    Firm,
}

/// Programs that ask for a password in a window. An empty askpass of git
/// means none, not the next in line; ssh takes its own only as a name, and
/// `false` gives no password.
const ASKPASS: &[(&str, &str)] = &[
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", "false"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("SUDO_ASKPASS", ""),
];

/// Questions on the terminal.
const PROMPTS: &[(&str, &str)] = &[
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GCM_INTERACTIVE", "never"),
    ("GH_PROMPT_DISABLED", "1"),
    ("CLOUDSDK_CORE_DISABLE_PROMPTS", "1"),
];

/// Package managers and their kin take the default, and print no progress
/// for eyes.
const PACKAGE_MANAGERS: &[(&str, &str)] = &[
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("PIP_NO_INPUT", "1"),
    ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
    ("npm_config_yes", "true"),
    ("npm_config_update_notifier", "false"),
    ("npm_config_fund", "false"),
    ("npm_config_audit", "false"),
    ("npm_config_progress", "false"),
    ("YARN_ENABLE_TELEMETRY", "0"),
    ("YARN_ENABLE_PROGRESS_BARS", "false"),
    ("CARGO_TERM_PROGRESS_WHEN", "never"),
    ("COMPOSER_NO_INTERACTION", "1"),
    ("TF_INPUT", "0"),
    ("TF_IN_AUTOMATION", "1"),
];

/// Nobody turns pages, writes into an editor, or sees colours.
const UNATTENDED: &[(&str, &str)] = &[
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("BAT_PAGER", "cat"),
    ("DELTA_PAGER", "cat"),
    ("GH_PAGER", "cat"),
    ("GLAB_PAGER", "cat"),
    ("PSQL_PAGER", "cat"),
    ("MYSQL_PAGER", "cat"),
    ("AWS_PAGER", "cat"),
    ("HOMEBREW_PAGER", "cat"),
    ("LESS", "-FRX"),
    ("EDITOR", "true"),
    ("VISUAL", "true"),
    ("GIT_EDITOR", "true"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    ("CI", "1"),
    ("NO_COLOR", "1"),
    ("PYTHONUNBUFFERED", "1"),
];

/// What this audience needs, in no order that matters: no name comes twice.
pub(super) fn variables(
    audience: &Audience,
) -> impl Iterator<Item = (&'static str, &str, Strength)> {
    let (term, unattended): (&str, bool) = match audience {
        Audience::Nobody => ("dumb", true),
        Audience::Person { term } => (term, false),
    };
    let when = |lists: bool, list: &'static [(&str, &str)]| if lists { list } else { &[] };
    let firm = ASKPASS.iter().chain(when(unattended, PROMPTS));
    let yielding = PACKAGE_MANAGERS.iter().chain(when(unattended, UNATTENDED));
    firm.map(|(name, value)| (*name, *value, Strength::Firm))
        .chain(yielding.map(|(name, value)| (*name, *value, Strength::Yields)))
        .chain([("TERM", term, Strength::Yields)])
}

/// Configuration that overrides the repository's, as the last that is read.
/// Only keys whose harmless value is one: an empty `diff.external` is run as
/// the empty command and breaks `git diff`, so it is not here.
const DISARMED: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.editor", "true"),
    ("sequence.editor", "true"),
    ("core.sshCommand", "ssh"),
    ("core.askPass", ""),
    ("core.alternateRefsCommand", "true"),
    ("credential.helper", ""),
    ("gpg.program", "gpg"),
    ("gpg.openpgp.program", "gpg"),
    ("gpg.x509.program", "gpgsm"),
    ("gpg.ssh.program", "ssh-keygen"),
    ("interactive.diffFilter", "cat"),
    ("protocol.ext.allow", "never"),
];

/// The most entries of the user's own that are kept before ours.
const OWN_ENTRIES: usize = 1000;

/// Adds the configuration that disarms git to what `environment.set` may have
/// given in the same way, after it, so that ours is the last word.
pub(super) fn disarm_git(vars: &mut Vars) {
    let count = vars.get(OsStr::new("GIT_CONFIG_COUNT"));
    let own = count
        .and_then(|count| count.to_str()?.parse::<usize>().ok())
        .unwrap_or(0);
    // An incomplete list would make every git command fail.
    let complete = (0..own.min(OWN_ENTRIES + 1)).all(|at| {
        let has = |part: &str| vars.contains_key(&entry(part, at));
        has("KEY") && has("VALUE")
    });
    let first = if complete && own <= OWN_ENTRIES {
        own
    } else {
        0
    };
    for (at, (key, value)) in (first..).zip(DISARMED) {
        vars.insert(entry("KEY", at), (*key).into());
        vars.insert(entry("VALUE", at), (*value).into());
    }
    vars.insert(
        "GIT_CONFIG_COUNT".into(),
        (first + DISARMED.len()).to_string().into(),
    );
    // Stronger than `core.pager`, and than `pager.log` and its like; the
    // user's own is no program of the repository.
    vars.entry("GIT_PAGER".into())
        .or_insert_with(|| "cat".into());
    // Of `core.gitProxy` the first counts, not the last; this is stronger.
    vars.entry("GIT_PROXY_COMMAND".into()).or_default();
}

fn entry(part: &str, at: usize) -> OsString {
    format!("GIT_CONFIG_{part}_{at}").into()
}

#[cfg(test)]
mod tests;
