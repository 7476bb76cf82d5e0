//! When the term of a contract ends: a day that it states, or one computed from the length of the term.

use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;

use super::days::{Days, Known};
use super::text::{Span, Text, Unit, pattern, spans};
use super::{Fact, FactKind};
use crate::numbers::ordinal;
use crate::tokens::Tokens;

/// A sentence about the term of the contract at hand.
static OF_TERM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)\b(?:the|this|an?|initial|primary) (?:initial |basic |primary |original |franchise |license |agreement |contract |engagement |employment |subscription |services? |endorsement |sponsorship |distribution |consulting |appointment |marketing |program )?(?:term|duration|period)(?: and duration)?(?: (?:of|under|for|in) (?:the|this|these|effectiveness|cooperation|validity|performance)|(?: \([^)]{0,40}\))? (?:shall|will|is|begins|commences|starts|expires|ends))|\b(?:this|the|your) (?:[\w-]+ ){0,4}?(?:agreement|contract|oma|amendment|franchise|license|licence|joint venture|engagement|appointment|employment|sow)(?: (?:granted )?(?:hereunder|herein))?(?:,? (?:and|unless|except|subject|as)[^.]{0,160}?)? (?:(?:shall|will|is|may|becomes?|to|automatically|enters?|has|continues|remains|terminates|expires|commences|begins|takes|therefore|be|also|and|for) ?)+|["'](?:initial |contract )?(?:term|period)["']|\bterm hereof\b|["'](?:expiration|expiry|termination|end) date["']|\bcontract period\b|\bterm of (?:this )?agreement ?:|\bthis is an? [^.;]{1,30} (?:agreement|contract)\b|\b(?:agree to|for) an? [^.;]{1,30} term\b|\bit shall be effective\b|\b(?:engages?|retains?|appoints?|hires?|employs?)\b[^.;]{0,80}? for an? (?:initial )?(?:term|period) of\b|\bterms of this agreement\b|\b(?:term|duration) ?: |\bterm\b[.:-] |\bterm\b[^.;]{0,30} from\b|\b(?:(?:expir(?:ation|y)|termination|end) date|expiration|expiry)(?: of (?:this |the )?(?:agreement|contract))? ?: ?|\b(?:term|duration|period) of (?:the |this )?(?:[\w-]+'s? )?(?:engagement|employment|services?|appointment|retention)\b|\b(?:[A-Z][\w-]+'s?) (?:engagement|employment|appointment|retention)\b|\brights granted (?:in|under|by|to|hereunder)\b|\bthe appointment of [^.;]{1,60}? (?:shall|will|is)\b"#,
    )
});
/// Before "the term of this Agreement": the sentence is about what happens in it.
static DURING: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:during|throughout|beyond) $"));
static LASTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:perpetual|terms?|periods?|expir(?:e|es|ing|ation)|terminat(?:e|es|ing|ion date)|ends?|ending|continu(?:e|es|ing)|remain|endur(?:e|es|ing)|effect|effective|force|duration|valid(?:ity)?|anniversary|ceas(?:e|es)|(?:is|be|lasts?|runs?|extends?|agreement)(?: for)?(?: an?)?(?: period of)? [\w-]+(?: \([0-9]+\))?[ -](?:years?|months?))\b",
    )
});
/// Not about when the contract ends by itself.
static OTHER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:confidential(?:ity)? (?:information|obligations?)|proprietary information|in confidence|survive|warranty|warranties|lease term|non-compet|breach|default|notice of termination|insurance|royalt(?:y|ies) (?:payments|rate)|purchase orders?|upon (?:the )?(?:termination|expiration)|following (?:the )?(?:termination|expiration)|after (?:the )?(?:termination|expiration)|in the event|records|audit)\b",
    )
});
/// Before a day on which the term ends.
static UNTIL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)\b(?:expir(?:e|es|ing|y|ation date|ation ?:)|terminat(?:e|es|ing|ion date)|ends?|ending|until|through|to|up to|conclud(?:e[sd]?|ing)|ceas(?:e|es)|and including|till)["']?(?: and including| and including the|,? (?:unless|if not)\b[^,.;]{0,80},| at [^,.]{0,30}|,? (?:at )?[0-9]{1,2}(?::[0-9]{2})? ?[ap]\.?m\.?(?:,? [A-Z][a-z]+ time)?,?| on| as of| automatically| effective|,| the| midnight| noon| close of business| of| of business| and| including| upon| is| means| shall mean| shall be| earlier(?: to occur)? of| earliest(?: to occur)? of| first(?: to occur)? of| of (?:this |the )?(?:agreement|contract)| earlier| (?:\([a-z1]{1,3}\)))*[ (:]*$"#,
    )
});
/// "effective retroactively to": the day on which the term began.
static BACK: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:retroactive(?:ly)?|back|backdated) $"));
/// Before or behind a day on which the term begins.
static FROM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:commenc(?:e|es|ing)|begin(?:s|ning)?|start(?:s|ing)?|effective|from|of|after|following|as of|on)\b[^.]{0,30}$",
    )
});
/// A date by its name, after a length of time or after "commences on".
static ANCHOR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)\b(?:from|after|following|of|commenc(?:e|es|ing)(?: on| as of| from| with| upon)?|begin(?:s|ning)?(?: on| as of| from| with| upon)?|start(?:s|ing)?(?: on| from| upon)?|as of|upon|on|effective(?: on| as of)?|since)(?: and including| and after)? (?:the |its |this )?(?:such )??["']?((?-i:(?:[a-z]+ ){0,2}(?:[0-9]+ )?(?:[A-Z][A-Za-z/-]+ ){1,4}D(?:ate|ATE))|effective date(?: of this agreement)?|dates? hereof|(?:initial )?date of (?:(?:this|the|its|last|initial|both|all) ){0,2}(?:[\w'-]+ ){0,2}?(?:agreement|contract|amendment|execution|signatures?|signing)|date (?:(?:on which|that|when|it|this agreement) [^.;]{0,40}?)?(?:sign|execut)[a-z]*|execution(?: of this agreement)?|signing|signature|date of (?:its )?(?:coming|entry) into (?:force|effect)|(?:day|date)(?: and year)? (?:(?:set forth|written|stated|specified|indicated|shown|given|appearing) )?(?:first|above|below|in the (?:caption|heading|preamble|introduct\w+|first paragraph))[a-z ]*|initial date of execution|[a-z-]+ date|date)\b"#,
    )
});
static HEREOF: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)hereof|this|the agreement|execution|signature|\binto\b|\bsign|\bexecut|first|above|below|caption|heading|preamble|introduct|agreement date",
    )
});
static PERPETUAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:(?:indefinite|unlimited|undefined|undetermined|open-ended) (?:term|period|duration|time)|(?:term|duration|period)(?: (?:of this agreement|hereof))? (?:is|shall be|will be) (?:indefinite|unlimited|open-ended)|no (?:fixed|definite|set|specified) (?:term|period|duration|end date|expiration date)|without (?:limit|limitation) (?:in|of|as to) (?:period|time|term)|indefinitely|(?:in|for) perpetuity|perpetual(?:ly)? (?:term|unless|as long)",
        r"|effect perpetually|(?:term|duration|<contract>)s?(?: (?:of|granted) [a-z ]{1,40}?)? (?:is|shall be|will be) perpetual",
        r"|(?:continu(?:e|es|ing)|endures?|remains?|effect|force|effective|valid|ends?|lasts?|runs?)(?: in (?:full )?(?:force|effect)(?: and effect)?)?(?: to (?:apply|govern|bind)\b[^.;]{0,60}?)?(?: from [^.;]{0,40}?)?,?",
        r" ?(?:(?:unless(?: and)? |thereafter |or )?(?:until|when)|unless)",
        r"(?: it is| such time as| this agreement is| either| any| one| a| the| date| day| all| both| of the| of us| we| you| us| part(?:y|ies)| hereto| otherwise| earlier| on which| when",
        r"| sooner| it| they| mutually| is| are| has| have| been| duly| validly| shall| be)*",
        r" (?:terminat(?:ed|es?)|cancel+(?:ed|s)|(?:gives?|provides?|delivers?|serves?|receives?)(?: [a-z]+){0,4} (?:notice|termination))",
        r"|until the (?:termination|expiration or earlier termination|last date of expiration) of)\b",
    ))
});
/// "the third anniversary of".
static ANNIVERSARY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b((?:[a-z]+(?:-[a-z]+)?|[0-9]+ ?[a-z] ?[a-z]) (?:\([^)]{1,12}\) )?)(?:year )?anniversary(?: date)?(?: of|,? (?:hereof|thereof)) ?",
    )
});
/// "the end of the fifth year following".
static END_OF_YEAR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\bend of the ([a-z]+(?:-[a-z]+)?|[0-9]+ ?[a-z] ?[a-z]) (?:\([^)]{1,12}\) )?(?:full )?year (?:after|following|from)\b",
    )
});
static YEAR_END: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\buntil the end of the (?:then )?current calendar year\b"));
/// A length that is left blank.
static BLANK: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)(?:\[[ *.●_-]*\]|\*{2,}|_{3,})[^.]{0,24}?\b(?:years?|months?|days?)\b"));
/// Before a length of time that is the term.
static TERM_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:terms?|periods?|continu(?:e|es|ing)|remain|effect|force|expir(?:e|es|ing)|ends?|end|ending|terminat(?:e|es|ing)|duration|valid|is|be|for|lasts?|extends?|runs?)\b[^.;]{0,70}$",
    )
});
/// "Term. Three years from": nothing but a heading is before a length.
static BEGINS_SENTENCE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^(?:[^a-z]|term\b|duration\b)*(?:(?:for|a|an initial) ?)*$"));
/// Before a length of time that is something else.
static NOT_TERM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:renew(?:s|ed|al|able)?|successive|surviv\w+|beyond|extended|(?:may|to|automatically|can) extend|extend (?:this|the|its|such)|extensions?|additional|notice|at least|less than|prior|within|every|thereafter|subsequent)\b[^.;]{0,60}$",
    )
});
/// "Unless extended by the parties, the term is two years": the exception is no renewal.
static UNLESS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\bunless (?:(?:otherwise|earlier|sooner|mutually|it is|so) )*$"));
/// "payable upon two years' service"; not "effective upon signature and continues for two years".
static UPON: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bupon\b[^.;]{0,60}$"));
static GOES_ON: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:continu\w+|remain\w*|expir\w+|ends?|ending|terminat\w+|lasts?|effect|earlier|earliest)\b")
});
/// "remain in effect thereafter for a period of": the term, not what follows it.
static STAYS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:effect|effective|force|continues?|remains?|valid|binding),? $"));
/// "shall terminate thirty days after the date hereof": a term may be short where it is said so plainly.
static ENDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:expires?|terminates?|ends?)(?: automatically)?(?: on the (?:date|day) that is| at the end of)? $",
    )
});
static OF_DATE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[)\x22' ]*(?:from|after|following) (?:the |its )?(?:effective date|date hereof|date of (?:this|its)|execution|signature)",
    )
});
static NOTICE_AFTER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^[')]*(?:s? )?(?:'s?)? ?(?:prior|advance|written|before|notice|preceding)"));

