//! The part of a passage that best explains the match.

use std::ops::Range;

use casetrack_core::Block;

use super::section::start_in;
use super::sentences::{LONGEST, Sentence, sentences};
use super::worth::{Question, Worth};
use casetrack_host::documents::chunks::ChunkView;

/// The length of an excerpt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    Usual,
    /// In the place of a passage.
    Short,
    /// For a hit in a line.
    Line,
}

impl Extent {
    /// Most characters of several sentences. One sentence may be longer, up to [`LONGEST`], and in a line by [`TO_END`]; most sentences of
    /// contracts fit into a line.
    const fn most(self) -> usize {
        match self {
            Self::Usual => 500,
            Self::Short => 400,
            Self::Line => 280,
        }
    }

    fn room(self) -> usize {
        if self == Self::Line { self.most() + TO_END } else { LONGEST }
    }
}

/// Characters by which the part of a sentence that is too long may be longer to end with it.
const TO_END: usize = 240;
/// Characters before a phrase in a long sentence at which its part may begin.
const BEFORE_PHRASE: usize = 60;
/// Most headings and numbers before a sentence on its line.
const MOST_HEADINGS: usize = 2;
/// Abbreviations whose stop ends no sentence if a number follows, as in "Application No. 6".
const BEFORE_NUMBERS: [&str; 13] =
    ["art", "arts", "ch", "cl", "fig", "no", "nos", "p", "para", "paras", "pp", "sec", "secs"];

/// The score of the sentences that are shown: the phrases that decide, and the worth of the words.
type Score = (usize, f32);

struct Window {
    score: Score,
    /// The first sentence with a word of the question.
    first_match: Option<usize>,
    chars: Range<usize>,
}

/// The part of a passage that answers a question best, in characters of the passage: whole sentences, if the extent has room for them. `blocks` are those
/// of the passage's page.
pub(super) fn excerpt(question: &Question, chunk: &ChunkView, blocks: &[Block], extent: Extent) -> Range<usize> {
    around(&[], question, chunk, blocks, extent)
}

/// As [`excerpt`], but first of all the sentences that contain most of these phrases whole, regardless of white space. In a long sentence it begins
/// at the part with a phrase.
pub(super) fn around(
    phrases: &[String],
    question: &Question,
    chunk: &ChunkView,
    blocks: &[Block],
    extent: Extent,
) -> Range<usize> {
    let most = extent.most();
    let chars: Vec<char> = chunk.text.chars().collect();
    let phrases: Vec<Vec<Range<usize>>> = phrases.iter().map(|phrase| places(&chars, phrase)).collect();
    let sentences = sentences(&chunk.text, chunk.provenance.char_start, blocks);
    let worth = Worth::of(question, &chars, &sentences);
    let decide = |shown: &Range<usize>| {
        let is_whole = |place: &Range<usize>| shown.start <= place.start && place.end <= shown.end;
        phrases.iter().filter(|places| places.iter().any(is_whole)).count()
    };
    let shortened = |shown: Range<usize>| match shown.len() > extent.room() {
        true => shown.start..cut(&chars, shown.start, extent),
        false => shown,
    };
    let mut best = Window { score: (0, 0.0), first_match: None, chars: shortened(0..trim_end(&chars, 0, chars.len())) };
    for first in 0..sentences.len() {
        let last = last_shown(&sentences, first, most);
        let shown = shortened(sentences[first].range.start..sentences[last].range.end);
        let score = (decide(&shown), worth.together(first..last + 1));
        let first_match = (first..=last).find(|n| worth.matches[*n]);
        // Of sentences around the same words, those that begin nearest before them.
        let is_nearer = score == best.score && first_match.is_some() && first_match == best.first_match;
        if first == 0 || score.0 > best.score.0 || score.0 == best.score.0 && score.1 > best.score.1 || is_nearer {
            best = Window { score, first_match, chars: shown };
        }
    }
    let starts: Vec<usize> = sentences.iter().map(|sentence| sentence.range.start).collect();
    for start in phrases.iter().flatten().filter_map(|place| part_start(&chars, &starts, place, most)) {
        let part = start..cut(&chars, start, extent);
        if decide(&part) > best.score.0 {
            best = Window { score: (decide(&part), best.score.1), chars: part, ..best };
        }
    }
    let of_section = || {
        let start = start_in(&question.text, &chunk.text)?;
        let first = sentences.iter().position(|sentence| sentence.range.end > start)?;
        Some(shortened(start..sentences[last_shown(&sentences, first, most)].range.end))
    };
    if let Some(section) = of_section().filter(|_| best.score.0 == 0) {
        return section;
    }
    let shown = with_clause(&sentences, &worth.clauses, best.chars, extent.room());
    with_heading(&chars, &sentences, shown, extent.room())
}

