//! Phrases that run over a page break. The index has no passage with them, because a passage is of one page.

use std::collections::{BTreeSet, HashMap};

use casetrack_core::{CitationStyle, DocumentId, Result};
use casetrack_store::{Collection, Conditions, Selection, WordConditions};

use super::finder::{Finder, place};
use super::places::{QuotePlace, of};
use super::symbols::{Row, symbols};
use super::tokens::{Class, Token, tokens};
use super::window::Window;

/// Most page breaks whose text is read for a phrase.
const MAX_BREAKS: usize = 2_000;
/// Most places that are described.
const MAX_PLACES: usize = 5;

/// The places at which a phrase runs over page breaks.
#[derive(Debug, Default)]
pub struct Broken {
    pub total: u64,
    /// The first five.
    pub places: Vec<QuotePlace>,
    /// True if there may be more: some page breaks were not read.
    pub is_cut: bool,
}

/// Looks for a phrase at the page breaks of the documents that `base` (`None` for all) has passages of. Words are the same letter by letter, but
/// except for case; running lines are left out. Costs some milliseconds: only page breaks next to its rarest word are read.
pub fn over_page_breaks(
    collection: &Collection,
    style: &CitationStyle,
    phrase: &str,
    base: Option<&Selection>,
) -> Result<Broken> {
    let chars: Vec<char> = phrase.chars().collect();
    let wanted = spoken(&Row { chars: &chars, symbols: &symbols(&chars, &[]) });
    let mut broken = Broken::default();
    if wanted.len() < 2 || phrase.contains('*') {
        return Ok(broken);
    }
    let mut rarest: Option<Selection> = None;
    for (word, _) in &wanted {
        let words = WordConditions { required: vec![word.clone()], ..WordConditions::default() };
        let found = collection.select(&Conditions { words, ..Conditions::default() })?;
        if rarest.as_ref().is_none_or(|rarest| found.chunks() < rarest.chunks()) {
            rarest = Some(found);
        }
    }
    let Some(rarest) = rarest.map(|found| base.map(|base| base.within(&found)).unwrap_or(found)) else {
        return Ok(broken);
    };
    let mut finder = Finder::new(collection, style.clone());
    for (document, first) in breaks(collection, &rarest, &mut broken.is_cut)? {
        let mut window = Window::read(&mut finder.passages, document, first..first + 2)?;
        let mut found = across(&window, &wanted);
        if found.is_none() && has_all(&window, &wanted) {
            finder.leave_out_running(&mut window)?;
            found = across(&window, &wanted);
        }
        if let Some(found) = found.and_then(|chars| place(&window, &chars)) {
            broken.total += 1;
            if broken.places.len() < MAX_PLACES {
                broken.places.push(of(&mut finder, &found)?);
            }
        }
    }
    Ok(broken)
}

/// The last chunks before page breaks next to some chunks. A sheet does not continue in the next one.
fn breaks(collection: &Collection, chunks: &Selection, is_cut: &mut bool) -> Result<BTreeSet<(DocumentId, u32)>> {
    let mut spans = HashMap::new();
    let mut breaks = BTreeSet::new();
    for (document, index) in collection.places(chunks) {
        let pages: &Vec<u32> = match spans.entry(document) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                let is_sheets = collection.chunk_at(document, 0)?.is_some_and(|chunk| chunk.sheet_name.is_some());
                let spans = if is_sheets { Vec::new() } else { collection.chunk_spans(document)? };
                entry.insert(spans.into_iter().map(|span| span.page).collect())
            }
        };
        let page = |at: Option<u32>| pages.get(at? as usize).copied();
        for (last, next) in [(Some(index), index.checked_add(1)), (index.checked_sub(1), Some(index))] {
            if let (Some(before), Some(after), Some(last)) = (page(last), page(next), last)
                && before != after
            {
                breaks.insert((document, last));
            }
        }
        if breaks.len() > MAX_BREAKS {
            *is_cut = true;
            breaks.pop_last();
            break;
        }
    }
    Ok(breaks)
}

/// The words and numbers of a text in small letters, with their tokens.
fn spoken(row: &Row<'_>) -> Vec<(String, Token)> {
    let said = tokens(row, 0..row.symbols.len()).into_iter();
    let said = said.filter(|token| matches!(token.class, Class::Word | Class::Number));
    said.map(|token| (token.text.to_lowercase(), token)).collect()
}

/// The characters of a phrase that begins on one page and ends on the next.
fn across(window: &Window, wanted: &[(String, Token)]) -> Option<std::ops::Range<usize>> {
    let said = spoken(&window.row());
    let page = |at: usize| window.spot(at).map(|spot| spot.page);
    said.windows(wanted.len()).find_map(|run| {
        let is_same = run.iter().zip(wanted).all(|((own, _), (word, _))| own == word);
        let (first, last) = (run.first()?, run.last()?);
        let chars = window.chars_of(&(first.1.place.start..last.1.place.end));
        (is_same && page(chars.start) != page(chars.end.checked_sub(1)?)).then_some(chars)
    })
}

fn has_all(window: &Window, wanted: &[(String, Token)]) -> bool {
    let said = spoken(&window.row());
    wanted.iter().all(|(word, _)| said.iter().any(|(own, _)| own == word))
}
