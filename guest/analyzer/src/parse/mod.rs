//! From text to [`syntax`](crate::syntax).

mod ansi_c;
mod reader;
pub mod tree_sitter;

pub use reader::read;

/// Whether a text holds nothing but blanks and comments.
pub fn is_blank(text: &str) -> bool {
    text.lines().all(|line| {
        let line = line.trim_matches([' ', '\t', '\r']);
        line.is_empty() || line.starts_with('#')
    })
}
