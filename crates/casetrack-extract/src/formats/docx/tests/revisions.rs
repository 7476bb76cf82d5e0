//! Tracked changes: the three views, who and when, and where.

use casetrack_core::{Change, ChangeKind, TextView};
use proptest::prelude::*;

use super::*;

const ANN: &str = "w:id='1' w:author='Ann  Lee' w:date='2024-05-03T09:00:00Z'";
const BOB: &str = "w:id='2' w:author='Bob' w:date='2024-05-04T10:00:00Z'";

fn r(text: &str) -> String {
    format!("<w:r><w:t xml:space='preserve'>{text}</w:t></w:r>")
}

fn ins(by: &str, content: &str) -> String {
    format!("<w:ins {by}>{content}</w:ins>")
}

fn del(by: &str, text: &str) -> String {
    format!("<w:del {by}><w:r><w:delText xml:space='preserve'>{text}</w:delText></w:r></w:del>")
}

fn marked(mark: &str, content: &str) -> String {
    format!("<w:p><w:pPr><w:rPr>{mark}</w:rPr></w:pPr>{content}</w:p>")
}

fn plain(content: &str) -> String {
    format!("<w:p>{content}</w:p>")
}

fn item(mark: &str, content: &str) -> String {
    format!(
        "<w:p><w:pPr><w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr><w:rPr>{mark}</w:rPr></w:pPr>{content}</w:p>"
    )
}

fn views(extraction: &Extraction) -> [String; 3] {
    [TextView::Final, TextView::Original, TextView::Redline].map(|view| {
        let pages = extraction.pages.iter().map(|page| view.of(&page.text, 0, &page.notes.changes));
        pages.collect::<Vec<_>>().join("\u{c}")
    })
}

fn views_of(body: &str) -> [String; 3] {
    views(&extract(body))
}

fn changes(body: &str) -> Vec<Change> {
    extract(body).pages.into_iter().flat_map(|page| page.notes.changes).collect()
}

#[test]
fn runs_that_were_inserted_and_deleted_have_author_date_and_place() {
    let body = plain(
        &[
            r("Rent is "),
            del(ANN, "1,000"),
            ins(ANN, &r("1,200")),
            r(" a "),
            del(BOB, "year"),
            ins(BOB, &r("month")),
            r("."),
        ]
        .concat(),
    );
    assert_eq!(
        views_of(&body),
        ["Rent is 1,200 a month.", "Rent is 1,000 a year.", "Rent is [-1,000-][+1,200+] a [-year-][+month+]."]
    );
    let found = changes(&body);
    let shown: Vec<_> =
        found.iter().map(|change| (change.kind, change.char_start, change.char_end, &*change.text)).collect();
    assert_eq!(
        shown,
        [
            (ChangeKind::Deletion, 8, 8, "1,000"),
            (ChangeKind::Insertion, 8, 13, ""),
            (ChangeKind::Deletion, 16, 16, "year"),
            (ChangeKind::Insertion, 16, 21, ""),
        ]
    );
    let stamp = |change: &Change| (change.author.clone().unwrap(), change.date.clone().unwrap());
    assert_eq!(stamp(&found[0]), ("Ann Lee".to_owned(), "2024-05-03T09:00:00Z".to_owned()));
    assert_eq!(stamp(&found[3]), ("Bob".to_owned(), "2024-05-04T10:00:00Z".to_owned()));
}

#[test]
fn neighbouring_changes_of_one_author_and_date_are_one() {
    let body =
        plain(&[del(ANN, "a"), del(ANN, "b"), del(BOB, "c"), ins(ANN, &r("d")), ins(ANN, &r("e")), r("f")].concat());
    let shown: Vec<_> = changes(&body).iter().map(|change| (change.char_end, change.text.clone())).collect();
    assert_eq!(shown, [(0, "ab".to_owned()), (0, "c".to_owned()), (2, String::new())]);
}

