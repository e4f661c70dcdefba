//! Finds the file that a name runs, and reads small files. Knows no zone.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, CWD, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

/// The longest text that [`read`] gives, in bytes.
const MAX_TEXT: u64 = 64 * 1024;

/// The file that a program's name runs, links not resolved.
pub(super) fn which(workdir: &Path, program: &OsStr, path_variable: &OsStr) -> Option<PathBuf> {
    let name = program.as_bytes();
    if name.is_empty() {
        return None;
    }
    if name.contains(&b'/') {
        return Some(workdir.join(program));
    }
    path_variable
        .as_bytes()
        .split(|&byte| byte == b':')
        .map(|folder| Path::new(OsStr::from_bytes(folder)))
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    let regular = rustix::fs::stat(path)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
    regular && rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

/// The text of a regular file. `path` is resolved: a link in it came later, and
/// is not followed. Neither waits for a writer nor for anything else.
pub(super) fn read(path: &Path) -> Option<String> {
    let file = File::from(open(path).ok()?);
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > MAX_TEXT {
        return None;
    }
    let mut text = Vec::with_capacity(usize::try_from(metadata.len()).ok()? + 1);
    // It may have grown since.
    let read = file.take(MAX_TEXT + 1).read_to_end(&mut text).ok()?;
    if read as u64 > MAX_TEXT {
        return None;
    }
    String::from_utf8(text).ok()
}

fn open(path: &Path) -> Result<rustix::fd::OwnedFd, Errno> {
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        // Kernels before 5.6, and filters that do not know the call: then only
        // the last component is held.
        Err(Errno::NOSYS | Errno::PERM) => rustix::fs::open(path, flags, Mode::empty()),
        opened => opened,
    }
}
