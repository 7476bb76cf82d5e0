use casetrack_core::Cancel;
use casetrack_nlp::{FactKind, annotate, facts_and_doubts};

use super::{NoNames, OPENING, facts_of, values};

const CLAUSES: &[(&str, &str)] = &[
    (
        "This Agreement shall be governed by and construed in accordance with the laws of the State of Delaware.",
        "Delaware",
    ),
    (
        "This Agreement shall be governed by, and construed and enforced in accordance with, the internal laws of the State of New York, without regard to conflict of laws principles.",
        "New York",
    ),
    (
        "THIS AGREEMENT SHALL BE GOVERNED BY THE LAWS OF THE STATE OF NEW JERSEY WITHOUT REGARD TO ITS CONFLICT OF LAWS RULES.",
        "New Jersey",
    ),
    ("New York law shall govern this Agreement.", "New York"),
    (
        "The laws of the Commonwealth of Massachusetts shall govern the validity and construction of this Agreement.",
        "Massachusetts",
    ),
    ("This Agreement is made in and shall be interpreted under California law.", "California"),
    (
        "The validity, interpretation and performance of this Agreement are controlled by the laws of the Republic of Korea.",
        "Korea",
    ),
    ("This Agreement will be governed by English law.", "England"),
    ("Governing Law: State of Ohio.", "Ohio"),
    ("Governing Law. Texas.", "Texas"),
    ("This Agreement shall be governed in all respects by the substantive laws of Switzerland.", "Switzerland"),
    (
        "This Agreement shall be construed according to the laws of the People's Republic of China.",
        "People's Republic of China",
    ),
    (
        "This Agreement is governed by the laws applicable in the Province of Alberta and the federal laws of Canada applicable therein.",
        "Alberta",
    ),
    (
        "This Agreement, and all claims arising out of it, shall be governed by the laws of the State of California applicable to contracts made and performed there.",
        "California",
    ),
    (
        "This Agreement has been executed in the State of Georgia and shall be governed by the laws of said state.",
        "Georgia",
    ),
    ("The parties agree that the law of the State of Illinois applies to this Agreement.", "Illinois"),
    ("All questions concerning the construction of this Agreement will be decided under the laws of Israel.", "Israel"),
    (
        "This Agreement and the rights of the parties are subject to, and shall be determined under, the laws of the State of Utah.",
        "Utah",
    ),
    ("The governing law of this Agreement is the law of Hong Kong.", "Hong Kong"),
    ("This Agreement shall be governed by and interpreted in accordance with Japanese law.", "Japan"),
    (
        "This Agreement shall be governed by the laws of the Emirate of Dubai and the federal laws of the United Arab Emirates.",
        "Dubai",
    ),
    ("This Agreement is governed by the laws of the Canton of Zurich, Switzerland.", "Zurich, Switzerland"),
    (
        "This Agreement shall be governed by the federal law of the United States and the laws of the State of California.",
        "California",
    ),
    (
        "This Agreement shall be governed by and construed in accordance with the laws of the United States of America and the State of New Jersey.",
        "New Jersey",
    ),
    (
        "This Agreement shall be governed by the laws of the United States of America and the State of (Your State).",
        "United States of America",
    ),
    ("This Agreement shall be governed by the laws of the State of Illinois..", "Illinois"),
    ("This Agreement is governed by the laws of Qu\u{e9}bec.", "Qu\u{e9}bec"),
    (
        "This Agreement shall be governed by the laws of the State of Delaware, of the United States of America.",
        "Delaware",
    ),
    ("Governing Law and Jurisdiction. New York.", "New York"),
    ("The laws of the State of Colorado, USA, shall apply to this Agreement.", "Colorado"),
    ("Each fund is a trust organized under the laws of the Commonwealth of Massachusetts.", ""),
];

#[test]
fn a_law_that_does_not_govern_is_not_the_law() {
    for said in [
        "This Agreement is not governed by the laws of Germany.",
        "This Agreement shall be governed by the laws of Austria and not governed by the laws of Germany.",
    ] {
        let found = facts_of(&[&format!("{OPENING}12. Law. {said}\n")]);
        assert!(!values(&found, FactKind::GoverningLaw).contains("Germany"), "{said}");
    }
    let settled = "Any controversy that is not resolved by the parties shall be determined in accordance with the laws of the State of Ohio.";
    assert_eq!(values(&facts_of(&[&format!("{OPENING}12. Law. {settled}\n")]), FactKind::GoverningLaw), "Ohio");
}

#[test]
fn clauses_name_the_law_in_many_ways() {
    let mut wrong = Vec::new();
    for &(clause, law) in CLAUSES {
        let found = values(&facts_of(&[&format!("{OPENING}9. General. {clause}\n")]), FactKind::GoverningLaw);
        if found != law {
            wrong.push(format!("{found:?} for {clause:?}, not {law:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The law of an agreement that ends with these lines, if it is sure enough to be shown.
fn shown_law(lines: &str) -> String {
    let text = format!("{OPENING}2. Fees. Beta shall pay EUR 500 a month.\n\n{lines}\n");
    let pages = [text.as_str()];
    let annotations = annotate(&NoNames, &pages, None, &Cancel::default()).unwrap();
    values(&facts_and_doubts(&pages, &annotations).known, FactKind::GoverningLaw)
}

#[test]
fn a_label_on_a_line_of_its_own_is_certain() {
    for (lines, law) in [
        ("Governing law: Scotland", "Scotland"),
        ("Landlord: Acme\nGoverning Law: England and Wales\nTerm: two years", "England and Wales"),
        ("3. Governing law. The laws of England.", "England"),
        ("Applicable law: Switzerland\nVenue: Zurich", "Switzerland"),
        ("GOVERNING LAW: NEW YORK", "New York"),
        ("Item\tQty\nProofer\t1\n5. Governing law: Scotland.", "Scotland"),
        ("Made with Acme S.A.\n1. Governing law. California.", "California"),
    ] {
        assert_eq!(shown_law(lines), law, "{lines}");
    }
    let found = facts_of(&[&format!("{OPENING}Governing law: Scotland\nGoverning law: France\n")]);
    assert!(found.iter().filter(|fact| fact.kind == FactKind::GoverningLaw).all(|fact| fact.confidence < 97));
}
