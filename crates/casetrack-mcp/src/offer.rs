//! The tools that a session offers: those of the chosen toolsets, and only those that change nothing if it is read-only.

use casetrack_core::settings::{self, Settings, Toolset};
use casetrack_core::{Error, ErrorCode, Result};

use crate::member::Member;
use crate::table::{self, Entry};
use crate::tool::{Effect, Need};

/// Tools of other sets that are listed if the user names no set: the work on a matter that lawyers do every day.
const DAILY: [&str; 5] = ["define_column", "get_obligations", "redline_documents", "add_evidence", "export_evidence"];
/// Tools of the default sets that are not listed unless their set is named: `get_job` and `cancel_job` are enough for the jobs of a session.
const RARE: [&str; 1] = ["list_jobs"];

#[derive(Debug, Clone)]
pub(crate) struct Offer {
    /// The sets whose tools are listed.
    sets: Vec<Toolset>,
    /// True if the user chose the sets: then no other tool can be called.
    limited: bool,
    read_only: bool,
    /// Rights that the user of a server lacks; tools that need them are not listed.
    hidden: Vec<Need>,
    /// The beginning of the hint by which a refused tool can be allowed.
    starts: &'static str,
}

impl Offer {
    /// The core is offered with every set about collections: without it none can be chosen. A user who asks only for other sets gets nothing that
    /// reads a collection.
    pub fn new(settings: &Settings) -> Self {
        let chosen = settings.toolsets.as_deref();
        let mut sets = chosen.unwrap_or(&Toolset::DEFAULT).to_vec();
        if sets.iter().any(|set| set.is_about_collections()) {
            sets.push(Toolset::Core);
        }
        Self {
            sets,
            limited: chosen.is_some(),
            read_only: settings.read_only,
            hidden: Vec::new(),
            starts: "The user can start `casetrack mcp`",
        }
    }

    /// Hides the tools that the user of a server could never call.
    pub fn for_user(mut self, member: Option<&dyn Member>) -> Self {
        if let Some(member) = member {
            self.starts = "The administrator can start `casetrack serve`";
            self.hidden.extend((!member.has_disk()).then_some(Need::Disk));
            self.hidden.extend((!member.may_create()).then_some(Need::Create));
        }
        self
    }

    fn has_set(&self, entry: &Entry) -> bool {
        let in_all = entry.row.toolset.is_in_all();
        self.sets.iter().any(|set| *set == entry.row.toolset || *set == Toolset::All && in_all)
    }

    pub fn has_collections(&self) -> bool {
        self.sets.contains(&Toolset::Core)
    }

    pub fn has_space(&self) -> bool {
        self.sets.contains(&Toolset::Space)
    }

    fn is_listed(&self, entry: &Entry) -> bool {
        match self.limited {
            true => self.has_set(entry),
            false => DAILY.contains(&entry.name) || self.has_set(entry) && !RARE.contains(&entry.name),
        }
    }

    fn allows(&self, entry: &Entry) -> bool {
        !self.read_only || entry.row.effect == Effect::Reads
    }

    pub fn tools(&self) -> impl Iterator<Item = &'static Entry> {
        let is_hidden = |entry: &Entry| self.hidden.contains(&entry.row.need);
        table::tools().iter().filter(move |entry| self.is_listed(entry) && self.allows(entry) && !is_hidden(entry))
    }

    pub fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.tools().any(|entry| entry.name == *name))
    }

    /// Refuses a tool that the session may not use, and explains how the user can allow it.
    pub fn check(&self, entry: &Entry) -> Result<()> {
        // Without a choice, every tool about collections can be called.
        let can_be_called = self.is_listed(entry) || !self.limited && entry.row.toolset.is_in_all();
        let (reason, change) = if !can_be_called {
            let set = entry.row.toolset.name();
            (
                format!("it is in the toolset \"{set}\", which is not in use"),
                format!("with --toolsets {set},…, or add \"{set}\" to toolsets"),
            )
        } else if !self.allows(entry) {
            ("this session is read-only".to_owned(), "without --read-only, or remove read_only".to_owned())
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorCode::AccessDenied, format!("{} is not available: {reason}.", entry.name))
            .with_hint(format!("{} {change} in {} of the data directory.", self.starts, settings::FILE)))
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
        let time = names(&offer(&[Toolset::Time], false));
        assert_eq!(time, ["fs.search_by_time", "find_files_by_time"]);
        let files = names(&offer(&[Toolset::Files], false));
        assert_eq!(files, ["listRoots", "indexFolder", "searchFiles", "openFile", "summarizeResults", "rewriteQuery"]);
        let index = names(&offer(&[Toolset::Index], false));
        assert_eq!(index, ["search_index", "search_add_document", "search_create_index"]);
        assert_eq!(names(&offer(&[Toolset::Index], true)), ["search_index"]);
        let workbench = names(&offer(&[Toolset::Workbench], false));
        assert!(workbench.contains(&"add_evidence") && workbench.contains(&"search_documents"), "{workbench:?}");
        let in_workbench = table::tools().iter().filter(|entry| entry.row.toolset == Toolset::Workbench).count();
        let space = names(&offer(&[Toolset::Space], false));
        assert_eq!((space.len(), space[0], space[36]), (37, "index", "find_duplicates"));
        let reading = names(&offer(&[Toolset::Space], true));
        assert!(reading.contains(&"resource-search") && !reading.contains(&"resource-set-create"));
        let others = time.len() + files.len() + index.len() + space.len() + in_workbench;
        assert_eq!(names(&offer(&[Toolset::All], false)).len(), table::tools().len() - others);
        let core = names(&offer(&[Toolset::Core], false));
        assert!(core.contains(&"search_documents") && !core.contains(&"ingest_folder") && core.len() <= 20, "{core:?}");
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
    fn without_a_choice_the_contract_and_daily_work_are_listed_and_every_tool_can_be_called() {
        let usual = Offer::new(&Settings::default());
        let of_contract = names(&offer(&Toolset::DEFAULT, false));
        let listed = names(&usual);
        assert!(listed.len() <= 52, "{} tools", listed.len());
        assert!(of_contract.iter().all(|name| listed.contains(name) != RARE.contains(name)), "{listed:?}");
        assert!(DAILY.iter().all(|name| listed.contains(name)), "{listed:?}");
        assert!(usual.has(&["create_collection", "delete_collection", "sync_folder", "get_entity_graph"]));
        assert!(!usual.has(&["find_hidden_text"]) && !usual.has(&["list_evidence"]));
        for entry in table::tools() {
            let can_be_called = entry.row.toolset.is_in_all() || DAILY.contains(&entry.name);
            assert_eq!(usual.check(entry).is_ok(), can_be_called, "{}", entry.name);
        }
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
