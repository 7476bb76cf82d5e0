//! Chooses the readings that are Bates numbers: a series that counts the pages.

use std::collections::{HashMap, HashSet};

use casetrack_core::{BatesNumber, ExtractionMethod, Page};

use super::candidate::{Reading, closed_up, readings};
use super::lines::{Edge, EdgeLine, edge_lines, folded};

/// Maximum pages between two numbers of a series that confirm each other.
const REACH: usize = 3;
/// Pages on each side that show the number of a page.
const AROUND: usize = 4;
/// Greatest step of numbers that go up without following each other: numbers of a list on each page go up by more.
const MAX_STEP: u64 = 10;
/// Signs of a number that OCR may have changed, left out or added, and the fewest of a number then.
const MOST_WRONG: usize = 2;
const FEWEST_SIGNS: usize = 8;
/// Fewest digits of a line that count as a number whose prefix cannot be read.
const FEWEST_DIGITS: usize = 6;

/// Forms of numbers that are distinguished; the rarest beyond are left as they were read.
const MAX_FORMS: usize = 20;
/// Zeros after letters are read as letters, and letters as digits. Of two forms that differ so, how many times as often
/// the one with the usual mistake must be read to be believed.
const LIKELIER: usize = 4;

/// A part of a prefix must be confirmed this many times as often as the whole to be believed.
const WHOLE_WEIGHS: usize = 3;

/// The series of a document and what confirms them, best first.
type Ranks = HashMap<String, usize>;

/// The Bates number of each page, as far as it was found.
pub(super) fn numbers(pages: &[Page]) -> Vec<Option<BatesNumber>> {
    let lines: Vec<Vec<EdgeLine<'_>>> = pages.iter().map(edge_lines).collect();
    let of_page = |(page, lines): (&Page, &Vec<EdgeLine<'_>>)| {
        let by_ocr = page.method != ExtractionMethod::Native;
        lines.iter().flat_map(|line| readings(line, by_ocr)).collect::<Vec<_>>()
    };
    let mut read: Vec<Vec<Reading>> = pages.iter().zip(&lines).map(of_page).collect();
    close_up(pages, &lines, &mut read);
    unite(pages, &mut read);
    let confirmed = confirmed(&read);
    let ranks = accepted(&read, &confirmed);
    let mut chosen = chosen(&read, &confirmed, &ranks);
    // The mended numbers of the first round help the second.
    for _ in 0..2 {
        mend(pages, &lines, &mut chosen);
    }
    chosen
}

/// Adds the numbers that lines read by OCR show without spaces next to hyphens, if another page shows numbers of that form.
fn close_up(pages: &[Page], lines: &[Vec<EdgeLine<'_>>], read: &mut [Vec<Reading>]) {
    let form = |reading: &Reading| (reading.series.clone(), reading.number.width);
    let known: HashSet<(String, usize)> = read.iter().flatten().map(form).collect();
    for ((page, lines), readings) in pages.iter().zip(lines).zip(read) {
        if page.method != ExtractionMethod::Native {
            let mut more: Vec<Reading> = lines.iter().flat_map(closed_up).collect();
            more.retain(|new| known.contains(&form(new)) && readings.iter().all(|old| old.number != new.number));
            readings.append(&mut more);
        }
    }
}

struct Form {
    prefix: String,
    /// The prefix without signs that OCR may change.
    folded: Vec<char>,
    width: usize,
    /// The number of different numbers that have it.
    numbers: usize,
    /// True if a text layer states it.
    is_stated: bool,
}

impl Form {
    /// The number that a reading shows if it has this form.
    fn read(&self, reading: &BatesNumber) -> Option<BatesNumber> {
        let signs = folded(&reading.to_string());
        let digits = signs.strip_prefix(&*self.folded).filter(|digits| digits.len() == self.width)?;
        let number = digits.iter().collect::<String>().parse().ok()?;
        Some(BatesNumber { prefix: self.prefix.clone(), number, width: self.width })
    }

    /// True if both may be the same, and this one has a letter in the prefix for a digit of the other.
    fn has_more_letters_than(&self, other: &Self) -> bool {
        let letters = |form: &Self| form.prefix.chars().filter(|c| c.is_alphabetic()).count();
        self.width == other.width && self.folded == other.folded && letters(self) > letters(other)
    }

    /// True if both may be the same, of which this one takes signs for digits that the other takes for letters.
    fn has_more_digits_than(&self, other: &Self) -> bool {
        self.width > other.width
            && self.folded.len() + self.width == other.folded.len() + other.width
            && other.folded.strip_prefix(&*self.folded).is_some_and(|rest| rest.iter().all(char::is_ascii_digit))
    }
}

/// The statistics of a form: the numbers that have it, whether a text layer states one, and how often each prefix is printed.
#[derive(Default)]
struct FormStatistics<'r> {
    numbers: HashSet<u64>,
    is_stated: bool,
    prefixes: HashMap<&'r str, usize>,
}

