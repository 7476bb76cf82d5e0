use std::ops::Range;

use jiff::civil::Date;

use super::clauses::{Clause, Scored};
use super::days::{ContractDay, Days};
use super::text::{Day, Span, Text, Unit, contains_any, last_chars, spans};
use super::{Fact, FactKind, is_ambiguous};
use crate::numbers::ordinal;
use crate::tokens::Tokens;

pattern_table! {
    "facts/expiry.toml":
    OF_TERM, DURING, LASTS, OTHER, UNTIL, BACK, FROM, ANCHOR, HEREOF, PERPETUAL, ANNIVERSARY, END_OF_YEAR, YEAR_END,
    BLANK, TERM_BEFORE, BEGINS_SENTENCE, NOT_TERM, UNLESS, UPON, GOES_ON, STAYS, ENDS, OF_DATE, NOTICE_AFTER, COUNTS,
    FROM_SUCH, AND_THEN, DAY_BEFORE, LATER_OF, EXPECTED, CONTINUES, HEADING, UNDER_HEADING, RANGE, OF_NOTICE,
    NOTICE_OF_END, IT, SUBJECT, NO_SUBJECT, LAST_DAY, EVENT, CLAUSE_END, DEFINED, OF_CONTRACT, LISTED, PROVISO,
    AFTERWARDS, EXTENDED, MONTH_END, BEHIND_LENGTH, UNFINISHED, UNTIL_ENDED, OF_OTHER, ITS_DATE;
    TERM_NAMES, BEGINNING_NAMES, AFTER_TERM, INITIAL_TERM,
}

/// Weight of the score of the clause about the term, from -1 to 1, beside the points of the rules.
const TERM_CLAUSE: f32 = 3.0;
/// Names of the date of the contract itself.
const OF_AGREEMENT: [&str; 5] = ["execution date", "agreement date", "contract date", "signature date", "above date"];
/// Most bytes of an end in the words of the contract.
const LONGEST: usize = 160;

/// An end of the term that a sentence states. The value is empty if its length is left blank, or if its first day has two readings.
struct Expiry {
    score: i32,
    value: String,
    computed: Option<String>,
    range: Range<usize>,
    begins: Begins,
    /// True for the first day after the term: "three years from May 3" end on May 2, and May 3 is their anniversary.
    anniversary: bool,
}

/// The day from which the term runs, where its sentence states it.
type Begins = Option<(String, Range<usize>)>;

/// When a contract ends.
#[derive(Debug, Clone)]
pub(crate) struct End {
    pub fact: Fact,
    pub begins: Begins,
    /// The last day of the term, where it has one.
    pub last_day: Option<Date>,
}