/// A length counts from something that is no date of the contract.
static COUNTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)^[)\]"' ]*,? ?(?:from|after|following|commencing|beginning|starting) (?:on |upon |with |from |as of |and including )*(?:the |such |its |a |an )?[a-z]"#,
    )
});
/// "from such date", which the sentence has named before.
static FROM_SUCH: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^[^a-z]*(?:from|after|following) (?:such|that|said) (?:date|day)\b"));
/// "after which it shall renew"
static AND_THEN: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^[^a-z]*(?:after|following) (?:which|that|such)\b"));
/// "the day before the fifth anniversary"
static DAY_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:day|date) (?:that is )?(?:immediately )?(?:before|preceding|prior to) (?:the )?$")
});
/// The end depends on another event.
static LATER_OF: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:later|latest|longer|greater)(?: to occur)? of\b"));
/// A day that is only expected.
static EXPECTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:about|approximately|anticipate[sd]?|estimated?|expect(?:s|ed)?|target(?:ed)?)\b[^.;]{0,60}$")
});
static CONTINUES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:continu(?:e|es|ing)|remain|commenc(?:e|es|ing)|effect|begin(?:s|ning)?|start(?:s|ing)?|expir(?:es?|ing)|terminat(?:es?|ing)|end(?:s|ing)?)\b[^.;]{0,60}$",
    )
});

