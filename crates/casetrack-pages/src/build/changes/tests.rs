use casetrack_core::{BlockKind, ExtractionMethod, FileFormat, TextView};
use proptest::prelude::*;

use super::*;
use crate::build::DocumentBuilder;
use crate::test_files::assert_page_invariants;

fn stamp() -> Stamp {
    Stamp::new(Some("Ann"), None)
}

fn built(build: impl FnOnce(&mut DocumentBuilder)) -> Vec<Page> {
    let mut document = DocumentBuilder::new(1_000_000);
    build(&mut document);
    let pages = document.finish(FileFormat::Docx).pages;
    pages.iter().for_each(assert_page_invariants);
    pages
}

fn views(page: &Page) -> [String; 3] {
    [TextView::Final, TextView::Original, TextView::Redline].map(|view| view.of(&page.text, 0, &page.notes.changes))
}

fn deletion(document: &mut DocumentBuilder, text: &str) -> String {
    gone(document.changes().deletion(ChangeKind::Deletion, &stamp(), text.to_owned(), false).unwrap())
}

fn insertion(document: &mut DocumentBuilder, text: &str) -> String {
    let id = document.changes().insertion(ChangeKind::Insertion, &stamp()).unwrap();
    start(id) + text + &end(id)
}

#[test]
fn white_space_that_is_not_on_the_page_is_in_the_original() {
    let pages = built(|document| {
        let (a, b) = (deletion(document, "old"), deletion(document, "last"));
        document.push_block(BlockKind::Paragraph, &format!("{a} rent {b}")).unwrap();
    });
    assert_eq!(views(&pages[0]), ["rent", "old rent last", "[-old -]rent[- last-]"]);
}

#[test]
fn an_insertion_goes_on_over_blocks_and_pages_but_not_over_notes() {
    let pages = built(|document| {
        document.start_page(ExtractionMethod::Native, None);
        let id = document.changes().insertion(ChangeKind::Insertion, &stamp()).unwrap();
        document.push_block(BlockKind::Paragraph, &format!("a {}b", start(id))).unwrap();
        document.push_block(BlockKind::Paragraph, "c").unwrap();
        document.end_text();
        document.push_block(BlockKind::Paragraph, "[1] note").unwrap();
        document.start_page(ExtractionMethod::Native, None);
        document.push_block(BlockKind::Paragraph, &format!("d{} e", end(id))).unwrap();
    });
    assert_eq!(views(&pages[0])[2], "a [+b\nc+]\n[1] note");
    assert_eq!(views(&pages[1])[2], "[+d+] e");
}

#[test]
fn an_insertion_without_end_is_none() {
    let pages = built(|document| {
        let id = document.changes().insertion(ChangeKind::Insertion, &stamp()).unwrap();
        document.push_block(BlockKind::Paragraph, &format!("a{}", end(id))).unwrap();
        document.push_block(BlockKind::Paragraph, &format!("{}{}", start(id), end(id))).unwrap();
    });
    assert_eq!((&*pages[0].text, pages[0].notes.changes.len()), ("a", 0));
}

#[test]
fn white_space_is_folded_around_marks() {
    let (a, b) = (gone(ChangeId(0)), start(ChangeId(1)));
    let before = after_gap(&a, Gap::Space);
    let after = before_gap(&a, Gap::Space);
    for (text, folded) in [
        (format!("the {a} rent"), format!("the{before} rent")),
        (format!("the {a}rent"), format!("the {a}rent")),
        (format!("the{a}  rent"), format!("the{a} rent")),
        (format!(" {a} rent"), format!("{after}rent")),
        (format!("rent {a} "), format!("rent{before}")),
        (format!("the {b}new"), format!("the {b}new")),
        (format!(" {a} "), a.clone()),
        (" a \n b ".to_owned(), "a b".to_owned()),
    ] {
        assert_eq!(fold(&text), folded);
        assert_eq!(plain(&folded).trim(), plain(&text).split_whitespace().collect::<Vec<_>>().join(" "));
    }
}

#[test]
fn only_whole_marks_are_marks() {
    let mark = after_gap(&gone(ChangeId(12)), Gap::Line);
    assert!(is_blank(&mark) && plain(&mark).is_empty());
    for text in
        ["\x10", "\x10\x11", "\x10g\x11", "\x10g1<\x11", "\x10g1x\x11", "\x10q1\x11", "\x10s99999999999\x11", "\x10s1"]
    {
        assert_eq!(plain(text), text);
    }
    // A document without changes has no marks, whatever its text.
    let pages = built(|document| document.push_block(BlockKind::Paragraph, "a\x10s0\x11b").unwrap());
    assert_eq!(pages[0].text, "a\x10s0\x11b");
    let mut text = format!("a{}", inserted_break(ChangeId(3)));
    trim_break(&mut text);
    assert_eq!(text, "a");
}

proptest! {
    #[test]
    fn folding_is_that_of_the_text_without_marks(pieces in prop::collection::vec(0usize..6, 0..20)) {
        let marks = [gone(ChangeId(0)), start(ChangeId(1)), end(ChangeId(1)), inserted_break(ChangeId(2)), " ".to_owned(), "word".to_owned()];
        let text: String = pieces.iter().map(|piece| marks[*piece].as_str()).collect();
        let folded = fold(&text);
        prop_assert_eq!(plain(&folded), plain(&text).split_whitespace().collect::<Vec<_>>().join(" "));
        let count = |text: &str| Pieces(text).filter(|piece| matches!(piece, Piece::Mark(..))).count();
        prop_assert_eq!(count(&folded), count(&text));
    }

    #[test]
    fn a_page_has_the_text_without_marks(
        blocks in prop::collection::vec(prop::collection::vec((0u8..4, "[a-z ]{0,4}"), 0..5), 0..6),
    ) {
        let mut expected = Vec::new();
        let pages = built(|document| {
            document.start_page(ExtractionMethod::Native, None);
            for block in &blocks {
                let (mut marked, mut plain) = (String::new(), String::new());
                for (kind, text) in block {
                    match kind {
                        0 if !text.is_empty() => marked.push_str(&deletion(document, text)),
                        1 => {
                            marked.push_str(&insertion(document, text));
                            plain.push_str(text);
                        }
                        _ => {
                            marked.push_str(text);
                            plain.push_str(text);
                        }
                    }
                }
                document.push_block(BlockKind::Paragraph, &marked).unwrap();
                expected.push(plain.trim().to_owned());
            }
        });
        expected.retain(|text| !text.is_empty());
        prop_assert_eq!(&pages[0].text, &expected.join("\n"));
        let changes = &pages[0].notes.changes;
        prop_assert!(changes.windows(2).all(|pair| pair[0].char_start <= pair[1].char_start));
        let length = pages[0].text.chars().count() as u32;
        prop_assert!(changes.iter().all(|change| change.char_end <= length));
    }
}
