//! Obligations: sentences that bind a party and name a day, a length of time or a period.

use std::ops::Range;

use casetrack_core::{Annotations, single_spaced};
use jiff::civil::Date;

use super::days::{self, Days};
use super::notice_deadline::{self, Renewal};
use super::parties::{self, NamedParty};
use super::text::{Day, Span, Text, spans};
use super::{is_ambiguous, opening};
use crate::words::is_party_word;

/// A duty and its due day. It has a day, or a trigger, or both if the day was computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obligation {
    /// As the sentence names the party: "Supplier", "Each Party".
    pub who: String,
    /// The parties' names that the contract has for this word: "Acme, Inc." for "Supplier". None for "Each Party", and
    /// if the word is the name.
    pub parties: Vec<String>,
    /// From "shall" to the end of the clause.
    pub what: String,
    /// ISO 8601.
    pub due: Option<String>,
    /// How the day was computed: "30 days from 1998-06-01 (p. 2)".
    pub computed: Option<String>,
    /// The event that it counts from, or its recurrence: "30 days after receipt of the invoice", "each month".
    pub trigger: Option<String>,
    /// How the day moves where it prevents the renewal of a term.
    pub renewal: Option<Renewal>,
    /// From 1.
    pub page: u32,
    /// Characters of the page, half-open: from the party to the end of the clause.
    pub char_start: u32,
    pub char_end: u32,
}

impl Obligation {
    /// Without a day; the place is a page with its characters.
    pub(super) fn new(
        who: impl Into<String>,
        what: impl Into<String>,
        (page, char_start, char_end): (u32, u32, u32),
    ) -> Self {
        Self {
            who: who.into(),
            parties: Vec::new(),
            what: what.into(),
            due: None,
            computed: None,
            trigger: None,
            renewal: None,
            page,
            char_start,
            char_end,
        }
    }
}

pattern_table! {
    "facts/obligations.toml":
    DUTY, NO_DUTY, BY, HAPPENED, OWED, WITHIN, AFTER, EVERY, EFFECTIVE, COUNTED,
}

/// Longest duty, in characters.
const WHAT: usize = 400;
/// Most obligations of one document, more than contracts have; those behind them are left out.
pub const MAX_OBLIGATIONS: usize = 5_000;
/// Most bytes between the thing that is owed and its day, and before it.
const NEAR: usize = 160;

/// The obligations of a document with a day, a length of time or a period, in the order of the text. Linear in its length.
pub fn obligations(pages: &[&str], annotations: &Annotations) -> Vec<Obligation> {
    let text = Text::new(pages, annotations);
    let opening = opening::find(&text);
    let days = days::find(&text, &opening);
    let named = parties::named(&text, &opening);
    let mut found = Vec::new();
    'sentences: for sentence in &text.sentences {
        let said = &text.text()[sentence.clone()];
        let duties: Vec<_> = DUTY.captures_iter(said).collect();
        for (number, duty) in duties.iter().enumerate() {
            let (Some(all), Some(who)) = (duty.get(0), duty.get(1)) else { continue };
            let end = duties.get(number + 1).and_then(|next| next.get(0)).map_or(said.len(), |next| next.start());
            let what = &said[all.end()..end];
            if !is_bound(who.as_str(), &named) || NO_DUTY.is_match(what) {
                continue;
            }
            let clause = sentence.start + all.end()..sentence.start + end;
            let Some(deadline) = deadline(&text, clause, &days) else { continue };
            let verb = duty.get(2).map_or("shall", |verb| verb.as_str());
            let what: String = single_spaced(what).chars().take(WHAT).collect();
            let what = what.trim_end_matches([',', ';', ' ']).trim_end_matches(" and").to_owned();
            let length = said[..end].trim_end().len().max(all.end());
            let place = text.flat.place(sentence.start + who.start()..sentence.start + length);
            if found.len() >= MAX_OBLIGATIONS {
                break 'sentences;
            }
            let duty = Obligation::new(single_spaced(who.as_str()), format!("{verb} {what}"), place);
            let Deadline { due, computed, trigger } = deadline;
            found.push(Obligation { parties: parties_of(who.as_str(), &named), due, computed, trigger, ..duty });
        }
    }
    found.extend(owed(&text, &found));
    found.extend(notice_deadline::notice(&text, &days));
    found
}

/// Sums and things that are due by a day, in sentences that bind no party: "$500, payable no later than July 20, 2020".
fn owed(text: &Text<'_>, known: &[Obligation]) -> Vec<Obligation> {
    let mut found = Vec::new();
    for sentence in &text.sentences {
        let said = &text.text()[sentence.clone()];
        let mut before = 0;
        for owed in OWED.find_iter(said) {
            if owed.start() < before || known.len() + found.len() >= MAX_OBLIGATIONS {
                continue;
            }
            let after = sentence.start + owed.end()..sentence.end;
            let near = |from: usize| text.text().get(after.start..from).is_some_and(|between| between.len() <= NEAR);
            let Some(day) = text
                .days_in(after.clone())
                .iter()
                .find(|day| near(day.range.start) && is_due(&text.text()[after.start..day.range.start]))
            else {
                continue;
            };
            let start = match text.floor(sentence.start + owed.start().saturating_sub(NEAR)) - sentence.start {
                from if from > before => said[from..owed.start()].find(' ').map_or(owed.start(), |at| from + at + 1),
                _ => before,
            };
            let place = text.flat.place(sentence.start + start..day.range.end);
            let Deadline { due, computed, trigger } = Deadline::by(day);
            let within = |duty: &Obligation| {
                duty.page == place.0
                    && duty.char_start < place.2
                    && place.1 < duty.char_end
                    && duty.due == due
                    && (due.is_some() || duty.trigger == trigger)
            };
            before = (day.range.end - sentence.start).min(said.len());
            if known.iter().any(within) {
                continue;
            }
            let debt = Obligation::new("The party that owes it", single_spaced(&said[start..before]), place);
            found.push(Obligation { due, computed, trigger, ..debt });
        }
    }
    found
}

