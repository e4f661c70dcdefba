//! However the host ends, what it started ends too.

use std::time::Duration;

use bashgate_tests::processes::wait_until;
use rustix::process::{Pid, Signal, kill_process};

use crate::scene::{arguments, host};

const SOON: Duration = Duration::from_secs(3);

#[test]
fn a_signal_to_the_host_ends_the_script() {
    for (signal, marker) in [
        (Signal::TERM, "61.4001"),
        (Signal::INT, "61.4002"),
        (Signal::HUP, "61.4003"),
    ] {
        let host = host();
        let script = format!("sleep {marker} & sleep {marker}; echo late > late");
        let mut child = host
            .bashgate(["call", "--yes", "bash", &arguments(&script)])
            .spawn();
        let sleeping = format!("sleep {marker}");
        assert!(
            wait_until(true, &sleeping, Duration::from_secs(20)),
            "{signal:?}: nothing ran"
        );
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert!(
            wait_until(false, &sleeping, SOON),
            "{signal:?}: the script goes on"
        );
        child.wait().unwrap();
        assert!(!host.at("late").exists(), "{signal:?}");
    }
}

#[test]
fn a_script_that_ignores_the_request_is_killed() {
    let host = host();
    let script =
        "trap '' TERM INT HUP; for i in $(seq 400); do echo x >> beat; sleep 0.1; done # 61.4005";
    let ended = host
        .bashgate([
            "call",
            "--yes",
            "--set",
            "timeout.min_ms=100",
            "--set",
            "timeout.default_ms=300",
        ])
        .args(["bash", &arguments(script)])
        .run();
    ended.assert_code(124);
    assert!(ended.took < Duration::from_secs(5), "{ended:#?}");
    assert!(wait_until(false, "61.4005", SOON));
}
