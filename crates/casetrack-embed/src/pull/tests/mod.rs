//! Pulls from a local hub that can fail.

mod server;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use casetrack_core::ErrorCode;

use super::*;
use server::{COMMIT, Fault, Server, sha256};

const MODEL: &str = "t-one";
const REPOSITORY: &str = "owner/one";

/// A local hub with one model, and a models folder whose manifest names it.
struct Fixture {
    server: Server,
    dir: tempfile::TempDir,
    settings: HubSettings,
    weights: Vec<u8>,
}

impl Fixture {
    fn new() -> Self {
        Self::with_manifest(COMMIT, "")
    }

    /// `pin` goes into the entry of the weights.
    fn with_manifest(revision: &str, pin: &str) -> Self {
        let server = Server::start();
        let weights: Vec<u8> = (0..300_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        server.put(REPOSITORY, "model.safetensors", &weights);
        server.put(REPOSITORY, "config.json", b"{\"hidden_size\": 4}");
        server.put(REPOSITORY, "1_Dense/config.json", b"{}");
        let dir = tempfile::tempdir().unwrap();
        let entry = |id: &str, profile: &str, files: &str| {
            format!(
                "[[models]]\nid = \"{id}\"\nprofile = \"{profile}\"\nroles = [\"dense\"]\narchitecture = \"bert\"\n\
                 source_repository = \"{REPOSITORY}\"\nsource_revision = \"{revision}\"\nlicence = \"MIT\"\ndimension = 4\n\
                 max_tokens = 8\npooling = \"cls\"\nnormalise = true\nquery_prefix = \"\"\npassage_prefix = \"\"\nfiles = [{files}]\n"
            )
        };
        let files = format!(
            r#"{{ name = "model.safetensors"{pin} }}, {{ name = "config.json" }}, {{ name = "1_Dense/config.json" }}"#
        );
        let manifest = entry(MODEL, "quality", &files) + &entry("t-shipped", "compact", "");
        fs::write(dir.path().join("manifest.toml"), manifest).unwrap();
        let patience = Patience {
            retries: 3,
            pause: Duration::ZERO,
            answer: Duration::from_secs(600),
            connection: Duration::from_secs(600),
        };
        let settings =
            HubSettings { endpoint: server.endpoint.clone(), cache: None, token: None, offline: false, patience };
        Self { server, dir, settings, weights }
    }

    fn dir(&self) -> &Path {
        self.dir.path()
    }

    fn model_dir(&self) -> PathBuf {
        self.dir().join(MODEL)
    }

    fn pull(&self) -> Result<Vec<PulledModel>> {
        pull(self.dir(), &[], self.dir(), &self.settings, &mut |_| {})
    }

    fn pull_fails(&self, code: ErrorCode) -> Error {
        let error = self.pull().unwrap_err();
        assert_eq!(error.code, code, "{}", error.full_text());
        assert!(error.hint.is_some(), "{}", error.message);
        assert!(!self.model_dir().exists());
        error
    }

    fn state(&self) -> ModelState {
        let manifest = ModelManifest::load(self.dir()).unwrap();
        manifest.state(manifest.get(MODEL).unwrap())
    }

    fn part_length(&self) -> Option<u64> {
        let parts = fs::read_dir(self.dir().join(STAGING_DIR).join(MODEL).join("parts")).ok()?;
        parts.flatten().next().map(|part| part.metadata().unwrap().len())
    }

    /// The requests for the content of the weights.
    fn content_ranges(&self) -> Vec<Option<String>> {
        let log = self.server.take_log().into_iter();
        log.filter(|request| request.path.starts_with("/content/")).map(|request| request.range).collect()
    }
}

#[test]
fn a_pull_brings_all_files_and_a_second_one_asks_for_nothing() {
    let mut fixture = Fixture::new();
    fixture.settings.token = Some("secret".to_owned());
    assert!(matches!(fixture.state(), ModelState::NotPulled));
    let mut events = Vec::new();
    let pulled =
        pull(fixture.dir(), &[], fixture.dir(), &fixture.settings, &mut |event| events.push(format!("{event:?}")))
            .unwrap();
    assert_eq!((pulled[0].already, pulled[0].downloaded), (false, 300_020));
    assert_eq!(fs::read(fixture.model_dir().join("model.safetensors")).unwrap(), fixture.weights);
    assert_eq!(fs::read(fixture.model_dir().join("1_Dense/config.json")).unwrap(), b"{}");
    assert!(matches!(fixture.state(), ModelState::Present));
    assert!(fixture.part_length().is_none(), "nothing is left over");
    assert!(events[0].contains("Started") && events[0].contains("300020"), "{events:?}");
    assert!(events.last().unwrap().contains("Finished"), "{events:?}");

    // The record fills the gaps of the manifest.
    let manifest = ModelManifest::load(fixture.dir()).unwrap();
    let model = manifest.get(MODEL).unwrap();
    assert_eq!(model.weights_id().unwrap(), format!("{MODEL}@{}", &sha256(&fixture.weights)[..8]));

    // The token goes to the hub, and not to the servers that it redirects to.
    let log = fixture.server.take_log();
    assert!(log.iter().all(|request| request.authorised != request.path.starts_with("/content/")), "{log:?}");
    let again = fixture.pull().unwrap();
    assert!(again[0].already && again[0].downloaded == 0);
    assert_eq!(fixture.server.take_log(), []);
}

#[test]
fn a_connection_that_breaks_is_continued() {
    let fixture = Fixture::new();
    fixture.server.fail(&[Fault::CutAfter(100_000), Fault::CutAfter(0), Fault::CutAfter(50_000)]);
    let mut retries = 0;
    pull(fixture.dir(), &[], fixture.dir(), &fixture.settings, &mut |event| {
        retries += usize::from(matches!(event, PullEvent::Retrying { .. }));
    })
    .unwrap();
    assert_eq!(retries, 3);
    assert!(matches!(fixture.state(), ModelState::Present));
    assert_eq!(fixture.server.take_content_bytes(), fixture.weights.len(), "no byte comes twice");
}

#[test]
fn an_interrupted_pull_leaves_nothing_half_there_and_goes_on_next_time() {
    let mut fixture = Fixture::new();
    fixture.settings.patience.retries = 0;
    fixture.server.fail(&[Fault::CutAfter(123_456)]);
    let error = fixture.pull_fails(ErrorCode::Network);
    assert!(error.message.contains("model.safetensors"), "{}", error.message);
    assert!(matches!(fixture.state(), ModelState::NotPulled));
    assert_eq!(fixture.part_length(), Some(123_456));
    assert_eq!(fixture.pull().unwrap()[0].downloaded, 300_020 - 123_456);
    assert_eq!(fixture.content_ranges(), [None, Some("bytes=123456-".to_owned())]);
    assert!(matches!(fixture.state(), ModelState::Present));
}

#[test]
fn a_server_that_cannot_go_on_in_the_middle_gives_the_whole_file() {
    let fixture = Fixture::new();
    fixture.server.fail(&[Fault::CutAfter(100_000), Fault::NoRange]);
    fixture.pull().unwrap();
    assert!(matches!(fixture.state(), ModelState::Present));
}

#[test]
fn other_content_than_the_hub_names_is_deleted() {
    let fixture = Fixture::new();
    fixture.server.fail(&[Fault::Garbled]);
    let error = fixture.pull_fails(ErrorCode::Corrupt);
    assert!(error.message.contains("SHA-256") && error.message.contains("deleted"), "{}", error.message);
    assert_eq!(fixture.part_length(), None);
    fixture.pull().unwrap();
    assert!(matches!(fixture.state(), ModelState::Present));
}

#[test]
fn other_content_than_the_manifest_pins_is_not_even_downloaded() {
    let pin = format!(", sha256 = \"{}\"", "ab".repeat(32));
    let fixture = Fixture::with_manifest(COMMIT, &pin);
    let error = fixture.pull_fails(ErrorCode::Corrupt);
    assert!(error.message.contains("the manifest expects abab"), "{}", error.message);
    assert_eq!(fixture.content_ranges(), []);
}

#[test]
fn a_branch_is_pulled_at_its_commit_and_a_commit_must_be_that_one() {
    let fixture = Fixture::with_manifest("main", "");
    fixture.pull().unwrap();
    assert_eq!(PullRecord::read(&fixture.model_dir()).unwrap().unwrap().revision, COMMIT);
    let paths: Vec<String> = fixture.server.take_log().into_iter().map(|request| request.path).collect();
    assert!(paths.contains(&format!("/{REPOSITORY}/resolve/{COMMIT}/config.json")), "{paths:?}");

    let elsewhere = COMMIT.replace('0', "9");
    let other = Fixture::with_manifest(&elsewhere, "");
    assert!(other.pull_fails(ErrorCode::NotFound).message.contains(&elsewhere));
}

#[test]
fn a_damaged_model_is_reported_and_only_the_damaged_file_comes_again() {
    let fixture = Fixture::new();
    fixture.pull().unwrap();
    fixture.server.take_content_bytes();
    fs::write(fixture.model_dir().join("config.json"), b"{\"hidden_size\": 5}").unwrap();
    let ModelState::Damaged(problems) = fixture.state() else { panic!("damage goes unnoticed") };
    assert_eq!(problems.len(), 1);
    assert!(problems[0].message.contains("config.json"), "{}", problems[0].message);
    assert_eq!(problems[0].hint, Some(casetrack_core::Action::PullModels.into()));
    let pulled = fixture.pull().unwrap();
    assert_eq!(pulled[0].downloaded, 18);
    assert_eq!(fixture.server.take_content_bytes(), 0, "the weights are kept");
    assert!(matches!(fixture.state(), ModelState::Present));
}

#[test]
fn what_the_hub_refuses_is_said_with_what_to_do() {
    for (status, code, hint) in [
        (401, ErrorCode::PermissionDenied, "HF_TOKEN"),
        (404, ErrorCode::NotFound, "HF_ENDPOINT"),
        (503, ErrorCode::Network, "later"),
    ] {
        let fixture = Fixture::new();
        fixture.server.answer_always(status, "text/plain", "no");
        let error = fixture.pull_fails(code);
        assert!(error.message.contains(REPOSITORY) && error.message.contains("as told"), "{}", error.message);
        assert!(error.hint.unwrap().plain().unwrap().contains(hint));
        let requests = fixture.server.take_log().len();
        assert_eq!(requests, if status == 503 { 4 } else { 1 }, "a busy hub is asked again, a refusal is not");
    }
}

#[test]
fn a_login_page_is_no_hub_and_no_network_is_said_at_once() {
    let mut fixture = Fixture::new();
    fixture.server.answer_always(200, "text/html", "<html>sign in</html>");
    let error = fixture.pull_fails(ErrorCode::Network);
    assert!(error.message.contains("does not answer like a model hub"), "{}", error.message);

    // A port without a listener.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    fixture.settings.endpoint = format!("http://{free}");
    let error = fixture.pull_fails(ErrorCode::Network);
    assert!(error.message.starts_with("Could not reach http://127.0.0.1:"), "{}", error.message);
}

#[test]
fn offline_mode_touches_no_network_and_names_what_is_missing() {
    let mut fixture = Fixture::new();
    fixture.settings.offline = true;
    let error = fixture.pull_fails(ErrorCode::MissingDependency);
    assert!(error.message.contains("t-one (lacks model.safetensors, config.json"), "{}", error.message);
    fixture.settings.offline = false;
    fixture.pull().unwrap();
    fixture.server.take_log();
    fixture.settings.offline = true;
    assert!(fixture.pull().unwrap()[0].already);
    assert_eq!(fixture.server.take_log(), []);
}

#[cfg(unix)]
#[test]
fn files_in_the_cache_of_hugging_face_are_taken_after_a_check() {
    let mut fixture = Fixture::with_manifest("main", "");
    let cache = fixture.dir().join("hub");
    let repository = cache.join("models--owner--one");
    let snapshot = repository.join("snapshots").join(COMMIT);
    let put = |name: &str, etag: &str, content: &[u8]| {
        let (blob, link) = (repository.join("blobs").join(etag), snapshot.join(name));
        fs::create_dir_all(blob.parent().unwrap()).unwrap();
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        fs::write(&blob, content).unwrap();
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(blob, link).unwrap();
    };
    let config = b"{\"hidden_size\": 4}";
    put("model.safetensors", &sha256(&fixture.weights), &fixture.weights);
    put("config.json", &server::git_blob(config), config);
    put("1_Dense/config.json", &server::git_blob(b"{}"), b"{ }");
    fs::create_dir_all(repository.join("refs")).unwrap();
    fs::write(repository.join("refs/main"), COMMIT).unwrap();
    fixture.settings.cache = Some(cache);
    fixture.settings.offline = true;
    let error = fixture.pull_fails(ErrorCode::MissingDependency);
    assert!(error.message.contains("(lacks 1_Dense/config.json)"), "{}", error.message);
    put("1_Dense/config.json", &server::git_blob(b"{}"), b"{}");
    assert_eq!(fixture.pull().unwrap()[0].downloaded, 0);
    assert_eq!(fixture.server.take_log(), []);
    assert!(matches!(fixture.state(), ModelState::Present));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_to_be_full() {
    let fixture = Fixture::new();
    let parts = fixture.dir().join(STAGING_DIR).join(MODEL).join("parts");
    fs::create_dir_all(&parts).unwrap();
    let part = parts.join(format!("model.safetensors.{}", &sha256(&fixture.weights)[..16]));
    std::os::unix::fs::symlink("/dev/full", part).unwrap();
    let error = fixture.pull_fails(ErrorCode::DiskFull);
    assert!(error.message.contains("model.safetensors"), "{}", error.message);
    assert!(error.hint.unwrap().plain().unwrap().contains("the download resumes"));
}

#[test]
fn models_are_chosen_by_id() {
    let fixture = Fixture::new();
    let pull = |id: &str| pull(fixture.dir(), &[id.to_owned()], fixture.dir(), &fixture.settings, &mut |_| {});
    let unknown = pull("t-two").unwrap_err();
    assert_eq!(unknown.code, ErrorCode::NotFound);
    assert!(unknown.hint.unwrap().plain().unwrap().contains(MODEL));
    assert_eq!(pull("t-shipped").unwrap_err().code, ErrorCode::InvalidArgument);
    assert_eq!(pull(MODEL).unwrap().len(), 1);
}

#[test]
fn one_pull_at_a_time() {
    let fixture = Fixture::new();
    let running = Staging::open(fixture.dir(), MODEL).unwrap();
    fixture.pull_fails(ErrorCode::InUse);
    drop(running);
    fixture.pull().unwrap();
}
