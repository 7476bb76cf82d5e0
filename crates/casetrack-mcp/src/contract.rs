//! The form of the calls and answers of a family of tools, if it differs from the usual one. Some families follow the published contract of another
//! product exactly.

use casetrack_engine::space::InField;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Value, json};

use crate::answer::ToolOutput;
use crate::schema::JsonObject;
use casetrack_core::{Error, ErrorCode, ErrorKind};
use casetrack_text::Reader;
use casetrack_text::format::visible;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Contract {
    pub errors: ErrorForm,
    /// True if the structured content is also a second block of text. Then neither is cut: the tool bounds its answers itself.
    pub json_block: bool,
    /// Schemas that are listed exactly as printed, with `format`, nullable types and closed outputs.
    pub printed: Option<Printed>,
    /// True if a number such as `1.5` counts as a string, as a whole number always does: some tools take as a string the number that others return.
    pub coerces: bool,
    /// Messages of the contract for a missing parameter, or one of another type, by parameter.
    pub refusals: &'static [(&'static str, &'static str)],
    /// The version of the contract, in `_meta` and as a field of each answer.
    pub version: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorForm {
    /// Message and hint as text, code and kind in `_meta`.
    Coded,
    /// Text on one line by which a model can correct itself, and nothing else.
    Sentence,
    /// `{"error": "…"}` as text and as structured content.
    Field,
    /// An error of the protocol, with the parameter and the reason as its data.
    Protocol,
    /// `{"error": {"code", "message", "details": {"hint"}}}` as text and as structured content.
    Object,
}

/// The texts of two JSON Schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Printed {
    pub input: &'static str,
    pub output: &'static str,
}

impl Contract {
    pub const USUAL: Self = Self {
        errors: ErrorForm::Coded,
        json_block: false,
        printed: None,
        coerces: false,
        refusals: &[],
        version: None,
    };
    pub const TIME: Self = Self { errors: ErrorForm::Sentence, json_block: true, ..Self::USUAL };
    pub const FILES: Self = Self { errors: ErrorForm::Object, coerces: true, version: Some("v1.0.0"), ..Self::USUAL };
    pub const INDEX: Self = Self { errors: ErrorForm::Field, coerces: true, ..Self::USUAL };

    pub const SPACE: Self = Self { errors: ErrorForm::Protocol, coerces: true, ..Self::USUAL };

    pub const fn with_printed(self, input: &'static str, output: &'static str) -> Self {
        Self { printed: Some(Printed { input, output }), ..self }
    }

    pub const fn with_refusals(self, refusals: &'static [(&'static str, &'static str)]) -> Self {
        Self { refusals, ..self }
    }

    /// The contract's message to a call that lacks this parameter or gives it another type.
    pub fn refusal(self, parameter: &str) -> Option<&'static str> {
        self.refusals.iter().find(|(name, _)| *name == parameter).map(|(_, message)| *message)
    }

    pub fn meta(self) -> Option<MetaObject> {
        let version = self.version?;
        let mut meta = MetaObject::default();
        meta.0.insert(VERSION.into(), version.into());
        Some(meta)
    }

    /// The result of a call that failed. It has no structured content, which would have to follow the output schema, unless the contract prints one
    /// for errors.
    pub fn failure(self, error: &Error) -> CallToolResult {
        let text = |text: &str| vec![ContentBlock::text(visible(text))];
        match self.errors {
            ErrorForm::Coded => {
                let kind = match error.kind() {
                    ErrorKind::User => "user",
                    ErrorKind::Environment => "environment",
                    ErrorKind::Corruption => "corruption",
                    ErrorKind::Bug => "bug",
                };
                let mut meta = MetaObject::default();
                meta.0.insert("casetrack/error".into(), json!({"code": error.code.name(), "kind": kind}));
                CallToolResult::error(text(&Reader::Assistant.error(error))).with_meta(Some(meta))
            }
            ErrorForm::Field => {
                let structured = json!({"error": visible(&on_one_line(error))});
                let mut result = CallToolResult::error(vec![ContentBlock::text(structured.to_string())]);
                result.structured_content = Some(structured);
                result
            }
            ErrorForm::Sentence | ErrorForm::Protocol => {
                let mut sentence = on_one_line(error);
                if !sentence.ends_with(['.', '?', '!']) {
                    sentence.push('.');
                }
                CallToolResult::error(text(&sentence))
            }
            ErrorForm::Object => {
                let object = self.error_object(error);
                let mut result = CallToolResult::error(vec![ContentBlock::text(object.to_string())]);
                result.structured_content = Some(object);
                result.with_meta(self.meta())
            }
        }
    }

    /// The protocol error for a failed call, if the contract uses one.
    pub fn refused(self, error: &Error) -> Option<ErrorData> {
        if self.errors != ErrorForm::Protocol {
            return None;
        }
        let reason = visible(&error.message);
        let mut data = json!({"reason": reason});
        let field = InField::of(error).map(visible);
        if let Some(field) = &field {
            data["field"] = (&**field).into();
        }
        // Many clients show a model only the message.
        let message = |what: &str| match &field {
            Some(field) if !reason.starts_with(&**field) => format!("{what}: {field}: {reason}"),
            _ => format!("{what}: {reason}"),
        };
        Some(match error.kind() {
            ErrorKind::User => ErrorData::invalid_params(message("Invalid params"), Some(data)),
            _ => ErrorData::internal_error(message("Internal error"), Some(data)),
        })
    }

    fn error_object(self, error: &Error) -> Value {
        let details = match &error.hint {
            Some(hint) => json!({"hint": visible(&Reader::Assistant.hint(hint))}),
            None => json!({}),
        };
        let error = json!({"code": code_of(error), "message": visible(&error.message), "details": details});
        match self.version {
            Some(version) => json!({"error": error, VERSION: version}),
            None => json!({"error": error}),
        }
    }

    pub fn blocks(self, output: &ToolOutput) -> Vec<ContentBlock> {
        let json = self.json_block.then(|| ContentBlock::text(output.structured.to_string()));
        std::iter::once(ContentBlock::text(output.text.clone())).chain(json).collect()
    }
}

