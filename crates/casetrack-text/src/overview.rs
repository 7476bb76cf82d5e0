//! A collection at a glance.

use std::fmt::Write;

use casetrack_core::{DatePrecision, cited_page};
use casetrack_engine::briefing::{
    ClusterReport, Coverage, EventReport, RelatedReport, StatisticsReport, SummaryReport, TimelineReport,
};

use super::entities::{mentioned, reference};
use super::format::{bytes, counted, one_line, push_notices, shorten, thousands, trimmed};
use super::marks::{name, quote, short_name};
use super::references::cited;
use super::sources::Sources;
use crate::Reader;

/// Longest name that is shown, in characters.
const NAME_CHARS: usize = 100;
const MAX_DOCUMENTS: usize = 8;

pub fn summary(report: &SummaryReport, reader: Reader) -> String {
    let meta = &report.collection;
    let unit = reader.unit();
    let mut text = format!("COLLECTION SUMMARY: {} ({})\n", one_line(&meta.name), meta.collection_type.label());
    push_notices(&mut text, &report.notices);
    push_stakeholders(&mut text, report);
    if !report.key_dates.is_empty() {
        text.push_str("\n  KEY DATES:\n");
        for date in &report.key_dates {
            let place =
                date.source.as_ref().map(|source| &source.provenance).map(|source| {
                    format!("{}, {}", name(&source.document_name), cited_page(source.page, source.unpaged))
                });
            push_event(&mut text, date, place);
        }
    }
    if !report.topics.is_empty() {
        text.push_str("\n  KEY TOPICS:\n");
        for (n, topic) in (1..).zip(&report.topics) {
            let (documents, chunks) = (counted(topic.documents, "document"), counted(topic.chunks, unit));
            let _ = writeln!(text, "    {n}. {} -- {documents}, {chunks}", shorten(&topic.name, NAME_CHARS));
        }
    }
    let statistics = &report.statistics;
    let _ = writeln!(
        text,
        "\n  DOCUMENTS ({} total, {}, {}):",
        thousands(statistics.documents),
        counted(statistics.pages, "page"),
        counted(statistics.chunks, unit)
    );
    for group in &report.documents {
        let examples: Vec<String> = group.examples.iter().map(|example| short_name(example, NAME_CHARS)).collect();
        let more = if (examples.len() as u64) < group.documents { "..." } else { "" };
        let label = group.document_type.label();
        let _ = writeln!(text, "    {label}: {} docs ({}{more})", group.documents, examples.join(", "));
    }
    if !report.references.is_empty() {
        text.push_str("\n  KEY REFERENCES (most cited):\n");
        for (n, reference) in (1..).zip(&report.references) {
            let _ = writeln!(text, "    {n}. {}", cited(reference));
        }
    }
    if !report.top_entities.is_empty() {
        text.push_str("\n  TOP ENTITIES:\n");
        for entity in &report.top_entities {
            let _ = writeln!(text, "    {} -- {}", shorten(&entity.name, NAME_CHARS), mentioned(entity));
        }
    }
    match reader {
        Reader::Assistant => text.push_str(&format!("\n  EMBEDDINGS: {}", coverage(&report.coverage))),
        Reader::CommandLine => push_uncovered(&mut text, &report.coverage),
    }
    trimmed(text)
}

fn push_stakeholders(text: &mut String, report: &SummaryReport) {
    if !(report.organizations.is_empty() && report.people.is_empty()) {
        text.push_str("\n  KEY STAKEHOLDERS:\n");
    }
    // A stakeholder is listed by the role that documents state, if they state one.
    for (kind, stakeholders) in [("Organization", &report.organizations), ("Person", &report.people)] {
        for stakeholder in stakeholders {
            let mut roles = stakeholder.roles.iter().map(|role| one_line(&role.name).into_owned());
            let label = roles.next().unwrap_or_else(|| kind.to_owned()) + ":";
            let others: Vec<String> = roles.collect();
            let others = if others.is_empty() { String::new() } else { format!(" (also {})", others.join(", ")) };
            let entity = &stakeholder.entity;
            let _ = writeln!(
                text,
                "    {label:<13} {}{others} -- {}",
                shorten(&entity.name, NAME_CHARS),
                mentioned(entity)
            );
        }
    }
}

