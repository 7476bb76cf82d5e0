use std::path::Path;

use casetrack_core::{BlockKind, ErrorCode, FileFormat, HiddenReason};

use crate::test_files::{assert_page_invariants, assert_properties, compound_file_of, summary_of};
use crate::{ExtractOptions, Extraction};

fn extract(bytes: &[u8]) -> casetrack_core::Result<Extraction> {
    let extraction = crate::extract(Path::new("book.xls"), bytes, &ExtractOptions::default())?;
    extraction.pages.iter().for_each(assert_page_invariants);
    Ok(extraction)
}

fn record(kind: u16, content: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &(content.len() as u16).to_le_bytes(), content].concat()
}

fn numbers(numbers: &[u16], rest: &[u8]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).chain(rest.iter().copied()).collect()
}

/// A text of one byte a character behind a length of two.
fn long(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_le_bytes()[..], &[0], text.as_bytes()].concat()
}

/// A workbook with one sheet, "Plan", in the given state.
fn xls(globals: &[Vec<u8>], state: u8, sheet: &[Vec<u8>]) -> Vec<u8> {
    let beginning = |kind: u16| record(0x0809, &numbers(&[0x0600, kind, 0, 0, 0, 0, 0, 0], &[]));
    let before = [beginning(5), globals.concat()].concat();
    let at = (before.len() + 4 + 12 + 4) as u32;
    let listed = record(0x0085, &[&at.to_le_bytes()[..], &[state, 0, 4, 0], b"Plan"].concat());
    let stream = [before, listed, record(0x000A, &[]), beginning(0x10), sheet.concat(), record(0x000A, &[])].concat();
    compound_file_of(&[("/Workbook", &stream), ("/\u{5}SummaryInformation", &summary_of(b"Rents\0", 1252))])
}

#[test]
fn old_workbooks_are_read() {
    let bytes = include_bytes!("../../../../tests/fixtures/sheets.xls");
    let extraction = extract(bytes).unwrap();
    assert_eq!(extraction.format, FileFormat::Xls);
    assert_eq!(extraction.pages[0].text, "Item\tDue\tCost\nRent für Mai\t2024-03-01\t1200.5\nPaid\t\tTRUE");
    assert!(matches!(
        extraction.pages[0].blocks[0].kind,
        BlockKind::TableRow { row: 2, first_column: 2, header: true, .. }
    ));
    assert_eq!(extraction.pages[1].text, "Not for the tenant");
    assert!(extraction.warnings.contains(&"Sheet \"Notes\" is hidden; its text is included.".to_owned()));
}

#[test]
fn numbers_are_shown_by_their_formats() {
    let globals = [
        record(0x041E, &numbers(&[164], &long("d mmm yyyy"))),
        record(0x00E0, &numbers(&[0, 0, 0], &[])),
        record(0x00E0, &numbers(&[0, 4, 0], &[])),
        record(0x00E0, &numbers(&[0, 164, 0], &[])),
    ];
    let whole = |number: u32| (number << 2 | 2).to_le_bytes();
    let sheet = [
        record(0x0203, &numbers(&[0, 0, 1], &1_250_000f64.to_le_bytes())),
        record(0x027E, &numbers(&[0, 1, 2], &whole(45_382))),
        record(
            0x00BD,
            &[numbers(&[0, 2, 0], &whole(7)), numbers(&[1], &(750u32 << 2 | 3).to_le_bytes()), vec![3, 0]].concat(),
        ),
        record(0x0205, &numbers(&[0, 4, 0], &[7, 1])),
        record(0x0006, &numbers(&[0, 5, 0], &[&[0, 0, 0, 0, 0, 0, 0xFF, 0xFF][..], &[0; 8]].concat())),
        record(0x0207, &long("from a formula")),
        record(0x0006, &numbers(&[0, 6, 0], &[&[1, 0, 1, 0, 0, 0, 0xFF, 0xFF][..], &[0; 8]].concat())),
    ];
    let extraction = extract(&xls(&globals, 2, &sheet)).unwrap();
    assert_eq!(extraction.pages[0].text, "1,250,000.00\t31 Mar 2024\t7\t7.50\t#DIV/0!\tfrom a formula\tTRUE");
    assert_eq!((extraction.title.as_deref(), extraction.pages[0].sheet_name.as_deref()), (Some("Rents"), Some("Plan")));
    assert_properties(&extraction, ["Ann", "2024-06-20T07:15:30Z", "2024-06-20T07:15:30Z", ""]);
    assert_eq!(
        extraction.warnings,
        ["Sheet \"Plan\" is hidden so that only a macro can show it; its text is included."]
    );
}

