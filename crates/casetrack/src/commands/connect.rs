//! `casetrack connect` and `disconnect`

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use casetrack_core::{Error, Password, Result};
#[cfg(feature = "serve")]
use casetrack_serve::{probe_server, server_url};
use casetrack_text::Reader;
use casetrack_text::format::{counted, one_line};
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use crate::assistants::{self, Change, Client, ConfigPaths, Entry, Plan, Remote, Server, ServerCheck, Token};
use crate::options::{Global, ToolOptions};
use crate::output;
use crate::prompt::{can_ask, confirm};
#[cfg(not(feature = "serve"))]
use crate::serve_substitute::{probe_server, server_url};

/// The name of the server in the configurations of assistants.
pub const SERVER_NAME: &str = "casetrack";
/// The variable with the token of a user of a server elsewhere, unless another is named.
const TOKEN_VARIABLE: &str = "CASETRACK_TOKEN";
/// Longest token that is read, in bytes.
const MAX_TOKEN: u64 = 16 << 10;

/// Connect AI assistants to CaseTrack, or see which ones are on this machine
///
/// Adds CaseTrack to the assistant's own configuration file. Shows the change first, and makes it after you agree. Comments, other servers
/// and everything else in the file stay as they are. A backup is kept next to the file, with the ending .before-casetrack. `casetrack
/// disconnect` undoes the change. Without a name, lists the assistants that were found.
#[derive(Debug, Args)]
pub struct Connect {
    /// Assistants to connect [default: list those that were found]
    #[arg(value_enum, value_name = "ASSISTANT")]
    clients: Vec<Client>,
    /// Start the server as the assistant would, and list its tools [default: for all connected assistants]
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    writing: ChangeOptions,
    /// Start with this collection active
    #[arg(short, long, value_name = "NAME")]
    collection: Option<String>,
    #[command(flatten)]
    offered: ToolOptions,
    #[command(flatten)]
    elsewhere: RemoteServer,
}

/// A team server, in place of the collections of this machine.
#[derive(Debug, Args)]
struct RemoteServer {
    /// Connect to a team server instead of this machine's collections: its URL, such as https://casetrack.firm.example
    #[arg(long, value_name = "URL", requires = "clients", conflicts_with_all = ["check", "collection"])]
    server: Option<String>,
    /// The environment variable with your token for the server. If an assistant can read variables, its configuration gets the name of the
    /// variable; otherwise it gets the token itself [default: CASETRACK_TOKEN]
    #[arg(long, value_name = "VARIABLE", requires = "server", conflicts_with = "token_stdin")]
    token_env: Option<String>,
    /// Read your token for the server from standard input; it is written into the configurations
    #[arg(long, requires = "server")]
    token_stdin: bool,
}

/// Take CaseTrack out of the configuration of assistants
///
/// If connecting was the last change of the file, the file is restored byte for byte. Otherwise only the entry is removed. Collections stay
/// as they are.
#[derive(Debug, Args)]
pub struct Disconnect {
    /// Assistants to disconnect [default: all that are connected]
    #[arg(value_enum, value_name = "ASSISTANT")]
    clients: Vec<Client>,
    #[command(flatten)]
    writing: ChangeOptions,
}

#[derive(Debug, Args)]
struct ChangeOptions {
    /// Make the changes without asking
    #[arg(short = 'y', long)]
    yes: bool,
    /// Use this file instead of the assistant's own for the user, such as .mcp.json or .vscode/mcp.json of a project
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Name of the server in the configuration
    #[arg(long, value_name = "NAME", default_value = SERVER_NAME)]
    name: String,
}

/// The outcome for one assistant.
#[derive(Debug, Serialize)]
pub struct Outcome {
    assistant: &'static str,
    name: &'static str,
    file: PathBuf,
    state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checked: Option<ServerCheck>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
    #[serde(skip)]
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Not on this machine, as far as one can see.
    NotFound,
    Found,
    Connected,
    NotConnected,
    /// The user did not agree.
    Unchanged,
    Failed,
}

