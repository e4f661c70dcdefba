//! What the user's login shell exports, taken once by running it. The shell
//! is a stranger here: it may print, hang, and leave daemons behind.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use memchr::memmem;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;

use super::environment::Vars;
use super::spawn::{self, Invocation, Setting, SpawnError};
use super::{run, tree};

/// How long a login shell may take.
pub const LOGIN_LIMIT: Duration = Duration::from_secs(5);

/// The most that a login shell may print, noise included.
const PRINTED_BYTES: usize = 8 << 20;

/// Names that a shell keeps for itself: they tell of that shell, not of what
/// its user wants.
const INTERNAL: &[&str] = &["PWD", "OLDPWD", "SHLVL", "_", tree::MARK];

/// Shells that know `-l`, `-c` and `command`.
const KNOWN: &[&str] = &[
    "bash", "zsh", "fish", "sh", "dash", "ash", "ksh", "ksh93", "mksh",
];

/// Why there is no login environment. A call runs without it.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// A shell whose options are not known.
    #[error("the login shell {} is not one that bashgate can ask (bash, zsh, fish, sh); set shell.login = false, or environment.set", .0.display())]
    Unknown(PathBuf),
    /// Too slow; it was killed with all it started.
    #[error("the login shell {} did not end within {} ms; look into its start-up files, or set shell.login = false", program.display(), limit.as_millis())]
    TimedOut {
        /// The shell.
        program: PathBuf,
        /// What it was given.
        limit: Duration,
    },
    /// It ended, or printed too much, before it told its environment.
    #[error("the login shell {} ended without telling its environment; look into its start-up files, or set shell.login = false", .0.display())]
    NoAnswer(PathBuf),
    /// The system gave no random bytes for its mark.
    #[error("the login shell was not started: {0}")]
    Random(#[source] std::io::Error),
    /// It could not be started.
    #[error("the login shell could not be asked: {0}")]
    Spawn(#[from] SpawnError),
}

/// Runs `program` once as a login shell in `home`, starting from `vars`, and
/// returns what it would export to a command. Its stdin is the null device,
/// its noise is dropped, and all it started is killed: after `limit`, when it
/// has answered, or when this future is dropped.
///
/// # Errors
///
/// When there is no answer; see [`LoginError`].
pub async fn login_environment(
    program: &Path,
    home: &Path,
    vars: &Vars,
    limit: Duration,
) -> Result<Vars, LoginError> {
    let name = program.file_name().and_then(OsStr::to_str);
    if !program.is_absolute() || !name.is_some_and(|name| KNOWN.contains(&name)) {
        return Err(LoginError::Unknown(program.to_owned()));
    }
    let asking = ask(program, home, vars);
    match tokio::time::timeout(limit, asking).await {
        Ok(answer) => answer,
        Err(_) => Err(LoginError::TimedOut {
            program: program.to_owned(),
            limit,
        }),
    }
}

async fn ask(program: &Path, home: &Path, vars: &Vars) -> Result<Vars, LoginError> {
    let id = || crate::unguessable::id().map_err(LoginError::Random);
    let (mark, begin, end) = (id()?, id()?, id()?);
    // Each shell knows these three; `command` passes over functions and
    // aliases. The environment is the one that a command gets, read from the
    // kernel, so no shell's way to print one matters.
    let script =
        format!("command echo {begin}; command cat /proc/self/environ; command echo {end}");
    let invocation = Invocation {
        program: program.to_owned(),
        arguments: vec!["-l".into(), "-c".into(), script.into()],
        script: None,
    };
    let mut environment = vars.clone();
    environment.insert("HOME".into(), home.into());
    environment.insert(tree::MARK.into(), mark.into());
    let (reader, stdout) = spawn::pipe()?;
    let setting = Setting {
        environment: environment.into_iter().collect(),
        workdir: directory(home).await?,
        stdout,
        stderr: Some(null().await?),
    };
    let child = run::start(invocation, setting).await?;
    let answer = listen(reader, begin.as_bytes(), end.as_bytes()).await;
    tree::end(&child.tree(), Duration::ZERO).await;
    child.reap();
    answer
        .map(|block| entries(&block))
        .ok_or_else(|| LoginError::NoAnswer(program.to_owned()))
}

/// The directory that a login starts in, or the root without one.
async fn directory(home: &Path) -> Result<OwnedFd, LoginError> {
    let home = home.to_owned();
    let opening = move || spawn::directory(&home).or_else(|_| spawn::directory(Path::new("/")));
    off_runtime(opening).await
}

async fn null() -> Result<OwnedFd, LoginError> {
    off_runtime(|| {
        Ok(std::fs::File::options()
            .write(true)
            .open("/dev/null")?
            .into())
    })
    .await
}

async fn off_runtime(
    work: impl FnOnce() -> std::io::Result<OwnedFd> + Send + 'static,
) -> Result<OwnedFd, LoginError> {
    let done = tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(error.into()));
    done.map_err(|error| SpawnError::Pipe(error).into())
}

/// What stands between the two markers; `None` when the output ends, or grows
/// too long, without.
async fn listen(mut pipe: Receiver, begin: &[u8], end: &[u8]) -> Option<Vec<u8>> {
    let mut printed = Vec::new();
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let length = pipe.read(&mut chunk).await.unwrap_or(0);
        // The end marker may have come in two pieces.
        let seen = printed.len().saturating_sub(end.len());
        printed.extend_from_slice(chunk.get(..length).unwrap_or_default());
        if memmem::find(printed.get(seen..).unwrap_or_default(), end).is_some() {
            return between(&printed, begin, end).map(<[u8]>::to_vec);
        }
        if length == 0 || printed.len() > PRINTED_BYTES {
            return None;
        }
    }
}

fn between<'a>(printed: &'a [u8], begin: &[u8], end: &[u8]) -> Option<&'a [u8]> {
    let start = memmem::find(printed, begin)? + begin.len();
    let rest = printed.get(start..)?;
    let rest = rest.strip_prefix(b"\n").unwrap_or(rest);
    rest.get(..memmem::find(rest, end)?)
}

/// The variables of a block of NUL-separated entries, internal ones dropped.
fn entries(block: &[u8]) -> Vars {
    let entry = |entry: &[u8]| {
        let at = memchr::memchr(b'=', entry).filter(|at| *at > 0)?;
        let part = |range: &[u8]| OsString::from_vec(range.to_vec());
        Some((part(entry.get(..at)?), part(entry.get(at + 1..)?)))
    };
    let internal = |name: &OsStr| {
        INTERNAL
            .iter()
            .any(|known| name.as_bytes() == known.as_bytes())
    };
    block
        .split(|byte| *byte == 0)
        .filter_map(entry)
        .filter(|(name, _)| !internal(name))
        .collect()
}

#[cfg(test)]
mod tests;
