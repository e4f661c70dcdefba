//! Scripts that run `touch M` in bash, each in a way of its own: every one has
//! the program among its units, or a doubt. Nothing is run here.

use bashgate_analyzer::analysis::analyze;
use bashgate_analyzer::workspace::Workspace;
use bashgate_guest::analyzer::Input;
use bashgate_guest::policy::{Location, Plan, Zone};

/// A directory with `sub`, and files `g` and `h` that scripts take text from.
struct Scene;

impl Workspace for Scene {
    fn locate(&self, workdir: &str, path: &str) -> Location {
        let path = if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("{workdir}/{path}")
        };
        let zone = if path.starts_with("/w") {
            Zone::Workspace
        } else {
            Zone::Outside
        };
        Location {
            path,
            zone,
            exists: true,
            rule: None,
        }
    }

    fn glob(&self, _: &str, pattern: &str, _: u32) -> Option<Vec<String>> {
        let there = matches!(pattern, "/w/" | "/w/sub/");
        Some(there.then(|| pattern.to_owned()).into_iter().collect())
    }

    fn which(&self, _: &str, program: &str) -> Option<Location> {
        Some(Location {
            path: format!("/usr/bin/{program}"),
            zone: Zone::Outside,
            exists: true,
            rule: None,
        })
    }

    fn variable(&self, _: &str) -> Option<String> {
        None
    }

    fn read(&self, _: &str, path: &str) -> Option<String> {
        match path.rsplit('/').next() {
            Some("g") => Some("touch M\n".to_owned()),
            Some("h") => Some("a[$(touch M)]\n".to_owned()),
            _ => None,
        }
    }
}

fn plan(script: &str) -> Plan {
    let input = Input {
        script: script.to_owned(),
        workdir: "/w".to_owned(),
        home: "/home/me".to_owned(),
        redefined: Vec::new(),
    };
    analyze(&input, &Scene)
}

#[test]
fn what_bash_runs_is_a_unit_or_a_doubt() {
    for script in RUNS {
        let plan = plan(script);
        let seen = plan.units.iter().any(|unit| {
            let program = unit.words.first().and_then(|word| word.value.as_deref());
            program.is_some_and(|program| program.ends_with("touch"))
        });
        assert!(seen || !plan.doubts.is_empty(), "{script}");
    }
}

#[test]
fn a_directory_that_may_not_be_entered_leaves_the_shell_where_it_was() {
    for script in [
        "cd g; cat ../y",
        "cd g || break; cat ../y",
        "false && cd sub; cat ../y",
        "trap 'cat ../y' EXIT; cd sub",
        "f() { cat y; }; cd ..; f",
        "f() { cd ..; }; for i in 1 2; do cat y; f; done",
        "command cd ..; cat y",
    ] {
        let plan = plan(script);
        let leaves = plan.effects.iter().any(|effect| {
            let path = effect
                .location
                .as_ref()
                .map(|location| location.path.as_str());
            path.is_none_or(|path| matches!(path, "/w/../y" | "//y" | "/y"))
        });
        assert!(leaves, "{script}: {:?}", plan.effects);
    }
}

#[test]
fn ordinary_counting_has_no_doubt() {
    for script in [
        "i=0; while [ $i -lt 3 ]; do i=$((i+1)); done",
        "for ((i=0;i<3;i++)); do echo $i; done",
        "s=$(date +%s); echo $(( $(date +%s) - s ))",
        "n=$(wc -l < g); if (( n > 3 )); then ls; fi",
        "x=5; (( x += 1 )); echo $(( x * 2 )) > \"o.$$\"",
        "cd sub || exit 1; cat ../g",
    ] {
        let plan = plan(script);
        assert!(plan.doubts.is_empty(), "{script}: {:?}", plan.doubts);
    }
}

