//! Results of a search.

use std::fmt::Write;

use casetrack_engine::compare::{Comparison, SideOfComparison};
use casetrack_engine::search::{CompleteList, Hit, RelatedPassage, Relation, SearchResponse, SearchResult};
use casetrack_engine::similar::SimilarChunks;

use super::chunks::{quotation, read_by_ocr};
use super::format::{counted, one_line, push_notices, shorten, thousands, trimmed};
use super::marks::{citation, document_text, name, quote};
use super::sources::Sources;
use super::tracked_changes;
use crate::Reader;

/// Longest query repeated above the results, in characters.
const MAX_QUERY_CHARS: usize = 300;
/// Most places shown that repeat a passage.
const MAX_REPETITIONS: usize = 5;

/// The fields of queries: a condition that begins with one is no word.
const FIELDS: [&str; 11] =
    ["document:", "type:", "entity:", "date:", "page:", "bates:", "exhibit:", "paragraph:", "tag:", "field:", "set:"];

/// With `explain`, each result lists the share of every stage in its score.
pub fn results(response: &SearchResponse, explain: bool, reader: Reader) -> String {
    if let Some(found) = &response.deleted {
        return tracked_changes::deleted(response, found, reader);
    }
    let time = match response.elapsed_ms {
        elapsed if elapsed < 1.0 => "<1ms".to_owned(),
        elapsed => format!("{elapsed:.0}ms"),
    };
    let mut text = format!(
        "Search: \"{}\"\nCollection: {} | {}, {} searched\nTime: {time} | Tier: {} ({}-stage pipeline)\n",
        shorten(&response.query, MAX_QUERY_CHARS),
        one_line(&response.collection),
        counted(response.documents, "document"),
        counted(response.chunks, reader.unit()),
        response.tier.label(),
        response.stages.len(),
    );
    if let Some(list) = &response.complete {
        text.push_str(&format!("\n{}\n", completeness(list, response)));
    }
    push_notices(&mut text, &reader.notices(&response.notices));
    if response.results.is_empty() && response.hits.is_empty() && response.complete.is_none() {
        text.push_str(&match (response.total_documents, response.chunks) {
            (0, _) => format!("\nThe collection has no documents yet. Ingest some with {}.", reader.ingestion()),
            // A note gives the reason if there was nothing to search.
            (_, 0) => "\nNo passage was found.".to_owned(),
            _ => "\nNo passage matches. Try other words for the same thing, fewer words, or all documents.".to_owned(),
        });
        return text;
    }
    let mut sources = Sources::default();
    for result in &response.results {
        text.push_str(&passage(result, explain, &mut sources, reader));
    }
    text.push_str(&hits(&response.hits));
    for passage in &response.related {
        let quoted = quotation(&passage.chunk, &mut sources, reader);
        text.push_str(&format!("\n--- {} ---\n{quoted}", relation(passage)));
    }
    trimmed(text) + &sources.legend()
}

pub fn completeness(list: &CompleteList, response: &SearchResponse) -> String {
    let CompleteList { condition, documents, passages, whole_documents, .. } = list;
    let unquoted = condition.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let (subject, reading) = match unquoted {
        Some(phrase) if !phrase.contains('"') => (format!("The phrase {condition}"), String::new()),
        _ if FIELDS.iter().any(|field| condition.trim_start_matches(['-', '(']).starts_with(field)) => {
            ("What you ask for".to_owned(), format!(" It was read as: {condition}"))
        }
        _ if !condition.contains(char::is_whitespace) => (format!("The word {condition}"), String::new()),
        _ => ("What you ask for".to_owned(), format!(" It was read as: {condition}")),
    };
    let of = counted(response.documents, "document");
    let whole = whole_documents
        .map(|whole| {
            format!(" Counted over whole documents: {} of {}.", thousands(whole), thousands(response.documents))
        })
        .unwrap_or_default();
    if *passages == 0 {
        let none = if whole.is_empty() { "none" } else { "no passage" };
        return format!("{subject} is in {none} of {of}.{whole}{reading}");
    }
    let ranks: Vec<u32> =
        response.results.iter().map(|result| result.rank).chain(response.hits.iter().map(|hit| hit.rank)).collect();
    let shown = match (ranks.first(), ranks.last()) {
        (Some(1), Some(&last)) if u64::from(last) == *passages => "; all are listed".to_owned(),
        (Some(&first), Some(&last)) => {
            format!("; {} to {} are listed", thousands(first.into()), thousands(last.into()))
        }
        _ => String::new(),
    };
    let passages = counted(*passages, "passage");
    format!("{subject} is in {} of {of}, {passages}{shown}.{whole}{reading}", thousands(*documents))
}