/// When the term ends, and the day from which it runs. The scores of clauses prefer an end in a clause about the term.
pub(crate) fn find(text: &Text<'_>, days: &Days, scored: Option<&Scored>) -> Option<End> {
    let whole = text.text();
    let mut best: Option<(f32, Expiry)> = None;
    let (mut under_heading, mut of_contract) = (false, false);
    for sentence in &text.sentences {
        let said = &whole[sentence.clone()];
        let heading = std::mem::replace(&mut under_heading, HEADING.is_match(said));
        let about_it = of_contract && IT.is_match(said);
        of_contract = about_it || SUBJECT.is_match(said) || of_contract && NO_SUBJECT.is_match(said);
        let during = |about: &regex::Match<'_>| DURING.is_match(&said[..about.start()]);
        let other = |about: &regex::Match<'_>| OF_OTHER.is_match(&said[about.start()..]);
        let about = OF_TERM.find_iter(said).find(|about| !during(about) && !other(about)).map(|about| about.start());
        let alone = about_it || heading && UNDER_HEADING.is_match(said);
        let Some(about) = about.or(alone.then_some(0)) else { continue };
        if !heading && !LASTS.is_match(said) {
            continue;
        }
        let folded = said.to_lowercase();
        let score =
            4 + i32::from(contains_any(&folded, &TERM_NAMES)) + i32::from(contains_any(&folded, &BEGINNING_NAMES))
                - 3 * i32::from(OTHER.is_match(said))
                - i32::from(about > 200);
        let length = computed(text, sentence, days);
        // "until the end of the fifth Contract Year, and thereafter until terminated": the first term is the term
        let unlimited = match AFTERWARDS.is_match(said) {
            true => event(sentence, said).filter(|_| length.is_none()),
            false => perpetual(sentence, said).or_else(|| event(sentence, said)),
        };
        for found in [stated(text, sentence), length, unlimited].into_iter().flatten() {
            // "until a party gives notice of termination" is about the end of the term
            let own = i32::from(found.value == "perpetual" && NOTICE_OF_END.is_match(said));
            let found = Expiry { score: score + found.score + 3 * own, ..found };
            let near = scored.map_or(0.0, |scored| scored.near(text, found.range.start, Clause::Term).clamp(-1.0, 1.0));
            let rank = found.score as f32 + TERM_CLAUSE * near;
            if best.as_ref().is_none_or(|(best, _)| rank > *best) {
                best = Some((rank, found));
            }
        }
    }
    let (_, Expiry { score, value, computed, range, begins, anniversary }) =
        best.filter(|(_, best)| best.score >= 4 && !best.value.is_empty())?;
    let day: Option<Date> = value.parse().ok();
    let last_day = day.and_then(|day| if anniversary { day.yesterday().ok() } else { Some(day) });
    let computed = match (computed, last_day) {
        (Some(computed), Some(last)) if anniversary => {
            Some(format!("{computed}, the anniversary: the last day is {last}"))
        }
        (computed, _) => computed,
    };
    let fact = Fact::new(text, FactKind::Expiry, value, range, (55 + 5 * score.min(8)) as u8);
    Some(End { fact: Fact { computed, ..fact }, begins, last_day })
}

/// A day on which the term ends.
fn stated(text: &Text<'_>, sentence: &Range<usize>) -> Option<Expiry> {
    let whole = text.text();
    for day in text.days_in(sentence.clone()) {
        let before = &whole[sentence.start..day.range.start];
        let first = text.days_in(sentence.start..day.range.start).last();
        let expiry = |first: Option<&Day>| {
            let begins = first.map(|first| (first.iso.clone(), first.range.clone()));
            let (value, range) = (day.iso.clone(), day.range.clone());
            Some(Expiry { score: 4, value, computed: None, range, begins, anniversary: false })
        };
        if first.is_some_and(|first| {
            first.range.end < day.range.start && RANGE.is_match(&whole[first.range.end..day.range.start])
        }) {
            return expiry(first);
        }
        let near = last_chars(before, 80);
        if let Some(until) = UNTIL.find(near) {
            // "from A to B" needs its beginning
            let to = until.as_str().to_lowercase().starts_with("to");
            let ahead = &before[..before.len() - (near.len() - until.start())];
            let from = sentence.start + ahead.len();
            let behind_day = text
                .days_in(sentence.start..from)
                .last()
                .is_some_and(|first| from.saturating_sub(first.range.end) <= 2);
            let extended = EXTENDED.is_match(ahead);
            if to && (BACK.is_match(ahead) || !behind_day && !extended && !FROM.is_match(ahead)) {
                continue;
            }
            let begins = |first: &&Day| behind_day || FROM.is_match(&whole[sentence.start..first.range.start]);
            return expiry(first.filter(begins));
        }
    }
    None
}

fn perpetual(sentence: &Range<usize>, said: &str) -> Option<Expiry> {
    let found = PERPETUAL.find(said)?;
    let range = sentence.start + found.start()..sentence.start + found.end();
    // "indefinitely" is plainer than a condition on which it ends
    let score = if found.as_str().to_lowercase().contains("indefinite") { 3 } else { 1 };
    Some(Expiry { score, value: "perpetual".to_owned(), computed: None, range, begins: None, anniversary: false })
}

