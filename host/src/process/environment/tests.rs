use super::*;

fn host(entries: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    entries
        .iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

fn vars(entries: &[(&str, &str)]) -> Vars {
    host(entries).into_iter().collect()
}

fn strings(entries: &[&str]) -> Vec<String> {
    entries.iter().map(|&entry| entry.to_owned()).collect()
}

/// Nothing that hardening adds.
fn bare() -> Policy {
    Policy {
        audience: Audience::Person {
            term: "xterm".to_owned(),
        },
        git_disarmed: false,
        ..Policy::default()
    }
}

impl Frozen {
    fn get(&self, name: &str) -> Option<&str> {
        let found = self.vars.iter().find(|(known, _)| known == name);
        found.and_then(|(_, value)| value.to_str())
    }
}

#[test]
fn only_core_names_and_passed_ones_come_from_the_host() {
    let policy = Policy {
        pass: strings(&["JAVA_HOME", "MY_*"]),
        ..bare()
    };
    let frozen = build(
        host(&[
            ("HOME", "/h"),
            ("LC_ALL", "C"),
            ("JAVA_HOME", "/j"),
            ("MY_X", "1"),
            ("OTHER", "x"),
            ("PATH", "/bin"),
            ("TZ", "UTC"),
        ]),
        &policy,
    );
    for (name, value) in [
        ("HOME", "/h"),
        ("LC_ALL", "C"),
        ("JAVA_HOME", "/j"),
        ("MY_X", "1"),
        ("TZ", "UTC"),
    ] {
        assert_eq!(frozen.get(name), Some(value), "{name}");
    }
    assert_eq!((frozen.get("OTHER"), frozen.withheld.len()), (None, 0));
}

#[test]
fn secrets_and_code_are_withheld_and_named() {
    let policy = Policy {
        pass: strings(&["ACME_TOKEN", "X_INTERNAL", "LD_PRELOAD", "BASH_ENV"]),
        withhold: strings(&["*_INTERNAL", "TZ"]),
        ..bare()
    };
    let names = [
        "ACME_TOKEN",
        "DB_PASSWORD",
        "LC_TOKEN",
        "X_INTERNAL",
        "LD_PRELOAD",
        "BASH_ENV",
        "TZ",
        "EDITOR",
    ];
    let frozen = build(names.map(|name| (name.into(), "v".into())), &policy);
    assert_eq!(frozen.get("ACME_TOKEN"), Some("v"));
    assert_eq!(
        frozen.withheld,
        [
            "BASH_ENV",
            "DB_PASSWORD",
            "LC_TOKEN",
            "LD_PRELOAD",
            "TZ",
            "X_INTERNAL"
        ]
    );
    for name in &frozen.withheld {
        assert_eq!(frozen.get(name), None, "{name}");
    }
    assert!(!format!("{frozen:?}").contains("\"v\""));
}

#[test]
fn each_layer_beats_the_one_below() {
    let layers = ["LANG", "A", "B", "C", "D"];
    let all = |value: &str, from: usize| {
        layers
            .iter()
            .skip(from)
            .map(|name| (name.to_string(), value.to_owned()))
            .collect::<Vec<_>>()
    };
    let os = |from, value| {
        all(value, from)
            .into_iter()
            .map(|(n, v)| (n.into(), v.into()))
            .collect::<Vars>()
    };
    let policy = Policy {
        login: os(1, "login"),
        session: os(2, "session"),
        adjustments: vec![Adjustment {
            set: all("guest", 3),
            withhold: vec![],
        }],
        set: all("set", 4).into_iter().collect(),
        ..bare()
    };
    let frozen = build(host(&[("LANG", "host"), ("A", "host")]), &policy);
    let values = layers.map(|name| frozen.get(name).unwrap().to_owned());
    assert_eq!(values, ["host", "login", "session", "guest", "set"]);
}

#[test]
fn the_login_shell_hands_out_no_secrets_either() {
    let login = vars(&[
        ("OPENAI_API_KEY", "v"),
        ("LD_PRELOAD", "v"),
        ("GOPATH", "/go"),
        ("BASH_FUNC_f%%", "() { :; }"),
    ]);
    let frozen = build(host(&[]), &Policy { login, ..bare() });
    assert_eq!(frozen.get("GOPATH"), Some("/go"));
    assert_eq!(
        frozen.withheld,
        ["BASH_FUNC_f%%", "LD_PRELOAD", "OPENAI_API_KEY"]
    );
}

#[test]
fn guests_take_away_but_load_no_code() {
    let guest = Adjustment {
        set: vec![
            ("LD_PRELOAD".into(), "/evil".into()),
            ("GIT_CONFIG_COUNT".into(), "0".into()),
            ("OK".into(), "1".into()),
        ],
        withhold: strings(&["TZ", "J*"]),
    };
    let policy = Policy {
        pass: strings(&["JAVA_HOME"]),
        adjustments: vec![guest],
        ..bare()
    };
    let frozen = build(host(&[("TZ", "UTC"), ("JAVA_HOME", "/j")]), &policy);
    assert_eq!(frozen.get("OK"), Some("1"));
    assert_eq!(
        frozen.withheld,
        ["GIT_CONFIG_COUNT", "JAVA_HOME", "LD_PRELOAD", "TZ"]
    );
    for name in &frozen.withheld {
        assert_eq!(frozen.get(name), None, "{name}");
    }
}

#[test]
fn the_path_holds_absolute_elements_only() {
    for (path, expected) in [
        (
            "/usr/local/bin:/usr/bin::/bin:.",
            "/usr/local/bin:/usr/bin:/bin",
        ),
        (":/bin", "/bin"),
        ("bin:~/bin:/a", "/a"),
        ("", DEFAULT_PATH),
        (".", DEFAULT_PATH),
    ] {
        assert_eq!(
            build(host(&[("PATH", path)]), &bare()).get("PATH"),
            Some(expected),
            "{path}"
        );
        let set = BTreeMap::from([("PATH".to_owned(), path.to_owned())]);
        assert_eq!(
            build(host(&[]), &Policy { set, ..bare() }).get("PATH"),
            Some(expected),
            "{path}"
        );
    }
    assert_eq!(build(host(&[]), &bare()).get("PATH"), Some(DEFAULT_PATH));
}

#[test]
fn an_unattended_command_asks_nobody() {
    let frozen = build(
        host(&[("TERM", "xterm"), ("PAGER", "less")]),
        &Policy::default(),
    );
    for (name, value) in [
        ("PAGER", "cat"),
        ("GIT_PAGER", "cat"),
        ("EDITOR", "true"),
        ("GIT_EDITOR", "true"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("CI", "1"),
        ("NO_COLOR", "1"),
        ("TERM", "dumb"),
        ("GIT_ASKPASS", ""),
        ("DEBIAN_FRONTEND", "noninteractive"),
    ] {
        assert_eq!(frozen.get(name), Some(value), "{name}");
    }
}

#[test]
fn what_is_set_overrides_all_but_askpass_and_prompts() {
    let set = [
        "PAGER",
        "CI",
        "TERM",
        "GIT_ASKPASS",
        "SSH_ASKPASS",
        "GIT_TERMINAL_PROMPT",
    ];
    let set = set.map(|name| (name.to_owned(), "mine".to_owned())).into();
    let frozen = build(
        host(&[]),
        &Policy {
            set,
            ..Policy::default()
        },
    );
    let values = [
        "PAGER",
        "CI",
        "TERM",
        "GIT_ASKPASS",
        "SSH_ASKPASS",
        "GIT_TERMINAL_PROMPT",
    ]
    .map(|name| frozen.get(name));
    assert_eq!(
        values,
        [
            Some("mine"),
            Some("mine"),
            Some("mine"),
            Some(""),
            Some("false"),
            Some("0")
        ]
    );
}

#[test]
fn with_a_person_only_askpass_and_package_managers_are_off() {
    let frozen = build(host(&[("TERM", "dumb")]), &bare());
    for (name, value) in [
        ("TERM", Some("xterm")),
        ("GIT_ASKPASS", Some("")),
        ("PIP_NO_INPUT", Some("1")),
        ("PAGER", None),
        ("CI", None),
        ("EDITOR", None),
        ("GIT_TERMINAL_PROMPT", None),
        ("NO_COLOR", None),
    ] {
        assert_eq!(frozen.get(name), value, "{name}");
    }
}

#[test]
fn our_git_configuration_comes_after_the_users() {
    for (count, complete, first) in [
        ("1", true, 1),
        ("2", true, 0),
        ("x", true, 0),
        ("99999999999", true, 0),
        ("1", false, 0),
    ] {
        let mut set = BTreeMap::from([
            ("GIT_CONFIG_COUNT".to_owned(), count.to_owned()),
            ("GIT_CONFIG_KEY_0".to_owned(), "a.b".to_owned()),
        ]);
        if complete {
            set.insert("GIT_CONFIG_VALUE_0".to_owned(), "c".to_owned());
        }
        let frozen = build(
            host(&[]),
            &Policy {
                set,
                ..Policy::default()
            },
        );
        assert_eq!(
            frozen.get(&format!("GIT_CONFIG_KEY_{first}")),
            Some("core.fsmonitor"),
            "{count}"
        );
        let last: usize = frozen.get("GIT_CONFIG_COUNT").unwrap().parse().unwrap();
        assert!(
            frozen
                .get(&format!("GIT_CONFIG_VALUE_{}", last - 1))
                .is_some(),
            "{count}"
        );
        if first == 1 {
            assert_eq!(frozen.get("GIT_CONFIG_KEY_0"), Some("a.b"));
        }
    }
}

#[test]
fn the_mark_is_the_calls_own() {
    let policy = Policy {
        pass: strings(&["BASHGATE_CALL"]),
        set: BTreeMap::from([(MARK.to_owned(), "mine".to_owned())]),
        session: vars(&[(MARK, "mine")]),
        ..bare()
    };
    let frozen = build(host(&[(MARK, "outer")]), &policy);
    assert_eq!(frozen.get(MARK), None);
    let call = "c".repeat(32);
    let marked = frozen.marked(&call);
    assert_eq!(marked.len(), frozen.vars.len() + 1);
    assert_eq!(marked.last(), Some(&(MARK.into(), call.into())));
}

#[test]
fn what_cannot_be_a_variable_is_left_out() {
    let set = BTreeMap::from([
        ("".to_owned(), "x".to_owned()),
        ("A=B".to_owned(), "x".to_owned()),
        ("N".to_owned(), "x\0y".to_owned()),
    ]);
    let frozen = build(host(&[]), &Policy { set, ..bare() });
    assert_eq!(frozen.withheld, ["", "A=B", "N"]);
    assert!(
        frozen
            .vars
            .iter()
            .all(|(name, value)| !name.is_empty() && !value.as_bytes().contains(&0))
    );
}

#[test]
fn the_list_is_sorted_and_names_come_once() {
    let frozen = build(
        host(&[("PATH", "/bin"), ("HOME", "/"), ("HOME", "/h")]),
        &Policy::default(),
    );
    assert!(frozen.vars.windows(2).all(|pair| pair[0].0 < pair[1].0));
}
