//! The tool's definition: what the model reads before it calls.

use bashgate_guest::tool::Definition;
use serde_json::{Map, Value, json};

use crate::executor::Abilities;
use crate::parameters::parameters;
use crate::structured;

/// The name that the model calls.
pub const NAME: &str = "bash";

const DESCRIPTION: &str = "\
Runs a bash script and returns what it printed and how it ended.
- Each call is a fresh shell: no directory, variable, function or alias lasts to the next. Use \
`workdir` instead of `cd`.
- Standard input is empty and there is no terminal: programs that ask questions get no answer.
- For long builds and tests give `timeout_ms`.
- Prefer counts and narrow queries (`grep -c`, `git diff --stat`) to dumping whole files, or limit \
the result with `head` and `tail`. Long output is cut in the middle; all of it is then in the file \
that the result names.
- Commands are judged before they run, and a person may be asked. When one is refused, do what the \
refusal says; do not look for another way to run the same.";

const ESCALATION: &str = "
- Commands run in a sandbox. Ask for `require_escalated` only after the sandbox has refused one.";

/// The definition of `bash` for a host with these abilities.
#[must_use]
pub fn bash(abilities: &Abilities) -> Definition {
    let mut description = DESCRIPTION.to_owned();
    if abilities.escalation {
        description.push_str(ESCALATION);
    }
    Definition {
        name: NAME.to_owned(),
        title: "Run a bash script".to_owned(),
        description,
        input_schema: input_schema(abilities).to_string(),
        output_schema: structured::schema().to_string(),
    }
}

fn input_schema(abilities: &Abilities) -> Value {
    let all = parameters(abilities);
    let required: Vec<&str> = all
        .iter()
        .filter(|parameter| parameter.required)
        .map(|parameter| parameter.name)
        .collect();
    let properties: Map<String, Value> = all
        .iter()
        .map(|parameter| (parameter.name.to_owned(), parameter.schema()))
        .collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

#[cfg(test)]
mod tests {
    use super::bash;
    use crate::executor::Abilities;

    fn shown(escalation: bool) -> String {
        let definition = bash(&Abilities {
            escalation,
            default_timeout_ms: 120_000,
            max_timeout_ms: 3_600_000,
        });
        let pretty = |json: &str| {
            let value: serde_json::Value = serde_json::from_str(json).unwrap();
            serde_json::to_string_pretty(&value).unwrap()
        };
        format!(
            "{}: {}\n\n{}\n\ninput {}\n\noutput {}",
            definition.name,
            definition.title,
            definition.description,
            pretty(&definition.input_schema),
            pretty(&definition.output_schema),
        )
    }

    #[test]
    fn definition_for_the_model() {
        insta::assert_snapshot!("bash", shown(false));
    }

    #[test]
    fn definition_with_a_sandbox() {
        insta::assert_snapshot!("bash_with_sandbox", shown(true));
    }
}
