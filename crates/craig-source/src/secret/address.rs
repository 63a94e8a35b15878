//! Passwords in addresses: `postgres://user:password@host`.

use std::ops::Range;

use super::random::{looks_like_key, may_be_password};
use super::token::is_base64;

/// The longest user and password together.
const MAX_USER_BYTES: usize = 512;

/// The password of the address whose `://` ends at `after`.
pub(super) fn password(text: &str, after: usize) -> Option<Range<usize>> {
    let bytes = &text.as_bytes()[after..];
    let bytes = &bytes[..bytes.len().min(MAX_USER_BYTES)];
    let ends_authority = |byte: &u8| {
        byte.is_ascii_whitespace()
            || matches!(
                byte,
                b'/' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'|' | b'(' | b')' | b',' | b'?'
            )
    };
    let authority = &bytes[..bytes.iter().position(ends_authority).unwrap_or(bytes.len())];
    let at = authority.iter().rposition(|byte| *byte == b'@')?;
    let (given, host) = (&authority[..at], &authority[at + 1..]);
    let is_host_start = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'[' | b'$' | b'{' | b'%');
    if !host.first().is_some_and(is_host_start) {
        return None;
    }
    match given.iter().position(|byte| *byte == b':') {
        Some(colon) => {
            let (user, password) = (&given[..colon], &given[colon + 1..]);
            let is_password = !user.starts_with(b"[") && is_likely_password(user, password);
            is_password.then_some(after + colon + 1..after + at)
        }
        // A token alone: `https://TOKEN@host`.
        None => {
            let is_web = text[..after].ends_with("https://") || text[..after].ends_with("http://");
            (is_web && looks_like_key(given)).then_some(after..after + at)
        }
    }
}

fn is_likely_password(user: &[u8], password: &[u8]) -> bool {
    let repeats_user = user.len() > 2 && password.starts_with(user);
    !repeats_user && may_be_password(password)
}

/// What `Basic ` at `mark` is followed by: base64 of a user and a password.
pub(super) fn basic(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let length =
        text.as_bytes()[mark.end..].iter().take(MAX_USER_BYTES).take_while(|byte| is_base64(byte)).count();
    let value = mark.end..mark.end + length;
    let decoded = super::token::decoded(&text[value.clone()]).filter(|_| length >= 12)?;
    let colon = decoded.iter().position(|byte| *byte == b':')?;
    let (user, password) = (&decoded[..colon], &decoded[colon + 1..]);
    (user.is_ascii() && is_likely_password(user, password)).then_some(value)
}

/// What a flag for a user at `mark` is followed by: `curl -u user:password`.
pub(super) fn user_flag(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let rest = text[mark.end..].trim_start_matches(['"', '\'', ' ', '=']);
    let given = &rest[..rest.find([' ', '"', '\'', '\n', '\r', '\t', '\\', '`']).unwrap_or(rest.len())];
    let (user, password) = given.split_once(':')?;
    let start = text.len() - rest.len() + user.len() + 1;
    let is_password = is_likely_password(user.as_bytes(), password.as_bytes());
    is_password.then(|| start..start + password.len())
}

/// The password of `machine HOST login USER password PASSWORD` before whose password `mark` stands.
pub(super) fn netrc(text: &str, name: Range<usize>) -> Option<Range<usize>> {
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
    (value.len() < after.len() && is_likely_password(b"", password)).then_some(start..start + length)
}
