//! The notice of ingestion on new documents that are versions or copies of others.

use std::collections::HashSet;

use casetrack_core::hint::Part;
use casetrack_core::{Action, CollectionId, DocumentId, Notice, Result};

use super::groups::groups;
use super::sketch::Sketch;
use super::version_list::{USUAL_SIMILARITY, sketch};
use casetrack_host::Host;
use casetrack_host::documents::facts::ByVersion;

/// Earlier documents that are read for it if no request listed versions since the program began: about a second. With
/// more of them there is no notice, and the list of versions shows them on request.
const MOST_READ: usize = 500;
/// Likewise if the collection has more documents: the samples for comparison take 2 kB of memory each.
const MOST_DOCUMENTS: usize = 20_000;

/// The notice of an ingestion that lists the `new` documents that are versions or copies of others; `None` if none is,
/// or if they could not be compared.
pub fn versions_notice(host: &Host, id: CollectionId, new: &HashSet<DocumentId>) -> Option<Notice> {
    versions_among(host, id, new)
        .inspect_err(|error| tracing::warn!(%error, "new documents were not compared with the others"))
        .unwrap_or_default()
}

/// A notice if some of these `new` documents are versions or copies of others of the collection, with the name of one. E-mail messages are
/// left out, since most quote one another. Reads the new documents, and at most [`MOST_READ`] earlier ones.
fn versions_among(host: &Host, id: CollectionId, new: &HashSet<DocumentId>) -> Result<Option<Notice>> {
    let collection = host.collection(id)?;
    let entries: Vec<_> = collection.catalogue()?.iter().filter(|entry| !entry.format.is_message()).cloned().collect();
    let documents: Vec<DocumentId> = entries.iter().map(|entry| entry.id).collect();
    let known = collection.derived::<ByVersion<Sketch>>();
    let unread = || known.unknown(&collection, &documents).iter().filter(|document| !new.contains(document)).count();
    if new.is_empty() || documents.len() > MOST_DOCUMENTS || unread() > MOST_READ {
        return Ok(None);
    }
    let sketches = known.of(&collection, &documents, |document| sketch(&collection, document))?;
    let sketches: Vec<&Sketch> = sketches.iter().map(|(_, sketch)| sketch.as_ref()).collect();
    let is_new = |at: &usize| new.contains(&documents[*at]);
    let groups = groups(&sketches, USUAL_SIMILARITY as f32);
    let count: usize = groups.iter().map(|members| members.iter().filter(|at| is_new(at)).count()).sum();
    // In a group with a new document, that one and the one most like it.
    let example = groups.iter().find_map(|members| {
        let new = *members.iter().find(|at| is_new(at))?;
        let similarity = |at: &usize| sketches[new].similarity(sketches[*at]);
        let others = members.iter().copied().filter(|at| *at != new);
        let other = others.max_by(|a, b| similarity(a).total_cmp(&similarity(b)))?;
        Some((&entries[new].name, &entries[other].name, similarity(&other)))
    });
    let Some((name, other, similarity)) = example else { return Ok(None) };
    let said = match count {
        1 => {
            let percent = (similarity * 100.0).round();
            format!(
                "“{name}” is a version or a copy of “{other}”: about {percent} % of the wording of both is the same. "
            )
        }
        _ => format!("{count} of the new documents are versions or copies of others, such as “{name}” of “{other}”. "),
    };
    let parts = [Part::Text(said + "See "), Part::Action(Action::ListVersions), Part::Text(".".to_owned())];
    Ok(Some(Notice::new(parts)))
}
