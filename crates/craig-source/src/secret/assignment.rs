//! Secrets by what they are called: `password = "…"`, `"api_key": "…"`, `<token>…</token>`, `--secret …`.

use std::ops::Range;

use super::Place;
use super::random::{is_placeholder, is_uuid, looks_like_key, looks_like_password, may_be_weak_password};

/// What the name says of the value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Passwords, which people make up.
    Password,
    /// Keys and secrets, which are drawn.
    Key,
    /// Tokens, of which parsers have other ones.
    Token,
}

/// Parts of names to search for, in the cases that they are written in. Their first letter is left out where that joins two
/// cases.
pub(super) const STEMS: &[&str] = &[
    "assword",
    "ASSWORD",
    "assWord",
    "asswd",
    "ASSWD",
    "assphrase",
    "_pass",
    "_PASS",
    "Pass=",
    "pass:",
    "pass=",
    "pass\"",
    "pass'",
    "pass =",
    "PASS=",
    "PASS:",
    "ecret",
    "ECRET",
    "oken",
    "OKEN",
    "pi_key",
    "PI_KEY",
    "pikey",
    "piKey",
    "PIKey",
    "pi-key",
    "PI-KEY",
    "pi-Key",
    "cess_key",
    "CESS_KEY",
    "cessKey",
    "cesskey",
    "vate_key",
    "VATE_KEY",
    "vateKey",
    "ountKey",
    "tion_key",
    "TION_KEY",
    "tionKey",
    "ning_key",
    "auth_key",
    "AUTH_KEY",
    "authKey",
    "redential",
    "REDENTIAL",
    "earer ",
    "EARER ",
    "_auth",
    "\"auth\"",
    "_SALT",
    "NONCE_KEY",
    "LOGGED_IN_KEY",
    "key-data",
    "pwd=",
    "pwd:",
    "pwd\"",
    "pwd'",
    "pwd =",
    "Pwd=",
    "Pwd\"",
    "Pwd:",
    "PWD=",
    "PWD:",
    "PWD\"",
];

/// The secret whose name a stem at `stem` is part of.
pub(super) fn secret(text: &str, stem: Range<usize>, place: Place) -> Option<Range<usize>> {
    let name = name_around(text, &stem);
    let kind = kind_of(&text[name.clone()], place)?;
    let operator = Operator::after(text, &name)?;
    let value = Value::at(text, &operator, &name, place)?;
    let bytes = &text.as_bytes()[value.range.clone()];
    let is_secret = match place {
        Place::Credentials => is_given(bytes),
        _ if matches!(operator, Operator::Follows(_)) => bytes.len() >= 20 && looks_like_key(bytes),
        // Names of resources are joined so: `secretsmanager:…:secret:NAME`.
        _ if text[..name.start].ends_with(':') && text[name.end..].starts_with(':') => false,
        _ if value.is_quoted => is_secret(kind, bytes),
        // What is compared with something unquoted is compared with a name.
        _ if text[name.end..operator.value_start()].contains("==") => false,
        Place::Code => is_secret(kind, bytes) && !is_expression(bytes),
        Place::Prose => is_secret(kind, bytes) && !is_call(bytes),
    };
    is_secret.then_some(value.range)
}

/// Letters, digits and what joins them in names, around `stem`.
fn name_around(text: &str, stem: &Range<usize>) -> Range<usize> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let bytes = text.as_bytes();
    let last_letter = stem.end - text[stem.clone()].bytes().rev().take_while(|byte| !is_name(byte)).count();
    let n_before = bytes[..stem.start].iter().rev().take(80).take_while(|byte| is_name(byte)).count();
    let n_after = match last_letter == stem.end {
        true => bytes[stem.end..].iter().take(80).take_while(|byte| is_name(byte)).count(),
        false => 0,
    };
    let start = stem.start - n_before;
    start + text[start..].bytes().take_while(|byte| !is_name(byte)).count()..last_letter + n_after
}

/// What a name promises, if its last word is one of a secret's: `db_password`, but not `password_field`.
fn kind_of(name: &str, place: Place) -> Option<Kind> {
    let (letters, n_letters) = letters(name);
    let name = std::str::from_utf8(&letters[..n_letters]).unwrap_or_default();
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let name = SUFFIXES
        .iter()
        .fold(name, |name, suffix| name.strip_suffix(suffix).filter(|rest| rest.len() > 3).unwrap_or(name));
    let ends = |words: &[&str]| words.iter().any(|word| name.ends_with(word));
    match () {
        () if ends(PASSWORDS) => Some(Kind::Password),
        () if ends(NO_SECRETS) => None,
        () if ends(TOKENS) => Some(Kind::Token),
        () if ends(KEYS) => Some(Kind::Key),
        () if place == Place::Credentials && ends(CREDENTIALS) => Some(Kind::Key),
        () => None,
    }
}