/// A heading that the next sentence stands under.
static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:[^a-z]|article\b|section\b|[ivx]+\b)*(?:initial |contract )?(?:term|duration|period|expiration)(?: (?:of|and) (?:(?:the|this) )?(?:agreement|contract|term|duration|termination|renewals?|expiration))*[^a-z]*$",
    )
});
/// "Three (3) years from", "Until": a sentence that needs its heading.
static UNDER_HEADING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^[^a-z0-9]*(?:(?:from|for|until|through|commencing|beginning|starting|perpetual|indefinite|the (?:initial|first)|an? (?:initial|period|term)",
        r"|one|two|three|four|five|six|seven|eight|nine|ten|twelve)\b|[0-9]+ |[a-z-]+ \([0-9]+\))",
    ))
});
/// A day right behind another: "July 1, 2004 - June 30, 2007".
static RANGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^ ?-+ ?$"));

/// "upon the following notice: 60 days for storage and 180 days for transport"
static OF_NOTICE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bnotice\b"));
static NOTICE_OF_END: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:until|unless)\b[^.;]{0,60}? notice of termination\b"));

struct Found {
    score: i32,
    value: String,
    computed: Option<String>,
    range: Range<usize>,
    begins: Begins,
}

/// The day from which the term runs, where its sentence states it.
type Begins = Option<(String, Range<usize>)>;

