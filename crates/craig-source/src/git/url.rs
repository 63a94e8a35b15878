//! URLs of repositories: which are allowed, and which parts are stored.

use std::fmt;
use std::path::PathBuf;

use percent_encoding::percent_decode_str;

use super::{BadUrl, GitToken};

/// The URL of a repository. Its displayed and stored forms contain no password.
#[derive(Clone, PartialEq, Eq)]
pub struct GitUrl {
    text: String,
    host: String,
    credentials: Option<GitToken>,
}

/// Longer ones are refused.
const MAX_URL_BYTES: usize = 2_000;

/// Protocols that git may use, as its own `GIT_ALLOW_PROTOCOL` names them. `ext` and `fd` would run commands.
pub(super) const PROTOCOLS: &[&str] = &["https", "http", "ssh", "git", "file"];

impl GitUrl {
    /// Reads `https://host/path`, `ssh://…`, `git://…`, `file:///path` and `user@host:path`. `None` for what is no URL at
    /// all but may be a directory.
    ///
    /// Removes a password, and except for SSH a user name: both are used while this value lives, and never stored.
    /// Fails for other protocols, and for whatever git or SSH could take for an option or a command.
    pub fn parse(text: &str) -> Option<Result<Self, BadUrl>> {
        let text = text.trim();
        if let Some((scheme, rest)) = text.split_once("://") {
            return Some(with_scheme(&scheme.to_ascii_lowercase(), rest, text));
        }
        if text.split_once("::").is_some_and(|(helper, _)| is_word(helper)) {
            return Some(Err(BadUrl::Protocol(before(text, "::").to_owned())));
        }
        short_form(text)
    }

    /// The URL without credentials.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The name of its project: the last part of the path, without `.git`.
    pub fn name(&self) -> String {
        let last = self.text.rsplit(['/', ':']).find(|part| !part.is_empty()).unwrap_or_default();
        let name: String = last
            .trim_end_matches(".git")
            .chars()
            .map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' })
            .collect();
        let name = name.trim_start_matches(['.', '-']);
        if name.is_empty() { "repository".to_owned() } else { name.chars().take(80).collect() }
    }

    /// The directory of this machine that a `file:` URL names, as git reads it.
    pub fn local_path(&self) -> Option<PathBuf> {
        let path = self.text.strip_prefix("file://")?;
        Some(PathBuf::from(percent_decode_str(path).decode_utf8_lossy().into_owned()))
    }

    /// Name or address of the server, without its port; `None` for files.
    pub fn server(&self) -> Option<&str> {
        let host = self.host.strip_prefix('[').and_then(|rest| rest.split(']').next());
        let name = host.unwrap_or_else(|| self.host.split(':').next().unwrap_or_default());
        (!name.is_empty()).then_some(name)
    }

    /// The port of the server, given or that of the protocol; `None` for files.
    pub(super) fn port(&self) -> Option<u16> {
        let usual = match self.text.split_once("://").map(|(scheme, _)| scheme) {
            Some("https") => 443,
            Some("http") => 80,
            Some("git") => 9418,
            Some("file") => return None,
            _ => 22,
        };
        let behind = self.host.rsplit_once(']').map_or(self.host.as_str(), |(_, behind)| behind);
        let given = behind.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        Some(given.unwrap_or(usual))
    }

    /// `https://host:port`, where credentials can be sent.
    pub(super) fn origin(&self) -> Option<&str> {
        let start = self.text.find("://")? + 3;
        let end = self.text[start..].find('/').map_or(self.text.len(), |at| start + at);
        self.text.starts_with("http").then(|| &self.text[..end])
    }

    /// Host and port, without brackets taken off; empty for files.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    pub(super) fn is_encrypted(&self) -> bool {
        self.text.starts_with("https://")
    }

    /// User name and password that the URL came with.
    pub(super) fn credentials(&self) -> Option<&GitToken> {
        self.credentials.as_ref()
    }

    /// Whether it came with a password.
    pub fn has_credentials(&self) -> bool {
        self.credentials.is_some()
    }
}

impl fmt::Display for GitUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl fmt::Debug for GitUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "GitUrl({})", self.text)
    }
}

