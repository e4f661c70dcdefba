use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use super::*;

fn judge(rules: &str) -> Judge {
    Judge {
        name: "approval".to_owned(),
        rules: rules.to_owned(),
    }
}

fn command(words: &[&str]) -> Scope {
    Scope::Command(words.iter().map(|&word| word.to_owned()).collect())
}

fn program(path: &str, sha256: Option<&str>) -> Program {
    Program {
        path: path.into(),
        sha256: sha256.map(str::to_owned),
    }
}

fn grant(words: &[&str], root: &str) -> Grant {
    let scope = command(words);
    Grant::new(scope, judge("1"), Path::new(root), None).unwrap()
}

#[test]
fn a_grant_is_given_now_under_an_id_of_its_own() {
    let one = grant(&["cargo", "test", "*"], "/work");
    let other = grant(&["cargo", "test", "*"], "/work");
    assert_ne!(one.id, other.id);
    assert_eq!(one.id.len(), 10);
    assert!(one.id.bytes().all(|byte| byte.is_ascii_lowercase()));
    assert_eq!(one.program_name(), Some("cargo"));
    assert_eq!(one.given.len(), "2026-01-01T00:00:00Z".len());
}

#[test]
fn moments() {
    // From `date -u -d @SECONDS +%FT%TZ`.
    for (seconds, expected) in [
        (0, "1970-01-01T00:00:00Z"),
        (951_782_399, "2000-02-28T23:59:59Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
        (951_868_800, "2000-03-01T00:00:00Z"),
        (1_709_164_800, "2024-02-29T00:00:00Z"),
        (1_735_689_599, "2024-12-31T23:59:59Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"),
    ] {
        let moment = UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(time::rfc3339(moment), expected);
    }
    assert_eq!(
        time::rfc3339(UNIX_EPOCH - Duration::from_secs(9)),
        "1970-01-01T00:00:00Z"
    );
}

#[test]
fn a_grant_holds_while_nothing_has_changed() {
    let tool = program("/usr/bin/tool", None);
    let moved = program("/work/tool", Some("aa"));
    let rebuilt = program("/work/tool", Some("bb"));
    let with = |program: Option<&Program>| Grant {
        program: program.cloned(),
        ..grant(&["tool", "*"], "/work")
    };
    let same = judge("1");
    let newer = judge("2");
    let another = Judge {
        name: "other".to_owned(),
        ..judge("1")
    };
    let now = |root, guest, program| Now {
        root: Path::new(root),
        guest,
        program,
    };
    let cases = [
        (with(None), now("/work", &same, None), None),
        (with(Some(&tool)), now("/work", &same, Some(&tool)), None),
        (with(Some(&moved)), now("/work", &same, Some(&moved)), None),
        (
            with(None),
            now("/work/sub", &same, None),
            Some("given in another workspace, /work"),
        ),
        (
            with(None),
            now("/work", &newer, None),
            Some("the guest approval has changed since: 1 then, 2 now"),
        ),
        (
            with(None),
            now("/work", &another, None),
            Some("the guest approval has changed since: 1 then, other now"),
        ),
        (
            with(Some(&tool)),
            now("/work", &same, Some(&moved)),
            Some("the program has moved since: /usr/bin/tool then, /work/tool now"),
        ),
        (
            with(Some(&tool)),
            now("/work", &same, None),
            Some("the program has moved since: /usr/bin/tool then, none now"),
        ),
        (
            with(None),
            now("/work", &same, Some(&tool)),
            Some("the program has moved since: none then, /usr/bin/tool now"),
        ),
        (
            with(Some(&moved)),
            now("/work", &same, Some(&rebuilt)),
            Some("the content of /work/tool has changed since"),
        ),
    ];
    for (grant, now, expected) in cases {
        let void = grant.valid(&now).err().map(|void| void.to_string());
        assert_eq!(void.as_deref(), expected);
    }
    let path = Grant {
        scope: Scope::Path {
            path: "/data".to_owned(),
            access: Access::Read,
        },
        ..with(None)
    };
    assert_eq!(path.valid(&now("/work", &same, Some(&tool))), Ok(()));
    assert_eq!(path.program_name(), None);
}

#[test]
fn a_program_is_read_under_the_root_alone() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let tool = root.join("tool");
    fs::write(&tool, "abc").unwrap();
    symlink(&tool, root.join("link")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, root.join("fifo"), 0o600.into()).unwrap();
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(
        Program::look(&tool, root).unwrap(),
        program(tool.to_str().unwrap(), Some(digest))
    );
    assert_eq!(
        Program::look(&tool, Path::new("/elsewhere")).unwrap(),
        program(tool.to_str().unwrap(), None)
    );
    for name in ["link", "fifo", "missing", "."] {
        assert!(Program::look(&root.join(name), root).is_err(), "{name}");
    }
}

