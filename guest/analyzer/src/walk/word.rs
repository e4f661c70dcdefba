//! Evaluates words: to fields where their text is known, and to units where
//! they run something.

use std::rc::Rc;

use bashgate_guest::policy::Context;

use super::{Place, Text, Walker};
use crate::arithmetic::names;
use crate::expand::{Field, Piece, Tildes, Use, fields, pattern};
use crate::output::kind;
use crate::state::{State, Value};
use crate::syntax::{Operation, Parameter, Part, PartKind, Raw, Span, Substitution, Word};

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
                pieces.push(unknown(false));
            }
            PartKind::Process(list) => {
                let inner = place.within(Context::ProcessSubstitution);
                let mut own = state.clone();
                self.list(text, list, &inner, &mut own);
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
        let mut own = state.clone();
        match substitution {
            Substitution::Parsed(list) => self.list(text, list, &inner, &mut own),
            Substitution::Text(held) => self.text(held, text.span(span), &inner, &mut own),
        }
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
                    state.set(&parameter.name, Value::Unknown);
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
        self.pieces(text, &raw.parts, place, state);
        for part in &raw.parts {
            match &part.kind {
                PartKind::Literal(literal) => {
                    let (literal, span) = (literal.to_string(), raw.span);
                    self.evaluated(text, span, &literal, state);
                }
                // Its text is put in and then evaluated.
                PartKind::Parameter(parameter) if !parameter.length => {
                    let number = match parameter.operation {
                        Operation::None => self.is_number(&parameter.name, state),
                        _ => false,
                    };
                    if !number {
                        self.doubt(
                            kind::EVALUATED_TEXT,
                            text,
                            part.span,
                            "a value that is not known to be a number is evaluated",
                        );
                    }
                }
                PartKind::Command(_) => {
                    self.doubt(
                        kind::EVALUATED_TEXT,
                        text,
                        part.span,
                        "what a command prints is evaluated as an expression",
                    );
                }
                _ => {}
            }
        }
    }

    /// The names in an expression: the value of each is evaluated again.
    pub(crate) fn evaluated(
        &mut self,
        text: &Text<'_>,
        span: Span,
        expression: &str,
        state: &mut State,
    ) {
        for name in names(expression) {
            if !self.is_number(name.text, state) && !name.set {
                let note = format!("the value of `{}` is evaluated as an expression", name.text);
                self.doubt(kind::EVALUATED_TEXT, text, span, &note);
            }
            if name.set {
                state.set(name.text, Value::Number);
            }
        }
    }

    /// Whether the value of a name, evaluated, can only be itself. A variable
    /// that neither the script nor the environment sets counts as nothing.
    fn is_number(&self, name: &str, state: &State) -> bool {
        if matches!(
            name,
            "#" | "?"
                | "$"
                | "!"
                | "RANDOM"
                | "SECONDS"
                | "LINENO"
                | "PPID"
                | "UID"
                | "EUID"
                | "BASHPID"
        ) {
            return true;
        }
        if name.bytes().all(|byte| byte.is_ascii_digit()) {
            let at = name.parse::<usize>().unwrap_or(usize::MAX);
            let argument = state
                .arguments
                .as_ref()
                .map(|arguments| arguments.get(at).cloned().flatten().unwrap_or_default());
            return argument.is_some_and(|argument| crate::state::is_whole_number(&argument));
        }
        match state.variable(name) {
            Some(value) => value.is_number(),
            None => self
                .workspace
                .variable(name)
                .is_none_or(|value| crate::state::is_whole_number(&value)),
        }
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
