//! Parts for other stores: they define the stored data and the searches of the store on disk, so that all stores give
//! the same answers. Its libraries (RocksDB, tantivy, usearch) are not among them.
//!
//! | part | for |
//! |---|---|
//! | [`SlotMap`], [`SlotSet`], [`SlotRange`] | the numbers that chunks have in selections: of a document together, ascending by age, never used again |
//! | [`PagePlace`], [`Selection::of`](crate::Selection::of), [`CatalogueEntry::new`](crate::CatalogueEntry::new) | conditions |
//! | [`check_fits`], [`mismatch`] | documents and models that are refused |
//! | [`PageRecord`], [`LayoutRecord`], [`ChunkRecord`], [`AnnotationsRecord`], [`encode`] and the like | values as they are kept on disk and in archives |
//! | [`invert`], [`name_terms`], [`PostingLists`], [`Keywords`] | keyword search |
//! | [`sparse_terms`], [`sparse_score`], [`dot`], [`TopK`] | scores of the other searches |
//! | [`OriginalFile`], [`fill`] | archives |

pub use crate::archive::fill;
pub use crate::codec::{decode, decode_json, decode_vector, encode, encode_json, encode_raw, encode_vector, payload};
pub use crate::dense::dot;
pub use crate::error::corrupt;
pub use crate::lists::{Inverted, Keywords, List, Posting, PostingLists, TermPostings, invert, name_terms};
pub use crate::originals::{OriginalFile, original_path};
pub use crate::records::sparse_vector::{decode_into as decode_impacts, push_varint, take_varint};
pub use crate::records::{AnnotationsRecord, ChunkRecord, LayoutRecord, PageRecord, SlotRange};
pub use crate::roles::{PagePlace, VisitChunk};
pub use crate::slots::{SlotMap, SlotSet};
pub use crate::sparse::{query_terms as sparse_terms, score as sparse_score};
pub use crate::top_k::TopK;
pub use crate::write::{check_fits, mismatch};
