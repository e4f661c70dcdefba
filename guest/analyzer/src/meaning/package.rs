//! `npm run NAME` and its kin: scripts of `package.json` are text for a shell.

use super::hooks::{connect, plain};
use super::path::{Base, child};
use super::program::Command;
use super::{Meaning, Starts};

/// Verbs that are scripts by themselves.
const LIFECYCLE: &[&str] = &["test", "start", "stop", "restart"];
/// Verbs of the package managers; other words may be scripts.
const VERBS: &[&str] = &[
    "access",
    "add",
    "adduser",
    "approve-builds",
    "audit",
    "bin",
    "bugs",
    "build",
    "cache",
    "ci",
    "completion",
    "config",
    "constraints",
    "create",
    "dedupe",
    "deploy",
    "deprecate",
    "diff",
    "dist-tag",
    "dlx",
    "docs",
    "doctor",
    "edit",
    "env",
    "exec",
    "explain",
    "explore",
    "fetch",
    "find-dupes",
    "fund",
    "generate-lock-entry",
    "global",
    "help",
    "hook",
    "i",
    "import",
    "info",
    "init",
    "install",
    "install-test",
    "licenses",
    "link",
    "list",
    "ll",
    "login",
    "logout",
    "ls",
    "node",
    "npm",
    "org",
    "outdated",
    "owner",
    "pack",
    "patch",
    "patch-commit",
    "ping",
    "pkg",
    "plugin",
    "pm",
    "policies",
    "prefix",
    "profile",
    "prune",
    "publish",
    "query",
    "rebuild",
    "recursive",
    "remove",
    "repo",
    "repl",
    "rm",
    "root",
    "sbom",
    "search",
    "server",
    "set",
    "setup",
    "shrinkwrap",
    "star",
    "stars",
    "store",
    "tag",
    "team",
    "token",
    "un",
    "uninstall",
    "unlink",
    "unplug",
    "unpublish",
    "unstar",
    "up",
    "update",
    "upgrade",
    "upgrade-interactive",
    "version",
    "versions",
    "view",
    "whoami",
    "why",
    "workspace",
    "workspaces",
    "x",
];

/// `npm`, `pnpm`, `yarn`, `bun`.
pub fn package(command: &Command<'_, '_>, meaning: &mut Meaning) {
    let verb = meaning
        .identity
        .get(1)
        .and_then(|field| command.text(*field));
    let Some((name, field)) = script_name(command, verb, &meaning.identity) else {
        plain(command, meaning);
        return;
    };
    let base = command.touch_options(meaning);
    connect(command, meaning);
    let directory = match base {
        Base::Unit => String::new(),
        Base::At(path) => path,
        Base::Unknown => {
            meaning.interpreter = true;
            return;
        }
    };
    // Then it is scripts of packages that lie elsewhere.
    let elsewhere = [
        "-w",
        "--workspace",
        "--workspaces",
        "-ws",
        "--filter",
        "-F",
        "-r",
        "--recursive",
    ];
    let text = if command.has(&elsewhere) {
        None
    } else {
        script(command, &directory, name, &arguments(command, field))
    };
    meaning.starts = match text {
        Some(text) => Starts::Script {
            text,
            fields: vec![field],
            arguments: Vec::new(),
            own_shell: true,
            ends_allow: None,
            workdir: (!directory.is_empty()).then_some(directory),
        },
        None => Starts::Nothing,
    };
    // What cannot be read is code that nobody here knows.
    meaning.interpreter = meaning.starts == Starts::Nothing;
}

/// The script that is run, and the field that names it.
fn script_name<'f>(
    command: &Command<'f, '_>,
    verb: Option<&'f str>,
    identity: &[usize],
) -> Option<(&'f str, usize)> {
    let verb = verb?;
    let verb_at = identity.get(1).copied()?;
    if matches!(verb, "run" | "run-script" | "rum" | "urn") {
        let at = identity.get(2).copied()?;
        // `bun run x.ts` runs a file.
        let name = command.text(at)?;
        return (command.name != "bun" || script(command, "", name, "").is_some())
            .then_some((name, at));
    }
    if matches!(verb, "t" | "tst") && command.name != "bun" {
        return Some(("test", verb_at));
    }
    if LIFECYCLE.contains(&verb) && command.name != "bun" {
        return Some((verb, verb_at));
    }
    // `yarn build`, `pnpm build`: a verb of its own, unless it is a script.
    let may_be = command.name != "npm"
        && (!VERBS.contains(&verb) || (verb == "build" && command.name != "bun"));
    (may_be && script(command, "", verb, "").is_some()).then_some((verb, verb_at))
}

/// The text of a script with further words, and what runs before and after it.
fn script(
    command: &Command<'_, '_>,
    directory: &str,
    name: &str,
    arguments: &str,
) -> Option<String> {
    let file = command.known.read(&child(directory, "package.json"))?;
    let package: serde_json::Value = serde_json::from_str(&file).ok()?;
    let scripts = package.get("scripts")?;
    let text = |name: &str| {
        scripts
            .get(name)
            .and_then(|script| script.as_str())
            .filter(|text| !text.trim().is_empty())
    };
    let main = text(name)
        .or_else(|| (name == "start" && command.name == "npm").then_some("node server.js"))?;
    let before = text(&format!("pre{name}")).map(|text| format!("{text}\n"));
    let after = text(&format!("post{name}")).map(|text| format!("\n{text}"));
    // Separate lines: each is a script of its own, all of which may run.
    Some(format!(
        "{}{main}{arguments}{}",
        before.unwrap_or_default(),
        after.unwrap_or_default()
    ))
}

/// Further words, quoted, as they are added to the script.
fn arguments(command: &Command<'_, '_>, name: usize) -> String {
    let words = command.fields.get(name + 1..).unwrap_or_default();
    let words: Option<String> = words
        .iter()
        .filter(|field| field.value.as_deref() != Some("--"))
        .map(|field| {
            field
                .value
                .as_deref()
                .map(|word| format!(" '{}'", word.replace('\'', "'\\''")))
        })
        .collect();
    words.unwrap_or_else(|| " \"$@\"".to_owned())
}

#[cfg(test)]
mod tests {
    use super::VERBS;

    #[test]
    fn verbs_are_sorted_enough_to_read_and_each_stands_once() {
        let mut seen = VERBS.to_vec();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), VERBS.len());
    }
}
