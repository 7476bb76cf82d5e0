//! Facts that a document states about itself, each with its place: of a contract title, parties, dates, term, law, and the like. The
//! rules read sentences, names and dates. Their wordings are tables of `data/facts`.
//!
//! | facts | file |
//! |---|---|
//! | title and type | `title` |
//! | opening of the contract, parties | `opening`, `parties`, `party_evidence`, `party_names`, `name_words`, `party_terms`, `signers` |
//! | day or month first | `date_order` |
//! | agreement date, effective date | `days` |
//! | expiry | `expiry` |
//! | renewal term, notice to prevent renewal, its last day | `renewal`, `notice_deadline` |
//! | notice to end it at any time | `termination` |
//! | governing law, venue | `law` |
//! | cap on liability, payment terms, amounts | `money` |
//! | signatories | `signatories` |
//! | who must do what by when | `obligations` |
//! | facts of letters, invoices and minutes | `kinds` |
//! | clauses by a trained model | `clauses` |
//! | how sure each fact is | `confidence` |
//!
//! They read one text of all pages (`flat`, `text`). Cost: linear; some 70 ms for 100,000 characters.

pub mod clauses;
mod confidence;
mod date_order;
mod days;
mod expiry;
mod flat;
mod kinds;
mod law;
mod money;
mod name_words;
mod notice_deadline;
mod obligations;
mod opening;
mod parties;
mod party_evidence;
mod party_names;
mod party_terms;
mod renewal;
mod signatories;
mod signers;
mod termination;
mod text;
mod title;

use std::ops::Range;

use casetrack_core::{Annotations, DocumentType};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

pub use self::clauses::Clause;
use self::clauses::Scored;
pub use self::date_order::date_order;
pub use self::notice_deadline::Renewal;
pub use self::obligations::{MAX_OBLIGATIONS, Obligation, obligations};
use self::text::Text;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    Title,
    Type,
    Party,
    AgreementDate,
    EffectiveDate,
    Expiry,
    RenewalTerm,
    NoticePeriod,
    GoverningLaw,
    Venue,
    LiabilityCap,
    PaymentTerms,
    Amount,
    Signatory,
    TerminationNotice,
    /// Sender and recipient of a letter, a message or a memo.
    From,
    To,
    /// The day of a letter, an invoice or a meeting.
    Date,
    /// The number of an invoice.
    Number,
    /// "EUR 8.20", or "8.20" if the invoice shows no currency next to it.
    Total,
    Meeting,
    /// A person who attended a meeting.
    Present,
    /// "yes" or "no".
    Clause(Clause),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    pub kind: FactKind,
    /// For people: a day is ISO 8601, a length of time "30 days", an unlimited one "perpetual". An expiry whose day the document does not give is a
    /// formula: "15 years from the In-Service Date", "until the last addendum expires".
    pub value: String,
    /// How a value that the document does not state was computed: "3 years from 2000-11-14 (p. 1)".
    pub computed: Option<String>,
    /// From 1.
    pub page: u32,
    /// Characters of the page, half-open.
    pub char_start: u32,
    pub char_end: u32,
    /// Percent, from the kind of evidence. A rank, not a probability.
    pub confidence: u8,
    /// The sentence that states it, of a clause and of a fact that is not sure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated: Option<String>,
}

/// All statements of a document about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// By kind, best first. A kind may have no fact; parties, amounts and signatories may have several.
    pub known: Vec<Fact>,
    /// Days with two readings, which are no facts: "2021-05-06 or 2021-06-05".
    pub ambiguous: Vec<Fact>,
    /// Candidates that are not sure enough to be facts, by kind.
    pub unsure: Vec<Fact>,
}

/// All facts that rules find in a document, from its pages and the findings of analysis on them, without the days that have two readings. The confidence
/// is that of the rules.
pub fn facts(pages: &[&str], annotations: &Annotations) -> Vec<Fact> {
    let (mut found, _) = of_rules(pages, &Text::new(pages, annotations));
    found.retain(|fact| !fact.is_ambiguous());
    found
}

/// Longest words of a cap, in characters.
const CAP: usize = 240;

/// The facts of a document, from its pages and the findings of analysis on them, the days that it does not state without doubt, and the candidates
/// that are not sure.
pub fn facts_and_doubts(pages: &[&str], annotations: &Annotations) -> Facts {
    let text = Text::new(pages, annotations);
    let (found, scored) = of_rules(pages, &text);
    let (ambiguous, found): (Vec<Fact>, Vec<Fact>) = found.into_iter().partition(Fact::is_ambiguous);
    let Some(scored) = scored else { return Facts { known: found, ambiguous, unsure: Vec::new() } };
    let (mut known, mut unsure) = confidence::settle(&text, &scored, found);
    let (clauses, candidates) = clauses::find(&text, &scored, &Clause::ALL);
    let has_cap = known.iter().any(|fact| fact.kind == FactKind::LiabilityCap);
    known.extend(
        clauses
            .into_iter()
            .filter_map(|fact| if fact.is_cap() { fact.into_cap().filter(|_| !has_cap) } else { Some(fact) }),
    );
    unsure.extend(candidates.into_iter().filter(|fact| !fact.is_cap()));
    known.sort_by_key(|fact| fact.kind);
    Facts { known, ambiguous, unsure }
}

/// Most text that is read for the facts of a kind other than contracts, in bytes.
const OF_KIND: usize = 60_000;

