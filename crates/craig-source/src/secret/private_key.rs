//! Private keys: PEM in every spelling, PEM in base64, PuTTY's files.

use std::ops::Range;

use super::token::{decoded, is_base64, run_before};

/// Base64 letters that make a key: less is a sample with an ellipsis.
const MIN_KEY_LETTERS: usize = 64;

/// `-----BEGIN ` and the kind of the key; `ENCRYPTED` is the longest.
const MAX_HEADER_BYTES: usize = 64;

/// RSA keys of 16,384 bits have 12,800 bytes.
const MAX_KEY_BYTES: usize = 16 * 1024;

/// The key material after the words `PRIVATE KEY` at `mark`, if they are part of a header and any follows.
///
/// Whatever a language puts between the lines of a literal is passed over: quotes, `\n`, `+`, indentation, comment
/// marks. Headers such as `Proc-Type: 4,ENCRYPTED` are, too.
pub(super) fn pem(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let end = mark.end;
    let after = text[end..].strip_prefix(" BLOCK").unwrap_or(&text[end..]);
    let after = after.strip_prefix("-----").or_else(|| after.strip_prefix(" ----"))?;
    let before = &text[text.floor_char_boundary(end.saturating_sub(MAX_HEADER_BYTES))..end];
    let header = &before[before.rfind("---- BEGIN ").or_else(|| before.rfind("-----BEGIN "))?..];
    if header.contains('\n') {
        return None;
    }
    let start = text.len() - after.len();
    let material = &after[..after.floor_char_boundary(MAX_KEY_BYTES)];
    let material = match material.find("----") {
        Some(end) => &material[..end],
        // A key that was cut off: as far as its lines go.
        None => &material[..lines_of_key(material)],
    };
    let material = &material[..material.find(|c: char| !c.is_ascii()).unwrap_or(material.len())];
    let n_letters: usize = runs(material).map(str::len).filter(|length| *length >= 16).sum();
    // Code that looks for headers has long names as well.
    let is_key = n_letters >= MIN_KEY_LETTERS && n_letters * 2 >= material.len();
    is_key.then(|| start..start + material.len())
}

fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii() || !is_base64(&(c as u8)))
}

/// Bytes of the first lines that hold a run of base64 and little else, after the rest of the header's line.
fn lines_of_key(text: &str) -> usize {
    let is_key = |line: &str| {
        let longest = runs(line).map(str::len).max().unwrap_or_default();
        line.trim().is_empty() || longest >= 16 && longest * 4 >= line.trim().len() * 3
    };
    text.split_inclusive('\n')
        .enumerate()
        .take_while(|(at, line)| *at == 0 || is_key(line))
        .map(|(_, line)| line.len())
        .sum()
}

/// A private key that was put into base64 with its PEM header, as in a kubeconfig: the whole run around the mark, which is
/// the base64 of `-----BEGIN`.
pub(super) fn encoded_pem(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let beginning: String =
        text[mark.start..].chars().filter(|c| !c.is_ascii_whitespace()).take(80).collect();
    let beginning = &beginning
        [..beginning.find(|c: char| !c.is_ascii() || !is_base64(&(c as u8))).unwrap_or(beginning.len())];
    let header = decoded(&beginning[..beginning.len() / 4 * 4])?;
    memchr::memmem::find(&header, b"PRIVATE KEY")?;
    Some(mark.start..wrapped_run_end(text, mark.start))
}

/// A private key's bytes in base64 without a header: the mark is the base64 of what PKCS #8 says of RSA keys.
pub(super) fn pkcs8(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let start = mark.start - run_before(text, mark.start, 64, is_base64);
    let end = wrapped_run_end(text, start);
    (end - start >= 200 && text[start..].starts_with("MII")).then_some(start..end)
}

/// Where base64 from `start` on ends, be it wrapped over lines.
fn wrapped_run_end(text: &str, start: usize) -> usize {
    let bytes = &text.as_bytes()[start..];
    let mut end = 0;
    for line in bytes[..bytes.len().min(2 * MAX_KEY_BYTES)].split_inclusive(|byte| *byte == b'\n') {
        let indent = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let n_letters = line[indent..].iter().take_while(|byte| is_base64(byte)).count();
        let is_whole = line[indent + n_letters..].iter().all(u8::is_ascii_whitespace);
        if n_letters < 4 || end > 0 && !is_whole {
            break;
        }
        if !is_whole {
            return start + end + indent + n_letters;
        }
        end += line.len();
    }
    start + bytes[..end].trim_ascii_end().len()
}

/// The lines that PuTTY's key files count after `Private-Lines`.
pub(super) fn putty(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let after = text[mark.end..].strip_prefix(": ")?;
    let (count, rest) = after.split_once('\n')?;
    let n_lines: usize = count.trim().parse().ok()?;
    let start = text.len() - rest.len();
    let length: usize = rest.split_inclusive('\n').take(n_lines.min(400)).map(str::len).sum();
    rest[..length].is_ascii().then_some(start..start + length)
}
