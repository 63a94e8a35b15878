//! Secrets that are recognised by the text around them: Kubernetes' secrets, keys of JSON web keys, hashes of
//! passwords.

use std::ops::Range;

use super::place::{Place, is_secret};
use super::token::{decoded, is_base64, is_url_safe, run, run_before};

/// How far around a mark is looked.
const MAX_CONTEXT_BYTES: usize = 16 * 1024;

/// The values of `data` and `stringData` of the Kubernetes secrets around the `kind` at `mark`, whatever they are called.
///
/// Texts are scanned in blocks, each once: a file of nothing but such lines takes linear time, too.
pub(super) fn kubernetes(text: &str, mark: Range<usize>) -> Vec<Range<usize>> {
    let block = text.floor_char_boundary(mark.start / MAX_CONTEXT_BYTES * MAX_CONTEXT_BYTES);
    let before = &text[block..mark.start];
    let before = &before[before.rfind("\n---").unwrap_or_default()..];
    let is_seen = || before.match_indices("kind").any(|(at, kind)| is_of_secret(&before[at + kind.len()..]));
    if !is_of_secret(&text[mark.end..]) || is_seen() {
        return Vec::new();
    }
    let document = document_around(text, &mark);
    let body = &text[document.clone()];
    let mut secrets = Vec::new();
    let mut past = 0;
    for (at, name) in body.match_indices("ata").map(|(at, name)| (at + name.len(), &body[..at + name.len()]))
    {
        let is_block = name.ends_with("stringData") || name.ends_with("data") && !name.ends_with("metadata");
        if is_block && at >= past && body[at..].starts_with([':', '"', '\'']) {
            past = entries(body, at, &mut secrets);
        }
    }
    secrets.retain(|value| is_value_of_secret(&body[value.clone()]));
    secrets.iter().map(|value| document.start + value.start..document.start + value.end).collect()
}

/// Whether `Secret` is the value of the name before `rest`.
fn is_of_secret(rest: &str) -> bool {
    let kind = rest.trim_start_matches(['"', '\'', ':', ' ']);
    kind.strip_prefix("Secret").is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Text in base64 is judged by what it encodes.
fn is_value_of_secret(value: &str) -> bool {
    let is_text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    match decoded(value).filter(|text| text.iter().all(is_text)) {
        Some(text) => is_secret(Place::Address, text.trim_ascii()),
        None => is_secret(Place::Key, value.as_bytes()),
    }
}

/// Between the lines `---` around a place, within bounds.
fn document_around(text: &str, mark: &Range<usize>) -> Range<usize> {
    let block = mark.start / MAX_CONTEXT_BYTES * MAX_CONTEXT_BYTES;
    let from = text.floor_char_boundary(block.saturating_sub(MAX_CONTEXT_BYTES));
    let to = text.floor_char_boundary(mark.end.max(block + 2 * MAX_CONTEXT_BYTES));
    let start = text[from..mark.start].rfind("\n---").map_or(from, |at| from + at);
    let end = text[mark.end..to].find("\n---").map_or(to, |at| mark.end + at);
    start..end
}

/// The values of a block of YAML or an object of JSON behind its name; returns where it ends.
fn entries(body: &str, after_name: usize, values: &mut Vec<Range<usize>>) -> usize {
    let rest = body[after_name..].trim_start_matches(['"', '\'', ':', ' ']);
    let start = body.len() - rest.len();
    if rest.starts_with('{') {
        let end = start + rest.find('}').unwrap_or(rest.len());
        let mut at = start;
        while let Some(colon) = body[at..end].find(':') {
            let value = body[at + colon + 1..end].trim_start();
            let from = end - value.len();
            let Some(inner) = value.strip_prefix('"') else { break };
            let length = inner.find('"').unwrap_or(inner.len());
            values.push(from + 1..from + 1 + length);
            at = (from + 2 + length).min(end);
        }
        return end;
    }
    let name_line = body[..after_name].rfind('\n').map_or(0, |at| at + 1);
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let block_indent = indent(&body[name_line..]);
    let mut at = start;
    for line in rest.split_inclusive('\n') {
        let (line_start, content) = (at, line.trim());
        let is_entry = !content.is_empty() && !content.starts_with('#');
        if is_entry && indent(line) <= block_indent {
            return line_start;
        }
        at += line.len();
        let Some((name, value)) = content.split_once(": ").filter(|_| is_entry) else { continue };
        let value = value.trim();
        let from = line_start + line.find(value).unwrap_or(0).max(line.find(name).unwrap_or(0) + name.len());
        let is_quoted = value.len() > 1 && value.starts_with(['"', '\'']) && value.ends_with(['"', '\'']);
        let (from, value) = if is_quoted { (from + 1, &value[1..value.len() - 1]) } else { (from, value) };
        values.push(from..from + value.len());
    }
    at
}

/// The private parts of the JSON web key whose `kty` is at `mark`.
pub(super) fn json_web_key(text: &str, mark: Range<usize>) -> Vec<Range<usize>> {
    const MAX_KEY_BYTES: usize = 2048;
    const PRIVATE: &[&str] = &["d", "k", "p", "q", "dp", "dq", "qi"];
    let from = text.floor_char_boundary(mark.start.saturating_sub(MAX_KEY_BYTES));
    let to = text.floor_char_boundary(mark.end + MAX_KEY_BYTES);
    let start = text[from..mark.start].rfind(['{', '(']).map_or(from, |at| from + at);
    // Of several in one object the first has been looked around.
    if text[start..mark.start].contains("kty") {
        return Vec::new();
    }
    let end = text[mark.end..to].find(['}', ')']).map_or(to, |at| mark.end + at);
    let bytes = &text.as_bytes()[..end];
    let mut secrets = Vec::new();
    for colon in memchr::memchr2_iter(b':', b'=', &bytes[start..]).map(|at| start + at) {
        let name_end = text[..colon].trim_end_matches([' ', '"', '\'', '\\']).len();
        let n_name = run_before(text, name_end, 3, u8::is_ascii_alphanumeric);
        if !PRIVATE.contains(&&text[name_end - n_name..name_end]) {
            continue;
        }
        let value = end - text[colon + 1..end].trim_start_matches([' ', '"', '\'', '\\']).len();
        let length = bytes[value..].iter().take_while(|byte| is_url_safe(byte)).count();
        if length >= 16 && is_secret(Place::Mark, &bytes[value..value + length]) {
            secrets.push(value..value + length);
        }
    }
    secrets
}

/// `user:hash` of a password file, whose hash begins at `mark`: `$2y$05$…`, `$apr1$…`, `$6$…`.
pub(super) fn password_hash(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let is_hash =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'$' | b'.' | b'/' | b'=' | b',' | b'+');
    let length = run(text, mark.start, 200, is_hash);
    let before = text[..mark.start].trim_end_matches([' ', '"', '\'']);
    let is_given = before.ends_with(':') || before.ends_with("password") || before.ends_with("--iscrypted");
    let salt = mark.end - mark.start;
    let digest = &text.as_bytes()[mark.start + salt..mark.start + length.max(salt)];
    (is_given && length >= 34 && is_secret(Place::Mark, digest)).then_some(mark.start..mark.start + length)
}

