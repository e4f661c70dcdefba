//! Evaluates words: to fields where their text is known, and to units where
//! they run something.

use std::rc::Rc;

use bashgate_guest::policy::Context;

use super::{Place, Text, Walker};
use crate::arithmetic::{could_run, names};
use crate::expand::{Field, Piece, Tildes, Use, fields, is_name, pattern};
use crate::output::kind;
use crate::state::{State, Value, is_whole_number};
use crate::syntax::{
    HereDocument, Operation, Parameter, Part, PartKind, Raw, Span, Substitution, Word,
};

/// Where `~` leads from a state.
struct Home<'s> {
    home: &'s str,
    directory: Option<&'s str>,
    previous: Option<&'s str>,
}

impl Tildes for Home<'_> {
    fn tilde(&self, user: &str) -> Option<String> {
        match user {
            "" => Some(self.home.to_owned()),
            "+" => self.directory.map(str::to_owned),
            "-" => self.previous.map(str::to_owned),
            _ => None,
        }
    }
}

impl Walker<'_> {
    /// The fields that a word becomes, and the units in it.
    pub(crate) fn word(
        &mut self,
        text: &Text<'_>,
        word: &Word<'_>,
        usage: Use,
        place: &Place,
        state: &mut State,
    ) -> Vec<Field> {
        let pieces = self.pieces(text, &word.parts, place, state);
        let home = match state.variable("HOME") {
            None => Some(self.home.clone()),
            Some(Value::Known(home)) => Some(home.to_string()),
            Some(_) => None,
        };
        let tildes = Home {
            home: home.as_deref().unwrap_or_default(),
            directory: state
                .directories
                .first()
                .filter(|_| state.directories.all().len() == 1),
            previous: state.previous.as_deref(),
        };
        if home.is_none() && word.bare().is_some_and(|bare| bare.starts_with('~')) {
            return vec![Field::default()];
        }
        fields(pieces, usage, &tildes)
    }

    /// The one text of a word; none when only running can tell.
    pub(crate) fn value(
        &mut self,
        text: &Text<'_>,
        word: &Word<'_>,
        place: &Place,
        state: &mut State,
    ) -> Option<String> {
        let mut fields = self
            .word(text, word, Use::Assigned, place, state)
            .into_iter();
        match (fields.next(), fields.next()) {
            (None, _) => Some(String::new()),
            (Some(field), None) => field.value,
            _ => None,
        }
    }

    /// Walks all that a word runs, without need of its text.
    pub(crate) fn visit(
        &mut self,
        text: &Text<'_>,
        word: &Word<'_>,
        place: &Place,
        state: &mut State,
    ) {
        self.pieces(text, &word.parts, place, state);
    }

    pub(crate) fn pieces(
        &mut self,
        text: &Text<'_>,
        parts: &[Part<'_>],
        place: &Place,
        state: &mut State,
    ) -> Vec<Piece<'static>> {
        let mut pieces = Vec::with_capacity(parts.len());
        for part in parts {
            if !self.budget.step() {
                break;
            }
            self.piece(text, part, place, state, &mut pieces);
        }
        pieces
    }

    fn piece(
        &mut self,
        text: &Text<'_>,
        part: &Part<'_>,
        place: &Place,
        state: &mut State,
        pieces: &mut Vec<Piece<'static>>,
    ) {
        let quoted = part.quoted;
        let unknown = |number: bool| Piece::Unknown {
            number,
            splits: !quoted && !number,
        };
        match &part.kind {
            PartKind::Literal(literal) if quoted => {
                pieces.push(Piece::Fixed(literal.to_string().into()))
            }
            PartKind::Literal(literal) => pieces.push(Piece::Active(literal.to_string().into())),
            PartKind::Parameter(parameter) => {
                let piece = self.parameter(text, part, parameter, place, state);
                pieces.extend(piece);
            }
            PartKind::Command(substitution) => {
                self.substitution(text, part.span, substitution, place, state);
                let number =
                    matches!(substitution, Substitution::Parsed(list) if prints_a_number(list));
                pieces.push(unknown(number));
            }
            PartKind::Process(list) => {
                // `>(…)` reads what is written to it.
                self.separators(text, part.span);
                let inner = place.within(Context::ProcessSubstitution).fed();
                self.apart(state, |walker, own| walker.list(text, list, &inner, own));
                pieces.push(Piece::Fixed("/dev/fd/63".into()));
            }
            PartKind::Arithmetic(raw) => {
                self.expression(text, raw, place, state);
                pieces.push(unknown(true));
            }
            PartKind::Array(elements) => {
                for element in elements {
                    if let Some(subscript) = &element.subscript {
                        self.expression(text, subscript, place, state);
                    }
                    self.visit(text, &element.value, place, state);
                }
                pieces.push(unknown(false));
            }
        }
    }

    /// A doubt where bash may lose what stands between two commands.
    fn separators(&mut self, text: &Text<'_>, span: Span) {
        if loses_a_separator(text, span) {
            self.doubt(
                kind::PARSERS_DISAGREE,
                text,
                span,
                "behind a here-document in a substitution bash 5.2 may lose the `;` of two commands",
            );
        }
    }

    fn substitution(
        &mut self,
        text: &Text<'_>,
        span: Span,
        substitution: &Substitution<'_>,
        place: &Place,
        state: &State,
    ) {
        let inner = Place {
            context: Context::CommandSubstitution,
            ..place.within(Context::CommandSubstitution)
        };
        if matches!(substitution, Substitution::Parsed(_)) {
            self.separators(text, span);
        }
        self.apart(state, |walker, own| match substitution {
            Substitution::Parsed(list) => walker.list(text, list, &inner, own),
            Substitution::Text(held) => walker.text(held, text.span(span), &inner, own),
        });
    }

    fn parameter(
        &mut self,
        text: &Text<'_>,
        part: &Part<'_>,
        parameter: &Parameter<'_>,
        place: &Place,
        state: &mut State,
    ) -> Vec<Piece<'static>> {
        let quoted = part.quoted;
        let unknown = |number: bool| {
            vec![Piece::Unknown {
                number,
                splits: !quoted && !number,
            }]
        };
        if let Some(subscript) = &parameter.subscript {
            let whole = matches!(subscript.span.of(text.text).trim(), "@" | "*");
            let map = state.variable(&parameter.name) == Some(Value::Map);
            if whole || map {
                self.pieces(text, &subscript.parts, place, state);
            } else {
                self.expression(text, subscript, place, state);
            }
        }
        if parameter.indirect && !matches!(parameter.operation, Operation::Names) {
            self.doubt(
                kind::EVALUATED_TEXT,
                text,
                part.span,
                "the value of a variable is taken for the name of another",
            );
        }
        match &parameter.operation {
            Operation::None => {}
            Operation::Default {
                word, kind: how, ..
            } => {
                self.visit(text, word, place, state);
                if *how == b'=' {
                    let given = word.literal().map(|word| Value::known(&word));
                    let value = given.unwrap_or(Value::Unknown);
                    let taken = self.takes(text, &parameter.name, value, part.span, state);
                    // It may have had another one.
                    let kept = match (taken, state.variable(&parameter.name)) {
                        (Value::Number, None) => Value::Number,
                        (Value::Number, Some(before)) if before.is_number() => Value::Number,
                        _ => Value::Unknown,
                    };
                    state.set(&parameter.name, kept);
                    self.variable_set(text, &parameter.name, Some(part.span), state);
                }
                return unknown(false);
            }
            Operation::Trim { pattern: word, .. } | Operation::Replace(word) => {
                self.visit(text, word, place, state);
                return unknown(false);
            }
            Operation::Substring(raws) => {
                for raw in raws {
                    self.expression(text, raw, place, state);
                }
                return unknown(false);
            }
            Operation::Transform(b'P') => {
                self.doubt(
                    kind::EVALUATED_TEXT,
                    text,
                    part.span,
                    "the value of a variable is expanded as a prompt",
                );
                return unknown(false);
            }
            Operation::Transform(_) | Operation::Names => return unknown(false),
        }
        if parameter.length {
            return unknown(true);
        }
        if parameter.indirect || parameter.subscript.is_some() {
            return unknown(false);
        }
        self.variable(&parameter.name, quoted, state)
    }

    /// What `$name` becomes.
    fn variable(&mut self, name: &str, quoted: bool, state: &State) -> Vec<Piece<'static>> {
        let unknown = |number: bool| {
            vec![Piece::Unknown {
                number,
                splits: !quoted && !number,
            }]
        };
        let known = match name {
            "#" | "?" | "$" | "!" | "RANDOM" | "SECONDS" | "LINENO" | "PPID" | "UID" | "EUID"
            | "BASHPID" => return unknown(true),
            "PWD" => match (state.variable("PWD"), state.directories.all()) {
                (None, [only]) => Some(only.clone()),
                _ => None,
            },
            "OLDPWD" => state.previous.as_deref().map(str::to_owned),
            _ if name.bytes().all(|byte| byte.is_ascii_digit()) => {
                let at = name.parse::<usize>().unwrap_or(usize::MAX);
                state
                    .arguments
                    .as_ref()
                    .and_then(|arguments| match arguments.get(at) {
                        Some(argument) => argument.clone(),
                        None => Some(String::new()),
                    })
            }
            _ => match state.variable(name) {
                Some(Value::Known(text)) => Some(text.to_string()),
                Some(Value::OneOf(texts)) => {
                    let safe = quoted || texts.iter().all(|text| is_one_word(text, state));
                    return if safe {
                        vec![Piece::Choice(texts)]
                    } else {
                        unknown(false)
                    };
                }
                Some(Value::Number) => return unknown(true),
                Some(_) => None,
                None => self.workspace.variable(name),
            },
        };
        match known {
            Some(text) if quoted || is_one_word(&text, state) => vec![Piece::Fixed(text.into())],
            // Unquoted and empty it is no word at all.
            Some(text) if text.is_empty() => Vec::new(),
            _ => unknown(false),
        }
    }

    /// Text that bash expands and then evaluates as an expression.
    pub(crate) fn expression(
        &mut self,
        text: &Text<'_>,
        raw: &Raw<'_>,
        place: &Place,
        state: &mut State,
    ) {
        let mut whole = String::new();
        for part in &raw.parts {
            let pieces = self.pieces(text, std::slice::from_ref(part), place, state);
            let certain = match &part.kind {
                PartKind::Literal(_) | PartKind::Arithmetic(_) => true,
                PartKind::Parameter(parameter) => self.settles_parameter(parameter, state),
                PartKind::Command(Substitution::Parsed(list)) => prints_a_number(list),
                _ => false,
            };
            let number = |whole: &mut String| {
                let joins = |last: char| last.is_ascii_alphanumeric() || last == '_';
                let joined = whole.ends_with(joins);
                whole.push('0');
                joined
            };
            let mut open = false;
            for piece in &pieces {
                match piece {
                    Piece::Active(known) | Piece::Fixed(known) => whole.push_str(known),
                    // Behind a letter it makes another name.
                    Piece::Unknown { number: true, .. } => open |= number(&mut whole),
                    Piece::Choice(choices) => {
                        let numbers = choices.iter().all(|one| is_whole_number(one));
                        open |= number(&mut whole) || !numbers;
                    }
                    _ => open |= number(&mut whole) || !certain,
                }
            }
            if open {
                let note = match &part.kind {
                    PartKind::Command(_) => "what a command prints is evaluated as an expression",
                    _ => "a value that is not known to be a number is evaluated",
                };
                self.doubt(kind::EVALUATED_TEXT, text, part.span, note);
            }
        }
        self.evaluated(text, raw.span, &whole, state);
    }

    /// Whether what a parameter puts into an expression is none of the
    /// script's doing, or a number.
    pub(crate) fn settles_parameter(&self, parameter: &Parameter<'_>, state: &State) -> bool {
        if parameter.length {
            return true;
        }
        let plain = match &parameter.operation {
            Operation::None => true,
            Operation::Default { word, .. } => {
                word.parts.is_empty() || word.literal().is_some_and(|word| is_whole_number(&word))
            }
            _ => false,
        };
        plain
            && !parameter.indirect
            && self.settles_name(&parameter.name, parameter.subscript.is_some(), state, 0)
    }

    /// The names in an expression: the value of each is evaluated again.
    pub(crate) fn evaluated(
        &mut self,
        text: &Text<'_>,
        span: Span,
        expression: &str,
        state: &mut State,
    ) {
        if could_run(expression) {
            let note = "bash evaluates this text as an expression, which may run commands";
            self.doubt(kind::EVALUATED_TEXT, text, span, note);
        }
        for name in names(expression) {
            if name.read && !self.settles_name(name.text, false, state, 0) {
                let note = format!("the value of `{}` is evaluated as an expression", name.text);
                self.doubt(kind::EVALUATED_TEXT, text, span, &note);
            }
            if name.set {
                let kept = match state.variable(name.text) {
                    Some(Value::Map) => Value::Map,
                    Some(value) if name.element && !value.is_number() => Value::Unknown,
                    _ => Value::Number,
                };
                state.set(name.text, kept);
                self.variable_set(text, name.text, Some(span), state);
            }
        }
    }

    /// Whether evaluating the value of a name can run nothing. A variable that
    /// neither the script nor the environment sets counts as nothing.
    fn settles_name(&self, name: &str, element: bool, state: &State, depth: u32) -> bool {
        if name.bytes().all(|byte| byte.is_ascii_digit()) {
            let at = name.parse::<usize>().unwrap_or(usize::MAX);
            let argument = state.arguments.as_ref().map(|arguments| {
                arguments
                    .get(at)
                    .cloned()
                    .unwrap_or_else(|| Some(String::new()))
            });
            return argument
                .flatten()
                .is_some_and(|argument| self.settles_text(&argument, state, depth + 1));
        }
        match state.variable(name) {
            Some(Value::Known(value)) if !element => self.settles_text(&value, state, depth + 1),
            Some(Value::OneOf(values)) if !element => values
                .iter()
                .all(|value| self.settles_text(value, state, depth + 1)),
            Some(value) => value.is_number(),
            None if NUMBERS.contains(&name) => true,
            None if FILLED.contains(&name) => false,
            None if !is_name(name) => false,
            None => self
                .workspace
                .variable(name)
                .is_none_or(|value| !could_run(&value)),
        }
    }

    fn settles_text(&self, expression: &str, state: &State, depth: u32) -> bool {
        depth < 8
            && !could_run(expression)
            && names(expression)
                .iter()
                .all(|name| !name.read || self.settles_name(name.text, false, state, depth))
    }
}

