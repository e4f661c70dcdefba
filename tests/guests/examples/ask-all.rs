//! Asks about every script.

use bashgate_misbehaving::asking;

bashgate_misbehaving::policy!("ask-all", |_| asking("ask-all", None));
