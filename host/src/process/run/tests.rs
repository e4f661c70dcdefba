use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::process::environment::{self, Policy};
use crate::process::{Shell, signal};

/// A command in the making, with short ways to the usual.
pub(in crate::process) struct Command {
    request: Request,
}

pub(in crate::process) fn command(script: &str) -> Command {
    let shell = Shell::new(Path::new("/bin/bash")).unwrap();
    let environment = environment::build(std::env::vars_os(), &Policy::default());
    let request = Request {
        invocation: shell.script(script).unwrap(),
        environment: environment.marked(&crate::unguessable::id().unwrap()),
        workdir: spawn::directory(Path::new("/")).unwrap(),
        timeout: Some(Duration::from_secs(60)),
        grace: Duration::from_millis(500),
        cancel: CancellationToken::new(),
        streams: Streams::Merged(SinkOptions::default()),
    };
    Command { request }
}

impl Command {
    pub(in crate::process) fn with(mut self, change: impl FnOnce(&mut Request)) -> Self {
        change(&mut self.request);
        self
    }

    fn timeout_ms(self, ms: u64) -> Self {
        self.with(|request| request.timeout = Some(Duration::from_millis(ms)))
    }

    pub(in crate::process) fn workdir(self, path: &Path) -> Self {
        self.with(|request| request.workdir = spawn::directory(path).unwrap())
    }

    pub(in crate::process) async fn run(self) -> Finished {
        run(self.request).await.unwrap()
    }
}

impl Finished {
    pub(in crate::process) fn text(&self) -> String {
        let Output::Merged(captured) = &self.output else {
            panic!("streams are separate")
        };
        format!("{}{}", captured.head, captured.tail)
    }
}

/// A number of seconds that no other test's `sleep` has.
fn odd_seconds() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!(
        "61.{}{:03}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    )
}

/// Live processes with `text` in their command line.
fn running(text: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let cmdline = |entry: std::fs::DirEntry| std::fs::read(entry.path().join("cmdline")).ok();
    entries
        .filter_map(cmdline)
        .filter(|line| memchr::memmem::find(line, text.as_bytes()).is_some())
        .count()
}

async fn until(mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < deadline, "waited in vain");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn output_and_code_of_plain_scripts() {
    for (script, output, code) in [
        ("echo hi", "hi\n", 0),
        (":", "", 0),
        ("exit 256", "", 0),
        ("exit -1", "", 255),
        ("exit 137", "", 137),
        ("printf 'no end'", "no end", 0),
        ("cat; echo done", "done\n", 0),
        ("read -p 'n? ' x; echo \"rc=$?\"", "rc=1\n", 0),
        ("grep foo", "", 1),
        ("readlink /proc/self/fd/0", "/dev/null\n", 0),
        (
            "test -t 0 || test -t 1 || test -t 2 && echo TTY || echo NOTTY",
            "NOTTY\n",
            0,
        ),
        ("(: </dev/tty) 2>/dev/null || echo none", "none\n", 0),
        ("ls /proc/self/fd | wc -l", "4\n", 0),
        (
            "test $$ = $(ps -o sid= -p $$) && test $$ = $(ps -o pgid= -p $$) && echo own",
            "own\n",
            0,
        ),
        ("set -o | grep pipefail | tr -d ' \\t'", "pipefailoff\n", 0),
        ("yes | head -1", "y\n", 0),
        ("echo $-$#", "hBc0\n", 0),
        (
            "trap - PIPE; kill -PIPE $BASHPID & wait $!; echo $?",
            "141\n",
            0,
        ),
    ] {
        let finished = command(script).run().await;
        assert_eq!(
            (finished.text().as_str(), finished.exit_code),
            (output, Some(code)),
            "{script}"
        );
        let quiet = (
            finished.signal,
            finished.timed_out,
            finished.cancelled,
            finished.left_running,
        );
        assert_eq!(quiet, (None, false, false, None), "{script}");
    }
}

