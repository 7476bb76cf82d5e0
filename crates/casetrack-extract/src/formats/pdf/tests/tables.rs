use casetrack_core::{ChunkConfig, ColumnRange, DocumentId, Page, RowRange};
use casetrack_pages::chunker::chunk_pages;

use super::*;

/// Rows and their columns, with an `H` behind those that name the columns; other blocks are named by `-`.
fn rows(page: &Page) -> Vec<String> {
    let named = |kind: &BlockKind| match kind {
        BlockKind::TableRow { table, row, first_column, last_column, header } => {
            format!("{table}.{row} {first_column}-{last_column}{}", if *header { "H" } else { "" })
        }
        _ => "-".to_owned(),
    };
    page.blocks.iter().map(|block| named(&block.kind)).collect()
}

fn placed(lines: &[(f32, f32, &'static str)]) -> PdfPageContent {
    PdfPageContent::text(lines.iter().map(|&(x, y, text)| (x, y, 10.0, text)))
}

fn page(content: PdfPageContent) -> Page {
    extract(&pdf_file("", &[content])).unwrap().pages.remove(0)
}

#[test]
fn cells_between_rules_are_rows_with_columns() {
    let lines = [
        (72.0, 740.0, "The rent is as follows."),
        (80.0, 700.0, "Floor"),
        (200.0, 700.0, "Use of the pre-"),
        (200.0, 688.0, "mises"),
        (330.0, 700.0, "Rent"),
        (80.0, 665.0, "First"),
        (200.0, 665.0, "Shop"),
        (330.0, 665.0, "1,200"),
        (80.0, 645.0, "All floors"),
        (330.0, 645.0, "2,400"),
        (72.0, 600.0, "It is due in May."),
    ];
    let rules = [
        [72.0, 715.0, 400.0, 715.0],
        [72.0, 680.0, 400.0, 680.0],
        [72.0, 660.0, 400.0, 660.0],
        [72.0, 640.0, 400.0, 640.0],
        [72.0, 640.0, 72.0, 715.0],
        // The last row has no rule between the first two columns.
        [190.0, 660.0, 190.0, 715.0],
        [320.0, 640.0, 320.0, 715.0],
        [400.0, 640.0, 400.0, 715.0],
    ];
    let page = page(placed(&lines).with_rules(&rules));
    let table = "Floor\tUse of the pre-mises\tRent\nFirst\tShop\t1,200\nAll floors\t\t2,400";
    assert_eq!(page.text, format!("The rent is as follows.\n{table}\nIt is due in May."));
    assert_eq!(rows(&page), ["-", "0.1 1-3H", "0.2 1-3", "0.3 1-3", "-"]);
    // The box of a row is around its words.
    let area = page.line_boxes[1].unwrap();
    assert!(area.left >= 78.0 && area.right > 340.0 && area.right < 400.0, "{area:?}");
    assert!(area.top > 792.0 - 715.0 && area.bottom > 792.0 - 688.0 && area.bottom < 792.0 - 680.0, "{area:?}");

    let chunks = chunk_pages(DocumentId::from_bytes([1; 16]), &[page], &ChunkConfig::default());
    assert_eq!(chunks[0].row_range, Some(RowRange { start: 1, end: 3 }));
    assert_eq!(chunks[0].column_range, Some(ColumnRange { start: 1, end: 3 }));
}

#[test]
fn a_grid_of_thin_areas_drawn_cell_by_cell_is_one_too() {
    let cells = ["Name", "Share", "Ann Black", "60 %", "Bob White", "40 %"];
    let at = |index: usize| (80.0 + 120.0 * (index % 2) as f32, 700.0 - 20.0 * (index / 2) as f32);
    let by_columns = [0, 2, 4, 1, 3, 5];
    let lines: Vec<(f32, f32, &'static str)> =
        by_columns.iter().map(|&index| (at(index).0, at(index).1, cells[index])).collect();
    let mut rules: Vec<[f32; 4]> =
        (0..4).map(|row| [72.0, 715.0 - 20.0 * row as f32, 312.0, 715.0 - 20.0 * row as f32]).collect();
    rules.extend([72.0, 192.0, 312.0].map(|x| [x, 655.0, x, 715.0]));
    let page = page(placed(&lines).with_rules(&rules));
    assert_eq!(page.text, "Name\tShare\nAnn Black\t60 %\nBob White\t40 %");
    assert_eq!(rows_of(&page), 3);
}

fn rows_of(page: &Page) -> usize {
    rows(page).iter().filter(|row| *row != "-").count()
}

fn aligned(columns: &[f32], lines: &[&[&'static str]]) -> Page {
    let cells = lines.iter().zip(0..).flat_map(|(line, row)| {
        let cells = columns.iter().zip(line.iter()).filter(|(_, text)| !text.is_empty());
        cells.map(move |(x, text)| (*x, 700.0 - 14.0 * row as f32, *text))
    });
    page(placed(&cells.collect::<Vec<_>>()))
}

#[test]
fn columns_of_amounts_are_a_table_without_rules() {
    let page = aligned(
        &[72.0, 250.0, 340.0],
        &[
            &["The costs of both years were as follows, in thousands."],
            &["", "2023", "2024"],
            &["Rent", "1,200", "1,300"],
            &["Heating and other", "", ""],
            &["services", "$ 80", "(90)"],
            &["Total", "1,280", "1,390"],
        ],
    );
    assert_eq!(
        page.text,
        "The costs of both years were as follows, in thousands.\n2023\t2024\nRent\t1,200\t1,300\nHeating and \
         other\nservices\t$ 80\t(90)\nTotal\t1,280\t1,390"
    );
    assert_eq!(rows(&page), ["-", "0.1 2-3H", "0.2 1-3", "0.3 1-1", "0.4 1-3", "0.5 1-3"]);
}

#[test]
fn columns_of_names_are_a_table_when_the_first_row_names_them() {
    let page = aligned(
        &[72.0, 200.0, 330.0],
        &[
            &["Party", "Country", "Role"],
            &["Acme Ltd", "England", "Seller"],
            &["Blue GmbH", "Germany", "Buyer"],
            &["Green SA", "France", "Guarantor"],
        ],
    );
    assert_eq!(page.text.lines().next(), Some("Party\tCountry\tRole"));
    assert_eq!(rows(&page), ["0.1 1-3H", "0.2 1-3", "0.3 1-3", "0.4 1-3"]);
}

#[test]
fn what_only_stands_in_columns_is_no_table() {
    let contents: &[&[&'static str]] = &[
        &["1.", "Definitions", "3"],
        &["2.", "Rent", "5"],
        &["3.", "Term of the lease", "5"],
        &["4.", "Notices", "12"],
    ];
    let list: &[&[&'static str]] =
        &[&["(a)", "the rent of the land;"], &["(b)", "the costs of heating;"], &["(c)", "all taxes on both."]];
    let signatures: &[&[&'static str]] = &[
        &["ACME LTD", "BLUE GMBH"],
        &["By: ____________", "By: ____________"],
        &["Name: Ann Black", "Name: Bob White"],
        &["Title: Director", "Title: Director"],
        &["Date: 3 May 2024", "Date: 4 May 2024"],
    ];
    let addresses: &[&[&'static str]] = &[
        &["Acme Ltd", "Blue GmbH"],
        &["12 High Street", "Ring 5"],
        &["London", "10115 Berlin"],
        &["Telephone 555 1234", "Telephone 555 9876"],
    ];
    let prose: &[&[&'static str]] = &[
        &["The rent is paid on the first", "The tenant keeps the land in"],
        &["day of every month, and the", "the state in which it was on"],
        &["first payment of 1,000 falls", "3 May 2024, and pays all costs"],
        &["due in May of the first year.", "of keeping it in this state."],
    ];
    let form: &[&[&'static str]] =
        &[&["Name:", "Ann Black"], &["Born:", "3 May 1980"], &["Telephone:", "555 1234"], &["Shares:", "1,200"]];
    let numbered: &[&[&'static str]] = &[
        &["1", "The court sat at ten"],
        &["2", "Ms Black appeared"],
        &["3", "The witness was sworn"],
        &["4", "She said"],
    ];
    let contents_beside: &[&[&'static str]] = &[
        &["2.1 Rent . . . . . . . .", "1", "Fees and costs"],
        &["2.2 Costs . . . . . . .", "1"],
        &["2.3 Figures . . . . . .", "2", "Deposit of 12 May"],
        &["2.4 Tables . . . . . . .", "3", "Heating"],
    ];
    // The axes of two charts, and the other column of the page.
    let charts: &[&[&'static str]] = &[
        &["scalar, simd", "speedup"],
        &["3200", "4", "REFERENCES"],
        &["2400", "3", "[1] A. Lee, B. Katz and T. Ho. Massively"],
        &["", "", "Parallel Sort-Merge Joins in Main Memory,"],
        &["1600", "2", "PVLDB, 5(10):1064-1075, June 2012. Also:"],
        &["", "", "[2] C. Bell et al. Multicore, Main-Memory"],
        &["800", "1", "Joins, PVLDB, 7(1):85-96, Sept. 2013, 12."],
    ];
    let columns = [72.0, 250.0, 500.0];
    let all =
        [contents, contents_beside, list, signatures, addresses, prose, form, numbered].map(|lines| (columns, lines));
    for (columns, lines) in all.into_iter().chain([([72.0, 150.0, 230.0], charts)]) {
        let page = aligned(&columns, lines);
        assert_eq!(rows_of(&page), 0, "{}", page.text);
        for word in lines.iter().flat_map(|line| line.iter()) {
            assert!(page.text.contains(word), "{word}: {}", page.text);
        }
    }
}

#[test]
fn a_clause_in_a_frame_and_a_form_are_no_tables() {
    let frame = [
        [72.0, 600.0, 500.0, 600.0],
        [72.0, 720.0, 500.0, 720.0],
        [72.0, 600.0, 72.0, 720.0],
        [500.0, 600.0, 500.0, 720.0],
    ];
    let text = [(80.0, 700.0, "The rent is due in May."), (80.0, 680.0, "It is 1,200 a year.")];
    assert_eq!(rows_of(&page(placed(&text).with_rules(&frame))), 0);

    let mut rules = frame.to_vec();
    rules.extend([[72.0, 660.0, 500.0, 660.0], [300.0, 600.0, 300.0, 720.0]]);
    let form = [(80.0, 700.0, "Name:"), (310.0, 700.0, "Born:"), (80.0, 640.0, "Place:"), (310.0, 640.0, "Number:")];
    assert_eq!(rows_of(&page(placed(&form).with_rules(&rules))), 0);
}

#[test]
fn a_header_that_the_next_page_repeats_is_one() {
    let part = |first: &'static str, meaning: &'static str| {
        let lines = [
            (80.0, 700.0, "Term"),
            (200.0, 700.0, "Meaning"),
            (80.0, 680.0, first),
            (200.0, 680.0, meaning),
            (80.0, 660.0, "Land"),
            (200.0, 660.0, "What the plan shows"),
        ];
        let level = [715.0, 695.0, 675.0, 655.0].map(|y| [72.0, y, 400.0, y]);
        let upright = [72.0, 190.0, 400.0].map(|x| [x, 655.0, x, 715.0]);
        placed(&lines).with_rules(&[&level[..], &upright[..]].concat())
    };
    let alone = extract(&pdf_file("", &[part("Rent", "What is paid")])).unwrap();
    assert_eq!(rows(&alone.pages[0]), ["0.1 1-2", "0.2 1-2", "0.3 1-2"]);
    let both = extract(&pdf_file("", &[part("Rent", "What is paid"), part("Year", "Twelve months")])).unwrap();
    for page in &both.pages {
        assert_eq!(rows(page), ["0.1 1-2H", "0.2 1-2", "0.3 1-2"]);
    }
}
