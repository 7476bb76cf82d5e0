//! Topics: noun phrases that occur more than once in a document.
//!
//! Candidates are runs of content words between function words and marks (RAKE: Rose et al., "Automatic keyword extraction from
//! individual documents", 2010), of one to four words, and the words of longer phrases count less for themselves (C-value: Frantzi,
//! Ananiadou, Mima, 2000). The document frequencies of a candidate decide if it is a topic of a collection.

use std::cmp::Reverse;
use std::collections::HashMap;

use casetrack_core::{EntityType, Mention};

use crate::entities::singular;
use crate::names::PageNames;
use crate::words::{Class, Gap, Shape, Word, words};

/// Most candidates for 1,000 characters of a page.
const DENSITY: f64 = 12.0;
/// Longest phrase, in words.
const WORDS: usize = 4;
/// Fewest occurrences of a phrase, and of a single word, in a document.
const PHRASE_COUNT: u32 = 2;
const WORD_COUNT: u32 = 3;
/// Shortest word that is a topic by itself.
const WORD_CHARS: usize = 5;

word_lists! {
    /// Words between topics, besides those in [`Class::STOP`].
    FUNCTION: set = "words/function.txt";
}

/// The candidates for concepts on the pages of one document: mentions of phrases that occur at least twice, at most 12
/// for 1,000 characters of a page, those with the highest score. In order, without overlaps. Two phrases are the same
/// if they are in small letters and with the last word in the singular. Cost: linear in the text.
///
/// `names` are those of [`crate::names::names`] for the same pages, whose words are not topics; pages missing from it have none.
pub fn concept_candidates(pages: &[&str], names: &[PageNames]) -> Vec<Vec<Mention>> {
    let mut ids = Ids::default();
    let mut pages: Vec<(Vec<Word<'_>>, Vec<u32>)> = pages
        .iter()
        .map(|page| {
            let words = words(page);
            let content = words.iter().map(|word| ids.of(word)).collect();
            (words, content)
        })
        .collect();
    for ((words, content), names) in pages.iter_mut().zip(names) {
        let mut mentions = names.mentions.iter().map(|named| &named.mention).peekable();
        let mut covered = 0;
        for (word, id) in words.iter().zip(content) {
            while let Some(mention) = mentions.next_if(|mention| mention.char_start <= word.start) {
                covered = covered.max(mention.char_end);
            }
            if word.start < covered {
                *id = 0;
            }
        }
    }
    let mut counts: HashMap<Phrase, u32> = HashMap::new();
    for (words, content) in &pages {
        for (first, length) in phrases(words, content) {
            *counts.entry(phrase(content, first, length)).or_default() += 1;
        }
    }
    pages.iter().map(|(words, content)| on_page(words, content, &counts)).collect()
}

/// A phrase by its words' numbers; 0 means no word.
type Phrase = [u32; WORDS];

fn phrase(content: &[u32], first: usize, length: usize) -> Phrase {
    let mut phrase = [0; WORDS];
    phrase[..length].copy_from_slice(&content[first..first + length]);
    phrase
}

/// Numbers for the words of a document: the same for a word in capitals and in the plural; 0 for one that ends a phrase.
#[derive(Default)]
struct Ids {
    numbers: HashMap<String, u32>,
}

impl Ids {
    fn of(&mut self, word: &Word<'_>) -> u32 {
        if !matches!(word.shape, Shape::Lower | Shape::Title | Shape::Upper)
            || word.text.chars().count() < 3
            || word.has(Class::STOP)
        {
            return 0;
        }
        let folded = word.text.to_lowercase();
        let adverb = folded.len() > 5 && folded.ends_with("ly");
        if adverb || folded.contains('@') || FUNCTION.contains(folded.as_str()) {
            return 0;
        }
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX - 1).saturating_add(1);
        *self.numbers.entry(singular(&folded).to_owned()).or_insert(next)
    }
}

