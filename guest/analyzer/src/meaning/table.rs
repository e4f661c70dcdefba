//! The table of programs, as `build.rs` makes it of `data/*.toml`:
//! which options take an argument and of what kind, which operands are paths.
//! It knows no command's words.

/// What an argument or operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// No path.
    Text,
    /// A path that is read.
    Read,
    /// A path that is written or made.
    Write,
    /// A directory that files are made in, or a file that is made.
    Into,
    /// A path that is deleted or renamed.
    Delete,
    /// A directory in which files are deleted, or a file that is.
    Clear,
    /// A directory that the program goes to or works in.
    Enter,
    /// The same, and other paths count from it.
    Base,
    /// A program, or text that runs one.
    Run,
    /// A path, used nobody knows how.
    Other,
    /// A place on the network.
    Connect,
    /// `HOST-PATH:…`: a path handed to a container.
    Volume,
    /// `@PATH` or `…=@PATH` is read, all else is text.
    At,
    /// Paths joined by colons, read.
    Paths,
    /// `NAME=PATH`, or `PATH`, that is read.
    Named,
    /// Code for an interpreter.
    Code,
    /// Text, or a path that looks like one.
    Guess,
    /// A name, a place on the network, or a path that looks like one.
    Repository,
    /// `HOST:PATH` is on the network; all else is a path that is read.
    RemoteRead,
    /// `HOST:PATH` is on the network; all else is a path that is written.
    RemoteWrite,
}

/// How an option takes its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// It takes none; what it does, it does by being there.
    Flag,
    /// In the same word, or none.
    Attached,
    /// In the same word, or the next one.
    One,
    /// The next two words; the second is what counts.
    Two,
}

/// An option of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opt {
    /// With its dashes.
    pub name: &'static str,
    /// What its argument is.
    pub take: Take,
    /// How it takes it.
    pub arity: Arity,
}

/// What the operands of a program are, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operands {
    /// The first ones.
    pub head: &'static [Take],
    /// Those between.
    pub rest: Option<Take>,
    /// The last ones, when there are more than the first.
    pub tail: &'static [Take],
}

/// Options that change what the operands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct When {
    /// Any of these.
    pub options: &'static [&'static str],
    /// What the operands are then.
    pub operands: Operands,
}

/// What is special about a program, in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// Nothing.
    None,
    /// `setarch`: the architecture comes before its options.
    Architecture,
    /// `bashgate`.
    Bashgate,
    /// `busybox NAME …`.
    Busybox,
    /// `cp`, `mv`, `install`: `-t`.
    Copy,
    /// `dd`: `if=`, `of=`.
    Dd,
    /// `env`.
    Env,
    /// `find`.
    Find,
    /// `flock`.
    Flock,
    /// `git`.
    Git,
    /// `jq`: its program may read modules.
    Jq,
    /// `ln`.
    Link,
    /// `npm`, `pnpm`, `yarn`, `bun`: scripts of `package.json`.
    Package,
    /// `script`.
    Typescript,
    /// `sed`.
    Sed,
    /// A shell.
    Shell,
    /// `sudo`, `doas`.
    Sudo,
    /// `tar`.
    Tar,
    /// `taskset`, `chrt`, `ionice`: a process or a command.
    Scheduler,
    /// `test`.
    Test,
    /// `unzip`.
    Unzip,
    /// `watch`.
    Watch,
    /// `xargs`.
    Xargs,
}

/// What is known of a program, or of one of its subcommands.
#[derive(Debug, PartialEq, Eq)]
pub struct Spec {
    /// Its options that matter, by name.
    pub options: &'static [Opt],
    /// Its operands.
    pub operands: Operands,
    /// The same with certain options; the first that fits counts.
    pub when: &'static [When],
    /// Words that say what it is, itself included.
    pub depth: u8,
    /// Subcommands that have one more such word.
    pub deeper: &'static [&'static str],
    /// Options end at the first operand.
    pub stops: bool,
    /// Long options have one dash.
    pub single: bool,
    /// Options of the program do not count behind a subcommand.
    pub strict: bool,
    /// It runs the command behind so many operands.
    pub wraps: Option<u8>,
    /// It talks to the network, or to a service.
    pub connect: bool,
    /// It passes data through.
    pub filter: bool,
    /// It runs code that nobody here reads.
    pub interpreter: bool,
    /// Why more runs than anybody sees.
    pub opaque: Option<&'static str>,
    /// Options that end an allow, and `*` for all that it does.
    pub ends: &'static [&'static str],
    /// What is special.
    pub hook: Hook,
}

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// What is known by that key: a program's name, or with its subcommands,
/// joined by blanks.
pub fn find(key: &str) -> Option<&'static Spec> {
    let at = PROGRAMS
        .binary_search_by(|(name, _)| (*name).cmp(key))
        .ok()?;
    PROGRAMS.get(at).map(|(_, spec)| *spec)
}

impl Spec {
    /// The option of exactly that name.
    pub fn option(&self, name: &str) -> Option<&'static Opt> {
        let at = self
            .options
            .binary_search_by(|option| option.name.cmp(name))
            .ok()?;
        self.options.get(at)
    }

    /// Long options that begin with a text.
    pub fn longer<'n>(&self, name: &'n str) -> impl Iterator<Item = &'static Opt> + use<'n> {
        let from = self.options.partition_point(|option| option.name < name);
        let rest = self.options.get(from..).unwrap_or_default();
        rest.iter()
            .take_while(move |option| option.name.starts_with(name))
    }
}

#[cfg(test)]
mod tests {
    use super::{PROGRAMS, find};

    #[test]
    fn knows_two_hundred_programs_and_finds_each() {
        let programs = PROGRAMS
            .iter()
            .filter(|(key, _)| !key.contains(' '))
            .count();
        assert!(programs >= 200, "{programs}");
        assert!(PROGRAMS.iter().all(|(key, spec)| find(key) == Some(*spec)));
    }
}
