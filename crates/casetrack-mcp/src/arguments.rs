//! Checks the arguments of a call against the tool's input schema, so that an error names the parameter and its allowed values.

use casetrack_core::{Error, Result};
use casetrack_engine::space::InField;
use serde_json::Value;

use crate::contract::{Contract, ErrorForm, allows_null};
use crate::schema::JsonObject;
use casetrack_text::format::shorten;

mod strings;

/// Less similar names are not suggested (Jaro–Winkler, 0–1).
const MIN_SIMILARITY: f64 = 0.8;
/// Longest value repeated in a message, in characters.
const MAX_SHOWN_CHARS: usize = 80;

/// The rules for the arguments of a call.
#[derive(Clone, Copy)]
pub(crate) struct Expected<'a> {
    pub tool: &'a str,
    pub contract: Contract,
    pub schema: &'a JsonObject,
    /// True if the tool changes nothing: an empty text for an optional parameter is then a filter that was not set.
    pub reads: bool,
}

/// Returns the arguments in the form the parameters are read from: those that are `null` are left out where the schema does not allow
/// null, and an integer written as `10.0` becomes `10`. Values that were written as strings are read if they have one meaning: `"10"`
/// as a number, `"true"` as a truth value, `"[\"a\"]"` and `"a"` as a list, `"null"` as nothing; and `10` as a string.
pub(crate) fn check(expected: Expected<'_>, arguments: Value) -> Result<Value> {
    let Expected { tool, contract, schema, .. } = expected;
    let mut arguments = match arguments {
        Value::Null => JsonObject::new(),
        Value::Object(arguments) => arguments,
        // Some languages write an empty map as an empty list.
        Value::Array(list) if list.is_empty() => JsonObject::new(),
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
    let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let required = || required.iter().filter_map(Value::as_str);
    arguments.retain(|name, value| {
        let property = &properties[name];
        is_given(property, value)
            && (required().any(|required| required == name) || !expected.is_empty(property, value))
    });
    for name in required() {
        if !arguments.contains_key(name) {
            let said = contract.refusal(name).map(Error::invalid);
            return Err(in_field(name, said.unwrap_or_else(|| missing_parameter(tool, name, properties))));
        }
    }
    for (name, value) in arguments.iter_mut().filter(|(_, value)| !value.is_null()) {
        let is_required = required().any(|required| required == name);
        let checked = check_value(name, &properties[name], value, contract.coerces)
            .and_then(|()| if is_required { Ok(()) } else { expected.check_meant(name, &properties[name], value) });
        checked.map_err(|error| in_field(name, contract.refusal(name).map_or(error, Error::invalid)))?;
    }
    Ok(Value::Object(arguments))
}

/// False for null, and for a text that stands for nothing. Where null is a value of its own, `"null"` becomes null.
fn is_given(property: &Value, value: &mut Value) -> bool {
    if value.is_null() {
        return allows_null(property);
    }
    if !strings::stands_for_nothing(property, value) {
        return true;
    }
    let is_null = allows_null(property) && value == "null";
    if is_null {
        *value = Value::Null;
    }
    is_null
}

impl Expected<'_> {
    /// True if an optional parameter is an empty text that no tool could mean. Contracts with errors of their own define its meaning.
    fn is_empty(&self, property: &Value, value: &Value) -> bool {
        let is_meaningless = self.reads && self.contract.errors == ErrorForm::Coded || property.get("enum").is_some();
        is_meaningless && value.as_str().is_some_and(str::is_empty)
    }

    /// Refuses "null" as the value of an optional parameter about documents: it could be a name.
    fn check_meant(&self, name: &str, property: &Value, value: &Value) -> Result<()> {
        if self.contract.errors != ErrorForm::Coded || !strings::may_stand_for_nothing(property, value) {
            return Ok(());
        }
        Err(Error::invalid(format!("{name} is {value}; leave {name} out to use the default.")))
    }
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
    strings::read(schema, value, coerces);
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
        return Err(mistyped(name, value, schema));
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

/// An object whose schema names no properties may have any; others are allowed if the schema allows them.
fn check_object(name: &str, schema: &Value, value: &mut Value, coerces: bool) -> Result<()> {
    let Value::Object(fields) = value else { return Err(mistyped(name, value, schema)) };
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Ok(()) };
    let is_open = schema.get("additionalProperties") == Some(&Value::Bool(true));
    if let Some(unknown) = fields.keys().find(|field| !is_open && !properties.contains_key(*field)) {
        return Err(unknown_parameter(name, unknown, properties));
    }
    fields.retain(|field, value| properties.get(field).map_or(!value.is_null(), |property| is_given(property, value)));
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
        _ => return Err(mistyped(name, value, schema)),
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
    let Value::Array(items) = value else { return Err(mistyped(name, value, schema)) };
    let Some(item_schema) = schema.get("items") else { return Ok(()) };
    let mut items = items.iter_mut().enumerate();
    items.try_for_each(|(i, item)| check_value(&format!("{name}[{i}]"), item_schema, item, coerces))
}