/// The shown part, extended to whole sentences of its clause if there is room.
fn with_clause(sentences: &[Sentence], clauses: &[Range<usize>], shown: Range<usize>, room: usize) -> Range<usize> {
    let touches = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
    let Some(clause) = clauses.iter().find(|clause| touches(clause, &shown)) else { return shown };
    let mut parts = sentences.iter().map(|sentence| &sentence.range).filter(|range| touches(range, clause));
    let Some(first) = parts.next() else { return shown };
    let whole = first.start..parts.next_back().unwrap_or(first).end;
    let both = whole.start.min(shown.start)..whole.end.max(shown.end);
    [both, whole].into_iter().find(|range| range.len() <= room).unwrap_or(shown)
}

/// The shown part, with the headings and numbers before it on its line if there is room: "7.6 Interest."
fn with_heading(chars: &[char], sentences: &[Sentence], shown: Range<usize>, room: usize) -> Range<usize> {
    let before = sentences.iter().rev().skip_while(|sentence| sentence.range.start >= shown.start);
    let mut start = shown.start;
    for sentence in before.take(MOST_HEADINGS) {
        let words = &chars[sentence.range.clone()];
        let heads = sentence.is_heading || !words.iter().any(|c| c.is_alphabetic());
        let is_on_line = !chars[sentence.range.start..start].contains(&'\n');
        if !heads || !is_on_line || shown.end - sentence.range.start > room {
            break;
        }
        start = sentence.range.start;
    }
    start..shown.end
}

/// The whole sentences around a statement, given in characters of the passage, also where an excerpt is short: a clause without its end may say
/// the contrary. Of sentences that are longer than [`LONGEST`], the part with the statement.
pub(super) fn of_statement(stated: &Range<usize>, chunk: &ChunkView, blocks: &[Block], extent: Extent) -> Range<usize> {
    let chars: Vec<char> = chunk.text.chars().collect();
    let stated = stated.start.min(chars.len())..stated.end.min(chars.len());
    let sentences = sentences(&chunk.text, chunk.provenance.char_start, blocks);
    let around = |sentence: &&Sentence| sentence.range.start < stated.end && stated.start < sentence.range.end;
    let mut touched = sentences.iter().filter(around);
    let Some(first) = touched.next() else { return stated };
    let shown = first.range.start..touched.next_back().unwrap_or(first).range.end.max(stated.end);
    if shown.len() <= LONGEST {
        return with_heading(&chars, &sentences, shown, LONGEST);
    }
    let starts = [first.range.start];
    let start = part_start(&chars, &starts, &stated, extent.most()).unwrap_or(stated.start.max(shown.start));
    let end = cut(&chars, start, extent);
    start..end.min(shown.end).max(start)
}

/// The last sentence that is shown from `first` on. A heading is shown with the text below it, and more sentences follow as long as they fit.
fn last_shown(sentences: &[Sentence], first: usize, most: usize) -> usize {
    let start = sentences[first].range.start;
    let mut last = first;
    while let Some(next) = sentences.get(last + 1) {
        let is_headed = sentences[first..=last].iter().all(|sentence| sentence.is_heading);
        let room = if is_headed { most.max(LONGEST) } else { most };
        if next.range.end - start > room {
            break;
        }
        last += 1;
    }
    // A heading at the end would show nothing of its text, and the foot of a page is no text.
    while last > first && sentences[last].is_page_number
        || last > first && last + 1 < sentences.len() && sentences[last].is_heading
    {
        last -= 1;
    }
    last
}

/// The end of a part of a sentence that is too long to be shown.
fn cut(chars: &[char], start: usize, extent: Extent) -> usize {
    let end = end_of(chars, start, extent.most());
    if extent == Extent::Line { end } else { sentence_end(chars, end) }
}

