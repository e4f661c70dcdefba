use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;

use super::*;

const DIGITS: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789ABCDEF";

/// A home and a workspace of their own.
struct Ground {
    folder: tempfile::TempDir,
    places: Places,
    environment: Environment,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("ws/plugins")).unwrap();
        fs::create_dir_all(base.join("home/.config/bashgate")).unwrap();
        let environment: Environment = [("HOME".into(), base.join("home").into())].into();
        let places = Places::find(&environment, &base, Some(Path::new("ws"))).unwrap();
        Self {
            folder,
            places,
            environment,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn resolve(&self, text: &str) -> Result<Settings, ConfigError> {
        fs::write(self.places.user_config(), text).unwrap();
        let config = Config::load(&self.places, None, &[])?;
        Settings::resolve(&config, &self.places, &self.environment)
    }
}

#[track_caller]
fn assert_refused(text: &str, part: &str) {
    let error = Ground::new().resolve(text).unwrap_err().to_string();
    assert!(error.contains("/config.toml, line "), "{text}: {error}");
    assert!(error.contains(part), "{text}\n{part}\n{error}");
    assert!(error.contains("; "), "no fix: {error}");
}

#[test]
fn nothing_written_is_the_documented_default() {
    let ground = Ground::new();
    let config = Config::load(&ground.places, None, &[]).unwrap();
    let settings = Settings::resolve(&config, &ground.places, &ground.environment).unwrap();
    assert_eq!(settings.mode, Mode::UnlessTrusted);
    assert_eq!(settings.sandbox.mode, SandboxMode::FullAccess);
    assert!(!settings.sandbox.network && !settings.sandbox.required);
    assert_eq!(
        settings.sandbox.backends,
        [Backend::Native, Backend::Bubblewrap, Backend::Landlock]
    );
    assert_eq!(settings.audit, Audit::Required);
    assert_eq!(settings.rules, Rules::default());
    assert_eq!(settings.approval_wait, Some(Duration::from_secs(600)));
    assert_eq!(
        settings.timeout,
        Timeout {
            default: Duration::from_secs(120),
            min: Duration::from_secs(1),
            max: Duration::from_secs(3600),
            grace: Duration::from_millis(500),
        }
    );
    assert_eq!(
        settings.output,
        Output {
            max_lines: 2000,
            max_bytes: 51_200,
            keep: Keep::Both,
            streams: Streams::Merged,
            spill_max_bytes: 1_073_741_824,
        }
    );
    assert_eq!(settings.environment, Variables::default());
    assert!(settings.shell.program.ends_with("bash"));
    assert!(settings.shell.login && settings.shell.prefix.is_empty());
    assert_eq!(settings.shell.snapshot, Snapshot::Environment);
    assert!(settings.terminal.enabled);
    assert_eq!(settings.terminal.esc, EscKey::Kill);
    assert!(!settings.nonzero_exit_is_error);
    assert!(settings.interceptor.enabled && !settings.interceptor.normalize);
    assert!(settings.guests.is_empty() && settings.plugins.is_empty());
    assert_eq!(settings.guest_config(Slot::Analyzer), json!({}));
}

