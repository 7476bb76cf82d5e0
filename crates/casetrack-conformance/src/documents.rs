use casetrack_core::{
    Block, BlockKind, Change, ChangeKind, ChunkId, DocumentId, ErrorCode, ExtractionMethod, HiddenReason, HiddenText,
    PageNotes, Rect,
};
use casetrack_store::{Collection, Counts, Filter, StoredDocument};

use crate::fixture::*;

fn assert_same(collection: &Collection, stored: &StoredDocument) {
    let id = stored.meta.id;
    assert_eq!(collection.document(id).unwrap().as_ref(), Some(&stored.meta));
    assert_eq!(collection.document_by_path(&stored.meta.path).unwrap().as_ref(), Some(&stored.meta));
    assert_eq!(collection.documents_by_sha256(stored.meta.sha256).unwrap(), [id]);
    for page in &stored.pages {
        assert_eq!(collection.page(id, page.number).unwrap().as_ref(), Some(page));
        let origin = collection.page_origin(id, page.number).unwrap();
        assert_eq!((origin.method, origin.ocr_confidence), (page.method, page.ocr_confidence));
        assert_eq!(origin.bates, page.notes.bates);
        assert_eq!(collection.page_blocks(id, page.number).unwrap(), page.blocks);
        assert_eq!(collection.page_changes(id, page.number).unwrap(), page.notes.changes);
        assert_eq!(collection.page_hidden(id, page.number).unwrap(), page.notes.hidden);
    }
    assert_eq!(collection.chunks(id).unwrap(), stored.chunks);
    for chunk in &stored.chunks {
        assert_eq!(collection.chunk(chunk.id).unwrap(), Some((id, chunk.clone())));
        assert_eq!(collection.chunk_at(id, chunk.index).unwrap().as_ref(), Some(chunk));
        let text = collection.page_text(id, chunk.page, chunk.byte_start..chunk.byte_end).unwrap();
        assert_eq!(text.as_ref(), Some(&chunk.text));
    }
    let stamped = stored.pages.iter().filter_map(|page| Some((page.number, page.notes.bates.clone()?)));
    assert_eq!(collection.bates(id).unwrap(), stamped.collect::<Vec<_>>());
    let vectors = collection.vectors(id).unwrap();
    let one_by_one = (0..).map_while(|index| collection.vector_at(id, index).unwrap());
    assert!(one_by_one.eq(vectors.iter().map(|(_, vector)| vector.clone())));
    assert_eq!(vectors.len(), stored.vectors.len());
    for ((chunk, read), (expected_chunk, written)) in vectors.iter().zip(stored.chunks.iter().zip(&stored.vectors)) {
        assert_eq!(*chunk, expected_chunk.id);
        assert!(read.iter().zip(written).all(|(a, b)| (a - b).abs() < 1e-3));
    }
    // The weights of these tests are exact in the store's steps.
    let sparse = collection.sparse_vectors(id).unwrap().into_iter().map(|(_, vector)| vector);
    assert_eq!(sparse.collect::<Vec<_>>(), stored.sparse_vectors);
    assert_eq!(collection.annotations(id).unwrap(), stored.annotations);
}

