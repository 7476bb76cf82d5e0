//! The owner's side of one connection.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use casetrack_core::{Cancel, CollectionId, Error, ErrorCode, Result};
use casetrack_engine::{Engine, collections};
use interprocess::local_socket::tokio::Stream;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use zeroize::Zeroizing;

use super::serve::OwnerState;
use super::wire::{self, FromClient, FromOwner, Greeting, Request, Run, SessionOptions};
use crate::console::Console;
use crate::language_model::language_model;
use crate::options::Global;

/// Size of the buffer between a session and its client, in bytes.
const PIPE_BYTES: usize = 1 << 16;

pub struct Session<'s> {
    serving: &'s OwnerState,
    reader: Reader,
    writer: WriteHalf<Stream>,
}

pub(super) struct Reader(BufReader<ReadHalf<Stream>>);

impl Reader {
    /// The client's next message, or `None` if it has gone.
    pub(super) async fn next<T: serde::de::DeserializeOwned>(&mut self) -> Option<T> {
        // It may hold a passphrase.
        let mut line = Zeroizing::new(Vec::new());
        self.0.read_until(b'\n', &mut line).await.ok()?;
        if line.last() == Some(&b'\n') { wire::decode(&line).ok() } else { None }
    }
}

impl<'s> Session<'s> {
    pub fn new(serving: &'s OwnerState, stream: Stream) -> Self {
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
            Request::Mcp(options) => {
                if let Err(error) = serve_protocol(serving, *options, reader, &frames).await {
                    let _ = frames.send(FromOwner::Failed(error));
                }
                let _ = frames.send(FromOwner::Exit(0));
                drop(frames);
            }
            #[cfg(feature = "serve")]
            Request::Http(http) => {
                let served = super::http::serve(serving, *http, reader, &frames).await;
                // The log also holds on to the channel, so only a last word ends the writing.
                let _ = frames.send(served.map_or_else(FromOwner::Failed, |()| FromOwner::Exit(0)));
                drop(frames);
            }
            #[cfg(feature = "serve")]
            Request::Open(open) => {
                let _ = frames.send(match super::open::serve(serving, *open).await {
                    Ok(url) => FromOwner::Opened(url),
                    Err(error) => FromOwner::Failed(error),
                });
                drop(frames);
            }
            Request::Retire => retire(serving, &frames),
        }
        let _ = writing.await;
    }
}

/// Stops the owner, unless it has other clients.
fn retire(serving: &OwnerState, frames: &UnboundedSender<FromOwner>) {
    let others = serving.clients.borrow().saturating_sub(1);
    let _ = if others == 0 {
        serving.end.notify_one();
        frames.send(FromOwner::Exit(0))
    } else {
        let message = format!(
            "The process {} has this data directory open for other clients: \
            {others}.",
            std::process::id()
        );
        let hint = "Close the assistants and commands that use it, or update them if they are of another version of \
                    CaseTrack, then try again.";
        frames.send(FromOwner::Failed(Error::new(ErrorCode::InUse, message).with_hint(hint)))
    };
}

/// An engine with the settings of a client.
///
/// Errors: [`ErrorCode::InUse`] for a client that uses another store.
pub(super) fn engine(serving: &OwnerState, global: &Global) -> Result<Arc<Engine>> {
    let (served, wanted) = (serving.engine.host().store_place(), global.store()?);
    if *served != wanted {
        let message = format!(
            "The background process of this data directory has the collections of {} open, but this command needs \
             those of {}.",
            served.described(),
            wanted.described()
        );
        return Err(Error::new(ErrorCode::InUse, message).with_hint(
            "End it with `casetrack stop`, then try again. To use both at the same time, give one of them another --data-dir.",
        ));
    }
    Ok(Arc::new(serving.engine.with_config(global.config()?)))
}

/// Shows the log to a client, and returns the maker of its sessions.
pub(super) fn sessions(
    serving: &OwnerState,
    options: SessionOptions,
    frames: &UnboundedSender<FromOwner>,
) -> Result<impl Fn() -> casetrack_mcp::Session + use<>> {
    serving.log.show_to(&options.global, frames.clone());
    new_sessions(serving, options)
}

