//! The policy guest that points to a better tool than the shell: a file is
//! read with `read`, text searched with `grep`, a server started as a job.
//!
//! It answers `deny` with a ready call of the other tool, `rewrite` where the
//! operator wants a last `head` or `tail` to become a limit of the result, and
//! abstains otherwise. It never allows, and whether a command is dangerous is
//! none of its business: what it leaves alone is judged by others. So in doubt
//! it leaves alone.

mod command;
mod judge;
mod layout;
mod message;
mod normalize;
mod options;
#[cfg(test)]
mod plans;
mod replacement;
mod rules;
mod settings;

use std::sync::{Arc, Mutex, PoisonError};

use bashgate_guest::policy::{Execution, Grant, Guest, Identity, Session, Verdict};

use settings::Settings;

/// What `configure` left behind; the guest's memory is kept after it.
static SETTINGS: Mutex<Option<Arc<Settings>>> = Mutex::new(None);

/// The guest.
pub struct Interceptor;

impl Guest for Interceptor {
    fn describe() -> Identity {
        Identity {
            name: "interceptor".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            summary: "points to a better tool than the shell".to_owned(),
        }
    }

    fn configure(config: String) -> Result<(), String> {
        let settings = Settings::parse(&config)?;
        *SETTINGS.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(settings));
        Ok(())
    }

    fn evaluate(execution: Execution, session: Session, _grants: Vec<Grant>) -> Verdict {
        let settings = SETTINGS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
            .unwrap_or_default();
        judge::judge(&settings, &execution, &session)
    }
}

#[cfg(target_arch = "wasm32")]
bashgate_guest::export_policy!(Interceptor);
