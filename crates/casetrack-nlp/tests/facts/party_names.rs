//! Names of parties in other languages, of trusts and of states, and where a name ends.

use casetrack_nlp::FactKind;

use super::names::names;
use super::{facts_of, values};

fn check(cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, parties) in cases {
        let found = names(text);
        if found != *parties {
            wrong.push(format!("{found:?}, not {parties:?}: {}", &text[..text.floor_char_boundary(90)]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The parties of an agreement between those that are written here.
fn check_between(cases: &[(&str, &str)]) {
    let texts: Vec<String> = cases
        .iter()
        .map(|(between, _)| {
            format!(
                "SALE AGREEMENT\n\nThis Agreement is dated 3 May 2004, by and between {between}\n\n1. Governing law. The laws of England."
            )
        })
        .collect();
    let cases: Vec<(&str, &str)> =
        texts.iter().zip(cases).map(|(text, (_, parties))| (text.as_str(), *parties)).collect();
    let mut wrong = Vec::new();
    for (text, parties) in cases {
        let found = names(text);
        if found != parties {
            wrong.push(format!("{found:?}, not {parties:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_label_ends_the_name_before_it() {
    check(&[
        (
            "SUBLEASE\nTenant: Salem Bakery GmbH\nLandlord: Akron Estates Ltd\nThis Sublease is made on 17 March 2025.\n1. Rent.",
            "Salem Bakery GmbH; Akron Estates Ltd",
        ),
        (
            "LOAN AGREEMENT\nLender: Salem Bank ASA\nBorrower: Akron Foods AS\nGuarantor: Jane Roe\n1. Loan.",
            "Salem Bank ASA; Akron Foods AS; Jane Roe",
        ),
        (
            "SALES CONTRACT\nSeller: Acme Foods, Inc.\nAddress: 12 Main Street\nBuyer: Beta Tools LLC\nContact Person: Ann Lee\n1. Goods.",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        (
            "SERVICES\nClient: Acme Foods Company\nCompany No. (UK): 12345\nSupplier: Beta Tools Ltd\nRegistered Office: London\n1. Work.",
            "Acme Foods Company; Beta Tools Ltd",
        ),
        (
            "SERVICES\nClient: Acme Foods GmbH    Supplier: Beta Tools Ltd\nDate: 3 May 2004\n1. Work.",
            "Acme Foods GmbH; Beta Tools Ltd",
        ),
        (
            "LEASE\nLandlord: van der Berg Vastgoed B.V.\nTenant: adidas AG\nRent: EUR 500\n1. Premises.",
            "van der Berg Vastgoed B.V.; adidas AG",
        ),
        (
            "LEASE\nLandlord: 3M Company\nTenant: Société Roe\nRoyale S.A.\nRent: EUR 500\n1. Premises.",
            "3M Company; Société Roe Royale S.A.",
        ),
    ]);
}

#[test]
fn a_sign_for_and_divides_firms_but_no_name() {
    check_between(&[
        ("Acme Widgets Inc. & Blue River LLC", "Acme Widgets Inc.; Blue River LLC"),
        ("Salem Metals Ltd & Vega Mining S.A.", "Salem Metals Ltd; Vega Mining S.A."),
        ("Roe & Roe Inc. and Lee & Lowell plc", "Roe & Roe Inc.; Lee & Lowell plc"),
        ("Acme Foods GmbH & Co. KG & Beta Tools AG", "Acme Foods GmbH & Co. KG; Beta Tools AG"),
        ("Acme Ltd, Beta & Sons LLC & Gamma Corp.", "Acme Ltd; Beta & Sons LLC; Gamma Corp."),
        ("Salem Skibe A/S + Akron Both ApS", "Salem Skibe A/S; Akron Both ApS"),
        ("Acme Foods Ltd (the \"Seller\") & Beta Tools Ltd (the \"Buyer\")", "Acme Foods Ltd; Beta Tools Ltd"),
        ("Acme Foods, Inc. & Sons and Beta Tools LLC", "Acme Foods, Inc. & Sons; Beta Tools LLC"),
    ]);
}

#[test]
fn names_of_other_languages_are_whole() {
    check_between(&[
        ("Müller und Söhne GmbH (\"Seller\") and Weber AG (\"Buyer\")", "Müller und Söhne GmbH; Weber AG"),
        (
            "Société Roe et Cie, S.A. (the \"Seller\") and Banque Lee et Frères SAS (the \"Buyer\")",
            "Société Roe et Cie, S.A.; Banque Lee et Frères SAS",
        ),
        (
            "García y Compañía, S.L. (the \"Seller\") and Hermanos López y Asociados S.A. (the \"Buyer\")",
            "García y Compañía, S.L.; Hermanos López y Asociados S.A.",
        ),
        (
            "Rossi e Figli S.r.l. (the \"Seller\") and Bianchi & C. S.p.A. (the \"Buyer\")",
            "Rossi e Figli S.r.l.; Bianchi & C. S.p.A.",
        ),
        (
            "Van der Berg en Zonen B.V. (the \"Seller\") and De Vries Holding N.V. (the \"Buyer\")",
            "Van der Berg en Zonen B.V.; De Vries Holding N.V.",
        ),
        (
            "Hansen og Sønner A/S (the \"Seller\") and Berg & Co AS (the \"Buyer\")",
            "Hansen og Sønner A/S; Berg & Co AS",
        ),
        ("Silva e Filhos, Lda. and Andersson och Söner AB", "Silva e Filhos, Lda.; Andersson och Söner AB"),
        ("Novák a syn s.r.o. and Kovács és Társa Kft.", "Novák a syn s.r.o.; Kovács és Társa Kft"),
        ("Kern und Stein GmbH und Roe AG", "Kern und Stein GmbH; Roe AG"),
        (
            "Caisse de la Région de Lille S.A. and Banca della Lega S.p.A.",
            "Caisse de la Région de Lille S.A.; Banca della Lega S.p.A.",
        ),
        ("Crédit d’Île S.A. and Compagnie des Eaux SA", "Crédit d'Île S.A.; Compagnie des Eaux SA"),
        ("Smith and Sons Ltd and Roe Brothers Inc.", "Smith and Sons Ltd; Roe Brothers Inc."),
        ("van der Meer Holding B.V. and de Jong N.V.", "van der Meer Holding B.V.; de Jong N.V."),
        ("eBay Inc. (the \"Seller\") and adidas AG (the \"Buyer\")", "eBay Inc.; adidas AG"),
        ("tesa SE and e.on SE", "tesa SE; e.on SE"),
        ("Lowe’s Foods, Inc. and Women’s Fund Ltd", "Lowe's Foods, Inc.; Women's Fund Ltd"),
        ("Acme Foods, Inc. and the operating Company", "Acme Foods, Inc."),
    ]);
}

#[test]
fn trusts_and_offices_of_states_are_parties() {
    check_between(&[
        (
            "Jane Q. Roe, an individual, and the Trustees of the Lowell Family Trust (1994)",
            "Jane Q. Roe; Trustees of the Lowell Family Trust (1994)",
        ),
        ("the Roe Settlement (No. 2) and Beta Tools LLC", "Roe Settlement (No. 2); Beta Tools LLC"),
        (
            "The University of Salem and the Secretary of State for Defence",
            "The University of Salem; Secretary of State for Defence",
        ),
        (
            "Acme Foods Ltd and the Secretary of State for Business, Energy and Industrial Strategy",
            "Acme Foods Ltd; Secretary of State for Business, Energy and Industrial Strategy",
        ),
        ("the President of India and Acme Foods Ltd", "President of India; Acme Foods Ltd"),
        ("the Minister for Health and Acme Foods Ltd", "Minister for Health; Acme Foods Ltd"),
        ("the United States of America and Acme Foods, Inc.", "United States of America; Acme Foods, Inc."),
        ("Acme Foods, Inc. and the President of Beta Tools", "Acme Foods, Inc."),
    ]);
}

#[test]
fn a_party_has_the_name_that_it_trades_under() {
    let mut wrong = Vec::new();
    for (between, expected) in [
        (
            "Jane Q. Roe, an individual doing business as \"Roe & Daughters\", and Beta Tools LLC",
            "Jane Q. Roe (d/b/a Roe & Daughters); Beta Tools LLC",
        ),
        ("John Smith d/b/a Smith Plumbing and Oak Homes, LLC", "John Smith (d/b/a Smith Plumbing); Oak Homes, LLC"),
        (
            "Acme Foods, Inc. d/b/a Acme Kitchens (\"Acme\") and Beta Tools LLC (\"Beta\")",
            "Acme Foods, Inc. (d/b/a Acme Kitchens, \"Acme\"); Beta Tools LLC (\"Beta\")",
        ),
        ("Jane Roe trading as Roe Foods and Beta Tools Ltd", "Jane Roe (t/a Roe Foods); Beta Tools Ltd"),
        (
            "Acme Foods, Inc. (DBA Acme Kitchens) and Beta Tools LLC, which is carrying on business under the name of Beta Works",
            "Acme Foods, Inc. (DBA Acme Kitchens); Beta Tools LLC (d/b/a Beta Works)",
        ),
        ("Acme Foods, Inc., doing business in Ohio, and Beta Tools LLC", "Acme Foods, Inc.; Beta Tools LLC"),
    ] {
        let text = format!("AGREEMENT\n\nThis Agreement is made on 3 May 2004 by and between {between}\n\n1. Work.");
        let found = values(&facts_of(&[&text]), FactKind::Party);
        if found != expected {
            wrong.push(format!("{found:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn and_is_within_a_firm_if_two_parties_are_left() {
    check_between(&[
        ("Acme Foods LLC and Salem and Akron plc.", "Acme Foods LLC; Salem and Akron plc"),
        ("Salem and Akron Inc. and Acme & Foods Company.", "Salem and Akron Inc.; Acme & Foods Company"),
        ("Salem and Akron Ltd (the \"Seller\") and Beta Ltd (the \"Buyer\").", "Salem and Akron Ltd; Beta Ltd"),
        ("Acme Inc. and Beta LLC.", "Acme Inc.; Beta LLC"),
        ("Acme Foods A/S and Beta Tools A/S.", "Acme Foods A/S; Beta Tools A/S"),
        ("Salem & Partner mbB and Akron GmbH & Co. KG.", "Salem & Partner mbB; Akron GmbH & Co. KG"),
        (
            "Acme Corporation and The Commissioners for His Majesty's Revenue and Customs.",
            "Acme Corporation; The Commissioners for His Majesty's Revenue and Customs",
        ),
    ]);
}

#[test]
fn a_name_ends_behind_its_form() {
    check_between(&[
        ("Acme Pty Ltd and Beta Pty Ltd. Governed by the laws of New South Wales.", "Acme Pty Ltd; Beta Pty Ltd."),
        ("Acme LLC and Beta Inc. Signed in two copies.", "Acme LLC; Beta Inc."),
        ("Acme GmbH and Beta Co. Executed as a deed.", "Acme GmbH; Beta Co."),
        ("Acme Ltd of London and Beta GmbH of Berlin.", "Acme Ltd; Beta GmbH"),
        ("Acme Inc. of Toronto and Beta S.A. of Paris.", "Acme Inc.; Beta S.A."),
        (
            "Steel Corporation of America and Acme Trust Company of Ohio.",
            "Steel Corporation of America; Acme Trust Company of Ohio",
        ),
        ("Bank of Acme and University of Akron.", "Bank of Acme; University of Akron"),
    ]);
}

#[test]
fn a_corporation_of_office_holders_is_one_party() {
    check_between(&[
        (
            "The Rector and Visitors of the University of Virginia and Acme LLC.",
            "The Rector and Visitors of the University of Virginia; Acme LLC",
        ),
        (
            "the President and Fellows of Harvard College and Acme Corp.",
            "President and Fellows of Harvard College; Acme Corp.",
        ),
        (
            "the Governor and Company of the Bank of Ireland and Acme LLC.",
            "Governor and Company of the Bank of Ireland; Acme LLC",
        ),
        (
            "Acme LLC and the Provost and Scholars of the University of Salem.",
            "Acme LLC; Provost and Scholars of the University of Salem",
        ),
        (
            "His Majesty the King in right of Canada (the \"Crown\") and Acme LLC (the \"Buyer\").",
            "His Majesty the King in right of Canada; Acme LLC",
        ),
        (
            "Banco Salem, S.A. y Compañía (the \"Seller\") and Acme LLC (the \"Buyer\").",
            "Banco Salem, S.A. y Compañía; Acme LLC",
        ),
        // Two parties, although the first is an office.
        ("Acme LLC (\"Governor\") and Beta Company (\"Company\").", "Acme LLC; Beta Company"),
    ]);
}

#[test]
fn an_address_below_a_name_is_no_part_of_it() {
    check(&[
        (
            "SUPPLY AGREEMENT\n\nThis Agreement is dated 3 May 2004, by and between\n\nAcme Foods S.p.A.\nVia Roma 1\n20121 Milano\n\
             (\"Supplier\")\n\nand\n\nBeta Bar Oy\nMannerheimintie 5\nHelsinki\n(\"Distributor\")\n\n1. Goods.",
            "Acme Foods S.p.A.; Beta Bar Oy",
        ),
        (
            "SALE\n\nSeller:\nAcme Tools Limited\nLeeds\n\nBuyer:\nAkron & Söhne KG\nHamburg\n\n1. Goods.",
            "Acme Tools Limited; Akron & Söhne KG",
        ),
        (
            "SALE\n\nSeller:\nAcme Trading FZE\nDubai\n\nBuyer:\nBeta Company\n12 Lake Road\n\n1. Goods.",
            "Acme Trading FZE; Beta Company",
        ),
    ]);
    // A name may go on in the next line.
    check_between(&[
        ("Acme Trust Company\nAmericas and Beta Tools\nLLC.", "Acme Trust Company Americas; Beta Tools LLC"),
        (
            "Acme Insurance Corporation\nGroup plc and Beta Co\nLtd.",
            "Acme Insurance Corporation Group plc; Beta Co Ltd.",
        ),
    ]);
}

#[test]
fn a_label_may_have_a_line_of_its_own() {
    check(&[
        (
            "LOAN\n\nLender\nSalem Bank ASA\n\nBorrower\nAkron Foods AS\n\nDate\n3 March 2020",
            "Salem Bank ASA; Akron Foods AS",
        ),
        (
            "SALE\n\nSeller\n\nAcme Foods, Inc.\n\nBuyer\n\nBeta Tools LLC\n\n1. Goods.",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        // the rows of a table
        (
            "SALE\n\nSeller\tAcme Trading FZE\nBuyer\tBeta & Söhne KG\nDate\t3 March 2020\n",
            "Acme Trading FZE; Beta & Söhne KG",
        ),
        ("NEWSLETTER\n\nClient Services Limited\n\nOur news of May.\n", ""),
    ]);
}

#[test]
fn a_person_behind_a_label_may_have_small_initials() {
    check(&[
        (
            "LEASE\nLandlord: E. e. Nesbit\nTenant: e. e. cummings\nThis Lease is made on 17 March 2025.\n\n1. Rent.",
            "E. e. Nesbit; e. e. cummings",
        ),
        ("LICENSE\nLicensor: k. d. lang\nLicensee: J. r. o'neil\n\n1. Use.", "k. d. lang; J. r. o'neil"),
        ("LEASE\nLessor: T.s. Eliot\nLessee: p. d. q. bach\n\n1. Rent.", "T.s. Eliot; p. d. q. bach"),
        // No names.
        ("LEASE\nLandlord: Acme Estates Ltd\nTenant: i. e. none\n\n1. Rent. It is due.", "Acme Estates Ltd"),
        ("LEASE\nLandlord: Acme Estates Ltd\nTenant: see schedule\n\n1. Rent. It is due.", "Acme Estates Ltd"),
        ("LEASE\nLandlord: Acme Estates Ltd\nTenant: a. see b. below\n\n1. Rent. It is due.", "Acme Estates Ltd"),
    ]);
}
