//! Electronic invoices in XML as fields: UN/CEFACT Cross Industry Invoice (Factur-X, ZUGFeRD, XRechnung), UBL 2 (XRechnung, Peppol) and
//! FatturaPA. They come as files, in PDF files and in mail.
//!
//! The main fields come first, under names of their own. Every other value follows under the name of its element, so that nothing is lost.

use casetrack_core::{BlockKind, ExtractionMethod, Result, single_spaced};
use casetrack_pages::build::DocumentBuilder;
use casetrack_pages::container::xml::{Element, Node, XmlError, XmlReader};
use mail_parser::decoders::base64::base64_decode;

/// An element of an invoice.
#[derive(Debug, Default)]
struct Field {
    name: String,
    /// Currency, unit, scheme of an identifier, media type and file name, in this order.
    attributes: [Option<String>; 5],
    text: String,
    children: Vec<Field>,
}

const ATTRIBUTES: [&str; 5] = ["currencyID", "unitCode", "schemeID", "mimeCode", "filename"];

/// Lines of an invoice, each of which is one paragraph.
const LINES: [&str; 5] =
    ["IncludedSupplyChainTradeLineItem", "InvoiceLine", "CreditNoteLine", "DettaglioLinee", "DatiRiepilogo"];

/// Main fields, and the ends of their paths in CII, UBL and FatturaPA.
const MAIN: [(&str, &[&str]); 9] = [
    (
        "Number",
        &["ExchangedDocument/ID", "HeaderExchangedDocument/ID", "Invoice/ID", "CreditNote/ID", "Documento/Numero"],
    ),
    ("Date", &["ExchangedDocument/IssueDateTime", "Invoice/IssueDate", "CreditNote/IssueDate", "Documento/Data"]),
    (
        "Seller",
        &[
            "SellerTradeParty/Name",
            "AccountingSupplierParty/Party/PartyLegalEntity/RegistrationName",
            "AccountingSupplierParty/Party/PartyName/Name",
            "CedentePrestatore/DatiAnagrafici/Anagrafica/Denominazione",
        ],
    ),
    (
        "Buyer",
        &[
            "BuyerTradeParty/Name",
            "AccountingCustomerParty/Party/PartyLegalEntity/RegistrationName",
            "AccountingCustomerParty/Party/PartyName/Name",
            "CessionarioCommittente/DatiAnagrafici/Anagrafica/Denominazione",
        ],
    ),
    ("Net", &["TaxBasisTotalAmount", "LegalMonetaryTotal/TaxExclusiveAmount"]),
    ("Tax", &["MonetarySummation/TaxTotalAmount", "Invoice/TaxTotal/TaxAmount", "CreditNote/TaxTotal/TaxAmount"]),
    ("Total", &["GrandTotalAmount", "LegalMonetaryTotal/TaxInclusiveAmount", "ImportoTotaleDocumento"]),
    ("Amount due", &["DuePayableAmount", "LegalMonetaryTotal/PayableAmount", "DettaglioPagamento/ImportoPagamento"]),
    ("Due", &["DueDateDateTime", "Invoice/DueDate", "PaymentMeans/PaymentDueDate", "DataScadenzaPagamento"]),
];

/// Elements with the currency of the invoice.
const CURRENCIES: [&str; 3] = ["InvoiceCurrencyCode", "DocumentCurrencyCode", "Divisa"];

/// True if XML begins as an electronic invoice does.
pub(super) fn is_invoice(xml: &str) -> bool {
    let mut start = xml.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']);
    loop {
        let end = match start {
            _ if start.starts_with("<?") => "?>",
            _ if start.starts_with("<!--") => "-->",
            _ => break,
        };
        let Some((_, rest)) = start.split_once(end) else { return false };
        start = rest.trim_start();
    }
    let Some(tag) = start.strip_prefix('<').and_then(|tag| tag.split('>').next()) else { return false };
    let name = tag.split_whitespace().next().unwrap_or_default();
    match name.rsplit(':').next().unwrap_or_default() {
        "CrossIndustryInvoice" | "CrossIndustryDocument" | "FatturaElettronica" => true,
        "Invoice" | "CreditNote" => tag.contains("urn:oasis:names:specification:ubl:"),
        _ => false,
    }
}

/// The main fields of an invoice under their names, without what follows damage.
pub(super) fn main_fields(xml: &str) -> Vec<(&'static str, String)> {
    let (root, _) = Field::of_invoice(xml);
    Invoice::of(&root).main_fields(&root)
}

