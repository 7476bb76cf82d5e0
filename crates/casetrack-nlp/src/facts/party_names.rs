//! The name that begins at a place of an opening, to its end.

use std::ops::Range;

use super::text::Text;
use crate::words::{Class, Gap, Shape, Word, single_spaced, words};

word_lists! {
    FORMS: set = "facts/forms.txt";
    PUBLIC: set = "facts/public-bodies.txt";
    ENDS: set = "facts/name-ends.txt";
    /// Right behind a form of incorporation: the name has ended.
    AFTER_FORM: set = "facts/after-form.txt";
    PAIRS: set = "facts/name-pairs.txt";
    PLACEHOLDERS: set = "facts/placeholders.txt";
    /// Before a name that describes a party: "a division of".
    DESCRIBED: list = "facts/described.txt";
}
/// Offices of a state: "State of Ohio, Bureau of Motor Vehicles".
const OFFICES: &[&str] =
    &["Department", "Bureau", "Office", "Division", "Agency", "Board", "Commission", "Ministry", "Secretary"];

/// Behind a comma they are part of the name of a person.
const DEGREES: &[&str] = &["md", "phd", "esq", "cpa", "dds", "jd", "jr", "sr", "ii", "iii"];

const NAME_WORDS: usize = 16;

/// The name that begins at a byte: words with capitals, and what joins them.
pub(crate) fn name_at(text: &Text<'_>, at: usize) -> Option<(String, Range<usize>)> {
    let whole = text.text();
    let window = Window::new(&whole[at..text.floor(at + 220)], whole[..at].ends_with(['\'', '"']));
    let end = window.name_end();
    let (first, form) = (window.words.first()?, window.words.get(end.checked_sub(1)?)?);
    let start = at + byte_of(window.text, first.start);
    let mut last = at + byte_of(window.text, form.end);
    if whole[last..].starts_with('.') && is_pointed(form) {
        last += 1;
    }
    // "Beta LLC." ends a sentence
    if form.text.strip_suffix('.').is_some_and(|bare| matches!(bare, "LLC" | "LLP" | "LP" | "PLC")) && last > start + 1
    {
        last -= 1;
    }
    let name = single_spaced(&whole[start..last]);
    let name = name.trim_end_matches([',', '-', '\'']).replace(" ,", ",");
    (name.chars().filter(|c| c.is_alphabetic()).count() > 1).then_some((name, start..last))
}

struct Window<'t> {
    text: &'t str,
    words: Vec<Word<'t>>,
    /// True if a quotation mark is before the text.
    quoted: bool,
}

impl<'t> Window<'t> {
    fn new(text: &'t str, quoted: bool) -> Self {
        Self { text, words: words(text), quoted }
    }

