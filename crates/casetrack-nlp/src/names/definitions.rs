//! Defined terms: `Acme Corporation, a Delaware corporation ("Acme" or the "Company")`, `(hereinafter referred to as
//! "Buyer")`, `"Effective Date" means …`.

use std::ops::Range;

use casetrack_core::EntityType;

use super::{Name, Source, persons};
use crate::places;
use crate::words::{Class, Gap, Shape, Word, class_of, is_party_word, surface};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// As written, without its quotation marks and article.
    pub term: String,
    /// The term's place: characters of the page, half-open.
    pub char_start: u32,
    pub char_end: u32,
    /// The person, organization or place on the same page that the term names.
    pub entity: Option<DefinedEntity>,
    /// The page's characters, from the end of the definition before or of the paragraph to the bracket, that state the
    /// meaning of a term in brackets: "dated as of May 1, 2020" for `(the "Effective Date")`. Nothing for "… means".
    pub subject: Option<Range<u32>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DefinedEntity {
    pub entity_type: EntityType,
    pub char_start: u32,
    pub char_end: u32,
}

/// A definition in terms of the page's words.
pub(crate) struct WordDefinition {
    pub term: Range<usize>,
    /// Index of the name that it refers to.
    pub name: Option<usize>,
    pub subject: Option<Range<usize>>,
}

const TERM_WORDS: usize = 6;
/// Greatest distance from a bracket to the name that it defines a term for, in words: "a Delaware corporation with its
/// principal place of business at …" takes 20 to 60.
const SUBJECT_WORDS: usize = 90;
/// Longest bracket with terms, in words.
const BRACKET_WORDS: usize = 30;

