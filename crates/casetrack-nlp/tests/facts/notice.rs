//! Ends of terms in further wordings, and the last day for the notice that prevents a renewal. The opening is of May 3, 2004.

use casetrack_core::Cancel;
use casetrack_nlp::{FactKind, Obligation, annotate, obligations};

use super::{NoNames, OPENING, facts_of, values};

fn contract(term: &str) -> String {
    format!("{OPENING}2. Term. {term}\n\n3. Law. The laws of the State of Ohio apply.\n")
}

/// Expiry, renewal and notice.
fn term(said: &str) -> [String; 3] {
    let found = facts_of(&[&contract(said)]);
    [FactKind::Expiry, FactKind::RenewalTerm, FactKind::NoticePeriod].map(|kind| values(&found, kind))
}

fn check(cases: &[(&str, [&str; 3])]) {
    let found = cases.iter().map(|(said, expected)| (*said, term(said), *expected));
    let wrong: Vec<_> = found.filter(|(_, found, expected)| found != expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The duty to give notice.
fn duty(said: &str) -> Option<Obligation> {
    let text = contract(said);
    let found = obligations(&[&text], &annotate(&NoNames, &[&text], None, &Cancel::default()).unwrap());
    found.into_iter().find(|duty| duty.what == "must give notice")
}

#[test]
fn a_contract_says_in_many_ways_when_it_ends() {
    let end = "2007-08-28";
    check(&[
        ("This Agreement starts on 29 August 2004 and ends on 28 August 2007.", [end, "", ""]),
        ("This Agreement shall end on 28 August 2007.", [end, "", ""]),
        ("It ends on 28 August 2007.", [end, "", ""]),
        ("This Agreement runs from 29 August 2004 to 28 August 2007.", [end, "", ""]),
        ("The term of this Agreement is from 29 August 2004 until 28 August 2007.", [end, "", ""]),
        ("The Agreement terminates on 28 August 2007.", [end, "", ""]),
        (
            "This Agreement comes into force on 29 August 2004. It shall come to an end on 28 August 2007.",
            [end, "", ""],
        ),
        ("This Agreement lapses on 28 August 2007.", [end, "", ""]),
        ("This Lease runs from 29 August 2004 until 28 August 2007.", [end, "", ""]),
        ("It is valid from 29 August 2004 through 28 August 2007.", [end, "", ""]),
        (
            "The term of the guarantee is ten years. The term of this Agreement is three years from 29 August 2004.",
            ["2007-08-29", "", ""],
        ),
        ("This Agreement shall continue for two years from its date.", ["2006-05-03", "", ""]),
        ("The term of this Guarantee Agreement is two years from 29 August 2004.", ["2006-08-29", "", ""]),
        // something else ends
        ("The term of the guarantee is ten years.", ["", "", ""]),
        ("Acme rents the hall. It ends on 28 August 2007.", ["", "", ""]),
    ]);
}

#[test]
fn the_length_of_a_renewal_is_that_behind_its_verb() {
    for (said, renewal) in [
        (
            "The term of this Agreement shall begin on the Effective Date and continue for three (3) years thereafter (the \"Initial Term\") \
             and shall automatically renew for additional one (1) year terms unless either party gives notice.",
            "successive 1 year",
        ),
        (
            "This Agreement shall continue for a period of twelve (12) months (the \"Initial Term\") and shall automatically renew for \
             one-month periods thereafter.",
            "successive 1 month",
        ),
        ("This Agreement shall automatically renew for successive one (I) year terms.", "successive 1 year"),
        ("This Agreement will extend automatically for monthly periods.", "successive 1 month"),
        ("This Agreement shall automatically be extended for a further period of half a year.", "6 months"),
        ("The Agreement may be renewed for an additional period of seven (7) years at the option of Acme.", "7 years"),
        (
            "This Agreement shall continue in effect for a period of one year from the date of its execution and from year to year \
             thereafter.",
            "successive 1 year",
        ),
    ] {
        assert_eq!(term(said)[1], renewal, "{said}");
    }
}

#[test]
fn a_contract_says_in_many_ways_how_it_renews_and_how_not() {
    check(&[
        (
            "This Agreement starts on 29 August 2004 and ends on 28 August 2007. It is tacitly renewed for further periods of twelve months \
             unless cancelled two months before expiry.",
            ["2007-08-28", "successive 1 year", "2 months"],
        ),
        (
            "The Agreement commences on 27 September 2004 for an initial period of 36 months. Thereafter it is extended by 12 months at a time \
             unless it is terminated by three (3) months' notice to the end of the respective period.",
            ["2007-09-27", "successive 1 year", "3 months"],
        ),
        (
            "The Agreement terminates on 28 August 2007 and renews for like periods unless cancelled with one month's notice.",
            ["2007-08-28", "successive, as long as the term before", "1 month"],
        ),
        (
            "This Agreement runs from 29 August 2004 to 28 August 2007. It rolls over for a further year each time unless a party gives 90 days' \
             written notice before the end of the term.",
            ["2007-08-28", "successive 1 year", "90 days"],
        ),
        (
            "The initial term is three years from 29 August 2004. Afterwards the contract extends automatically by one year at a time, unless \
             cancelled by registered letter at least six weeks before the end of the term.",
            ["2007-08-29", "successive 1 year", "6 weeks"],
        ),
        (
            "It ends on 28 August 2007. It is prolonged for successive periods of one year unless either party objects in writing by giving \
             thirty (30) days' prior notice.",
            ["2007-08-28", "successive 1 year", "30 days"],
        ),
    ]);
}

#[test]
fn the_length_of_a_renewal_is_no_notice() {
    for said in [
        "This Agreement ends on 28 August 2007 and is renewed from year to year, save notice given two months before the end.",
        "This Agreement ends on 28 August 2007 and is renewed by tacit agreement from year to year, save notice of termination.",
        "This Agreement ends on 28 August 2007 and is renewed for one year, except notice is given.",
        "This Agreement ends on 28 August 2007 and is renewed for one year, unless notice is given.",
        "This Agreement ends on 28 August 2007 and continues for one year save where notice is given.",
    ] {
        assert_ne!(term(said)[2], "1 year", "{said}");
    }
}

/// How a first term of one year is written that begins on January 1, 2005.
const ONE_YEAR: &[&str] = &[
    "The initial term begins on 1 January 2005 and continues for twelve (12) months.",
    "The term of this Agreement is one year from January 1, 2005.",
    "This Agreement starts on January 1, 2005 and ends on December 31, 2005.",
    "The term ends on December 31, 2005.",
    "This Agreement runs from 1 January 2005 to 31 December 2005.",
    "This Agreement commences on 1 January 2005 for an initial period of one (1) year.",
];

#[test]
fn the_last_day_for_notice_is_the_same_in_every_wording() {
    for (notice, due) in [
        ("at least sixty (60) days before the end of the then-current term", "2005-11-01"),
        ("not less than two months prior to the end of the term", "2005-10-31"),
        ("ninety (90) days before expiration", "2005-10-02"),
    ] {
        for first in ONE_YEAR {
            let said = format!(
                "{first} It renews automatically for successive periods of one (1) year unless either party gives written notice of \
                 non-renewal {notice}."
            );
            let duty = duty(&said).unwrap_or_else(|| panic!("{said}"));
            assert_eq!(duty.due.as_deref(), Some(due), "{said}");
            assert!(duty.computed.is_some_and(|computed| computed.contains("2005-12-31")), "{said}");
        }
    }
}

#[test]
fn stated_days_and_words_count_more_than_computed_ones() {
    let renews = "The term is one year from January 1, 2005 and renews for successive periods of one year unless a party gives notice of \
                  non-renewal";
    let due = |said: &str| duty(said).and_then(|duty| duty.due);
    assert_eq!(due(&format!("{renews} no later than October 15, 2005.")).as_deref(), Some("2005-10-15"));
    assert_eq!(due(&format!("{renews} before October 15, 2005.")).as_deref(), Some("2005-10-14"));
    // Business days need a calendar of holidays.
    let business = duty(&format!("{renews} ten (10) business days before the end of the term.")).unwrap();
    assert_eq!(
        (business.due, business.trigger.as_deref()),
        (None, Some("10 business days before the end of the term"))
    );
    // The end on the anniversary is the contract's own word.
    let said = "This Agreement expires on the first anniversary of the Effective Date and renews for successive periods of one year unless \
                a party gives notice of non-renewal 60 days before expiration.";
    assert_eq!(due(said).as_deref(), Some("2005-03-04"));
}

#[test]
fn a_term_may_end_with_a_month() {
    check(&[
        ("The initial term begins on 1 March 2026 and ends on the last day of February 2028.", ["2028-02-29", "", ""]),
        ("This Agreement continues until the end of March 2027.", ["2027-03-31", "", ""]),
        ("This Agreement shall expire on the last day of the month of June, 2027.", ["2027-06-30", "", ""]),
        ("The term runs from 1 May 2026 through the end of April 2027.", ["2027-04-30", "", ""]),
        ("This Agreement ends on the last calendar day of February 2027.", ["2027-02-28", "", ""]),
        // another thing ends
        ("Acme delivers until the end of March 2027.", ["", "", ""]),
    ]);
}

#[test]
fn a_notice_that_prevents_a_renewal_has_many_wordings() {
    let due = |said: &str| duty(said).and_then(|duty| duty.due);
    for (said, day) in [
        (
            "This Agreement ends on 30 June 2027. Should it not be cancelled by 31 March 2027, it is extended by a year.",
            "2027-03-31",
        ),
        (
            "The term ends on 31 December 2026. If no party gives notice by 30 September 2026, it continues for another year.",
            "2026-09-30",
        ),
        (
            "This Agreement is effective from 1 January 2026 through and including 31 December 2027 and auto-renews year to year; opt-out is \
             45 days prior to renewal.",
            "2027-11-16",
        ),
        (
            "The initial term begins on 1 March 2026 and ends on the last day of February 2028. It renews for one year unless cancelled thirty \
             days before it ends.",
            "2028-01-30",
        ),
        (
            "This Agreement expires on 29 August 2027 unless renewed. Notice of non-renewal must be given 90 days before expiry.",
            "2027-05-31",
        ),
        (
            "This Lease ends on 30 June 2027. It shall automatically renew for one year unless a party opts out 30 days before the end of the \
             term.",
            "2027-05-31",
        ),
        // The length of a renewal is not the length of the first term.
        (
            "The Agreement will automatically roll over for further 12-month terms at the end of each term unless either party opts out no \
             later than 45 days prior to the end of the term. The first term ends on 31 December 2026.",
            "2026-11-16",
        ),
        (
            "The current term expires on 30 September 2026 and shall automatically renew for additional periods of 6 months unless notice is \
             given at least 2 months prior to expiration.",
            "2026-07-30",
        ),
    ] {
        assert_eq!(due(said).as_deref(), Some(day), "{said}");
    }
    // Notice of another thing, and a thing that is no contract.
    for said in [
        "The term ends on 31 December 2026. If Acme gives notice of breach by 30 September 2026, it continues for another year.",
        "Acme rents the hall. If no party gives notice by 30 September 2026, it continues for another year.",
    ] {
        assert_eq!(due(said), None, "{said}");
    }
}

#[test]
fn an_anniversary_is_named_as_one() {
    for (said, value, computed) in [
        (
            "The term of this Agreement is three (3) years from the Effective Date.",
            "2007-05-03",
            "3 years from 2004-05-03 (p. 1), the anniversary: the last day is 2007-05-02",
        ),
        (
            "This Agreement shall expire three years after the Effective Date.",
            "2007-05-03",
            "3 years from 2004-05-03 (p. 1)",
        ),
        (
            "This Agreement expires on the third anniversary of the Effective Date.",
            "2007-05-03",
            "3 years from 2004-05-03 (p. 1)",
        ),
    ] {
        let found = facts_of(&[&contract(said)]);
        let expiry = found.iter().find(|fact| fact.kind == FactKind::Expiry).unwrap();
        assert_eq!((expiry.value.as_str(), expiry.computed.as_deref()), (value, Some(computed)), "{said}");
    }
}

#[test]
fn a_term_to_a_day_that_its_month_does_not_have_ends_with_the_month() {
    for (said, value, computed) in [
        (
            "The initial term is six months from 31 August 2025.",
            "2026-02-28",
            "6 months from 2025-08-31 (p. 1), to the last day of the month",
        ),
        (
            "The term of this Agreement is one year from February 29, 2028.",
            "2029-02-28",
            "1 year from 2028-02-29 (p. 1), to the last day of the month",
        ),
        (
            "The initial term is one month from 30 January 2027.",
            "2027-02-28",
            "1 month from 2027-01-30 (p. 1), to the last day of the month",
        ),
        (
            "This Agreement starts on 31 December 2025 and lasts for six months.",
            "2026-06-30",
            "6 months from 2025-12-31 (p. 1), to the last day of the month",
        ),
        (
            "The term of this Agreement is eighteen (18) months commencing on August 30, 2026.",
            "2028-02-29",
            "18 months from 2026-08-30 (p. 1), to the last day of the month",
        ),
        // These months have the day.
        (
            "The initial term is one year from 31 August 2025.",
            "2026-08-31",
            "1 year from 2025-08-31 (p. 1), the anniversary: the last day is 2026-08-30",
        ),
        (
            "The term of this Agreement is four years from February 29, 2028.",
            "2032-02-29",
            "4 years from 2028-02-29 (p. 1), the anniversary: the last day is 2032-02-28",
        ),
    ] {
        let found = facts_of(&[&contract(said)]);
        let expiry = found.iter().find(|fact| fact.kind == FactKind::Expiry).unwrap_or_else(|| panic!("{said}"));
        assert_eq!((expiry.value.as_str(), expiry.computed.as_deref()), (value, Some(computed)), "{said}");
    }
    let said = "The initial term is six months from 31 August 2025. It renews automatically for successive six-month periods unless either \
                party gives one month notice before the end of the term.";
    let first = duty(said).unwrap();
    assert_eq!(first.due.as_deref(), Some("2026-01-28"));
    assert_eq!(first.computed.as_deref(), Some("1 month before 2026-02-28 (p. 1)"));
    assert_eq!(first.next("2026-02-01").unwrap().due.as_deref(), Some("2026-07-31"));
    assert_eq!(first.next("2026-08-01").unwrap().due.as_deref(), Some("2027-01-28"));
}

#[test]
fn a_term_that_renews_has_a_next_day_for_notice() {
    let said = "The term begins on January 1, 2005 and continues for one year. It renews automatically for successive periods of one year \
                unless either party gives notice of non-renewal at least sixty (60) days before the end of the then-current term.";
    let first = duty(said).unwrap();
    assert_eq!(first.next("2005-11-01"), None);
    let next = first.next("2005-11-02").unwrap();
    assert_eq!(next.due.as_deref(), Some("2006-11-01"));
    assert_eq!(
        next.computed.as_deref(),
        Some(
            "60 days before 2006-12-31, if the term that first ended on 2005-12-31 (p. 1) was renewed once for 1 year"
        )
    );
    let later = first.next("2024-02-29").unwrap();
    assert_eq!(later.due.as_deref(), Some("2024-11-01"));
    assert!(later.computed.unwrap().contains("was renewed 19 times"));
    // Renewed once at most, or nobody knows for how long.
    let once = duty(
        "The Agreement ends on December 31, 2005 and renews for one additional year unless a party gives notice 60 days before the end of \
         the term.",
    );
    assert_eq!(once.unwrap().next("2020-01-01"), None);
}

#[test]
fn a_right_to_end_the_contract_at_any_time_has_a_notice_of_its_own() {
    for (said, notice) in [
        (
            "Either party may terminate by giving not less than ten (10) Business Days' prior written notice.",
            "10 business days",
        ),
        ("Either party may terminate by giving thirty (30) days' written notice.", "30 days"),
        ("Each party may terminate this Agreement at any time on 4 weeks' notice in writing.", "4 weeks"),
        ("This Agreement may be terminated at any time by either party upon three months' notice.", "3 months"),
        ("The parties are entitled to cancel this Agreement without cause with a notice period of 60 days.", "60 days"),
        ("Either party may terminate with cause on thirty days' notice.", ""),
        ("Either party may terminate this Agreement on thirty (30) days' notice of a material breach.", ""),
        ("Either party may terminate this Agreement if the other fails to pay within 30 days after notice.", ""),
    ] {
        let found = facts_of(&[&contract(&format!("This Agreement expires on December 31, 2005. {said}"))]);
        assert_eq!(values(&found, FactKind::TerminationNotice), notice, "{said}");
        assert_eq!(values(&found, FactKind::NoticePeriod), "", "{said}");
    }
}
