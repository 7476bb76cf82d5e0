//! Places and ids of the brief form: a range is a pair of numbers, and an id is its beginning.

use casetrack_core::ChunkId;
use serde_json::{Map, Value, json};

/// Ranges of numbers: the names of the first and the last one, and that of the pair.
const RANGES: [(&str, &str, &str); 3] = [
    ("paragraph_start", "paragraph_end", "paragraphs"),
    ("line_start", "line_end", "lines"),
    ("char_start", "char_end", "chars"),
];
/// Ranges that are objects with `start` and `end`, and the names of their pairs.
const OBJECTS: [(&str, &str); 2] = [("row_range", "rows"), ("column_range", "columns")];

/// Writes the ranges of a place as pairs: `lines: [1, 19]`.
pub(super) fn pair(place: &mut Map<String, Value>) {
    for (first, last, both) in RANGES {
        if place.contains_key(first) && place.contains_key(last) && !place.contains_key(both) {
            let range = [first, last].map(|end| place.remove(end).unwrap_or_default());
            place.insert(both.into(), json!(range));
        }
    }
    for (range, both) in OBJECTS {
        if let Some(Value::Object(ends)) = place.remove(range) {
            place.insert(both.into(), json!([ends.get("start"), ends.get("end")]));
        }
    }
}

/// Adds the pairs to the properties of a place. Returns the fields that are left out for them.
pub(super) fn describe(properties: &mut Map<String, Value>) -> Vec<&'static str> {
    let mut left_out = Vec::new();
    let mut pairs = Vec::new();
    for (first, last, both) in RANGES {
        if properties.contains_key(first) {
            left_out.extend([first, last]);
            pairs.push(both);
        }
    }
    pairs.extend(OBJECTS.into_iter().filter(|(range, _)| properties.contains_key(*range)).map(|(_, both)| both));
    for both in pairs {
        let what = if both == "chars" {
            "The first character, and the one behind the last."
        } else {
            "The first and the last."
        };
        let described = json!({"type": "array", "items": {"type": "integer"}, "description": what});
        properties.entry(both).or_insert(described);
    }
    left_out
}

/// The citation that the numbers of a place give: `p. 12, paras. 8-9, ll. 1-4`.
pub(super) fn cited(place: &Map<String, Value>) -> Option<String> {
    let numbered = |field: &str, one: &str, many: &str| {
        let [first, last] = place.get(field)?.as_array()?.as_slice() else { return None };
        Some(if first == last { format!("{one} {first}") } else { format!("{many} {first}-{last}") })
    };
    let (paragraphs, lines) = (numbered("paragraphs", "para.", "paras.")?, numbered("lines", "l.", "ll.")?);
    Some(format!("p. {}, {paragraphs}, {lines}", place.get("page")?))
}

/// Shortens the IDs of chunks and of their documents. Tools accept the beginning of both.
pub(super) fn shorten_ids(fields: &mut Map<String, Value>) {
    let is_named = fields.contains_key("document_name");
    for name in ["chunk_id", "next_chunk_id", "document_id"] {
        if let Some(id) = fields.get_mut(name).filter(|_| name != "document_id" || is_named) {
            shorten_id(id);
        }
    }
}

pub(super) fn shorten_id(id: &mut Value) {
    let short = id.as_str().filter(|text| text.len() == LONG).and_then(|text| text.parse::<ChunkId>().ok());
    if let Some(short) = short {
        *id = short.short().into();
    }
}

/// Characters of an id with its hyphens.
const LONG: usize = 36;
