//! An analyzer that sees nothing in any script.

use bashgate_misbehaving::guest::policy::Plan;

bashgate_misbehaving::analyzer!("analyzer-blank", |input| Plan {
    script: input.script.clone(),
    units: Vec::new(),
    effects: Vec::new(),
    doubts: Vec::new(),
});
