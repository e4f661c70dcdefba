//! The record of what was asked, decided and run: one line of JSON before the
//! start and one after the end.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt};
use serde_json::{Value, json};

use crate::settings::Audit;

const FILE: &str = "audit.jsonl";
const OLDER: &str = "audit.1.jsonl";

/// The file is put aside beyond this; the one put aside before goes.
const MAX_BYTES: u64 = 64 << 20;

/// Where decisions are recorded.
pub(crate) struct Record {
    audit: Audit,
    folder: PathBuf,
    file: Mutex<Option<File>>,
}

/// A record that is required could not be written.
#[derive(Debug, thiserror::Error)]
#[error("no record, no run: {}: {reason}; make the folder writable, or set audit = \"best-effort\"", path.display())]
pub(crate) struct RecordError {
    path: PathBuf,
    reason: String,
}

impl Record {
    pub(crate) fn new(audit: Audit, folder: &Path) -> Self {
        Self {
            audit,
            folder: folder.to_owned(),
            file: Mutex::new(None),
        }
    }

    /// Appends one line. Blocks for one write to a local file.
    ///
    /// # Errors
    ///
    /// Only where `audit = "required"`.
    pub(crate) fn write(
        &self,
        call: &str,
        event: &str,
        mut fields: Value,
    ) -> Result<(), RecordError> {
        if self.audit == Audit::Off {
            return Ok(());
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let at = since.map_or(0, |since| since.as_millis());
        if let Value::Object(fields) = &mut fields {
            fields.insert("at_ms".into(), json!(u64::try_from(at).unwrap_or(u64::MAX)));
            fields.insert("call".into(), json!(call));
            fields.insert("event".into(), json!(event));
        }
        match (self.append(&format!("{fields}\n")), self.audit) {
            (Ok(()), _) => Ok(()),
            (Err(reason), Audit::Required) => Err(RecordError {
                path: self.folder.join(FILE),
                reason,
            }),
            (Err(reason), _) => {
                tracing::warn!("not recorded: {reason}");
                Ok(())
            }
        }
    }

    fn append(&self, line: &str) -> Result<(), String> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open = match file.take() {
            Some(open) => open,
            None => open_file(&self.folder)?,
        };
        // One write of a line: lines of several processes do not mix.
        open.write_all(line.as_bytes())
            .map_err(|error| error.to_string())?;
        *file = Some(open);
        Ok(())
    }
}

fn open_file(path: &Path) -> Result<File, String> {
    let folder = crate::folder::open_private(path)?;
    put_aside(&folder);
    let mut options = OpenOptions::new();
    options.append(true).create(true).mode(0o600);
    folder
        .open_with(FILE, &options)
        .map_err(|error| error.to_string())
}

fn put_aside(folder: &Dir) {
    let large = |size: u64| size > MAX_BYTES;
    if folder
        .metadata(FILE)
        .is_ok_and(|metadata| large(metadata.len()))
    {
        // Without it the file only grows on.
        let _ = folder.rename(FILE, folder, OLDER);
    }
}
