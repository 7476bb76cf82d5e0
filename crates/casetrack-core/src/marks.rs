//! Tags and fields that users give to documents.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Error, Result, same_text};

/// Most tags and most fields of a document.
pub const MAX_MARKS: usize = 100;
/// Longest tag or name of a field, in characters.
pub const MAX_NAME_CHARS: usize = 100;
/// Longest value of a field, in characters.
pub const MAX_VALUE_CHARS: usize = 1000;

/// The user's own marks of a document. They stay when the document is ingested again, renamed or moved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Marks {
    /// In alphabetical order. Case makes no difference between tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Values by the names of the fields. Case makes no difference between names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, String>,
}

impl Marks {
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.fields.is_empty()
    }

    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|own| same(own, tag))
    }

    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(own, _)| same(own, name)).map(|(_, value)| value.as_str())
    }

    /// Adds a tag, unless it is there. Errors: [`ErrorCode::InvalidArgument`](crate::ErrorCode) for one that is empty,
    /// too long or not on one line, and if there are [`MAX_MARKS`] already.
    pub fn add_tag(&mut self, tag: &str) -> Result<()> {
        let tag = checked("tag", tag, MAX_NAME_CHARS)?;
        if !self.has_tag(tag) {
            check_count("tags", self.tags.len())?;
            self.tags.push(tag.to_owned());
            self.tags.sort_by_key(|tag| same_text::folded(tag));
        }
        Ok(())
    }

    pub fn remove_tag(&mut self, tag: &str) {
        self.tags.retain(|own| !same(own, tag));
    }

    /// Gives a field a value, in place of the one it has. Errors as [`add_tag`](Self::add_tag).
    pub fn set_field(&mut self, name: &str, value: &str) -> Result<()> {
        let name = checked("name of a field", name, MAX_NAME_CHARS)?;
        if name.contains('=') {
            return Err(Error::invalid(format!("\"{name}\" cannot be the name of a field, because it has a \"=\".")));
        }
        let value = checked("value of a field", value, MAX_VALUE_CHARS)?;
        let known = self.fields.keys().find(|own| same(own, name)).cloned();
        if known.is_none() {
            check_count("fields", self.fields.len())?;
        }
        self.fields.insert(known.unwrap_or_else(|| name.to_owned()), value.to_owned());
        Ok(())
    }

    pub fn clear_field(&mut self, name: &str) {
        self.fields.retain(|own, _| !same(own, name));
    }
}

/// True if two tags, names or values of fields are the same: case and forms of one text ([`same_text`]) make no difference, nor do umlauts spelt
/// with an `e`; accents do.
pub fn same(a: &str, b: &str) -> bool {
    let spelt = |text: &str| {
        let folded = same_text::folded(text);
        same_text::with_umlauts_spelt_out(&folded).unwrap_or(folded)
    };
    let (a, b) = (a.trim(), b.trim());
    a == b || spelt(a) == spelt(b)
}

fn checked<'t>(what: &str, text: &'t str, most: usize) -> Result<&'t str> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::invalid(format!("A {what} is empty.")));
    }
    if text.chars().count() > most {
        return Err(Error::invalid(format!("A {what} has more than {most} characters.")));
    }
    match text.contains(char::is_control) {
        true => Err(Error::invalid(format!("A {what} must be one line of text."))),
        false => Ok(text),
    }
}

fn check_count(what: &str, count: usize) -> Result<()> {
    match count < MAX_MARKS {
        true => Ok(()),
        false => Err(Error::invalid(format!("A document can have at most {MAX_MARKS} {what}."))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_makes_no_difference() {
        let mut marks = Marks::default();
        for tag in ["Privileged", " privileged ", "hot"] {
            marks.add_tag(tag).unwrap();
        }
        marks.set_field("Custodian", "Smith").unwrap();
        marks.set_field("custodian", " Jones ").unwrap();
        assert_eq!(marks.tags, ["hot", "Privileged"]);
        assert_eq!(marks.fields.iter().next(), Some((&"Custodian".to_owned(), &"Jones".to_owned())));
        assert_eq!(marks.field("CUSTODIAN"), Some("Jones"));
        marks.remove_tag("PRIVILEGED");
        marks.remove_tag("hot");
        marks.clear_field("custodian");
        assert!(marks.is_empty());
    }

    #[test]
    fn forms_of_one_text_make_no_difference() {
        for (a, b) in [
            ("Prüfung", "Pru\u{308}fung"),
            ("O'Brien", "O’Brien"),
            ("Stufe １", "Stufe 1"),
            ("Straße", "STRASSE"),
            ("a–b", "a-b"),
            ("Geprüft", "geprueft"),
            ("Größe", "GROESSE"),
        ] {
            assert!(same(a, b), "{a} {b}");
        }
        assert!(!same("Cote", "Côté") && !same("Gepruft", "Geprüft"));
    }

    #[test]
    fn marks_are_bounded() {
        let mut marks = Marks::default();
        for wrong in ["", " ", "a\nb", &"x".repeat(MAX_NAME_CHARS + 1)] {
            assert!(marks.add_tag(wrong).is_err() && marks.set_field(wrong, "x").is_err(), "{wrong}");
        }
        assert!(marks.set_field("a=b", "x").is_err() && marks.set_field("a", "").is_err());
        (0..MAX_MARKS).for_each(|n| marks.add_tag(&n.to_string()).unwrap());
        assert!(marks.add_tag("one more").is_err() && marks.add_tag("1").is_ok());
    }
}