/// A folder that does not exist yet.
fn store() -> (tempfile::TempDir, Approvals) {
    let folder = tempfile::tempdir().unwrap();
    let approvals = Approvals::at(&folder.path().join("config/bashgate"));
    (folder, approvals)
}

#[test]
fn what_is_kept_is_read_again() {
    let (_folder, approvals) = store();
    assert!(approvals.list().unwrap().is_empty());
    assert!(!approvals.path().parent().unwrap().exists());
    let grants = [
        Grant {
            program: Some(program("/work/tool", Some("aa"))),
            ..grant(&["tool", "a b", "\"'\\\n\u{1b}ü*"], "/work")
        },
        Grant {
            program: Some(program("/usr/bin/git", None)),
            ..grant(&["git", "push", "*"], "/work")
        },
        Grant {
            scope: Scope::Path {
                path: "/data".to_owned(),
                access: Access::Read,
            },
            ..grant(&[], "/other")
        },
    ];
    for grant in &grants {
        approvals.add(grant).unwrap();
    }
    assert_eq!(approvals.list().unwrap().as_slice(), grants);
    assert_eq!(
        Approvals::at(&approvals.folder())
            .list()
            .unwrap()
            .as_slice(),
        grants
    );
    let text = fs::read_to_string(approvals.path()).unwrap();
    assert!(text.starts_with("# What you approved for good."), "{text}");
    assert_eq!(text.matches("[[grant]]").count(), 3);
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(&approvals.path()), 0o600);
    assert_eq!(mode(&approvals.folder()), 0o700);
    // Nothing else is left in the folder.
    assert_eq!(fs::read_dir(approvals.folder()).unwrap().count(), 1);
}

impl Approvals {
    fn folder(&self) -> PathBuf {
        self.path().parent().unwrap().to_owned()
    }
}

#[test]
fn the_same_again_renews() {
    let (_folder, approvals) = store();
    let first = grant(&["git", "push", "*"], "/work");
    let elsewhere = grant(&["git", "push", "*"], "/other");
    let again = Grant {
        guest: judge("2"),
        ..grant(&["git", "push", "*"], "/work")
    };
    for grant in [&first, &elsewhere, &again] {
        approvals.add(grant).unwrap();
    }
    assert_eq!(approvals.list().unwrap().as_slice(), [elsewhere, again]);
}

#[test]
fn grants_end() {
    let (_folder, approvals) = store();
    assert_eq!(approvals.clear().unwrap(), 0);
    assert_eq!(approvals.revoke("nothing").unwrap(), None);
    assert!(!approvals.folder().exists());
    let grants = [grant(&["a", "*"], "/work"), grant(&["b", "*"], "/work")];
    for grant in &grants {
        approvals.add(grant).unwrap();
    }
    let [first, second] = &grants;
    assert_eq!(approvals.revoke(&first.id).unwrap().as_ref(), Some(first));
    assert_eq!(approvals.revoke(&first.id).unwrap(), None);
    assert_eq!(
        approvals.list().unwrap().as_slice(),
        std::slice::from_ref(second)
    );
    assert_eq!(approvals.clear().unwrap(), 1);
    assert!(approvals.list().unwrap().is_empty());
}

#[test]
fn what_was_read_is_kept_until_it_changes() {
    let (_folder, approvals) = store();
    approvals.add(&grant(&["a", "*"], "/work")).unwrap();
    let read = approvals.list().unwrap();
    assert!(Arc::ptr_eq(&read, &approvals.list().unwrap()));
    // By another process.
    let other = Approvals::at(&approvals.folder());
    other.add(&grant(&["b", "*"], "/work")).unwrap();
    assert_eq!(approvals.list().unwrap().len(), 2);
    fs::remove_file(approvals.path()).unwrap();
    assert!(approvals.list().unwrap().is_empty());
    other.add(&grant(&["b", "*"], "/work")).unwrap();
    approvals.list().unwrap();
    // What was fine is no longer: the mode alone counts.
    fs::set_permissions(approvals.path(), fs::Permissions::from_mode(0o666)).unwrap();
    assert!(approvals.list().is_err());
}

