//! HTTP/2 for clients: without TLS by its first bytes, with TLS by ALPN.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode, Version};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::harness::{Gateway, Plan, until};
use crate::tls::{certified, tls_stream, with_files};
use crate::upstream::{End, Reply, Upstream};

type Sender = SendRequest<Full<Bytes>>;

async fn connected(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Sender {
    let (sender, connection) = handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender
}

async fn plain(gateway: &Gateway) -> Sender {
    connected(TcpStream::connect(gateway.url.trim_start_matches("http://")).await.unwrap()).await
}

async fn send(mut sender: Sender, request: http::request::Builder, body: &str) -> http::Response<Incoming> {
    let response = sender.send_request(request.body(Full::from(body.to_owned())).unwrap()).await.unwrap();
    assert_eq!(response.version(), Version::HTTP_2);
    response
}

async fn text(response: http::Response<Incoming>) -> String {
    String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

fn chat() -> http::request::Builder {
    Request::post("http://localhost/v1/chat/completions").header("content-type", "application/json")
}

async fn streaming(pause_ms: u64) -> Upstream {
    let pause = Duration::from_millis(pause_ms);
    Upstream::start(move |_, _| Reply::stream("one two three four five ", pause, End::Well)).await
}

#[tokio::test]
async fn one_connection_has_many_streams_and_http_1_is_served_beside_it() {
    let upstream = streaming(100).await;
    let mut gateway = Plan::with(&upstream).start().await;
    let sender = plain(&gateway).await;
    let body = json!({ "messages": [], "stream": true }).to_string();
    let streams = (0..20).map(|_| {
        let (sender, body) = (sender.clone(), body.clone());
        tokio::spawn(async move { text(send(sender, chat(), &body).await).await })
    });
    let streams: Vec<_> = streams.collect();
    until("all are asked", async || upstream.asked().len() == 20).await;
    let health = send(sender.clone(), Request::get("http://localhost/healthz"), "").await;
    assert_eq!(health.status(), StatusCode::OK);
    assert_eq!(gateway.get("/healthz").await.status, StatusCode::OK);
    assert_eq!(gateway.metric("open_connections").await, 2.0);
    // What runs when the gateway stops ends whole.
    gateway.stop().await;
    for stream in streams {
        let text = stream.await.unwrap();
        assert!(text.ends_with("data: [DONE]\n\n") && text.contains("five "), "{text}");
    }
}

#[tokio::test]
async fn a_stream_that_is_cancelled_ends_at_the_provider_and_the_connection_stays() {
    let upstream = streaming(10_000).await;
    let gateway = Plan::with(&upstream).start().await;
    let sender = plain(&gateway).await;
    let response = send(sender.clone(), chat(), &json!({ "messages": [], "stream": true }).to_string()).await;
    assert_eq!((response.status(), upstream.open()), (StatusCode::OK, 1));
    drop(response);
    until("the provider is left", async || upstream.open() == 0).await;
    let health = send(sender, Request::get("http://localhost/healthz"), "").await;
    assert_eq!(health.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_rebound_name_is_refused_and_large_heads_are_too() {
    let upstream = streaming(0).await;
    let gateway = Plan::with(&upstream).start().await;
    let sender = plain(&gateway).await;
    let foreign = send(sender.clone(), Request::get("http://evil.example/v1/models"), "").await;
    assert_eq!(foreign.status(), StatusCode::FORBIDDEN);
    let many = (0..101).fold(chat(), |request, n| request.header(format!("x-{n}"), "a"));
    assert_eq!(send(sender.clone(), many, "{}").await.status(), StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
    let large = chat().header("x-large", "a".repeat(70_000));
    assert_eq!(send(sender.clone(), large, "{}").await.status(), StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
    assert!(upstream.asked().is_empty());
}

#[tokio::test]
async fn connections_that_say_too_little_are_closed() {
    let upstream = streaming(0).await;
    let gateway = Plan::with(&upstream).set("gateway.client_timeout_ms", "300").start().await;
    for beginning in ["", "P", "PRI * HTTP/2.0\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET"] {
        let mut stream = TcpStream::connect(gateway.url.trim_start_matches("http://")).await.unwrap();
        stream.write_all(beginning.as_bytes()).await.unwrap();
        let mut sink = tokio::io::sink();
        let closed = tokio::io::copy(&mut stream, &mut sink);
        let closed = tokio::time::timeout(Duration::from_secs(5), closed).await;
        assert!(closed.is_ok(), "{beginning:?}");
    }
}

#[tokio::test]
async fn alpn_offers_http_2() {
    let upstream = streaming(0).await;
    let Some(plan) = certified(Plan::with(&upstream)) else { return };
    let gateway = with_files(plan, "cert.pem", "key.pem").start().await;
    let stream = tls_stream(&gateway, &gateway.path("cert.pem"), &[b"h2", b"http/1.1"]).await;
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let body = json!({ "messages": [], "stream": true }).to_string();
    let answer = text(send(connected(stream).await, chat(), &body).await).await;
    assert!(answer.ends_with("data: [DONE]\n\n"), "{answer}");
}
