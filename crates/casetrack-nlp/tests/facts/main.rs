use casetrack_core::{Cancel, Result};
use casetrack_nlp::{Fact, FactKind, NamedSpan, Recognizer, annotate, facts, obligations};

mod blanks;
mod clauses;
mod dates;
mod day_wordings;
mod detail_wordings;
mod duties;
mod forms;
mod kinds;
mod law;
mod money;
mod names;
mod notice;
mod parties;
mod party_names;
mod party_wordings;
mod signatures;
mod term;

/// Recognizes nothing, so that only the rules find names.
struct NoNames;

impl Recognizer for NoNames {
    fn recognize(&self, _: &str, _: &Cancel) -> Result<Vec<NamedSpan>> {
        Ok(Vec::new())
    }
}

fn facts_of(pages: &[&str]) -> Vec<Fact> {
    facts(pages, &annotate(&NoNames, pages, None, &Cancel::default()).unwrap())
}

fn values(facts: &[Fact], kind: FactKind) -> String {
    let of_kind = facts.iter().filter(|fact| fact.kind == kind);
    of_kind.map(|fact| fact.value.as_str()).collect::<Vec<_>>().join("; ")
}

const OPENING: &str = "SUPPLY AGREEMENT\n\nThis Supply Agreement (the \u{201c}Agreement\u{201d}) is made as of May 3, 2004 (the \
    \u{201c}Effective Date\u{201d}) by and between Acme Foods, Inc., a Delaware corporation (\u{201c}Acme\u{201d}), and Beta Tools LLC \
    (\u{201c}Beta\u{201d}).\n\n1. Services. Acme shall supply the Products.\n\n";

#[test]
fn an_opening_gives_title_parties_and_dates() {
    for (text, title, parties, agreement, effective) in [
        (
            OPENING.to_owned(),
            "SUPPLY AGREEMENT",
            "Acme Foods, Inc. (\"Acme\"); Beta Tools LLC (\"Beta\")",
            "2004-05-03",
            "2004-05-03",
        ),
        (
            "AGENCY AGREEMENT\n\ndated 3 May 2004\n\nPARTIES\n\n(1) ACME FOODS LIMITED incorporated in England and Wales (Supplier).\n\n\
             (2) BETA TOOLS GMBH incorporated in Germany (Agent).\n\nAGREED TERMS"
                .to_owned(),
            "AGENCY AGREEMENT",
            "ACME FOODS LIMITED (\"Supplier\"); BETA TOOLS GMBH (\"Agent\")",
            "2004-05-03",
            "",
        ),
        (
            "JOINT VENTURE AGREEMENT\n\nAGREEMENT entered into as of the 3rd day of May, 2004, among ACME FOODS, INC. (hereinafter \
             \"Acme\"), BETA TOOLS, L.L.C. (hereinafter \"Beta\") and GAMMA HOLDINGS, N.V. (hereinafter \"Gamma\").\n\nWHEREAS"
                .to_owned(),
            "JOINT VENTURE AGREEMENT",
            "ACME FOODS, INC. (\"Acme\"); BETA TOOLS, L.L.C. (\"Beta\"); GAMMA HOLDINGS, N.V. (\"Gamma\")",
            "2004-05-03",
            "",
        ),
        (
            "Road Agreement\n\nParty A (Shipper): Acme Foods Co., Ltd.\n\nParty B (Carrier): Beta Tools Ltd.\n\nThe parties agree as follows."
                .to_owned(),
            "Road Agreement",
            "Acme Foods Co., Ltd. (\"Party A\", as Shipper); Beta Tools Ltd. (\"Party B\", as Carrier)",
            "",
            "",
        ),
    ] {
        let found = facts_of(&[&text]);
        assert_eq!(values(&found, FactKind::Title), title);
        assert_eq!(values(&found, FactKind::Party), parties);
        assert_eq!(values(&found, FactKind::AgreementDate), agreement, "{text}");
        assert_eq!(values(&found, FactKind::EffectiveDate), effective, "{text}");
    }
}

