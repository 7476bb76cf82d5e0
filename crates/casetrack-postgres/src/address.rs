//! The address of a database, and the password for it, which only the server gets.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use casetrack_core::{Error, Result};
use postgres::Config;
use postgres::config::{Host, TargetSessionAttrs};

use crate::passwords;
use crate::sslmode::{self, TlsOptions, refused};

const PORT: u16 = 5432;

/// The address of a database: `postgres://user@host:5432/database`. It is shown, compared and debugged without its password.
#[derive(Clone)]
pub struct Address {
    config: Config,
    tls: TlsOptions,
    shown: String,
}

impl Address {
    pub(crate) fn config(&self) -> Config {
        let mut config = self.config.clone();
        if config.get_password().is_none()
            && let Some(password) = passwords::find(&self.places(), self.database(), config.get_user())
        {
            config.password(password);
        }
        config
    }

    pub(crate) fn tls(&self) -> &TlsOptions {
        &self.tls
    }

    pub(crate) fn places(&self) -> Vec<(String, u16)> {
        let ports = self.config.get_ports();
        let port = |n: usize| ports.get(n).or(ports.first()).copied().unwrap_or(PORT);
        self.config.get_hosts().iter().enumerate().map(|(n, host)| (host_name(host), port(n))).collect()
    }

    pub(crate) fn database(&self) -> &str {
        self.config.get_dbname().or(self.config.get_user()).unwrap_or_default()
    }
}

fn host_name(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(folder) => folder.display().to_string(),
    }
}

/// True if a text is meant to be the address of a database.
pub fn is_address(text: &str) -> bool {
    ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme))
}

impl FromStr for Address {
    type Err = Error;

    /// Errors: `InvalidArgument`, in words that repeat nothing of the address, which may hold a password.
    fn from_str(text: &str) -> Result<Self> {
        if !is_address(text) {
            return Err(refused("it does not begin with postgres://"));
        }
        if text.matches('@').count() > 1 {
            return Err(refused("it has more than one @. In a user name or password, write %40 for it"));
        }
        let (config, tls) = sslmode::read(text)?;
        if config.get_hosts().is_empty() {
            return Err(refused("it names no host"));
        }
        let mut address = Self { config, tls, shown: String::new() };
        let places: Vec<String> = address.places().into_iter().map(|place| shown_place(&place)).collect();
        let user = address.config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
        address.shown = format!("postgres://{user}{}/{}", places.join(","), address.database());
        let mut options: Vec<&str> = Vec::new();
        if address.config.get_target_session_attrs() == TargetSessionAttrs::ReadWrite {
            // Among several servers, the one that is not a standby.
            options.push("target_session_attrs=read-write");
        }
        options.extend(Some(address.tls.written.as_str()).filter(|written| !written.is_empty()));
        if !options.is_empty() {
            address.shown.push('?');
            address.shown.push_str(&options.join("&"));
        }
        Ok(address)
    }
}

fn shown_place((host, port): &(String, u16)) -> String {
    let host = match () {
        () if Path::new(host).is_absolute() => host.replace('/', "%2F"),
        () if host.contains(':') => format!("[{host}]"),
        () => host.clone(),
    };
    if *port == PORT { host } else { format!("{host}:{port}") }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl PartialEq for Address {
    fn eq(&self, other: &Self) -> bool {
        self.shown == other.shown
    }
}

impl Eq for Address {}

#[cfg(test)]
mod tests {
    use casetrack_store::Database;

    use super::*;

    fn address(text: &str) -> Address {
        text.parse().unwrap()
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        for (text, shown) in [
            ("postgres://ann:s3cret@db.example.org/matters", "postgres://ann@db.example.org/matters"),
            ("postgresql://ann:s3cret@10.0.0.1:5433/matters", "postgres://ann@10.0.0.1:5433/matters"),
            ("postgres://ann@db/matters?password=s3cret&connect_timeout=3", "postgres://ann@db/matters"),
            ("postgres://ann:s3%40cret@%2Frun%2Fpg/matters", "postgres://ann@%2Frun%2Fpg/matters"),
            (
                "postgres://ann:s3cret@db/matters?sslmode=verify-full&password=s3cret&sslrootcert=system",
                "postgres://ann@db/matters?sslmode=verify-full&sslrootcert=system",
            ),
            (
                "postgres://ann:s3cret@a:1,b:5432/matters?sslmode=require&target_session_attrs=read-write",
                "postgres://ann@a:1,b/matters?target_session_attrs=read-write&sslmode=require",
            ),
        ] {
            let address = address(text);
            assert_eq!((address.to_string(), format!("{address:?}")), (shown.to_owned(), shown.to_owned()));
            // It can be written to the place that it was read from.
            assert_eq!(shown.parse::<Address>().unwrap(), address);
        }
    }

    #[test]
    fn errors_repeat_nothing_of_the_address() {
        for text in [
            "postgres://ann:s3cret@db:notaport/matters",
            "postgres://ann:s3@cret@db/matters",
            "postgres://ann:s3cret@db/matters?s3cret=1",
            "postgres://ann:s3cret@db/matters?sslmode=s3",
            "host=db user=ann password=s3cret",
            "postgres://?password=s3cret",
        ] {
            let error = text.parse::<Address>().unwrap_err();
            let said = format!("{} {error:?}", error.full_text());
            assert!(!said.contains("s3cret") && !said.contains("cret@"), "{said}");
        }
    }

    #[test]
    fn the_folder_is_that_of_the_database_for_every_user() {
        let folder = |text: &str| address(text).folder_name();
        assert_eq!(folder("postgres://ann:x@DB.example.org/m"), folder("postgres://ben@db.example.org:5432/m"));
        assert_ne!(folder("postgres://ann@db/m"), folder("postgres://ann@db/n"));
        let name = folder("postgres://ann@%2Fvar%2Frun/../m");
        assert!(name.starts_with("var_run") && !name.contains('/'), "{name}");
    }
}
