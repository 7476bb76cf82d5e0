//! Text from pictures of pages, over libtesseract.
//!
//! A page is levelled, read, and read again after turning it when the first reading makes little sense. Boxes are given
//! back in the coordinates of the picture as it came. Pages are read in parallel, one thread each.

mod page;
mod tesseract;

use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::Scope;

use casetrack_core::{Error, ErrorCode, Result};

pub(crate) use self::page::{OcrLine, OcrPage};
use self::tesseract::{Api, Libraries, Pix};
use crate::ExtractOptions;

/// Points to the inch.
pub(crate) const POINTS: f32 = 72.0;
/// What was not read of a page within this time is missing. A full page takes one to five seconds.
const PAGE_LIMIT_MS: i32 = 120_000;
/// A page takes 50 to 200 MB while it is read.
const MAX_THREADS: usize = 8;
/// Pages that read worse than this may stand on their head or on a side.
const DOUBTFUL_CONFIDENCE: f32 = 0.7;

/// An image in shades of grey, row by row, 0 is black.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GrayImage {
    pub width: usize,
    pub height: usize,
    /// `width * height` of them.
    pub pixels: Vec<u8>,
}

/// A rectangle in pixels from the top left.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PixelBox {
    left: f32,
    top: f32,
    right: f32,
    bottom: f32,
}

/// A word as it was read.
#[derive(Debug, Clone, PartialEq)]
struct Word {
    text: String,
    /// 0–1.
    confidence: f32,
    area: PixelBox,
    starts_line: bool,
    starts_paragraph: bool,
}

/// A page to read.
pub(crate) struct Picture {
    pub image: GrayImage,
    /// Pixels per inch that the file states; `None` when it states none.
    pub resolution: Option<u32>,
    /// Points per pixel, for the boxes of lines.
    pub scale: f32,
}

/// The library in use and the languages it reads, when it can read `options.languages`.
///
/// # Errors
///
/// `MissingDependency` without the library or without the data of a language, with how to get it.
pub fn tesseract_status(options: &ExtractOptions) -> Result<String> {
    let libraries = tesseract::libraries()?;
    give_back(&options.languages, take(libraries, &options.languages)?);
    Ok(format!("{}, languages {}", libraries.origin, options.languages))
}

/// What came of reading pictures in parallel.
pub(crate) struct ReadAll<R> {
    /// What the feeding function returned.
    pub fed: R,
    /// Pages by the numbers of their pictures, in the order of these.
    pub pages: Vec<(usize, OcrPage)>,
    /// Why nothing was read, as [`tesseract_status`] says, if there were pictures.
    pub missing: Option<Error>,
}

/// Reads pictures in parallel. `feed` gets a function that takes a number and its picture, and blocks while all threads are
/// busy. The library is loaded for the first picture.
pub(crate) fn read_all<R>(
    options: &ExtractOptions,
    feed: impl FnOnce(&mut dyn FnMut(usize, Picture)) -> R,
) -> ReadAll<R> {
    let results = Mutex::new(Vec::new());
    let mut missing = None;
    let fed = std::thread::scope(|scope| {
        let mut readers: Option<Readers> = None;
        feed(&mut |number, picture| {
            if readers.is_none() && missing.is_none() {
                match tesseract_status(options) {
                    Ok(_) => readers = Some(Readers::new(scope, options, &results)),
                    Err(error) => missing = Some(error),
                }
            }
            if let Some(readers) = &mut readers {
                readers.read(number, picture);
            }
        })
    });
    let mut pages = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    pages.sort_by_key(|(number, _)| *number);
    ReadAll { fed, pages, missing }
}

type Job = (usize, Picture);

/// Threads that read, started as they are needed.
struct Readers<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    options: &'env ExtractOptions,
    results: &'env Mutex<Vec<(usize, OcrPage)>>,
    threads: Vec<mpsc::SyncSender<Job>>,
    idle: (mpsc::Sender<usize>, mpsc::Receiver<usize>),
    limit: usize,
}

impl<'scope, 'env> Readers<'scope, 'env> {
    fn new(
        scope: &'scope Scope<'scope, 'env>,
        options: &'env ExtractOptions,
        results: &'env Mutex<Vec<(usize, OcrPage)>>,
    ) -> Self {
        let limit = std::thread::available_parallelism().map_or(1, |threads| threads.get().min(MAX_THREADS));
        Self { scope, options, results, threads: Vec::new(), idle: mpsc::channel(), limit }
    }

    fn read(&mut self, number: usize, picture: Picture) {
        let thread = match self.idle.1.try_recv() {
            Ok(thread) => thread,
            Err(_) if self.threads.len() < self.limit => self.start(),
            // A sender is kept here, so that this waits for a thread.
            Err(_) => self.idle.1.recv().unwrap_or(0),
        };
        if let Some(jobs) = self.threads.get(thread) {
            let _ = jobs.send((number, picture));
        }
    }

