//! Values that assistants write as strings: `"5"`, `"true"`, `"[\"a\"]"`, `"null"`. One is read when it has only one meaning; an error about
//! another shows a value to copy.

use serde_json::{Number, Value, json};

use super::{bounds, type_of};

/// Words that programs write in place of a value that is not set.
const NOT_SET: &[&str] = &["null", "undefined", "None", "nil"];
/// Most items of an example.
const EXAMPLE_ITEMS: usize = 3;

/// True if a string means a value that is not set, under a schema that takes no strings.
pub(super) fn stands_for_nothing(schema: &Value, value: &Value) -> bool {
    let is_other = type_of(schema).is_some_and(|name| name != "string");
    is_other && value.as_str().is_some_and(|text| text.trim().is_empty() || NOT_SET.contains(&text.trim()))
}

/// True if a string, or the only item of a list, is a word for a missing value: it could also be meant as a text.
pub(super) fn may_stand_for_nothing(schema: &Value, value: &Value) -> bool {
    let is_allowed =
        |value| schema.get("enum").and_then(Value::as_array).is_some_and(|allowed| allowed.contains(value));
    match value {
        Value::String(text) => NOT_SET.contains(&text.trim()) && !is_allowed(value),
        Value::Array(items) => match items.as_slice() {
            [Value::Null] => true,
            [Value::String(text)] => NOT_SET.contains(&text.trim()),
            _ => false,
        },
        _ => false,
    }
}

/// Replaces a value of another type than the schema's by the one that it stands for, if there is only one. `fractions` is whether a number such
/// as `1.5` becomes a string: its last zeros are lost.
pub(super) fn read(schema: &Value, value: &mut Value, fractions: bool) {
    let read = match (type_of(schema), &*value) {
        (Some("string"), Value::Number(number)) if fractions || !number.is_f64() => Some(number.to_string().into()),
        (Some("integer" | "number"), Value::String(text)) => {
            serde_json::from_str::<Number>(text.trim()).ok().map(Value::Number)
        }
        (Some("boolean"), Value::String(text)) => text.trim().to_ascii_lowercase().parse().ok().map(Value::Bool),
        (Some("object"), Value::String(text)) => json(text).filter(Value::is_object),
        (Some("array"), Value::String(text)) => list(schema, text),
        // The only item, without brackets.
        (Some("array"), item @ (Value::Number(_) | Value::Object(_))) => Some(json!([item])),
        _ => None,
    };
    if let Some(read) = read {
        *value = read;
    }
}

fn json(text: &str) -> Option<Value> {
    serde_json::from_str(text.trim()).ok()
}

/// The list that a text is: JSON, or its only item. Several items in one text are not divided, because a name may have a comma.
fn list(schema: &Value, text: &str) -> Option<Value> {
    let text = text.trim();
    match json(text) {
        Some(list @ Value::Array(_)) => return Some(list),
        Some(Value::String(item)) if is_of_strings(schema) => return Some(json!([item])),
        Some(item @ (Value::Object(_) | Value::Number(_))) if !is_of_strings(schema) => return Some(json!([item])),
        _ => {}
    }
    let is_one = divided(text).len() == 1 && !text.starts_with(['[', '{', '"']);
    (is_one && is_of_strings(schema)).then(|| json!([text]))
}

/// The parts of a text that may be a list: between commas, but not those within a number (`1,000,000`), semicolons and line breaks.
fn divided(text: &str) -> Vec<&str> {
    let is_digit = |at: Option<&u8>| at.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let divides = |(at, sign): (usize, char)| match sign {
        ',' => {
            let group = (1..=3).all(|n| is_digit(bytes.get(at + n))) && !is_digit(bytes.get(at + 4));
            !(group && at > 0 && is_digit(bytes.get(at - 1)))
        }
        ';' | '\n' => true,
        _ => false,
    };
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in text.char_indices().filter(|sign| divides(*sign)) {
        parts.push(&text[start..at]);
        start = at + 1;
    }
    parts.push(&text[start..]);
    let is_around = |c: char| c.is_whitespace() || matches!(c, '[' | ']' | '{' | '}' | '"' | '\'');
    let parts = parts.into_iter().map(|part| part.trim_matches(is_around));
    parts.filter(|part| !part.is_empty()).collect()
}

fn is_of_strings(schema: &Value) -> bool {
    schema.get("items").and_then(type_of) == Some("string")
}

