//! Passwords in addresses: `postgres://user:password@host`.

use std::ops::Range;

use super::place::{Place, is_secret};
use super::token::is_base64;

/// The longest user and password together.
const MAX_USER_BYTES: usize = 512;

/// The password of the address whose `://` is at `mark`.
pub(super) fn password(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let after = mark.end;
    let bytes = &text.as_bytes()[after..];
    let bytes = &bytes[..bytes.len().min(MAX_USER_BYTES)];
    let ends_authority = |byte: &u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'/' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'|' | b'(' | b')' | b',')
    };
    let authority = &bytes[..bytes.iter().position(ends_authority).unwrap_or(bytes.len())];
    let at = authority.iter().rposition(|byte| *byte == b'@')?;
    let (given, host) = (&authority[..at], &authority[at + 1..]);
    let is_host_start = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'[' | b'$' | b'{' | b'%');
    if !host.first().is_some_and(is_host_start) || given.starts_with(b"[") {
        return None;
    }
    let place = if is_sample_host(host) { Place::LocalAddress } else { Place::Address };
    let n_user = given.iter().position(|byte| *byte == b':').unwrap_or(given.len());
    let (user, password) = (&given[..n_user], given.get(n_user + 1..).unwrap_or_default());
    if user.contains(&b'?') {
        return None;
    }
    if is_password(place, user, password) {
        return Some(after + n_user + 1..after + at);
    }
    // A token alone, or with what GitHub takes for a password: `https://TOKEN:x-oauth-basic@host`.
    let is_web = text[..after].ends_with("https://") || text[..after].ends_with("http://");
    let is_alone = password.is_empty() || password == b"x-oauth-basic";
    (is_web && is_alone && is_secret(Place::Token, user)).then_some(after..after + n_user)
}

/// Whether a password for `user` is one, and neither a sample nor the name again.
fn is_password(place: Place, user: &[u8], password: &[u8]) -> bool {
    let repeats_user = user.len() > 2 && password.starts_with(user);
    !repeats_user && is_secret(place, password)
}

/// This machine, a name that resolves on no other, or what RFC 2606 reserves for samples.
fn is_sample_host(host: &[u8]) -> bool {
    let n_name = host.iter().position(|byte| *byte == b':').unwrap_or(host.len());
    let name = host[..n_name].to_ascii_lowercase();
    let is_sample = [&b"example"[..], b"localhost", b"foo", b"test"]
        .iter()
        .any(|word| memchr::memmem::find(&name, word).is_some());
    is_sample || !name.contains(&b'.') || name.starts_with(b"127.") || name.starts_with(b"0.")
}

/// What `Basic ` at `mark` is followed by: base64 of a user and a password.
pub(super) fn basic(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let length =
        text.as_bytes()[mark.end..].iter().take(MAX_USER_BYTES).take_while(|byte| is_base64(byte)).count();
    let value = mark.end..mark.end + length;
    let decoded = super::token::decoded(&text[value.clone()]).filter(|_| length >= 12)?;
    let colon = decoded.iter().position(|byte| *byte == b':')?;
    let (user, password) = (&decoded[..colon], &decoded[colon + 1..]);
    (user.is_ascii() && is_password(Place::Argument, user, password)).then_some(value)
}

/// What a flag for a user at `mark` is followed by: `curl -u user:password`.
pub(super) fn user_flag(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let rest = text[mark.end..].trim_start_matches(['"', '\'', ' ', '=']);
    let given = &rest[..rest.find([' ', '"', '\'', '\n', '\r', '\t', '\\', '`']).unwrap_or(rest.len())];
    let (user, password) = given.split_once(':')?;
    let start = text.len() - rest.len() + user.len() + 1;
    is_password(Place::Argument, user.as_bytes(), password.as_bytes()).then(|| start..start + password.len())
}

/// The password of `machine HOST login USER password PASSWORD` before whose password `mark` stands.
pub(super) fn netrc(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    const LOOK_BACK_BYTES: usize = 300;
    if !text[name.end..].starts_with([' ', '\t']) {
        return None;
    }
    let before = &text[text.floor_char_boundary(name.start.saturating_sub(LOOK_BACK_BYTES))..name.start];
    let has_word = |word: &str| before.rfind(word).is_some();
    if !has_word("login ") || !(has_word("machine ") || has_word("default ")) {
        return None;
    }
    let after = &text[name.end..];
    let value = after.trim_start_matches([' ', '\t']);
    let start = text.len() - value.len();
    let length = value
        .find(|c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'' | '`' | '\\'))
        .unwrap_or(value.len());
    let password = &value.as_bytes()[..length];
    (value.len() < after.len() && is_password(Place::Argument, b"", password))
        .then_some(start..start + length)
}

/// The password before `@tcp(` of Go's data source names: `user:password@tcp(host)/name`.
pub(super) fn data_source(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let before = &text[text.floor_char_boundary(mark.start.saturating_sub(128))..mark.start];
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '=' | '/');
    let given = before.rsplit(is_end).next()?;
    let (user, password) = given.split_once(':')?;
    let host = &text[mark.end..text.floor_char_boundary(mark.end + 64)];
    let place = if is_sample_host(host.as_bytes()) { Place::LocalAddress } else { Place::Address };
    is_password(place, user.as_bytes(), password.as_bytes()).then(|| mark.start - password.len()..mark.start)
}
