//! Turns `data/*.toml` into static tables, so that the guest parses nothing at
//! run time. Knows the shape of the data and nothing of what it means.

use std::{env, error::Error, fmt::Write as _, fs, path::Path};

use toml::{Table, Value};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let mut out = String::new();
    safe(&read("safe")?, &mut out)?;
    danger(&read("danger")?, &mut out)?;
    arity(&read("arity")?, &mut out)?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("tables.rs"), out)?;
    Ok(())
}

fn read(name: &str) -> Outcome<Table> {
    let path = format!("data/{name}.toml");
    println!("cargo::rerun-if-changed={path}");
    Ok(fs::read_to_string(path)?.parse()?)
}

fn safe(table: &Table, out: &mut String) -> Outcome<()> {
    let mut programs = Vec::new();
    let mut builtins = Vec::new();
    for name in strings(table, "programs")? {
        programs.push(form(&name, &Table::new())?);
    }
    for name in strings(table, "builtins")? {
        builtins.push(form(&name, &Table::new())?);
    }
    for entry in tables(table, "form")? {
        let made = form(&strings(entry, "path")?.join(" "), entry)?;
        match flag(entry, "builtin") {
            true => builtins.push(made),
            false => programs.push(made),
        }
    }
    sorted(out, "PROGRAMS", "Form", programs)?;
    sorted(out, "BUILTINS", "Form", builtins)?;
    let mut versions = strings(table, "versions")?;
    versions.sort();
    writeln!(out, "pub static VERSIONS: &[&str] = &{versions:?};")?;
    let mut globals = Vec::new();
    for entry in tables(table, "globals")? {
        let program = string(entry, "program")?;
        let text = format!(
            "Globals {{ program: {program:?}, flags: &{:?}, valued: &{:?} }}",
            strings(entry, "flags")?,
            strings(entry, "valued")?,
        );
        globals.push((program, text));
    }
    sorted(out, "GLOBALS", "Globals", globals)
}

fn form(key: &str, entry: &Table) -> Outcome<(String, String)> {
    let operands = match entry.get("operands").and_then(Value::as_str) {
        None | Some("any") => "Any",
        Some("none") => "None",
        Some("plus") => "Plus",
        Some(other) => return Err(format!("{key}: operands = {other:?}").into()),
    };
    let text = format!(
        "Form {{ key: {key:?}, ends: &{:?}, denied: &{:?}, requires: &{:?}, listing: &{:?}, \
         valued: &{:?}, attached: &{:?}, dashed: {}, operands: Operands::{operands} }}",
        strings(entry, "ends")?,
        strings(entry, "denied")?,
        strings(entry, "requires")?,
        strings(entry, "listing")?,
        strings(entry, "valued")?,
        strings(entry, "attached")?,
        flag(entry, "dashed"),
    );
    Ok((key.to_owned(), text))
}

fn danger(table: &Table, out: &mut String) -> Outcome<()> {
    let mut dangers = Vec::new();
    for entry in tables(table, "danger")? {
        let key = strings(entry, "path")?.join(" ");
        let text = format!(
            "Danger {{ key: {key:?}, options: &{:?}, operands: &{:?}, dashed: {}, reason: {:?} }}",
            strings(entry, "options")?,
            strings(entry, "operands")?,
            flag(entry, "dashed"),
            string(entry, "reason")?,
        );
        dangers.push((key, text));
    }
    sorted(out, "DANGERS", "Danger", dangers)?;
    let mut names = Vec::new();
    for entry in tables(table, "programs")? {
        names.push(format!(
            "NamedDanger {{ names: &{:?}, prefixes: &{:?}, reason: {:?} }}",
            strings(entry, "names")?,
            strings(entry, "prefixes")?,
            string(entry, "reason")?,
        ));
    }
    writeln!(
        out,
        "pub static NAMED_DANGERS: &[NamedDanger] = &[{}];",
        names.join(",\n")
    )?;
    let pipes = table
        .get("pipes")
        .and_then(Value::as_table)
        .ok_or("danger.toml: [pipes] is missing")?;
    names_of(out, "DOWNLOADERS", strings(pipes, "from")?)?;
    names_of(out, "RUNNERS_OF_TEXT", strings(pipes, "into")?)
}

fn arity(table: &Table, out: &mut String) -> Outcome<()> {
    names_of(out, "OFFERED_EXACTLY", strings(table, "exact")?)?;
    names_of(out, "NEVER_OFFERED", strings(table, "never")?)?;
    let counts = table
        .get("arity")
        .and_then(Value::as_table)
        .ok_or("arity.toml: [arity] is missing")?;
    let mut entries = Vec::new();
    for (key, count) in counts {
        let count = count
            .as_integer()
            .ok_or_else(|| format!("{key}: no number"))?;
        entries.push((key.clone(), format!("({key:?}, {count})")));
    }
    sorted(out, "ARITY", "(&str, u8)", entries)
}

/// Entries in the order of their keys, for binary search; a key twice is an error.
fn sorted(
    out: &mut String,
    name: &str,
    kind: &str,
    mut entries: Vec<(String, String)>,
) -> Outcome<()> {
    entries.sort();
    for pair in entries.windows(2) {
        if let [(a, _), (b, _)] = pair
            && a == b
        {
            return Err(format!("{name}: {a:?} stands there twice").into());
        }
    }
    let body: Vec<String> = entries.into_iter().map(|(_, text)| text).collect();
    writeln!(
        out,
        "pub static {name}: &[{kind}] = &[{}];",
        body.join(",\n")
    )?;
    Ok(())
}

fn names_of(out: &mut String, name: &str, mut names: Vec<String>) -> Outcome<()> {
    names.sort();
    names.dedup();
    writeln!(out, "pub static {name}: &[&str] = &{names:?};")?;
    Ok(())
}

fn tables<'a>(table: &'a Table, key: &str) -> Outcome<Vec<&'a Table>> {
    let list = table
        .get(key)
        .and_then(Value::as_array)
        .ok_or_else(|| format!("[[{key}]] is missing"))?;
    list.iter()
        .map(|v| {
            v.as_table()
                .ok_or_else(|| format!("[[{key}]]: no table").into())
        })
        .collect()
}

fn strings(table: &Table, key: &str) -> Outcome<Vec<String>> {
    let Some(value) = table.get(key) else {
        return Ok(Vec::new());
    };
    let list = value.as_array().ok_or_else(|| format!("{key}: no list"))?;
    list.iter()
        .map(|v| {
            v.as_str()
                .map(str::to_owned)
                .ok_or_else(|| format!("{key}: no text").into())
        })
        .collect()
}

fn string(table: &Table, key: &str) -> Outcome<String> {
    table
        .get(key)
        .and_then(Value::as_str)
        .map(str::to_owned)
        .ok_or_else(|| format!("{key} is missing").into())
}

fn flag(table: &Table, key: &str) -> bool {
    table.get(key).and_then(Value::as_bool).unwrap_or(false)
}
