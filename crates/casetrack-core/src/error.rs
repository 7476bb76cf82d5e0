//! One error type for the whole engine, classified by who must act on it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::hint::{Hint, Notice};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The party that must act for the operation to succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// Bad input: the caller can correct the request.
    User,
    /// The machine: disk full, permission, a missing library or model.
    Environment,
    /// Stored data is damaged; the hint describes how to rebuild it.
    Corruption,
    /// A defect of CaseTrack.
    Bug,
}

/// Makes [`ErrorCode`] with its list, its kinds and its names from one table, so that none of them can lack a code.
macro_rules! error_codes {
    ($($(#[$about:meta])* $code:ident = $name:literal, $kind:ident;)+) => {
        /// A stable name of the failure, for programs. An addition is one row of the table below.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum ErrorCode {
            $($(#[$about])* $code,)+
        }

        impl ErrorCode {
            pub const ALL: &[Self] = &[$(Self::$code),+];

            pub fn kind(self) -> ErrorKind {
                match self {
                    $(Self::$code => ErrorKind::$kind,)+
                }
            }

            /// The snake_case name used in JSON.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)+
                }
            }
        }
    };
}

error_codes! {
    NoCollectionActive = "no_collection_active", User;
    NotFound = "not_found", User;
    AlreadyExists = "already_exists", User;
    FileNotFound = "file_not_found", User;
    InvalidArgument = "invalid_argument", User;
    FreeTierLimit = "free_tier_limit", User;
    UnsupportedFormat = "unsupported_format", User;
    UnreadableFile = "unreadable_file", User;
    EmptyFile = "empty_file", User;
    NeedsPassword = "needs_password", User;
    NeedsOcr = "needs_ocr", User;
    FileTooLarge = "file_too_large", User;
    ModelMismatch = "model_mismatch", User;
    Cancelled = "cancelled", User;
    PermissionDenied = "permission_denied", Environment;
    /// The access rules do not allow the file to be read.
    AccessDenied = "access_denied", User;
    /// A session made more calls than it may; the hint names the time of the next try.
    TooManyCalls = "too_many_calls", User;
    /// The state of a collection (closed, archived) does not allow the operation.
    WrongState = "wrong_state", User;
    InUse = "in_use", Environment;
    DiskFull = "disk_full", Environment;
    /// A vault has to be unlocked first.
    Locked = "locked", User;
    /// The passphrase or key that was given does not decrypt the data.
    WrongKey = "wrong_key", User;
    MissingDependency = "missing_dependency", Environment;
    Network = "network", Environment;
    Io = "io", Environment;
    Corrupt = "corrupt", Corruption;
    NewerSchema = "newer_schema", Environment;
    Internal = "internal", Bug;
}

impl ErrorCode {
    /// The code with this [name](Self::name); `Internal` if there is none.
    pub fn from_name(name: &str) -> Self {
        Self::ALL.iter().copied().find(|code| code.name() == name).unwrap_or(Self::Internal)
    }
}

/// An error: the event and its object (`message`), and the next step (`hint`).
///
/// `Display` gives only the message. Each front end renders the hint in its own words, once, at the end.
#[derive(Debug, Serialize, Deserialize)]
pub struct Error {
    pub code: ErrorCode,
    pub message: String,
    pub hint: Option<Hint>,
    /// Not kept when an error is serialised.
    #[serde(skip)]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, source: None }
    }

    pub fn with_hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Takes the hint of another error, if it has one.
    pub fn with_hint_of(mut self, other: &Self) -> Self {
        self.hint.clone_from(&other.hint);
        self
    }

    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// An I/O failure on `what` (usually a path), classified by the operating system's reason.
    pub fn io(what: impl fmt::Display, error: std::io::Error) -> Self {
        use std::io::ErrorKind::*;
        let (code, hint) = match error.kind() {
            NotFound => (ErrorCode::FileNotFound, "Check that the path is correct and the file exists."),
            PermissionDenied => (
                ErrorCode::PermissionDenied,
                "Give your user permission to read it (and to write, for CaseTrack's own data), then try again.",
            ),
            StorageFull | QuotaExceeded => (ErrorCode::DiskFull, "Free some disk space, then try again."),
            _ => (ErrorCode::Io, "Check that the disk or network share is available, then try again."),
        };
        let message = match code {
            ErrorCode::FileNotFound => format!("File not found: {what}"),
            ErrorCode::PermissionDenied => format!("Permission denied: {what}"),
            ErrorCode::DiskFull => format!("Disk full while working on {what}"),
            _ => format!("Could not access {what}: {error}"),
        };
        Self::new(code, message).with_hint(hint).with_source(error)
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidArgument, message)
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Internal, message)
            .with_hint("This is a defect in CaseTrack. Please report it with the message above.")
    }

    pub fn cancelled() -> Self {
        Self::new(ErrorCode::Cancelled, "Cancelled.")
            .with_hint("Everything finished before that is kept. Run it again to continue.")
    }

    pub fn kind(&self) -> ErrorKind {
        self.code.kind()
    }

    /// Message and hint on one line, after a text with the effect of the error.
    pub fn notice(&self, led_to: &str) -> Notice {
        let text = format!("{led_to}{}", self.message);
        match &self.hint {
            Some(hint) => hint.after(text + " "),
            None => text.into(),
        }
    }

    /// Message and hint, if that suits every reader, separated by an empty line.
    pub fn full_text(&self) -> String {
        match self.hint.as_ref().and_then(Hint::plain) {
            Some(hint) => format!("{}\n\n{hint}", self.message),
            None => self.message.clone(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_found_by_its_name() {
        for &code in ErrorCode::ALL {
            assert_eq!(ErrorCode::from_name(code.name()), code);
        }
        // A refusal is not a defect of the program.
        assert_eq!(ErrorCode::from_name("access_denied").kind(), ErrorKind::User);
        assert_eq!(ErrorCode::from_name("too_many_calls").kind(), ErrorKind::User);
    }
}
