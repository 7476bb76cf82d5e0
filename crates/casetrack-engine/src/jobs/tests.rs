use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use casetrack_core::{CollectionStatus, CollectionType, Progress, ProgressTotals};
use casetrack_store::{Store, VectorModels};
use casetrack_vault::header::{Header, Protector};
use casetrack_vault::key::VaultKey;
use casetrack_vault::passphrase::{Cost, Passphrase};

use super::*;
use casetrack_host::EngineConfig;
use casetrack_host::rights::{People, Rights, Role, Sight};

/// Long enough for any machine.
const PATIENCE: Duration = Duration::from_secs(600);

type Outcome = Result<(JobReport, Option<Problem>)>;

/// Runs the function of a test.
struct Scripted<F>(F);

impl<F: Fn(&JobRequest, &ProgressSink) -> Outcome + Send + Sync> Work for Scripted<F> {
    fn run(&self, _: &Host, _: CollectionId, request: &JobRequest, progress: &ProgressSink, _: &Cancel) -> Outcome {
        self.0(request, progress)
    }
}

struct Queue {
    _dir: tempfile::TempDir,
    host: Host,
    collection: CollectionId,
    jobs: Arc<Jobs>,
}

impl Queue {
    fn new(work: impl Fn(&JobRequest, &ProgressSink) -> Outcome + Send + Sync + 'static) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::new(EngineConfig::new(dir.path().to_owned())).unwrap();
        let meta = CollectionMeta {
            id: CollectionId::random(),
            name: "Matter".to_owned(),
            reference: None,
            collection_type: CollectionType::default(),
            status: CollectionStatus::Active,
            created_at: Timestamp::now(),
        };
        let models = VectorModels { dense: "m".to_owned(), dense_dimension: 2, sparse: None, tokens: None };
        host.store().create(&meta, &models).unwrap();
        let jobs = Arc::new(Jobs::new(dir.path(), host.registry().clone(), Scripted(work)));
        Self { _dir: dir, host, collection: meta.id, jobs }
    }

    fn start(&self, host: &Host, file: &str, password: Option<&str>) -> StartedJob {
        let password = password.map(|password| Password::from(password.to_owned()));
        let request = IngestRequest { password, ..IngestRequest::new(vec![file.into()]) };
        self.jobs.start(host, self.collection, JobRequest::IngestFolder(request), JobOrigin::User).unwrap()
    }

    fn wait(&self, id: JobId, progress: &ProgressSink) -> JobStatus {
        self.jobs.wait(id, PATIENCE, progress, &Cancel::default()).unwrap()
    }

    fn ended(&self, id: JobId) -> (JobState, Option<String>) {
        let job = self.wait(id, &(Arc::new(|_| {}) as ProgressSink));
        (job.state, job.problem.map(|problem| problem.code))
    }
}

/// Work waits for each message; it continues at once when the sender is dropped.
fn gate() -> (Sender<()>, impl Fn() + Send + Sync + 'static) {
    let (open, gate): (Sender<()>, Receiver<()>) = channel();
    let gate = Mutex::new(gate);
    (open, move || _ = gate.lock().unwrap().recv())
}

#[test]
fn a_job_that_panics_has_failed_and_the_next_one_runs() {
    let runs = AtomicUsize::new(0);
    let queue = Queue::new(move |_, _| {
        assert_ne!(runs.fetch_add(1, Ordering::Relaxed), 0, "as a damaged file might make it");
        Ok((JobReport::default(), None))
    });
    let start = |file| queue.start(&queue.host, file, None).job.job_id;
    let (first, second) = (start("/a"), start("/b"));
    assert_eq!(queue.ended(first), (JobState::Failed, Some(ErrorCode::Internal.name().to_owned())));
    assert_eq!(queue.ended(second), (JobState::Completed, None));
}

