//! Names of types and states, as shown to people.

use casetrack_core::{CollectionStatus, CollectionType, DocumentType, FileFormat};

pub(crate) fn collection_type(collection_type: CollectionType) -> &'static str {
    match collection_type {
        CollectionType::Project => "Project",
        CollectionType::Contract => "Contract",
        CollectionType::Financial => "Financial",
        CollectionType::Compliance => "Compliance",
        CollectionType::Research => "Research",
        CollectionType::Hr => "HR",
        CollectionType::Operations => "Operations",
        CollectionType::Other => "Other",
    }
}

pub(crate) fn collection_status(status: CollectionStatus) -> &'static str {
    match status {
        CollectionStatus::Active => "active",
        CollectionStatus::Closed => "closed",
        CollectionStatus::Archived => "archived",
    }
}

pub(crate) fn document_type(document_type: DocumentType) -> &'static str {
    match document_type {
        DocumentType::Contract => "Contract",
        DocumentType::Report => "Report",
        DocumentType::Spreadsheet => "Spreadsheet",
        DocumentType::Presentation => "Presentation",
        DocumentType::Correspondence => "Correspondence",
        DocumentType::Memo => "Memo",
        DocumentType::Proposal => "Proposal",
        DocumentType::Invoice => "Invoice",
        DocumentType::Policy => "Policy",
        DocumentType::Other => "Other",
    }
}

pub(crate) fn format(format: FileFormat) -> &'static str {
    match format {
        FileFormat::Pdf => "PDF",
        FileFormat::Docx => "DOCX",
        FileFormat::Doc => "DOC",
        FileFormat::Xlsx => "XLSX",
        FileFormat::Xls => "XLS",
        FileFormat::Xlsb => "XLSB",
        FileFormat::Ods => "ODS",
        FileFormat::Csv => "CSV",
        FileFormat::Text => "Text",
        FileFormat::Markdown => "Markdown",
        FileFormat::Pptx => "PPTX",
        FileFormat::Html => "HTML",
        FileFormat::Rtf => "RTF",
        FileFormat::Image => "Image",
        FileFormat::Eml => "E-mail",
        FileFormat::Msg => "Outlook message",
        FileFormat::Mbox => "Mailbox",
        FileFormat::Zip => "ZIP",
        FileFormat::Odt => "ODT",
        FileFormat::Odp => "ODP",
        FileFormat::Ppt => "PPT",
    }
}
