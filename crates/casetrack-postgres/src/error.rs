//! Errors of the server and of the connection to it, in terms of who must act.

use casetrack_core::{Error, ErrorCode};
use postgres::error::SqlState;

/// Advice if the server cannot be reached.
const UNREACHABLE: &str =
    "Check that the server runs and can be reached from here, then try again. Earlier changes are safe.";

/// The result of a step of a transaction.
pub(crate) type Step<T> = std::result::Result<T, Failure>;

#[derive(Debug)]
pub(crate) enum Failure {
    /// The connection is gone; whether a transaction was committed is not known from here.
    Lost(postgres::Error),
    /// The server let a connection wait until the waiting time was over.
    Silent(postgres::Error),
    /// The server gave up a transaction that can be tried again.
    Again(postgres::Error),
    /// The state here is newer than the state that the transaction sees.
    Behind,
    Final(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Final(error)
    }
}

impl From<postgres::Error> for Failure {
    fn from(error: postgres::Error) -> Self {
        let again = [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
        match error.code() {
            None if is_of_connection(&error) => Self::Lost(error),
            Some(code) if is_shutdown(code) || is_of_machine(&error) => Self::Lost(error),
            Some(code) if again.contains(code) => Self::Again(error),
            _ => Self::Final(of_server(error)),
        }
    }
}

/// True if the connection failed, and not a statement.
fn is_of_connection(error: &postgres::Error) -> bool {
    use std::error::Error as _;
    error.is_closed() || error.source().is_some_and(|source| source.is::<std::io::Error>())
}

/// True if the server, or an administrator, ended the connection.
fn is_shutdown(code: &SqlState) -> bool {
    // Classes 08 (connection) and 57P (the operator's intervention).
    code.code().starts_with("08") || code.code().starts_with("57P")
}

/// True if the coordinator of Citus lost another machine on the way. It has no code of its own for that.
fn is_of_machine(error: &postgres::Error) -> bool {
    error.as_db_error().is_some_and(|error| error.message().starts_with("failure on connection marked as essential"))
}

/// The reason why no TLS connection came about, if trying again does not help.
fn of_tls(error: &postgres::Error) -> Option<Error> {
    use std::error::Error as _;
    let source = error.source()?;
    if source.to_string().contains("server does not support TLS") {
        let message = "The address asks for TLS, which the PostgreSQL server does not offer.";
        let hint = "Turn TLS on at the server (ssl = on), or reach it through a tunnel and write sslmode=disable.";
        return Some(Error::new(ErrorCode::Network, message).with_hint(hint));
    }
    let of_rustls = source.downcast_ref::<std::io::Error>()?.get_ref()?.downcast_ref::<rustls::Error>()?;
    let (message, hint) = match of_rustls {
        rustls::Error::InvalidCertificate(why) => (
            format!("The certificate of the PostgreSQL server is not accepted: {why}."),
            "Name the file of its authority as sslrootcert, and the server as its certificate does. Do not connect if you did not expect this.",
        ),
        why => (
            format!("There is no TLS connection to the PostgreSQL server: {why}."),
            "Ask the administrator of the server what its clients need.",
        ),
    };
    Some(Error::new(ErrorCode::Network, message).with_hint(hint))
}

impl Failure {
    pub fn of_connecting(error: postgres::Error) -> Self {
        match (error.code(), of_tls(&error)) {
            (Some(_), _) => error.into(),
            (None, Some(told)) => Self::Final(told.with_source(error)),
            (None, None) => Self::Lost(error),
        }
    }

    pub fn into_error(self) -> Error {
        match self {
            Self::Final(error) => error,
            Self::Lost(error) | Self::Silent(error) => unreachable_server(error),
            Self::Again(error) => of_server(error),
            Self::Behind => Error::internal("A collection in PostgreSQL kept changing while it was read."),
        }
    }
}

pub(crate) fn unreachable_server(error: postgres::Error) -> Error {
    let why = reason(&error);
    Error::new(ErrorCode::Io, format!("The PostgreSQL server does not answer: {why}."))
        .with_hint(UNREACHABLE)
        .with_source(error)
}

fn reason(error: &postgres::Error) -> String {
    use std::error::Error as _;
    let cause = error.as_db_error().map(|error| error.message().to_owned());
    let cause = cause.or_else(|| error.source().map(ToString::to_string)).unwrap_or_else(|| error.to_string());
    cause.trim_end_matches('.').to_owned()
}

fn of_server(error: postgres::Error) -> Error {
    let why = reason(&error);
    let code = error.code().map(|code| code.code().to_owned()).unwrap_or_default();
    // A schema that a role may not use is not looked into, or is named.
    if matches!(code.as_str(), "42P01" | "42883") || code == "42501" && why.contains("casetrack") {
        return Error::new(ErrorCode::PermissionDenied, "Your role may not use CaseTrack's tables in this database.")
            .with_hint("Ask the administrator of the database to admit it.")
            .with_source(error);
    }
    let (kind, hint) = match code.as_str() {
        "53100" => (ErrorCode::DiskFull, "Free some disk space on the server, then try again."),
        "42501" | "28000" | "28P01" => {
            (ErrorCode::PermissionDenied, "Ask the administrator of the server for the right to use this database.")
        }
        "3D000" => (
            ErrorCode::NotFound,
            "Check the name of the database in the address, or create the database first: createdb NAME.",
        ),
        "53300" => {
            (ErrorCode::InUse, "Wait until others have disconnected, or ask the administrator for more connections.")
        }
        "25006" => (
            ErrorCode::WrongState,
            "This server is a read-only standby. Name the other one in the URL, or both and \
             ?target_session_attrs=read-write.",
        ),
        "XX001" | "XX002" => (ErrorCode::Corrupt, "Ask the administrator to restore the database from a backup."),
        _ => return Error::internal(format!("PostgreSQL: {why} ({code}).")).with_source(error),
    };
    Error::new(kind, format!("PostgreSQL: {why}.")).with_hint(hint).with_source(error)
}