/// Variables that the shell fills with numbers.
const NUMBERS: &[&str] = &[
    "#",
    "?",
    "$",
    "!",
    "BASHPID",
    "BASH_SUBSHELL",
    "COLUMNS",
    "EPOCHSECONDS",
    "EUID",
    "LINENO",
    "LINES",
    "OPTIND",
    "PIPESTATUS",
    "PPID",
    "RANDOM",
    "SECONDS",
    "SHLVL",
    "SRANDOM",
    "UID",
];
/// Variables that the shell fills with text of the script or from its input.
const FILLED: &[&str] = &[
    "_",
    "BASH_ARGV",
    "BASH_ARGV0",
    "BASH_COMMAND",
    "BASH_EXECUTION_STRING",
    "BASH_REMATCH",
    "BASH_SOURCE",
    "DIRSTACK",
    "FUNCNAME",
    "MAPFILE",
    "OPTARG",
    "REPLY",
];

/// Whether all that a list prints is a number, whatever the text of the
/// script says: the few programs of which that is sure.
fn prints_a_number(list: &crate::syntax::List<'_>) -> bool {
    let [entry] = list.entries.as_slice() else {
        return false;
    };
    let Some(last) = entry
        .first
        .stages
        .last()
        .filter(|_| entry.rest.is_empty() && !entry.background)
    else {
        return false;
    };
    let crate::syntax::Kind::Simple { assignments, words } = &last.kind else {
        return false;
    };
    let texts: Option<Vec<_>> = words.iter().map(Word::literal).collect();
    let Some(texts) = texts.filter(|_| assignments.is_empty()) else {
        return false;
    };
    let texts: Vec<&str> = texts.iter().map(std::convert::AsRef::as_ref).collect();
    match texts.as_slice() {
        ["nproc"] => true,
        ["date", format] => matches!(*format, "+%s" | "+%s%N" | "+%s%3N" | "+%N" | "+%Y" | "+%j"),
        ["wc", option] => matches!(*option, "-l" | "-c" | "-w" | "-m"),
        ["git", "rev-list", "--count", ..] => true,
        // Of several files it prints the names, too.
        ["grep", "-c", wanted, file] => {
            !wanted.starts_with('-')
                && !file.starts_with('-')
                && !pattern::is_pattern(file)
                && !file.contains(['{', '~'])
        }
        ["id", option] => matches!(*option, "-u" | "-g"),
        ["stat", "-c", format, _] => matches!(*format, "%s" | "%Y" | "%u"),
        _ => false,
    }
}