/// "until the last addendum expires", in the words of the contract.
fn event(sentence: &Range<usize>, said: &str) -> Option<Expiry> {
    let found = EVENT.captures(said)?.get(1)?;
    let value = clause(&said[found.start()..]);
    if value.split(' ').count() < 4 || UNTIL_ENDED.is_match(&value) {
        return None;
    }
    let range = sentence.start + found.start()..sentence.end;
    Some(Expiry { score: 0, value, computed: None, range, begins: None, anniversary: false })
}

/// The words up to the end of the clause, on one line.
fn clause(said: &str) -> String {
    // "the later of (a) …; or (b) …" is one clause
    let listed = LISTED.find(said).map_or(0, |list| list.end());
    let end =
        if listed > 0 { &PROVISO } else { &CLAUSE_END }.find_at(said, listed).map_or(said.len(), |end| end.start());
    let words: Vec<&str> = said[..end].split_whitespace().collect();
    let mut clause = String::new();
    for word in words {
        if clause.len() + word.len() > LONGEST {
            clause.push_str(" …");
            break;
        }
        if !clause.is_empty() {
            clause.push(' ');
        }
        clause.push_str(word);
    }
    clause.trim_end_matches([',', ':', ' ']).to_owned()
}

/// The beginning of the term as the sentence names it.
enum Start {
    Contract(ContractDay),
    /// A day that the sentence or a definition states.
    Day(String, Range<usize>),
    /// A date that the document does not give: "from the Launch Date".
    Named(String),
}

impl Start {
    /// The words behind a length of time: "following the Launch Date (the "Term")".
    fn words(rest: &str) -> Self {
        let words = clause(rest.trim_start_matches(|c: char| ")]'\" ,".contains(c)));
        if BEHIND_LENGTH.is_match(&words) && !UNFINISHED.is_match(&words) {
            Self::Named(words)
        } else {
            Self::unnamed()
        }
    }

    fn unnamed() -> Self {
        Self::Named("from the beginning of the term".to_owned())
    }
}

fn computed(text: &Text<'_>, sentence: &Range<usize>, days: &Days) -> Option<Expiry> {
    let said = &text.text()[sentence.clone()];
    if YEAR_END.is_match(said)
        && let Some(end) = year_end(text, sentence, days)
    {
        return Some(end);
    }
    let (span, clarity) = length(said)?;
    let range = sentence.start + span.range.start..sentence.start + span.range.end;
    let ahead = &said[..span.range.start];
    let blank = BLANK.find(said).is_some_and(|blank| blank.start() < span.range.start);
    let as_stated = |score, value, begins| {
        Some(Expiry { score, value, computed: None, range: range.clone(), begins, anniversary: false })
    };
    if blank {
        return as_stated(2, String::new(), None);
    }
    if let Some(later) = LATER_OF.find(ahead) {
        return as_stated(2, clause(&said[later.start()..]), None);
    }
    let formula = |from: &str| format!("{} {from}", span.text());
    let (iso, from, begins) = match start(text, sentence, &span, days) {
        Start::Contract(day) => (day.iso, day.range, None),
        Start::Day(iso, range) => (iso.clone(), range.clone(), Some((iso, range))),
        Start::Named(_) if span.unit == Unit::Day => return as_stated(2, String::new(), None),
        Start::Named(from) => return as_stated(2, formula(&from), None),
    };
    if is_ambiguous(&iso) {
        return as_stated(2 + clarity, String::new(), begins);
    }
    let day: Date = iso.parse().ok()?;
    let mut end = day.checked_add(span.length()).ok()?;
    let mut computed = format!("{} from {iso} (p. {})", span.text(), text.flat.place(from).0);
    let day_before = DAY_BEFORE.is_match(ahead);
    let shortened = span.unit.is_shortened(day, end);
    if shortened && day_before {
        return as_stated(2 + clarity, formula(&format!("from {iso}, less a day")), begins);
    }
    if shortened {
        computed.push_str(", to the last day of the month");
    }
    if day_before {
        end = end.yesterday().ok()?;
        computed.push_str(", less a day");
    }
    if MONTH_END.is_match(ahead) {
        end = end.last_of_month();
        computed.push_str(", to the end of the month");
    }
    let length = &said[span.range.clone()];
    let stated = MONTH_END.is_match(ahead)
        || length.contains("nniversary")
        || LAST_DAY.is_match(ahead) && !length.contains("nd of the ");
    let anniversary = !day_before && !stated && !shortened;
    let (value, computed) = (end.to_string(), Some(computed));
    Some(Expiry { score: 2 + clarity, value, computed, range, begins, anniversary })
}

