//! Programs that run another one and say more about it than a table can: user,
//! input that becomes words, text for a shell. `env` is not among them.

use bashgate_guest::policy::{Access, Origin};

use crate::expand::{Field, is_name};
use crate::output::kind;

use super::path::Base;
use super::program::{Command, words_from, wrapped};
use super::reader::{Given, Item, Reader};
use super::table::Operands;
use super::{Meaning, Starts, is_shell};

/// `sudo`, `doas`: another user.
pub fn sudo(command: &Command<'_, '_>, meaning: &mut Meaning) {
    let base = command.touch_options(meaning);
    let why = format!("`{}` runs it as another user", command.name);
    meaning.ends_allow = Some(why.clone());
    if command.has(&["-e", "--edit"]) {
        let mut toucher = command.toucher(meaning, Base::Unit);
        for at in command.from..command.fields.len() {
            if let Some(word) = command.fields.get(at) {
                toucher.path(at, Given::Whole(word), Access::Write, Origin::Operand);
            }
        }
        return;
    }
    let mut from = command.from;
    let mut assignments = Vec::new();
    while let Some((name, value)) = command.fields.get(from).and_then(assignment) {
        assignments.push((name, value));
        from += 1;
    }
    let shell = command.has(&["-s", "-i", "--shell", "--login"]);
    if from >= command.fields.len() {
        if shell {
            meaning.starts = Starts::StandardInput;
        }
        return;
    }
    let workdir = match base {
        _ if command.has(&["-i", "--login", "-R", "--chroot"]) => Some(None),
        Base::Unit => None,
        Base::At(path) => Some(Some(path)),
        Base::Unknown => Some(None),
    };
    meaning.starts = Starts::Words {
        from,
        assignments,
        workdir,
        opaque: shell,
        ends_allow: Some(why),
        appends_unknown: false,
    };
}

/// `NAME=value` before a command.
fn assignment(field: &Field) -> Option<(String, Option<String>)> {
    let text = field.value.as_deref().unwrap_or(&field.prefix);
    let (name, value) = text.split_once('=').filter(|(name, _)| is_name(name))?;
    Some((
        name.to_owned(),
        field.value.is_some().then(|| value.to_owned()),
    ))
}

/// `setarch ARCH -R COMMAND …`; options may come before and after.
pub fn architecture(command: &Command<'_, '_>, meaning: &mut Meaning) {
    let is_architecture = |text: &str| {
        let starts = [
            "x86", "i386", "i486", "i586", "i686", "linux", "aarch", "arm", "ppc", "s390", "sparc",
            "mips",
        ];
        let more = [
            "alpha",
            "ia64",
            "parisc",
            "riscv",
            "loongarch",
            "uname26",
            "athlon",
        ];
        starts
            .iter()
            .chain(&more)
            .any(|start| text.starts_with(start))
    };
    let Some(mut from) = wrapped(command, meaning, 0) else {
        return;
    };
    if command.name == "setarch" && command.text(from).is_some_and(is_architecture) {
        let (options, next) = Reader::new(command.fields, from + 1, &command.specs).leading();
        if options
            .iter()
            .any(|item| matches!(item, Item::Other { .. }))
        {
            let note = "it has an option that is not known here".to_owned();
            meaning.doubts.push((kind::OPAQUE_PROGRAM, note));
        }
        let Some(next) = next else { return };
        from = next;
    }
    meaning.starts = words_from(from);
}

/// `xargs`: the words, and more that it reads. With `-I` a text in the words
/// stands for what it reads.
pub fn xargs(command: &Command<'_, '_>, meaning: &mut Meaning) {
    if let Some(text) = placeholder(command) {
        return placed(command, meaning, text);
    }
    if let Some(from) = wrapped(command, meaning, 0) {
        let Starts::Words {
            assignments,
            workdir,
            ..
        } = words_from(from)
        else {
            return;
        };
        meaning.starts = Starts::Words {
            from,
            assignments,
            workdir,
            opaque: false,
            ends_allow: None,
            appends_unknown: true,
        };
    }
}

/// The text that `xargs` replaces.
fn placeholder<'f>(command: &Command<'f, '_>) -> Option<&'f str> {
    let names = ["-I", "-i", "--replace"];
    if !command.has(&names) {
        return None;
    }
    match command.argument(&names) {
        Some((_, given)) => Some(given.text().unwrap_or("")),
        None => Some("{}"),
    }
}

/// Commands with a text in them that stands for something else.
fn placed(command: &Command<'_, '_>, meaning: &mut Meaning, text: &str) {
    let Some(from) = wrapped(command, meaning, 0) else {
        return;
    };
    if text == "{}" {
        let ranges = vec![(from, command.fields.len())];
        meaning.starts = Starts::Commands {
            ranges,
            appends_unknown: true,
        };
        return;
    }
    let words = command.fields.get(from..).unwrap_or_default();
    let holds = |field: &Field| {
        field
            .value
            .as_deref()
            .is_none_or(|word| word.contains(text))
    };
    let runs_text = words.iter().any(|field| {
        field
            .value
            .as_deref()
            .is_some_and(|word| is_shell(word.rsplit('/').next().unwrap_or(word)) || word == "env")
    });
    if words.first().is_some_and(holds) || (runs_text && words.iter().any(holds)) {
        let note = format!("`{text}` stands for what it reads");
        meaning.doubts.push((kind::DYNAMIC_PROGRAM, note));
    }
    if let Starts::Words {
        from,
        assignments,
        workdir,
        ..
    } = words_from(from)
    {
        meaning.starts = Starts::Words {
            from,
            assignments,
            workdir,
            opaque: false,
            ends_allow: None,
            appends_unknown: true,
        };
    }
}

