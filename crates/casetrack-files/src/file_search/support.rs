//! The check of a model's sentences against the snippets that it was given.
//!
//! One snippet must have most words of a sentence, all its names, and all its numbers, each with the same unit and next to the same word. The check
//! compares words and not meaning, so it errs on one side: it marks a right sentence in other words, and passes no number that no snippet has.

use std::collections::BTreeSet;
use std::ops::Range;

use super::singular;
use super::summary::sentences;
use super::terms::{Kind, NumberWords, Term, is_year, terms};

/// The mark behind a sentence without support.
pub(super) const MARK: &str = "[not in the snippets]";

/// Fifths of the words of a sentence that a snippet must have.
const ENOUGH: usize = 3;
/// Words that turn a statement into its opposite.
const NEGATIONS: &[&str] =
    &["not", "no", "never", "neither", "nor", "none", "cannot", "without", "unless", "except", "nothing", "nobody"];
/// Words that bound a number or a time, and their like: a statement without them, or with others, is another one.
const BOUNDS: &[&str] = &[
    "before", "after", "until", "since", "least", "most", "more", "less", "above", "below", "over", "under", "minimum",
    "maximum", "only", "half", "double", "twice",
];
/// Units that follow even a number that may be a year.
const MEASURES: &[&str] =
    &["%", "usd", "eur", "gbp", "jpy", "chf", "second", "minute", "hour", "day", "week", "month", "year"];

/// A snippet as the model was given it.
pub(super) struct Snippet {
    /// The name of the file, with its ASCII letters in lower case.
    file: String,
    sentences: Vec<Sentence>,
    /// The keys of all its words and numbers.
    words: BTreeSet<String>,
    stems: BTreeSet<String>,
}

/// A sentence, with everything that is compared.
struct Sentence {
    terms: Vec<Term>,
    /// Of words and numbers, in order.
    keys: Vec<String>,
    /// Of words that state something.
    stems: BTreeSet<String>,
    numbers: Vec<Number>,
    is_negated: bool,
    /// "500 and 900 respectively" leaves open what each number belongs to.
    is_open: bool,
}

struct Number {
    key: String,
    /// The index of its clause in the sentence.
    clause: usize,
    place: NumberWords,
}

/// A sentence of a summary, without the names of files in it.
struct Claim {
    files: BTreeSet<String>,
    sentence: Sentence,
}

impl Sentence {
    fn new(text: &str) -> Self {
        let terms = terms(text);
        let keys = terms.iter().filter(|term| term.kind != Kind::Break).map(|term| term.key.clone()).collect();
        let stems = terms.iter().filter(|term| has_content(term)).map(|term| stem(&term.key)).collect();
        let is_negated = is_negated(&terms);
        let clause = |at: usize| terms[..at].iter().filter(|term| term.kind == Kind::Break).count();
        let number = |at: usize| Number {
            key: terms[at].key.clone(),
            clause: clause(at),
            place: NumberWords::of(&terms, at, stem),
        };
        let numbers = (0..terms.len()).filter(|&at| terms[at].is_number()).map(number).collect();
        let is_open = terms.iter().any(|term| term.key == "respectively");
        Self { terms, keys, stems, numbers, is_negated, is_open }
    }

    /// True if it has the numbers of a clause in the same order: "from 30 to 21 days" is not "from 21 to 30 days".
    fn has_all(&self, clause: &[Number]) -> bool {
        let mut left = self.numbers.iter();
        !self.is_open && clause.iter().all(|wanted| left.any(|found| wanted.is_met_by(found)))
    }
}

impl Number {
    fn is_met_by(&self, found: &Self) -> bool {
        if self.key != found.key {
            return false;
        }
        let (wanted, found) = (&self.place, &found.place);
        let is_year = is_year(&self.key);
        let unit = wanted.units.first().filter(|unit| !is_year || MEASURES.contains(&unit.as_str()));
        let is_near = match (&wanted.label, &wanted.neighbours, &found.neighbours) {
            (Some(label), ..) => found.clause.contains(label),
            (None, [Some(before), _], [other, _]) => other.as_ref() == Some(before),
            // "In 2021, …" opens a sentence that states in other words what happened.
            (None, [None, _], _) if is_year => true,
            (None, [None, after], [_, other]) => after == other,
        };
        unit.is_none_or(|unit| found.units.contains(unit)) && is_near
    }
}

