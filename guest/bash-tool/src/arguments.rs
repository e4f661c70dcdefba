//! From the JSON that a model sent to the command that the host is asked to
//! run, or to an error that names every field that does not fit.

use serde_json::Value;

use crate::executor::{Abilities, Command, Escalation};
use crate::parameters::{Given, Parameter, REQUIRE_ESCALATED, parameters};

/// A call that fits the schema.
#[derive(Debug, PartialEq)]
pub struct Arguments {
    /// What to run.
    pub command: Command,
    /// Keys that the schema does not know.
    pub ignored: Vec<String>,
}

/// Reads the arguments of one call.
///
/// # Errors
///
/// A sentence that names each field that is missing or does not fit.
pub fn read(abilities: &Abilities, json: &str) -> Result<Arguments, String> {
    let value: Value = serde_json::from_str(json)
        .map_err(|error| format!("the arguments are not valid JSON: {error}"))?;
    let Value::Object(mut fields) = value else {
        return Err("the arguments must be an object with `command` and `description`".to_owned());
    };
    let mut given = Vec::new();
    let mut problems = Vec::new();
    for parameter in parameters(abilities) {
        let value = fields.remove(parameter.name).unwrap_or_default();
        match parameter.read(&value) {
            Ok(Some(argument)) => given.push((parameter.name, argument)),
            Ok(None) if parameter.required => problems.push(missing(&parameter)),
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(format!(
            "the arguments do not fit: {}; nothing ran",
            problems.join("; ")
        ));
    }
    Ok(Arguments {
        command: command(given),
        ignored: fields.into_iter().map(|(key, _)| key).collect(),
    })
}

fn missing(parameter: &Parameter) -> String {
    format!("`{}` is missing", parameter.name)
}

fn command(given: Vec<(&'static str, Given)>) -> Command {
    let mut command = Command {
        script: String::new(),
        description: String::new(),
        workdir: None,
        timeout_ms: None,
        login: None,
        head: None,
        tail: None,
        escalation: None,
    };
    let mut escalated = false;
    let mut escalation = Escalation {
        justification: String::new(),
        prefix: Vec::new(),
    };
    for (name, argument) in given {
        match (name, argument) {
            ("command", Given::Text(text)) => command.script = text,
            ("description", Given::Text(text)) => command.description = text,
            ("workdir", Given::Text(text)) => command.workdir = Some(text),
            ("timeout_ms", Given::Count(count)) => command.timeout_ms = Some(count),
            ("login", Given::Flag(flag)) => command.login = Some(flag),
            ("head", Given::Count(count)) => command.head = Some(count),
            ("tail", Given::Count(count)) => command.tail = Some(count),
            ("sandbox_permissions", Given::Text(text)) => escalated = text == REQUIRE_ESCALATED,
            ("justification", Given::Text(text)) => escalation.justification = text,
            ("prefix_rule", Given::Words(words)) => escalation.prefix = words,
            // A parameter of the table that nobody takes would be promised and
            // not kept; the test over the whole table holds this.
            _ => {}
        }
    }
    command.escalation = escalated.then_some(escalation);
    command
}

#[cfg(test)]
mod tests;
