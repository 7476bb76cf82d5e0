//! The ranking of passages: recall by each stage for a query, fusion of the stages, preferences, late interaction.

pub(crate) mod collection_query;
pub mod fusion;
pub(crate) mod language;
pub mod late_interaction;
pub(crate) mod preferences;
pub(crate) mod recall;
