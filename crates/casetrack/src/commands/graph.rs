//! `casetrack summary`, `entities`, `references`, `timeline`, `graph`, `related` and `clusters`

use casetrack_core::{EntityType, Result};
use casetrack_engine::briefing;
use casetrack_engine::briefing::{
    ClusterStrategy, EntitySort, MAX_EVENTS, ReferenceSort, TimelineQuery, to_dot, to_graphml,
};
use casetrack_engine::paging::Paging;
use casetrack_text::{self as text, Reader};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::console::Console;
use crate::options::{InCollection, named};

/// Summarise a collection: people and organizations, key dates, topics, references
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Summary {
    #[command(flatten)]
    target: InCollection,
}

impl Summary {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let summary = briefing::collection_summary(console.host(), collection)?;
        console.print(&summary, |summary| text::overview::summary(summary, Reader::CommandLine))
    }
}

/// List people, organizations, dates, amounts, places and concepts, or the mentions of one
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Entities {
    /// Show the mentions of the entity with this name
    name: Option<String>,
    #[command(flatten)]
    target: InCollection,
    /// List only one type: person, organization, date, amount, location or concept
    #[arg(long = "type", value_parser = named::<EntityType>, value_name = "TYPE")]
    entity_type: Option<EntityType>,
    /// List only entities that this document (name or ID) mentions
    #[arg(long, value_name = "NAME", conflicts_with = "name")]
    document: Option<String>,
    /// Number of entities or passages
    #[arg(short = 'k', long, default_value_t = 20, value_name = "N")]
    top_k: u32,
}

impl Entities {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let Self { entity_type, top_k, .. } = self;
        if let Some(name) = &self.name {
            let mentions = briefing::entity_mentions(console.host(), collection, name, entity_type, first(top_k))?;
            return console.print(&mentions, text::entities::mentions);
        }
        let (document, sort_by) = (self.document.as_deref(), EntitySort::default());
        let list =
            briefing::list_entities(console.host(), collection, entity_type, document, None, sort_by, first(top_k))?;
        console.print(&list, text::entities::list)
    }
}

/// List the references of the documents (to other documents, laws, standards, cases), or the citations of one
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct References {
    /// Show the citations of this reference
    name: Option<String>,
    #[command(flatten)]
    target: InCollection,
    /// Number of references or passages
    #[arg(short = 'k', long, default_value_t = 20, value_name = "N")]
    top_k: u32,
}

impl References {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        if let Some(name) = &self.name {
            let citations = briefing::reference_citations(console.host(), collection, name, first(self.top_k))?;
            return console.print(&citations, text::references::citations);
        }
        let list =
            briefing::list_references(console.host(), collection, None, ReferenceSort::default(), first(self.top_k))?;
        console.print(&list, text::references::list)
    }
}

/// List the dates in the documents, in order, with their meaning
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Timeline {
    #[command(flatten)]
    target: InCollection,
    /// Earliest date: YYYY, YYYY-MM or YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Latest date
    #[arg(long, value_name = "DATE")]
    to: Option<String>,
    /// Only dates in this document (name or ID)
    #[arg(long, value_name = "NAME")]
    document: Option<String>,
    /// Only dates in documents that mention this person or organization
    #[arg(long, value_name = "NAME")]
    entity: Option<String>,
    /// Only dates with these words in their role, such as "effective" or "payment"
    #[arg(long, value_name = "WORDS")]
    role: Option<String>,
    /// Largest number of dates
    #[arg(long, value_name = "N", default_value_t = MAX_EVENTS, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Number of dates to skip
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
}

impl Timeline {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let Self { from, to, document, entity, role, limit, offset, .. } = self;
        let query = TimelineQuery { from, to, document, entity, role };
        let timeline = briefing::collection_timeline(console.host(), collection, query, Paging { offset, limit })?;
        console.print(&timeline, |timeline| text::overview::timeline(timeline, offset, Reader::CommandLine))
    }
}

/// Show which entities are mentioned together, as text or as a graph file
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Graph {
    /// Entity in the middle [default: the entities with the most links]
    name: Option<String>,
    #[command(flatten)]
    target: InCollection,
    /// Type of the entity in the middle, if several have its name
    #[arg(long = "type", value_parser = named::<EntityType>, value_name = "TYPE")]
    entity_type: Option<EntityType>,
    /// Steps from the entity in the middle (1-4)
    #[arg(long, default_value_t = 2, value_name = "N")]
    depth: u32,
    /// Largest number of entities
    #[arg(short = 'k', long, default_value_t = 20, value_name = "N")]
    top_k: u32,
    /// text, dot (for Graphviz) or graphml (for Gephi, yEd and others); --json gives JSON
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum, Serialize, Deserialize)]
enum Format {
    Text,
    Dot,
    Graphml,
}

impl Graph {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let network = briefing::entity_graph(
            console.host(),
            collection,
            self.name.as_deref(),
            self.entity_type,
            self.depth,
            self.top_k,
        )?;
        match self.format {
            Format::Text => console.print(&network, text::entities::network),
            Format::Dot => console.print_data(&network, |network| to_dot(&network.graph)),
            Format::Graphml => console.print_data(&network, |network| to_graphml(&network.graph)),
        }
    }
}

/// Show which documents are related to one, and why
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Related {
    /// Name or ID of the document
    document: String,
    #[command(flatten)]
    target: InCollection,
    /// Number of documents
    #[arg(short = 'k', long, default_value_t = 10, value_name = "N")]
    top_k: u32,
}

impl Related {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let related = briefing::related_documents(console.host(), collection, &self.document, &[], self.top_k)?;
        console.print(&related, text::overview::related)
    }
}

/// Group the documents by topic, entity, reference or type
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Clusters {
    #[command(flatten)]
    target: InCollection,
    /// topical (similar content), entity (a shared person or organization), reference (a shared citation) or document_type
    #[arg(long, default_value = "topical", value_parser = named::<ClusterStrategy>, value_name = "STRATEGY")]
    by: ClusterStrategy,
    /// Largest number of groups
    #[arg(short = 'n', long, default_value_t = 10, value_name = "N")]
    max_clusters: u32,
}

impl Clusters {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let clusters = briefing::document_clusters(console.host(), collection, self.by, self.max_clusters)?;
        console.print(&clusters, text::overview::clusters)
    }
}

fn first(limit: u32) -> Paging {
    Paging { offset: 0, limit }
}
