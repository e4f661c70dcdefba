//! One call from the model's arguments to its reply.

use bashgate_guest::tool::{Reply, Request};

use crate::arguments;
use crate::definition::NAME;
use crate::executor::{Denial, Ending, Executor, Level, Outcome, Refusal};
use crate::settings::Settings;
use crate::{structured, text};

/// Answers one call.
///
/// # Errors
///
/// A text for the model where nothing was decided and nothing ran: the tool is
/// unknown, the arguments do not fit, the directory is missing, the host could
/// not. A refusal by the gate is a reply.
pub fn invoke(
    executor: &impl Executor,
    settings: Settings,
    request: &Request,
) -> Result<Reply, String> {
    if request.name != NAME {
        return Err(format!(
            "there is no tool `{}`; the tools are: {NAME}",
            text::one_line(&request.name)
        ));
    }
    let abilities = executor.abilities();
    let call = arguments::read(&abilities, &request.arguments)?;
    let ignored = text::ignored(&call.ignored);
    for line in &ignored {
        executor.log(Level::Info, line);
    }
    let mut reply = match executor.run(&call.command) {
        Ok(outcome) => ended(&outcome, abilities.max_timeout_ms, settings),
        Err(Refusal::Denied(denial)) => denied(&denial),
        Err(refusal) => return Err(could_not(refusal)),
    };
    text::append(&mut reply.text, &ignored);
    Ok(reply)
}

fn ended(outcome: &Outcome, max_timeout_ms: u32, settings: Settings) -> Reply {
    Reply {
        text: text::of_outcome(outcome, max_timeout_ms),
        structured: structured::of_outcome(outcome).to_string(),
        is_error: is_error(&outcome.ending, settings),
    }
}

fn denied(denial: &Denial) -> Reply {
    Reply {
        text: text::of_denial(denial),
        structured: structured::of_denial(denial).to_string(),
        is_error: true,
    }
}

/// Whether the tool itself failed. A shell ended by a signal is a result.
fn is_error(ending: &Ending, settings: Settings) -> bool {
    ending.cancelled
        || match ending.exit_code {
            Some(code) => settings.nonzero_exit_is_error && code != 0,
            None => ending.signal.is_none(),
        }
}

fn could_not(refusal: Refusal) -> String {
    match refusal {
        Refusal::Denied(denial) => text::of_denial(&denial),
        Refusal::Invalid(why) => format!("`command` does not fit: {why}; nothing ran"),
        Refusal::WorkdirMissing(path) => format!(
            "`workdir`: the directory {} does not exist; nothing ran",
            text::one_line(&path)
        ),
        Refusal::WorkdirNotADirectory(path) => format!(
            "`workdir`: {} is not a directory; nothing ran",
            text::one_line(&path)
        ),
        Refusal::Unavailable(why) => format!("bashgate could not run the command: {why}"),
    }
}

#[cfg(test)]
mod tests;
