//! Keeps secrets in: environment files, private keys, live tokens.
//!
//! What is found decides over a whole file or over a few of its bytes:
//!
//! | found | in | the file's content |
//! |---|---|---|
//! | environment file, key store, credentials file, by name | – | [`Secret`](crate::Content::Secret) |
//! | live token | any file | `Secret` |
//! | private key with its key material | configuration, plain text, key file, unknown | `Secret` |
//! | private key with its key material | code, Markdown and other markup | text, the key material overwritten with `*` |
//!
//! The last row is for SSH and TLS libraries, whose tests and documentation are full of keys: they must stay findable,
//! and overwriting keeps every line and byte offset. A token counts as live when its vendor's prefix, alphabet and
//! length fit and it looks random; the samples of documentation (`AKIAIOSFODNN7EXAMPLE`) do not. A `BEGIN PRIVATE KEY`
//! line without key material is a mention, not a key.

use std::{ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, Match, packed};

/// Whether a file name is one of the `.env` family: `.env`, `.env.local`, `.envrc`, `production.env`.
pub(crate) fn is_env_file(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == ".envrc" || name.starts_with(".env.") || name.ends_with(".env")
}

/// Whether a file is secret for its name alone.
pub(crate) fn is_secret_by_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    is_env_file(&name)
        || SECRET_NAMES.contains(&name.as_str())
        || matches!(extension, "p12" | "pfx" | "ppk" | "jks" | "keystore" | "kdbx" | "bks")
}

const SECRET_NAMES: &[&str] = &[
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_ecdsa_sk",
    "id_ed25519_sk",
    "master.key",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".pypirc",
    ".htpasswd",
    ".git-credentials",
];

/// What a text gives away.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    /// Whether a live token is in it.
    pub(crate) has_token: bool,
    /// Where key material of private keys stands, in bytes, ascending.
    pub(crate) keys: Vec<Range<usize>>,
}

/// Looks through a text: one pass for all prefixes, and a closer look only where one is found.
pub(crate) fn find_secrets(text: &str) -> Findings {
    let mut findings = Findings::default();
    PREFIXES.for_each(text, |pattern, found| {
        if pattern == PRIVATE_KEY {
            findings.keys.extend(key_material(text, found.end));
        } else {
            findings.has_token |= is_live_token(text, found.start, &TOKENS[pattern - 1]);
        }
    });
    findings
}

