//! The question on a terminal, in plain lines, and the answer given before.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::sync::{Arc, Mutex, PoisonError};

use super::explain::{notes, scope};
use super::script::{marked, visible};
use crate::gate::{Answer, Approver, Asking, Offered, Question};
use crate::guest::bindings::policy::bashgate::policy::types::Lifetime;

/// Answers that cannot be understood before it counts as no.
const TRIES: usize = 5;

/// `--yes`: the person has answered before.
pub(crate) struct Yes;

impl Approver for Yes {
    fn attended(&self) -> bool {
        true
    }

    fn name(&self) -> &str {
        "--yes"
    }

    fn ask(&self, _: Question) -> Asking<'_> {
        Box::pin(std::future::ready(Answer::Once))
    }
}

/// The person at the controlling terminal. One question at a time.
pub(crate) struct Terminal {
    terminal: Arc<Mutex<Lines>>,
}

/// Both directions of a terminal, line by line.
struct Lines {
    input: BufReader<File>,
    output: File,
}

impl Terminal {
    /// None when there is no terminal.
    pub(crate) fn open() -> Option<Self> {
        let mut options = OpenOptions::new();
        let output = options.read(true).write(true).open("/dev/tty").ok()?;
        let input = BufReader::new(output.try_clone().ok()?);
        Some(Self {
            terminal: Arc::new(Mutex::new(Lines { input, output })),
        })
    }
}

impl Approver for Terminal {
    fn attended(&self) -> bool {
        true
    }

    fn name(&self) -> &str {
        "the person at the terminal"
    }

    fn ask(&self, question: Question) -> Asking<'_> {
        let terminal = Arc::clone(&self.terminal);
        Box::pin(async move {
            let asked = tokio::task::spawn_blocking(move || {
                let mut lines = terminal.lock().unwrap_or_else(PoisonError::into_inner);
                lines.ask(&question)
            });
            // A terminal that is gone says no.
            match asked.await {
                Ok(Ok(answer)) => answer,
                Ok(Err(_)) | Err(_) => Answer::No(Some("the terminal was closed".into())),
            }
        })
    }
}

impl Lines {
    fn ask(&mut self, question: &Question) -> std::io::Result<Answer> {
        self.output.write_all(dialog(question).as_bytes())?;
        for _ in 0..TRIES {
            self.output.write_all(choices(question).as_bytes())?;
            let mut line = String::new();
            if self.input.read_line(&mut line)? == 0 {
                return Ok(Answer::No(Some("the terminal was closed".into())));
            }
            match understood(&line, question) {
                Some(Choice::Once) => return Ok(Answer::Once),
                Some(Choice::No(reason)) => return Ok(Answer::No(reason)),
                Some(Choice::Session) => return Ok(Answer::Session(self.taken(question)?)),
                Some(Choice::Always) => return Ok(Answer::Always(self.taken(question)?)),
                None => {}
            }
        }
        Ok(Answer::No(Some("no answer was understood".into())))
    }

    /// Each offer is taken or left by itself.
    fn taken(&mut self, question: &Question) -> std::io::Result<Vec<Offered>> {
        if question.offers.len() == 1 {
            return Ok(question.offers.clone());
        }
        let which = b"which? numbers with blanks between, or Enter for all: ";
        self.output.write_all(which)?;
        let mut line = String::new();
        self.input.read_line(&mut line)?;
        let wanted: Vec<&str> = line.split_whitespace().collect();
        let numbered = question.offers.iter().enumerate();
        let taken = numbered.filter(|(index, _)| {
            wanted.is_empty() || wanted.contains(&(index + 1).to_string().as_str())
        });
        Ok(taken.map(|(_, offered)| offered.clone()).collect())
    }
}

enum Choice {
    Once,
    Session,
    Always,
    No(Option<String>),
}

fn understood(line: &str, question: &Question) -> Option<Choice> {
    let line = line.trim();
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word.to_lowercase().as_str() {
        "o" | "once" | "y" | "yes" => Some(Choice::Once),
        "s" | "session" if !question.offers.is_empty() => Some(Choice::Session),
        "a" | "always" if can_last(question) => Some(Choice::Always),
        "n" | "no" => {
            let reason = rest.trim().to_owned();
            Some(Choice::No(Some(reason).filter(|reason| !reason.is_empty())))
        }
        _ => None,
    }
}

fn can_last(question: &Question) -> bool {
    let mut offers = question.offers.iter();
    offers.any(|offered| offered.lifetime == Lifetime::Always)
}

/// What is asked. Text of the agent and of guests stands behind marks of
/// ours, so that none of it passes for the dialog.
fn dialog(question: &Question) -> String {
    let decision = &question.decision;
    let mut text = String::from("\nbashgate: may this run?\n\n");
    text.push_str(&marked(&decision.plan.script, &notes(decision)));
    // Writing to a string does not fail, here and below.
    let _ = writeln!(text, "\n  in {}", visible(&question.workdir));
    let _ = writeln!(
        text,
        "  the agent says: \"{}\"",
        visible(&question.description)
    );
    if !question.offers.is_empty() {
        text.push_str("\n  what you may allow from now on:\n");
        for (index, offered) in question.offers.iter().enumerate() {
            let _ = writeln!(text, "  {:>3}. {}", index + 1, scope(&offered.scope));
        }
    }
    text.push('\n');
    text
}

fn choices(question: &Question) -> String {
    let mut choices = vec!["[o]nce"];
    if !question.offers.is_empty() {
        choices.push("[s]ession");
    }
    if can_last(question) {
        choices.push("[a]lways");
    }
    choices.push("[n]o, with a reason if you like");
    format!("{}: ", choices.join("  "))
}
