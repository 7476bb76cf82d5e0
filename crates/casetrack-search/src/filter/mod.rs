//! The documents and pages that are searched, and their filter for the store.

pub mod marks;

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;

use casetrack_core::{BatesRange, DocumentId, DocumentType, Error, FileFormat, Result};
use casetrack_store::{CatalogueEntry, Collection, Conditions, PageTest, Selection, WordConditions};
use glob::{MatchOptions, Pattern};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as ValueError, StrDeserializer};

use crate::in_sets::{self, SetFilter};
use casetrack_graph::chunks_with_entities;
use casetrack_host::Host;
use casetrack_host::documents::document_named;
use marks::MarkFilter;

/// Restrictions of a search. A result fulfils all of them, and one of several values of one kind. They apply while
/// candidates are collected, so a narrow restriction loses no results.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filters {
    /// Names, paths or ids of documents.
    pub documents: Vec<String>,
    pub only: Option<Arc<HashSet<DocumentId>>>,
    pub kinds: Vec<Kind>,
    /// Names of entities, as `entity_mentions` takes them; passages that mention one.
    pub entities: Vec<String>,
    /// Patterns of the documents' paths: `*` and `?` within a folder, `**` across folders, `[a-z]`; case does not matter. A
    /// pattern without a slash at its beginning may match from any folder on.
    pub paths: Vec<String>,
    pub dated: Vec<DateRange>,
    /// When documents were ingested (UTC).
    pub ingested: Vec<DateRange>,
    pub pages: Vec<PageTest>,
    pub bates: Vec<BatesRange>,
    /// Stamps of exhibits, as [`is_exhibit`](casetrack_core::is_exhibit) compares them.
    pub exhibits: Vec<String>,
    /// Numbers of paragraphs that documents count themselves.
    pub paragraphs: Vec<RangeInclusive<u32>>,
    /// Least mean confidence (0–1) of pages that were read by OCR; others pass.
    pub min_confidence: Option<f32>,
    /// Tags and fields that documents have or lack.
    pub marks: Vec<MarkFilter>,
    /// Resource sets that their files are in or are not.
    pub sets: Vec<SetFilter>,
}

impl Filters {
    /// The conditions on what is printed on pages, as queries write them.
    pub(crate) fn printed(&self) -> Vec<String> {
        let labels = self.pages.iter().filter_map(|test| match test {
            PageTest::Labelled(label) if label.contains(char::is_whitespace) => Some(format!("page:\"{label}\"")),
            PageTest::Labelled(label) => Some(format!("page:{label}")),
            _ => None,
        });
        let exhibits = self.exhibits.iter().map(|exhibit| match exhibit.contains(char::is_whitespace) {
            true => format!("exhibit:\"{exhibit}\""),
            false => format!("exhibit:{exhibit}"),
        });
        let paragraphs = self.paragraphs.iter().map(|range| match (range.start(), range.end()) {
            (first, last) if first == last => format!("paragraph:{first}"),
            (first, last) => format!("paragraph:{first}-{last}"),
        });
        let numbers = self.bates.iter().map(|range| format!("bates:{range}"));
        labels.chain(numbers).chain(exhibits).chain(paragraphs).collect()
    }
}

#[derive(Debug, Clone, Default)]
pub struct WrittenFilters {
    pub kinds: Vec<String>,
    pub entities: Vec<String>,
    pub paths: Vec<String>,
    /// First and last day on which documents were last saved: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
    pub from: Option<String>,
    pub to: Option<String>,
    /// A date or a range such as `2024-05..2024-06` or `2024..`.
    pub ingested: Option<String>,
    /// A page, a range such as `3-7`, or a printed label.
    pub pages: Option<String>,
    pub min_confidence: Option<f32>,
    /// As [`MarkFilter::tag`] takes them.
    pub tags: Vec<String>,
    /// As [`MarkFilter::field`] takes them.
    pub fields: Vec<String>,
}

impl TryFrom<WrittenFilters> for Filters {
    type Error = Error;