#[test]
fn a_request_with_another_password_or_other_settings_is_another_job() {
    let (open, gate) = gate();
    let passwords: Arc<Mutex<Vec<Option<String>>>> = Arc::default();
    let seen = Arc::clone(&passwords);
    let queue = Queue::new(move |request, _| {
        seen.lock().unwrap().push(request.password().map(|password| password.reveal().to_owned()));
        gate();
        Ok((JobReport::default(), None))
    });
    let start = |password| {
        let StartedJob { job, joined } = queue.start(&queue.host, "/a", password);
        (job.job_id, joined)
    };
    let (without, joined) = start(None);
    assert!(!joined);
    let (with, joined) = start(Some("secret"));
    assert!(with != without && !joined, "the password would be lost");
    assert_eq!((start(None), start(Some("secret"))), ((without, true), (with, true)));
    let german = EngineConfig { languages: "deu".to_owned(), ..queue.host.config().clone() };
    let other = queue.start(&queue.host.with_config(german), "/a", None);
    assert!(!other.joined && other.job.job_id != without);
    drop(open);
    for id in [without, with, other.job.job_id] {
        assert_eq!(queue.ended(id), (JobState::Completed, None));
    }
    assert!(passwords.lock().unwrap().contains(&Some("secret".to_owned())));
}

#[test]
fn a_caller_that_joins_a_job_hears_first_how_far_it_is() {
    let (open, gate) = gate();
    let queue = Queue::new(move |_, progress| {
        progress(Progress::Discovered { files: 40 });
        progress(Progress::Embedded { chunks: 9 });
        let problem = Some("damaged".to_owned());
        progress(Progress::FileDone { path: PathBuf::from("/a/4"), problem, files: 4, chunks: 12 });
        gate();
        progress(Progress::FileDone { path: PathBuf::from("/a/5"), problem: None, files: 5, chunks: 13 });
        Ok((JobReport::default(), None))
    });
    let id = queue.start(&queue.host, "/a", None).job.job_id;
    while queue.jobs.status(id).unwrap().files_done < 4 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let failing = queue.jobs.status(id).unwrap().failing;
    assert_eq!(failing, [FailingFile { path: "/a/4".to_owned(), message: "damaged".to_owned() }]);
    let heard: Arc<Mutex<(Vec<ProgressTotals>, ProgressTotals)>> = Arc::default();
    let open = Mutex::new(Some(open));
    let listener: ProgressSink = {
        let heard = Arc::clone(&heard);
        Arc::new(move |event| {
            let (all, totals) = &mut *heard.lock().unwrap();
            totals.add(&event);
            all.push(*totals);
            open.lock().unwrap().take();
        })
    };
    let ended = queue.wait(id, &listener);
    assert!(ended.state == JobState::Completed && ended.failing.is_empty());
    let joined =
        ProgressTotals { total: Some(40), files: 4, failed: 1, chunks: 12, embedded: 9, ..ProgressTotals::default() };
    assert_eq!(heard.lock().unwrap().0, [joined, ProgressTotals { files: 5, chunks: 13, ..joined }]);
}

#[test]
fn a_listener_may_ask_for_the_state_of_jobs() {
    let answered = Arc::new(AtomicBool::new(false));
    let done = Arc::clone(&answered);
    let queue = Arc::new(Queue::new(move |_, progress| {
        while !done.load(Ordering::Relaxed) {
            progress(Progress::Discovered { files: 1 });
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok((JobReport::default(), None))
    }));
    let id = queue.start(&queue.host, "/a", None).job.job_id;
    let listener: ProgressSink = {
        let queue = Arc::clone(&queue);
        Arc::new(move |event| {
            let status = queue.jobs.status(id).unwrap();
            answered.fetch_or(
                status.state == JobState::Running && !matches!(event, Progress::Joined(_)),
                Ordering::Relaxed,
            );
        })
    };
    let (sender, ended) = channel();
    std::thread::spawn(move || sender.send(queue.wait(id, &listener).state));
    let state = ended.recv_timeout(PATIENCE).expect("the listener waits for the queue, and the queue for the listener");
    assert_eq!(state, JobState::Completed);
}

#[test]
fn indexing_joins_the_same_request_refuses_another_one_and_the_urgent_goes_first() {
    let (open, gate) = gate();
    let order: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&order);
    let queue = Queue::new(move |request, _| {
        if let JobRequest::SyncFolder(request) = request {
            seen.lock().unwrap().push(request.folder.display().to_string());
        }
        gate();
        Ok((JobReport::default(), None))
    });
    let start = |folder: &str, rebuild, priority| {
        let only_below = Some(Vec::new());
        let request = SyncRequest { rebuild, only_below, priority, ..SyncRequest::new(folder.into()) };
        queue.jobs.start(&queue.host, queue.collection, JobRequest::SyncFolder(request), JobOrigin::User)
    };
    let first = start("/a", false, Priority::Normal).unwrap();
    let same = start("/a", false, Priority::High).unwrap();
    assert!(same.joined && same.job.job_id == first.job.job_id, "how urgent it is makes no other request");
    let error = start("/a", true, Priority::Normal).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (ErrorCode::InUse, "/a is being indexed by another request."));
    let last = ["/low", "/normal", "/high", "/high too"].map(|folder| {
        let priority = match folder {
            "/low" => Priority::Low,
            "/normal" => Priority::Normal,
            _ => Priority::High,
        };
        start(folder, false, priority).unwrap().job.job_id
    });
    drop(open);
    for job in last {
        assert_eq!(queue.ended(job), (JobState::Completed, None));
    }
    let order = order.lock().unwrap().clone();
    // The first one ran again for the caller that joined it.
    let firsts: Vec<&String> = order.iter().filter(|folder| *folder != "/a").collect();
    assert_eq!(firsts, ["/high", "/high too", "/normal", "/low"]);
    assert!(start("/a", true, Priority::Normal).is_ok());
}

