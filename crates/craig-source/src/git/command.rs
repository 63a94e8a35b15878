//! Runs git with restricted permissions and environment, and a limit on its silence.

use std::{
    env, fmt,
    io::{self, Read},
    ops::ControlFlow,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    thread,
    time::{Duration, Instant},
};

use super::{GitError, GitUrl, Reach, Remote, error::meaning, server::Binding, url::PROTOCOLS};

/// User name and password for a host, in memory only.
#[derive(Clone, PartialEq, Eq)]
pub struct GitToken {
    user: String,
    password: String,
}

/// The user name that goes with a token: GitHub wants this one, the others want any.
const USER_OF_TOKENS: &str = "x-access-token";

impl GitToken {
    /// A token, or `user:token`.
    pub fn new(text: &str) -> Self {
        match text.trim().split_once(':') {
            Some((user, password)) => Self::with_user(user, password),
            None => Self::with_user(USER_OF_TOKENS, text.trim()),
        }
    }

    pub(super) fn with_user(user: &str, password: &str) -> Self {
        Self { user: user.to_owned(), password: password.to_owned() }
    }
}

impl fmt::Debug for GitToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("GitToken(…)")
    }
}

/// How git may reach repositories, in addition to the user's credential helpers and SSH agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitAccess {
    /// A token, and the only host that it is sent to.
    pub token: Option<(String, GitToken)>,
    /// Git is stopped after this time without output.
    pub patience: Duration,
}

impl Default for GitAccess {
    fn default() -> Self {
        Self { token: None, patience: Duration::from_secs(60) }
    }
}

/// Variables that a caller of Craig, such as a hook, may have set: they would point git at another repository or log what it sends.
const FOREIGN_VARIABLES: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CURL_VERBOSE",
    "GIT_DIR",
    "GIT_EXTERNAL_DIFF",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_TEMPLATE_DIR",
    "GIT_TRACE",
    "GIT_TRACE_CURL",
    "GIT_TRACE_PACKET",
    "GIT_TRACE_PACK_ACCESS",
    "GIT_TRACE_SETUP",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE2_PERF",
    "GIT_WORK_TREE",
];

/// Settings that hold for every run: nothing of a repository or a template is executed, nothing continues in
/// the background, files are as they were committed.
const SETTINGS: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.autocrlf=false",
    "core.longPaths=true",
    "core.protectNTFS=true",
    "core.protectHFS=true",
    "core.quotePath=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "core.bigFileThreshold=32m",
    "pack.threads=4",
    "gc.autoDetach=false",
    "maintenance.autoDetach=false",
    "advice.detachedHead=false",
    "init.defaultBranch=main",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=60",
];

/// Commands that talk to the server of a repository.
const TO_SERVERS: &[&str] = &["fetch", "ls-remote"];

/// Maximum number of bytes of stdout that a run may print.
pub(super) const MAX_STDOUT_BYTES: usize = 128 << 20;

/// Handles a piece of git's stdout; `Break` stops git because it printed too much.
type Sink<'a> = &'a mut dyn FnMut(&[u8]) -> ControlFlow<()>;

