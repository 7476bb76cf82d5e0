//! Which tools a session offers: the toolsets that were chosen, all or only those that change nothing.

use casetrack_core::{Error, ErrorCode, Result};
use casetrack_engine::settings::{self, Settings, Toolset};

use crate::table::{self, Effect, Entry};

/// The choice of one session.
#[derive(Debug, Clone)]
pub(crate) struct Offer {
    sets: Vec<Toolset>,
    read_only: bool,
}

impl Offer {
    /// The core is always there: without it no collection can be chosen.
    pub fn new(settings: &Settings) -> Self {
        let sets = [&[Toolset::Core], settings.toolsets.as_slice()].concat();
        Self { sets, read_only: settings.read_only }
    }

    fn has_set(&self, entry: &Entry) -> bool {
        self.sets.iter().any(|set| *set == entry.toolset || *set == Toolset::All)
    }

    fn shows(&self, entry: &Entry) -> bool {
        self.has_set(entry) && (!self.read_only || entry.effect == Effect::Reads)
    }

    /// The tools on offer, in the order of the table.
    pub fn tools(&self) -> impl Iterator<Item = &'static Entry> {
        table::tools().iter().filter(|entry| self.shows(entry))
    }

    /// Whether all these tools are on offer.
    pub fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.tools().any(|entry| entry.name == *name))
    }

    /// Refuses a tool that is not on offer, and says how the user can have it.
    pub fn check(&self, entry: &Entry) -> Result<()> {
        if self.shows(entry) {
            return Ok(());
        }
        let (reason, switch) = match self.has_set(entry) {
            true => ("this session is read-only".to_owned(), "without --read-only, and without read_only".to_owned()),
            false => {
                let set = entry.toolset.name();
                (
                    format!("it is in the toolset \"{set}\", which is not in use"),
                    format!("with --toolsets {set},…, or with \"{set}\" in toolsets"),
                )
            }
        };
        Err(Error::new(ErrorCode::AccessDenied, format!("{} is not available: {reason}.", entry.name)).with_hint(
            format!("The user can start `casetrack mcp` {switch} in {} of the data directory.", settings::FILE),
        ))
    }
}

#[cfg(test)]
mod tests {
    use casetrack_text::Reader;

    use super::*;

    fn offer(toolsets: &[Toolset], read_only: bool) -> Offer {
        Offer::new(&Settings { toolsets: toolsets.to_vec(), read_only, ..Settings::default() })
    }

    fn names(offer: &Offer) -> Vec<&'static str> {
        offer.tools().map(|entry| entry.name).collect()
    }

    #[test]
    fn toolsets_shorten_the_list() {
        assert_eq!(names(&offer(&[Toolset::All], false)).len(), table::tools().len());
        let core = names(&offer(&[Toolset::Core], false));
        assert!(core.contains(&"search_documents") && !core.contains(&"ingest_folder") && core.len() < 15, "{core:?}");
        let graph = names(&offer(&[Toolset::Graph], false));
        assert!(
            graph.contains(&"list_entities")
                && graph.contains(&"switch_collection")
                && !graph.contains(&"ingest_folder")
        );
        let error = offer(&[Toolset::Core], false).check(table::find("ingest_folder").unwrap()).unwrap_err();
        assert!(Reader::Assistant.error(&error).contains("--toolsets ingest"), "{error}");
    }

    #[test]
    fn read_only_shows_what_changes_nothing() {
        let offer = offer(&[Toolset::All], true);
        assert!(offer.has(&["switch_collection", "search_documents", "list_entities"]));
        for hidden in ["create_collection", "ingest_document", "delete_document", "delete_collection"] {
            assert!(!offer.has(&[hidden]), "{hidden}");
            let error = offer.check(table::find(hidden).unwrap()).unwrap_err();
            assert!(Reader::Assistant.error(&error).contains("without --read-only"), "{error}");
        }
    }
}