/// The end of an answer with part of a list: the number of the rest, and the way to get it.
pub fn continuation(response: &SearchResponse, all: u64, reader: Reader) -> String {
    response.next_offset.map_or_else(String::new, |next| reader.more(all, next))
}

pub fn hits(hits: &[Hit]) -> String {
    let mut text = String::new();
    for Hit { rank, score, collection, citation: place, quote: words, chunk_id: _, also_in } in hits {
        let collection = collection.as_ref().map_or_else(String::new, |name| format!("{}: ", one_line(name)));
        let _ = write!(text, "\n{rank}. {collection}{} ({score:.2}): {}", citation(place), quote(words));
        if let Some(others) = also_in {
            let _ = write!(text, " (the same in other documents, {})", one_line(others));
        }
    }
    text
}

/// One result, between the text around it if that was requested.
fn passage<'a>(result: &'a SearchResult, explain: bool, sources: &mut Sources<'a>, reader: Reader) -> String {
    let is_ranked = result.bm25.is_some() || result.dense.is_some() || result.sparse.is_some();
    let score = if is_ranked { format!(" (score: {:.2})", result.score) } else { String::new() };
    let mut text = format!("\n--- Result {}{score} ---\n", result.rank);
    let around = [("Text before", &result.surroundings.before), ("Text after", &result.surroundings.after)];
    let [before, after] = around.map(|(name, text)| match text.as_deref().map(str::trim) {
        None | Some("") => String::new(),
        Some(text) => format!("\n[{name}]\n{}\n", document_text(text)),
    });
    for line in rank_details(result, explain) {
        text.push_str(&format!("{line}\n"));
    }
    text.push_str(&format!("{}{before}{after}", quotation(&result.chunk, sources, reader)));
    text
}

/// The lines about a result besides its citation and text: how OCR read it, the reasons for its rank, and other places of the passage.
pub fn details(result: &SearchResult, explain: bool) -> Vec<String> {
    let read = read_by_ocr(&result.chunk.provenance).map(|read| format!("Place: {read}"));
    read.into_iter().chain(rank_details(result, explain)).collect()
}

/// As [`details`], without the way the text was read, which is part of a [`quotation`].
fn rank_details(result: &SearchResult, explain: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(collection) = &result.collection {
        lines.push(format!("In:    {}", one_line(collection)));
    }
    if let Some(header) = &result.chunk.table_header {
        let columns = header.lines().map(|row| one_line(&row.replace('\t', " | ")).into_owned());
        lines.push(format!("Head:  {}", columns.collect::<Vec<_>>().join(" / ")));
    }
    if explain {
        let stages = [("BM25", result.bm25), ("dense E1", result.dense), ("sparse E6", result.sparse)];
        let stages: Vec<String> =
            stages
                .into_iter()
                .map(|(name, stage)| match stage {
                    Some(stage) => format!("{name} +{:.2} (rank {}, {:.2})", stage.share, stage.rank, stage.score),
                    None => format!("{name} +0 (not found)"),
                })
                .chain(result.late.map(|late| {
                    format!("late interaction E12 +{:.2} (rank {}, {:.2})", late.share, late.rank, late.score)
                }))
                .collect();
        lines.push(format!("Why:   {}", stages.join(", ")));
    }
    if !result.repeated_in.is_empty() {
        let named = result.repeated_in.iter().take(MAX_REPETITIONS);
        let quoted = |is_quotation| if is_quotation { " (quotes it)" } else { "" };
        let mut places: Vec<String> =
            named.map(|place| citation(&place.citation) + quoted(place.is_quotation)).collect();
        if let Some(more) = result.repeated_in.len().checked_sub(MAX_REPETITIONS).filter(|&more| more > 0) {
            places.push(format!("{more} more"));
        }
        let mut line = format!("Also:  {}", places.join("; "));
        if let Some((others, _)) = result.other_documents().filter(|(others, _)| *others > 1) {
            let _ = write!(line, " (the same passage in {} other documents)", thousands(others as u64));
        }
        lines.push(line);
    }
    lines
}

pub fn relation(passage: &RelatedPassage) -> String {
    let how = match passage.relation {
        Relation::SimilarPassage => format!("similar passage (cosine {:.2})", passage.similarity.unwrap_or_default()),
        Relation::SharedEntities => format!("also mentions {}", one_line(&passage.shared_entities.join(", "))),
    };
    format!("Related to result {}: {how}", passage.of_rank)
}