#[tokio::test]
async fn a_script_may_begin_with_a_dash() {
    for script in ["-n hi", "--version", "-c ls"] {
        let finished = command(script).run().await;
        assert_eq!(finished.exit_code, Some(127), "{script}");
        let word = script.split(' ').next().unwrap();
        assert!(
            finished
                .text()
                .contains(&format!("{word}: command not found")),
            "{script}"
        );
    }
}

#[tokio::test]
async fn codes_of_what_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("nx"), "echo no\n").unwrap();
    assert_eq!(
        command("./nx").workdir(folder.path()).run().await.exit_code,
        Some(126)
    );
    let missing = command("nosuchcmd_x").run().await;
    assert_eq!(missing.exit_code, Some(127));
    assert!(missing.text().contains("nosuchcmd_x"));
}

#[tokio::test]
async fn a_signal_is_told_by_name() {
    for name in ["KILL", "TERM", "SEGV", "HUP"] {
        let finished = command(&format!("ulimit -c 0; kill -{name} $$"))
            .run()
            .await;
        let number = signal::number(name).unwrap();
        assert_eq!(
            (finished.exit_code, finished.signal),
            (None, Some(signal::name(number)))
        );
    }
}

#[tokio::test]
async fn ignored_and_blocked_signals_of_the_host_are_not_inherited() {
    let finished = command("grep -E '^Sig(Blk|Ign)' /proc/self/status | tr -d '\\t'")
        .run()
        .await;
    assert_eq!(
        finished.text(),
        "SigBlk:0000000000000000\nSigIgn:0000000000000000\n"
    );
}

#[tokio::test]
async fn a_descriptor_that_the_host_leaks_does_not_reach_the_command() {
    let file = std::fs::File::open("/etc/passwd").unwrap();
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).unwrap();
    let number = file.as_raw_fd();
    let finished = command(&format!("test -e /proc/$$/fd/{number} && echo leaked; :"))
        .run()
        .await;
    assert_eq!(finished.text(), "");
}

#[tokio::test]
async fn it_starts_in_the_directory_of_the_descriptor() {
    let folder = tempfile::tempdir().unwrap();
    let (before, after) = (folder.path().join("it's $x"), folder.path().join("moved"));
    std::fs::create_dir(&before).unwrap();
    let command = command("pwd -P").workdir(&before);
    std::fs::rename(&before, &after).unwrap();
    std::os::unix::fs::symlink("/etc", &before).unwrap();
    let real = after.canonicalize().unwrap();
    assert_eq!(command.run().await.text(), format!("{}\n", real.display()));
}

#[tokio::test]
async fn both_streams_in_their_order() {
    for _ in 0..20 {
        let finished = command("echo o1; echo e1 >&2; echo o2; echo e2 >&2")
            .run()
            .await;
        assert_eq!(finished.text(), "o1\ne1\no2\ne2\n");
    }
}

#[tokio::test]
async fn separate_streams() {
    let streams = Streams::Separate {
        stdout: SinkOptions::default(),
        stderr: SinkOptions::default(),
    };
    let script = "head -c 3000000 /dev/zero | tr '\\0' x; echo e1 >&2; echo o2";
    let finished = command(script)
        .with(|request| request.streams = streams)
        .run()
        .await;
    let Output::Separate { stdout, stderr } = finished.output else {
        panic!("merged")
    };
    assert_eq!(
        (stdout.total_bytes, stderr.head.as_str()),
        (3_000_003, "e1\n")
    );
}

#[tokio::test]
async fn much_output_is_carried_whole() {
    let finished = command("head -c 20000000 /dev/zero; echo end").run().await;
    let Output::Merged(captured) = finished.output else {
        panic!("separate")
    };
    assert_eq!(captured.total_bytes, 20_000_004);
}