/// The start of the part of a sentence with a phrase, if the whole sentence up to the phrase's end is longer than an excerpt.
fn part_start(chars: &[char], starts: &[usize], place: &Range<usize>, most: usize) -> Option<usize> {
    let sentence = starts.iter().copied().filter(|&start| start <= place.start).max()?;
    if place.end - sentence <= most {
        return None;
    }
    let reach = sentence.max(place.start.saturating_sub(BEFORE_PHRASE));
    let after = (reach..place.start).rev().find(|&at| matches!(chars[at], ',' | ';' | ':'));
    let begins = after.map_or(place.start, |at| at + 1);
    (begins..=place.start).find(|&at| !chars[at].is_whitespace())
}

/// The places of a phrase in a text, without regard to white space.
fn places(chars: &[char], phrase: &str) -> Vec<Range<usize>> {
    let phrase: Vec<char> = phrase.chars().filter(|c| !c.is_whitespace()).collect();
    let Some(first) = phrase.first() else { return Vec::new() };
    let ends = |start: usize| {
        let mut at = start;
        for wanted in &phrase {
            at += chars.get(at..)?.iter().position(|c| !c.is_whitespace())?;
            if chars.get(at) != Some(wanted) {
                return None;
            }
            at += 1;
        }
        Some(at)
    };
    let starts = chars.iter().enumerate().filter(|(_, c)| *c == first);
    starts.filter_map(|(start, _)| Some(start..ends(start)?)).collect()
}

fn is_full_stop(chars: &[char], at: usize) -> bool {
    let is_number_next = || chars[at + 1..].iter().find(|c| !c.is_whitespace()).is_some_and(char::is_ascii_digit);
    let is_abbreviation = || {
        let word: Vec<char> = chars[..at].iter().rev().take_while(|c| c.is_alphanumeric()).copied().collect();
        let word: String = word.into_iter().rev().flat_map(char::to_lowercase).collect();
        BEFORE_NUMBERS.contains(&word.as_str())
    };
    match chars[at] {
        '!' | '?' => true,
        '.' => !(is_number_next() && is_abbreviation()),
        _ => false,
    }
}

/// The end of the last sentence within reach if that leaves at least half, else of the last word.
fn end_of(chars: &[char], start: usize, most: usize) -> usize {
    let limit = (start + most).min(chars.len());
    if limit == chars.len() {
        return trim_end(chars, start, limit);
    }
    let sentence = (start + most / 2..limit)
        .rev()
        .find(|&at| is_full_stop(chars, at) && chars.get(at + 1).is_none_or(|c| c.is_whitespace()))
        .map(|at| at + 1);
    let word = || (start + 1..limit).rev().find(|&at| chars[at].is_whitespace());
    trim_end(chars, start, sentence.or_else(word).unwrap_or(limit))
}

/// The end of the sentence that a text is cut in at `end`, if it is near; else `end`.
fn sentence_end(chars: &[char], end: usize) -> usize {
    let limit = (end + TO_END).min(chars.len());
    // Quotation marks and brackets that are closed after a stop belong to the sentence.
    let is_closing = |c: &&char| matches!(c, '”' | '"' | '’' | '\'' | '»' | ')' | ']');
    let end_after = |at: usize| {
        let after = at + 1 + chars[at + 1..].iter().take_while(is_closing).count();
        let next = chars[after..].iter().find(|c| !c.is_whitespace());
        let is_end = chars.get(after).is_none_or(|c| c.is_whitespace()) && next.is_none_or(|c| !c.is_lowercase());
        is_end.then_some(after)
    };
    let is_stop = |at: &usize| chars[*at] == ';' || is_full_stop(chars, *at);
    let is_whole = end == 0 || is_stop(&(end - 1));
    let found = if is_whole { None } else { (end..limit).filter(is_stop).find_map(end_after) };
    match found {
        Some(end) => end,
        None if limit == chars.len() => trim_end(chars, end, limit),
        None => end,
    }
}

fn trim_end(chars: &[char], start: usize, end: usize) -> usize {
    (start..end).rev().find(|&at| !chars[at].is_whitespace()).map_or(end, |at| at + 1)
}

#[cfg(test)]
pub(super) mod tests;