/// The lines of OpenVPN's static key after the header that ends at `mark`.
pub(super) fn static_key(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let rest = &text[mark.end..text.floor_char_boundary(mark.end + 2048)];
    let body = &rest[..rest.find("-----END")?];
    let n_digits = body.bytes().filter(u8::is_ascii_hexdigit).count();
    let is_key = n_digits >= 256 && n_digits * 2 >= body.len();
    is_key.then(|| mark.end..mark.end + body.len())
}

/// Base64 of Docker's `{"auths": …}` from `mark` on.
pub(super) fn docker_config(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    if run_before(text, mark.start, 1, is_base64) > 0 {
        return None;
    }
    let length = run(text, mark.start, MAX_CONTEXT_BYTES, is_base64);
    let config = decoded(text[mark.start..mark.start + length].trim_end_matches('='))?;
    memchr::memmem::find(&config, b"\"auth").map(|_| mark.start..mark.start + length)
}

/// Base64 of `user:password` as the value of `"auth":` at `mark`.
pub(super) fn docker_auth(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let value = text[mark.end..].trim_start_matches([' ', '\\', '"']);
    super::address::basic(text, text.len() - value.len()..text.len() - value.len())
}

/// The value at `mark` that Terraform's state or a setting marks as sensitive.
pub(super) fn sensitive(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    const MAX_OBJECT_BYTES: usize = 400;
    let from = text.floor_char_boundary(mark.start.saturating_sub(MAX_OBJECT_BYTES));
    let to = text.floor_char_boundary(mark.end + MAX_OBJECT_BYTES);
    let start = text[from..mark.start].rfind('{').map_or(from, |at| from + at);
    let end = text[mark.end..to].find('}').map_or(to, |at| mark.end + at);
    let name = text[start..end].find("\"value\":")?;
    let value = text[start + name + 8..end].trim_start_matches([':', ' ']).strip_prefix('"')?;
    let value_start = end - value.len();
    let value = value_start..value_start + value.find('"')?;
    is_secret(Place::Argument, &text.as_bytes()[value.clone()]).then_some(value)
}

/// The forty letters next to an access key of Amazon at `key`.
pub(super) fn amazon_secret(text: &str, key: &Range<usize>) -> Option<Range<usize>> {
    const NEAR_BYTES: usize = 160;
    const SECRET_BYTES: usize = 40;
    let from = text.floor_char_boundary(key.start.saturating_sub(NEAR_BYTES));
    let to = text.floor_char_boundary(key.end + NEAR_BYTES);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let mut at = from;
    let runs = text.as_bytes()[from..to].split(|byte| !is_part(byte)).map(move |run| {
        let start = at;
        at += run.len() + 1;
        start..start + run.len()
    });
    runs.filter(|run| run.len() == SECRET_BYTES).find(|run| {
        let value = &text.as_bytes()[run.clone()];
        let has_cases = value.iter().any(u8::is_ascii_lowercase) && value.iter().any(u8::is_ascii_uppercase);
        has_cases && is_secret(Place::Mark, value)
    })
}

/// The words of a wallet's mnemonic in the value behind its name at `mark`.
pub(super) fn mnemonic(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let rest = &text[mark.end..text.floor_char_boundary(mark.end + 400)];
    let value = rest.trim_start_matches(|c: char| " \"'`:=\\({[".contains(c));
    let start = mark.end + rest.len() - value.len();
    let n_text = value.find(|c: char| !c.is_ascii_lowercase() && c != ' ').unwrap_or(value.len());
    let words: Vec<&str> = value[..n_text].trim_end().split(' ').collect();
    let is_mnemonic = matches!(words.len(), 12 | 15 | 18 | 21 | 24)
        && words.iter().all(|word| (3..=8).contains(&word.len()));
    let n_different = words.iter().collect::<std::collections::BTreeSet<_>>().len();
    (is_mnemonic && n_different * 3 >= words.len() * 2)
        .then(|| start..start + value[..n_text].trim_end().len())
}
