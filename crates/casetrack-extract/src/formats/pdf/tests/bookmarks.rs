use casetrack_core::BlockKind;

use super::extract;
use crate::test_files::pdf_file_of;

/// A page whose lines follow each other closely, in print of one size.
fn page(lines: &[&str]) -> String {
    let shown: Vec<String> = (0..)
        .zip(lines)
        .map(|(number, line)| format!("BT /F1 12 Tf 72 {} Td ({line}) Tj ET", 700 - 14 * number))
        .collect();
    let content = shown.join("\n");
    format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len())
}

#[test]
fn bookmarks_are_headings_where_their_titles_are_printed() {
    let page_of = |content: u32| {
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {content} 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
        )
    };
    let bookmark = |title: &str, page: u32, links: &str| {
        format!("<< /Title ({title}) /Parent 10 0 R /Dest [{page} 0 R /XYZ 72 700 0] {links} >>")
    };
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R /Outlines 10 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [6 0 R 8 0 R] /Count 2 >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        "null".to_owned(),
        "<< >>".to_owned(),
        page_of(7),
        page(&[
            "Contents",
            "Duties of the keeper",
            "The keeper of the lighthouse trims the lamp every evening and writes into the log",
            "what ships were seen, from where they came, and whether the horn was sounded.",
        ]),
        page_of(9),
        page(&[
            "Duties of the keeper, of those who stand in for him, and of all who visit the tower",
            "The keeper of the lighthouse trims the lamp every evening and writes into the log",
            "what ships were seen, from where they came, and whether the horn was sounded.",
            "1.2 The log",
            "The log is kept in ink, on paper that does not run, and shown to nobody but the",
            "inspector, who signs it at the end of the year. Duties of the keeper go on.",
        ]),
        "<< /Type /Outlines /First 11 0 R /Last 11 0 R /Count 3 >>".to_owned(),
        bookmark(
            "DUTIES OF THE KEEPER, OF THOSE WHO STAND IN FOR HIM, AND OF ALL WHO VISIT THE TOWER",
            8,
            "/First 12 0 R /Last 13 0 R /Count 2",
        ),
        bookmark("The log", 8, "/Prev 12 0 R /Next 13 0 R"),
        // It leads back: reading it ends.
        bookmark("Nowhere printed", 8, "/Next 12 0 R"),
    ];
    let extraction = extract(&pdf_file_of(&objects)).unwrap();
    let headings = |page: usize| -> Vec<(u8, String)> {
        let page = &extraction.pages[page];
        let blocks = page.blocks.iter().filter_map(|block| match block.kind {
            BlockKind::Heading { level } => Some((level, block)),
            _ => None,
        });
        let text = |start: u32, end: u32| page.text.chars().take(end as usize).skip(start as usize).collect();
        blocks.map(|(level, block)| (level, text(block.char_start, block.char_end))).collect()
    };
    // The bookmark does not lead to the list of contents.
    assert_eq!(headings(0), []);
    assert_eq!(
        headings(1),
        [
            (1, "Duties of the keeper, of those who stand in for him, and of all who visit the tower".to_owned()),
            (2, "1.2 The log".to_owned())
        ]
    );
    assert_eq!(extraction.pages[1].text.lines().count(), 6);
}

#[test]
fn a_bookmark_whose_title_is_not_printed_where_it_leads_makes_no_heading_and_no_text() {
    let page_of = |content: u32| {
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {content} 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
        )
    };
    let bookmark = |title: &str, page: u32, links: &str| {
        format!("<< /Title ({title}) /Parent 10 0 R /Dest [{page} 0 R /Fit] {links} >>")
    };
    let lines = [
        "Duties of the keeper",
        "The keeper of the lighthouse trims the lamp every evening and writes into the log",
        "what ships were seen, from where they came, and whether the horn was sounded.",
    ];
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R /Outlines 10 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [6 0 R 8 0 R] /Count 2 >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        "null".to_owned(),
        "<< >>".to_owned(),
        page_of(7),
        page(&lines),
        page_of(9),
        page(&lines[1..]),
        "<< /Type /Outlines /First 11 0 R /Last 15 0 R /Count 5 >>".to_owned(),
        bookmark("Tab 3", 6, "/Next 12 0 R"),
        // Only a part of it is printed, more than it is printed, it is printed on another page.
        bookmark("Duties", 6, "/Prev 11 0 R /Next 13 0 R"),
        bookmark("Duties of the keeper and of his wife", 6, "/Prev 12 0 R /Next 14 0 R"),
        bookmark("Duties of the keeper", 8, "/Prev 13 0 R /Next 15 0 R"),
        // It belongs to no one else.
        bookmark("Duties of the keeper", 6, "/Prev 14 0 R"),
    ];
    let pages = extract(&pdf_file_of(&objects)).unwrap().pages;
    let kinds = |page: usize| pages[page].blocks.iter().map(|block| block.kind.clone()).collect::<Vec<_>>();
    assert_eq!(kinds(0), [BlockKind::Heading { level: 1 }, BlockKind::Paragraph]);
    assert_eq!(kinds(1), [BlockKind::Paragraph]);
    assert_eq!((&*pages[0].text, &*pages[1].text), (&*lines.join("\n"), &*lines[1..].join("\n")));
}
