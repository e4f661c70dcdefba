//! Names that nobody can guess: of calls, sessions, artifacts, partial files.

use std::io;

/// An unguessable id: 32 hexadecimal digits.
///
/// # Errors
///
/// When the system gives no random bytes.
pub fn id() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| io::Error::other(format!("no random bytes: {error}")))?;
    Ok(format!("{:032x}", u128::from_le_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_do_not_repeat() {
        let (one, two) = (id().unwrap(), id().unwrap());
        assert!(one != two && one.len() == 32 && one.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}
