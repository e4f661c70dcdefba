//! Servers and watchers: what runs until somebody stops it, started in the
//! foreground. It would hold the call until the timeout; as a job it can be
//! read and stopped.

use crate::command::{Command, literal};
use crate::replacement::Replacement;

/// A form of a program that never ends.
struct Server {
    program: &'static str,
    /// Words that must stand among the operands, first and in this order.
    operands: &'static [&'static str],
    /// One of these must be there, unless there are none.
    needs: &'static [&'static str],
    /// Any of these makes it end.
    ends: &'static [&'static str],
}

const fn server(
    program: &'static str,
    operands: &'static [&'static str],
    needs: &'static [&'static str],
    ends: &'static [&'static str],
) -> Server {
    Server {
        program,
        operands,
        needs,
        ends,
    }
}

/// With these, any program says something and ends.
const ALWAYS_ENDS: &[&str] = &["--help", "-h", "--version"];

/// Programs that start the program that follows.
const RUNNERS: &[(&str, &[&str])] = &[
    ("bun", &["x"]),
    ("bundle", &["exec"]),
    ("bunx", &[]),
    ("hatch", &["run"]),
    ("npm", &["exec"]),
    ("npx", &[]),
    ("pdm", &["run"]),
    ("pipenv", &["run"]),
    ("pnpm", &["dlx"]),
    ("pnpm", &["exec"]),
    ("pnpx", &[]),
    ("poetry", &["run"]),
    ("python", &["-m"]),
    ("python3", &["-m"]),
    ("rye", &["run"]),
    ("uv", &["run"]),
    ("uvx", &[]),
    ("yarn", &["dlx"]),
    ("yarn", &["exec"]),
];
/// Runners may stand in one another: `uv run python -m http.server`.
const MAX_RUNNERS: usize = 4;

/// Package managers that run a script of the project, and whether the word
/// `run` may be left out.
const SCRIPT_RUNNERS: &[(&str, bool)] = &[
    ("bun", false),
    ("npm", false),
    ("pnpm", true),
    ("yarn", true),
];
/// Of these a script's name is made, or it is one of its parts by `:`.
const SCRIPT_NAMES: &[&str] = &["dev", "develop", "serve", "start", "storybook", "watch"];

/// Options before a subcommand whose value is the next word.
const VALUED: &[(&[&str], &[&str])] = &[
    (
        &["docker", "docker-compose", "podman", "podman-compose"],
        &[
            "--context",
            "--env-file",
            "--file",
            "--host",
            "--profile",
            "--project-directory",
            "--project-name",
            "-H",
            "-c",
            "-f",
            "-p",
        ],
    ),
    (
        &["kubectl"],
        &["--context", "--kubeconfig", "--namespace", "-n"],
    ),
    (&["npm"], &["--prefix", "--workspace", "-C", "-w"]),
    (&["pnpm"], &["--dir", "--filter", "-C", "-F"]),
    (&["yarn", "bun"], &["--cwd"]),
    (&["flask"], &["--app", "--env-file", "-A", "-e"]),
];

const WATCH: &[&str] = &["--watch", "-w"];