/// The forms of numbers, the most likely first: the form with the most different numbers.
fn forms(pages: &[Page], read: &[Vec<Reading>]) -> Vec<Form> {
    let mut found: HashMap<(&str, usize), FormStatistics<'_>> = HashMap::new();
    for (page, readings) in pages.iter().zip(read) {
        for reading in readings {
            let shown = found.entry((reading.series.as_str(), reading.number.width)).or_default();
            shown.numbers.insert(reading.number.number);
            shown.is_stated |= page.method == ExtractionMethod::Native;
            *shown.prefixes.entry(&reading.number.prefix).or_default() += 1;
        }
    }
    let form = |((_, width), shown): ((&str, usize), FormStatistics<'_>)| {
        let usual = shown.prefixes.into_iter().max_by_key(|&(prefix, count)| (count, prefix));
        let prefix = usual.map(|(prefix, _)| prefix).unwrap_or_default();
        let prefix = if shown.is_stated { prefix.to_owned() } else { without_zeros_in_words(prefix) };
        let (folded, numbers) = (folded(&prefix), shown.numbers.len());
        Form { prefix, folded, width, numbers, is_stated: shown.is_stated }
    };
    let mut forms: Vec<Form> = found.into_iter().map(form).collect();
    forms.sort_by(|a, b| {
        (b.is_stated, b.numbers, b.width).cmp(&(a.is_stated, a.numbers, a.width)).then_with(|| a.prefix.cmp(&b.prefix))
    });
    forms.truncate(MAX_FORMS);
    for n in 0..forms.len() {
        let likelier = (n + 1..forms.len()).find(|&m| {
            let (form, other) = (&forms[m], &forms[n]);
            let is_other = form.has_more_digits_than(other) || form.has_more_letters_than(other);
            !other.is_stated && is_other && form.numbers * LIKELIER >= other.numbers
        });
        if let Some(m) = likelier {
            forms.swap(n, m);
        }
    }
    forms
}

/// A prefix that OCR read, with the letter O for zeros between letters if it has no other digits. Every page may show
/// them so, and then no other form corrects them.
fn without_zeros_in_words(prefix: &str) -> String {
    let stands_between_letters = |(at, _): (usize, &str)| {
        let before = prefix[..at].trim_end_matches('0').chars().next_back();
        let after = prefix[at..].trim_start_matches('0').chars().next();
        before.is_some_and(char::is_alphabetic) && after.is_some_and(char::is_alphabetic)
    };
    match prefix.chars().all(|c| c == '0' || !c.is_ascii_digit())
        && prefix.match_indices('0').all(stands_between_letters)
    {
        true => prefix.replace('0', if prefix.contains(char::is_lowercase) { "o" } else { "O" }),
        false => prefix.to_owned(),
    }
}

/// Reads numbers that OCR read, by taking some letters for digits or others, in the likeliest form that they may have.
fn unite(pages: &[Page], read: &mut [Vec<Reading>]) {
    let forms = forms(pages, read);
    for (page, readings) in pages.iter().zip(read) {
        for reading in readings.iter_mut().filter(|_| page.method != ExtractionMethod::Native) {
            if let Some(number) = forms.iter().find_map(|form| form.read(&reading.number)) {
                reading.series = number.series();
                reading.number = number;
            }
        }
    }
}