/// When the term ends, and the day from which it runs.
pub(crate) fn find(text: &Text<'_>, days: &Days) -> Option<(Fact, Begins)> {
    let whole = text.text();
    let mut best: Option<Found> = None;
    let mut under_heading = false;
    for sentence in &text.sentences {
        let said = &whole[sentence.clone()];
        let heading = std::mem::replace(&mut under_heading, HEADING.is_match(said));
        let during = |about: &regex::Match<'_>| DURING.is_match(&said[..about.start()]);
        let about = OF_TERM.find_iter(said).find(|about| !during(about)).map(|about| about.start());
        let Some(about) = about.or((heading && UNDER_HEADING.is_match(said)).then_some(0)) else { continue };
        if !heading && !LASTS.is_match(said) {
            continue;
        }
        let mut score = 4;
        let folded = said.to_lowercase();
        score +=
            i32::from(folded.contains("term of th") || folded.contains("initial term") || folded.contains("\"term\""));
        score += i32::from(
            folded.contains("shall commence")
                || folded.contains("will commence")
                || folded.contains("shall begin")
                || folded.contains("effective date"),
        );
        score -= 3 * i32::from(OTHER.is_match(said));
        score -= i32::from(about > 200);
        for found in
            [stated(text, sentence), computed(text, sentence, days), perpetual(sentence, said)].into_iter().flatten()
        {
            // "until a party gives notice of termination" is about the end of the term
            let own = i32::from(found.value == "perpetual" && NOTICE_OF_END.is_match(said));
            let found = Found { score: score + found.score + 3 * own, ..found };
            if best.as_ref().is_none_or(|best| found.score > best.score) {
                best = Some(found);
            }
        }
    }
    let Found { score, value, computed, range, begins } =
        best.filter(|best| best.score >= 4 && !best.value.is_empty())?;
    let fact = Fact::new(text, FactKind::Expiry, value, range, (55 + 5 * score.min(8)) as u8);
    Some((Fact { computed, ..fact }, begins))
}

