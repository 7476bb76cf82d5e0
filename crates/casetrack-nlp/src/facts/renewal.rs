//! Renewal of the term, and the notice that prevents it.

use std::sync::LazyLock;

use regex::Regex;

use super::text::{Span, Text, Unit, pattern, spans};
use super::{Fact, FactKind};

static RENEWS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:renew(?:s|ed|al|als|able)?|prolong(?:ed|s|ation)?|automatic(?:ally)? (?:be )?(?:extend(?:s|ed)?|continue[sd]?)|(?:shall|will)(?: be)? (?:automatically )?extend(?:ed)?|extended automatically|(?:continue|continuing|effective|extend|extended|thereafter)[^.]{0,60}?(?:successive|month[ -]to[ -]month|year[ -]to[ -]year|annual periods)|extensions?|additional (?:terms?|periods?)|successive (?:terms?|periods?|annual|one|two|1|2|12))\b",
    )
});
/// It is the contract that is renewed.
static OF_TERM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:agreement|contract|terms?|franchise|license|appointment|engagement|services|period|expiration|thereafter|anniversary)\b",
    )
});
static NOT_TERM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:patents?|trademark registrations?|domain names?|insurance|force majeure|lease term|warranty|registrations?|letters? of credit|visa|permits?|subscription|annual (?:general )?meeting)\b",
    )
});
/// Before the length of a renewal.
static RENEWAL_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:renew(?:s|ed|al|able)?|prolong(?:ed|s|ation)?|extend(?:s|ed)?|extensions?|additional|successive|subsequent|continue[sd]?|consecutive|further|successor|effective)\b[^.]{0,140}$",
    )
});
static RENEWAL_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[ -]*(?:\w+ )?(?:terms?|periods?|extensions?|increments?|renewals?|each|thereafter|intervals|basis|until|of|unless|,|\.|;|\()",
    )
});
static SUCCESSIVE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:successive|successively|subsequent|consecutive|successor|terms|periods|increments|extensions|intervals|month[ -]to[ -]month|year[ -]to[ -]year|each|any one|renewal terms|annual)\b",
    )
});
/// Near a length of notice.
static NOTICE_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[')]*(?:,? ?\(?[^.;]{0,12}?)?(?:'s?)? ?(?:prior|advance|written|before|notice|preceding|in advance|of the (?:conclusion|end|expiration)|or more|previous)",
    )
});
static NOTICE_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:notice|notif(?:y|ies|ied|ication)|advis(?:e|es|ed)|inform(?:s|ed)?|request(?:s|ed)?|written|elects?|intent(?:ion)?|at least|less than|not later than|no later than|upon|termination|terminated)\b[^.]{0,160}$",
    )
});
static NOTICE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:notice|notices|notif(?:y|ies|ied|ication)|advis(?:e|es|ed)|inform|in writing|intent(?:ion)?|cancel(?:led|lation)?|non-renewal|elects?)\b",
    )
});
/// Notice of another thing than that the term ends.
static OTHER_NOTICE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:breach|default|cure|bankrupt|insolven|non-?payment|price|prices|invoice|audit|assign|material)")
});
/// Notice renews the contract, and does not prevent it.
static OPTION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:may|option to|right to|elect to|entitled to) (?:renew|extend)\b[^.;]{0,160}?\b(?:by|upon|with|on) (?:giving|providing|delivering|written|prior|notice|notifying|at least|not less)",
    )
});
/// The contract goes on until somebody ends it.
static UNTIL_ENDED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:continue|remain|effect|force|term|month|year)[^.]{0,120}?(?:until|unless)[^.]{0,60}?(?:terminated|cancel+ed|terminates|party gives)[^.]{0,120}?(?:notice)\b",
    )
});
/// It goes on behind a first term, or has no end. Notice that ends a fixed term early is another.
static GOES_ON: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:thereafter|automatic(?:ally)?|month[ -]to[ -]month|year[ -]to[ -]year|evergreen|initial|renew\w*|successive|from year|until [^.;]{0,40}?(?:terminat|cancel)\w*)\b",
    )
});
/// It has an end, and may end before: "shall expire in three years, unless earlier terminated".
static EARLY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:unless|until)\b[^.;]{0,60}?\b(?:earlier|sooner|previously)\b[^.;]{0,30}?\b(?:terminat|cancel)")
});
/// Behind a length that is no notice, but what the notice prevents: "for one year unless written notice".
static CONDITION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^[)' ]*,? ?(?:unless|until|if|provided|and|or|except)\b"));
/// Notice before the end of the term.
static BEFORE_END: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:(?:expiration|end|expiry|conclusion) of (?:its|the|any|such|each)(?: \w+)? (?:\w+ )?term[^.]{0,100}?notice|(?:notice|notif(?:y|ies))[^.]{0,160}?(?:expiration|end|expiry|conclusion) of (?:its|the|any|such|each|this)(?: [\w-]+){0,3} (?:term|period|agreement))",
    )
});

