//! The library: one host that lives on, with several sessions and calls at a
//! time.

use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bashgate::gate::{Answer, Approver, Question};
use bashgate::{Called, Ended, Host, Session};
use bashgate_tests::TestHost;
use bashgate_tests::processes::wait_until;
use tokio_util::sync::CancellationToken;

use crate::scene::{arguments, host, plugin};

/// Whom the gate asks in these tests: says what the function says, and counts.
struct Person {
    answer: fn(&Question) -> Answer,
    asked: AtomicUsize,
}

impl Person {
    fn who(answer: fn(&Question) -> Answer) -> Arc<Self> {
        Arc::new(Self {
            answer,
            asked: AtomicUsize::new(0),
        })
    }

    fn yes() -> Arc<Self> {
        Self::who(|_| Answer::Once)
    }
}

impl Approver for Person {
    fn attended(&self) -> bool {
        true
    }

    fn name(&self) -> &str {
        "a person of the tests"
    }

    fn ask(&self, question: Question) -> Pin<Box<dyn Future<Output = Answer> + Send + '_>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Box::pin(ready((self.answer)(&question)))
    }
}

async fn start(place: &TestHost) -> Host {
    let mut builder = Host::builder()
        .root(place.ws())
        .current_dir(place.ws())
        .environment(place.environment().iter().cloned().collect());
    if let Some(config) = place.config_file() {
        builder = builder.config(config);
    }
    builder.start().await.unwrap()
}

async fn call(session: &Session, script: &str) -> Called {
    let arguments = arguments(script);
    let cancel = CancellationToken::new();
    session.call("bash", &arguments, cancel).await.unwrap()
}

fn exit_code(called: &Called) -> Option<i32> {
    match called.ended {
        Ended::Ran { exit_code, .. } => exit_code,
        _ => None,
    }
}

