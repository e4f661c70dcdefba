//! Names that come to mean something else than before.

use crate::generate::{Generator, Production};

impl Generator {
    pub(super) fn alias_use(&mut self) {
        self.doubted(
            Production::AliasUse,
            &[],
            &[
                "shopt -s expand_aliases\nalias al#='@ x'\nal# y",
                "shopt -s expand_aliases\nalias echo='@;echo'\necho x",
                "shopt -s expand_aliases; alias al#=@\nal#",
                "shopt -s expand_aliases\nalias if='@; if'\nif true; then :; fi",
                "shopt -s expand_aliases\nalias s#='nice ' t#=@\ns# t#",
                "BASH_ALIASES[al#]=@; shopt -s expand_aliases\nal#",
                "set -o posix; alias al#=@\nal#",
            ],
        );
        self.mention("nice");
    }

    pub(super) fn hash_path(&mut self) {
        self.mention("w0");
        self.mention("w1");
        self.doubted(
            Production::HashPath,
            &[],
            &[
                "hash -p ./w0 cat; cat",
                "hash -p ./w0 h#; h# x",
                "hash -p \"$PWD/w1\" true_#; true_#",
                "BASH_CMDS[h#]=./w0; h#",
            ],
        );
        // What runs then is another file than the name says.
        self.mention("cat");
    }

    pub(super) fn enable_off(&mut self) {
        self.doubted(
            Production::EnableOff,
            &["echo", "true", "printf"],
            &[
                "enable -n echo; echo x",
                "enable -n printf true; printf x; true",
                "enable -n test; enable test; @",
            ],
        );
    }

    pub(super) fn start_file(&mut self) {
        self.mention("q0");
        self.mention("q1");
        self.doubted(
            Production::StartFile,
            &["bash", "env", "sh"],
            &[
                "BASH_ENV=./lib.sh bash -c '@'",
                "export BASH_ENV=./lib.sh; bash -c @",
                "env BASH_ENV=lib.sh bash -c :",
                "BASH_ENV='$(@)' bash -c :",
                "declare -x BASH_ENV=lib.sh; bash x.sh",
                "env -S 'BASH_ENV=./lib.sh bash -c @'",
            ],
        );
        self.mention("q2");
        self.mention("q3");
    }

    pub(super) fn handler_not_found(&mut self) {
        self.doubted(
            Production::HandlerNotFound,
            &[],
            &[
                "command_not_found_handle() { @; }; missing#",
                "command_not_found_handle() { \"@\" \"$@\"; }; nothing# x",
                "function command_not_found_handle { @ x; }; bash -c missing#",
                "command_not_found_handle() { eval \"$2\"; }; missing# @",
            ],
        );
        self.mention("bash");
    }

    pub(super) fn function_redefines(&mut self) {
        self.doubted(
            Production::FunctionRedefines,
            &["cat", "echo"],
            &[
                "echo() { @; }; echo x",
                "cat() { @ \"$@\"; }; cat x",
                "cd() { @; }; cd dir",
                "function true { @; }; true",
                "r#() { @; }; r#() { @; }; r#",
                "r#() { unset -f r#; @; }; r#; r#",
                "r#() { echo() { @; }; }; r#; echo x",
                "r#() { @; } ; readonly -f r#; r#",
            ],
        );
    }

    pub(super) fn path_changed(&mut self) {
        self.doubted(
            Production::PathChanged,
            &["cat", "env", "w0", "cat0"],
            &[
                "PATH=./bin:$PATH; @; cat0",
                "PATH=$PWD:$PATH w0",
                "export PATH=\"$PWD/bin:$PATH\"; cat0 x",
                "env PATH=\"$PWD/bin:$PATH\" cat0",
                "PATH+=:$PWD/bin; cat0; @",
                "(PATH=bin; cat0)",
            ],
        );
    }
}
