use super::find::Match;
use casetrack_core::{DocumentType, EntityType, ReferenceKind, Relation};

use super::test_support::{Doc, EntityMatch, doc, id};
use super::*;

fn graph(documents: impl IntoIterator<Item = Doc>) -> Graph {
    let mut graph = Graph::default();
    documents.into_iter().for_each(|document| graph.add(document.node(), 1));
    graph
}

fn names(found: &EntityMatch) -> Vec<&str> {
    found.entities.iter().map(|entity| entity.name.as_str()).collect()
}

#[test]
fn a_collection_is_followed_by_its_versions() {
    let mut graph = graph([doc("a", 1).person(0, "Ann Lee"), doc("b", 1)]);
    assert_eq!(graph.changes([(id("a"), 1), (id("b"), 1)]), Changes::default());
    let changes = graph.changes([(id("a"), 2), (id("c"), 1)]);
    let mut add = vec![id("a"), id("c")];
    add.sort();
    assert_eq!(changes, Changes { add, remove: vec![id("b")] });
    graph.add(doc("a", 1).person(0, "Mary Jones").node(), 2);
    assert_eq!(graph.version(id("a")), Some(2));
    assert_eq!(graph.find_entity("Ann Lee", None).fit, Match::None);
    assert!(!graph.remove(id("c")));
}

#[test]
fn an_entity_is_one_under_its_names() {
    let acme = |name: &str, document: &str| doc(document, 1).full(0, EntityType::Organization, "acme", name, None);
    let graph = graph([acme("Acme Corp.", "a"), acme("ACME", "b"), acme("Acme Corporation", "c"), acme("ACME", "d")]);
    let found = graph.find_entity("acme CORP", None);
    assert_eq!((found.fit, names(&found)), (Match::Exact, vec!["ACME"]));
    assert_eq!(found.entities[0].aliases, ["Acme Corp.", "Acme Corporation"]);
    assert_eq!((found.entities[0].mentions, found.entities[0].documents), (4, 4));
    // As many documents use either name: the longer one.
    let graph = self::graph([acme("ACME", "a"), acme("Acme Corp.", "b")]);
    assert_eq!(names(&graph.find_entity("acme", None)), ["Acme Corp."]);
}

#[test]
fn an_alias_means_the_entity_that_most_documents_call_by_it() {
    let called =
        |key: &str, name: &str, document: &str| doc(document, 1).full(0, EntityType::Organization, key, name, None);
    let own = |key: &str, document: &str| called(key, key, document);
    let all = [
        own("oak foods", "a"),
        own("oak foods", "b"),
        own("oak foods", "c"),
        called("oak foods", "Oak", "d"),
        own("oak tools", "e"),
        own("oak tools", "f"),
        own("oak tools", "g"),
        called("oak tools", "Oak", "h"),
        called("oak tools", "Oak", "i"),
    ];
    let found = graph(all).find_entity("Oak", None);
    assert_eq!((found.fit, names(&found)[0]), (Match::Exact, "oak tools"));
}

#[test]
fn an_umlaut_means_the_name_that_is_spelt_with_it() {
    let called =
        |key: &str, name: &str, document: &str| doc(document, 1).full(0, EntityType::Organization, key, name, None);
    let graph = graph([
        called("mueller gmbh", "Müller GmbH", "a"),
        called("mueller gmbh", "Mueller GmbH", "b"),
        called("mueller gmbh", "Mueller GmbH", "c"),
        called("muller gmbh", "Muller GmbH", "d"),
    ]);
    for (asked, found) in
        [("Müller GmbH", "Mueller GmbH"), ("Mueller GmbH", "Mueller GmbH"), ("Muller GmbH", "Muller GmbH")]
    {
        let named = graph.find_entity(asked, None);
        assert_eq!((named.fit, names(&named)[0]), (Match::Exact, found), "{asked}");
    }
}

#[test]
fn institutions_that_administer_are_no_stakeholders() {
    let documents = ["a", "b", "c"]
        .map(|document| doc(document, 1).organization(0, "American Arbitration Association").organization(0, "Acme"));
    let summary = graph(documents).summary();
    assert_eq!(summary.organizations.iter().map(|one| one.entity.name.as_str()).collect::<Vec<_>>(), ["Acme"]);
}

