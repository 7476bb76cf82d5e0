//! Keyword search over lists of postings gives the results of the index on disk.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use casetrack_core::{DocumentId, Result};
use casetrack_keyword::{corrections, name_matches};
use casetrack_store::parts::{Inverted, Keywords, List, PostingLists, SlotMap, SlotRange, invert, name_terms};
use casetrack_store::{
    Bm25Query, Conditions, Expression, Filter, StoredDocument, TextField, WordConditions, Words, language_mark,
};

use crate::support::*;

/// All lists of some documents, in memory.
#[derive(Default)]
struct InMemory {
    slots: SlotMap,
    documents: Vec<DocumentId>,
    languages: Vec<String>,
    lists: BTreeMap<(TextField, String), List>,
    chunks: u32,
    tokens: [u64; 2],
}

impl InMemory {
    fn add(&mut self, stored: &StoredDocument) {
        let meta = &stored.meta;
        let language = meta.properties.language.as_deref();
        let Inverted { terms, text_tokens, context_tokens } = invert(meta, &stored.chunks);
        for ((field, term), postings) in terms {
            let list = self.lists.entry((field, term)).or_default();
            let mut positions = postings.positions.as_slice();
            for posting in postings.chunks {
                list.chunks.push(self.chunks + posting.chunk);
                list.counts.push(posting.count);
                list.lengths.push(posting.length);
                list.positions
                    .extend(positions.split_off(..positions.len().min(posting.count as usize)).unwrap_or_default());
                list.ends.push(list.positions.len() as u32);
            }
        }
        for term in name_terms(&meta.name, meta.title.as_deref(), language) {
            self.lists.entry((TextField::Names, term)).or_default().chunks.push(self.chunks);
        }
        self.languages.extend(language_mark(language).map(str::to_owned));
        let count = stored.chunks.len() as u32;
        self.slots.insert(SlotRange { document: meta.id, first: self.chunks.into(), count });
        self.documents.push(meta.id);
        self.chunks += count;
        self.tokens = [self.tokens[0] + text_tokens, self.tokens[1] + context_tokens];
    }

    fn exact(&self) -> impl Iterator<Item = (&String, &List)> {
        self.lists.iter().filter(|((field, _), _)| *field == TextField::Exact).map(|((_, term), list)| (term, list))
    }

    /// As hits have them.
    fn places(&self, found: Vec<(u64, f32)>) -> Vec<(DocumentId, u32, f32)> {
        let place = |(slot, score)| self.slots.resolve(slot).map(|(document, index)| (document, index, score));
        found.into_iter().filter_map(place).collect()
    }
}

impl PostingLists for InMemory {
    fn chunks(&self) -> u32 {
        self.chunks
    }

    fn slot(&self, chunk: u32) -> u64 {
        chunk.into()
    }

    fn tokens(&self, field: TextField) -> u64 {
        self.tokens[usize::from(field == TextField::Context)]
    }

    fn languages(&self) -> Vec<String> {
        self.languages.clone()
    }

    fn frequencies(&self, field: TextField, terms: &[&str]) -> Result<Vec<u64>> {
        let chunks = |term: &&str| self.lists.get(&(field, (*term).to_owned())).map_or(0, |list| list.chunks.len());
        Ok(terms.iter().map(|term| chunks(term) as u64).collect())
    }

    fn lists(&self, terms: &[(TextField, &str)], _: bool) -> Result<Vec<Arc<List>>> {
        let list = |(field, term): &(TextField, &str)| self.lists.get(&(*field, (*term).to_owned())).cloned();
        Ok(terms.iter().map(|of| Arc::new(list(of).unwrap_or_default())).collect())
    }

    fn beginning_with(&self, prefix: &str) -> Result<Vec<String>> {
        Ok(self.exact().filter(|(term, _)| term.starts_with(prefix)).map(|(term, _)| term.clone()).collect())
    }

