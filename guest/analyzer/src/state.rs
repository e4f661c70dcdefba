//! What the shell would know at a point of the script: its directory, its
//! variables, its functions. It holds only what is certain; where two ways
//! meet, what differs is forgotten. Copies are cheap.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::walk::touched::Touched;

/// Variables remembered at once. More are forgotten, all of them.
const VARIABLES: usize = 500;
/// Directories that the script may be in at once. More are "anywhere".
const DIRECTORIES: usize = 4;
/// Functions that call functions, as deep as they are followed.
const CALLS: u32 = 6;

/// What is known of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Its text.
    Known(Rc<str>),
    /// One of these texts.
    OneOf(Rc<[String]>),
    /// An indexed array of these elements.
    List(Rc<[String]>),
    /// Some whole number.
    Number,
    /// An associative array: its subscripts are text, not expressions.
    Map,
    /// Anything that the script put there.
    Unknown,
}

impl Value {
    /// A known text.
    pub fn known(text: &str) -> Self {
        Self::Known(Rc::from(text))
    }

    /// What holds for both.
    fn join(&self, other: &Self) -> Self {
        if self == other {
            return self.clone();
        }
        if self.is_number() && other.is_number() {
            Self::Number
        } else {
            Self::Unknown
        }
    }

    /// Whether evaluating it as an expression can only give itself.
    pub fn is_number(&self) -> bool {
        match self {
            Self::Number => true,
            Self::Known(text) => is_whole_number(text),
            Self::OneOf(texts) => texts.iter().all(|text| is_whole_number(text)),
            Self::List(_) | Self::Map | Self::Unknown => false,
        }
    }
}

/// Decimal digits with an optional sign; nothing to evaluate in it.
pub fn is_whole_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    digits.is_empty() == text.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The directories that the shell may be in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Directories {
    /// One of these; the first is the one it is in when nothing failed.
    Known(Rc<[String]>),
    /// Anywhere.
    Unknown,
}

impl Directories {
    /// Just this one.
    pub fn only(path: &str) -> Self {
        Self::Known(Rc::from([path.to_owned()]))
    }

    /// These, where they are few enough.
    pub fn these(paths: Vec<String>) -> Self {
        if paths.is_empty() || paths.len() > DIRECTORIES {
            Self::Unknown
        } else {
            Self::Known(Rc::from(paths))
        }
    }

    /// All that are possible; none when that is anywhere.
    pub fn all(&self) -> &[String] {
        match self {
            Self::Known(paths) => paths,
            Self::Unknown => &[],
        }
    }

    /// The likeliest.
    pub fn first(&self) -> Option<&str> {
        self.all().first().map(String::as_str)
    }

    fn join(&self, other: &Self) -> Self {
        let (Self::Known(ours), Self::Known(theirs)) = (self, other) else {
            return Self::Unknown;
        };
        if Rc::ptr_eq(ours, theirs) || ours == theirs {
            return self.clone();
        }
        let mut paths = ours.to_vec();
        paths.extend(theirs.iter().filter(|path| !ours.contains(path)).cloned());
        Self::these(paths)
    }
}

/// The shell at a point of the script.
#[derive(Clone, Debug)]
pub struct State {
    /// Where it is.
    pub directories: Directories,
    /// Where it was before the last `cd`.
    pub previous: Option<Rc<str>>,
    /// What `pushd` keeps; `None` once that cannot be followed.
    pub stack: Option<Rc<[String]>>,
    variables: Rc<BTreeMap<Rc<str>, Value>>,
    /// A variable that cannot be named was changed: none is certain.
    forgot_all: bool,
    /// Functions of the script, and what calling them changes.
    pub functions: Rc<BTreeMap<Rc<str>, Rc<Touched>>>,
    /// Why nothing from here on may be allowed by a rule.
    pub ends_allow: Option<Rc<str>>,
    /// `$0`, `$1`, …, where they are known.
    pub arguments: Option<Rc<[Option<String>]>>,
    /// `IFS` is no longer blank, tab and newline.
    pub splits_oddly: bool,
    /// Patterns no longer stand for what they usually do (`dotglob`).
    pub globs_oddly: bool,
    /// Directories that the script made itself.
    pub made: Rc<[String]>,
    /// Variables whose values are evaluated as they are set (`declare -i`).
    pub integers: Rc<std::collections::BTreeSet<Rc<str>>>,
    /// `exec` gave the shell another standard input.
    pub reads_elsewhere: bool,
}

impl State {
    /// The shell as it starts.
    pub fn new(workdir: &str) -> Self {
        Self {
            directories: Directories::only(workdir),
            previous: None,
            stack: Some(Rc::from([])),
            variables: Rc::default(),
            forgot_all: false,
            functions: Rc::default(),
            ends_allow: None,
            arguments: None,
            splits_oddly: false,
            globs_oddly: false,
            made: Rc::from([]),
            integers: Rc::default(),
            reads_elsewhere: false,
        }
    }

    /// What the script itself put into a variable; `None` when it did not
    /// touch it.
    pub fn variable(&self, name: &str) -> Option<Value> {
        let found = self.variables.get(name).cloned();
        if found.is_none() && self.forgot_all {
            Some(Value::Unknown)
        } else {
            found
        }
    }

