//! A rule as a list of words: reading it, refusing what could never fit, and
//! writing one that fits given words. Does not know units; see `fit`.

/// A part of one word of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Char(char),
    /// `?`
    One,
    /// `*`
    Many,
    /// `~` at the start, before `/` or the end.
    Home,
}

/// One word of a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatternWord(Vec<Piece>);

impl PatternWord {
    /// A bare `*`: any one word, and at the end any further words.
    pub fn is_star(&self) -> bool {
        self.0 == [Piece::Many]
    }

    /// The text, when it holds nothing but itself.
    pub fn literal(&self) -> Option<String> {
        self.0
            .iter()
            .map(|piece| match piece {
                Piece::Char(c) => Some(*c),
                Piece::One | Piece::Many | Piece::Home => None,
            })
            .collect()
    }

    /// Whether the whole word fits. Linear in the word for each `*`.
    pub fn fits(&self, word: &str, home: &str) -> bool {
        let (pieces, text) = match self.0.split_first() {
            Some((Piece::Home, rest)) => match word.strip_prefix(home) {
                Some(text) if !home.is_empty() && (text.is_empty() || text.starts_with('/')) => {
                    (rest, text)
                }
                _ => return false,
            },
            _ => (self.0.as_slice(), word),
        };
        glob(pieces, text)
    }
}

fn glob(pieces: &[Piece], text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    let (mut p, mut c) = (0, 0);
    // Where to go on when the last `*` must take one character more.
    let mut retry: Option<(usize, usize)> = None;
    while c < chars.len() {
        match (pieces.get(p), chars.get(c)) {
            (Some(Piece::Many), _) => {
                retry = Some((p, c));
                p += 1;
            }
            (Some(Piece::One), _) => {
                p += 1;
                c += 1;
            }
            (Some(Piece::Char(a)), Some(b)) if a == b => {
                p += 1;
                c += 1;
            }
            _ => match retry {
                Some((star, from)) => {
                    retry = Some((star, from + 1));
                    p = star + 1;
                    c = from + 1;
                }
                None => return false,
            },
        }
    }
    pieces
        .get(p..)
        .is_some_and(|rest| rest.iter().all(|piece| *piece == Piece::Many))
}

/// The words of a rule, a grant or an offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// As it was written, or would be.
    pub text: String,
    pub words: Vec<PatternWord>,
    /// The last word is a bare `*`, which stands for any further words; it is
    /// not among `words`.
    pub open: bool,
}

impl Pattern {
    /// Reads a rule of the configuration.
    ///
    /// # Errors
    ///
    /// Says why the text could never fit, and what to write instead.
    pub fn parse(text: &str) -> Result<Self, String> {
        let words = split(text)?;
        let Some(first) = words.first() else {
            return Err("it is empty; write the words of a command, such as \"git push *\"".into());
        };
        foreign(text, first, &words)?;
        Ok(Self::of(
            text.to_owned(),
            words.into_iter().map(|w| w.word).collect(),
        ))
    }

    /// Reads the words of a grant: nothing to split, `\` makes literal.
    pub fn of_words(words: &[String]) -> Self {
        let read: Vec<PatternWord> = words.iter().map(|word| grant_word(word)).collect();
        Self::of(words.join(" "), read)
    }

    fn of(text: String, mut words: Vec<PatternWord>) -> Self {
        let open = words.last().is_some_and(PatternWord::is_star);
        if open {
            words.pop();
        }
        Self { text, words, open }
    }

    /// Whether the rule itself spells this word.
    pub fn spells(&self, word: &str) -> bool {
        self.words
            .iter()
            .any(|w| w.literal().is_some_and(|literal| literal == word))
    }

    /// The program, when the pattern names exactly one.
    pub fn program(&self) -> Option<String> {
        self.words
            .first()?
            .literal()
            .filter(|name| !name.is_empty())
    }

    /// The literal words that it begins with.
    pub fn leading(&self) -> Vec<String> {
        self.words.iter().map_while(PatternWord::literal).collect()
    }
}

/// A word while it is read, with what the checks need.
#[derive(Debug, Default)]
struct Reading {
    word: PatternWord,
    /// What stood outside quotes; quoted characters as NUL.
    bare: String,
}

