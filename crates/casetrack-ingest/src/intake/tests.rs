use std::sync::Arc;

use casetrack_core::{Cancel, CollectionId, CollectionMeta, CollectionStatus, CollectionType, ProgressSink, Timestamp};
use casetrack_embed::Outputs;
use casetrack_store::{Collection, VectorModels};

use super::*;
use casetrack_host::{EngineConfig, Host};

fn message(attachments: [(&str, &str); 2]) -> String {
    let mut message =
        "From: Ann <ann@example.com>\r\nMIME-Version: 1.0\r\nMessage-ID: <1@example.com>\r\nSubject: Lease\r\n\
        Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\n\r\nSee the files.\r\n"
            .to_owned();
    for (name, text) in attachments {
        message += &format!("--B\r\nContent-Disposition: attachment; filename=\"{name}\"\r\n\r\n{text}\r\n");
    }
    message + "--B--\r\n"
}

/// The messages that the first stage sends about these files.
fn outcomes(host: &Host, collection: &Collection, files: &[std::path::PathBuf]) -> Vec<Outcome> {
    let (sender, outcomes) = crossbeam_channel::unbounded();
    let (cancel, progress) = (Cancel::default(), Arc::new(|_: casetrack_core::Progress| {}) as ProgressSink);
    let work = WorkContext { host, collection, progress: &progress, cancel: &cancel };
    let (outputs, recognizer) = (Outputs::DENSE, None);
    let stage = FirstStage { work, outputs, recognizer, sender };
    let found = files.iter().map(|file| SourceFile::named(file.clone(), None)).collect();
    let restorable = RestorableDocuments::of(collection).unwrap();
    Intake::new(stage, &IngestRequest::new(Vec::new()), &restorable).run(found);
    outcomes.iter().collect()
}

fn store(collection: &Collection, document: DocumentInFlight) {
    let mut stored = document.stored;
    stored.meta.embedded_at = Some(Timestamp::now());
    stored.vectors = stored.chunks.iter().map(|_| vec![1.0, 0.0]).collect();
    stored.dense_model = "m".to_owned();
    collection.put_document(&stored).unwrap();
}

fn empty_collection() -> (tempfile::TempDir, Host, Arc<casetrack_host::OpenCollection>) {
    let dir = tempfile::tempdir().unwrap();
    let host = Host::new(EngineConfig::new(dir.path().join("home"))).unwrap();
    let meta = CollectionMeta {
        id: CollectionId::random(),
        name: "Mail".to_owned(),
        reference: None,
        collection_type: CollectionType::default(),
        status: CollectionStatus::Active,
        created_at: Timestamp::now(),
    };
    let models = VectorModels { dense: "m".to_owned(), dense_dimension: 2, sparse: None, tokens: None };
    host.store().create(&meta, &models).unwrap();
    let collection = host.collection(meta.id).unwrap();
    (dir, host, collection)
}

#[test]
fn files_are_sent_in_the_order_of_discovery_however_long_each_takes() {
    let (dir, host, collection) = empty_collection();
    let (mut files, mut expected) = (Vec::new(), Vec::new());
    for n in 0..40 {
        let file = dir.path().join(format!("{n:02}.txt"));
        // Every fourth takes long, and every fifth has the content of the first.
        let text = match n {
            n if n % 5 == 0 => "The tenant pays the rent.".to_owned(),
            n if n % 4 == 0 => format!("Clause {n}. The tenant pays. ").repeat(5000),
            n => format!("Clause {n}."),
        };
        std::fs::write(&file, text).unwrap();
        expected.push(format!("{} {n:02}.txt", if n > 0 && n % 5 == 0 { "duplicate of 00.txt" } else { "ready" }));
        files.push(file);
    }
    files.insert(20, dir.path().join("missing.txt"));
    expected.insert(20, "failed missing.txt".to_owned());
    let sent: Vec<String> = outcomes(&host, &collection, &files)
        .into_iter()
        .map(|outcome| match outcome {
            Outcome::Documents(documents) => format!("ready {}", documents[0].relative),
            Outcome::Skipped(file) => {
                let of = file.detail.trim_start_matches("same content as ").split(',').next().unwrap().to_owned();
                format!("duplicate of {of} {}", file.relative_path)
            }
            Outcome::Failed(file) => format!("failed {}", file.relative_path),
            _ => String::new(),
        })
        .collect();
    assert_eq!(sent, expected);
}

