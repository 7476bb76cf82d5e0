//! Forms with blanks, and names near the parties that are none.

use casetrack_nlp::FactKind;

use super::{facts_of, values};

fn check(cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, parties) in cases {
        let found =
            values(&facts_of(&[&format!("AGREEMENT\n\n{text}\n\n1. Purpose. The parties talk.")]), FactKind::Party);
        if found != *parties {
            wrong.push(format!("{found:?}, not {parties:?}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_party_does_not_get_the_term_of_a_blank() {
    check(&[
        (
            "This Agreement is by and between Acme Foods, Inc. with offices at 12 Main Street, Salem, Oregon (the \"Disclosing Party\"), and \
             ____________ (the \"Recipient\").",
            "Acme Foods, Inc. (\"Disclosing Party\")",
        ),
        (
            "This Agreement is made between Acme Foods, Inc. with offices in Salem and ____________ (the \"Recipient\").",
            "Acme Foods, Inc.",
        ),
        (
            "This Agreement is made by and between, the State of Salem (the \"State\"), and (\"Vendor\") for itself.",
            "State of Salem (\"State\")",
        ),
        (
            "This Agreement is between Acme Foods, Inc., and the person or entity identified below (\"User\").",
            "Acme Foods, Inc.",
        ),
        (
            "This Agreement is entered into between ____________ (\"Recipient\") and Acme Foods, Inc., doing business as Salem Kitchens \
             (\"Discloser\").",
            "Acme Foods, Inc. (d/b/a Salem Kitchens, \"Discloser\")",
        ),
        (
            "This Agreement is made by the undersigned ________ (\"Recipient\"), in favor of Salem Power Company, Inc. and Salem Transco LLC \
             (collectively \"SPC\").",
            "Salem Power Company, Inc.; Salem Transco LLC (\"SPC\")",
        ),
        (
            "This Agreement is entered into below, between and the Board of Regents of the University of Salem (\"University\").",
            "Board of Regents of the University of Salem (\"University\")",
        ),
    ]);
}

#[test]
fn the_words_of_a_blank_are_no_name() {
    for blank in [
        "[COMPANY NAME]",
        "Full Company Name",
        "Target Company",
        "the Receiving Company",
        "Intern Name",
        "Insert Name",
        "A Salem University",
        "Dear Sir/Madam",
        "Candidate",
    ] {
        check(&[(
            &format!("This Agreement is between {blank} (\"Company\") and Acme Foods, Inc. (\"Acme\")."),
            "Acme Foods, Inc. (\"Acme\")",
        )]);
    }
}

#[test]
fn what_is_defined_near_a_party_is_no_term_for_it() {
    check(&[
        (
            "This Agreement is made between Acme Foods, Inc., for a sale of goods (the \"Transaction\"), and Beta Tools LLC (\"Beta\"), for the \
             Salem plant (the \"Project\").",
            "Acme Foods, Inc.; Beta Tools LLC (\"Beta\")",
        ),
        // Unless the party has the word in its name.
        (
            "This Agreement is made between Salem Software, Inc. (the \"Software\") and Beta Tools LLC (\"Beta\").",
            "Salem Software, Inc. (\"Software\"); Beta Tools LLC (\"Beta\")",
        ),
    ]);
}

#[test]
fn what_describes_a_party_is_no_party() {
    check(&[
        (
            "This Agreement is made between Acme Foods, Inc., represented by its President, Jane Roe (\"Acme\"), and Beta Tools LLC, represented \
             by John Lee, its Manager (\"Beta\").",
            "Acme Foods, Inc. (\"Acme\"); Beta Tools LLC (\"Beta\")",
        ),
        (
            "This Agreement is made between the State of Salem, acting by and through its Department of Health and Mental Hygiene \
             (\"Department\"), and Beta Tools LLC (\"Beta\").",
            "State of Salem (\"Department\"); Beta Tools LLC (\"Beta\")",
        ),
        (
            "This Agreement is between Acme Foods, LLC (\"Acme\"), the Manager and Operator of the Salem National Laboratory (\"SNL\") under a \
             contract for the U.S. Department of Energy (\"DOE\"), and Beta Tools LLC (\"Beta\").",
            "Acme Foods, LLC (\"Acme\"); Beta Tools LLC (\"Beta\")",
        ),
        (
            "This Agreement is made between Acme Foods, Inc. with address at; 2440 SE Federal Hwy., Suite 101, Stuart FL 34994 and Beta Tools LLC \
             (\"Beta\").",
            "Acme Foods, Inc.; Beta Tools LLC (\"Beta\")",
        ),
        (
            "This Agreement is between Acme Foods, Inc. dba Salem Kitchens, a company of Ohio (\"Acme\"), and ________ (\"Supplier\").",
            "Acme Foods, Inc. (dba Salem Kitchens, \"Acme\")",
        ),
    ]);
}

#[test]
fn names_end_where_their_form_ends_and_not_at_every_joint() {
    check(&[
        (
            "This Agreement is made between BETA TOOLS LLC Unit 23, Metro Centre, London (\"BETA\") and Acme Foods Pty Ltd ACN 123 456 789 \
             (\"Acme\").",
            "BETA TOOLS LLC (\"BETA\"); Acme Foods Pty Ltd (\"Acme\")",
        ),
        (
            "This Agreement is made between Teqa Holding S.\u{e0} r.l. 44 Avenue J. F. Kennedy, L-1855 Luxembourg, and Beta Tools LLC (\"Beta\").",
            "Teqa Holding S.\u{e0} r.l.; Beta Tools LLC (\"Beta\")",
        ),
        (
            "This Agreement is made between the State of Ohio, Bureau of Workers' Compensation (\"Bureau\"), and Beta Tools LLC (\"Beta\").",
            "State of Ohio, Bureau of Workers' Compensation (\"Bureau\"); Beta Tools LLC (\"Beta\")",
        ),
        (
            "This Agreement is made between thoughtsalem, inc. having its place of business at 41 Main Street, and Beta Tools LLC (\"Beta\").",
            "thoughtsalem, inc.; Beta Tools LLC (\"Beta\")",
        ),
        (
            "This Agreement is entered into by and between The Knights of Salem Sp. z o.o., a Limited Liability Company of Poland, and ________, a \
             company of ________.",
            "The Knights of Salem Sp. z o.o.",
        ),
        (
            "THIS AGREEMENT BETWEEN Salem Project Managers, Company Registration Number: ____; AND ____, Company Registration Number: ____.",
            "Salem Project Managers",
        ),
        (
            "THIS AGREEMENT is made the ____ day of ____ BETWEEN:- (1) ____ (disclosing party) of ____ (2) Salem Pty Ltd (receiving party) of 28 \
             Main Street.",
            "Salem Pty Ltd",
        ),
        (
            "This Agreement is made by and between PARTY 1: Salem Kitchen of 151 Copse Hill, London PARTY 2: ________.",
            "Salem Kitchen (\"PARTY 1\")",
        ),
        ("This Agreement is between Inria, and Beta Tools LLC (\"User\").", "Inria; Beta Tools LLC (\"User\")"),
        (
            "SENDER ACME FOODS LIMITED\n\nTAX ID 12\n\nSHIPPER BETA TOOLS S.A. TAX ID 13",
            "ACME FOODS LIMITED (\"SENDER\"); BETA TOOLS S.A. (\"SHIPPER\")",
        ),
    ]);
}

#[test]
fn a_title_ends_with_its_last_word() {
    for (text, title) in [
        (
            "Non-Disclosure Agreement\nThe following terms apply between Acme Foods, Inc. (\"Acme\") and Beta Tools LLC (\"Beta\").",
            "Non-Disclosure Agreement",
        ),
        ("JOINT FILING AGREEMENT The undersigned agree to file jointly.", "JOINT FILING AGREEMENT"),
    ] {
        assert_eq!(values(&facts_of(&[text]), FactKind::Title), title);
    }
}

#[test]
fn a_document_without_parties_has_only_a_title_that_stands_alone() {
    for (text, title) in [
        ("Notice of Delay\n\nDear Sir,\n\nUnder clause 7 of Amendment No. 1 we give notice of a delay.\n", ""),
        (
            "We extend the time for completion by fourteen days.\n\nYours faithfully,\n\nIngrid Solberg\nContract Administrator\n",
            "",
        ),
        (
            "Harbour Point: cost plan of 29 August 2025, for the meeting on site\nAdjusted Contract Sum 1,250,000\nPaid 900,000\n",
            "",
        ),
        ("Exhibit 10.2 Amendment No. 1\n\nThe terms below replace those of 3 May 2004.\n", "Amendment No. 1"),
        ("SERVICES AGREEMENT\n\nGeneral terms for all customers.\n", "SERVICES AGREEMENT"),
    ] {
        assert_eq!(values(&facts_of(&[text]), FactKind::Title), title, "{text}");
    }
}
