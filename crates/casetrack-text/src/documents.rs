//! Documents: listed, described and deleted.

use casetrack_core::hint::Action;
use casetrack_core::{DocumentMeta, Timestamp};
use casetrack_engine::documents::{ChunkStatistics, DocumentDetails, DocumentSummary};

use super::format::{bytes, counted, cut, one_line, push_fact, push_list, thousands, trimmed};
use super::marks::{name, quote};
use crate::Reader;

/// Longest fact of a document in a list, in characters.
const FACT_CHARS: usize = 120;

/// `tag`: the one that all have or, after a minus sign, that none has, if the collection has other documents.
pub fn list(collection: &str, documents: &[DocumentSummary], tag: Option<&str>, reader: Reader) -> String {
    listed(collection, documents, tag, (0, documents.len() as u64), reader)
}

/// A part of a list of `total` documents that begins after `offset` of them.
pub fn part(
    collection: &str,
    documents: &[DocumentSummary],
    tag: Option<&str>,
    (offset, total): (u32, u64),
    next_offset: Option<u64>,
) -> String {
    let mut text = listed(collection, documents, tag, (u64::from(offset), total), Reader::Assistant);
    Reader::Assistant.push_more(&mut text, total, next_offset);
    text
}

fn listed(
    collection: &str,
    documents: &[DocumentSummary],
    tag: Option<&str>,
    (offset, total): (u64, u64),
    reader: Reader,
) -> String {
    let collection = one_line(collection);
    if total == 0 {
        if let Some(tag) = tag {
            return match tag.trim().strip_prefix('-') {
                Some(without) => format!("Every document of {collection} has the tag {}.", quote(without.trim())),
                None => format!("No document of {collection} has the tag {}.", quote(tag.trim())),
            };
        }
        return format!("{collection} has no documents yet.\n\nNext: Ingest documents with {}.", reader.ingestion());
    }
    let mut text = format!("{} in {collection}:\n", counted(total, "document"));
    for (number, document) in (offset + 1..).zip(documents) {
        let marks = match document.marks.is_empty() {
            true => String::new(),
            false => format!("     {}\n", super::tags::marks(&document.marks)),
        };
        text.push_str(&format!(
            "\n  {number}. {} (ID: {})\n     {} | {} | {} | ingested {}\n     {}\n{marks}",
            name(&document.name),
            document.id.short(),
            document.document_type.label(),
            reader.size(document.pages, document.chunks),
            document.extraction_method.label(),
            document.ingested_at,
            name(&document.path),
        ));
        let said = [
            (!document.parties.is_empty()).then(|| format!("parties: {}", quote(&document.parties.join("; ")))),
            document.date.as_ref().map(|date| format!("date: {}", one_line(date))),
            document.governing_law.as_ref().map(|law| format!("law: {}", quote(law))),
        ];
        let of_kind = document.facts.iter().map(|(name, value)| format!("{name}: {}", quote(&cut(value, FACT_CHARS))));
        let said: Vec<String> = said.into_iter().flatten().chain(of_kind).collect();
        if !said.is_empty() {
            text.push_str(&format!("     {}\n", said.join(" | ")));
        }
    }
    trimmed(text)
}

pub fn details(details: &DocumentDetails, reader: Reader) -> String {
    let meta = &details.meta;
    let mut text = format!("{} (ID: {})\n\n", name(&meta.name), meta.id);
    let mut fact = |name: &str, value: &str| push_fact(&mut text, name, value);
    if let Some(title) = &meta.title {
        fact("Title", &quote(title));
    }
    let stated = &meta.properties;
    for (property, value) in [
        ("Author", &stated.author),
        ("Created", &stated.created),
        ("Modified", &stated.modified),
        ("Language", &stated.language),
    ] {
        if let Some(value) = value {
            fact(property, &quote(value));
        }
    }
    let gone = if details.source_exists { "" } else { " (no longer there)" };
    if !meta.marks.is_empty() {
        fact("Marks", &super::tags::marks(&meta.marks));
    }
    fact("File Path", &format!("{}{gone}", name(&meta.path)));
    fact("SHA-256", &meta.sha256.to_string());
    fact("Size", &bytes(meta.size_bytes));
    fact("Format", meta.format.label());
    fact("Type", meta.document_type.label());
    fact("Pages", &thousands(meta.page_count.into()));
    fact("Extraction", meta.extraction_method.label());
    fact("Characters", &thousands(meta.char_count));
    if meta.tracked_changes > 0 {
        let count = thousands(meta.tracked_changes.into());
        let list = reader.action(&Action::ListChanges);
        fact("Changes", &format!("{count} tracked ({list} lists them); the text is that after all of them"));
    }
    if meta.hidden_texts > 0 {
        let count = counted(meta.hidden_texts.into(), "passage");
        let list = reader.pick("find_hidden_text", "`casetrack hidden`");
        fact("Hidden", &format!("{count} that readers of the file do not see ({list} lists them)"));
    }
    fact(reader.pick("Chunks", "Passages"), &lengths(details.chunk_statistics));
    fact("Embeddings", &embeddings(&details.embedders));
    fact("Original", if meta.original_stored { "copied into the collection" } else { "not copied" });
    fact("Ingested", &meta.ingested_at.to_string());
    fact("Embedded", &time(meta.embedded_at));
    if !meta.warnings.is_empty() {
        text.push_str("\nWarnings:\n");
        push_list(&mut text, meta.warnings.iter().map(|warning| one_line(warning).into_owned()), usize::MAX);
    }
    trimmed(text)
}

