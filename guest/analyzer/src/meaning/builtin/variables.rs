//! Builtins that give variables a value, or take it away. A subscript in a
//! name, and a value with `-i`, are expressions that bash evaluates.

use crate::arithmetic::{could_run, names};
use crate::expand::{Field, is_name};
use crate::meaning::reader::Given;
use crate::meaning::{AssignKind, Meaning, ShellChange};
use crate::output::kind;

use super::letters;

type Name = (Option<String>, Option<usize>, AssignKind);

/// `declare`, `typeset`, `local`, `export`, `readonly`.
pub fn declare(fields: &[Field], program: &str, meaning: &mut Meaning) {
    let read = letters::read(fields, "");
    let operands = read.operands(fields);
    // Functions, or only a list.
    if (read.has('f') || read.has('F') || read.has('p')) && !read.unknown {
        return;
    }
    if program == "export" && read.has('n') {
        return assign(
            meaning,
            operands
                .iter()
                .map(|at| (name_of(fields.get(*at)), None, AssignKind::Exported)),
        );
    }
    let refers = read.has('n') && program != "readonly";
    if refers && !operands.is_empty() {
        let note = "a name that stands for another variable".to_owned();
        meaning.doubts.push((kind::EVALUATED_TEXT, note));
    }
    let mut found = Vec::new();
    for at in operands {
        let Some(field) = fields.get(at) else {
            continue;
        };
        let text = field.value.as_deref().unwrap_or(&field.prefix);
        let has_value = text.contains('=');
        check_subscript(field, meaning);
        if read.has('i') && has_value {
            check_expression(field, text, meaning);
        }
        let kind = if name_of(Some(field)).is_none() {
            AssignKind::FromInput
        } else if read.has('A') {
            AssignKind::Map
        } else if read.has('i') {
            AssignKind::Integer
        } else if refers
            || read.has('l')
            || read.has('u')
            || read.has('c')
            || text.contains("+=")
            || text.contains('[')
        {
            AssignKind::FromInput
        } else if has_value {
            AssignKind::Known
        } else {
            match program {
                "export" | "readonly" => AssignKind::Exported,
                "local" => AssignKind::Unset,
                _ => AssignKind::FromInput,
            }
        };
        let value = (has_value && field.value.is_some()).then_some(at);
        let kind = if kind == AssignKind::Known && value.is_none() {
            AssignKind::FromInput
        } else {
            kind
        };
        found.push((name_of(Some(field)), value, kind));
        if field.splits {
            found.push((None, None, AssignKind::FromInput));
        }
    }
    if read.unknown {
        found.push((None, None, AssignKind::FromInput));
    }
    assign(meaning, found);
}

/// `unset`; with `-f`, or where there is no such variable, a function.
pub fn unset(fields: &[Field], meaning: &mut Meaning) {
    let read = letters::read(fields, "");
    let operands = read.operands(fields);
    for at in &operands {
        if let Some(field) = fields.get(*at) {
            check_subscript(field, meaning);
        }
    }
    assign(
        meaning,
        operands
            .iter()
            .map(|at| (name_of(fields.get(*at)), None, AssignKind::Unset)),
    );
}

/// `read`.
pub fn read(fields: &[Field], meaning: &mut Meaning) {
    let read = letters::read(fields, "adinNptu");
    let mut found = targets(fields, &read.operands(fields), meaning);
    if let Some((_, given)) = read.argument('a') {
        found.push(from_input(given));
    } else if found.is_empty() {
        found.push((Some("REPLY".to_owned()), None, AssignKind::FromInput));
    }
    if read.unknown {
        found.push((None, None, AssignKind::FromInput));
    }
    assign(meaning, found);
}

/// `mapfile`, `readarray`.
pub fn mapfile(fields: &[Field], meaning: &mut Meaning) {
    let read = letters::read(fields, "dnOsuCc");
    let mut found = targets(fields, &read.operands(fields), meaning);
    if found.is_empty() {
        found.push((Some("MAPFILE".to_owned()), None, AssignKind::FromInput));
    }
    if read.has('C') || read.unknown {
        meaning.doubts.push((
            kind::EVALUATED_TEXT,
            "`-C` evaluates text for each line".to_owned(),
        ));
    }
    assign(meaning, found);
}

