//! Files that were inside a container of the synced folder and no longer are.

use std::collections::HashSet;
use std::path::Path;

use casetrack_core::{DocumentId, DocumentMeta, Result};

use super::{SyncReport, SyncRequest};
use crate::WorkContext;
use casetrack_host::documents::delete_one;
use casetrack_host::documents::former::{self, FormerMember, FormerMembers};
use casetrack_host::documents::removal::remember_removed;
use casetrack_host::{read, sha256};

/// Removes the documents whose removal was to be confirmed, or reports them as kept. Those of the containers that this sync has read are among them.
pub(super) fn settle(work: WorkContext<'_>, request: &SyncRequest, root: &Path, report: &mut SyncReport) -> Result<()> {
    let collection = work.collection;
    let kept = former::kept(collection)?.into_iter().filter(|member| Path::new(&member.path).starts_with(root));
    let kept: Vec<FormerMember> = kept.collect();
    if !request.confirm_removal || request.dry_run {
        report.withheld_members = kept;
        return Ok(());
    }
    let mut documents = Vec::with_capacity(kept.len());
    for member in &kept {
        documents.extend(collection.document(member.document_id)?);
    }
    remember_removed(collection, documents.iter())?;
    documents.iter().try_for_each(|meta| delete_one(collection, meta))?;
    report.gone_members.extend(kept);
    if !documents.is_empty() {
        collection.flush()?;
    }
    Ok(())
}

/// Reports the documents that a sync would remove, or keep, because these changed files no longer hold their files. A file that cannot be read
/// is reported elsewhere.
pub(super) fn preview<'f>(
    work: WorkContext<'_>,
    request: &SyncRequest,
    changed: impl Iterator<Item = &'f str>,
    documents: &[DocumentMeta],
    report: &mut SyncReport,
) {
    let config = work.host.config();
    for path in changed {
        let is_container = documents.iter().any(|meta| meta.path == path && meta.is_container());
        let file = Path::new(path);
        if !is_container || work.cancel.is_cancelled() {
            continue;
        }
        let extraction = read(file, None, config)
            .and_then(|(bytes, _)| work.host.readers().extract(file, &bytes, &config.extract_options(), work.cancel));
        let Ok(extraction) = extraction else { continue };
        let members: Vec<_> =
            extraction.attachments.iter().map(|member| (member.name.as_str(), sha256(&member.bytes))).collect();
        let former = FormerMembers::of(path, documents.iter(), &members);
        let waiting: HashSet<DocumentId> = report.withheld_members.iter().map(|member| member.document_id).collect();
        let gone = former.gone.iter().filter(|meta| !waiting.contains(&meta.id));
        let gone = gone.filter_map(|meta| FormerMember::of(meta, path));
        match former.is_to_confirm() && !request.confirm_removal {
            true => report.withheld_members.extend(gone),
            false => report.gone_members.extend(gone),
        }
    }
}
