//! Secrets by their names: `password = "…"`, `"api_key": "…"`, `<token>…</token>`, `--secret …`.

use std::ops::Range;

use super::{FileSort, address};
use memchr::memmem;

use super::place::{Place, is_secret};
use super::value::is_uuid;

/// Parts of names to search for, in the cases that they are written in. As many as one pass of a vector search takes; their first
/// letter is left out where that joins two cases.
pub(super) const STEMS: &[&str] = &[
    "pass",
    "Pass",
    "PASS",
    "ecret",
    "ECRET",
    "oken",
    "OKEN",
    "_key",
    "_KEY",
    "-key",
    "-Key",
    "-KEY",
    "pikey",
    "piKey",
    "PIKey",
    "cesskey",
    "cessKey",
    "vateKey",
    "Key=",
    "Key =",
    "Key:",
    "Key\"",
    "Key'",
    "Key>",
    "redential",
    "REDENTIAL",
    "earer ",
    "EARER ",
    "_auth",
    "\"auth\"",
    "uthtok",
    "_SALT",
    "pwd=",
    "pwd:",
    "pwd\"",
    "pwd'",
    "pwd ",
    "pwd)",
    "Pwd=",
    "Pwd:",
    "Pwd\"",
    "Pwd'",
    "Pwd ",
    "Pwd)",
    "Pwd>",
    "pwd>",
    "PWD=",
    "PWD:",
    "PWD\"",
    "PWD'",
    "PWD ",
    "indPW",
    "psk=",
    "psk\"",
    "_PSK",
    "Cookie",
    "COOKIE",
    "\"result",
    "PSK \"",
];

/// The secret whose name a stem at `stem` is part of.
pub(super) fn secret(text: &str, stem: Range<usize>, sort: FileSort) -> Option<Range<usize>> {
    let name = name_around(text, &stem);
    let named = place_of(text, &name, sort)?;
    let operator = Operator::after(text, &name, sort)?;
    let value = Value::at(text, &operator, &name, sort)?;
    let bytes = &text.as_bytes()[value.range.clone()];
    let place = match operator {
        Operator::Follows(_) => Place::Near,
        _ if named == Place::Credentials && is_template(text, name.start) => return None,
        _ => named,
    };
    // Names of resources are joined so: `secretsmanager:…:secret:NAME`.
    if matches!(operator, Operator::Follows(_))
        && let Some(password) = address::netrc(text, &name)
    {
        return Some(password);
    }
    let is_resource = text[..name.start].ends_with(':') && text[name.end..].starts_with(':');
    let is_near_enough = place != Place::Near || bytes.len() >= 20;
    let is_drawn = !matches!(place, Place::Token | Place::Near) || !is_uuid(bytes);
    let is_given = value.is_quoted
        || is_literal(text, &name, &operator, &value, sort)
            && !(sort == FileSort::Code
                && place == Place::Token
                && is_any_key(&text[name.clone()])
                && is_text_of_code(text, &name, value.range.end));
    (!is_resource && is_near_enough && is_drawn && is_given && is_secret(place, bytes)).then_some(value.range)
}

/// Whether a value without quotes is written as it is, rather than as the name of another or a call.
fn is_literal(text: &str, name: &Range<usize>, operator: &Operator, value: &Value, sort: FileSort) -> bool {
    let bytes = &text.as_bytes()[value.range.clone()];
    // What is compared with something unquoted is compared with a name.
    if text[name.end..operator.value_start()].contains("==") || is_call(bytes) {
        return false;
    }
    let is_name = !bytes.iter().any(u8::is_ascii_digit) && !is_secret(Place::Token, bytes);
    let is_markup = matches!(operator, Operator::Encloses(_));
    if bytes.starts_with(b"(")
        || bytes.starts_with(b"|")
        || is_name && !is_markup && sort != FileSort::Credentials
    {
        return false;
    }
    match sort {
        FileSort::Code => {
            !is_expression(bytes)
                || bytes.iter().any(u8::is_ascii_digit)
                    && !bytes.iter().any(|byte| b"()[]{}".contains(byte))
                    && is_text_of_code(text, name, value.range.end)
        }
        FileSort::Credentials | FileSort::Settings | FileSort::Prose => !is_template(text, value.range.start),
    }
}

