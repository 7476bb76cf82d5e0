use std::collections::BTreeSet;
use std::ops::Range;

use super::opening::Opening;
use super::text::{Day, Text};
use super::{Fact, FactKind};

/// A day with the text that states it.
#[derive(Debug, Clone)]
pub(crate) struct ContractDay {
    pub iso: String,
    pub range: Range<usize>,
    confidence: u8,
}

impl ContractDay {
    fn new(day: &Day, confidence: u8) -> Self {
        Self { iso: day.iso.clone(), range: day.range.clone(), confidence }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Days {
    pub agreement: Option<ContractDay>,
    pub effective: Option<ContractDay>,
}

pattern_table! {
    "facts/days.toml":
    OTHER, EFFECTIVE_BEFORE, EFFECTIVE_AFTER, EFFECTIVE_MEANS, COMMENCEMENT_AFTER, COMMENCEMENT, BEGINS, COUNTS_FROM,
    NOT_BEGUN, UNLESS, DATED_BEFORE, ENDS, DATE_HEREOF, SIGNED_OPENING, DATED, MADE_BEFORE, ON_DAY, LABELLED,
    OTHER_LABEL, WITNESS, SIGNS, SIGNATURE, SIGNED_AT, AS_OF_EFFECTIVE, SPEAKS_OF, HAPPENS, RESTATED, RESTATED_AS_OF,
    ORIGINALLY, THIS, NEXT_DAY, ALL_SIGN, HAPPENED, NAMES_CONTRACT,
}
/// Farthest from the end of a document that its signatures are, in bytes.
const SIGNATURES: usize = 12_000;
/// Farthest from the words before the signatures that their days are, and from a signature that its day is, in bytes.
const SIGNATURE_BLOCK: usize = 2500;
const BESIDE: usize = 160;
/// Longest text before the opening that is its cover.
const COVER: usize = 3000;

pub(crate) fn find(text: &Text<'_>, opening: &Opening) -> Days {
    let mut days = Days::default();
    days.read_opening(text, opening);
    days.read_cover(text, opening);
    let other_effective = || text.days.iter().find(|day| is_effective_behind(text, day) && !is_other(text, day));
    days.set_effective(other_effective, 90);
    if days.agreement.is_none() {
        days.agreement = signed(text);
    }
    // "have executed this Agreement effective as of"
    let witnessed = |day: &&Day| {
        is_effective_ahead(text, day)
            && WITNESS.is_match(&text.text()[text.sentence(day.range.start).start..day.range.start])
            && !is_other(text, day)
    };
    days.set_effective(|| text.days.iter().rfind(witnessed), 80);
    let opened = &text.text()[opening.range.clone()];
    if days.effective.is_none()
        && let Some(said) = SIGNED_OPENING.find(opened)
    {
        days.effective = when_signed(text, said.as_str(), days.agreement.as_ref());
    }
    if days.effective.is_none() {
        days.effective = meant(text, days.agreement.as_ref());
    }
    if days.agreement.is_none() && AS_OF_EFFECTIVE.is_match(opened) {
        days.agreement = days.effective.clone();
    }
    days
}

fn before<'t>(text: &'t Text<'_>, day: &Day, reach: usize) -> &'t str {
    &text.text()[text.floor(day.range.start.saturating_sub(reach))..day.range.start]
}

fn after<'t>(text: &'t Text<'_>, day: &Day) -> &'t str {
    &text.text()[day.range.end..text.floor(day.range.end + 120)]
}

fn is_effective_ahead(text: &Text<'_>, day: &Day) -> bool {
    EFFECTIVE_BEFORE.is_match(before(text, day, 60))
}

fn is_effective_behind(text: &Text<'_>, day: &Day) -> bool {
    EFFECTIVE_AFTER.is_match(after(text, day))
}

/// How often a contract without a stated Effective Date must speak of it, at least.
const SPOKEN: usize = 2;

fn heading_before(before: &str) -> bool {
    before.split_whitespace().next_back().is_some_and(|word| word.len() > 3 && word.chars().all(|c| c.is_uppercase()))
}

/// Most days of a list that are followed to the first.
const LISTED: usize = 12;

/// Farthest that the name of another document is before its day, with the names of its parties, in bytes.
const NAMED_BEFORE: usize = 300;

/// True if a day is the day of another document that is named right before it, or before a list of days: "that certain Lease dated".
fn is_other(text: &Text<'_>, day: &Day) -> bool {
    let mut day = day;
    for _ in 0..LISTED {
        let near = text.days_in(text.floor(day.range.start.saturating_sub(48))..day.range.start);
        let listed = |last: &&Day| {
            text.text().get(last.range.end..day.range.start).is_some_and(|between| NEXT_DAY.is_match(between))
        };
        let Some(last) = near.last().filter(listed) else { break };
        day = last;
    }
    let from = text.floor(day.range.start.saturating_sub(NAMED_BEFORE));
    let before = &text.text()[from..day.range.start];
    if ORIGINALLY.is_match(before) {
        return true;
    }
    let of_this = |head: &regex::Match<'_>| {
        let said = &before[head.start()..];
        RESTATED_AS_OF.is_match(said) || RESTATED.is_match(said) && THIS.is_match(&before[..head.start()])
    };
    let Some(head) = OTHER.find_iter(before).filter(|head| !of_this(head)).last() else { return false };
    let rest = &before[head.end()..];
    let same = text.sentence(from + head.start()).contains(&day.range.start);
    rest.len() <= 80 && same && text.days_in(from + head.end()..day.range.start).is_empty()
}

/// True if something that is no contract was made on a day: "Payments were made on".
fn is_event(text: &Text<'_>, day: &Day) -> bool {
    let sentence = &text.text()[text.sentence(day.range.start).start..day.range.start];
    HAPPENED.is_match(sentence) && !NAMES_CONTRACT.is_match(sentence)
}

/// The last day near the signatures: those after the words that introduce them, else those at the end.
fn signed(text: &Text<'_>) -> Option<ContractDay> {
    let whole = text.text();
    let end = whole.len();
    let blocks =
        WITNESS.find_iter(whole).map(|cue| text.sentence(cue.start()).start..text.floor(cue.end() + SIGNATURE_BLOCK));
    let last = std::iter::once(text.floor(end.saturating_sub(SIGNATURES).max(end / 2))..end);
    let days = blocks.chain(last).find_map(|block| {
        let signed = text.days_in(block).iter().filter(|day| is_signed(text, day));
        signed.max_by(|a, b| a.iso.cmp(&b.iso))
    });
    days.map(|day| ContractDay::new(day, 70))
}

/// The day of a signing that the text mentions: the day near the last signature if all sign, else the day of the agreement.
fn when_signed(text: &Text<'_>, said: &str, agreement: Option<&ContractDay>) -> Option<ContractDay> {
    let last = ALL_SIGN.is_match(said).then(|| signed(text)).flatten();
    last.or_else(|| agreement.cloned())
}

fn is_signed(text: &Text<'_>, day: &Day) -> bool {
    let whole = text.text();
    let label = &whole[text.floor(day.range.start.saturating_sub(24))..day.range.start];
    if OTHER_LABEL.is_match(label) || is_event(text, day) {
        return false;
    }
    let near = &whole[text.floor(day.range.start.saturating_sub(BESIDE))..text.floor(day.range.end + BESIDE / 2)];
    day.role.as_deref() == Some("signature date")
        || LABELLED.is_match(label)
        || WITNESS.is_match(&whole[text.sentence(day.range.start).start..day.range.start])
        || SIGNED_AT.is_match(&whole[text.floor(day.range.start.saturating_sub(60))..day.range.start])
        || SIGNS.is_match(near) && !is_other(text, day)
}

/// `"Effective Date" means …`, "This Agreement commences on …".
fn meant(text: &Text<'_>, agreement: Option<&ContractDay>) -> Option<ContractDay> {
    let whole = text.text();
    for (rule, confidence) in [(&*EFFECTIVE_MEANS, 85), (&*BEGINS, 75), (&*COMMENCEMENT, 65), (&*COUNTS_FROM, 60)] {
        for found in rule.find_iter(whole) {
            let sentence = text.sentence(found.end().saturating_sub(1));
            let end = sentence.end.max(found.end());
            let before = &whole[sentence.start.min(found.start())..found.start()];
            let other = NOT_BEGUN.find(before).is_some_and(|other| !UNLESS.is_match(&before[..other.start()]));
            if other || DATED_BEFORE.is_match(found.as_str()) {
                continue;
            }
            let rest = &whole[found.end()..end];
            // a length may count from the day of the agreement that is effective on another
            let hereof = DATE_HEREOF.find(rest.trim_start()).filter(|_| confidence > 60);
            if let Some(hereof) = hereof
                && let Some(signed) = when_signed(text, hereof.as_str(), agreement)
            {
                let range = found.start()..found.end() + hereof.end();
                return Some(ContractDay { iso: signed.iso, range, confidence: confidence - 5 });
            }
            // a label may have its day on the next line
            let (end, reach) = match found.as_str() {
                label if label.ends_with(':') => (whole.len(), 24),
                label if label.ends_with(['-', '.', ' ', '\n']) && confidence > 80 => (whole.len(), 2),
                _ => (end, 24),
            };
            let near = text.days_in(found.end()..text.floor(found.end() + reach).min(end)).first();
            // "effective through and including March 31" is about the end
            if let Some(day) = near.filter(|day| !ENDS.is_match(&whole[found.end()..day.range.start])) {
                return Some(ContractDay::new(day, confidence));
            }
        }
    }
    None
}

impl Days {
    /// Sets the effective date unless it is known.
    fn set_effective<'d>(&mut self, day: impl FnOnce() -> Option<&'d Day>, confidence: u8) {
        if self.effective.is_none() {
            self.effective = day().map(|day| ContractDay::new(day, confidence));
        }
    }

