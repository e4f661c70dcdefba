use std::fs;
use std::os::unix::fs::symlink;

use super::*;

/// A home and a workspace of their own.
struct Ground {
    folder: tempfile::TempDir,
    places: Places,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        fs::create_dir_all(base.join("ws/.bashgate")).unwrap();
        fs::create_dir_all(base.join("home/.config/bashgate")).unwrap();
        let home = base.join("home");
        let places = Places::find(
            &environment(&[("HOME", home.to_str().unwrap())]),
            &base.join("ws"),
            Some(Path::new(".")),
        )
        .unwrap();
        Self { folder, places }
    }

    fn file(self, name: &str, text: &str) -> Self {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn user(self, text: &str) -> Self {
        self.file("home/.config/bashgate/config.toml", text)
    }

    fn project(self, text: &str) -> Self {
        self.file("ws/.bashgate/config.toml", text)
    }

    fn load(&self, given: Option<&str>, set: &[&str]) -> Result<Config, ConfigError> {
        let set: Vec<String> = set.iter().map(|&it| it.to_owned()).collect();
        Config::load(&self.places, given.map(Path::new), &set)
    }

    /// The error, with the base of this ground taken out.
    fn error(&self, given: Option<&str>, set: &[&str]) -> String {
        let error = self.load(given, set).unwrap_err().to_string();
        self.without_base(&error)
    }

    fn without_base(&self, text: &str) -> String {
        let real = self.folder.path().canonicalize().unwrap();
        text.replace(real.to_str().unwrap(), "")
            .replace(self.folder.path().to_str().unwrap(), "")
    }
}

fn environment(pairs: &[(&str, &str)]) -> Environment {
    let pairs = pairs.iter();
    pairs
        .map(|&(name, value)| (name.into(), value.into()))
        .collect()
}

#[test]
fn places_come_from_the_environment_alone() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    fs::create_dir_all(base.join("ws/sub")).unwrap();
    fs::create_dir_all(base.join("tmp")).unwrap();
    symlink(base.join("ws"), base.join("link")).unwrap();
    let temporary = base.join("tmp");
    let mut variables = environment(&[
        ("HOME", "/h/u"),
        ("XDG_CONFIG_HOME", "/xdg/config"),
        ("XDG_CACHE_HOME", "relative"),
        ("TMPDIR", temporary.to_str().unwrap()),
    ]);
    let root = Some(Path::new("../link"));
    let places = Places::find(&variables, &base.join("ws"), root).unwrap();
    assert_eq!(places.root, base.join("ws"));
    assert_eq!(places.cwd, base.join("ws"));
    assert_eq!(places.home, Path::new("/h/u"));
    assert_eq!(places.config, Path::new("/xdg/config/bashgate"));
    assert_eq!(places.cache, Path::new("/h/u/.cache/bashgate"));
    assert_eq!(places.data, Path::new("/h/u/.local/share/bashgate"));
    assert_eq!(places.state, Path::new("/h/u/.local/state/bashgate"));
    assert!(places.temporary.contains(&temporary));
    assert!(places.temporary.contains(&"/tmp".into()));

    for too_wide in ["/", "/h", "/h/u", "/h/x/../u", "relative"] {
        variables.insert("TMPDIR".into(), too_wide.into());
        let places = Places::find(&variables, &base, None).unwrap();
        assert_eq!(places.temporary.len(), 3, "{too_wide}");
    }
    for root in ["missing", "/dev/null"] {
        let error = Places::find(&variables, &base, Some(Path::new(root))).unwrap_err();
        assert!(error.to_string().contains(root), "{error}");
    }
    for home in [&[("HOME", "h")][..], &[]] {
        let error = Places::find(&environment(home), &base, None).unwrap_err();
        assert!(error.to_string().starts_with("HOME is not "), "{error}");
    }
}

#[test]
fn the_root_is_the_git_top_level_or_where_one_is() {
    let ground = Ground::new()
        .file("repo/.git/HEAD", "")
        .file("repo/a/b/f", "")
        .file("tree/.git", "gitdir: x")
        .file("tree/a/f", "")
        .file("empty/.git/x", "")
        .file("empty/a/f", "");
    let base = ground.folder.path();
    for (from, root) in [
        ("repo", "repo"),
        ("repo/a/b", "repo"),
        ("tree/a", "tree"),
        ("empty/a", "empty/a"),
    ] {
        assert_eq!(discover_root(&base.join(from)), base.join(root), "{from}");
    }
}

