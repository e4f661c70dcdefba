//! What the model reads: why a command was blocked, and what to call instead.

/// Bytes of a command that a message quotes.
const COMMAND_BYTES: usize = 400;
/// Bytes of ready arguments that a message quotes; the suggestion has all.
const ARGUMENT_BYTES: usize = 4_000;

/// Says that `command` was blocked, why, and which call does the same.
pub fn blocked(command: &str, why: &str, tool: &str, arguments: &str) -> String {
    let command = clipped(command.trim(), COMMAND_BYTES);
    let why = match why.trim() {
        "" => String::new(),
        why => format!(" {why}"),
    };
    let call = match arguments {
        "{}" => format!("Call `{tool}` instead."),
        _ => format!(
            "Call `{tool}` instead: {}",
            clipped(arguments, ARGUMENT_BYTES)
        ),
    };
    format!("Blocked: `{command}`.{why} {call}")
}

/// Says that the last stage of a pipeline became a limit.
pub fn normalized(stage: &str) -> String {
    format!(
        "`| {}` became a limit of the result: the exit code is that of the command itself.",
        clipped(stage, COMMAND_BYTES)
    )
}

/// At most `limit` bytes of `text`, cut between characters, saying how many
/// are missing.
fn clipped(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let shown = &text[..text.floor_char_boundary(limit)];
    format!("{shown}… ({} more bytes)", text.len() - shown.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_what_why_and_the_fix() {
        insta::assert_snapshot!(
            blocked("cat f", "There is a tool that shows files.", "read", r#"{"path":"f"}"#),
            @r#"Blocked: `cat f`. There is a tool that shows files. Call `read` instead: {"path":"f"}"#
        );
        insta::assert_snapshot!(
            blocked("curl -X POST", "", "fetch", "{}"),
            @"Blocked: `curl -X POST`. Call `fetch` instead."
        );
        insta::assert_snapshot!(
            normalized("head -n 5"),
            @"`| head -n 5` became a limit of the result: the exit code is that of the command itself."
        );
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(clipped("abc", 3), "abc");
        assert_eq!(clipped("aéb", 2), "a… (3 more bytes)");
        let long = blocked(&"é".repeat(1_000), "Why.", "read", &"x".repeat(5_000));
        assert!(
            long.contains("… (1600 more bytes)`. Why.") && long.ends_with("… (1000 more bytes)")
        );
    }
}
