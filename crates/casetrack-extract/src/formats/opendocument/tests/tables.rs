use super::*;

#[test]
fn a_table_row_is_a_block() {
    let header = format!(
        "<table:table-header-rows>{}</table:table-header-rows>",
        row(&["Item", "Due", "Cost"].map(|t| cell(&p(t))).each_ref().map(String::as_str))
    );
    let merged = "<table:table-cell table:number-rows-spanned='2'><text:p>rent</text:p></table:table-cell>";
    let wide = "<table:table-cell table:number-columns-spanned='2'><text:p>wide</text:p></table:table-cell>";
    let covered = "<table:covered-table-cell><text:p>covered</text:p></table:covered-table-cell>";
    let number =
        "<table:table-cell office:value-type='currency' office:value='7.5'><text:p>7,50 €</text:p></table:table-cell>";
    let repeated = "<table:table-cell table:number-columns-repeated='2'><text:p>same</text:p></table:table-cell>";
    let gap = "<table:table-cell table:number-columns-repeated='2'/>";
    let body = format!(
        "<table:table><table:table-column/>{header}{}<table:table-rows>{}</table:table-rows>{}{}{}</table:table>",
        row(&[merged, &cell(&(p("May") + &p("June"))), number]),
        row(&[covered, wide, covered]),
        row(&[repeated, &cell(&p("3"))]),
        row(&[gap, &cell(&p("last"))]),
        format_args!(
            "<table:table-row table:number-rows-repeated='2'>{}{}</table:table-row>",
            cell(&p("x")),
            cell(&p("y"))
        ),
    );
    let row = |row, first_column, last_column, header| BlockKind::TableRow {
        table: 0,
        row,
        first_column,
        last_column,
        header,
    };
    assert_eq!(
        blocks(&body),
        [
            (row(1, 1, 3, true), "Item\tDue\tCost".to_owned()),
            (row(2, 1, 3, false), "rent\tMay June\t7,50 €".to_owned()),
            (row(3, 2, 2, false), "wide".to_owned()),
            (row(4, 1, 3, false), "same\tsame\t3".to_owned()),
            (row(5, 3, 3, false), "last".to_owned()),
            (row(6, 1, 2, false), "x\ty".to_owned()),
            (row(7, 1, 2, false), "x\ty".to_owned()),
        ]
    );
}

#[test]
fn repetition_is_bounded() {
    let cells = "<table:table-cell table:number-columns-repeated='4000000000'><text:p>x</text:p></table:table-cell>";
    let rows = format!("<table:table-row table:number-rows-repeated='4000000000'>{cells}</table:table-row>");
    let found = texts(&format!("<table:table>{}</table:table><text:p>after</text:p>", rows.repeat(50)));
    assert!(found.len() < 2000, "{}", found.len());
    assert_eq!(found.last().unwrap(), "after");
}

#[test]
fn frames_are_read_once_and_nested_tables_stand_in_their_cell() {
    let boxed = frame(&format!("<draw:text-box>{}</draw:text-box>", list("text:style-name='L'", &[&p("boxed")])));
    let inner = format!("<table:table>{}</table:table>", row(&[&cell(&p("a")), &cell(&p("b"))]));
    let outer = format!("<table:table>{}</table:table>", row(&[&cell(&(p("before") + &inner)), &cell(&p("c"))]));
    let single = format!("<table:table>{}</table:table>", row(&[&cell(&(p("framed") + &p("text")))]));
    let group = format!("<draw:g><draw:custom-shape>{}</draw:custom-shape></draw:g>", p("drawn"));
    let body = list("text:style-name='L'", &[&p(&format!("anchor{boxed} goes on")), &p("next")])
        + &group
        + &p(
            "<draw:a><draw:frame><draw:image><office:binary-data>QUJD</office:binary-data></draw:image></draw:frame></draw:a>",
        )
        + &outer
        + &single;
    assert_eq!(texts(&body), ["4. anchor goes on", "4. boxed", "5. next", "drawn", "before a b\tc", "framed", "text"]);
}
