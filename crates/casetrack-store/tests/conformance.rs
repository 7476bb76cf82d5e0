//! Collections on disk keep what every store promises.

use casetrack_store::Registry;

fn on_disk() -> (Registry, tempfile::TempDir) {
    let temp = tempfile::tempdir().unwrap();
    (Registry::open(temp.path()).unwrap(), temp)
}

casetrack_conformance::conformance!(on_disk());
