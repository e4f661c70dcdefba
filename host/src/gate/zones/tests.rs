use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;
use std::time::{Duration, Instant};

use super::*;
use crate::settings::Guarded;

/// A machine in a temporary directory: `work` is the root, `home`, `tmp`,
/// `data` beside it.
struct Machine {
    _folder: tempfile::TempDir,
    base: PathBuf,
    places: Places,
    protected: Vec<Protected>,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        for name in [
            "work/.git/hooks",
            "work/src/deep",
            "work/vendor/lib/.git",
            "work-other",
            "home/.ssh",
            "home/plain",
            "tmp",
            "data/tool-output/mine",
            "data/tool-output/theirs",
            "other",
        ] {
            fs::create_dir_all(base.join(name)).unwrap();
        }
        for name in ["work/src/a.rs", "work/.git/config", "other/secret", "tmp/t"] {
            fs::write(base.join(name), name).unwrap();
        }
        let places = Places {
            root: base.join("work"),
            home: base.join("home"),
            cwd: base.join("work"),
            config: base.join("config"),
            cache: base.join("cache"),
            data: base.join("data"),
            state: base.join("state"),
            temporary: vec![base.join("tmp")],
        };
        let path = |pattern: &str, at: &str, own| Protected {
            pattern: pattern.to_owned(),
            own,
            guarded: Guarded::Path(base.join(at)),
        };
        let protected = vec![
            Protected {
                pattern: ".git".to_owned(),
                own: false,
                guarded: Guarded::Name(".git".into()),
            },
            path("~/.ssh", "home/.ssh", false),
            path("~/keys", "home/keys", false),
            path("~/.later", "home/.later", false),
            path("own data", "data", true),
        ];
        Self {
            _folder: folder,
            base,
            places,
            protected,
        }
    }

    fn zones(&self) -> Zones {
        let artifacts = self.base.join("data/tool-output/mine");
        Zones::new(&self.places, &self.protected, Some(&artifacts))
    }

    fn link(&self, at: &str, target: &str) {
        let target = target.replace('@', self.base.to_str().unwrap());
        symlink(target, self.base.join(at)).unwrap();
    }

    /// `path zone exists rule`, the base as `@`.
    fn line(&self, located: &Located) -> String {
        let base = self.base.to_str().unwrap();
        let rule = located.rule.as_deref().unwrap_or("-").replace(base, "@");
        let path = located.path.to_str().unwrap().replace(base, "@");
        let exists = if located.exists { "there" } else { "missing" };
        format!("{path} {:?} {exists} {rule}", located.zone)
    }

    fn check(&self, cases: &[(&str, &str)]) {
        let zones = self.zones();
        for (path, expected) in cases {
            let written = path.replace('@', self.base.to_str().unwrap());
            let located = zones.locate(
                &mut Kinds::default(),
                &self.base.join("work/src"),
                written.as_ref(),
            );
            assert_eq!(self.line(&located), *expected, "{path}");
        }
    }
}

#[test]
fn zones_by_place() {
    let machine = Machine::new();
    machine.check(&[
        ("/dev/null", "/dev/null Harmless there -"),
        ("/dev//null", "/dev/null Harmless there -"),
        ("/dev/fd/63", "/dev/fd/63 Harmless there -"),
        ("/dev/stdout", "/dev/stdout Harmless there -"),
        ("/dev/zero", "/dev/zero Outside there -"),
        ("a.rs", "@/work/src/a.rs Workspace there -"),
        ("deep", "@/work/src/deep Workspace there -"),
        ("new/er", "@/work/src/new/er Workspace missing -"),
        ("./deep//../a.rs", "@/work/src/a.rs Workspace there -"),
        (
            "new/../../../other/secret",
            "@/other/secret Outside there -",
        ),
        ("a.rs/../a.rs", "@/work/src/a.rs Workspace there -"),
        ("@/work-other/x", "@/work-other/x Outside missing -"),
        ("@/tmp/t", "@/tmp/t Temporary there -"),
        ("@/tmp", "@/tmp Temporary there -"),
        ("@/other", "@/other Outside there -"),
        ("@/home/plain", "@/home/plain Outside there -"),
        ("/../..", "/ Outside there contains @/work/.git"),
    ]);
}

