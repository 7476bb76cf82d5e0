//! Encodings of single bytes that the detector of the web does not guess: those of DOS and of the Mac. It mistakes their texts for others, in
//! which letters are symbols or are at impossible places in words.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1252};
use oem_cp::code_table::DECODING_TABLE_CP_MAP;

/// An encoding of text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CodePage {
    Web(&'static Encoding),
    /// A code page of DOS, by its number.
    Dos(u16),
}

/// Those that texts are tried in, the most common first: Western Europe, the United States, Central Europe, Turkey, Greece.
const DOS: [u16; 5] = [850, 437, 852, 857, 737];
/// Letters with marks that are common in languages of Europe, and those that are less so. Others are rare.
const COMMON: &str = "äöüßéèêàâçñáíóúåøæôîëïù";
const KNOWN: &str = "ãõìòûœąćęłńśźżčďěňřšťýžůőűășţşğıđœāēīūėįų";
/// Symbols that may follow a letter, and those that may stand between two.
const BEHIND_LETTERS: &str = "²³™®©°ªº’”»…–—·•'";
const BETWEEN_LETTERS: &str = "’‘…–—·•\u{AD}";
/// How much one character weighs that no word has.
const IMPLAUSIBLE: i64 = 8;

/// The encoding of a text that is not UTF-8, without a mark, by its beginning, or by all of it. Another one than the detector's guess is taken
/// only if the guess makes no words.
pub fn of_text(bytes: &[u8], is_whole: bool) -> CodePage {
    let guess = guess(bytes, is_whole);
    match Score::of(&CodePage::Web(guess).decode(bytes)) {
        score if score.implausible > 0 => best(bytes, guess, score, &[MACINTOSH, WINDOWS_1252]),
        _ => CodePage::Web(guess),
    }
}

/// The encoding of names of files, each of which is in the same one and none of which is UTF-8.
pub fn of_names(names: &[&[u8]]) -> CodePage {
    let joined = names.join(&b'\n');
    let guess = guess(&joined, true);
    let score = Score::of(&CodePage::Web(guess).decode(&joined));
    if guess.is_single_byte() || score.implausible > 0 {
        best(&joined, guess, score, &[WINDOWS_1252])
    } else {
        CodePage::Web(guess)
    }
}

fn guess(bytes: &[u8], is_whole: bool) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, is_whole);
    detector.guess(None, Utf8Detection::Allow)
}

/// The encoding under which most letters are at usual places in words; the guess if none is better.
fn best(bytes: &[u8], guess: &'static Encoding, score: Score, others: &[&'static Encoding]) -> CodePage {
    let mut best = (CodePage::Web(guess), score);
    for page in others.iter().copied().map(CodePage::Web).chain(DOS.map(CodePage::Dos)) {
        let score = Score::of(&page.decode(bytes));
        let is_likelier = score.plausible > best.1.plausible && score.implausible < best.1.implausible.max(1);
        if is_likelier && score.total() > best.1.total() {
            best = (page, score);
        }
    }
    best.0
}

impl CodePage {
    pub fn name(self) -> &'static str {
        match self {
            Self::Web(encoding) => encoding.name(),
            Self::Dos(437) => "IBM437",
            Self::Dos(737) => "IBM737",
            Self::Dos(850) => "IBM850",
            Self::Dos(852) => "IBM852",
            Self::Dos(_) => "IBM857",
        }
    }

    /// The text of these bytes; those that have no meaning become U+FFFD.
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Web(encoding) => encoding.decode_without_bom_handling(bytes).0,
            Self::Dos(number) => decode_dos(number, bytes).map_or_else(|| String::from_utf8_lossy(bytes), Cow::Owned),
        }
    }
}

/// The text in a code page of DOS; `None` if the number is not one of them. Bytes without a character become U+FFFD.
pub fn decode_dos(number: u16, bytes: &[u8]) -> Option<String> {
    DECODING_TABLE_CP_MAP.get(&number).map(|table| table.decode_string_lossy(bytes))
}

/// How well the characters beyond ASCII make words.
#[derive(Debug, Default, Clone, Copy)]
struct Score {
    plausible: i64,
    implausible: i64,
}

