//! A policy guest: a forced push is denied, whatever else allows it.

use bashgate_guest::policy::*;

/// The guest.
pub struct NoForcePush;

impl Guest for NoForcePush {
    fn describe() -> Identity {
        Identity {
            name: "no-force-push".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            summary: "Denies git push --force".into(),
        }
    }

    fn configure(_config: String) -> Result<(), String> {
        Ok(())
    }

    fn evaluate(execution: Execution, _: Session, _: Vec<Grant>) -> Verdict {
        let forced = execution.plan.units.iter().find(|unit| {
            let has = |wanted: &str| {
                unit.words
                    .iter()
                    .any(|word| word.value.as_deref() == Some(wanted))
            };
            has("git") && has("push") && (has("--force") || has("-f"))
        });
        let Some(unit) = forced else {
            return abstain();
        };
        Verdict::Deny(Denial {
            findings: vec![Finding {
                rule: "no-force-push".into(),
                message: "history on the server is never rewritten".into(),
                span: Some(unit.span),
            }],
            suggestion: None,
        })
    }
}

#[cfg(target_arch = "wasm32")]
bashgate_guest::export_policy!(NoForcePush);
