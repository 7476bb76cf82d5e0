//! libtesseract and leptonica over their C interfaces, loaded at run time: the program builds and runs without them.
//!
//! All unsafe code of OCR is in this file. Signatures are those of tesseract's `capi.h` and leptonica's `allheaders.h`,
//! unchanged since tesseract 4 and leptonica 1.76.

use std::ffi::{CStr, CString, c_char, c_float, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::null;
use std::sync::{Mutex, PoisonError};

use casetrack_core::{Error, ErrorCode, Rect, Result};
use libloading::Library;

use super::deadline::Deadline;
use super::word::{GrayImage, Word};

/// Names the library, a file or the directory that holds it.
const ENVIRONMENT_VARIABLE: &str = "CASETRACK_TESSERACT";
const INSTALL_HINT: &str = "On Debian and Ubuntu: apt-get install tesseract-ocr tesseract-ocr-eng tesseract-ocr-osd. On macOS: brew \
     install tesseract. If the library is elsewhere, name it in CASETRACK_TESSERACT.";

#[cfg(target_os = "windows")]
const LIBRARY_NAMES: &[&str] = &["libtesseract-5.dll", "tesseract55.dll", "tesseract54.dll", "tesseract53.dll"];
#[cfg(target_os = "macos")]
const LIBRARY_NAMES: &[&str] = &[
    "libtesseract.5.dylib",
    "/opt/homebrew/lib/libtesseract.5.dylib",
    "/usr/local/lib/libtesseract.5.dylib",
    "/opt/local/lib/libtesseract.5.dylib",
];
#[cfg(not(any(target_os = "windows", target_os = "macos")))]
const LIBRARY_NAMES: &[&str] = &["libtesseract.so.5", "libtesseract.so.4", "libtesseract.so"];

/// The names of leptonica, for a loader that does not find its symbols through libtesseract, which links to it.
#[cfg(target_os = "windows")]
const LEPTONICA_NAMES: &[&str] =
    &["libleptonica-6.dll", "liblept-5.dll", "leptonica-1.85.0.dll", "leptonica-1.84.1.dll"];
#[cfg(not(target_os = "windows"))]
const LEPTONICA_NAMES: &[&str] = &[];

/// `PageIteratorLevel` and `PageSegMode` of tesseract's `publictypes.h`.
const LEVEL_PARAGRAPH: c_int = 1;
const LEVEL_LINE: c_int = 2;
const LEVEL_WORD: c_int = 3;
const SEGMENT_ORIENTATION_ONLY: c_int = 0;
const SEGMENT_AUTOMATICALLY: c_int = 3;
/// `L_SEVERITY_NONE` of leptonica's `environ.h`: print nothing.
const SEVERITY_NONE: c_int = 6;

macro_rules! interface {
    ($name:ident { $(fn $function:ident($($argument:ty),*) $(-> $result:ty)?;)* }) => {
        #[allow(non_snake_case)]
        struct $name {
            $($function: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl $name {
            /// # Safety
            ///
            /// The functions of these names in the library must have these signatures, and the library must stay loaded.
            unsafe fn of(library: &Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: promised by the caller.
                    $($function: *unsafe { library.get(stringify!($function)) }?,)*
                })
            }
        }
    };
}

/// `TessCancelFunc`: asked between words, with the place that was set and the number of words.
type CancelFunction = unsafe extern "C" fn(*mut c_void, c_int) -> bool;

/// `TessBaseAPI`, `TessResultIterator`, `TessPageIterator`, `ETEXT_DESC` and leptonica's `PIX` are opaque.
type Handle = *mut c_void;

interface!(Tesseract {
    fn TessVersion() -> *const c_char;
    fn TessBaseAPICreate() -> Handle;
    fn TessBaseAPIDelete(Handle);
    fn TessBaseAPIInit3(Handle, *const c_char, *const c_char) -> c_int;
    fn TessBaseAPISetVariable(Handle, *const c_char, *const c_char) -> c_int;
    fn TessBaseAPISetPageSegMode(Handle, c_int);
    fn TessBaseAPISetImage2(Handle, Handle);
    fn TessBaseAPIRecognize(Handle, Handle) -> c_int;
    fn TessBaseAPIGetIterator(Handle) -> Handle;
    fn TessBaseAPIDetectOrientationScript(Handle, *mut c_int, *mut c_float, *mut *const c_char, *mut c_float) -> c_int;
    fn TessBaseAPIClear(Handle);
    fn TessBaseAPIClearAdaptiveClassifier(Handle);
    fn TessMonitorCreate() -> Handle;
    fn TessMonitorDelete(Handle);
    fn TessMonitorSetCancelFunc(Handle, CancelFunction);
    fn TessMonitorSetCancelThis(Handle, *mut c_void);
    fn TessResultIteratorDelete(Handle);
    fn TessResultIteratorNext(Handle, c_int) -> c_int;
    fn TessResultIteratorGetPageIterator(Handle) -> Handle;
    fn TessResultIteratorGetUTF8Text(Handle, c_int) -> *mut c_char;
    fn TessResultIteratorConfidence(Handle, c_int) -> c_float;
    fn TessPageIteratorIsAtBeginningOf(Handle, c_int) -> c_int;
    fn TessPageIteratorBoundingBox(Handle, c_int, *mut c_int, *mut c_int, *mut c_int, *mut c_int) -> c_int;
    fn TessDeleteText(*mut c_char);
    fn TessBaseAPIGetLoadedLanguagesAsVector(Handle) -> *mut *mut c_char;
    fn TessBaseAPIGetAvailableLanguagesAsVector(Handle) -> *mut *mut c_char;
    fn TessDeleteTextArray(*mut *mut c_char);
});

interface!(Leptonica {
    fn pixCreate(c_int, c_int, c_int) -> Handle;
    fn pixDestroy(*mut Handle);
    fn pixGetData(Handle) -> *mut u32;
    fn pixGetWpl(Handle) -> c_int;
    fn pixGetWidth(Handle) -> c_int;
    fn pixGetHeight(Handle) -> c_int;
    fn pixGetDepth(Handle) -> c_int;
    fn pixSetResolution(Handle, c_int, c_int) -> c_int;
    fn pixDeskewGeneral(Handle, c_int, c_float, c_float, c_int, c_int, *mut c_float, *mut c_float) -> Handle;
    fn pixRotateOrth(Handle, c_int) -> Handle;
    fn setMsgSeverity(c_int) -> c_int;
});

/// Both libraries. They stay loaded until the process ends.
pub(super) struct Libraries {
    tesseract: Tesseract,
    leptonica: Leptonica,
    /// OpenMP's limit on the threads of a parallel region started by the calling thread, if tesseract was built with it.
    set_threads: Option<unsafe extern "C" fn(c_int)>,
    pub origin: String,
}

static LOADED: Mutex<Option<&'static Libraries>> = Mutex::new(None);

/// The libraries, loaded on the first call that finds them: the environment variable, then the system's libraries.
/// Errors: `MissingDependency`, with the places that were searched and how to get the library.
pub(super) fn libraries() -> Result<&'static Libraries> {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(libraries) = *loaded {
        return Ok(libraries);
    }
    let mut tried = Vec::new();
    for name in candidates() {
        match load(&name) {
            Ok(libraries) => return Ok(loaded.insert(Box::leak(Box::new(libraries)))),
            Err(error) => tried.push(format!("{}: {error}", name.display())),
        }
    }
    let message = format!(
        "Reading scans needs libtesseract, which was not found. These places were searched: {}.",
        tried.join("; ")
    );
    Err(Error::new(ErrorCode::MissingDependency, message).with_hint(INSTALL_HINT))
}

