use std::cell::RefCell;

use bashgate_guest::tool::Request;
use serde_json::{Value, json};

use super::invoke;
use crate::executor::{Abilities, Channel, Command, Denial, Executor, Level, Outcome, Refusal};
use crate::settings::Settings;
use crate::text::tests::{outcome, printed};

/// Answers every command alike, and remembers what it was asked.
struct Fake {
    answer: Result<Outcome, Refusal>,
    asked: RefCell<Vec<Command>>,
    logged: RefCell<Vec<String>>,
}

impl Executor for Fake {
    fn abilities(&self) -> Abilities {
        Abilities {
            escalation: false,
            default_timeout_ms: 1000,
            max_timeout_ms: 9000,
        }
    }

    fn run(&self, command: &Command) -> Result<Outcome, Refusal> {
        self.asked.borrow_mut().push(command.clone());
        self.answer.clone()
    }

    fn log(&self, _: Level, message: &str) {
        self.logged.borrow_mut().push(message.to_owned());
    }
}

fn answering(answer: Result<Outcome, Refusal>) -> Fake {
    Fake {
        answer,
        asked: RefCell::default(),
        logged: RefCell::default(),
    }
}

type Change = fn(&mut Outcome);

fn ran(change: Change) -> Fake {
    let mut outcome = outcome(vec![printed(Channel::Merged, "hi\n")]);
    change(&mut outcome);
    answering(Ok(outcome))
}

fn request(name: &str, arguments: &Value) -> Request {
    Request {
        name: name.to_owned(),
        arguments: arguments.to_string(),
    }
}

fn plain() -> Request {
    request(
        "bash",
        &json!({ "command": "echo hi", "description": "Says hi" }),
    )
}

const STRICT: Settings = Settings {
    nonzero_exit_is_error: true,
};

#[test]
fn what_counts_as_an_error_of_the_tool() {
    let rows: [(Change, bool, bool); 7] = [
        (|_| {}, false, false),
        (|o| o.ending.exit_code = Some(3), false, true),
        (|o| o.ending.timed_out = true, false, false),
        (|o| o.ending.cancelled = true, true, true),
        (|o| o.ending.exit_code = None, true, true),
        (
            |o| {
                o.ending.exit_code = None;
                o.ending.signal = Some("SIGKILL".to_owned());
            },
            false,
            false,
        ),
        (
            |o| o.left_running = Some("sleep 9".to_owned()),
            false,
            false,
        ),
    ];
    for (number, (change, lenient, strict)) in rows.into_iter().enumerate() {
        let is_error = |settings| invoke(&ran(change), settings, &plain()).unwrap().is_error;
        assert_eq!(is_error(Settings::DEFAULT), lenient, "row {number}");
        assert_eq!(is_error(STRICT), strict, "row {number}, strict");
    }
}

#[test]
fn a_result_holds_text_and_fields() {
    let fake = ran(|_| {});
    let reply = invoke(&fake, Settings::DEFAULT, &plain()).unwrap();
    let fields: Value = serde_json::from_str(&reply.structured).unwrap();
    assert_eq!(reply.text, "hi\n");
    assert_eq!(fields["output"]["text"], "hi\n");
    assert_eq!(fake.asked.borrow().len(), 1);
    assert_eq!(fake.asked.borrow()[0].script, "echo hi");
}

#[test]
fn ignored_keys_are_noted_and_logged() {
    let with_key = json!({ "command": "echo hi", "description": "Says hi", "context": "x" });
    let fake = ran(|_| {});
    let reply = invoke(&fake, Settings::DEFAULT, &request("bash", &with_key)).unwrap();
    assert_eq!(reply.text, "hi\n[ignored argument: context]");
    assert_eq!(*fake.logged.borrow(), ["[ignored argument: context]"]);
}

#[test]
fn a_denial_is_a_reply_and_an_error() {
    let message = "approval denies: rule `rm *`; remove it from rules.deny to allow";
    let fake = answering(Err(Refusal::Denied(Denial {
        message: message.to_owned(),
        findings: vec!["rule `rm *`".to_owned()],
        suggested_tool: None,
        suggested_arguments: None,
    })));
    let reply = invoke(&fake, Settings::DEFAULT, &plain()).unwrap();
    assert!(reply.is_error);
    assert_eq!(reply.text, message);
    let fields: Value = serde_json::from_str(&reply.structured).unwrap();
    assert_eq!(fields["denied"]["findings"], json!(["rule `rm *`"]));
}

#[test]
fn what_the_host_could_not_do_is_an_error_of_the_call() {
    let rows = [
        (
            Refusal::Invalid("it holds a NUL byte".to_owned()),
            "`command` does not fit: it holds a NUL byte; nothing ran",
        ),
        (
            Refusal::WorkdirMissing("/w/nope".to_owned()),
            "`workdir`: the directory /w/nope does not exist; nothing ran",
        ),
        (
            Refusal::WorkdirNotADirectory("/w/f".to_owned()),
            "`workdir`: /w/f is not a directory; nothing ran",
        ),
        (
            Refusal::Unavailable("the audit log is full".to_owned()),
            "bashgate could not run the command: the audit log is full",
        ),
    ];
    for (refusal, wanted) in rows {
        let error = invoke(&answering(Err(refusal)), Settings::DEFAULT, &plain()).unwrap_err();
        assert_eq!(error, wanted);
    }
}

#[test]
fn nothing_is_asked_of_the_host_before_the_arguments_fit() {
    let fitting = json!({ "command": "ls", "description": "x" });
    for (request, said) in [
        (request("bash", &json!({ "description": "x" })), "`command`"),
        (request("bash", &json!(["ls"])), "object"),
        (
            request("shell\n", &fitting),
            "no tool `shell\\n`; the tools are: bash",
        ),
    ] {
        let fake = ran(|_| {});
        let error = invoke(&fake, Settings::DEFAULT, &request).unwrap_err();
        assert!(error.contains(said), "{error}");
        assert!(fake.asked.borrow().is_empty());
    }
}
