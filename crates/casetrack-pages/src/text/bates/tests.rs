use casetrack_core::{ExtractionMethod, PageNotes, Rect};

use super::*;

/// A page of printed text with lines at its top and its bottom, each with a place of its own.
fn page(top: &[&str], bottom: &[&str]) -> Page {
    let body = (0..8).map(|n| format!("The parties agree on point {n} of this page, as they said."));
    let placed = |n: usize, first: f32, text: &str| {
        let top = first + 14.0 * n as f32;
        (text.to_owned(), Rect { left: 60.0, top, right: 60.0 + 5.0 * text.len() as f32, bottom: top + 10.0 })
    };
    let top = top.iter().enumerate().map(|(n, text)| placed(n, 30.0, text));
    let body = body.enumerate().map(|(n, text)| placed(n, 120.0, &text));
    let bottom = bottom.iter().enumerate().map(|(n, text)| placed(n, 750.0, text));
    let (lines, boxes): (Vec<String>, Vec<Rect>) = top.chain(body).chain(bottom).unzip();
    Page {
        number: 1,
        text: lines.join("\n"),
        blocks: Vec::new(),
        line_boxes: boxes.into_iter().map(Some).collect(),
        method: ExtractionMethod::Native,
        ocr_confidence: None,
        sheet_name: None,
        notes: PageNotes::default(),
    }
}

fn scanned(bottom: &str) -> Page {
    Page { method: ExtractionMethod::Ocr, ..page(&[], &[bottom]) }
}

fn found(mut pages: Vec<Page>) -> (Vec<String>, Vec<String>) {
    let warnings = note_bates(false, &mut pages);
    (pages.into_iter().map(|page| page.notes.bates.unwrap_or_default()).collect(), warnings)
}

fn stamped(numbers: &[&str]) -> (Vec<String>, Vec<String>) {
    found(numbers.iter().map(|number| page(&[], &["Page 3 of 9", number])).collect())
}

fn read(numbers: &[&str]) -> Vec<String> {
    found(numbers.iter().map(|number| scanned(number)).collect()).0
}

#[test]
fn a_series_is_found_whatever_its_prefix_is() {
    for numbers in [
        ["SMITH000042", "SMITH000043", "SMITH000044"],
        ["ABC-DEF-000099", "ABC-DEF-000100", "ABC-DEF-000101"],
        ["A2B_0001999", "A2B_0002000", "A2B_0002001"],
        ["SMITH 000042", "SMITH 000043", "SMITH 000044"],
        ["000042", "000043", "000044"],
        ["DEF9999", "DEF10000", "DEF10001"],
    ] {
        let (bates, warnings) = stamped(&numbers);
        assert_eq!(bates, numbers);
        assert_eq!(warnings, Vec::<String>::new());
    }
    let pages = (7..10).map(|n| page(&[&format!("CONFIDENTIAL SMITH00000{n}")], &[&format!("{n}")]));
    assert_eq!(found(pages.collect()).0, ["SMITH000007", "SMITH000008", "SMITH000009"]);
    let pages = (7..10).map(|n| page(&[], &[&format!("{n} | Lease of land | SMITH00000{n}-CONF")]));
    assert_eq!(found(pages.collect()).0, ["SMITH000007", "SMITH000008", "SMITH000009"]);
}

#[test]
fn a_prefix_may_have_several_words_and_parts() {
    for numbers in [
        ["ACME CORP 000122", "ACME CORP 000123", "ACME CORP 000124"],
        ["DEF-SMITH 000042", "DEF-SMITH 000043", "DEF-SMITH 000044"],
        ["ACME US PLTF 0009999", "ACME US PLTF 0010000", "ACME US PLTF 0010001"],
        ["SMITH & JONES 000042", "SMITH & JONES 000043", "SMITH & JONES 000044"],
    ] {
        assert_eq!(stamped(&numbers).0, numbers);
        assert_eq!(read(&numbers), numbers);
    }
    // On its own line on the only page of a document; behind unrelated text.
    assert_eq!(stamped(&["ACME CORP 000123"]).0, ["ACME CORP 000123"]);
    let numbers = ["ACME CORP 000122", "ACME CORP 000123", "ACME CORP 000124"];
    for before in ["CONFIDENTIAL", "Page 3 of 9", "CONFIDENTIAL TREATMENT REQUESTED BY", "7 |"] {
        assert_eq!(
            stamped(&numbers.map(|number| format!("{before} {number}")).each_ref().map(|line| &**line)).0,
            numbers
        );
    }
    // A word that OCR lost or misread on one page.
    let scans = ["ACME CORP 000122", "CORP 000123", "ACME CORP 000124", "ACNE C0RP 000125", "ACME CORP 000126"];
    let right: Vec<String> = (122..127).map(|n| format!("ACME CORP 000{n}")).collect();
    assert_eq!(read(&scans), right);
}