fn split(text: &str) -> Result<Vec<Reading>, String> {
    let mut words = Vec::new();
    let mut current: Option<Reading> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            words.extend(current.take());
            continue;
        }
        let word = current.get_or_insert_default();
        match c {
            '\'' => loop {
                match chars.next() {
                    Some('\'') => break,
                    Some(c) => word.quoted(c),
                    None => return Err(open_quote('\'')),
                }
            },
            '"' => loop {
                match chars.next() {
                    Some('"') => break,
                    Some('\\') if matches!(chars.peek(), Some('"' | '\\')) => {
                        word.quoted(chars.next().unwrap_or('\\'));
                    }
                    Some(c) => word.quoted(c),
                    None => return Err(open_quote('"')),
                }
            },
            '\\' => match chars.next() {
                Some(c) => word.quoted(c),
                None => return Err("it ends with a backslash; write \\\\ for one".into()),
            },
            c => {
                word.bare.push(c);
                word.word.0.push(match c {
                    '*' => Piece::Many,
                    '?' => Piece::One,
                    '~' if word.word.0.is_empty()
                        && chars.peek().is_none_or(|n| *n == '/' || n.is_whitespace()) =>
                    {
                        Piece::Home
                    }
                    c => Piece::Char(c),
                });
            }
        }
    }
    words.extend(current);
    Ok(words)
}

impl Reading {
    fn quoted(&mut self, c: char) {
        self.bare.push('\0');
        self.word.0.push(Piece::Char(c));
    }
}

fn open_quote(quote: char) -> String {
    format!(
        "the quote {quote} is never closed; close it, or write \\{quote} for the character itself"
    )
}

/// Syntax of other tools and of the shell, which here would only be text that
/// no command has.
fn foreign(text: &str, first: &Reading, words: &[Reading]) -> Result<(), String> {
    if first.bare.contains('(') {
        let inner = text
            .split_once('(')
            .map_or(text, |(_, rest)| rest.trim_end_matches(')'));
        return Err(format!(
            "the program has a parenthesis, as in another tool's rules; write the command's own words: \"{}\"",
            plain(inner)
        ));
    }
    for word in words {
        let bare = word.bare.as_str();
        if bare.ends_with(":*") {
            return Err(format!(
                "`:*` is another tool's way to say \"any further words\"; write \"{}\"",
                plain(text)
            ));
        }
        if let Some(c) = bare.chars().find(|c| ";&|<>`".contains(*c)) {
            let shown = if c == '`' {
                "a backquote".to_owned()
            } else {
                format!("`{c}`")
            };
            return Err(format!(
                "{shown} never stands in a single command, and each command of a script is judged by itself; \
                 write one rule a command, or quote the character"
            ));
        }
        if bare.contains('$') {
            return Err(
                "variables are not expanded in rules; write the value, or quote the `$`".into(),
            );
        }
        if has_pair(bare, '[', ']') {
            return Err("`[…]` is no wildcard here; use `*` or `?`, or quote the brackets".into());
        }
        if has_pair(bare, '{', '}') {
            return Err(
                "`{…}` has no meaning here; write one rule for each, or quote the braces".into(),
            );
        }
        if bare.contains('(') || bare.contains(')') {
            return Err(
                "parentheses are shell syntax; write one rule a command, or quote them".into(),
            );
        }
        if bare.starts_with('#') {
            return Err(
                "`#` begins a comment in the shell, so no command has this word; quote it".into(),
            );
        }
    }
    if is_assignment(&first.bare) {
        return Err(
            "assignments before a command are not part of its words; leave them out and begin with the program"
                .into(),
        );
    }
    if first.word.0.is_empty() {
        return Err("its program is an empty word; begin with the program's name".into());
    }
    Ok(())
}

fn has_pair(bare: &str, open: char, close: char) -> bool {
    bare.split_once(open)
        // `[` and `{` alone are words that a command may have.
        .is_some_and(|(_, rest)| {
            rest.split_once(close)
                .is_some_and(|(inner, _)| !inner.is_empty())
        })
}