/// That some passages have not been prepared for search by meaning, in the words of people.
fn push_uncovered(text: &mut String, coverage: &Coverage) {
    let left = coverage.chunks.saturating_sub(coverage.dense_chunks.min(coverage.sparse_chunks));
    if left > 0 {
        let (left, all) = (thousands(left), counted(coverage.chunks, "passage"));
        let _ = write!(text, "\nNote: {left} of {all} cannot be found by meaning yet. See `casetrack index-status`.");
    }
}

fn coverage(coverage: &Coverage) -> String {
    let Coverage { chunks, dense_chunks, sparse_chunks, .. } = *coverage;
    let all = counted(chunks, "chunk");
    let of = |having: u64| if having == chunks { "all".to_owned() } else { thousands(having) };
    match dense_chunks == chunks && sparse_chunks == chunks {
        true => format!("2/2 embedders (E1 dense, E6 learned sparse), all {all} fully embedded"),
        false => {
            format!("E1 (dense) has {}, E6 (learned sparse) {} of {all}", of(dense_chunks), of(sparse_chunks))
        }
    }
}

/// `2022-01-15  Effective date (Vendor_Agreement.docx, p. 1)`; `place` is the citation.
fn push_event(text: &mut String, report: &EventReport, place: Option<String>) {
    let event = &report.event;
    let date = &event.date;
    let day = match date.precision {
        DatePrecision::Day => date.first.clone(),
        DatePrecision::Month => date.first.get(..7).unwrap_or(&date.first).to_owned(),
        DatePrecision::Year => date.first.get(..4).unwrap_or(&date.first).to_owned(),
        DatePrecision::Quarter | DatePrecision::Range => format!("{}..{}", date.first, date.last),
        DatePrecision::Ambiguous => format!("{} or {}", date.first, date.last),
    };
    let what = event.role.as_deref().map_or_else(
        || "mentioned".to_owned(),
        |role| {
            let mut letters = role.chars();
            letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
        },
    );
    let more = match event.documents {
        0 | 1 => String::new(),
        documents => format!(", and {}", counted(documents - 1, "more document")),
    };
    let _ = writeln!(text, "    {day}  {} ({}{more})", one_line(&what), place.unwrap_or_default());
}

/// A part of a timeline that begins after `offset` events.
pub fn timeline(report: &TimelineReport, offset: u32, reader: Reader) -> String {
    let mut text = format!("Timeline of {}: {}", one_line(&report.collection), counted(report.total, "date"));
    if report.selected < report.total {
        let _ = write!(text, ", of which the {} that matter most", thousands(report.selected));
    }
    let shown = report.events.len() as u64;
    if 0 < shown && shown < report.selected {
        let first = u64::from(offset) + 1;
        let _ = write!(text, ", showing {first} to {}", first + shown - 1);
    }
    text.push('\n');
    push_notices(&mut text, &report.notices);
    text.push('\n');
    let mut sources = Sources::default();
    for event in &report.events {
        push_event(&mut text, event, event.source.as_ref().map(|source| reference(source, &mut sources)));
        if let Some(source) = &event.source {
            let _ = writeln!(text, "      {} (chunk {})", quote(&source.excerpt.text), source.chunk_id.short());
        }
    }
    if report.events.is_empty() {
        text.push_str("No dates were found.");
    }
    let mut text = trimmed(text) + &sources.legend();
    reader.push_more(&mut text, report.selected, report.next_offset);
    text
}

