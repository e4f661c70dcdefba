//! The syntax of a script as every later step sees it: statements, commands
//! and words with their places in the text. It owns no parsing and knows no
//! parser; a front end produces it, and all meaning is read from it.

use std::borrow::Cow;

/// Half-open range of bytes in the text that was parsed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A range from byte offsets. Texts longer than 4 GiB never get here: the
    /// limits refuse them long before.
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self {
            start: clamp(start),
            end: clamp(end.max(start)),
        }
    }

    /// The part of `text` that this range names; empty when it names none.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }

    /// The smallest range around both.
    pub fn to(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// Whether `other` lies inside.
    pub fn holds(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// A whole text: its statements, its here-documents, and what did not fit.
#[derive(Debug, Default)]
pub struct Script<'t> {
    /// The statements.
    pub list: List<'t>,
    /// Here-documents; [`Redirect::here_document`] points here.
    pub here_documents: Vec<HereDocument<'t>>,
    /// What the grammar does not explain.
    pub problems: Vec<Problem>,
    /// What makes the text easier to read for another grammar.
    pub aids: Vec<Aid>,
    /// The text went over a limit; what is here is only its beginning.
    pub cut_short: bool,
}

/// A change of the text that changes no command in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aid {
    /// This runs nothing itself: `!`, `time`, `coproc NAME`, the head of a
    /// function, a redirect.
    Blank(Span),
    /// A part of a word, in which nothing can run.
    Letters(Span),
    /// This may be said before this byte: a `;` or a blank that goes without
    /// saying, `do` for the brace of a loop.
    Insert(u32, &'static str),
}

/// A place that the grammar does not explain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub span: Span,
    /// What is wrong there.
    pub note: &'static str,
}

/// Statements, one after the other.
#[derive(Debug, Default)]
pub struct List<'t> {
    /// Each an and-or list.
    pub entries: Vec<Entry<'t>>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug)]
pub struct Entry<'t> {
    /// The first pipeline.
    pub first: Pipeline<'t>,
    /// The others, each with what joins it to the one before.
    pub rest: Vec<(Joint, Pipeline<'t>)>,
    /// Ended by `&`: the whole entry runs in a subshell of its own.
    pub background: bool,
}

/// What joins two pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|`.
#[derive(Debug)]
pub struct Pipeline<'t> {
    /// Its stages; never empty.
    pub stages: Vec<Command<'t>>,
    /// `!` turns its success around.
    pub negated: bool,
}

/// A command, simple or compound, with its redirects.
#[derive(Debug)]
pub struct Command<'t> {
    /// All of it, redirects included.
    pub span: Span,
    /// What kind it is.
    pub kind: Kind<'t>,
    /// Redirects, in order.
    pub redirects: Vec<Redirect<'t>>,
}

