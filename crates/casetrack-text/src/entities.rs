//! Entities, their mentions, and how they relate.

use casetrack_core::{DatePrecision, DateValue, EntityType, EntityValue};
use casetrack_engine::briefing::{
    EntityListReport, EntityNetwork, EntityView, MentionsReport, PartOfContract, Snippet, TogetherReport,
};

use super::format::{counted, one_line, push_notices, shorten, thousands, trimmed};
use super::marks::{name, quote};
use super::sources::Sources;

/// Names of one entity that are shown besides the first.
const MAX_ALIASES: usize = 4;
/// Ends the line above names with their confidence.
const SURE: &str = " (percent: how sure CaseTrack is of the kind):\n";
/// Longest name that is shown, in characters.
const NAME_CHARS: usize = 100;

pub fn list(report: &EntityListReport) -> String {
    let list = &report.list;
    let noun = if list.total == 1 { "entity" } else { "entities" };
    let mut text = format!("{} {noun} in {}", thousands(list.total), one_line(&report.collection));
    if (list.entities.len() as u64) < list.total {
        text.push_str(&format!(", showing {}", list.entities.len()));
    }
    text.push_str(if list.entities.is_empty() { ":\n" } else { SURE });
    push_notices(&mut text, &report.notices);
    for entity_type in EntityType::ALL {
        let mut of_type = list.entities.iter().filter(|entity| entity.entity_type == *entity_type).peekable();
        if of_type.peek().is_none() {
            continue;
        }
        text.push_str(&format!("\n  {}:\n", entity_type.label()));
        for entity in of_type {
            let (name, day) = (shorten(&entity.name, NAME_CHARS), day(&entity.name, entity.value.as_ref()));
            text.push_str(&format!("    {name}{day} -- {}", sure(entity)));
            if !entity.aliases.is_empty() {
                let aliases = entity.aliases.iter().take(MAX_ALIASES).map(|alias| shorten(alias, NAME_CHARS));
                text.push_str(&format!(" (also: {})", aliases.collect::<Vec<_>>().join("; ")));
            }
            text.push('\n');
        }
    }
    if list.entities.is_empty() {
        text.push_str("\nNo entities were found.");
    }
    trimmed(text)
}

/// The day of a date whose name does not show it: ` (2021-06-05)`, ` (2021-05-06 or 2021-06-05)`.
fn day(name: &str, value: Option<&EntityValue>) -> String {
    let Some(EntityValue::Date(DateValue { first, last, precision })) = value else { return String::new() };
    let part = |length: usize| first.get(..length).unwrap_or(first).to_owned();
    let day = match precision {
        DatePrecision::Day => first.clone(),
        DatePrecision::Ambiguous => format!("{first} or {last}"),
        DatePrecision::Month => part("2021-06".len()),
        DatePrecision::Year => part("2021".len()),
        DatePrecision::Quarter | DatePrecision::Range => format!("{first} to {last}"),
    };
    if name.contains(&day) { String::new() } else { format!(" ({day})") }
}

/// `892 mentions in 45 documents`
pub(super) fn mentioned(entity: &EntityView) -> String {
    format!("{} in {}", counted(entity.mentions, "mention"), counted(entity.documents, "document"))
}

/// The same with the confidence: `892 mentions in 45 documents (95%)`
fn sure(entity: &EntityView) -> String {
    format!("{} ({:.0}%)", mentioned(entity), entity.confidence * 100.0)
}

pub fn mentions(report: &MentionsReport) -> String {
    let entity = &report.entity;
    let shown = report.mentions.len();
    let mut text = format!(
        "Mentions of \"{}\"{} ({}) -- {} total, showing top {shown}:\n",
        one_line(&entity.name),
        day(&entity.name, entity.value.as_ref()),
        entity.entity_type.name(),
        thousands(entity.mentions),
    );
    push_notices(&mut text, &report.notices);
    for (n, contract) in (0..).zip(&report.contracts) {
        let role = match contract.role {
            PartOfContract::Party => "Party in",
            PartOfContract::Signatory => "Signatory of",
        };
        let (document, value) = (name(&contract.document_name), quote(&contract.value));
        let begin = if n == 0 { "\n" } else { "" };
        text.push_str(&format!("{begin}  {role} {document}, {}: {value}\n", contract.place.place));
    }
    let mut sources = Sources::default();
    for (n, mention) in (1..).zip(&report.mentions) {
        let roles = match mention.roles.is_empty() {
            true => String::new(),
            false => format!(" ({})", one_line(&mention.roles.join(", "))),
        };
        text.push_str(&format!("\n  {n}. {}{roles}\n", quoted(&mention.snippet, &mut sources)));
    }
    if (shown as u64) < entity.chunks {
        text.push_str(&format!("\n  ... {} more passages", thousands(entity.chunks - shown as u64)));
    }
    trimmed(text) + &sources.legend()
}

