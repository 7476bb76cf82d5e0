use std::cmp::Reverse;
use std::ops::Range;

use super::text::{Span, Text, Unit, contains_any, last_chars, spans};
use super::{Fact, FactKind};

pattern_table! {
    "facts/renewal.toml":
    RENEWS, OF_TERM, NOT_TERM, RENEWAL_BEFORE, RENEWAL_AFTER, RENEWING, FIRST_TERM, SUCCESSIVE, NOTICE_AFTER, NOTICE_BEFORE, NOTICE,
    OTHER_NOTICE, OPTION, UNTIL_ENDED, GOES_ON, EARLY, CONDITION, BEFORE_END, LIKE_TERM, IT_RENEWS, ABOUT_TERM, NON_RENEWAL;
    AT_LEAST, END_OF_TERM, BEFORE_NOTICE,
}

/// The length of a renewal that the document does not state explicitly.
const AS_BEFORE: &str = "as long as the term before";

pub(crate) fn find(text: &Text<'_>) -> Vec<Fact> {
    let whole = text.text();
    let (mut renewals, mut notices) = (Vec::new(), Vec::new());
    let mut near_renewal = 0usize;
    for (at, sentence) in text.sentences.iter().enumerate() {
        let said = &whole[sentence.clone()];
        let of_term = renews_term(text, at);
        let goes_on = of_term || near_renewal > 0 || GOES_ON.is_match(said);
        let until_ended = goes_on && UNTIL_ENDED.is_match(said) && (of_term || !EARLY.is_match(said));
        let ends = (BEFORE_END.is_match(said) || until_ended) && !OPTION.is_match(said);
        if !(of_term || ends || near_renewal > 0 && NOTICE.is_match(said)) {
            near_renewal = near_renewal.saturating_sub(1);
            continue;
        }
        let spans = spans(said);
        let mut renewal_found = false;
        if of_term && let Some((score, span)) = renewal(said, &spans) {
            let place = sentence.start + span.range.start..sentence.start + span.range.end;
            let successive = SUCCESSIVE.is_match(said);
            let value = if successive { format!("successive {}", span.text()) } else { span.text() };
            renewals.push((score, value, place));
            renewal_found = true;
        } else if of_term
            && let Some(found) = LIKE_TERM.captures(said)
            && let (Some(all), Some(noun)) = (found.get(0), found.get(1))
        {
            let successive = if noun.as_str().ends_with('s') { "successive, " } else { "" };
            let place = sentence.start + all.start()..sentence.start + all.end();
            renewals.push((3, format!("{successive}{AS_BEFORE}"), place));
            renewal_found = true;
        }
        if NOTICE.is_match(said) {
            let automatic = renewal_found || of_term;
            for span in &spans {
                if let Some(score) = notice(said, span, automatic, ends, near_renewal > 0) {
                    let place = sentence.start + span.range.start..sentence.start + span.range.end;
                    notices.push((score, span.text(), place));
                }
            }
        }
        near_renewal = if renewal_found { 3 } else { near_renewal.saturating_sub(1) };
    }
    let best = |all: Vec<(i32, String, Range<usize>)>, kind| {
        let best = all.into_iter().min_by_key(|(score, _, range)| (Reverse(*score), range.start));
        let (score, value, range) = best.filter(|(score, ..)| *score >= 3)?;
        Some(Fact::new(text, kind, value, range, (60 + 6 * score.min(6)) as u8))
    };
    let renewal = best(renewals, FactKind::RenewalTerm);
    let notice = best(notices, FactKind::NoticePeriod);
    renewal.into_iter().chain(notice).collect()
}

/// True if a sentence, by its number, is about the renewal of the term: it names the contract or its term, or the sentence before is about it.
fn renews_term(text: &Text<'_>, at: usize) -> bool {
    let said = |at: usize| text.sentences.get(at).map_or("", |sentence| &text.text()[sentence.clone()]);
    let own = said(at);
    let about =
        || at > 0 && IT_RENEWS.is_match(own) && ABOUT_TERM.is_match(said(at - 1)) && !OTHER_NOTICE.is_match(own);
    let renews = RENEWS.is_match(own) && OF_TERM.is_match(own) || about();
    renews && !NOT_TERM.is_match(own)
}

