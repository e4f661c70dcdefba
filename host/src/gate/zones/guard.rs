//! Which paths are protected: by their place, or by a name below the root.
//! Knows no zone; resolves the places once.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::walk::{self, Kinds};
use crate::settings::{Guarded, Protected};

/// The protected paths, resolved.
#[derive(Debug)]
pub(super) struct Guards {
    root: PathBuf,
    guards: Vec<Guard>,
}

#[derive(Debug)]
struct Guard {
    pattern: String,
    /// One of this program's own folders.
    own: bool,
    /// Fits as a component anywhere below the root.
    name: Option<OsString>,
    /// Where it lies, and, where that is a link, where it leads.
    places: Vec<PathBuf>,
}

impl Guards {
    /// `root` is resolved.
    pub(super) fn new(root: &Path, protected: &[Protected]) -> Self {
        let guards = protected
            .iter()
            .map(|protected| {
                let (name, places) = match &protected.guarded {
                    // The one in the root itself may be a link.
                    Guarded::Name(name) => (Some(name.clone()), places(&root.join(name))),
                    Guarded::Path(path) => (None, places(path)),
                };
                Guard {
                    pattern: protected.pattern.clone(),
                    own: protected.own,
                    name,
                    places,
                }
            })
            .collect();
        Self {
            root: root.to_owned(),
            guards,
        }
    }

    /// The pattern that a resolved path, or a folder above it, fits. Below
    /// `artifacts` this program's own folders around it do not count.
    pub(super) fn covering(&self, path: &Path, artifacts: Option<&Path>) -> Option<&str> {
        let carved_out = artifacts.filter(|folder| walk::lies_in(path, folder));
        let bytes = path.as_os_str().as_bytes();
        let below_root = if walk::lies_in(path, &self.root) {
            bytes.get(self.root.as_os_str().len()..).unwrap_or_default()
        } else {
            b""
        };
        self.guards
            .iter()
            .find(|guard| {
                let named = guard.name.as_ref().is_some_and(|name| {
                    let mut components = below_root.split(|byte| *byte == b'/');
                    components.any(|component| component == name.as_bytes())
                });
                named
                    || guard.places.iter().any(|place| {
                        let around = guard.own
                            && carved_out.is_some_and(|folder| walk::lies_in(folder, place));
                        walk::lies_in(path, place) && !around
                    })
            })
            .map(|guard| guard.pattern.as_str())
    }

    /// A protected path that exists below this folder. One that is protected by
    /// its name alone is looked for in the folder and in the root, not in all
    /// that is between: that would be a search.
    pub(super) fn inside(&self, folder: &Path) -> Option<PathBuf> {
        // What cannot be told counts as there.
        let exists = |path: &Path| walk::kind_of(path) != Ok(None);
        self.guards.iter().find_map(|guard| {
            let place = guard
                .places
                .iter()
                .find(|place| walk::lies_in(place, folder) && exists(place));
            place.cloned().or_else(|| {
                let name = guard.name.as_ref()?;
                walk::lies_in(folder, &self.root)
                    .then(|| folder.join(name))
                    .filter(|path| exists(path))
            })
        })
    }
}

/// Where a path lies, and where it leads if that is elsewhere. What it is a
/// link to is protected, and so is the link.
fn places(path: &Path) -> Vec<PathBuf> {
    let walk = walk::follow(&mut Kinds::default(), Path::new("/"), path);
    let mut places = Vec::with_capacity(1);
    // What cannot be followed is protected as it is written.
    if walk.lost {
        places.push(path.components().collect());
    }
    places.extend(walk.last_link);
    if !places.contains(&walk.path) {
        places.push(walk.path);
    }
    places
}
