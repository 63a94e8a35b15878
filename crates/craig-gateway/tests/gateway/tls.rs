//! HTTPS with a certificate of the gateway's own, and what is error of one that cannot be used.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use craig_gateway::StartError;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::harness::{Gateway, Plan, skipped, until};
use crate::upstream::{End, Reply, Upstream};

/// Runs openssl in `folder`; false if it is not installed and `CRAIG_TEST_TOOLS_REQUIRED` is not set.
fn openssl(folder: &Path, arguments: &str) -> bool {
    match Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output() {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            true
        }
        Err(error) => {
            assert!(std::env::var_os("CRAIG_TEST_TOOLS_REQUIRED").is_none(), "no openssl: {error}");
            skipped("no openssl is installed");
            false
        }
    }
}

/// A plan with a certificate for `localhost` that nobody else has signed, in `cert.pem` and `key.pem`.
pub(crate) fn certified(plan: Plan) -> Option<Plan> {
    let made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
                -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE -keyout key.pem -out cert.pem";
    openssl(&plan.path(""), made).then_some(plan)
}

pub(crate) fn with_files(plan: Plan, certificate: &str, key: &str) -> Plan {
    let paths = [certificate, key].map(|name| plan.path(name).to_str().unwrap().to_owned());
    plan.set("gateway.tls_cert", &paths[0]).set("gateway.tls_key", &paths[1])
}

/// Asks over TLS with no trust but in `certificate`; gives all that comes back.
async fn over_tls(gateway: &Gateway, certificate: &Path, request: &str) -> String {
    let mut stream = tls_stream(gateway, certificate, &[b"http/1.1"]).await;
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

/// A connection with no trust but in `certificate`, for one of these protocols.
pub(crate) async fn tls_stream(
    gateway: &Gateway,
    certificate: &Path,
    protocols: &[&[u8]],
) -> TlsStream<TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(certificate).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    let stream = TcpStream::connect(gateway.url.trim_start_matches("http://")).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap()
}

#[tokio::test]
async fn streams_go_over_tls_and_plain_text_does_not() {
    let upstream =
        Upstream::start(|_, _| Reply::stream("one two ", std::time::Duration::ZERO, End::Well)).await;
    let Some(plan) = certified(Plan::with(&upstream)) else { return };
    let certificate = plan.path("cert.pem");
    let gateway = with_files(plan, "cert.pem", "key.pem").start().await;
    let body = r#"{"messages":[],"stream":true}"#;
    let head = "host: localhost\r\nconnection: close\r\ncontent-type: application/json";
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\n{head}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = over_tls(&gateway, &certificate, &request).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("data: [DONE]"), "{answer}");
    let mut plain = TcpStream::connect(gateway.url.trim_start_matches("http://")).await.unwrap();
    plain.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // The gateway may close before all is read: that resets the connection.
    let _ = plain.read_to_end(&mut answer).await;
    assert!(!String::from_utf8_lossy(&answer).contains("HTTP/"), "{answer:?}");
    assert_eq!(upstream.asked().len(), 1);
    until("the start is logged", async || !gateway.log.events("started").is_empty()).await;
    assert_eq!(gateway.log.events("started")[0]["tls"], true);
}

#[tokio::test]
async fn a_renewed_certificate_is_served_and_a_bad_one_changes_nothing() {
    let upstream = Upstream::start(|_, _| Reply::completion("yes")).await;
    let Some(plan) = certified(Plan::with(&upstream)) else { return };
    let Some(renewed) = certified(Plan::new()) else { return };
    let gateway = with_files(plan, "cert.pem", "key.pem").start().await;
    let request = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    std::fs::copy(renewed.path("cert.pem"), gateway.path("cert.pem")).unwrap();
    gateway.reload();
    until("a certificate without its key is refused", async || {
        !gateway.log.events("config_refused").is_empty()
    })
    .await;
    let reason = gateway.log.events("config_refused")[0]["reason"].to_string();
    assert!(reason.contains("does not belong to the certificate"), "{reason}");
    std::fs::copy(renewed.path("key.pem"), gateway.path("key.pem")).unwrap();
    until("the new one is served", async || !gateway.log.events("config_reloaded").is_empty()).await;
    assert!(over_tls(&gateway, &renewed.path("cert.pem"), request).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn certificates_that_cannot_be_used_are_distinguished() {
    let Some(plan) = certified(Plan::new()) else { return };
    let folder = plan.path("");
    openssl(&folder, "ecparam -name prime256v1 -genkey -noout -out other.pem");
    openssl(&folder, "ec -in key.pem -aes128 -passout pass:x -out secret.pem");
    openssl(&folder, "pkcs8 -topk8 -in key.pem -passout pass:x -out secret8.pem");
    openssl(&folder, "x509 -in cert.pem -outform der -out cert.der");
    plan.write("cut.pem", "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n");
    plan.write("odd.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    let error = async |certificate: &str, key: &str| {
        let own = Plan::new();
        for name in [certificate, key] {
            // A file that is not there stays so.
            let _ = std::fs::copy(folder.join(name), own.path(name));
        }
        let own_folder = own.path("").display().to_string();
        let refused = with_files(own, certificate, key).try_start().await.err().unwrap();
        assert!(matches!(refused, StartError::Tls(_)), "{refused:?}");
        refused.to_string().replace(&own_folder, "")
    };
    let missing = "(os error 2)";
    for (certificate, key, expected) in [
        ("none.pem", "key.pem", "cannot use TLS: cannot read none.pem"),
        ("cert.pem", "none.pem", "cannot use TLS: cannot read none.pem"),
        ("key.pem", "key.pem", "cannot use TLS: key.pem contains no PEM certificate"),
        ("cert.der", "key.pem", "cannot use TLS: cert.der contains no PEM certificate"),
        ("cert.pem", "cert.pem", "cannot use TLS: cert.pem contains no PEM private key"),
        (
            "cert.pem",
            "secret.pem",
            "cannot use TLS: secret.pem contains no PEM private key, or one that needs a passphrase",
        ),
        (
            "cert.pem",
            "other.pem",
            "cannot use TLS: the key in other.pem does not belong to the certificate in cert.pem",
        ),
        ("cert.pem", "secret8.pem", "cannot use TLS: secret8.pem contains no PEM private key, or one that"),
        ("cut.pem", "key.pem", "cannot use TLS: cut.pem is malformed"),
        ("odd.pem", "key.pem", "cannot use TLS: cannot use the certificate in odd.pem"),
    ] {
        let error = error(certificate, key).await;
        assert!(error.starts_with(expected), "{certificate} and {key}: {error}");
        assert_eq!(error.contains("none.pem"), error.ends_with(missing), "{error}");
    }
}