/// True for readings that another page confirms: the same series at the same place, as many numbers away as pages.
fn confirmed(read: &[Vec<Reading>]) -> Vec<Vec<bool>> {
    let mut confirmed: Vec<Vec<bool>> = read.iter().map(|readings| vec![false; readings.len()]).collect();
    for (page, readings) in read.iter().enumerate() {
        for (n, reading) in readings.iter().enumerate() {
            for (other, others) in read.iter().enumerate().skip(page + 1).take(REACH) {
                for (m, next) in others.iter().enumerate() {
                    let same_width =
                        reading.number.width == next.number.width || !reading.is_padded() && !next.is_padded();
                    let counts = reading.number.number.checked_add((other - page) as u64) == Some(next.number.number);
                    if counts && same_width && reading.series == next.series && reading.place.is_near(&next.place) {
                        confirmed[page][n] = true;
                        confirmed[other][m] = true;
                    }
                }
            }
        }
    }
    confirmed
}

/// The series that are Bates numbers, each with its rank, from 0.
fn accepted(read: &[Vec<Reading>], confirmed: &[Vec<bool>]) -> Ranks {
    let mut pages_of: HashMap<&str, usize> = HashMap::new();
    let mut all: HashMap<&str, Vec<(usize, &Reading)>> = HashMap::new();
    for (page, (readings, confirmed)) in read.iter().zip(confirmed).enumerate() {
        let on_page: HashSet<&str> =
            readings.iter().zip(confirmed).filter(|(_, is)| **is).map(|(reading, _)| &*reading.series).collect();
        on_page.into_iter().for_each(|series| *pages_of.entry(series).or_default() += 1);
        readings.iter().for_each(|reading| all.entry(&reading.series).or_default().push((page, reading)));
    }
    let mut accepted: Vec<(&str, usize)> = Vec::new();
    for (series, found) in all {
        let count = pages_of.get(series).copied().unwrap_or_default();
        let enough = if series.is_empty() { 3 } else { 2 };
        if count >= enough || !series.is_empty() && (rises(read.len(), &found) || is_certain(read.len(), &found)) {
            accepted.push((series, count));
        }
    }
    // The part behind a hyphen is often read without the part before it.
    let is_part = |&(series, count): &(&str, usize)| {
        let whole = |&(other, often): &(&str, usize)| {
            other.len() > series.len() && other.ends_with(series) && WHOLE_WEIGHS * often >= count
        };
        accepted.iter().any(whole)
    };
    let mut whole: Vec<(&str, usize)> = accepted.iter().copied().filter(|found| !is_part(found)).collect();
    whole.sort_by_key(|&(series, count)| (std::cmp::Reverse(count), series.is_empty(), series.to_owned()));
    whole.into_iter().enumerate().map(|(rank, (series, _))| (series.to_owned(), rank)).collect()
}

/// True if numbers filled up with zeros go up over most pages at one place, though none follows another.
fn rises(pages: usize, found: &[(usize, &Reading)]) -> bool {
    [Edge::Bottom, Edge::Top, Edge::Side].into_iter().any(|edge| {
        let at_edge: Vec<_> = found.iter().filter(|(_, reading)| reading.place.edge == edge).collect();
        at_edge.len() >= 2
            && 3 * at_edge.len() >= 2 * pages
            && at_edge.iter().all(|(_, reading)| reading.is_padded())
            && at_edge.windows(2).all(|pair| {
                let [(page, a), (next, b)] = pair else { return false };
                let step = b.number.number.checked_sub(a.number.number);
                let rises = page < next && step.is_some_and(|step| (1..=MAX_STEP).contains(&step));
                rises && a.number.width == b.number.width && a.place.is_near(&b.place)
            })
    })
}

/// True if the only page of a document has a number that is nothing else: in its last lines, with a line to itself,
/// with letters before it and filled up with zeros.
fn is_certain(pages: usize, found: &[(usize, &Reading)]) -> bool {
    let is_number = |reading: &Reading| {
        let letters = reading.series.chars().filter(|c| c.is_alphabetic()).count();
        reading.place.at.is_some()
            && (reading.place.edge == Edge::Bottom && reading.place.rank <= 1)
            && reading.is_alone
            && reading.is_padded()
            && reading.number.width >= 5
            && letters >= 2
    };
    let at_bottom = || found.iter().filter(|(_, reading)| is_number(reading));
    let numbers: HashSet<u64> = found.iter().map(|(_, reading)| reading.number.number).collect();
    pages == 1 && numbers.len() == 1 && at_bottom().next().is_some()
}