/// `234 (412 to 2,200 characters, mean 1,789)`
fn lengths(chunks: ChunkStatistics) -> String {
    let [count, min, max, mean] =
        [chunks.count, chunks.min_chars, chunks.max_chars, chunks.mean_chars].map(|number| thousands(number.into()));
    match chunks.count {
        0 => count,
        _ => format!("{count} ({min} to {max} characters, mean {mean})"),
    }
}

/// When something was done, or `not yet`.
pub(crate) fn time(time: Option<Timestamp>) -> String {
    time.map_or_else(|| "not yet".to_owned(), |time| time.to_string())
}

/// `E1, E6`, or `none`.
pub(crate) fn embeddings(embedders: &[String]) -> String {
    if embedders.is_empty() { "none".to_owned() } else { embedders.join(", ") }
}

pub fn deleted(meta: &DocumentMeta, collection: &str) -> String {
    format!("Deleted {}.\nThe source file was not touched: {}", description(meta, collection), name(&meta.path))
}

/// `document "Vendor_Agreement.docx" (ID: …) with 45 pages, 234 chunks from Acme`
pub fn description(meta: &DocumentMeta, collection: &str) -> String {
    format!(
        "document {} (ID: {}) with {} from {}",
        quote(&meta.name),
        meta.id.short(),
        Reader::Assistant.size(meta.page_count, meta.chunk_count),
        one_line(collection),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{document, document_summary};

    #[test]
    fn lists_show_where_each_document_comes_from() {
        let mut odd = document_summary();
        odd.name = "line\nbreak.txt".to_owned();
        odd.pages = 1;
        let text = list("Acme", &[document_summary(), odd], None, Reader::Assistant);
        let expected = "2 documents in Acme:\n\n  1. Vendor_Agreement.docx (ID: d0c00001)\n     Contract | 45 pages, 234 chunks \
            | Native text | ingested 2023-11-14T22:13:20Z\n     /home/sarah/Acme/Vendor_Agreement.docx\n\n  2. \"line\\nbreak.txt\" \
            (ID: d0c00001)\n     Contract | 1 page, 234 chunks | Native text | ingested 2023-11-14T22:13:20Z\n     \
            /home/sarah/Acme/Vendor_Agreement.docx";
        assert_eq!(text, expected);
        assert!(list("Acme", &[], None, Reader::Assistant).contains("no documents yet"));
        let tagged = |tag| list("Acme", &[], Some(tag), Reader::CommandLine);
        assert_eq!(tagged("lost"), "No document of Acme has the tag \"lost\".");
        assert_eq!(tagged("-lost"), "Every document of Acme has the tag \"lost\".");
        assert_eq!(part("Acme", &[], Some("lost"), (0, 0), None), tagged("lost"));
        let text = part("Acme", &[document_summary()], None, (1, 3), Some(2));
        assert!(text.starts_with("3 documents in Acme:\n\n  2. Vendor_Agreement.docx"), "{text}");
        assert!(text.ends_with("\n\n… 1 more: call again with offset 2."), "{text}");
    }

    #[test]
    fn details_say_how_the_text_was_obtained_and_what_is_wrong() {
        let mut meta = document();
        meta.warnings = vec!["Page 3 has no text layer.".to_owned()];
        meta.tracked_changes = 1200;
        let statistics = ChunkStatistics { count: 234, min_chars: 412, mean_chars: 1789, max_chars: 2200 };
        let document = DocumentDetails {
            meta,
            chunk_statistics: statistics,
            source_exists: false,
            embedders: vec!["E1".to_owned()],
        };
        let text = details(&document, Reader::CommandLine);
        assert!(!text.contains("list_changes"), "{text}");
        for line in [
            "  File Path:  /home/sarah/Acme/Vendor_Agreement.docx (no longer there)",
            "  Pages:      45",
            "  Extraction: Native text",
            "  Changes:    1,200 tracked (`casetrack changes` lists them); the text is that after all of them",
            "  Passages:   234 (412 to 2,200 characters, mean 1,789)",
            "  Embeddings: E1",
            "  - Page 3 has no text layer.",
        ] {
            assert!(text.lines().any(|found| found == line), "{line:?} is not in\n{text}");
        }
    }

    #[test]
    fn a_deletion_names_what_went() {
        assert_eq!(
            deleted(&document(), "Acme"),
            "Deleted document \"Vendor_Agreement.docx\" (ID: d0c00001) with 45 pages, 234 chunks from Acme.\nThe source file was \
             not touched: /home/sarah/Acme/Vendor_Agreement.docx"
        );
    }
}