#[test]
fn names_are_found_as_people_type_them() {
    let graph = graph([doc("a", 1)
        .person(0, "John Smith")
        .person(0, "Jane Smith")
        .person(0, "Jane Smith")
        .person(0, "José Müller")
        .organization(0, "Smith Barney")
        .organization(0, "Summit Services LLC")]);
    let fit = |name, entity_type| graph.find_entity(name, entity_type).fit;
    assert_eq!(fit("jose muller", None), Match::Exact);
    assert_eq!(fit("Summit Services", None), Match::Fuzzy);
    assert_eq!(fit("Mr. John Smith", None), Match::Fuzzy);
    assert_eq!(fit("Jhon Smith", None), Match::Fuzzy);
    let found = graph.find_entity("Smith", Some(EntityType::Person));
    assert_eq!((found.fit, names(&found)), (Match::Ambiguous, vec!["Jane Smith", "John Smith"]));
    assert_eq!(graph.find_entity("Smith", None).entities.len(), 3);
    let error = graph.resolve_entity("Smith", Some(EntityType::Person)).unwrap_err();
    assert!(error.message.contains("ambiguous") && error.message.contains("John Smith (person"), "{}", error.message);
    let found = graph.find_entity("Sumit Servces", None);
    assert_eq!(names(&found)[0], "Summit Services LLC");
    assert_eq!(fit("Walter", None), Match::None);
    let error = graph.resolve_entity("Xyzzy", None).unwrap_err();
    assert!(format!("{:?}", error.hint).contains("ListEntities"), "{error:?}");
    // As a condition of a search, a name of several means any of them.
    let named = |name| graph.entities_named(name).unwrap().len();
    assert_eq!((named("Smith"), named("John Smith"), named("Jhon Smith")), (3, 1, 1));
    assert!(graph.entities_named("Xyzzy").is_err());
}

#[test]
fn a_surname_that_is_a_person_is_any_of_that_name() {
    let graph = graph([doc("a", 1).person(0, "John Smith"), doc("b", 1).person(0, "Smith")]);
    let found = graph.find_entity("smith", None);
    assert_eq!((found.fit, names(&found)), (Match::Ambiguous, vec!["Smith", "John Smith"]));
    let whole = graph.resolve_entity("\"smith\"", Some(EntityType::Person)).unwrap();
    assert_eq!(graph.entity(whole).unwrap().name, "Smith");
    assert_eq!(graph.find_entity("\"Jon Smith\"", None).fit, Match::Fuzzy);
}

#[test]
fn mentions_lead_to_their_chunks() {
    let document = doc("a", 3).person(0, "Ann").person(2, "Ann").full(2, EntityType::Person, "ann", "Ann", Some("CEO"));
    let graph = graph([document.organization(2, "Acme"), doc("b", 1).organization(0, "Acme")]);
    let [ann, acme] = ["Ann", "Acme"].map(|name| graph.resolve_entity(name, None).unwrap());
    let mentions = graph.mentions(ann, 10).unwrap();
    let places: Vec<_> = mentions.chunks.iter().map(|chunk| (chunk.place.chunk, chunk.mentions)).collect();
    assert_eq!(places, [(2, 2), (0, 1)]);
    assert_eq!(mentions.chunks[0].roles, ["CEO"]);
    assert_eq!(graph.chunks_with(ann), [(id("a"), 0), (id("a"), 2)]);
    assert_eq!(graph.entities_in(id("a"), 2), [ann, acme]);

    let together = graph.together(&[ann, acme], 10).unwrap();
    assert_eq!((together.total, together.chunks[0].places[0].chunk), (1, 2));
    assert_eq!(together.documents.len(), 1);
    assert!(graph.together(&[ann, ann], 10).is_err());
    assert!(graph.together(&[ann], 10).is_err());
}

/// Acme meets Summit in every chunk of theirs, Boilerplate meets everyone in every chunk.
fn partners() -> Graph {
    graph((0..10).map(|number| {
        let mut document = doc(&format!("{number}"), 20);
        for chunk in 0..20 {
            document =
                document.organization(chunk, "Boilerplate").organization(chunk, &format!("Other {number} {chunk}"));
            if chunk < 2 {
                document = document.organization(chunk, "Acme").organization(chunk, "Summit");
            }
            if chunk == 1 {
                document = document.person(chunk, "Ann Lee");
            }
            if (1..4).contains(&chunk) {
                document = document.person(chunk, "Mary Jones").date(chunk, "2023-01-15", None);
            }
        }
        document
    }))
}