fn is_assignment(bare: &str) -> bool {
    bare.split_once('=').is_some_and(|(name, _)| {
        let mut chars = name.chars();
        chars
            .next()
            .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// What the author of a foreign pattern most likely meant.
fn plain(text: &str) -> String {
    text.replace(":*", " *").trim_end_matches(')').to_owned()
}

fn grant_word(word: &str) -> PatternWord {
    let mut pieces = Vec::new();
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        pieces.push(match c {
            '\\' => Piece::Char(chars.next().unwrap_or('\\')),
            '*' => Piece::Many,
            '?' => Piece::One,
            '~' if pieces.is_empty() && chars.peek().is_none_or(|n| *n == '/') => Piece::Home,
            c => Piece::Char(c),
        });
    }
    PatternWord(pieces)
}

/// An offer's word that stands for exactly this text.
pub fn escaped(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for (at, c) in word.chars().enumerate() {
        if matches!(c, '*' | '?' | '\\') || (c == '~' && at == 0) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A rule, as text for the configuration, that stands for these words.
pub fn rule_text(words: &[&str], open: bool) -> String {
    let mut out: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    if open {
        out.push("*".to_owned());
    }
    out.join(" ")
}

fn quoted(word: &str) -> String {
    let plain = !word.is_empty()
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-./:@%+,".contains(c) || !c.is_ascii());
    match plain {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_fit() {
        for (pattern, word, fits) in [
            ("touch", "touch", true),
            ("touch", "Touch", false),
            ("b*", "build2", true),
            ("b*", "b", true),
            ("build?", "build2", true),
            ("build?", "build", false),
            ("*a*b", "xaxbxb", true),
            ("*a*b", "xaxbx", false),
            (r"a\*", "a*", true),
            (r"a\*", "ab", false),
            ("'a*'", "a*", true),
            ("\"a?\"", "ab", false),
            ("~/x", "/home/u/x", true),
            (r"\~/x", "~/x", true),
            ("~/x", "~/x", false),
            ("~user", "~user", true),
            ("/etc/*", "/etc/ssh/key", true),
        ] {
            let read = Pattern::parse(&format!("p {pattern}")).unwrap();
            assert_eq!(
                read.words[1].fits(word, "/home/u"),
                fits,
                "{pattern} on {word}"
            );
        }
    }

    #[test]
    fn a_long_word_with_many_stars_is_quick() {
        let read = Pattern::parse(&format!("p {}z", "a*".repeat(200))).unwrap();
        assert!(!read.words[1].fits(&"a".repeat(20_000), "/"));
    }

    #[test]
    fn legal() {
        for text in [
            "*",
            "* *",
            "git push *",
            "touch '$x'",
            "echo 'a;b' \\&",
            "[ -f *",
            "find . -name '[ab]'",
            "a=b=1x y",
        ] {
            let read = Pattern::parse(text);
            assert_eq!(read.is_ok(), text != "a=b=1x y", "{text}: {read:?}");
        }
    }

    #[test]
    fn refused_with_the_way_out() {
        let lines: Vec<String> = [
            "",
            "  ",
            "git commit -m \"x",
            "git 'x",
            "git:* push",
            "git push:*",
            "Bash(git push:*)",
            "a; b",
            "a && b",
            "a | b",
            "a > b",
            "a `b`",
            "rm $HOME",
            "rm [ab]",
            "rm {a,b}",
            "A=1 touch",
            "touch \\",
            "'' x",
            "# x",
            "f (a)",
        ]
        .iter()
        .map(|text| format!("{text:?}: {}", Pattern::parse(text).unwrap_err()))
        .collect();
        insta::assert_snapshot!(lines.join("\n"), @r##"
    "": it is empty; write the words of a command, such as "git push *"
    "  ": it is empty; write the words of a command, such as "git push *"
    "git commit -m \"x": the quote " is never closed; close it, or write \" for the character itself
    "git 'x": the quote ' is never closed; close it, or write \' for the character itself
    "git:* push": `:*` is another tool's way to say "any further words"; write "git * push"
    "git push:*": `:*` is another tool's way to say "any further words"; write "git push *"
    "Bash(git push:*)": the program has a parenthesis, as in another tool's rules; write the command's own words: "git push *"
    "a; b": `;` never stands in a single command, and each command of a script is judged by itself; write one rule a command, or quote the character
    "a && b": `&` never stands in a single command, and each command of a script is judged by itself; write one rule a command, or quote the character
    "a | b": `|` never stands in a single command, and each command of a script is judged by itself; write one rule a command, or quote the character
    "a > b": `>` never stands in a single command, and each command of a script is judged by itself; write one rule a command, or quote the character
    "a `b`": a backquote never stands in a single command, and each command of a script is judged by itself; write one rule a command, or quote the character
    "rm $HOME": variables are not expanded in rules; write the value, or quote the `$`
    "rm [ab]": `[…]` is no wildcard here; use `*` or `?`, or quote the brackets
    "rm {a,b}": `{…}` has no meaning here; write one rule for each, or quote the braces
    "A=1 touch": assignments before a command are not part of its words; leave them out and begin with the program
    "touch \\": it ends with a backslash; write \\ for one
    "'' x": its program is an empty word; begin with the program's name
    "# x": `#` begins a comment in the shell, so no command has this word; quote it
    "f (a)": parentheses are shell syntax; write one rule a command, or quote them
    "##);
    }

    #[test]
    fn what_is_written_is_read_again() {
        for word in [
            "a b", "it's", "$x", "*", "~", "~/x", "a\\b", "", "x=y", "{a,b}", "a:*", "é", "(", "#",
        ] {
            let text = rule_text(&["p", word], true);
            let rule = Pattern::parse(&text).unwrap();
            assert!(rule.open && rule.words[1].fits(word, "/h"), "{text}");
            assert_eq!(rule.words[1].literal().as_deref(), Some(word), "{text}");
            let offer = Pattern::of_words(&["p".into(), escaped(word), "*".into()]);
            assert_eq!(offer.words, rule.words, "{word}");
        }
    }
}
