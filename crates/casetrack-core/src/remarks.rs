//! Warnings of documents that report no loss: everything was read, and there is something to know about it.
//!
//! Warnings are stored as words, also those of earlier versions, so their words tell them apart.

/// The warning of a message whose text and attachments were not read.
pub const ENCRYPTED_MAIL: &str = "The message is encrypted; only its headers could be read.";
/// The remedy.
pub const DECRYPT_MAIL: &str =
    "Open it in the mail program of its recipient, save the message and its attachments decrypted, and ingest those.";

/// The warning of a file that only leads to a document elsewhere, as browsers and cloud drives make them.
pub const LINK_ONLY: &str = "The file is only a link; the document to which the link leads was not read.";
/// The remedy.
pub const OPEN_LINK: &str = "Open the link, save the document itself, and ingest that.";

/// The beginning of the remark about pictures that are taken for decoration.
pub const SMALL_PICTURES: &str = "Small pictures that its text shows were left out:";

/// The beginning of the remark about an electronic invoice that differs from the page it is in.
pub const INVOICES_DIFFER: &str = "The page and the XML of the invoice";

/// The beginning of the remark about the rows of a large sheet that were analysed.
pub const SAMPLED_ROWS: &str = "Names, dates, amounts and references were listed from";

/// How remarks begin.
const BEGINNINGS: [&str; 9] = [
    "The name ends in .",
    "Hidden when the document is printed:",
    "Hidden when the presentation is shown:",
    "Hidden text, which is read and marked as such:",
    "The Bates number",
    "No Bates number was found on ",
    SMALL_PICTURES,
    INVOICES_DIFFER,
    SAMPLED_ROWS,
];

/// How remarks end.
const ENDINGS: [&str; 7] = [
    "is signed; the signature was not verified.",
    "; its text is included.",
    "does not match the page image: OCR was used instead.",
    "; they are in the order of their file names.",
    "; they were read as spaces.",
    "; quotation marks were read as ordinary characters.",
    " more of the same kind: list the Bates numbers of the collection to see all.",
];

/// True if a warning of a document reports no loss.
pub fn is_remark(warning: &str) -> bool {
    // Of documents inside others that are no files of their own.
    let warning = warning.strip_prefix("In a document that is put in here: ").unwrap_or(warning);
    let is_of_numbers = warning.starts_with("Between pages ") && warning.contains(" of the Bates numbers ");
    is_of_numbers
        || BEGINNINGS.iter().any(|beginning| warning.starts_with(beginning))
        || ENDINGS.iter().any(|ending| warning.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_report_no_loss() {
        for remark in [
            "The name ends in .docx, but the content is a Rich Text document; it was read as a Rich Text document.",
            "The message is signed; the signature was not verified.",
            "The file is signed; the signature was not verified.",
            "Sheet \"Costs\" is hidden; its text is included.",
            "In a document that is put in here: Sheet \"Costs\" is hidden; its text is included.",
            "The text layer of page 2 does not match the page image: OCR was used instead.",
            "The Bates numbers SMITH000044 to SMITH000045 are missing between pages 3 and 4.",
            "Between pages 3 and 4, 2 of the Bates numbers A1 to A3 are missing.",
            "Small pictures that its text shows were left out: logo.png.",
        ] {
            assert!(is_remark(remark), "{remark}");
        }
        for loss in [
            "The message is encrypted; only its headers could be read.",
            LINK_ONLY,
            "The text layer of page 2 does not match the page image, and OCR cannot read the page either.",
            "Could not be read: page 3. The other pages are complete.",
            "OCR is uncertain on page 2 (mean confidence below 0.6): compare quotations with the page.",
            "plan.dwg is a drawing of AutoCAD; CaseTrack cannot read this format.",
            "Sheet \"Costs\" has 2 formulas whose result is not in the file; the text shows the formulas instead.",
        ] {
            assert!(!is_remark(loss), "{loss}");
        }
    }
}