/// Whether an unquoted value stays one word, itself.
fn is_one_word(text: &str, state: &State) -> bool {
    !text.is_empty()
        && !state.splits_oddly
        && !text.contains([' ', '\t', '\n'])
        && !pattern::is_pattern(text)
}

/// The texts that a value may have, for a loop's variable.
pub(crate) fn one_of(fields: &[Field]) -> Value {
    let texts: Option<Vec<String>> = fields
        .iter()
        .map(|field| field.value.clone().filter(|_| field.pattern.is_none()))
        .collect();
    match texts {
        Some(texts) if texts.len() == 1 => Value::known(&texts[0]),
        Some(texts) if !texts.is_empty() && texts.len() <= 32 => Value::OneOf(Rc::from(texts)),
        _ if !fields.is_empty()
            && fields
                .iter()
                .all(|field| field.number && field.prefix.is_empty()) =>
        {
            Value::Number
        }
        _ => Value::Unknown,
    }
}

/// Bash 5.2 keeps a substitution as text that it prints from what it read, and
/// behind a here-document prints one `;` too few: `a; b` becomes `a b`. What
/// begins with a parenthesis it then reads as arithmetic first. Tried with
/// 5.2.15; when exactly depends on more than is worth to follow.
fn loses_a_separator(text: &Text<'_>, span: Span) -> bool {
    let within = |document: &&HereDocument<'_>| {
        span.start <= document.lines.start && document.lines.end <= span.end
    };
    let mut documents = text.here_documents.iter().filter(within);
    let Some(first) = documents.next() else {
        return false;
    };
    let inner = Span {
        start: span.start + 2,
        ..span
    };
    if inner.of(text.text).trim_start().starts_with('(') {
        return true;
    }
    let before = Span {
        end: first.lines.start.saturating_sub(1),
        ..inner
    };
    let line = before.of(text.text).rfind('\n').map_or(0, |at| at + 1);
    let mut from = before.start + u32::try_from(line).unwrap_or(0);
    for document in std::iter::once(first).chain(documents) {
        let between = Span {
            start: from,
            end: document.lines.start.max(from),
        };
        if between.of(text.text).contains(';') {
            return true;
        }
        from = document.lines.end.max(from);
    }
    let rest = Span {
        start: from,
        end: span.end.max(from),
    };
    rest.of(text.text).contains(';')
}