/// `printf -v NAME`.
pub fn printf(fields: &[Field], meaning: &mut Meaning) {
    let read = letters::read(fields, "v");
    if let Some((at, given)) = read.argument('v') {
        if let Some(field) = fields
            .get(at)
            .filter(|field| field.value.as_deref() == given.text())
        {
            check_subscript(field, meaning);
        } else if given.text().is_none_or(could_run) {
            evaluated(meaning);
        }
        assign(meaning, [from_input(given)]);
    }
    // A word in place of the format may be `-vNAME`.
    if read.unknown {
        assign(meaning, [(None, None, AssignKind::FromInput)]);
    }
}

/// `getopts OPTIONS NAME`.
pub fn getopts(fields: &[Field], meaning: &mut Meaning) {
    let Some(field) = fields.get(2) else { return };
    check_subscript(field, meaning);
    let own = ["OPTARG", "OPTIND"].map(|name| (Some(name.to_owned()), None, AssignKind::FromInput));
    assign(
        meaning,
        [(name_of(Some(field)), None, AssignKind::FromInput)]
            .into_iter()
            .chain(own),
    );
}

/// `wait -p NAME`.
pub fn wait(fields: &[Field], meaning: &mut Meaning) {
    if let Some((_, given)) = letters::read(fields, "p").argument('p') {
        if given.text().is_none_or(could_run) {
            evaluated(meaning);
        }
        assign(meaning, [from_input(given)]);
    }
}

/// `let`: each word is an expression.
pub fn arithmetic(fields: &[Field], meaning: &mut Meaning) {
    let mut found = Vec::new();
    for (at, field) in fields.iter().enumerate().skip(1) {
        let Some(text) = field.value.as_deref() else {
            if !field.number {
                evaluated(meaning);
                found.push((None, None, AssignKind::FromInput));
            }
            continue;
        };
        if could_run(text) {
            evaluated(meaning);
        }
        let set = names(text).into_iter().filter(|name| name.set);
        found.extend(set.map(|name| (Some(name.text.to_owned()), Some(at), AssignKind::Integer)));
    }
    assign(meaning, found);
}

/// The names that operands give values from input.
fn targets(fields: &[Field], operands: &[usize], meaning: &mut Meaning) -> Vec<Name> {
    let mut found = Vec::new();
    for field in operands.iter().filter_map(|at| fields.get(*at)) {
        check_subscript(field, meaning);
        found.push((name_of(Some(field)), None, AssignKind::FromInput));
    }
    found
}

fn from_input(given: Given<'_>) -> Name {
    (given.text().and_then(bare), None, AssignKind::FromInput)
}

fn assign(meaning: &mut Meaning, found: impl IntoIterator<Item = Name>) {
    let names: Vec<Name> = found.into_iter().collect();
    if !names.is_empty() {
        meaning.shell = Some(ShellChange::Assign { names });
    }
}

/// The variable in `NAME`, `NAME=…`, `NAME+=…`, `NAME[…]…`.
fn name_of(field: Option<&Field>) -> Option<String> {
    let field = field?;
    match &field.value {
        Some(text) => bare(text),
        None => field
            .prefix
            .contains(['=', '['])
            .then(|| bare(&field.prefix))
            .flatten(),
    }
}

fn bare(text: &str) -> Option<String> {
    let name = text.split(['=', '[']).next().unwrap_or_default();
    let name = name.strip_suffix('+').unwrap_or(name);
    is_name(name).then(|| name.to_owned())
}

/// A subscript in a name is evaluated: it may run a command.
pub fn check_subscript(field: &Field, meaning: &mut Meaning) {
    let Some(text) = field.value.as_deref() else {
        let certain = field.number
            || field
                .prefix
                .split_once('=')
                .is_some_and(|(name, _)| !name.contains('['));
        if !certain {
            evaluated(meaning);
        }
        return;
    };
    let name = match text.find("]=").or_else(|| text.find("]+=")) {
        Some(end) => text.get(..end).unwrap_or_default(),
        None => text
            .split_once('=')
            .filter(|(name, _)| !name.contains('['))
            .map_or(text, |(name, _)| name),
    };
    if name
        .split_once('[')
        .is_some_and(|(_, subscript)| could_run(subscript))
    {
        evaluated(meaning);
    }
}

fn check_expression(field: &Field, text: &str, meaning: &mut Meaning) {
    let certain = match &field.value {
        Some(_) => !text
            .split_once('=')
            .is_some_and(|(_, value)| could_run(value)),
        None => field.number || field.tail_is_number,
    };
    if !certain {
        evaluated(meaning);
    }
}

fn evaluated(meaning: &mut Meaning) {
    let note = "bash evaluates this text as an expression, which may run commands".to_owned();
    if !meaning.doubts.iter().any(|(_, known)| *known == note) {
        meaning.doubts.push((kind::EVALUATED_TEXT, note));
    }
}