fn candidates() -> Vec<PathBuf> {
    match std::env::var_os(ENVIRONMENT_VARIABLE).map(PathBuf::from) {
        Some(place) if place.is_dir() => {
            let file_name = |name| Path::new(name).file_name().map(|name| place.join(name));
            LIBRARY_NAMES.iter().copied().filter_map(file_name).collect()
        }
        Some(place) => vec![place],
        None => LIBRARY_NAMES.iter().map(PathBuf::from).collect(),
    }
}

fn load(name: &Path) -> Result<Libraries, libloading::Error> {
    // SAFETY: the initialisers of libtesseract and of its dependencies have no preconditions.
    let library = unsafe { Library::new(name) }?;
    // SAFETY: the signatures are those of the C interfaces (see the head of this file).
    let tesseract = unsafe { Tesseract::of(&library) }?;
    // SAFETY: as above. On Unix a library's symbols include those of the libraries it links to.
    let leptonica = unsafe { Leptonica::of(&library) }.or_else(|error| {
        for name in LEPTONICA_NAMES {
            // SAFETY: as above.
            if let Ok(library) = unsafe { Library::new(*name) }
                && let Ok(leptonica) = unsafe { Leptonica::of(&library) }
            {
                std::mem::forget(library);
                return Ok(leptonica);
            }
        }
        Err(error)
    })?;
    // SAFETY: `void omp_set_num_threads(int)`, OpenMP 3.2.1.
    let set_threads = unsafe { library.get("omp_set_num_threads") }.ok().map(|symbol| *symbol);
    // SAFETY: takes and returns a number.
    unsafe { (leptonica.setMsgSeverity)(SEVERITY_NONE) };
    // SAFETY: returns a string that lives as long as the library.
    let version = unsafe { CStr::from_ptr((tesseract.TessVersion)()) }.to_string_lossy();
    let origin = format!("tesseract {version} ({})", name.display());
    std::mem::forget(library);
    Ok(Libraries { tesseract, leptonica, set_threads, origin })
}

