use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::process::run::tests::command;

fn long(script: &str) -> String {
    format!("{script}\n: {}", "a".repeat(200_000))
}

#[test]
fn only_a_bash_will_do() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["zsh", "not-executable/bash"] {
        std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
        std::fs::write(at(name), "").unwrap();
    }
    std::fs::set_permissions(at("zsh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir_all(at("linked")).unwrap();
    symlink(at("zsh"), at("linked/bash")).unwrap();
    std::fs::create_dir_all(at("folder/bash")).unwrap();
    let refused = |path: &Path| Shell::new(path).unwrap_err().to_string();
    assert!(refused(Path::new("bash")).contains("absolute"));
    assert!(refused(&at("zsh")).contains("zsh"));
    assert!(refused(Path::new("/usr/bin/fish")).contains("fish"));
    assert!(refused(&at("linked/bash")).contains("no bash"));
    assert!(refused(&at("missing/bash")).contains("missing/bash"));
    assert!(refused(&at("folder/bash")).contains("executable"));
    assert!(
        matches!(Shell::new(Path::new("/bin/bash")), Ok(shell) if shell.program() == Path::new("/bin/bash"))
    );
}

#[test]
fn a_script_goes_as_an_argument_as_long_as_it_may() {
    let shell = Shell::new(Path::new("/bin/bash")).unwrap();
    let invocation = |length: usize| shell.script(&"a".repeat(length)).unwrap();
    assert!(invocation(ARGUMENT_BYTES - 1).script.is_none());
    assert!(invocation(ARGUMENT_BYTES).script.is_some());
    assert!(matches!(shell.script("a\0b"), Err(SpawnError::Nul { .. })));
}

#[test]
fn a_sealed_script_cannot_be_changed() {
    let mut file = File::from(sealed("echo hi").unwrap());
    assert!(file.write_all(b"x").is_err());
    assert!(file.set_len(0).is_err());
}

#[tokio::test]
async fn lengths_around_the_limit() {
    for length in [
        ARGUMENT_BYTES - 2,
        ARGUMENT_BYTES - 1,
        ARGUMENT_BYTES,
        ARGUMENT_BYTES + 1,
    ] {
        let script = format!(": {}", "a".repeat(length - 2));
        let finished = command(&script).run().await;
        assert_eq!(
            (finished.text().as_str(), finished.exit_code),
            ("", Some(0)),
            "{length}"
        );
    }
}

#[tokio::test]
async fn a_long_script_meets_what_a_short_one_does() {
    for script in [
        "echo \"$0 $# $- $@\"",
        "\n\necho $LINENO",
        "cat; readlink /proc/self/fd/0",
        "compgen -v | grep -vE '^(BASHPID|EPOCH.*|RANDOM|SECONDS|SRANDOM|_|PPID|BASH_ARG.*|PIPESTATUS|BASHOPTS|FUNCNAME|BASH_.*)$'; declare -F",
        "ls /proc/self/fd | wc -l; test -e /dev/fd/3 && echo open; :",
        "exec 3>&1; echo three >&3",
        "exit 7",
        "kill -TERM $$",
        "set -e; false; echo not reached",
        "return 3; echo after",
        "echo 'é ü \\ \"'",
        "trap 'echo bye' EXIT; cat <<'E'\nhi\nE\n",
        "if true; then\n echo (\nfi",
    ] {
        // As an argument: the same length as far as it goes, no further.
        let short = command(&format!("{script}\n: a")).run().await;
        let long = command(&long(script)).run().await;
        let plain = |text: String| text.replace("eval: ", "").replace("-c: ", "");
        assert_eq!(plain(long.text()), plain(short.text()), "{script}");
        assert_eq!(
            (long.exit_code, long.signal),
            (short.exit_code, short.signal),
            "{script}"
        );
    }
}

#[tokio::test]
async fn ends_of_long_scripts_are_kept() {
    let filler = format!("x={}\n", "a".repeat(200_000));
    for (end, output) in [
        ("echo ${#x}", "200000\n"),
        ("echo a.", "a.\n"),
        ("echo a\n\n\n", "a\n"),
        ("printf 'b\n\n'", "b\n\n"),
        ("cat <<E\nq\nE\n", "q\n"),
        ("echo c\\\n", "c\n"),
    ] {
        assert_eq!(
            command(&format!("{filler}{end}")).run().await.text(),
            output,
            "{end:?}"
        );
    }
}
