//! The brief form of structured content: `sources` describes each document once, and passages refer to it by number.

use serde_json::{Map, Value, json};

use super::places;

/// The list of documents, in the root of an answer.
pub(crate) const SOURCES: &str = "sources";
/// In provenance, the number of a source; in a source, its own.
pub(crate) const SOURCE: &str = "source";
const NUMBER: &str = "number";
const PROVENANCE: &str = "provenance";
/// Fields of provenance that describe the document and not the place in it. A document whose pages were read in two ways is two sources.
const OF_SOURCE: [&str; 8] = [
    "document_id",
    "document_name",
    "file_path",
    "sha256",
    "unpaged",
    "extraction_method",
    "created_at",
    "embedded_at",
];
/// The place of an excerpt, in the fields of provenance.
const PLACE: [&str; 7] =
    ["paragraph_start", "paragraph_end", "line_start", "line_end", "row_range", "char_start", "char_end"];
/// The stages of a score.
const STAGES: [&str; 5] = ["bm25", "dense", "sparse", "late", "preferred"];
/// Fields of passages that repeat others or matter to few calls.
const REPEATED: [&str; 4] = ["excerpt", "embeddings", "short_citation", "chunk_count"];
/// Begins a citation that is complete: no file name in it has to be marked. No path has this character.
pub(super) const SHORT: char = '\0';
/// Decimals of scores.
const DECIMALS: f64 = 1e4;

/// The sources collected while an answer is shortened.
pub(super) struct Brief {
    sources: Vec<Map<String, Value>>,
    /// The call asked for the stages of scores.
    explain: bool,
}

impl Brief {
    pub fn new(explain: bool) -> Self {
        Self { sources: Vec::new(), explain }
    }

    /// Shortens an answer and adds its sources.
    pub fn shorten(mut self, answer: &mut Value) {
        self.part(answer, true);
        if let (Value::Object(fields), false) = (answer, self.sources.is_empty()) {
            fields.insert(SOURCES.into(), self.sources.into());
        }
    }

    fn part(&mut self, value: &mut Value, is_root: bool) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.part(item, false)),
            Value::Object(fields) => self.object(fields, is_root),
            Value::Number(number) if number.is_f64() => {
                let rounded = number.as_f64().map(|number| (number * DECIMALS).round() / DECIMALS);
                *value = rounded.map_or(Value::Null, Value::from);
            }
            _ => {}
        }
    }

    fn object(&mut self, fields: &mut Map<String, Value>, is_root: bool) {
        if fields.contains_key("entity_type") {
            fields.remove("key");
        }
        // The columns of a sheet are listed once: a row has no cell of those in which nothing was found.
        if fields.contains_key("cells") {
            fields.remove("not_found");
        }
        if is_event(fields) {
            event(fields);
        }
        if let Some(Value::Object(mut place)) = fields.remove(PROVENANCE) {
            if is_provenance(&place) {
                self.passage(fields, &mut place, is_root);
            }
            fields.insert(PROVENANCE.into(), place.into());
        }
        if let Some(Value::Object(example)) = fields.get_mut("example") {
            self.object(example, false);
            example.remove("quote");
            if let Some(id) = example.get_mut("document") {
                places::shorten_id(id);
            }
        }
        if !is_root && fields.contains_key("chunk_id") && !fields.contains_key("place") {
            places::pair(fields);
        }
        places::shorten_ids(fields);
        fields.values_mut().for_each(|field| self.part(field, false));
    }

    /// Shortens a passage, or an excerpt of one, whose provenance is `place`.
    fn passage(&mut self, fields: &mut Map<String, Value>, place: &mut Map<String, Value>, is_root: bool) {
        let name = place.get("document_name").and_then(Value::as_str).unwrap_or_default().to_owned();
        if !is_root {
            place.remove("sha256");
            place.remove("chunk_index");
        }
        let number = self.number(place);
        place.insert(SOURCE.into(), number.into());
        shorten_headings(place, is_root);
        let has_text = fields.contains_key("text");
        if let (Some(Value::Object(mut excerpt)), false) = (fields.remove("excerpt"), has_text) {
            for part in PLACE {
                place.extend(excerpt.remove(part).map(|value| (part.to_owned(), value)));
            }
            // Those of the mention itself are exact places.
            fields.retain(|field, _| !PLACE.contains(&field.as_str()));
            place.remove("heading_path");
            fields.extend(excerpt.remove("text").map(|text| ("quote".to_owned(), text)));
            fields.extend(excerpt.remove("citation").map(|citation| ("citation".to_owned(), citation)));
        }
        if !is_root {
            REPEATED.into_iter().for_each(|field| drop(fields.remove(field)));
        }
        if !self.explain {
            STAGES.into_iter().for_each(|stage| drop(fields.remove(stage)));
        }
        places::pair(place);
        let mut is_repeated = false;
        if let Some(Value::String(citation)) = fields.get_mut("citation")
            && let Some(after) = citation.strip_prefix(&name)
        {
            let after = after.trim_start_matches([',', ' ']);
            is_repeated = !is_root && places::cited(place).is_some_and(|cited| cited == after);
            *citation = format!("{SHORT}[{number}] {after}");
        }
        if is_repeated {
            fields.remove("citation");
        }
    }

    /// Moves the description of the document out of provenance. Returns its number, from 1.
    fn number(&mut self, place: &mut Map<String, Value>) -> usize {
        let mut source = Map::new();
        for field in OF_SOURCE {
            source.extend(place.remove(field).map(|value| (field.to_owned(), value)));
        }
        places::shorten_ids(&mut source);
        let is_same =
            |known: &Map<String, Value>| OF_SOURCE.iter().all(|field| known.get(*field) == source.get(*field));
        if let Some(at) = self.sources.iter().position(is_same) {
            return at + 1;
        }
        let number = self.sources.len() + 1;
        source.insert(NUMBER.into(), number.into());
        self.sources.push(source);
        number
    }
}

