use std::collections::BTreeMap;

use super::super::{Policy, build};
use super::*;
use crate::process::run::tests::command;

#[tokio::test]
async fn git_that_is_disarmed_starts_nothing_of_the_repository() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let repository = folder.path().join("ws");
    std::fs::create_dir(&home).unwrap();
    std::fs::create_dir(&repository).unwrap();
    let policy = |git_disarmed| Policy {
        set: BTreeMap::from([("HOME".to_owned(), home.display().to_string())]),
        git_disarmed,
        audience: Audience::Person {
            term: "dumb".to_owned(),
        },
        ..Policy::default()
    };
    let git = async |script: &str, git_disarmed| {
        let vars = build(std::env::vars_os(), &policy(git_disarmed)).vars;
        let command = command(script)
            .workdir(&repository)
            .with(|request| request.environment = vars);
        command.run().await
    };
    let setup = "set -e
        git init -q . && git config user.name x && git config user.email x@x
        echo a > a && git add a && git commit -qm a && echo b > a
        mkdir hooks && printf '#!/bin/sh\\ntouch %s\\n' $PWD/../EVIL > evil && chmod +x evil
        for hook in post-checkout reference-transaction post-index-change pre-commit; do cp evil hooks/$hook; done
        evil=$PWD/evil
        git config core.fsmonitor $evil; git config core.hooksPath $PWD/hooks
        git config core.pager $evil; git config pager.log $evil; git config core.editor $evil
        git config core.sshCommand $evil; git config core.askPass $evil; git config core.gitProxy $evil
        git config credential.helper $evil; git config credential.http://127.0.0.1.helper $evil
        git config gpg.program $evil; git config log.showSignature true
        git config protocol.ext.allow always; git remote add ext \"ext::$evil\"
        git remote add ssh ssh://127.0.0.1:1/x
        { git cat-file commit HEAD | sed '/^$/,$d'; printf 'gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n x\\n -----END PGP SIGNATURE-----\\n\\nm\\n'; } > c
        git update-ref refs/heads/signed $(git hash-object -t commit -w c)
        rm -f ../EVIL";
    assert_eq!(
        git(setup, true).await.exit_code,
        Some(0),
        "{}",
        git("git --version", true).await.text()
    );
    let evil = folder.path().join("EVIL");
    for script in [
        "git status",
        "git checkout -q -b other",
        "git --paginate log",
        "git log -1 signed",
        "git fetch ext",
        "git fetch ssh",
        "git fetch git://127.0.0.1:1/x",
        "printf 'protocol=http\\nhost=127.0.0.1\\n\\n' | git credential fill",
        "git commit --allow-empty",
    ] {
        let timed_out = git(script, false).await.timed_out;
        assert!(!timed_out, "{script}");
        let armed = evil.exists();
        let _ = std::fs::remove_file(&evil);
        git("git checkout -q master || git checkout -q main", true).await;
        let disarmed = git(script, true).await;
        assert!(!evil.exists(), "{script}: {}", disarmed.text());
        // Without a terminal there is no pager either way.
        assert!(
            armed || script.contains("paginate"),
            "{script} shows nothing"
        );
    }
    assert!(git("git diff", true).await.text().contains("+b"));
}