/// A day on which the term ends.
fn stated(text: &Text<'_>, sentence: &Range<usize>) -> Option<Found> {
    let whole = text.text();
    for day in text.days_in(sentence.clone()) {
        let before = &whole[sentence.start..day.range.start];
        let near = &before[before.char_indices().rev().nth(80).map_or(0, |(at, _)| at)..];
        let behind = text.days_in(sentence.start..day.range.start).last();
        if behind.is_some_and(|first| {
            first.range.end < day.range.start && RANGE.is_match(&whole[first.range.end..day.range.start])
        }) {
            let begins = behind.map(|first| (first.iso.clone(), first.range.clone()));
            let (value, range) = (day.iso.clone(), day.range.clone());
            return Some(Found { score: 4, value, computed: None, range, begins });
        }
        if let Some(until) = UNTIL.find(near) {
            // "from A to B" needs its beginning
            let to = until.as_str().to_lowercase().starts_with("to");
            let from = sentence.start + before.len() - near.len() + until.start();
            let behind_day = text
                .days_in(sentence.start..from)
                .last()
                .is_some_and(|first| from.saturating_sub(first.range.end) <= 2);
            let ahead = &before[..before.len() - (near.len() - until.start())];
            if to && (BACK.is_match(ahead) || !behind_day && !FROM.is_match(ahead)) {
                continue;
            }
            let begins = behind.filter(|first| behind_day || FROM.is_match(&whole[sentence.start..first.range.start]));
            let begins = begins.map(|first| (first.iso.clone(), first.range.clone()));
            let (value, range) = (day.iso.clone(), day.range.clone());
            return Some(Found { score: 4, value, computed: None, range, begins });
        }
    }
    None
}

fn perpetual(sentence: &Range<usize>, said: &str) -> Option<Found> {
    let found = PERPETUAL.find(said)?;
    let range = sentence.start + found.start()..sentence.start + found.end();
    // "indefinitely" is plainer than a condition on which it ends
    let score = if found.as_str().to_lowercase().contains("indefinite") { 3 } else { 1 };
    Some(Found { score, value: "perpetual".to_owned(), computed: None, range, begins: None })
}

/// The beginning of the term as the sentence names it.
enum Start {
    Known(Known),
    Day(String, Range<usize>),
    /// It names a date that the document does not give.
    Unknown,
}

fn computed(text: &Text<'_>, sentence: &Range<usize>, days: &Days) -> Option<Found> {
    let said = &text.text()[sentence.clone()];
    let none =
        |range: Range<usize>| Some(Found { score: 2, value: String::new(), computed: None, range, begins: None });
    if YEAR_END.is_match(said)
        && let Some(known) = days.effective.as_ref().or(days.agreement.as_ref())
        && let Some(year) = known.iso.get(..4)
    {
        let computed = format!(
            "end of {year}, the calendar year of {} (p. {})",
            known.iso,
            text.flat.place(known.range.clone()).0
        );
        return Some(Found {
            score: 2,
            value: format!("{year}-12-31"),
            computed: Some(computed),
            range: sentence.clone(),
            begins: None,
        });
    }
    let (span, what) = length(said)?;
    let place = sentence.start + span.range.start..sentence.start + span.range.end;
    if BLANK.find(said).is_some_and(|blank| blank.start() < span.range.start) {
        return none(place);
    }
    if LATER_OF.is_match(&said[..span.range.start]) {
        return none(place);
    }
    let (iso, range, begins) = match start(text, sentence, &span, days) {
        Start::Known(known) => (known.iso, known.range, None),
        Start::Day(iso, range) => (iso.clone(), range.clone(), Some((iso, range))),
        Start::Unknown => return none(place),
    };
    let day: Date = iso.parse().ok()?;
    let mut end = day.checked_add(span.length()).ok()?;
    let mut computed = format!("{} from {iso} (p. {})", span.text(), text.flat.place(range).0);
    if DAY_BEFORE.is_match(&said[..span.range.start]) {
        end = end.yesterday().ok()?;
        computed.push_str(", less a day");
    }
    Some(Found { score: 2 + what, value: end.to_string(), computed: Some(computed), range: place, begins })
}