#[test]
fn protected_paths_and_what_contains_them() {
    let machine = Machine::new();
    fs::create_dir(machine.base.join("keys")).unwrap();
    machine.link("home/keys", "@/keys");
    machine.link("work/src/git", "../.git");
    machine.link("home/.ssh/to-work", "@/work/src");
    machine.check(&[
        ("../.git", "@/work/.git Protected there .git"),
        ("../.git/config", "@/work/.git/config Protected there .git"),
        (
            "../vendor/lib/.git/x",
            "@/work/vendor/lib/.git/x Protected missing .git",
        ),
        ("new/.git", "@/work/src/new/.git Protected missing .git"),
        (".gitignore", "@/work/src/.gitignore Workspace missing -"),
        ("git/config", "@/work/.git/config Protected there .git"),
        ("@/other/.git", "@/other/.git Outside missing -"),
        ("..", "@/work Workspace there contains @/work/.git"),
        (
            "../vendor/lib",
            "@/work/vendor/lib Workspace there contains @/work/vendor/lib/.git",
        ),
        ("@/home", "@/home Outside there contains @/home/.ssh"),
        ("@/home/.ssh/id", "@/home/.ssh/id Protected missing ~/.ssh"),
        ("@/home/.later", "@/home/.later Protected missing ~/.later"),
        // By the link, and by what it leads to.
        ("@/home/keys", "@/keys Protected there ~/keys"),
        ("@/keys/x", "@/keys/x Protected missing ~/keys"),
        // A protected folder is on the way.
        (
            "@/home/.ssh/to-work/a.rs",
            "@/work/src/a.rs Protected there ~/.ssh",
        ),
        // The session's own artifacts alone are carved out.
        (
            "@/data/tool-output/mine/x",
            "@/data/tool-output/mine/x Artifact missing -",
        ),
        (
            "@/data/tool-output/mine",
            "@/data/tool-output/mine Artifact there -",
        ),
        (
            "@/data/tool-output/theirs/x",
            "@/data/tool-output/theirs/x Protected missing own data",
        ),
        (
            "@/data/tool-output",
            "@/data/tool-output Protected there own data",
        ),
    ]);
    // One made after the zones were.
    let zones = machine.zones();
    machine.link("home/.later", "@/other");
    let located = zones.locate(
        &mut Kinds::default(),
        &machine.base,
        "home/.later/secret".as_ref(),
    );
    assert_eq!(
        machine.line(&located),
        "@/other/secret Protected there ~/.later"
    );
}

#[test]
fn links() {
    let machine = Machine::new();
    machine.link("work/src/out", "@/other");
    machine.link("work/src/file", "../../other/secret");
    machine.link("work/src/gone", "../../other/gone");
    machine.link("work/src/twice", "out");
    machine.link("work/src/loop", "loop");
    machine.link("tmp/into", "@/work/src/a.rs");
    machine.link("tmp/dir", "@/work/src");
    machine.link("work/src/null", "/dev/null");
    machine.link("work/src/self", "/proc/self");
    machine.check(&[
        ("out/secret", "@/other/secret Outside there -"),
        ("out/../tmp/t", "@/tmp/t Temporary there -"),
        ("out/new/x", "@/other/new/x Outside missing -"),
        ("file", "@/other/secret Outside there -"),
        ("gone", "@/other/gone Outside missing -"),
        ("twice/secret", "@/other/secret Outside there -"),
        ("loop", "@/work/src/loop Outside there -"),
        ("loop/x", "@/work/src/loop/x Outside missing -"),
        // Removing it changes a temporary directory.
        ("@/tmp/into", "@/tmp/into Temporary there -"),
        ("@/tmp/dir/a.rs", "@/work/src/a.rs Workspace there -"),
        ("null", "@/work/src/null Workspace there -"),
        ("missing/../out/secret", "@/other/secret Outside there -"),
        ("/proc/self/cwd/a.rs", "@/work/src/a.rs Workspace there -"),
        ("self/cwd/../.git", "@/work/.git Protected there .git"),
        ("/proc/self/root/dev/null", "/dev/null Harmless there -"),
        ("/proc/self/exe", "/proc/self/exe Outside there -"),
        ("/proc/1/cwd", "/proc/1/cwd Outside there -"),
        ("/proc/self/fd/0", "/proc/self/fd/0 Outside there -"),
        (
            "/proc/1/../self/cwd/a.rs",
            "/proc/self/cwd/a.rs Outside missing -",
        ),
        (
            "/proc/1/../self/status",
            "/proc/self/status Outside there -",
        ),
    ]);
    // The directory that a command starts in is no link, however it is named.
    let located = machine.zones().locate(
        &mut Kinds::default(),
        &machine.base.join("tmp/dir"),
        ".".as_ref(),
    );
    assert_eq!(machine.line(&located), "@/work/src Workspace there -");
}

