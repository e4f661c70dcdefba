//! Reads the sources of the configuration and puts them together. Knows which
//! source may say what, not what it means.

use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode as Permissions, OFlags};
use toml::de::{DeTable, DeValue};

use super::choice::{Mode, SandboxMode};
use super::error::{ConfigError, Place};
use super::index::{Index, Lines, without_position};
use super::places::Places;
use super::written::Written;
use super::{Config, Source};

/// The size of a configuration file, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// What the project's file may hold.
const TIGHTENING: &[&str] = &[
    "mode",
    "sandbox",
    "rules",
    "rules.ask",
    "rules.deny",
    "protected_paths",
];

pub(super) fn load(
    places: &Places,
    given: Option<&Path>,
    assignments: &[String],
) -> Result<Config, ConfigError> {
    let mut config = Config {
        written: Written::default(),
        also_protected: Vec::new(),
        sources: Vec::new(),
    };
    let user = places.user_config();
    if let Some(text) = read_if_there(&user)? {
        config.add(Text::of_file(user, text))?;
    }
    let project = places.project_config();
    if let Some(text) = read_if_there(&project)? {
        config.add_tightening(Text::of_file(project, text))?;
    }
    if let Some(given) = given {
        let file = places.cwd.join(given);
        let text = read(&file).map_err(|problem| unreadable(&file, &problem))?;
        config.add(Text::of_file(file, text))?;
    }
    for assignment in assignments {
        config.add_assignment(assignment, &places.cwd)?;
    }
    Ok(config)
}

impl Config {
    fn add(&mut self, text: Text) -> Result<(), ConfigError> {
        let (source, written) = text.parse()?;
        self.put(source, written);
        Ok(())
    }

    fn put(&mut self, source: Source, mut written: Written) {
        written.settle(self.sources.len());
        self.written.overlay(written);
        self.sources.push(source);
    }

    /// The project's own file: whoever wrote the project may make the gate
    /// stricter, and nothing else.
    fn add_tightening(&mut self, text: Text) -> Result<(), ConfigError> {
        let (source, mut written) = text.parse()?;
        let forbidden = source.index.entries().find(|entry| {
            let key = without_position(&entry.key);
            !TIGHTENING.contains(&key.as_str())
        });
        if let Some(entry) = forbidden {
            return Err(ConfigError::new(format!(
                "the configuration that comes with a project may only tighten ({})",
                "mode, sandbox, rules.ask, rules.deny, protected_paths"
            ))
            .at(Some(source.place(entry)))
            .key(without_position(&entry.key))
            .fix("take the line out, or set it in your own configuration"));
        }
        let mode = self.written.mode.unwrap_or(Mode::UnlessTrusted);
        not_looser(&source, "mode", written.mode, mode)?;
        let sandbox = self.written.sandbox.unwrap_or(SandboxMode::FullAccess);
        not_looser(&source, "sandbox", written.sandbox, sandbox)?;
        let protected = written.protected_paths.take();
        self.also_protected.extend(protected.into_iter().flatten());
        self.put(source, written);
        Ok(())
    }

    /// One `KEY=VALUE`. The value is TOML; where it is none, or none that fits
    /// the key, it is the text as it stands.
    fn add_assignment(&mut self, assignment: &str, cwd: &Path) -> Result<(), ConfigError> {
        let place = |key: &str| {
            Some(Place {
                source: format!("--set {key}").into(),
                line: None,
            })
        };
        let fix = "write --set KEY=VALUE, such as --set timeout.default_ms=5000";
        let Some((key, value)) = assignment.split_once('=') else {
            let error = ConfigError::new("there is no `=`");
            return Err(error.at(place(assignment)).fix(fix));
        };
        let (key, value) = (key.trim(), value.trim());
        if !is_one_key(key) {
            let error = ConfigError::new("what stands before `=` is no key");
            return Err(error.at(place(key)).fix(fix));
        }
        let text = |value: &str| Text {
            name: format!("--set {key}").into(),
            is_file: false,
            base: cwd.to_path_buf(),
            text: format!("{key} = {value}"),
        };
        let as_text = toml::Value::String(value.to_owned()).to_string();
        let parsed = if DeValue::parse(value).is_ok() {
            text(value)
                .parse()
                .or_else(|error| text(&as_text).parse().map_err(|_| error))
        } else {
            text(&as_text).parse()
        };
        let (source, written) = parsed?;
        self.put(source, written);
        Ok(())
    }
}