    fn try_from(written: WrittenFilters) -> Result<Self> {
        let WrittenFilters {
            kinds,
            entities,
            paths,
            from,
            to,
            ingested,
            pages: of_pages,
            min_confidence,
            tags,
            fields,
        } = written;
        if let Some(share) = min_confidence.filter(|share| !(0.0..=1.0).contains(share)) {
            return Err(Error::invalid(format!("min_confidence is {share}; it must be between 0 and 1.")));
        }
        let dated = match (&from, &to) {
            (None, None) => Vec::new(),
            (from, to) => vec![DateRange::between(from.as_deref(), to.as_deref())?],
        };
        Ok(Filters {
            documents: Vec::new(),
            only: None,
            entities,
            kinds: kinds.iter().map(|kind| kind.parse()).collect::<Result<_>>()?,
            paths,
            dated,
            ingested: ingested.iter().map(|range| range.parse()).collect::<Result<_>>()?,
            pages: of_pages.iter().map(|range| pages(range, true)).collect::<Result<_>>()?,
            bates: Vec::new(),
            exhibits: Vec::new(),
            paragraphs: Vec::new(),
            min_confidence,
            sets: Vec::new(),
            marks: tags
                .iter()
                .map(|tag| MarkFilter::tag(tag))
                .chain(fields.iter().map(|field| MarkFilter::field(field)))
                .collect::<Result<_>>()?,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Type(DocumentType),
    Format(FileFormat),
}

impl FromStr for Kind {
    type Err = Error;

    /// "contract", or the extension of a file.
    fn from_str(text: &str) -> Result<Self> {
        let name = text.to_lowercase();
        let deserializer: StrDeserializer<'_, ValueError> = name.as_str().into_deserializer();
        if let Ok(document_type) = DocumentType::deserialize(deserializer) {
            return Ok(Kind::Type(document_type));
        }
        FileFormat::from_extension(name.trim_start_matches('.')).map(Kind::Format).ok_or_else(|| {
            Error::invalid(format!("\"{text}\" is not a type of document or file."))
                .with_hint("Types are contract, report, spreadsheet, presentation, correspondence, memo, proposal, invoice, policy \
                     and other, and file name extensions such as pdf.")
        })
    }
}

/// Days from the first to the last, both included.
///
/// The file states when a document was last saved, or else made (a message: sent). If it states neither, the day of ingestion is the date of the
/// document. A month or a year is in a range that has any day of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DateRange {
    first: Option<Day>,
    last: Option<Day>,
}

/// Year, month, day; of a last day that is not stated, 12 and 31.
type Day = (u16, u8, u8);

impl DateRange {
    /// From the first day of one date to the last day of another (`YYYY`, `YYYY-MM` or `YYYY-MM-DD`), if given.
    pub fn between(from: Option<&str>, to: Option<&str>) -> Result<Self> {
        let first = from.map(days).transpose()?.map(|(first, _)| first);
        let last = to.map(days).transpose()?.map(|(_, last)| last);
        if first.zip(last).is_some_and(|(first, last)| first > last) {
            let message =
                format!("The dates from {} to {} are not a range.", from.unwrap_or_default(), to.unwrap_or_default());
            return Err(Error::invalid(message).with_hint("Give the earlier date first."));
        }
        Ok(Self { first, last })
    }

    /// True if any day of a date, as [`Properties`](casetrack_core::Properties) have it, is in the range; `None` if it is not a date.
    fn meets(&self, date: &str) -> Option<bool> {
        let day = date.get(..10).or_else(|| date.split('T').next())?;
        let (first, last) = days(day).ok()?;
        Some(self.first.is_none_or(|own| last >= own) && self.last.is_none_or(|own| first <= own))
    }
}

impl FromStr for DateRange {
    type Err = Error;

    /// One date, or a range `A..B` of which one end may be open.
    fn from_str(text: &str) -> Result<Self> {
        match text.split_once("..") {
            Some(("", "")) => Err(no_date(text)),
            Some((from, to)) => {
                let given = |date: &'_ str| (!date.is_empty()).then(|| date.to_owned());
                Self::between(given(from).as_deref(), given(to).as_deref())
            }
            None => Self::between(Some(text), Some(text)),
        }
    }
}

/// The first and the last day of a year, month or day.
fn days(date: &str) -> Result<(Day, Day)> {
    let mut parts = date.split('-');
    let mut number = |digits: usize, range: RangeInclusive<u16>| match parts.next() {
        None => Ok(None),
        Some(part) if part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit()) => {
            part.parse().ok().filter(|number| range.contains(number)).map(Some).ok_or_else(|| no_date(date))
        }
        Some(_) => Err(no_date(date)),
    };
    let (year, month, day) = (number(4, 1..=9999)?, number(2, 1..=12)?, number(2, 1..=31)?);
    let (Some(year), None) = (year, parts.next()) else { return Err(no_date(date)) };
    let (month, day) = (month.map(|month| month as u8), day.map(|day| day as u8));
    Ok(((year, month.unwrap_or(1), day.unwrap_or(1)), (year, month.unwrap_or(12), day.unwrap_or(31))))
}

fn no_date(text: &str) -> Error {
    Error::invalid(format!("\"{text}\" is not a date."))
        .with_hint("Write YYYY, YYYY-MM or YYYY-MM-DD, and a range as 2023-01..2023-06 or 2023..")
}

/// The numbers of paragraphs that documents count themselves: one or a range `N-M`, from 1.
pub(crate) fn paragraphs(text: &str) -> Result<RangeInclusive<u32>> {
    match pages(text, false)? {
        PageTest::Numbered(range) => Ok(range),
        _ => Err(Error::invalid(format!("\"{text}\" is not a paragraph number."))
            .with_hint("Write a number from 1, or a range as 12-14.")),
    }
}

const MAX_LABEL: usize = 40;

/// One page or a range `N-M`, from 1, or a printed label: one with letters and digits or a Roman number, any with a letter if it `is_quoted`.
pub(crate) fn pages(text: &str, is_quoted: bool) -> Result<PageTest> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    if let (Ok(first), Ok(last)) = (first.parse(), last.parse())
        && 0 < first
        && first <= last
    {
        return Ok(PageTest::Numbered(first..=last));
    }
    let is_roman = text.chars().all(|c| "ivxlcdmIVXLCDM".contains(c));
    let is_label = text.contains(char::is_alphabetic)
        && text.chars().nth(MAX_LABEL).is_none()
        && (is_quoted || is_roman || text.contains(char::is_numeric));
    match is_label {
        true => Ok(PageTest::Labelled(text.to_owned())),
        false => Err(Error::invalid(format!("\"{text}\" is not a page.")).with_hint(
            "Write a number from 1, a range as 3-7, or the label that is printed on the page, as A-1 or iv.",
        )),
    }
}

