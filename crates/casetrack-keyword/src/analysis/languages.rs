//! The languages whose words become terms by rules of their own: endings are those of the language (Snowball's
//! stemmers), and text that has no spaces between words gives pairs of characters.
//!
//! The rules are chosen by the language of a document. Its terms begin with a mark of the rules, so that those of one language are never
//! taken for those of another: "notes" has the stem "not" in German. Terms of English, and of languages without rules, have no mark.

use std::collections::HashSet;
use std::sync::LazyLock;

use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, PreTokenizedString, RemoveLongFilter, Stemmer, StopWordFilter,
    TextAnalyzer, Token,
};

use super::{MAX_TERM_BYTES, Words, analyzer, stands_alone};

/// Ends the mark of a term. It is in no word.
const MARK_END: char = '\u{1f}';

/// The rules by which the words of a document become terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Analysis {
    /// English, and every language without rules of its own.
    Usual,
    Stemmed(Language),
    /// Characters, and pairs of neighbouring ones.
    Pairs,
}

/// Primary tags (ISO 639) and the mark of their terms: languages of one mark find each other.
const LANGUAGES: [(&str, &str, Analysis); 23] = [
    ("ar", "ar", Analysis::Stemmed(Language::Arabic)),
    ("da", "da", Analysis::Stemmed(Language::Danish)),
    ("de", "de", Analysis::Stemmed(Language::German)),
    ("el", "el", Analysis::Stemmed(Language::Greek)),
    ("es", "es", Analysis::Stemmed(Language::Spanish)),
    ("fi", "fi", Analysis::Stemmed(Language::Finnish)),
    ("fr", "fr", Analysis::Stemmed(Language::French)),
    ("hu", "hu", Analysis::Stemmed(Language::Hungarian)),
    ("it", "it", Analysis::Stemmed(Language::Italian)),
    ("ja", "pairs", Analysis::Pairs),
    ("ko", "pairs", Analysis::Pairs),
    ("nb", "no", Analysis::Stemmed(Language::Norwegian)),
    ("nl", "nl", Analysis::Stemmed(Language::Dutch)),
    ("nn", "no", Analysis::Stemmed(Language::Norwegian)),
    ("no", "no", Analysis::Stemmed(Language::Norwegian)),
    ("pt", "pt", Analysis::Stemmed(Language::Portuguese)),
    ("ro", "ro", Analysis::Stemmed(Language::Romanian)),
    ("ru", "ru", Analysis::Stemmed(Language::Russian)),
    ("sv", "sv", Analysis::Stemmed(Language::Swedish)),
    ("ta", "ta", Analysis::Stemmed(Language::Tamil)),
    ("th", "pairs", Analysis::Pairs),
    ("tr", "tr", Analysis::Stemmed(Language::Turkish)),
    ("zh", "pairs", Analysis::Pairs),
];

/// Lists of words that sentences are made of, by the rules they belong to. English has a short one, which serves to
/// recognise the language of a query.
static STOP_WORDS: LazyLock<Vec<(Analysis, StopWordFilter)>> = LazyLock::new(|| {
    let of = |analysis, language| Some((analysis, StopWordFilter::new(language)?));
    let own = LANGUAGES.iter().filter_map(|(.., analysis)| match analysis {
        Analysis::Stemmed(language) => of(*analysis, *language),
        _ => None,
    });
    of(Analysis::Usual, Language::English).into_iter().chain(own).collect()
});

impl Analysis {
    /// The rules for a document with this BCP 47 tag.
    pub fn of(tag: Option<&str>) -> Self {
        let primary = tag.and_then(|tag| tag.split(['-', '_']).next()).unwrap_or_default();
        let known = LANGUAGES.iter().find(|(tag, ..)| tag.eq_ignore_ascii_case(primary));
        known.map_or(Self::Usual, |(.., analysis)| *analysis)
    }

    /// The rules with this mark.
    pub fn with_mark(mark: &str) -> Option<Self> {
        LANGUAGES.iter().find(|(_, known, _)| *known == mark).map(|(.., analysis)| *analysis)
    }

