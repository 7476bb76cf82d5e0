//! Infers the kind of a document by simple rules. A wrong kind is worse than none.

use casetrack_core::{DocumentType, single_spaced};

use crate::model::Extraction;

/// Characters of the first page that are looked at, for titles and salutations …
const OPENING_CHARS: usize = 1_500;
/// … and for the wordings of contracts.
const RECITAL_CHARS: usize = 6_000;
/// The first lines that may be titles, of at most this many words.
const TITLE_LINES: usize = 8;
const TITLE_WORDS: usize = 12;
/// The fewest lines with the headers of a message that make one.
const HEADERS: usize = 3;

/// Nouns that name each kind. In a title and in the name of a file, the noun at the end counts ("Consulting Agreement Memo" is a memo), or the one
/// before "of", "between" and the like.
const NAMES: &[(DocumentType, &str)] = &[
    (DocumentType::Invoice, "invoice, credit note, receipt, rechnung, facture, fattura, factura"),
    (DocumentType::Memo, "memo, memorandum"),
    (DocumentType::Proposal, "proposal, quotation, tender, bid"),
    (DocumentType::Correspondence, "letter, correspondence, email, e-mail, e-mails, emails, brief, lettre"),
    (DocumentType::Policy, "policy, policies, code of conduct, guideline, guidelines, handbook, richtlinie"),
    (
        DocumentType::Contract,
        "agreement, contract, amendment, addendum, lease, sublease, nda, statement of work, terms and conditions, terms of service, terms of use, \
         deed, power of attorney, vertrag, mietvertrag, arbeitsvertrag, contrat, contratto, contrato, overeenkomst",
    ),
    (DocumentType::Report, "report, minutes, audit, analysis, study, survey, assessment, bericht, rapport, protokoll"),
    (DocumentType::Presentation, "presentation, slides, slide deck, pitch deck, board deck"),
    // Kinds of their own, so that no other word of the title counts.
    (
        DocumentType::Other,
        "diary, log, register, schedule, programme, program, form, certificate, notice, order, change order, note, delivery note, index, list, \
         specification, drawing, manual, brochure, newsletter, press release, transcript, complaint, motion, judgment, decision, plan, \
         ledger, resume, curriculum vitae, template, sample, example, test, release, changelog, readme",
    ),
];

/// Words behind a noun that names a kind, as in "Minutes of the meeting".
const AFTER: [&str; 20] = [
    "of",
    "between",
    "for",
    "to",
    "with",
    "by",
    "dated",
    "on",
    "and",
    "no",
    "nr",
    "number",
    "re",
    "regarding",
    "von",
    "zwischen",
    "concerning",
    "relating",
    "among",
    "in",
];
/// Words at the end of a file name that do not indicate its kind.
const STATES: [&str; 16] = [
    "copy",
    "draft",
    "final",
    "signed",
    "executed",
    "scan",
    "clean",
    "redline",
    "rev",
    "version",
    "new",
    "old",
    "original",
    "unsigned",
    "signature",
    "pdf",
];
/// Beginnings of lines that address a reader.
const SALUTATIONS: [&str; 8] = [
    "dear ",
    "to whom it may concern",
    "sehr geehrte",
    "madame, monsieur",
    "madame,",
    "monsieur,",
    "ladies and gentlemen",
    "egregio ",
];
/// Wordings of which contracts have two at their beginning.
const OF_CONTRACTS: [&str; 16] = [
    "this agreement",
    "this contract",
    "this amendment",
    "this lease",
    "by and between",
    "entered into",
    "hereinafter",
    "whereas",
    "now, therefore",
    "now therefore",
    "the parties agree",
    "hereby agree",
    "witnesseth",
    "in consideration of",
    "(the \"agreement\")",
    "each a \"party\"",
];
/// Words at the beginning of a line that is the title of an invoice or a receipt, and words that its number follows.
const OF_INVOICES: [&str; 18] = [
    "tax invoice",
    "simplified tax invoice",
    "invoice",
    "cash sales",
    "cash sale",
    "cash receipt",
    "cash bill",
    "cash inv no",
    "bill no",
    "receipt no",
    "slip no",
    "doc no",
    "official receipt",
    "rechnungsnummer",
    "rechnung",
    "facture",
    "fattura",
    "factura",
];
/// Words on the line of a total.
const TOTALS: [&str; 7] = ["total", "amount due", "balance due", "gesamtbetrag", "rechnungsbetrag", "summe", "totale"];
/// Most words of a line with the number of an invoice.
const NUMBER_WORDS: usize = 7;
const HEADER_LINES: [&str; 7] = ["from:", "to:", "sent:", "date:", "subject:", "cc:", "re:"];

