//! The policy guest of bashgate: which commands are safe, which are dangerous,
//! what the user's rules and grants say, and where paths lead.
//!
//! It imports nothing. `configure` leaves the rules in a static; the host keeps
//! the memory after that, and every evaluation starts from it. A verdict is a
//! function of the configuration and the arguments.
//!
//! - `settings`, `pattern`, `fit`, `rules`: the rules, and when they fit
//! - `scene`: one execution with its indices
//! - `safe`, `streams`, `danger`: what a command's words say
//! - `zones`, `protected`: what its effects mean
//! - `offer`: what the user could adopt
//! - `case`, `judge`: all of it, as one verdict

mod case;
mod danger;
mod findings;
mod fit;
mod judge;
mod offer;
mod pattern;
mod protected;
mod rules;
mod safe;
mod scene;
#[cfg(test)]
mod scenes;
mod settings;
mod streams;
#[cfg(test)]
mod suite;
mod tables;
mod zones;

use std::sync::{Arc, Mutex, PoisonError};

use bashgate_guest::policy::{Execution, Grant, Guest, Identity, Session, Verdict};

use settings::Settings;

/// Set by `configure`, read by `evaluate`.
static SETTINGS: Mutex<Option<Arc<Settings>>> = Mutex::new(None);

/// The guest, as it is exported.
pub struct Approval;

impl Guest for Approval {
    fn describe() -> Identity {
        Identity {
            name: "approval".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            summary:
                "Knows safe and dangerous commands, and keeps the user's rules, zones and grants."
                    .to_owned(),
        }
    }

    fn configure(config: String) -> Result<(), String> {
        let settings = Settings::read(&config)?;
        *SETTINGS.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(settings));
        Ok(())
    }

    fn evaluate(execution: Execution, session: Session, grants: Vec<Grant>) -> Verdict {
        let settings = SETTINGS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
            .unwrap_or_default();
        judge::judge(&settings, &execution, &session, &grants)
    }
}

#[cfg(target_arch = "wasm32")]
bashgate_guest::export_policy!(Approval);
