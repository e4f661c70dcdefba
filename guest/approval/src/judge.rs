//! The verdict: every unit, every effect, every doubt, in the session's mode.
//! What each of them means is asked of the other modules.

use bashgate_guest::policy::{
    Abstention, Access, Allowance, Context, Denial, Execution, Grant, Mode, Question, SandboxMode,
    Scope, Session, Span, Unit, Verdict,
};

use crate::case::{Case, is_bashgate, is_keyword, looks_harmless};
use crate::danger::{self, Evidence};
use crate::findings::{Findings, Weight, clipped};
use crate::fit::Fit;
use crate::offer::{self, Proposal};
use crate::rules::Rules;
use crate::scene::{Scene, attribute, base_name, is_trusted_program, program_word, verb};
use crate::settings::Settings;
use crate::tables;
use crate::zones::{Impact, Zones};

/// Judges one execution.
pub fn judge(
    settings: &Settings,
    execution: &Execution,
    session: &Session,
    grants: &[Grant],
) -> Verdict {
    let scene = Scene::new(execution);
    let scopes = grants
        .iter()
        .filter_map(|grant| match &grant.scope {
            Scope::Path(scope) => Some(scope),
            Scope::Command(_) => None,
        })
        .collect();
    let zones = Zones {
        scene: &scene,
        scopes,
    };
    let rules = Rules::new(settings, grants, &execution.home);
    let enclosed = is_enclosed(execution, session);
    let mut bench = Bench {
        settings,
        scene: &scene,
        rules: &rules,
        zones: &zones,
        soft: if enclosed { Weight::Note } else { Weight::Ask },
        vouched: vec![false; execution.plan.units.len()],
        findings: Findings::default(),
    };
    bench.circumstances(session);
    bench.doubts();
    bench.strays();
    bench.units();
    bench.verdict(enclosed)
}

/// Whether an enforcing sandbox stands in for a person.
fn is_enclosed(execution: &Execution, session: &Session) -> bool {
    session.mode == Mode::OnRequest
        && execution.sandbox.enforcing
        && execution.sandbox.mode != SandboxMode::FullAccess
        && execution.escalation.is_none()
}

struct Bench<'a> {
    settings: &'a Settings,
    scene: &'a Scene<'a>,
    rules: &'a Rules<'a>,
    zones: &'a Zones<'a>,
    /// The weight of what an enforcing sandbox holds.
    soft: Weight,
    vouched: Vec<bool>,
    findings: Findings,
}

impl<'a> Bench<'a> {
    fn whole_script(&self) -> Span {
        Span {
            start: 0,
            end: u32::try_from(self.scene.execution.plan.script.len()).unwrap_or(u32::MAX),
        }
    }

    /// Escalation, and text for a running job.
    fn circumstances(&mut self, session: &Session) {
        let span = self.whole_script();
        if let Some(escalation) = &self.scene.execution.escalation {
            let why = clipped(&escalation.justification);
            match session.mode {
                Mode::OnRequest => self.findings.add(
                    Weight::Ask,
                    "escalation",
                    format!("the agent wants to run this outside the sandbox: \"{why}\""),
                    span,
                ),
                Mode::Never | Mode::UnlessTrusted => self.findings.add(
                    Weight::Deny,
                    "escalation",
                    "running outside the sandbox may be asked for only with mode = \"on-request\"; run it without \
                     sandbox_permissions"
                        .to_owned(),
                    span,
                ),
            }
        }
        if let Some(job) = &self.scene.execution.typed_into {
            self.findings.add(
                Weight::Ask,
                "typed into a job",
                format!("this text is typed into the running job {}", clipped(job)),
                span,
            );
        }
    }

    fn doubts(&mut self) {
        for doubt in &self.scene.execution.plan.doubts {
            if let Some(rule) = self.rules.denying_text(doubt) {
                self.findings.add(
                    Weight::Deny,
                    format!("rules.deny {:?}", rule.text),
                    format!(
                        "`{}` cannot be parsed for sure, and holds the words of rules.deny {:?}",
                        clipped(&doubt.text),
                        rule.text
                    ),
                    doubt.span,
                );
            }
            self.findings.add(
                self.soft,
                format!("doubt {}", doubt.kind),
                format!(
                    "`{}` cannot be told for sure: {}; only a person may allow it",
                    clipped(&doubt.text),
                    clipped(&doubt.note)
                ),
                doubt.span,
            );
        }
    }

