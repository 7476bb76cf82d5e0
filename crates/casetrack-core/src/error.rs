//! One error type for the whole engine, classified by who must act on it.

use std::fmt;

use serde::{Deserialize, Serialize};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Who has to act for the operation to succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// Bad input: the caller can mend the request.
    User,
    /// The machine: disk full, permission, a missing library or model.
    Environment,
    /// Stored data is damaged; the hint says how to rebuild it.
    Corruption,
    /// A defect of CaseTrack.
    Bug,
}

/// A stable name of what went wrong, for programs.
///
/// An addition goes here and into [`ErrorCode::ALL`], [`ErrorCode::kind`] and [`ErrorCode::name`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ErrorCode {
    NoCollectionActive,
    NotFound,
    AlreadyExists,
    FileNotFound,
    InvalidArgument,
    FreeTierLimit,
    UnsupportedFormat,
    UnreadableFile,
    EmptyFile,
    NeedsPassword,
    NeedsOcr,
    FileTooLarge,
    ModelMismatch,
    Cancelled,
    PermissionDenied,
    /// The rules of access say that a file is not to be read.
    AccessDenied,
    /// More calls than a session may make; the hint says when to try again.
    TooManyCalls,
    InUse,
    DiskFull,
    MissingDependency,
    Network,
    Io,
    Corrupt,
    NewerSchema,
    Internal,
}

impl ErrorCode {
    pub const ALL: [Self; 23] = {
        use ErrorCode::*;
        [
            NoCollectionActive,
            NotFound,
            AlreadyExists,
            FileNotFound,
            InvalidArgument,
            FreeTierLimit,
            UnsupportedFormat,
            UnreadableFile,
            EmptyFile,
            NeedsPassword,
            NeedsOcr,
            FileTooLarge,
            ModelMismatch,
            Cancelled,
            PermissionDenied,
            InUse,
            DiskFull,
            MissingDependency,
            Network,
            Io,
            Corrupt,
            NewerSchema,
            Internal,
        ]
    };

    pub fn kind(self) -> ErrorKind {
        use ErrorCode::*;
        match self {
            NoCollectionActive | NotFound | AlreadyExists | FileNotFound | InvalidArgument | FreeTierLimit
            | UnsupportedFormat | UnreadableFile | EmptyFile | NeedsPassword | NeedsOcr | FileTooLarge
            | ModelMismatch | Cancelled | AccessDenied | TooManyCalls => ErrorKind::User,
            PermissionDenied | InUse | DiskFull | MissingDependency | Network | Io | NewerSchema => {
                ErrorKind::Environment
            }
            Corrupt => ErrorKind::Corruption,
            Internal => ErrorKind::Bug,
        }
    }

    /// The snake_case name used in JSON.
    pub fn name(self) -> &'static str {
        use ErrorCode::*;
        match self {
            NoCollectionActive => "no_collection_active",
            NotFound => "not_found",
            AlreadyExists => "already_exists",
            FileNotFound => "file_not_found",
            InvalidArgument => "invalid_argument",
            FreeTierLimit => "free_tier_limit",
            UnsupportedFormat => "unsupported_format",
            UnreadableFile => "unreadable_file",
            EmptyFile => "empty_file",
            NeedsPassword => "needs_password",
            NeedsOcr => "needs_ocr",
            FileTooLarge => "file_too_large",
            ModelMismatch => "model_mismatch",
            Cancelled => "cancelled",
            PermissionDenied => "permission_denied",
            AccessDenied => "access_denied",
            TooManyCalls => "too_many_calls",
            InUse => "in_use",
            DiskFull => "disk_full",
            MissingDependency => "missing_dependency",
            Network => "network",
            Io => "io",
            Corrupt => "corrupt",
            NewerSchema => "newer_schema",
            Internal => "internal",
        }
    }

    /// The code of a [name](Self::name); `Internal` where there is none.
    pub fn from_name(name: &str) -> Self {
        Self::ALL.into_iter().find(|code| code.name() == name).unwrap_or(Self::Internal)
    }
}

/// What happened and to what (`message`), and what to do next (`hint`).
///
/// `Display` gives the message alone; [`Error::full_text`] adds the hint. Front ends render hints once, at the end.
#[derive(Debug)]
pub struct Error {
    pub code: ErrorCode,
    pub message: String,
    pub hint: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, source: None }
    }

    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
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
            .with_hint("What was finished before is kept; run it again to go on.")
    }

    pub fn kind(&self) -> ErrorKind {
        self.code.kind()
    }

    /// Message and hint, separated by an empty line, as shown to people and assistants.
    pub fn full_text(&self) -> String {
        match &self.hint {
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