    /// The mark that the terms begin with; `None` for the usual rules.
    pub fn mark(self) -> Option<&'static str> {
        LANGUAGES.iter().find(|(.., analysis)| *analysis == self).map(|(_, mark, _)| *mark)
    }

    /// A term of the index, of one without its mark.
    pub fn marked(self, term: &str) -> String {
        self.mark().map_or_else(|| term.to_owned(), |mark| format!("{mark}{MARK_END}{term}"))
    }

    /// The ways in which a word becomes a term, the best first. The second one is for words that were written without
    /// their accents: the endings of "résiliée" are known by them. Each gives the same words at the same positions.
    pub fn forms(self) -> Vec<Form> {
        let words = || TextAnalyzer::builder(Words { marks: true }).filter(RemoveLongFilter::limit(MAX_TERM_BYTES + 1));
        let analyzers = match self {
            Self::Usual => vec![analyzer()],
            Self::Stemmed(language) => {
                let accented = words().filter(LowerCaser).filter(Stemmer::new(language)).filter(AsciiFoldingFilter);
                let plain = words().filter(LowerCaser).filter(AsciiFoldingFilter).filter(Stemmer::new(language));
                vec![accented.build(), plain.build()]
            }
            Self::Pairs => {
                let words = words().filter(LowerCaser).filter(AsciiFoldingFilter);
                vec![words.filter(Stemmer::new(Language::English)).build()]
            }
        };
        analyzers.into_iter().map(|analyzer| Form { analyzer, analysis: self }).collect()
    }

    /// The terms of a query, without marks. A word that stands for several has them at the same place, the whole first.
    pub fn query_terms(self, query: &str) -> Vec<Token> {
        let mut terms = Vec::new();
        if let Some(form) = self.forms().first_mut() {
            form.analyzer.token_stream(query).process(&mut |token| terms.push(token.clone()));
        }
        if self == Self::Pairs { with_pairs(terms, query) } else { terms }
    }

    /// The beginnings of stop words of the language in a query, in bytes.
    pub fn stop_words(self, query: &str) -> HashSet<usize> {
        let Some((_, filter)) = STOP_WORDS.iter().find(|(analysis, _)| *analysis == self) else {
            return HashSet::new();
        };
        let mut starts = HashSet::new();
        let words = || TextAnalyzer::builder(Words { marks: self != Self::Usual }).filter(LowerCaser);
        words().build().token_stream(query).process(&mut |token| {
            starts.insert(token.offset_from);
        });
        words().filter(filter.clone()).build().token_stream(query).process(&mut |token| {
            starts.remove(&token.offset_from);
        });
        starts
    }

    /// Returns the analyzers of a document's fields.
    pub fn indexer(self) -> Indexer {
        let words = TextAnalyzer::builder(Words { marks: true }).filter(RemoveLongFilter::limit(MAX_TERM_BYTES + 1));
        let written = words.filter(LowerCaser).filter(AsciiFoldingFilter).build();
        Indexer { analysis: self, forms: self.forms(), written }
    }
}

/// The mark of the language with this BCP 47 tag, if its words have rules of their own.
pub fn language_mark(tag: Option<&str>) -> Option<&'static str> {
    Analysis::of(tag).mark()
}

pub struct Form {
    analyzer: TextAnalyzer,
    analysis: Analysis,
}

impl Form {
    /// The terms of a text as they are in the index.
    pub fn terms(&mut self, text: &str) -> Vec<Token> {
        let mut tokens = Vec::new();
        self.analyzer.token_stream(text).process(&mut |token| {
            tokens.push(Token { text: self.analysis.marked(&token.text), ..token.clone() });
        });
        tokens
    }

    /// The analyzer; its terms have no marks.
    pub fn into_analyzer(self) -> TextAnalyzer {
        self.analyzer
    }
}

pub struct Indexer {
    analysis: Analysis,
    forms: Vec<Form>,
    written: TextAnalyzer,
}

impl Indexer {
    /// Each word as its terms, at one position: one for each form in which it differs, and pairs.
    pub fn terms(&mut self, text: &str) -> PreTokenizedString {
        let mut tokens = Vec::new();
        if let Some((first, others)) = self.forms.split_first_mut() {
            let best = first.terms(text);
            let others: Vec<Vec<Token>> = others.iter_mut().map(|form| form.terms(text)).collect();
            for (n, token) in best.into_iter().enumerate() {
                let differing = others.iter().filter_map(|form| form.get(n)).filter(|other| other.text != token.text);
                let differing: Vec<Token> = differing.cloned().collect();
                tokens.push(token);
                tokens.extend(differing);
            }
        }
        if self.analysis == Analysis::Pairs {
            tokens = with_pairs(tokens, text);
            for token in &mut tokens {
                if !token.text.contains(MARK_END) {
                    token.text = self.analysis.marked(&token.text);
                }
            }
        }
        PreTokenizedString { text: String::new(), tokens }
    }

    /// The words as they are written, except for case and accents, at the positions of their terms. They have no marks.
    pub fn written(&mut self, text: &str) -> PreTokenizedString {
        let mut tokens = Vec::new();
        self.written.token_stream(text).process(&mut |token| tokens.push(token.clone()));
        PreTokenizedString { text: String::new(), tokens }
    }
}

