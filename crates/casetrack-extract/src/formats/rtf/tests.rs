use std::path::Path;

use casetrack_core::{BlockKind, ErrorCode, FileFormat, TextView};

use crate::test_files::{assert_page_invariants, assert_properties};
use crate::{ExtractOptions, Extraction};

fn extract(body: &str) -> Extraction {
    let rtf = format!(
        "{{\\rtf1\\ansi\\ansicpg1252\\deff0{{\\fonttbl{{\\f0\\fcharset0 Arial;}}{{\\f1\\fcharset204 Arial{{\\*\\falt X}};}}\
         {{\\f2\\fcharset2 Symbol;}}{{\\f3\\fcharset128 MS Mincho;}}}}{{\\colortbl;\\red0;}}{{\\stylesheet{{\\s0 Normal;}}\
         {{\\s1\\outlinelevel1 Clause;}}{{\\s2\\sbasedon1 Sub;}}{{\\s3 heading 3;}}{{\\*\\cs9 Char;}}}}\
         {{\\info{{\\title Lease of \\'fcber}}{{\\author J\\'fcrgen}}{{\\operator no}}\
         {{\\creatim\\yr2024\\mo5\\dy3\\hr9\\min5}}{{\\revtim\\yr2024\\mo13\\dy3}}{{\\printim\\yr2023}}}}{body}}}"
    );
    extract_bytes(rtf.as_bytes())
}

fn extract_bytes(bytes: &[u8]) -> Extraction {
    let extraction = crate::extract(Path::new("lease.rtf"), bytes, &ExtractOptions::default()).unwrap();
    assert_eq!(extraction.format, FileFormat::Rtf);
    extraction.pages.iter().for_each(assert_page_invariants);
    extraction
}

fn blocks(body: &str) -> Vec<(u32, BlockKind, String)> {
    let mut found = Vec::new();
    for page in extract(body).pages {
        let chars: Vec<char> = page.text.chars().collect();
        found.extend(page.blocks.iter().map(|block| {
            let text = chars[block.char_start as usize..block.char_end as usize].iter().collect();
            (page.number, block.kind.clone(), text)
        }));
    }
    found
}

fn texts(body: &str) -> Vec<String> {
    blocks(body).into_iter().map(|(.., text)| text).collect()
}

#[test]
fn characters_of_all_kinds_are_decoded() {
    assert_eq!(texts("f\\'fcr \\{a\\}\\~b\\-c\\_d\\par"), ["für {a}\u{A0}bc-d"]);
    assert_eq!(texts("{\\f1 \\'e4\\'ee\\'e3}\\'e4\\par"), ["догä"]);
    assert_eq!(texts("{\\f3 \\'96\\'7b\\'8c_}!\\par"), ["本契!"]);
    assert_eq!(texts("\\u1076?\\u-10179?\\u-8704?\\uc2\\u233\\'c3\\'a9x{\\uc0\\u8364 y}\\par"), ["д😀éx€y"]);
    assert_eq!(texts("{\\f2 \\'b7}\\u-3913? \\ldblquote q\\rdblquote\\emdash\\line x\\par"), ["•• “q”—\nx"]);
    let extraction = extract("text");
    assert_eq!(extraction.title.as_deref(), Some("Lease of über"));
    assert_properties(&extraction, ["Jürgen", "2024-05-03T09:05", "", ""]);
}

#[test]
fn only_what_is_shown_is_read() {
    let body = "a{\\v hidden}{\\deleted gone} b{\\*\\unknown no{no}}{\\pict 0011}{\\field{\\*\\fldinst HYPERLINK \"x\"}\
                {\\fldrslt  link}}{\\object{\\*\\objdata 00}{\\result  shown}}{\\pict\\bin5 }}}}}} c\\par";
    assert_eq!(texts(body), ["ahidden b link shown c"]);
}

#[test]
fn hidden_text_is_read_and_marked() {
    let extraction =
        extract("The rent is {\\v ten \\u252?million }euros.\\par \\v Hidden\\par as well\\v0 , shown.\\par");
    let page = &extraction.pages[0];
    assert_eq!(page.text, "The rent is ten ümillion euros.\nHidden\nas well, shown.");
    let hidden: Vec<String> = crate::test_files::hidden_texts(page).into_iter().map(|(.., text)| text).collect();
    assert_eq!(hidden, ["ten ümillion", "Hidden\nas well"]);
    assert!(
        extraction.warnings[0].contains("formatted as hidden on page 1 (2 passages, 26 characters)"),
        "{:?}",
        extraction.warnings
    );
}

