//! The documents of files that a container no longer holds, such as messages that were deleted from a mailbox.
//!
//! If more than half of a container's documents would go at once, they are kept until their removal is confirmed: a mailbox that was
//! compacted or cut off by mistake looks the same. A note of the collection names those that are kept.

use std::collections::HashSet;

use casetrack_core::{DocumentId, DocumentMeta, Error, Result, Sha256};
use casetrack_store::Collection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of the note in the collection.
pub(super) const NOTE: &str = "former";
/// Fewer documents that are gone at once, from a container or a folder with other files, need no confirmation.
pub const FEWEST: usize = 5;

/// A file that an earlier version of its container held and the present one does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FormerMember {
    pub document_id: DocumentId,
    /// Its name inside the container.
    pub name: String,
    /// Path of its document.
    pub path: String,
    /// Path of the container.
    pub container: String,
}

impl FormerMember {
    /// `None` if the document is not inside the container.
    pub fn of(meta: &DocumentMeta, container: &str) -> Option<Self> {
        let name = meta.path.strip_prefix(container)?.strip_prefix('/')?.to_owned();
        Some(Self { document_id: meta.id, name, path: meta.path.clone(), container: container.to_owned() })
    }
}

/// The documents of files that a container no longer has under their names.
#[derive(Debug, Default)]
pub struct FormerMembers {
    /// The container has the content under another name; and those inside such a file.
    pub renamed: Vec<DocumentMeta>,
    /// The container does not have the content.
    pub gone: Vec<DocumentMeta>,
    /// All documents inside the container, with those that stay.
    pub documents: usize,
}

impl FormerMembers {
    /// `documents`: those of the collection, ordered by path. `members`: the names and contents of the files that the container holds now.
    pub fn of<'d>(
        container: &str,
        documents: impl Iterator<Item = &'d DocumentMeta>,
        members: &[(&str, Sha256)],
    ) -> Self {
        let folder = format!("{container}/");
        let names: HashSet<&str> = members.iter().map(|(name, _)| *name).collect();
        let contents: HashSet<Sha256> = members.iter().map(|(_, sha256)| *sha256).collect();
        let mut renamed_names: HashSet<&str> = HashSet::new();
        let mut former = Self::default();
        for meta in documents {
            let Some(name) = meta.path.strip_prefix(&folder) else { continue };
            former.documents += 1;
            if is_at_or_inside(name, &names) {
                continue;
            }
            if contents.contains(&meta.sha256) {
                renamed_names.insert(name);
            }
            match is_at_or_inside(name, &renamed_names) {
                true => former.renamed.push(meta.clone()),
                false => former.gone.push(meta.clone()),
            }
        }
        former
    }

    /// True if so many are gone at once that the user must confirm their removal.
    pub fn is_to_confirm(&self) -> bool {
        self.gone.len() >= FEWEST && self.gone.len() * 2 > self.documents
    }
}

/// True if a file has one of these names, or is inside one that has.
fn is_at_or_inside(name: &str, names: &HashSet<&str>) -> bool {
    names.contains(name) || name.match_indices('/').any(|(at, _)| names.contains(&name[..at]))
}

#[derive(Serialize, Deserialize)]
struct Noted {
    document_id: DocumentId,
    name: String,
}

/// The documents that are kept until their removal is confirmed, at their present paths.
pub fn kept(collection: &Collection) -> Result<Vec<FormerMember>> {
    let mut kept = Vec::new();
    for Noted { document_id, name } in read(collection)? {
        let Some(meta) = collection.document(document_id)? else { continue };
        let container = meta.path.strip_suffix(&name).and_then(|folder| folder.strip_suffix('/'));
        kept.extend(container.and_then(|container| FormerMember::of(&meta, container)));
    }
    Ok(kept)
}

/// Records the kept documents of a container, in place of those recorded before.
pub fn keep(collection: &Collection, container: &str, members: &[FormerMember]) -> Result<()> {
    let before = kept(collection)?;
    let mut after: Vec<FormerMember> = before.iter().filter(|member| member.container != container).cloned().collect();
    after.extend(members.iter().cloned());
    if after == before {
        return Ok(());
    }
    let noted: Vec<Noted> =
        after.into_iter().map(|FormerMember { document_id, name, .. }| Noted { document_id, name }).collect();
    write(collection, &noted)
}

/// Forgets documents that are removed: one that comes back has its id again, and is no former member then.
pub(super) fn forget(collection: &Collection, is_removed: impl Fn(DocumentId) -> bool) -> Result<()> {
    let mut noted = read(collection)?;
    let before = noted.len();
    noted.retain(|noted| !is_removed(noted.document_id));
    if noted.len() == before { Ok(()) } else { write(collection, &noted) }
}

fn read(collection: &Collection) -> Result<Vec<Noted>> {
    let Some(bytes) = collection.note(NOTE)? else { return Ok(Vec::new()) };
    Ok(serde_json::from_slice(&bytes).unwrap_or_else(|error| {
        tracing::warn!(%error, "the list of documents whose removal is to be confirmed cannot be read");
        Vec::new()
    }))
}

fn write(collection: &Collection, noted: &[Noted]) -> Result<()> {
    let bytes = serde_json::to_vec(noted).map_err(|error| Error::internal(error.to_string()))?;
    collection.set_note(NOTE, &bytes)
}
