use casetrack_core::EntityType;

use super::organizations::is_head;
use super::roles::position;
use super::{Name, Source};
use crate::places;
use crate::words::{Class, Gap, Shape, Word};

word_lists! {
    PARTICLES: set = "words/particles.txt";
}

/// Longest name, in words.
const WORDS: usize = 5;

pub(crate) fn is_given_name(word: &Word<'_>) -> bool {
    matches!(word.shape, Shape::Title | Shape::Upper) && word.has(Class::GIVEN_NAME)
}

pub(crate) fn is_honorific(word: &Word<'_>) -> bool {
    // "MS SQL": a title in capitals has its point.
    let pointed = word.shape != Shape::Upper || word.text.len() > 3 || word.text.ends_with('.');
    word.is_capital() && word.has(Class::HONORIFIC) && pointed
}

pub(crate) fn is_particle(word: &Word<'_>) -> bool {
    word.shape == Shape::Lower && PARTICLES.contains(word.text)
}

/// Finds "Mr. Smith", "Dr. Jane Roe" (with the title left out) and "Jane A. Roe".
pub(crate) fn find(words: &[Word<'_>]) -> Vec<Name> {
    let mut found = Vec::new();
    let mut i = 0;
    while i < words.len() {
        if is_honorific(&words[i]) {
            let first = i + 1;
            let last = name_end(words, first);
            // "Judge" and "Justice" are also other words.
            if last > first && !words[first].is_common() {
                let mut name = Name::new(first, last, EntityType::Person, Source::Person);
                if matches!(words[i].folded().as_str(), "judge" | "justice" | "hon") {
                    name.role = Some("judge".to_owned());
                }
                found.push(name);
                i = last;
                continue;
            }
        } else if (is_given_name(&words[i]) || words[i].has(Class::RARE_GIVEN_NAME))
            && (i == 0 || words[i].gap > Gap::None || words[i - 1].is_mark())
        {
            let last = name_end(words, i);
            let behind = words.get(i + 1..last).unwrap_or_default();
            let sure = is_given_name(&words[i])
                || behind.last().is_some_and(|word| word.has(Class::SURNAME))
                || behind.iter().any(|word| word.shape == Shape::Initial);
            if sure && behind.last().is_some_and(|word| word.shape != Shape::Initial && !ends_no_person(word)) {
                found.push(Name::new(i, last, EntityType::Person, Source::Hint));
                i = last;
                continue;
            }
        }
        i += 1;
    }
    found
}

/// "Victoria Cup", "Victoria Park".
pub(crate) fn ends_no_person(word: &Word<'_>) -> bool {
    word.has(Class::NO_NAME_END) || places::is_head(word)
}

/// The end of the person's name that begins at `first`: capitalised words, initials, particles between them, "Jr.".
/// All words have the case of the first, so that a heading is left out.
pub(crate) fn name_end(words: &[Word<'_>], first: usize) -> usize {
    let mut last = first;
    let mut i = first;
    let Some(shape) = words.get(first).map(|word| word.shape) else { return first };
    while i < words.len() && i < first + WORDS {
        let word = &words[i];
        if i > first && word.gap > Gap::Space {
            break;
        }
        let part = match word.shape {
            Shape::Initial => i == first || word.gap == Gap::Space,
            Shape::Title | Shape::Upper => {
                (shape == Shape::Initial || word.shape == shape || i == first)
                    && !word.has(Class::FORM)
                    && !(i > first && is_head(word))
                    && !is_name_stop(word, i > first + 1)
            }
            _ => false,
        };
        // "Jane Roe Associate Director"
        let positioned = || i > first + 1 && position(words, i).is_some();
        if part && !positioned() {
            i += 1;
            last = i;
        } else if is_particle(word) && i > first && i + 1 < words.len() && words[i + 1].shape == Shape::Title {
            i += 1;
        } else {
            break;
        }
    }
    let behind = last + usize::from(words.get(last).is_some_and(|word| word.is(',')));
    if last > first
        && words.get(behind).is_some_and(|word| {
            matches!(word.text, "Jr." | "Sr." | "Jr" | "Sr" | "III" | "II" | "JR." | "SR.") && word.gap <= Gap::Space
        })
    {
        last = behind + 1;
    }
    last
}

fn is_name_stop(word: &Word<'_>, third: bool) -> bool {
    word.has(Class::GENERIC) || third && word.has(Class::LOWERED)
}