/// Sorted by program, so that a program's forms are found by halving.
const SERVERS: &[Server] = &[
    server("air", &[], &[], &["init", "-v"]),
    server("artisan", &["serve"], &[], &[]),
    server("astro", &["dev"], &[], &[]),
    server("astro", &["preview"], &[], &[]),
    server("ava", &[], WATCH, &[]),
    server("bacon", &[], &[], &["--init", "--list-jobs"]),
    server("browser-sync", &["start"], &[], &[]),
    server("bun", &[], &["--hot", "--watch"], &[]),
    server("caddy", &["run"], &[], &[]),
    server("cargo", &["leptos", "serve"], &[], &[]),
    server("cargo", &["leptos", "watch"], &[], &[]),
    server("cargo", &["watch"], &[], &[]),
    server(
        "celery",
        &[],
        &["worker", "beat", "flower"],
        &["inspect", "--detach", "-D"],
    ),
    server("chokidar", &[], &[], &[]),
    server(
        "cloudflared",
        &["tunnel"],
        &[],
        &["list", "create", "delete", "login"],
    ),
    server(
        "code-server",
        &[],
        &[],
        &["--install-extension", "--list-extensions"],
    ),
    server("daphne", &[], &[], &[]),
    server("deno", &[], &["--watch", "--watch-hmr"], &[]),
    server("deno", &["serve"], &[], &[]),
    server("django-admin", &["runserver"], &[], &[]),
    server("dmesg", &[], &["-w", "-W", "--follow"], &[]),
    server("docker", &["attach"], &[], &[]),
    server("docker", &["compose", "logs"], &["-f", "--follow"], &[]),
    server(
        "docker",
        &["compose", "up"],
        &[],
        &["-d", "--detach", "--wait", "--no-start"],
    ),
    server("docker", &["compose", "watch"], &[], &[]),
    server("docker", &["events"], &[], &["--until"]),
    server("docker", &["logs"], &["-f", "--follow"], &[]),
    server("docker", &["stats"], &[], &["--no-stream"]),
    server("docker-compose", &["logs"], &["-f", "--follow"], &[]),
    server(
        "docker-compose",
        &["up"],
        &[],
        &["-d", "--detach", "--wait", "--no-start"],
    ),
    server("dotnet", &["watch"], &[], &["--list"]),
    server("dx", &["serve"], &[], &[]),
    server("eleventy", &[], &["--serve", "--watch"], &[]),
    server("esbuild", &[], &["--watch", "--serve"], &[]),
    server("expo", &["start"], &[], &[]),
    server("fastapi", &["dev"], &[], &[]),
    server("fastapi", &["run"], &[], &[]),
    server("firebase", &["emulators:start"], &[], &[]),
    server("firebase", &["serve"], &[], &[]),
    server("flask", &["run"], &[], &[]),
    server("fswatch", &[], &[], &["-1", "--one-event"]),
    server("gatsby", &["develop"], &[], &[]),
    server("gatsby", &["serve"], &[], &[]),
    server("gradle", &[], &["bootRun", "-t", "--continuous"], &[]),
    server("gradlew", &[], &["bootRun", "-t", "--continuous"], &[]),
    server("guard", &[], &[], &["init", "list"]),
    server("gunicorn", &[], &[], &["-D", "--daemon", "--check-config"]),
    server("http-server", &[], &[], &[]),
    server("http.server", &[], &[], &[]),
    server("hugo", &["server"], &[], &[]),
    server("hugo", &["serve"], &[], &[]),
    server("hypercorn", &[], &[], &[]),
    server(
        "inotifywait",
        &[],
        &["-m", "--monitor"],
        &["-d", "--daemon"],
    ),
    server("jekyll", &["build"], WATCH, &[]),
    server("jekyll", &["serve"], &[], &["--detach"]),
    server("jest", &[], &["--watch", "--watchAll"], &[]),
    server("journalctl", &[], &["-f", "--follow"], &[]),
    server("json-server", &[], &[], &[]),
    server(
        "jupyter",
        &["lab"],
        &[],
        &["list", "stop", "--generate-config"],
    ),
    server(
        "jupyter",
        &["notebook"],
        &[],
        &["list", "stop", "--generate-config"],
    ),
    server("karma", &["start"], &[], &["--single-run"]),
    server("kubectl", &["get"], WATCH, &[]),
    server("kubectl", &["logs"], &["-f", "--follow"], &[]),
    server("kubectl", &["port-forward"], &[], &[]),
    server("kubectl", &["proxy"], &[], &[]),
    server("less", &[], &["+F"], &[]),
    server("live-server", &[], &[], &[]),
    server("manage.py", &["runserver"], &[], &[]),
    server("mdbook", &["serve"], &[], &[]),
    server("mdbook", &["watch"], &[], &[]),
    server("minikube", &["dashboard"], &[], &["--url"]),
    server("minikube", &["tunnel"], &[], &[]),
    server("minio", &["server"], &[], &[]),
    server("mix", &["phx.server"], &[], &[]),
    server("mkdocs", &["serve"], &[], &[]),
    server("mocha", &[], WATCH, &[]),
    server("mongod", &[], &[], &["--fork", "--shutdown"]),
    server("mvn", &[], &["spring-boot:run", "quarkus:dev"], &[]),
    server("mvnw", &[], &["spring-boot:run", "quarkus:dev"], &[]),
    server("netlify", &["dev"], &[], &[]),
    server("next", &["dev"], &[], &[]),
    server("next", &["start"], &[], &[]),
    server("ng", &["build"], &["--watch"], &[]),
    server("ng", &["serve"], &[], &[]),
    server("ngrok", &["http"], &[], &[]),
    server("ngrok", &["tcp"], &[], &[]),
    server("node", &[], &["--watch", "--watch-path"], &[]),
    server("nodemon", &[], &[], &[]),
    server("nuxi", &["dev"], &[], &[]),
    server("nuxt", &["dev"], &[], &[]),
    server("ollama", &["serve"], &[], &[]),
    server("parcel", &[], &[], &["build", "help"]),
    server("php", &[], &["-S"], &[]),
    server("php", &["artisan", "serve"], &[], &[]),
    server("ping", &[], &[], &["-c", "-w", "-V"]),
    server(
        "podman",
        &["compose", "up"],
        &[],
        &["-d", "--detach", "--wait", "--no-start"],
    ),
    server("podman", &["logs"], &["-f", "--follow"], &[]),
    server(
        "podman-compose",
        &["up"],
        &[],
        &["-d", "--detach", "--no-start"],
    ),
    server("ptw", &[], &[], &[]),
    server("puma", &[], &[], &[]),
    server("pytest-watch", &[], &[], &[]),
    server("python", &["manage.py", "runserver"], &[], &[]),
    server("python3", &["manage.py", "runserver"], &[], &[]),
    server("rackup", &[], &[], &["-D", "--daemonize"]),
    server("rails", &["s"], &[], &["-d", "--daemon"]),
    server("rails", &["server"], &[], &["-d", "--daemon"]),
    server("react-native", &["start"], &[], &[]),
    server("react-scripts", &["start"], &[], &[]),
    server("redis-server", &[], &[], &["--daemonize", "-v"]),
    server("remix", &["dev"], &[], &[]),
    server("rollup", &[], WATCH, &[]),
    server("sass", &[], WATCH, &[]),
    server("serve", &[], &[], &[]),
    server("skaffold", &["dev"], &[], &[]),
    server("sphinx-autobuild", &[], &[], &[]),
    server("start-storybook", &[], &[], &["--smoke-test"]),
    server("storybook", &["dev"], &[], &["--smoke-test"]),
    server("streamlit", &["run"], &[], &[]),
    server("svelte-kit", &["dev"], &[], &[]),
    server("symfony", &["serve"], &[], &["-d", "--daemon"]),
    server("symfony", &["server:start"], &[], &["-d", "--daemon"]),
    server("tail", &[], &["-f", "-F", "--follow"], &["--pid"]),
    server("tailwindcss", &[], WATCH, &[]),
    server("tcpdump", &[], &[], &["-c", "-r", "-D"]),
    server("tensorboard", &[], &[], &[]),
    server("tilt", &["up"], &[], &[]),
    server("trunk", &["serve"], &[], &[]),
    server("trunk", &["watch"], &[], &[]),
    server("ts-node-dev", &[], &[], &[]),
    server("tsc", &[], WATCH, &[]),
    server("tsup", &[], WATCH, &[]),
    server("tsx", &["watch"], &[], &[]),
    server("uvicorn", &[], &[], &[]),
    server("vercel", &["dev"], &[], &[]),
    server("vite", &[], &[], &["build", "optimize"]),
    server("vitest", &[], WATCH, &["run"]),
    server("vitest", &["dev"], &[], &["--run"]),
    server("vitest", &["watch"], &[], &["--run"]),
    server("vllm", &["serve"], &[], &[]),
    server("vue-cli-service", &["serve"], &[], &[]),
    server("waitress-serve", &[], &[], &[]),
    server("watch", &[], &[], &["-g", "--chgexit", "-v"]),
    server("watchexec", &[], &[], &[]),
    server("watchman-make", &[], &[], &[]),
    server("watchmedo", &[], &[], &[]),
    server("webpack", &[], WATCH, &[]),
    server("webpack", &["serve"], &[], &[]),
    server("webpack", &["watch"], &[], &[]),
    server("webpack-dev-server", &[], &[], &[]),
    server("wrangler", &["dev"], &[], &[]),
    server("wrangler", &["pages", "dev"], &[], &[]),
    server("zola", &["serve"], &[], &[]),
];

