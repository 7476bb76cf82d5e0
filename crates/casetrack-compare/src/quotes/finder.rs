//! One quotation against the documents of a collection.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use casetrack_core::{CitationStyle, DocumentId, Page, PageOrigin, Result};
use casetrack_extract::running_lines;
use casetrack_store::{Collection, Passages};

use super::align::{Alignment, Step, StepKind, align};
use super::alterations::{MarkedChange, marked_changes};
use super::candidates::{Candidates, ChunkPlace, candidates, keyword_hits};
use super::differences::{Difference, DifferenceKind, Sides};
use super::originals::Originals;
use super::parts::{Part, Pattern};
use super::symbols::{Row, Typography};
use super::tokens::{Token, tokens};
use super::window::{Spot, Window};
use casetrack_host::documents::tracked_changes::CitedChange;

/// Characters of a chunk that are sure to be new text; a window has as many chunks as a quotation may need.
const CHUNK_CHARS: usize = 800;
/// Characters that an ellipsis may stand for.
const ELLIPSIS_CHARS: usize = 2_400;
/// Most chunks on each side of a candidate.
const MAX_SIDE: u32 = 24;
/// Candidates whose running lines are left out, to compare the text on both sides of them.
const MAX_RUNNING: usize = 3;
/// Windows without the quotation that are kept for this.
const MAX_LEFT: usize = 8;
/// Candidates that are looked at for a passage that is nearly the same, and how many of them are compared word by word.
const MAX_NEAR: usize = 12;
const MAX_ALIGNED: usize = 4;
/// Candidates are ordered by the number of words that they share with the quotation. After a candidate with this similarity,
/// candidates with fewer shared words are not better.
const ENOUGH: f32 = 0.9;
/// A passage less like the quotation is not its source.
pub(super) const LEAST_LIKENESS: f32 = 0.5;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct QuoteMatch {
    pub document: DocumentId,
    pub start: Spot,
    /// Behind the last character.
    pub end: Spot,
    pub typography: BTreeSet<Typography>,
    pub marked: Vec<MarkedChange>,
    pub differences: Vec<Difference>,
}

/// The result of the search for a quotation in a collection.
pub(super) enum Finding {
    /// Every place that has its words, by document and place; there may be more if the list is cut.
    Exact {
        places: Vec<QuoteMatch>,
        is_cut: bool,
    },
    /// The passage that is most like it.
    Near {
        place: Box<QuoteMatch>,
        likeness: f32,
    },
    Nothing,
}

/// Looks for quotations in one collection, as of one moment.
pub(super) struct Finder<'c> {
    pub collection: &'c Collection,
    pub passages: Passages<'c>,
    pub style: CitationStyle,
    running: HashMap<DocumentId, Vec<Vec<Range<u32>>>>,
    /// Read when the first quotation is not found.
    originals: Option<Originals>,
}

impl<'c> Finder<'c> {
    pub fn new(collection: &'c Collection, style: CitationStyle) -> Self {
        Self { collection, passages: collection.passages(), style, running: HashMap::new(), originals: None }
    }

    pub fn page(&self, document: DocumentId, number: u32) -> Result<Option<Page>> {
        self.collection.page(document, number)
    }

    pub fn origin(&self, document: DocumentId, page: u32) -> Result<PageOrigin> {
        self.collection.page_origin(document, page)
    }

    pub fn bates(&self, document: DocumentId) -> Result<Vec<(u32, String)>> {
        self.collection.bates(document)
    }

    /// The tracked changes that took a quotation out of some documents (`None` for all), at most three.
    pub fn changed_by(&mut self, quotation: &str, documents: Option<&[DocumentId]>) -> Result<Vec<CitedChange>> {
        let originals = match self.originals.take() {
            Some(known) => known,
            None => Originals::read(self.collection)?,
        };
        self.originals.insert(originals).find(self.collection, quotation, documents)
    }

