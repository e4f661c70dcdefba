//! Programs that git would start because the repository's configuration names
//! them. What the host takes away by injected configuration (file monitor,
//! hooks, pager, ssh command, credential helper, editors) does
//! not count here.

use crate::meaning::Facts;
use crate::meaning::program::Command;
use crate::meaning::reader::Item;
use crate::meaning::touching::{Base, child};

use super::config::{Entry, entries};

/// Directories above that are searched for the repository.
const LEVELS: usize = 32;

/// What a verb may make git do.
#[derive(Clone, Copy, Default)]
struct Does {
    /// It compares or writes files of the worktree: filters.
    worktree: bool,
    /// It shows differences: textconv, commands.
    patch: bool,
    /// It merges: drivers.
    merges: bool,
    /// It signs or verifies.
    signs: bool,
    /// It talks to other repositories.
    remote: bool,
    /// It is a verb that is not known.
    unknown: bool,
    /// It asks about single changes.
    interactive: bool,
}

/// The key that would start a program, if there is one.
pub fn runs(command: &Command<'_, '_>, verb: Option<&str>, base: &Base) -> Option<String> {
    let verb = verb?;
    let does = does(command, verb);
    if !(does.worktree
        || does.patch
        || does.merges
        || does.signs
        || does.remote
        || does.unknown
        || does.interactive)
    {
        return None;
    }
    let directory = match base {
        Base::Unit => "",
        Base::At(path) => path,
        Base::Unknown => return Some("a repository that only running can tell".to_owned()),
    };
    let texts = match configuration(directory, command.known) {
        Found::Texts(texts) => texts,
        Found::Nothing => return None,
        Found::Unreadable => return Some("a configuration that cannot be read".to_owned()),
    };
    let all: Vec<Entry> = texts.iter().flat_map(|text| entries(text)).collect();
    all.iter()
        .find(|entry| starts(entry, does, verb, command, &all))
        .map(Entry::key)
}

fn does(command: &Command<'_, '_>, verb: &str) -> Does {
    let unsure = command
        .items
        .iter()
        .any(|item| matches!(item, Item::Perhaps(_)));
    let has = |fits: &dyn Fn(&str) -> bool| {
        unsure
            || command
                .items
                .iter()
                .any(|item| item.name().is_some_and(fits))
    };
    let patch = has(&|name| {
        matches!(
            name,
            "-p" | "-u"
                | "-U"
                | "-G"
                | "-S"
                | "-L"
                | "-c"
                | "-m"
                | "-W"
                | "--cc"
                | "--binary"
                | "--unified"
        ) || [
            "--patch",
            "--word-diff",
            "--color-words",
            "--remerge",
            "--ext-diff",
            "--textconv",
            "--function",
            "--diff-m",
        ]
        .iter()
        .any(|start| name.starts_with(start))
    });
    let signature = has(&|name| name == "--show-signature" || name.starts_with("--verify-sig"))
        || command.fields.iter().any(|field| {
            field
                .value
                .as_deref()
                .is_none_or(|text| text.contains("%G"))
        });
    let interactive = has(&|name| {
        matches!(
            name,
            "-p" | "-i" | "-e" | "--patch" | "--interactive" | "--edit"
        )
    });
    let none = Does::default();
    match verb {
        "status" | "add" | "stage" | "ls-files" | "diff-files" | "diff-index" | "describe"
        | "update-index" | "hash-object" | "archive" | "checkout-index" | "rm" | "mv"
        | "worktree" | "sparse-checkout" | "clean" | "bisect" | "restore" | "read-tree" | "lfs" => {
            Does {
                worktree: true,
                patch,
                interactive,
                ..none
            }
        }
        "diff" | "difftool" | "blame" | "annotate" => Does {
            worktree: true,
            patch: true,
            ..none
        },
        "show" => Does {
            patch: true,
            signs: signature,
            ..none
        },
        "log" | "whatchanged" | "reflog" | "shortlog" | "rev-list" | "diff-tree" | "range-diff"
        | "format-patch" => Does {
            patch,
            signs: signature || verb == "log",
            ..none
        },
        "grep" | "cat-file" => Does {
            patch,
            worktree: has(&|name| name == "--filters"),
            ..none
        },
        "stash" => Does {
            worktree: true,
            patch: true,
            merges: true,
            interactive,
            ..none
        },
        "commit" => Does {
            worktree: true,
            patch,
            signs: true,
            interactive,
            ..none
        },
        "checkout" | "switch" | "reset" | "apply" => Does {
            worktree: true,
            merges: true,
            interactive,
            ..none
        },
        "merge" | "rebase" | "cherry-pick" | "revert" | "am" | "merge-tree" | "mergetool"
        | "pull" | "submodule" => Does {
            worktree: true,
            merges: true,
            signs: true,
            patch,
            remote: matches!(verb, "pull" | "submodule"),
            ..none
        },
        "tag" => Does {
            signs: has(&|name| {
                matches!(
                    name,
                    "-s" | "-u" | "-v" | "--sign" | "--verify" | "--local-user" | "-a"
                )
            }),
            ..none
        },
        "verify-commit" | "verify-tag" => Does {
            signs: true,
            ..none
        },
        "fetch" | "push" | "ls-remote" | "remote" | "clone" | "fetch-pack" | "send-pack" => {
            let remote = verb != "remote"
                || command
                    .key
                    .split(' ')
                    .nth(2)
                    .is_some_and(|sub| matches!(sub, "show" | "update" | "prune"));
            Does {
                remote,
                signs: verb == "push" && signature,
                ..none
            }
        }
        _ if crate::meaning::table::find(&format!("git {verb}")).is_some() => none,
        _ => Does {
            worktree: true,
            patch: true,
            merges: true,
            signs: true,
            remote: true,
            unknown: true,
            interactive: true,
        },
    }
}

