//! The name that begins at a place of an opening, to its end.

use std::ops::Range;

use casetrack_core::{EntityType, single_spaced};

use super::name_words::{OFFICES, is_public};
use super::party_terms::is_role;
use super::text::Text;
use crate::words::{Class, Gap, Shape, Word, words};

word_lists! {
    FORMS: set = "facts/forms.txt";
    ENDS: set = "facts/name-ends.txt";
    /// Right behind a form of incorporation: the name has ended.
    AFTER_FORM: set = "facts/after-form.txt";
    PAIRS: set = "facts/name-pairs.txt";
    /// Office-holders whose corporation has a name with "and" in it: "Rector and Visitors of".
    CORPORATIONS: set = "facts/corporations.txt";
    /// "and" in other languages, between two words of a name.
    ANDS: set = "facts/name-ands.txt";
    /// Behind "and" in the name of a firm: "Söhne", "Cie".
    KIN: set = "facts/kin.txt";
    PARTICLES: set = "facts/name-particles.txt";
    /// The last words of the names of funds, which may have a number: "Trust (1994)".
    FUNDS: set = "facts/funds.txt";
}
/// Behind a comma they are part of the name of a person.
const DEGREES: &[&str] = &["md", "phd", "esq", "cpa", "dds", "jd", "jr", "sr", "ii", "iii"];

/// Forms of incorporation that are also plain words behind a word in lower case: "operating Company".
const LONG_FORMS: &[&str] = &["company", "companies", "corporation", "corp", "co", "incorporated", "limited"];

/// The other members of a firm, after the English "and".
const ENGLISH_KIN: &[&str] = &["sons", "son", "daughters", "daughter", "brothers", "bros", "associates", "co"];

/// "And company" in other languages, which may stand behind a form of incorporation: "Banco Roe, S.A. y Compañía".
const PARTNERS: &[&str] = &["compañía", "compania", "cía", "cia", "companhia", "compagnia", "compagnie", "cie"];

/// Longest name, in words.
const NAME_WORDS: usize = 16;

/// The name that begins at a byte: words with capitals, and the words that join them.
pub(crate) fn name_at(text: &Text<'_>, at: usize) -> Option<(String, Range<usize>)> {
    let whole = text.text();
    let at = text.behind_day(at);
    let window = Window::new(text, at);
    let end = window.name_end();
    let (first, form) = (window.words.first()?, window.words.get(end.checked_sub(1)?)?);
    let start = at + byte_of(window.text, first.start);
    let mut last = at + byte_of(window.text, form.end);
    if whole[last..].starts_with('.') && is_pointed(form) {
        last += 1;
    }
    // "Beta LLC." ends a sentence
    let slashed = window.text[..byte_of(window.text, form.start)].ends_with('/');
    let unpointed = |bare: &str| slashed || matches!(bare, "LLC" | "LLP" | "LP" | "PLC");
    if form.text.strip_suffix('.').is_some_and(unpointed) && last > start + 1 {
        last -= 1;
    }
    let name = single_spaced(&whole[start..last]);
    let name = name.trim_end_matches([',', '-', '\'']).replace(" ,", ",").replace("..", ".");
    (name.chars().filter(|c| c.is_alphabetic()).count() > 1).then_some((name, start..last))
}

struct Window<'t> {
    text: &'t str,
    words: Vec<Word<'t>>,
    /// For each word, true if it begins a line of a page.
    begins: Vec<bool>,
    /// True if a quotation mark is before the text.
    quoted: bool,
    /// True if "and" is before the text.
    last: bool,
    /// True if analysis found an organization whose name begins with the text.
    organization: bool,
    /// Bytes of the people that analysis found in the text.
    people: Vec<Range<usize>>,
}

impl<'t> Window<'t> {
    fn new(text: &'t Text<'_>, at: usize) -> Self {
        let whole = text.text();
        let end = text.floor(at + 220);
        let window = &whole[at..end];
        let words = words(window);
        let begins = words.iter().map(|word| text.flat.begins_line(at + byte_of(window, word.start))).collect();
        let known = text.names_in(at..end);
        let organization =
            known.iter().any(|name| name.range.start == at && name.entity_type == EntityType::Organization);
        let people = known.iter().filter(|name| name.entity_type == EntityType::Person);
        let people = people.map(|name| name.range.start - at..name.range.end - at).collect();
        let before = &whole[..at];
        let (quoted, last) = (before.ends_with(['\'', '"']), before.trim_end().ends_with(" and"));
        Self { text: window, words, begins, quoted, last, organization, people }
    }