/// True for a sentence, by its number, that states how to prevent the renewal of the term.
pub(super) fn is_prevented(text: &Text<'_>, at: usize) -> bool {
    let Some(said) = text.sentences.get(at).map(|sentence| &text.text()[sentence.clone()]) else { return false };
    renews_term(text, at) && NOTICE.is_match(said) && !OPTION.is_match(said)
}

/// True if the sentence of a notice is about a renewal that it prevents.
pub(super) fn prevents(text: &Text<'_>, notice: &Fact) -> bool {
    let sentence = text.flat.byte(notice.page, notice.char_start).map(|byte| text.sentence(byte));
    sentence.is_some_and(|sentence| NON_RENEWAL.is_match(&text.text()[sentence]))
}

/// The length of the renewal in a sentence that speaks of one.
fn renewal<'s>(said: &str, spans: &'s [Span]) -> Option<(i32, &'s Span)> {
    let mut best: Option<(i32, bool, &Span)> = None;
    for span in spans {
        let (before, after) = (&said[..span.range.start], &said[span.range.end..]);
        if span.unit == Unit::Day && span.count < 25 || is_notice(before, after) {
            continue;
        }
        let mut score = 0;
        score += 2 * i32::from(RENEWAL_BEFORE.is_match(before)) + i32::from(RENEWAL_AFTER.is_match(after));
        score += i32::from(said.contains("utomatic")) + i32::from(SUCCESSIVE.is_match(said));
        let is_first = before.to_lowercase().ends_with("initial ") || FIRST_TERM.is_match(after);
        score -= 2 * i32::from(is_first);
        let renewing = RENEWING.is_match(before);
        if score >= 3 && best.is_none_or(|(most, verb, _)| (score, renewing) > (most, verb)) {
            best = Some((score, renewing, span));
        }
    }
    best.map(|(score, _, span)| (score, span))
}

fn is_notice(before: &str, after: &str) -> bool {
    NOTICE_AFTER.is_match(after)
        && (contains_any(&last_chars(before, 30).to_lowercase(), &AT_LEAST)
            || after
                .to_lowercase()
                .trim_start_matches([')', '\'', 's', ' ', ','])
                .starts_with(['p', 'w', 'n', 'b', 'a']))
}

/// The evidence that a length is the notice that ends the term; `None` if it is not.
fn notice(said: &str, span: &Span, renews: bool, ends: bool, after_renewal: bool) -> Option<i32> {
    let (before, after) = (&said[..span.range.start], &said[span.range.end..]);
    let after_near = &after[..after.char_indices().nth(40).map_or(after.len(), |(at, _)| at)];
    let near = NOTICE_AFTER.is_match(after_near) && !CONDITION.is_match(after_near);
    let after_far = &after[..after.char_indices().nth(100).map_or(after.len(), |(at, _)| at)];
    let of_notice = NOTICE_BEFORE.is_match(before)
        || after_near.to_lowercase().contains("notice")
        || ends && after_far.to_lowercase().contains("notice");
    if !near || !of_notice {
        return None;
    }
    if OPTION.is_match(said) {
        return None;
    }
    let folded = said.to_lowercase();
    let end_of_term = END_OF_TERM.iter().filter(|words| folded.contains(*words)).count() as i32;
    let lead = before.to_lowercase();
    let lead = lead.trim_end_matches(['(', ' ']);
    let stated = BEFORE_NOTICE.iter().any(|words| lead.ends_with(words));
    let mut score =
        i32::from(stated) + i32::from(renews) * 2 + i32::from(ends) * 3 + i32::from(after_renewal) + end_of_term.min(2);
    score -= 2 * i32::from(OTHER_NOTICE.is_match(said));
    (score >= 3).then_some(score)
}
