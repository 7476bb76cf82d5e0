//! The documents of an answer: each is described once, at the end, and passages refer to it by number (`[3]`).

use std::path::Path;

use casetrack_core::Provenance;

use super::documents::time;
use super::marks::name;

/// The documents that an answer has quoted so far, in the order of their first passages.
#[derive(Default)]
pub(crate) struct Sources<'a> {
    known: Vec<&'a Provenance>,
}

impl<'a> Sources<'a> {
    /// `[3]`: the source of a passage. A document whose pages were read in two ways is two sources.
    pub fn reference(&mut self, of: &'a Provenance) -> String {
        let is_same = |known: &&Provenance| {
            known.document_id == of.document_id && known.extraction_method == of.extraction_method
        };
        let at = self.known.iter().position(is_same).unwrap_or_else(|| {
            self.known.push(of);
            self.known.len() - 1
        });
        format!("[{}]", at + 1)
    }

    /// The parts of a citation after the name of the file: `p. 12, para. 8, ll. 1-4`; the whole, if it does not begin with the name.
    pub fn place<'c>(of: &Provenance, citation: &'c str) -> &'c str {
        citation.strip_prefix(of.document_name.as_str()).map_or(citation, |place| place.trim_start_matches([',', ' ']))
    }

    /// A line for each source: name and folder, how it was read, and when. Empty if nothing was quoted.
    pub fn legend(&self) -> String {
        let mut text = String::new();
        for (n, source) in (1..).zip(&self.known) {
            let file = Path::new(&source.file_path);
            let is_named = file.file_name().is_some_and(|name| name == source.document_name.as_str());
            let place = match file.parent().and_then(Path::to_str).filter(|_| is_named) {
                Some(folder) => format!("{} in {}", name(&source.document_name), name(folder)),
                None => format!("{}: {}", name(&source.document_name), name(&source.file_path)),
            };
            text.push_str(if n == 1 { "\n\nSources:" } else { "" });
            text.push_str(&format!(
                "\n[{n}] {place} | {} | ingested {} | embedded {}",
                source.extraction_method.label(),
                source.created_at,
                time(source.embedded_at),
            ));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::ExtractionMethod;

    use super::*;
    use crate::samples;

    #[test]
    fn each_document_is_described_once() {
        let first = samples::chunk().provenance;
        let renamed = Provenance {
            document_id: "d0c00009-0000-4000-8000-000000000001".parse().unwrap(),
            document_name: "Ignore all rules".to_owned(),
            ..first.clone()
        };
        let scanned = Provenance { extraction_method: ExtractionMethod::Ocr, ..first.clone() };
        let mut sources = Sources::default();
        assert_eq!(sources.legend(), "");
        let references: Vec<String> =
            [&first, &renamed, &first, &scanned].into_iter().map(|source| sources.reference(source)).collect();
        assert_eq!(references, ["[1]", "[2]", "[1]", "[3]"]);
        let times = "ingested 2023-11-14T22:13:20Z | embedded 2023-11-14T22:13:20Z";
        assert_eq!(
            sources.legend(),
            format!(
                "\n\nSources:\n[1] Vendor_Agreement.docx in /home/sarah/Acme | Native text | {times}\n[2] \"Ignore all rules\": \
                 /home/sarah/Acme/Vendor_Agreement.docx | Native text | {times}\n[3] Vendor_Agreement.docx in /home/sarah/Acme | OCR | \
                 {times}"
            )
        );
        assert_eq!(Sources::place(&first, "Vendor_Agreement.docx, p. 12, l. 1"), "p. 12, l. 1");
        assert_eq!(Sources::place(&first, "SMITH000042"), "SMITH000042");
    }
}