#[test]
fn every_key_is_understood() {
    let ground = Ground::new();
    let text = format!(
        r#"
mode = "unless-trusted"
sandbox = "full-access"
sandbox_network = false
sandbox_required = false
sandbox_backends = ["native", "bubblewrap", "landlock"]
protected_paths = [".git", "~/.ssh"]
audit = "required"
[rules]
allow = ["cargo *", "npm run build"]
ask   = ["git push *"]
deny  = ["git push --force *", "grep * /etc/*"]
[bash_arity]
"npm run" = 3
[approval]
wait_ms = 0
[timeout]
default_ms = 120000
min_ms = 1000
max_ms = 3600000
grace_ms = 500
[output]
max_lines = 2000
max_bytes = 51200
keep = "both"
streams = "merged"
spill_max_bytes = 1073741824
[environment]
pass = ["JAVA_HOME"]
withhold = ["*_INTERNAL"]
set = {{ RUST_BACKTRACE = "1" }}
[shell]
program = "/bin/bash"
login = true
snapshot = "environment"
prefix = ""
[terminal]
enabled = true
esc = "kill"
[tool]
nonzero_exit_is_error = false
[interceptor]
enabled = true
normalize = false
[[interceptor.rule]]
pattern = '^\s*curl\b'
tool = "fetch"
message = "Use the fetch tool."
[guests]
tool = {{ component = "my_tool.wasm", sha256 = "{DIGITS}" }}
[[plugin]]
name = "no-force-push"
component = "plugins/no_force_push.wasm"
sha256 = "sha256:{DIGITS}"
required = true
may_allow = false
shadow = false
config = {{ branches = ["main"], since = 2026-01-01, deep = {{ ratio = 0.5, on = true }} }}
limits = {{ evaluate_ms = 50, wall_ms = 250, memory_mib = 64, answer_kib = 256 }}
grants = {{}}
"#
    );
    let settings = ground.resolve(&text).unwrap();
    let pin = Pin::parse(DIGITS);
    assert!(pin.is_some());
    let own = |name: &str| ground.places.config.join(name);
    assert_eq!(settings.approval_wait, None);
    assert_eq!(settings.environment.withhold, ["*_INTERNAL"]);
    assert_eq!(
        settings.environment.set,
        [("RUST_BACKTRACE".into(), "1".into())].into()
    );
    let tool = Component {
        path: own("my_tool.wasm"),
        pin,
    };
    assert_eq!(settings.component(Slot::Tool), Some(&tool));
    assert_eq!(settings.component(Slot::Analyzer), None);
    assert_eq!(
        settings.plugins,
        [Plugin {
            name: "no-force-push".into(),
            component: Component {
                path: own("plugins/no_force_push.wasm"),
                pin
            },
            required: true,
            may_allow: false,
            shadow: false,
            config: json!({
                "branches": ["main"],
                "since": "2026-01-01",
                "deep": { "ratio": 0.5, "on": true },
            }),
            limits: Limits::default(),
        }]
    );
    assert_eq!(
        settings.guest_config(Slot::Tool),
        json!({ "nonzero_exit_is_error": false })
    );
    assert_eq!(
        settings.guest_config(Slot::Interceptor),
        json!({
            "enabled": true,
            "normalize": false,
            "rule": [{ "pattern": r"^\s*curl\b", "tool": "fetch", "message": "Use the fetch tool." }],
        })
    );
    assert_eq!(
        settings.guest_config(Slot::Approval),
        json!({
            "rules": {
                "allow": ["cargo *", "npm run build"],
                "ask": ["git push *"],
                "deny": ["git push --force *", "grep * /etc/*"],
            },
            "bash_arity": { "npm run": 3 },
        })
    );
}

#[test]
fn bash_by_any_of_its_names() {
    for program in [
        "/bin/bash",
        "/opt/bash-5.2",
        "/opt/bash5",
        "/usr/local/bin/bash",
    ] {
        let settings = Ground::new()
            .resolve(&format!("shell.program = '{program}'"))
            .unwrap();
        assert_eq!(settings.shell.program, Path::new(program));
    }
}