#[tokio::test]
async fn what_is_left_in_the_background_is_ended_and_named() {
    let odd = odd_seconds();
    for (script, output, code) in [
        (format!("sleep {odd} & echo started"), "started\n", 0),
        (format!("sleep {odd} & sleep {odd} & echo two"), "two\n", 0),
        (
            format!("(sleep {odd}; echo late) & echo now; exit 3"),
            "now\n",
            3,
        ),
        (format!("setsid sleep {odd} & echo spawned"), "spawned\n", 0),
        (
            format!("setsid sleep {odd} >/dev/null 2>&1 & echo quiet"),
            "quiet\n",
            0,
        ),
        (
            format!("setsid bash -c 'setsid sleep {odd} & :' & wait; echo twice"),
            "twice\n",
            0,
        ),
        (
            format!("sleep {odd} >/dev/null 2>&1 & disown; echo gone"),
            "gone\n",
            0,
        ),
        (
            format!("(trap '' TERM; sleep {odd}; sleep {odd}) & echo deaf"),
            "deaf\n",
            0,
        ),
        (
            format!("sleep {odd} & kill -STOP $!; echo stopped"),
            "stopped\n",
            0,
        ),
    ] {
        let started = Instant::now();
        let finished = command(&script).run().await;
        assert_eq!(running(&odd), 0, "{script}");
        assert_eq!(
            (finished.text().as_str(), finished.exit_code),
            (output, Some(code)),
            "{script}"
        );
        assert!(finished.left_running.unwrap().contains(&odd), "{script}");
        assert!(!finished.timed_out && !finished.cancelled, "{script}");
        assert!(started.elapsed() < Duration::from_secs(5), "{script}");
    }
}

#[tokio::test]
async fn what_ends_by_itself_in_time_is_not_left_running() {
    for script in [
        "(sleep 0.05; echo late) & echo now",
        "echo x > >(cat)",
        "seq 9 | tee >(wc -l) >/dev/null",
    ] {
        assert_eq!(command(script).run().await.left_running, None, "{script}");
    }
    assert_eq!(
        command("(sleep 0.05; echo late) & echo now")
            .run()
            .await
            .text(),
        "now\nlate\n"
    );
}

#[tokio::test]
async fn a_child_that_writes_for_ever_does_not_hold_the_call() {
    let odd = odd_seconds();
    let finished = command(&format!("yes {odd} & sleep 0.1; echo done"))
        .run()
        .await;
    assert_eq!((finished.exit_code, running(&odd)), (Some(0), 0));
}

#[tokio::test]
async fn a_timeout_ends_the_whole_tree() {
    let odd = odd_seconds();
    for script in [
        format!("sleep {odd}"),
        format!("setsid bash -c 'setsid sleep {odd} & sleep {odd}' & sleep {odd}"),
        format!("(while :; do sleep {odd}; done) & wait"),
        format!("trap '' TERM; sleep {odd}; sleep {odd}"),
        format!("env -i setsid sleep {odd} & wait"),
        format!("for i in $(seq 200); do (sleep {odd} &); done; sleep {odd}"),
        format!(
            "f() {{ (sleep {odd} &); (sleep {odd} &); sleep {odd}; }}; for i in $(seq 30); do f & done; wait"
        ),
    ] {
        let started = Instant::now();
        let finished = command(&format!("echo up; {script}"))
            .timeout_ms(300)
            .run()
            .await;
        assert_eq!(running(&odd), 0, "{script}");
        assert!(finished.timed_out && !finished.cancelled, "{script}");
        assert_eq!(
            (finished.text().as_str(), finished.left_running),
            ("up\n", None),
            "{script}"
        );
        assert!(finished.duration >= Duration::from_millis(290), "{script}");
        assert!(started.elapsed() < Duration::from_secs(5), "{script}");
    }
}

#[tokio::test]
async fn a_timeout_is_told_whatever_the_shell_makes_of_it() {
    for (trap, output, code) in [("echo bye; exit 0", "up\nbye\n", 0), ("exit 7", "up\n", 7)] {
        let script =
            format!("trap '{trap}' TERM; echo up; for i in $(seq 300); do sleep .05; done");
        let finished = command(&script).timeout_ms(300).run().await;
        // The shell tells of the `sleep` that the signal ended as well.
        let text = finished.text().replace("Terminated\n", "");
        let facts = (text, finished.exit_code, finished.timed_out);
        assert_eq!(facts, (output.to_owned(), Some(code), true), "{trap}");
    }
}

