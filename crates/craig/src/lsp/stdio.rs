//! Messages of the Language Server Protocol over stdin and stdout, from any client.
//!
//! The library's own reader allocates what a header announces, and ends the session at the first message that it cannot
//! parse. This one reads bounded messages, answers unreadable requests with an error, and accepts unescaped URIs.

use std::io::{self, BufRead, Read as _};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded};
use lsp_server::{Connection, Message, RequestId, Response};

use super::addresses::escape_uris;
use crate::json_rpc::{Fault, IdScanner};

/// Longer messages are refused; editors do not open files as large as this.
const MOST_MESSAGE_BYTES: usize = 256 * 1024 * 1024;

/// Longer headers end the session.
const MOST_HEADER_BYTES: u64 = 4_096;

/// The threads that read and write.
pub(super) struct Threads {
    reader: JoinHandle<io::Result<()>>,
    writer: JoinHandle<io::Result<()>>,
}

impl Threads {
    /// Waits until stdin has ended and everything is written. Fails if stdin was no stream of messages.
    pub(super) fn join(self) -> io::Result<()> {
        let joined = |thread: JoinHandle<io::Result<()>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        joined(self.reader)?;
        joined(self.writer)
    }
}

/// Connects with the editor on stdin and stdout.
pub(super) fn connect() -> (Connection, Threads) {
    let (sender, to_write) = bounded::<Message>(0);
    let (read, receiver) = bounded::<Message>(0);
    let answers = sender.clone();
    let writer = thread::spawn(move || write_all(&to_write, io::stdout().lock()));
    let reader = thread::spawn(move || {
        let answer = |response: Response| answers.send(response.into()).is_ok();
        read_all(&mut io::stdin().lock(), &read, answer)
    });
    (Connection { sender, receiver }, Threads { reader, writer })
}

fn write_all(messages: &Receiver<Message>, mut output: impl io::Write) -> io::Result<()> {
    messages.iter().try_for_each(|message| message.write(&mut output))?;
    output.flush()
}

/// Reads until the editor ends the session, or its input.
fn read_all(
    input: &mut impl BufRead,
    messages: &Sender<Message>,
    answer: impl Fn(Response) -> bool,
) -> io::Result<()> {
    while let Some(n_bytes) = read_header(input)? {
        match read_message(input, n_bytes)? {
            Ok(message) => {
                let is_exit = matches!(&message, Message::Notification(note) if note.method == "exit");
                if messages.send(message).is_err() || is_exit {
                    return Ok(());
                }
            }
            Err(fault) => {
                let (id, code, text) = fault.parts::<RequestId>();
                if let Some(id) = id
                    && !answer(Response::new_err(id, code, text.to_owned()))
                {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// The length that the header of the next message announces; `None` at the end of the input.
fn read_header(input: &mut impl BufRead) -> io::Result<Option<usize>> {
    let invalid =
        |text: &str| io::Error::new(io::ErrorKind::InvalidData, format!("the editor's message {text}"));
    let mut n_bytes = None;
    let mut header = String::new();
    let mut limited = input.take(MOST_HEADER_BYTES);
    loop {
        header.clear();
        if limited.read_line(&mut header)? == 0 {
            return match limited.limit() {
                0 => Err(invalid("has a header without end")),
                _ => Ok(None),
            };
        }
        let line = header.trim_end();
        if line.is_empty() {
            break;
        }
        let (name, value) =
            line.split_once(':').ok_or_else(|| invalid("has no header such as Content-Length: 42"))?;
        if name.eq_ignore_ascii_case("content-length") {
            n_bytes =
                Some(value.trim().parse().map_err(|_| invalid("announces a length that is no number"))?);
        }
    }
    n_bytes.map(Some).ok_or_else(|| invalid("does not announce its length"))
}

/// Reads a message of `n_bytes`. Memory grows with what arrives, not with what was announced.
fn read_message(input: &mut impl BufRead, n_bytes: usize) -> io::Result<Result<Message, Fault>> {
    let mut body = input.take(n_bytes as u64);
    if n_bytes > MOST_MESSAGE_BYTES {
        let mut scanner = IdScanner::default();
        while !body.fill_buf()?.is_empty() {
            let piece = body.fill_buf()?;
            scanner.read(piece);
            let n_read = piece.len();
            body.consume(n_read);
        }
        return Ok(Err(Fault::of_too_long(&scanner, MOST_MESSAGE_BYTES)));
    }
    let mut text = Vec::new();
    if body.read_to_end(&mut text)? < n_bytes {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let message = serde_json::from_slice(&text).map_err(|_| Fault::of_unreadable(&text));
    Ok(message.map(|mut message| {
        match &mut message {
            Message::Request(request) => escape_uris(&mut request.params),
            Message::Notification(notification) => escape_uris(&mut notification.params),
            Message::Response(response) => response.response_result.iter_mut().for_each(escape_uris),
        }
        message
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What reaches the session of `input`, and what is answered at once.
    fn read(input: &[u8]) -> (Vec<Message>, Vec<String>, bool) {
        let (sender, receiver) = crossbeam_channel::unbounded();
        let answers = std::cell::RefCell::new(Vec::new());
        let answer = |response: Response| {
            answers.borrow_mut().push(serde_json::to_string(&response).unwrap());
            true
        };
        let is_ok = read_all(&mut io::BufReader::new(input), &sender, answer).is_ok();
        drop(sender);
        (receiver.iter().collect(), answers.into_inner(), is_ok)
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn an_unreadable_request_is_answered_and_the_session_goes_on() {
        let deep = "[".repeat(5_000) + &"]".repeat(5_000);
        let input = [
            framed(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{deep}}}"#)),
            framed(r#"{"jsonrpc":"2.0","id":2,"method":7}"#),
            framed("{"),
            framed(r#"{"jsonrpc":"2.0","id":3,"method":"b"}"#).replace("\r\n", "\n"),
        ];
        let (messages, answers, is_ok) = read(input.concat().as_bytes());
        assert_eq!(messages.len(), 1);
        assert!(answers[0].contains("nested deeper") && answers[1].contains("not a JSON-RPC"), "{answers:?}");
        assert!(answers.len() == 2 && is_ok);
    }

    #[test]
    fn an_announced_length_costs_no_memory() {
        let (messages, answers, is_ok) =
            read(b"Content-Length: 99999999999\r\n\r\n{\"id\":4,\"method\":\"a\",");
        assert!(messages.is_empty() && is_ok);
        assert!(answers[0].contains("longer than"), "{answers:?}");
        for bad in [
            "Content-Length: -1\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "\r\n",
            &"a".repeat(10_000),
            "Content-Length: 9\r\n\r\n{}",
        ] {
            assert!(!read(bad.as_bytes()).2, "{bad}");
        }
    }

    #[test]
    fn addresses_may_be_unescaped() {
        let request = r#"{"id":1,"method":"a","params":{"textDocument":{"uri":"file:///a b/[id]/ü%20.ts"},"text":"file:///a b"}}"#;
        let (messages, ..) = read(framed(request).as_bytes());
        let Message::Request(request) = &messages[0] else { panic!("{messages:?}") };
        assert_eq!(request.params["textDocument"]["uri"], "file:///a%20b/%5Bid%5D/%C3%BC%20.ts");
        assert_eq!(request.params["text"], "file:///a b");
    }
}