#[test]
fn hidden_rows_and_columns_are_read_and_marked() {
    let cell = |row: u16, column: u16| {
        record(0x0203, &numbers(&[row, column, 0], &f64::from(10 * row + column).to_le_bytes()))
    };
    let sheet = [
        record(0x007D, &numbers(&[1, 1, 0, 0, 1], &[0, 0])),
        record(0x0208, &numbers(&[0, 0, 3, 255, 0, 0, 0x0100, 15], &[])),
        record(0x0208, &numbers(&[1, 0, 3, 0, 0, 0, 0x0120, 15], &[])),
        [0, 1, 2].map(|row| [cell(row, 0), cell(row, 1)].concat()).concat(),
    ];
    let extraction = extract(&xls(&[], 0, &sheet)).unwrap();
    let page = &extraction.pages[0];
    assert_eq!(page.text, "0\t1\n10\t11\n20\t21");
    let named = |part: &str| Some(part.to_owned());
    assert_eq!(
        crate::test_files::hidden_texts(page),
        [
            (HiddenReason::HiddenColumn, named("column B"), "1".to_owned()),
            (HiddenReason::HiddenRow, named("row 2"), "10\t11".to_owned()),
            (HiddenReason::HiddenColumn, named("column B"), "21".to_owned()),
        ]
    );
}

#[test]
fn shared_texts_go_on_in_the_next_record() {
    // The second text changes from one byte a character to two at the end of the record; the third has a look of its
    // own.
    let first = [&2u32.to_le_bytes()[..], &2u32.to_le_bytes(), &long("one"), &[6, 0, 0], b"two "].concat();
    let wide = [1, b'\xE4', 0, b'!', 0];
    let rich = [&[5, 0, 8, 2, 0][..], b"three", &[0; 8], &long("four")].concat();
    let globals = [record(0x00FC, &first), record(0x003C, &[&wide[..], &rich].concat())];
    let cell = |column: u16| record(0x00FD, &numbers(&[0, column, 0, column, 0], &[]));
    let sheet: Vec<Vec<u8>> = (0..5).map(cell).collect();
    assert_eq!(extract(&xls(&globals, 0, &sheet)).unwrap().pages[0].text, "one\ttwo ä!\tthree\tfour");
}

#[test]
fn comments_boxes_and_chart_titles_are_read() {
    let object = |kind: u16, number: u16| record(0x005D, &numbers(&[0x15, 0x12, kind, number], &[0; 14]));
    let text = |text: &str| {
        let header = record(0x01B6, &numbers(&[0, 0, 0, 0, 0, text.len() as u16, 16, 0, 0], &[]));
        [header, record(0x003C, &[&[0], text.as_bytes()].concat()), record(0x003C, &[0; 16])].concat()
    };
    let chart_text = |text: &str| record(0x100D, &[&[0, 0, text.len() as u8, 0], text.as_bytes()].concat());
    let sheet = [
        record(0x0204, &numbers(&[2, 1, 0], &long("Rent"))),
        object(0x19, 1),
        text("Ann:\nnot agreed"),
        object(6, 2),
        text("Draft"),
        record(0x0809, &numbers(&[0x0600, 0x20, 0, 0], &[])),
        [record(0x1003, &[]), record(0x1033, &[]), chart_text("a series"), record(0x1034, &[])].concat(),
        [record(0x1025, &[]), record(0x1033, &[]), chart_text("Costs"), record(0x1034, &[])].concat(),
        record(0x0203, &numbers(&[0, 0, 0], &1f64.to_le_bytes())),
        record(0x000A, &[]),
        record(0x001C, &numbers(&[2, 1, 0, 1], &long("Ann"))),
    ];
    let extraction = extract(&xls(&[], 0, &sheet)).unwrap();
    assert_eq!(extraction.pages[0].text, "Rent\nComment on B3 (Ann): not agreed\nDraft\nCosts");
    assert!(matches!(extraction.pages[0].blocks[1].kind, BlockKind::TableRow { row: 3, first_column: 2, .. }));
}