/// Two pages with everything a page can have.
fn rich() -> StoredDocument {
    let mut document = document("/data/Größe & \"Co\"\n.xlsx", &["Größe 📐\nzwei\n\n第三段 text\n", "  \n\nlast one"]);
    let rect = |top| Rect { left: 1.5, top, right: 80.25, bottom: top + 10.0 };
    let page = &mut document.pages[0];
    page.method = ExtractionMethod::Hybrid;
    page.ocr_confidence = Some(0.875);
    page.sheet_name = Some("Übersicht".into());
    page.line_boxes = vec![Some(rect(0.0)), None, None, Some(rect(30.0)), None];
    page.blocks[0].kind = BlockKind::Heading { level: 3 };
    page.blocks[1].kind = BlockKind::TableRow { table: 1, row: 2, first_column: 3, last_column: 4, header: true };
    let chunk = &mut document.chunks[0];
    chunk.sheet_name = Some("Übersicht".into());
    chunk.row_range = Some(casetrack_core::RowRange { start: 2, end: 2 });
    chunk.column_range = Some(casetrack_core::ColumnRange { start: 3, end: 4 });
    chunk.bounding_boxes = vec![rect(0.0)];
    // "zwei" was inserted, and the third line is hidden.
    let (author, date, text) = (Some("Ann".into()), None, String::new());
    let kind = ChangeKind::Insertion;
    let inserted = Change { kind, author, date, char_start: 9, char_end: 13, text, of_insertion: false };
    let reason = HiddenReason::Tiny;
    let hidden = HiddenText { reason, part: None, char_start: 15, char_end: 18 };
    let (changes, hidden, bates) = (vec![inserted], vec![hidden], Some("ACME-000041".into()));
    document.pages[0].notes = PageNotes { changes, hidden, bates, ..PageNotes::default() };
    document.chunks[1].bounding_boxes = vec![rect(99.0)];
    document
}

pub fn a_document_comes_back_as_it_was_also_after_reopening(store: &dyn Store) {
    let collection = new_collection(store);
    let (stored, other) = (rich(), document("/data/other.txt", &["one\n\ntwo\n\none"]));
    collection.put_document(&stored).unwrap();
    collection.put_document(&other).unwrap();
    assert_same(&collection, &stored);
    assert_same(&collection, &other);
    assert_clean(&collection);
    let collection = collection.reopened();
    assert_same(&collection, &stored);
    assert_same(&collection, &other);
    assert_eq!(
        collection.counts().unwrap(),
        Counts { documents: 2, pages: 3, chunks: 6, sparse_chunks: 6, annotated_documents: 2, token_chunks: 0 }
    );
    let paths: Vec<_> = collection.documents().unwrap().into_iter().map(|meta| meta.path).collect();
    assert_eq!(paths, [stored.meta.path.clone(), other.meta.path.clone()]);
    assert_clean(&collection);
}

pub fn a_whole_document_can_be_stored_elsewhere(store: &dyn Store) {
    let (first, second) = (new_collection(store), new_collection(store));
    let stored = document("/data/a.txt", &["The rent is due.\n\nIt is paid monthly.", "", "Notice"]);
    let mut bare = document("/data/b.txt", &["Größe ☂"]);
    (bare.annotations, bare.sparse_vectors, bare.sparse_model) = (None, Vec::new(), None);
    for stored in [&stored, &bare] {
        first.put_document(stored).unwrap();
        let whole = first.whole(stored.meta.id).unwrap().unwrap();
        assert_eq!((&whole.meta, &whole.pages, &whole.chunks), (&stored.meta, &stored.pages, &stored.chunks));
        assert_eq!((&whole.annotations, &whole.sparse_vectors), (&stored.annotations, &stored.sparse_vectors));
        second.put_document(&whole).unwrap();
        assert_eq!(second.whole(stored.meta.id).unwrap(), Some(whole));
    }
    assert_eq!(first.whole(DocumentId::random()).unwrap(), None);
    assert_clean(&second);
}

pub fn passages_say_what_was_noted_on_their_page(store: &dyn Store) {
    let collection = new_collection(store);
    let mut stored = rich();
    // Those of chunk 0 only.
    stored.pages[0].notes.hidden[0] =
        HiddenText { char_start: 0, char_end: 5, ..stored.pages[0].notes.hidden[0].clone() };
    collection.put_document(&stored).unwrap();
    let noted: Vec<_> = (collection.passages().range(stored.meta.id, 0..9).unwrap().into_iter())
        .map(|passage| (passage.tracked_changes, passage.hidden_text.len(), passage.origin.bates.is_some()))
        .collect();
    assert_eq!(noted, [(true, 1, true), (false, 0, true), (false, 0, false)]);
}

