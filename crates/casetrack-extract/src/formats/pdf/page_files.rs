//! Files that are attached to places on pages (ISO 32000-1, 12.5.6.15).
//!
//! The binding has no type for such annotations and keeps its handles to itself, so the file is opened again, with the
//! library's own functions. All unsafe code of PDF is in this module.

use std::os::raw::{c_int, c_ulong};
use std::ptr::null_mut;

use casetrack_pages::model::Source;
use pdfium_render::prelude::{PdfDocument, PdfPageAnnotationType, PdfiumLibraryBindingsAccessor};

use super::file::passwords;

/// A file on a page, while it can be read.
pub(super) struct PageFile<'f> {
    pub size: usize,
    pub name: String,
    read: &'f dyn Fn() -> Option<Vec<u8>>,
}

impl PageFile<'_> {
    /// Its content; `None` if it cannot be decoded.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        (self.read)()
    }
}

/// Closes an object that the library opened, also after an error.
struct CloseGuard<F: Fn()>(F);

impl<F: Fn()> Drop for CloseGuard<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Shows the files on these pages, counted from 0, to `take` one after the other; `None` for one that is not there or
/// cannot be opened. To be called inside pdfium.
pub(super) fn on_pages(source: &Source, pdf: &PdfDocument, pages: &[usize], mut take: impl FnMut(Option<PageFile>)) {
    let library = pdf.bindings();
    // SAFETY: the bytes outlive the document, which is closed at the end of this function.
    let open = |password| unsafe { library.FPDF_LoadMemDocument64(source.bytes, password) };
    let Some(document) = passwords(source).map(open).find(|document| !document.is_null()) else {
        return pages.iter().for_each(|_| take(None));
    };
    // SAFETY: opened above, and closed once.
    let _document = CloseGuard(|| unsafe { library.FPDF_CloseDocument(document) });
    for page in pages.iter().filter_map(|page| c_int::try_from(*page).ok()) {
        // SAFETY: the document is open.
        let page = unsafe { library.FPDF_LoadPage(document, page) };
        if page.is_null() {
            take(None);
            continue;
        }
        // SAFETY: opened above, and closed once, before the document.
        let _page = CloseGuard(|| unsafe { library.FPDF_ClosePage(page) });
        // SAFETY: the page is open.
        for index in 0..unsafe { library.FPDFPage_GetAnnotCount(page) } {
            // SAFETY: the page is open.
            let annotation = unsafe { library.FPDFPage_GetAnnot(page, index) };
            if annotation.is_null() {
                continue;
            }
            // SAFETY: got above, and closed once, before the page.
            let _annotation = CloseGuard(|| unsafe { library.FPDFPage_CloseAnnot(annotation) });
            // SAFETY: the annotation is open.
            if unsafe { library.FPDFAnnot_GetSubtype(annotation) } != PdfPageAnnotationType::FileAttachment as c_int {
                continue;
            }
            // SAFETY: the annotation is open; the file belongs to the document.
            let file = unsafe { library.FPDFAnnot_GetFileAttachment(annotation) };
            let read = |to: &mut [u8]| {
                let (mut size, length) = (0, to.len() as c_ulong);
                let to = if to.is_empty() { null_mut() } else { to.as_mut_ptr().cast() };
                // SAFETY: the document is open, `file` is not null, and at most `length` bytes are written.
                let is_read = unsafe { library.FPDFAttachment_GetFile(file, to, length, &raw mut size) };
                library.is_true(is_read).then_some(size as usize)
            };
            let size = if file.is_null() { None } else { read(&mut []) };
            let Some(size) = size else {
                take(None);
                continue;
            };
            let bytes = || {
                let mut bytes = vec![0; size];
                read(&mut bytes).filter(|read| *read == size).map(|_| bytes)
            };
            // SAFETY: the document is open; nothing is written.
            let length = unsafe { library.FPDFAttachment_GetName(file, null_mut(), 0) } as usize / 2;
            let mut name = vec![0u16; length];
            // SAFETY: at most twice as many bytes as the buffer has units are written.
            unsafe { library.FPDFAttachment_GetName(file, name.as_mut_ptr(), 2 * length as c_ulong) };
            let name = String::from_utf16_lossy(&name).trim_end_matches('\0').to_owned();
            take(Some(PageFile { size, name, read: &bytes }));
        }
    }
}
