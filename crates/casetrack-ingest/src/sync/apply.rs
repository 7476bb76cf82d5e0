//! The moves of a sync, which come before anything is ingested.

use std::collections::HashSet;
use std::path::PathBuf;

use casetrack_core::{DocumentId, DocumentMeta, Error, Result};
use casetrack_store::{Collection, Relocation};

use super::MovedDocument;
use casetrack_host::documents::{delete_one, members, originals};

/// The new places of documents that move to new paths, including documents inside of containers: `moves` are documents with their new
/// paths.
pub(super) fn relocations<'a>(
    documents: &'a [DocumentMeta],
    moves: &[(usize, &str)],
) -> Vec<(&'a DocumentMeta, Relocation)> {
    let mut relocations = Vec::new();
    for &(d, to) in moves {
        let meta = &documents[d];
        let moving = std::iter::once(meta).chain(members(documents, meta));
        relocations.extend(moving.map(|document| (document, relocation(document, &meta.path, to))));
    }
    relocations
}

/// The new place of a document at `from` or inside it, when that becomes `to`. Its name follows unless the user gave it another.
fn relocation(meta: &DocumentMeta, from: &str, to: &str) -> Relocation {
    let inside = &meta.path[from.len()..];
    let default_name = |file: &str| format!("{}{inside}", file_name(file));
    let name = if meta.name == default_name(from) { default_name(to) } else { meta.name.clone() };
    Relocation { document: meta.id, path: format!("{to}{inside}"), name }
}

pub(super) fn file_name(path: &str) -> &str {
    std::path::Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

/// Carries moves out, in one atomic step. Copies of originals have the extension of the path; if that changes, the new name is there before and the
/// old one goes after.
pub(super) fn relocate(collection: &Collection, relocations: Vec<(&DocumentMeta, Relocation)>) -> Result<()> {
    let moving: HashSet<DocumentId> = relocations.iter().map(|(meta, _)| meta.id).collect();
    let mut outdated: Vec<PathBuf> = Vec::new();
    for (meta, relocation) in &relocations {
        // A crash during the ingestion of a container leaves members without it.
        if let Some(orphan) = collection.document_by_path(&relocation.path)?
            && !moving.contains(&orphan.id)
        {
            delete_one(collection, &orphan)?;
        }
        if meta.original_stored {
            let old = originals::path(collection, meta);
            let new = collection.new_original_path(&DocumentMeta { path: relocation.path.clone(), ..(*meta).clone() });
            if old != new && old.exists() {
                let linked = std::fs::hard_link(&old, &new).or_else(|_| std::fs::copy(&old, &new).map(|_| ()));
                linked.map_err(|error| Error::io(new.display(), error))?;
                outdated.push(old);
            }
        }
    }
    let relocations: Vec<Relocation> = relocations.into_iter().map(|(_, relocation)| relocation).collect();
    collection.relocate_documents(&relocations)?;
    for copy in outdated {
        std::fs::remove_file(&copy).map_err(|error| Error::io(copy.display(), error))?;
    }
    Ok(())
}

/// The report of moves: the documents of files, not those inside them.
pub(super) fn moved(documents: &[DocumentMeta], moves: &[(usize, &str)]) -> Vec<MovedDocument> {
    let report = |&(d, to): &(usize, &str)| {
        let meta = &documents[d];
        let Relocation { document, path, name } = relocation(meta, &meta.path, to);
        MovedDocument { document_id: document, name, from: meta.path.clone(), to: path }
    };
    moves.iter().map(report).collect()
}