    /// Looks for a quotation in some documents (`None` for all).
    pub fn find(&mut self, quotation: &str, documents: Option<&[DocumentId]>) -> Result<Finding> {
        let readings = Pattern::readings(quotation);
        // The quotation without its marks is looked up.
        let Some(reading) = readings.iter().filter(|reading| !reading.is_closed).max_by_key(|one| one.parts.len())
        else {
            return Ok(Finding::Nothing);
        };
        let candidates = candidates(self.collection, reading, documents)?;
        let side = side(reading);
        let (places, left) = self.exact(&readings, &candidates, side)?;
        if !places.is_empty() {
            return Ok(Finding::Exact { places, is_cut: candidates.is_cut });
        }
        let near = self.near(quotation, reading, &candidates, left, side, documents)?;
        Ok(near.unwrap_or(Finding::Nothing))
    }

    /// The places of the strictest reading that fits anywhere, and the windows without one.
    fn exact(
        &mut self,
        readings: &[Pattern],
        candidates: &Candidates,
        side: u32,
    ) -> Result<(Vec<QuoteMatch>, Vec<Window>)> {
        let mut best = (usize::MAX, Vec::new());
        let mut left: Vec<(u32, Window)> = Vec::new();
        for (document, chunks) in ranges(&candidates.chunks, side) {
            let window = Window::read(&mut self.passages, document, chunks.clone())?;
            if !collect(&window, readings, &mut best) {
                let votes = chunks.map(|index| candidates.votes.get(&(document, index)).copied().unwrap_or_default());
                left.push((votes.sum(), window));
                if left.len() > 4 * MAX_LEFT {
                    keep_best(&mut left);
                }
            }
        }
        // A running line may be between the words.
        keep_best(&mut left);
        let least = candidates.phrases.saturating_sub(1).max(1);
        for (_, window) in left.iter_mut().take_while(|(votes, _)| *votes >= least).take(MAX_RUNNING) {
            self.leave_out_running(window)?;
            if !window.running.is_empty() {
                collect(window, readings, &mut best);
            }
        }
        let (_, mut places) = best;
        places.sort_by_key(|found: &QuoteMatch| (found.document, found.start.page, found.start.char));
        places.dedup_by_key(|found| (found.document, found.start.page, found.start.char));
        Ok((places, left.into_iter().map(|(_, window)| window).collect()))
    }