    /// Reads the opening: the first day before the parties, else after them.
    fn read_opening(&mut self, text: &Text<'_>, opening: &Opening) {
        let end = opening.parties.end;
        let until = text.sentence(end.saturating_sub(1)).end.max(end);
        let until = SIGNATURE.find(&text.text()[end..until]).map_or(until, |by| end + by.start());
        let in_opening = text.days_in(opening.range.start..until);
        let own: Vec<&Day> = in_opening.iter().filter(|day| !is_other(text, day)).collect();
        let dated = |day: &&&Day| {
            day.range.start < opening.parties.start
                || DATED.is_match(before(text, day, 40))
                || ON_DAY.is_match(before(text, day, 20))
        };
        let first = own.iter().find(dated);
        let made = first.and_then(|first| {
            let sentence = text.sentence(first.range.start);
            own.iter().find(|day| sentence.contains(&day.range.start) && MADE_BEFORE.is_match(before(text, day, 40)))
        });
        // "effective as of June 1 and signed on May 3"
        let only_effective =
            |day: &&&Day| is_effective_ahead(text, day) && !MADE_BEFORE.is_match(before(text, day, 60));
        let is_effective = |day: &Day| is_effective_ahead(text, day) || is_effective_behind(text, day);
        if let Some(day) = first.filter(|first| !only_effective(first)).or(made).or(first) {
            self.agreement = Some(ContractDay::new(day, 95));
            self.set_effective(|| Some(*day).filter(|day| is_effective(day)), 95);
        }
        self.set_effective(|| own.iter().copied().find(|day| is_effective(day)), 90);
        self.set_effective(|| own.iter().copied().find(|day| COMMENCEMENT_AFTER.is_match(after(text, day))), 80);
        if self.agreement.is_none() {
            self.agreement = self.effective.clone();
        }
    }

