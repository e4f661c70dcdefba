//! What both benchmarks start from: a warm host in a workspace of its own.

use std::path::Path;
use std::time::{Duration, Instant};

use bashgate::{Host, Session};

/// `git status`, a 100-byte pipeline, a 300-byte compound, a 9 KB script.
pub fn scripts() -> [(&'static str, String); 4] {
    let pipeline = String::from(
        "grep -rn 'fn main' --include='*.rs' src tests | sort -k2 | uniq -c | head -n 20 && echo \"done: $?\"",
    );
    let compound = String::from(
        "set -e\ncd src && for f in *.rs; do\n  if grep -q 'fn main' \"$f\"; then\n    \
         echo \"$f: $(wc -l < \"$f\")\" >> ../target/lines.txt\n  else\n    cargo fmt --check -- \"$f\" || \
         { echo \"not formatted: $f\" >&2; exit 1; }\n  fi\ndone\n\
         sort -n ../target/lines.txt | tail -n 5\ngit diff --stat HEAD~1 -- . && git log --oneline -n 3\n",
    );
    let line = "if [ -f src/main.rs ]; then grep -c fn src/main.rs | sort -n | head -n 3; fi\n";
    let long = line.repeat(9 * 1024 / line.len());
    [
        ("git status", "git status".into()),
        ("100-byte pipeline", pipeline),
        ("300-byte compound", compound),
        ("9 KB script", long),
    ]
}

/// A host with its guests in snapshots, and a session of it. `folder` takes
/// its caches and records.
pub async fn warm_session(folder: &Path) -> Result<(Host, Session), Box<dyn std::error::Error>> {
    let root = folder.join("ws");
    std::fs::create_dir_all(root.join("src"))?;
    std::fs::write(root.join("src/main.rs"), "fn main() {}\n")?;
    let mut environment: bashgate::config::Environment = std::env::vars_os().collect();
    // Start-up files of whoever runs this are not what is measured.
    environment.insert("HOME".into(), folder.into());
    for name in ["CONFIG", "CACHE", "DATA", "STATE"] {
        environment.insert(format!("XDG_{name}_HOME").into(), folder.join(name).into());
    }
    let builder = Host::builder().root(&root).environment(environment);
    let host = builder.start().await?;
    let began = Instant::now();
    while !host.guests().is_warm() && began.elapsed() < Duration::from_secs(120) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    if !host.guests().is_warm() {
        return Err("the guests do not start from snapshots in a pool".into());
    }
    let session = host.session().open()?;
    Ok((host, session))
}
