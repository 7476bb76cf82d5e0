//! Small things that decide a cell: degrees and nicknames in names, quotation marks of plain texts, exceptions before the rule.

use casetrack_nlp::FactKind;

use super::names::names;
use super::{OPENING, facts_of, values};

const MADE: &str = "SERVICE AGREEMENT\n\nThis Service Agreement is made on May 3, 2004 by and between Acme Foods, Inc. (\"Acme\") and Beta \
                    Tools LLC (\"Beta\").\n\n";

#[test]
fn names_go_on_behind_commas_and_quotation_marks() {
    for (opening, parties) in [
        (
            "Acme Foods, Inc. (\"Acme\") and WELLS BANK, NATIONAL ASSOCIATION, solely as trustee (the \"Trustee\")",
            "Acme Foods, Inc.; WELLS BANK, NATIONAL ASSOCIATION",
        ),
        (
            "Acme Foods, Inc. (\"Acme\") and Dr. Jane A. Roe, M.D., an individual (the \"Consultant\")",
            "Acme Foods, Inc.; Dr. Jane A. Roe, M.D.",
        ),
        (
            "Jane \"Tiger\" Roe, an individual (\"Talent\"), and Acme Foods, Inc. (\"Acme\")",
            "Jane \"Tiger\" Roe; Acme Foods, Inc.",
        ),
        (
            "Acme Foods, Inc., of 12 Main Street, Vancouver, B.C. (hereinafter called the \"Company\") and Beta Tools LLC (\"Beta\")",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        (
            "First Salem Bank and Trust, an Ohio banking corporation (\"Bank\"), and Salem Research and Development Partners, L.P. (\"Salem\")",
            "First Salem Bank and Trust; Salem Research and Development Partners, L.P.",
        ),
        (
            "Acme Foods Limited, a company registered in England and Wales of Verde, 10 Bressenden Place, London SW1E 5DH (\"Acme\"), and Beta \
             Tools LLC (\"Beta\")",
            "Acme Foods Limited; Beta Tools LLC",
        ),
        ("Lauf! Maps Inc. (\"Lauf\") and E*Stocks Group, Inc. (\"ES\")", "Lauf! Maps Inc.; E*Stocks Group, Inc."),
        ("ACME FOODS , INC. ( \"ACME\" ) and BETA TOOLS LLC ( \"BETA\" )", "ACME FOODS, INC.; BETA TOOLS LLC"),
        ("Acme Foods, Inc. (``Acme'') and Beta Tools LLC (``Beta'')", "Acme Foods, Inc.; Beta Tools LLC"),
    ] {
        assert_eq!(names(&format!("AGREEMENT\n\nThis Agreement is made between {opening}.\n\nWHEREAS")), parties);
    }
}

#[test]
fn a_position_before_a_name_in_capitals_is_of_who_signed_before() {
    let text = "JOINT FILING AGREEMENT\n\nThe undersigned agree to file jointly.\n\nALPHA CAPITAL, LLC\n\nBy: /s/ Jane Roe\nName: Jane \
                Roe\nTitle: Managing Member\n\nALPHA FUND, LTD.\n\nBy: /s/ Jane Roe\nName: Jane Roe\nTitle: Director\n";
    assert_eq!(names(text), "ALPHA CAPITAL, LLC; ALPHA FUND, LTD.");
}

#[test]
fn two_marks_are_one_quotation_mark_and_keep_their_place() {
    let text = "AGREEMENT\n\nThis Agreement is made as of May 3, 2004 (the ``Effective Date'') between Acme Foods, Inc. (``Acme'') and Beta \
                Tools LLC (``Beta'').\n\nWHEREAS";
    let facts = facts_of(&[text]);
    assert_eq!(values(&facts, FactKind::EffectiveDate), "2004-05-03");
    let party = facts.iter().rfind(|fact| fact.kind == FactKind::Party).unwrap();
    let chars: Vec<char> = text.chars().collect();
    let place: String = chars[party.char_start as usize..party.char_end as usize].iter().collect();
    assert_eq!(place.split_whitespace().collect::<Vec<_>>().join(" "), "Beta Tools LLC");
}

#[test]
fn an_exception_before_the_rule_is_no_other_rule() {
    for clause in [
        "Unless terminated earlier, this Agreement shall be in effect from the date first set forth above for five years.",
        "Subject to earlier termination, this Agreement shall be effective as of the date hereof.",
    ] {
        let facts = facts_of(&[&format!("{MADE}1. Term. {clause}\n")]);
        assert_eq!(values(&facts, FactKind::EffectiveDate), "2004-05-03", "{clause}");
    }
    let other = "1. General. Amendments to this Agreement shall be effective as of June 1, 2005.\n";
    assert_eq!(values(&facts_of(&[&format!("{MADE}{other}")]), FactKind::EffectiveDate), "");
}

#[test]
fn a_restated_contract_has_its_own_day() {
    let text = "THIS AMENDED AND RESTATED SERVICES AGREEMENT, originally made as of January 5, 2001, is amended and restated as of May 3, 2004, \
                by and between Acme Foods, Inc. (\"Acme\") and Beta Tools LLC (\"Beta\").\n\nWHEREAS";
    assert_eq!(values(&facts_of(&[text]), FactKind::AgreementDate), "2004-05-03");
}

const ODD_NOTICES_AND_LAWS: &[(&str, FactKind, &str)] = &[
    (
        "Term. This Agreement shall renew automatically for one (1) additional year unless Beta gives written notice of its election not \
             to renew sixty (60) or more days before the end of the term.",
        FactKind::NoticePeriod,
        "60 days",
    ),
    (
        "Term. The renewal shall be automatic unless one hundred eighty (180) days prior to the expiration of the term either party gives \
             the other notice of non-renewal.",
        FactKind::NoticePeriod,
        "180 days",
    ),
    (
        "Term. This Agreement shall be effective month to month, until terminated upon the following written notice: sixty (60) days for \
             storage under Rate Schedule ITS and 180 days for transport.",
        FactKind::Expiry,
        "",
    ),
    (
        "This Agreement shall be construed in accordance with the laws of the State of Ohio and the Investment Company Act of 1940.",
        FactKind::GoverningLaw,
        "Ohio",
    ),
    (
        "Term of Agreement. This Agreement shall be in effect for one (1) year from the above date.",
        FactKind::Expiry,
        "2005-05-03",
    ),
    (
        "Duration. This Agreement shall be binding upon the parties for a three year period commencing on the Effective Date.",
        FactKind::Expiry,
        "2007-05-03",
    ),
    (
        "Term. The appointment of Beta shall be for an initial period of two years from the date of this Agreement.",
        FactKind::Expiry,
        "2006-05-03",
    ),
    (
        "Term. The rights granted to Beta shall commence on the Effective Date and shall expire on December 31, 2006.",
        FactKind::Expiry,
        "2006-12-31",
    ),
    (
        "Duration: The licence granted hereunder shall become effective upon execution and shall endure indefinitely unless terminated. \
             The maintenance term is one year.",
        FactKind::Expiry,
        "perpetual",
    ),
    (
        "The term of this Agreement ends on the second anniversary of the Commencement Date. Payments: Commencement Date [****] December \
             31, 2004 [****]",
        FactKind::Expiry,
        "2 years from the Commencement Date",
    ),
    ("This Agreement is governed by the laws ofthe State ofTexas.", FactKind::GoverningLaw, "Texas"),
];

#[test]
fn notices_and_laws_stand_in_odd_places() {
    for &(clause, kind, value) in ODD_NOTICES_AND_LAWS {
        assert_eq!(values(&facts_of(&[&format!("{OPENING}2. {clause}\n")]), kind), value, "{clause}");
    }
}
