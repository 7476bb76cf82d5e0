//! Words and signs of paragraphs, and how two paragraphs differ in them.

use std::collections::HashMap;
use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

/// Numbers for words, the same for both documents.
#[derive(Default)]
pub(super) struct Vocabulary {
    numbers: HashMap<String, u32>,
    /// By number: whether most paragraphs have the word.
    common: Vec<bool>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Words {
    places: Vec<Range<usize>>,
    /// Each token's number, the same for quotation marks and dashes of all shapes.
    pub tokens: Vec<u32>,
    /// The words without regard to capitals, sorted by number, with how often each occurs.
    counts: Vec<(u32, u32)>,
    /// Sum of the weights of all words.
    weight: f32,
    /// The number of words, numbers among them.
    pub count: usize,
    /// True if it has a word of at least [`TELLING`] letters.
    pub is_telling: bool,
}

/// Fewest letters of a distinctive word.
const TELLING: usize = 4;
/// The weight in the likeness of a word that most paragraphs have; another one counts 1.
const COMMON_WEIGHT: f32 = 0.25;
const COMMON: [&str; 46] = [
    "a", "all", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "for", "from", "has", "have", "if",
    "in", "into", "is", "it", "its", "may", "not", "of", "on", "or", "other", "shall", "so", "such", "than", "that",
    "the", "their", "then", "this", "to", "under", "upon", "was", "which", "who", "will", "with", "without",
];
/// Words shown on each side of a change if the text between two is left out.
const AROUND: usize = 7;

impl Vocabulary {
    fn number(&mut self, word: &str) -> u32 {
        if let Some(&number) = self.numbers.get(word) {
            return number;
        }
        let number = self.common.len() as u32;
        self.common.push(COMMON.contains(&word));
        self.numbers.insert(word.to_owned(), number);
        number
    }

    fn is_common(&self, number: u32) -> bool {
        self.common.get(number as usize).copied().unwrap_or_default()
    }

    fn weight(&self, number: u32) -> f32 {
        if self.is_common(number) { COMMON_WEIGHT } else { 1.0 }
    }

    pub fn words(&mut self, text: &str) -> Words {
        let mut words = Words { places: places(text), ..Words::default() };
        let mut counts: HashMap<u32, u32> = HashMap::new();
        for place in &words.places {
            let token = &text[place.clone()];
            let folded: String = token.chars().map(folded).collect();
            words.tokens.push(self.number(&folded));
            if token.starts_with(char::is_alphanumeric) {
                let number = self.number(&folded.to_lowercase());
                *counts.entry(number).or_default() += 1;
                words.weight += self.weight(number);
                words.count += 1;
                words.is_telling |= token.chars().filter(|c| c.is_alphabetic()).count() >= TELLING;
            }
        }
        words.counts = counts.into_iter().collect();
        words.counts.sort_unstable();
        words
    }

    /// The similarity of two paragraphs, 0–1: the share of the weight of their words that both have (Dice), regardless of order.
    pub fn likeness(&self, a: &Words, b: &Words) -> f32 {
        let all = a.weight + b.weight;
        if all > 0.0 { 2.0 * self.shared(a, b) / all } else { 0.0 }
    }

    /// The share (0–1) of the weight of the words of the shorter paragraph that the longer one has as well.
    pub fn containment(&self, a: &Words, b: &Words) -> f32 {
        let shorter = a.weight.min(b.weight);
        if shorter > 0.0 { self.shared(a, b) / shorter } else { 0.0 }
    }

    /// Share (0–1) of the weight of `part` that `whole` has besides the words shared with `other`.
    pub fn share_of_rest(&self, whole: &Words, other: &Words, part: &Words) -> f32 {
        let of = |words: &Words, number: u32| match words.counts.binary_search_by_key(&number, |(number, _)| *number) {
            Ok(at) => words.counts[at].1,
            Err(_) => 0,
        };
        let found = part.counts.iter().map(|&(number, count)| {
            let rest = of(whole, number).saturating_sub(of(other, number));
            rest.min(count) as f32 * self.weight(number)
        });
        let found: f32 = found.sum();
        if part.weight > 0.0 { found / part.weight } else { 0.0 }
    }

    fn shared(&self, a: &Words, b: &Words) -> f32 {
        let (mut shared, mut i, mut j) = (0.0, 0, 0);
        while let (Some(&(left, in_a)), Some(&(right, in_b))) = (a.counts.get(i), b.counts.get(j)) {
            if left == right {
                shared += in_a.min(in_b) as f32 * self.weight(left);
            }
            i += usize::from(left <= right);
            j += usize::from(right <= left);
        }
        shared
    }