/// `taskset`, `chrt`, `ionice`, `prlimit`: a command, or a running process.
pub fn scheduler(command: &Command<'_, '_>, meaning: &mut Meaning) {
    let process = ["-p", "--pid", "-P", "--pgid", "-u", "--uid", "-m", "--max"];
    let names: &[&str] = if command.name == "prlimit" {
        &["-p", "--pid"]
    } else {
        &process
    };
    if command.has(names) {
        return;
    }
    // `chrt` takes a priority, which newer versions leave out, `taskset` a mask.
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let bare =
        command.name == "chrt" && command.text(command.from).is_some_and(|text| !digits(text));
    if let Some(operands) = command
        .inner()
        .wraps
        .map(|operands| if bare { 0 } else { operands })
        && let Some(from) = wrapped(command, meaning, operands)
    {
        meaning.starts = words_from(from);
    }
}

/// `flock FILE COMMAND …`, `flock FILE -c TEXT`, `flock NUMBER`.
pub fn flock(command: &Command<'_, '_>, meaning: &mut Meaning) {
    command.touch_options(meaning);
    let operands = command.operands();
    let Some(file) = operands.first().copied() else {
        return;
    };
    let text_at = command
        .fields
        .iter()
        .position(|field| matches!(field.value.as_deref(), Some("-c" | "--command")));
    let number = command
        .text(file)
        .is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    if number && operands.len() == 1 {
        return;
    }
    let mut toucher = command.toucher(meaning, Base::Unit);
    if let Some(word) = command.fields.get(file) {
        toucher.path(file, Given::Whole(word), Access::Write, Origin::Operand);
    }
    let next = file + 1;
    meaning.starts = match text_at {
        Some(at) if at <= next => match command.whole(if at < file { file + 1 } else { at + 1 }) {
            Some((field, given)) => script_text(command, field, given),
            None => Starts::Nothing,
        },
        _ if next < command.fields.len() => words_from(next),
        _ => Starts::Nothing,
    };
}

/// A literal text that `sh -c` evaluates.
fn script_text(command: &Command<'_, '_>, field: usize, given: Given<'_>) -> Starts {
    script(command, given.text().map(str::to_owned), vec![field])
}

/// A script in a shell of its own, out of these fields; without a text, one
/// that cannot be read.
fn script(command: &Command<'_, '_>, text: Option<String>, fields: Vec<usize>) -> Starts {
    match text {
        Some(text) => Starts::Script {
            text,
            fields,
            arguments: Vec::new(),
            own_shell: true,
            ends_allow: None,
            workdir: None,
        },
        None => Starts::Unreadable {
            note: format!("only running tells the text that `{}` runs", command.name),
        },
    }
}

/// `script`: a record of a shell, or of one command text.
pub fn typescript(command: &Command<'_, '_>, meaning: &mut Meaning) {
    let items: Vec<_> = command
        .items
        .iter()
        .filter(|item| !matches!(item.name(), Some("-c" | "--command")))
        .cloned()
        .collect();
    let mut toucher = command.toucher(meaning, Base::Unit);
    toucher.items(&items, &command.inner().operands);
    let logs = ["-I", "--log-in", "-O", "--log-out", "-B", "--log-io"];
    if command.operands().is_empty() && !command.has(&logs) {
        toucher.push(
            0,
            Some(super::PathText::Known("typescript".to_owned())),
            Access::Write,
            Origin::Program,
        );
    }
    meaning.starts = match command.argument(&["-c", "--command"]) {
        Some((field, given)) => script_text(command, field, given),
        None if command.has(&["-c", "--command"]) => Starts::Nothing,
        None => Starts::StandardInput,
    };
}

/// `watch WORDS…`: joined, they are text for `sh -c`; with `-x` a command.
pub fn watch(command: &Command<'_, '_>, meaning: &mut Meaning) {
    let Some(from) = wrapped(command, meaning, 0) else {
        return;
    };
    if command.has(&["-x", "--exec"]) {
        meaning.starts = words_from(from);
        return;
    }
    meaning.starts = joined(command, from);
}

/// Words that are joined by blanks and evaluated.
pub fn joined(command: &Command<'_, '_>, from: usize) -> Starts {
    let words: Option<Vec<&str>> = command
        .fields
        .get(from..)
        .unwrap_or_default()
        .iter()
        .map(|field| field.value.as_deref())
        .collect();
    let text = words.map(|words| words.join(" "));
    script(command, text, (from..command.fields.len()).collect())
}

/// `busybox NAME …`: as the program of that name.
pub fn busybox(command: &Command<'_, '_>, meaning: &mut Meaning) {
    if command.from < command.fields.len() {
        meaning.starts = words_from(command.from);
    }
    if command.has(&["--install"]) {
        command.touch(meaning, &WRITTEN);
        meaning
            .doubts
            .push((kind::OPAQUE_PROGRAM, "it installs its programs".to_owned()));
    }
}

const WRITTEN: Operands = Operands {
    head: &[],
    rest: Some(super::table::Take::Write),
    tail: &[],
};
