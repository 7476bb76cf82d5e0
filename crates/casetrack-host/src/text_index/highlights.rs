//! The sentences or clauses of a text that show why it was found.

use std::collections::HashSet;
use std::ops::Range;

use super::query::Query;
use super::tokens::Tokenizer;

const MAX_HIGHLIGHTS: usize = 3;
/// Longest highlight, in bytes of text. Most sentences have fewer.
const MAX_BYTES: usize = 300;
/// The distance from a hit within which the ends of its sentence are looked for, in bytes.
const REACH: usize = 1000;
const MAX_SENTENCES: usize = 500;
/// The sign that a sentence continues.
const CUT: &str = "...";
/// After these a full stop ends no sentence, nor does it after one letter.
const ABBREVIATIONS: [&str; 24] = [
    "art", "ca", "cf", "dr", "ed", "eq", "etc", "fig", "inc", "jr", "mr", "mrs", "ms", "no", "nos", "para", "pp",
    "prof", "sec", "sr", "st", "v", "vol", "vs",
];

/// An occurrence of something that is sought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    /// Its bytes.
    pub place: Range<usize>,
    /// The index of the hit among all sought terms.
    pub sought: usize,
}

struct Candidate {
    place: Range<usize>,
    shown: Range<usize>,
    sought: HashSet<usize>,
    hits: usize,
}

/// The sentences of a text with most of the words of a query, in their order; none if it has none of them.
pub fn highlights(text: &str, query: &Query, tokenizer: Tokenizer) -> Vec<String> {
    let words: Vec<_> = tokenizer.words(text).collect();
    let mut hits = Vec::new();
    for at in 0..words.len() {
        for (sought, phrase) in query.sought().iter().enumerate() {
            let end = at + phrase.len();
            if end <= words.len() && words[at..end].iter().zip(phrase).all(|(word, sought)| word.text == *sought) {
                hits.push(Hit { place: words[at].place.start..words[end - 1].place.end, sought });
            }
        }
    }
    highlights_at(text, &hits)
}

/// The same, if the hits are known; in their order.
pub(super) fn highlights_at(text: &str, hits: &[Hit]) -> Vec<String> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for hit in hits {
        if let Some(last) = candidates.last_mut().filter(|last| hit.place.end <= last.shown.end) {
            last.sought.insert(hit.sought);
            last.hits += 1;
            continue;
        }
        if candidates.len() == MAX_SENTENCES {
            break;
        }
        let place = sentence(text, &hit.place);
        // Of a sentence that continues, the next hit shows another part.
        let from = candidates.last().map_or(0, |last| last.shown.end).min(hit.place.start);
        let shown = shortened(text, &(place.start.max(from)..place.end), &hit.place);
        candidates.push(Candidate { place, shown, sought: HashSet::from([hit.sought]), hits: 1 });
    }
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse((candidates[i].sought.len(), candidates[i].hits)), i));
    order.truncate(MAX_HIGHLIGHTS);
    order.sort_unstable();
    order.into_iter().map(|i| written(text, &candidates[i])).collect()
}

/// On one line, with marks at the places at which the sentence continues.
fn written(text: &str, Candidate { place, shown, .. }: &Candidate) -> String {
    let words: Vec<&str> = text[shown.clone()].split_whitespace().collect();
    let before = if text[place.start..shown.start].trim().is_empty() { "" } else { CUT };
    let after = if text[shown.end..place.end].trim().is_empty() { "" } else { CUT };
    format!("{before}{}{after}", words.join(" "))
}

/// The sentence around a hit, as far as it reaches.
fn sentence(text: &str, hit: &Range<usize>) -> Range<usize> {
    let from = text.floor_char_boundary(hit.start.saturating_sub(REACH));
    let to = text.ceil_char_boundary((hit.end + REACH).min(text.len()));
    let (mut start, mut end) = (from, to);
    for boundary in ends(&text[from..to]).map(|end| from + end) {
        if boundary <= hit.start {
            start = boundary;
        } else if boundary >= hit.end {
            end = boundary;
            break;
        }
    }
    trimmed(text, start..end)
}

/// The part of a sentence around a hit that is not too long: from clause to clause, or from word to word if a clause is too long.
fn shortened(text: &str, sentence: &Range<usize>, hit: &Range<usize>) -> Range<usize> {
    if sentence.len() <= MAX_BYTES {
        return sentence.clone();
    }
    let parts = |is_end: fn(char, Option<char>) -> bool| -> Vec<usize> {
        let mut ends = vec![sentence.start];
        let mut chars = text[sentence.clone()].char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if is_end(c, chars.peek().map(|(_, next)| *next)) {
                ends.push(sentence.start + at + c.len_utf8());
            }
        }
        ends.push(sentence.end);
        ends
    };
    let clauses = parts(|c, next| match c {
        ',' | ';' | ':' | '—' | '–' => next.is_some_and(char::is_whitespace),
        '，' | '；' | '、' => true,
        _ => false,
    });
    let mut part = around(&clauses, hit);
    if part.len() > MAX_BYTES {
        part = around(&parts(|c, _| c.is_whitespace()), hit);
    }
    if part.len() > MAX_BYTES {
        // Text without spaces.
        let half = MAX_BYTES / 2;
        let (start, end) = (hit.start.saturating_sub(half), hit.start + half);
        part = text.ceil_char_boundary(start.max(sentence.start))..text.floor_char_boundary(end.min(sentence.end));
    }
    trimmed(text, part)
}

