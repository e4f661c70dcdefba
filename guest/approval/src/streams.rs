//! The editors of streams whose program is one of their words: `sed` and
//! `awk`. Tells the programs that only print; anything else is not known.

use crate::fit::Known;

/// Longer programs are not read.
const LONGEST: usize = 4096;

/// Whether this is `sed` or `awk` with a program that only prints.
pub fn only_prints(words: &[Known<'_>]) -> bool {
    let mut known = Vec::with_capacity(words.len());
    for word in words {
        match word {
            Known::Text(text) => known.push(*text),
            Known::One | Known::Any => return false,
        }
    }
    match known.split_first() {
        Some((&("sed" | "gsed"), rest)) => sed(rest),
        Some((&("awk" | "gawk" | "mawk" | "nawk"), rest)) => awk(rest),
        _ => false,
    }
}

fn sed(words: &[&str]) -> bool {
    let mut scripts = Vec::new();
    let mut operands = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "-n" | "-E" | "-r" | "-u" | "-z" | "-nE" | "-En" | "-nr" | "-rn" | "-s" | "--quiet"
            | "--silent" | "--regexp-extended" | "--posix" | "--sandbox" => {}
            "-e" | "-ne" | "-nEe" => match words.next() {
                Some(script) => scripts.push(*script),
                None => return false,
            },
            word if word.len() > 1 && word.starts_with('-') => return false,
            word => operands.push(word),
        }
    }
    if scripts.is_empty() {
        match operands.first() {
            Some(script) => scripts.push(script),
            None => return false,
        }
    }
    scripts
        .iter()
        .all(|script| script.len() <= LONGEST && sed_script(script))
}

/// Addresses, and the commands `p d q = s y` without the flags that write or
/// run. Blocks, labels and text are not read.
fn sed_script(script: &str) -> bool {
    let mut rest = script.chars().peekable();
    loop {
        while rest.next_if(|c| c.is_whitespace() || *c == ';').is_some() {}
        if rest.peek().is_none() {
            return true;
        }
        if !address(&mut rest) {
            return false;
        }
        if rest.next_if_eq(&',').is_some() {
            rest.next_if(|c| matches!(c, '+' | '~'));
            if !address(&mut rest) {
                return false;
            }
        }
        while rest.next_if(|c| matches!(c, ' ' | '!')).is_some() {}
        let fine = match rest.next() {
            Some('p' | 'd' | '=' | 'n' | 'N' | 'D' | 'P' | 'g' | 'G' | 'h' | 'H' | 'x') => true,
            Some('q') => {
                while rest.next_if(char::is_ascii_digit).is_some() {}
                true
            }
            Some('s') => substitution(&mut rest, true),
            Some('y') => substitution(&mut rest, false),
            _ => false,
        };
        while rest.next_if_eq(&' ').is_some() {}
        if !fine || !matches!(rest.peek(), None | Some(';' | '\n')) {
            return false;
        }
    }
}

type Letters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn address(rest: &mut Letters<'_>) -> bool {
    match rest.peek() {
        Some('/') => {
            rest.next();
            delimited(rest, '/') && {
                rest.next_if_eq(&'I');
                true
            }
        }
        Some('$') => rest.next().is_some(),
        _ => {
            while rest.next_if(|c| c.is_ascii_digit() || *c == '~').is_some() {}
            true
        }
    }
}

fn substitution(rest: &mut Letters<'_>, flags: bool) -> bool {
    let Some(delimiter) = rest
        .next()
        .filter(|c| !c.is_alphanumeric() && !matches!(c, '\\' | '\n'))
    else {
        return false;
    };
    if !delimited(rest, delimiter) || !delimited(rest, delimiter) {
        return false;
    }
    // Not `e`, which runs, nor `w`, which writes.
    while flags
        && rest
            .next_if(|c| c.is_ascii_digit() || "gpiIm".contains(*c))
            .is_some()
    {}
    true
}

/// Up to the delimiter. A bracket expression may hold it; then this stops too
/// early, and what follows is judged as commands, so brackets are refused when
/// they hold the delimiter.
fn delimited(rest: &mut Letters<'_>, delimiter: char) -> bool {
    let mut bracket = false;
    while let Some(c) = rest.next() {
        match c {
            '\\' => {
                rest.next();
            }
            '[' => bracket = true,
            ']' => bracket = false,
            c if c == delimiter => return !bracket,
            _ => {}
        }
    }
    false
}

fn awk(words: &[&str]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "-F" => {
                words.next();
            }
            word if word.starts_with("-F") => {}
            word if word.starts_with('-') && word.len() > 1 => return false,
            program => return program.len() <= LONGEST && awk_program(program),
        }
    }
    false
}

/// Nothing that runs, writes, reads further files or loads code. Comparisons
/// with `>` look like writes and are not told apart.
fn awk_program(program: &str) -> bool {
    let without_or = program.replace("||", "  ");
    !without_or.contains(['|', '>', '@', '\\'])
        && ![
            "system",
            "getline",
            "close",
            "ARG",
            "fflush",
            "PROCINFO",
            "FUNCTAB",
            "SYMTAB",
            "extension",
        ]
        .iter()
        .any(|word| program.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_only_print() {
        for (words, prints) in [
            (vec!["sed", "-n", "1,5p", "f"], true),
            (vec!["sed", "-n", "/a/,/b/p"], true),
            (vec!["sed", "s/a/b/g"], true),
            (vec!["sed", "-E", "s#(a|b)#\\1#; 3d"], true),
            (vec!["sed", "-e", "s/a/b/", "-e", "$d", "f"], true),
            (vec!["sed", "2q"], true),
            (vec!["sed", "y/a/b/"], true),
            (vec!["sed", "s/a/touch M/e"], false),
            (vec!["sed", "s/a/b/w M"], false),
            (vec!["sed", "s/a/b/gw M"], false),
            (vec!["sed", "1e touch M"], false),
            (vec!["sed", "w M"], false),
            (vec!["sed", "r /etc/passwd"], false),
            (vec!["sed", "s/[/]x/y/e"], false),
            (vec!["sed", "-i", "s/a/b/", "f"], false),
            (vec!["sed", "-n", "-f", "x"], false),
            (vec!["sed", "1{e", "}"], false),
            (vec!["sed"], false),
            (vec!["awk", "{print $1}"], true),
            (
                vec!["awk", "-F:", "$1 == \"a\" || $2 {n++} END {print n}"],
                true,
            ),
            (vec!["awk", "-F", ":", "NR==1"], true),
            (vec!["awk", "BEGIN{system(\"touch M\")}"], false),
            (vec!["awk", "{print > \"M\"}"], false),
            (vec!["awk", "{print | \"sh\"}"], false),
            (vec!["awk", "BEGIN{ARGV[1]=\"/etc/passwd\"}"], false),
            (vec!["awk", "-f", "x"], false),
            (vec!["awk", "-v", "x=1", "1"], false),
            (vec!["cat", "x"], false),
        ] {
            let known: Vec<Known<'_>> = words.iter().map(|word| Known::Text(word)).collect();
            assert_eq!(only_prints(&known), prints, "{words:?}");
        }
    }
}