async fn wait(there: bool, pattern: &'static str) {
    let limit = Duration::from_secs(if there { 20 } else { 3 });
    let waited = tokio::task::spawn_blocking(move || wait_until(there, pattern, limit));
    let what = if there { "never ran" } else { "goes on" };
    assert!(waited.await.unwrap(), "`{pattern}` {what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_guest_broke_the_next_call_works() {
    let place = host().config(&plugin("breaks-on-demand", ""));
    let session = start(&place).await.session().open().unwrap();
    for script in ["echo trap-now", "echo loop-now", "echo fill-now"] {
        let broken = call(&session, script).await;
        assert_eq!(broken.ended, Ended::Denied, "{script}: {broken:?}");
        assert!(broken.text.contains("breaks-on-demand"), "{}", broken.text);
        let next = call(&session, "echo fine").await;
        assert_eq!(exit_code(&next), Some(0), "after {script}: {next:?}");
        assert_eq!(next.text, "fine\n", "after {script}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_memory_of_a_guest_does_not_survive_a_call() {
    let place = host().config(&plugin("remembers", ""));
    let host = start(&place).await;
    let session = host.session().open().unwrap();
    let thrice = async |when: &str| {
        for _ in 0..3 {
            let called = call(&session, "echo fine").await;
            assert_eq!(exit_code(&called), Some(0), "{when}: {called:?}");
        }
    };
    thrice("configured anew for each call").await;
    let began = Instant::now();
    while !host.guests().is_warm() {
        let waited = began.elapsed();
        assert!(waited < Duration::from_secs(60), "no snapshots: {waited:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    thrice("from a snapshot").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_that_loops_keeps_no_other_call_waiting() {
    let limits = "limits = { evaluate_ms = 2000, wall_ms = 4000 }";
    let place = host().config(&plugin("breaks-on-demand", limits));
    let host = start(&place).await;
    let (slow, quick) = (
        host.session().open().unwrap(),
        host.session().open().unwrap(),
    );
    call(&quick, "echo warm").await;
    let looping = tokio::spawn(async move { call(&slow, "echo loop-now").await });
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(1) {
        let before = Instant::now();
        let called = call(&quick, "echo quick").await;
        assert_eq!(exit_code(&called), Some(0));
        let took = before.elapsed();
        assert!(took < Duration::from_secs(1), "{took:?}");
    }
    assert!(
        !looping.is_finished(),
        "the guest was ended before its time"
    );
    assert_eq!(looping.await.unwrap().ended, Ended::Denied);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_run_side_by_side() {
    let place = host();
    let session = start(&place)
        .await
        .session()
        .approver(Person::yes())
        .open()
        .unwrap();
    call(&session, "true").await;
    let began = Instant::now();
    let calls: Vec<_> = (0..8)
        .map(|number| {
            let session = session.clone();
            let script = format!("sleep 1; echo {number}");
            tokio::spawn(async move { call(&session, &script).await.text })
        })
        .collect();
    for (number, called) in calls.into_iter().enumerate() {
        assert_eq!(called.await.unwrap(), format!("{number}\n"));
    }
    let took = began.elapsed();
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_ends_its_tree_and_no_other() {
    let place = host();
    let session = start(&place)
        .await
        .session()
        .approver(Person::yes())
        .open()
        .unwrap();
    let cancel = CancellationToken::new();
    let running = tokio::spawn({
        let (session, cancel) = (session.clone(), cancel.clone());
        async move {
            let script = "echo up; sleep 61.5001 & sleep 61.5001; echo late > late";
            let arguments = arguments(script);
            session.call("bash", &arguments, cancel).await.unwrap()
        }
    });
    wait(true, "sleep 61.5001").await;
    cancel.cancel();
    let called = running.await.unwrap();
    let cancelled = matches!(
        called.ended,
        Ended::Ran {
            cancelled: true,
            ..
        }
    );
    assert!(cancelled && called.is_error, "{called:?}");
    assert!(called.text.starts_with("up\n"), "{}", called.text);
    assert!(called.text.contains("[cancelled]"), "{}", called.text);
    wait(false, "sleep 61.5001").await;
    assert!(!place.at("late").exists());
    assert_eq!(call(&session, "echo next").await.text, "next\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_call_ends_its_tree() {
    let place = host();
    let session = start(&place)
        .await
        .session()
        .approver(Person::yes())
        .open()
        .unwrap();
    let running =
        tokio::spawn(async move { call(&session, "setsid sleep 61.5002 & sleep 61.5002").await });
    wait(true, "sleep 61.5002").await;
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    wait(false, "sleep 61.5002").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grant_for_the_session_is_that_session_s() {
    let place = host();
    let host = start(&place).await;
    let generous = Person::who(|question| Answer::Session(question.offers.clone()));
    let own = host
        .session()
        .approver(Arc::clone(&generous) as _)
        .open()
        .unwrap();
    assert_eq!(exit_code(&call(&own, "touch a").await), Some(0));
    assert_eq!(exit_code(&call(&own, "touch b").await), Some(0));
    let asked = generous.asked.load(Ordering::SeqCst);
    assert_eq!(asked, 1, "asked again in spite of the grant");
    let other = host.session().open().unwrap();
    assert_eq!(call(&other, "touch c").await.ended, Ended::Denied);
    assert!(place.at("a").exists() && place.at("b").exists() && !place.at("c").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reason_of_a_no_reaches_the_model() {
    let place = host();
    let person = Person::who(|_| Answer::No(Some("use the other file".to_owned())));
    let session = start(&place)
        .await
        .session()
        .approver(person)
        .open()
        .unwrap();
    let called = call(&session, "touch x").await;
    assert_eq!(called.ended, Ended::Denied);
    assert!(called.is_error);
    assert!(
        called.text.contains("use the other file"),
        "{}",
        called.text
    );
    assert!(!place.at("x").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_that_is_gone_is_an_error_and_no_silence() {
    let place = host().dir("gone");
    let session = start(&place)
        .await
        .session()
        .workdir(place.at("gone"))
        .approver(Person::yes())
        .open()
        .unwrap();
    call(&session, "rmdir \"$PWD\"").await;
    let called = call(&session, "echo hi").await;
    assert!(called.is_error, "{called:?}");
    assert!(called.text.contains("gone"), "{}", called.text);
    let given =
        serde_json::json!({ "command": "echo hi", "description": "d", "workdir": place.ws() });
    let cancel = CancellationToken::new();
    let called = session
        .call("bash", &given.to_string(), cancel)
        .await
        .unwrap();
    assert_eq!(called.text, "hi\n");
}
