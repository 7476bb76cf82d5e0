//! Text layers that differ from the visible page.

use super::line::Line;

/// Fewer letters than this show nothing about a text layer.
const MIN_LETTERS: usize = 100;
/// Share of characters without a meaning above which a text layer is garbage.
const MAX_MEANINGLESS: f32 = 0.3;
/// Share of words of basic Latin letters that have a vowel, below which they are not words. Running text of the European
/// languages has more than 0.95, tables of abbreviations more than 0.6.
const MIN_WITH_VOWEL: f32 = 0.4;
/// Share of words in Latin letters that are longer than any word of a language, above which they are not words.
const MAX_ENDLESS: f32 = 0.5;
const ENDLESS_WORD: usize = 25;
/// Share of words that mix the letters of several scripts above which they are not words.
const MAX_MIXED: f32 = 0.3;

/// Frequencies of the letters in percent, the mean of English, German, French, Spanish, Italian and Dutch.
const USUAL: Frequencies = [
    8.8, 1.5, 3.1, 4.6, 14.4, 1.3, 2.1, 2.5, 7.3, 0.5, 0.7, 4.7, 2.6, 7.9, 6.8, 2.0, 0.5, 6.6, 6.4, 6.6, 3.5, 1.6, 1.0,
    0.1, 0.5, 0.8,
];
/// Least likeness of a text to the usual frequencies; a text below it is encoded if moving all letters by one distance
/// makes it a text. The six languages have 0.97, Polish, Finnish and Turkish 0.89 to 0.90; letters moved by any
/// distance have at most 0.7, Polish ones 0.84.
const UNLIKE: f32 = 0.75;
const LIKE: f32 = 0.9;
/// Letters among which one broken word is an accident. A ligature that maps wrongly breaks one in five hundred letters of English, and more of
/// other languages.
const LETTERS_OF_BROKEN: usize = 1500;
/// On a page with fewer letters, one broken word is not an accident.
const FEW_LETTERS: usize = 300;
/// Characters beyond ASCII that occur between letters in words, and between words without spaces.
const BETWEEN_LETTERS: &str = "’‘´`ʼ“”„«»‹›…–—‐‑‒·•∙†‡\u{AD}⁄×";

/// Farthest distance between the codes of letters and those in a text layer. Producers that write numbers of glyphs as text move
/// them by 29.
const MAX_DISTANCE: i32 = 64;

type Frequencies = [f32; 26];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Glyphs {
    /// Stand for no character.
    pub unmapped: usize,
    /// Stand for a character of a script that their font cannot have.
    pub misfits: usize,
    /// Stand for no character, between two letters.
    pub gaps: usize,
    /// May stand for another character than their font's map gives them.
    pub wrong: usize,
}

/// True if a text layer differs from the visible page: codes of glyphs without a mapping to characters, or with one to
/// another script, letters in a code of their own, or words without the spaces between them.
pub(super) fn is_garbage(lines: &[Line], glyphs: Glyphs) -> bool {
    let text = || lines.iter().flat_map(|line| line.text.chars()).filter(|c| !c.is_whitespace());
    let meaningless = |c: char| c == '\u{FFFD}' || matches!(c, '\u{E000}'..='\u{F8FF}') || matches!(c, '\u{F0000}'..);
    let bad = glyphs.unmapped + glyphs.misfits + text().filter(|c| meaningless(*c)).count();
    let all = glyphs.unmapped + text().count();
    if bad >= MIN_LETTERS / 4 && bad as f32 > MAX_MEANINGLESS * all as f32 {
        return true;
    }
    if glyphs.wrong > 0 {
        return true;
    }
    let broken = glyphs.gaps + lines.iter().map(|line| broken_words(&line.text)).sum::<usize>();
    let letters = text().filter(|c| c.is_alphabetic()).count();
    if broken > letters / LETTERS_OF_BROKEN && (broken > 1 || letters < FEW_LETTERS) {
        return true;
    }
    let words = || lines.iter().flat_map(|line| line.text.split(|c: char| !c.is_alphabetic()));
    are_endless(words()) || lack_vowels(words()) || mix_scripts(words()) || are_moved(text())
}

