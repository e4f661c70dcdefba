//! One channel of a command: bytes in, as large as they come; out come exact
//! counts, the text that is kept, and the artifact with all of it where the
//! text is over its limits.
//!
//! What a sink holds is bounded, however much goes through it. It knows no
//! process: whoever reads the pipe fills it.

use std::num::NonZeroU64;

use super::artifact::Artifact;
use super::cut::{Cut, Limits, Truncation};
pub use super::spill::Spill;
use super::spill::SpillWriter;
use super::text::Cleaner;

/// Raw bytes that are held before a file is made, and written at a time.
const BATCH: usize = 256 * 1024;

/// What a sink does with what it gets.
#[derive(Clone, Debug, Default)]
pub struct SinkOptions {
    /// How much text is kept.
    pub limits: Limits,
    /// Of the call: only the first lines.
    pub head: Option<NonZeroU64>,
    /// Of the call: only the last lines, of those `head` asks for.
    pub tail: Option<NonZeroU64>,
    /// Where the full output goes when it is over the limits; nowhere without.
    pub spill: Option<Spill>,
}

/// What one channel printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// From the start; the whole text when nothing was left out between.
    pub head: String,
    /// From the end, after what was left out.
    pub tail: String,
    /// None when all is here, or all that the call's `head` and `tail` asked
    /// for.
    pub truncation: Option<Truncation>,
    /// Bytes printed, before anything was done to them.
    pub total_bytes: u64,
    /// Lines printed; an unfinished last one counts.
    pub total_lines: u64,
    /// The full output, where it is over the limits.
    pub artifact: Option<Artifact>,
    /// Why there is none, or not all of it, although there should be.
    pub artifact_error: Option<String>,
}

/// Takes the bytes of one channel.
#[derive(Debug)]
pub struct Sink {
    bytes: u64,
    line_feeds: u64,
    ends_line: bool,
    cleaner: Cleaner,
    clean: String,
    cut: Cut,
    /// Raw bytes that are not in a file (yet).
    held: Vec<u8>,
    writer: SpillWriter,
}

impl Sink {
    /// An empty one.
    #[must_use]
    pub fn new(options: SinkOptions) -> Self {
        Self {
            bytes: 0,
            line_feeds: 0,
            ends_line: true,
            cleaner: Cleaner::default(),
            clean: String::new(),
            cut: Cut::new(options.limits, options.head, options.tail),
            held: Vec::new(),
            writer: SpillWriter::new(options.spill),
        }
    }

    /// Takes the next bytes. [`settle`](Self::settle) after each, or memory
    /// grows.
    pub fn push(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else {
            return;
        };
        self.bytes += bytes.len() as u64;
        self.line_feeds += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.ends_line = *last == b'\n';
        self.clean.clear();
        self.cleaner.push(bytes, &mut self.clean);
        self.cut.push(&self.clean);
        if self.writer.wants_more() {
            self.held.extend_from_slice(bytes);
        }
    }

    /// Writes what there is too much to hold; waits for what was begun before,
    /// which holds back whoever fills the pipe. May be dropped and called
    /// again.
    pub async fn settle(&mut self) {
        // Text that is all control sequences is short and may be long in bytes.
        if self.held.len() >= BATCH {
            self.writer.ready().await;
            let held = std::mem::replace(&mut self.held, Vec::with_capacity(BATCH));
            self.writer.begin(held);
        }
    }

    /// The end.
    pub async fn finish(mut self) -> Captured {
        self.clean.clear();
        self.cleaner.finish(&mut self.clean);
        self.cut.push(&self.clean);
        let over = self.cut.is_over();
        let kept = self.cut.finish();
        let truncated = kept.truncation.is_some();
        if truncated && over && !self.held.is_empty() {
            self.writer.ready().await;
            self.writer.begin(self.held);
        }
        let (artifact, artifact_error) = self.writer.finish(truncated).await;
        Captured {
            head: kept.head,
            tail: kept.tail,
            truncation: kept.truncation,
            total_bytes: self.bytes,
            total_lines: self.line_feeds + u64::from(self.bytes > 0 && !self.ends_line),
            artifact,
            artifact_error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::ArtifactStore;

    async fn sunk(options: SinkOptions, chunks: impl IntoIterator<Item = Vec<u8>>) -> Captured {
        let mut sink = Sink::new(options);
        for chunk in chunks {
            sink.push(&chunk);
            sink.settle().await;
        }
        sink.finish().await
    }

    fn spilling(folder: &std::path::Path, max_bytes: u64) -> SinkOptions {
        let store = ArtifactStore::open(&folder.join("out")).map_err(|error| error.to_string());
        SinkOptions {
            spill: Some(Spill { store, max_bytes }),
            ..SinkOptions::default()
        }
    }

    #[tokio::test]
    async fn counts_are_exact_and_the_artifact_is_all_of_it() {
        let home = tempfile::tempdir().unwrap();
        let line = b"some line of output\n".to_vec();
        let chunks = std::iter::repeat_n(line.repeat(500), 100);
        let captured = sunk(spilling(home.path(), u64::MAX), chunks).await;
        assert_eq!(
            (captured.total_bytes, captured.total_lines),
            (1_000_000, 50_000)
        );
        let artifact = captured.artifact.unwrap();
        assert_eq!((artifact.bytes, artifact.complete), (1_000_000, true));
        assert_eq!(std::fs::read(artifact.path).unwrap(), line.repeat(50_000));
        assert_eq!(captured.artifact_error, None);
    }

    #[tokio::test]
    async fn what_fits_leaves_no_file() {
        let home = tempfile::tempdir().unwrap();
        let captured = sunk(spilling(home.path(), u64::MAX), [b"short".to_vec()]).await;
        assert_eq!((captured.head.as_str(), captured.artifact), ("short", None));
        assert_eq!(captured.total_lines, 1);
        let files = std::fs::read_dir(home.path().join("out")).unwrap().count();
        assert_eq!(files, 0);
    }

    #[tokio::test]
    async fn a_size_limit_and_a_missing_folder_are_said() {
        let home = tempfile::tempdir().unwrap();
        let much = || std::iter::repeat_n(vec![b'x'; 100_000], 10);
        let captured = sunk(spilling(home.path(), 300_000), much()).await;
        let artifact = captured.artifact.unwrap();
        assert_eq!((artifact.bytes, artifact.complete), (300_000, false));
        let nowhere = SinkOptions {
            spill: Some(Spill {
                store: Err("no home".into()),
                max_bytes: 1,
            }),
            ..SinkOptions::default()
        };
        let captured = sunk(nowhere, much()).await;
        assert_eq!(captured.artifact, None);
        assert_eq!(captured.artifact_error.as_deref(), Some("no home"));
        assert_eq!(captured.total_bytes, 1_000_000);
    }

    #[tokio::test]
    async fn memory_does_not_grow_with_the_output() {
        let home = tempfile::tempdir().unwrap();
        let mut sink = Sink::new(spilling(home.path(), u64::MAX));
        for _ in 0..400 {
            sink.push(&[b'x'; 65536]);
            sink.settle().await;
            assert!(sink.held.capacity() <= 4 * BATCH);
        }
        let captured = sink.finish().await;
        assert_eq!(captured.total_bytes, 400 * 65536);
    }
}