impl Score {
    fn total(self) -> i64 {
        self.plausible - IMPLAUSIBLE * self.implausible
    }

    fn of(text: &str) -> Self {
        let mut score = Self::default();
        let (mut before, mut chars) = (' ', text.chars().peekable());
        while let Some(c) = chars.next() {
            if !c.is_ascii() {
                let weight = weight(before, c, chars.peek().copied().unwrap_or(' '));
                if weight < 0 {
                    score.implausible -= weight;
                } else {
                    score.plausible += weight;
                }
            }
            before = c;
        }
        score
    }
}

/// The evidence of a character between two others for or against an encoding.
fn weight(before: char, c: char, after: char) -> i64 {
    let is_letter = |c: char| c.is_alphabetic() && !matches!(c, 'ª' | 'º' | 'ƒ');
    let (follows, precedes) = (is_letter(before), is_letter(after));
    if c == char::REPLACEMENT_CHARACTER || (c.is_control() && c != '\u{85}') {
        return -2;
    }
    if !is_letter(c) {
        let may_stand = !follows
            || if precedes { BETWEEN_LETTERS.contains(c) } else { BEHIND_LETTERS.contains(c) || c == '\u{A0}' };
        // Lines and blocks of tables touch no letters.
        let is_drawn = matches!(c, '\u{2500}'..='\u{25FF}') && (follows || precedes);
        return if may_stand && !is_drawn { 0 } else { -1 };
    }
    let mixes = |other: char| is_letter(other) && script(other) != script(c);
    if mixes(before) || mixes(after) {
        // Names and units in Latin letters are part of words in scripts without spaces.
        return if script(c) == Script::Other { 0 } else { -1 };
    }
    if c.is_uppercase() && (before.is_lowercase() || (follows && after.is_lowercase())) {
        return -1;
    }
    let is_word = c.is_lowercase() && (follows || precedes) || c.is_uppercase() && !follows && after.is_lowercase();
    let lower = c.to_lowercase().next().unwrap_or(c);
    match script(c) {
        _ if !is_word => 0,
        // Three letters with marks are rarely adjacent.
        Script::Latin if follows && precedes && !before.is_ascii() && !after.is_ascii() => 1,
        Script::Latin if COMMON.contains(lower) => 3,
        Script::Latin if KNOWN.contains(lower) => 2,
        Script::Latin => 0,
        _ => 3,
    }
}

#[derive(PartialEq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    /// Without capitals, and mostly without spaces.
    Other,
}