/// The end of the calendar year of the contract.
fn year_end(text: &Text<'_>, sentence: &Range<usize>, days: &Days) -> Option<Expiry> {
    let day = days.effective.as_ref().or(days.agreement.as_ref())?;
    let (year, page) = (day.iso.get(..4)?, text.flat.place(day.range.clone()).0);
    let computed = Some(format!("end of {year}, the calendar year of {} (p. {page})", day.iso));
    let (value, range) = (format!("{year}-12-31"), sentence.clone());
    Some(Expiry { score: 2, value, computed, range, begins: None, anniversary: false })
}

fn length(said: &str) -> Option<(Span, i32)> {
    let anniversary = anniversary(said).map(|span| (span, 1));
    anniversary.or_else(|| spans(said).into_iter().find(|span| is_term(said, span)).map(|span| (span, 1)))
}

/// "the third anniversary of", "the end of the fifth year following".
fn anniversary(said: &str) -> Option<Span> {
    let found = ANNIVERSARY.captures(said).or_else(|| END_OF_YEAR.captures(said))?;
    let (all, word) = (found.get(0)?, found.get(1)?);
    // "fifth (5t h)": a superscript that was set apart is in the bracket, too.
    let joined: String = word.as_str().split('(').next()?.split([' ', '\n']).collect();
    let (count, _) = ordinal(&Tokens::new(&joined), 0)?;
    // The words from which the years count begin with the last word of the end of a year.
    let joint = if all.as_str().contains("nniversary") { 0 } else { all.as_str().rsplit([' ', '\n']).next()?.len() };
    let range = all.start()..all.end() - joint;
    Some(Span { range, count: count as i32, unit: Unit::Year, business: false })
}

/// True if a length of time in a sentence is the length of the term.
fn is_term(said: &str, span: &Span) -> bool {
    let (before, after) = (&said[..span.range.start], &said[span.range.end..]);
    let is_behind = AFTER_TERM.iter().any(|words| after.trim_start().starts_with(words)) && !CONTINUES.is_match(before);
    // "month to month" follows the term
    let follows = said[span.range.clone()].contains("to");
    if follows
        || span.unit == Unit::Day && span.count < 60 && !(ENDS.is_match(before) && OF_DATE.is_match(after))
        || NOTICE_AFTER.is_match(after)
        || span.unit == Unit::Day && OF_NOTICE.is_match(before)
        || span.business
        || is_behind
    {
        return false;
    }
    let near = last_chars(before, 90);
    let upon = UPON
        .find(near)
        .is_some_and(|upon| !GOES_ON.is_match(upon.as_str()) && !near[..upon.start()].trim_end().ends_with("binding"));
    let other = NOT_TERM.find(near).is_some_and(|other| {
        let before = &near[..other.start()];
        !(other.as_str().starts_with("thereafter") && STAYS.is_match(before) || UNLESS.is_match(before))
    });
    let folded = near.to_lowercase();
    if (upon || other) && !folded.trim_end().ends_with("initial") && !contains_any(&folded, &INITIAL_TERM) {
        return false;
    }
    TERM_BEFORE.is_match(near)
        || BEGINS_SENTENCE.is_match(before)
        || after.trim_start_matches(['-', ' ']).starts_with("term")
}

