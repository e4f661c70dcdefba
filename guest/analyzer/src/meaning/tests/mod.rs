//! What commands mean, as data: words, and what is told of them.