/// True if the words before a day make it one by which something is due.
fn is_due(before: &str) -> bool {
    BY.is_match(before) && HAPPENED.captures(before).is_none_or(|happened| happened.get(1).is_some())
}

/// Without an article.
fn bare(folded: &str) -> &str {
    let article = ["each ", "either ", "both ", "the ", "such "].iter().find_map(|word| folded.strip_prefix(word));
    article.unwrap_or(folded)
}

/// True if words name a party.
fn is_bound(who: &str, named: &[NamedParty]) -> bool {
    let folded = who.to_lowercase();
    let bare = bare(&folded);
    let has = |party: &NamedParty| {
        party.name.to_lowercase().contains(bare) || party.terms.iter().any(|term| term.to_lowercase().contains(bare))
    };
    matches!(bare, "party" | "parties" | "of the parties")
        || is_party_word(bare)
        || bare.len() > 2 && named.iter().any(has)
}

/// The names of the parties to which a word of the contract refers.
fn parties_of(who: &str, named: &[NamedParty]) -> Vec<String> {
    let folded = who.to_lowercase();
    let words = bare(&folded);
    let has_term = |party: &&NamedParty| party.terms.iter().any(|term| bare(&term.to_lowercase()) == words);
    let begins_name = |party: &&NamedParty| {
        let name = party.name.to_lowercase();
        words.len() > 2 && name.strip_prefix(words).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let meant: Vec<&NamedParty> = match named.iter().filter(has_term).collect::<Vec<_>>() {
        none if none.is_empty() => named.iter().filter(begins_name).collect(),
        meant => meant,
    };
    meant.iter().map(|party| party.name.clone()).filter(|name| name.to_lowercase() != words).collect()
}

struct Deadline {
    due: Option<String>,
    computed: Option<String>,
    trigger: Option<String>,
}

impl Deadline {
    /// A stated day, unless it has two readings.
    fn by(day: &Day) -> Self {
        if is_ambiguous(&day.iso) {
            return Self { due: None, computed: None, trigger: Some(format!("by {}", day.iso)) };
        }
        Self { due: Some(day.iso.clone()), computed: None, trigger: None }
    }
}

fn deadline(text: &Text<'_>, clause: Range<usize>, days: &Days) -> Option<Deadline> {
    let said = &text.text()[clause.clone()];
    for day in text.days_in(clause.clone()) {
        let before = &text.text()[clause.start..day.range.start];
        let length_ahead = || spans(before).last().is_some_and(|span| COUNTED.is_match(&before[span.range.end..]));
        if is_due(before) && !length_ahead() {
            return Some(Deadline::by(day));
        }
    }
    for span in spans(said) {
        let Some(after) = AFTER.captures(&said[span.range.end..]).and_then(|after| after.get(1)) else { continue };
        if !WITHIN.is_match(&said[..span.range.start]) {
            continue;
        }
        let from = single_spaced(after.as_str());
        let trigger = Some(format!("{} {from}", span.text()));
        let at = clause.start + span.range.end + after.start();
        let (due, computed) = match computed(text, &span, &from, at, days) {
            Some((due, computed)) => (Some(due), Some(computed)),
            None => (None, None),
        };
        return Some(Deadline { due, computed, trigger });
    }
    let every = EVERY.find(said)?;
    let trigger = single_spaced(every.as_str());
    Some(Deadline { due: None, computed: None, trigger: Some(trigger) })
}

/// The day, if the length of time counts from a stated day, the effective date or the date of the agreement. `at` is the byte of `from`, the words
/// behind the length. Business days are left out: they need a calendar of holidays.
fn computed(text: &Text<'_>, span: &Span, from: &str, at: usize, days: &Days) -> Option<(String, String)> {
    if span.business {
        return None;
    }
    // "of 15 February 2024", "after the 1st of May 2024"
    let first = text.days_in(at..at + from.len()).first();
    let stated = first.filter(|day| text.text()[at..day.range.start].split_whitespace().count() <= 2);
    let (iso, range) = match stated {
        Some(day) => (&day.iso, &day.range),
        None if !EFFECTIVE.is_match(from) => return None,
        None => {
            let (effective, agreement) = (days.effective.as_ref(), days.agreement.as_ref());
            let of_effect = from.to_lowercase().contains("effective");
            let known = if of_effect { effective.or(agreement) } else { agreement.or(effective) }?;
            (&known.iso, &known.range)
        }
    };
    let day: Date = iso.parse().ok()?;
    let before = ["before", "prior", "in advance"].iter().any(|words| from.starts_with(words));
    let due = if before { day.checked_sub(span.length()) } else { day.checked_add(span.length()) }.ok()?;
    let joint = if before { "before" } else { "from" };
    let page = text.flat.place(range.clone()).0;
    Some((due.to_string(), format!("{} {joint} {iso} (p. {page})", span.text())))
}