fn start(text: &Text<'_>, sentence: &Range<usize>, span: &Span, days: &Days) -> Start {
    let said = &text.text()[sentence.clone()];
    let first = |one: &Option<ContractDay>, other: &Option<ContractDay>| {
        one.clone().or_else(|| other.clone()).map_or_else(Start::unnamed, Start::Contract)
    };
    let either = || first(&days.effective, &days.agreement);
    let agreement = || first(&days.agreement, &days.effective);
    // A day in the sentence from which it runs.
    for day in text.days_in(sentence.clone()) {
        let before = &text.text()[sentence.start..day.range.start];
        if FROM.is_match(before) && !UNTIL.is_match(before) && !EXPECTED.is_match(before) {
            return Start::Day(day.iso.clone(), day.range.clone());
        }
    }
    let name = |anchor: regex::Captures<'_>| anchor.get(1).map(|name| name.as_str().to_owned());
    let after = ANCHOR
        .captures(&said[span.range.end.min(said.len())..])
        .filter(|found| found.get(0).is_some_and(|all| all.start() < 60));
    let at_anniversary = said[span.range.clone()]
        .contains("nniversary of")
        .then(|| ANCHOR.captures(&said[span.range.end.saturating_sub(4)..]))
        .flatten();
    let such = ["such date", "that date", "said date"];
    let close = at_anniversary.or(after).and_then(name).filter(|name| !such.contains(&name.to_lowercase().as_str()));
    let rest = &said[span.range.end.min(said.len())..];
    if said[span.range.clone()].trim_end().ends_with(" hereof") || ITS_DATE.is_match(rest) {
        return agreement();
    }
    if close.is_none() && COUNTS.is_match(rest) && !AND_THEN.is_match(rest) && !FROM_SUCH.is_match(rest) {
        return Start::words(rest);
    }
    let Some(anchor) = close.or_else(|| ANCHOR.captures(said).and_then(name)) else {
        return either();
    };
    let folded = anchor.to_lowercase();
    if folded.starts_with("effective date") || folded.ends_with("of effective date") {
        return either();
    }
    if folded.ends_with(" date") && !OF_AGREEMENT.contains(&folded.as_str()) {
        let role = folded.trim_start_matches("the ").to_owned();
        let day = text.days.iter().find(|day| {
            let before = &text.text()[text.floor(day.range.start.saturating_sub(80))..day.range.start];
            // an amount left out between the name and the day: the day is in the next row of a table
            day.role.as_deref() == Some(role.as_str()) && !EXPECTED.is_match(before) && !before.contains("**")
        });
        if let Some(day) = day {
            return Start::Day(day.iso.clone(), day.range.clone());
        }
        if is_defined_as_date_of_contract(text.text(), &anchor) {
            return agreement();
        }
    } else if HEREOF.is_match(&folded) {
        return agreement();
    }
    if folded == "date" || folded == "the date" {
        return Start::words(rest);
    }
    let name = anchor.trim_start_matches(|c: char| !c.is_uppercase());
    if name.is_empty() { Start::words(&format!("from {anchor}")) } else { Start::words(&format!("from the {name}")) }
}

/// True for `commencing on the date first set forth above (the "Commencement Date")`.
fn is_defined_as_date_of_contract(text: &str, name: &str) -> bool {
    let name = name.trim_start_matches("the ");
    text.match_indices(name).any(|(at, _)| {
        let before = last_chars(&text[..at], 90);
        DEFINED.find(before).is_some_and(|defined| OF_CONTRACT.is_match(&before[..defined.start()]))
    })
}