    fn start(&mut self) -> usize {
        let number = self.threads.len();
        let (sender, jobs) = mpsc::sync_channel::<Job>(1);
        self.threads.push(sender);
        let (options, results, idle) = (self.options, self.results, self.idle.0.clone());
        self.scope.spawn(move || {
            for (page, picture) in jobs {
                // Without a recogniser the page is missing from the results.
                if let Ok(read) = read_one(options, &picture) {
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((page, read));
                }
                let _ = idle.send(number);
            }
        });
        number
    }
}

/// Reads one picture on this thread.
fn read_one(options: &ExtractOptions, picture: &Picture) -> Result<OcrPage> {
    let libraries = tesseract::libraries()?;
    let mut api = take(libraries, &options.languages)?;
    let page = read_upright(libraries, &mut api, picture);
    give_back(&options.languages, api);
    Ok(page.unwrap_or_default())
}

/// `None` for a picture that leptonica refuses: without pixels, or where memory runs out.
///
/// A reading that makes little sense is tried again turned upright, and then with a threshold for each neighbourhood instead of
/// one for the page (shadows, coloured paper); the better one is kept. On receipts the latter is worse than one threshold
/// for the page on the whole (word recall 0.72 against 0.75), but reads those on which that finds nothing.
fn read_upright(libraries: &'static Libraries, api: &mut Api, picture: &Picture) -> Option<OcrPage> {
    let pix = Pix::of(libraries, &picture.image, picture.resolution.unwrap_or(0))?;
    let mut page = read_turned(api, &pix, 0, picture.scale)?;
    if page.confidence >= DOUBTFUL_CONFIDENCE {
        return Some(page);
    }
    let quarters = orientation(libraries, &pix).unwrap_or(0);
    if quarters != 0 {
        page = page.or_better(read_turned(api, &pix, quarters, picture.scale));
    }
    if page.confidence < DOUBTFUL_CONFIDENCE {
        api.set(THRESHOLDING, c"2");
        let other = read_turned(api, &pix, quarters, picture.scale);
        api.set(THRESHOLDING, c"0");
        page = page.or_better(other);
    }
    Some(page)
}

/// Tesseract's setting: 0 for one threshold by Otsu's method, 2 for Sauvola's adaptive ones.
const THRESHOLDING: &CStr = c"thresholding_method";

fn read_turned(api: &mut Api, pix: &Pix, quarters: u8, scale: f32) -> Option<OcrPage> {
    if quarters == 0 {
        return Some(OcrPage::of(read_level(api, pix), scale));
    }
    let turned = pix.turned(quarters)?;
    let words = read_level(api, &turned)
        .into_iter()
        .map(|word| Word { area: page::turned_back(&word.area, quarters, turned.width(), turned.height()), ..word });
    Some(OcrPage::of(words.collect(), scale))
}

/// The words of a picture, after its lines were made level.
fn read_level(api: &mut Api, pix: &Pix) -> Vec<Word> {
    let Some((level, angle)) = pix.deskewed() else { return api.words(pix, PAGE_LIMIT_MS) };
    let (width, height) = (pix.width(), pix.height());
    let words = api.words(&level, PAGE_LIMIT_MS).into_iter();
    words.map(|word| Word { area: page::tilted_back(&word.area, angle, width, height), ..word }).collect()
}

/// By how many right angles the page must be turned clockwise; `None` when it is upright, or that cannot be told.
fn orientation(libraries: &'static Libraries, pix: &Pix) -> Option<u8> {
    let mut api = take(libraries, ORIENTATION).ok()?;
    let found = api.orientation(pix);
    give_back(ORIENTATION, api);
    found.filter(|quarters| *quarters != 0)
}

/// The "language" of orientation detection.
const ORIENTATION: &str = "osd";

/// Recognisers that wait for their next page, by language: loading one takes a tenth of a second.
static WAITING: Mutex<Option<HashMap<String, Vec<Api>>>> = Mutex::new(None);

fn take(libraries: &'static Libraries, languages: &str) -> Result<Api> {
    let waiting = {
        let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.get_or_insert_default().get_mut(languages).and_then(Vec::pop)
    };
    waiting.or_else(|| Api::new(libraries, languages)).ok_or_else(|| {
        let packs: Vec<String> =
            languages.split('+').map(|language| format!("tesseract-ocr-{}", language.replace('_', "-"))).collect();
        Error::new(
            ErrorCode::MissingDependency,
            format!("Tesseract has no data for the language \"{languages}\" ({}).", libraries.origin),
        )
        .with_hint(format!(
            "On Debian and Ubuntu: apt-get install {}. Where the data is elsewhere, TESSDATA_PREFIX names its folder.",
            packs.join(" ")
        ))
    })
}

fn give_back(languages: &str, api: Api) {
    let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    let waiting = waiting.get_or_insert_default().entry(languages.to_owned()).or_default();
    if waiting.len() < MAX_THREADS {
        waiting.push(api);
    }
}

#[cfg(test)]
mod tests;
