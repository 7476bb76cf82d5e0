//! The rows of large sheets that are analysed, so that the memory and time of analysis do not grow with the rows of a sheet.
//!
//! Rows of a ledger repeat one another: they differ in days, numbers and sums. Each sheet gets a share of the characters. The first half of the
//! share goes to the first rows, the rest to the first row of each other kind.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use casetrack_core::remarks::SAMPLED_ROWS;
use casetrack_core::{Annotations, Page};

/// Most bytes of a document's sheets that are analysed: some 8,000 rows of a ledger.
const MOST_BYTES: usize = 512 << 10;

/// The rows of a sheet that are analysed, as a text.
#[derive(Debug, Default)]
pub(super) struct Sample {
    pub text: String,
    runs: Vec<Run>,
    rows: usize,
    rows_of_sheet: usize,
}

/// Rows that follow each other on the sheet.
#[derive(Debug)]
struct Run {
    /// Characters of the sample, half-open.
    start: u32,
    end: u32,
    /// Its first character on the sheet.
    place: u32,
}

/// The samples of the sheets of a document, by page; `None` for a page that is analysed whole.
pub(super) fn samples(pages: &[Page], most_bytes: usize) -> Vec<Option<Sample>> {
    let is_sheet = |page: &Page| page.sheet_name.is_some();
    let bytes: usize = pages.iter().filter(|page| is_sheet(page)).map(|page| page.text.len()).sum();
    let mut left = bytes.min(most_bytes);
    let mut sheets = pages.iter().filter(|page| is_sheet(page)).count();
    let sample = |page: &Page| {
        if !is_sheet(page) || bytes <= most_bytes {
            return None;
        }
        // Small sheets leave a part of their share to those after them.
        let share = left / sheets.max(1);
        sheets -= 1;
        let sample = (page.text.len() > share).then(|| Sample::of(&page.text, share));
        left = left.saturating_sub(sample.as_ref().map_or(page.text.len(), |sample| sample.text.len()));
        sample
    };
    pages.iter().map(sample).collect()
}

/// As [`samples`], within the limit of a document.
pub(super) fn samples_of(pages: &[Page]) -> Vec<Option<Sample>> {
    samples(pages, MOST_BYTES)
}

/// Moves the places in samples to those on the pages.
pub(super) fn onto_pages(annotations: &mut Annotations, samples: &[Option<Sample>]) {
    let place = |page: u32, start: &mut u32, end: &mut u32| {
        if let Some(Some(sample)) = samples.get((page as usize).wrapping_sub(1)) {
            (*start, *end) = sample.on_sheet(*start, *end);
        }
        start < end
    };
    annotations.mentions.retain_mut(|mention| place(mention.page, &mut mention.char_start, &mut mention.char_end));
    annotations.references.retain_mut(|placed| {
        let reference = &mut placed.reference;
        place(placed.page, &mut reference.char_start, &mut reference.char_end)
    });
}

/// A remark about the rows that were not analysed, if there are any.
pub(super) fn remark(samples: &[Option<Sample>]) -> Option<String> {
    let sampled = || samples.iter().flatten();
    sampled().next()?;
    let (rows, of): (usize, usize) =
        sampled().fold((0, 0), |(rows, of), sample| (rows + sample.rows, of + sample.rows_of_sheet));
    Some(format!(
        "{SAMPLED_ROWS} {rows} of {of} rows, with at least one of each kind as far as possible. Search finds all rows."
    ))
}

impl Sample {
    fn of(sheet: &str, share: usize) -> Self {
        let mut sample = Self::default();
        let mut kinds = HashSet::new();
        let mut place = 0;
        for line in sheet.split_inclusive('\n') {
            let row = line.trim_end_matches('\n');
            let is_new = kinds.insert(kind(row));
            let bytes = sample.text.len() + row.len() + 2;
            if bytes <= share / 2 || is_new && bytes <= share {
                sample.push(row, place);
            }
            sample.rows_of_sheet += 1;
            place += line.chars().count() as u32;
        }
        sample
    }

    /// Adds a row that begins at this character of the sheet. An empty line replaces the rows between.
    fn push(&mut self, row: &str, place: u32) {
        let chars = row.chars().count() as u32;
        self.rows += 1;
        match self.runs.last_mut() {
            Some(last) if last.place + (last.end - last.start) + 1 == place => {
                self.text.push('\n');
                last.end += 1 + chars;
            }
            last => {
                let start = last.map_or(0, |last| last.end + 2);
                if start > 0 {
                    self.text.push_str("\n\n");
                }
                self.runs.push(Run { start, end: start + chars, place });
            }
        }
        self.text.push_str(row);
    }

