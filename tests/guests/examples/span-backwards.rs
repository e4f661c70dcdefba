//! Names a span that ends before it starts.

use bashgate_misbehaving::{asking, guest::policy::Span};

bashgate_misbehaving::policy!("span-backwards", |_| {
    asking("span-backwards", Some(Span { start: 2, end: 1 }))
});
