use proptest::prelude::*;

use super::*;

fn row(text: &str) -> (Vec<char>, Vec<Symbol>) {
    let chars: Vec<char> = text.chars().collect();
    let symbols = symbols(&chars, &[]);
    (chars, symbols)
}

/// The differences in type between two texts; `None` if they are not the same.
fn same(document: &str, quotation: &str) -> Option<Vec<Typography>> {
    let ((chars, symbols), (needle, wanted)) = (row(document), row(quotation));
    let mut trail = Trail::default();
    let row = Row { chars: &chars, symbols: &symbols };
    let end = row.matches(0, &Row { chars: &needle, symbols: &wanted }, &mut trail)?;
    (end == symbols.len()).then(|| trail.typography.into_iter().collect())
}

#[test]
fn typography_makes_no_difference_and_is_named() {
    use Typography::*;
    for (document, quotation, differs) in [
        ("the rent is due", "the rent is due", vec![]),
        ("the rent\n  is due", "the rent is due", vec![LineBreaks]),
        ("due ( monthly ) ,", "due (monthly),", vec![Spacing]),
        ("the “Rent” of party’s", "the \"Rent\" of party's", vec![QuotationMarks]),
        ("the ``Rent''", "the ‘Rent’", vec![QuotationMarks]),
        ("2020–21 — or -- so", "2020-21 - or – so", vec![Dashes]),
        ("an exam-\nple", "an example", vec![Hyphenation]),
        ("a well-\nknown one", "a well-known one", vec![Hyphenation]),
        ("an exam\u{ad}ple", "an example", vec![Hyphenation]),
        ("an example", "an exam-\nple", vec![Hyphenation]),
        ("ﬁrst oﬃce", "first office", vec![Ligatures]),
        ("pay . . . or", "pay… or", vec![Spacing, Ellipses]),
        ("name: ________ ,", "name: ___,", vec![Spacing, RepeatedSigns]),
        ("a\u{200b}b", "ab", vec![]),
        ("besta\u{308}tigen", "bestätigen", vec![]),
        ("１，２３４円", "1,234円", vec![CharacterForms]),
        ("㈱ワガハイ", "(株)ワガハイ", vec![CharacterForms]),
        ("ﾜｶﾞﾊｲ", "ワガハイ", vec![CharacterForms]),
        ("große Straße", "grosse Strasse", vec![CharacterForms]),
        ("Übergabe", "Uebergabe", vec![CharacterForms]),
        ("Muellerstrasse", "Müllerstraße", vec![CharacterForms]),
        ("OʼBrien's", "O'Brien＇s", vec![QuotationMarks]),
        ("a\u{a0}b", "a b", vec![]),
        ("契約の\n解除", "契約の解除", vec![Spacing]),
        ("مـحـكـمـة", "محكمة", vec![CharacterForms]),
        ("שָׁלוֹם", "שלום", vec![CharacterForms]),
        ("10.1MediWound shall pay", "10.1 MediWound shall pay", vec![Spacing]),
        ("see 4.2(b)", "see 4.2 (b)", vec![Spacing]),
        ("ＡＢＣ－2023", "ABC-2023", vec![Dashes, CharacterForms]),
        ("10 m² of x³", "10 m2 of x3", vec![CharacterForms]),
        ("10 km2, 4 cm3 and 2 ft2", "10 km², 4 cm³ and 2 ft²", vec![CharacterForms]),
        ("10 ㎡", "10 m²", vec![CharacterForms]),
        ("The Tenant¹ pays the “Rent”.²³ Then", "The Tenant pays the “Rent”. Then", vec![]),
    ] {
        assert_eq!(same(document, quotation), Some(differs), "{document} | {quotation}");
    }
}

#[test]
fn words_and_punctuation_make_a_difference() {
    for (document, quotation) in [
        ("the rent is due", "the rent was due"),
        ("the Rent", "the rent"),
        ("now here", "nowhere"),
        ("re-sign", "resign"),
        ("due, monthly", "due monthly"),
        ("1,000", "1000"),
        ("1.5 days", "1. 5 days"),
        ("1.5 days", "1 .5 days"),
        ("Section 1. 5 days", "Section 1.5 days"),
        ("30 days", "3 0 days"),
        ("Baden-\nBaden 2020-\n21", "Baden-Baden 202021"),
        ("parties’ rights", "parties rights"),
        ("reliable", "able"),
        ("Muller", "Mueller"),
        ("été", "ete"),
        ("10²", "102"),
        ("10²", "10"),
        ("4 m⁴", "4 m"),
        ("(a + b)²", "(a + b)"),
        ("임대료 청구", "임대료청구"),
    ] {
        assert_eq!(same(document, quotation), None, "{document} | {quotation}");
    }
}

#[test]
fn a_word_of_a_script_without_spaces_may_begin_and_end_anywhere() {
    let found = |document: &str, quotation: &str| {
        let ((chars, symbols), (needle, wanted)) = (row(document), row(quotation));
        let (row, needle) = (Row { chars: &chars, symbols: &symbols }, Row { chars: &needle, symbols: &wanted });
        (0..symbols.len()).any(|at| row.matches(at, &needle, &mut Trail::default()).is_some())
    };
    for (document, quotation) in [
        ("承租人应按月支付租金。", "支付租金"),
        ("本契約の解除は書面による。", "契約の解除"),
        ("代金1,234,567円を支払う", "1,234,567円"),
        ("ผู้เช่าต้องชำระค่าเช่าทุกเดือน", "ชำระค่าเช่า"),
        ("임대료를 지급한다", "임대료"),
    ] {
        assert!(found(document, quotation), "{document} | {quotation}");
    }
    for (document, quotation) in [("a reliable one", "able"), ("代金1,234,567円", "4,567円"), ("ชำรำ", "ชำร")]
    {
        assert!(!found(document, quotation), "{document} | {quotation}");
    }
}

#[test]
fn letters_in_brackets_stand_for_any() {
    let (chars, symbols) = row("All notices agreed upon");
    let (needle, wanted) = row("\u{1}ll notices agree\u{1} upon");
    let mut trail = Trail::default();
    let row = Row { chars: &chars, symbols: &symbols };
    assert!(row.matches(0, &Row { chars: &needle, symbols: &wanted }, &mut trail).is_some());
    assert_eq!(trail.wild, [0..1, 17..18]);
}

#[test]
fn what_is_left_out_is_a_line_break() {
    let chars: Vec<char> = "the exam-\nPage 3\nple is\nPage 4\ndue".chars().collect();
    let symbols = symbols(&chars, &[10..16, 24..30]);
    assert_eq!(symbols.iter().map(|symbol| symbol.c).collect::<String>(), "the exam\u{ad}ple is due");
}

proptest! {
    #[test]
    fn a_text_is_the_same_as_itself_in_other_type(words in prop::collection::vec("[a-zA-Z]{1,8}[,.\"]?", 1..20)) {
        let (plain, broken) = (words.join(" "), words.join("\n  ").replace('"', "”"));
        prop_assert!(same(&broken, &plain).is_some(), "{}", plain);
    }

    #[test]
    fn any_text_gives_symbols_in_order(text in "[a-z0-9 .,\\-\n…“”'‘’*_\u{ad}ﬁ]{0,60}") {
        let (chars, symbols) = row(&text);
        let mut last = 0;
        for symbol in &symbols {
            prop_assert!(symbol.start >= last && symbol.end as usize <= chars.len());
            last = symbol.start;
        }
        if !symbols.is_empty() {
            prop_assert_eq!(same(&text, &text), Some(vec![]), "{:?}", text);
        }
    }
}