    /// The different words of a paragraph that not most paragraphs have.
    pub fn telling<'w>(&'w self, words: &'w Words) -> impl Iterator<Item = u32> + 'w {
        words.counts.iter().map(|(number, _)| *number).filter(move |number| !self.is_common(*number))
    }
}

/// One shape for quotation marks, and one for dashes: programs change them without being asked.
fn folded(c: char) -> char {
    match c {
        '‘' | '’' | '‚' | '‛' | '´' | '`' => '\'',
        '“' | '”' | '„' | '‟' => '"',
        '‐' | '‑' | '‒' | '–' | '—' | '−' => '-',
        c => c,
    }
}

/// Bytes of words, of numbers with their points (`1,250.50`), and of other signs one by one.
fn places(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut chars = text.char_indices().peekable();
    let mut before = ' ';
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let next = chars.peek().map_or(' ', |&(_, next)| next);
        let joins = match c {
            '.' | ',' | ':' | '/' => before.is_ascii_digit() && next.is_ascii_digit(),
            '\'' | '’' => before.is_alphabetic() && next.is_alphabetic(),
            c => {
                c.is_alphanumeric()
                    && (before.is_alphanumeric() || matches!(before, '.' | ',' | ':' | '/' | '\'' | '’'))
            }
        };
        match found.last_mut() {
            // The text before is a word, or a sign that was taken into one.
            Some(last) if joins && last.end == at && text[last.clone()].starts_with(char::is_alphanumeric) => {
                last.end = end;
            }
            _ if c.is_whitespace() => {}
            _ => found.push(at..end),
        }
        before = c;
    }
    found
}

struct Run {
    is_same: bool,
    old: Range<usize>,
    new: Range<usize>,
}

/// The new text with the words that were deleted as `[-old-]` and those that are new as `{+new+}`; long stretches that both have are left
/// out except for the words around changes. Bounded in time by the heuristics of the difference algorithm.
pub(super) fn marked(old: (&str, &Words), new: (&str, &Words)) -> String {
    let runs = runs(old.1, new.1);
    let text = |side: (&str, &Words), tokens: &Range<usize>| -> String {
        let (first, last) =
            (side.1.places.get(tokens.start), tokens.end.checked_sub(1).and_then(|at| side.1.places.get(at)));
        match (first, last) {
            (Some(first), Some(last)) if !tokens.is_empty() => side.0[first.start..last.end].to_owned(),
            _ => String::new(),
        }
    };
    let has_gap = |side: (&str, &Words), at: usize| {
        let (before, after) = (at.checked_sub(1).and_then(|at| side.1.places.get(at)), side.1.places.get(at));
        before.zip(after).is_some_and(|(before, after)| before.end < after.start)
    };
    let mut out = String::new();
    for (run, number) in runs.iter().zip(1..) {
        let is_first = number == 1;
        let gap = if run.new.is_empty() { has_gap(old, run.old.start) } else { has_gap(new, run.new.start) };
        if gap && !is_first {
            out.push(' ');
        }
        if !run.is_same {
            if !run.old.is_empty() {
                out.push_str(&format!("[-{}-]", text(old, &run.old)));
            }
            if !run.new.is_empty() {
                out.push_str(&format!("{{+{}+}}", text(new, &run.new)));
            }
            continue;
        }
        let is_last = number == runs.len();
        let (head, tail) = (if is_first { 0 } else { AROUND }, if is_last { 0 } else { AROUND });
        if run.new.len() <= head + tail + AROUND {
            out.push_str(&text(new, &run.new));
        } else {
            let (head, tail) = (run.new.start..run.new.start + head, run.new.end - tail..run.new.end);
            let parts = [text(new, &head), "…".to_owned(), text(new, &tail)];
            let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
            out.push_str(&parts.join(" "));
        }
    }
    out
}

