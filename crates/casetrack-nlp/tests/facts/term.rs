//! Expiry, renewal and the notice that prevents it. The opening is of May 3, 2004.

use casetrack_nlp::FactKind;

use super::{OPENING, facts_of, values};

fn check(kind: FactKind, cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (clause, value) in cases {
        let found = values(&facts_of(&[&format!("{OPENING}2. Term. {clause}\n")]), kind);
        if found != *value {
            wrong.push(format!("{found:?}, not {value:?}: {clause}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn stated_days_end_the_term() {
    check(
        FactKind::Expiry,
        &[
            (
                "This Agreement shall continue in effect until December 31, 2010, unless terminated earlier.",
                "2010-12-31",
            ),
            ("This Agreement shall be effective through and including December 31, 2010.", "2010-12-31"),
            ("The term begins on the Effective Date and ends at midnight on December 31, 2010.", "2010-12-31"),
            ("The Term shall commence on July 1, 2004 and extend through June 30, 2007.", "2007-06-30"),
            ("Term: July 1, 2004 to June 30, 2007.", "2007-06-30"),
            ("Expiration Date: June 30, 2007", "2007-06-30"),
            ("\"Term\" means the period commencing on the Effective Date and ending on June 30, 2007.", "2007-06-30"),
            (
                "\"Contract Period\" shall mean that period of time from July 1, 2004 through June 30, 2007.",
                "2007-06-30",
            ),
            (
                "The initial term of this Agreement shall be for a period of three years, ending on June 30, 2007.",
                "2007-06-30",
            ),
            (
                "The term of this Agreement shall terminate as of the close of business on the 30th day of June, 2007.",
                "2007-06-30",
            ),
            ("The term of this Agreement is July 1, 2004 - June 30, 2007.", "2007-06-30"),
            ("This Agreement shall continue in effect until 5:00 p.m. on June 30, 2007.", "2007-06-30"),
            ("\"Expiration Date\" means June 30, 2007.", "2007-06-30"),
            ("This Agreement shall expire, unless previously terminated, on June 30, 2007.", "2007-06-30"),
            ("Expiration: June 30, 2007", "2007-06-30"),
            ("This Agreement shall cease on June 30, 2007.", "2007-06-30"),
            // Another thing ends.
            (
                "The lease of the plant expires on June 30, 2007. Acme shall deliver the Products until June 30, 2005.",
                "",
            ),
        ],
    );
}

const LENGTHS: &[(&str, &str)] = &[
    ("The term of this Agreement is twelve (12) months.", "2005-05-03"),
    (
        "This Agreement shall remain in full force and effect for two (2) years following the Effective Date, and shall then be renewed.",
        "2006-05-03",
    ),
    ("This Agreement has a five-year term beginning on the Effective Date.", "2009-05-03"),
    ("The Term of this Agreement shall expire five years after the Effective Date.", "2009-05-03"),
    ("This Agreement shall be in effect for one year commencing on the date hereof.", "2005-05-03"),
    (
        "The initial term shall commence on the Effective Date and end on the date that is three (3) years after the Effective Date.",
        "2007-05-03",
    ),
    (
        "This Agreement shall commence on the Effective Date and shall continue for ten (10) Contract Years.",
        "2014-05-03",
    ),
    (
        "The Term of this Agreement shall begin on the Effective Date and shall end fifteen months therefrom.",
        "2005-08-03",
    ),
    ("The term of this Agreement is for a period of three (3) years from July 1, 2005.", "2008-07-01"),
    ("The term shall begin on July 1, 2005 and shall continue for a period of two years thereafter.", "2007-07-01"),
    ("This Agreement shall expire on the third (3rd) anniversary of the Effective Date.", "2007-05-03"),
    ("This Agreement will continue until the fifth anniversary of the date of this Agreement.", "2009-05-03"),
    (
        "This Agreement is effective as of the Effective Date and, unless terminated earlier, shall continue for an initial period of eighteen (18) months.",
        "2005-11-03",
    ),
    (
        "Unless earlier terminated as provided herein, the term of this Agreement shall be two (2) years from the date first above written.",
        "2006-05-03",
    ),
    ("Three (3) years from the Effective Date.", "2007-05-03"),
    ("The term hereof shall be three (3) years.", "2007-05-03"),
    ("This is a three (3) year agreement.", "2007-05-03"),
    ("The term of this Agreement shall extend for three (3) years from the Effective Date.", "2007-05-03"),
    ("The term of this Agreement expires on the third anniversary hereof.", "2007-05-03"),
    (
        "Unless terminated earlier, the term of this Agreement will be the period commencing on the Effective Date and ending on the third anniversary thereof.",
        "2007-05-03",
    ),
    (
        "This Agreement will commence upon the Effective Date and expire upon the fourth (4th) anniversary thereof.",
        "2008-05-03",
    ),
    (
        "The Term shall be for a period commencing on the Effective Date and expiring at midnight on the date five (5) years from the Effective Date.",
        "2009-05-03",
    ),
    (
        "This Agreement will remain in effect for a period of two years from the date on which it was signed.",
        "2006-05-03",
    ),
    ("Acme engages Beta for a period of two (2) years commencing on the date hereof.", "2006-05-03"),
    ("The term shall commence upon the Effective Date and shall expire ten years from such date.", "2014-05-03"),
    (
        "This Agreement shall be effective upon execution and shall continue for a period of twenty-four (24) months.",
        "2006-05-03",
    ),
    ("The primary term shall be ten years, and this Agreement shall then be effective month to month.", "2014-05-03"),
    // The contract does not give the day that it counts from.
    (
        "The term of this Agreement shall be five (5) years from the date of the first commercial sale of a Product.",
        "5 years from the date of the first commercial sale of a Product",
    ),
    (
        "The term of this Agreement begins on the Launch Date and continues for two years.",
        "2 years from the Launch Date",
    ),
    (
        "The term shall end on the later of (a) two years after delivery and (b) the closing of the offering.",
        "the later of (a) two years after delivery and (b) the closing of the offering",
    ),
    (
        "The term of this Agreement shall begin on the Delivery Date of the last unit and continue for three (3) years.",
        "3 years from the Delivery Date",
    ),
];

#[test]
fn lengths_count_from_the_day_that_the_contract_gives() {
    check(FactKind::Expiry, LENGTHS);
}

#[test]
fn some_contracts_have_no_end() {
    check(
        FactKind::Expiry,
        &[
            (
                "This Agreement shall remain in effect until terminated by either party upon thirty (30) days' prior written notice.",
                "perpetual",
            ),
            ("This Agreement will continue in force for perpetuity or until otherwise agreed in writing.", "perpetual"),
            ("This Agreement is for an indefinite term.", "perpetual"),
            ("The term of this Agreement is indefinite.", "perpetual"),
            ("This Agreement is entered into for an unlimited period.", "perpetual"),
            (
                "This Agreement shall remain effective unless terminated by either party upon sixty days notice.",
                "perpetual",
            ),
            ("This Agreement shall be valid for an indefinite period.", "perpetual"),
            (
                "This Agreement shall commence on the Effective Date and continue unless and until either party gives notice of termination.",
                "perpetual",
            ),
            (
                "The term of this Agreement begins on the Effective Date and will end when terminated by either party.",
                "perpetual",
            ),
        ],
    );
}

#[test]
fn notices_prevent_renewal() {
    check(
        FactKind::NoticePeriod,
        &[
            (
                "The term renews for successive one-year periods unless either party gives written notice at least sixty (60) days prior to the end of the then-current term.",
                "60 days",
            ),
            (
                "The initial term of this Agreement is one year. It shall be automatically extended for additional one year terms unless a party notifies the other in writing of its intention not to renew ninety (90) days before expiration.",
                "90 days",
            ),
            (
                "This Agreement shall automatically renew for successive terms of one (1) year each, unless terminated by either party on not less than six (6) months' written notice prior to the end of the initial term or any renewal.",
                "6 months",
            ),
            (
                "Thereafter, this Agreement shall continue from year to year unless either party gives thirty days' notice of non-renewal.",
                "30 days",
            ),
            (
                "Unless either party provides the other with notice of its intent not to renew no later than one hundred twenty (120) days prior to the expiration of the Initial Term, this Agreement will renew for a further term of two years.",
                "120 days",
            ),
            (
                "The Agreement shall be renewed for additional terms of one year each, unless notice of termination is given by either party to the other at least 6 months before the end of the term.",
                "6 months",
            ),
            (
                "Upon expiration of the Initial Term, this Agreement shall automatically renew from month to month until cancelled by either party on thirty (30) days written notice.",
                "30 days",
            ),
            (
                "This Agreement shall continue until terminated by either party upon thirty (30) days written notice.",
                "30 days",
            ),
            // It ends a fixed term early, or renews one.
            (
                "The term is one year from the Effective Date, unless it is terminated earlier by a party with thirty (30) days written notice.",
                "",
            ),
            (
                "Beta may renew this Agreement for an additional term of one year by giving Acme ninety (90) days prior written notice.",
                "",
            ),
            // Notice of something else.
            ("Either party may terminate this Agreement on thirty (30) days' notice of a material breach.", ""),
        ],
    );
}

#[test]
fn a_term_without_a_day_is_a_formula() {
    check(
        FactKind::Expiry,
        &[
            ("The term is fifteen years from the In-Service Date.", "15 years from the In-Service Date"),
            (
                "This Agreement shall remain in effect for thirty-six (36) months following the Hosting Service Ready Date (\"Term\"), unless terminated earlier.",
                "3 years from the Hosting Service Ready Date",
            ),
            (
                "The term of this Agreement shall commence on the Services Commencement Date and remain effective for ten (10) years.",
                "10 years from the Services Commencement Date",
            ),
            (
                "This Agreement shall remain in effect until the last addendum expires.",
                "until the last addendum expires",
            ),
            (
                "This Agreement shall expire on the later of (a) the end of the 2023 season and (b) three years from the Launch Date.",
                "the later of (a) the end of the 2023 season and (b) three years from the Launch Date",
            ),
            (
                "This Agreement shall continue for an initial term of one (1) year from the Launch Date and indefinitely after that until terminated by either party.",
                "1 year from the Launch Date",
            ),
            // The day of the contract under another name is a day.
            (
                "The term is three years commencing on the date first set forth above (the \"Commencement Date\") and ends on the third anniversary of the Commencement Date.",
                "2007-05-03",
            ),
            ("This Agreement will be in effect until the end of 2006.", "2006-12-31"),
            ("The term of this Agreement is hereby extended to January 20, 2012.", "2012-01-20"),
            // A blank states nothing.
            ("The term is ___ years from the Launch Date.", ""),
            ("This Agreement shall remain in effect until the [***].", ""),
        ],
    );
}