/// The letters and digits of a name in lower case. Names are looked at so often that nothing is allocated for them.
fn letters(name: &str) -> ([u8; MAX_NAME_BYTES], usize) {
    let mut letters = [0; MAX_NAME_BYTES];
    let bytes = name.bytes().filter(u8::is_ascii_alphanumeric).take(MAX_NAME_BYTES);
    let n_letters = bytes.enumerate().map(|(at, byte)| letters[at] = byte.to_ascii_lowercase()).count();
    (letters, n_letters)
}

/// A stem, and eighty bytes on either side.
const MAX_NAME_BYTES: usize = 192;

/// What names end with that says nothing of their value.
const SUFFIXES: &[&str] = &[
    "production",
    "prod",
    "staging",
    "dev",
    "live",
    "base64",
    "b64",
    "value",
    "plain",
    "text",
    "primary",
    "secondary",
];

const PASSWORDS: &[&str] = &["password", "passwd", "passphrase", "pwd", "pass", "passwort"];

const TOKENS: &[&str] = &["token", "bearer"];

const KEYS: &[&str] = &[
    "secret",
    "secrets",
    "secretkey",
    "secretkeybase",
    "secretaccesskey",
    "tokensecret",
    "apikey",
    "accesskey",
    "privatekey",
    "accountkey",
    "encryptionkey",
    "signingkey",
    "authkey",
    "noncekey",
    "loggedinkey",
    "applicationkey",
    "subscriptionkey",
    "salt",
];

/// Names that are a secret's only in files of credentials.
const CREDENTIALS: &[&str] = &["auth", "credential", "credentials", "keydata"];

/// Names of what anybody may see: marks of pages, requests and public keys.
const NO_SECRETS: &[&str] = &[
    "publickeytoken",
    "nexttoken",
    "pagetoken",
    "continuationtoken",
    "clienttoken",
    "requesttoken",
    "synctoken",
    "verificationtoken",
    "cancellationtoken",
    "publictoken",
    "markertoken",
    "csrftoken",
    "publicsecret",
];

fn is_secret(kind: Kind, value: &[u8]) -> bool {
    match kind {
        Kind::Password => looks_like_password(value) || may_be_weak_password(value),
        Kind::Key => looks_like_password(value),
        Kind::Token => looks_like_key(value) && !is_uuid(value),
    }
}

/// In files that hold nothing but credentials, whatever is given counts.
fn is_given(value: &[u8]) -> bool {
    let text = value.to_ascii_lowercase();
    value.len() >= 6
        && !is_placeholder(value)
        && !matches!(&*text, b"null" | b"none" | b"true" | b"false" | b"undefined")
}

/// A name with an opening parenthesis, as in the code of documentation.
fn is_call(value: &[u8]) -> bool {
    let n_name = value
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':'))
        .count();
    n_name > 2 && value.get(n_name) == Some(&b'(')
}

/// What code writes without quotes: names, calls, numbers.
fn is_expression(value: &[u8]) -> bool {
    let is_name =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-' | b'>' | b'?');
    let value = value.trim_ascii_end().strip_suffix(b"!").unwrap_or(value);
    let n_digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_literal = n_digits >= 4 || n_digits >= 1 && !value.contains(&b'.') && looks_like_key(value);
    value.iter().any(|byte| matches!(byte, b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'$' | b';'))
        || value.iter().all(is_name) && !(value.len() >= 20 && is_literal)
}

/// Between a name and its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    /// `=`, `:`, `=>` and the like; the value begins at the place.
    Assigns(usize),
    /// `>` of an element of XML.
    Encloses(usize),
    /// A blank: after a flag of a command line, or after `Bearer`.
    Blank(usize),
    /// A blank: `aws configure set aws_secret_access_key …`.
    Follows(usize),
    /// A comma between quoted arguments: `define('DB_PASSWORD', '…')`.
    Precedes(usize),
}