/// The runs of two paragraphs. Text that both have between two long changes is part of the change if it is short compared with both.
fn runs(old: &Words, new: &Words) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut push = |is_same: bool, old: Range<usize>, new: Range<usize>| match runs.last_mut() {
        Some(last) if last.is_same == is_same => {
            last.old.end = old.end;
            last.new.end = new.end;
        }
        _ => runs.push(Run { is_same, old, new }),
    };
    for op in capture_diff_slices(Algorithm::Patience, &old.tokens, &new.tokens) {
        let (tag, old, new) = op.as_tag_tuple();
        push(tag == DiffTag::Equal, old, new);
    }
    let length = |run: &Run| run.old.len().max(run.new.len());
    let mut joined: Vec<Run> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        let neighbours = at.checked_sub(1).map(|before| &runs[before]).zip(runs.get(at + 1));
        let is_short = neighbours.is_some_and(|(before, after)| 3 * length(run) <= length(before).min(length(after)));
        let is_same = run.is_same && !is_short;
        match joined.last_mut() {
            Some(last) if !last.is_same && !is_same => {
                last.old.end = run.old.end;
                last.new.end = run.new.end;
            }
            _ => joined.push(Run { is_same, old: run.old.clone(), new: run.new.clone() }),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mark(old: &str, new: &str) -> String {
        let mut vocabulary = Vocabulary::default();
        let (a, b) = (vocabulary.words(old), vocabulary.words(new));
        marked((old, &a), (new, &b))
    }

    #[test]
    fn single_words_and_numbers_are_marked() {
        for (old, new, expected) in [
            (
                "The Buyer shall pay within thirty (30) days.",
                "The Buyer shall pay within sixty (60) days.",
                "The Buyer shall pay within [-thirty-]{+sixty+} ([-30-]{+60+}) days.",
            ),
            ("Pay $1,250.50 now.", "Pay $1,300.00 now.", "Pay $[-1,250.50-]{+1,300.00+} now."),
            ("It is exclusive.", "It is not exclusive.", "It is {+not+} exclusive."),
            ("It is not exclusive.", "It is exclusive.", "It is [-not-] exclusive."),
            (
                "the Party's “own” use — all",
                "the Party’s \"own\" use - any",
                "the Party’s \"own\" use - [-all-]{+any+}",
            ),
            ("Term", "Duration", "[-Term-]{+Duration+}"),
            ("by 4/15/2011,", "by 4/16/2011,", "by [-4/15/2011-]{+4/16/2011+},"),
        ] {
            assert_eq!(mark(old, new), expected);
        }
    }

    #[test]
    fn what_is_far_from_a_change_is_left_out() {
        let words = |from: u32, to: u32| (from..to).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        let (old, new) = (words(0, 100), words(0, 100).replace("w50", "other").replace("w53", "more"));
        assert_eq!(
            mark(&old, &new),
            "… w43 w44 w45 w46 w47 w48 w49 [-w50-]{+other+} w51 w52 [-w53-]{+more+} w54 w55 w56 w57 w58 w59 w60 …"
        );
    }

    #[test]
    fn likeness_is_by_the_words_that_say_something() {
        let mut vocabulary = Vocabulary::default();
        let mut of = |text: &str| vocabulary.words(text);
        let (a, b) =
            (of("The tenant shall pay the rent to the landlord."), of("The tenant shall pay rent to the owner."));
        let other = of("The goods shall be sent to the buyer by the carrier.");
        let (part, whole) =
            (of("on the first day of each month"), of("The tenant shall pay the rent on the first day of each month."));
        assert!(vocabulary.likeness(&a, &b) > 0.7 && vocabulary.likeness(&a, &other) < 0.4);
        assert!(vocabulary.share_of_rest(&whole, &a, &part) > 0.9 && vocabulary.share_of_rest(&a, &b, &part) < 0.2);
    }

    /// The text of each side according to the marks.
    fn sides(marked: &str) -> (String, String) {
        let (mut old, mut new) = (String::new(), String::new());
        let mut rest = marked;
        while let Some(c) = rest.chars().next() {
            let deleted = rest.strip_prefix("[-").and_then(|rest| rest.split_once("-]"));
            let inserted = rest.strip_prefix("{+").and_then(|rest| rest.split_once("+}"));
            if let Some((text, after)) = deleted {
                old.push_str(text);
                rest = after;
            } else if let Some((text, after)) = inserted {
                new.push_str(text);
                rest = after;
            } else {
                old.push(c);
                new.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
        (old, new)
    }

    proptest! {
        #[test]
        fn marks_give_both_sides(old in "[ab]( [abcd1.,]){0,15}", new in "[ab]( [abcd1.,]){0,15}") {
            let marked = mark(&old, &new);
            prop_assume!(!marked.contains('…'));
            let squeezed = |text: &str| text.replace(' ', "");
            let (of_old, of_new) = sides(&marked);
            prop_assert_eq!(squeezed(&of_old), squeezed(&old), "{}", marked);
            prop_assert_eq!(squeezed(&of_new), squeezed(&new), "{}", marked);
        }
    }
}
