//! The folder where full outputs lie, one file each, for a week.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};

use crate::unguessable;

/// How long a full output is kept.
pub const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// A full output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Unguessable; its name in the folder.
    pub id: String,
    /// Where it lies.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// False when the size limit cut it.
    pub complete: bool,
}

/// Why an output cannot be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// The folder cannot be made, is a link, or is not this user's alone.
    #[error("the folder for full outputs, {}, cannot be used: {reason}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// No such output, or no id at all.
    #[error("there is no stored output {0:?}; they are kept for 7 days")]
    Unknown(String),
    /// The file cannot be made or read.
    #[error("the full output could not be stored or read: {0}")]
    File(#[from] io::Error),
}

/// The folder of full outputs. Clones are the same folder.
#[derive(Clone, Debug)]
pub struct ArtifactStore {
    path: PathBuf,
    folder: Arc<Dir>,
}

impl ArtifactStore {
    /// Opens the folder; makes it for this user alone. Blocks for a few system
    /// calls.
    ///
    /// # Errors
    ///
    /// When it cannot be made, is a link or no folder, belongs to another
    /// user, or others may enter it.
    pub fn open(path: &Path) -> Result<Self, ArtifactError> {
        let folder = crate::folder::open_private(path).map_err(|reason| ArtifactError::Folder {
            path: path.to_owned(),
            reason,
        })?;
        Ok(Self {
            path: path.to_owned(),
            folder: Arc::new(folder),
        })
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a stored output for reading.
    ///
    /// # Errors
    ///
    /// When there is none by that id.
    pub fn read(&self, id: &str) -> Result<File, ArtifactError> {
        if !is_id(id) {
            return Err(ArtifactError::Unknown(id.to_owned()));
        }
        match self.folder.open(id) {
            Ok(file) => Ok(file.into_std()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(ArtifactError::Unknown(id.to_owned()))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Removes what is older than `age`; answers how many files went.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub fn sweep(&self, age: Duration) -> io::Result<usize> {
        let now = SystemTime::now();
        let mut removed = 0;
        for entry in self.folder.entries()? {
            let entry = entry?;
            let written = entry.metadata().and_then(|metadata| metadata.modified());
            let old = written.is_ok_and(|written| {
                now.duration_since(written.into_std())
                    .is_ok_and(|since| since > age)
            });
            let ours = entry.file_name().to_str().is_some_and(is_id);
            if old && ours && entry.remove_file().is_ok() {
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// Begins a file: exclusively, so that no link and no file that lies there
    /// is followed.
    pub(super) fn create(&self) -> io::Result<NewArtifact> {
        let id = unguessable::id()?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let file = self.folder.open_with(&id, &options)?.into_std();
        Ok(NewArtifact {
            id,
            file,
            store: self.clone(),
            written: 0,
        })
    }
}

/// A file that is being written. Blocking; used off the asynchronous threads.
#[derive(Debug)]
pub(super) struct NewArtifact {
    id: String,
    file: File,
    store: ArtifactStore,
    written: u64,
}

impl NewArtifact {
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    pub(super) fn written(&self) -> u64 {
        self.written
    }

    pub(super) fn keep(self, complete: bool) -> Artifact {
        Artifact {
            path: self.store.path.join(&self.id),
            id: self.id,
            bytes: self.written,
            complete,
        }
    }

    pub(super) fn discard(self) {
        // What cannot be removed now goes with the sweep.
        let _ = self.store.folder.remove_file(&self.id);
    }
}

fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_is_written_is_there_for_its_owner_alone_and_goes_in_time() {
        let home = tempfile::tempdir().unwrap();
        let store = ArtifactStore::open(&home.path().join("out")).unwrap();
        let mut new = store.create().unwrap();
        new.write(b"all of it").unwrap();
        let kept = new.keep(true);
        assert_eq!((kept.bytes, kept.complete), (9, true));
        let mode = std::fs::metadata(&kept.path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let text = std::io::read_to_string(store.read(&kept.id).unwrap()).unwrap();
        assert_eq!(text, "all of it");
        assert_eq!(store.sweep(KEPT).unwrap(), 0);
        assert_eq!(store.sweep(Duration::ZERO).unwrap(), 1);
        assert!(matches!(
            store.read(&kept.id),
            Err(ArtifactError::Unknown(_))
        ));
    }

    #[test]
    fn an_id_is_no_path() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("secret"), "s").unwrap();
        let store = ArtifactStore::open(&home.path().join("out")).unwrap();
        for id in ["../secret", "", "secret", "/etc/passwd"] {
            assert!(
                matches!(store.read(id), Err(ArtifactError::Unknown(_))),
                "{id}"
            );
        }
    }

    #[test]
    fn a_folder_that_is_a_link_or_open_to_others_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let real = home.path().join("real");
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, home.path().join("link")).unwrap();
        assert!(ArtifactStore::open(&home.path().join("link")).is_err());
        std::fs::set_permissions(&real, PermissionsExt::from_mode(0o755)).unwrap();
        assert!(ArtifactStore::open(&real).is_err());
        std::fs::set_permissions(&real, PermissionsExt::from_mode(0o700)).unwrap();
        assert!(ArtifactStore::open(&real).is_ok());
    }
}
