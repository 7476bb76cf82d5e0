//! Maintenance of collections and of this machine.

pub mod doctor;
pub mod export;
pub mod import;
pub mod lifecycle;
pub mod migrate;
pub mod models;
pub mod repair;
pub mod stats;
pub mod status;
pub mod verify;
pub use doctor::doctor;
pub use export::export_collection;
pub use import::import_collection;
pub(crate) use lifecycle::rename_collection;
pub use lifecycle::set_collection_status;
pub use migrate::discard_copy;
pub(crate) use migrate::{copy_to_store, remove_copied};
pub use models::{add_multilingual, models, pull_models};
pub use repair::repair_collection;
pub use stats::{collection_stats, compact_collection};
pub use status::status;
pub use verify::verify;
