//! What it means to set a variable, by its name: many load code, name a
//! program or turn where programs are searched. `IFS` is not among
//! them: whoever follows the shell follows how it splits words.

/// What setting a variable does to rules that allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harm {
    /// Nothing.
    None,
    /// No rule may allow what runs with it; why, in words that follow its
    /// name.
    EndsAllow(&'static str),
}

const SEARCHES: &str = "changes where programs are searched";
const LOADS: &str = "can make programs load other code";
const SHELL: &str = "changes what the shell does";
const STARTS: &str = "names a program that others start";
const CONFIGURES: &str = "changes the configuration of what runs";

/// Names, sorted, and why.
const NAMES: &[(&str, &str)] = &[
    ("AR", STARTS),
    ("AS", STARTS),
    ("AWKLIBPATH", LOADS),
    ("AWKPATH", LOADS),
    ("BASHOPTS", SHELL),
    ("BASH_ALIASES", SHELL),
    ("BASH_CMDS", SEARCHES),
    ("BASH_COMPAT", SHELL),
    ("BASH_ENV", LOADS),
    ("BASH_LOADABLES_PATH", LOADS),
    ("BROWSER", STARTS),
    ("BUNDLE_GEMFILE", CONFIGURES),
    ("CC", STARTS),
    ("CDPATH", SHELL),
    ("CFLAGS", CONFIGURES),
    ("CLASSPATH", LOADS),
    ("CMAKE_TOOLCHAIN_FILE", CONFIGURES),
    ("COMPOSER_HOME", CONFIGURES),
    ("COMPRESS_PROGRAM", STARTS),
    ("CPATH", CONFIGURES),
    ("CURL_HOME", CONFIGURES),
    ("CXX", STARTS),
    ("DIFF", STARTS),
    ("DOCKER_CONFIG", CONFIGURES),
    ("DOCKER_CONTEXT", CONFIGURES),
    ("DOCKER_HOST", CONFIGURES),
    ("DOTNET_STARTUP_HOOKS", LOADS),
    ("EDITOR", STARTS),
    ("EMACS", STARTS),
    ("ENV", LOADS),
    ("ERL_FLAGS", LOADS),
    ("ERL_LIBS", LOADS),
    ("EXECIGNORE", SHELL),
    ("FCEDIT", STARTS),
    ("FIGNORE", SHELL),
    ("FPATH", LOADS),
    ("GCC_EXEC_PREFIX", STARTS),
    ("GEM_HOME", LOADS),
    ("GEM_PATH", LOADS),
    ("GH_BROWSER", STARTS),
    ("GH_EDITOR", STARTS),
    ("GH_PAGER", STARTS),
    ("GH_PATH", STARTS),
    ("GLOBIGNORE", SHELL),
    ("GLOBSORT", SHELL),
    ("GOENV", CONFIGURES),
    ("GOFLAGS", CONFIGURES),
    ("GOROOT", LOADS),
    ("GOTOOLCHAIN", STARTS),
    ("GREP_OPTIONS", CONFIGURES),
    ("GTAR_OPTIONS", CONFIGURES),
    ("GZIP", CONFIGURES),
    ("HOME", CONFIGURES),
    ("HOSTALIASES", CONFIGURES),
    ("INPUTRC", CONFIGURES),
    ("JAVA_HOME", LOADS),
    ("JAVA_TOOL_OPTIONS", LOADS),
    ("JDK_JAVA_OPTIONS", LOADS),
    ("JULIA_LOAD_PATH", LOADS),
    ("KUBECONFIG", CONFIGURES),
    ("KUBE_EDITOR", STARTS),
    ("LD", STARTS),
    ("LDFLAGS", CONFIGURES),
    ("LESS", CONFIGURES),
    ("LESSCLOSE", STARTS),
    ("LESSEDIT", STARTS),
    ("LESSKEY", CONFIGURES),
    ("LESSKEYIN", CONFIGURES),
    ("LESSKEY_SYSTEM", CONFIGURES),
    ("LESSOPEN", STARTS),
    ("LIBRARY_PATH", LOADS),
    ("LOCPATH", LOADS),
    ("LUA_CPATH", LOADS),
    ("LUA_INIT", LOADS),
    ("LUA_PATH", LOADS),
    ("MAIL", SHELL),
    ("MAILCHECK", SHELL),
    ("MAILPATH", SHELL),
    ("MAKEFILES", LOADS),
    ("MAKEFLAGS", CONFIGURES),
    ("MANPAGER", STARTS),
    ("MANPATH", CONFIGURES),
    ("MAVEN_OPTS", LOADS),
    ("MFLAGS", CONFIGURES),
    ("MORE", CONFIGURES),
    ("MYSQL_PAGER", STARTS),
    ("NM", STARTS),
    ("NODE_EXTRA_CA_CERTS", CONFIGURES),
    ("NODE_OPTIONS", LOADS),
    ("NODE_PATH", LOADS),
    ("NODE_REPL_EXTERNAL_MODULE", LOADS),
    ("NVIM_APPNAME", CONFIGURES),
    ("OPENSSL_CONF", LOADS),
    ("OPENSSL_ENGINES", LOADS),
    ("OPENSSL_MODULES", LOADS),
    ("PAGER", STARTS),
    ("PATH", SEARCHES),
    ("PATHEXT", SEARCHES),
    ("PERL5DB", LOADS),
    ("PERL5LIB", LOADS),
    ("PERL5OPT", LOADS),
    ("PERLLIB", LOADS),
    ("PHPRC", LOADS),
    ("PHP_INI_SCAN_DIR", LOADS),
    ("PKG_CONFIG", STARTS),
    ("PKG_CONFIG_PATH", CONFIGURES),
    ("POSIXLY_CORRECT", SHELL),
    ("PROMPT_COMMAND", SHELL),
    ("PS0", SHELL),
    ("PS1", SHELL),
    ("PS2", SHELL),
    ("PS4", SHELL),
    ("PSQLRC", CONFIGURES),
    ("PSQL_EDITOR", STARTS),
    ("PSQL_PAGER", STARTS),
    ("RIPGREP_CONFIG_PATH", CONFIGURES),
    ("RPS1", SHELL),
    ("RSYNC_CONNECT_PROG", STARTS),
    ("RSYNC_RSH", STARTS),
    ("RUBYLIB", LOADS),
    ("RUBYOPT", LOADS),
    ("RUSTC", STARTS),
    ("RUSTDOC", STARTS),
    ("RUSTFLAGS", CONFIGURES),
    ("SED", STARTS),
    ("SHELL", STARTS),
    ("SHELLOPTS", SHELL),
    ("SSH_ASKPASS", STARTS),
    ("SSH_AUTH_SOCK", CONFIGURES),
    ("STARSHIP_CONFIG", CONFIGURES),
    ("SUDO_ASKPASS", STARTS),
    ("SUDO_EDITOR", STARTS),
    ("SYSTEMD_EDITOR", STARTS),
    ("SYSTEMD_PAGER", STARTS),
    ("TAR", STARTS),
    ("TAR_OPTIONS", CONFIGURES),
    ("TERMINFO", LOADS),
    ("TERMINFO_DIRS", LOADS),
    ("TMPDIR", CONFIGURES),
    ("TMPPREFIX", CONFIGURES),
    ("UNZIP", CONFIGURES),
    ("VIMINIT", LOADS),
    ("VIMRUNTIME", LOADS),
    ("VISUAL", STARTS),
    ("WGETRC", CONFIGURES),
    ("XDG_CONFIG_DIRS", CONFIGURES),
    ("XDG_CONFIG_HOME", CONFIGURES),
    ("XDG_DATA_DIRS", CONFIGURES),
    ("XDG_DATA_HOME", CONFIGURES),
    ("XZ_DEFAULTS", CONFIGURES),
    ("XZ_OPT", CONFIGURES),
    ("YARN_RC_FILENAME", CONFIGURES),
    ("ZDOTDIR", LOADS),
    ("ZIPOPT", CONFIGURES),
    ("_JAVA_OPTIONS", LOADS),
    ("http_proxy", CONFIGURES),
    ("https_proxy", CONFIGURES),
];