pub fn absent_things_are_none_and_ranges_are_cut(store: &dyn Store) {
    let collection = new_collection(store);
    let stored = document("/data/a.txt", &["one\n\ntwo\n\nthree"]);
    collection.put_document(&stored).unwrap();
    let id = stored.meta.id;
    let nobody = DocumentId::random();
    assert_eq!(collection.document(nobody).unwrap(), None);
    assert_eq!(collection.document_by_path("/data/b.txt").unwrap(), None);
    assert_eq!(collection.page(id, 2).unwrap(), None);
    assert_eq!(collection.page(id, 0).unwrap(), None);
    assert_eq!(collection.page_text(id, 1, 0..99).unwrap(), None);
    assert_eq!(collection.chunk_at(id, 3).unwrap(), None);
    assert_eq!(collection.chunks(nobody).unwrap(), []);
    assert!(!collection.delete_document(nobody).unwrap());
    assert_eq!(collection.chunk_range(id, 1..9).unwrap(), stored.chunks[1..]);
    assert_eq!(collection.chunk_range(id, 1..2).unwrap(), stored.chunks[1..2]);
    assert_eq!(collection.chunk_range(id, 2..2).unwrap(), []);
}

pub fn a_long_page_is_read_in_pieces(store: &dyn Store) {
    let collection = new_collection(store);
    // Characters of one to four bytes, so that segments begin within characters.
    let paragraphs: Vec<String> = (0..3000).map(|n| format!("{n} aé第📐 {}", "📐é".repeat(n % 40))).collect();
    let stored = document("/data/long.txt", &[&paragraphs.join("\n\n")]);
    assert!(stored.pages[0].text.len() > 300_000);
    collection.put_document(&stored).unwrap();
    assert_same(&collection, &stored);
    assert_clean(&collection);
}

pub fn a_document_without_chunks_is_kept(store: &dyn Store) {
    let collection = new_collection(store);
    let empty = [document("/data/a.txt", &[" "]), document("/data/b.txt", &[""])];
    let full = document("/data/c.txt", &["text"]);
    for stored in empty.iter().chain([&full]) {
        collection.put_document(stored).unwrap();
    }
    assert_clean(&collection);
    assert!(collection.delete_document(empty[0].meta.id).unwrap());
    let collection = collection.reopened();
    assert_same(&collection, &empty[1]);
    assert_same(&collection, &full);
    assert_clean(&collection);
}

pub fn a_replacement_keeps_the_id_and_leaves_nothing_of_the_old(store: &dyn Store) {
    let collection = new_collection(store);
    let old = document("/data/a.txt", &["alpha beta\n\nunchanged words", "gamma"]);
    collection.put_document(&old).unwrap();
    collection.put_document(&document("/data/z.txt", &["bystander"])).unwrap();
    let new = with_id(old.meta.id, "/data/moved.txt", &["delta\n\nunchanged words"]);
    collection.put_document(&new).unwrap();

    let check = |collection: &Collection| {
        assert_same(collection, &new);
        assert_eq!(collection.document_by_path("/data/a.txt").unwrap(), None);
        assert_eq!(collection.documents_by_sha256(old.meta.sha256).unwrap(), []);
        assert_eq!(collection.page(old.meta.id, 2).unwrap(), None);
        assert_eq!(collection.chunk(old.chunks[0].id).unwrap(), None);
        assert_eq!(old.chunks[1].id, new.chunks[1].id, "what did not change keeps its id");
        let all = Filter::default();
        assert_eq!(collection.search_bm25("alpha gamma", 9, &all).unwrap(), []);
        let hits = collection.search_bm25("unchanged", 9, &all).unwrap();
        assert_eq!(hits.iter().map(|hit| (hit.document, hit.index)).collect::<Vec<_>>(), [(new.meta.id, 1)]);
        assert_eq!(collection.search_dense(&vector("alpha"), 99, &all).unwrap().len(), 3);
        assert_eq!(
            collection.counts().unwrap(),
            Counts { documents: 2, pages: 2, chunks: 3, sparse_chunks: 3, annotated_documents: 2, token_chunks: 0 }
        );
        assert_clean(collection);
    };
    check(&collection);
    check(&collection.reopened());
}

