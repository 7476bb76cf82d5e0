//! Collections: created, listed, switched to, deleted and described.

use casetrack_core::{Action, CollectionId, CollectionMeta, CollectionStatus};
use casetrack_engine::collections::{CollectionInfo, CollectionSummary};

use super::format::{bytes, counted, one_line, push_fact, push_list, thousands, trimmed};
use super::marks::name;
use crate::Reader;

/// Most documents listed in [`info`]; `list_documents` has them all.
const MAX_DOCUMENTS: usize = 50;

pub fn created(meta: &CollectionMeta) -> String {
    format!(
        "Created collection {}.\n{}This is now your active collection.\n\nNext: Ingest documents with ingest_document.",
        name_and_id(meta),
        type_and_reference(meta),
    )
}

/// `status` is the filter that was applied, `active` the active collection of the session.
pub fn list(
    collections: &[CollectionSummary],
    status: Option<CollectionStatus>,
    active: Option<CollectionId>,
    locked: &[CollectionId],
) -> String {
    let locked = locked_vaults(locked);
    if collections.is_empty() {
        return match status {
            _ if !locked.is_empty() => format!("There are no collections that can be read.\n{locked}"),
            None => "There are no collections yet.\n\nNext: Create one with create_collection.".to_owned(),
            Some(status) => format!(
                "There are no collections with status \"{}\".\n\nNext: See all of them with status_filter \"all\", or create \
                 one with create_collection.",
                status.label()
            ),
        };
    }
    let mut text = format!("{}:\n", counted(collections.len() as u64, "collection"));
    for summary in collections {
        let meta = &summary.meta;
        let marker = if active == Some(meta.id) { " [active collection]" } else { "" };
        text.push_str(&format!("\n  {} (ID: {}){marker}\n", one_line(&meta.name), meta.id.short()));
        let mut facts = vec![meta.collection_type.label().to_owned(), format!("status: {}", meta.status.label())];
        facts.extend(summary.vault.then(|| "unlocked vault".to_owned()));
        facts.extend(meta.reference.as_deref().map(|reference| format!("reference: {}", one_line(reference))));
        facts.push(counts(summary));
        facts.push(format!("created {}", meta.created_at));
        text.push_str(&format!("    {}\n", facts.join(" | ")));
    }
    if active.is_none() {
        text.push_str("\nNo collection is active. Choose one with switch_collection.\n");
    }
    text.push_str(&locked);
    trimmed(text)
}

/// The line on locked vaults: only their ids are known.
fn locked_vaults(ids: &[CollectionId]) -> String {
    if ids.is_empty() {
        return String::new();
    }
    let lines: String = ids.iter().map(|id| format!("  locked (ID: {})\n", id.short())).collect();
    let unlock = Reader::Assistant.action(&Action::Unlock(Some(ids[0].short()).filter(|_| ids.len() == 1)));
    format!("\nLocked vaults, of which only the IDs are known:\n{lines}{unlock}\n")
}

pub fn switched(summary: &CollectionSummary) -> String {
    let next = match summary.documents {
        Some(0) => "Next: Ingest documents with ingest_document or ingest_folder.",
        _ => "Next: Search with search_documents.",
    };
    format!(
        "Switched to collection {}.\n{}Contents: {}\n\n{next}",
        name_and_id(&summary.meta),
        type_and_reference(&summary.meta),
        counts(summary),
    )
}

pub fn deleted(summary: &CollectionSummary) -> String {
    format!("Deleted {}.\nThe source files were not touched.", description(summary))
}

/// `collection "Acme" (ID: a1b2c3d4) with 5 documents, 120 pages, 1,051 chunks`
pub fn description(summary: &CollectionSummary) -> String {
    format!("collection {} with {}", name_and_id(&summary.meta), counts(summary))
}

pub fn info(info: &CollectionInfo) -> String {
    let meta = &info.summary.meta;
    let storage = &info.storage;
    let mut text = format!("Collection {}\n\n", name_and_id(meta));
    let mut fact = |name: &str, value: &str| push_fact(&mut text, name, value);
    fact("Type", meta.collection_type.label());
    fact("Status", meta.status.label());
    if info.summary.vault {
        fact("Vault", "unlocked");
    }
    if let Some(reference) = &meta.reference {
        fact("Reference", &one_line(reference));
    }
    fact("Created", &meta.created_at.to_string());
    if let Some(changed_at) = info.summary.changed_at {
        fact("Changed", &changed_at.to_string());
    }
    fact("Contents", &counts(&info.summary));
    fact("Folder", &one_line(&info.path));
    let models = [Some(&info.dense_model), info.sparse_model.as_ref()].into_iter().flatten();
    let mut models: Vec<String> = models.map(|model| one_line(model).into_owned()).collect();
    models.extend(info.token_model.as_ref().map(|model| format!("token vectors of {}", one_line(model))));
    fact("Embeddings", &models.join(", "));
    let parts = [
        ("documents and vectors", storage.truth_bytes),
        ("vector index", storage.dense_bytes),
        ("keyword index", storage.bm25_bytes),
        ("sparse index", storage.sparse_bytes),
        ("originals", storage.originals_bytes),
    ];
    let parts = parts.map(|(what, size)| format!("{what} {}", bytes(size))).join(", ");
    fact("Storage", &format!("{} ({parts})", bytes(storage.total_bytes)));
    if info.document_list.is_empty() {
        text.push_str("\nNo documents yet. Ingest documents with ingest_document or ingest_folder.");
        return text;
    }
    text.push_str("\nDocuments:\n");
    let documents = info.document_list.iter().map(|document| {
        let size = Reader::Assistant.size(document.pages, document.chunks);
        format!("{} ({}, {size})", name(&document.name), document.document_type.label())
    });
    push_list(&mut text, documents.take(MAX_DOCUMENTS), MAX_DOCUMENTS);
    let listed = info.document_list.len().min(MAX_DOCUMENTS) as u64;
    let more = info.summary.documents.unwrap_or_default().saturating_sub(listed);
    if more > 0 {
        text.push_str(&format!("  ... {} more: list_documents\n", thousands(more)));
    }
    trimmed(text)
}

