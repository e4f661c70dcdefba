//! The text of a git configuration, and which of its keys name programs. It
//! knows no command.

/// A key with its value: section and name in lower case, the subsection as
/// written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// `filter`
    pub section: String,
    /// `lfs`; empty where there is none.
    pub subsection: String,
    /// `clean`
    pub name: String,
    /// Its value; `true` where there is no `=`.
    pub value: String,
}

impl Entry {
    /// Section, subsection and name, joined by dots.
    pub fn key(&self) -> String {
        match self.subsection.as_str() {
            "" => format!("{}.{}", self.section, self.name),
            subsection => format!("{}.{subsection}.{}", self.section, self.name),
        }
    }
}

/// All entries of a configuration.
pub fn entries(text: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    let (mut section, mut subsection) = (String::new(), String::new());
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    while let Some(line) = lines.next() {
        let mut rest = line.trim();
        while let Some(header) = rest.strip_prefix('[') {
            let Some((head, sub, behind)) = section_header(header) else {
                break;
            };
            (section, subsection, rest) = (head, sub, behind.trim_start());
        }
        if rest.is_empty() || rest.starts_with(['#', ';', '[']) {
            continue;
        }
        let mut entry = rest.to_owned();
        // A backslash at its end joins the next line.
        while entry.ends_with('\\')
            && let Some(next) = lines.next()
        {
            entry.pop();
            entry.push_str(next);
        }
        let (name, value) = entry.split_once('=').unwrap_or((&entry, "true"));
        found.push(Entry {
            section: section.clone(),
            subsection: subsection.clone(),
            name: name.trim().to_ascii_lowercase(),
            value: plain(value),
        });
    }
    found
}

/// `sec "sub"] rest`, `sec.sub] rest`.
fn section_header(text: &str) -> Option<(String, String, &str)> {
    let end =
        text.find(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.')))?;
    let (head, rest) = text.split_at_checked(end)?;
    if let Some(behind) = rest.strip_prefix(']') {
        let (head, sub) = head.split_once('.').unwrap_or((head, ""));
        return Some((head.to_ascii_lowercase(), sub.to_ascii_lowercase(), behind));
    }
    let quoted = rest.trim_start().strip_prefix('"')?;
    let mut sub = String::new();
    let mut letters = quoted.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => sub.push(letters.next()?.1),
            '"' => {
                return Some((
                    head.to_ascii_lowercase(),
                    sub,
                    quoted.get(at + 1..)?.strip_prefix(']')?,
                ));
            }
            _ => sub.push(letter),
        }
    }
    None
}

/// A value without quotes and comment.
fn plain(value: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    let mut letters = value.trim().chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => quoted = !quoted,
            '\\' => out.extend(letters.next()),
            '#' | ';' if !quoted => break,
            _ => out.push(letter),
        }
    }
    out.trim_end().to_owned()
}

/// Whether a key, as `git config` takes it, names a program or a file to
/// include. A section alone is asked about as `SECTION.`: it may hold one.
pub fn names_a_program(key: &str) -> bool {
    let (section, rest) = key.split_once('.').unwrap_or((key, ""));
    let name = rest.rsplit('.').next().unwrap_or(rest);
    let (section, name) = (section.to_ascii_lowercase(), name.to_ascii_lowercase());
    let any = |names: &[&str]| name.is_empty() || names.contains(&name.as_str());
    match section.as_str() {
        "alias" | "pager" | "include" | "includeif" | "hook" => true,
        "core" => any(&[
            "fsmonitor",
            "hookspath",
            "sshcommand",
            "editor",
            "pager",
            "askpass",
            "gitproxy",
            "alternaterefscommand",
            "worktree",
            "attributesfile",
        ]),
        "filter" => any(&["clean", "smudge", "process"]),
        "diff" => any(&["external", "command", "textconv"]),
        "merge" => any(&["driver"]),
        "mergetool" | "difftool" | "browser" | "man" | "guitool" => {
            any(&["cmd", "path", "command"])
        }
        "credential" => any(&["helper"]),
        "gpg" => any(&["program", "defaultkeycommand"]),
        "sequence" => any(&["editor"]),
        "interactive" => any(&["difffilter"]),
        "uploadpack" => any(&["packobjectshook"]),
        "remote" => any(&["uploadpack", "receivepack", "vcs", "proxy"]),
        "submodule" => any(&["update"]),
        "trailer" => any(&["command", "cmd"]),
        "sendemail" => {
            any(&["smtpserver", "tocmd", "cccmd", "headercmd", "sendmailcmd"])
                || name.ends_with("cmd")
        }
        "tar" => any(&["command"]),
        "init" => any(&["templatedir"]),
        "protocol" => any(&["allow"]),
        "imap" => any(&["tunnel"]),
        "instaweb" => any(&["httpd", "browser", "modulepath"]),
        "web" | "help" => any(&["browser"]),
        "url" => rest.contains("ext::"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{entries, names_a_program};

    #[test]
    fn reads_sections_quotes_and_joined_lines() {
        let text = "# c\n[core]\n\tbare = false ; no\n\tPager = \"a # b\"\n[filter \"L f\\\"s\"] clean = x \\\n  y\n\
                    [Diff.Conv]\n textconv\n[include]path=../x\n";
        let read: Vec<_> = entries(text)
            .into_iter()
            .map(|entry| (entry.key(), entry.value))
            .collect();
        let wanted = [
            ("core.bare", "false"),
            ("core.pager", "a # b"),
            ("filter.L f\"s.clean", "x   y"),
            ("diff.conv.textconv", "true"),
            ("include.path", "../x"),
        ];
        assert_eq!(
            read,
            wanted.map(|(key, value)| (key.to_owned(), value.to_owned()))
        );
    }

    #[test]
    fn keys_that_name_programs() {
        let programs = [
            "core.pager",
            "Core.HooksPath",
            "alias.st",
            "filter.x.clean",
            "diff.external",
            "diff.a.b.textconv",
            "include.path",
            "includeIf.gitdir:x.path",
            "credential.https://x.helper",
            "gpg.program",
            "filter.",
            "hook.x.command",
        ];
        for key in programs {
            assert!(names_a_program(key), "{key}");
        }
        for key in [
            "user.name",
            "core.autocrlf",
            "remote.origin.url",
            "branch.main.merge",
            "diff.algorithm",
            "push.default",
            "user.",
        ] {
            assert!(!names_a_program(key), "{key}");
        }
    }
}