#[test]
fn protected_workbooks_need_a_password() {
    let error = extract(&xls(&[record(0x0086, &[]), record(0x002F, &[0; 6])], 0, &[])).unwrap_err();
    assert_eq!(error.code, ErrorCode::NeedsPassword);
}

#[test]
fn a_truncated_sheet_keeps_what_was_read() {
    let sheet = [record(0x0204, &numbers(&[0, 0, 0], &long("kept"))), record(0x0203, &[0, 0, 1, 0, 0, 0])];
    let extraction = extract(&xls(&[], 0, &sheet)).unwrap();
    assert_eq!(extraction.pages[0].text, "kept");
    assert_eq!(extraction.warnings, ["Sheet \"Plan\" could not be read to its end: a record is damaged"]);
}

#[test]
fn pictures_over_a_sheet_stand_behind_the_row_of_their_cell() {
    use crate::formats::picture_tests::{NOTICE, assert_is_marked, has_tesseract, notice};
    if !has_tesseract() {
        return;
    }
    let drawn = |kind: u16, instance: u16, content: &[u8]| {
        let head = instance << 4 | if matches!(kind, 0xF000..=0xF004) { 0xF } else { 0 };
        [&head.to_le_bytes()[..], &kind.to_le_bytes(), &(content.len() as u32).to_le_bytes(), content].concat()
    };
    let picture = drawn(0xF01E, 0x6E0, &[vec![0; 17], notice()].concat());
    let entry = drawn(0xF007, 6, &[vec![0; 28], vec![0xFF; 4], vec![0; 4], picture].concat());
    let group = drawn(0xF000, 0, &drawn(0xF001, 1, &entry));
    // Records have at most 8,224 bytes; the rest of the group follows in others.
    let mut pieces = group.chunks(8000).map(|piece| record(0x003C, piece));
    let first = pieces.next().map(|_| record(0x00EB, &group[..group.len().min(8000)])).unwrap();
    let globals: Vec<Vec<u8>> = std::iter::once(first).chain(pieces).collect();
    let options = drawn(0xF00B, 1, &[&0x4104u16.to_le_bytes()[..], &1u32.to_le_bytes()].concat());
    // From B2 on.
    let anchor = drawn(0xF010, 0, &numbers(&[0, 1, 0, 1, 0, 4, 0, 9, 0], &[]));
    let shapes = drawn(0xF002, 0, &drawn(0xF003, 0, &drawn(0xF004, 0, &[options, anchor].concat())));
    let (start, rest) = shapes.split_at(20);
    let cell = |row: u16, text: &str| record(0x0204, &numbers(&[row, 0, 0], &long(text)));
    let sheet = [cell(0, "Item"), cell(1, "Rent"), cell(2, "Heat"), record(0x00EC, start), record(0x00EC, rest)];
    let extraction = extract(&xls(&globals, 0, &sheet)).unwrap();
    let page = &extraction.pages[0];
    let notice = NOTICE.replace('\n', " ");
    assert_eq!(page.text, format!("Item\nRent\nPicture at B2: {notice}\nHeat"));
    assert_is_marked(page, "Picture at B2", &notice);
    assert_eq!(extraction.warnings, Vec::<String>::new());
}
