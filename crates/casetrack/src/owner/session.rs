//! The owner's side of one connection.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use casetrack_core::{Cancel, Error, Result};
use casetrack_engine::Engine;
use casetrack_mcp::settings::Settings;
use interprocess::local_socket::tokio::Stream;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::console::Console;
use super::serve::Serving;
use super::wire::{self, FromClient, FromOwner, Greeting, Mcp, Request, Run};
use crate::args::Global;
use crate::commands::mcp::Offered;

/// Size of the buffer between a session and its client, in bytes.
const PIPE_BYTES: usize = 1 << 16;

pub struct Session<'s> {
    serving: &'s Serving,
    reader: Reader,
    writer: WriteHalf<Stream>,
}

pub(super) struct Reader(BufReader<ReadHalf<Stream>>);

impl Reader {
    /// The client's next message, or `None` if it has gone.
    pub(super) async fn next<T: serde::de::DeserializeOwned>(&mut self) -> Option<T> {
        let mut line = Vec::new();
        self.0.read_until(b'\n', &mut line).await.ok()?;
        if line.last() == Some(&b'\n') { wire::decode(&line).ok() } else { None }
    }
}

impl<'s> Session<'s> {
    pub fn new(serving: &'s Serving, stream: Stream) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self { serving, reader: Reader(BufReader::new(reader)), writer }
    }

    /// Serves the client until its request is done or it goes away.
    pub async fn run(mut self) {
        let greeting = Greeting { build: self.serving.build.clone() };
        if send(&mut self.writer, &greeting).await.is_err() {
            return;
        }
        let Some(request) = self.reader.next().await else { return };
        let (frames, waiting) = unbounded_channel();
        let Self { serving, reader, writer } = self;
        let writing = tokio::spawn(write_all(writer, waiting));
        match request {
            Request::Run(run) => serve_command(serving, *run, reader, frames).await,
            Request::Mcp(mcp) => {
                if let Err(error) = serve_protocol(serving, *mcp, reader, &frames).await {
                    let _ = frames.send(FromOwner::Failed(error.into()));
                }
                let _ = frames.send(FromOwner::Exit(0));
                drop(frames);
            }
            Request::Http(http) => {
                if let Err(error) = super::http::serve(serving, *http, reader, &frames).await {
                    let _ = frames.send(FromOwner::Failed(error.into()));
                }
                drop(frames);
            }
            Request::Retire => retire(serving, &frames),
        }
        let _ = writing.await;
    }
}

/// Stops the owner, unless it has other clients.
fn retire(serving: &Serving, frames: &UnboundedSender<FromOwner>) {
    let others = serving.clients.borrow().saturating_sub(1);
    let _ = if others == 0 {
        serving.end.notify_one();
        frames.send(FromOwner::Exit(0))
    } else {
        let message = format!("The process {} has this data directory open for others: {others}.", std::process::id());
        let hint = "Close the assistants and commands that use it, or update them if they are of another version of \
                    CaseTrack, then try again.";
        frames.send(FromOwner::Failed(Error::new(casetrack_core::ErrorCode::InUse, message).with_hint(hint).into()))
    };
}

/// An engine with the settings of a client.
pub(super) fn engine(serving: &Serving, global: &Global) -> Result<Arc<Engine>> {
    Ok(Arc::new(serving.engine.with_config(global.config()?)))
}

/// The settings of the sessions of assistants. The client's command line takes precedence over the settings file.
pub(super) fn settings_for_sessions(global: &Global, offered: &Offered) -> Result<Settings> {
    let mut settings = global.settings()?;
    offered.apply(&mut settings);
    Ok(settings)
}

async fn serve_command(serving: &Serving, run: Run, mut reader: Reader, frames: UnboundedSender<FromOwner>) {
    serving.log.show_to(&run.global, frames.clone());
    let cancel = Cancel::default();
    // An owner that exits drops this; the thread must not continue without it.
    let _cancel_on_drop = CancelOnDrop(cancel.clone());
    let engine = match engine(serving, &run.global) {
        Ok(engine) => engine,
        Err(error) => {
            let _ = frames.send(FromOwner::Failed(error.into()));
            return;
        }
    };
    let console = Console::new(&run, engine, cancel.clone(), frames.clone());
    let mut command = tokio::task::spawn_blocking(move || {
        let ended = catch_unwind(AssertUnwindSafe(|| run.command.run(&console)));
        ended.unwrap_or_else(|_| Err(Error::internal("The command panicked; the log of the owner says where.")))
    });
    let ended = loop {
        tokio::select! {
            ended = &mut command => break ended.unwrap_or_else(|error| Err(Error::internal(error.to_string()))),
            word = reader.next::<FromClient>(), if !cancel.is_cancelled() => match word {
                // A client that has gone no longer waits for the result.
                Some(FromClient::Cancel) | None => cancel.cancel(),
                Some(FromClient::Line(_) | FromClient::EndOfInput) => {}
            },
        }
    };
    let _ = frames.send(match ended {
        Ok(status) => FromOwner::Exit(status),
        Err(error) => FromOwner::Failed(error.into()),
    });
}

struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

async fn serve_protocol(
    serving: &Serving,
    mcp: Mcp,
    mut reader: Reader,
    frames: &UnboundedSender<FromOwner>,
) -> Result<()> {
    serving.log.show_to(&mcp.global, frames.clone());
    let engine = engine(serving, &mcp.global)?;
    let settings = settings_for_sessions(&mcp.global, &mcp.offered)?;
    let active = match (mcp.active, &mcp.collection) {
        (Some(active), _) => Some(active),
        (None, Some(name)) => Some(engine.find_collection(name)?.id),
        (None, None) => None,
    };
    let session = Arc::new(casetrack_mcp::Session::new(engine, settings, active).audited(Arc::clone(&serving.audit)));
    let mut changes = session.watch_active();
    let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
    let (their_reader, their_writer) = tokio::io::split(theirs);
    let (our_reader, our_writer) = tokio::io::split(ours);
    let lines = frames.clone();
    let answering = tokio::spawn(async move {
        let mut answers = BufReader::new(our_reader).lines();
        while let Ok(Some(line)) = answers.next_line().await {
            // Before the answer that reports it, so that the client's side never knows less than the client.
            if changes.has_changed().unwrap_or_default() {
                let _ = lines.send(FromOwner::Active(*changes.borrow_and_update()));
            }
            let _ = lines.send(FromOwner::Line(line));
        }
    });
    let reading = tokio::spawn(async move { pass_on(&mut reader, our_writer).await });
    let served = casetrack_mcp::serve(session, their_reader, their_writer).await;
    reading.abort();
    let _ = answering.await;
    served
}

/// Passes on a client's lines until its input ends.
async fn pass_on(reader: &mut Reader, mut session: WriteHalf<DuplexStream>) {
    while let Some(FromClient::Line(mut line)) = reader.next().await {
        line.push('\n');
        if session.write_all(line.as_bytes()).await.is_err() {
            return;
        }
    }
    let _ = session.shutdown().await;
}

async fn write_all(mut writer: WriteHalf<Stream>, mut frames: UnboundedReceiver<FromOwner>) {
    while let Some(frame) = frames.recv().await {
        let last = matches!(frame, FromOwner::Exit(_) | FromOwner::Failed(_));
        if send(&mut writer, &frame).await.is_err() || last {
            return;
        }
    }
}

async fn send(writer: &mut WriteHalf<Stream>, value: &impl serde::Serialize) -> io::Result<()> {
    writer.write_all(&wire::encode(value)?).await?;
    writer.flush().await
}