/// Characters that are terms of their own, with a pair after each that has a neighbour.
fn with_pairs(tokens: Vec<Token>, text: &str) -> Vec<Token> {
    let alone = |token: &Token| {
        text.get(token.offset_from..token.offset_to)
            .and_then(|written| written.chars().next())
            .is_some_and(|c| stands_alone(c, true))
    };
    let mut found = Vec::with_capacity(2 * tokens.len());
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let next = tokens.peek().filter(|next| token.offset_to == next.offset_from && alone(&token) && alone(next));
        let pair = next.and_then(|next| {
            let text = text.get(token.offset_from..next.offset_to)?.to_owned();
            Some(Token { text, offset_to: next.offset_to, ..token.clone() })
        });
        found.push(token);
        found.extend(pair);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(tag: &str, query: &str) -> Vec<String> {
        Analysis::of(Some(tag)).query_terms(query).into_iter().map(|token| token.text).collect()
    }

    fn indexed(tag: &str, text: &str) -> Vec<(usize, String)> {
        let tokens = Analysis::of(Some(tag)).indexer().terms(text).tokens;
        tokens.into_iter().map(|token| (token.position, token.text.replace(MARK_END, "|"))).collect()
    }

    #[test]
    fn endings_are_those_of_the_language() {
        assert_eq!(stems("de-AT", "Kündigungen der Verträge"), ["kundig", "der", "vertrag"]);
        assert_eq!(stems("fr", "les résiliations"), ["le", "resili"]);
        assert_eq!(stems("ru", "договоры договора"), ["договор", "договор"]);
        assert_eq!(stems("en-GB", "agreements"), stems("xx", "agreements"));
        assert_eq!(Analysis::of(Some("en")), Analysis::Usual);
        assert_eq!(Analysis::of(None), Analysis::Usual);
    }

    #[test]
    fn words_without_their_accents_find_those_with_them_and_the_other_way_round() {
        let has = |text: &str, query: &str| {
            let mut forms = Analysis::of(Some("fr")).forms();
            let terms = indexed("fr", text);
            forms.iter_mut().any(|form| {
                form.terms(query)
                    .iter()
                    .all(|token| terms.iter().any(|(_, term)| *term == token.text.replace(MARK_END, "|")))
            })
        };
        for (text, query) in [
            ("La vente est résiliée", "résiliée"),
            ("La vente est résiliée", "resiliee"),
            ("LA VENTE EST RESILIEE", "résiliée"),
            ("de\u{301}pos", "dépos"),
        ] {
            assert!(has(text, query), "{text}: {query} {:?}", indexed("fr", text));
        }
        assert!(!has("La vente est résiliée", "résidence"));
    }

    #[test]
    fn text_without_spaces_gives_characters_and_pairs() {
        let expected = [(0, "pairs|合"), (0, "pairs|合同"), (1, "pairs|同"), (2, "pairs|v2")];
        assert_eq!(indexed("zh", "合同 v2"), expected.map(|(at, term)| (at, term.to_owned())));
        // Marks above and below belong to their letters.
        assert_eq!(stems("th", "ที่ดิน"), ["ที่", "ที่ดิ", "ดิ", "ดิน", "น"]);
        assert_eq!(stems("ja", "契約の解除")[..3], ["契", "契約", "約"]);
        assert_eq!(stems("ko", "계약을"), ["계", "계약", "약", "약을", "을"]);
    }

    #[test]
    fn words_as_written_have_the_positions_of_their_terms() {
        for (tag, text) in [("de", "Die Bürgen nach § 765(a) BGB-2024"), ("th", "ที่ดิน 4.2(b)"), ("ta", "ஒப்பந்தம் தமிழ்")]
        {
            let mut indexer = Analysis::of(Some(tag)).indexer();
            let places = |text: PreTokenizedString| -> HashSet<(usize, usize)> {
                text.tokens.into_iter().map(|token| (token.position, token.offset_from)).collect()
            };
            assert_eq!(places(indexer.terms(text)), places(indexer.written(text)), "{tag}");
        }
        assert_eq!(stems("ta", "தமிழ்").len(), 1);
    }

    #[test]
    fn stop_words_are_known_by_their_places() {
        let german = Analysis::of(Some("de"));
        assert_eq!(german.stop_words("Wann ist die Frist um?"), HashSet::from([5, 9, 19]));
        assert!(Analysis::Pairs.stop_words("the 的").is_empty());
    }

    #[test]
    fn every_mark_leads_back_to_its_rules() {
        for (tag, mark, analysis) in LANGUAGES {
            assert_eq!(Analysis::with_mark(mark), Some(analysis), "{tag}");
            assert_eq!(Analysis::of(Some(tag)).mark(), Some(mark));
        }
        assert_eq!((Analysis::Usual.mark(), Analysis::Usual.marked("term")), (None, "term".to_owned()));
    }
}
