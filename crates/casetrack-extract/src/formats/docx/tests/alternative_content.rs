use super::*;

fn around(target: &str, part: &[u8]) -> Vec<u8> {
    let relationships = format!(
        "<Relationships><Relationship Id='c1' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk' \
         Target='{target}'/></Relationships>"
    );
    let body = document(&[p("Before."), "<w:altChunk r:id='c1'/>".to_owned(), p("After.")].concat());
    docx_with(
        body.as_bytes(),
        &[("word/_rels/document.xml.rels", relationships.as_bytes()), (&format!("word/{target}"), part)],
    )
}

fn read(target: &str, part: &[u8]) -> Extraction {
    let extraction =
        crate::extract(Path::new("lease.docx"), &around(target, part), &ExtractOptions::default()).unwrap();
    extraction.pages.iter().for_each(assert_page_invariants);
    extraction
}

#[test]
fn documents_that_are_put_in_are_read_at_their_place() {
    let html = "<html><body><h1>Annex</h1><p>The rent is &euro; 500.</p></body></html>";
    let archive = format!(
        "MIME-Version: 1.0\r\nSubject: saved\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: \
         text/html\r\n\r\n{html}\r\n--b--\r\n"
    );
    for (target, part, expected) in [
        ("afchunk1.htm", html.as_bytes().to_vec(), "Annex\nThe rent is € 500."),
        ("afchunk1.mht", archive.into_bytes(), "Annex\nThe rent is € 500."),
        ("afchunk1.rtf", b"{\\rtf1 The rent is due.\\par On Friday.}".to_vec(), "The rent is due.\nOn Friday."),
        ("afchunk1.txt", b"The rent is due.".to_vec(), "The rent is due."),
        ("afchunk1.docx", docx_of(document(&p("The rent is due.")).as_bytes()), "The rent is due."),
    ] {
        let extraction = read(target, &part);
        assert_eq!(extraction.pages[0].text, format!("Before.\n{expected}\nAfter."), "{target}");
        assert!(extraction.attachments.is_empty() && extraction.warnings.is_empty(), "{:?}", extraction.warnings);
    }
}

#[test]
fn tables_of_documents_that_are_put_in_stay_tables() {
    let table = "<html><body><table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table></body></html>";
    let extraction = read("t.html", table.as_bytes());
    let rows: Vec<u32> = extraction.pages[0]
        .blocks
        .iter()
        .filter_map(|block| match block.kind {
            BlockKind::TableRow { row, .. } => Some(row),
            _ => None,
        })
        .collect();
    assert_eq!(rows, [1, 2]);
}

#[test]
fn what_cannot_be_read_is_said_and_nesting_is_bounded() {
    let extraction = read("afchunk1.bin", b"\x01\x02\0\x03");
    assert_eq!(extraction.pages[0].text, "Before.\nAfter.");
    assert!(
        extraction.warnings[0].starts_with("A document that is put in here is missing. afchunk1.bin"),
        "{:?}",
        extraction.warnings
    );
    let mut nested = docx_of(document(&p("Deepest.")).as_bytes());
    for _ in 0..4 {
        nested = around("inner.docx", &nested);
    }
    let deep = crate::extract(Path::new("a.docx"), &nested, &ExtractOptions::default()).unwrap();
    assert!(deep.pages[0].text.contains("Deepest.") && deep.warnings.is_empty(), "{:?}", deep.warnings);
    let deeper =
        crate::extract(Path::new("a.docx"), &around("inner.docx", &nested), &ExtractOptions::default()).unwrap();
    assert!(!deeper.pages[0].text.contains("Deepest."));
    assert!(
        deeper.warnings.iter().any(|warning| warning.contains("were not read: at most 200")),
        "{:?}",
        deeper.warnings
    );
}
