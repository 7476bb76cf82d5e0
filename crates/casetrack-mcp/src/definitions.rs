//! Schemas as files: repeated parts become definitions, and short values are on one line.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::schema::JsonObject;

/// Shortest schema that becomes a definition, in bytes.
const MIN_DEFINITION: usize = 120;
/// Longest line that holds a whole value, in characters.
const LINE: usize = 160;

/// The schema with its repeated parts under `$defs`, each named by the first property that has it.
pub(crate) fn with_definitions(schema: &JsonObject) -> JsonObject {
    let mut schema = schema.clone();
    let mut definitions = Definitions::default();
    definitions.count(&mut schema);
    definitions.replace("", &mut schema);
    if !definitions.schemas.is_empty() {
        schema.insert("$defs".into(), definitions.schemas.into());
    }
    schema
}

#[derive(Default)]
struct Definitions {
    /// By the schema without its description. A repeated schema counts once, with its parts.
    counts: HashMap<String, usize>,
    names: HashMap<String, String>,
    schemas: JsonObject,
}

impl Definitions {
    fn count(&mut self, schema: &mut JsonObject) {
        each_child("", schema, &mut |_, child| {
            let count = self.counts.entry(without_description(child)).or_default();
            *count += 1;
            if *count == 1 {
                self.count(child);
            }
        });
    }

    fn replace(&mut self, name: &str, schema: &mut JsonObject) {
        each_child(name, schema, &mut |name, child| {
            let key = without_description(child);
            if key.len() < MIN_DEFINITION || self.counts.get(&key).is_none_or(|count| *count < 2) {
                return self.replace(name, child);
            }
            let description = child.remove("description");
            let mut definition = std::mem::take(child);
            if !self.names.contains_key(&key) {
                let numbered = (2..).map(|number| format!("{name}_{number}"));
                let is_free = |name: &String| !self.schemas.contains_key(name);
                let name = std::iter::once(name.to_owned()).chain(numbered).find(is_free).unwrap_or_default();
                self.schemas.insert(name.clone(), Value::Null);
                self.replace(&name, &mut definition);
                self.schemas.insert(name.clone(), definition.into());
                self.names.insert(key.clone(), name);
            }
            child.insert("$ref".into(), format!("#/$defs/{}", self.names[&key]).into());
            child.extend(description.map(|description| ("description".to_owned(), description)));
        });
    }
}

/// Visits the schemas directly in a schema, each with the name of the property that it belongs to.
fn each_child(name: &str, schema: &mut JsonObject, visit: &mut dyn FnMut(&str, &mut JsonObject)) {
    for (key, value) in schema {
        match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    property.as_object_mut().into_iter().for_each(|property| visit(name, property));
                }
            }
            ("items" | "additionalProperties", Value::Object(child)) => visit(name, child),
            ("anyOf" | "oneOf" | "allOf", Value::Array(branches)) => {
                branches.iter_mut().filter_map(Value::as_object_mut).for_each(|branch| visit(name, branch));
            }
            _ => {}
        }
    }
}

fn without_description(schema: &JsonObject) -> String {
    let rest: JsonObject =
        schema.iter().filter(|(key, _)| *key != "description").map(|(k, v)| (k.clone(), v.clone())).collect();
    json!(rest).to_string()
}

/// A value as text for a file, with a line break at the end.
pub(crate) fn printed(value: &Value) -> String {
    let mut text = String::new();
    print(&mut text, value, 0);
    text.push('\n');
    text
}

fn print(text: &mut String, value: &Value, depth: usize) {
    let line = value.to_string();
    let lines: Vec<(String, &Value)> = match value {
        _ if 2 * depth + line.chars().count() <= LINE => return text.push_str(&line),
        Value::Array(items) => items.iter().map(|item| (String::new(), item)).collect(),
        Value::Object(fields) => fields.iter().map(|(key, field)| (format!("{}: ", json!(key)), field)).collect(),
        _ => return text.push_str(&line),
    };
    let (open, close) = if value.is_array() { ('[', ']') } else { ('{', '}') };
    text.push(open);
    for (n, (key, field)) in lines.into_iter().enumerate() {
        text.push_str(if n == 0 { "\n" } else { ",\n" });
        text.push_str(&"  ".repeat(depth + 1));
        text.push_str(&key);
        print(text, field, depth + 1);
    }
    text.push('\n');
    text.push_str(&"  ".repeat(depth));
    text.push(close);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_schema_is_a_definition_and_keeps_its_descriptions() {
        let long =
            json!({"type": "object", "properties": {"text": {"type": "string", "description": "x".repeat(200)}}});
        let mut described = long.clone();
        described["description"] = json!("The first.");
        let schema =
            json!({"type": "object", "properties": {"first": described, "others": {"type": "array", "items": long}}});
        let expected = json!({
            "$defs": {"first": long},
            "properties": {
                "first": {"$ref": "#/$defs/first", "description": "The first."},
                "others": {"items": {"$ref": "#/$defs/first"}, "type": "array"},
            },
            "type": "object",
        });
        assert_eq!(Value::from(with_definitions(schema.as_object().unwrap())), expected);
        let text = printed(&expected);
        assert_eq!(text.parse::<Value>().unwrap(), expected);
        assert!(text.contains(r##"{"$ref":"#/$defs/first","description":"The first."}"##), "{text}");
    }
}