impl Operator {
    fn after(text: &str, name: &Range<usize>) -> Option<Self> {
        let mut rest = Rest { text, at: name.end };
        let is_quoted = rest.skip_quote();
        rest.skip_while(|byte| byte == b']');
        let is_flag = text[name.clone()].starts_with("--");
        let is_bearer = text[name.clone()].eq_ignore_ascii_case("bearer");
        if (is_flag || is_bearer) && rest.peek() == Some(b' ') {
            return Some(Self::Blank(rest.at + 1));
        }
        if !is_quoted && rest.peek() == Some(b'>') && text[..name.start].ends_with('<') {
            return Some(Self::Encloses(rest.at + 1));
        }
        let n_before_blanks = rest.at;
        rest.skip_blanks();
        if is_quoted && rest.skip_words(&["value=", "Value=", "content="]) {
            return Some(Self::Assigns(rest.at));
        }
        let opens_call = !is_quoted
            && rest.peek() == Some(b'(')
            && matches!(text.as_bytes().get(rest.at + 1), Some(b'"' | b'\'' | b'`'));
        if opens_call {
            return Some(Self::Assigns(rest.at + 1));
        }
        match rest.peek()? {
            b',' if is_quoted => {
                let value = rest.value_below();
                rest.at = value.unwrap_or(rest.at + 1);
                rest.skip_blanks();
                return Some(if value.is_some() { Self::Assigns(rest.at) } else { Self::Precedes(rest.at) });
            }
            b'=' | b':' => rest.skip_operator()?,
            b'\n' | b'\r' if rest.value_below().is_some() => {}
            // What holds when a variable is not set: `process.env.TOKEN || "…"`.
            b'|' | b'?' | b'o' if rest.skip_words(&["||", "??", "or "]) => {}
            _ if !is_quoted && rest.at > n_before_blanks => return Some(Self::Follows(rest.at)),
            _ => return None,
        }
        if let Some(at) = rest.value_below() {
            rest.at = at;
        }
        rest.skip_blanks();
        rest.skip_block_mark();
        rest.skip_wrapper();
        Some(Self::Assigns(rest.at))
    }

    fn value_start(self) -> usize {
        let (Self::Assigns(at)
        | Self::Encloses(at)
        | Self::Blank(at)
        | Self::Follows(at)
        | Self::Precedes(at)) = self;
        at
    }
}

/// What follows a name.
struct Rest<'t> {
    text: &'t str,
    at: usize,
}

impl Rest<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_while(&mut self, is_skipped: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&is_skipped) {
            self.at += 1;
        }
    }

    fn skip_blanks(&mut self) {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t'));
    }

    /// A quote, escaped or not.
    fn skip_quote(&mut self) -> bool {
        let start = self.at;
        self.skip_while(|byte| byte == b'\\');
        let is_quote = matches!(self.peek(), Some(b'"' | b'\'' | b'`'));
        self.at = if is_quote { self.at + 1 } else { start };
        is_quote
    }

    fn skip_words(&mut self, words: &[&str]) -> bool {
        let rest = &self.text[self.at..];
        let found = words.iter().find(|word| rest.starts_with(**word));
        self.at += found.map_or(0, |word| word.len());
        found.is_some()
    }

    /// `|` before a text of several lines in YAML, of which the first is looked at.
    fn skip_block_mark(&mut self) {
        let rest = &self.text[self.at..];
        let below = rest.strip_prefix(['|', '>']).map(|rest| rest.trim_start_matches(['-', '+', ' ']));
        if let Some(below) = below.filter(|below| below.starts_with(['\n', '\r'])) {
            self.at = self.text.len() - below.trim_ascii_start().len();
        }
    }

    /// What makes another type of a literal: `String::from(`, `new SecretString(`.
    fn skip_wrapper(&mut self) {
        let rest = self.text[self.at..].trim_start_matches("new ");
        let is_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '<' | '>' | '!');
        let after = rest.trim_start_matches(is_path).strip_prefix('(');
        if let Some(literal) = after.filter(|after| after.starts_with(['"', '\'', '`'])) {
            self.at = self.text.len() - literal.len();
        }
    }

    /// `=`, `:`, `:=`, `=>`, `==`; a type between a colon and `=` as well: `token: &str =`.
    fn skip_operator(&mut self) -> Option<()> {
        let start = self.at;
        self.skip_while(|byte| matches!(byte, b'=' | b':' | b'>' | b'~'));
        if self.at - start > 3 {
            return None;
        }
        let rest = &self.text[self.at..];
        let annotation = &rest[..rest.floor_char_boundary(48)];
        let is_type = |c: char| c.is_ascii_alphanumeric() || " &'<>_[]?|.:".contains(c);
        if self.text.as_bytes()[start] == b':'
            && let Some(equals) = annotation.find("= ")
            && annotation[..equals].chars().all(is_type)
            && annotation[..equals].chars().any(char::is_alphabetic)
        {
            self.at += equals + 1;
        }
        Some(())
    }

    /// Where the value begins if the name stands as the value of `name`, beside `value`, as in lists of variables:
    /// `name: DB_PASSWORD`, and `value: …` on the next line.
    fn value_below(&self) -> Option<usize> {
        let rest = &self.text[self.at..];
        let below = rest.trim_start_matches(['\r', '\n', ' ', '\t', ',']);
        let key =
            ["value:", "\"value\":", "Value:", "\"Value\":"].iter().find(|key| below.starts_with(**key))?;
        Some(self.text.len() - below.len() + key.len())
    }
}

