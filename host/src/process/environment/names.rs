//! What the name of a variable tells: core, secret, or a way to load code.
//! Values are not looked at.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// The names that every command gets from the host, besides `LC_*`.
const CORE: &[&str] = &[
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TZ", "TMPDIR",
];

/// Names by which a shell, a loader, an interpreter or a common tool runs
/// something that its command line does not show.
#[rustfmt::skip]
const CODE: &[&str] = &[
    // bash and other shells: files read, text expanded, words split anew
    "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS4",
    "CDPATH", "GLOBIGNORE", "EXECIGNORE", "IFS", "BASH_XTRACEFD", "BASH_LOADABLES_PATH",
    "BASH_COMPAT", "POSIXLY_CORRECT", "INPUTRC", "ZDOTDIR", "FPATH",
    // C library
    "GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH", "NLSPATH",
    // interpreters and virtual machines
    "NODE_OPTIONS", "NODE_PATH", "PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PYTHONINSPECT",
    "PYTHONBREAKPOINT", "PYTHONUSERBASE", "PYTHONWARNINGS", "PYTHONEXECUTABLE",
    "PYTHONPLATLIBDIR", "PERL5OPT", "PERL5LIB", "PERLLIB", "PERL5DB", "RUBYOPT", "RUBYLIB",
    "BUNDLE_GEMFILE", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH",
    "PHPRC", "PHP_INI_SCAN_DIR", "TCLLIBPATH", "R_PROFILE", "R_PROFILE_USER", "R_ENVIRON",
    "R_ENVIRON_USER", "DOTNET_STARTUP_HOOKS", "GTK_MODULES", "QT_PLUGIN_PATH", "EMACSLOADPATH",
    "VIMINIT", "EXINIT", "OPENSSL_CONF", "OPENSSL_ENGINES", "OPENSSL_MODULES",
    // tools that take options, and so programs, from a variable
    "MAKEFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "TAR_OPTIONS", "RSYNC_RSH", "CVS_RSH", "ZIPOPT",
    "LESSOPEN", "LESSCLOSE", "RIPGREP_CONFIG_PATH", "FZF_DEFAULT_COMMAND", "FZF_DEFAULT_OPTS",
    "SSH_ASKPASS", "SUDO_ASKPASS",
];

/// Beginnings of such names. `BASHGATE_` is our own: what a call is told
/// about itself comes from its gate, not from what the gate was started in.
#[rustfmt::skip]
const CODE_PREFIXES: &[&str] = &[
    "LD_", "DYLD_", "BASH_FUNC_", "GIT_", "LUA_INIT", "LUA_PATH", "LUA_CPATH", "COR_", "CORECLR_",
    "BASHGATE_",
];

/// Of git's, those that are a person's name and address. All others move the
/// repository, its configuration, or what git runs.
const HARMLESS_PREFIXES: &[&str] = &["GIT_AUTHOR_", "GIT_COMMITTER_"];

/// A word of a name that ends so keeps a secret: `GITHUB_TOKEN`, `APIKEY`.
#[rustfmt::skip]
const SECRET_ENDS: &[&str] = &[
    "TOKEN", "TOKENS", "KEY", "KEYS", "SECRET", "SECRETS", "PASSWORD", "PASSWORDS", "PASSWD",
    "PASSPHRASE", "DBPASS", "CREDENTIAL", "CREDENTIALS", "CREDS", "AUTH", "COOKIE", "COOKIES",
];

/// A word of a name that is exactly this does too.
#[rustfmt::skip]
const SECRET_WORDS: &[&str] = &["PASS", "PWD", "PAT", "PRIVATE", "CERT", "DSN", "WEBHOOK", "JWT", "PW"];

/// Whole names, or their last words, of addresses that hold a password, and
/// of sockets that hand keys out.
#[rustfmt::skip]
const SECRET_NAMES: &[&str] = &[
    "CLIENT_ID", "DB_URI", "DB_URL", "DATABASE_URL", "DATABASE_URI", "MONGO_URL", "MONGODB_URI",
    "REDIS_URL", "AMQP_URL", "CONNECTION_STRING", "WEBHOOK_URL", "AUTH_SOCK", "XAUTHORITY",
];

pub(super) fn is_core(name: &OsStr) -> bool {
    CORE.iter().any(|core| name == *core) || name.as_bytes().starts_with(b"LC_")
}

pub(super) fn loads_code(name: &OsStr) -> bool {
    let begins = |prefix: &&str| name.as_bytes().starts_with(prefix.as_bytes());
    if HARMLESS_PREFIXES.iter().any(begins) {
        return false;
    }
    CODE.iter().any(|code| name == *code) || CODE_PREFIXES.iter().any(begins)
}

