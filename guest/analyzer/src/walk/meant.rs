//! What the words of a command mean, as effects, doubts, and the commands that
//! it starts.

use std::rc::Rc;

use bashgate_guest::policy::{Access, Context, Location, Origin, Span as PlanSpan, Zone};

use super::redirect::Input;
use super::simple::Words;
use super::touched::Touched;
use super::{Place, Text, Walker};
use crate::expand::Field;
use crate::limits;
use crate::meaning::path::child;
use crate::meaning::variable::{Harm, assigned};
use crate::meaning::{AssignKind, Facts, Meaning, PathText, ShellChange, Starts, Touch, meaning};
use crate::output::kind;
use crate::state::{Directories, State, Value};

/// What `meaning` may ask, from a state.
struct Known<'k> {
    workspace: &'k dyn crate::workspace::Workspace,
    state: &'k State,
}

impl Facts for Known<'_> {
    fn is_function(&self, name: &str) -> bool {
        self.state.functions.contains_key(name)
    }

    fn read(&self, path: &str) -> Option<String> {
        self.workspace.read(self.state.directories.first()?, path)
    }

    fn exists(&self, path: &str) -> bool {
        self.state
            .directories
            .first()
            .is_some_and(|workdir| self.workspace.locate(workdir, path).exists)
    }

    fn real(&self, directory: &str) -> Option<String> {
        let workdir = self.state.directories.first()?;
        // With the dot a link is followed, wherever it lies itself.
        let inside = child(directory, ".");
        let path = self.workspace.locate(workdir, &inside).path;
        // The host writes what is no UTF-8 with this sign.
        (!path.contains(char::REPLACEMENT_CHARACTER)).then_some(path)
    }
}

/// The path that a field names, as far as it is known.
pub(crate) fn path_of(field: &Field) -> Option<PathText> {
    match (&field.value, &field.pattern) {
        (None, None)
            if field.tail_is_number && field.choices.is_empty() && !field.prefix.is_empty() =>
        {
            Some(PathText::Within(field.prefix.clone()))
        }
        (_, Some(pattern)) if !field.splits || field.value.is_some() => {
            Some(PathText::Pattern(pattern.clone()))
        }
        (Some(value), None) => Some(PathText::Known(value.clone())),
        (None, None) if !field.choices.is_empty() => Some(PathText::OneOf(field.choices.clone())),
        _ => None,
    }
}