/// A value as it is written.
struct Value {
    range: Range<usize>,
    is_quoted: bool,
}

/// The longest value that is looked at.
const MAX_VALUE_BYTES: usize = 4_096;

impl Value {
    fn at(text: &str, operator: &Operator, name: &Range<usize>, place: Place) -> Option<Self> {
        let start = operator.value_start();
        if matches!(operator, Operator::Assigns(_) | Operator::Precedes(_)) {
            let mut rest = Rest { text, at: start };
            // Literals of bytes, raw texts and the like: b"…", r#"…"#, @"…", L"…".
            rest.skip_while(|byte| matches!(byte, b'b' | b'r' | b'f' | b'u' | b'L' | b'@' | b'#'));
            let before = rest.at;
            if rest.skip_quote() {
                return quoted(text, before, rest.at);
            }
        }
        if matches!(operator, Operator::Precedes(_)) {
            return None;
        }
        let value = &text[start..text.floor_char_boundary(start + MAX_VALUE_BYTES)];
        let value = &value[..value.find(char::is_whitespace).unwrap_or(value.len())];
        let in_query = text[..name.start].ends_with(['?', '&']);
        let ends: &[char] = match (operator, place) {
            (Operator::Encloses(_), _) => &['<'],
            (Operator::Blank(_) | Operator::Follows(_), _) => &['"', '\'', '`', '\\', ','],
            _ if in_query => &['&', '"', '\'', '`', '<', '>', ')', '\\', '#', ',', ';'],
            (_, Place::Code) => &['"', '\'', '`', '<', ',', ';', '\\', '&', ')'],
            _ => &['"', '\'', '`', '<', '\\', ';'],
        };
        let end = value.find(ends).unwrap_or(value.len());
        if matches!(operator, Operator::Encloses(_)) && !value[end..].starts_with("</") {
            return None;
        }
        let value = &value[..end];
        let value = value.trim_end_matches([',', ')', ']', '}']);
        (!value.is_empty()).then(|| Self { range: start..start + value.len(), is_quoted: false })
    }
}

/// The text between quotes, the first of which is written from `open` to `start`.
fn quoted(text: &str, open: usize, start: usize) -> Option<Value> {
    let quote = &text[open..start];
    let limit = text.floor_char_boundary(start + MAX_VALUE_BYTES);
    let body = &text[start..limit];
    // Three quotes begin a text of several lines.
    let (body, start) = match body.strip_prefix(&[quote, quote].concat()) {
        Some(rest) => (rest, start + 2 * quote.len()),
        None => (body, start),
    };
    let mark = quote.as_bytes()[quote.len() - 1];
    let is_escaped_quote = quote.len() > 1;
    let bytes = body.as_bytes();
    let mut end = 0;
    while end < bytes.len() && bytes[end] != b'\n' {
        match bytes[end] {
            b'\\' if is_escaped_quote && bytes[end..].starts_with(quote.as_bytes()) => break,
            b'\\' => end += 1,
            byte if byte == mark => break,
            _ => {}
        }
        end += 1;
    }
    // Without a second quote the first is none.
    let is_closed = bytes.get(end).is_some_and(|byte| *byte != b'\n');
    (end > 0 && is_closed && body.is_char_boundary(end))
        .then(|| Value { range: start..start + end, is_quoted: true })
}
