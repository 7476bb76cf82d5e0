//! Summaries without a language model: sentences of the snippets, ranked by their relevance to the query, none twice, each with its file.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use casetrack_nlp::redaction::redact_all;
use casetrack_nlp::tokens::Tokens;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{content_words, singular};

/// Results that are read; further ones are left out.
pub const MAX_RESULTS: usize = 100;
/// Longest text of each, in bytes: a snippet is shorter.
const MAX_SNIPPET: usize = 8192;
/// Bytes that are read beyond this, so that the cut leaves no part of a secret that could no longer be recognised.
pub(super) const MARGIN: usize = 4096;
const MAX_SENTENCES: usize = 8;
/// Longest part of a sentence, in characters.
const MAX_SENTENCE: usize = 400;
/// The weight of a sentence's similarity to the chosen ones. Maximal marginal relevance, Carbonell and Goldstein 1998, with equal weights.
const DIVERSITY: f64 = 0.5;

#[derive(Debug, Clone)]
pub struct SummaryRequest {
    pub query: String,
    pub results: Vec<SummarizedResult>,
    pub style: SummaryStyle,
    /// Most tokens of the summary, at least 1.
    pub max_tokens: u32,
}

/// A search result. Further fields of searches are allowed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
pub struct SummarizedResult {
    pub path: String,
    pub snippet: String,
}