fn with_scheme(scheme: &str, rest: &str, whole: &str) -> Result<GitUrl, BadUrl> {
    if !PROTOCOLS.contains(&scheme) {
        return Err(BadUrl::Protocol(scheme.chars().take(20).collect()));
    }
    refuse_odd_characters(whole)?;
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if scheme == "file" {
        return file(authority, path);
    }
    if scheme.starts_with("http") && rest.contains(['?', '#']) {
        return Err(BadUrl::Query);
    }
    let (user_info, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let host = checked_host(host)?;
    let path = path.trim_end_matches('/');
    if path.is_empty() || path.starts_with("/-") {
        return Err(BadUrl::Path);
    }
    let (user, password) = user_info.split_once(':').unwrap_or((user_info, ""));
    if scheme == "ssh" {
        // SSH takes no password from a URL, and a user name is no secret.
        let user = checked_user(user)?;
        return Ok(GitUrl { text: format!("ssh://{user}{host}{path}"), host, credentials: None });
    }
    let credentials = credentials(user, password);
    Ok(GitUrl { text: format!("{scheme}://{host}{path}"), host, credentials })
}

/// `https://token@host` and `https://user:password@host`.
fn credentials(user: &str, password: &str) -> Option<GitToken> {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    match (user, password) {
        ("", "") => None,
        (token, "") => Some(GitToken::new(&decoded(token))),
        (user, password) => Some(GitToken::with_user(&decoded(user), &decoded(password))),
    }
}

/// Files of this machine alone: with a host in it, Windows would ask another machine, with the user's password.
fn file(authority: &str, path: &str) -> Result<GitUrl, BadUrl> {
    if !(authority.is_empty() || authority.eq_ignore_ascii_case("localhost")) {
        return Err(BadUrl::FileOfHost);
    }
    let path = path.trim_end_matches('/');
    if path.is_empty() {
        return Err(BadUrl::Path);
    }
    Ok(GitUrl { text: format!("file://{path}"), host: String::new(), credentials: None })
}

/// `user@host:path`.
fn short_form(text: &str) -> Option<Result<GitUrl, BadUrl>> {
    let (address, path) = text.split_once(':')?;
    let (user, host) = address.split_once('@')?;
    // A slash before the colon is git's own sign of a path.
    if address.contains('/') {
        return None;
    }
    let url = || {
        refuse_odd_characters(text)?;
        let (user, host) = (checked_user(user)?, checked_host(host)?);
        let path = path.trim_end_matches('/');
        if path.is_empty() || path.starts_with('-') || host.contains(':') {
            return Err(BadUrl::Path);
        }
        Ok(GitUrl { text: format!("{user}{host}:{path}"), host, credentials: None })
    };
    Some(url())
}

fn refuse_odd_characters(text: &str) -> Result<(), BadUrl> {
    match text.len() > MAX_URL_BYTES || text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        true => Err(BadUrl::Characters),
        false => Ok(()),
    }
}

/// A user name with its `@`. One that begins like an option is refused.
fn checked_user(user: &str) -> Result<String, BadUrl> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.+~".contains(c);
    match user {
        "" => Ok(String::new()),
        user if !user.starts_with('-') && user.chars().all(is_plain) => Ok(format!("{user}@")),
        _ => Err(BadUrl::Host),
    }
}