/// The whole script as a job.
pub fn replace(command: &Command<'_>) -> Option<Replacement> {
    let program = command.program()?;
    // What is not literal is no word of the table.
    let words: Vec<_> = command
        .arguments()
        .iter()
        .map(|word| literal(word).unwrap_or_default())
        .collect();
    if !is_endless(program, &words) {
        return None;
    }
    let execution = command.execution;
    let at_root = execution.workdir.trim_end_matches('/') == execution.root.trim_end_matches('/');
    let description = match execution.description.trim() {
        "" => format!("Run {program} as a background job"),
        description => description.to_owned(),
    };
    Some(Replacement::Job {
        command: execution.plan.script.trim().to_owned(),
        description,
        workdir: (!at_root).then(|| execution.workdir.clone()),
        run_in_background: true,
    })
}

fn is_endless(program: &str, words: &[&str]) -> bool {
    let (mut program, mut words) = (program, words);
    for _ in 0..=MAX_RUNNERS {
        if words.iter().any(|word| ALWAYS_ENDS.contains(word)) {
            return false;
        }
        if is_server(program, words) || runs_a_server_script(program, words) {
            return true;
        }
        let Some((next, rest)) = behind_runner(program, words) else {
            return false;
        };
        program = without_version(next).rsplit('/').next().unwrap_or_default();
        words = rest;
    }
    false
}

