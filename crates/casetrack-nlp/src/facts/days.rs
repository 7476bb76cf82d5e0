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
        r"(?i)\b(?:that certain|certain (?:\w+ ){0,5}(?:agreement|contract|lease)|pursuant to (?:\w+ ){0,6}(?:agreements?|act|rule)|(?:to|under|into|of|had|have|prior|through) an? (?:[\w-]+ ){0,4}(?:agreement|contract|lease)s?,? (?:dated|made|entered|effective)|amends|amended|under the (?:\w+ ){0,4}(?:agreement|contract|act)|the (?:[A-Z][a-z]+ ){1,4}Agreements?,? (?:dated|made)|the (?:[A-Z][\w/-]+ ){0,3}(?:Schedule|Report|Statement|Form)|(?:agreement|contract|lease),? with an effective date of|rule [0-9])\b",
    )
});
/// Right before a day: it is effective from it.
static EFFECTIVE_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)\b(?:effective(?: date)?|effect)["']?\)?(?: date)?(?: of(?: this \w+)?)?(?: is| shall be| will be)?(?: retroactive(?:ly)?)?(?: to)?(?: as of| on| from)?(?: the date(?: of)?)?[:,]?(?: the)?(?: [,:])?(?: this)? ?\(?$"#,
    )
});
/// Right after a day: `(the "Effective Date")`.
static EFFECTIVE_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r#"(?i)^[ ,;]*(?:(?:the )?(?:\([^()]{0,60}\) ?)?\(?[^()]{0,60}["'] ?(?:[\w .]+ )?effective date(?: of (?:this|the) \w+)?,? ?["']"#,
        r"|(?:\([^()]{0,60}\) ?)?\([^()]{0,60}?effective ?-? ?date\b[^()]{0,30}\)|(?:being )?the effective date ?,",
        r"|which (?:date )?(?:is|shall be|will be) (?:deemed )?(?:to be )?the effective date",
        r"|and (?:is |shall be |will be |becomes? |made )?effective (?:on |as of |from )?(?:the same|that|such|said) (?:date|day))",
    ))
});
static EFFECTIVE_MEANS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r#"(?i)\beffective date(?: of (?:this|the) (?:\w+ ){0,2}\w+| hereof)?["']? (?:means|shall mean|will mean|is|shall be|will be)(?: defined as)?\b"#,
        r#"|["']effective date["'],? (?:of this agreement )?(?:means|(?:shall |will )?mean|is|shall be|will be|refers to|(?:has|shall have) the (?:same )?meaning)(?: defined as)?\b"#,
        r#"|\beffective date(?: of (?:this|the) (?:\w+ ){0,2}\w+| hereof)?(?: \([^()]{0,40}\))?["']? ?(?::|- |\. )"#,
        r"|\beffective date ",
    ))
});
static COMMENCEMENT_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"(?i)^[ ,;]*\(?[^()]{0,40}["'](?:term |agreement )?(?:commencement|start|starting) date["']"#)
});
/// `"Commencement Date" means`, where nothing else says when the contract begins.
static COMMENCEMENT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)["']?\b(?:commencement|start|starting) date["']?(?: of (?:this|the) (?:\w+ ){0,2}\w+| hereof)?["']? ?(?:(?:means|shall mean|is|shall be|will be)\b|:)"#,
    )
});
/// The contract, or its term, begins.
static BEGINS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:(?:(?:this|the) (?:[\w-]+ ){0,4}(?:agreement|contract|venture|franchise|license)|this (?:[\w-]+ ){0,4}(?:amendment|addendum|lease|letter))\b[^.]{0,80}?",
        r#"|the (?:initial )?["']?term["']?(?: (?:of (?:this|the) (?:\w+ ){0,3}(?:agreement|contract|franchise)|hereof))?(?: \([^)]{0,40}\))?,?(?: (?:shall|will|to|is|period|runs)\b[^.]{0,80}?)? ?)"#,
        r"\b(?:commences?|commenc(?:ing|ed)|begins?|beginning|takes? effect|(?:taken|has|have) (?:retroactive )?effect|with effect|(?:comes?|enters?|goe?s?) into (?:full )?(?:force|effect)(?: and effect)?",
        r"|(?:is|be|becomes?|deemed|considered|construed|made|binding)(?: (?:made|as|to be|and|binding|legally|fully|in|full force and)){0,4} (?:effective|effect|retroactive)|starts?|runs?)\b",
        r" (?:(?:on|as of|from|upon|with effect from|with|the|of|automatically|and|after|effective|retroactively|in|force|to|beginning|at|midnight|binding|legally)\b ?|[0-9:]+ ?[ap]\.?m\.?,? ?)*",
    ))
});
/// "The term is two years from": the day from which a length counts.
static COUNTS_FROM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)\b(?:this (?:[\w-]+ ){0,2}(?:agreement|contract)|the (?:initial )?["']?term["']?(?: (?:of (?:this|the) (?:\w+ ){0,3}(?:agreement|contract|franchise)|hereof))?(?: \([^)]{0,40}\))?,?) (?:shall|will|is|has|continues|remains|runs)\b[^.;]{0,60}?(?:\b(?:years?|months?),?|effect|force|period|be|runs?|is) from (?:and after )?|\b(?:term|duration|period)(?: of \w+)? ?:? from "#,
    )
});
/// Before "this Agreement is effective": something else is.
static NOT_BEGUN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:terminat\w+|amend\w*|modif\w+|assign\w+|waivers?|chang\w+|notices?|expir\w+|supplements?|cancel\w+|transfer\w*|withdraw\w+|breach)\b[^.;]{0,60}$",
    )
});
/// "Unless sooner terminated, this Agreement": only an exception comes first.
static UNLESS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)(?:^|[^a-z] ?)(?:unless|until|if not|subject to|except as)\b[^.;]{0,40}$"));
/// "The Lease Agreement dated April 1, 2003": another contract begins.
static DATED_BEFORE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?i:the) (?:[\w-]+ ){0,5}\(?dated\b"));
static ENDS: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:through|until|till|to|expires?|ends?)\b"));
/// Words for the day on which an agreement is made, after "commences on".
static DATE_HEREOF: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:only )?(?:the )?(?:dates? hereof|(?:signing|execution|signature|agreement|contract) date\b",
        r"|date of (?:this|the) (?:\w+ ){0,2}(?:agreement|contract|amendment|lease|license)\b",
        r"|date (?:of )?(?:(?:its|the|this|their|both|all|last|final|latest|mutual|full|due|complete) ){0,3}(?:execution|signatures?|signing)\b",
        r"|(?:day|date)(?: and year)?,? (?:first|last|set forth|above|below|written|shown|stated|signed|executed|indicated)\b",
        r"|(?:(?:its|due|mutual|full|their|the|complete|both|all|last) )*(?:execution|signatures?|signing)\b|date first|being (?:signed|executed)",
        r"|(?:later|latest|last)[^.;]{0,80}?(?:sign|execut|set forth|below)|(?:date|day|time)[^.;]{0,60}?(?:last|both|all|each|agreement|it is)[^.;]{0,40}?(?:sign|execut)",
        r"|(?:(?:set forth|given|stated|specified|ascribed to it|assigned to it|provided) )?in the (?:preamble|introduct|opening|first paragraph|heading)|(?:when|once|after|as soon as) [^.;]{0,60}?(?:sign(?:ed|s)|execut(?:ed|es)))",
    ))
});
/// In an opening: `as of the date of the last signature (the "Effective Date")`, "effective upon execution".
static SIGNED_OPENING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:as of|on|upon|effective)(?: (?:as of|on|upon|from|when))? the (?:later|latest|last|date)\b[^.;()]{0,60}?(?:sign|execut|written|set forth|below)[^.;()]{0,60}\(?(?:the )?[\x22']effective date[\x22']",
        r"|\beffective (?:as of |on |upon |from )?(?:the )?(?:(?:later|latest|last|date)\b[^.;()]{0,60}?(?:sign|execut)|execution|signature)",
        r"|\beffective (?:when|once|upon being|as soon as (?:it is )?) ?(?:fully |duly )?(?:signed|executed) by\b(?: (?:both|all|each))?",
    ))
});
/// Before a day on a cover: "Dated as of".
static DATED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:dated?(?: of (?:(?:this|the) )?(?:agreement|contract|signing|signature|execution))?|made|executed|entered(?: into)?|effective|signed|this|as of)[ :]*(?:(?:as of|on|the|this|day of|as at|effective|is) ?)*$",
    )
});
/// Before a day on which an agreement is made, whenever it is effective.
static MADE_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:dated|made|executed|entered into|signed)(?: and (?:entered into|made|effective|executed))?(?: as)?(?: of| on)?(?: the| this)? ?$",
    )
});
/// Right behind the parties: ", on this 3rd day of".
static ON_DAY: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)[,)] (?:as of|on)(?: the| this)? ?$"));
/// "Date: "
static LABELLED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bdated? ?: ?$"));
/// "Delivery Date: "
static OTHER_LABEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:effective|expir\w+|commencement|termination|delivery|start|end|closing|due|renewal) date ?: ?$")
});
static WITNESS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:witness whereof|evidence whereof|witness hereof|duly executed|have executed|caused this|hereunto set|signed and delivered|(?:executed|signed|sealed)\b[^.;]{0,160}? this)\b",
    )
});
/// Beside a day: somebody signs.
static SIGNS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)(?:/s/|\\s\\|\bby ?:|\bsignature\b|\bsigned\b|\bname ?:|\btitle ?:|\(date\))"));
/// Where somebody signs right behind the opening.
static SIGNATURE: LazyLock<Regex> = LazyLock::new(|| pattern(r"/s/|\bBy ?:"));
/// "Geneva, " alone before a day.
static SIGNED_AT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:^|\n|[.:] )[A-Z][A-Za-z/. -]{1,40}, (?:the |this |on )?$"));
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
    let until = SIGNATURE.find(&whole[opening.parties.end..until]).map_or(until, |by| opening.parties.end + by.start());
    let in_opening = text.days_in(opening.range.start..until);
    let own: Vec<&Day> = in_opening.iter().filter(|day| !is_other(text, day)).collect();
    let dated = |day: &&&Day| {
        day.range.start < opening.parties.start || DATED.is_match(before(day, 40)) || ON_DAY.is_match(before(day, 20))
    };
    // "effective as of June 1 and signed on May 3"
    let only_effective =
        |day: &&&Day| EFFECTIVE_BEFORE.is_match(before(day, 60)) && !MADE_BEFORE.is_match(before(day, 60));
    let first = own.iter().find(dated);
    let made = first.and_then(|first| {
        let sentence = text.sentence(first.range.start);
        own.iter().find(|day| sentence.contains(&day.range.start) && MADE_BEFORE.is_match(before(day, 40)))
    });
    if let Some(day) = first.filter(|first| !only_effective(first)).or(made).or(first) {
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
    if days.effective.is_none() {
        let begins = own.iter().find(|day| COMMENCEMENT_AFTER.is_match(after(day)));
        days.effective = begins.and_then(|day| known(day, 80));
    }
    if days.agreement.is_none() {
        days.agreement = days.effective.clone();
    }
    // On the cover, or alone above the first sentence.
    if days.agreement.is_none() {
        let cover = text.floor(if opening.parties.is_empty() { COVER } else { opening.range.start.min(COVER) });
        let cover = text.days_in(0..SIGNATURE.find(&whole[..cover]).map_or(cover, |by| by.start()));
        // Far into a sentence, without an opening, it is of what the sentence speaks about.
        let far =
            |day: &Day| opening.parties.is_empty() && day.range.start - text.sentence(day.range.start).start > BESIDE;
        let own: Vec<&Day> = cover.iter().filter(|day| !is_other(text, day) && !far(day)).collect();
        let labelled = own.iter().find(|day| DATED.is_match(before(day, 40)));
        let alone = own.iter().find(|day| {
            text.flat.begins_line(day.range.start)
                || heading_before(before(day, 60))
                || SIGNED_AT.is_match(before(day, 60))
        });
        if let Some(day) = labelled.or(alone) {
            days.agreement = known(day, if labelled.is_some() { 85 } else { 75 });
            if days.effective.is_none() && EFFECTIVE_BEFORE.is_match(before(day, 60)) {
                days.effective = known(day, 85);
            }
        }
    }
    // "Effective as of June 1, 2004", above an opening with another day
    if days.effective.is_none() {
        let cover = text.days_in(0..opening.range.start.min(COVER));
        let labelled = |day: &&Day| EFFECTIVE_BEFORE.is_match(before(day, 60)) && !is_other(text, day);
        days.effective = cover.iter().find(labelled).and_then(|day| known(day, 85));
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
    // "have executed this Agreement effective as of"
    if days.effective.is_none() {
        let witnessed = |day: &&Day| {
            EFFECTIVE_BEFORE.is_match(before(day, 60))
                && WITNESS.is_match(&whole[text.sentence(day.range.start).start..day.range.start])
                && !is_other(text, day)
        };
        days.effective = text.days.iter().rfind(witnessed).and_then(|day| known(day, 80));
    }
    if days.effective.is_none()
        && let Some(said) = SIGNED_OPENING.find(&whole[opening.range.clone()])
    {
        days.effective = when_signed(text, said.as_str(), days.agreement.as_ref());
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

/// The contract speaks of its Effective Date.
static SPEAKS_OF: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:[Tt]he|THE|such|said) (?:Effective Date|EFFECTIVE DATE)\b"));
/// The Effective Date is when something happens: the closing, an approval.
static HAPPENS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r#"(?i)\beffective date["']?,? (?:of this agreement )?(?:means|(?:shall |will )?mean|is defined as|is|shall be|will be|shall occur)"#,
        r"(?: on)? (?:the |that |an? )?(?:later|earlier|closing|completion|first|date (?:on|when|that|upon|of (?:the )?(?:closing|approval|completion|delivery|filing))|day (?:on|when|that)|approval|consummation|[A-Z][a-z]+ Date)\b",
    ))
});
/// How often a contract without a stated Effective Date must speak of it, at least.
const SPOKEN: usize = 2;

