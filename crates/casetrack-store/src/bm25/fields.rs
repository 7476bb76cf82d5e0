//! The fields of tantivy's index.

use casetrack_keyword::{ANALYSIS, EXACT, TextField};
use tantivy::schema::{BytesOptions, Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions};

#[derive(Clone, Copy)]
pub(super) struct Fields {
    pub document: Field,
    pub slot: Field,
    pub text: Field,
    /// The words of `text` as they are written, for wildcards and corrections.
    pub exact: Field,
    pub context: Field,
    /// Of first chunks only, as `cover`; see [`names`].
    pub names: Field,
    pub cover: Field,
    /// The mark of the document's language, where its words have rules of their own.
    pub language: Field,
}

impl Fields {
    pub fn of(&self, field: TextField) -> Field {
        match field {
            TextField::Text => self.text,
            TextField::Exact => self.exact,
            TextField::Context => self.context,
            TextField::Names => self.names,
            TextField::Cover => self.cover,
        }
    }
}

pub(super) fn schema() -> (Schema, Fields) {
    let analyzed = |by, option| {
        let indexing = TextFieldIndexing::default().set_tokenizer(by).set_index_option(option);
        // Lengths are for scores.
        TextOptions::default().set_indexing_options(indexing.set_fieldnorms(by == ANALYSIS))
    };
    let text = |option| analyzed(ANALYSIS, option);
    let mut builder = Schema::builder();
    let fields = Fields {
        document: builder.add_bytes_field("document", BytesOptions::default().set_indexed()),
        slot: builder.add_u64_field("slot", NumericOptions::default().set_fast()),
        text: builder.add_text_field("text", text(IndexRecordOption::WithFreqsAndPositions)),
        exact: builder.add_text_field("exact", analyzed(EXACT, IndexRecordOption::WithFreqsAndPositions)),
        context: builder.add_text_field("context", text(IndexRecordOption::WithFreqs)),
        names: builder.add_text_field("names", text(IndexRecordOption::Basic)),
        cover: builder.add_text_field("cover", text(IndexRecordOption::Basic)),
        language: builder.add_bytes_field("language", BytesOptions::default().set_indexed()),
    };
    (builder.build(), fields)
}
