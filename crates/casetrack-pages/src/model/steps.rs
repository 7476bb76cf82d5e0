//! The progress of reading a file, so that a page which ends its worker is known and can be left out.

use casetrack_core::ExtractionMethod;
use serde::{Deserialize, Serialize};

/// A stage of reading a page. Each may fail by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Reading the text that the file states for it.
    TextLayer,
    /// Drawing it, and reading the picture by OCR.
    Picture,
    /// Reading a picture that is put into the file, by OCR; `page` is its number among those that are read.
    Inset,
}

/// One stage of one page, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub stage: Stage,
    pub page: u32,
}

/// A page that was read before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierPage {
    pub method: ExtractionMethod,
    pub has_text: bool,
}

/// The point at which a worker continues a file that ended the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resume {
    /// The first pages, in order. They are not read by OCR again, and not sent.
    pub read: Vec<EarlierPage>,
    /// Steps that are left out.
    pub left_out: Vec<Step>,
    pub one_at_a_time: bool,
}

/// Called with every step before it is taken.
pub(super) type StepObserver = Box<dyn Fn(Step)>;

#[derive(Default)]
pub struct StepTracker {
    resume: Resume,
    observer: Option<StepObserver>,
}

impl StepTracker {
    pub fn new(resume: Resume, observer: StepObserver) -> Self {
        Self { resume, observer: Some(observer) }
    }

    /// Announces a step; `false` if it is to be left out.
    pub fn takes(&self, step: Step) -> bool {
        let takes = !self.leaves_out(step);
        if let (true, Some(observer)) = (takes, &self.observer) {
            observer(step);
        }
        takes
    }

    pub fn leaves_out(&self, step: Step) -> bool {
        self.resume.left_out.contains(&step)
    }

    /// The page with this index, if it was read before.
    pub fn earlier_page(&self, index: usize) -> Option<EarlierPage> {
        self.resume.read.get(index).copied()
    }

    /// True if a page that was read before has text.
    pub fn had_text(&self) -> bool {
        self.resume.read.iter().any(|page| page.has_text)
    }

    pub fn one_at_a_time(&self) -> bool {
        self.resume.one_at_a_time
    }
}
