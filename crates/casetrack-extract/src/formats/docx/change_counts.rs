//! Tracked changes that are counted, but not listed: of formatting (17.13.5), and cells of tables that were merged or split (17.13.5.3).

use std::collections::BTreeSet;

use casetrack_core::UNLISTED_CHANGES;
use casetrack_pages::container::xml::{XmlError, XmlReader};

const MAX_NAMED: usize = 5;

#[derive(Default)]
struct Counted {
    count: u32,
    authors: BTreeSet<String>,
    others: bool,
}

impl Counted {
    fn add(&mut self, author: Option<String>) {
        self.count += 1;
        let Some(author) = author.map(|author| author.trim().to_owned()).filter(|author| !author.is_empty()) else {
            return;
        };
        match self.authors.len() < MAX_NAMED || self.authors.contains(&author) {
            true => drop(self.authors.insert(author)),
            false => self.others = true,
        }
    }

    fn said(&self, of: &str) -> Option<String> {
        let names: Vec<&str> = self.authors.iter().map(String::as_str).chain(self.others.then_some("others")).collect();
        let by = if names.is_empty() { String::new() } else { format!(" (by {})", names.join(", ")) };
        (self.count > 0).then(|| format!("{} of {of}{by}", self.count))
    }
}

/// The warning that names the changes of these parts that are not listed, if there are any. Parts without one are not parsed.
pub(super) fn warning(parts: &[&str]) -> Option<String> {
    let (mut formatting, mut cells) = (Counted::default(), Counted::default());
    for xml in parts.iter().filter(|xml| ["Change ", "Change>", "cellMerge"].iter().any(|name| xml.contains(name))) {
        // Damage is met, and reported, when the text is read.
        let _ = count(xml, &mut formatting, &mut cells);
    }
    let said: Vec<String> = formatting.said("formatting").into_iter().chain(cells.said("merged table cells")).collect();
    (!said.is_empty())
        .then(|| format!("{UNLISTED_CHANGES}: {}. The text is as if they were accepted.", said.join(", ")))
}

fn count(xml: &str, formatting: &mut Counted, cells: &mut Counted) -> Result<(), XmlError> {
    let mut xml = XmlReader::new(xml);
    while let Some(element) = xml.next_start(0)? {
        match element.name() {
            "rPrChange" | "pPrChange" | "sectPrChange" | "tblPrChange" | "tblPrExChange" | "tblGridChange"
            | "tcPrChange" | "trPrChange" | "numberingChange" => {
                formatting.add(element.attribute("author"));
                xml.skip()?;
            }
            "cellMerge" => cells.add(element.attribute("author")),
            _ => {}
        }
    }
    Ok(())
}
