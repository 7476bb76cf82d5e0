//! Uploads to the workbench, and exports from it.

use std::io::Write;
use std::sync::Arc;

use casetrack_core::{Cancel, Error, ErrorCode, ErrorKind, Result};
use casetrack_engine::desk::{Upload, UploadFile};
use casetrack_engine::evidence::EvidenceFormat;
use casetrack_engine::paging::Paging;
use casetrack_engine::sheet::SheetRequest;
use casetrack_engine::{collections, desk, sheet};
use casetrack_text::{self as text, Reader};
use http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, HeaderMap};
use http::{HeaderValue, StatusCode, Uri};
use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::json;
use tokio::sync::Semaphore;

use super::answers::{Answer, of_type, refusal};
use super::parameters::{all, query};
use casetrack_mcp::Session;

/// Most uploads and exports at the same time; others wait.
const AT_ONCE: usize = 4;
/// A header that no form can send, and no other page without a preflight request, which is refused.
pub(super) const OWN_HEADER: &str = "x-casetrack";
const PATH_HEADER: &str = "x-file-path";
/// The notices of an export, percent-encoded, one per line.
const NOTICES_HEADER: &str = "x-notices";

pub(super) struct Files {
    slots: Semaphore,
}

impl Default for Files {
    fn default() -> Self {
        Self { slots: Semaphore::new(AT_ONCE) }
    }
}

impl Files {
    /// Answers `POST /upload?collection=NAME`, whose body is a file.
    pub async fn upload(&self, session: Session, headers: &HeaderMap, uri: &Uri, body: Incoming) -> Answer {
        if headers.get(OWN_HEADER).is_none() {
            return refusal(StatusCode::FORBIDDEN, "Only the workbench uploads files.");
        }
        self.receive(session, headers, uri, body).await
    }

    /// Like [`upload`](Self::upload), for a client that other pages cannot impersonate.
    pub async fn receive(&self, session: Session, headers: &HeaderMap, uri: &Uri, body: Incoming) -> Answer {
        let path = headers.get(PATH_HEADER).and_then(|path| path.to_str().ok());
        let path = path.and_then(|path| Some(percent_decode_str(path).decode_utf8().ok()?.into_owned()));
        let (Some(collection), Some(path)) = (query(uri, "collection"), path) else {
            return refusal(StatusCode::BAD_REQUEST, "Name the collection, and the path of the file in X-File-Path.");
        };
        let length = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        match self.received(Arc::new(session), collection, path, length, body).await {
            Ok(path) => {
                let answer = json!({"path": path});
                of_type(StatusCode::OK, "application/json", answer.to_string().into())
            }
            Err(error) => failure(&error),
        }
    }

    async fn received(
        &self,
        session: Arc<Session>,
        collection: String,
        path: String,
        length: Option<u64>,
        mut body: Incoming,
    ) -> Result<String> {
        let _slot = self.slots.acquire().await.map_err(|error| Error::internal(error.to_string()))?;
        let begin = move || {
            let engine = session.engine();
            let upload =
                desk::begin_upload(engine.host(), collections::find_collection(engine.host(), &collection)?.id, &path)?;
            if length.is_some_and(|length| length > upload.limit) {
                return Err(upload.too_large());
            }
            let file = upload.create()?;
            Ok((upload, file))
        };
        let (upload, mut file): (Upload, UploadFile) = blocking(begin).await?;
        let mut received = 0u64;
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| Error::new(ErrorCode::Io, "The upload was interrupted."))?;
            let Ok(bytes) = frame.into_data() else { continue };
            received += bytes.len() as u64;
            if received > upload.limit {
                return Err(upload.too_large());
            }
            file = blocking(move || {
                file.write_all(&bytes).map_err(|error| Error::io("the upload", error))?;
                Ok(file)
            })
            .await?;
        }
        let path = blocking(move || upload.finish(file)).await?;
        Ok(path.to_string_lossy().into_owned())
    }

    /// Answers `GET /export/NAME?collection=C…`: `evidence.docx`, `.pdf`, `.md` and `.csv`, `sheet.csv` and `.xlsx`.
    pub async fn export(&self, session: Session, name: &str, uri: &Uri) -> Answer {
        let Some(collection) = query(uri, "collection") else {
            return refusal(StatusCode::BAD_REQUEST, "Name the collection.");
        };
        let (name, uri) = (name.to_owned(), uri.clone());
        let cancel = Cancel::default();
        let _cancel_on_drop = CancelOnDrop(cancel.clone());
        let Ok(_slot) = self.slots.acquire().await else {
            return refusal(StatusCode::SERVICE_UNAVAILABLE, "The workbench is ending.");
        };
        match blocking(move || exported(&session, &collection, &name, &uri, &cancel)).await {
            Ok(Some(Export { bytes, content_type, name, notices })) => {
                let mut answer = of_type(StatusCode::OK, content_type, bytes);
                let name = utf8_percent_encode(&name, NON_ALPHANUMERIC);
                if let Ok(value) = HeaderValue::try_from(format!("attachment; filename*=UTF-8''{name}")) {
                    answer.headers_mut().insert(CONTENT_DISPOSITION, value);
                }
                let notices = notices.join("\n");
                if let Ok(value) = HeaderValue::try_from(utf8_percent_encode(&notices, NON_ALPHANUMERIC).to_string())
                    && !notices.is_empty()
                {
                    answer.headers_mut().insert(NOTICES_HEADER, value);
                }
                answer
            }
            Ok(None) => refusal(StatusCode::NOT_FOUND, "There is nothing at this URL."),
            Err(error) => failure(&error),
        }
    }
}

