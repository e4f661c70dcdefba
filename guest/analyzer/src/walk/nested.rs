//! Scripts within a script: files that are run, standard input, and names that
//! no longer run what they did.

use std::rc::Rc;

use bashgate_guest::policy::{Access, Context, Origin};

use super::redirect::Input;
use super::simple::Words;
use super::touched::Touched;
use super::{Place, Text, Walker};
use crate::expand::{Field, Use};
use crate::meaning::printed::printed;
use crate::meaning::{Facts, Meaning, PathText, meaning, shell_script};
use crate::output::kind;
use crate::state::State;
use crate::syntax::{Command, Kind, RedirectOperator, Span};

/// Facts where none matter.
struct Nothing;

impl Facts for Nothing {
    fn is_function(&self, _: &str) -> bool {
        false
    }

    fn read(&self, _: &str) -> Option<String> {
        None
    }

    fn exists(&self, _: &str) -> bool {
        false
    }

    fn real(&self, _: &str) -> Option<String> {
        None
    }
}

impl Walker<'_> {
    /// A name gets another meaning: a doubt if it had one.
    pub(crate) fn redefine(&mut self, text: &Text<'_>, span: Span, name: &str, state: &State) {
        let meaning = meaning(&[Field::known(name)], &Nothing);
        let runs = || {
            self.workspace
                .which(state.directories.first().unwrap_or("/"), name)
                .is_some()
        };
        if meaning.known || meaning.builtin || runs() {
            self.redefined.insert(Rc::from(name));
            let note = format!("`{name}` no longer runs what it usually runs");
            self.doubt(kind::REDEFINED_PROGRAM, text, span, &note);
        }
    }

    /// Variables that stand before a command are known to what it runs.
    pub(crate) fn assigned_for(&self, unit: u32, own: &mut State) {
        let unit = self.out.units.get(unit as usize);
        for assignment in unit
            .map(|unit| unit.assignments.as_slice())
            .unwrap_or_default()
        {
            let value = assignment.value.value.as_deref();
            own.set(
                &assignment.name,
                value.map_or(crate::state::Value::Unknown, crate::state::Value::known),
            );
        }
    }

    /// The state that a nested script starts from.
    pub(crate) fn nested_state(
        &self,
        words: &Words,
        arguments: &[usize],
        own_shell: bool,
        state: &State,
    ) -> State {
        let mut own = state.clone();
        let given: Vec<Option<String>> = arguments
            .iter()
            .map(|&at| {
                words
                    .fields
                    .get(at)
                    .and_then(|field| field.value.clone().filter(|_| !field.splits))
            })
            .collect();
        if own_shell {
            own.enter_own_shell();
            let first = vec![None];
            own.arguments = Some(Rc::from(if given.is_empty() { first } else { given }));
        } else if !given.is_empty() {
            own.arguments = Some(Rc::from(given));
        }
        own
    }

    /// A file that is run as a shell script, read and judged like a part of
    /// this one. What cannot be read whole stays unknown.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn file(
        &mut self,
        text: &Text<'_>,
        words: &Words,
        unit: u32,
        (field, path): (usize, &str),
        arguments: &[usize],
        own_shell: bool,
        place: &Place,
        state: &mut State,
    ) {
        let span = words.span(field);
        let spot = (text.span(span), span.of(text.text));
        let known = PathText::Known(path.to_owned());
        self.touch(
            unit,
            spot,
            Some(&known),
            Access::Read,
            Origin::Operand,
            None,
            state,
        );
        let workdir = state
            .directories
            .first()
            .filter(|_| state.directories.all().len() == 1);
        let held = workdir
            .filter(|workdir| !self.is_changed(workdir, path))
            .and_then(|workdir| self.workspace.read(workdir, path));
        let Some(held) = held else {
            self.out.attribute(unit, "wrapper", "opaque");
            self.out.attribute(
                unit,
                "ends-allow",
                "it runs a script that could not be read",
            );
            let note = "the script that this runs could not be read";
            self.doubt(kind::OPAQUE_PROGRAM, text, span, note);
            if !own_shell {
                state.disturb(&Touched {
                    everything: true,
                    directory: true,
                    ..Touched::default()
                });
            }
            return;
        };
        self.out.attribute(unit, "wrapper", "transparent");
        let inner = self.inner(unit, Context::NestedScript, None, place).later();
        let mut given = vec![field];
        given.extend(arguments);
        let mut own = self.nested_state(words, &given, own_shell, state);
        self.assigned_for(unit, &mut own);
        let held_at = text.span(span);
        let outer = (self.dead, self.returns, self.loops);
        (self.returns, self.loops) = (!own_shell || self.returns, 0);
        self.text(&held, held_at, &inner, &mut own);
        (self.dead, self.returns, self.loops) = outer;
        self.failed = None;
        if !own_shell {
            own.arguments.clone_from(&state.arguments);
            *state = own;
        }
    }

    /// Whether something earlier in the script may have written the file.
    fn is_changed(&self, workdir: &str, path: &str) -> bool {
        let path = self.workspace.locate(workdir, path).path;
        self.out.effects.iter().any(|effect| {
            let changes = matches!(effect.access, Access::Write | Access::Delete);
            changes
                && effect.location.as_ref().is_none_or(|location| {
                    let written = location.path.trim_end_matches('/');
                    // What is copied over a file is told as if into a directory.
                    let inside = |one: &str, other: &str| {
                        one.strip_prefix(other)
                            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                    };
                    inside(&path, written) || inside(written, &path)
                })
        })
    }

    /// `./x.sh`: a script by its first line.
    pub(crate) fn script_by_path(
        &mut self,
        text: &Text<'_>,
        words: &Words,
        unit: u32,
        meaning: &Meaning,
        place: &Place,
        state: &mut State,
    ) {
        let Some(path) = words.fields.first().and_then(|field| field.value.clone()) else {
            return;
        };
        if !path.contains('/') || meaning.builtin {
            return;
        }
        let workdir = state.directories.first().map(str::to_owned);
        let held = workdir.and_then(|workdir| self.workspace.read(&workdir, &path));
        if held.is_some_and(|held| held.lines().next().is_some_and(shell_script)) {
            let arguments: Vec<usize> = (1..words.fields.len()).collect();
            self.file(
                text,
                words,
                unit,
                (0, &path),
                &arguments,
                true,
                place,
                state,
            );
        }
    }

    /// A shell that reads its script from standard input.
    pub(crate) fn standard_input(
        &mut self,
        text: &Text<'_>,
        words: &Words,
        unit: u32,
        input: &Input,
        place: &Place,
        state: &mut State,
    ) {
        let script = match (input, &place.piped) {
            (Input::Text(script), _) => Some(script.clone()),
            (Input::Inherited, Some(piped)) => Some(piped.to_string()),
            (Input::Empty, _) => Some(String::new()),
            (Input::Inherited, None) if !place.is_piped && !state.reads_elsewhere => {
                Some(String::new())
            }
            _ => None,
        };
        let span = words
            .span(0)
            .to(words.span(words.spans.len().saturating_sub(1)));
        match script {
            Some(script) => {
                self.out.attribute(unit, "wrapper", "transparent");
                let held_at = text.span(span);
                let inner = self.inner(unit, Context::NestedScript, None, place).fed();
                let mut own = self.nested_state(words, &[], true, state);
                self.assigned_for(unit, &mut own);
                let outer = (self.dead, self.returns, self.loops);
                self.text(&script, held_at, &inner, &mut own);
                (self.dead, self.returns, self.loops) = outer;
                self.failed = None;
            }
            None => {
                self.out.attribute(unit, "wrapper", "opaque");
                self.doubt(
                    kind::EVALUATED_TEXT,
                    text,
                    span,
                    "a shell runs text that only running can tell",
                );
            }
        }
    }

    /// The text that a stage prints, when that is literal: only `echo`,
    /// `printf` and `cat` of literal text.
    pub(crate) fn printed_by(
        &mut self,
        text: &Text<'_>,
        stage: &Command<'_>,
        place: &Place,
        state: &State,
    ) -> Option<Rc<str>> {
        let Kind::Simple { assignments, words } = &stage.kind else {
            return None;
        };
        let program = words.first()?.literal()?;
        if !assignments.is_empty()
            || !matches!(program.as_ref(), "echo" | "printf" | "cat")
            || self.redefined.contains(program.as_ref())
        {
            return None;
        }
        // Looked at for its text alone; what it runs is walked when it is.
        let (units, effects, doubts) = (
            self.out.units.len(),
            self.out.effects.len(),
            self.out.doubts.len(),
        );
        let mut own = state.clone();
        let mut fields = Vec::new();
        for word in words {
            fields.extend(self.word(text, word, Use::Argument, place, &mut own));
        }
        let found = if program == "cat" && fields.len() == 1 {
            match stage.redirects.as_slice() {
                [] => place.piped.as_deref().map(str::to_owned),
                [redirect]
                    if matches!(
                        redirect.operator,
                        RedirectOperator::HereDocument | RedirectOperator::HereString
                    ) =>
                {
                    self.brought(text, stage, place, &mut own)
                }
                _ => None,
            }
        } else if program != "cat" && stage.redirects.is_empty() {
            printed(&fields)
        } else {
            None
        };
        self.out.units.truncate(units);
        self.out.effects.truncate(effects);
        self.out.doubts.truncate(doubts);
        found.map(|found| Rc::from(found.as_str()))
    }

    fn brought(
        &mut self,
        text: &Text<'_>,
        stage: &Command<'_>,
        place: &Place,
        state: &mut State,
    ) -> Option<String> {
        let unit = self.unit(text, stage.span, place, state)?;
        match self.redirects(text, &stage.redirects, unit, place, state) {
            Input::Text(found) => Some(found),
            _ => None,
        }
    }
}
