//! Checks that a place is in a section, as far as headings show it.

/// Words that may precede the number of a section.
const WORDS: [&str; 9] = ["section", "sec", "clause", "cl", "article", "art", "paragraph", "para", "§"];
const PARTS: [&str; 4] = ["exhibit", "schedule", "annex", "appendix"];

/// The number that a heading or paragraph begins with: "4.2 Payment", "Section 4.2", "ARTICLE IV".
pub(super) fn numbering(head: &str) -> Option<&str> {
    let mut words =
        head.split(|c: char| c.is_whitespace() || matches!(c, ':' | ',' | '—')).filter(|word| !word.is_empty());
    let first = words.next()?;
    let folded = first.trim_end_matches('.').to_lowercase();
    let word = if WORDS.contains(&folded.as_str()) { words.next()? } else { first };
    let number = word.trim_matches(['.', ')', '(', '§']);
    // "30 days after the invoice" begins with no number of its own.
    let is_whole = word.chars().all(|c| c.is_ascii_digit());
    let is_unit = |next: &str| matches!(next, "per" | "percent" | "million" | "billion" | "times" | "months" | "years");
    let counts = word == first
        && words.next().is_some_and(|next| is_unit(next) || is_whole && next.starts_with(char::is_lowercase));
    (is_numbering(number) && !counts).then_some(number)
}

/// True if a line begins with a number that is marked as one: "4.", "(a)", "4.2", "Section 4".
pub(super) fn is_marked(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    first.contains(['.', ')']) || WORDS.contains(&first.to_lowercase().as_str())
}

/// True if a place is in the section with a number. Known only if some heading has the number, or another one of its kind.
pub(super) fn section_fits(section: &str, heads: &[String]) -> Option<bool> {
    let base = base(section);
    let found: Vec<&str> = heads.iter().filter_map(|head| numbering(head)).collect();
    if found.iter().any(|number| is_in(number, base)) {
        return Some(true);
    }
    let above = |number: &&str| base.strip_prefix(*number).is_some_and(|rest| rest.starts_with('.'));
    if found.iter().any(above) || !found.iter().any(|number| is_comparable(number, base)) {
        return None;
    }
    Some(false)
}

/// True if a place is in the exhibit, schedule or annex with a number; `None` if no heading names one.
pub(super) fn part_fits(part: &str, heads: &[String]) -> Option<bool> {
    let named = |head: &String| {
        let mut words = head.split_whitespace();
        let word = words.next()?.to_lowercase();
        let number = words.next()?.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        PARTS.contains(&word.as_str()).then_some(number)
    };
    let named: Vec<String> = heads.iter().filter_map(named).collect();
    if named.is_empty() { None } else { Some(named.iter().any(|number| number.eq_ignore_ascii_case(part))) }
}

/// Without the part in brackets: "4.2" of "4.2(b)".
pub(super) fn base(section: &str) -> &str {
    section.split('(').next().unwrap_or(section).trim_end_matches('.')
}

/// True if a numbering names a section or a part of it. Clause 4.2 is in clause 4; a place in clause 4 may be in 4.2.
pub(super) fn is_in(number: &str, base: &str) -> bool {
    number.eq_ignore_ascii_case(base)
        || number.split('(').next() == Some(base)
        || number.strip_prefix(base).is_some_and(|rest| rest.starts_with('.'))
}

/// True if both are of digits, or neither.
pub(super) fn is_comparable(number: &str, base: &str) -> bool {
    number.starts_with(|c: char| c.is_ascii_digit()) == base.starts_with(|c: char| c.is_ascii_digit())
}

fn is_numbering(word: &str) -> bool {
    let digits = word.starts_with(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '(' | ')'));
    digits || !word.is_empty() && word.chars().all(|c| matches!(c, 'I' | 'V' | 'X' | 'L'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_fit_where_a_heading_says_so() {
        for (section, heads, expected) in [
            ("4.2", &["4 Rent", "4.2 Payment"][..], Some(true)),
            ("4.2(b)", &["4.2 Payment"], Some(true)),
            ("4", &["Section 4.2 Payment"], Some(true)),
            ("4.2", &["4. Rent"], None),
            ("4.2", &["5. Term"], Some(false)),
            ("4.2", &["Recitals"], None),
            ("4.2", &["EXHIBIT 10.1", "30 days after the invoice"], None),
            ("IV", &["ARTICLE IV", "Rent"], Some(true)),
            ("4", &["ARTICLE IV"], None),
        ] {
            let heads: Vec<String> = heads.iter().map(|&head| head.to_owned()).collect();
            assert_eq!(section_fits(section, &heads), expected, "{section} {heads:?}");
        }
        let heads = |head: &str| vec![head.to_owned()];
        assert_eq!(part_fits("B", &heads("EXHIBIT B: Fees")), Some(true));
        assert_eq!(part_fits("B", &heads("Exhibit A")), Some(false));
        assert_eq!(part_fits("2", &heads("4.2 Payment")), None);
    }
}