/// Places inside words with a character that no word has there: a ligature that is mapped to another character, as "secƟon" or "o®ce".
fn broken_words(text: &str) -> usize {
    if text.is_ascii() {
        return 0;
    }
    let chars: Vec<char> = text.chars().collect();
    let is_letter = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(|c| c.is_lowercase());
    let is_broken = |at: &usize| {
        let c = chars[*at];
        let (before, after) = (at.checked_sub(1), Some(at + 1));
        if c.is_ascii() || !is_letter(before) || !is_letter(after) {
            return false;
        }
        // A single letter on both sides may be a formula.
        let is_word = is_letter(at.checked_sub(2)) || is_letter(Some(at + 2));
        let is_odd = c.is_uppercase() || !(c.is_alphanumeric() || BETWEEN_LETTERS.contains(c) || is_mark(c));
        is_word && is_odd
    };
    (0..chars.len()).filter(is_broken).count()
}

/// True of marks that are written over or under a letter, and of the signs that join letters.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{200C}' | '\u{200D}' | '\u{2060}' | '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}')
}

fn are_endless<'a>(words: impl Iterator<Item = &'a str>) -> bool {
    let (mut endless, mut usual) = (0, 0);
    for word in words.filter(|word| word.chars().all(|c| c < '\u{250}')) {
        let length = word.chars().count();
        *(if length > ENDLESS_WORD { &mut endless } else { &mut usual }) += length;
    }
    endless >= MIN_LETTERS && endless as f32 > MAX_ENDLESS * (endless + usual) as f32
}

fn lack_vowels<'a>(words: impl Iterator<Item = &'a str>) -> bool {
    let (mut letters, mut count, mut with_vowel) = (0, 0, 0);
    for word in words.filter(|word| word.len() >= 3 && word.bytes().all(|b| b.is_ascii_alphabetic())) {
        letters += word.len();
        count += 1;
        with_vowel += usize::from(word.bytes().any(|b| b"aeiouyAEIOUY".contains(&b)));
    }
    letters >= MIN_LETTERS && (with_vowel as f32) < MIN_WITH_VOWEL * count as f32
}

fn mix_scripts<'a>(words: impl Iterator<Item = &'a str>) -> bool {
    let (mut mixed, mut all) = (0, 0);
    for word in words {
        let length = word.chars().count();
        if length < 3 {
            continue;
        }
        all += length;
        let mut scripts = word.chars().filter_map(script);
        let first = scripts.next();
        if scripts.any(|script| Some(script) != first) {
            mixed += length;
        }
    }
    mixed >= MIN_LETTERS && mixed as f32 > MAX_MIXED * all as f32
}

/// The alphabet of a letter, among those that no word mixes.
fn script(c: char) -> Option<u8> {
    match c {
        'A'..='Z' | 'a'..='z' | '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => Some(0),
        '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => Some(1),
        '\u{400}'..='\u{52F}' => Some(2),
        '\u{530}'..='\u{58F}' => Some(3),
        '\u{590}'..='\u{5FF}' => Some(4),
        '\u{600}'..='\u{6FF}' | '\u{750}'..='\u{77F}' => Some(5),
        '\u{900}'..='\u{97F}' => Some(6),
        _ => None,
    }
}

/// True if letters have been moved, all by the same distance.
fn are_moved(text: impl Iterator<Item = char>) -> bool {
    let mut codes = [0f32; 384];
    let mut all = 0.0;
    for c in text {
        all += 1.0;
        if let Some(count) = codes.get_mut(c as usize) {
            *count += 1.0;
        }
    }
    let moved_by = |distance: i32| {
        let mut frequencies: Frequencies = [0.0; 26];
        for (frequency, letter) in frequencies.iter_mut().zip(i32::from(b'a')..) {
            let count = |code: i32| usize::try_from(code).ok().and_then(|code| codes.get(code)).copied().unwrap_or(0.0);
            *frequency = count(letter + distance) + count(letter - 32 + distance);
        }
        frequencies
    };
    let is_like = |distance: i32| {
        let letters = moved_by(distance);
        let count: f32 = letters.iter().sum();
        count >= MIN_LETTERS as f32 && count > all / 2.0 && likeness(&letters) > LIKE
    };
    likeness(&moved_by(0)) < UNLIKE && (1..=MAX_DISTANCE).any(|distance| is_like(distance) || is_like(-distance))
}

