//! Plain text: verbatim after decoding, paragraphs are runs of lines between blank lines, form feeds start pages. XML is plain text, too,
//! except electronic invoices.

use casetrack_core::remarks::LINK_ONLY;
use casetrack_core::{ExtractionMethod, Result};
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::model::Source;
use casetrack_pages::text::encoding::{self, Decoded};
use casetrack_pages::text::paragraphs;

use super::invoice;

/// A file of text: electronic invoices are read as fields, all other text as it is.
pub(crate) struct TextFile;

impl Extractor for TextFile {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        match encoding::decode_html(source.bytes).filter(|decoded| invoice::is_invoice(&decoded.text)) {
            Some(decoded) => invoice::write(&decoded.text, document),
            None => {
                if source.bytes.len() <= LINK && is_link(&String::from_utf8_lossy(source.bytes)) {
                    document.warn(LINK_ONLY);
                }
                PlainText.extract(source, document)
            }
        }
    }
}

/// Longest file that is only a link, in bytes.
const LINK: usize = 4000;

/// True for a shortcut of Windows, macOS or Linux, and for a document of Google Drive, whose file has only its address.
fn is_link(text: &str) -> bool {
    let text = text.trim_start_matches('\u{FEFF}').trim();
    let begins = |with: &str| text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    let desktop = begins("[Desktop Entry]") && text.lines().any(|line| line.trim() == "Type=Link");
    let location = begins("<?xml") && text.contains("<plist") && text.contains("<key>URL</key>");
    let drive = text.starts_with('{') && text.ends_with('}') && text.contains("\"doc_id\"");
    begins("[InternetShortcut]") || desktop || location || drive
}

/// Text as it is.
pub(crate) struct PlainText;

impl Extractor for PlainText {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let text = decoded_text(source, document)?;
        for page in text.split('\x0c') {
            document.start_page(ExtractionMethod::Native, None);
            document.push_verbatim(page, &paragraphs(page))?;
        }
        Ok(())
    }
}

/// The file's text with all line ends as `'\n'`; a warning if bytes had to be replaced.
pub(crate) fn decoded_text(source: &Source, document: &mut DocumentBuilder) -> Result<String> {
    let Decoded { text, encoding, damaged, had_zeros } =
        encoding::decode(source.bytes).ok_or_else(|| source.unsupported("binary data of an unknown type"))?;
    if damaged {
        document.warn(format!("Some bytes are not valid {encoding} and were replaced by \u{FFFD}."));
    }
    if had_zeros {
        document.warn("The text contains zeros; they were read as spaces.");
    }
    Ok(encoding::unify_line_ends(text).into_owned())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::test_files::assert_page_invariants;
    use crate::{ExtractOptions, Extraction};

    fn extract(bytes: &[u8]) -> Extraction {
        let extraction = crate::extract(Path::new("a.txt"), bytes, &ExtractOptions::default()).unwrap();
        extraction.pages.iter().for_each(assert_page_invariants);
        extraction
    }

    #[test]
    fn a_link_is_not_taken_for_its_document() {
        for link in [
            "[InternetShortcut]\r\nURL=https://a.example/lease\r\n",
            "[Desktop Entry]\nType=Link\nURL=https://a.example/lease\n",
            "<?xml version=\"1.0\"?><plist><dict><key>URL</key><string>https://a.example</string></dict></plist>",
            "{\"url\":\"https://a.example/document\",\"doc_id\":\"1\"}",
        ] {
            assert_eq!(extract(link.as_bytes()).warnings, [super::LINK_ONLY], "{link}");
        }
        for text in ["See [InternetShortcut] below.", "{\"name\":\"a\"}", "[Desktop Entry]\nType=Application\n"] {
            assert!(extract(text.as_bytes()).warnings.is_empty(), "{text}");
        }
    }

    #[test]
    fn text_is_kept_verbatim_and_cut_at_blank_lines() {
        let page = &extract(b"  one\r\ntwo\r\n \t\r\nthree \r\n").pages[0];
        assert_eq!(page.text, "  one\ntwo\n \t\nthree \n");
        let blocks: Vec<_> = page.blocks.iter().map(|block| (block.char_start, block.char_end)).collect();
        assert_eq!(blocks, [(2, 9), (13, 18)]);
    }

    #[test]
    fn form_feeds_start_pages() {
        let pages = extract(b"one\x0c\x0cthree").pages;
        assert_eq!(
            pages.iter().map(|page| (page.number, &*page.text)).collect::<Vec<_>>(),
            [(1, "one"), (2, ""), (3, "three")]
        );
    }

    #[test]
    fn replaced_bytes_are_reported() {
        let mut bytes = "ЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖЖ".repeat(9).into_bytes();
        bytes.push(0xFF);
        assert_eq!(extract(&bytes).warnings.len(), 1);
    }
}
