//! Web archives (MHTML, RFC 2557): a page with its frames and pictures in one file, as browsers and office programs save it.

use casetrack_core::{BlockKind, ExtractionMethod, FileFormat, Result};
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::model::Source;
use casetrack_pages::text::dates;

use super::body::PageText;
use super::eml::{self, Entity};
use super::letter::Enclosure;
use super::mime::{Part, split_headers};

/// Headers of messages that were sent. A page that a browser saved may have a sender, which is the browser.
const OF_MAIL: [&str; 8] =
    ["to:", "cc:", "bcc:", "received:", "return-path:", "delivered-to:", "in-reply-to:", "references:"];

pub(crate) struct WebArchive;

impl Extractor for WebArchive {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let bytes = source.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(source.bytes).trim_ascii_start();
        let Entity { body, attachments, warnings } = eml::read_entity(source, bytes);
        warnings.into_iter().for_each(|warning| document.warn(warning));
        let (headers, _) = split_headers(bytes);
        let [date, _, subject] = eml::summary(headers);
        document.set_title(&subject);
        document.set_created(dates::of_mail(&date));
        let mut page = PageText::default();
        let address = Part::parse(headers).page_address();
        let saved = [("Address", address.unwrap_or_default()), ("Saved", date)];
        let saved = saved.iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| format!("{name}: {value}"));
        if !body.text.is_empty() {
            page.push(BlockKind::Paragraph, &saved.collect::<Vec<_>>().join("\n"));
        }
        page.append(&body);
        for file in attachments.into_iter().filter(is_document) {
            let file = Enclosure { inline: true, ..file };
            if file.is_document() {
                document.attachments().push(&file.file_name(), file.bytes);
            }
        }
        document.start_page(ExtractionMethod::Native, None);
        document.push_verbatim(&page.text, &page.spans)
    }
}

/// Styles, scripts, fonts and the files that office programs add are not documents.
fn is_document(file: &Enclosure) -> bool {
    FileFormat::from_media_type(&file.media_type)
        .is_some_and(|format| !matches!(format, FileFormat::Html | FileFormat::Text | FileFormat::Csv))
}

