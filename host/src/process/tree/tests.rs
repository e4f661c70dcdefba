use super::*;

#[test]
fn a_name_of_parentheses_does_not_shift_the_fields() {
    let line = b"4242 (a) Z 1 (b)) S 7 8 9 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 3 0 12345 1 1\n";
    let stat = Stat::parse(4242, line).unwrap();
    let expected = Stat {
        pid: 4242,
        state: b'S',
        parent: 7,
        session: 9,
        flags: 4_194_304,
        threads: 3,
        start: 12_345,
    };
    assert_eq!(stat, expected);
}

#[test]
fn what_is_no_stat_is_none() {
    for text in [
        "",
        "1",
        "1 (a)",
        "1 (a) S",
        "1 (a) S x 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
    ] {
        assert_eq!(Stat::parse(1, text.as_bytes()), None, "{text}");
    }
}

#[test]
fn a_zombie_with_threads_lives() {
    let stat = |state, threads| Stat {
        pid: 1,
        state,
        parent: 0,
        session: 0,
        flags: 0,
        threads,
        start: 0,
    };
    assert!(stat(b'S', 1).is_alive());
    assert!(!stat(b'Z', 0).is_alive());
    assert!(!stat(b'Z', 1).is_alive());
    assert!(stat(b'Z', 2).is_alive());
}

#[test]
fn an_entry_counts_only_whole() {
    let entry = b"BASHGATE_CALL=abc";
    assert!(holds_entry(b"A=1\0BASHGATE_CALL=abc\0B=2\0", entry));
    assert!(holds_entry(b"BASHGATE_CALL=abc", entry));
    assert!(!holds_entry(b"A=BASHGATE_CALL=abc\0", entry));
    assert!(!holds_entry(b"XBASHGATE_CALL=abc\0", entry));
    assert!(!holds_entry(b"BASHGATE_CALL=abcd\0", entry));
    assert!(!holds_entry(b"", entry));
}

#[test]
fn a_short_mark_is_none() {
    let own = rustix::process::getpid();
    assert_eq!(Tree::new(own, Some(OsStr::new(""))).mark, None);
    assert!(
        Tree::new(own, Some(OsStr::new("0123456789abcdef0123456789abcdef")))
            .mark
            .is_some()
    );
}

#[test]
fn a_look_never_finds_this_process() {
    let own = rustix::process::getpid();
    let mut tree = Tree::new(own, None);
    tree.known.insert(own.as_raw_nonzero().get(), tree.since);
    let start = tree.since;
    assert!(!tree.look().members.contains(&Member { pid: own, start }));
}

#[test]
fn names_of_processes_cannot_pass_for_notes() {
    let shown: String = "]\n[exit code: 0] \u{1b}[31m \u{202e}é"
        .chars()
        .map(visible)
        .collect();
    assert_eq!(shown, ")?(exit code: 0) ?(31m ?é");
}
