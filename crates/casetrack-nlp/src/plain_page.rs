//! The text of a page in the one form in which names are recognized, and the way back to its places.

use casetrack_core::same_text::{cluster, composed};

/// Dashes that writers put between the parts of a name; longer ones divide sentences.
const DASHES: [char; 3] = ['\u{2010}', '\u{2011}', '\u{2013}'];

/// A text with composed letters, and with a hyphen in the place of a dash between a letter and a capital: "Smith–Jones".
#[derive(Debug)]
pub(crate) struct PlainPage {
    pub text: String,
    /// The characters of the page before each of its characters, and all of the page; empty if they are as many.
    places: Vec<u32>,
}

impl PlainPage {
    /// `None` for a text that is in this form already.
    pub fn of(page: &str) -> Option<Self> {
        let is_composed = matches!(composed(page), std::borrow::Cow::Borrowed(_));
        let has_dash = page.contains(DASHES) && with_hyphens(page) != page;
        if is_composed {
            return has_dash.then(|| Self { text: with_hyphens(page), places: Vec::new() });
        }
        let (mut text, mut places) = (String::with_capacity(page.len()), Vec::with_capacity(page.len()));
        let (mut rest, mut place) = (page, 0);
        while !rest.is_empty() {
            let (letter, behind) = rest.split_at(cluster(rest));
            let written = composed(letter);
            text.push_str(&written);
            places.extend(written.chars().map(|_| place));
            place += letter.chars().count() as u32;
            rest = behind;
        }
        places.push(place);
        Some(Self { text: with_hyphens(&text), places })
    }

    /// Converts characters of the text to characters of the page, half-open.
    pub fn on_page(&self, start: u32, end: u32) -> (u32, u32) {
        let place = |char: u32| self.places.get(char as usize).copied().unwrap_or(char);
        if self.places.is_empty() { (start, end) } else { (place(start), place(end)) }
    }
}

fn with_hyphens(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut follows_letter = false;
    while let Some(c) = chars.next() {
        let joins = DASHES.contains(&c) && follows_letter && chars.peek().is_some_and(|next| next.is_uppercase());
        written.push(if joins { '-' } else { c });
        follows_letter = c.is_alphabetic();
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_within_names_are_hyphens_and_others_stay() {
        for (page, text) in [
            ("between Smith–Jones Ltd and", "between Smith-Jones Ltd and"),
            ("Baden‑Württemberg", "Baden-Württemberg"),
            ("Müller–Österreich GmbH, 2020–2021", "Müller-Österreich GmbH, 2020–2021"),
        ] {
            assert_eq!(PlainPage::of(page).unwrap().text, text);
        }
        for page in ["pages 3–5", "the rent – the Rent", "rent—The", "five–year", "plain text", "Müller"] {
            assert!(PlainPage::of(page).is_none(), "{page}");
        }
    }

    #[test]
    fn places_lead_back_to_the_page() {
        let page = "Der Vertrag mit Mu\u{308}ller–Bu\u{308}chner GmbH und Nguye\u{302}\u{303}n Va\u{306}n Hu\u{300}ng.";
        let plain = PlainPage::of(page).unwrap();
        assert_eq!(plain.text, "Der Vertrag mit Müller-Büchner GmbH und Nguyễn Văn Hùng.");
        for (name, written) in [
            ("Müller-Büchner GmbH", "Mu\u{308}ller–Bu\u{308}chner GmbH"),
            ("Nguyễn Văn Hùng", "Nguye\u{302}\u{303}n Va\u{306}n Hu\u{300}ng"),
            ("Hùng.", "Hu\u{300}ng."),
        ] {
            let start = plain.text[..plain.text.find(name).unwrap()].chars().count() as u32;
            let (start, end) = plain.on_page(start, start + name.chars().count() as u32);
            let found: String = page.chars().skip(start as usize).take((end - start) as usize).collect();
            assert_eq!(found, written);
        }
    }
}
