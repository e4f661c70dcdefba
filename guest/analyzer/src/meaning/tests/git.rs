//! Git: what its words touch, and which keys of a repository's configuration
//! would start a program.

use crate::meaning::{Facts, meaning};

use super::{fields, told};

struct Repository {
    files: Vec<(&'static str, &'static str)>,
}

impl Facts for Repository {
    fn is_function(&self, _: &str) -> bool {
        false
    }

    fn read(&self, path: &str) -> Option<String> {
        self.files
            .iter()
            .find(|(name, _)| *name == path)
            .map(|(_, text)| (*text).to_owned())
    }

    fn exists(&self, path: &str) -> bool {
        self.files
            .iter()
            .any(|(name, _)| *name == path || name.starts_with(&format!("{path}/")))
    }

    fn real(&self, directory: &str) -> Option<String> {
        let real = format!("/a/b/{directory}");
        Some(real.trim_end_matches('/').to_owned())
    }
}

fn runs(words: &str, files: Vec<(&'static str, &'static str)>) -> Option<String> {
    meaning(&fields(words), &Repository { files }).git_runs
}

#[test]
fn keys_that_a_verb_would_start() {
    let filter = "[filter \"f\"]\n\tclean = touch M;cat\n";
    let conv = "[diff \"conv\"]\n\ttextconv = touch M\n";
    let plain = "[core]\n\tbare = false\n\tfsmonitor = touch M\n\tpager = x\n[user]\n\tname = a\n";
    let external = "[diff]\n\texternal = x\n";
    let alias = "[alias]\n\tst = !touch M\n";
    let include = "[include]\n\tpath = ../x\n";
    let merge = "[merge \"m\"]\n\tdriver = x\n";
    let gpg = "[gpg]\n\tprogram = x\n";
    let remote = "[remote \"o\"]\n\turl = ext::sh\n";
    let cases: &[(&str, &'static str, Option<&str>)] = &[
        ("git status", filter, Some("filter.f.clean")),
        ("git status", plain, None),
        ("git status", conv, None),
        ("git diff", conv, Some("diff.conv.textconv")),
        ("git diff", plain, None),
        ("git diff", external, Some("diff.external")),
        ("git status", external, None),
        ("git log -p -1", conv, Some("diff.conv.textconv")),
        ("git log -1 --oneline", conv, None),
        ("git log $x", conv, Some("diff.conv.textconv")),
        ("git show", conv, Some("diff.conv.textconv")),
        ("git blame f", conv, Some("diff.conv.textconv")),
        ("git add .", filter, Some("filter.f.clean")),
        ("git commit -m x", filter, Some("filter.f.clean")),
        ("git rev-parse HEAD", filter, None),
        ("git branch --list", filter, None),
        ("git st", alias, Some("alias.st")),
        ("git status", alias, None),
        ("git status", include, Some("include.path")),
        ("git rev-parse HEAD", include, None),
        ("git merge x", merge, Some("merge.m.driver")),
        ("git commit -m x", gpg, None),
        ("git commit -S -m x", gpg, Some("gpg.program")),
        ("git fetch", remote, Some("remote.o.url")),
        ("git log", remote, None),
    ];
    for (words, config, wanted) in cases {
        assert_eq!(
            runs(words, vec![(".git/config", config)]).as_deref(),
            *wanted,
            "{words}\n{config}"
        );
    }
}

#[test]
fn finds_the_repository() {
    let filter = "[filter \"f\"]\n\tclean = x\n";
    let found = Some("filter.f.clean".to_owned());
    assert_eq!(runs("git status", vec![("/a/.git/config", filter)]), found);
    assert_eq!(
        runs("git -C sub status", vec![("sub/.git/config", filter)]),
        found
    );
    assert_eq!(
        runs("git -C sub status", vec![("/a/b/.git/config", filter)]),
        found
    );
    let linked = vec![
        (".git", "gitdir: /r/.git/worktrees/w\n"),
        ("/r/.git/worktrees/w/commondir", "../..\n"),
        ("/r/.git/worktrees/w/../../config", filter),
    ];
    assert_eq!(runs("git status", linked), found);
    let unreadable = Some("a configuration that cannot be read".to_owned());
    assert_eq!(runs("git status", vec![(".git", "x")]), unreadable);
    let unknown = Some("a repository that only running can tell".to_owned());
    assert_eq!(runs("git -C $x status", vec![]), unknown);
    assert_eq!(runs("git diff --no-index a b", vec![]), None);
    let modules = (".gitmodules", "[submodule \"m\"]\n\tpath = lib/m\n");
    let inner = "[core]\n\tworktree = ../../../lib/m\n\tfsmonitor = x\n";
    let submodule = vec![
        (".git/config", ""),
        modules,
        ("lib/m/.git", "gitdir: ../../.git/modules/m\n"),
        ("lib/m/../../.git/modules/m/config", inner),
    ];
    let found = Some("core.fsmonitor of the submodule lib/m".to_owned());
    assert_eq!(runs("git status", submodule.clone()), found);
    assert_eq!(runs("git log", submodule), None);
    assert_eq!(runs("git status", vec![(".git/config", ""), modules]), None);
}

struct Nowhere;

impl Facts for Nowhere {
    fn is_function(&self, _: &str) -> bool {
        false
    }

    fn read(&self, _: &str) -> Option<String> {
        None
    }

    fn exists(&self, path: &str) -> bool {
        path == "../OUT/."
    }

    fn real(&self, _: &str) -> Option<String> {
        Some(String::from("/w"))
    }
}

#[test]
fn words() {
    let cases = [
        ("git diff --output=M", "write M"),
        ("git diff --outp=M", "write M"),
        ("git diff --output=.git/config", "write .git/config"),
        ("git log --output M", "write M"),
        ("git show --ext-diff", "execute ?"),
        ("git grep -O'touch M;:' x", "execute ?"),
        ("git grep -O x", "execute ?"),
        ("git grep x -- sub", "read sub"),
        ("git grep -f /etc/x", "read /etc/x"),
        ("git -C ../OUT status", "enter ../OUT"),
        (
            "git -C sub -C .. add x",
            "enter sub/..; enter sub/..; read x from sub/..",
        ),
        ("git -c core.pager=x log", "ends allow"),
        ("git --config-env a=b log", "ends allow"),
        ("git -p status", "ends allow"),
        ("git --exec-path=/x log", "execute /x; ends allow"),
        ("git log -p -1", ""),
        ("git log -c", ""),
        ("git worktree add ../OUT/w", "write ../OUT/w"),
        ("git worktree add -b x ../OUT/w main", "write ../OUT/w"),
        ("git worktree remove w", "delete w"),
        ("git checkout .", "write ./*"),
        ("git checkout -- f", "write f"),
        ("git restore -s x f", "write f"),
        ("git rm -r .", "delete ./*"),
        ("git clean -fd", "delete ./*"),
        ("git clean -n", ""),
        ("git mv a b", "delete a; write b"),
        ("git config user.name x", ""),
        ("git config core.pager x", "write .git/config"),
        ("git config --global alias.st status", "write .git/config"),
        ("git config --get core.pager", ""),
        ("git config core.pager", ""),
        ("git config --list", ""),
        ("git config --unset core.editor", "write .git/config"),
        ("git config --remove-section filter.x", "write .git/config"),
        ("git config -f /x/y a.b c", "write /x/y"),
        ("git config -f x --list", "read x"),
        ("git config --edit", "write .git/config"),
        ("git config set core.hooksPath x", "write .git/config"),
        ("git config get core.hooksPath", ""),
        ("git config $x y", "write ?"),
        (
            "git -C sub config core.pager x",
            "enter sub; write .git/config from sub",
        ),
        ("git remote set-url origin x", ""),
        ("git remote add o ../OUT", "other ../OUT"),
        (
            "git clone https://x/y ../OUT/z",
            "connect ?; write ../OUT/z",
        ),
        ("git clone ext::sh z", "execute ?; write z; connect ?"),
        ("git clone git@h:x/y.git", "connect ?"),
        ("git clone ../OUT/r z", "other ../OUT/r; write z; connect ?"),
        ("git push origin main", "connect ?"),
        ("git push --receive-pack=x origin", "execute ?; connect ?"),
        ("git fetch --upload-pack ./x", "execute ./x; connect ?"),
        ("git archive -o x.tar HEAD", "write x.tar"),
        ("git bundle create ../x HEAD", "write ../x"),
        ("git apply p.diff", "read p.diff"),
        ("git commit -m x", ""),
        ("git commit -F /etc/x", "read /etc/x"),
        ("git commit -m 'a/b ../c'", ""),
        ("git tag v1", ""),
        ("git branch -D x/y", ""),
        ("git bisect run touch M", "runs 3"),
        (
            "git submodule foreach 'touch M'",
            "script <touch M>; doubt unknown-workdir",
        ),
        ("git rebase -x 'touch M' main", "execute ?"),
        ("git difftool", "execute ?"),
        ("git init .", "write ./*"),
        ("git format-patch -o ../OUT -1", "write ../OUT/*"),
        ("git frob ../x", "other ../x"),
        ("git blame --contents ../x f", "read ../x; read f"),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(words, wanted)| {
            let found = told(&meaning(&fields(words), &Nowhere));
            (found != *wanted).then(|| format!("{words}\n  wanted {wanted}\n  found  {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