#[test]
fn hostile_paths_end() {
    let machine = Machine::new();
    let chain = |from: usize, to: &str| machine.link(&format!("work/src/l{from}"), to);
    chain(0, "a.rs");
    for link in 1..=40 {
        chain(link, &format!("l{}", link - 1));
    }
    let long = "d/".repeat(1500);
    let zones = machine.zones();
    let zone = |path: &str| {
        zones.locate(
            &mut Kinds::default(),
            &machine.base.join("work/src"),
            path.as_ref(),
        )
    };
    assert_eq!(
        machine.line(&zone("l39")),
        "@/work/src/a.rs Workspace there -"
    );
    assert_eq!(zone("l40").zone, Zone::Outside);
    assert_eq!(zone(&long).zone, Zone::Workspace);
    assert_eq!(zone(&"d/".repeat(3000)).zone, Zone::Outside);
    assert_eq!(zone(&"x".repeat(300)).zone, Zone::Outside);
    assert_eq!(zone("a\0b").zone, Zone::Outside);
    // Each of them doubles what is left to follow.
    let name = "y/".repeat(1000);
    for link in 0..39 {
        machine.link(
            &format!("work/src/m{link}"),
            &format!("./{name}../m{}", link + 1),
        );
    }
    zone("m0");
}

#[test]
fn a_root_below_a_temporary_directory_is_the_workspace() {
    let mut machine = Machine::new();
    machine.places.temporary = vec![machine.base.clone(), "/".into(), machine.base.join("work")];
    machine.check(&[
        ("a.rs", "@/work/src/a.rs Workspace there -"),
        // It holds the home, so it is none.
        ("@/other", "@/other Outside there -"),
    ]);
    machine.places.home = "/nowhere".into();
    machine.check(&[
        ("a.rs", "@/work/src/a.rs Workspace there -"),
        ("@/other", "@/other Temporary there -"),
        ("/usr", "/usr Outside there -"),
    ]);
}

#[test]
fn programs() {
    let machine = Machine::new();
    let base = machine.base.to_str().unwrap().to_owned();
    for (name, mode) in [
        ("other/tool", 0o755),
        ("other/plain", 0o644),
        ("home/plain/plain", 0o755),
        ("work/src/run", 0o755),
    ] {
        fs::write(machine.base.join(name), "").unwrap();
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(machine.base.join(name), mode).unwrap();
    }
    fs::create_dir(machine.base.join("other/folder")).unwrap();
    machine.link("work/src/linked", "@/other/tool");
    machine.link("other/inside", "@/work/src/run");
    let zones = machine.zones();
    let path = format!(":.:deep/..:{base}/other::{base}/home/plain:{base}/work/src");
    let cases = [
        ("tool", Some("@/other/tool Outside there -")),
        ("plain", Some("@/home/plain/plain Outside there -")),
        ("folder", None),
        ("run", Some("@/work/src/run Workspace there -")),
        // What runs is what the link leads to.
        ("inside", Some("@/work/src/run Workspace there -")),
        ("linked", Some("@/other/tool Outside there -")),
        ("./run", Some("@/work/src/run Workspace there -")),
        ("./new", Some("@/work/src/new Workspace missing -")),
        ("nothing", None),
        ("", None),
    ];
    for (program, expected) in cases {
        let workdir = machine.base.join("work/src");
        let found = zones.which(
            &mut Kinds::default(),
            &workdir,
            program.as_ref(),
            path.as_ref(),
        );
        let line = found.map(|located| machine.line(&located));
        assert_eq!(line.as_deref(), expected, "{program}");
    }
}