    fn word(&self, at: usize, fits: impl Fn(&Word<'_>) -> bool) -> bool {
        self.words.get(at).is_some_and(fits)
    }

    fn name_end(&self) -> usize {
        let (mut at, mut end) = (0, 0);
        while at < self.words.len().min(NAME_WORDS * 2) {
            // "A/S"
            if at > 0
                && self.words[at].text == "A"
                && self.word(at + 1, |mark| mark.is('/'))
                && self.word(at + 2, |word| word.text == "S")
            {
                at += 3;
                end = at;
            } else if self.is_of_name(at) {
                if at > 0 && self.is_behind(at) {
                    break;
                }
                at += 1;
                end = at;
            } else {
                let Some((next, is_part)) = (at > 0).then(|| self.joint(at)).flatten() else { break };
                at = next;
                end = if is_part { at } else { end };
            }
        }
        end
    }

    fn is_of_name(&self, at: usize) -> bool {
        let word = &self.words[at];
        let site = at == 0 && word.text.contains('.') && word.text.starts_with(|c: char| c.is_alphabetic());
        // "thoughtbot, inc."
        let small = at == 0
            && matches!(word.shape, Shape::Lower)
            && self.word(1, |comma| comma.is(','))
            && self.word(2, is_form);
        word.is_capital() || site || small || matches!(word.shape, Shape::Number) || is_form(word)
    }

    /// True if the name has ended before this word.
    fn is_behind(&self, at: usize) -> bool {
        let word = &self.words[at];
        let after_form = is_form(&self.words[at - 1])
            && (AFTER_FORM.contains(word.text.trim_end_matches('.')) || matches!(word.shape, Shape::Number));
        is_stop(word) || after_form || word.gap >= Gap::Line && !is_form(word)
    }

    /// The word after what joins two words of a name, and true if it is itself a part of the name: ", Inc.", "(AFRICA)
    /// (PTY) LIMITED", "d/b/a", "of", "&", "-".
    fn joint(&self, at: usize) -> Option<(usize, bool)> {
        let all = &self.words;
        let word = &all[at];
        let next = |fits: &dyn Fn(&Word<'_>) -> bool| self.word(at + 1, fits);
        let glued = word.gap == Gap::None;
        let joins = match word.text {
            "." if next(&|next| next.text == "z") => true,
            "," => self.is_inner_comma(at),
            // "Yahoo! Maps"
            "!" => glued && next(&|next| is_form(next) || next.is_capital() && next.gap == Gap::Space),
            "." | "-" | "/" | "'" | "&" | "®" | "™" | "+" => self.is_inner_mark(at),
            "of" | "for" | "de" | "du" | "van" | "von" | "der" | "the" | "la" | "in" => {
                next(&|next| next.is_capital() || matches!(next.text, "the" | "America"))
            }
            "and" => is_office(all, at) || next(&|next| is_pair(&all[at - 1], next)),
            "\"" if !glued => return Some((self.nickname_end(at)? + 1, false)),
            "(" => return Some((self.bracket_end(at)? + 1, false)),
            // "Sp. z o.o."
            "z" if next(&|next| next.text.starts_with("o.o")) => return Some((at + 2, true)),
            // "S.à r.l."
            "r.l." | "r.l" if all[at - 1].folded() == "sà" => return Some((at + 1, true)),
            // "E*Trade"
            "*" => glued && next(&|next| next.is_capital() && next.gap == Gap::None),
            "d" | "dba" | "a" => self.text[byte_of(self.text, word.start)..].starts_with("d/b/a"),
            "d/b/a" | "DBA" => true,
            _ => false,
        };
        joins.then_some((at + 1, false))
    }

    fn is_inner_comma(&self, at: usize) -> bool {
        let all = &self.words;
        let Some(next) = all.get(at + 1) else { return false };
        let folded = next.folded();
        let first = all[0].folded();
        is_form(next) && !(next.text == "Company" && is_number_label(all.get(at + 2)))
            || folded == "national" && self.word(at + 2, |word| word.folded() == "association")
            || DEGREES.contains(&folded.as_str())
            || is_public(&all[0]) && next.is_capital() && !is_stop(next)
            || matches!(first.as_str(), "state" | "commonwealth") && OFFICES.contains(&next.text)
            // "Brown, Green & White LLP"
            || !is_form(&all[at - 1])
                && next.is_capital()
                && self.word(at + 2, |word| word.is('&'))
                && all.iter().skip(at + 3).take(3).any(is_form)
    }

    fn is_inner_mark(&self, at: usize) -> bool {
        let word = &self.words[at];
        let next = self.words.get(at + 1);
        let glued = word.gap == Gap::None;
        glued && next.is_some_and(|next| next.gap == Gap::None || is_form(next))
            || word.text == "&"
            // "Workers' Compensation Board"
            || word.text == "'"
                && glued
                && self.words[at - 1].text.ends_with(['s', 'S'])
                && !self.quoted
                && next.is_some_and(|next| next.is_capital() && !is_stop(next))
            || word.text == "-" && next.is_some_and(Word::is_capital)
    }

    /// The mark behind a nickname within a name: "Jane "JJ" Roe".
    fn nickname_end(&self, open: usize) -> Option<usize> {
        let close = (open + 2..self.words.len().min(open + 4)).find(|at| self.words[*at].is('"'))?;
        let inside = self.words[open + 1..close].iter().all(Word::is_capital);
        let goes_on = self
            .word(close + 1, |next| next.is_capital() && next.gap == Gap::Space && !is_stop(next) && !is_form(next));
        (inside && goes_on).then_some(close)
    }

    /// The bracket behind a place within a name: "Acme (Africa) Limited".
    fn bracket_end(&self, open: usize) -> Option<usize> {
        let close = (open + 1..self.words.len().min(open + 5)).find(|at| self.words[*at].is(')'))?;
        let inside = &self.words[open + 1..close];
        let place = !inside.is_empty() && inside.iter().all(Word::is_capital);
        let goes_on = self.word(close + 1, |next| is_form(next) || next.is_capital() || next.is('('));
        (place && goes_on).then_some(close)
    }
}

/// "Bank and Trust", "Johnson and Johnson": words that "and" joins within a name.
fn is_pair(before: &Word<'_>, behind: &Word<'_>) -> bool {
    let (before, behind) = (before.folded(), behind.folded());
    before == behind || PAIRS.contains(&format!("{before} {behind}").as_str())
}

/// "Company Registration Number" begins with no form of incorporation.
fn is_number_label(word: Option<&Word<'_>>) -> bool {
    word.is_some_and(|word| matches!(word.text.trim_end_matches('.'), "Registration" | "Reg" | "Number" | "No"))
}

/// True if an "and" is within the name of an office: "Department of Health and Human Services".
fn is_office(all: &[Word<'_>], and: usize) -> bool {
    let of = (1..and).any(|at| matches!(all[at].text, "of" | "for") && OFFICES.contains(&all[at - 1].text));
    let behind = &all[and + 1..];
    of && behind.first().is_some_and(|next| next.is_capital() && !is_stop(next) && !OFFICES.contains(&next.text))
        && !behind.iter().take(5).any(is_form)
}

/// "Inc", which has a point of its own; the one after "LLC" ends a sentence.
fn is_pointed(word: &Word<'_>) -> bool {
    word.text.contains('.')
        || matches!(word.folded().as_str(), "inc" | "corp" | "ltd" | "co" | "ltda" | "bhd" | "jr" | "sr" | "pty")
}

pub(crate) fn byte_of(text: &str, chars: u32) -> usize {
    text.char_indices().nth(chars as usize).map_or(text.len(), |(at, _)| at)
}

/// "Inc.", "LLC", "L.P.": a form of incorporation.
pub(crate) fn is_form(word: &Word<'_>) -> bool {
    word.has(Class::FORM)
        || FORMS.contains(word.folded().as_str())
        || matches!(word.text, "r.l." | "r.l" | "o.o." | "o.o")
}

/// "Full Company Name", "Target Company": the text of a form in place of a name.
pub(crate) fn is_blank(all: &[Word<'_>]) -> bool {
    let placeholder = |word: &Word<'_>| PLACEHOLDERS.contains(word.folded().as_str());
    let party = |word: &Word<'_>| word.has(Class::PARTY) && !matches!(word.folded().as_str(), "corporation" | "bank");
    let form = |word: &Word<'_>| word.has(Class::FORM);
    all.iter().any(placeholder)
        && all.iter().all(|word| placeholder(word) || word.is_mark() || party(word) || form(word))
}

/// "2440 Lake Road", "Lake Road": a street, unless the name of a firm is made of them.
pub(crate) fn is_address(all: &[Word<'_>]) -> bool {
    let street = all.iter().rfind(|word| !word.is_mark()).is_some_and(crate::places::is_street);
    // "SE" in "2440 SE Federal Hwy." is a form too
    !all.is_empty() && (street || crate::places::address_at(all, 0).is_some()) && !all.last().is_some_and(is_form)
}

/// True if the text right before a name shows that it describes a party: "a division of", "represented by its President, ".
pub(crate) fn is_described(before: &str) -> bool {
    let folded = before.to_lowercase();
    let folded = folded.strip_suffix("u.s. ").unwrap_or(&folded);
    let bare = folded.strip_suffix("the ").unwrap_or(folded);
    // "registered in England and Wales of 10 Bressenden Place"
    bare.trim_end().ends_with("england and")
        || DESCRIBED.iter().any(|word| folded.ends_with(word) || bare.ends_with(word))
        || {
            let near = bare.rfind("represented by ").map(|at| &bare[at + 15..]);
            near.is_some_and(|near| near.len() < 60 && near.ends_with(", ") && near.matches(',').count() == 1)
        }
}

/// "Town of Vinton, Virginia"
pub(crate) fn is_public(word: &Word<'_>) -> bool {
    PUBLIC.contains(word.folded().as_str())
}

/// Ends a name although it has a capital.
fn is_stop(word: &Word<'_>) -> bool {
    ENDS.contains(word.text)
}