#[test]
fn neighbours_are_those_that_are_not_there_by_chance() {
    let graph = partners();
    let acme = graph.resolve_entity("Acme", None).unwrap();
    let around = |depth, top_k| {
        graph.entity_graph(&EntityGraphRequest { center: Some(acme), depth, top_k, ..EntityGraphRequest::default() })
    };
    let found = around(1, 10);
    let names: Vec<&str> = found.nodes.iter().map(|node| node.entity.name.as_str()).collect();
    // Not Boilerplate, whom it meets most, nor the others, each of whom it met once.
    assert_eq!(names[..4], ["Acme", "Summit", "Ann Lee", "Mary Jones"]);
    assert!(
        found
            .nodes
            .iter()
            .all(|node| !node.entity.name.starts_with("Other") && node.entity.entity_type != EntityType::Date)
    );
    let edge = &found.edges.iter().find(|edge| (edge.source, edge.target) == (0, 1)).unwrap();
    assert!(edge.chunks == 20 && edge.weight > 0.8 && edge.weight <= 1.0, "{edge:?}");
    assert_eq!((edge.example.document, edge.example.chunk), (id("0"), 0));
    assert_eq!(around(2, 3).nodes.len(), 3);
    assert!(around(2, 4).nodes.windows(2).all(|pair| pair[0].depth <= pair[1].depth));

    let overall = graph.entity_graph(&EntityGraphRequest { top_k: 3, ..EntityGraphRequest::default() });
    assert_eq!(overall.nodes.len(), 3);
    assert!(to_dot(&overall).contains(" -- ") && to_graphml(&overall).contains("<edge "));
    let json: serde_json::Value = serde_json::to_value(&overall).unwrap();
    assert_eq!(json["nodes"].as_array().unwrap().len(), 3);
}

#[test]
fn references_are_counted_and_their_citations_found() {
    let regulation = ReferenceKind::Regulation;
    let graph = graph([
        doc("a", 2)
            .cites(0, regulation, "GDPR Art. 28", None)
            .cites(1, regulation, "GDPR Art. 28", None)
            .cites(1, regulation, "GDPR Art. 28", None)
            .cites(0, ReferenceKind::Internal, "Section 4.2", None),
        doc("b", 1).cites(0, ReferenceKind::Standard, "ISO 9001", None).cites(0, regulation, "GDPR Art. 28", None),
    ]);
    let list = graph.list_references(&ListReferences { top_k: 10, ..ListReferences::default() });
    let listed: Vec<_> = list.references.iter().map(|r| (r.name.as_str(), r.citations, r.documents)).collect();
    assert_eq!(listed, [("GDPR Art. 28", 4, 2), ("ISO 9001", 1, 1)]);
    let id = graph.resolve_reference("gdpr article", None).or_else(|_| graph.resolve_reference("gdpr art 28", None));
    let citations = graph.citations(id.unwrap(), 10).unwrap();
    let places: Vec<_> =
        citations.chunks.iter().map(|c| (c.document_name.as_str(), c.place.chunk, c.citations)).collect();
    assert_eq!(places, [("a", 0, 1), ("a", 1, 2), ("b", 0, 1)]);
    assert_eq!(graph.find_reference("Section 4.2", None).fit, Match::None);
    assert_eq!(graph.find_reference("Section 4.2", Some(ReferenceKind::Internal)).fit, Match::Exact);
}

fn related(graph: &Graph, name: &str) -> Vec<(String, Vec<Relationship>, String)> {
    let request = RelatedRequest { document: id(name), relationships: Vec::new(), top_k: 10 };
    let found = graph.related_documents(&request).unwrap().related;
    assert!(found.iter().all(|related| related.strength > 0.0 && related.strength <= 1.0));
    let reasons = |related: &RelatedDocument| related.reasons.iter().map(|reason| reason.relationship).collect();
    found.iter().map(|r| (r.document.name.clone(), reasons(r), r.reasons[0].description.clone())).collect()
}

#[test]
fn documents_are_related_by_what_they_say_of_each_other() {
    let amends = Some(Relation::Amends);
    let graph = graph([
        doc("Credit Agreement.docx", 1).date(0, "2018-06-05", Some("agreement date")),
        doc("Beta Credit Agreement.docx", 1).date(0, "2020-01-01", Some("agreement date")),
        doc("Change.docx", 1).cites(0, ReferenceKind::Document, "Credit Agreement (2018-06-05)", amends),
        doc("Supply Agreement v1.docx", 1),
        doc("Supply_Agreement_v2_final.pdf", 1),
        doc("Second Amendment.pdf", 1).titled("Second Amendment to the Supply Agreement"),
        doc("mail.eml", 1),
        doc("mail.eml/Budget.xlsx", 1),
    ]);
    let explicit = vec![Relationship::ExplicitReference];
    let amended = "Change.docx amends \"Credit Agreement (2018-06-05)\"";
    assert_eq!(related(&graph, "Change.docx"), [("Credit Agreement.docx".into(), explicit.clone(), amended.into())]);
    assert_eq!(related(&graph, "Credit Agreement.docx"), [("Change.docx".into(), explicit.clone(), amended.into())]);
    assert_eq!(related(&graph, "Beta Credit Agreement.docx"), []);
    let chain = related(&graph, "Supply Agreement v1.docx");
    assert_eq!(chain.len(), 2);
    assert_eq!(chain[1].2, "versions of \"supply agreement\": version 1 and version 2, final");
    assert_eq!(chain[0].2, "versions of \"supply agreement\": version 1 and amendment no. 2");
    assert_eq!(related(&graph, "mail.eml")[0].2, "mail.eml/Budget.xlsx is attached to mail.eml");
}