/// Whether code has a name in a comment or a literal, as in `"Server=db;Password=…"`.
fn is_text_of_code(text: &str, name: &Range<usize>, value_end: usize) -> bool {
    const MAX_LINE_BYTES: usize = 400;
    let from = text.floor_char_boundary(name.start.saturating_sub(MAX_LINE_BYTES));
    let line = &text[from..name.start];
    let line = &line[line.rfind('\n').map_or(0, |at| at + 1)..];
    let is_comment = ["//", "#", "*", "/*", "--"].iter().any(|mark| line.trim_start().starts_with(mark));
    let mut open = None;
    let mut is_escaped = false;
    for byte in line.bytes() {
        match open {
            _ if is_escaped => is_escaped = false,
            Some(_) if byte == b'\\' => is_escaped = true,
            Some(quote) if byte == quote => open = None,
            None if matches!(byte, b'"' | b'\'' | b'`') => open = Some(byte),
            _ => {}
        }
    }
    let rest = &text[value_end..text.floor_char_boundary(value_end + MAX_LINE_BYTES)];
    let rest = &rest[..rest.find('\n').unwrap_or(rest.len())];
    is_comment || open.is_some_and(|quote| rest.as_bytes().contains(&quote))
}

/// Whether a place is inside of a template's `{{ … }}`.
fn is_template(text: &str, at: usize) -> bool {
    let before = &text[text.floor_char_boundary(at.saturating_sub(200))..at];
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    line.rfind("{{").is_some_and(|open| !line[open..].contains("}}"))
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

/// The evidence of a name, if its last word names a secret: `db_password`, but not `password_field`.
fn place_of(text: &str, name: &Range<usize>, sort: FileSort) -> Option<Place> {
    let name = &text[name.clone()];
    let (letters, n_letters) = letters(name);
    let letters = std::str::from_utf8(&letters[..n_letters]).unwrap_or_default();
    let letters = letters.trim_end_matches(|c: char| c.is_ascii_digit());
    let letters = SUFFIXES.iter().fold(letters, |name, suffix| {
        name.strip_suffix(suffix).filter(|rest| rest.len() > 3).unwrap_or(name)
    });
    let ends = |words: &[&str]| words.iter().any(|word| letters.ends_with(word));
    let in_credentials = sort == FileSort::Credentials;
    let named = match () {
        () if ends(PASSWORDS) => Place::Password,
        () if letters.ends_with("pass") && is_separate_pass(name) => Place::Password,
        () if ends(NO_SECRETS) => return None,
        () if ends(KEYS) || name.ends_with("_SALT") => Place::Key,
        // A variable that a shell passes to programs is not a token of a parser.
        () if ends(TOKENS) && sort != FileSort::Code && !name.contains(|c: char| c.is_ascii_lowercase()) => {
            Place::Key
        }
        () if ends(TOKENS) || is_any_key(name) => Place::Token,
        () if in_credentials && ends(CREDENTIALS) => Place::Key,
        () => return None,
    };
    let is_any_key = named == Place::Token && !ends(TOKENS);
    Some(if in_credentials && !is_any_key { Place::Credentials } else { named })
}

/// Whether a name is that of some key: `license_key`, but not `entry.key`.
fn is_any_key(name: &str) -> bool {
    let is_key = name.len() > "x_key".len() && name.to_ascii_lowercase().ends_with("key");
    is_key && !name.ends_with(".key") && !name.ends_with(".Key")
}

/// Whether `pass` is a word of a name, as in `db_pass` and `smtpPass`, and not the end of another, as in `bypass`.
fn is_separate_pass(name: &str) -> bool {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let before = name.len().saturating_sub("pass".len());
    name.ends_with("Pass")
        || before == 0
        || name.get(..before).is_some_and(|name| name.ends_with(['_', '-', '.']))
}

/// The letters and digits of a name in lower case. It does not allocate, because names are checked very often.
fn letters(name: &str) -> ([u8; MAX_NAME_BYTES], usize) {
    let mut letters = [0; MAX_NAME_BYTES];
    let bytes = name.bytes().filter(u8::is_ascii_alphanumeric).take(MAX_NAME_BYTES);
    let n_letters = bytes.enumerate().map(|(at, byte)| letters[at] = byte.to_ascii_lowercase()).count();
    (letters, n_letters)
}

/// A stem, and eighty bytes on either side.
const MAX_NAME_BYTES: usize = 192;

/// Endings of names that are no evidence about their values.
const SUFFIXES: &[&str] = &[
    "production",
    "prod",
    "staging",
    "dev",
    "live",
    "base64",
    "b64",
    "value",
    "equals",
    "plain",
    "text",
    "primary",
    "secondary",
];

const PASSWORDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "passwort",
    "bindpw",
    "storepass",
    "keypass",
    "psk",
    "authtok",
    "erlangcookie",
];

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
    "unsealkey",
    "apitoken",
    "authtoken",
    "clientkeydata",
];

