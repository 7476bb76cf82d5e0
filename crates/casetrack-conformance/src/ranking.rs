//! The ranking is the one of collections on disk: the same chunks in the same order, with the same scores.

use std::sync::Arc;

use casetrack_core::DocumentId;
use casetrack_store::{
    Collection, Conditions, Expression, Filter, Hit, PageTest, Registry, Selection, StoredDocument, WordConditions,
    Words,
};

use crate::fixture::*;

/// The greatest difference of scores.
const TOLERANCE: f32 = 1e-5;

const QUERIES: [&str; 12] = [
    "common matters",
    "word3x1",
    "document 2 clause 0",
    "the tenant pays the rent on the third of each month without notice or demand",
    "Mietvertrag Kündigung",
    "terminated leases of Harbour Point",
    "INV-2023-0042",
    "合同",
    "résiliation",
    "rent rent rent",
    "of the and",
    "absent",
];

const LEASE: [&str; 2] = [
    "LEASE between Acme Ltd and Harbour Point GmbH\n\nThe tenant pays the rent on the third of each month.",
    "The lease was terminated, INV-2023-0042.\n\nRent. Rent. Rent.\n\nNotice of the termination of leases",
];
const MIETVERTRAG: &str = "Die Kündigung des Mietvertrags.\n\nDie Kündigungen der Mietverträge über Häuser, 4.2(b)";
const BAIL: &str = "La résiliation du bail.\n\nLes ventes ont été résiliées.";

/// Texts of several languages, lengths, headings and covers.
fn corpus() -> Vec<StoredDocument> {
    let mut documents = many(15, 8);
    for (path, language, pages) in [
        ("/m/Harbour Point lease.pdf", "en", &LEASE[..]),
        ("/m/Mietvertrag.docx", "de", &[MIETVERTRAG]),
        ("/m/bail.txt", "fr", &[BAIL]),
        ("/m/合同.txt", "zh", &["本合同自签字之日起生效。\n\n同合作社的合作。"]),
        ("/m/empty.txt", "en", &[""]),
    ] {
        let mut stored = document(path, pages);
        stored.meta.properties.language = Some(language.to_owned());
        for chunk in &mut stored.chunks {
            chunk.context = format!("Heading {} Rent", chunk.index);
        }
        documents.push(stored);
    }
    documents
}

/// The same scores at the same places, and the same chunks there: those whose scores are equal except for rounding may change places.
fn assert_same(found: &[Hit], expected: &[Hit], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let is_close = |a: f32, b: f32| (a - b).abs() <= TOLERANCE * a.abs().max(1.0);
    for (own, on_disk) in found.iter().zip(expected) {
        assert!(is_close(own.score, on_disk.score), "{what}: {own:?}, on disk {on_disk:?}");
        let same = expected.iter().find(|hit| (hit.document, hit.index) == (own.document, own.index));
        // One that is not among them is as good as the last.
        let on_disk = same.or(expected.last()).map_or(f32::NAN, |hit| hit.score);
        assert!(is_close(own.score, on_disk), "{what}: {own:?} has {on_disk} on disk");
    }
}

fn conditions(documents: &[StoredDocument]) -> Vec<Conditions> {
    let words = |required: &[&str], excluded: &[&str]| {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Conditions {
            words: WordConditions { required: owned(required), excluded: owned(excluded) },
            ..Conditions::default()
        }
    };
    let phrase = |text: &str| Words::Phrase(text.to_owned());
    let near = Words::Near { left: Box::new(phrase("tenant")), right: Box::new(phrase("rent")), words: 4 };
    let expression = |expression| Conditions { expression: Some(expression), ..Conditions::default() };
    let third: Vec<DocumentId> = documents.iter().step_by(3).map(|stored| stored.meta.id).collect();
    vec![
        Conditions::default(),
        words(&["clause 3"], &["document 7"]),
        words(&["Kündigungen"], &[]),
        words(&[], &["rent"]),
        expression(Expression::Words(near)),
        expression(Expression::Words(phrase("termin*"))),
        expression(Expression::Not(Box::new(Expression::Words(phrase("common matters"))))),
        Conditions { documents: Some(third), ..Conditions::default() },
        Conditions { pages: vec![vec![PageTest::Numbered(2..=2)]], ..Conditions::default() },
        Conditions { min_confidence: Some(0.5), ..Conditions::default() },
    ]
}

