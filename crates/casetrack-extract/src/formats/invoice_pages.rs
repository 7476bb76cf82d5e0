//! The pages of a PDF compared with the electronic invoice in it. In law the XML is the invoice, and people read the pages.

use casetrack_core::ExtractionMethod;
use casetrack_core::remarks::INVOICES_DIFFER;
use casetrack_pages::model::Extraction;
use casetrack_pages::text::encoding;

use super::invoice::{is_invoice, main_fields};

/// Beginnings of the words that an invoice is called by.
const INVOICE: [&str; 8] = ["invoice", "rechnung", "facture", "fattura", "factura", "factuur", "faktura", "credit"];
/// Words between such a word and the number.
const MOST_BETWEEN: usize = 4;
/// Words between the day and the year of a date with its month in words.
const MOST_OF_DATE: usize = 4;

/// A warning with both, if the number, the date or the total of the XML is not on the pages. Pages that OCR has read are not compared.
pub(crate) fn difference(extraction: &Extraction) -> Option<String> {
    let pages = &extraction.pages;
    if pages.iter().any(|page| page.method != ExtractionMethod::Native) {
        return None;
    }
    let text = pages.iter().map(|page| page.text.as_str()).collect::<Vec<_>>().join("\n");
    if text.trim().is_empty() {
        return None;
    }
    let files = extraction.attachments.iter().filter(|file| file.name.to_ascii_lowercase().ends_with(".xml"));
    let mut invoices = files.filter_map(|file| {
        let xml = encoding::decode_html(&file.bytes).filter(|decoded| is_invoice(&decoded.text))?;
        Some((file.name.as_str(), main_fields(&xml.text)))
    });
    let (name, fields) = invoices.next()?;
    let differences = differences(&text, &fields);
    (!differences.is_empty()).then(|| format!("{INVOICES_DIFFER} ({name}) differ: {}.", differences.join("; ")))
}

fn differences(text: &str, fields: &[(&'static str, String)]) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let value = |label: &str| fields.iter().find(|(name, _)| *name == label).map(|(_, value)| value.as_str());
    let mut found = Vec::new();
    let mut note = |what: &str, xml: &str, page: Option<&str>| {
        let page = page.map_or_else(|| "not on the page".to_owned(), |page| format!("{page} on the page"));
        found.push(format!("{what} {xml} in the XML, {page}"));
    };
    if let Some(number) = value("Number").filter(|number| !has_number(text, number)) {
        note("number", number, invoice_number(&words));
    }
    if let Some(date) = value("Date").filter(|date| !has_date(&words, date)) {
        note("date", date, words.iter().copied().find(|word| day_in_digits(word).is_some()));
    }
    if let Some(total) = value("Total").filter(|total| !has_amount(text, total)) {
        note("total", total, None);
    }
    // Many invoices give only the days until then.
    if let Some(due) = value("Due").filter(|due| !found.is_empty() && !has_date(&words, due)) {
        found.push(format!("due {due} in the XML, not on the page"));
    }
    found
}

/// A word without the punctuation around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| matches!(c, ',' | ';' | ':' | '(' | ')' | '.' | '#' | '"'))
}

fn has_number(text: &str, number: &str) -> bool {
    let plain =
        |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase() };
    plain(text).contains(&plain(number))
}

/// The word with a digit that follows a word for an invoice.
fn invoice_number<'t>(words: &[&'t str]) -> Option<&'t str> {
    words.iter().enumerate().find_map(|(at, word)| {
        let word = word.to_lowercase();
        INVOICE.iter().any(|name| word.starts_with(name)).then_some(())?;
        let behind = words[at + 1..].iter().take(MOST_BETWEEN).copied();
        behind
            .filter(|word| word.len() > 2 && word.contains(|c: char| c.is_ascii_digit()))
            .find(|word| day_in_digits(word).is_none())
    })
}

/// True if a day in ISO 8601 is among words, in digits in any order or with its month in words.
fn has_date(words: &[&str], date: &str) -> bool {
    let mut parts = date.splitn(3, '-').map(|part| part.parse::<u32>().ok());
    let (Some(Some(year)), Some(Some(month)), Some(Some(day))) = (parts.next(), parts.next(), parts.next()) else {
        // A form that cannot be compared.
        return true;
    };
    let in_digits = |word: &&str| {
        day_in_digits(word).is_some_and(|[a, b, c]| {
            let is_year = |part: u32| part == year || part == year % 100;
            is_year(a) && (b, c) == (month, day) || is_year(c) && ((a, b) == (day, month) || (a, b) == (month, day))
        })
    };
    let in_words = |(at, word): (usize, &&str)| {
        let around = &words[at.saturating_sub(MOST_OF_DATE)..words.len().min(at + MOST_OF_DATE + 1)];
        leading_number(word) == Some(year) && around.iter().any(|word| leading_number(word) == Some(day))
    };
    words.iter().any(in_digits) || words.iter().enumerate().any(in_words)
}

/// The number that a word begins with: 13 of "13th".
fn leading_number(word: &str) -> Option<u32> {
    let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    word[..digits].parse().ok()
}

