//! Why a repository cannot be fetched, from git's messages.

use std::{io, path::PathBuf};

use craig_text::shell_word;

use super::GitUrl;

/// A repository cannot be cloned or checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// There is no git on this machine.
    #[error("git is not installed; it is needed to clone repositories")]
    NotInstalled,
    /// The URL is not let through.
    #[error("the repository URL cannot be used: {0}")]
    BadUrl(#[from] BadUrl),
    /// The name is not valid for a branch, tag or commit.
    #[error("{name:?} is not a valid branch, tag or commit")]
    BadReference {
        /// The name.
        name: String,
    },
    /// The server has no such repository.
    #[error("there is no repository at {url}")]
    NotFound {
        /// The requested URL.
        url: String,
    },
    /// The server requires credentials. Several return the same for repositories that do not exist.
    #[error("{url} is private or does not exist, and no credentials were accepted")]
    Denied {
        /// The requested URL.
        url: String,
    },
    /// The host name does not resolve.
    #[error("the host of {url} cannot be resolved")]
    UnknownHost {
        /// The requested URL.
        url: String,
    },
    /// The server is this machine, or only this machine can reach it.
    #[error("assistants may not clone {url}: {address} belongs to this machine or its local network")]
    LocalServer {
        /// The requested URL.
        url: String,
        /// Where its host is.
        address: String,
    },
    /// The server answers with another address.
    #[error("{url} redirects to another address")]
    Redirected {
        /// The requested URL.
        url: String,
    },
    /// It unfolds to more than can be checked out.
    #[error(
        "the repository {url} is too large: git ran out of memory, or it has more than a million files or 32 GB"
    )]
    TooLarge {
        /// Which.
        url: String,
    },
    /// SSH does not know the host's key, or the key has changed.
    #[error("SSH does not know the host key of {url}, or the key has changed")]
    HostKey {
        /// The requested URL.
        url: String,
    },
    /// The host does not answer.
    #[error("{url} cannot be reached: {detail}")]
    Unreachable {
        /// The requested URL.
        url: String,
        /// Git's message.
        detail: String,
    },
    /// The repository has no commits.
    #[error("the repository {url} is empty")]
    Empty {
        /// Which.
        url: String,
    },
    /// It has no such branch, tag or commit.
    #[error("the repository {url} has no branch or tag {name:?}")]
    NoSuchReference {
        /// Which repository.
        url: String,
        /// The name.
        name: String,
    },
    /// Git was silent for too long.
    #[error("git was stopped after {seconds} seconds without output for {url}")]
    TimedOut {
        /// The requested URL.
        url: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// Another way to fail.
    #[error("git {what} failed: {detail}")]
    Failed {
        /// The command.
        what: &'static str,
        /// Git's message.
        detail: String,
    },
    /// The folder of a clone cannot be made, moved or removed.
    #[error("cannot use the folder {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's message.
        source: io::Error,
    },
}

/// What is wrong with a URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadUrl {
    /// The protocol is not one that only fetches.
    #[error("the protocol {0:?} is not allowed")]
    Protocol(String),
    /// The text contains characters that a URL cannot have.
    #[error("it contains blanks or control characters, or is longer than 2000 bytes")]
    Characters,
    /// `?…` or `#…`.
    #[error("it has a query or a fragment")]
    Query,
    /// The part before the path.
    #[error("its host or user name is malformed")]
    Host,
    /// The path is empty, or looks like an option.
    #[error("it does not name a repository")]
    Path,
    /// `file://host/…`.
    #[error("it names a file of another machine")]
    FileOfHost,
}

impl GitError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotInstalled => "install git, or clone the repository yourself and ingest its directory".into(),
            Self::BadUrl(_) => {
                "URLs look like https://host/owner/name, ssh://git@host/path, git@host:path or file:///path".into()
            }
            Self::BadReference { .. } | Self::NoSuchReference { .. } => {
                "choose a branch or tag that 'git ls-remote' lists, or omit --branch for the default branch".into()
            }
            Self::NotFound { .. } => "check the spelling of the URL".into(),
            Self::Denied { .. } => {
                "check the spelling; for a private repository, configure git's credential helper or the SSH agent, or \
                 set CRAIG_GIT_TOKEN to a token (git.token_host is the host that receives it)"
                    .into()
            }
            Self::UnknownHost { .. } => "check the spelling of the host and the network connection".into(),
            Self::LocalServer { url, .. } => {
                let url = shell_word(url);
                format!(
                    "ask the user, who can run 'craig ingest {url}' or start this server with --allow-source {url}"
                )
            }
            Self::Redirected { .. } => {
                "give the URL that it redirects to, often the same URL with .git at the end".into()
            }
            Self::TooLarge { .. } => {
                "if that size is expected, clone it yourself and ingest its directory".into()
            }
            Self::HostKey { .. } => "connect once with 'ssh' to check and accept its key".into(),
            Self::Unreachable { .. } => "check the network connection and try again".into(),
            Self::Empty { .. } => "push a first commit, then ingest it".into(),
            Self::TimedOut { .. } => {
                "try again; for a slow server, raise git.timeout_s".into()
            }
            Self::Failed { .. } => return None,
            Self::Folder { .. } => "check the permissions and the free disk space".into(),
        })
    }

    /// Whether the request itself is invalid.
    pub fn is_of_the_user(&self) -> bool {
        matches!(
            self,
            Self::BadUrl(_)
                | Self::BadReference { .. }
                | Self::NotFound { .. }
                | Self::Denied { .. }
                | Self::Empty { .. }
                | Self::LocalServer { .. }
                | Self::Redirected { .. }
                | Self::TooLarge { .. }
                | Self::NoSuchReference { .. }
        )
    }
}