pub fn a_deletion_leaves_nothing(store: &dyn Store) {
    let collection = new_collection(store);
    let documents = many(3, 4);
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    collection.flush().unwrap();
    for stored in &documents {
        assert!(collection.delete_document(stored.meta.id).unwrap());
        assert_eq!(collection.document(stored.meta.id).unwrap(), None);
    }
    let all = Filter::default();
    assert_eq!(collection.search_bm25("common", 9, &all).unwrap(), []);
    assert_eq!(collection.search_dense(&vector("common"), 9, &all).unwrap(), []);
    assert_eq!(collection.counts().unwrap(), Counts::default());
    assert_clean(&collection);
    let collection = collection.reopened();
    assert_eq!((collection.documents().unwrap(), collection.versions()), (vec![], vec![]));
    for stored in &documents {
        assert_eq!(collection.chunk(stored.chunks[0].id).unwrap(), None);
        assert_eq!(collection.documents_by_sha256(stored.meta.sha256).unwrap(), []);
        assert_eq!(collection.page(stored.meta.id, 1).unwrap(), None);
        assert_eq!(collection.annotations(stored.meta.id).unwrap(), None);
    }
    assert_clean(&collection);
}

pub fn what_cannot_be_cited_is_refused(store: &dyn Store) {
    let collection = new_collection(store);
    let good = document("/data/a.txt", &["one two\n\nthree", "four"]);
    let refused = |change: fn(&mut StoredDocument), code: ErrorCode, says: &str| {
        let mut bad = good.clone();
        change(&mut bad);
        let error = collection.put_document(&bad).unwrap_err();
        assert_eq!(error.code, code, "{error}");
        assert!(error.message.contains(says), "{:?} does not say {says:?}", error.message);
    };
    let internal = ErrorCode::Internal;
    refused(|d| d.dense_model = "other".into(), ErrorCode::ModelMismatch, "made by other");
    refused(|d| drop(d.vectors.pop()), internal, "2 vectors");
    refused(|d| d.vectors[1] = vec![0.0; DIMENSION], internal, "the vector of chunk 1 has length 0");
    refused(|d| d.vectors[0].truncate(3), internal, "the vector of chunk 0 has 3 components");
    refused(|d| d.sparse_model = Some("other".into()), ErrorCode::ModelMismatch, "made by other");
    refused(|d| d.sparse_model = None, ErrorCode::ModelMismatch, "made by no model");
    refused(|d| drop(d.sparse_vectors.pop()), internal, "2 learned-sparse vectors");
    refused(|d| d.sparse_vectors[1].terms[0].1 = -1.0, internal, "the learned-sparse vector of chunk 1 gives");
    refused(|d| d.meta.page_count = 3, internal, "claims 3 pages");
    refused(|d| d.meta.char_count += 1, internal, "characters");
    refused(|d| d.pages[1].number = 7, internal, "pages are not numbered");
    refused(|d| d.chunks[1].index = 0, internal, "chunks are not numbered");
    refused(|d| d.chunks[2].page = 3, internal, "chunk 2 is on page 3, which does not exist");
    refused(|d| d.chunks[0].page = 2, internal, "chunk 1 is on page 1, which does not exist or comes before");
    refused(|d| d.chunks[0].text.push('!'), internal, "page 1, chunk 0");
    refused(|d| d.pages[0].text = "one two\n\nthree x".into(), internal, "");
    refused(|d| d.pages[1].blocks[0] = Block { char_start: 1, ..d.pages[1].blocks[0].clone() }, internal, "page 2");
    assert_eq!(collection.counts().unwrap(), Counts::default());

    collection.put_document(&good).unwrap();
    let mut same_path = good.clone();
    same_path.meta.id = DocumentId::random();
    for chunk in &mut same_path.chunks {
        chunk.id = casetrack_core::ChunkId::derive(same_path.meta.id, chunk.page, 0, &chunk.text);
    }
    assert_eq!(collection.put_document(&same_path).unwrap_err().code, ErrorCode::AlreadyExists);
    assert_clean(&collection);
}

