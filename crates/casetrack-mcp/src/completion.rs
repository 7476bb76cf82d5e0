//! Completion of the arguments of prompts and of the variables in the URIs of resources.

use std::collections::HashMap;

use casetrack_core::{Cancel, CollectionId, Error, Result, TextView};
use casetrack_engine::space::{JobsAsked, Metric};
use casetrack_engine::{Engine, collections, documents, space};
use rmcp::model::{CompletionInfo, Reference};

use crate::prompts::{self, Values};
use crate::resources::{KINDS, synthesis};
use casetrack_text::format::shorten;

/// Suggests values of an argument for the typed beginning: first those that start with it, then those with a word that does, then
/// those that contain it, each group by name. `known` are the arguments chosen so far; documents are those of the collection among
/// them, otherwise of the active collection.
///
/// Errors: [`casetrack_core::ErrorCode::InvalidArgument`] for a prompt, template or argument that does not exist.
pub(crate) fn complete(
    engine: &Engine,
    active: Option<CollectionId>,
    reference: &Reference,
    argument: (&str, &str),
    known: &HashMap<String, String>,
) -> Result<CompletionInfo> {
    let (name, typed) = argument;
    let values = values_of(reference, name)?;
    let candidates = candidates(engine, active, values, typed, known)?;
    let mut matching: Vec<(u8, String)> =
        candidates.into_iter().filter_map(|value| Some((rank(&value, typed)?, value))).collect();
    matching.sort_by_cached_key(|(rank, value)| {
        let number = value.parse::<u32>().unwrap_or_default();
        (*rank, number, value.to_lowercase())
    });
    let total = matching.len();
    let values = matching.into_iter().map(|(_, value)| value).take(CompletionInfo::MAX_VALUES).collect();
    let more = total > CompletionInfo::MAX_VALUES;
    CompletionInfo::with_pagination(values, u32::try_from(total).ok(), more).map_err(Error::internal)
}

fn values_of(reference: &Reference, argument: &str) -> Result<Values> {
    let unknown = |what: &str, name: &str| Error::invalid(format!("Unknown {what}: \"{}\".", shorten(name, 200)));
    match reference {
        Reference::Prompt(prompt) => {
            let prompt = prompts::find(&prompt.name)?;
            let found = prompt.arguments.iter().find(|known| known.name == argument);
            found.map(|found| found.values).ok_or_else(|| unknown("argument", argument))
        }
        Reference::Resource(template) if synthesis::is_one(&template.uri) => {
            let known = synthesis::TEMPLATES.iter().any(|(uri, ..)| *uri == template.uri);
            if !known {
                return Err(unknown("resource template", &template.uri));
            }
            let has = |name: &str| template.uri.contains(&format!("{{{name}}}"));
            match argument {
                "name" if template.uri.contains("/plans/") => Ok(Values::Plans),
                "name" if has("name") => Ok(Values::Sets),
                "metric" if has("metric") => Ok(Values::Metrics),
                "id" if has("id") => Ok(Values::SpaceJobs),
                // There are too many to choose from.
                "path" | "hash" if has(argument) => Ok(Values::Any),
                _ => Err(unknown("argument", argument)),
            }
        }
        Reference::Resource(template) => {
            let kind = KINDS.iter().find(|kind| kind.template == template.uri);
            let kind = kind.ok_or_else(|| unknown("resource template", &template.uri))?;
            let known = |name: &str| kind.template.contains(&format!("{{{name}}}"));
            match argument {
                "collection" if known("collection") => Ok(Values::Collections),
                "document" if known("document") => Ok(Values::Documents),
                "id" if kind.template.contains("/documents/{id}") => Ok(Values::Documents),
                // There are too many to choose from; an id comes from a search.
                "id" if known("id") => Ok(Values::Any),
                "page" if known("page") => Ok(Values::Pages),
                "chunk" if known("?chunk") => Ok(Values::Chunks),
                "view" if known("?view") => Ok(Values::Views),
                _ => Err(unknown("argument", argument)),
            }
        }
        _ => Err(Error::invalid("Completion is offered for prompts and resource templates.")),
    }
}