pub fn similar(found: &SimilarChunks, reader: Reader) -> String {
    let to = match reader {
        Reader::Assistant => format!("chunk {} ({})", found.chunk.chunk_id.short(), citation(&found.chunk.citation)),
        Reader::CommandLine => one_line(&found.chunk.citation).into_owned(),
    };
    let mut text = format!("Similar to {to}: {}\n", counted(found.similar.len() as u64, "passage"));
    push_notices(&mut text, &reader.notices(&found.notices));
    if found.similar.is_empty() {
        text.push_str(
            "\nNo passage is similar enough. Lower the minimum similarity, or include passages of the same document.",
        );
    }
    let mut sources = Sources::default();
    for (n, passage) in (1..).zip(&found.similar) {
        let heading = format!("\n--- Passage {n} (similarity: {:.2}) ---\n", passage.similarity);
        text.push_str(&format!("{heading}{}", quotation(&passage.chunk, &mut sources, reader)));
    }
    trimmed(text) + &sources.legend()
}

/// The passages of two documents, one after the other.
pub fn comparison(comparison: &Comparison, reader: Reader) -> String {
    let Comparison { topic, collection, a, b, notices } = comparison;
    let mut text = format!(
        "Comparison: \"{}\"\nCollection: {}\nA: {}\nB: {}\n",
        shorten(topic, MAX_QUERY_CHARS),
        one_line(collection),
        name(&a.document.name),
        name(&b.document.name)
    );
    push_notices(&mut text, &reader.notices(notices));
    let mut sources = Sources::default();
    for (letter, SideOfComparison { document, results }) in [("A", a), ("B", b)] {
        text.push_str(&format!("\n=== {letter}: {} ===\n", name(&document.name)));
        if results.is_empty() {
            text.push_str("\nNo passage of this document matches.\n");
        }
        for result in results {
            text.push_str(&passage(result, false, &mut sources, reader));
        }
    }
    let redline = reader.pick("redline_documents", "`casetrack redline`");
    text.push_str(&format!("\nIf one is a version of the other, {redline} shows every change.\n"));
    trimmed(text) + &sources.legend()
}

#[cfg(test)]
mod tests {
    use casetrack_core::ExtractionMethod;

    use super::*;
    use crate::samples::{self, PAYMENT};

    #[test]
    fn results_read_as_in_the_specification() {
        let marked = document_text(PAYMENT);
        let origin = "chars 2401-2561 | chunk c0ffee00";
        let expected = format!(
            "Search: \"payment terms\"\nCollection: Acme Corp Partnership | 5 documents, 1,051 chunks searched\nTime: 87ms | \
             Tier: Pro (2-stage pipeline)\n\n--- Result 1 (score: 0.94) ---\nVendor_Agreement.docx, p. 12, para. 8, ll. \
             1-4\n[1] {origin}\n\n{marked}\n\n--- Result 2 (score: 0.89) ---\n[1] p. 12, para. 8, ll. 1-4, {origin}\n\n{marked}\n\nSources:\n[1] Vendor_Agreement.docx in /home/sarah/Acme | Native text | ingested and \
             embedded 2023-11-14T22:13:20Z"
        );
        assert_eq!(results(&samples::search([0.94, 0.888]), false, Reader::Assistant), expected);
    }

    #[test]
    fn details_name_passages_that_ocr_read() {
        let found = samples::search([0.94, 0.888]);
        let mut result = found.results[0].clone();
        assert!(details(&result, false).is_empty());
        result.chunk.provenance.extraction_method = ExtractionMethod::Ocr;
        result.chunk.provenance.ocr_confidence = Some(0.934);
        assert_eq!(details(&result, false), ["Place: OCR (OCR confidence 0.93)"]);
        // A quotation says so itself, once.
        let whole = passage(&result, false, &mut Sources::default(), Reader::CommandLine);
        assert_eq!(whole.matches("OCR (OCR confidence 0.93)").count(), 1, "{whole}");
    }

    #[test]
    fn nothing_found_says_what_to_try_and_notices_are_shown() {
        let mut empty = samples::search([0.0; 2]);
        empty.results.clear();
        empty.notices = vec!["The dense model is missing; keyword search only.".into()];
        let text = results(&empty, false, Reader::Assistant);
        assert!(
            text.contains("\nNote: The dense model is missing; keyword search only.\n\nNo passage matches."),
            "{text}"
        );
        empty.total_documents = 0;
        assert!(results(&empty, false, Reader::Assistant).contains("no documents yet"));
    }
}
