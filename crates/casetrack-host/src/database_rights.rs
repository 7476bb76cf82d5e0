//! The rights of people and roles to the collections of a database.

use casetrack_core::{CollectionId, Result};
pub use casetrack_store::Right;
use serde::Serialize;

use crate::Host;

const RIGHTS: &str = "Rights of users";

#[derive(Debug, Clone, Serialize)]
pub struct RightsReport {
    pub collection: String,
    /// By the names of roles.
    pub rights: Vec<RoleRight>,
}

/// The rights of a role of the database, besides those it has as a member of other roles.
#[derive(Debug, Clone, Serialize)]
pub struct RoleRight {
    pub role: String,
    pub right: Right,
}

/// A role that may use the database for collections.
#[derive(Debug, Clone, Serialize)]
pub struct AdmittedRole {
    pub role: String,
    pub makes_collections: bool,
}

// All of it is refused with [`ErrorCode::WrongState`](casetrack_core::ErrorCode::WrongState) if the collections are on disk, and with
// [`ErrorCode::PermissionDenied`](casetrack_core::ErrorCode::PermissionDenied) if the database does not let the user.
pub fn rights(host: &Host, collection: CollectionId) -> Result<RightsReport> {
    let rights = host.only_on_server(RIGHTS)?.rights(collection)?;
    let rights = rights.into_iter().map(|(role, right)| RoleRight { role, right }).collect();
    Ok(RightsReport { collection: host.store().meta(collection)?.name, rights })
}

/// The roles that may use the database for collections, by name. Only the administrator may list them.
pub fn admitted_roles(host: &Host) -> Result<Vec<AdmittedRole>> {
    let admitted = host.only_on_server(RIGHTS)?.admitted()?;
    Ok(admitted.into_iter().map(|(role, makes_collections)| AdmittedRole { role, makes_collections }).collect())
}

/// Gives a role a right to a collection, in place of the one that it has. Only its owners may.
pub fn give_right(host: &Host, collection: CollectionId, role: &str, right: Right) -> Result<()> {
    host.only_on_server(RIGHTS)?.grant(collection, role, right)
}

/// Takes back the right of a role to a collection. Only its owners may.
pub fn take_right(host: &Host, collection: CollectionId, role: &str) -> Result<()> {
    host.only_on_server(RIGHTS)?.revoke(collection, role)
}

/// Lets a role of the database use it for collections, and make some if it `creates`. Only the administrator may.
pub fn admit_role(host: &Host, role: &str, creates: bool) -> Result<()> {
    host.only_on_server(RIGHTS)?.admit(role, creates)
}

/// Reverses [`admit_role`], and removes all rights of the role.
pub fn dismiss_role(host: &Host, role: &str) -> Result<()> {
    host.only_on_server(RIGHTS)?.dismiss(role)
}
