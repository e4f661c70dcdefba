//! A module that is no component and knows no world.

/// Something to export.
// SAFETY: no other export of this module has the name.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> u32 {
    42
}