fn not_looser<T: Ord + Copy + std::fmt::Display>(
    source: &Source,
    key: &str,
    wanted: Option<T>,
    now: T,
) -> Result<(), ConfigError> {
    match wanted {
        Some(wanted) if wanted < now => {
            let problem =
                format!("`{wanted}` is looser than `{now}`, and a project may only tighten");
            let place = source.index.find(key).map(|entry| source.place(entry));
            Err(ConfigError::new(problem)
                .at(place)
                .key(key)
                .fix("take the line out, or set it in your own configuration"))
        }
        _ => Ok(()),
    }
}

/// The text of one source.
struct Text {
    name: PathBuf,
    is_file: bool,
    base: PathBuf,
    text: String,
}

impl Text {
    fn of_file(name: PathBuf, text: String) -> Self {
        Self {
            base: name.parent().unwrap_or(Path::new("/")).to_path_buf(),
            is_file: true,
            name,
            text,
        }
    }

    fn parse(self) -> Result<(Source, Written), ConfigError> {
        let document = DeTable::parse(&self.text);
        let source = Source {
            name: self.name,
            is_file: self.is_file,
            base: self.base,
            lines: Lines::of(&self.text),
            index: document
                .as_ref()
                .map(|document| Index::of(document.get_ref()))
                .unwrap_or_default(),
        };
        match document.and_then(|_| toml::from_str(&self.text)) {
            Ok(written) => Ok((source, written)),
            Err(error) => Err(source.error(error.message(), error.span())),
        }
    }
}

impl Source {
    fn error(&self, message: &str, span: Option<Range<usize>>) -> ConfigError {
        let entry = span.as_ref().and_then(|span| self.index.around(span));
        let place = match &span {
            Some(span) => self.place_at(span.start),
            None => Place {
                source: self.name.clone(),
                line: None,
            },
        };
        let key = entry.map(|entry| entry.key.clone()).unwrap_or_default();
        let error = ConfigError::new(plain(message)).at(Some(place)).key(key);
        if message.starts_with("missing field") {
            return error.fix("add it");
        }
        if message.contains("expected a sequence") {
            return error.fix("write a list, such as [\"git push *\"]");
        }
        error
    }
}

/// A parser's words for people: one line, no names of Rust types.
fn plain(message: &str) -> String {
    let lines: Vec<&str> = message.lines().map(str::trim).collect();
    let mut plain = lines.join(", ");
    for number in ["u64", "u32"] {
        plain = plain.replace(
            &format!("expected {number}"),
            "expected a whole number that is not negative",
        );
    }
    plain
}

/// Whether a text is the dotted key of one value, and nothing beside it.
fn is_one_key(key: &str) -> bool {
    if key.is_empty() || key.contains(char::is_control) {
        return false;
    }
    let text = format!("{key} = 0");
    let Ok(document) = DeTable::parse(&text) else {
        return false;
    };
    let mut table = document.get_ref();
    loop {
        let mut values = table.values();
        match (values.next().map(|value| value.get_ref()), values.next()) {
            (Some(DeValue::Table(inner)), None) => table = inner,
            (Some(DeValue::Integer(_)), None) => return true,
            _ => return false,
        }
    }
}

fn read_if_there(file: &Path) -> Result<Option<String>, ConfigError> {
    match read(file) {
        Ok(text) => Ok(Some(text)),
        Err(problem) if is_missing(file, &problem) => Ok(None),
        Err(problem) => Err(unreadable(file, &problem)),
    }
}

/// A link that leads nowhere is not missing: its rules are.
fn is_missing(file: &Path, problem: &io::Error) -> bool {
    match problem.kind() {
        io::ErrorKind::NotADirectory => true,
        io::ErrorKind::NotFound => file.symlink_metadata().is_err(),
        _ => false,
    }
}

/// Opens without waiting, so that a FIFO does not hold up the start.
fn read(file: &Path) -> io::Result<String> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(file, flags, Permissions::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut text = String::new();
    file.take(MOST_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST_BYTES {
        return Err(io::Error::other("it is over 1 MiB"));
    }
    Ok(text)
}

fn unreadable(file: &Path, problem: &io::Error) -> ConfigError {
    ConfigError::new(format!("the configuration cannot be read: {problem}"))
        .at(Some(Place {
            source: file.to_path_buf(),
            line: None,
        }))
        .fix("it must be a readable TOML file of at most 1 MiB in UTF-8")
}
