//! Export of sets, contents of files, and the tree of space in a folder.

use casetrack_core::Sha256;
use serde_json::json;

use super::records::{plan, source};
use super::*;
use crate::entry::{Facts, Kind};

#[test]
fn what_users_made_is_exported_and_taken_over_where_members_wait_for_their_files() {
    let disk = Disk::new();
    disk.write("a", 5);
    disk.write("deep/b", 6);
    disk.scan();
    disk.fill("child", Mode::Append);
    disk.space.create_set("top", Some("All of it")).unwrap();
    disk.space.add_edge("top", "child").unwrap();
    disk.space.create_source(&source("s")).unwrap();
    disk.space.create_plan(&plan("p")).unwrap();
    disk.space.save_query("q", &json!({"kind": "file"})).unwrap();
    let exported = disk.space.export().unwrap();

    let data = tempfile::tempdir().unwrap();
    let catalog = Arc::new(Catalog::open(data.path()).unwrap());
    let other = Space::open(Arc::clone(&catalog)).unwrap();
    other.create_set("top", Some("Mine")).unwrap();
    assert_eq!(other.import(&exported).unwrap(), ImportCounts { sets: 1, sources: 1, plans: 1 });
    assert_eq!(other.import(&exported).unwrap(), ImportCounts::default());
    assert_eq!(other.set("top").unwrap().description.as_deref(), Some("Mine"));
    assert_eq!(other.sum("top", None).unwrap().0.count, 0);
    let scope = Scope { start: disk.root.path(), max_depth: None, is_closed: &|_| false };
    catalog.scan(&scope, &Cancel::default()).unwrap();
    let totals = other.sum("top", None).unwrap().0;
    assert_eq!((totals.count, totals.bytes), (3, 11));
    assert_eq!(other.saved_query("q").unwrap().arguments, json!({"kind": "file"}));
    for broken in [json!({}), json!({"format": 2, "sets": [], "edges": [], "sources": [], "plans": [], "queries": []})]
    {
        assert_eq!(other.import(&broken).unwrap_err().code, ErrorCode::InvalidArgument);
    }
}

#[test]
fn a_content_is_known_by_its_digest_and_a_file_while_it_is_as_it_was() {
    let disk = Disk::new();
    let path = disk.write("a.png", 5);
    let facts = Facts::read(&path).unwrap();
    let content = Content {
        sha256: Sha256([7; 32]),
        size: 5,
        media_type: "image/png".to_owned(),
        properties: json!({"pages": 1}),
        thumbnail: Some(Thumbnail { png: vec![1, 2], width: 3, height: 4 }),
        no_thumbnail: None,
        made: 0,
    };
    disk.space.keep_content(&path, &facts, &content).unwrap();
    let known = disk.space.content_of(&path, &facts).unwrap().unwrap();
    assert_eq!(Content { made: 0, ..known }, content);
    let bare = Content { sha256: Sha256([8; 32]), thumbnail: None, no_thumbnail: Some("none".to_owned()), ..content };
    disk.space.keep_content(&disk.path("other"), &facts, &bare).unwrap();
    let count = |thumbnails| disk.space.contents(thumbnails, 10, 0).unwrap().len();
    assert_eq!((count(false), count(true)), (2, 1));
    disk.write("a.png", 6);
    assert_eq!(disk.space.content_of(&path, &Facts::read(&path).unwrap()).unwrap(), None);
    assert_eq!(disk.space.content(&"0".repeat(64)).unwrap(), None);
}

#[test]
fn a_tree_has_the_largest_of_each_folder_and_sums_up_the_others() {
    let disk = Disk::new();
    for (name, bytes) in [("big/one", 900), ("big/deep/two", 600), ("small/three", 10), ("four", 300), ("five", 1)] {
        disk.write(name, bytes);
    }
    fs::hard_link(disk.path("four"), disk.path("small/four again")).unwrap();
    disk.scan();
    let top = disk.space.tree(disk.root.path(), 2, 2, false).unwrap().unwrap();
    assert_eq!((top.totals.bytes, top.totals.files, top.totals.folders), (1_811, 6, 3));
    let shown = |branch: &Branch| (branch.path.file_name().unwrap().to_str().unwrap().to_owned(), branch.totals.bytes);
    assert_eq!(top.children.iter().map(shown).collect::<Vec<_>>(), [("big".into(), 1_500), ("four".into(), 300)]);
    assert_eq!((top.others, top.other_totals.bytes, top.children[1].kind), (2, 11, Kind::File));
    let big = &top.children[0];
    assert_eq!(big.children.iter().map(shown).collect::<Vec<_>>(), [("one".into(), 900), ("deep".into(), 600)]);
    assert!(big.children[1].children.is_empty());
    assert_eq!(disk.space.totals_below(&disk.path("big")).unwrap().bytes, 1_500);
    assert_eq!(disk.space.tree(&disk.path("none"), 1, 1, true).unwrap(), None);
    let found = disk.space.state().unwrap();
    disk.write("big/one", 901);
    disk.scan();
    assert_ne!(disk.space.state().unwrap(), found);
}
