//! The languages whose words become terms by rules of their own: endings are those of the language (Snowball's
//! stemmers), and text that has no spaces between words gives pairs of characters.
//!
//! The rules are chosen by the language of a document. Its terms begin with a mark of the rules, so that those of one language are never
//! taken for those of another: "notes" has the stem "not" in German. Terms of English, and of languages without rules, have no mark.

use std::collections::HashSet;
use std::sync::LazyLock;

use casetrack_core::same_text::{Plain, with_umlauts_spelt_out};
use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, PreTokenizedString, RemoveLongFilter, Stemmer, StopWordFilter,
    TextAnalyzer, Token,
};

use crate::compounds;

use super::{MAX_TERM_BYTES, Spelling, Words, folded, stands_alone, usual};

/// Ends the mark of a term. It is in no word.
const MARK_END: char = '\u{1f}';
/// Begins the term of a part of a compound, so that it is no word of its own: a search for words that must be there does not find it.
const PART: char = '+';

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

    /// The ways in which a word becomes a term, the best first: in each, words as they are written, and in other spellings.
    pub fn forms(self) -> Vec<Form> {
        let of = |spelling| {
            let analyzers = self.analyzers(spelling).into_iter();
            analyzers.map(move |analyzer| Form { analyzer, analysis: self, spelling })
        };
        Spelling::OF_QUERIES.into_iter().flat_map(of).collect()
    }

    /// The second one is for words that were written without their accents: the endings of "résiliée" are known by them. Each gives the same
    /// words at the same positions.
    fn analyzers(self, spelling: Spelling) -> Vec<TextAnalyzer> {
        let words = || {
            TextAnalyzer::builder(Words { marks: true, spelling }).filter(RemoveLongFilter::limit(MAX_TERM_BYTES + 1))
        };
        match self {
            Self::Usual => vec![usual(spelling)],
            Self::Stemmed(language) => {
                let accented = words().filter(LowerCaser).filter(Stemmer::new(language)).filter(AsciiFoldingFilter);
                let plain = words().filter(LowerCaser).filter(AsciiFoldingFilter).filter(Stemmer::new(language));
                vec![accented.build(), plain.build()]
            }
            Self::Pairs => {
                let words = words().filter(LowerCaser).filter(AsciiFoldingFilter);
                vec![words.filter(Stemmer::new(Language::English)).build()]
            }
        }
    }

    /// The terms of a query, without marks. A word that stands for several has them at the same place, the whole first.
    pub fn query_terms(self, query: &str) -> Vec<Token> {
        let mut terms = Vec::new();
        if let Some(form) = self.forms().first_mut() {
            form.analyzer.token_stream(query).process(&mut |token| terms.push(token.clone()));
        }
        if self == Self::Pairs { with_pairs(terms) } else { terms }
    }

    /// The terms of the words of a query that may be spelt otherwise, in that spelling, without marks.
    pub fn spelt_out_terms(self, query: &str) -> Vec<Token> {
        let mut forms = self.forms().into_iter().filter(|form| form.spelling == Spelling::SpeltOut);
        let Some(mut form) = forms.next().filter(|form| form.differs(query)) else { return Vec::new() };
        let mut written = Vec::new();
        if let Some(usual) = self.forms().first_mut() {
            usual.analyzer.token_stream(query).process(&mut |token| written.push(token.text.clone()));
        }
        let mut terms = Vec::new();
        let mut at = 0;
        form.analyzer.token_stream(query).process(&mut |token| {
            if written.get(at) != Some(&token.text) {
                terms.push(token.clone());
            }
            at += 1;
        });
        terms
    }

    /// True if compounds of the language are divided.
    pub fn divides_compounds(self) -> bool {
        self == Self::Stemmed(Language::German)
    }

    /// The term of the index for a term, without its mark, as a part of compounds.
    pub fn part_term(self, term: &str) -> String {
        self.marked(&format!("{PART}{term}"))
    }

    /// The parts of the compounds of a query as terms without marks, with their places.
    pub fn parts(self, query: &str) -> Vec<Token> {
        let Some(mut divider) = self.divider() else { return Vec::new() };
        let mut words = Vec::new();
        self.exact(Spelling::Written).token_stream(query).process(&mut |token| words.push(token.clone()));
        let parts = words.iter().flat_map(|word| {
            let of_word = divider.parts(&word.text).into_iter().enumerate();
            // Each has a place of its own, since it is another word.
            let placed = of_word.map(|(n, text)| Token { offset_to: word.offset_from + n, text, ..word.clone() });
            placed.collect::<Vec<_>>()
        });
        parts.collect()
    }

    pub(crate) fn divider(self) -> Option<Divider> {
        let stems = self.analyzers(Spelling::Written).pop().filter(|_| self.divides_compounds())?;
        Some(Divider { stems })
    }

    /// The analyzer of words as they are written, except for case and accents.
    fn exact(self, spelling: Spelling) -> TextAnalyzer {
        let words = TextAnalyzer::builder(Words { marks: self != Self::Usual, spelling });
        words.filter(RemoveLongFilter::limit(MAX_TERM_BYTES + 1)).filter(LowerCaser).filter(AsciiFoldingFilter).build()
    }

    /// The beginnings of stop words of the language in a query, in bytes.
    pub fn stop_words(self, query: &str) -> HashSet<usize> {
        let Some((_, filter)) = STOP_WORDS.iter().find(|(analysis, _)| *analysis == self) else {
            return HashSet::new();
        };
        let mut starts = HashSet::new();
        let words = || {
            TextAnalyzer::builder(Words { marks: self != Self::Usual, spelling: Spelling::Written }).filter(LowerCaser)
        };
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
        let of = |analyzer| Form { analyzer, analysis: self, spelling: Spelling::All };
        Indexer {
            analysis: self,
            forms: self.analyzers(Spelling::All).into_iter().map(of).collect(),
            written: self.exact(Spelling::All),
            divider: self.divider(),
        }
    }
}

