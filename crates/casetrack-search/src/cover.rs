//! Facts at the beginning of a document: its title, its parties and its dates.
//!
//! The first lines of an agreement answer "the parties who signed". Clauses on notices and on "the parties" have more of these words.

use casetrack_core::{DocumentId, Result};
use casetrack_store::{Collection, Conditions, Filter, Selection};

/// The shares of the preference for the first chunks of a document.
const BEGINNING: [f32; 2] = [1.0, 0.4];
/// With more documents, the beginnings are too many to read.
const MAX_DOCUMENTS: usize = 20;

const KINDS: [&str; 9] = ["contract", "agreement", "document", "lease", "deed", "amendment", "letter", "nda", "policy"];

/// True if a query asks for facts at the beginning of documents.
pub(super) fn asks(query: &str) -> bool {
    let lower = query.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_kind = |word: &&str| KINDS.contains(word);
    let run = |at: usize, run: &[&str]| words.get(at..at + run.len()) == Some(run);
    words.iter().enumerate().any(|(at, &word)| {
        let rest = &words[at + 1..];
        match word {
            "name" | "title" | "date" if rest.first() == Some(&"of") => rest.iter().skip(1).take(3).any(is_kind),
            "parties" => rest.iter().take(4).any(|word| matches!(*word, "sign" | "signed" | "entered")),
            "who" => ["are", "were"].iter().any(|verb| run(at + 1, &[verb, "the", "parties"])),
            "effective" | "agreement" | "signing" | "execution" => rest.first() == Some(&"date"),
            _ => {
                is_kind(&word)
                    && matches!(rest, ["is" | "was", "effective" | "signed" | "dated" | "made" | "executed", ..])
            }
        }
    })
}

/// The beginnings of `documents` (`None` for all) among the `searched` passages (`None` for all), if they are few.
pub(super) fn beginnings(
    collection: &Collection,
    documents: Option<&[DocumentId]>,
    searched: Option<&Selection>,
) -> Result<Option<Filter>> {
    let count = documents.map_or(collection.counts()?.documents as usize, <[_]>::len);
    if !(1..=MAX_DOCUMENTS).contains(&count) {
        return Ok(None);
    }
    let documents = match documents {
        Some(documents) => documents.to_vec(),
        None => collection.catalogue()?.iter().map(|entry| entry.id).collect(),
    };
    let chunks =
        documents.into_iter().flat_map(|document| (0..BEGINNING.len() as u32).map(move |index| (document, index)));
    let conditions = Conditions { chunks: Some(chunks.collect()), ..Conditions::default() };
    let mut selection = collection.select(&conditions)?;
    if let Some(searched) = searched {
        selection = selection.within(searched);
    }
    Ok(Some(Filter { selection: Some(selection.into()), documents: None }))
}

pub(super) fn share(index: u32) -> f32 {
    BEGINNING.get(index as usize).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_for_title_parties_and_dates_are_told_from_others() {
        for query in [
            "The name of the contract",
            "The two or more parties who signed the contract",
            "date of the agreement",
            "The date when the contract is effective",
            "Who are the parties to the lease?",
            "effective date",
        ] {
            assert!(asks(query), "{query}");
        }
        for query in [
            "Is a party restricted from contesting the validity of the contract?",
            "On what date will the contract's initial term expire?",
            "liability of the parties",
            "joint ownership of property between the parties to the contract",
            "Is there a party who is a beneficiary of the contract?",
            "notice period to terminate the agreement",
        ] {
            assert!(!asks(query), "{query}");
        }
    }
}