#[test]
fn paragraphs_whose_marks_were_deleted_are_one() {
    let mark = format!("<w:del {ANN}/>");
    let body = [plain(&r("One.")), marked(&mark, &r("Two, ")), plain(&r("three.")), plain(&r("Four."))].concat();
    assert_eq!(
        views_of(&body),
        ["One.\nTwo, three.\nFour.", "One.\nTwo, \nthree.\nFour.", "One.\nTwo, [-\n-]three.\nFour."]
    );
    // A whole paragraph, with its label, which the others do not count.
    let body = [item("", &r("Rent")), item(&mark, &del(ANN, "Garage")), item("", &r("Deposit"))].concat();
    assert_eq!(
        views_of(&body),
        ["4. Rent\n5. Deposit", "4. Rent\n5. Garage\nDeposit", "4. Rent\n5. [-Garage\n-]Deposit"]
    );
}

#[test]
fn a_deleted_paragraph_whose_mark_stays_is_a_line_of_the_original() {
    let body = [plain(&r("One.")), plain(&del(ANN, "Two.")), plain(&r("Three."))].concat();
    assert_eq!(views_of(&body), ["One.\nThree.", "One.\nTwo.\nThree.", "One.[-\nTwo.-]\nThree."]);
    let body = [plain(&del(ANN, "One.")), plain(&r("Two."))].concat();
    assert_eq!(views_of(&body), ["Two.", "One.\nTwo.", "[-One.\n-]Two."]);
    // At the end of a list, and of the document.
    let mark = format!("<w:del {ANN}/>");
    let body = [plain(&r("One.")), marked(&mark, &del(ANN, "Two."))].concat();
    assert_eq!(views_of(&body), ["One.", "One.\nTwo.", "One.[-\nTwo.-]"]);
}

#[test]
fn paragraphs_that_were_inserted_come_with_their_line_and_label() {
    let mark = format!("<w:ins {ANN}/>");
    let new = ins(ANN, &r("Garage"));
    let whole = [item("", &r("Rent")), item(&mark, &new), item("", &r("Deposit"))].concat();
    assert_eq!(
        views_of(&whole),
        ["4. Rent\n5. Garage\n6. Deposit", "4. Rent\n6. Deposit", "4. Rent\n[+5. Garage\n+]6. Deposit"]
    );
    assert_eq!(changes(&whole).len(), 1);
    // As Word writes it when an author continues behind the end of a paragraph.
    let behind = [item(&mark, &r("Rent")), item("", &new), plain(&r("End"))].concat();
    assert_eq!(views_of(&behind), ["4. Rent\n5. Garage\nEnd", "4. Rent\nEnd", "4. Rent[+\n5. Garage+]\nEnd"]);
    let split = [item(&mark, &r("Rent, ")), item("", &r("and more"))].concat();
    assert_eq!(views_of(&split)[1], "4. Rent,and more");
}

#[test]
fn moves_are_told_from_insertions_and_deletions() {
    let body = plain(&format!(
        "<w:moveFromRangeStart w:id='9' w:name='m'/><w:moveFrom {ANN}>{}</w:moveFrom><w:moveFromRangeEnd w:id='9'/>{}\
         <w:moveToRangeStart w:id='8' w:name='m'/><w:moveTo {ANN}>{}</w:moveTo><w:moveToRangeEnd w:id='8'/>",
        r("First. "),
        r("Second."),
        r(" First.")
    ));
    assert_eq!(views_of(&body), ["Second. First.", "First. Second.", "[<First. <]Second.[> First.>]"]);
    let kinds: Vec<ChangeKind> = changes(&body).iter().map(|change| change.kind).collect();
    assert_eq!(kinds, [ChangeKind::MoveFrom, ChangeKind::MoveTo]);
}

#[test]
fn what_was_inserted_and_deleted_is_in_neither_text() {
    let nested = ins(ANN, &[r("new "), del(BOB, "draft "), r("words")].concat());
    let body = plain(&[r("The "), nested, r(".")].concat());
    assert_eq!(views_of(&body), ["The new words.", "The .", "The [+new [-draft -]words+]."]);
    let found = changes(&body);
    let deletion = found.iter().find(|change| change.kind == ChangeKind::Deletion).unwrap();
    assert!(deletion.of_insertion && deletion.author.as_deref() == Some("Bob"));
    let other_way = format!("<w:p>{}<w:del {BOB}>{}</w:del></w:p>", r("The"), ins(ANN, &r(" draft")));
    assert_eq!(views_of(&other_way)[..2], ["The", "The"]);
}