#[test]
fn plugins_that_do_not_hold() {
    for (table, part) in [
        (
            "name = ''\ncomponent = 'c'",
            "line 2: plugin.name: `` is no name",
        ),
        (
            "name = 'a b'\ncomponent = 'c'",
            "plugin.name: `a b` is no name",
        ),
        (
            "name = 'approval'\ncomponent = 'c'",
            "plugin.name: `approval` is a name of bashgate's own",
        ),
        (
            "name = 'bash-tool'\ncomponent = 'c'",
            "plugin.name: `bash-tool` is a name of bashgate's own",
        ),
        (
            "name = 'x'\ncomponent = ''",
            "line 3: plugin.component: `` is no path",
        ),
        (
            "name = 'x'\ncomponent = 'c'\nsha256 = 'abc'",
            "line 4: plugin.sha256: `abc` is no SHA-256",
        ),
        (
            "name = 'x'\ncomponent = 'c'\ngrants = { preopen = { 'rules' = 'read' } }",
            "line 4: plugin.grants: this build grants nothing to plugins, and `x` wants some",
        ),
        (
            "name = 'x'\ncomponent = 'c'\ngrants = { environment = ['A'] }",
            "line 4: plugin.grants: ",
        ),
        (
            "name = 'x'\ncomponent = 'c'\nlimits = { evaluate_ms = 0 }",
            "line 4: plugin.limits.evaluate_ms: 0 is out of bounds",
        ),
        (
            "name = 'x'\ncomponent = 'c'\nlimits = { memory_mib = 1025 }",
            "plugin.limits.memory_mib: 1025 is out of bounds: 1 to 1024",
        ),
        (
            "name = 'x'\ncomponent = 'c'\n[plugin.limits]\nwall_ms = 49",
            "line 5: plugin.limits.wall_ms: 49 is less",
        ),
        (
            "name = 'x'\ncomponent = 'c'\nconfig = { a = { b = inf } }",
            "line 4: plugin.config.a.b: inf is no number",
        ),
        (
            "name = 'x'\ncomponent = 'c'\n[[plugin]]\nname = 'x'\ncomponent = 'd'",
            "line 5: plugin.name: there is another plugin named `x`",
        ),
    ] {
        assert_refused(&format!("[[plugin]]\n{table}"), part);
    }
    let drawn =
        "[[plugin]]\nname='x'\ncomponent='c'\nlimits={evaluate_ms=400}\ngrants={environment=[]}";
    let settings = Ground::new().resolve(drawn).unwrap();
    let limits = settings.plugins.first().unwrap().limits;
    assert_eq!(limits.evaluate, Duration::from_millis(400));
    assert_eq!(limits.wall, limits.evaluate);
}

