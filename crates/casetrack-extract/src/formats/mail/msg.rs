//! Outlook items in files ([MS-OXMSG]): a compound file of MAPI properties ([MS-OXPROPS]).

use casetrack_core::Result;
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::container::ole::{CompoundFile, Entry, copied};
use casetrack_pages::model::Source;

use super::item::{self, id};
use super::letter::{Enclosure, Letter};
use super::properties::Properties;

pub(crate) struct Msg;

impl Extractor for Msg {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let file = CompoundFile::of(source)?;
        let root = file.root_entries();
        let item = Properties::read(&file, root.clone(), 32, source.limits().max_part_bytes).with_names(&root);
        let recipients: Vec<Properties> = storages(&file, "__recip_version1.0_#")
            .iter()
            .map(|storage| {
                Properties::read(&file, file.entries(storage), 8, source.limits().max_part_bytes).with_charset_of(&item)
            })
            .collect();
        let (headers, mail) = item::headers(&item, &recipients);
        let mut warnings = Vec::new();
        let body = item::read_body(source, &item, &mut warnings);
        let attachments = attachments(source, &file, &item, document);
        let mut letter = Letter { headers, mail, body, attachments, warnings };
        item::open_envelope(source, &item, &mut letter);
        letter.write(document)
    }
}

/// The root's storages whose names begin so, in order.
fn storages(file: &CompoundFile, prefix: &str) -> Vec<Entry> {
    let mut found = file.root_entries();
    found.retain(|entry| entry.is_storage && entry.name.starts_with(prefix));
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn attachments(
    source: &Source,
    file: &CompoundFile,
    item: &Properties,
    document: &mut DocumentBuilder,
) -> Vec<Enclosure> {
    let limits = source.limits();
    let mut bytes_left = document.attachments().bytes_left();
    let mut found = Vec::new();
    for storage in storages(file, "__attach_version1.0_#").iter().take(limits.max_attachments as usize) {
        let attachment = Properties::read(file, file.entries(storage), 8, limits.max_part_bytes).with_charset_of(item);
        let mut name = item::attachment_name(&attachment);
        let mut media_type = attachment.string(id::ATTACH_MEDIA_TYPE).unwrap_or_default().trim().to_ascii_lowercase();
        let bytes = match attachment.storage(id::ATTACH_DATA) {
            Some(storage) => {
                let mut is_message = false;
                let copy = copied(file, storage, bytes_left, |name, bytes| {
                    if name == "__properties_version1.0" && bytes.len() >= 24 {
                        // The table of a message inside another has a header of 24 bytes instead of 32 ([MS-OXMSG] 2.4.1).
                        is_message = true;
                        bytes.splice(24..24, [0; 8]);
                    }
                });
                let Some(bytes) = copy else {
                    document.warn(format!("The attachment {name} is damaged and was left out."));
                    continue;
                };
                if is_message {
                    media_type = "application/vnd.ms-outlook".to_owned();
                    if !name.is_empty() && !name.to_ascii_lowercase().ends_with(".msg") {
                        name.push_str(".msg");
                    }
                }
                bytes
            }
            None => attachment.binary(id::ATTACH_DATA).unwrap_or_default(),
        };
        if bytes.is_empty() {
            document.warn(format!("The attachment {name} has no content; it may be a link."));
        }
        bytes_left = bytes_left.saturating_sub(bytes.len() as u64);
        let inline = attachment.is_set(id::ATTACH_HIDDEN) || attachment.string(id::ATTACH_CONTENT_ID).is_some();
        found.push(Enclosure { name, media_type, inline, bytes });
    }
    found
}