fn heading_before(before: &str) -> bool {
    before.split_whitespace().next_back().is_some_and(|word| word.len() > 3 && word.chars().all(|c| c.is_uppercase()))
}

/// "This Amended and Restated Agreement" is the one at hand.
static RESTATED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?i:amended) (?i:and) (?i:restated)\b"));
static RESTATED_AS_OF: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)^amended and restated(?: in its entirety)?,? (?:effective )?(?:as of|on) (?:the )?$")
});
/// "originally made as of May 3, 2001": the contract at hand has a later day.
static ORIGINALLY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:originally|previously|initially|first) (?:made|dated|entered|executed|effective)[^.;,]{0,40}$")
});
static THIS: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bthis (?:[\w-]+ ){0,3}$"));

/// Most days of a list that are followed to the first.
const LISTED: usize = 12;
/// Between the days of a list: "dated May 3, 2004, May 5, 2005 and May 7, 2006".
static NEXT_DAY: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:,|,? and) $"));

/// Whether a day is the one of another document that is named right before it, or before the days of a list: "that certain Lease dated".
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
    let from = text.floor(day.range.start.saturating_sub(120));
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

/// The last day beside the signatures: those after the words that introduce them, else those at the end.
fn signed(text: &Text<'_>) -> Option<Known> {
    let whole = text.text();
    let end = whole.len();
    let blocks =
        WITNESS.find_iter(whole).map(|cue| text.sentence(cue.start()).start..text.floor(cue.end() + SIGNATURE_BLOCK));
    let last = std::iter::once(text.floor(end.saturating_sub(SIGNATURES).max(end / 2))..end);
    let days = blocks.chain(last).find_map(|block| {
        let signed = text.days_in(block).iter().filter(|day| is_signed(text, day));
        signed.max_by(|a, b| a.iso.cmp(&b.iso))
    });
    let day = days?;
    Some(Known { iso: day.iso.clone(), range: day.range.clone(), confidence: 70 })
}