/// Beginnings of names, and why.
const PREFIXES: &[(&str, &str)] = &[
    ("LD_", LOADS),
    ("DYLD_", LOADS),
    ("GIT_", CONFIGURES),
    ("BASH_FUNC_", SHELL),
    ("PYTHON", LOADS),
    ("npm_config_", CONFIGURES),
    ("NPM_CONFIG_", CONFIGURES),
    ("PIP_", CONFIGURES),
    ("UV_", CONFIGURES),
    ("CARGO_", CONFIGURES),
    ("RUSTC_", STARTS),
    ("RUSTUP_", STARTS),
    ("YARN_", CONFIGURES),
    ("GLIBC_", LOADS),
    ("MALLOC_", LOADS),
    ("GCONV_", LOADS),
    ("COR_", LOADS),
    ("CORECLR_", LOADS),
    ("BUN_", CONFIGURES),
    ("DENO_", CONFIGURES),
    ("GRADLE_", CONFIGURES),
    ("MAVEN_", CONFIGURES),
    ("SSL_CERT_", CONFIGURES),
    ("BASHGATE", "is bashgate's own"),
    ("TF_CLI_", CONFIGURES),
    ("AWS_CONFIG", CONFIGURES),
    ("KUBECTL_", STARTS),
    ("GIO_", LOADS),
    ("GTK_", LOADS),
    ("QT_", LOADS),
    ("ASAN_", CONFIGURES),
    ("VAGRANT_", CONFIGURES),
    ("ANSIBLE_", CONFIGURES),
    ("RUBYGEMS_", LOADS),
    ("BUNDLE_", CONFIGURES),
];

