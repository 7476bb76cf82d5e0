//! Conditions on documents, pages and words, and the suggestions for words that no chunk has.

use std::sync::Arc;

use casetrack_core::ExtractionMethod;
use casetrack_store::{Collection, Conditions, Correction, Filter, Hit, PageTest, WordConditions};

use crate::fixture::*;

fn words(required: &[&str], excluded: &[&str]) -> Conditions {
    let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    Conditions {
        words: WordConditions { required: owned(required), excluded: owned(excluded) },
        ..Conditions::default()
    }
}

fn filter(collection: &Collection, conditions: &Conditions) -> Filter {
    Filter { selection: Some(Arc::new(collection.select(conditions).unwrap())), ..Filter::default() }
}

/// All kinds of search; the query shares words with every chunk.
fn searches(collection: &Collection, k: usize, filter: &Filter) -> [Vec<Hit>; 3] {
    let query = "Clause common matters, in document";
    [
        collection.search_bm25(query, k, filter).unwrap(),
        collection.search_dense(&vector(query), k, filter).unwrap(),
        collection.search_sparse(&sparse_vector(query), k, filter).unwrap(),
    ]
}

pub fn words_and_phrases_decide_over_every_kind_of_search(store: &dyn Store) {
    let collection = new_collection(store);
    for stored in many(40, 10) {
        collection.put_document(&stored).unwrap();
    }
    let all = searches(&collection, 400, &Filter::default());
    for (conditions, expected) in [
        (words(&["word7x3"], &[]), 1),
        (words(&["in document 7"], &[]), 10),
        (words(&["document in 7"], &[]), 0),
        (words(&["CLAUSES 3"], &[]), 40),
        (words(&["clause 3", "document 7"], &[]), 1),
        (words(&[], &["document 7"]), 390),
        (words(&["clause 3"], &["document 7", "word8x3"]), 38),
        (words(&["absent"], &[]), 0),
        (words(&[], &["absent"]), 400),
    ] {
        let selection = collection.select(&conditions).unwrap();
        assert_eq!(selection.chunks(), expected, "{conditions:?}");
        let filter = Filter { selection: Some(Arc::new(selection)), ..Filter::default() };
        let full = searches(&collection, 400, &filter);
        let kept: Vec<_> = full[0].iter().map(|hit| (hit.document, hit.index)).collect();
        for (found, all) in full.iter().zip(&all) {
            assert_eq!(found.len() as u64, expected, "{conditions:?}");
            // Neither scores nor order depend on conditions.
            let expected: Vec<Hit> =
                all.iter().filter(|hit| kept.contains(&(hit.document, hit.index))).copied().collect();
            assert_eq!(*found, expected, "{conditions:?}");
        }
        for found in searches(&collection, 5, &filter) {
            assert_eq!(found.len() as u64, expected.min(5), "{conditions:?}");
        }
    }
    assert_eq!(collection.select(&words(&["x".repeat(300).as_str()], &[])).unwrap().chunks(), 0);
}

pub fn identifiers_and_amounts_are_required_whole(store: &dyn Store) {
    let collection = new_collection(store);
    let text = "Section 4.2(b) of INV-2023-0042\n\nSection 4.2 (b), 4.2(c) of INV-2023-0043\n\nover $1,250,000\n\nover $250,000";
    collection.put_document(&document("/data/a.txt", &[text])).unwrap();
    for (required, expected) in [
        ("4.2(b)", vec![0]),
        ("4.2", vec![0, 1]),
        ("INV-2023-0042", vec![0]),
        ("$1,250,000", vec![2]),
        ("250000", vec![3]),
    ] {
        let filter = filter(&collection, &words(&[required], &[]));
        let hits = collection.search_bm25(format!("{required} section over"), 9, &filter).unwrap();
        let mut found: Vec<u32> = hits.iter().map(|hit| hit.index).collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{required}");
    }
}

