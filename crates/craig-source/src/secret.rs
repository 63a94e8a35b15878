//! Detects and masks secrets: environment files, private keys, live tokens, passwords.
//!
//! Files that are nothing but a secret are known by their names, and none of their text leaves this crate: `.env`, `id_rsa`,
//! key stores. In every other text secrets are overwritten with `*`, byte by byte, so that the rest can be searched
//! and no line and no offset moves:
//!
//! | found by | examples | closer look |
//! |---|---|---|
//! | a vendor's mark | `ghp_…`, `AKIA…`, `eyJ….….…` | its alphabet and length; it is random (`token.rs`) |
//! | a header | private keys, PEM or PuTTY's, plain or in base64 | key material follows (`private_key.rs`) |
//! | an address | `postgres://user:…@host`, `Basic …` | its host and user (`address.rs`) |
//! | a command | `mysql -p…`, `IDENTIFIED BY '…'`, `requirepass …` | the flag or the word that it takes (`command.rs`) |
//! | what is around | `kind: Secret`, `"kty":`, `AKIA…` | the block, the object, the line (`context.rs`) |
//! | a name | `password = "…"`, `<api_key>…</api_key>` | a literal, not an expression (`assignment.rs`) |
//!
//! Whether the value in such a place is a secret is decided once: points for what the place says (`place.rs`) and for what the
//! value looks like (`value.rs`).
//!
//! Samples of documentation (`AKIAIOSFODNN7EXAMPLE`, `postgres:postgres@localhost`) and keys cut short with an ellipsis stay
//! as they are. In files that tools keep credentials in, such as `.npmrc`, any value of a secret's name is overwritten.

mod address;
mod assignment;
mod command;
mod context;
mod patterns;
mod place;
mod private_key;
mod token;
mod value;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;

use crate::{FileKind, Language, language};
use assignment::STEMS;
use command::COMMANDS;
use patterns::Patterns;
use token::{LookAt, MARKS, SHORT_MARKS};

/// The secrets around a place of a text where a mark is.
type LookAround = fn(&str, Range<usize>) -> Vec<Range<usize>>;

/// `text` with every secret in it overwritten with `*`: same length, same lines.
///
/// For whatever is about to leave the process or to be kept and did not come from [`read`](crate::read), which does the
/// same: what an editor has not saved, a question, a request to a model.
pub fn mask_secrets(text: &str) -> Cow<'_, str> {
    masked(text, &find_secrets(text, FileSort::Prose))
}

/// The same for a text that would be saved as `path`; all of it where the file is secret for its name.
pub fn mask_text<'t>(path: &str, text: &'t str) -> Cow<'t, str> {
    match is_secret_by_name(path) {
        true => masked(text, std::slice::from_ref(&(0..text.len()))),
        false => masked(text, &find_secrets(text, FileSort::from_path(path, language(path, text)))),
    }
}

/// The same for the text of a file that was read.
pub(crate) fn mask_file(path: &str, language: Language, text: String) -> String {
    match masked(&text, &find_secrets(&text, FileSort::from_path(path, language))) {
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
pub fn is_secret_by_name(path: &str) -> bool {
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

/// The purpose of a file, which determines the meaning of a value without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileSort {
    /// Names and calls are written without quotes.
    Code,
    /// Values are: documentation, and texts of any other kind.
    Prose,
    /// Values are, and a line may be a name and a value: scripts of shells, settings.
    Settings,
    /// A file of a tool that keeps credentials in it.
    Credentials,
}

impl FileSort {
    fn from_path(path: &str, language: Language) -> Self {
        use Language::{Bash, Batch, Dockerfile, Makefile, PowerShell};
        match language.kind() {
            _ if keeps_credentials(path) => Self::Credentials,
            FileKind::Config => Self::Settings,
            FileKind::Code if matches!(language, Bash | PowerShell | Batch | Makefile | Dockerfile) => {
                Self::Settings
            }
            FileKind::Code => Self::Code,
            FileKind::Docs => Self::Prose,
        }
    }
}

/// Whether tools keep credentials in a file of this name, among other data.
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
    ("Static key V1-----", context::static_key),
    ("Basic ", address::basic),
    ("basic ", address::basic),
    (" -u ", address::user_flag),
    ("--user", address::user_flag),
    ("@tcp(", address::data_source),
    ("\"auth\":", context::docker_auth),
    ("auth\\\":", context::docker_auth),
    ("eyJhdXRocyI6", context::docker_config),
    ("\"sensitive\": true", context::sensitive),
    ("$2a$", context::password_hash),
    ("$2b$", context::password_hash),
    ("$2y$", context::password_hash),
    ("$apr1$", context::password_hash),
    ("$6$", context::password_hash),
    ("nemonic", context::mnemonic),
    ("NEMONIC", context::mnemonic),
    ("seed phrase", context::mnemonic),
    ("Seed:", context::mnemonic),
    ("seed\":", context::mnemonic),
    ("HDWalletProvider(", context::mnemonic),
];

/// Patterns around which several secrets may be.
const CONTEXTS: &[(&str, LookAround)] = &[
    ("kind", context::kubernetes),
    ("kty\"", context::json_web_key),
    ("kty'", context::json_web_key),
    ("kty:", context::json_web_key),
    ("kty=", context::json_web_key),
];

/// Marks of vendors, then headers, commands, contexts and parts of names.
static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let marks = MARKS.iter().map(|mark| mark.text);
    let headers = HEADERS.iter().map(|(header, _)| *header);
    let commands = COMMANDS.iter().map(|(name, _)| *name);
    let contexts = CONTEXTS.iter().map(|(mark, _)| *mark);
    Patterns::new(marks.chain(headers).chain(commands).chain(contexts).chain(STEMS.iter().copied()))
});

/// Patterns that are too short for the table: each is searched for by itself.
static SHORT: LazyLock<Vec<(memmem::Finder<'static>, LookAt)>> = LazyLock::new(|| {
    let marks = SHORT_MARKS.iter().copied().chain([("://", address::password as LookAt)]);
    marks.map(|(mark, look)| (memmem::Finder::new(mark), look)).collect()
});

/// The places of secrets: one pass for most patterns, and a detailed check only of candidates.
fn find_secrets(text: &str, sort: FileSort) -> Vec<Range<usize>> {
    let mut secrets = Vec::new();
    PATTERNS.for_each(text, |pattern, found| look(text, sort, pattern, found, &mut secrets));
    for (finder, look) in &*SHORT {
        let length = finder.needle().len();
        secrets.extend(finder.find_iter(text.as_bytes()).filter_map(|at| look(text, at..at + length)));
    }
    secrets
}

/// Looks closer at a pattern, by its number.
fn look(text: &str, sort: FileSort, pattern: usize, found: Range<usize>, secrets: &mut Vec<Range<usize>>) {
    let Some(pattern) = pattern.checked_sub(MARKS.len()) else {
        let Some(token) = token::secret(text, &MARKS[pattern], found) else { return };
        if MARKS[pattern].text == token::AMAZON {
            secrets.extend(context::amazon_secret(text, &token));
        }
        return secrets.push(token);
    };
    let Some(pattern) = pattern.checked_sub(HEADERS.len()) else {
        return secrets.extend(HEADERS[pattern].1(text, found));
    };
    let Some(pattern) = pattern.checked_sub(COMMANDS.len()) else {
        return secrets.extend(command::password(text, &COMMANDS[pattern].1, found));
    };
    match CONTEXTS.get(pattern) {
        Some((_, around)) => secrets.extend(around(text, found)),
        None => secrets.extend(assignment::secret(text, found, sort)),
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