#[test]
fn the_term_gives_its_end_renewal_and_notice() {
    for (term, expiry, renewal, notice) in [
        ("The initial term of this Agreement is five (5) years from the Effective Date.", "2009-05-03", "", ""),
        ("This Agreement shall be effective for two years from the date hereof.", "2006-05-03", "", ""),
        (
            "This Agreement shall have a term of three (3) years commencing on the Effective Date. Thereafter it shall renew automatically \
             for additional one (1) year terms unless a party gives notice of non-renewal not less than ninety (90) days before the end of \
             the then current term.",
            "2007-05-03",
            "successive 1 year",
            "90 days",
        ),
        ("The term shall commence on July 1, 2005, and continue until June 30, 2010.", "2010-06-30", "", ""),
        ("The term of this Agreement shall be from May 3, 2004 to June 30, 2010.", "2010-06-30", "", ""),
        ("This Agreement shall expire on the tenth anniversary of the Effective Date.", "2014-05-03", "", ""),
        (
            "This Agreement shall continue until the fifth (5t h) anniversary of the Effective Date.",
            "2009-05-03",
            "",
            "",
        ),
        (
            "The term of this Agreement will begin on the Effective Date and will expire thirty-six (36) months after the Effective Date.",
            "2007-05-03",
            "",
            "",
        ),
        (
            "This Agreement shall continue in force until terminated by either party under Section 9.",
            "perpetual",
            "",
            "",
        ),
        // Not known when that is.
        (
            "This Agreement shall continue for a period of five (5) years from the Commercial Operation Date.",
            "5 years from the Commercial Operation Date",
            "",
            "",
        ),
        ("The term of this Agreement shall be [***] years from the Effective Date.", "", "", ""),
        ("Confidentiality obligations survive for five (5) years after termination of this Agreement.", "", "", ""),
    ] {
        let found = facts_of(&[&format!("{OPENING}2. Term. {term}\n")]);
        assert_eq!(values(&found, FactKind::Expiry), expiry, "{term}");
        assert_eq!(values(&found, FactKind::RenewalTerm), renewal, "{term}");
        assert_eq!(values(&found, FactKind::NoticePeriod), notice, "{term}");
    }
}

#[test]
fn a_computed_day_shows_its_arithmetic_and_the_page_it_counts_from() {
    let term = "2. Term. The term of this Agreement is five (5) years from the Effective Date.";
    let found = facts_of(&[OPENING, term]);
    let expiry = found.iter().find(|fact| fact.kind == FactKind::Expiry).unwrap();
    assert_eq!(
        expiry.computed.as_deref(),
        Some("5 years from 2004-05-03 (p. 1), the anniversary: the last day is 2009-05-02")
    );
    let written: String =
        term.chars().skip(expiry.char_start as usize).take((expiry.char_end - expiry.char_start) as usize).collect();
    assert_eq!((expiry.page, written.as_str()), (2, "five (5) years"));
}

#[test]
fn the_governing_law_is_not_any_law_that_is_mentioned() {
    for (clause, law) in [
        ("This Agreement is governed by Ohio law.", "Ohio"),
        (
            "Beta is organized under the laws of the State of Nevada. This Agreement shall be governed by the laws of the State of Texas, \
             U.S.A., excluding its conflict of laws.",
            "Texas",
        ),
        ("The law of the state of New York, except for its choice of law rules, shall apply.", "New York"),
        (
            "This Agreement shall be construed in accordance with the laws, other than choice of law rules, of the state of Florida.",
            "Florida",
        ),
        ("This Agreement is subject to the laws of England and Wales.", "England and Wales"),
        ("Each party complies with the export control laws of the United States.", ""),
    ] {
        let found = facts_of(&[&format!("{OPENING}9. General. {clause}\n")]);
        assert_eq!(values(&found, FactKind::GoverningLaw), law, "{clause}");
    }
}

#[test]
fn a_clause_goes_on_over_the_running_lines_of_a_page() {
    let pages = [
        format!("{OPENING}2. Term. The term of this Agreement shall be for a\n\nSource: ACME FOODS, 8-K, 5/5/2004\n1"),
        "Source: ACME FOODS, 8-K, 5/5/2004\n\nperiod of five years from the Effective Date.\n\n2".to_owned(),
    ];
    let found = facts_of(&[&pages[0], &pages[1]]);
    assert_eq!(values(&found, FactKind::Expiry), "2009-05-03");
}

#[test]
fn obligations_have_a_party_and_a_time() {
    let text = format!(
        "{OPENING}3. Payment. Beta shall pay each invoice within thirty (30) days after receipt of the invoice. Acme shall deliver the first \
         Products no later than August 1, 2004. Acme shall provide the plan within ten days after the Effective Date. Each party shall keep \
         records. Beta shall report its sales each month."
    );
    let annotations = annotate(&NoNames, &[&text], None, &Cancel::default()).unwrap();
    let found: Vec<_> = obligations(&[&text], &annotations)
        .into_iter()
        .map(|duty| (duty.who, duty.due.unwrap_or_default(), duty.trigger.unwrap_or_default(), duty.computed.is_some()))
        .collect();
    let expected = [
        ("Beta", "", "30 days after receipt of the invoice", false),
        ("Acme", "2004-08-01", "", false),
        ("Acme", "2004-05-13", "10 days after the Effective Date", true),
        ("Beta", "", "each month", false),
    ];
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(who, due, trigger, computed)| (who.to_owned(), due.to_owned(), trigger.to_owned(), computed))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn any_text_is_read_and_every_place_is_in_it() {
    let pages = [
        "",
        "\u{feff}\n\n\n\n",
        "between",
        "This Agreement is made by and between (\"",
        "漢字 shall pay within thirty (30) days after",
        "é\u{c}\n1\n\n\n\nx",
    ];
    let found = facts_of(&pages);
    for fact in found {
        let page = pages[fact.page as usize - 1];
        assert!(fact.char_start < fact.char_end && fact.char_end as usize <= page.chars().count(), "{fact:?}");
    }
}