fn is_server(program: &str, words: &[&str]) -> bool {
    let first = SERVERS.partition_point(|server| server.program < program);
    SERVERS
        .get(first..)
        .unwrap_or_default()
        .iter()
        .take_while(|server| server.program == program)
        .any(|server| server.fits(words))
}

impl Server {
    fn fits(&self, words: &[&str]) -> bool {
        let mut rest = words;
        for operand in self.operands {
            match next_operand(self.program, rest) {
                Some((found, after)) if found == *operand => rest = after,
                _ => return false,
            }
        }
        let has = |names: &[&str]| {
            let mut words = rest.iter();
            words.any(|word| names.iter().any(|name| sets(word, name)))
        };
        (self.needs.is_empty() || has(self.needs)) && !has(self.ends)
    }
}

/// The first word that is no option nor an option's value, and what follows.
fn next_operand<'a, 'b>(program: &str, words: &'b [&'a str]) -> Option<(&'a str, &'b [&'a str])> {
    let valued = VALUED
        .iter()
        .find(|(programs, _)| programs.contains(&program))
        .map_or(&[][..], |(_, options)| *options);
    let mut rest = words;
    loop {
        let (word, after) = rest.split_first()?;
        if !word.starts_with('-') {
            return Some((*word, after));
        }
        rest = match valued.contains(word) {
            true => after.get(1..)?,
            false => after,
        };
    }
}

/// Whether a word is this option or operand: `--watch=x` sets `--watch`, and
/// `-nf` sets `-f`.
fn sets(word: &str, name: &str) -> bool {
    if word == name {
        return true;
    }
    if name.starts_with("--") {
        return word
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('='));
    }
    match name.strip_prefix('-') {
        Some(letter) if letter.len() == 1 => {
            let letters = word
                .strip_prefix('-')
                .filter(|letters| !letters.starts_with('-'));
            letters.is_some_and(|letters| {
                letters.bytes().all(|byte| byte.is_ascii_alphanumeric()) && letters.contains(letter)
            })
        }
        _ => false,
    }
}

