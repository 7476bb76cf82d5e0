//! Text from pictures of pages, over libtesseract; of photographs, receipts and screenshots, also over PP-OCRv6. Without libtesseract, PP-OCRv6
//! reads everything in the scripts that it knows. Packages contain its weights.
//!
//! A page is levelled, read, and read again after turning it when the first reading makes little sense. Boxes are given
//! back in the coordinates of the picture as it came. Pages are read in parallel, one thread each.

mod choice;
mod deadline;
mod language;
mod page;
mod ppocr;
mod tesseract;
mod word;

use std::collections::{BTreeMap, HashMap};
use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

use casetrack_core::{Error, ErrorCode, Result};
use casetrack_pages::model::{AUTO_LANGUAGES, ExtractOptions};

use self::deadline::Deadline;
use self::language::Languages;
#[cfg(test)]
pub(crate) use self::page::OcrLine;
pub(crate) use self::page::{OcrPage, OcrWord};
pub use self::ppocr::OCR_MODEL;
use self::tesseract::{Api, Libraries, Pix};
pub(crate) use self::word::GrayImage;
use self::word::Word;

/// Points to the inch.
pub(crate) const POINTS: f32 = 72.0;
const MAX_THREADS: usize = 8;
/// Pixels of all pictures that are read at a time, except a single larger one: four pages of A4 at 300 dpi.
const MAX_PIXELS: usize = 36_000_000;
/// Pages that read worse than this may be upside down or on a side.
const DOUBTFUL_CONFIDENCE: f32 = 0.7;

/// Degrees from level within which the lines of a page are looked for: at first, and when that made little sense.
const USUAL_SKEW: f32 = 7.0;
const STRONG_SKEW: f32 = 16.0;

pub(crate) struct Picture {
    pub image: GrayImage,
    /// Pixels per inch that the file states; `None` when it states none.
    pub resolution: Option<u32>,
    /// Points per pixel, for the boxes of lines.
    pub scale: f32,
    /// A page, which may be upside down or badly lit; a part of one is read as it is.
    pub is_whole: bool,
    /// A file that is a picture, or one put into a document: it may be a photograph, a receipt or a screenshot. Pages
    /// of PDF files are not.
    pub is_snapshot: bool,
}

/// The library in use and the languages it reads, when it can read `options.languages`; with [`AUTO_LANGUAGES`], those it has data for.
///
/// Errors: `MissingDependency` without the library or without the data of a language, with how to get it.
pub fn tesseract_status(options: &ExtractOptions) -> Result<String> {
    let libraries = tesseract::libraries()?;
    if options.languages != AUTO_LANGUAGES {
        give_back(&options.languages, take(libraries, &options.languages)?);
        return Ok(format!("{}, languages {}", libraries.origin, options.languages));
    }
    let mut installed = installed(libraries);
    installed.sort();
    let first = language::first_of(&installed);
    give_back(&first, take(libraries, &first)?);
    installed.retain(|name| language::is_language(name));
    Ok(format!("{}, data for {}", libraries.origin, installed.join(", ")))
}

/// The names of the data that tesseract finds. It lists them after some of it is loaded.
fn installed(libraries: &'static Libraries) -> Vec<String> {
    for name in ["eng", ORIENTATION] {
        if let Ok(api) = take(libraries, name) {
            let names = api.available_languages();
            give_back(name, api);
            return names;
        }
    }
    Vec::new()
}

/// The second engine and where its weights are, once they were fetched; `None` before that. Errors: `Corrupt` when the
/// weights cannot be loaded.
pub fn second_engine_status(options: &ExtractOptions) -> Option<Result<String>> {
    let folder = options.ocr_model.as_deref()?;
    Some(ppocr::engine(folder).map(|_| format!("PP-OCRv6 small, {}", folder.display())))
}

/// True if pictures can be read. Errors: Those of [`tesseract_status`], if the second engine does not read the
/// languages either.
pub(crate) fn can_read(options: &ExtractOptions) -> Result<()> {
    let languages = if options.languages == AUTO_LANGUAGES { "eng" } else { &options.languages };
    if choice::second_engine(options, languages).is_some() { Ok(()) } else { tesseract_status(options).map(drop) }
}