fn name_and_id(meta: &CollectionMeta) -> String {
    format!("\"{}\" (ID: {})", one_line(&meta.name), meta.id.short())
}

fn type_and_reference(meta: &CollectionMeta) -> String {
    let collection_type = meta.collection_type.label();
    match &meta.reference {
        Some(reference) => format!("Type: {collection_type}\nReference: {}\n", one_line(reference)),
        None => format!("Type: {collection_type}\n"),
    }
}

fn counts(summary: &CollectionSummary) -> String {
    if let Some(problem) = &summary.problem {
        return format!("could not be read: {}", one_line(&Reader::Assistant.hint(problem)));
    }
    let counts = [(summary.documents, "document"), (summary.pages, "page"), (summary.chunks, "chunk")];
    counts.map(|(count, noun)| counted(count.unwrap_or(0), noun)).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{collection, collection_summary, document_summary};
    use casetrack_engine::collections::Storage;

    #[test]
    fn a_new_collection_reads_as_in_the_specification() {
        assert_eq!(
            created(&collection()),
            "Created collection \"Acme Corp Partnership\" (ID: a1b2c3d4).\nType: Contract\nThis is now your active \
             collection.\n\nNext: Ingest documents with ingest_document."
        );
    }

    #[test]
    fn lists_show_type_status_counts_and_the_active_collection() {
        let summary = collection_summary();
        let mut broken = collection_summary();
        broken.meta.id = CollectionId::random();
        broken.meta.reference = Some("REF-7".to_owned());
        broken.problem = Some("The store is damaged. Rebuild it.".into());
        let text = list(&[summary.clone(), broken.clone()], None, Some(summary.meta.id), &[]);
        let expected = format!(
            "2 collections:\n\n  Acme Corp Partnership (ID: a1b2c3d4) [active collection]\n    Contract | status: active | 5 \
             documents, 80 pages, 1,051 chunks | created 2023-11-14T22:13:20Z\n\n  Acme Corp Partnership (ID: {})\n    \
             Contract | status: active | reference: REF-7 | could not be read: The store is damaged. Rebuild it. | \
             created 2023-11-14T22:13:20Z",
            broken.meta.id.short()
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn an_empty_list_says_what_to_do() {
        assert!(list(&[], None, None, &[]).ends_with("Create one with create_collection."));
        let closed = list(&[], Some(CollectionStatus::Closed), None, &[]);
        assert!(closed.starts_with("There are no collections with status \"closed\"."), "{closed}");
    }

    #[test]
    fn details_name_storage_and_documents() {
        let storage = Storage {
            total_bytes: 3_500_000,
            truth_bytes: 2_000_000,
            dense_bytes: 1_000_000,
            bm25_bytes: 300_000,
            sparse_bytes: 200_000,
            originals_bytes: 0,
        };
        let details = CollectionInfo {
            summary: collection_summary(),
            path: "/data/acme".to_owned(),
            dense_model: "all-MiniLM-L6-v2".to_owned(),
            sparse_model: Some("splade-tiny".to_owned()),
            token_model: None,
            sparse_chunks: 1051,
            storage,
            document_list: vec![document_summary()],
        };
        assert_eq!(
            info(&details),
            "Collection \"Acme Corp Partnership\" (ID: a1b2c3d4)\n\n  Type:       Contract\n  Status:     active\n  Created:    \
             2023-11-14T22:13:20Z\n  Contents:   5 documents, 80 pages, 1,051 chunks\n  Folder:     /data/acme\n  Embeddings: \
             all-MiniLM-L6-v2, splade-tiny\n  Storage:    3.5 MB (documents and vectors 2.0 MB, vector index 1.0 MB, \
             keyword index 300.0 kB, sparse index 200.0 kB, originals 0 bytes)\n\nDocuments:\n  - Vendor_Agreement.docx (Contract, 45 pages, 234 chunks)\n  \
             ... 4 more: list_documents"
        );
    }
}
