//! Days and terms as drafters of all kinds of contracts write them. The opening is of May 3, 2004, unless the case has its own.

use casetrack_nlp::FactKind;

use super::{OPENING, facts_of, values};

pub(super) const MADE: &str = "SERVICE AGREEMENT\n\nThis Service Agreement is made on May 3, 2004 by and between Acme Foods, Inc. (\"Acme\") and Beta \
                    Tools LLC (\"Beta\").\n\n";
const UNDATED: &str = "SERVICE AGREEMENT\n\nThis Service Agreement is made by and between Acme Foods, Inc. (\"Acme\") and Beta Tools LLC \
                       (\"Beta\").\n\n1. Services. Acme serves Beta from time to time.\n\n";

pub(super) fn dates(cases: &[(String, &str, &str)]) {
    let mut wrong = Vec::new();
    for (text, agreement, effective) in cases {
        let found = facts_of(&[text]);
        let days = (values(&found, FactKind::AgreementDate), values(&found, FactKind::EffectiveDate));
        if (days.0.as_str(), days.1.as_str()) != (*agreement, *effective) {
            wrong.push(format!("{days:?}, not {:?}: {text}", (agreement, effective)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn expiries(cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (clause, expiry) in cases {
        let found = values(&facts_of(&[&format!("{OPENING}2. {clause}\n")]), FactKind::Expiry);
        if found != *expiry {
            wrong.push(format!("{found:?}, not {expiry:?}: {clause}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A contract that opens with these words, with the agreement date and the effective date that it has.
fn case(opening: &str, agreement: &'static str, effective: &'static str) -> (String, &'static str, &'static str) {
    let parties = "Acme Foods, Inc. (\"Acme\") and Beta Tools LLC (\"Beta\").\n\n1. Services. Acme serves Beta.\n";
    (format!("SERVICE AGREEMENT\n\n{opening} {parties}"), agreement, effective)
}

#[test]
fn openings_date_a_contract() {
    dates(&[
        case("THIS AGREEMENT is dated for reference May 3, 2004 and is made between", "2004-05-03", ""),
        case("THIS AGREEMENT dated for reference the 3rd day of May, 2004 between", "2004-05-03", ""),
        case("AGREEMENT made May 3, 2004, by and between", "2004-05-03", ""),
        case("This Agreement is executed on the 3rd day of May 2004 at Salem, Oregon, between", "2004-05-03", ""),
        case("This Agreement is made this 03 day of May 2004 by and between", "2004-05-03", ""),
        case("This Agreement is made and executed at Mumbai on this 3rd May, 2004 by and between", "2004-05-03", ""),
        case(
            "This Agreement (this \"Agreement\"), dated May 3, 2004 (the \"Execution Date\"), is between",
            "2004-05-03",
            "",
        ),
        case(
            "This Agreement is made and entered into on May 3, 2004, but effective as of June 1, 2004, between",
            "2004-05-03",
            "2004-06-01",
        ),
        case(
            "This Agreement is entered into on May 3, 2004, to be effective for all purposes as of June 1, 2004, between",
            "2004-05-03",
            "2004-06-01",
        ),
        case(
            "This Agreement is made as of May 3, 2004 and shall be deemed effective as of June 1, 2004, between",
            "2004-05-03",
            "2004-06-01",
        ),
        case(
            "This Agreement is made as of May 3, 2004, with an effective date of June 1, 2004 (the \"Effective Date\"), between",
            "2004-05-03",
            "2004-06-01",
        ),
    ]);
}

#[test]
fn openings_date_the_effect_of_a_contract() {
    dates(&[
        case(
            "This Agreement is effective as of the date last signed below (\"Effective Date\") and is between",
            "",
            "",
        ),
        case(
            "This Agreement is made as of May 3, 2004, and is effective as of that date, between",
            "2004-05-03",
            "2004-05-03",
        ),
        case(
            "This Agreement is made as of this 3rd day of May, 2004 (hereinafter the \"Effective Date\") between",
            "2004-05-03",
            "2004-05-03",
        ),
        case("This Agreement, effective as of the 3rd day of May, 2004, by and between", "2004-05-03", "2004-05-03"),
        case("Effective as of May 3, 2004 (\"Effective Date\"),", "2004-05-03", "2004-05-03"),
        case(
            "This Agreement is made and entered into as of May 3, 2004 (this \"Agreement\") (the \"Effective Date\"), between",
            "2004-05-03",
            "2004-05-03",
        ),
        case("This Agreement is made as of May __, 2004 between", "", ""),
        case("This Agreement is made as of the ___ day of May, 2004 between", "", ""),
        case("THISAGREEMENT is made and entered into asof May 3, 2004 byand between", "2004-05-03", ""),
        case(
            "This Agreement is entered into as of May 3rd , 2004(\"Effective Date\") between",
            "2004-05-03",
            "2004-05-03",
        ),
    ]);
}

#[test]
fn recitals_name_the_days_of_other_contracts() {
    let case = |recital: &str, agreement| {
        let head = "NON-COMPETITION AGREEMENT\n\nTHIS AGREEMENT is dated May 3, 2004.\n\nBETWEEN:\n\nACME FOODS LTD., a company of Ohio (\"Acme\")\n\nAND:\n\nBETA TOOLS LTD., a company of Ohio (\"Beta\")\n\n";
        (format!("{head}{recital}\n\n1. Services. Acme serves Beta.\n"), agreement, "")
    };
    dates(&[
        case(
            "(A) Acme and Beta are parties to an arrangement agreement dated as of February 2, 2001 (the \"Arrangement\").",
            "2004-05-03",
        ),
        case(
            "Acme was the sponsor of Beta pursuant to Sponsorship Agreements dated February 2, 2001, March 2, 2002 and April 2, 2003.",
            "2004-05-03",
        ),
        case(
            "The parties have entered into a Supply Agreement dated February 2, 2001, as amended March 2, 2002.",
            "2004-05-03",
        ),
    ]);
}

#[test]
fn covers_and_headings_date_a_contract() {
    let rest = "This Service Agreement is made by and between Acme Foods, Inc. (\"Acme\") and Beta Tools LLC (\"Beta\").\n\n1. Services.\n";
    let case =
        |cover: &str, agreement, effective| (format!("SERVICE AGREEMENT\n\n{cover}\n\n{rest}"), agreement, effective);
    dates(&[
        case("As of May 3, 2004", "2004-05-03", ""),
        case("Contract Date: May 3, 2004", "2004-05-03", ""),
        case("Execution Date: May 3, 2004", "2004-05-03", ""),
        case("Date of signing: May 3, 2004", "2004-05-03", ""),
        case("Signing Date: May 3, 2004", "2004-05-03", ""),
        case("Salem, May 3, 2004", "2004-05-03", ""),
        case("Agreement No. 12-04 dated 05/03/2004", "2004-05-03", ""),
        case("THIS AGREEMENT IS DATED MAY 3, 2004", "2004-05-03", ""),
        case("DATED 3rd May 2004", "2004-05-03", ""),
        case("DATED THIS 3RD DAY OF MAY 2004", "2004-05-03", ""),
        case("Dated the 3rd day of May, 2004", "2004-05-03", ""),
        case("Effective Date: May 3, 2004", "2004-05-03", "2004-05-03"),
        case("Effective Date May 3, 2004", "2004-05-03", "2004-05-03"),
        case("Made effective as of May 3, 2004", "2004-05-03", "2004-05-03"),
        case("Date: 3.5.2004\n\n3 May 2004", "2004-05-03", ""),
    ]);
}

#[test]
fn signatures_date_a_contract() {
    let case = |end: &str, agreement, effective| (format!("{UNDATED}{end}"), agreement, effective);
    dates(&[
        case("DATED this 3rd day of May, 2004.\n\nACME FOODS, INC.\n\nBy: /s/ Jane Roe", "2004-05-03", ""),
        case("Dated: May 3, 2004\n\nACME FOODS, INC.\n\nBy: /s/ Jane Roe", "2004-05-03", ""),
        case(
            "ACME FOODS, INC.\n\nBy: /s/ Jane Roe\nIts: President\nDated: 5/1/2004\n\nBETA TOOLS LLC\n\nBy: /s/ Ann Lee\nIts: Manager\nDated: 5/3/2004",
            "2004-05-03",
            "",
        ),
        case("Signed by: /s/ Jane Roe   May 3, 2004", "2004-05-03", ""),
        case(
            "Agreed to and accepted this 3rd day of May, 2004:\n\nACME FOODS, INC.\n\nBy: /s/ Jane Roe",
            "2004-05-03",
            "",
        ),
        case(
            "IN WITNESS WHEREOF, the parties hereto have set their hands and seals on the day and year first written below.\n\nACME FOODS, INC.\n\nBy: /s/ Jane Roe\nDate: 03 May 2004",
            "2004-05-03",
            "",
        ),
        case(
            "IN WITNESS WHEREOF, the parties have caused this Agreement to be executed by their duly authorized representatives effective as of May 3, 2004.\n\n/s/ Jane Roe",
            "2004-05-03",
            "2004-05-03",
        ),
        case(
            "This Agreement becomes effective when signed by both parties.\n\nACME FOODS, INC.\n\nBy: /s/ Jane Roe\nDate: May 3, 2004",
            "2004-05-03",
            "2004-05-03",
        ),
        case("EXECUTED this the 3rd day of May, 2004.\n\nACME FOODS, INC.\n\nBy: /s/ Jane Roe", "2004-05-03", ""),
        case("Done at Geneva on 3 May 2004 in two copies.\n\n/s/ Jane Roe", "2004-05-03", ""),
    ]);
}

#[test]
fn clauses_say_from_when_a_contract_is_effective() {
    let case =
        |clause: &str, effective| (format!("{MADE}1. Definitions and Term.\n\n{clause}\n"), "2004-05-03", effective);
    dates(&[
        case("\"Effective Date\" means the date first written above.", "2004-05-03"),
        case("The Effective Date of this Agreement is the date first set forth above.", "2004-05-03"),
        case(
            "This Agreement shall be effective as of the date first above written (the \"Effective Date\").",
            "2004-05-03",
        ),
        case("This Agreement shall become effective as of the date of its execution by the parties.", "2004-05-03"),
        case(
            "This Agreement takes effect upon signature by both parties and remains in force for two years.",
            "2004-05-03",
        ),
        case(
            "This Agreement shall take effect from the date of signing and shall be valid for three years.",
            "2004-05-03",
        ),
        case("This Agreement shall be effective from June 1, 2004 to May 31, 2007.", "2004-06-01"),
        case("The Term shall commence as of June 1, 2004 (the \"Commencement Date\").", "2004-06-01"),
        case("The term of this Agreement shall begin at 12:01 a.m. on June 1, 2004.", "2004-06-01"),
        case(
            "Term: This Agreement will be in effect beginning June 1, 2004 and will end on May 31, 2007.",
            "2004-06-01",
        ),
        case("The parties agree that this Agreement is to be effective retroactively to April 1, 2004.", "2004-04-01"),
        case("This Amendment shall be effective as of June 1, 2004 (the \"Amendment Effective Date\").", "2004-06-01"),
        case("The Effective Date shall be June 1, 2004.", "2004-06-01"),
        case(
            "\"Effective Date\" has the meaning given in the preamble. The Effective Date binds. On the Effective Date Acme begins.",
            "2004-05-03",
        ),
        case("The Effective Date of termination shall be thirty days after June 1, 2008.", ""),
        case("The insurance policy shall be effective as of June 1, 2004.", ""),
        case("Products delivered after June 1, 2004 carry a warranty.", ""),
    ]);
}

const TERMS: &[(&str, &str)] = &[
    (
        "Term. This Agreement shall terminate on the date that is five (5) years following the Effective Date.",
        "2009-05-03",
    ),
    (
        "Term. This Agreement shall be in effect for an initial period of five (5) years and one (1) month from the Effective Date.",
        "2009-06-03",
    ),
    (
        "Sponsorship. The sponsorship period shall be three (3) years, commencing June 1, 2004 and concluding May 31, 2007.",
        "2007-05-31",
    ),
    (
        "Unless extended by mutual agreement, the term of this Agreement expires one (1) year from the date first above written.",
        "2005-05-03",
    ),
    (
        "Acme engages Beta Tools Inc. The term of this Agreement shall be eighteen (18) months from the Effective Date.",
        "2005-11-03",
    ),
    (
        "Term. This Agreement shall continue until the earlier of (i) December 31, 2010 and (ii) the date on which it is terminated.",
        "2010-12-31",
    ),
    ("Term. The Term shall expire at 11:59 p.m., Eastern Time, on June 30, 2007.", "2007-06-30"),
    ("Term. This Agreement has a term of ten (10) years, beginning on the Effective Date.", "2014-05-03"),
    ("Term: Five (5) years.", "2009-05-03"),
    ("Term: Five (5) years from the Effective Date, unless terminated earlier under Section 9.", "2009-05-03"),
    ("Agreement Term: 24 months from the Effective Date", "2006-05-03"),
    (
        "Term. The initial term (\"Initial Term\") of this Agreement shall be for a period of one (1) year(s) from the Effective Date.",
        "2005-05-03",
    ),
    ("Term. This Agreement is entered into for a definite term of two years from the Effective Date.", "2006-05-03"),
    ("Term. This Contract is concluded for a period of one year starting from the date of signing.", "2005-05-03"),
    ("Validity. This Agreement is valid from May 3, 2004 to May 2, 2007.", "2007-05-02"),
    (
        "Term. This Agreement shall take effect on the date of signature and shall be valid for three years.",
        "2007-05-03",
    ),
    ("The term of cooperation is three years, from May 3, 2004 to May 2, 2007.", "2007-05-02"),
    (
        "Term. The Agreement shall commence on the date hereof and terminate on the second anniversary of such date.",
        "2006-05-03",
    ),
    (
        "Term. This Agreement shall be in full force and effect for an initial period of five years from the date of the last signature.",
        "2009-05-03",
    ),
    (
        "Term and Termination. Unless sooner terminated as provided below, this Agreement shall be effective for an initial three-year term commencing upon the Effective Date, and shall thereafter renew for one-year terms.",
        "2007-05-03",
    ),
    (
        "Term. Subject to earlier termination, the term of this Agreement shall be for a period of thirty-six (36) months, commencing as of the Effective Date.",
        "2007-05-03",
    ),
    (
        "Term. The term of this Agreement (the \"Term\") shall commence on the Effective Date and, unless terminated earlier as provided in Article X, shall end on the fifth (5th) anniversary of the Effective Date.",
        "2009-05-03",
    ),
    (
        "Term. This Agreement shall commence on the Effective Date and shall remain in full force and effect for a period of four (4) years thereafter, unless earlier terminated.",
        "2008-05-03",
    ),
    (
        "Term. This Agreement shall continue in effect for an initial term ending December 31, 2008, and from year to year thereafter.",
        "2008-12-31",
    ),
    (
        "Term. The term of this Agreement is for a period of five years, unless renewed or earlier terminated as provided herein, from the Effective Date.",
        "2009-05-03",
    ),
    ("Term. The term of this Agreement begins on the date above and ends one year later.", "2005-05-03"),
    ("Term. This Agreement will expire one year from the date hereof.", "2005-05-03"),
    ("Term. This Agreement shall expire upon the expiration of five (5) years after the Effective Date.", "2009-05-03"),
    ("Term. This Agreement shall be binding for two (2) years from the Effective Date.", "2006-05-03"),
    (
        "Term. The term of this Agreement shall be the period from the Effective Date up to and including the 30th day of June, 2007.",
        "2007-06-30",
    ),
    ("Term. The parties agree that the term hereof shall run for five (5) years.", "2009-05-03"),
    (
        "Term. The Term of this Agreement shall be for three (3) Contract Years, the first of which begins on the Effective Date.",
        "2007-05-03",
    ),
    (
        "Term. The Contract Period shall begin on the Effective Date and end on June 30, 2007, unless extended.",
        "2007-06-30",
    ),
    (
        "Term. This Agreement shall be for an initial term of two (2) years. Either party may terminate it earlier for cause.",
        "2006-05-03",
    ),
    ("Duration. This Agreement shall have a duration of four years from its signature.", "2008-05-03"),
    ("Duration: This Agreement will remain in effect for three years from the date of execution.", "2007-05-03"),
    (
        "Term. The services shall be provided for a period of twelve (12) months from the Effective Date (the \"Term\").",
        "2005-05-03",
    ),
    (
        "Term. Athlete's services begin on the Effective Date and the term of this Agreement ends on December 31, 2006.",
        "2006-12-31",
    ),
    (
        "Term. The period of this Agreement shall be from May 3, 2004, through December 31, 2006 (\"Contract Period\").",
        "2006-12-31",
    ),
    (
        "Term. This Agreement shall remain in effect until December 31, 2006 or until the completion of the services, whichever is later.",
        "2006-12-31",
    ),
    (
        "Term. This Agreement shall automatically terminate on the fifth anniversary of the Closing Date.",
        "5 years from the Closing Date",
    ),
    (
        "Term. The term of this Agreement is five years from the first delivery of Products.",
        "5 years from the first delivery of Products",
    ),
];

#[test]
fn terms_have_an_end() {
    expiries(TERMS);
}

#[test]
fn terms_have_no_end() {
    expiries(&[
        (
            "Term. This Agreement shall be effective on the Effective Date and shall continue until terminated as set forth herein.",
            "perpetual",
        ),
        (
            "Term. This Agreement shall commence on the Effective Date and shall continue in full force and effect unless terminated by a party on ninety days' notice.",
            "perpetual",
        ),
        ("Term. This Agreement has no fixed term and may be terminated by either party.", "perpetual"),
        ("Term. The license granted herein shall be perpetual.", "perpetual"),
        ("Term. This Agreement shall be of unlimited duration.", "perpetual"),
        (
            "Term. This Agreement shall remain in force indefinitely, unless terminated in accordance with Section 8.",
            "perpetual",
        ),
        (
            "Term. The term of this Agreement shall continue until this Agreement is terminated pursuant to Section 8.",
            "perpetual",
        ),
        ("Term. This Agreement is effective until terminated.", "perpetual"),
        (
            "Term. The term of this Agreement will begin upon our acceptance of your application and will end when terminated by either party.",
            "perpetual",
        ),
        (
            "Term. This Agreement shall remain in effect until either party terminates it by giving thirty (30) days' written notice.",
            "perpetual",
        ),
        (
            "Term. This Agreement may be terminated at any time by either party and otherwise continues without limit of time.",
            "perpetual",
        ),
    ]);
}

const OTHER_NOTICES_AND_LAWS: &[(&str, FactKind, &str)] = &[
    ("This Contract shall be governed by PRC law.", FactKind::GoverningLaw, "PRC"),
    (
        "This Agreement shall be governed by and construed in accordance with the legislation of the Russian Federation.",
        FactKind::GoverningLaw,
        "Russian Federation",
    ),
    (
        "This Agreement shall be deemed to be a contract made under the laws of the State of Ohio.",
        FactKind::GoverningLaw,
        "Ohio",
    ),
    (
        "The formation, validity and interpretation of this Agreement are governed by the laws of China.",
        FactKind::GoverningLaw,
        "China",
    ),
    (
        "This Agreement shall be governed by the laws of the Province of British Columbia and the federal laws of Canada applicable therein.",
        FactKind::GoverningLaw,
        "British Columbia",
    ),
    ("This Agreement shall be governed by New York State law.", FactKind::GoverningLaw, "New York"),
    ("This Agreement is to be construed under the laws of New York State.", FactKind::GoverningLaw, "New York"),
    (
        "This Agreement shall be governed by and interpreted under the substantive law in force in the State of Ohio.",
        FactKind::GoverningLaw,
        "Ohio",
    ),
    (
        "This Agreement shall be construed, interpreted and the rights of the parties determined in accordance with the laws of the State of Texas, without giving effect to conflicts.",
        FactKind::GoverningLaw,
        "Texas",
    ),
    (
        "This Agreement shall be governed by the laws of the State of Texas and the laws of the United States of America.",
        FactKind::GoverningLaw,
        "Texas",
    ),
    ("Applicable law. The law applicable to this Agreement is Swiss law.", FactKind::GoverningLaw, "Switzerland"),
    ("Choice of Law. The parties choose the law of the State of Ohio.", FactKind::GoverningLaw, "Ohio"),
    (
        "This Agreement shall be governed by the laws of the jurisdiction of the state of incorporation of Acme.",
        FactKind::GoverningLaw,
        "",
    ),
    ("This Agreement shall be subject to the laws of India and the courts of Mumbai.", FactKind::GoverningLaw, "India"),
    ("Governing law: England & Wales", FactKind::GoverningLaw, "England & Wales"),
    (
        "This Agreement renews each year for one year unless a party objects in writing at least two (2) months before the expiry.",
        FactKind::NoticePeriod,
        "2 months",
    ),
    (
        "After the initial term of two years, it continues for one-year periods unless cancelled by either party by written notice given not later than three months before the end of a period.",
        FactKind::NoticePeriod,
        "3 months",
    ),
    (
        "The Term will be extended automatically for one year each, unless at least sixty (60) days prior to its expiration either party notifies the other that it does not wish to extend.",
        FactKind::NoticePeriod,
        "60 days",
    ),
    (
        "This Agreement shall renew for successive one year terms unless either party elects not to renew by delivering written notice of non-renewal to the other no fewer than 45 days prior to the end of the term.",
        FactKind::NoticePeriod,
        "45 days",
    ),
    (
        "This Agreement shall be renewed automatically for one year unless written notice of termination is received by the other party within thirty (30) days of the end of the term.",
        FactKind::NoticePeriod,
        "30 days",
    ),
];

#[test]
fn notices_and_laws_are_written_in_other_ways_too() {
    let mut wrong = Vec::new();
    for &(clause, kind, value) in OTHER_NOTICES_AND_LAWS {
        let found = values(&facts_of(&[&format!("{OPENING}9. General. {clause}\n")]), kind);
        if found != value {
            wrong.push(format!("{found:?}, not {value:?}: {clause}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
