//! The document of the collection that a reference by title or file name means.

use casetrack_core::{DatePrecision, EntityType, EntityValue};

use super::fold::words;
use super::node::without_extension;
use super::versions::VersionName;
use super::{Document, Graph};

/// A document must fit this well (0–1), and better than every other by [`LEAD`], to be the one that the name refers to.
const FIT: f64 = 0.5;
const LEAD: f64 = 0.05;
/// The amount that a date in the reference adds to a document's fit, or takes from one that has other dates of its own.
const DATED: f64 = 0.3;

struct ReferenceName {
    name: VersionName,
    date: Option<String>,
}

impl Graph {
    /// The document that the name means in the document at `from`; never `from` itself. `None` if none fits, or several
    /// do equally well, or `from` itself fits best: "this Agreement". Cost: a comparison for each document.
    pub(super) fn resolve_document(&self, name: &str, from: Option<u32>) -> Option<u32> {
        let wanted = ReferenceName::parse(name)?;
        let (mut best, mut second) = ((0.0, None), 0.0);
        for (slot, document) in self.walk() {
            let fit = wanted.fit(document);
            if fit > best.0 {
                second = best.0;
                best = (fit, Some(slot));
            } else if fit > second {
                second = fit;
            }
        }
        best.1.filter(|slot| best.0 >= FIT && best.0 - second >= LEAD && from != Some(*slot))
    }

    /// True if the name may refer to a document, regardless of other documents.
    pub(super) fn may_mean(name: &str, document: &Document) -> bool {
        ReferenceName::parse(name).is_some_and(|wanted| wanted.fit(document) >= FIT)
    }
}

impl ReferenceName {
    fn parse(name: &str) -> Option<Self> {
        let (title, date) = match name.trim().strip_suffix(')').and_then(|name| name.rsplit_once(" (")) {
            Some((title, date)) if date.len() >= 4 && date.chars().all(|c| c.is_ascii_digit() || c == '-') => {
                (title, Some(date.to_owned()))
            }
            _ => (name, None),
        };
        let name = VersionName::parse(without_extension(title)).filter(|name| !name.base.is_empty())?;
        Some(Self { name, date })
    }

    /// The fit of a document, 0–1 and a little.
    fn fit(&self, document: &Document) -> f64 {
        let by_name = document.info.names.iter().map(|name| self.fit_name(name)).fold(0.0, f64::max);
        match &self.date {
            Some(date) if by_name > 0.0 => by_name + self.fit_date(date, document),
            _ => by_name,
        }
    }

    fn fit_name(&self, name: &VersionName) -> f64 {
        if name == &self.name {
            return 1.0;
        }
        // "Credit Agreement" may be called "Credit Agreement v2", but not "Amendment No. 1 to the Credit Agreement"; "v1" is not "v2".
        let marked = self.name.marker != Default::default();
        if marked && self.name.marker != name.marker || !marked && name.marker.amendment.is_some() {
            return 0.0;
        }
        let (wanted, given) = (&self.name.base, &name.base);
        let count = |base: &str| words(base).count();
        let within = |some: &str, all: &str| words(some).all(|word| words(all).any(|other| other == word));
        if wanted == given {
            0.9
        } else if within(wanted, given) || within(given, wanted) {
            let (shorter, longer) = (count(wanted).min(count(given)), count(wanted).max(count(given)));
            if shorter > 1 { 0.9 * shorter as f64 / longer as f64 } else { 0.0 }
        } else {
            0.0
        }
    }

    /// The fit of dates that a document describes, such as its own.
    fn fit_date(&self, date: &str, document: &Document) -> f64 {
        let mut own = false;
        for note in &document.roles {
            let entity = &document.entities[note.entity as usize].1;
            if entity.kind == EntityType::Date && super::timeline::is_of_document(&note.role) {
                let Some(EntityValue::Date(value)) = entity.value.as_deref() else { continue };
                if value.precision == DatePrecision::Ambiguous {
                    continue;
                }
                own = true;
                if value.first.starts_with(date) {
                    return DATED;
                }
            }
        }
        if own { -DATED } else { 0.0 }
    }
}