    /// Effects that belong to no unit: nothing can vouch for them.
    fn strays(&mut self) {
        for effect in &self.scene.strays {
            let (weight, rule, message) = match self.zones.impact(None, effect) {
                Impact::Harmless => continue,
                Impact::Unknown | Impact::Write | Impact::Runs(_) => (
                    self.soft,
                    "unknown path".to_owned(),
                    format!(
                        "`{}` belongs to no command of the plan",
                        clipped(&effect.text)
                    ),
                ),
                Impact::Soft(reason) => (self.soft, reason.rule, reason.message),
                Impact::Hard(reason, _) => (Weight::Ask, reason.rule, reason.message),
                Impact::Deny(reason) => (Weight::Deny, reason.rule, reason.message),
            };
            self.findings.add(weight, rule, message, effect.span);
        }
    }

    fn units(&mut self) {
        let order = self.scene.innermost_first();
        let mut cases: Vec<Option<Case<'a>>> = Vec::new();
        cases.resize_with(order.len(), || None);
        for at in order {
            let Some(case) = self.case(at) else {
                continue;
            };
            let vouched = self.vouches(&case);
            if let (Some(vouch), Some(slot)) = (self.vouched.get_mut(at), cases.get_mut(at)) {
                *vouch = vouched;
                *slot = Some(case);
            }
        }
        for case in cases.into_iter().flatten() {
            self.weigh(case);
        }
    }

