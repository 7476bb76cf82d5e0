//! Results of a search.

use casetrack_engine::search::SearchResponse;

use super::chunks::quotation;
use super::format::{counted, one_line, shorten, trimmed};

/// Longest query repeated above the results, in characters.
const MAX_QUERY_CHARS: usize = 300;

pub fn results(response: &SearchResponse) -> String {
    let time = match response.elapsed_ms {
        elapsed if elapsed < 1.0 => "<1ms".to_owned(),
        elapsed => format!("{elapsed:.0}ms"),
    };
    let mut text = format!(
        "Search: \"{}\"\nCollection: {} | {}, {} searched\nTime: {time} | Tier: {} ({}-stage pipeline)\n",
        shorten(&response.query, MAX_QUERY_CHARS),
        one_line(&response.collection),
        counted(response.documents, "document"),
        counted(response.chunks, "chunk"),
        response.tier.label(),
        response.stages.len(),
    );
    for notice in &response.notices {
        text.push_str(&format!("Note: {}\n", one_line(notice)));
    }
    if response.results.is_empty() {
        text.push_str(match response.documents {
            0 => "\nThe collection has no documents yet. Ingest some with ingest_document or ingest_folder.",
            _ => "\nNo passage matches. Try other words for the same thing, fewer words, or no document_filter.",
        });
        return text;
    }
    for result in &response.results {
        text.push_str(&format!(
            "\n--- Result {} (score: {:.2}) ---\n{}",
            result.rank,
            result.score,
            quotation(&result.chunk)
        ));
    }
    trimmed(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::samples::{self, PAYMENT};

    #[test]
    fn results_read_as_in_the_specification() {
        let origin = "Vendor_Agreement.docx, p. 12, para. 8, ll. 1-4\nFile:  /home/sarah/Acme/Vendor_Agreement.docx\nPlace: chars \
            2401-2561 of the page | Native text\nChunk: c0ffee00-0000-5000-8000-000000000001 (47 of 234) | ingested \
            2023-11-14T22:13:20Z | embedded 2023-11-14T22:13:20Z";
        let expected = format!(
            "Search: \"payment terms\"\nCollection: Acme Corp Partnership | 5 documents, 1,051 chunks searched\nTime: 87ms | \
             Tier: Pro (2-stage pipeline)\n\n--- Result 1 (score: 0.94) ---\n{origin}\n\n\"{PAYMENT}\"\n\n--- Result 2 (score: \
             0.89) ---\n{origin}\n\n\"{PAYMENT}\""
        );
        assert_eq!(results(&samples::search([0.94, 0.888])), expected);
    }

    #[test]
    fn nothing_found_says_what_to_try_and_notices_are_shown() {
        let mut empty = samples::search([0.0; 2]);
        empty.results.clear();
        empty.notices = vec!["The dense model is missing; keyword search only.".to_owned()];
        let text = results(&empty);
        assert!(
            text.contains("\nNote: The dense model is missing; keyword search only.\n\nNo passage matches."),
            "{text}"
        );
        empty.documents = 0;
        assert!(results(&empty).contains("no documents yet"));
    }
}
