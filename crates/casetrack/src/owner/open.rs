//! `casetrack open`: the workbench in the browser.
//!
//! The owner listens on loopback from the first `casetrack open` until it ends, and each command gets a one-time code from it. The
//! command itself only opens the browser: nothing in the owner depends on it afterwards.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, PoisonError, RwLock};

use casetrack_core::{Error, ErrorCode, Provenance, Result, TextView};
use casetrack_engine::chunks::ChunkView;
use casetrack_engine::{Engine, collections, documents};
use casetrack_mcp::Session;
use casetrack_serve::{HttpOptions, Keys, Workbench};
use clap::Args;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::connect::connect;
use super::http;
use super::serve::OwnerState;
use super::session::{engine, new_sessions};
use super::wire::{FromOwner, Open as Opening, Request, SessionOptions};
use crate::commands::last_search::LastSearch;
use crate::console::Output;
use crate::options::{Global, InCollection, ToolOptions};
use crate::output;

/// The port of the listener, if it is free; browsers keep settings of pages by port.
const PORT: u16 = 8320;
/// How many times an owner may be killed before it answers.
const ATTEMPTS: u32 = 3;

/// Open the workbench in the browser: search, read, compare, and collect evidence
///
/// The printed URL can be used once, within a minute; run the command again for another. Everything stays on this machine: only the browser
/// that opened the URL is served, until CaseTrack's background process ends.
#[derive(Debug, Args)]
pub struct Open {
    /// Page to show first: the number of a result of the last search, the name or ID of a document, or the ID of a passage
    #[arg(value_name = "RESULT|DOCUMENT|PASSAGE")]
    target: Option<String>,
    #[command(flatten)]
    place: InCollection,
    /// Print the URL, and do not open a browser
    #[arg(long)]
    no_browser: bool,
}