/// The kind of a document from, in this order: its format (sheets are spreadsheets, slides are presentations), its file name, the title it gives
/// itself, the titles at the beginning of its first page with text, and how that page opens and addresses its reader.
///
/// `name` is the display or file name. [`DocumentType::Other`] when no rule applies.
pub fn infer_document_type(extraction: &Extraction, name: &str) -> DocumentType {
    if extraction.format.is_spreadsheet() {
        return DocumentType::Spreadsheet;
    }
    if extraction.format.is_presentation() {
        return DocumentType::Presentation;
    }
    if extraction.format.is_mail() {
        return DocumentType::Correspondence;
    }
    // The list of files in an archive describes them, not the archive.
    if extraction.format.is_listing() {
        return DocumentType::Other;
    }
    let text = extraction.pages.iter().find(|page| !page.blocks.is_empty()).map_or("", |page| page.text.as_str());
    let opening: String = text.chars().take(OPENING_CHARS).collect();
    let recital: String = text.chars().take(RECITAL_CHARS).collect();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    named_kind(stem, true)
        .or_else(|| named_kind(extraction.title.as_deref().unwrap_or_default(), true))
        .or_else(|| letter_kind(&opening, &recital))
        .or_else(|| titled_kind(&opening))
        .or_else(|| is_message(&opening).then_some(DocumentType::Correspondence))
        .or_else(|| is_contract(&recital).then_some(DocumentType::Contract))
        .or_else(|| is_invoice(&recital).then_some(DocumentType::Invoice))
        .unwrap_or_default()
}

/// The kind that the noun of a title names; the words of a file's name may be joined by any punctuation, and end with the state of the file.
fn named_kind(title: &str, is_file: bool) -> Option<DocumentType> {
    // "Agreement1" is the first agreement of a filing.
    let plain = |word: &str| match word.trim_end_matches(|c: char| c.is_ascii_digit()) {
        stem if stem.chars().count() > 2 && stem.chars().all(char::is_alphabetic) => stem.to_lowercase(),
        _ => word.to_lowercase(),
    };
    let all: Vec<String> =
        title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(plain).collect();
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) || word.len() == 1;
    let mut words: &[String] = &all;
    while let Some((last, rest)) = words.split_last()
        && (is_number(last) || is_file && STATES.contains(&last.as_str()) || is_file && is_version(last))
    {
        words = rest;
    }
    // "Contract HP-2025-014" refers to a contract; "Invoice 17" is one.
    let was_numbered = words.len() < all.len() && !is_file;
    let names = |kind: DocumentType, noun: &str| {
        let noun: Vec<String> = noun.replace('-', " ").split_whitespace().map(str::to_owned).collect();
        let at_end = words.ends_with(&noun);
        let is_reference = at_end && was_numbered && kind == DocumentType::Contract && words.len() == noun.len();
        let before = || {
            let at = words.windows(noun.len()).position(|part| part == noun)?;
            words.get(at + noun.len()).filter(|next| AFTER.contains(&next.as_str()) || is_number(next))
        };
        // After "of", a noun is not the subject of the title: "Notice of Amendment".
        at_end && !is_reference && !follows_preposition(&words[..words.len() - noun.len()])
            || !at_end && before().is_some_and(|next| kind != DocumentType::Contract || !is_number(next)) && {
                let at = words.windows(noun.len()).position(|part| part == noun).unwrap_or_default();
                !follows_preposition(&words[..at])
            }
    };
    let kind_of =
        |(kind, nouns): &(DocumentType, &str)| nouns.split(", ").any(|noun| names(*kind, noun)).then_some(*kind);
    let first = NAMES.iter().find_map(kind_of);
    // A file name without a kind is no evidence.
    first.filter(|kind| !is_file || *kind != DocumentType::Other)
}

