use std::sync::Mutex;

use casetrack_conformance::samples::{assert_clean, collection_meta, document, many, models, results};
use casetrack_core::DocumentMeta;
use casetrack_store::{Registry, StoredDocument};
use serde_json::json;

use super::copy::uploads;
use super::*;
use casetrack_host::sha256;

/// Two stores, and a collection with something of everything in the first.
struct Stores {
    _dir: tempfile::TempDir,
    first: Registry,
    second: Registry,
    source: Collection,
}

fn with_copy(source: &Collection, mut stored: StoredDocument, content: &[u8]) -> StoredDocument {
    (stored.meta.sha256, stored.meta.original_stored) = (sha256(content), true);
    source.write_kept(&source.new_original_path(&stored.meta), content).unwrap();
    stored
}

fn stores() -> Stores {
    let dir = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| Registry::open(&dir.path().join(name)).unwrap());
    let source = first.create(&collection_meta("Case"), &models()).unwrap();
    let mut documents = many(5, 3);
    documents.push(with_copy(&source, document("/data/kept.txt", &["a copy is kept"]), b"the file"));
    let upload = source.uploads_dir().join("mail/a.eml");
    source.write_kept(&upload, b"From: ann").unwrap();
    let attached = format!("{}/b.txt", upload.display());
    documents.push(document(&attached, &["attached to an upload"]));
    documents.iter().for_each(|stored| source.put_document(stored).unwrap());
    source.set_columns(&json!([{"name": "fee"}])).unwrap();
    source
        .change_evidence(|tray| {
            tray.last_id = 3;
            Ok(())
        })
        .unwrap();
    Stores { _dir: dir, first, second, source }
}

fn silent() -> ProgressSink {
    Arc::new(|_| {})
}

impl Stores {
    fn way(&self) -> Way {
        Way::new(&self.source, &self.second.path(self.source.meta().id))
    }

    fn prepared(&self) -> Collection {
        self.second.prepare(self.source.meta(), self.source.models()).unwrap()
    }

    fn fill(&self, target: &mut Collection) -> State {
        fill(&self.source, target, &self.way(), &silent(), &Cancel::default()).unwrap()
    }

    fn difference(&self, target: &Collection) -> Option<String> {
        difference(&self.source, target, &self.way(), &silent(), &Cancel::default()).unwrap()
    }
}

/// Stops after this number of documents.
fn stopping(after: u64, cancel: &Cancel) -> ProgressSink {
    let cancel = cancel.clone();
    Arc::new(move |event| {
        if matches!(event, casetrack_core::Progress::FileDone { files, .. } if files >= after) {
            cancel.cancel();
        }
    })
}

#[test]
fn a_copy_is_the_same_and_its_uploads_are_its_own() {
    let stores = stores();
    let mut target = stores.prepared();
    let state = stores.fill(&mut target);
    assert_eq!((state.copied_before, state.originals, state.uploads, state.left_out.len()), (0, 1, 1, 0));
    assert_eq!(results(&target), results(&stores.source));
    drop(target);
    let id = stores.source.meta().id;
    stores.second.publish(id).unwrap();
    let target = stores.second.open_collection(id).unwrap();
    assert_clean(&target);
    assert_eq!(stores.difference(&target), None);
    let paths: Vec<String> = target.documents().unwrap().into_iter().map(|meta| meta.path).collect();
    let upload = target.uploads_dir().join("mail/a.eml");
    assert!(paths.contains(&format!("{}/b.txt", upload.display())), "{paths:?}");
    assert_eq!(target.read_kept(&upload).unwrap(), b"From: ann");

    // Back again: every path is as before.
    let way = Way::new(&target, &stores.first.path(id));
    let back = |meta: DocumentMeta| way.described(&meta);
    let described: Vec<DocumentMeta> = target.documents_as_stored().unwrap().into_iter().map(back).collect();
    assert_eq!(described, stores.source.documents_as_stored().unwrap());
}

#[test]
fn a_copy_that_was_broken_off_goes_on_where_it_was() {
    let stores = stores();
    let cancel = Cancel::default();
    let mut target = stores.prepared();
    let stopped = fill(&stores.source, &mut target, &stores.way(), &stopping(3, &cancel), &cancel);
    assert_eq!(stopped.map(drop).unwrap_err().code, ErrorCode::Cancelled);
    drop(target);
    // One of those that are there changes, so that it and the next ones are copied again, in the order of the first.
    let second = stores.source.documents_as_stored().unwrap()[1].clone();
    stores.source.change_marks(&[second.id], |_, marks| marks.add_tag("key")).unwrap();
    let mut target = stores.prepared();
    assert_eq!(target.counts().unwrap().documents, 3);
    assert_eq!(stores.fill(&mut target).copied_before, 1);
    assert_eq!(stores.difference(&target), None);
    assert_eq!(results(&target), results(&stores.source));
    assert_eq!(stores.fill(&mut target).copied_before, 7, "nothing is copied twice");
}