impl Walker<'_> {
    pub(crate) fn meant(
        &mut self,
        text: &Text<'_>,
        words: &Words,
        unit: u32,
        input: &Input,
        place: &Place,
        state: &mut State,
    ) {
        self.failed = None;
        let Some(program) = words.fields.first() else {
            return;
        };
        let known = program
            .value
            .clone()
            .filter(|_| program.pattern.is_none() && !program.splits);
        let Some(name) = known else {
            let span = words.span(0);
            self.doubt(
                kind::DYNAMIC_PROGRAM,
                text,
                span,
                "only running can tell which program this is",
            );
            self.inferred(text, words, unit, state);
            return;
        };
        let facts = Known {
            workspace: self.workspace,
            state,
        };
        let meaning = meaning(&words.fields, &facts);
        let function = state.functions.get(name.as_str()).cloned();
        self.say(
            text,
            words,
            &name,
            unit,
            &meaning,
            function.is_some(),
            state,
        );
        if let Some(touched) = function {
            // A function of the script: its body was judged where it stands.
            state.disturb(&touched);
            return;
        }
        if meaning.builtin {
            self.evaluated_by(text, words, &name, state);
        }
        if name == "exec" && words.fields.len() == 1 && *input != Input::Inherited {
            state.reads_elsewhere = true;
        }
        for touch in &meaning.touches {
            self.touched(text, words, unit, touch, state);
        }
        if let Some(change) = &meaning.shell {
            self.change(text, words, unit, change, state);
        }
        self.starts(text, words, unit, &meaning, input, place, state);
    }

    /// Identity, attributes, doubts and the program's file.
    #[allow(clippy::too_many_arguments)]
    fn say(
        &mut self,
        text: &Text<'_>,
        words: &Words,
        name: &str,
        unit: u32,
        meaning: &Meaning,
        function: bool,
        state: &State,
    ) {
        let identity = meaning
            .identity
            .iter()
            .filter_map(|&word| u32::try_from(word).ok());
        let identity: Vec<u32> = identity
            .filter(|&word| (word as usize) < words.fields.len())
            .collect();
        let slash = name.contains('/');
        let program = match state.directories.first() {
            _ if function || meaning.builtin => None,
            Some(workdir) if slash => Some(self.workspace.locate(workdir, name)),
            None if slash => None,
            workdir => self.workspace.which(workdir.unwrap_or("/"), name),
        };
        if slash && state.directories.all().len() != 1 {
            self.doubt(
                kind::UNKNOWN_WORKDIR,
                text,
                words.span(0),
                "where this program lies depends on a directory that is not known",
            );
        }
        if let Some(planned) = self.out.unit_mut(unit) {
            planned.identity = identity;
            planned.program = program;
        }
        let attributes = [
            ("builtin", meaning.builtin.then_some(name)),
            ("function", function.then_some(name)),
            ("interpreter", meaning.interpreter.then_some(name)),
            ("git-runs", meaning.git_runs.as_deref()),
            ("ends-allow", meaning.ends_allow.as_deref()),
        ];
        for (attribute, value) in attributes {
            if let Some(value) = value {
                self.out.attribute(unit, attribute, value);
            }
        }
        if meaning.filter {
            // Kept only for the last stage of the last pipeline.
            self.out.attribute(unit, "filter", name);
        }
        if self.redefined.contains(name) {
            let note = format!("`{name}` may no longer run what it usually runs");
            self.doubt(kind::REDEFINED_PROGRAM, text, words.span(0), &note);
        }
        for (doubt, note) in &meaning.doubts {
            let (first, last) = (
                words.span(0),
                words.span(words.spans.len().saturating_sub(1)),
            );
            self.doubt(doubt, text, first.to(last), note);
        }
    }

    /// Words of a program that only running can tell may be paths.
    fn inferred(&mut self, text: &Text<'_>, words: &Words, unit: u32, state: &State) {
        for (index, field) in words.fields.iter().enumerate().skip(1) {
            let Some(value) = field.value.as_deref().filter(|value| value.contains('/')) else {
                continue;
            };
            let touch = Touch {
                field: index,
                path: Some(PathText::Known(value.to_owned())),
                access: Access::Other,
                origin: Origin::Inferred,
                base: None,
            };
            self.touched(text, words, unit, &touch, state);
        }
    }

    fn touched(&mut self, text: &Text<'_>, words: &Words, unit: u32, touch: &Touch, state: &State) {
        let span = words.span(touch.field);
        let shown = span.of(text.text);
        let spot = (text.span(span), shown);
        self.touch(
            unit,
            spot,
            touch.path.as_ref(),
            touch.access,
            touch.origin,
            touch.base.as_deref(),
            state,
        );
    }

    /// Adds the effects of touching a path from all directories that the shell
    /// may be in.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn touch(
        &mut self,
        unit: u32,
        spot: (PlanSpan, &str),
        path: Option<&PathText>,
        access: Access,
        origin: Origin,
        base: Option<&str>,
        state: &State,
    ) {
        let Some(path) = path else {
            self.out.effect(unit, spot, access, origin, None);
            return;
        };
        let directories: Vec<String> = match (state.directories.all(), base) {
            ([], Some(base)) if base.starts_with('/') => vec![base.to_owned()],
            ([], _) if is_absolute(path) => vec!["/".to_owned()],
            ([], _) => {
                self.out.doubt(
                    kind::UNKNOWN_WORKDIR,
                    spot.0,
                    spot.1,
                    "the path counts from a directory that is not known",
                );
                self.out.effect(unit, spot, access, origin, None);
                return;
            }
            (all, None) => all.to_vec(),
            (all, Some(base)) => all.iter().map(|workdir| joined(workdir, base)).collect(),
        };
        for workdir in directories {
            for location in self.locations(&workdir, path, state) {
                self.out.effect(unit, spot, access, origin, location);
            }
        }
    }

    fn locations(&self, workdir: &str, path: &PathText, state: &State) -> Vec<Option<Location>> {
        let locate = |path: &str| Some(self.workspace.locate(workdir, path));
        match path {
            PathText::Known(path) => vec![locate(path)],
            PathText::OneOf(paths) => paths.iter().map(|path| locate(path)).collect(),
            PathText::Within(prefix) => vec![locate(prefix)],
            PathText::Pattern(_) if state.globs_oddly => vec![None],
            PathText::Pattern(pattern) => {
                match self.workspace.glob(workdir, pattern, limits::GLOB_PATHS) {
                    None => vec![None],
                    // Bash then takes the pattern itself for a path.
                    Some(paths) if paths.is_empty() => vec![locate(&unescaped(pattern))],
                    Some(paths) => paths.iter().map(|path| locate(path)).collect(),
                }
            }
        }
    }

    fn change(
        &mut self,
        text: &Text<'_>,
        words: &Words,
        unit: u32,
        change: &ShellChange,
        state: &mut State,
    ) {
        let span = words.span(0);
        match change {
            ShellChange::Cd {
                target,
                physical,
                previous,
            } => {
                let path = match target {
                    _ if *previous => state
                        .previous
                        .as_deref()
                        .map(|path| PathText::Known(path.to_owned())),
                    None => match state.variable("HOME") {
                        None => Some(PathText::Known(self.home.clone())),
                        Some(Value::Known(home)) => Some(PathText::Known(home.to_string())),
                        Some(_) => None,
                    },
                    Some(target) => words.fields.get(*target).and_then(path_of),
                };
                let at = target.map_or(span, |target| words.span(target));
                self.go(text, unit, at, path.as_ref(), *physical, state);
            }
            ShellChange::Pushd {
                target: Some(target),
                rotate: false,
            } => {
                let path = words.fields.get(*target).and_then(path_of);
                if let (Some(stack), Some(here)) = (&mut state.stack, state.directories.first()) {
                    let mut kept = stack.to_vec();
                    kept.push(here.to_owned());
                    *stack = Rc::from(kept);
                }
                let at = words.span(*target);
                self.go(text, unit, at, path.as_ref(), false, state);
            }
            ShellChange::Popd => {
                let top = state.stack.as_ref().and_then(|stack| stack.last().cloned());
                if let Some(stack) = &mut state.stack {
                    *stack = Rc::from(
                        stack
                            .split_last()
                            .map(|(_, rest)| rest.to_vec())
                            .unwrap_or_default(),
                    );
                }
                let path = top.map(PathText::Known);
                self.go(text, unit, span, path.as_ref(), true, state);
            }
            ShellChange::Pushd { .. } => self.go(text, unit, span, None, false, state),
            ShellChange::Assign { names } => {
                for (name, field, how) in names {
                    self.assign(text, words, unit, name.as_deref(), *field, *how, state);
                }
            }
            ShellChange::Alias(fields) => {
                for &field in fields {
                    let value = words
                        .fields
                        .get(field)
                        .and_then(|field| field.value.as_deref());
                    match value {
                        Some(value) if !value.contains('=') => {}
                        Some(value) => {
                            let name = value.split('=').next().unwrap_or_default().to_owned();
                            self.redefined.insert(Rc::from(name.as_str()));
                            self.doubt(
                                kind::REDEFINED_PROGRAM,
                                text,
                                words.span(field),
                                "an alias changes what a name runs",
                            );
                        }
                        None => self.doubt(
                            kind::REDEFINED_PROGRAM,
                            text,
                            words.span(field),
                            "an alias that only running can tell",
                        ),
                    }
                }
            }
            ShellChange::Unalias => {}
            ShellChange::Hash(_) => self.doubt(
                kind::REDEFINED_PROGRAM,
                text,
                span,
                "`hash -p` changes what a name runs",
            ),
            ShellChange::Enable => self.doubt(
                kind::REDEFINED_PROGRAM,
                text,
                span,
                "`enable` changes what a name runs",
            ),
            ShellChange::Shopt(fields) => {
                let odd = |field: &usize| {
                    let value = words
                        .fields
                        .get(*field)
                        .and_then(|field| field.value.as_deref());
                    value.is_none_or(|value| {
                        matches!(
                            value,
                            "dotglob"
                                | "extglob"
                                | "globstar"
                                | "nullglob"
                                | "failglob"
                                | "nocaseglob"
                                | "globasciiranges"
                        )
                    })
                };
                if fields.iter().any(odd) {
                    state.globs_oddly = true;
                }
                let names = |wanted: &str| {
                    fields.iter().any(|field| {
                        let value = words.fields.get(*field);
                        value
                            .and_then(|field| field.value.as_deref())
                            .is_none_or(|value| value == wanted)
                    })
                };
                if names("cdable_vars") {
                    // A word of `cd` may then be a variable.
                    state.set("CDPATH", Value::Unknown);
                }
                if names("lastpipe") {
                    let note = "the last stage of a pipeline then changes this shell";
                    self.doubt(kind::EVALUATED_TEXT, text, span, note);
                }
            }
            ShellChange::Set(fields) => {
                // `set -- …` gives the positional parameters, `set -f` ends globs.
                state.arguments = None;
                let globs = fields.iter().any(|field| {
                    let value = words
                        .fields
                        .get(*field)
                        .and_then(|field| field.value.as_deref());
                    value.is_some_and(|value| value.starts_with(['-', '+']) && value.contains('f'))
                });
                state.globs_oddly |= globs;
                let keyword = fields.iter().any(|field| {
                    let value = words
                        .fields
                        .get(*field)
                        .and_then(|field| field.value.as_deref());
                    value == Some("keyword")
                        || value.is_some_and(|value| {
                            value.starts_with('-')
                                && !value.starts_with("--")
                                && value.contains('k')
                        })
                });
                if keyword {
                    let note = "words with `=` behind a program then set variables";
                    self.doubt(kind::EVALUATED_TEXT, text, span, note);
                }
            }
            ShellChange::Shift => state.arguments = None,
            ShellChange::Exit => {
                let name = words
                    .fields
                    .first()
                    .and_then(|field| field.value.as_deref());
                // With other words they complain and go on.
                let plain = match words.fields.get(1..).unwrap_or_default() {
                    [] => true,
                    [one] => one.value.as_deref().is_some_and(|value| {
                        !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
                    }),
                    _ => false,
                };
                let ends = match name {
                    Some("exit") => true,
                    Some("return") => self.returns,
                    Some("break" | "continue") => self.loops > 0,
                    _ => false,
                };
                self.dead |= ends && plain;
            }
        }
    }

    fn go(
        &mut self,
        text: &Text<'_>,
        unit: u32,
        at: crate::syntax::Span,
        path: Option<&PathText>,
        physical: bool,
        state: &mut State,
    ) {
        let search =
            state.variable("CDPATH").is_some() || self.workspace.variable("CDPATH").is_some();
        let from = state.directories.first().map(str::to_owned);
        let target = match path {
            Some(PathText::Known(path)) if !search || path.starts_with(['/', '.']) => path.clone(),
            _ => {
                self.doubt(
                    kind::UNKNOWN_WORKDIR,
                    text,
                    at,
                    "only running can tell which directory this enters",
                );
                state.previous = None;
                state.directories = Directories::Unknown;
                return;
            }
        };
        let spot = (text.span(at), at.of(text.text));
        let mut entered = Vec::new();
        let all = match state.directories.all() {
            [] if target.starts_with('/') => vec!["/".to_owned()],
            all => all.to_vec(),
        };
        for workdir in &all {
            let path = joined(workdir, &target);
            let path = if physical { path } else { normal(&path) };
            let location = self.workspace.locate(workdir, &path);
            // What is not there, or not yet made, is entered by its name.
            entered.push(if physical && location.exists {
                location.path.clone()
            } else {
                path
            });
            if location.zone != Zone::Harmless {
                self.out
                    .effect(unit, spot, Access::Enter, Origin::Operand, Some(location));
            }
        }
        // Where it cannot be entered, the shell stays.
        let certain = entered.iter().all(|path| self.is_directory(path, state));
        self.failed = Some(state.clone());
        state.previous = from.map(|from| Rc::from(from.as_str()));
        state.directories = Directories::these(entered);
        if certain {
            self.failed = Some(state.clone());
        }
        if state.directories == Directories::Unknown {
            self.doubt(
                kind::UNKNOWN_WORKDIR,
                text,
                at,
                "only running can tell which directory this enters",
            );
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn assign(
        &mut self,
        text: &Text<'_>,
        words: &Words,
        unit: u32,
        name: Option<&str>,
        field: Option<usize>,
        how: AssignKind,
        state: &mut State,
    ) {
        let span = field.map_or(words.span(0), |field| words.span(field));
        let Some(name) = name else {
            self.doubt(
                kind::EVALUATED_TEXT,
                text,
                span,
                "only running can tell which variable this sets",
            );
            state.forget_all();
            return;
        };
        if name.contains('[') && name.contains(['$', '`']) {
            self.doubt(
                kind::EVALUATED_TEXT,
                text,
                span,
                "the subscript is evaluated",
            );
        }
        let plain = name.split('[').next().unwrap_or(name);
        let given = field
            .and_then(|field| words.fields.get(field))
            .and_then(|field| field.value.as_deref());
        let value = given.and_then(|value| value.split_once('=').map(|(_, value)| value));
        let value = match how {
            AssignKind::Exported => {
                if let Harm::EndsAllow(why) = assigned(plain) {
                    self.out.attribute(unit, "ends-allow", why);
                    state.ends_allow.get_or_insert_with(|| Rc::from(why));
                }
                return;
            }
            AssignKind::Unset => Value::Unknown,
            AssignKind::FromInput => self.takes(text, plain, Value::Unknown, span, state),
            AssignKind::Map => Value::Map,
            AssignKind::Integer => {
                let integers = Rc::make_mut(&mut state.integers);
                integers.insert(Rc::from(plain));
                match value {
                    Some(value) => {
                        let value = value.to_owned();
                        if crate::arithmetic::could_run(&value) {
                            self.doubt(
                                kind::EVALUATED_TEXT,
                                text,
                                span,
                                "the value is evaluated as an expression",
                            );
                        }
                        self.evaluated(text, span, &value, state);
                    }
                    None if given.is_none() && field.is_some() => {
                        self.doubt(
                            kind::EVALUATED_TEXT,
                            text,
                            span,
                            "the value is evaluated as an expression",
                        );
                    }
                    None => {}
                }
                Value::Number
            }
            AssignKind::Known => {
                let value = value.map_or(Value::Unknown, Value::known);
                self.takes(text, plain, value, span, state)
            }
        };
        if let Harm::EndsAllow(why) = assigned(plain) {
            self.out.attribute(unit, "ends-allow", why);
        }
        state.set(plain, value);
        self.variable_set(text, plain, Some(span), state);
    }

    #[allow(clippy::too_many_arguments)]
    fn starts(
        &mut self,
        text: &Text<'_>,
        words: &Words,
        unit: u32,
        meaning: &Meaning,
        input: &Input,
        place: &Place,
        state: &mut State,
    ) {
        let wrapper = |opaque: bool| if opaque { "opaque" } else { "transparent" };
        match &meaning.starts {
            Starts::Nothing => self.script_by_path(text, words, unit, meaning, place, state),
            Starts::Words {
                from,
                assignments,
                workdir,
                opaque,
                ends_allow,
                appends_unknown,
            } => {
                self.out.attribute(unit, "wrapper", wrapper(*opaque));
                let harm = assignments
                    .iter()
                    .find_map(|(name, _)| match assigned(name) {
                        Harm::EndsAllow(why) => Some(why.to_owned()),
                        Harm::None => None,
                    });
                let place = self.inner(unit, Context::Wrapped, ends_allow.clone().or(harm), place);
                let mut own = state.clone();
                for (name, value) in assignments {
                    self.run_later(text, name, value.as_deref(), words.span(0));
                    own.set(name, value.as_deref().map_or(Value::Unknown, Value::known));
                }
                match workdir {
                    Some(Some(path)) => {
                        own.directories = Directories::these(
                            state
                                .directories
                                .all()
                                .iter()
                                .map(|workdir| normal(&joined(workdir, path)))
                                .collect(),
                        )
                    }
                    Some(None) => own.directories = Directories::Unknown,
                    None => {}
                }
                let dead = self.dead;
                self.wrapped(
                    text,
                    words,
                    (*from, words.fields.len()),
                    *appends_unknown,
                    input,
                    &place,
                    &mut own,
                );
                self.dead = dead;
                let name = words
                    .fields
                    .first()
                    .and_then(|field| field.value.as_deref());
                if matches!(name, Some("command" | "builtin")) {
                    // What they run may be a builtin that changes this shell.
                    *state = own;
                } else {
                    self.failed = None;
                }
            }
            Starts::Commands {
                ranges,
                appends_unknown,
            } => {
                self.out.attribute(unit, "wrapper", wrapper(false));
                let place = self.inner(unit, Context::Wrapped, None, place);
                let words = if *appends_unknown {
                    found_names(words)
                } else {
                    words.clone()
                };
                for &range in ranges {
                    self.wrapped(
                        text,
                        &words,
                        range,
                        false,
                        &Input::Unknown,
                        &place,
                        &mut state.clone(),
                    );
                }
            }
            Starts::Script {
                text: script,
                fields,
                arguments,
                own_shell,
                ends_allow,
                workdir,
            } => {
                self.out.attribute(unit, "wrapper", wrapper(false));
                let place = self.inner(unit, Context::NestedScript, ends_allow.clone(), place);
                let held_at = text.span(
                    fields
                        .iter()
                        .map(|&field| words.span(field))
                        .reduce(crate::syntax::Span::to)
                        .unwrap_or_default(),
                );
                let mut own = self.nested_state(words, arguments, *own_shell, state);
                let later = words
                    .fields
                    .first()
                    .and_then(|program| program.value.as_deref())
                    == Some("trap");
                let place = if later {
                    // It runs at some other point of the script.
                    self.trap(text, words, script);
                    own.disturb(&self.whole.clone());
                    Place {
                        context: Context::TrapBody,
                        ..place
                    }
                } else {
                    place
                };
                if let Some(path) = workdir {
                    own.directories = Directories::these(
                        state
                            .directories
                            .all()
                            .iter()
                            .map(|workdir| normal(&joined(workdir, path)))
                            .collect(),
                    );
                }
                self.assigned_for(unit, &mut own);
                if later {
                    self.apart(&own, |walker, own| {
                        walker.text(script, held_at, &place.fed(), own);
                    });
                    return;
                }
                let outer = (self.dead, self.returns, self.loops);
                if *own_shell {
                    (self.returns, self.loops) = (false, 0);
                }
                self.text(script, held_at, &place, &mut own);
                if *own_shell {
                    (self.dead, self.returns, self.loops) = outer;
                    self.failed = None;
                }
                if !own_shell {
                    own.arguments.clone_from(&state.arguments);
                    *state = own;
                }
            }
            Starts::File {
                field,
                path,
                arguments,
                own_shell,
            } => {
                self.file(
                    text,
                    words,
                    unit,
                    (*field, path),
                    arguments,
                    *own_shell,
                    place,
                    state,
                );
            }
            Starts::StandardInput => self.standard_input(text, words, unit, input, place, state),
            Starts::Unreadable { note } => {
                self.out.attribute(unit, "wrapper", wrapper(true));
                let (first, last) = (
                    words.span(0),
                    words.span(words.spans.len().saturating_sub(1)),
                );
                self.doubt(kind::EVALUATED_TEXT, text, first.to(last), note);
            }
        }
    }

    /// A trap that changes the shell may do so between any two commands; only
    /// at the exit nothing comes after it.
    fn trap(&mut self, text: &Text<'_>, words: &Words, script: &str) {
        let parsed = crate::parse::read(script, &mut self.budget);
        let touched = Touched::list(script, &parsed.list);
        let changes = touched.everything || touched.directory || !touched.variables.is_empty();
        let at_exit = |field: &Field| {
            let name = field.value.as_deref();
            name.is_some_and(|name| name == "0" || name.eq_ignore_ascii_case("EXIT"))
        };
        let signals = words
            .fields
            .iter()
            .rev()
            .take_while(|field| at_exit(field))
            .count();
        let only_at_exit = signals > 0 && signals + 2 >= words.fields.len();
        if changes && !only_at_exit {
            let note = "a trap changes the shell between any two commands";
            self.doubt(kind::EVALUATED_TEXT, text, words.span(0), note);
        }
    }

    /// What builtins evaluate: all words of `let`, subscripts in names.
    fn evaluated_by(&mut self, text: &Text<'_>, words: &Words, name: &str, state: &mut State) {
        let all = |at: usize| match name {
            "read" | "declare" | "typeset" | "local" | "export" | "readonly" | "unset"
            | "mapfile" | "readarray" | "getopts" | "wait" => true,
            "printf" | "test" | "[" => {
                at > 1
                    && words
                        .fields
                        .get(at - 1)
                        .is_some_and(|field| matches!(field.value.as_deref(), Some("-v" | "-R")))
            }
            _ => false,
        };
        for (at, field) in words.fields.iter().enumerate().skip(1) {
            let Some(value) = field.value.clone() else {
                continue;
            };
            let span = words.span(at);
            if name == "let" {
                self.evaluated(text, span, &value, state);
            } else if all(at)
                && let Some((variable, rest)) = value.split_once('[')
                && crate::expand::is_name(variable)
                && let Some((subscript, _)) = rest.rsplit_once(']')
                && state.variable(variable) != Some(Value::Map)
            {
                self.evaluated(text, span, subscript, state);
            }
        }
    }

    /// Whether `cd` can be sure to get in: it is a directory, and nothing of
    /// the script may have changed that.
    fn is_directory(&self, path: &str, state: &State) -> bool {
        let changed = self.out.effects.iter().any(|effect| {
            matches!(
                effect.access,
                Access::Write | Access::Delete | Access::Other
            ) && effect.location.as_ref().is_none_or(|location| {
                location.path == path
                    || path.starts_with(&format!("{}/", location.path.trim_end_matches('/')))
            })
        });
        let mut pattern = String::new();
        crate::expand::pattern::push_escaped(path.trim_end_matches('/'), &mut pattern);
        pattern.push('/');
        let made = state.made.iter().any(|made| made == path);
        path == "/"
            || made
            || (!changed
                && self
                    .workspace
                    .glob("/", &pattern, 1)
                    .is_some_and(|found| !found.is_empty()))
    }

    pub(crate) fn inner(
        &self,
        unit: u32,
        context: Context,
        ends_allow: Option<String>,
        place: &Place,
    ) -> Place {
        Place {
            parent: Some(unit),
            context,
            operator: place.operator,
            background: place.background,
            ends_allow: ends_allow
                .map(|why| Rc::from(why.as_str()))
                .or_else(|| place.ends_allow.clone()),
            piped: place.piped.clone(),
            is_piped: place.is_piped,
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn wrapped(
        &mut self,
        text: &Text<'_>,
        words: &Words,
        (from, to): (usize, usize),
        unknown: bool,
        input: &Input,
        place: &Place,
        state: &mut State,
    ) {
        let mut inner = words.from(from, to);
        let (Some(first), Some(last)) = (inner.spans.first().copied(), inner.spans.last().copied())
        else {
            return;
        };
        if unknown {
            inner.fields.push(Field {
                splits: true,
                ..Field::default()
            });
            inner.spans.push(last);
        }
        if !self.budget.descend() {
            return;
        }
        if let Some(unit) = self.unit(text, first.to(last), place, state) {
            self.words(text, &inner, unit, input, place, state);
        }
        self.budget.ascend();
    }
}

/// In what `find -exec` runs, `{}` stands for one name that it finds, and a
/// last `{}` before `+` for many.
fn found_names(words: &Words) -> Words {
    let mut words = words.clone();
    let many: Vec<bool> = words
        .fields
        .iter()
        .skip(1)
        .map(|next| next.value.as_deref() == Some("+"))
        .chain([false])
        .collect();
    for (field, many) in words.fields.iter_mut().zip(many) {
        let prefix = field
            .value
            .as_deref()
            .and_then(|value| value.split_once("{}"))
            .map(|(prefix, _)| prefix.to_owned());
        if let Some(prefix) = prefix {
            *field = Field {
                prefix,
                splits: many,
                ..Field::default()
            };
        }
    }
    words
}

fn is_absolute(path: &PathText) -> bool {
    match path {
        PathText::Known(path) | PathText::Pattern(path) | PathText::Within(path) => {
            path.starts_with('/')
        }
        PathText::OneOf(paths) => paths.iter().all(|path| path.starts_with('/')),
    }
}

/// A path that counts from a directory.
pub(crate) fn joined(workdir: &str, path: &str) -> String {
    if path.starts_with('/') {
        path.to_owned()
    } else if workdir.ends_with('/') {
        format!("{workdir}{path}")
    } else {
        format!("{workdir}/{path}")
    }
}

/// Without `.` and `..`, as `cd` does it: by the text alone.
pub(crate) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// A pattern that fits nothing stands for itself.
fn unescaped(pattern: &str) -> String {
    let mut letters = pattern.chars();
    let mut text = String::with_capacity(pattern.len());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => text.extend(letters.next()),
            letter => text.push(letter),
        }
    }
    text
}
