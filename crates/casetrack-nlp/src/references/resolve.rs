//! What a reference means: the heading of the same document, or the document of the collection.

use std::collections::HashMap;

use crate::numbers::roman;

/// A heading of a document: its text, its page and where it begins there, in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    pub text: String,
    pub page: u32,
    pub char_start: u32,
}

/// The headings of one document by the parts that they begin.
#[derive(Debug, Default)]
pub struct Headings {
    by_name: HashMap<String, usize>,
}

impl Headings {
    /// Of two headings for the same part the last wins: the first stands in a table of contents.
    pub fn new(headings: &[Heading]) -> Headings {
        let mut by_name = HashMap::new();
        for (at, heading) in headings.iter().enumerate() {
            for key in heading_keys(&heading.text) {
                by_name.insert(key, at);
            }
        }
        Headings { by_name }
    }

    /// The index of the heading over the part that an internal reference names: "Section 4.2(b)" → "4.2 Payment".
    ///
    /// Where a level has no heading, the one over the part that contains it: "Section 4.2.1" → "4.2 Payment". "Section 3" is also
    /// sought as "Article 3" and "Clause 3", as headings often have the bare number.
    pub fn resolve(&self, name: &str) -> Option<usize> {
        let (part, label) = name.split_once(' ').unwrap_or((name, ""));
        let part = part.to_lowercase();
        let mut label = label.to_lowercase();
        loop {
            let numbered = matches!(part.as_str(), "section" | "article" | "clause" | "paragraph" | "chapter");
            let found = self
                .by_name
                .get(&format!("{part} {label}"))
                .or_else(|| numbered.then(|| self.by_name.get(&format!("# {label}"))).flatten());
            if let Some(found) = found {
                return Some(*found);
            }
            // up one level, but never from a whole number
            let cut = label.rfind(['(', '.'])?;
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
    let part = match bare(first).as_str() {
        "section" | "sec" | "§" => Some("section"),
        "article" | "art" => Some("article"),
        known @ ("clause" | "exhibit" | "schedule" | "annex" | "appendix" | "attachment" | "part" | "chapter"
        | "table" | "paragraph") => {
            return labelled(known, words.next().map(bare));
        }
        "figure" | "fig" => Some("figure"),
        _ if first.starts_with('§') => return labelled("section", Some(bare(first.trim_start_matches('§')))),
        _ => None,
    };
    if let Some(part) = part {
        return labelled(part, words.next().map(bare));
    }
    let number = bare(first);
    let numeric = number.starts_with(|c: char| c.is_ascii_digit())
        && number.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '(' | ')' | '-'));
    if numeric { vec![format!("# {}", number.trim_end_matches(".0"))] } else { Vec::new() }
}

fn labelled(part: &str, label: Option<String>) -> Vec<String> {
    let label = label.unwrap_or_default();
    let numbered = matches!(part, "article" | "part" | "section" | "chapter");
    let label = match roman(&label).filter(|_| numbered) {
        Some(value) => value.to_string(),
        None => label,
    };
    let mut keys = vec![format!("{part} {label}")];
    if part == "article" || part == "section" || part == "clause" {
        keys.push(format!("# {label}"));
    }
    keys
}

/// Documents of a collection by their names and titles.
#[derive(Debug, Default)]
pub struct Titles {
    by_title: HashMap<String, Option<usize>>,
}

impl Titles {
    /// The names and titles of each document, in the order of the documents.
    pub fn new<'a>(documents: impl IntoIterator<Item = Vec<&'a str>>) -> Titles {
        let mut by_title: HashMap<String, Option<usize>> = HashMap::new();
        for (at, names) in documents.into_iter().enumerate() {
            for name in names {
                let key = normalized(name);
                if key.is_empty() {
                    continue;
                }
                let known = by_title.entry(key).or_insert(Some(at));
                if *known != Some(at) {
                    *known = None;
                }
            }
        }
        Titles { by_title }
    }

    /// The index of the one document that a reference names; `None` where none or more than one has that title.
    ///
    /// A version or date in the reference must be in the name too, or the name must be the only one of that title without any.
    pub fn resolve(&self, name: &str) -> Option<usize> {
        if let Some(found) = self.by_title.get(&normalized(name)) {
            return *found;
        }
        let title = name.split(" (").next().unwrap_or(name);
        (title != name).then(|| self.by_title.get(&normalized(title)).copied().flatten()).flatten()
    }
}

/// Lower-case words and numbers with one space between, without the extension of a file.
fn normalized(name: &str) -> String {
    let stem = match name.rsplit_once('.') {
        Some((stem, extension))
            if (2..=4).contains(&extension.len())
                && extension.chars().all(|c| c.is_ascii_alphanumeric())
                && extension.chars().any(char::is_alphabetic) =>
        {
            stem
        }
        _ => name,
    };
    let mut out = String::new();
    for word in stem.split(|c: char| !(c.is_alphanumeric() || c == '.')).filter(|word| !word.is_empty()) {
        let word = word.trim_matches('.').to_lowercase();
        if matches!(word.as_str(), "the" | "a" | "an") || word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headings(texts: &[&str]) -> Headings {
        let headings: Vec<Heading> =
            texts.iter().map(|text| Heading { text: (*text).to_owned(), page: 1, char_start: 0 }).collect();
        Headings::new(&headings)
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
        ] {
            assert_eq!(found.resolve(name), expected, "{name}");
        }
    }

    #[test]
    fn the_heading_after_the_table_of_contents_counts() {
        assert_eq!(headings(&["1. Scope", "2. Term", "1. Scope"]).resolve("Section 1"), Some(2));
    }

    #[test]
    fn a_document_is_meant_only_when_its_title_is_the_only_one() {
        let titles = Titles::new([
            vec!["Master_Service_Agreement_v2.1.docx", "Master Service Agreement v2.1"],
            vec!["Budget_2023.xlsx"],
            vec!["lease.pdf", "Lease Agreement"],
            vec!["lease2.pdf", "Lease Agreement"],
            vec!["credit.pdf", "The Credit Agreement"],
        ]);
        for (name, expected) in [
            ("Master Service Agreement v2.1", Some(0)),
            ("Master Service Agreement v3", None),
            ("Budget_2023.xlsx", Some(1)),
            ("Lease Agreement", None),
            ("Credit Agreement (2018-06-05)", Some(4)),
            ("Supply Agreement", None),
        ] {
            assert_eq!(titles.resolve(name), expected, "{name}");
        }
    }
}
