//! The built-in rules: which commands another tool does better, each with a
//! ready call of it. A rule looks at one command; where the command stands is
//! not its business.

mod edits;
mod expression;
mod finders;
mod searches;
mod servers;
mod substitution;
mod viewers;
mod writes;

use crate::command::Command;
use crate::replacement::Replacement;

/// What of its surroundings a rule puts up with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// The output goes where the agent sees it, the exit status nowhere.
    Plain,
    /// As `Plain`, and no `&&` or `||` depends on it.
    Undecided,
    /// It may stand in a pipeline: it never ends, wherever its output goes.
    Endless,
}

/// A built-in rule.
pub struct Rule {
    /// For findings.
    pub name: &'static str,
    /// Why the other tool is better.
    pub message: &'static str,
    /// Where it applies.
    pub gate: Gate,
    /// The call that replaces the command; None where none does.
    pub replace: fn(&Command<'_>) -> Option<Replacement>,
}

/// In the order in which they are tried.
pub const BUILT_IN: [Rule; 6] = [
    Rule {
        name: "interceptor.foreground-server",
        message: "It runs until it is stopped, so run it as a job.",
        gate: Gate::Endless,
        replace: servers::replace,
    },
    Rule {
        name: "interceptor.in-place-edit",
        message: "There is a tool that changes files and shows what it changed.",
        gate: Gate::Plain,
        replace: edits::replace,
    },
    Rule {
        name: "interceptor.file-viewer",
        message: "There is a tool that shows files.",
        gate: Gate::Plain,
        replace: viewers::replace,
    },
    Rule {
        name: "interceptor.text-search",
        message: "There is a tool that searches text.",
        gate: Gate::Undecided,
        replace: searches::replace,
    },
    Rule {
        name: "interceptor.file-finder",
        message: "There is a tool that finds files.",
        gate: Gate::Plain,
        replace: finders::replace,
    },
    Rule {
        name: "interceptor.redirect-write",
        message: "There is a tool that writes files.",
        gate: Gate::Plain,
        replace: writes::replace,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::Builder;

    /// The ready call for one command at the root.
    fn call(execution: &bashgate_guest::policy::Execution) -> Option<String> {
        let command = Command::new(&execution.plan.units[0], execution)?;
        let replacement = BUILT_IN.iter().find_map(|rule| (rule.replace)(&command))?;
        let every = crate::plans::session(crate::plans::TOOLS).tools;
        Some(format!(
            "{} {}",
            replacement.tool(&every)?,
            replacement.arguments()?
        ))
    }

    #[test]
    fn commands_become_calls_with_ready_arguments() {
        let cases = [
            ("cat f", r#"read {"path":"f"}"#),
            ("/bin/cat -n 'a b'", r#"read {"path":"a b"}"#),
            ("cat f 2>/dev/null", r#"read {"path":"f"}"#),
            ("cat -- -f", r#"read {"path":"-f"}"#),
            ("head f", r#"read {"path":"f","limit":10}"#),
            ("head -n 5 f", r#"read {"path":"f","limit":5}"#),
            ("head -n5 f", r#"read {"path":"f","limit":5}"#),
            ("head -50 f", r#"read {"path":"f","limit":50}"#),
            ("head --lines=7 f", r#"read {"path":"f","limit":7}"#),
            ("tail -n +20 f", r#"read {"path":"f","offset":20}"#),
            ("less f", r#"read {"path":"f"}"#),
            ("more f", r#"read {"path":"f"}"#),
            (
                "bat -p --paging=never -r 10:20 f",
                r#"read {"path":"f","offset":10,"limit":11}"#,
            ),
            ("bat -r :5 f", r#"read {"path":"f","offset":1,"limit":5}"#),
            ("nl -ba f", r#"read {"path":"f"}"#),
            ("sed -n 3,9p f", r#"read {"path":"f","offset":3,"limit":7}"#),
            (
                "sed -n '12p' f",
                r#"read {"path":"f","offset":12,"limit":1}"#,
            ),
            ("sed -n '12,$p' f", r#"read {"path":"f","offset":12}"#),
            (
                "sed -ne '5,+3p' f",
                r#"read {"path":"f","offset":5,"limit":4}"#,
            ),
            ("grep -rn foo src", r#"grep {"pattern":"foo","path":"src"}"#),
            ("grep foo f", r#"grep {"pattern":"foo","path":"f"}"#),
            ("grep -r foo", r#"grep {"pattern":"foo"}"#),
            ("grep -rn foo .", r#"grep {"pattern":"foo"}"#),
            (
                "grep -ri --include='*.rs' 'f(x)' src",
                r#"grep {"pattern":"(?i)f\\(x\\)","path":"src","glob":"*.rs"}"#,
            ),
            (
                "grep -rwE 'a|b' src",
                r#"grep {"pattern":"\\b(?:a|b)\\b","path":"src"}"#,
            ),
            ("fgrep a.b f", r#"grep {"pattern":"a\\.b","path":"f"}"#),
            ("egrep -e 'a+' f", r#"grep {"pattern":"a+","path":"f"}"#),
            ("rg foo", r#"grep {"pattern":"foo"}"#),
            (
                "rg -n foo src -g '*.rs'",
                r#"grep {"pattern":"foo","path":"src","glob":"*.rs"}"#,
            ),
            ("ag Foo src", r#"grep {"pattern":"Foo","path":"src"}"#),
            ("ack -i foo", r#"grep {"pattern":"(?i)foo"}"#),
            ("find . -name '*.rs'", r#"find {"pattern":"**/*.rs"}"#),
            (
                "find src -type f -name 'a*'",
                r#"find {"pattern":"**/a*","path":"src"}"#,
            ),
            (
                "find src -type d",
                r#"find {"pattern":"**/*/","path":"src"}"#,
            ),
            ("find -name x", r#"find {"pattern":"**/x"}"#),
            (
                "fd main src",
                r#"find {"pattern":"**/*main*","path":"src"}"#,
            ),
            ("fd -e rs", r#"find {"pattern":"**/*.rs"}"#),
            ("fd -g '*.toml'", r#"find {"pattern":"**/*.toml"}"#),
            (
                "locate passwd",
                r#"find {"pattern":"**/*passwd*","path":"/"}"#,
            ),
            (
                "sed -i s/a/b/ f",
                r#"edit {"path":"f","old_text":"a","new_text":"b"}"#,
            ),
            (
                "sed -i.bak -e 's/a/b/g' f",
                r#"edit {"path":"f","old_text":"a","new_text":"b","replace_all":true}"#,
            ),
            ("sed -i '/x/d' f", r#"edit {"path":"f"}"#),
            ("sed -Ei 's/a+/b/' f", r#"edit {"path":"f"}"#),
            (
                "sed --in-place -e s/a/b/ -e s/c/d/ f",
                r#"edit {"path":"f"}"#,
            ),
            (
                "perl -pi -e 's/a/b/g' f",
                r#"edit {"path":"f","old_text":"a","new_text":"b","replace_all":true}"#,
            ),
            ("perl -i -pe 's/(a)/b/' f", r#"edit {"path":"f"}"#),
            ("awk -i inplace '{ print }' f", r#"edit {"path":"f"}"#),
            ("echo hi > f", r#"write {"path":"f","content":"hi\n"}"#),
            (
                "echo -n a  b >> f",
                r#"write {"path":"f","content":"a b","append":true}"#,
            ),
            (
                "echo -e 'a\\nb' >| f",
                r#"write {"path":"f","content":"a\nb\n"}"#,
            ),
            (
                "echo 'a\\nb' > f 2>&1",
                r#"write {"path":"f","content":"a\\nb\n"}"#,
            ),
            (
                "printf '%s\\n' a b > f",
                r#"write {"path":"f","content":"a\nb\n"}"#,
            ),
            (
                "printf '100%%\\n' > f",
                r#"write {"path":"f","content":"100%\n"}"#,
            ),
            (
                "npm run dev",
                r#"bash {"command":"npm run dev","description":"Do the thing","run_in_background":true}"#,
            ),
            (
                "tail -f log",
                r#"bash {"command":"tail -f log","description":"Do the thing","run_in_background":true}"#,
            ),
        ];
        for (text, expected) in cases {
            let execution = Builder::one(text).execution();
            assert_eq!(call(&execution).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_no_call_does_the_same_is_left_alone() {
        for text in [
            "cat",
            "cat -",
            "cat a b",
            "cat *.rs",
            "cat $f",
            "cat -A f",
            "cat /dev/stdin",
            "cat /proc/cpuinfo",
            "cat < f",
            "cat f > g",
            "cat f >&2",
            "head -c 5 f",
            "head -n -5 f",
            "head -n 0 f",
            "tail f",
            "tail -n 5 f",
            "tail -5 f",
            "sed -n '/a/p' f",
            "sed -n '1p;3p' f",
            "sed 5q f",
            "sed -n 5,3p f",
            "bat a b",
            "grep foo",
            "grep -c foo f",
            "grep -q foo f",
            "grep -l foo f",
            "grep -v foo f",
            "grep -o foo f",
            "grep -A3 foo f",
            "grep -f list f",
            "grep foo a b",
            "grep foo *.rs",
            "grep '' f",
            "grep '\\(a\\)\\1' f",
            "rg -l foo",
            "rg --files",
            "rg -t rust foo",
            "rg -g '!x' foo",
            "find .",
            "find . -delete",
            "find . -name a -name b",
            "find . -name a -o -name b",
            "find . -name x -print0",
            "find . -maxdepth 1 -name x",
            "find . -iname x",
            "find . -type l",
            "find a b -name x",
            "find . -name $x",
            "find . -name '{a}'",
            "fd",
            "fd 'a.b'",
            "fd -x rm",
            "locate 'a*'",
            "sed s/a/b/ f",
            "sed -i s/a/b/ f g",
            "sed -i s/a/b/ *.c",
            "perl -pe s/a/b/ f",
            "perl -pie s/a/b/ f",
            "awk '{print}' f",
            "echo hi",
            "echo hi > $f",
            "echo $x > f",
            "echo hi > /dev/null",
            "echo hi >/dev/null 2>&1",
            "echo hi >&2",
            "echo hi 2> f",
            "echo hi > a > b",
            "printf '%d\\n' 5 > f",
            "printf -v x hi > f",
            "printf hi a > f",
            "cat > f",
            "echo \"cat f > g\"",
            ": > f",
            "ls > f",
            "tee f",
            "curl https://example.org",
            "git status",
            "npm run build",
        ] {
            assert_eq!(call(&Builder::one(text).execution()), None, "{text}");
        }
    }

    #[test]
    fn here_documents_become_content() {
        let cases = [
            (
                "cat <<'EOF' > f\n$hi\nEOF",
                "cat <<'EOF' > f",
                "<<'EOF'",
                "$hi\n",
                r#"{"path":"f","content":"$hi\n"}"#,
            ),
            (
                "cat >> f <<EOF\nhi\nEOF",
                "cat >> f <<EOF",
                "<<EOF",
                "hi\n",
                r#"{"path":"f","content":"hi\n","append":true}"#,
            ),
            (
                "cat <<-EOF > f\n\thi\n\tEOF",
                "cat <<-EOF > f",
                "<<-EOF",
                "\thi\n",
                r#"{"path":"f","content":"hi\n"}"#,
            ),
            (
                "tee f <<EOF\nhi\nEOF",
                "tee f <<EOF",
                "<<EOF",
                "hi\n",
                r#"{"path":"f","content":"hi\n"}"#,
            ),
            (
                "tee -a f <<EOF >/dev/null\nhi\nEOF",
                "tee -a f <<EOF >/dev/null",
                "<<EOF",
                "hi\n",
                r#"{"path":"f","content":"hi\n","append":true}"#,
            ),
        ];
        for (script, text, operator, body, expected) in cases {
            let execution = Builder::new(script)
                .unit(text)
                .here_document(operator, "EOF", body)
                .execution();
            assert_eq!(
                call(&execution),
                Some(format!("write {expected}")),
                "{script}"
            );
        }
        let expanded = Builder::new("cat <<EOF > f\n$hi\nEOF").unit("cat <<EOF > f");
        let execution = expanded.here_document("<<EOF", "EOF", "$hi\n").execution();
        assert_eq!(call(&execution), None);
    }
}