#[test]
fn members_that_left_a_container_are_removed_after_it_and_not_by_the_first_stage() {
    let (dir, host, collection) = empty_collection();
    let file = dir.path().join("a.eml");
    let (lease, plan) = ("The tenant pays rent quarterly in advance.", "The plan of the cellar.");
    std::fs::write(&file, message([("lease.txt", lease), ("old.txt", plan)])).unwrap();
    for outcome in outcomes(&host, &collection, std::slice::from_ref(&file)) {
        if let Outcome::Documents(documents) = outcome {
            documents.into_iter().for_each(|document| store(&collection, document));
        }
    }
    let paths = || -> Vec<String> { collection.documents().unwrap().into_iter().map(|meta| meta.path).collect() };
    let before = paths();
    assert_eq!(before.len(), 3, "{before:?}");

    std::fs::write(&file, message([("lease.txt", lease), ("renamed.txt", plan)])).unwrap();
    let sent = outcomes(&host, &collection, std::slice::from_ref(&file));
    assert_eq!(paths(), before, "a run that ends here has lost nothing");
    let name = |path: &str| path.rsplit(std::path::is_separator).next().unwrap().to_owned();
    let sent: Vec<String> = sent
        .iter()
        .filter_map(|outcome| match outcome {
            Outcome::Documents(documents) => Some(format!("store {}", name(&documents[0].stored.meta.path))),
            Outcome::Removed(former) => Some(format!("remove {}", name(&former.documents[0].path))),
            _ => None,
        })
        .collect();
    assert_eq!(sent, ["store renamed.txt", "store a.eml", "remove old.txt"]);
}

#[test]
fn members_without_text_are_listed_like_all_others_that_were_not_read() {
    let (dir, host, collection) = empty_collection();
    let file = dir.path().join("a.eml");
    let blank = "<html><body><p></p></body></html>";
    std::fs::write(&file, message([("lease.txt", "The tenant pays rent."), ("blank.html", blank)])).unwrap();
    for outcome in outcomes(&host, &collection, std::slice::from_ref(&file)) {
        if let Outcome::Documents(documents) = outcome {
            documents.into_iter().for_each(|document| store(&collection, document));
        }
    }
    let meta = collection.document_by_path(&file.to_string_lossy()).unwrap().unwrap();
    let unread: Vec<_> = meta.unread_parts.iter().map(|part| (part.name.as_str(), part.code.as_str())).collect();
    assert_eq!(unread, [("blank.html", "empty_file")]);
    assert_eq!(meta.warnings.len(), 1, "{:?}", meta.warnings);
}

#[test]
fn a_container_names_its_members_that_were_not_read_in_every_run() {
    let (dir, host, collection) = empty_collection();
    let file = dir.path().join("a.eml");
    let binary = "\u{0}\u{1}\u{2}\u{3}".repeat(9);
    std::fs::write(&file, message([("lease.txt", "The tenant pays rent."), ("plan.xyz", &binary)])).unwrap();
    let run = || outcomes(&host, &collection, std::slice::from_ref(&file));
    let warnings = || collection.document_by_path(&file.to_string_lossy()).unwrap().unwrap().warnings;
    for outcome in run() {
        match outcome {
            Outcome::Documents(documents) => documents.into_iter().for_each(|document| store(&collection, document)),
            Outcome::Skipped(file) => {
                assert!(file.detail.starts_with("plan.xyz is binary"), "{}", file.detail)
            }
            _ => {}
        }
    }
    let expected = ["plan.xyz is binary data of an unknown type; CaseTrack cannot read this format.".to_owned()];
    assert_eq!(warnings(), expected);
    let stored = |outcomes: Vec<Outcome>| -> Vec<DocumentInFlight> {
        let documents = outcomes.into_iter().filter_map(|outcome| match outcome {
            Outcome::Documents(documents) => Some(documents),
            _ => None,
        });
        documents.flatten().collect()
    };
    assert!(stored(run()).is_empty());
    // As an earlier version stored it, without the warning.
    let meta = collection.document_by_path(&file.to_string_lossy()).unwrap().unwrap();
    let mut plain = collection.whole(meta.id).unwrap().unwrap();
    plain.meta.warnings.clear();
    plain.meta.unread_parts.clear();
    collection.put_document(&plain).unwrap();
    let mut again = stored(run());
    assert_eq!((again.len(), again[0].replaced), (1, true));
    store(&collection, again.remove(0));
    assert_eq!(warnings(), expected);
}
