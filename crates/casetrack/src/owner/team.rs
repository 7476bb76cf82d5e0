//! `casetrack serve`: the process that owns a data directory, in the foreground, with a listener for the users of a team.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use casetrack_core::settings::Settings;
use casetrack_core::{Error, ErrorCode, Result};
use casetrack_serve::{Certificate, HTTP_PATH, Oidc, Team, Users};
use clap::Args;
use tokio::net::TcpListener;
use tokio::sync::mpsc::unbounded_channel;

use super::serve::{Duty, OwnerState, hold};
use super::session::new_sessions;
use super::wire::{FromOwner, SessionOptions};
use super::{address, connect};
use crate::console::Output;
use crate::options::{Global, ToolOptions, absolute, access, http_address};
use crate::privacy::close_to_others;

const PORT: u16 = 8310;

/// Serve a team over HTTP: users with roles in collections
///
/// Runs in the foreground until you press Ctrl-C, and holds the data directory while it runs; other commands on this machine work as usual.
/// Add users with `casetrack users`. They sign in with the token that it shows, or with one of the OpenID Connect provider of config.toml.
/// Programs connect at /mcp, browsers open the workbench at /. Without options it serves only this machine. To serve others, give an
/// address, and a certificate or a proxy that encrypts.
#[derive(Debug, Args)]
pub struct Serve {
    /// Address to listen at; a port without an address is one of 127.0.0.1 [default: 127.0.0.1:8310]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = http_address)]
    listen: Option<SocketAddr>,
    /// Certificate chain of the server, in PEM format; read again when the file changes
    #[arg(long, value_name = "FILE", requires = "tls_key", value_parser = absolute)]
    tls_cert: Option<PathBuf>,
    /// Private key of the certificate, in PEM format
    #[arg(long, value_name = "FILE", requires = "tls_cert", value_parser = absolute)]
    tls_key: Option<PathBuf>,
    /// A proxy in front of it encrypts connections, and only the proxy can reach this address
    #[arg(long, conflicts_with = "tls_cert")]
    behind_proxy: bool,
    /// URL for the users' programs, such as https://casetrack.firm.example
    #[arg(long, value_name = "URL", value_parser = origin)]
    public_url: Option<String>,
    #[command(flatten)]
    offered: ToolOptions,
}

impl Serve {
    pub fn run(self, global: Global) -> Result<ExitCode> {
        let data_dir = global.data_dir()?;
        self.check()?;
        let certificate = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Some(Certificate::open(certificate, key)?),
            _ => None,
        };
        // Mistakes in the settings, before anything is started.
        let settings = global.settings()?;
        access(&settings, &data_dir)?;
        self.check_public_url(&settings)?;
        let oidc = settings.serve.oidc.clone().map(Oidc::new).transpose()?;
        let users = Arc::new(Users::new(&data_dir));
        let count = users.all()?.len();
        close_to_others(&data_dir)?;
        let lock = match address::take_lock(&data_dir)? {
            Some(lock) => lock,
            // The background process of other commands exits, if it is not in use.
            None => {
                connect::stop(&data_dir)?;
                address::take_lock(&data_dir)?.ok_or_else(|| in_use(&data_dir))?
            }
        };
        let team = TeamServer { options: self, global: global.clone(), settings, oidc, users, certificate, count };
        hold(&global, &data_dir, lock, Duty::Team(Box::new(team)))?;
        Ok(ExitCode::SUCCESS)
    }

    fn address(&self) -> SocketAddr {
        self.listen.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)))
    }

    /// Refuses to show tokens and documents to a network.
    fn check(&self) -> Result<()> {
        let address = self.address();
        if address.ip().is_loopback() || self.tls_cert.is_some() || self.behind_proxy {
            return Ok(());
        }
        Err(Error::invalid(format!("Others can reach {}, but connections to it would not be encrypted.", address.ip()))
            .with_hint(
                "Name a certificate with --tls-cert and --tls-key. If a proxy encrypts, and only the proxy can reach \
                 this address, use --behind-proxy.",
            ))
    }

    /// Clients of a provider are sent to the configured address.
    fn check_public_url(&self, settings: &Settings) -> Result<()> {
        let is_known = self.public_url.is_some() || !self.behind_proxy && !self.address().ip().is_unspecified();
        match is_known || settings.serve.oidc.is_none() {
            true => Ok(()),
            false => Err(Error::invalid("With an OpenID Connect provider, clients need the URL of this server.")
                .with_hint("Name it with --public-url, such as https://casetrack.firm.example.")),
        }
    }
}

fn in_use(data_dir: &Path) -> Error {
    Error::new(ErrorCode::InUse, format!("Another process has {} open.", data_dir.display()))
        .with_hint("End it, or serve another data directory with --data-dir.")
}

