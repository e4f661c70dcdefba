//! Functions: both ways to define one, every body, and calls.

use super::{Generator, Production};

impl Generator {
    /// Defines a function; mostly calls it too.
    pub(super) fn function(&mut self) {
        let number = self.number();
        let name = format!("f{number}");
        self.function_head(&name);
        self.function_body();
        if self.is_odd(25) {
            self.used(Production::FunctionRedirect);
            self.blank();
            self.redirect();
        }
        // Only now, so that none calls itself.
        self.functions.push(name.clone());
        if self.random.chance(80) {
            let join = self.random.one_of(&["; ", " ; ", "\n", " && "]);
            if join == "\n" {
                self.newline();
            } else {
                self.goes_on_with(Production::HereDocumentThenSemicolon);
                self.push(join);
            }
            self.call(&name);
        }
    }

    fn function_head(&mut self, name: &str) {
        match self.random.below(if self.tame { 4 } else { 5 }) {
            0 | 1 => {
                self.used(Production::FunctionParentheses);
                let parentheses = self.random.one_of(&["()", " ()", "( )", " ( ) ", "()\n"]);
                self.push(name);
                self.push(parentheses);
            }
            2 | 3 => {
                self.used(Production::FunctionKeyword);
                self.push(&format!("function {name}"));
            }
            _ => {
                self.used(Production::FunctionKeywordParentheses);
                let parentheses = self.random.one_of(&["()", " ()", " ( )"]);
                self.push(&format!("function {name}{parentheses}"));
            }
        }
        if !self.text.ends_with('\n') {
            self.push(" ");
        }
    }

    fn function_body(&mut self) {
        self.depth += 1;
        match self.random.below(10) {
            0 | 1 => {
                self.used(Production::FunctionSubshell);
                self.subshell();
            }
            2 | 3 if !self.tame => {
                self.used(Production::FunctionCompound);
                self.compound_body();
            }
            _ => self.group(),
        }
        self.depth -= 1;
    }

    fn call(&mut self, name: &str) {
        self.used(Production::FunctionCall);
        self.spell(name);
        self.blank();
        let marker = self.marker();
        self.push(&marker);
        self.arguments(2);
        if self.random.chance(10) {
            self.blank();
            self.redirect();
        }
    }

    /// Calls a function that was defined before, if one was.
    pub(super) fn function_call(&mut self) {
        if self.functions.is_empty() {
            return self.program();
        }
        let at = self.random.below(self.functions.len());
        let name = self.functions[at].clone();
        self.call(&name);
    }
}
