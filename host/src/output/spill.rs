//! Writes the full output of one channel to a file, off the asynchronous
//! threads and up to a size.

use tokio::task::JoinHandle;

use super::artifact::{Artifact, ArtifactStore, NewArtifact};

/// Where the full output goes when the text is over its limits.
#[derive(Clone, Debug)]
pub struct Spill {
    /// The folder, or why there is none.
    pub store: Result<ArtifactStore, String>,
    /// Bytes of one file; the rest is not kept, and that is said.
    pub max_bytes: u64,
}

/// The file, as it comes.
#[derive(Debug)]
pub(super) struct SpillWriter {
    spill: Option<Spill>,
    /// The bytes that are being written, with the file; kept here, so that a
    /// wait for them can be dropped and begun again.
    writing: Option<JoinHandle<Written>>,
    file: Option<NewArtifact>,
    error: Option<String>,
    complete: bool,
}

impl SpillWriter {
    pub(super) fn new(spill: Option<Spill>) -> Self {
        Self {
            spill,
            writing: None,
            file: None,
            error: None,
            complete: true,
        }
    }

    /// Whether more bytes would be written.
    pub(super) fn wants_more(&self) -> bool {
        self.spill.is_some() && self.error.is_none() && self.complete
    }

    /// Until all is written that was begun. May be dropped and called again.
    pub(super) async fn ready(&mut self) {
        let Some(writing) = &mut self.writing else {
            return;
        };
        let written = writing.await;
        self.writing = None;
        match written {
            Ok(Ok((file, complete))) => {
                self.file = Some(file);
                self.complete = complete;
            }
            Ok(Err((file, error))) => {
                self.file = file;
                self.error = Some(error);
            }
            Err(_) => self.error = Some("the full output was not written".into()),
        }
    }

    /// Begins to write bytes. Only when [`ready`](Self::ready).
    pub(super) fn begin(&mut self, bytes: Vec<u8>) {
        let Some(spill) = self.spill.clone().filter(|_| self.wants_more()) else {
            return;
        };
        let file = self.file.take();
        let write = move || write(&spill, file, &bytes);
        self.writing = Some(tokio::task::spawn_blocking(write));
    }

    /// The file if it is to be kept, and what went wrong.
    pub(super) async fn finish(mut self, keep: bool) -> (Option<Artifact>, Option<String>) {
        self.ready().await;
        let complete = self.complete && self.error.is_none();
        match self.file {
            Some(file) if keep => (Some(file.keep(complete)), self.error),
            Some(file) => {
                // Nobody waits for a file that nobody wants to be gone.
                tokio::task::spawn_blocking(|| file.discard());
                (None, None)
            }
            None if keep => (None, self.error),
            None => (None, None),
        }
    }
}

type Written = Result<(NewArtifact, bool), (Option<NewArtifact>, String)>;

fn write(spill: &Spill, file: Option<NewArtifact>, bytes: &[u8]) -> Written {
    let mut file = match (file, &spill.store) {
        (Some(file), _) => file,
        (None, Ok(store)) => store.create().map_err(|error| (None, error.to_string()))?,
        (None, Err(reason)) => return Err((None, reason.clone())),
    };
    let room = spill.max_bytes.saturating_sub(file.written());
    let end = bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX));
    match file.write(&bytes[..end]) {
        Ok(()) => Ok((file, end == bytes.len())),
        Err(error) => Err((Some(file), error.to_string())),
    }
}
