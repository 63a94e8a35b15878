//! Runs `craig` in a home of its own and writes down what happened, without what differs from run to run.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use regex::Regex;
use tempfile::TempDir;

/// A home directory with a database and projects, gone at the end of the test.
pub(crate) struct Home {
    folder: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("craig-cli-").tempdir().unwrap();
        Self { folder }
    }

    /// A home with the project `shop`, not ingested yet.
    pub(crate) fn with_shop() -> Self {
        let home = Self::new();
        home.write("shop/src/auth.py", AUTH);
        home.write("shop/src/cart/prices.rs", PRICES);
        home.write("shop/README.md", "# Shop\n\nSells things to people.\n");
        home.write("shop/config.toml", "[server]\nport = 8080\n");
        home.write("shop/logo.png", "\u{89}PNG\0\0\0");
        home.write("shop/.env", "PASSWORD=hunter2\n");
        home
    }

    /// The same, ingested.
    pub(crate) fn with_ingested_shop() -> Self {
        let home = Self::with_shop();
        home.succeed(&["ingest", "shop"]);
        home
    }

    /// Waits until files are old enough for their stamps to prove them unchanged.
    pub(crate) fn let_files_age() {
        std::thread::sleep(Duration::from_millis(2_100));
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.path().join("craig.db")
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// `craig` in this home, without settings of whoever runs the tests.
    pub(crate) fn craig<S: AsRef<OsStr>>(&self, args: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_craig"));
        self.prepare(&mut command);
        command.args(args);
        command
    }

    /// Gives a command this home.
    pub(crate) fn prepare(&self, command: &mut Command) {
        for name in [
            "CRAIG_CONFIG",
            "XDG_CONFIG_HOME",
            "VOYAGE_API_KEY",
            "OPENAI_API_KEY",
            "CRAIG_THREADS",
            "NO_COLOR",
            "CLICOLOR",
            "CLICOLOR_FORCE",
            "XDG_DATA_HOME",
            "COLUMNS",
            "CARGO_HOME",
            "GOMODCACHE",
            "GOPATH",
            "GRADLE_USER_HOME",
            "VIRTUAL_ENV",
        ] {
            command.env_remove(name);
        }
        command
            .current_dir(self.path())
            .env("HOME", self.path())
            .env("TZ", "UTC")
            .env("CRAIG_DB", self.database())
            .stdin(Stdio::null());
    }

    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Output {
        self.craig(args).output().unwrap()
    }

    /// Runs a command that has to succeed; gives what it printed.
    pub(crate) fn succeed<S: AsRef<OsStr>>(&self, args: &[S]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{}", self.transcript(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command with something on stdin.
    pub(crate) fn run_with_input(&self, args: &[&str], input: &[u8]) -> Output {
        let mut command = self.craig(args);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap().unwrap();
        output
    }

    /// Exit code, stdout and stderr of a command.
    pub(crate) fn check<S: AsRef<OsStr>>(&self, args: &[S], expect: expect_test::Expect) {
        expect.assert_eq(&self.transcript(&self.run(args)));
    }

    /// A run written down: JSON with line breaks, and what differs from run to run replaced.
    pub(crate) fn transcript(&self, output: &Output) -> String {
        let mut text = match output.status.code() {
            Some(code) => format!("exit {code}\n"),
            None => format!("{}\n", output.status),
        };
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            if !bytes.is_empty() {
                text += &format!("-- {name}\n{}", self.stable(&String::from_utf8_lossy(bytes)));
            }
        }
        // On stderr progress is shown only if it takes a moment.
        replace_all(&text, &[(r"(-- stderr\n)( *[0-9]+%  .*\n)+", "$1"), (r"-- stderr\n$", "")])
    }

    fn stable(&self, text: &str) -> String {
        let text = text.replace(&*self.path().to_string_lossy(), "HOME");
        let text = replace_all(&text, JSON_VALUES);
        let lines = text.lines().map(|line| if is_json(line) { indented(line) } else { line.to_owned() });
        let text: String = lines.map(|line| line + "\n").collect();
        replace_all(&text, TEXT_VALUES)
    }
}