/// Names with one of those beginnings that only tell what is shown.
const HARMLESS: &[&str] = &[
    "CARGO_TERM_COLOR",
    "CARGO_TERM_PROGRESS_WHEN",
    "CARGO_TERM_QUIET",
    "CARGO_TERM_VERBOSE",
    "CARGO_INCREMENTAL",
    "CARGO_BUILD_JOBS",
    "CARGO_NET_OFFLINE",
    "CARGO_NET_RETRY",
    "GIT_ADVICE",
    "GIT_AUTHOR_DATE",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_COMMITTER_DATE",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_OPTIONAL_LOCKS",
    "GIT_TERMINAL_PROMPT",
    "GIT_MERGE_AUTOEDIT",
    "PIP_DISABLE_PIP_VERSION_CHECK",
    "PIP_NO_CACHE_DIR",
    "PIP_NO_INPUT",
    "PIP_PROGRESS_BAR",
    "PIP_QUIET",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONFAULTHANDLER",
    "PYTHONHASHSEED",
    "PYTHONIOENCODING",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
    "PYTHONOPTIMIZE",
    "PYTHONDEVMODE",
    "QT_QPA_PLATFORM",
    "UV_NO_PROGRESS",
    "UV_OFFLINE",
    "YARN_ENABLE_PROGRESS_BARS",
    "YARN_ENABLE_TELEMETRY",
    "npm_config_audit",
    "npm_config_fund",
    "npm_config_loglevel",
    "npm_config_progress",
    "npm_config_update_notifier",
    "npm_config_yes",
    "DENO_NO_UPDATE_CHECK",
    "MALLOC_ARENA_MAX",
];

/// What it means to set the variable.
pub fn assigned(name: &str) -> Harm {
    if HARMLESS.contains(&name) {
        return Harm::None;
    }
    if let Ok(at) = NAMES.binary_search_by(|(known, _)| (*known).cmp(name))
        && let Some((_, why)) = NAMES.get(at)
    {
        return Harm::EndsAllow(why);
    }
    // A program of its own to show pages, edit or ask, whatever asks for it.
    let named = ["_PAGER", "_EDITOR", "_ASKPASS", "_BROWSER", "_PRELOAD"]
        .iter()
        .any(|end| name.ends_with(end));
    match PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix)) {
        Some((_, why)) => Harm::EndsAllow(why),
        None if named => Harm::EndsAllow(STARTS),
        None => Harm::None,
    }
}

/// Why bash runs what a variable holds, without being told to; none where this
/// name, or this value, is nothing of that kind. `value` is none where only
/// running can tell.
pub fn run_later(name: &str, value: Option<&str>) -> Option<&'static str> {
    match name {
        "BASH_ENV" | "ENV" if !matches!(value, Some("" | "/dev/null")) => {
            Some("each shell that starts from here first runs the file that this names")
        }
        // Escapes of a prompt may stand for what begins a substitution.
        "PS0" | "PS1" | "PS2" | "PS4"
            if value.is_none_or(|value| value.contains(['$', '`', '\\'])) =>
        {
            Some("bash expands this text whenever it shows it, `set -x` included")
        }
        "PROMPT_COMMAND" if value != Some("") => {
            Some("an interactive shell runs this before it asks for a command")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Harm, NAMES, assigned};

    #[test]
    fn names_are_sorted_for_binary_search() {
        assert!(NAMES.is_sorted());
    }

    #[test]
    fn what_loads_code_ends_an_allow() {
        let harmful = [
            "PATH",
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "BASH_ENV",
            "ENV",
            "GIT_EXTERNAL_DIFF",
            "GIT_CONFIG_COUNT",
            "GIT_DIR",
            "PAGER",
            "EDITOR",
            "NODE_OPTIONS",
            "PYTHONPATH",
            "PYTHONSTARTUP",
            "PERL5LIB",
            "RUBYOPT",
            "PS4",
            "PROMPT_COMMAND",
            "CDPATH",
            "GLOBIGNORE",
            "SHELLOPTS",
            "HOME",
            "RUSTC_WRAPPER",
            "LESSOPEN",
            "BASHGATE_X",
            "MY_PAGER",
            "CARGO_HOME",
            "npm_config_script_shell",
        ];
        for name in harmful {
            assert!(matches!(assigned(name), Harm::EndsAllow(_)), "{name}");
        }
        for name in [
            "LANG",
            "LC_ALL",
            "CI",
            "NO_COLOR",
            "x",
            "A",
            "RUST_BACKTRACE",
            "PYTHONUNBUFFERED",
            "TERM",
            "TZ",
            "DEBUG",
        ] {
            assert_eq!(assigned(name), Harm::None, "{name}");
        }
    }
}
