//! How pages are named in citations.

/// How a page is cited: `p. 12`. Without pages `no page`, from the second part between page breaks on `no page, part 2`.
pub fn cited_page(page: u32, unpaged: bool) -> String {
    match (unpaged, page) {
        (false, page) => format!("p. {page}"),
        (true, 1) => "no page".to_owned(),
        (true, part) => format!("no page, part {part}"),
    }
}

/// As [`cited_page`], with what is printed on the page: its label, where that is not its number, and its Bates number.
pub fn printed_page(page: u32, unpaged: bool, label: Option<&str>, bates: Option<&str>) -> String {
    let cited = cited_page(page, unpaged);
    match (label, bates) {
        (None, None) => cited,
        (Some(label), None) => format!("{cited} ({label})"),
        (None, Some(number)) => format!("{cited} (Bates {number})"),
        (Some(label), Some(number)) => format!("{cited} ({label}, Bates {number})"),
    }
}