    pub fn leave_out_running(&mut self, window: &mut Window) -> Result<()> {
        let running = match self.running.entry(window.document) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(entry) => {
                let count = self.passages.document(window.document)?.map_or(0, |document| document.meta.page_count);
                let pages = (1..=count).filter_map(|page| self.collection.page(window.document, page).transpose());
                entry.insert(running_lines(&pages.collect::<Result<Vec<Page>>>()?))
            }
        };
        window.leave_out(running);
        Ok(())
    }

    /// The passage that is most like a quotation, if one is like it at all.
    fn near(
        &mut self,
        quotation: &str,
        reading: &Pattern,
        candidates: &Candidates,
        mut known: Vec<Window>,
        side: u32,
        documents: Option<&[DocumentId]>,
    ) -> Result<Option<Finding>> {
        let sides = quotation_tokens(reading);
        let mut hits = keyword_hits(self.collection, quotation, documents)?;
        let mut voted: Vec<(&ChunkPlace, &u32)> = candidates.votes.iter().collect();
        voted.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
        hits.extend(voted.into_iter().take(MAX_NEAR).map(|(place, _)| *place));
        let mut best: Option<(Alignment, Vec<Token>, Window)> = None;
        let mut aligned: Vec<(DocumentId, Range<u32>)> = Vec::new();
        let mut enough = None;
        for (shared, (document, index)) in self.ranked(hits, &sides)? {
            if aligned.len() == MAX_ALIGNED || enough.is_some_and(|enough| shared < enough) {
                break;
            }
            // Neighbours are in one window.
            let is_known = |(other, chunks): &(DocumentId, Range<u32>)| *other == document && chunks.contains(&index);
            if aligned.iter().any(is_known) {
                continue;
            }
            let chunks = index.saturating_sub(side)..index.saturating_add(side + 1);
            aligned.push((document, index.saturating_sub(side / 2)..index + side / 2 + 1));
            let same = |window: &Window| window.document == document && window.chunks == chunks;
            let mut window = match known.iter().position(same) {
                Some(at) => known.swap_remove(at),
                None => Window::read(&mut self.passages, document, chunks)?,
            };
            let Some((alignment, tokens)) = self.aligned(&sides, &mut window)? else { continue };
            if alignment.likeness >= ENOUGH {
                enough = enough.max(Some(shared));
            }
            if best.as_ref().is_none_or(|(known, ..)| alignment.likeness > known.likeness) {
                best = Some((alignment, tokens, window));
            }
        }
        let Some((alignment, tokens, window)) = best.filter(|(best, ..)| best.likeness >= LEAST_LIKENESS) else {
            return Ok(None);
        };
        Ok(passage(reading, &sides, &alignment, &tokens, &window))
    }

    /// The chunks with the number of pairs of words that they share with a quotation, those that share most first.
    fn ranked(&mut self, mut hits: Vec<ChunkPlace>, sides: &[Token]) -> Result<Vec<(usize, ChunkPlace)>> {
        let mut seen = HashSet::new();
        hits.retain(|place| seen.insert(*place));
        let pairs = pairs(sides);
        let mut ranked: Vec<(usize, ChunkPlace)> = Vec::new();
        for place in hits {
            let window = Window::read(&mut self.passages, place.0, place.1..place.1 + 1)?;
            let tokens = tokens(&window.row(), 0..window.symbols.len());
            let shared = self::pairs(&tokens).intersection(&pairs).count();
            ranked.push((shared, place));
        }
        ranked.sort_by_key(|(shared, _)| Reverse(*shared));
        Ok(ranked)
    }

    /// A quotation aligned with the text of a window, without the running lines if the text has more than the quotation.
    fn aligned(&mut self, sides: &[Token], window: &mut Window) -> Result<Option<(Alignment, Vec<Token>)>> {
        let tokens = tokens(&window.row(), 0..window.symbols.len());
        let Some(alignment) = align(sides, &tokens) else { return Ok(None) };
        let is_extra = |step: &Step| step.quotation.is_empty();
        if alignment.likeness < LEAST_LIKENESS || !alignment.steps.iter().any(is_extra) {
            return Ok(Some((alignment, tokens)));
        }
        self.leave_out_running(window)?;
        let without = self::tokens(&window.row(), 0..window.symbols.len());
        // Of a window with nothing but running lines, nothing is left to align.
        Ok(align(sides, &without).map(|better| (better, without)))
    }
}

/// Keeps the windows with most phrases, those with most first.
fn keep_best(left: &mut Vec<(u32, Window)>) {
    left.sort_by_key(|(votes, window)| (Reverse(*votes), window.document, window.chunks.start));
    left.truncate(MAX_LEFT);
}

/// Chunks to each side of a candidate that a quotation may reach.
fn side(reading: &Pattern) -> u32 {
    let ellipses = reading.parts.iter().filter(|part| matches!(part, Part::Ellipsis { .. })).count();
    let reach = reading.chars.len() + ellipses * ELLIPSIS_CHARS;
    u32::try_from(1 + reach / CHUNK_CHARS).unwrap_or(MAX_SIDE).min(MAX_SIDE)
}