impl Snippet {
    pub fn new(file: &str, text: &str) -> Self {
        let sentences: Vec<Sentence> = sentences(text).into_iter().map(|place| Sentence::new(&text[place])).collect();
        let words: BTreeSet<String> = sentences.iter().flat_map(|sentence| &sentence.keys).cloned().collect();
        let stems = words.iter().map(|word| stem(word)).collect();
        Self { file: file.to_ascii_lowercase(), sentences, words, stems }
    }

    /// The quickest comparisons come first.
    fn supports(&self, claim: &Claim) -> bool {
        let Claim { files, sentence } = claim;
        let terms = sentence.terms.as_slice();
        (files.is_empty() || files.contains(&self.file))
            && self.has_bounds_and_numbers(terms)
            && self.has_enough_words(sentence)
            && self.has_names(terms)
            && self.agrees(sentence)
            && (self.repeats(sentence) || self.has_placed_numbers(sentence))
    }

    fn has_bounds_and_numbers(&self, claim: &[Term]) -> bool {
        let is_needed = |term: &&Term| term.is_number() || BOUNDS.contains(&term.key.as_str());
        claim.iter().filter(is_needed).all(|term| self.words.contains(&term.key))
    }

    fn has_enough_words(&self, claim: &Sentence) -> bool {
        claim.stems.intersection(&self.stems).count() * 5 >= claim.stems.len() * ENOUGH
    }

    /// All names, and the first word, which may be one. Names next to each other are next to each other here as well.
    fn has_names(&self, claim: &[Term]) -> bool {
        let first = claim.iter().position(|term| term.kind == Kind::Word);
        let is_name = |at: usize| has_content(&claim[at]) && claim[at].is_capital;
        (0..claim.len()).filter(|&at| is_name(at)).all(|at| {
            let key = &claim[at].key;
            let is_known = self.words.contains(key) || Some(at) == first && self.stems.contains(&stem(key));
            let pair = at.checked_sub(1).filter(|&before| is_name(before));
            is_known && pair.is_none_or(|before| self.is_pair(&claim[before].key, key))
        })
    }

    fn is_pair(&self, one: &str, two: &str) -> bool {
        let is_same = |pair: &[Term]| pair[0].key == one && pair[1].key == two;
        self.sentences.iter().any(|sentence| sentence.terms.windows(2).any(is_same))
    }

    /// True if the sentence with the most words of the claim is negated as the claim is.
    fn agrees(&self, claim: &Sentence) -> bool {
        let shared = |sentence: &Sentence| sentence.stems.intersection(&claim.stems).count();
        let shares: Vec<usize> = self.sentences.iter().map(shared).collect();
        let most = shares.iter().max().copied().unwrap_or_default();
        let mut best = self.sentences.iter().zip(&shares).filter(|(_, shared)| **shared == most);
        best.any(|(sentence, _)| sentence.is_negated == claim.is_negated)
    }

    /// True if one sentence has the claim word for word.
    fn repeats(&self, claim: &Sentence) -> bool {
        let length = claim.keys.len().max(1);
        self.sentences.iter().any(|sentence| sentence.keys.windows(length).any(|keys| keys == claim.keys))
    }

    /// True if one sentence has all numbers of each clause of the claim.
    fn has_placed_numbers(&self, claim: &Sentence) -> bool {
        claim
            .numbers
            .chunk_by(|one, other| one.clause == other.clause)
            .all(|numbers| self.sentences.iter().any(|sentence| sentence.has_all(numbers)))
    }
}

/// True for a word that states something.
fn has_content(term: &Term) -> bool {
    term.kind == Kind::Word && term.has_meaning
}

/// A word without its most frequent English endings.
fn stem(word: &str) -> String {
    let singular = singular(word);
    let bare = ["ing", "ed", "e"].iter().find_map(|ending| singular.strip_suffix(ending));
    bare.filter(|bare| bare.chars().nth(3).is_some()).unwrap_or(&singular).to_owned()
}

fn is_negated(terms: &[Term]) -> bool {
    terms.iter().enumerate().any(|(at, term)| {
        // "No. 5" is a number.
        let ends = terms.get(at + 1).is_some_and(|next| next.kind == Kind::Break);
        let is_label = term.key == "no" && ends && terms.get(at + 2).is_some_and(Term::is_number);
        term.key.ends_with("n't") || NEGATIONS.contains(&term.key.as_str()) && !is_label
    })
}