/// Names that are a secret's only in files of credentials.
const CREDENTIALS: &[&str] = &["auth", "credential", "credentials", "result"];

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
    "publickey",
    "primarykey",
    "foreignkey",
    "cachekey",
    "partitionkey",
    "sortkey",
    "sitekey",
    "objectkey",
    "publishablekey",
    "verifykey",
    "verificationkey",
];

/// A name with an opening parenthesis, as in the code of documentation.
fn is_call(value: &[u8]) -> bool {
    let n_name = value
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':'))
        .count();
    n_name > 2 && value.get(n_name) == Some(&b'(')
}

/// Unquoted expressions of code: names, calls, numbers.
fn is_expression(value: &[u8]) -> bool {
    let is_name =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-' | b'>' | b'?');
    let value = value.trim_ascii_end().strip_suffix(b"!").unwrap_or(value);
    let n_digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_literal =
        n_digits >= 4 || n_digits >= 1 && !value.contains(&b'.') && is_secret(Place::Token, value);
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
    fn after(text: &str, name: &Range<usize>, sort: FileSort) -> Option<Self> {
        let mut rest = Rest { text, at: name.end };
        let is_quoted = rest.skip_quote();
        rest.skip_while(|byte| byte == b']');
        let is_flag = text[name.clone()].starts_with('-');
        let is_bearer = text[name.clone()].eq_ignore_ascii_case("bearer");
        if (is_flag || is_bearer) && rest.peek() == Some(b' ') {
            return Some(Self::Blank(rest.at + 1));
        }
        if !is_quoted && rest.peek() == Some(b'>') && text[..name.start].ends_with('<') {
            return Some(Self::Encloses(rest.at + 1));
        }
        if let Some(at) = rest.enclosed(name.start) {
            return Some(Self::Encloses(at));
        }
        let n_before_blanks = rest.at;
        rest.skip_blanks();
        if is_quoted && rest.skip_words(&["value=", "Value=", "content=", "android:value="]) {
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
            b'{' if rest.default_below().is_some() => return rest.default_below().map(Self::Assigns),
            // The default if a variable is not set: `process.env.TOKEN || "…"`.
            b'|' | b'?' | b'o' if rest.skip_words(&["||", "??", "or "]) => {}
            // `PASSWORD '…'` of SQL, `password "…"` of Gradle.
            b'"' | b'\'' if !is_quoted && rest.at > n_before_blanks => return Some(Self::Assigns(rest.at)),
            _ if !is_quoted && rest.at > n_before_blanks && rest.is_directive(name.start, sort) => {
                return Some(Self::Assigns(rest.at));
            }
            _ if !is_quoted && rest.at > n_before_blanks => return Some(Self::Follows(rest.at)),
            _ => return None,
        }
        if let Some(at) = rest.value_below() {
            rest.at = at;
        }
        rest.skip_blanks();
        if let Some(at) = rest.default_below() {
            return Some(Self::Assigns(at));
        }
        rest.skip_words(&["** ", "`"]);
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

/// The text after a name.
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

    /// `|` before a text of several lines in YAML; only the first line is checked.
    fn skip_block_mark(&mut self) {
        let rest = &self.text[self.at..];
        let below = rest.strip_prefix(['|', '>']).map(|rest| rest.trim_start_matches(['-', '+', ' ']));
        if let Some(below) = below.filter(|below| below.starts_with(['\n', '\r'])) {
            self.at = self.text.len() - below.trim_ascii_start().len();
        }
    }

    /// Conversions of a literal to another type: `String::from(`, `new SecretString(`.
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

    /// Where the value begins if the name is that of an element: `<string name="api_key">…`, or is the element before it, as in
    /// property lists: `<key>ApiKey</key><string>…`.
    fn enclosed(&self, name_start: usize) -> Option<usize> {
        let rest = &self.text[self.at..];
        if self.text[..name_start].ends_with("=\"") {
            let tag = &rest[..rest.floor_char_boundary(80)];
            let end = tag.find(['<', '>', '\n']).filter(|end| tag[*end..].starts_with('>'))?;
            let is_text = rest[end + 1..].starts_with(|c: char| !c.is_whitespace() && c != '<');
            return is_text.then_some(self.at + end + 1);
        }
        let value = rest.strip_prefix("</key>")?.trim_ascii_start().strip_prefix("<string>")?;
        Some(self.text.len() - value.len())
    }

    /// Whether the name is a line's first word and the value its second and last, as in settings of servers.
    fn is_directive(&self, name_start: usize, sort: FileSort) -> bool {
        let before = &self.text[..name_start];
        let is_first = before.trim_end_matches([' ', '\t']).is_empty()
            || before.trim_end_matches([' ', '\t']).ends_with('\n');
        let value = &self.text[self.at..];
        let line = &value[..value.floor_char_boundary(128)];
        let line = line[..line.find('\n').unwrap_or(line.len())].trim_ascii_end();
        sort != FileSort::Code && is_first && !line.is_empty() && !line.contains([' ', '\t'])
    }

    /// Where the value begins if the name is that of a block that gives it: `variable "password" { default = "…" }`.
    fn default_below(&self) -> Option<usize> {
        const MAX_BLOCK_BYTES: usize = 400;
        let rest = &self.text[self.at..];
        let is_block = rest.starts_with(['{', '\n', '\r']) && !rest.starts_with("{{");
        let block = is_block.then(|| &rest[..rest.floor_char_boundary(MAX_BLOCK_BYTES)])?;
        let block = &block[..block.find('}').unwrap_or(block.len())];
        let keys = ["default ", "default=", "\"value\":", "Default:"];
        let (at, key) =
            keys.iter().find_map(|key| memmem::find(block.as_bytes(), key.as_bytes()).map(|at| (at, key)))?;
        // All lines of a YAML block are indented further than its name.
        let is_inside = block.starts_with('{') || {
            let before = &self.text[..self.at];
            let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
            let indent = line.len() - line.trim_start_matches(' ').len();
            let deeper = |line: &str| {
                line.trim().is_empty() || line.len() - line.trim_start_matches(' ').len() > indent
            };
            block[..at].split('\n').skip(1).all(deeper) && block[..at].ends_with(' ')
        };
        let value = block[at + key.len()..].trim_start_matches([' ', '=', ':', '\t']);
        is_inside.then(|| self.at + block.len() - value.len())
    }

    /// Where the value begins if the name stands as the value of `name`, beside `value`, as in lists of variables:
    /// `name: DB_PASSWORD`, and `value: …` on the next line.
    fn value_below(&self) -> Option<usize> {
        let rest = &self.text[self.at..];
        let below = rest.trim_start_matches(['\r', '\n', ' ', '\t', ',']);
        let key = ["value:", "\"value\":", "Value:", "\"Value\":", "\"ParameterValue\":", "ParameterValue:"]
            .iter()
            .find(|key| below.starts_with(**key))?;
        Some(self.text.len() - below.len() + key.len())
    }
}

/// A value as written.
struct Value {
    range: Range<usize>,
    is_quoted: bool,
}

/// The longest value that is checked.
const MAX_VALUE_BYTES: usize = 4_096;

impl Value {
    fn at(text: &str, operator: &Operator, name: &Range<usize>, sort: FileSort) -> Option<Self> {
        let start = operator.value_start();
        if !matches!(operator, Operator::Encloses(_)) {
            let mut rest = Rest { text, at: start };
            // Literals of bytes, raw texts and the like: b"…", r#"…"#, @"…", L"…".
            rest.skip_while(|byte| matches!(byte, b'b' | b'r' | b'f' | b'u' | b'L' | b'N' | b'@' | b'#'));
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
        let ends: &[char] = match (operator, sort) {
            (Operator::Encloses(_), _) => &['<'],
            (Operator::Blank(_) | Operator::Follows(_), _) => &['"', '\'', '`', '\\', ','],
            _ if in_query => &['&', '"', '\'', '`', '<', '>', ')', '\\', '#', ',', ';'],
            (_, FileSort::Code) => &['"', '\'', '`', '<', ',', ';', '\\', '&', ')'],
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
    // Without a second quote, the first is not a quote.
    let is_closed = bytes.get(end).is_some_and(|byte| *byte != b'\n');
    (end > 0 && is_closed && body.is_char_boundary(end))
        .then(|| Value { range: start..start + end, is_quoted: true })
}
