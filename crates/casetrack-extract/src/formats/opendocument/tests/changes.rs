use casetrack_core::{ChangeKind, TextView};

use super::*;

fn info(author: &str) -> String {
    format!(
        "<office:change-info><dc:creator>{author}</dc:creator><dc:date>2024-05-03T09:00:00.5</dc:date></office:change-info>"
    )
}

fn insertion(id: &str) -> String {
    format!(
        "<text:changed-region xml:id='{id}' text:id='{id}'><text:insertion>{}</text:insertion></text:changed-region>",
        info("Ann Lee")
    )
}

fn deletion(id: &str, content: &str) -> String {
    format!(
        "<text:changed-region text:id='{id}'><text:deletion>{}{content}</text:deletion></text:changed-region>",
        info("Bob")
    )
}

fn tracked(regions: &[String]) -> String {
    format!("<text:tracked-changes>{}</text:tracked-changes>", regions.concat())
}

fn start(id: &str) -> String {
    format!("<text:change-start text:change-id='{id}'/>")
}

fn end(id: &str) -> String {
    format!("<text:change-end text:change-id='{id}'/>")
}

fn gone(id: &str) -> String {
    format!("<text:change text:change-id='{id}'/>")
}

fn views(body: &str) -> [String; 3] {
    let page = &extract(body).pages[0];
    [TextView::Final, TextView::Original, TextView::Redline].map(|view| view.of(&page.text, 0, &page.notes.changes))
}

#[test]
fn insertions_and_deletions_stand_where_they_are_marked() {
    let regions = tracked(&[insertion("a"), deletion("b", &p("1,000<text:s/>"))]);
    let body = regions + &p(&format!("Rent is {}{}1,200 {}a month.", gone("b"), start("a"), end("a")));
    assert_eq!(
        views(&body),
        ["Rent is 1,200 a month.", "Rent is 1,000 a month.", "Rent is [-1,000 -][+1,200 +]a month."]
    );
    let found = &extract(&body).pages[0].notes.changes;
    let shown: Vec<_> = found
        .iter()
        .map(|change| {
            (change.kind, change.char_start, change.char_end, change.author.as_deref(), change.date.as_deref())
        })
        .collect();
    let date = Some("2024-05-03T09:00:00");
    assert_eq!(
        shown,
        [(ChangeKind::Deletion, 8, 8, Some("Bob"), date), (ChangeKind::Insertion, 8, 14, Some("Ann Lee"), date)]
    );
}

#[test]
fn changes_go_over_paragraphs() {
    let regions =
        tracked(&[insertion("a"), deletion("b", &(p("Two.") + &p(""))), deletion("c", &(p("") + &p("Five.")))]);
    let body = [
        regions,
        p(&format!("One.{}", start("a"))),
        p(&format!("New.{}", end("a"))),
        p(&format!("{}Three.", gone("b"))),
        p(&format!("Four.{}", gone("c"))),
    ]
    .concat();
    assert_eq!(
        views(&body),
        [
            "One.\nNew.\nThree.\nFour.",
            "One.\nTwo.\nThree.\nFour.\nFive.",
            "One.[+\nNew.+]\n[-Two.\n-]Three.\nFour.[-\nFive.-]",
        ]
    );
    // A whole paragraph, whose own end stays.
    let body = tracked(&[deletion("b", &p("Two."))]) + &p("One.") + &p(&gone("b")) + &p("Three.");
    assert_eq!(views(&body), ["One.\nThree.", "One.\nTwo.\nThree.", "One.[-\nTwo.-]\nThree."]);
    let body =
        tracked(&[insertion("a")]) + &p("One.") + &p(&start("a")) + &p("Two.") + &p(&format!("{}Three.", end("a")));
    assert_eq!(views(&body)[1..], ["One.\nThree.", "One.\n[+Two.\n+]Three."]);
}

#[test]
fn what_was_inserted_and_deleted_is_in_neither_text() {
    let region = deletion("b", &p("draft "))
        .replace("</text:deletion>", &format!("</text:deletion><text:insertion>{}</text:insertion>", info("Ann")));
    let body = tracked(&[region]) + &p(&format!("The {}end.", gone("b")));
    assert_eq!(views(&body), ["The end.", "The end.", "The [-draft -]end."]);
}

#[test]
fn deleted_lists_tables_and_notes_have_their_text_and_count_nothing() {
    let note = "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Old note.</text:p></text:note-body></text:note>";
    let table = format!("<table:table>{}</table:table>", row(&[&cell(&p("a")), &cell(&p("b"))]));
    let items = list("", &[&p("x"), &p(&format!("y{note}"))]);
    let body = tracked(&[deletion("b", &format!("{}{items}{table}{}", p("One."), p("")))])
        + &p(&format!("{}Two.", gone("b")))
        + &p("<text:note><text:note-citation/><text:note-body><text:p>Kept.</text:p></text:note-body></text:note>");
    assert_eq!(views(&body)[..2], ["Two.\n[1]\n[1] Kept.", "One.\nx\ny [note: Old note.]\na\tb\nTwo.\n[1]\n[1] Kept."]);
}

#[test]
fn malformed_changes_lose_no_text() {
    let unpaired = tracked(&[insertion("a"), insertion("b"), deletion("c", &p("gone"))]);
    let body = [
        unpaired,
        p(&format!("{}one{}", start("a"), start("unknown"))),
        p(&format!("two{}{}{}", end("b"), end("unknown"), gone("unknown"))),
        p(&format!("three{}{}", gone("a"), start("b"))),
    ]
    .concat();
    assert_eq!(views(&body), ["one\ntwo\nthree", "one\ntwo\nthree", "one\ntwo\nthree"]);
    let nameless = "<text:tracked-changes><text:changed-region><text:deletion/></text:changed-region><text:changed-region text:id='x'/>\
         </text:tracked-changes>";
    assert_eq!(views(&(nameless.to_owned() + &p(&format!("kept{}", gone("x")))))[2], "kept");
    // Insertions may cross.
    let crossing = tracked(&[insertion("a"), insertion("b")])
        + &p(&format!("{}a{}b{}c{}d", start("a"), start("b"), end("a"), end("b")));
    assert_eq!(views(&crossing)[..2], ["abcd", "d"]);
}
