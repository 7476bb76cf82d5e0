use casetrack_core::EntityValue;

use super::*;

fn dates(text: &str) -> Vec<String> {
    find(&Tokens::new(text), DateOrder::MonthFirst)
        .mentions
        .into_iter()
        .filter_map(|mention| match mention.value {
            Some(EntityValue::Date(date)) if date.first == date.last => Some(date.first),
            Some(EntityValue::Date(date)) => Some(format!("{}/{} {:?}", date.first, date.last, date.precision)),
            _ => None,
        })
        .collect()
}

fn role_of(text: &str) -> Option<String> {
    find(&Tokens::new(text), DateOrder::MonthFirst).mentions.into_iter().next().and_then(|mention| mention.role)
}

#[test]
fn days_in_every_written_form() {
    for text in [
        "on January 5, 2023.",
        "on Jan. 5, 2023",
        "on Jan 5 2023",
        "JANUARY 5, 2023",
        "January 5th, 2023",
        "5 January 2023",
        "5 Jan. 2023",
        "the 5th day of January, 2023",
        "this 5th day of January 2023",
        "the fifth day of January, 2023",
        "the fifth (5th) day of January, 2023",
        "2023-01-05",
        "2023/01/05",
        "01/05/2023",
        "1/5/23",
        "5.1.2023",
        "05-Jan-2023",
        "5-Jan-23",
        "January\n5, 2023",
        "January 5 , 2023",
        "January 5,2023",
        "01 / 05 / 2023",
        "2023-01-05T10:00:00Z",
        "2023-01-05 10:00",
        "5th of January, 2023",
        "January fifth, 2023",
        "the 5th day of January, in the year 2023",
        "the 5th day of January, two thousand twenty-three (2023)",
        "Jan 5, '23",
        "5th January, 2023",
        "1-5-2023",
        "(January 5, 2023)",
        "the 5 th day of January, 2023",
        "Date:01/05/2023",
        "January. 5th 2023",
    ] {
        assert_eq!(dates(text), ["2023-01-05"], "{text}");
    }
}

#[test]
fn longer_periods_and_ranges() {
    for (text, expected) in [
        ("March 2023", "2023-03-01/2023-03-31 Month"),
        ("in March of 2023", "2023-03-01/2023-03-31 Month"),
        ("03/2023", "2023-03-01/2023-03-31 Month"),
        ("Q3 2023", "2023-07-01/2023-09-30 Quarter"),
        ("3Q23", "2023-07-01/2023-09-30 Quarter"),
        ("the third quarter of 2023", "2023-07-01/2023-09-30 Quarter"),
        ("the third fiscal quarter of fiscal year 2023", "2023-07-01/2023-09-30 Quarter"),
        ("Q3 FY23", "2023-07-01/2023-09-30 Quarter"),
        ("the first half of 2023", "2023-01-01/2023-06-30 Range"),
        ("fiscal year 2023", "2023-01-01/2023-12-31 Year"),
        ("FY23", "2023-01-01/2023-12-31 Year"),
        ("fiscal 2023", "2023-01-01/2023-12-31 Year"),
        ("in 2023", "2023-01-01/2023-12-31 Year"),
        ("since 2023", "2023-01-01/2023-12-31 Year"),
        ("© 2023 Acme", "2023-01-01/2023-12-31 Year"),
        ("January 1 to March 31, 2023", "2023-01-01/2023-03-31 Range"),
        ("January 1, 2022 through March 31, 2023", "2022-01-01/2023-03-31 Range"),
        ("1 January to 31 March 2023", "2023-01-01/2023-03-31 Range"),
        ("between January 1, 2023 and March 31, 2023", "2023-01-01/2023-03-31 Range"),
        ("between January 1, 2023, and March 31, 2023", "2023-01-01/2023-03-31 Range"),
        ("January to March 2023", "2023-01-01/2023-03-31 Range"),
        ("Jan. 5-7, 2023", "2023-01-05/2023-01-07 Range"),
        ("5-7 January 2023", "2023-01-05/2023-01-07 Range"),
        ("2019-2021", "2019-01-01/2021-12-31 Range"),
        ("2019–2021", "2019-01-01/2021-12-31 Range"),
        ("from 2019 to 2021", "2019-01-01/2021-12-31 Range"),
        ("between 2019 and 2021", "2019-01-01/2021-12-31 Range"),
        ("[]/[]/2020", "2020-01-01/2020-12-31 Year"),
        ("05/[]/2000", "2000-05-01/2000-05-31 Month"),
        ("____ day of March, 2019", "2019-03-01/2019-03-31 Month"),
        ("this [●] day of [●], 2019", "2019-01-01/2019-12-31 Year"),
        ("March __, 2019", "2019-03-01/2019-03-31 Month"),
    ] {
        assert_eq!(dates(text), [expected], "{text}");
    }
}

#[test]
fn other_numbers_are_no_dates() {
    for text in [
        "version 1.2.2023.4",
        "Section 5.1.2",
        "call 555-1234",
        "10.0.0.1",
        "at 10:30",
        "for $2,000",
        "2019 employees",
        "in 2000 cases",
        "room 2023",
        "you may 5 times",
        "on January 5",
        "March on",
        "we march 20 miles",
        "February 30, 2023",
        "99/99/2023",
        "1/2 of 2",
        "#2023",
        "12-34-5678-9",
        "a 2-year term",
        "EX-10.1",
        "in 2023.5",
        "May be",
        "INV-2023-0042",
        "2023-01-05-7",
    ] {
        assert_eq!(dates(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn the_role_is_what_the_text_says() {
    for (text, role) in [
        ("This Agreement is effective as of January 5, 2023.", "effective date"),
        ("Effective Date: January 5, 2023", "effective date"),
        ("made as of January 5, 2023 (the \"Effective Date\")", "effective date"),
        (
            "This Agreement is made and entered into as of this 5th day of January, 2023 by and between",
            "agreement date",
        ),
        ("This Agreement, dated as of January 5, 2023", "agreement date"),
        ("Expiration Date & Time\n\nJanuary 5, 2023", "expiration date"),
        ("This Lease Amendment (\"Amendment\") is made and entered into as of January 5, 2023", "agreement date"),
        ("shall expire on January 5, 2023", "expiration date"),
        ("shall terminate on January 5, 2023", "termination date"),
        ("payment is due on January 5, 2023", "due date"),
        ("The hearing is set for January 5, 2023", "hearing date"),
        ("filed on January 5, 2023", "filing date"),
        ("By: ___ Name: J. Doe Title: CEO Date: January 5, 2023", "signature date"),
        ("born on January 5, 1980", "birth date"),
        ("The Closing Date shall be January 5, 2023", "closing date"),
        ("to be delivered by January 5, 2023", "delivery date"),
        ("The term renews on January 5, 2023", "renewal date"),
        ("a meeting held on January 5, 2023", "meeting date"),
        ("on January 5, 2023 (the \"Launch Date\")", "launch date"),
    ] {
        assert_eq!(role_of(text).as_deref(), Some(role), "{text}");
    }
    for text in
        ["under the Credit Agreement dated as of January 5, 2023", "The sky was blue. On January 5, 2023 it rained."]
    {
        assert_eq!(role_of(text), None, "{text}");
    }
}
