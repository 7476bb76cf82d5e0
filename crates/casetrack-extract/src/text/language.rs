//! The language of a text, for files that do not state it.

use casetrack_core::Page;

/// A sample says as much as a whole book.
const MAX_CHARS: usize = 20_000;
/// A shorter text is a guess, whatever the detector thinks of it.
const MIN_LETTERS: usize = 100;

/// The codes of ISO 639-3 that the detector gives, with the shorter ones that BCP 47 asks for.
const TAGS: &str = "\
    afr:af aka:ak amh:am ara:ar aze:az bel:be ben:bn bul:bg cat:ca ces:cs cmn:zh cym:cy dan:da deu:de ell:el eng:en epo:eo \
    est:et fin:fi fra:fr guj:gu heb:he hin:hi hrv:hr hun:hu hye:hy ind:id ita:it jav:jv jpn:ja kan:kn kat:ka khm:km kor:ko \
    lat:la lav:lv lit:lt mal:ml mar:mr mkd:mk mya:my nep:ne nld:nl nob:nb ori:or pan:pa pes:fa pol:pl por:pt ron:ro rus:ru \
    sin:si slk:sk slv:sl sna:sn spa:es srp:sr swe:sv tam:ta tel:te tgl:tl tha:th tuk:tk tur:tr ukr:uk urd:ur uzb:uz vie:vi \
    yid:yi zul:zu";

/// The tag of the language that the first pages are written in; `None` where that is not certain.
pub(crate) fn detected(pages: &[Page]) -> Option<String> {
    let text: String = pages.iter().flat_map(|page| page.text.chars().chain(['\n'])).take(MAX_CHARS).collect();
    text.chars().filter(|c| c.is_alphabetic()).nth(MIN_LETTERS - 1)?;
    let found = whatlang::detect(&text)?;
    found.is_reliable().then(|| tag(found.lang().code()).to_owned())
}

fn tag(code: &str) -> &str {
    TAGS.split(' ').filter_map(|pair| pair.split_once(':')).find(|(long, _)| *long == code).map_or(code, |(_, tag)| tag)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::ExtractOptions;

    fn language_of(text: &str) -> Option<String> {
        let options = ExtractOptions::default();
        crate::extract(Path::new("a.txt"), text.as_bytes(), &options).unwrap().properties.language
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
    fn every_language_of_the_detector_has_a_short_tag() {
        for language in whatlang::Lang::all() {
            assert_eq!(tag(language.code()).len(), 2, "{language:?}");
        }
    }
}
