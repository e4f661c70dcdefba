//! What the guests of the tests share: the parts that behave.
//!
//! Each example of this package is one guest, named for its one way to
//! misbehave (or to behave in a way that a test needs). Nothing here is for
//! use outside the tests.

pub use bashgate_guest as guest;

use bashgate_guest::policy::{Finding, Identity, Question, Span, Verdict};

/// The name and version that a guest of the tests goes by.
#[must_use]
pub fn identity(name: &str) -> Identity {
    Identity {
        name: name.to_owned(),
        version: "9.9.9".to_owned(),
        summary: "a guest of the tests".to_owned(),
    }
}

/// A finding named after the guest, about the given part of the script.
#[must_use]
pub fn finding(rule: &str, span: Option<Span>) -> Finding {
    Finding {
        rule: rule.to_owned(),
        message: format!("says {rule}"),
        span,
    }
}

/// An `ask` about the given part of the script.
#[must_use]
pub fn asking(rule: &str, span: Option<Span>) -> Verdict {
    Verdict::Ask(Question {
        findings: vec![finding(rule, span)],
        offers: Vec::new(),
    })
}

/// A policy guest that describes and configures itself as it should, and
/// judges by the given function from execution to verdict.
#[macro_export]
macro_rules! policy {
    ($name:literal, $judge:expr) => {
        /// The guest.
        pub struct Policy;

        impl $crate::guest::policy::Guest for Policy {
            fn describe() -> $crate::guest::policy::Identity {
                $crate::identity($name)
            }

            fn configure(_: String) -> Result<(), String> {
                Ok(())
            }

            fn evaluate(
                execution: $crate::guest::policy::Execution,
                _: $crate::guest::policy::Session,
                _: Vec<$crate::guest::policy::Grant>,
            ) -> $crate::guest::policy::Verdict {
                let judge: fn(&$crate::guest::policy::Execution) -> $crate::guest::policy::Verdict =
                    $judge;
                judge(&execution)
            }
        }

        #[cfg(target_arch = "wasm32")]
        bashgate_guest::export_policy!(Policy);
    };
}

/// A policy guest that abstains, with a `describe` or `configure` of its own.
#[macro_export]
macro_rules! unready_policy {
    (describe: $describe:expr, configure: $configure:expr) => {
        /// The guest.
        pub struct Policy;

        impl $crate::guest::policy::Guest for Policy {
            fn describe() -> $crate::guest::policy::Identity {
                let describe: fn() -> $crate::guest::policy::Identity = $describe;
                describe()
            }

            fn configure(config: String) -> Result<(), String> {
                let configure: fn(&str) -> Result<(), String> = $configure;
                configure(&config)
            }

            fn evaluate(
                _: $crate::guest::policy::Execution,
                _: $crate::guest::policy::Session,
                _: Vec<$crate::guest::policy::Grant>,
            ) -> $crate::guest::policy::Verdict {
                $crate::guest::policy::abstain()
            }
        }

        #[cfg(target_arch = "wasm32")]
        bashgate_guest::export_policy!(Policy);
    };
}

/// An analyzer guest that behaves but for how it makes a plan of its input.
#[macro_export]
macro_rules! analyzer {
    ($name:literal, $analyze:expr) => {
        /// The guest.
        pub struct Analyzer;

        impl $crate::guest::analyzer::Guest for Analyzer {
            fn describe() -> $crate::guest::policy::Identity {
                $crate::identity($name)
            }

            fn configure(_: String) -> Result<(), String> {
                Ok(())
            }

            fn analyze(input: $crate::guest::analyzer::Input) -> $crate::guest::policy::Plan {
                let analyze: fn(&$crate::guest::analyzer::Input) -> $crate::guest::policy::Plan =
                    $analyze;
                analyze(&input)
            }
        }

        #[cfg(target_arch = "wasm32")]
        bashgate_guest::export_analyzer!(Analyzer);
    };
}