/// Values of the JSON forms that differ from run to run or with the tuning of the ranking.
const JSON_VALUES: &[(&str, &str)] = &[
    (r#""evidence":\[\{"signal":"[^"]*","value"[^\]]*\}\]"#, r#""evidence":["EVIDENCE"]"#),
    (r#""(elapsed_ms|elapsed_s|score|database_bytes)":[0-9.e+-]+"#, r#""$1":NUMBER"#),
    (r#""(started_at|completed_at|ingestion_date|last_updated|modified_date)":"[^"]+""#, r#""$1":"TIME""#),
    (r#""reference":"[0-9a-f]{12}""#, r#""reference":"REFERENCE""#),
    (r#""embedder":"[^"]*""#, r#""embedder":"EMBEDDER""#),
];

/// The same in the text forms.
const TEXT_VALUES: &[(&str, &str)] = &[
    (r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}", "TIME"),
    (r"\b[0-9.]+ (ms|s)\b", "DURATION"),
    (r"[0-9,]+ files/s  [0-9.]+ [kMG]?B/s", "RATE"),
    (r" +[0-9]+%  ([^ ]+:[0-9]+)", " PERCENT  $1"),
    (r"\b[0-9a-f]{12}\b", "REFERENCE"),
    (r"(embedder ) *[^ \n]+", "${1}EMBEDDER"),
    (r"(craig\.db), [0-9.]+ [kMG]?B", "$1, SIZE"),
    (r"process [0-9]+( \([^)]*\))?", "process PID"),
];

fn replace_all(text: &str, replacements: &[(&str, &str)]) -> String {
    replacements.iter().fold(text.to_owned(), |text, (pattern, by)| {
        Regex::new(pattern).unwrap().replace_all(&text, *by).into_owned()
    })
}

fn is_json(line: &str) -> bool {
    line.starts_with(['{', '['])
}

/// Compact JSON with line breaks, in the order of its fields.
fn indented(json: &str) -> String {
    let mut text = String::new();
    let mut depth = 0;
    let mut in_string = false;
    let mut is_escaped = false;
    let line_break = |depth: usize| format!("\n{}", "  ".repeat(depth));
    for c in json.chars() {
        match c {
            _ if in_string => {
                text.push(c);
                in_string = is_escaped || c != '"';
                is_escaped = !is_escaped && c == '\\';
            }
            '{' | '[' => {
                depth += 1;
                text.push(c);
                text += &line_break(depth);
            }
            '}' | ']' => {
                depth -= 1;
                match text.trim_end().ends_with(['{', '[']) {
                    true => text.truncate(text.trim_end().len()),
                    false => text += &line_break(depth),
                }
                text.push(c);
            }
            ',' => {
                text.push(c);
                text += &line_break(depth);
            }
            ':' => text += ": ",
            _ => {
                in_string = c == '"';
                text.push(c);
            }
        }
    }
    text
}

/// Files that an ingestion takes a moment for.
pub(crate) fn write_many(folder: &Path, n_files: usize, generation: usize) {
    for n in 0..n_files {
        write_one(folder, n, generation);
    }
}

/// The `n`th of them, different in each generation.
pub(crate) fn write_one(folder: &Path, n: usize, generation: usize) {
    let folder = folder.join(format!("module_{}", n % 50));
    std::fs::create_dir_all(&folder).unwrap();
    let functions: String = (0..6)
        .map(|f| {
            format!(
                "def compute_{n}_{f}(left, right):\n    \"\"\"Combines value {n} of generation {generation}.\"\"\"\n    \
                 total = left * {n} + right * {f}\n    return total - {generation}\n\n\n"
            )
        })
        .collect();
    std::fs::write(folder.join(format!("file_{n}.py")), functions).unwrap();
}

/// Says why a test cannot show anything here.
#[expect(clippy::print_stderr, reason = "whoever runs the tests should see what was not tested")]
pub(crate) fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}

const AUTH: &str = r#""""Who may do what."""


def verify_token(token, secret):
    """Checks that a token was signed with the secret."""
    header, payload, signature = token.split(".")
    return sign(header + "." + payload, secret) == signature
"#;

const PRICES: &str = r#"/// Sums the prices of a cart, in cents.
pub fn total_price(items: &[Item]) -> u64 {
    items.iter().map(|item| item.price * item.quantity).sum()
}
"#;