/// Reads pictures in parallel and hands on their text in their order, each page as soon as it and all before it are
/// done. A place without a picture keeps its turn; so does a picture that cannot be read: both give `None`.
///
/// `pictures` gives the next one when there is room for it: a few are in memory at a time. With `one_at_a_time`, and
/// until the [language](language) is known, it does so when the one before has been read. Returns a warning about the
/// languages for the user.
///
/// Errors: That of `done`, which ends the reading.
pub(crate) fn read_in_order(
    options: &ExtractOptions,
    one_at_a_time: bool,
    pictures: impl Iterator<Item = Option<Picture>>,
    mut done: impl FnMut(Option<OcrPage>) -> Result<()>,
) -> Result<Option<String>> {
    let mut languages = languages_to_read(options);
    let mut pictures = pictures.enumerate();
    let mut turns = Turns::default();
    while !languages.are_known()
        && let Some((number, picture)) = pictures.next()
    {
        let read = |picture: Picture| {
            let find_out = AssertUnwindSafe(|| find_out(options, &mut languages, &picture));
            catch_unwind(find_out).ok().and_then(Result::ok)
        };
        turns.came(number, picture.and_then(read));
        turns.take_ready(&mut done)?;
    }
    let (languages, warning) = (languages.now(), languages.warning());
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get().min(MAX_THREADS));
    let (sender, results) = mpsc::channel();
    // Pixels of the pictures that are being read, by number.
    let mut reading: HashMap<usize, usize> = HashMap::new();
    std::thread::scope(|scope| {
        for (number, picture) in pictures {
            match picture {
                None => turns.came(number, None),
                Some(picture) => {
                    let pixels = picture.image.pixels.len();
                    while !fits(pixels, &reading, threads) {
                        receive(&results, &mut reading, &mut turns);
                        turns.take_ready(&mut done)?;
                    }
                    reading.insert(number, pixels);
                    let sender = sender.clone();
                    scope.spawn(move || {
                        let read = catch_unwind(AssertUnwindSafe(|| {
                            read_one(options, languages, &picture, &time_for(options))
                        }));
                        // Without a recogniser, no page is read.
                        let _ = sender.send((number, read.ok().and_then(Result::ok)));
                    });
                    while one_at_a_time && !reading.is_empty() {
                        receive(&results, &mut reading, &mut turns);
                    }
                }
            }
            turns.take_ready(&mut done)?;
        }
        while !reading.is_empty() {
            receive(&results, &mut reading, &mut turns);
            turns.take_ready(&mut done)?;
        }
        Ok(warning)
    })
}

/// Without tesseract, the second engine reads all its languages with the same weights, so it need not detect one.
fn languages_to_read(options: &ExtractOptions) -> Languages {
    let is_auto = options.languages == AUTO_LANGUAGES;
    let is_second_only = is_auto && tesseract_status(options).is_err() && can_read(options).is_ok();
    let installed = || tesseract::libraries().map(installed).unwrap_or_default();
    Languages::of(if is_second_only { "eng" } else { &options.languages }, installed)
}

/// True if a picture of so many pixels can be read next to those that are.
fn fits(pixels: usize, reading: &HashMap<usize, usize>, threads: usize) -> bool {
    reading.is_empty() || (reading.len() < threads && reading.values().sum::<usize>() + pixels <= MAX_PIXELS)
}

fn find_out(options: &ExtractOptions, languages: &mut Languages, picture: &Picture) -> Result<OcrPage> {
    let end = time_for(options);
    let mut failed = None;
    let page = languages.find_out(
        |names| {
            read_one(options, names, picture, &end).unwrap_or_else(|error| {
                failed.get_or_insert(error);
                OcrPage::default()
            })
        },
        || {
            let libraries = tesseract::libraries().ok().filter(|_| !end.is_over())?;
            let pix = Pix::of(libraries, &picture.image, picture.resolution.unwrap_or(0))?;
            orientation(libraries, &pix).map(|(_, script)| script)
        },
    );
    failed.filter(|_| page.chars == 0).map_or(Ok(page), Err)
}

fn receive(results: &mpsc::Receiver<(usize, Option<OcrPage>)>, reading: &mut HashMap<usize, usize>, turns: &mut Turns) {
    match results.recv() {
        Ok((number, page)) => {
            reading.remove(&number);
            turns.came(number, page);
        }
        // Not while a sender is alive; then nothing more will come.
        Err(_) => reading.clear(),
    }
}

#[derive(Default)]
struct Turns {
    waiting: BTreeMap<usize, Option<OcrPage>>,
    next: usize,
}

impl Turns {
    fn came(&mut self, number: usize, page: Option<OcrPage>) {
        self.waiting.insert(number, page);
    }

    fn take_ready(&mut self, done: &mut impl FnMut(Option<OcrPage>) -> Result<()>) -> Result<()> {
        while let Some(page) = self.waiting.remove(&self.next) {
            self.next += 1;
            done(page)?;
        }
        Ok(())
    }
}