    /// Reads the cover, or the lines above the first sentence.
    fn read_cover(&mut self, text: &Text<'_>, opening: &Opening) {
        let whole = text.text();
        let cover = opening.range.start.min(COVER);
        if self.agreement.is_none() {
            let end = text.floor(if opening.parties.is_empty() { COVER } else { cover });
            let days = text.days_in(0..SIGNATURE.find(&whole[..end]).map_or(end, |by| by.start()));
            // Far into a sentence, without an opening, it belongs to the subject of the sentence.
            let far = |day: &Day| {
                opening.parties.is_empty() && day.range.start - text.sentence(day.range.start).start > BESIDE
            };
            let own = days.iter().filter(|day| !is_other(text, day) && !far(day) && !is_event(text, day));
            let own: Vec<&Day> = own.collect();
            let labelled = own.iter().find(|day| DATED.is_match(before(text, day, 40)));
            // Without an opening, lines with days of their own are entries of a list.
            let lines = own.iter().filter(|day| text.flat.begins_line(day.range.start)).map(|day| &day.iso);
            let is_list = opening.parties.is_empty() && lines.collect::<BTreeSet<_>>().len() > 1;
            let alone = own.iter().filter(|_| !is_list).find(|day| {
                let before = before(text, day, 60);
                text.flat.begins_line(day.range.start) || heading_before(before) || SIGNED_AT.is_match(before)
            });
            if let Some(day) = labelled.or(alone) {
                self.agreement = Some(ContractDay::new(day, if labelled.is_some() { 85 } else { 75 }));
                self.set_effective(|| Some(*day).filter(|day| is_effective_ahead(text, day)), 85);
            }
        }
        // "Effective as of June 1, 2004", above an opening with another day
        let labelled = |day: &&Day| is_effective_ahead(text, day) && !is_other(text, day);
        self.set_effective(|| text.days_in(0..cover).iter().find(labelled), 85);
    }

    /// Takes the day from which the term runs if nothing else states when the contract begins.
    pub fn begin(&mut self, begins: Option<(String, Range<usize>)>) {
        if self.effective.is_none() {
            self.effective = begins.map(|(iso, range)| ContractDay { iso, range, confidence: 60 });
        }
    }

    /// A contract that mentions its Effective Date and does not state the day takes effect on its own day.
    pub fn settle(&mut self, text: &Text<'_>) {
        let whole = text.text();
        if self.effective.is_none()
            && SPEAKS_OF.find_iter(whole).take(SPOKEN).count() == SPOKEN
            && !HAPPENS.is_match(whole)
        {
            self.effective = self.agreement.clone().map(|known| ContractDay { confidence: 55, ..known });
        }
    }

    pub fn facts(&self, text: &Text<'_>) -> Vec<Fact> {
        let fact =
            |kind, known: &ContractDay| Fact::new(text, kind, &*known.iso, known.range.clone(), known.confidence);
        let agreement = self.agreement.as_ref().map(|known| fact(FactKind::AgreementDate, known));
        let effective = self.effective.as_ref().map(|known| fact(FactKind::EffectiveDate, known));
        agreement.into_iter().chain(effective).collect()
    }
}