/// The length of the term, and how clear it is.
fn length(said: &str) -> Option<(Span, i32)> {
    if let Some(found) = ANNIVERSARY.captures(said).or_else(|| END_OF_YEAR.captures(said))
        && let Some(word) = found.get(1)
    {
        let joined: String = word.as_str().split(' ').filter(|part| !part.starts_with('(')).collect();
        let tokens = Tokens::new(&joined);
        if let Some((count, _)) = ordinal(&tokens, 0) {
            let all = found.get(0)?;
            // What the years count from begins with the last word of the end of a year.
            let joint =
                if all.as_str().contains("nniversary") { 0 } else { all.as_str().rsplit([' ', '\n']).next()?.len() };
            let range = all.start()..all.end() - joint;
            return Some((Span { range, count: count as i32, unit: Unit::Year, business: false }, 1));
        }
    }
    for span in spans(said) {
        let (before, after) = (&said[..span.range.start], &said[span.range.end..]);
        let behind = [
            "thereafter",
            "after the term",
            "after the expir",
            "after expir",
            "after term",
            "following the term",
            "following term",
            "following exp",
        ];
        let is_behind = behind.iter().any(|word| after.trim_start().starts_with(word)) && !CONTINUES.is_match(before);
        // "month to month" follows the term
        let follows = said[span.range.clone()].contains("to");
        if follows
            || span.unit == Unit::Day && span.count < 60 && !(ENDS.is_match(before) && OF_DATE.is_match(after))
            || NOTICE_AFTER.is_match(after)
            || span.unit == Unit::Day && OF_NOTICE.is_match(before)
            || span.business
            || is_behind
        {
            continue;
        }
        let near = &before[before.char_indices().rev().nth(90).map_or(0, |(at, _)| at)..];
        let folded = near.to_lowercase();
        let upon = UPON.find(near).is_some_and(|upon| {
            !GOES_ON.is_match(upon.as_str()) && !near[..upon.start()].trim_end().ends_with("binding")
        });
        let other = NOT_TERM.find(near).is_some_and(|other| {
            let before = &near[..other.start()];
            !(other.as_str().starts_with("thereafter") && STAYS.is_match(before) || UNLESS.is_match(before))
        });
        if (upon || other)
            && !folded.trim_end().ends_with("initial")
            && !folded.contains("initial term of")
            && !folded.contains("initial period of")
        {
            continue;
        }
        if TERM_BEFORE.is_match(near)
            || BEGINS_SENTENCE.is_match(before)
            || after.trim_start_matches(['-', ' ']).starts_with("term")
        {
            return Some((span, 1));
        }
    }
    None
}

fn start(text: &Text<'_>, sentence: &Range<usize>, span: &Span, days: &Days) -> Start {
    let said = &text.text()[sentence.clone()];
    let either = || days.effective.clone().or_else(|| days.agreement.clone()).map_or(Start::Unknown, Start::Known);
    let agreement = || days.agreement.clone().or_else(|| days.effective.clone()).map_or(Start::Unknown, Start::Known);
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
    let such = |name: &String| matches!(name.to_lowercase().as_str(), "such date" | "that date" | "said date");
    let close = at_anniversary.or(after).and_then(name).filter(|name| !such(name));
    if said[span.range.clone()].trim_end().ends_with(" hereof") {
        return agreement();
    }
    let rest = &said[span.range.end.min(said.len())..];
    if close.is_none() && COUNTS.is_match(rest) && !AND_THEN.is_match(rest) && !FROM_SUCH.is_match(rest) {
        return Start::Unknown;
    }
    let Some(anchor) = close.or_else(|| ANCHOR.captures(said).and_then(name)) else {
        return either();
    };
    let folded = anchor.to_lowercase();
    if folded.starts_with("effective date") {
        return either();
    }
    if folded.ends_with(" date")
        && folded != "execution date"
        && folded != "agreement date"
        && folded != "contract date"
        && folded != "signature date"
        && folded != "above date"
    {
        let role = folded.trim_start_matches("the ").to_owned();
        let day = text.days.iter().find(|day| {
            let before = &text.text()[text.floor(day.range.start.saturating_sub(80))..day.range.start];
            // an amount left out between the name and the day: the day is in the next row of a table
            day.role.as_deref() == Some(role.as_str()) && !EXPECTED.is_match(before) && !before.contains("**")
        });
        return day.map_or(Start::Unknown, |day| Start::Day(day.iso.clone(), day.range.clone()));
    }
    if HEREOF.is_match(&folded) { agreement() } else { Start::Unknown }
}