/// The chunks that a request's filters, a query's filters and its conditions on words leave; `None` if there are none of these. Notices name unknown
/// and ambiguous values, each once.
pub(crate) fn left(
    host: &Host,
    collection: &Collection,
    filters: [&Filters; 2],
    words: &WordConditions,
    notices: &mut Vec<String>,
) -> Result<Option<Arc<Selection>>> {
    let mut new = Vec::new();
    let entities = filters.map(|filters| filters.entities.as_slice());
    let mentioning = chunks_with_entities(host, collection.meta().id, &entities, &mut new)?;
    new.extend(marks::unknown(collection, filters)?);
    new.retain(|notice| !notices.contains(notice));
    notices.extend(new);
    select(host, collection, filters, mentioning, words)
}

/// The chunks that all filters and conditions leave; `None` if there are none of these. `chunks` are those that mention the
/// entities.
fn select(
    host: &Host,
    collection: &Collection,
    filters: [&Filters; 2],
    chunks: Option<Vec<(DocumentId, u32)>>,
    words: &WordConditions,
) -> Result<Option<Arc<Selection>>> {
    let mut documents: Option<Vec<DocumentId>> = None;
    for filters in filters {
        if let Some(chosen) = chosen(host, collection, filters)? {
            documents = Some(match documents {
                Some(before) => {
                    let chosen: HashSet<DocumentId> = chosen.into_iter().collect();
                    before.into_iter().filter(|id| chosen.contains(id)).collect()
                }
                None => chosen,
            });
        }
    }
    let stamped = |ranges: &[BatesRange]| ranges.iter().cloned().map(PageTest::Stamped).collect();
    let exhibits = |meant: &[String]| meant.iter().cloned().map(PageTest::Exhibit).collect();
    let numbered = |ranges: &[RangeInclusive<u32>]| ranges.iter().cloned().map(PageTest::Paragraph).collect();
    let of = |filters: &Filters| {
        let printed = [stamped(&filters.bates), exhibits(&filters.exhibits), numbered(&filters.paragraphs)];
        [filters.pages.clone()].into_iter().chain(printed)
    };
    let mut pages: Vec<Vec<PageTest>> = filters.into_iter().flat_map(of).collect();
    pages.retain(|tests| !tests.is_empty());
    let min_confidence = filters.iter().filter_map(|filters| filters.min_confidence).reduce(f32::max);
    let conditions = Conditions { documents, chunks, pages, min_confidence, words: words.clone(), expression: None };
    if conditions == Conditions::default() {
        return Ok(None);
    }
    collection.select(&conditions).map(|selection| Some(Arc::new(selection)))
}

