//! Clauses by the trained model, and the words that deny them. The sentences are not of the contracts that trained it.

use casetrack_core::Annotations;
use casetrack_nlp::{Clause, FactKind, Facts, facts_and_doubts};

/// A contract with these clauses.
fn contract(clauses: &str) -> Facts {
    let text = format!(
        "SUPPLY AGREEMENT\n\nThis Supply Agreement is made as of March 3, 2015 by and between Northwind Mills, Inc., a Delaware corporation \
         (\"Supplier\"), and Harbour Foods LLC, an Ohio limited liability company (\"Buyer\").\n\n1. Goods\n\nSupplier shall deliver flour to \
         Buyer each month at the prices of Schedule A.\n\n{clauses}\n"
    );
    facts_and_doubts(&[&text], &Annotations::default())
}

fn of_kind(facts: &Facts, clause: Clause) -> Vec<(&str, &str)> {
    let of_kind = facts.known.iter().filter(|fact| fact.kind == FactKind::Clause(clause));
    of_kind.map(|fact| (fact.value.as_str(), fact.stated.as_deref().unwrap_or_default())).collect()
}

#[test]
fn a_clause_is_found_with_its_whole_sentence() {
    for (clause, said) in [
        (
            Clause::Assignment,
            "Neither party may assign this Agreement or any of its rights or obligations under it without the prior written consent of the \
             other party, and any attempted assignment without such consent is void.",
        ),
        (
            Clause::Audit,
            "Supplier shall keep complete books and records, and Buyer may audit those records once a year, on ten days' notice and during \
             normal business hours, to verify the amounts that were invoiced.",
        ),
        (
            Clause::Insurance,
            "Supplier shall maintain, at its own expense, commercial general liability insurance with limits of not less than $1,000,000 per \
             occurrence and shall name Buyer as an additional insured.",
        ),
    ] {
        let facts = contract(&format!("7. Miscellaneous\n\n{said}"));
        assert_eq!(of_kind(&facts, clause), [("yes", said)], "{clause:?}");
    }
}

#[test]
fn a_contract_without_a_clause_has_no_fact_of_it() {
    let facts = contract("2. Delivery\n\nThe flour is delivered to the mill of Buyer in Toledo.");
    for clause in [Clause::Audit, Clause::Insurance, Clause::NonCompete, Clause::NoSolicit, Clause::FirstRefusal] {
        assert_eq!(of_kind(&facts, clause), [], "{clause:?}");
    }
}

#[test]
fn words_that_deny_a_clause_are_a_no_also_over_a_line_break() {
    let said = "The appointment of Buyer as a distributor under this section is\nnon-exclusive, and both may deal with others.";
    let facts = contract(&format!("2. Appointment\n\n{said}"));
    assert_eq!(of_kind(&facts, Clause::Exclusivity), [("no", said.replace('\n', " ").as_str())]);
}

#[test]
fn a_text_that_is_no_contract_has_no_clauses() {
    let text = "Site diary\n\nRain all day. The insurance policy of the crane was renewed, and the auditors visited the records office.";
    let facts = facts_and_doubts(&[text], &Annotations::default());
    assert!(!facts.known.iter().chain(&facts.unsure).any(|fact| matches!(fact.kind, FactKind::Clause(_))));
}
