//! Programs and builtins that start what their words name.

use super::{Generator, Production, Table, quoting};

const WRAPPERS: &Table = &[
    (3, Generator::env),
    (2, Generator::env_split),
    (2, Generator::nice),
    (3, Generator::timeout),
    (1, Generator::nohup),
    (1, Generator::stdbuf),
    (1, Generator::setsid),
    (2, Generator::flock),
    (3, Generator::xargs),
    (2, Generator::xargs_replace),
    (2, Generator::xargs_shell),
    (3, Generator::command_builtin),
    (3, Generator::exec),
    (2, Generator::exec_redirect),
    (2, Generator::builtin_builtin),
    (2, Generator::stacked),
    (3, Generator::find_exec),
    (2, Generator::find_exec_plus),
    (2, Generator::find_exec_shell),
];

impl Generator {
    /// One of these, around a program.
    pub(super) fn wrapped(&mut self) {
        self.one_of(WRAPPERS);
        if self.random.chance(8) {
            self.blank();
            self.used(Production::RedirectAfter);
            self.redirect();
        }
    }

    /// One of several shapes in which `@` stands for a program.
    fn shaped(&mut self, production: Production, mentions: &[&str], shapes: &[&'static str]) {
        self.used(production);
        for name in mentions {
            self.mention(name);
        }
        let shape = self.random.one_of(shapes);
        let mut parts = shape.split('@');
        self.push(parts.next().unwrap_or_default());
        for part in parts {
            let name = self.program_name();
            self.spell(&name);
            self.push(part);
        }
    }

    fn env(&mut self) {
        self.shaped(
            Production::WrapEnv,
            &["env"],
            &[
                "env @",
                "env A=1 @ x",
                "env -u A B='x y' @",
                "env -- @",
                "env -C dir @",
                "env --unset=A @",
                "A=1 env A=2 @ A=3",
                "env - PATH=\"$PATH\" @",
            ],
        );
    }

    fn env_split(&mut self) {
        self.used(Production::WrapEnvSplit);
        self.mention("env");
        self.mention("nice");
        let name = self.program_name();
        let text = self.random.one_of(&[
            "env -S '# x y'",
            "env --split-string='# x'",
            "env -S\"A=1 # x\"",
            "env -vS '# \"a b\"'",
            "env -S $'#\\tx'",
            "env -S 'A=1 nice' # x",
            "env -S '-u A' # x",
            "env -iS 'PATH=${PATH} #'",
        ]);
        self.push(&text.replace('#', &name));
    }

    fn nice(&mut self) {
        self.shaped(
            Production::WrapNice,
            &["nice"],
            &[
                "nice @",
                "nice -n 1 @ x",
                "nice -n1 @",
                "nice --adjustment=1 @",
                "nice -1 @",
            ],
        );
    }

    fn timeout(&mut self) {
        self.shaped(
            Production::WrapTimeout,
            &["timeout"],
            &[
                "timeout 1 @",
                "timeout -k 1 1s @ x",
                "timeout -s KILL 1 @",
                "timeout --foreground 0.5 @",
                "timeout --signal=TERM 1 @",
                "timeout -v 1 @",
            ],
        );
    }

    fn nohup(&mut self) {
        self.shaped(
            Production::WrapNohup,
            &["nohup"],
            &["nohup @", "nohup @ x &", "nohup -- @ >/dev/null 2>&1 &"],
        );
        if self.text.ends_with('&') {
            self.push(" true");
        }
    }

    fn stdbuf(&mut self) {
        self.shaped(
            Production::WrapStdbuf,
            &["stdbuf"],
            &["stdbuf -oL @", "stdbuf -o 0 -e0 @ x", "stdbuf --output=L @"],
        );
    }

    fn setsid(&mut self) {
        self.shaped(
            Production::WrapSetsid,
            &["setsid"],
            &[
                "setsid @",
                "setsid -w @ x",
                "setsid -f @",
                "setsid --wait @",
            ],
        );
    }

    fn flock(&mut self) {
        self.shaped(
            Production::WrapFlock,
            &["flock", "sh"],
            &[
                "flock out0 @",
                "flock -n out0 @ x",
                "flock out0 -c '@'",
                "flock -w 1 out1 @",
                "flock --nonblock out0 --command '@ x'",
            ],
        );
    }

    fn xargs(&mut self) {
        self.shaped(
            Production::WrapXargs,
            &["xargs"],
            &[
                "echo a b | xargs @",
                "echo a | xargs -n 1 @ x",
                "xargs -r @ < file.txt",
                "printf 'a\\0b' | xargs -0 @",
                "echo a b | xargs -n1 -P 2 @",
                "xargs -a file.txt @",
                "xargs --max-args=1 @ <<< 'a b'",
                "echo a | xargs -t -- @ -x",
                "echo a | xargs -d ' ' env A=1 @",
            ],
        );
        self.mention("env");
    }

    fn xargs_replace(&mut self) {
        self.shaped(
            Production::WrapXargsReplace,
            &["xargs"],
            &[
                "echo a | xargs -I{} @ {}",
                "echo a | xargs -I % @ x%",
                "echo a | xargs -i @ {}",
                "echo a | xargs --replace=X @ X",
            ],
        );
    }

    fn xargs_shell(&mut self) {
        self.used(Production::WrapXargsShell);
        for name in ["xargs", "bash", "sh"] {
            self.mention(name);
        }
        let text = self.random.one_of(&[
            "echo a | xargs -n1 bash -c ",
            "echo a | xargs -I{} bash -c ",
            "echo a | xargs bash -ec ",
        ]);
        self.push(text);
        self.script_word();
        self.push(" _");
    }

    fn command_builtin(&mut self) {
        self.shaped(
            Production::WrapCommand,
            &[],
            &[
                "command @",
                "command -- @ x",
                "command command @",
                "A=1 command @",
            ],
        );
    }

    fn exec(&mut self) {
        self.shaped(
            Production::WrapExec,
            &[],
            &[
                "(exec @)",
                "(exec -a other @ x)",
                "(exec -- @)",
                "( exec >out0 2>&1 @ )",
                "(exec -l @)",
                "(exec -aother @)",
            ],
        );
    }

    fn exec_redirect(&mut self) {
        self.used(Production::ExecRedirect);
        let text = self.random.one_of(&[
            "exec 3>out0",
            "exec 4<file.txt",
            "exec 3>&1",
            "exec {fdx}>out1",
            "exec 5<&0 5<&-",
            "exec 2>/dev/null",
        ]);
        self.push(text);
        self.push("; ");
        self.push_program();
    }

    fn builtin_builtin(&mut self) {
        self.used(Production::WrapBuiltin);
        let text = self.random.one_of(&[
            "builtin echo #",
            "builtin eval '@ #'",
            "builtin command @ #",
            "command builtin : #",
            "builtin -- eval @ #",
        ]);
        let mut text = text.replace('#', "x");
        if text.contains('@') {
            let name = self.program_name();
            text = text.replace('@', &name);
        }
        self.push(&text);
    }

    fn stacked(&mut self) {
        self.shaped(
            Production::WrapStacked,
            &["env", "nice", "timeout", "xargs", "nohup", "bash"],
            &[
                "timeout 1 nice -n 1 env A=1 @ x",
                "command env nice @",
                "echo a | xargs timeout 1 env A=b @",
                "env bash -c '@ && @'",
                "nice timeout 1 bash -c '@ | @' name",
                "time command nohup env @",
                "env A=1 nice timeout -k 1 1 nohup @",
            ],
        );
    }

    fn find_exec(&mut self) {
        self.shaped(
            Production::FindExec,
            &["find"],
            &[
                "find . -maxdepth 0 -exec @ {} \\;",
                "find . -maxdepth 0 -exec @ {} ';'",
                "find file.txt -exec @ \\; -exec @ {} \\;",
                "find . -maxdepth 0 -name . -execdir @ \\;",
                "find . -maxdepth 0 \\( -exec @ {} \\; -o -exec @ \";\" \\)",
                "find -maxdepth 0 -type d -exec env A=1 @ {} \\;",
            ],
        );
        self.mention("env");
    }

    fn find_exec_plus(&mut self) {
        self.shaped(
            Production::FindExecPlus,
            &["find"],
            &[
                "find . -maxdepth 0 -exec @ {} +",
                "find dir -exec @ x {} +",
                "find . -maxdepth 0 -execdir @ {} +",
            ],
        );
    }

    fn find_exec_shell(&mut self) {
        self.used(Production::FindExecShell);
        for name in ["find", "bash", "sh"] {
            self.mention(name);
        }
        let text = self.apart(|generator| generator.list(2));
        let text = quoting::single(&text);
        let shape = self.random.one_of(&[
            "find . -maxdepth 0 -exec bash -c # _ {} \\;",
            "find file.txt -exec bash -ec # {} +",
        ]);
        let (before, after) = shape.split_once('#').unwrap_or_default();
        self.push(&format!("{before}{text}{after}"));
    }
}