impl Outcome {
    fn new(client: Client, file: &Path, state: State, text: String) -> Self {
        Self {
            assistant: client.id(),
            name: client.name(),
            file: file.to_owned(),
            state,
            backup: None,
            checked: None,
            error: None,
            text,
        }
    }

    fn failed(client: Client, file: &Path, error: &Error) -> Self {
        let hint = error.hint.as_ref().map(|hint| Reader::CommandLine.hint(hint));
        let said = json!({"code": error.code.name(), "message": error.message, "hint": hint});
        let stop = if error.message.ends_with(['.', '!', '?']) { "" } else { "." };
        let hint_after = hint.as_ref().map(|hint| format!(" {hint}")).unwrap_or_default();
        let text = format!("{}: {}", client.name(), one_line(&format!("{}{stop}{hint_after}", error.message)));
        Self { error: Some(said), ..Self::new(client, file, State::Failed, text) }
    }

    pub fn is_connected(&self) -> bool {
        self.state == State::Connected
    }
}

impl Connect {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        let Self { clients, check, writing, collection, offered, elsewhere } = self;
        let places = ConfigPaths::of_user()?;
        if check {
            return check_all(global, &places, &clients, &writing);
        }
        if clients.is_empty() {
            let found = list(&places, &writing.name);
            output::print(&found, global, |found| listed(found))?;
            return Ok(ExitCode::SUCCESS);
        }
        writing.may_change(&clients, global)?;
        let connect = |entry: &dyn Fn(Client) -> Entry| {
            let connect = |&client: &Client| {
                connect(client, &writing.file(&places, client), &writing.name, &entry(client), writing.yes)
            };
            report(&clients.iter().map(connect).collect::<Vec<_>>(), global)
        };
        if let Some(address) = &elsewhere.server {
            if !offered.as_arguments().is_empty() {
                return Err(Error::invalid("A team server defines its own tools and folders.")
                    .with_hint("Leave --toolsets, --read-only and --root out with --server."));
            }
            let url = server_url(address)?;
            let (token, variable) = elsewhere.token()?;
            let known = probe_server(&url, token.reveal())?;
            eprintln!("{url} is {}, and accepts the token.", one_line(&known));
            return connect(&|client| {
                let token = match &variable {
                    Some(variable) if client.style().reach.takes_variables() => Token::Variable(variable.clone()),
                    _ => Token::Held(token.reveal().to_owned()),
                };
                Entry::Remote(Remote { url: url.clone(), token })
            });
        }
        let mut args = global.as_arguments()?;
        args.push("mcp".to_owned());
        args.extend(collection.map(|name| format!("--collection={name}")));
        args.extend(offered.as_arguments());
        let entry = Entry::from(Server::this_program(args)?);
        connect(&|_| entry.clone())
    }
}

impl RemoteServer {
    /// The token, and the variable that it comes from.
    fn token(&self) -> Result<(Password, Option<String>)> {
        if self.token_stdin {
            let mut text = String::with_capacity(MAX_TOKEN as usize + 1);
            let read = std::io::stdin().lock().take(MAX_TOKEN).read_to_string(&mut text);
            let token = Password::from(text);
            read.map_err(|error| Error::io("standard input", error))?;
            return Ok((Password::from(token.reveal().trim().to_owned()), None));
        }
        let variable = self.token_env.as_deref().unwrap_or(TOKEN_VARIABLE);
        match std::env::var(variable) {
            Ok(token) => Ok((Password::from(token.trim().to_owned()), Some(variable.to_owned()))),
            Err(_) => Err(Error::invalid(format!(
                "The environment variable {variable}, with your token for the server, is not set."
            ))
            .with_hint("Set it in the environment of the assistant, or pass the token with --token-stdin.")),
        }
    }
}

impl Disconnect {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        let Self { mut clients, writing } = self;
        let places = ConfigPaths::of_user()?;
        if clients.is_empty() {
            clients = connected(&places, &writing);
        }
        writing.may_change(&clients, global)?;
        let disconnect = |&client: &Client| {
            let file = writing.file(&places, client);
            let plan = Plan::disconnect(&file, client.style(), &writing.name);
            change(client, &file, plan, writing.yes, [State::NotConnected, State::Connected])
        };
        let outcomes: Vec<Outcome> = clients.iter().map(disconnect).collect();
        if outcomes.is_empty() {
            output::print(&outcomes, global, |_| "No assistant is connected.".to_owned())?;
            return Ok(ExitCode::SUCCESS);
        }
        report(&outcomes, global)
    }
}

