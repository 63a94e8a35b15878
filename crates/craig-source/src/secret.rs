//! Keeps secrets in: environment files, private keys, live tokens, passwords.
//!
//! Files that are nothing but a secret are known by their names, and none of their text leaves this crate: `.env`, `id_rsa`,
//! key stores. In every other text secrets are overwritten with `*`, byte by byte, so that the rest can be searched
//! and no line and no offset moves:
//!
//! | found by | examples | closer look |
//! |---|---|---|
//! | a vendor's mark | `ghp_…`, `AKIA…`, `eyJ….….…` | its alphabet and length; it is random (`token.rs`) |
//! | a header | private keys, PEM or PuTTY's, plain or in base64 | key material follows (`private_key.rs`) |
//! | an address | `postgres://user:…@host`, `Basic …` | no sample (`address.rs`) |
//! | a name | `password = "…"`, `<api_key>…</api_key>` | a literal that is no placeholder, word or sample (`assignment.rs`) |
//!
//! Samples of documentation (`AKIAIOSFODNN7EXAMPLE`, `postgres:postgres@localhost`) and keys cut short with an ellipsis stay
//! as they are. In files that tools keep credentials in, such as `.npmrc`, any value of a secret's name is overwritten.

mod address;
mod assignment;
mod prefixes;
mod private_key;
mod random;
mod token;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;

use crate::{FileKind, Language, language};
use prefixes::Prefixes;
use token::{Look, LookAt, MARKS, SHORT_MARKS};

/// `text` with every secret in it overwritten with `*`: same length, same lines.
///
/// For whatever is about to leave the process or to be kept and did not come from [`read`](crate::read), which does the
/// same: what an editor has not saved, a question, a request to a model.
pub fn mask_secrets(text: &str) -> Cow<'_, str> {
    masked(text, &find_secrets(text, Place::Prose))
}

/// The same for a text that would be saved as `path`; all of it where the file is secret for its name.
pub fn mask_text<'t>(path: &str, text: &'t str) -> Cow<'t, str> {
    match is_secret_by_name(path) {
        true => masked(text, std::slice::from_ref(&(0..text.len()))),
        false => masked(text, &find_secrets(text, Place::from_path(path, language(path, text)))),
    }
}

/// The same for the text of a file that was read.
pub(crate) fn mask_file(path: &str, language: Language, text: String) -> String {
    match masked(&text, &find_secrets(&text, Place::from_path(path, language))) {
        Cow::Borrowed(_) => text,
        Cow::Owned(masked) => masked,
    }
}

/// Whether a file name is one of the `.env` family: `.env`, `.env.local`, `.envrc`, `production.env`.
pub(crate) fn is_env_file(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == ".envrc" || name.starts_with(".env.") || name.ends_with(".env")
}

/// Whether a file is secret for its name alone.
pub(crate) fn is_secret_by_name(path: &str) -> bool {
    let name = craig_text::path::name(path).to_ascii_lowercase();
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

/// Where a text stands, which decides what a value without quotes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Names and calls are written without quotes.
    Code,
    /// Values are.
    Prose,
    /// A file of a tool that keeps credentials in it.
    Credentials,
}

impl Place {
    fn from_path(path: &str, language: Language) -> Self {
        if keeps_credentials(path) {
            Self::Credentials
        } else if language.kind() == FileKind::Code
            && !matches!(language, Language::Bash | Language::PowerShell | Language::Batch)
        {
            Self::Code
        } else {
            Self::Prose
        }
    }
}

/// Whether tools keep credentials in a file of this name, beside other things.
fn keeps_credentials(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let folder = folder.rsplit('/').next().unwrap_or_default();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_data =
        matches!(extension, "yaml" | "yml" | "json" | "toml" | "ini" | "properties" | "cfg" | "conf" | "xml");
    let is_secrets = matches!(stem, "secrets" | "secret" | "credentials" | "creds") && is_data;
    is_secrets
        || CREDENTIAL_FILES.contains(&name)
        || matches!(extension, "tfstate" | "tfvars")
        || name.contains(".tfstate.")
        || name.ends_with(".tfvars.json")
        || CREDENTIAL_FOLDERS.iter().any(|(of, file)| folder == *of && name == *file)
}