#[test]
fn words_of_a_running_foot_are_no_prefix() {
    let smith = ["SMITH 000042", "SMITH 000043", "SMITH 000044"];
    for before in ["Lease of land", "MASTER LEASE OF LAND AND HOUSE", "Lease of LAND", "ALL OF THE LAND, HERE:"] {
        assert_eq!(stamped(&smith.map(|number| format!("{before} {number}")).each_ref().map(|line| &**line)).0, smith);
    }
    // Far apart on one line: the number is at the right margin.
    let apart = smith.map(|number| {
        let mut page = page(&[], &[&format!("LEASE {number}")]);
        page.line_boxes.last_mut().unwrap().as_mut().unwrap().right = 560.0;
        page
    });
    assert_eq!(found(apart.into()).0, smith);
}

#[test]
fn zeros_that_ocr_reads_inside_a_word_are_letters() {
    let scans = ["GO0GLE-000041", "GO0GLE-000042", "GO0GLE-000043"];
    assert_eq!(read(&scans), ["GOOGLE-000041", "GOOGLE-000042", "GOOGLE-000043"]);
    // Numbers in a text layer stay, as do zeros next to other digits and at the end of a word.
    let numbers = ["GO0GLE-000041", "GO0GLE-000042", "GO0GLE-000043"];
    assert_eq!(stamped(&numbers).0, numbers);
    for numbers in [["P20A-000041", "P20A-000042", "P20A-000043"], ["AB0-000041", "AB0-000042", "AB0-000043"]] {
        assert_eq!(read(&numbers), numbers);
    }
}

#[test]
fn the_prefix_may_change() {
    let numbers = ["SMITH000042", "SMITH000043", "JONES000007", "JONES000008", "JONES000009"];
    assert_eq!(stamped(&numbers), (numbers.map(str::to_owned).to_vec(), vec![]));
}

#[test]
fn of_two_series_the_one_on_more_pages_counts() {
    let pages = (1..6u32).map(|n| {
        let second = if n < 3 { format!("TRIAL-EX-000{n}") } else { String::new() };
        page(&[&second], &[&format!("SMITH00010{n}")])
    });
    assert_eq!(found(pages.collect()).0, (1..6).map(|n| format!("SMITH00010{n}")).collect::<Vec<_>>());
}

