//! JSON Schemas of the tools, generated from their Rust types.
//!
//! Clients differ in how much of JSON Schema they understand, so the schemas stay plain: no references, and for parameters neither unions nor
//! nullable types. An optional parameter is not in `required`.

use schemars::generate::{Contract, SchemaSettings};
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use crate::answer;

pub(crate) type JsonObject = serde_json::Map<String, Value>;

/// Marks a parameter that may be null: `true`, or `"default"` if null means the same as a missing argument.
const NULL: &str = "x-null";

/// Marks a parameter that `tools/list` leaves out, because hardly any call needs it. Calls may have it.
const RARE: &str = "x-rare";

/// Removes the marks of rare parameters, and returns their names.
pub(crate) fn take_rare(parameters: &mut JsonObject) -> Vec<String> {
    let properties = parameters.get_mut("properties").and_then(Value::as_object_mut);
    let is_rare =
        |property: &mut Value| property.as_object_mut().is_some_and(|property| property.remove(RARE).is_some());
    let marked =
        properties.into_iter().flatten().filter_map(|(name, property)| is_rare(property).then(|| name.clone()));
    marked.collect()
}

/// The parameters for `tools/list`, which clients put before the model: without rare ones, and without the parts that a model does not need. The
/// default of an offset is such a part, unless a published contract has it.
pub(crate) fn listed(parameters: &JsonObject, rare: &[String], is_published: bool) -> JsonObject {
    let mut listed = parameters.clone();
    listed.remove("additionalProperties");
    if let Some(Value::Object(properties)) = listed.get_mut("properties") {
        properties.retain(|name, _| !rare.contains(name));
        if let Some(Value::Object(offset)) = properties.get_mut("offset").filter(|_| !is_published) {
            offset.retain(|key, _| matches!(key.as_str(), "type" | "description"));
        }
    }
    listed
}

pub(crate) fn parameters<T: JsonSchema>() -> JsonObject {
    let mut schema = generate::<T>(Contract::Deserialize);
    schema.remove("description");
    // Of parameters that share a page with others.
    if schema.remove("unevaluatedProperties").is_some() {
        schema.insert("additionalProperties".into(), false.into());
    }
    // Some clients refuse a tool without this key, even where it takes no parameters.
    schema.entry("properties").or_insert_with(|| json!({}));
    for property in
        schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flat_map(|map| map.values_mut())
    {
        if let Some(property) = property.as_object_mut() {
            flatten(property);
        }
    }
    schema
}

/// The schema of a tool's structured content.
pub(crate) fn response<T: JsonSchema>() -> JsonObject {
    let mut schema = generate::<T>(Contract::Serialize);
    answer::describe(&mut schema);
    schema
}

/// The part of a response's schema for `tools/list`.
pub(crate) fn brief(response: &JsonObject) -> JsonObject {
    let kept = response.iter().filter(|(key, _)| *key == "type");
    kept.map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn generate<T: JsonSchema>(contract: Contract) -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
        settings.contract = contract;
    });
    let mut generator = settings.with_transform(RecursiveTransform(tidy)).into_generator();
    let mut schema = generator.root_schema_for::<T>();
    schema.as_object_mut().map(std::mem::take).unwrap_or_default()
}

/// Removes parts without meaning for a client (names of Rust types, integer widths, links between items) and joins wrapped lines.
fn tidy(schema: &mut Schema) {
    for key in ["title", "format"] {
        schema.remove(key);
    }
    if let Some(description) = schema.get("description").and_then(Value::as_str) {
        let unlinked = description.replace("[`", "`").replace("`]", "`");
        let paragraphs: Vec<String> = unlinked.split("\n\n").map(|paragraph| paragraph.replace('\n', " ")).collect();
        schema.insert("description".into(), paragraphs.join("\n\n").into());
    }
}

/// The values of an enumeration. Variants without documentation come as one branch with all their values.
fn values(schema: &JsonObject) -> Vec<Value> {
    let list = |key: &str| schema.get(key).and_then(Value::as_array).into_iter().flatten();
    let branches = list("oneOf").chain(list("anyOf")).filter_map(Value::as_object);
    schema.get("const").into_iter().chain(list("enum")).cloned().chain(branches.flat_map(values)).collect()
}

/// Turns the schema of an `Option` or of documented enum variants into a plain type with its values.
fn flatten(property: &mut JsonObject) {
    if property.contains_key("oneOf") || property.contains_key("anyOf") {
        let values = values(property);
        property.retain(|key, _| key != "oneOf" && key != "anyOf");
        property.insert("type".into(), "string".into());
        property.insert("enum".into(), values.into());
    }
    // Null is a value of its own where a call that names none means another, and where it is marked.
    let marked = property.remove(NULL);
    let is_null_a_value = marked.is_some() || property.get("default").is_some_and(|default| !default.is_null());
    if let Some(Value::Array(types)) = property.get_mut("type").filter(|_| !is_null_a_value) {
        types.retain(|name| name != "null");
        if let [one] = &types[..] {
            let one = one.clone();
            property.insert("type".into(), one);
        }
    }
    if let Some(Value::Array(values)) = property.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if property.get("default").is_some_and(Value::is_null) && marked != Some(json!("default")) {
        property.remove("default");
    }
}