    /// Sets a variable.
    pub fn set(&mut self, name: &str, value: Value) {
        if self.variables.get(name) == Some(&value) {
            return;
        }
        let variables = Rc::make_mut(&mut self.variables);
        variables.insert(Rc::from(name), value);
        if variables.len() > VARIABLES {
            self.forget_all();
        }
    }

    /// Variables that the script touched.
    pub fn names(&self) -> Vec<Rc<str>> {
        self.variables.keys().cloned().collect()
    }

    /// No variable is certain any more.
    pub fn forget_all(&mut self) {
        self.variables = Rc::default();
        self.forgot_all = true;
    }

    /// Another shell starts: it gets what is exported, and whether that is so
    /// is not followed.
    pub fn enter_own_shell(&mut self) {
        for name in self.names() {
            let kept = match self.variable(&name) {
                Some(value) if value.is_number() => Value::Number,
                _ => Value::Unknown,
            };
            self.set(&name, kept);
        }
        self.integers = Rc::default();
        self.functions = Rc::default();
        self.splits_oddly = false;
        self.globs_oddly = false;
    }

    /// Applies what code of unknown course may have changed.
    pub fn disturb(&mut self, touched: &Touched) {
        self.disturb_by(touched, 0);
    }

    fn disturb_by(&mut self, touched: &Touched, depth: u32) {
        for name in &touched.calls {
            if let Some(called) = self.functions.get(name).cloned() {
                if depth < CALLS {
                    self.disturb_by(&called, depth + 1);
                } else {
                    self.forget_all();
                    self.directories = Directories::Unknown;
                }
            }
        }
        if touched.everything || touched.variables.contains_key("IFS") {
            self.splits_oddly = true;
        }
        if touched.everything {
            self.forget_all();
            self.previous = None;
            self.stack = None;
        }
        for (name, number) in &touched.variables {
            let kept = match self.variable(name) {
                Some(Value::Map) => Value::Map,
                None if *number => Value::Number,
                Some(value) if *number && value.is_number() => Value::Number,
                _ => Value::Unknown,
            };
            self.set(name, kept);
        }
        if touched.directory {
            self.directories = Directories::Unknown;
            self.previous = None;
            self.stack = None;
        }
    }

    /// What holds whichever of two ways was taken.
    pub fn join(mut self, other: &Self) -> Self {
        self.directories = self.directories.join(&other.directories);
        if self.previous != other.previous {
            self.previous = None;
        }
        if self.stack != other.stack {
            self.stack = None;
        }
        self.forgot_all |= other.forgot_all;
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            self.join_variables(other);
        }
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            let functions = Rc::make_mut(&mut self.functions);
            for (name, touched) in other.functions.iter() {
                functions
                    .entry(name.clone())
                    .or_insert_with(|| touched.clone());
            }
        }
        if self.ends_allow.is_none() {
            self.ends_allow.clone_from(&other.ends_allow);
        }
        if self.arguments != other.arguments {
            self.arguments = None;
        }
        self.splits_oddly |= other.splits_oddly;
        self.globs_oddly |= other.globs_oddly;
        self.reads_elsewhere |= other.reads_elsewhere;
        if !Rc::ptr_eq(&self.integers, &other.integers) {
            let integers = Rc::make_mut(&mut self.integers);
            integers.extend(other.integers.iter().cloned());
        }
        if self.made.len() > other.made.len() {
            self.made = other.made.clone();
        }
        self
    }

    fn join_variables(&mut self, other: &Self) {
        let ours = Rc::make_mut(&mut self.variables);
        for (name, value) in ours.iter_mut() {
            *value = match other.variables.get(name) {
                Some(theirs) => value.join(theirs),
                // Unset there: as an expression that counts as nothing.
                None if value.is_number() => Value::Number,
                None => Value::Unknown,
            };
        }
        for (name, value) in other.variables.iter() {
            ours.entry(name.clone()).or_insert_with(|| match value {
                Value::Map => Value::Map,
                value if value.is_number() => Value::Number,
                _ => Value::Unknown,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Directories, State, Value, is_whole_number};

    #[test]
    fn where_two_ways_meet_only_what_is_the_same_stays() {
        let mut one = State::new("/w");
        one.set("a", Value::known("x"));
        one.set("n", Value::known("1"));
        let mut two = one.clone();
        two.set("a", Value::known("y"));
        two.set("n", Value::known("2"));
        two.directories = Directories::only("/w/sub");
        let joined = one.join(&two);
        assert_eq!(joined.variable("a"), Some(Value::Unknown));
        assert_eq!(joined.variable("n"), Some(Value::Number));
        assert_eq!(joined.directories.all(), ["/w", "/w/sub"]);
    }

    #[test]
    fn whole_numbers() {
        let cases = [
            ("", true),
            ("12", true),
            ("-3", true),
            ("-", false),
            ("1x", false),
            ("a", false),
        ];
        for (text, wanted) in cases {
            assert_eq!(is_whole_number(text), wanted, "{text}");
        }
    }
}
