//! Queries of the text index.

use super::tokens::Tokenizer;

/// A query, taken apart. A phrase is the words that follow each other.
///
/// Written are plain words, `+required`, `-excluded`, `"phrases"`, `+"required phrases"` and `-"excluded phrases"`. A sign with several
/// words (`+rate-limit`) means the phrase. A quotation mark that is not closed means nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// Any of these, if nothing is required.
    pub terms: Vec<String>,
    pub must: Vec<String>,
    pub must_not: Vec<Vec<String>>,
    pub phrases: Vec<Vec<String>>,
}

impl Query {
    pub fn parse(text: &str, tokenizer: Tokenizer) -> Self {
        let mut query = Self::default();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (sign, unsigned) = sign(rest);
            let (part, is_phrase, after) = quoted(unsigned).unwrap_or_else(|| {
                let end = unsigned.find(char::is_whitespace).unwrap_or(unsigned.len());
                (&unsigned[..end], false, &unsigned[end..])
            });
            query.add(sign, is_phrase, part, tokenizer);
            rest = after.trim_start();
        }
        query
    }

    fn add(&mut self, sign: Option<char>, is_phrase: bool, part: &str, tokenizer: Tokenizer) {
        let mut words: Vec<String> = tokenizer.words(part).map(|word| word.text.into_owned()).collect();
        match sign {
            None if !is_phrase => {
                words.retain(|word| tokenizer.is_token(word));
                words.into_iter().for_each(|word| push(&mut self.terms, word));
            }
            _ if words.is_empty() => {}
            Some('-') => push(&mut self.must_not, words),
            Some(_) if words.len() == 1 => words.into_iter().for_each(|word| push(&mut self.must, word)),
            _ => push(&mut self.phrases, words),
        }
    }

    /// The words and phrases that must be there.
    pub fn required(&self) -> Vec<Vec<String>> {
        let mut required = Vec::new();
        self.must.iter().for_each(|word| push(&mut required, vec![word.clone()]));
        self.phrases.iter().for_each(|phrase| push(&mut required, phrase.clone()));
        required
    }

    /// All terms that rank documents, each once: the required ones first.
    pub fn sought(&self) -> Vec<Vec<String>> {
        let mut sought = self.required();
        self.terms.iter().for_each(|word| push(&mut sought, vec![word.clone()]));
        sought
    }
}

/// The sign before a word or a quotation mark, and the text after the sign.
fn sign(text: &str) -> (Option<char>, &str) {
    let mut chars = text.chars();
    match chars.next() {
        Some(sign @ ('+' | '-')) if chars.next().is_some_and(|c| c.is_alphanumeric() || closing(c).is_some()) => {
            (Some(sign), &text[1..])
        }
        _ => (None, text),
    }
}

/// The text between quotation marks at the beginning of a text, true for a phrase, and the text that follows.
fn quoted(text: &str) -> Option<(&str, bool, &str)> {
    let open = text.chars().next()?;
    let closing = closing(open)?;
    let inside = &text[open.len_utf8()..];
    let (end, close) = inside.char_indices().find(|(_, c)| closing.contains(*c))?;
    Some((&inside[..end], true, &inside[end + close.len_utf8()..]))
}

fn closing(open: char) -> Option<&'static str> {
    match open {
        '"' => Some("\""),
        '“' => Some("”“"),
        '„' => Some("“”"),
        _ => None,
    }
}

fn push<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Query {
        Query::parse(text, Tokenizer::default())
    }

    fn phrases(phrases: &[&str]) -> Vec<Vec<String>> {
        phrases.iter().map(|phrase| phrase.split(' ').map(str::to_owned).collect()).collect()
    }

    #[test]
    fn the_example_of_the_contract() {
        let query = parsed("+python \"machine learning\"");
        assert_eq!((query.terms, query.must), (Vec::<String>::new(), vec!["python".to_owned()]));
        assert_eq!((query.phrases, query.must_not), (phrases(&["machine learning"]), vec![]));
    }

    #[test]
    fn signs_and_quotation_marks_are_operators_at_the_beginning_of_words() {
        let query =
            parsed("Rate limiting +API -draft -\"old version\" +\"token bucket\" +rate-limit +\"x\" “in force” rate");
        assert_eq!(query.terms, ["rate", "limiting"]);
        assert_eq!(query.must, ["api", "x"]);
        assert_eq!(query.phrases, phrases(&["token bucket", "rate limit", "in force"]));
        assert_eq!(query.must_not, phrases(&["draft", "old version"]));
        assert_eq!(query.sought()[..2], phrases(&["api", "x"])[..]);
        assert_eq!(query.required().len(), 5);
        for plain in
            ["well-known C++ 5-3", "a 3\" pipe", "\"unfinished quotation", "- + -- +- --well known", "\"\" +\"\""]
        {
            let Query { must, must_not, phrases, .. } = parsed(plain);
            assert!(must.is_empty() && must_not.is_empty() && phrases.is_empty(), "{plain}");
        }
    }

    #[test]
    fn short_words_count_where_they_are_asked_for() {
        assert_eq!(parsed("a b +c \"vitamin c\" -d").terms, Vec::<String>::new());
        assert_eq!(parsed("a +c").must, ["c"]);
        assert_eq!(parsed("\"vitamin c\"").phrases, phrases(&["vitamin c"]));
    }
}
