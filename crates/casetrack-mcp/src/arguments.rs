//! Checks the arguments of a call against the tool's input schema, so that an error names the parameter and its allowed values.

use casetrack_core::{Error, Result};
use casetrack_engine::space::InField;
use serde_json::Value;

use crate::contract::{Contract, allows_null};
use crate::schema::JsonObject;
use casetrack_text::format::shorten;

/// Less similar names are not suggested (Jaro–Winkler, 0–1).
const MIN_SIMILARITY: f64 = 0.8;
/// Longest value repeated in a message, in characters.
const MAX_SHOWN_CHARS: usize = 80;

/// Normalises the arguments: drops nulls that the schema does not allow, and turns an integer written as `10.0` into `10`. If the contract coerces,
/// `"10"` becomes a number, `"true"` a truth value and `10` a string.
pub(crate) fn check(tool: &str, contract: Contract, schema: &JsonObject, arguments: Value) -> Result<Value> {
    let mut arguments = match arguments {
        Value::Null => JsonObject::new(),
        Value::Object(arguments) => arguments,
        other => {
            let message = format!("The arguments of {tool} are {}; they must be a JSON object.", shown(&other));
            return Err(Error::invalid(message));
        }
    };
    let no_properties = JsonObject::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&no_properties);
    if let Some(unknown) = arguments.keys().find(|name| !properties.contains_key(*name)) {
        return Err(in_field(unknown, unknown_parameter(tool, unknown, properties)));
    }
    let is_given = |name: &str, value: &Value| !value.is_null() || properties.get(name).is_some_and(allows_null);
    arguments.retain(|name, value| is_given(name, value));
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        if !arguments.contains_key(name) {
            let said = contract.refusal(name).map(Error::invalid);
            return Err(in_field(name, said.unwrap_or_else(|| missing_parameter(tool, name, properties))));
        }
    }
    for (name, value) in &mut arguments {
        if let Some(property) = properties.get(name)
            && !value.is_null()
        {
            let checked = check_value(name, property, value, contract.coerces);
            checked.map_err(|error| in_field(name, contract.refusal(name).map_or(error, Error::invalid)))?;
        }
    }
    Ok(Value::Object(arguments))
}

/// Adds the parameter to an error, for contracts that name it.
fn in_field(name: &str, error: Error) -> Error {
    error.with_source(InField(shorten(name, MAX_SHOWN_CHARS).into()))
}

/// The candidate most similar to `wanted`, if one is similar enough.
pub(crate) fn closest<'a>(wanted: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: String = wanted.to_lowercase().chars().take(200).collect();
    candidates
        .map(|candidate| (strsim::jaro_winkler(&wanted, candidate), candidate))
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

fn unknown_parameter(tool: &str, name: &str, properties: &JsonObject) -> Error {
    let mut message = format!("{tool} has no parameter \"{}\".", shorten(name, MAX_SHOWN_CHARS));
    let names: Vec<&str> = properties.keys().map(String::as_str).collect();
    if let Some(similar) = closest(name, names.iter().copied()) {
        message.push_str(&format!(" Did you mean \"{similar}\"?"));
    }
    Error::invalid(message).with_hint(match names.is_empty() {
        true => "It takes no parameters.".to_owned(),
        false => format!("Its parameters are: {}.", names.join(", ")),
    })
}

fn missing_parameter(tool: &str, name: &str, properties: &JsonObject) -> Error {
    let error = Error::invalid(format!("{tool} needs the parameter \"{name}\"."));
    match properties.get(name).and_then(|property| property.get("description")).and_then(Value::as_str) {
        Some(description) => error.with_hint(format!("{name}: {description}")),
        None => error,
    }
}

fn check_value(name: &str, schema: &Value, value: &mut Value, coerces: bool) -> Result<()> {
    if coerces {
        coerce(schema, value);
    }
    let fits = match type_of(schema) {
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => return check_integer(name, schema, value),
        Some("array") => return check_items(name, schema, value, coerces),
        Some("object") => return check_object(name, schema, value, coerces),
        _ => true,
    };
    if !fits {
        return Err(refused(name, value, &expected(schema)));
    }
    match schema.get("enum").and_then(Value::as_array) {
        Some(allowed) if !allowed.contains(value) => {
            let names = allowed.iter().filter_map(Value::as_str);
            let error = refused(name, value, &expected(schema));
            Err(match value.as_str().and_then(|given| closest(given, names)) {
                Some(similar) => error.with_hint(format!("Did you mean \"{similar}\"?")),
                None => error,
            })
        }
        _ => Ok(()),
    }
}

fn type_of(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(name) => Some(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        _ => None,
    }
}

/// Converts a string to a number or truth value, or a number to a string, if the schema needs it.
fn coerce(schema: &Value, value: &mut Value) {
    let coerced = match (type_of(schema), &*value) {
        (Some("string"), Value::Number(number)) => Some(Value::String(number.to_string())),
        (Some("integer" | "number"), Value::String(text)) => {
            let number = serde_json::from_str::<serde_json::Number>(text.trim()).ok();
            number.map(Value::Number)
        }
        (Some("boolean"), Value::String(text)) => text.trim().to_ascii_lowercase().parse().ok().map(Value::Bool),
        _ => None,
    };
    if let Some(coerced) = coerced {
        *value = coerced;
    }
}