    fn case(&self, at: usize) -> Option<Case<'a>> {
        let unit = self.scene.unit(at)?;
        let impacts = self
            .scene
            .effects(at)
            .iter()
            .map(|effect| (effect.span, self.zones.impact(Some(unit), effect)))
            .collect();
        Some(Case {
            at,
            unit,
            denying: self.rules.denying(unit),
            asking: self.rules.asking(unit),
            allowing: self.rules.allowing(self.scene, unit),
            dangers: danger::evidence(self.scene, at),
            impacts,
            is_bashgate: is_bashgate(unit),
            git_runs: attribute(unit, "git-runs"),
            ends_allow: self.scene.ends_allow(at),
        })
    }

    fn vouches(&self, case: &Case<'_>) -> bool {
        if case.is_barred() || case.standing().next().is_some() {
            return false;
        }
        match case.is_allowed() {
            true => case.is_coverable(),
            false => case.is_harmless() && self.is_safe(case),
        }
    }

    /// Whether what the unit says is known to be safe, its effects aside.
    fn is_safe(&self, case: &Case<'_>) -> bool {
        let unit = case.unit;
        if unit.words.is_empty() || attribute(unit, "function").is_some() {
            return true;
        }
        if attribute(unit, "interpreter").is_some() {
            return false;
        }
        let is_builtin = attribute(unit, "builtin").is_some();
        let trusted = is_trusted_program(self.scene, unit) || is_keyword(unit);
        let looks = trusted
            && (is_builtin || is_keyword(unit) || unit.workdir.is_some())
            && looks_harmless(unit);
        match attribute(unit, "wrapper") {
            None => looks,
            Some("transparent") => {
                (is_builtin && looks)
                    || ((trusted || self.is_read_script(case)) && self.vouches_for_wrapped(case.at))
            }
            Some(_) => false,
        }
    }

    fn vouches_for_wrapped(&self, at: usize) -> bool {
        let mut wrapped = self.scene.wrapped(at).peekable();
        wrapped.peek().is_some()
            && wrapped.all(|child| self.vouched.get(child).copied().unwrap_or(false))
    }

    /// A script of the workspace that the analyzer read whole: what it runs is
    /// judged, and the file is looked at again before the start. Not a file
    /// that only bears a known program's name.
    fn is_read_script(&self, case: &Case<'_>) -> bool {
        let Some(name) = program_word(case.unit).filter(|name| name.contains('/')) else {
            return false;
        };
        let base = base_name(name);
        let is_known = tables::holds(tables::NEVER_OFFERED, base)
            || tables::longest(tables::ARITY, |row| row.0, &[base]).is_some();
        let in_root = case
            .unit
            .program
            .as_ref()
            .is_some_and(|file| file.exists && self.scene.in_root(&file.path));
        !is_known
            && in_root
            && self.scene.wrapped(case.at).all(|child| {
                self.scene
                    .unit(child)
                    .is_some_and(|unit| unit.context == Context::NestedScript)
            })
    }

    /// Findings and offers of one unit.
    fn weigh(&mut self, case: Case<'a>) {
        let vouched = self.vouched.get(case.at).copied().unwrap_or(false);
        let proposal = self.proposal(&case, vouched);
        let mut said = self.weigh_rules(&case);
        said |= self.weigh_program(&case);
        said |= self.weigh_effects(&case, proposal.as_ref());
        for danger in case.standing() {
            said = true;
            self.findings.add(
                self.soft,
                "dangerous",
                dangerous(case.unit, danger, proposal.as_ref()),
                case.unit.span,
            );
        }
        if !vouched && !said {
            self.findings.add(
                Weight::Note,
                "not known to be safe",
                self.unknown(&case, proposal.as_ref()),
                case.unit.span,
            );
        }
        if let Some(proposal) = proposal {
            self.findings.offer(proposal.offer());
        }
        if self.scene.execution.plan.doubts.is_empty() && !self.is_closed(&case) {
            for (_, impact) in case.impacts {
                if let Impact::Hard(_, Some(offer)) = impact {
                    self.findings.offer(offer);
                }
            }
        }
    }

    fn weigh_rules(&mut self, case: &Case<'_>) -> bool {
        let text = clipped(&case.unit.text);
        for hit in &case.denying {
            let rule = &hit.rule.text;
            let (weight, message) = match hit.fit {
                Fit::Yes => (
                    Weight::Deny,
                    format!(
                        "`{text}` fits rules.deny {rule:?}; only taking that rule out allows it"
                    ),
                ),
                Fit::Maybe | Fit::No => (
                    Weight::Ask,
                    format!(
                        "`{text}` may fit rules.deny {rule:?}, which only running it can tell; write its words out"
                    ),
                ),
            };
            self.findings.add(
                weight,
                format!("rules.deny {rule:?}"),
                message,
                case.unit.span,
            );
        }
        for hit in &case.asking {
            let rule = &hit.rule.text;
            let fits = match hit.fit {
                Fit::Yes => "fits",
                Fit::Maybe | Fit::No => "may fit",
            };
            self.findings.add(
                Weight::Ask,
                format!("rules.ask {rule:?}"),
                format!("`{text}` {fits} rules.ask {rule:?}, so it is asked each time"),
                case.unit.span,
            );
        }
        !case.denying.is_empty() || !case.asking.is_empty()
    }

    fn weigh_program(&mut self, case: &Case<'_>) -> bool {
        let text = clipped(&case.unit.text);
        let span = case.unit.span;
        if case.is_bashgate {
            self.findings.add(
                Weight::Ask,
                "bashgate itself",
                format!("`{text}` runs bashgate inside a command that bashgate judges; no rule allows that"),
                span,
            );
        }
        if let Some(key) = case.git_runs {
            self.findings.add(
                Weight::Ask,
                "git-runs",
                format!(
                    "`{text}` starts what the repository's {} names, which cannot be switched off for this command",
                    clipped(key)
                ),
                span,
            );
        }
        // What is wrapped inherits it; the finding stands where it comes from.
        let own = attribute(case.unit, "ends-allow");
        if let Some(why) = own {
            self.findings.add(
                self.soft,
                "ends-allow",
                format!("`{text}`: {}, so no rule or grant allows it", clipped(why)),
                span,
            );
        }
        case.is_bashgate || case.git_runs.is_some() || own.is_some()
    }

    fn weigh_effects(&mut self, case: &Case<'_>, proposal: Option<&Proposal>) -> bool {
        let mut said = false;
        let covered = case.is_allowed() && !case.is_barred();
        for ((span, impact), effect) in case.impacts.iter().zip(self.scene.effects(case.at)) {
            let (weight, rule, message) = match impact {
                Impact::Harmless | Impact::Unknown => continue,
                Impact::Write if covered => continue,
                Impact::Runs(word) if covered && case.is_spelled(Some(word)) => continue,
                Impact::Write => (
                    self.soft,
                    "write",
                    format!(
                        "`{}` {} {}{}",
                        clipped(&case.unit.text),
                        verb(effect.access),
                        effect.location.as_ref().map_or("", |l| l.path.as_str()),
                        way(proposal)
                    ),
                ),
                Impact::Runs(word) => (
                    self.soft,
                    "runs another program",
                    format!(
                        "`{}` runs another program through `{}`{}",
                        clipped(&case.unit.text),
                        clipped(word),
                        way(proposal)
                    ),
                ),
                Impact::Soft(reason) => (self.soft, reason.rule.as_str(), reason.message.clone()),
                Impact::Hard(reason, _) => {
                    (Weight::Ask, reason.rule.as_str(), reason.message.clone())
                }
                Impact::Deny(reason) => {
                    (Weight::Deny, reason.rule.as_str(), reason.message.clone())
                }
            };
            said = true;
            self.findings.add(weight, rule, message, *span);
        }
        said
    }

    /// Whether nothing that the user adopts could let the unit through.
    fn is_closed(&self, case: &Case<'_>) -> bool {
        case.is_barred()
            || case.dangers.iter().any(|danger| danger.word.is_none())
            || case.impacts.iter().any(|(_, impact)| {
                matches!(
                    impact,
                    Impact::Soft(_) | Impact::Hard(_, None) | Impact::Deny(_)
                )
            })
    }

    /// What the user could adopt for the command, if that is what it lacks.
    fn proposal(&self, case: &Case<'_>, vouched: bool) -> Option<Proposal> {
        let doubtful = !self.scene.execution.plan.doubts.is_empty();
        if vouched || doubtful || self.soft == Weight::Note || self.is_closed(case) {
            return None;
        }
        if !is_trusted_program(self.scene, case.unit) {
            return None;
        }
        let exactly = case.standing().next().is_some()
            || case
                .impacts
                .iter()
                .any(|(_, impact)| matches!(impact, Impact::Runs(_)));
        // Paths are all that keeps it from being safe, or from its rule.
        let only_paths = case.impacts.iter().all(|(_, impact)| match impact {
            Impact::Harmless => true,
            Impact::Hard(_, Some(offer)) => matches!(
                &offer.scope,
                Scope::Path(scope) if matches!(
                    scope.access,
                    Access::Read | Access::Enter
                )
            ),
            Impact::Unknown
            | Impact::Write
            | Impact::Runs(_)
            | Impact::Soft(_)
            | Impact::Hard(..)
            | Impact::Deny(_) => false,
        });
        if !exactly && (case.is_allowed() || (only_paths && self.is_safe(case))) {
            return None;
        }
        offer::proposal(case.unit, &self.settings.arity, exactly)
    }

    fn unknown(&self, case: &Case<'_>, proposal: Option<&Proposal>) -> String {
        let text = clipped(&case.unit.text);
        let program = program_word(case.unit).map(clipped).unwrap_or_default();
        if proposal.is_some() {
            return format!("`{text}` is not known to be safe{}", way(proposal));
        }
        if let Some(why) = case.ends_allow {
            return format!(
                "`{text}` is not known to be safe; {}, so no rule or grant allows it",
                clipped(why)
            );
        }
        let more = match &case.unit.program {
            _ if attribute(case.unit, "wrapper").is_some() => {
                "; what it starts is judged by itself".to_owned()
            }
            _ if is_trusted_program(self.scene, case.unit) => String::new(),
            _ if program.contains('/') => {
                "; rules and grants fit a program's bare name, found on the PATH".to_owned()
            }
            None => format!("; `{program}` is not found on the PATH"),
            Some(file) => format!(
                "; `{program}` is {}, which a command could change",
                file.path
            ),
        };
        format!("`{text}` is not known to be safe{more}")
    }

    fn verdict(self, enclosed: bool) -> Verdict {
        let units: Vec<u32> = self
            .vouched
            .iter()
            .enumerate()
            .filter(|(_, vouched)| **vouched || enclosed)
            .filter_map(|(at, _)| u32::try_from(at).ok())
            .collect();
        let none = self.vouched.is_empty();
        match self.findings.heaviest() {
            Some(Weight::Deny) => {
                let (findings, _) = self.findings.take(Weight::Deny);
                Verdict::Deny(Denial {
                    findings,
                    suggestion: None,
                })
            }
            Some(Weight::Ask) => {
                let (findings, offers) = self.findings.take(Weight::Note);
                Verdict::Ask(Question { findings, offers })
            }
            Some(Weight::Note) | None => {
                let (findings, offers) = self.findings.take(Weight::Note);
                match units.is_empty() && !none {
                    true => Verdict::Abstain(Abstention { findings, offers }),
                    false => Verdict::Allow(Allowance {
                        units,
                        findings,
                        offers,
                    }),
                }
            }
        }
    }
}

/// The setting that would allow it.
fn way(proposal: Option<&Proposal>) -> String {
    proposal.map_or_else(String::new, |p| format!("; allow it with {}", p.setting()))
}

fn dangerous(unit: &Unit, danger: &Evidence, proposal: Option<&Proposal>) -> String {
    let text = clipped(&unit.text);
    match &danger.word {
        None => format!("`{text}` {}; no rule allows that", danger.reason),
        Some(word) => format!(
            "`{text}` {} (`{}`); only a rule that spells that word allows it{}",
            danger.reason,
            clipped(word),
            proposal.map_or_else(String::new, |p| format!(": {}", p.setting()))
        ),
    }
}
