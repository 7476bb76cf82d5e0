use proptest::prelude::*;

use super::*;

fn stems(tag: &str, query: &str) -> Vec<String> {
    Analysis::of(Some(tag)).query_terms(query).into_iter().map(|token| token.text).collect()
}

fn indexed(tag: &str, text: &str) -> Vec<(usize, String)> {
    let tokens = Analysis::of(Some(tag)).indexer().terms(text).tokens;
    tokens.into_iter().map(|token| (token.position, token.text.replace(MARK_END, "|"))).collect()
}

#[test]
fn endings_are_those_of_the_language() {
    assert_eq!(stems("de-AT", "Kündigungen der Verträge"), ["kundig", "der", "vertrag"]);
    assert_eq!(stems("fr", "les résiliations"), ["le", "resili"]);
    assert_eq!(stems("ru", "договоры договора"), ["договор", "договор"]);
    assert_eq!(stems("en-GB", "agreements"), stems("xx", "agreements"));
    assert_eq!(Analysis::of(Some("en")), Analysis::Usual);
    assert_eq!(Analysis::of(None), Analysis::Usual);
}

#[test]
fn words_without_their_accents_find_those_with_them_and_the_other_way_round() {
    let has = |text: &str, query: &str| {
        let mut forms = Analysis::of(Some("fr")).forms();
        let terms = indexed("fr", text);
        forms.iter_mut().any(|form| {
            form.terms(query)
                .iter()
                .all(|token| terms.iter().any(|(_, term)| *term == token.text.replace(MARK_END, "|")))
        })
    };
    for (text, query) in [
        ("La vente est résiliée", "résiliée"),
        ("La vente est résiliée", "resiliee"),
        ("LA VENTE EST RESILIEE", "résiliée"),
        ("de\u{301}pos", "dépos"),
    ] {
        assert!(has(text, query), "{text}: {query} {:?}", indexed("fr", text));
    }
    assert!(!has("La vente est résiliée", "résidence"));
}

#[test]
fn parts_of_compounds_are_terms_of_their_own_kind() {
    let terms = |text| indexed("de", text).into_iter().map(|(_, term)| term).collect::<Vec<_>>();
    assert_eq!(terms("Kündigungsfrist")[1..], ["de|+kundig".to_owned(), "de|+frist".to_owned()]);
    let german = Analysis::of(Some("de"));
    let parts: Vec<String> = german.parts("Haftpflichtversicherung gilt").into_iter().map(|part| part.text).collect();
    assert_eq!(parts, ["haftpflicht", "versicher", "haft", "pflicht"]);
    assert!(Analysis::Usual.parts("Kündigungsfrist").is_empty());
}

#[test]
fn spellings_of_a_word_find_each_other() {
    let finds = |tag: &str, text: &str, query: &str| {
        let analysis = Analysis::of(Some(tag));
        let terms: HashSet<String> = match analysis.mark() {
            Some(_) => analysis.indexer().terms(text).tokens.into_iter().map(|token| token.text).collect(),
            None => {
                let mut terms = HashSet::new();
                super::super::analyzer().token_stream(text).process(&mut |token| {
                    terms.insert(token.text.clone());
                });
                terms
            }
        };
        let mut forms = analysis.forms();
        let mut forms = forms.iter_mut().filter(|form| form.differs(query));
        forms.any(|form| form.terms(query).iter().all(|token| terms.contains(&token.text)))
    };
    for tag in ["en", "de", "fr", "ja"] {
        for (text, query) in [
            ("Müllerstraße", "Muellerstrasse"),
            ("Muellerstrasse", "Müllerstraße"),
            ("Mu\u{308}ller", "Müller"),
            ("Müller", "Mu\u{308}ller"),
            ("OʼBrien", "O'Brien"),
            ("O＇Brien", "O’Brien"),
            ("well-\nknown", "well-known"),
            ("well-\nknown", "wellknown"),
            ("well\u{ad}known", "well-known"),
            ("well-known", "well\u{ad}known"),
            ("well-\nknown", "known"),
            ("１，２３４，５６７円", "1234567"),
            ("１，２３４，５６７円", "1,234,567円"),
            ("ＡＢＣ－２０２３－００４５", "ABC-2023-0045"),
            ("0３－１２３４－５６７８", "03-1234-5678"),
            ("㈱ﾜｶﾞﾊｲ", "(株)ワガハイ"),
            ("2023\u{2011}0045", "2023-0045"),
            ("ﬁnal oﬃce", "final office"),
            ("façade Générale", "facade generale"),
        ] {
            assert!(finds(tag, text, query), "{tag}: {text} {query}");
        }
        // The German stemmer itself takes "ue" for "ü".
        let others: &[(&str, &str)] = if tag == "de" { &[] } else { &[("Muller", "Mueller"), ("Michal", "Michael")] };
        for (text, query) in [("resign", "re-sign"), ("カス", "ガス")].iter().chain(others) {
            assert!(!finds(tag, text, query), "{tag}: {text} {query}");
        }
    }
}

