//! Filters by the user's own tags and fields.

use std::collections::BTreeSet;

use casetrack_core::marks::{Marks, same};
use casetrack_core::{Error, Result};
use casetrack_store::Collection;

use super::Filters;

const MAX_NAMED: usize = 20;

/// Documents that have a tag or the value of a field, or that do not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkFilter {
    pub excluded: bool,
    pub mark: Mark,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    Tag(String),
    Field { name: String, value: Option<String> },
}

impl MarkFilter {
    /// `privileged`, or `-privileged` for documents without the tag.
    pub fn tag(text: &str) -> Result<Self> {
        let (excluded, tag) = signed(text);
        match tag.is_empty() {
            true => Err(Error::invalid("A tag is empty.")
                .with_hint("Write it as privileged, or -privileged for documents without it.")),
            false => Ok(Self { excluded, mark: Mark::Tag(tag.to_owned()) }),
        }
    }

    /// `custodian=Smith`, `custodian` for any value, `-custodian=Smith` for documents whose field has no such value.
    pub fn field(text: &str) -> Result<Self> {
        let (excluded, field) = signed(text);
        let (name, value) = field.split_once('=').map_or((field, None), |(name, value)| (name, Some(value.trim())));
        if name.trim().is_empty() || value.is_some_and(str::is_empty) {
            let message = format!("\"{text}\" is not a field with its value.");
            return Err(Error::invalid(message).with_hint("Write it as custodian=Smith, or custodian for any value."));
        }
        Ok(Self { excluded, mark: Mark::Field { name: name.trim().to_owned(), value: value.map(str::to_owned) } })
    }
}

fn signed(text: &str) -> (bool, &str) {
    let text = text.trim();
    text.strip_prefix('-').map_or((false, text), |rest| (true, rest.trim()))
}

impl Mark {
    fn is_of(&self, marks: &Marks) -> bool {
        match self {
            Mark::Tag(tag) => marks.has_tag(tag),
            Mark::Field { name, value } => {
                marks.field(name).is_some_and(|own| value.as_ref().is_none_or(|value| same(own, value)))
            }
        }
    }

    /// True if two filters have the same subject, so that a document needs only one of them.
    fn is_alternative(&self, other: &Self) -> bool {
        match (self, other) {
            (Mark::Tag(_), Mark::Tag(_)) => true,
            (Mark::Field { name, .. }, Mark::Field { name: other, .. }) => same(name, other),
            _ => false,
        }
    }
}

/// True if a document has any of the tags, any of the values of each field, and nothing excluded.
pub fn admit(filters: &[MarkFilter], marks: &Marks) -> bool {
    let wanted = || filters.iter().filter(|filter| !filter.excluded);
    let has_alternative =
        |filter: &MarkFilter| wanted().any(|other| filter.mark.is_alternative(&other.mark) && other.mark.is_of(marks));
    filters.iter().all(|filter| if filter.excluded { !filter.mark.is_of(marks) } else { has_alternative(filter) })
}

/// A notice for each tag and field of the filters that no document has.
pub(crate) fn unknown(collection: &Collection, filters: [&Filters; 2]) -> Result<Vec<String>> {
    let mut notices = Vec::new();
    for filter in filters.into_iter().flat_map(|filters| &filters.marks) {
        let catalogue = collection.catalogue()?;
        let is_known = |marks: &Marks| match &filter.mark {
            Mark::Tag(tag) => marks.has_tag(tag),
            Mark::Field { name, .. } => marks.field(name).is_some(),
        };
        if catalogue.iter().any(|entry| is_known(&entry.marks)) {
            continue;
        }
        let (what, name) = match &filter.mark {
            Mark::Tag(tag) => ("tag", tag),
            Mark::Field { name, .. } => ("field", name),
        };
        let known: BTreeSet<&str> = match &filter.mark {
            Mark::Tag(_) => catalogue.iter().flat_map(|entry| &entry.marks.tags).map(String::as_str).collect(),
            Mark::Field { .. } => {
                catalogue.iter().flat_map(|entry| entry.marks.fields.keys()).map(String::as_str).collect()
            }
        };
        let named: Vec<&str> = known.into_iter().take(MAX_NAMED).collect();
        let others = if named.is_empty() { String::new() } else { format!(" There are: {}.", named.join(", ")) };
        notices.push(format!("No document has the {what} \"{name}\".{others}"));
    }
    Ok(notices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_of_the_values_and_none_of_the_excluded() {
        let mut marks = Marks::default();
        marks.add_tag("Privileged").unwrap();
        marks.set_field("custodian", "Ann Lee").unwrap();
        let tag = |text| MarkFilter::tag(text).unwrap();
        let field = |text| MarkFilter::field(text).unwrap();
        for (filters, expected) in [
            (vec![], true),
            (vec![tag("privileged")], true),
            (vec![tag("hot"), tag("privileged")], true),
            (vec![tag("hot")], false),
            (vec![tag("-privileged")], false),
            (vec![tag("-hot"), field("Custodian=ann lee")], true),
            (vec![field("custodian=Smith"), field("custodian=Ann Lee")], true),
            (vec![field("custodian=Ann Lee"), field("matter=7")], false),
            (vec![field("custodian")], true),
            (vec![field("-custodian=Smith")], true),
            (vec![tag("privileged"), field("-custodian")], false),
        ] {
            assert_eq!(admit(&filters, &marks), expected, "{filters:?}");
        }
        for wrong in ["", "-", " "] {
            assert!(MarkFilter::tag(wrong).is_err() && MarkFilter::field(wrong).is_err());
        }
        assert!(MarkFilter::field("=x").is_err() && MarkFilter::field("x=").is_err());
    }
}