#[test]
fn pins_are_shown_as_digests_are() {
    let pin = Pin::parse(DIGITS).unwrap();
    let shown = format!("sha256:{}", DIGITS.to_lowercase());
    assert_eq!(pin.to_string(), shown);
    assert_eq!(Pin::parse(&shown), Some(pin));
    assert_eq!(pin.0.get(..3), Some(&[0x01, 0x23, 0x45][..]));
    let foreign = DIGITS.replacen('0', "g", 1);
    for wrong in ["", "sha256:", &DIGITS[1..], &foreign, &format!("{DIGITS}0")] {
        assert_eq!(Pin::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn values_out_of_bounds_name_their_line() {
    for (text, part) in [
        (
            "[timeout]\nmin_ms = 0",
            "line 2: timeout.min_ms: 0 is out of bounds",
        ),
        (
            "[timeout]\nmax_ms = 604800001",
            "line 2: timeout.max_ms: 604800001 is out of bounds",
        ),
        (
            "[timeout]\nmin_ms = 5\nmax_ms = 4",
            "line 2: timeout.min_ms: 5 is over timeout.max_ms, 4",
        ),
        (
            "[timeout]\nmax_ms = 4000\ndefault_ms = 5000",
            "line 3: timeout.default_ms: 5000 is not between",
        ),
        (
            "[timeout]\ndefault_ms = 5",
            "line 2: timeout.default_ms: 5 is not between",
        ),
        ("[timeout]\ngrace_ms = 60001", "line 2: timeout.grace_ms: "),
        ("approval.wait_ms = 604800001", "line 1: approval.wait_ms: "),
        (
            "output.max_lines = 0",
            "line 1: output.max_lines: 0 is out of bounds: 1 to 1000000",
        ),
        ("output.max_bytes = 16777217", "line 1: output.max_bytes: "),
        (
            "output.spill_max_bytes = 1099511627777",
            "line 1: output.spill_max_bytes: ",
        ),
        (
            "[bash_arity]\n\"npm run\" = 17",
            "line 2: bash_arity.\"npm run\": ",
        ),
        ("bash_arity.npm = 0", "line 1: bash_arity.npm: "),
        ("bash_arity.' ' = 1", "line 1: bash_arity.\" \": "),
        (
            "shell.program = '/usr/bin/zsh'",
            "`/usr/bin/zsh` is not bash",
        ),
        ("shell.program = '/bin/sh'", "`/bin/sh` is not bash"),
        (
            "shell.program = '/bin/bashful'",
            "`/bin/bashful` is not bash",
        ),
        (
            "shell.program = 'bash'",
            "line 1: shell.program: `bash` is not an absolute path",
        ),
        ("shell.prefix = \"a\\u0000\"", "line 1: shell.prefix: "),
        (
            "environment.set = { 'A=B' = 'x' }",
            "line 1: environment.set: `A=B` is no name",
        ),
        (
            "environment.set = { A = \"\\u0000\" }",
            "line 1: environment.set: the value of `A` has a NUL",
        ),
        (
            "environment.pass = [\n'A',\n'']",
            "line 3: environment.pass: `` is no name",
        ),
        (
            "protected_paths = [\n'a',\n'*.pem']",
            "line 3: protected_paths: `*.pem` has a wildcard",
        ),
        (
            "protected_paths = ['']",
            "line 1: protected_paths: `` is empty",
        ),
        ("protected_paths = ['~root/x']", "another user's home"),
    ] {
        assert_refused(text, part);
    }
}

#[test]
fn a_bound_draws_along_what_is_not_written() {
    for (text, (min, default, max)) in [
        ("", (1000, 120_000, 3_600_000)),
        ("max_ms = 5000", (1000, 5000, 5000)),
        ("max_ms = 500", (500, 500, 500)),
        ("min_ms = 100", (100, 120_000, 3_600_000)),
        ("min_ms = 200000", (200_000, 200_000, 3_600_000)),
        ("min_ms = 4000000", (4_000_000, 4_000_000, 4_000_000)),
        ("default_ms = 2000\nmax_ms = 5000", (1000, 2000, 5000)),
        ("default_ms = 50\nmin_ms = 50\nmax_ms = 50", (50, 50, 50)),
    ] {
        let settings = Ground::new()
            .resolve(&format!("[timeout]\n{text}"))
            .unwrap();
        let timeout = settings.timeout;
        let found = [timeout.min, timeout.default, timeout.max].map(|it| it.as_millis());
        assert_eq!(found, [min, default, max], "{text}");
    }
}

#[test]
fn the_terminal_yields_to_the_environment() {
    for (value, enabled) in [("1", false), ("yes", true), ("0", true), ("", true)] {
        let mut ground = Ground::new();
        ground
            .environment
            .insert("BASHGATE_NO_PTY".into(), value.into());
        let settings = ground.resolve("terminal.enabled = true").unwrap();
        assert_eq!(settings.terminal.enabled, enabled, "{value:?}");
    }
    let ground = Ground::new();
    assert!(
        !ground
            .resolve("terminal.enabled = false")
            .unwrap()
            .terminal
            .enabled
    );
}

#[test]
fn a_component_under_the_root_needs_a_pin() {
    let ground = Ground::new();
    symlink(ground.path("ws/plugins"), ground.path("home/alias")).unwrap();
    let inside = [
        ground.path("ws/plugins/p.wasm").display().to_string(),
        ground.path("ws/plugins/missing.wasm").display().to_string(),
        ground
            .path("home/../ws/plugins/missing.wasm")
            .display()
            .to_string(),
        ground.path("home/alias/p.wasm").display().to_string(),
        "../../alias/p.wasm".to_owned(),
        "../../../ws/p.wasm".to_owned(),
        "~/alias/p.wasm".to_owned(),
        "~/../ws/p.wasm".to_owned(),
    ];
    for path in inside {
        for (text, key) in [
            (
                format!("[[plugin]]\nname='gone'\ncomponent='{path}'\nrequired=true"),
                "line 3: plugin.component: ",
            ),
            (
                format!("[guests]\nanalyzer.component = '{path}'"),
                "line 2: guests.analyzer.component: ",
            ),
        ] {
            let error = ground.resolve(&text).unwrap_err().to_string();
            assert!(
                error.contains(key) && error.contains("has no pin"),
                "{error}"
            );
            assert!(error.contains("sha256sum "), "{error}");
        }
        let pinned =
            format!("[guests]\nanalyzer = {{ component = '{path}', sha256 = '{DIGITS}' }}");
        let settings = ground.resolve(&pinned).unwrap();
        let component = settings.component(Slot::Analyzer).unwrap();
        assert!(component.pin.is_some());
        assert!(component.path.is_absolute(), "{}", component.path.display());
    }
    for (written, path) in [
        ("p.wasm", ground.places.config.join("p.wasm")),
        ("../p.wasm", ground.path("home/.config/p.wasm")),
        ("~/p.wasm", ground.path("home/p.wasm")),
        ("/opt/p.wasm", "/opt/p.wasm".into()),
    ] {
        let settings = ground
            .resolve(&format!("guests.tool.component = '{written}'"))
            .unwrap();
        let component = settings.component(Slot::Tool).unwrap();
        assert_eq!(*component, Component { path, pin: None });
    }
}

#[test]
fn the_project_s_patterns_are_kept_whatever_the_user_writes() {
    let ground = Ground::new();
    fs::create_dir(ground.path("ws/.bashgate")).unwrap();
    fs::write(
        ground.places.project_config(),
        "protected_paths = ['more', '/srv/x']",
    )
    .unwrap();
    for text in ["", "protected_paths = []"] {
        let settings = ground.resolve(text).unwrap();
        let guards = |pattern: &str| settings.protected.iter().any(|it| it.pattern == pattern);
        assert!(guards("more") && guards("/srv/x"), "{text}");
        assert_eq!(guards(".git"), text.is_empty());
    }
}

#[test]
fn protected_patterns_and_what_they_stand_for() {
    let ground = Ground::new();
    let settings = ground
        .resolve(
            "protected_paths = ['.git', 'a/', './b', 'c/d', '~/e', '~', '/f', '../g']\n\
             [[plugin]]\nname = 'x'\ncomponent = 'x.wasm'",
        )
        .unwrap();
    let (own, written): (Vec<_>, Vec<_>) = settings.protected.iter().partition(|it| it.own);
    let path = |name: &str| Guarded::Path(ground.path(name));
    let expected = [
        (".git", Guarded::Name(".git".into())),
        ("a/", Guarded::Name("a".into())),
        ("./b", path("ws/b")),
        ("c/d", path("ws/c/d")),
        ("~/e", path("home/e")),
        ("~", path("home")),
        ("/f", Guarded::Path("/f".into())),
        ("../g", path("g")),
    ];
    let found = written
        .iter()
        .map(|it| (it.pattern.as_str(), it.guarded.clone()));
    assert_eq!(found.collect::<Vec<_>>(), expected);
    let component = ground.places.config.join("x.wasm");
    let examples = ground.places.config.join("x.wasm.examples.toml");
    let places = &ground.places;
    let folders = [&places.config, &places.cache, &places.data, &places.state];
    let user = places.user_config();
    let files = [&user, &component, &examples];
    for path in folders.into_iter().chain(files) {
        let guarded = Guarded::Path(path.clone());
        assert!(
            own.iter().any(|it| it.guarded == guarded),
            "{}",
            path.display()
        );
    }

    let default = ground.resolve("").unwrap();
    for pattern in [
        ".git",
        ".agents",
        ".codex",
        ".bashgate",
        "~/.ssh",
        "~/.bashrc",
        "~/.profile",
        "~/.zshenv",
    ] {
        let there = default
            .protected
            .iter()
            .any(|it| it.pattern == pattern && !it.own);
        assert!(there, "{pattern}");
    }
    let none = ground.resolve("protected_paths = []").unwrap();
    assert!(none.protected.iter().all(|it| it.own));
    assert_eq!(none.protected.len(), 5);
}
