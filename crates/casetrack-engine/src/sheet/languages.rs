//! A notice of contracts in languages in which titles, parties and terms are not read.

use std::collections::BTreeMap;
use std::sync::Arc;

use casetrack_core::Result;
use casetrack_extract::language_name;
use casetrack_host::OpenCollection;
use casetrack_host::documents::CatalogueEntry;
use casetrack_host::documents::facts::may_be_contract;
use casetrack_nlp::languages::Ruleset;

/// Languages that a notice names at most.
const MAX_NAMED: usize = 3;

/// The notice for the rows of a page; `None` if all are in English, or their language is not known.
pub(super) fn notice(collection: &OpenCollection, rows: &[&Arc<CatalogueEntry>]) -> Result<Option<String>> {
    let mut languages: BTreeMap<String, u64> = BTreeMap::new();
    for row in rows {
        let Some(meta) = collection.document(row.id)? else { continue };
        let Some(tag) = &meta.properties.language else { continue };
        if may_be_contract(meta.document_type) && !Ruleset::of(Some(tag)).has_names() {
            *languages.entry(language_name(tag).to_owned()).or_default() += 1;
        }
    }
    Ok(said(languages))
}

/// `languages`: how many documents are in each, by name.
fn said(languages: BTreeMap<String, u64>) -> Option<String> {
    let documents: u64 = languages.values().sum();
    let mut names: Vec<(String, u64)> = languages.into_iter().collect();
    names.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let others = names.len() > MAX_NAMED;
    let mut names: Vec<String> = names.into_iter().take(MAX_NAMED).map(|(name, _)| name).collect();
    if others {
        names.push("other languages".to_owned());
    }
    let named = match names.split_last()? {
        (last, []) => last.clone(),
        (last, others) => format!("{} or {last}", others.join(", ")),
    };
    let count = if documents == 1 { "1 document is".to_owned() } else { format!("{documents} documents are") };
    Some(format!("Titles, parties and terms are read in English only; {count} in {named}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notice_counts_the_documents_and_names_their_languages() {
        let notice = |all: &[(&str, u64)]| said(all.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect());
        let only = "Titles, parties and terms are read in English only; ";
        assert_eq!(notice(&[]), None);
        assert_eq!(notice(&[("German", 1)]), Some(format!("{only}1 document is in German.")));
        assert_eq!(
            notice(&[("French", 1), ("German", 2)]),
            Some(format!("{only}3 documents are in German or French."))
        );
        assert_eq!(
            notice(&[("Czech", 1), ("French", 4), ("German", 9), ("Polish", 2)]),
            Some(format!("{only}16 documents are in German, French, Polish or other languages."))
        );
    }
}