/// The three numbers of a day in digits.
fn day_in_digits(word: &str) -> Option<[u32; 3]> {
    let separator = word.chars().find(|c| matches!(c, '-' | '.' | '/'))?;
    let parts: Vec<u32> = word.split(separator).map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let parts: [u32; 3] = parts.try_into().ok()?;
    let lengths: Vec<usize> = word.split(separator).map(str::len).collect();
    matches!(lengths.as_slice(), [4, 1..=2, 1..=2] | [1..=2, 1..=2, 2 | 4]).then_some(parts)
}

/// True if an amount is in a text, however its thousands and its decimals are set apart.
fn has_amount(text: &str, amount: &str) -> bool {
    let number = amount.split_whitespace().next().unwrap_or_default();
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || !whole.chars().chain(fraction.chars()).all(|c| c.is_ascii_digit()) {
        // A negative amount, or none.
        return true;
    }
    let is_between = |c: char| matches!(c, '.' | ',' | '\'' | '’' | ' ' | '\u{A0}' | '\u{202F}' | '\u{2009}');
    let digits: String = text.chars().filter(|c| !is_between(*c)).collect();
    let cents = format!("{fraction:0<2}");
    let has_cents = cents[..2].bytes().any(|digit| digit != b'0');
    let with_cents = format!("{whole}{}", &cents[..2]);
    digits.contains(&with_cents) || !has_cents && digits.contains(whole)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::differences;
    use crate::ExtractOptions;
    use crate::test_files::pdf_file_of;

    const XML: &str = "<rsm:CrossIndustryInvoice xmlns:rsm='a'><rsm:ExchangedDocument><ID>RE-20201121/508</ID><IssueDateTime>\
        <DateTimeString format='102'>20201121</DateTimeString></IssueDateTime></rsm:ExchangedDocument><SupplyChainTradeTransaction>\
        <ApplicableHeaderTradeSettlement><InvoiceCurrencyCode>EUR</InvoiceCurrencyCode><SpecifiedTradeSettlementHeaderMonetarySummation>\
        <GrandTotalAmount>571.04</GrandTotalAmount></SpecifiedTradeSettlementHeaderMonetarySummation></ApplicableHeaderTradeSettlement>\
        </SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>";

    /// The warnings about an invoice with this text on its page.
    fn warnings(text: &str) -> Vec<String> {
        let content = format!("BT /F1 12 Tf 72 700 Td ({text}) Tj ET");
        let stream = |text: &str| format!("<< /Length {} >>\nstream\n{text}\nendstream", text.len());
        let file = pdf_file_of(&[
            "<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [(xml) 6 0 R] >> >> >>".to_owned(),
            "<< /Type /Pages /Kids [4 0 R] /Count 1 >>".to_owned(),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 8 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
                .to_owned(),
            "<< >>".to_owned(),
            "<< /Type /Filespec /F (factur-x.xml) /UF (factur-x.xml) /EF << /F 7 0 R >> >>".to_owned(),
            stream(XML),
            stream(&content),
        ]);
        crate::extract(Path::new("invoice.pdf"), &file, &ExtractOptions::default()).unwrap().warnings
    }

    #[test]
    fn a_page_that_differs_from_the_invoice_in_it_is_a_warning_with_both() {
        let same = "Invoice # RE-20201121/508 issued at 21.11.2020, total 571,04 EUR";
        assert!(warnings(same).is_empty(), "{:?}", warnings(same));
        let other = "Invoice # RE-20190610/507 issued at 2019-06-10, total 571.04 EUR";
        assert_eq!(
            warnings(other),
            [
                "The page and the XML of the invoice (factur-x.xml) differ: number RE-20201121/508 in the XML, RE-20190610/507 on the page; \
              date 2020-11-21 in the XML, 2019-06-10 on the page."
            ]
        );
    }

    #[test]
    fn values_are_compared_however_they_are_written() {
        let fields = |number: &str, date: &str, total: &str, due: &str| {
            vec![
                ("Number", number.to_owned()),
                ("Date", date.to_owned()),
                ("Total", total.to_owned()),
                ("Due", due.to_owned()),
            ]
        };
        let own = fields("FA-2017-0010", "2017-11-13", "1671.10 EUR", "2017-12-13");
        for text in [
            "Facture FA-2017-0010 du 13 novembre 2017, total 1 671,10 \u{20AC}",
            "FACTURE: fa 2017 0010. 13/11/2017. 1.671,1",
            "Invoice FA-2017-0010, November 13th, 2017, EUR 1,671.10",
            "Rechnung FA-2017-0010 vom 13.11.17 \u{FC}ber 1'671.10",
        ] {
            let found = differences(text, &own);
            let cut = text.ends_with(",1");
            assert_eq!(found.len(), usize::from(cut), "{text}: {found:?}");
        }
        let found =
            differences("Facture FA-2017-0011 du 13/11/2017, total 1671,10, \u{E9}ch\u{E9}ance 14/12/2017", &own);
        assert_eq!(
            found,
            ["number FA-2017-0010 in the XML, FA-2017-0011 on the page", "due 2017-12-13 in the XML, not on the page"]
        );
        let found = differences("Facture FA-2017-0010 du 13/11/2017, total 1671,20 EUR", &own);
        assert_eq!(found[0], "total 1671.10 EUR in the XML, not on the page");
        // Values that cannot be compared.
        assert!(differences("FA-2017-0010", &fields("FA-2017-0010", "13 Nov", "-5.00 EUR", "")).is_empty());
    }
}