#[test]
fn documents_are_related_by_what_they_share() {
    let everywhere =
        |name: &str| doc(name, 1).organization(0, "Client").organization(0, "Court").organization(0, "Bank");
    let rare = |name: &str| everywhere(name).person(0, "Ann Lee").cites(0, ReferenceKind::Standard, "ISO 9001", None);
    let mut documents = vec![rare("a").centred(&[1.0, 0.1]), rare("b"), everywhere("c").centred(&[1.0, 0.3])];
    documents.extend((0..5).map(|number| everywhere(&format!("d{number}")).centred(&[0.0, 1.0])));
    let graph = graph(documents);
    let found = related(&graph, "a");
    assert_eq!(
        (found[0].0.as_str(), &found[0].1[..]),
        ("b", &[Relationship::SharedReferences, Relationship::SharedEntities][..])
    );
    assert_eq!((found[1].0.as_str(), found[1].1[0]), ("c", Relationship::SemanticSimilar));
    let request = RelatedRequest { document: id("a"), relationships: vec![Relationship::SharedEntities], top_k: 1 };
    let shared = &graph.related_documents(&request).unwrap().related[0].reasons[0];
    assert_eq!(shared.description, "4 shared entities");
    // The rarest first, with its places.
    assert_eq!(shared.evidence[0].name, "Ann Lee");
    assert_eq!(shared.evidence[0].there.unwrap().document, id("b"));
}

#[test]
fn clusters_are_named_by_what_tells_them_apart() {
    let mut documents = Vec::new();
    for number in 0..6 {
        let common = |name: String| doc(&name, 1).organization(0, "Client");
        documents.push(common(format!("loan {number}")).concept(0, "interest rate").centred(&[1.0, 0.2, 0.0]));
        let lease = common(format!("lease {number}")).concept(0, "rental premises").centred(&[0.0, 0.2, 1.0]);
        documents.push(lease.of_type(DocumentType::Memo).cites(0, ReferenceKind::Standard, "ISO 9001", None));
    }
    documents.push(doc("alone", 1));
    let graph = graph(documents);
    let of = |strategy| graph.clusters(&ClusterRequest { strategy, max_clusters: 5 });
    let topical = of(ClusterStrategy::Topical);
    let labels: Vec<&str> = topical.clusters.iter().map(|cluster| cluster.label.as_str()).collect();
    assert!(
        labels.len() == 2 && labels[0].starts_with("rental premises") && labels[1].starts_with("interest rate"),
        "{labels:?}"
    );
    assert_eq!(topical.unclustered, [DocumentRef { id: id("alone"), name: "alone".to_owned() }]);
    assert!(topical.clusters[0].cohesion.unwrap() > 0.9);
    let by_reference = of(ClusterStrategy::Reference);
    assert_eq!((by_reference.clusters[0].label.as_str(), by_reference.clusters[0].documents.len()), ("ISO 9001", 6));
    assert_eq!(by_reference.unclustered.len(), 7);
    assert_eq!(of(ClusterStrategy::Entity).clusters[0].label, "Client");
    assert_eq!(of(ClusterStrategy::DocumentType).clusters[0].label, "contract");
}

