//! Two hundred scripts of a developer's day: none is in doubt, and few are
//! asked about. The scripts, and where they are from, are in
//! `tests/corpus/ordinary.txt`.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use bashgate::gate::{Decision, Ruling};
use bashgate_soundness::planner::{Planner, Scene};

/// How many scripts there are, and how many of them come from elsewhere.
const SCRIPTS: usize = 200;
const FROM_ELSEWHERE: usize = 100;
/// Of all scripts, so many in a hundred may be asked about.
const ASKED: usize = 30;

/// What a developer's machine has on PATH. What these programs do is nobody's
/// concern here: nothing runs.
const PROGRAMS: &str = "awk autoreconf basename bash bat bison cargo cat chmod cmake column comm cp \
    curl cut date df diff dirname docker du expr file find flask free gcc gh git go grep head id jq \
    ls make mkdir mv nm node npm npx nproc pip pnpm printf ps pwd python python3 rg rm rustup sed \
    sha256sum shasum size sleep sort stat strip tail tar tee touch tput tr tree uname uniq wc which \
    whoami xargs";

struct Line {
    number: usize,
    raw: String,
    script: String,
    from_elsewhere: bool,
}

#[test]
fn ordinary_work_is_not_in_doubt() {
    let lines = lines();
    let elsewhere = lines.iter().filter(|line| line.from_elsewhere).count();
    assert_eq!(lines.len(), SCRIPTS);
    assert!(
        elsewhere >= FROM_ELSEWHERE,
        "only {elsewhere} name a source"
    );

    let workspace = Workspace::make();
    let planner = workspace.planner();
    let not_yet = not_yet(&fs::read_to_string(corpus("ordinary-not-yet.txt")).unwrap_or_default());
    let mut problems = String::new();
    let mut asked = 0;
    for line in &lines {
        let decision = planner.explain(&line.script).unwrap();
        if decision.ruling == Ruling::Ask {
            asked += 1;
        }
        let doubted = !decision.plan.doubts.is_empty();
        println!("{}", summary(line, &decision));
        if doubted != not_yet.contains(&line.raw) {
            let what = if doubted {
                "is in doubt"
            } else {
                "is in doubt no more: take it off ordinary-not-yet.txt"
            };
            let _ = writeln!(problems, "{} {what}", summary(line, &decision));
        }
    }
    let rate = 100 * asked / lines.len();
    println!("{asked} of {} are asked about: {rate} %", lines.len());
    assert!(problems.is_empty(), "\n{problems}");
    assert!(
        100 * asked <= ASKED * lines.len(),
        "{rate} % are asked about"
    );
}

#[test]
fn the_list_only_shrinks() {
    let now = not_yet(&fs::read_to_string(corpus("ordinary-not-yet.txt")).unwrap_or_default());
    let committed = Command::new("git")
        .arg("-C")
        .arg(corpus(""))
        .args(["show", "HEAD:./ordinary-not-yet.txt"])
        .output();
    let Ok(committed) = committed else { return };
    if committed.status.success() {
        let before = not_yet(&String::from_utf8_lossy(&committed.stdout));
        let added: Vec<_> = now.difference(&before).collect();
        assert!(added.is_empty(), "new in ordinary-not-yet.txt: {added:?}");
    }
}

fn summary(line: &Line, decision: &Decision) -> String {
    let mut text = format!(
        "{:>3} {:<5} {}",
        line.number,
        decision.ruling.name(),
        line.raw
    );
    for doubt in &decision.plan.doubts {
        let _ = write!(
            text,
            "\n    doubt {}: {:?}: {}",
            doubt.kind, doubt.text, doubt.note
        );
    }
    if decision.ruling != Ruling::Allow {
        for (_, finding) in decision.reasons() {
            let _ = write!(text, "\n    {}: {}", finding.rule, finding.message);
        }
    }
    text
}

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../corpus")
        .join(name)
}