#[test]
fn what_changes_meanwhile_is_copied_as_well() {
    let stores = stores();
    let added = Mutex::new(Some(document("/data/late.txt", &["came late"])));
    let mut target = stores.prepared();
    let source = &stores.source;
    std::thread::scope(|scope| {
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let (done, was_added) = std::sync::mpsc::channel::<()>();
        let (added, done) = (&added, Mutex::new(done));
        scope.spawn(move || {
            receiver.recv().unwrap();
            source.put_document(&added.lock().unwrap().take().unwrap()).unwrap();
            done.lock().unwrap().send(()).unwrap();
        });
        let (sender, was_added) = (Mutex::new(Some(sender)), Mutex::new(was_added));
        let progress: ProgressSink = Arc::new(move |_| {
            if let Some(sender) = sender.lock().unwrap().take() {
                sender.send(()).unwrap();
                was_added.lock().unwrap().recv().unwrap();
            }
        });
        fill(source, &mut target, &stores.way(), &progress, &Cancel::default()).unwrap();
    });
    assert_eq!(target.counts().unwrap().documents, 8);
    assert_eq!(stores.difference(&target), None);
}

#[test]
fn every_difference_is_noticed() {
    let stores = stores();
    let mut target = stores.prepared();
    let documents = stores.source.documents_as_stored().unwrap();
    let state = stores.fill(&mut target);
    assert!(state.is_that_of(&stores.source).unwrap());
    type Change = Box<dyn Fn(&Collection)>;
    let whole = target.whole(documents[0].id).unwrap().unwrap();
    let (id, kept) = (documents[0].id, documents[5].clone());
    let changes: Vec<(&str, Change)> = vec![
        ("numbers", Box::new(move |target| assert!(target.delete_document(id).unwrap()))),
        (
            "parts",
            Box::new({
                let mut other = whole.clone();
                other.vectors.iter_mut().for_each(|vector| vector.reverse());
                move |target| target.put_document(&other).unwrap()
            }),
        ),
        (
            "parts",
            Box::new(move |target| assert_eq!(target.change_marks(&[id], |_, marks| marks.add_tag("x")).unwrap(), 1)),
        ),
        ("columns", Box::new(|target| target.set_columns(&json!([])).unwrap())),
        (
            "evidence",
            Box::new(|target| {
                target
                    .change_evidence(|tray| {
                        tray.last_id = 9;
                        Ok(())
                    })
                    .unwrap();
            }),
        ),
        ("copies", Box::new(move |target| target.write_kept(&target.original_path(&kept), b"another").unwrap())),
        (
            "upload",
            Box::new(|target| target.write_kept(&target.uploads_dir().join("mail/a.eml"), b"From: ben").unwrap()),
        ),
    ];
    for (what, change) in changes {
        change(&target);
        let found = stores.difference(&target).unwrap_or_default();
        assert!(found.contains(what), "{what}: {found}");
        // Made good from the beginning.
        drop(target);
        assert!(stores.second.discard(stores.source.meta().id).unwrap());
        target = stores.prepared();
        stores.fill(&mut target);
        assert_eq!(stores.difference(&target), None, "{what}");
    }
    stores.source.write_kept(&stores.source.uploads_dir().join("new.txt"), b"new").unwrap();
    assert!(!state.is_that_of(&stores.source).unwrap());
}

#[test]
fn a_copy_of_a_file_that_is_damaged_stays_behind_and_is_named() {
    let stores = stores();
    let kept = stores.source.documents_as_stored().unwrap()[5].clone();
    stores.source.write_kept(&stores.source.original_path(&kept), b"damaged").unwrap();
    let mut target = stores.prepared();
    let state = stores.fill(&mut target);
    assert_eq!((state.originals, state.left_out.len()), (0, 1));
    assert!(state.left_out[0].starts_with("/data/kept.txt:"), "{:?}", state.left_out);
    assert_eq!(stores.difference(&target), None);
    assert_eq!(stores.fill(&mut target).copied_before, 7);
    assert_eq!(uploads(&target).unwrap(), uploads(&stores.source).unwrap());
}
