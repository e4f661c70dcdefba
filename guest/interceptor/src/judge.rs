//! The answer: which units are blocked, by the operator's rules and then the
//! built-in ones, and what is called instead.

use bashgate_guest::policy::{
    Context, Denial, Execution, Finding, Plan, Session, Suggestion, Unit, Verdict, abstain,
};

use crate::command::{Command, attribute, literal, program};
use crate::layout::{Layout, Place};
use crate::message;
use crate::normalize;
use crate::replacement::Replacement;
use crate::rules::{BUILT_IN, Gate};
use crate::settings::Settings;

/// Findings of one answer; the rest waits for the next try.
const MAX_FINDINGS: usize = 16;
/// Bytes of ready arguments of one answer, all together.
const MAX_ARGUMENT_BYTES: usize = 64 << 10;
/// Wrappers around a command; what is wrapped deeper is left alone.
const MAX_WRAPPERS: usize = 16;
/// A plan with one of these may show commands where there are none.
const UNREADABLE: &[&str] = &[
    "syntax-error",
    "parsers-disagree",
    "unrepresentable",
    "too-complex",
    "nothing-found",
    "analyzer-unavailable",
];
/// Wrappers without which the command would do the same to the same files.
const PLAIN_WRAPPERS: &[&str] = &[
    "builtin", "command", "env", "exec", "ionice", "nice", "nohup", "setsid", "stdbuf", "time",
];
/// Wrappers that end what they start, so nothing below them is endless.
const ENDING_WRAPPERS: &[&str] = &["timeout"];
/// They run a text that they are given.
const SHELLS: &[&str] = &["bash", "dash", "eval", "sh", "zsh"];

/// Judges an execution.
pub fn judge(settings: &Settings, execution: &Execution, session: &Session) -> Verdict {
    if !settings.enabled || execution.typed_into.is_some() {
        return abstain();
    }
    let plan = &execution.plan;
    if plan
        .doubts
        .iter()
        .any(|doubt| UNREADABLE.contains(&doubt.kind.as_str()))
    {
        return abstain();
    }
    let judge = Judge::new(settings, execution, session);
    if let Some(denial) = judge.denial() {
        return Verdict::Deny(denial);
    }
    if settings.normalize
        && let Some(rewriting) = normalize::rewriting(execution)
    {
        return Verdict::Rewrite(rewriting);
    }
    abstain()
}

/// Where a unit stands, seen through the wrappers around it.
#[derive(Clone, Copy)]
struct Standing {
    place: Place,
    /// A wrapper ends it.
    ends: bool,
}

/// A unit that is blocked, and what is called instead.
struct Block {
    finding: Finding,
    tool: String,
    arguments: String,
}

struct Judge<'a> {
    settings: &'a Settings,
    execution: &'a Execution,
    session: &'a Session,
    layout: Layout,
    /// Units directly inside each unit.
    children: Vec<u32>,
    /// `exec > file` takes the output of all that follows.
    output_moved: bool,
}

impl<'a> Judge<'a> {
    fn new(settings: &'a Settings, execution: &'a Execution, session: &'a Session) -> Self {
        let units = &execution.plan.units;
        let mut children = vec![0_u32; units.len()];
        for parent in units.iter().filter_map(|unit| unit.parent) {
            if let Some(count) = children.get_mut(parent as usize) {
                *count = count.saturating_add(1);
            }
        }
        let moves = |unit: &Unit| {
            unit.words.len() == 1 && !unit.redirects.is_empty() && program(unit) == Some("exec")
        };
        Self {
            settings,
            execution,
            session,
            layout: Layout::of(&execution.plan),
            children,
            output_moved: units.iter().any(moves),
        }
    }

    fn denial(&self) -> Option<Denial> {
        let units = &self.execution.plan.units;
        let mut blocked = vec![false; units.len()];
        let mut findings = Vec::new();
        let mut suggestion = None;
        let mut bytes = 0;
        for (index, unit) in units.iter().enumerate() {
            if findings.len() >= MAX_FINDINGS {
                break;
            }
            let parent = unit.parent.and_then(|parent| blocked.get(parent as usize));
            if parent.is_some_and(|&blocked| blocked) {
                continue;
            }
            let Some(block) = self.block(index, unit) else {
                continue;
            };
            if bytes + block.arguments.len() > MAX_ARGUMENT_BYTES {
                continue;
            }
            bytes += block.arguments.len();
            if let Some(slot) = blocked.get_mut(index) {
                *slot = true;
            }
            findings.push(block.finding);
            suggestion.get_or_insert(Suggestion {
                tool: block.tool,
                arguments: block.arguments,
            });
        }
        (!findings.is_empty()).then_some(Denial {
            findings,
            suggestion,
        })
    }

    fn block(&self, index: usize, unit: &Unit) -> Option<Block> {
        let standing = self.standing(index)?;
        let command = Command::new(unit, self.execution)?;
        self.by_operator(&command, standing)
            .or_else(|| self.by_built_in(&command, standing))
    }

