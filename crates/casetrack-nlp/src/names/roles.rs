use crate::words::{Class, Gap, Word, surface};

/// Longest position, in words: "Executive Vice President, General Counsel and Secretary".
const WORDS: usize = 10;

/// The position that begins at word `at`, and its end: "Chief Executive Officer".
pub(crate) fn position(words: &[Word<'_>], at: usize) -> Option<(String, usize)> {
    let (mut last, mut headed) = (at, false);
    let mut i = at;
    while i < words.len() && i < at + WORDS && (i == at || words[i].gap < Gap::Wide) {
        let word = &words[i];
        if word.has(Class::POSITION) {
            i += 1;
            headed |= word.has(Class::POSITION_HEAD);
            if word.has(Class::POSITION_HEAD) {
                last = i;
            }
        } else if i > at && (word.is('&') || word.is(',') || word.is('/') || word.text.eq_ignore_ascii_case("and")) {
            i += 1;
        } else {
            break;
        }
    }
    // A capital or a small letter throughout: "the chairman" is a position, "Officer shall" is none of a person.
    headed.then(|| (surface(words, at, last), last))
}

pub(crate) fn of_person(words: &[Word<'_>], first: usize, last: usize) -> Option<String> {
    after(words, last).or_else(|| before(words, first))
}

/// "Jane Roe, Chief Executive Officer", "Jane Roe (CFO)", "Jane Roe, the author", "Jane Roe, as trustee".
fn after(words: &[Word<'_>], last: usize) -> Option<String> {
    let mut i = last;
    if words.get(i).is_some_and(|word| word.is(','))
        && words.get(i + 1).is_some_and(|word| matches!(word.text, "Esq." | "Esq" | "M.D." | "Ph.D." | "CPA"))
    {
        i += 2;
    }
    let next = words.get(i)?;
    if next.is(',') || next.is('(') || next.is('-') || next.is('–') {
        i += 1;
    } else if next.gap < Gap::Line {
        return None;
    }
    if words
        .get(i)
        .is_some_and(|word| matches!(word.text, "the" | "a" | "an" | "its" | "our" | "as" | "then" | "his" | "her"))
    {
        i += 1;
    }
    if words.get(i)?.gap == Gap::Blank {
        return None;
    }
    position(words, i).map(|(role, _)| role)
}

/// "President John Smith", "attorney John Smith", "Author: Jane Roe", "written by Jane Roe".
fn before(words: &[Word<'_>], first: usize) -> Option<String> {
    let previous = words.get(first.checked_sub(1)?)?;
    if previous.is(':') && first >= 2 {
        let label = words[first - 2].folded();
        return matches!(
            label.as_str(),
            "author" | "attorney" | "judge" | "witness" | "analyst" | "editor" | "notary" | "auditor"
        )
        .then_some(label);
    }
    if previous.text.eq_ignore_ascii_case("by") && first >= 2 {
        return matches!(words[first - 2].folded().as_str(), "written" | "authored" | "prepared")
            .then(|| "author".to_owned());
    }
    if words[first].gap > Gap::Space || !previous.has(Class::POSITION_HEAD) {
        return None;
    }
    let mut begin = first - 1;
    while begin > 0 && first - begin < WORDS && words[begin].gap <= Gap::Space && words[begin - 1].has(Class::POSITION)
    {
        begin -= 1;
    }
    Some(surface(words, begin, first))
}
