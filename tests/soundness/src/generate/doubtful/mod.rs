//! Statements of which only running tells what they run, or whose data bash
//! reads once more as code. A plan covers what they run by a doubt, unless it
//! is clever enough to see it.

mod renamed;
mod twice;
mod unknown;

use super::{Generator, Production, Table};

const DOUBTFUL: &Table = &[
    (3, Generator::dynamic_program),
    (2, Generator::dynamic_target),
    (3, Generator::eval_dynamic),
    (2, Generator::bash_dynamic),
    (2, Generator::source_made),
    (2, Generator::source_changed),
    (2, Generator::bash_made),
    (2, Generator::xargs_dynamic),
    (2, Generator::pipe_to_shell_dynamic),
    (2, Generator::parameter_prompt),
    (2, Generator::parameter_indirect),
    (3, Generator::subscript_twice),
    (3, Generator::arithmetic_twice),
    (2, Generator::printf_variable),
    (2, Generator::read_subscript),
    (2, Generator::unset_subscript),
    (2, Generator::test_variable),
    (2, Generator::mapfile_callback),
    (2, Generator::declare_integer),
    (2, Generator::alias_use),
    (2, Generator::hash_path),
    (2, Generator::enable_off),
    (2, Generator::compgen_text),
    (2, Generator::trace_prompt),
    (2, Generator::start_file),
    (2, Generator::handler_not_found),
    (2, Generator::function_redefines),
    (2, Generator::path_changed),
    (2, Generator::here_document_open),
    (2, Generator::broken_quote),
];

impl Generator {
    /// One of these.
    pub(super) fn doubtful_statement(&mut self) {
        self.one_of(DOUBTFUL);
    }

    /// One of several shapes in which `@` stands for a program, `#` for a
    /// number of its own.
    fn doubted(&mut self, production: Production, mentions: &[&str], shapes: &[&'static str]) {
        self.used(production);
        for name in mentions {
            self.mention(name);
        }
        let number = self.number().to_string();
        let shape = self.random.one_of(shapes).replace('#', &number);
        let mut parts = shape.split('@');
        self.push(parts.next().unwrap_or_default());
        for part in parts {
            self.push_program();
            self.push(part);
        }
    }
}
