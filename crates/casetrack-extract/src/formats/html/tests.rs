use std::path::Path;

use casetrack_core::{BlockKind, ErrorCode, FileFormat};

use crate::test_files::{assert_page_invariants, assert_properties};
use crate::{ExtractOptions, Extraction};

fn extract_bytes(bytes: &[u8]) -> Extraction {
    let extraction = crate::extract(Path::new("page.html"), bytes, &ExtractOptions::default()).unwrap();
    assert_eq!(extraction.format, FileFormat::Html);
    extraction.pages.iter().for_each(assert_page_invariants);
    extraction
}

fn blocks(html: &str) -> Vec<(BlockKind, String)> {
    let page = &extract_bytes(html.as_bytes()).pages[0];
    let chars: Vec<char> = page.text.chars().collect();
    let text = |start: u32, end: u32| chars[start as usize..end as usize].iter().collect();
    page.blocks.iter().map(|block| (block.kind.clone(), text(block.char_start, block.char_end))).collect()
}

fn texts(html: &str) -> Vec<String> {
    blocks(html).into_iter().map(|(_, text)| text).collect()
}

#[test]
fn what_is_shown_is_read_and_nothing_else() {
    let html = "<!DOCTYPE html><head><title>Lease &amp; rent</title><style>p{}</style></head><body>
        <h1>Lease <em>of</em><br>land</h1><p>R&eacute;sum&#233; &lt;b&gt;
        of\ta&shy;greements<p hidden>gone<p>kept<script>if (a<b) '<p>no'</script><!-- no -->
        <div style='color:red; display : none'>no<div>no</div>no</div><span hidden>no</span> on
        <ul><li style='display:none'>no<ul><li>no</li></ul><li>item</ul>
        <p>line<br>next<br><br>apart</p><pre>a\n  b\n\nc</pre><input hidden><svg><title>no</title></svg>";
    let expected = [
        (BlockKind::Heading { level: 1 }, "Lease of land"),
        (BlockKind::Paragraph, "Résumé <b> of agreements"),
        (BlockKind::Paragraph, "kept"),
        (BlockKind::Paragraph, "on"),
        (BlockKind::ListItem, "• item"),
        (BlockKind::Paragraph, "line\nnext"),
        (BlockKind::Paragraph, "apart"),
        (BlockKind::Paragraph, "a\n  b\n\nc"),
    ];
    assert_eq!(blocks(html), expected.map(|(kind, text)| (kind, text.to_owned())));
    assert_eq!(extract_bytes(html.as_bytes()).title.as_deref(), Some("Lease & rent"));
}

#[test]
fn author_and_language_are_those_of_the_page() {
    let html = "<!DOCTYPE html><html lang='de-AT'><meta name=Author content='Ann  &amp; Bob'><body><p lang=en>text";
    assert_properties(&extract_bytes(html.as_bytes()), ["Ann & Bob", "", "", "de-AT"]);
    assert_properties(&extract_bytes(b"<html lang=''><meta name=author><p>text"), ["", "", "", ""]);
}

#[test]
fn lists_are_numbered_as_they_are_shown() {
    let html = "<html><ol start=3><li>three<ol type=a><li>a<li><p>b</p><p>more</p></ol><li value=9>nine<li>ten</ol>\
                <dl><dt>Term<dd>May</dl><li>stray";
    assert_eq!(texts(html), ["3. three", "a. a", "b. b", "more", "9. nine", "10. ten", "Term", "May", "• stray"]);
}

#[test]
fn table_rows_are_blocks() {
    let html = "<html><table><caption>Rent</caption><thead><tr><th>Item<th>Due<th>Cost</thead>\
                <tr><td rowspan=2>Office<td>May<td>7<tr><td>June<td><p>8</p><p>9</p></table><p>after";
    let row = |row, first_column, header| BlockKind::TableRow { table: 0, row, first_column, last_column: 3, header };
    let expected = [
        (BlockKind::Paragraph, "Rent"),
        (row(1, 1, true), "Item\tDue\tCost"),
        (row(2, 1, false), "Office\tMay\t7"),
        (row(3, 2, false), "June\t8 9"),
        (BlockKind::Paragraph, "after"),
    ];
    assert_eq!(blocks(html), expected.map(|(kind, text)| (kind, text.to_owned())));
}

#[test]
fn tables_that_arrange_text_are_read_as_text() {
    let html = "<html><table><tr><td><h2>Left</h2>text</td><td>right<table><tr><td>a<td>1<tr><td>b<td>2</table></td></table>\
                <table><tr><td>framed</table>";
    assert_eq!(texts(html), ["Left", "text", "right", "a\t1", "b\t2", "framed"]);
}

#[test]
fn the_encoding_is_found() {
    let german = encoding_rs::WINDOWS_1252.encode("<html><meta charset=iso-8859-1><p>für").0.into_owned();
    assert_eq!(extract_bytes(&german).pages[0].text, "für");
    let russian =
        encoding_rs::KOI8_R.encode("<html><meta content='text/html; charset=KOI8-R'><p>договор").0.into_owned();
    assert_eq!(extract_bytes(&russian).pages[0].text, "договор");
    assert_eq!(extract_bytes("<html><meta charset=iso-8859-1><p>für".as_bytes()).pages[0].text, "für");
    let utf16: Vec<u8> = "\u{FEFF}<html><p>für".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(extract_bytes(&utf16).pages[0].text, "für");
}

#[test]
fn hostile_pages_are_read_in_linear_time() {
    for piece in
        ["<div>", "<table><tr><td>", "<b>", "<ul><li>", "</p></x>", "<td colspan=99999 rowspan=99999>", "<p hidden>"]
    {
        let html = format!("<html><p>start</p>{}<h2>end", piece.repeat(100_000));
        assert!(texts(&html).iter().any(|text| text == "start"), "{piece}");
    }
    assert_eq!(texts("<html>text<p"), ["text"]);
    let error = crate::extract(Path::new("a.html"), b"<html><script>only", &ExtractOptions::default()).unwrap_err();
    assert_eq!(error.code, ErrorCode::EmptyFile);
}
