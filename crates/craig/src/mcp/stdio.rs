//! Messages over stdin and stdout, one per line. Each request is answered, also one that cannot be read.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use crate::json_rpc::{Fault, IdScanner};

/// Longer messages are refused; only the id of such a message is read.
const MOST_LINE_BYTES: usize = 16 * 1024 * 1024;

/// A byte order mark, which some clients on Windows send first.
const MARK: &[u8] = b"\xEF\xBB\xBF";

type Message = RxJsonRpcMessage<RoleServer>;

/// The connection with a client.
pub(super) struct Stdio<R, W> {
    input: BufReader<R>,
    /// The line that is being read. It is kept here, since `receive` may be cancelled at any time.
    line: Vec<u8>,
    /// Reads the rest of a line that is too long.
    too_long: Option<IdScanner>,
    /// Messages of a batch that have not been returned yet.
    batch: VecDeque<Message>,
    /// Locked while a message is written; `None` after the connection was closed.
    output: Arc<Mutex<Option<W>>>,
    /// The error that is being written. The next message is read after it.
    answering: Option<JoinHandle<()>>,
}

impl<R, W> Stdio<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(input: R, output: W) -> Self {
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            too_long: None,
            batch: VecDeque::new(),
            output: Arc::new(Mutex::new(Some(output))),
            answering: None,
        }
    }

    /// Reads to the end of a line; `None` at the end of the input. Nothing is lost if this is cancelled.
    async fn read_line(&mut self) -> Option<Result<Vec<u8>, Fault>> {
        loop {
            let available = self.input.fill_buf().await.ok().filter(|bytes| !bytes.is_empty())?;
            let end = available.iter().position(|byte| *byte == b'\n');
            let piece = &available[..end.unwrap_or(available.len())];
            if let Some(scanner) = &mut self.too_long {
                scanner.read(piece);
            } else if self.line.len() + piece.len() > MOST_LINE_BYTES {
                let mut scanner = IdScanner::default();
                scanner.read(&std::mem::take(&mut self.line));
                scanner.read(piece);
                self.too_long = Some(scanner);
            } else {
                self.line.extend_from_slice(piece);
            }
            let n_read = piece.len() + usize::from(end.is_some());
            self.input.consume(n_read);
            if end.is_some() {
                return Some(match self.too_long.take() {
                    Some(scanner) => Err(Fault::of_too_long(&scanner, MOST_LINE_BYTES)),
                    None => Ok(std::mem::take(&mut self.line)),
                });
            }
        }
    }

    /// Reads one message, or a batch of them, as the protocol of 2025-03-26 has it.
    fn parse(&mut self, line: &[u8]) -> Result<(), Fault> {
        let line = line.strip_prefix(MARK).unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return Ok(());
        }
        let messages = match line.starts_with(b"[") {
            true => serde_json::from_slice::<Vec<Message>>(line),
            false => serde_json::from_slice(line).map(|message| vec![message]),
        };
        self.batch.extend(messages.map_err(|_| Fault::of_unreadable(line))?);
        Ok(())
    }
}

async fn write<W: AsyncWrite + Unpin>(
    output: &Mutex<Option<W>>,
    message: &(impl Serialize + Sync),
) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    let output = output.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    output.write_all(&line).await?;
    output.flush().await
}

impl<R, W> Transport<RoleServer> for Stdio<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move { write(&output, &message).await }
    }

    async fn receive(&mut self) -> Option<Message> {
        loop {
            if let Some(message) = self.batch.pop_front() {
                return Some(message);
            }
            if let Some(answering) = &mut self.answering {
                // A client that does not read is noticed when the next message is sent.
                let _ = answering.await;
                self.answering = None;
            }
            let line = self.read_line().await?;
            if let Err(fault) = line.and_then(|line| self.parse(&line))
                && fault.is_answered
            {
                let output = Arc::clone(&self.output);
                self.answering =
                    Some(tokio::spawn(async move { drop(write(&output, &fault.response()).await) }));
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.take();
        Ok(())
    }
}