pub fn pages_and_confidence_choose_within_documents_and_follow_changes(store: &dyn Store) {
    let collection = new_collection(store);
    let paged = |name: &str| {
        let mut stored = document(name, &["one a\n\none b", "two a", "", "four a\n\nfour b\n\nfour c"]);
        for (page, confidence) in [(1, 0.9), (3, 0.4)] {
            stored.pages[page].method = ExtractionMethod::Ocr;
            stored.pages[page].ocr_confidence = Some(confidence);
        }
        stored
    };
    let (first, second) = (paged("/data/first.txt"), paged("/data/second.txt"));
    for stored in [&first, &second] {
        collection.put_document(stored).unwrap();
    }
    let chunks = |conditions: Conditions| {
        let filter = filter(&collection, &conditions);
        let mut found: Vec<(bool, u32)> = collection
            .search_dense(&vector("a"), 99, &filter)
            .unwrap()
            .iter()
            .map(|hit| (hit.document == second.meta.id, hit.index))
            .collect();
        found.sort_unstable();
        assert_eq!(found.len() as u64, collection.select(&conditions).unwrap().chunks());
        found
    };
    let on = |pages: &[(u32, u32)]| Conditions {
        pages: vec![pages.iter().map(|&(first, last)| PageTest::Numbered(first..=last)).collect()],
        ..Conditions::default()
    };
    let confident = |least| Conditions { min_confidence: Some(least), ..Conditions::default() };
    let of_second = |conditions: Conditions| Conditions { documents: Some(vec![second.meta.id]), ..conditions };
    assert_eq!(chunks(on(&[(2, 3)])), [(false, 2), (true, 2)]);
    assert_eq!(chunks(of_second(on(&[(1, 2)]))), [(true, 0), (true, 1), (true, 2)]);
    assert_eq!(chunks(of_second(on(&[(1, 1), (4, 9)]))), [(true, 0), (true, 1), (true, 3), (true, 4), (true, 5)]);
    assert_eq!(chunks(on(&[(3, 3)])), []);
    assert_eq!(chunks(of_second(confident(0.5))), [(true, 0), (true, 1), (true, 2)]);
    assert_eq!(chunks(of_second(confident(0.95))), [(true, 0), (true, 1)]);
    assert_eq!(chunks(confident(0.3)).len(), 12);

    let replaced = with_id(second.meta.id, "/data/second.txt", &["one a", "two a\n\ntwo b"]);
    collection.put_document(&replaced).unwrap();
    assert_eq!(chunks(of_second(on(&[(2, 2)]))), [(true, 1), (true, 2)]);
    assert_eq!(chunks(confident(0.95)).len(), 2 + 3);
}

pub fn pages_are_found_by_what_is_printed_on_them(store: &dyn Store) {
    let collection = new_collection(store);
    let mut stored = document("/data/a.txt", &["one", "two", "three", "four"]);
    for (page, notes) in
        stored.pages.iter_mut().zip([(Some("A-1"), None), (None, Some("SM-0009")), (None, Some("SM-0010"))])
    {
        (page.notes.label, page.notes.bates) = (notes.0.map(str::to_owned), notes.1.map(str::to_owned));
    }
    stored.pages[3].notes.exhibits = vec!["Plaintiff's Exhibit 12".to_owned()];
    stored.pages[1].notes.numbered = vec![casetrack_core::NumberedText { char_start: 0, char_end: 3, number: 12 }];
    collection.put_document(&stored).unwrap();
    assert_eq!(collection.bates(stored.meta.id).unwrap(), [(2, "SM-0009".to_owned()), (3, "SM-0010".to_owned())]);
    assert_eq!(collection.page_origin(stored.meta.id, 1).unwrap().label.as_deref(), Some("A-1"));
    let found = |pages: Vec<Vec<PageTest>>| -> Vec<u32> {
        let selection = collection.select(&Conditions { pages, ..Conditions::default() }).unwrap();
        collection.places(&selection).iter().map(|(_, index)| *index).collect()
    };
    let stamped = |range: &str| PageTest::Stamped(range.parse().unwrap());
    assert_eq!(found(vec![vec![PageTest::Labelled("a-1".into()), PageTest::Numbered(4..=4)]]), [0, 3]);
    assert_eq!(found(vec![vec![stamped("sm0009..sm0010")]]), [1, 2]);
    assert_eq!(found(vec![vec![stamped("10")], vec![PageTest::Numbered(1..=3)]]), [2]);
    assert_eq!(found(vec![vec![stamped("10")], vec![PageTest::Numbered(2..=2)]]), Vec::<u32>::new());
    assert_eq!(
        found(vec![vec![PageTest::Labelled("2".into())]]),
        Vec::<u32>::new(),
        "a page without a label of its own has a number"
    );
    assert_eq!(found(vec![vec![PageTest::Exhibit("12".into())]]), [3]);
    assert_eq!(found(vec![vec![PageTest::Exhibit("Defendant 12".into())]]), Vec::<u32>::new());
    assert_eq!(found(vec![vec![PageTest::Paragraph(10..=12)]]), [1]);
    assert_eq!(found(vec![vec![PageTest::Paragraph(12..=12)], vec![stamped("10")]]), Vec::<u32>::new());
    let passages = collection.passages().range(stored.meta.id, 1..4).unwrap();
    assert_eq!(passages[0].origin.numbers.as_deref(), Some("12"));
    assert_eq!(passages[2].origin.exhibits, ["Plaintiff's Exhibit 12"]);
}

pub fn the_catalogue_follows_changes(store: &dyn Store) {
    let collection = new_collection(store);
    let paths = |collection: &Collection| -> Vec<String> {
        collection.catalogue().unwrap().iter().map(|entry| entry.path.clone()).collect()
    };
    assert_eq!(paths(&collection), Vec::<String>::new());
    let (b, a) = (document("/data/b.txt", &["b"]), document("/data/a.txt", &["a"]));
    collection.put_document(&b).unwrap();
    assert_eq!(paths(&collection), ["/data/b.txt"]);
    collection.put_document(&a).unwrap();
    assert_eq!(paths(&collection), ["/data/a.txt", "/data/b.txt"]);
    let mut renamed = with_id(b.meta.id, "/data/c.txt", &["b"]);
    renamed.meta.properties.modified = Some("2023-05-14".into());
    collection.put_document(&renamed).unwrap();
    collection.delete_document(a.meta.id).unwrap();
    assert_eq!(paths(&collection), ["/data/c.txt"]);
    assert_eq!(collection.catalogue().unwrap()[0].modified.as_deref(), Some("2023-05-14"));
}

