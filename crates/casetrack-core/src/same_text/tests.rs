use proptest::prelude::*;

use super::*;

fn plain(text: &str) -> String {
    Plain::of(text).into_text().into_owned()
}

#[test]
fn forms_of_one_text_have_one_plain_text() {
    for (text, expected) in [
        ("U\u{308}bergabe", "Übergabe"),
        ("１，２３４，５６７円", "1,234,567円"),
        ("ＡＢＣ－２０２３", "ABC-2023"),
        ("ﾜｶﾞﾊｲ", "ワガハイ"),
        ("㈱ワガハイ", "(株)ワガハイ"),
        ("oﬃce ﬁrst", "office first"),
        ("2023\u{2011}0045 – — −", "2023-0045 - - -"),
        ("O’Brien O‘Brien OʼBrien O＇Brien O′Brien O´Brien O`Brien O‛Brien", &["O'Brien"; 8].join(" ")),
        ("“a” „b“ «c» 「d」", "\"a\" \"b\" \"c\" \"d\""),
        ("exam-\n  ple exam\u{ad}ple", "exam\u{ad}ple exam\u{ad}ple"),
        ("2020-\n21, a -\nb, (c)-\nd", "2020-\n21, a -\nb, (c)-\nd"),
        ("no\u{a0}break zero\u{200b}width", "no break zerowidth"),
        ("\u{1112}\u{1161}\u{11a8}점", "학점"),
        ("10² 1½ ① Acme™ agreement¹ …", "10² 1½ ① Acme™ agreement¹ …"),
        ("№ 5 Ⅷ", "No 5 VIII"),
        ("10 m² and 5 km², 3 cm³/h, 2 FT²; 10m³", "10 m2 and 5 km2, 3 cm3/h, 2 FT2; 10m3"),
        ("€/m² ㎡ 10\u{a0}m² x³+y²", "€/m2 m2 10 m2 x3+y2"),
        ("12 in² paid in² I'm² the Tenant² am² Dam² A³ e.V.²", "12 in2 paid in² I'm² the Tenant² am² Dam² A³ e.V.²"),
        ("bo\u{9c7}\u{9be}", "bo\u{9cb}"),
    ] {
        assert_eq!(plain(text), expected, "{text}");
    }
}

#[test]
fn what_is_plain_is_not_copied() {
    assert!(matches!(Plain::of("Plain text - with\nlines").into_text(), Cow::Borrowed(_)));
}

#[test]
fn places_lead_back_to_the_source() {
    let text = "㈱ワ U\u{308}ber exam-\nple ﬁt 5 m²";
    let plain = Plain::of(text);
    for (part, source) in [
        ("株", "㈱"),
        ("(株)", "㈱"),
        ("ワ", "ワ"),
        ("Ü", "U\u{308}"),
        ("ber", "ber"),
        ("exam\u{ad}ple", "exam-\nple"),
        ("ple", "ple"),
        ("i", "ﬁ"),
        ("fit", "ﬁt"),
        ("m2", "m²"),
    ] {
        let at = plain.text().find(part).unwrap();
        assert_eq!(&text[plain.source(at..at + part.len())], source, "{part}");
    }
}

#[test]
fn case_accents_and_umlauts_fold() {
    assert_eq!(folded("Straße STRASSE exam-\nple İstanbul"), "strasse strasse example istanbul");
    assert_eq!(unaccented("Crème BRÛLÉE Łódź Ærø Ångström"), "creme brulee lodz aero angstrom");
    assert_eq!(unaccented("ガ がハ हिन्दी"), "ガ がハ हिन्दी");
    assert_eq!((unaccented("שָׁלוֹם"), unaccented("مُحَمَّد")), ("שלום".to_owned(), "محمد".to_owned()));
    for (a, b, expected) in [
        ("Müllerstraße", "Muellerstrasse", true),
        ("Mu\u{308}ller", "MUELLER", true),
        ("Müller", "Muller", true),
        ("Mueller", "Muller", false),
        ("Michael", "Michal", false),
        ("Søren Ågård", "Soeren Aagaard", true),
        ("ΝΌΜΟΣ", "νόμος", true),
        ("ガス", "カス", false),
        ("ещё", "еще", true),
        ("мой", "мои", false),
    ] {
        assert_eq!(is_same(a, b), expected, "{a} {b}");
    }
}

proptest! {
    #[test]
    fn a_plain_text_is_its_own_plain_text(text in "\\PC{0,40}") {
        let once = plain(&text);
        prop_assert_eq!(plain(&once), once);
    }

    #[test]
    fn normal_forms_and_widths_make_no_difference(text in "[a-zà-üßΑ-Ωа-яא-ת가-힣ァ-ヶ一-龥0-9 .,'()-]{0,30}") {
        let wide: String = text.chars().map(|c| match c {
            '!'..='~' => char::from_u32(u32::from(c) + 0xfee0).unwrap(),
            _ => c,
        }).collect();
        for form in [text.nfd().collect::<String>(), text.nfc().collect(), text.nfkd().collect(), wide] {
            prop_assert_eq!(plain(&form), plain(&text));
            prop_assert!(is_same(&form, &text));
        }
    }

    #[test]
    fn places_are_within_the_source_and_in_order(text in "[a-zﬁ㈱ü\u{308}\u{ad}\n -ｶﾞ]{0,30}") {
        let plain = Plain::of(&text);
        let mut last = 0;
        for (start, c) in plain.text().char_indices() {
            let source = plain.source(start..start + c.len_utf8());
            prop_assert!(text.get(source.clone()).is_some() && source.start >= last, "{:?} {:?}", text, source);
            last = source.start;
        }
    }
}
