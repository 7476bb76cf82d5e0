use casetrack_nlp::FactKind;

use super::{OPENING, facts_of, values};

fn check(cases: &[(&str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (text, agreement, effective) in cases {
        let found = facts_of(&[text]);
        let days = (values(&found, FactKind::AgreementDate), values(&found, FactKind::EffectiveDate));
        if days != ((*agreement).to_owned(), (*effective).to_owned()) {
            wrong.push(format!("{days:?} for {text:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn openings_name_their_day_in_many_ways() {
    for (opening, agreement, effective) in [
        ("is made this 3rd day of May, 2004, by and between", "2004-05-03", ""),
        ("is made and entered into as of the third day of May, 2004 between", "2004-05-03", ""),
        ("is made on this 3 day of May 2004 by and between", "2004-05-03", ""),
        ("is entered into on the 3rd day of May, in the year 2004, between", "2004-05-03", ""),
        ("is dated as of May 3rd, 2004 and is made between", "2004-05-03", ""),
        ("is entered into as of 5/3/2004 by and between", "2004-05-03", ""),
        ("dated May 3,2004, is between", "2004-05-03", ""),
        ("is made effective the 3rd day of May, 2004 by and between", "2004-05-03", "2004-05-03"),
        ("is made and effective May 3, 2004, BETWEEN:", "2004-05-03", "2004-05-03"),
        ("is entered into and effective as of May 3, 2004, by and between", "2004-05-03", "2004-05-03"),
        ("is entered into as of May 3, 2004 the (\"Effective Date\") by and between", "2004-05-03", "2004-05-03"),
        ("is made as of May 3, 2004 (the \"Effective Date\") by and among", "2004-05-03", "2004-05-03"),
        (
            "is made on May 3, 2004 and is effective as of June 1, 2004 (the \"Effective Date\") between",
            "2004-05-03",
            "2004-06-01",
        ),
        ("is executed on May 3, 2004, to be effective as of June 1, 2004, by and between", "2004-05-03", "2004-06-01"),
    ] {
        let text = format!(
            "SUPPLY AGREEMENT\n\nThis Supply Agreement (the \"Agreement\") {opening} Acme Foods, Inc., a Delaware corporation (\"Acme\"), and \
             Beta Tools LLC, an Ohio limited liability company (\"Beta\").\n\n1. Services. Acme supplies the Products.\n"
        );
        check(&[(&text, agreement, effective)]);
    }
}

#[test]
fn the_day_may_follow_the_parties() {
    check(&[
        (
            "LICENSE AGREEMENT\n\nThis License Agreement is by and between Acme Foods, Inc. (\"Acme\") and Beta Tools LLC (\"Beta\") and is \
             effective as of May 3, 2004.\n\n1. Grant.",
            "2004-05-03",
            "2004-05-03",
        ),
        (
            "LICENSE AGREEMENT\n\nThis Agreement is entered into between Acme Foods, Inc. (\"Acme\") and Beta Tools LLC (\"Beta\") as of the \
             3rd day of May, 2004 (the \"Effective Date\").\n\nWHEREAS, Acme was founded on June 1, 1990;",
            "2004-05-03",
            "2004-05-03",
        ),
    ]);
}

#[test]
fn covers_and_labels_name_the_day() {
    let parties = "by and between Acme Foods, Inc., a Delaware corporation (\"Acme\"), and Beta Tools LLC (\"Beta\")";
    for (cover, agreement, effective) in [
        ("DATED 3 May 2004\n\nACME FOODS, INC.\n\nand\n\nBETA TOOLS LLC\n\nSERVICE AGREEMENT", "2004-05-03", ""),
        ("SERVICE AGREEMENT\n\nDated as of May 3, 2004", "2004-05-03", ""),
        ("SERVICE AGREEMENT\n\nEffective Date: May 3, 2004", "2004-05-03", "2004-05-03"),
        (
            "SERVICE AGREEMENT\n\nAgreement Date: May 3, 2004\n\nEffective Date: June 1, 2004",
            "2004-05-03",
            "2004-06-01",
        ),
        ("SERVICE AGREEMENT\n\nDate of Agreement: 3 May 2004", "2004-05-03", ""),
        ("SERVICE AGREEMENT\n\nMay 3, 2004", "2004-05-03", ""),
        ("SERVICE AGREEMENT\n\nEFFECTIVE MAY 3, 2004", "2004-05-03", "2004-05-03"),
    ] {
        let text = format!("{cover}\n\nThis Service Agreement is made {parties}.\n\n1. Services. Acme serves Beta.\n");
        check(&[(&text, agreement, effective)]);
    }
}

#[test]
fn days_beside_signatures_count_where_the_opening_has_none() {
    let opening = "SERVICE AGREEMENT\n\nThis Service Agreement is made by and between Acme Foods, Inc. (\"Acme\") and Beta Tools LLC \
                   (\"Beta\").\n\n1. Services. Acme serves Beta from time to time.\n\n";
    for (signatures, agreement, effective) in [
        (
            "IN WITNESS WHEREOF, the parties have executed this Agreement as of the 3rd day of May, 2004.\n\nACME FOODS, INC.\n\nBy: /s/ Jane \
             Roe\nName: Jane Roe\n\nBETA TOOLS LLC\n\nBy: /s/ Ann Lee\nName: Ann Lee",
            "2004-05-03",
            "",
        ),
        (
            "ACME FOODS, INC.\n\nBy: /s/ Jane Roe\nName: Jane Roe\nDate: May 1, 2004\n\nBETA TOOLS LLC\n\nBy: /s/ Ann Lee\nName: Ann \
             Lee\nDate: May 3, 2004",
            "2004-05-03",
            "",
        ),
        (
            "2. Term. This Agreement takes effect on the date of the last signature below.\n\nACME FOODS, INC.\n\nBy: /s/ Jane Roe\nDate: \
             4/30/2004\n\nBETA TOOLS LLC\n\nBy: /s/ Ann Lee\nDate: 5/3/2004",
            "2004-05-03",
            "2004-05-03",
        ),
        (
            "Executed in two originals at Houston, Texas, this 3rd day of May, 2004.\n\nACME FOODS, INC.\n\nBy: /s/ Jane Roe",
            "2004-05-03",
            "",
        ),
        ("SIGNED for and on behalf of ACME FOODS, INC. on this 3rd day of May 2004.\n\n/s/ Jane Roe", "2004-05-03", ""),
    ] {
        check(&[(&format!("{opening}{signatures}"), agreement, effective)]);
    }
}

#[test]
fn definitions_give_the_effective_date() {
    let opening = "SERVICE AGREEMENT\n\nThis Service Agreement is made on May 3, 2004 by and between Acme Foods, Inc. (\"Acme\") and Beta \
                   Tools LLC (\"Beta\").\n\n1. Definitions.\n\n";
    for (definition, effective) in [
        ("\"Effective Date\" means June 1, 2004.", "2004-06-01"),
        ("\"Effective Date\" shall mean the date first above written.", "2004-05-03"),
        ("The effective date of this Agreement is June 1, 2004.", "2004-06-01"),
        ("This Agreement shall become effective on June 1, 2004.", "2004-06-01"),
        ("This Agreement shall be effective upon execution by both parties.", "2004-05-03"),
        ("The term of this Agreement shall commence on June 1, 2004 and continue for two years.", "2004-06-01"),
        ("\"Effective Date\": June 1, 2004.", "2004-06-01"),
        ("Effective Date:\n\nJune 1, 2004", "2004-06-01"),
        ("The effective date hereof is June 1, 2004.", "2004-06-01"),
        ("This Agreement shall come into force on June 1, 2004.", "2004-06-01"),
        ("This Agreement shall enter into force upon signature.", "2004-05-03"),
        ("This Agreement shall be deemed effective as of June 1, 2004.", "2004-06-01"),
        ("The term commences on the date of this Agreement.", "2004-05-03"),
        ("The Commencement Date of this Agreement is June 1, 2004.", "2004-06-01"),
        ("The term of this Agreement is two years from June 1, 2004.", "2004-06-01"),
        ("Term: June 1, 2004 - May 31, 2007", "2004-06-01"),
        ("The parties have executed this Agreement effective as of June 1, 2004.", "2004-06-01"),
        // Something else is effective, or the contract ends.
        ("Any amendment of this Agreement shall be effective when signed.", ""),
        ("Termination of this Agreement shall be effective on June 1, 2009.", ""),
        ("This Agreement shall be effective through and including March 31, 2009.", ""),
        // Another document's.
        ("The lease of the plant was effective as of June 1, 1999.", ""),
    ] {
        check(&[(&format!("{opening}{definition}\n"), "2004-05-03", effective)]);
    }
}

#[test]
fn days_of_other_documents_are_not_of_this_one() {
    check(&[
        (
            "FIRST AMENDMENT\n\nThis First Amendment to the Supply Agreement dated March 1, 2001 is entered into as of May 3, 2004 by and \
             between Acme Foods, Inc. (\"Acme\") and Beta Tools LLC (\"Beta\").\n\nWHEREAS",
            "2004-05-03",
            "",
        ),
        (
            "FIRST AMENDMENT\n\nThis First Amendment (the \"Amendment\"), dated May 3, 2004, amends that certain Supply Agreement, dated as of \
             March 1, 2001, by and between Acme Foods, Inc. (\"Acme\") and Beta Tools LLC (\"Beta\").\n\nWHEREAS",
            "2004-05-03",
            "",
        ),
    ]);
}

#[test]
fn the_effective_date_is_marked_in_many_ways() {
    for mark in [
        "(the Effective Date)",
        "(the \u{201c}Effective Date)",
        "(the \u{201c} Effective Date \u{201d})",
        "(the \"Effective Date\" of this Agreement)",
        "(hereinafter the Effective Date)",
        "(the \"Commencement Date\")",
        ", which shall be the effective date of this Agreement,",
    ] {
        let text = format!(
            "SUPPLY AGREEMENT\n\nThis Supply Agreement is made as of May 3, 2004 {mark} by and between Acme Foods, Inc. (\"Acme\") and Beta \
             Tools LLC (\"Beta\").\n\n1. Services. Acme supplies the Products.\n"
        );
        check(&[(&text, "2004-05-03", "2004-05-03")]);
    }
}

#[test]
fn days_are_read_as_they_are_filled_in() {
    for day in [
        "_3rd_ day of _May_, 2004",
        "3rd day of May, A.D. 2004",
        "3rd. day of May, 2004",
        "3rd day of May in the year of our Lord 2004",
    ] {
        let text = format!(
            "SUPPLY AGREEMENT\n\nThis Supply Agreement is made this {day} by and between Acme Foods, Inc. (\"Acme\") and Beta Tools LLC \
             (\"Beta\").\n\n1. Services. Acme supplies the Products.\n"
        );
        check(&[(&text, "2004-05-03", "")]);
    }
}

#[test]
fn the_day_of_filing_is_not_of_the_contract() {
    check(&[(
        "Source: ACME FOODS, INC., 8-K, 7/19/2004\n\nSUPPLY AGREEMENT\n\nThis Supply Agreement is made by and between Acme Foods, Inc. \
         (\"Acme\") and Beta Tools LLC (\"Beta\").\n\n1. Services. Acme supplies the Products.\n\nIN WITNESS WHEREOF, the parties have \
         executed this Agreement as of May 3, 2004.\n",
        "2004-05-03",
        "",
    )]);
}

#[test]
fn the_day_of_effect_may_stand_apart() {
    let parties = "Acme Foods, Inc., a Delaware corporation (\"Acme\"), and Beta Tools LLC (\"Beta\").\n\n1. Services.";
    for (head, clause, agreement, effective) in [
        (
            "This Agreement is entered into as of the Effective Date, May 3, 2004, between",
            "",
            "2004-05-03",
            "2004-05-03",
        ),
        (
            "Effective as of June 1, 2004\n\nThis Agreement is made as of May 3, 2004 between",
            "",
            "2004-05-03",
            "2004-06-01",
        ),
        (
            "This Agreement is made as of May 3, 2004 between",
            "This Agreement shall be in full force and effect from the date of its execution.",
            "2004-05-03",
            "2004-05-03",
        ),
        (
            "This Agreement is made as of May 3, 2004 between",
            "The parties agree that this Agreement shall be retroactive to April 1, 2004.",
            "2004-05-03",
            "2004-04-01",
        ),
        (
            "This Agreement is made as of May 3, 2004 between",
            "This Agreement will become effective and binding upon its execution by both parties.",
            "2004-05-03",
            "2004-05-03",
        ),
        // It speaks of its Effective Date, which the scan has lost, or which is another day.
        (
            "This Agreement is dated May 3, 2004 between",
            "Effective Date means May 3, 200ri. Acme owns its marks as at the Effective Date. Beta owns its marks on the Effective Date.",
            "2004-05-03",
            "2004-05-03",
        ),
        (
            "This Agreement is dated May 3, 2004 between",
            "\"Effective Date\" means the Closing Date. Acme owns its marks as at the Effective Date. Beta owns its marks on the Effective Date.",
            "2004-05-03",
            "",
        ),
        // No day.
        ("2017-2018 BOARD OF GOVERNORS\n\nThis Agreement is made between", "", "", ""),
    ] {
        check(&[(&format!("SUPPLY AGREEMENT\n\n{head} {parties}\n\n2. Term. {clause}\n"), agreement, effective)]);
    }
}

#[test]
fn days_of_other_contracts_and_forms_of_signing_are_told_apart() {
    const PARTIES: &str = "Acme Foods, Inc., a Delaware corporation (\"Acme\"), and Beta Tools LLC, an Ohio limited liability company (\"Beta\")";
    let signed = "IN WITNESS WHEREOF, the parties have executed this Agreement.\n\nACME FOODS, INC.\nBy: /s/ Jane Roe\nDate: May 3, 2004\n\n\
                  BETA TOOLS LLC\nBy: /s/ John Doe\nDate: May 5, 2004\n";
    for (opening, end, agreement, effective) in [
        (
            "This Agreement is between <parties> and shall be effective when signed by both parties.",
            signed,
            "2004-05-05",
            "2004-05-05",
        ),
        (
            "The parties entered into a Master Agreement effective January 5, 2001. This Agreement is made as of May 3, 2004 between <parties>.",
            "",
            "2004-05-03",
            "",
        ),
        (
            "This Amended and Restated Agreement is made as of May 3, 2004 and amends and restates the Agreement dated January 5, 2001, between \
             <parties>.",
            "",
            "2004-05-03",
            "",
        ),
        ("This Agreement is entered into by <parties>, of the other part, on May 3, 2004.", "", "2004-05-03", ""),
        (
            "This Agreement is made as of May 3, 2004 between <parties>.",
            "3. Lease. The Lease Agreement dated April 1, 2003 commenced on May 1, 2003.",
            "2004-05-03",
            "",
        ),
    ] {
        let text = format!(
            "SERVICES AGREEMENT\n\n{}\n\n1. Services. Acme serves Beta.\n\n{end}",
            opening.replace("<parties>", PARTIES)
        );
        let found = facts_of(&[&text]);
        let days = (values(&found, FactKind::AgreementDate), values(&found, FactKind::EffectiveDate));
        assert_eq!(days, (agreement.to_owned(), effective.to_owned()), "{opening}");
    }
}

#[test]
fn terms_end_with_years_that_are_counted() {
    for (clause, end) in [
        (
            "The term of this Agreement is for a period beginning on the date hereof and ending three years thereafter.",
            "2007-05-03",
        ),
        ("This Agreement shall expire at the end of the fifth year following the Effective Date.", "2009-05-03"),
        ("This Agreement shall expire at the end of the second (2nd) year after the date hereof.", "2006-05-03"),
    ] {
        let found = facts_of(&[&format!("{OPENING}2. Term. {clause}\n")]);
        assert_eq!(values(&found, FactKind::Expiry), end, "{clause}");
    }
}

#[test]
fn an_amendment_has_not_the_day_of_the_agreement_it_amends() {
    check(&[
        (
            "AMENDMENT 1 TO SUPPLY AGREEMENT\n\nThis is the First Amendment to the Supply Agreement (\"Supply Agreement\") entered into on \
             April 15, 2004, by and between Acme Foods, Inc. and Beta Tools LLC.\n\n1. Prices.",
            "",
            "",
        ),
        (
            "SCHEDULE 3\n\nThis Schedule is made to that Software License, Support and Maintenance Agreement, by and between Acme Foods, Inc. \
             (\"Acme\") and Beta Tools LLC (\"Beta\"), dated November 5, 2004, as amended.\n\n1. Services.",
            "",
            "",
        ),
        (
            "This Amendment to the Supply Agreement (the \"Amendment\") is made as of May 3, 2004 between Acme Foods, Inc. and Beta Tools \
             LLC.\n\n1. Prices.",
            "2004-05-03",
            "",
        ),
    ]);
}