/// Divides compounds into the terms of their parts.
pub(crate) struct Divider {
    stems: TextAnalyzer,
}

impl Divider {
    /// The distinct terms of the parts of a word in small letters without accents; none if it is not a compound.
    pub fn parts(&mut self, word: &str) -> Vec<String> {
        let mut terms: Vec<String> = Vec::new();
        for part in compounds::parts(word) {
            self.stems.token_stream(&word[part]).process(&mut |token| {
                if !terms.contains(&token.text) {
                    terms.push(token.text.clone());
                }
            });
        }
        terms
    }
}

/// The mark of the language with this BCP 47 tag, if its words have rules of their own.
pub fn language_mark(tag: Option<&str>) -> Option<&'static str> {
    Analysis::of(tag).mark()
}

pub struct Form {
    analyzer: TextAnalyzer,
    analysis: Analysis,
    spelling: Spelling,
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

    /// True if a text may have terms in this form that it does not have in the usual one.
    pub fn differs(&self, text: &str) -> bool {
        self.spelling.differs(text)
    }

    /// A piece of a word without case and accents, in the spelling of this form.
    pub fn folded(&self, piece: &str) -> String {
        match self.spelling {
            Spelling::SpeltOut => {
                let plain = Plain::of(piece);
                folded(&with_umlauts_spelt_out(plain.text()).unwrap_or_else(|| piece.to_owned()))
            }
            _ => folded(piece),
        }
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
    divider: Option<Divider>,
}

impl Indexer {
    /// Each word as its terms, at one position: one for each form in which it differs, pairs, and parts of compounds.
    pub fn terms(&mut self, text: &str) -> PreTokenizedString {
        let mut tokens = Vec::new();
        if let Some((first, others)) = self.forms.split_first_mut() {
            let best = first.terms(text);
            let others: Vec<Vec<Token>> = others.iter_mut().map(|form| form.terms(text)).collect();
            let mut written = Vec::new();
            if self.divider.is_some() {
                self.written.token_stream(text).process(&mut |token| written.push(token.text.clone()));
            }
            for (n, token) in best.into_iter().enumerate() {
                let differing = others.iter().filter_map(|form| form.get(n)).filter(|other| other.text != token.text);
                let differing: Vec<Token> = differing.cloned().collect();
                let parts = self.divider.as_mut().zip(written.get(n)).map(|(divider, word)| divider.parts(word));
                let parts = parts.into_iter().flatten();
                let parts: Vec<Token> =
                    parts.map(|part| Token { text: self.analysis.part_term(&part), ..token.clone() }).collect();
                for token in std::iter::once(token).chain(differing).chain(parts) {
                    // Spellings of one word may have one stem.
                    let here = tokens.iter().rev().take_while(|known: &&Token| known.position == token.position);
                    let is_known = here.into_iter().any(|known| *known == token);
                    if !is_known {
                        tokens.push(token);
                    }
                }
            }
        }
        if self.analysis == Analysis::Pairs {
            tokens = with_pairs(tokens);
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

/// Single characters, with a pair after each that has a neighbour.
fn with_pairs(tokens: Vec<Token>) -> Vec<Token> {
    let alone = |token: &Token| {
        token.text.rsplit(MARK_END).next().and_then(|term| term.chars().next()).is_some_and(|c| stands_alone(c, true))
    };
    let mut found = Vec::with_capacity(2 * tokens.len());
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let next = tokens.peek().filter(|next| token.offset_to == next.offset_from && alone(&token) && alone(next));
        let unmarked = |token: &Token| token.text.rsplit(MARK_END).next().unwrap_or_default().to_owned();
        let pair = next.map(|next| {
            let text = unmarked(&token) + &unmarked(next);
            Token { text, offset_to: next.offset_to, ..token.clone() }
        });
        found.push(token);
        found.extend(pair);
    }
    found
}

#[cfg(test)]
mod tests;