#[test]
fn rows_and_cells_of_tables_have_changes() {
    let cell = |content: &str| format!("<w:tc>{}</w:tc>", plain(content));
    let row =
        |properties: &str, cells: &[String]| format!("<w:tr><w:trPr>{properties}</w:trPr>{}</w:tr>", cells.concat());
    let tracked = |name: &str| format!("<w:{name} {ANN}/>");
    let body = format!(
        "<w:tbl>{}{}{}{}</w:tbl>",
        row("", &[cell(&r("Rent")), cell(&[del(BOB, "1,000"), ins(BOB, &r("1,200"))].concat()), cell(&r("EUR"))]),
        row(&tracked("del"), &[cell(&del(ANN, "Garage")), cell(&del(ANN, "50"))]),
        row(&tracked("ins"), &[cell(&ins(ANN, &r("Heat"))), cell(&ins(ANN, &r("70"))), cell("")]),
        row("", &[cell(&r("Sum")), cell(&del(BOB, "1,050")), cell(&r("EUR"))]),
    );
    assert_eq!(
        views_of(&body),
        [
            "Rent\t1,200\tEUR\nHeat\t70\nSum\t\tEUR",
            "Rent\t1,000\tEUR\nGarage\t50\nSum\t1,050\tEUR",
            "Rent\t[-1,000-][+1,200+]\tEUR[-\nGarage\t50-]\n[+Heat\t70\n+]Sum\t[-1,050-]\tEUR",
        ]
    );
    let rows: Vec<u32> = extract(&body).pages[0]
        .blocks
        .iter()
        .map(|block| match block.kind {
            BlockKind::TableRow { row, .. } => row,
            _ => 0,
        })
        .collect();
    assert_eq!(rows, [1, 2, 3]);
    let first = format!(
        "<w:tbl>{}{}</w:tbl>",
        row(&tracked("del"), &[cell(&del(ANN, "a")), cell(&del(ANN, "b"))]),
        row("", &[cell(&r("c")), cell(&r("d"))])
    );
    assert_eq!(views_of(&first), ["c\td", "a\tb\nc\td", "[-a\tb\n-]c\td"]);
    let ends = format!("<w:tbl>{}</w:tbl>", row("", &[cell(&del(ANN, "1")), cell(&r("2")), cell(&del(ANN, "3"))]));
    assert_eq!(views_of(&ends), ["2", "1\t2\t3", "[-1\t-]2[-\t3-]"]);
}

#[test]
fn notes_and_margins_have_changes() {
    let notes = format!(
        "<w:footnotes><w:footnote w:id='7'>{}</w:footnote><w:footnote w:id='8'>{}</w:footnote></w:footnotes>",
        plain(&[r("As "), del(ANN, "made"), ins(ANN, &r("amended"))].concat()),
        plain(&del(BOB, "Old note."))
    );
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let related = format!(
        "<Relationships><Relationship Id='rId5' Type='{kind}/header' Target='header1.xml'/>\
         <Relationship Id='rId6' Type='{kind}/footnotes' Target='notes.xml'/></Relationships>"
    );
    let header = format!("<w:hdr>{}</w:hdr>", plain(&[r("Draft "), del(ANN, "1"), ins(ANN, &r("2"))].concat()));
    let body = format!(
        "<w:p>{}<w:r><w:footnoteReference w:id='7'/></w:r><w:del {BOB}><w:r><w:delText> gone</w:delText>\
         <w:footnoteReference w:id='8'/></w:r></w:del>{}</w:p>",
        r("Rent"),
        r(" is due.")
    );
    let parts: [(&str, &[u8]); 3] = [
        ("word/_rels/document.xml.rels", related.as_bytes()),
        ("word/header1.xml", header.as_bytes()),
        ("word/notes.xml", notes.as_bytes()),
    ];
    let bytes = docx_with(document(&body).as_bytes(), &parts);
    let extraction = crate::extract(Path::new("lease.docx"), &bytes, &ExtractOptions::default()).unwrap();
    assert_eq!(
        views(&extraction),
        [
            "Rent[1] is due.\n[1] As amended\nHeader: Draft 2",
            "Rent[1] gone [note: Old note.] is due.\n[1] As made\nHeader: Draft 1",
            "Rent[1][- gone [note: Old note.]-] is due.\n[1] As [-made-][+amended+]\nHeader: Draft [-1-][+2+]",
        ]
    );
}