/// Message and hint of an error, with a space for each line break.
fn on_one_line(error: &Error) -> String {
    Reader::Assistant.error(error).lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

impl Printed {
    pub fn schemas(self) -> (JsonObject, JsonObject) {
        let read = |text| match serde_json::from_str(text) {
            Ok(Value::Object(schema)) => schema,
            _ => JsonObject::new(),
        };
        (read(self.input), read(self.output))
    }
}

pub(crate) const VERSION: &str = "mcp_version";

/// The code of an error in the contract of Smart File Search.
fn code_of(error: &Error) -> &'static str {
    match (error.code, error.kind()) {
        (ErrorCode::AccessDenied | ErrorCode::PermissionDenied, _) => "FORBIDDEN",
        (ErrorCode::NotFound | ErrorCode::FileNotFound, _) => "NOT_FOUND",
        (ErrorCode::TooManyCalls, _) => "RATE_LIMITED",
        (ErrorCode::InUse, _) => "CONFLICT",
        // Among these tools, only one that uses the client's model needs anything from outside.
        (ErrorCode::Network, _) => "LLM_UPSTREAM",
        (_, ErrorKind::User) => "BAD_REQUEST",
        _ => "INTERNAL_ERROR",
    }
}

/// True if a schema allows null as different from a missing argument.
pub(crate) fn allows_null(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_array).is_some_and(|types| types.iter().any(|name| name == "null"))
}

/// The name of a tool with only the characters that model APIs accept (`^[a-zA-Z0-9_-]{1,64}$`).
pub(crate) fn safe_name(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    name.chars().take(64).map(safe).collect()
}

/// Beginnings of words, in lower case, in the names of clients that pass tool names unchanged to model APIs. Such clients cannot use a name with a
/// dot, or the whole list.
const STRICT_CLIENTS: &[&str] = &[
    "claude",
    "anthropic",
    "local agent mode",
    "openai",
    "chatgpt",
    "codex",
    "cursor",
    "visual studio code",
    "vscode",
    "copilot",
    "windsurf",
    "zed",
    "gemini",
    "antigravity",
    "cline",
    "roo",
    "kilo",
    "continue",
    "librechat",
    "goose",
    "opencode",
    "lm studio",
    "lmstudio",
];