/// Writes an invoice as one page; a damaged one as far as it goes, with a warning.
pub(super) fn write(xml: &str, document: &mut DocumentBuilder) -> Result<()> {
    let (root, is_whole) = Field::of_invoice(xml);
    if !is_whole {
        document.warn("The XML of the invoice is damaged; what follows the damage is missing.");
    }
    let invoice = Invoice::of(&root);
    document.start_page(ExtractionMethod::Native, None);
    let kind = match root.name.as_str() {
        "CreditNote" => "Credit note",
        _ => "Electronic invoice",
    };
    let mut main = vec![kind.to_owned()];
    main.extend(invoice.main_fields(&root).into_iter().map(|(label, value)| format!("{label}: {value}")));
    document.push_block(BlockKind::Paragraph, &main.join("\n"))?;
    for block in invoice.sections(&root, "") {
        document.push_block(BlockKind::Paragraph, &block)?;
    }
    root.files(document);
    Ok(())
}

impl Field {
    /// The root of an invoice, and whether it was read to its end.
    fn of_invoice(xml: &str) -> (Self, bool) {
        let mut reader = XmlReader::new(xml);
        let mut root = Self::default();
        let read = reader.root().and_then(|element| {
            root = Self::of(&element);
            root.read(&mut reader)
        });
        (root, read.is_ok())
    }

    fn of(element: &Element) -> Self {
        let attributes = element.attributes(ATTRIBUTES);
        Self { name: element.name().to_owned(), attributes, ..Self::default() }
    }

    /// Reads the content to the end of the element. The part before damage is kept.
    fn read(&mut self, reader: &mut XmlReader) -> std::result::Result<(), XmlError> {
        loop {
            match reader.next()? {
                Node::Start(element) => {
                    let mut child = Self::of(&element);
                    let whole = child.read(reader);
                    self.children.push(child);
                    whole?;
                }
                Node::Text(text) => self.text.push_str(&text),
                Node::End | Node::Eof => return Ok(()),
            }
        }
    }

    fn is_file(&self) -> bool {
        self.name.ends_with("BinaryObject") || self.name == "Attachment"
    }

    /// The text of an element, or of its only one inside.
    fn value(&self) -> String {
        match self.children.as_slice() {
            [only] => only.value(),
            _ => single_spaced(&self.text),
        }
    }

    /// True if it is a value: itself, or the only element inside it.
    fn is_value(&self) -> bool {
        match self.children.as_slice() {
            [] => true,
            [only] => only.children.is_empty(),
            _ => false,
        }
    }

    /// The name of a value in words, with that of the element around it. Some names only repeat that there is a value.
    fn label(&self) -> String {
        const PLAIN: [&str; 6] = ["Content", "DateString", "DateTime", "DateTimeString", "ID", "Name"];
        match self.children.as_slice() {
            [only] if !PLAIN.contains(&only.name.as_str()) => {
                format!("{}, {}", words(&self.name), words(&only.name).to_lowercase())
            }
            _ => words(&self.name),
        }
    }

    /// The first value in the order of the document whose path ends so; names may be cut at their beginning.
    fn find(&self, path: &str) -> Option<&Field> {
        let names: Vec<&str> = path.split('/').collect();
        self.find_below(&names, &mut Vec::new())
    }

    fn find_below<'a>(&'a self, names: &[&str], above: &mut Vec<&'a str>) -> Option<&'a Field> {
        above.push(&self.name);
        let is_there = above.len() >= names.len()
            && above.iter().rev().zip(names.iter().rev()).enumerate().all(|(at, (own, wanted))| {
                // `HeaderExchangedDocument`, `SpecifiedTradeSettlementMonetarySummation`.
                own == wanted || at > 0 && own.ends_with(wanted)
            });
        let found = match is_there && self.is_value() && !self.value().is_empty() {
            true => Some(self),
            false => self.children.iter().find_map(|child| child.find_below(names, above)),
        };
        above.pop();
        found
    }

    /// Hands over the files inside.
    fn files(&self, document: &mut DocumentBuilder) {
        if self.is_file() && self.children.is_empty() {
            let text: Vec<u8> = self.text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
            let name = self.attributes[4].as_deref().unwrap_or("attachment.bin");
            match base64_decode(&text).filter(|bytes| !bytes.is_empty()) {
                Some(bytes) => document.attachments().push(name, bytes),
                None => document.warn(format!("The file {name} in the invoice is damaged and was left out.")),
            }
        }
        self.children.iter().for_each(|child| child.files(document));
    }
}

struct Invoice {
    currency: Option<String>,
}

impl Invoice {
    fn of(root: &Field) -> Self {
        Self { currency: CURRENCIES.iter().find_map(|name| root.find(name)).map(|field| field.value()) }
    }