#[test]
fn a_link_through_the_root_is_below_it() {
    let ground = Ground::new().file("ws/p.wasm", "").file("out/p.wasm", "");
    let base = ground.folder.path().canonicalize().unwrap();
    for (link, to) in [
        ("home/into", "../ws"),
        ("home/outer", "../out"),
        ("ws/back", "../out"),
        ("home/through", "into/back"),
        ("home/a", "b"),
        ("home/b", "a"),
    ] {
        symlink(to, base.join(link)).unwrap();
    }
    for (path, below) in [
        ("ws", true),
        ("ws/p.wasm", true),
        ("ws/missing/p.wasm", true),
        ("out/../ws/p.wasm", true),
        ("ws/../out/p.wasm", true),
        ("ws-other/p.wasm", false),
        ("out/p.wasm", false),
        ("missing/p.wasm", false),
        ("home/into/p.wasm", true),
        ("home/outer/p.wasm", false),
        ("home/outer/../ws/p.wasm", true),
        ("ws/back/p.wasm", true),
        ("home/through/p.wasm", true),
        ("home/a/p.wasm", true),
    ] {
        assert_eq!(
            ground.places.is_below_root(&base.join(path)),
            below,
            "{path}"
        );
    }
}

#[test]
fn no_file_is_no_error_but_a_named_one() {
    let ground = Ground::new();
    let config = ground.load(None, &[]).unwrap();
    assert!(config.written().mode.is_none());
    assert_eq!(config.files().count(), 0);
    let error = ground.error(Some("missing.toml"), &[]);
    assert!(
        error.starts_with("/ws/missing.toml: the configuration cannot be read: "),
        "{error}"
    );
}

#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let at = "/home/.config/bashgate/config.toml";
    let big = format!("#{}", "x".repeat(1 << 20));
    let error = Ground::new().user(&big).error(None, &[]);
    assert!(
        error.starts_with(at) && error.contains("over 1 MiB"),
        "{error}"
    );

    let exact = format!("#{}", "x".repeat((1 << 20) - 1));
    assert!(Ground::new().user(&exact).load(None, &[]).is_ok());

    let ground = Ground::new();
    fs::write(ground.places.user_config(), b"mode = '\xff'").unwrap();
    assert!(ground.error(None, &[]).contains("cannot be read"));

    let ground = Ground::new();
    fs::create_dir(ground.places.project_config()).unwrap();
    assert!(ground.error(None, &[]).contains("not a regular file"));

    let ground = Ground::new();
    symlink("nowhere", ground.places.user_config()).unwrap();
    assert!(ground.error(None, &[]).contains("cannot be read"));

    let ground = Ground::new();
    let fifo = ground.places.root.join("fifo");
    let owner = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, owner, 0).unwrap();
    assert!(
        ground
            .error(Some("fifo"), &[])
            .contains("not a regular file")
    );
}