/// Whether an entry makes such a verb start a program.
fn starts(entry: &Entry, does: Does, verb: &str, command: &Command<'_, '_>, all: &[Entry]) -> bool {
    let name = entry.name.as_str();
    let set = |section: &str, name: &str| {
        all.iter().any(|entry| {
            entry.section == section
                && entry.name == name
                && !matches!(entry.value.as_str(), "false" | "no" | "off" | "0" | "")
        })
    };
    let here = !entry.value.is_empty();
    here && match entry.section.as_str() {
        // What is included may hold any of these.
        "include" | "includeif" => name == "path",
        "alias" => does.unknown && name == verb.to_ascii_lowercase(),
        "filter" => does.worktree && matches!(name, "clean" | "smudge" | "process"),
        // An external diff has no value that disarms it: an empty one breaks
        // `git diff`, and `true` empties it without a word.
        "diff" if entry.subsection.is_empty() => does.patch && name == "external",
        "diff" => does.patch && matches!(name, "textconv" | "command"),
        "merge" => does.merges && name == "driver",
        "gpg" => {
            does.signs
                && matches!(name, "program" | "defaultkeycommand")
                && signs(verb, command, &set)
        }
        "core" => does.remote && matches!(name, "alternaterefscommand" | "gitproxy"),
        "remote" => {
            does.remote
                && (matches!(name, "uploadpack" | "receivepack" | "vcs")
                    || entry.value.contains("::"))
        }
        "url" => does.remote && entry.subsection.contains("::"),
        "submodule" => does.remote && name == "update" && entry.value.starts_with('!'),
        "trailer" => {
            verb == "commit" && matches!(name, "command" | "cmd") && command.has(&["--trailer"])
        }
        "tar" => verb == "archive" && name == "command",
        "interactive" => does.interactive && name == "difffilter",
        "hook" => name == "command",
        "mergetool" | "difftool" => {
            matches!(verb, "mergetool" | "difftool") && matches!(name, "cmd" | "path")
        }
        _ => false,
    }
}

/// Whether the verb signs or verifies with this configuration.
fn signs(verb: &str, command: &Command<'_, '_>, set: &dyn Fn(&str, &str) -> bool) -> bool {
    match verb {
        "log" => {
            set("log", "showsignature")
                || command.has(&["--show-signature"])
                || command.fields.iter().any(|field| {
                    field
                        .value
                        .as_deref()
                        .is_none_or(|text| text.contains("%G"))
                })
        }
        "commit" | "merge" | "rebase" | "cherry-pick" | "revert" | "am" | "pull" => {
            set("commit", "gpgsign") || command.has(&["-S", "--gpg-sign", "--verify-signatures"])
        }
        _ => true,
    }
}

/// The configuration of the repository that a directory is in.
enum Found {
    Texts(Vec<String>),
    Nothing,
    Unreadable,
}

fn configuration(directory: &str, known: &dyn Facts) -> Found {
    let mut here = directory.to_owned();
    for _ in 0..LEVELS {
        let dot_git = child(&here, ".git");
        if known.exists(&child(&dot_git, "config")) {
            return read(&dot_git, known);
        }
        if known.exists(&dot_git) {
            return linked(&here, &dot_git, known);
        }
        // The directory is a repository itself.
        if known.exists(&child(&here, "HEAD")) && known.exists(&child(&here, "objects")) {
            return read(&here, known);
        }
        here = child(&here, "..");
    }
    Found::Nothing
}

fn read(repository: &str, known: &dyn Facts) -> Found {
    let file = if repository.is_empty() {
        "config".to_owned()
    } else {
        child(repository, "config")
    };
    let Some(text) = known.read(&file) else {
        return Found::Unreadable;
    };
    let worktree = child(repository, "config.worktree");
    let mut texts = vec![text];
    if known.exists(&worktree) {
        match known.read(&worktree) {
            Some(text) => texts.push(text),
            None => return Found::Unreadable,
        }
    }
    Found::Texts(texts)
}

/// `.git` is a file that names another directory: a worktree or a submodule.
fn linked(here: &str, dot_git: &str, known: &dyn Facts) -> Found {
    let Some(text) = known.read(dot_git) else {
        return Found::Unreadable;
    };
    let Some(target) = text.trim().strip_prefix("gitdir:").map(str::trim) else {
        return Found::Unreadable;
    };
    let target = if target.starts_with('/') {
        target.to_owned()
    } else {
        child(here, target)
    };
    let common = match known.read(&child(&target, "commondir")) {
        Some(common) if common.trim().starts_with('/') => common.trim().to_owned(),
        Some(common) => child(&target, common.trim()),
        None => target.clone(),
    };
    match (
        read(&common, known),
        known.read(&child(&target, "config.worktree")),
    ) {
        (Found::Texts(mut texts), Some(own)) => {
            texts.push(own);
            Found::Texts(texts)
        }
        (found, _) => found,
    }
}
