//! The one file of the gateway that connects to providers of models and of identity: HTTP/1.1, TLS with the system's certificates.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use craig_engine::{FailureClass, tls_client_config};
use http::{HeaderMap, HeaderValue, Method, Request, Response, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use crate::budget::{Budget, Reservation};
use crate::call::{COMPRESSED, CallFailure};
use crate::protocol::MAX_ERROR_BYTES;
use crate::target::Target;

/// Maximum wait for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Connections that are not used for so long are closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// Maximum number of bytes that are read ahead of one connection.
const MAX_BUFFER_BYTES: usize = 64 << 10;

/// Longest time to read an error of a provider.
const ERROR_TIMEOUT: Duration = Duration::from_secs(5);

/// Connections to providers, kept open for the next request.
#[derive(Clone)]
pub(crate) struct Client {
    http: hyper_util::client::legacy::Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    /// For answers that are read whole.
    budget: Budget,
}

impl Client {
    /// Fails when the system's certificates cannot be read.
    pub(crate) fn new(budget: Budget) -> Result<Self, rustls::Error> {
        let mut http = HttpConnector::new();
        http.set_connect_timeout(Some(CONNECT_TIMEOUT));
        http.set_nodelay(true);
        http.enforce_http(false);
        let https = hyper_rustls::HttpsConnectorBuilder::new()
            .with_tls_config(tls_client_config()?)
            .https_or_http()
            .enable_http1()
            .wrap_connector(http);
        let http = hyper_util::client::legacy::Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_timer(TokioTimer::new())
            .http1_max_buf_size(MAX_BUFFER_BYTES)
            .build(https);
        Ok(Self { http, budget })
    }

    /// A part of the memory for answers.
    pub(crate) fn reservation(&self) -> Reservation {
        self.budget.reservation()
    }

    /// Posts JSON with these additional headers; returns a successful response as soon as its head has arrived. The
    /// caller ends the wait.
    pub(crate) async fn post(
        &self,
        target: &Target,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<Response<Incoming>, CallFailure> {
        self.send(target, request(Method::POST, target, headers, body)).await
    }

    async fn send(
        &self,
        target: &Target,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, CallFailure> {
        let answered = self.http.request(request).await;
        let response = answered.map_err(|error| CallFailure::unreachable(cause_of(&error)))?;
        if response.status().is_success() {
            return if is_plain(response.headers()) {
                Ok(response)
            } else {
                Err(CallFailure::unusable(&COMPRESSED))
            };
        }
        let (head, body) = response.into_parts();
        let read = tokio::time::timeout(ERROR_TIMEOUT, self.whole(body, MAX_ERROR_BYTES)).await;
        let body = read.ok().and_then(Result::ok).unwrap_or_default();
        Err(CallFailure::refused(target, head.status, &head.headers, &body))
    }

    /// Gets JSON of at most `max_bytes`.
    pub(crate) async fn get(
        &self,
        target: &Target,
        headers: &HeaderMap,
        within: Duration,
        max_bytes: usize,
    ) -> Result<Bytes, CallFailure> {
        let answer = async {
            let request = request(Method::GET, target, headers, Bytes::new());
            self.whole(self.send(target, request).await?.into_body(), max_bytes).await
        };
        tokio::time::timeout(within, answer).await.unwrap_or(Err(CallFailure::new(FailureClass::Timeout)))
    }

    /// Posts JSON and reads the whole answer, of at most `max_bytes`.
    pub(crate) async fn post_whole(
        &self,
        target: &Target,
        body: Bytes,
        within: Duration,
        max_bytes: usize,
    ) -> Result<(http::response::Parts, Bytes), CallFailure> {
        let answer = async {
            let (head, body) = self.post(target, &HeaderMap::new(), body).await?.into_parts();
            Ok((head, self.whole(body, max_bytes).await?))
        };
        tokio::time::timeout(within, answer).await.unwrap_or(Err(CallFailure::new(FailureClass::Timeout)))
    }

    /// All of an answer's body; one of more than `max_bytes` is a bad answer.
    pub(crate) async fn whole(&self, mut body: Incoming, max_bytes: usize) -> Result<Bytes, CallFailure> {
        let mut reservation = self.reservation();
        let mut whole = BytesMut::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| CallFailure::new(FailureClass::Network))?;
            let data = frame.into_data().unwrap_or_default();
            if whole.len() + data.len() > max_bytes {
                return Err(CallFailure::new(FailureClass::BadAnswer));
            }
            whole.extend_from_slice(&data);
            // The buffer grows by doubling.
            if !reservation.grow_to(whole.capacity()) {
                return Err(CallFailure::overloaded());
            }
        }
        Ok(Arc::new(reservation).with(whole.freeze()))
    }
}

/// Why a request was not answered, if that is known. The words are those of the system and of the library for TLS.
fn cause_of(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return Some(format!("TLS: {error}"));
    }
    if error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse) {
        return Some("the response is not HTTP/1.1".to_owned());
    }
    // The type of this error is private to hyper-util.
    if error.to_string() == "dns error" {
        return Some("the name cannot be resolved".to_owned());
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        let inner = error.get_ref().and_then(|inner| cause_of(inner));
        return inner.or_else(|| Some(error.kind().to_string()));
    }
    cause_of(error.source()?)
}

/// Whether a body is sent without compression.
pub(crate) fn is_plain(headers: &HeaderMap) -> bool {
    headers.get_all(header::CONTENT_ENCODING).iter().all(|value| {
        let value = value.as_bytes().trim_ascii();
        value.is_empty() || value.eq_ignore_ascii_case(b"identity")
    })
}

fn request(method: Method, target: &Target, others: &HeaderMap, body: Bytes) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = method;
    *request.uri_mut() = target.uri.clone();
    let headers = request.headers_mut();
    headers.extend(others.iter().map(|(name, value)| (name.clone(), value.clone())));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers
        .insert(header::USER_AGENT, HeaderValue::from_static(concat!("craig/", env!("CARGO_PKG_VERSION"))));
    target.headers.iter().for_each(|(name, value)| _ = headers.insert(name, value.clone()));
    request
}
