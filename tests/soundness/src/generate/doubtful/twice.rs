//! Data that bash reads once more as code: subscripts, arithmetic, prompts.

use crate::generate::{Generator, Production};

impl Generator {
    pub(super) fn parameter_prompt(&mut self) {
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

    pub(super) fn parameter_indirect(&mut self) {
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

    pub(super) fn subscript_twice(&mut self) {
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

    pub(super) fn arithmetic_twice(&mut self) {
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

    pub(super) fn printf_variable(&mut self) {
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

    pub(super) fn read_subscript(&mut self) {
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

    pub(super) fn unset_subscript(&mut self) {
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

    pub(super) fn test_variable(&mut self) {
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

    pub(super) fn mapfile_callback(&mut self) {
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

    pub(super) fn declare_integer(&mut self) {
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

    pub(super) fn compgen_text(&mut self) {
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

    pub(super) fn trace_prompt(&mut self) {
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
}
