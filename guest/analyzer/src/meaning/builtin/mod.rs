//! Builtins of bash: those that change the shell, evaluate text, or start
//! something. Whether a function took a builtin's name is not known here.

mod code;
mod directory;
mod letters;
mod variables;

use bashgate_guest::policy::{Access, Origin};

use crate::expand::Field;
use crate::output::kind;

use super::path::Base;
use super::reader::Given;
use super::table::{self, Hook};
use super::touching::Toucher;
use super::{Facts, Meaning, ShellChange, program};

/// All builtins, sorted.
const NAMES: &[&str] = &[
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// What a builtin means; none when it is no builtin.
pub fn builtin(fields: &[Field], name: &str, known: &dyn Facts) -> Option<Meaning> {
    NAMES.binary_search(&name).ok()?;
    let mut meaning = Meaning {
        known: true,
        builtin: true,
        identity: vec![0],
        ..Meaning::default()
    };
    let behind = || (1..fields.len()).collect::<Vec<_>>();
    match name {
        "cd" => meaning.shell = Some(directory::cd(fields)),
        "pushd" => meaning.shell = directory::pushd(fields),
        "popd" => meaning.shell = directory::popd(fields),
        "dirs" => meaning.shell = directory::dirs(fields),
        "declare" | "typeset" | "local" | "export" | "readonly" => {
            variables::declare(fields, name, &mut meaning)
        }
        "unset" => variables::unset(fields, &mut meaning),
        "read" => variables::read(fields, &mut meaning),
        "mapfile" | "readarray" => variables::mapfile(fields, &mut meaning),
        "printf" => variables::printf(fields, &mut meaning),
        "getopts" => variables::getopts(fields, &mut meaning),
        "wait" => variables::wait(fields, &mut meaning),
        "let" => variables::arithmetic(fields, &mut meaning),
        "alias" => {
            meaning.shell = Some(ShellChange::Alias(
                letters::read(fields, "").operands(fields),
            ))
        }
        "unalias" => meaning.shell = Some(ShellChange::Unalias),
        "hash" => hash(fields, &mut meaning),
        "enable" => enable(fields, known, &mut meaning),
        "shopt" => meaning.shell = Some(ShellChange::Shopt(behind())),
        "set" => meaning.shell = Some(ShellChange::Set(behind())),
        "shift" => meaning.shell = Some(ShellChange::Shift),
        "exit" | "return" | "break" | "continue" | "logout" => {
            meaning.shell = Some(ShellChange::Exit)
        }
        "command" => code::command(fields, &mut meaning),
        "builtin" => code::builtin(fields, &mut meaning),
        "exec" => code::exec(fields, &mut meaning),
        "eval" => code::eval(fields, &mut meaning),
        "source" | "." => code::source(fields, &mut meaning),
        "trap" => code::trap(fields, &mut meaning),
        "compgen" | "complete" => code::completion(fields, &mut meaning),
        "fc" => code::history_command(fields, &mut meaning),
        "bind" if fields.len() > 1 => {
            meaning
                .doubts
                .push((kind::OPAQUE_PROGRAM, "it binds keys to commands".to_owned()));
        }
        "history" => history(fields, known, &mut meaning),
        "test" | "[" => test(fields, name, known, &mut meaning),
        _ => {}
    }
    Some(meaning)
}

/// `hash -p FILE NAME`.
fn hash(fields: &[Field], meaning: &mut Meaning) {
    let read = letters::read(fields, "p");
    if read.has('p') || read.unknown {
        meaning.shell = Some(ShellChange::Hash(read.operands(fields).first().copied()));
    }
}

/// `enable`: which builtins there are.
fn enable(fields: &[Field], known: &dyn Facts, meaning: &mut Meaning) {
    let read = letters::read(fields, "f");
    if let Some((at, file)) = read.argument('f') {
        let mut toucher = Toucher {
            fields,
            known,
            base: Base::Unit,
            meaning,
        };
        toucher.path(at, file, Access::Execute, Origin::OptionArgument);
    }
    if fields.len() > 1 && !(read.operands(fields).is_empty() && (read.has('p') || read.has('a'))) {
        meaning.shell = Some(ShellChange::Enable);
    }
}

/// `history -w FILE` and its kin.
fn history(fields: &[Field], known: &dyn Facts, meaning: &mut Meaning) {
    let read = letters::read(fields, "d");
    let access = if read.has('w') || read.has('a') {
        Access::Write
    } else if read.has('r') || read.has('n') {
        Access::Read
    } else {
        return;
    };
    let mut toucher = Toucher {
        fields,
        known,
        base: Base::Unit,
        meaning,
    };
    match read
        .operands(fields)
        .first()
        .and_then(|at| Some((*at, fields.get(*at)?)))
    {
        Some((at, word)) => toucher.path(at, Given::Whole(word), access, Origin::Operand),
        None => toucher.push(0, None, access, Origin::Program),
    }
}

/// `test`: files, as the program does; and names whose subscripts are
/// evaluated.
fn test(fields: &[Field], name: &str, known: &dyn Facts, meaning: &mut Meaning) {
    if let Some(spec) = table::find(name).filter(|spec| spec.hook == Hook::Test) {
        let inner = program::program(fields, name, spec, known);
        meaning.touches = inner.touches;
    }
    for (at, field) in fields.iter().enumerate() {
        if matches!(field.value.as_deref(), Some("-v" | "-R"))
            && let Some(name) = fields.get(at + 1)
        {
            variables::check_subscript(name, meaning);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NAMES;

    #[test]
    fn names_are_sorted_for_binary_search() {
        assert!(NAMES.is_sorted());
    }
}
