//! Programs that git would start because the repository's configuration names
//! them. What the host takes away by injected configuration (file monitor,
//! hooks, pager, ssh command, credential helper, editors) does
//! not count here.

use crate::meaning::Facts;
use crate::meaning::path::Base;
use crate::meaning::program::Command;
use crate::meaning::reader::Item;

use super::config::{Entry, names_a_program};
use super::repository::{self, Found, Repository};

/// What is said in place of a key.
const UNREADABLE: &str = "a configuration that cannot be read";

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
    let repository = match repository::around(directory, command.known) {
        Found::Here(repository) => repository,
        Found::Nothing => return None,
        Found::Unreadable => return Some(UNREADABLE.to_owned()),
    };
    let all = repository.entries();
    let own = all
        .iter()
        .find(|entry| starts(entry, does, verb, command, &all))
        .map(Entry::key);
    own.or_else(|| {
        if does.worktree {
            in_submodules(&repository, command.known)
        } else {
            None
        }
    })
}

/// Git looks into submodules by starting itself there, without the injected
/// configuration: whatever theirs names may run.
fn in_submodules(repository: &Repository, known: &dyn Facts) -> Option<String> {
    repository
        .submodules(known)
        .into_iter()
        .find_map(|(path, found)| match found {
            Found::Here(inner) => {
                let all = inner.entries();
                // That one every submodule has.
                let names = |entry: &&Entry| {
                    entry.key() != "core.worktree" && names_a_program(&entry.key())
                };
                all.iter()
                    .find(names)
                    .map(|entry| format!("{} of the submodule {path}", entry.key()))
            }
            Found::Nothing => None,
            Found::Unreadable => Some(format!("{UNREADABLE}, of the submodule {path}")),
        })
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