    fn word(&self, at: usize, fits: impl Fn(&Word<'_>) -> bool) -> bool {
        self.words.get(at).is_some_and(fits)
    }

    fn name_end(&self) -> usize {
        let (mut at, mut end) = (0, 0);
        while at < self.words.len().min(NAME_WORDS * 2) {
            if at > 0 && is_slashed_form(&self.words[at..]) {
                at += 3;
                end = at;
            } else if self.is_of_name(at) && self.words[at].text != "AND" {
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
        // "d'Île-de-France"
        let elided = at > 0 && word.text.split_once('\'').is_some_and(|(_, rest)| rest.starts_with(char::is_uppercase));
        let small = at == 0 && (self.is_small() || self.is_particle(0));
        word.is_capital() || site || elided || small || matches!(word.shape, Shape::Number) || is_form(word)
    }

    /// "thoughtbot, inc.", "adidas AG", "thyssenkrupp Steel Europe AG": a name that begins with a small letter.
    fn is_small(&self) -> bool {
        let first = &self.words[0];
        if !matches!(first.shape, Shape::Lower) {
            return false;
        }
        let of_sentence = first.has(Class::STOP) || first.has(Class::GENERIC) || is_role(&first.folded());
        let short = |word: &Word<'_>| word.has(Class::FORM) && !LONG_FORMS.contains(&word.folded().as_str());
        self.word(1, |comma| comma.is(',')) && self.word(2, is_form)
            || !of_sentence
                && first.text.len() > 2
                && (self.word(1, short)
                    || self.organization && self.word(1, |word| word.is_capital()) && self.has_form(1, 4))
    }

    /// True if a name can begin with this particle: "van der Berg", not "do Business".
    fn is_particle(&self, at: usize) -> bool {
        let text = self.words[at].text;
        PARTICLES.contains(text) && !matches!(text, "do" | "am") && self.leads_to_capital(at)
    }

    /// True if particles lead to a word with a capital: "de la Région".
    fn leads_to_capital(&self, at: usize) -> bool {
        let rest = self.words[at..].iter();
        let mut rest = rest.skip_while(|word| PARTICLES.contains(word.text) && word.shape == Shape::Lower);
        rest.next().is_some_and(|word| word.is_capital() && !is_stop(word) && word.gap <= Gap::Space)
    }

    /// True if a form of incorporation comes within these words, before the name must end.
    fn has_form(&self, from: usize, count: usize) -> bool {
        let rest = &self.words[from.min(self.words.len())..];
        let mut left = count;
        for (i, word) in rest.iter().enumerate() {
            if i > 0 && (is_form(word) || is_slashed_form(&rest[i..])) {
                return true;
            }
            let joins = matches!(word.text, "&" | "," | "-" | "." | "'" | "/") || ANDS.contains(word.text);
            if left == 0 || is_stop(word) || !(joins || word.is_capital() || PARTICLES.contains(word.text)) {
                return false;
            }
            left -= usize::from(!joins);
        }
        false
    }

    /// True if a label begins here: "Landlord:" behind the name of the tenant, on its line or the next one.
    fn is_label(&self, at: usize) -> bool {
        let all = &self.words;
        let role = is_role(&all[at].folded());
        if role && (self.word(at + 1, |mark| mark.is(':')) || self.begins[at] && is_form(&all[at - 1])) {
            return true;
        }
        // "Company No. (UK):", but not "Foods Inc. as follows:"
        let of_label = |next: &usize| {
            let word = &all[*next];
            let form = is_form(word) && (*next > at || self.word(at + 1, |next| next.is(':')));
            let small = matches!(word.text, ":" | "(" | ")" | "'" | "/" | "#" | "." | "of" | "and" | "no" | "no.");
            !form && (word.is_capital() || small)
        };
        let line = (at..all.len().min(at + 7)).take_while(|next| *next == at || !self.begins[*next]);
        self.begins[at] && line.take_while(of_label).any(|next| all[next].is(':'))
    }

    /// True if the name has ended before this word.
    fn is_behind(&self, at: usize) -> bool {
        let word = &self.words[at];
        let after_form = is_form(&self.words[at - 1])
            && (AFTER_FORM.contains(word.text.trim_end_matches('.')) || matches!(word.shape, Shape::Number));
        let clause = self.begins[at]
            && matches!(word.shape, Shape::Number)
            && self.word(at + 1, |mark| mark.is('.') || mark.is(')'));
        is_stop(word)
            || after_form
            || clause
            || self.is_address(at)
            || self.begins_sentence(at)
            || word.gap >= Gap::Line && !is_form(word)
            || self.is_label(at)
    }

    /// True if the address of a firm begins here, on the line below its form of incorporation.
    fn is_address(&self, at: usize) -> bool {
        let form = &self.words[at - 1];
        // "Deutsche Bank Trust Company Americas"
        let company = matches!(form.folded().as_str(), "company" | "companies" | "co");
        let ended = self.is_short_form(at - 1) || is_form(form) && !company && !self.has_form(at, 4);
        self.begins[at] && ended && !is_form(&self.words[at])
    }

    /// True if a sentence begins behind the point of a form of incorporation: "Beta Ltd. Governed by the laws".
    fn begins_sentence(&self, at: usize) -> bool {
        let (before, word) = (&self.words[at - 1], &self.words[at]);
        let joins = |next: &Word<'_>| {
            let word = matches!(next.text, "of" | "for" | "the" | "and") || PARTICLES.contains(next.text);
            (word || ANDS.contains(next.text)) && self.word(at + 2, |word| word.is_capital())
        };
        is_form(before)
            && before.text.ends_with('.')
            && !is_form(word)
            && self.word(at + 1, |next| next.shape == Shape::Lower && !joins(next) && !is_form(next))
    }

    /// The word after the joint of two words of a name, and true if the joint is itself a part of the name: ", Inc.", "(AFRICA)
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
            "'" if glued && next(&|next| next.text == "s" && next.gap == Gap::None) => {
                let goes_on = self.word(at + 2, |word| word.is_capital() && word.gap == Gap::Space && !is_stop(word));
                return (goes_on || self.word(at + 2, |word| word.is(',')) && self.is_inner_comma(at + 2))
                    .then_some((at + 2, false));
            }
            "&" | "+" | "/" if self.divides(at) => false,
            "." | "-" | "/" | "'" | "&" | "®" | "™" | "+" => self.is_inner_mark(at),
            // "Beta Ltd of London", but "Steel Corporation of America"
            "of" if self.is_short_form(at - 1) => next(&|next| matches!(next.text, "America" | "Canada")),
            // "His Majesty the King in right of Canada"
            "in" if next(&|next| next.text == "right") && self.word(at + 2, |of| of.text == "of") => {
                let of = self.word(at + 3, |word| word.is_capital() || word.text == "the");
                return of.then_some((at + 3, false));
            }
            "of" | "for" | "the" | "in" => next(&|next| next.is_capital() || matches!(next.text, "the" | "America")),
            "and" | "AND" => {
                let firm = !is_form(&all[at - 1]) && !is_role(&all[at - 1].folded());
                let kin = |next: &Word<'_>| firm && ENGLISH_KIN.contains(&next.folded().as_str()) && next.is_capital();
                is_office(all, at) && !self.begins_person(at + 1)
                    || self.is_corporation(at)
                    || next(&|next| is_pair(&all[at - 1], next) || kin(next))
                    || self.is_pair_of_names(at)
            }
            // "Roe et fils"
            and if ANDS.contains(and) && self.is_inner_and(at) => return Some((at + 2, true)),
            particle if PARTICLES.contains(particle) => self.leads_to_capital(at),
            "\"" if !glued => return Some((self.nickname_end(at)? + 1, false)),
            "(" if self.fund_number_end(at).is_some() => return Some((self.fund_number_end(at)? + 1, true)),
            "(" => return Some((self.bracket_end(at)? + 1, false)),
            // "Sp. z o.o."
            "z" if next(&|next| next.text.starts_with("o.o")) => return Some((at + 2, true)),
            // "S.à r.l."
            "r.l." | "r.l" if all[at - 1].folded() == "sà" => return Some((at + 1, true)),
            // "E*Trade"
            "*" => glued && next(&|next| next.is_capital() && next.gap == Gap::None),
            _ => false,
        };
        joins.then_some((at + 1, false))
    }

