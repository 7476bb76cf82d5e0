//! The order of day and month in dates of digits, and dates of other languages in short texts.

use casetrack_core::{Cancel, DatePrecision, EntityValue, Result};
use casetrack_nlp::{FactKind, Facts, NamedSpan, Recognizer, annotate, facts_and_doubts, obligations};

/// Recognizes nothing, so that only the rules find names.
struct NoNames;

impl Recognizer for NoNames {
    fn recognize(&self, _: &str, _: &Cancel) -> Result<Vec<NamedSpan>> {
        Ok(Vec::new())
    }
}

/// The dates of a text in its order: days in ISO 8601, both days of one with two readings.
fn dates(text: &str, language: Option<&str>) -> String {
    let found = annotate(&NoNames, &[text], language, &Cancel::default()).unwrap();
    let mentions = found.mentions.iter().filter_map(|mention| match &found.entities[mention.entity as usize].value {
        Some(EntityValue::Date(date)) if date.precision == DatePrecision::Ambiguous => {
            Some(format!("{} or {}", date.first, date.last))
        }
        Some(EntityValue::Date(date)) if date.precision == DatePrecision::Day => Some(date.first.clone()),
        Some(EntityValue::Date(date)) if date.precision == DatePrecision::Range => {
            Some(format!("{} to {}", date.first, date.last))
        }
        _ => None,
    });
    mentions.collect::<Vec<_>>().join(", ")
}

