//! The last day for the notice that prevents a renewal, of the first term and of those that follow it.

use std::ops::Range;

use jiff::civil::Date;

use super::clauses::Scored;
use super::days::Days;
use super::obligations::Obligation;
use super::text::{Span, Text, spans};
use super::{Fact, FactKind, expiry, renewal};

pattern_table! {
    "facts/notice_deadline.toml":
    NOTICE_BY,
}

/// The party of the obligation that [`notice`] makes.
const WHO: &str = "A party that does not want the term to renew";
/// Most renewals that a term is followed through.
const MOST: i32 = 1_000;

/// A term that renews by itself, one time after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renewal {
    /// The last day of the first term.
    last_day: Date,
    /// The length of each renewal, and of the notice that prevents it.
    period: Length,
    notice: Length,
    /// The page that states the end of the first term, from 1.
    page: u32,
}

/// A length of time, as facts write it: "1 year".
type Length = String;

/// The notice that prevents the renewal of the term, with its last day if the end of the term and the length of the notice are known, or the
/// contract states it. One rule for all wordings: the length counts back from the last day of the term.
pub(super) fn notice(text: &Text<'_>, days: &Days) -> Option<Obligation> {
    let renewal = renewal::find(text);
    let of_kind = |kind| renewal.iter().find(|fact: &&Fact| fact.kind == kind);
    let term = of_kind(FactKind::RenewalTerm);
    if let Some((range, day, computed)) = stated(text) {
        let duty = duty(text.flat.place(range));
        return Some(Obligation { due: Some(day.to_string()), computed, ..duty });
    }
    let notice = of_kind(FactKind::NoticePeriod)?;
    if term.is_none() && !renewal::prevents(text, notice) {
        return None;
    }
    let trigger = Some(format!("{} before the end of the term", notice.value));
    let duty = Obligation { trigger, ..duty((notice.page, notice.char_start, notice.char_end)) };
    let Some(end) = expiry::find(text, days, Some(&Scored::new(text))) else { return Some(duty) };
    let Some((last_day, length)) = end.last_day.zip(calendar_length(&notice.value)) else { return Some(duty) };
    let due = last_day.checked_sub(length.length()).ok()?;
    let from = if end.fact.value == last_day.to_string() {
        end.fact.value.clone()
    } else {
        format!("{last_day}, the last day before the anniversary")
    };
    let follows = |term: &&&Fact| term.value.starts_with("successive") && calendar_length(&term.value).is_some();
    let renewal = term.as_ref().filter(follows).map(|term| Renewal {
        last_day,
        period: term.value.trim_start_matches("successive ").to_owned(),
        notice: notice.value.clone(),
        page: end.fact.page,
    });
    let computed = Some(format!("{} before {from} (p. {})", notice.value, end.fact.page));
    Some(Obligation { due: Some(due.to_string()), computed, renewal, ..duty })
}

fn duty(place: (u32, u32, u32)) -> Obligation {
    Obligation::new(WHO, "must give notice", place)
}

/// Business days need a calendar of holidays.
fn calendar_length(written: &str) -> Option<Span> {
    spans(written).into_iter().next().filter(|span| !span.business)
}

/// The last day for the notice that a contract states, and how it follows from the day that is written: "by notice no later than October 31,
/// 2026", "before November 1, 2026".
fn stated(text: &Text<'_>) -> Option<(Range<usize>, Date, Option<String>)> {
    let prevented = text.sentences.iter().enumerate().filter(|(at, _)| renewal::is_prevented(text, *at));
    prevented.map(|(_, sentence)| sentence).find_map(|sentence| {
        text.days_in(sentence.clone()).iter().find_map(|day| {
            let before = &text.text()[sentence.start..day.range.start];
            let cue = NOTICE_BY.captures(before)?;
            let written: Date = day.iso.parse().ok()?;
            if cue.get(1).is_some() {
                let computed = format!("the day before {written}");
                return Some((day.range.clone(), written.yesterday().ok()?, Some(computed)));
            }
            Some((day.range.clone(), written, None))
        })
    })
}

impl Obligation {
    /// True of the notice that prevents the renewal of a term.
    pub fn prevents_renewal(&self) -> bool {
        self.who == WHO
    }

    /// The same obligation at the end of a later term, where its day is past on a day (ISO 8601) and the term renews one time after the other: the
    /// next day for it, if no notice was given before. `None` for all others.
    pub fn next(&self, today: &str) -> Option<Obligation> {
        let (renewal, today) = (self.renewal.as_ref()?, today.parse::<Date>().ok()?);
        let due: Date = self.due.as_ref()?.parse().ok()?;
        if due >= today {
            return None;
        }
        let (period, notice) = (calendar_length(&renewal.period)?, calendar_length(&renewal.notice)?);
        let first = renewal.last_day.tomorrow().ok()?;
        (1..MOST).find_map(|times| {
            let end = first.checked_add(period.unit.times(period.count.checked_mul(times)?)).ok()?.yesterday().ok()?;
            let due = end.checked_sub(notice.length()).ok().filter(|due| *due >= today)?;
            let Renewal { last_day, period, notice, page } = renewal;
            let renewed = if times == 1 { "once".to_owned() } else { format!("{times} times") };
            let computed = format!(
                "{notice} before {end}, if the term that first ended on {last_day} (p. {page}) was renewed {renewed} for {period}"
            );
            Some(Obligation { due: Some(due.to_string()), computed: Some(computed), ..self.clone() })
        })
    }
}
