//! The evidence that users collect: kept, checked and exported.

use casetrack_core::{Error, Result, Timestamp};

use crate::fixture::*;

fn collected(store: &dyn Store) -> Opened<'_> {
    let collection = new_collection(store);
    let documents =
        vec![document("/data/Lease.txt", &["Clause one\n\nThe rent is due"]), document("/data/b.txt", &["Annex"])];
    for stored in &documents {
        collection.put_document(stored).unwrap();
    }
    for item in [passage(&documents[0], "The rent is due"), passage(&documents[1], "Annex")] {
        collection.change_evidence(|tray| tray.add(item)).unwrap();
    }
    collection
}

pub fn evidence_is_kept_in_its_order_and_a_failed_change_changes_nothing(store: &dyn Store) {
    let collection = collected(store);
    collection
        .change_evidence(|tray| {
            tray.items.reverse();
            Ok(())
        })
        .unwrap();
    let failed: Result<()> = collection.change_evidence(|tray| {
        tray.items.clear();
        Err(Error::invalid("No."))
    });
    failed.unwrap_err();
    // Nor one that would break the tray.
    collection
        .change_evidence(|tray| {
            tray.items[0].id = 9;
            Ok(())
        })
        .unwrap_err();
    let tray = collection.reopened().evidence().unwrap();
    let kept: Vec<(u32, &str)> = tray.items.iter().map(|item| (item.id, item.text.as_str())).collect();
    assert_eq!(kept, [(2, "Annex"), (1, "The rent is due")]);
    assert_eq!((tray.items[1].note.as_str(), tray.items[1].added_at), ("Größe ☂", Timestamp(1_700_000_000_123)));
}

pub fn evidence_goes_with_an_export(store: &dyn Store) {
    let collection = collected(store);
    let imported = collection.exported_and_imported();
    assert_eq!(imported.evidence().unwrap(), collection.evidence().unwrap());
    assert_clean(&imported);
}