#[test]
fn what_is_wrong_names_file_line_and_key() {
    for (text, parts) in [
        (
            "\n\nrules.denied = ['rm *']",
            &["line 3: rules.denied: unknown field `denied`", "`deny`"][..],
        ),
        (
            "[rules]\ndenied = ['rm *']",
            &["line 2: rules.denied: unknown field"],
        ),
        ("nonsense = 1", &["line 1: nonsense: unknown field"]),
        ("[nonsense]\nx = 1", &["line 1: nonsense: unknown field"]),
        (
            "[rules]\ndeny = [\n  'a',\n  5,\n]",
            &["line 4: rules.deny[1]: ", "integer `5`", "string"],
        ),
        (
            "rules.deny = 'a'",
            &["line 1: rules.deny: ", "write a list"],
        ),
        (
            "mode = 'maybe'",
            &["line 1: mode: `maybe` is none of `on-request`, `unless-trusted`, `never`"],
        ),
        (
            "sandbox_backends = ['native', 'x']",
            &["line 1: sandbox_backends[1]: `x` is none of"],
        ),
        (
            "[timeout]\nmin_ms = -5",
            &["line 2: timeout.min_ms: ", "-5", "not negative"],
        ),
        (
            "[timeout]\nmin_ms = '5s'",
            &["line 2: timeout.min_ms: ", "5s"],
        ),
        ("a = 1\na = 2", &["line 2", "duplicate key"]),
        ("mode = 'never'\na =", &["line 2"]),
        (
            "[[plugin]]\nname = 'x'",
            &["line 1: plugin[0]: missing field `component`; add it"],
        ),
        (
            "[[plugin]]\nname='x'\ncomponent='c'\nextra=1",
            &["line 4: plugin[0].extra: unknown field"],
        ),
        (
            "[[plugin]]\nname='x'\ncomponent='c'\nlimits = { time = 1 }",
            &["line 4: plugin[0].limits.time: unknown field"],
        ),
        (
            "[guests]\nother = { component = 'c' }",
            &["line 2: guests.other: unknown field"],
        ),
        (
            "[interceptor]\n[[interceptor.rule]]\npattern = 'x'",
            &["line 2: interceptor.rule[0]: missing field"],
        ),
        (
            "[bash_arity]\n\"npm run\" = 'x'",
            &["line 2: bash_arity.\"npm run\": "],
        ),
    ] {
        let error = Ground::new().user(text).error(None, &[]);
        assert!(
            error.starts_with("/home/.config/bashgate/config.toml, "),
            "{text}: {error}"
        );
        for part in parts {
            assert!(error.contains(part), "{text}\n{part}\n{error}");
        }
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn later_files_win_per_key_and_lists_of_rules_add_up() {
    let ground = Ground::new()
        .user(
            r#"
            mode = "on-request"
            audit = "off"
            protected_paths = ["a"]
            bash_arity = { "npm run" = 3, "x" = 1 }
            [rules]
            allow = ["cargo *"]
            deny = ["rm *"]
            [timeout]
            default_ms = 1
            max_ms = 2
            [environment]
            pass = ["A"]
            set = { X = "1", Y = "1" }
            [guests]
            tool = { component = "tool.wasm", sha256 = "pin" }
            [[interceptor.rule]]
            pattern = "one"
            tool = "t"
            message = "m"
            [[plugin]]
            name = "first"
            component = "first.wasm"
            "#,
        )
        .project(
            "mode = 'never'\nprotected_paths = ['more']\n\
             rules.ask = ['ls']\nrules.deny = ['ls *']\n",
        )
        .file(
            "given/config.toml",
            r#"
            mode = "unless-trusted"
            protected_paths = ["b"]
            bash_arity = { "x" = 2 }
            [rules]
            deny = ["dd *"]
            [timeout]
            default_ms = 3
            [environment]
            pass = ["B"]
            set = { Y = "2" }
            [guests]
            tool = { component = "/other.wasm" }
            [[interceptor.rule]]
            pattern = "two"
            tool = "t"
            message = "m"
            [[plugin]]
            name = "second"
            component = "../second.wasm"
            "#,
        );
    let given = ground.folder.path().join("given/config.toml");
    let config = ground
        .load(given.to_str(), &["timeout.default_ms=4"])
        .unwrap();
    let written = config.written();
    assert_eq!(written.mode, Some(Mode::UnlessTrusted));
    assert_eq!(written.audit, Some(Audit::Off));
    assert_eq!(
        written.protected_paths.as_deref(),
        Some(&["b".to_owned()][..])
    );
    assert_eq!(config.also_protected(), ["more"]);
    assert_eq!(
        written.bash_arity,
        [("npm run".into(), 3), ("x".into(), 2)].into()
    );
    assert_eq!(written.rules.allow, ["cargo *"]);
    assert_eq!(written.rules.ask, ["ls"]);
    assert_eq!(written.rules.deny, ["rm *", "ls *", "dd *"]);
    assert_eq!(written.timeout.default_ms, Some(4));
    assert_eq!(written.timeout.max_ms, Some(2));
    assert_eq!(
        written.environment.pass.as_deref(),
        Some(&["B".to_owned()][..])
    );
    let set = [("X".into(), "1".into()), ("Y".into(), "2".into())];
    assert_eq!(written.environment.set, set.into());
    let patterns = written
        .interceptor
        .rule
        .iter()
        .map(|rule| rule.pattern.as_str());
    assert_eq!(patterns.collect::<Vec<_>>(), ["one", "two"]);
    let tool = written.guests.get(Slot::Tool).unwrap();
    assert_eq!(tool.component, Path::new("/other.wasm"));
    assert_eq!(tool.sha256, None, "a guest is replaced as a unit");
    let plugins = written.plugin.iter().map(|plugin| {
        let base = config.base(plugin.origin).unwrap().display().to_string();
        (
            ground.without_base(&base),
            plugin.component.to_str().unwrap(),
        )
    });
    let expected = [
        ("/home/.config/bashgate", "first.wasm"),
        ("/given", "../second.wasm"),
    ];
    let expected = expected.map(|(base, file)| (base.to_owned(), file));
    assert_eq!(plugins.collect::<Vec<_>>(), expected);
    let files = config
        .files()
        .map(|file| ground.without_base(file.to_str().unwrap()));
    assert_eq!(
        files.collect::<Vec<_>>(),
        [
            "/home/.config/bashgate/config.toml",
            "/ws/.bashgate/config.toml",
            "/given/config.toml"
        ]
    );
}

#[test]
fn the_project_s_file_may_only_tighten() {
    for text in [
        "mode = 'never'",
        "mode = 'unless-trusted'",
        "sandbox = 'read-only'",
        "sandbox = 'full-access'",
        "[rules]\nask = ['ls']\ndeny = ['rm *']",
        "protected_paths = ['a']",
        "",
    ] {
        let loaded = Ground::new().project(text).load(None, &[]);
        assert!(loaded.is_ok(), "{text}: {loaded:?}");
    }
    for (text, part) in [
        ("[rules]\n[x]\n", "line 2: x: unknown field"),
        (
            "\nmode = 'on-request'",
            "line 2: mode: `on-request` is looser than `unless-trusted`",
        ),
        ("rules.allow = ['ls']", "line 1: rules.allow: "),
        ("[rules]\ndeny = ['a']\nallow = []", "line 3: rules.allow: "),
        ("audit = 'required'", "line 1: audit: "),
        ("sandbox_network = false", "line 1: sandbox_network: "),
        ("[timeout]\nmax_ms = 1000", "line 1: timeout: "),
        ("[[plugin]]\nname = 'x'\ncomponent = 'c'", "line 1: plugin"),
        ("[guests]\ntool = { component = 'c' }", "line 1: guests: "),
        ("[environment]\nset = { A = 'b' }", "line 1: environment: "),
        ("shell.prefix = 'x'", "line 1: shell: "),
        ("[tool]", "line 1: tool: "),
        ("plugin = []", "line 1: plugin: "),
    ] {
        let error = Ground::new().project(text).error(None, &[]);
        let at = format!("/ws/.bashgate/config.toml, {part}");
        assert!(error.starts_with(&at), "{text}: {error}");
    }

    let user = "mode = 'on-request'\nsandbox = 'workspace-write'";
    for text in [
        "mode = 'on-request'\nsandbox = 'read-only'",
        "mode = 'never'",
    ] {
        let loaded = Ground::new().user(user).project(text).load(None, &[]);
        assert!(loaded.is_ok(), "{text}: {loaded:?}");
    }
    let ground = Ground::new().user(user).project("sandbox = 'full-access'");
    let error = ground.error(None, &[]);
    let part = "sandbox: `full-access` is looser than `workspace-write`";
    assert!(error.contains(part), "{error}");
}

#[test]
fn assignments_take_toml_values_and_bare_words() {
    let config = Ground::new()
        .load(
            None,
            &[
                "mode = never",
                "timeout.default_ms=5000",
                "terminal.enabled = false",
                "shell.prefix=nice -n 5",
                "environment.set.N=1",
                "environment.set.EQ=a=b",
                "environment.set.DAY=2026-01-01",
                "rules.ask=['a', \"b\"]",
                "bash_arity.\"npm run\"=3",
                "output.keep='tail'",
                "interceptor.rule=[{pattern='(',tool='t',message='m'}]",
            ],
        )
        .unwrap();
    let written = config.written();
    assert_eq!(written.mode, Some(Mode::Never));
    assert_eq!(written.timeout.default_ms, Some(5000));
    assert_eq!(written.terminal.enabled, Some(false));
    assert_eq!(written.shell.prefix.as_deref(), Some("nice -n 5"));
    let set = [("N", "1"), ("EQ", "a=b"), ("DAY", "2026-01-01")];
    let set = set.map(|(name, value)| (name.into(), value.into()));
    assert_eq!(written.environment.set, set.into());
    assert_eq!(written.rules.ask, ["a", "b"]);
    assert_eq!(written.bash_arity, [("npm run".into(), 3)].into());
    assert_eq!(written.output.keep, Some(Keep::Tail));
    assert_eq!(written.interceptor.rule.len(), 1);
}

#[test]
fn a_wrong_assignment_quotes_its_key() {
    for (set, start) in [
        ("denied=x", "--set denied: denied: unknown field `denied`"),
        (
            "timeout.default_ms=5s",
            "--set timeout.default_ms: timeout.default_ms: invalid type: string \"5s\"",
        ),
        (
            "rules.deny=git push",
            "--set rules.deny: rules.deny: invalid type: string \"git push\"",
        ),
        ("mode=sometimes", "--set mode: mode: `sometimes` is none of"),
        ("mode='never'\nrules.allow=['*']", "--set mode: mode: "),
        ("x={a=1}", "--set x: x: unknown field"),
        ("mode", "--set mode: there is no `=`"),
        ("=x", "--set : what stands before `=` is no key"),
        ("a b=x", "--set a b: what stands before `=` is no key"),
        (
            "[rules]\nallow=['*']",
            "--set [rules]\nallow: what stands before `=` is no key",
        ),
        (
            "# mode=never",
            "--set # mode: what stands before `=` is no key",
        ),
        ("a.{b=1}", "--set a.{b: what stands before `=` is no key"),
    ] {
        let error = Ground::new().error(None, &[set]);
        assert!(error.starts_with(start), "{set}: {error}");
    }
}

#[test]
fn a_guest_s_complaint_finds_its_line() {
    let ground = Ground::new()
        .user("[rules]\nallow = ['git push *']\ndeny = [\n'git:* push',\n'git',\n'',\n'a \"b'\n]\n")
        .file(
            "ws/given.toml",
            "[[interceptor.rule]]\npattern = '^\\s*curl\\b('\ntool = 'fetch'\nmessage = 'm'\n\
             [rules]\nask = ['git']\n",
        );
    let config = ground
        .load(Some("given.toml"), &["rules.deny=['Bash(x)']"])
        .unwrap();
    let user = |line| Some(format!("/home/.config/bashgate/config.toml, line {line}"));
    let given = |line| Some(format!("/ws/given.toml, line {line}"));
    for (message, place) in [
        (r#"rules.deny: "git:* push": a colon"#, user(4)),
        (r#""git:* push": a colon"#, user(4)),
        (r#"rules.ask: "git": bad"#, given(6)),
        (r#"rules.deny: "git": bad"#, user(5)),
        (r#"rules.deny: "": empty"#, user(6)),
        (r#"rules.deny: "a \"b": open quote"#, user(7)),
        (r#"rules.deny: `a "b`: open quote"#, user(7)),
        (r#"interceptor.rule: "^\\s*curl\\b(": unclosed"#, given(2)),
        (r"interceptor.rule: ^\s*curl\b( is unclosed", given(2)),
        (
            r#"rules.deny: "Bash(x)": foreign"#,
            Some("--set rules.deny".to_owned()),
        ),
        ("rules.allow: too many", user(2)),
        ("something else", None),
        (r#"nonsense: "nothing of ours""#, None),
        ("", None),
    ] {
        let found = config
            .locate(message)
            .map(|it| ground.without_base(&it.to_string()));
        assert_eq!(found, place, "{message}");
    }
    for (message, said) in [
        (
            r#"rules.deny: "git:* push": a colon"#,
            r#"config.toml, line 4: rules.deny: "git:* push": a colon"#,
        ),
        (
            r#""git:* push": a colon"#,
            r#"config.toml, line 4: rules.deny: "git:* push": a colon"#,
        ),
        ("something\nelse", "something else"),
    ] {
        let error = config.blame(message).to_string();
        assert!(error.ends_with(said), "{error}");
    }
}
