//! The language in which the pages of a document are read, found from the text of its first pages.
//!
//! Read as English, a text in Latin letters loses its accents and little else, so that its language can be recognised,
//! and a page in another script makes no sense; then tesseract detects the script. If there is data for the result, the
//! page is read again, and the better of the two readings decides: a wrong guess costs time and changes nothing.

use casetrack_pages::model::AUTO_LANGUAGES;
use casetrack_pages::text::language;

use super::DOUBTFUL_CONFIDENCE;
use super::page::OcrPage;

const FIRST: &str = "eng";
/// Pages with text on which the language is looked for.
const FIRST_PAGES: usize = 3;

/// Scripts as tesseract's data "osd" names them, and the data of languages that are written in them.
const SCRIPTS: [(&str, &[&str]); 16] = [
    ("Arabic", &["ara", "fas", "urd"]),
    ("Armenian", &["hye"]),
    ("Bengali", &["ben"]),
    ("Cyrillic", &["rus", "ukr", "bul", "srp", "bel", "mkd"]),
    ("Devanagari", &["hin", "mar", "nep"]),
    ("Georgian", &["kat"]),
    ("Greek", &["ell"]),
    ("Gujarati", &["guj"]),
    ("Han", &["chi_sim", "chi_tra", "jpn"]),
    ("Hangul", &["kor"]),
    ("Hebrew", &["heb", "yid"]),
    ("Japanese", &["jpn"]),
    ("Korean", &["kor"]),
    ("Tamil", &["tam"]),
    ("Telugu", &["tel"]),
    ("Thai", &["tha"]),
];

pub(super) struct Languages {
    now: String,
    /// The data that is there.
    installed: Vec<String>,
    /// How many more pages with text may decide the language.
    pages_left: usize,
    /// The name of a language or script without data.
    missing: Option<String>,
}

impl Languages {
    /// As the setting names them, or to be found out among those that are installed.
    pub fn of(setting: &str, installed: impl FnOnce() -> Vec<String>) -> Self {
        if setting != AUTO_LANGUAGES {
            return Self { now: setting.to_owned(), installed: Vec::new(), pages_left: 0, missing: None };
        }
        let mut installed = installed();
        installed.sort();
        Self { now: first_of(&installed), installed, pages_left: FIRST_PAGES, missing: None }
    }

    pub fn now(&self) -> &str {
        &self.now
    }

    pub fn are_known(&self) -> bool {
        self.pages_left == 0
    }

    /// Reads a page whose language is not known yet. `read` reads it in these languages; `script` detects its script.
    pub fn find_out(
        &mut self,
        mut read: impl FnMut(&str) -> OcrPage,
        script: impl FnOnce() -> Option<String>,
    ) -> OcrPage {
        let mut page = read(&self.now);
        if page.chars == 0 {
            return page;
        }
        self.pages_left -= 1;
        if page.confidence < DOUBTFUL_CONFIDENCE
            && let Some(script) = script()
            && let Some((name, languages)) = SCRIPTS.iter().find(|(name, _)| *name == script)
        {
            page = self.try_out(languages, name, page, &mut read);
        }
        if let Some(code) = language::code(&page.text()) {
            self.pages_left = 0;
            page = self.try_out(data_of(code), language::name(code), page, &mut read);
        }
        page
    }

    /// The page in the first of these languages of which there is data, or all of one script, if that is better than `page`.
    fn try_out(
        &mut self,
        languages: &[&str],
        name: &str,
        page: OcrPage,
        read: &mut impl FnMut(&str) -> OcrPage,
    ) -> OcrPage {
        let there: Vec<&str> =
            languages.iter().copied().filter(|one| self.installed.iter().any(|own| own == one)).collect();
        let there = there.join("+");
        if there == self.now {
            return page;
        }
        if there.is_empty() {
            self.missing = Some(name.to_owned());
            return page;
        }
        let other = read(&there);
        if page.is_better_than(&other) {
            return page;
        }
        self.now = there;
        self.missing = None;
        other
    }

    pub fn warning(&self) -> Option<String> {
        let name = self.missing.as_ref()?;
        Some(format!(
            "Scanned text in it seems to be {name}, and tesseract has no data for that: it was read as \"{}\". On Debian and Ubuntu the data is in \
             a package tesseract-ocr-LANGUAGE; install it, then ingest the file again.",
            self.now
        ))
    }
}

/// The data that is tried first: English, or the first that is installed.
pub(super) fn first_of(installed: &[String]) -> String {
    let languages = || installed.iter().filter(|name| is_language(name));
    let first = languages().find(|name| *name == FIRST).or_else(|| languages().next());
    first.map_or_else(|| FIRST.to_owned(), Clone::clone)
}

/// True if data of tesseract is that of a language, not of a script, of the orientation of pages or of formulas.
pub(super) fn is_language(name: &str) -> bool {
    !name.contains('/') && !matches!(name, "osd" | "equ" | "snum")
}

