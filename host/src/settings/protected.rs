//! What `protected_paths` guards: patterns made absolute. Follows no link and
//! touches no file; what a path of a command leads to is for the gate's zones.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::config::{Config, ConfigError, Places, lexically_normal};

/// What is guarded where `protected_paths` is not written.
pub(super) const DEFAULT: &[&str] = &[
    ".git",
    ".agents",
    ".codex",
    ".bashgate",
    "~/.ssh",
    "~/.bashrc",
    "~/.bash_profile",
    "~/.bash_login",
    "~/.bash_logout",
    "~/.bash_aliases",
    "~/.profile",
    "~/.inputrc",
    "~/.zshrc",
    "~/.zshenv",
    "~/.zprofile",
    "~/.zlogin",
    "~/.zlogout",
    "~/.kshrc",
    "~/.cshrc",
    "~/.tcshrc",
    "~/.login",
    "~/.logout",
    "~/.config/fish",
    "~/.config/environment.d",
];

/// A path that no command may write, rename or delete, nor what lies below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protected {
    /// The pattern as it is written, or words such as "bashgate's own folders".
    pub pattern: String,
    /// Whether it is bashgate's own: such a path stays guarded when
    /// `protected_paths` replaces the default list.
    pub own: bool,
    /// What the pattern means on this machine.
    pub guarded: Guarded,
}

/// What a pattern means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Guarded {
    /// That name, at any depth under the root.
    Name(OsString),
    /// That path, absolute and lexically normal; its links are not resolved.
    Path(PathBuf),
}

/// Everything that is guarded: the written list, else the default one; what the
/// project adds; and always what is bashgate's own.
pub(super) fn list(
    config: &Config,
    places: &Places,
    components: &[&Path],
) -> Result<Vec<Protected>, ConfigError> {
    let written = config.written().protected_paths.clone();
    let written = written.unwrap_or_else(|| DEFAULT.iter().map(|&it| it.to_owned()).collect());
    let mut protected = Vec::new();
    for pattern in written.iter().chain(config.also_protected()) {
        let one = Protected::parse(pattern, places).map_err(|problem| {
            let key = "protected_paths";
            ConfigError::new(format!("`{}` {problem}", pattern.escape_debug()))
                .at(config.place_of_text(key, pattern))
                .key(key)
        })?;
        protected.push(one);
    }
    for folder in [&places.config, &places.cache, &places.data, &places.state] {
        protected.push(Protected::own("bashgate's own folders", folder));
    }
    for file in config.files() {
        protected.push(Protected::own("the configuration", file));
    }
    for component in components {
        protected.push(Protected::own("a loaded component", component));
        let examples = examples(component);
        protected.push(Protected::own(
            "the examples of a loaded component",
            &examples,
        ));
    }
    Ok(protected)
}

/// `<component>.examples.toml`, beside it.
fn examples(component: &Path) -> PathBuf {
    let mut examples = component.as_os_str().to_owned();
    examples.push(".examples.toml");
    examples.into()
}

impl Protected {
    /// A pattern of `protected_paths`: a single name fits at any depth under the
    /// root, one with a slash is anchored there, `~/` is the home directory.
    ///
    /// # Errors
    ///
    /// What is wrong with the pattern, and the fix.
    pub(super) fn parse(pattern: &str, places: &Places) -> Result<Self, String> {
        let guarded = guarded(pattern, places)?;
        Ok(Self {
            pattern: pattern.to_owned(),
            own: false,
            guarded,
        })
    }

    /// A path of bashgate itself; `what` is what people read.
    pub(super) fn own(what: &str, path: &Path) -> Self {
        Self {
            pattern: what.to_owned(),
            own: true,
            guarded: Guarded::Path(lexically_normal(path)),
        }
    }
}