/// A brief passage has only the heading right above it.
fn shorten_headings(place: &mut Map<String, Value>, is_root: bool) {
    match place.get_mut("heading_path") {
        Some(Value::Array(headings)) if headings.is_empty() => drop(place.remove("heading_path")),
        Some(Value::Array(headings)) if !is_root => drop(headings.drain(..headings.len() - 1)),
        _ => {}
    }
}

/// True for an event of a timeline, and for the properties of its schema.
fn is_event(fields: &Map<String, Value>) -> bool {
    EVENT.iter().all(|field| fields.contains_key(*field))
}

const EVENT: [&str; 6] = ["date", "written", "description", "importance", "mentions", "documents"];

/// Leaves out of an event what its source shows: the documents in the description, and counts of one. The description is the role.
fn event(fields: &mut Map<String, Value>) {
    fields.remove("description");
    if let Some(Value::String(role)) = fields.remove("role") {
        let mut letters = role.chars();
        let first = letters.next().map(|first| first.to_uppercase().collect::<String>()).unwrap_or_default();
        fields.insert("description".into(), (first + letters.as_str()).into());
    }
    for count in ["mentions", "documents"] {
        if fields[count] == 1 {
            fields.remove(count);
        }
    }
    if fields["date"]["precision"] == "day" {
        let day = fields["date"]["first"].clone();
        fields.insert("date".into(), day);
    }
    for source in fields.get_mut(SOURCES).and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(place) = source.get_mut("place").and_then(Value::as_object_mut) {
            place.remove("document");
        }
        if let Some(id) = source.pointer_mut("/document/id") {
            places::shorten_id(id);
        }
    }
}

fn is_provenance(fields: &Map<String, Value>) -> bool {
    ["document_id", "file_path", "page", "char_start"].iter().all(|field| fields.contains_key(*field))
}

/// Leaves out the sources of passages that were cut off.
pub(super) fn prune(answer: &mut Value) {
    let Some(Value::Array(mut sources)) = answer.as_object_mut().and_then(|fields| fields.remove(SOURCES)) else {
        return;
    };
    let mut used = Vec::new();
    references(answer, &mut used);
    sources.retain(|source| source[NUMBER].as_u64().is_some_and(|number| used.contains(&number)));
    if let (Value::Object(fields), false) = (answer, sources.is_empty()) {
        fields.insert(SOURCES.into(), sources.into());
    }
}

fn references(value: &Value, used: &mut Vec<u64>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| references(item, used)),
        Value::Object(fields) => {
            if let Some(place) = fields.get(PROVENANCE) {
                used.extend(place[SOURCE].as_u64());
            }
            fields.values().for_each(|field| references(field, used));
        }
        _ => {}
    }
}

/// The name of the document that a citation such as `[3] p. 12` means, and the rest of the citation.
pub(crate) fn cited<'a>(answer: &'a Value, citation: &'a str) -> Option<(&'a str, &'a str)> {
    let (number, place) = citation.strip_prefix('[')?.split_once("] ")?;
    Some((named(answer, number.parse().ok()?)?, place))
}