/// Runs git in `folder` on behalf of `remote`, reporting its progress; gives its stdout. Fails with git's message.
pub(super) fn git(
    what: &'static str,
    arguments: &[&str],
    folder: &Path,
    remote: &Remote,
    access: &GitAccess,
    report: &mut dyn FnMut(&str),
) -> Result<Vec<u8>, GitError> {
    let mut stdout = Vec::new();
    let keep = &mut |bytes: &[u8]| {
        stdout.extend(bytes);
        if stdout.len() > MAX_STDOUT_BYTES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    git_streamed(what, arguments, folder, remote, access, keep, report)?;
    Ok(stdout)
}

/// The same, with stdout passed on as it comes.
pub(super) fn git_streamed(
    what: &'static str,
    arguments: &[&str],
    folder: &Path,
    remote: &Remote,
    access: &GitAccess,
    stdout: Sink<'_>,
    report: &mut dyn FnMut(&str),
) -> Result<(), GitError> {
    let asks_server = arguments.first().is_some_and(|name| TO_SERVERS.contains(name));
    let binding = match remote.reach {
        Reach::Public if asks_server => Binding::new(&remote.url)?,
        _ => Binding::default(),
    };
    let mut command = Command::new("git");
    let settings = SETTINGS.iter().copied().chain(binding.settings.iter().map(String::as_str));
    command.args(settings.flat_map(|setting| ["-c", setting])).args(arguments).current_dir(folder);
    set_environment(&mut command, &remote.url, access);
    if let Some(host) = &binding.virtual_host {
        command.env("GIT_OVERRIDE_VIRTUAL_HOST", host);
    }
    if asks_server {
        set_ssh(&mut command);
    }
    let run = run(command, access.patience, stdout, report);
    let (status, stderr) = run.map_err(|trouble| match trouble {
        Trouble::Start(error) if error.kind() == io::ErrorKind::NotFound => GitError::NotInstalled,
        Trouble::Start(error) => GitError::Failed { what, detail: error.to_string() },
        Trouble::Silent => {
            GitError::TimedOut { url: remote.url.to_string(), seconds: access.patience.as_secs() }
        }
        Trouble::TooMuch => GitError::TooLarge { url: remote.url.to_string() },
    })?;
    if status.success() { Ok(()) } else { Err(meaning(what, &remote.url, &stderr)) }
}

enum Trouble {
    Start(io::Error),
    Silent,
    TooMuch,
}

/// A piece of git's output.
enum Piece {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
}

fn run(
    mut command: Command,
    patience: Duration,
    stdout: Sink<'_>,
    report: &mut dyn FnMut(&str),
) -> Result<(ExitStatus, String), Trouble> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(Trouble::Start)?;
    bound_memory(&child);
    let pieces = listen(&mut child);
    let collected = collect(&pieces, patience, stdout, report);
    if collected.is_err() {
        end(&mut child);
    }
    let stderr = collected?;
    let status = child.wait().map_err(Trouble::Start)?;
    Ok((status, String::from_utf8_lossy(&stderr).into_owned()))
}

/// Bounds what git and the programs that it starts may each have of their own; mapped packs do not count. A pack of some
/// kilobytes can unfold to any size.
#[cfg(target_os = "linux")]
fn bound_memory(child: &Child) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    const MAX_MEMORY_BYTES: u64 = 2 << 30;
    let limit = Rlimit { current: Some(MAX_MEMORY_BYTES), maximum: Some(MAX_MEMORY_BYTES) };
    // It may have ended, or have a lower limit already.
    let _ = prlimit(Pid::from_raw(child.id() as i32), Resource::Data, limit);
}

/// Other systems cannot bound another process.
#[cfg(not(target_os = "linux"))]
fn bound_memory(_child: &Child) {}

