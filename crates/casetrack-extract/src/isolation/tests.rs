use casetrack_pages::model::Stage;

use super::*;

fn run_shell(script: &str, limits: Limits, cancel: &Cancel) -> Result<Extraction> {
    run_shell_on("dir/lease.txt", b"The lease.\n", script, limits, cancel)
}

fn run_shell_on(path: &str, bytes: &[u8], script: &str, limits: Limits, cancel: &Cancel) -> Result<Extraction> {
    let arguments = vec!["-c".to_owned(), script.to_owned()];
    let pool = WorkerPool::new(WorkerCommand { program: "sh".into(), arguments });
    let options = ExtractOptions { limits, ..Default::default() };
    let result = pool.extract(Path::new(path), bytes, &options, cancel);
    assert!(pool.idle().is_empty(), "a worker that was stopped is used again");
    result
}

fn page(number: u32, text: &str) -> Page {
    let mut document = casetrack_pages::build::DocumentBuilder::new(u64::MAX);
    document.start_page(casetrack_core::ExtractionMethod::Native, None);
    document.push_block(casetrack_core::BlockKind::Paragraph, text).unwrap();
    Page { number, ..document.finish(FileFormat::Text).pages.remove(0) }
}

/// A script that answers with these pages and then does something else.
fn pages_then(pages: &[Page], then: &str) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let mut frames = Vec::new();
    pages.iter().for_each(|page| write_frame(&mut frames, &Reply::Page(page.clone())).unwrap());
    std::fs::write(dir.path().join("frames"), frames).unwrap();
    let script = format!("cat {}; {then}", dir.path().join("frames").display());
    (dir, script)
}

#[test]
fn a_crash_is_an_error_that_names_the_file_and_the_signal() {
    let result = run_shell("kill -SEGV $$", Limits::default(), &Cancel::default());
    let error = result.unwrap_err();
    assert_eq!(error.code, ErrorCode::UnreadableFile);
    assert!(error.message.contains("lease.txt") && error.message.contains("signal"), "{}", error.message);
}

#[test]
fn a_crash_of_a_used_worker_is_tried_again_in_a_fresh_one() {
    let (dir, _) = pages_then(&[page(1, "One.")], "");
    let properties = Properties::default();
    let done = Reply::Done { format: FileFormat::Text, title: None, properties, unpaged: false, warnings: Vec::new() };
    let mut frames = std::fs::read(dir.path().join("frames")).unwrap();
    write_frame(&mut frames, &done).unwrap();
    std::fs::write(dir.path().join("frames"), &frames).unwrap();
    // Answers one file, takes the next, and crashes.
    let frames = dir.path().join("frames");
    let started = dir.path().join("started");
    let script = format!(
        "echo >>{started}; cat {frames}; sleep 0.3; kill -SEGV $$",
        started = started.display(),
        frames = frames.display()
    );
    let arguments = vec!["-c".to_owned(), script];
    let pool = WorkerPool::new(WorkerCommand { program: "sh".into(), arguments });
    for _ in 0..2 {
        let options = ExtractOptions::default();
        let read = pool.extract(Path::new("lease.txt"), b"The lease.\n", &options, &Cancel::default()).unwrap();
        assert_eq!(read.pages, [page(1, "One.")]);
    }
    assert_eq!(std::fs::read_to_string(&started).unwrap().lines().count(), 2);
}

#[test]
fn a_page_that_ends_its_worker_is_left_out_and_the_others_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, replies: &[Reply]| {
        let mut frames = Vec::new();
        replies.iter().for_each(|reply| write_frame(&mut frames, reply).unwrap());
        std::fs::write(dir.path().join(name), frames).unwrap();
    };
    let step = |page| Reply::Step(Step { stage: Stage::TextLayer, page });
    write("1", &[step(1), step(2)]);
    let properties = Properties::default();
    let done = Reply::Done { format: FileFormat::Text, title: None, properties, unpaged: false, warnings: Vec::new() };
    let pages = [page(1, "One."), page(2, ""), page(3, "Three.")];
    let replies: Vec<Reply> = pages.iter().map(|page| Reply::Page(page.clone())).chain([done]).collect();
    write("2", &replies);
    // The first worker aborts on page 2; the second one leaves it out.
    let script = format!("cd {}; if mkdir seen; then cat 1; kill -ABRT $$; else cat 2; cat; fi", dir.path().display());
    let arguments = vec!["-c".to_owned(), script];
    let pool = WorkerPool::new(WorkerCommand { program: "sh".into(), arguments });
    let options = ExtractOptions::default();
    let read = pool.extract(Path::new("lease.pdf"), b"The lease.\n", &options, &Cancel::default()).unwrap();
    assert_eq!(read.pages, pages);
    assert_eq!(read.warnings.len(), 1);
    let warning = &read.warnings[0];
    assert!(warning.starts_with("Page 2 could not be read: its parser crashed (signal: 6"), "{warning}");
    assert!(warning.ends_with("The other pages were read."), "{warning}");
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let pool = WorkerPool::new(WorkerCommand { program: "/nothing/here".into(), arguments: Vec::new() });
    let error = pool.extract(Path::new("a"), b"", &ExtractOptions::default(), &Cancel::default()).unwrap_err();
    assert!(error.message.contains("/nothing/here"), "{}", error.message);
}

#[test]
fn a_hang_ends_with_the_limit_and_what_came_before_is_kept() {
    let limits = Limits { max_page_seconds: 1, ..Limits::default() };
    let error = run_shell("exec sleep 6000", limits, &Cancel::default());
    assert!(error.unwrap_err().message.contains("within 1 seconds"));

    // Long enough for a busy machine to start the script and read two pages.
    let limits = Limits { max_page_seconds: 10, ..Limits::default() };
    let (_dir, script) = pages_then(&[page(1, "One."), page(2, "Two.")], "exec sleep 6000");
    let recovered = run_shell(&script, limits, &Cancel::default());
    let recovered = recovered.unwrap();
    assert_eq!(recovered.pages, [page(1, "One."), page(2, "Two.")]);
    let warning = "Only pages 1 to 2 were read: no page was finished within 10 seconds of computing (the limit on the time for a page can be raised).";
    assert_eq!(recovered.warnings, [warning]);
}

#[test]
fn files_inside_that_were_not_reached_are_told() {
    let (_dir, script) = pages_then(&[page(1, "One.")], "kill -SEGV $$");
    let mail = b"From: ann@example.com\nSubject: Lease\n\nThe lease.\n";
    let recovered = run_shell_on("lease.eml", mail, &script, Limits::default(), &Cancel::default()).unwrap();
    assert_eq!(recovered.pages, [page(1, "One.")]);
    assert_eq!(recovered.warnings[1], "Files inside it, if there are any, are missing.");
}

#[test]
fn memory_and_output_are_limited_and_cancelling_ends_a_worker() {
    let limits = Limits { max_reader_bytes: 1 << 10, ..Limits::default() };
    let error = run_shell("exec sleep 6000", limits, &Cancel::default());
    assert!(error.unwrap_err().message.contains("memory"));

    let (_dir, script) = pages_then(&[page(1, &"word ".repeat(400_000))], "exec sleep 6000");
    let limits = Limits { max_text_chars: 10, ..Limits::default() };
    let error = run_shell(&script, limits, &Cancel::default());
    assert_eq!(error.unwrap_err().code, ErrorCode::FileTooLarge);

    let cancel = Cancel::default();
    cancel.cancel();
    let error = run_shell("exec sleep 6000", Limits::default(), &cancel);
    assert_eq!(error.unwrap_err().code, ErrorCode::Cancelled);
}