/// Whether the name says that its value is a secret. Case does not matter.
/// Too much is better than too little: the user can pass one by name.
pub(super) fn looks_secret(name: &OsStr) -> bool {
    let upper = name.as_bytes().to_ascii_uppercase();
    let ends = |text: &[u8], ends: &[&str]| ends.iter().any(|end| text.ends_with(end.as_bytes()));
    if matches!(upper.as_slice(), b"PWD" | b"OLDPWD") {
        return false;
    }
    ends(&upper, SECRET_NAMES)
        || upper
            .split(|byte| matches!(byte, b'_' | b'-' | b'.'))
            .any(|word| {
                // Numbered ones are secrets too: `API_KEY_2`, `TOKEN2`.
                let word = word.trim_ascii_end();
                let digits = word
                    .iter()
                    .rev()
                    .take_while(|byte| byte.is_ascii_digit())
                    .count();
                let word = word.get(..word.len() - digits).unwrap_or(word);
                ends(word, SECRET_ENDS) || SECRET_WORDS.iter().any(|known| word == known.as_bytes())
            })
}

/// Whether one of the patterns fits the name: `*` any text, `?` any one byte.
pub(super) fn fits_any(patterns: &[String], name: &OsStr) -> bool {
    patterns
        .iter()
        .any(|pattern| fits(pattern.as_bytes(), name.as_bytes()))
}

/// In time proportional to the product of the lengths, whatever the pattern:
/// only the last `*` is ever tried again.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut again: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                again = Some((p + 1, n));
                p += 1;
            }
            Some(byte) if *byte == b'?' || name.get(n) == Some(byte) => {
                p += 1;
                n += 1;
            }
            _ => match again {
                Some((star, tried)) => {
                    again = Some((star, tried + 1));
                    p = star;
                    n = tried + 1;
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|byte| *byte == b'*')
}

/// Whether a variable can have this name at all.
pub(super) fn is_possible(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    !bytes.is_empty() && !bytes.contains(&b'=') && !bytes.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_their_words() {
        for name in [
            "OPENAI_API_KEY",
            "ACME_TOKEN",
            "DB_PASSWORD",
            "AWS_SECRET_ACCESS_KEY",
            "MY_SECRET",
            "github_token",
            "NPM_AUTH",
            "MYSQL_PWD",
            "GH_PAT",
            "DATABASE_URL",
            "APIKEY",
            "TOKEN2",
            "API_KEY_2",
            "SSH_AUTH_SOCK",
            "AWS_ACCESS_KEY_ID",
            "AWS_SESSION_TOKEN",
            "PGPASSWORD",
            "SLACK_WEBHOOK_URL",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "SENTRY_DSN",
        ] {
            assert!(looks_secret(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn other_names_are_none() {
        for name in [
            "PATH",
            "PWD",
            "OLDPWD",
            "HOME",
            "JAVA_HOME",
            "TOKENIZERS_PARALLELISM",
            "LANG",
            "AUTHOR",
            "COMPASS_HOME",
            "KEYBOARD_LAYOUT",
            "PATTERN",
            "CERTAIN",
            "X_INTERNAL",
        ] {
            assert!(!looks_secret(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn code_loading_names() {
        for name in [
            "LD_PRELOAD",
            "DYLD_INSERT_LIBRARIES",
            "BASH_FUNC_ls%%",
            "GIT_DIR",
            "GIT_CONFIG_COUNT",
            "GIT_SSH_COMMAND",
            "GIT_EXTERNAL_DIFF",
            "BASH_ENV",
            "ENV",
            "PS4",
            "NODE_OPTIONS",
            "PYTHONSTARTUP",
            "IFS",
            "BASHGATE_CALL",
            "LUA_INIT_5_4",
        ] {
            assert!(loads_code(OsStr::new(name)), "{name}");
        }
        for name in [
            "GIT_AUTHOR_NAME",
            "GIT_COMMITTER_DATE",
            "PATH",
            "EDITOR",
            "ENVIRONMENT",
        ] {
            assert!(!loads_code(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("*_INTERNAL", "X_INTERNAL", true),
            ("*_INTERNAL", "X_INTERNAL2", false),
            ("A?C*", "ABCD", true),
            ("A?C", "AC", false),
            ("*", "", true),
            ("", "", true),
            ("", "A", false),
            ("*A*B*", "xAyBz", true),
            ("*A*B*", "xByAz", false),
            ("java_home", "JAVA_HOME", false),
        ] {
            assert_eq!(
                fits(pattern.as_bytes(), name.as_bytes()),
                expected,
                "{pattern} {name}"
            );
        }
    }

    #[test]
    fn a_hostile_pattern_takes_no_time() {
        let pattern = "*a".repeat(200) + "b";
        assert!(!fits(pattern.as_bytes(), "a".repeat(20_000).as_bytes()));
    }
}