/// The maker of sessions with the settings of a client.
pub(super) fn new_sessions(
    serving: &OwnerState,
    SessionOptions { global, offered, collection, active }: SessionOptions,
) -> Result<impl Fn() -> casetrack_mcp::Session + use<>> {
    let engine = engine(serving, &global)?;
    let mut settings = global.settings()?;
    // The command line takes precedence over the settings file.
    offered.apply(&mut settings);
    let active = match (active, &collection) {
        // A database may let it wait.
        (None, Some(name)) => tokio::task::block_in_place(|| named(&engine, name))?,
        (active, _) => active,
    };
    let model = language_model(&settings, &engine.host().config().data_dir)?;
    let (audit, recent) = (Arc::clone(&serving.audit), Arc::clone(&serving.recent));
    Ok(move || {
        let session = casetrack_mcp::Session::new(Arc::clone(&engine), settings.clone(), active);
        session.audited(Arc::clone(&audit)).counted(Arc::clone(&recent)).asking(model.clone())
    })
}

/// The collection that is active at first.
fn named(engine: &Engine, name: &str) -> Result<Option<CollectionId>> {
    match collections::find_collections(engine.host(), &[name.to_owned()]) {
        Ok(found) => Ok(found.first().copied()),
        // It may be the name of a locked vault: the first call gives advice.
        Err(error)
            if error.code == ErrorCode::NotFound && !collections::locked_collections(engine.host())?.is_empty() =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

async fn serve_command(serving: &OwnerState, run: Run, mut reader: Reader, frames: UnboundedSender<FromOwner>) {
    serving.log.show_to(&run.global, frames.clone());
    let cancel = Cancel::default();
    // An owner that exits drops this; the thread must not continue without it.
    let _cancel_on_drop = CancelOnDrop(cancel.clone());
    let engine = match engine(serving, &run.global) {
        Ok(engine) => engine,
        Err(error) => {
            let _ = frames.send(FromOwner::Failed(error));
            return;
        }
    };
    let Run { global, command, directory, umask } = run;
    let shown_to = frames.clone();
    let show = Arc::new(move |shown| drop(shown_to.send(FromOwner::Show(shown))));
    let console = Console { global, engine, cancel: cancel.clone(), directory: directory.into(), umask, show };
    let mut running = tokio::task::spawn_blocking(move || {
        let ended = catch_unwind(AssertUnwindSafe(|| command.run(&console)));
        ended.unwrap_or_else(|_| Err(Error::internal("The command panicked; see the log of the owner process.")))
    });
    let ended = loop {
        tokio::select! {
            ended = &mut running => break ended.unwrap_or_else(|error| Err(Error::internal(error.to_string()))),
            word = reader.next::<FromClient>(), if !cancel.is_cancelled() => match word {
                // A client that has gone no longer waits for the result.
                Some(FromClient::Cancel) | None => cancel.cancel(),
                Some(FromClient::Line(_) | FromClient::EndOfInput) => {}
            },
        }
    };
    let _ = frames.send(match ended {
        Ok(status) => FromOwner::Exit(status),
        Err(error) => FromOwner::Failed(error),
    });
}

struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

async fn serve_protocol(
    serving: &OwnerState,
    options: SessionOptions,
    mut reader: Reader,
    frames: &UnboundedSender<FromOwner>,
) -> Result<()> {
    let session = Arc::new(sessions(serving, options, frames)?());
    let mut changes = session.watch_active();
    let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
    let (their_reader, their_writer) = tokio::io::split(theirs);
    let (our_reader, our_writer) = tokio::io::split(ours);
    let lines = frames.clone();
    let answering = tokio::spawn(async move {
        let mut answers = BufReader::new(our_reader).lines();
        while let Ok(Some(line)) = answers.next_line().await {
            // Before the answer that reports it, so that the client's side never lags behind the client.
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
