//! The owner: takes the lock, listens, and exits when it has had no client for a while.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use casetrack_core::{Error, Result};
use casetrack_engine::Engine;
use casetrack_mcp::{AuditLog, RecentCalls};
#[cfg(feature = "serve")]
use casetrack_serve::JobOwners;
use clap::Args;
use interprocess::local_socket::ListenerOptions;
use interprocess::local_socket::tokio::Listener;
use interprocess::local_socket::traits::tokio::Listener as _;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::address::{self, Address};
use super::connect::{self, LISTENING, REFUSED};
use super::log::OwnerLog;
use super::login::Login;
#[cfg(feature = "serve")]
use super::open::BrowserAccess;
use super::session::Session;
#[cfg(feature = "serve")]
use super::team::TeamServer;
use super::wire;
use crate::commands::last_search::LastSearch;
use crate::options::Global;
use crate::output;
use crate::privacy::{close_to_others, empty_log};

/// How long an owner without clients stays, with its collections open and its models loaded. `CASETRACK_IDLE_SECONDS` changes it.
const IDLE: Duration = Duration::from_secs(300);
/// Interval between checks for vaults to lock because they were not used.
const LOCK_CHECK: Duration = Duration::from_secs(1);
/// Interval between checks that the data directory is still there.
const CHECK: Duration = Duration::from_secs(5);

/// Number of heaps that glibc makes for threads, see mallopt(3). Other C libraries ignore it.
const HEAPS: &str = "MALLOC_ARENA_MAX";
/// Bytes from which glibc gives a block of memory back to the system when it is freed. If unset, the largest block so far raises the limit.
const OWN_BLOCK: &str = "MALLOC_MMAP_THRESHOLD_";

/// Keep the data directory open for other commands, which start this process when they need it (used by CaseTrack itself)
#[derive(Debug, Args)]
#[command(hide = true)]
pub struct Owner {
    /// Run in the background, detached from the process that started this
    #[arg(long)]
    detach: bool,
    /// Stay without clients, for a service; an owner that is already running is asked to end
    #[arg(long)]
    stay: bool,
}

impl Owner {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        let data_dir = global.data_dir()?;
        if self.detach {
            return detach(global, &data_dir, self.stay);
        }
        let run = || -> Result<()> {
            close_to_others(&data_dir)?;
            let lock = match address::take_lock(&data_dir)? {
                Some(lock) => lock,
                None if self.stay => take_over(&data_dir)?,
                None => {
                    say(REFUSED);
                    return Ok(());
                }
            };
            hold(global, &data_dir, lock, Duty::Others { stay: self.stay })
        };
        match run() {
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(error) => {
                tracing::error!(%error, "the owner ends");
                if let Ok(line) = wire::encode(&error) {
                    say(String::from_utf8_lossy(&line).trim_end());
                }
                Ok(ExitCode::FAILURE)
            }
        }
    }
}

/// Whom an owner serves.
pub enum Duty {
    /// Commands and assistants on this machine. With `stay`, also when there is none for a while.
    Others { stay: bool },
    /// These and a team, until it is interrupted.
    #[cfg(feature = "serve")]
    Team(Box<TeamServer>),
}

/// Owns the data directory whose lock this is, until its duty ends.
pub fn hold(global: &Global, data_dir: &Path, lock: File, duty: Duty) -> Result<()> {
    let directory = address::create_directory(data_dir)?;
    let log = OwnerLog::open(&directory)?;
    output::init_owner_logging(global.verbose, log.clone());
    // Its standard error leads nowhere, so panics go to the log, to which the request's error points.
    std::panic::set_hook(Box::new(|panic| {
        let at = panic.location().map(|at| format!("{}:{}", at.file(), at.line())).unwrap_or_default();
        tracing::error!(place = at, panic = %panic, "a bug");
    }));
    let engine = Engine::new(global.config()?)?;
    engine.clear_remains(|| {
        empty_log(data_dir)?;
        LastSearch::forget(&engine)
    })?;
    #[cfg(feature = "serve")]
    engine.host().set_people(Arc::new(JobOwners::new(data_dir, &global.settings()?.serve)));
    engine.resume_jobs()?;
    engine.start_watches()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::io("the asynchronous runtime", error))?;
    let ended = runtime.block_on(serve(data_dir, engine, log, duty));
    // Cancelled commands end and collections are flushed before others can own the directory.
    drop(runtime);
    // Held until the process is gone: a thread that is still ending may have a collection open.
    std::mem::forget(lock);
    ended
}