/// All phrases of a page: first word and length. At most four begin at a word.
fn phrases<'a>(words: &'a [Word<'_>], content: &'a [u32]) -> impl Iterator<Item = (usize, usize)> + 'a {
    (0..words.len()).flat_map(move |first| {
        (1..=WORDS)
            .take_while(move |length| {
                let at = first + length - 1;
                at < words.len()
                    && content[at] != 0
                    && (*length == 1 || matches!(words[at].gap, Gap::Space | Gap::Line))
            })
            .map(move |length| (first, length))
    })
}

fn on_page(words: &[Word<'_>], content: &[u32], counts: &HashMap<Phrase, u32>) -> Vec<Mention> {
    let count = |first, length| counts.get(&phrase(content, first, length)).copied().unwrap_or(0);
    let mut found: Vec<(f64, usize, usize)> = phrases(words, content)
        .filter(|&(first, length)| {
            let last = &words[first + length - 1];
            let verbal = last.text.ends_with("ed") || last.text.ends_with("ing") && length == 1;
            let enough = if length == 1 { WORD_COUNT } else { PHRASE_COUNT };
            let word = length > 1 || last.text.chars().count() >= WORD_CHARS && !last.has(Class::GENERIC);
            !verbal && word && count(first, length) >= enough
        })
        .map(|(first, length)| {
            let own = f64::from(count(first, length));
            // Occurrences within a longer phrase count for that phrase.
            let joined = |at: usize| matches!(words[at].gap, Gap::Space | Gap::Line);
            let left = first > 0 && content[first - 1] != 0 && joined(first);
            let right = content.get(first + length).is_some_and(|id| *id != 0) && joined(first + length);
            let longer =
                |fits: bool, from: usize| if fits && length < WORDS { f64::from(count(from, length + 1)) } else { 0.0 };
            let nested = longer(left, first.saturating_sub(1)).max(longer(right, first));
            let score = ((length + 1) as f64).log2() * (own - if nested > 1.0 { nested * 0.5 } else { 0.0 });
            (score, first, length)
        })
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.2.cmp(&a.2)).then(a.1.cmp(&b.1)));
    let characters = words.last().map_or(0, |word| word.end);
    let most = (f64::from(characters) / 1000.0 * DENSITY).ceil() as usize;
    let mut taken = vec![false; words.len()];
    let mut mentions = Vec::new();
    for (_, first, length) in found {
        if mentions.len() == most {
            break;
        }
        if !taken[first..first + length].contains(&true) {
            taken[first..first + length].fill(true);
            mentions.push(Mention {
                entity_type: EntityType::Concept,
                char_start: words[first].start,
                char_end: words[first + length - 1].end,
                value: None,
                role: None,
            });
        }
    }
    mentions.sort_by_key(|mention| (mention.char_start, Reverse(mention.char_end)));
    mentions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surfaces(pages: &[&str], names: &[PageNames]) -> Vec<Vec<String>> {
        let cut = |page: &str, m: &Mention| {
            page.chars().skip(m.char_start as usize).take((m.char_end - m.char_start) as usize).collect()
        };
        pages
            .iter()
            .zip(concept_candidates(pages, names))
            .map(|(page, found)| found.iter().map(|m| cut(page, m)).collect())
            .collect()
    }

    #[test]
    fn phrases_that_come_back_are_found_on_every_page() {
        let pages = [
            "The heat pump was late. Quietly, we wrote to the plumber about it.",
            "Two Heat Pumps are better than the cheap boiler.",
        ];
        assert_eq!(surfaces(&pages, &[]), [["heat pump"], ["Heat Pumps"]]);
    }

    #[test]
    fn candidates_are_few_and_apart() {
        let page = "solar panel roof garden ".repeat(200);
        let found = concept_candidates(&[&page], &[]).remove(0);
        assert!(found.len() <= 58 && found.windows(2).all(|pair| pair[0].char_end <= pair[1].char_start));
    }

    #[test]
    fn words_of_names_are_no_topics() {
        let text = "Heat Pump Inc. sells. We met Heat Pump Inc. and left.";
        let names = crate::names::names(&[crate::names::Page { text, spans: &[] }]);
        assert_eq!(surfaces(&[text], &names), [[""; 0]]);
    }
}