    fn main_fields(&self, root: &Field) -> Vec<(&'static str, String)> {
        let fields = MAIN.into_iter().filter_map(|(label, paths)| {
            let field = paths.iter().find_map(|path| root.find(path))?;
            Some((label, self.shown(field)))
        });
        fields.collect()
    }

    /// A value with its currency or unit; days in ISO 8601.
    fn shown(&self, field: &Field) -> String {
        if let ([only], true) = (field.children.as_slice(), field.is_value()) {
            return self.shown(only);
        }
        let value = field.value();
        let [currency, unit, scheme, ..] = &field.attributes;
        let is_day = field.name.starts_with("DateTime") && value.len() == 8;
        if let (true, Some((year, rest))) = (is_day, value.split_at_checked(4))
            && let Some((month, day)) = rest.split_at_checked(2)
        {
            return format!("{year}-{month}-{day}");
        }
        let is_amount = field.name.ends_with("Amount") || field.name.starts_with("Importo");
        let currency = currency.as_ref().or(self.currency.as_ref().filter(|_| is_amount));
        match (currency, unit, scheme) {
            (Some(currency), ..) => format!("{value} {currency}"),
            (_, Some(unit), _) => format!("{value} {unit}"),
            (.., Some(scheme)) => format!("{value} ({scheme})"),
            _ => value,
        }
    }

    /// The values of each element under its name, in the order of the document.
    fn sections(&self, field: &Field, above: &str) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut inside: Vec<String> = Vec::new();
        let own = words(&field.name);
        let title = if above.is_empty() { own.clone() } else { format!("{above}: {own}") };
        for child in field.children.iter().filter(|child| !child.is_file()) {
            if LINES.contains(&child.name.as_str()) {
                let mut values = vec![words(&child.name)];
                self.values(child, "", &mut values);
                inside.push(values.join("\n"));
            } else if child.is_value() {
                let value = self.shown(child);
                lines.extend((!value.is_empty()).then(|| format!("{}: {value}", child.label())));
            } else {
                inside.extend(self.sections(child, &own));
            }
        }
        if !lines.is_empty() {
            lines.insert(0, title);
            inside.insert(0, lines.join("\n"));
        }
        inside
    }

    /// All values in a line of the invoice.
    fn values(&self, field: &Field, above: &str, lines: &mut Vec<String>) {
        for child in field.children.iter().filter(|child| !child.is_file()) {
            let name = if child.is_value() { child.label() } else { words(&child.name) };
            let label = if above.is_empty() { name } else { format!("{above}, {}", name.to_lowercase()) };
            if child.is_value() {
                let value = self.shown(child);
                lines.extend((!value.is_empty()).then(|| format!("{label}: {value}")));
            } else {
                self.values(child, &label, lines);
            }
        }
    }
}