/// The cosine between frequencies and the usual ones; 0 without letters.
fn likeness(letters: &Frequencies) -> f32 {
    let product = |a: &Frequencies, b: &Frequencies| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    product(letters, &USUAL) / (product(letters, letters) * product(&USUAL, &USUAL)).sqrt().max(f32::EPSILON)
}

/// True if a character belongs to a script that common Latin fonts do not have.
pub(super) fn is_distant(c: char) -> bool {
    matches!(c, '\u{700}'..='\u{DFF}' | '\u{E80}'..='\u{10FF}' | '\u{1200}'..='\u{1CFF}' | '\u{2C60}'..='\u{2FFF}'
        | '\u{3041}'..='\u{D7FF}' | '\u{F900}'..='\u{FAFF}')
}

/// True if a font, by its name, is one of the common Latin ones.
pub(super) fn is_latin_font(name: &str) -> bool {
    const LATIN: [&str; 14] = [
        "Times",
        "Helvetica",
        "Arial",
        "Courier",
        "Calibri",
        "Cambria",
        "Garamond",
        "Verdana",
        "Georgia",
        "Palatino",
        "Trebuchet",
        "Bookman",
        "Century",
        "Univers",
    ];
    // A subset has a tag of six letters.
    let name = name.split_once('+').map_or(name, |(_, name)| name);
    !name.contains("Unicode") && LATIN.iter().any(|latin| name.starts_with(latin))
}

#[cfg(test)]
mod tests {
    use casetrack_core::Rect;

    use super::super::line::QuarterTurn;

    use super::*;

    const MAPPED: Glyphs = Glyphs { unmapped: 0, misfits: 0, gaps: 0, wrong: 0 };

    fn lines(text: &str) -> Vec<Line> {
        let area = Rect { left: 0.0, top: 0.0, right: 1.0, bottom: 1.0 };
        text.lines()
            .map(|text| Line {
                text: text.into(),
                area,
                size: 10.0,
                first_word: 1.0,
                is_running: false,
                turn: QuarterTurn::NONE,
                hidden: Vec::new(),
                words: Vec::new(),
                row: None,
            })
            .collect()
    }

    const PLAIN: &str = "The tenant pays the rent on the first day of every month.\nThe landlord keeps the roof and the walls \
                         in good repair.\nBoth may end the lease.";

    #[test]
    fn letters_in_a_code_of_their_own_are_garbage() {
        assert!(!is_garbage(&lines(PLAIN), MAPPED));
        let shifted: String = PLAIN
            .chars()
            .map(|c| if c.is_ascii_lowercase() { ((c as u8 - b'a' + 22) % 26 + b'a') as char } else { c })
            .map(|c| if "aeiouy".contains(c) { 'x' } else { c })
            .collect();
        assert!(is_garbage(&lines(&shifted), MAPPED));
        assert!(!is_garbage(&lines("Договор аренды жилого помещения на срок не более одиннадцати месяцев"), MAPPED));
        let endless: String = PLAIN.chars().filter(|c| c.is_alphabetic()).collect();
        assert!(is_garbage(&lines(&endless), MAPPED));
        assert!(!is_garbage(
            &lines("Donaudampfschifffahrtsgesellschaftskapitän und andere lange Wörter, die es sonst nicht gibt"),
            MAPPED
        ));
        assert!(!is_garbage(&lines("Qty Ref GBP VAT 1,200.00 20 % 3,400.00"), MAPPED));
    }

    #[test]
    fn characters_without_a_meaning_are_garbage() {
        assert!(is_garbage(&lines(&"\u{E001}\u{E002}\u{E003} ".repeat(30)), MAPPED));
        assert!(is_garbage(&lines(PLAIN), Glyphs { unmapped: 100, ..MAPPED }));
        assert!(!is_garbage(&lines(PLAIN), Glyphs { unmapped: 20, ..MAPPED }));
        assert!(is_garbage(&lines(PLAIN), Glyphs { wrong: 1, ..MAPPED }));
    }

