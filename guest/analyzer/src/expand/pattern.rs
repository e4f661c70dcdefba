//! Pattern characters in words.

/// Whether unquoted text holds a pattern.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
        || text
            .find('[')
            .is_some_and(|open| text.get(open..).is_some_and(|rest| rest.contains(']')))
        || text.contains("@(")
        || text.contains("+(")
        || text.contains("!(")
}

/// Adds text that stands for itself to a pattern.
pub fn push_escaped(text: &str, pattern: &mut String) {
    for character in text.chars() {
        if matches!(character, '*' | '?' | '[' | ']' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
}
