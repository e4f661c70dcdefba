//! Small plans for the tests of this crate: units are found in the script by
//! their text, words told apart as simply as the tests need.

use bashgate_guest::policy::{
    Context, Doubt, Execution, Mode, Operator, Plan, Redirect, RedirectKind, Sandbox, SandboxMode,
    Session, Span, Unit, Word,
};

pub const ROOT: &str = "/w";
pub const TOOLS: &[&str] = &[
    "read",
    "write",
    "edit",
    "grep",
    "find",
    "glob",
    "bash_output",
];

/// Words of `text`: quotes removed, None for what holds a `$` outside single
/// quotes.
pub fn words(text: &str) -> Vec<Word> {
    split(text, 0)
}

fn split(text: &str, offset: usize) -> Vec<Word> {
    let mut words = Vec::new();
    let mut start = None;
    let mut quote = None;
    let mut value = String::new();
    let mut known = true;
    let mut characters = text.char_indices();
    loop {
        let next = characters.next();
        match next {
            Some((at, character)) if quote.is_some() || !character.is_whitespace() => {
                start.get_or_insert(at);
                match (quote, character) {
                    (None, '\'' | '"') => quote = Some(character),
                    (Some(open), close) if open == close => quote = None,
                    (None, '\\') | (Some('"'), '\\') => {
                        let (_, escaped) = characters.next().unwrap();
                        if quote.is_some() && !"\\\"$`".contains(escaped) {
                            value.push('\\');
                        }
                        value.push(escaped);
                    }
                    (None | Some('"'), '$') => known = false,
                    (_, other) => value.push(other),
                }
            }
            _ => {
                let end = next.map_or(text.len(), |(at, _)| at);
                if let Some(start) = start.take() {
                    words.push(Word {
                        span: span(offset + start, offset + end),
                        text: text[start..end].to_owned(),
                        value: known.then(|| std::mem::take(&mut value)),
                    });
                }
                value.clear();
                known = true;
                if next.is_none() {
                    return words;
                }
            }
        }
    }
}

fn span(start: usize, end: usize) -> Span {
    Span {
        start: u32::try_from(start).unwrap(),
        end: u32::try_from(end).unwrap(),
    }
}

/// A plan in the making; what follows `unit` changes the last unit.
pub struct Builder {
    plan: Plan,
    from: usize,
}

impl Builder {
    pub fn new(script: &str) -> Self {
        Self {
            plan: Plan {
                script: script.to_owned(),
                units: Vec::new(),
                effects: Vec::new(),
                doubts: Vec::new(),
            },
            from: 0,
        }
    }

    /// A script of one command with its redirects.
    pub fn one(text: &str) -> Self {
        Self::new(text).unit(text)
    }

    /// A unit, where its text is first found after the last one, else
    /// anywhere; redirects of the form `> f` and `2>&1` are taken out.
    pub fn unit(mut self, text: &str) -> Self {
        let script = &self.plan.script;
        let start = script[self.from..]
            .find(text)
            .map(|at| at + self.from)
            .or_else(|| script.find(text))
            .unwrap();
        self.from = start + text.len();
        let mut words = split(text, start);
        let redirects = take_redirects(&mut words);
        self.plan.units.push(Unit {
            span: span(start, start + text.len()),
            text: text.to_owned(),
            parent: None,
            context: Context::TopLevel,
            operator: Operator::None,
            assignments: Vec::new(),
            words,
            identity: vec![0],
            program: None,
            redirects,
            background: false,
            workdir: Some(ROOT.to_owned()),
            attributes: Vec::new(),
        });
        self
    }

    /// All stages of a pipeline.
    pub fn stages(mut self, texts: &[&str]) -> Self {
        for (index, text) in texts.iter().enumerate() {
            self = self.unit(text);
            if index > 0 {
                self = self.with(|unit| unit.operator = Operator::Pipe);
            }
        }
        self
    }

    pub fn with(mut self, change: impl FnOnce(&mut Unit)) -> Self {
        change(self.plan.units.last_mut().unwrap());
        self
    }

    pub fn inside(self, parent: u32, context: Context) -> Self {
        self.with(|unit| {
            unit.parent = Some(parent);
            unit.context = context;
        })
    }

    pub fn wrapper(self) -> Self {
        self.with(|unit| {
            unit.attributes
                .push(("wrapper".into(), "transparent".into()))
        })
    }

    /// A here-document whose operator stands in the script as `text`.
    pub fn here_document(mut self, text: &str, end: &str, body: &str) -> Self {
        let start = self.plan.script.find(text).unwrap();
        let unit = self.plan.units.last_mut().unwrap();
        let span = span(start, start + text.len());
        let written = text.trim_start_matches(['<', '-', ' ']);
        unit.redirects.push(Redirect {
            span,
            fd: None,
            kind: RedirectKind::HereDocument,
            target: Word {
                span,
                text: written.to_owned(),
                value: Some(end.to_owned()),
            },
            body: Some(body.to_owned()),
        });
        self
    }

    pub fn doubt(mut self, kind: &str) -> Self {
        self.plan.doubts.push(Doubt {
            kind: kind.to_owned(),
            span: span(0, 0),
            text: String::new(),
            note: String::new(),
        });
        self
    }

    pub fn plan(self) -> Plan {
        self.plan
    }

    pub fn execution(self) -> Execution {
        Execution {
            plan: self.plan,
            description: "Do the thing".into(),
            workdir: ROOT.into(),
            root: ROOT.into(),
            home: "/home/u".into(),
            timeout_ms: None,
            terminal: false,
            background: false,
            sandbox: Sandbox {
                mode: SandboxMode::FullAccess,
                enforcing: false,
                network: true,
                backend: String::new(),
            },
            escalation: None,
            typed_into: None,
            attributes: Vec::new(),
        }
    }
}

/// Takes `> f`, `>>f`, `2>&1` and the like out of the words.
fn take_redirects(words: &mut Vec<Word>) -> Vec<Redirect> {
    let mut redirects = Vec::new();
    let mut rest = std::mem::take(words).into_iter();
    while let Some(word) = rest.next() {
        let digits = word.text.chars().take_while(char::is_ascii_digit).count();
        let (number, operator) = word.text.split_at(digits);
        let kinds = [
            (">>", RedirectKind::Append),
            (">|", RedirectKind::Clobber),
            (">&", RedirectKind::Duplicate),
            (">", RedirectKind::Output),
            ("<<<", RedirectKind::HereString),
            ("<<", RedirectKind::HereDocument),
            ("<", RedirectKind::Input),
        ];
        let Some((sign, kind)) = kinds
            .into_iter()
            .find(|(sign, _)| operator.starts_with(sign))
        else {
            words.push(word);
            continue;
        };
        if kind == RedirectKind::HereDocument {
            // Its body is for `here_document` to say.
            continue;
        }
        let mut span = word.span;
        let target = if operator == sign {
            let target = rest.next().unwrap();
            span.end = target.span.end;
            target
        } else {
            split(
                &operator[sign.len()..],
                word.span.start as usize + digits + sign.len(),
            )
            .remove(0)
        };
        redirects.push(Redirect {
            span,
            fd: number.parse().ok(),
            kind,
            target,
            body: None,
        });
    }
    redirects
}

pub fn session(tools: &[&str]) -> Session {
    Session {
        id: "s".into(),
        mode: Mode::UnlessTrusted,
        attended: true,
        tools: tools.iter().map(|&tool| tool.to_owned()).collect(),
        attributes: Vec::new(),
    }
}