#[test]
fn gaps_repetitions_and_disorder_are_said() {
    let (bates, warnings) = stamped(&["SM00041", "SM00042", "SM00045", "SM00046", "SM00046", "SM00044", "", "SM00049"]);
    assert_eq!(bates[2], "SM00045");
    assert_eq!(
        warnings,
        [
            "The Bates numbers SM00043 to SM00044 are missing between pages 2 and 3.",
            "Between pages 6 and 8, 3 of the Bates numbers SM00045 to SM00048 are missing.",
            "The Bates number SM00046 is on pages 4-5.",
            "The Bates numbers go back from SM00046 on page 5 to SM00044 on page 6.",
            "No Bates number was found on page 7, though pages around have one.",
        ]
    );
    let (bates, warnings) = stamped(&["SM00042", "SM00044"]);
    assert_eq!(bates, ["SM00042", "SM00044"]);
    assert_eq!(warnings, ["The Bates number SM00043 is missing between pages 1 and 2."]);
    let many: Vec<String> = (1..40).map(|n| format!("SM{:05}", 3 * n)).collect();
    let (_, warnings) = stamped(&many.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(warnings.len(), 11);
    assert!(warnings[10].starts_with("28 more"), "{}", warnings[10]);
}

#[test]
fn a_page_alone_needs_a_number_that_is_nothing_else() {
    assert_eq!(stamped(&["SMITH000042"]).0, ["SMITH000042"]);
    for other in [
        "INV-000042",
        "No. 000042",
        "212-555-0142",
        "Dallas, TX 75201",
        "000042",
        "SMITH42",
        "SMITH123456",
        "1:20-cv-01234",
        "20-cv-001234",
        "31 January 2004",
        "see SMITH000042",
        "Rev. 000042",
        "12-Mar-2004",
    ] {
        assert_eq!(stamped(&[other]).0, [""], "{other}");
    }
    assert_eq!(found(vec![page(&["SMITH000042"], &["End"])]).0, [""], "a reference in the head of a letter");
}

#[test]
fn what_counts_or_repeats_otherwise_is_no_bates_number() {
    for lines in [
        ["Page 0001", "Page 0002", "Page 0003"],
        ["1", "2", "3"],
        ["1998", "1999", "2000"],
        ["31 Jan 2004", "31 Jan 2005", "31 Jan 2006"],
        ["Form W-80042", "Form W-80042", "Form W-80042"],
        ["SMITH000042", "SMITH000042", "SMITH000042"],
        ["Tel. 212-555-0142", "Tel. 212-555-0142", "Tel. 212-555-0142"],
        ["PageID.1234", "PageID.1235", "PageID.1236"],
        ["PageID #: 12345", "PageID #: 12346", "PageID #: 12347"],
        ["Case 1:20-cv-01234 Document 12", "Case 1:20-cv-01234 Document 12", "Case 1:20-cv-01234 Document 12"],
        ["Check No. 001234", "Check No. 001235", "Check No. 001236"],
        ["Invoice 2004-000017", "Invoice 2004-000018", "Invoice 2004-000019"],
        ["PART000100", "PART000140", "PART000122"],
    ] {
        assert_eq!(stamped(&lines).0, ["", "", ""], "{lines:?}");
    }
    // A list continues from the last line of a page to the first of the next.
    let parts = (1..4).map(|n| page(&[&format!("PART{:06}", 40 * n)], &[&format!("PART{:06}", 40 * n + 39)]));
    assert_eq!(found(parts.collect()).0, ["", "", ""]);
}

#[test]
fn what_ocr_misread_is_mended_by_the_pages_around() {
    let right: Vec<String> = (41..47).map(|n| format!("SMITH0000{n}")).collect();
    for misread in [
        ["SMITH000041", "SMITHO00042", "SM1TH000043", "SMITH0O0044", "5MITH000045", "SMITH000046"],
        ["SMITH000041", "SMITH 000042", "SMITH00004B", "SMITH000044", "SMlTH00OO45", "SMITH000046"],
        ["SMITHO00041", "SMITH000042", "SMITH000048", "SMITH000044", "SMITH000045", "SMITHO00046"],
        ["SMITHOOO041", "SMITH000042", "SMITH000043", "SM!TH000044", "SMITH0045", "SMITH000046"],
    ] {
        assert_eq!(read(&misread), right, "{misread:?}");
    }
}

#[test]
fn a_prefix_that_ocr_read_otherwise_on_some_pages_is_that_of_the_pages_around() {
    let misread = [7052, 7055, 7056];
    let prefix = |number| if misread.contains(&number) { "GOOOG" } else { "GOOG" };
    let scans: Vec<String> = (7051..=7058).map(|number| format!("{}-0000{number}", prefix(number))).collect();
    let scans: Vec<&str> = scans.iter().map(String::as_str).collect();
    let numbers: Vec<String> = (7051..=7058).map(|number| format!("GOOG-0000{number}")).collect();
    assert_eq!(read(&scans), numbers);
    // A text layer is believed.
    assert_eq!(stamped(&scans).0, scans);
}

#[test]
fn a_stamp_over_the_prefix_leaves_the_digits() {
    let scans = ["PLAINTIFF00008156", "Filed 03/0PxAAINT1FlFO0008157", "PLAINTIFF00008158", "PLAINTIFF00008159"];
    assert_eq!(read(&scans)[1], "PLAINTIFF00008157");
    let scans = ["PLAINTIFF00008156", "Filed 03/0PxAAINT1FlFO0008175", "PLAINTIFF00008158", "PLAINTIFF00008159"];
    assert_ne!(read(&scans)[1], "PLAINTIFF00008157", "other digits");
}

#[test]
fn hyphens_may_stand_apart_on_scans() {
    let right: Vec<String> = (6..10).map(|n| format!("GOOG-00712{n}")).collect();
    assert_eq!(read(&["GO0G - 007126", "GOO0G -007127", "GOOG-007128", "GO0G- 007129"]), right);
    let right = ["GOOG-007126", "GOOG-007127", "GOOG-007128", "GOOG-007140", "GOOG-007141"];
    assert_eq!(read(&["GOOG-007126", "GOOG-007127", "GO000G - 007128", "GOOG-007140", "GOOG-007141"]), right);
    let right: Vec<String> = (5..8).map(|n| format!("ABC-DEF-00235{n}")).collect();
    assert_eq!(read(&["ABC- DEF-002355", "ABC-DEF - 002356", "A8C -DEF-002357"]), right);
    let right = ["ABC-DEF-002351", "ABC-DEF-002355", "ABC-DEF-002356"];
    assert_eq!(read(&["ABC - DEF -002351", "ABC-DEF -002355", "ABC-DEF-002356"]), right);
    let right: Vec<String> = (5..8).map(|n| format!("SMITH00235{n}")).collect();
    assert_eq!(read(&["Lease - SMITH002355", "Lease - SMITH002356", "Confidential-SMITH002357"]), right);
    assert_eq!(stamped(&["Lot - 002355", "Lot - 002356", "Lot - 002357"]).0, ["002355", "002356", "002357"]);
}

#[test]
fn full_stops_may_stand_apart_on_scans() {
    let lines = ["MAWR . 00023270 +. Page 1 of 4", "MAWR.00023271 Page 2 of 4", "MAWR . 00023272 ee Page 3 of 4"];
    assert_eq!(read(&lines), ["MAWR.00023270", "MAWR.00023271", "MAWR.00023272"]);
    // The end of a sentence, and a text layer, which has the printed text.
    let lines = ["It is a lease. 0002327", "It is a lease. 0002328", "It is a lease. 0002329"];
    assert_eq!(read(&lines), ["0002327", "0002328", "0002329"]);
    assert_eq!(stamped(&["Lot . 002355", "Lot . 002356", "Lot . 002357"]).0, ["002355", "002356", "002357"]);
}

#[test]
fn nothing_is_mended_that_the_pages_around_do_not_say() {
    assert_eq!(read(&["SMITH0000A1"]), [""]);
    // The second may have been stamped twice, and the number after the gap was read.
    let twice = ["SM000041", "SM000042", "SM000042", "SM000044", "SM000047", "SM000048"];
    assert_eq!(read(&twice), twice);
    // A page that shows no number has none.
    assert_eq!(read(&["SM000041", "SM000042", "Schedule", "SM000044"]), ["SM000041", "SM000042", "", "SM000044"]);
    // A text layer has the printed text.
    let stated = ["SM000041", "SM000042", "SM000048", "SM000044", "SM000045"];
    assert_eq!(stamped(&stated).0, stated);
}

#[test]
fn lines_without_places_are_looked_at_by_their_order() {
    let plain = |n: u32| Page { line_boxes: Vec::new(), ..page(&["Lease"], &[&format!("SMITH0000{n}")]) };
    assert_eq!(found((42..45).map(plain).collect()).0, ["SMITH000042", "SMITH000043", "SMITH000044"]);
    assert_eq!(found(vec![plain(42)]).0, [""]);
    let mut sheets: Vec<Page> = (42..45).map(|n| Page { sheet_name: Some("May".into()), ..plain(n) }).collect();
    assert_eq!(note_bates(false, &mut sheets), Vec::<String>::new());
    assert!(sheets.iter().all(|page| page.notes.bates.is_none()));
    let mut unpaged: Vec<Page> = (42..45).map(plain).collect();
    note_bates(true, &mut unpaged);
    assert!(unpaged.iter().all(|page| page.notes.bates.is_none()));
}

#[test]
fn the_text_stays_as_it_was_read() {
    let mut pages: Vec<Page> = ["SMITH000041", "SMITHO00042", "SMITH000043"].map(scanned).into();
    note_bates(false, &mut pages);
    assert_eq!(pages[1].notes.bates.as_deref(), Some("SMITH000042"));
    assert!(pages[1].text.ends_with("SMITHO00042"));
}

proptest::proptest! {
    #[test]
    fn any_lines_are_read(lines in proptest::collection::vec("[A-Za-z0-9 .:#|_-]{0,30}", 0..12), ocr: bool) {
        let method = if ocr { ExtractionMethod::Ocr } else { ExtractionMethod::Native };
        let mut pages: Vec<Page> = lines.iter().map(|line| Page { method, ..page(&[], &[line]) }).collect();
        note_bates(false, &mut pages);
        for page in pages {
            let bates: Option<casetrack_core::BatesNumber> = page.notes.bates.map(|number| number.parse().unwrap());
            proptest::prop_assert!(bates.is_none_or(|number| number.width >= 4));
        }
    }
}
