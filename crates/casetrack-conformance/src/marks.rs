use casetrack_core::Error;
use casetrack_store::{Collection, Relocation};

use crate::fixture::*;

pub fn marks_stay_with_their_document_until_it_is_deleted(store: &dyn Store) {
    let collection = new_collection(store);
    let stored = document("/data/a.txt", &["One.\n\nTwo."]);
    let other = document("/data/b.txt", &["Three."]);
    collection.put_document(&stored).unwrap();
    collection.put_document(&other).unwrap();
    let id = stored.meta.id;
    assert_eq!(collection.catalogue().unwrap().len(), 2);
    let tag = |documents: &[_]| collection.change_marks(documents, |_, marks| marks.add_tag("privileged")).unwrap();
    assert_eq!((tag(&[id]), tag(&[id, id]), tag(&[])), (1, 0, 0));
    collection.change_marks(&[id], |_, marks| marks.set_field("custodian", "Ann Lee")).unwrap();
    let is_tagged = |collection: &Collection| {
        let meta = collection.document(id).unwrap().unwrap();
        let entries = collection.catalogue().unwrap();
        let tagged: Vec<_> =
            entries.iter().filter(|entry| entry.marks.has_tag("PRIVILEGED")).map(|entry| entry.id).collect();
        meta.marks.has_tag("privileged") && meta.marks.field("custodian") == Some("Ann Lee") && tagged == [id]
    };
    assert!(is_tagged(&collection));

    // If one change is refused, none is made.
    let refused = collection.change_marks(&[other.meta.id, id], |document, marks| match document == id {
        true => Err(Error::invalid("no")),
        false => marks.add_tag("new"),
    });
    assert!(refused.is_err() && collection.document(other.meta.id).unwrap().unwrap().marks.is_empty());

    // New content and a new place leave them.
    let again = with_id(id, "/data/a.txt", &["One.\n\nTwo and more."]);
    collection.put_document(&again).unwrap();
    assert!(is_tagged(&collection));
    let relocation = Relocation { document: id, path: "/data/c.txt".into(), name: "c.txt".into() };
    collection.relocate_documents(&[relocation]).unwrap();
    assert!(is_tagged(&collection));
    assert_clean(&collection);
    assert!(is_tagged(&collection.exported_and_imported()));
    let collection = collection.reopened();
    assert!(is_tagged(&collection));

    collection.delete_document(id).unwrap();
    collection.put_document(&with_id(id, "/data/a.txt", &["One."])).unwrap();
    assert!(collection.document(id).unwrap().unwrap().marks.is_empty());
    assert_clean(&collection);
}
