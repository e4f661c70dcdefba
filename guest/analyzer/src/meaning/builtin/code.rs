//! Builtins that run a command, a text or a file.

use crate::arithmetic::could_run;
use crate::expand::Field;
use crate::meaning::program::words_from;
use crate::meaning::{Meaning, ShellChange, Starts};
use crate::output::kind;

use super::letters;

/// `command`: past functions; `-v` and `-V` only tell.
pub fn command(fields: &[Field], meaning: &mut Meaning) {
    let read = letters::read(fields, "");
    if read.has('v') || read.has('V') || read.next >= fields.len() {
        return;
    }
    let why = read
        .has('p')
        .then(|| "`command -p` searches other directories for the program".to_owned());
    meaning.ends_allow.clone_from(&why);
    meaning.starts = words(read.next, why);
}

/// `builtin NAME …`.
pub fn builtin(fields: &[Field], meaning: &mut Meaning) {
    let from = letters::read(fields, "").next;
    if from < fields.len() {
        meaning.starts = words_from(from);
    }
}

/// `exec`: in place of the shell; without a command only its redirects count.
pub fn exec(fields: &[Field], meaning: &mut Meaning) {
    let read = letters::read(fields, "a");
    if read.next >= fields.len() {
        return;
    }
    let why = (read.has('a') || read.has('l') || read.has('c'))
        .then(|| "`exec` with options changes its name or its environment".to_owned());
    meaning.ends_allow.clone_from(&why);
    meaning.shell = Some(ShellChange::Exit);
    meaning.starts = words(read.next, why);
}

fn words(from: usize, why: Option<String>) -> Starts {
    Starts::Words {
        from,
        assignments: Vec::new(),
        workdir: None,
        opaque: false,
        ends_allow: why,
        appends_unknown: false,
    }
}

/// `eval`: its words, joined by blanks.
pub fn eval(fields: &[Field], meaning: &mut Meaning) {
    let from = if fields
        .get(1)
        .is_some_and(|field| field.value.as_deref() == Some("--"))
    {
        2
    } else {
        1
    };
    let words = fields.get(from..).unwrap_or_default();
    if words.is_empty() {
        return;
    }
    let texts: Option<Vec<&str>> = words.iter().map(|field| field.value.as_deref()).collect();
    meaning.starts = match texts {
        Some(texts) => script(texts.join(" "), (from..fields.len()).collect()),
        None => Starts::Unreadable {
            note: "only running tells the text that it evaluates".to_owned(),
        },
    };
}

fn script(text: String, fields: Vec<usize>) -> Starts {
    Starts::Script {
        text,
        fields,
        arguments: Vec::new(),
        own_shell: false,
        ends_allow: None,
        workdir: None,
    }
}

/// `source FILE`, `. FILE`.
pub fn source(fields: &[Field], meaning: &mut Meaning) {
    let read = letters::read(fields, "p");
    let Some(field) = fields.get(read.next) else {
        return;
    };
    meaning.starts = match field.value.as_deref() {
        Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") => Starts::StandardInput,
        Some(path) if field.pattern.is_none() && !read.has('p') => Starts::File {
            field: read.next,
            path: path.to_owned(),
            arguments: (read.next + 1..fields.len()).collect(),
            own_shell: false,
        },
        _ => Starts::Unreadable {
            note: "only running tells the file that it evaluates".to_owned(),
        },
    };
}

/// `trap ACTION SIGNAL…`; one word alone is a signal, and `-` resets.
pub fn trap(fields: &[Field], meaning: &mut Meaning) {
    let read = letters::read(fields, "");
    let listed = ['l', 'p', 'P'].iter().any(|letter| read.has(*letter));
    let operands = read.operands(fields);
    let (Some(action), true, false) = (operands.first(), operands.len() > 1, listed) else {
        if read.unknown {
            meaning.starts = Starts::Unreadable {
                note: "only running tells the action".to_owned(),
            };
        }
        return;
    };
    meaning.starts = match fields.get(*action).and_then(|field| field.value.as_deref()) {
        Some("-" | "") => Starts::Nothing,
        // All of them are signals.
        Some(text) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            Starts::Nothing
        }
        Some(text) => script(text.to_owned(), vec![*action]),
        None => Starts::Unreadable {
            note: "only running tells the action".to_owned(),
        },
    };
}

/// `compgen`, `complete`: words that are expanded, commands that make them.
pub fn completion(fields: &[Field], meaning: &mut Meaning) {
    let read = letters::read(fields, "oAGWFCXPS");
    let words = read
        .argument('W')
        .is_some_and(|(_, given)| given.text().is_none_or(could_run));
    if words || read.has('C') || read.has('F') || read.unknown {
        meaning.doubts.push((
            kind::EVALUATED_TEXT,
            "it evaluates text to make completions".to_owned(),
        ));
    }
}

/// `fc`: runs commands of the history again, unless it only lists them.
pub fn history_command(fields: &[Field], meaning: &mut Meaning) {
    if !letters::read(fields, "e").has('l') {
        meaning.doubts.push((
            kind::EVALUATED_TEXT,
            "it runs commands of the history again".to_owned(),
        ));
    }
}