    /// True if analysis found a person whose name begins with this word.
    fn begins_person(&self, at: usize) -> bool {
        self.word(at, |word| self.people.iter().any(|person| person.start == byte_of(self.text, word.start)))
    }

    /// True for a form of incorporation that is no plain word, with which a name ends.
    fn is_short_form(&self, at: usize) -> bool {
        let folded = self.words[at].folded();
        is_form(&self.words[at]) && FORMS.contains(folded.as_str()) && !LONG_FORMS.contains(&folded.as_str())
    }

    /// True if "and" is within the name of a corporation of office-holders: "Governor and Company of the Bank of Ireland".
    fn is_corporation(&self, and: usize) -> bool {
        let Some(behind) = self.words.get(and + 1).filter(|behind| behind.is_capital()) else { return false };
        let pair = format!("{} {}", self.words[and - 1].folded(), behind.folded());
        CORPORATIONS.contains(pair.as_str()) && self.word(and + 2, |of| matches!(of.text, "of" | "for"))
    }

    /// True if an "and" of another language is within a name: "Müller und Söhne GmbH".
    fn is_inner_and(&self, at: usize) -> bool {
        let Some(next) = self.words.get(at + 1) else { return false };
        let kin = KIN.contains(next.folded().as_str());
        let capital = next.is_capital() && !is_stop(next);
        // "a" is English, too
        let and = if self.words[at].text == "a" {
            matches!(next.text, "syn" | "synové")
        } else {
            kin || capital && self.has_form(at + 1, 4)
        };
        let company = PARTNERS.contains(&next.folded().as_str()) && next.is_capital();
        company || !is_form(&self.words[at - 1]) && and
    }