    fn with_characters(&self, range: RangeInclusive<usize>) -> Result<Vec<(String, u64)>> {
        let fitting = self.exact().filter(|(term, _)| range.contains(&term.chars().count()));
        Ok(fitting.map(|(term, list)| (term.clone(), list.chunks.len() as u64)).collect())
    }
}

const TEXTS: [(&str, &str, &str); 5] = [
    (
        "/m/Harbour Point lease.pdf",
        "en",
        "LEASE between Acme Ltd and Harbour Point\n\nThe tenant pays rent, INV-2023-0042.\n\nRent, rent",
    ),
    (
        "/m/Mietvertrag.docx",
        "de",
        "Die Kündigung des Mietvertrags.\n\nDie Kündigungen der Mietverträge über Häuser, 4.2(b)",
    ),
    ("/m/bail.txt", "fr", "La résiliation du bail.\n\nLes ventes ont été résiliées."),
    ("/m/合同.txt", "zh", "本合同自签字之日起生效。\n\n同合作社的合作。"),
    ("/m/notes.txt", "en", "Notice of the termination of leases\n\nThe tenant pays the rent without notice"),
];

#[test]
fn lists_give_what_the_index_on_disk_gives() {
    let (_temp, _, collection) = new_collection();
    let mut lists = InMemory::default();
    let mut documents = many(15, 8);
    documents.extend(TEXTS.map(|(path, language, text)| {
        let mut stored = document(path, &[text]);
        stored.meta.properties.language = Some(language.to_owned());
        stored
    }));
    for stored in &documents {
        collection.put_document(stored).unwrap();
        lists.add(stored);
    }
    let keywords = Keywords(&lists);
    for query in [
        "common matters",
        "the tenant pays the rent on the third of each month without notice or demand",
        "Mietvertrag Kündigung",
        "résiliation",
        "合同",
        "INV-2023-0042",
        "rent rent of the and",
        "word3x1 clause 2",
    ] {
        let found = lists.places(keywords.search(&Bm25Query::from(query), 50, None).unwrap());
        let expected = collection.search_bm25(query, 50, &Filter::default()).unwrap();
        assert_eq!(found.len(), expected.len(), "{query}");
        for (own, on_disk) in found.iter().zip(&expected) {
            assert!((own.2 - on_disk.score).abs() <= 1e-5 * on_disk.score.max(1.0), "{query}: {own:?} {on_disk:?}");
        }
        let document = |slot| lists.slots.resolve(slot).map(|(document, _)| document);
        let found = name_matches(&keywords, query, 9, &document).unwrap();
        assert_eq!(found, collection.name_matches(query, 9).unwrap(), "{query}");
    }
    for text in ["comon maters of the tennant", "Kundigung", "word3x9 noitce", "harbor"] {
        assert_eq!(corrections(&keywords, text).unwrap(), collection.corrections(text).unwrap(), "{text}");
    }
    let phrase = |text: &str| Words::Phrase(text.to_owned());
    let near = Words::Near { left: Box::new(phrase("tenant")), right: Box::new(phrase("rent")), words: 3 };
    for expression in [
        Expression::Words(phrase("termin*")),
        Expression::Words(phrase("INV-2023*")),
        Expression::Words(near),
        Expression::Not(Box::new(Expression::Words(phrase("common matters")))),
    ] {
        let conditions = Conditions { expression: Some(expression.clone()), ..Conditions::default() };
        let expected: Vec<u64> = collection.select(&conditions).unwrap().slots().iter().collect();
        assert_eq!(keywords.fulfilling(&expression).unwrap(), expected, "{expression:?}");
    }
    for (required, excluded) in [("clause 3", "document 7"), ("Kündigungen", "absent"), ("pays rent", "notice")] {
        let words = WordConditions { required: vec![required.to_owned()], excluded: vec![excluded.to_owned()] };
        let conditions = Conditions { words: words.clone(), ..Conditions::default() };
        let expected: Vec<u64> = collection.select(&conditions).unwrap().slots().iter().collect();
        assert_eq!(keywords.matching(&words).unwrap(), expected, "{required}");
    }
}
