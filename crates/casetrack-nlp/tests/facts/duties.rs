use casetrack_core::Cancel;
use casetrack_nlp::{Obligation, annotate, obligations};

use super::{NoNames, OPENING};

fn duties(text: &str) -> Vec<Obligation> {
    let text = format!("{OPENING}{text}");
    obligations(&[&text], &annotate(&NoNames, &[&text], None, &Cancel::default()).unwrap())
}

#[test]
fn what_is_payable_by_a_day_is_due_then() {
    let found = duties(
        "3. Fees. The fees are as follows: a. $500,000 for the laboratory, payable in total by no later than July 20, 2005. b. $100 is due on \
         or before July 30, 2005. c. The notes are payable as described in the schedule.",
    );
    let days: Vec<_> = found.iter().filter_map(|duty| duty.due.as_deref()).collect();
    assert_eq!(days, ["2005-07-20", "2005-07-30"]);
    assert!(found[0].what.contains("$500,000") && found[0].what.ends_with("July 20, 2005"), "{}", found[0].what);
}

#[test]
fn a_length_of_time_counts_from_a_stated_day() {
    let found = duties(
        "3. Fees. Beta shall pay the balance within 30 days of 15 February 2005. Acme shall deliver the plan within ten days after May 1, 2005. \
         Beta shall pay the fee within ten days after the delivery of May 1, 2005. Acme shall give notice at least 30 days before March 1, 2006.",
    );
    let days: Vec<_> = found.iter().map(|duty| duty.due.as_deref()).collect();
    assert_eq!(days, [Some("2005-03-17"), Some("2005-05-11"), None, Some("2006-01-30")]);
    assert_eq!(found[0].computed.as_deref(), Some("30 days from 2005-02-15 (p. 1)"));
}

#[test]
fn a_duty_with_a_day_is_found_once() {
    let found = duties("3. Fees. Beta shall pay all sums that are due by July 20, 2005.");
    let said: Vec<_> = found.iter().map(|duty| (duty.who.as_str(), duty.due.as_deref())).collect();
    assert_eq!(said, [("Beta", Some("2005-07-20"))]);
}

#[test]
fn a_day_on_which_something_happened_is_no_day_by_which_it_is_due() {
    let said = |text| duties(text).into_iter().filter_map(|duty| duty.due).collect::<Vec<_>>();
    assert!(said("3. Report. Acme shall follow the report filed with the commission on February 27, 2004.").is_empty());
    let to_come = "3. Report. Acme must be filed with the commission on February 27, 2005.";
    assert_eq!(said(to_come), ["2005-02-27"]);
}

#[test]
fn a_word_of_the_contract_stands_for_its_party() {
    let found = duties(
        "3. Duties. Beta shall pay the price by July 20, 2005. The Beta shall report each month. Each party shall keep records by August 1, \
         2005.",
    );
    let said: Vec<_> = found.iter().map(|duty| (duty.who.as_str(), duty.parties.join("; "))).collect();
    let name = || "Beta Tools LLC".to_owned();
    assert_eq!(said, [("Beta", name()), ("The Beta", name()), ("Each party", String::new())]);
}

#[test]
fn a_long_document_keeps_all_duties_and_the_day_to_give_notice() {
    let term = "2. Term. This Agreement expires on May 3, 2009. It renews for successive terms of one year unless a party gives notice of \
                non-renewal at least 60 days before the end of the term. ";
    let duty = |n: usize| format!("3.{n} Beta shall pay ${n} each month. ");
    let text = format!("{term}{}", (1..700).map(duty).collect::<String>());
    let found = duties(&text);
    assert!(found.len() >= 699, "{}", found.len());
    assert_eq!(found.last().unwrap().due.as_deref(), Some("2009-03-04"));
}
