//! Names of types and states, as shown to people.

use casetrack_core::{CollectionStatus, CollectionType, DocumentType, EntityType, FileFormat, ReferenceKind, Relation};

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

/// In the plural.
pub(crate) fn entities(entity_type: EntityType) -> &'static str {
    match entity_type {
        EntityType::Person => "People",
        EntityType::Organization => "Organizations",
        EntityType::Date => "Dates",
        EntityType::Amount => "Amounts",
        EntityType::Location => "Locations",
        EntityType::Concept => "Concepts",
    }
}

pub(crate) fn reference(kind: ReferenceKind) -> &'static str {
    match kind {
        ReferenceKind::Internal => "internal",
        ReferenceKind::Document => "document",
        ReferenceKind::Standard => "standard",
        ReferenceKind::Regulation => "regulation",
        ReferenceKind::Report => "report",
        ReferenceKind::LegalCase => "legal case",
        ReferenceKind::Hyperlink => "hyperlink",
    }
}

pub(crate) fn relation(relation: Relation) -> &'static str {
    match relation {
        Relation::Amends => "amends",
        Relation::Supersedes => "supersedes",
        Relation::RespondsTo => "responds to",
        Relation::Attaches => "attaches",
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
