//! Answers to input that is not a message.

use rmcp::model::ClientJsonRpcMessage;
use serde::Deserialize;
use serde_json::{Value, json};

use super::MAX_REQUEST_BYTES;

/// The JSON-RPC error for a message that is not JSON, or nested too deeply.
const PARSE_ERROR: i32 = -32700;
/// The JSON-RPC error for JSON that is not a message, and for a message that is too long.
const INVALID_REQUEST: i32 = -32600;

/// Reads a message, or makes the answer to an unreadable one: a JSON-RPC error with the id of the message, or null if the id cannot be read.
pub fn read(message: &[u8]) -> Result<ClientJsonRpcMessage, Value> {
    serde_json::from_slice(message).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => {
            #[derive(Deserialize)]
            struct Head {
                id: Option<Value>,
            }
            let id = serde_json::from_slice(message).ok().and_then(|Head { id }| id);
            rejection(INVALID_REQUEST, "Invalid request: this is not a JSON-RPC 2.0 message.", id)
        }
        _ => rejection(PARSE_ERROR, "Parse error: this is not valid JSON, or it is nested too deeply.", None),
    })
}

/// The answer to a message that is longer than [`MAX_REQUEST_BYTES`].
pub fn too_long() -> Value {
    let limit = MAX_REQUEST_BYTES >> 20;
    rejection(INVALID_REQUEST, &format!("Invalid request: a message may have at most {limit} MB."), None)
}

fn rejection(code: i32, message: &str, id: Option<Value>) -> Value {
    let id = id.filter(|id| id.is_string() || id.is_i64() || id.is_u64());
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejected(message: &[u8]) -> (Value, Value) {
        let answer = read(message).unwrap_err();
        (answer["id"].clone(), answer["error"]["code"].clone())
    }

    #[test]
    fn what_cannot_be_read_is_a_parse_error_and_other_json_an_invalid_request() {
        let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
        for broken in [&b"this is not JSON"[..], b"{\"jsonrpc\": \"2.0\", \"id\": 1", b"\xff\xfe", &deep] {
            assert_eq!(rejected(broken), (Value::Null, json!(-32700)));
        }
        let nested = format!(
            r#"{{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}}"#,
            String::from_utf8(deep).unwrap()
        );
        assert_eq!(rejected(nested.as_bytes()), (Value::Null, json!(-32700)));
        for (other, id) in [
            (r#"{"foo": "bar"}"#, Value::Null),
            ("[]", Value::Null),
            ("1", Value::Null),
            (r#"{"jsonrpc": "1.0", "id": "a", "method": "ping"}"#, json!("a")),
            (r#"{"jsonrpc": "2.0", "id": 7, "method": 5}"#, json!(7)),
            (r#"{"jsonrpc": "2.0", "id": 1.5, "method": "tools/list"}"#, Value::Null),
        ] {
            assert_eq!(rejected(other.as_bytes()), (id, json!(-32600)), "{other}");
        }
    }
}
