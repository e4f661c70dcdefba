//! The guests of the tests, built beside this library.

use std::path::{Path, PathBuf};

const BUILT: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/guests.in"));

/// The component file of a guest of the tests, such as `traps`.
///
/// # Panics
///
/// When there is no such guest.
#[must_use]
pub fn path(name: &str) -> PathBuf {
    BUILT.iter().find(|(built, _)| *built == name).map_or_else(
        || panic!("there is no guest `{name}` in tests/guests"),
        |(_, path)| Path::new(path).to_owned(),
    )
}

/// The names of all guests of the tests.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILT.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_guest_is_built_and_only_one_is_no_component() {
        // A component's version field holds layer 1, a core module's layer 0.
        let cores: Vec<&str> = super::names()
            .filter(|name| std::fs::read(super::path(name)).unwrap()[6] == 0)
            .collect();
        assert_eq!(cores, ["no-world"]);
    }
}