fn follows_preposition(before: &[String]) -> bool {
    before.iter().any(|word| AFTER[..8].contains(&word.as_str()))
}

fn is_version(word: &str) -> bool {
    word.strip_prefix('v').is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()))
}

/// The kind that one of the first lines names: a line of few words, most with a capital.
fn titled_kind(opening: &str) -> Option<DocumentType> {
    let lines = opening.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphabetic));
    // Columns of a head are separate titles.
    let parts = lines.take(TITLE_LINES).flat_map(|line| line.split("   ")).map(str::trim);
    let is_title = |part: &&str| {
        let words = || part.split_whitespace().filter(|word| word.starts_with(char::is_alphabetic));
        let capitals = words().filter(|word| word.starts_with(char::is_uppercase)).count();
        let all = words().count();
        all > 0 && all <= TITLE_WORDS && 2 * capitals >= all && !part.ends_with([',', ';'])
    };
    parts.filter(is_title).find_map(|part| named_kind(part, false))
}

/// The kind of a document with a salutation: a letter, or a contract in the form of a letter, which has its title in capitals above.
fn letter_kind(opening: &str, recital: &str) -> Option<DocumentType> {
    let is_salutation = |line: &&str| {
        let line = line.trim().to_lowercase();
        SALUTATIONS.iter().any(|start| line.starts_with(start))
    };
    let salutation = opening.lines().position(|line| is_salutation(&line))?;
    let is_title = |line: &&str| {
        !line.contains(|c: char| c.is_lowercase() || c == ':')
            && named_kind(line, false) == Some(DocumentType::Contract)
    };
    let is_agreement = wordings(recital) > 0 && opening.lines().take(salutation).any(|line| is_title(&line));
    Some(if is_agreement { DocumentType::Contract } else { DocumentType::Correspondence })
}

/// True for the printed headers of a message.
fn is_message(opening: &str) -> bool {
    let lines: Vec<String> = opening.lines().map(|line| line.trim().to_lowercase()).collect();
    HEADER_LINES.iter().filter(|header| lines.iter().any(|line| line.starts_with(*header))).count() >= HEADERS
        && lines.iter().any(|line| line.starts_with("from:"))
}

fn is_contract(recital: &str) -> bool {
    wordings(recital) >= 3
}

/// How many wordings of contracts a text has.
fn wordings(text: &str) -> usize {
    let text = single_spaced(text).to_lowercase().replace(['“', '”'], "\"");
    OF_CONTRACTS.iter().filter(|wording| text.contains(**wording)).count()
}

/// True for a text with the title or the number of an invoice and with a total that has hundredths. One of them is not enough: letters quote numbers of
/// invoices, and reports have totals.
fn is_invoice(text: &str) -> bool {
    let lines: Vec<String> = text.lines().map(|line| line.trim().to_lowercase()).collect();
    let names_invoice = |line: &String| {
        let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let plain = words.join(" ");
        let rest = OF_INVOICES.iter().find_map(|name| plain.strip_prefix(name));
        // "invoices are due" and "invoice the customer" are parts of sentences.
        rest.is_some_and(|rest| {
            let has_number = rest.contains(|c: char| c.is_ascii_digit());
            rest.is_empty() || rest.starts_with(' ') && has_number && words.len() <= NUMBER_WORDS
        })
    };
    let has_total = lines.iter().enumerate().any(|(at, line)| {
        let is_total = TOTALS.iter().any(|total| line.contains(total));
        is_total && lines[at..].iter().take(2).any(|line| has_hundredths(line))
    });
    has_total && lines.iter().any(names_invoice)
}

