//! Folders that are this user's alone: compiled code, output, records.

use std::os::fd::OwnedFd;
use std::path::Path;

use cap_std::fs::Dir;
use rustix::fs::{FileType, Mode, OFlags, fstat, mkdir, open};

/// Opens the folder at `path`, or makes it with mode 0700. The last part of
/// the path is not followed when it is a symbolic link.
///
/// # Errors
///
/// In words: it cannot be made, belongs to another user, or others may enter
/// it.
pub(crate) fn open_private(path: &Path) -> Result<Dir, String> {
    let said = |error: rustix::io::Errno| error.to_string();
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(|error| error.to_string())?;
    }
    match mkdir(path, Mode::RWXU) {
        Ok(()) | Err(rustix::io::Errno::EXIST) => {}
        Err(error) => return Err(said(error)),
    }
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
    let folder: OwnedFd = open(path, flags, Mode::empty()).map_err(said)?;
    let status = fstat(&folder).map_err(said)?;
    if FileType::from_raw_mode(status.st_mode) != FileType::Directory {
        return Err("it is not a folder".into());
    }
    if status.st_uid != rustix::process::geteuid().as_raw() {
        return Err("it belongs to another user; remove it, or name another place".into());
    }
    if status.st_mode & 0o077 != 0 {
        return Err(format!(
            "others may enter it; run `chmod 700 {}`",
            path.display()
        ));
    }
    Ok(Dir::from_std_file(std::fs::File::from(folder)))
}