pub fn words_that_no_chunk_has_are_corrected(store: &dyn Store) {
    let collection = new_collection(store);
    let text = "Termination of the agreement\n\nThe TERMINATION fee and the liability\n\nThe tenant rents a flat of INV-2023-0042 for ACME \
                towards a consultant's fee; independent experts give notice";
    collection.put_document(&document("/data/a.txt", &[text])).unwrap();
    for (query, expected) in [
        ("early termintation", Some(("termintation", "termination"))),
        ("Terminatoin clause?", Some(("terminatoin", "termination"))),
        ("tremination", Some(("tremination", "termination"))),
        ("liabilty", Some(("liabilty", "liability"))),
        ("the tenent", Some(("tenent", "tenant"))),
        ("twards", Some(("twards", "towards"))),
        // Its stem is two edits from the stem of "notice".
        ("ntice", Some(("ntice", "notice"))),
        ("noitces", Some(("noitces", "notice"))),
        // Its stem is near to a term, and it is not near to a word.
        ("tenenthood", None),
        // The term is the same without the ending.
        ("consultent", Some(("consultent", "consultant"))),
        ("independent consultants", None),
        // Known, in another form.
        ("terminated agreements", None),
        // Too short, too far, numbers, identifiers, abbreviations.
        ("flt renz", None),
        ("determinations", None),
        ("2024 INV-2023-0043 ACMA", None),
    ] {
        let found = collection.corrections(query).unwrap();
        let expected: Vec<Correction> = expected
            .map(|(word, replacement)| Correction {
                word: word.into(),
                replacement: replacement.into(),
                is_known: false,
            })
            .into_iter()
            .collect();
        assert_eq!(found, expected, "{query}");
    }
    let empty = new_collection(store);
    assert_eq!(empty.corrections("termintation").unwrap(), []);
}

pub fn a_slip_that_a_passage_has_as_well_is_corrected_where_many_have_the_word(store: &dyn Store) {
    let collection = new_collection(store);
    let mut pages = vec!["A written notice of the tenant is due."; 120];
    pages.push("A notice of the tenat to the Tenent Company.");
    collection.put_document(&document("/data/a.txt", &pages)).unwrap();
    let found = collection.corrections("notice of the tenat").unwrap();
    let correction = Correction { word: "tenat".into(), replacement: "tenant".into(), is_known: true };
    assert_eq!(found, [correction]);
    // A name stays as it is.
    assert_eq!(collection.corrections("the Tenent company").unwrap(), []);
}

pub fn chunks_are_chosen_one_by_one_and_come_in_the_order_of_storing(store: &dyn Store) {
    let collection = new_collection(store);
    let mut documents = many(6, 3);
    // Neither ids nor paths are in this order.
    documents.sort_by_key(|stored| std::cmp::Reverse((stored.meta.id, stored.meta.path.clone())));
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    let all: Vec<_> = documents.iter().flat_map(|stored| (0..3).map(|index| (stored.meta.id, index))).collect();
    let places = |conditions: &Conditions| collection.places(&collection.select(conditions).unwrap());
    assert_eq!(places(&Conditions::default()), all);
    let absent = [(documents[0].meta.id, 3), (casetrack_core::DocumentId::random(), 0)];
    let chunks = [all[7], all[2], all[8], all[2]].into_iter().chain(absent).collect();
    assert_eq!(places(&Conditions { chunks: Some(chunks), ..Conditions::default() }), [all[2], all[7], all[8]]);

    let selection = collection.select(&Conditions::default()).unwrap();
    collection.delete_document(documents[0].meta.id).unwrap();
    assert_eq!(collection.places(&selection), all[3..], "what is deleted is no longer there");
}

pub fn a_text_says_as_much_of_a_question_as_it_has_of_its_rare_words(store: &dyn Store) {
    let collection = new_collection(store);
    let text = "The tenant pays the rent.\n\nThe tenant pays.\n\nThe tenant leaves.\n\nNobody pays.\n\nNothing else.";
    collection.put_document(&document("/data/a.txt", &[text])).unwrap();
    let weights = collection.term_weights("What rent does the tenant pay?").unwrap();
    let mut reader = weights.reader();
    let mut says = |text: &str| reader.densest(text, Some("en")).0;
    let [all, rare, frequent, none] = ["Tenants paid: pays rent", "the rent", "a tenant", "Nothing"].map(&mut says);
    assert!((all - 1.0).abs() < 1e-6 && rare > frequent && frequent > 0.0, "{all} {rare} {frequent}");
    assert_eq!(none, 0.0);
    let (_, place) = weights.reader().densest("Of all, the rent.", Some("en"));
    assert_eq!(place, 12..16);
}
