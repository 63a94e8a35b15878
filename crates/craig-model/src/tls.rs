//! TLS of all connections: ring's cryptography and, for clients, the certificates that the system trusts.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// The cryptography of all connections.
pub fn crypto_provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

/// The TLS of a client that trusts the authority whose certificate is in this PEM file, and no other.
pub fn tls_client_config_with_root(certificate: &Path) -> Result<ClientConfig, Box<dyn Error + Send + Sync>> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(certificate)? {
        roots.add(certificate?)?;
    }
    let config =
        ClientConfig::builder_with_provider(crypto_provider()).with_safe_default_protocol_versions()?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// The TLS of a client, which trusts what the system trusts; fails when the system's certificates cannot be read.
pub fn tls_client_config() -> Result<ClientConfig, rustls::Error> {
    let config =
        ClientConfig::builder_with_provider(crypto_provider()).with_safe_default_protocol_versions()?;
    Ok(config.with_platform_verifier()?.with_no_client_auth())
}
