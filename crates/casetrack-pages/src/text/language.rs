//! The language of a text, for files that state none or only their template's.

use casetrack_core::Page;

/// A sample shows as much as a whole book.
const MAX_CHARS: usize = 20_000;
/// A shorter text is a guess, regardless of the detector's confidence.
const MIN_LETTERS: usize = 100;
/// A letter of a script that few languages are written in weighs as much as this many others.
const TELLING_LETTER: usize = 5;

/// The codes of ISO 639-3 that the detector gives, with the shorter ones that BCP 47 asks for.
const TAGS: &str = "\
    afr:af aka:ak amh:am ara:ar aze:az bel:be ben:bn bul:bg cat:ca ces:cs cmn:zh cym:cy dan:da deu:de ell:el eng:en epo:eo \
    est:et fin:fi fra:fr guj:gu heb:he hin:hi hrv:hr hun:hu hye:hy ind:id ita:it jav:jv jpn:ja kan:kn kat:ka khm:km kor:ko \
    lat:la lav:lv lit:lt mal:ml mar:mr mkd:mk mya:my nep:ne nld:nl nob:nb ori:or pan:pa pes:fa pol:pl por:pt ron:ro rus:ru \
    sin:si slk:sk slv:sl sna:sn spa:es srp:sr swe:sv tam:ta tel:te tgl:tl tha:th tuk:tk tur:tr ukr:uk urd:ur uzb:uz vie:vi \
    yid:yi zul:zu";

/// The tag of the language of pages whose file states one, or none. The text wins if it is certainly in another
/// language that the detector supports: templates state the language of their makers.
pub fn of(stated: Option<String>, pages: &[Page]) -> Option<String> {
    let Some(stated) = stated else { return detected(pages) };
    let primary = stated.split('-').next().unwrap_or_default().to_ascii_lowercase();
    // Norwegian has two tags of its own and a common one.
    let primary = if matches!(primary.as_str(), "no" | "nn") { "nb" } else { primary.as_str() };
    let is_known =
        TAGS.split(' ').filter_map(|pair| pair.split_once(':')).any(|(long, tag)| [long, tag].contains(&primary));
    match detected(pages) {
        Some(found) if is_known && found != tag(primary) && differs(primary, &found) => Some(found),
        _ => Some(stated),
    }
}

/// True if two languages are never taken for each other.
fn differs(one: &str, other: &str) -> bool {
    const ALIKE: [&[&str]; 6] = [
        &["nb", "da", "sv"],
        &["hr", "sr", "sl"],
        &["cs", "sk"],
        &["pt", "es", "ca"],
        &["be", "uk", "ru", "bg", "mk"],
        &["zh", "ja"],
    ];
    !ALIKE.iter().any(|alike| alike.contains(&one) && alike.contains(&other))
}

/// The tag of the language that the first pages are written in; `None` if that is not certain.
pub fn detected(pages: &[Page]) -> Option<String> {
    let text: String = pages.iter().flat_map(|page| page.text.chars().chain(['\n'])).take(MAX_CHARS).collect();
    code(&text).map(|code| tag(code).to_owned())
}

/// The code (ISO 639-3) of the language that a text is written in; `None` if that is not certain.
pub fn code(text: &str) -> Option<&'static str> {
    let says = |c: char| if is_telling(c) { TELLING_LETTER } else { usize::from(c.is_alphabetic()) };
    if text.chars().map(says).sum::<usize>() < MIN_LETTERS {
        return None;
    }
    let found = whatlang::detect(text)?;
    found.is_reliable().then(|| found.lang().code())
}

/// The English name of the language with a code that [`code`] gives.
pub fn name(code: &'static str) -> &'static str {
    whatlang::Lang::from_code(code).map_or(code, |language| language.eng_name())
}

/// Letters of Chinese, Japanese, Korean and Thai.
fn is_telling(c: char) -> bool {
    matches!(u32::from(c), 0x0e01..=0x0e2e | 0x3040..=0x30ff | 0x3400..=0x9fff | 0xac00..=0xd7af)
}

fn tag(code: &str) -> &str {
    TAGS.split(' ').filter_map(|pair| pair.split_once(':')).find(|(long, _)| *long == code).map_or(code, |(_, tag)| tag)
}

/// The English name of the language of a BCP 47 tag; the tag if it is not known.
pub fn language_name(of: &str) -> &str {
    let primary = of.split('-').next().unwrap_or(of);
    let mut pairs = TAGS.split(' ').filter_map(|pair| pair.split_once(':'));
    pairs.find(|(long, tag)| [*long, *tag].contains(&primary)).map_or(of, |(code, _)| name(code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::page_of;

    fn language_of(text: &str) -> Option<String> {
        of(None, &[page_of(1, text)])
    }

    #[test]
    fn a_text_tells_its_language_if_it_is_long_enough() {
        let english = "This agreement is made between the landlord and the tenant of the land, and it lasts for three years \
                       from the day on which both of them have signed it. The rent is due on the first day of each month.";
        let german = "Dieser Vertrag wird zwischen dem Vermieter und dem Mieter geschlossen und gilt drei Jahre ab dem Tag, \
                      an dem beide ihn unterschrieben haben. Die Miete ist am ersten Tag jedes Monats zu zahlen.";
        assert_eq!(language_of(english).as_deref(), Some("en"));
        assert_eq!(language_of(german).as_deref(), Some("de"));
        assert_eq!(language_of("This agreement is made between the landlord and the tenant."), None);
        assert_eq!(language_of(&"1,234.50 EUR\n".repeat(20)), None);
    }

    #[test]
    fn short_texts_in_a_telling_script_are_known() {
        assert_eq!(language_of("本合同自双方签字之日起生效，有效期为三年，到期自动终止。").as_deref(), Some("zh"));
        assert_eq!(language_of("この契約は署名の日から三年間有効とし、その後は更新される。").as_deref(), Some("ja"));
        assert_eq!(language_of("이 계약은 양 당사자가 서명한 날부터 삼 년간 유효하다.").as_deref(), Some("ko"));
        assert_eq!(language_of("สัญญานี้มีผลใช้บังคับเป็นเวลาสามปีนับจากวันที่ลงนาม").as_deref(), Some("th"));
        assert_eq!(language_of("合同 v2").as_deref(), None);
    }

    #[test]
    fn the_text_is_believed_where_it_is_certainly_in_another_language() {
        let german = "Dieser Vertrag wird zwischen dem Vermieter und dem Mieter geschlossen und gilt drei Jahre ab dem Tag, \
                      an dem beide ihn unterschrieben haben. Die Miete ist am ersten Tag jedes Monats zu zahlen.";
        let stated = |tag: &str, text: &str| of(Some(tag.to_owned()), &[page_of(1, text)]).unwrap();
        assert_eq!(stated("en-US", german), "de");
        assert_eq!(stated("de-AT", german), "de-AT");
        assert_eq!(stated("gl", german), "gl", "the detector does not know it");
        assert_eq!(stated("en-US", "Vertrag"), "en-US");
    }

    #[test]
    fn every_language_of_the_detector_has_a_short_tag() {
        for language in whatlang::Lang::all() {
            assert_eq!(tag(language.code()).len(), 2, "{language:?}");
            assert_eq!(language_name(tag(language.code())), language.eng_name());
        }
        assert_eq!((language_name("de-AT"), language_name("gl")), ("German", "gl"));
    }
}