#[test]
fn texts() {
    let machine = Machine::new();
    let work = machine.base.join("work");
    machine.link("work/out", "@/other/secret");
    machine.link("work/in", "src/a.rs");
    fs::write(work.join("full"), "x".repeat(64 * 1024)).unwrap();
    fs::write(work.join("over"), "x".repeat(64 * 1024 + 1)).unwrap();
    fs::write(work.join("bytes"), b"\xff").unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, work.join("fifo"), 0o600.into()).unwrap();
    let zones = machine.zones();
    let length = |path: &str| {
        zones
            .read(&mut Kinds::default(), &work, path.as_ref())
            .map(|text| text.len())
    };
    for (path, expected) in [
        ("src/a.rs", Some(13)),
        ("in", Some(13)),
        (".git/config", Some(16)),
        ("/proc/self/cwd/in", Some(13)),
        ("full", Some(64 * 1024)),
        ("over", None),
        ("bytes", None),
        ("fifo", None),
        ("src", None),
        ("out", None),
        ("missing", None),
        ("../other/secret", None),
        ("/proc/self/environ", None),
        ("/proc/1/../../src/a.rs", None),
    ] {
        assert_eq!(length(path), expected, "{path}");
    }
}

/// However slow the machine is.
fn expand(folder: &Path, pattern: &str, limit: usize) -> Option<Vec<String>> {
    let deadline = Instant::now() + Duration::from_secs(60);
    glob::expand_until(deadline, folder, pattern, limit)
}

/// Names that patterns meet.
const NAMES: &[&str] = &[
    "a",
    "b",
    "ab",
    "abc",
    "a.rs",
    "b.rs",
    "B.rs",
    "a-b",
    "a]b",
    "a[b",
    "a b",
    "a*b",
    "a?b",
    "a\\b",
    "]",
    "-",
    "^",
    "!",
    "9",
    "_x",
    "x.tar.gz",
    ".hid",
    ".hid.rs",
    "..odd",
    "[x",
    "[ab]",
    "~",
    "A1",
    "d1/a.rs",
    "d1/.hid",
    "d1/sub/a.rs",
    "d1/sub/b.txt",
    "d2/b.rs",
    "d2/sub/c.rs",
    ".dot/a.rs",
    "d 3/a.rs",
];

/// Patterns for which a bash is the authority.
const PATTERNS: &[&str] = &[
    "*",
    "?",
    "??",
    "*.rs",
    "*.RS",
    "[ab].rs",
    "[a-c]*",
    "[!a]*",
    "[^a]*",
    "[]]",
    "[]a]*",
    "a[]]b",
    "[a-]*",
    "[-a]*",
    "[!]a]*",
    "a[[]b",
    "a[b",
    "[x*",
    "a\\*b",
    "a\\?*",
    "a\\ *",
    "a\\\\*",
    "\\a*",
    "a[\\]]b",
    "a[\\*?]b",
    "[[:digit:]]*",
    "[[:upper:]]*",
    "[[:alpha:][:digit:]]",
    "[![:alnum:]]*",
    "[[:punct:]]*",
    "[_[:space:]]*",
    "a[[:blank:]]b",
    ".h*",
    ".[!.]*",
    "..o*",
    "[.]*",
    "*/",
    "d*/",
    "*/*",
    "*/a.rs",
    "d?/sub/*",
    "d*/sub",
    "d1/*",
    "./d1/*",
    "d1//*",
    "d*//a.rs",
    "d*///*",
    "*/.h*",
    "d1/../*.rs",
    ".dot/*",
    ".d*/*",
    "@/d1/*",
    "@//d?/*.rs",
    "*zzz*",
    "zzz/*",
    "a.rs/*",
    "*/*/*",
    "**",
    "*a*b*",
    "x.*.*",
    "*[*",
    "d\\ 3/*",
    "link/*",
    "li*",
    "dead*",
    "*/sub/",
    "links/*",
    "[a-a]",
    "[[:xdigit:]-]",
    "[\\a-c]",
    "d1\\/*",
    "d*\\/a.rs",
    "d1\\\\/*",
    "*\\/",
    "[d]1/a.rs",
    "~*",
    "[!-~]",
    "a[!b]b",
    "[a/b]*",
    "*/nothing",
];