/// The job is asked to stop, works on for longer than anyone waits, and then stops.
#[test]
fn a_job_that_stops_late_goes_on_when_its_collection_is_there_again() {
    for back_before_it_stops in [true, false] {
        let (open, gate) = gate();
        let (began, has_begun) = channel();
        let runs = AtomicUsize::new(0);
        let queue = Queue::new(move |_, _| {
            if runs.fetch_add(1, Ordering::Relaxed) > 0 {
                return Ok((JobReport::default(), None));
            }
            began.send(()).unwrap();
            gate();
            Err(Error::cancelled())
        });
        let late = queue.start(&queue.host, "/a", None).job.job_id;
        has_begun.recv().unwrap();
        let queued = queue.start(&queue.host, "/b", None).job.job_id;
        assert_eq!(queue.jobs.interrupt(queue.collection), 2);
        assert!(!queue.jobs.settle(&queue.host, queue.collection, Duration::ZERO));
        assert_eq!(queue.jobs.status(queued).unwrap_err().code, ErrorCode::Locked);
        if back_before_it_stops {
            queue.jobs.release(&queue.host, queue.collection).unwrap();
            drop(open);
        } else {
            drop(open);
            assert!(queue.jobs.settle(&queue.host, queue.collection, PATIENCE));
            assert_eq!(queue.jobs.status(late).unwrap_err().code, ErrorCode::Locked);
            queue.jobs.release(&queue.host, queue.collection).unwrap();
        }
        assert_eq!([late, queued].map(|id| queue.ended(id).0), [JobState::Completed; 2]);
    }
}

fn no_work(_: &JobRequest, _: &ProgressSink) -> Outcome {
    unreachable!("all jobs have ended")
}