/// An object whose schema names no properties may have any; others are allowed if the schema allows them.
fn check_object(name: &str, schema: &Value, value: &mut Value, coerces: bool) -> Result<()> {
    let Value::Object(fields) = value else {
        return Err(refused(name, value, &expected(schema)));
    };
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Ok(()) };
    let is_open = schema.get("additionalProperties") == Some(&Value::Bool(true));
    if let Some(unknown) = fields.keys().find(|field| !is_open && !properties.contains_key(*field)) {
        return Err(unknown_parameter(name, unknown, properties));
    }
    fields.retain(|field, value| !value.is_null() || properties.get(field).is_some_and(allows_null));
    for (field, value) in fields.iter_mut().filter(|(_, value)| !value.is_null()) {
        if let Some(property) = properties.get(field) {
            check_value(&format!("{name}.{field}"), property, value, coerces)?;
        }
    }
    Ok(())
}

fn check_integer(name: &str, schema: &Value, value: &mut Value) -> Result<()> {
    let (minimum, maximum) = bounds(schema);
    let number = match value.as_f64() {
        Some(number) if number.fract() == 0.0 => number,
        _ => return Err(refused(name, value, &expected(schema))),
    };
    if minimum.is_some_and(|minimum| number < minimum as f64) || maximum.is_some_and(|maximum| number > maximum as f64)
    {
        return Err(refused(name, value, &range(minimum, maximum)));
    }
    if value.is_f64() && number.abs() < i64::MAX as f64 {
        *value = Value::from(number as i64);
    }
    Ok(())
}

fn check_items(name: &str, schema: &Value, value: &mut Value, coerces: bool) -> Result<()> {
    let Value::Array(items) = value else {
        return Err(refused(name, value, &expected(schema)));
    };
    let Some(item_schema) = schema.get("items") else { return Ok(()) };
    let mut items = items.iter_mut().enumerate();
    items.try_for_each(|(i, item)| check_value(&format!("{name}[{i}]"), item_schema, item, coerces))
}

fn refused(name: &str, value: &Value, expected: &str) -> Error {
    Error::invalid(format!("{name} is {}; it must be {expected}.", shown(value)))
}

/// The allowed values of a parameter, to follow "it must be".
fn expected(schema: &Value) -> String {
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        let names: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
        return format!("one of {}", names.join(", "));
    }
    match type_of(schema) {
        Some("integer") => match bounds(schema) {
            (None, None) => "an integer".to_owned(),
            (minimum, maximum) => format!("an integer {}", range(minimum, maximum)),
        },
        Some("boolean") => "true or false".to_owned(),
        Some("array") => match schema.pointer("/items/type").and_then(Value::as_str) {
            Some(item) => format!("a list of {item}s"),
            None => "a list".to_owned(),
        },
        Some("object") => "an object".to_owned(),
        Some(other) => format!("a {other}"),
        None => "another value".to_owned(),
    }
}

fn bounds(schema: &Value) -> (Option<i64>, Option<i64>) {
    let bound = |key| schema.get(key).and_then(Value::as_i64);
    (bound("minimum"), bound("maximum"))
}

fn range(minimum: Option<i64>, maximum: Option<i64>) -> String {
    match (minimum, maximum) {
        (Some(minimum), Some(maximum)) => format!("between {minimum} and {maximum}"),
        (Some(minimum), None) => format!("at least {minimum}"),
        (None, Some(maximum)) => format!("at most {maximum}"),
        (None, None) => "an integer".to_owned(),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\"{}\"", shorten(text, MAX_SHOWN_CHARS)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => shorten(&other.to_string(), MAX_SHOWN_CHARS),
    }
}

#[cfg(test)]
mod tests {
    use casetrack_text::Reader;
    use serde_json::json;

    use super::*;

    fn checked(arguments: Value) -> Result<Value> {
        checked_by(Contract::USUAL, arguments)
    }