fn set_environment(command: &mut Command, url: &GitUrl, access: &GitAccess) {
    for name in FOREIGN_VARIABLES {
        command.env_remove(name);
    }
    command
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GCM_INTERACTIVE", "never")
        .env("GIT_ALLOW_PROTOCOL", PROTOCOLS.join(":"))
        .env("GIT_LFS_SKIP_SMUDGE", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("LC_ALL", "C")
        .env("LANGUAGE", "C");
    if let Some((origin, token)) = token_for(url, access) {
        offer(command, origin, token);
    }
}

/// Keeps SSH from asking and from waiting for ever; the user's own command knows better.
fn set_ssh(command: &mut Command) {
    if env::var_os("GIT_SSH_COMMAND").is_none() && env::var_os("GIT_SSH").is_none() && !has_ssh_command() {
        command.env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=20");
    }
}

/// Whether the user has configured how git runs SSH.
fn has_ssh_command() -> bool {
    let found =
        Command::new("git").args(["config", "--get", "core.sshCommand"]).stdin(Stdio::null()).output();
    found.is_ok_and(|output| output.status.success())
}

/// The credentials of the URL, else the token if it is for this host. Tokens are sent encrypted, or to this machine only.
fn token_for<'a>(url: &'a GitUrl, access: &'a GitAccess) -> Option<(&'a str, &'a GitToken)> {
    let origin = url.origin()?;
    if let Some(own) = url.credentials() {
        return Some((origin, own));
    }
    let (host, token) = access.token.as_ref()?;
    let is_here = ["127.0.0.1", "localhost", "[::1]"].contains(&without_port(url.host()));
    let is_meant =
        host.eq_ignore_ascii_case(url.host()) || host.eq_ignore_ascii_case(without_port(url.host()));
    (is_meant && (url.is_encrypted() || is_here)).then_some((origin, token))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.is_empty() => name,
        _ => host,
    }
}

/// Lets git ask us for the credentials of one origin: they are passed in the environment, not as arguments. The empty
/// helper before ours disables the others, so that none of them stores these credentials.
fn offer(command: &mut Command, origin: &str, token: &GitToken) {
    const HELPER: &str = "!f() { test \"$1\" = get && printf 'username=%s\\npassword=%s\\n' \
                          \"$CRAIG_GIT_USER_NAME\" \"$CRAIG_GIT_PASSWORD\"; }; f";
    let key = format!("credential.{origin}.helper");
    let before: usize = env::var("GIT_CONFIG_COUNT").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    for (n, value) in (before..).zip(["", HELPER]) {
        command.env(format!("GIT_CONFIG_KEY_{n}"), &key).env(format!("GIT_CONFIG_VALUE_{n}"), value);
    }
    command
        .env("GIT_CONFIG_COUNT", (before + 2).to_string())
        .env("CRAIG_GIT_USER_NAME", &token.user)
        .env("CRAIG_GIT_PASSWORD", &token.password);
}

/// Starts threads that pass on a child's output until it and all processes that hold its pipes have ended. A child that
/// prints faster than its output is read waits.
fn listen(child: &mut Child) -> Receiver<Piece> {
    let (sender, pieces) = mpsc::sync_channel(MAX_WAITING_PIECES);
    if let Some(stdout) = child.stdout.take() {
        pass_on(stdout, Piece::Stdout, sender.clone());
    }
    if let Some(stderr) = child.stderr.take() {
        pass_on(stderr, Piece::Stderr, sender);
    }
    pieces
}

/// Pieces of output that wait to be read.
const MAX_WAITING_PIECES: usize = 64;

fn pass_on(mut from: impl Read + Send + 'static, make: fn(Vec<u8>) -> Piece, to: SyncSender<Piece>) {
    thread::spawn(move || {
        let mut buffer = [0; 16 << 10];
        while let Ok(n_read @ 1..) = from.read(&mut buffer) {
            if to.send(make(buffer[..n_read].to_vec())).is_err() {
                break;
            }
        }
    });
}

/// Bound on stderr in memory: its beginning and its end are enough.
const MAX_STDERR_BYTES: usize = 64 << 10;

