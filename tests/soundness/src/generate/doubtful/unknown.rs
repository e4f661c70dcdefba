//! Programs, targets and scripts that only running tells.

use crate::generate::{Generator, Production};

impl Generator {
    pub(super) fn dynamic_program(&mut self) {
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

    pub(super) fn dynamic_target(&mut self) {
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

    pub(super) fn eval_dynamic(&mut self) {
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

    pub(super) fn bash_dynamic(&mut self) {
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

    pub(super) fn source_made(&mut self) {
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

    pub(super) fn source_changed(&mut self) {
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

    pub(super) fn bash_made(&mut self) {
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

    pub(super) fn xargs_dynamic(&mut self) {
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

    pub(super) fn pipe_to_shell_dynamic(&mut self) {
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

    pub(super) fn here_document_open(&mut self) {
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

    pub(super) fn broken_quote(&mut self) {
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