pub(crate) fn chosen(host: &Host, collection: &Collection, filters: &Filters) -> Result<Option<Vec<DocumentId>>> {
    let Filters { documents, only, kinds, paths, dated, ingested, marks, sets, .. } = filters;
    let named = documents.iter().map(|name| document_named(collection, name).map(|document| document.id));
    let named: Vec<DocumentId> = named.collect::<Result<_>>()?;
    let are_named_only = kinds.is_empty() && paths.is_empty() && dated.is_empty() && ingested.is_empty();
    if are_named_only && marks.is_empty() && sets.is_empty() {
        return Ok(match only {
            Some(only) if named.is_empty() => Some(only.iter().copied().collect()),
            Some(only) => Some(named.into_iter().filter(|id| only.contains(id)).collect()),
            None => (!named.is_empty()).then_some(named),
        });
    }
    let patterns: Vec<Pattern> = paths.iter().map(|path| pattern(path)).collect::<Result<_>>()?;
    let options =
        MatchOptions { case_sensitive: false, require_literal_separator: true, require_literal_leading_dot: false };
    let passes = |entry: &CatalogueEntry| {
        let is_of = |kind: &Kind| match kind {
            Kind::Type(document_type) => *document_type == entry.document_type,
            Kind::Format(format) => *format == entry.format,
        };
        (named.is_empty() || named.contains(&entry.id))
            && only.as_ref().is_none_or(|only| only.contains(&entry.id))
            && (kinds.is_empty() || kinds.iter().any(is_of))
            && (patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches_with(&entry.path, options)))
            && (dated.is_empty() || dated.iter().any(|range| is_dated(entry, range)))
            && (ingested.is_empty() || ingested.iter().any(|range| was_ingested(entry, range)))
            && marks::admit(marks, &entry.marks)
    };
    let catalogue = collection.catalogue()?;
    let passing: Vec<&CatalogueEntry> = catalogue.iter().map(|entry| &**entry).filter(|entry| passes(entry)).collect();
    if sets.is_empty() {
        return Ok(Some(passing.into_iter().map(|entry| entry.id).collect()));
    }
    let admitted = in_sets::admit(host, sets, &passing)?;
    Ok(Some(passing.into_iter().zip(admitted).filter(|(_, admitted)| *admitted).map(|(entry, _)| entry.id).collect()))
}

fn is_dated(entry: &CatalogueEntry, range: &DateRange) -> bool {
    let stated = [&entry.modified, &entry.created].into_iter().flatten();
    stated.filter_map(|date| range.meets(date)).next().unwrap_or_else(|| was_ingested(entry, range))
}

fn was_ingested(entry: &CatalogueEntry, range: &DateRange) -> bool {
    range.meets(&entry.ingested_at.to_string()).unwrap_or_default()
}

fn pattern(path: &str) -> Result<Pattern> {
    let path = path.trim();
    let anchored = if path.starts_with('/') || path.contains(':') { path.to_owned() } else { format!("**/{path}") };
    Pattern::new(&anchored).map_err(|error| {
        Error::invalid(format!("\"{path}\" is not a valid path pattern: {}.", error.msg))
            .with_hint("Use * and ? within a folder, and ** for folders: contracts/**/*.pdf")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_meet_ranges_by_any_of_their_days() {
        let meets = |range: &str, date: &str| range.parse::<DateRange>().unwrap().meets(date);
        for (range, date, expected) in [
            ("2023", "2023-05-14T10:00:00+02:00", true),
            ("2023", "2024-01-01", false),
            ("2023-05", "2023-05-31T23:59:59Z", true),
            ("2023-05", "2023", true),
            ("2023-05-14", "2023-05", true),
            ("2023-05-14", "2023-06", false),
            ("2023-05..2023-07", "2023-07-31", true),
            ("2023-05..", "2023-04-30", false),
            ("..2023-05", "2023-05-31", true),
            ("..2023-05", "2023-06-01", false),
        ] {
            assert_eq!(meets(range, date), Some(expected), "{range} {date}");
        }
        assert_eq!(meets("2023", "yesterday"), None);
        for wrong in
            ["", "..", "soon", "23", "2023-13", "2023-1", "2023-01-32", "2024..2023", "2023-01-01-01", "a..2023"]
        {
            assert!(wrong.parse::<DateRange>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn pages_and_types_are_read_or_refused() {
        let numbered = |text: &str| pages(text, false).unwrap();
        assert_eq!(numbered("3"), PageTest::Numbered(3..=3));
        assert_eq!(numbered("3-7"), PageTest::Numbered(3..=7));
        for label in ["A-1", "iv", "C", "12a"] {
            assert_eq!(numbered(label), PageTest::Labelled(label.to_owned()));
        }
        assert_eq!(pages("Cover", true).unwrap(), PageTest::Labelled("Cover".into()));
        for wrong in ["", "0", "7-3", "-3", "3-", "a", "Cover"] {
            assert!(pages(wrong, false).is_err(), "{wrong}");
        }
        assert_eq!("Contract".parse::<Kind>().unwrap(), Kind::Type(DocumentType::Contract));
        assert_eq!(".PDF".parse::<Kind>().unwrap(), Kind::Format(FileFormat::Pdf));
        assert!("novel".parse::<Kind>().is_err());
    }
}
