//! Sets by the words of the contract.

use std::fs;

use casetrack_core::ErrorCode;
use serde_json::json;
use tempfile::TempDir;

use super::{for_space, index_jobs, questions, sets, *};
use casetrack_core::Cancel;
use casetrack_host::EngineConfig;

struct Made {
    host: Host,
    root: TempDir,
    _data: TempDir,
}

impl Made {
    fn new() -> Self {
        let (data, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let host = Host::new(EngineConfig::new(data.path().to_owned())).unwrap();
        Self { host, root, _data: data }
    }

    /// Returns its path.
    fn write(&self, name: &str, bytes: usize) -> String {
        let path = self.root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, vec![b'x'; bytes]).unwrap();
        casetrack_core::real_path(path).unwrap().to_str().unwrap().to_owned()
    }

    fn add(&self, set: &str, paths: &[String]) -> ModifiedSet {
        sets::modify_set(&self.host, set, Operation::Add, paths, &Cancel::default()).unwrap()
    }
}

fn refusal<T: std::fmt::Debug>(result: Result<T>) -> (Option<String>, String) {
    let error = result.unwrap_err();
    (InField::of(&error).map(str::to_owned), error.message)
}

const PAGE: Paging = Paging { limit: 100, offset: 0 };

fn names(page: &EntryPage) -> Vec<&str> {
    page.entries.iter().map(|entry| entry.name.as_str()).collect()
}

#[test]
fn a_set_is_made_filled_summed_up_and_deleted() {
    let made = Made::new();
    let host = &made.host;
    sets::create_set(host, "photos", Some("All photo files")).unwrap();
    sets::create_set(host, "all-media", None).unwrap();
    assert!(sets::set_child(host, "all-media", "photos", true).unwrap());
    let paths = [made.write("a.jpg", 10), made.write("deep/b.JPG", 20)];
    let missing = format!("{}/none/c.jpg", casetrack_core::real_path(made.root.path()).unwrap().display());
    let changed = made.add("photos", &[paths[0].clone(), paths[1].clone(), missing.clone()]);
    assert_eq!((changed.added, changed.entry_count), (2, 2));
    let not_found: Vec<_> = changed.not_found.iter().map(|gone| (&*gone.path, &*gone.reason)).collect();
    assert_eq!(not_found, [(&*missing, "no such file or directory")]);
    let sum = sets::sum_set(host, "all-media", "size", true, None, &Cancel::default()).unwrap();
    assert_eq!(
        serde_json::to_value(&sum).unwrap(),
        json!({"resource_set": "all-media", "metric": "size", "value": 30,
            "breakdown": [{"name": "photos", "value": 30}]})
    );
    assert_eq!(sets::sum_set(host, "all-media", "count", false, None, &Cancel::default()).unwrap().value, 0);
    assert_eq!(
        serde_json::to_value(
            sets::set_children(host, "all-media", Some(1), false, &Cancel::default()).unwrap().children
        )
        .unwrap(),
        json!([{"name": "photos", "description": "All photo files", "entry_count": 2, "child_count": 0}])
    );
    assert_eq!(
        serde_json::to_value(sets::set_parents(host, "photos", Some(1)).unwrap()).unwrap(),
        json!([{"name": "all-media"}])
    );
    assert_eq!(
        serde_json::to_value(sets::set_parents(host, "photos", None).unwrap()).unwrap(),
        json!([{"name": "all-media", "depth": 1}])
    );
    let details = sets::get_set(host, "photos", Some(PAGE), &Cancel::default()).unwrap();
    let page = details.page.unwrap();
    assert_eq!(names(&page), ["a.jpg", "b.JPG"]);
    let entry = &page.entries[1];
    assert_eq!((entry.kind, entry.extension.as_str(), entry.size, &entry.path), ("file", "jpg", 20, &paths[1]));
    assert!(entry.parent.ends_with("deep") && entry.added_at > 0 && entry.modified.ends_with('Z'));
    sets::delete_set(host, "photos").unwrap();
    assert!(sets::set_children(host, "all-media", None, true, &Cancel::default()).unwrap().children.is_empty());
}

