//! Days on which contracts are signed, and days before and after them from which contracts are effective.

use casetrack_nlp::FactKind;

use super::day_wordings::{MADE, dates};
use super::{facts_of, values};

#[test]
fn the_last_signature_dates_a_short_contract() {
    let signed = |opening: &str, witness: &str, effective| {
        let text = format!(
            "LETTER\n\n{opening}\n\n{witness}ACME FOODS, INC.\nBy: /s/ John Doe\nName: John Doe\nDate: May 3, 2004\n\nBETA TOOLS LLC\n\
             By: /s/ Mary Roe\nName: Mary Roe\nDate: May 9, 2004\n"
        );
        (text, "2004-05-09", effective)
    };
    let witness = "IN WITNESS WHEREOF, the parties have executed this Agreement.\n\n";
    let parties = "Acme Foods, Inc. and Beta Tools LLC";
    dates(&[
        signed(
            &format!(
                "This Agreement is entered into by {parties} as of the date of the last party to sign (the \"Effective Date\")."
            ),
            witness,
            "2004-05-09",
        ),
        signed(
            &format!(
                "This Agreement, entered into and effective as of the date of the signature of the last signatory below, is by {parties}."
            ),
            "",
            "2004-05-09",
        ),
        signed(
            &format!(
                "This Agreement is entered into as of the date last written below (\"Effective Date\") by {parties}."
            ),
            "",
            "2004-05-09",
        ),
    ]);
    let reference = format!(
        "This Agreement is between {parties}. It is dated for reference as of April 30, 2004 and shall be effective when executed by both parties."
    );
    let (text, ..) = signed(&reference, witness, "");
    dates(&[(text, "2004-04-30", "2004-05-09")]);
}

#[test]
fn a_contract_may_begin_before_or_after_its_day() {
    let parties = "Acme Foods, Inc. (\"Acme\") and Beta Tools LLC (\"Beta\")";
    let after =
        format!("SALE\n\nThis Agreement is made by {parties} on June 20, 2005. It becomes effective July 1, 2005.\n");
    let before = format!("{MADE}2. This Agreement is effective retroactively to April 1, 2004.\n");
    assert_eq!(values(&facts_of(&[&before]), FactKind::Expiry), "");
    dates(&[(after, "2005-06-20", "2005-07-01"), (before, "2004-05-03", "2004-04-01")]);
}

#[test]
fn each_signer_has_the_party_of_the_column_and_witnesses_sign_for_nobody() {
    for (block, expected) in [
        (
            "ACME FOODS, INC.          BETA TOOLS LLC\n\nBy: /s/ Jane Roe          By: /s/ Ann Lee\nName: Jane Roe            Name: Ann \
             Lee\nTitle: President          Title: Manager\n",
            "Jane Roe, President, for ACME FOODS, INC.; Ann Lee, Manager, for BETA TOOLS LLC",
        ),
        (
            "ACME FOODS, INC.\nBy: /s/ Jane Roe\nTitle: President\n\nACME TOOLS LLC\nBy: /s/ Jane Roe\nTitle: Manager\n",
            "Jane Roe, President, for ACME FOODS, INC.; Jane Roe, Manager, for ACME TOOLS LLC",
        ),
        (
            "ACME FOODS, INC.\nBy: /s/ Jane Roe\nTitle: President\n\nWitness: ______\nName: Ann Lee\n",
            "Jane Roe, President, for ACME FOODS, INC.",
        ),
        (
            "IN WITNESS WHEREOF, the parties have signed.\n\nACME FOODS, INC.\nBy: /s/ Jane Roe\nTitle: President\n",
            "Jane Roe, President, for ACME FOODS, INC.",
        ),
        // Blocks side by side that are run together on one line.
        (
            "ACME FOODS, INC. BETA TOOLS LLC By: /s/ Jane Roe By: /s/ Ann Lee Name: Jane Roe Name: Ann Lee Title: President Title: \
             Manager\n",
            "Jane Roe, President, for ACME FOODS, INC.; Ann Lee, Manager, for BETA TOOLS LLC",
        ),
        (
            "ACME FOODS, INC.   BETA TOOLS LLC\n\n/s/ Jane Roe   /s/ Ann Lee\nBy: Jane Roe   By: Ann Lee\nIts: President   Its: \
             Manager\n",
            "Jane Roe, President, for ACME FOODS, INC.; Ann Lee, Manager, for BETA TOOLS LLC",
        ),
        (
            "ACME FOODS CORPORATION BETA HERITAGE TOOLS, LLC BY: /s/ Jane Roe BY: /s/ Ann Lee ITS: President ITS: Manager\n",
            "Jane Roe, President, for ACME FOODS CORPORATION; Ann Lee, Manager, for BETA HERITAGE TOOLS, LLC",
        ),
        // A title that is left blank, before the next block.
        (
            "ACME FOODS, INC. By: /s/ Jane Roe Name: Jane Roe Title: BETA TOOLS LLC By: /s/ Ann Lee\n",
            "Jane Roe, for ACME FOODS, INC.; Ann Lee, for BETA TOOLS LLC",
        ),
        // Two firms above blocks that follow each other: who signs for which is not known.
        (
            "ACME FOODS, INC. BETA TOOLS LLC By: /s/ Jane Roe Title: President By: /s/ Ann Lee Title: Manager\n",
            "Jane Roe, President; Ann Lee, Manager",
        ),
        (
            "ACME FOODS, INC.\n/s/ Tom Ray\n\nWitness\n\nBy: /s/ Jane Roe\nName: Jane Roe\nTitle: President\n",
            "Jane Roe, President",
        ),
        (
            "ACME FOODS, INC.\n\nDocuSigned by:\nJane Roe\n4C1F2A9B8D7E6F5\n\nName: Jane Roe\nTitle: President\n",
            "Jane Roe, President, for ACME FOODS, INC.",
        ),
        (
            "ACME FOODS, INC.\nBy: ____________\nName:\nTitle:\n\nBETA TOOLS LLC\nBy: ____________\nName:\nTitle:\n",
            "not signed: the signature lines are blank",
        ),
    ] {
        let found = facts_of(&[&format!("AGREEMENT\n\nThe parties agree.\n\n{block}")]);
        assert_eq!(values(&found, FactKind::Signatory), expected, "{block}");
    }
}