/// The chunks with those on each side, joined if they overlap. `chunks` are sorted.
fn ranges(chunks: &[ChunkPlace], side: u32) -> Vec<(DocumentId, Range<u32>)> {
    let mut ranges: Vec<(DocumentId, Range<u32>)> = Vec::new();
    for &(document, index) in chunks {
        let range = index.saturating_sub(side)..index.saturating_add(side + 1);
        match ranges.last_mut() {
            Some((last, known)) if *last == document && range.start <= known.end => known.end = range.end,
            _ => ranges.push((document, range)),
        }
    }
    ranges
}

/// Adds the places in a window to those of the strictest reading so far; returns true if there are any.
fn collect(window: &Window, readings: &[Pattern], best: &mut (usize, Vec<QuoteMatch>)) -> bool {
    for (rank, reading) in readings.iter().enumerate().take(best.0.saturating_add(1)) {
        let fits = reading.fits(&window.row());
        if fits.is_empty() {
            continue;
        }
        if rank < best.0 {
            *best = (rank, Vec::new());
        }
        for fit in fits {
            let chars = window.chars_of(&fit.place);
            let (marked, differences) = marked_changes(reading, &fit, window);
            if let Some(mut found) = place(window, &chars) {
                found.typography.extend(fit.trail.typography);
                (found.marked, found.differences) = (marked, differences);
                best.1.push(found);
            }
        }
        return true;
    }
    false
}

pub(super) fn place(window: &Window, chars: &Range<usize>) -> Option<QuoteMatch> {
    let (start, last) = (window.spot(chars.start)?, window.spot(chars.end.checked_sub(1)?)?);
    let broken = window.is_broken(chars).then_some(Typography::PageBreak);
    Some(QuoteMatch {
        document: window.document,
        start,
        end: Spot { char: last.char + 1, ..last },
        typography: broken.into_iter().collect(),
        marked: Vec::new(),
        differences: Vec::new(),
    })
}

/// The tokens of a quotation, with holes for its marks.
fn quotation_tokens(reading: &Pattern) -> Vec<Token> {
    let row = Row { chars: &reading.chars, symbols: &reading.symbols };
    let of_part = |(at, part): (usize, &Part)| match *part {
        Part::Text { start, end } => {
            let mut tokens = tokens(&row, start..end);
            tokens.iter_mut().for_each(|token| reading.fill(token));
            tokens
        }
        Part::Ellipsis { .. } | Part::Bracket { .. } => vec![Token::hole(at)],
    };
    (0..).zip(&reading.parts).flat_map(of_part).collect()
}

/// Words that follow each other, two by two.
fn pairs(tokens: &[Token]) -> HashSet<(String, String)> {
    let words: Vec<&Token> = tokens.iter().filter(|token| token.weight() > 0.0).collect();
    words.windows(2).map(|two| (two[0].skeleton.clone(), two[1].skeleton.clone())).collect()
}

