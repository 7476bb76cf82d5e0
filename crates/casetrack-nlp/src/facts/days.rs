//! The day of an agreement and the day from which it is effective.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::opening::Opening;
use super::text::{Day, Text, pattern};
use super::{Fact, FactKind};

/// A day with the text that states it.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub iso: String,
    pub range: Range<usize>,
    confidence: u8,
}

#[derive(Debug, Default)]
pub(crate) struct Days {
    pub agreement: Option<Known>,
    pub effective: Option<Known>,
}

/// Before a day, and near it: it is of another document.
static OTHER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:that certain|certain (?:\w+ ){0,5}(?:agreement|contract|lease)|pursuant to (?:\w+ ){0,6}(?:agreement|act|rule)|amends|amended|under the (?:\w+ ){0,4}(?:agreement|contract|act)|the (?:[A-Z][a-z]+ ){1,4}Agreement,? (?:dated|made)|with an effective date of|rule [0-9])\b",
    )
});
/// Right before a day: it is effective from it.
static EFFECTIVE_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)\b(?:effective(?: date)?|effect)["']?\)?(?: date)?(?: of)?(?: is| shall be| will be)?(?: as of| on| from)?:?(?: the)?(?: [,:])?(?: this)? ?$"#,
    )
});
/// Right after a day: `(the "Effective Date")`.
static EFFECTIVE_AFTER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?i)^[ ,;]*(?:the )?\(?[^()]{0,60}["'](?:[\w .]+ )?effective date["']"#));
static EFFECTIVE_MEANS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)\beffective date (?:means|shall mean)\b|["']effective date["']?,? (?:of this agreement )?(?:means|shall mean|is|shall be|refers to|has the meaning)\b|\beffective date of (?:this|the) (?:\w+ ){1,3}(?:is|shall be|will be)\b|\beffective date ?:"#,
    )
});
/// The contract, or its term, begins.
static BEGINS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)\b(?:(?:this|the) (?:\w+ ){0,4}(?:agreement|contract|venture|amendment|franchise|license)|the (?:initial )?"?term"?(?: of (?:this|the) (?:\w+ ){0,3}(?:agreement|contract|franchise))?(?: \([^)]{0,40}\))?,? (?:shall|will|begins|commences|starts|to|is|period))\b[^.]{0,80}?\b(?:commences?|commencing|begins?|beginning|takes? effect|(?:is|be|become|becomes)(?: made)? effective|starts?)\b (?:on|as of|from|upon|with effect from|the|of|automatically|and|effective| )*"#,
    )
});
/// Words for the day on which an agreement is made, after "commences on".
static DATE_HEREOF: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:the )?(?:dates? hereof|date of (?:this|the) agreement|date (?:of (?:its |the )?)?(?:execution|signature|signing)|(?:signing|execution|signature) date|(?:day|date)(?: and year)? first (?:above )?(?:written|set forth|above)|execution\b|signatures? and seals?|signature|signing|date first|(?:later|latest|last)[^.;]{0,80}?(?:sign|execut)|(?:date|day)[^.;]{0,60}?(?:last|both|all)[^.;]{0,40}?(?:sign|execut))",
    )
});
/// Before a day on a cover: "Dated as of".
static DATED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:dated?(?: of (?:this )?agreement)?|made|executed|entered(?: into)?|effective|signed|this|as of)[ :]*(?:(?:as of|on|the|this|day of|as at|effective|is) ?)*$",
    )
});
/// "Date: "
static LABELLED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bdated? ?: ?$"));
static WITNESS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:witness whereof|evidence whereof|witness hereof|duly executed|have executed|caused this|hereunto set|signed and delivered|(?:executed|signed|sealed)\b[^.;]{0,160}? this)\b",
    )
});
/// Beside a day: somebody signs.
static SIGNS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)(?:/s/|\\s\\|\bby ?:|\bsignature\b|\bsigned\b|\bname ?:|\btitle ?:|\(date\))"));
/// Farthest from the end of a document that its signatures are, in bytes.
const SIGNATURES: usize = 12_000;
/// Farthest from the words before the signatures that their days are, and from a signature that its day is, in bytes.
const SIGNATURE_BLOCK: usize = 2500;
const BESIDE: usize = 160;
/// Longest text before the opening that is its cover.
const COVER: usize = 3000;

