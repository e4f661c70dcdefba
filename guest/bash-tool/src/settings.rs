//! This guest's part of the configuration: `[tool]`.

use serde::Deserialize;

/// What the operator may change about the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Makes an exit code other than 0 an error of the tool. Default: false,
    /// because `grep` that finds nothing is an answer, not a failure.
    pub nonzero_exit_is_error: bool,
}

impl Settings {
    /// What holds where nothing is configured.
    pub const DEFAULT: Settings = Settings {
        nonzero_exit_is_error: false,
    };

    /// Reads the JSON that `configure` is given; nothing at all means the
    /// defaults.
    ///
    /// # Errors
    ///
    /// A text that names the unknown key or the value that does not fit.
    pub fn parse(config: &str) -> Result<Settings, String> {
        if config.trim().is_empty() {
            return Ok(Settings::DEFAULT);
        }
        serde_json::from_str(config)
            .map_err(|error| format!("the configuration of the bash tool does not fit: {error}"))
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings::DEFAULT
    }
}

#[cfg(test)]
mod tests {
    use super::Settings;

    #[test]
    fn configuration_is_read_strictly() {
        for (config, wanted) in [
            ("", Some(false)),
            ("{}", Some(false)),
            (r#"{"nonzero_exit_is_error":true}"#, Some(true)),
            (r#"{"nonzero_exit_is_error":"yes"}"#, None),
            (r#"{"nonzero_exit_is_eror":true}"#, None),
            ("[1]", None),
            ("{", None),
        ] {
            let read = Settings::parse(config).map(|settings| settings.nonzero_exit_is_error);
            assert_eq!(read.clone().ok(), wanted, "{config}: {read:?}");
        }
        let error = Settings::parse(r#"{"nonzero_exit_is_eror":true}"#).unwrap_err();
        assert!(error.contains("nonzero_exit_is_eror"), "{error}");
    }
}