fn check(cases: &[(&str, Option<&str>, &str)]) {
    let found = cases.iter().map(|(text, language, expected)| (*text, dates(text, *language), *expected));
    let wrong: Vec<_> = found.filter(|(_, found, expected)| found != expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

const DAY: &str = "2021-06-05";
const MONTH: &str = "2021-05-06";
const EITHER: &str = "2021-05-06 or 2021-06-05";

#[test]
fn a_date_with_two_readings_has_no_day_where_nothing_decides() {
    check(&[
        ("This letter is dated 05/06/2021 between Nadir and Zenith.", None, EITHER),
        ("This letter is dated 05/06/2021 between Nadir and Zenith.", Some("en"), EITHER),
        ("The goods arrived on 5-6-2021.", Some("en-US"), EITHER),
        ("Paid USD 500 on 05/06/2021.", Some("en"), EITHER),
        ("Dated 05/06/2021 between Nadir Ltd and Zenith Ltd.", None, EITHER),
        ("Signed on 05/06/2021 by Nadir GmbH and Zenith, Inc.", Some("en"), EITHER),
        ("Signed on 05/06/2021 by Nadir GmbH and Zenith LLC.", Some("en"), EITHER),
        ("Signed on 05/06/2021 by Nadir, Inc. and Zenith Corp.", Some("en"), EITHER),
        ("Signed in Toronto, Ontario on 05/06/2021, governed by the laws of Canada.", Some("en"), EITHER),
        // one document, two orders
        (
            "Paid on 13/01/2021, on 01/14/2021 and on 05/06/2021.",
            None,
            "2021-01-13, 2021-01-14, 2021-05-06 or 2021-06-05",
        ),
        // the same day in either order
        ("Dated 06/06/2021.", None, "2021-06-06"),
    ]);
}

#[test]
fn a_date_without_doubt_decides_the_order() {
    check(&[
        ("Paid on 05/06/2021 and 25/07/2021.", Some("en"), "2021-06-05, 2021-07-25"),
        ("Paid on 05/06/2021 and 07/25/2021.", Some("en"), "2021-05-06, 2021-07-25"),
        ("On Saturday, 05/06/2021, and on 07/08/2021.", Some("en"), "2021-06-05, 2021-08-07"),
        ("On Thursday 05/06/2021.", Some("en"), MONTH),
        ("Dated 5 June 2021. It was signed on 05/06/2021.", Some("en"), "2021-06-05, 2021-06-05"),
        ("Made as of November 1, 2001. The first payment of 11/1/2001.", Some("en"), "2001-11-01, 2001-11-01"),
        ("Made as of November 1, 2001. The first payment of 1/11/2001.", Some("en"), "2001-11-01, 2001-11-01"),
        // also where its language or law lets expect another one
        ("Die Rechnungen vom 05/06/2021 und vom 05/25/2021.", Some("de"), "2021-05-06, 2021-05-25"),
        ("Paid on 05/06/2021 and 05/25/2021. Governed by the laws of Ireland.", Some("en"), "2021-05-06, 2021-05-25"),
        // the day on which an archive filed it is not one of its own
        ("Source: ACME INC, 8-K, 7/19/2021\nSigned in London on 05/06/2021.", Some("en"), "2021-07-19, 2021-06-05"),
    ]);
}

#[test]
fn language_law_places_currency_and_zone_decide_the_order() {
    check(&[
        ("Op 05/06/2021 is de overeenkomst gesloten.", Some("nl"), DAY),
        ("Em 05/06/2021 foi assinado o contrato.", Some("pt-BR"), DAY),
        ("Dated 05/06/2021. This letter is governed by the laws of Ireland.", None, DAY),
        ("Dated 05/06/2021. This letter is governed by the laws of New South Wales.", None, DAY),
        ("Dated 05/06/2021. This letter is governed by the laws of Switzerland.", None, DAY),
        ("Dated 05/06/2021. This letter is governed by the laws of the State of Georgia.", None, MONTH),
        ("Dated 05/06/2021. Governing law: England and Wales", None, DAY),
        ("Dated 05/06/2021. This Agreement is governed by Scots law and the laws of Scotland.", None, DAY),
        // the law counts more than where the parties are
        (
            "Nadir plc of London, dated 05/06/2021. This letter is governed by the laws of the State of New York.",
            None,
            MONTH,
        ),
        (
            "The tenant paid 450 pounds in Manchester, Greater Manchester on 05/06/2021 under the Housing Act 1988.",
            None,
            DAY,
        ),
        ("12 High Street, Leeds LS1 4AP. Your letter of 05/06/2021.", Some("en"), DAY),
        ("210 Main Street, Springfield, IL 62701. Your letter of 05/06/2021.", Some("en"), MONTH),
        ("Acme Foods, Inc., a Delaware corporation, paid on 05/06/2021.", Some("en"), MONTH),
        ("Nadir GmbH and Zenith AG signed on 05/06/2021.", Some("en"), DAY),
        ("Nadir, Inc. and Zenith LLC signed on 05/06/2021.", Some("en"), MONTH),
        ("Nadir Pty Ltd paid on 05/06/2021.", Some("en"), DAY),
        ("Invoice of 05/06/2021: £ 450.00", Some("en"), DAY),
        ("Invoice of 05/06/2021: EUR 450.00", Some("en"), DAY),
        (
            "From: a@example.com\nDate: Mon, 7 Jun 2021 09:15:30 +0200\nSubject: Rent\n\nPaid on 05/06/2021.",
            Some("en"),
            "2021-06-07, 2021-06-05",
        ),
        (
            "From: a@example.com\nDate: Mon, 7 Jun 2021 09:15:30 -0500\nSubject: Rent\n\nPaid on 05/06/2021.",
            Some("en"),
            "2021-06-07, 2021-05-06",
        ),
        (
            "From: Jane Roe <jane@example.ca>\nDate: Mon, 7 Jun 2021 09:15:30 -0500\nSubject: Rent\n\nPaid on 05/06/2021.",
            Some("en"),
            "2021-06-07, 2021-05-06 or 2021-06-05",
        ),
        (
            "From: jane@example.io\nDate: Mon, 7 Jun 2021 09:15:30 -0500\nSubject: Rent\n\nPaid on 05/06/2021.",
            Some("en"),
            "2021-06-07, 2021-05-06",
        ),
        ("The tenant paid on 05/06/2021.", Some("en-GB"), DAY),
        // forms write the order in letters
        ("Date (dd/mm/yyyy): 05/06/2021", Some("en"), DAY),
        ("Effective date: 05/06/2021 (MM/DD/YYYY)", Some("en"), MONTH),
        ("Date: 05-06-2021 (DD-MM-YY), paid in London, England.", Some("en"), DAY),
        ("Date (mm/dd/yyyy): 05/06/2021. Governed by the laws of Ireland.", Some("en"), MONTH),
        ("Dates are dd/mm/yyyy or mm/dd/yyyy: 05/06/2021", Some("en"), EITHER),
    ]);
}

#[test]
fn short_texts_have_the_dates_of_their_language() {
    check(&[
        ("Rechnung\n\nDie Rechnung wurde am 3. Oktober 2020 versandt.", None, "2020-10-03"),
        (
            "Rechnung\n\nRechnungsdatum: 18.11.17\nLeistung vom 02.10.2020 bis 05.11.2020. Zahlbar bis 02.12.20.",
            None,
            "2017-11-18, 2020-10-02 to 2020-11-05, 2020-12-02",
        ),
        ("Facture\n\nDate : 03/11/2020. Payée le 14 juillet 2021.", None, "2020-11-03, 2021-07-14"),
        ("Factura\n\nFecha: 03/11/2020. Pagada el 14 de julio de 2021.", None, "2020-11-03, 2021-07-14"),
        ("Fattura del 3 agosto 2020, pagamento il 03/11/2020.", None, "2020-08-03, 2020-11-03"),
        // whatever the detector takes them for
        ("Versandt am 3. Oktober 2020.", Some("nl"), "2020-10-03"),
        ("Your letter of 9 décembre 2021 and of 1er mai 2022.", Some("en"), "2021-12-09, 2022-05-01"),
        ("Dated 18.11.17, see section 18.11.17 of the code.", Some("en"), "2017-11-18"),
        ("Set 2020 and Mars 2020 are no days, nor are 12 set pieces.", Some("en"), ""),
    ]);
}

/// Day and trigger of each duty.
type Duties = Vec<(Option<String>, Option<String>)>;

fn letter(text: &str) -> (Facts, Duties) {
    let pages = [text];
    let annotations = annotate(&NoNames, &pages, None, &Cancel::default()).unwrap();
    let duties = obligations(&pages, &annotations).into_iter().map(|duty| (duty.due, duty.trigger));
    (facts_and_doubts(&pages, &annotations), duties.collect())
}

#[test]
fn a_date_with_two_readings_is_no_fact_and_no_deadline() {
    let text = "LETTER AGREEMENT\n\nThis letter agreement is dated 05/06/2021 between Nadir and Zenith.\n\n1. Term. This agreement \
                begins on 05/06/2021 and continues for two years.\n\n2. Payment. Nadir shall pay the price by 07/08/2022.\n";
    let (facts, duties) = letter(text);
    let days = |facts: &[casetrack_nlp::Fact]| -> Vec<(FactKind, String)> {
        let is_day = |kind| matches!(kind, FactKind::AgreementDate | FactKind::EffectiveDate | FactKind::Expiry);
        facts.iter().filter(|fact| is_day(fact.kind)).map(|fact| (fact.kind, fact.value.clone())).collect()
    };
    assert_eq!(days(&facts.known), []);
    let either = EITHER.to_owned();
    assert_eq!(days(&facts.ambiguous), [(FactKind::AgreementDate, either.clone()), (FactKind::EffectiveDate, either)]);
    assert_eq!(duties, [(None, Some("by 2022-07-08 or 2022-08-07".to_owned()))]);

    let (facts, duties) = letter(&format!("{text}\n3. Law. This agreement is governed by the laws of Ireland.\n"));
    // Known, or a candidate.
    assert_eq!(
        days(&[facts.known, facts.unsure].concat()),
        [
            (FactKind::AgreementDate, "2021-06-05".to_owned()),
            (FactKind::EffectiveDate, "2021-06-05".to_owned()),
            (FactKind::Expiry, "2023-06-05".to_owned())
        ]
    );
    assert_eq!(duties, [(Some("2022-08-07".to_owned()), None)]);
}

#[test]
fn what_happened_on_a_day_is_no_agreement() {
    let cells = |text: &str| {
        let annotations = annotate(&NoNames, &[text], Some("en"), &Cancel::default()).unwrap();
        let roles = annotations.mentions.iter().filter_map(|mention| mention.role.clone()).collect::<Vec<_>>();
        let facts = facts_and_doubts(&[text], &annotations).known;
        let day = facts.into_iter().find(|fact| fact.kind == FactKind::AgreementDate).map(|fact| fact.value);
        (roles.iter().any(|role| role == "agreement date"), day)
    };
    for sentence in [
        "Payments were made on 3 April 2021 and 25 July 2021.",
        "The delivery was made on 3 April 2021.",
        "The complaint has been made on 3 April 2021.",
        "Repairs were made as of 3 April 2021.",
        "The orders were executed on 3 April 2021.",
    ] {
        assert_eq!(cells(&format!("NOTE\n\n{sentence}")), (false, None), "{sentence}");
    }
    for sentence in [
        "This Agreement was made on 3 April 2021.",
        "The lease was made on 3 April 2021.",
        "The contract was entered into on 3 April 2021.",
    ] {
        assert_eq!(cells(&format!("NOTE\n\n{sentence}")).1.as_deref(), Some("2021-04-03"), "{sentence}");
    }
}

#[test]
fn the_days_of_a_list_are_no_day_of_an_agreement() {
    let day = |text: &str| {
        let annotations = annotate(&NoNames, &[text], Some("en"), &Cancel::default()).unwrap();
        let facts = facts_and_doubts(&[text], &annotations).known;
        facts.into_iter().find(|fact| fact.kind == FactKind::AgreementDate).map(|fact| fact.value)
    };
    for list in [
        "STATEMENT\n\nDate\tText\tAmount\n13/02/2021\tRent\t500\n03/04/2021\tWater\t50",
        "2021-02-13 Rent paid\n2021-04-03 Water paid\n",
        "CHRONOLOGY\n\n3 April 2021 The roof leaks.\n\n4 April 2021 The tenant complains.\n",
    ] {
        assert_eq!(day(list), None, "{list}");
    }
    assert_eq!(day("LETTER\n\n3 April 2021\n\nDear Ms Roe,\n\nWe agree.").as_deref(), Some("2021-04-03"));
}
