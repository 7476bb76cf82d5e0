//! A collection as its users see it: through the public API, and through damaged or interrupted directories.

mod documents;
mod recovery;
mod registry;
mod schemas;
mod search;
mod support;
mod verify;
