//! The reasons for which a passage may be an answer: words that a preview may show, or a meaning that is close to the query's.

use casetrack_core::single_spaced;
use casetrack_nlp::redaction::{MARKER, redact_all};
use casetrack_search::SearchResult;

use super::content_words;

/// Least cosine of a passage without a word of the query. The vectors of E1 put texts without a common subject below it.
const LEAST_COSINE: f32 = 0.3;

/// A query without the words that previews redact, because its results would confirm a secret. `None` if there is nothing to leave out.
pub(super) fn without_secrets(query: &str) -> Option<String> {
    let redacted = redact_all(query);
    if redacted.count == 0 {
        return None;
    }
    let mut parts = redacted.text.split(MARKER);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(part.split_once(']').map_or("", |(_, after)| after));
    }
    Some(single_spaced(&kept))
}

/// True if a result of a ranking has a word of the query that is not redacted, or a meaning close enough.
pub(super) fn is_evident(result: &SearchResult, words: &[String]) -> bool {
    is_shown(&result.chunk.text, words) && is_close(result)
}

fn is_close(result: &SearchResult) -> bool {
    result.bm25.is_some() || result.dense.is_some_and(|dense| dense.score >= LEAST_COSINE)
}

/// False if a text has words of the query only in redacted parts.
fn is_shown(text: &str, words: &[String]) -> bool {
    let has = |text: &str| content_words(text).iter().any(|word| words.contains(word));
    !has(text) || has(&redact_all(text).text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_redacted_is_neither_searched_nor_a_reason() {
        assert_eq!(without_secrets("lease of 2021"), None);
        assert_eq!(without_secrets("invoice jane.roe@example.org paid").as_deref(), Some("invoice paid"));
        assert_eq!(without_secrets("jane.roe@example.org").as_deref(), Some(""));
        let words = |query: &str| content_words(query);
        let text = "The password: hunter2 opens the gate. Write to jane.roe@example.org.";
        assert!(is_shown(text, &words("gate")) && is_shown(text, &words("hunter2 gate")));
        assert!(!is_shown(text, &words("hunter2")) && !is_shown(text, &words("roe")));
        // Its meaning may be the reason.
        assert!(is_shown(text, &words("door")));
    }
}
