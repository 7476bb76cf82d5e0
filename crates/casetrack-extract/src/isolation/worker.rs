use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::path::Path;
use std::rc::Rc;

use casetrack_core::Page;
use casetrack_pages::model::{Step, StepTracker};

use super::protocol::{Job, Reply, Task, read_frame, write_frame};
use crate::extraction::extract_observed;
use crate::render_page;

/// Longest description of a job, in bytes.
const JOB_BYTES: u64 = 1 << 20;

/// Extracts or draws one file after another until the input ends. Errors: Only if the parent is gone or violates the
/// protocol.
pub fn serve(mut input: impl Read, output: impl Write + 'static) -> io::Result<()> {
    let output = Rc::new(RefCell::new(output));
    while let Some(job) = read_frame::<Job>(&mut input, JOB_BYTES)? {
        let mut bytes = Vec::new();
        input.by_ref().take(job.length).read_to_end(&mut bytes)?;
        let reply = match &job.task {
            Task::Extract => extracted(&job, &bytes, &output)?,
            Task::Render(request) => match render_page(Path::new(&job.path), &bytes, &job.options, request) {
                Ok(picture) => Reply::Picture(picture),
                Err(error) => Reply::failed(error),
            },
        };
        write_frame(&mut *output.borrow_mut(), &reply)?;
    }
    Ok(())
}

/// Sends pages as they are read, then the files inside; the caller sends the last answer.
fn extracted(job: &Job, bytes: &[u8], output: &Rc<RefCell<impl Write + 'static>>) -> io::Result<Reply> {
    let (pages, steps) = (Rc::clone(output), Rc::clone(output));
    let sent_before = job.resume.read.len();
    // A parent that is gone shows when the next job is read.
    let send_page = Box::new(move |page: &Page| {
        if page.number as usize > sent_before {
            let _ = write_frame(&mut *pages.borrow_mut(), &Reply::Page(page.clone()));
        }
    });
    let send_step = Box::new(move |step: Step| {
        let _ = write_frame(&mut *steps.borrow_mut(), &Reply::Step(step));
    });
    let steps = StepTracker::new(job.resume.clone(), send_step);
    Ok(match extract_observed(Path::new(&job.path), bytes, &job.options, Some(send_page), steps) {
        Ok(whole) => {
            for attachment in whole.attachments {
                write_frame(&mut *output.borrow_mut(), &Reply::Attachment(attachment))?;
            }
            Reply::Done {
                format: whole.format,
                title: whole.title,
                properties: whole.properties,
                unpaged: whole.unpaged,
                warnings: whole.warnings,
            }
        }
        Err(error) => Reply::failed(error),
    })
}