#[test]
fn changes_over_pages_are_those_of_each_page() {
    let page = "<w:r><w:br w:type='page'/></w:r>";
    let body = plain(&[r("a"), ins(ANN, &[r("b"), page.to_owned(), r("c")].concat()), del(BOB, "x"), r("d")].concat());
    let extraction = extract(&body);
    assert_eq!(extraction.pages.len(), 2);
    assert_eq!(views(&extraction), ["ab\u{c}cd", "a\u{c}xd", "a[+b+]\u{c}[+c+][-x-]d"]);
    // Deleted breaks make no page.
    let body = plain(&[r("a"), page.to_owned(), del(BOB, "x")].concat());
    let extraction = extract(&body);
    assert_eq!((extraction.pages.len(), &*views(&extraction)[1]), (1, "a\nx"));
}

#[test]
fn malformed_changes_lose_no_text() {
    for body in [
        "<w:p><w:moveFromRangeStart/><w:r><w:t>kept</w:t></w:r></w:p>",
        "<w:p><w:ins><w:r><w:t>kept</w:t></w:r></w:ins></w:p>",
        "<w:p><w:ins w:author='' w:date='yesterday'><w:r><w:t>kept</w:t></w:r></w:ins></w:p>",
        "<w:p><w:pPr><w:rPr><w:ins/><w:del/></w:rPr></w:pPr><w:r><w:t>kept</w:t></w:r></w:p>",
        "<w:p><w:r><w:delText>x</w:delText><w:t>kept</w:t></w:r></w:p>",
        "<w:del><w:p><w:r><w:t>x</w:t></w:r></w:p></w:del><w:p><w:r><w:t>kept</w:t></w:r></w:p>",
        "<w:p><w:ins><w:ins><w:r><w:t>kept</w:t></w:r></w:ins></w:ins></w:p>",
        "<w:p><w:del><w:del><w:r><w:delText>x</w:delText></w:r></w:del></w:del><w:r><w:t>kept</w:t></w:r></w:p>",
    ] {
        assert_eq!(extract(body).pages[0].text, "kept", "{body}");
        let has_deletion = body.contains('x') && body.contains("del");
        assert_eq!(views_of(body)[2].contains("x"), has_deletion && body.contains(">x<"), "{body}");
    }
    let nobody = &changes("<w:p><w:ins w:author='' w:date='yesterday'><w:r><w:t>kept</w:t></w:r></w:ins></w:p>")[0];
    assert_eq!((&nobody.author, &nobody.date), (&None, &None));
    // Text that was complete before damage is kept, though it was to continue in the damaged paragraph.
    let mark = format!("<w:del {ANN}/>");
    let whole = document(&(marked(&mark, &r("first, ")) + &plain(&r("second"))));
    let cut = &whole[..whole.find("second").unwrap()];
    let extraction = crate::extract(Path::new("a.docx"), &docx_of(cut.as_bytes()), &ExtractOptions::default()).unwrap();
    assert_eq!(extraction.pages[0].text, "first,");
}

#[test]
fn reserved_characters_of_the_file_are_no_marks() {
    let body = plain(&[ins(ANN, &r("a")), r("&#16;e0&#17;b&#16;s0&#17;")].concat());
    let [end, original, _] = views_of(&body);
    assert_eq!((end.matches(char::is_alphanumeric).count(), original.contains('b')), (6, true));
}

#[test]
fn the_number_of_changes_is_bounded_and_no_text_is_lost() {
    let body = plain(&[ins(ANN, &r("a")), ins(BOB, &r("b"))].concat().repeat(25_001));
    let extraction = extract(&body);
    assert_eq!(extraction.pages[0].text.len(), 50_002);
    assert_eq!(extraction.pages[0].notes.changes.len(), 50_000);
    assert!(
        extraction.warnings.iter().any(|warning| warning.contains("50000 tracked changes")),
        "{:?}",
        extraction.warnings
    );
    let long = plain(&[r("kept"), del(ANN, &"x".repeat(4_000_001))].concat());
    let extraction = extract(&long);
    assert_eq!((&*extraction.pages[0].text, extraction.pages[0].notes.changes.len()), ("kept", 0));
}

/// Paragraphs of runs, each with its kind.
fn content() -> impl Strategy<Value = Vec<Vec<(u8, String)>>> {
    prop::collection::vec(prop::collection::vec((0u8..5, "[a-z]{1,3}"), 1..5), 1..5)
}

