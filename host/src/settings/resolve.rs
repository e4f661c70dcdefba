//! From what is written to settings: defaults, bounds, and what a bound draws
//! along.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{
    Audit, Backend, EscKey, Interceptor, Keep, Mode, Output, Rules, Sandbox, SandboxMode, Settings,
    Shell, Slot, Snapshot, Streams, Terminal, Timeout, Variables, guests, protected,
};
use crate::config::{Config, ConfigError, Environment, Places, Written, quoted_if_needed};

const DEFAULT_MS: u64 = 120_000;
const MIN_MS: u64 = 1_000;
const MAX_MS: u64 = 3_600_000;
const GRACE_MS: u64 = 500;
const WAIT_MS: u64 = 600_000;

/// A week: longer than anybody waits, and far from what a clock can count.
const LONGEST_MS: u64 = 604_800_000;
const LONGEST_GRACE_MS: u64 = 60_000;
const MOST_LINES: u64 = 1_000_000;
const MOST_BYTES: u64 = 16 << 20;
const MOST_SPILLED: u64 = 1 << 40;
const MOST_ARITY: u32 = 16;

/// Where systems keep bash.
const BASH: &[&str] = &[
    "/bin/bash",
    "/usr/bin/bash",
    "/usr/local/bin/bash",
    "/run/current-system/sw/bin/bash",
    "/opt/homebrew/bin/bash",
];

pub(super) fn resolve(
    config: &Config,
    places: &Places,
    environment: &Environment,
) -> Result<Settings, ConfigError> {
    let written = config.written();
    let reader = Reader { config, written };
    let mut guests = BTreeMap::new();
    for &slot in Slot::ALL {
        if let Some(component) = guests::component(config, places, slot)? {
            guests.insert(slot, component);
        }
    }
    let plugins = guests::plugins(config, places)?;
    let beside = plugins.iter().map(|plugin| &plugin.component);
    let components: Vec<&Path> = guests
        .values()
        .chain(beside)
        .map(|it| it.path.as_path())
        .collect();
    Ok(Settings {
        mode: written.mode.unwrap_or(Mode::UnlessTrusted),
        sandbox: sandbox(written),
        protected: protected::list(config, places, &components)?,
        audit: written.audit.unwrap_or(Audit::Required),
        rules: Rules {
            allow: written.rules.allow.clone(),
            ask: written.rules.ask.clone(),
            deny: written.rules.deny.clone(),
        },
        bash_arity: reader.arity()?,
        approval_wait: reader.approval_wait()?,
        timeout: reader.timeout()?,
        output: reader.output()?,
        environment: reader.variables()?,
        shell: reader.shell()?,
        terminal: terminal(written, environment),
        nonzero_exit_is_error: written.tool.nonzero_exit_is_error.unwrap_or(false),
        interceptor: Interceptor {
            enabled: written.interceptor.enabled.unwrap_or(true),
            normalize: written.interceptor.normalize.unwrap_or(false),
            rules: written.interceptor.rule.clone(),
        },
        guests,
        plugins,
    })
}

fn sandbox(written: &Written) -> Sandbox {
    let backends = written.sandbox_backends.clone();
    Sandbox {
        mode: written.sandbox.unwrap_or(SandboxMode::FullAccess),
        network: written.sandbox_network.unwrap_or(false),
        required: written.sandbox_required.unwrap_or(false),
        backends: backends.unwrap_or_else(|| Backend::ALL.to_vec()),
    }
}

fn terminal(written: &Written, environment: &Environment) -> Terminal {
    let forbidden = environment.get(OsStr::new("BASHGATE_NO_PTY"));
    let forbidden = forbidden.is_some_and(|value| value == "1");
    Terminal {
        enabled: !forbidden && written.terminal.enabled.unwrap_or(true),
        esc: written.terminal.esc.unwrap_or(EscKey::Kill),
    }
}

/// Checks values, and says of a wrong one where it stands.
struct Reader<'a> {
    config: &'a Config,
    written: &'a Written,
}