#[test]
fn the_timeline_puts_dates_that_matter_first() {
    let effective = Some("effective date");
    let graph = graph([
        doc("a", 2)
            .date(0, "2023-01-15", effective)
            .date(1, "2023-01-15", Some("Effective Date"))
            .date(1, "2023-01-15", None)
            .date(0, "2022-05-01", None),
        doc("b", 1).date(0, "2023-01-15", effective).date(0, "2024-03-01", Some("birth date")),
    ]);
    let timeline = |from: Option<&str>, to: Option<&str>, top_k| {
        let request =
            TimelineRequest { from: from.map(str::to_owned), to: to.map(str::to_owned), top_k, ..Default::default() };
        graph.timeline(&request)
    };
    let all = timeline(None, None, 10);
    let events: Vec<_> =
        all.events.iter().map(|e| (e.date.first.as_str(), e.description.as_str(), e.mentions)).collect();
    assert_eq!(
        events,
        [
            ("2022-05-01", "Mentioned (a)", 1),
            ("2023-01-15", "Effective date (a and b)", 3),
            ("2024-03-01", "Birth date (b)", 1)
        ]
    );
    assert_eq!(all.events[1].sources[0].place.document, id("a"));
    let most = timeline(None, None, 1);
    assert_eq!((most.total, most.events[0].date.first.as_str()), (3, "2023-01-15"));
    assert_eq!(timeline(Some("2023"), Some("2023"), 10).events.len(), 1);
    assert_eq!(timeline(Some("2023-01-16"), Some("2024-02"), 10).events.len(), 0);
    assert_eq!(timeline(None, Some("2023-01"), 10).events.len(), 2);
}

#[test]
fn a_summary_leaves_out_what_is_not_sure() {
    let documents = [
        doc("a.txt", 1).person(0, "Ann Lee").organization(0, "Field").sure(50),
        doc("b.txt", 1).organization(0, "Acme").organization(0, "Offshore").sure(50),
        doc("c.txt", 1).organization(0, "Acme").sure(95),
    ];
    let graph = graph(documents);
    let names = |entities: Vec<EntityView>| entities.into_iter().map(|entity| entity.name).collect::<Vec<_>>();
    let summary = graph.summary();
    assert_eq!(names(summary.organizations.into_iter().map(|one| one.entity).collect()), ["Acme"]);
    assert_eq!(names(summary.top_entities), ["Acme", "Ann Lee"]);
    // Lists have all, each with the confidence of the document that is surest.
    let all = graph.list_entities(&ListEntities { top_k: 10, ..ListEntities::default() });
    let named = |letters| {
        let request = ListEntities { named: Some(letters), top_k: 10, ..ListEntities::default() };
        names(graph.list_entities(&request).entities)
    };
    assert_eq!(
        (named("F"), named("ann-lee"), named("x")),
        (vec!["Field".into(), "Offshore".into()], vec!["Ann Lee".into()], vec![])
    );
    let confidences: Vec<_> = all.entities.iter().map(|entity| (entity.name.as_str(), entity.confidence)).collect();
    assert_eq!(confidences, [("Acme", 0.95), ("Ann Lee", 0.9), ("Field", 0.5), ("Offshore", 0.5)]);
}

#[test]
fn the_summary_is_a_briefing() {
    let organization = EntityType::Organization;
    let mut documents: Vec<Doc> = (0..4)
        .map(|number| {
            doc(&format!("Agreement {number}"), 2)
                .full(0, organization, "summit", "Summit Services", Some("Vendor"))
                .organization(0, "Stock Exchange")
                .organization(1, "Stock Exchange")
                .concept(0, "payment terms")
                .concept(1, "payment terms")
                .concept(1, "a@b.example")
                .date(0, "2022-01-15", Some("effective date"))
                .date(0, "2019-01-01", None)
                .cites(0, ReferenceKind::Document, "Master Service Agreement", None)
        })
        .collect();
    let signed = doc("Letter", 1).of_type(DocumentType::Correspondence).titled("Letter of intent");
    documents.push(
        signed
            .full(0, EntityType::Person, "ann lee", "Ann Lee", Some("Chief Executive Officer"))
            .organization(0, "Acme"),
    );
    let summary = graph(documents).summary();
    assert_eq!(summary.organizations[0].entity.name, "Summit Services");
    let role = &summary.organizations[0].roles[0];
    assert_eq!((role.name.as_str(), role.documents), ("Vendor", 4));
    assert_eq!(summary.people[0].roles[0].name, "Chief Executive Officer");
    assert_eq!(summary.people[0].mentioned_with.as_ref().unwrap().name, "Acme");
    assert_eq!(summary.organizations[0].mentioned_with, None);
    assert_eq!(summary.key_dates.len(), 1);
    assert_eq!(summary.topics, [Topic { name: "payment terms".to_owned(), documents: 4, chunks: 8 }]);
    let groups: Vec<_> = summary.documents.iter().map(|group| (group.documents, group.examples[0].as_str())).collect();
    assert_eq!(groups, [(4, "Agreement 0"), (1, "Letter of intent")]);
    assert_eq!((summary.references[0].citations, summary.references[0].documents), (4, 4));
    assert_eq!(summary.top_entities[0].mentions, 8);
    assert_eq!((summary.statistics.documents, summary.statistics.chunks), (5, 9));
    // Of an empty collection, too.
    assert_eq!(Graph::default().summary().statistics.documents, 0);
}