/// Makes an error of the URL and of git's own words.
type MakeError = fn(String, String) -> GitError;

/// Parts of git's messages, in its own untranslated words, and what they mean. The first that is found counts.
const MEANINGS: &[(&str, MakeError)] = &[
    ("could not resolve host", |url, _| GitError::UnknownHost { url }),
    ("name or service not known", |url, _| GitError::UnknownHost { url }),
    ("unable to look up", |url, _| GitError::UnknownHost { url }),
    ("host key verification failed", |url, _| GitError::HostKey { url }),
    ("authentication failed", |url, _| GitError::Denied { url }),
    ("could not read username", |url, _| GitError::Denied { url }),
    ("could not read password", |url, _| GitError::Denied { url }),
    ("permission denied", |url, _| GitError::Denied { url }),
    ("dubious ownership", |url, _| GitError::Denied { url }),
    ("out of memory", |url, _| GitError::TooLarge { url }),
    ("cannot allocate memory", |url, _| GitError::TooLarge { url }),
    ("returned error: 301", |url, _| GitError::Redirected { url }),
    ("returned error: 302", |url, _| GitError::Redirected { url }),
    ("returned error: 307", |url, _| GitError::Redirected { url }),
    ("returned error: 308", |url, _| GitError::Redirected { url }),
    ("returned error: 401", |url, _| GitError::Denied { url }),
    ("returned error: 403", |url, _| GitError::Denied { url }),
    ("returned error: 404", |url, _| GitError::NotFound { url }),
    ("repository not found", |url, _| GitError::NotFound { url }),
    ("does not appear to be a git repository", |url, _| GitError::NotFound { url }),
    ("/info/refs not valid", |url, _| GitError::NotFound { url }),
    ("not found: did you run git update-server-info", |url, _| GitError::NotFound { url }),
    ("repository not exported", |url, _| GitError::NotFound { url }),
    ("failed to connect", |url, detail| GitError::Unreachable { url, detail }),
    ("couldn't connect", |url, detail| GitError::Unreachable { url, detail }),
    ("could not connect", |url, detail| GitError::Unreachable { url, detail }),
    ("unable to connect", |url, detail| GitError::Unreachable { url, detail }),
    ("connection refused", |url, detail| GitError::Unreachable { url, detail }),
    ("connection reset", |url, detail| GitError::Unreachable { url, detail }),
    ("connection timed out", |url, detail| GitError::Unreachable { url, detail }),
    ("network is unreachable", |url, detail| GitError::Unreachable { url, detail }),
    ("no route to host", |url, detail| GitError::Unreachable { url, detail }),
    ("operation too slow", |url, detail| GitError::Unreachable { url, detail }),
    ("could not read from remote repository", |url, detail| GitError::Unreachable { url, detail }),
    ("unable to access", |url, detail| GitError::Unreachable { url, detail }),
    ("early eof", |url, detail| GitError::Unreachable { url, detail }),
];

/// The meaning of git's messages on stderr.
pub(super) fn meaning(what: &'static str, url: &GitUrl, stderr: &str) -> GitError {
    let words = stderr.to_lowercase();
    let detail = last_complaint(stderr);
    let found = MEANINGS.iter().find(|(part, _)| words.contains(part));
    found.map_or_else(
        || GitError::Failed { what, detail: detail.clone() },
        |(_, make)| make(url.to_string(), detail.clone()),
    )
}

/// The first line that is a complaint, without its label; the last line when there is none.
fn last_complaint(stderr: &str) -> String {
    let lines = || stderr.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    let complaint =
        lines().find_map(|line| line.strip_prefix("fatal: ").or_else(|| line.strip_prefix("error: ")));
    complaint.or_else(|| lines().next_back()).unwrap_or("no message").chars().take(300).collect()
}
