use casetrack_core::{DocumentType, EntityType, ReferenceKind, Relation};
use proptest::prelude::*;

use super::test_support::{Doc, doc, id};
use super::*;

const PEOPLE: &[&str] = &["John Smith", "Jane Smith", "Mary Jones", "Ann Lee"];
const ORGANIZATIONS: &[&str] = &["Acme", "Summit Services", "Beta"];
const CONCEPTS: &[&str] = &["payment terms", "service level", "audit"];
const DATES: &[&str] = &["2023-01-15", "2023-06-01", "2024-03-10"];
const NAMES: &[&str] = &[
    "Agreement v1.docx",
    "Agreement v2.docx",
    "Amendment No. 1 to the Agreement.docx",
    "Budget.xlsx",
    "Report_final.pdf",
    "mail.eml",
    "mail.eml/Budget.xlsx",
];

/// The content of documents: (document, chunk, kind of thing, which one, with a role or a relation).
type Said = Vec<(usize, u32, u8, usize, bool)>;

fn documents(said: &Said, variant: usize) -> Vec<Doc> {
    let mut docs: Vec<Doc> = NAMES.iter().map(|name| doc(name, 3)).collect();
    for &(at, chunk, kind, which, marked) in said {
        let document = std::mem::replace(&mut docs[at], doc("none", 1));
        let pick = |from: &'static [&'static str]| from[(which + variant) % from.len()];
        docs[at] = match kind {
            0 => document.full(
                chunk,
                EntityType::Person,
                &pick(PEOPLE).to_lowercase(),
                pick(PEOPLE),
                marked.then_some("CEO"),
            ),
            1 => {
                // The same organization under different names.
                let name =
                    if marked { format!("{} Inc.", pick(ORGANIZATIONS)) } else { pick(ORGANIZATIONS).to_owned() };
                document.full(chunk, EntityType::Organization, &pick(ORGANIZATIONS).to_lowercase(), &name, None)
            }
            2 => document.concept(chunk, pick(CONCEPTS)),
            3 => document.date(chunk, pick(DATES), marked.then_some("effective date")),
            4 => document.cites(chunk, ReferenceKind::Standard, ["ISO 9001", "RFC 9110"][which % 2], None),
            _ => document.cites(chunk, ReferenceKind::Document, pick(NAMES), marked.then_some(Relation::Amends)),
        };
    }
    let types = [DocumentType::Contract, DocumentType::Report, DocumentType::Other];
    let with_vectors = docs.into_iter().enumerate().map(|(at, document)| {
        let vector: Vec<f32> = (0..8).map(|i| ((at * 7 + i * 3 + variant) % 5) as f32 - 1.5).collect();
        document.of_type(types[at % 3]).centred(&vector)
    });
    with_vectors.collect()
}

/// Everything that the graph answers.
fn answers(graph: &Graph) -> String {
    let mut all = format!("{:#?}\n{:#?}\n", graph.summary(), graph.statistics());
    for sort_by in [EntitySort::Mentions, EntitySort::Documents, EntitySort::Name] {
        let list = graph.list_entities(&ListEntities { sort_by, top_k: 100, ..ListEntities::default() });
        all += &format!("{list:#?}\n");
    }
    for sort_by in [ReferenceSort::Citations, ReferenceSort::Documents, ReferenceSort::Name] {
        let list = graph.list_references(&ListReferences { kind: None, sort_by, top_k: 100 });
        all += &format!("{list:#?}\n");
    }
    for name in ["Smith", "John Smith", "acme inc", "jonh smith", "payment", "zzz", "2023-01-15"] {
        all += &format!("{:#?}\n", graph.find_entity(name, None));
        let Ok(id) = graph.resolve_entity(name, None) else { continue };
        all += &format!("{:#?}\n{:#?}\n", graph.mentions(id, 100), graph.chunks_with(id));
        for depth in 1..=3 {
            let request = EntityGraphRequest { center: Some(id), depth, top_k: 6, ..EntityGraphRequest::default() };
            all += &format!("{:#?}\n", graph.entity_graph(&request));
        }
        if let Ok(other) = graph.resolve_entity("Mary Jones", None).and_then(|other| graph.together(&[id, other], 100))
        {
            all += &format!("{other:#?}\n");
        }
    }
    all += &format!("{:#?}\n", graph.entity_graph(&EntityGraphRequest::default()));
    for name in ["ISO 9001", "Agreement", "budget"] {
        all += &format!("{:#?}\n", graph.find_reference(name, None));
        let Ok(id) = graph.resolve_reference(name, None) else { continue };
        all += &format!("{:#?}\n", graph.citations(id, 100));
    }
    for document in graph.documents() {
        let request = RelatedRequest { document, relationships: Vec::new(), top_k: 100 };
        all += &format!("{:#?}\n", graph.related_documents(&request));
    }
    for strategy in
        [ClusterStrategy::Topical, ClusterStrategy::Entity, ClusterStrategy::Reference, ClusterStrategy::DocumentType]
    {
        all += &format!("{:#?}\n", graph.clusters(&ClusterRequest { strategy, max_clusters: 4 }));
    }
    all += &format!("{:#?}\n", graph.timeline(&TimelineRequest { top_k: 100, ..TimelineRequest::default() }));
    all
}