/// The lock of the data directory, once the owner that has it ends: at once if it has no client, otherwise after the last one.
fn take_over(data_dir: &Path) -> Result<File> {
    loop {
        // An owner with clients refuses, which is fine.
        let _ = connect::stop(data_dir);
        if let Some(lock) = address::take_lock(data_dir)? {
            return Ok(lock);
        }
        std::thread::sleep(CHECK);
    }
}

/// Prints a word for the client that waits for it. It does not matter if the client has gone.
fn say(word: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = writeln!(stdout, "{word}").and_then(|()| stdout.flush());
}

/// Starts the owner detached: it does not stop with the program, or the terminal, of its first client.
fn detach(global: &Global, data_dir: &Path, stay: bool) -> Result<ExitCode> {
    let program = std::env::current_exe().map_err(|error| Error::io("the program's own file", error))?;
    let mut command = Command::new(&program);
    command.arg("--data-dir").arg(data_dir).args(global.verbosity()).arg("owner");
    if stay {
        command.args(global.as_owner_arguments()?).arg("--stay");
    }
    command.stdin(Stdio::null()).stderr(Stdio::null()).current_dir(std::env::temp_dir());
    // glibc gives threads up to eight heaps for each core, and memory that is free in one cannot be used by another. Over thousands of
    // calls the owner would hold several times the memory that it needs.
    if std::env::var_os(HEAPS).is_none() {
        command.env(HEAPS, "2");
    }
    // The text of a large table is freed in blocks of several megabytes, which no later work would fill.
    if std::env::var_os(OWN_BLOCK).is_none() {
        command.env(OWN_BLOCK, (4 << 20).to_string());
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    #[cfg(windows)]
    {
        const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
        const CREATE_NO_WINDOW: u32 = 0x0800_0000;
        std::os::windows::process::CommandExt::creation_flags(
            &mut command,
            CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW,
        );
    }
    command.spawn().map_err(|error| Error::io(program.display(), error))?;
    Ok(ExitCode::SUCCESS)
}

/// Data that all connections share.
pub struct OwnerState {
    pub engine: Engine,
    pub log: OwnerLog,
    pub audit: Arc<AuditLog>,
    pub recent: Arc<RecentCalls>,
    pub build: String,
    /// Number of clients.
    pub clients: watch::Sender<usize>,
    #[cfg(feature = "serve")]
    pub workbench: BrowserAccess,
    pub end: Arc<Notify>,
}

async fn serve(data_dir: &Path, engine: Engine, log: OwnerLog, duty: Duty) -> Result<()> {
    let address = Address::new(data_dir)?;
    let listener = listen(&address)?;
    address.publish(data_dir)?;
    if matches!(duty, Duty::Others { .. }) {
        say(LISTENING);
    }
    let serving = Arc::new(OwnerState {
        engine,
        log,
        audit: Arc::new(AuditLog::new(data_dir)),
        recent: Arc::default(),
        build: wire::build()?,
        clients: watch::Sender::new(0),
        #[cfg(feature = "serve")]
        workbench: BrowserAccess::default(),
        end: Arc::new(Notify::new()),
    });
    let end = Arc::clone(&serving.end);
    ctrlc::set_handler(move || end.notify_one())
        .map_err(|error| Error::internal(format!("The signal handler: {error}")))?;
    let locking = tokio::spawn(lock_idle(Arc::clone(&serving)));
    let ended = match duty {
        Duty::Others { stay } => {
            let idle = if stay { None } else { Some(idle_time()) };
            accept(data_dir, &address, &listener, &serving, idle).await;
            Ok(())
        }
        #[cfg(feature = "serve")]
        Duty::Team(team) => tokio::select! {
            () = accept(data_dir, &address, &listener, &serving, None) => Ok(()),
            ended = team.serve(&serving) => ended,
        },
    };
    locking.abort();
    serving.engine.stop_watches();
    serving.engine.pause_jobs();
    // Withdraw the address before closing the listener, so that no new client comes.
    address.withdraw(data_dir);
    drop(listener);
    serving.engine.close_collections();
    ended
}

/// Serves clients until the owner should exit. `idle` is how long the owner stays without clients; `None` means no limit.
async fn accept(
    data_dir: &Path,
    address: &Address,
    listener: &Listener,
    serving: &Arc<OwnerState>,
    idle: Option<Duration>,
) {
    let mut clients = serving.clients.subscribe();
    #[cfg(feature = "serve")]
    let mut browsers = serving.workbench.browsers();
    // Without the workbench there are no connections of browsers.
    #[cfg(not(feature = "serve"))]
    let (_browsers, mut browsers) = watch::channel(0);
    let mut since = Instant::now();
    // A sleep would begin again with each turn of the loop, and never end if others end sooner.
    let mut check = tokio::time::interval_at(Instant::now() + CHECK, CHECK);
    loop {
        let alone = *clients.borrow_and_update() == 0 && *browsers.borrow_and_update() == 0;
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(stream) => {
                    // Counted here, so that the owner does not exit between accepting a client and serving it.
                    serving.clients.send_modify(|clients| *clients += 1);
                    let serving = Arc::clone(serving);
                    tokio::spawn(async move {
                        Session::new(&serving, stream).run().await;
                        serving.clients.send_modify(|clients| *clients -= 1);
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a client could not connect");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            _ = clients.changed() => since = Instant::now(),
            _ = browsers.changed() => since = Instant::now(),
            // Indexes in memory would be lost, and vaults are unlocked for longer.
            () = tokio::time::sleep_until(since + idle.unwrap_or_default()), if alone && idle.is_some() => {
                let engine = &serving.engine;
                match engine.has_work() || engine.host().has_indexes_in_memory() || engine.host().has_unlocked_vaults() {
                    false => return,
                    true => since = Instant::now(),
                }
            }
            () = serving.end.notified() => return,
            _ = check.tick(), if alone => {
                // Removed with the data directory, or by hand.
                if Address::read(data_dir).as_ref() != Some(address) {
                    return;
                }
            }
        }
    }
}

/// Locks the vaults that were not used, and all of them when the user has logged out.
async fn lock_idle(serving: Arc<OwnerState>) {
    let mut login = Login::of_user();
    loop {
        tokio::time::sleep(LOCK_CHECK).await;
        let serving = Arc::clone(&serving);
        let ended = login.has_ended();
        let lock = move || {
            if ended {
                serving.engine.lock_all();
            }
            serving.engine.lock_idle();
        };
        if tokio::task::spawn_blocking(lock).await.is_err() {
            tracing::error!("locking idle vaults failed");
        }
    }
}

fn idle_time() -> Duration {
    let seconds = std::env::var("CASETRACK_IDLE_SECONDS").ok().and_then(|text| text.parse().ok());
    seconds.map_or(IDLE, Duration::from_secs)
}

/// Opens the socket. The caller holds the lock, so an existing socket was left by an owner that was killed.
fn listen(address: &Address) -> Result<Listener> {
    let options = ListenerOptions::new().name(address.name()?);
    let options = restrict(options, &address.socket)?;
    options.create_tokio().map_err(|error| Error::io(address.socket.display(), error))
}

#[cfg(unix)]
fn restrict<'n>(options: ListenerOptions<'n>, socket: &Path) -> Result<ListenerOptions<'n>> {
    match std::fs::remove_file(socket) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(socket.display(), error)),
        // The directory around it is closed to others.
        _ => Ok(options),
    }
}

#[cfg(windows)]
fn restrict<'n>(options: ListenerOptions<'n>, socket: &Path) -> Result<ListenerOptions<'n>> {
    use interprocess::os::windows::local_socket::ListenerOptionsExt;
    use interprocess::os::windows::security_descriptor::SecurityDescriptor;
    // All rights for the owner of the pipe, none for anyone else.
    let descriptor = SecurityDescriptor::deserialize(widestring::u16cstr!("D:P(A;;GA;;;OW)"));
    let descriptor = descriptor.map_err(|error| Error::io(socket.display(), error))?;
    Ok(options.security_descriptor(descriptor))
}