#[test]
fn what_is_written_down_of_the_jobs_of_a_vault_is_sealed() {
    let report = JobReport { ingestion: Some(Default::default()), ..JobReport::default() };
    let queue = Queue::new(move |_, _| Ok((report.clone(), None)));
    let registry = queue.host.registry();
    let meta = CollectionMeta {
        id: CollectionId::random(),
        name: "Mandant".into(),
        ..registry.meta(queue.collection).unwrap()
    };
    let key = VaultKey::random(meta.id).unwrap();
    let header = Header::create(&key, &Protector::Passphrase(&Passphrase::new("right").unwrap(), Cost::LEAST)).unwrap();
    let models = VectorModels { dense: "m".to_owned(), dense_dimension: 2, sparse: None, tokens: None };
    registry.create_vault(&meta, &models, key.clone(), &header).unwrap();
    let start = |collection| {
        let request = JobRequest::IngestFolder(IngestRequest::new(vec!["/in/Geheim".into()]));
        queue.jobs.start(&queue.host, collection, request, JobOrigin::User).unwrap().job.job_id
    };
    let (plain, sealed) = (start(queue.collection), start(meta.id));
    assert_eq!([plain, sealed].map(|id| queue.ended(id).0), [JobState::Completed; 2]);
    let folder = queue.host.config().data_dir.join("jobs");
    let bytes = |id: JobId, extension: &str| std::fs::read(folder.join(format!("{id}.{extension}"))).unwrap();
    let tells = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.contains("Geheim") || text.contains("Mandant") || text.contains("{") && text.contains("ingestion")
    };
    for extension in ["json", "report"] {
        assert!(tells(&bytes(plain, extension)) && !tells(&bytes(sealed, extension)), "{extension}");
    }
    assert!(queue.jobs.report(sealed).unwrap().is_some());

    // One that is not sealed may be anybody's, and is left out, as is one that is sealed for another vault.
    let record = serde_json::from_slice::<serde_json::Value>(&bytes(plain, "json")).unwrap();
    let mut record = record.as_object().unwrap().clone();
    record.insert("collection_id".into(), meta.id.to_string().into());
    record.insert("id".into(), sealed.to_string().into());
    let whole = ["json", "report"].map(|extension| bytes(sealed, extension));
    let put =
        |extension: &str, bytes: &[u8]| std::fs::write(folder.join(format!("{sealed}.{extension}")), bytes).unwrap();
    put("json", &serde_json::to_vec(&record).unwrap());
    let next = || {
        let jobs = Arc::new(Jobs::new(&queue.host.config().data_dir, registry.clone(), Scripted(no_work)));
        jobs.resume(&queue.host).unwrap();
        jobs
    };
    assert_eq!(next().status(sealed).unwrap_err().code, ErrorCode::NotFound);
    put("json", &whole[0]);
    put("report", &bytes(plain, "report"));
    assert_eq!(next().report(sealed).unwrap_err().code, ErrorCode::Corrupt);
    put("report", &whole[1]);
    assert!(next().report(sealed).unwrap().is_some());

    registry.lock(meta.id);
    let jobs = next();
    assert_eq!(jobs.status(sealed).unwrap_err().code, ErrorCode::Locked);
    assert_eq!(jobs.status(plain).unwrap().collection, "Matter");
    registry.unlock(meta.id, key).unwrap();
    jobs.release(&queue.host, meta.id).unwrap();
    assert_eq!(jobs.status(sealed).unwrap().state, JobState::Completed);
}

/// The one user of a server, with a role in every collection, or none.
#[derive(Default)]
struct Anna {
    role: Mutex<Option<Role>>,
    folders: Vec<PathBuf>,
}

/// The rights of a user, or of a removed one.
struct Of(Arc<Anna>);

impl Rights for Of {
    fn user(&self) -> &str {
        "anna"
    }

    fn role(&self, _: CollectionId) -> Option<Role> {
        *self.0.role.lock().unwrap()
    }

    fn has_disk(&self) -> bool {
        false
    }

    fn made(&self, _: CollectionId) -> Result<()> {
        Ok(())
    }
}

impl People for Of {
    fn rights(&self, user: &str) -> Option<Arc<dyn Rights>> {
        assert_eq!(user, "anna");
        self.role(CollectionId::random()).map(|_| Arc::new(Of(Arc::clone(&self.0))) as Arc<dyn Rights>)
    }

    fn folders(&self) -> &[PathBuf] {
        &self.0.folders
    }
}

/// Notes which of two files the work may read.
struct Looking([PathBuf; 2], Arc<Mutex<Vec<[bool; 2]>>>);

impl Work for Looking {
    fn run(&self, host: &Host, _: CollectionId, _: &JobRequest, _: &ProgressSink, _: &Cancel) -> Outcome {
        let may_read = |file: &PathBuf| host.config().access.check(file).is_ok();
        self.1.lock().unwrap().push([may_read(&self.0[0]), may_read(&self.0[1])]);
        Ok((JobReport::default(), None))
    }
}