/// The kinds of commands.
#[derive(Debug)]
pub enum Kind<'t> {
    /// Assignments, then words.
    Simple {
        /// `a=b` before the first word.
        assignments: Vec<Assignment<'t>>,
        /// The program and its arguments.
        words: Vec<Word<'t>>,
    },
    /// `( … )`
    Subshell(List<'t>),
    /// `{ …; }`
    Group(List<'t>),
    /// `if`, with its `elif` branches.
    If {
        /// Conditions with what runs when they hold.
        branches: Vec<(List<'t>, List<'t>)>,
        /// `else`
        otherwise: Option<List<'t>>,
    },
    /// `while` and `until`.
    While {
        /// Runs before each round.
        condition: List<'t>,
        /// Runs in each round.
        body: List<'t>,
    },
    /// `for NAME in …` and `select`.
    For {
        /// The variable.
        name: Cow<'t, str>,
        /// None without `in`: the positional parameters.
        words: Option<Vec<Word<'t>>>,
        /// Runs in each round.
        body: List<'t>,
    },
    /// `for ((a; b; c))`
    ArithmeticFor {
        /// The three expressions, as written.
        header: Vec<Raw<'t>>,
        /// Runs in each round.
        body: List<'t>,
    },
    /// `case`
    Case {
        /// What is compared.
        subject: Word<'t>,
        /// Patterns with what runs when one fits.
        arms: Vec<(Vec<Word<'t>>, List<'t>)>,
    },
    /// A function's definition.
    Function {
        /// Its name.
        name: Word<'t>,
        /// A compound command.
        body: Box<Command<'t>>,
    },
    /// `(( … ))`
    Arithmetic(Raw<'t>),
    /// `[[ … ]]`
    Test(Vec<TestItem<'t>>),
    /// `coproc`
    Coproc {
        /// Its name, where one is given.
        name: Option<Cow<'t, str>>,
        /// What runs beside the shell.
        body: Box<Command<'t>>,
    },
}

/// A token between `[[` and `]]`.
#[derive(Debug)]
pub enum TestItem<'t> {
    /// An operand, or an operator written as a word (`-f`, `-eq`, `==`).
    Word(Word<'t>),
    /// `&&`, `||`, `!`, `(`, `)`, `<`, `>`.
    Operator(Span),
}

/// `name=value`, `name+=value`, `name[subscript]=value`.
#[derive(Debug)]
pub struct Assignment<'t> {
    /// All of it.
    pub span: Span,
    /// The variable.
    pub name: Cow<'t, str>,
    /// Between the brackets, as written.
    pub subscript: Option<Raw<'t>>,
    /// `+=`
    pub append: bool,
    /// The value; an [`Array`](PartKind::Array) part for `(…)`.
    pub value: Word<'t>,
}

/// A word: pieces without a blank between them.
#[derive(Debug, Default)]
pub struct Word<'t> {
    /// All of it.
    pub span: Span,
    /// Its pieces; none for the empty value of an assignment.
    pub parts: Vec<Part<'t>>,
}

impl Word<'_> {
    /// The text of a word that holds nothing but unquoted literal text.
    pub fn bare(&self) -> Option<Cow<'_, str>> {
        self.literal_where(|part| !part.quoted)
    }

    /// The text of a word without any expansion, quotes removed.
    pub fn literal(&self) -> Option<Cow<'_, str>> {
        self.literal_where(|_| true)
    }

    fn literal_where(&self, fits: impl Fn(&Part) -> bool) -> Option<Cow<'_, str>> {
        let text = |part: &'_ Part| match &part.kind {
            PartKind::Literal(_) => fits(part),
            _ => false,
        };
        if self.parts.is_empty() || !self.parts.iter().all(text) {
            return None;
        }
        let mut texts = self.parts.iter().filter_map(|part| match &part.kind {
            PartKind::Literal(text) => Some(text.as_ref()),
            _ => None,
        });
        let first = texts.next()?;
        let rest: String = texts.collect();
        Some(if rest.is_empty() {
            Cow::Borrowed(first)
        } else {
            Cow::Owned(format!("{first}{rest}"))
        })
    }
}

/// A piece of a word.
#[derive(Debug)]
pub struct Part<'t> {
    /// Where it is written.
    pub span: Span,
    /// Inside quotes, or escaped: neither split nor a pattern.
    pub quoted: bool,
    /// What it is.
    pub kind: PartKind<'t>,
}