/// The parts around a hit, by their ends, that together are not too long: more of them by turns before and after it.
fn around(ends: &[usize], hit: &Range<usize>) -> Range<usize> {
    let mut first = ends.partition_point(|end| *end <= hit.start).saturating_sub(1);
    let mut last = ends.partition_point(|end| *end < hit.end).min(ends.len() - 1);
    loop {
        let mut grown = false;
        if last + 1 < ends.len() && ends[last + 1] - ends[first] <= MAX_BYTES {
            last += 1;
            grown = true;
        }
        if first > 0 && ends[last] - ends[first - 1] <= MAX_BYTES {
            first -= 1;
            grown = true;
        }
        if !grown {
            return ends[first]..ends[last];
        }
    }
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

/// The ends of sentences in a text: after full stops, question and exclamation marks, and at blank lines, headings and items of lists.
fn ends(text: &str) -> impl Iterator<Item = usize> {
    let mut chars = text.char_indices();
    std::iter::from_fn(move || {
        for (at, c) in chars.by_ref() {
            let after = at + c.len_utf8();
            let rest = &text[after..];
            let is_end = match c {
                '。' | '！' | '？' => true,
                '.' | '!' | '?' | '…' => {
                    let closed = rest.trim_start_matches(['"', '\'', '”', '’', '»', ')', ']']);
                    let next = closed.trim_start().chars().next();
                    let is_followed =
                        closed.starts_with(char::is_whitespace) && next.is_some_and(|c| !c.is_lowercase());
                    if (is_followed || closed.is_empty()) && !(c == '.' && is_abbreviation(&text[..at])) {
                        return Some(after + (rest.len() - closed.len()));
                    }
                    false
                }
                '\n' => is_break(&text[..at], rest),
                _ => false,
            };
            if is_end {
                return Some(after);
            }
        }
        None
    })
}

/// True if the text before a full stop is an abbreviation, or one letter.
fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_letter = word.chars().all(char::is_alphabetic) && word.chars().count() == 1;
    is_letter || ABBREVIATIONS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// True if a line break ends a sentence that no mark ends: before a blank line or an item of a list, and after a heading in Markdown.
fn is_break(before: &str, rest: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let next = rest.split('\n').next().unwrap_or_default().trim_start();
    let digits = next.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = digits.len() < next.len() && digits.starts_with(['.', ')']);
    let is_item = next.starts_with(['-', '*', '•', '#', '|', '>']) || is_numbered;
    next.is_empty() || is_item || line.trim_start().starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, query: &str) -> Vec<String> {
        let tokenizer = Tokenizer::default();
        let shown = highlights(text, &Query::parse(query, tokenizer), tokenizer);
        for highlight in &shown {
            assert!(highlight.len() <= MAX_BYTES + 2 * CUT.len(), "{highlight}");
        }
        shown
    }

    #[test]
    fn highlights_are_whole_sentences() {
        let text = "Intro by Dr. Ann Lee. Rate limiting protects\nAPIs, e.g. from abuse! Is it 3.5 times as fast? \
            \"Buckets refill.\" They do.\n\n# Notes on limits\nRate it.\n- one rate\n- two";
        assert_eq!(shown(text, "lee"), ["Intro by Dr. Ann Lee."]);
        assert_eq!(shown(text, "protects abuse"), ["Rate limiting protects APIs, e.g. from abuse!"]);
        assert_eq!(shown(text, "buckets"), ["\"Buckets refill.\""]);
        assert_eq!(shown(text, "limits"), ["# Notes on limits"]);
        assert_eq!(shown(text, "one two"), ["- one rate", "- two"]);
        assert_eq!(shown(text, "\"limiting protects\""), ["Rate limiting protects APIs, e.g. from abuse!"]);
        assert_eq!(shown("東京は大きい。京都は古い。", "\"京都\""), ["京都は古い。"]);
        assert!(shown(text, "absent").is_empty());
    }

    #[test]
    fn at_most_three_with_most_of_what_is_sought_in_their_order() {
        let text = "One rate. Two rate limit. Three rate. Four limit rate rate. Five limit rate.";
        assert_eq!(shown(text, "rate limit"), ["Two rate limit.", "Four limit rate rate.", "Five limit rate."]);
        assert_eq!(shown(text, "rate")[1..], ["Two rate limit.", "Four limit rate rate."]);
    }

    #[test]
    fn of_a_long_sentence_the_clauses_around_the_hit_are_shown() {
        let clause = "the party of the first part shall deliver all of the goods named in schedule one, ";
        let text = format!("{}the needle is here, {}end.", clause.repeat(9), clause.repeat(9));
        let [part] = &shown(&text, "needle")[..] else { panic!() };
        assert!(part.starts_with("...the party of") && part.ends_with("schedule one,..."), "{part}");
        assert!(part.contains("the needle is here,") && part.len() > 200, "{part}");
        let words = format!("{}needle {}", "word ".repeat(300), "word ".repeat(300));
        let [part] = &shown(&words, "needle")[..] else { panic!() };
        assert!(part.starts_with("...word ") && part.contains(" needle word") && part.ends_with("word..."), "{part}");
        let joined = format!("{}/needle/{}", "x".repeat(4000), "ü".repeat(4000));
        assert!(shown(&joined, "needle")[0].contains("/needle/"));
        let japanese = "東".repeat(3000);
        assert_eq!(shown(&japanese, "東").len(), 3);
    }
}
