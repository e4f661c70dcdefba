//! Redirect writes: `echo`, `printf` or a here-document whose literal text
//! goes into one file.

use bashgate_guest::policy::{Redirect, RedirectKind};

use crate::command::{Command, literal};
use crate::options::Known;
use crate::replacement::Replacement;

const TEE: Known = Known {
    flags: "ai",
    long_flags: &["append", "ignore-interrupts"],
    ..Known::NONE
};

/// `write` of the text to the file.
pub fn replace(command: &Command<'_>) -> Option<Replacement> {
    let program = command.program()?;
    if program == "tee" {
        return tee(command);
    }
    let output = command.output()?;
    let content = match program {
        "echo" if command.fed_text().is_none() => echo(command)?,
        "printf" if command.fed_text().is_none() => printf(command)?,
        "cat" => {
            let from_input = |word| literal(word) == Some("-");
            if !command.arguments().iter().all(from_input) || command.arguments().len() > 1 {
                return None;
            }
            fed(command, command.fed_text()?)?
        }
        _ => return None,
    };
    Some(Replacement::Write {
        path: command.path(&output.target)?,
        content,
        append: output.kind == RedirectKind::Append,
    })
}

/// `tee f <<EOF`: it prints the text too, which nobody needs to see again.
fn tee(command: &Command<'_>) -> Option<Replacement> {
    let text = command.fed_text()?;
    let harmless = |redirect: &Redirect| {
        let target = redirect.target.value.as_deref();
        std::ptr::eq(redirect, text)
            || (redirect.kind == RedirectKind::Output && target == Some("/dev/null"))
            || (redirect.kind == RedirectKind::Duplicate && redirect.fd == Some(2))
    };
    if !command.unit.redirects.iter().all(harmless) {
        return None;
    }
    let arguments = command.read(&TEE)?;
    Some(Replacement::Write {
        path: command.path(arguments.one()?)?,
        content: fed(command, text)?,
        append: arguments.has(&["a", "append"]),
    })
}

/// What `echo` prints. Its options count only before the first word, and a
/// backslash means something only after `-e`.
fn echo(command: &Command<'_>) -> Option<String> {
    let mut words = Vec::new();
    let (mut newline, mut escapes) = (true, false);
    for word in command.arguments() {
        let text = literal(word)?;
        let letters = text.strip_prefix('-').unwrap_or_default();
        let is_option = !letters.is_empty() && letters.chars().all(|letter| "neE".contains(letter));
        if words.is_empty() && is_option {
            newline &= !letters.contains('n');
            match letters
                .rfind(['e', 'E'])
                .and_then(|at| letters.get(at..=at))
            {
                Some("e") => escapes = true,
                Some(_) => escapes = false,
                None => {}
            }
        } else {
            words.push(text);
        }
    }
    let mut text = words.join(" ");
    if escapes {
        text = unescaped(&text)?;
    }
    if newline {
        text.push('\n');
    }
    Some(text)
}

/// What `printf` prints, for formats of text, `%s` and `%%`.
fn printf(command: &Command<'_>) -> Option<String> {
    let mut words = command.arguments();
    if let Some((first, rest)) = words.split_first()
        && literal(first) == Some("--")
    {
        words = rest;
    }
    let (format, values) = words.split_first()?;
    let format = literal(format)?;
    if format.starts_with('-') {
        return None;
    }
    let mut parts = Vec::new();
    let mut slots = 0_usize;
    // `%%` is one character of text, so it is set aside before splitting.
    for (index, piece) in format.split("%%").enumerate() {
        if index > 0 {
            parts.push(Part::Text("%".to_owned()));
        }
        for (index, text) in piece.split("%s").enumerate() {
            if index > 0 {
                parts.push(Part::Value);
                slots += 1;
            }
            if text.contains('%') {
                return None;
            }
            parts.push(Part::Text(unescaped(text)?));
        }
    }
    let values = values.iter().map(literal).collect::<Option<Vec<_>>>()?;
    if slots == 0 && !values.is_empty() {
        return None;
    }
    let mut values = values.into_iter();
    let mut printed = String::new();
    loop {
        for part in &parts {
            match part {
                Part::Text(text) => printed.push_str(text),
                Part::Value => printed.push_str(values.next().unwrap_or_default()),
            }
        }
        if values.len() == 0 {
            return Some(printed);
        }
    }
}

enum Part {
    Text(String),
    Value,
}

/// Text with the escapes that `echo -e` and `printf` share; None for rarer
/// ones.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => out.push(match characters.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                '\\' => '\\',
                _ => return None,
            }),
            other => out.push(other),
        }
    }
    Some(out)
}

/// The literal text of a here-document or here-string.
fn fed(command: &Command<'_>, text: &Redirect) -> Option<String> {
    if text.kind == RedirectKind::HereString {
        let mut value = text.target.value.clone()?;
        value.push('\n');
        return Some(value);
    }
    let body = text.body.as_deref()?;
    let quoted = text.target.text.contains(['\'', '"', '\\']);
    if !quoted && body.contains(['$', '`', '\\']) {
        return None;
    }
    let span = text.span.start as usize..text.span.end as usize;
    let written = command.execution.plan.script.get(span)?;
    // Never without an end of line: the text ends where its last line does.
    let mut content = match written.trim_start_matches(|c: char| c.is_ascii_digit()) {
        written if written.starts_with("<<-") => without_tabs(body),
        _ => body.to_owned(),
    };
    if !content.is_empty() && !content.ends_with('\n') {
        content.push('\n');
    }
    Some(content)
}

/// `<<-` takes the tabs before each line.
fn without_tabs(body: &str) -> String {
    body.split_inclusive('\n')
        .map(|line| line.trim_start_matches('\t'))
        .collect()
}