/// `host`, `host:port`, `[::1]:port`, in small letters.
fn checked_host(host: &str) -> Result<String, BadUrl> {
    let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, port)) => {
            let is_address = address.chars().all(|c| c.is_ascii_hexdigit() || ":.".contains(c));
            (if is_address { address } else { "" }, port.strip_prefix(':').unwrap_or(port))
        }
        None => host.split_once(':').unwrap_or((host, "")),
    };
    let is_plain = |c: char| c.is_alphanumeric() || "-_.:".contains(c);
    let is_name = !name.is_empty() && !name.starts_with('-') && name.chars().all(is_plain);
    match is_name && port.bytes().all(|b| b.is_ascii_digit()) {
        true => Ok(host.to_ascii_lowercase()),
        false => Err(BadUrl::Host),
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

fn before<'a>(text: &'a str, mark: &str) -> &'a str {
    text.split(mark).next().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(text: &str) -> String {
        match GitUrl::parse(text) {
            None => "no URL".to_owned(),
            Some(Ok(url)) => {
                let secret = if url.has_credentials() { " with credentials" } else { "" };
                format!("{url} = {}{secret}", url.name())
            }
            Some(Err(error)) => format!("refused: {error}"),
        }
    }

    #[track_caller]
    fn check(texts: &[&str], expect: expect_test::Expect) {
        let described: String = texts.iter().map(|text| describe(text) + "\n").collect();
        expect.assert_eq(&described);
    }

    #[test]
    fn urls_of_repositories() {
        check(
            &[
                "https://github.com/rust-lang/log",
                "HTTPS://GitHub.com:443/Rust-Lang/log.git/",
                "http://[::1]:80/a/b.git",
                "ssh://git@host.example:22/~me/a.git",
                "git@github.com:rust-lang/log.git",
                "git://host/a",
                "file:///srv/git/shop.git",
                "file://localhost/srv/git/.git",
                "https://host/a/b c.git",
            ],
            expect_test::expect![[r#"
                https://github.com/rust-lang/log = log
                https://github.com:443/Rust-Lang/log.git = log
                http://[::1]:80/a/b.git = b
                ssh://git@host.example:22/~me/a.git = a
                git@github.com:rust-lang/log.git = log
                git://host/a = a
                file:///srv/git/shop.git = shop
                file:///srv/git/.git = repository
                refused: it contains blanks or control characters, or is longer than 2000 bytes
            "#]],
        );
    }

    #[test]
    fn passwords_are_taken_out() {
        check(
            &[
                "https://ghp_secret@github.com/a/b",
                "https://me:p%40ss@host/a",
                "https://me:p@ss@host/a",
                "ssh://me:secret@host/a",
                "me:secret@host:a",
            ],
            expect_test::expect![[r#"
                https://github.com/a/b = b with credentials
                https://host/a = a with credentials
                https://host/a = a with credentials
                ssh://me@host/a = a
                no URL
            "#]],
        );
        let url = GitUrl::parse("https://me:secret@host/a").unwrap().unwrap();
        assert!(!format!("{url:?} {:?}", url.credentials()).contains("secret"));
    }

    #[test]
    fn what_could_be_taken_for_a_command_is_refused() {
        check(
            &[
                "ext::sh -c touch% /tmp/x",
                "fd::17/foo",
                "ext://sh",
                "ssh://-oProxyCommand=touch/x",
                "ssh://-oProxyCommand=x@host/y",
                "-oProxyCommand=x@host:y",
                "git@-host:y",
                "git@host:-y",
                "https://host/--upload-pack=x",
                "https://host/-x",
                "https://host",
                "https:///a",
                "https://ho st/a",
                "https://host/a\nhttps://b",
                "https://host/a?private_token=1",
                "https://host:80x/a",
                "file://server/share",
                "file:///",
                "ftp://host/a",
            ],
            expect_test::expect![[r#"
                refused: the protocol "ext" is not allowed
                refused: the protocol "fd" is not allowed
                refused: the protocol "ext" is not allowed
                refused: its host or user name is malformed
                refused: its host or user name is malformed
                refused: its host or user name is malformed
                refused: its host or user name is malformed
                refused: it does not name a repository
                refused: it does not name a repository
                refused: it does not name a repository
                refused: it does not name a repository
                refused: its host or user name is malformed
                refused: it contains blanks or control characters, or is longer than 2000 bytes
                refused: it contains blanks or control characters, or is longer than 2000 bytes
                refused: it has a query or a fragment
                refused: its host or user name is malformed
                refused: it names a file of another machine
                refused: it does not name a repository
                refused: the protocol "ftp" is not allowed
            "#]],
        );
    }

    #[test]
    fn a_url_says_which_server_or_directory_it_means() {
        let parts = |text: &str| {
            let url = GitUrl::parse(text).unwrap().unwrap();
            (url.server().map(str::to_owned), url.local_path())
        };
        let server = |name: &str| (Some(name.to_owned()), None);
        assert_eq!(parts("https://Host.example:8443/a/b"), server("host.example"));
        assert_eq!(parts("http://[::1]:80/a"), server("::1"));
        assert_eq!(parts("git@host.example:a/b"), server("host.example"));
        assert_eq!(parts("ssh://me@127.1/a"), server("127.1"));
        assert_eq!(parts("file:///srv/a%2Fb/%2e%2e"), (None, Some("/srv/a/b/..".into())));
    }

    #[test]
    fn directories_are_no_urls() {
        for directory in
            ["src", "../a", "/srv/a", "C:\\a", "C:/a", "a:b", "./git@host:a", "--upload-pack=x", "-a"]
        {
            assert_eq!(describe(directory), "no URL", "{directory}");
        }
    }
}
