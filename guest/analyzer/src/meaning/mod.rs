//! What the words of one simple command mean: which paths it touches, what
//! else it starts, whether it changes the shell. It knows programs, from a
//! table that is compiled in, and asks a few facts. It knows no plan, no
//! directory to count from, and parses no bash.

use bashgate_guest::policy::{Access, Origin};

use crate::expand::Field;

mod archive;
mod builtin;
mod environment;
mod file;
mod find;
mod git;
mod hooks;
mod package;
pub mod path;
pub mod printed;
mod program;
mod reader;
mod sed;
mod shell;
mod table;
mod touching;
mod unknown;
pub mod variable;
mod wrapper;

#[cfg(test)]
mod tests;

/// What meaning may ask about the script and the workspace.
pub trait Facts {
    /// A function of this script by that name.
    fn is_function(&self, name: &str) -> bool;
    /// Text of a file under the root; the path counts from the unit's
    /// directory.
    fn read(&self, path: &str) -> Option<String>;
    /// Whether something lies at the path.
    fn exists(&self, path: &str) -> bool;
    /// Where a directory lies: absolute, without links; none where its text
    /// cannot say that.
    fn real(&self, directory: &str) -> Option<String>;
}

/// What one simple command means.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meaning {
    /// The program is in the table, or a builtin.
    pub known: bool,
    /// It is a builtin of bash.
    pub builtin: bool,
    /// Indices of the fields that say what this is: program and subcommands.
    pub identity: Vec<usize>,
    /// Why no rule or grant may allow it.
    pub ends_allow: Option<String>,
    /// It is given code that nobody here can read.
    pub interpreter: bool,
    /// It passes data through: as a last stage it hides exit codes.
    pub filter: bool,
    /// A key of the repository's git configuration that would start a program
    /// and that the host cannot disarm.
    pub git_runs: Option<String>,
    /// What it touches.
    pub touches: Vec<Touch>,
    /// What it starts.
    pub starts: Starts,
    /// Doubts, by a kind of [`crate::output::kind`], each with a note.
    pub doubts: Vec<(&'static str, String)>,
    /// How it changes the shell itself.
    pub shell: Option<ShellChange>,
}

/// A path, or something that is no path, that a command touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The field whose text shows it.
    pub field: usize,
    /// Where; `None` when no path can be told, or it is none.
    pub path: Option<PathText>,
    /// How.
    pub access: Access,
    /// From what kind of word that is known.
    pub origin: Origin,
    /// Directory that a relative path counts from, where that is not the
    /// unit's. May itself be relative to the unit's.
    pub base: Option<String>,
}

/// What is known of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathText {
    /// Its text.
    Known(String),
    /// A glob.
    Pattern(String),
    /// One of these texts.
    OneOf(Vec<String>),
    /// Something directly in the directory of this prefix: the rest are
    /// digits, so it cannot lead elsewhere.
    Within(String),
}

/// What a command starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Starts {
    /// No other command.
    #[default]
    Nothing,
    /// A wrapper: it runs the words from one on.
    Words {
        /// First field of the command that it runs.
        from: usize,
        /// Variables that it sets for it; `None` where the value is unknown
        /// or the variable is removed.
        assignments: Vec<(String, Option<String>)>,
        /// Its directory, when it is another; the inner `None`: unknown.
        workdir: Option<Option<String>>,
        /// More may run than these words say.
        opaque: bool,
        /// Why no rule may allow what it wraps.
        ends_allow: Option<String>,
        /// It adds words that only running can tell (`xargs`).
        appends_unknown: bool,
    },
    /// Several commands, each a range of fields (`find -exec … ;`).
    Commands {
        /// First field of each, and the one after its last.
        ranges: Vec<(usize, usize)>,
        /// Some of their words stand for what only running can tell.
        appends_unknown: bool,
    },
    /// Literal text that a shell evaluates.
    Script {
        /// The text.
        text: String,
        /// Fields that hold it.
        fields: Vec<usize>,
        /// `$0`, `$1`, …, where they are fields.
        arguments: Vec<usize>,
        /// A shell of its own runs it: this one does not change.
        own_shell: bool,
        /// Why no rule may allow what it runs.
        ends_allow: Option<String>,
        /// Its directory, when it is another.
        workdir: Option<String>,
    },
    /// A file that is run or sourced as a shell script.
    File {
        /// The field that names it.
        field: usize,
        /// Its path.
        path: String,
        /// `$1`, … as fields.
        arguments: Vec<usize>,
        /// A shell of its own runs it.
        own_shell: bool,
    },
    /// Standard input is the script.
    StandardInput,
    /// Text or a file that only running can tell is evaluated.
    Unreadable {
        /// What, in words.
        note: String,
    },
}