/// The kinds of pieces.
#[derive(Debug)]
pub enum PartKind<'t> {
    /// Text after quote removal.
    Literal(Cow<'t, str>),
    /// `$x`, `${x…}`
    Parameter(Box<Parameter<'t>>),
    /// `$(…)`, `` `…` ``, `${ …; }`
    Command(Substitution<'t>),
    /// `<(…)`, `>(…)`
    Process(List<'t>),
    /// `$((…))`, `$[…]`
    Arithmetic(Raw<'t>),
    /// `(…)` after `name=`
    Array(Vec<Element<'t>>),
}

/// What stands in a command substitution.
#[derive(Debug)]
pub enum Substitution<'t> {
    /// Read where it stands.
    Parsed(List<'t>),
    /// Backquoted text with escapes removed, yet to be parsed.
    Text(String),
}

/// An element of an array's value.
#[derive(Debug)]
pub struct Element<'t> {
    /// `[subscript]=`
    pub subscript: Option<Raw<'t>>,
    /// The value.
    pub value: Word<'t>,
}

/// Text that bash expands and then evaluates as an expression.
#[derive(Debug, Default)]
pub struct Raw<'t> {
    /// Where it is written.
    pub span: Span,
    /// Its literal text and expansions.
    pub parts: Vec<Part<'t>>,
}

/// A parameter expansion.
#[derive(Debug)]
pub struct Parameter<'t> {
    /// A variable, a digit or a special character.
    pub name: Cow<'t, str>,
    /// `${!x}`
    pub indirect: bool,
    /// `${#x}`
    pub length: bool,
    /// `${x[…]}`
    pub subscript: Option<Raw<'t>>,
    /// What is done with the value.
    pub operation: Operation<'t>,
}

/// What a parameter expansion does with the value.
#[derive(Debug)]
pub enum Operation<'t> {
    /// `${x}`
    None,
    /// `${x:-w}`, `${x:=w}`, `${x:?w}`, `${x:+w}`, with or without the colon.
    Default {
        /// One of `-=?+`.
        kind: u8,
        /// With a colon an empty value counts as none.
        colon: bool,
        /// The word.
        word: Word<'t>,
    },
    /// `${x#p}`, `${x##p}`, `${x%p}`, `${x%%p}`
    Trim {
        /// `#`, `##`, `%` or `%%`.
        kind: Trim,
        /// The pattern.
        pattern: Word<'t>,
    },
    /// `${x/p/r}`, `${x^p}` and kin: a pattern, or a pattern and a text.
    Replace(Word<'t>),
    /// `${x:offset:length}`
    Substring(Vec<Raw<'t>>),
    /// `${x@Q}`
    Transform(u8),
    /// `${!x*}`, `${!x@}`: names of variables.
    Names,
}

/// What a trim takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trim {
    /// `#`
    ShortestPrefix,
    /// `##`
    LongestPrefix,
    /// `%`
    ShortestSuffix,
    /// `%%`
    LongestSuffix,
}

/// A redirect.
#[derive(Debug)]
pub struct Redirect<'t> {
    /// From the descriptor to the end of the target.
    pub span: Span,
    /// The descriptor before the operator.
    pub descriptor: Descriptor<'t>,
    /// The operator.
    pub operator: RedirectOperator,
    /// What follows the operator.
    pub target: Word<'t>,
    /// Index into [`Script::here_documents`].
    pub here_document: Option<usize>,
}

/// What stands before a redirect's operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Descriptor<'t> {
    /// Nothing.
    None,
    /// `2>`
    Number(u32),
    /// `{fd}>`
    Variable(Cow<'t, str>),
}

/// Redirect operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectOperator {
    /// `<`
    Input,
    /// `>`
    Output,
    /// `>>`
    Append,
    /// `>|`
    Clobber,
    /// `<>`
    InputOutput,
    /// `<&`
    DuplicateInput,
    /// `>&`
    DuplicateOutput,
    /// `&>`
    Both,
    /// `&>>`
    AppendBoth,
    /// `<<` and `<<-`
    HereDocument,
    /// `<<<`
    HereString,
}

/// A here-document.
#[derive(Debug)]
pub struct HereDocument<'t> {
    /// The line that ends it.
    pub delimiter: String,
    /// The delimiter is quoted: the body is not expanded.
    pub quoted: bool,
    /// `<<-`: leading tabs go.
    pub strip_tabs: bool,
    /// The body's lines.
    pub body: Span,
    /// From the body's first byte to the end of the delimiter's line.
    pub lines: Span,
    /// Expansions and literal text; for a quoted one a single literal.
    pub parts: Vec<Part<'t>>,
    /// Its body was found (the newline after its command was reached).
    pub read: bool,
}