    fn checked_by(contract: Contract, arguments: Value) -> Result<Value> {
        let schema = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for"},
                "top_k": {"type": "integer", "minimum": 1, "maximum": 50},
                "page": {"type": "integer", "minimum": 1},
                "sort_by": {"type": "string", "enum": ["name", "date"]},
                "recursive": {"type": "boolean"},
                "file_extensions": {"type": "array", "items": {"type": "string"}},
                "metadata": {"type": "object"},
                "options": {"type": "object", "properties": {"depth": {"type": "integer", "minimum": 1}}},
            },
            "required": ["query"],
        });
        check("search", contract, schema.as_object().unwrap(), arguments)
    }

    fn refusal(arguments: Value) -> String {
        checked(arguments).unwrap_err().full_text()
    }

    #[test]
    fn a_refusal_names_the_parameter_and_what_is_allowed() {
        let cases = [
            (json!({"query": "a", "top_k": 1_000_000_000}), "top_k is 1000000000; it must be between 1 and 50."),
            (json!({"query": "a", "top_k": 0}), "top_k is 0; it must be between 1 and 50."),
            (json!({"query": "a", "top_k": 1.5}), "top_k is 1.5; it must be an integer between 1 and 50."),
            (json!({"query": "a", "top_k": "9"}), "top_k is \"9\"; it must be an integer between 1 and 50."),
            (json!({"query": "a", "page": -3}), "page is -3; it must be at least 1."),
            (json!({"query": 5}), "query is 5; it must be a string."),
            (json!({"query": ["a"]}), "query is a list; it must be a string."),
            (json!({"query": "a", "recursive": "yes"}), "recursive is \"yes\"; it must be true or false."),
            (
                json!({"query": "a", "file_extensions": "pdf"}),
                "file_extensions is \"pdf\"; it must be a list of strings.",
            ),
            (json!({"query": "a", "file_extensions": ["pdf", 1]}), "file_extensions[1] is 1; it must be a string."),
            (
                json!({"query": "a", "sort_by": "names"}),
                "sort_by is \"names\"; it must be one of name, date.\n\nDid you mean \"name\"?",
            ),
            (json!({}), "search needs the parameter \"query\".\n\nquery: What to look for"),
            (json!({"query": null}), "search needs the parameter \"query\".\n\nquery: What to look for"),
            (json!([1]), "The arguments of search are a list; they must be a JSON object."),
            (json!({"query": "a", "metadata": 1}), "metadata is 1; it must be an object."),
            (
                json!({"query": "a", "options": {"depth": "2"}}),
                "options.depth is \"2\"; it must be an integer at least 1.",
            ),
            (
                json!({"query": "a", "options": {"dept": 2}}),
                "options has no parameter \"dept\". Did you mean \"depth\"?\n\nIts parameters are: depth.",
            ),
        ];
        for (arguments, expected) in cases {
            assert_eq!(refusal(arguments), expected);
        }
    }

    #[test]
    fn an_unknown_parameter_is_refused_by_name_with_a_suggestion() {
        let message = refusal(json!({"query": "a", "topk": 3}));
        assert!(message.starts_with("search has no parameter \"topk\". Did you mean \"top_k\"?"), "{message}");
        assert!(message.contains("sort_by"), "{message}");
        let none = check("get_status", Contract::USUAL, &JsonObject::new(), json!({"verbose": true})).unwrap_err();
        assert_eq!(
            Reader::Assistant.error(&none),
            "get_status has no parameter \"verbose\".\n\nIt takes no parameters."
        );
    }

    #[test]
    fn a_long_value_is_shortened_in_the_message() {
        assert!(refusal(json!({"query": "a", "sort_by": "x".repeat(1_000_000)})).len() < 300);
    }

    #[test]
    fn nulls_are_left_out_and_whole_numbers_become_integers() {
        let arguments = checked(json!({"query": "a", "top_k": 10.0, "page": null})).unwrap();
        assert_eq!(arguments, json!({"query": "a", "top_k": 10}));
        assert_eq!(check("get_status", Contract::USUAL, &JsonObject::new(), Value::Null).unwrap(), json!({}));
        let metadata = json!({"query": "a", "metadata": {"year": null, "tags": [1, "x"]}, "options": {"depth": null}});
        let expected = json!({"query": "a", "metadata": {"year": null, "tags": [1, "x"]}, "options": {}});
        assert_eq!(checked(metadata).unwrap(), expected);
    }

    #[test]
    fn numbers_and_strings_stand_for_each_other_where_the_contract_says_so() {
        let coerced = |arguments| checked_by(Contract { coerces: true, ..Contract::USUAL }, arguments);
        let given = json!({
            "query": 123, "top_k": " 10 ", "page": "2.0", "file_extensions": ["pdf", 7], "options": {"depth": "3"},
        });
        let expected = json!({
            "query": "123", "top_k": 10, "page": 2, "file_extensions": ["pdf", "7"], "options": {"depth": 3},
        });
        assert_eq!(coerced(given).unwrap(), expected);
        for (wrong, said) in [
            (json!({"query": true}), "query is true; it must be a string."),
            (json!({"query": "a", "top_k": "ten"}), "top_k is \"ten\"; it must be an integer between 1 and 50."),
            (json!({"query": "a", "top_k": "99"}), "top_k is 99; it must be between 1 and 50."),
            (json!({"query": "a", "top_k": ""}), "top_k is \"\"; it must be an integer between 1 and 50."),
        ] {
            assert_eq!(coerced(wrong).unwrap_err().full_text(), said);
        }
    }

    #[test]
    fn a_contract_may_have_words_of_its_own_for_what_is_missing_or_of_another_type() {
        let contract = Contract { refusals: &[("query", "Query must be a string")], ..Contract::USUAL };
        for wrong in [json!({}), json!({"query": null}), json!({"query": [1]})] {
            assert_eq!(checked_by(contract, wrong).unwrap_err().full_text(), "Query must be a string");
        }
        assert!(checked_by(contract, json!({"query": "a", "page": 0})).unwrap_err().message.starts_with("page is 0"));
    }
}