/// The names of tesseract's data for a language (ISO 639-3).
fn data_of(code: &'static str) -> &'static [&'static str] {
    macro_rules! same {
        ($($code:literal)*) => { match code { $($code => &[$code],)* _ => &[] } };
    }
    match code {
        "cmn" => &["chi_sim", "chi_tra"],
        "nob" => &["nor"],
        "pes" => &["fas"],
        "srp" => &["srp", "srp_latn"],
        _ => same!(
            "afr" "amh" "ara" "aze" "bel" "ben" "bul" "cat" "ces" "cym" "dan" "deu" "ell" "eng" "epo" "est" "fin" "fra" "guj" "heb" "hin" "hrv"
            "hun" "hye" "ind" "ita" "jav" "jpn" "kan" "kat" "khm" "kor" "lat" "lav" "lit" "mal" "mar" "mkd" "mya" "nep" "nld" "ori" "pan" "pol"
            "por" "ron" "rus" "sin" "slk" "slv" "spa" "swe" "tam" "tel" "tgl" "tha" "tur" "ukr" "urd" "uzb" "vie" "yid"
        ),
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::Rect;

    use super::*;
    use crate::ocr::page::OcrLine;

    const GERMAN: &str = "Dieser Vertrag wird zwischen dem Vermieter und dem Mieter geschlossen und gilt drei Jahre ab dem Tag, an dem beide \
                          ihn unterschrieben haben. Die Miete ist am ersten Tag jedes Monats zu zahlen.";
    const ENGLISH: &str = "This agreement is made between the landlord and the tenant of the land, and it lasts for three years from the day \
                           on which both of them have signed it. The rent is due on the first day of each month.";
    const RUSSIAN: &str = "Настоящий договор заключается между арендодателем и арендатором и действует в течение трёх лет со дня его \
                           подписания обеими сторонами. Арендная плата вносится в первый день каждого месяца.";

    fn page(text: &str, confidence: f32) -> OcrPage {
        let area = Rect { left: 0.0, top: 0.0, right: 1.0, bottom: 1.0 };
        let line = OcrLine { text: text.to_owned(), area, confidence, words: Vec::new() };
        OcrPage { paragraphs: vec![vec![line]], confidence, chars: text.chars().count() }
    }

    fn installed(names: &[&str]) -> Languages {
        Languages::of(AUTO_LANGUAGES, || names.iter().map(|name| (*name).to_owned()).collect())
    }

    /// The readings that were made, and the languages after them.
    fn found(languages: &mut Languages, script: Option<&str>, read: impl Fn(&str) -> OcrPage) -> Vec<String> {
        let mut readings = Vec::new();
        let mut last = 0.0;
        let page = languages.find_out(
            |names| {
                readings.push(names.to_owned());
                let page = read(names);
                last = page.confidence.max(last);
                page
            },
            || script.map(str::to_owned),
        );
        assert!(page.confidence >= last, "the best reading is given back");
        readings
    }

    #[test]
    fn a_page_in_another_language_is_read_again_in_it_and_so_are_those_after_it() {
        let mut languages = installed(&["deu", "eng", "fra", "osd"]);
        let readings = found(&mut languages, None, |names| page(GERMAN, if names == "deu" { 0.95 } else { 0.8 }));
        assert_eq!(readings, ["eng", "deu"]);
        assert_eq!((languages.now(), languages.are_known(), languages.warning()), ("deu", true, None));
    }

    #[test]
    fn english_is_read_once() {
        let mut languages = installed(&["deu", "eng"]);
        assert_eq!(found(&mut languages, None, |_| page(ENGLISH, 0.9)), ["eng"]);
        assert_eq!((languages.now(), languages.are_known()), ("eng", true));
    }

    #[test]
    fn a_language_that_reads_worse_was_a_wrong_guess() {
        let mut languages = installed(&["deu", "eng"]);
        assert_eq!(
            found(&mut languages, None, |names| page(GERMAN, if names == "deu" { 0.6 } else { 0.9 })),
            ["eng", "deu"]
        );
        assert_eq!((languages.now(), languages.are_known()), ("eng", true));
    }

    #[test]
    fn a_language_without_data_is_told() {
        let mut languages = installed(&["eng"]);
        assert_eq!(found(&mut languages, None, |_| page(GERMAN, 0.8)), ["eng"]);
        let warning = languages.warning().unwrap();
        assert!(warning.contains("seems to be German") && warning.contains("read as \"eng\""), "{warning}");
    }

    #[test]
    fn another_script_is_read_in_all_its_languages_and_then_in_the_one_that_they_tell() {
        let read = |names: &str| match names {
            "eng" => page("Hacrosunit norosop 3akmouaetca", 0.3),
            "rus+ukr" => page(RUSSIAN, 0.85),
            _ => page(RUSSIAN, 0.9),
        };
        let mut languages = installed(&["eng", "osd", "rus", "ukr"]);
        assert_eq!(found(&mut languages, Some("Cyrillic"), read), ["eng", "rus+ukr", "rus"]);
        assert_eq!((languages.now(), languages.are_known(), languages.warning()), ("rus", true, None));
        let mut languages = installed(&["eng"]);
        assert_eq!(found(&mut languages, Some("Cyrillic"), read), ["eng"]);
        assert!(languages.warning().unwrap().contains("seems to be Cyrillic"));
    }

    #[test]
    fn pages_without_text_tell_nothing_and_short_ones_leave_it_open_for_three_pages() {
        let mut languages = installed(&["deu", "eng"]);
        for text in ["", "Rechnung", "", "Seite 2", "Seite 3"] {
            assert!(!languages.are_known());
            assert_eq!(found(&mut languages, None, |_| page(text, 0.9)), ["eng"]);
        }
        assert_eq!((languages.now(), languages.are_known()), ("eng", true));
    }

    #[test]
    fn languages_that_are_named_are_not_looked_for() {
        let languages = Languages::of("deu+eng", || panic!("what is installed does not matter"));
        assert_eq!((languages.now(), languages.are_known()), ("deu+eng", true));
    }

    #[test]
    fn without_english_there_is_another_first() {
        assert_eq!(installed(&["osd", "script/Latin", "fra"]).now(), "fra");
        assert_eq!(installed(&["osd"]).now(), "eng");
    }
}
