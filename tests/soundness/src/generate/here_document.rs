//! Here-documents, and the end of a line that they wait for.

use super::{Generator, Production};

/// A here-document whose body is still to come.
pub(super) struct HereDocument {
    delimiter: String,
    body: String,
    tabs: bool,
}

impl Generator {
    /// Ends the line: the bodies of its here-documents follow.
    pub(super) fn newline(&mut self) {
        self.push("\n");
        for document in std::mem::take(&mut self.here) {
            let tabs = if document.tabs { "\t" } else { "" };
            for line in document.body.lines() {
                self.push(tabs);
                self.push(line);
                self.push("\n");
            }
            self.push(tabs);
            self.push(&document.delimiter);
            self.push("\n");
        }
    }

    /// `<<END`, with the body at the end of the line.
    pub(super) fn here_document(&mut self) {
        self.used(Production::HereDocument);
        let quoted = self.random.chance(40);
        let body = if quoted {
            self.data_body()
        } else {
            self.expanded_body()
        };
        self.here_document_of(body, quoted);
    }

    /// The same with a body that is given. In a quoted one nothing is
    /// expanded.
    pub(super) fn here_document_of(&mut self, body: String, quoted: bool) {
        if !self.here.is_empty() {
            self.used(Production::HereDocumentSeveral);
        }
        let tabs = self.random.chance(20);
        if tabs {
            self.used(Production::HereDocumentTabs);
        }
        let (delimiter, written) = self.delimiter(quoted);
        self.push(if tabs { "<<-" } else { "<<" });
        if self.random.chance(15) {
            self.push(" ");
        }
        self.push(&written);
        self.here.push(HereDocument {
            delimiter,
            body,
            tabs,
        });
    }

    /// What ends the body, and how it is announced.
    fn delimiter(&mut self, quoted: bool) -> (String, String) {
        let number = self.number();
        let odd = self.random.chance(20);
        let delimiter = if odd {
            self.used(Production::HereDocumentOddDelimiter);
            let shape = self
                .random
                .one_of(&["E-#", "E_#.x", "#E", "E#+", "!E#", "%#%", "E=#", "ende#ß"]);
            shape.replace('#', &number.to_string())
        } else {
            format!("E{number}")
        };
        if !quoted {
            return (delimiter.clone(), delimiter);
        }
        self.used(Production::HereDocumentQuoted);
        let spaced = odd && self.random.chance(30);
        let delimiter = if spaced {
            format!("{delimiter} F")
        } else {
            delimiter
        };
        let written = match self.random.below(6) {
            0 => format!("\"{delimiter}\""),
            1 if !spaced => format!("\\{delimiter}"),
            2 if !spaced => {
                let (first, rest) = delimiter.split_at(1);
                format!("{first}'{rest}'")
            }
            _ => format!("'{delimiter}'"),
        };
        (delimiter, written)
    }

    /// Lines that look like code and are none.
    fn data_body(&mut self) -> String {
        let mut body = String::new();
        for _ in 0..1 + self.random.below(3) {
            let line = self.random.one_of(&[
                "plain text",
                "$(nope here) `nope`",
                "it's \"open",
                "nope; nope && nope",
                "${v0:-$(nope)}",
                "cat <<INNER",
                ") } done fi esac",
                "# no comment",
                "\\",
                "",
            ]);
            body.push_str(line);
            body.push('\n');
        }
        body
    }

    fn expanded_body(&mut self) -> String {
        let lines = 1 + self.random.below(2);
        let mut body = String::new();
        for _ in 0..lines {
            let expansion = self.may_nest() && self.random.chance(60);
            let line = self.apart(|generator| {
                generator.in_quotes(|generator| {
                    let before = generator.random.one_of(&[
                        "",
                        "text ",
                        "it's ",
                        "\"",
                        "# ",
                        "a\\b ",
                        "\\$v0 ",
                        "\\`no\\` ",
                        "( ",
                    ]);
                    generator.push(before);
                    if expansion {
                        generator.used(Production::HereDocumentExpansion);
                        generator.expansion();
                    }
                    let after =
                        generator
                            .random
                            .one_of(&["", " after", "'", " \\\ngoes on", "\\\\", " )"]);
                    generator.push(after);
                });
            });
            body.push_str(&line);
            body.push('\n');
        }
        body
    }

    /// Counts what a line with a here-document on it goes on with.
    pub(super) fn goes_on_with(&mut self, production: Production) {
        if !self.here.is_empty() {
            self.used(production);
        }
    }
}