fn said() -> impl Strategy<Value = Said> {
    prop::collection::vec((0..NAMES.len(), 0..3_u32, 0..6_u8, 0..6_usize, any::<bool>()), 0..120)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn only_what_is_there_matters_and_not_how_it_came(
        said in said(),
        history in prop::collection::vec((0..NAMES.len(), 0..3_u8), 0..40),
        last in Just((0..NAMES.len()).collect::<Vec<_>>()).prop_shuffle(),
        absent in 0..NAMES.len(),
    ) {
        let mut nodes: Vec<_> = [0, 1].map(|variant| {
            documents(&said, variant).into_iter().map(Doc::node).collect::<Vec<_>>()
        }).into();
        let other_versions = nodes.remove(1);
        let nodes = nodes.remove(0);
        let mut plain = Graph::default();
        for (at, node) in nodes.iter().enumerate().filter(|(at, _)| *at != absent) {
            plain.add(node.clone(), at as u64);
        }
        let mut eventful = Graph::default();
        for (at, what) in history {
            match what {
                0 => eventful.add(nodes[at].clone(), at as u64),
                1 => eventful.add(other_versions[at].clone(), 99),
                _ => {
                    eventful.remove(id(NAMES[at]));
                }
            }
        }
        for &at in last.iter().filter(|at| **at != absent) {
            eventful.add(nodes[at].clone(), at as u64);
        }
        eventful.remove(id(NAMES[absent]));
        prop_assert_eq!(answers(&plain), answers(&eventful));

        for &at in &last {
            eventful.remove(id(NAMES[at]));
        }
        prop_assert!(eventful.is_empty(), "{:#?}", eventful);
    }

    /// Whatever the annotations, each mention of a chunk's text is counted once.
    #[test]
    fn every_mention_is_counted_once(
        mentions in prop::collection::vec((0..3_u32, 0..6000_u32, 0..80_u32), 0..50),
    ) {
        use casetrack_core::{Annotations, LocalEntity, PlacedMention};
        let entity = |key: &str| LocalEntity {
            entity_type: EntityType::Person,
            key: key.to_owned(),
            name: key.to_owned(),
            aliases: Vec::new(),
            value: None,
            confidence: 90,
        };
        let annotations = Annotations {
            entities: vec![entity("a"), entity("b")],
            mentions: mentions.iter().map(|&(entity, start, length)| PlacedMention {
                entity, page: 1, char_start: start, char_end: start + length, role: None,
            }).collect(),
            ..Annotations::default()
        };
        let ranges: Vec<ChunkRange> = (0..3).map(|i| ChunkRange { page: 1, char_start: i * 1800, char_end: i * 1800 + 2000 }).collect();
        let meta = doc("a.txt", 3).node();
        let node = DocumentNode::new(&test_support::meta("a.txt"), &ranges, &annotations, None);
        prop_assert_eq!(meta.info, node.info.clone());
        let counted: u32 = node.postings.iter().flat_map(|(_, postings)| postings).map(|posting| u32::from(posting.count)).sum();
        let expected = mentions.iter().filter(|(entity, start, _)| *entity < 2 && *start < 5600).count();
        prop_assert_eq!(counted as usize, expected);
        prop_assert_eq!(node.entities.iter().map(|share| share.count).sum::<u32>(), counted);
    }
}