    /// True if "and" is within a firm of two names: "Acme Inc. and Roe and Poe plc", "Roe and Poe plc and Acme Inc.". Two parties are left without it.
    fn is_pair_of_names(&self, and: usize) -> bool {
        let all = &self.words;
        let plain = |word: &Word<'_>| word.is_capital() && !is_stop(word) && !is_form(word) && !is_role(&word.folded());
        let short = |at: usize| self.word(at, |word| is_form(word) && !LONG_FORMS.contains(&word.folded().as_str()));
        let form = (and + 2..and + 4).find(|at| short(*at));
        let Some(form) = form.filter(|form| and == 1 && all[..1].iter().chain(&all[2..*form]).all(plain)) else {
            return false;
        };
        let rest = &all[form + 1..];
        let other = rest.iter().take(12).position(|word| word.text == "and" || word.is('.') || word.gap >= Gap::Line);
        let goes_on = other.is_some_and(|at| rest[at].text == "and" && rest.get(at + 1).is_some_and(Word::is_capital));
        if self.last { !goes_on } else { goes_on }
    }

    /// True if a sign for "and" is between two names: "Acme Inc. & Beta LLC", "Jane Roe & Ann Lee".
    fn divides(&self, at: usize) -> bool {
        let Some(next) = self.words.get(at + 1) else { return false };
        let kin = KIN.contains(next.folded().as_str());
        let formed = is_form(&self.words[at - 1]) || at > 2 && is_slashed_form(&self.words[at - 3..]);
        if formed {
            return next.is_capital() && next.gap > Gap::None && !is_form(next) && !kin && self.has_form(at + 1, 6);
        }
        let end = byte_of(self.text, self.words[at - 1].end);
        let begin = byte_of(self.text, next.start);
        // a person's name may extend beyond the text
        let full = |person: &&Range<usize>| self.text.get((*person).clone()).is_some_and(|name| name.contains(' '));
        let mut people = self.people.iter().filter(full);
        let behind = self.people.iter().filter(full).any(|person| person.start == begin);
        people.any(|person| person.end == end) && behind && !self.has_form(at + 1, 5)
    }

