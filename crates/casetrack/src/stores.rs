//! The stores that this program is built with.

use casetrack_core::{Error, Result};
use casetrack_engine::StorePlace;

/// Returns the place of collections that a text names: `disk`, or the address of a database such as `postgres://user@host:5432/database`.
///
/// Errors: `InvalidArgument`, in words that repeat nothing of an address, which may hold a password.
pub fn store_place(text: &str) -> Result<StorePlace> {
    let text = text.trim();
    if text == "disk" {
        return Ok(StorePlace::Disk);
    }
    if ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme)) {
        return database(text);
    }
    Err(Error::invalid("The place of the collections is neither \"disk\" nor the address of a database.")
        .with_hint("Write the address of a database as postgres://user@host:5432/database."))
}

#[cfg(feature = "postgres")]
fn database(address: &str) -> Result<StorePlace> {
    let address: casetrack_postgres::Address = address.parse()?;
    Ok(StorePlace::Database(std::sync::Arc::new(address)))
}

#[cfg(not(feature = "postgres"))]
fn database(_: &str) -> Result<StorePlace> {
    Err(Error::invalid("This build of CaseTrack does not support databases.").with_hint(
        "Keep the collections on the disk of this machine (--store disk), or use a build with the feature \
         \"postgres\".",
    ))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use casetrack_core::ErrorCode;
    use casetrack_engine::EngineConfig;

    use super::*;

    #[test]
    fn a_place_is_disk_or_an_address_and_nothing_of_another_is_repeated() {
        assert_eq!(store_place(" disk ").unwrap(), StorePlace::Disk);
        assert_eq!(EngineConfig::new("/d".into()).state_dir(), Path::new("/d"));
        for text in ["", "Disk", "mysql://ann:s3cret@db/matters", "ann:s3cret@db"] {
            let error = store_place(text).unwrap_err();
            assert!(error.code == ErrorCode::InvalidArgument && !error.full_text().contains("s3cret"), "{error}");
        }
    }

    #[cfg(feature = "postgres")]
    #[test]
    fn a_database_has_a_folder_of_its_own_and_is_shown_without_its_password() {
        let store = store_place("postgres://ann:s3cret@db/matters").unwrap();
        assert_eq!(
            (store.to_string(), format!("{store:?}").contains("s3cret")),
            ("postgres://ann@db/matters".into(), false)
        );
        let config = EngineConfig { store, ..EngineConfig::new("/d".into()) };
        assert!(config.state_dir().starts_with("/d/databases"));
    }

    #[cfg(not(feature = "postgres"))]
    #[test]
    fn a_database_is_refused_without_its_address() {
        let error = store_place("postgres://ann:s3cret@db/matters").unwrap_err();
        assert!(error.full_text().contains("feature") && !error.full_text().contains("s3cret"), "{error}");
    }
}
