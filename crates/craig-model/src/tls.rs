//! TLS of all connections: ring's cryptography and, for clients, the certificates that the system trusts.

use std::sync::Arc;

use rustls::ClientConfig;
use rustls::crypto::CryptoProvider;
use rustls_platform_verifier::BuilderVerifierExt as _;

/// The cryptography of all connections.
pub fn crypto_provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

/// The TLS of a client, which trusts what the system trusts; fails when the system's certificates cannot be read.
pub fn tls_client_config() -> Result<ClientConfig, rustls::Error> {
    let config =
        ClientConfig::builder_with_provider(crypto_provider()).with_safe_default_protocol_versions()?;
    Ok(config.with_platform_verifier()?.with_no_client_auth())
}