/// A value that could have been given in place of this one, as JSON to copy. `None` if the type has an obvious value.
pub(super) fn example(schema: &Value, given: &Value) -> Option<String> {
    let example = match (type_of(schema)?, given) {
        ("array", Value::String(text)) if is_of_strings(schema) && !divided(text).is_empty() => {
            let items: Vec<&str> = divided(text).into_iter().take(EXAMPLE_ITEMS).collect();
            if items.len() > 1 && !text.trim_start().starts_with(['[', '{']) {
                return Some(format!("{}, or {} for one", spaced(&json!(items)), json!([text])));
            }
            json!(items)
        }
        ("string", Value::Array(items)) if items.first().is_some_and(Value::is_string) => items[0].clone(),
        ("boolean", _) => return None,
        _ => sample(schema),
    };
    Some(spaced(&example))
}

/// JSON with a space after each comma between texts.
fn spaced(value: &Value) -> String {
    value.to_string().replace("\",\"", "\", \"")
}

/// Some value of a schema.
fn sample(schema: &Value) -> Value {
    let first_allowed = schema.get("enum").and_then(|allowed| allowed.get(0));
    if let Some(value) = schema.get("default").filter(|value| !value.is_null()).or(first_allowed) {
        return value.clone();
    }
    match type_of(schema) {
        Some("integer") => {
            let (minimum, maximum) = bounds(schema);
            json!(5.max(minimum.unwrap_or(i64::MIN)).min(maximum.unwrap_or(i64::MAX)))
        }
        Some("number") => json!(1.5),
        Some("boolean") => json!(true),
        Some("array") => json!([schema.get("items").map_or(Value::from("text"), sample)]),
        Some("object") => {
            let first =
                schema.get("properties").and_then(Value::as_object).and_then(|properties| properties.iter().next());
            first.map_or_else(|| json!({"name": "value"}), |(name, property)| json!({name: sample(property)}))
        }
        _ => json!("text"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value that is read in place of `given`, or the example of the refusal.
    fn reading(schema: Value, given: Value) -> Result<Value, String> {
        let mut value = given.clone();
        read(&schema, &mut value, false);
        if value == given { Err(example(&schema, &given).unwrap_or_default()) } else { Ok(value) }
    }

    #[test]
    fn a_list_that_was_written_as_a_text_is_read_when_it_has_one_meaning() {
        let strings = json!({"type": "array", "items": {"type": "string"}});
        for (given, list) in [
            ("T", json!(["T"])),
            (" [\"T\"] ", json!(["T"])),
            ("[]", json!([])),
            ("[\"a, b\", \"c\"]", json!(["a, b", "c"])),
            ("\"a, b\"", json!(["a, b"])),
            ("amounts>USD 1,000,000", json!(["amounts>USD 1,000,000"])),
            ("Müller & Söhne", json!(["Müller & Söhne"])),
        ] {
            assert_eq!(reading(strings.clone(), given.into()), Ok(list), "{given}");
        }
        for (given, example) in [
            ("rent, deposit", "[\"rent\", \"deposit\"], or [\"rent, deposit\"] for one"),
            ("2024,2025", "[\"2024\", \"2025\"], or [\"2024,2025\"] for one"),
            ("['T']", "[\"T\"]"),
            ("['a', 'b']", "[\"a\", \"b\"]"),
            ("[\"a\",", "[\"a\"]"),
            ("", "[\"text\"]"),
        ] {
            assert_eq!(reading(strings.clone(), given.into()), Err(example.into()), "{given}");
        }
    }

    #[test]
    fn objects_and_single_items_are_read_as_well() {
        let depth = json!({"type": "object", "properties": {"depth": {"type": "integer", "minimum": 7}}});
        let objects = json!({"type": "array", "items": depth});
        assert_eq!(reading(depth.clone(), json!("{\"depth\": 2}")), Ok(json!({"depth": 2})));
        assert_eq!(reading(depth.clone(), json!("deep")), Err("{\"depth\":7}".into()));
        assert_eq!(reading(objects.clone(), json!({"depth": 2})), Ok(json!([{"depth": 2}])));
        assert_eq!(reading(objects.clone(), json!("{\"depth\": 2}")), Ok(json!([{"depth": 2}])));
        assert_eq!(reading(objects.clone(), json!("[{\"depth\": 2}]")), Ok(json!([{"depth": 2}])));
        assert_eq!(reading(objects, json!("deep")), Err("[{\"depth\":7}]".into()));
        let string = json!({"type": "string"});
        assert_eq!(reading(string.clone(), json!(2024)), Ok(json!("2024")));
        assert_eq!(reading(string.clone(), json!(1.1)), Err("\"text\"".into()), "1.10 or 1.1");
        assert_eq!(reading(string, json!(["a"])), Err("\"a\"".into()));
        for given in ["05", "1,000", "five", "1e400", "NaN"] {
            assert_eq!(reading(json!({"type": "integer", "maximum": 3}), given.into()), Err("3".into()), "{given}");
        }
    }
}
