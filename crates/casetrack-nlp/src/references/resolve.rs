//! The heading of the document that an internal reference means.

use std::collections::HashMap;

use super::labels::PartWord;
use crate::numbers::roman;

/// Words for parts with numbers in the languages that have rules of their own; headings over them often have the bare number.
const NUMBERED: &[&str] = &["artikel", "artículo", "articolo", "ziffer", "abschnitt", "cláusula", "clausola"];

/// The headings of one document by the parts that they begin.
#[derive(Debug, Default)]
pub struct Headings {
    by_name: HashMap<String, usize>,
}

impl Headings {
    /// Of two headings for the same part the last wins: the first is in a table of contents.
    pub fn new<'a>(headings: impl IntoIterator<Item = &'a str>) -> Headings {
        let mut by_name = HashMap::new();
        for (at, heading) in headings.into_iter().enumerate() {
            for key in heading_keys(heading) {
                by_name.insert(key, at);
            }
        }
        Headings { by_name }
    }

    /// The index of the heading over the part that an internal reference names: "Section 4.2(b)" → "4.2 Payment".
    ///
    /// If a level has no heading, the one over the part that contains it: "Section 4.2.1" → "4.2 Payment". "Section 3"
    /// is also sought as "Article 3" and "Clause 3", as headings often have the bare number.
    pub fn resolve(&self, name: &str) -> Option<usize> {
        let (part, label) = name.split_once(' ').unwrap_or((name, ""));
        let part = if part == "§" { "section".to_owned() } else { part.to_lowercase() };
        let mut label = label.to_lowercase();
        loop {
            let numbered = matches!(part.as_str(), "section" | "article" | "clause" | "paragraph" | "chapter")
                || NUMBERED.contains(&part.as_str());
            let found = self
                .by_name
                .get(&format!("{part} {label}"))
                .or_else(|| numbered.then(|| self.by_name.get(&format!("# {label}"))).flatten());
            if let Some(found) = found {
                return Some(*found);
            }
            // up one level, but never from a whole number: "14 Abs. 2" is in "14"
            let cut = label.rfind(['(', '.', ' '])?;
            label.truncate(cut);
        }
    }
}

/// "4.2 Payment" → "# 4.2"; "ARTICLE IV - TERM" → "article 4"; "Exhibit B" → "exhibit b".
fn heading_keys(text: &str) -> Vec<String> {
    let lower = text.trim().to_lowercase();
    let mut words = lower.split_whitespace();
    let Some(first) = words.next() else { return Vec::new() };
    let bare = |word: &str| {
        word.trim_matches(|c: char| !c.is_alphanumeric() && c != '(' && c != ')')
            .trim_end_matches(['.', ':'])
            .to_owned()
    };
    if let Some(part) = PartWord::of(&bare(first)).filter(|part| part.has("heading")) {
        return labelled(&part.name.to_lowercase(), words.next().map(bare));
    }
    if first.starts_with('§') {
        let number = Some(first.trim_start_matches('§')).filter(|glued| !glued.is_empty()).or_else(|| words.next());
        return labelled("section", number.map(bare));
    }
    let number = bare(first);
    let numeric = number.starts_with(|c: char| c.is_ascii_digit())
        && number.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '(' | ')' | '-'));
    if numeric { vec![format!("# {}", number.trim_end_matches(".0"))] } else { Vec::new() }
}

fn labelled(part: &str, label: Option<String>) -> Vec<String> {
    let label = label.unwrap_or_default();
    let foreign = NUMBERED.contains(&part);
    let numbered = matches!(part, "article" | "part" | "section" | "chapter") || foreign;
    let label = match roman(&label).filter(|_| numbered) {
        Some(value) => value.to_string(),
        None => label,
    };
    let mut keys = vec![format!("{part} {label}")];
    if part == "article" || part == "section" || part == "clause" || foreign {
        keys.push(format!("# {label}"));
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headings(texts: &[&str]) -> Headings {
        Headings::new(texts.iter().copied())
    }

    #[test]
    fn an_internal_reference_means_its_heading() {
        let found = headings(&[
            "ARTICLE IV - TERM",
            "4.2 Payment",
            "Section 5. Notices",
            "Exhibit B: Prices",
            "Annex",
            "12. Law",
            "§ 14 Haftung",
            "§15 Laufzeit",
            "Anlage 2: Preise",
            "Artículo 7. Objeto",
            "ALLEGATO C",
        ]);
        for (name, expected) in [
            ("Article 4", Some(0)),
            ("Section 4.2", Some(1)),
            ("Section 4.2(b)", Some(1)),
            ("Section 4.2.7", Some(1)),
            ("Section 5", Some(2)),
            ("Exhibit B", Some(3)),
            ("Exhibit C", None),
            ("Clause 12", Some(5)),
            ("Section 1", None),
            ("Table 5", None),
            ("Section 14(2)", Some(6)),
            ("§ 14 Abs. 2 Satz 1", Some(6)),
            ("§ 15", Some(7)),
            ("§ 16", None),
            ("Ziffer 4.2", Some(1)),
            ("Anlage 2", Some(8)),
            ("Artículo 7.1", Some(9)),
            ("Allegato C", Some(10)),
        ] {
            assert_eq!(found.resolve(name), expected, "{name}");
        }
    }

    #[test]
    fn the_heading_after_the_table_of_contents_counts() {
        assert_eq!(headings(&["1. Scope", "2. Term", "1. Scope"]).resolve("Section 1"), Some(2));
    }
}
