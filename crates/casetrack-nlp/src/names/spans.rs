use casetrack_core::EntityType;

use super::organizations::is_head;
use super::persons::{is_given_name, is_honorific, is_particle};
use super::{Name, Source};
use crate::places;
use crate::recognizer::{Label, NamedSpan};
use crate::words::{Class, Gap, Shape, Word, fold, is_party_word, surface};

/// The names that a page's spans are. Spans are in order.
pub(crate) fn names(words: &[Word<'_>], spans: &[NamedSpan]) -> Vec<Name> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut labelled = vec![false; words.len()];
    for span in spans {
        while from < words.len() && words[from].end <= span.char_start {
            from += 1;
        }
        let mut end = from;
        while end < words.len() && words[end].start < span.char_end {
            end += 1;
        }
        labelled[from..end].fill(true);
        let Some(entity_type) = type_of(span.label) else { continue };
        for (first, last) in pieces(words, from, end) {
            found.extend(name(words, first, last, entity_type, span.label));
        }
    }
    for name in &mut found {
        complete(words, name, &labelled);
    }
    found
}

/// Includes the capitalised word next to a person's name that the recognizer gave no label: "Orla" of "Orla Quill".
fn complete(words: &[Word<'_>], name: &mut Name, labelled: &[bool]) {
    if name.entity_type != EntityType::Person || name.last - name.first > 1 || words[name.first].shape != Shape::Title {
        return;
    }
    let part = |at: usize| {
        words.get(at).is_some_and(|word| {
            word.shape == Shape::Title
                && !word.is_common()
                && !labelled[at]
                && !is_head(word)
                && !word.has(Class::HONORIFIC)
        })
    };
    if part(name.last) && words[name.last].gap == Gap::Space && !places::is_head(&words[name.last]) {
        name.last += 1;
    } else if name.first > 0 && part(name.first - 1) && words[name.first].gap == Gap::Space {
        name.first -= 1;
    }
}

/// Events, laws, products, works and nationalities are no persons, organizations or places; dates and numbers have rules of their own.
fn type_of(label: Label) -> Option<EntityType> {
    match label {
        Label::Person => Some(EntityType::Person),
        Label::Org => Some(EntityType::Organization),
        Label::Gpe | Label::Loc | Label::Fac => Some(EntityType::Location),
        _ => None,
    }
}

/// A span that runs over an end of a line, a bracket or a quotation mark is several.
fn pieces(words: &[Word<'_>], first: usize, last: usize) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    let mut begin = first;
    for i in first..last {
        let splits = matches!(
            words[i].shape,
            Shape::Mark('(' | ')' | '"' | '“' | '”' | ':' | ';' | '|' | '*' | '[' | ']' | '_')
        );
        if i > begin && words[i].gap >= Gap::Line && !words[i - 1].is(',') || splits {
            parts.push((begin, i));
            begin = i + usize::from(splits);
        }
    }
    parts.push((begin, last));
    parts.retain(|(first, last)| first < last);
    parts
}

fn name(words: &[Word<'_>], first: usize, last: usize, entity_type: EntityType, label: Label) -> Option<Name> {
    let (first, last) = trim(words, first, last)?;
    let has_form = words[first..last].iter().any(|word| word.has(Class::FORM) && word.text.len() > 2);
    let (first, last) = match entity_type {
        EntityType::Person => trim_person(words, first, last)?,
        _ => (first, last),
    };
    let inside = &words[first..last];
    let end = inside.last()?;
    let mut entity_type = entity_type;
    if inside.len() > 1 && !has_form && places::is_head(end) {
        entity_type = EntityType::Location;
    }
    if has_form || entity_type == EntityType::Person && is_head(end) && inside.len() > 1 {
        entity_type = EntityType::Organization;
    }
    let common = |word: &Word<'_>| word.is_mark() || word.text.bytes().all(|b| b.is_ascii_digit()) || word.is_common();
    if inside.iter().all(common) {
        let place = places::place_at(words, first).is_some_and(|place| place.last == last);
        if !(place && label == Label::Gpe) {
            return None;
        }
    }
    if inside.len() <= 2 && is_party_word(&surface(words, first, last))
        || inside.iter().all(|word| !word.is_capital() && !word.text.chars().any(char::is_uppercase))
        || entity_type == EntityType::Person && !is_person(inside)
        || entity_type == EntityType::Organization && !has_form && is_no_organization(inside)
    {
        return None;
    }
    if entity_type == EntityType::Organization && !has_form && is_given_and_surname(inside) {
        entity_type = EntityType::Person;
    }
    Some(Name::new(first, last, entity_type, Source::Recognizer))
}

/// A person without honorifics, and without the words behind the name: "Smith's", "Mr. Smith", "Jane Roe Title".
fn trim_person(words: &[Word<'_>], mut first: usize, mut last: usize) -> Option<(usize, usize)> {
    while first < last && is_honorific(&words[first]) {
        first += 1;
    }
    while first < last
        && (words[last - 1].is_common()
            && last - first > 1
            && !is_given_name(&words[last - 1])
            && words[last - 1].shape != Shape::Initial
            || words[last - 1].is_mark())
    {
        last -= 1;
    }
    while last - first > 2 && words[first].has(Class::STOP) {
        first += 1;
    }
    (first < last).then_some((first, last))
}

fn is_person(inside: &[Word<'_>]) -> bool {
    let part = |word: &Word<'_>| {
        word.is_capital() || is_particle(word) || matches!(word.shape, Shape::Mark('.' | ',' | '\'' | '’' | '-'))
    };
    !inside.iter().all(|word| word.shape == Shape::Initial)
        && !inside.last().is_some_and(|word| word.has(Class::NO_NAME_END))
        && inside.iter().all(part)
}

/// "Securities Act of 1933"; only "Commission".
fn is_no_organization(inside: &[Word<'_>]) -> bool {
    let law = inside.windows(2).any(|pair| pair[0].text == "Act" && pair[1].text == "of");
    let bare = inside.len() == 1 && is_head(&inside[0]);
    law || bare || inside.last().is_some_and(|word| word.has(Class::NO_NAME_END))
}

fn is_given_and_surname(inside: &[Word<'_>]) -> bool {
    (2..=3).contains(&inside.len())
        && inside.iter().all(|word| matches!(word.shape, Shape::Title | Shape::Initial))
        && is_given_name(&inside[0])
        && !inside.iter().any(is_head)
}

/// Trims articles, other small words and marks at both ends.
fn trim(words: &[Word<'_>], mut first: usize, mut last: usize) -> Option<(usize, usize)> {
    while first < last {
        let word = &words[first];
        let sentence = first == 0 || words[first].gap >= Gap::Line || words[first - 1].is('.');
        let article = matches!(word.text, "The" | "THE" | "A" | "An") && (sentence || last - first < 3)
            || word.has(Class::STOP) && word.shape != Shape::Initial && !matches!(word.text, "US" | "IT" | "May");
        if word.is_mark() || word.shape == Shape::Lower && !word.text.contains('.') && !is_particle(word) || article {
            first += 1;
        } else {
            break;
        }
    }
    while first < last {
        let word = &words[last - 1];
        let possessive = word.text == "s"
            || word.text == "S" && last > 1 && matches!(words[last - 2].shape, Shape::Mark('\'' | '’'));
        if word.is_mark() && !word.is('!') || word.shape == Shape::Lower && !word.text.contains('.') || possessive {
            last -= 1;
        } else {
            break;
        }
    }
    let empty = first >= last
        || words[first..last]
            .iter()
            .all(|word| fold(word.text).chars().all(|c| c.is_ascii_digit() || !c.is_alphanumeric()));
    (!empty).then_some((first, last))
}