/// A full page takes one to five seconds. A worker that takes too long for a page is killed, so a reading ends long
/// before: text that was not read until then is missing.
fn time_for(options: &ExtractOptions) -> Deadline {
    Deadline::after(Duration::from_secs(options.limits.max_page_seconds) / 2)
}

fn read_one(options: &ExtractOptions, languages: &str, picture: &Picture, end: &Deadline) -> Result<OcrPage> {
    let found = tesseract::libraries().and_then(|libraries| Ok((libraries, take(libraries, languages)?)));
    let (libraries, mut api) = match found {
        Ok(found) => found,
        Err(error) => {
            let engine = choice::second_engine(options, languages).ok_or(error)?;
            return Ok(choice::read_by(engine, picture, end.left()));
        }
    };
    let second = if picture.is_snapshot { choice::second_engine(options, languages) } else { None };
    let page = match second {
        Some(engine) => choice::read_by_either(libraries, &mut api, engine, picture, end),
        None => read_upright(libraries, &mut api, picture, end),
    };
    give_back(languages, api);
    Ok(page.unwrap_or_default())
}

/// `None` for a picture that leptonica refuses: without pixels, or without memory for it.
///
/// A reading that makes little sense is tried again turned upright, then for a page that is far from straight, and then
/// with a threshold for each neighbourhood instead of one for the page (shadows, coloured paper); the better one is
/// kept. On receipts the latter is worse than one threshold for the page on the whole (word recall 0.72 against 0.75),
/// but reads those on which that finds nothing.
fn read_upright(libraries: &'static Libraries, api: &mut Api, picture: &Picture, end: &Deadline) -> Option<OcrPage> {
    let pix = Pix::of(libraries, &picture.image, picture.resolution.unwrap_or(0))?;
    let mut page = read_turned(api, &pix, 0, USUAL_SKEW, picture.scale, end)?;
    // Finding the lines of a page takes its time, too, and is not ended.
    let is_late = || end.is_over();
    if page.confidence >= DOUBTFUL_CONFIDENCE || !picture.is_whole || is_late() {
        return Some(page);
    }
    let quarters = orientation(libraries, &pix).map_or(0, |(quarters, _)| quarters);
    if quarters != 0 && !is_late() {
        page = page.or_better(read_turned(api, &pix, quarters, USUAL_SKEW, picture.scale, end));
    }
    if page.confidence < DOUBTFUL_CONFIDENCE && !is_late() {
        page = page.or_better(read_turned(api, &pix, quarters, STRONG_SKEW, picture.scale, end));
    }
    if page.confidence < DOUBTFUL_CONFIDENCE && !is_late() {
        api.set(THRESHOLDING, c"2");
        let other = read_turned(api, &pix, quarters, USUAL_SKEW, picture.scale, end);
        api.set(THRESHOLDING, c"0");
        page = page.or_better(other);
    }
    Some(page)
}

/// Tesseract's setting: 0 for one threshold by Otsu's method, 2 for Sauvola's adaptive ones.
const THRESHOLDING: &CStr = c"thresholding_method";

fn read_turned(api: &mut Api, pix: &Pix, quarters: u8, skew: f32, scale: f32, end: &Deadline) -> Option<OcrPage> {
    if quarters == 0 {
        return Some(OcrPage::of(read_level(api, pix, skew, end), scale));
    }
    let turned = pix.turned(quarters)?;
    let words = read_level(api, &turned, skew, end)
        .into_iter()
        .map(|word| Word { area: page::turned_back(&word.area, quarters, turned.width(), turned.height()), ..word });
    Some(OcrPage::of(words.collect(), scale))
}

/// The words of a picture, after its lines were made level.
fn read_level(api: &mut Api, pix: &Pix, skew: f32, end: &Deadline) -> Vec<Word> {
    let Some((level, angle)) = pix.deskewed(skew) else { return api.words(pix, end) };
    let (width, height) = (pix.width(), pix.height());
    let words = api.words(&level, end).into_iter();
    words.map(|word| Word { area: page::tilted_back(&word.area, angle, width, height), ..word }).collect()
}

/// The number of right angles by which the page must be turned clockwise, and its script; `None` when neither was found.
fn orientation(libraries: &'static Libraries, pix: &Pix) -> Option<(u8, String)> {
    let mut api = take(libraries, ORIENTATION).ok()?;
    let found = api.orientation(pix);
    give_back(ORIENTATION, api);
    found
}

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
            "On Debian and Ubuntu: apt-get install {}. If the data is elsewhere, name its folder in TESSDATA_PREFIX.",
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