fn refused(name: &str, value: &Value, expected: &str) -> Error {
    Error::invalid(format!("{name} is {}; it must be {expected}.", shown(value)))
}

/// A value of another type, with one to copy.
fn mistyped(name: &str, value: &Value, schema: &Value) -> Error {
    let mut expected = expected(schema);
    if let Some(example) = strings::example(schema, value) {
        expected.push_str(", such as ");
        expected.push_str(&shorten(&example, MAX_SHOWN_CHARS));
    }
    refused(name, value, &expected)
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
                "tag": {"type": "string"},
                "page": {"type": "integer", "minimum": 1},
                "sort_by": {"type": "string", "enum": ["name", "date"]},
                "recursive": {"type": "boolean"},
                "file_extensions": {"type": "array", "items": {"type": "string"}},
                "metadata": {"type": "object"},
                "options": {"type": "object", "properties": {"depth": {"type": "integer", "minimum": 1}}},
            },
            "required": ["query"],
        });
        check(Expected { tool: "search", contract, schema: schema.as_object().unwrap(), reads: true }, arguments)
    }

    fn refusal(arguments: Value) -> String {
        checked(arguments).unwrap_err().full_text()
    }

    #[test]
    fn a_refusal_names_the_parameter_and_what_is_allowed() {
        let cases = [
            (json!({"query": "a", "top_k": 1_000_000_000}), "top_k is 1000000000; it must be between 1 and 50."),
            (json!({"query": "a", "top_k": 0}), "top_k is 0; it must be between 1 and 50."),
            (json!({"query": "a", "top_k": 1.5}), "top_k is 1.5; it must be an integer between 1 and 50, such as 5."),
            (
                json!({"query": "a", "top_k": "all"}),
                "top_k is \"all\"; it must be an integer between 1 and 50, such as 5.",
            ),
            (json!({"query": "a", "top_k": "99"}), "top_k is 99; it must be between 1 and 50."),
            (json!({"query": "a", "page": -3}), "page is -3; it must be at least 1."),
            (json!({"query": 1.5}), "query is 1.5; it must be a string, such as \"text\"."),
            (json!({"query": ["a"]}), "query is a list; it must be a string, such as \"a\"."),
            (json!({"query": "a", "recursive": "yes"}), "recursive is \"yes\"; it must be true or false."),
            (
                json!({"query": "a", "file_extensions": "['pdf']"}),
                "file_extensions is \"['pdf']\"; it must be a list of strings, such as [\"pdf\"].",
            ),
            (
                json!({"query": "a", "file_extensions": ["pdf", true]}),
                "file_extensions[1] is true; it must be a string, such as \"text\".",
            ),
            (
                json!({"query": "a", "file_extensions": ["null"]}),
                "file_extensions is [\"null\"]; leave file_extensions out to use the default.",
            ),
            (json!({"query": "a", "tag": "null"}), "tag is \"null\"; leave tag out to use the default."),
            (json!({"query": "a", "tag": "None"}), "tag is \"None\"; leave tag out to use the default."),
            (json!({"query": "a", "tag": " nil "}), "tag is \" nil \"; leave tag out to use the default."),
            (
                json!({"query": "a", "sort_by": "names"}),
                "sort_by is \"names\"; it must be one of name, date.\n\nDid you mean \"name\"?",
            ),
            (json!({}), "search needs the parameter \"query\".\n\nquery: What to look for"),
            (json!({"query": null}), "search needs the parameter \"query\".\n\nquery: What to look for"),
            (json!([1]), "The arguments of search are a list; they must be a JSON object."),
            (
                json!({"query": "a", "metadata": 1}),
                "metadata is 1; it must be an object, such as {\"name\":\"value\"}.",
            ),
            (
                json!({"query": "a", "options": {"depth": "deep"}}),
                "options.depth is \"deep\"; it must be an integer at least 1, such as 5.",
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
        let none = check(without_parameters(), json!({"verbose": true})).unwrap_err();
        assert_eq!(
            Reader::Assistant.error(&none),
            "get_status has no parameter \"verbose\".\n\nIt takes no parameters."
        );
    }

    fn without_parameters() -> Expected<'static> {
        static NONE: std::sync::LazyLock<JsonObject> = std::sync::LazyLock::new(JsonObject::new);
        Expected { tool: "get_status", contract: Contract::USUAL, schema: &NONE, reads: true }
    }

    #[test]
    fn a_long_value_is_shortened_in_the_message() {
        assert!(refusal(json!({"query": "a", "sort_by": "x".repeat(1_000_000)})).len() < 300);
    }

    #[test]
    fn nulls_are_left_out_and_whole_numbers_become_integers() {
        let arguments = checked(json!({"query": "a", "top_k": 10.0, "page": null})).unwrap();
        assert_eq!(arguments, json!({"query": "a", "top_k": 10}));
        for none in [Value::Null, json!({}), json!([])] {
            assert_eq!(check(without_parameters(), none).unwrap(), json!({}));
        }
        let metadata = json!({"query": "a", "metadata": {"year": null, "tags": [1, "x"]}, "options": {"depth": null}});
        let expected = json!({"query": "a", "metadata": {"year": null, "tags": [1, "x"]}, "options": {}});
        assert_eq!(checked(metadata).unwrap(), expected);
    }

    #[test]
    fn values_that_were_written_as_strings_are_read() {
        let given = json!({
            "query": 123, "top_k": " 10 ", "page": "2.0", "file_extensions": ["pdf", 7], "options": "{\"depth\": \"3\"}",
            "recursive": "True",
        });
        let expected = json!({
            "query": "123", "top_k": 10, "page": 2, "file_extensions": ["pdf", "7"], "options": {"depth": 3},
            "recursive": true,
        });
        assert_eq!(checked(given).unwrap(), expected);
        assert_eq!(
            checked(json!({"query": "a", "file_extensions": "pdf"})).unwrap()["file_extensions"],
            json!(["pdf"])
        );
    }

    #[test]
    fn texts_for_what_is_not_set_are_left_out_where_they_can_mean_nothing_else() {
        let unset = json!({
            "query": "null", "top_k": "null", "page": "", "recursive": "None", "file_extensions": "undefined",
            "options": "null", "metadata": " ", "sort_by": "", "tag": "",
        });
        assert_eq!(checked(unset).unwrap(), json!({"query": "null"}));
        assert_eq!(
            checked(json!({"query": ""})).unwrap(),
            json!({"query": ""}),
            "the tool refuses it in its own words"
        );
        let families = |arguments| checked_by(Contract::SPACE, arguments).unwrap();
        assert_eq!(families(json!({"query": 1.5, "tag": "null"})), json!({"query": "1.5", "tag": "null"}));
        assert_eq!(families(json!({"query": "a", "tag": ""})), json!({"query": "a", "tag": ""}));
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
