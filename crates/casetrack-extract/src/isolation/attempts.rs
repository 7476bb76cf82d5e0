//! A file that ends its worker is read again from there, without the page that did it.

use casetrack_core::Page;
use casetrack_pages::model::{EarlierPage, Resume, Stage, Step, can_be_raised};

use super::stop_reason::StopReason;

/// Workers that one file may end. A hostile file costs the limits of time and memory as often.
const MAX_ATTEMPTS: usize = 12;

#[derive(Default)]
pub(super) struct Attempts {
    /// The page at which the next worker begins.
    pub resume: Resume,
    made: usize,
    reasons: Vec<(Step, StopReason)>,
}

impl Attempts {
    /// True if another worker may get further than the last one, which was stopped: the page that stopped it is known
    /// or can be found. `steps` are those it took, `pages` all that were read so far.
    pub fn goes_on(&mut self, stopped: &StopReason, steps: &[Step], pages: &[Page]) -> bool {
        self.made += 1;
        let has_cause = matches!(stopped, StopReason::Crashed(_) | StopReason::Time(_) | StopReason::Memory(_));
        let Some(&last) = steps.last().filter(|_| has_cause && self.made < MAX_ATTEMPTS) else { return false };
        if in_progress(steps, pages.len()) > 1 && !self.resume.one_at_a_time {
            self.resume.one_at_a_time = true;
        } else {
            self.resume.one_at_a_time = false;
            self.resume.left_out.push(last);
            self.reasons.push((last, stopped.clone()));
        }
        let read = |page: &Page| EarlierPage { method: page.method, has_text: !page.blocks.is_empty() };
        self.resume.read = pages.iter().map(read).collect();
        true
    }

    pub fn reason(&self) -> Option<&StopReason> {
        self.reasons.first().map(|(_, stopped)| stopped)
    }

    pub fn warnings(&self) -> impl Iterator<Item = String> {
        self.reasons.iter().map(|(step, stopped)| {
            let (what, how, others) = match step.stage {
                Stage::TextLayer => ("Page", "read", "pages"),
                Stage::Picture => ("Page", "read by OCR", "pages"),
                Stage::Inset => ("Picture", "read by OCR", "pictures"),
            };
            let raise = stopped.limit().map_or_else(String::new, can_be_raised);
            format!(
                "{what} {} could not be {how}: {}{raise}. The other {others} were read.",
                step.page,
                stopped.on_page()
            )
        })
    }
}

/// Pages that a worker was busy with when it took its last step, at least one. Text layers are read one after the
/// other, pictures side by side, and both in the order of the pages.
pub(super) fn in_progress(steps: &[Step], pages_read: usize) -> usize {
    let is_open = |step: &&Step| step.stage == Stage::Picture && step.page as usize > pages_read;
    steps.iter().rev().take_while(is_open).count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(stage: Stage, pages: std::ops::RangeInclusive<u32>) -> Vec<Step> {
        pages.map(|page| Step { stage, page }).collect()
    }

    #[test]
    fn the_page_whose_text_layer_was_read_last_is_left_out() {
        let mut attempts = Attempts::default();
        let stopped = StopReason::Crashed("signal 6".to_owned());
        assert!(attempts.goes_on(&stopped, &steps(Stage::TextLayer, 1..=3), &[]));
        assert_eq!(attempts.resume.left_out, [Step { stage: Stage::TextLayer, page: 3 }]);
        let warnings: Vec<String> = attempts.warnings().collect();
        assert_eq!(warnings, ["Page 3 could not be read: its parser crashed (signal 6). The other pages were read."]);
    }

    #[test]
    fn of_several_pictures_the_one_is_found_first() {
        let mut attempts = Attempts::default();
        let taken = [steps(Stage::TextLayer, 1..=9), steps(Stage::Picture, 1..=4)].concat();
        assert!(attempts.goes_on(&StopReason::Memory(100), &taken, &[]));
        assert!(attempts.resume.one_at_a_time && attempts.resume.left_out.is_empty());
        assert!(attempts.goes_on(&StopReason::Memory(100), &taken[..11], &[]));
        assert!(!attempts.resume.one_at_a_time);
        assert_eq!(attempts.resume.left_out, [Step { stage: Stage::Picture, page: 2 }]);
        let warnings: Vec<String> = attempts.warnings().collect();
        let warning = "Page 2 could not be read by OCR: it took more than 100 MB of memory (the limit on the memory for reading a file can be raised). The other pages were read.";
        assert_eq!(warnings, [warning]);
    }

    #[test]
    fn attempts_end() {
        let taken = steps(Stage::TextLayer, 1..=1);
        let time = StopReason::Time(1);
        assert!(!Attempts::default().goes_on(&StopReason::Cancelled, &taken, &[]));
        assert!(!Attempts::default().goes_on(&StopReason::Output, &taken, &[]));
        assert!(!Attempts::default().goes_on(&time, &[], &[]), "nothing says which page it was");
        let mut attempts = Attempts::default();
        assert_eq!((0..100).take_while(|_| attempts.goes_on(&time, &taken, &[])).count(), MAX_ATTEMPTS - 1);
    }
}
