//! One command from start to end: started, listened to, ended with all it
//! started. It knows neither why it may run nor what its output is for.
//!
//! The command ends when its shell ends, never at the end of its output: a
//! process left in the background may hold the pipe for ever.

use std::ffi::OsString;
use std::future::Future;
use std::os::fd::OwnedFd;
use std::pin::pin;
use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio_util::sync::CancellationToken;

use super::spawn::{self, Child, Ending, Invocation, Setting, SpawnError};
use super::{signal, tree};
use crate::output::{Captured, Sink, SinkOptions};

/// How long output that is still in the pipe is waited for after the shell
/// has ended. At the end of the output the wait is over.
pub const DRAIN: Duration = Duration::from_millis(250);

/// The most that is read from a pipe at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// A command, ready to run.
#[derive(Debug)]
pub struct Request {
    /// The program and its arguments.
    pub invocation: Invocation,
    /// The whole environment of the command. With [`tree::MARK`] in it
    /// processes are found that leave session and parent.
    pub environment: Vec<(OsString, OsString)>,
    /// The directory it starts in: the one that was analyzed, whatever its
    /// path leads to by now. An `O_PATH` descriptor will do.
    pub workdir: OwnedFd,
    /// When it is ended, from its start. `None`: never.
    pub timeout: Option<Duration>,
    /// How long processes may take to end after SIGTERM, before SIGKILL.
    pub grace: Duration,
    /// Ends it when cancelled.
    pub cancel: CancellationToken,
    /// Where its output goes.
    pub streams: Streams,
}

/// Where the output goes.
#[derive(Debug)]
pub enum Streams {
    /// One pipe for both, so that their order is the true one.
    Merged(SinkOptions),
    /// A pipe for each.
    Separate {
        /// For standard output.
        stdout: SinkOptions,
        /// For standard error.
        stderr: SinkOptions,
    },
}

/// How a command ended. Each field is a fact of its own: a command that timed
/// out may have exited with 0.
#[derive(Debug)]
pub struct Finished {
    /// Its exit code; `None` when a signal ended it, or when it hangs in the
    /// kernel and will not end.
    pub exit_code: Option<i32>,
    /// The signal that ended it, by name.
    pub signal: Option<String>,
    /// It ran longer than it may, and was ended.
    pub timed_out: bool,
    /// It was ended because its token was cancelled.
    pub cancelled: bool,
    /// From its start until its shell ended.
    pub duration: Duration,
    /// The processes it left behind, which were ended with it.
    pub left_running: Option<String>,
    /// What it printed.
    pub output: Output,
}

/// What was printed, in the form of the [`Streams`] of its request.
#[derive(Debug)]
pub enum Output {
    /// Both streams in one.
    Merged(Captured),
    /// Each for itself.
    Separate {
        /// Standard output.
        stdout: Captured,
        /// Standard error.
        stderr: Captured,
    },
}

/// Why the waiting was over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Ended,
    TimedOut,
    Cancelled,
}

/// Runs a command to its end, and ends what it left behind. Dropping the
/// future kills the whole tree. With a token that is already cancelled nothing
/// is started.
///
/// # Errors
///
/// When it could not be started; then nothing of it runs.
pub async fn run(request: Request) -> Result<Finished, SpawnError> {
    let Request {
        invocation,
        environment,
        workdir,
        timeout,
        grace,
        cancel,
        streams,
    } = request;
    let (mut pump, stdout, stderr) = Pump::new(streams)?;
    if cancel.is_cancelled() {
        return Ok(Finished::never_started(pump.finish().await));
    }
    let setting = Setting {
        environment,
        workdir,
        stdout,
        stderr,
    };
    let child = start(invocation, setting).await?;
    let started = Instant::now();
    let processes = child.tree();
    let cause = pump.alongside(wait(&child, timeout, &cancel)).await?;
    let mut duration = started.elapsed();
    let mut left_running = None;
    if cause == Cause::Ended {
        pump.rest().await;
        let left = pump.alongside(tree::survivors(&processes)).await;
        if !left.is_empty() {
            let text = tree::describe(left).await;
            let stuck = pump.alongside(tree::end(&processes, grace)).await;
            left_running = Some(with_stuck(text, stuck).await);
            pump.rest().await;
        }
    } else {
        let stuck = pump.alongside(tree::end(&processes, grace)).await;
        duration = started.elapsed();
        if !stuck.is_empty() {
            left_running = Some(with_stuck(String::new(), stuck).await);
        }
        pump.rest().await;
    }
    let ending = child.ending();
    child.reap();
    let (exit_code, signal) = match ending {
        Some(Ending::Exited(code)) => (Some(code), None),
        Some(Ending::Killed(number)) => (None, Some(signal::name(number))),
        None => (None, None),
    };
    Ok(Finished {
        exit_code,
        signal,
        timed_out: cause == Cause::TimedOut,
        cancelled: cause == Cause::Cancelled,
        duration,
        left_running,
        output: pump.finish().await,
    })
}