/// `npm run dev`, `npm start`, `yarn watch:css`.
fn runs_a_server_script(program: &str, words: &[&str]) -> bool {
    let Some(&(_, short)) = SCRIPT_RUNNERS.iter().find(|(name, _)| *name == program) else {
        return false;
    };
    let Some((first, rest)) = next_operand(program, words) else {
        return false;
    };
    let name = match first {
        "run" | "run-script" => next_operand(program, rest).map(|(name, _)| name),
        "start" if program != "bun" => Some(first),
        name if short => Some(name),
        _ => None,
    };
    name.is_some_and(|name| name.split(':').any(|part| SCRIPT_NAMES.contains(&part)))
}

/// The program behind a runner, and its words.
fn behind_runner<'a, 'b>(program: &str, words: &'b [&'a str]) -> Option<(&'a str, &'b [&'a str])> {
    RUNNERS
        .iter()
        .filter(|(name, _)| *name == program)
        .find_map(|(_, fixed)| words.strip_prefix(*fixed))
        .and_then(|rest| {
            let skipped = rest.iter().take_while(|word| word.starts_with('-')).count();
            let (next, words) = rest.get(skipped..)?.split_first()?;
            Some((*next, words))
        })
}

/// `vite@latest` is `vite`.
fn without_version(name: &str) -> &str {
    match name.rfind('@') {
        Some(at) if at > 0 => name.get(..at).unwrap_or(name),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endless(line: &str) -> bool {
        let words: Vec<_> = line.split(' ').collect();
        is_endless(words[0], &words[1..])
    }

    #[test]
    fn the_table_is_sorted_by_program() {
        assert!(SERVERS.is_sorted_by_key(|server| server.program));
    }

    #[test]
    fn what_never_ends_is_known() {
        for line in [
            "npm run dev",
            "npm start",
            "npm run watch:css",
            "npm --prefix=web run dev",
            "npm --prefix web run dev",
            "pnpm --filter web dev",
            "docker compose -f dev.yml up --build",
            "docker compose -f dev.yml logs -f web",
            "flask --app x run",
            "yarn dev",
            "pnpm dev --host",
            "bun run dev",
            "vite",
            "vite --port 3000",
            "npx vite@latest preview",
            "next dev",
            "tail -f log",
            "tail -n 5 -F log",
            "tail --follow=name log",
            "watch -n1 date",
            "python -m http.server 8000",
            "python3 -m http.server",
            "uv run python -m http.server",
            "python manage.py runserver",
            "poetry run flask run",
            "bundle exec rails s",
            "cargo watch -x test",
            "jest --watch",
            "npx jest --watchAll=true",
            "docker compose up",
            "docker compose up web",
            "docker-compose up --build",
            "kubectl logs -f pod",
            "journalctl -fu nginx",
            "tsc -w",
            "ping example.org",
        ] {
            assert!(endless(line), "{line}");
        }
    }

    #[test]
    fn what_ends_is_left_alone() {
        for line in [
            "npm run build",
            "npm test",
            "npm install dev",
            "yarn add vite",
            "vite build",
            "vite --help",
            "npx --version",
            "next build",
            "tail -n 5 log",
            "python -m pytest",
            "python server.py",
            "cargo build",
            "cargo run",
            "jest",
            "docker compose up -d",
            "docker compose down",
            "docker ps",
            "docker compose -f dev.yml up -d",
            "docker compose -f dev.yml logs web",
            "docker compose run up",
            "kubectl get pods",
            "ping -c 3 example.org",
            "ping -c3 example.org",
            "tsc --noEmit",
            "npx npx npx npx npx npx vite",
        ] {
            assert!(!endless(line), "{line}");
        }
    }
}