fn compare(tested: &Collection, on_disk: &Collection, documents: &[StoredDocument], state: &str) {
    // A selection belongs to the collection that made it.
    let mut filters = vec![(Filter::default(), Filter::default())];
    for conditions in conditions(documents) {
        let select = |collection: &Collection| {
            let selection = collection.select(&conditions).unwrap();
            (collection.places(&selection), selection)
        };
        let ((places, selection), (expected, of_disk)) = (select(tested), select(on_disk));
        assert_eq!(places, expected, "{state}, {conditions:?}");
        assert_eq!(selection.chunks(), places.len() as u64, "{state}, {conditions:?}");
        let by_document = |selection: &Selection| selection.chunks_by_document().collect::<Vec<_>>();
        assert_eq!(by_document(&selection), by_document(&of_disk), "{state}, {conditions:?}");
        let filter = |selection| Filter { selection: Some(Arc::new(selection)), ..Filter::default() };
        filters.push((filter(selection), filter(of_disk)));
    }
    for query in QUERIES {
        for (n, (ours, theirs)) in filters.iter().enumerate() {
            for k in [3, 500] {
                let what = format!("{state}, \"{query}\" under condition {n}, {k} of");
                let bm25 = |collection: &Collection, filter| collection.search_bm25(query, k, filter).unwrap();
                assert_same(&bm25(tested, ours), &bm25(on_disk, theirs), &format!("{what} BM25"));
                let vector = vector(query);
                let dense = |collection: &Collection, filter| collection.search_dense(&vector, k, filter).unwrap();
                assert_same(&dense(tested, ours), &dense(on_disk, theirs), &format!("{what} dense"));
                let weights = sparse_vector(query);
                let sparse = |collection: &Collection, filter| collection.search_sparse(&weights, k, filter).unwrap();
                assert_same(&sparse(tested, ours), &sparse(on_disk, theirs), &format!("{what} sparse"));
            }
        }
        assert_eq!(tested.name_matches(query, 9).unwrap(), on_disk.name_matches(query, 9).unwrap(), "{state}, {query}");
    }
    for text in ["comon maters of the tennant", "Kundigung", "word3x9", "harbor"] {
        assert_eq!(tested.corrections(text).unwrap(), on_disk.corrections(text).unwrap(), "{state}, {text}");
    }
    let question = "When does the tenant pay the rent of a lease?";
    let (ours, theirs) = (tested.term_weights(question).unwrap(), on_disk.term_weights(question).unwrap());
    let (mut ours, mut theirs) = (ours.reader(), theirs.reader());
    for stored in documents {
        let language = stored.meta.properties.language.as_deref();
        for chunk in &stored.chunks {
            let (found, expected) = (ours.densest(&chunk.text, language), theirs.densest(&chunk.text, language));
            assert!((found.0 - expected.0).abs() <= TOLERANCE && found.1 == expected.1, "{found:?} {expected:?}");
        }
    }
}

pub fn searches_return_what_those_on_disk_return(store: &dyn Store) {
    let temp = tempfile::tempdir().unwrap();
    let registry = Registry::open(temp.path()).unwrap();
    let (tested, on_disk) = (new_collection(store), new_collection(&registry));
    let mut documents = corpus();
    let put = |stored: &StoredDocument| {
        tested.put_document(stored).unwrap();
        on_disk.put_document(stored).unwrap();
    };
    documents.iter().for_each(put);
    compare(&tested, &on_disk, &documents, "stored");

    for stored in documents.drain(2..5) {
        tested.delete_document(stored.meta.id).unwrap();
        on_disk.delete_document(stored.meta.id).unwrap();
    }
    let again = with_id(documents.remove(0).meta.id, "/m/again.txt", &["The tenant and the rent, word3x1."]);
    put(&again);
    documents.push(again);
    for collection in [&tested, &on_disk] {
        // Deleted chunks may count in the keyword index until then.
        collection.flush().unwrap();
    }
    compare(&tested, &on_disk, &documents, "changed");
}

/// BM25 as it is defined (k1 = 1.2, b = 0.75), for one word that no rule treats in its own way. Lengths are small, so
/// that they are kept exactly.
pub fn bm25_scores_are_those_of_the_formula(store: &dyn Store) {
    let collection = new_collection(store);
    let texts = ["alpha beta", "alpha alpha gamma delta", "beta beta beta", "gamma", "delta epsilon zeta eta theta"];
    let mut documents = Vec::new();
    for (n, text) in texts.iter().enumerate() {
        let mut stored = document(&format!("/d/{n}.txt"), &[text]);
        stored.chunks[0].context.clear();
        stored.chunks[0].heading_path.clear();
        stored.meta.title = None;
        collection.put_document(&stored).unwrap();
        documents.push(stored.meta.id);
    }
    let lengths: Vec<f32> = texts.iter().map(|text| text.split(' ').count() as f32).collect();
    let (count, mean) = (texts.len() as f32, lengths.iter().sum::<f32>() / texts.len() as f32);
    for word in ["alpha", "beta", "theta"] {
        let tf = |text: &str| text.split(' ').filter(|own| *own == word).count() as f32;
        let with = texts.iter().filter(|text| tf(text) > 0.0).count() as f32;
        let idf = (1.0 + (count - with + 0.5) / (with + 0.5)).ln();
        let mut expected: Vec<(f32, DocumentId)> = Vec::new();
        for ((text, length), id) in texts.iter().zip(&lengths).zip(&documents) {
            let tf = tf(text);
            if tf > 0.0 {
                expected.push((idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / mean)), *id));
            }
        }
        expected.sort_by(|a, b| b.0.total_cmp(&a.0));
        let found = collection.search_bm25(word, 9, &Filter::default()).unwrap();
        assert_eq!(
            found.iter().map(|hit| hit.document).collect::<Vec<_>>(),
            expected.iter().map(|of| of.1).collect::<Vec<_>>()
        );
        for (hit, (score, _)) in found.iter().zip(&expected) {
            // A score on disk has 16 significant bits.
            assert!((hit.score / score - 1.0).abs() < 1e-4, "{word}: {} for {score}", hit.score);
        }
    }
}