/// The facts that a document of a kind other than contracts states: of correspondence and memos, invoices, and reports that are minutes. The
/// confidence is a rank by the kind of evidence.
pub fn facts_of_kind(pages: &[&str], annotations: &Annotations, kind: DocumentType) -> Facts {
    let mut left = OF_KIND;
    let read = |page: &&str| {
        let part = page.floor_char_boundary(left);
        left -= part;
        part
    };
    let lengths: Vec<usize> = pages.iter().map(read).collect();
    let pages: Vec<&str> = pages.iter().zip(lengths).map(|(page, length)| &page[..length]).collect();
    let mut found = kinds::find(&Text::new(&pages, annotations), &pages, kind);
    found.sort_by_key(|fact| fact.kind);
    let (ambiguous, known) = found.into_iter().partition(Fact::is_ambiguous);
    Facts { known, ambiguous, unsure: Vec::new() }
}

/// The clauses of some kinds that a part of a document states or denies: for each kind the best sentence, with its characters in the part, also if it is only a
/// candidate. Cost: linear; some 0.1 ms for a passage.
pub fn clauses_in(part: &str, kinds: &[Clause]) -> Vec<Fact> {
    let annotations = Annotations::default();
    let text = Text::bare(&[part], &annotations);
    let (mut known, candidates) = clauses::find(&text, &Scored::new(&text), kinds);
    known.extend(candidates);
    known
}

/// A fact as a rule finds it, with the evidence that its probability follows from.
#[derive(Debug)]
pub struct Evidence {
    pub fact: Fact,
    /// The scores of the clause that states such facts: at the place, and the greatest in the document. `None` for facts of no clause.
    pub scores: Option<[f32; 2]>,
    /// True if the document is a contract.
    pub in_contract: bool,
}

/// The facts of a document with their evidence, for training.
pub fn evidence(pages: &[&str], annotations: &Annotations) -> Vec<Evidence> {
    let text = Text::new(pages, annotations);
    let (found, scored) = of_rules(pages, &text);
    let in_contract = scored.is_some();
    let scored = scored.unwrap_or_else(|| Scored::new(&text));
    let of = |fact| Evidence { scores: confidence::scores(&text, &scored, &fact), fact, in_contract };
    found.into_iter().map(of).collect()
}

/// The facts that rules find, and the scores of clauses if the document is a contract.
fn of_rules(pages: &[&str], text: &Text<'_>) -> (Vec<Fact>, Option<Scored>) {
    let opening = opening::find(text);
    let mut found = title::find(text, &opening);
    found.extend(parties::find(text, &opening));
    let scored = is_contract(&found).then(|| Scored::new(text));
    let mut days = days::find(text, &opening);
    if let Some(end) = expiry::find(text, &days, scored.as_ref()) {
        found.push(end.fact);
        days.begin(end.begins);
    }
    days.settle(text);
    found.extend(days.facts(text));
    found.extend(renewal::find(text));
    found.extend(termination::find(text));
    found.extend(law::find(text));
    found.extend(money::find(text));
    found.extend(signatories::find(pages));
    found.sort_by_key(|fact| fact.kind);
    (found, scored)
}

/// True if the title names a kind of contract, or the opening names two parties.
fn is_contract(found: &[Fact]) -> bool {
    let count = |kind| found.iter().filter(|fact| fact.kind == kind).count();
    count(FactKind::Type) > 0 || count(FactKind::Party) > 1
}

/// The law that governs a document, without the findings of analysis.
fn governing_law(pages: &[&str]) -> Option<String> {
    let annotations = Annotations::default();
    let found = law::find(&Text::bare(pages, &annotations));
    found.into_iter().find(|fact| fact.kind == FactKind::GoverningLaw).map(|fact| fact.value)
}

/// True for a day with two readings.
fn is_ambiguous(day: &str) -> bool {
    day.split_once(" or ").is_some_and(|(first, _)| first.parse::<Date>().is_ok())
}

/// The first length of time in a text, as facts write it: "30 days" for "thirty (30) days".
pub fn length_of_time(written: &str) -> Option<String> {
    text::spans(written).first().map(text::Span::text)
}

impl Fact {
    fn new(text: &Text<'_>, kind: FactKind, value: impl Into<String>, range: Range<usize>, confidence: u8) -> Self {
        let (page, char_start, char_end) = text.flat.place(range);
        Self::at(kind, value.into(), page, char_start..char_end, confidence)
    }

    /// A fact that the document states at these characters of a page.
    fn at(kind: FactKind, value: String, page: u32, chars: Range<u32>, confidence: u8) -> Self {
        let Range { start: char_start, end: char_end } = chars;
        Self { kind, value, computed: None, page, char_start, char_end, confidence, stated: None }
    }

    fn is_cap(&self) -> bool {
        self.kind == FactKind::Clause(Clause::LiabilityCap)
    }

    /// The words of a clause that limits liability, as the cap.
    fn into_cap(self) -> Option<Self> {
        let value = self.stated.as_ref()?.chars().take(CAP).collect();
        Some(Self { kind: FactKind::LiabilityCap, value, ..self })
    }

    fn is_ambiguous(&self) -> bool {
        let is_day =
            matches!(self.kind, FactKind::AgreementDate | FactKind::EffectiveDate | FactKind::Expiry | FactKind::Date);
        is_day && is_ambiguous(&self.value)
    }
}
