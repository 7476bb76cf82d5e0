//! The options for TLS in the address of a server, as libpq reads them:
//! `postgres://user@host:5432/database?sslmode=verify-full`. It is read here, because the driver supports only half of it.

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

use casetrack_core::{Error, Result};
use percent_encoding::percent_decode_str;
use postgres::Config;
use postgres::config::{Host, SslMode};

const CONNECT: Duration = Duration::from_secs(10);

/// The level of TLS that an address asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Disable,
    /// If the server offers it.
    Prefer,
    Require,
    /// The certificate has to come from an authority that is trusted.
    VerifyCa,
    /// It has to be for this host as well.
    VerifyFull,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TlsOptions {
    pub mode: Mode,
    /// A file of trusted authorities; `system` for those of the system.
    pub authorities: Option<PathBuf>,
    /// The certificate of the client, and its key.
    pub certificate: Option<PathBuf>,
    pub key: Option<PathBuf>,
    /// All of this as the address has it: `sslmode=verify-full&sslrootcert=…`.
    pub written: String,
}

/// The names that stand for [`TlsOptions`].
const NAMES: [&str; 4] = ["sslmode", "sslrootcert", "sslcert", "sslkey"];

/// The driver's configuration, and the options for TLS.
pub(crate) fn read(address: &str) -> Result<(Config, TlsOptions)> {
    let (rest, found, written) = split(address)?;
    // The driver's message may repeat a part of it, such as a password.
    let mut config: Config = rest.parse().map_err(|_| refused("it cannot be read as one"))?;
    let of = |name: &str| found.iter().rev().find(|(own, _)| own == name).map(|(_, value)| value.as_str());
    let path = |name| of(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let authorities = path("sslrootcert");
    let of_system = authorities.as_deref().is_some_and(|path| path == "system");
    let mode = match of("sslmode") {
        None if of_system => Mode::VerifyFull,
        None | Some("prefer") => Mode::Prefer,
        Some("disable") => Mode::Disable,
        Some("require") => Mode::Require,
        Some("verify-ca") => Mode::VerifyCa,
        Some("verify-full") => Mode::VerifyFull,
        Some(other) => {
            return Err(Error::invalid(format!("The address of the PostgreSQL database has sslmode={other}."))
                .with_hint("It can be disable, prefer, require, verify-ca or verify-full."));
        }
    };
    if of_system && mode != Mode::VerifyFull {
        return Err(Error::invalid(
            "sslrootcert=system needs sslmode=verify-full: anyone can get a certificate from these authorities.",
        )
        .with_hint("Write sslmode=verify-full, or name the file of your own authority as sslrootcert."));
    }
    let is_local =
        config.get_hosts().iter().all(|host| !matches!(host, Host::Tcp(_))) && config.get_hostaddrs().is_empty();
    config.ssl_mode(match mode {
        // Sockets of this machine have no TLS, even if the address requests it.
        _ if is_local => SslMode::Disable,
        Mode::Disable => SslMode::Disable,
        Mode::Prefer => SslMode::Prefer,
        _ => SslMode::Require,
    });
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT);
    }
    if config.get_application_name().is_none() {
        config.application_name("casetrack");
    }
    let wanted = TlsOptions { mode, authorities, certificate: path("sslcert"), key: path("sslkey"), written };
    Ok((config, wanted))
}

pub(crate) fn refused(why: &str) -> Error {
    Error::invalid(format!("The address of the PostgreSQL database cannot be used: {why}."))
        .with_hint("Write it as postgres://user@host:5432/database.")
}

/// The address without its options for TLS; those by names and values, and as they are written.
type Divided<'a> = (Cow<'a, str>, Vec<(String, String)>, String);

fn split(address: &str) -> Result<Divided<'_>> {
    // A password may have a question mark.
    let after = address.find('@').unwrap_or_default();
    let Some(at) = address.get(after..).and_then(|rest| rest.find('?')).map(|at| after + at) else {
        return Ok((address.into(), Vec::new(), String::new()));
    };
    let (before, query) = (&address[..at], &address[at + 1..]);
    let (mut kept, mut found, mut written) = (Vec::new(), Vec::new(), Vec::new());
    for part in query.split('&') {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        if NAMES.contains(&name) {
            let value = percent_decode_str(value).decode_utf8();
            let value = value.map_err(|_| {
                Error::invalid(format!("{name} in the address of the PostgreSQL database is not UTF-8."))
            })?;
            found.push((name.to_owned(), value.into_owned()));
            written.push(part);
        } else {
            kept.push(part);
        }
    }
    let rest = if kept.is_empty() { before.into() } else { format!("{before}?{}", kept.join("&")).into() };
    Ok((rest, found, written.join("&")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(address: &str) -> TlsOptions {
        read(address).unwrap().1
    }

    #[test]
    fn an_address_is_read_as_libpq_reads_it() {
        let url = "postgres://anna:a%3Fb@db.example:5433/cases?sslmode=verify-full&connect_timeout=3&sslrootcert=%2Fetc%2Four%20ca.pem";
        let (config, wanted) = read(url).unwrap();
        assert_eq!(config.get_hosts(), [Host::Tcp("db.example".into())]);
        assert_eq!(
            (config.get_ports(), config.get_user(), config.get_dbname(), config.get_password()),
            (&[5433][..], Some("anna"), Some("cases"), Some(&b"a?b"[..]))
        );
        assert_eq!(config.get_connect_timeout(), Some(&Duration::from_secs(3)));
        assert_eq!(config.get_ssl_mode(), SslMode::Require);
        assert_eq!((wanted.mode, wanted.authorities.as_deref()), (Mode::VerifyFull, Some("/etc/our ca.pem".as_ref())));
        assert_eq!(wanted.written, "sslmode=verify-full&sslrootcert=%2Fetc%2Four%20ca.pem");
    }

    #[test]
    fn each_mode_is_known_and_no_other() {
        let with = |mode: &str| format!("postgres://anna@db.example/cases?sslmode={mode}");
        let modes = [
            ("disable", Mode::Disable, SslMode::Disable),
            ("prefer", Mode::Prefer, SslMode::Prefer),
            ("require", Mode::Require, SslMode::Require),
            ("verify-ca", Mode::VerifyCa, SslMode::Require),
            ("verify-full", Mode::VerifyFull, SslMode::Require),
        ];
        for (name, mode, of_driver) in modes {
            let (config, wanted) = read(&with(name)).unwrap();
            assert_eq!((wanted.mode, config.get_ssl_mode()), (mode, of_driver));
        }
        assert!(read(&with("allow")).unwrap_err().message.contains("sslmode=allow"));
        assert_eq!(wanted("postgres://anna@db.example/cases").mode, Mode::Prefer);
        assert_eq!(wanted("postgres://anna@db.example/cases?sslrootcert=system").mode, Mode::VerifyFull);
        assert!(read(&(with("require") + "&sslrootcert=system")).is_err());
        let (config, _) = read("postgres://anna@%2Frun%2Fpostgresql/cases?sslmode=verify-full").unwrap();
        assert_eq!(config.get_ssl_mode(), SslMode::Disable, "sockets of this machine");
    }
}
