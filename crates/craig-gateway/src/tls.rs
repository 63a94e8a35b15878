//! The gateway's own certificate.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use craig_engine::crypto_provider;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{InconsistentKeys, ServerConfig};
use thiserror::Error;
use tokio_rustls::TlsAcceptor;

/// A certificate or a key that cannot be used.
#[derive(Debug, Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file of 'gateway.tls_cert' or 'gateway.tls_key'.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file has the marks of PEM, and something else within.
    #[error("{} is malformed: {source}", path.display())]
    Malformed {
        /// The file of 'gateway.tls_cert' or 'gateway.tls_key'.
        path: PathBuf,
        /// What is wrong.
        source: pem::Error,
    },
    /// There is nothing between `BEGIN CERTIFICATE` and `END CERTIFICATE`.
    #[error("{} contains no PEM certificate", .0.display())]
    NoCertificate(PathBuf),
    /// There is nothing between `BEGIN PRIVATE KEY` and `END PRIVATE KEY`, or the like.
    #[error("{} contains no PEM private key, or one that needs a passphrase", .0.display())]
    NoKey(PathBuf),
    /// The key is another one's.
    #[error("the key in {} does not belong to the certificate in {}", key.display(), certificate.display())]
    Mismatch {
        /// File of the chain.
        certificate: PathBuf,
        /// File of the key.
        key: PathBuf,
    },
    /// They cannot be served.
    #[error("cannot use the certificate in {}: {source}", certificate.display())]
    Refused {
        /// File of the chain.
        certificate: PathBuf,
        /// Why.
        source: rustls::Error,
    },
}

/// Reads a certificate chain, the gateway's own first, and its private key, both PEM.
pub(crate) fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor, TlsError> {
    let chain = CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = chain.map_err(|error| unread(certificate, error, TlsError::NoCertificate))?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate(certificate.to_owned()));
    }
    let private_key = PrivateKeyDer::from_pem_file(key).map_err(|error| match error {
        // The older kind of a key with a passphrase has lines that are no base 64.
        pem::Error::Base64Decode(_) => TlsError::NoKey(key.to_owned()),
        error => unread(key, error, TlsError::NoKey),
    })?;
    let config = ServerConfig::builder_with_provider(crypto_provider())
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(chain, private_key));
    let mut config = config.map_err(|error| refused(certificate, key, error))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn unread(path: &Path, error: pem::Error, nothing: fn(PathBuf) -> TlsError) -> TlsError {
    let path = path.to_owned();
    match error {
        pem::Error::Io(source) => TlsError::Unreadable { path, source },
        pem::Error::NoItemsFound => nothing(path),
        source => TlsError::Malformed { path, source },
    }
}

fn refused(certificate: &Path, key: &Path, error: rustls::Error) -> TlsError {
    let certificate = certificate.to_owned();
    match error {
        rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
            TlsError::Mismatch { certificate, key: key.to_owned() }
        }
        source => TlsError::Refused { certificate, source },
    }
}