/// Finds the definitions of a page. `names` are in order; names known only from their definition are added to them.
pub(crate) fn find(words: &[Word<'_>], names: &mut Vec<Name>) -> Vec<WordDefinition> {
    let terms = terms(words);
    let mut shown: Vec<Name> = Vec::new();
    for (term, open) in &terms {
        if let Some(open) = open
            && let Some(name) = introduced(words, *open, term, names)
            && shown.last().is_none_or(|before| before.last <= name.first)
        {
            shown.push(name);
        }
    }
    names.extend(shown);
    names.sort_by_key(|name| name.first);
    let mut found: Vec<WordDefinition> = Vec::new();
    let mut region = 0;
    let mut last_open = None;
    for (term, open) in terms {
        let subject = open.map(|open| {
            if last_open != Some(open) {
                // The names of a bracket before this one have theirs; a paragraph's end ends the search.
                region = last_open
                    .map_or(0, |_| found.last().map_or(0, |before| before.term.end))
                    .max(open.saturating_sub(SUBJECT_WORDS));
                region = (region + 1..open).rev().find(|&i| words[i].gap == Gap::Blank).unwrap_or(region);
            }
            last_open = Some(open);
            region..open
        });
        let name = match &subject {
            Some(subject) => subject_name(words, names, subject, &term),
            None => meant_name(words, names, &term),
        };
        found.push(WordDefinition { term, name, subject });
    }
    share_bracket(&mut found, words);
    found
}

/// `("Acme" or the "Company")`: the terms of one bracket mean one thing, except "Party" and the like.
fn share_bracket(found: &mut [WordDefinition], words: &[Word<'_>]) {
    for i in 1..found.len() {
        let same = found[i].subject.is_some()
            && found[i].subject.as_ref().map(|s| s.end) == found[i - 1].subject.as_ref().map(|s| s.end);
        let between = &words[found[i - 1].term.end..found[i].term.start];
        if !same || between.iter().any(|word| matches!(word.text, "together" | "collectively" | "with")) {
            continue;
        }
        let party = |found: &WordDefinition| {
            !words[found.term.clone()].iter().all(|word| word.has(Class::GENERIC) && !word.has(Class::PARTY))
        };
        match (found[i - 1].name, found[i].name) {
            (Some(name), None) if party(&found[i]) => found[i].name = Some(name),
            (None, Some(name)) if party(&found[i - 1]) => found[i - 1].name = Some(name),
            (Some(name), Some(_)) if is_party_word(&words_of(words, &found[i].term)) => found[i].name = Some(name),
            (Some(_), Some(name)) if is_party_word(&words_of(words, &found[i - 1].term)) => {
                found[i - 1].name = Some(name)
            }
            _ => {}
        }
    }
}

/// The terms in quotation marks that a bracket, "hereinafter" or "means" makes defined terms; with the bracket or the
/// word that ends the subject.
fn terms(words: &[Word<'_>]) -> Vec<(Range<usize>, Option<usize>)> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    let mut i = 0;
    while i < words.len() {
        if words[i].is('(') {
            open = Some(i);
            if let Some(term) = bare_term(words, i) {
                i = term.end;
                found.push((term, open));
                continue;
            }
        } else if words[i].is(')') {
            open = None;
        } else if is_quote(&words[i])
            && let Some((term, behind)) = quoted(words, i)
        {
            let bracket = open.filter(|open| i - open < BRACKET_WORDS).or_else(|| hereinafter(words, i));
            if let Some(bracket) = bracket {
                found.push((term, Some(bracket)));
            } else if is_meaning(words, behind) {
                found.push((term, None));
            }
            i = behind;
            continue;
        }
        i += 1;
    }
    found
}

fn is_quote(word: &Word<'_>) -> bool {
    matches!(word.shape, Shape::Mark('"' | '“' | '”' | '\'' | '‘' | '’' | '„' | '«' | '»' | '`'))
}

/// The words between the quotation mark at `at` and the next, and the word after it.
fn quoted(words: &[Word<'_>], at: usize) -> Option<(Range<usize>, usize)> {
    let mut first = at + 1;
    while first < words.len() && first < at + 3 && is_quote(&words[first]) {
        first += 1;
    }
    let mut end = first;
    while end < words.len() && end <= first + TERM_WORDS + 2 && !is_quote(&words[end]) && words[end].gap < Gap::Blank {
        end += 1;
    }
    if end >= words.len() || !is_quote(&words[end]) {
        return None;
    }
    let mut behind = end;
    while behind < words.len()
        && behind < end + 3
        && is_quote(&words[behind])
        && (behind == end || words[behind].gap == Gap::None)
    {
        behind += 1;
    }
    let mut last = end;
    while last > first && words[last - 1].is_mark() {
        last -= 1;
    }
    if first < last && matches!(words[first].text, "the" | "The" | "THE") {
        first += 1;
    }
    let fits = first < last
        && last - first <= TERM_WORDS
        && (words[first].is_capital() || words[first].shape == Shape::Number || words[first].text.contains('.'));
    fits.then_some((first..last, behind))
}

/// `(the Company)`, `(hereinafter called Buyer)`, without quotation marks: a party word, and nothing else.
fn bare_term(words: &[Word<'_>], open: usize) -> Option<Range<usize>> {
    let mut first = open + 1;
    while first < words.len() && first < open + 8 && words[first].shape == Shape::Lower {
        let fits = matches!(
            words[first].text,
            "the" | "hereinafter" | "hereafter" | "herein" | "referred" | "to" | "as" | "called" | "hereinbelow"
        );
        if !fits {
            return None;
        }
        first += 1;
    }
    let close = (first..words.len().min(first + 4)).find(|&i| words[i].is(')'))?;
    let inside = words.get(first..close)?;
    let party =
        !inside.is_empty() && inside.iter().all(Word::is_capital) && is_party_word(&words_of(words, &(first..close)));
    party.then_some(first..close)
}

/// `…, hereinafter referred to as the "Buyer"`: the word that ends the subject.
fn hereinafter(words: &[Word<'_>], quote: usize) -> Option<usize> {
    (quote.saturating_sub(7)..quote)
        .rev()
        .take_while(|&i| words[i].shape == Shape::Lower || words[i].is(',') || words[i].text.starts_with("Here"))
        .find(|&i| matches!(words[i].text, "hereinafter" | "hereafter" | "herein" | "Hereinafter" | "Hereafter"))
}

fn is_meaning(words: &[Word<'_>], behind: usize) -> bool {
    let mut lower =
        words[behind.min(words.len())..].iter().take(4).take_while(|word| word.shape == Shape::Lower || word.is(','));
    lower.any(|word| matches!(word.text, "means" | "mean" | "meaning" | "refers" | "refer" | "includes" | "include"))
}

fn words_of(words: &[Word<'_>], range: &Range<usize>) -> String {
    surface(words, range.start, range.end)
}

/// The name in the subject that a term in brackets refers to.
fn subject_name(words: &[Word<'_>], names: &[Name], subject: &Range<usize>, term: &Range<usize>) -> Option<usize> {
    let from = names.partition_point(|name| name.first < subject.start);
    let until = names.partition_point(|name| name.first < subject.end);
    let candidates: Vec<usize> = (from..until)
        .filter(|&i| names[i].last <= subject.end && names[i].entity_type != EntityType::Location)
        .collect();
    // "Term", "Option Plan": things, regardless of the names before them.
    let thing = words[term.clone()].iter().all(|word| word.has(Class::GENERIC) && !word.has(Class::PARTY));
    if thing || words[term.end - 1].has(Class::NO_NAME_END) {
        return None;
    }
    if let Some(&alike) = candidates.iter().rev().find(|&&i| is_short_for(words, term, &names[i])) {
        return Some(alike);
    }
    // "and [*] ("Distributor")": the name is left blank.
    if subject.end > 0 && matches!(words[subject.end - 1].shape, Shape::Mark(']' | '_' | '*')) {
        return None;
    }
    // "between Acme and ("Buyer")", "the undersigned holder ("Holder")": a blank, and a person without a name.
    let before = &words[subject.end.saturating_sub(2)..subject.end];
    let blank = before.last().is_some_and(|word| {
        matches!(word.text, "and" | "or" | "between" | "at" | "of" | "by" | "to" | "with" | "from" | "in")
    });
    if blank || before.iter().any(|word| word.text == "undersigned") {
        return None;
    }
    let text = words_of(words, term);
    let near = |i: &&usize| names[**i].last + 3 >= subject.end && !is_postal(&words[names[**i].first..names[**i].last]);
    if !is_party_word(&text) {
        // A word unlike any name: one right before the bracket is meant, or the last company if the term is an
        // abbreviation; `(the "Indenture")` is a thing.
        let generic = words[term.clone()].iter().any(|word| word.has(Class::GENERIC));
        let article = words[term.start - 1].text == "the" || term.start > 1 && words[term.start - 2].text == "the";
        let short = term.len() == 1 && words[term.start].shape == Shape::Upper;
        let right = candidates
            .iter()
            .rev()
            .find(|i| near(i) && !ends_with_place(words, &names[**i]))
            .or_else(|| candidates.iter().rev().find(|&&i| short && names[i].source >= Source::Form));
        return right.copied().filter(|_| !generic && !article);
    }
    candidates
        .iter()
        .find(|&&i| names[i].source >= Source::Form)
        .or_else(|| candidates.iter().rev().find(near))
        .or(candidates.first().filter(|&&i| names[i].source >= Source::Person))
        .copied()
}

/// `"Company" means Acme Inc.`
fn meant_name(words: &[Word<'_>], names: &[Name], term: &Range<usize>) -> Option<usize> {
    let from = names.partition_point(|name| name.first < term.end);
    let near = names.get(from).filter(|name| name.first <= term.end + 5 && name.entity_type != EntityType::Location)?;
    let between = &words[term.end..near.first];
    let direct = between.iter().all(|word| {
        is_quote(word) || matches!(word.text, "means" | "mean" | "shall" | "the" | "," | "to" | "refers" | "refer")
    });
    // "Product" means Acme's pumps: of Acme, not Acme.
    let whole = words.get(near.last).is_none_or(|word| {
        matches!(word.shape, Shape::Mark(',' | '.' | ';' | '(')) || matches!(word.text, "and" | "or" | "a" | "an")
    });
    (direct && whole && words[term.clone()].iter().any(|word| !word.has(Class::GENERIC) || word.has(Class::PARTY)))
        .then_some(from)
}

/// The code of a state and a postal code: the end of an address that was taken for a name.
fn is_postal(words: &[Word<'_>]) -> bool {
    let digits = |word: &Word<'_>| word.text.bytes().filter(u8::is_ascii_digit).count() >= 5;
    words.iter().any(digits) || words.first().is_some_and(|word| places::is_state_code(word)) && words.len() == 1
}

fn ends_with_place(words: &[Word<'_>], name: &Name) -> bool {
    places::place_at(words, name.last - 1).is_some()
}

/// "Acme" of "Acme Corporation", "IBM" of "International Business Machines".
pub(crate) fn is_short_for(words: &[Word<'_>], term: &Range<usize>, name: &Name) -> bool {
    let named: Vec<String> = words[name.first..name.last]
        .iter()
        .filter(|word| !word.is_mark() && !word.has(Class::FORM))
        .map(Word::folded)
        .collect();
    let short: Vec<String> = words[term.clone()].iter().filter(|word| !word.is_mark()).map(Word::folded).collect();
    let Some(first) = short.first() else { return false };
    if is_party_word(&short.join(" ")) && named.last() != Some(first) {
        return false;
    }
    let Some(begin) =
        named.iter().position(|word| word == first || first.chars().count() >= 3 && word.starts_with(first.as_str()))
    else {
        return short.len() == 1 && is_acronym(first, &named, words, name);
    };
    // "Elmtree US" for "Elmtree Capital Management, L.P."; "Acme Parties" is more than Acme.
    let whole = |word: &String| !class_of(word).has(Class::GENERIC) && !matches!(word.as_str(), "entities" | "group");
    if begin == 0 && named[0] == *first && short.iter().all(whole) && short.len() <= 3 {
        return true;
    }
    // Every word of the term is in the name, in its order.
    let mut rest = named[begin..].iter();
    short
        .iter()
        .all(|word| rest.any(|other| other == word || word.chars().count() >= 3 && other.starts_with(word.as_str())))
}

fn is_acronym(short: &str, named: &[String], words: &[Word<'_>], name: &Name) -> bool {
    let letters: Vec<char> = short.chars().filter(|c| c.is_alphanumeric()).collect();
    if letters.len() < 2 || letters.len() > 8 {
        return false;
    }
    let initials: Vec<char> = named
        .iter()
        .filter(|word| !matches!(word.as_str(), "of" | "and" | "the" | "for"))
        .filter_map(|word| word.chars().next())
        .collect();
    let with_form: Vec<char> = words[name.first..name.last]
        .iter()
        .filter(|word| !word.is_mark())
        .filter_map(|word| word.folded().chars().next())
        .collect();
    initials.starts_with(&letters)
        || with_form.starts_with(&letters)
        || initials.first() == letters.first() && {
            // "ACMI" of "Acm International": the letters occur in the name in their order.
            let mut all = named.iter().flat_map(|word| word.chars());
            letters.len() >= 3
                && letters.iter().all(|letter| all.any(|c| c == *letter))
                && letters.len() >= initials.len()
        }
}

/// The name in capitals right before a bracket whose term is short for it, or a party word, and which nothing else has
/// found: `JANE QUILL ("Quill")`.
fn introduced(words: &[Word<'_>], open: usize, term: &Range<usize>, names: &[Name]) -> Option<Name> {
    let end = open - usize::from(open > 0 && words[open - 1].is(','));
    let mut first = end;
    while first > 0 && end - first < 10 && (first == end || words[first].gap < Gap::Wide) {
        let previous = &words[first - 1];
        let folded = previous.folded();
        let link = matches!(folded.as_str(), "of" | "&" | "-" | "'" | "’" | "®" | "™");
        let party = previous.has(Class::PARTY);
        if !(previous.is_capital() || previous.is('-') || previous.is('&') || link || previous.shape == Shape::Number)
            || previous.has(Class::STOP) && !party
            || matches!(folded.as_str(), "and" | "or" | "the")
        {
            break;
        }
        first -= 1;
    }
    while first < end && !words[first].is_capital() {
        first += 1;
    }
    let mut end = end;
    while first < end && !(words[end - 1].is_capital() || words[end - 1].shape == Shape::Number) {
        end -= 1;
    }
    let from = names.partition_point(|name| name.last <= first);
    let taken = names[from..].iter().take_while(|name| name.first < end).any(|name| {
        name.source >= Source::Form
            || name.entity_type != EntityType::Location
                && name.source >= Source::Recognizer
                && name.source != Source::Hint
                && name.last >= end
    });
    // "THAT YOU REPRESENT": words of a sentence in capitals.
    let clause = first.checked_sub(1).is_some_and(|before| {
        words[first].shape == Shape::Upper
            && matches!(
                words[before].text,
                "YOU" | "WE" | "THEY" | "IT" | "SHALL" | "WILL" | "MAY" | "MUST" | "NOT" | "TO"
            )
    });
    // "TX 75001" is the end of an address.
    if first >= end || clause || taken || is_postal(&words[first..end]) {
        return None;
    }
    let person = persons::is_given_name(&words[first]) && end - first <= 4 && !words[end - 1].has(Class::HEAD);
    let entity_type = if person { EntityType::Person } else { EntityType::Organization };
    let name = Name::new(first, end, entity_type, Source::Form);
    let common = words[first..end].iter().all(|word| word.is_mark() || word.is_common());
    let party = is_party_word(&words_of(words, term));
    (!common && party && end + 1 >= open
        || end - first >= 2
            && !common
            && is_short_for(words, term, &name)
            && words[term.clone()].iter().any(|word| !word.has(Class::GENERIC)))
    .then_some(name)
}
