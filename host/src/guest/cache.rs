//! Compiled code and snapshots on disk.
//!
//! Compiled code is machine code: loading what somebody else wrote would run
//! it. So the folder must belong to this user and nobody else may enter it
//! (0700); an entry is written to a file of its own and renamed; a damaged
//! entry is a miss. Anyone who may already write to this user's files may
//! change it, as they may change the user's shell: README says so.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::unguessable;

/// Unused entries are removed after this time.
const KEEP: Duration = Duration::from_secs(30 * 24 * 3600);

/// First bytes of an entry; another layout gets another number.
const MAGIC: &[u8; 8] = b"bgcode1\n";

/// Larger than any guest's code; a longer file is not ours.
const MAX_BYTES: u64 = 512 << 20;

/// A folder of compiled guests.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: Dir,
}

/// Why there is no cache. Guests are then compiled at each start.
#[derive(Debug, thiserror::Error)]
#[error("no cache of compiled guests in {}: {reason}", path.display())]
pub(crate) struct NoCache {
    path: PathBuf,
    reason: String,
}

impl Cache {
    /// Opens `path`, or makes it. Refuses a folder that belongs to another
    /// user or that others may enter.
    pub(crate) fn open(path: &Path) -> Result<Self, NoCache> {
        let no_cache = |reason: String| NoCache {
            path: path.to_owned(),
            reason,
        };
        crate::folder::open_private(path)
            .map(|folder| Self { folder })
            .map_err(no_cache)
    }

    /// The compiled form of `bytes` for `engine`, from the cache or compiled
    /// now and kept. `digest` names the bytes.
    pub(crate) fn component(
        this: Option<&Self>,
        engine: &Engine,
        digest: &str,
        bytes: impl FnOnce() -> wasmtime::Result<Cow<'static, [u8]>>,
    ) -> wasmtime::Result<Component> {
        let Some(cache) = this else {
            return Component::from_binary(engine, &bytes()?);
        };
        let name = key(engine, digest);
        if let Some(component) = cache.load(engine, &name) {
            return Ok(component);
        }
        let code = engine.precompile_component(&bytes()?)?;
        if let Err(error) = cache.store(&name, &code) {
            tracing::warn!("compiled guest not kept: {error}");
        }
        // SAFETY: `code` is what `precompile_component` of this very engine
        // has just answered.
        unsafe { Component::deserialize(engine, &code) }
    }

    /// The compiled form, only if it is there.
    pub(crate) fn existing(&self, engine: &Engine, digest: &str) -> Option<Component> {
        self.load(engine, &key(engine, digest))
    }

    fn load(&self, engine: &Engine, name: &str) -> Option<Component> {
        let entry = self.read(name)?;
        let code = entry.strip_prefix(MAGIC)?;
        let (sum, code) = code.split_at_checked(32)?;
        if Sha256::digest(code).as_slice() != sum {
            tracing::warn!("a compiled guest in the cache is damaged; it is compiled again");
            return None;
        }
        // SAFETY: the folder is 0700 and belongs to this user, which `open`
        // has checked, and only `store` writes to it, from the answer of
        // `precompile_component`; the sum says that the bytes are those.
        // Another engine's code is refused by wasmtime itself.
        unsafe { Component::deserialize(engine, code) }.ok()
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        let mut file = self.folder.open(name).ok()?;
        let size = file.metadata().ok()?.len();
        if size > MAX_BYTES {
            return None;
        }
        let mut entry = Vec::with_capacity(usize::try_from(size).ok()?);
        file.read_to_end(&mut entry).ok()?;
        Some(entry)
    }

    fn store(&self, name: &str, code: &[u8]) -> std::io::Result<()> {
        self.sweep();
        // Exclusive creation is what protects; without randomness the process id
        // keeps two processes apart.
        let own = unguessable::id().unwrap_or_else(|_| std::process::id().to_string());
        let partial = format!("{name}.{own}.partial");
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let mut file = self.folder.open_with(&partial, &options)?;
        let written = file
            .write_all(MAGIC)
            .and_then(|()| file.write_all(&Sha256::digest(code)))
            .and_then(|()| file.write_all(code))
            .and_then(|()| self.folder.rename(&partial, &self.folder, name));
        if written.is_err() {
            // The partial file is of no use; a failure to remove it costs space.
            let _ = self.folder.remove_file(&partial);
        }
        written
    }

    /// Removes what nobody has used for long, and what was left half written.
    fn sweep(&self) {
        let Ok(entries) = self.folder.entries() else {
            return;
        };
        let now = SystemTime::now();
        for entry in entries.flatten() {
            let old = entry.metadata().ok().and_then(|metadata| {
                let used = metadata.accessed().or_else(|_| metadata.modified()).ok()?;
                now.duration_since(used.into_std()).ok()
            });
            if old.is_some_and(|age| age > KEEP) {
                // It is tried again at the next store.
                let _ = entry.remove_file();
            }
        }
    }
}

fn key(engine: &Engine, digest: &str) -> String {
    let mut hasher = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut hasher);
    let digest = digest.trim_start_matches("sha256:");
    format!("{digest}-{:016x}.code", hasher.finish())
}
