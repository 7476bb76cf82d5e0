//! Prefixes, suffixes and infixes: the tokenizer's regular expressions as lists of alternatives.

use serde::Deserialize;

use crate::spacy::charset::CharSet;

/// One alternative of a pattern: sets of characters in a row, each repeated as often as possible between two bounds,
/// with sets that must precede and that must or must not follow. Numbers are those of [`Affixes`]'s sets.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Alternative {
    behind: Vec<usize>,
    body: Vec<(usize, usize, Option<usize>)>,
    ahead: Option<usize>,
    not_ahead: Option<usize>,
}

/// The alternatives of one pattern. As in Python's `re`, the first alternative in order that matches is the match.
#[derive(Debug)]
pub(super) struct Affixes {
    alternatives: Vec<Alternative>,
    /// For each character of ASCII, and at the end for all others, the alternatives that may begin with it.
    by_first: Vec<Vec<u16>>,
    /// The most characters that an alternative of bounded length matches.
    longest: usize,
    /// The sets that end alternatives of unbounded length.
    unbounded: Vec<usize>,
}

impl Affixes {
    /// `None` if an alternative is empty or names an unknown set.
    pub fn new(alternatives: Vec<Alternative>, sets: &[CharSet]) -> Option<Self> {
        let (mut longest, mut unbounded) = (0, Vec::new());
        let mut by_first = vec![Vec::new(); 129];
        for (number, alternative) in alternatives.iter().enumerate() {
            let numbers = alternative.behind.iter().chain(&alternative.ahead).chain(&alternative.not_ahead);
            let mut numbers = numbers.chain(alternative.body.iter().map(|(set, ..)| set));
            let &(first, least, _) = alternative.body.first()?;
            if least == 0 || numbers.any(|&set| set >= sets.len()) {
                return None;
            }
            match alternative.body.iter().map(|&(.., most)| most).sum::<Option<usize>>() {
                Some(length) => longest = longest.max(length),
                None => unbounded.extend(alternative.body.iter().filter(|part| part.2.is_none()).map(|part| part.0)),
            }
            let number = u16::try_from(number).ok()?;
            for (code, list) in (0u8..128).zip(&mut by_first) {
                if sets[first].contains(char::from(code)) {
                    list.push(number);
                }
            }
            if sets[first].beyond_ascii() {
                by_first[128].push(number);
            }
        }
        Some(Self { alternatives, by_first, longest, unbounded })
    }

    /// The end of the match that begins at `start`.
    fn match_at(&self, sets: &[CharSet], text: &[char], start: usize, to_end: bool) -> Option<usize> {
        let code = text.get(start).map(|&c| u32::from(c).min(128) as usize)?;
        self.by_first[code].iter().find_map(|&number| {
            let alternative = &self.alternatives[usize::from(number)];
            let behind = alternative.behind.len();
            let preceded = start >= behind
                && text[start - behind..start].iter().zip(&alternative.behind).all(|(&c, &set)| sets[set].contains(c));
            if !preceded {
                return None;
            }
            alternative.body_end(sets, text, &alternative.body, start, to_end)
        })
    }

    pub fn prefix(&self, sets: &[CharSet], text: &[char]) -> usize {
        self.match_at(sets, text, 0, false).unwrap_or(0)
    }

    /// Length of the suffix of `text`, 0 for none: of the match that ends `text` and begins first. Looks at as much of
    /// the text as a suffix can have.
    pub fn suffix(&self, sets: &[CharSet], text: &[char]) -> usize {
        let mut first = text.len().saturating_sub(self.longest);
        for &set in &self.unbounded {
            // An unbounded part is the last one, after at most `longest` others.
            let run = text.iter().rev().take_while(|&&c| sets[set].contains(c)).count();
            first = first.min(text.len().saturating_sub(run + self.longest));
        }
        (first..text.len())
            .find(|&start| self.match_at(sets, text, start, true).is_some())
            .map_or(0, |start| text.len() - start)
    }

    pub fn infixes(&self, sets: &[CharSet], text: &[char]) -> Vec<(usize, usize)> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < text.len() {
            match self.match_at(sets, text, at, false) {
                Some(end) => {
                    found.push((at, end));
                    at = end;
                }
                None => at += 1,
            }
        }
        found
    }
}

impl Alternative {
    /// The end of `body` and of the part that must follow it, matched from `at` on; it must reach the end of the text if `to_end`.
    fn body_end(
        &self,
        sets: &[CharSet],
        text: &[char],
        body: &[(usize, usize, Option<usize>)],
        at: usize,
        to_end: bool,
    ) -> Option<usize> {
        let Some((&(set, least, most), rest)) = body.split_first() else {
            let next = text.get(at);
            let follows = self.ahead.is_none_or(|set| next.is_some_and(|&c| sets[set].contains(c)))
                && self.not_ahead.is_none_or(|set| !next.is_some_and(|&c| sets[set].contains(c)))
                && (!to_end || next.is_none());
            return follows.then_some(at);
        };
        let most = most.unwrap_or(usize::MAX);
        let count = text[at..].iter().take(most).take_while(|&&c| sets[set].contains(c)).count();
        (least..=count).rev().find_map(|count| self.body_end(sets, text, rest, at + count, to_end))
    }
}
