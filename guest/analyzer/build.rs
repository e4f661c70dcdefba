//! Turns `data/*.toml` into static tables, so that the guest parses
//! nothing at run time. Knows the shape of the data and nothing of what it
//! means.

use std::{collections::BTreeMap, env, error::Error, fmt::Write as _, fs, path::Path};

use toml::{Table, Value};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The files under `data/`, one subject each. What an entry may say stands at
/// the top of the first.
const FILES: &[&str] = &[
    "files", "text", "archive", "network", "git", "build", "language", "cloud", "system", "wrapper",
];

/// Keys of an entry whose value lists options, and what their argument is.
const TAKES: &[(&str, &str)] = &[
    ("text", "Text"),
    ("read", "Read"),
    ("write", "Write"),
    ("into", "Into"),
    ("delete", "Delete"),
    ("clear", "Clear"),
    ("enter", "Enter"),
    ("base", "Base"),
    ("run", "Run"),
    ("other", "Other"),
    ("connects", "Connect"),
    ("volume", "Volume"),
    ("at", "At"),
    ("paths", "Paths"),
    ("named", "Named"),
    ("code", "Code"),
];

/// The other keys of an entry.
const OTHERS: &[&str] = &[
    "names",
    "operands",
    "when",
    "depth",
    "deeper",
    "stops",
    "single",
    "strict",
    "wraps",
    "connect",
    "filter",
    "interpreter",
    "opaque",
    "ends",
    "hook",
    "flags",
];

fn main() -> Outcome<()> {
    let mut entries = Vec::new();
    for file in FILES {
        entries.extend(read(file).map_err(|error| format!("data/{file}.toml: {error}"))?);
    }
    let mut by_name: BTreeMap<String, (usize, &Table)> = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        for name in names(entry)? {
            if by_name.insert(name.clone(), (index, entry)).is_some() {
                return Err(format!("{name} stands there twice").into());
            }
        }
    }
    let mut out = String::new();
    for (index, entry) in entries.iter().enumerate() {
        let text = spec(entry).map_err(|error| format!("{:?}: {error}", entry.get("names")))?;
        writeln!(out, "static SPEC_{index}: Spec = {text};")?;
    }
    writeln!(
        out,
        "/// Programs and subcommands, by key.\npub static PROGRAMS: &[(&str, &Spec)] = &["
    )?;
    for (name, (index, _)) in &by_name {
        writeln!(out, "({name:?}, &SPEC_{index}),")?;
    }
    writeln!(out, "];")?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("programs.rs"), out)?;
    Ok(())
}

fn read(file: &str) -> Outcome<Vec<Table>> {
    let path = format!("data/{file}.toml");
    println!("cargo::rerun-if-changed={path}");
    let mut data: Table = fs::read_to_string(path)?.parse()?;
    let Some(Value::Array(entries)) = data.remove("program") else {
        return Err("[[program]] is missing".into());
    };
    entries
        .into_iter()
        .map(|entry| match entry {
            Value::Table(table) => Ok(table),
            _ => Err("[[program]] is no table".into()),
        })
        .collect()
}

/// Keys: names separated by blanks; a name with a blank in it (a
/// subcommand) is why a list is taken too.
fn names(entry: &Table) -> Outcome<Vec<String>> {
    match entry.get("names") {
        Some(Value::String(text)) => Ok(text.split_whitespace().map(str::to_owned).collect()),
        Some(Value::Array(list)) => list
            .iter()
            .map(|name| {
                name.as_str()
                    .map(str::to_owned)
                    .ok_or_else(|| "names: no text".into())
            })
            .collect(),
        _ => Err("names are missing".into()),
    }
}

