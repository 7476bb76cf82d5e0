//! From mentions to entities: which mentions of a document name the same thing, and which documents name the same.
//!
//! First each document by itself: [`resolve`] gives every mention the key of its entity; short forms, initials and the
//! document's own words ("the Company") get the key of the only full name that they can mean. Then, over a collection,
//! an entity is all that has one key. Since a key depends on nothing but its own document, entities do not depend on
//! the order in which documents are added, and taking a document away undoes what adding it did: [`EntityNames`] only
//! counts. Mentions keep their surface, so that merging can be undone.

mod keys;
mod local;
mod names;

pub use keys::EntityKey;
pub(crate) use keys::{singular, value as key_of_value};
pub use local::{DocumentMention, Resolved, resolve};
pub use names::EntityNames;
