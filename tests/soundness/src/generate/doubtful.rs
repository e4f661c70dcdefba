//! Statements of which only running tells what they run, or whose data bash
//! reads once more as code. A plan covers what they run by a doubt, unless it
//! is clever enough to see it.

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

    fn dynamic_program(&mut self) {
        self.doubted(
            Production::DynamicProgram,
            &["cat"],
            &[
                "$(echo @) x",
                "\"$(printf %s @)\"",
                "`echo @` x",
                "read -r r# <<< @; $r#",
                "c#=$(echo @); \"$c#\" x",
                "for f# in @ @; do $f#; done",
                "set -- @; \"$@\"",
                "set -- @ x; $*",
                "a#=(@ x); \"${a#[@]}\"",
                "v9= ; $v9 @ x",
                "${v9:-@} x",
                "e#=(); \"${e#[@]}\" @",
                "$(:) @",
                "mapfile -t l# <<< @; ${l#[0]}",
                "printf -v c# %s @; $c#",
                "c#=@; d#=c#; ${!d#}",
                "c#=x@; ${c##x}",
                "declare -n r#=c#; c#=@; $r#",
                "while read -r r#; do $r# x; done <<< @",
                "g#() { \"$@\"; }; g# @ x",
                "env $(echo @)",
                "command \"$(echo @)\"",
                "c#=@; unset -v c#; c#=@; $c#",
                "IFS=x; c#=@xone; $c#",
                "v9=$(echo @) && $v9",
                "$(cat <<< @) x",
            ],
        );
    }

    fn dynamic_target(&mut self) {
        self.doubted(
            Production::DynamicTarget,
            &[],
            &[
                "@ > \"$(echo out0)\"",
                "@ >> out$((1))",
                "@ < <(@)",
                "@ > >(@)",
                "t#=$(@; echo out1); @ > \"$t#\"",
                "@ &> out$(@; echo 2)",
                "@ 2> \"${t#:=$(@; echo out3)}\"",
                "@ {v#}> `@; echo out1`",
            ],
        );
    }

    fn eval_dynamic(&mut self) {
        self.doubted(
            Production::EvalDynamic,
            &["cat"],
            &[
                "e#=$(echo '@ x'); eval \"$e#\"",
                "eval \"$(echo @)\"",
                "eval $(echo @) x",
                "read -r e# <<< '@ x'; eval \"$e#\"",
                "e#='@ x'; eval \"$e#\"",
                "e#='$(@)'; eval \"echo $e#\"",
                "eval \"$(cat <<'X'\n@ x\nX\n)\"",
                "e#='a[$(@)]'; eval ': $((e#))'",
                "eval \"c#=@\"; $c#",
                "eval 'k#() { @; }'; k#",
                "trap \"$(echo @)\" EXIT",
                "e#=@; trap '$e#' EXIT",
                "e#=@; trap \"$e# x\" EXIT; e#=nope",
                "coproc { eval \"$(echo @)\"; }; wait",
            ],
        );
    }

    fn bash_dynamic(&mut self) {
        self.doubted(
            Production::BashDynamic,
            &["bash", "sh"],
            &[
                "bash -c \"$(echo @)\"",
                "s#='@ x'; bash -c \"$s#\"",
                "bash -c '$0 x' @",
                "bash -c '\"$@\"' _ @ x",
                "sh -c '$1' _ @",
                "export e#='@ x'; bash -c 'eval \"$e#\"'",
                "e#=@ bash -c '$e#'",
                "x#() { @; }; export -f x#; bash -c x#",
                "bash -c 'bash -c \"$1\"' _ '@ x'",
                "bash -c \"@ $(echo '; @')\"",
                "bash $(echo -c) @",
                "bash -c 'eval \"$*\"' _ @ x",
            ],
        );
    }

    fn source_made(&mut self) {
        self.doubted(
            Production::SourceMade,
            &["cat"],
            &[
                "echo '@ x' > made#.sh; source ./made#.sh",
                "cat > made# <<'M'\n@ x\nM\n. ./made#",
                "printf '@\\n' >made# && source made#",
                "echo @ > dir/made#; cd dir; . ./made#; cd ..",
                "{ echo @; echo @; } > made#; . ./made#",
            ],
        );
    }

    fn source_changed(&mut self) {
        self.mention("q0");
        self.mention("q1");
        self.mention("q2");
        self.mention("q3");
        self.doubted(
            Production::SourceChanged,
            &["cat", "bash", "sh"],
            &[
                "echo '@ x' >> lib.sh; source ./lib.sh",
                "echo @ > lib.sh && . ./lib.sh",
                "echo @ > x.sh; bash x.sh",
                "cat > lib.sh <<< @; . ./lib.sh",
                "echo @ >x.sh; ./x.sh",
                "f#=lib.sh; echo @ >> $f#; . ./lib.sh",
                "cd dir; echo @ > ../lib.sh; cd ..; . ./lib.sh",
                "bash -c 'echo @ > x.sh'; bash x.sh",
                "source ./lib.sh; echo @ > lib.sh; source ./lib.sh",
                "for i in 1 2; do . ./lib.sh; echo @ > lib.sh; done",
                "echo @ > lib.sh | true; . ./lib.sh",
                "cp made0 lib.sh; echo @ | tee lib.sh >/dev/null; . ./lib.sh",
            ],
        );
    }

    fn bash_made(&mut self) {
        self.doubted(
            Production::BashMade,
            &["cat", "bash", "sh"],
            &[
                "echo '@ x' > made#.sh; bash made#.sh",
                "cat <<'M' > made#.sh; sh ./made#.sh\n@ x\nM\n",
                "echo @ > made#; bash < made#",
                "bash <(echo '@ x')",
                "echo '@ x' > made#; bash ./made# one",
                "echo @ > made#; BASH_ENV=./made# bash -c :",
                "echo @ > made#; bash --rcfile made# -c @",
            ],
        );
    }

    fn xargs_dynamic(&mut self) {
        self.doubted(
            Production::XargsDynamic,
            &["xargs", "env", "sh", "bash", "find", "nice", "cat"],
            &[
                "echo @ | xargs env",
                "echo @ | xargs -I{} {} x",
                "echo @ | xargs -I{} env {} x",
                "echo @ | xargs sh -c",
                "echo '@ x' | xargs -I{} bash -c '{}'",
                "echo @ | xargs nice -n 1",
                "echo @ | xargs -I{} sh -c '{} x'",
                "xargs -a <(echo @) env",
                "echo x @ | xargs bash -c '$0' ",
                "echo '$(@)' | xargs -I% bash -c 'echo %'",
                "xargs <<< @ timeout 1",
            ],
        );
        self.mention("timeout");
    }

    fn pipe_to_shell_dynamic(&mut self) {
        self.doubted(
            Production::PipeToShellDynamic,
            &["bash", "sh", "cat"],
            &[
                "echo \"$(echo @)\" | bash",
                "cat <(echo @) | bash",
                "s#=@; echo \"$s#\" | sh",
                "echo @ > made#; cat made# | bash",
                "{ echo @; echo @; } | bash",
                "(echo @) | bash -s",
                "if true; then echo @; fi | bash",
                "printf '%s\\n' \"@\" $(echo @) | bash",
                "p#() { echo @; }; p# | bash",
                "echo @ | { read -r l#; $l#; }",
                "echo @ | while read -r l#; do $l# x; done",
                "for w# in @ @; do echo $w#; done | bash",
                "echo @ | cat - | (bash)",
                "echo @ | { bash; }",
                "bash < <(echo @)",
                "bash <<X\n$(echo @)\nX\n",
                "bash <<< \"$(echo @)\"",
                "printf '\\x@' | bash; printf '%b' '@\\n' | bash",
                "echo -e '@\\n@' | bash",
                "echo -e '\\x70\\x6e\\x6f' | bash; echo @ | bash",
            ],
        );
    }

    fn parameter_prompt(&mut self) {
        self.doubted(
            Production::ParameterPrompt,
            &[],
            &[
                "v#='$(@)'; echo ${v#@P}",
                "v#='`@`'; : \"${v#@P}\"",
                "a#=('$(@)'); echo \"${a#[@]@P}\"",
                "set -- '$(@)'; echo \"${1@P}\" \"${@@P}\"",
                "v#='$(@)'; w#=v#; echo ${!w#@P}",
            ],
        );
    }

    fn parameter_indirect(&mut self) {
        self.doubted(
            Production::ParameterIndirect,
            &[],
            &[
                "v#='a[$(@)]'; echo ${!v#}",
                "v#='a[$(@)0]'; : \"${!v#:-x}\"",
                "set -- 'a[$(@)]'; echo ${!1}",
                "v#='a[$(@)]'; declare -n n#='b[$(@)]'; echo $n#",
                "v#='a[$(@)]'; [[ -v $v# ]]; : ${!v#}",
            ],
        );
    }

    fn subscript_twice(&mut self) {
        self.doubted(
            Production::SubscriptTwice,
            &[],
            &[
                "i#='a[$(@)]'; echo ${arr[i#]}",
                "i#='a[$(@)]'; arr[i#]=1",
                "arr['$(@)']=1",
                "declare 'a#[$(@)]=1'",
                "x#='$(@)'; arr[$x#]=1",
                "read 'a#[$(@)]' <<< 1",
                "a#=([0]=1); unset 'a#[$(@)]'",
                "x#='a[$(@)]'; a#=([x#]=1)",
                "export 'a#[$(@)]=1'",
                "k#='$(@)'; declare -A m#; [[ -v m#[$k#] ]]",
                "x#='a[$(@)]'; arr[x#]+=2",
                "x#='a[$(@)]'; echo \"${arr[@]:x#}\"",
                "getopts ab 'a#[$(@)]' -a",
                "let 'a#[$(@)]=1'",
                "wait -n -p 'a#[$(@)]'",
                "printf -v 'a#[`@`]' x",
            ],
        );
    }

    fn arithmetic_twice(&mut self) {
        self.doubted(
            Production::ArithmeticTwice,
            &[],
            &[
                "x#='a[$(@)]'; echo $((x#))",
                "x#='a[$(@)]'; ((x#))",
                "x#='a[$(@)]'; let y#=x#",
                "x#='a[$(@)]'; [[ x# -eq 1 ]]",
                "x#='a[$(@)]'; echo ${v0:x#}",
                "read -r x# <<< 'a[$(@)]'; echo $((x# + 1))",
                "x#='a[$(@)]'; for ((i=x#; i<1; i++)); do :; done",
                "echo $(('a[$(@)]'))",
                "((a['$(@)']))",
                "set -- 'a[$(@)]'; echo $(($1))",
                "set -- 'a[$(@)]'; (($1 > 0))",
                "x#='a[$(@)]'; y#=x#; echo $((y#))",
                "[[ 'a[$(@)]' -gt 0 ]]",
                "test -n x; [[ a[\\$\\(@\\)] -lt 3 ]]",
                "x#='a[$(@)]' eval ': $((x#))'",
                "f#() { local -i n=$1; }; f# 'a[$(@)]'",
                "for x# in 'a[$(@)]'; do echo $((x#)); done",
                "echo $[ a['$(@)'] ]",
                "x#='a[$(@)]'; echo ${arr[@]:0:x#}",
                "shift 'a[$(@)]'; x#='a[$(@)]'; echo $((-x#))",
            ],
        );
    }

    fn printf_variable(&mut self) {
        self.doubted(
            Production::PrintfVariable,
            &[],
            &[
                "printf -v 'a#[$(@)]' %s x",
                "x#='a[$(@)]'; printf -v \"$x#\" y",
                "printf -va#[\\$\\(@\\)] x",
                "printf -v \"a#[\\$(@)]\" x",
            ],
        );
    }

    fn read_subscript(&mut self) {
        self.doubted(
            Production::ReadSubscript,
            &[],
            &[
                "read -r 'a#[$(@)]' <<< x",
                "x#='a[$(@)]'; read -r \"$x#\" <<< y",
                "IFS= read -r z 'a#[$(@)]' <<< 'a b'",
                "read -a a# <<< 'x[$(@)]'; echo $((a#))",
                "mapfile -t -O 'a[$(@)]' a# <<< x",
            ],
        );
    }

    fn unset_subscript(&mut self) {
        self.doubted(
            Production::UnsetSubscript,
            &[],
            &[
                "a#=(1); unset 'a#[$(@)]'",
                "a#=(1); x#='a#[$(@)]'; unset \"$x#\"",
                "a#=(1); unset -v a#[\\$\\(@\\)]",
                "a#=(1); unset -- \"a#[\\`@\\`]\"",
            ],
        );
    }

    fn test_variable(&mut self) {
        self.doubted(
            Production::TestVariable,
            &[],
            &[
                "[ -v 'a[$(@)]' ]",
                "test -v 'a[$(@)]'",
                "[[ -v a[\\$\\(@\\)] ]]",
                "x#='a[$(@)]'; [[ -v $x# ]]",
                "x#='a[$(@)]'; test -v \"$x#\" -o -n x",
                "[[ -v 'a[`@`]' && -n x ]]",
                "[ ! -v 'a[$(@)]' -a x ]",
                "[ -R 'a[$(@)]' ]; [[ -R 'a[$(@)]' ]]",
            ],
        );
    }

    fn mapfile_callback(&mut self) {
        self.doubted(
            Production::MapfileCallback,
            &[],
            &[
                "mapfile -C @ -c 1 l# <<< a",
                "readarray -t -c1 -C '@ x' l# <<< a",
                "mapfile -c 1 -tC \"@\" l# < file.txt",
                "mapfile -C 'eval @;' -c 1 < file.txt",
            ],
        );
    }

    fn declare_integer(&mut self) {
        self.doubted(
            Production::DeclareInteger,
            &[],
            &[
                "declare -i n#; n#='a[$(@)]'",
                "declare -i n#='a[$(@)]'",
                "typeset -i n#; read -r n# <<< 'a[$(@)]'",
                "declare -ai a#=('b[$(@)]')",
                "f#() { local -i n='a[$(@)]'; }; f#",
                "declare -i n#; export n#='a[$(@)]'",
                "integer=n#; declare -i $integer; n#='a[$(@)]'",
                "declare -i n#; for n# in 'a[$(@)]'; do :; done",
                "declare -i n#; printf -v n# %s 'a[$(@)]'",
                "declare -i n#; n#+='a[$(@)]'",
                "declare -i n#; : ${n#:='a[$(@)]'}",
            ],
        );
    }

    fn alias_use(&mut self) {
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

    fn hash_path(&mut self) {
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

    fn enable_off(&mut self) {
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

    fn compgen_text(&mut self) {
        self.doubted(
            Production::CompgenText,
            &[],
            &[
                "compgen -C @",
                "compgen -W '$(@)'",
                "compgen -F f# x; compgen -C '@ x' y",
                "f#() { @; }; compgen -F f#",
                "complete -C @ x; compgen -W '`@`' -- y",
            ],
        );
    }

    fn trace_prompt(&mut self) {
        self.doubted(
            Production::TracePrompt,
            &[],
            &[
                "PS4='$(@)'; set -x; :; set +x",
                "PS4='`@`+'; set -o xtrace; true",
                "export PS4='$(@) '; set -x; @",
                "declare PS4='$(@)'; set -x; :",
                "read -r PS4 <<< '$(@)'; set -x; :",
                "PS4='$(@)' eval 'set -x; :'",
            ],
        );
    }

    fn start_file(&mut self) {
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

    fn handler_not_found(&mut self) {
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

    fn function_redefines(&mut self) {
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

    fn path_changed(&mut self) {
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

    fn here_document_open(&mut self) {
        self.doubted(
            Production::HereDocumentOpen,
            &["cat"],
            &[
                "@ <<OPEN#\n$(@)",
                "cat <<'OPEN#'; @\ntext",
                "@ && cat <<OPEN#\n`@`\nOPEN# ",
                "@ <<OPEN# | @\nno end",
                "@ \"$(cat <<OPEN#\ntext $(@)\n)\"; @",
                "@ <<-OPEN#; @\n\ttext\n  OPEN#\n@",
            ],
        );
    }

    fn broken_quote(&mut self) {
        self.doubted(
            Production::BrokenQuote,
            &[],
            &[
                "@\n@ 'open",
                "@; @\n\"open $(@)",
                "@\n@ $(@",
                "@\nif @; then @",
                "@\n@ )\n@",
                "@\n} @",
                "@\n@ ;; @",
                "@\n@ `@",
                "@\n@ && && @",
                "@\nfor in x; do @; done",
                "@\n@ ${v0:-$(@)\n@",
                "@\n| @",
                "@\n[[ a b c ]]; @",
                "@\n@ <(\n@",
                "@\n@ >\n@",
                "@\nfi; @",
                "@\ncase x in @",
                "@\n@ () @",
                "@\n(( 1 + ; @",
                "@\narr=(a ; b)\n@",
            ],
        );
    }
}