#[test]
fn an_error_names_the_parameter_and_the_reason() {
    let made = Made::new();
    let (host, cancel) = (&made.host, &Cancel::default());
    sets::create_set(host, "a", None).unwrap();
    sets::create_set(host, "b", None).unwrap();
    sets::set_child(host, "a", "b", true).unwrap();
    let not_found = "resource-set not found".to_owned();
    assert_eq!(
        refusal(sets::sum_set(host, "none", "size", true, None, &Cancel::default())),
        (Some("name".to_owned()), not_found.clone())
    );
    assert_eq!(refusal(sets::set_child(host, "none", "b", true)), (Some("parent".to_owned()), not_found.clone()));
    assert_eq!(refusal(sets::set_child(host, "a", "none", true)), (Some("child".to_owned()), not_found.clone()));
    assert_eq!(refusal(sets::get_set(host, "none", None, cancel)), (Some("name".to_owned()), not_found));
    let cycle = "this edge closes a cycle: b -> a -> b".to_owned();
    assert_eq!(refusal(sets::set_child(host, "b", "a", true)), (Some("child".to_owned()), cycle));
    assert_eq!(
        refusal(sets::create_set(host, "a", None)),
        (Some("name".to_owned()), "resource-set already exists: a".to_owned())
    );
    assert_eq!(refusal(sets::sum_set(host, "a", "sizes", true, None, &Cancel::default())).0.as_deref(), Some("metric"));
    assert_eq!(refusal(sets::set_parents(host, "a", Some(0))).0.as_deref(), Some("depth"));
    let relative = sets::modify_set(host, "a", Operation::Add, &["relative".to_owned()], cancel);
    assert_eq!(refusal(relative), (Some("paths".to_owned()), "\"relative\" is not an absolute path".to_owned()));
    let empty = sets::modify_set(host, "a", Operation::Add, &[String::new()], cancel);
    assert_eq!(refusal(empty).1, "\"\" is not an absolute path");
    let shadow = std::path::absolute("/etc/shadow").unwrap().display().to_string();
    let denied = sets::modify_set(host, "a", Operation::Add, &[shadow], cancel).unwrap_err();
    assert_eq!((denied.code, InField::of(&denied)), (ErrorCode::AccessDenied, Some("paths")));
    let range = |field, min| TimeRangeSearch { name: "a", field, min, max: None, children: true, page: PAGE };
    assert_eq!(refusal(questions::find_in_time_range(host, &range("atime", None), cancel)).0.as_deref(), Some("field"));
    assert_eq!(
        refusal(questions::find_in_time_range(host, &range("mtime", Some("soon")), cancel)).0.as_deref(),
        Some("min")
    );
    let matching = |mode, pattern| Matching {
        name: "a",
        field: "path",
        pattern,
        mode,
        case_sensitive: false,
        children: true,
        page: PAGE,
    };
    assert_eq!(refusal(questions::find_matching(host, &matching("like", "x"), cancel)).0.as_deref(), Some("mode"));
    assert_eq!(refusal(questions::find_matching(host, &matching("regex", "("), cancel)).0.as_deref(), Some("pattern"));
    let page = Paging { limit: 1_001, offset: 0 };
    let many = Comparison { name: "a", field: "kind", value: "file", children: true, page };
    assert_eq!(refusal(questions::find_equal(host, &many, cancel)).0.as_deref(), Some("limit"));
    let folder = Comparison { value: "folder", page: PAGE, ..many };
    assert_eq!(refusal(questions::find_equal(host, &folder, cancel)).0.as_deref(), Some("value"));
}

#[test]
fn questions_are_answered_in_the_terms_of_the_contract() {
    let made = Made::new();
    let (host, cancel) = (&made.host, &Cancel::default());
    sets::create_set(host, "top", None).unwrap();
    sets::create_set(host, "set", None).unwrap();
    sets::set_child(host, "top", "set", true).unwrap();
    let paths = [made.write("one.pdf", 100), made.write("two.txt", 200), made.write("sub/three.pdf", 300)];
    made.add("set", &paths);
    let folder = casetrack_core::real_path(made.root.path()).unwrap().join("sub").to_str().unwrap().to_owned();
    made.add("set", std::slice::from_ref(&folder));
    let search = |extension, sort_by, children| SetSearch {
        name: "top",
        children,
        kind: Some("file"),
        extension,
        path_contains: None,
        name_contains: None,
        size: (None, None),
        mtime: (Some("2000-01-01"), None),
        sort_by,
        descending: true,
        page: Paging { limit: 2, offset: 0 },
    };
    let page = questions::search_set(host, &search(None, "size", true), None, cancel).unwrap();
    assert_eq!((names(&page), page.total_count, page.has_more), (vec!["three.pdf", "two.txt"], 3, true));
    for extension in [".PDF", "pdf"] {
        let page = questions::search_set(host, &search(Some(extension), "name", true), None, cancel).unwrap();
        assert_eq!(names(&page), ["three.pdf", "one.pdf"]);
    }
    assert_eq!(questions::search_set(host, &search(None, "size", false), None, cancel).unwrap().total_count, 0);
    let equal = |field, value| Comparison { name: "set", field, value, children: true, page: PAGE };
    assert_eq!(names(&questions::find_equal(host, &equal("kind", "directory"), cancel).unwrap()), ["sub"]);
    assert_eq!(names(&questions::find_equal(host, &equal("path", &paths[1]), cancel).unwrap()), ["two.txt"]);
    assert_eq!(names(&questions::find_equal(host, &equal("parent", &folder), cancel).unwrap()), ["three.pdf"]);
    let range = MetricRange { name: "set", metric: "size", min: Some(100), max: Some(200), children: true, page: PAGE };
    assert_eq!(names(&questions::find_in_metric_range(host, &range, cancel).unwrap()), ["one.pdf", "two.txt"]);
    for field in ["mtime", "ctime", "added_at"] {
        let range = |min, max| TimeRangeSearch { name: "set", field, min, max, children: true, page: PAGE };
        assert_eq!(
            questions::find_in_time_range(host, &range(Some("2000-01-01"), None), cancel).unwrap().total_count,
            4,
            "{field}"
        );
        assert_eq!(
            questions::find_in_time_range(host, &range(None, Some("946684800")), cancel).unwrap().total_count,
            0,
            "{field}"
        );
    }
    let suffix = Matching {
        name: "set",
        field: "path",
        pattern: ".pdf",
        mode: "suffix",
        case_sensitive: false,
        children: true,
        page: PAGE,
    };
    assert_eq!(names(&questions::find_matching(host, &suffix, cancel).unwrap()), ["one.pdf", "three.pdf"]);
}