#[test]
fn wildcards_as_bash_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    for name in NAMES {
        let path = base.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    symlink("d1", base.join("link")).unwrap();
    symlink("nowhere", base.join("dead")).unwrap();
    for pattern in PATTERNS {
        let pattern = pattern.replace('@', base.to_str().unwrap());
        let ours = expand(&base, &pattern, 1000);
        assert_eq!(ours, Some(bash(&base, &pattern)), "{pattern}");
    }
}

/// What bash puts in a pattern's place.
fn bash(folder: &Path, pattern: &str) -> Vec<String> {
    let output = Command::new("bash")
        .args(["--norc", "-c"])
        .arg(format!("shopt -s nullglob; printf '%s\\0' {pattern}"))
        .current_dir(folder)
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let words = text.split('\0').filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

#[test]
fn wildcards_that_cannot_be_told() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    for name in ["é", "aé", "ab", "b"] {
        fs::write(base.join(name), "").unwrap();
    }
    let expand = |pattern: &str| super::tests::expand(base, pattern, 4);
    for pattern in [
        "[[.a.]]",
        "[[=a=]]",
        "[[:nope:]]",
        "[z-a]",
        "[é]*",
        "[a-[:digit:]]",
        "?",
        "a?",
        "[!a]",
        "[[:alpha:]]*",
        ".*",
        ".?",
        "a\0*",
        "/proc/self/fd/*",
        "/proc/1/*",
    ] {
        assert_eq!(expand(pattern), None, "{pattern}");
    }
    // Both readings agree.
    assert_eq!(expand("*").map(|found| found.len()), Some(4));
    assert_eq!(expand("*é").map(|found| found.len()), Some(2));
    assert_eq!(expand("????"), Some(vec![]));
    // `/proc/self/cwd` is the folder of the command, not of this process.
    assert_eq!(
        expand("/proc/self/cwd/*b"),
        Some(vec![
            "/proc/self/cwd/ab".to_owned(),
            "/proc/self/cwd/b".to_owned()
        ])
    );
    use std::os::unix::ffi::OsStrExt;
    fs::write(base.join(OsStr::from_bytes(b"\xff")), "").unwrap();
    assert_eq!(expand("a*"), None);
}

#[test]
fn limits() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    for name in ["a", "b", "c"] {
        fs::write(base.join(name), "").unwrap();
    }
    let found = |limit| expand(base, "*", limit).map(|found| found.len());
    assert_eq!(found(3), Some(3));
    assert_eq!(found(2), None);
    assert_eq!(expand(base, &"?".repeat(5000), 3), None);
    assert_eq!(glob::expand_until(Instant::now(), base, "*", 3), None);
}

#[test]
fn a_pattern_that_backtracks_ends() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a".repeat(250)), "").unwrap();
    let pattern = format!("{}b", "*a".repeat(200));
    assert_eq!(expand(folder.path(), &pattern, 3), Some(vec![]));
}

#[test]
fn many_entries_are_too_many() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..=16_384 {
        fs::write(folder.path().join(number.to_string()), "").unwrap();
    }
    assert_eq!(expand(folder.path(), "nothing*", 3), None);
}