    #[test]
    fn ligatures_that_map_wrongly_are_garbage() {
        const LETTER: &str = "The office certifies the final certificate of the section, which is written in five copies.\nThe landlord refers \
                              to it.";
        let long = format!("{LETTER}\n{}", PLAIN.repeat(40));
        for (right, wrong) in
            [("ti", "Ɵ"), ("tt", "Ʃ"), ("ffi", "®"), ("fi", "\u{FFFD}"), ("fi", "\u{F001}"), ("fi", "Þ"), ("fi", "¤")]
        {
            assert!(is_garbage(&lines(&LETTER.replace(right, wrong)), MAPPED), "{wrong}");
        }
        // If nothing is left of them.
        assert!(is_garbage(&lines(LETTER), Glyphs { gaps: 1, ..MAPPED }));
        // One odd word in a page is an accident.
        assert!(!is_garbage(&lines(&long), Glyphs { gaps: 1, ..MAPPED }));
        for text in [
            LETTER,
            "Straße, naïve, l’État, rock’n’roll, either–or, e‑mail, so…so, m², a≤b, iPhone, Foo™, 5×7, pâte\u{301}s",
            "Œuvre complète, Łódź, ÅNGSTRÖM, ΔΕΗ και ΟΤΕ, «да», “quoted”word",
        ] {
            assert!(!is_garbage(&lines(text), MAPPED), "{text}");
        }
    }

    #[test]
    fn letters_moved_by_any_distance_are_garbage() {
        for distance in [-31, -29, -3, 1, 13, 29] {
            let shift = |c: char| match c.is_whitespace() {
                true => Some(c),
                false => char::from_u32((c as u32).wrapping_add_signed(distance)),
            };
            let moved: String = PLAIN.chars().filter_map(shift).collect();
            assert!(is_garbage(&lines(&moved), MAPPED), "{moved}");
        }
    }

    #[test]
    fn other_languages_and_tables_are_text() {
        for text in [
            "Wynajmujący oddaje najemcy lokal w używanie na czas oznaczony, a najemca zobowiązuje się płacić umówiony czynsz co \
             miesiąc, do dziesiątego dnia każdego miesiąca, z góry, na konto wynajmującego",
            "Vuokralainen maksaa vuokran kuukauden viidenteen päivään mennessä vuokranantajan ilmoittamalle tilille, ja vuokra \
             tarkistetaan vuosittain elinkustannusindeksin mukaan",
            "Kiracı, kira bedelini her ayın beşinci günü kiraya verenin banka hesabına yatırmayı kabul eder; kira bedeli her yıl \
             tüketici fiyat endeksine göre artırılır",
            "Bên thuê trả tiền thuê nhà vào ngày đầu tiên của mỗi tháng cho bên cho thuê bằng chuyển khoản, và giá thuê được điều \
             chỉnh hàng năm theo thỏa thuận của hai bên",
            "A1 X9 QZ-77 KW 12.5 GBP 4,200 ZX81 QX PTFE VAT NW10 SKU ZZ-9 HWQ 8810 QWX 7 JKL 55 MNB 91 TGB 3 RFV 2 YHN 17 UJM 5 IK 8",
        ] {
            assert!(!is_garbage(&lines(text), MAPPED), "{text}");
        }
    }

    #[test]
    fn scripts_that_a_word_or_a_font_cannot_have_are_garbage() {
        let mixed: String = PLAIN
            .chars()
            .map(|c| {
                if c == 'e' {
                    'ж'
                } else if c == 't' {
                    'θ'
                } else {
                    c
                }
            })
            .collect();
        assert!(is_garbage(&lines(&format!("{mixed}\n{mixed}")), MAPPED));
        assert!(!is_garbage(
            &lines("The Greek letter λ and the word Договор stand in a text that is otherwise English"),
            MAPPED
        ));
        assert!(is_garbage(&lines(&"ꀀꀁꀂ ".repeat(30)), Glyphs { misfits: 90, ..MAPPED }));
        assert!(is_distant('ꀀ') && is_distant('漢') && !is_distant('é') && !is_distant('ж') && !is_distant('ไ'));
        assert!(
            is_latin_font("ABCDEF+TimesNewRomanPSMT") && !is_latin_font("ArialUnicodeMS") && !is_latin_font("SimSun")
        );
    }
}
