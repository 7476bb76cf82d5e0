//! Dates, terms and law in the many forms in which drafters write them. The opening is of May 3, 2004, unless the case has its own.

use casetrack_nlp::FactKind;

use super::{OPENING, facts_of, values};

fn wrong_of(kind: FactKind, text: &str, value: &str) -> Option<String> {
    let found = values(&facts_of(&[text]), kind);
    (found != value).then(|| format!("{kind:?} {found:?}, not {value:?}: {text}"))
}

fn none(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_day_is_written_in_many_ways() {
    let mut wrong = Vec::new();
    for day in [
        "May 3rd 2004",
        "3rd May 2004",
        "03 May 2004",
        "May 3 , 2004",
        "May 3. 2004",
        "MAY 3, 2004",
        "May 03, 2004",
        "May 3 rd , 2004",
        "3-May-2004",
        "May 3,2004",
        "the 3rd day of May 2004",
        "this 3 rd day of May, 2004",
        "this 3rd of May, 2004",
        "this third day of May, 2004",
        "this third (3rd) day of May, 2004",
        "this third day of May, two thousand four",
        "this third day of May, Two Thousand and Four",
        "this 3rd day of May, two thousand four (2004)",
        "the 3rd day of the month of May, 2004",
        "this 3rd day of May in the year two thousand four",
        "May 3, 2004 A.D.",
        "5/3/04",
        "05/03/2004",
        "5-3-2004",
        "2004-05-03",
        "the third of May, 2004",
        "Monday, May 3, 2004",
        "May 3 2004",
        "this 3RD day of MAY, 2004",
        "3 day of May, 2004",
    ] {
        let text = format!(
            "SUPPLY AGREEMENT\n\nThis Supply Agreement is made as of {day} by and between Acme Foods, Inc. (\"Acme\") and Beta Tools LLC \
             (\"Beta\").\n\n1. Services. Acme supplies the Products.\n"
        );
        wrong.extend(wrong_of(FactKind::AgreementDate, &text, "2004-05-03"));
    }
    none(wrong);
}

#[test]
fn an_opening_marks_its_day_as_effective_in_many_ways() {
    let mut wrong = Vec::new();
    for opening in [
        "is made and entered into as of May 3, 2004 (\"Effective Date\") by and between",
        "is made and entered into as of May 3, 2004 (the \"Amendment Effective Date\") by and between",
        "is made and entered into as of May 3, 2004 (the \"Effective Date\" or the \"Closing\") by and between",
        "is made and entered into as of May 3, 2004 (such date, the \"Effective Date\") by and between",
        "is made and entered into, as of May 3, 2004 (herein called the \"Effective Date\"), by and between",
        "is made and entered into as of this 3rd day of May, 2004 [\"Effective Date\"] by and between",
        "effective as of May 3, 2004, is by and between",
        "effective May 3, 2004, is between",
        "is dated and effective as of May 3, 2004, by and between",
        "is made effective as of the 3rd day of May, 2004, by and between",
        "is made and shall be effective as of May 3, 2004 by and between",
        "is entered into and made effective this 3rd day of May, 2004 between",
        "(the \"Agreement\") is entered into with an effective date of May 3, 2004 between",
        "is entered into with effect from May 3, 2004 between",
        "is entered into to be effective May 3, 2004 by and between",
        "dated May 3, 2004 and effective as of such date, is between",
        "is entered into on May 3, 2004 (\"the Effective Date\") by and between",
        "is entered into on May 3, 2004 (hereinafter referred to as the \"Effective Date\"), by and between",
        "is entered into on May 3, 2004 (hereinafter referred to as \"Effective Date\") by and between",
        "is entered into on May 3, 2004, (\"Date of Agreement\" and \"Effective Date\") by and between",
        "becomes effective on May 3, 2004, and is between",
    ] {
        let text = format!(
            "SUPPLY AGREEMENT\n\nThis Supply Agreement {opening} Acme Foods, Inc. (\"Acme\") and Beta Tools LLC (\"Beta\").\n\n1. Services. \
             Acme supplies the Products.\n"
        );
        wrong.extend(wrong_of(FactKind::AgreementDate, &text, "2004-05-03"));
        wrong.extend(wrong_of(FactKind::EffectiveDate, &text, "2004-05-03"));
    }
    none(wrong);
}

#[test]
fn clauses_and_signatures_give_the_effective_date() {
    let opening = "SERVICE AGREEMENT\n\nThis Service Agreement is dated May 3, 2004 and made between Acme Foods, Inc. (\"Acme\") and Beta \
                   Tools LLC (\"Beta\").\n\n1. Definitions.\n\n";
    let mut wrong = Vec::new();
    for (clause, effective) in [
        ("1.2 \"Effective Date\" - June 1, 2004.", "2004-06-01"),
        ("1.2 Effective Date means the date of this Agreement.", "2004-05-03"),
        ("1.2 \"Effective Date\" means the date set forth in the first paragraph of this Agreement.", "2004-05-03"),
        ("1.2 \"Effective Date\" means the date on which this Agreement is signed by the last party.", "2004-05-03"),
        ("1.2 The \"Effective Date\" of this Agreement shall be June 1, 2004.", "2004-06-01"),
        ("This Agreement is effective as of June 1, 2004 and shall continue for two years.", "2004-06-01"),
        ("This Agreement will take effect on June 1, 2004.", "2004-06-01"),
        ("This Agreement shall commence on June 1, 2004.", "2004-06-01"),
        ("The initial term of this Agreement begins June 1, 2004 and ends May 31, 2007.", "2004-06-01"),
        ("This Agreement shall be for a term of three years commencing June 1, 2004.", "2004-06-01"),
        ("The term of this Agreement is from June 1, 2004 through May 31, 2007.", "2004-06-01"),
        ("This Agreement shall be in effect from June 1, 2004 until May 31, 2007.", "2004-06-01"),
        ("Term. Commencing June 1, 2004 and ending May 31, 2007.", "2004-06-01"),
        ("This Amendment is effective June 1, 2004.", "2004-06-01"),
        ("The effective date of this Amendment shall be June 1, 2004.", "2004-06-01"),
        (
            "IN WITNESS WHEREOF, the parties have executed this Agreement to be effective as of June 1, 2004.",
            "2004-06-01",
        ),
        ("IN WITNESS WHEREOF, the parties have signed this Agreement as of the Effective Date.", ""),
    ] {
        wrong.extend(wrong_of(FactKind::EffectiveDate, &format!("{opening}{clause}\n"), effective));
    }
    none(wrong);
}

const TERMS: &[(&str, &str)] = &[
    ("The term of this Agreement shall be one (1) year.", "2005-05-03"),
    ("This Agreement shall continue for an initial term of five (5) years from the Effective Date.", "2009-05-03"),
    ("This Agreement expires on the fifth anniversary of the Effective Date.", "2009-05-03"),
    ("This Agreement shall expire on the fifth (5th) anniversary of the date first set forth above.", "2009-05-03"),
    ("This Agreement shall be in effect through December 31, 2020.", "2020-12-31"),
    ("The term runs from the Effective Date to and including December 31, 2020.", "2020-12-31"),
    (
        "The Term shall be the period from the Effective Date until December 31, 2020 (the \"Expiration Date\").",
        "2020-12-31",
    ),
    (
        "Unless terminated sooner in accordance with Section 9, this Agreement shall remain in force until the third anniversary of the Effective Date.",
        "2007-05-03",
    ),
    (
        "The term of this Agreement shall commence on the Effective Date and, unless earlier terminated in accordance with this Agreement, shall continue in full force and effect for a period of seven (7) years.",
        "2011-05-03",
    ),
    (
        "Subject to Section 9, the term of this Agreement shall be for a period of 24 months beginning on the Effective Date (the \"Initial Term\").",
        "2006-05-03",
    ),
    (
        "This Agreement shall have an initial term of twenty (20) years commencing as of the Effective Date.",
        "2024-05-03",
    ),
    ("This Agreement shall terminate three (3) years from the date of execution.", "2007-05-03"),
    ("This Agreement shall terminate automatically on December 31, 2010.", "2010-12-31"),
    ("The Agreement will run for a period of twelve months from the date of signing.", "2005-05-03"),
    ("Its duration shall be ten years.", ""),
    ("The duration of this Agreement shall be ten years.", "2014-05-03"),
    ("This Agreement is valid for five (5) years after signature.", "2009-05-03"),
    ("This Agreement shall be valid until December 31, 2010.", "2010-12-31"),
    ("This Agreement shall commence on July 1, 2004 and shall expire on June 30, 2009.", "2009-06-30"),
    ("The term of the license granted hereunder is five years from the Effective Date.", "2009-05-03"),
    (
        "This Agreement will become effective on the Effective Date and will remain effective for a period of three (3) years, and will thereafter automatically renew for successive one (1) year periods.",
        "2007-05-03",
    ),
    (
        "The initial term of this Agreement will be two (2) years from the Effective Date and will automatically renew for additional one-year terms unless either party gives notice ninety (90) days before the end of the term.",
        "2006-05-03",
    ),
    ("The term of the Franchise is ten (10) years from the date of this Agreement.", "2014-05-03"),
    ("The Term of this Agreement shall be from July 1, 2004 until June 30, 2007, inclusive.", "2007-06-30"),
    ("The engagement shall last for six (6) months from the Effective Date.", "2004-11-03"),
    (
        "Consultant's engagement under this Agreement shall commence on the Effective Date and shall continue for one year.",
        "2005-05-03",
    ),
    (
        "The Term shall begin on the Effective Date and end on the day before the fifth anniversary of the Effective Date.",
        "2009-05-02",
    ),
    ("The term of this Agreement shall be co-terminous with the Supply Agreement.", ""),
    ("This Agreement shall be perpetual.", "perpetual"),
    ("The term of this Agreement shall be perpetual unless terminated as provided in Section 9.", "perpetual"),
    ("This Agreement shall continue until terminated in accordance with its terms.", "perpetual"),
    ("This Agreement shall remain in full force and effect until terminated as provided herein.", "perpetual"),
    ("This Agreement shall continue indefinitely until terminated by either party.", "perpetual"),
    ("This Agreement shall continue in effect in perpetuity.", "perpetual"),
];

#[test]
fn terms_end_in_many_ways() {
    let mut wrong = Vec::new();
    for &(clause, expiry) in TERMS {
        wrong.extend(wrong_of(FactKind::Expiry, &format!("{OPENING}2. Term. {clause}\n"), expiry));
    }
    none(wrong);
}

const LAWS: &[(&str, &str)] = &[
    ("Delaware law governs this Agreement.", "Delaware"),
    ("This Agreement is governed by the internal substantive laws of the Commonwealth of Virginia.", "Virginia"),
    ("THIS AGREEMENT IS GOVERNED BY TEXAS LAW.", "Texas"),
    ("This Agreement shall be governed by the law of Sweden.", "Sweden"),
    ("This Agreement shall be governed by and construed under Swiss law.", "Switzerland"),
    (
        "The construction and performance of this Agreement shall be governed by the laws of the State of Illinois, U.S.A.",
        "Illinois",
    ),
    (
        "This Agreement shall be deemed to have been made in, and shall be construed in accordance with the laws of, the State of Maine.",
        "Maine",
    ),
    (
        "This Agreement shall be governed by, construed and enforced in accordance with, and subject to, the laws of Ontario.",
        "Ontario",
    ),
    (
        "The interpretation of this Agreement shall be governed by the laws of the State of Ohio without regard to principles of conflicts of law.",
        "Ohio",
    ),
    ("This Agreement will be governed by the laws of the United States and the State of California.", "California"),
    (
        "Governing Law. This Agreement is a contract under the laws of the State of New York and shall be construed accordingly.",
        "New York",
    ),
    ("Applicable law: England and Wales.", "England and Wales"),
    (
        "This Agreement and its interpretation shall be governed exclusively by its terms and by the laws of Nevada.",
        "Nevada",
    ),
    (
        "This contract is made under, and shall be governed by, the laws of the District of Columbia.",
        "District of Columbia",
    ),
    ("All disputes shall be resolved in accordance with the laws of the State of Idaho.", "Idaho"),
    (
        "The rights of the parties hereunder shall be governed by the laws of the Federal Republic of Germany.",
        "Germany",
    ),
    (
        "This Agreement shall be governed by the laws of the Hong Kong Special Administrative Region.",
        "Hong Kong Special Administrative Region",
    ),
    ("Any dispute under this Agreement shall be determined under Michigan law.", "Michigan"),
    ("Choice of Law: This Agreement shall be governed by the laws of the state of Minnesota.", "Minnesota"),
    ("In all respects this Agreement shall be governed, interpreted, and construed by the laws of Oregon.", "Oregon"),
    (
        "This Agreement shall be governed by the laws (without giving effect to its conflict of laws principles) of the State of Delaware.",
        "Delaware",
    ),
    ("This Agreement shall be governed by the laws of [*].", ""),
    ("This Agreement shall be governed by the laws of the jurisdiction in which the Plant is located.", ""),
];

#[test]
fn the_law_is_named_in_many_ways() {
    let mut wrong = Vec::new();
    for &(clause, law) in LAWS {
        wrong.extend(wrong_of(FactKind::GoverningLaw, &format!("{OPENING}9. General. {clause}\n"), law));
    }
    none(wrong);
}

#[test]
fn notices_that_end_the_term_are_given_in_many_ways() {
    let mut wrong = Vec::new();
    for (clause, notice) in [
        (
            "This Agreement renews automatically for successive one-year terms unless either party notifies the other in writing of its decision not to renew at least 180 days before the expiration of the current term.",
            "180 days",
        ),
        (
            "The Term shall be extended automatically for periods of one year each unless one party gives the other three (3) months' prior written notice of termination.",
            "3 months",
        ),
        (
            "Upon expiration of the initial term this Agreement shall be renewed from year to year until cancelled by either party by giving sixty days' written notice before the end of any year.",
            "60 days",
        ),
        (
            "Either party may elect not to renew this Agreement by giving written notice to the other at least ninety (90) days prior to the end of the Initial Term or any Renewal Term.",
            "90 days",
        ),
        (
            "After the initial term, this Agreement will automatically continue for consecutive twelve-month periods, provided that either party may terminate it at the end of a period upon not less than 45 days' advance written notice.",
            "45 days",
        ),
        ("Acme shall give thirty (30) days' prior written notice of any change in price.", ""),
    ] {
        wrong.extend(wrong_of(FactKind::NoticePeriod, &format!("{OPENING}2. Term. {clause}\n"), notice));
    }
    none(wrong);
}
