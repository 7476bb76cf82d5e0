//! Smart File Search: its names, parameters, answers and errors are a published contract. No text of a file leaves these tools that was not
//! redacted and cut by the engine.

mod index;
mod queries;
mod search;

pub(crate) use index::{IndexFolder, ListRoots};
pub(crate) use queries::{RewriteQuery, SummarizeResults};
pub(crate) use search::{OpenFile, SearchFiles};

use casetrack_core::Result;
use casetrack_engine::file_search::cut;
use casetrack_text::format::visible;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::answer::{Reply, ToolOutput, json};

/// The version of the contract.
const VERSION: &str = "v1.0.0";
/// Fields that hold text of files.
const PREVIEWS: [&str; 2] = ["snippet", "preview"];

/// An answer with the version of the contract.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Versioned<R> {
    #[serde(flatten)]
    answer: R,
    /// Of the contract
    mcp_version: &'static str,
}

fn reply<R: Serialize + 'static>(answer: R) -> Reply<Versioned<R>> {
    Reply::new(Versioned { answer, mcp_version: VERSION }, |_| String::new())
}

/// The answer as JSON, in both of its forms, with hidden characters escaped. Nothing is cut: the engine bounds each answer.
fn finish<R: Serialize>(reply: Reply<R>) -> Result<ToolOutput> {
    let (response, _) = reply.rendered();
    let mut structured = json(&response)?;
    show("", &mut structured);
    Ok(ToolOutput { text: structured.to_string(), structured })
}

fn show(name: &str, value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| show(name, item)),
        Value::Object(fields) => fields.iter_mut().for_each(|(name, field)| show(name, field)),
        Value::String(text) => {
            let shown = visible(text);
            *text = if PREVIEWS.contains(&name) { cut(&shown) } else { shown.into_owned() };
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hidden_characters_are_escaped_and_previews_stay_short() {
        let mut answer = json!({"preview": "\u{202e}".repeat(1000), "items": [{"path": "/a\u{7}b", "score": 0.5}]});
        show("", &mut answer);
        assert!(answer["preview"].as_str().unwrap().len() <= 2048);
        assert_eq!(answer["items"][0], json!({"path": "/a\\u{7}b", "score": 0.5}));
    }
}