impl ChangeOptions {
    fn file(&self, places: &ConfigPaths, client: Client) -> PathBuf {
        self.config.clone().unwrap_or_else(|| places.config_file(client))
    }

    /// Errors unless the user has agreed or can be asked.
    fn may_change(&self, clients: &[Client], global: &Global) -> Result<()> {
        if self.config.is_some() && clients.len() > 1 {
            return Err(Error::invalid("A file belongs to one assistant, and several were named.")
                .with_hint("Name one assistant with --config."));
        }
        match self.yes || clients.is_empty() || can_ask() && !global.json {
            true => Ok(()),
            false => Err(Error::invalid(
                "CaseTrack cannot ask for confirmation, because this is not a terminal. \
                Nothing was changed.",
            )
            .with_hint("Add --yes to make the changes without confirmation.")),
        }
    }
}

/// Puts an entry into a configuration, after showing the change and asking.
pub fn connect(client: Client, file: &Path, name: &str, entry: &Entry, yes: bool) -> Outcome {
    let plan = Plan::connect(file, client.style(), name, entry);
    let mut outcome = change(client, file, plan, yes, [State::Connected, State::Unchanged]);
    if let (State::Connected, Entry::Remote(remote)) = (outcome.state, entry) {
        let _ = match &remote.token {
            Token::Variable(name) => write!(outcome.text, " Start it in an environment that has {name}."),
            Token::Held(_) => write!(outcome.text, " The file contains your token: do not share it."),
        };
    }
    outcome
}

/// Shows a change, asks, and makes it. `states` are those after the change and without it.
fn change(client: Client, file: &Path, plan: Result<Plan>, yes: bool, [done, undone]: [State; 2]) -> Outcome {
    let carried_out = || {
        let plan = plan?;
        let name = client.name();
        let (already, new) = match done {
            State::Connected => ("is connected already", "is now connected"),
            _ => ("is not connected", "is no longer connected"),
        };
        if plan.change == Change::None {
            return Ok(Outcome::new(client, file, done, format!("{name} {already} ({}).", file.display())));
        }
        eprintln!("{name}: {}", file.display());
        plan.lines().iter().for_each(|line| eprintln!("  {}", one_line(&line.replace('\t', "    "))));
        if plan.change == Change::Delete {
            eprintln!("  The file has no other entry and will be deleted.");
        }
        if !yes && !confirm("Make this change?")? {
            return Ok(Outcome::new(client, file, undone, format!("{name}: nothing was changed.")));
        }
        let backup = plan.carry_out()?;
        let kept = backup.as_ref().map_or_else(String::new, |path| format!(" Before: {}", path.display()));
        let text = format!("{name} {new}. {}{kept}", client.then());
        Ok(Outcome { backup, ..Outcome::new(client, file, done, text) })
    };
    carried_out().unwrap_or_else(|error| Outcome::failed(client, file, &error))
}

/// All assistants, and whether they are here and connected.
fn list(places: &ConfigPaths, name: &str) -> Vec<Outcome> {
    let look = |&client: &Client| {
        let file = places.config_file(client);
        match assistants::entry(&file, client.style(), name) {
            Err(error) => Outcome::failed(client, &file, &error),
            Ok(Some(_)) => Outcome::new(client, &file, State::Connected, String::new()),
            Ok(None) if places.has(client) => Outcome::new(client, &file, State::Found, String::new()),
            Ok(None) => Outcome::new(client, &file, State::NotFound, String::new()),
        }
    };
    Client::all().iter().map(look).collect()
}

/// Assistants that are on this machine.
pub fn present(places: &ConfigPaths) -> Vec<Client> {
    Client::all().iter().copied().filter(|&client| places.has(client)).collect()
}