proptest! {
    #[test]
    fn the_final_text_and_the_original_are_those_of_the_file(paragraphs in content()) {
        let (mut body, mut end, mut original) = (String::new(), String::new(), String::new());
        for runs in &paragraphs {
            let mut content = String::new();
            for (kind, text) in runs {
                let (xml, is_final, is_original) = match kind {
                    0 => (ins(ANN, &r(text)), true, false),
                    1 => (del(BOB, text), false, true),
                    2 => (ins(ANN, &del(BOB, text)), false, false),
                    _ => (r(text), true, true),
                };
                content.push_str(&xml);
                if is_final { end.push_str(text); }
                if is_original { original.push_str(text); }
            }
            // A stop, so that no paragraph is empty in either text.
            body.push_str(&plain(&(content + &r("."))));
            end.push_str(".\n");
            original.push_str(".\n");
        }
        let [shown, before, redline] = views_of(&body);
        prop_assert_eq!(&shown, end.trim_end());
        prop_assert_eq!(&before, original.trim_end());
        prop_assert!(redline.len() >= shown.len());
    }

    #[test]
    fn any_mixture_of_changes_keeps_every_run(pieces in prop::collection::vec(0usize..9, 0..12)) {
        let parts = ["<w:ins>", "</w:ins>", "<w:del>", "</w:del>", "<w:moveTo>", "</w:moveTo>", "<w:p>", "</w:p>", "<w:r><w:t>k</w:t></w:r>"];
        let body: String = pieces.iter().map(|piece| parts[*piece]).collect();
        let bytes = docx_of(document(&(plain(&r("start")) + &body)).as_bytes());
        let extraction = crate::extract(Path::new("a.docx"), &bytes, &ExtractOptions::default()).unwrap();
        extraction.pages.iter().for_each(assert_page_invariants);
        prop_assert!(extraction.pages[0].text.starts_with("start"));
    }
}

#[test]
fn cells_that_were_inserted_and_deleted_are_changes() {
    let cell = |change: &str, content: &str| format!("<w:tc><w:tcPr>{change}</w:tcPr>{}</w:tc>", plain(content));
    let tracked = |name: &str, by: &str| format!("<w:{name} {by}/>");
    let body = format!(
        "<w:tbl><w:tr>{}{}{}{}</w:tr></w:tbl>",
        cell("", &r("Rent")),
        cell(&tracked("cellDel", ANN), &r("1,000")),
        cell(&tracked("cellIns", BOB), &ins(BOB, &r("1,200"))),
        cell(&tracked("cellDel", ANN), &del(ANN, "EUR")),
    );
    assert_eq!(views_of(&body), ["Rent\t\t1,200", "Rent\t1,000\t\tEUR", "Rent\t[-1,000-]\t[+1,200+][-\tEUR-]"]);
    assert_eq!(changes(&body).len(), 3);
    // In a row that was inserted, and then deleted.
    let row = format!(
        "<w:tbl><w:tr><w:trPr>{}</w:trPr>{}</w:tr></w:tbl>",
        tracked("ins", ANN),
        cell(&tracked("cellIns", ANN), &r("Fee"))
    );
    assert_eq!(views_of(&format!("{}{row}", plain(&r("Rent"))))[1].trim_end(), "Rent");
    assert_eq!(changes(&row).len(), 1);
}

#[test]
fn changes_of_formatting_and_merged_cells_are_counted() {
    let body = "<w:p><w:pPr><w:pPrChange w:id='1' w:author='Ann'><w:pPr/></w:pPrChange></w:pPr><w:r><w:rPr><w:b/><w:rPrChange w:id='2' \
                w:author='Bob'><w:rPr><w:vanish/></w:rPr></w:rPrChange></w:rPr><w:t>Rent</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:tcPr>\
                <w:cellMerge w:id='3' w:author='Ann' w:vMerge='rest'/></w:tcPr><w:p><w:r><w:t>Fee</w:t></w:r></w:p></w:tc></w:tr></w:tbl>";
    let extraction = extract(body);
    assert_eq!(extraction.pages[0].text, "Rent\nFee");
    assert_eq!(
        extraction.warnings,
        [
            "Tracked changes that are not listed: 2 of formatting (by Ann, Bob), 1 of merged table cells (by Ann). The text is as if they were accepted."
        ]
    );
}