#[test]
fn headings_labels_and_pages() {
    let body = "\\pard\\s1 Term\\par\\pard\\s2{\\listtext\\pard 1.1\\tab}Start\\par\\pard\\s3 Third\\par\
                \\pard{\\listtext (a)\\tab}item\\par{\\listtext\\f3 \\'96\\tab}bullet\\par\\pard\\s1\\outlinelevel9 body\\par\\page next\\sect\\sectd\\sbknone same\\sect\\sectd last";
    let found = blocks(body);
    let heading = |level| BlockKind::Heading { level };
    let expected = [
        (1, heading(2), "Term"),
        (1, heading(2), "1.1 Start"),
        (1, heading(3), "Third"),
        (1, BlockKind::ListItem, "(a) item"),
        (1, BlockKind::ListItem, "• bullet"),
        (1, BlockKind::Paragraph, "body"),
        (2, BlockKind::Paragraph, "next"),
        (2, BlockKind::Paragraph, "same"),
        (3, BlockKind::Paragraph, "last"),
    ];
    assert_eq!(found, expected.map(|(page, kind, text)| (page, kind, text.to_owned())));
}

#[test]
fn table_rows_are_blocks() {
    let body = "before\\par\\trowd\\trhdr\\cellx1\\cellx2\\pard\\intbl Item\\cell Due\\cell Cost\\cell\\row\
                \\trowd\\pard\\intbl Rent\\par more\\cell\\cell 7\\cell{\\trowd\\row}\\pard after\\par\
                \\trowd\\pard\\intbl framed\\cell\\row\\trowd\\pard\\intbl cut\\cell off";
    let row =
        |table, row, last_column, header| BlockKind::TableRow { table, row, first_column: 1, last_column, header };
    let found: Vec<(BlockKind, String)> = blocks(body).into_iter().map(|(_, kind, text)| (kind, text)).collect();
    let expected = [
        (BlockKind::Paragraph, "before"),
        (row(0, 1, 3, true), "Item\tDue\tCost"),
        (row(0, 2, 3, false), "Rent more\t\t7"),
        (BlockKind::Paragraph, "after"),
        (row(1, 1, 1, false), "framed"),
        (row(1, 2, 2, false), "cut\toff"),
    ];
    assert_eq!(found, expected.map(|(kind, text)| (kind, text.to_owned())));
}

#[test]
fn notes_and_boxes_are_kept_out_of_the_sentence() {
    let body = "The Act{\\super\\chftn}{\\footnote\\pard\\plain{\\super\\chftn} As amended.\\par Twice.} applies\
                {\\shp{\\*\\shpinst{\\sp{\\sn x}{\\sv 1}}{\\shptxt boxed\\par}}{\\shprslt no}}.{\\footnote\\ftnalt End}\\par";
    assert_eq!(texts(body), ["The Act[1] applies.[i]", "boxed", "[1] As amended.", "Twice.", "[i] End"]);
}

#[test]
fn notes_stand_on_the_page_that_refers_to_them() {
    let note = |text: &str| format!("{{\\footnote\\pard\\plain {text}}}");
    let body = format!(
        "one{}\\par\\page two\\par\\trowd\\pard\\intbl a{}\\cell b\\cell\\row\\pard\\page three\\par",
        note("First."),
        note("Second.")
    );
    let found: Vec<(u32, String)> = blocks(&body).into_iter().map(|(page, _, text)| (page, text)).collect();
    let expected = [(1, "one[1]"), (1, "[1] First."), (2, "two"), (2, "a[2]\tb"), (2, "[2] Second."), (3, "three")];
    assert_eq!(found, expected.map(|(page, text)| (page, text.to_owned())));
}

#[test]
fn pages_count_where_the_program_counted_as_many() {
    let is_unpaged = |info: &str| extract_bytes(format!("{{\\rtf1{info} one\\par}}").as_bytes()).unpaged;
    assert!(is_unpaged(""));
    assert!(!is_unpaged("{\\info{\\nofpages1}}"));
    assert!(is_unpaged("{\\info{\\nofpages4}}"));
}

#[test]
fn hostile_files_are_read_in_linear_time() {
    let cut = extract_bytes(b"{\\rtf1\\ansi kept\\par {lost");
    assert_eq!((&*cut.pages[0].text, cut.warnings.len()), ("kept\nlost", 1));
    let deep = format!("{{\\rtf1 start{}deep{}\\par end}}", "{".repeat(300_000), "}".repeat(300_000));
    assert_eq!(extract_bytes(deep.as_bytes()).pages[0].text, "startdeep\nend");
    for piece in [
        "{\\footnote a",
        "{\\shptxt ",
        "}",
        "\\cell",
        "\\row",
        "\\u1",
        "\\bin99999999 ",
        "{\\stylesheet\\s1\\sbasedon1",
    ] {
        let rtf = format!("{{\\rtf1 start\\par{}\\s1 end}}", piece.repeat(50_000));
        assert!(extract_bytes(rtf.as_bytes()).pages[0].text.starts_with("start"), "{piece}");
    }
    let error =
        crate::extract(Path::new("a.rtf"), b"{\\rtf1\\ansi{\\pict 00}}", &ExtractOptions::default()).unwrap_err();
    assert_eq!(error.code, ErrorCode::EmptyFile);
}