    /// Characters of the sheet, half-open, of characters of the sample that begin in a row. They end with the rows that follow it on the sheet.
    fn on_sheet(&self, start: u32, end: u32) -> (u32, u32) {
        let at = self.runs.partition_point(|run| run.start <= start).saturating_sub(1);
        let Some(run) = self.runs.get(at) else { return (start, end) };
        let place = |char: u32| run.place + char.clamp(run.start, run.end) - run.start;
        (place(start), place(end))
    }
}

/// A number for the row without its digits. Rows of one kind have the same.
fn kind(row: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut in_number = false;
    for c in row.chars() {
        let is_digit = c.is_ascii_digit();
        if !(is_digit && in_number) {
            (if is_digit { '0' } else { c }).hash(&mut hasher);
        }
        in_number = is_digit;
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use casetrack_core::{EntityType, ExtractionMethod, LocalEntity, PageNotes, PlacedMention};

    use super::*;

    fn page(number: u32, text: String, sheet: Option<&str>) -> Page {
        Page {
            number,
            text,
            blocks: Vec::new(),
            line_boxes: Vec::new(),
            method: ExtractionMethod::Spreadsheet,
            ocr_confidence: None,
            sheet_name: sheet.map(str::to_owned),
            notes: PageNotes::default(),
        }
    }

    fn ledger(rows: usize) -> String {
        let row = |n: usize| {
            let name = if n == 900 { "Zürich Würfel AG" } else { "Acme Ltd" };
            format!("2024-01-{:02}\t{name}\tINV-{n}", n % 28 + 1)
        };
        (0..rows).map(row).collect::<Vec<_>>().join("\n")
    }

    fn cut(text: &str, (start, end): (u32, u32)) -> String {
        text.chars().skip(start as usize).take((end - start) as usize).collect()
    }

    #[test]
    fn small_sheets_and_other_pages_are_analysed_whole() {
        let pages = [page(1, ledger(20), Some("A")), page(2, ledger(1000), None)];
        assert!(samples(&pages, 1000).iter().all(Option::is_none));
        assert_eq!(remark(&samples(&pages, 1000)), None);
    }

    #[test]
    fn of_a_large_sheet_the_first_rows_and_one_of_each_kind_are_analysed() {
        let pages = [page(1, ledger(1000), Some("A")), page(2, ledger(3), Some("B"))];
        let samples = samples(&pages, 2000);
        let (Some(sample), None) = (&samples[0], &samples[1]) else { panic!("{samples:?}") };
        assert!(sample.text.len() <= 1000 && sample.text.starts_with("2024-01-01\tAcme Ltd\tINV-0\n2024-01-02"));
        assert!(sample.text.ends_with("\n\n2024-01-05\tZürich Würfel AG\tINV-900"), "{}", sample.text);
        let rows = sample.text.lines().filter(|line| !line.is_empty()).count();
        let said = remark(&samples).unwrap();
        assert!(said.contains(&format!(" {rows} of 1000 rows")) && casetrack_core::remarks::is_remark(&said), "{said}");
    }

    #[test]
    fn places_in_a_sample_become_those_on_the_sheet() {
        let pages = [page(1, ledger(1000), Some("A"))];
        let samples = samples(&pages, 2000);
        let sample = samples[0].as_ref().unwrap();
        for name in ["INV-0", "Acme Ltd\tINV-3", "Zürich Würfel AG", "INV-900"] {
            let start = sample.text[..sample.text.find(name).unwrap()].chars().count() as u32;
            let found = sample.on_sheet(start, start + name.chars().count() as u32);
            assert_eq!(cut(&pages[0].text, found), name);
        }
    }

    #[test]
    fn a_mention_over_two_rows_that_are_apart_ends_with_the_first() {
        let pages = [page(1, ledger(1000), Some("A"))];
        let samples = samples(&pages, 2000);
        let sample = samples[0].as_ref().unwrap();
        let first = &sample.runs[0];
        let entity = LocalEntity {
            entity_type: EntityType::Organization,
            key: "acme".into(),
            name: "Acme".into(),
            aliases: Vec::new(),
            value: None,
            confidence: 50,
        };
        let mention = |char_start, char_end| PlacedMention { entity: 0, page: 1, char_start, char_end, role: None };
        let mut annotations = Annotations {
            entities: vec![entity],
            mentions: vec![mention(first.end - 3, first.end + 6), mention(first.end + 1, first.end + 2)],
            ..Annotations::default()
        };
        onto_pages(&mut annotations, &samples);
        let [mention] = annotations.mentions.as_slice() else { panic!("{:?}", annotations.mentions) };
        assert_eq!((mention.char_start, mention.char_end), (first.end - 3, first.end));
    }
}
