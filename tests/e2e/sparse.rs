//! Learned-sparse vectors if the model, or the vectors of earlier documents, are missing.

use std::path::Path;

use serde_json::json;

use crate::client::{run, run_json, samples};

/// A models folder as ours, without the learned-sparse model.
fn models_without_sparse(dir: &Path) {
    let ours = samples().join("../models");
    let manifest = std::fs::read_to_string(ours.join("manifest.toml")).unwrap();
    let kept: Vec<&str> =
        manifest.split("[[models]]").filter(|model| !model.contains("id = \"e6-splade-tiny\"")).collect();
    std::fs::create_dir(dir).unwrap();
    std::fs::write(dir.join("manifest.toml"), kept.join("[[models]]")).unwrap();
    let model = "e1-all-minilm-l6-v2";
    std::fs::create_dir(dir.join(model)).unwrap();
    for file in std::fs::read_dir(ours.join(model)).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), dir.join(model).join(file.file_name())).unwrap();
    }
}

#[test]
fn a_collection_without_the_model_gets_it_later_and_says_what_lacks_its_vectors() {
    let data = tempfile::tempdir().unwrap();
    let (home, models) = (data.path().join("home"), data.path().join("models"));
    models_without_sparse(&models);
    let models = models.to_str().unwrap();
    let file = |name: &str, text: &str| {
        let path = data.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let first = file("first.txt", "The tenant pays the rent on the first day of the month.");
    let second = file("second.txt", "The rent is due every month and is paid to the landlord.");
    let search = |more: &[&str]| run_json(&home, &[&["search", "when is rent paid", "-c", "Lease"], more].concat());

    run(&home, &["new", "Lease", "--models-dir", models]);
    run(&home, &["ingest", &first, "-c", "Lease", "--models-dir", models]);
    let found = search(&["--models-dir", models]);
    assert_eq!((&found["stages"][0], &found["notices"]), (&json!("recall (BM25, dense E1)"), &json!([])));

    let found = search(&[]);
    let notice = found["notices"][0].as_str().unwrap();
    assert!(notice.starts_with("1 of 1 chunks of the collection have no learned-sparse vectors (E6)"), "{notice}");
    assert_eq!(found["results"][0]["sparse"], json!(null));

    run(&home, &["ingest", &second, "-c", "Lease"]);
    let found = search(&[]);
    assert!(found["notices"][0].as_str().unwrap().starts_with("1 of 2 chunks"), "{found}");
    let sparse = |name: &str| {
        let results = found["results"].as_array().unwrap();
        results.iter().find(|result| result["provenance"]["document_name"] == name).unwrap()["sparse"].clone()
    };
    assert_eq!((&sparse("first.txt"), &sparse("second.txt")["rank"]), (&json!(null), &json!(1)));

    // Without the model again: what can be is done, and said.
    let third = file("third.txt", "Rent for the garage is paid once a year.");
    let report = run_json(&home, &["ingest", &third, "-c", "Lease", "--models-dir", models]);
    assert!(report["notices"][0].as_str().unwrap().starts_with("No learned-sparse vectors (E6) were made"), "{report}");
    let found = search(&["--models-dir", models]);
    assert!(found["notices"][0].as_str().unwrap().starts_with("Without learned-sparse search (E6)"), "{found}");
    assert_eq!(found["results"].as_array().unwrap().len(), 3);

    // A file that is ingested again gets them.
    file("first.txt", "The tenant pays the rent on the second day of the month.");
    run(&home, &["ingest", &first, "-c", "Lease"]);
    assert!(search(&[])["notices"][0].as_str().unwrap().starts_with("1 of 3 chunks"));
    run(&home, &["verify", "-c", "Lease"]);
}