pub(crate) fn needs_safe_names(client: &str) -> bool {
    let words = client.to_lowercase().replace(|c: char| !c.is_alphanumeric(), " ");
    let words = format!(" {words}");
    STRICT_CLIENTS.iter().any(|strict| words.contains(&format!(" {strict}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use casetrack_core::ErrorCode;

    #[test]
    fn an_error_of_the_search_module_is_one_field_as_text_and_as_structured_content() {
        let error = Error::new(ErrorCode::NotFound, "Index not found: my  \u{202e}docs");
        let result = Contract::INDEX.failure(&error);
        let expected = json!({"error": "Index not found: my  \\u{202e}docs"});
        assert_eq!(result.structured_content, Some(expected.clone()));
        let content = serde_json::to_value(&result.content).unwrap();
        assert_eq!(content, json!([{"type": "text", "text": expected.to_string()}]));
        assert_eq!((result.is_error, result.meta), (Some(true), None));
        let hinted = Contract::INDEX.failure(&Error::invalid("It is full.").with_hint("Make another."));
        assert_eq!(hinted.structured_content, Some(json!({"error": "It is full. Make another."})));
    }

    #[test]
    fn an_error_of_the_protocol_names_the_parameter_and_the_reason() {
        let error = Error::new(ErrorCode::NotFound, "resource-set not found").with_hint("Make it.");
        let refused = Contract::SPACE.refused(&error.with_source(InField("name".into()))).unwrap();
        assert_eq!((refused.code.0, &*refused.message), (-32602, "Invalid params: name: resource-set not found"));
        assert_eq!(refused.data, Some(json!({"field": "name", "reason": "resource-set not found"})));
        let named = Error::invalid("top_k is 0; it must be at least 1.").with_source(InField("top_k".into()));
        let refused = Contract::SPACE.refused(&named).unwrap();
        assert_eq!(refused.message, "Invalid params: top_k is 0; it must be at least 1.");
        let refused = Contract::SPACE.refused(&Error::internal("It broke.")).unwrap();
        assert_eq!(refused.message, "Internal error: It broke.");
        assert_eq!((refused.code.0, refused.data), (-32603, Some(json!({"reason": "It broke."}))));
        assert_eq!(Contract::INDEX.refused(&Error::internal("It broke.")), None);
    }

    #[test]
    fn names_become_what_model_apis_take() {
        assert_eq!(safe_name("fs.search_by_time"), "fs_search_by_time");
        assert_eq!(safe_name(&"ü".repeat(100)), "_".repeat(64));
        let strict = [
            "Claude-ai",
            "local-agent-mode-casetrack 1.0",
            "cursor-vscode",
            "Visual Studio Code 1.105",
            "GitHub-Copilot-developer",
            "windsurf-client",
            "Zed",
            "gemini-cli-mcp-client-casetrack",
            "Cline",
            "Roo Code",
            "continue-client",
            "@librechat/api-client",
            "goose",
        ];
        for client in strict {
            assert!(needs_safe_names(client), "{client}");
        }
        for client in ["mcp-inspector", "mcp 1.2", "test", "authorized-client", ""] {
            assert!(!needs_safe_names(client), "{client}");
        }
    }

    #[test]
    fn an_error_object_has_the_codes_of_the_contract() {
        let error = Error::new(ErrorCode::InUse, "It is busy.").with_hint("Try again.");
        let result = Contract::FILES.failure(&error);
        let expected = json!({"code": "CONFLICT", "message": "It is busy.", "details": {"hint": "Try again."}});
        let expected = json!({"error": expected, "mcp_version": "v1.0.0"});
        let content = serde_json::to_value(&result.content).unwrap();
        assert_eq!(content, json!([{"type": "text", "text": expected.to_string()}]));
        assert_eq!(result.structured_content, Some(expected));
        assert_eq!(serde_json::to_value(&result).unwrap()["_meta"], json!({"mcp_version": "v1.0.0"}));
        let codes = [
            (ErrorCode::AccessDenied, "FORBIDDEN"),
            (ErrorCode::InvalidArgument, "BAD_REQUEST"),
            (ErrorCode::NeedsPassword, "BAD_REQUEST"),
            (ErrorCode::FileNotFound, "NOT_FOUND"),
            (ErrorCode::TooManyCalls, "RATE_LIMITED"),
            (ErrorCode::Network, "LLM_UPSTREAM"),
            (ErrorCode::DiskFull, "INTERNAL_ERROR"),
            (ErrorCode::Corrupt, "INTERNAL_ERROR"),
            (ErrorCode::Internal, "INTERNAL_ERROR"),
        ];
        for (code, name) in codes {
            assert_eq!(code_of(&Error::new(code, "x")), name);
        }
    }

    #[test]
    fn null_differs_from_absent_where_the_schema_says_so() {
        assert!(allows_null(&json!({"type": ["integer", "null"]})));
        assert!(!allows_null(&json!({"type": "integer"})));
    }
}
