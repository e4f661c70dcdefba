//! Names of signals, as people and `kill -l` write them. Sends none.

/// The signals with a name of their own. Synonyms (`SIGIOT`, `SIGPOLL`) are
/// left out: a number has one name.
const NAMED: [(i32, &str); 31] = [
    (libc::SIGHUP, "SIGHUP"),
    (libc::SIGINT, "SIGINT"),
    (libc::SIGQUIT, "SIGQUIT"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGTRAP, "SIGTRAP"),
    (libc::SIGABRT, "SIGABRT"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGKILL, "SIGKILL"),
    (libc::SIGUSR1, "SIGUSR1"),
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGUSR2, "SIGUSR2"),
    (libc::SIGPIPE, "SIGPIPE"),
    (libc::SIGALRM, "SIGALRM"),
    (libc::SIGTERM, "SIGTERM"),
    (libc::SIGSTKFLT, "SIGSTKFLT"),
    (libc::SIGCHLD, "SIGCHLD"),
    (libc::SIGCONT, "SIGCONT"),
    (libc::SIGSTOP, "SIGSTOP"),
    (libc::SIGTSTP, "SIGTSTP"),
    (libc::SIGTTIN, "SIGTTIN"),
    (libc::SIGTTOU, "SIGTTOU"),
    (libc::SIGURG, "SIGURG"),
    (libc::SIGXCPU, "SIGXCPU"),
    (libc::SIGXFSZ, "SIGXFSZ"),
    (libc::SIGVTALRM, "SIGVTALRM"),
    (libc::SIGPROF, "SIGPROF"),
    (libc::SIGWINCH, "SIGWINCH"),
    (libc::SIGIO, "SIGIO"),
    (libc::SIGPWR, "SIGPWR"),
    (libc::SIGSYS, "SIGSYS"),
];

/// The name of signal `number`: `SIGKILL`, `SIGRTMIN+3`, and `SIG32` for the
/// ones that the C library keeps to itself.
pub fn name(number: i32) -> String {
    if let Some((_, name)) = NAMED.iter().find(|(known, _)| *known == number) {
        return (*name).to_owned();
    }
    let (first, last) = (libc::SIGRTMIN(), libc::SIGRTMAX());
    match number {
        n if n == first => "SIGRTMIN".to_owned(),
        n if n > first && n <= last => format!("SIGRTMIN+{}", n - first),
        n => format!("SIG{n}"),
    }
}

/// The number of the signal called `name`: with or without `SIG`, in either
/// case, `RTMIN+n` and `RTMAX-n` included. `None` for what is no signal here.
pub fn number(name: &str) -> Option<i32> {
    let upper = name.to_ascii_uppercase();
    let bare = upper.strip_prefix("SIG").unwrap_or(&upper);
    if let Some((number, _)) = NAMED.iter().find(|(_, known)| &known[3..] == bare) {
        return Some(*number);
    }
    let (first, last) = (libc::SIGRTMIN(), libc::SIGRTMAX());
    let found = match bare {
        "RTMIN" => first,
        "RTMAX" => last,
        _ => {
            if let Some(above) = bare.strip_prefix("RTMIN+") {
                let found = first.checked_add(digits(above)?)?;
                return (found <= last).then_some(found);
            }
            if let Some(below) = bare.strip_prefix("RTMAX-") {
                let found = last.checked_sub(digits(below)?)?;
                return (found >= first).then_some(found);
            }
            digits(bare)?
        }
    };
    (1..=last).contains(&found).then_some(found)
}

/// A plain decimal number: no sign, which `parse` alone would take.
fn digits(text: &str) -> Option<i32> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_one_name_that_leads_back() {
        for n in 1..=libc::SIGRTMAX() {
            assert_eq!(number(&name(n)), Some(n), "{}", name(n));
        }
    }

    #[test]
    fn names_are_the_usual_ones() {
        assert_eq!(name(9), "SIGKILL");
        assert_eq!(name(libc::SIGRTMIN() + 3), "SIGRTMIN+3");
        assert_eq!(name(32), "SIG32");
        assert_eq!(number("term"), Some(15));
        assert_eq!(number("SIGRTMAX-1"), Some(libc::SIGRTMAX() - 1));
    }

    #[test]
    fn what_is_no_signal_is_none() {
        for text in [
            "",
            "SIG",
            "SIG0",
            "SIG-9",
            "SIG+9",
            "SIG65",
            "RTMIN+99",
            "RTMIN+-1",
            "NOPE",
            "SIGSIGKILL",
        ] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}
