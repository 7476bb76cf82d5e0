//! From ranked candidates to results: each passage is read, and repetitions are listed with the result above.
//!
//! Only identical words are folded, because two versions of a clause that differ in one word may be the aim of a search. A brief hit shows only its
//! quotation, so the quotation decides: copies of a document may be cut into passages at other places. A message that only quotes another result is
//! folded into that result.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use casetrack_core::{Block, BlockKind, CitationStyle, DocumentId, Result};
use casetrack_store::{Collection, Passages};

use super::message_quotes::{Messages, Said};
use super::worth::Question;
use super::{Excerpt, Repetition, SearchRequest, SearchResult, context, excerpt};
use crate::ranking::collection_query::CollectionQuery;
use crate::ranking::fusion::Candidate;
use casetrack_host::OpenCollection;
use casetrack_host::documents::chunks::{self, ChunkView};
use casetrack_host::documents::part::part_of;

/// The results from `request.offset` on, with the repetitions that rank above the first passage left out. A candidate that vanished since recall is left out.
pub(super) fn results(
    asked: &[CollectionQuery],
    candidates: &[(usize, Candidate)],
    request: &SearchRequest,
    style: &CitationStyle,
) -> Result<Vec<SearchResult>> {
    let mut passages: Vec<_> = asked.iter().map(|asked| asked.collection.passages()).collect();
    let mut list = List::new(asked, request);
    let grouped = request.per_document.map(|_| by_document(candidates));
    let candidates = grouped.as_deref().unwrap_or(candidates);
    let first = candidates.get(..request.offset as usize + request.top_k as usize).unwrap_or(candidates);
    list.read_ahead(first, &mut passages, style)?;
    for (at, candidate) in candidates {
        let has = list.of_document.get(&candidate.document).copied().unwrap_or_default();
        if request.per_document.is_some_and(|most| has >= most) {
            continue;
        }
        let (chunk, chosen) = match list.ahead.remove(&(*at, candidate.document, candidate.index)) {
            Some((chunk, chosen)) => (chunk, Some(chosen)),
            None => match passages[*at].at(candidate.document, candidate.index)? {
                Some(passage) => (chunks::view(passage, style), None),
                None => continue,
            },
        };
        if !list.add(*at, candidate, chunk, chosen)? {
            break;
        }
    }
    let List { mut results, sources, .. } = list;
    let offset = request.offset as usize;
    results.drain(..offset.min(results.len()));
    for (result, collection) in results.iter_mut().zip(sources.into_iter().skip(offset)) {
        result.surroundings = context::around(collection, &result.chunk.provenance, request.context)?;
    }
    Ok(results)
}

/// Most threads that choose excerpts.
const MOST_THREADS: usize = 4;

/// The results so far, from the first one on.
struct List<'a> {
    asked: &'a [CollectionQuery],
    /// By collection.
    questions: Vec<Question>,
    request: &'a SearchRequest,
    results: Vec<SearchResult>,
    /// The collection of each result.
    sources: Vec<&'a OpenCollection>,
    /// For each document, if each is searched.
    seen: HashMap<Option<DocumentId>, Seen>,
    /// The number of results of each document.
    of_document: HashMap<DocumentId, u32>,
    /// By collection.
    messages: Vec<Messages>,
    quoting: Quoting,
    pages: PageBlocks,
    /// The passages of the first candidates, by collection and place, with their excerpts in characters.
    ahead: HashMap<(usize, DocumentId, u32), (ChunkView, Range<usize>)>,
}

impl<'a> List<'a> {
    fn new(asked: &'a [CollectionQuery], request: &'a SearchRequest) -> Self {
        Self {
            asked,
            questions: asked.iter().map(|asked| Question::of(&asked.preferences.asked)).collect(),
            request,
            results: Vec::new(),
            sources: Vec::new(),
            seen: HashMap::new(),
            of_document: HashMap::new(),
            messages: asked.iter().map(|_| Messages::default()).collect(),
            quoting: Quoting { top_k: request.top_k as usize, said: Vec::new() },
            pages: PageBlocks::new(),
            ahead: HashMap::new(),
        }
    }