/// Place of origin and the verbatim words around a mention, whose document the sources describe.
pub(super) fn quoted<'a>(snippet: &'a Snippet, sources: &mut Sources<'a>) -> String {
    let Snippet { excerpt, provenance, chunk_id, .. } = snippet;
    let place = sources.introduced(provenance, &excerpt.citation, "\n     ");
    format!("{place}{}, chunk {}\n     {}", characters(snippet), chunk_id.short(), quote(&excerpt.text))
}

/// `[3] p. 12, ll. 4-9, chars 210-480`: a short reference to an excerpt.
pub(super) fn reference<'a>(snippet: &'a Snippet, sources: &mut Sources<'a>) -> String {
    format!("{}, {}", sources.cited(&snippet.provenance, &snippet.excerpt.citation), characters(snippet))
}

/// `chars 210-480`, with the confidence of a text that OCR read.
fn characters(Snippet { excerpt, provenance, .. }: &Snippet) -> String {
    let confidence =
        provenance.ocr_confidence.map(|confidence| format!(", OCR confidence {confidence:.2}")).unwrap_or_default();
    format!("chars {}-{}{confidence}", excerpt.char_start, excerpt.char_end)
}

pub fn together(report: &TogetherReport) -> String {
    let names: Vec<String> = report.entities.iter().map(|entity| format!("\"{}\"", one_line(&entity.name))).collect();
    let mut text = format!(
        "{} together: {}, showing {}:\n",
        names.join(" and "),
        counted(report.total, "passage"),
        report.passages.len()
    );
    push_notices(&mut text, &report.notices);
    let mut sources = Sources::default();
    for (n, passage) in (1..).zip(&report.passages) {
        text.push_str(&format!("\n  {n}. {}\n", quoted(passage, &mut sources)));
    }
    if report.passages.is_empty() {
        text.push_str("\nNo passage mentions all of them.");
        if !report.documents.is_empty() {
            let names: Vec<_> = report.documents.iter().map(|document| name(document)).collect();
            text.push_str(&format!(" These documents do: {}.", names.join("; ")));
        }
    }
    trimmed(text) + &sources.legend()
}

pub fn network(report: &EntityNetwork) -> String {
    let mut text = format!(
        "Entity graph of {}: {} entities, {} relationships\n",
        one_line(&report.collection),
        report.nodes.len(),
        report.edges.len()
    );
    push_notices(&mut text, &report.notices);
    if report.nodes.is_empty() {
        text.push_str("\nNo entities are mentioned together.");
        return text;
    }
    text.push_str("\n  ENTITIES");
    text.push_str(SURE);
    for node in &report.nodes {
        let entity = &node.entity;
        let depth =
            if node.depth > 0 { format!(", {} away", counted(node.depth.into(), "step")) } else { String::new() };
        text.push_str(&format!(
            "    {} ({}{depth}) -- {}\n",
            shorten(&entity.name, NAME_CHARS),
            entity.entity_type.name(),
            sure(entity)
        ));
    }
    text.push_str("\n  RELATIONSHIPS (mentioned in one passage, more often than by chance):\n");
    let mut sources = Sources::default();
    for edge in &report.edges {
        text.push_str(&format!(
            "    {} -- {} ({}, weight {:.2})",
            shorten(&edge.source, NAME_CHARS),
            shorten(&edge.target, NAME_CHARS),
            counted(edge.chunks.into(), "passage"),
            edge.weight
        ));
        if let Some(example) = &edge.example {
            text.push_str(&format!(": {}, chunk {}", reference(example, &mut sources), example.chunk_id.short()));
        }
        text.push('\n');
    }
    trimmed(text) + &sources.legend()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_behind_a_date_is_shown_where_it_is_written_otherwise() {
        let date = |first: &str, last: &str, precision| {
            EntityValue::Date(DateValue { first: first.to_owned(), last: last.to_owned(), precision })
        };
        let june = date("2021-06-05", "2021-06-05", DatePrecision::Day);
        assert_eq!(day("05/06/2021", Some(&june)), " (2021-06-05)");
        assert_eq!(day("2021-06-05", Some(&june)), "");
        let either = date("2021-05-06", "2021-06-05", DatePrecision::Ambiguous);
        assert_eq!(day("05/06/2021", Some(&either)), " (2021-05-06 or 2021-06-05)");
        assert_eq!(day("June 2021", Some(&date("2021-06-01", "2021-06-30", DatePrecision::Month))), " (2021-06)");
        assert_eq!(day("the year 2021", Some(&date("2021-01-01", "2021-12-31", DatePrecision::Year))), "");
        let quarter = date("2021-07-01", "2021-09-30", DatePrecision::Quarter);
        assert_eq!(day("Q3 2021", Some(&quarter)), " (2021-07-01 to 2021-09-30)");
        assert_eq!(day("Acme", None), "");
    }
}