/// The words of a name: `GrandTotalAmount` is "Grand total amount".
fn words(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 8);
    let mut before = ' ';
    for c in name.chars() {
        match c {
            'A'..='Z' if before.is_ascii_lowercase() => {
                words.push(' ');
                words.push(c);
            }
            c => words.push(c),
        }
        before = c;
    }
    // Words of capitals only are abbreviations.
    let mut parts = words.split(' ');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, word| {
        let is_abbreviation = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase());
        all + " " + &if is_abbreviation { word.to_owned() } else { word.to_lowercase() }
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::test_files::assert_page_invariants;
    use crate::{ExtractOptions, Extraction};

    fn extract(name: &str, bytes: &[u8]) -> Extraction {
        let extraction = crate::extract(Path::new(name), bytes, &ExtractOptions::default()).unwrap();
        extraction.pages.iter().for_each(assert_page_invariants);
        extraction
    }

    const CII: &str = "<?xml version=\"1.0\" encoding=\"UTF-8-W/O-BOM\"?>\n<!-- made -->\n\
        <rsm:CrossIndustryInvoice xmlns:rsm=\"a\" xmlns:ram=\"b\" xmlns:udt=\"c\"><rsm:ExchangedDocument><ram:ID>R-117</ram:ID>\
        <ram:IssueDateTime><udt:DateTimeString format=\"102\">20240604</udt:DateTimeString></ram:IssueDateTime></rsm:ExchangedDocument>\
        <rsm:SupplyChainTradeTransaction><ram:IncludedSupplyChainTradeLineItem><ram:SpecifiedTradeProduct><ram:Name>Plug Ø4</ram:Name>\
        <ram:SellerAssignedID>P4</ram:SellerAssignedID></ram:SpecifiedTradeProduct><ram:SpecifiedLineTradeDelivery>\
        <ram:BilledQuantity unitCode=\"C62\">2</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery></ram:IncludedSupplyChainTradeLineItem>\
        <ram:ApplicableHeaderTradeAgreement><ram:SellerTradeParty><ram:Name>Mole &amp; Co.</ram:Name><ram:SpecifiedTaxRegistration>\
        <ram:ID schemeID=\"VA\">DK12345678</ram:ID></ram:SpecifiedTaxRegistration></ram:SellerTradeParty><ram:BuyerTradeParty><ram:Name>Zoë</ram:Name>\
        </ram:BuyerTradeParty></ram:ApplicableHeaderTradeAgreement><ram:ApplicableHeaderTradeSettlement>\
        <ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode><ram:SpecifiedTradeSettlementHeaderMonetarySummation>\
        <ram:TaxTotalAmount currencyID=\"DKK\">90.00</ram:TaxTotalAmount><ram:GrandTotalAmount>60.00</ram:GrandTotalAmount>\
        </ram:SpecifiedTradeSettlementHeaderMonetarySummation></ram:ApplicableHeaderTradeSettlement></rsm:SupplyChainTradeTransaction>\
        </rsm:CrossIndustryInvoice>";

    #[test]
    fn a_cross_industry_invoice_is_read_as_fields() {
        let extraction = extract("factur-x.xml", CII.as_bytes());
        let text = &extraction.pages[0].text;
        assert!(
            text.starts_with(
                "Electronic invoice\nNumber: R-117\nDate: 2024-06-04\nSeller: Mole & Co.\nBuyer: Zoë\nTax: 90.00 DKK\nTotal: 60.00 EUR\n"
            ),
            "{text}"
        );
        for part in [
            "Included supply chain trade line item\nSpecified trade product, name: Plug Ø4\n",
            "billed quantity: 2 C62",
            "Seller trade party\nName: Mole & Co.\nSpecified tax registration: DK12345678 (VA)",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(!text.contains('<') && extraction.warnings.is_empty());
    }

    #[test]
    fn ubl_and_fattura_pa_have_the_same_main_fields() {
        let ubl = "<Invoice xmlns=\"urn:oasis:names:specification:ubl:schema:xsd:Invoice-2\"><ID>R-118</ID><IssueDate>2024-06-05</IssueDate>\
            <DueDate>2024-07-05</DueDate><DocumentCurrencyCode>EUR</DocumentCurrencyCode><AdditionalDocumentReference><ID>plan</ID><Attachment>\
            <EmbeddedDocumentBinaryObject mimeCode=\"text/plain\" filename=\"plan.txt\">VGhlIHBsYW4=</EmbeddedDocumentBinaryObject></Attachment>\
            </AdditionalDocumentReference><AccountingSupplierParty><Party><PartyName><Name>Mole</Name></PartyName></Party></AccountingSupplierParty>\
            <LegalMonetaryTotal><TaxInclusiveAmount currencyID=\"EUR\">11.90</TaxInclusiveAmount><PayableAmount currencyID=\"EUR\">11.90</PayableAmount>\
            </LegalMonetaryTotal></Invoice>";
        let extraction = extract("a.xml", ubl.as_bytes());
        let expected = "Electronic invoice\nNumber: R-118\nDate: 2024-06-05\nSeller: Mole\nTotal: 11.90 EUR\nAmount due: 11.90 EUR\nDue: 2024-07-05\n";
        assert!(extraction.pages[0].text.starts_with(expected), "{}", extraction.pages[0].text);
        assert_eq!(
            (extraction.attachments[0].name.as_str(), &extraction.attachments[0].bytes[..]),
            ("plan.txt", &b"The plan"[..])
        );
        let fattura = "<p:FatturaElettronica xmlns:p=\"x\"><FatturaElettronicaBody><DatiGenerali><DatiGeneraliDocumento><TipoDocumento>TD01</TipoDocumento>\
            <Divisa>EUR</Divisa><Data>2024-06-06</Data><Numero>119</Numero><ImportoTotaleDocumento>12.20</ImportoTotaleDocumento>\
            </DatiGeneraliDocumento></DatiGenerali></FatturaElettronicaBody></p:FatturaElettronica>";
        let text = extract("a.xml", fattura.as_bytes()).pages[0].text.clone();
        assert!(text.starts_with("Electronic invoice\nNumber: 119\nDate: 2024-06-06\nTotal: 12.20 EUR\n"), "{text}");
    }

    #[test]
    fn other_xml_stays_text_and_damage_is_said() {
        let order = "<Invoice xmlns=\"http://shop.example\"><ID>1</ID></Invoice>";
        assert_eq!(extract("a.xml", order.as_bytes()).pages[0].text, order);
        let cut = extract("a.xml", &CII.as_bytes()[..CII.len() - 200]);
        assert!(cut.pages[0].text.contains("Number: R-117") && cut.warnings.len() == 1, "{:?}", cut.warnings);
    }
}