pub(super) struct Pix {
    libraries: &'static Libraries,
    handle: Handle,
}

// SAFETY: a `PIX` has one owner here, and leptonica keeps no state of threads.
unsafe impl Send for Pix {}

impl Drop for Pix {
    fn drop(&mut self) {
        // SAFETY: the handle is alive, and not used again.
        unsafe { (self.libraries.leptonica.pixDestroy)(&raw mut self.handle) };
    }
}

impl Pix {
    /// A copy of an image; `None` if leptonica refuses it: no pixels, or no memory.
    pub fn of(libraries: &'static Libraries, image: &GrayImage, resolution: u32) -> Option<Self> {
        let (width, height) = (c_int::try_from(image.width).ok()?, c_int::try_from(image.height).ok()?);
        // SAFETY: sizes are checked by the function; it returns null if it refuses them.
        let pix = Self::owned(libraries, unsafe { (libraries.leptonica.pixCreate)(width, height, 8) })?;
        // SAFETY: the handle is alive. Each of `height` rows has that many 32-bit words.
        let words = unsafe {
            let words_per_row = usize::try_from((libraries.leptonica.pixGetWpl)(pix.handle)).ok()?;
            let data = (libraries.leptonica.pixGetData)(pix.handle);
            if data.is_null() || words_per_row < image.width.div_ceil(4) {
                return None;
            }
            std::slice::from_raw_parts_mut(data, words_per_row.checked_mul(image.height)?)
        };
        let words_per_row = words.len() / image.height.max(1);
        for (row, words) in image.pixels.chunks_exact(image.width).zip(words.chunks_exact_mut(words_per_row)) {
            // The first pixel is in the highest byte of a word on every machine.
            for (pixels, word) in row.chunks(4).zip(words) {
                let mut bytes = [255; 4];
                bytes[..pixels.len()].copy_from_slice(pixels);
                *word = u32::from_be_bytes(bytes);
            }
        }
        let resolution = c_int::try_from(resolution).unwrap_or(0);
        // SAFETY: the handle is alive.
        unsafe { (libraries.leptonica.pixSetResolution)(pix.handle, resolution, resolution) };
        Some(pix)
    }

    fn owned(libraries: &'static Libraries, handle: Handle) -> Option<Self> {
        (!handle.is_null()).then_some(Self { libraries, handle })
    }

    pub fn width(&self) -> f32 {
        // SAFETY: the handle is alive.
        unsafe { (self.libraries.leptonica.pixGetWidth)(self.handle) as f32 }
    }

    pub fn height(&self) -> f32 {
        // SAFETY: the handle is alive.
        unsafe { (self.libraries.leptonica.pixGetHeight)(self.handle) as f32 }
    }

    /// The image turned upright if its lines of text run at an angle of at most `range` degrees, and that angle,
    /// clockwise; `None` when they are level, or there are too few.
    pub fn deskewed(&self, range: f32) -> Option<(Pix, f32)> {
        let (mut angle, mut confidence) = (0.0, 0.0);
        // Zeros stand for leptonica's defaults: a sweep in steps of 1°, then a search on the image halved twice.
        // SAFETY: the handle is alive, the places for results are valid.
        let turned = unsafe {
            (self.libraries.leptonica.pixDeskewGeneral)(
                self.handle,
                0,
                range,
                0.0,
                0,
                0,
                &raw mut angle,
                &raw mut confidence,
            )
        };
        let turned = Self::owned(self.libraries, turned)?;
        // A level image comes back as the same image.
        // SAFETY: the handle is alive.
        let usable =
            unsafe { (self.libraries.leptonica.pixGetDepth)(turned.handle) } == 8 && turned.handle != self.handle;
        (usable && angle != 0.0).then_some((turned, angle))
    }