pub fn statistics(report: &StatisticsReport) -> String {
    let statistics = &report.statistics;
    let mut text = format!(
        "Statistics of {}\n\n  {}, {}, {}\n",
        one_line(&report.collection.name),
        counted(statistics.documents, "document"),
        counted(statistics.pages, "page"),
        counted(statistics.chunks, "chunk")
    );
    push_notices(&mut text, &report.notices);
    text.push_str("\n  DOCUMENTS BY TYPE:\n");
    for group in &statistics.documents_by_type {
        let _ = writeln!(
            text,
            "    {}: {}, {}, {}",
            group.document_type.label(),
            counted(group.documents, "document"),
            counted(group.pages, "page"),
            counted(group.chunks, "chunk")
        );
    }
    text.push_str("\n  ENTITIES:\n");
    for group in &statistics.entities {
        let label = group.entity_type.label();
        let _ = writeln!(text, "    {label}: {} ({})", thousands(group.entities), counted(group.mentions, "mention"));
    }
    text.push_str("\n  REFERENCES:\n");
    for group in &statistics.references {
        let label = group.kind.label();
        let _ =
            writeln!(text, "    {label}: {} ({})", thousands(group.references), counted(group.citations, "citation"));
    }
    let coverage_of = &report.coverage;
    let _ = write!(
        text,
        "\n  EMBEDDINGS: {}\n  ANALYSIS: {} of {}\n  STORAGE: {}",
        coverage(coverage_of),
        thousands(coverage_of.annotated_documents),
        counted(coverage_of.documents, "document"),
        bytes(report.storage.total_bytes)
    );
    if let Some(per_chunk) = report.storage.bytes_per_chunk {
        let _ = write!(text, " ({} a chunk)", bytes(per_chunk));
    }
    trimmed(text)
}

pub fn related(report: &RelatedReport) -> String {
    let mut text = format!(
        "Related to {}: {}, showing {}\n",
        name(&report.document.name),
        counted(report.total, "document"),
        report.related.len()
    );
    push_notices(&mut text, &report.notices);
    for (n, related) in (1..).zip(&report.related) {
        let _ = writeln!(
            text,
            "\n  {n}. {} (ID: {}) -- strength {:.2}",
            name(&related.document.name),
            related.document.id.short(),
            related.strength
        );
        for reason in &related.reasons {
            let _ = write!(text, "     {}", one_line(&reason.description));
            if !reason.evidence.is_empty() {
                let named = reason.evidence.iter().map(|evidence| shorten(&evidence.name, NAME_CHARS));
                let _ = write!(text, ": {}", named.collect::<Vec<_>>().join("; "));
            }
            text.push('\n');
        }
    }
    if report.related.is_empty() {
        text.push_str("\nNo document is related to it in this way.");
    }
    trimmed(text)
}

pub fn clusters(report: &ClusterReport) -> String {
    let clusters = &report.clusters;
    let mut text = format!(
        "Documents of {} in {}\n",
        one_line(&report.collection),
        counted(clusters.clusters.len() as u64, "group")
    );
    push_notices(&mut text, &report.notices);
    let named = |documents: &[_]| {
        let of = |document: &casetrack_engine::briefing::DocumentRef| name(&document.name).into_owned();
        let mut names: Vec<String> = documents.iter().take(MAX_DOCUMENTS).map(of).collect();
        if documents.len() > MAX_DOCUMENTS {
            names.push(format!("{} more", documents.len() - MAX_DOCUMENTS));
        }
        names.join("; ")
    };
    for (n, cluster) in (1..).zip(&clusters.clusters) {
        let documents = counted(cluster.documents.len() as u64, "document");
        let _ = writeln!(text, "\n  {n}. {} -- {documents}", shorten(&cluster.label, NAME_CHARS));
        if !cluster.terms.is_empty() {
            let _ = writeln!(text, "     Terms: {}", one_line(&cluster.terms.join(", ")));
        }
        let _ = writeln!(text, "     {}", named(&cluster.documents));
    }
    if !clusters.unclustered.is_empty() {
        let _ = writeln!(text, "\n  In no group: {}", named(&clusters.unclustered));
    }
    trimmed(text)
}