#[test]
fn a_file_of_uncertain_origin_is_refused() {
    let (_folder, approvals) = store();
    approvals.add(&grant(&["a", "*"], "/work")).unwrap();
    let path = approvals.path();
    let aside = approvals.folder().join("aside");
    let text = fs::read_to_string(&path).unwrap();
    let refused = |expected: &str| {
        let message = approvals.list().unwrap_err().to_string();
        let start = format!("{}: {expected}", path.display());
        assert!(message.starts_with(&start), "{message}");
        assert!(
            message.contains("; no lasting approval is in force; "),
            "{message}"
        );
        // Nor is it changed.
        let added = approvals.add(&grant(&["b", "*"], "/work"));
        assert_eq!(added.unwrap_err().to_string(), message);
    };
    for mode in [0o620, 0o602, 0o666] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        refused("others may write it");
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(approvals.list().unwrap().len(), 1);
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&path, Some(12345), None).unwrap();
        refused("it belongs to user 12345, not to you (0)");
        std::os::unix::fs::chown(&path, Some(0), None).unwrap();
    }
    fs::rename(&path, &aside).unwrap();
    symlink(&aside, &path).unwrap();
    refused("it is a symbolic link");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    refused("it is not a regular file");
    fs::remove_dir(&path).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, 0o600.into()).unwrap();
    refused("it is not a regular file");
    fs::remove_file(&path).unwrap();
    write(&path, format!("{text}#{}", "x".repeat(1024 * 1024)));
    refused("it is over 1 MiB");
}

fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn a_file_that_is_not_understood_grants_nothing() {
    let (_folder, approvals) = store();
    approvals.add(&grant(&["a", "*"], "/work")).unwrap();
    let text = fs::read_to_string(approvals.path()).unwrap();
    let whole = |from: &str, to: &str| text.replace(from, to);
    let cases = [
        (
            whole("[[grant]]", "[[grants]]"),
            "line 4: unknown field `grants`",
        ),
        (whole("guest =", "gust ="), "unknown field `gust`"),
        (whole("given =", "# given ="), "missing field `given`"),
        (
            whole("[\"a\", \"*\"]", "[]"),
            "[[grant]] number 1: `command` names no program",
        ),
        (whole("[\"a\", \"*\"]", "\"a *\""), "line 6: invalid type"),
        (
            whole("command =", "access = \"read\"\ncommand ="),
            "it needs either",
        ),
        (
            whole(
                "command = [\"a\", \"*\"]",
                "path = \"x\"\naccess = \"read\"",
            ),
            "not absolute",
        ),
        (
            whole(
                "command = [\"a\", \"*\"]",
                "path = \"/x\"\naccess = \"all\"",
            ),
            "unknown variant",
        ),
        (
            format!("{text}program_sha256 = \"aa\"\n"),
            "`program_sha256` without `program`",
        ),
        (format!("{text}[[grant"), "line 11: "),
    ];
    for (text, expected) in cases {
        write(&approvals.path(), &text);
        let message = approvals.list().unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
        assert!(
            message.ends_with("; repair it, or remove the file"),
            "{message}"
        );
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(approvals.add(&grant(&["b", "*"], "/work")).is_err());
        assert_eq!(fs::read_to_string(approvals.path()).unwrap(), text);
    }
    write(&approvals.path(), b"\xff");
    assert!(approvals.list().is_err());
    write(&approvals.path(), "");
    assert!(approvals.list().unwrap().is_empty());
}

#[test]
fn what_could_not_be_read_again_is_not_written() {
    use std::os::unix::ffi::OsStrExt;
    let (_folder, approvals) = store();
    approvals.add(&grant(&["a", "*"], "/work")).unwrap();
    let before = approvals.list().unwrap();
    let odd = Path::new(std::ffi::OsStr::from_bytes(b"/w\xff"));
    let unfit = [
        grant(&[], "/work"),
        grant(&[""], "/work"),
        Grant {
            root: odd.to_owned(),
            ..grant(&["b"], "/work")
        },
    ];
    for grant in unfit {
        let message = approvals.add(&grant).unwrap_err().to_string();
        assert!(
            message.starts_with("this approval cannot be kept: "),
            "{message}"
        );
    }
    let long = "x".repeat(1024 * 1024);
    let message = approvals.add(&grant(&["b", &long], "/work")).unwrap_err();
    assert!(message.to_string().contains(" would be over 1 MiB; "));
    assert_eq!(approvals.list().unwrap(), before);
}

#[test]
fn many_at_once_lose_nothing() {
    let (_folder, approvals) = store();
    let folder = approvals.folder();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let folder = &folder;
            scope.spawn(move || {
                for number in 0..8 {
                    let words = [format!("tool{writer}"), number.to_string()];
                    let words = words.each_ref().map(String::as_str);
                    Approvals::at(folder).add(&grant(&words, "/work")).unwrap();
                    assert!(!Approvals::at(folder).list().unwrap().is_empty());
                }
            });
        }
    });
    assert_eq!(approvals.list().unwrap().len(), 32);
}

#[test]
fn a_writer_that_died_does_not_stop_the_next() {
    let (_folder, approvals) = store();
    approvals.add(&grant(&["a", "*"], "/work")).unwrap();
    let left = approvals.folder().join(".approvals.toml.new");
    symlink("/nowhere/else", &left).unwrap();
    approvals.add(&grant(&["b", "*"], "/work")).unwrap();
    assert_eq!(approvals.list().unwrap().len(), 2);
    assert!(fs::symlink_metadata(left).is_err());
}