struct Export {
    bytes: Bytes,
    content_type: &'static str,
    name: String,
    notices: Vec<String>,
}

fn exported(session: &Session, collection: &str, name: &str, uri: &Uri, cancel: &Cancel) -> Result<Option<Export>> {
    let engine = session.engine();
    let meta = collections::find_collection(engine.host(), collection)?;
    let Some((kind, extension)) = name.split_once('.') else { return Ok(None) };
    let Some(content_type) = content_type(extension) else { return Ok(None) };
    let mut notices = Vec::new();
    let bytes = match kind {
        "evidence" => {
            let Some(format) = EvidenceFormat::of_extension(extension) else { return Ok(None) };
            let exported = casetrack_export::evidence(engine, meta.id, format, true, cancel)?;
            notices = exported.notices;
            exported.bytes
        }
        "sheet" => {
            let columns = query(uri, "columns").unwrap_or_default();
            let columns = columns.split(',').filter(|column| !column.is_empty()).map(str::to_owned).collect();
            let filter = all(uri, "filter");
            let request = SheetRequest { documents: Vec::new(), columns, filter, sort: query(uri, "sort") };
            let sheet = sheet::matter_sheet(engine.host(), meta.id, &request, Paging::ALL)?;
            match extension {
                "csv" => text::sheet::csv(&sheet).into_bytes(),
                "xlsx" => casetrack_export::xlsx::of(&sheet)?,
                _ => return Ok(None),
            }
        }
        _ => return Ok(None),
    };
    let name = match kind {
        "evidence" => format!("{}.{extension}", casetrack_export::evidence_name(&meta.name)),
        _ => format!("Matter sheet of {}.{extension}", meta.name),
    };
    Ok(Some(Export { bytes: bytes.into(), content_type, name, notices }))
}

fn content_type(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pdf" => "application/pdf",
        "md" => "text/markdown; charset=utf-8",
        "csv" => "text/csv; charset=utf-8",
        _ => return None,
    })
}

/// The answer to a request that failed: the error and its hint, as JSON.
pub(super) fn failure(error: &Error) -> Answer {
    let status = match (error.code, error.kind()) {
        (ErrorCode::FileTooLarge, _) => StatusCode::PAYLOAD_TOO_LARGE,
        (ErrorCode::NotFound, _) => StatusCode::NOT_FOUND,
        (ErrorCode::AccessDenied, _) => StatusCode::FORBIDDEN,
        (_, ErrorKind::User) => StatusCode::BAD_REQUEST,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let answer = json!({"error": Reader::Assistant.error(error), "code": error.code.name()});
    of_type(status, "application/json", answer.to_string().into())
}

/// Runs work that may block on a thread of its own.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Error::internal(format!("The request was aborted: {error}"))))
}

pub(super) struct CancelOnDrop(pub Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
