//! Texts as paths: what is known of one, whether a text looks like one, where
//! it counts from.

use crate::expand::Field;

use super::PathText;
use super::reader::Given;

/// Where relative paths count from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// The unit's directory.
    #[default]
    Unit,
    /// Another one.
    At(String),
    /// Only running can tell.
    Unknown,
}

impl Base {
    /// Goes on to a directory.
    pub fn enter(&mut self, given: Given<'_>) {
        *self = match (&self, given.text()) {
            (_, Some(text)) if text.starts_with('/') => Self::At(text.to_owned()),
            (_, Some("")) => return,
            (Self::Unit, Some(text)) => Self::At(text.to_owned()),
            (Self::At(base), Some(text)) => Self::At(format!("{base}/{text}")),
            _ => Self::Unknown,
        };
    }
}

/// A path in a directory.
pub fn child(directory: &str, name: &str) -> String {
    let slash = if directory.is_empty() || directory.ends_with('/') {
        ""
    } else {
        "/"
    };
    format!("{directory}{slash}{name}")
}

/// Where a URL or `HOST:PATH` leads.
pub enum Place<'t> {
    /// A path of this machine.
    File(&'t str),
    /// Another machine.
    Network,
}

/// Where a text leads, when it is a URL or `HOST:PATH`.
pub fn place(text: &str) -> Option<Place<'_>> {
    if let Some(path) = text.strip_prefix("file://") {
        return Some(Place::File(path));
    }
    let (host, _) = text.split_once(':')?;
    (!host.is_empty() && !host.contains('/')).then_some(Place::Network)
}

/// What is known of a path.
pub fn path_text(given: Given<'_>) -> Option<PathText> {
    let field = match given {
        Given::Part(text) => return Some(PathText::Known(text.to_owned())),
        Given::Unknown => return None,
        Given::Whole(field) => field,
    };
    match field {
        Field {
            pattern: Some(pattern),
            ..
        } => Some(PathText::Pattern(pattern.clone())),
        Field {
            value: Some(value), ..
        } => Some(PathText::Known(value.clone())),
        Field { choices, .. } if !choices.is_empty() => Some(PathText::OneOf(choices.clone())),
        Field { number: true, .. } => Some(PathText::Within(".".to_owned())),
        Field {
            tail_is_number: true,
            prefix,
            ..
        } => {
            let directory = prefix.rsplit_once('/').map_or(".", |(directory, _)| {
                if directory.is_empty() { "/" } else { directory }
            });
            Some(PathText::Within(directory.to_owned()))
        }
        _ => None,
    }
}

/// The path in a text that looks like one.
pub fn like_a_path(text: &str) -> Option<&str> {
    let network = text.contains("://") && !text.starts_with("file:") || text.starts_with("//");
    let text = text.strip_prefix("file://").unwrap_or(text);
    let is = !network
        && (text.contains('/') || matches!(text, "." | ".." | "~") || text.starts_with('~'));
    is.then_some(text)
}
