use std::path::Path;

use casetrack_core::{DocumentId, DocumentMeta, DocumentType, ExtractionMethod, FileFormat, Properties, Timestamp};

use super::apply::relocations;
use super::plan::{DiskFile, Plan, plan};
use casetrack_host::sha256;

fn document(path: &str, content: &str) -> DocumentMeta {
    DocumentMeta {
        id: DocumentId::random(),
        name: path.rsplit('/').next().unwrap().into(),
        path: path.into(),
        sha256: sha256(content.as_bytes()),
        size_bytes: 1,
        format: if path.ends_with(".zip") { FileFormat::Zip } else { FileFormat::Text },
        document_type: DocumentType::Other,
        title: None,
        properties: Properties::default(),
        extraction_method: ExtractionMethod::Native,
        page_count: 1,
        unpaged: false,
        holds_files: false,
        chunk_count: 1,
        char_count: 1,
        tracked_changes: 0,
        hidden_texts: 0,
        unread_parts: Vec::new(),
        warnings: Vec::new(),
        original_stored: false,
        ingested_at: Timestamp(0),
        embedded_at: None,
        marks: Default::default(),
    }
}

/// The plan in words, from "path=content" of files and documents below /r. A file's content may be "?" for one that cannot be
/// read. Documents without a file are gone unless they are below /r/unseen.
fn planned(files: &[&str], documents: &[&str], remove: bool) -> Vec<String> {
    let split = |item: &str| -> (String, String) {
        let (path, content) = item.split_once('=').unwrap();
        (if path.starts_with('/') { path.to_owned() } else { format!("/r/{path}") }, content.to_owned())
    };
    let files: Vec<DiskFile> = files
        .iter()
        .map(|item| {
            let (path, content) = split(item);
            DiskFile { path, sha256: (content != "?").then(|| sha256(content.as_bytes())) }
        })
        .collect();
    let mut documents: Vec<DocumentMeta> = documents
        .iter()
        .map(|item| {
            let (path, content) = split(item);
            document(&path, &content)
        })
        .collect();
    documents.sort_by(|a, b| a.path.cmp(&b.path));
    let is_gone =
        |meta: &DocumentMeta| !meta.path.starts_with("/r/unseen/") && !meta.path.starts_with("/elsewhere/there");
    let Plan { unchanged, moved, duplicates, fresh, changed, gone } =
        plan(Path::new("/r"), &files, &documents, is_gone, remove);
    assert_eq!(unchanged.len() + moved.len() + duplicates.len() + fresh.len() + changed.len(), files.len());
    let short = |path: &str| path.strip_prefix("/r/").unwrap_or(path).to_owned();
    let (file, old) = (|f: usize| short(&files[f].path), |d: usize| short(&documents[d].path));
    let mut said: Vec<String> = Vec::new();
    said.extend(moved.iter().map(|&(d, f)| format!("{} -> {}", old(d), file(f))));
    said.extend(duplicates.iter().map(|&(f, d)| format!("{} like {}", file(f), old(d))));
    said.extend(fresh.iter().map(|&f| format!("new {}", file(f))));
    said.extend(changed.iter().map(|&f| format!("changed {}", file(f))));
    said.extend(gone.iter().map(|&d| format!("gone {}", old(d))));
    said
}

#[test]
fn what_is_new_changed_and_gone() {
    let none: [&str; 0] = [];
    assert_eq!(planned(&["a=1", "b=2"], &["a=1", "b=2"], true), none);
    assert_eq!(planned(&["a=1", "b=3", "c=4"], &["a=1", "b=2", "d=5"], true), ["new c", "changed b", "gone d"]);
    assert_eq!(planned(&[], &["a=1", "unseen/b=2", "/elsewhere/c=3"], true), ["gone a"]);
    assert_eq!(planned(&["a=?", "b=?"], &["a=1"], true), ["new b", "changed a"]);
}

#[test]
fn a_document_goes_where_its_content_went() {
    assert_eq!(planned(&["b=1"], &["a=1"], true), ["a -> b"]);
    assert_eq!(planned(&["sub/a=1", "a=3"], &["a=1"], true), ["a -> sub/a", "new a"]);
    assert_eq!(planned(&["b=1"], &["/elsewhere/a=1"], true), ["/elsewhere/a -> b"]);
    // Exchanged, and in a ring.
    assert_eq!(planned(&["a=2", "b=1"], &["a=1", "b=2"], true), ["a -> b", "b -> a"]);
    assert_eq!(planned(&["a=3", "b=1", "c=2"], &["a=1", "b=2", "c=3"], true), ["a -> b", "b -> c", "c -> a"]);
    assert_eq!(planned(&["b=1", "c=2"], &["a=1", "b=2"], true), ["a -> b", "b -> c"]);
    // Of several with the same content, that with the same name.
    assert_eq!(planned(&["x/b=1", "x/a=1"], &["a=1", "b=1"], true), ["a -> x/a", "b -> x/b"]);
    assert_eq!(planned(&["x=1", "y=1"], &["a=1"], true), ["a -> x", "y like a"]);
}

#[test]
fn a_path_keeps_its_document_when_another_file_overwrites_it() {
    assert_eq!(planned(&["b=1"], &["a=1", "b=2"], true), ["changed b", "gone a"]);
    // The start of the chain cannot go, so nothing after it can.
    assert_eq!(planned(&["b=1", "c=2"], &["a=1", "b=2", "c=3"], true), ["changed b", "changed c", "gone a"]);
}

#[test]
fn a_copy_is_a_duplicate_as_long_as_the_document_stays() {
    assert_eq!(planned(&["a=1", "b=1"], &["a=1"], true), ["b like a"]);
    assert_eq!(planned(&["b=1"], &["/elsewhere/there/a=1"], true), ["b like /elsewhere/there/a"]);
    assert_eq!(planned(&["b=1"], &["unseen/a=1"], true), ["b like unseen/a"]);
    // Content that an archive had is new when the archive goes, and a duplicate when it stays.
    assert_eq!(planned(&["b=1"], &["a.zip=9", "a.zip/b=1"], true), ["new b", "gone a.zip"]);
    assert_eq!(planned(&["b=1"], &["a.zip=9", "a.zip/b=1"], false), ["b like a.zip/b", "gone a.zip"]);
}

#[test]
fn what_is_inside_a_container_goes_with_it() {
    let inside = ["a.zip=9", "a.zip/x=1", "a.zip/in.zip=8", "a.zip/in.zip/y=2"];
    assert_eq!(planned(&["a.zip=9"], &inside, true), [""; 0]);
    assert_eq!(planned(&["a.zip=7"], &inside, true), ["changed a.zip"]);
    assert_eq!(planned(&[], &inside, true), ["gone a.zip"]);
    assert_eq!(planned(&["sub/b.zip=9"], &inside, true), ["a.zip -> sub/b.zip"]);

    let mut documents: Vec<_> =
        ["/r/a.zip", "/r/a.zip/in.zip", "/r/a.zip/in.zip/y", "/r/a.zipped"].map(|path| document(path, path)).into();
    documents[1].name = "a.zip/in.zip".into();
    documents[2].name = "Given by the user".into();
    let places: Vec<_> = relocations(&documents, &[(0, "/r/sub/b.zip")])
        .into_iter()
        .map(|(_, to)| format!("{} at {}", to.name, to.path))
        .collect();
    let expected =
        ["b.zip at /r/sub/b.zip", "b.zip/in.zip at /r/sub/b.zip/in.zip", "Given by the user at /r/sub/b.zip/in.zip/y"];
    assert_eq!(places, expected);
}
