//! Where a database is.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use crate::StoreError;
use crate::error::causes;

/// Where a database is: a file on this machine, or a PostgreSQL server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DatabaseAddress {
    /// A file of SQLite.
    File(PathBuf),
    /// A database on a server.
    Server(ServerAddress),
}

/// The address of a database on a PostgreSQL server: `postgres://user@host:port/database?sslmode=require`. It is printed
/// without a password.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ServerAddress(String);

/// What the address of a server begins with.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

impl DatabaseAddress {
    /// The path of the file; `None` if the database is on a server.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Server(_) => None,
        }
    }

    /// Fails if it is the address of something else than a file or a PostgreSQL server, or of a server with a password.
    pub fn check(&self) -> Result<(), StoreError> {
        match self {
            Self::File(path) => match path.to_str().and_then(|path| path.split_once("://")) {
                Some((scheme, _)) => Err(StoreError::Address { scheme: scheme.to_owned() }),
                None => Ok(()),
            },
            Self::Server(address) => address.settings().map(drop),
        }
    }

    /// Whether there is a database to open: its file exists, or it is on a server, which may refuse it.
    pub fn may_exist(&self) -> bool {
        self.file().is_none_or(Path::exists)
    }

    /// The text that [`from`](Self::from) reads.
    pub fn to_path(&self) -> PathBuf {
        match self {
            Self::File(path) => path.clone(),
            Self::Server(ServerAddress(address)) => address.into(),
        }
    }
}

impl From<PathBuf> for DatabaseAddress {
    fn from(path: PathBuf) -> Self {
        match path.to_str().filter(|path| SCHEMES.iter().any(|scheme| path.starts_with(scheme))) {
            Some(address) => Self::Server(ServerAddress(address.to_owned())),
            None => Self::File(path),
        }
    }
}

impl From<&Path> for DatabaseAddress {
    fn from(path: &Path) -> Self {
        path.to_owned().into()
    }
}

impl From<&PathBuf> for DatabaseAddress {
    fn from(path: &PathBuf) -> Self {
        path.clone().into()
    }
}

impl From<&str> for DatabaseAddress {
    fn from(path: &str) -> Self {
        PathBuf::from(path).into()
    }
}

impl fmt::Display for DatabaseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Server(address) => address.fmt(f),
        }
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, rest) = self.0.split_once("://").unwrap_or(("postgres", &self.0));
        // Options may contain a password, too.
        let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
        match rest.rsplit_once('@') {
            Some((user, host)) => {
                let user = user.split_once(':').map_or(user, |(user, _)| user);
                write!(f, "{scheme}://{user}@{host}")
            }
            None => write!(f, "{scheme}://{rest}"),
        }
    }
}

impl fmt::Debug for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// How a server is reached.
pub(crate) struct ServerSettings {
    pub(crate) config: postgres::Config,
    /// PEM of the authority that signed the server's certificate; `None` for those that the system trusts.
    pub(crate) root_certificate: Option<PathBuf>,
}

impl ServerAddress {
    /// The parsed address. Fails if it contains a password: arguments of programs are visible to everybody on a machine.
    pub(crate) fn settings(&self) -> Result<ServerSettings, StoreError> {
        let refused = |reason: String| StoreError::ServerAddress { reason };
        let (address, root_certificate) = without_certificate_options(&self.0);
        // The parser's errors name options, not values.
        let config = postgres::Config::from_str(&address).map_err(|error| refused(causes(&error)))?;
        if config.get_password().is_some_and(|password| !password.is_empty()) {
            return Err(refused("it contains a password, which others could see".to_owned()));
        }
        if config.get_dbname().is_none() {
            return Err(refused("it names no database".to_owned()));
        }
        Ok(ServerSettings { config, root_certificate })
    }
}

/// The address without the options that the client library does not know: `sslrootcert`, and the modes that verify the server's
/// certificate, which `require` does here, too.
fn without_certificate_options(address: &str) -> (String, Option<PathBuf>) {
    let Some((base, options)) = address.split_once('?') else { return (address.to_owned(), None) };
    let mut root_certificate = None;
    let mut kept = Vec::new();
    for option in options.split('&') {
        match option.split_once('=') {
            Some(("sslrootcert", path)) => {
                root_certificate =
                    Some(percent_encoding::percent_decode_str(path).decode_utf8_lossy().into_owned());
            }
            Some(("sslmode", "verify-ca" | "verify-full")) => kept.push("sslmode=require"),
            _ => kept.push(option),
        }
    }
    let separator = if kept.is_empty() { "" } else { "?" };
    (format!("{base}{separator}{}", kept.join("&")), root_certificate.map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(address: &str) -> ServerAddress {
        match DatabaseAddress::from(address) {
            DatabaseAddress::Server(address) => address,
            DatabaseAddress::File(path) => panic!("{} is no address", path.display()),
        }
    }

    #[test]
    fn an_address_is_printed_without_a_password() {
        for (address, printed) in [
            ("postgres://craig@db.example/index", "postgres://craig@db.example/index"),
            ("postgresql://a:s3cr3t@db:5433/i", "postgresql://a@db:5433/i"),
            ("postgres://a:s3@cr3t@db/i?password=x", "postgres://a@db/i"),
            ("postgres:///i?host=/run/postgresql&password=x", "postgres:///i"),
        ] {
            assert_eq!(server(address).to_string(), printed);
            assert_eq!(format!("{:?}", DatabaseAddress::from(address)), format!("Server({printed})"));
        }
    }

    #[test]
    fn passwords_and_nonsense_are_refused() {
        for (address, why) in [
            ("postgres://a:s3cr3t@db/i", "password"),
            ("postgres://db/i?password=s3cr3t", "password"),
            ("postgres://a@db", "names no database"),
            ("postgres://a@db/i?sslmode=maybe", "sslmode"),
            ("postgres://a@db:port/i", "port"),
        ] {
            let Err(error) = server(address).settings() else { panic!("{address} was accepted") };
            let text = error.to_string();
            assert!(text.contains(why) && !text.contains("s3cr3t"), "{address}: {text}");
        }
    }

    #[test]
    fn certificates_are_named_by_the_address() {
        let settings = server("postgres://a@db/i?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem").settings();
        let settings = settings.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(settings.root_certificate.as_deref(), Some(Path::new("/etc/ca.pem")));
        assert_eq!(settings.config.get_ssl_mode(), postgres::config::SslMode::Require);
    }
}
