use casetrack_nlp::FactKind;

use super::{facts_of, values};

/// Parties without the terms that the contract defines for them.
pub(crate) fn names(text: &str) -> String {
    let all = values(&facts_of(&[text]), FactKind::Party);
    all.split("; ")
        .map(|party| party.split(" (\"").next().and_then(|party| party.split(" (d/b/a").next()).unwrap_or_default())
        .collect::<Vec<_>>()
        .join("; ")
}

#[test]
fn openings_list_parties_in_many_ways() {
    let mut wrong = Vec::new();
    for (opening, parties) in [
        (
            "This Agreement is made as of May 3, 2004 between Acme Foods, Inc., a Delaware corporation with offices at 12 Main Street, Salem, \
             Oregon, and Beta Tools LLC, an Ohio company with offices at 9 Lake Road, Akron, Ohio.\n\n1. Supply.",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        (
            "This Agreement is entered into by and among Acme Foods, Inc. (\"Acme\"), Beta Tools LLC (\"Beta\"), Gamma L.P. (\"Gamma\") and \
             Delta Co., Ltd. (\"Delta\").\n\nWHEREAS",
            "Acme Foods, Inc.; Beta Tools LLC; Gamma L.P.; Delta Co., Ltd.",
        ),
        (
            "This Consulting Agreement is made on May 3, 2004 between Acme Foods, Inc. (the \"Company\") and Jane Q. Roe, an individual residing \
             at 12 Main Street (the \"Consultant\").\n\nWHEREAS",
            "Acme Foods, Inc.; Jane Q. Roe",
        ),
        (
            "This Agreement is made between Acme Foods, Inc. d/b/a Acme Kitchens (\"Acme\") and Beta Tools LLC, formerly known as Old Beta, Inc. \
             (\"Beta\").\n\nWHEREAS",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        (
            "This Agreement is made as of May 3, 2004 between the Centre for Soil Research and Development (\"CSRD\") and Acme Foods, Inc. \
             (\"Acme\").\n\nWHEREAS",
            "Centre for Soil Research and Development; Acme Foods, Inc.",
        ),
        (
            "CONTRACT\n\nBETWEEN\n\nACME FOODS, INC.\n\nAND\n\nBETA TOOLS LLC\n\n1. Supply. Acme Foods supplies tools.",
            "ACME FOODS, INC.; BETA TOOLS LLC",
        ),
        (
            "This Agreement is by and between:\n\nAcme Foods, Inc.\n12 Main Street\nSalem, Oregon\n(\"Acme\")\n\nand\n\nBeta Tools LLC\n9 Lake \
             Road\nAkron, Ohio\n(\"Beta\")\n\nRECITALS",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
        (
            "This Agreement is between the University of Salem, an institution of higher education (\"University\"), and Acme Foods, Inc., for \
             itself and its affiliates (\"Sponsor\").\n\nWHEREAS",
            "University of Salem; Acme Foods, Inc.",
        ),
        (
            "ACME FOODS, INC. (\"Acme\") and BETA TOOLS LLC (\"Beta\") enter into this Agreement as of May 3, 2004.\n\n1. Supply.",
            "ACME FOODS, INC.; BETA TOOLS LLC",
        ),
        (
            "This Agreement is made and entered into by and between Acme Foods, Inc., a corporation organized and existing under the laws of the \
             State of Delaware and having its principal place of business at 12 Main Street, Salem, Oregon 97301 (hereinafter referred to as \
             \"Acme\"), on the one hand, and Beta Tools LLC, a limited liability company organized under the laws of the State of Ohio \
             (hereinafter \"Beta\"), on the other hand.\n\nWHEREAS",
            "Acme Foods, Inc.; Beta Tools LLC",
        ),
    ] {
        let found = names(opening);
        if found != parties {
            wrong.push(format!("{found:?}, not {parties:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
