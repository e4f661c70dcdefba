use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

use super::*;

struct Home(tempfile::TempDir);

impl Home {
    fn new(profile: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(".profile"), profile).unwrap();
        Home(folder)
    }

    async fn ask(&self, program: &str, limit: Duration) -> Result<Vars, LoginError> {
        let path = ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into());
        login_environment(
            Path::new(program),
            self.0.path(),
            &Vars::from([path]),
            limit,
        )
        .await
    }
}

fn value<'a>(vars: &'a Vars, name: &str) -> Option<&'a str> {
    vars.get(OsStr::new(name)).and_then(|value| value.to_str())
}

fn count(text: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let cmdline = |entry: std::fs::DirEntry| std::fs::read(entry.path().join("cmdline")).ok();
    entries
        .filter_map(cmdline)
        .filter(|line| memmem::find(line, text.as_bytes()).is_some())
        .count()
}

#[tokio::test]
async fn what_the_start_up_files_export() {
    let profile = "export FROM_LOGIN='a b\nc='; NOT_EXPORTED=1; PATH=$HOME/bin:$PATH; export PATH\n\
                   echo noise; printf 'X=1\\0'; echo err >&2; echo() { :; }; cat() { :; }; alias echo=false cat=false\n";
    for program in ["/bin/bash", "/bin/sh"] {
        let home = Home::new(profile);
        let vars = home.ask(program, LOGIN_LIMIT).await.unwrap();
        assert_eq!(value(&vars, "FROM_LOGIN"), Some("a b\nc="), "{program}");
        assert!(
            value(&vars, "PATH")
                .unwrap()
                .starts_with(home.0.path().to_str().unwrap())
        );
        for name in [
            "NOT_EXPORTED",
            "X",
            "PWD",
            "OLDPWD",
            "SHLVL",
            "_",
            tree::MARK,
        ] {
            assert_eq!(value(&vars, name), None, "{program} {name}");
        }
    }
}

#[tokio::test]
async fn one_that_asks_meets_the_end_of_input() {
    let home = Home::new("read -p 'password? ' x; export RC=$?\n");
    let vars = home.ask("/bin/bash", LOGIN_LIMIT).await.unwrap();
    assert_eq!(value(&vars, "RC"), Some("1"));
}

#[tokio::test]
async fn its_daemons_are_ended() {
    let odd = format!("62.{}1", std::process::id());
    let home = Home::new(&format!(
        "sleep {odd} & setsid sleep {odd} & export DONE=1\n"
    ));
    let vars = home.ask("/bin/bash", LOGIN_LIMIT).await.unwrap();
    assert_eq!((value(&vars, "DONE"), count(&odd)), (Some("1"), 0));
}

#[tokio::test]
async fn one_that_hangs_is_killed_with_all_it_started() {
    let odd = format!("62.{}2", std::process::id());
    let home = Home::new(&format!("setsid sleep {odd} & trap '' TERM; sleep {odd}\n"));
    let started = Instant::now();
    let error = home
        .ask("/bin/bash", Duration::from_millis(300))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("300 ms"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(3));
    let deadline = Instant::now() + Duration::from_secs(10);
    while count(&odd) > 0 {
        assert!(Instant::now() < deadline, "still there");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn one_that_ends_or_floods_gives_no_answer() {
    for profile in ["exit 0\n", "yes\n"] {
        let error = Home::new(profile)
            .ask("/bin/bash", LOGIN_LIMIT)
            .await
            .unwrap_err();
        assert!(
            matches!(error, LoginError::NoAnswer(_)),
            "{profile}: {error}"
        );
    }
}

#[tokio::test]
async fn other_shells_are_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("tcsh");
    std::fs::write(&program, "#!/bin/sh\ntouch \"$HOME/M\"\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let home = Home::new("");
    let error = home
        .ask(program.to_str().unwrap(), LOGIN_LIMIT)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("tcsh"));
    assert!(matches!(
        home.ask("bash", LOGIN_LIMIT).await,
        Err(LoginError::Unknown(_))
    ));
    assert!(!home.0.path().join("M").exists());
}

#[tokio::test]
async fn a_home_that_is_missing_is_no_obstacle() {
    let vars = Vars::from([("PATH".into(), "/usr/bin:/bin".into())]);
    let home = Path::new("/nonexistent/home");
    let vars = login_environment(Path::new("/bin/bash"), home, &vars, LOGIN_LIMIT)
        .await
        .unwrap();
    assert_eq!(value(&vars, "HOME"), Some("/nonexistent/home"));
}
