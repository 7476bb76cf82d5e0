//! The roles of a person or an organization in contracts: a party, a signatory.

use std::collections::BTreeMap;

use casetrack_core::{DocumentId, EntityType, Result};
use casetrack_nlp::FactKind;
use schemars::JsonSchema;
use serde::Serialize;

use casetrack_graph::{EntityId, EntityView, Graph};
use casetrack_host::OpenCollection;
use casetrack_host::documents::facts::{CitedPlace, of_documents};

/// Documents that are read for it: those that mention it most.
const DOCUMENTS: usize = 20;
const ROLES: usize = 10;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ContractRole {
    pub role: PartOfContract,
    pub document_name: String,
    /// As the matter sheet has it: the name with its defined term, or with position and organization.
    pub value: String,
    #[serde(flatten)]
    pub place: CitedPlace,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PartOfContract {
    Party,
    Signatory,
}

/// The documents with the most passages that mention an entity, limited to those that can be contracts with it as a party.
pub(super) fn mentioning(graph: &Graph, id: EntityId, entity: &EntityView) -> Vec<DocumentId> {
    if !matches!(entity.entity_type, EntityType::Person | EntityType::Organization) {
        return Vec::new();
    }
    let mut passages: BTreeMap<DocumentId, usize> = BTreeMap::new();
    for (document, _) in graph.chunks_with(id) {
        *passages.entry(document).or_default() += 1;
    }
    let mut documents: Vec<(DocumentId, usize)> = passages.into_iter().collect();
    documents.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    documents.into_iter().take(DOCUMENTS).map(|(document, _)| document).collect()
}

/// The roles of an entity in these documents, as contracts. Costs as much as the matter sheet of these documents.
pub(super) fn of(
    collection: &OpenCollection,
    entity: &EntityView,
    documents: &[DocumentId],
) -> Result<Vec<ContractRole>> {
    // One word of a longer name, or a defined term, may be anybody's.
    let aliases = entity.aliases.iter().filter(|alias| alias.split_whitespace().count() > 1);
    let names: Vec<String> = std::iter::once(&entity.name).chain(aliases).map(|name| words(name)).collect();
    let catalogue = collection.catalogue()?;
    let mut roles = Vec::new();
    for (document, known) in of_documents(collection, documents)? {
        let Some(entry) = catalogue.iter().find(|entry| entry.id == document) else { continue };
        for cited in &known.facts {
            let role = match cited.fact.kind {
                FactKind::Party => PartOfContract::Party,
                FactKind::Signatory => PartOfContract::Signatory,
                _ => continue,
            };
            let value = words(&cited.fact.value);
            if names.iter().any(|name| name.len() > 1 && value.contains(name.as_str())) {
                roles.push(ContractRole {
                    role,
                    document_name: entry.name.clone(),
                    value: cited.fact.value.clone(),
                    place: cited.place.clone(),
                });
            }
        }
    }
    roles.truncate(ROLES);
    Ok(roles)
}

/// The words in small letters, each between spaces.
fn words(text: &str) -> String {
    let text = text.to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |all, word| all + word + " ")
}
