//! A decision as JSON: what `explain --json` prints and the record keeps.

use serde_json::{Value, json};

use super::decision::{Decision, Judged, Verdict, excerpt};
use crate::guest::bindings::policy::bashgate::policy::types::{
    Access, Context, Doubt, Effect, Finding, Lifetime, Offer, PathScope, Scope, Unit, Zone,
};

/// The whole decision.
pub(crate) fn decision(decision: &Decision) -> Value {
    let plan = &decision.plan;
    let verdicts = decision.judged.iter();
    let verdicts: Vec<Value> = verdicts
        .map(|judged| verdict(judged, &plan.script))
        .collect();
    json!({
        "decision": decision.ruling.name(),
        "script": plan.script,
        "units": plan.units.iter().map(unit).collect::<Vec<_>>(),
        "effects": plan.effects.iter().map(effect).collect::<Vec<_>>(),
        "doubts": plan.doubts.iter().map(doubt).collect::<Vec<_>>(),
        "findings": findings(&decision.findings, &plan.script),
        "verdicts": verdicts,
    })
}

fn unit(unit: &Unit) -> Value {
    let attributes: serde_json::Map<String, Value> = unit
        .attributes
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    json!({
        "text": unit.text,
        "words": unit.words.iter().map(|word| word.value.clone()).collect::<Vec<_>>(),
        "context": context(unit.context),
        "parent": unit.parent,
        "workdir": unit.workdir,
        "program": unit.program.as_ref().map(|program| program.path.clone()),
        "attributes": attributes,
    })
}

fn effect(effect: &Effect) -> Value {
    let location = effect.location.as_ref();
    json!({
        "access": access(effect.access),
        "path": location.map(|location| location.path.clone()),
        "zone": location.map(|location| zone(location.zone)),
        "rule": location.and_then(|location| location.rule.clone()),
        "text": effect.text,
        "unit": effect.unit,
    })
}

fn doubt(doubt: &Doubt) -> Value {
    json!({ "kind": doubt.kind, "text": doubt.text, "note": doubt.note })
}

fn verdict(judged: &Judged, script: &str) -> Value {
    let said = match &judged.verdict {
        Verdict::Failed(error) => {
            json!([{ "rule": "guest-failed", "message": error.to_string(), "text": null }])
        }
        Verdict::Answered(_) => findings(judged.findings(), script),
    };
    json!({
        "guest": judged.label.name,
        "version": judged.label.version,
        "digest": judged.label.digest,
        "verdict": judged.name(),
        "shadow": judged.shadow,
        "findings": said,
        "offers": judged.offers().iter().map(offer).collect::<Vec<_>>(),
        "suggestion": judged.suggestion().map(|suggestion| json!({
            "tool": suggestion.tool,
            "arguments": serde_json::from_str::<Value>(&suggestion.arguments).unwrap_or(Value::Null),
        })),
    })
}

/// Findings with the part of the script that each speaks of.
fn findings(findings: &[Finding], script: &str) -> Value {
    let one = |finding: &Finding| {
        json!({
            "rule": finding.rule,
            "message": finding.message,
            "text": finding.span.as_ref().map(|span| excerpt(script, span)),
        })
    };
    Value::Array(findings.iter().map(one).collect())
}

fn offer(offer: &Offer) -> Value {
    let mut value = scope(&offer.scope);
    if let Value::Object(fields) = &mut value {
        fields.insert("lifetime".into(), json!(lifetime(offer.lifetime)));
    }
    value
}

fn scope(scope: &Scope) -> Value {
    match scope {
        Scope::Command(pattern) => json!({ "pattern": pattern }),
        Scope::Path(PathScope { path, access: kind }) => {
            json!({ "path": path, "access": access(*kind) })
        }
    }
}

fn lifetime(lifetime: Lifetime) -> &'static str {
    match lifetime {
        Lifetime::Session => "session",
        Lifetime::Always => "always",
    }
}

pub(crate) fn access(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
        Access::Delete => "delete",
        Access::Execute => "execute",
        Access::Enter => "enter",
        Access::Connect => "connect",
        Access::Other => "other",
    }
}

pub(crate) fn zone(zone: Zone) -> &'static str {
    match zone {
        Zone::Harmless => "harmless",
        Zone::Protected => "protected",
        Zone::Workspace => "workspace",
        Zone::Artifact => "artifact",
        Zone::Temporary => "temporary",
        Zone::Outside => "outside",
    }
}

pub(crate) fn context(context: Context) -> &'static str {
    match context {
        Context::TopLevel => "top-level",
        Context::Subshell => "subshell",
        Context::CommandSubstitution => "command-substitution",
        Context::ProcessSubstitution => "process-substitution",
        Context::Conditional => "conditional",
        Context::LoopBody => "loop-body",
        Context::FunctionBody => "function-body",
        Context::TrapBody => "trap-body",
        Context::NestedScript => "nested-script",
        Context::Wrapped => "wrapped",
        Context::Other => "other",
    }
}