/// The number of each page: of the best series, and there one that another page confirms or that is at the usual place
/// of such numbers.
fn chosen(read: &[Vec<Reading>], confirmed: &[Vec<bool>], ranks: &Ranks) -> Vec<Option<BatesNumber>> {
    let mut places: HashSet<(&str, Edge, i64)> = HashSet::new();
    for (reading, _) in read.iter().flatten().zip(confirmed.iter().flatten()).filter(|(_, is)| **is) {
        let (edge, at) = reading.place.bucket();
        places.extend([at - 1, at, at + 1].map(|at| (&*reading.series, edge, at)));
    }
    let has_place: HashSet<&str> = places.iter().map(|(series, ..)| *series).collect();
    let stands_there = |reading: &Reading| {
        let (edge, at) = reading.place.bucket();
        !has_place.contains(&*reading.series) || places.contains(&(&*reading.series, edge, at))
    };
    let of_page = |(readings, confirmed): (&Vec<Reading>, &Vec<bool>)| {
        readings
            .iter()
            .zip(confirmed)
            .filter(|(reading, is_confirmed)| **is_confirmed || stands_there(reading))
            .filter_map(|(reading, is_confirmed)| Some((!is_confirmed, *ranks.get(&reading.series)?, reading)))
            .min_by_key(|(is_unconfirmed, rank, reading)| (*rank, *is_unconfirmed, reading.place.rank))
            .map(|(_, _, reading)| reading.number.clone())
    };
    read.iter().zip(confirmed).map(of_page).collect()
}

struct Expected {
    number: BatesNumber,
    before: usize,
    after: usize,
}

impl Expected {
    fn votes(&self) -> usize {
        self.before + self.after
    }

    fn is_between(&self) -> bool {
        self.before > 0 && self.after > 0
    }

    fn is_certain(&self) -> bool {
        self.is_between() && self.votes() > 2
    }
}

/// The number of a page by the pages around it, the most certain first.
fn expected(chosen: &[Option<BatesNumber>], page: usize) -> Vec<Expected> {
    let mut expected: Vec<Expected> = Vec::new();
    let from = page.saturating_sub(AROUND);
    for (other, number) in chosen.iter().enumerate().skip(from).take(2 * AROUND + 1).filter(|(other, _)| *other != page)
    {
        let Some(number) = number else { continue };
        let value = match other < page {
            true => number.number.checked_add((page - other) as u64),
            false => number.number.checked_sub((other - page) as u64),
        };
        let Some(value) = value else { continue };
        let number = BatesNumber { number: value, ..number.clone() };
        let at = match expected.iter().position(|known| known.number == number) {
            Some(at) => at,
            None => {
                expected.push(Expected { number, before: 0, after: 0 });
                expected.len() - 1
            }
        };
        let side = if other < page { &mut expected[at].before } else { &mut expected[at].after };
        *side += 1;
    }
    expected.sort_by_key(|expected| std::cmp::Reverse((expected.is_between(), expected.votes())));
    expected
}

