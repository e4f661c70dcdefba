//! Which components are loaded, with which pin, limits and configuration.
//! Opens none of them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Settings, Slot};
use crate::config::{self, Config, ConfigError, Origin, Places, lexically_normal};
use crate::guest::Limits;

/// Names that stand for something else in records and lists.
const RESERVED: &[&str] = &[
    "analyzer",
    "interceptor",
    "approval",
    "tool",
    "bash-tool",
    "bashgate",
];

const LONGEST_NAME: usize = 64;
const LONGEST_WALL_MS: u64 = 60_000;
const MOST_MEMORY_MIB: u64 = 1024;
const MOST_ANSWER_KIB: u64 = 16 * 1024;

/// The SHA-256 of a component's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pin(pub [u8; 32]);

impl Pin {
    /// Reads 64 hexadecimal digits, with or without `sha256:` before them.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("sha256:").unwrap_or(text).as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            for digit in pair {
                let value = char::from(*digit).to_digit(16)?;
                *byte = *byte << 4 | u8::try_from(value).ok()?;
            }
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A component file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// Absolute and lexically normal.
    pub path: PathBuf,
    /// What its bytes must be. Always there for a path that the workspace has a
    /// say in.
    pub pin: Option<Pin>,
}

/// A policy beside the built-in ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Plugin {
    /// Its name in records, unlike all others.
    pub name: String,
    /// Where it is.
    pub component: Component,
    /// Whether every command is asked about while it is missing. Default no.
    pub required: bool,
    /// Whether its `allow` counts. Default no.
    pub may_allow: bool,
    /// Whether it only judges along. Default no.
    pub shadow: bool,
    /// What it is configured with: an object, by default an empty one.
    pub config: Value,
    /// What a call of it may cost.
    pub limits: Limits,
}

/// Reads the plugins, in their order.
pub(super) fn plugins(config: &Config, places: &Places) -> Result<Vec<Plugin>, ConfigError> {
    let mut plugins: Vec<Plugin> = Vec::new();
    for written in &config.written().plugin {
        let table = Table {
            config,
            places,
            origin: written.origin,
            name: format!("plugin[{}]", written.origin.position),
            shown: "plugin".to_owned(),
        };
        let plugin = table.plugin(written)?;
        if plugins.iter().any(|other| other.name == plugin.name) {
            let problem = format!("there is another plugin named `{}`", plugin.name);
            let error = table.error("name", problem);
            return Err(error.fix("give each a name of its own"));
        }
        plugins.push(plugin);
    }
    Ok(plugins)
}

/// Reads what stands in the place of a built-in guest.
pub(super) fn component(
    config: &Config,
    places: &Places,
    slot: Slot,
) -> Result<Option<Component>, ConfigError> {
    let Some(written) = config.written().guests.get(slot) else {
        return Ok(None);
    };
    let name = format!("guests.{slot}");
    let table = Table {
        config,
        places,
        origin: written.origin,
        shown: name.clone(),
        name,
    };
    let component = table.component(&written.component, written.sha256.as_deref())?;
    Ok(Some(component))
}

/// The table that names a component, for its errors.
struct Table<'a> {
    config: &'a Config,
    places: &'a Places,
    origin: Origin,
    /// The key with its position, to find the line.
    name: String,
    /// The key as people read it.
    shown: String,
}

