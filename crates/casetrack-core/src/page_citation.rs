//! The names of pages in citations.

use crate::RowRange;

/// The citation of a page: `p. 12`. Without pages `no page`, from the second part between page breaks on `no page, part 2`.
pub fn cited_page(page: u32, unpaged: bool) -> String {
    match (unpaged, page) {
        (false, page) => format!("p. {page}"),
        (true, 1) => "no page".to_owned(),
        (true, part) => format!("no page, part {part}"),
    }
}

/// Numbers and stamps on a page, or on a part of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Printed<'p> {
    /// Its label, if that is not its number.
    pub label: Option<&'p str>,
    /// Stamps of exhibits.
    pub exhibits: &'p [String],
    /// The numbers of the paragraphs, as [`number_range`] writes them.
    pub numbers: Option<&'p str>,
    pub bates: Option<&'p str>,
    /// For a sheet: its name and the cited rows, as [`cited_rows`] writes them. These are not printed, but people find them.
    pub sheet: Option<&'p str>,
}

/// As [`cited_page`], with the printed labels: `p. 7 (A-1, Exhibit 3, ¶ 12, Bates SMITH000042)`.
pub fn printed_page(page: u32, unpaged: bool, printed: &Printed<'_>) -> String {
    let cited = cited_page(page, unpaged);
    let mut parts: Vec<String> = printed.label.map(str::to_owned).into_iter().collect();
    parts.extend_from_slice(printed.exhibits);
    parts.extend(printed.numbers.map(cited_numbers));
    parts.extend(printed.bates.map(|number| format!("Bates {number}")));
    parts.extend(printed.sheet.map(str::to_owned));
    if parts.is_empty() { cited } else { format!("{cited} ({})", parts.join(", ")) }
}

/// `sheet "Ledger", row 12` or `sheet "Ledger", rows 12-14`; without the name of a sheet that has that of its file.
pub fn cited_rows(sheet: Option<&str>, rows: Option<RowRange>) -> String {
    let sheet = sheet.map(|name| format!("sheet \"{}\"", name.replace('"', "'")));
    let rows = rows.map(|rows| {
        let number = number_range((rows.start, rows.end));
        if rows.start == rows.end { format!("row {number}") } else { format!("rows {number}") }
    });
    sheet.into_iter().chain(rows).collect::<Vec<_>>().join(", ")
}

/// `12` or `12-14`.
pub fn number_range((first, last): (u32, u32)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// `¶ 12` or `¶¶ 12-14`, of the output of [`number_range`].
pub fn cited_numbers(numbers: &str) -> String {
    if numbers.contains('-') { format!("¶¶ {numbers}") } else { format!("¶ {numbers}") }
}

/// True if the stamp is the exhibit that `meant` names: `12`, `Exhibit 12`, `Plaintiff 12` for `PLAINTIFF'S EXHIBIT 12`. The last word is
/// the same, and the stamp has all the others; capitals, possessives and words for "exhibit" do not matter.
pub fn is_exhibit(stamp: &str, meant: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let lower = text.to_lowercase().replace(['\'', '’'], "");
        let word = |word: &str| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            let stem =
                word.strip_suffix('s').filter(|stem| stem.chars().count() > 4 && stem.chars().all(char::is_alphabetic));
            stem.unwrap_or(word).to_owned()
        };
        lower
            .split_whitespace()
            .map(word)
            .filter(|word| !matches!(&**word, "" | "exhibit" | "exh" | "ex" | "no" | "number"))
            .collect()
    };
    let (stamp, meant) = (words(stamp), words(meant));
    meant.last().is_some_and(|last| stamp.last() == Some(last)) && meant.iter().all(|word| stamp.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_cited_with_what_is_printed_on_them() {
        let exhibits = ["Exhibit 3".to_owned()];
        let all = Printed {
            label: Some("A-1"),
            exhibits: &exhibits,
            numbers: Some("12-14"),
            bates: Some("SM42"),
            sheet: Some("row 2"),
        };
        assert_eq!(printed_page(7, false, &all), "p. 7 (A-1, Exhibit 3, ¶¶ 12-14, Bates SM42, row 2)");
        let one = Printed { numbers: Some("12"), ..Printed::default() };
        assert_eq!(printed_page(1, true, &one), "no page (¶ 12)");
        assert_eq!(printed_page(7, false, &Printed::default()), "p. 7");
    }

    #[test]
    fn exhibits_are_known_by_their_number_and_party() {
        for (stamp, meant, is_meant) in [
            ("PLAINTIFF'S EXHIBIT 12", "12", true),
            ("PLAINTIFF'S EXHIBIT 12", "plaintiff 12", true),
            ("Plaintiffs’ Exhibit 12", "Plaintiff's Exhibit 12", true),
            ("Exhibit A", "exhibit a", true),
            ("Exhibit A", "Exhibit No. A", true),
            ("Exhibit A-1", "A", false),
            ("Plaintiff's Exhibit 12", "Defendant's Exhibit 12", false),
            ("Exhibit 12", "exhibit", false),
        ] {
            assert_eq!(is_exhibit(stamp, meant), is_meant, "{stamp} {meant}");
        }
    }
}