#[test]
fn a_job_of_a_user_goes_on_with_their_access_or_is_cancelled() {
    let queue = Queue::new(no_work);
    let data_dir = queue.host.config().data_dir.clone();
    let files = tempfile::tempdir().unwrap();
    let open = files.path().join("open");
    std::fs::create_dir(&open).unwrap();
    let read = [open.join("a.txt"), files.path().join("b.txt")];
    read.iter().for_each(|file| std::fs::write(file, "A text.").unwrap());
    let anna = Arc::new(Anna { role: Mutex::new(Some(Role::Editor)), folders: vec![open] });
    queue.host.set_people(Arc::new(Of(Arc::clone(&anna))));
    let sight = Sight::of(Arc::new(Of(Arc::clone(&anna))), Role::Reader);
    let hers = queue.host.with_config(EngineConfig { sight, ..queue.host.config().clone() });
    // A job that is requested while the process ends runs in the next.
    queue.jobs.pause();
    let next = |file: &str, host: &Host| {
        let id = queue.start(host, file, None).job.job_id;
        let seen: Arc<Mutex<Vec<[bool; 2]>>> = Arc::default();
        let work = Looking(read.clone(), Arc::clone(&seen));
        let jobs = Arc::new(Jobs::new(&data_dir, queue.host.registry().clone(), work));
        // The session of another user may let it begin.
        jobs.resume(&hers).unwrap();
        let job = jobs.wait(id, PATIENCE, &(Arc::new(|_| {}) as ProgressSink), &Cancel::default()).unwrap();
        let seen = seen.lock().unwrap().last().copied();
        (job.state, seen, job.problem.map(|problem| problem.message).unwrap_or_default())
    };
    assert_eq!(next("/a", &queue.host), (JobState::Completed, Some([true, true]), String::new()));
    assert_eq!(next("/b", &hers), (JobState::Completed, Some([true, false]), String::new()));
    *anna.role.lock().unwrap() = Some(Role::Reader);
    let (state, seen, said) = next("/c", &queue.host.with_config(hers.config().clone()));
    assert_eq!((state, seen), (JobState::Cancelled, None));
    assert!(said.contains("anna asked for this, and may no longer change the collection"), "{said}");
    // A removed user cannot start jobs, and their earlier jobs are cancelled.
    *anna.role.lock().unwrap() = Some(Role::Editor);
    let id = queue.start(&hers, "/d", None).job.job_id;
    *anna.role.lock().unwrap() = None;
    let jobs = Arc::new(Jobs::new(&data_dir, queue.host.registry().clone(), Scripted(no_work)));
    jobs.resume(&queue.host).unwrap();
    let job = jobs.wait(id, PATIENCE, &(Arc::new(|_| {}) as ProgressSink), &Cancel::default()).unwrap();
    let said = job.problem.unwrap().message;
    assert!(job.state == JobState::Cancelled && said.contains("is no longer a user of the server"), "{said}");
}

/// Runs until it is cancelled or gets a message.
struct Patient(Mutex<Receiver<()>>);

impl Work for Patient {
    fn run(&self, _: &Host, _: CollectionId, _: &JobRequest, _: &ProgressSink, cancel: &Cancel) -> Outcome {
        loop {
            if cancel.is_cancelled() {
                return Err(Error::cancelled());
            }
            if self.0.lock().unwrap().recv_timeout(Duration::from_millis(10)).is_ok() {
                return Ok((JobReport::default(), None));
            }
        }
    }
}

#[test]
fn jobs_of_a_user_end_when_they_may_no_longer_have_them_done() {
    let queue = Queue::new(no_work);
    let anna = Arc::new(Anna { role: Mutex::new(Some(Role::Editor)), folders: Vec::new() });
    queue.host.set_people(Arc::new(Of(Arc::clone(&anna))));
    let sight = Sight::of(Arc::new(Of(Arc::clone(&anna))), Role::Reader);
    let hers = queue.host.with_config(EngineConfig { sight, ..queue.host.config().clone() });
    let (done, work) = channel();
    let dir = queue.host.config().data_dir.clone();
    let jobs = Arc::new(Jobs::new(&dir, queue.host.registry().clone(), Patient(Mutex::new(work))));
    let queue = Queue { jobs, ..queue };
    let start = |host: &Host, file| queue.start(host, file, None).job.job_id;
    // More than run at once, so that one of hers waits for its turn.
    let ids: Vec<JobId> = ["/a", "/b", "/c", "/d"].map(|file| start(&hers, file)).into();
    let of_owner = start(&queue.host, "/e");
    queue.jobs.withdraw(&queue.host);
    assert!(ids.iter().all(|id| !queue.jobs.status(*id).unwrap().state.has_ended()));
    *anna.role.lock().unwrap() = Some(Role::Reader);
    queue.jobs.withdraw(&queue.host);
    for id in ids {
        let job = queue.wait(id, &(Arc::new(|_| {}) as ProgressSink));
        let said = job.problem.unwrap().message;
        assert_eq!(job.state, JobState::Cancelled);
        assert!(said.contains("anna asked for this, and may no longer change the collection"), "{said}");
    }
    done.send(()).unwrap();
    assert_eq!(queue.ended(of_owner), (JobState::Completed, None));
}
