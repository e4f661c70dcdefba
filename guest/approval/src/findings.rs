//! What a verdict says: findings and offers, by weight, bounded in number and
//! length. Knows nothing of why.

use bashgate_guest::policy::{Finding, Offer, Span};

/// The most findings, and the most offers, of one verdict.
pub const MOST: usize = 64;

/// The most characters of the script that a message repeats.
const LONGEST: usize = 160;

/// How much a finding weighs; the heaviest makes the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Said, without effect.
    Note,
    Ask,
    Deny,
}

/// Findings and offers of one evaluation.
#[derive(Debug, Default)]
pub struct Findings {
    found: Vec<(Weight, Finding)>,
    /// How many there were of each weight, those left out too.
    counts: [usize; 3],
    offers: Vec<Offer>,
}

impl Findings {
    pub fn add(&mut self, weight: Weight, rule: impl Into<String>, message: String, span: Span) {
        let finding = Finding {
            rule: rule.into(),
            message,
            span: Some(span),
        };
        let at = weight as usize;
        let kept = self.counts.get(at).copied().unwrap_or(0);
        if self
            .found
            .iter()
            .rev()
            .take(MOST)
            .any(|(w, f)| *w == weight && *f == finding)
        {
            return;
        }
        if kept < MOST {
            self.found.push((weight, finding));
        }
        if let Some(count) = self.counts.get_mut(at) {
            *count += 1;
        }
    }

    pub fn offer(&mut self, offer: Offer) {
        if self.offers.len() < MOST && !self.offers.contains(&offer) {
            self.offers.push(offer);
        }
    }

    /// The weight of the verdict.
    pub fn heaviest(&self) -> Option<Weight> {
        self.found.iter().map(|(weight, _)| *weight).max()
    }

    /// The findings from this weight up, the heaviest first.
    pub fn take(self, least: Weight) -> (Vec<Finding>, Vec<Offer>) {
        let total: usize = self.counts.iter().skip(least as usize).sum();
        let mut found: Vec<(Weight, Finding)> = self
            .found
            .into_iter()
            .filter(|(weight, _)| *weight >= least)
            .collect();
        found.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
        let mut found: Vec<Finding> = found.into_iter().map(|(_, finding)| finding).collect();
        if total > MOST {
            found.truncate(MOST - 1);
            found.push(Finding {
                rule: "more".to_owned(),
                message: format!("and {} more findings", total - found.len()),
                span: None,
            });
        }
        (found, self.offers)
    }
}

/// A part of the script on one line, cut to a readable length.
pub fn clipped(text: &str) -> String {
    let mut out: String = text
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounded_and_the_heaviest_first() {
        let mut findings = Findings::default();
        for n in 0..1000 {
            let span = Span { start: n, end: n };
            findings.add(Weight::Note, "n", format!("{n}"), span);
        }
        findings.add(Weight::Ask, "a", "asked".into(), Span { start: 0, end: 1 });
        assert_eq!(findings.heaviest(), Some(Weight::Ask));
        let (found, _) = findings.take(Weight::Note);
        assert_eq!(found.len(), MOST);
        assert_eq!(found[0].rule, "a");
        assert_eq!(found[MOST - 1].message, "and 938 more findings");
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(clipped("a\nb"), "a b");
        assert_eq!(clipped(&"é".repeat(500)).chars().count(), LONGEST + 1);
    }
}
