use casetrack_nlp::FactKind;

use super::{OPENING, facts_of, values};

#[test]
fn a_cap_on_liability_is_whole() {
    for (clause, expected) in [
        (
            "In no event shall either party's total liability exceed $1.5 million in any calendar year.",
            "$1.5 million in any calendar year",
        ),
        ("Supplier's aggregate liability shall not exceed U.S. $5,000,000.", "U.S. $5,000,000"),
        (
            "Supplier's liability shall not exceed the greater of (i) $5,000 and (ii) the fees paid.",
            "the greater of (i) $5,000 and (ii) the fees paid",
        ),
        (
            "The liability of Acme for damages, including but not limited to lost profits, shall not exceed $250,000.00; this does not \
             change the price.",
            "$250,000.00",
        ),
        (
            "Except for amounts that insurance covers, in no event shall the liability of Acme exceed the fees paid in the year before.",
            "the fees paid in the year before",
        ),
        (
            "Acme's maximum liability under Section 4.2 is limited to the amount paid for the Products under Section 3.1 of this Agreement.",
            "the amount paid for the Products under Section 3.1 of this Agreement",
        ),
        ("Beta shall maintain general liability insurance with coverage in excess of $2,000,000.", ""),
        ("Acme may claim damages, including but not limited to the amount of the price.", ""),
        ("The price shall not exceed $5,000.", ""),
    ] {
        let found = facts_of(&[&format!("{OPENING}2. Liability. {clause} The parties shall talk.\n")]);
        assert_eq!(values(&found, FactKind::LiabilityCap), expected, "{clause}");
    }
}

#[test]
fn terms_of_payment_are_those_of_invoices() {
    for (clause, expected) in [
        (
            "Beta shall pay each invoice within thirty (30) days after receipt of the invoice.",
            "30 days after receipt of the invoice",
        ),
        ("Payment terms are net 45 days.", "net 45 days"),
        ("All invoices are due within 2 weeks of the date of invoice.", "2 weeks of the date of invoice"),
        ("Acme shall deliver the Products within 30 days after the order.", ""),
        ("The term is five years from the date of this statement.", ""),
        ("Approved change orders due for payment, net 330,500 pounds.", ""),
        ("Each invoice is paid net of 5 per cent retention.", ""),
    ] {
        let found = facts_of(&[&format!("{OPENING}2. {clause}\n")]);
        assert_eq!(values(&found, FactKind::PaymentTerms), expected, "{clause}");
    }
}
