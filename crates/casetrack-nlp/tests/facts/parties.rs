//! Parties in the many forms of openings, covers, labels and signatures.

use super::names::names;

fn check(cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, parties) in cases {
        let found = names(text);
        if found != *parties {
            wrong.push(format!("{found:?}, not {parties:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_opening_may_stand_in_any_order_of_words() {
    check(&[
        (
            "THIS AGREEMENT, made this 3rd day of May, 2004, by ACME FOODS, INC., an Ohio corporation (\"Licensor\"), and BETA TOOLS LLC \
             (\"Licensee\").\n\nWHEREAS",
            "ACME FOODS, INC.; BETA TOOLS LLC",
        ),
        (
            "SERVICE AGREEMENT\n\nThe parties to this Agreement are Acme Foods, Inc. (\"Acme\") and Beta Tools LLC (\"Beta\").\n\n1. Services.",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        (
            "SERVICE AGREEMENT\n\nAcme Foods, Inc., with offices at 12 Main Street, Salem, Oregon (\"Acme\"), hereby engages Beta Tools LLC, \
             an Ohio company (\"Beta\"), on the following terms.\n\n1. Services.",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        (
            "SERVICE AGREEMENT\n\nThis Agreement sets forth the terms agreed to between Acme Foods, Inc. (\"Acme\") and you (\"Affiliate\").\n\n\
             1. Services.",
            "Acme Foods, Inc.; You",
        ),
        (
            "AGREEMENT\n\nThis Agreement, dated as of May 3, 2004, by and among ACME FOODS, INC., a Delaware corporation (the \"Company\"), \
             and each of the following: JANE Q. ROE, ANN B. LEE and BETA TOOLS LLC (collectively, the \"Investors\").\n\nWHEREAS",
            "ACME FOODS, INC.; JANE Q. ROE; ANN B. LEE; BETA TOOLS LLC",
        ),
        (
            "AGREEMENT\n\nThis Agreement is made and entered into as of May 3, 2004 by and between Acme Foods, Inc. (formerly known as Old \
             Acme, Inc.), a Delaware corporation (\"Seller\"), Acme Licensing LLC (\"Licensing\" and together with Seller, \"Acme\") and Beta \
             Tools LLC, an Ohio company (\"Buyer\").\n\nWHEREAS",
            "Acme Foods, Inc.; Acme Licensing LLC; Beta Tools LLC",
        ),
        (
            "AGREEMENT\n\nTHIS AGREEMENT is made on 3 May 2004\n\nBETWEEN:\n\n(1) ACME FOODS PLC, a company incorporated in England and Wales \
             (registered number 01234567) whose registered office is at 1 High Street, London SW1A 1AA (\"Acme\");\n\n(2) BETA TOOLS \
             AKTIENGESELLSCHAFT, a company incorporated in Germany (\"Beta\"); and\n\n(3) GAMMA OY, a company incorporated in Finland \
             (\"Gamma\").\n\nIT IS AGREED as follows:",
            "ACME FOODS PLC; BETA TOOLS AKTIENGESELLSCHAFT; GAMMA OY",
        ),
        (
            "AGREEMENT\n\nTHIS AGREEMENT is made\n\nBETWEEN:\n\nACME FOODS, INC., a corporation of the State of Delaware,\n\nof the first \
             part,\n\n- and -\n\nBETA TOOLS LTD., a corporation of the Province of Ontario,\n\nof the second part.\n\nWHEREAS",
            "ACME FOODS, INC.; BETA TOOLS LTD.",
        ),
        (
            "AMENDMENT\n\nReference is made to the Supply Agreement dated March 1, 2001 (the \"Agreement\") by and between Acme Foods, Inc. \
             (\"Acme\") and Beta Tools LLC (\"Beta\"). Acme and Beta hereby amend the Agreement.\n",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        (
            "AMENDMENT\n\nThis Amendment amends that certain Supply Agreement dated March 1, 2001 (the \"Agreement\") between Acme Foods, Inc. \
             and Beta Tools LLC.\n\n1. Section 2 is deleted.",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
    ]);
}

const NAMES: &[&str] = &[
    "drugsale.com, inc.",
    "e-Salem Inc.",
    "1-800-SALEM.COM, Inc.",
    "3S Company",
    "24/7 Salem, Inc.",
    "iSalem Corporation",
    "S&T Corp.",
    "Salem, Roe & Lee LLP",
    "Salem S.A. de C.V.",
    "Salem S.\u{e0} r.l.",
    "Salem A/S",
    "Salem Sdn. Bhd.",
    "Salem GmbH & Co. KG",
    "Salem (Shanghai) Trading Co., Ltd.",
    "Salem Holdings (Pty) Ltd",
    "Salem Co. Ltd.",
    "Salem Company",
    "Salem Bank, N.A.",
    "The Salem Company of America",
    "The Regents of the University of Salem",
    "Board of Trustees of the Salem Junior University",
    "Salem Institute of Technology",
    "City of Salem, Oregon",
    "Salem Partners, a California Limited Partnership",
    "Salem L.L.C.",
    "Salem K.K.",
    "Salem N.V.",
    "Jane Q. Roe, M.D.",
    "Dr. Jane Roe",
    "Jane Roe, Ph.D.",
    "Salem Trust",
    "Salem & Sons",
];

#[test]
fn parties_have_names_of_many_kinds() {
    let mut cases = Vec::new();
    for &party in NAMES {
        cases.push(party);
    }
    let mut wrong = Vec::new();
    for party in cases {
        for (opening, other) in [
            (
                format!(
                    "SUPPLY AGREEMENT\n\nThis Supply Agreement is made as of May 3, 2004 by and between {party} (\"Seller\") and Beta Tools LLC, \
                     an Ohio company (\"Buyer\").\n\nWHEREAS"
                ),
                "Beta Tools LLC",
            ),
            (
                format!(
                    "SUPPLY AGREEMENT\n\nThis Supply Agreement is made between {party}, having its principal place of business at 12 Main \
                     Street, Salem, Oregon 97301 (\"Seller\"), and Beta Tools LLC, an Ohio company (\"Buyer\").\n\nWHEREAS"
                ),
                "Beta Tools LLC",
            ),
        ] {
            let found = names(&opening);
            let bare = party.split(", a ").next().unwrap_or_default();
            let bare = bare.trim_end_matches(", M.D.").trim_end_matches(", Ph.D.");
            let bare = bare.trim_start_matches("The ").trim_start_matches("Dr. ");
            let said: Vec<&str> = found.split("; ").collect();
            if said.len() != 2 || !said[0].contains(bare) || said[1] != other {
                wrong.push(format!("{found:?} for {party:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_without_a_form_are_parties_by_their_terms() {
    check(&[
        (
            "AMENDMENT\n\nThis Amendment is entered into this 3rd day of May, 2004 by and between Salem Micro (\"Distributor\") and Acme Foods, \
             Inc. (\"Acme\").\n\nWHEREAS",
            "Salem Micro; Acme Foods, Inc.",
        ),
        (
            "AGREEMENT\n\nThis Agreement is between Salem Widgets, with offices at 12 Main Street, Salem, Oregon (hereinafter called \"Salem\"), \
             and Jane Roe, residing at 9 Lake Road, Akron, Ohio (hereinafter called \"Artist\").\n\nWHEREAS",
            "Salem Widgets; Jane Roe",
        ),
        (
            "AGREEMENT\n\nThis Agreement is made by and between Acme Foods, Inc., on behalf of itself and its Affiliates (\"Acme\"), and Salem \
             Growth Fund, a series of Salem Funds, a Delaware statutory trust (the \"Fund\").\n\nWHEREAS",
            "Acme Foods, Inc.; Salem Growth Fund",
        ),
        (
            "AGREEMENT\n\nThis Agreement is made by and between Jane Roe (\"Roe\"), Ann Lee (\"Lee\"), and Acme Foods, Inc. (the \
             \"Company\").\n\nWHEREAS",
            "Jane Roe; Ann Lee; Acme Foods, Inc.",
        ),
    ]);
}

#[test]
fn titles_tables_and_signatures_name_parties_too() {
    check(&[
        (
            "SUPPLY AGREEMENT\n\nBETWEEN\n\nACME FOODS, INC.\n\nAND\n\nBETA TOOLS LLC\n\nDATED MAY 3, 2004\n\n1. Definitions. In this Agreement \
             words have their meaning.",
            "ACME FOODS, INC.; BETA TOOLS LLC",
        ),
        (
            "LICENSE TERMS\n\nLicensor: Acme Foods, Inc.\n\nLicensee: Beta Tools LLC\n\nEffective Date: May 3, 2004\n\n1. Grant.",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        (
            "LICENSE TERMS\n\nName of Licensor: Acme Foods, Inc.\n\nName of Licensee: Beta Tools LLC\n\n1. Grant.",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        (
            "JOINT FILING AGREEMENT\n\nIn accordance with Rule 13d-1(k) under the Securities Exchange Act of 1934, the undersigned agree to the \
             joint filing on behalf of each of them of a statement on Schedule 13D.\n\nDated: May 3, 2004\n\nSALEM FUND L.P.\n\nBy: Salem \
             Management LLC, its general partner\n\nBy: /s/ Jane Roe\nName: Jane Roe\nTitle: Manager\n\nSALEM MANAGEMENT LLC\n\nBy: /s/ Jane \
             Roe\nName: Jane Roe\nTitle: Manager\n\n/s/ Ann Lee\nANN LEE",
            "SALEM FUND L.P.; SALEM MANAGEMENT LLC; Ann Lee",
        ),
        (
            "JOINT FILING AGREEMENT\n\nThe undersigned agree to file jointly. Dated: 5/3/2004 SALEM GROWTH AND INCOME FUND, L.P. By: /s/ Jane \
             Roe Name: Jane Roe Title: Chief Compliance Officer BETA FUND LTD. By: /s/ Jane Roe Name: Jane Roe Title: Chief Compliance Officer",
            "SALEM GROWTH AND INCOME FUND, L.P.; BETA FUND LTD.",
        ),
        (
            "SERVICE TERMS\n\n1. Services. The work is done each month.\n\nIN WITNESS WHEREOF, the parties have signed.\n\nACME FOODS, INC.\n\n\
             By: /s/ Jane Roe\nName: Jane Roe\nTitle: President\n\nBETA TOOLS LLC\n\nBy: /s/ Ann Lee\nName: Ann Lee\nTitle: Manager",
            "ACME FOODS, INC.; BETA TOOLS LLC",
        ),
        (
            "May 3, 2004\n\nBeta Tools LLC\n9 Lake Road\nAkron, Ohio\n\nRe: Services\n\nDear Ms. Lee:\n\nThis letter agreement sets forth the \
             terms on which Acme Foods, Inc. (\"Acme\") engages Beta Tools LLC (\"Beta\").\n\nVery truly yours,\n\nACME FOODS, INC.\n\nBy: /s/ \
             Jane Roe\nName: Jane Roe\nTitle: President\n\nAgreed:\n\nBETA TOOLS LLC\n\nBy: /s/ Ann Lee\nName: Ann Lee\nTitle: Manager",
            "Beta Tools LLC; Acme Foods, Inc.",
        ),
    ]);
}

#[test]
fn the_place_of_an_office_is_no_party() {
    let text = "Works Agreement\n\nParties\n(1) TIDEWELL ESTATES LIMITED, a company whose registered office is at 2 Customs House\nSquare, \
                Saltmere (the \u{201c}Employer\u{201d}); and\n(2) CALDER & FINCH BUILDING LIMITED, a company whose registered office is at Unit \
                9,\nRopewalk Yard, Northgate, Saltmere (the \u{201c}Contractor\u{201d}).\n\nBackground\n";
    check(&[(text, "TIDEWELL ESTATES LIMITED; CALDER & FINCH BUILDING LIMITED")]);
}