/// Each was seen to make the file `M` when bash ran it.
const RUNS: &[&str] = &[
    "x='a[$(touch M)]'; let x",
    "declare -i n; n='a[$(touch M)]'",
    "exec < g; bash",
    "{ bash; } <<'E'\ntouch M\nE",
    "while read -r l; do sh; done <<'E'\nx\ntouch M\nE",
    "select x in a; do echo $((REPLY)); break; done <<< 'a[$(touch M)]'",
    "[[ 'a[$(touch M)]' =~ (.*) ]]; echo $((BASH_REMATCH))",
    ": 'a[$(touch M)]'; echo $(($_))",
    "a=('x[$(touch M)]'); (( a[1]=2 )); (( a ))",
    "trap 'touch M' EXIT; cd sub",
    "x=5; x+='+a[$(touch M)]'; echo $((x))",
    "echo 'touch M' | while true; do bash; break; done",
    "if true; then bash; fi <<< 'touch M'",
    "(bash) <<< 'touch M'",
    "f() { bash; }; f <<< 'touch M'",
    "f() { bash; }; echo touch M | f",
    "echo 'touch M' | { cat | sh; }",
    "bash 0<<< 'touch M'",
    "bash 3<<< 'touch M' <&3",
    "bash -s < g",
    "bash < g",
    "sh /dev/stdin <<< 'touch M'",
    "cat g | bash",
    "eval \"$(cat g)\"",
    "echo a[$(touch M)] > N; declare -A m=([k]='a[$(touch M)]'); k='m[k]'; echo $((m[k]))",
    "printf -v x '%s' 'a[$(touch M)]'; echo $((x))",
    "IFS='[' ; read x <<< 'a[$(touch M)]'; echo $((x))",
    "OPTARG='a[$(touch M)]'; echo $((OPTARG))",
    "x='a[$(touch M)]'; echo ${y:-$((x))}",
    "x='a[$(touch M)]'; : $[x]",
    "x='a[$(touch M)]'; b[x]=1",
    "x='a[$(touch M)]'; b=([x]=1)",
    "x='a[$(touch M)]'; for ((;x;)); do :; done",
    "x='a[$(touch M)]'; [ -v 'b[x]' ]",
    "x='a[$(touch M)]'; read 'b[x]' <<< 1",
    "x='a[$(touch M)]'; printf -v 'b[x]' 1",
    "x='a[$(touch M)]'; declare 'b[x]=1'",
    "x='a[$(touch M)]'; declare -i y=x",
    "x='a[$(touch M)]'; exec 3>&$((x))",
    "x='a[$(touch M)]'; [[ $x -eq 1 ]]",
    "x='a[$(touch M)]'; [[ -n ${b[x]} ]]",
    "x='a[$(touch M)]'; case ${b[x]} in *) ;; esac",
    "x='a[$(touch M)]'; y='x'; z=${!y}; echo $((z))",
    "x='a[$(touch M)]'; declare -n r=x; echo $((r))",
    "declare -n r='a[$(touch M)]'; echo $r",
    "declare -n r='a[$(touch M)]'; r=1",
    "r='a[$(touch M)]'; declare -n r; echo $r",
    "for x in 'a[$(touch M)]'; do ((x)); done",
    "x='a[$(touch M)]'; ((y=x))",
    "x='a[$(touch M)]'; ((x+=1))",
    "x='a[$(touch M)]'; ((x++))",
    "x='a[$(touch M)]'; i=$((1 ? x : 2))",
    "function g { echo $((v)); }; v='a[$(touch M)]'; g",
    "function g { echo $((v)); }; v='a[$(touch M)]' g",
    "while [ ! -f M ]; do echo $((v)); v='a[$(touch M)]'; done",
    "until ((w)); do w=$v; v='a[$(touch M)]'; [ -f M ] && break; done",
    "x=a y='b[$(touch M)]'; z=$y; q=$z$x; ((q))",
    "read -r v < h; ((v))",
    "v=$(<h); ((v))",
    "v=`cat h`; ((v))",
    "mapfile -t v < h; ((v))",
    "while read v; do ((v)); done < h",
    "IFS= read -r -d '' v < h; ((v))",
    "v[0]='a[$(touch M)]'; ((v))",
    "v+=('a[$(touch M)]'); ((v))",
    "${v:='a[$(touch M)]'} 2>/dev/null; ((v))",
    "getopts x: v -x 'a[$(touch M)]'; ((OPTARG))",
    "coproc echo 'a[$(touch M)]'; read -u ${COPROC[0]} v; ((v))",
    "trap '((v))' EXIT; v='a[$(touch M)]'",
    "alias q='touch M'\nshopt -s expand_aliases\nq",
    "ls() { touch M; }; export -f ls; bash -c ls",
    "command_not_found_handle() { touch M; }; zzq",
    "echo 'touch M' > l; bash l",
    "echo 'touch M' > l; . ./l",
    "ln -sf g x2; bash x2",
    "mkfifo p; echo touch M > p & bash p",
    "bash /dev/fd/3 3<g",
    "bash /dev/fd/3 3<<< 'touch M'",
    "source /dev/fd/3 3<<< 'touch M'",
    "bash /proc/self/fd/0 < g",
    "exec 3<<< 'touch M'; bash <&3",
    "bash - <<< 'touch M'",
    "bash --norc <<< 'touch M'",
    "bash -ec 'touch M'",
    "bash -e -c 'touch M'",
    "bash +e -c 'touch M'",
    "bash -o errexit -c 'touch M'",
    "bash -O extglob -c 'touch M'",
    "bash --posix -c 'touch M'",
    "bash -c -- 'touch M'",
    "bash -c -e 'touch M'",
    "bash -cx 'touch M'",
    "bash <<< 'touch M' -s a",
    "cat <<< 'touch M' | bash",
    "cat - <<< 'touch M' | bash",
    "cat g - <<< '' | bash",
    "tee /dev/null <<< 'touch M' | bash",
    "echo -e 'touch\\x20M' | bash",
    "echo -n 'touch M' | bash",
    "echo 'touch M' 'x' | bash",
    "printf '%s\\n' 'touch M' | bash",
    "printf 'tou%s\\n' 'ch M' | bash",
    "printf '\\x74ouch M' | bash",
    "printf '%b' '\\x74ouch M' | bash",
    "echo $'touch M' | bash",
    "echo \"touch M\" > >(bash)",
    "bash 2>&1 <<-'E'\n\ttouch M\n\tE",
    "bash <<E\ntouch \\\nM\nE",
    "bash <<E\ntou\\\nch M\nE",
    "bash <<\"E\"\ntouch M\nE",
    "bash <<F <<E\n:\nF\ntouch M\nE",
    "bash <<< ':' <<< 'touch M'",
    "xargs bash <<< g",
    "xargs -I{} bash {} <<< g",
    "xargs touch <<< M",
    "find . -name g -exec bash {} \\;",
    "find . -name g -execdir bash {} +",
    "env -S 'bash -c \"touch M\"'",
    "env -i bash g",
    "timeout 3 bash <<< 'touch M'",
    "nice bash < g",
    "command bash <<< 'touch M'",
    "exec bash <<< 'touch M'",
    "builtin eval 'touch M'",
    "command eval 'touch M'",
    "command . ./g",
    "builtin source ./g",
];
