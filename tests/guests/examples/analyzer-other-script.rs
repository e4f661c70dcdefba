//! An analyzer whose plan is that of another, harmless script.

use bashgate_misbehaving::guest::policy::Plan;

bashgate_misbehaving::analyzer!("analyzer-other-script", |_| Plan {
    script: "# nothing".to_owned(),
    units: Vec::new(),
    effects: Vec::new(),
    doubts: Vec::new(),
});