#[test]
fn what_was_indexed_lately_is_skipped_until_it_is_forgotten() {
    let made = Made::new();
    made.write("a", 1);
    let (host, cancel) = (&made.host, &Cancel::default());
    let root = casetrack_core::real_path(made.root.path()).unwrap();
    let index = || {
        let asked = IndexSpace { root: root.to_str().unwrap(), in_background: false, force: false, max_age: 3_600.0 };
        index_jobs::index_space(host, &asked, cancel).unwrap().skipped
    };
    assert_eq!((index(), index()), (Some(false), Some(true)));
    assert!(host.catalog().unwrap().forget_root(&root).unwrap());
    assert_eq!((index(), index()), (Some(false), Some(true)));
}

#[test]
fn a_session_with_folders_of_its_own_sees_no_jobs_outside_them() {
    let made = Made::new();
    made.write("in/a", 1);
    made.write("out/b", 1);
    let (host, cancel) = (&made.host, &Cancel::default());
    let root = casetrack_core::real_path(made.root.path()).unwrap();
    let mut ids = Vec::new();
    for name in ["in", "out", "in", "out"] {
        let folder = root.join(name);
        let asked = IndexSpace { root: folder.to_str().unwrap(), in_background: false, force: true, max_age: 0.0 };
        ids.extend(index_jobs::index_space(host, &asked, cancel).unwrap().job_id);
    }
    let session = for_space(host, &[root.join("in")]);
    let listed = |host: &Host, limit, offset| {
        let jobs = index_jobs::space_jobs(host, &JobsAsked { limit, offset, ..JobsAsked::default() }).unwrap().jobs;
        jobs.iter().map(|job| job.job_id).collect::<Vec<_>>()
    };
    assert_eq!(listed(host, 10, 1), [ids[2], ids[1], ids[0]]);
    assert_eq!(listed(&session, 10, 0), [ids[2], ids[0]]);
    assert_eq!(listed(&session, 1, 1), [ids[0]]);
    let outside = ids[1].to_string();
    assert_eq!(
        refusal(index_jobs::space_job(&session, &outside)),
        (Some("jobId".to_owned()), "job not found".to_owned())
    );
    assert_eq!(refusal(index_jobs::cancel_space_job(&session, &outside, cancel)).1, "job not found");
}

#[test]
fn a_list_of_jobs_has_those_behind_the_first_thousand() {
    let made = Made::new();
    for _ in 0..1_001 {
        made.host.space().unwrap().create_job("index", "/p").unwrap();
    }
    let listed = |offset| {
        let asked = JobsAsked { limit: 1_000, offset, ..JobsAsked::default() };
        index_jobs::space_jobs(&made.host, &asked).unwrap().jobs.iter().map(|job| job.job_id).collect::<Vec<_>>()
    };
    assert_eq!((listed(0).len(), listed(1_000)), (1_000, vec![1]));
}

#[test]
fn an_answer_that_may_lack_something_says_so() {
    let made = Made::new();
    let (host, cancel) = (&made.host, Cancel::default());
    let paths: Vec<String> = (0..1_001).map(|number| made.write(&number.to_string(), 1)).collect();
    sets::create_set(host, "top", None).unwrap();
    sets::create_set(host, "set", None).unwrap();
    sets::set_child(host, "top", "set", true).unwrap();
    made.add("set", &paths);
    let children = sets::set_children(host, "top", None, true, &cancel).unwrap();
    let child = &children.children[0];
    assert_eq!((child.entries.as_ref().unwrap().len(), child.has_more, children.notice), (1_000, Some(true), None));
    // A caller that waits no longer than a moment gets the present entries.
    let _filling = host.space_work().fill(vec!["set".to_owned()]);
    cancel.cancel();
    assert!(sets::sum_set(host, "top", "size", true, None, &cancel).unwrap().notice.is_some());
    assert_eq!(sets::sum_set(host, "top", "size", false, None, &cancel).unwrap().notice, None);
}
