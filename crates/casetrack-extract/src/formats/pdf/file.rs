use std::sync::{Mutex, MutexGuard, PoisonError};

use casetrack_core::{Error, Result};
use casetrack_pages::model::Source;
use pdfium_render::prelude::{PdfDocument, PdfiumError, PdfiumInternalError};

use super::library;

/// One thread is inside pdfium at a time: it is not thread-safe, and its binding locks every single call, which is
/// cheap only without contention.
pub(super) fn inside_pdfium() -> MutexGuard<'static, ()> {
    static PDFIUM: Mutex<()> = Mutex::new(());
    PDFIUM.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn opened<'a>(source: &'a Source) -> Result<PdfDocument<'a>> {
    let pdfium = library::pdfium(source.options)?;
    let _inside = inside_pdfium();
    let given = source.options.password.as_ref().map(|password| password.reveal());
    // Without a password as a last attempt: most encrypted files open without one, and only forbid printing or copying.
    let mut opened = pdfium.load_pdf_from_byte_slice(source.bytes, given);
    if given.is_some() && opened.as_ref().is_err_and(is_password_error) {
        opened = pdfium.load_pdf_from_byte_slice(source.bytes, None);
    }
    opened.map_err(|error| open_error(source, &error))
}

/// The passwords that may open the file: that which was given, and none.
pub(super) fn passwords<'a>(source: &'a Source) -> impl Iterator<Item = Option<&'a str>> {
    let given = source.options.password.as_ref().map(|password| Some(password.reveal()));
    given.into_iter().chain([None])
}

fn open_error(source: &Source, error: &PdfiumError) -> Error {
    match error {
        error if is_password_error(error) => source.needs_password(),
        PdfiumError::PdfiumLibraryInternalError(PdfiumInternalError::SecurityError) => {
            source.unsupported_encryption("the PDF library does not support its security handler")
        }
        PdfiumError::PdfiumLibraryInternalError(PdfiumInternalError::FormatError) => {
            source.unreadable("it is not a complete PDF")
        }
        other => source.unreadable(format_args!("the PDF library reports {other:?}")),
    }
}

fn is_password_error(error: &PdfiumError) -> bool {
    matches!(error, PdfiumError::PdfiumLibraryInternalError(PdfiumInternalError::PasswordError))
}