const CREDENTIAL_FILES: &[&str] = &[
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    "kubeconfig",
    ".dockercfg",
    ".dockerconfigjson",
    "wp-config.php",
    ".s3cfg",
    ".boto",
    ".my.cnf",
    ".mylogin.cnf",
    ".terraformrc",
    "terraform.rc",
    "credentials.tfrc.json",
    "rclone.conf",
    ".msmtprc",
    ".fetchmailrc",
    ".netrc.gpg",
    ".pgpass",
    ".mailrc",
    ".muttrc",
    ".vault-token",
    "settings-security.xml",
    ".databrickscfg",
    ".snowsql",
    ".sentryclirc",
    ".gemrc",
];

const CREDENTIAL_FOLDERS: &[(&str, &str)] = &[
    (".aws", "credentials"),
    (".aws", "config"),
    (".docker", "config.json"),
    (".kube", "config"),
    (".cargo", "credentials"),
    (".gem", "credentials"),
    (".m2", "settings.xml"),
    ("gh", "hosts.yml"),
    (".azure", "accesstokens.json"),
    (".composer", "auth.json"),
];

/// Patterns that are neither a vendor's mark nor part of a name.
const HEADERS: &[(&str, LookAt)] = &[
    ("PRIVATE KEY", private_key::pem),
    ("LS0tLS1CRUdJTi", private_key::encoded_pem),
    ("9w0BAQEFAASC", private_key::pkcs8),
    ("Private-Lines", private_key::putty),
    ("Basic ", address::basic),
    ("basic ", address::basic),
    (" -u ", address::user_flag),
    ("--user", address::user_flag),
];

/// Marks of vendors, then headers.
static MARKS_AND_HEADERS: LazyLock<Prefixes> = LazyLock::new(|| {
    let marks = MARKS.iter().map(|mark| mark.text);
    Prefixes::new(&marks.chain(HEADERS.iter().map(|(header, _)| *header)).collect::<Vec<_>>())
});

/// Apart from the marks: of patterns that overlap only one is found.
static STEMS: LazyLock<Prefixes> = LazyLock::new(|| Prefixes::new(assignment::STEMS));

static SHORT: LazyLock<Vec<(memmem::Finder<'static>, LookAt)>> =
    LazyLock::new(|| SHORT_MARKS.iter().map(|(mark, look)| (memmem::Finder::new(mark), *look)).collect());

static ADDRESS: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new("://"));

/// Where secrets stand: a few passes for all patterns, and a closer look only where one is found.
fn find_secrets(text: &str, place: Place) -> Vec<Range<usize>> {
    let mut secrets = Vec::new();
    MARKS_AND_HEADERS.for_each(text, |pattern, found| secrets.extend(secret_at(text, pattern, found)));
    STEMS.for_each(text, |_, stem| {
        secrets.extend(assignment::secret(text, stem.clone(), place).or_else(|| address::netrc(text, stem)));
    });
    for (finder, look) in &*SHORT {
        let length = finder.needle().len();
        secrets.extend(finder.find_iter(text.as_bytes()).filter_map(|at| look(text, at..at + length)));
    }
    secrets.extend(ADDRESS.find_iter(text.as_bytes()).filter_map(|at| address::password(text, at + 3)));
    secrets
}

/// The secret at a mark or header, by its number.
fn secret_at(text: &str, pattern: usize, found: Range<usize>) -> Option<Range<usize>> {
    let Some(mark) = MARKS.get(pattern) else { return HEADERS[pattern - MARKS.len()].1(text, found) };
    match &mark.look {
        Look::Token { alphabet, length } => token::token_at(text, found, *alphabet, length),
        Look::At(look) => look(text, found),
    }
}

/// Overwrites secrets with `*`; line ends stay where they are.
fn masked<'t>(text: &'t str, secrets: &[Range<usize>]) -> Cow<'t, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    for secret in secrets {
        let start = text.floor_char_boundary(secret.start);
        let end = text.ceil_char_boundary(secret.end);
        bytes[start..end]
            .iter_mut()
            .filter(|byte| !matches!(byte, b'\n' | b'\r'))
            .for_each(|byte| *byte = b'*');
    }
    // Whole characters were overwritten, so the text is still UTF-8.
    Cow::Owned(String::from_utf8(bytes).unwrap_or_default())
}

#[cfg(test)]
mod tests;
