//! Small plans for tests. Words are split at blanks: `$x` is a word that only
//! running can tell, quotes around a word are taken off.

use bashgate_guest::policy::{
    Access, Assignment, Context, Doubt, Effect, Escalation, Execution, Grant, Location, Mode,
    Offer, Operator, Origin, Plan, Sandbox, SandboxMode, Session, Span, Unit, Verdict, Word, Zone,
};

use crate::judge::judge;
use crate::settings::Settings;

pub const ROOT: &str = "/home/u/ws";
pub const HOME: &str = "/home/u";

const BUILTINS: &[&str] = &[
    ":", "[", "[[", "((", "cd", "command", "echo", "eval", "exec", "exit", "export", "false",
    "printf", "pwd", "set", "test", "true", "kill",
];

/// A unit of these words, its program found outside the workspace.
pub fn unit(script: &str) -> Unit {
    let mut words = Vec::new();
    let mut start = 0;
    for text in script.split(' ') {
        let span = Span {
            start,
            end: start + text.len() as u32,
        };
        start += text.len() as u32 + 1;
        if text.is_empty() {
            continue;
        }
        let bare = text.trim_matches('\'').trim_matches('"');
        words.push(Word {
            span,
            text: text.to_owned(),
            value: (!bare.contains('$')).then(|| bare.to_owned()),
        });
    }
    let name = words
        .first()
        .and_then(|word| word.value.clone())
        .unwrap_or_default();
    let builtin = BUILTINS.contains(&name.as_str()) && script.split(' ').next() != Some("kill");
    let program = (!builtin && !name.is_empty() && !name.contains('/')).then(|| Location {
        path: format!("/usr/bin/{name}"),
        zone: Zone::Outside,
        exists: true,
        rule: None,
    });
    Unit {
        span: Span {
            start: 0,
            end: script.len() as u32,
        },
        text: script.to_owned(),
        parent: None,
        context: Context::TopLevel,
        operator: Operator::None,
        assignments: Vec::<Assignment>::new(),
        identity: if words.is_empty() {
            Vec::new()
        } else {
            vec![0]
        },
        words,
        program,
        redirects: Vec::new(),
        background: false,
        workdir: Some(ROOT.to_owned()),
        attributes: if builtin {
            vec![("builtin".to_owned(), String::new())]
        } else {
            Vec::new()
        },
    }
}

/// Where an absolute path leads, by the zones of the tests.
pub fn location(path: &str) -> Location {
    let zone = match path {
        "/dev/null" => Zone::Harmless,
        p if p.contains("/.git/")
            || p.contains("/.ssh")
            || p.ends_with("/.git")
            || p.ends_with("/.bashrc") =>
        {
            Zone::Protected
        }
        p if p == ROOT || p.starts_with("/home/u/ws/") => Zone::Workspace,
        p if p.starts_with("/tmp/") => Zone::Temporary,
        _ => Zone::Outside,
    };
    let rule = match zone {
        Zone::Protected if path.contains("/.ssh") => Some("~/.ssh".to_owned()),
        Zone::Protected if path.contains("/.bashrc") => Some("~/.bashrc".to_owned()),
        Zone::Protected => Some(".git".to_owned()),
        _ if path == ROOT => Some("contains /home/u/ws/.git".to_owned()),
        _ => None,
    };
    Location {
        path: path.to_owned(),
        zone,
        exists: true,
        rule,
    }
}

/// Builds one execution and judges it.
#[derive(Clone)]
pub struct Build {
    pub config: String,
    pub session: Session,
    pub execution: Execution,
    pub grants: Vec<Grant>,
}

impl Build {
    pub fn new() -> Self {
        Self {
            config: String::new(),
            session: Session {
                id: "s".to_owned(),
                mode: Mode::UnlessTrusted,
                attended: true,
                tools: Vec::new(),
                attributes: Vec::new(),
            },
            execution: Execution {
                plan: Plan {
                    script: String::new(),
                    units: Vec::new(),
                    effects: Vec::new(),
                    doubts: Vec::new(),
                },
                description: String::new(),
                workdir: ROOT.to_owned(),
                root: ROOT.to_owned(),
                home: HOME.to_owned(),
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
            },
            grants: Vec::new(),
        }
    }

    /// One unit of these words.
    pub fn of(script: &str) -> Self {
        Self::new().unit(unit(script))
    }

    pub fn unit(mut self, unit: Unit) -> Self {
        self.execution.plan.units.push(unit);
        self
    }

    /// Changes the unit added last.
    pub fn with(mut self, change: impl FnOnce(&mut Unit)) -> Self {
        change(self.execution.plan.units.last_mut().unwrap());
        self
    }

    pub fn attribute(self, name: &str, value: &str) -> Self {
        self.with(|unit| unit.attributes.push((name.to_owned(), value.to_owned())))
    }

    /// A unit below the one before it.
    pub fn inside(self, script: &str, context: Context) -> Self {
        let parent = self.execution.plan.units.len() as u32 - 1;
        self.unit(unit(script)).with(|unit| {
            unit.parent = Some(parent);
            unit.context = context;
        })
    }

    /// An effect of the unit added last; an empty path is no path.
    pub fn effect(self, access: Access, path: &str) -> Self {
        self.touches(access, Origin::Operand, path)
    }

    pub fn touches(mut self, access: Access, origin: Origin, path: &str) -> Self {
        let text = path.rsplit('/').next().unwrap_or(path).to_owned();
        self.execution.plan.effects.push(Effect {
            unit: self.execution.plan.units.len() as u32 - 1,
            span: Span { start: 0, end: 1 },
            text,
            access,
            origin,
            location: (!path.is_empty()).then(|| location(path)),
        });
        self
    }

    pub fn doubt(mut self, kind: &str, text: &str) -> Self {
        self.execution.plan.doubts.push(Doubt {
            kind: kind.to_owned(),
            span: Span { start: 0, end: 1 },
            text: text.to_owned(),
            note: "only running it can tell".to_owned(),
        });
        self
    }

    pub fn rules(mut self, allow: &[&str], ask: &[&str], deny: &[&str]) -> Self {
        self.config =
            serde_json::json!({"rules": {"allow": allow, "ask": ask, "deny": deny}}).to_string();
        self
    }

    pub fn allow(self, allow: &[&str]) -> Self {
        self.rules(allow, &[], &[])
    }

    pub fn deny(self, deny: &[&str]) -> Self {
        self.rules(&[], &[], deny)
    }

    pub fn grant(mut self, offer: Offer) -> Self {
        self.grants.push(Grant {
            id: "g".to_owned(),
            scope: offer.scope,
        });
        self
    }

    pub fn mode(mut self, mode: Mode) -> Self {
        self.session.mode = mode;
        self
    }

    /// On request, inside a sandbox that holds.
    pub fn enclosed(mut self) -> Self {
        self.session.mode = Mode::OnRequest;
        self.execution.sandbox.mode = SandboxMode::WorkspaceWrite;
        self.execution.sandbox.enforcing = true;
        self
    }

    pub fn escalation(mut self) -> Self {
        self.execution.escalation = Some(Escalation {
            justification: "needs the network".to_owned(),
            prefix: Vec::new(),
        });
        self
    }

    pub fn execution(self) -> Execution {
        self.execution
    }

    pub fn verdict(&self) -> Verdict {
        let settings = Settings::read(&self.config).unwrap();
        judge(&settings, &self.execution, &self.session, &self.grants)
    }
}