    /// Turned clockwise by this many right angles.
    pub fn turned(&self, quarters: u8) -> Option<Pix> {
        // SAFETY: the handle is alive; the function refuses other numbers than 0 to 3.
        Self::owned(self.libraries, unsafe { (self.libraries.leptonica.pixRotateOrth)(self.handle, quarters.into()) })
    }
}

/// A recogniser with its languages loaded, for one thread at a time.
pub(super) struct Api {
    libraries: &'static Libraries,
    handle: Handle,
}

// SAFETY: an instance shares nothing that it writes with others, and has one owner here.
unsafe impl Send for Api {}

impl Drop for Api {
    fn drop(&mut self) {
        // SAFETY: the handle is alive, and not used again.
        unsafe { (self.libraries.tesseract.TessBaseAPIDelete)(self.handle) };
    }
}

impl Api {
    /// A recogniser for these languages ("eng", "deu+eng"); `None` if their data is missing or the name is not one.
    pub fn new(libraries: &'static Libraries, languages: &str) -> Option<Self> {
        let language = CString::new(languages).ok()?;
        // SAFETY: takes nothing.
        let handle = unsafe { (libraries.tesseract.TessBaseAPICreate)() };
        if handle.is_null() {
            return None;
        }
        let api = Self { libraries, handle };
        // Messages must not reach the terminal; set before the data is loaded, which is the first to print.
        api.set(c"debug_file", if cfg!(windows) { c"NUL" } else { c"/dev/null" });
        // SAFETY: the strings end in a zero; null stands for the compiled-in folder or TESSDATA_PREFIX.
        let failed = unsafe { (libraries.tesseract.TessBaseAPIInit3)(handle, null(), language.as_ptr()) } != 0;
        // It is content with one language of several.
        let loaded = if failed { Vec::new() } else { api.loaded_languages() };
        let complete = languages.split('+').all(|language| loaded.iter().any(|loaded| loaded == language));
        (!failed && complete).then_some(api)
    }

    fn loaded_languages(&self) -> Vec<String> {
        // SAFETY: the function gives such a list.
        unsafe { self.names(self.libraries.tesseract.TessBaseAPIGetLoadedLanguagesAsVector) }
    }

    /// The names of all data in the folder that this recogniser was loaded from.
    pub fn available_languages(&self) -> Vec<String> {
        // SAFETY: as above.
        unsafe { self.names(self.libraries.tesseract.TessBaseAPIGetAvailableLanguagesAsVector) }
    }

    /// # Safety
    ///
    /// `list` gives a list of strings that ends in a null and belongs to the caller.
    unsafe fn names(&self, list: unsafe extern "C" fn(Handle) -> *mut *mut c_char) -> Vec<String> {
        let mut languages = Vec::new();
        // SAFETY: the handle is alive; the list is as the caller promised, and is freed once, after it was copied.
        unsafe {
            let list = list(self.handle);
            if list.is_null() {
                return languages;
            }
            let mut place = list;
            while !(*place).is_null() {
                languages.push(CStr::from_ptr(*place).to_string_lossy().into_owned());
                place = place.add(1);
            }
            (self.libraries.tesseract.TessDeleteTextArray)(list);
        }
        languages
    }

    pub fn set(&self, name: &CStr, value: &CStr) {
        // SAFETY: the handle is alive, the strings end in a zero.
        unsafe { (self.libraries.tesseract.TessBaseAPISetVariable)(self.handle, name.as_ptr(), value.as_ptr()) };
    }

    /// The words of an image in reading order, with boxes in its pixels. Words that were not read until `end` are
    /// missing.
    pub fn words(&mut self, pix: &Pix, end: &Deadline) -> Vec<Word> {
        let tesseract = &self.libraries.tesseract;
        self.use_one_thread();
        // SAFETY: all handles are alive; the image is kept until `TessBaseAPIClear` lets go of it. The deadline outlives the monitor
        // and is only read, on this thread: there are no others (see `use_one_thread`).
        unsafe {
            (tesseract.TessBaseAPISetPageSegMode)(self.handle, SEGMENT_AUTOMATICALLY);
            (tesseract.TessBaseAPISetImage2)(self.handle, pix.handle);
            let monitor = (tesseract.TessMonitorCreate)();
            if !monitor.is_null() {
                (tesseract.TessMonitorSetCancelThis)(monitor, std::ptr::from_ref(end).cast_mut().cast());
                (tesseract.TessMonitorSetCancelFunc)(monitor, is_over);
            }
            (tesseract.TessBaseAPIRecognize)(self.handle, monitor);
            let iterator = (tesseract.TessBaseAPIGetIterator)(self.handle);
            let mut words = Vec::new();
            if !iterator.is_null() {
                let page = (tesseract.TessResultIteratorGetPageIterator)(iterator);
                loop {
                    words.extend(word_at(tesseract, iterator, page));
                    if (tesseract.TessResultIteratorNext)(iterator, LEVEL_WORD) == 0 {
                        break;
                    }
                }
                (tesseract.TessResultIteratorDelete)(iterator);
            }
            if !monitor.is_null() {
                (tesseract.TessMonitorDelete)(monitor);
            }
            (tesseract.TessBaseAPIClear)(self.handle);
            // The result must not depend on earlier images.
            (tesseract.TessBaseAPIClearAdaptiveClassifier)(self.handle);
            words
        }
    }

