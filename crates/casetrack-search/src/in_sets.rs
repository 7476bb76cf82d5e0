//! Filters by the user's resource sets.

use std::path::Path;

use casetrack_core::{Error, ErrorCode, Result};
use casetrack_store::CatalogueEntry;

use casetrack_host::Host;

/// Documents whose file is in a resource set, or those whose file is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetFilter {
    pub excluded: bool,
    pub name: String,
}

/// True for each of these documents whose file is in any of the sets, and in none that is excluded.
///
/// Errors: a set that does not exist.
pub(super) fn admit(host: &Host, filters: &[SetFilter], entries: &[&CatalogueEntry]) -> Result<Vec<bool>> {
    let paths: Vec<&Path> = entries.iter().map(|entry| Path::new(&entry.path)).collect();
    let is_any_wanted = filters.iter().any(|filter| !filter.excluded);
    let (mut wanted, mut excluded) = (vec![!is_any_wanted; paths.len()], vec![false; paths.len()]);
    for filter in filters {
        let not_found = || {
            Error::new(ErrorCode::NotFound, format!("There is no resource set \"{}\".", filter.name)).with_hint(
                "The user lists the resource sets with `casetrack space sets`, and makes one with `casetrack space create NAME`.",
            )
        };
        // Sets are of the disk of a server, which is not for all of its users.
        if !host.has_catalog() || !host.sight().has_disk() {
            return Err(not_found());
        }
        let found = host.space()?.which_are_in(&filter.name, &paths);
        let found = found.map_err(|error| if error.code == ErrorCode::NotFound { not_found() } else { error })?;
        let side = if filter.excluded { &mut excluded } else { &mut wanted };
        side.iter_mut().zip(found).for_each(|(side, found)| *side |= found);
    }
    Ok(wanted.into_iter().zip(excluded).map(|(wanted, excluded)| wanted && !excluded).collect())
}