/// Corrects misread numbers, if the pages around show the right ones. A number that another page has is left as it was
/// read: it may have been stamped twice.
fn mend(pages: &[Page], lines: &[Vec<EdgeLine<'_>>], chosen: &mut [Option<BatesNumber>]) {
    let mut known: HashMap<(String, u64), usize> = HashMap::new();
    let mut pages_of: HashMap<String, usize> = HashMap::new();
    for number in chosen.iter().flatten() {
        *known.entry((number.series(), number.number)).or_default() += 1;
        *pages_of.entry(number.series()).or_default() += 1;
    }
    for (n, (page, lines)) in pages.iter().zip(lines).enumerate() {
        if page.method == ExtractionMethod::Native {
            continue;
        }
        let expected = expected(chosen, n);
        let mended = match &chosen[n] {
            Some(own) => {
                let votes = expected.iter().find(|expected| expected.number == *own).map_or(0, Expected::votes);
                let is_repeated = known.get(&(own.series(), own.number)).is_some_and(|&pages| pages > 1);
                let is_likely = |best: &&Expected| {
                    let is_certain = votes == 0 && best.is_certain() && !is_repeated;
                    is_certain && best.number.series() == own.series() && shows(lines, &best.number, MOST_WRONG)
                };
                // Pages with the same mistake confirm each other, so the usual prefix of the document decides.
                let has_usual_prefix = |expected: &&Expected| {
                    let [own_pages, pages] = [own, &expected.number].map(|number| pages_of.get(&number.series()));
                    expected.votes() > 1 && pages > own_pages && differs_in_prefix(own, &expected.number)
                };
                let best = expected.first().filter(is_likely).or_else(|| expected.iter().find(has_usual_prefix));
                best.map(|best| best.number.clone())
            }
            None => {
                let shown = |expected: &&Expected| shows(lines, &expected.number, 0);
                let certain = || expected.first().filter(|best| best.is_certain());
                let but_for_prefix =
                    |expected: &&Expected| expected.votes() > 1 && shows_digits(lines, &expected.number, MOST_WRONG);
                let best = expected
                    .iter()
                    .find(shown)
                    .or_else(|| certain().filter(|best| shows(lines, &best.number, MOST_WRONG)))
                    .or_else(|| expected.iter().find(but_for_prefix))
                    // Another stamp may cover the prefix.
                    .or_else(|| certain().filter(|best| shows_digits(lines, &best.number, usize::MAX)));
                best.map(|best| best.number.clone())
            }
        };
        if mended.is_some() {
            chosen[n] = mended;
        }
    }
}

/// True if a line shows a number, with at most `wrong` signs changed, left out or added.
fn shows(lines: &[EdgeLine<'_>], number: &BatesNumber, wrong: usize) -> bool {
    let sought = folded(&number.to_string());
    if wrong > 0 && sought.len() < FEWEST_SIGNS {
        return false;
    }
    lines.iter().any(|line| distance(&sought, &folded(line.text)) <= wrong)
}

/// True if a line shows a number with all its digits, and at most `wrong` signs of its prefix changed, left out or added.
fn shows_digits(lines: &[EdgeLine<'_>], number: &BatesNumber, wrong: usize) -> bool {
    let sought = folded(&number.to_string());
    let digits = &sought[sought.len().saturating_sub(number.width)..];
    // A few digits may be in any line.
    let fewest = if wrong > MOST_WRONG { FEWEST_DIGITS } else { 0 };
    sought.len() >= FEWEST_SIGNS
        && digits.len() >= fewest
        && lines
            .iter()
            .map(|line| folded(line.text))
            .any(|line| distance(&sought, &line) <= wrong && distance(digits, &line) == 0)
}

/// True if two numbers are the same except for one sign of their prefixes that OCR changed, left out or added.
fn differs_in_prefix(own: &BatesNumber, other: &BatesNumber) -> bool {
    let (one, two) = (folded(&own.prefix), folded(&other.prefix));
    let apart = distance(&one, &two).max(distance(&two, &one));
    own.number == other.number && own.width == other.width && one != two && apart <= 1 && one.len().min(two.len()) > 1
}

/// The fewest signs to change, leave out or add that make `sought` a part of `text`. Costs time in proportion to the
/// product of their lengths.
fn distance(sought: &[char], text: &[char]) -> usize {
    // For each prefix of `sought`: the cost of ending it here; it may begin anywhere.
    let mut costs: Vec<usize> = (0..=sought.len()).collect();
    let mut least = costs.last().copied().unwrap_or_default();
    for c in text {
        let mut before = costs[0];
        for n in 0..sought.len() {
            let replaced = before + usize::from(sought[n] != *c);
            before = costs[n + 1];
            costs[n + 1] = replaced.min(costs[n] + 1).min(before + 1);
        }
        least = least.min(costs[sought.len()]);
    }
    least
}
