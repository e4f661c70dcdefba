//! Which bash runs a script, and how the script gets to it unchanged. It does
//! not look into the script.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, MemfdFlags, SealFlags};

use super::spawn::{Invocation, SpawnError};

/// The most bytes that Linux takes in one argument, its NUL included
/// (`MAX_ARG_STRLEN`, at the usual page size).
const ARGUMENT_BYTES: usize = 128 * 1024;

/// Reads the script at descriptor 3 and runs it.
///
/// `$(<…)` cuts line ends off, hence the full stop behind the script, which
/// `%.` takes away again. The text travels in `$_`, the last word of the
/// command before, so no variable is set; there is no further argument and no
/// other program, so `$0`, `$#`, `$-`, stdin and line numbers are those of
/// `bash -c`. Descriptor 3 is closed before the script's first command.
const FROM_DESCRIPTOR: &str = r#": "$(</dev/fd/3)"; eval "${_%.}" 3<&-"#;

/// A bash that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shell {
    program: PathBuf,
}

/// Why a program is not the shell to run scripts with.
#[derive(Debug, thiserror::Error)]
pub enum ShellError {
    /// Found by whoever's PATH or directory, it could be any program.
    #[error("shell.program must be an absolute path, not `{}`; for example /bin/bash", .0.display())]
    Relative(PathBuf),
    /// Scripts are analyzed as bash, so only bash may run them.
    #[error(
        "shell.program is `{}`, and scripts are analyzed as bash: another shell could run something else; \
         set it to the path of a bash, for example /bin/bash", .0.display()
    )]
    NotBash(PathBuf),
    /// A link named `bash` that leads to another program.
    #[error(
        "shell.program `{}` leads to `{}`, which is no bash; set it to the path of a bash, for example /bin/bash",
        program.display(), target.display()
    )]
    LeadsElsewhere {
        /// As it was set.
        program: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// Missing, or out of reach.
    #[error("shell.program `{}` cannot be used: {source}; install bash or set shell.program", program.display())]
    Unusable {
        /// As it was set.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There, but not to be run.
    #[error("shell.program `{}` is not an executable file; set it to the path of a bash", .0.display())]
    NotExecutable(PathBuf),
}

impl Shell {
    /// The bash at `program`: an absolute path whose last part is `bash`, to
    /// an executable file that is one, links followed. Touches the file
    /// system, shortly.
    pub fn new(program: &Path) -> Result<Self, ShellError> {
        if !program.is_absolute() {
            return Err(ShellError::Relative(program.to_owned()));
        }
        if program.file_name().is_none_or(|name| name != "bash") {
            return Err(ShellError::NotBash(program.to_owned()));
        }
        let unusable = |source| ShellError::Unusable {
            program: program.to_owned(),
            source,
        };
        let target = program.canonicalize().map_err(unusable)?;
        if !is_called_bash(&target) {
            return Err(ShellError::LeadsElsewhere {
                program: program.to_owned(),
                target,
            });
        }
        let is_file = target.metadata().map_err(unusable)?.is_file();
        if !is_file || rustix::fs::access(&target, Access::EXEC_OK).is_err() {
            return Err(ShellError::NotExecutable(program.to_owned()));
        }
        Ok(Shell {
            program: program.to_owned(),
        })
    }

    /// Its path, as it was set.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// What runs `script`, byte for byte, as `bash -c -- script` would. One
    /// that is too long for an argument is put into a sealed memory file.
    pub fn script(&self, script: &str) -> Result<Invocation, SpawnError> {
        if script.contains('\0') {
            return Err(SpawnError::Nul {
                what: "the script".to_owned(),
            });
        }
        let (argument, file) = if script.len() < ARGUMENT_BYTES {
            (OsString::from(script), None)
        } else {
            let file = sealed(script).map_err(SpawnError::Script)?;
            (OsString::from(FROM_DESCRIPTOR), Some(file))
        };
        Ok(Invocation {
            program: self.program.clone(),
            arguments: vec!["-c".into(), "--".into(), argument],
            script: file,
        })
    }
}

/// Some systems link `bash` to `bash-5.2`; some to a box of small programs.
fn is_called_bash(target: &Path) -> bool {
    target
        .file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| name.starts_with("bash"))
}

/// A memory file that nobody can change any more, not even this process.
fn sealed(script: &str) -> io::Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let mut file = File::from(rustix::fs::memfd_create("script", flags)?);
    file.write_all(script.as_bytes())?;
    file.write_all(b".")?;
    file.rewind()?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    rustix::fs::fcntl_add_seals(&file, seals)?;
    Ok(file.into())
}

#[cfg(test)]
mod tests;