fn guarded(pattern: &str, places: &Places) -> Result<Guarded, String> {
    if pattern.trim().is_empty() {
        return Err("is empty; name a file or folder, or leave it out".to_owned());
    }
    if pattern.contains('\0') {
        return Err("has a NUL; take it out, no path has one".to_owned());
    }
    if pattern.contains(['*', '?', '[']) {
        return Err(
            "has a wildcard; name the file or folder, all below it is protected".to_owned(),
        );
    }
    if pattern.starts_with('$') {
        return Err(
            "names a variable; write the path, with `~/` for the home directory".to_owned(),
        );
    }
    if pattern == "~" {
        return Ok(Guarded::Path(lexically_normal(&places.home)));
    }
    if let Some(below_home) = pattern.strip_prefix("~/") {
        let below_home = below_home.trim_start_matches('/');
        return Ok(Guarded::Path(lexically_normal(
            &places.home.join(below_home),
        )));
    }
    if pattern.starts_with('~') {
        return Err("names another user's home; write its absolute path".to_owned());
    }
    let name = pattern.trim_end_matches('/');
    if name.is_empty() || name.contains('/') || matches!(name, "." | "..") {
        // An absolute pattern takes the place of the root.
        return Ok(Guarded::Path(lexically_normal(&places.root.join(pattern))));
    }
    Ok(Guarded::Name(name.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        Places {
            root: "/w/p".into(),
            home: "/home/u".into(),
            cwd: "/w/p/sub".into(),
            config: "/home/u/.config/bashgate".into(),
            cache: "/home/u/.cache/bashgate".into(),
            data: "/home/u/.local/share/bashgate".into(),
            state: "/home/u/.local/state/bashgate".into(),
            temporary: vec!["/tmp".into()],
        }
    }

    #[test]
    fn patterns() {
        let name = |name: &str| Ok(Guarded::Name(name.into()));
        let path = |path: &str| Ok(Guarded::Path(path.into()));
        for (pattern, expected) in [
            (".git", name(".git")),
            (".git/", name(".git")),
            ("secrets.toml", name("secrets.toml")),
            ("a b", name("a b")),
            ("a~b", name("a~b")),
            ("./.env", path("/w/p/.env")),
            ("conf/live", path("/w/p/conf/live")),
            ("conf/live/", path("/w/p/conf/live")),
            ("a/../b", path("/w/p/b")),
            ("../sibling", path("/w/sibling")),
            (".", path("/w/p")),
            ("..", path("/w")),
            ("/etc", path("/etc")),
            ("/etc//ssh/./x/../y/", path("/etc/ssh/y")),
            ("/../..", path("/")),
            ("/", path("/")),
            ("~", path("/home/u")),
            ("~/.ssh", path("/home/u/.ssh")),
            ("~//etc", path("/home/u/etc")),
            ("~/../v", path("/home/v")),
        ] {
            let parsed = Protected::parse(pattern, &places());
            assert_eq!(parsed.map(|it| it.guarded), expected, "{pattern:?}");
        }
    }

    #[test]
    fn patterns_that_guard_nothing_are_errors() {
        for (pattern, word) in [
            ("", "empty"),
            (" ", "empty"),
            ("*.pem", "wildcard"),
            ("a/?.pem", "wildcard"),
            ("[ab]", "wildcard"),
            ("~root", "another user"),
            ("~root/.ssh", "another user"),
            ("$HOME/.ssh", "variable"),
            ("a\0b", "NUL"),
        ] {
            let problem = Protected::parse(pattern, &places()).unwrap_err();
            assert!(problem.contains(word), "{pattern:?}: {problem}");
        }
    }

    #[test]
    fn the_default_list_is_without_errors() {
        for pattern in DEFAULT {
            let parsed = Protected::parse(pattern, &places()).unwrap();
            assert_eq!(parsed.pattern, *pattern);
            assert!(!parsed.own);
        }
    }

    #[test]
    fn what_is_its_own_is_absolute_and_normal() {
        let own = Protected::own("bashgate's own folders", Path::new("/a/./b/../c"));
        assert_eq!(own.guarded, Guarded::Path("/a/c".into()));
        assert!(own.own);
    }
}