impl Open {
    pub fn run(self, global: Global) -> Result<ExitCode> {
        let Self { target, place, no_browser } = self;
        let data_dir = global.data_dir()?;
        let token = http::token(&data_dir)?.value;
        let options = SessionOptions {
            global: global.clone(),
            offered: ToolOptions::default(),
            collection: place.collection,
            active: None,
        };
        let url = ask(&Opening { options, target, token })?;
        let opened = !no_browser && browse(&url);
        let value = json!({"url": url, "opened": opened});
        output::print(&value, &global, |_| {
            let said = if opened { "The workbench opens in the browser." } else { "Open this URL in a browser:" };
            format!("{said}\n{url}")
        })?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The address, from the owner.
fn ask(opening: &Opening) -> Result<String> {
    let global = &opening.options.global;
    for _ in 0..ATTEMPTS {
        let mut connection = connect(global)?;
        // If the owner has gone since, the first message does not arrive.
        let _ = connection.send(&Request::Open(Box::new(opening.clone())));
        while let Some(word) = connection.receive() {
            match word {
                FromOwner::Opened(url) => return Ok(url),
                FromOwner::Show(Output::Log(line)) => eprintln!("{line}"),
                FromOwner::Failed(error) => return Err(error),
                _ => {}
            }
        }
    }
    Err(Error::internal("The process that works on the collections ends before it listens."))
}

/// Hands the address to the user's browser. Returns whether there was a program to do so.
fn browse(url: &str) -> bool {
    let (program, first): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        // `start` would take the & in the address for the end of its command.
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(first).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // xdg-open may run as long as the browser, so nothing waits for its status.
    command.spawn().is_ok()
}

/// The owner's side: the listener, once it is there.
#[derive(Default)]
pub struct BrowserAccess {
    listening: tokio::sync::Mutex<Option<Listener>>,
    /// Number of connections of browsers.
    browsers: watch::Sender<usize>,
}

impl BrowserAccess {
    /// How many connections browsers have. As long as there are any, the owner stays.
    pub fn browsers(&self) -> watch::Receiver<usize> {
        self.browsers.subscribe()
    }
}

struct Listener {
    address: SocketAddr,
    keys: Arc<Keys>,
    makers: Arc<Makers>,
    task: JoinHandle<()>,
}

type Maker = Box<dyn Fn() -> Session + Send + Sync>;

/// Makers of sessions, with the options of the last command.
struct Makers {
    /// For clients that send the token.
    clients: RwLock<Maker>,
    /// For browsers.
    browsers: RwLock<Maker>,
}

impl Makers {
    fn replace(&self, clients: Maker, browsers: Maker) {
        *self.clients.write().unwrap_or_else(PoisonError::into_inner) = clients;
        *self.browsers.write().unwrap_or_else(PoisonError::into_inner) = browsers;
    }
}

fn made(maker: &RwLock<Maker>) -> Session {
    maker.read().unwrap_or_else(PoisonError::into_inner)()
}

/// Listens, unless that is so already, and returns an address with a new code.
pub(super) async fn serve(serving: &OwnerState, opening: Opening) -> Result<String> {
    let Opening { options, target, token } = opening;
    let fragment = {
        let (global, collection) = (options.global.clone(), options.collection.clone());
        let engine = engine(serving, &global)?;
        let find = move || fragment(&engine, collection, target);
        let found = tokio::task::spawn_blocking(find).await;
        found.map_err(|error| Error::internal(format!("Opening was aborted: {error}")))??
    };
    let clients: Maker = Box::new(new_sessions(serving, options.clone())?);
    let browsers: Maker = {
        let session = new_sessions(serving, options)?;
        Box::new(move || session().for_workbench())
    };
    let mut listening = serving.workbench.listening.lock().await;
    let running = match listening.take().filter(|running| !running.task.is_finished()) {
        Some(running) => {
            running.makers.replace(clients, browsers);
            running
        }
        None => {
            listen(serving, token, Makers { clients: RwLock::new(clients), browsers: RwLock::new(browsers) }).await?
        }
    };
    let url = format!("http://{}/open?code={}&to={}", running.address, running.keys.code(), escaped(&fragment));
    *listening = Some(running);
    Ok(url)
}

async fn listen(serving: &OwnerState, token: String, makers: Makers) -> Result<Listener> {
    let at = |port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listener = match casetrack_serve::listen(at(PORT)).await {
        Ok(listener) => listener,
        // Another program, or the owner of another data directory, has the port.
        Err(_) => casetrack_serve::listen(at(0)).await?,
    };
    let address = listener.local_addr().map_err(|error| Error::io("the HTTP listener", error))?;
    let (keys, makers) = (Arc::new(Keys::default()), Arc::new(makers));
    let workbench = Workbench {
        keys: Arc::clone(&keys),
        session: {
            let makers = Arc::clone(&makers);
            Arc::new(move || made(&makers.browsers))
        },
        connections: serving.workbench.browsers.clone(),
    };
    let session = {
        let makers = Arc::clone(&makers);
        move || made(&makers.clients)
    };
    let options = HttpOptions { token: Some(token), session, workbench: Some(workbench) };
    let task = tokio::spawn(async move {
        if let Err(error) = casetrack_serve::serve_http(listener, options).await {
            tracing::error!(%error, "the workbench is no longer served");
        }
    });
    Ok(Listener { address, keys, makers, task })
}

/// The place in the workbench that shows a target.
fn fragment(engine: &Engine, collection: Option<String>, target: Option<String>) -> Result<String> {
    let Some(target) = target else {
        return Ok(match collection {
            Some(name) => format!("/c/{}/search", escaped(&collections::find_collection(engine.host(), &name)?.name)),
            None => "/".to_owned(),
        });
    };
    if let Some((collection, chunk, _)) = LastSearch::chunk(engine, &target)? {
        let chunk = documents::chunk(engine.host(), collection, &chunk.to_string(), TextView::Final)?;
        return Ok(passage(&collections::find_collection(engine.host(), &collection.to_string())?.name, &chunk));
    }
    let collection = InCollection { collection }.find(engine)?;
    let not_found = match documents::document(engine.host(), collection.id, &target) {
        Ok(document) => return Ok(format!("/c/{}/doc/{}", escaped(&collection.name), document.meta.id)),
        Err(error) if error.code == ErrorCode::NotFound => error,
        Err(error) => return Err(error),
    };
    let chunk =
        documents::chunk(engine.host(), collection.id, &target, TextView::Final).map_err(|error| match error.code {
            // People use names, and the error about them suggests similar ones.
            ErrorCode::NotFound | ErrorCode::InvalidArgument => not_found,
            _ => error,
        })?;
    Ok(passage(&collection.name, &chunk))
}

fn passage(collection: &str, chunk: &ChunkView) -> String {
    let Provenance { document_id, page, .. } = &chunk.provenance;
    format!("/c/{}/doc/{document_id}?page={page}&chunk={}", escaped(collection), chunk.chunk_id)
}

/// Percent-encoded: all but the unreserved characters of RFC 3986.
fn escaped(text: &str) -> String {
    const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(text, RESERVED).to_string()
}