impl SummarizedResult {
    /// The name of the file and the snippet, cut and redacted. Nothing else of a result is shown to a model.
    pub(super) fn redacted(&self) -> (String, String) {
        let Self { path, snippet } = self;
        let file = redact_all(path.rsplit(['/', '\\']).next().unwrap_or(path)).text;
        let read = &snippet[..snippet.floor_char_boundary(MAX_SNIPPET + MARGIN)];
        let mut shown = redact_all(read).text;
        if read.len() < snippet.len() {
            shown.truncate(shown.floor_char_boundary(shown.len().saturating_sub(MARGIN)));
        }
        shown.truncate(shown.floor_char_boundary(MAX_SNIPPET));
        (file, shown)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SummaryStyle {
    #[default]
    Bullets,
    Paragraph,
    Table,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Summary {
    /// Sentences of the results, redacted, each with the name of its file; or the text of a model.
    pub summary: String,
    pub tokens_used: TokensUsed,
    /// Sentences of a model that no snippet supports, each marked in the summary. Absent without a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<u32>,
}

/// As the server of a model reports them; otherwise words and signs, as CaseTrack counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TokensUsed {
    /// Tokens of the query and the results.
    pub prompt: u32,
    pub completion: u32,
}

struct Sentence {
    text: String,
    file: String,
    words: BTreeSet<String>,
}

/// Summarizes search results. The same request has the same answer.
pub fn summarize(request: &SummaryRequest) -> Summary {
    let asked: BTreeSet<String> = content_words(&request.query).iter().map(|word| singular(word)).collect();
    let mut sentences: Vec<Sentence> = Vec::new();
    let mut prompt = tokens(&request.query);
    for result in request.results.iter().take(MAX_RESULTS) {
        let (file, snippet) = result.redacted();
        prompt += tokens(&result.path) + tokens(&snippet);
        for text in split(&snippet) {
            let words: BTreeSet<String> = content_words(&text).iter().map(|word| singular(word)).collect();
            if !words.is_empty() && !sentences.iter().any(|known| known.words == words) {
                sentences.push(Sentence { text, file: file.clone(), words });
            }
        }
    }
    let chosen = choose(&sentences, &asked);
    let mut summary = String::new();
    // As many of the best as fit.
    for count in (1..=chosen.len()).rev() {
        let told: Vec<&Sentence> = chosen[..count].iter().map(|&at| &sentences[at]).collect();
        summary = written(&told, request.style);
        if tokens(&summary) <= request.max_tokens {
            break;
        }
    }
    if chosen.is_empty() {
        summary = "The results contain nothing that can be summarized.".to_owned();
    }
    if tokens(&summary) > request.max_tokens {
        summary = first_tokens(&summary, request.max_tokens);
    }
    let completion = tokens(&summary);
    Summary { summary, tokens_used: TokensUsed { prompt, completion }, unsupported: None }
}

/// The places of the sentences in the summary, best first.
fn choose(sentences: &[Sentence], asked: &BTreeSet<String>) -> Vec<usize> {
    let mut in_how_many: BTreeMap<&str, u32> = BTreeMap::new();
    for word in sentences.iter().flat_map(|sentence| &sentence.words) {
        *in_how_many.entry(word).or_default() += 1;
    }
    let rarity = |word: &String| {
        let has = in_how_many.get(word.as_str()).copied().unwrap_or_default();
        ((sentences.len() as f64 + 1.0) / (f64::from(has) + 0.5)).ln()
    };
    let most: f64 = asked.iter().map(rarity).sum::<f64>().max(f64::MIN_POSITIVE);
    let relevance = |sentence: &Sentence| sentence.words.intersection(asked).map(rarity).sum::<f64>() / most;
    let relevant: Vec<f64> = sentences.iter().map(relevance).collect();
    let says_something = relevant.iter().any(|relevance| *relevance > 0.0);
    let mut left: Vec<usize> = (0..sentences.len()).filter(|&at| !says_something || relevant[at] > 0.0).collect();
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < MAX_SENTENCES && !left.is_empty() {
        let said = |at: usize| chosen.iter().map(|&told| shared(&sentences[at], &sentences[told])).fold(0.0, f64::max);
        let gain = |at: usize| (1.0 - DIVERSITY) * relevant[at] - DIVERSITY * said(at);
        // The first of equals.
        let better =
            |best: usize, place: usize| if gain(left[place]) > gain(left[best]) + 1e-12 { place } else { best };
        let best = (1..left.len()).fold(0, better);
        let at = left.remove(best);
        chosen.push(at);
    }
    chosen
}

/// Words that both have, of all that either has.
fn shared(one: &Sentence, other: &Sentence) -> f64 {
    let both = one.words.intersection(&other.words).count() as f64;
    both / (one.words.union(&other.words).count() as f64).max(1.0)
}

fn written(told: &[&Sentence], style: SummaryStyle) -> String {
    let mut files: Vec<&str> = Vec::new();
    for sentence in told {
        if !files.contains(&sentence.file.as_str()) {
            files.push(&sentence.file);
        }
    }
    match style {
        SummaryStyle::Bullets => told
            .iter()
            .map(|sentence| format!("- {} ({})", sentence.text, sentence.file))
            .collect::<Vec<_>>()
            .join("\n"),
        SummaryStyle::Paragraph => {
            let said: Vec<String> =
                told.iter().map(|sentence| format!("{} ({})", sentence.text, sentence.file)).collect();
            format!("{} Key files: {}.", said.join(" "), files.join(", "))
        }
        SummaryStyle::Table => {
            let cell = |text: &str| text.replace('|', "\\|");
            let rows = told.iter().map(|sentence| format!("| {} | {} |", cell(&sentence.file), cell(&sentence.text)));
            ["| File | Finding |".to_owned(), "| --- | --- |".to_owned()]
                .into_iter()
                .chain(rows)
                .collect::<Vec<_>>()
                .join("\n")
        }
    }
}

/// The sentences and lines of a snippet, on one line each.
fn split(snippet: &str) -> Vec<String> {
    let one_line =
        |sentence: &str| sentence.split_whitespace().filter(|word| *word != "…").collect::<Vec<_>>().join(" ");
    let short = |sentence: String| {
        let end = sentence.char_indices().nth(MAX_SENTENCE).map(|(end, _)| end);
        end.map(|end| format!("{} …", sentence[..end].trim_end())).unwrap_or(sentence)
    };
    sentences(snippet)
        .into_iter()
        .map(|place| one_line(&snippet[place]))
        .filter(|sentence| sentence.contains(char::is_alphanumeric))
        .map(short)
        .collect()
}

/// The places of the sentences and lines of a text, in bytes. Together they are the whole text.
pub(super) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    for (n, (at, c)) in chars.iter().enumerate() {
        let next = chars.get(n + 1).map(|(_, c)| *c);
        let after = chars.get(n + 2).map(|(_, c)| *c);
        let ends = match c {
            '.' | '!' | '?' => {
                next.is_none_or(char::is_whitespace) && after.is_none_or(|c| c.is_uppercase() || !c.is_alphanumeric())
            }
            '\n' => next == Some('\n') || next.is_some_and(char::is_uppercase),
            _ => false,
        };
        if ends {
            sentences.push(start..at + c.len_utf8());
            start = at + c.len_utf8();
        }
    }
    sentences.push(start..text.len());
    sentences
}

pub(super) fn tokens(text: &str) -> u32 {
    u32::try_from(Tokens::new(text).len()).unwrap_or(u32::MAX)
}

/// The first words that have at most `most` tokens.
pub(super) fn first_tokens(text: &str, most: u32) -> String {
    let mut kept = String::new();
    for word in text.split_inclusive(char::is_whitespace) {
        if tokens(&format!("{kept}{word}")) > most {
            break;
        }
        kept.push_str(word);
    }
    kept.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(style: SummaryStyle, max_tokens: u32) -> SummaryRequest {
        let result = |path: &str, snippet: &str| SummarizedResult { path: path.into(), snippet: snippet.into() };
        SummaryRequest {
            query: "vendor x 2021 contracts".into(),
            results: vec![
                result(
                    "/mnt/a/vendor_x_contract.docx",
                    "Vendor X agrees to deliver the machines. Mail ann@example.org. The sky is blue.",
                ),
                result(
                    "/mnt/a/vendor_x_summary.pptx",
                    "The contract of 2021 covers services.\nVendor X agrees to deliver the machines.",
                ),
            ],
            style,
            max_tokens,
        }
    }

    #[test]
    fn sentences_about_the_query_are_told_once_with_their_files() {
        let bullets = summarize(&request(SummaryStyle::Bullets, 400));
        assert_eq!(
            bullets.summary,
            "- Vendor X agrees to deliver the machines. (vendor_x_contract.docx)\n\
             - The contract of 2021 covers services. (vendor_x_summary.pptx)"
        );
        assert_eq!(bullets, summarize(&request(SummaryStyle::Bullets, 400)));
        assert_eq!(bullets.tokens_used.completion, tokens(&bullets.summary));
        let paragraph = summarize(&request(SummaryStyle::Paragraph, 400)).summary;
        assert!(paragraph.ends_with("Key files: vendor_x_contract.docx, vendor_x_summary.pptx."), "{paragraph}");
        let table = summarize(&request(SummaryStyle::Table, 400)).summary;
        assert!(table.starts_with("| File | Finding |\n| --- | --- |\n| vendor_x_contract.docx |"), "{table}");
    }

    #[test]
    fn a_summary_keeps_its_length_and_shows_no_secret() {
        for most in [1, 5, 15, 400] {
            let summary = summarize(&SummaryRequest { query: "mail".into(), ..request(SummaryStyle::Paragraph, most) });
            assert!(summary.tokens_used.completion <= most, "{summary:?}");
            assert!(!summary.summary.contains("example.org"), "{summary:?}");
        }
        let nothing = summarize(&SummaryRequest { results: Vec::new(), ..request(SummaryStyle::Table, 400) });
        assert!(nothing.summary.contains("nothing"));
    }
}
