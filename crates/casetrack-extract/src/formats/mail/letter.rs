//! A message on its way to a page.

use casetrack_core::remarks::SMALL_PICTURES;
use casetrack_core::{BlockKind, ExtractionMethod, MailHeaders, Result, single_spaced};
use casetrack_pages::build::DocumentBuilder;
use casetrack_pages::model::attachment;
use casetrack_pages::text::dates;

use super::body::PageText;

/// Pictures below this size that a body shows are taken for logos, icons and tracking pixels; a screenshot or photo
/// usually has more. A judgement, not a measurement.
const MAX_DECORATION_BYTES: usize = 16 * 1024;
/// Pictures that the warning about those left out names.
const MOST_NAMED: usize = 10;

#[derive(Default)]
pub(super) struct Letter {
    pub headers: Vec<(&'static str, String)>,
    /// The headers that threads are made of.
    pub mail: MailHeaders,
    pub body: PageText,
    pub attachments: Vec<Enclosure>,
    pub warnings: Vec<String>,
}

/// Something that came with a message.
pub(super) struct Enclosure {
    /// As the message gives it; may be empty.
    pub name: String,
    /// Media type in lower case, such as `image/png`; may be empty.
    pub media_type: String,
    /// True if the body shows it.
    pub inline: bool,
    pub bytes: Vec<u8>,
}

impl Letter {
    /// Writes the page and hands over the attachments.
    pub fn write(self, document: &mut DocumentBuilder) -> Result<()> {
        let Letter { headers, mail, body, attachments, warnings } = self;
        document.set_mail(mail);
        warnings.into_iter().for_each(|warning| document.warn(warning));
        let mut small = Vec::new();
        for enclosure in attachments {
            let name = enclosure.file_name();
            if enclosure.is_document() {
                document.attachments().push(&name, enclosure.bytes);
            } else if enclosure.is_decoration() {
                small.push(name);
            }
        }
        if !small.is_empty() {
            let more = small.len().saturating_sub(MOST_NAMED);
            small.truncate(MOST_NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            document.warn(format!("{SMALL_PICTURES} {}{more}.", small.join(", ")));
        }
        let mut page = PageText::default();
        let mut lines: Vec<String> = headers
            .iter()
            .filter_map(|(name, value)| {
                let value = single_spaced(value);
                (!value.is_empty()).then(|| format!("{name}: {value}"))
            })
            .collect();
        let names: Vec<&str> = document.attachments().names().collect();
        if !names.is_empty() {
            lines.push(format!("Attachments: {}", names.join("; ")));
        }
        page.push(BlockKind::Paragraph, &lines.join("\n"));
        page.append(&body);
        for (name, value) in &headers {
            match *name {
                "Subject" => document.set_title(value),
                "From" => document.set_author(value),
                "Date" => document.set_created(dates::of_mail(value)),
                _ => {}
            }
        }
        document.start_page(ExtractionMethod::Native, None);
        document.push_verbatim(&page.text, &page.spans)
    }
}

impl Enclosure {
    /// Signatures and decoration are not documents.
    pub fn is_document(&self) -> bool {
        let signature = matches!(
            self.media_type.as_str(),
            "application/pgp-signature"
                | "application/pkcs7-signature"
                | "application/x-pkcs7-signature"
                | "application/applefile"
        ) || self.name.eq_ignore_ascii_case("smime.p7s");
        !self.bytes.is_empty() && !signature && !self.is_decoration()
    }

    /// True for a logo, an icon or the like that the body shows.
    fn is_decoration(&self) -> bool {
        let is_small = !self.bytes.is_empty() && self.bytes.len() <= MAX_DECORATION_BYTES;
        self.inline && self.media_type.starts_with("image/") && is_small
    }

    pub fn file_name(&self) -> String {
        let name = attachment::file_name(self.name.trim());
        if !name.is_empty() {
            return name;
        }
        let extension = match self.media_type.as_str() {
            "text/plain" => "txt",
            "text/html" => "html",
            "text/calendar" => "ics",
            "message/rfc822" => "eml",
            "image/jpeg" => "jpg",
            "application/vnd.ms-outlook" => "msg",
            "application/pkcs7-mime" | "application/x-pkcs7-mime" => "p7m",
            other => match other.split_once('/') {
                Some(("application" | "image", subtype)) if subtype.len() <= 4 => subtype,
                _ => "bin",
            },
        };
        format!("attachment.{extension}")
    }
}