/// All have signed: "the date of the last signature", "executed by both parties".
static ALL_SIGN: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:last|later|latest|final|both|all|each)\b"));

/// The day of what is said of signing: that beside the last signature where it speaks of all, else that of the agreement.
fn when_signed(text: &Text<'_>, said: &str, agreement: Option<&Known>) -> Option<Known> {
    let last = ALL_SIGN.is_match(said).then(|| signed(text)).flatten();
    last.or_else(|| agreement.cloned())
}

fn is_signed(text: &Text<'_>, day: &Day) -> bool {
    let whole = text.text();
    let label = &whole[text.floor(day.range.start.saturating_sub(24))..day.range.start];
    if OTHER_LABEL.is_match(label) {
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
fn meant(text: &Text<'_>, agreement: Option<&Known>) -> Option<Known> {
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
                && let Some(known) = when_signed(text, hereof.as_str(), agreement)
            {
                let range = found.start()..found.end() + hereof.end();
                return Some(Known { iso: known.iso, range, confidence: confidence - 5 });
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
                return Some(Known { iso: day.iso.clone(), range: day.range.clone(), confidence });
            }
        }
    }
    None
}

impl Days {
    /// Takes the day from which the term runs where nothing else says when the contract begins.
    pub fn begin(&mut self, begins: Option<(String, Range<usize>)>) {
        if self.effective.is_none() {
            self.effective = begins.map(|(iso, range)| Known { iso, range, confidence: 60 });
        }
    }

    /// A contract that speaks of its Effective Date and does not say which day that is takes effect on its own day.
    pub fn settle(&mut self, text: &Text<'_>) {
        let whole = text.text();
        if self.effective.is_none()
            && SPEAKS_OF.find_iter(whole).take(SPOKEN).count() == SPOKEN
            && !HAPPENS.is_match(whole)
        {
            self.effective = self.agreement.clone().map(|known| Known { confidence: 55, ..known });
        }
    }

    pub fn facts(&self, text: &Text<'_>) -> Vec<Fact> {
        let fact = |kind, known: &Known| Fact::new(text, kind, &*known.iso, known.range.clone(), known.confidence);
        let agreement = self.agreement.as_ref().map(|known| fact(FactKind::AgreementDate, known));
        let effective = self.effective.as_ref().map(|known| fact(FactKind::EffectiveDate, known));
        agreement.into_iter().chain(effective).collect()
    }
}