fn candidates(
    engine: &Engine,
    active: Option<CollectionId>,
    values: Values,
    typed: &str,
    known: &HashMap<String, String>,
) -> Result<Vec<String>> {
    // Ids are suggested only where one is being typed.
    let typed = typed.trim().to_ascii_lowercase();
    let is_id = |id: &str| !typed.is_empty() && id.starts_with(&typed);
    let collection = || match known.get("collection") {
        // An incomplete name has no documents.
        Some(name) => collections::find_collection(engine.host(), name).ok().map(|meta| meta.id),
        None => active,
    };
    let document = || Some((collection()?, known.get("document")?));
    Ok(match values {
        Values::Any => Vec::new(),
        Values::Sets => {
            space::list_sets(engine.host(), &Cancel::default())?.resource_sets.into_iter().map(|set| set.name).collect()
        }
        Values::Plans => engine.plans(engine.host())?.plans.into_iter().map(|plan| plan.name).collect(),
        Values::Metrics => Metric::EACH.into_iter().map(|metric| metric.name().to_owned()).collect(),
        Values::SpaceJobs => {
            let jobs = space::space_jobs(engine.host(), &JobsAsked { limit: 100, ..JobsAsked::default() })?.jobs;
            jobs.into_iter().map(|job| job.job_id.to_string()).collect()
        }
        Values::Collections => {
            let all = collections::collections(engine.host())?;
            let ids = all.iter().map(|meta| meta.id.to_string()).filter(|id| is_id(id));
            ids.chain(all.iter().map(|meta| meta.name.clone())).collect()
        }
        Values::Documents => {
            let Some(collection) = collection() else { return Ok(Vec::new()) };
            let all = documents::document_catalogue(engine.host(), collection)?;
            let shared = documents::shared_names(&all);
            // Documents with the same name are suggested by path.
            let name = |entry: &documents::CatalogueEntry| match shared.contains(entry.name.as_str()) {
                true => entry.path.clone(),
                false => entry.name.clone(),
            };
            let ids = all.iter().map(|entry| entry.id.to_string()).filter(|id| is_id(id));
            ids.chain(all.iter().map(|entry| name(entry))).collect()
        }
        Values::Views => TextView::ALL.iter().map(|view| view.label().to_owned()).collect(),
        Values::Pages => {
            let Some((collection, document)) = document() else { return Ok(Vec::new()) };
            let pages =
                documents::find_document(engine.host(), collection, document).map_or(0, |document| document.page_count);
            (1..=pages).map(|page| page.to_string()).collect()
        }
        Values::Chunks => {
            let Some((collection, document)) = document() else { return Ok(Vec::new()) };
            let Some(page) = known.get("page").and_then(|page| page.parse().ok()) else { return Ok(Vec::new()) };
            let page = documents::page_text(engine.host(), collection, document, page, TextView::Final);
            page.map_or(Vec::new(), |page| page.chunks.iter().map(ToString::to_string).collect())
        }
    })
}

/// The rank of a value that fits the typed text, 0 is best; `None` if it does not fit.
fn rank(value: &str, typed: &str) -> Option<u8> {
    let (value, typed) = (value.to_lowercase(), typed.trim().to_lowercase());
    if value.starts_with(&typed) {
        return Some(0);
    }
    let begins_word = |(at, _): (usize, &str)| !value[..at].ends_with(char::is_alphanumeric);
    let mut places = value.match_indices(&typed).peekable();
    places.peek()?;
    Some(if places.any(begins_word) { 1 } else { 2 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_with_the_text_comes_before_words_that_do_and_these_before_the_rest() {
        let ranked = |value| rank(value, " poInt");
        assert_eq!(ranked("Pointe-Claire"), Some(0));
        assert_eq!(ranked("Harbour Point"), Some(1));
        assert_eq!(ranked("standpoint_Point.pdf"), Some(1));
        assert_eq!(ranked("Standpoint"), Some(2));
        assert_eq!(ranked("Pier"), None);
        assert_eq!(rank("anything", ""), Some(0));
    }

    #[test]
    fn every_variable_of_every_template_is_known() {
        for kind in &KINDS {
            for name in kind.template.split('{').skip(1).filter_map(|part| part.split('}').next()) {
                let reference = Reference::for_resource(kind.template);
                assert!(values_of(&reference, name.trim_start_matches('?')).is_ok(), "{name} of {}", kind.template);
                assert!(values_of(&reference, "other").is_err());
            }
        }
        assert!(values_of(&Reference::for_resource("casetrack://other/{collection}"), "collection").is_err());
    }
}
