//! Points behind the end of the script.

use bashgate_misbehaving::{asking, guest::policy::Span};

bashgate_misbehaving::policy!("span-out-of-range", |execution| {
    let end = execution.plan.script.len() as u32;
    asking(
        "span-out-of-range",
        Some(Span {
            start: end,
            end: end + 7,
        }),
    )
});