/// The citation of a passage that has none of its own, because its brief provenance has the same numbers.
pub(crate) fn placed(answer: &Value, passage: &Map<String, Value>) -> Option<String> {
    let place = passage.get(PROVENANCE)?.as_object()?;
    let name = named(answer, place.get(SOURCE)?.as_u64()?)?;
    Some(format!("{name}, {}", places::cited(place)?))
}

/// The name of the document with a number.
fn named(answer: &Value, number: u64) -> Option<&str> {
    let sources = answer.get(SOURCES)?.as_array()?;
    sources.iter().find(|source| source[NUMBER] == number)?["document_name"].as_str()
}

/// Adds the fields of the brief form to the schema of a response, and makes those optional that it leaves out.
pub(super) fn describe(schema: &mut Map<String, Value>) {
    let mut source = None;
    describe_part(schema, &mut source);
    if let (Some(Value::Object(properties)), Some(source)) = (schema.get_mut("properties"), source) {
        let description = "The documents of the passages, each once: in the brief form, provenance and citations refer to them by number.";
        properties
            .insert(SOURCES.into(), json!({"type": "array", "description": description, "items": Value::from(source)}));
    }
}

fn describe_part(schema: &mut Map<String, Value>, source: &mut Option<Map<String, Value>>) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let [passage, excerpt, text, entity, chunk, cells] =
            [PROVENANCE, "excerpt", "text", "entity_type", "chunk_id", "cells"]
                .map(|name| properties.contains_key(name));
        let mut optional: Vec<&str> = Vec::new();
        if is_event(properties) {
            optional.extend(["description", "mentions", "documents"]);
            if let Some(date) = properties.get_mut("date") {
                let day = json!({"type": "string", "description": "A day, in the brief form."});
                *date = json!({"anyOf": [date.take(), day]});
            }
        }
        if is_provenance(properties) || chunk {
            optional.extend(places::describe(properties));
        }
        if is_provenance(properties) {
            optional.extend(OF_SOURCE.iter().chain(&["heading_path", "chunk_index"]));
            let fields: Map<String, Value> = OF_SOURCE
                .iter()
                .filter_map(|field| Some(((*field).to_owned(), properties.get(*field)?.clone())))
                .chain([(NUMBER.to_owned(), json!({"type": "integer"}))])
                .collect();
            source.get_or_insert_with(|| {
                json!({"type": "object", "properties": fields, "required": [NUMBER, "document_name", "file_path"]})
                    .as_object()
                    .cloned()
                    .unwrap_or_default()
            });
            properties.insert(SOURCE.into(), json!({"type": "integer", "description": "The number in sources."}));
        } else if passage {
            optional.extend(REPEATED.iter().chain(&PLACE).chain(&["citation"]));
            if excerpt && !text {
                let added = [("quote", "The words of the excerpt."), ("citation", "Its source and place.")];
                for (name, description) in added {
                    properties.insert(name.into(), json!({"type": "string", "description": description}));
                }
            }
        }
        optional.extend(entity.then_some("key"));
        optional.extend(cells.then_some("not_found"));
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            required.retain(|name| !optional.iter().any(|optional| name == optional));
        }
    }
    for value in schema.values_mut() {
        match value {
            Value::Object(inner) => describe_part(inner, source),
            Value::Array(branches) => {
                branches.iter_mut().filter_map(Value::as_object_mut).for_each(|branch| describe_part(branch, source));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn provenance(document: &str) -> Value {
        json!({
            "document_id": document, "document_name": "My file.txt", "file_path": "/a/My file.txt", "sha256": "ab",
            "extraction_method": "Native", "created_at": "2026", "embedded_at": "2026", "page": 3, "paragraph_start": 1,
            "paragraph_end": 2, "line_start": 1, "line_end": 9, "char_start": 0, "char_end": 500, "heading_path": ["1.", "1.2"],
            "chunk_index": 4,
        })
    }

    #[test]
    fn each_document_is_described_once_and_passages_refer_to_it() {
        let id = "4f2ac183-cc10-5569-857f-f00b372e8728";
        let passage = |document: &str, citation: &str| {
            json!({
                "chunk_id": id, "text": "words", "citation": citation, "short_citation": "My file, p. 3", "chunk_count": 5,
                "embeddings": ["E1"], "excerpt": {"text": "words"}, "provenance": provenance(document), "score": 0.888_888_8,
                "bm25": {"rank": 1},
            })
        };
        let cited = "My file.txt, p. 3, paras. 1-2, ll. 1-9";
        let answer =
            json!({"results": [passage(id, cited), passage("d2", "My file.txt, p. 3 (Bates X7)"), passage(id, cited)]});
        let mut brief = answer.clone();
        Brief::new(false).shorten(&mut brief);
        let expected = |source: u64| {
            json!({
                "chunk_id": "4f2ac183", "text": "words", "score": 0.8889,
                "provenance": {
                    "source": source, "page": 3, "paragraphs": [1, 2], "lines": [1, 9], "chars": [0, 500], "heading_path": ["1.2"],
                },
            })
        };
        let mut other = expected(2);
        other["citation"] = "\0[2] p. 3 (Bates X7)".into();
        assert_eq!(brief["results"], json!([expected(1), other, expected(1)]));
        let ids = [0usize, 1].map(|n| [&brief["sources"][n]["document_id"], &brief["sources"][n]["number"]]);
        assert_eq!(ids, [[&json!("4f2ac183"), &json!(1)], [&json!("d2"), &json!(2)]]);
        assert!(brief["sources"][0].get("sha256").is_none(), "{brief}");
        assert_eq!(placed(&brief, brief["results"][2].as_object().unwrap()).unwrap(), cited);
        assert_eq!(super::cited(&brief, "[2] p. 3, ll. 1-9"), Some(("My file.txt", "p. 3, ll. 1-9")));
        assert_eq!((super::cited(&brief, "[3] p. 3"), super::cited(&brief, "My file.txt, p. 3")), (None, None));
        brief["results"].as_array_mut().unwrap().truncate(1);
        prune(&mut brief);
        assert_eq!(brief["sources"].as_array().unwrap().len(), 1);
        let mut explained = answer;
        Brief::new(true).shorten(&mut explained);
        assert_eq!(explained["results"][0]["bm25"], json!({"rank": 1}));
        // The answer about one passage has its citation and all of its provenance.
        let mut one = passage(id, cited);
        Brief::new(false).shorten(&mut one);
        assert_eq!(one["citation"], "\0[1] p. 3, paras. 1-2, ll. 1-9");
        assert_eq!((&one["provenance"]["chunk_index"], &one["sources"][0]["sha256"]), (&json!(4), &json!("ab")));
    }

    #[test]
    fn an_excerpt_has_its_own_place_in_provenance() {
        let snippet = json!({
            "chunk_id": "c", "provenance": provenance("d"), "char_start": 21, "char_end": 24,
            "excerpt": {
                "text": "due in May", "citation": "My file.txt, p. 3, para. 2, l. 2", "paragraph_start": 2, "paragraph_end": 2,
                "line_start": 2, "line_end": 2, "char_start": 20, "char_end": 30, "row_range": {"start": 7, "end": 8},
            },
        });
        let mut answer = json!({"mentions": [snippet], "edges": [{"source": "A", "example": snippet}]});
        Brief::new(false).shorten(&mut answer);
        let mention = &answer["mentions"][0];
        // It would have the same numbers as the place.
        assert_eq!((&mention["quote"], mention.get("citation")), (&json!("due in May"), None));
        let place = json!({
            "source": 1, "page": 3, "paragraphs": [2, 2], "lines": [2, 2], "chars": [20, 30], "rows": [7, 8],
        });
        assert_eq!(mention["provenance"], place);
        assert!(mention.get("char_start").is_none() && mention.get("excerpt").is_none(), "{mention}");
        let edge = &answer["edges"][0];
        assert_eq!((&edge["source"], &edge["example"]["provenance"]), (&json!("A"), &place));
        assert!(edge["example"].get("quote").is_none(), "{edge}");
    }

    #[test]
    fn an_event_is_a_day_and_what_it_is() {
        let day = json!({"first": "2025-03-03", "last": "2025-03-03", "precision": "day"});
        let event = json!({
            "date": day, "written": "3 March 2025", "role": "agreement date", "description": "Agreement date (My file (1).txt)",
            "importance": 0.72, "mentions": 1, "documents": 1,
        });
        let mut mentioned = event.clone();
        mentioned.as_object_mut().unwrap().remove("role");
        mentioned["description"] = "Mentioned (My file.txt and Other.txt)".into();
        mentioned["documents"] = 2.into();
        mentioned["date"]["precision"] = "month".into();
        let date = mentioned["date"].clone();
        let mut answer = json!({"events": [event, mentioned]});
        Brief::new(false).shorten(&mut answer);
        let expected = json!([
            {"date": "2025-03-03", "written": "3 March 2025", "description": "Agreement date", "importance": 0.72},
            {"date": date, "written": "3 March 2025", "importance": 0.72, "documents": 2},
        ]);
        assert_eq!(answer["events"], expected);
    }
}
