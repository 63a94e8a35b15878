//! Any bytes as the body of a chat and of a rerank: the gateway answers each as a client's mistake or as its own answer,
//! never with a 500, and goes on.
#![no_main]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::LazyLock;

use craig_engine::{Config, Settings, Sources};
use craig_gateway::{GatewayConfig, Running};
use libfuzzer_sys::fuzz_target;

static ADDRESS: LazyLock<SocketAddr> = LazyLock::new(|| {
    let home = tempfile::tempdir().unwrap().keep();
    let flags = [
        ("gateway.address", "127.0.0.1:0"),
        // Nobody listens there: an accepted chat ends with 502.
        ("gateway.upstream_url", "http://127.0.0.1:9"),
        ("gateway.upstream_model", "none"),
        ("gateway.tries", "1"),
    ]
    .map(|(key, value)| (key.to_owned(), value.to_owned()))
    .to_vec();
    let settings = Settings::resolve(&Sources { flags, ..Sources::default() }).unwrap();
    let engine = Config::from_settings(&settings, home.join("craig.db")).unwrap();
    let config = GatewayConfig::from_settings(&settings, engine, home.join("keys.json")).unwrap();
    let runtime = Box::leak(Box::new(tokio::runtime::Runtime::new().unwrap()));
    let running = runtime.block_on(Running::start(config, std::io::sink())).unwrap();
    let address = running.address;
    std::mem::forget(running);
    address
});

fuzz_target!(|input: (bool, &[u8])| {
    let (is_chat, body) = input;
    let path = if is_chat { "/v1/chat/completions" } else { "/v1/rerank" };
    let status = post(path, body);
    assert!(!status.contains(" 500 "), "{status}");
});

fn post(path: &str, body: &[u8]) -> String {
    let mut stream = TcpStream::connect(*ADDRESS).expect("the gateway still listens");
    let length = body.len();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {length}\r\n\r\n"
    )
    .unwrap();
    // The gateway may answer and close before it has read all.
    let _ = stream.write_all(body);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned()
}