impl Claim {
    fn new(text: &str, known: &[String]) -> Self {
        let (mut left, mut shown) = (text.to_ascii_lowercase(), text.to_owned());
        let mut files = BTreeSet::new();
        for file in known.iter().filter(|file| file.contains(char::is_alphanumeric)) {
            while let Some(at) = whole(&left, file) {
                files.insert(file.clone());
                let blank = " ".repeat(file.len());
                left.replace_range(at..at + file.len(), &blank);
                shown.replace_range(at..at + file.len(), &blank);
            }
        }
        Self { files, sentence: Sentence::new(&shown) }
    }

    fn states_something(&self) -> bool {
        !self.sentence.stems.is_empty() || !self.sentence.numbers.is_empty()
    }
}

/// The place of a name that is not part of a longer one.
fn whole(text: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(name)
        .map(|(at, _)| at)
        .find(|at| !text[..*at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}

/// The summary with a [`MARK`] behind each sentence that no snippet supports, and the number of marks.
pub(super) fn marked(summary: &str, snippets: &[Snippet]) -> (String, u32) {
    // Longest first: a short name may be the end of another.
    let mut files: Vec<String> = snippets.iter().map(|snippet| snippet.file.clone()).collect();
    files.sort_by_key(|file| std::cmp::Reverse(file.len()));
    let (mut text, mut count) = (String::new(), 0);
    let lines: Vec<&str> = summary.split('\n').collect();
    for (at, line) in lines.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        let mut end = 0;
        for (place, claim) in claims(line, lines.get(at + 1).copied(), &files) {
            text.push_str(&line[end..place.end]);
            end = place.end;
            if !snippets.iter().any(|snippet| snippet.supports(&claim)) {
                text.push_str(if text.ends_with(char::is_whitespace) { "" } else { " " });
                text.push_str(MARK);
                count += 1;
            }
        }
        // A mark in a row of a table stays in its last cell.
        let rest = &line[end..];
        text.push_str(if end > 0 && rest.starts_with('|') { " " } else { "" });
        text.push_str(rest);
    }
    (text, count)
}

/// The statements of a line, with their places. A name of a file behind a sentence belongs to the sentence.
fn claims(line: &str, next: Option<&str>, files: &[String]) -> Vec<(Range<usize>, Claim)> {
    let trimmed = line.trim_end();
    if trimmed.trim_start().starts_with('|') {
        let is_header = next.is_some_and(is_rule) || is_rule(trimmed);
        let end = trimmed.strip_suffix('|').unwrap_or(trimmed).trim_end().len();
        let claim = Claim::new(&line[..end], files);
        return if is_header || !claim.states_something() { Vec::new() } else { vec![(0..end, claim)] };
    }
    let start = line.len() - without_bullet(line).len();
    let mut found: Vec<(Range<usize>, Claim)> = Vec::new();
    for place in sentences(&line[start..]) {
        let (mut from, to) = (start + place.start, start + place.end);
        if let (Some(length), Some((last, stated))) = (citation(&line[from..to]), found.last_mut()) {
            let cited = Claim::new(&line[from..from + length], files);
            if !cited.states_something() {
                from += length;
                last.end = from;
                stated.files.extend(cited.files);
            }
        }
        let text = &line[from..to];
        let claim = Claim::new(text, files);
        if claim.states_something() {
            found.push((from..from + text.trim_end().len(), claim));
        }
    }
    found
}

/// The length of the brackets with which a text begins.
fn citation(text: &str) -> Option<usize> {
    let open = text.find(|c: char| !c.is_whitespace())?;
    let close = match text[open..].chars().next()? {
        '(' => ')',
        '[' => ']',
        _ => return None,
    };
    text[open..].find(close).map(|at| open + at + 1)
}

/// True for the line below the header of a table.
fn is_rule(line: &str) -> bool {
    line.contains("--") && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// The line without the sign or number of an item of a list.
fn without_bullet(line: &str) -> &str {
    let rest = line.trim_start_matches([' ', '\t', '-', '*', '•', '#', '>']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let sign = line.len() - rest.len();
    if digits > 0 && line[..sign].ends_with('-') {
        return &line[sign - 1..];
    }
    match rest[digits..].strip_prefix(['.', ')']).filter(|rest| (1..4).contains(&digits) && rest.starts_with(' ')) {
        Some(rest) => rest.trim_start(),
        None => rest,
    }
}

#[cfg(test)]
mod tests;
