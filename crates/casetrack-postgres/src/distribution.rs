//! Tables over several machines, which Citus brings. All rows of a document have one route, and those of a route are on one machine, so that a
//! document is there or not, and each statement is done by the machines that have the routes it names.

use casetrack_core::{Error, ErrorCode};

use crate::error::Step;
use crate::server::Connection;

const DISTRIBUTE: &str = include_str!("../migrations/distribute.sql");
const SHARE_RIGHTS: &str = include_str!("../migrations/share_rights.sql");

/// The number of machines that have rows of distributed tables; none without Citus. Errors: `WrongState` if this is one
/// of them, and not the one that clients talk to.
pub(crate) fn machines(connection: &mut Connection) -> Step<i32> {
    if connection.some("SELECT 1 FROM pg_extension WHERE extname = 'citus'", &[])?.is_none() {
        return Ok(0);
    }
    let row = connection.one(
        "SELECT citus_is_coordinator(), (SELECT count(*)::int FROM pg_dist_node WHERE isactive AND shouldhaveshards AND noderole = 'primary')",
        &[],
    )?;
    if !row.try_get::<_, bool>(0)? {
        let message = "The address is that of a worker of Citus, which knows only a part of the database.";
        return Err(Error::new(ErrorCode::WrongState, message).with_hint("Name the coordinator instead.").into());
    }
    Ok(row.try_get(1)?)
}

/// Distributes tables that have nothing in them yet over the machines.
pub(crate) fn distribute(connection: &mut Connection) -> Step<()> {
    connection.run(DISTRIBUTE)?;
    connection.run(SHARE_RIGHTS)
}

/// Holds the rights of roles if tables were distributed when only their owner could have any.
pub(crate) fn share_rights(connection: &mut Connection) -> Step<()> {
    let distributed = "SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'casetrack.documents'::regclass";
    if connection.some(distributed, &[])?.is_some() { connection.run(SHARE_RIGHTS) } else { Ok(()) }
}