/// Passes stdout on and collects stderr. Fails if there is no output for too long, or `stdout` takes no more.
fn collect(
    pieces: &Receiver<Piece>,
    patience: Duration,
    stdout: Sink<'_>,
    report: &mut dyn FnMut(&str),
) -> Result<Vec<u8>, Trouble> {
    let mut stderr = Vec::new();
    loop {
        match pieces.recv_timeout(patience) {
            Ok(Piece::Stdout(bytes)) => {
                if stdout(&bytes).is_break() {
                    return Err(Trouble::TooMuch);
                }
            }
            Ok(Piece::Stderr(bytes)) => {
                report_last(&bytes, report);
                stderr.extend(bytes);
                if stderr.len() > MAX_STDERR_BYTES {
                    stderr.drain(MAX_STDERR_BYTES / 4..MAX_STDERR_BYTES / 2);
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(stderr),
            Err(RecvTimeoutError::Timeout) => return Err(Trouble::Silent),
        }
    }
}

/// Reports the newest line of progress: `Receiving objects:  40% (4/10)`.
fn report_last(bytes: &[u8], report: &mut dyn FnMut(&str)) {
    let text = String::from_utf8_lossy(bytes);
    let line = text.split(['\r', '\n']).map(str::trim).rfind(|line| line.contains('%'));
    line.into_iter().for_each(|line| report(line.trim_start_matches("remote: ")));
}

/// How long git may take to clean up.
const GRACE: Duration = Duration::from_secs(3);

/// Stops git: first by SIGTERM, so that it stops its own helpers and removes partial files.
fn end(child: &mut Child) {
    ask_to_end(child);
    let asked = Instant::now();
    while asked.elapsed() < GRACE {
        if child.try_wait().is_ok_and(|status| status.is_some()) {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    // It may have ended just now.
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(unix)]
fn ask_to_end(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};
    if let Some(pid) = Pid::from_raw(child.id() as i32) {
        // It may have ended just now.
        let _ = kill_process(pid, Signal::TERM);
    }
}

#[cfg(not(unix))]
fn ask_to_end(child: &mut Child) {
    let _ = child.kill();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> GitUrl {
        GitUrl::parse(text).unwrap().unwrap()
    }

    #[test]
    fn a_token_is_sent_to_its_host_only_and_never_unencrypted() {
        let access =
            |host: &str| GitAccess { token: Some((host.into(), GitToken::new("t"))), ..Default::default() };
        let goes = |host: &str, to: &str| token_for(&url(to), &access(host)).is_some();
        assert!(goes("github.com", "https://github.com/a/b"));
        assert!(goes("github.com", "https://GitHub.com:443/a/b"));
        assert!(goes("127.0.0.1", "http://127.0.0.1:8000/a"));
        for to in [
            "https://evil.example/a",
            "https://github.com.evil.example/a",
            "http://github.com/a",
            "git@github.com:a/b",
        ] {
            assert!(!goes("github.com", to), "{to}");
        }
        let own = url("https://me:pw@evil.example/a");
        assert_eq!(token_for(&own, &access("github.com")).unwrap().1, &GitToken::with_user("me", "pw"));
    }

    #[test]
    fn a_token_may_have_a_user() {
        assert_eq!(GitToken::new(" abc\n"), GitToken::with_user(USER_OF_TOKENS, "abc"));
        assert_eq!(GitToken::new("me:abc"), GitToken::with_user("me", "abc"));
    }

    #[test]
    fn silence_and_too_much_output_end_a_run() {
        let (sender, pieces) = mpsc::channel();
        sender.send(Piece::Stderr(b"Receiving objects: 10%\rReceiving objects: 20%\r".to_vec())).unwrap();
        let mut reported = Vec::new();
        let mut stdout = |_: &[u8]| ControlFlow::Break(());
        let collected = collect(&pieces, Duration::from_millis(20), &mut stdout, &mut |line| {
            reported.push(line.to_owned());
        });
        assert!(matches!(collected, Err(Trouble::Silent)));
        assert_eq!(reported, ["Receiving objects: 20%"]);
        sender.send(Piece::Stdout(b"x".to_vec())).unwrap();
        let collected = collect(&pieces, Duration::from_secs(9), &mut stdout, &mut |_| ());
        assert!(matches!(collected, Err(Trouble::TooMuch)));
        drop(sender);
        let collected = collect(&pieces, Duration::from_secs(9), &mut stdout, &mut |_| ());
        assert!(collected.is_ok_and(|stderr| stderr.is_empty()));
    }
}
