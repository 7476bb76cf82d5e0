//! Which tools a session offers: those of the chosen toolsets, and only those that change nothing where it is read-only.

use casetrack_core::{Error, ErrorCode, Result};

use crate::settings::{self, Settings, Toolset};
use crate::table::{self, Entry};
use crate::tool::Effect;

/// The choice of one session.
#[derive(Debug, Clone)]
pub(crate) struct Offer {
    /// Those whose tools are listed.
    sets: Vec<Toolset>,
    /// Whether the user chose the sets: then no other tool can be called.
    limited: bool,
    read_only: bool,
}

impl Offer {
    /// The core is always offered: without it no collection can be chosen.
    pub fn new(settings: &Settings) -> Self {
        let chosen = settings.toolsets.as_deref();
        let sets = [&[Toolset::Core], chosen.unwrap_or(&Toolset::DEFAULT)].concat();
        Self { sets, limited: chosen.is_some(), read_only: settings.read_only }
    }

    fn has_set(&self, entry: &Entry) -> bool {
        self.sets.iter().any(|set| *set == entry.toolset || *set == Toolset::All)
    }

    fn allows(&self, entry: &Entry) -> bool {
        !self.read_only || entry.effect == Effect::Reads
    }

    /// The tools that are listed, in the order of the table.
    pub fn tools(&self) -> impl Iterator<Item = &'static Entry> {
        table::tools().iter().filter(|entry| self.has_set(entry) && self.allows(entry))
    }

    /// Whether all these tools are listed.
    pub fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.tools().any(|entry| entry.name == *name))
    }

    /// Whether the user chose what is offered.
    pub fn is_limited(&self) -> bool {
        self.limited || self.read_only
    }

    /// Refuses a tool that the session may not use, and says how the user can allow it.
    pub fn check(&self, entry: &Entry) -> Result<()> {
        let (reason, change) = if self.limited && !self.has_set(entry) {
            let set = entry.toolset.name();
            (
                format!("it is in the toolset \"{set}\", which is not in use"),
                format!("with --toolsets {set},…, or add \"{set}\" to toolsets"),
            )
        } else if !self.allows(entry) {
            ("this session is read-only".to_owned(), "without --read-only, or remove read_only".to_owned())
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorCode::AccessDenied, format!("{} is not available: {reason}.", entry.name)).with_hint(
            format!("The user can start `casetrack mcp` {change} in {} of the data directory.", settings::FILE),
        ))
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::ErrorKind;
    use casetrack_text::Reader;

    use super::*;

    fn offer(toolsets: &[Toolset], read_only: bool) -> Offer {
        Offer::new(&Settings { toolsets: Some(toolsets.to_vec()), read_only, ..Settings::default() })
    }

    fn names(offer: &Offer) -> Vec<&'static str> {
        offer.tools().map(|entry| entry.name).collect()
    }

    #[test]
    fn toolsets_shorten_the_list() {
        assert_eq!(names(&offer(&[Toolset::All], false)).len(), table::tools().len());
        let core = names(&offer(&[Toolset::Core], false));
        assert!(core.contains(&"search_documents") && !core.contains(&"ingest_folder") && core.len() < 20, "{core:?}");
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
    fn without_a_choice_the_list_is_short_and_every_tool_can_be_called() {
        let usual = Offer::new(&Settings::default());
        assert_eq!(names(&usual), names(&offer(&Toolset::DEFAULT, false)));
        assert!(usual.has(&["create_collection", "ingest_folder", "search_documents", "get_collection_summary"]));
        assert!(!usual.has(&["get_entity_graph"]));
        table::tools().iter().for_each(|entry| usual.check(entry).unwrap());
        let read_only = Offer::new(&Settings { read_only: true, ..Settings::default() });
        let refusal = read_only.check(table::find("sync_folder").unwrap()).unwrap_err();
        assert_eq!((refusal.code, refusal.kind()), (ErrorCode::AccessDenied, ErrorKind::User));
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
