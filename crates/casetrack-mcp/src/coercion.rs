//! Arguments in the types that the schema names: for tools whose contract takes `"10"` for 10, and 2021 for "2021".

use serde_json::Value;

use crate::schema::JsonObject;

/// The arguments, with texts that say a number or a truth value where the schema has these, and numbers as texts where it has texts. What
/// cannot be meant stays as it is, and is refused by the check.
pub(crate) fn coerced(schema: &JsonObject, mut arguments: Value) -> Value {
    if let (Some(Value::Object(properties)), Value::Object(arguments)) = (schema.get("properties"), &mut arguments) {
        for (name, value) in arguments {
            if let Some(property) = properties.get(name) {
                coerce(property, value);
            }
        }
    }
    arguments
}

fn coerce(schema: &Value, value: &mut Value) {
    let meant = match (schema.get("type").and_then(Value::as_str), &mut *value) {
        (Some("integer"), Value::String(text)) => text.trim().parse::<i64>().ok().map(Value::from),
        (Some("boolean"), Value::String(text)) => {
            text.trim().to_ascii_lowercase().parse::<bool>().ok().map(Value::from)
        }
        (Some("string"), Value::Number(number)) => Some(number.to_string().into()),
        (Some("array"), Value::Array(items)) => {
            if let Some(schema) = schema.get("items") {
                items.iter_mut().for_each(|item| coerce(schema, item));
            }
            None
        }
        _ => None,
    };
    if let Some(meant) = meant {
        *value = meant;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_and_their_texts_are_the_same() {
        let schema = json!({"properties": {
            "k": {"type": "integer"}, "full": {"type": "boolean"}, "query": {"type": "string"},
            "years": {"type": "array", "items": {"type": "string"}},
        }});
        let given = json!({"k": " 10", "full": "True", "query": 2021, "years": [2021, "2022"], "other": "1"});
        let meant = json!({"k": 10, "full": true, "query": "2021", "years": ["2021", "2022"], "other": "1"});
        assert_eq!(coerced(schema.as_object().unwrap(), given), meant);
        let no = json!({"k": "ten", "full": "maybe", "query": ["a"], "years": "2021"});
        assert_eq!(coerced(schema.as_object().unwrap(), no.clone()), no);
        assert_eq!(coerced(schema.as_object().unwrap(), json!([1])), json!([1]));
    }
}