/// True for a text with a sum such as "8.20" or "1.008,20".
fn has_hundredths(line: &str) -> bool {
    line.split(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',')).any(|number| {
        let decimals =
            number.rsplit_once(['.', ',']).map_or("", |(whole, decimals)| if whole.is_empty() { "" } else { decimals });
        decimals.len() == 2
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
            ("Consulting Agreement Memo.docx", "", "", Memo),
            ("Minutes of 3 May.docx", "", "", Report),
            ("EX-10.12_Manufacturing_Agreement3.txt", "", "", Contract),
            ("AcmeInc_20200205_8-K_EX-10.1_EX-10.1_Development_Agreement.txt", "", "", Contract),
            ("Amendment No 1 (copy for signature).docx", "", "", Contract),
            ("releases.txt", "", "Nothing telling here", Other),
            ("doc.docx", "", "SUBLEASE OF SALEM QUAY\nItem: deck oven", Contract),
            ("doc.docx", "", "Repairs of the deck of the ship", Other),
            ("Board_deck.pdf", "", "", Presentation),
            ("doc.pdf", "", "Data Use Agreement Concerning the Register\nBetween A and B", Contract),
            ("scan1.pdf", "", "LEE BOOKS LTD\n1 MILL LANE\n-TAX INVOICE-\n2 X 4.10\nTOTAL: 8.20\nCASH 10.00", Invoice),
            (
                "scan2.pdf",
                "",
                "Au moulin SARL\nFacture FA-2017-0010\nAdresse de livraison\nTotal TTC\n1.624,35",
                Invoice,
            ),
            ("scan3.pdf", "", "Lee Cafe\nBill No: 01-368\nDate: 2/2/2017\nTotal 20.00", Invoice),
            ("doc.txt", "", "Invoice the customer each month.\nThe total of the year is 20.00 or more.", Other),
            ("doc.txt", "", "The bill has 3 parts.\nBill No: 12 is before the house.", Other),
        ] {
            assert_eq!(inferred(name, title, text, FileFormat::Pdf), expected, "{name}");
        }
        assert_eq!(inferred("Agreement.xlsx", "", "a", FileFormat::Xlsx), Spreadsheet);
        assert_eq!(inferred("Sales report.pptx", "", "a", FileFormat::Pptx), Presentation);
    }

    #[test]
    fn an_agreement_in_the_form_of_a_letter_is_a_contract() {
        use DocumentType::*;
        let letter = |above: &str, body: &str| {
            inferred("doc.txt", "", &format!("{above}\n4 May 2020\nLadies and Gentlemen:\n{body}"), FileFormat::Text)
        };
        let body = "Acme Bank (the \"Company\") and you agree on the terms of this Agreement.";
        assert_eq!(letter("ACME BANK\nAGENCY AGREEMENT", body), Contract);
        assert_eq!(letter("ACME BANK\nAGENCY AGREEMENT", "We send you the draft."), Correspondence);
        assert_eq!(letter("ACME BANK\nRE: AGENCY AGREEMENT", body), Correspondence);
        assert_eq!(letter("Acme Bank", body), Correspondence);
    }

    #[test]
    fn a_document_that_refers_to_a_contract_is_none() {
        use DocumentType::*;
        for (name, text) in [
            (
                "Site_Diary_August_2025.txt",
                "HARBOUR POINT    SITE DIARY\nContract HP-2025-014     Week 32: 4 August\nMonday: dry.",
            ),
            ("doc.pdf", "CHANGE ORDER No. 7\nContract HP-2025-014\nThe works are changed as follows."),
            ("doc.pdf", "NOTICE OF AMENDMENT\nThe board has amended the rules."),
            ("doc.txt", "The license of the program is MIT. The agreement was signed by nobody."),
            ("doc.txt", "Our report on the audit of the lease will follow."),
        ] {
            assert_eq!(inferred(name, "", text, FileFormat::Text), Other, "{text}");
        }
        let deed = "Dated 4 May 2020. This Agreement is entered into by and between A and B. WHEREAS A sells goods.";
        assert_eq!(inferred("doc.txt", "", deed, FileFormat::Text), Contract);
        let printed = "From: Ann Lee\nSent: Monday\nTo: Tom Ray\nSubject: rent\nIt is due.";
        assert_eq!(inferred("doc.txt", "", printed, FileFormat::Text), Correspondence);
    }
}
