//! Settings with their defaults and bounds, and the tier policy.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorCode, Result};
use crate::labels::labelled;

/// Sizes of chunks, in characters. See [`ChunkConfig::default`] for the values the product uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChunkConfig {
    /// Preferred length.
    pub target: usize,
    /// Text repeated from the end of the previous chunk of the same page.
    pub overlap: usize,
    /// Never longer than this.
    pub max: usize,
    /// Never shorter than this, unless the page, or its rest, is.
    pub min: usize,
}

impl Default for ChunkConfig {
    fn default() -> Self {
        Self { target: 2000, overlap: 200, max: 2200, min: 400 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Larger files are refused, in bytes. Default 512 MiB.
    pub max_file_bytes: u64,
    /// Uncompressed size of one part inside a zipped office file, in bytes. Default 512 MiB.
    pub max_part_bytes: u64,
    /// Text one document may give, in characters. Default 200 million.
    pub max_text_chars: u64,
    /// Time a worker process may compute without finishing a page, in seconds; waiting for a busy machine does not count. Default 120.
    pub max_page_seconds: u64,
    /// Memory of a worker process, in bytes. Default 2 GiB.
    pub max_reader_bytes: u64,
    /// Pixels of one picture that is read by OCR. Default 100 million; A4 at 600 dpi has 35.
    pub max_image_pixels: u64,
    /// Files that one container (a mail, a mailbox, an archive) may hold, nested ones included. Default 20 000.
    pub max_attachments: u32,
    /// Bytes of those files together, uncompressed. Default 512 MiB.
    pub max_attachment_bytes: u64,
    /// The depth to which nested containers are opened; 1 opens a file and none inside it. Default 4: a mailbox, its
    /// message, the archive attached to that, and a mail in there.
    pub max_container_depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_file_bytes: 512 << 20,
            max_part_bytes: 512 << 20,
            max_text_chars: 200_000_000,
            max_page_seconds: 120,
            max_reader_bytes: 2 << 30,
            max_image_pixels: 100_000_000,
            max_attachments: 20_000,
            max_attachment_bytes: 512 << 20,
            max_container_depth: 4,
        }
    }
}

labelled! {
    /// The tier of the installation: the one place with the limits of each tier.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Tier {
        /// At most [`Tier::max_collections`] collections, [`Tier::max_results`] results of a search, and no [`Feature`].
        Free = "Free",
        /// Everything.
        #[default]
        Pro = "Pro",
    }
}

impl Tier {
    /// The most collections that may exist; `None` for any number.
    pub fn max_collections(self) -> Option<usize> {
        match self {
            Tier::Free => Some(3),
            Tier::Pro => None,
        }
    }

    /// The most results of a search, including those before its offset; `None` for any number.
    pub fn max_results(self) -> Option<u32> {
        match self {
            Tier::Free => Some(10),
            Tier::Pro => None,
        }
    }

    /// The embedders whose vectors a complete document has, besides the keyword index that every document is in.
    /// Vectors that the models of its collection cannot make are not expected.
    pub fn embedders(self) -> &'static [&'static str] {
        match self {
            Tier::Free => &["E1", "E6"],
            Tier::Pro => &["E1", "E6", "E12"],
        }
    }

    /// Refuses to add a collection to `existing` ones when the tier's limit is reached.
    pub fn check_new_collection(self, existing: usize) -> Result<()> {
        match self.max_collections() {
            Some(limit) if existing >= limit => Err(Error::new(
                ErrorCode::FreeTierLimit,
                format!(
                    "Free tier allows {limit} collections (you have {existing}). Delete a collection or upgrade to Pro \
                     for unlimited collections: https://casetrack.dev/upgrade"
                ),
            )),
            _ => Ok(()),
        }
    }

    pub fn check(self, feature: Feature) -> Result<()> {
        match self {
            Tier::Free => {
                let what = feature.label();
                Err(Error::new(ErrorCode::FreeTierLimit, format!("{what} is part of Pro. Upgrade to Pro to use it.")))
            }
            Tier::Pro => Ok(()),
        }
    }
}

labelled! {
    /// The use cases that only Pro has, as the published contract of the tools lists them. The contract leaves `get_entity_mentions`, which
    /// returns the same passages as `find_entity`, to every tier. A redline is a comparison. The use cases of the engine check the tier.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Feature {
        FindEntity = "Finding an entity across documents",
        EntityRelationships = "Finding entities that are mentioned together",
        EntityGraph = "The graph of entities",
        CompareDocuments = "Comparing documents",
        DocumentClusters = "Grouping documents by theme",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_free_tier_stops_at_three_collections() {
        assert!(Tier::Free.check_new_collection(2).is_ok());
        let refused = Tier::Free.check_new_collection(3).unwrap_err();
        assert_eq!(refused.code, ErrorCode::FreeTierLimit);
        assert!(refused.message.starts_with("Free tier allows 3 collections (you have 3)."));
        assert!(Tier::Pro.check_new_collection(10_000).is_ok());
    }

    #[test]
    fn the_free_tier_expects_no_vectors_that_pro_does_not() {
        assert!(Tier::Free.embedders().iter().all(|embedder| Tier::Pro.embedders().contains(embedder)));
    }

    #[test]
    fn what_is_part_of_pro_is_refused_by_name() {
        let refused = Tier::Free.check(Feature::CompareDocuments).unwrap_err();
        assert_eq!(refused.code, ErrorCode::FreeTierLimit);
        assert!(refused.message.starts_with("Comparing documents is part of Pro."));
        assert!(Tier::Pro.check(Feature::CompareDocuments).is_ok());
    }
}