    /// The end of the bracket behind a fund's name with its year or number: "Trust (1994)", "Settlement (No. 2)".
    fn fund_number_end(&self, open: usize) -> Option<usize> {
        let close = (open + 2..self.words.len().min(open + 5)).find(|at| self.words[*at].is(')'))?;
        let inside = &self.words[open + 1..close];
        let number = |word: &Word<'_>| matches!(word.shape, Shape::Number) && word.text.len() <= 4;
        let fund = FUNDS.contains(self.words[open - 1].folded().as_str());
        let numbered = inside.split_last().is_some_and(|(last, rest)| {
            number(last) && rest.iter().all(|word| matches!(word.folded().as_str(), "no" | ""))
        });
        (fund && numbered).then_some(close)
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
            || self.lists_duties(at)
            // "Brown, Green & White LLP"
            || !is_form(&all[at - 1])
                && next.is_capital()
                && self.word(at + 2, |word| word.is('&'))
                && all.iter().skip(at + 3).take(3).any(is_form)
    }

    /// True if a comma is within the duties of an office of state: "Secretary of State for Business, Energy and Industrial Strategy".
    fn lists_duties(&self, comma: usize) -> bool {
        let all = &self.words;
        let behind = &all[comma + 1..all.len().min(comma + 10)];
        let Some(and) = behind.iter().position(|word| word.text == "and") else { return false };
        let listed = behind[..and].iter().all(|word| word.is_capital() && !is_stop(word) || word.is(','));
        let begin = byte_of(self.text, behind[0].start);
        let named = self.people.iter().any(|person| person.start >= begin);
        and > 0 && listed && !named && is_of_office(all, comma) && !behind.iter().any(is_form)
    }

    fn is_inner_mark(&self, at: usize) -> bool {
        let word = &self.words[at];
        let next = self.words.get(at + 1);
        let glued = word.gap == Gap::None;
        glued && next.is_some_and(|next| next.gap == Gap::None || is_form(next))
            || word.text == "&"
            // "Giggles N' Hugs"
            || word.text == "'" && glued && self.words[at - 1].text.eq_ignore_ascii_case("n")
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

/// "A/S", "K/S", "S/A": a form of incorporation of three words.
pub(crate) fn is_slashed_form(all: &[Word<'_>]) -> bool {
    let [first, slash, last, ..] = all else { return false };
    // "Novo A/S." ends a sentence
    let pair = matches!((first.text, last.text.trim_end_matches('.')), ("A" | "K" | "P" | "I", "S") | ("S", "A"));
    pair && slash.is('/') && slash.gap == Gap::None && last.gap == Gap::None
}

/// True if a name has a form of incorporation behind its first word.
pub(crate) fn has_form(all: &[Word<'_>]) -> bool {
    (1..all.len()).any(|at| is_form(&all[at]) || is_slashed_form(&all[at..]))
}

/// True if a name ends with a form of incorporation.
pub(crate) fn ends_with_form(all: &[Word<'_>]) -> bool {
    all.last().is_some_and(is_form) || all.len() > 3 && is_slashed_form(&all[all.len() - 3..])
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
    let of = is_of_office(all, and);
    let behind = &all[and + 1..];
    of && behind.first().is_some_and(|next| next.is_capital() && !is_stop(next) && !OFFICES.contains(&next.text))
        && !behind.iter().take(5).any(is_form)
}

/// True if the words before this one begin the name of an office: "Department of Health".
fn is_of_office(all: &[Word<'_>], end: usize) -> bool {
    (1..end).any(|at| matches!(all[at].text, "of" | "for") && OFFICES.contains(&all[at - 1].text))
}

/// "Inc", which has a point of its own; the one after "LLC" ends a sentence.
fn is_pointed(word: &Word<'_>) -> bool {
    word.text.contains('.')
        || matches!(
            word.folded().as_str(),
            "inc" | "corp" | "ltd" | "co" | "ltda" | "lda" | "bhd" | "jr" | "sr" | "pty"
        )
}

pub(crate) fn byte_of(text: &str, chars: u32) -> usize {
    text.char_indices().nth(chars as usize).map_or(text.len(), |(at, _)| at)
}

/// "Inc.", "LLC", "L.P.": a form of incorporation.
pub(crate) fn is_form(word: &Word<'_>) -> bool {
    word.has(Class::FORM)
        || FORMS.contains(word.folded().as_str())
        || matches!(word.text, "r.l." | "r.l" | "o.o." | "o.o" | "a.s." | "e.K." | "e.V." | "e.G." | "mbH")
}

/// Ends a name although it has a capital.
fn is_stop(word: &Word<'_>) -> bool {
    ENDS.contains(word.text)
}
