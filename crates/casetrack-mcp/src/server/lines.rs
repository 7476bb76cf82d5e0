//! The stdio transport: one JSON-RPC message per line. Unlike the SDK's transport, it answers a line that cannot be read.

use std::io;
use std::sync::{Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc::{Receiver, Sender, WeakSender, channel};

use super::{MAX_REQUEST_BYTES, rejection};

/// Messages that wait in each direction.
const QUEUE: usize = 16;

/// One client's streams. The tasks that read and write end with it, or with the streams.
pub(super) struct Lines {
    received: Receiver<ClientJsonRpcMessage>,
    sender: Mutex<Option<Sender<Vec<u8>>>>,
}

impl Lines {
    pub fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        let (sender, answers) = channel(QUEUE);
        let (messages, received) = channel(QUEUE);
        tokio::spawn(write_all(writer, answers));
        tokio::spawn(read_all(BufReader::new(reader), messages, sender.downgrade()));
        Self { received, sender: Mutex::new(Some(sender)) }
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner).clone();
        async move {
            let closed = || io::Error::from(io::ErrorKind::NotConnected);
            let line = serde_json::to_vec(&message)?;
            sender.ok_or_else(closed)?.send(line).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.received.recv().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // What waits is still written.
        drop(self.sender.lock().unwrap_or_else(PoisonError::into_inner).take());
        Ok(())
    }
}

/// Passes on messages until the input ends or no one waits for them, and answers invalid lines.
async fn read_all(
    mut reader: impl AsyncBufRead + Unpin,
    messages: Sender<ClientJsonRpcMessage>,
    answers: WeakSender<Vec<u8>>,
) {
    let mut line = Vec::new();
    loop {
        let read = tokio::select! {
            read = read_line(&mut reader, &mut line) => read,
            () = messages.closed() => return,
        };
        let rejected = match read {
            Err(error) => {
                tracing::warn!(%error, "the client's input could not be read");
                return;
            }
            Ok(Line::End) => return,
            Ok(Line::TooLong) => rejection::too_long(),
            Ok(Line::Whole) => {
                // Some Windows programs begin with a byte order mark.
                let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line).trim_ascii();
                if line.is_empty() {
                    continue;
                }
                match rejection::read(line) {
                    Ok(message) => match messages.send(message).await {
                        Ok(()) => continue,
                        Err(_) => return,
                    },
                    Err(rejected) => rejected,
                }
            }
        };
        let Some(answers) = answers.upgrade() else { return };
        if answers.send(rejected.to_string().into_bytes()).await.is_err() {
            return;
        }
    }
}

enum Line {
    Whole,
    /// The line was skipped.
    TooLong,
    End,
}

async fn read_line(reader: &mut (impl AsyncBufRead + Unpin), line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    let limit = MAX_REQUEST_BYTES as u64 + 1;
    if (&mut *reader).take(limit).read_until(b'\n', line).await? == 0 {
        return Ok(Line::End);
    }
    if line.last() == Some(&b'\n') || line.len() <= MAX_REQUEST_BYTES {
        return Ok(Line::Whole);
    }
    loop {
        let available = reader.fill_buf().await?;
        let (passed, ended) = match available.iter().position(|&byte| byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (available.len(), available.is_empty()),
        };
        reader.consume(passed);
        if ended {
            return Ok(Line::TooLong);
        }
    }
}

async fn write_all(mut writer: impl AsyncWrite + Unpin, mut lines: Receiver<Vec<u8>>) {
    while let Some(mut line) = lines.recv().await {
        line.push(b'\n');
        let written = async {
            writer.write_all(&line).await?;
            writer.flush().await
        };
        if let Err(error) = written.await {
            tracing::debug!(%error, "the client no longer reads");
            return;
        }
    }
}