    fn by_operator(&self, command: &Command<'_>, standing: Standing) -> Option<Block> {
        let Place {
            fed,
            condition,
            background,
            ..
        } = standing.place;
        if fed || condition || background {
            return None;
        }
        let rule = self.settings.rules.iter().find(|rule| {
            self.session.tools.contains(&rule.tool) && rule.pattern.is_match(&command.unit.text)
        })?;
        let arguments = ready_for(&rule.tool, command)
            .and_then(|replacement| replacement.arguments())
            .filter(|arguments| arguments.len() <= MAX_ARGUMENT_BYTES)
            .unwrap_or_else(|| "{}".to_owned());
        let name = format!("interceptor.rule {:?}", rule.written);
        Some(block(
            command.unit,
            name,
            &rule.message,
            &rule.tool,
            arguments,
        ))
    }

    fn by_built_in(&self, command: &Command<'_>, standing: Standing) -> Option<Block> {
        let (rule, replacement) = BUILT_IN
            .iter()
            .filter(|rule| self.lets(rule.gate, standing))
            .find_map(|rule| Some((rule, (rule.replace)(command)?)))?;
        let tool = replacement.tool(&self.session.tools)?;
        let arguments = replacement.arguments()?;
        Some(block(
            command.unit,
            rule.name.to_owned(),
            rule.message,
            tool,
            arguments,
        ))
    }

    fn lets(&self, gate: Gate, standing: Standing) -> bool {
        let place = standing.place;
        if place.background || place.condition {
            return false;
        }
        let shown = !place.fed && !place.collected && !self.output_moved;
        match gate {
            Gate::Plain => shown,
            Gate::Undecided => shown && !place.decides,
            Gate::Endless => !standing.ends && !self.execution.background,
        }
    }

    /// None for what runs elsewhere, or not now: substitutions, bodies, text
    /// given to what is no plain wrapper.
    fn standing(&self, index: usize) -> Option<Standing> {
        let plan = &self.execution.plan;
        let mut index = index;
        let mut collected = false;
        let mut background = false;
        let mut ends = false;
        for _ in 0..=MAX_WRAPPERS {
            let unit = plan.units.get(index)?;
            background |= unit.background;
            let Some(parent) = unit.parent else {
                if !matches!(
                    unit.context,
                    Context::TopLevel | Context::Subshell | Context::Conditional
                ) {
                    return None;
                }
                let mut place = self.layout.place(index)?;
                place.collected |= collected;
                place.background |= background;
                return Some(Standing { place, ends });
            };
            index = parent as usize;
            let wrapper = plan.units.get(index)?;
            ends |= self.passes(plan, unit, index)?;
            collected |= !wrapper.redirects.is_empty();
        }
        None
    }

    /// Whether the wrapper ends what it starts; None where the unit in it is
    /// not just what it would be alone.
    fn passes(&self, plan: &Plan, unit: &Unit, parent: usize) -> Option<bool> {
        let wrapper = plan.units.get(parent)?;
        if attribute(wrapper, "wrapper") != Some("transparent")
            || self.children.get(parent) != Some(&1)
        {
            return None;
        }
        let name = program(wrapper)?;
        match unit.context {
            Context::Wrapped if PLAIN_WRAPPERS.contains(&name) => Some(false),
            Context::Wrapped if ENDING_WRAPPERS.contains(&name) => Some(true),
            Context::NestedScript if SHELLS.contains(&name) && is_given_text(wrapper) => {
                Some(false)
            }
            _ => None,
        }
    }
}

/// `bash -c`, `sh -lc`, `eval`: not a script that lies in a file or is piped.
fn is_given_text(wrapper: &Unit) -> bool {
    let option =
        |text: &str| text.starts_with('-') && !text.starts_with("--") && text.contains('c');
    program(wrapper) == Some("eval") || wrapper.words.iter().skip(1).filter_map(literal).any(option)
}

/// The call of `tool` that a built-in rule, or a single URL, makes ready.
fn ready_for(tool: &str, command: &Command<'_>) -> Option<Replacement> {
    if tool == "fetch" {
        return the_url(command).map(|url| Replacement::Fetch { url });
    }
    BUILT_IN
        .iter()
        .filter_map(|rule| (rule.replace)(command))
        .find(|replacement| replacement.is_for(tool))
}

/// The only URL among the words.
fn the_url(command: &Command<'_>) -> Option<String> {
    let is_url = |text: &&str| text.starts_with("https://") || text.starts_with("http://");
    // `?` in a URL is a pattern to bash that fits no file.
    let mut urls = command
        .arguments()
        .iter()
        .filter_map(|word| word.value.as_deref())
        .filter(is_url);
    let url = urls.next()?;
    urls.next().is_none().then(|| url.to_owned())
}

fn block(unit: &Unit, rule: String, why: &str, tool: &str, arguments: String) -> Block {
    Block {
        finding: Finding {
            rule,
            message: message::blocked(&unit.text, why, tool, &arguments),
            span: Some(unit.span),
        },
        tool: tool.to_owned(),
        arguments,
    }
}

#[cfg(test)]
mod tests;