pub(crate) fn find(text: &Text<'_>) -> Vec<Fact> {
    let whole = text.text();
    let (mut renewals, mut notices) = (Vec::new(), Vec::new());
    let mut near_renewal = 0usize;
    for sentence in &text.sentences {
        let said = &whole[sentence.clone()];
        let renews = RENEWS.is_match(said) && OF_TERM.is_match(said);
        let of_term = renews && !NOT_TERM.is_match(said);
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
    let best = |mut all: Vec<(i32, String, std::ops::Range<usize>)>, kind| {
        all.sort_by_key(|(score, _, range)| (std::cmp::Reverse(*score), range.start));
        let (score, value, range) = all.into_iter().next().filter(|(score, ..)| *score >= 3)?;
        Some(Fact::new(text, kind, value, range, (60 + 6 * score.min(6)) as u8))
    };
    let renewal = best(renewals, FactKind::RenewalTerm);
    let notice = best(notices, FactKind::NoticePeriod);
    renewal.into_iter().chain(notice).collect()
}

/// The length of the renewal in a sentence that speaks of one.
fn renewal<'s>(said: &str, spans: &'s [Span]) -> Option<(i32, &'s Span)> {
    let mut best: Option<(i32, &Span)> = None;
    for span in spans {
        let (before, after) = (&said[..span.range.start], &said[span.range.end..]);
        if span.unit == Unit::Day && span.count < 25 || is_notice(before, after) {
            continue;
        }
        let mut score = 0;
        score += 2 * i32::from(RENEWAL_BEFORE.is_match(before)) + i32::from(RENEWAL_AFTER.is_match(after));
        score += i32::from(said.contains("utomatic")) + i32::from(SUCCESSIVE.is_match(said));
        score -= i32::from(before.to_lowercase().ends_with("initial ")) * 2;
        if score >= 3 && best.is_none_or(|(most, _)| score > most) {
            best = Some((score, span));
        }
    }
    best
}

fn is_notice(before: &str, after: &str) -> bool {
    let near = &before[before.char_indices().rev().nth(30).map_or(0, |(at, _)| at)..].to_lowercase();
    NOTICE_AFTER.is_match(after)
        && (near.contains("least")
            || near.contains("less than")
            || near.contains("later than")
            || after
                .to_lowercase()
                .trim_start_matches([')', '\'', 's', ' ', ','])
                .starts_with(['p', 'w', 'n', 'b', 'a']))
}

/// How sure it is that a length is the notice that ends the term; `None` where it is not.
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
    let end_of_term = said.to_lowercase();
    let end_of_term = [
        "expiration",
        "end of",
        "expiry",
        "renew",
        "anniversary",
        "conclusion",
        "then-current",
        "extend",
        "then current",
    ]
    .iter()
    .filter(|word| end_of_term.contains(**word))
    .count() as i32;
    if OPTION.is_match(said) {
        return None;
    }
    let stated = before.to_lowercase();
    let stated = ["at least ", "less than ", "later than ", "minimum of ", "on ", "upon "]
        .iter()
        .any(|word| stated.trim_end_matches(['(', ' ']).ends_with(word.trim_end()));
    let mut score =
        i32::from(stated) + i32::from(renews) * 2 + i32::from(ends) * 3 + i32::from(after_renewal) + end_of_term.min(2);
    score -= 2 * i32::from(OTHER_NOTICE.is_match(said));
    (score >= 3).then_some(score)
}