/// An address of a server without a path.
fn origin(text: &str) -> std::result::Result<String, String> {
    let url = text.trim_end_matches('/');
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or_default();
    match rest.is_empty() || rest.contains(['/', '?', '#', '@']) || rest.contains(char::is_whitespace) {
        true => Err(format!("\"{text}\" is not an address such as https://casetrack.firm.example, without a path")),
        false => Ok(url.to_ascii_lowercase()),
    }
}

/// The checked arguments of `casetrack serve`.
pub struct TeamServer {
    options: Serve,
    global: Global,
    settings: Settings,
    oidc: Option<Oidc>,
    users: Arc<Users>,
    certificate: Option<Certificate>,
    count: usize,
}

impl TeamServer {
    /// Listens, reports it on standard error, and serves until it is dropped.
    pub async fn serve(self, serving: &Arc<OwnerState>) -> Result<()> {
        let Self { options, global, settings, oidc, users, certificate, count } = self;
        show_log(serving, &global);
        let listener = casetrack_serve::listen_beyond(options.address()).await?;
        let bound = listener.local_addr().map_err(|error| Error::io("the HTTP listener", error))?;
        let scheme = if certificate.is_some() { "https" } else { "http" };
        let public_url = options.public_url.clone().unwrap_or_else(|| format!("{scheme}://{bound}"));
        let sessions =
            SessionOptions { global: global.clone(), offered: options.offered.clone(), collection: None, active: None };
        let team = Team {
            users,
            oidc,
            session: Arc::new(new_sessions(serving, sessions)?),
            any_host: options.public_url.is_none() && (options.behind_proxy || !bound.ip().is_loopback()),
            public_url,
            behind_proxy: options.behind_proxy,
            certificate,
            audit: settings.audit.enabled.then(|| Arc::clone(&serving.audit)),
        };
        // Also while no user is connected: the server of the administrator's database keeps it complete.
        let engine = serving.engine.host().clone();
        tokio::task::spawn_blocking(move || engine.follow_others());
        if !global.quiet {
            eprint!("{}", greeting(&team, &listener, count));
        }
        casetrack_serve::serve_team(listener, team).await
    }
}

/// Prints the client's part of the log on standard error.
fn show_log(serving: &OwnerState, global: &Global) {
    let (frames, mut shown) = unbounded_channel();
    serving.log.show_to(global, frames);
    tokio::spawn(async move {
        while let Some(frame) = shown.recv().await {
            if let FromOwner::Show(Output::Log(line)) = frame {
                eprintln!("{line}");
            }
        }
    });
}

fn greeting(team: &Team, listener: &TcpListener, count: usize) -> String {
    let at = listener.local_addr().map(|address| address.to_string()).unwrap_or_default();
    let users = match count {
        0 => "There are no users yet: add one with `casetrack users add NAME`.".to_owned(),
        1 => "It has 1 user.".to_owned(),
        count => format!("It has {count} users."),
    };
    let url = &team.public_url;
    format!("CaseTrack serves a team at {url}{HTTP_PATH} (listening at {at}).\nThe workbench is at {url}/.\n{users}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> std::result::Result<Serve, clap::Error> {
        #[derive(clap::Parser)]
        struct Options {
            #[command(flatten)]
            serve: Serve,
        }
        <Options as clap::Parser>::try_parse_from([&["serve"], arguments].concat()).map(|options| options.serve)
    }

    #[test]
    fn what_others_reach_must_be_named_and_encrypted() {
        let refused = |arguments: &[&str]| parsed(arguments).unwrap().check().is_err();
        for arguments in [&["--listen", "0.0.0.0:8310"][..], &["--listen", "192.168.1.5:80"], &["--listen", "[::]:0"]] {
            assert!(refused(arguments), "{arguments:?}");
            assert!(!refused(&[arguments, &["--behind-proxy"]].concat()), "{arguments:?}");
            assert!(!refused(&[arguments, &["--tls-cert", "/c", "--tls-key", "/k"]].concat()), "{arguments:?}");
        }
        for arguments in [&[][..], &["--listen", "9000"], &["--listen", "[::1]:0"], &["--behind-proxy"]] {
            assert!(!refused(arguments), "{arguments:?}");
        }
        assert_eq!(parsed(&[]).unwrap().address(), "127.0.0.1:8310".parse().unwrap());
        for half in [
            &["--tls-cert", "/c"][..],
            &["--tls-key", "/k"],
            &["--tls-cert", "/c", "--tls-key", "/k", "--behind-proxy"],
        ] {
            assert!(parsed(half).is_err(), "{half:?}");
        }
    }

    #[test]
    fn a_public_address_has_no_path() {
        assert_eq!(origin("https://CaseTrack.firm.example/").unwrap(), "https://casetrack.firm.example");
        assert_eq!(origin("http://localhost:8310").unwrap(), "http://localhost:8310");
        for wrong in
            ["", "casetrack.firm.example", "https://", "https://a/mcp", "https://u@a", "ftp://a", "https://a b"]
        {
            assert!(origin(wrong).is_err(), "{wrong}");
        }
    }
}