fn script(c: char) -> Script {
    match c {
        '\0'..='\u{2AF}' | '\u{1E00}'..='\u{1EFF}' => Script::Latin,
        '\u{370}'..='\u{3FF}' => Script::Greek,
        '\u{400}'..='\u{52F}' => Script::Cyrillic,
        _ => Script::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text in a code page of DOS.
    fn dos(number: u16, text: &str) -> Vec<u8> {
        let table = oem_cp::code_table::ENCODING_TABLE_CP_MAP.get(&number).unwrap();
        text.chars().map(|c| if c.is_ascii() { c as u8 } else { table[&c] }).collect()
    }

    fn web(label: &str, text: &str) -> Vec<u8> {
        let (bytes, _, has_errors) = Encoding::for_label(label.as_bytes()).unwrap().encode(text);
        assert!(!has_errors, "{label}: {text}");
        bytes.into_owned()
    }

    #[test]
    fn texts_of_dos_and_of_the_mac_are_recognised() {
        const GERMAN: &str = "Mieter;Straße\r\nMüller;Königsallee\r\n";
        const FRENCH: &str =
            "Le bailleur loue à l'agréé une pièce meublée.\r\nLoyer prévu: 400 par mois, charges non comprises";
        for text in [GERMAN, FRENCH, "Größe", "Ann Müller", "Übersicht über die Räume"] {
            for bytes in [web("macintosh", text), dos(850, text), dos(437, text), web("windows-1252", text)] {
                assert_eq!(of_text(&bytes, true).decode(&bytes), text, "{bytes:x?}");
            }
        }
        for (number, text) in [
            (850, "Møde i København på Østerbro"),
            (852, "Nájemní smlouva a příloha č. 1 podle žádosti"),
            (852, "Umowa najmu w Łodzi, część pierwsza"),
            (737, "Σύμβαση μίσθωσης κατοικίας"),
        ] {
            let bytes = dos(number, text);
            assert_eq!(of_text(&bytes, true).decode(&bytes), text);
        }
    }

    #[test]
    fn texts_of_the_web_stay_what_the_detector_says() {
        for (label, text) in [
            ("windows-1252", "Fees: 5 % ± 2, § 12, “as is” – 30 m², Foo® and Bar™, 10 €, rock’n’roll, naïve café"),
            ("windows-1252", "ACME® GROUP — 100 € • FOO®BAR"),
            ("windows-1250", "Žádost o přezkum rozhodnutí ve věci samé"),
            ("windows-1251", "Настоящий договор вступает в силу"),
            ("windows-1253", "Η παρούσα σύμβαση τίθεται σε ισχύ"),
            ("ibm866", "Настоящий договор вступает в силу"),
            ("shift_jis", "本契約はPDFファイルで署名した日に効力を生じ"),
            ("gbk", "本合同自双方签字之日起生效"),
            ("euc-kr", "본 계약은 서명한 날부터 효력이 발생한다"),
        ] {
            let bytes = web(label, text);
            assert_eq!(of_text(&bytes, true).decode(&bytes), text, "{label}");
        }
    }

    #[test]
    fn names_of_files_are_judged_together() {
        let decoded = |names: &[Vec<u8>]| {
            let names: Vec<&[u8]> = names.iter().map(Vec::as_slice).collect();
            let page = of_names(&names);
            names.iter().map(|name| page.decode(name).into_owned()).collect::<Vec<_>>()
        };
        for names in [
            &["Verträge/Überlassung.txt"][..],
            &["Übersicht.pdf"],
            &["März.pdf", "Größe.pdf"],
            &["Résumé général.pdf"],
            &["pièce.pdf"],
        ] {
            for bytes in [|name: &&str| dos(850, name), |name: &&str| web("windows-1252", name)] {
                assert_eq!(decoded(&names.iter().map(bytes).collect::<Vec<_>>()), names);
            }
        }
        for (label, names) in [
            ("windows-1251", &["Договор аренды.txt"][..]),
            ("ibm866", &["Договор аренды.txt"]),
            ("koi8-r", &["Договор аренды.txt", "Приложение.txt"]),
            ("shift_jis", &["ソフト契約.txt", "表示.txt", "能力.txt"]),
            ("gbk", &["合同甲.txt", "合同乙.txt"]),
            ("euc-kr", &["임대차계약서.txt", "서울/계약.txt"]),
            ("big5", &["合約書.txt", "功能說明.txt"]),
        ] {
            assert_eq!(decoded(&names.iter().map(|name| web(label, name)).collect::<Vec<_>>()), names, "{label}");
        }
        for (number, name) in [
            (852, "Umowa najmu Łódź.txt"),
            (852, "Nájemní smlouva - příloha č.1.pdf"),
            (850, "Køb af hus på Ærø.pdf"),
            (857, "Kira sözleşmesi ve yıllık artış.pdf"),
        ] {
            assert_eq!(decoded(&[dos(number, name)]), [name]);
        }
    }

    #[test]
    fn words_of_many_languages_are_read_in_code_pages_of_dos() {
        for (number, bytes, text) in [
            (437, &b"Pr\x81fung \x9Abergabe Gr\x94\xE1e"[..], "Prüfung Übergabe Größe"),
            (850, b"Pr\x81fung \x9Abergabe Gr\x94\xE1e \xB5", "Prüfung Übergabe Größe Á"),
            (852, b"\x9D\xA2d\xAB", "Łódź"),
            (858, b"\xD5 5", "€ 5"),
            (865, b"Gr\x9Bnland", "Grønland"),
            (737, b"\x80\x86", "ΑΗ"),
        ] {
            assert_eq!(decode_dos(number, bytes).as_deref(), Some(text), "{number}");
        }
        assert_eq!((decode_dos(1252, b"x"), decode_dos(85, b"x")), (None, None));
    }
}
