//! Whatever is stored, replaced, moved, marked and deleted in whichever order: the collection has the latest state.

use std::collections::BTreeMap;

use casetrack_core::{DocumentId, ErrorCode};
use casetrack_store::{Collection, Counts, Filter, Relocation, StoredDocument};
use proptest::prelude::*;

use crate::fixture::*;

/// One change; numbers choose among the documents and paths that there may be.
#[derive(Debug, Clone)]
enum Step {
    Put { document: usize, path: usize, words: usize },
    Delete { document: usize },
    Move { document: usize, path: usize },
    Mark { document: usize, tag: usize },
    Flush,
    Reopen,
}

const DOCUMENTS: usize = 4;
const WORDS: [&str; 4] = ["", "alpha beta", "beta\n\ngamma alpha\n\nalpha", "delta\n\nalpha beta gamma delta"];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (documents, paths) = (0..DOCUMENTS, 0..DOCUMENTS + 1);
    let put = (documents.clone(), paths.clone(), 0..WORDS.len());
    let step = prop_oneof![
        5 => put.prop_map(|(document, path, words)| Step::Put { document, path, words }),
        2 => documents.clone().prop_map(|document| Step::Delete { document }),
        2 => (documents.clone(), paths).prop_map(|(document, path)| Step::Move { document, path }),
        1 => (documents, 0..3usize).prop_map(|(document, tag)| Step::Mark { document, tag }),
        1 => Just(Step::Flush),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..25)
}

/// The expected documents, in the order in which they were stored.
#[derive(Default)]
struct Expected(Vec<StoredDocument>);

impl Expected {
    fn at(&mut self, id: DocumentId) -> Option<&mut StoredDocument> {
        self.0.iter_mut().find(|stored| stored.meta.id == id)
    }

    fn is_taken(&self, path: &str, by_another_than: DocumentId) -> bool {
        self.0.iter().any(|stored| stored.meta.path == path && stored.meta.id != by_another_than)
    }

    fn check(&self, collection: &Collection) {
        let Self(documents) = self;
        let metas: Vec<_> = documents.iter().map(|stored| stored.meta.clone()).collect();
        assert_eq!(collection.documents_as_stored().unwrap(), metas);
        assert_eq!(
            collection.versions().iter().map(|(id, _)| *id).collect::<Vec<_>>(),
            metas.iter().map(|meta| meta.id).collect::<Vec<_>>()
        );
        let by_path: BTreeMap<&str, DocumentId> = metas.iter().map(|meta| (meta.path.as_str(), meta.id)).collect();
        let catalogue = collection.catalogue().unwrap();
        let listed: Vec<_> = catalogue.iter().map(|entry| (entry.path.as_str(), entry.id)).collect();
        assert_eq!(listed, by_path.into_iter().collect::<Vec<_>>());
        let chunks = documents.iter().map(|stored| stored.chunks.len() as u64).sum();
        let number = documents.len() as u64;
        let counts = Counts {
            documents: number,
            pages: number,
            chunks,
            sparse_chunks: chunks,
            annotated_documents: number,
            token_chunks: 0,
        };
        assert_eq!(collection.counts().unwrap(), counts);
        for StoredDocument { meta, pages, chunks, annotations, .. } in documents {
            assert_eq!(collection.page(meta.id, 1).unwrap().as_ref(), pages.first());
            assert_eq!(collection.chunks(meta.id).unwrap(), *chunks);
            assert_eq!(collection.annotations(meta.id).unwrap(), *annotations);
            assert_eq!(collection.document_by_path(&meta.path).unwrap().as_ref(), Some(meta));
        }
        for word in ["alpha", "delta"] {
            let mut expected: Vec<(DocumentId, u32)> = Vec::new();
            for stored in documents {
                let with = stored.chunks.iter().filter(|chunk| chunk.text.contains(word));
                expected.extend(with.map(|chunk| (stored.meta.id, chunk.index)));
            }
            expected.sort_unstable();
            let all = Filter::default();
            let places = |hits: Vec<casetrack_store::Hit>| {
                let mut places: Vec<_> = hits.iter().map(|hit| (hit.document, hit.index)).collect();
                places.sort_unstable();
                places
            };
            assert_eq!(places(collection.search_bm25(word, 99, &all).unwrap()), expected, "{word}");
            assert_eq!(places(collection.search_sparse(&sparse_vector(word), 99, &all).unwrap()), expected, "{word}");
            assert_eq!(collection.search_dense(&vector(word), 99, &all).unwrap().len() as u64, chunks_of(documents));
        }
        assert_clean(collection);
    }
}

fn chunks_of(documents: &[StoredDocument]) -> u64 {
    documents.iter().map(|stored| stored.chunks.len() as u64).sum()
}

pub fn what_is_there_is_what_was_put_there_last(store: &dyn Store) {
    for_each(steps(), 12, |steps| {
        let ids: Vec<DocumentId> = (0..DOCUMENTS).map(|_| DocumentId::random()).collect();
        let path_of = |n: usize| format!("/d/{n}.txt");
        let (mut collection, mut expected) = (new_collection(store), Expected::default());
        for step in steps {
            match step {
                Step::Put { document, path, words } => {
                    let (id, path) = (ids[document], path_of(path));
                    let mut stored = with_id(id, &path, &[WORDS[words]]);
                    let result = collection.put_document(&stored);
                    if expected.is_taken(&path, id) {
                        assert_eq!(result.unwrap_err().code, ErrorCode::AlreadyExists);
                        continue;
                    }
                    result.unwrap();
                    if let Some(place) = expected.0.iter().position(|known| known.meta.id == id) {
                        // What users noted of a document stays with it.
                        stored.meta.marks = expected.0.remove(place).meta.marks;
                    }
                    expected.0.push(stored);
                }
                Step::Delete { document } => {
                    let id = ids[document];
                    assert_eq!(collection.delete_document(id).unwrap(), expected.at(id).is_some());
                    expected.0.retain(|stored| stored.meta.id != id);
                }
                Step::Move { document, path } => {
                    let (id, path) = (ids[document], path_of(path));
                    let relocation = Relocation { document: id, path: path.clone(), name: "moved.txt".into() };
                    let result = collection.relocate_documents(&[relocation]);
                    let taken = expected.is_taken(&path, id);
                    match expected.at(id) {
                        None => assert_eq!(result.unwrap_err().code, ErrorCode::NotFound),
                        Some(_) if taken => assert_eq!(result.unwrap_err().code, ErrorCode::AlreadyExists),
                        Some(stored) => {
                            result.unwrap();
                            (stored.meta.path, stored.meta.name) = (path, "moved.txt".into());
                        }
                    }
                }
                Step::Mark { document, tag } => {
                    let tag = format!("tag{tag}");
                    let id = ids[document];
                    let changed = collection.change_marks(&[id], |_, marks| marks.add_tag(&tag)).unwrap();
                    let is_new = expected.at(id).is_some_and(|stored| !stored.meta.marks.has_tag(&tag));
                    assert_eq!(changed, u64::from(is_new));
                    if let Some(stored) = expected.at(id) {
                        stored.meta.marks.add_tag(&tag).unwrap();
                    }
                }
                Step::Flush => collection.flush().unwrap(),
                Step::Reopen => collection = collection.reopened(),
            }
        }
        expected.check(&collection);
        expected.check(&collection.reopened());
    });
}