impl Table<'_> {
    fn error(&self, key: &str, problem: impl Into<String>) -> ConfigError {
        let place = self
            .config
            .place_in(self.origin, &format!("{}.{key}", self.name));
        ConfigError::new(problem)
            .at(place)
            .key(format!("{}.{key}", self.shown))
    }

    fn plugin(&self, written: &config::Plugin) -> Result<Plugin, ConfigError> {
        let name = &written.name;
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(fits) {
            return Err(self
                .error("name", format!("`{name}` is no name"))
                .fix("use 1 to 64 letters, digits, `-`, `_` and `.`"));
        }
        if RESERVED.contains(&name.as_str()) {
            return Err(self
                .error("name", format!("`{name}` is a name of bashgate's own"))
                .fix("choose another; to replace a built-in guest use [guests]"));
        }
        if !written.grants.is_empty() {
            let problem = format!("this build grants nothing to plugins, and `{name}` wants some");
            return Err(self.error("grants", problem).fix("take the grants out"));
        }
        Ok(Plugin {
            component: self.component(&written.component, written.sha256.as_deref())?,
            required: written.required,
            may_allow: written.may_allow,
            shadow: written.shadow,
            config: self.table("config", &written.config)?,
            limits: self.limits(&written.limits)?,
            name: name.clone(),
        })
    }

    fn component(&self, written: &Path, sha256: Option<&str>) -> Result<Component, ConfigError> {
        if written.as_os_str().is_empty() || written.to_string_lossy().contains('\0') {
            return Err(self
                .error("component", format!("`{}` is no path", written.display()))
                .fix("name the file of the component"));
        }
        let path = match written.strip_prefix("~") {
            Ok(below_home) => self.places.home.join(below_home),
            Err(_) => {
                let base = self.config.base(self.origin).unwrap_or(&self.places.cwd);
                base.join(written)
            }
        };
        let pin = sha256.map(|text| {
            Pin::parse(text).ok_or_else(|| {
                self.error("sha256", format!("`{text}` is no SHA-256"))
                    .fix("it has 64 hexadecimal digits; `sha256sum FILE` prints it")
            })
        });
        let pin = pin.transpose()?;
        if pin.is_none() && self.places.is_below_root(&path) {
            let problem = format!(
                "{} lies under the root, where a command may change it, and has no pin",
                path.display()
            );
            return Err(self.error("component", problem).fix(format!(
                "add sha256 = \"…\" as `sha256sum {}` prints it",
                path.display()
            )));
        }
        // `..` after a link goes up from where the link leads, and not from where
        // it lies; there the text alone would name another file.
        let normal = lexically_normal(&path);
        let path = match path.canonicalize() {
            Ok(real) if normal.canonicalize().ok().as_ref() != Some(&real) => real,
            _ => normal,
        };
        Ok(Component { path, pin })
    }

    fn limits(&self, written: &config::Limits) -> Result<Limits, ConfigError> {
        let default = Limits::default();
        let number = |key: &str, value: Option<u64>, most: u64| match value {
            Some(value) if value == 0 || value > most => Err(self
                .error(
                    &format!("limits.{key}"),
                    format!("{value} is out of bounds: 1 to {most}"),
                )
                .fix("choose a number between them")),
            _ => Ok(value),
        };
        let duration = |key, value| {
            let value = number(key, value, LONGEST_WALL_MS)?;
            Ok::<_, ConfigError>(value.map(Duration::from_millis))
        };
        let bytes = |key, value, most, unit: u64| {
            let value = number(key, value, most)?;
            Ok::<_, ConfigError>(value.and_then(|value| usize::try_from(value * unit).ok()))
        };
        let evaluate = duration("evaluate_ms", written.evaluate_ms)?;
        let wall = duration("wall_ms", written.wall_ms)?;
        let evaluate_or = evaluate.unwrap_or(default.evaluate);
        let limits = Limits {
            evaluate: evaluate_or,
            wall: wall.unwrap_or(default.wall.max(evaluate_or)),
            memory: bytes("memory_mib", written.memory_mib, MOST_MEMORY_MIB, 1 << 20)?
                .unwrap_or(default.memory),
            answer: bytes("answer_kib", written.answer_kib, MOST_ANSWER_KIB, 1 << 10)?
                .unwrap_or(default.answer),
        };
        if limits.wall < limits.evaluate {
            let problem = format!(
                "{} is less than evaluate_ms, {}",
                limits.wall.as_millis(),
                limits.evaluate.as_millis()
            );
            return Err(self
                .error("limits.wall_ms", problem)
                .fix("a guest's own time is part of the time on the clock; raise it, or lower evaluate_ms"));
        }
        Ok(limits)
    }

    /// A table as JSON; a date is its text.
    fn table(&self, key: &str, table: &toml::Table) -> Result<Value, ConfigError> {
        let values = table.iter().map(|(name, value)| {
            let json = self.json(&format!("{key}.{name}"), value)?;
            Ok((name.clone(), json))
        });
        values.collect::<Result<_, _>>().map(Value::Object)
    }

    fn json(&self, key: &str, value: &toml::Value) -> Result<Value, ConfigError> {
        Ok(match value {
            toml::Value::String(text) => Value::from(text.as_str()),
            toml::Value::Integer(number) => Value::from(*number),
            toml::Value::Boolean(yes) => Value::from(*yes),
            toml::Value::Datetime(date) => Value::from(date.to_string()),
            toml::Value::Float(number) => {
                let json = serde_json::Number::from_f64(*number);
                json.map(Value::Number).ok_or_else(|| {
                    self.error(key, format!("{number} is no number that JSON has"))
                        .fix("write a finite number, or a text")
                })?
            }
            toml::Value::Array(elements) => {
                let elements = elements.iter().enumerate();
                let json =
                    elements.map(|(at, element)| self.json(&format!("{key}[{at}]"), element));
                Value::Array(json.collect::<Result<_, _>>()?)
            }
            toml::Value::Table(table) => self.table(key, table)?,
        })
    }
}

/// What the guest of a slot is configured with.
pub(super) fn config(settings: &Settings, slot: Slot) -> Value {
    match slot {
        Slot::Analyzer => json!({}),
        Slot::Interceptor => {
            let rules = settings.interceptor.rules.iter().map(|rule| {
                json!({ "pattern": rule.pattern, "tool": rule.tool, "message": rule.message })
            });
            json!({
                "enabled": settings.interceptor.enabled,
                "normalize": settings.interceptor.normalize,
                "rule": rules.collect::<Vec<_>>(),
            })
        }
        Slot::Approval => json!({
            "rules": {
                "allow": settings.rules.allow,
                "ask": settings.rules.ask,
                "deny": settings.rules.deny,
            },
            "bash_arity": settings.bash_arity,
        }),
        Slot::Tool => json!({ "nonzero_exit_is_error": settings.nonzero_exit_is_error }),
    }
}