    /// By how many right angles, clockwise, the page must be turned to be upright, and the name of its script. Needs
    /// "osd" as the language. `None` if there is too little text.
    pub fn orientation(&mut self, pix: &Pix) -> Option<(u8, String)> {
        let tesseract = &self.libraries.tesseract;
        self.use_one_thread();
        let (mut degrees, mut confidence, mut script, mut script_confidence) = (0, 0.0, null(), 0.0);
        // SAFETY: all handles are alive and the places for results valid. The script's name lives as long as the recogniser's data.
        unsafe {
            (tesseract.TessBaseAPISetPageSegMode)(self.handle, SEGMENT_ORIENTATION_ONLY);
            (tesseract.TessBaseAPISetImage2)(self.handle, pix.handle);
            let found = (tesseract.TessBaseAPIDetectOrientationScript)(
                self.handle,
                &raw mut degrees,
                &raw mut confidence,
                &raw mut script,
                &raw mut script_confidence,
            );
            let name = (found != 0 && !script.is_null()).then(|| CStr::from_ptr(script).to_string_lossy().into_owned());
            (tesseract.TessBaseAPIClear)(self.handle);
            // The answer is how far the page is turned clockwise.
            (found != 0).then(|| ((4 - u8::try_from(degrees / 90).unwrap_or(0) % 4) % 4, name.unwrap_or_default()))
        }
    }

    /// Pages are read in parallel; threads inside a page only get into each other's way.
    fn use_one_thread(&self) {
        if let Some(set_threads) = self.libraries.set_threads {
            // SAFETY: takes a positive number; it holds for the calling thread.
            unsafe { set_threads(1) };
        }
    }
}

/// # Safety
///
/// `deadline` is a [`Deadline`] that is alive.
unsafe extern "C" fn is_over(deadline: *mut c_void, _words: c_int) -> bool {
    // SAFETY: promised by the caller.
    unsafe { &*deadline.cast::<Deadline>() }.is_over()
}

/// The word at the iterator; `None` when it is empty.
///
/// # Safety
///
/// `iterator` is alive and `page` is its own view as a page iterator.
unsafe fn word_at(tesseract: &Tesseract, iterator: Handle, page: Handle) -> Option<Word> {
    // SAFETY: promised by the caller; the text is copied before it is freed.
    let text = unsafe {
        let text = (tesseract.TessResultIteratorGetUTF8Text)(iterator, LEVEL_WORD);
        if text.is_null() {
            return None;
        }
        let copy = CStr::from_ptr(text).to_string_lossy().trim().to_owned();
        (tesseract.TessDeleteText)(text);
        copy
    };
    let (mut left, mut top, mut right, mut bottom) = (0, 0, 0, 0);
    // SAFETY: promised by the caller; the places for results are valid.
    let (found, confidence, starts_line, starts_paragraph) = unsafe {
        (
            (tesseract.TessPageIteratorBoundingBox)(
                page,
                LEVEL_WORD,
                &raw mut left,
                &raw mut top,
                &raw mut right,
                &raw mut bottom,
            ),
            (tesseract.TessResultIteratorConfidence)(iterator, LEVEL_WORD),
            (tesseract.TessPageIteratorIsAtBeginningOf)(page, LEVEL_LINE) != 0,
            (tesseract.TessPageIteratorIsAtBeginningOf)(page, LEVEL_PARAGRAPH) != 0,
        )
    };
    if found == 0 {
        return None;
    }
    let area = Rect { left: left as f32, top: top as f32, right: right as f32, bottom: bottom as f32 };
    Some(Word { text, confidence: (confidence / 100.0).clamp(0.0, 1.0), area, starts_line, starts_paragraph })
}