pub(crate) fn find(text: &Text<'_>, opening: &Opening) -> Days {
    let mut days = Days::default();
    let whole = text.text();
    let before = |day: &Day, reach: usize| -> &str {
        &whole[text.floor(day.range.start.saturating_sub(reach))..day.range.start]
    };
    let after = |day: &Day| -> &str { &whole[day.range.end..text.floor(day.range.end + 120)] };
    let known = |day: &Day, confidence| Some(Known { iso: day.iso.clone(), range: day.range.clone(), confidence });

    // In the opening: the first day before the parties, else after them.
    let until = text.sentence(opening.parties.end.saturating_sub(1)).end.max(opening.parties.end);
    let in_opening = text.days_in(opening.range.start..until);
    let own: Vec<&Day> = in_opening.iter().filter(|day| !is_other(text, day)).collect();
    let dated = |day: &&&Day| day.range.start < opening.parties.start || DATED.is_match(before(day, 40));
    if let Some(day) = own.iter().find(dated) {
        days.agreement = known(day, 95);
        if EFFECTIVE_BEFORE.is_match(before(day, 60)) || EFFECTIVE_AFTER.is_match(after(day)) {
            days.effective = known(day, 95);
        }
    }
    for day in &own {
        if days.effective.is_none()
            && (EFFECTIVE_BEFORE.is_match(before(day, 60)) || EFFECTIVE_AFTER.is_match(after(day)))
        {
            days.effective = known(day, 90);
        }
    }
    if days.agreement.is_none() {
        days.agreement = days.effective.clone();
    }
    // On the cover, or alone above the first sentence.
    if days.agreement.is_none() {
        let cover = if opening.parties.is_empty() { COVER } else { opening.range.start.min(COVER) };
        let cover = text.days_in(0..cover);
        // Far into a sentence, without an opening, it is of what the sentence speaks about.
        let far =
            |day: &Day| opening.parties.is_empty() && day.range.start - text.sentence(day.range.start).start > BESIDE;
        let own: Vec<&Day> = cover.iter().filter(|day| !is_other(text, day) && !far(day)).collect();
        let labelled = own.iter().find(|day| DATED.is_match(before(day, 40)));
        let alone = own.iter().find(|day| text.flat.begins_line(day.range.start) || heading_before(before(day, 60)));
        if let Some(day) = labelled.or(alone) {
            days.agreement = known(day, if labelled.is_some() { 85 } else { 75 });
            if days.effective.is_none() && EFFECTIVE_BEFORE.is_match(before(day, 60)) {
                days.effective = known(day, 85);
            }
        }
    }
    if days.effective.is_none() {
        days.effective = text
            .days
            .iter()
            .find(|day| EFFECTIVE_AFTER.is_match(after(day)) && !is_other(text, day))
            .and_then(|day| known(day, 90));
    }
    if days.agreement.is_none() {
        days.agreement = signed(text);
    }
    if days.effective.is_none() {
        days.effective = meant(text, days.agreement.as_ref());
    }
    // "made as of the Effective Date", which is defined further on
    let opened = &whole[opening.range.clone()];
    if days.agreement.is_none() && AS_OF_EFFECTIVE.is_match(opened) {
        days.agreement = days.effective.clone();
    }
    days
}

static AS_OF_EFFECTIVE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bas of the [\x22']?effective date\b"));

fn heading_before(before: &str) -> bool {
    before.split_whitespace().next_back().is_some_and(|word| word.len() > 3 && word.chars().all(|c| c.is_uppercase()))
}

/// Whether a day is the one of another document that is named right before it: "that certain Lease dated".
fn is_other(text: &Text<'_>, day: &Day) -> bool {
    let from = text.floor(day.range.start.saturating_sub(120));
    let before = &text.text()[from..day.range.start];
    let Some(head) = OTHER.find_iter(before).last() else { return false };
    let rest = &before[head.end()..];
    rest.len() <= 80 && !rest.contains('.') && text.days_in(from + head.end()..day.range.start).is_empty()
}

/// The last day beside the signatures: those after the words that introduce them, else those at the end.
fn signed(text: &Text<'_>) -> Option<Known> {
    let whole = text.text();
    let end = whole.len();
    let blocks =
        WITNESS.find_iter(whole).map(|cue| text.sentence(cue.start()).start..text.floor(cue.end() + SIGNATURE_BLOCK));
    let last = std::iter::once(text.floor(end.saturating_sub(SIGNATURES))..end);
    let days = blocks.chain(last).find_map(|block| {
        let signed = text.days_in(block).iter().filter(|day| is_signed(text, day));
        signed.max_by(|a, b| a.iso.cmp(&b.iso))
    });
    let day = days?;
    Some(Known { iso: day.iso.clone(), range: day.range.clone(), confidence: 70 })
}

fn is_signed(text: &Text<'_>, day: &Day) -> bool {
    let whole = text.text();
    let label = &whole[text.floor(day.range.start.saturating_sub(12))..day.range.start];
    let near = &whole[text.floor(day.range.start.saturating_sub(BESIDE))..text.floor(day.range.end + BESIDE / 2)];
    day.role.as_deref() == Some("signature date")
        || LABELLED.is_match(label)
        || WITNESS.is_match(&whole[text.sentence(day.range.start).start..day.range.start])
        || SIGNS.is_match(near) && !is_other(text, day)
}

/// `"Effective Date" means …`, "This Agreement commences on …".
fn meant(text: &Text<'_>, agreement: Option<&Known>) -> Option<Known> {
    let whole = text.text();
    for (rule, confidence) in [(&*EFFECTIVE_MEANS, 85), (&*BEGINS, 75)] {
        for found in rule.find_iter(whole) {
            let end = text.sentence(found.end().saturating_sub(1)).end.max(found.end());
            let rest = &whole[found.end()..end];
            if let (Some(agreement), Some(hereof)) = (agreement, DATE_HEREOF.find(rest.trim_start())) {
                let range = found.start()..found.end() + hereof.end();
                return Some(Known { iso: agreement.iso.clone(), range, confidence: confidence - 5 });
            }
            if let Some(day) = text.days_in(found.end()..text.floor(found.end() + 24).min(end)).first() {
                return Some(Known { iso: day.iso.clone(), range: day.range.clone(), confidence });
            }
        }
    }
    None
}

impl Days {
    pub fn facts(&self, text: &Text<'_>) -> Vec<Fact> {
        let fact = |kind, known: &Known| Fact::new(text, kind, &*known.iso, known.range.clone(), known.confidence);
        let agreement = self.agreement.as_ref().map(|known| fact(FactKind::AgreementDate, known));
        let effective = self.effective.as_ref().map(|known| fact(FactKind::EffectiveDate, known));
        agreement.into_iter().chain(effective).collect()
    }
}