    /// Reads the passages of candidates and chooses their excerpts, on several threads because that takes more time than the rest of the list.
    fn read_ahead(
        &mut self,
        candidates: &[(usize, Candidate)],
        passages: &mut [Passages<'_>],
        style: &CitationStyle,
    ) -> Result<()> {
        let mut read = Vec::new();
        for &(at, Candidate { document, index, .. }) in candidates {
            let Some(passage) = passages[at].at(document, index)? else { continue };
            let chunk = chunks::view(passage, style);
            blocks_of(&self.asked[at].collection, &chunk, &mut self.pages)?;
            read.push((at, chunk));
        }
        let (questions, pages, extent) = (&self.questions, &self.pages, self.request.extent());
        let choose = |(at, chunk): &(usize, ChunkView)| {
            let place = &chunk.provenance;
            let blocks = pages.get(&(place.document_id, place.page)).map_or(&[][..], Vec::as_slice);
            excerpt::excerpt(&questions[*at], chunk, blocks, extent)
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
        let chosen: Vec<Range<usize>> = std::thread::scope(|scope| {
            let parts = read.chunks(read.len().div_ceil(threads).max(1));
            let running: Vec<_> =
                parts.map(|part| scope.spawn(|| part.iter().map(choose).collect::<Vec<_>>())).collect();
            running
                .into_iter()
                .flat_map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        let key = |at: usize, chunk: &ChunkView| (at, chunk.provenance.document_id, chunk.provenance.chunk_index);
        self.ahead =
            read.into_iter().zip(chosen).map(|((at, chunk), chars)| (key(at, &chunk), (chunk, chars))).collect();
        Ok(())
    }

    /// Adds the passage of a candidate as a result, or to the result that it repeats. False if it is the first one behind the wanted results.
    fn add(
        &mut self,
        at: usize,
        candidate: &Candidate,
        mut chunk: ChunkView,
        chosen: Option<Range<usize>>,
    ) -> Result<bool> {
        let (asked, request) = (self.asked, self.request);
        let CollectionQuery { collection, .. } = &asked[at];
        // Each document gets its own results, even if another has the same text.
        let seen = self.seen.entry(request.per_document.map(|_| candidate.document)).or_default();
        let excerpt = shown(collection, &mut chunk, &mut self.pages, |chunk, blocks| {
            chosen.unwrap_or_else(|| excerpt::excerpt(&self.questions[at], chunk, blocks, request.extent()))
        })?;
        let said = if request.brief { &excerpt.text } else { &chunk.text };
        let shown = match request.brief {
            true => excerpt.char_start..excerpt.char_end,
            false => chunk.provenance.char_start..chunk.provenance.char_end,
        };
        let of_message = self.messages[at].said(collection, candidate.document, chunk.provenance.page, shown)?;
        // If each document is searched, each gets its own results.
        let of_message = of_message.filter(|_| request.per_document.is_none());
        let place = of_message.as_ref().and_then(|said| self.quoting.place(said, self.results.len()));
        let number = match place {
            Some(QuoteRelation::Quotes(above) | QuoteRelation::QuotedBy(above)) => above,
            None => self.results.len(),
        };
        if let Some(above) = seen.repeats(&chunk, said, number) {
            self.results[above].repeated_in.push(repetition(chunk, false));
            return Ok(true);
        }
        let name = (asked.len() > 1).then(|| collection.meta().name.clone());
        match place {
            Some(QuoteRelation::Quotes(above)) => self.results[above].repeated_in.push(repetition(chunk, true)),
            // It gets the rank and the score of the result that quotes it.
            Some(QuoteRelation::QuotedBy(above)) => {
                let result = &mut self.results[above];
                let before = std::mem::replace(&mut result.chunk, chunk);
                result.repeated_in.push(repetition(before, true));
                (result.excerpt, result.collection) = (excerpt, name);
                self.sources[above] = collection;
                self.quoting.said[above] = of_message;
            }
            None if number == request.offset as usize + request.top_k as usize => return Ok(false),
            None => {
                *self.of_document.entry(candidate.document).or_default() += 1;
                self.sources.push(collection);
                self.quoting.said.push(of_message);
                let Candidate { score, bm25, dense, sparse, late, preferred, .. } = *candidate;
                let result = SearchResult::new(number + 1, score, name, chunk, excerpt);
                self.results.push(SearchResult { bm25, dense, sparse, late, preferred, ..result });
            }
        }
        Ok(true)
    }
}

fn repetition(chunk: ChunkView, is_quotation: bool) -> Repetition {
    Repetition {
        chunk_id: chunk.chunk_id,
        citation: chunk.citation,
        file_path: chunk.provenance.file_path,
        is_quotation,
    }
}

/// The texts of the results so far that are messages, by their place in the list.
struct Quoting {
    top_k: usize,
    said: Vec<Option<Said>>,
}

enum QuoteRelation {
    /// It only quotes it.
    Quotes(usize),
    /// The result only quotes it.
    QuotedBy(usize),
}

impl Quoting {
    /// The relation of a message to the `number` results so far. A result of an earlier page of the list stays as shown: text that it quotes is a
    /// separate result.
    fn place(&self, said: &Said, number: usize) -> Option<QuoteRelation> {
        let results = || self.said.iter().enumerate().filter_map(|(above, result)| Some((above, result.as_ref()?)));
        if let Some((above, _)) = results().find(|(_, result)| said.only_quotes(result)) {
            return Some(QuoteRelation::Quotes(above));
        }
        let on_page = |above: usize| above / self.top_k.max(1) == number / self.top_k.max(1);
        let quoting = results().find(|&(above, result)| on_page(above) && result.only_quotes(said));
        quoting.map(|(above, _)| QuoteRelation::QuotedBy(above))
    }
}

/// Documents in the order of their best candidates, each with its candidates in their order.
fn by_document(candidates: &[(usize, Candidate)]) -> Vec<(usize, Candidate)> {
    let mut places: HashMap<DocumentId, usize> = HashMap::new();
    for (_, candidate) in candidates {
        let next = places.len();
        places.entry(candidate.document).or_insert(next);
    }
    let mut grouped = candidates.to_vec();
    grouped.sort_by_key(|(_, candidate)| places[&candidate.document]);
    grouped
}

pub(super) type PageBlocks = HashMap<(DocumentId, u32), Vec<Block>>;

/// The blocks of the page of a passage, read once.
fn blocks_of<'p>(collection: &Collection, chunk: &ChunkView, pages: &'p mut PageBlocks) -> Result<&'p [Block]> {
    let place = &chunk.provenance;
    Ok(match pages.entry((place.document_id, place.page)) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => entry.insert(collection.page_blocks(place.document_id, place.page)?),
    })
}

/// The part of a passage that `choose` gives, in characters of the passage, with its citation. Replaces the headings of the chunk by those that
/// apply to it, or the header of a table by that of its rows.
pub(super) fn shown(
    collection: &Collection,
    chunk: &mut ChunkView,
    pages: &mut PageBlocks,
    choose: impl FnOnce(&ChunkView, &[Block]) -> Range<usize>,
) -> Result<Excerpt> {
    let blocks = blocks_of(collection, chunk, pages)?;
    let place = &chunk.provenance;
    let chars = choose(chunk, blocks);
    let text: String = chunk.text.chars().take(chars.end).skip(chars.start).collect();
    let start = place.char_start;
    let part = part_of(collection, place, &chunk.text, blocks, start + chars.start as u32..start + chars.end as u32)?;
    if chars.start > 0 && chunk.table_header.is_none() && place.sheet_name.is_some() {
        chunk.table_header = header_before(&chunk.text, start, blocks, part.char_start);
    }
    let breaks = breaks(&text, start + chars.start as u32, blocks);
    let excerpt = Excerpt { breaks, ..Excerpt::of(text, &part) };
    chunk.provenance.heading_path = part.heading_path;
    Ok(excerpt)
}

/// The bytes at which blocks begin in a text that begins at the character `start` of the page, except its first byte. A block in the middle of a
/// line does not count: the number of a list item is a block of its own, and stays on the line of its item.
fn breaks(text: &str, start: u32, blocks: &[Block]) -> Vec<usize> {
    let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
    let inside = blocks.iter().filter_map(|block| block.char_start.checked_sub(start)).filter(|&at| at > 0);
    let starts = inside.filter_map(|at| places.get(at as usize).copied());
    starts.filter(|&at| text[..at].ends_with('\n')).collect()
}

/// The header rows in a passage of a sheet that begins at `start`, of the table with the row at `at`, if they are before it. In characters of
/// the page.
fn header_before(text: &str, start: u32, blocks: &[Block], at: u32) -> Option<String> {
    let table_of = |block: &Block| match block.kind {
        BlockKind::TableRow { table, header, .. } => Some((table, header)),
        _ => None,
    };
    let (table, _) = table_of(blocks.get(blocks.partition_point(|block| block.char_end <= at))?)?;
    let inside =
        blocks.partition_point(|block| block.char_start < start)..blocks.partition_point(|block| block.char_end <= at);
    let headers = blocks.get(inside)?.iter().filter(|block| table_of(block) == Some((table, true)));
    let chars: Vec<char> = text.chars().collect();
    let row = |block: &Block| {
        let row = (block.char_start - start) as usize..(block.char_end - start) as usize;
        Some(chars.get(row)?.iter().collect::<String>())
    };
    let rows: Vec<String> = headers.filter_map(row).collect();
    (!rows.is_empty()).then(|| rows.join("\n"))
}

/// Start and end of the characters of a page that a result holds, and the place of the result in the list.
type Held = (u32, u32, usize);

/// The text of the results so far, by their place in the list.
#[derive(Default)]
struct Seen {
    texts: HashMap<u64, usize>,
    /// Characters of pages.
    places: HashMap<(DocumentId, u32), Vec<Held>>,
}

impl Seen {
    /// The result that repeats a passage, of which `said` is shown. Otherwise remembers the passage as result `number`, and returns `None`.
    /// Neighbours share text at their ends; more than half of a passage must be shared, as when a page ends in a short rest.
    fn repeats(&mut self, chunk: &ChunkView, said: &str, number: usize) -> Option<usize> {
        let text = hash_of_words(said);
        if let Some(&above) = self.texts.get(&text) {
            return Some(above);
        }
        let place = &chunk.provenance;
        let on_page = self.places.entry((place.document_id, place.page)).or_default();
        let shared = |&&(start, end, _): &&Held| {
            let common = end.min(place.char_end).saturating_sub(start.max(place.char_start));
            2 * common > place.char_end - place.char_start
        };
        if let Some(&(_, _, above)) = on_page.iter().find(shared) {
            return Some(above);
        }
        on_page.push((place.char_start, place.char_end, number));
        self.texts.insert(text, number);
        None
    }
}

/// The same hash for texts that differ only in white space and capitals.
fn hash_of_words(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.split_whitespace().for_each(|word| word.to_lowercase().hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::excerpt::tests::chunk;

    #[test]
    fn an_excerpt_of_a_sheet_comes_with_the_header_of_its_table() {
        let text = "Title\nUnit\tRent\nA\t1\nName\tDue\nB\t2";
        let kinds = [(0, false), (0, true), (0, false), (1, true), (1, false)];
        let mut at = 100;
        let blocks: Vec<Block> = text
            .lines()
            .zip(kinds)
            .zip(1..)
            .map(|((line, (table, header)), row)| {
                let (char_start, char_end) = (at, at + line.chars().count() as u32);
                at = char_end + 1;
                let kind = BlockKind::TableRow { table, row, first_column: 1, last_column: 2, header };
                Block { kind, char_start, char_end }
            })
            .collect();
        let header = |row: usize| header_before(text, 100, &blocks, blocks[row].char_start);
        assert_eq!([1, 2, 3, 4].map(header), [None, Some("Unit\tRent".into()), None, Some("Name\tDue".into())]);
    }

    #[test]
    fn an_excerpt_has_the_breaks_between_blocks_inside_it() {
        let block = |char_start, char_end| Block { kind: BlockKind::Paragraph, char_start, char_end };
        // Each "é" is two bytes.
        let blocks = [block(90, 99), block(100, 104), block(105, 109), block(110, 114)];
        assert_eq!(breaks("été.\nété.\nété.", 100, &blocks), [7, 14]);
        assert_eq!(breaks("té.\nété", 101, &blocks), [5]);
        assert!(breaks("", 100, &blocks).is_empty());
        // The number of an item has a block of its own, on the line of the item.
        let numbered = [block(100, 103), block(104, 108), block(109, 113)];
        assert_eq!(breaks("2.2 été.\nété.", 100, &numbered), [11]);
    }

    #[test]
    fn what_is_the_same_to_the_word_is_one_result_and_what_differs_in_a_word_is_another() {
        let mut seen = Seen::default();
        let mut repeats = |text: &str, number| seen.repeats(&chunk(text), text, number);
        assert_eq!(repeats("The tenant shall pay\nthe rent.", 0), None);
        assert_eq!(repeats("The Tenant SHALL  pay the rent. ", 1), Some(0));
        assert_eq!(repeats("The tenant shall not pay the rent.", 1), None);
    }

    #[test]
    fn a_rest_that_a_neighbour_mostly_holds_is_no_result_of_its_own() {
        let mut seen = Seen::default();
        let mut rest = chunk("");
        let mut repeats = |start: u32, text: &str, number| {
            rest.provenance.char_start = start;
            rest.provenance.char_end = start + 300;
            text.clone_into(&mut rest.text);
            seen.repeats(&rest, text, number)
        };
        assert_eq!(repeats(1000, "a page before", 0), None);
        assert_eq!(repeats(1200, "1150 of it", 1), None);
        assert_eq!(repeats(1100, "two thirds of it", 2), Some(0));
    }
}
