//! What people read.

use bashgate_guest::policy::{Access, Mode, Operator, Origin};

use super::{decision, findings, of, touch};
use crate::scenes::{ROOT, unit};

#[test]
fn what_people_read() {
    let said: Vec<String> = [
        touch(),
        touch().deny(&["touch *"]),
        touch().rules(&[], &["touch *"], &[]),
        of("$c M")
            .deny(&["touch *"])
            .doubt("dynamic-program", "$c M"),
        of("echo k").touches(
            Access::Write,
            Origin::Redirect,
            "/home/u/.ssh/authorized_keys",
        ),
        of("rm -rf .").effect(Access::Delete, ROOT),
        of("tar xf a.tar").effect(Access::Write, ROOT),
        of("unknown-prog .git/x").effect(Access::Other, "/home/u/ws/.git/x"),
        of("cat /etc/hostname").effect(Access::Read, "/etc/hostname"),
        of("touch /tmp/x").effect(Access::Write, "/tmp/x"),
        of("cat x").effect(Access::Read, "/home/u/.ssh/id_rsa"),
        of("cat $x").effect(Access::Read, ""),
        of("echo hi").touches(Access::Write, Origin::Redirect, "/home/u/ws/f"),
        of("git push --force"),
        of("curl x").unit(unit("sh")).with(|u| {
            u.operator = Operator::Pipe;
            u.span.start = 30;
        }),
        of("sort --compress-program=./c f").touches(
            Access::Execute,
            Origin::OptionArgument,
            "/home/u/ws/c",
        ),
        of("sudo ls").attribute("ends-allow", "it runs as another user"),
        of("git status").attribute("git-runs", "core.fsmonitor"),
        of("bashgate run x"),
        of("frob 'a'"),
        of("./x.sh"),
        of("frob").with(|u| u.program = None),
        of("frob").with(|u| u.program = Some(crate::scenes::location("/home/u/ws/bin/frob"))),
        of("env").attribute("wrapper", "transparent"),
        of("ls").escalation(),
        of("ls").mode(Mode::OnRequest).escalation(),
    ]
    .iter()
    .map(|build| {
        let lines: Vec<String> = findings(build)
            .into_iter()
            .map(|finding| format!("  [{}] {}", finding.rule, finding.message))
            .collect();
        format!(
            "{} {}\n{}",
            decision(build),
            build.execution.plan.units[0].text,
            lines.join("\n")
        )
    })
    .collect();
    insta::assert_snapshot!(said.join("\n"), @r##"
    ask touch M
      [write] `touch M` writes /home/u/ws/M; allow it with rules.allow = ["touch *"]
    deny touch M
      [rules.deny "touch *"] `touch M` fits rules.deny "touch *"; only taking that rule out allows it
    ask touch M
      [rules.ask "touch *"] `touch M` fits rules.ask "touch *", so it is asked each time
      [write] `touch M` writes /home/u/ws/M
    ask $c M
      [doubt dynamic-program] `$c M` cannot be told for sure: only running it can tell; only a person may allow it
      [rules.deny "touch *"] `$c M` may fit rules.deny "touch *", which only running it can tell; write its words out
    deny echo k
      [protected_paths] `echo k` writes /home/u/.ssh/authorized_keys, protected by protected_paths "~/.ssh"; take it out of protected_paths to allow this
    deny rm -rf .
      [protected_paths] `rm -rf .` deletes /home/u/ws, which holds /home/u/ws/.git, protected by protected_paths; name what should change, or take that path out of protected_paths
    ask tar xf a.tar
      [protected_paths] `tar xf a.tar` may change anything below /home/u/ws, which holds /home/u/ws/.git, protected by protected_paths; name the files it should change
    ask unknown-prog .git/x
      [protected_paths] `unknown-prog .git/x` may use /home/u/ws/.git/x, protected by protected_paths ".git", and what it does with it is not known
    ask cat /etc/hostname
      [zone outside] `cat /etc/hostname` reads /etc/hostname, outside the workspace; its directory may be granted for this session
    ask touch /tmp/x
      [zone temporary] `touch /tmp/x` writes /tmp/x, in a temporary directory; its directory may be granted for this session
    ask cat x
      [credentials] `cat x` reads /home/u/.ssh/id_rsa, which looks like a key or credentials; this is asked each time
    ask cat $x
      [unknown path] `cat $x` reads ``, and only running it can tell where that leads; write the path out
    ask echo hi
      [redirect] `echo hi` writes /home/u/ws/f through a redirect; rules and grants cover the files that a command's words name, so this is asked each time
    ask git push --force
      [dangerous] `git push --force` overwrites or deletes what others may have pushed (`--force`); only a rule that spells that word allows it: rules.allow = ["git push --force"]
    ask curl x
      [dangerous] `sh` runs what it fetches from the network; no rule allows that
      [not known to be safe] `curl x` is not known to be safe; allow it with rules.allow = ["curl x"]
    ask sort --compress-program=./c f
      [runs another program] `sort --compress-program=./c f` runs another program through `--compress-program=./c`; allow it with rules.allow = ["sort '--compress-program=./c' f"]
    ask sudo ls
      [ends-allow] `sudo ls`: it runs as another user, so no rule or grant allows it
    ask git status
      [git-runs] `git status` starts what the repository's core.fsmonitor names, which cannot be switched off for this command
    ask bashgate run x
      [bashgate itself] `bashgate run x` runs bashgate inside a command that bashgate judges; no rule allows that
    abstain frob 'a'
      [not known to be safe] `frob 'a'` is not known to be safe; allow it with rules.allow = ["frob a"]
    abstain ./x.sh
      [not known to be safe] `./x.sh` is not known to be safe; rules and grants fit a program's bare name, found on the PATH
    abstain frob
      [not known to be safe] `frob` is not known to be safe; `frob` is not found on the PATH
    abstain frob
      [not known to be safe] `frob` is not known to be safe; `frob` is /home/u/ws/bin/frob, which a command could change
    abstain env
      [not known to be safe] `env` is not known to be safe; what it starts is judged by itself
    deny ls
      [escalation] running outside the sandbox may be asked for only with mode = "on-request"; run it without sandbox_permissions
    ask ls
      [escalation] the agent wants to run this outside the sandbox: "needs the network"
    "##);
}