/// Overwrites key material with `*`; line ends stay where they are.
pub(crate) fn mask(text: String, keys: &[Range<usize>]) -> String {
    let mut bytes = text.into_bytes();
    for key in keys {
        bytes[key.clone()]
            .iter_mut()
            .filter(|byte| !matches!(byte, b'\n' | b'\r'))
            .for_each(|byte| *byte = b'*');
    }
    // Key material is ASCII, so the text is still UTF-8.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Number of the pattern `PRIVATE KEY`; those of the tokens follow in the order of the table.
const PRIVATE_KEY: usize = 0;

/// Searches for all prefixes at once: with vector instructions, ten times as fast, where the processor has them.
enum Prefixes {
    Vectors(packed::Searcher),
    Automaton(AhoCorasick),
}

static PREFIXES: LazyLock<Prefixes> = LazyLock::new(|| {
    let patterns: Vec<_> =
        ["PRIVATE KEY"].into_iter().chain(TOKENS.iter().map(|token| token.prefix)).collect();
    match packed::Searcher::new(&patterns) {
        Some(searcher) => Prefixes::Vectors(searcher),
        None => Prefixes::Automaton(AhoCorasick::new(patterns).expect("a few short patterns fit any limit")),
    }
});

impl Prefixes {
    fn for_each(&self, text: &str, mut look: impl FnMut(usize, Range<usize>)) {
        let mut tell = |found: Match| look(found.pattern().as_usize(), found.range());
        match self {
            Prefixes::Vectors(searcher) => searcher.find_iter(text).for_each(&mut tell),
            Prefixes::Automaton(searcher) => searcher.find_iter(text).for_each(&mut tell),
        }
    }
}

/// How a vendor's tokens look.
struct Token {
    prefix: &'static str,
    /// Which bytes follow the prefix.
    alphabet: fn(&u8) -> bool,
    /// How many of them there may be.
    length: Range<usize>,
}

const fn token(prefix: &'static str, alphabet: fn(&u8) -> bool, length: Range<usize>) -> Token {
    Token { prefix, alphabet, length }
}

const TOKENS: &[Token] = &[
    token("AKIA", is_upper_alphanumeric, 16..17),
    token("ASIA", is_upper_alphanumeric, 16..17),
    token("AIza", is_url_safe, 35..36),
    token("ghp_", u8::is_ascii_alphanumeric, 36..256),
    token("gho_", u8::is_ascii_alphanumeric, 36..256),
    token("ghu_", u8::is_ascii_alphanumeric, 36..256),
    token("ghs_", u8::is_ascii_alphanumeric, 36..256),
    token("ghr_", u8::is_ascii_alphanumeric, 36..256),
    token("github_pat_", is_url_safe, 60..256),
    token("glpat-", is_url_safe, 20..64),
    token("sk_live_", u8::is_ascii_alphanumeric, 24..256),
    token("rk_live_", u8::is_ascii_alphanumeric, 24..256),
    token("xoxb-", is_url_safe, 40..256),
    token("xoxp-", is_url_safe, 40..256),
    token("xoxa-", is_url_safe, 40..256),
    token("xoxs-", is_url_safe, 40..256),
    token("xapp-", is_url_safe, 40..256),
    token("npm_", u8::is_ascii_alphanumeric, 36..37),
    token("pypi-AgEI", is_url_safe, 50..512),
    token("sk-ant-", is_url_safe, 80..256),
    token("sk-proj-", is_url_safe, 40..256),
];

fn is_upper_alphanumeric(byte: &u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn is_url_safe(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_live_token(text: &str, start: usize, token: &Token) -> bool {
    let bytes = text.as_bytes();
    if start > 0 && is_url_safe(&bytes[start - 1]) {
        return false;
    }
    let body = &bytes[start + token.prefix.len()..];
    let length = body.iter().take_while(|byte| (token.alphabet)(byte)).count();
    let ends_there = !body.get(length).is_some_and(u8::is_ascii_alphanumeric);
    ends_there && token.length.contains(&length) && looks_random(&body[..length])
}

/// Random letters repeat little, follow no alphabet, hold a digit, and spell no excuse.
fn looks_random(body: &[u8]) -> bool {
    let lower = body.to_ascii_lowercase();
    let excuses: [&[u8]; 7] = [b"example", b"fake", b"dummy", b"test", b"xxxx", b"your", b"0000"];
    let is_excuse = |word: &&[u8]| lower.windows(word.len()).any(|window| window == *word);
    body.iter().any(u8::is_ascii_digit)
        && entropy_bits(&lower) >= MIN_ENTROPY_BITS
        && !lower.windows(5).any(is_sequence)
        && !excuses.iter().any(is_excuse)
}

/// Sixteen random letters and digits have 3.5 bits on average and next to never fewer than this.
const MIN_ENTROPY_BITS: f64 = 2.8;

/// Shannon entropy of one byte, as this text spreads its bytes.
fn entropy_bits(text: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    text.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
    let share = |count: u32| f64::from(count) / text.len() as f64;
    counts.into_iter().filter(|&count| count > 0).map(|count| -share(count) * share(count).log2()).sum()
}

/// `12345`, `abcde`, `aaaaa`.
fn is_sequence(window: &[u8]) -> bool {
    [0, 1].iter().any(|step| window.windows(2).all(|pair| pair[1] == pair[0].wrapping_add(*step)))
}

/// Base64 letters that make a key: less is a sample with an ellipsis.
const MIN_KEY_LETTERS: usize = 64;

/// `-----BEGIN ` and the kind of the key; `ENCRYPTED` is the longest.
const MAX_HEADER_BYTES: usize = 64;

/// RSA keys of 16,384 bits have 12,800 bytes.
const MAX_KEY_BYTES: usize = 16 * 1024;

/// The key material after the words `PRIVATE KEY` at `end`, if they are part of a header and any follows.
///
/// Whatever a language puts between the lines of a literal is passed over: quotes, `\n`, `+`, indentation, comment
/// marks. Headers such as `Proc-Type: 4,ENCRYPTED` are, too.
fn key_material(text: &str, end: usize) -> Option<Range<usize>> {
    let after = text[end..].strip_prefix(" BLOCK").unwrap_or(&text[end..]).strip_prefix("-----")?;
    let before = &text[text.floor_char_boundary(end.saturating_sub(MAX_HEADER_BYTES))..end];
    let header = &before[before.rfind("-----BEGIN ")?..];
    if header.contains('\n') {
        return None;
    }
    let start = text.len() - after.len();
    let material = &after[..after.floor_char_boundary(MAX_KEY_BYTES)];
    let material = &material[..material.find("-----").unwrap_or(material.len())];
    let material = &material[..material.find(|c: char| !c.is_ascii()).unwrap_or(material.len())];
    let n_letters: usize =
        material.split(|c: char| !is_base64(c)).map(str::len).filter(|length| *length >= 16).sum();
    (n_letters >= MIN_KEY_LETTERS).then(|| start..start + material.len())
}

fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')
}

#[cfg(test)]
mod tests;