fn lines() -> Vec<Line> {
    let text = fs::read_to_string(corpus("ordinary.txt")).unwrap();
    let scripts = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    scripts
        .enumerate()
        .map(|(index, line)| {
            let (raw, source) = line.split_once('\t').unwrap_or((line, ""));
            Line {
                number: index + 1,
                raw: raw.to_owned(),
                script: unescaped(raw),
                from_elsewhere: !source.is_empty(),
            }
        })
        .collect()
}

fn unescaped(raw: &str) -> String {
    let mut script = String::new();
    let mut rest = raw.chars();
    while let Some(character) = rest.next() {
        match character {
            '\\' => match rest.next() {
                Some('n') => script.push('\n'),
                Some('t') => script.push('\t'),
                Some('\\') => script.push('\\'),
                other => panic!("`\\{other:?}` in {raw:?} stands for nothing"),
            },
            other => script.push(other),
        }
    }
    script
}

fn not_yet(text: &str) -> BTreeSet<String> {
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

/// A project as there are many, and a machine to work on it.
struct Workspace {
    folder: tempfile::TempDir,
}

impl Workspace {
    fn make() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let programs = folder.path().join("bin");
        fs::create_dir_all(&programs).unwrap();
        for name in PROGRAMS.split_whitespace() {
            symlink("/bin/true", programs.join(name)).unwrap();
        }
        let workspace = Self { folder };
        for (name, text) in FILES {
            let path = workspace.root().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        for name in ["home", "ws/.git/objects", "ws/.git/refs/heads", "ws/assets"] {
            fs::create_dir_all(workspace.folder.path().join(name)).unwrap();
        }
        workspace
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("ws")
    }

    fn planner(&self) -> Planner {
        let place = self.folder.path();
        Planner::start(&Scene {
            root: &self.root(),
            home: &place.join("home"),
            path: &place.join("bin").to_string_lossy(),
            own: &place.join("own"),
            cache: &place.join("cache"),
            set: &[],
        })
        .unwrap()
    }
}

const FILES: &[(&str, &str)] = &[
    (".git/HEAD", "ref: refs/heads/main\n"),
    (
        ".git/config",
        "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\
         [remote \"origin\"]\n\turl = https://example.org/app.git\n\
         \tfetch = +refs/heads/*:refs/remotes/origin/*\n\
         [branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n",
    ),
    (".gitignore", "target/\nnode_modules/\ndist/\n"),
    (".github/workflows/ci.yml", "name: ci\non: push\n"),
    (".env.example", "PORT=8080\n"),
    (
        "Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    ),
    ("Cargo.lock", "version = 4\n"),
    (
        "package.json",
        r#"{ "name": "app", "version": "1.0.0",
  "scripts": { "build": "tsc -p .", "test": "vitest run", "test:unit": "vitest run unit",
    "test:integration": "vitest run integration", "lint": "eslint .", "start": "node dist/index.js",
    "eclint": "eclint check '**/*'", "doctoc:check": "npm run build -- && git diff --exit-code" },
  "dependencies": { "express": "^5.0.0" } }
"#,
    ),
    ("package-lock.json", "{}\n"),
    ("Makefile", "all:\n\tcargo build\ntest:\n\tcargo test\n"),
    ("CMakeLists.txt", "project(app C)\n"),
    ("README.md", "# app\n"),
    ("CHANGELOG.md", "# 0.1.0\n"),
    ("src/main.rs", "fn main() {}\n"),
    ("src/lib.rs", "pub fn answer() -> u32 {\n    42\n}\n"),
    ("src/util.rs", "pub fn trim() {}\n"),
    ("src/index.ts", "export const answer = 42;\n"),
    ("tests/it.rs", "#[test]\nfn it() {}\n"),
    ("tests/test_app.py", "def test_app():\n    assert True\n"),
    ("data/report.csv", "a,b,c\n1,2,3\n"),
    ("logs/app.log", "started\n"),
    ("notes.txt", "one two\n"),
    ("words.txt", "one\n"),
    ("known.txt", "one\n"),
];