fn spec(entry: &Table) -> Outcome<String> {
    if let Some(key) = entry
        .keys()
        .find(|key| !OTHERS.contains(&key.as_str()) && !TAKES.iter().any(|(name, _)| name == key))
    {
        return Err(format!("what is {key}?").into());
    }
    let mut whens = String::new();
    for when in entry
        .get("when")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let pair = when.as_array().ok_or("when: a list of pairs")?;
        let [options, grammar] = pair.as_slice() else {
            return Err("when: pairs".into());
        };
        let options: Vec<&str> = options
            .as_str()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        let grammar = operands(grammar.as_str().unwrap_or_default())?;
        write!(
            whens,
            "When {{ options: &{options:?}, operands: {grammar} }}, "
        )?;
    }
    let optional = |key: &str| match entry.get(key).and_then(Value::as_str) {
        Some(text) => format!("Some({text:?})"),
        None => "None".to_owned(),
    };
    let wraps = match entry.get("wraps").and_then(Value::as_integer) {
        Some(count) => format!("Some({count})"),
        None => "None".to_owned(),
    };
    Ok(format!(
        "Spec {{ options: &[{}], operands: {}, when: &[{whens}], depth: {}, deeper: &{:?}, stops: {}, single: {}, \
         strict: {}, wraps: {wraps}, connect: {}, filter: {}, interpreter: {}, opaque: {}, ends: &{:?}, \
         hook: Hook::{} }}",
        options(entry)?,
        operands(text(entry, "operands").unwrap_or("guess*"))?,
        entry.get("depth").and_then(Value::as_integer).unwrap_or(1),
        words(entry, "deeper"),
        flag(entry, "stops"),
        flag(entry, "single"),
        flag(entry, "strict"),
        flag(entry, "connect"),
        flag(entry, "filter"),
        flag(entry, "interpreter"),
        optional("opaque"),
        words(entry, "ends"),
        text(entry, "hook").unwrap_or("None"),
    ))
}

/// Options in the order of their names, for binary search.
fn options(entry: &Table) -> Outcome<String> {
    let mut found: BTreeMap<&str, String> = BTreeMap::new();
    for (key, take) in TAKES {
        for written in text(entry, key).unwrap_or_default().split_whitespace() {
            let (name, arity) = match written {
                _ if written.ends_with('?') => (written.trim_end_matches('?'), "Attached"),
                _ if written.ends_with('!') => (written.trim_end_matches('!'), "Flag"),
                _ if written.ends_with(":2") => (written.trim_end_matches(":2"), "Two"),
                _ => (written, "One"),
            };
            let text =
                format!("Opt {{ name: {name:?}, take: Take::{take}, arity: Arity::{arity} }}");
            if found.insert(name, text).is_some() {
                return Err(format!("{name} stands there twice").into());
            }
        }
    }
    for name in words(entry, "flags") {
        let text = format!("Opt {{ name: {name:?}, take: Take::Text, arity: Arity::Flag }}");
        found.entry(name).or_insert(text);
    }
    Ok(found.into_values().collect::<Vec<_>>().join(", "))
}

/// `text read* write`: kinds by position; the one with a star repeats.
fn operands(grammar: &str) -> Outcome<String> {
    let (mut head, mut rest, mut tail) = (Vec::new(), None, Vec::new());
    for word in grammar.split_whitespace() {
        let (name, repeats) = match word.strip_suffix('*') {
            Some(name) => (name, true),
            None => (word, false),
        };
        let take = take(name)?;
        match (repeats, rest.is_some()) {
            (true, true) => return Err(format!("{grammar}: two stars").into()),
            (true, false) => rest = Some(take),
            (false, true) => tail.push(take),
            (false, false) => head.push(take),
        }
    }
    let rest = match rest {
        Some(take) => format!("Some({take})"),
        None => "None".to_owned(),
    };
    Ok(format!(
        "Operands {{ head: &[{}], rest: {rest}, tail: &[{}] }}",
        head.join(", "),
        tail.join(", ")
    ))
}

fn take(name: &str) -> Outcome<String> {
    let known = TAKES
        .iter()
        .find(|(key, _)| *key == name)
        .map(|(_, take)| *take);
    let take = match name {
        "guess" => "Guess",
        "repository" => "Repository",
        "connect" => "Connect",
        "remote-read" => "RemoteRead",
        "remote-write" => "RemoteWrite",
        _ => known.ok_or_else(|| format!("what is {name}?"))?,
    };
    Ok(format!("Take::{take}"))
}

fn text<'a>(entry: &'a Table, key: &str) -> Option<&'a str> {
    entry.get(key).and_then(Value::as_str)
}

fn words<'a>(entry: &'a Table, key: &str) -> Vec<&'a str> {
    text(entry, key)
        .unwrap_or_default()
        .split_whitespace()
        .collect()
}

fn flag(entry: &Table, key: &str) -> bool {
    entry.get(key).and_then(Value::as_bool).unwrap_or(false)
}