impl Reader<'_> {
    fn error(&self, key: &str, problem: impl Into<String>) -> ConfigError {
        ConfigError::new(problem)
            .at(self.config.place(key))
            .key(key)
    }

    fn number(
        &self,
        key: &str,
        value: Option<u64>,
        least: u64,
        most: u64,
    ) -> Result<Option<u64>, ConfigError> {
        match value {
            Some(value) if value < least || value > most => Err(self
                .error(key, format!("{value} is out of bounds: {least} to {most}"))
                .fix("choose a number between them")),
            _ => Ok(value),
        }
    }

    fn size(
        &self,
        key: &str,
        value: Option<u64>,
        most: u64,
        default: usize,
    ) -> Result<usize, ConfigError> {
        let value = self.number(key, value, 1, most)?;
        let value = value.and_then(|value| usize::try_from(value).ok());
        Ok(value.unwrap_or(default))
    }

    fn arity(&self) -> Result<BTreeMap<String, u32>, ConfigError> {
        for (words, &arity) in &self.written.bash_arity {
            let key = format!("bash_arity.{}", quoted_if_needed(words));
            if words.split_whitespace().next().is_none() {
                let error = self.error(&key, "no words before the `=`");
                return Err(error.fix("name a program and its subcommands, such as \"npm run\""));
            }
            if arity == 0 || arity > MOST_ARITY {
                let problem = format!("{arity} is out of bounds: 1 to {MOST_ARITY}");
                let error = self.error(&key, problem);
                return Err(error.fix("it is the number of words that name the command"));
            }
        }
        Ok(self.written.bash_arity.clone())
    }

    fn approval_wait(&self) -> Result<Option<Duration>, ConfigError> {
        let written = self.written.approval.wait_ms;
        let wait = self.number("approval.wait_ms", written, 0, LONGEST_MS)?;
        let wait = wait.unwrap_or(WAIT_MS);
        Ok((wait > 0).then(|| Duration::from_millis(wait)))
    }

    /// A written bound draws along what is not written: the other bound, the
    /// default, the grace.
    fn timeout(&self) -> Result<Timeout, ConfigError> {
        let written = &self.written.timeout;
        let min = self.number("timeout.min_ms", written.min_ms, 1, LONGEST_MS)?;
        let max = self.number("timeout.max_ms", written.max_ms, 1, LONGEST_MS)?;
        let grace = self.number("timeout.grace_ms", written.grace_ms, 0, LONGEST_GRACE_MS)?;
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            let problem = format!("{min} is over timeout.max_ms, {max}");
            let error = self.error("timeout.min_ms", problem);
            return Err(error.fix("lower it, or raise timeout.max_ms"));
        }
        let max_or = max.unwrap_or_else(|| MAX_MS.max(min.unwrap_or(0)));
        let min_or = min.unwrap_or_else(|| MIN_MS.min(max_or));
        let default = match written.default_ms {
            None => DEFAULT_MS.clamp(min_or, max_or),
            Some(default) if (min_or..=max_or).contains(&default) => default,
            Some(default) => {
                let problem = format!(
                    "{default} is not between timeout.min_ms, {min_or}, and timeout.max_ms, {max_or}"
                );
                let error = self.error("timeout.default_ms", problem);
                return Err(error.fix("change it, or the limit that it is beyond"));
            }
        };
        Ok(Timeout {
            default: Duration::from_millis(default),
            min: Duration::from_millis(min_or),
            max: Duration::from_millis(max_or),
            grace: Duration::from_millis(grace.unwrap_or(GRACE_MS)),
        })
    }

    fn output(&self) -> Result<Output, ConfigError> {
        let written = &self.written.output;
        let spilled = written.spill_max_bytes;
        let spilled = self.number("output.spill_max_bytes", spilled, 0, MOST_SPILLED)?;
        Ok(Output {
            max_lines: self.size("output.max_lines", written.max_lines, MOST_LINES, 2_000)?,
            max_bytes: self.size("output.max_bytes", written.max_bytes, MOST_BYTES, 50 << 10)?,
            keep: written.keep.unwrap_or(Keep::Both),
            streams: written.streams.unwrap_or(Streams::Merged),
            spill_max_bytes: spilled.unwrap_or(1 << 30),
        })
    }

    fn variables(&self) -> Result<Variables, ConfigError> {
        let written = &self.written.environment;
        let list = |key: &str, names: &Option<Vec<String>>| {
            let names = names.clone().unwrap_or_default();
            match names.iter().find(|name| !is_name(name)) {
                Some(name) => Err(no_name(name)
                    .at(self.config.place_of_text(key, name))
                    .key(key)),
                None => Ok(names),
            }
        };
        for (name, value) in &written.set {
            let key = "environment.set";
            let place = || self.config.place(key);
            if !is_name(name) {
                return Err(no_name(name).at(place()).key(key));
            }
            if value.contains('\0') {
                let error = ConfigError::new(format!("the value of `{name}` has a NUL"));
                let error = error.at(place()).key(key);
                return Err(error.fix("take it out; no variable can hold one"));
            }
        }
        Ok(Variables {
            pass: list("environment.pass", &written.pass)?,
            withhold: list("environment.withhold", &written.withhold)?,
            set: written.set.clone(),
        })
    }

    fn shell(&self) -> Result<Shell, ConfigError> {
        let written = &self.written.shell;
        let program = match &written.program {
            Some(program) => self.bash(program)?,
            None => {
                let there = BASH.iter().find(|path| Path::new(path).is_file());
                PathBuf::from(there.unwrap_or(&"/bin/bash"))
            }
        };
        let prefix = written.prefix.clone().unwrap_or_default();
        if prefix.contains('\0') {
            let error = self.error("shell.prefix", "has a NUL");
            return Err(error.fix("take it out; a script cannot hold a NUL"));
        }
        Ok(Shell {
            program,
            login: written.login.unwrap_or(true),
            snapshot: written.snapshot.unwrap_or(Snapshot::Environment),
            prefix,
        })
    }

    fn bash(&self, program: &Path) -> Result<PathBuf, ConfigError> {
        let key = "shell.program";
        let shown = program.display();
        if !program.is_absolute() {
            let error = self.error(key, format!("`{shown}` is not an absolute path"));
            return Err(error.fix("write where it is, such as /bin/bash"));
        }
        if !is_bash(program) {
            let error = self.error(
                key,
                format!("`{shown}` is not bash, and what is analyzed is bash"),
            );
            return Err(error.fix("name a bash, such as /bin/bash"));
        }
        Ok(program.to_path_buf())
    }
}

/// By its name: `bash`, `bash5`, `bash-5.2`.
fn is_bash(program: &Path) -> bool {
    let name = program.file_name().and_then(OsStr::to_str);
    let version = name.and_then(|name| name.strip_prefix("bash"));
    version.is_some_and(|version| {
        let fits = |c: char| c.is_ascii_digit() || matches!(c, '-' | '.');
        version.chars().all(fits)
    })
}

/// A variable's name, or a pattern for such.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

fn no_name(name: &str) -> ConfigError {
    ConfigError::new(format!("`{}` is no name", name.escape_default()))
        .fix("write the name of a variable, such as JAVA_HOME")
}
