//! The time that answers take on 1,000 documents, 12,000 chunks and 250,000 mentions.

use std::time::{Duration, Instant};

use casetrack_core::{DocumentType, EntityType, ReferenceKind};

use super::test_support::{doc, id};
use super::*;

const DOCUMENTS: u32 = 1000;
const CHUNKS: u32 = 12;
/// In each chunk.
const MENTIONS: u32 = 21;

/// A multiplicative congruential generator (Lehmer; Park and Miller, 1988).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0 * 48_271 % 2_147_483_647;
        (self.0 % u64::from(n)) as u32
    }

    /// Small numbers far more often than large ones, as names are in texts.
    fn zipf(&mut self, n: u32) -> u32 {
        let unit = f64::from(self.below(1_000_000)) / 1e6;
        (f64::from(n).powf(unit) - 1.0) as u32
    }
}

fn filled() -> (Graph, Duration) {
    let mut random = Random(42);
    let mut spent = Duration::ZERO;
    let mut graph = Graph::default();
    for number in 0..DOCUMENTS {
        let types = [DocumentType::Contract, DocumentType::Report, DocumentType::Memo, DocumentType::Invoice];
        let theme = random.below(8) as usize;
        let vector: Vec<f32> =
            (0..384).map(|i| random.below(100) as f32 / 100.0 + if i % 8 == theme { 1.5 } else { 0.5 }).collect();
        let name = format!("{number:04} Agreement on matter {}.docx", number / 2);
        let mut document = doc(&name, CHUNKS).of_type(types[theme % 4]).centred(&vector);
        for chunk in 0..CHUNKS {
            for _ in 0..MENTIONS {
                let (entity_type, of, role) = match random.below(20) {
                    0..6 => (EntityType::Organization, 6000, Some("Vendor")),
                    6..10 => (EntityType::Person, 8000, Some("Chief Executive Officer")),
                    10..16 => (EntityType::Concept, 8000, None),
                    16 => (EntityType::Location, 1000, None),
                    17 => (EntityType::Amount, 5000, None),
                    _ => (EntityType::Date, 3000, Some("effective date")),
                };
                let which = random.zipf(of);
                let key = match entity_type {
                    EntityType::Date => {
                        format!("{}-{:02}-{:02}", 2000 + which % 24, 1 + which / 24 % 12, 1 + which / 288)
                    }
                    _ => format!("{} name {which}", entity_type.name()),
                };
                let role = role.filter(|_| random.below(10) == 0);
                document = document.full(chunk, entity_type, &key, &key, role);
            }
            let cited = random.zipf(3000);
            document = document.cites(chunk, ReferenceKind::Regulation, &format!("{cited} CFR {}", cited % 50), None);
        }
        let cited = format!("{:04} Agreement on matter {}", number / 3, number / 6);
        let document = document.cites(0, ReferenceKind::Document, &cited, None);
        let started = Instant::now();
        graph.add(document.node(), 1);
        spent += started.elapsed();
    }
    (graph, spent)
}

/// Prints the shortest of three, for those who run the test with `--nocapture` on a quiet machine.
fn timed<T>(what: &str, answer: impl Fn() -> T) {
    let measure = || {
        let started = Instant::now();
        std::hint::black_box(answer());
        started.elapsed()
    };
    let shortest = (0..3).map(|_| measure()).min().unwrap();
    println!("{what}: {:.1} ms", shortest.as_secs_f64() * 1000.0);
}

#[test]
fn a_graph_of_a_thousand_documents_answers() {
    let (mut graph, adding) = filled();
    let statistics = graph.statistics();
    println!("adding 1,000 documents: {:.1} ms", adding.as_secs_f64() * 1000.0);
    println!("{:?}", statistics.entities);
    assert_eq!(statistics.chunks, u64::from(DOCUMENTS * CHUNKS));
    assert!(statistics.entities.iter().map(|count| count.mentions).sum::<u64>() >= 250_000);

    let center = graph.entity_by_key(EntityType::Organization, "organization name 0").unwrap();
    let other = graph.entity_by_key(EntityType::Person, "person name 0").unwrap();
    let around = |depth, top_k| {
        let request = EntityGraphRequest { center: Some(center), depth, top_k, ..EntityGraphRequest::default() };
        graph.entity_graph(&request)
    };
    let first = id("0000 Agreement on matter 0.docx");
    let related = RelatedRequest { document: first, relationships: Vec::new(), top_k: 10 };
    assert!(graph.related_documents(&related).unwrap().total > 10);
    let of = |strategy| graph.clusters(&ClusterRequest { strategy, max_clusters: 10 });
    assert_eq!(around(2, 20).nodes.len(), 20);

    timed("summary", || graph.summary());
    timed("entity graph, depth 2, 20 entities", || around(2, 20));
    timed("entity graph, depth 4, 100 entities", || around(4, 100));
    timed("entity graph without a center", || graph.entity_graph(&EntityGraphRequest::default()));
    timed("list of entities by name", || {
        graph.list_entities(&ListEntities { sort_by: EntitySort::Name, top_k: 50, ..ListEntities::default() })
    });
    timed("exact name", || graph.find_entity("Organization name 0", None));
    timed("misspelt name", || graph.find_entity("organizatoin nmae 17", None));
    timed("mentions", || graph.mentions(center, 20));
    timed("together", || graph.together(&[center, other], 20));
    timed("list of references to documents", || {
        let kind = Some(ReferenceKind::Document);
        graph.list_references(&ListReferences { kind, top_k: 200, ..ListReferences::default() })
    });
    timed("list of references", || graph.list_references(&ListReferences { top_k: 200, ..ListReferences::default() }));
    timed("related documents", || graph.related_documents(&related));
    timed("clusters by topic", || of(ClusterStrategy::Topical));
    timed("clusters by entity", || of(ClusterStrategy::Entity));
    timed("timeline", || graph.timeline(&TimelineRequest { top_k: 100, ..TimelineRequest::default() }));
    assert_eq!(of(ClusterStrategy::Topical).clusters.len(), 8);

    let started = Instant::now();
    for document in graph.documents() {
        graph.remove(document);
    }
    println!("removing 1,000 documents: {:.1} ms", started.elapsed().as_secs_f64() * 1000.0);
    assert!(graph.is_empty());
}