proptest! {
    #[test]
    fn variants_of_any_words_find_each_other(words in prop::collection::vec("[a-zA-ZäöüßÄÖÜéñ]{1,8}('[a-z]{2,3})?", 1..5), seed in 0u32..1000) {
        use unicode_normalization::UnicodeNormalization;
        let text = words.join(" ");
        let vary = |c: char, n: u32| match (c, n % 5) {
            ('!'..='~', 0) if c != '\'' => char::from_u32(u32::from(c) + 0xfee0).unwrap().to_string(),
            ('\'', n) => ["'", "’", "ʼ", "＇", "′"][n as usize].to_owned(),
            (c, 1) if c.is_alphabetic() => format!("{c}\u{200b}"),
            (c, 2) => c.nfd().collect(),
            (' ', 3) => "\u{a0}".to_owned(),
            (c, _) => c.to_string(),
        };
        let variant: String = text.chars().zip(seed..).map(|(c, n)| vary(c, n)).collect();
        for tag in ["en", "de", "fr", "zh"] {
            let terms = |text: &str| Analysis::of(Some(tag)).query_terms(text).into_iter().map(|token| token.text).collect::<Vec<_>>();
            prop_assert_eq!(terms(&text), terms(&variant), "{} {:?}", tag, variant);
        }
    }
}

#[test]
fn text_without_spaces_gives_characters_and_pairs() {
    let expected = [(0, "pairs|合"), (0, "pairs|合同"), (1, "pairs|同"), (2, "pairs|v2")];
    assert_eq!(indexed("zh", "合同 v2"), expected.map(|(at, term)| (at, term.to_owned())));
    // Marks above and below belong to their letters.
    assert_eq!(stems("th", "ที่ดิน"), ["ที่", "ที่ดิ", "ดิ", "ดิน", "น"]);
    assert_eq!(stems("ja", "契約の解除")[..3], ["契", "契約", "約"]);
    assert_eq!(stems("ko", "계약을"), ["계", "계약", "약", "약을", "을"]);
}

#[test]
fn words_as_written_have_the_positions_of_their_terms() {
    for (tag, text) in [("de", "Die Bürgen nach § 765(a) BGB-2024"), ("th", "ที่ดิน 4.2(b)"), ("ta", "ஒப்பந்தம் தமிழ்")]
    {
        let mut indexer = Analysis::of(Some(tag)).indexer();
        let places = |text: PreTokenizedString| -> HashSet<(usize, usize)> {
            text.tokens.into_iter().map(|token| (token.position, token.offset_from)).collect()
        };
        assert_eq!(places(indexer.terms(text)), places(indexer.written(text)), "{tag}");
    }
    assert_eq!(stems("ta", "தமிழ்").len(), 1);
}

#[test]
fn stop_words_are_known_by_their_places() {
    let german = Analysis::of(Some("de"));
    assert_eq!(german.stop_words("Wann ist die Frist um?"), HashSet::from([5, 9, 19]));
    assert!(Analysis::Pairs.stop_words("the 的").is_empty());
}

#[test]
fn every_mark_leads_back_to_its_rules() {
    for (tag, mark, analysis) in LANGUAGES {
        assert_eq!(Analysis::with_mark(mark), Some(analysis), "{tag}");
        assert_eq!(Analysis::of(Some(tag)).mark(), Some(mark));
    }
    assert_eq!((Analysis::Usual.mark(), Analysis::Usual.marked("term")), (None, "term".to_owned()));
}
