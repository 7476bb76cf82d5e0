//! References: mentions in a document of its own parts, of other documents, and of standards, laws, cases and web pages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::labels::labelled;

labelled! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum ReferenceKind {
        /// A part of the same document: "Section 4.2", "Exhibit B".
        Internal = "part of the document",
        /// Another document, by its title or file name.
        Document = "document",
        /// ISO 27001, IEEE 802.11, RFC 9110.
        Standard = "standard",
        /// Statutes, regulations, directives: 17 C.F.R. § 240.10b-5, GDPR Art. 28.
        Regulation = "regulation",
        Report = "report",
        /// Brown v. Board of Education, 347 U.S. 483 (1954).
        LegalCase = "legal case",
        Hyperlink = "hyperlink",
    }
}

labelled! {
    /// The effect on the cited document, as the text states it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum Relation {
        Amends = "amends",
        Supersedes = "supersedes",
        RespondsTo = "responds to",
        Attaches = "attaches",
    }
}

/// One place at which a page refers to something. The page's text has its surface form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reference {
    pub kind: ReferenceKind,
    /// Characters of the page, half-open.
    pub char_start: u32,
    pub char_end: u32,
    /// Normalised: the same for every way to write it. "17 CFR 240.10b-5", "Section 4.2(b)", "ISO/IEC 27001:2022".
    pub name: String,
    pub relation: Option<Relation>,
}