#[test]
fn tracked_changes_give_three_views() {
    // 2024-05-03T09:05: minutes, hours, day, month, years from 1900.
    let date = 5 | 9 << 6 | 3 << 11 | 5 << 16 | 124 << 20;
    let revisers = "{\\*\\revtbl {Unknown;}{Ann Lee;}{Bob;}}";
    let body = format!(
        "{revisers}Rent is {{\\deleted\\revauthdel2\\revdttmdel{date} 1,000}}{{\\revised\\revauth1\\revdttm{date} 1,200}} a month.\\par \
         {{\\deleted\\revauthdel1 Garage.\\par }}Deposit.{{\\revised\\revauth1\\par New.}}\\par \
         {{\\mvf\\mvauth2 Here.}}End{{\\mvt\\mvauth2  there.}}{{\\revised\\deleted both}}\\par \
         \\trowd\\intbl a{{\\deleted x}}\\cell {{\\deleted y}}\\cell c\\cell\\row\\pard last"
    );
    let extraction = extract(&body);
    let page = &extraction.pages[0];
    let views = [TextView::Final, TextView::Original, TextView::Redline]
        .map(|view| view.of(&page.text, 0, &page.notes.changes));
    assert_eq!(
        views,
        [
            "Rent is 1,200 a month.\nDeposit.\nNew.\nEnd there.\na\t\tc\nlast",
            "Rent is 1,000 a month.\nGarage.\nDeposit.\nHere.End\nax\ty\tc\nlast",
            "Rent is [-1,000-][+1,200+] a month.\n[-Garage.\n-]Deposit.[+\nNew.+]\n[<Here.<]End[> there.>][-both-]\na[-x-]\t[-y-]\tc\nlast",
        ]
    );
    let stamps: Vec<_> =
        page.notes.changes.iter().take(3).map(|change| (change.author.as_deref(), change.date.as_deref())).collect();
    assert_eq!(
        stamps,
        [(Some("Bob"), Some("2024-05-03T09:05")), (Some("Ann Lee"), Some("2024-05-03T09:05")), (Some("Ann Lee"), None)]
    );
    // A deleted note is not counted; its text is part of the deletion.
    let extraction = extract(&format!("{revisers}a{{\\deleted {{\\footnote gone}}}}b{{\\footnote kept}}\\par"));
    assert_eq!(extraction.pages[0].text, "ab[1]\n[1] kept");
    assert_eq!(extraction.pages[0].notes.changes[0].text, "gone");
    // The text ends inside changes.
    let cut = extract(&format!("{revisers}a{{\\revised b{{\\deleted c"));
    assert_eq!(cut.pages[0].text, "ab");
}

#[test]
fn form_fields_show_their_state_once() {
    let field = |data: &str, result: &str| {
        format!(
            "Law: {{\\field{{\\*\\fldinst {{\\fs20 FORMDROPDOWN }}{{\\fs20 {{\\*\\datafield 00}}{{\\*\\formfield{{{data}\\fftypetxt0\\ffhaslistbox\
             {{\\*\\ffname Law}}{{\\*\\ffl England}}{{\\*\\ffl K\\'f6ln}}{{\\*\\ffl Norway}}}}}}}}}}{{\\fldrslt {result}}}}}.\\par"
        )
    };
    for (data, result, expected) in [
        ("\\fftype2\\ffres2", "", "Law: Norway."),
        ("\\fftype2\\ffres25\\ffdefres1", "{\\fs20 }", "Law: Köln."),
        ("\\fftype2", "", "Law: England."),
        ("\\fftype2\\ffres2", "Norway", "Law: Norway."),
        ("\\fftype2\\ffres9", "", "Law: ."),
        ("\\fftype1\\ffres1", "", "Law: ☒."),
        ("\\fftype1\\ffres25\\ffdefres0", "", "Law: ☐."),
        ("\\fftype0", "EUR 5", "Law: EUR 5."),
    ] {
        assert_eq!(texts(&field(data, result)), [expected], "{data} {result}");
    }
}

#[test]
fn comments_and_margins_stand_on_the_page_of_their_place() {
    let body = "{\\header\\pard Lease of land\\par}{\\footerr\\pard {\\field{\\*\\fldinst PAGE}{\\fldrslt 1}}\\par}One{\\*\\atnid AL}{\\*\\atnauthor Ann \
                Lee}{\\chatn{\\*\\annotation{\\*\\atndate 1}\\pard Ask Ben.\\par Soon.}}.\\par\\page two\\par\\sect\\sectd{\\header\\pard Lease of land\\par}\
                {\\footer\\trowd\\pard\\intbl Draft\\cell 3 May\\cell\\row\\pard\\par}Three.{\\annotation Why?\\par}\\par";
    let found: Vec<(u32, String)> = blocks(body).into_iter().map(|(page, _, text)| (page, text)).collect();
    let expected = [
        (1, "One."),
        (1, "Comment by Ann Lee: Ask Ben. Soon."),
        (1, "Header: Lease of land"),
        (2, "two"),
        (3, "Three."),
        (3, "Comment: Why?"),
        (3, "Footer: Draft 3 May"),
    ];
    assert_eq!(found, expected.map(|(page, text)| (page, text.to_owned())));
}
