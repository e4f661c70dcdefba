//! The four guests that are built with the host and travel in it.

/// One of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BuiltIn {
    pub(crate) bytes: &'static [u8],
    pub(crate) digest: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/guests.rs"));
