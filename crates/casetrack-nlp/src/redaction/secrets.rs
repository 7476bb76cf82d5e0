use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use super::{Kind, Secret};
use crate::pattern_table::{Entries, Parts};

#[derive(Deserialize)]
struct Data {
    parts: Entries,
    #[serde(flatten)]
    forms: BTreeMap<Kind, BTreeMap<String, String>>,
}

/// Forms of secrets by kind. The group `s` is the secret if it is not the whole match.
static FORMS: LazyLock<Vec<(Kind, Regex)>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "a constant, read by the tests")]
    forms(include_str!("../../data/redaction/secrets.toml")).expect("a sound table")
});

fn forms(data: &str) -> Result<Vec<(Kind, Regex)>, String> {
    let data: Data = toml::from_str(data).map_err(|error| error.to_string())?;
    let parts = Parts::new(&data.parts, [])?;
    let forms = data.forms.iter().flat_map(|(kind, forms)| forms.values().map(|form| (*kind, form)));
    let form = |(kind, form): (Kind, &String)| {
        Ok((kind, Regex::new(&parts.expand(form)?).map_err(|error| format!("{form}: {error}"))?))
    };
    forms.map(form).collect()
}

pub(super) fn find(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    for (kind, regex) in FORMS.iter() {
        for captures in regex.captures_iter(text) {
            let Some(place) = captures.name("s").or_else(|| captures.get(0)) else { continue };
            found.push(Secret { kind: *kind, bytes: place.range() });
        }
    }
    found
}