/// How a builtin changes the shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShellChange {
    /// `cd`.
    Cd {
        /// The field that names the directory; none: home.
        target: Option<usize>,
        /// `-P`: links are resolved before `..` is.
        physical: bool,
        /// `cd -`.
        previous: bool,
    },
    /// `pushd`.
    Pushd {
        /// The directory; none: the two topmost are exchanged.
        target: Option<usize>,
        /// `+N`, `-N`, `-n`: the stack is turned, not followed here.
        rotate: bool,
    },
    /// `popd`.
    Popd,
    /// Variables get values, or lose them.
    Assign {
        /// Each name (none: only running can tell), the field `NAME=value` or
        /// that holds the value, and how.
        names: Vec<(Option<String>, Option<usize>, AssignKind)>,
    },
    /// `alias`: the fields after the options.
    Alias(Vec<usize>),
    /// `unalias`.
    Unalias,
    /// `hash -p FILE NAME`: the name, when it is one.
    Hash(Option<usize>),
    /// `enable`.
    Enable,
    /// `shopt`: the fields after the program.
    Shopt(Vec<usize>),
    /// `set`: the fields after the program.
    Set(Vec<usize>),
    /// `shift`: `$1`, `$2`, … become others.
    Shift,
    /// `exit`, `return`, `break`, `continue`, `exec` with a command: what
    /// follows may not run.
    Exit,
}

/// How a variable gets its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignKind {
    /// The text after `=`.
    Known,
    /// It is evaluated as an expression.
    Integer,
    /// An associative array.
    Map,
    /// What is read or computed: unknown.
    FromInput,
    /// It is gone.
    Unset,
    /// Only exported; its value stays.
    Exported,
}

/// Where systems keep their programs; one that is named by a path elsewhere
/// is none that is known here.
const SYSTEM: &[&str] = &[
    "/bin/",
    "/sbin/",
    "/usr/bin/",
    "/usr/sbin/",
    "/usr/local/bin/",
    "/usr/local/sbin/",
    "/opt/homebrew/bin/",
    "/run/current-system/sw/bin/",
];

/// What the words of a command mean; the program comes first.
pub fn meaning(fields: &[Field], known: &dyn Facts) -> Meaning {
    let Some(written) = fields.first().and_then(|field| field.value.as_deref()) else {
        return unknown::unknown(fields, known);
    };
    let name = match written.rfind('/') {
        None => {
            if let Some(meaning) = builtin::builtin(fields, written, known) {
                return meaning;
            }
            written
        }
        Some(slash) => {
            let (directory, name) = written.split_at_checked(slash + 1).unwrap_or((written, ""));
            if !SYSTEM.contains(&directory) {
                return unknown::unknown(fields, known);
            }
            name
        }
    };
    let found = table::find(name).map(|spec| (name, spec)).or_else(|| {
        let plain = without_version(name)?;
        Some((plain, table::find(plain)?))
    });
    match found {
        Some((name, spec)) => program::program(fields, name, spec, known),
        None => unknown::unknown(fields, known),
    }
}

/// `python3` of `python3.12`, `gcc` of `gcc-13`.
fn without_version(name: &str) -> Option<&str> {
    let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    match plain.strip_suffix('-') {
        Some(plain) => Some(plain),
        None => {
            let dot = name.get(plain.len()..)?.find('.')?;
            name.get(..plain.len() + dot)
        }
    }
}

/// Whether a file with this first line is a script for a shell.
pub fn shell_script(first_line: &str) -> bool {
    let Some(rest) = first_line.strip_prefix("#!") else {
        return false;
    };
    let mut words = rest
        .split_ascii_whitespace()
        .filter(|word| !word.starts_with('-') && !word.contains('='));
    let name = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    match words.next().map(name).as_deref() {
        Some("env") => words.next().map(name).is_some_and(|word| is_shell(&word)),
        Some(word) => is_shell(word),
        None => false,
    }
}

/// Whether a program of this name is a shell whose scripts bash can be taken
/// for.
pub fn is_shell(name: &str) -> bool {
    matches!(
        name,
        "sh" | "bash" | "dash" | "ash" | "ksh" | "mksh" | "zsh" | "rbash"
    )
}
