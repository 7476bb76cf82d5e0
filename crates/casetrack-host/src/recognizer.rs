//! The recognizer of named entities, and its results for documents.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use casetrack_core::{Annotations, Cancel, DocumentMeta, Page, Result, Sha256};
use casetrack_extract::running_lines;
use casetrack_nlp::spacy::MODEL_FOLDER;
use casetrack_nlp::{NamedSpan, Recognizer, SpacyRecognizer, annotate};

use super::files::sha256;
use super::lock;
use super::sheet_sample::{onto_pages, remark, samples_of};

/// Bytes of remembered spans in each of two generations: some 20,000 pages.
const REMEMBERED_BYTES: usize = 8 << 20;
/// The bytes that a page takes besides its spans, about.
const PAGE_BYTES: usize = 120;

#[derive(Default)]
pub(super) struct Recognizers(Mutex<Vec<(PathBuf, Arc<RememberingRecognizer>)>>);

impl Recognizers {
    /// The recognizer of a models folder, loaded by the first who wants it.
    pub fn get(&self, models: &Path) -> Result<Arc<RememberingRecognizer>> {
        let folder = models.join(MODEL_FOLDER);
        let mut recognizers = lock(&self.0);
        if let Some((_, same)) = recognizers.iter().find(|(known, _)| *known == folder) {
            return Ok(Arc::clone(same));
        }
        let loaded = Arc::new(RememberingRecognizer::new(SpacyRecognizer::load(&folder)?));
        recognizers.push((folder, Arc::clone(&loaded)));
        Ok(loaded)
    }

    /// Forgets the results for texts; the models stay.
    pub fn forget_texts(&self) {
        lock(&self.0).iter().for_each(|(_, recognizer)| *lock(&recognizer.seen) = Seen::default());
    }
}

/// A recognizer that remembers its results for the latest texts. When one page of a long document changes, only that page is recognized again:
pub struct RememberingRecognizer<R = SpacyRecognizer> {
    recognizer: R,
    seen: Mutex<Seen>,
}

/// Spans by the digest of their text. When the younger generation is full the older one is forgotten.
#[derive(Default)]
struct Seen {
    young: HashMap<Sha256, Arc<[NamedSpan]>>,
    old: HashMap<Sha256, Arc<[NamedSpan]>>,
    young_bytes: usize,
}

impl Seen {
    fn get(&mut self, text: Sha256) -> Option<Arc<[NamedSpan]>> {
        if let Some(spans) = self.young.get(&text) {
            return Some(Arc::clone(spans));
        }
        let spans = self.old.remove(&text)?;
        self.insert(text, Arc::clone(&spans));
        Some(spans)
    }

    fn insert(&mut self, text: Sha256, spans: Arc<[NamedSpan]>) {
        let bytes = PAGE_BYTES + std::mem::size_of_val(&*spans);
        if self.young_bytes + bytes > REMEMBERED_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        if bytes <= REMEMBERED_BYTES {
            self.young_bytes += bytes;
            self.young.insert(text, spans);
        }
    }
}

impl<R> RememberingRecognizer<R> {
    fn new(recognizer: R) -> Self {
        Self { recognizer, seen: Mutex::default() }
    }
}

impl<R: Recognizer> Recognizer for RememberingRecognizer<R> {
    fn recognize(&self, text: &str, cancel: &Cancel) -> Result<Vec<NamedSpan>> {
        let seen = || lock(&self.seen);
        let digest = sha256(text.as_bytes());
        let known = seen().get(digest);
        if let Some(spans) = known {
            return Ok(spans.to_vec());
        }
        let spans = self.recognizer.recognize(text, cancel)?;
        seen().insert(digest, spans.clone().into());
        Ok(spans)
    }
}

/// The entities and references of a document, and a remark about rows of it that were not analysed.
pub struct Analysis {
    pub annotations: Annotations,
    pub remark: Option<String>,
}

/// The entities and references in the pages of a document, by the rules of its language, except those that running headers and footers repeat.
/// Of large sheets, the first rows and one of each kind are analysed.
pub fn analysis(recognizer: &dyn Recognizer, meta: &DocumentMeta, pages: &[Page], cancel: &Cancel) -> Result<Analysis> {
    let running = running_lines(pages);
    let samples = samples_of(pages);
    let mut texts: Vec<Cow<'_, str>> = Vec::with_capacity(pages.len());
    for ((page, lines), sample) in pages.iter().zip(&running).zip(&samples) {
        texts.push(sample.as_ref().map_or_else(|| blanked(&page.text, lines), |sample| Cow::Borrowed(&sample.text)));
    }
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    let mut annotations = annotate(recognizer, &texts, meta.properties.language.as_deref(), cancel)?;
    onto_pages(&mut annotations, &samples);
    Ok(Analysis { annotations, remark: remark(&samples) })
}

/// A text with spaces in the place of these ranges of characters, which are in order, so that all others keep their places.
fn blanked<'t>(text: &'t str, ranges: &[Range<u32>]) -> Cow<'t, str> {
    if ranges.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut ranges = ranges.iter().peekable();
    let character = |(at, c): (u32, char)| {
        while ranges.next_if(|range| range.end <= at).is_some() {}
        if ranges.peek().is_some_and(|range| range.contains(&at)) { ' ' } else { c }
    };
    Cow::Owned((0..).zip(text.chars()).map(character).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use casetrack_nlp::Label;

    use super::*;

    #[test]
    fn running_lines_are_left_out_and_all_else_keeps_its_place() {
        assert_eq!(blanked("Über\nx: 1\nend!", &[5..9, 13..14]), "Über\n    \nend ");
        assert_eq!(blanked("abc", &[0..1, 2..3]), " b ");
    }

    /// Counts its calls; a text is one name, as long as a number in it says.
    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl Recognizer for Counting {
        fn recognize(&self, text: &str, _: &Cancel) -> Result<Vec<NamedSpan>> {
            self.0.fetch_add(1, Ordering::Relaxed);
            let spans = text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(1);
            Ok((0..spans).map(|n| NamedSpan { char_start: n, char_end: n + 1, label: Label::Org }).collect())
        }
    }

    #[test]
    fn a_text_is_recognized_once_and_memory_is_bounded() {
        let recognizer = RememberingRecognizer::new(Counting::default());
        let recognize = |text: &str| recognizer.recognize(text, &Cancel::default()).unwrap().len();
        let calls = || recognizer.recognizer.0.load(Ordering::Relaxed);
        assert_eq!((recognize("3 a"), recognize("3 a"), recognize("2 a"), calls()), (3, 3, 2, 2));
        // Each a tenth of a generation and more; what is used again stays.
        let spans = REMEMBERED_BYTES / 10 / size_of::<NamedSpan>();
        for n in 0..40 {
            recognize(&format!("{spans} {n}"));
            recognize("3 a");
        }
        assert_eq!(calls(), 42);
        let seen = recognizer.seen.lock().unwrap();
        assert!(seen.young.len() + seen.old.len() <= 20, "{} and {}", seen.young.len(), seen.old.len());
        drop(seen);
        recognize(&format!("{spans} 0"));
        assert_eq!(calls(), 43, "the oldest is forgotten");
    }
}