/// The passage of an alignment.
fn passage(
    reading: &Pattern,
    sides: &[Token],
    alignment: &Alignment,
    tokens: &[Token],
    window: &Window,
) -> Option<Finding> {
    let touched = |at: &&Step| !at.passage.is_empty();
    let first = alignment.steps.iter().find(touched)?.passage.start;
    let last = alignment.steps.iter().rev().find(touched)?.passage.end;
    let chars = window.chars_of(&(tokens[first].place.start..tokens[last - 1].place.end));
    let mut found = place(window, &chars)?;
    let quotation_text = |range: Range<usize>| -> String {
        let tokens = sides.get(range).unwrap_or_default();
        let mut ends = tokens.iter().filter(|token| !token.place.is_empty());
        let (Some(first), Some(last)) = (ends.clone().next(), ends.next_back()) else { return String::new() };
        match (reading.symbols.get(first.place.start), reading.symbols.get(last.place.end - 1)) {
            (Some(first), Some(last)) => reading.shown(first.start as usize..last.end as usize),
            _ => String::new(),
        }
    };
    let passage_text = |range: Range<usize>| -> String {
        match (tokens.get(range.start), range.end.checked_sub(1).and_then(|last| tokens.get(last))) {
            (Some(first), Some(last)) if !range.is_empty() => window.text_of(&(first.place.start..last.place.end)),
            _ => String::new(),
        }
    };
    let texts =
        Sides { quotation: sides, passage: tokens, quotation_text: &quotation_text, passage_text: &passage_text };
    found.differences = texts.differences(&alignment.steps);
    // A capital in brackets is marked.
    let is_marked = |one: &Difference| one.kind == DifferenceKind::Capitals && one.quotation.contains('[');
    found.differences.retain(|one| !is_marked(one));
    if found.differences.is_empty() {
        // More words are left out than an ellipsis or brackets may stand for.
        let hole =
            alignment.steps.iter().filter(|step| step.kind == StepKind::Hole).max_by_key(|step| step.passage.len());
        let part = hole
            .and_then(|hole| sides.get(hole.quotation.start.min(sides.len() - 1)))
            .map_or(0, |token| token.place.start);
        found.differences.push(Difference {
            kind: DifferenceKind::Word,
            quotation: reading.parts.get(part).map_or_else(String::new, |part| reading.written(*part)),
            document: hole.map_or_else(String::new, |hole| passage_text(hole.passage.clone())),
            preceded_by: String::new(),
        });
    }
    Some(Finding::Near { place: Box::new(found), likeness: alignment.likeness })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::symbols::symbols;
    use super::*;

    /// True if a text has a quotation word for word.
    fn is_exact(text: &str, quotation: &str) -> bool {
        let chars: Vec<char> = text.chars().collect();
        let symbols = symbols(&chars, &[]);
        let row = Row { chars: &chars, symbols: &symbols };
        Pattern::readings(quotation).iter().any(|reading| !reading.fits(&row).is_empty())
    }

    /// Words that each occur once, with marks behind some, and the bounds of a run of them.
    fn text_and_run() -> impl Strategy<Value = (Vec<String>, Range<usize>)> {
        let marks = prop::sample::select(vec!["", "", "", ",", ";", " (a)", ".", " “so”", " 1.5", "’s", " – or"]);
        prop::collection::vec(marks, 4..40)
            .prop_flat_map(|marks| {
                let words: Vec<String> = (0..).zip(&marks).map(|(n, mark)| format!("{}{mark}", word(n))).collect();
                let count = words.len();
                (Just(words), 0..count - 1)
                    .prop_flat_map(move |(words, start)| (Just(words), Just(start), start + 1..=count))
            })
            .prop_map(|(words, start, end)| (words, start..end))
    }

    /// A word of letters for a number.
    fn word(n: usize) -> String {
        format!("word{}{}", char::from(b'a' + (n / 26 % 26) as u8), char::from(b'a' + (n % 26) as u8))
    }

    proptest! {
        #[test]
        fn any_run_of_words_is_exact((words, run) in text_and_run(), width in 1usize..9) {
            let lines: Vec<String> = words.chunks(width).map(|line| line.join(" ")).collect();
            let quotation = words[run].join(" ").replace(['“', '”'], "\"").replace('’', "'");
            prop_assert!(is_exact(&lines.join("\n"), &quotation), "{}", quotation);
        }

        #[test]
        fn with_a_word_changed_added_or_left_out_it_is_not((words, run) in text_and_run(), at in 0usize..40, kind in 0..3) {
            let text = words.join(" ");
            let mut quoted: Vec<String> = words[run].to_vec();
            let at = at % quoted.len();
            match kind {
                0 => quoted[at] = quoted[at].replacen("word", "wort", 1),
                1 => quoted.insert(at, "not".to_owned()),
                // The first or the last may be left out: the rest is a run.
                _ if at > 0 && at + 1 < quoted.len() => drop(quoted.remove(at)),
                _ => quoted[at] = "90".to_owned(),
            }
            prop_assert!(!is_exact(&text, &quoted.join(" ")), "{:?}", quoted);
        }
    }
}