/// The assistants that are connected, and those whose own configuration cannot be read: they may be, and that is reported.
fn connected(places: &ConfigPaths, writing: &ChangeOptions) -> Vec<Client> {
    let is_connected = |client: &Client| {
        let entry = assistants::entry(&writing.file(places, *client), client.style(), &writing.name);
        entry.map_or(writing.config.is_none(), |entry| entry.is_some())
    };
    Client::all().iter().copied().filter(is_connected).collect()
}

fn listed(outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for outcome in outcomes {
        let state = match outcome.state {
            State::Connected => "connected",
            State::Found => "found",
            State::Failed => "unreadable",
            _ => "not found",
        };
        let _ = writeln!(text, "{:<16} {state:<11} {}", outcome.assistant, outcome.file.display());
    }
    for problem in outcomes.iter().filter(|outcome| outcome.state == State::Failed) {
        let _ = writeln!(text, "\n{}", problem.text);
    }
    let next = outcomes.iter().find(|outcome| outcome.state == State::Found).map(|outcome| outcome.assistant);
    match next {
        Some(next) => text.push_str(&format!("\nNext: casetrack connect {next}")),
        None if outcomes.iter().any(Outcome::is_connected) => text.push_str("\nNext: casetrack connect --check"),
        None => text.push_str("\nNo assistant was found. Any MCP client can start the server: casetrack mcp"),
    }
    text
}

/// Checks that a remote server accepts the token of the entry.
fn check_elsewhere(remote: &Remote) -> Result<ServerCheck> {
    let started = Instant::now();
    let token = match &remote.token {
        Token::Held(token) => Password::from(token.clone()),
        Token::Variable(name) => Password::from(std::env::var(name).map_err(|_| {
            Error::invalid(format!("The entry takes the token from the variable {name}, which is not set here."))
                .with_hint("Set it in the environment of the assistant, and here to check it.")
        })?),
    };
    let server = probe_server(&remote.url, token.reveal())?;
    Ok(ServerCheck { server, tools: Vec::new(), milliseconds: started.elapsed().as_millis() as u64 })
}

fn check_all(global: &Global, places: &ConfigPaths, clients: &[Client], writing: &ChangeOptions) -> Result<ExitCode> {
    let clients = if clients.is_empty() { connected(places, writing) } else { clients.to_vec() };
    if clients.is_empty() {
        return Err(Error::invalid("No assistant is connected, so there is nothing to check.")
            .with_hint("Connect one with `casetrack connect`."));
    }
    let check = |&client: &Client| {
        let file = writing.file(places, client);
        let checked = || {
            let Some(entry) = assistants::entry(&file, client.style(), &writing.name)? else {
                let message = format!("There is no server \"{}\" in {}.", writing.name, file.display());
                return Err(
                    Error::invalid(message).with_hint(format!("Connect it with `casetrack connect {}`.", client.id()))
                );
            };
            match &entry {
                Entry::Program(server) => assistants::check(server),
                Entry::Remote(remote) => check_elsewhere(remote),
            }
        };
        match checked() {
            Err(error) => Outcome::failed(client, &file, &error),
            Ok(checked) => {
                let ServerCheck { server, tools, milliseconds } = &checked;
                let seconds = *milliseconds as f64 / 1000.0;
                let mut text = format!("{}: {} answered after {seconds:.1} s", client.name(), one_line(server));
                if !tools.is_empty() {
                    let count = counted(tools.len() as u64, "tool");
                    let _ = write!(text, " with {count}:\n  {}", one_line(&tools.join(", ")));
                }
                Outcome { checked: Some(checked), ..Outcome::new(client, &file, State::Connected, text) }
            }
        }
    };
    report(&clients.iter().map(check).collect::<Vec<_>>(), global)
}

/// Prints the outcomes. The exit status is 0 if all went well.
fn report(outcomes: &[Outcome], global: &Global) -> Result<ExitCode> {
    output::print(&outcomes, global, |outcomes| summary(outcomes))?;
    let failed = outcomes.iter().any(|outcome| outcome.state == State::Failed);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

pub fn summary(outcomes: &[Outcome]) -> String {
    outcomes.iter().map(|outcome| outcome.text.as_str()).collect::<Vec<_>>().join("\n")
}
