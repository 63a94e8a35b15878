//! Repositories over HTTP, behind a password: git's own `http-backend` and a server of a few lines.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Serves the repositories of a folder to whoever has the password.
pub(crate) struct GitServer {
    address: String,
    n_right: Arc<AtomicUsize>,
}

impl GitServer {
    pub(crate) fn start(folder: PathBuf, user: &str, password: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let expected = format!("basic {}", base64(format!("{user}:{password}").as_bytes()));
        let n_right = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&n_right);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                // A client that goes away ends its own request alone.
                let _ = answer(stream, &folder, &expected, &counter);
            }
        });
        Self { address, n_right }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// Requests that came with the right password.
    pub(crate) fn secrets_seen(&self) -> usize {
        self.n_right.load(Ordering::SeqCst)
    }
}

fn answer(stream: TcpStream, folder: &Path, expected: &str, n_right: &AtomicUsize) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim().split_once(':') {
            Some((name, value)) => headers.push((name.to_lowercase(), value.trim().to_owned())),
            None => break,
        }
    }
    let header = |name: &str| headers.iter().find(|(n, _)| n == name).map_or("", |(_, value)| value);
    let mut body = vec![0; header("content-length").parse().unwrap_or(0)];
    reader.read_exact(&mut body)?;
    if !header("authorization").eq_ignore_ascii_case(expected) {
        let head = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\n";
        return stream.write_all(format!("{head}Content-Length: 0\r\nConnection: close\r\n\r\n").as_bytes());
    }
    n_right.fetch_add(1, Ordering::SeqCst);
    let mut words = request.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut backend = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", folder)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REQUEST_METHOD", method)
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("CONTENT_TYPE", header("content-type"))
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .env("GIT_PROTOCOL", header("git-protocol"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    backend.stdin.take().unwrap().write_all(&body)?;
    let output = backend.wait_with_output()?;
    stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n")?;
    stream.write_all(&output.stdout)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let padded = [three[0], *three.get(1).unwrap_or(&0), *three.get(2).unwrap_or(&0)];
        let number = u32::from_be_bytes([0, padded[0], padded[1], padded[2]]);
        for at in 0..4 {
            let digit = DIGITS[(number >> (18 - 6 * at)) as usize & 63] as char;
            text.push(if at <= three.len() { digit } else { '=' });
        }
    }
    text
}