pub fn readers_see_a_document_whole_while_it_is_replaced(store: &dyn Store) {
    let collection = new_collection(store);
    let id = DocumentId::random();
    let versions: Vec<StoredDocument> = (0..2)
        .map(|v| {
            let text: Vec<String> = (0..30 + 20 * v).map(|n| format!("version{v} paragraph {n}")).collect();
            with_id(id, "/data/a.txt", &[&text.join("\n\n")])
        })
        .collect();
    collection.put_document(&versions[0]).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 1..20 {
                collection.put_document(&versions[round % 2]).unwrap();
            }
        });
        let mut reads = 0;
        while !writer.is_finished() || reads == 0 {
            let chunks = collection.chunks(id).unwrap();
            assert!(versions.iter().any(|version| version.chunks == chunks), "{} chunks of two versions", chunks.len());
            for hit in collection.search_bm25("paragraph", 100, &Filter::default()).unwrap() {
                assert_eq!(hit.document, id);
            }
            reads += 1;
        }
    });
    assert_clean(&collection);
}

pub fn passages_are_read_as_of_one_moment(store: &dyn Store) {
    let collection = new_collection(store);
    let stored = document("/a.txt", &["one\n\ntwo", "three", "four\n\nfive"]);
    let id = stored.meta.id;
    collection.put_document(&stored).unwrap();
    let spans = collection.chunk_spans(id).unwrap();
    let chunks = collection.chunks(id).unwrap();
    assert_eq!(spans.iter().map(|span| span.id).collect::<Vec<_>>(), chunks.iter().map(|c| c.id).collect::<Vec<_>>());
    assert_eq!(spans.iter().map(|span| span.page).collect::<Vec<_>>(), [1, 1, 2, 3, 3]);
    for (pages, indexes) in [(1..=1, 0..2), (2..=3, 2..5), (1..=9, 0..5), (4..=9, 5..5)] {
        assert_eq!(collection.chunks_on_pages(id, pages.clone()).unwrap(), indexes, "{pages:?}");
    }
    let mut passages = collection.passages();
    collection.delete_document(id).unwrap();
    assert!(collection.passages().at(id, 0).unwrap().is_none());
    assert_eq!(collection.chunks_on_pages(id, 1..=1).unwrap(), 0..0);
    let found = passages.range(id, 1..4).unwrap();
    assert_eq!(found.iter().map(|passage| passage.chunk.clone()).collect::<Vec<_>>(), chunks[1..4]);
    assert!(found.iter().all(|passage| passage.document.meta == stored.meta && passage.document.has_sparse_vectors));
    assert_eq!(passages.with_id(chunks[4].id).unwrap().unwrap().chunk, chunks[4]);
    let mut ids: Vec<ChunkId> = chunks.iter().map(|chunk| chunk.id).collect();
    ids.sort_unstable();
    assert_eq!(passages.ids_within(ids[1]..=ids[3], 9).unwrap(), ids[1..=3]);
    assert_eq!(passages.ids_within(ids[0]..=ids[4], 2).unwrap(), ids[..2]);
    let short = ChunkId::beginning_with(&ids[2].short()).unwrap();
    assert_eq!(passages.ids_within(short.clone(), 9).unwrap(), [ids[2]]);
    assert!(collection.passages().ids_within(short, 9).unwrap().is_empty());
    let some = passages.some(id, &[0, 3, 4, 9]).unwrap();
    assert_eq!(some.iter().map(|passage| passage.chunk.index).collect::<Vec<_>>(), [0, 3, 4]);
    assert!(passages.at(id, 5).unwrap().is_none());
}
