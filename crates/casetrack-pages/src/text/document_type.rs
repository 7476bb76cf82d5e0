//! Infers what kind of document a file is, by simple rules.

use casetrack_core::DocumentType;

use crate::model::Extraction;

/// Characters of the first page that are looked at, for titles and salutations.
const OPENING_CHARS: usize = 600;

/// Words that name each kind, in titles and file names. The first kind that is named wins, so kinds whose words also
/// occur in the names of others come later ("Consulting Agreement Memo" is a memo about an agreement).
const NAMES: &[(DocumentType, &str)] = &[
    (DocumentType::Invoice, "invoice, credit note, receipt, bill of"),
    (DocumentType::Memo, "memo, memorandum"),
    (DocumentType::Proposal, "proposal, quotation, tender, bid, statement of work offer"),
    (DocumentType::Correspondence, "letter, correspondence, email, e-mail, mail"),
    (DocumentType::Policy, "policy, policies, procedure, code of conduct, guideline, guidelines, handbook"),
    (
        DocumentType::Contract,
        "agreement, contract, amendment, addendum, lease, sublease, license, licence, nda, msa, sow, statement of work, \
         terms and conditions, terms of service, deed, power of attorney",
    ),
    (DocumentType::Report, "report, minutes, audit, analysis, study, survey, assessment, review, findings, summary"),
    (DocumentType::Presentation, "presentation, slides, slide deck, pitch deck, board deck"),
];

/// The kind of a document from, in this order: its format (sheets are spreadsheets), its file name, the title it gives
/// itself, the start of its first page with text, and how that page opens and addresses its reader.
///
/// `name` is the display or file name. [`DocumentType::Other`] when no rule applies.
pub fn infer_document_type(extraction: &Extraction, name: &str) -> DocumentType {
    if extraction.format.is_spreadsheet() {
        return DocumentType::Spreadsheet;
    }
    if extraction.format.is_mail() {
        return DocumentType::Correspondence;
    }
    // The list of files in an archive describes them, not the archive.
    if extraction.format.is_listing() {
        return DocumentType::Other;
    }
    let opening: String = extraction
        .pages
        .iter()
        .find(|page| !page.blocks.is_empty())
        .map(|page| page.text.chars().take(OPENING_CHARS).collect())
        .unwrap_or_default();
    named_kind(name)
        .or_else(|| named_kind(extraction.title.as_deref().unwrap_or_default()))
        .or_else(|| is_letter(&opening).then_some(DocumentType::Correspondence))
        .or_else(|| named_kind(&opening))
        .unwrap_or_default()
}

/// The kind that a text names as whole words; words in file names may be joined by any punctuation.
fn named_kind(text: &str) -> Option<DocumentType> {
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    let text = format!(" {} ", words.join(" "));
    NAMES
        .iter()
        .find(|(_, names)| names.split(", ").any(|name| text.contains(&format!(" {} ", name.replace('-', " ")))))
        .map(|(kind, _)| *kind)
}

fn is_letter(opening: &str) -> bool {
    opening.lines().any(|line| {
        let line = line.trim().to_lowercase();
        ["dear ", "to whom it may concern", "sehr geehrte", "madame, monsieur"]
            .iter()
            .any(|start| line.starts_with(start))
    })
}

#[cfg(test)]
mod tests {
    use casetrack_core::{BlockKind, FileFormat};

    use super::*;
    use crate::build::DocumentBuilder;

    fn inferred(name: &str, title: &str, text: &str, format: FileFormat) -> DocumentType {
        let mut document = DocumentBuilder::new(10_000);
        document.set_title(title);
        document.push_block(BlockKind::Paragraph, text).unwrap();
        infer_document_type(&document.finish(format), name)
    }

    #[test]
    fn the_most_telling_place_decides() {
        use DocumentType::*;
        for (name, title, text, expected) in [
            ("Vendor_Agreement-v2.pdf", "", "", Contract),
            ("2024-03 Invoice 17.pdf", "Agreement", "", Invoice),
            ("scan001.pdf", "Expenses Policy", "", Policy),
            ("doc.docx", "", "MEMORANDUM\nTo: All", Memo),
            ("doc.docx", "", "Acme Corp.\nDear Ms. Jones,\nabout the agreement", Correspondence),
            ("doc.docx", "", "SERVICES AGREEMENT\nThis Agreement", Contract),
            ("releases.txt", "", "Nothing telling here", Other),
            ("doc.docx", "", "SUBLEASE OF SALEM QUAY\nItem: deck oven", Contract),
            ("doc.docx", "", "Repairs of the deck of the ship", Other),
            ("Board_deck.pdf", "", "", Presentation),
        ] {
            assert_eq!(inferred(name, title, text, FileFormat::Pdf), expected, "{name}");
        }
        assert_eq!(inferred("Agreement.xlsx", "", "a", FileFormat::Xlsx), Spreadsheet);
    }
}