/// Loading a program may wait for a disk, and a runtime thread must not.
pub(super) async fn start(invocation: Invocation, setting: Setting) -> Result<Child, SpawnError> {
    let program = invocation.program.clone();
    let starting = tokio::task::spawn_blocking(move || Child::start(&invocation, setting));
    starting.await.unwrap_or_else(|error| {
        Err(SpawnError::Start {
            program,
            source: std::io::Error::other(error),
        })
    })
}

async fn wait(
    child: &Child,
    timeout: Option<Duration>,
    cancel: &CancellationToken,
) -> Result<Cause, SpawnError> {
    let limit = async {
        match timeout {
            Some(timeout) => tokio::time::sleep(timeout).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        ended = child.ended() => ended.map(|()| Cause::Ended).map_err(SpawnError::Watch),
        () = cancel.cancelled() => Ok(Cause::Cancelled),
        () = limit => Ok(Cause::TimedOut),
    }
}

/// Says of which processes even SIGKILL did not rid us.
async fn with_stuck(text: String, stuck: Vec<tree::Member>) -> String {
    if stuck.is_empty() {
        return text;
    }
    let stuck = tree::describe(stuck).await;
    let separator = if text.is_empty() { "" } else { "; " };
    format!("{text}{separator}could not be ended, and may still run: {stuck}")
}

impl Finished {
    fn never_started(output: Output) -> Self {
        Finished {
            exit_code: None,
            signal: None,
            timed_out: false,
            cancelled: true,
            duration: Duration::ZERO,
            left_running: None,
            output,
        }
    }
}

/// What carries the output from the pipes into the sinks.
struct Pump {
    /// Standard output; both streams when there is no other.
    stdout: Channel,
    stderr: Option<Channel>,
}

impl Pump {
    /// The pump, and the ends of the pipes that the command writes to.
    fn new(streams: Streams) -> Result<(Self, OwnedFd, Option<OwnedFd>), SpawnError> {
        let (stdout, stderr) = match streams {
            Streams::Merged(both) => (both, None),
            Streams::Separate { stdout, stderr } => (stdout, Some(stderr)),
        };
        let (stdout, out) = Channel::new(stdout)?;
        let (stderr, err) = stderr.map(Channel::new).transpose()?.unzip();
        Ok((Pump { stdout, stderr }, out, err))
    }

    /// Does `work` while output is carried: a full pipe would stop a command
    /// that is to end by itself.
    async fn alongside<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        tokio::select! {
            biased;
            done = &mut work => done,
            () = self.until_end() => work.await,
        }
    }

    /// Carries until every writer is gone. May be dropped and called again.
    async fn until_end(&mut self) {
        match &mut self.stderr {
            None => self.stdout.until_end().await,
            Some(stderr) => {
                tokio::join!(self.stdout.until_end(), stderr.until_end());
            }
        }
    }

    /// Carries what is left once those who wrote it are gone. A writer that
    /// stayed, found or not, is not waited for longer.
    async fn rest(&mut self) {
        let _ = tokio::time::timeout(DRAIN, self.until_end()).await;
    }

    async fn finish(self) -> Output {
        let stdout = self.stdout.finish().await;
        match self.stderr {
            None => Output::Merged(stdout),
            Some(stderr) => Output::Separate {
                stdout,
                stderr: stderr.finish().await,
            },
        }
    }
}

struct Channel {
    /// `None` once every writer is gone.
    pipe: Option<Receiver>,
    sink: Sink,
    buffer: Vec<u8>,
}

impl Channel {
    fn new(options: SinkOptions) -> Result<(Self, OwnedFd), SpawnError> {
        let (pipe, writer) = spawn::pipe()?;
        let channel = Channel {
            pipe: Some(pipe),
            sink: Sink::new(options),
            buffer: vec![0; CHUNK_BYTES],
        };
        Ok((channel, writer))
    }

    async fn until_end(&mut self) {
        loop {
            // Before the read: what was pushed is never pushed twice, however
            // often this is dropped.
            self.sink.settle().await;
            let Some(pipe) = &mut self.pipe else { return };
            match pipe.read(&mut self.buffer).await {
                Ok(length) if length > 0 => {
                    self.sink
                        .push(self.buffer.get(..length).unwrap_or_default());
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => self.pipe = None,
            }
        }
    }

    async fn finish(self) -> Captured {
        // A writer that is still there gets SIGPIPE, not a reader for ever.
        drop(self.pipe);
        self.sink.finish().await
    }
}

#[cfg(test)]
pub(super) mod tests;
