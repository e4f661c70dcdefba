//! What is special about certain programs, beyond what the table can say.

use bashgate_guest::policy::{Access, Origin};

use super::Meaning;
use crate::output::kind;

use super::path::Base;
use super::program::{Command, words_from, wrapped};
use super::table::{self, Hook};
use super::{archive, environment, file, find, git, package, sed, shell, wrapper};

/// Adds what the command touches and starts.
pub fn apply(command: &Command<'_, '_>, meaning: &mut Meaning) {
    match table::find(command.name).map_or(Hook::None, |spec| spec.hook) {
        Hook::None => plain(command, meaning),
        Hook::Architecture => wrapper::architecture(command, meaning),
        Hook::Bashgate => {
            meaning.ends_allow =
                Some("`bashgate` inside a script could lift the gate itself".to_owned());
            plain(command, meaning);
        }
        Hook::Busybox => wrapper::busybox(command, meaning),
        Hook::Copy => file::copy(command, meaning),
        Hook::Dd => file::dd(command, meaning),
        Hook::Env => environment::env(command, meaning),
        Hook::Find => find::find(command, meaning),
        Hook::Flock => wrapper::flock(command, meaning),
        Hook::Git => git::git(command, meaning),
        Hook::Jq => jq(command, meaning),
        Hook::Link => file::link(command, meaning),
        Hook::Package => package::package(command, meaning),
        Hook::Typescript => wrapper::typescript(command, meaning),
        Hook::Sed => sed::sed(command, meaning),
        Hook::Shell => shell::shell(command, meaning),
        Hook::Sudo => wrapper::sudo(command, meaning),
        Hook::Tar => archive::tar(command, meaning),
        Hook::Scheduler => wrapper::scheduler(command, meaning),
        Hook::Test => file::test(command, meaning),
        Hook::Unzip => archive::unzip(command, meaning),
        Hook::Watch => wrapper::watch(command, meaning),
        Hook::Xargs => wrapper::xargs(command, meaning),
    }
}

/// What the table alone says.
pub fn plain(command: &Command<'_, '_>, meaning: &mut Meaning) {
    let inner = command.inner();
    if let Some(operands) = inner.wraps {
        if let Some(from) = wrapped(command, meaning, operands) {
            meaning.starts = words_from(from);
        } else if !inner.ends.is_empty() {
            let note = "without a command it starts a shell".to_owned();
            meaning.doubts.push((kind::OPAQUE_PROGRAM, note));
        }
        return;
    }
    command.touch(meaning, &command.grammar());
    connect(command, meaning);
}

/// `jq`: `import` and `include` in its program read files from anywhere.
fn jq(command: &Command<'_, '_>, meaning: &mut Meaning) {
    plain(command, meaning);
    let reads = |text: &str| ["import", "include"].iter().any(|word| text.contains(word));
    let program = command
        .operands()
        .into_iter()
        .find(|field| command.text(*field).is_some_and(reads));
    if let Some(field) = program {
        let mut toucher = command.toucher(meaning, Base::Unit);
        toucher.push(field, None, Access::Read, Origin::Operand);
    }
}

/// The network, once, shown by the first operand.
pub fn connect(command: &Command<'_, '_>, meaning: &mut Meaning) {
    let connects = command.specs.iter().any(|spec| spec.connect);
    let told = meaning
        .touches
        .iter()
        .any(|touch| touch.access == Access::Connect);
    if !connects || told {
        return;
    }
    let field = command.operands().first().copied().unwrap_or(0);
    let mut toucher = command.toucher(meaning, Base::Unit);
    toucher.push(field, None, Access::Connect, Origin::Program);
}