/// True if a file that begins so is a web archive and not a mail. `is_promised`: by its name. `start` is in lower case.
pub(crate) fn is_web_archive(start: &str, is_promised: bool) -> bool {
    let head_end = start.find("\n\n").into_iter().chain(start.find("\n\r\n")).min().unwrap_or(start.len());
    let (head, rest) = start.split_at(head_end);
    let has = |header: &str| head.lines().any(|line| line.starts_with(header));
    let is_page = has("content-type: multipart/related")
        || has("content-type:multipart/related")
        || has("content-type: text/html");
    let saved_by = head.contains("from: <saved by") || has("snapshot-content-location:");
    let is_from_browser = saved_by || head.contains("produced by microsoft mhtml");
    let has_sender = has("from:") && !is_from_browser && !head.contains("from: \"saved by");
    let is_mail = has_sender || OF_MAIL.iter().any(|header| has(header));
    let is_page = is_page && (has("mime-version:") || is_from_browser);
    is_page && !is_mail && (is_promised || is_from_browser || rest.contains("\ncontent-location:"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use casetrack_core::ErrorCode;

    use super::*;
    use crate::test_files::assert_page_invariants;
    use crate::{ExtractOptions, Extraction};

    const CHROME: &str = "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://shop.example/terms\r\n\
        Subject: Terms of =?utf-8?Q?S=C3=A4le?=\r\nDate: Tue, 4 Jun 2024 10:00:00 +0000\r\nMIME-Version: 1.0\r\n\
        Content-Type: multipart/related;\r\n\ttype=\"text/html\";\r\n\tboundary=\"b\"\r\n\r\n\r\n\
        --b\r\nContent-Type: text/html\r\nContent-ID: <frame-1@mhtml.blink>\r\nContent-Transfer-Encoding: quoted-printable\r\n\
        Content-Location: https://shop.example/terms\r\n\r\n\
        <html><head><meta charset=3D\"utf-8\"></head><body><h1>Terms</h1><p>Caf=C3=A9 closes at ten.</p></body></html>\r\n\
        --b\r\nContent-Type: text/css\r\nContent-Location: cid:css-1@mhtml.blink\r\n\r\np { color: red }\r\n\
        --b\r\nContent-Type: text/html\r\nContent-Location: https://shop.example/frame\r\n\r\n<p>Inside a frame.</p>\r\n\
        --b\r\nContent-Type: image/png\r\nContent-Location: https://shop.example/logo.png\r\n\r\nlogo\r\n--b--\r\n";

    /// As Word and Excel write it.
    const OFFICE: &str = "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=\"----=_b\"\n\n\
        This document is a Single File Web Page, also known as a Web Archive file.\n\n\
        ------=_b\nContent-Location: file:///C:/1/lease.htm\nContent-Transfer-Encoding: quoted-printable\n\
        Content-Type: text/html; charset=\"windows-1252\"\n\n<html xmlns:o=3D\"x\"><body><p class=3DMsoNormal>R=E4ume</p></body></html>\n\
        ------=_b\nContent-Location: file:///C:/1/lease_files/filelist.xml\nContent-Type: text/xml; charset=\"utf-8\"\n\n<xml/>\n------=_b--\n";

    fn extract(name: &str, bytes: &[u8]) -> Extraction {
        crate::extract(Path::new(name), bytes, &ExtractOptions::default()).unwrap()
    }

    #[test]
    fn a_page_is_read_with_its_frames_under_any_name() {
        let text = "Address: https://shop.example/terms\nSaved: Tue, 4 Jun 2024 10:00:00 +0000\n\nTerms\nCafé closes at ten.\n\nInside a frame.";
        for name in ["terms.mhtml", "terms.mht", "terms.doc", "terms.html", "terms"] {
            let extraction = extract(name, CHROME.as_bytes());
            assert_eq!((extraction.format, extraction.pages[0].text.as_str()), (FileFormat::Mhtml, text), "{name}");
            assert_eq!(extraction.title.as_deref(), Some("Terms of Säle"));
            assert!(extraction.attachments.is_empty());
        }
        assert!(extract("terms.mht", CHROME.as_bytes()).warnings.is_empty());
    }

    #[test]
    fn office_programs_save_pages_under_names_of_their_own() {
        for name in ["lease.doc", "lease.xls", "lease.mht"] {
            let extraction = extract(name, OFFICE.as_bytes());
            assert_eq!((extraction.format, extraction.pages[0].text.as_str()), (FileFormat::Mhtml, "Räume"), "{name}");
        }
        // Confluence gives its pages an id, as mails have.
        let confluence =
            format!("Date: Tue, 4 Jun 2024 10:00:00 +0000\nMessage-ID: <1@x>\nSubject: Exported\n{OFFICE}");
        assert_eq!(extract("page.doc", confluence.as_bytes()).format, FileFormat::Mhtml);
    }

    #[test]
    fn a_mail_with_pictures_stays_a_mail() {
        let mail = format!("From: Ann <a@b.example>\nTo: c@d.example\nMessage-ID: <1@x>\n{OFFICE}");
        assert_eq!(extract("a.eml", mail.as_bytes()).format, FileFormat::Eml);
        let sent = format!("From: Ann <a@b.example>\nMessage-ID: <1@x>\n{OFFICE}");
        assert_eq!(extract("a.mht", sent.as_bytes()).format, FileFormat::Eml);
    }

    #[test]
    fn damaged_and_empty_archives_end_with_text_or_an_error() {
        for cut in 1..CHROME.len() {
            if let Ok(extraction) =
                crate::extract(Path::new("a.mht"), &CHROME.as_bytes()[..cut], &ExtractOptions::default())
            {
                extraction.pages.iter().for_each(assert_page_invariants);
            }
        }
        let empty = crate::extract(
            Path::new("a.mht"),
            b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b--\n",
            &ExtractOptions::default(),
        );
        assert_eq!(empty.unwrap_err().code, ErrorCode::EmptyFile);
    }
}
