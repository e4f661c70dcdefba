//! What the analyzer may ask about the machine, as a trait: the guest asks the
//! host, tests ask a directory of their own.

use bashgate_guest::policy::Location;

/// The host's answers. All paths are text; a relative one counts from
/// `workdir`.
pub trait Workspace {
    /// Where a path leads, symbolic links resolved.
    fn locate(&self, workdir: &str, path: &str) -> Location;
    /// Paths that fit a glob; `None` if there are more than `limit`.
    fn glob(&self, workdir: &str, pattern: &str, limit: u32) -> Option<Vec<String>>;
    /// The file that a program's name runs on the child's PATH.
    fn which(&self, workdir: &str, program: &str) -> Option<Location>;
    /// A variable of the child's environment, if it may be known.
    fn variable(&self, name: &str) -> Option<String>;
    /// Text of a small regular file under the root.
    fn read(&self, workdir: &str, path: &str) -> Option<String>;
}
