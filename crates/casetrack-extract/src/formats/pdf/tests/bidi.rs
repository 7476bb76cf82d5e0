use super::*;
use crate::test_files::pdf_file_of;

/// A page of 10-point text that ends 500 points from the left, 14 points from line to line. Each character is 5 points
/// wide. The letters from `a` are those from alef, `{` is a ligature of lam and alef, `|` is seen, `}` is meem, `~` is
/// the presentation form of that ligature.
fn page(lines: &[&str]) -> casetrack_core::Page {
    let right: Vec<(usize, usize, &str)> = lines.iter().zip(0..).map(|(text, row)| (500, row, *text)).collect();
    drawn(&right)
}

/// The same for parts of lines: their right edges, their lines, and their texts.
fn drawn(parts: &[(usize, usize, &str)]) -> casetrack_core::Page {
    let show = |&(right, row, text): &(usize, usize, &str)| {
        let (x, y) = (right - 5 * text.len(), 700 - 14 * row);
        format!("BT /F1 10 Tf {x} {y} Td ({}) Tj ET\n", text.replace('(', "\\(").replace(')', "\\)"))
    };
    let content: String = parts.iter().map(show).collect();
    let map = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /M def /CMapType 2 def\n1 begincodespacerange \
               <00> <FF> endcodespacerange\n2 beginbfrange <20> <60> <0020> <61> <7A> <05D0> endbfrange\n4 beginbfchar <7B> \
               <06440627> <7C> <0633> <7D> <0645> <7E> <FEFB> endbfchar\nendcmap end end\n";
    let file = pdf_file_of(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [6 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Font /Subtype /TrueType /BaseFont /ABCDEF+David /FirstChar 32 /LastChar 126 /Widths [{}] /ToUnicode 4 0 R >>",
            "500 ".repeat(95)
        ),
        format!("<< /Length {} >>\nstream\n{map}endstream", map.len()),
        "<< /Title (Lease) >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 7 0 R /Resources << /Font << /F1 3 0 R >> >> >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{content}endstream", content.len()),
    ]);
    extract(&file).unwrap().pages.remove(0)
}

#[test]
fn lines_are_in_the_order_in_which_they_are_read() {
    // As it is drawn, from the left: the words from the last to the first, their letters likewise, but numbers and Latin words as they are.
    let page = page(&["nfmz RENT nfmz 2024 nfmz"]);
    assert_eq!(page.text, "שלום 2024 שלום RENT שלום");
    let area = page.line_boxes[0].unwrap();
    assert!((area.left - 380.0).abs() < 3.0 && (area.right - 500.0).abs() < 3.0, "{area:?}");
}

#[test]
fn the_box_of_a_line_is_where_its_words_are() {
    // Each line has a word of its own, and they are of different lengths.
    let page = page(&["nfmz nfmz nfmz", "cba nfmz", "fed nfmz nfmz nfmz 17"]);
    let lines: Vec<&str> = page.text.lines().collect();
    assert_eq!(lines, ["שלום שלום שלום", "שלום אבג", "17 שלום שלום שלום דהו"]);
    for (area, (left, row)) in page.line_boxes.iter().zip([(430.0, 0), (460.0, 1), (395.0, 2)]) {
        let (area, baseline) = (area.unwrap(), 92.0 + 14.0 * row as f32);
        assert!((area.left - left).abs() < 3.0 && (area.right - 500.0).abs() < 3.0, "{area:?}");
        assert!(area.top < baseline - 5.0 && area.bottom >= baseline - 1.0 && area.bottom < baseline + 5.0, "{area:?}");
    }
}

#[test]
fn parts_that_stand_apart_are_read_from_the_right() {
    // A label and its value, in either drawing order.
    for parts in [[(500, 0, "nfmz"), (300, 0, "cba")], [(300, 0, "cba"), (500, 0, "nfmz")]] {
        let page = drawn(&parts);
        assert_eq!(page.text.split_whitespace().collect::<Vec<_>>(), ["שלום", "אבג"]);
    }
}

#[test]
fn brackets_open_and_close_whether_the_file_has_them_as_drawn_or_as_read() {
    assert_eq!(page(&["nfmz (b)15 nfmz"]).text, "שלום 15(ב) שלום");
    assert_eq!(page(&["nfmz )b(15 nfmz"]).text, "שלום 15(ב) שלום");
}

#[test]
fn a_ligature_is_its_letters_in_their_order() {
    assert_eq!(page(&["}{|"]).text, "سلام");
}

#[test]
fn presentation_forms_are_letters() {
    assert_eq!(page(&["}~|"]).text, "سلام");
}

#[test]
fn paragraphs_end_where_lines_end_early_at_the_left() {
    let full = "nfmz nfmz nfmz nfmz nfmz nfmz nfmz nfmz nfmz nfmz";
    let page = page(&[full, "nfmz nfmz", full, full]);
    let lines: Vec<usize> = page
        .blocks
        .iter()
        .map(|block| {
            page.text.chars().skip(block.char_start as usize).take((block.char_end - block.char_start) as usize)
        })
        .map(|text| text.filter(|c| *c == '\n').count() + 1)
        .collect();
    assert_eq!(lines, [2, 2]);
}
