//! Parties of deeds, letters, filings, orders and terms, as their drafters write them.

use super::names::names;

fn check(cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, parties) in cases {
        let found = names(text);
        if found != *parties {
            wrong.push(format!("{found:?}, not {parties:?}: {}", &text[..text.len().min(90)]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn headings_and_lists_set_parties_apart() {
    check(&[
        (
            "AGREEMENT\n\nTHIS AGREEMENT is dated for reference the 3rd day of May, 2004.\n\nBETWEEN:\n\nACME FOODS, INC., a company having an \
             office at 12 Main Street, Salem (the \"Company\")\n\nAND:\n\nBETA TOOLS LTD., a company having an office at 9 Lake Road \
             (the \"Contractor\")\n\nWHEREAS:\n\nA. The Company makes food.",
            "ACME FOODS, INC.; BETA TOOLS LTD.",
        ),
        (
            "THIS DEED is made on 3 May 2004\n\nPARTIES\n\n(A) ACME FOODS LIMITED, a company registered in England under number 1234567 whose \
             registered office is at 1 High Street, London (the \"Seller\"); and\n\n(B) BETA TOOLS LIMITED, a company registered in England \
             under number 7654321 (the \"Buyer\").\n\nBACKGROUND",
            "ACME FOODS LIMITED; BETA TOOLS LIMITED",
        ),
        (
            "SERVICES AGREEMENT\n\nDate: 3 May 2004\n\nParties:\n\n1. Acme Foods Pty Ltd (ACN 123 456 789) of 12 Main Street, Perth (Client)\n\n\
             2. Beta Tools Pty Ltd (ACN 987 654 321) of 9 Lake Road, Perth (Supplier)\n\nBackground",
            "Acme Foods Pty Ltd; Beta Tools Pty Ltd",
        ),
        (
            "DISTRIBUTION AGREEMENT\n\nThis Agreement is made by and between the following parties:\n\nAcme Foods, Inc., a Delaware corporation \
             (\"Acme\"); and\n\nBeta Tools LLC, an Ohio limited liability company (\"Beta\").\n\n1. Grant.",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        (
            "COOPERATION AGREEMENT\n\nParty A: Salem Foods Technology Co., Ltd.\nLegal Representative: Jane Roe\nAddress: 12 Main Street\n\nParty \
             B: Akron Tools Trading Co., Ltd.\nLegal Representative: Ann Lee\nAddress: 9 Lake Road\n\nThe parties agree as follows.",
            "Salem Foods Technology Co., Ltd.; Akron Tools Trading Co., Ltd.",
        ),
        (
            "SALES CONTRACT\n\nSeller: Acme Foods, Inc.\nAddress: 12 Main Street\n\nBuyer: Beta Tools LLC\nAddress: 9 Lake Road\n\n1. Goods.",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        (
            "The Seller: Acme Foods, Inc.\n\nThe Buyer: Beta Tools LLC\n\nThis Contract is made by and between the Buyer and the Seller.\n\n\
             1. Goods.",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        (
            "CONSULTING AGREEMENT\n\nCompany:\tAcme Foods, Inc.\n\nConsultant:\tBeta Tools LLC\n\nEffective Date:\tMay 3, 2004\n\n1. Services.",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        (
            "CONSULTING AGREEMENT\n\nby and between\n\nACME FOODS, INC.\n\nand\n\nBETA TOOLS LLC\n\nDated as of May 3, 2004\n\nTABLE OF \
             CONTENTS\n\nThis CONSULTING AGREEMENT (this \"Agreement\"), dated as of May 3, 2004 (the \"Effective Date\"), is entered into by \
             and between Acme Foods, Inc., a Delaware corporation (\"Acme\"), and Beta Tools LLC, a Delaware limited liability company \
             (\"Beta\" and, together with Acme, the \"Parties\" and each, a \"Party\").\n\nRECITALS",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
    ]);
}

#[test]
fn one_side_may_promise_to_the_other() {
    check(&[
        (
            "GUARANTY\n\nThis Guaranty is made as of May 3, 2004 by Acme Foods, Inc., a Delaware corporation (the \"Guarantor\"), in favor of \
             Beta Bank, N.A. (the \"Bank\").\n\n1. Guaranty.",
            "Acme Foods, Inc.; Beta Bank, N.A.",
        ),
        (
            "AMENDMENT NO. 2\n\nThis Amendment No. 2 to the Supply Agreement (this \"Amendment\") is made by Acme Foods, Inc. and Beta Tools \
             LLC as of May 3, 2004.\n\nWHEREAS",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        (
            "ASSIGNMENT\n\nFOR VALUE RECEIVED, Acme Foods, Inc., a Delaware corporation (\"Assignor\"), hereby assigns to Beta Tools LLC, an \
             Ohio company (\"Assignee\"), all of its rights.\n\nDated: May 3, 2004",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        (
            "ENDORSEMENT AGREEMENT\n\nWHEREAS, Acme Foods, Inc. (\"Acme\") makes food; and WHEREAS, Jane Roe (\"Athlete\") is known for her \
             sport; the parties agree as follows.\n\n1. Endorsement.",
            "Acme Foods, Inc.; Jane Roe",
        ),
        (
            "TRANSFER AGENT AGREEMENT\n\nAGREEMENT made as of May 3, 2004 between SALEM FUNDS TRUST, a Massachusetts business trust, on behalf \
             of each of its series listed in Exhibit A (the \"Trust\"), and BETA SERVICES, INC., an Ohio corporation (\"Beta\").\n\nWHEREAS",
            "SALEM FUNDS TRUST; BETA SERVICES, INC.",
        ),
        (
            "SPONSORSHIP AGREEMENT\n\nThis Sponsorship Agreement is entered into between the Salem Tigers Football Club, LLC (\"Club\"), and \
             Acme Foods, Inc., with an address at 12 Main Street (\"Sponsor\").\n\n1. Rights.",
            "Salem Tigers Football Club, LLC; Acme Foods, Inc.",
        ),
    ]);
}

#[test]
fn descriptions_of_parties_are_long() {
    check(&[
        (
            "AGREEMENT\n\nThis Agreement is entered into as of May 3, 2004 by and between Acme Foods, Inc., a company duly organized and existing \
             under the laws of Japan, with its head office at 12 Main Street, Tokyo, herein represented by its director, Jane Roe \
             (hereinafter referred to as \"Acme\"), of the one part, and Beta Tools LLC, a company organized under the laws of Ohio \
             (hereinafter referred to as \"Beta\"), of the other part.\n\nWITNESSETH",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        (
            "AGREEMENT\n\nThis Agreement is between Acme Foods, Inc., a Delaware corporation, together with its subsidiaries and affiliates \
             (\"Acme\"), and Beta Tools LLC, a wholly-owned subsidiary of Gamma Holdings, Inc. (\"Beta\").\n\nWHEREAS",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        (
            "AGREEMENT\n\nTHIS AGREEMENT made and entered into this 3rd day of May, 2004, by and between ACME FOODS, INC., 12 Main Street, Salem, \
             Oregon 97301, hereinafter called ACME, and BETA TOOLS LLC, 9 Lake Road, Akron, Ohio 44301, hereinafter called BETA.\n\n\
             WITNESSETH",
            "ACME FOODS, INC.; BETA TOOLS LLC",
        ),
        (
            "AGREEMENT\n\nThis Agreement is made between Acme Foods, Inc. (\"Acme\"), whose address is 12 Main Street, Salem, Oregon, and the \
             Board of Regents of the University of Akron (\"University\").\n\nWHEREAS",
            "Acme Foods, Inc.; Board of Regents of the University of Akron",
        ),
        (
            "AGREEMENT\n\nThis Agreement, effective May 3, 2004, is entered into by Acme Foods, Inc., a Nevada corporation (NASDAQ: ACME) \
             (\"Acme\"), Beta Tools LLC (\"Beta\"), and, solely for purposes of Section 4, Gamma Holdings, Inc. (\"Gamma\").\n\nWHEREAS",
            "Acme Foods, Inc.; Beta Tools LLC; Gamma Holdings, Inc.",
        ),
        (
            "AGREEMENT\n\nThis Agreement is made by and among (i) Acme Foods, Inc., a Delaware corporation (\"Parent\"), (ii) Acme Sub LLC, a \
             Delaware limited liability company (\"Sub\"), and (iii) Jane Roe (\"Executive\").\n\nWHEREAS",
            "Acme Foods, Inc.; Acme Sub LLC; Jane Roe",
        ),
        (
            "AGREEMENT\n\nThis Agreement is entered into between Acme Foods, Inc. (hereafter \"ACME\" or \"we\"), on its own behalf and on behalf \
             of its affiliates, and Beta Tools LLC (hereafter \"BETA\" or \"you\").\n\n1. Services.",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
    ]);
}

#[test]
fn letters_and_filings_name_parties() {
    check(&[
        (
            "ACME FOODS, INC.\n12 Main Street\n\nMay 3, 2004\n\nMs. Jane Roe\n9 Lake Road\n\nDear Jane:\n\nThis letter agreement confirms the \
             terms agreed between Acme Foods, Inc. (the \"Company\") and Jane Roe (\"you\").\n\nSincerely,",
            "Acme Foods, Inc.; Jane Roe",
        ),
        (
            "JOINT FILING AGREEMENT\n\nPursuant to Rule 13d-1(k)(1), the undersigned hereby agree that the statement on Schedule 13G is filed on \
             behalf of each of them.\n\nMay 3, 2004\n\nSALEM CAPITAL PARTNERS, L.P.\nBy: Salem Capital GP, LLC, its general partner\n\nBy: \
             /s/ Jane Roe\n    Jane Roe, Managing Member\n\nSALEM CAPITAL GP, LLC\n\nBy: /s/ Jane Roe\n    Jane Roe, Managing Member\n\n/s/ \
             Jane Roe\nJane Roe",
            "SALEM CAPITAL PARTNERS, L.P.; SALEM CAPITAL GP, LLC; Jane Roe",
        ),
        (
            "JOINT FILING AGREEMENT\n\nThe undersigned agree to file jointly.\n\nDate: May 3, 2004\n\nACME FOODS, INC.\n\nBy: /s/ Jane \
             Roe\n-------------------------\nName: Jane Roe\nTitle: President\n\nBETA TOOLS LLC\n\nBy: /s/ Ann Lee\n-------------------------\n\
             Name: Ann Lee\nTitle: Manager",
            "ACME FOODS, INC.; BETA TOOLS LLC",
        ),
        (
            "ADDENDUM\n\n1. The price is lowered.\n\nAGREED AND ACCEPTED:\n\nACME FOODS, INC.          BETA TOOLS LLC\n\nBy: /s/ Jane Roe          \
             By: /s/ Ann Lee\nName: Jane Roe            Name: Ann Lee\nTitle: President          Title: Manager",
            "ACME FOODS, INC.; BETA TOOLS LLC",
        ),
    ]);
}