#[tokio::test]
async fn a_cancelled_call_is_ended() {
    let odd = odd_seconds();
    let cancel = CancellationToken::new();
    let ours = cancel.clone();
    let command = command(&format!("echo up; setsid sleep {odd} & sleep {odd}"));
    let call = tokio::spawn(command.with(|request| request.cancel = ours).run());
    until(|| running(&odd) >= 2).await;
    cancel.cancel();
    let finished = call.await.unwrap();
    assert_eq!(
        (finished.cancelled, finished.timed_out, running(&odd)),
        (true, false, 0)
    );
    assert_eq!(
        (finished.text().as_str(), finished.signal.as_deref()),
        ("up\n", Some("SIGTERM"))
    );
}

#[tokio::test]
async fn with_a_cancelled_token_nothing_starts() {
    let folder = tempfile::tempdir().unwrap();
    let command = command("touch M").workdir(folder.path());
    let finished = command.with(|request| request.cancel.cancel()).run().await;
    assert_eq!((finished.cancelled, finished.exit_code), (true, None));
    assert!(!folder.path().join("M").exists());
}

#[tokio::test]
async fn a_dropped_call_leaves_nothing() {
    let odd = odd_seconds();
    let command = command(&format!(
        "setsid sleep {odd} & (trap '' TERM; sleep {odd}) & sleep {odd}"
    ));
    let call = tokio::spawn(command.run());
    until(|| running(&odd) >= 3).await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    until(|| running(&odd) == 0).await;
}

#[tokio::test]
async fn a_dropped_call_leaves_no_zombie() {
    let odd = odd_seconds();
    let call = tokio::spawn(command(&format!("sleep {odd}; :")).run());
    until(|| running(&odd) >= 1).await;
    call.abort();
    let children = || -> usize {
        let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
        let list = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("children"));
        let pids = tasks.filter_map(|task| list(task).ok()).collect::<String>();
        let zombie = |pid: &&str| {
            std::fs::read_to_string(format!("/proc/{pid}/status"))
                .is_ok_and(|s| s.contains("State:\tZ"))
        };
        pids.split_whitespace().filter(zombie).count()
    };
    until(|| running(&odd) == 0 && children() == 0).await;
}

#[tokio::test]
async fn a_call_does_not_touch_the_processes_of_another() {
    let (ours, theirs) = (odd_seconds(), odd_seconds());
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    let command_b = command(&format!("setsid sleep {theirs} & sleep {theirs}"));
    let other = tokio::spawn(command_b.with(|request| request.cancel = token).run());
    until(|| running(&theirs) >= 2).await;
    command(&format!("setsid sleep {ours} & setsid sleep {ours} & :"))
        .run()
        .await;
    assert_eq!(running(&ours), 0);
    assert!(running(&theirs) >= 2);
    cancel.cancel();
    assert!(other.await.unwrap().cancelled);
}

#[tokio::test]
async fn a_pile_of_calls_side_by_side() {
    let calls: Vec<_> = (0..24)
        .map(|n| tokio::spawn(command(&format!("echo {n}; exit {n}")).run()))
        .collect();
    for (n, call) in calls.into_iter().enumerate() {
        let finished = call.await.unwrap();
        assert_eq!(
            (finished.text(), finished.exit_code),
            (format!("{n}\n"), Some(n as i32))
        );
    }
}

#[tokio::test]
async fn refusals_name_their_cause() {
    let with = |name: &str, value: &str| {
        command("echo hi").with(|request| request.environment.push((name.into(), value.into())))
    };
    let nul = run(with("A_B", "x\0y").request)
        .await
        .unwrap_err()
        .to_string();
    assert!(nul.contains("A_B") && nul.contains("NUL"), "{nul}");
    let long = run(with("A_B", &"x".repeat(3 << 20)).request)
        .await
        .unwrap_err()
        .to_string();
    assert!(
        long.contains("/bin/bash") && long.contains("pass fewer variables"),
        "{long}"
    );
    let missing = command(":").with(|request| request.invocation.program = "/nowhere/bash".into());
    let missing = run(missing.request).await.unwrap_err().to_string();
    assert!(missing.contains("/nowhere/bash"), "{missing}");
}
