//! Answers to input that is not a message.

use rmcp::model::{ClientJsonRpcMessage, RequestId};
use serde::Deserialize;
use serde_json::{Value, json};

use super::MAX_REQUEST_BYTES;

/// The JSON-RPC error for a message that is not JSON, or nested too deeply.
const PARSE_ERROR: i32 = -32700;
/// The JSON-RPC error for JSON that is not a message, and for a message that is too long.
const INVALID_REQUEST: i32 = -32600;
/// The error of servers for a request that they cannot take now.
const REFUSED: i32 = -32000;
/// The error of other servers for a session that has ended.
const NO_SESSION: i32 = -32001;

/// Reads a message, or makes the answer to an unreadable one: a JSON-RPC error with the id of the message, or null if the id cannot be read.
pub fn read(message: &[u8]) -> Result<ClientJsonRpcMessage, Value> {
    serde_json::from_slice(message).map_err(|error| {
        #[derive(Deserialize)]
        struct Head {
            id: Option<Value>,
        }
        // The text that it skips may contain half of a character, or be nested too deeply.
        let head = serde_json::from_slice::<Head>(message);
        let is_json = head.is_ok();
        let id = head.ok().and_then(|head| head.id);
        match error.classify() {
            serde_json::error::Category::Data => {
                rejection(INVALID_REQUEST, "Invalid request: this is not a JSON-RPC 2.0 message.", id)
            }
            _ if is_json => rejection(PARSE_ERROR, &unreadable(&error), id),
            _ => match id_of_invalid(message) {
                // A client waits for an answer with the id of its request.
                Some(id) => {
                    let message = format!("Parse error: this is not valid JSON ({error}).");
                    rejection(PARSE_ERROR, &message, Some(id))
                }
                None => {
                    rejection(PARSE_ERROR, "Parse error: this is not valid JSON, or it is nested too deeply.", None)
                }
            },
        }
    })
}

/// The id of an object that is not valid JSON, as one with `NaN` or a comma too many: the only member "id" of its first level, complete.
fn id_of_invalid(message: &[u8]) -> Option<Value> {
    let text = message.trim_ascii();
    let (mut at, mut depth, mut before, mut found) = (0, 0u32, b' ', None);
    text.strip_prefix(b"{")?;
    while let Some(&byte) = text.get(at) {
        let mut end = at + 1;
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                end = end_of_string(text, at)?;
                if depth == 1 && matches!(before, b'{' | b',') && text.get(at..end) == Some(b"\"id\"") {
                    let value = value_of_member(text.get(end..)?)?;
                    if found.replace(value).is_some() {
                        return None;
                    }
                }
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
        at = end;
    }
    found
}

/// The place after the string that begins at this quotation mark.
fn end_of_string(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match text.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// The string or number behind the name of a member, if the end of the member follows.
fn value_of_member(behind: &[u8]) -> Option<Value> {
    let value = behind.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let end = match value.first()? {
        b'"' => end_of_string(value, 0)?,
        _ => value.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'-')?,
    };
    let (value, rest) = value.split_at(end);
    let is_complete = matches!(rest.trim_ascii_start().first(), Some(b',' | b'}'));
    serde_json::from_slice(value).ok().filter(|_| is_complete)
}

/// The reason why JSON that is complete cannot be read.
fn unreadable(error: &serde_json::Error) -> String {
    let reason = error.to_string();
    match reason.contains("surrogate") || reason.contains("hex escape") {
        true => format!(
            "Parse error: a text has half of a character (a lone surrogate such as \\ud83d: {reason}). Send both halves, or leave it out."
        ),
        false => format!("Parse error: {reason}."),
    }
}

/// The answer to a message that is longer than [`MAX_REQUEST_BYTES`].
pub fn too_long() -> Value {
    let limit = MAX_REQUEST_BYTES >> 20;
    rejection(INVALID_REQUEST, &format!("Invalid request: a message may have at most {limit} MB."), None)
}

/// The answer to a request whose body breaks off.
pub fn no_body() -> Value {
    rejection(INVALID_REQUEST, "Invalid request: the body of the request could not be read.", None)
}

/// The answer to a request of a session that has ended or never was.
pub fn no_session(id: Option<RequestId>) -> Value {
    let message = "This session has ended: open another with initialize.";
    rejection(NO_SESSION, message, id.map(RequestId::into_json_value))
}

/// The answer to a client that cannot get a session.
pub fn too_many_sessions(id: Option<RequestId>) -> Value {
    let message = "Too many sessions are answering requests; try again in a minute.";
    rejection(REFUSED, message, id.map(RequestId::into_json_value))
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
        assert_eq!(rejected(nested.as_bytes()), (json!(1), json!(-32700)));
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

    #[test]
    fn invalid_json_behind_a_readable_id_is_answered_with_that_id() {
        for (message, id) in [
            (r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"top_k": NaN}}"#, json!(7)),
            (r#"{"jsonrpc": "2.0", "id": "a-1", "method": "tools/call", "params": {"top_k": 1,}}"#, json!("a-1")),
            (r#"{"method": "ping",, "id":0}"#, json!(0)),
            (r#"{"params": {"id": 5, "query": "a\"id\": 6"}, "id" : 8 , "top_k": Infinity}"#, json!(8)),
            (r#"{"id": 9, "params": {'query': 'rent'}}"#, json!(9)),
            (r#"{"id": 1, "id": 2, "top_k": NaN}"#, Value::Null),
            (r#"{"id": 12"#, Value::Null),
            (r#"{"id": null, "top_k": NaN}"#, Value::Null),
            (r#"{"params": {"id": 5, "top_k": NaN}}"#, Value::Null),
            (r#"[{"id": 5, "top_k": NaN}]"#, Value::Null),
        ] {
            assert_eq!(rejected(message.as_bytes()), (id, json!(-32700)), "{message}");
        }
    }

    #[test]
    fn a_message_with_half_of_a_character_is_answered_with_its_id() {
        for (id, half) in [
            (json!(1), r"rent \ud83d"),
            (json!(0), r"\udE00 rent"),
            (json!("a-1"), r"\uD83D\uD83D\uDE00"),
            (json!(9007199254740991_u64), r"\ud83dx"),
            (json!(7), r"\ud83d\n"),
        ] {
            for order in [
                format!(r#"{{"id": {id}, "method": "tools/call", "params": {{"arguments": {{"query": "{half}"}}}}}}"#),
                format!(r#"{{"method": "tools/call", "params": {{"{half}": "\\ud83d"}}, "id": {id}}}"#),
            ] {
                let answer = read(order.as_bytes()).unwrap_err();
                assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(-32700)), "{order}");
                assert!(answer["error"]["message"].as_str().unwrap().contains("half of a character"), "{answer}");
            }
        }
        assert_eq!(rejected(b"{\"id\": 5, \"method\": \"a\xff\"}"), (json!(5), json!(-32700)), "not UTF-8");
    }
}
